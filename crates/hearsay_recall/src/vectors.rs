//! Vectors, stored with 16 bits per component.
//!
//! A vector is stored as integers and one scale. The error of a component is at most 1/65,000 of the largest component.
//! This error changes a cosine by less than 0.0001. The high bytes and the low bytes of the integers are stored
//! separately.
//!
//! A comparison first reads only the high bytes, which give an estimate of the cosine and the maximum error of the
//! estimate. A caller that needs the exact order computes the full cosine only for vectors for which the error can
//! change the order. The comparison sums integers, so the result is the same on every processor.

use std::ops::Range;

use hearsay_simd::Processor;
use pulp::{Simd, WithSimd};

/// Number of steps of the high byte from 0 to the largest component of a vector.
const HIGH_STEPS: u32 = 127;

/// Number of steps of the low byte in a step of the high byte.
const LOW_STEPS: i32 = 256;

/// Maximum number of quantization steps for a question.
const MAX_QUESTION_STEPS: u32 = 8_191;

/// Maximum rounding error of a full cosine, relative to the product of the lengths.
const ROUNDING_ERROR: f32 = 2e-5;

/// Scale of one vector, and the error of its high bytes.
#[derive(Debug, Clone, Copy)]
struct Coarse {
    /// Size of a step of the high byte.
    scale: f32,
    /// Distance between the high bytes alone and the stored vector.
    error: f32,
    /// Length of the stored vector.
    length: f32,
}

/// Vectors of one dimension. The vectors are numbered from 0 without gaps.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vectors {
    dimension: usize,
    high: Vec<i8>,
    low: Vec<i8>,
    coarse: Vec<Coarse>,
}

/// A question's vector, prepared for comparison.
#[derive(Debug)]
pub(crate) struct Probe<'a> {
    vectors: &'a Vectors,
    full: &'a [f32],
    steps: Vec<i16>,
    scale: f32,
    error: f32,
    length: f32,
    processor: Processor,
}

impl Vectors {
    /// Adds a vector and returns its number. The first vector sets the dimension. Returns `None` for a vector of
    /// another dimension or with values that are not finite.
    pub(crate) fn push(&mut self, vector: &[f32]) -> Option<u32> {
        if self.dimension == 0 {
            self.dimension = vector.len();
        }
        if vector.is_empty() || vector.len() != self.dimension || !vector.iter().all(|x| x.is_finite()) {
            return None;
        }
        let number = self.coarse.len() as u32;
        let scale = step(vector, HIGH_STEPS);
        let max_integer = HIGH_STEPS as i32 * LOW_STEPS;
        let integers =
            vector.iter().map(|x| (in_steps(*x, scale / LOW_STEPS as f32) as i32).clamp(-max_integer, max_integer));
        let start = self.high.len();
        for integer in integers {
            let high = (integer + LOW_STEPS / 2).div_euclid(LOW_STEPS);
            self.high.push(high as i8);
            self.low.push((integer - high * LOW_STEPS) as i8);
        }
        self.coarse.push(Coarse { scale, error: 0.0, length: 0.0 });
        let stored = self.get(number)?;
        let error = distance(&stored, self.high[start..].iter().map(|step| f32::from(*step) * scale));
        self.coarse[number as usize] = Coarse { scale, error, length: length(&stored) };
        Some(number)
    }

    /// Adds a vector of another set, and returns the number of the vector in this set. Returns `None` if the vector has
    /// another dimension than this set.
    pub(crate) fn push_from(&mut self, other: &Self, number: u32) -> Option<u32> {
        let coarse = other.coarse.get(number as usize)?;
        if self.dimension == 0 {
            self.dimension = other.dimension;
        }
        if self.dimension != other.dimension {
            return None;
        }
        let (high, low) = other.bytes(number);
        self.high.extend_from_slice(high);
        self.low.extend_from_slice(low);
        self.coarse.push(*coarse);
        Some(self.coarse.len() as u32 - 1)
    }

    /// Returns the number of vectors.
    pub(crate) fn len(&self) -> usize {
        self.coarse.len()
    }

    /// Removes the vectors for which `keep` returns `false`. The other vectors are renumbered without gaps and keep
    /// their order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        let (dimension, mut kept) = (self.dimension, 0);
        for number in 0..self.coarse.len() {
            if !keep(number as u32) {
                continue;
            }
            if kept < number {
                let (from, to) = (number * dimension, kept * dimension);
                self.coarse[kept] = self.coarse[number];
                self.high.copy_within(from..from + dimension, to);
                self.low.copy_within(from..from + dimension, to);
            }
            kept += 1;
        }
        self.coarse.truncate(kept);
        self.high.truncate(kept * dimension);
        self.low.truncate(kept * dimension);
        self.coarse.shrink_to_fit();
        self.high.shrink_to_fit();
        self.low.shrink_to_fit();
    }

    /// Appends a range of vectors in stored form: count, dimension, all scales and errors, all high bytes, all low
    /// bytes. Numbers are little-endian.
    pub(crate) fn encode(&self, range: Range<usize>, to: &mut Vec<u8>) {
        let numbers = range.start * self.dimension..range.end * self.dimension;
        to.extend_from_slice(&(range.len() as u32).to_le_bytes());
        to.extend_from_slice(&(self.dimension as u32).to_le_bytes());
        for Coarse { scale, error, length } in &self.coarse[range] {
            [scale, error, length].into_iter().for_each(|number| to.extend_from_slice(&number.to_le_bytes()));
        }
        to.extend(self.high[numbers.clone()].iter().chain(&self.low[numbers]).map(|byte| *byte as u8));
    }

    /// Returns the size of one vector in stored form, in bytes.
    pub(crate) fn stored_bytes(&self) -> usize {
        self.dimension * 2 + 12
    }

    /// Adds the vectors of a stored form and returns how many were added. Returns `None` and adds nothing if the bytes
    /// are not a valid stored form, or if their vectors have another dimension.
    pub(crate) fn decode(&mut self, stored: &[u8]) -> Option<usize> {
        let number = |at: usize| stored.get(at..at + 4)?.try_into().map(u32::from_le_bytes).ok();
        let (count, dimension) = (number(0)? as usize, number(4)? as usize);
        if count == 0 || dimension == 0 || (self.dimension != 0 && self.dimension != dimension) {
            return None;
        }
        let (coarse, rest) = stored[8..].split_at_checked(count.checked_mul(12)?)?;
        let (high, low) = rest.split_at_checked(count.checked_mul(dimension)?)?;
        if high.len() != low.len() {
            return None;
        }
        self.dimension = dimension;
        let float = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
        let coarse = coarse.as_chunks::<12>().0.iter().map(|bytes| bytes.as_chunks::<4>().0);
        self.coarse.extend(coarse.map(|part| Coarse {
            scale: float(&part[0]),
            error: float(&part[1]),
            length: float(&part[2]),
        }));
        self.high.extend(high.iter().map(|byte| *byte as i8));
        self.low.extend(low.iter().map(|byte| *byte as i8));
        Some(count)
    }

    /// Reserves capacity for the vectors of a stored form, given their dimension and its size in bytes.
    pub(crate) fn reserve(&mut self, dimension: usize, stored_bytes: usize) {
        let count = stored_bytes / (dimension * 2 + 12).max(1);
        self.coarse.reserve(count);
        self.high.reserve(count * dimension);
        self.low.reserve(count * dimension);
    }

    /// Sets large errors for all vectors, so that every cosine is computed in full.
    #[cfg(test)]
    pub(crate) fn compute_all_cosines_in_full(&mut self) {
        self.coarse.iter_mut().for_each(|coarse| coarse.error = 1e6);
    }

    /// Returns the vector with a number.
    pub(crate) fn get(&self, number: u32) -> Option<Vec<f32>> {
        let Coarse { scale, .. } = self.coarse.get(number as usize)?;
        let (high, low) = self.bytes(number);
        Some(high.iter().zip(low).map(|(high, low)| integer(*high, *low) * (scale / LOW_STEPS as f32)).collect())
    }

    /// Returns the high and low bytes of a vector.
    fn bytes(&self, number: u32) -> (&[i8], &[i8]) {
        let start = number as usize * self.dimension;
        let range = start..start + self.dimension;
        (&self.high[range.clone()], &self.low[range])
    }

    /// Prepares a question's vector for comparison. Returns `None` if the vector has another dimension.
    pub(crate) fn probe<'a>(&'a self, question: &'a [f32]) -> Option<Probe<'a>> {
        if question.is_empty() || question.len() != self.dimension {
            return None;
        }
        // Limits the number of steps, so that the sum of the products fits into 32 bits.
        let fine = MAX_QUESTION_STEPS.min(i32::MAX as u32 / HIGH_STEPS / self.dimension as u32);
        let scale = step(question, fine.max(1));
        let steps: Vec<i16> = question.iter().map(|x| in_steps(*x, scale) as i16).collect();
        let error = distance(question, steps.iter().map(|step| f32::from(*step) * scale));
        let (length, processor) = (length(question), Processor::detect());
        Some(Probe { vectors: self, full: question, steps, scale, error, length, processor })
    }
}

impl Probe<'_> {
    /// Returns an estimate of the cosine with a vector, and its maximum difference from the [full cosine](Self::full).
    /// Reads only the high bytes of the vector.
    pub(crate) fn estimate(&self, number: u32) -> (f32, f32) {
        let Coarse { scale, error, length } = self.vectors.coarse[number as usize];
        let (bytes, _) = self.vectors.bytes(number);
        let sum = self.processor.dispatch(Product { bytes, steps: &self.steps });
        let max_error =
            error * self.length + (length + error) * self.error + ROUNDING_ERROR * (1.0 + length * self.length);
        (sum as f32 * (scale * self.scale), max_error)
    }

    /// Returns the cosine with a vector. Sums in eight lanes and in a fixed order.
    pub(crate) fn full(&self, number: u32) -> f32 {
        let Coarse { scale, .. } = self.vectors.coarse[number as usize];
        let (high, low) = self.vectors.bytes(number);
        let (high, low, question) = (high.as_chunks::<8>(), low.as_chunks::<8>(), self.full.as_chunks::<8>());
        let mut lanes = [0.0_f32; 8];
        for ((high, low), x) in high.0.iter().zip(low.0).zip(question.0) {
            for lane in 0..8 {
                lanes[lane] += integer(high[lane], low[lane]) * x[lane];
            }
        }
        let rest = high.1.iter().zip(low.1).zip(question.1);
        let rest: f32 = rest.map(|((high, low), x)| integer(*high, *low) * x).sum();
        (lanes.iter().sum::<f32>() + rest) * (scale / LOW_STEPS as f32)
    }
}

/// Returns a component as a number of low-byte steps. The result is exact.
fn integer(high: i8, low: i8) -> f32 {
    (i32::from(high) * LOW_STEPS + i32::from(low)) as f32
}

/// Returns the size of a quantization step. `steps` is the number of steps from 0 to the largest component.
fn step(vector: &[f32], steps: u32) -> f32 {
    vector.iter().fold(0.0_f32, |max, x| max.max(x.abs())) / steps as f32
}

fn in_steps(x: f32, scale: f32) -> f32 {
    if scale > 0.0 { (x / scale).round() } else { 0.0 }
}

/// Returns the length of a vector, rounded up like [`distance`]. The exact length is never greater.
fn length(vector: &[f32]) -> f32 {
    distance(vector, std::iter::repeat(0.0))
}

fn distance(vector: &[f32], other: impl Iterator<Item = f32>) -> f32 {
    let square = |(a, b): (&f32, f32)| (f64::from(*a) - f64::from(b)).powi(2);
    (vector.iter().zip(other).map(square).sum::<f64>().sqrt() * 1.000_001) as f32
}

/// Computes the sum of the products of two lists of integers.
struct Product<'a> {
    bytes: &'a [i8],
    steps: &'a [i16],
}

impl WithSimd for Product<'_> {
    type Output = i32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> i32 {
        let product = |(a, b): (&i8, &i16)| i32::from(*a).wrapping_mul(i32::from(*b));
        // The sum cannot overflow; `wrapping_add` lets the compiler vectorise the loop.
        self.bytes.iter().zip(self.steps).map(product).fold(0, i32::wrapping_add)
    }
}
