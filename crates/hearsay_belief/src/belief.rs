//! Beliefs of a knower, and the opinions of a knower about the knowledge of others.

use std::collections::BTreeMap;

use hearsay_model::{
    Credence, EntityId, FactId, FactRelation, GameTime, KnowledgeId, Predicate, PredicateRole, Timestamp,
};
use serde::Serialize;

use crate::{
    AccessPath, Known, View,
    credence::{BELIEF_THRESHOLD, credence, refuted_belief},
    view::Recency,
};

/// Whether a knower believes a fact that it knows. If the knower does not believe the fact, the variant states the
/// reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BeliefStatus {
    /// The knower believes the fact.
    Believed,
    /// The knower knows the fact, but its credence in the fact is below [`BELIEF_THRESHOLD`].
    Doubted,
    /// The knower believes that the fact has ended. Contains the id of the fact that states the end.
    Ended(FactId),
    /// The knower believes a later value of the same predicate, for example a later location. Contains the id of the
    /// fact that states the later value.
    Superseded(FactId),
    /// The knower believes a contradicting fact instead. Contains the id of the contradicting fact.
    Outweighed(FactId),
}

/// A fact that a knower knows, with the knower's credence in the fact.
#[derive(Debug, Clone, PartialEq)]
pub struct Belief<'v> {
    /// The fact, with the edges through which the knower knows it.
    pub known: &'v Known,
    /// The knower's credence in the fact, reduced by the refutations that the knower knows.
    pub credence: Credence,
    /// Whether the knower believes the fact. If not, the status states the reason.
    pub status: BeliefStatus,
    /// Contradicting facts that the knower knows, sorted by id.
    pub contradicting_facts: Vec<FactId>,
}

impl View {
    /// Returns all facts with this subject and predicate that the knower knows, each with its credence.
    ///
    /// Believed facts come before facts that are not believed. Within each of these groups, facts are sorted by
    /// credence, from high to low, and then by [recency](Known::recency), the latest first.
    ///
    /// The credence in a refuted fact is `c (1 − r) ÷ (1 − c r)` by Dempster's rule. Here, `c` is the
    /// [credence](Known::credence) without the refutation, and `r` is the credence in the refutation. There are two
    /// exceptions. A refutation that the knower only heard does not change its belief in a fact that it observed. If
    /// the knower observed both the fact and the refutation, the knower believes the later observation. The
    /// [refutations](Self::refutations) include those of the facts that the fact distorts.
    pub fn beliefs(&self, subject: &EntityId, predicate: &Predicate) -> Vec<Belief<'_>> {
        let candidates = self.facts_with_subject(subject).filter(|known| known.predicate() == predicate);
        let mut beliefs: Vec<Belief> = candidates.map(|known| self.belief(known)).collect();
        if self.vocabulary().is_functional(predicate) {
            let is_believed = |belief: &&Belief| belief.status == BeliefStatus::Believed;
            // If several values are believed, the latest is the current value. Among equally recent values, the value
            // with the highest credence is the current value. A character can move several times on one day, so of two
            // locations with the same date, the location that was recorded later is the current location.
            let is_location = PredicateRole::Location.is(predicate);
            let key = |belief: &Belief| belief.known.recency().sort_key(is_location);
            let rank = |belief: &Belief| (key(belief), belief.credence, belief.known.id());
            let latest = beliefs.iter().filter(is_believed).max_by_key(|belief| rank(belief));
            let latest = latest.map(|belief| (belief.known.id(), belief.known.object().clone(), key(belief)));
            if let Some((id, object, latest_key)) = latest {
                for belief in
                    beliefs.iter_mut().filter(|b| b.status == BeliefStatus::Believed && *b.known.object() != object)
                {
                    let earlier = key(belief) < latest_key;
                    belief.status = if earlier { BeliefStatus::Superseded(id) } else { BeliefStatus::Outweighed(id) };
                }
            }
        }
        beliefs.sort_by(|a, b| {
            let rank =
                |belief: &Belief| (belief.status == BeliefStatus::Believed, belief.credence, belief.known.recency());
            rank(b).cmp(&rank(a)).then_with(|| a.known.id().cmp(&b.known.id()))
        });
        beliefs
    }

    /// Returns the known facts that refute a fact, or that refute a fact which it distorts. If the knower observed the
    /// fact, returns only the facts that refute the fact itself.
    ///
    /// A fact that another fact [contradicts](Known::contradicts) also refutes the other fact. For example, the truth
    /// refutes the lie that hides it. This rule does not apply to a fact in which the knower has the credence 0, such
    /// as its own lie. The knower must know each version between the fact and the refuted fact.
    pub fn refutations<'v>(&'v self, known: &'v Known) -> impl Iterator<Item = &'v Known> {
        let is_observed = known.is_observed();
        let versions = std::iter::successors(Some(known), |version| self.fact(version.distorted_fact()?));
        let mut truths: Vec<FactId> = Vec::new();
        if known.credence() != Credence::NONE {
            let counted = versions.clone().take(if is_observed { 1 } else { usize::MAX });
            truths.extend(counted.flat_map(Known::contradicts));
            truths.sort_unstable();
            truths.dedup();
        }
        let distorted = versions.take_while(move |_| !is_observed).map_while(Known::distorted_fact);
        let related = std::iter::once(known.id()).chain(distorted).flat_map(|id| self.relations_to(id));
        let refutations = related.filter(|other| matches!(other.fact_relation(), Some(FactRelation::Refutes(_))));
        refutations.chain(truths.into_iter().filter_map(|id| self.fact(id)))
    }

    /// Returns the knower's belief in a fact that the knower knows.
    pub fn belief<'v>(&'v self, known: &'v Known) -> Belief<'v> {
        let mut refutations = Vec::new();
        let mut outweighed = None;
        for other in self.refutations(known) {
            refutations.push((other.credence().get(), other.learned()));
            outweighed = outweighed.max(Some((other.credence(), other.id())));
        }
        let ended = self.ending_fact(known).map(Known::id);
        let belief = refuted_belief((known.credence().get(), known.learned()), refutations);
        let mut contradicting_facts: Vec<FactId> = self.contradicting_facts(known).map(Known::id).collect();
        contradicting_facts.extend(known.contradicts().iter().filter(|id| self.fact(**id).is_some()));
        contradicting_facts.sort_unstable();
        contradicting_facts.dedup();
        let status = match (ended, outweighed) {
            (Some(end), _) => BeliefStatus::Ended(end),
            (_, Some((refutation, id))) if refutation.get() >= BELIEF_THRESHOLD && belief < BELIEF_THRESHOLD => {
                BeliefStatus::Outweighed(id)
            }
            _ if belief < BELIEF_THRESHOLD => BeliefStatus::Doubted,
            _ => BeliefStatus::Believed,
        };
        Belief { known, credence: credence(belief), status, contradicting_facts }
    }

    /// Returns the facts that, in the opinion of the knower, another entity knows. Each fact has the reasons for this
    /// opinion.
    ///
    /// The result depends only on the knower's own knowledge. The result contains:
    ///
    /// - facts that the knower learned while the other entity was present
    /// - facts that the other entity told the knower, or that the knower told the other entity
    /// - facts of a group or place, if the knower thinks that the other entity belongs to this group or place
    /// - common lore
    /// - arrivals at a place that the knower witnessed, if the knower knows that the other entity was at this place at
    ///   that time. Everyone at a place sees who arrives.
    pub fn attributed_facts(&self, other: &EntityId) -> BTreeMap<FactId, Vec<Attribution>> {
        let mut cache = AttributionCache::default();
        let reasons = |known: &Known| (known.id(), self.reasons(other, known, &mut cache));
        self.facts().map(reasons).filter(|(_, reasons)| !reasons.is_empty()).collect()
    }

    /// Returns the knower's reasons for the opinion that another entity knows a fact.
    /// [`attributed_facts`](Self::attributed_facts) lists the possible reasons. The latest reason comes first.
    pub fn attribution_reasons(&self, other: &EntityId, known: &Known) -> Vec<Attribution> {
        self.reasons(other, known, &mut AttributionCache::default())
    }

    fn reasons<'v>(&'v self, other: &EntityId, known: &Known, cache: &mut AttributionCache<'v>) -> Vec<Attribution> {
        let belongs = |group: &EntityId| {
            self.facts_with_subject(other).any(|known| {
                let is_object = known.object().entity() == Some(group)
                    && self.vocabulary().behavior(known.predicate()).is_direct_belonging();
                is_object && self.belief(known).status == BeliefStatus::Believed
            })
        };
        let mut reasons = Vec::new();
        let mut add_reason = |reason, edge, since, belief| {
            reasons.push(Attribution { reason, edge, since, credence: belief });
        };
        for known_edge in known.known_edges() {
            let other_was_present = known_edge.edge.co_present.contains(other);
            match &known_edge.access_path {
                AccessPath::Own if other_was_present => {
                    add_reason(AttributionReason::Present, known_edge.id, known_edge.since, known_edge.belief);
                }
                AccessPath::Own
                    if known_edge.edge.acquisition.is_witnessed() && PredicateRole::Location.is(known.predicate()) =>
                {
                    let periods = cache.presence_periods.get_or_insert_with(|| PresencePeriods::from_view(self));
                    if let Some((period, moment)) = periods.presence_at_arrival(other, known) {
                        add_reason(
                            AttributionReason::AtPlaceOfArrival(period.place.clone()),
                            period.edge,
                            Some(moment),
                            known_edge.belief,
                        );
                    }
                }
                AccessPath::Own if known_edge.edge.acquisition.teller() == Some(other) => {
                    add_reason(AttributionReason::ToldMe, known_edge.id, known_edge.since, Credence::FULL);
                }
                AccessPath::Member(group) | AccessPath::Resident(group) => {
                    if *cache.belongs_to.entry(group.clone()).or_insert_with(|| belongs(group)) {
                        add_reason(
                            AttributionReason::Belongs(group.clone()),
                            known_edge.id,
                            known_edge.since,
                            known_edge.belief,
                        );
                    }
                }
                AccessPath::Common => {
                    add_reason(AttributionReason::Common, known_edge.id, known_edge.since, known_edge.belief);
                }
                AccessPath::Own => {}
            }
        }
        for known_edge in known.shared().iter().filter(|known_edge| known_edge.edge.co_present.contains(other)) {
            add_reason(AttributionReason::ToldByMe, known_edge.id, known_edge.since, Credence::FULL);
        }
        reasons.sort_by(|a, b| (b.since, &b.reason, b.edge).cmp(&(a.since, &a.reason, a.edge)));
        reasons
    }

    /// Returns the facts with this subject and predicate that, in the opinion of the knower, another entity knows. Each
    /// fact has the reasons for this opinion.
    ///
    /// [`attributed_facts`](Self::attributed_facts) also returns these facts. The fact with the latest start of
    /// validity comes first, because the other entity probably believes this fact.
    pub fn attributed_beliefs(
        &self,
        other: &EntityId,
        subject: &EntityId,
        predicate: &Predicate,
    ) -> Vec<(&Known, Vec<Attribution>)> {
        let attributed = self.attributed_facts(other);
        let matching = attributed.into_iter().filter_map(|(id, reasons)| Some((self.fact(id)?, reasons)));
        let mut matching: Vec<_> =
            matching.filter(|(known, _)| known.subject() == subject && known.predicate() == predicate).collect();
        // Facts with a later start of validity come first, no matter when the other entity learned them.
        let rank = |(known, reasons): &(&Known, Vec<Attribution>)| {
            let learned = reasons.iter().map(|reason| reason.since).max().flatten();
            (known.since().and_then(|date| date.time), learned, known.recency(), known.id())
        };
        matching.sort_by_key(|entry| std::cmp::Reverse(rank(entry)));
        matching
    }
}

/// Cached lookups for the reasoning about one other entity.
#[derive(Default)]
struct AttributionCache<'v> {
    /// Whether the other entity belongs to a group or place, by the id of the group or place.
    belongs_to: BTreeMap<EntityId, bool>,
    presence_periods: Option<PresencePeriods<'v>>,
}

/// Time span in which an entity was at a place, as far as the view's knower knows.
struct PresencePeriod<'v> {
    place: &'v EntityId,
    from: Option<GameTime>,
    until: Option<GameTime>,
    edge: KnowledgeId,
}

/// All presence periods of each entity, as far as the view's knower knows.
struct PresencePeriods<'v>(BTreeMap<&'v EntityId, Vec<PresencePeriod<'v>>>);

/// Maximum nesting depth of containers. A thing in a nested container is at the place of the outermost container.
const MAX_CONTAINER_DEPTH: usize = 4;

impl<'v> PresencePeriods<'v> {
    fn from_view(view: &'v View) -> Self {
        let mut ends: BTreeMap<FactId, Option<GameTime>> = BTreeMap::new();
        for known in view.facts().filter(|known| known.credence().get() >= BELIEF_THRESHOLD) {
            if let Some(FactRelation::Ends(id)) = known.fact_relation() {
                let end = start_of_validity(known).unwrap_or(GameTime(i64::MIN));
                let earliest = ends.entry(id).or_default();
                *earliest = Some(earliest.map_or(end, |earlier| earlier.min(end)));
            }
        }
        let mut periods: BTreeMap<&EntityId, Vec<PresencePeriod>> = BTreeMap::new();
        for known in view.facts().filter(|known| PredicateRole::Location.is(known.predicate())) {
            let (Some(place), Some(known_edge)) = (known.object().entity(), known.known_edges().first()) else {
                continue;
            };
            if known.credence().get() >= BELIEF_THRESHOLD {
                let (from, until) = (start_of_validity(known), ends.get(&known.id()).copied().flatten());
                periods.entry(known.subject()).or_default().push(PresencePeriod {
                    place,
                    from,
                    until,
                    edge: known_edge.id,
                });
            }
        }
        // An entity is at one place at a time: the next period ends the previous one.
        for of_entity in periods.values_mut() {
            of_entity.sort_by_key(|period| (period.from, period.edge));
            let next_starts: Vec<_> = of_entity.iter().skip(1).map(|period| period.from).collect();
            for (period, next_start) in of_entity.iter_mut().zip(next_starts) {
                period.until = match (period.until, next_start) {
                    (Some(end), Some(next_start)) => Some(end.min(next_start)),
                    (end, next_start) => end.or(next_start),
                };
            }
        }
        Self(periods)
    }

    fn period_at(&self, id: &EntityId, moment: GameTime) -> Option<&PresencePeriod<'v>> {
        let includes_moment =
            |period: &&PresencePeriod| period.from <= Some(moment) && period.until.is_none_or(|end| moment < end);
        self.0.get(id)?.iter().rev().find(includes_moment)
    }

    /// Returns the presence period of the other entity and the moment of arrival. Returns `None` if the other entity
    /// was not at the place when the subject of the fact arrived there, directly or inside a container.
    fn presence_at_arrival(&self, other: &EntityId, known: &'v Known) -> Option<(&PresencePeriod<'v>, GameTime)> {
        let moment = start_of_validity(known)?;
        let period = self.period_at(other, moment)?;
        let mut place = known.object().entity()?;
        for _ in 0..MAX_CONTAINER_DEPTH {
            if place == period.place {
                return (known.subject() != other).then_some((period, moment));
            }
            place = self.period_at(place, moment)?.place;
        }
        None
    }
}

/// Returns the start of a fact's validity.
fn start_of_validity(known: &Known) -> Option<GameTime> {
    known.since().and_then(|date| date.time)
}

/// Reason for the opinion that another entity knows a fact. The variants are ordered from the weakest to the strongest
/// reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AttributionReason {
    /// The fact is common lore.
    Common,
    /// The other entity belongs to this group or place, and the group or place knows the fact.
    Belongs(EntityId),
    /// The knower thinks that the other entity was at this place when the subject of the fact arrived there.
    AtPlaceOfArrival(EntityId),
    /// The knower told the other entity the fact.
    ToldByMe,
    /// The other entity was present when the knower learned the fact.
    Present,
    /// The other entity told the knower the fact.
    ToldMe,
}

/// Reason for the opinion that another entity knows a fact, with its details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attribution {
    /// The kind of reason.
    pub reason: AttributionReason,
    /// The knower's knowledge edge that gives this reason.
    pub edge: KnowledgeId,
    /// The game time at which the other entity learned the fact, in the opinion of the knower; `None` if the time is
    /// unknown.
    pub since: Option<GameTime>,
    /// The credence that the other entity has in the fact, in the opinion of the knower.
    pub credence: Credence,
}

impl Recency {
    /// Returns the sort key for facts about one subject: the start of validity, then the time of learning, and then the
    /// time of recording if `by_recording` is `true`.
    fn sort_key(self, by_recording: bool) -> (Option<GameTime>, Option<GameTime>, Option<Timestamp>) {
        (self.since, self.learned, by_recording.then_some(self.recorded))
    }
}
