//! Searches for leaks: a character's answers must not depend on facts that the character cannot know.
//!
//! The measurement asks a character a question. Then it removes from the state all data that the character cannot know.
//! It asks the same question again, and compares the two answers byte for byte. The following data is not removed:
//!
//! - The facts of the character's view. Properties that characters cannot see are removed: status, end of validity,
//!   confidence, conditions, handle, and mentions besides subject and object. Facts about membership, residence and
//!   parts of places keep their status and their end of validity, because they determine which character knows which
//!   facts.
//! - The character's knowledge edges to these facts. Among them are the edges which record that the character told a
//!   fact to others. All edges on which these edges depend, directly or indirectly, remain too, with their facts.
//! - The passages that the character heard. The other hearers are removed.
//! - The vocabulary, the calendar and the clock.
//! - The ids of the entities and sessions that this data names.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use hearsay_belief::{RevealableFacts, Trust, View};
use hearsay_model::{
    ApplyError, Author, Change, Confidence, Entity, EntityId, Fact, FactError, FactStatus, GameSetting, GameTime,
    Justification, Knower, KnowledgeEdge, KnowledgeId, Operation, Passage, PassageId, Predicate, PredicateRole,
    Provenance, Session, SessionId, Setting, State, WorldSetting,
};
use hearsay_query::session::sessions_in_order;
use hearsay_recall::{
    ApproximateTokens, ContextRequest, Detail, DocId, EntityLinker, Form, Hearer, Index, Query, RecapRequest, Scene,
    SceneContext, SummaryRequest, SummarySubject, rank, recap, summarize,
};
use serde::Serialize;
use thiserror::Error;

use crate::{
    Random,
    parallel::map_worlds,
    worlds::{GeneratedWorld, PEOPLE, SESSIONS},
};

/// Maximum number of differences to print.
pub(crate) const MAX_REPORTED: usize = 5;

/// A question to a character, with the time and place at which it is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeakQuestion {
    /// The character who is asked.
    pub asker: EntityId,
    /// The game time of the question. `None` means the end of the world's history.
    pub as_of: Option<GameTime>,
    /// The place where the question is asked. `None` if no place is given.
    pub place: Option<EntityId>,
    /// The characters at the place of the question. If empty, the engine uses the characters that the asked character
    /// knows to be there.
    pub present: Vec<EntityId>,
    /// The entities that the answer must be about. If empty, the answer can be about any entity.
    pub about: Vec<EntityId>,
    /// The current session, if there is one.
    pub session: Option<SessionId>,
    /// The text of the question.
    pub text: String,
}

/// A difference between two answers that should be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The number of the generated world, counted from 0.
    pub world: usize,
    /// The seed of the random numbers. The seed and the number of the world determine the world.
    pub seed: u64,
    /// The question to which the two answers differ.
    pub question: LeakQuestion,
    /// The number of the first line in which the answers differ, counted from 1. The number is 0 if there is no second
    /// answer, because the state without the removed data is invalid.
    pub line: usize,
    /// The first differing line of the answer from the complete state.
    pub complete_line: String,
    /// The first differing line of the answer from the state that contains only data known to the character.
    pub known_line: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { world, seed, question: LeakQuestion { asker, as_of, text, .. }, line, complete_line, known_line } =
            self;
        let time = as_of.map_or_else(|| "the end".into(), |time| time.to_string());
        writeln!(f, "world {world} of seed {seed}, {asker} asked as of {time}: {text}")?;
        writeln!(f, "  line {line} from the complete state: {complete_line}")?;
        write!(f, "  line {line} from known data only:    {known_line}")
    }
}

/// Numbers of worlds, questions and differences in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Number of generated worlds.
    pub worlds: usize,
    /// Number of questions.
    pub questions: usize,
    /// Number of questions with different answers.
    pub differences: usize,
}

/// The result of a run: the counts and the first differences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeakReport {
    /// The counts over all generated worlds.
    pub tally: Tally,
    /// The first differences, in the order of the worlds. There are at most five.
    pub first: Vec<Difference>,
}

/// Searches for leaks in `worlds` generated worlds, on all processors. The result does not depend on the number of
/// processors.
pub fn find_leaks(worlds: usize, seed: u64) -> LeakReport {
    find_leaks_with(worlds, seed, &answer)
}

/// Searches for leaks like [`find_leaks`], but gets the answers of characters from the function `answer`.
pub fn find_leaks_with(
    worlds: usize,
    seed: u64,
    answer: &(impl Fn(&State, &LeakQuestion) -> String + Sync),
) -> LeakReport {
    let mut report = LeakReport { tally: Tally { worlds, ..Tally::default() }, first: Vec::new() };
    for (questions, differences) in map_worlds(worlds, |world| check_world(world, seed, answer)) {
        report.tally.questions += questions;
        report.tally.differences += differences.len();
        let remaining = MAX_REPORTED - report.first.len();
        report.first.extend(differences.into_iter().take(remaining));
    }
    report
}

/// Generates one world and asks three of its characters, each of them twice: at the end of the world's history, and at
/// a random game time.
fn check_world(world: usize, seed: u64, answer: &impl Fn(&State, &LeakQuestion) -> String) -> (usize, Vec<Difference>) {
    let mut random = Random::new(seed, world as u64);
    let generated = GeneratedWorld::generate(&mut random);
    let mut differences = Vec::new();
    let mut question_count = 0;
    for _ in 0..3 {
        let Some(asker) = random.choose(&PEOPLE).and_then(|id| EntityId::new(id).ok()) else { continue };
        let time = GameTime(random.below(usize::try_from(generated.now().0).unwrap_or_default() + 10) as i64);
        for as_of in [None, Some(time)] {
            let place = random.choose(&["inn", "ward"]).and_then(|id| EntityId::new(id).ok());
            let present = random.choose(&PEOPLE).and_then(|id| EntityId::new(id).ok()).filter(|_| random.percent(40));
            let (present, text) = (present.into_iter().collect(), GeneratedWorld::question(&mut random));
            let about = random.choose(&PEOPLE).and_then(|id| EntityId::new(id).ok()).filter(|_| random.percent(30));
            let session =
                random.choose(&SESSIONS).and_then(|id| SessionId::new(id).ok()).filter(|_| random.percent(30));
            let about = about.into_iter().collect();
            let question = LeakQuestion { asker: asker.clone(), as_of, place, present, about, session, text };
            question_count += 1;
            let difference = compare(&generated.state, &question, answer);
            differences.extend(difference.map(|(line, complete_line, known_line)| Difference {
                world,
                seed,
                question,
                line,
                complete_line,
                known_line,
            }));
        }
    }
    (question_count, differences)
}

/// Answers a question from the complete state, and from the part of the state that the asked character knows. Returns
/// the number of the first line in which the answers differ, the line from the complete state, and the line from the
/// part. Returns `None` if the answers are equal.
pub fn compare(
    state: &State,
    question: &LeakQuestion,
    answer: &impl Fn(&State, &LeakQuestion) -> String,
) -> Option<(usize, String, String)> {
    let view = View::new(state, &question.asker.clone().into(), question.as_of);
    let known_state = match known_part(&view, state) {
        Ok(known_state) => known_state,
        Err(error) => return Some((0, String::new(), format!("the reduced state is invalid: {error}"))),
    };
    let (complete_answer, known_answer) = (answer(state, question), answer(&known_state, question));
    if complete_answer == known_answer {
        return None;
    }
    let (mut complete_lines, mut known_lines) = (complete_answer.lines(), known_answer.lines());
    (1..).find_map(|line| match (complete_lines.next(), known_lines.next()) {
        (a, b) if a == b && a.is_some() => None,
        (a, b) => Some((line, a.unwrap_or_default().to_owned(), b.unwrap_or_default().to_owned())),
    })
}

/// Error while removing from a state the data that a character cannot know.
#[derive(Debug, Error)]
pub enum PruneError {
    /// A fact is invalid.
    #[error(transparent)]
    Fact(#[from] FactError),
    /// The new state refuses a kept record.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// Returns the part of a state that the knower of a view knows. The part includes the derivations of the knower's
/// edges.
///
/// # Errors
/// Returns an error if a kept fact is invalid, or if the new state refuses a kept record.
pub fn known_part(view: &View, state: &State) -> Result<State, PruneError> {
    known_part_of_all(std::slice::from_ref(view), state)
}

/// Returns the part of a state that at least one of the knowers of several views knows.
///
/// # Errors
/// Returns the same errors as [`known_part`].
pub fn known_part_of_all(views: &[View], state: &State) -> Result<State, PruneError> {
    let mut known_part = KnownPart::default();
    known_part.entities.extend(views.iter().filter_map(|view| view.knower().entity().cloned()));
    let mut edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>> = BTreeMap::new();
    for known in views.iter().flat_map(View::facts) {
        edges.extend(
            known
                .known_edges()
                .iter()
                .chain(known.shared())
                .map(|known_edge| (known_edge.id, Arc::clone(&known_edge.edge))),
        );
    }
    let mut pending: Vec<KnowledgeId> = edges.keys().copied().collect();
    while let Some(id) = pending.pop() {
        let sources = edges.get(&id).map(|edge| edge.sources.clone()).unwrap_or_default();
        for id in sources.iter().flat_map(Justification::edges) {
            if let Some(edge) = state.knowledge(id).filter(|_| !edges.contains_key(&id)) {
                edges.insert(id, Arc::clone(edge));
                pending.push(id);
            }
        }
    }
    let fact_ids =
        views.iter().flat_map(View::facts).map(|known| known.id()).chain(edges.values().map(|edge| edge.fact));
    let fact_ids: BTreeSet<_> = fact_ids.collect();
    for fact in fact_ids.iter().filter_map(|id| state.fact(*id)) {
        known_part.add_fact(fact)?;
    }
    edges.into_values().for_each(|edge| known_part.add_edge(edge));
    // A knower can know a passage as a member of a group or as a resident of a place. Other knowers of the passage are
    // removed.
    let mut readers_by_passage: BTreeMap<PassageId, (&Arc<Passage>, BTreeSet<Knower>)> = BTreeMap::new();
    for view in views {
        let groups = view.facts().filter_map(|known| known.object().entity().map(|id| Knower::Entity(id.clone())));
        let visible_knowers: BTreeSet<Knower> = groups.chain([Knower::World, view.knower().clone()]).collect();
        for (id, heard_passage) in view.passages() {
            let (passage, readers) =
                readers_by_passage.entry(id).or_insert_with(|| (&heard_passage.passage, BTreeSet::new()));
            // One view may hide the speaker of a passage while another view shows the speaker.
            if passage.speaker.is_none() {
                *passage = &heard_passage.passage;
            }
            readers.extend(visible_knowers.iter().cloned());
        }
    }
    readers_by_passage
        .into_values()
        .for_each(|(passage, visible_knowers)| known_part.add_passage(passage, &visible_knowers));
    known_part.into_state(state)
}

/// The parts of a state that are kept.
#[derive(Default)]
struct KnownPart {
    entities: BTreeSet<EntityId>,
    sessions: BTreeSet<SessionId>,
    changes: Vec<Change>,
}

impl KnownPart {
    fn add_fact(&mut self, fact: &Fact) -> Result<(), FactError> {
        let is_structural = [PredicateRole::Membership, PredicateRole::Residence, PredicateRole::Part]
            .iter()
            .any(|role| role.is(fact.predicate()));
        let provenance = Provenance { confidence: Confidence::FULL, confirmed: false, ..fact.provenance().clone() };
        self.sessions.extend(provenance.session.clone());
        self.entities.extend(provenance.speaker.clone());
        let mut builder = fact.to_builder().mentions([]).conditions(None).handle(None).provenance(provenance);
        if !is_structural {
            let from = fact.validity().from.clone();
            builder = builder.status(FactStatus::Canon).validity(hearsay_model::Validity { from, until: None });
        }
        let fact = builder.build()?;
        self.entities.extend(fact.entities().cloned());
        self.changes.push(Change::AssertFact(Arc::new(fact)));
        Ok(())
    }

    fn add_edge(&mut self, edge: Arc<KnowledgeEdge>) {
        self.entities.extend(edge.knower.entity().cloned());
        self.entities.extend(edge.co_present.iter().cloned());
        self.entities.extend(edge.acquisition.entities().cloned());
        self.sessions.extend(edge.session.clone());
        self.changes.push(Change::Learn(edge));
    }

    fn add_passage(&mut self, passage: &Passage, visible_knowers: &BTreeSet<Knower>) {
        let mut passage = passage.clone();
        (passage.mentions, passage.place) = (Vec::new(), None);
        (passage.lie, passage.confidential) = (false, false);
        passage.heard_by.retain(|knower| visible_knowers.contains(knower));
        passage.readers.retain(|reader| visible_knowers.contains(&reader.knower));
        let readers = passage.readers.iter().map(|reader| &reader.knower);
        self.entities.extend(passage.heard_by.iter().chain(readers).filter_map(|knower| knower.entity().cloned()));
        self.entities.extend(passage.speaker.iter().chain(&passage.document).cloned());
        self.sessions.extend(passage.session.clone());
        self.changes.push(Change::AddPassage(Arc::new(passage)));
    }

    fn into_state(self, complete: &State) -> Result<State, PruneError> {
        let is_visible_setting = |setting: &&Arc<Setting>| {
            matches!(
                ***setting,
                Setting::World(WorldSetting::Calendar(_) | WorldSetting::Minds(_))
                    | Setting::Game(GameSetting::Clock(_))
                    | Setting::World(WorldSetting::Predicate(_) | WorldSetting::Attribute(_))
            )
        };
        let settings =
            complete.settings().filter(is_visible_setting).map(|setting| Change::Set(Setting::clone(setting)));
        let sessions = self.sessions.into_iter().map(|id| {
            let (number, title, present) = (None, String::new(), Vec::new());
            Change::SetSession(Session { id, number, title, date: None, start: None, end: None, present })
        });
        let entities = self.entities.into_iter().map(|id| Change::AddEntity(Entity::new(id)));
        let changes: Vec<Change> = settings.chain(sessions).chain(entities).chain(self.changes).collect();
        let mut state = State::default();
        state.apply(Operation::new(Author::Game, "what is known", changes))?;
        Ok(state)
    }
}

/// Returns one text with all kinds of answers that the engine can give for a character. The text contains:
///
/// - the scene context in its four forms, with and without citations,
/// - the ranking of all facts that the character knows, with explanations,
/// - the character's trust in others,
/// - the character's beliefs, and the character's assumptions about the beliefs of others,
/// - the recaps and summaries of all sessions from the character's view.
pub fn answer(state: &State, question: &LeakQuestion) -> String {
    let LeakQuestion { asker, as_of, place, present, about, session, text } = question;
    let view = View::new(state, &asker.clone().into(), *as_of);
    let mut index = Index::new(state.corpus());
    for fact in state.facts() {
        index.set_vector(DocId::Fact(fact.id()), &vector(fact.statement()));
    }
    for (id, passage) in state.passages() {
        index.set_vector(DocId::Passage(id), &vector(&passage.text));
    }
    let names = EntityLinker::new(&view);
    let context = SceneContext::assemble(&ContextRequest {
        view: &view,
        names: &names,
        index: &index,
        calendar: state.calendar(),
        vocabulary: state.vocabulary(),
        speaker: asker,
        scene: &Scene {
            place: place.clone(),
            present: present.clone(),
            strangers: 0,
            references: BTreeMap::new(),
            time: *as_of,
            session: session.clone(),
            sessions: sessions_in_order(state),
        },
        question: text,
        about,
        revealable: &RevealableFacts::new(),
        hidden: &BTreeSet::new(),
        vector: Some(&vector(text)),
        graph: true,
        min_episodes: 2,
        limit: 12,
        budget: 500,
        counter: &ApproximateTokens,
        detail: Detail::Plain,
    });
    let mut output = String::new();
    for form in [Form::Json, Form::Text, Form::Markdown, Form::Prompt] {
        for detail in [Detail::Explained, Detail::Plain] {
            output.push_str(&context.render(form, detail));
            output.push('\n');
        }
    }
    let (named, vector) = (names.mentioned_entities(text), vector(text));
    let query = Query { text, vector: Some(&vector), named, graph: true, ..Query::default() };
    for ranked in rank(&view, &index, &query) {
        output.push_str(&format!("{ranked:?}\n"));
    }
    output.push_str(&beliefs(&view));
    let hearer = Hearer { view: &view, names: &names };
    for subject in SESSIONS.iter().filter_map(|id| SessionId::new(id).ok()).map(SummarySubject::Session) {
        for (question, vector) in [("", None), (text.as_str(), Some(&vector[..]))] {
            let counter = &ApproximateTokens;
            let request =
                SummaryRequest { hearer, index: &index, subject: &subject, question, vector, budget: 60, counter };
            output.push_str(&format!("{:?}\n", summarize(&request)));
        }
        output.push_str(&recap_text(state, &[hearer], &subject));
    }
    output
}

fn recap_text(state: &State, hearers: &[Hearer], subject: &SummarySubject) -> String {
    let request =
        RecapRequest { hearers, subject, calendar: state.calendar(), words: 40, read_aloud: hearers.len() > 1 };
    format!("{:#?}\n", recap(&request))
}

fn beliefs(view: &View) -> String {
    use fmt::Write;
    let mut output = String::new();
    let about: BTreeSet<(&EntityId, &Predicate)> =
        view.facts().map(|known| (known.subject(), known.predicate())).collect();
    // Writing to a string does not fail.
    for (subject, predicate) in about {
        for belief in view.beliefs(subject, predicate) {
            let known = belief.known;
            let _ = writeln!(
                output,
                "{} {} {:?} {:?}",
                known.id(),
                belief.credence,
                belief.status,
                belief.contradicting_facts
            );
        }
    }
    for other in PEOPLE.iter().filter_map(|id| EntityId::new(id).ok()) {
        let _ = writeln!(output, "{other} {:?}", Trust::from_view(view, &other));
        for (fact, reasons) in view.attributed_facts(&other) {
            let _ = writeln!(output, "{other} {fact} {reasons:?}");
        }
    }
    output
}

/// Returns a vector with the Euclidean norm 1. The vector depends only on the text.
fn vector(text: &str) -> [f32; 2] {
    let (x, y) =
        text.bytes().fold((1.0_f32, 0.0_f32), |(x, y), byte| (x + f32::from(byte), y + f32::from(byte % 7) * 16.0));
    let length = (x * x + y * y).sqrt();
    [x / length, y / length]
}

#[cfg(test)]
mod tests;
