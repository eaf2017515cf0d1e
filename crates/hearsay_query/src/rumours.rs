//! Rumours: a fact and the distorted versions of it that characters tell.

use std::collections::BTreeSet;

use hearsay_belief::{BeliefStatus, StateViews};
use hearsay_model::{EntityId, Fact, FactId, FactRelation, FactStatus, GameTime, Knower, State};
use serde::Serialize;

use crate::{QueryError, ids::require_fact, knowledge::time_text};

/// One version of a rumour: the original fact, or a fact that distorts another version.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RumourVersion {
    /// Id of the fact that states this version.
    pub fact: FactId,
    /// Sentence that states this version.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Version that this version distorts; `None` for the original.
    pub distorts: Option<FactId>,
    /// Number of distortions between the original and this version; 0 for the original.
    pub distortions: usize,
    /// Entity that stated this version first; `None` if the campaign does not record it.
    pub teller: Option<EntityId>,
    /// Game time at which the first knower learned this version, as text; `None` if the time is unknown.
    pub first_learned: Option<String>,
    /// Number of knowers that learned this version themselves. A group or place counts as one knower.
    pub knowers: usize,
    /// Number of these knowers that believe this version.
    pub believers: usize,
    /// Facts that refute this version. Sorted.
    pub refuted_by: Vec<FactId>,
    /// Whether a version from which this version comes is refuted.
    pub is_origin_refuted: bool,
}

/// Returns all versions of the rumour to which a fact belongs. The original comes first. Each other version follows the
/// version that it distorts, so the list is a tree in depth-first order. Versions of the same fact are sorted by the
/// time at which they were first learned.
///
/// # Errors
/// Returns an error if the fact does not exist.
pub fn versions(state: &State, fact: FactId) -> Result<Vec<RumourVersion>, QueryError> {
    let original = original(state, require_fact(state, fact)?);
    let views = StateViews::new(state);
    let mut refuted = BTreeSet::new();
    let tree = version_tree(state, original).into_iter();
    let mut rows = Vec::new();
    for (fact, distorts, distortions) in tree {
        let refuted_by = refutations(state, fact.id());
        let is_origin_refuted = distorts.is_some_and(|id| refuted.contains(&id));
        if is_origin_refuted || !refuted_by.is_empty() {
            refuted.insert(fact.id());
        }
        rows.push(RumourVersion {
            fact: fact.id(),
            statement: fact.statement().to_owned(),
            status: fact.status(),
            distorts,
            distortions,
            teller: fact.provenance().speaker.clone(),
            first_learned: time_text(state, first_learned(state, fact.id())),
            knowers: knowers(state, fact.id()).len(),
            believers: believers(&views, fact.id()),
            refuted_by,
            is_origin_refuted,
        });
    }
    Ok(rows)
}

/// Returns a fact and the versions that come from it, in the order of [`versions`]. Each version comes with the fact that
/// it distorts and the number of distortions.
pub(crate) fn version_tree<'a>(state: &'a State, root: &'a Fact) -> Vec<(&'a Fact, Option<FactId>, usize)> {
    let (mut tree, mut seen) = (Vec::new(), BTreeSet::new());
    let mut stack = vec![(root, None, 0)];
    while let Some((fact, distorts, distortions)) = stack.pop() {
        if !seen.insert(fact.id()) {
            continue;
        }
        tree.push((fact, distorts, distortions));
        // A version can name another object, but never another subject.
        let distorted = state.facts_of(fact.subject()).map(AsRef::as_ref);
        let distorted = distorted.filter(|other| other.fact_relation() == Some(FactRelation::Distorts(fact.id())));
        let mut distorted: Vec<&Fact> = distorted.collect();
        distorted.sort_by_cached_key(|version| (first_learned(state, version.id()), version.id()));
        stack.extend(distorted.into_iter().rev().map(|version| (version, Some(fact.id()), distortions + 1)));
    }
    tree
}

/// Returns the facts that refute a fact, sorted.
fn refutations(state: &State, fact: FactId) -> Vec<FactId> {
    let refuting = state.facts().filter(|other| {
        other.fact_relation() == Some(FactRelation::Refutes(fact)) && other.status() != FactStatus::Rejected
    });
    let mut refuting: Vec<FactId> = refuting.map(|other| other.id()).collect();
    refuting.sort_unstable();
    refuting
}

/// Returns the knowers that learned a fact themselves, sorted.
fn knowers(state: &State, fact: FactId) -> BTreeSet<&Knower> {
    let edges = state.known_by(fact).filter(|edge| edge.acquisition.gives_knowledge());
    edges.map(|edge| &edge.knower).collect()
}

/// Returns the number of knowers that learned a fact themselves and believe it.
pub(crate) fn believers(views: &StateViews, fact: FactId) -> usize {
    let knowers: BTreeSet<&Knower> = views.state().known_by(fact).map(|edge| &edge.knower).collect();
    let is_believer = |knower: &&Knower| {
        let view = views.get(knower, None);
        view.fact(fact).is_some_and(|known| view.belief(known).status == BeliefStatus::Believed)
    };
    knowers.into_iter().filter(is_believer).count()
}

/// Returns the fact from which a version comes. Returns the version itself if it distorts no recorded fact.
fn original<'a>(state: &'a State, mut version: &'a Fact) -> &'a Fact {
    let mut seen = BTreeSet::new();
    while let Some(FactRelation::Distorts(id)) = version.fact_relation()
        && seen.insert(version.id())
        && let Some(earlier) = state.fact(id)
    {
        version = earlier;
    }
    version
}

/// Returns the game time at which the first knower learned a fact; `None` if no time is known.
fn first_learned(state: &State, fact: FactId) -> Option<GameTime> {
    let learned = state.known_by(fact).filter(|edge| edge.acquisition.gives_knowledge());
    learned.filter_map(|edge| edge.learned_at()).min()
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Acquisition, Author, Change, Date, Entity, KnowledgeEdge, Method, Operation, Provenance};

    use super::*;

    #[test]
    fn versions_are_listed_as_a_tree_from_any_of_them() {
        let id = |name: &str| EntityId::new(name).unwrap();
        let mut changes = ["jory", "ann", "bob"].map(|name| Change::AddEntity(Entity::new(id(name)))).to_vec();
        let mut tell = |statement: &str, distorts: Option<FactId>, teller: &str, hearer: &str, minute: i64| {
            let provenance = Provenance { speaker: Some(id(teller)), ..Provenance::new(Method::Stated, Author::Game) };
            let fact = Fact::attribute(&id("jory"), "lore", statement, provenance).unwrap();
            let fact = fact.fact_relation(distorts.map(FactRelation::Distorts)).build().unwrap();
            let fact_id = fact.id();
            changes.push(Change::AssertFact(fact.into()));
            changes.push(Change::Learn(
                KnowledgeEdge {
                    acquisition: Acquisition::told(Some(id(teller))),
                    learned: Some(Date::at(GameTime(minute))),
                    ..KnowledgeEdge::authored(Knower::Entity(id(hearer)), fact_id)
                }
                .into(),
            ));
            fact_id
        };
        let two = tell("Jory saw two wolves.", None, "jory", "ann", 10);
        let six = tell("Jory saw six wolves.", Some(two), "ann", "bob", 30);
        let three = tell("Jory saw three wolves.", Some(two), "bob", "ann", 20);
        let pack = tell("Jory saw a hundred wolves.", Some(three), "ann", "bob", 40);
        let mut state = State::default();
        state.apply(Operation::new(Author::Dm, "rumours", changes)).unwrap();
        for start in [two, six, three, pack] {
            let found = versions(&state, start).unwrap();
            let tree: Vec<_> = found.iter().map(|version| (version.fact, version.distortions)).collect();
            assert_eq!(tree, [(two, 0), (three, 1), (pack, 2), (six, 1)]);
            let pack = &found[2];
            assert_eq!((pack.distorts, pack.knowers, &pack.teller), (Some(three), 1, &Some(id("ann"))));
        }
        let unknown: FactId = "0".repeat(32).parse().unwrap();
        assert!(versions(&state, unknown).is_err());

        // The refutation of a version also refutes the versions that come from it.
        let provenance = Provenance::new(Method::Stated, Author::Game);
        let no_three = Fact::attribute(&id("jory"), "lore", "Jory did not see three wolves.", provenance).unwrap();
        let no_three = no_three.fact_relation(Some(FactRelation::Refutes(three))).build().unwrap();
        let refutation = no_three.id();
        state.apply(Operation::new(Author::Dm, "refute", vec![Change::AssertFact(no_three.into())])).unwrap();
        let found = versions(&state, two).unwrap();
        let marks: Vec<_> =
            found.iter().map(|version| (version.refuted_by.as_slice(), version.is_origin_refuted)).collect();
        assert_eq!(marks, [(&[][..], false), (&[refutation], false), (&[], true), (&[], false)]);
    }
}
