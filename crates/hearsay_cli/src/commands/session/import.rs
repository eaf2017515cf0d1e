//! `session import`: imports a transcript.

use anyhow::Result;
use hearsay_campaign::Transcript;
use hearsay_commands::session::{
    Log, TranscriptImport, TranscriptReport, end_imported_session, transcript_session, transcript_talk,
};
use hearsay_engine::{Memory, MemoryError, Written, real_time};
use hearsay_model::Author;
use hearsay_query::session::{SessionReport, TalkCounts, session_report};
use serde::Serialize;

use super::{
    report::{print_next_steps, print_report, print_talk},
    transcript::{assigned_speakers, new_session, read_state, transcript_name},
};
use crate::{
    args,
    campaign::{self, Access},
    display_names::DisplayNames,
    dry_run::print_written,
    interrupt,
    names::Names,
    output::{CliError, FILE_ERROR, Output, count},
    reveals::print_with_reveals,
    speakers,
    texts::{self, ExtractionReport},
};

/// JSON output of a transcript import, or of its dry run.
#[derive(Serialize)]
struct ImportOutput {
    /// Operation that was written; `None` for a dry run, or if nothing changed.
    written: Option<Written>,
    /// Operation that saved who the speakers are; `None` if there was nothing to save.
    saved_speakers: Option<Written>,
    #[serde(flatten)]
    report: TranscriptReport,
    /// Speakers whom the campaign does not identify.
    unidentified: Vec<UnidentifiedSpeaker>,
    /// Outcome of extracting facts from the lines, if extraction ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<ExtractionReport>,
    /// Numbers of lines by kind of talk; `None` for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    talk: Option<TalkCounts>,
    /// Report of the session that ended with the import; `None` if nothing was imported, or if the session is still
    /// being played.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_report: Option<SessionReport>,
}

/// A speaker whom the campaign does not identify, with the option that identifies the speaker.
#[derive(Serialize)]
struct UnidentifiedSpeaker {
    name: String,
    option: String,
}

/// Maximum size of a transcript, in bytes (64 MiB).
const MAX_TRANSCRIPT_BYTES: u64 = 64 << 20;

pub(super) fn import(args: &args::SessionImport, output: &mut Output) -> Result<()> {
    let (name, transcript) = read_transcript(args)?;
    let memory = campaign::open_for_recording(&args.campaign, Access::for_dry_run(args.dry_run), output)?;
    let names = Names::read(&memory, output)?;
    let mut import = TranscriptImport {
        name,
        transcript,
        session: names.optional_session(args.session.as_ref())?,
        new: new_session(&args.new, &names)?,
        speakers: assigned_speakers(&args.speakers, &names)?,
        first_line: None,
    };
    drop(names);
    let mut state = read_state(&memory)?;
    let (mut report, mut log) = import.plan(&state).map_err(MemoryError::from)?;
    let may_ask = !args.dry_run && !args.yes && output.can_ask();
    let asks = may_ask && report.speakers.iter().any(|row| row.is.is_unidentified());
    if asks {
        import.speakers.extend(speakers::ask(&report, &state)?);
        interrupt::check()?;
    }
    let unsaved = import.unsaved_speakers(&state).map_err(MemoryError::from)?;
    let saved_speakers = match args.dry_run || unsaved.is_empty() {
        true => None,
        false => Some(memory.remember_speakers(unsaved)?.wait()?),
    };
    if asks || saved_speakers.is_some() {
        state = read_state(&memory)?;
        (report, log) = import.plan(&state).map_err(MemoryError::from)?;
    }
    drop(state);
    let written = match args.dry_run || report.unchanged {
        true => None,
        false => Some(write_log(&memory, import.name, log, output)?),
    };
    if let Some(saved) = &saved_speakers {
        print_written(saved, output)?;
    }
    match &written {
        Some(written) => print_written(written, output)?,
        None if args.dry_run => output.line("Dry run: nothing was changed.")?,
        None => output.line("Nothing has changed since the last import.")?,
    }
    print_import_report(&report, args.dry_run, output)?;
    let found = match &written {
        Some(_) => texts::extract_new_texts(&memory, &args.campaign.campaign, output)?,
        None => None,
    };
    let unidentified = report.speakers.iter().filter(|row| row.is.is_unidentified());
    let unidentified =
        unidentified.map(|row| UnidentifiedSpeaker { name: row.name.clone(), option: speakers::option(row) }).collect();
    let talk = if args.dry_run { None } else { Some(count_talk(&memory, &report)?) };
    let session_report = match &written {
        Some(_) => end_session(&memory, &report.file)?,
        None => None,
    };
    match (&session_report, &talk) {
        (Some(report), _) => {
            print_report(report, 10, &DisplayNames::read(&memory)?, output)?;
            print_next_steps(&args.campaign, report, output)?;
        }
        (None, Some(talk)) => print_talk(talk, output)?,
        (None, None) => {}
    }
    let imported = ImportOutput { written, saved_speakers, report, unidentified, found, talk, session_report };
    print_with_reveals(&memory, imported, output)?;
    Ok(memory.close()?)
}

/// Ends the session of a transcript: its characters learn the names that they heard. Returns the report of the session.
/// Returns `None` if the session is still being played.
fn end_session(memory: &Memory, file: &str) -> Result<Option<SessionReport>> {
    let name = file.to_owned();
    let read = memory.read_in_background(move |world| {
        let session = transcript_session(&world.state, &name);
        let playing = world.state.active_session().map(|playing| &playing.session);
        let Some(session) = session.filter(|session| Some(session) != playing) else { return Ok(None) };
        let operation = end_imported_session(&world.state, &session, real_time())?;
        Ok(Some((session, operation)))
    })?;
    let Some((session, operation)) = read.wait()? else { return Ok(None) };
    if let Some(operation) = operation {
        memory.write(move |_| Ok(operation.clone()))?.wait()?;
    }
    let read = memory.read_in_background(move |world| Ok(session_report(&world.state, Some(&session))?))?;
    Ok(Some(read.wait()?))
}

/// Returns the name and the contents of the transcript.
fn read_transcript(args: &args::SessionImport) -> Result<(String, Transcript)> {
    let path = &args.file;
    let bytes = hearsay_campaign::read_file(path, MAX_TRANSCRIPT_BYTES).map_err(|error| {
        CliError::new(
            FILE_ERROR,
            format!("{}: {error}; expected a transcript: text, WebVTT, SubRip or JSON lines", path.display()),
        )
    })?;
    Ok((transcript_name(path), Transcript::read(&path.display().to_string(), &bytes).map_err(MemoryError::from)?))
}

/// Counts the lines of a transcript by kind of talk.
fn count_talk(memory: &Memory, report: &TranscriptReport) -> Result<TalkCounts> {
    let file = report.file.clone();
    Ok(memory.read_in_background(move |world| Ok(transcript_talk(&world.state, &file)))?.wait()?)
}

fn write_log(memory: &Memory, name: String, log: Log, output: &Output) -> Result<Written> {
    interrupt::wait_with_spinner(&memory.log(Author::Importer(name), log)?, "importing", output)
}

fn print_import_report(report: &TranscriptReport, with_preview: bool, output: &mut Output) -> Result<()> {
    let session = report.session.as_ref().map_or("a new session".to_owned(), ToString::to_string);
    output.line(format!("  {} for {session}", count(report.lines, "line", "lines")))?;
    for row in &report.speakers {
        output.line(format!("  {} ({}): {}", row.name, count(row.lines, "line", "lines"), speakers::describe(row)))?;
    }
    for note in &report.notes {
        output.line(format!("  note: {note}"))?;
    }
    if with_preview {
        for row in &report.preview {
            if let Some(place) = &row.place {
                output.line(format!("        at {place}:"))?;
            }
            let speaker = row.speaker.as_ref().map_or(String::new(), |speaker| format!("{speaker}: "));
            output.line(format!("{:>6}  {speaker}{}", row.line, row.text))?;
        }
    }
    Ok(())
}
