//! A multinomial logistic regression: how likely each of several classes is, by what is seen.

use rustc_hash::FxHashMap;
use thiserror::Error;

/// Why a classifier cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line} of the classifier: {problem}")]
pub struct ClassifierError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub problem: String,
}

/// Classes, and what each feature speaks for and against.
///
/// Read from text: a first line with the classes, then a line for each feature with the number of a class, counted from 0, and
/// a weight in hundredths, all set apart by tabs. The feature `base` is always seen. Lines that begin with `#` are left out.
///
/// ```
/// use hearsay_extract::Classifier;
///
/// let classifier = Classifier::read("classes\tno\tyes\nbase\t0\t50\nowes\t1\t250")?;
/// assert!(classifier.chances(["owes"])[1] > 0.8);
/// assert!(classifier.chances(["sings"])[1] < 0.5);
/// # Ok::<(), hearsay_extract::ClassifierError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Classifier {
    classes: Vec<String>,
    base: Vec<f32>,
    weights: FxHashMap<String, Vec<(u16, f32)>>,
}

impl Classifier {
    /// Reads a classifier.
    ///
    /// # Errors
    /// When a line is not of the shape above; the error names the line.
    pub fn read(text: &str) -> Result<Self, ClassifierError> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let Some((line, first)) = lines.next() else { return Ok(Self::default()) };
        let mut names = first.split('\t');
        if names.next() != Some("classes") {
            let problem = "`classes` and their names are expected first, set apart by tabs".to_owned();
            return Err(ClassifierError { line, problem });
        }
        let classes: Vec<String> = names.map(str::to_owned).collect();
        let mut classifier = Self { base: vec![0.0; classes.len()], classes, weights: FxHashMap::default() };
        for (line, text) in lines {
            let failed = |problem: String| ClassifierError { line, problem };
            let mut fields = text.split('\t');
            let feature = fields.next().unwrap_or_default();
            let mut weights = Vec::new();
            while let Some(class) = fields.next() {
                let known = class.parse::<u16>().ok().filter(|class| usize::from(*class) < classifier.classes.len());
                let class = known.ok_or_else(|| failed(format!("`{class}` is the number of no class")))?;
                let weight = fields.next().and_then(|weight| weight.parse::<i32>().ok());
                let weight = weight.ok_or_else(|| failed("a whole number is expected behind each class".to_owned()))?;
                weights.push((class, weight as f32 / 100.0));
            }
            if feature == "base" {
                weights.iter().for_each(|(class, weight)| classifier.base[usize::from(*class)] = *weight);
            } else {
                classifier.weights.insert(feature.to_owned(), weights);
            }
        }
        Ok(classifier)
    }

    /// The classes, in the order of [`Classifier::chances`].
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// How likely each class is where some features are seen: 0 to 1, all together 1.
    pub fn chances<'a>(&self, features: impl IntoIterator<Item = &'a str>) -> Vec<f32> {
        let mut sums = self.base.clone();
        for (class, weight) in features.into_iter().filter_map(|feature| self.weights.get(feature)).flatten() {
            sums[usize::from(*class)] += weight;
        }
        let most = sums.iter().copied().fold(f32::MIN, f32::max);
        sums.iter_mut().for_each(|sum| *sum = (*sum - most).exp());
        let all: f32 = sums.iter().sum();
        sums.iter_mut().for_each(|sum| *sum /= all);
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_cannot_be_read_are_named() {
        let check = |text: &str, line: usize, expected: &str| {
            let error = Classifier::read(text).unwrap_err();
            assert!(error.line == line && error.problem.contains(expected), "{error}");
        };
        check("owes\t0\t1", 1, "`classes`");
        check("classes\ta\n# a note\nowes\t1\t3", 3, "`1` is the number of no class");
        check("classes\ta\nowes\t0\tmuch", 2, "a whole number");
        assert!(Classifier::read("").unwrap().chances(["owes"]).is_empty());
    }
}
