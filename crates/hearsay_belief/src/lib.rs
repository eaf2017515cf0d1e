//! Who knows what: the view that one character has of a campaign.
//!
//! A [`View`] is all that one knower knows at a moment of game time: what it learned itself, what the groups it
//! belongs to and the place it lives in know, and common lore. Everything that a character is told in Hearsay is made
//! from its view and nothing else, so what it cannot know cannot reach it.
//!
//! [`View::of`] is the definition: short, slow in the worst case, and obviously right. Every faster path must equal it.
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
pub use chain::{ChainLink, Fallout, chains, fallout, origins_of, withdrawal};
pub use credence::{FIRST_IMPRESSION, RETELLING, Weighed, Weigher, combine};
pub use occasion::{Occasion, is_dead, present};
pub use reveal::{Judgement, Revealable, TrustIn, judge, player_characters, revealable, revealable_to};
pub use trust::{Experience, Trust};
pub use view::{Heard, Known, Recency, Via, View, Way};
