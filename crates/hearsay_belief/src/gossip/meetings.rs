//! Meetings: pairs of characters, with time and place.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{
    Belonging, EntityId, Fact, GameTime, Kind, Link, Object, Predicate, PredicateRole, Secrecy, State, Value, attribute,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    knowledge::CharacterKnowledge,
    options::{GossipOptions, ROUNDS},
};
use crate::occasion::{death_facts, is_canon_at};

/// Purposes of random draws. Draws for different purposes are independent.
const MEETING_DRAW: u64 = 1;
const PAIRING_DRAW: u64 = 2;
const VISIT_DRAW: u64 = 3;
const DESTINATION_DRAW: u64 = 4;
pub(super) const TELLING_DRAW: u64 = 5;

/// Deterministic random draws. The result depends only on the seed and the arguments, not on earlier draws.
#[derive(Debug, Clone, Copy)]
pub(super) struct RandomDraws(u64);

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

impl RandomDraws {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a random number. `key` identifies the draw.
    fn number<const N: usize>(self, key: [u64; N]) -> u64 {
        let step = |number: u64, part| mix(number.rotate_left(7) ^ part).wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(key.into_iter().fold(mix(self.0.wrapping_add(0x9E37_79B9_7F4A_7C15)), step))
    }

    /// Returns a random number from 0 (included) to 1 (excluded).
    pub(super) fn fraction<const N: usize>(self, key: [u64; N]) -> f64 {
        (self.number(key) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Returns a platform-independent hash of an id: FNV-1a.
pub(super) fn hash(id: &EntityId) -> u64 {
    id.as_str().bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
}

/// A character that can take part in gossip.
#[derive(Debug)]
pub(super) struct Person<'s> {
    pub(super) id: &'s EntityId,
    pub(super) index: u32,
    pub(super) hash: u64,
    pub(super) talkativeness: f64,
    pub(super) honesty: f64,
    death_facts: Vec<&'s Arc<Fact>>,
    location_facts: Vec<(&'s Arc<Fact>, u32)>,
    residence_facts: Vec<(&'s Arc<Fact>, u32)>,
    /// Whether one of the location and residence facts is a secret.
    has_secret_place: bool,
}

impl<'s> Person<'s> {
    fn new(state: &'s State, id: &'s EntityId, index: u32) -> Self {
        let vocabulary = state.vocabulary();
        let relations_with = |is_wanted: &dyn Fn(&Predicate) -> bool| -> Vec<_> {
            let links = state.links_at(index).filter(|link| link.is_forward() && is_wanted(link.fact().predicate()));
            links.map(|link| (link.fact(), link.other_index())).collect()
        };
        let location_facts = relations_with(&|name| PredicateRole::Location.is(name));
        let residence_facts = relations_with(&|name| vocabulary.belonging(name) == Some(Belonging::Resident));
        let has_secret_place = location_facts.iter().chain(&residence_facts).any(|(fact, _)| is_secret(fact));
        Self {
            id,
            index,
            hash: hash(id),
            talkativeness: share(state, id, attribute::TALKATIVENESS, 0.5),
            honesty: share(state, id, attribute::HONESTY, 1.0),
            death_facts: death_facts(state, id).collect(),
            location_facts,
            residence_facts,
            has_secret_place,
        }
    }

    fn is_dead(&self, when: GameTime) -> bool {
        self.death_facts.iter().any(|fact| is_canon_at(fact, Some(when)))
    }

    /// Returns the place of the character according to the latest canon fact. Returns `None` if no fact names a place,
    /// or if the character is dead.
    fn place(&self, when: GameTime) -> Option<u32> {
        if self.is_dead(when) {
            return None;
        }
        let places = self.place_facts(when);
        let latest = places.max_by_key(|(fact, _)| (fact.validity().start(), fact.provenance().recorded, fact.id()));
        latest.map(|(_, place)| *place)
    }

    /// Returns the canon facts that state the place of the character at a moment: its locations, or else its residences.
    fn place_facts(&self, when: GameTime) -> impl Iterator<Item = &(&'s Arc<Fact>, u32)> {
        let is_valid = move |(fact, _): &&(&Arc<Fact>, u32)| is_canon_at(fact, Some(when));
        let has_location = self.location_facts.iter().any(|location| is_valid(&location));
        let facts = if has_location { &self.location_facts } else { &self.residence_facts };
        facts.iter().filter(is_valid)
    }

    /// Returns whether the character hides at a moment: all facts that state its place are secret.
    fn hides(&self, when: GameTime) -> bool {
        self.has_secret_place && {
            let mut facts = self.place_facts(when).peekable();
            facts.peek().is_some() && facts.all(|(fact, _)| is_secret(fact))
        }
    }
}

fn is_secret(fact: &Fact) -> bool {
    fact.secrecy() == Secrecy::Secret
}

/// Returns an attribute of a character that is a number from 0 to 1, or else the default.
fn share(state: &State, id: &EntityId, name: &str, default: f64) -> f64 {
    let stated = state.newest(id, name).and_then(|fact| match fact.object() {
        Object::Value(Value::Number(number)) => Some(number.get()),
        Object::Value(Value::Text(text)) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    });
    stated.unwrap_or(default).clamp(0.0, 1.0)
}

/// A meeting of two characters. Each character has a flag that is `true` for a visitor.
pub(super) struct Meeting<'s> {
    pub(super) place: &'s EntityId,
    pub(super) people: [(usize, bool); 2],
}

/// A character who takes part in a round of meetings: the random draw for pairing, the index of the character, and a
/// flag that is `true` for a visitor.
type Attendee = (u64, usize, bool);

/// Characters who take part in a round of meetings at one place.
type Attendees = Vec<Attendee>;

/// All characters that can meet, and the places.
pub(super) struct MeetingPlan<'s> {
    state: &'s State,
    options: &'s GossipOptions,
    draws: RandomDraws,
    people: Vec<Person<'s>>,
    ids: Vec<Option<&'s EntityId>>,
    locations: FxHashSet<u32>,
    /// The neighbours of each place, cached for one day.
    neighbours: FxHashMap<u32, Vec<u32>>,
    day: Option<i64>,
}

impl<'s> MeetingPlan<'s> {
    pub(super) fn new(state: &'s State, options: &'s GossipOptions, draws: RandomDraws) -> Self {
        let (mut people, mut locations) = (Vec::new(), FxHashSet::default());
        let mut ids = vec![None; state.index_count()];
        for entity in state.entities() {
            let Some(index) = state.index_of(&entity.id) else { continue };
            ids[index as usize] = Some(&entity.id);
            match state.kind(&entity.id) {
                Some(Kind::Npc) => people.push(Person::new(state, &entity.id, index)),
                Some(Kind::Location) => {
                    locations.insert(index);
                }
                _ => {}
            }
        }
        Self { state, options, draws, people, ids, locations, neighbours: FxHashMap::default(), day: None }
    }

    /// Returns the ids of all entities by dense index.
    pub(super) fn ids(&self) -> &[Option<&'s EntityId>] {
        &self.ids
    }

    pub(super) fn person(&self, number: usize) -> &Person<'s> {
        &self.people[number]
    }

    /// Returns the characters that are alive at a moment.
    pub(super) fn living(&self, when: GameTime) -> impl Iterator<Item = usize> {
        (0..self.people.len()).filter(move |person| !self.people[*person].is_dead(when))
    }

    /// Returns the places of a character at the start and at the end of the step.
    fn places(&self, person: usize) -> impl Iterator<Item = u32> {
        let options = self.options;
        [options.from, options.until].into_iter().filter_map(move |when| self.people[person].place(when))
    }

    /// Returns whether the place of a character is known at the start or at the end of the step.
    pub(super) fn has_place(&self, person: usize) -> bool {
        self.places(person).next().is_some()
    }

    /// Returns whether no other character is at the place of a character, at the start and at the end of the step. A
    /// character does not count if the two cannot [meet](Self::can_meet).
    pub(super) fn is_alone(&self, person: usize, knowledge: &mut CharacterKnowledge) -> bool {
        let is_near = |other: usize| self.places(other).any(|place| self.places(person).any(|own| own == place));
        let mut others = (0..self.people.len()).filter(|other| *other != person && is_near(*other));
        let GossipOptions { from, until, .. } = *self.options;
        !others.any(|other| [from, until].into_iter().any(|when| self.can_meet(person, other, when, knowledge)))
    }

    /// Returns whether two characters at the same place can meet: each of the two knows the place of the other, or the
    /// other does not [hide](Person::hides).
    fn can_meet(&self, a: usize, b: usize, when: GameTime, knowledge: &mut CharacterKnowledge) -> bool {
        [(a, b), (b, a)].into_iter().all(|(observer, other)| {
            let (observer, other) = (&self.people[observer], &self.people[other]);
            !other.hides(when) || {
                knowledge.prepare(observer.index, when);
                other.place_facts(when).any(|(fact, _)| knowledge.knows(observer.index, fact.id(), when))
            }
        })
    }

    /// Returns the meetings in one round of a day, sorted by place and then by the random draw.
    ///
    /// Characters who do not hide are paired first, so a hidden character does not change whom they meet.
    pub(super) fn meetings(
        &mut self,
        day: i64,
        begins: GameTime,
        round: u32,
        when: GameTime,
        knowledge: &mut CharacterKnowledge,
    ) -> Vec<Meeting<'s>> {
        if self.day.replace(day) != Some(day) {
            self.neighbours.clear();
        }
        let (day_number, probability) = (day as u64, self.options.meetings_per_day / f64::from(ROUNDS));
        let mut by_place: BTreeMap<(u32, u32), Attendees> = BTreeMap::new();
        for person in 0..self.people.len() {
            let Person { hash, .. } = self.people[person];
            if self.draws.fraction([MEETING_DRAW, day_number, round.into(), hash]) >= probability {
                continue;
            }
            let Some(home) = self.people[person].place(when) else { continue };
            // A character who hides does not travel.
            let day_place = if self.people[person].hides(when) {
                Some((home, false))
            } else {
                self.place_on_day(hash, home, day, begins)
            };
            let Some((place, visits)) = day_place else { continue };
            let pairing_draw = self.draws.number([PAIRING_DRAW, day_number, round.into(), hash]);
            by_place.entry((self.state.rank_at(place), place)).or_default().push((pairing_draw, person, visits));
        }
        let mut meetings = Vec::new();
        for ((_, place), mut people) in by_place {
            let Some(place) = self.ids[place as usize] else { continue };
            people.sort_unstable();
            let (hidden, visible): (Attendees, Attendees) =
                people.into_iter().partition(|(_, person, _)| self.people[*person].hides(when));
            let mut pairs: Vec<_> = visible.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect();
            if !hidden.is_empty() {
                pairs.extend(self.pairs_with_hidden(&hidden, &visible, when, knowledge));
            }
            meetings.extend(pairs.into_iter().map(|pair| {
                let people = pair.map(|(_, person, visits)| (person, visits));
                Meeting { place, people }
            }));
        }
        meetings
    }

    /// Pairs each hidden character at a place with one character who knows that it is there.
    fn pairs_with_hidden(
        &self,
        hidden: &Attendees,
        visible: &Attendees,
        when: GameTime,
        knowledge: &mut CharacterKnowledge,
    ) -> Vec<[Attendee; 2]> {
        let mut free: Attendees = hidden.iter().chain(visible).copied().collect();
        let mut pairs = Vec::new();
        for attendee in hidden {
            let Some(own) = free.iter().position(|other| other == attendee) else { continue };
            free.remove(own);
            if let Some(other) = free.iter().position(|other| self.can_meet(attendee.1, other.1, when, knowledge)) {
                pairs.push([*attendee, free.remove(other)]);
            }
        }
        pairs
    }

    /// Returns the place of a character on a day, and whether the character is a visitor there. Returns `None` while
    /// the character is travelling.
    fn place_on_day(&mut self, hash: u64, home: u32, day: i64, begins: GameTime) -> Option<(u32, bool)> {
        let (draws, probability) = (self.draws, self.options.visits_per_day);
        let sets_out = |day: i64| draws.fraction([VISIT_DRAW, day as u64, hash]) < probability;
        let (visits, leaves) = (sets_out(day.wrapping_sub(1)), sets_out(day));
        if !visits && !leaves {
            return Some((home, false));
        }
        let neighbours = self.neighbours(home, begins);
        match (neighbours.len() as u64, visits) {
            (0, _) => Some((home, false)),
            (_, false) => None,
            (count, true) => {
                Some((neighbours[(draws.number([DESTINATION_DRAW, day as u64, hash]) % count) as usize], true))
            }
        }
    }

    fn neighbours(&mut self, place: u32, when: GameTime) -> &[u32] {
        let (state, locations) = (self.state, &self.locations);
        let is_part = |link: &Link| state.vocabulary().belonging(link.fact().predicate()) == Some(Belonging::Part);
        self.neighbours.entry(place).or_insert_with(|| {
            let links_to_places = |place: u32| {
                let links = state.links_at(place).filter(move |link| locations.contains(&link.other_index()));
                links.filter(move |link| is_canon_at(link.fact(), Some(when)))
            };
            let mut neighbours: Vec<u32> = Vec::new();
            for link in links_to_places(place) {
                neighbours.push(link.other_index());
                if link.is_forward() && is_part(&link) {
                    let parts = links_to_places(link.other_index()).filter(|part| !part.is_forward() && is_part(part));
                    neighbours.extend(parts.map(|part| part.other_index()));
                }
            }
            neighbours.retain(|other| *other != place);
            neighbours.sort_unstable_by_key(|other| state.rank_at(*other));
            neighbours.dedup();
            neighbours
        })
    }
}
