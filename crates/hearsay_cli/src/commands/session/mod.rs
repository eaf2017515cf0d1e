//! The `session` commands: sessions, recaps and open threads.

mod follow;
mod import;
mod live_input;
mod report;
mod transcript;

use std::time::Duration;

use anyhow::Result;
use hearsay_commands::session::{SessionStep, TalkCorrection};
use hearsay_engine::{Memory, ReadSnapshot, Written, real_time};
use hearsay_model::{Author, Passage};
use hearsay_query as query;
use hearsay_query::session::{
    DepartedResident, RecapAudience, SessionReport, SessionRow, Summarize, ThreadFilter, attending_in_scene,
    departed_residents, scene_characters, scene_moment,
};
use serde::Serialize;
use serde_json::json;

use self::{
    report::{print_next_steps, print_report, thread_line},
    transcript::new_session,
};
use crate::{
    args::{self, Session},
    campaign::{self, Access},
    display_names::DisplayNames,
    dry_run::{WriteContext, print_written},
    interrupt, llm,
    names::Names,
    output::{Output, count},
    reveals::print_with_reveals,
    style::{Line, Style},
    texts::{self, EncoderUse, ExtractionReport},
};

pub(crate) fn session(args: &Session, output: &mut Output) -> Result<()> {
    match args {
        Session::Start(args) => start(args, output),
        Session::Attend(args) => attend(args, output),
        Session::Mark(args) => mark(args, output),
        Session::End(args) => end(args, output),
        Session::List(args) => list(args, output),
        Session::Show(args) => show(args, output),
        Session::Import(args) => import::import(args, output),
        Session::Follow(args) => follow::follow(args, output),
        Session::Recap(args) => recap(args, output),
        Session::Threads(args) => threads(args, output),
    }
}

/// Writes a step of a session. In a dry run, prints the effects of the step instead, and returns `None`.
fn write_step(
    memory: &Memory,
    context: WriteContext,
    step: SessionStep,
    output: &mut Output,
) -> Result<Option<Written>> {
    let build_operation = move |world: &ReadSnapshot| Ok(step.operation(&world.state, Author::Dm, real_time())?);
    context.write(memory, build_operation, output)
}

fn run_step(
    context: WriteContext,
    step: impl FnOnce(&Names) -> Result<SessionStep>,
    output: &mut Output,
) -> Result<()> {
    let memory = context.open(output)?;
    let step = step(&Names::read(&memory, output)?)?;
    if let Some(written) = write_step(&memory, context, step, output)? {
        print_written(&written, output)?;
        let scene = memory.read(|world| {
            let state = &*world.state;
            let scene = state.active_session().map(|playing| {
                let (place, present) = (playing.place.clone(), attending_in_scene(state, playing));
                let mut others = scene_characters(state, playing, place.as_ref(), scene_moment(state, playing));
                others.retain(|id| !present.contains(id));
                let departed =
                    place.iter().flat_map(|place| departed_residents(state, place, scene_moment(state, playing)));
                let departed: Vec<DepartedResident> = departed.collect();
                (place, present, others, departed)
            });
            Ok(scene)
        })?;
        if let Some((place, present, others, departed)) = scene.wait()? {
            let display = DisplayNames::read(&memory)?;
            if let Some(place) = &place {
                output.line(format!("  place: {}", display.name(place)))?;
            }
            output.line(format!("  present: {}", display.list(&present)))?;
            if !others.is_empty() {
                output.line(format!("  also there: {}", display.list(&others)))?;
            }
            for DepartedResident { character, since } in departed {
                let since = since.map(|since| format!(" on {since}")).unwrap_or_default();
                let name = display.name(&character);
                output.line(format!("  not there: {name}, who left{since} and has not come back"))?;
            }
        }
        print_with_reveals(&memory, written, output)?;
    }
    Ok(memory.close()?)
}

fn start(args: &args::SessionStart, output: &mut Output) -> Result<()> {
    let step = |names: &Names| Ok(SessionStep::Start(new_session(&args.new, names)?));
    run_step(WriteContext::new(&args.campaign, args.dry_run), step, output)
}

fn attend(args: &args::SessionAttend, output: &mut Output) -> Result<()> {
    let step = |names: &Names| {
        let mut arrive = names.characters(&args.characters)?;
        arrive.extend(names.characters(&args.arrive)?);
        let characters = names.characters(&args.departing)?;
        Ok(match characters.is_empty() {
            true => SessionStep::Attend { arrive, leave: names.characters(&args.leave)? },
            false => SessionStep::Depart { characters },
        })
    };
    run_step(WriteContext::new(&args.campaign, args.dry_run), step, output)
}

/// JSON output of `session mark`: the written operation, and the outcome of extracting facts from the line.
#[derive(Serialize)]
struct MarkOutput {
    written: Written,
    found: Option<ExtractionReport>,
}

fn mark(args: &args::SessionMark, output: &mut Output) -> Result<()> {
    let context = WriteContext::new(&args.campaign, args.dry_run);
    let memory = context.open_for_recording(output)?;
    let session = Names::read(&memory, output)?.optional_session(args.session.as_ref())?;
    let correction = TalkCorrection { session, line: args.line, kind: args.kind.into() };
    let build_operation = move |world: &ReadSnapshot| Ok(correction.operation(&world.state, real_time())?);
    if let Some(written) = context.write(&memory, build_operation, output)? {
        print_written(&written, output)?;
        let found = texts::extract_new_texts(&memory, &args.campaign.campaign, output)?;
        output.data(&MarkOutput { written, found })?;
    }
    Ok(memory.close()?)
}

/// JSON output of `session end`: the written operation and the report of the session.
#[derive(Serialize)]
struct SessionEndOutput {
    written: Written,
    report: SessionReport,
}

fn end(args: &args::SessionEnd, output: &mut Output) -> Result<()> {
    let context = WriteContext::new(&args.campaign, args.dry_run);
    let memory = context.open(output)?;
    let playing =
        memory.read(|world| Ok(world.state.active_session().map(|playing| playing.session.clone())))?.wait()?;
    let end = SessionStep::End { time: args.time.clone() };
    let Some(written) = write_step(&memory, context, end, output)? else { return Ok(memory.close()?) };
    print_written(&written, output)?;
    let report = memory
        .read_in_background(move |world| Ok(query::session::session_report(&world.state, playing.as_ref())?))?
        .wait()?;
    print_report(&report, 10, &DisplayNames::read(&memory)?, output)?;
    print_next_steps(&args.campaign, &report, output)?;
    print_with_reveals(&memory, SessionEndOutput { written, report }, output)?;
    Ok(memory.close()?)
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
            let speaker =
                line.speaker.as_ref().map_or(String::new(), |speaker| format!("{}: ", state.name_or_id(speaker)));
            let remark = texts::talk_remark(line.talk_kind);
            let hearing = query::session::hearing_remark(state, session, line);
            let hearing = hearing.map_or(String::new(), |hearing| format!("  ({hearing})"));
            output.line(format!("{:>4}  {speaker}{}{remark}{hearing}", line.line, line.text))?;
        }
        return Ok(memory.close()?);
    }
    let report = query::session::session_report(state, session.as_ref())?;
    output.data(&report)?;
    print_report(&report, args.limit, &DisplayNames::read(&memory)?, output)?;
    Ok(memory.close()?)
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
    let display = DisplayNames::read(&memory)?;
    for thread in open_threads.iter().take(args.limit) {
        output.line(thread_line(thread, &display))?;
    }
    drop(display);
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
    let names = Names::read(&memory, output)?.in_view_of_optional(knower, None)?;
    let request = Summarize {
        session: names.optional_session(session)?,
        document: names.optional_entity(options.document.as_ref())?,
        knower: names.knower(),
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
        Some(name) => RecapAudience::Character(names.character(name)?),
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
            "  no line or fact of the session is known to all characters who were present".to_owned()
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
    if !session_recap.heading.is_empty() {
        output.line(&session_recap.heading)?;
    }
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
    if session_recap.recap.omitted_lines > 0 {
        let omitted = count(session_recap.recap.omitted_lines, "line is", "lines are");
        let log = args.campaign.command(&format!("session show {} --log", session_recap.session));
        output.note(format!("{omitted} left out: a larger number after --words adds lines, and `{log}` prints all"));
    }
    Ok(memory.close()?)
}
