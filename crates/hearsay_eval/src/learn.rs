//! Trains the extractor's classifiers from labelled sentences. There are classifiers for relations, for attributes, and
//! for past or doubtful statements. Each is a multinomial logistic regression on the surrounding words. It is trained
//! by stochastic gradient descent with an adaptive step for each weight (Duchi, Hazan and Singer, "Adaptive Subgradient
//! Methods for Online Learning and Stochastic Optimization", 2011).

use std::{collections::BTreeMap, fmt::Write};

use crate::Random;

/// Strength of the regularization of weights.
const RIDGE: f32 = 0.33;

/// `STEP` is the size of the first gradient step. `EPOCHS` is the number of passes over all rows.
const STEP: f32 = 0.2;
const EPOCHS: usize = 25;

/// A feature gets a weight only if it occurs at least `MIN_OCCURRENCES` times. A weight is stored only if its absolute
/// value is at least `MIN_WEIGHT`.
const MIN_OCCURRENCES: usize = 3;
const MIN_WEIGHT: f32 = 0.15;

/// Training data of the three classifiers.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// Examples for relations: pairs of entities in one sentence.
    pub pairs: Vec<Row>,
    /// Examples for attributes: entities, each with words that may be the value of an attribute.
    pub values: Vec<Row>,
    /// Examples for past or doubtful statements: extracted facts, each with its assertion status.
    pub meanings: Vec<Row>,
}

/// A training example: the features of an input, and its correct class.
#[derive(Debug, Clone)]
pub struct Row {
    /// The name of the scene from which the example comes.
    pub scene: String,
    /// The names of the features that the input has, such as the kinds of the entities and the words between them.
    pub features: Vec<String>,
    /// The correct class. `-` means that no class applies. In [`Rows::pairs`], the class is a relation, followed by `>`
    /// if the first entity is the subject or by `<` if the second entity is the subject. In [`Rows::values`], the class
    /// is an attribute. In [`Rows::meanings`], the class is `over` or `doubt`.
    pub class: String,
}

/// Trains a classifier from the given examples. Returns the contents of the classifier's data file, which
/// `hearsay_extract` reads.
pub fn train<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> String {
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut occurrences: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows.clone() {
        classes.entry(&row.class).or_default();
        for feature in &row.features {
            *occurrences.entry(feature).or_default() += 1;
        }
    }
    classes.values_mut().zip(0..).for_each(|(at, index)| *at = index);
    occurrences.retain(|_, counts| *counts >= MIN_OCCURRENCES);
    let features: BTreeMap<&str, usize> = std::iter::once("base").chain(occurrences.keys().copied()).zip(0..).collect();
    let counts: Vec<f32> = std::iter::once(f32::MAX).chain(occurrences.values().map(|counts| *counts as f32)).collect();
    let rows: Vec<(Vec<usize>, usize)> = rows
        .map(|row| {
            let row_features = row.features.iter().filter_map(|feature| features.get(feature.as_str()).copied());
            (std::iter::once(0).chain(row_features).collect(), classes[row.class.as_str()])
        })
        .collect();
    let weights = train_weights(&rows, &counts, classes.len());
    let mut file = String::from("classes");
    classes.keys().for_each(|class| file.extend(["\t", class]));
    file.push('\n');
    let names = std::iter::once("base").chain(occurrences.keys().copied());
    for (name, weights) in names.zip(weights.chunks(classes.len().max(1))) {
        let relevant = weights.iter().enumerate().filter(|(_, weight)| weight.abs() >= MIN_WEIGHT || name == "base");
        let mut line = String::new();
        for (class, weight) in relevant {
            // Writing to a string does not fail.
            let _ = write!(line, "\t{class}\t{:.0}", weight * 100.0);
        }
        if !line.is_empty() {
            file.extend([name, &line, "\n"]);
        }
    }
    file
}

/// Returns the weights of all features. Each feature has one weight per class.
fn train_weights(rows: &[(Vec<usize>, usize)], counts: &[f32], classes: usize) -> Vec<f32> {
    let mut weights = vec![0.0f32; counts.len() * classes];
    let mut squares = vec![1e-6f32; weights.len()];
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut random = Random::new(1, 0);
    let mut probabilities = vec![0.0f32; classes];
    for epoch in 0..EPOCHS {
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at + 1));
        }
        let step = STEP * (1.0 - epoch as f32 / EPOCHS as f32);
        for (features, class) in order.iter().map(|at| &rows[*at]) {
            probabilities.fill(0.0);
            for feature in features {
                let feature_weights = &weights[feature * classes..(feature + 1) * classes];
                probabilities.iter_mut().zip(feature_weights).for_each(|(sum, weight)| *sum += weight);
            }
            let max = probabilities.iter().copied().fold(f32::MIN, f32::max);
            probabilities.iter_mut().for_each(|sum| *sum = (*sum - max).exp());
            let total: f32 = probabilities.iter().sum();
            probabilities.iter_mut().for_each(|sum| *sum /= total);
            probabilities[*class] -= 1.0;
            for feature in features {
                let ridge = RIDGE / counts[*feature];
                let range = feature * classes..(feature + 1) * classes;
                let feature_weights = weights[range.clone()].iter_mut().zip(&mut squares[range]);
                for ((weight, square), error) in feature_weights.zip(&probabilities) {
                    let gradient = error + ridge * *weight;
                    *square += gradient * gradient;
                    *weight -= step * gradient / square.sqrt();
                }
            }
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use hearsay_extract::Classifier;

    use super::*;

    #[test]
    fn what_is_learned_is_told_apart() {
        let row = |features: &[&str], class: &str| Row {
            scene: "s".into(),
            features: features.iter().map(|feature| (*feature).to_owned()).collect(),
            class: class.into(),
        };
        let mut rows = Vec::new();
        for at in 0..20 {
            rows.push(row(&["m:owe", "k:PP"], "OWES>"));
            rows.push(row(&["m:and", "k:PP"], if at == 0 { "OWES>" } else { "-" }));
        }
        let classifier = Classifier::parse(&train(rows.iter())).unwrap();
        let owes = classifier.classes().iter().position(|class| class == "OWES>").unwrap();
        assert!(classifier.probabilities(["m:owe", "k:PP"])[owes] > 0.9);
        assert!(classifier.probabilities(["m:and", "k:PP"])[owes] < 0.2);
    }
}
