//! `hearsay log`: adds a line to the log of a session.

use std::sync::Arc;

use anyhow::Result;
use hearsay_commands::{
    CommandError,
    fact_matching::SpokenLine,
    session::{Log, LogLine},
};
use hearsay_engine::{MemoryError, ReadSnapshot, Written, real_time};
use hearsay_model::{Author, Change, EntityId, Knower, Passage, State};
use hearsay_query::session::session_or_latest;
use serde::Serialize;

use crate::{
    args,
    campaign::{self, Access},
    display_names::DisplayNames,
    dry_run::print_written,
    names::Names,
    output::Output,
    reveals::print_with_reveals,
    stated_facts::{self, LineFacts},
    texts::{self, ExtractedRow, ExtractionReport, extracted_facts, print_extracted_facts},
};

/// JSON output of `log`.
#[derive(Serialize)]
struct LogOutput {
    /// Operation that was written; `None` in a dry run.
    written: Option<Written>,
    heard_by: Vec<Knower>,
    #[serde(flatten)]
    facts: LineFacts,
    /// Outcome of extracting facts from the line, if extraction ran.
    found: Option<ExtractionReport>,
    /// Facts that were extracted from the line.
    extracted: Vec<ExtractedRow>,
}

pub(crate) fn log(args: &args::SessionLog, output: &mut Output) -> Result<()> {
    let access = Access::for_dry_run(args.dry_run);
    let is_matched = args.by.is_some() && args.states.is_empty();
    let memory = match is_matched {
        true => campaign::open_for_speech(&args.campaign, access, output)?,
        false => campaign::open_for_recording(&args.campaign, access, output)?,
    };
    let names = Names::read(&memory, output)?;
    let line = LogLine {
        speaker: names.optional_speaker(args.by.as_ref())?,
        place: names.optional_entity(args.at.as_ref())?,
        time: args.time.clone(),
        heard_by: names.entities(&args.to)?,
        with: names.entities(&args.with)?,
        states: names.facts(&args.states)?,
        lie: args.lie,
        recorded_line: args.line,
        ..LogLine::new(args.text.as_deref().unwrap_or_default())
    };
    let mut session = names.optional_session(args.session.as_ref())?;
    if args.line.is_some() {
        session = Some(session_or_latest(names.state(), session.as_ref())?.id.clone());
    }
    let mut facts = LineFacts::given(names.state(), &line.states);
    let spoken = line.speaker.as_ref().filter(|_| is_matched).map(|speaker| SpokenLine {
        time: line.time.clone(),
        lie: line.lie,
        ..SpokenLine::new(speaker.id.clone(), &line.text)
    });
    let mut log = Log { session, lines: vec![line], ..Log::default() };
    let absent_speakers = absent_speakers(&log, names.state());
    drop(names);
    if let Some(spoken) = spoken {
        facts = stated_facts::recognize(&memory, spoken, output)?;
        log.lines[0].states = facts.ids();
    }
    let build_operation = move |world: &ReadSnapshot| {
        log.operation(&world.state, Author::Dm, real_time()).map_err(|error| match error {
            // The command writes only one line, so the error needs no line number.
            CommandError::LogLine { source, .. } => MemoryError::from(*source),
            error => error.into(),
        })
    };
    if !facts.is_empty() {
        facts.set_learned_by(&memory.preview(build_operation.clone())?.wait()?);
    }
    let operation = memory.read(build_operation.clone())?.wait()?;
    let passages = added_passages(&operation.changes);
    if !passages.is_empty() {
        absent_speakers.into_iter().for_each(|note| output.note(note));
    }
    let heard_by: Vec<Knower> = passages.iter().flat_map(|passage| passage.heard_by.clone()).collect();
    let (mut written, mut found) = (None, None);
    if args.dry_run {
        output.line(format!("Dry run, nothing is changed: {}", operation.summary))?;
    } else {
        let operation = memory.write(build_operation)?.wait()?;
        print_written(&operation, output)?;
        written = Some(operation);
        found = texts::extract_new_texts(&memory, &args.campaign.campaign, output)?;
    }
    let display = DisplayNames::read(&memory)?;
    if passages.is_empty() {
        output.line("  the line is already in the log")?;
    } else {
        print_hearers(&heard_by, &display, output)?;
    }
    let is_empty_lie = args.lie && facts.is_empty() && !passages.is_empty();
    facts.print(&display, output)?;
    drop(display);
    let new_facts = extracted_facts(&memory, &passages)?;
    print_extracted_facts(&new_facts, output)?;
    if is_empty_lie && new_facts.is_empty() && !args.dry_run {
        output.note(
            "Hearsay found no fact in this lie, so no hearer believes the lie yet. To record the facts that it \
             states, repeat the command with `--states FACT`, or use `hearsay say --lie --about NAME`.",
        );
    }
    print_with_reveals(&memory, LogOutput { written, heard_by, facts, found, extracted: new_facts }, output)?;
    Ok(memory.close()?)
}

/// Returns the passages that an operation adds.
fn added_passages(changes: &[Change]) -> Vec<Arc<Passage>> {
    let passages = changes.iter().filter_map(|change| match change {
        Change::AddPassage(passage) => Some(Arc::clone(passage)),
        _ => None,
    });
    passages.collect()
}

/// Returns a note for each speaker who is not recorded as present and therefore hears only its own line.
fn absent_speakers(log: &Log, state: &State) -> Vec<String> {
    let note = |id: EntityId| {
        let name = state.name_or_id(&id);
        format!(
            "{name} is not recorded as present, so {name} does not hear the other lines. If {name} stays in the scene, \
             run `hearsay session attend --arrive {id}`."
        )
    };
    log.absent_speakers(state).into_iter().map(note).collect()
}

/// Prints who heard a line.
pub(crate) fn print_hearers(hearers: &[Knower], names: &DisplayNames, output: &mut Output) -> Result<()> {
    output.line(format!("  heard by: {}", names.list_knowers(hearers)))
}
