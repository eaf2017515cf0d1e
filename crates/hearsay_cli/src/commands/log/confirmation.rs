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
use hearsay_model::{FactId, Passage, SessionId, TalkKind};
use hearsay_query::{
    review::{DecidedFact, decided_facts},
    session::session_or_latest,
};
use serde::Serialize;

use super::session_option;
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

/// JSON output of `log --yes`.
#[derive(Serialize)]
struct ConfirmationOutput {
    written: Written,
    /// Number of the line in the session.
    line: u32,
    #[serde(flatten)]
    facts: LineFacts,
    /// Facts from the line on which the operation decided, with their knowers.
    decided: Vec<DecidedFact>,
    /// Outcome of extracting facts from the line, if extraction ran.
    found: Option<ExtractionReport>,
}

/// Confirms everything that `log` asked about a recorded line: the facts that the line may state, and the facts that
/// `log` offered to accept. For the last line of the session being played, also records the arrivals and departures for
/// which `log` printed commands.
pub(super) fn confirm(args: &args::SessionLog, output: &mut Output) -> Result<()> {
    let memory = campaign::open_for_speech(&args.campaign, Access::for_dry_run(args.dry_run), output)?;
    let names = Names::read(&memory, output)?;
    let session = names.optional_session(args.session.as_ref())?;
    let session: SessionId = session_or_latest(names.state(), session.as_ref())?.id.clone();
    let (_, passage) =
        recorded_line(names.state(), Some(&session), super::only_line(args)?).map_err(MemoryError::from)?;
    let passage = Arc::clone(passage);
    let attendance = suggested_attendance(names.state(), &passage);
    drop(names);
    let line = passage.line;
    let offered = extracted_facts(&memory, std::slice::from_ref(&passage))?;
    let accept: Vec<FactId> = offered.iter().filter(|row| row.is_offered()).map(|row| row.fact).collect();
    let states = asked_facts(&memory, passage)?;
    if states.is_empty() && accept.is_empty() && attendance.is_empty() {
        let message = format!("nothing about line {line} of `{session}` waits for your confirmation");
        return Err(CliError::new(1, message).into());
    }
    let names = Names::read(&memory, output)?;
    let mut facts = LineFacts::given(names.state(), &states);
    drop(names);
    let confirmation = LineConfirmation { session, line, states, accept: accept.clone(), attendance };
    let build_operation = move |world: &ReadSnapshot| Ok(confirmation.operation(&world.state, real_time())?);
    if !facts.is_empty() {
        facts.set_learned_by(&memory.preview(build_operation.clone())?.wait()?);
    }
    let Some(written) = write_or_preview(&memory, args.dry_run, build_operation, output)? else {
        return Ok(memory.close()?);
    };
    let position = written.position;
    let decided = memory.read(move |world| {
        let changes = world.state.entry(position).map_or(&[][..], |entry| &entry.operation.changes);
        let mut decided = decided_facts(&world.state, changes);
        decided.retain(|fact| accept.contains(&fact.fact));
        Ok(decided)
    })?;
    let decided = decided.wait()?;
    print_written(&written, output)?;
    let found = texts::extract_new_texts(&memory, &args.campaign.campaign, output)?;
    let display = DisplayNames::read(&memory)?;
    facts.print(&display, |fact| super::confirmation(args, Some(line), fact), output)?;
    print_decided(&decided, &[], false, &display, output)?;
    drop(display);
    print_with_reveals(&memory, ConfirmationOutput { written, line, facts, decided, found }, output)?;
    Ok(memory.close()?)
}

/// Returns the recorded facts that a line may state, and that `log` therefore asked about: facts that the speaker knows
/// and that a hearer has not learned from the line, or the secrets because of which nobody hears a narrated line. If all
/// hearers know these secrets by now, returns the secrets too, because the line is still withheld.
fn asked_facts(memory: &Memory, passage: Arc<Passage>) -> Result<Vec<FactId>> {
    let is_narration = passage.speaker.is_none();
    let is_marked = is_narration && LogLine::new(passage.text.as_str()).is_marked_out_of_character();
    // A withheld line is narration that is out of character.
    if is_marked || is_narration != passage.is_out_of_character() {
        return Ok(Vec::new());
    }
    texts::wait_until_ready(memory)?;
    let mut found = memory.match_facts(SpokenLine::from_passage(&passage))?.wait()?;
    if passage.talk_kind != Some(TalkKind::InCharacter) {
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

/// Prints the command that confirms everything about which `log` asks for a new line, and that records the arrivals and
/// departures that the line suggests.
pub(super) fn print_hint(
    args: &args::SessionLog,
    line: Option<u32>,
    facts: &LineFacts,
    extracted: &[ExtractedRow],
    attendance: &[AttendanceHint],
    output: &mut Output,
) -> Result<()> {
    let asks = facts.may_state_any() || extracted.iter().any(ExtractedRow::is_offered);
    let is_recorded =
        |hint: &AttendanceHint| matches!(hint.change, AttendanceChange::Arrives | AttendanceChange::Leaves);
    let attends = attendance.iter().any(is_recorded);
    let Some(line) = line.filter(|_| (asks || attends) && !args.dry_run) else { return Ok(()) };
    let session = session_option(args);
    let last = args.campaign.command(&format!("log --yes{session}"));
    if !asks {
        return output.line(format!("  to record who comes and who leaves: `{last}`"));
    }
    let later = args.campaign.command(&format!("log --line {line} --yes{session}"));
    let also = if attends { ", and to record who comes and who leaves" } else { "" };
    output.line(format!("  to say yes to all of this{also}: `{last}`; after further lines: `{later}`"))
}
