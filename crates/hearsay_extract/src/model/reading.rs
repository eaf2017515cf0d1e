//! Results of the reading model for a line.

use std::ops::Range;

use crate::entities::mentions::EntityRef;

/// Results for one line.
#[derive(Debug)]
pub(crate) struct LineReading {
    /// Index of the line in the document.
    pub(crate) line: usize,
    /// Probabilities that the line is narration, in character, or out of character.
    pub(crate) talk_probabilities: [f32; 3],
    pub(crate) statements: Vec<DecodedStatement>,
}

/// A statement that the model found in a line.
#[derive(Debug, Clone)]
pub(crate) struct DecodedStatement {
    /// Range of the words of the statement.
    pub(crate) words: Range<usize>,
    /// Probability that a statement begins at the first word.
    pub(crate) begin_probability: f32,
    /// Mean probability that the other words continue the statement.
    pub(crate) continue_probability: f32,
    /// Logit of the model's own judgement whether the statement is right.
    pub(crate) correctness_logit: f32,
    /// Probability of each assertion status, in the order of [`Factuality::ALL`](hearsay_model::Factuality::ALL).
    pub(crate) status_probabilities: [f32; 5],
    /// Entity that the statement is about; [`Referent::Explicit`] if the words of the statement contain it.
    pub(crate) subject: LikelyReferent,
    /// Character who makes the statement.
    pub(crate) stated_by: LikelyReferent,
    /// Pronouns and descriptions in the statement, in order.
    pub(crate) references: Vec<Reference>,
}

/// A pronoun or description that refers to an entity.
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    pub(crate) words: Range<usize>,
    pub(crate) likely_referent: LikelyReferent,
}

/// The most likely referent of a reference, with its probability.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LikelyReferent {
    pub(crate) referent: Referent,
    pub(crate) probability: f32,
}

/// The entity to which a reference refers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Referent {
    /// An entity with a name.
    Named(EntityRef),
    /// The players' characters.
    Party,
    /// A person or thing without a name.
    Other,
    /// The words of the statement name the entity.
    Explicit,
}
