//! Generates worlds with people, nested groups and nested places. All kinds of operations change the knowledge of the
//! people.
//!
//! A world depends only on its random numbers. Most operations are similar to those of a real game. People witness,
//! tell, distort, lie, speak, read and deduce, as computed by the functions of [`hearsay_belief::learn`]. For days,
//! people gossip and forget. People also join groups, rise in rank, leave groups and die. The DM changes the status of
//! facts, removes facts and knowledge edges, and undoes operations. The other operations are random changes, such as
//! the changes of an import or of a careless author.

use std::sync::Arc;

use hearsay_belief::{
    Occasion, View, characters_at,
    gossip::{GossipOptions, gossip},
    learn::{self, LearnError, Learning, Sincerity, Telling},
};
use hearsay_model::{
    Acquisition, Attitude, Author, Change, Confidence, Credence, Date, Degree, Entity, EntityId, Evidence, Fact,
    FactBuilder, FactId, FactRelation, FactStatus, GameSetting, GameTime, IdError, Knower, KnowledgeEdge, Method,
    MindRules, Operation, Passage, PredicateRole, Provenance, Secrecy, Session, SessionId, Setting, Span, State,
    Validity, WorldSetting, attribute,
};

use crate::Random;

/// The ids of the people in every world. Any of them can be asked a question.
pub const PEOPLE: [&str; 5] = ["ann", "bob", "cat", "dan", "eve"];
const GROUPS: [&str; 3] = ["cell", "guild", "watch"];
const PLACES: [&str; 3] = ["inn", "ward", "town"];
const THINGS: [&str; 3] = ["boat", "ledger", "letter"];
const RANKS: [&str; 3] = ["novice", "brother", "master"];
const NAMES: [&str; 9] =
    ["Ann Brook", "Bob Alder", "Cat Brook", "Dan Finch", "Eve", "the Cell", "the Guild", "the Watch", "the Gilded Inn"];
/// Secret names, which few characters know. Some of these names are words that also occur in facts.
const SECRET_NAMES: [&str; 6] = ["the Grey Lady", "Night", "Ann Alder", "Fire", "the smuggler", "Marrowick"];
const WORDS: [&str; 14] = [
    "harbour",
    "ledger",
    "night",
    "fire",
    "boat",
    "Ann",
    "Bob Alder",
    "smuggler",
    "debt",
    "the Grey Lady",
    "guild",
    "chapel",
    "Brook",
    "inn",
];
/// The ids of the sessions in every world.
pub const SESSIONS: [&str; 2] = ["s1", "s2"];

/// A generated world.
#[derive(Debug, Clone, Default)]
pub struct GeneratedWorld {
    /// The state of the world.
    pub state: State,
    facts: Vec<Arc<Fact>>,
    time: i64,
}

/// Result of a generated change. An invalid change is skipped.
type StepResult<T> = Result<T, Box<dyn std::error::Error>>;

impl GeneratedWorld {
    /// Generates a world from random numbers.
    pub fn generate(random: &mut Random) -> Self {
        let mut world = Self::default();
        let result = world.add_entities(random);
        debug_assert!(result.is_ok(), "{result:?}");
        for _ in 0..random.below(60) {
            world.time += random.below(3) as i64;
            // Invalid steps are skipped, for example a step in which a dead character learns a fact.
            let _ = world.step(random);
        }
        world
    }

    /// Returns the latest game time in the world.
    pub fn now(&self) -> GameTime {
        GameTime(self.time)
    }

    /// Returns a random question. It may contain any name of any entity.
    pub fn question(random: &mut Random) -> String {
        let name = if random.percent(60) { random.choose(&NAMES) } else { random.choose(&SECRET_NAMES) };
        let mut name = (*name.unwrap_or(&"Ann")).to_owned();
        // Adds an occasional spelling mistake: a doubled letter.
        let at = random.below(name.len());
        if let Some(letter) = name.chars().nth(at).filter(|_| random.percent(30)) {
            name.insert(at, letter);
        }
        format!("Who is {name}, and what of {}?", random_sentence(random))
    }

    fn apply(&mut self, changes: Vec<Change>) -> StepResult<()> {
        self.state.apply(Operation::new(Author::Game, "world", changes))?;
        Ok(())
    }

    /// Adds all entities, with names, kinds, memberships and homes.
    fn add_entities(&mut self, random: &mut Random) -> StepResult<()> {
        let kinds = [(&PEOPLE[..], "npc"), (&GROUPS, "faction"), (&PLACES, "location"), (&THINGS[..2], "item")];
        let mut changes = vec![Change::Set(Setting::Game(GameSetting::Clock(GameTime(10))))];
        let [forgetting, distortion] = [(); 2].map(|()| *random.choose(&Degree::ALL).unwrap_or(&Degree::Off));
        let rules = MindRules { forgetting, distortion, stifling: distortion, ..MindRules::default() };
        changes.push(Change::Set(Setting::World(WorldSetting::Minds(rules))));
        for session in SESSIONS {
            let (id, title) = (SessionId::new(session)?, "A night".into());
            let session = Session { id, number: None, title, date: None, start: None, end: None, present: vec![] };
            changes.push(Change::SetSession(session));
        }
        for id in [&PEOPLE[..], &GROUPS, &PLACES, &THINGS].concat() {
            changes.push(Change::AddEntity(Entity::new(EntityId::new(id)?)));
        }
        self.apply(changes)?;
        for (ids, kind) in kinds.into_iter().chain([(&THINGS[2..], "document")]) {
            for id in ids {
                let fact =
                    Fact::attribute(&EntityId::new(id)?, attribute::KIND, kind, random_provenance(random)?)?.build()?;
                self.record(fact, random, 20)?;
            }
        }
        for (id, name) in [&PEOPLE[..], &GROUPS, &PLACES[..1]].concat().into_iter().zip(NAMES) {
            let fact =
                Fact::attribute(&EntityId::new(id)?, attribute::NAME, name, random_provenance(random)?)?.build()?;
            self.record(fact, random, 50)?;
        }
        for name in random.subset(&SECRET_NAMES, 60) {
            let alias = Fact::attribute(&random_person(random)?, attribute::ALIAS, name, random_provenance(random)?)?;
            self.record(alias.secrecy(Secrecy::Secret).build()?, random, 0)?;
        }
        let ranks =
            Fact::attribute(&EntityId::new("guild")?, attribute::RANKS, RANKS.join(", "), random_provenance(random)?)?;
        let ranks = ranks.build()?;
        let known = KnowledgeEdge::authored(EntityId::new("guild")?.into(), ranks.id());
        self.record(ranks, random, 0)?;
        if random.percent(70) {
            self.apply(vec![Change::Learn(Arc::new(known))])?;
        }
        for (part, whole) in [("cell", "guild"), ("inn", "ward"), ("ward", "town"), ("guild", "cell")] {
            if random.percent(if part == "guild" { 10 } else { 80 }) {
                self.add_membership(EntityId::new(part)?, PredicateRole::Part.name(), EntityId::new(whole)?, random)?;
            }
        }
        for id in PEOPLE {
            for (relation, to, percent) in [
                (PredicateRole::Membership.name(), &GROUPS, 80),
                (PredicateRole::Membership.name(), &GROUPS, 30),
                (PredicateRole::Residence.name(), &PLACES, 80),
                (PredicateRole::Location.name(), &PLACES, 80),
            ] {
                if random.percent(percent) {
                    self.add_membership(
                        EntityId::new(id)?,
                        relation,
                        EntityId::new(random.choose(to).unwrap_or(&"inn"))?,
                        random,
                    )?;
                }
            }
        }
        // Adds the facts in the letter.
        for _ in 0..=random.below(2) {
            let mut passage =
                Passage { document: Some(EntityId::new("letter")?), ..Passage::new(random_sentence(random)) };
            passage.heard_by = random.subset(&self.knowers()?, 10);
            let quote = Evidence::Passage {
                passage: passage.id(),
                span: Span { start: 0, end: passage.text.len() },
                quote: passage.text.clone(),
            };
            self.apply(vec![Change::AddPassage(Arc::new(passage))])?;
            let provenance = Provenance { evidence: vec![quote], ..random_provenance(random)? };
            let fact = self.new_fact(random)?.provenance(provenance).build()?;
            self.record(fact, random, 0)?;
        }
        Ok(())
    }

    /// Adds a fact about a membership or residence, which can be temporary or permanent, with or without a rank. Random
    /// knowers know this fact.
    fn add_membership(
        &mut self,
        member: EntityId,
        relation: &str,
        to: EntityId,
        random: &mut Random,
    ) -> StepResult<()> {
        let from = random.percent(60).then(|| random.below(self.time as usize + 10) as i64);
        let until = random.percent(25).then(|| from.unwrap_or_default() + random.below(20) as i64);
        let ended = until.map(|until| if random.percent(10) { vague_date() } else { date_at(until) });
        let rank = random.percent(50).then(|| random.choose(&RANKS).map(ToString::to_string)).flatten();
        let fact = Fact::relation(&member, relation, &to, random_provenance(random)?)?
            .validity(Validity { from: from.map(date_at), until: ended })
            .rank(rank.filter(|_| relation == PredicateRole::Membership.name()))
            .status(if random.percent(90) { FactStatus::Canon } else { random_status(random) })
            .build()?;
        let id = fact.id();
        self.record(fact, random, 5)?;
        for (knower, percent) in [(member, 85), (to, 60)] {
            if random.percent(percent) {
                self.apply(vec![Change::Learn(Arc::new(KnowledgeEdge::authored(knower.into(), id)))])?;
            }
        }
        Ok(())
    }

    /// Records a fact, and random knowledge edges to it. Each possible knower gets an edge with a probability of
    /// `percent / 2` percent. With a probability of 50 percent, one more random knower gets an edge. If `percent` is 0,
    /// exactly one random knower gets an edge.
    fn record(&mut self, fact: Fact, random: &mut Random, percent: usize) -> StepResult<()> {
        let fact = Arc::new(fact);
        let mut changes = vec![Change::AssertFact(Arc::clone(&fact))];
        let mut knowers = random.subset(&self.knowers()?, percent / 2);
        knowers.extend((percent == 0 || random.percent(50)).then(|| random_knower(random)).transpose()?);
        for knower in knowers {
            changes.push(Change::Learn(Arc::new(self.edge(knower, fact.id(), random)?)));
        }
        self.facts.push(fact);
        self.apply(changes)
    }

    /// Returns a random knowledge edge, such as an author or an import could create.
    fn edge(&self, knower: Knower, fact: FactId, random: &mut Random) -> StepResult<KnowledgeEdge> {
        let acquisition = match random.below(8) {
            0 => Acquisition::Witnessed,
            1 => Acquisition::told(Some(random_person(random)?)),
            2 => Acquisition::Told { by: Some(random_person(random)?), citing: Some(random_person(random)?) },
            3 => Acquisition::told(None),
            4 => Acquisition::Read { document: random.percent(50).then(|| EntityId::new("letter")).transpose()? },
            5 if random.percent(30) => Acquisition::Shared,
            _ => Acquisition::Authored,
        };
        Ok(KnowledgeEdge {
            acquisition,
            learned: random.percent(60).then(|| self.date(random)),
            credence: random_credence(random)?,
            conceals: random.percent(15),
            session: random_session(random)?,
            co_present: random.subset(&self.characters()?, 10),
            sources: Vec::new(),
            rank: random.percent(15).then(|| random.choose(&RANKS).map(ToString::to_string)).flatten(),
            ..KnowledgeEdge::authored(knower, fact)
        }
        .sorted())
    }

    /// Returns a random fact.
    fn new_fact(&self, random: &mut Random) -> StepResult<FactBuilder> {
        let (subject, object) = (random_entity(random)?, random_entity(random)?);
        let relations = [
            "OWES",
            "OWNS",
            "LIKES",
            "TRUSTS",
            "HOSTILE_TO",
            "ALLIED_WITH",
            "KNOWS",
            "LOCATED_AT",
            "HELPED",
            "INSULTED",
            "STOLE_FROM",
            "THREATENED",
        ];
        let attributes =
            ["occupation", "lore", "lore", "description", "title", "atmosphere", "condition", "name", "alias", "goals"];
        let builder = if random.percent(50) {
            let relation = *random.choose(&relations).unwrap_or(&"OWES");
            let attitude = random.percent(50).then(|| Attitude::new(random.below(201) as i64 - 100)).transpose()?;
            Fact::relation(&subject, relation, &object, random_provenance(random)?)?.attitude(attitude)
        } else {
            let name = *random.choose(&attributes).unwrap_or(&"lore");
            Fact::attribute(&subject, name, random_sentence(random), random_provenance(random)?)?
        };
        let builder = if random.percent(80) { builder.statement(random_sentence(random)) } else { builder };
        let from = random.percent(40).then(|| self.date(random));
        let secrecy = *random.choose(&[Secrecy::Open, Secrecy::Open, Secrecy::Secret]).unwrap_or(&Secrecy::Open);
        let mentions = random.subset(&self.characters()?, 10);
        Ok(builder.validity(Validity { from, until: None }).secrecy(secrecy).mentions(mentions))
    }

    fn step(&mut self, random: &mut Random) -> StepResult<()> {
        match random.below(22) {
            0..=2 => {
                let fact = self.new_fact(random)?.status(random_status(random)).build()?;
                self.record(fact, random, 15)
            }
            3..=4 => self.witness(random),
            5..=8 => self.tell(random),
            9 => self.say(random),
            10 => {
                let (readers, trust) = (random.subset(&self.characters()?, 30), random_credence(random)?);
                let letter = EntityId::new("letter")?;
                let occasion = self.occasion(random)?;
                let learning = learn::read(&self.state, &letter, &readers, trust, &occasion);
                self.learn(learning)
            }
            11 => self.deduce(random),
            12 => self.contradict(random),
            13 => {
                let (member, group) =
                    (random_person(random)?, EntityId::new(random.choose(&GROUPS).unwrap_or(&"guild"))?);
                self.add_membership(member, PredicateRole::Membership.name(), group, random)
            }
            14 => self.passage(random),
            15 => {
                // Only members with a minimum rank know this fact of the group.
                let fact = self.new_fact(random)?.build()?;
                let group = EntityId::new(random.choose(&GROUPS).unwrap_or(&"guild"))?;
                let rank = random.choose(&RANKS).map(ToString::to_string);
                let edge = KnowledgeEdge { rank, ..self.edge(group.into(), fact.id(), random)? };
                self.record(fact, random, 0)?;
                self.apply(vec![Change::Learn(Arc::new(edge))])
            }
            16 => {
                let (member, place) =
                    (random_person(random)?, EntityId::new(random.choose(&PLACES).unwrap_or(&"inn"))?);
                self.add_membership(member, PredicateRole::Location.name(), place, random)
            }
            17 if random.percent(20) => {
                let death = Fact::attribute(
                    &random_person(random)?,
                    PredicateRole::Condition.name(),
                    "dead",
                    random_provenance(random)?,
                )?;
                let death = death.validity(Validity { from: Some(date_at(self.time)), until: None }).build()?;
                self.record(death, random, 20)
            }
            18 => self.gossip(random),
            _ => self.apply_dm_change(random),
        }
    }

    /// Lets the characters gossip for some days, in which they also forget.
    fn gossip(&mut self, random: &mut Random) -> StepResult<()> {
        let from = self.now();
        let day = self.state.calendar().minutes_per_day();
        self.time += day * (1 + random.below(20) as i64);
        let options = GossipOptions { seed: random.below(1_000) as u64, ..GossipOptions::between(from, self.now()) };
        let step = gossip(&self.state, &options)?;
        let told = step.changes.iter().filter_map(|change| match change {
            Change::AssertFact(fact) => Some(Arc::clone(fact)),
            _ => None,
        });
        self.facts.extend(told);
        self.apply(step.changes)?;
        self.apply(vec![Change::Set(Setting::Game(GameSetting::Clock(self.now())))])
    }

    /// Generates an event. Either the characters at its place or random characters witness the event.
    fn witness(&mut self, random: &mut Random) -> StepResult<()> {
        let new_fact = Arc::new(self.new_fact(random)?.build()?);
        let old_fact = random.choose(&self.facts).cloned();
        let facts: Vec<Arc<Fact>> =
            if random.percent(70) { vec![new_fact] } else { std::iter::once(new_fact).chain(old_fact).collect() };
        let place = EntityId::new(random.choose(&PLACES).unwrap_or(&"inn"))?;
        let present_characters = characters_at(&self.state, &place, Some(self.now()));
        let witnesses = if random.percent(60) { present_characters } else { random.subset(&self.characters()?, 30) };
        let occasion = self.occasion(random)?;
        let learning = learn::witness(&self.state, &facts, &witnesses, &occasion);
        self.learn(learning)?;
        self.facts.extend(facts);
        Ok(())
    }

    /// Makes a character tell a fact: truthfully, in a distorted version, or as a lie.
    fn tell(&mut self, random: &mut Random) -> StepResult<()> {
        let teller = random_person(random)?;
        let known = self.random_known_fact(&teller, random);
        let is_lie = known.is_none() || random.percent(15);
        let fact = match known.filter(|_| !is_lie || random.percent(50)) {
            Some(fact) => fact,
            None => Arc::new(self.new_fact(random)?.status(FactStatus::Claimed).build()?),
        };
        let distorted_fact = random.percent(20).then(|| self.distorted(&fact, random)).transpose()?;
        let hearers = random.subset(&[self.characters()?, self.groups()?].concat(), 25);
        let alias = self.secret_name(&teller, random);
        let citing = random.percent(20).then(|| random_person(random)).transpose()?;
        let telling = Telling {
            alias: alias.as_deref(),
            teller: &teller,
            hearers: &hearers,
            fact: &fact,
            retold: distorted_fact.as_ref(),
            sincerity: Sincerity::from_lie_mark(is_lie),
            citing: citing.as_ref(),
            credence: random.percent(20).then(|| random_credence(random)).transpose()?,
        };
        let occasion = self.occasion(random)?;
        let learning = learn::tell(&self.state, &telling, &occasion);
        self.learn(learning)?;
        self.facts.extend(distorted_fact.into_iter().chain([fact]));
        Ok(())
    }

    /// Makes a character say a line aloud. Some characters hear the line.
    fn say(&mut self, random: &mut Random) -> StepResult<()> {
        let speaker = random_person(random)?;
        let known = self.random_known_fact(&speaker, random).filter(|_| random.percent(60));
        let made_up = Arc::new(self.new_fact(random)?.status(FactStatus::Claimed).build()?);
        let states = [known.unwrap_or(made_up)];
        let sincerity = Sincerity::from_lie_mark(random.percent(25));
        let speaker_alias = self.secret_name(&speaker, random);
        let passage = Passage { speaker: Some(speaker), speaker_alias, ..Passage::new(states[0].statement()) };
        let hearers = random.subset(&self.characters()?, 30);
        let occasion = self.occasion(random)?;
        let learning = learn::say(&self.state, passage, &states, &hearers, sincerity, &occasion);
        self.learn(learning)?;
        self.facts.extend(states);
        Ok(())
    }

    /// Returns a secret name under which a character may speak.
    fn secret_name(&self, id: &EntityId, random: &mut Random) -> Option<String> {
        let secret = self.state.facts_of(id).filter(|fact| {
            fact.subject() == id && *fact.predicate() == *attribute::ALIAS && fact.secrecy() == Secrecy::Secret
        });
        let mut names: Vec<String> = secret.filter_map(|fact| fact.object().text()).map(str::to_owned).collect();
        names.sort();
        random.choose(&names).filter(|_| random.percent(70)).cloned()
    }

    fn deduce(&mut self, random: &mut Random) -> StepResult<()> {
        let character = random_person(random)?;
        let from: Vec<FactId> =
            (0..2).filter_map(|_| self.random_known_fact(&character, random)).map(|fact| fact.id()).collect();
        let fact = Arc::new(self.new_fact(random)?.status(FactStatus::Claimed).build()?);
        let (certainty, occasion) = (random_credence(random)?, self.occasion(random)?);
        let learning = learn::deduce(&self.state, &character, &fact, &from, certainty, &occasion);
        self.learn(learning)?;
        self.facts.push(fact);
        Ok(())
    }

    /// Refutes or ends a fact. Some characters learn that the fact is not true, or no longer true.
    fn contradict(&mut self, random: &mut Random) -> StepResult<()> {
        let Some(old) = random.choose(&self.facts).cloned() else { return Ok(()) };
        let until = self.date(random);
        let contradiction = if random.percent(50) {
            learn::refutation(&old, None, random_provenance(random)?)?
        } else {
            if random.percent(70) {
                // The state refuses this change if the end is before the beginning, but the characters learn about the
                // end anyway.
                let _ = self.apply(vec![Change::EndFact { fact: old.id(), until: until.clone() }]);
            }
            learn::ending(&old, until, random_provenance(random)?)?
        };
        let witnesses = random.subset(&self.characters()?, 35);
        let occasion = self.occasion(random)?;
        let learning = learn::witness(&self.state, std::slice::from_ref(&contradiction), &witnesses, &occasion);
        self.learn(learning)?;
        self.facts.push(contradiction);
        Ok(())
    }

    /// Adds a passage. Random knowers have heard it.
    fn passage(&mut self, random: &mut Random) -> StepResult<()> {
        let mut passage = Passage {
            title: random.percent(20).then(|| random_sentence(random)),
            speaker: random.percent(50).then(|| random_person(random)).transpose()?,
            session: random_session(random)?,
            time: random.percent(60).then(|| self.date(random)),
            place: random.percent(30).then(|| random_entity(random)).transpose()?,
            mentions: random.subset(&self.characters()?, 20),
            heard_by: random.subset(&self.knowers()?, 20),
            ..Passage::new(random_sentence(random))
        };
        passage.speaker_alias = passage.speaker.as_ref().and_then(|speaker| self.secret_name(speaker, random));
        passage.heard_by.sort();
        self.apply(vec![Change::AddPassage(Arc::new(passage))])
    }

    /// Makes the DM change a fact, remove a knowledge edge or undo an operation.
    fn apply_dm_change(&mut self, random: &mut Random) -> StepResult<()> {
        let Some(fact) = random.choose(&self.facts).map(|fact| fact.id()) else { return Ok(()) };
        let edges: Vec<_> = self.state.all_knowledge().map(|(id, _)| id).collect();
        let change = match random.below(7) {
            0..=1 => Change::SetStatus { fact, status: random_status(random) },
            2 => Change::SetSecrecy { fact, secrecy: Secrecy::Secret },
            3 if random.percent(40) => Change::RetractFact(fact),
            4 if random.percent(40) => {
                let last = self.state.position().0;
                Change::Revert(hearsay_model::Position(last - random.below(5).min(last as usize) as u64))
            }
            _ => match random.choose(&edges) {
                Some(edge) => Change::Unlearn(*edge),
                None => return Ok(()),
            },
        };
        self.apply(vec![change])
    }

    fn learn(&mut self, learning: Result<Learning, LearnError>) -> StepResult<()> {
        self.apply(learning?.changes)
    }

    /// Returns a fact that a character knows.
    fn random_known_fact(&self, character: &EntityId, random: &mut Random) -> Option<Arc<Fact>> {
        let view = View::new(&self.state, &character.clone().into(), Some(self.now()));
        let known: Vec<FactId> = view.facts().map(|known| known.id()).collect();
        self.state.fact(*random.choose(&known)?).cloned()
    }

    fn distorted(&self, fact: &Fact, random: &mut Random) -> StepResult<Arc<Fact>> {
        let wrong = self.new_fact(random)?.fact_relation(Some(FactRelation::Distorts(fact.id())));
        Ok(Arc::new(wrong.status(FactStatus::Claimed).build()?))
    }

    fn occasion(&self, random: &mut Random) -> StepResult<Occasion> {
        let time = (!random.percent(15)).then(|| date_at(self.time));
        Ok(Occasion { time, place: None, session: random_session(random)? })
    }

    /// Returns a random date before or shortly after the current game time. Some dates have no game time, such as
    /// "before the flood".
    fn date(&self, random: &mut Random) -> Date {
        if random.percent(5) { vague_date() } else { date_at(random.below(self.time as usize + 10) as i64) }
    }

    fn characters(&self) -> Result<Vec<EntityId>, IdError> {
        PEOPLE.iter().map(EntityId::new).collect()
    }

    fn groups(&self) -> Result<Vec<EntityId>, IdError> {
        GROUPS.iter().chain(&PLACES).map(EntityId::new).collect()
    }

    fn knowers(&self) -> Result<Vec<Knower>, IdError> {
        let entities = [self.characters()?, self.groups()?].concat();
        Ok(entities.into_iter().map(Knower::Entity).chain([Knower::World]).collect())
    }
}

fn date_at(minute: i64) -> Date {
    Date::at(GameTime(minute))
}

fn vague_date() -> Date {
    Date { raw: "before the flood".into(), time: None }
}

fn random_sentence(random: &mut Random) -> String {
    let words: Vec<&str> = (0..3).filter_map(|_| random.choose(&WORDS).copied()).collect();
    format!("{} {}", words.join(" "), random.below(50))
}

fn random_person(random: &mut Random) -> Result<EntityId, IdError> {
    EntityId::new(random.choose(&PEOPLE).unwrap_or(&"ann"))
}

fn random_entity(random: &mut Random) -> Result<EntityId, IdError> {
    // `PEOPLE` is listed twice, so a character is twice as likely as any other entity.
    let all = [&PEOPLE[..], &PEOPLE, &GROUPS, &PLACES, &THINGS].concat();
    EntityId::new(random.choose(&all).unwrap_or(&"ann"))
}

fn random_knower(random: &mut Random) -> Result<Knower, IdError> {
    let all = [&PEOPLE[..], &PEOPLE, &GROUPS, &PLACES].concat();
    Ok(EntityId::new(random.choose(&all).unwrap_or(&"ann"))?.into())
}

fn random_session(random: &mut Random) -> Result<Option<SessionId>, IdError> {
    random.percent(20).then(|| SessionId::new(random.choose(&SESSIONS).unwrap_or(&"s1"))).transpose()
}

fn random_credence(random: &mut Random) -> Result<Credence, hearsay_model::ScaleError> {
    Credence::new(random.below(5) as f64 / 4.0)
}

fn random_status(random: &mut Random) -> FactStatus {
    let statuses = [FactStatus::Canon, FactStatus::Canon, FactStatus::Claimed, FactStatus::False, FactStatus::Proposed];
    let status = *random.choose(&statuses).unwrap_or(&FactStatus::Canon);
    if random.percent(5) { FactStatus::Rejected } else { status }
}

fn random_provenance(random: &mut Random) -> StepResult<Provenance> {
    let author = [Author::Dm, Author::Game, Author::Extractor, Author::Player("Kim".into())];
    let file = Evidence::File { path: "town.yaml".into(), line: random.below(9) as u32 + 1, field: "lore".into() };
    Ok(Provenance {
        session: random_session(random)?,
        speaker: random.percent(15).then(|| random_person(random)).transpose()?,
        confidence: Confidence::new(random.below(5) as f64 / 4.0)?,
        evidence: random.subset(&[file], 30),
        ..Provenance::new(Method::Stated, random.choose(&author).cloned().unwrap_or(Author::Dm))
    })
}
