//! The town, its people and their rumours.

use std::{collections::BTreeSet, sync::Arc};

use anyhow::{Context, Result};
use hearsay_belief::{Feelings, Occasion, learn};
use hearsay_model::{
    Author, Change, Date, Entity, EntityId, Fact, FactBuilder, FactId, GameSetting, GameTime, Knower, KnowledgeEdge,
    Method, MindRules, Number, Operation, Predicate, PredicateRole, Provenance, Setting, State, Validity, Value,
    WorldSetting, attribute,
};

use super::DAY;
use crate::Random;

/// Number of people who live at one inn.
const PEOPLE_PER_INN: usize = 25;

/// Number of people for each deed of a day.
const PEOPLE_PER_DEED: usize = 50;

/// The deeds that change feelings.
const DEEDS: [&str; 4] = ["HELPED", "INSULTED", "STOLE_FROM", "THREATENED"];

/// Minimum strength of a strong feeling.
const MIN_STRONG_FEELING: f64 = 20.0;

/// A town with its current state.
pub(super) struct Town {
    pub(super) state: State,
    pub(super) people: Vec<EntityId>,
    inns: Vec<EntityId>,
    /// The pairs of people between whom there was a deed: who felt it, and who did it.
    deeds: BTreeSet<(EntityId, EntityId)>,
}

impl Town {
    /// Builds a town with some number of people. Everybody knows all names.
    pub(super) fn build(people: usize, rules: MindRules) -> Result<Self> {
        let mut town = Self { state: State::default(), people: Vec::new(), inns: Vec::new(), deeds: BTreeSet::new() };
        let place = EntityId::new("town")?;
        let mut changes = vec![
            Change::Set(Setting::World(WorldSetting::Minds(rules))),
            Change::Set(Setting::Game(GameSetting::Clock(GameTime(0)))),
        ];
        add_entity(&mut changes, &place, "the town", "location")?;
        for number in 0..people.div_ceil(PEOPLE_PER_INN) {
            let inn = EntityId::new(format!("inn-{number}"))?;
            add_entity(&mut changes, &inn, &format!("Inn {number}"), "location")?;
            add_fact(&mut changes, Fact::relation(&inn, PredicateRole::Part.name(), &place, provenance())?)?;
            town.inns.push(inn);
        }
        for number in 0..people {
            let person = EntityId::new(format!("person-{number}"))?;
            add_entity(&mut changes, &person, &format!("Person {number}"), "npc")?;
            let home = &town.inns[number / PEOPLE_PER_INN];
            add_fact(&mut changes, Fact::relation(&person, PredicateRole::Residence.name(), home, provenance())?)?;
            // One in ten characters often tells a story wrongly.
            let honesty = Number::new(if number % 10 == 0 { 0.2 } else { 0.9 }).context("a finite number")?;
            let honesty = Fact::attribute(&person, attribute::HONESTY, Value::Number(honesty), provenance())?;
            changes.push(Change::AssertFact(Arc::new(honesty.build()?)));
            town.people.push(person);
        }
        town.apply(changes)?;
        Ok(town)
    }

    pub(super) fn apply(&mut self, changes: Vec<Change>) -> Result<()> {
        if !changes.is_empty() {
            self.state.apply(Operation::new(Author::Game, "a day in the town", changes))?;
        }
        Ok(())
    }

    pub(super) fn set_clock(&mut self, now: GameTime) -> Result<()> {
        self.apply(vec![Change::Set(Setting::Game(GameSetting::Clock(now)))])
    }

    /// Lets single characters see the events of the first day. Returns the facts that state these events.
    pub(super) fn start_rumours(&mut self, count: usize, random: &mut Random) -> Result<Vec<FactId>> {
        let mut rumours = Vec::new();
        for number in 0..count {
            let (witness, thief, victim) = (self.person(random), self.person(random), self.person(random));
            let inn = self.inns[random.below(self.inns.len())].clone();
            let [thief_name, victim_name, inn_name] = [&thief, &victim, &inn].map(|id| self.name(id));
            let coins = 12 + number;
            let text = format!(
                "Perhaps {thief_name} took {coins} silver coins from {victim_name} at {inn_name} on the night of the \
                 storm."
            );
            let fact = Fact::attribute(&thief, attribute::LORE, text.clone(), provenance())?;
            let fact = Arc::new(fact.statement(text).mentions([victim, inn]).build()?);
            rumours.push(fact.id());
            let learning = learn::witness(&self.state, &[fact], &[witness], &occasion(9 * 60))?;
            self.apply(learning.changes)?;
        }
        Ok(rumours)
    }

    /// Lets some characters help, insult, rob or threaten others on a day. Two other people see each deed.
    pub(super) fn quarrel_and_help(&mut self, day: u32, random: &mut Random) -> Result<()> {
        let morning = i64::from(day - 1) * DAY + 7 * 60;
        for minute in (morning..).take(self.people.len().div_ceil(PEOPLE_PER_DEED)) {
            let home = random.below(self.inns.len());
            let of_home = self.people.chunks(PEOPLE_PER_INN).nth(home).unwrap_or_default();
            let people: Vec<EntityId> = (0..4).filter_map(|_| random.choose(of_home).cloned()).collect();
            let [actor, target, ..] = &people[..] else { continue };
            if actor == target {
                continue;
            }
            let deed = Predicate::new(random.choose(&DEEDS).copied().unwrap_or(DEEDS[0]))?;
            let statement = self.state.vocabulary().sentence(&deed, &self.name(actor), &self.name(target));
            let validity = Validity { from: Some(Date::at(GameTime(minute))), until: None };
            let fact = Fact::relation(actor, deed, target, provenance())?;
            let fact = Arc::new(fact.statement(statement).validity(validity).build()?);
            let learning = learn::witness(&self.state, &[fact], &people, &occasion(minute))?;
            self.apply(learning.changes)?;
            self.deeds.insert((target.clone(), actor.clone()));
        }
        Ok(())
    }

    /// Returns the number of ordered pairs of people in which the first has a strong feeling for the second.
    pub(super) fn strong_feelings(&self) -> usize {
        let is_strong = |(person, other): &&(EntityId, EntityId)| {
            Feelings::between(&self.state, person, other).values.strength() >= MIN_STRONG_FEELING
        };
        self.deeds.iter().filter(is_strong).count()
    }

    fn name(&self, id: &EntityId) -> String {
        self.state.name_or_id(id).to_owned()
    }

    fn person(&self, random: &mut Random) -> EntityId {
        self.people[random.below(self.people.len())].clone()
    }
}

fn provenance() -> Provenance {
    Provenance::new(Method::Authored, Author::Game)
}

fn occasion(minute: i64) -> Occasion {
    Occasion { time: Some(Date::at(GameTime(minute))), ..Occasion::default() }
}

fn add_entity(changes: &mut Vec<Change>, id: &EntityId, name: &str, kind: &str) -> Result<()> {
    changes.push(Change::AddEntity(Entity::new(id.clone())));
    add_fact(changes, Fact::attribute(id, attribute::NAME, name, provenance())?)?;
    add_fact(changes, Fact::attribute(id, attribute::KIND, kind, provenance())?)
}

/// Adds a fact that everybody knows.
fn add_fact(changes: &mut Vec<Change>, fact: FactBuilder) -> Result<()> {
    let fact = Arc::new(fact.build()?);
    let edge = KnowledgeEdge::authored(Knower::World, fact.id());
    changes.extend([Change::AssertFact(fact), Change::Learn(Arc::new(edge))]);
    Ok(())
}
