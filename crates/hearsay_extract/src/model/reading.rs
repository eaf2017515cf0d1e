//! Results of the reading model for a line.

use std::ops::Range;

use crate::mentions::Who;

/// Results for one line.
#[derive(Debug)]
pub(crate) struct LineReading {
    /// Index of the line in the document.
    pub(crate) line: usize,
    /// Probabilities that the line is narration, in character, or out of character.
    pub(crate) talk: [f32; 3],
    pub(crate) statements: Vec<Found>,
}

/// Assertion status of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// The text says that the statement is true.
    Asserted,
    /// The text says that the statement is not true.
    Negated,
    /// The text says that something is intended, promised or ordered, but not done yet.
    Planned,
    /// The statement is a guess, a rumour, a condition or a question.
    Hedged,
    /// The statement was true and is no longer true.
    Ended,
}

impl Status {
    pub(crate) const ALL: [Self; 5] = [Self::Asserted, Self::Negated, Self::Planned, Self::Hedged, Self::Ended];
}

/// A statement that the model found in a line.
#[derive(Debug)]
pub(crate) struct Found {
    /// Range of the words of the statement.
    pub(crate) words: Range<usize>,
    /// Probability that a statement begins at the first word.
    pub(crate) begins: f32,
    /// Mean probability that the other words continue the statement.
    pub(crate) continues: f32,
    /// Logit of the model's own judgement whether the statement is right.
    pub(crate) right: f32,
    /// Probability of each [`Status`].
    pub(crate) status: [f32; 5],
    /// Entity that the statement is about; [`Referent::Own`] if the words of the statement contain it.
    pub(crate) subject: Meant,
    /// Character who makes the statement.
    pub(crate) by: Meant,
    /// Pronouns and descriptions in the statement, in order.
    pub(crate) references: Vec<Reference>,
}

/// A pronoun or description that refers to an entity.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) words: Range<usize>,
    pub(crate) meant: Meant,
}

/// The most likely referent of a reference, with its probability.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meant {
    pub(crate) referent: Referent,
    pub(crate) probability: f32,
}

/// The entity to which a reference refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Referent {
    /// An entity with a name.
    Named(Who),
    /// The players' characters.
    Party,
    /// A person or thing without a name.
    Other,
    /// The words of the statement themselves name it.
    Own,
}
