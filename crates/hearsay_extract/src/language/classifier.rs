//! Multinomial logistic regression: the probability of each class for a set of features.

use rustc_hash::FxHashMap;
use thiserror::Error;

/// Error: the text of a classifier is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line} of the classifier's data is invalid: {problem}")]
pub struct ClassifierError {
    /// Line number, starting at 1.
    pub line: usize,
    /// Description of the problem and of the expected content.
    pub problem: String,
}

/// Classifier with a weight for each pair of a feature and a class.
///
/// A classifier is read from text with fields separated by tabs. The first line contains `classes` and the name of each
/// class. Every other line contains a feature, followed by pairs of a class number (starting at 0) and a weight in
/// hundredths. The weights of the feature `base` always apply. Empty lines and lines that begin with `#` are ignored.
///
/// ```
/// use hearsay_extract::Classifier;
///
/// let classifier = Classifier::parse("classes\tno\tyes\nbase\t0\t50\nowes\t1\t250")?;
/// assert!(classifier.probabilities(["owes"])[1] > 0.8);
/// assert!(classifier.probabilities(["sings"])[1] < 0.5);
/// # Ok::<(), hearsay_extract::ClassifierError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Classifier {
    classes: Vec<String>,
    base: Vec<f32>,
    weights: FxHashMap<String, Vec<(u16, f32)>>,
}

impl Classifier {
    /// Reads a classifier from text. If the text is empty, the classifier has no classes.
    ///
    /// # Errors
    /// Returns an error with the line number if a line does not have the format that [`Classifier`] describes.
    pub fn parse(text: &str) -> Result<Self, ClassifierError> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let Some((line, first)) = lines.next() else { return Ok(Self::default()) };
        let mut names = first.split('\t');
        if names.next() != Some("classes") {
            let problem = "expected `classes` and the names of the classes first, separated by tabs".to_owned();
            return Err(ClassifierError { line, problem });
        }
        let classes: Vec<String> = names.map(str::to_owned).collect();
        let mut classifier = Self { base: vec![0.0; classes.len()], classes, weights: FxHashMap::default() };
        for (line, text) in lines {
            let to_error = |problem: String| ClassifierError { line, problem };
            let mut fields = text.split('\t');
            let feature = fields.next().unwrap_or_default();
            let mut weights = Vec::new();
            while let Some(class) = fields.next() {
                let known = class.parse::<u16>().ok().filter(|class| usize::from(*class) < classifier.classes.len());
                let class = known.ok_or_else(|| to_error(format!("`{class}` is not the number of a class")))?;
                let weight = fields.next().and_then(|weight| weight.parse::<i32>().ok());
                let weight = weight.ok_or_else(|| to_error("expected a whole number after each class".to_owned()))?;
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

    /// Returns the names of the classes, in the order of [`Classifier::probabilities`].
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// Returns the probability of each class for a set of features. The order is the same as in
    /// [`Classifier::classes`].
    ///
    /// Each probability is from 0 to 1, and their sum is 1. Unknown features are ignored.
    pub fn probabilities<'a>(&self, features: impl IntoIterator<Item = &'a str>) -> Vec<f32> {
        let mut scores = self.base.clone();
        for (class, weight) in features.into_iter().filter_map(|feature| self.weights.get(feature)).flatten() {
            scores[usize::from(*class)] += weight;
        }
        let max = scores.iter().copied().fold(f32::MIN, f32::max);
        scores.iter_mut().for_each(|sum| *sum = (*sum - max).exp());
        let total: f32 = scores.iter().sum();
        scores.iter_mut().for_each(|sum| *sum /= total);
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_cannot_be_read_are_named() {
        let check = |text: &str, line: usize, expected: &str| {
            let error = Classifier::parse(text).unwrap_err();
            assert!(error.line == line && error.problem.contains(expected), "{error}");
        };
        check("owes\t0\t1", 1, "`classes`");
        check("classes\ta\n# a note\nowes\t1\t3", 3, "`1` is not the number of a class");
        check("classes\ta\nowes\t0\tmuch", 2, "a whole number");
        assert!(Classifier::parse("").unwrap().probabilities(["owes"]).is_empty());
    }
}
