//! Vectors: each once in full, and once as bytes that a question can be held against quickly.
//!
//! A byte form has a scale of its own and knows how far it is from the vector, so a look at it gives a cosine with the most
//! that it can be wrong by. Whoever wants the true order computes the cosine in full where that may matter, and nowhere
//! else: the result is that of a scan in full, from a quarter of the memory. The look sums whole numbers, which come out the
//! same in any order and on any processor.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

/// Steps from 0 to the largest number of a vector.
const STEPS: u32 = 127;

/// The same of a question, at most.
const FINE_STEPS: u32 = 8_191;

/// A cosine in full is itself a sum of rounded numbers; it is never further off than this.
const ROUNDING: f32 = 2e-5;

/// The byte form of a vector beside its bytes.
#[derive(Debug, Clone, Copy)]
struct Coarse {
    /// One step.
    scale: f32,
    /// How far the byte form is from the vector, and how long that is.
    error: f32,
    length: f32,
}

/// Vectors of one dimension under dense numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vectors {
    dimension: usize,
    full: Vec<f32>,
    bytes: Vec<i8>,
    coarse: Vec<Coarse>,
}

/// A question, ready to be held against vectors.
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
    /// Takes a vector, and gives its number. The first sets the dimension; one of another, or that is no vector of
    /// numbers, has no place here.
    pub(crate) fn push(&mut self, vector: &[f32]) -> Option<u32> {
        if self.dimension == 0 {
            self.dimension = vector.len();
        }
        if vector.is_empty() || vector.len() != self.dimension || !vector.iter().all(|x| x.is_finite()) {
            return None;
        }
        let number = self.coarse.len() as u32;
        let scale = step(vector, STEPS);
        let start = self.bytes.len();
        self.bytes.extend(vector.iter().map(|x| in_steps(*x, scale) as i8));
        let error = distance(vector, self.bytes[start..].iter().map(|step| f32::from(*step) * scale));
        self.coarse.push(Coarse { scale, error, length: length(vector) });
        self.full.extend_from_slice(vector);
        Some(number)
    }

    /// The number of vectors.
    pub(crate) fn len(&self) -> usize {
        self.coarse.len()
    }

    /// Removes the vectors that are not kept; the others move up, in their order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        let (dimension, mut kept) = (self.dimension, 0);
        for number in 0..self.coarse.len() {
            if !keep(number as u32) {
                continue;
            }
            if kept < number {
                let (from, to) = (number * dimension, kept * dimension);
                self.coarse[kept] = self.coarse[number];
                self.full.copy_within(from..from + dimension, to);
                self.bytes.copy_within(from..from + dimension, to);
            }
            kept += 1;
        }
        self.coarse.truncate(kept);
        self.full.truncate(kept * dimension);
        self.bytes.truncate(kept * dimension);
        self.coarse.shrink_to_fit();
        self.full.shrink_to_fit();
        self.bytes.shrink_to_fit();
    }

    /// Appends some of the vectors in stored form: count and dimension, then all byte forms and all numbers, little-endian.
    pub(crate) fn encode(&self, range: Range<usize>, to: &mut Vec<u8>) {
        let numbers = range.start * self.dimension..range.end * self.dimension;
        to.extend_from_slice(&(range.len() as u32).to_le_bytes());
        to.extend_from_slice(&(self.dimension as u32).to_le_bytes());
        for Coarse { scale, error, length } in &self.coarse[range] {
            [scale, error, length].into_iter().for_each(|number| to.extend_from_slice(&number.to_le_bytes()));
        }
        to.extend(self.bytes[numbers.clone()].iter().map(|byte| *byte as u8));
        to.extend(self.full[numbers].iter().flat_map(|number| number.to_le_bytes()));
    }

    /// Bytes of one vector in stored form.
    pub(crate) fn stored_bytes(&self) -> usize {
        self.dimension * 5 + 12
    }

    /// Takes over vectors in stored form. Returns how many; nothing, and takes none, where the bytes are no vectors of this
    /// dimension.
    pub(crate) fn decode(&mut self, stored: &[u8]) -> Option<usize> {
        let number = |at: usize| stored.get(at..at + 4)?.try_into().map(u32::from_le_bytes).ok();
        let (count, dimension) = (number(0)? as usize, number(4)? as usize);
        if count == 0 || dimension == 0 || (self.dimension != 0 && self.dimension != dimension) {
            return None;
        }
        let (coarse, rest) = stored[8..].split_at_checked(count.checked_mul(12)?)?;
        let (bytes, full) = rest.split_at_checked(count.checked_mul(dimension)?)?;
        if full.len() != bytes.len().checked_mul(4)? {
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
        self.bytes.extend(bytes.iter().map(|byte| *byte as i8));
        self.full.extend(full.as_chunks::<4>().0.iter().map(float));
        Some(count)
    }

    /// Makes room for vectors in so many bytes of stored form.
    pub(crate) fn reserve(&mut self, dimension: usize, stored_bytes: usize) {
        let count = stored_bytes / (dimension * 5 + 12).max(1);
        self.coarse.reserve(count);
        self.bytes.reserve(count * dimension);
        self.full.reserve(count * dimension);
    }

    /// Takes every look for one that may be wrong by anything, so that every cosine is computed in full.
    #[cfg(test)]
    pub(crate) fn trust_no_look(&mut self) {
        self.coarse.iter_mut().for_each(|coarse| coarse.error = 1e6);
    }

    /// The vector of a number.
    pub(crate) fn get(&self, number: u32) -> Option<&[f32]> {
        let start = number as usize * self.dimension;
        self.full.get(start..start + self.dimension)
    }

    /// A question against these vectors, unless it is of another dimension.
    pub(crate) fn probe<'a>(&'a self, question: &'a [f32]) -> Option<Probe<'a>> {
        if question.is_empty() || question.len() != self.dimension {
            return None;
        }
        // The sum of so many products fits into 32 bits.
        let fine = FINE_STEPS.min(i32::MAX as u32 / STEPS / self.dimension as u32);
        let scale = step(question, fine.max(1));
        let steps: Vec<i16> = question.iter().map(|x| in_steps(*x, scale) as i16).collect();
        let error = distance(question, steps.iter().map(|step| f32::from(*step) * scale));
        let (length, processor) = (length(question), Processor::new());
        Some(Probe { vectors: self, full: question, steps, scale, error, length, processor })
    }
}

impl Probe<'_> {
    /// The cosine with a vector by its byte form, and the most that the [full one](Self::full) differs from it.
    pub(crate) fn look(&self, number: u32) -> (f32, f32) {
        let (at, dimension) = (number as usize, self.vectors.dimension);
        let Coarse { scale, error, length } = self.vectors.coarse[at];
        let bytes = &self.vectors.bytes[at * dimension..(at + 1) * dimension];
        let sum = self.processor.dispatch(Product { bytes, steps: &self.steps });
        let most = error * self.length + (length + error) * self.error + ROUNDING * (1.0 + length * self.length);
        (sum as f32 * (scale * self.scale), most)
    }

    /// The cosine with a vector. Summed in a fixed order, eight lanes wide.
    pub(crate) fn full(&self, number: u32) -> f32 {
        let vector = self.vectors.get(number).unwrap_or_default();
        let mut lanes = [0.0_f32; 8];
        let (a, b) = (vector.chunks_exact(8), self.full.chunks_exact(8));
        let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
        for (a, b) in a.zip(b) {
            for lane in 0..8 {
                lanes[lane] += a[lane] * b[lane];
            }
        }
        lanes.iter().sum::<f32>() + rest
    }
}

/// So large is a step, when the largest number of a vector is so many.
fn step(vector: &[f32], steps: u32) -> f32 {
    vector.iter().fold(0.0_f32, |most, x| most.max(x.abs())) / steps as f32
}

fn in_steps(x: f32, scale: f32) -> f32 {
    if scale > 0.0 { (x / scale).round() } else { 0.0 }
}

/// How long a vector is, and how far from another: rounded up, so that nothing is further.
fn length(vector: &[f32]) -> f32 {
    distance(vector, std::iter::repeat(0.0))
}

fn distance(vector: &[f32], other: impl Iterator<Item = f32>) -> f32 {
    let square = |(a, b): (&f32, f32)| (f64::from(*a) - f64::from(b)).powi(2);
    (vector.iter().zip(other).map(square).sum::<f64>().sqrt() * 1.000_001) as f32
}

/// The sum of the products of whole numbers.
struct Product<'a> {
    bytes: &'a [i8],
    steps: &'a [i16],
}

impl WithSimd for Product<'_> {
    type Output = i32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> i32 {
        let product = |(a, b): (&i8, &i16)| i32::from(*a).wrapping_mul(i32::from(*b));
        // No sum is too great; one that need not be looked at for that is left to the compiler to put side by side.
        self.bytes.iter().zip(self.steps).map(product).fold(0, i32::wrapping_add)
    }
}

/// The widest instructions that the program can use here. What is summed comes out the same on all.
#[derive(Debug, Clone, Copy)]
enum Processor {
    /// AVX2, which `pulp` by itself leaves out.
    #[cfg(target_arch = "x86_64")]
    Avx2(pulp::x86::V3),
    Other(Arch),
}

impl Processor {
    fn new() -> Self {
        match Arch::new() {
            #[cfg(target_arch = "x86_64")]
            Arch::Scalar => pulp::x86::V3::try_new().map_or(Self::Other(Arch::Scalar), Self::Avx2),
            arch => Self::Other(arch),
        }
    }

    #[inline(always)]
    fn dispatch<W: WithSimd>(self, work: W) -> W::Output {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(simd) => Simd::vectorize(simd, work),
            Self::Other(arch) => arch.dispatch(work),
        }
    }
}
