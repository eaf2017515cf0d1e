//! Knowledge and belief of characters: who knows what, from whom, and how surely.
//!
//! A [`View`] holds everything that one knower knows at a moment of game time: the facts that it learned itself, the
//! facts that its groups and its place of residence know, and common lore. Every text that Hearsay produces for a
//! character is made from the character's view only. Therefore no fact that the character cannot know reaches it.
//!
//! # Example
//!
//! ```
//! use hearsay_belief::{Occasion, View, chains, learn};
//! use hearsay_model::*;
//! use std::sync::Arc;
//!
//! let ids = ["ann", "bob", "cid", "mill"].map(|id| EntityId::new(id).unwrap());
//! let [ann, bob, cid, mill] = &ids;
//! let mut state = State::default();
//! let add = ids.iter().map(|id| Change::AddEntity(Entity::new(id.clone()))).collect();
//! state.apply(Operation::new(Author::Dm, "people and a mill", add))?;
//!
//! // Ann sees the mill burn, and tells Bob, who tells Cid.
//! let burned = Fact::attribute(mill, "lore", "The mill burned.", Provenance::new(Method::Witnessed, Author::Game))?;
//! let burned = Arc::new(burned.statement("The mill burned.").build()?);
//! let at = |minute| Occasion { time: Some(Date::at(GameTime(minute))), ..Occasion::default() };
//! let seen = learn::witness(&state, &[Arc::clone(&burned)], std::slice::from_ref(ann), &at(10))?;
//! state.apply(Operation::new(Author::Game, "a fire", seen.changes))?;
//! for (minute, teller, hearer) in [(20, ann, bob), (30, bob, cid)] {
//!     let telling = learn::Telling::new(teller, std::slice::from_ref(hearer), &burned);
//!     let told = learn::tell(&state, &telling, &at(minute))?;
//!     state.apply(Operation::new(Author::Game, "a rumour", told.changes))?;
//! }
//!
//! // Each retelling costs belief, and the chain leads back to the one who was there.
//! let view = View::of(&state, &cid.clone().into(), None);
//! let known = view.fact(burned.id()).unwrap();
//! assert!((known.credence().get() - (0.6 * 0.9_f64).powi(2)).abs() < 1e-9);
//! let chain = chains(&state, known);
//! assert_eq!(chain[0].origins()[0].edge.knower, Knower::from(ann.clone()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Overview
//!
//! | question | answer |
//! |---|---|
//! | What does a character know at a moment? | [`View::of`] |
//! | How does it learn? | [`learn`]: witness, say, tell, read, deduce, refute |
//! | How surely does it believe a fact? | [`combine`] and [`Weigher`], which state the formulas; [`Trust`] |
//! | What does it believe about a subject, and what contradicts that? | [`View::believes`], [`View::belief`] |
//! | What does it think that another knows? | [`View::attributed`], [`View::thinks_believes`] |
//! | How does it know a fact, and what does a withdrawal change? | [`chains`], [`retraction_impact`] |
//! | How does news spread? | [`gossip`] |
//! | May a secret be told now? | [`judge`], [`revealable`] |
//! | Who knows a fact that is not marked? | [`default_audience`] |
//!
//! # Data that belief never reads
//!
//! A view never reads whether the campaign treats a fact as true: not its status, not the end of its validity, not the
//! confidence of its extraction. [`Known`] gives no access to them. A character learns that something ended or was
//! untrue in the same way as anything else: as a fact. (Proposed and rejected facts are not part of the world; the
//! state treats their edges as inactive.)
//!
//! Membership and residence are structure, not belief. They count only while they are canon, and only if the member
//! itself knows of them.
//!
//! # Guarantees
//!
//! - **Exact withdrawal.** Withdrawing an observation gives the same state as if the knower had never made it, for
//!   every knower that had the fact from there, trust included. (Trust counts the latest 16 testimonies of a teller.)
//! - **As-of is replay.** A view as of a moment equals the view of the journal's state at that moment, if facts were
//!   recorded when they were learned.
//! - **Tested against a reference.** A property test compares the view with a naive implementation that visits every
//!   edge.
//! - **Pure.** No I/O, no clock, and no randomness except from a given seed.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod audience;
mod believe;
mod credence;
mod derivation;
pub mod gossip;
pub mod learn;
mod occasion;
mod reveal;
mod trust;
mod view;
#[cfg(test)]
mod world;

pub use audience::{Surroundings, default_audience};
pub use believe::{Attributed, BELIEVED, Belief, Hold, Reason};
pub use credence::{FIRST_IMPRESSION, RETELLING, Weighed, Weigher, combine};
pub use derivation::{DerivationStep, RetractionImpact, chains, retraction_impact, withdrawal};
pub use occasion::{Occasion, is_dead, present};
pub use reveal::{Judgement, Revealable, TrustIn, judge, player_characters, revealable, revealable_to};
pub use trust::{Experience, Trust};
pub use view::{AccessPath, Brief, Heard, Known, KnownEdge, Recency, View};
