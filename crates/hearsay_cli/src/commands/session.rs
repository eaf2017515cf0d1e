//! The `session` commands: sessions, recaps and open threads.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use hearsay_campaign::Transcript;
use hearsay_commands::session::{
    AssignedSpeaker, Log, NewSession, SessionStep, SpeakerAssignment, TranscriptImport, TranscriptReport,
    transcript_talk,
};
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Written, real_time};
use hearsay_model::{Author, EntityId, Passage, SessionId, SpeakerRole, State};
use hearsay_query as query;
use hearsay_query::session::{
    RecapAudience, SessionReport, SessionRow, Summarize, TalkCounts, Thread, ThreadFilter, ThreadKind,
};
use serde::Serialize;
use serde_json::json;

use crate::{
    args::{self, Session},
    campaign::{self, Access},
    dry_run::{print_written, write_or_preview},
    interrupt, llm,
    names::Names,
    output::{CliError, FILE_ERROR, Output, count},
    reveals::print_with_reveals,
    speakers,
    style::{Line, Style},
    texts::{self, EncoderUse, ExtractionReport},
};

pub(crate) fn session(args: &Session, output: &mut Output) -> Result<()> {
    match args {
        Session::Start(args) => start(args, output),
        Session::Attend(args) => attend(args, output),
        Session::Log(args) => super::log::log(args, output),
        Session::End(args) => end(args, output),
        Session::List(args) => list(args, output),
        Session::Show(args) => show(args, output),
        Session::Import(args) => import(args, output),
        Session::Recap(args) => recap(args, output),
        Session::Threads(args) => threads(args, output),
    }
}

/// Writes a step of a session. In a dry run, prints the effects of the step instead, and returns `None`.
fn write_step(memory: &Memory, dry_run: bool, step: SessionStep, output: &mut Output) -> Result<Option<Written>> {
    let build_operation = move |world: &ReadSnapshot| Ok(step.operation(&world.state, Author::Dm, real_time())?);
    write_or_preview(memory, dry_run, build_operation, output)
}

fn run_step(
    campaign: &args::Campaign,
    dry_run: bool,
    step: impl FnOnce(&Names) -> Result<SessionStep>,
    output: &mut Output,
) -> Result<()> {
    let memory = campaign::open(campaign, Access::for_dry_run(dry_run), EncoderUse::Disabled, output)?;
    let step = step(&Names::read(&memory, output)?)?;
    if let Some(written) = write_step(&memory, dry_run, step, output)? {
        print_written(&written, output)?;
        if let Some(playing) = memory.read(|world| Ok(world.state.active_session().cloned()))?.wait()? {
            output.line(format!("  present: {}", format_ids(&playing.here)))?;
        }
        print_with_reveals(&memory, written, output)?;
    }
    Ok(memory.close()?)
}

fn new_session(args: &args::NewSession, names: &Names) -> Result<NewSession> {
    Ok(NewSession {
        id: args.id.as_ref().map(SessionId::new).transpose().map_err(MemoryError::from)?,
        number: args.number,
        title: args.title.clone(),
        date: args.date.clone(),
        time: args.time.clone(),
        place: names.optional_entity(args.at.as_ref())?,
        present: names.entities(&args.present)?,
    })
}

fn start(args: &args::SessionStart, output: &mut Output) -> Result<()> {
    let step = |names: &Names| Ok(SessionStep::Start(new_session(&args.new, names)?));
    run_step(&args.campaign, args.dry_run, step, output)
}

fn attend(args: &args::SessionAttend, output: &mut Output) -> Result<()> {
    let step = |names: &Names| {
        Ok(SessionStep::Attend { arrive: names.entities(&args.arrive)?, leave: names.entities(&args.leave)? })
    };
    run_step(&args.campaign, args.dry_run, step, output)
}

/// JSON output of `session end`: the written operation and the report of the session.
#[derive(Serialize)]
struct SessionEndOutput {
    written: Written,
    report: SessionReport,
}

fn end(args: &args::SessionEnd, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::for_dry_run(args.dry_run), EncoderUse::Disabled, output)?;
    let playing =
        memory.read(|world| Ok(world.state.active_session().map(|playing| playing.session.clone())))?.wait()?;
    let end = SessionStep::End { time: args.time.clone() };
    let Some(written) = write_step(&memory, args.dry_run, end, output)? else { return Ok(memory.close()?) };
    print_written(&written, output)?;
    let report = memory
        .read_in_background(move |world| Ok(query::session::session_report(&world.state, playing.as_ref())?))?
        .wait()?;
    print_report(&report, 10, output)?;
    print_with_reveals(&memory, SessionEndOutput { written, report }, output)?;
    Ok(memory.close()?)
}

fn format_ids(ids: &[EntityId]) -> String {
    match ids {
        [] => "nobody".to_owned(),
        ids => ids.iter().map(EntityId::as_str).collect::<Vec<_>>().join(", "),
    }
}

fn list(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Access::Read, EncoderUse::Disabled, output)?;
    let rows = memory.read_in_background(|world| Ok(query::session::sessions(&world.state)))?.wait()?;
    output.data(&rows)?;
    if rows.is_empty() {
        output.line("No sessions yet. Start one with `hearsay session start`.")?;
    }
    let row = |row: &SessionRow| {
        let time = match (&row.start, &row.end) {
            _ if row.playing => "running".to_owned(),
            (Some(start), Some(end)) => format!("{start} \u{2013} {end}"),
            (start, end) => start.clone().or_else(|| end.clone()).unwrap_or_default(),
        };
        [row.id.to_string(), row.title.clone(), count(row.lines, "line", "lines"), time]
    };
    output.table([Style::Id, Style::Plain, Style::Plain, Style::Plain], &rows.iter().map(row).collect::<Vec<_>>())?;
    Ok(memory.close()?)
}

fn show(args: &args::SessionShow, output: &mut Output) -> Result<()> {
    if args.summary || args.summary_options.is_given() {
        return print_summary(
            &args.campaign,
            args.session.as_ref(),
            args.knower.as_ref(),
            &args.summary_options,
            output,
        );
    }
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let names = Names::read(&memory, output)?;
    let (state, session) = (names.state(), names.optional_session(args.session.as_ref())?);
    if args.log {
        let session = query::session::session_or_latest(state, session.as_ref())?;
        let lines = state.passages_in_session(Some(&session.id)).map(|(_, passage)| passage);
        let mut lines: Vec<Passage> = lines.map(|line| Passage::clone(line)).collect();
        lines.sort_by_key(|line| (line.line, line.id()));
        output.data(&lines)?;
        for line in &lines {
            let speaker = line.speaker.as_ref().map_or(String::new(), |speaker| format!("{speaker}: "));
            let remark = if line.is_out_of_character() { "  (out of character)" } else { "" };
            output.line(format!("{:>4}  {speaker}{}{remark}", line.line, line.text))?;
        }
        return Ok(memory.close()?);
    }
    let report = query::session::session_report(state, session.as_ref())?;
    output.data(&report)?;
    print_report(&report, args.limit, output)?;
    Ok(memory.close()?)
}

/// Prints a heading, the first `limit` rows, and the number of remaining rows.
fn print_list<T>(
    title: &str,
    rows: &[T],
    limit: usize,
    output: &mut Output,
    line: impl Fn(&T) -> String,
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    output.line(Line::heading(title))?;
    for row in rows.iter().take(limit) {
        output.line(format!("  {}", line(row)))?;
    }
    match rows.len().saturating_sub(limit) {
        0 => Ok(()),
        more => output.line(format!("  and {more} more: `session show --limit`")),
    }
}

fn print_report(report: &SessionReport, limit: usize, output: &mut Output) -> Result<()> {
    let SessionReport { session, counts, .. } = report;
    let number = session.number.map_or(String::new(), |number| format!(", session {number}"));
    output.line(Line::heading(&session.title).id(format!(" ({}{number})", session.id)))?;
    output.line(format!("  present: {}", format_ids(&session.present)))?;
    let waiting = if counts.waiting > 0 { format!(", {} for review", counts.waiting) } else { String::new() };
    output.line(format!(
        "  {}, {} recorded{waiting}, {} learned",
        count(counts.lines, "line", "lines"),
        count(counts.facts, "fact", "facts"),
        count(counts.learned, "fact", "facts")
    ))?;
    print_talk(&counts.talk, output)?;
    for learner in &report.learned {
        let title = format!("{} learned {}:", learner.name, count(learner.facts.len(), "fact", "facts"));
        // Shows only a few facts per NPC; `know knows` lists all of them.
        let limit = if learner.player { limit } else { limit.min(3) };
        print_list(&title, &learner.facts, limit, output, |row| {
            format!("{}  [{} \u{00B7} {}]", row.statement, row.acquisition, row.fact.short())
        })?;
    }
    print_list("Changed:", &report.changed, limit, output, |row| {
        let kind = format!("{:?}", row.kind).to_lowercase();
        format!("{kind}: {}  [{}]", row.statement, row.fact.short())
    })?;
    print_list("Open threads:", &report.threads, limit, output, thread_line)?;
    print_list("Review first:", &report.review, limit, output, |row| {
        format!("{}  [{} \u{00B7} {} \u{00B7} {}]", row.statement, row.status, row.reasons.join(", "), row.fact.short())
    })
}

/// Prints the number of lines of each kind of talk, unless no kind is known.
fn print_talk(talk: &TalkCounts, output: &mut Output) -> Result<()> {
    let TalkCounts { narration, in_character, out_of_character, unknown } = talk;
    if narration + in_character + out_of_character == 0 {
        return Ok(());
    }
    let unknown = if *unknown > 0 { format!(", {unknown} unknown") } else { String::new() };
    output.line(format!(
        "  lines by kind of talk: {narration} narration, {in_character} in character, \
         {out_of_character} out of character{unknown}"
    ))
}

fn kind_name(kind: ThreadKind) -> &'static str {
    match kind {
        ThreadKind::Quest => "quest",
        ThreadKind::Promise => "promise",
        ThreadKind::Debt => "debt",
        ThreadKind::Secret => "secret",
    }
}

fn thread_line(thread: &Thread) -> String {
    let mut marks: Vec<String> = thread.details.clone();
    if thread.kind == ThreadKind::Secret {
        marks.push(format!("known to {}", format_ids(&thread.entities)));
    }
    marks.extend(thread.since.as_ref().map(|since| format!("since {since}")));
    marks.extend(thread.fact.map(|fact| fact.short()));
    format!("{}: {}  [{}]", kind_name(thread.kind), thread.description, marks.join(" \u{00B7} "))
}

pub(crate) fn threads(args: &args::Threads, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let names = Names::read(&memory, output)?;
    let filter = ThreadFilter {
        kinds: args.kind.iter().map(|kind| (*kind).into()).collect(),
        about: names.optional_entity(args.about.as_ref())?,
        session: names.optional_session(args.session.as_ref())?,
    };
    let open_threads = query::session::threads(names.state(), &filter)?;
    output.data(
        &json!({ "threads": open_threads.iter().take(args.limit).collect::<Vec<_>>(), "all": open_threads.len() }),
    )?;
    if open_threads.is_empty() {
        output.line("No matching open threads.")?;
    }
    for thread in open_threads.iter().take(args.limit) {
        output.line(thread_line(thread))?;
    }
    output.omitted(args.limit, open_threads.len())?;
    Ok(memory.close()?)
}

/// Prints the summarized log of a session.
fn print_summary(
    campaign: &args::Campaign,
    session: Option<&String>,
    knower: Option<&String>,
    options: &args::SummaryOptions,
    output: &mut Output,
) -> Result<()> {
    let encoder_use =
        if options.no_meaning || options.question.is_none() { EncoderUse::Disabled } else { EncoderUse::Enabled };
    let memory = campaign::open(campaign, Access::Read, encoder_use, output)?;
    let names = Names::read(&memory, output)?;
    let request = Summarize {
        session: names.optional_session(session)?,
        document: names.optional_entity(options.document.as_ref())?,
        knower: names.optional_entity(knower)?,
        question: options.question.clone().unwrap_or_default(),
        budget: options.budget,
        deadline: Some(Duration::from_secs(60)),
        ..Summarize::default()
    };
    drop(names);
    texts::embed_if_few(&memory, encoder_use, output)?;
    let summary = interrupt::wait(&memory.summarize(request)?)?;
    output.data(&summary)?;
    output.page(summary.text())?;
    output.note(format!(
        "{} of {} tokens, {} left out",
        summary.tokens,
        summary.original_tokens,
        count(summary.omitted, "part", "parts")
    ));
    Ok(memory.close()?)
}

pub(crate) fn recap(args: &args::Recap, output: &mut Output) -> Result<()> {
    if args.compress || args.summary_options.is_given() {
        return print_summary(
            &args.campaign,
            args.session.as_ref(),
            args.knower.as_ref(),
            &args.summary_options,
            output,
        );
    }
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let names = Names::read(&memory, output)?;
    let session = names.optional_session(args.session.as_ref())?;
    let audience = match &args.knower {
        Some(name) => RecapAudience::Character(names.entity(name)?),
        None if args.player_safe => RecapAudience::Players,
        None => RecapAudience::Dm,
    };
    let session_recap = query::session::session_recap(names.state(), session.as_ref(), &audience, args.words)?;
    let absent = match &audience {
        RecapAudience::Character(knower) if session_recap.recap.lines.is_empty() => Some(knower),
        _ => None,
    };
    let absent = absent.filter(|knower| !session_recap.present.contains(knower)).cloned();
    let empty_message = match &absent {
        Some(absent) => {
            let missed = args.campaign.command(&format!("know missed {absent} {}", session_recap.session));
            format!("  {absent} was not there: `{missed}` lists the missed facts")
        }
        None if audience == RecapAudience::Players && !session_recap.present.is_empty() => {
            "  there is nothing that all characters who were present know".to_owned()
        }
        None => {
            "  the session has no lines: `hearsay log` adds a line, `hearsay session import` a transcript".to_owned()
        }
    };
    if args.written {
        let written = match session_recap.recap.lines.is_empty() {
            true => String::new(),
            false => llm::write(&memory, &session_recap.prompt)?,
        };
        output.data(&json!({ "session": session_recap.session, "title": session_recap.title, "written": written }))?;
        output.line(Line::heading(&session_recap.title))?;
        output.page(if written.is_empty() { &empty_message } else { &written })?;
        return Ok(memory.close()?);
    }
    let mut data = serde_json::to_value(&session_recap)?;
    data["absent"] = json!(absent);
    output.data(&data)?;
    if args.prompt {
        output.page(&session_recap.prompt)?;
        return Ok(memory.close()?);
    }
    output.line(Line::heading(&session_recap.title))?;
    if session_recap.recap.lines.is_empty() {
        output.line(&empty_message)?;
    }
    for line in &session_recap.recap.lines {
        output.line(format!("  {}", line.text))?;
        if args.citations {
            output.line(format!(
                "      {:.2}: {} \u{00B7} {}",
                line.score,
                line.reasons.join(", "),
                line.citation.line()
            ))?;
        }
    }
    Ok(memory.close()?)
}

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

fn import(args: &args::SessionImport, output: &mut Output) -> Result<()> {
    let (name, transcript) = read_transcript(args)?;
    let memory = campaign::open_for_recording(&args.campaign, Access::for_dry_run(args.dry_run), output)?;
    let mut import = transcript_import(args, name, transcript, &Names::read(&memory, output)?)?;
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
        CliError::new(FILE_ERROR, format!("{}: {error}; expected a transcript: text, WebVTT or SubRip", path.display()))
    })?;
    let name = path.file_name().map_or_else(|| "transcript".into(), |name| name.to_string_lossy().into_owned());
    Ok((name, Transcript::read(&path.display().to_string(), &bytes).map_err(MemoryError::from)?))
}

/// Returns the import of a transcript, with the assignments of speakers on the command line.
fn transcript_import(
    args: &args::SessionImport,
    name: String,
    transcript: Transcript,
    names: &Names,
) -> Result<TranscriptImport> {
    let mut speakers = Vec::new();
    for (pairs, remember) in [(&args.player, true), (&args.speaker, false)] {
        for (name, character) in pairs {
            let is = AssignedSpeaker::Character(names.entity(character)?);
            speakers.push(SpeakerAssignment { name: name.clone(), is, remember });
        }
    }
    for (people, role) in [(&args.dm, SpeakerRole::Dm), (&args.nobody, SpeakerRole::Nobody)] {
        speakers.extend(people.iter().map(|name| SpeakerAssignment {
            name: name.clone(),
            is: AssignedSpeaker::Role(role),
            remember: true,
        }));
    }
    let (session, new) = (names.optional_session(args.session.as_ref())?, new_session(&args.new, names)?);
    Ok(TranscriptImport { name, transcript, session, new, speakers })
}

fn read_state(memory: &Memory) -> Result<Arc<State>> {
    Ok(memory.read(|snapshot| Ok(Arc::clone(&snapshot.state)))?.wait()?)
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
