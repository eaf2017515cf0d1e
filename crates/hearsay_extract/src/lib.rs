//! Extracts proposed facts from texts without a language model: with words, patterns and small classifiers, and with the
//! [reading model](ReadingModel), a small neural network that finds statements in real table talk.
//!
//! The crate `hearsay_llm` extracts facts with a language model.
//!
//! ```
//! use hearsay_extract::{Extractor, Language, Lexicon, Text, TextType};
//! use hearsay_model::*;
//!
//! let mut state = State::default();
//! let mut changes = Vec::new();
//! for (id, name, kind) in [("bram", "Bram", "npc"), ("odo-brandt", "Odo Brandt", "npc")] {
//!     let id = EntityId::new(id)?;
//!     changes.push(Change::AddEntity(Entity::new(id.clone())));
//!     for (attribute, value) in [("name", name), ("kind", kind)] {
//!         let fact = Fact::attribute(&id, attribute, value, Provenance::new(Method::Authored, Author::Dm))?;
//!         changes.push(Change::AssertFact(fact.build()?.into()));
//!     }
//! }
//! state.apply(Operation::new(Author::Dm, "people", changes))?;
//!
//! let extractor = Extractor::new(Language::english(), Vocabulary::default());
//! let lexicon = Lexicon::from_state(&state);
//! let found = extractor.extract(&lexicon, &Text::new("Bram still works for Odo.", TextType::Narration));
//! assert_eq!(found.facts[0].statement, "Bram works for Odo Brandt.");
//! assert!(found.facts[0].confidence.get() > 0.7);
//!
//! let found = extractor.extract(&lexicon, &Text::new("Maybe Bram works for Odo.", TextType::Narration));
//! assert!(found.facts[0].confidence.get() < 0.7, "a guess waits for review");
//! assert_eq!(found.facts[0].cues[0].to_string(), "hedged by `Maybe`");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a text is read
//!
//! 1. The extractor splits the text into paragraphs, sentences and quotations of limited length. [`Extraction`] lists
//!    all results in the order of the text.
//! 2. The extractor finds names as whole words, in exact or similar spelling. If several entities have the same name,
//!    the extractor uses the scene to choose one of them. If words look like a name but belong to no entity, they
//!    become a [`NewEntity`].
//! 3. A hand-written shallow grammar finds noun groups, verb groups and clauses.
//! 4. Cues mark doubtful sentences: guesses, hearsay, questions, plans, wishes, talk about the game, and text that
//!    gives instructions to the program.
//! 5. The tables of the [`Language`] and the vocabulary list the verbs, nouns, adjectives and phrases that state a
//!    relation or an attribute.
//! 6. Classifiers that were trained on labelled sentences ([`Classifier`]) raise or lower the confidence of the facts
//!    that match these tables. The classifiers also propose facts that match no table. They also detect facts that are
//!    no longer true or are doubtful, even without a cue.
//!
//! The files in `data/english` and the vocabulary contain the words. A campaign can add its own words, either in the
//! definitions of its relations or with [`Language::with`].
//!
//! # Guarantees
//!
//! - **Every fact has a quotation.** [`ExtractedFact::quote`] is the text at [`ExtractedFact::span`].
//! - **Doubtful facts wait for the DM.** The confidence of hedged statements, hearsay and sarcasm stays below 0.7. The
//!   confidence of facts from a sentence that addresses the program stays below 0.7 too. The sentences before and after
//!   such a sentence are read as usual. This limit applies to facts that the patterns find, to statements that the
//!   reading model finds, and to facts that the patterns find in such a statement.
//! - **Extraction is pure.** It uses no I/O, no clock and no threads. The same text gives the same facts, and the
//!   running time grows with the length of the text.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod assertion;
mod candidates;
mod entities;
mod facts;
pub mod fuzz;
mod language;
mod model;
mod pipeline;
mod relations;
mod sentence_reader;
mod statements;
mod syntax;
#[cfg(test)]
mod tests;
mod text;

pub use entities::lexicon::{EntityNames, Lexicon, LexiconEntity, subject_pronoun};
pub use entities::nicknames::{Nickname, find_nicknames};
pub use facts::{
    Cue, CueKind, ExtractedFact, Extraction, FactObject, Mention, NameOccurrence, NewEntity, SentenceEncoder, Text,
    TextType,
};
pub use language::Language;
pub use language::classifier::{Classifier, ClassifierError};
pub use language::function_words::{is_anaphor, is_pronoun, replace_group_pronouns};
pub use language::language_file::LanguageError;
pub use model::entailment::{ENTAILMENT_MODEL, Entailment, EntailmentModel, SpokenReply};
pub use model::{FEATURE_NAMES, READING_MODEL, ReadingModel, WindowSize};
pub use pipeline::spoken_sentences::SpokenSentence;
pub use pipeline::{Extractor, TrainingExample, TrainingExtraction};
pub use sentence_reader::cues::SentenceCues;
pub use statements::{LineStatements, ModelStatement, StatementFeatures, TalkProbabilities};
pub use text::document::{DocumentLine, LineRole};
