//! Generates worlds with people, nested groups and nested places, in which all kinds of operations change the knowledge
//! of the people.
//!
//! A world depends only on its random numbers. Most operations are similar to those of a real game. People witness,
//! tell, distort, lie, speak, read and deduce, as computed by the functions of [`hearsay_belief::learn`]. People also
//! join groups, rise in rank, leave groups and die. The DM changes the status of facts, removes facts and knowledge
//! edges, and undoes operations. The other operations are random changes, such as the changes of an import or of a
//! careless author.

use std::sync::Arc;

use hearsay_belief::{
    Occasion, View,
    learn::{self, LearnError, Learning, Sincerity, Telling},
    present,
};
use hearsay_model::{
    Acquisition, Attitude, Author, Change, Confidence, Credence, Date, Entity, EntityId, Evidence, Fact, FactBuilder,
    FactId, FactRelation, FactStatus, GameSetting, GameTime, IdError, Knower, KnowledgeEdge, Method, Operation,
    Passage, PredicateRole, Provenance, Secrecy, Session, SessionId, Setting, Span, State, Validity, attribute,
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
type Made<T> = Result<T, Box<dyn std::error::Error>>;

impl GeneratedWorld {
    /// Generates a world from random numbers.
    pub fn generate(random: &mut Random) -> Self {
        let mut world = Self::default();
        let begun = world.begin(random);
        debug_assert!(begun.is_ok(), "{begun:?}");
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
        let name = if random.percent(60) { random.of(&NAMES) } else { random.of(&SECRET_NAMES) };
        let mut name = (*name.unwrap_or(&"Ann")).to_owned();
        // Adds an occasional spelling mistake: a doubled letter.
        let at = random.below(name.len());
        if let Some(letter) = name.chars().nth(at).filter(|_| random.percent(30)) {
            name.insert(at, letter);
        }
        format!("Who is {name}, and what of {}?", sentence(random))
    }

    fn apply(&mut self, changes: Vec<Change>) -> Made<()> {
        self.state.apply(Operation::new(Author::Game, "world", changes))?;
        Ok(())
    }

    /// Adds all entities, with names, kinds, memberships and homes.
    fn begin(&mut self, random: &mut Random) -> Made<()> {
        let kinds = [(&PEOPLE[..], "npc"), (&GROUPS, "faction"), (&PLACES, "location"), (&THINGS[..2], "item")];
        let mut changes = vec![Change::Set(Setting::Game(GameSetting::Clock(GameTime(10))))];
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
                let fact = Fact::attribute(&EntityId::new(id)?, attribute::KIND, kind, source(random)?)?.build()?;
                self.record(fact, random, 20)?;
            }
        }
        for (id, name) in [&PEOPLE[..], &GROUPS, &PLACES[..1]].concat().into_iter().zip(NAMES) {
            let fact = Fact::attribute(&EntityId::new(id)?, attribute::NAME, name, source(random)?)?.build()?;
            self.record(fact, random, 50)?;
        }
        for name in random.each(&SECRET_NAMES, 60) {
            let alias = Fact::attribute(&person(random)?, attribute::ALIAS, name, source(random)?)?;
            self.record(alias.secrecy(Secrecy::Secret).build()?, random, 0)?;
        }
        let ranks = Fact::attribute(&EntityId::new("guild")?, attribute::RANKS, RANKS.join(", "), source(random)?)?;
        let ranks = ranks.build()?;
        let known = KnowledgeEdge::authored(EntityId::new("guild")?.into(), ranks.id());
        self.record(ranks, random, 0)?;
        if random.percent(70) {
            self.apply(vec![Change::Learn(Arc::new(known))])?;
        }
        for (part, whole) in [("cell", "guild"), ("inn", "ward"), ("ward", "town"), ("guild", "cell")] {
            if random.percent(if part == "guild" { 10 } else { 80 }) {
                self.belong(EntityId::new(part)?, PredicateRole::Part.name(), EntityId::new(whole)?, random)?;
            }
        }
        for id in PEOPLE {
            for (relation, to, often) in [
                (PredicateRole::Membership.name(), &GROUPS, 80),
                (PredicateRole::Membership.name(), &GROUPS, 30),
                (PredicateRole::Residence.name(), &PLACES, 80),
                (PredicateRole::Location.name(), &PLACES, 80),
            ] {
                if random.percent(often) {
                    self.belong(EntityId::new(id)?, relation, EntityId::new(random.of(to).unwrap_or(&"inn"))?, random)?;
                }
            }
        }
        // Adds the facts in the letter.
        for _ in 0..=random.below(2) {
            let mut passage = Passage { document: Some(EntityId::new("letter")?), ..Passage::new(sentence(random)) };
            passage.heard_by = random.each(&self.knowers()?, 10);
            let quote = Evidence::Passage {
                passage: passage.id(),
                span: Span { start: 0, end: passage.text.len() },
                quote: passage.text.clone(),
            };
            self.apply(vec![Change::AddPassage(Arc::new(passage))])?;
            let provenance = Provenance { evidence: vec![quote], ..source(random)? };
            let fact = self.new_fact(random)?.provenance(provenance).build()?;
            self.record(fact, random, 0)?;
        }
        Ok(())
    }

    /// Adds a fact about a membership or residence, which can be temporary or permanent, with or without a rank. Random
    /// knowers know this fact.
    fn belong(&mut self, who: EntityId, relation: &str, to: EntityId, random: &mut Random) -> Made<()> {
        let from = random.percent(60).then(|| random.below(self.time as usize + 10) as i64);
        let until = random.percent(25).then(|| from.unwrap_or_default() + random.below(20) as i64);
        let ended = until.map(|until| if random.percent(10) { vague() } else { at(until) });
        let rank = random.percent(50).then(|| random.of(&RANKS).map(ToString::to_string)).flatten();
        let fact = Fact::relation(&who, relation, &to, source(random)?)?
            .validity(Validity { from: from.map(at), until: ended })
            .rank(rank.filter(|_| relation == PredicateRole::Membership.name()))
            .status(if random.percent(90) { FactStatus::Canon } else { status(random) })
            .build()?;
        let id = fact.id();
        self.record(fact, random, 5)?;
        for (knower, often) in [(who, 85), (to, 60)] {
            if random.percent(often) {
                self.apply(vec![Change::Learn(Arc::new(KnowledgeEdge::authored(knower.into(), id)))])?;
            }
        }
        Ok(())
    }

    /// Records a fact, and random knowledge edges to it. Each possible knower gets an edge with a probability of `often
    /// / 2` percent. With a probability of 50 percent, one more random knower gets an edge. If `often` is 0, exactly
    /// one random knower gets an edge.
    fn record(&mut self, fact: Fact, random: &mut Random, often: usize) -> Made<()> {
        let fact = Arc::new(fact);
        let mut changes = vec![Change::AssertFact(Arc::clone(&fact))];
        let mut knowers = random.each(&self.knowers()?, often / 2);
        knowers.extend((often == 0 || random.percent(50)).then(|| knower(random)).transpose()?);
        for knower in knowers {
            changes.push(Change::Learn(Arc::new(self.edge(knower, fact.id(), random)?)));
        }
        self.facts.push(fact);
        self.apply(changes)
    }

    /// Returns a random knowledge edge, such as an author or an import could create.
    fn edge(&self, knower: Knower, fact: FactId, random: &mut Random) -> Made<KnowledgeEdge> {
        let acquisition = match random.below(8) {
            0 => Acquisition::Witnessed,
            1 => Acquisition::told(Some(person(random)?)),
            2 => Acquisition::Told { by: Some(person(random)?), citing: Some(person(random)?) },
            3 => Acquisition::told(None),
            4 => Acquisition::Read { document: random.percent(50).then(|| EntityId::new("letter")).transpose()? },
            5 if random.percent(30) => Acquisition::Shared,
            _ => Acquisition::Authored,
        };
        Ok(KnowledgeEdge {
            acquisition,
            learned: random.percent(60).then(|| self.date(random)),
            credence: credence(random)?,
            conceals: random.percent(15),
            session: session(random)?,
            co_present: random.each(&self.characters()?, 10),
            sources: Vec::new(),
            rank: random.percent(15).then(|| random.of(&RANKS).map(ToString::to_string)).flatten(),
            ..KnowledgeEdge::authored(knower, fact)
        }
        .sorted())
    }

    /// Returns a random fact.
    fn new_fact(&self, random: &mut Random) -> Made<FactBuilder> {
        let (subject, object) = (anything(random)?, anything(random)?);
        let relations = ["OWES", "OWNS", "LIKES", "TRUSTS", "HOSTILE_TO", "ALLIED_WITH", "KNOWS", "LOCATED_AT"];
        let attributes =
            ["occupation", "lore", "lore", "description", "title", "atmosphere", "condition", "name", "alias", "goals"];
        let builder = if random.percent(50) {
            let relation = *random.of(&relations).unwrap_or(&"OWES");
            let attitude = random.percent(50).then(|| Attitude::new(random.below(201) as i64 - 100)).transpose()?;
            Fact::relation(&subject, relation, &object, source(random)?)?.attitude(attitude)
        } else {
            let name = *random.of(&attributes).unwrap_or(&"lore");
            Fact::attribute(&subject, name, sentence(random), source(random)?)?
        };
        let builder = if random.percent(80) { builder.statement(sentence(random)) } else { builder };
        let from = random.percent(40).then(|| self.date(random));
        let secrecy = *random.of(&[Secrecy::Open, Secrecy::Open, Secrecy::Secret]).unwrap_or(&Secrecy::Open);
        let mentions = random.each(&self.characters()?, 10);
        Ok(builder.validity(Validity { from, until: None }).secrecy(secrecy).mentions(mentions))
    }

    fn step(&mut self, random: &mut Random) -> Made<()> {
        match random.below(20) {
            0..=2 => {
                let fact = self.new_fact(random)?.status(status(random)).build()?;
                self.record(fact, random, 15)
            }
            3..=4 => self.witness(random),
            5..=8 => self.tell(random),
            9 => self.say(random),
            10 => {
                let (readers, trust) = (random.each(&self.characters()?, 30), credence(random)?);
                let letter = EntityId::new("letter")?;
                let occasion = self.occasion(random)?;
                let learning = learn::read(&self.state, &letter, &readers, trust, &occasion);
                self.learn(learning)
            }
            11 => self.deduce(random),
            12 => self.turn(random),
            13 => {
                let (who, group) = (person(random)?, EntityId::new(random.of(&GROUPS).unwrap_or(&"guild"))?);
                self.belong(who, PredicateRole::Membership.name(), group, random)
            }
            14 => self.passage(random),
            15 => {
                // Only members with a minimum rank know this fact of the group.
                let fact = self.new_fact(random)?.build()?;
                let group = EntityId::new(random.of(&GROUPS).unwrap_or(&"guild"))?;
                let rank = random.of(&RANKS).map(ToString::to_string);
                let edge = KnowledgeEdge { rank, ..self.edge(group.into(), fact.id(), random)? };
                self.record(fact, random, 0)?;
                self.apply(vec![Change::Learn(Arc::new(edge))])
            }
            16 => {
                let (who, place) = (person(random)?, EntityId::new(random.of(&PLACES).unwrap_or(&"inn"))?);
                self.belong(who, PredicateRole::Location.name(), place, random)
            }
            17 if random.percent(20) => {
                let dead = Fact::attribute(&person(random)?, PredicateRole::Condition.name(), "dead", source(random)?)?;
                let dead = dead.validity(Validity { from: Some(at(self.time)), until: None }).build()?;
                self.record(dead, random, 20)
            }
            _ => self.judge(random),
        }
    }

    /// Generates an event. Either the characters at its place or random characters witness the event.
    fn witness(&mut self, random: &mut Random) -> Made<()> {
        let new = Arc::new(self.new_fact(random)?.build()?);
        let old = random.of(&self.facts).cloned();
        let facts: Vec<Arc<Fact>> =
            if random.percent(70) { vec![new] } else { std::iter::once(new).chain(old).collect() };
        let place = EntityId::new(random.of(&PLACES).unwrap_or(&"inn"))?;
        let there = present(&self.state, &place, Some(self.now()));
        let witnesses = if random.percent(60) { there } else { random.each(&self.characters()?, 30) };
        let occasion = self.occasion(random)?;
        let learning = learn::witness(&self.state, &facts, &witnesses, &occasion);
        self.learn(learning)?;
        self.facts.extend(facts);
        Ok(())
    }

    /// Makes a character tell a fact: truthfully, in a distorted version, or as a lie.
    fn tell(&mut self, random: &mut Random) -> Made<()> {
        let teller = person(random)?;
        let known = self.known(&teller, random);
        let lies = known.is_none() || random.percent(15);
        let fact = match known.filter(|_| !lies || random.percent(50)) {
            Some(fact) => fact,
            None => Arc::new(self.new_fact(random)?.status(FactStatus::Claimed).build()?),
        };
        let wrongly = random.percent(20).then(|| self.distorted(&fact, random)).transpose()?;
        let hearers = random.each(&[self.characters()?, self.groups()?].concat(), 25);
        let alias = self.secret_name(&teller, random);
        let citing = random.percent(20).then(|| person(random)).transpose()?;
        let telling = Telling {
            alias: alias.as_deref(),
            teller: &teller,
            hearers: &hearers,
            fact: &fact,
            retold: wrongly.as_ref(),
            sincerity: if lies { Sincerity::Lie } else { Sincerity::Sincere },
            citing: citing.as_ref(),
            credence: random.percent(20).then(|| credence(random)).transpose()?,
        };
        let occasion = self.occasion(random)?;
        let learning = learn::tell(&self.state, &telling, &occasion);
        self.learn(learning)?;
        self.facts.extend(wrongly.into_iter().chain([fact]));
        Ok(())
    }

    /// Makes a character say a line aloud. Some characters hear the line.
    fn say(&mut self, random: &mut Random) -> Made<()> {
        let speaker = person(random)?;
        let known = self.known(&speaker, random).filter(|_| random.percent(60));
        let made_up = Arc::new(self.new_fact(random)?.status(FactStatus::Claimed).build()?);
        let states = [known.unwrap_or(made_up)];
        let sincerity = if random.percent(25) { Sincerity::Lie } else { Sincerity::Sincere };
        let speaker_alias = self.secret_name(&speaker, random);
        let passage = Passage { speaker: Some(speaker), speaker_alias, ..Passage::new(states[0].statement()) };
        let hearers = random.each(&self.characters()?, 30);
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
        random.of(&names).filter(|_| random.percent(70)).cloned()
    }

    fn deduce(&mut self, random: &mut Random) -> Made<()> {
        let who = person(random)?;
        let from: Vec<FactId> = (0..2).filter_map(|_| self.known(&who, random)).map(|fact| fact.id()).collect();
        let fact = Arc::new(self.new_fact(random)?.status(FactStatus::Claimed).build()?);
        let (certainty, occasion) = (credence(random)?, self.occasion(random)?);
        let learning = learn::deduce(&self.state, &who, &fact, &from, certainty, &occasion);
        self.learn(learning)?;
        self.facts.push(fact);
        Ok(())
    }

    /// Refutes or ends a fact. Some characters learn that the fact is not true, or no longer true.
    fn turn(&mut self, random: &mut Random) -> Made<()> {
        let Some(old) = random.of(&self.facts).cloned() else { return Ok(()) };
        let until = self.date(random);
        let said = if random.percent(50) {
            learn::refutation(&old, None, source(random)?)?
        } else {
            if random.percent(70) {
                // The state refuses this change if the end is before the beginning, but the characters learn about the
                // end anyway.
                let _ = self.apply(vec![Change::EndFact { fact: old.id(), until: until.clone() }]);
            }
            learn::ending(&old, until, None, source(random)?)?
        };
        let witnesses = random.each(&self.characters()?, 35);
        let occasion = self.occasion(random)?;
        let learning = learn::witness(&self.state, std::slice::from_ref(&said), &witnesses, &occasion);
        self.learn(learning)?;
        self.facts.push(said);
        Ok(())
    }

    /// Adds a passage. Random knowers have heard it.
    fn passage(&mut self, random: &mut Random) -> Made<()> {
        let mut passage = Passage {
            title: random.percent(20).then(|| sentence(random)),
            speaker: random.percent(50).then(|| person(random)).transpose()?,
            session: session(random)?,
            time: random.percent(60).then(|| self.date(random)),
            place: random.percent(30).then(|| anything(random)).transpose()?,
            mentions: random.each(&self.characters()?, 20),
            heard_by: random.each(&self.knowers()?, 20),
            ..Passage::new(sentence(random))
        };
        passage.speaker_alias = passage.speaker.as_ref().and_then(|speaker| self.secret_name(speaker, random));
        passage.heard_by.sort();
        self.apply(vec![Change::AddPassage(Arc::new(passage))])
    }

    /// Makes the DM change a fact, remove a knowledge edge or undo an operation.
    fn judge(&mut self, random: &mut Random) -> Made<()> {
        let Some(fact) = random.of(&self.facts).map(|fact| fact.id()) else { return Ok(()) };
        let edges: Vec<_> = self.state.all_knowledge().map(|(id, _)| id).collect();
        let change = match random.below(7) {
            0..=1 => Change::SetStatus { fact, status: status(random) },
            2 => Change::SetSecrecy { fact, secrecy: Secrecy::Secret },
            3 if random.percent(40) => Change::RetractFact(fact),
            4 if random.percent(40) => {
                let last = self.state.position().0;
                Change::Revert(hearsay_model::Position(last - random.below(5).min(last as usize) as u64))
            }
            _ => match random.of(&edges) {
                Some(edge) => Change::Unlearn(*edge),
                None => return Ok(()),
            },
        };
        self.apply(vec![change])
    }

    fn learn(&mut self, learning: Result<Learning, LearnError>) -> Made<()> {
        self.apply(learning?.changes)
    }

    /// Returns a fact that a character knows.
    fn known(&self, who: &EntityId, random: &mut Random) -> Option<Arc<Fact>> {
        let view = View::of(&self.state, &who.clone().into(), Some(self.now()));
        let known: Vec<FactId> = view.facts().map(|known| known.id()).collect();
        self.state.fact(*random.of(&known)?).cloned()
    }

    fn distorted(&self, fact: &Fact, random: &mut Random) -> Made<Arc<Fact>> {
        let wrong = self.new_fact(random)?.fact_relation(Some(FactRelation::Distorts(fact.id())));
        Ok(Arc::new(wrong.status(FactStatus::Claimed).build()?))
    }

    fn occasion(&self, random: &mut Random) -> Made<Occasion> {
        let time = (!random.percent(15)).then(|| at(self.time));
        Ok(Occasion { time, place: None, session: session(random)? })
    }

    /// Returns a random date before or shortly after the current game time. Some dates have no game time, such as
    /// "before the flood".
    fn date(&self, random: &mut Random) -> Date {
        if random.percent(5) { vague() } else { at(random.below(self.time as usize + 10) as i64) }
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

fn at(minute: i64) -> Date {
    Date::at(GameTime(minute))
}

fn vague() -> Date {
    Date { raw: "before the flood".into(), time: None }
}

fn sentence(random: &mut Random) -> String {
    let words: Vec<&str> = (0..3).filter_map(|_| random.of(&WORDS).copied()).collect();
    format!("{} {}", words.join(" "), random.below(50))
}

fn person(random: &mut Random) -> Result<EntityId, IdError> {
    EntityId::new(random.of(&PEOPLE).unwrap_or(&"ann"))
}

fn anything(random: &mut Random) -> Result<EntityId, IdError> {
    // `PEOPLE` is listed twice, so a character is twice as likely as any other entity.
    let all = [&PEOPLE[..], &PEOPLE, &GROUPS, &PLACES, &THINGS].concat();
    EntityId::new(random.of(&all).unwrap_or(&"ann"))
}

fn knower(random: &mut Random) -> Result<Knower, IdError> {
    let all = [&PEOPLE[..], &PEOPLE, &GROUPS, &PLACES].concat();
    Ok(EntityId::new(random.of(&all).unwrap_or(&"ann"))?.into())
}

fn session(random: &mut Random) -> Result<Option<SessionId>, IdError> {
    random.percent(20).then(|| SessionId::new(random.of(&SESSIONS).unwrap_or(&"s1"))).transpose()
}

fn credence(random: &mut Random) -> Result<Credence, hearsay_model::ScaleError> {
    Credence::new(random.below(5) as f64 / 4.0)
}

fn status(random: &mut Random) -> FactStatus {
    let often = [FactStatus::Canon, FactStatus::Canon, FactStatus::Claimed, FactStatus::False, FactStatus::Proposed];
    let rest = *random.of(&often).unwrap_or(&FactStatus::Canon);
    if random.percent(5) { FactStatus::Rejected } else { rest }
}

fn source(random: &mut Random) -> Made<Provenance> {
    let author = [Author::Dm, Author::Game, Author::Extractor, Author::Player("Kim".into())];
    let file = Evidence::File { path: "town.yaml".into(), line: random.below(9) as u32 + 1, field: "lore".into() };
    Ok(Provenance {
        session: session(random)?,
        speaker: random.percent(15).then(|| person(random)).transpose()?,
        confidence: Confidence::new(random.below(5) as f64 / 4.0)?,
        evidence: random.each(&[file], 30),
        ..Provenance::new(Method::Stated, random.of(&author).cloned().unwrap_or(Author::Dm))
    })
}
