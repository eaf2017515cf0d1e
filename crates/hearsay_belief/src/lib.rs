//! Knowledge and belief of characters: the facts that each character knows, where each fact comes from, and how
//! strongly the character believes it.
//!
//! A [`View`] contains everything that one knower knows at a moment of game time. It contains the facts that the knower
//! learned itself, the facts that its groups and its place of residence know, and common lore (facts that everyone
//! knows). Hearsay generates every text for a character only from the character's view. Therefore, the text never
//! contains a fact that the character does not know.
//!
//! # Example
//!
//! ```
//! use hearsay_belief::{Occasion, View, derivations, learn};
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
//! // Each retelling reduces belief, and the chain leads back to Ann, who was there.
//! let view = View::new(&state, &cid.clone().into(), None);
//! let known = view.fact(burned.id()).unwrap();
//! assert!((known.credence().get() - (0.6 * 0.9_f64).powi(2)).abs() < 1e-9);
//! let chain = derivations(&state, known);
//! assert_eq!(chain[0].origins()[0].edge.knower, Knower::from(ann.clone()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Overview
//!
//! | question | answer |
//! |---|---|
//! | What does a character know at a moment? | [`View::new`]; for several views of one state, [`StateViews`] |
//! | How does a character learn a fact? | [`learn`]: witness, say, tell, read, deduce, refute |
//! | How strongly does a character believe a fact? | [`combined_belief`], [`BeliefCalculator`] and [`Trust`] state the formulas |
//! | What does a character feel towards another character? | [`Feelings::from_view`], [`Feelings::between`] |
//! | What does a character believe about a subject, and what contradicts it? | [`View::beliefs`], [`View::belief`] |
//! | How well does a character remember a fact? | [`View::retention`], [`Retention`] |
//! | What does a character think that another character knows? | [`View::attributed_facts`], [`View::attributed_beliefs`] |
//! | What are the sources of a known fact? What would a retraction change? | [`derivations`], [`retraction_impact`] |
//! | How does news spread among characters? | [`gossip`] |
//! | How are entities related, as the DM or a knower sees it? | [`graph`] |
//! | May a secret be told now, and to whom? | [`evaluate_condition`], [`evaluate_reveals`], [`revealable_facts`] |
//! | Who knows a fact that does not name its knowers? | [`default_audience`] |
//!
//! # Data that a view never reads
//!
//! A view does not depend on whether the campaign treats a fact as true. A view does not read the status of a fact, the
//! end of its validity or the confidence of its extraction. [`Known`], a fact in a view, gives no access to this data.
//! Another fact tells a character that a fact has ended or is untrue. There is one exception: no character can know a
//! proposed or rejected fact, so all edges to such a fact are inactive. Only two functions for the DM use the data:
//! [`View::of_dm`], and a traversal of the [`graph`] without a view.
//!
//! A character receives the knowledge of its groups and places through memberships and residences. A membership or
//! residence has this effect only if it is canon and the character knows of it.
//!
//! # Guarantees
//!
//! - **Withdrawal is exact.** If you withdraw an observation, the state is the same as if the knower had never made the
//!   observation. Other knowers lose the knowledge that they derived from the observation. Trust no longer depends on
//!   the observation.
//! - **Views of the past equal a replay.** If facts are recorded when they are learned, a view of a past moment equals
//!   the view that was computed at that moment.
//! - **Views match a reference.** A property test compares views with a simple implementation that visits every edge.
//! - **Results are deterministic.** The crate uses no I/O and no clock. Random choices depend only on a given seed.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod attitudes;
mod audience;
mod belief;
mod credence;
mod derivation;
mod edge_moves;
mod ends;
mod feelings;
pub mod gossip;
pub mod graph;
pub mod learn;
mod observed_location;
mod occasion;
mod reveal;
mod trust;
mod view;
#[cfg(test)]
mod world;

pub use audience::{EntityLookup, default_audience};
pub use belief::{Attribution, AttributionReason, Belief, BeliefStatus};
pub use credence::{
    BELIEF_THRESHOLD, BeliefCalculator, FIRST_IMPRESSION_WEIGHT, RETELLING_FACTOR, WeighedEdge, combined_belief,
};
pub use derivation::{DerivationStep, RetractionImpact, derivations, retraction_impact, withdrawal_changes};
pub use edge_moves::{edges_with_dependents, move_edges};
pub use ends::{EndKind, KnownEnd};
pub use feelings::{FeelingCause, FeelingValues, FeelingWords, Feelings};
pub use occasion::{
    Occasion, characters_at, dead_entity, hides_from, home_at, is_dead, is_elsewhere, left_home, location_at,
    moves_after, place_at, valid_death_fact,
};
pub use reveal::{
    Judgement, RevealEvaluation, RevealableFacts, TrustFn, evaluate_condition, evaluate_reveals, evaluate_reveals_for,
    player_characters, revealable_facts,
};
pub use trust::{Experience, Trust};
pub use view::{
    AccessPath, FactSummary, Known, KnownEdge, ReceivedPassage, Recency, Retention, StateViews, View, ViewImpact,
};
