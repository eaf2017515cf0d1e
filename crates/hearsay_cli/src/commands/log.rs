//! `hearsay log`: adds a line to the log of a session, or changes a recorded line.

mod confirmation;
mod correction;
mod deaths;
mod presence;
mod typed_reading;
mod unknown_name;

use std::sync::Arc;

use anyhow::Result;
use hearsay_belief::{StateViews, View};
use hearsay_commands::{
    fact_matching::{FactMatch, FactMatches},
    line_reading::UnrecordedLine,
    session::{Log, LogLine, hearers_without, suggested_attendance},
};
use hearsay_engine::{Memory, MemoryError, Written, real_time};
use hearsay_model::{Author, Change, FactId, Knower, Operation, Passage, State, TalkKind, escape};
use hearsay_query::{preview::preview, resolve::Speaker, session::session_or_latest};
use serde::Serialize;

use crate::{
    args,
    campaign::{self, Access},
    display_names::DisplayNames,
    dry_run::print_written,
    names::Names,
    output::{CliError, Output, USAGE_ERROR},
    reveals::print_with_reveals,
    stated_facts::{self, LineFacts},
    texts::{self, ExtractedRow, ExtractionReport, extracted_facts, print_extracted_facts},
};
use typed_reading::TypedReading;
use unknown_name::UnknownName;

/// JSON output of `log`.
#[derive(Serialize)]
struct LogOutput {
    /// Operation that was written; `None` in a dry run.
    written: Option<Written>,
    /// Number of the line in the session; `None` if the line was already in the log.
    line: Option<u32>,
    /// Kind of talk of the line; `None` if it is unknown, or if the line was already in the log.
    talk_kind: Option<TalkKind>,
    /// Knowers who hear the line.
    heard_by: Vec<Knower>,
    #[serde(flatten)]
    facts: LineFacts,
    /// Outcome of extracting facts from the line, if extraction ran.
    found: Option<ExtractionReport>,
    /// Facts that were extracted from the line.
    extracted: Vec<ExtractedRow>,
}

pub(crate) fn log(args: &args::SessionLog, output: &mut Output) -> Result<()> {
    if !args.has_line() {
        let log = args.campaign.command("log \"Odo: The ferry is late.\"");
        let message =
            format!("expected the words of the line, such as `{log}`; for a recorded line, pass --line or --yes");
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    if args.yes {
        confirmation::confirm(args, output)
    } else if correction::is_correction(args) {
        correction::correct(args, output)
    } else {
        record(args, output)
    }
}

/// Adds a line to the log, or records which facts a recorded line states.
fn record(args: &args::SessionLog, output: &mut Output) -> Result<()> {
    let access = Access::for_dry_run(args.dry_run);
    let is_read = args.line.is_none() && (args.by.is_none() || args.states.is_empty());
    let memory = match is_read {
        true => campaign::open_for_speech(&args.campaign, access, output)?,
        false => campaign::open_for_recording(&args.campaign, access, output)?,
    };
    let names = Names::read(&memory, output)?;
    let mut line = correct_speaker(log_line(args, &names)?, names.state(), output);
    let mut facts = LineFacts::given(names.state(), &line.states);
    let reading = TypedReading::new(&line, names.state());
    let mut secrets = None;
    if is_read {
        (line, secrets) = read(&memory, line, &mut facts, output)?;
    }
    if args.in_character && line.speaker.is_none() {
        line.talk_kind = Some(TalkKind::Narration);
    }
    let speaker = line.speaker.clone();
    let unknown_name = UnknownName::find(&line, names.state(), output.can_ask());
    check_liar(&line, unknown_name.as_ref(), names.state())?;
    let mut session = names.optional_session(args.session.as_ref())?;
    if args.line.is_some() {
        session = Some(session_or_latest(names.state(), session.as_ref())?.id.clone());
    }
    let mut log = Log { session, lines: vec![line], ..Log::default() };
    let attendance = log.attendance_hints(names.state());
    check_given_facts(&log, &mut facts, names.state(), output);
    drop(names);
    let is_read_narration = secrets.is_some();
    if let Some(secrets) = secrets.filter(|secrets| !secrets.is_empty()) {
        facts.extend(confirm_secrets(&memory, secrets, &log, output)?);
    }
    log.lines[0].states = facts.ids();
    log.lines[0].secrets = facts.withheld_ids();
    let (state, operation) = planned_operation(&memory, &log)?;
    if !facts.is_empty() {
        facts.set_learned_by(&preview(&state, operation.clone()).map_err(MemoryError::from)?);
    }
    let passages = added_passages(&operation.changes);
    let deaths = deaths::dead_characters(&state, &passages);
    let earlier = is_read_narration.then(|| Arc::clone(&state));
    let heard_lines = passages.iter().filter(|passage| !passage.is_out_of_character());
    let heard_by: Vec<Knower> = heard_lines.flat_map(|passage| passage.heard_by.clone()).collect();
    let (mut written, mut found) = (None, None);
    if args.dry_run {
        print_dry_run(&operation.summary, &passages, output)?;
    } else {
        let operation = memory.write(move |world| log_operation(&log, &world.state))?.wait()?;
        print_written(&operation, output)?;
        written = Some(operation);
        found = texts::extract_new_texts(&memory, &args.campaign.campaign, output)?;
        texts::print_rejected(&memory, &state, passages.first(), found.as_ref(), output)?;
        if let Some(earlier) = earlier.filter(|_| facts.is_empty()) {
            facts.extend(stated_facts::extracted_secrets(&memory, &passages, earlier)?);
            note_learned_secrets(args, &facts, written.as_ref(), output);
        }
    }
    let display = DisplayNames::read(&memory)?;
    if let Some(unknown) = unknown_name {
        let recorded = passages.first().filter(|_| written.is_some());
        unknown.print_note(args, recorded.map(Arc::as_ref), &display, output);
    }
    if passages.is_empty() {
        output.line("  the line is already in the log")?;
    }
    let line_number = passages.first().map(|passage| passage.line);
    print_line_and_speaker(line_number, speaker, &display, output)?;
    let talk_kind = passages.first().and_then(|passage| passage.talk_kind);
    let is_withheld = !facts.withheld_ids().is_empty();
    if let Some(passage) = passages.first() {
        print_reception(args, passage, &heard_by, &display, output)?;
    }
    let is_empty_lie = args.lie && !facts.has_any() && !passages.is_empty();
    facts.print(&display, |fact| confirmation(args, line_number, fact), output)?;
    if let Some(passage) = passages.first().filter(|_| is_withheld && !args.dry_run) {
        print_withheld_note(args, passage.line, output);
    }
    let new_facts = extracted_facts(&memory, &passages)?;
    print_extracted_facts(&new_facts, &args.campaign, output)?;
    let decidable = passages.first().filter(|_| !is_withheld && args.without.is_empty());
    let decidable = decidable.map(|line| suggested_attendance(display.state(), line).decidable).unwrap_or_default();
    confirmation::print_confirming_command(args, display.state(), line_number, &facts, &new_facts, &decidable, output)?;
    if let Some(line) = passages.first() {
        let attendance = presence::open_hints(display.state(), args, line, attendance);
        presence::print_notes(display.state(), args, line, &deaths, &attendance, &new_facts, output)?;
        reading.print_notes(display.state(), args, line, output);
    }
    drop(display);
    if is_empty_lie && new_facts.is_empty() && !args.dry_run {
        note_empty_lie(output);
    }
    print_with_reveals(
        &memory,
        LogOutput { written, line: line_number, talk_kind, heard_by, facts, found, extracted: new_facts },
        output,
    )?;
    Ok(memory.close()?)
}

/// Checks that a new lie has a speaker, if the line begins with the name of a character who perhaps says it.
///
/// # Errors
/// Returns an error with the option that names the speaker.
fn check_liar(line: &LogLine, unknown_name: Option<&UnknownName>, state: &State) -> Result<()> {
    let is_new_lie = line.lie && line.recorded_line.is_none();
    match unknown_name.and_then(UnknownName::possible_speaker).filter(|_| is_new_lie) {
        Some(id) => {
            let name = state.name_or_id(id);
            let message = format!("the line has no speaker; if {name} says it, repeat the command with `--by {id}`");
            Err(CliError::new(1, message).into())
        }
        None => Ok(()),
    }
}

/// Prints that nothing is changed. Facts are extracted from recorded lines only, so a dry run does not show the facts in a
/// line.
fn print_dry_run(summary: &str, passages: &[Arc<Passage>], output: &mut Output) -> Result<()> {
    output.line(format!("Dry run, nothing is changed: {summary}"))?;
    if passages.iter().any(|passage| !passage.is_out_of_character()) {
        output.line("  facts: not shown, because a dry run does not extract the facts in the line")?;
    }
    Ok(())
}

/// Returns the line to log. Its speaker is missing if the name of the speaker is part of the text.
fn log_line(args: &args::SessionLog, names: &Names) -> Result<LogLine> {
    let speaker = args.by.as_ref().map(|name| names.speaker_or_player(name)).transpose()?;
    let (speaker, at_table) = speaker.map_or((None, false), |(speaker, is_player)| (Some(speaker), is_player));
    Ok(LogLine {
        speaker,
        at_table,
        talk_kind: args.in_character.then_some(TalkKind::InCharacter),
        place: names.optional_place(args.at.as_ref())?,
        time: args.time.clone(),
        heard_by: names.characters(&args.to)?,
        with: names.characters(&args.with)?,
        unheard_by: names.characters(&args.without)?,
        states: names.facts(&args.states)?,
        lie: args.lie,
        recorded_line: only_line(args)?,
        ..LogLine::typed(args.text.as_deref().unwrap_or_default())
    })
}

/// Prints a note about a lie in which Hearsay found no fact.
fn note_empty_lie(output: &Output) {
    output.note(
        "Hearsay found no fact in this lie, so no hearer believes the lie yet. To record the facts that it \
         states, repeat the command with `--states FACT`, or use `hearsay say --lie --about NAME`.",
    );
}

/// Returns the number of the recorded line; `None` if the command line names none.
///
/// # Errors
/// Returns an error if the command line names several lines.
fn only_line(args: &args::SessionLog) -> Result<Option<u32>> {
    match args.line.as_ref().map(|lines| &lines.0[..]) {
        None => Ok(None),
        Some([line]) => Ok(Some(*line)),
        Some(_) => {
            let message = "--line takes several lines only with --yes, --by, --to, --with or --without; pass one line";
            Err(CliError::new(USAGE_ERROR, message).into())
        }
    }
}

/// Prints the number of a line, and its speaker.
fn print_line_and_speaker(
    number: Option<u32>,
    speaker: Option<Speaker>,
    display: &DisplayNames,
    output: &mut Output,
) -> Result<()> {
    if let Some(number) = number {
        output.line(format!("  line: {number}"))?;
    }
    if let Some(speaker) = speaker {
        let name = speaker.alias.unwrap_or_else(|| display.name(&speaker.id));
        output.line(format!("  said by: {name}"))?;
    }
    Ok(())
}

/// On a terminal, asks whether a name before the colon that no character has is a misspelled name, and corrects it.
fn correct_speaker(line: LogLine, state: &State, output: &Output) -> LogLine {
    let Some(similar) = line.similar_speaker(state).filter(|_| output.can_ask()) else { return line };
    let question = format!("did you mean \"{}: \u{2026}\"? [y/N] ", escape::line(state.name_or_id(&similar)));
    match output.is_confirmed(&question) {
        true => line.with_corrected_speaker(state),
        false => line,
    }
}

/// Finds the speaker of a line and its kind of talk. Adds the recorded facts that a speaker states to `facts`. For
/// narration, returns the secrets that the line may state.
fn read(
    memory: &Memory,
    line: LogLine,
    facts: &mut LineFacts,
    output: &Output,
) -> Result<(LogLine, Option<FactMatches>)> {
    let reading = stated_facts::read_line(memory, UnrecordedLine::new(line))?;
    let line = LogLine { talk_kind: reading.talk_kind, ..reading.line };
    if line.speaker.is_none() {
        return Ok((line, Some(reading.facts)));
    }
    let mut found = LineFacts::from(reading.facts);
    found.confirm(output);
    facts.extend(found);
    Ok((line, None))
}

/// Prints a note if the hearers of a line learned a secret from it.
fn note_learned_secrets(args: &args::SessionLog, facts: &LineFacts, written: Option<&Written>, output: &Output) {
    if let Some(written) = written.filter(|_| !facts.is_empty()) {
        let undo = args.campaign.command(&format!("undo {}", written.position));
        output.note(format!(
            "this line states a secret, and its hearers learned the secret. If the secret did not come out, run `{undo}`."
        ));
    }
}

/// Returns the operation that logs one line.
fn log_operation(log: &Log, state: &State) -> Result<Operation, MemoryError> {
    Ok(log.operation(state, Author::Dm, real_time())?)
}

/// Returns the current state, and the operation that would log one line in this state.
fn planned_operation(memory: &Memory, log: &Log) -> Result<(Arc<State>, Operation)> {
    let log = log.clone();
    let read = memory.read(move |world| Ok((Arc::clone(&world.state), log_operation(&log, &world.state)?)))?;
    Ok(read.wait()?)
}

/// Decides which secrets that narration may state come out: see [`stated_facts::confirm_secrets`].
fn confirm_secrets(memory: &Memory, secrets: FactMatches, log: &Log, output: &Output) -> Result<LineFacts> {
    let (state, operation) = planned_operation(memory, log)?;
    let passages = added_passages(&operation.changes);
    let views = StateViews::new(&state);
    let unknown_to = |fact: FactId| match log.lines[0].states.contains(&fact) {
        true => Vec::new(),
        false => passages.iter().flat_map(|passage| hearers_without(&views, fact, passage)).collect(),
    };
    Ok(stated_facts::confirm_secrets(secrets, unknown_to, output))
}

/// Prints the command with which a withheld line and its secrets come out, and the command for a line that states no
/// secret.
fn print_withheld_note(args: &args::SessionLog, line: u32, output: &Output) {
    let session = session_option(args);
    let reveal = args.campaign.command(&format!("log --line {line} --yes{session}"));
    let mark = args.campaign.command(&format!("session mark {line} narration{session}"));
    output.note(format!(
        "no document for players quotes the withheld line. If the secret comes out, run `{reveal}`. If the line states \
         no secret, run `{mark}`."
    ));
}

/// Returns the passages that an operation adds.
fn added_passages(changes: &[Change]) -> Vec<Arc<Passage>> {
    let passages = changes.iter().filter_map(|change| match change {
        Change::AddPassage(passage) => Some(Arc::clone(passage)),
        _ => None,
    });
    passages.collect()
}

/// Marks the given facts about which the speaker of the line lies. Prints a warning for each fact that the command line
/// lists and that a sincere speaker does not know.
fn check_given_facts(log: &Log, facts: &mut LineFacts, state: &State, output: &Output) {
    let [line] = &log.lines[..] else { return };
    if facts.is_empty() {
        return;
    }
    let is_given = |passage: &&Arc<Passage>| Some(passage.line) == line.recorded_line;
    let recorded = state.passages_in_session(log.session.as_ref()).map(|(_, passage)| passage).find(is_given);
    let given = line.speaker.as_ref().map(|speaker| &speaker.id);
    let Some(speaker) = recorded.map_or(given, |passage| passage.speaker.as_ref()) else { return };
    let view = View::new(state, &Knower::Entity(speaker.clone()), None);
    facts.mark_lies(&view);
    if line.lie || recorded.is_some_and(|passage| passage.lie) {
        return;
    }
    let name = state.name_or_id(speaker);
    for fact in line.states.iter().filter(|id| view.fact(**id).is_none()).filter_map(|id| state.fact(*id)) {
        output.note(format!(
            "warning: {name} does not know the fact {}: \"{}\". With this line, {name} learns it too. If the line states \
             another fact, undo this command.",
            fact.id().short(),
            fact.statement()
        ));
    }
}

/// Returns how the DM confirms that the line states a fact.
fn confirmation(args: &args::SessionLog, line: Option<u32>, fact: &FactMatch) -> String {
    match line.filter(|_| !args.dry_run) {
        Some(line) => stated_facts::confirmation(&args.campaign, line, args.session.as_deref(), fact),
        None => stated_facts::repeated_confirmation(fact),
    }
}

/// Returns the option that names the session of the command.
fn session_option(args: &args::SessionLog) -> String {
    args.session.as_ref().map_or_else(String::new, |session| format!(" --session {session}"))
}

/// Returns the option or command that makes a line part of the story.
fn override_hint(args: &args::SessionLog, passage: &Passage) -> String {
    if args.dry_run {
        return "--in-character".to_owned();
    }
    let session = session_option(args);
    let command = args.campaign.command(&format!("session mark {} in-character{session}", passage.line));
    format!("--in-character; for this line, `{command}`")
}

/// Prints who heard a line, or why nobody heard it.
fn print_reception(
    args: &args::SessionLog,
    passage: &Passage,
    heard_by: &[Knower],
    display: &DisplayNames,
    output: &mut Output,
) -> Result<()> {
    if passage.is_withheld() {
        return output.line("  withheld: no character hears the line, because it may state a secret");
    }
    match passage.is_out_of_character() {
        true => print_out_of_character(&override_hint(args, passage), output),
        false => print_hearers(heard_by, display, output),
    }
}

/// Prints that a line is out of character. `hint` names the option or the command that makes the line part of the story.
pub(crate) fn print_out_of_character(hint: &str, output: &mut Output) -> Result<()> {
    output.line(format!(
        "  out of character: kept in the log, nobody in the world hears it (to make it part of the story: {hint})"
    ))
}

/// Prints who heard a line.
pub(crate) fn print_hearers(hearers: &[Knower], names: &DisplayNames, output: &mut Output) -> Result<()> {
    output.line(format!("  heard by: {}", names.list_knowers(hearers)))
}
