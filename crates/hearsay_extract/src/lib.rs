//! Text in, proposed facts out: by words and patterns, without a language model; with one too, if there is one (feature `llm`,
//! module `llm`).
//!
//! ```
//! use hearsay_extract::{Extractor, Form, Language, Lexicon, Text};
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
//! let lexicon = Lexicon::of(&state);
//! let found = extractor.extract(&lexicon, &Text::new("Bram still works for Odo.", Form::Narration));
//! assert_eq!(found.facts[0].statement, "Bram works for Odo Brandt.");
//! assert!(found.facts[0].confidence.get() > 0.7);
//!
//! let found = extractor.extract(&lexicon, &Text::new("Maybe Bram works for Odo.", Form::Narration));
//! assert!(found.facts[0].confidence.get() < 0.7, "a guess waits for review");
//! assert_eq!(found.facts[0].cues[0].to_string(), "hedged by `Maybe`");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a text is read
//!
//! 1. Paragraphs, sentences and quotes of bounded length ([`Extraction`] has everything in the order of the text).
//! 2. Names: whole words, rightly spelt or nearly so; the scene tells which of several is meant; what looks like a name and
//!    is nobody's becomes a [`NewEntity`].
//! 3. Noun groups, verb groups and clauses: a shallow grammar, written by hand.
//! 4. Cues: guesses, hearsay, questions, plans, wishes, talk about the game, and text that speaks to the program.
//! 5. Verbs, nouns, adjectives and phrases that state a relation or an attribute, from the [`Language`]'s tables.
//! 6. What was learned from labelled sentences ([`Classifier`]): it makes what was read surer or less sure, proposes what no
//!    pattern reads, and sees what is over or doubtful though no cue says so.
//!
//! The words are data: `data/english`, to which a campaign adds its own with [`Language::with`].
//!
//! # Guarantees
//!
//! - **Every fact quotes its words.** [`ExtractedFact::quote`] is the text at [`ExtractedFact::span`].
//! - **Doubtful facts wait for the DM.** The confidence of hedged statements, hearsay and sarcasm stays below 0.7. The same
//!   applies to a sentence with words that speak to the program; the sentences around it are read as usual.
//! - **Pure.** No I/O, no clock, no threads; the same text gives the same facts. Time grows with the length of the text.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod acts;
mod asides;
mod attribution;
mod being;
mod beside;
mod between;
mod classifier;
mod clauses;
mod clefts;
mod cues;
mod document;
mod extract;
mod facts;
mod fields;
mod figures;
mod frames;
pub mod fuzz;
mod grammar;
mod hints;
mod kinds;
mod labels;
mod language;
mod lexicon;
#[cfg(feature = "llm")]
pub mod llm;
mod loose;
mod meaning;
mod meant;
mod memory;
mod mentions;
mod mode;
mod model;
mod nouns;
mod outdone;
mod over;
mod parse;
mod patterns;
mod read;
mod smooth;
mod split;
mod statements;
#[cfg(test)]
mod tests;
mod ties;
mod token;
mod traits;
mod values;
mod verb_groups;
mod verbs;

pub use classifier::{Classifier, ClassifierError};
pub use document::{DocumentLine, LineRole};
pub use extract::{Extractor, Sight, Weighed};
pub use facts::{Cue, CueKind, ExtractedFact, Extraction, Form, Mention, Naming, NewEntity, Stated, Text};
pub use language::{Language, LanguageError};
pub use lexicon::Lexicon;
pub use meaning::Meaning;
pub use model::{READING_MODEL, ReadingModel};
pub use statements::{FEATURES, Features, LineStatements, Statement, Talk};
