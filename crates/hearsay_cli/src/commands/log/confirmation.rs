//! `hearsay log --yes`: confirms everything that `log` asked about a recorded line.

use std::sync::Arc;

use anyhow::Result;
use hearsay_belief::StateViews;
use hearsay_commands::{
    fact_matching::SpokenLine,
    session::{
        AttendanceChange, AttendanceHint, LineConfirmation, LogLine, hearers_without, is_told_to_all, recorded_line,
        suggested_attendance,
    },
};
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Written, real_time};
use hearsay_model::{EntityId, FactId, Knower, Passage, SessionId, State, TalkKind};
use hearsay_query::{
    review::{DecidedFact, decided_facts},
    session::session_or_latest,
};
use serde::Serialize;

use super::{presence, session_option};
use crate::{
    args,
    campaign::{self, Access},
    commands::review::print_decided,
    display_names::DisplayNames,
    dry_run::{print_written, write_or_preview},
    names::Names,
    output::{CliError, Output},
    reveals::print_with_reveals,
    stated_facts::LineFacts,
    texts::{self, ExtractedRow, ExtractionReport, extracted_facts},
};

/// JSON output of `log --yes` for one line.
#[derive(Serialize)]
struct ConfirmationOutput {
    written: Written,
    #[serde(flatten)]
    line: ConfirmedLine,
    /// Outcome of extracting facts from the line, if extraction ran.
    found: Option<ExtractionReport>,
}

/// JSON output of `log --yes` for several lines.
#[derive(Serialize)]
struct ConfirmationsOutput {
    written: Written,
    lines: Vec<ConfirmedLine>,
    /// Outcome of extracting facts from the lines, if extraction ran.
    found: Option<ExtractionReport>,
}

/// A line whose facts the DM confirmed.
#[derive(Serialize)]
struct ConfirmedLine {
    /// Number of the line in the session.
    line: u32,
    #[serde(flatten)]
    facts: LineFacts,
    /// Facts from the line on which the operation decided, with their knowers.
    decided: Vec<DecidedFact>,
}

/// Confirms everything that `log` asked about recorded lines: the facts that the lines may state, and the facts that
/// `log` offered to accept. For the last line of the session being played, also records the arrivals, departures and moves
/// for which `log` printed commands. For the other lines, names the commands that record them.
pub(super) fn confirm(args: &args::SessionLog, output: &mut Output) -> Result<()> {
    let memory = campaign::open_for_speech(&args.campaign, Access::for_dry_run(args.dry_run), output)?;
    let (session, passages) = chosen_lines(args, &memory, output)?;
    let mut confirmations: Vec<LineConfirmation> = Vec::new();
    let mut lines: Vec<ConfirmedLine> = Vec::new();
    for ChosenLine { passage, attendance, commands } in &passages {
        let offered = extracted_facts(&memory, std::slice::from_ref(passage))?;
        // The words may name the person who moves only with a pronoun.
        let doubtful = offered.iter().filter(|row| !row.is_offered()).filter_map(ExtractedRow::moved_character);
        let doubtful: Vec<&EntityId> = doubtful.collect();
        let is_move = |hint: &AttendanceHint| matches!(hint.change, AttendanceChange::GoesTo(_));
        let is_certain = |hint: &&AttendanceHint| !is_move(hint) || !doubtful.contains(&&hint.character);
        let attendance: Vec<AttendanceHint> = attendance.iter().filter(is_certain).cloned().collect();
        // A fact from two of the lines is accepted once.
        let is_new = |fact: &FactId| confirmations.iter().all(|other| !other.accept.contains(fact));
        let offered = offered.iter().filter(|row| row.is_offered()).map(|row| row.fact);
        let accept: Vec<FactId> = offered.filter(is_new).collect();
        let states = asked_facts(&memory, Arc::clone(passage))?;
        if states.is_empty() && accept.is_empty() && attendance.is_empty() && !passage.is_withheld() {
            let mut parts =
                vec![format!("nothing about line {} of `{session}` waits for your confirmation", passage.line)];
            parts.extend(commands.iter().cloned());
            if passages.len() == 1 {
                return Err(CliError::new(1, parts.join("; ")).into());
            }
            output.note(parts.join("; "));
            continue;
        }
        commands.iter().for_each(|command| output.note(command));
        let facts = LineFacts::given(Names::read(&memory, output)?.state(), &states);
        let (session, line) = (session.clone(), passage.line);
        confirmations.push(LineConfirmation { session, line, states, accept, attendance });
        lines.push(ConfirmedLine { line, facts, decided: Vec::new() });
    }
    if confirmations.is_empty() {
        return Err(CliError::new(1, "nothing about these lines waits for your confirmation").into());
    }
    let accepted: Vec<Vec<FactId>> = confirmations.iter().map(|confirmation| confirmation.accept.clone()).collect();
    let build_operation =
        move |world: &ReadSnapshot| Ok(LineConfirmation::operation_for_all(&confirmations, &world.state, real_time())?);
    if lines.iter().any(|line| !line.facts.is_empty()) {
        let preview = memory.preview(build_operation.clone())?.wait()?;
        lines.iter_mut().for_each(|line| line.facts.set_learned_by(&preview));
    }
    let Some(written) = write_or_preview(&memory, args.dry_run, build_operation, output)? else {
        return Ok(memory.close()?);
    };
    let position = written.position;
    let decided = memory.read(move |world| {
        let changes = world.state.entry(position).map_or(&[][..], |entry| &entry.operation.changes);
        Ok(decided_facts(&world.state, changes))
    })?;
    let decided = decided.wait()?;
    print_written(&written, output)?;
    let found = texts::extract_new_texts(&memory, &args.campaign.campaign, output)?;
    let display = DisplayNames::read(&memory)?;
    for (line, accepted) in lines.iter_mut().zip(&accepted) {
        line.decided = decided.iter().filter(|fact| accepted.contains(&fact.fact)).cloned().collect();
        line.facts.print(&display, |fact| super::confirmation(args, Some(line.line), fact), output)?;
        print_decided(&line.decided, &[], false, &display, output)?;
    }
    drop(display);
    match <[ConfirmedLine; 1]>::try_from(lines) {
        Ok([line]) => print_with_reveals(&memory, ConfirmationOutput { written, line, found }, output)?,
        Err(lines) => print_with_reveals(&memory, ConfirmationsOutput { written, lines, found }, output)?,
    }
    Ok(memory.close()?)
}

/// Returns the session and the lines that the command line names. Without numbers, returns the last line.
fn chosen_lines(args: &args::SessionLog, memory: &Memory, output: &Output) -> Result<(SessionId, Vec<ChosenLine>)> {
    let names = Names::read(memory, output)?;
    let session = names.optional_session(args.session.as_ref())?;
    let session: SessionId = session_or_latest(names.state(), session.as_ref())?.id.clone();
    let numbers = args.line.as_ref().map_or(vec![None], |lines| lines.0.iter().copied().map(Some).collect());
    let chosen = numbers.into_iter().map(|number| -> Result<ChosenLine> {
        let (_, passage) = recorded_line(names.state(), Some(&session), number).map_err(MemoryError::from)?;
        let attendance = suggested_attendance(names.state(), passage);
        let commands = presence::commands(args, names.state(), &attendance.others, passage);
        Ok(ChosenLine { passage: Arc::clone(passage), attendance: attendance.decidable, commands })
    });
    let chosen = chosen.collect::<Result<Vec<ChosenLine>>>()?;
    Ok((session, chosen))
}

/// A recorded line.
struct ChosenLine {
    passage: Arc<Passage>,
    /// The arrivals, departures and moves that the line suggests and that `log --yes` records.
    attendance: Vec<AttendanceHint>,
    /// Descriptions of the commands for the other changes that the line suggests.
    commands: Vec<String>,
}

/// Returns the recorded facts that a line states or may state, and about which `log` therefore asked: facts that a hearer
/// has not learned from the line, or the secrets because of which nobody hears a narrated line. If all hearers know these
/// secrets by now, returns the secrets too, because the line is still withheld.
fn asked_facts(memory: &Memory, passage: Arc<Passage>) -> Result<Vec<FactId>> {
    let is_narration = passage.speaker.is_none();
    let is_marked = is_narration && LogLine::new(passage.text.as_str()).is_marked_out_of_character();
    // Campaigns of earlier versions record a withheld line as narration that is out of character.
    if is_marked || is_narration != passage.is_out_of_character() {
        return Ok(Vec::new());
    }
    texts::wait_until_ready(memory)?;
    let mut found = memory.match_facts(SpokenLine::from_passage(&passage))?.wait()?;
    // What was doubtful when the line was logged can be certain now, for example in a new place. Nobody can learn a
    // certain fact from a line without hearers.
    let is_hearer = |knower: &Knower| knower.entity() != passage.speaker.as_ref();
    if passage.talk_kind != Some(TalkKind::InCharacter) || passage.heard_by.iter().any(is_hearer) {
        found.doubt_all();
    }
    let facts: Vec<FactId> = found.may_state.iter().map(|fact| fact.fact).collect();
    let read = memory.read(move |world| {
        let state = &world.state;
        let views = StateViews::new(state);
        let is_asked = |fact: FactId| match is_narration {
            true => !hearers_without(&views, fact, &passage).is_empty(),
            false => state.fact(fact).is_some_and(|fact| !is_told_to_all(state, fact, &passage)),
        };
        let asked: Vec<FactId> = facts.iter().copied().filter(|fact| is_asked(*fact)).collect();
        Ok(if is_narration && asked.is_empty() { facts } else { asked })
    })?;
    Ok(read.wait()?)
}

/// Prints the command that confirms everything about which `log` asks for a new line, and that records the arrivals,
/// departures and moves in `attendance`. Names the characters who arrive, leave or move.
pub(super) fn print_confirming_command(
    args: &args::SessionLog,
    state: &State,
    line: Option<u32>,
    facts: &LineFacts,
    extracted: &[ExtractedRow],
    attendance: &[AttendanceHint],
    output: &mut Output,
) -> Result<()> {
    let asks = facts.may_state_any() || extracted.iter().any(ExtractedRow::is_offered);
    let changes = presence::described_changes(state, attendance, extracted);
    let Some(line) = line.filter(|_| (asks || !changes.is_empty()) && !args.dry_run) else { return Ok(()) };
    let session = session_option(args);
    let last = args.campaign.command(&format!("log --yes{session}"));
    if !asks {
        return output.line(format!("  to {changes}: `{last}`"));
    }
    let later = args.campaign.command(&format!("log --line {line} --yes{session}"));
    let also = if changes.is_empty() { String::new() } else { format!(", and to {changes}") };
    output.line(format!("  to say yes to all of this{also}: `{last}`; after further lines: `{later}`"))
}
