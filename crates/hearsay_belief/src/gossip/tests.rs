//! Tests with news of a fire in two villages, and with random worlds. In the random worlds, gossip must give the same
//! result as a sequence of single tellings.

use hearsay_model::{
    Attitude, Author, Degree, Entity, Fact, FactBuilder, FactRelation, Method, MindRules, Number, Operation,
    Provenance, Secrecy, Setting, Validity, Value, WorldSetting,
};
use proptest::prelude::*;

use super::*;
use crate::{
    View,
    learn::{Telling, tell},
    withdrawal_changes,
};

mod contradictions;
mod hiding;
mod reasons;
mod rumours;
mod stifling;

const DAY: i64 = 24 * 60;

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn at(minute: i64) -> Option<Date> {
    Some(Date::at(GameTime(minute)))
}

fn provenance() -> Provenance {
    Provenance::new(Method::Authored, Author::Dm)
}

fn attribute(subject: &str, name: &str, value: impl Into<Value>) -> FactBuilder {
    Fact::attribute(&id(subject), name, value, provenance()).unwrap()
}

fn relation(subject: &str, name: &str, object: &str) -> FactBuilder {
    Fact::relation(&id(subject), name, &id(object), provenance()).unwrap()
}

/// The changes that create a test world.
#[derive(Default, Clone)]
struct World(Vec<Change>);

impl World {
    fn add(&mut self, name: &str, kind: &str) {
        self.0.push(Change::AddEntity(Entity::new(id(name))));
        self.fact(attribute(name, "kind", kind), &[name]);
    }

    /// Adds a fact that some knowers have always known, and returns its id.
    fn fact(&mut self, fact: FactBuilder, knowers: &[&str]) -> FactId {
        let fact = fact.build().unwrap();
        let id = fact.id();
        self.0.push(Change::AssertFact(fact.into()));
        knowers.iter().for_each(|knower| self.learn(KnowledgeEdge::authored(knower.parse().unwrap(), id)));
        id
    }

    fn learn(&mut self, edge: KnowledgeEdge) {
        self.0.push(Change::Learn(Arc::new(edge.sorted())));
    }

    /// Adds a fact that some knowers witness at a moment, and returns its id.
    fn event(&mut self, fact: FactBuilder, witnesses: &[&str], when: i64) -> FactId {
        let fact = self.fact(fact, &[]);
        for knower in witnesses {
            let edge = KnowledgeEdge::authored(knower.parse().unwrap(), fact);
            self.learn(KnowledgeEdge { acquisition: Acquisition::Witnessed, learned: at(when), ..edge });
        }
        fact
    }

    fn forget(&mut self, forgetting: Degree) {
        let rules = MindRules { forgetting, ..MindRules::default() };
        self.0.push(Change::Set(Setting::World(WorldSetting::Minds(rules))));
    }

    fn villager(&mut self, name: &str, home: &str) {
        self.add(name, "npc");
        self.fact(attribute(name, "name", name), &[name, home]);
        self.fact(relation(name, "RESIDENT_OF", home), &[name, home]);
    }

    fn state(&self) -> State {
        State::fold([Operation::new(Author::Dm, "world", self.0.clone())]).unwrap()
    }
}

/// Returns a world of two villages in one valley, with thirty people each.
fn valley() -> World {
    let mut world = World::default();
    for place in ["valley", "ashby", "birchley"] {
        world.add(place, "location");
    }
    for village in ["ashby", "birchley"] {
        world.fact(relation(village, "PART_OF", "valley"), &[village]);
        (0..30).for_each(|n| world.villager(&format!("{village}-{n}"), village));
    }
    world
}

/// Returns a village with ten people who know each other and tell everything that they are willing to tell.
fn talkative_village() -> World {
    let mut world = World::default();
    world.add("ashby", "location");
    for n in 0..10 {
        let name = format!("p{n}");
        world.villager(&name, "ashby");
        world.fact(attribute(&name, "talkativeness", Value::Number(Number::new(1.0).unwrap())), &[]);
    }
    world
}

/// Adds a fire in Ashby, in the night before the first day of the gossip step.
fn fire(world: &mut World) -> FactId {
    let burned = attribute("ashby", "lore", "The mill of Ashby burned down.");
    world.event(burned, &["ashby-0", "ashby-1", "ashby-2"], DAY - 60)
}

fn days(first: i64, end: i64) -> GossipOptions {
    GossipOptions { seed: 7, ..GossipOptions::between(GameTime(first * DAY), GameTime(end * DAY)) }
}

/// Returns options for days with many meetings. The result explains which facts are not told.
fn lively_days(first: i64, end: i64) -> GossipOptions {
    GossipOptions { explain: true, meetings_per_day: 8.0, ..days(first, end) }
}

fn committed(mut state: State, changes: Vec<Change>) -> State {
    if !changes.is_empty() {
        state.apply(Operation::new(Author::Game, "gossip", changes)).unwrap();
    }
    state
}

#[test]
fn news_reaches_the_next_village_in_days() {
    let mut world = valley();
    let fire = fire(&mut world);
    let state = world.state();
    for seed in 0..10 {
        let step = gossip(&state, &GossipOptions { seed, ..days(1, 15) }).unwrap();
        let spread = step.spread(&state);
        assert_eq!((spread.len(), spread[0].fact, spread[0].before), (1, fire, 3), "names are no news");
        let (in_ashby, in_birchley) = {
            let first = |place: &str| spread[0].places.iter().find(|(id, _)| id.as_str() == place).unwrap().1.0 / DAY;
            (first("ashby"), first("birchley"))
        };
        assert!((2..=10).contains(&in_birchley) && in_ashby < in_birchley, "seed {seed}: {:?}", spread[0].places);
        assert!(spread[0].after > 30, "seed {seed}: only {} know it", spread[0].after);

        let after = committed(state.clone(), step.changes);
        let own: BTreeSet<_> =
            after.known_by(fire).filter(|e| e.acquisition.gives_knowledge()).map(|e| e.knower.clone()).collect();
        assert_eq!(own.len(), spread[0].after);
    }
}

#[test]
fn belief_falls_with_each_retelling_and_withdrawing_the_origin_withdraws_it_all() {
    let mut world = valley();
    let fire = fire(&mut world);
    let state = world.state();
    let step = gossip(&state, &days(1, 15)).unwrap();
    let after = committed(state.clone(), step.changes.clone());
    let mut hops = 0;
    for news in &step.news {
        let teller = View::new(&after, &news.teller.clone().into(), Some(news.when));
        let of_teller = teller.fact(fire).unwrap();
        assert!(
            after.knowledge(news.edge).is_some() && news.belief < of_teller.credence(),
            "{} told {}",
            news.teller,
            news.hearer
        );
        hops += usize::from(of_teller.credence().get() < 0.5);
    }
    assert!(hops > 0, "a rumour that nobody vouches for is passed on");

    let witnessed: Vec<_> = after.known_by(fire).filter(|e| e.acquisition.is_witnessed()).map(|e| e.id()).collect();
    let after_withdrawal = committed(after.clone(), withdrawal_changes(&after, &witnessed));
    assert_eq!(after_withdrawal.known_by(fire).count(), 0);
    assert!(step.news.iter().all(|news| after_withdrawal.knowledge(news.edge).is_none()));
}

#[test]
fn concealed_facts_never_spread_and_the_dead_are_silent() {
    let mut world = valley();
    let fire = fire(&mut world);
    let lore = |text: &str| attribute("ashby", "lore", text);
    let witness = |world: &mut World, fact, edge: &dyn Fn(KnowledgeEdge) -> KnowledgeEdge| {
        let fact = world.fact(fact, &[]);
        let known = KnowledgeEdge { learned: at(DAY - 60), ..KnowledgeEdge::authored(id("ashby-3").into(), fact) };
        world.learn(edge(known));
        fact
    };
    let never_told = [
        witness(&mut world, lore("Secret.").secrecy(Secrecy::Secret), &|edge| edge),
        witness(&mut world, lore("Concealed."), &|edge| KnowledgeEdge { conceals: true, ..edge }),
        witness(&mut world, lore("Doubted."), &|edge| KnowledgeEdge { credence: Credence::NONE, ..edge }),
        witness(&mut world, lore("Old."), &|edge| KnowledgeEdge { learned: at(-100 * DAY), ..edge }),
        witness(&mut world, lore("Since ever."), &|edge| KnowledgeEdge { learned: None, ..edge }),
        witness(&mut world, lore("Not yet."), &|edge| KnowledgeEdge { learned: at(100 * DAY), ..edge }),
        witness(&mut world, attribute("ashby-3", "goals", "Private."), &|edge| edge),
        witness(&mut world, attribute("ashby-4", "emotional_state", "Moody."), &|edge| edge),
        witness(&mut world, relation("ashby-4", "LOCATED_AT", "ashby"), &|edge| edge),
        world.event(lore("Everybody knows."), &["*", "ashby-5"], DAY - 60),
    ];
    let refuted = witness(&mut world, lore("Refuted."), &|edge| edge);
    let not_so = lore("Not so.").fact_relation(Some(FactRelation::Refutes(refuted)));
    world.event(not_so, &["ashby-3"], DAY - 60);
    let of_four = world.event(attribute("ashby-4", "lore", "Of the fourth."), &["ashby-0", "ashby-1"], DAY - 60);
    world.fact(attribute("ashby-6", "condition", "dead"), &[]);
    let fell = Validity { from: at(3 * DAY), until: None };
    world.fact(attribute("ashby-7", "condition", "slain").validity(fell), &[]);
    world.fact(attribute("ashby-8", "talkativeness", Value::Number(Number::new(0.0).unwrap())), &[]);
    world.villager("hero", "ashby");
    world.fact(attribute("hero", "kind", "player"), &["hero"]);

    let step = gossip(&world.state(), &days(1, 15)).unwrap();
    for news in &step.news {
        assert!(!never_told.contains(&news.fact) && news.fact != refuted, "{news:?}");
        assert!(![&news.teller, &news.hearer].contains(&&id("hero")), "what players say is played: {news:?}");
        assert!(news.fact != of_four || news.hearer != id("ashby-4"), "{news:?}");
        assert_ne!(news.teller, id("ashby-8"));
        for (dead, since) in [("ashby-6", 0), ("ashby-7", 3 * DAY)] {
            assert!(![&news.teller, &news.hearer].contains(&&id(dead)) || news.when.0 < since, "{news:?}");
        }
    }
    let told: BTreeSet<_> = step.news.iter().map(|news| news.fact).collect();
    assert!(told.contains(&fire) && told.contains(&of_four) && told.len() == 3);
    assert!(step.news.iter().any(|news| news.hearer == id("ashby-8")), "who is silent still hears");
}

#[test]
fn friends_tell_more_than_enemies() {
    let told_count = |name: &str, attitude: i64| {
        let mut world = valley();
        for (one, other) in (0..30).flat_map(|one| (0..30).map(move |other| (one, other))).filter(|(a, b)| a != b) {
            let one = format!("ashby-{one}");
            let fact = relation(&one, name, &format!("ashby-{other}"));
            world.fact(fact.attitude(Some(Attitude::new(attitude).unwrap())), &[&one]);
        }
        fire(&mut world);
        let state = world.state();
        let told_with_seed = |seed| gossip(&state, &GossipOptions { seed, ..days(1, 4) }).unwrap().news.len();
        (0..10).map(told_with_seed).sum::<usize>()
    };
    let (friends, strangers, enemies) =
        (told_count("LIKES", 60), told_count("KNOWS", 0), told_count("HOSTILE_TO", -80));
    assert!(friends > strangers && strangers > 2 * enemies && enemies > 0, "{friends}, {strangers}, {enemies}");
}

#[test]
fn the_same_seed_makes_the_same_talk_and_another_seed_another() {
    let mut world = valley();
    fire(&mut world);
    let state = world.state();
    let step = gossip(&state, &days(1, 9)).unwrap();
    assert_eq!(format!("{step:?}"), format!("{:?}", gossip(&state, &days(1, 9)).unwrap()));
    assert_ne!(step, gossip(&state, &GossipOptions { seed: 8, ..days(1, 9) }).unwrap());
    assert_eq!(state, world.state(), "a preview changes nothing");

    // The order in which the world was written does not matter.
    let mut entities: Vec<_> = world.0.iter().filter(|c| matches!(c, Change::AddEntity(_))).cloned().collect();
    let mut facts: Vec<_> = world.0.iter().filter(|c| matches!(c, Change::AssertFact(_))).cloned().collect();
    let mut edges: Vec<_> = world.0.iter().filter(|c| matches!(c, Change::Learn(_))).cloned().collect();
    [&mut entities, &mut facts, &mut edges].into_iter().for_each(|part| part.reverse());
    let other = World([entities, facts, edges].concat()).state();
    assert_eq!(step, gossip(&other, &days(1, 9)).unwrap());

    let none = GossipOptions { meetings_per_day: 0.0, ..days(1, 9) };
    assert_eq!(gossip(&state, &none), Ok(GossipStep::default()));
}

#[test]
fn options_that_cannot_be_say_what_was_expected() {
    let check = |options: GossipOptions, expected: &str| {
        let error = gossip(&State::default(), &options).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(days(3, 1), "cannot end at the earlier time");
    check(days(0, 2_000), "can cover at most 1000 days");
    check(GossipOptions::between(GameTime(i64::MIN), GameTime(i64::MAX)), "can cover at most 1000 days");
    check(GossipOptions { meetings_per_day: 9.0, ..days(1, 2) }, "from 0 to 8, not 9");
    check(GossipOptions { visits_per_day: f64::NAN, ..days(1, 2) }, "from 0 to 1, not NaN");
    for edge in [i64::MIN, i64::MAX - 1] {
        let options = GossipOptions::between(GameTime(edge), GameTime(edge + 1));
        assert_eq!(gossip(&valley().state(), &options).unwrap().news, []);
    }
}

/// Returns a small random world: groups with ranks, residents who move, attitudes, discovered lies, refutations.
fn random_world(mut seed: u64) -> World {
    let mut next = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut world = World::default();
    let (people, places, groups) = (8, ["town", "mill", "quay"], ["guild", "cell"]);
    let person = |n: usize| format!("p{n}");
    places.iter().for_each(|place| world.add(place, "location"));
    groups.iter().for_each(|group| world.add(group, "faction"));
    (0..people).for_each(|n| world.add(&person(n), "npc"));
    let ranks = world.fact(attribute("guild", "ranks", "novice, master"), &["guild"]);
    world.fact(relation("mill", "PART_OF", "town"), &["mill", "town"]);
    world.fact(relation("quay", "PART_OF", "town"), &["quay", "*"]);
    world.fact(relation("cell", "PART_OF", "guild"), &["cell"]);
    let mut known = vec![ranks];
    for n in 0..people {
        let (name, place, group) = (person(n), places[next(3)], groups[next(2)]);
        world.fact(attribute(&name, "name", name.as_str()), [&[place][..], &[&name, place], &[]][next(3)]);
        let moved = Validity { from: [None, at(next(4) as i64 * DAY + 600)][next(2)].clone(), until: None };
        world.fact(relation(&name, "RESIDENT_OF", place).validity(moved), &[&name, place]);
        if next(2) == 0 {
            let location = relation(&name, "LOCATED_AT", places[next(3)]);
            let from = Validity { from: at(next(5) as i64 * DAY), until: [None, at(5 * DAY + 700)][next(2)].clone() };
            let (secrecy, knowers) =
                [(Secrecy::Open, vec![]), (Secrecy::Secret, vec![person(next(people))])][next(2)].clone();
            let knowers: Vec<&str> = knowers.iter().map(String::as_str).collect();
            world.fact(location.validity(from).secrecy(secrecy), &knowers);
        }
        let rank = [None, Some("novice".to_owned()), Some("master".to_owned())][next(3)].clone();
        let until = [None, at(next(5) as i64 * DAY + 700)][next(2)].clone();
        let member = relation(&name, "MEMBER_OF", group).rank(rank).validity(Validity { from: None, until });
        known.push(world.fact(member, [&[&name[..]][..], &[group, &name], &[group]][next(3)]));
        let feeling = relation(&name, ["LIKES", "HOSTILE_TO", "TRUSTS", "KNOWS"][next(4)], &person((n + 1) % people));
        let attitude = [None, Some(Attitude::new(next(200) as i64 - 100).unwrap())][next(2)];
        known.push(world.fact(feeling.attitude(attitude), &[&name]));
        world.fact(attribute(&name, "talkativeness", Value::Number(Number::new(1.0).unwrap())), &[]);
    }
    for n in 0..24 {
        let subject = [person(next(people)), places[next(3)].to_owned()][next(2)].clone();
        let mut fact = match next(3) {
            0 => relation(&subject, ["OWES", "HELPED", "HARMED", "SAVED"][next(4)], &person(next(people))),
            1 => attribute(&subject, ["species", "lore", "condition"][next(3)], ["one", "two", "three"][next(3)]),
            _ => attribute(&subject, "lore", format!("Lore {n}.")),
        };
        let on = known[next(known.len())];
        fact = fact.fact_relation([None, None, Some(FactRelation::Refutes(on)), Some(FactRelation::Ends(on))][next(4)]);
        let contradicted: Vec<FactId> = (0..next(3)).map(|_| known[next(known.len())]).collect();
        fact = fact.contradicts(contradicted);
        let start = [None, at(next(4) as i64 * DAY)][next(2)].clone();
        let fact =
            world.fact(fact.statement(format!("Fact {n}.")).validity(Validity { from: start, until: None }), &[]);
        known.push(fact);
        for _ in 0..next(4) + 1 {
            let one = person(next(people));
            let knower = [&one, places[next(3)], groups[next(2)], &one][next(4)];
            let knower: Knower = if next(24) == 0 { Knower::World } else { id(knower).into() };
            let told = Acquisition::told(Some(id(&person(next(people)))));
            let acquisition =
                [Acquisition::Witnessed, told, Acquisition::Authored, Acquisition::Shared][next(4)].clone();
            world.learn(KnowledgeEdge {
                acquisition,
                learned: [None, at(next(5) as i64 * DAY + next(1_440) as i64)][next(2)].clone(),
                credence: Credence::new(next(11) as f64 / 10.0).unwrap(),
                conceals: next(10) == 0,
                co_present: (0..next(3)).map(|_| id(&person(next(people)))).collect(),
                rank: [None, None, Some("master".to_owned()), Some("novice".to_owned())][next(4)].clone(),
                ..KnowledgeEdge::authored(knower, fact)
            });
        }
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// At every moment, the knowledge of a knower during gossip equals its view.
    #[test]
    fn minds_equal_views(seed: u64) {
        let mut world = random_world(seed);
        world.forget(Degree::Strong);
        let state = world.state();
        let ids: Vec<_> = (0..state.index_count() as u32)
            .map(|index| state.entities().map(|entity| &entity.id).find(|id| state.index_of(id) == Some(index)))
            .collect();
        let mut knowledge = CharacterKnowledge::new(&state, ids.clone(), GameTime(0)..=GameTime(6 * DAY), DAY);
        for moment in (0..=6 * DAY).step_by(700) {
            let now = GameTime(moment);
            for (character, knower) in (0_u32..).zip(&ids).filter_map(|(index, id)| Some((index, (*id)?))) {
                let view = View::new(&state, &knower.clone().into(), Some(now));
                knowledge.prepare(character, now);
                for fact in state.facts() {
                    let known = knowledge.known(character, fact.id(), now);
                    let expected = view.fact(fact.id()).filter(|known| !known.is_made_up());
                    prop_assert_eq!(known.as_ref(), expected, "{} of {} at {}", fact.statement(), knower, now);
                    let Some(known) = known else { continue };
                    prop_assert_eq!(knowledge.retention(character, &known, now), view.retention(&known, Some(now)));
                    let belief = view.belief(&known);
                    let credence = knowledge.effective_credence(character, &known, now);
                    let may_be_told = matches!(belief.status, crate::BeliefStatus::Believed | crate::BeliefStatus::Doubted);
                    prop_assert_eq!(credence, if may_be_told { belief.credence.get() } else { 0.0 });
                }
                for (other, id) in (0_u32..).zip(&ids).filter_map(|(index, id)| Some((index, (*id)?))) {
                    if other != character {
                        prop_assert_eq!(knowledge.trust(character, other, now), Trust::from_view(&view, id));
                    }
                }
            }
        }
    }

    /// A step of gossip equals a sequence of tellings, however the step is divided.
    #[test]
    fn gossip_is_telling_one_by_one(seed: u64, cut in 0..8 * DAY) {
        let mut world = random_world(seed);
        world.forget(if seed.is_multiple_of(2) { Degree::Strong } else { Degree::Off });
        // These rumours fade during the step.
        for n in 0..8 {
            let fact = world.fact(attribute("town", "lore", format!("Rumour {n}.")), &[]);
            let learned = at(-(13 + n) * DAY);
            let edge = KnowledgeEdge::authored(id(&format!("p{n}")).into(), fact);
            world.learn(KnowledgeEdge { acquisition: Acquisition::told(None), learned, ..edge });
        }
        let state = world.state();
        let lively = GossipOptions { seed, news_days: 60, meetings_per_day: 8.0, visits_per_day: 0.3, ..days(0, 8) };
        let step = gossip(&state, &lively).unwrap();
        let mut told = state.clone();
        let mut changes = Vec::new();
        for news in &step.news {
            let time = Some(Date { raw: told.calendar().format(news.when), time: Some(news.when) });
            let occasion = Occasion { time, place: Some(news.place.clone()), session: None };
            let fact = Arc::clone(told.fact(news.fact).unwrap());
            let telling = Telling::new(&news.teller, std::slice::from_ref(&news.hearer), &fact);
            let learning = tell(&told, &telling, &occasion).unwrap();
            let learned_fact = &learning.learned_facts[0];
            prop_assert_eq!((learned_fact.edge, learned_fact.was_known), (news.edge, news.was_known));
            changes.extend(learning.changes.clone());
            told = committed(told, learning.changes);
            let belief = crate::BeliefCalculator::new(&told).belief(news.edge, told.knowledge(news.edge).unwrap());
            prop_assert_eq!(belief, news.belief.get());
        }
        prop_assert_eq!(&step.changes, &changes);

        let first = gossip(&state, &GossipOptions { until: GameTime(cut), ..lively.clone() }).unwrap();
        let between = committed(state, first.changes.clone());
        let second = gossip(&between, &GossipOptions { from: GameTime(cut), ..lively }).unwrap();
        prop_assert_eq!(&step.changes, &[first.changes, second.changes].concat());
        prop_assert_eq!(step.meetings, first.meetings + second.meetings);
    }
}
