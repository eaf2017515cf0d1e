//! Taking together what reaches a knower.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    EntityId, Fact, FactId, GameTime, How, Knower, Knowledge, KnownFact, PassageId, State, attribute, predicate, text,
};
use rustc_hash::FxHashMap;

use super::{Brief, Heard, Known, Via, Way};
use crate::{
    audience::is_structure,
    credence::{Weighed, Weigher, combine, credence},
};

/// Whose knowledge reaches the knower, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) from: Knower,
    pub(crate) via: Via,
    pub(crate) stay: Stay,
    /// The knower's rank there, if it is a member itself.
    pub(super) rank: Option<String>,
}

impl Reach {
    /// All that somebody ever learns.
    pub(crate) fn all(from: Knower, via: Via) -> Self {
        Self { from, via, stay: Stay::ALWAYS, rank: None }
    }
}

/// A stretch of game time: from a moment up to, not including, another. `None` is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stay {
    from: Option<GameTime>,
    until: Option<GameTime>,
}

impl Stay {
    const ALWAYS: Self = Self { from: None, until: None };

    fn and(self, other: Self) -> Self {
        let until = match (self.until, other.until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { from: self.from.max(other.from), until }
    }

    /// Since when something learned then is known to one who stays so long; nothing, when it was learned too late.
    pub(crate) fn receives(self, learned: Option<GameTime>) -> Option<Option<GameTime>> {
        let begins_before_it_ends = self.until.is_none_or(|until| self.from.is_none_or(|from| from < until));
        let in_time = self.until.is_none_or(|until| learned.is_none_or(|learned| learned < until));
        (begins_before_it_ends && in_time).then(|| self.from.max(learned))
    }
}

/// What a group keeps for some of its ranks.
struct Ranked {
    way: Way,
    index: u32,
    fact: Arc<Fact>,
    /// The rank of the knower in the group.
    held: Option<String>,
}

/// What has been taken together so far.
pub(super) struct Taking<'s> {
    state: &'s State,
    as_of: Option<GameTime>,
    facts: Vec<Known>,
    /// Their dense indices.
    indices: Vec<u32>,
    /// Where in `facts` a fact stands, by its dense index.
    places: FxHashMap<u32, u32>,
    /// Memberships, residences and parts that count.
    structure: Vec<Arc<Fact>>,
    ranks: Vec<Arc<Fact>>,
    /// What is kept for ranks that the knower has not reached, as far as is known by now.
    ranked: Vec<Ranked>,
}

impl<'s> Taking<'s> {
    pub(super) fn new(state: &'s State, as_of: Option<GameTime>) -> Self {
        let (facts, indices, places, structure, ranked) = Default::default();
        Self { state, as_of, facts, indices, places, structure, ranks: Vec::new(), ranked }
    }

    fn is_past(&self, moment: Option<GameTime>) -> bool {
        self.as_of.is_none_or(|now| moment.is_none_or(|moment| moment <= now))
    }

    /// Takes over what somebody knows, as far as it reaches one who stays with them so long.
    pub(super) fn take(&mut self, Reach { from, via, stay, rank }: &Reach) {
        for KnownFact { id, edge, index, fact } in self.state.known_facts(from) {
            let Some(since) = stay.receives(learned(edge, fact)).filter(|since| self.is_past(*since)) else { continue };
            let way = Way { id, edge: Arc::clone(edge), via: via.clone(), since, belief: edge.credence };
            if edge.rank.is_some() && *via != Via::Own {
                self.ranked.push(Ranked { way, index, fact: Arc::clone(fact), held: rank.clone() });
            } else {
                self.add(way, index, fact);
            }
        }
    }

    fn add(&mut self, way: Way, index: u32, fact: &Arc<Fact>) {
        // Whom a group has told is no matter of its members.
        if way.edge.how == How::Shared && way.via != Via::Own {
            return;
        }
        let place = *self.places.entry(index).or_insert_with(|| {
            self.facts.push(Known::new(Arc::clone(fact)));
            self.indices.push(index);
            self.facts.len() as u32 - 1
        });
        let known = &mut self.facts[place as usize];
        // To have said something, without knowing it, is no way to belong anywhere.
        if known.ways.is_empty() && way.edge.how != How::Shared {
            if is_structure(fact) {
                self.structure.push(Arc::clone(fact));
            } else if *fact.predicate() == *attribute::RANKS {
                self.ranks.push(Arc::clone(fact));
            }
        }
        known.add(way);
    }

    /// Takes what the knower's ranks open to it. Whether there was any.
    pub(super) fn take_ranked(&mut self) -> bool {
        let mut ranked = std::mem::take(&mut self.ranked);
        let opened: Vec<Ranked> = ranked.extract_if(.., |ranked| self.reaches(ranked)).collect();
        self.ranked = ranked;
        for Ranked { way, index, fact, .. } in &opened {
            self.add(way.clone(), *index, fact);
        }
        !opened.is_empty()
    }

    /// Whether the knower has the rank for which something is kept, by the latest list of the group's ranks that it knows.
    fn reaches(&self, Ranked { way, held, .. }: &Ranked) -> bool {
        let (Some(held), Some(wanted)) = (held, &way.edge.rank) else { return false };
        let same = |a: &str, b: &str| text::normal(a) == text::normal(b);
        let lists = self.ranks.iter().filter(|fact| Some(fact.subject()) == way.edge.knower.entity());
        let latest = lists.max_by_key(|fact| (fact.validity().start(), fact.provenance().recorded, fact.id()));
        let at_least = |list: &str| {
            let place = |rank: &str| list.split(',').position(|other| same(other, rank));
            matches!((place(held), place(wanted)), (Some(held), Some(wanted)) if held >= wanted)
        };
        same(held, wanted) || latest.and_then(|fact| fact.object().text()).is_some_and(at_least)
    }

    /// The passages that the sources heard, each by the source nearest to the knower.
    ///
    /// Of what is said under a secret name, the speaker is hidden from a knower who does not know whose name it is.
    pub(super) fn hear(&self, knower: &Knower, sources: &[Reach]) -> BTreeMap<PassageId, Heard> {
        let mut passages = BTreeMap::<PassageId, Heard>::new();
        for Reach { from, via, stay, .. } in sources {
            for (id, passage) in self.state.passages_of(from) {
                let reached = passage.reached(from).and_then(|reached| stay.receives(reached));
                if !reached.is_some_and(|since| self.is_past(since)) {
                    continue;
                }
                let heard = passages.entry(id);
                let heard = heard.or_insert_with(|| Heard { passage: Arc::clone(passage), via: via.clone() });
                if *via < heard.via {
                    heard.via = via.clone();
                }
            }
        }
        for heard in passages.values_mut() {
            let Some((speaker, alias)) = heard.passage.speaker.as_ref().zip(heard.passage.speaker_alias.as_ref())
            else {
                continue;
            };
            let knows = |known: &Known| knows_name(known, speaker, alias);
            if knower.entity() != Some(speaker) && !self.facts.iter().any(knows) {
                heard.passage = Arc::new(heard.passage.masked());
            }
        }
        passages
    }

    /// All that was taken, weighed, by id.
    pub(super) fn settled(self) -> (Vec<Known>, Vec<Brief>) {
        let Self { state, facts, indices, .. } = self;
        let mut weigher = Weigher::new(state);
        let settle = |(mut known, index): (Known, u32)| {
            known.settle(&mut weigher);
            (known.brief(index), Some(known))
        };
        let (mut briefs, mut facts): (Vec<Brief>, Vec<Option<Known>>) =
            facts.into_iter().zip(indices).map(settle).unzip();
        // Ids are compared where they lie side by side; each fact is moved once.
        let mut order: Vec<(FactId, u32)> = briefs.iter().map(|brief| brief.id).zip(0..).collect();
        order.sort_unstable();
        let facts = order.iter().filter_map(|(_, place)| facts[*place as usize].take()).collect();
        briefs.sort_unstable_by_key(|brief| brief.id);
        (facts, briefs)
    }

    /// The groups and places that the knower belongs to by what it knows.
    pub(super) fn groups(&self, id: &EntityId) -> Vec<Reach> {
        let mut structure: BTreeMap<&EntityId, Vec<&Fact>> = BTreeMap::new();
        for fact in &self.structure {
            structure.entry(fact.subject()).or_default().push(fact);
        }
        groups(id, |member| structure.get(member).cloned().unwrap_or_default())
    }
}

/// Whether something that is known says that somebody has a name.
pub(super) fn knows_name(known: &Known, id: &EntityId, name: &str) -> bool {
    let is_name = [attribute::NAME, attribute::ALIAS].contains(&known.predicate().as_str());
    let said = || known.object().text().is_some_and(|said| text::normal(said) == text::normal(name));
    is_name && known.subject() == id && !known.is_made_up() && said()
}

/// When an edge came to be. What is known since ever is known since it began: nobody knows the future.
pub(crate) fn learned(edge: &Knowledge, fact: &Fact) -> Option<GameTime> {
    edge.learned_at().or_else(|| fact.validity().start())
}

/// The groups and places that somebody belongs to by the structure that it knows of each member: each with the way and
/// the stay. Sorted, each once.
pub(crate) fn groups<'f>(id: &EntityId, mut structure: impl FnMut(&EntityId) -> Vec<&'f Fact>) -> Vec<Reach> {
    let mut reached: BTreeSet<(EntityId, Stay, Option<String>, Via)> = BTreeSet::new();
    let mut open = vec![(id.clone(), Stay::ALWAYS, None::<bool>)];
    while let Some((member, stay, resident)) = open.pop() {
        for fact in structure(&member) {
            let Some(group) = fact.object().entity() else { continue };
            let resides = *fact.predicate() == *predicate::RESIDENT_OF;
            // A character is no part of anything; a group or place is, and hands its own way on.
            let resident = match resident {
                None if *fact.predicate() == *predicate::PART_OF => continue,
                None => resides,
                Some(resident) => resident,
            };
            let validity = fact.validity();
            let until = match validity.end() {
                // An end that the calendar does not understand lies in the past. All that can be placed before it
                // is what the group has known since ever.
                None if validity.is_closed() => {
                    Some(GameTime(validity.start().map_or(i64::MIN, |from| from.0.saturating_add(1))))
                }
                end => end,
            };
            let stay = stay.and(Stay { from: validity.start(), until });
            // A rank is the member's own; what lies above its group has none for it.
            let rank = fact.rank().filter(|_| member == *id).map(str::to_owned);
            let via = if resident { Via::Resident(group.clone()) } else { Via::Member(group.clone()) };
            if group != id && reached.insert((group.clone(), stay, rank, via)) {
                open.push((group.clone(), stay, Some(resident)));
            }
        }
    }
    let reach = |(group, stay, rank, via)| Reach { from: Knower::Entity(group), via, stay, rank };
    reached.into_iter().map(reach).collect()
}

impl Known {
    /// A fact as it is known in certain ways, if it is known.
    pub(crate) fn by(fact: &Arc<Fact>, ways: impl IntoIterator<Item = Way>, weigher: &mut Weigher) -> Option<Self> {
        let mut known = Self::new(Arc::clone(fact));
        ways.into_iter().for_each(|way| known.add(way));
        known.settle(weigher);
        (!known.ways.is_empty()).then_some(known)
    }

    /// Whom a group has told is no matter of its members.
    fn add(&mut self, way: Way) {
        match (&way.edge.how, &way.via) {
            (How::Shared, Via::Own) => self.shared.push(way),
            (How::Shared, _) => {}
            _ => self.ways.push(way),
        }
    }

    /// Sorts the ways, and weighs them.
    fn settle(&mut self, weigher: &mut Weigher) {
        for way in &mut self.ways {
            if !way.edge.sources.is_empty() {
                way.belief = credence(weigher.belief(way.id, &way.edge));
            }
        }
        self.ways.sort_by(|a, b| {
            let rank = |way: &Way| (way.via != Via::Own, std::cmp::Reverse(way.belief));
            rank(a).cmp(&rank(b)).then_with(|| (&a.via, a.id, a.since).cmp(&(&b.via, b.id, b.since)))
        });
        self.ways.dedup_by(|a, b| a.id == b.id && a.via == b.via && a.since == b.since);
        self.shared.sort_by_key(|way| (way.since, way.id));
        self.credence = match &self.ways[..] {
            [only] if self.shared.is_empty() => only.belief,
            ways => {
                let weighed = |way| {
                    let Way { id, edge, via, belief, .. }: &Way = way;
                    Weighed { id: *id, edge, belief: belief.get(), own: *via == Via::Own }
                };
                let shared: Vec<&Knowledge> = self.shared.iter().map(|way| &*way.edge).collect();
                credence(combine(&ways.iter().map(weighed).collect::<Vec<_>>(), &shared))
            }
        };
    }
}
