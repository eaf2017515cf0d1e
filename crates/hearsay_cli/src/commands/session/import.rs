//! `session import`: imports a transcript.

use anyhow::Result;
use hearsay_campaign::Transcript;
use hearsay_commands::session::{Log, TranscriptImport, TranscriptReport, transcript_talk};
use hearsay_engine::{Memory, MemoryError, Written};
use hearsay_model::Author;
use hearsay_query::session::TalkCounts;
use serde::Serialize;

use super::{
    report::print_talk,
    transcript::{assigned_speakers, new_session, read_state, transcript_name},
};
use crate::{
    args,
    campaign::{self, Access},
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
    let may_ask = !args.dry_run && !args.yes && !output.is_json() && speakers::is_terminal();
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
    if let Some(talk) = &talk {
        print_talk(talk, output)?;
    }
    print_with_reveals(&memory, ImportOutput { written, saved_speakers, report, unidentified, found, talk }, output)?;
    Ok(memory.close()?)
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
            let speaker = row.speaker.as_ref().map_or(String::new(), |speaker| format!("{speaker}: "));
            output.line(format!("{:>6}  {speaker}{}", row.line, row.text))?;
        }
    }
    Ok(())
}
