//! What one believes of something, and why; and what one has reason to think that another knows.

use std::collections::BTreeMap;

use hearsay_model::{Bearing, Credence, EntityId, FactId, GameTime, How, KnowledgeId, Predicate, predicate};
use serde::Serialize;

use crate::{
    Known, Via, View,
    credence::{credence, refuted},
    view::Recency,
};

/// The least credence at which something is taken to be so.
pub const BELIEVED: f64 = 0.5;

/// How one holds a fact that it knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// Takes it to be so.
    Believed,
    /// Has heard of it, and does not take it to be so.
    Doubted,
    /// Has learned that it is so no longer, by this fact.
    Ended(FactId),
    /// Knows a later state, by this fact.
    Superseded(FactId),
    /// Believes rather this fact, which says otherwise.
    Outweighed(FactId),
}

/// One answer to what somebody believes.
#[derive(Debug, Clone, PartialEq)]
pub struct Belief<'v> {
    /// The fact, with the ways in which it is known.
    pub known: &'v Known,
    /// How much it is believed, what speaks against it counted in.
    pub credence: Credence,
    /// How it is held.
    pub hold: Hold,
    /// What the knower knows that cannot be so together with it. By id.
    pub against: Vec<FactId>,
}

impl View {
    /// What the knower believes of something: every fact that it knows with this subject and predicate, those that it
    /// takes to be so first, then by credence, the latest first.
    ///
    /// One that is refuted is believed `c (1 − r) ÷ (1 − c r)`, with `c` the [credence](Known::credence) and `r` that of the
    /// refutation, by Dempster's rule. What one saw is not moved by talk; if one saw both, the later stands.
    pub fn believes(&self, subject: &EntityId, predicate: &Predicate) -> Vec<Belief<'_>> {
        let of_subject = |known: &&Known| known.subject() == subject && known.predicate() == predicate;
        let candidates: Vec<&Known> = self.facts().filter(of_subject).collect();
        let mut beliefs: Vec<Belief> = candidates.into_iter().map(|known| self.belief(known)).collect();
        if self.vocabulary().is_functional(predicate) {
            let holds = |belief: &&Belief| belief.hold == Hold::Believed;
            // Of several states that are believed the latest is so now; of equally late ones the surest.
            let rank = |belief: &Belief| (belief.known.recency().state(), belief.credence, belief.known.id());
            let latest = beliefs
                .iter()
                .filter(holds)
                .max_by_key(|belief| rank(belief))
                .map(|belief| (belief.known.id(), belief.known.object().clone(), belief.known.recency().state()));
            if let Some((id, object, late)) = latest {
                for belief in beliefs.iter_mut().filter(|b| b.hold == Hold::Believed && *b.known.object() != object) {
                    let earlier = belief.known.recency().state() < late;
                    belief.hold = if earlier { Hold::Superseded(id) } else { Hold::Outweighed(id) };
                }
            }
        }
        beliefs.sort_by(|a, b| {
            let rank = |belief: &Belief| (belief.hold == Hold::Believed, belief.credence, belief.known.recency());
            rank(b).cmp(&rank(a)).then_with(|| a.known.id().cmp(&b.known.id()))
        });
        beliefs
    }

    /// How one fact that the knower knows is held.
    pub fn belief<'v>(&'v self, known: &'v Known) -> Belief<'v> {
        let mut refutations = Vec::new();
        let (mut ended, mut outweighed) = (None, None);
        for other in self.bearing_on(known.id()) {
            match other.bearing() {
                Some(Bearing::Refutes(_)) => {
                    refutations.push((other.credence().get(), other.learned()));
                    outweighed = outweighed.max(Some((other.credence(), other.id())));
                }
                Some(Bearing::Ends(_)) if other.credence().get() >= BELIEVED => {
                    let past = self
                        .as_of()
                        .is_none_or(|now| other.since().and_then(|date| date.time).is_none_or(|ended| ended <= now));
                    ended = ended.or(Some(other.id()).filter(|_| past));
                }
                _ => {}
            }
        }
        let belief = refuted((known.credence().get(), known.learned()), refutations);
        let against = self.against(known).map(Known::id).collect();
        let hold = match (ended, outweighed) {
            (Some(end), _) => Hold::Ended(end),
            (_, Some((refutation, id))) if refutation.get() >= BELIEVED && belief < BELIEVED => Hold::Outweighed(id),
            _ if belief < BELIEVED => Hold::Doubted,
            _ => Hold::Believed,
        };
        Belief { known, credence: credence(belief), hold, against }
    }

    /// What the knower has reason to think that somebody else knows. By fact.
    ///
    /// Only from its own knowledge: what it learned in the other's company, what the other told it or it told the other,
    /// what a group or place knows to which it knows the other to belong, and common lore. And where it sees something
    /// that came to its place while, as far as it knows, the other was there: what is plain to all who are there.
    pub fn attributed(&self, other: &EntityId) -> BTreeMap<FactId, Vec<Attributed>> {
        let mut thought = Thought::default();
        let reasons = |known: &Known| (known.id(), self.reasons(other, known, &mut thought));
        self.facts().map(reasons).filter(|(_, reasons)| !reasons.is_empty()).collect()
    }

    /// Why the knower thinks that somebody else knows a fact: what [`attributed`](Self::attributed) tells of it. The
    /// latest first.
    pub fn attributes(&self, other: &EntityId, known: &Known) -> Vec<Attributed> {
        self.reasons(other, known, &mut Thought::default())
    }

    fn reasons<'v>(&'v self, other: &EntityId, known: &Known, thought: &mut Thought<'v>) -> Vec<Attributed> {
        let belongs = |group: &EntityId| {
            let named = [predicate::MEMBER_OF, predicate::RESIDENT_OF];
            let mut about = self.facts().filter(|known| known.subject() == other);
            about.any(|known| {
                let to_group = known.object().entity() == Some(group) && named.contains(&known.predicate().as_str());
                to_group && self.belief(known).hold == Hold::Believed
            })
        };
        let mut reasons = Vec::new();
        let mut note = |reason, edge, since, belief| {
            reasons.push(Attributed { reason, edge, since, credence: belief });
        };
        for way in known.ways() {
            let with_other = way.edge.company.contains(other);
            match &way.via {
                Via::Own if with_other => note(Reason::Present, way.id, way.since, way.belief),
                Via::Own if way.edge.how == How::Witnessed && *known.predicate() == *predicate::LOCATED_AT => {
                    let stays = thought.stays.get_or_insert_with(|| Stays::of(self));
                    if let Some((stay, moment)) = stays.was_there(other, known) {
                        note(Reason::WasThere(stay.place.clone()), stay.edge, Some(moment), way.belief);
                    }
                }
                Via::Own if matches!(&way.edge.how, How::Told { by: Some(by), .. } if by == other) => {
                    note(Reason::ToldMe, way.id, way.since, Credence::FULL);
                }
                Via::Member(group) | Via::Resident(group) => {
                    if *thought.belonging.entry(group.clone()).or_insert_with(|| belongs(group)) {
                        note(Reason::Belongs(group.clone()), way.id, way.since, way.belief);
                    }
                }
                Via::Common => note(Reason::Common, way.id, way.since, way.belief),
                Via::Own => {}
            }
        }
        for way in known.shared().iter().filter(|way| way.edge.company.contains(other)) {
            note(Reason::ToldByMe, way.id, way.since, Credence::FULL);
        }
        reasons.sort_by(|a, b| (b.since, &b.reason, b.edge).cmp(&(a.since, &a.reason, a.edge)));
        reasons
    }

    /// What the knower has reason to think that somebody else believes of something: the facts it attributes to them
    /// with this subject and predicate, the latest that it attributes first.
    pub fn thinks_believes(
        &self,
        other: &EntityId,
        subject: &EntityId,
        predicate: &Predicate,
    ) -> Vec<(&Known, Vec<Attributed>)> {
        let attributed = self.attributed(other);
        let fitting = attributed.into_iter().filter_map(|(id, reasons)| Some((self.fact(id)?, reasons)));
        let mut fitting: Vec<_> =
            fitting.filter(|(known, _)| known.subject() == subject && known.predicate() == predicate).collect();
        // What they learned of a later state counts, whenever they learned it.
        let rank = |(known, reasons): &(&Known, Vec<Attributed>)| {
            let learned = reasons.iter().map(|reason| reason.since).max().flatten();
            (known.since().and_then(|date| date.time), learned, known.recency(), known.id())
        };
        fitting.sort_by_key(|entry| std::cmp::Reverse(rank(entry)));
        fitting
    }
}

/// What is found out once while one thinks of another.
#[derive(Default)]
struct Thought<'v> {
    /// Whether the other belongs to a group or place.
    belonging: BTreeMap<EntityId, bool>,
    stays: Option<Stays<'v>>,
}

/// A stay of somebody or something at a place, as far as the one whose view it is knows.
struct Stay<'v> {
    place: &'v EntityId,
    from: Option<GameTime>,
    until: Option<GameTime>,
    edge: KnowledgeId,
}

/// Who and what was where, and when, as far as the one whose view it is knows.
struct Stays<'v>(BTreeMap<&'v EntityId, Vec<Stay<'v>>>);

/// Within how many things something may lie that still is at the place.
const NESTED: usize = 4;

impl<'v> Stays<'v> {
    fn of(view: &'v View) -> Self {
        let mut ends: BTreeMap<FactId, Option<GameTime>> = BTreeMap::new();
        for known in view.facts().filter(|known| known.credence().get() >= BELIEVED) {
            if let Some(Bearing::Ends(id)) = known.bearing() {
                let end = moment(known).unwrap_or(GameTime(i64::MIN));
                let earliest = ends.entry(id).or_default();
                *earliest = Some(earliest.map_or(end, |earlier| earlier.min(end)));
            }
        }
        let mut stays: BTreeMap<&EntityId, Vec<Stay>> = BTreeMap::new();
        for known in view.facts().filter(|known| *known.predicate() == *predicate::LOCATED_AT) {
            let (Some(place), Some(way)) = (known.object().entity(), known.ways().first()) else { continue };
            if known.credence().get() >= BELIEVED {
                let (from, until) = (moment(known), ends.get(&known.id()).copied().flatten());
                stays.entry(known.subject()).or_default().push(Stay { place, from, until, edge: way.id });
            }
        }
        // One thing is at one place: the next stay ends the last.
        for of_one in stays.values_mut() {
            of_one.sort_by_key(|stay| (stay.from, stay.edge));
            let next: Vec<_> = of_one.iter().skip(1).map(|stay| stay.from).collect();
            for (stay, next) in of_one.iter_mut().zip(next) {
                stay.until = match (stay.until, next) {
                    (Some(end), Some(next)) => Some(end.min(next)),
                    (end, next) => end.or(next),
                };
            }
        }
        Self(stays)
    }

    fn at(&self, id: &EntityId, moment: GameTime) -> Option<&Stay<'v>> {
        let holds = |stay: &&Stay| stay.from <= Some(moment) && stay.until.is_none_or(|end| moment < end);
        self.0.get(id)?.iter().rev().find(holds)
    }

    /// Whether somebody was at the place when something came there, or to a thing that lay there; and when that was.
    fn was_there(&self, other: &EntityId, known: &'v Known) -> Option<(&Stay<'v>, GameTime)> {
        let moment = moment(known)?;
        let stay = self.at(other, moment)?;
        let mut place = known.object().entity()?;
        for _ in 0..NESTED {
            if place == stay.place {
                return (known.subject() != other).then_some((stay, moment));
            }
            place = self.at(place, moment)?.place;
        }
        None
    }
}

/// Since when something is so.
fn moment(known: &Known) -> Option<GameTime> {
    known.since().and_then(|date| date.time)
}

/// Why one thinks that another knows something. The firmest reason last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Everybody knows it.
    Common,
    /// The other belongs to a group or place that knows it.
    Belongs(EntityId),
    /// The other was at this place when it came to be so there, as far as the one knows.
    WasThere(EntityId),
    /// The one told it to the other.
    ToldByMe,
    /// The other was there when the one learned it.
    Present,
    /// The other told it to the one.
    ToldMe,
}

/// A fact that one has reason to think another knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attributed {
    /// Why.
    pub reason: Reason,
    /// The edge of the one that gives the reason.
    pub edge: KnowledgeId,
    /// Since when.
    pub since: Option<GameTime>,
    /// How far the one takes the other to believe it.
    pub credence: Credence,
}

impl Recency {
    /// What orders the states of a thing in the world, for one who knows them: since when they are so, and else when they
    /// were learned.
    fn state(self) -> (Option<GameTime>, Option<GameTime>) {
        (self.since, self.learned)
    }
}
