//! Who knows what, from whom, and how surely.
//!
//! A [`View`] is all that one knower knows at a moment of game time: what it learned itself, what the groups it
//! belongs to and the place it lives in know, and common lore. Everything that a character is told in Hearsay is made
//! from its view and nothing else, so what it cannot know cannot reach it.
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
//! # Where to find what
//!
//! | question | answer |
//! |---|---|
//! | what does somebody know, at a moment? | [`View::of`] |
//! | how does it learn? | [`learn`]: witness, say, tell, read, deduce, refute |
//! | how surely does it believe that? | [`combine`] and [`Weigher`], which state the formulas; [`Trust`] |
//! | what does it believe of something, and what speaks against it? | [`View::believes`], [`View::belief`] |
//! | what does it think that another knows? | [`View::attributed`], [`View::thinks_believes`] |
//! | how does it know this? what falls when that is withdrawn? | [`chains`], [`fallout`] |
//! | how does news spread? | [`gossip`] |
//! | may a secret be told now? | [`judge`], [`revealable`] |
//! | who knows a fact that is not marked? | [`knowers`] |
//!
//! # What belief does not read
//!
//! A view never looks at what the world says of a fact: not its standing, not the end of its validity, not the
//! confidence of its extraction. [`Known`] does not give access to them. A character learns that something ended or was
//! untrue the way it learns anything: as a fact. (Facts that are proposed or rejected are no part of the world yet;
//! the state lets their edges sleep.)
//!
//! Membership and residence are structure, not belief: they count while they are canon and only if the member itself
//! knows of them.
//!
//! # Guarantees
//!
//! - **Exact withdrawal.** Withdrawing what somebody saw equals its never having seen it, for everybody who had it from
//!   there, trust included. (Trust counts the latest 16 things that somebody told.)
//! - **As-of is replay.** A view as of a moment equals the view of the journal's state at that moment, where things were
//!   recorded as they were learned.
//! - **One definition.** The view equals a naive one that looks at every edge of the world, in a property test.
//! - **Pure.** No I/O, no clock, no random numbers but a seed that is given.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod audience;
mod believe;
mod chain;
mod credence;
pub mod gossip;
pub mod learn;
mod occasion;
mod reveal;
mod trust;
mod view;
#[cfg(test)]
mod world;

pub use audience::{Surroundings, knowers};
pub use believe::{Attributed, BELIEVED, Belief, Hold, Reason};
pub use chain::{ChainLink, Fallout, chains, fallout, withdrawal};
pub use credence::{FIRST_IMPRESSION, RETELLING, Weighed, Weigher, combine};
pub use occasion::{Occasion, is_dead, present};
pub use reveal::{Judgement, Revealable, TrustIn, judge, player_characters, revealable, revealable_to};
pub use trust::{Experience, Trust};
pub use view::{Brief, Heard, Known, Recency, Via, View, Way};
