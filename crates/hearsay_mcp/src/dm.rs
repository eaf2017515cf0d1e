//! The tools of the DM.

use std::time::Duration;

use hearsay_belief::StateViews;
use hearsay_commands::{
    fact_matching::{FactMatch, FactMatches},
    line_reading::UnrecordedLine,
    policy::{Policy, ReviewMode},
    proposal::{Proposal, ProposalRules, propose},
    review::{Decision, Decisions},
    session::{Log, LogLine, hearers_without, speaker_or_player},
};
use hearsay_engine::{Memory, MemoryError, Written, real_time};
use hearsay_model::{
    Author, Change, Confidence, EntityId, FactId, Kind, Knower, Object, Position, Predicate, State, attribute,
};
use hearsay_query::{
    facts::FactRow,
    journal::UndoTarget,
    resolve::{
        find_fact, find_session, resolve, resolve_all, resolve_character, resolve_characters, resolve_place,
        resolve_speaker,
    },
    review::{ReviewItem, ReviewQueue, review_queue, review_rows},
    search::{MAX_HITS, Search, SearchHit},
    trust::TrustCalibration,
    views::ViewCache,
};

use crate::{
    arguments::{
        AskAsArguments, DecideArguments, DecideChoice, LogArguments, RecordArguments, ReviewArguments, SearchArguments,
        UndoArguments,
    },
    error::ToolError,
    outputs::{
        EntityRow, HitRow, LogOutput, LoggedFactRow, ReviewFactRow, ReviewItemRow, ReviewOutput, SearchOutput,
        WrittenOutput,
    },
    own_view::OwnView,
    recall::{Question, checked_limit, rounded},
};

/// Maximum time to wait for the sentence encoder.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Default number of items in the result of `review`.
const DEFAULT_ITEMS: usize = 20;

/// Maximum length of a recorded sentence or line, in characters.
const MAX_TEXT: usize = 4_000;

/// Calls a function with the state, on a background thread.
pub(crate) fn read_state<T: Send + 'static>(
    memory: &Memory,
    query: impl FnOnce(&State) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    memory.read_in_background(move |world| Ok(query(&world.state)))?.wait()?
}

pub(crate) fn search(memory: &Memory, arguments: SearchArguments) -> Result<SearchOutput, ToolError> {
    let limit = checked_limit(arguments.limit, MAX_HITS)?;
    let about = read_state(memory, move |state| Ok(resolve_all(state, &arguments.about)?))?;
    let search = Search {
        text: arguments.text,
        about,
        kind: arguments.kind.as_deref().map(Kind::from),
        limit,
        deadline: Some(MAX_WAIT),
        ..Search::default()
    };
    let results = memory.search(search)?.wait()?;
    let hits = |hits: Vec<SearchHit>| {
        hits.into_iter().map(|hit| HitRow { id: hit.id, text: hit.text, score: rounded(hit.score) }).collect()
    };
    Ok(SearchOutput {
        entities: results
            .entities
            .into_iter()
            .map(|hit| EntityRow {
                id: hit.id.to_string(),
                name: hit.name,
                kind: hit.kind.map(|kind| kind.to_string()),
                relations: hit.relations,
            })
            .collect(),
        facts: hits(results.facts),
        passages: hits(results.passages),
        similar_names: results.hints.into_iter().map(|hint| hint.name).collect(),
    })
}

/// Resolves the names of a question to a character.
pub(crate) fn question_as(memory: &Memory, arguments: AskAsArguments) -> Result<(EntityId, Question), ToolError> {
    read_state(memory, move |state| {
        let character = resolve_character(state, &arguments.character)?;
        let question = Question {
            present: resolve_characters(state, &arguments.listeners)?,
            place: arguments.place.as_deref().map(|place| resolve_place(state, place)).transpose()?,
            about: resolve_all(state, &arguments.about)?,
            text: arguments.question,
            limit: arguments.limit,
            session: OwnView::new(state, &character).latest_session(),
        };
        Ok((character, question))
    })
}

fn checked_text(text: &str, argument: &str) -> Result<String, ToolError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ToolError::new(format!("`{argument}` is empty; pass a text")));
    }
    match text.chars().count() {
        0..=MAX_TEXT => Ok(text.to_owned()),
        _ => Err(ToolError::new(format!("`{argument}` has more than {MAX_TEXT} characters; shorten the text"))),
    }
}

fn written_output(written: Written) -> WrittenOutput {
    WrittenOutput { operation: written.position.0, summary: written.summary }
}

/// A policy that lets every fact wait for review.
fn review_policy() -> Policy {
    let (threshold, canon_threshold, floor) = (Confidence::FULL, Confidence::FULL, Confidence::NONE);
    Policy { threshold, canon_threshold, floor, mode: ReviewMode::Dm, ..Policy::default() }
}

/// Confidence of a recorded sentence: below the threshold of [`review_policy`], so that the fact waits for review.
const RECORDED_CONFIDENCE: f64 = 0.9;

/// Records a sentence as a fact that waits for review.
pub(crate) fn record(memory: &Memory, arguments: RecordArguments) -> Result<WrittenOutput, ToolError> {
    let sentence = checked_text(&arguments.sentence, "sentence")?;
    let (text, about) = (sentence.clone(), arguments.about);
    let named = read_state(memory, move |state| {
        let view = ViewCache::default().get_or_compute(state, None, None);
        let mut named = view.names.exact_mentions(&text);
        if let Some(about) = about {
            let about = resolve(state, &about)?;
            named.retain(|id| *id != about);
            named.insert(0, about);
        }
        Ok(named)
    })?;
    let mut named = named.into_iter();
    let subject = named
        .next()
        .ok_or_else(|| ToolError::new("the sentence names no known entity; name an entity with `about`"))?;
    let lore = Predicate::new(attribute::LORE).map_err(MemoryError::from)?;
    let proposal = Proposal {
        statement: Some(sentence.clone()),
        participants: named.collect(),
        confidence: Confidence::new(RECORDED_CONFIDENCE).map_err(MemoryError::from)?,
        ..Proposal::new(subject, lore, Object::Value(sentence.as_str().into()))
    };
    let nothing_new = || MemoryError::Query(hearsay_query::QueryError::NothingToUndo { author: None });
    let written = memory.write(move |world| {
        let (policy, learned) = (review_policy(), TrustCalibration::default());
        let rules = ProposalRules { policy: &policy, learned: &learned };
        let proposals = std::slice::from_ref(&proposal);
        let (operation, _) = propose(&world.state, &rules, proposals, &Author::Dm, real_time())?;
        operation.ok_or_else(nothing_new)
    })?;
    match written.wait() {
        Ok(written) => Ok(written_output(written)),
        Err(MemoryError::Query(_)) => Err(ToolError::new("this fact is already recorded")),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn review(memory: &Memory, arguments: ReviewArguments) -> Result<ReviewOutput, ToolError> {
    let limit = checked_limit(arguments.limit, DEFAULT_ITEMS)?;
    let settings = memory.settings().review;
    let duplicates = memory.duplicates()?.wait()?;
    let read = memory.read_in_background(move |world| {
        let ReviewQueue { queued: mut items, held_back } = review_queue(&world.state, settings);
        items.extend(duplicates.into_iter().map(ReviewItem::Duplicate));
        let held_back_count = held_back.len();
        if arguments.held_back {
            items.extend(held_back);
        }
        let omitted = items.len().saturating_sub(limit);
        let rows = review_rows(&world.state, &world.learned, items.into_iter().take(limit));
        let items = rows
            .into_iter()
            .map(|row| {
                let (kind, entities) = match &row.item {
                    ReviewItem::Doubtful { .. } => ("doubtful", Vec::new()),
                    ReviewItem::Contradiction { .. } => ("contradiction", Vec::new()),
                    ReviewItem::Duplicate(duplicate) => {
                        ("duplicate", vec![duplicate.one.to_string(), duplicate.other.to_string()])
                    }
                };
                ReviewItemRow {
                    kind: kind.to_owned(),
                    facts: row.in_full.into_iter().map(review_fact_row).collect(),
                    entities,
                }
            })
            .collect();
        Ok(ReviewOutput { items, omitted, held_back: held_back_count })
    })?;
    Ok(read.wait()?)
}

fn review_fact_row(fact: FactRow) -> ReviewFactRow {
    ReviewFactRow {
        fact: fact.id.to_string(),
        statement: fact.statement,
        confidence: fact.confidence,
        status: fact.status.to_string(),
        evidence: fact.evidence,
    }
}

/// A decision with resolved facts, and the sentences of the facts, which the DM confirms.
#[derive(Debug)]
pub(crate) struct PlannedDecision {
    decisions: Decisions,
    statements: Vec<String>,
}

impl PlannedDecision {
    /// Returns the question that asks the DM to confirm the decision.
    pub(crate) fn question(&self) -> String {
        let verb = match self.decisions.decision {
            Decision::Accept => "Accept",
            Decision::Edit { .. } => "Accept in other words",
            Decision::False => "Mark as false",
            Decision::Reject => "Reject",
        };
        format!("{verb}: {}", self.statements.join(" / "))
    }
}

/// Checks a decision and resolves its facts.
pub(crate) fn plan_decision(memory: &Memory, arguments: DecideArguments) -> Result<PlannedDecision, ToolError> {
    if arguments.facts.is_empty() {
        return Err(ToolError::new("`facts` is empty; give at least one fact"));
    }
    let is_edit = arguments.decision == DecideChoice::Edit;
    if is_edit != arguments.statement.is_some() {
        return Err(ToolError::new("pass `statement` with the decision `edit`, and with no other decision"));
    }
    if is_edit && arguments.facts.len() > 1 {
        return Err(ToolError::new("the decision `edit` is for exactly one fact; pass one fact"));
    }
    let decision = match arguments.decision {
        DecideChoice::Accept => Decision::Accept,
        DecideChoice::Edit => {
            Decision::Edit { subject: None, predicate: None, object: None, statement: arguments.statement }
        }
        DecideChoice::False => Decision::False,
        DecideChoice::Reject => Decision::Reject,
    };
    let found = read_state(memory, move |state| {
        let fact = |given: &String| {
            let fact = find_fact(state, given.trim())?;
            Ok((fact.id(), fact.statement().to_owned()))
        };
        arguments.facts.iter().map(fact).collect::<Result<Vec<(FactId, String)>, ToolError>>()
    })?;
    let (facts, statements) = found.into_iter().unzip();
    Ok(PlannedDecision { decisions: Decisions { facts, decision, reason: arguments.reason }, statements })
}

pub(crate) fn decide(memory: &Memory, planned: PlannedDecision) -> Result<WrittenOutput, ToolError> {
    Ok(written_output(memory.decide_all(planned.decisions)?.wait()?))
}

/// An operation to undo, and its summary, which the DM confirms.
#[derive(Debug)]
pub(crate) struct PlannedUndo {
    position: Position,
    summary: String,
}

impl PlannedUndo {
    /// Returns the question that asks the DM to confirm the undo.
    pub(crate) fn question(&self) -> String {
        format!("Undo operation {}: {}", self.position, self.summary)
    }
}

/// Finds the operation to undo. Fails if later operations depend on it.
pub(crate) fn plan_undo(memory: &Memory, arguments: &UndoArguments) -> Result<PlannedUndo, ToolError> {
    let target = arguments.operation.map_or(UndoTarget::Last, |operation| UndoTarget::At(Position(operation)));
    let (position, preview) = memory.undo_preview(target)?.wait()?;
    if !preview.dependents.is_empty() {
        let later: Vec<String> = preview.dependents.iter().map(ToString::to_string).collect();
        let message = format!(
            "operation {position} is not undone, because later operations depend on it; undo these first: {}",
            later.join(", ")
        );
        return Err(ToolError::new(message));
    }
    let summary = memory.read(move |world| {
        Ok(world.state.entry(position).map_or_else(String::new, |entry| entry.operation.summary.clone()))
    })?;
    Ok(PlannedUndo { position, summary: summary.wait()? })
}

pub(crate) fn undo(memory: &Memory, planned: &PlannedUndo) -> Result<WrittenOutput, ToolError> {
    Ok(written_output(memory.undo(UndoTarget::At(planned.position))?.wait()?))
}

/// Adds a line to the log of a session. Reads the line as `hearsay log` does.
pub(crate) fn log(memory: &Memory, arguments: LogArguments) -> Result<LogOutput, ToolError> {
    let text = checked_text(&arguments.text, "text")?;
    let (line, session) = read_state(memory, move |state| {
        let find = |name: &str| speaker_or_player(state, name, resolve_speaker(state, name));
        let speaker = arguments.speaker.as_deref().map(find).transpose()?;
        let (speaker, at_table) = speaker.map_or((None, false), |(speaker, is_player)| (Some(speaker), is_player));
        let heard_by = resolve_characters(state, &arguments.to)?;
        let session = arguments.session.as_deref().map(|session| find_session(state, session)).transpose()?;
        let line = LogLine { speaker, at_table, heard_by, ..LogLine::typed(text) };
        Ok((line, session.map(|session| session.id.clone())))
    })?;
    let (line, facts) = memory.read_line(UnrecordedLine::new(line))?.wait()?.into_log_line();
    let log = Log { session, lines: vec![line.clone()], ..Log::default() };
    let written = memory.log(Author::Dm, log)?.wait()?;
    read_state(memory, move |state| Ok(log_output(state, written, &line, facts)))
}

/// Returns the result of logging a line. `facts` are the recorded facts that the line states or may state.
fn log_output(state: &State, written: Written, line: &LogLine, facts: FactMatches) -> LogOutput {
    let entry = state.entry(written.position);
    let passage = entry.and_then(|entry| entry.operation.changes.iter().find_map(Change::passage));
    let heard = passage.filter(|passage| !passage.is_out_of_character());
    let hearers = heard.into_iter().flat_map(|passage| &passage.heard_by).filter_map(Knower::entity);
    let name = |id: &EntityId| state.name_or_id(id).to_owned();
    let rows = |facts: Vec<FactMatch>| -> Vec<LoggedFactRow> {
        let row = |fact: FactMatch| LoggedFactRow { fact: fact.fact.to_string(), statement: fact.statement };
        facts.into_iter().map(row).collect()
    };
    let views = StateViews::new(state);
    let is_new =
        |fact: &FactMatch| passage.is_some_and(|passage| !hearers_without(&views, fact.fact, passage).is_empty());
    let (may_state, withheld) = match line.speaker {
        Some(_) => (facts.may_state, Vec::new()),
        None => (Vec::new(), facts.may_state.into_iter().filter(is_new).collect()),
    };
    LogOutput {
        operation: written.position.0,
        summary: written.summary,
        line: passage.map(|passage| passage.line),
        speaker: line.speaker.as_ref().map(|speaker| speaker.alias.clone().unwrap_or_else(|| name(&speaker.id))),
        talk_kind: passage.and_then(|passage| passage.talk_kind).map(|kind| kind.as_str().to_owned()),
        heard_by: hearers.map(name).collect(),
        states: rows(facts.states),
        may_state: rows(may_state),
        withheld: rows(withheld),
        similar_speaker: line.similar_speaker(state).map(|id| name(&id)),
    }
}
