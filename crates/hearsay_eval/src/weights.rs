//! Computes the weights of the evidence for and against extracted facts, from labelled sentences.
//!
//! A piece of evidence for or against a fact is called a *mark* of the fact. The confidence of a fact is a logistic
//! function of the sum of the weights of its marks. The weights are fitted by a logistic regression with ridge
//! regularization. The input is all extracted facts that are not marked as doubtful. Cross-validation measures the
//! result on scenes that were not used for fitting.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_extract::{Classifier, Language, SentenceEncoder};
use serde::Serialize;

use crate::{
    extraction::{Finding, Labelled, SceneSplit, findings, training_rows},
    learn::{Row, train},
};

/// Strength of the ridge regularization.
const RIDGE: f64 = 1.0;

/// Number of steps of Newton's method. The method converges in fewer steps.
const MAX_STEPS: usize = 30;

/// Minimum number of occurrences of a mark. A rarer mark gets no weight.
const MIN_OCCURRENCES: usize = 3;

/// Number of parts into which the scenes are divided. The facts of each part are extracted with classifiers that were
/// trained on the other parts.
const FOLDS: usize = 5;

/// Minimum confidence at which a fact is accepted without review.
const MIN_ACCEPTED: f64 = 0.7;

/// Fitted weights, with the figures of a cross-validation: each scene is measured with weights that were fitted to the
/// other scenes.
#[derive(Debug, Clone, Serialize)]
pub struct FittedWeights {
    /// The weight of each mark. The weight `base` applies to all facts.
    pub weights: BTreeMap<String, f64>,
    /// The number of facts to which the weights were fitted.
    pub n: usize,
    /// The share of the accepted facts in the cross-validation that match a labelled fact. Doubtful labelled facts do
    /// not count.
    pub precision: f64,
    /// The number of accepted facts in the cross-validation that match a labelled fact. Doubtful labelled facts do not
    /// count.
    pub right: usize,
    /// The mean logarithmic loss in the cross-validation.
    pub loss: f64,
}

/// Fits the weights to labelled sentences. Without `encoder`, the extractor uses no sentence vectors.
pub fn fit(labelled: &Labelled, encoder: Option<&dyn SentenceEncoder>) -> FittedWeights {
    let all = cross_validated_findings(labelled, encoder);
    let mut count: BTreeMap<&'static str, usize> = BTreeMap::new();
    for mark in all.iter().flat_map(|finding| &finding.marks) {
        *count.entry(mark).or_default() += 1;
    }
    let marks: Vec<&'static str> =
        count.iter().filter(|(_, count)| **count >= MIN_OCCURRENCES).map(|(mark, _)| *mark).collect();
    let scenes: BTreeSet<&str> = all.iter().map(|finding| finding.scene.as_str()).collect();
    let (mut accepted, mut right, mut loss) = (0usize, 0usize, 0.0);
    for scene in &scenes {
        let others: Vec<&Finding> = all.iter().filter(|finding| finding.scene != **scene).collect();
        let weights = regress(&others, &marks);
        for finding in all.iter().filter(|finding| finding.scene == **scene) {
            let confidence = confidence(&weights, finding, &marks);
            let likelihood = if finding.right { confidence } else { 1.0 - confidence };
            loss -= likelihood.max(1e-9).ln();
            if confidence >= MIN_ACCEPTED {
                accepted += 1;
                right += usize::from(finding.right);
            }
        }
    }
    let weights = regress(&all.iter().collect::<Vec<_>>(), &marks);
    let names = std::iter::once("base").chain(marks.iter().copied()).map(str::to_owned);
    FittedWeights {
        weights: names.zip(weights).collect(),
        n: all.len(),
        precision: right as f64 / accepted.max(1) as f64,
        right,
        loss: loss / all.len().max(1) as f64,
    }
}

/// Extracts the facts of each scene with classifiers that were trained on other scenes. A classifier would be too
/// accurate on the sentences that it was trained on.
fn cross_validated_findings(labelled: &Labelled, encoder: Option<&dyn SentenceEncoder>) -> Vec<Finding> {
    let rows = training_rows(labelled);
    let mut all = Vec::new();
    for fold in 0..FOLDS {
        let scenes: BTreeSet<&str> = labelled.scenes().skip(fold).step_by(FOLDS).collect();
        let classifier = |rows: &[Row]| {
            let others = rows.iter().filter(|row| !scenes.contains(row.scene.as_str()));
            // The output of `train` can always be read, so the default is never used.
            Classifier::parse(&train(others)).unwrap_or_default()
        };
        let language = Language::english().with_classifiers(
            classifier(&rows.pairs),
            classifier(&rows.values),
            classifier(&rows.meanings),
        );
        all.extend(findings(labelled, encoder, &SceneSplit { scenes, language }));
    }
    all
}

/// Returns the indices of the weights that apply to a finding: the base, and the weights of its marks.
fn features(finding: &Finding, marks: &[&'static str]) -> Vec<usize> {
    let mark_indices = finding.marks.iter().filter_map(|mark| marks.binary_search(mark).ok()).map(|at| at + 1);
    std::iter::once(0).chain(mark_indices).collect()
}

fn confidence(weights: &[f64], finding: &Finding, marks: &[&'static str]) -> f64 {
    let sum: f64 = features(finding, marks).into_iter().map(|at| weights[at]).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Fits weights by Newton's method on the logistic loss. All weights except the base are regularized.
fn regress(findings: &[&Finding], marks: &[&'static str]) -> Vec<f64> {
    let size = marks.len() + 1;
    let rows: Vec<(Vec<usize>, f64)> =
        findings.iter().map(|finding| (features(finding, marks), f64::from(u8::from(finding.right)))).collect();
    let mut weights = vec![0.0; size];
    for _ in 0..MAX_STEPS {
        let mut gradient = vec![0.0; size];
        let mut hessian = vec![vec![0.0; size]; size];
        for at in 0..size {
            let ridge = if at == 0 { 1e-6 } else { RIDGE };
            gradient[at] = -ridge * weights[at];
            hessian[at][at] = ridge;
        }
        for (features, right) in &rows {
            let sum: f64 = features.iter().map(|at| weights[*at]).sum();
            let confidence = 1.0 / (1.0 + (-sum).exp());
            for &at in features {
                gradient[at] += right - confidence;
                for &other in features {
                    hessian[at][other] += confidence * (1.0 - confidence);
                }
            }
        }
        for (weight, step) in weights.iter_mut().zip(solve(hessian, gradient)) {
            *weight += step.clamp(-2.0, 2.0);
        }
    }
    weights
}

/// Solves a system of linear equations by Gaussian elimination.
fn solve(mut matrix: Vec<Vec<f64>>, mut right_side: Vec<f64>) -> Vec<f64> {
    let size = right_side.len();
    for column in 0..size {
        let pivot = (column..size).max_by(|a, b| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs()));
        let pivot = pivot.unwrap_or(column);
        matrix.swap(column, pivot);
        right_side.swap(column, pivot);
        let pivot_value = matrix[column][column];
        if pivot_value.abs() < 1e-12 {
            continue;
        }
        let (pivot, pivot_right_side) = (matrix[column].clone(), right_side[column]);
        for (row, (values, value)) in matrix.iter_mut().zip(&mut right_side).enumerate() {
            let factor = values[column] / pivot_value;
            if row == column || factor == 0.0 {
                continue;
            }
            for (value, pivot) in values.iter_mut().zip(&pivot).skip(column) {
                *value -= factor * pivot;
            }
            *value -= factor * pivot_right_side;
        }
    }
    (0..size).map(|at| if matrix[at][at].abs() < 1e-12 { 0.0 } else { right_side[at] / matrix[at][at] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(marks: &[&'static str], right: bool) -> Finding {
        Finding { scene: "s".into(), marks: marks.to_vec(), right }
    }

    #[test]
    fn weights_say_how_often_a_mark_is_right() {
        let mut all = Vec::new();
        for at in 0..100 {
            all.push(finding(&["strong"], at % 10 != 0));
            all.push(finding(&["weak"], at % 4 == 0));
        }
        let marks = ["strong", "weak"];
        let weights = regress(&all.iter().collect::<Vec<_>>(), &marks);
        let check = |mark: &'static str, expected: f64| {
            let actual = confidence(&weights, &finding(&[mark], true), &marks);
            assert!((actual - expected).abs() < 0.03, "{mark}: {actual}");
        };
        check("strong", 0.9);
        check("weak", 0.25);
    }
}
