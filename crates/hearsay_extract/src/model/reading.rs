//! What the model finds in a line.

use std::ops::Range;

use crate::mentions::Who;

/// Findings in one line.
#[derive(Debug)]
pub(crate) struct LineReading {
    /// Index of the line in the document.
    pub(crate) line: usize,
    /// Probability that the line is narration, in character, or out of character.
    pub(crate) talk: [f32; 3],
    pub(crate) statements: Vec<Found>,
}

/// Whether a statement is said to be true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// It happened or is so.
    Asserted,
    /// It is said not to be so.
    Negated,
    /// It is intended, promised or ordered, and not done yet.
    Planned,
    /// It is a guess, a rumour, a condition or a question.
    Hedged,
    /// It was so, and is so no longer.
    Ended,
}

impl Status {
    pub(crate) const ALL: [Self; 5] = [Self::Asserted, Self::Negated, Self::Planned, Self::Hedged, Self::Ended];
}

/// A statement in a line.
#[derive(Debug)]
pub(crate) struct Found {
    /// Words of the statement.
    pub(crate) words: Range<usize>,
    /// Probability that a statement begins at the first word.
    pub(crate) begins: f32,
    /// Mean probability that the other words belong to it.
    pub(crate) continues: f32,
    /// Probability of each [`Status`].
    pub(crate) status: [f32; 5],
    /// The entity that the statement is about, if its words do not contain it.
    pub(crate) subject: Meant,
    /// The character who says so.
    pub(crate) by: Meant,
    /// Pronouns and descriptions in the statement, in order.
    pub(crate) references: Vec<Reference>,
}

/// A pronoun or a description.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) words: Range<usize>,
    pub(crate) meant: Meant,
}

/// The most likely meaning of a reference, with its probability.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meant {
    pub(crate) referent: Referent,
    pub(crate) probability: f32,
}

/// The meaning of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Referent {
    /// An entity with a name.
    Named(Who),
    /// The characters of the players.
    Party,
    /// Somebody or something without a name.
    Other,
    /// The words themselves say it.
    Own,
}
