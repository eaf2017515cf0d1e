//! Ends of facts, according to the knowledge of one knower.

use hearsay_model::{Date, FactRelation, PredicateRole, words::lower_first};

use crate::{BELIEF_THRESHOLD, Known, Recency, View};

/// The end of a fact, according to the knowledge of one knower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownEnd<'v> {
    /// The date of the end; `None` if the knower does not know the date.
    pub date: Option<&'v Date>,
}

/// Kind of a fact that states the end of another fact. Texts for people leave out some kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndKind {
    /// The ended fact is a location, so the past location already implies the end, or the ended fact
    /// [holds again](View::holds_again). All texts leave the end out.
    Redundant,
    /// The end has no evidence: nobody said or wrote it. Recaps and handbooks leave the end out.
    Unstated,
    /// The statement only repeats the ended fact, which the knower knows: "It is no longer true that …". A handbook
    /// leaves the end out, and tells the ended fact in the past tense.
    Repeating,
    /// The end has a statement of its own, or the knower does not know the ended fact.
    Stated,
}

impl View {
    /// Returns the end of a fact. Returns `None` if the knower does not know that the fact has ended at the moment of
    /// the view.
    ///
    /// A knower knows the end of a fact if the knower believes another fact that states this end. A knower also knows
    /// the ends of its own memberships and residences.
    pub fn known_end<'v>(&'v self, known: &'v Known) -> Option<KnownEnd<'v>> {
        let own_end = self.knower().entity().and_then(|knower| known.own_end(knower, self.vocabulary(), self.as_of()));
        let stated_end = || self.ending_fact(known).map(|ending| KnownEnd { date: ending.since() });
        own_end.map(|date| KnownEnd { date: Some(date) }).or_else(stated_end)
    }

    /// Returns the kind of a fact that states the end of another fact. Returns `None` if the fact states no end.
    pub fn end_kind(&self, known: &Known) -> Option<EndKind> {
        let Some(FactRelation::Ends(ended)) = known.fact_relation() else { return None };
        let is_redundant = |ended: &Known| PredicateRole::Location.is(ended.predicate()) || self.holds_again(ended);
        let is_repeated = |ended: &Known| {
            let repeated = ended.statement();
            known.statement().ends_with(repeated) || known.statement().ends_with(&lower_first(repeated))
        };
        Some(match self.fact(ended) {
            Some(ended) if is_redundant(ended) => EndKind::Redundant,
            _ if known.evidence().is_empty() => EndKind::Unstated,
            Some(ended) if is_repeated(ended) => EndKind::Repeating,
            _ => EndKind::Stated,
        })
    }

    /// Returns whether the knower knows that a fact has ended, and believes that it holds again: the knower believes a
    /// fact with the same subject, predicate and object that began after the end. As far as the knower knows, this fact
    /// has not ended.
    ///
    /// If the start of the other fact is unknown, the time at which the knower learned the fact counts. Of two equal
    /// times, the one that was recorded later is the later time.
    pub fn holds_again(&self, known: &Known) -> bool {
        let Some(end) = self.known_end(known) else { return false };
        // No other fact states the end of the knower's own membership or residence.
        let ending = self.ending_fact(known).unwrap_or(known).recency();
        let moment = |recency: Recency| (recency.since.or(recency.learned), recency.recorded);
        let end = moment(Recency { since: end.date.and_then(|date| date.time), ..ending });
        let mut facts = self.facts_with_subject(known.subject());
        facts.any(|other| {
            other.predicate() == known.predicate()
                && other.object() == known.object()
                && moment(other.recency()) > end
                && other.credence().get() >= BELIEF_THRESHOLD
                && self.known_end(other).is_none()
        })
    }

    /// Returns the fact from which the knower knows that another fact has ended by the moment of the view.
    pub(crate) fn ending_fact(&self, known: &Known) -> Option<&Known> {
        self.relations_to(known.id()).find(|other| {
            let end = other.since().and_then(|date| date.time);
            matches!(other.fact_relation(), Some(FactRelation::Ends(_)))
                && other.credence().get() >= BELIEF_THRESHOLD
                && self.as_of().is_none_or(|now| end.is_none_or(|end| end <= now))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hearsay_model::{Author, Change, Evidence, Fact, FactId, GameTime, Method, Provenance, Validity, attribute};

    use super::*;
    use crate::{
        learn,
        world::{World, at, id},
    };

    /// Adds a record of Wanda's debt to the smith, which Bob learns.
    fn owes(world: &mut World, since: Option<i64>, learned: i64) -> FactId {
        let fact = world.relation("wanda", "OWES", "smith", Validity { from: since.and_then(at), until: None });
        world.learn("bob", fact, Some(learned));
        fact
    }

    /// Makes Bob know a new fact.
    fn record(world: &mut World, fact: Arc<Fact>, learned: i64) -> FactId {
        let id = fact.id();
        world.apply(vec![Change::AssertFact(fact)]);
        world.learn("bob", id, Some(learned));
        id
    }

    fn ending(world: &World, fact: FactId, until: i64, evidence: Vec<Evidence>) -> Arc<Fact> {
        let provenance = Provenance { evidence, ..Provenance::new(Method::Authored, Author::Dm) };
        learn::ending(world.0.fact(fact).unwrap(), Date::at(GameTime(until)), provenance).unwrap()
    }

    fn kind(world: &World, fact: FactId) -> Option<EndKind> {
        let view = world.view("bob");
        view.end_kind(view.fact(fact).unwrap())
    }

    #[test]
    fn a_fact_holds_again_only_if_it_began_after_its_end() {
        for (since, learned) in [(Some(30), 30), (None, 30), (Some(30), 5)] {
            let mut world = World::new("wanda smith bob");
            let debt = owes(&mut world, Some(10), 10);
            // The second record is later than the first, but describes the same debt.
            owes(&mut world, Some(15), 25);
            let end = ending(&world, debt, 20, Vec::new());
            let end = record(&mut world, end, 20);
            assert_eq!((kind(&world, debt), kind(&world, end)), (None, Some(EndKind::Unstated)));
            owes(&mut world, since, learned);
            assert_eq!(kind(&world, end), Some(EndKind::Redundant), "{since:?} {learned}");
        }
    }

    #[test]
    fn an_end_can_have_a_statement_of_its_own() {
        let mut world = World::new("wanda smith bob");
        let debt = owes(&mut world, None, 10);
        let evidence = || vec![Evidence::File { path: "town.yaml".into(), line: 3, field: "facts".into() }];
        let repeating = ending(&world, debt, 20, evidence());
        let repeating = record(&mut world, repeating, 20);
        assert_eq!(kind(&world, repeating), Some(EndKind::Repeating));
        let provenance = Provenance { evidence: evidence(), ..Provenance::new(Method::Authored, Author::Dm) };
        let stated = Fact::attribute(&id("wanda"), attribute::LORE, "Wanda paid the smith.", provenance).unwrap();
        let stated = stated.fact_relation(Some(FactRelation::Ends(debt))).build().unwrap();
        let stated = record(&mut world, stated.into(), 20);
        assert_eq!(kind(&world, stated), Some(EndKind::Stated));
    }

    #[test]
    fn a_departure_is_redundant() {
        let mut world = World::new("wanda inn bob");
        let stay = world.relation("wanda", "LOCATED_AT", "inn", Validity { from: at(10), until: None });
        let end = ending(&world, stay, 20, Vec::new());
        let end = record(&mut world, end, 20);
        assert_eq!(kind(&world, end), Some(EndKind::Unstated), "Bob does not know that she was there");
        world.learn("bob", stay, Some(10));
        assert_eq!(kind(&world, end), Some(EndKind::Redundant));
    }
}
