//! Readings that give way to others of the same words.

use crate::{
    facts::{ExtractedFact, Stated},
    values::overlap,
};

/// A guess that is less likely than this gives way to what is surer than that.
const GUESS: f64 = 0.5;
const SURE: f64 = 0.85;

/// How many bytes of a text belong together.
const NEAR: usize = 300;

/// A fact with what speaks for it and against it.
#[derive(Debug, Clone)]
pub(crate) struct Marked {
    pub(crate) fact: ExtractedFact,
    pub(crate) marks: Vec<&'static str>,
    /// Whether nothing but its marks decides how sure it is.
    pub(crate) weighed: bool,
}

impl Marked {
    /// Whether it was only guessed.
    pub(crate) fn is_guess(&self) -> bool {
        self.marks.contains(&"loose")
    }
}

/// Drops guesses about what was read already, of the same two or in the same words, and what is so, where it is also said to be over.
/// The facts stand in the order of their words.
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

/// Whether a fact gives way to another.
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
