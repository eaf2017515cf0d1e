//! Stages of the extraction.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Stage of the extraction that found a fact in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtractionStage {
    /// The reading model, a small neural network, found a statement.
    Statements,
    /// The patterns found a relation or attribute in the sentence of a statement.
    StatementPatterns,
    /// The patterns matched the verb of a clause, or the words after "is".
    Clauses,
    /// The patterns matched a description next to a name: "Odo, the miller", "her brother Pell".
    Appositions,
    /// The patterns matched a field with a label: "Occupation: miller".
    Fields,
    /// The patterns matched a noun that relates two entities: "Odo's debt to Bram".
    RelationalNouns,
    /// Rules proposed a relation between two entities of a clause.
    RelationCandidates,
    /// Rules proposed words of a clause or a note as an attribute.
    AttributeCandidates,
    /// Rules proposed a modifier, such as a trailing phrase, as an attribute.
    ModifierCandidates,
    /// Rules proposed a fact because of a keyword, such as a unit of money.
    KeywordCandidates,
    /// Classifiers that were trained on labelled sentences proposed a fact.
    Classifiers,
    /// The sentence encoder found that a sentence is similar to examples of a relation.
    SentenceSimilarity,
    /// A language model found the fact.
    LanguageModel,
}

impl ExtractionStage {
    /// All stages.
    pub const ALL: [Self; 13] = [
        Self::Statements,
        Self::StatementPatterns,
        Self::Clauses,
        Self::Appositions,
        Self::Fields,
        Self::RelationalNouns,
        Self::RelationCandidates,
        Self::AttributeCandidates,
        Self::ModifierCandidates,
        Self::KeywordCandidates,
        Self::Classifiers,
        Self::SentenceSimilarity,
        Self::LanguageModel,
    ];

    /// Returns the name of the stage as lowercase text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Statements => "statements",
            Self::StatementPatterns => "statement patterns",
            Self::Clauses => "clauses",
            Self::Appositions => "appositions",
            Self::Fields => "fields",
            Self::RelationalNouns => "relational nouns",
            Self::RelationCandidates => "relation candidates",
            Self::AttributeCandidates => "attribute candidates",
            Self::ModifierCandidates => "modifier candidates",
            Self::KeywordCandidates => "keyword candidates",
            Self::Classifiers => "classifiers",
            Self::SentenceSimilarity => "sentence similarity",
            Self::LanguageModel => "language model",
        }
    }
}

impl fmt::Display for ExtractionStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
