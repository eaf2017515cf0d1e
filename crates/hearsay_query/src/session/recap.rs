//! Recaps and summaries of sessions.

use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

use hearsay_belief::{Known, View};
use hearsay_model::{
    Acquisition, Credence, EntityId, Fact, FactStatus, GameTime, Kind, Knower, Passage, PassageId, Precision,
    PredicateRole, ReferringExpression, Session, SessionId, State, TalkKind, narration, quoting,
    words::{self, PersonalPronouns},
};
use hearsay_recall::{
    ApproximateTokens, EntityLinker, Hearer, Index, Recap, RecapLine, RecapRequest, Source, Summary, SummaryRequest,
    SummarySubject, TokenCounter, describe_stranger, quoted, recap, summarize,
};
use serde::Serialize;

use super::lines::session_or_latest;
use crate::{
    QueryError,
    ids::{require_entities, require_entity},
    views::ViewCache,
};

/// Audience of a recap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecapAudience {
    /// The DM: the recap can contain all facts and lines of the session.
    #[default]
    Dm,
    /// All players together: the recap contains only facts that every player character who was present knows. The DM
    /// can read the recap aloud.
    Players,
    /// One character: the recap contains only facts and lines that this character knows.
    Character(EntityId),
}

/// A recap with its session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionRecap {
    /// Id of the session.
    pub session: SessionId,
    /// Title of the session.
    pub title: String,
    /// Number and date of the session, and the player characters who were there, in one line.
    pub heading: String,
    /// Characters that were present in the session.
    pub present: Vec<EntityId>,
    /// Contents of the recap.
    #[serde(flatten)]
    pub recap: Recap,
    /// Prompt for a language model that writes the recap.
    pub prompt: String,
}

/// Returns a recap of a session with at most `words` words. If no session is given, the function uses the session being
/// played, or the latest session if no session is being played.
///
/// A recap for one character contains only facts that the character knew at the end of the session. It names the
/// characters that told these facts. A recap for the players contains only facts that all player characters who were
/// present knew at the end of the session. A recap for the DM marks claims, lies and false facts. If not all characters
/// present heard a line, this recap also names the hearers of the line, or the characters present who did not hear it.
/// Every recap states the title and the attendance.
///
/// # Errors
/// Returns an error if the session or the character does not exist.
pub fn session_recap(
    state: &State,
    session: Option<&SessionId>,
    audience: &RecapAudience,
    words: usize,
) -> Result<SessionRecap, QueryError> {
    let session = session_or_latest(state, session)?;
    let end = session.ended_at();
    let view = |id: &EntityId| View::new(state, &Knower::Entity(id.clone()), end);
    let players = attending_players(state, session);
    let views: Vec<View> = match audience {
        // A session may retell a fact that was recorded earlier. Only the knowledge edges of the hearers show this.
        RecapAudience::Dm => std::iter::once(View::of_dm(state)).chain(players.iter().map(view)).collect(),
        RecapAudience::Players => players.iter().map(view).collect(),
        RecapAudience::Character(id) => {
            require_entity(state, id)?;
            vec![view(id)]
        }
    };
    let names: Vec<EntityLinker> = views.iter().map(EntityLinker::new).collect();
    let hearers: Vec<Hearer> = views.iter().zip(&names).map(|(view, names)| Hearer { view, names }).collect();
    let mut recap = recap(&RecapRequest {
        hearers: &hearers,
        subject: &SummarySubject::Session(session.id.clone()),
        calendar: state.calendar(),
        words,
        read_aloud: *audience == RecapAudience::Players,
    });
    // The view of the DM comes first, and the DM knows all names.
    let readers = if *audience == RecapAudience::Dm { &hearers[..1] } else { &hearers[..] };
    narrate_actions(state, readers, &mut recap.lines);
    write_sentences(state, audience, &mut recap.lines);
    put_in_past(state, (audience, end), readers, &mut recap.lines);
    match audience {
        RecapAudience::Dm => mark_for_dm(state, &players, &mut recap.lines),
        RecapAudience::Players => {
            attribute_told_to_all(&hearers, &mut recap.lines);
            name_places(&hearers, &mut recap.lines);
        }
        RecapAudience::Character(_) => hearers.iter().for_each(|hearer| attribute_told(hearer, &mut recap.lines)),
    }
    Ok(SessionRecap {
        session: session.id.clone(),
        title: session.title.clone(),
        heading: heading(state, session, &players, readers),
        present: session.present.clone(),
        prompt: recap.prompt(&session.title),
        recap,
    })
}

/// Returns the player characters that attended a session, or all characters that attended it if there is no player
/// character among them. Characters that the DM plays are omitted, because no player hears the recap for them.
fn attending_players(state: &State, session: &Session) -> Vec<EntityId> {
    let is_player = |id: &&EntityId| state.kind(id) == Some(Kind::Player);
    let players: Vec<EntityId> = session.present.iter().filter(is_player).cloned().collect();
    if players.is_empty() { session.present.clone() } else { players }
}

/// Returns the number and the date of a session, and the names of the player characters who were there: `Session 2, 3
/// Frost 10. Kessa and Bram were there.` Characters whose name not all readers know are not named.
fn heading(state: &State, session: &Session, players: &[EntityId], readers: &[Hearer]) -> String {
    let number = session.number.map(|number| format!("Session {number}"));
    let date = session.start.as_ref().map(|date| match date.time {
        Some(time) => state.calendar().format_with_precision(time, Precision::Day),
        None => date.raw.clone(),
    });
    let when: Vec<String> = [number, date].into_iter().flatten().collect();
    let mut names: Vec<&str> = players.iter().filter_map(|id| common_name(readers, id)).collect();
    if !names.is_empty() && names.len() < players.len() {
        names.push("others");
    }
    let who = (!names.is_empty()).then(|| {
        let verb = if names.len() == 1 { "was" } else { "were" };
        format!("{} {verb} there", words::join_names(&names))
    });
    let sentences = [Some(when.join(", ")).filter(|when| !when.is_empty()), who];
    sentences.into_iter().flatten().map(|sentence| format!("{sentence}.")).collect::<Vec<_>>().join(" ")
}

/// Returns the name of an entity, if all readers know a name of the entity.
fn common_name<'a>(readers: &[Hearer<'a>], id: &EntityId) -> Option<&'a str> {
    let names: Option<Vec<&str>> = readers.iter().map(|reader| reader.names.name(id)).collect();
    names?.first().copied()
}

/// Turns the lines in which players state an action of their own characters into narration.
fn narrate_actions(state: &State, readers: &[Hearer], lines: &mut [RecapLine]) {
    for line in lines {
        let Source::Passage(id) = line.citation.source else { continue };
        let speaker = state.passage(id).and_then(|passage| passage.speaker.as_ref());
        let Some(speaker) = speaker.filter(|id| state.kind(id) == Some(Kind::Player)) else { continue };
        let Some((name, said)) = line.text.split_once(": \u{201C}") else { continue };
        let pronouns: Option<Vec<_>> = readers.iter().map(|reader| known_pronouns(reader.view, speaker)).collect();
        let pronouns = pronouns.and_then(|all| all.first().copied());
        let said = said.strip_suffix('\u{201D}');
        if let Some(action) = said.and_then(|said| narration::declared_action(said, name, pronouns)) {
            line.text = action;
        }
    }
}

/// Writes the lines of the log as sentences, because the DM typed them in a hurry. Only the DM reads the own remarks in them.
fn write_sentences(state: &State, audience: &RecapAudience, lines: &mut [RecapLine]) {
    for line in lines {
        let Source::Passage(id) = line.citation.source else { continue };
        let is_logged = |passage: &&Passage| passage.session.is_some() && passage.title.is_none();
        let Some(passage) = state.passage(id).map(|passage| &**passage).filter(is_logged) else { continue };
        let is_speech = passage.speaker.is_some() || passage.speaker_alias.is_some();
        let speech = line.text.split_once(": \u{201C}").filter(|_| is_speech);
        let speech = speech.and_then(|(name, said)| Some((name, said.strip_suffix('\u{201D}')?)));
        line.text = match speech {
            Some((name, said)) => format!("{name}: \u{201C}{}\u{201D}", quoting::spoken(said)),
            None if *audience == RecapAudience::Dm => quoting::narrated(&line.text),
            None => quoting::narrated_to_players(&line.text),
        };
    }
}

/// Writes facts in the past tense if they state where somebody was, or if all readers know that they are
/// [over](is_over) at the end of the session.
fn put_in_past(
    state: &State,
    (audience, end): (&RecapAudience, Option<GameTime>),
    readers: &[Hearer],
    lines: &mut [RecapLine],
) {
    let has_ended = |fact: &Fact| {
        let until = fact.validity().until.as_ref();
        until.is_some_and(|until| until.time.is_none_or(|until| end.is_none_or(|end| until <= end)))
    };
    for line in lines {
        let Source::Fact(id) = line.citation.source else { continue };
        let Some(fact) = state.fact(id) else { continue };
        let knows_end = |reader: &Hearer| reader.view.fact(id).is_some_and(|known| is_over(reader.view, known));
        let is_past = PredicateRole::Location.is(fact.predicate())
            || match audience {
                RecapAudience::Dm => has_ended(fact),
                RecapAudience::Players | RecapAudience::Character(_) => readers.iter().all(knows_end),
            };
        let name = || readers.first()?.names.name(fact.subject());
        if let Some(past) = name().filter(|_| is_past).and_then(|name| words::past_tense(&line.text, name)) {
            line.text = past;
        }
    }
}

/// Returns whether a knower knows that a fact has ended, or believes a later value of the fact.
fn is_over(view: &View, known: &Known) -> bool {
    view.is_superseded(known.id()) || view.known_end(known).is_some()
}

/// Returns whether one of two facts that exclude each other states a death, and the knower believes it more than the other
/// fact. "Odo is drunk" is then no other version of "Odo is dead".
fn is_settled_by_death(view: &View, known: &Known, other: &Known) -> bool {
    let states_death = |known: &Known| known.dead_entity(view.vocabulary()).is_some();
    let credence = |known: &Known| view.belief(known).credence;
    match (states_death(known), states_death(other)) {
        (true, false) => credence(known) > credence(other),
        (false, true) => credence(other) > credence(known),
        _ => false,
    }
}

/// Adds the tellers to the facts that a character heard from others, and adds the other versions that the character
/// knows. An earlier or later value, such as the place where somebody was before, is not another version. These
/// additions are not included in the word count of the recap.
fn attribute_told(hearer: &Hearer, lines: &mut [RecapLine]) {
    for line in lines {
        let Source::Fact(id) = line.citation.source else { continue };
        let Some(known) = hearer.view.fact(id) else { continue };
        if let Some(told) = told_statement(hearer, known, &line.text) {
            line.text = told;
        }
        let mut marks = Vec::new();
        if hearer.view.belief(known).credence == Credence::NONE && !known.is_made_up() {
            marks.push("not true".to_owned());
        }
        if known.is_made_up() {
            let teller = hearer.view.knower().entity().and_then(|id| hearer.names.name(id));
            let how = if known.is_own_version() { "as told by" } else { "invented by" };
            marks.push(format!("{how} {}", teller.unwrap_or("this character")));
        }
        let versions = hearer.view.contradicting_facts(known);
        let versions = versions.filter(|other| !is_over(hearer.view, known) && !is_over(hearer.view, other));
        let versions = versions.filter(|other| !is_settled_by_death(hearer.view, known, other));
        marks.extend(versions.map(|other| format!("another version: \u{201C}{}\u{201D}", other.statement())));
        if !marks.is_empty() {
            line.text.push_str(&format!(" ({})", marks.join("; ")));
        }
    }
}

/// Adds the tellers to the facts that all hearers heard from the same tellers. These additions are not included in the word
/// count of the recap.
fn attribute_told_to_all(hearers: &[Hearer], lines: &mut [RecapLine]) {
    for line in lines {
        let Source::Fact(id) = line.citation.source else { continue };
        let told = hearers.iter().map(|hearer| told_statement(hearer, hearer.view.fact(id)?, &line.text));
        let Some(told) = told.collect::<Option<Vec<String>>>() else { continue };
        if let [first, others @ ..] = &told[..]
            && others.iter().all(|other| other == first)
        {
            line.text.clone_from(first);
        }
    }
}

/// Returns the statement of a fact with its tellers, if the knower knows the fact only from others: "Odo says that the
/// ferry is late."
fn told_statement(hearer: &Hearer, known: &Known, statement: &str) -> Option<String> {
    let acquisitions = || known.known_edges().iter().map(|known_edge| &known_edge.edge.acquisition);
    let is_told = !known.is_made_up() && acquisitions().all(|how| matches!(how, Acquisition::Told { .. }));
    if !is_told {
        return None;
    }
    let tellers: BTreeSet<&EntityId> = acquisitions().filter_map(Acquisition::teller).collect();
    let name_of =
        |id: &&EntityId| hearer.names.name(id).map_or_else(|| describe_stranger(id, &[hearer]), str::to_owned);
    let names: Vec<String> = tellers.iter().map(name_of).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if !known.states_clause(hearer.names.name(known.subject())) {
        let source = match names[..] {
            [] => "It is said".to_owned(),
            _ => format!("According to {}", words::join_names(&names)),
        };
        return Some(format!("{source}: {}", quoted(statement)));
    }
    let pronouns = tellers.first().and_then(|teller| known_pronouns(hearer.view, teller));
    let statement = match hearer.names.name(known.subject()) {
        Some(name) => words::with_own_possessives(statement, name, known_pronouns(hearer.view, known.subject())),
        None => statement.to_owned(),
    };
    let clause = words::lower_first(&statement);
    Some(match names[..] {
        [] => format!("It is said that {clause}"),
        // "Odo says that Odo was in all night" sounds as if there were two of them.
        [name] if tellers.contains(known.subject()) && clause.starts_with(name) => {
            let possessive = pronouns.map_or("their", |pronouns| pronouns.possessive.as_str());
            format!("By {possessive} own account, {clause}")
        }
        [name] => words::reported_speech(name, &clause, pronouns),
        _ => format!("{} say that {clause}", words::upper_first(&words::join_names(&names))),
    })
}

/// Returns the pronouns of an entity, as far as a knower knows them.
fn known_pronouns(view: &View, id: &EntityId) -> Option<&'static PersonalPronouns> {
    let mut facts = view.facts_with_subject(id).filter(|known| {
        view.vocabulary().behavior(known.predicate()).reference == Some(ReferringExpression::Pronoun)
            && !view.is_superseded(known.id())
    });
    facts.find_map(|known| PersonalPronouns::from_recorded(known.object().text()?))
}

/// Inserts the name of the place at the beginning of each line that was said at another place than the previous line.
fn name_places(hearers: &[Hearer], lines: &mut [RecapLine]) {
    let mut last_place: Option<EntityId> = None;
    for line in lines {
        let Source::Passage(id) = line.citation.source else { continue };
        let heard = hearers.first().and_then(|hearer| hearer.view.passage(id));
        let Some(place) = heard.and_then(|heard| heard.passage.place.as_ref()) else { continue };
        if last_place.as_ref() == Some(place) {
            continue;
        }
        last_place = Some(place.clone());
        if let Some(name) = common_name(hearers, place) {
            let name = name.strip_prefix("The ").map_or_else(|| name.to_owned(), |name| format!("the {name}"));
            line.text = format!("At {name}: {}", line.text);
        }
    }
}

/// Adds information that only the DM may see: the source of a claim, false facts and lies, and the hearers of a line
/// that not all player characters present heard. These additions are not included in the word count of the recap.
fn mark_for_dm(state: &State, present: &[EntityId], lines: &mut [RecapLine]) {
    for line in lines {
        let marks = match line.citation.source {
            Source::Fact(id) => state.fact(id).map(|fact| fact_marks(state, fact)).unwrap_or_default(),
            Source::Passage(id) => {
                state.passage(id).map(|passage| passage_marks(state, id, passage, present)).unwrap_or_default()
            }
            Source::Scene => Vec::new(),
        };
        if !marks.is_empty() {
            line.text.push_str(&format!(" ({})", marks.join("; ")));
        }
    }
}

fn fact_marks(state: &State, fact: &Fact) -> Vec<String> {
    let claim = || match &fact.provenance().speaker {
        Some(speaker) => format!("claimed by {}", state.name_or_id(speaker)),
        None => "claimed".to_owned(),
    };
    match fact.status() {
        FactStatus::Claimed => vec![claim()],
        FactStatus::False => vec![claim(), "false".to_owned()],
        FactStatus::Canon | FactStatus::Proposed | FactStatus::Rejected => Vec::new(),
    }
}

fn passage_marks(state: &State, id: PassageId, passage: &Passage, present: &[EntityId]) -> Vec<String> {
    let mut marks = Vec::new();
    let is_false = || state.facts_citing(id).any(|fact| fact.status() == FactStatus::False);
    if passage.lie {
        marks.push("a lie".to_owned());
    } else if is_false() {
        marks.push("false".to_owned());
    }
    marks.extend(limited_hearing(state, passage, present));
    marks
}

/// Returns who heard a line of a session, such as `heard only by Odo` or `not heard by Wren`. Returns `None` if all player
/// characters who attended the session heard it, and for a line that no character hears because of its talk kind.
pub fn hearing_remark(state: &State, session: &Session, passage: &Passage) -> Option<String> {
    let is_heard = passage.talk_kind.is_none_or(TalkKind::is_heard);
    limited_hearing(state, passage, &attending_players(state, session)).filter(|_| is_heard)
}

/// Returns who heard a line, if not all of the given characters heard it. Names those who did not hear it if they are fewer,
/// unless the line was said in confidence.
fn limited_hearing(state: &State, passage: &Passage, present: &[EntityId]) -> Option<String> {
    let has_heard = |id: &EntityId| {
        let is_listed = passage.heard_by.iter().any(|knower| knower.entity() == Some(id));
        is_listed || passage.speaker.as_ref() == Some(id)
    };
    let missed: Vec<&str> = present.iter().filter(|id| !has_heard(id)).map(|id| state.name_or_id(id)).collect();
    // A line that a group or place heard reaches characters who are not listed.
    let is_complete = passage.heard_by.iter().all(|knower| knower.entity().is_some_and(|id| state.is_character(id)));
    if missed.is_empty() || !is_complete {
        return None;
    }
    let listeners = passage.heard_by.iter().filter_map(Knower::entity);
    let listeners = listeners.filter(|id| passage.speaker.as_ref() != Some(*id));
    let names: Vec<&str> = listeners.map(|id| state.name_or_id(id)).collect();
    Some(match names.len() {
        0 => "no other character heard this".to_owned(),
        heard if !passage.confidential && missed.len() < heard => {
            format!("not heard by {}", words::join_names(&missed))
        }
        _ => format!("heard only by {}", words::join_names(&names)),
    })
}

/// A request to summarize a session's log or a document.
#[derive(Clone, Default)]
pub struct Summarize {
    /// Session to summarize. Ignored if `document` is set. If `None`, the session being played, or the latest session
    /// if no session is being played.
    pub session: Option<SessionId>,
    /// Document to summarize; `None` to summarize a session.
    pub document: Option<EntityId>,
    /// Knower whose knowledge is used. `None` means the DM, who knows everything.
    pub knower: Option<EntityId>,
    /// Question that the summary helps to answer; empty for a general summary.
    pub question: String,
    /// Maximum number of tokens. `None` means a tenth of the tokens of the whole log or document.
    pub budget: Option<usize>,
    /// Token counter. `None` means an approximation for common language models.
    pub counter: Option<Arc<dyn TokenCounter + Send + Sync>>,
    /// Maximum time to wait for the vector of the question. `None` means the value in the settings.
    pub deadline: Option<Duration>,
}

impl fmt::Debug for Summarize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session, document, knower, question, budget, .. } = self;
        write!(f, "Compact({session:?}, {document:?}, {knower:?}, {question:?}, {budget:?})")
    }
}

impl Summarize {
    /// Creates the summary from the given state and index.
    ///
    /// # Errors
    /// Returns an error if the session, the document or the knower does not exist.
    pub fn summary(
        &self,
        state: &State,
        index: &Index,
        view_cache: &mut ViewCache,
        vector: Option<&[f32]>,
    ) -> Result<Summary, QueryError> {
        require_entities(state, self.document.iter().chain(&self.knower))?;
        let source = match &self.document {
            Some(document) => SummarySubject::Document(document.clone()),
            None => SummarySubject::Session(session_or_latest(state, self.session.as_ref())?.id.clone()),
        };
        let knower = self.knower.clone().map(Knower::Entity);
        let cached_view = view_cache.get_or_compute(state, knower.as_ref(), None);
        let counter = self.counter.as_deref().map_or(&ApproximateTokens as &dyn TokenCounter, |counter| counter);
        let request = |budget| SummaryRequest {
            hearer: Hearer { view: &cached_view.view, names: &cached_view.names },
            index,
            subject: &source,
            question: &self.question,
            vector,
            budget,
            counter,
        };
        let budget = self.budget.unwrap_or_else(|| summarize(&request(0)).original_tokens / 10);
        Ok(summarize(&request(budget)))
    }
}
