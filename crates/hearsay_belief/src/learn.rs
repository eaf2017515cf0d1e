//! Learning: how knowers come to know, as changes to be committed in one operation.
//!
//! Every function reads a state and gives the changes of one operation; none applies them. What somebody learns leaves
//! an edge with its source chain: the edges by which the teller knew it, and the experiences that the hearer had with
//! the teller. The dead learn and tell nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Bearing, Change, Credence, Date, EntityId, Fact, FactError, FactId, How, Knower, Knowledge, KnowledgeId, Passage,
    Provenance, Reader, Secrecy, Source, State, attribute,
};
use thiserror::Error;

use crate::{
    Known, Occasion, RETELLING, Trust, Via, View, Way,
    credence::{credence, is_made_up},
    occasion::{can_know, is_dead},
};

/// Why something cannot be learned or told. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LearnError {
    /// Somebody tells what it does not know.
    #[error(
        "{teller} does not know that \u{201C}{statement}\u{201D}, and cannot tell it; let it learn that first, or say that it lies"
    )]
    NotKnown {
        /// Who was to tell it.
        teller: EntityId,
        /// The fact's sentence.
        statement: String,
    },
    /// Somebody is to conclude from what it does not know.
    #[error("{knower} does not know that \u{201C}{statement}\u{201D}, and cannot conclude anything from it")]
    NoPremise {
        /// Who was to conclude.
        knower: EntityId,
        /// The premise's sentence.
        statement: String,
    },
    /// The dead learn and tell nothing.
    #[error("{0} is dead at that time: the dead learn and tell nothing")]
    Dead(EntityId),
    /// A thing, a document or an event.
    #[error("{0} is no character, group or place: it cannot know anything")]
    CannotKnow(EntityId),
    /// Nobody hears it.
    #[error("nobody is there to learn it; name those who are")]
    Nobody,
    /// Somebody tells itself.
    #[error("{0} cannot tell itself anything")]
    ToItself(EntityId),
    /// A fact that waits for the DM, or was rejected.
    #[error("\u{201C}{statement}\u{201D} is {standing}: nobody in the world can learn it; accept it first")]
    NotInWorld {
        /// The fact's sentence.
        statement: String,
        /// What the world says of it.
        standing: &'static str,
    },
    /// A document in which nothing is written.
    #[error("nothing is written in {0} that could be read: no passage names it as its document")]
    NothingWritten(EntityId),
    /// Nothing to conclude from.
    #[error("a conclusion needs at least one fact that it follows from")]
    NoPremises,
    /// The fact cannot be.
    #[error(transparent)]
    Fact(#[from] FactError),
}

/// What somebody learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// Who.
    pub knower: EntityId,
    /// What.
    pub fact: FactId,
    /// The edge.
    pub edge: KnowledgeId,
    /// How far this edge makes it believe that.
    pub belief: Credence,
    /// Whether it knew of it before.
    pub knew: bool,
}

/// What is learned on one occasion.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Learning {
    /// The changes of the operation.
    pub changes: Vec<Change>,
    /// Who learns what; names and kinds that come with it are left out. In the order of the knowers.
    pub lessons: Vec<Lesson>,
    /// Those who were there but are dead. Sorted.
    pub dead: Vec<EntityId>,
}

/// How sincerely something is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sincerity {
    /// The teller passes on what it knows, as sure as it is itself.
    #[default]
    Sincere,
    /// The teller claims it against what it knows, or makes it up. The chain ends with it.
    Lie,
}

/// Something told by one knower to others.
#[derive(Debug, Clone)]
pub struct Telling<'a> {
    /// Who tells it.
    pub teller: &'a EntityId,
    /// The secret name under which it tells it. Whoever does not know whose name it is has it from nobody in particular,
    /// and believes it as a stranger's word.
    pub alias: Option<&'a str>,
    /// To whom: characters, groups or places. In any order.
    pub hearers: &'a [EntityId],
    /// What it knows.
    pub fact: &'a Arc<Fact>,
    /// What it says instead, when it retells it wrongly: a fact that [distorts](Bearing::Distorts) the first.
    pub retold: Option<&'a Arc<Fact>>,
    /// Whether it lies.
    pub sincerity: Sincerity,
    /// From whom it says to have it.
    pub citing: Option<&'a EntityId>,
    /// How far the hearers believe it, where their trust is not to decide.
    pub credence: Option<Credence>,
}

impl<'a> Telling<'a> {
    /// Something that the teller knows, told sincerely and as it is.
    pub fn new(teller: &'a EntityId, hearers: &'a [EntityId], fact: &'a Arc<Fact>) -> Self {
        Self {
            teller,
            alias: None,
            hearers,
            fact,
            retold: None,
            sincerity: Sincerity::Sincere,
            citing: None,
            credence: None,
        }
    }
}

/// Those present learn what happens before their eyes.
///
/// # Errors
/// When nobody is there, somebody named is dead or cannot know, or a fact is not part of the world.
pub fn witness(
    state: &State,
    facts: &[Arc<Fact>],
    witnesses: &[EntityId],
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut scribe = Scribe::new(state, occasion);
    let witnesses = scribe.hearers(witnesses)?;
    for fact in facts {
        scribe.state_fact(fact)?;
    }
    for knower in &witnesses {
        let view = scribe.view(knower);
        let company = others(&witnesses, knower, None);
        for fact in facts {
            let edge = Knowledge { company: company.clone(), ..scribe.edge(knower, fact, How::Witnessed) };
            scribe.learn(&view, edge, credence(1.0));
        }
        scribe.names(&view, facts, &company, &How::Witnessed, None);
    }
    Ok(scribe.learning)
}

/// One knower tells others what it knows, or lies.
///
/// A hearer takes it up with the credence that follows its [trust](Trust) in the teller, how sure the teller is, and one
/// more [retelling](RETELLING). The teller keeps a record of whom it told.
///
/// # Errors
/// When the teller does not know it and does not lie, tells itself, or is dead; or as [`witness`].
pub fn tell(state: &State, telling: &Telling, occasion: &Occasion) -> Result<Learning, LearnError> {
    let mut scribe = Scribe::new(state, occasion);
    scribe.tell(telling, &BTreeSet::new())?;
    Ok(scribe.learning)
}

/// One knower tells others what it says first: what it did not know before, it knows from itself, unless it lies.
///
/// # Errors
/// As [`tell`], but that the teller need not have known it.
pub fn claim(state: &State, telling: &Telling, occasion: &Occasion) -> Result<Learning, LearnError> {
    let mut scribe = Scribe::new(state, occasion);
    scribe.alive(telling.teller)?;
    let view = scribe.view(telling.teller);
    let own = scribe.own(&view, telling.teller, telling.fact, telling.sincerity)?;
    scribe.tell(telling, &own)?;
    Ok(scribe.learning)
}

/// A line is said aloud: everyone in earshot learns that it was said, and by whom, and takes up what it states. What the
/// speaker did not know before, it knows from itself, unless it lies.
///
/// The passage needs its speaker; who hears it, when and where are taken from the other arguments.
///
/// # Errors
/// As [`tell`].
pub fn say(
    state: &State,
    passage: Passage,
    states: &[Arc<Fact>],
    hearers: &[EntityId],
    sincerity: Sincerity,
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut scribe = Scribe::new(state, occasion);
    let speaker = passage.speaker.clone().ok_or(LearnError::Nobody)?;
    scribe.alive(&speaker)?;
    let hearers: Vec<EntityId> = hearers.iter().filter(|id| **id != speaker).cloned().collect();
    let heard_by = if hearers.is_empty() { Vec::new() } else { scribe.hearers(&hearers)? };
    let mut heard: Vec<Knower> = heard_by.iter().cloned().map(Knower::Entity).chain([speaker.clone().into()]).collect();
    heard.sort();
    let Occasion { time, place, session } = occasion.clone();
    let passage_alias = passage.speaker_alias.clone();
    let passage = Passage { heard_by: heard, time, place, session, ..passage };
    scribe.learning.changes.push(Change::AddPassage(Arc::new(passage)));
    let (view, alias) = (scribe.view(&speaker), passage_alias.as_deref());
    for fact in states {
        let own = scribe.own(&view, &speaker, fact, sincerity)?;
        if heard_by.is_empty() {
            continue;
        }
        let telling = Telling { sincerity, alias, ..Telling::new(&speaker, &heard_by, fact) };
        scribe.tell(&telling, &own)?;
    }
    Ok(scribe.learning)
}

/// Somebody reads a document: its passages, and what they state.
///
/// # Errors
/// When nothing is written in it, or as [`witness`].
pub fn read(
    state: &State,
    document: &EntityId,
    readers: &[EntityId],
    credence: Credence,
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut scribe = Scribe::new(state, occasion);
    let readers = scribe.hearers(readers)?;
    let passages: BTreeMap<_, _> = state.passages_in_document(document).collect();
    if passages.is_empty() {
        return Err(LearnError::NothingWritten(document.clone()));
    }
    for passage in passages.values() {
        let mut passage = Passage::clone(passage);
        for id in &readers {
            let knower = Knower::Entity(id.clone());
            if passage.reached(&knower).is_none_or(|reached| reached > occasion.moment()) {
                passage.readers.retain(|reader| reader.knower != knower);
                passage.readers.push(Reader { knower, since: occasion.moment() });
            }
        }
        passage.readers.sort();
        scribe.learning.changes.push(Change::AddPassage(Arc::new(passage)));
    }
    let stated = passages.keys().flat_map(|id| state.facts_citing(*id));
    let stated = stated.filter(|fact| fact.standing().is_in_world()).map(|fact| (fact.id(), Arc::clone(fact)));
    let facts: Vec<Arc<Fact>> = stated.collect::<BTreeMap<_, _>>().into_values().collect();
    let how = How::Read { document: Some(document.clone()) };
    for knower in &readers {
        let view = scribe.view(knower);
        let company = others(&readers, knower, None);
        for fact in &facts {
            let edge = Knowledge { credence, company: company.clone(), ..scribe.edge(knower, fact, how.clone()) };
            scribe.learn(&view, edge, credence);
        }
        scribe.names(&view, &facts, &company, &how, None);
    }
    Ok(scribe.learning)
}

/// Somebody concludes a fact from others that it knows. When one of them falls, so does the conclusion.
///
/// # Errors
/// When there are no premises, one is not known, or as [`witness`].
pub fn deduce(
    state: &State,
    knower: &EntityId,
    fact: &Arc<Fact>,
    from: &[FactId],
    certainty: Credence,
    occasion: &Occasion,
) -> Result<Learning, LearnError> {
    let mut scribe = Scribe::new(state, occasion);
    scribe.alive(knower)?;
    if from.is_empty() {
        return Err(LearnError::NoPremises);
    }
    scribe.state_fact(fact)?;
    let view = scribe.view(knower);
    let (mut sources, mut belief) = (Vec::new(), certainty.get());
    for premise in from {
        let statement = || state.fact(*premise).map_or_else(|| premise.to_string(), |fact| fact.statement().to_owned());
        let no_premise = || LearnError::NoPremise { knower: knower.clone(), statement: statement() };
        let known = view.fact(*premise).filter(|known| !known.is_made_up()).ok_or_else(no_premise)?;
        belief *= known.credence().get();
        sources.extend(basis(known));
    }
    let mut from = from.to_vec();
    from.sort_unstable();
    from.dedup();
    let edge = Knowledge { credence: certainty, sources, ..scribe.edge(knower, fact, How::Deduced { from }) };
    scribe.learn(&view, edge, credence(belief));
    Ok(scribe.learning)
}

/// A fact that says that another is not so, to be told like any other.
///
/// # Errors
/// When the sentence is empty.
pub fn refutation(fact: &Fact, statement: Option<&str>, provenance: Provenance) -> Result<Arc<Fact>, LearnError> {
    let statement = statement.map_or_else(|| refuting(fact), str::to_owned);
    about(fact, Bearing::Refutes(fact.id()), statement, provenance, None)
}

/// A fact that says that another is so no longer, to be told like any other.
///
/// # Errors
/// When the sentence is empty.
pub fn ending(
    fact: &Fact,
    until: Date,
    statement: Option<&str>,
    provenance: Provenance,
) -> Result<Arc<Fact>, LearnError> {
    let statement = statement.map_or_else(|| ending_of(fact, Some(&until)), str::to_owned);
    about(fact, Bearing::Ends(fact.id()), statement, provenance, Some(until))
}

/// The sentence that says that a fact is not so.
pub fn refuting(fact: &Fact) -> String {
    format!("It is not so that {}", lower_first(fact.statement()))
}

/// The sentence that says that a fact is so no longer; since when, where that is known.
pub fn ending_of(fact: &Fact, since: Option<&Date>) -> String {
    let since = since.filter(|date| !date.raw.is_empty());
    let when = since.map_or_else(String::new, |date| format!(" since {}", date.raw));
    format!("No longer so{when}: {}", fact.statement())
}

fn about(
    fact: &Fact,
    bearing: Bearing,
    statement: String,
    provenance: Provenance,
    since: Option<Date>,
) -> Result<Arc<Fact>, LearnError> {
    let validity = hearsay_model::Validity { from: since, until: None };
    let said = Fact::attribute(fact.subject(), attribute::LORE, statement.clone(), provenance)?;
    let mentions = fact.entities().cloned().collect::<Vec<_>>();
    let said = said.statement(statement).mentions(mentions).validity(validity);
    Ok(Arc::new(said.secrecy(fact.secrecy()).bearing(Some(bearing)).build()?))
}

/// A sentence as it stands after others: names keep their capitals, and so does what may be one.
fn lower_first(sentence: &str) -> String {
    let (first, rest) = sentence.split_once(' ').unwrap_or((sentence, ""));
    let plain = ["The", "A", "An", "There", "It", "He", "She", "They", "His", "Her", "Their", "Nobody", "Somebody"];
    let first = if plain.contains(&first) { first.to_lowercase() } else { first.to_owned() };
    format!("{first} {rest}").trim_end().to_owned()
}

/// The edges by which a fact is known, as sources: the knower's own, if it has any. What it has passed on itself tells
/// which of several are echoes, and what it made up.
pub(crate) fn basis(known: &Known) -> impl Iterator<Item = Source> {
    let own = known.ways().iter().any(|way| way.via == Via::Own);
    let ways: Vec<&Way> = known.ways().iter().filter(|way| !own || way.via == Via::Own).collect();
    let several = ways.len() > 1;
    let shared = known.shared().iter().filter(move |record| several || is_made_up(&record.edge));
    ways.into_iter().chain(shared).map(|way| Source::Basis { fact: known.id(), edge: way.id })
}

/// All of some but one or two.
fn others(all: &[EntityId], one: &EntityId, another: Option<&EntityId>) -> Vec<EntityId> {
    all.iter().filter(|id| *id != one && Some(*id) != another).cloned().collect()
}

/// The name and the kind by which somebody is spoken of, with the attribute of each.
pub(crate) fn naming<'s>(state: &'s State, id: &EntityId) -> impl Iterator<Item = (&'static str, &'s Fact)> + use<'s> {
    let newest = [attribute::NAME, attribute::KIND].map(|name| (name, state.newest(id, name)));
    let known = newest.into_iter().filter_map(|(name, fact)| Some((name, fact?)));
    known.filter(|(_, fact)| fact.secrecy() != Secrecy::Secret)
}

/// Writes down what is learned on one occasion.
struct Scribe<'s> {
    state: &'s State,
    occasion: &'s Occasion,
    learning: Learning,
    stated: BTreeSet<FactId>,
}

impl<'s> Scribe<'s> {
    fn new(state: &'s State, occasion: &'s Occasion) -> Self {
        Self { state, occasion, learning: Learning::default(), stated: BTreeSet::new() }
    }

    fn view(&self, knower: &EntityId) -> View {
        View::of(self.state, &knower.clone().into(), self.occasion.moment())
    }

    fn alive(&self, id: &EntityId) -> Result<(), LearnError> {
        if !can_know(self.state, id) {
            return Err(LearnError::CannotKnow(id.clone()));
        }
        if is_dead(self.state, id, self.occasion.moment()) {
            return Err(LearnError::Dead(id.clone()));
        }
        Ok(())
    }

    /// Those who are there to learn something: sorted, each once.
    fn hearers(&self, given: &[EntityId]) -> Result<Vec<EntityId>, LearnError> {
        let hearers: BTreeSet<&EntityId> = given.iter().collect();
        for id in &hearers {
            self.alive(id)?;
        }
        if hearers.is_empty() {
            return Err(LearnError::Nobody);
        }
        Ok(hearers.into_iter().cloned().collect())
    }

    /// Makes sure that a fact is on record, and part of the world.
    fn state_fact(&mut self, fact: &Arc<Fact>) -> Result<(), LearnError> {
        let recorded = self.state.fact(fact.id());
        let standing = recorded.map_or(fact.standing(), |fact| fact.standing());
        if !standing.is_in_world() {
            let statement = fact.statement().to_owned();
            return Err(LearnError::NotInWorld { statement, standing: standing.as_str() });
        }
        if recorded.is_none() && self.stated.insert(fact.id()) {
            self.learning.changes.push(Change::AssertFact(Arc::clone(fact)));
        }
        Ok(())
    }

    fn edge(&self, knower: &EntityId, fact: &Fact, how: How) -> Knowledge {
        self.occasion.edge(knower, fact.id(), how)
    }

    fn learn(&mut self, view: &View, edge: Knowledge, belief: Credence) {
        let edge = edge.sorted();
        if let Some(knower) = edge.knower.entity() {
            let knew = view.fact(edge.fact).is_some_and(|known| !known.is_made_up());
            let lesson = Lesson { knower: knower.clone(), fact: edge.fact, edge: edge.id(), belief, knew };
            self.learning.lessons.push(lesson);
        }
        self.learning.changes.push(Change::Learn(Arc::new(edge)));
    }

    /// The speaker knows from itself what it says and did not know before, unless it lies; nothing, when it knew it.
    fn own(
        &mut self,
        view: &View,
        speaker: &EntityId,
        fact: &Arc<Fact>,
        sincerity: Sincerity,
    ) -> Result<BTreeSet<(FactId, KnowledgeId)>, LearnError> {
        self.state_fact(fact)?;
        if sincerity == Sincerity::Lie || view.fact(fact.id()).is_some_and(|known| !known.is_made_up()) {
            return Ok(BTreeSet::new());
        }
        let edge = self.edge(speaker, fact, How::Authored);
        let own = BTreeSet::from([(fact.id(), edge.id())]);
        self.learn(view, edge, Credence::FULL);
        Ok(own)
    }

    fn tell(&mut self, telling: &Telling, own: &BTreeSet<(FactId, KnowledgeId)>) -> Result<(), LearnError> {
        let &Telling { teller, fact, sincerity, .. } = telling;
        self.alive(teller)?;
        let hearers = self.hearers(telling.hearers)?;
        if hearers.contains(teller) {
            return Err(LearnError::ToItself(teller.clone()));
        }
        let said = telling.retold.unwrap_or(fact);
        self.state_fact(said)?;
        let view = self.view(teller);
        let known = view.fact(fact.id());
        let mut sources: Vec<Source> = known.filter(|known| !known.is_made_up()).into_iter().flat_map(basis).collect();
        sources.extend(own.iter().map(|(fact, edge)| Source::Basis { fact: *fact, edge: *edge }));
        let surety = match sincerity {
            Sincerity::Sincere if sources.is_empty() => {
                let statement = fact.statement().to_owned();
                return Err(LearnError::NotKnown { teller: teller.clone(), statement });
            }
            Sincerity::Sincere => known.map_or(1.0, |known| known.credence().get()),
            Sincerity::Lie => {
                sources.clear();
                1.0
            }
        };
        let record = Knowledge {
            company: hearers.clone(),
            sources: sources.clone(),
            credence: Credence::NONE,
            ..self.edge(teller, said, How::Shared)
        };
        self.learning.changes.push(Change::Learn(Arc::new(record.sorted())));
        for knower in &hearers {
            let of_hearer = self.view(knower);
            let by = telling.alias.is_none_or(|alias| of_hearer.knows_name(teller, alias)).then_some(teller);
            let how = How::Told { by: by.cloned(), citing: telling.citing.cloned() };
            let trust = by.map_or_else(Trust::of_stranger, |teller| Trust::of(&of_hearer, teller));
            let company = others(&hearers, knower, Some(teller));
            let level = trust.level().get();
            let mut edge = Knowledge {
                company: company.clone(),
                sources: sources.clone(),
                ..self.edge(knower, said, how.clone())
            };
            let belief = match telling.credence {
                Some(given) => {
                    // What is given is the end of it, as far as a share of the teller's belief can make it so.
                    let most = if sources.is_empty() { 1.0 } else { RETELLING * surety };
                    edge.credence = if given.get() < most { credence(given.get() / most) } else { Credence::FULL };
                    credence(edge.credence.get() * most)
                }
                None => {
                    edge.credence = match sources.is_empty() {
                        true => credence(trust.first.get() * RETELLING),
                        false => trust.first,
                    };
                    edge.sources.extend(trust.experiences.iter().cloned().map(Source::from));
                    credence(level * RETELLING * surety)
                }
            };
            self.learn(&of_hearer, edge, belief);
            self.names(&of_hearer, std::slice::from_ref(said), &company, &how, Some(&view));
        }
        Ok(())
    }

    /// With a fact come the names in it: name and kind of those it speaks of, as far as the teller knows them.
    fn names(&mut self, view: &View, facts: &[Arc<Fact>], company: &[EntityId], how: &How, teller: Option<&View>) {
        let Some(knower) = view.knower().entity() else { return };
        let entities: BTreeSet<&EntityId> = facts.iter().flat_map(|fact| fact.entities()).collect();
        for id in entities {
            let knows =
                |name: &str| view.facts_about(id).any(|known| known.subject() == id && *known.predicate() == *name);
            for (name, fact) in naming(self.state, id) {
                if knows(name) {
                    continue;
                }
                let sources = match teller.map(|teller| teller.fact(fact.id())) {
                    Some(None) => continue,
                    Some(Some(known)) => basis(known).collect(),
                    None => Vec::new(),
                };
                let edge = Knowledge { company: company.to_vec(), sources, ..self.edge(knower, fact, how.clone()) };
                self.learning.changes.push(Change::Learn(Arc::new(edge.sorted())));
            }
        }
    }
}

#[cfg(test)]
mod tests;
