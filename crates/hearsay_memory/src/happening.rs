//! What happens in the game: somebody sees, says, tells, reads or concludes something, and others learn of it.
//!
//! Like an [`Edit`](crate::Edit), a happening names everything in words, makes the changes of one operation from the
//! state as it is, and applies none.

use std::sync::Arc;

use hearsay_belief::{
    View,
    learn::{self, Learning, Sincerity, Telling},
    present,
};
use hearsay_model::{
    Author, Bearing, Change, Credence, Date, EntityId, Evidence, Fact, How, Knower, Knowledge, Method, Object,
    Operation, Passage, Predicate, Provenance, Resolution, Span, Standing, State, Timestamp, Validity, Value,
    attribute, predicate,
};
use serde::{Deserialize, Serialize};

use crate::{
    MemoryError,
    edit::{Editor, find_fact, resolve, spoken_of, succession},
    query::find_session,
};

/// Something that happens, by which somebody learns something.
///
/// Whoever is named, is named by id or name; facts by id, the beginning of an id, or handle; dates are written on the
/// campaign's calendar. Nobody learns what is not named or said: the world is not read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// Something happens before somebody's eyes. What is new is canon.
    Witness {
        /// What is seen.
        facts: Vec<Stated>,
        /// Who sees it; those who are at the place at that time, when nobody is named.
        witnesses: Vec<String>,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// A line is said aloud. Everyone in earshot learns that it was said and by whom, and takes up what it states. What
    /// is new is a claim.
    Say {
        /// Who says it.
        speaker: String,
        /// The words.
        text: String,
        /// What the words state.
        states: Vec<Stated>,
        /// Who hears it; those who are where the speaker is, when nobody is named.
        hearers: Vec<String>,
        /// Whether the speaker lies. What it makes up is untrue.
        lie: bool,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// Somebody tells others what it knows; or what it says first, where the fact is new: a claim.
    Tell {
        /// Who tells it.
        teller: String,
        /// What.
        fact: Stated,
        /// To whom; those who are where the teller is, when nobody is named.
        hearers: Vec<String>,
        /// What it says instead, when it retells it wrongly.
        retold: Option<Retelling>,
        /// Whether the teller lies. What it makes up is untrue.
        lie: bool,
        /// From whom it says to have it.
        citing: Option<String>,
        /// How far the hearers believe it, 0.0–1.0, where their trust is not to decide.
        credence: Option<f64>,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// Somebody reads a document: its passages, and what they state.
    Read {
        /// Which document.
        document: String,
        /// Who reads it.
        readers: Vec<String>,
        /// How far they believe it, 0.0–1.0; fully, when nothing is said.
        credence: Option<f64>,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// Somebody concludes something from what it knows. When what it follows from falls, so does the conclusion.
    Deduce {
        /// Who concludes.
        knower: String,
        /// What. What is new is a claim.
        conclusion: Stated,
        /// The facts it follows from.
        from: Vec<String>,
        /// How surely it follows, 0.0–1.0; for certain, when nothing is said.
        certainty: Option<f64>,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// Somebody tells, or sees, that something is not so: a fact of its own, which refutes the other. What the world
    /// says of the other stays as it is.
    Refute {
        /// What is not so.
        fact: String,
        /// The sentence that says so; made from the fact's, when nothing is said.
        statement: Option<String>,
        /// Who tells it; nobody, when it is seen.
        teller: Option<String>,
        /// Who is told it, or sees it; those present, when nobody is named.
        hearers: Vec<String>,
        /// How far those who are told believe it, 0.0–1.0, where their trust is not to decide.
        credence: Option<f64>,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// A secret is told by one who holds it. From others it stays concealed.
    Reveal {
        /// Who tells it.
        holder: String,
        /// The secret.
        fact: String,
        /// To whom; those who are where the holder is, when nobody is named.
        to: Vec<String>,
        /// Whether the holder keeps it from nobody any more.
        openly: bool,
        /// Where and when.
        circumstances: Circumstances,
    },
    /// Somebody never learned something: what it learned of it by itself is withdrawn, and what rests on that falls.
    Forget {
        /// Who.
        knower: String,
        /// What.
        fact: String,
    },
}

/// A fact that is on record, or a new one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    /// A fact on record: its id, the beginning of its id, or its handle.
    Recorded(String),
    /// A sentence about somebody or something.
    Lore {
        /// Whom or what it is about: an id or a name.
        about: String,
        /// The sentence.
        text: String,
    },
    /// A relation or an attribute.
    Parts {
        /// Its subject: an id or a name.
        subject: String,
        /// `OWES`, `owes`, or an attribute such as `occupation`.
        predicate: String,
        /// An id or a name, or the attribute's value.
        object: String,
        /// The sentence that states it; made from the predicate's phrase, when nothing is said.
        statement: Option<String>,
    },
}

/// What somebody makes of a fact when retelling it wrongly.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retelling {
    /// The sentence; made from the predicate's phrase, when there is an object.
    pub statement: Option<String>,
    /// The other object or value; when nothing is said, the retelling is no more than its sentence.
    pub object: Option<String>,
}

/// Where and when something happens.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Circumstances {
    /// Where: an id or a name.
    pub place: Option<String>,
    /// When; at the end of the session, or else now by the game clock, when nothing is said.
    pub time: Option<String>,
    /// In which session: its id or number.
    pub session: Option<String>,
}

impl Happening {
    /// The operation by which it is learned.
    ///
    /// # Errors
    /// When a name, a fact, a session or a date cannot be understood; when somebody tells what it does not know, is
    /// dead, cannot know anything, or has nobody to tell it to.
    pub fn operation(&self, state: &State, author: Author, now: Timestamp) -> Result<Operation, MemoryError> {
        let stage = |circumstances: &Circumstances| Stage::new(state, &author, now, circumstances);
        let (summary, learning) = match self {
            Self::Witness { facts, witnesses, circumstances } => stage(circumstances)?.witness(facts, witnesses)?,
            Self::Say { speaker, text, states, hearers, lie, circumstances } => {
                stage(circumstances)?.say(speaker, text, states, hearers, sincerity(*lie))?
            }
            Self::Tell { teller, fact, hearers, retold, lie, citing, credence, circumstances } => {
                let stage = stage(circumstances)?;
                let teller = resolve(state, teller)?;
                let citing = citing.as_ref().map(|name| resolve(state, name)).transpose()?;
                let hearers = stage.hearers(hearers, Some(&teller))?;
                let is_new = !matches!(fact, Stated::Recorded(_));
                let (fact, _) = stage.stated(fact, Voice::of(&teller, *lie), None)?;
                let retold = retold.as_ref().map(|retold| stage.retold(&fact, retold, &teller, *lie)).transpose()?;
                let telling = Telling {
                    teller: &teller,
                    hearers: &hearers,
                    fact: &fact,
                    retold: retold.as_ref(),
                    sincerity: sincerity(*lie),
                    citing: citing.as_ref(),
                    credence: credence.map(Credence::new).transpose()?,
                };
                let tell = if is_new { learn::claim } else { learn::tell };
                let learning = tell(state, &telling, &stage.occasion)?;
                (stage.told("tells", &teller, telling.hearers, retold.as_ref().unwrap_or(&fact)), learning)
            }
            Self::Read { document, readers, credence, circumstances } => {
                let stage = stage(circumstances)?;
                let document = resolve(state, document)?;
                let readers = stage.all(readers)?;
                let credence = credence.map(Credence::new).transpose()?.unwrap_or(Credence::FULL);
                let learning = learn::read(state, &document, &readers, credence, &stage.occasion)?;
                (format!("{} read {}", stage.names(&readers), state.name_or_id(&document)), learning)
            }
            Self::Deduce { knower, conclusion, from, certainty, circumstances } => {
                let stage = stage(circumstances)?;
                let knower = resolve(state, knower)?;
                let (fact, _) = stage.stated(conclusion, Voice::Mind, None)?;
                let from =
                    from.iter().map(|fact| find_fact(state, fact).map(|fact| fact.id())).collect::<Result<Vec<_>, _>>();
                let (from, certainty) = (from?, certainty.map(Credence::new).transpose()?.unwrap_or(Credence::FULL));
                let learning = learn::deduce(state, &knower, &fact, &from, certainty, &stage.occasion)?;
                (format!("{} concludes {}", state.name_or_id(&knower), quoted(&fact)), learning)
            }
            Self::Refute { fact, statement, teller, hearers, credence, circumstances } => {
                let stage = stage(circumstances)?;
                let teller = teller.as_ref().map(|name| resolve(state, name)).transpose()?;
                let credence = credence.map(Credence::new).transpose()?;
                stage.refute(&*find_fact(state, fact)?, statement.as_deref(), teller.as_ref(), hearers, credence)?
            }
            Self::Reveal { holder, fact, to, openly, circumstances } => {
                let stage = stage(circumstances)?;
                let (holder, fact) = (resolve(state, holder)?, find_fact(state, fact)?);
                stage.reveal(&holder, &fact, to, *openly)?
            }
            Self::Forget { knower, fact } => {
                let (knower, fact) = (resolve(state, knower)?, find_fact(state, fact)?);
                forget(state, &knower, &fact)?
            }
        };
        Ok(Operation { author, recorded: now, summary, changes: learning.changes })
    }
}

fn sincerity(lie: bool) -> Sincerity {
    if lie { Sincerity::Lie } else { Sincerity::Sincere }
}

fn quoted(fact: &Fact) -> String {
    format!("\u{201C}{}\u{201D}", fact.statement())
}

/// Whose word a new fact is.
#[derive(Clone, Copy)]
enum Voice<'a> {
    /// It is seen to be so.
    World,
    /// Somebody says so.
    Speaker(&'a EntityId),
    /// Somebody says so who lies.
    Liar(&'a EntityId),
    /// Somebody thinks so.
    Mind,
}

impl<'a> Voice<'a> {
    fn of(speaker: &'a EntityId, lie: bool) -> Self {
        if lie { Self::Liar(speaker) } else { Self::Speaker(speaker) }
    }

    fn standing(self) -> Standing {
        match self {
            Self::World => Standing::Canon,
            Self::Speaker(_) | Self::Mind => Standing::Claimed,
            Self::Liar(_) => Standing::False,
        }
    }
}

type Told = (String, Learning);

/// What one happening is made with.
struct Stage<'a> {
    state: &'a State,
    editor: Editor<'a>,
    occasion: hearsay_belief::Occasion,
}

impl<'a> Stage<'a> {
    fn new(
        state: &'a State,
        author: &Author,
        now: Timestamp,
        circumstances: &Circumstances,
    ) -> Result<Self, MemoryError> {
        let Circumstances { place, time, session } = circumstances;
        let session = session.as_ref().map(|given| find_session(state, given)).transpose()?;
        let end = session.as_ref().and_then(|session| session.end.clone().or_else(|| session.start.clone()));
        let time = match time {
            Some(raw) => Some(state.calendar().parse(raw)?),
            None => end.or_else(|| state.clock().map(|_| crate::edit::now(state))),
        };
        let place = place.as_ref().map(|name| resolve(state, name)).transpose()?;
        let session = session.map(|session| session.id.clone());
        let occasion = hearsay_belief::Occasion { time, place, session };
        Ok(Self { state, editor: Editor { state, author: author.clone(), now }, occasion })
    }

    fn all(&self, names: &[String]) -> Result<Vec<EntityId>, MemoryError> {
        names.iter().map(|name| resolve(self.state, name)).collect()
    }

    fn names(&self, ids: &[EntityId]) -> String {
        let names: Vec<_> = ids.iter().map(|id| self.state.name_or_id(id)).collect();
        match &names[..] {
            [] => "nobody".to_owned(),
            [one] => (*one).to_owned(),
            [others @ .., last] if names.len() <= 4 => format!("{} and {last}", others.join(", ")),
            [first, ..] => format!("{first} and {} others", names.len() - 1),
        }
    }

    /// Those who are named, or else those who are there, but for the one who speaks.
    fn hearers(&self, named: &[String], speaker: Option<&EntityId>) -> Result<Vec<EntityId>, MemoryError> {
        if !named.is_empty() {
            return self.all(named);
        }
        let moment = self.occasion.moment();
        let place = self.occasion.place.clone().or_else(|| whereabouts(self.state, speaker?, moment));
        let mut there = place.map(|place| present(self.state, &place, moment)).unwrap_or_default();
        there.retain(|id| Some(id) != speaker);
        Ok(there)
    }

    fn told(&self, verb: &str, teller: &EntityId, hearers: &[EntityId], fact: &Fact) -> String {
        format!("{} {verb} {}: {}", self.state.name_or_id(teller), self.names(hearers), quoted(fact))
    }

    fn provenance(&self, voice: Voice, evidence: Option<Evidence>) -> Provenance {
        let (method, speaker) = match voice {
            Voice::World => (Method::Witnessed, None),
            Voice::Speaker(speaker) | Voice::Liar(speaker) => (Method::Stated, Some(speaker.clone())),
            Voice::Mind => (Method::Inferred, None),
        };
        Provenance {
            session: self.occasion.session.clone(),
            speaker,
            recorded: self.editor.now,
            evidence: evidence.into_iter().collect(),
            ..Provenance::new(method, self.editor.author.clone())
        }
    }

    /// The fact that is meant or made, and what ends by it.
    fn stated(
        &self,
        stated: &Stated,
        voice: Voice,
        evidence: Option<Evidence>,
    ) -> Result<(Arc<Fact>, Vec<Change>), MemoryError> {
        let state = self.state;
        let builder = match stated {
            Stated::Recorded(given) => return Ok((find_fact(state, given)?, Vec::new())),
            Stated::Lore { about, text } => {
                let about = resolve(state, about)?;
                let lore = Fact::attribute(&about, attribute::LORE, text.trim(), self.provenance(voice, evidence))?;
                lore.statement(text.trim()).mentions(mentioned(state, text))
            }
            Stated::Parts { subject, predicate, object, statement } => {
                let mut subject = resolve(state, subject)?;
                let name = Predicate::new(predicate).ok();
                let is_attribute = name.as_ref().is_some_and(|name| state.vocabulary().attribute(name).is_some());
                let provenance = self.provenance(voice, evidence);
                let (builder, predicate, said) = if is_attribute {
                    let name = Predicate::new(predicate)?;
                    (Fact::attribute(&subject, name.clone(), object.as_str(), provenance)?, name, object.clone())
                } else {
                    let (relation, backwards) = self.editor.relation(predicate)?;
                    let mut object = resolve(state, object)?;
                    if backwards {
                        std::mem::swap(&mut subject, &mut object);
                    }
                    let said = spoken_of(state, &object).to_owned();
                    (Fact::relation(&subject, relation.clone(), &object, provenance)?, relation, said)
                };
                let made = || state.vocabulary().sentence(&predicate, spoken_of(state, &subject), &said);
                builder.statement(statement.clone().unwrap_or_else(made))
            }
        };
        let mut fact = builder.standing(voice.standing()).build()?;
        let mut changes = Vec::new();
        if fact.standing() == Standing::Canon && state.is_functional(fact.predicate()) {
            // A newer state ends the older (decision 5), at the time at which it is seen.
            let mut validity = Validity { from: self.occasion.time.clone(), until: None };
            let open = state.values(fact.subject(), fact.predicate());
            changes = succession(state, &open, fact.predicate(), fact.object(), &mut validity);
            fact = fact.to_builder().validity(validity).build()?;
        }
        Ok((Arc::new(fact), changes))
    }

    fn witness(&self, facts: &[Stated], witnesses: &[String]) -> Result<Told, MemoryError> {
        let witnesses = self.hearers(witnesses, None)?;
        let (mut seen, mut changes) = (Vec::new(), Vec::new());
        for fact in facts {
            let (fact, mut ended) = self.stated(fact, Voice::World, None)?;
            seen.push(fact);
            changes.append(&mut ended);
        }
        let mut learning = learn::witness(self.state, &seen, &witnesses, &self.occasion)?;
        changes.append(&mut learning.changes);
        learning.changes = changes;
        let what = match &seen[..] {
            [one] => quoted(one),
            more => format!("{} facts", more.len()),
        };
        let see = if witnesses.len() == 1 { "sees" } else { "see" };
        Ok((format!("{} {see} {what}", self.names(&witnesses)), learning))
    }

    fn say(
        &self,
        speaker: &str,
        text: &str,
        states: &[Stated],
        hearers: &[String],
        sincerity: Sincerity,
    ) -> Result<Told, MemoryError> {
        let speaker = resolve(self.state, speaker)?;
        let hearers = self.hearers(hearers, Some(&speaker))?;
        let session = self.occasion.session.clone();
        // A line said twice is two passages: the number tells them apart.
        let of_session = self.state.passages().filter(|(_, passage)| passage.session == session);
        let line = of_session.map(|(_, passage)| passage.line).max().unwrap_or(0).saturating_add(1);
        let mentions = mentioned(self.state, text);
        let passage = Passage { speaker: Some(speaker.clone()), session, line, mentions, ..Passage::new(text.trim()) };
        if passage.text.is_empty() {
            return Err(MemoryError::Fact(hearsay_model::FactError::NoStatement));
        }
        let span = Span { start: 0, end: passage.text.len() };
        let evidence = Evidence::Passage { passage: passage.id(), span, quote: passage.text.clone() };
        let voice = Voice::of(&speaker, sincerity == Sincerity::Lie);
        let stated = states.iter().map(|fact| Ok(self.stated(fact, voice, Some(evidence.clone()))?.0));
        let stated = stated.collect::<Result<Vec<_>, MemoryError>>()?;
        let summary = format!("{} says: \u{201C}{}\u{201D}", self.state.name_or_id(&speaker), passage.text);
        Ok((summary, learn::say(self.state, passage, &stated, &hearers, sincerity, &self.occasion)?))
    }

    /// A fact as somebody retells it wrongly.
    fn retold(
        &self,
        fact: &Arc<Fact>,
        retold: &Retelling,
        teller: &EntityId,
        lie: bool,
    ) -> Result<Arc<Fact>, MemoryError> {
        let state = self.state;
        let voice = Voice::of(teller, lie);
        let provenance = self.provenance(voice, None);
        let builder = match (&retold.object, fact.object()) {
            (None, _) => {
                let text = retold.statement.clone().unwrap_or_default();
                let mentions: Vec<EntityId> = fact.entities().cloned().collect();
                let lore = Fact::attribute(fact.subject(), attribute::LORE, text.trim(), provenance)?;
                lore.statement(text.trim()).mentions(mentions).secrecy(fact.secrecy())
            }
            (Some(given), old) => {
                let (object, said) = match old {
                    Object::Entity(_) => {
                        let id = resolve(state, given)?;
                        let said = spoken_of(state, &id).to_owned();
                        (Object::Entity(id), said)
                    }
                    Object::Value(_) => (Object::Value(Value::from(given.as_str())), given.clone()),
                };
                let subject = spoken_of(state, fact.subject());
                let made = || state.vocabulary().sentence(fact.predicate(), subject, &said);
                let statement = retold.statement.clone().unwrap_or_else(made);
                fact.to_builder().object(object).statement(statement).handle(None).provenance(provenance)
            }
        };
        Ok(Arc::new(builder.standing(voice.standing()).bearing(Some(Bearing::Distorts(fact.id()))).build()?))
    }

    fn refute(
        &self,
        fact: &Fact,
        statement: Option<&str>,
        teller: Option<&EntityId>,
        hearers: &[String],
        credence: Option<Credence>,
    ) -> Result<Told, MemoryError> {
        let hearers = self.hearers(hearers, teller)?;
        let voice = teller.map_or(Voice::World, Voice::Speaker);
        let made = learn::refutation(fact, statement, self.provenance(voice, None))?;
        let made = Arc::new(made.to_builder().standing(voice.standing()).build()?);
        let Some(teller) = teller else {
            let learning = learn::witness(self.state, &[Arc::clone(&made)], &hearers, &self.occasion)?;
            return Ok((format!("{} see {}", self.names(&hearers), quoted(&made)), learning));
        };
        let telling = Telling {
            teller,
            hearers: &hearers,
            fact: &made,
            retold: None,
            sincerity: Sincerity::Sincere,
            citing: None,
            credence,
        };
        Ok((self.told("tells", teller, &hearers, &made), learn::claim(self.state, &telling, &self.occasion)?))
    }

    fn reveal(&self, holder: &EntityId, fact: &Arc<Fact>, to: &[String], openly: bool) -> Result<Told, MemoryError> {
        let hearers = self.hearers(to, Some(holder))?;
        let telling = Telling {
            teller: holder,
            hearers: &hearers,
            fact,
            retold: None,
            sincerity: Sincerity::Sincere,
            citing: None,
            credence: None,
        };
        let mut learning = learn::tell(self.state, &telling, &self.occasion)?;
        if openly {
            let concealed = own_edges(self.state, holder, fact).filter(|edge| edge.conceals);
            let open = concealed.map(|edge| Knowledge { conceals: false, ..Knowledge::clone(edge) });
            learning.changes.extend(open.map(|edge| Change::Learn(Arc::new(edge))));
        }
        Ok((self.told("reveals to", holder, &hearers, fact), learning))
    }
}

/// Words that a name has at most, to be found in a text.
const LONGEST_NAME: usize = 5;

/// Whom a text names in full, by a name that begins with a capital and that only one bears. Sorted.
fn mentioned(state: &State, text: &str) -> Vec<EntityId> {
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let words: Vec<&str> =
        words.into_iter().map(|word| word.trim_end_matches("'s").trim_end_matches("\u{2019}s")).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let longest = if words[at].starts_with(char::is_uppercase) { LONGEST_NAME.min(words.len() - at) } else { 0 };
        let named = (1..=longest).rev().find_map(|count| match state.resolve(&words[at..at + count].join(" ")) {
            Resolution::One(id) => Some((id, count)),
            _ => None,
        });
        at += named.as_ref().map_or(1, |(_, count)| *count);
        found.extend(named.map(|(id, _)| id));
    }
    found.sort();
    found.dedup();
    found
}

/// Where somebody is at a moment, by canon LOCATED_AT: the latest.
fn whereabouts(state: &State, id: &EntityId, moment: Option<hearsay_model::GameTime>) -> Option<EntityId> {
    let here = state.facts_of(id).filter(|fact| {
        let says = fact.subject() == id && *fact.predicate() == *predicate::LOCATED_AT;
        says && fact.standing() == Standing::Canon && fact.validity().holds_at(moment)
    });
    let latest = here.max_by_key(|fact| (fact.validity().start(), fact.id()))?;
    latest.object().entity().cloned()
}

/// What somebody learned of a fact by itself.
fn own_edges<'a>(state: &'a State, knower: &EntityId, fact: &Fact) -> impl Iterator<Item = &'a Arc<Knowledge>> {
    let knower = Knower::Entity(knower.clone());
    state.known_by(fact.id()).filter(move |edge| edge.knower == knower)
}

fn forget(state: &State, knower: &EntityId, fact: &Fact) -> Result<Told, MemoryError> {
    let learned = own_edges(state, knower, fact).filter(|edge| edge.how != How::Shared);
    let mut ids: Vec<_> = learned.map(|edge| edge.id()).collect();
    ids.sort_unstable();
    if ids.is_empty() {
        let view = View::of(state, &knower.clone().into(), None);
        let known = view.fact(fact.id()).is_some();
        return Err(MemoryError::NotLearned { knower: knower.clone(), statement: fact.statement().to_owned(), known });
    }
    let changes = hearsay_belief::withdrawal(state, &ids);
    let summary = format!("{} never learned {}", state.name_or_id(knower), quoted(fact));
    Ok((summary, Learning { changes, ..Learning::default() }))
}

/// What the DM takes back of the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Retcon {
    /// It never was so, and nobody ever knew it.
    NeverSo {
        /// The fact: its id, the beginning of its id, or its handle.
        fact: String,
    },
    /// It was so until then. Those who know it go on believing it, until they learn of the end.
    Until {
        /// The fact: its id, the beginning of its id, or its handle.
        fact: String,
        /// Until when, on the campaign's calendar.
        until: String,
    },
}

impl Retcon {
    /// The operation that takes it back.
    ///
    /// # Errors
    /// When the fact or the date cannot be understood, or it would end before it begins.
    pub fn operation(&self, state: &State, author: Author, now: Timestamp) -> Result<Operation, MemoryError> {
        let (summary, change) = match self {
            Self::NeverSo { fact } => {
                let fact = find_fact(state, fact)?;
                (format!("never so: {}", quoted(&fact)), Change::RetractFact(fact.id()))
            }
            Self::Until { fact, until } => {
                let fact = find_fact(state, fact)?;
                let until: Date = state.calendar().parse(until)?;
                if let (Some(from), Some(end)) = (fact.validity().start(), until.time)
                    && end < from
                {
                    let from = state.calendar().print(from);
                    return Err(MemoryError::EndsTooEarly {
                        statement: fact.statement().to_owned(),
                        from,
                        until: until.raw,
                    });
                }
                (format!("so until {}: {}", until.raw, quoted(&fact)), Change::EndFact { fact: fact.id(), until })
            }
        };
        Ok(Operation { author, recorded: now, summary, changes: vec![change] })
    }
}
