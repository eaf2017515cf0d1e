//! Vectors of statements that the search index does not contain yet.

use std::collections::BTreeSet;

/// Returns each statement once, in ascending order.
pub(crate) fn distinct<'s>(statements: impl Iterator<Item = &'s str>) -> Vec<&'s str> {
    statements.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Vectors of distinct statements in ascending order.
pub(crate) struct StatementVectors<'v> {
    statements: Vec<String>,
    vectors: &'v [Vec<f32>],
}

impl<'v> StatementVectors<'v> {
    /// Pairs each of the [`distinct`] statements with its vector. The vectors are in the order of the statements.
    pub(crate) fn new(statements: &[&str], vectors: &'v [Vec<f32>]) -> Self {
        Self { statements: statements.iter().map(|statement| (*statement).to_owned()).collect(), vectors }
    }

    /// Returns the vector of a statement; `None` if the statement has no vector.
    pub(crate) fn get(&self, statement: &str) -> Option<&'v [f32]> {
        let at = self.statements.binary_search_by(|other| other.as_str().cmp(statement)).ok()?;
        self.vectors.get(at).map(Vec::as_slice)
    }
}

/// Returns the cosine of two vectors with the Euclidean norm 1.
pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
