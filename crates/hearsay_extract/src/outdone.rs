//! Removes facts that are replaced by better readings of the same words.

use crate::{
    facts::{ExtractedFact, Stated},
    values::overlap,
};

/// A loosely read fact with a confidence below `GUESS` is dropped if a better reading has at least the confidence
/// `SURE`.
const GUESS: f64 = 0.5;
const SURE: f64 = 0.85;

/// Maximum distance in bytes between the starts of two facts that are compared.
const NEAR: usize = 300;

/// Fact with the names of the weights that determine its confidence.
#[derive(Debug, Clone)]
pub(crate) struct Marked {
    pub(crate) fact: ExtractedFact,
    pub(crate) marks: Vec<&'static str>,
    /// Whether the marks alone determine the confidence.
    pub(crate) weighed: bool,
}

impl Marked {
    /// Returns whether the fact was read loosely, without a pattern that matches exactly.
    pub(crate) fn is_guess(&self) -> bool {
        self.marks.contains(&"loose")
    }
}

/// Drops a loosely read fact if a better reading relates the same two entities or uses the same words. Also drops a
/// fact if another statement says that it is over.
///
/// The facts must be sorted by their position in the text.
pub(crate) fn drop(facts: &mut Vec<Marked>) {
    let start = |at: usize| facts[at].fact.span.start;
    let mut first = 0;
    let mut gone = vec![false; facts.len()];
    for at in 0..facts.len() {
        while start(first) + NEAR < start(at) {
            first += 1;
        }
        for other in first..at {
            gone[at] |= gives_way(&facts[at], &facts[other].fact);
            gone[other] |= gives_way(&facts[other], &facts[at].fact);
        }
    }
    let mut gone = gone.into_iter();
    facts.retain(|_| gone.next() == Some(false));
}

/// Returns whether a fact is dropped because of another fact.
fn gives_way(marked: &Marked, other: &ExtractedFact) -> bool {
    let fact = &marked.fact;
    let sure = other.confidence.get();
    if other.denied {
        return false;
    }
    let same = (&fact.subject, &fact.predicate, &fact.object) == (&other.subject, &other.predicate, &other.object);
    if same && other.over && !fact.over && sure >= GUESS {
        return true;
    }
    marked.is_guess()
        && fact.confidence.get() < GUESS
        && sure >= SURE
        && match (&other.object, &fact.object) {
            (Stated::Entity(a), Stated::Entity(b)) => {
                (&other.subject, a) == (&fact.subject, b) || (a, &other.subject) == (&fact.subject, b)
            }
            (Stated::Value(a), Stated::Value(b)) => {
                let apart = fact.span.end <= other.span.start || other.span.end <= fact.span.start;
                (!apart || fact.subject == other.subject) && overlap(a, b)
            }
            _ => false,
        }
}
