//! The `event` commands, `know forget` and `fact retract`, through which characters gain or lose knowledge.

use anyhow::Result;
use hearsay_commands::{
    game_event::{Circumstances, GameEvent, Retelling, Stated},
    proposal::Proposed,
    retcon::Retcon,
};
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Ticket, Written};
use hearsay_model::{Author, Knower, Operation, Timestamp};
use hearsay_query::preview::Preview;
use serde::Serialize;

use crate::{
    args::{self, Campaign, NewFact},
    campaign::{self, Access},
    facts::fact_line,
    output::Output,
    reveals::tell_with_reveals,
    texts,
};

/// JSON output of a command, or of its dry run.
#[derive(Serialize)]
struct Told {
    /// Operation that was written; `None` for a dry run.
    written: Option<Written>,
    #[serde(flatten)]
    preview: Preview,
    /// Counts of the facts extracted from texts, if extraction ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Proposed>,
}

fn circumstances(args: &args::Circumstances) -> Circumstances {
    Circumstances { place: args.at.clone(), time: args.time.clone(), session: args.session.clone() }
}

/// Returns the recorded facts named on the command line, followed by the new facts.
fn stated(recorded: &[String], new: &NewFact) -> Vec<Stated> {
    let mut stated: Vec<Stated> = recorded.iter().cloned().map(Stated::Recorded).collect();
    stated.extend(new.about.chunks_exact(2).map(|pair| Stated::Lore { about: pair[0].clone(), text: pair[1].clone() }));
    stated.extend(new.that.chunks_exact(3).map(|parts| Stated::Parts {
        subject: parts[0].clone(),
        predicate: parts[1].clone(),
        object: parts[2].clone(),
        statement: None,
    }));
    stated
}

/// Returns the single fact that the command line names or creates.
fn one(recorded: Option<&String>, new: &NewFact) -> Stated {
    let recorded: Vec<String> = recorded.into_iter().cloned().collect();
    stated(&recorded, new).into_iter().next().unwrap_or_else(|| Stated::Recorded(String::new()))
}

fn happen(campaign: &Campaign, dry_run: bool, game_event: GameEvent, output: &mut Output) -> Result<()> {
    let again = game_event.clone();
    let make = move |world: &ReadSnapshot| Ok(again.operation(&world.state, Author::Dm, Timestamp::default())?);
    carry_out(campaign, dry_run, output, make, move |memory| memory.learn(Author::Dm, game_event))
}

/// Prints the effects of an operation, and commits it unless this is a dry run.
fn carry_out(
    campaign: &Campaign,
    dry_run: bool,
    output: &mut Output,
    make: impl FnOnce(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + 'static,
    write: impl FnOnce(&Memory) -> Result<Ticket<Written>, MemoryError>,
) -> Result<()> {
    let memory = campaign::open_to_record(campaign, Access::of_dry_run(dry_run), output)?;
    let preview = memory.preview(make)?.wait()?;
    let written = if dry_run { None } else { Some(write(&memory)?.wait()?) };
    match &written {
        Some(written) => output.line(format!("{} (operation {})", written.summary, written.position))?,
        None => output.line(format!("Dry run, nothing is changed: {}", preview.summary))?,
    }
    tell(&preview, output)?;
    // Extracts facts from a spoken line, as from a line of a session log.
    let found = match &written {
        Some(_) => texts::read_new_texts(&memory, &campaign.campaign, output)?,
        None => None,
    };
    tell_with_reveals(&memory, Told { written, preview, found }, output)?;
    Ok(memory.close()?)
}

fn who(knower: &Knower) -> &str {
    if *knower == Knower::World { "everybody" } else { knower.as_str() }
}

fn tell(preview: &Preview, output: &mut Output) -> Result<()> {
    for fact in &preview.facts {
        fact_line("  new: ", fact, output)?;
    }
    // If there is only one fact, the line above already states it.
    let first = preview.lessons.first().map(|lesson| lesson.fact);
    let one = preview.lessons.iter().all(|lesson| Some(lesson.fact) == first);
    for lesson in &preview.lessons {
        let before = match lesson.before {
            Some(before) => format!(", before {before:.2}"),
            None => ", did not know it before".to_owned(),
        };
        let what = if one { String::new() } else { format!("  {} [{}]", lesson.statement, lesson.fact.short()) };
        let acquisition = format!("{}, credence {:.2}{before}", lesson.acquisition, lesson.credence);
        output.line(format!("  {}: {acquisition}{what}", who(&lesson.knower)))?;
    }
    for loss in &preview.lost {
        let still = if loss.still_knows { ", but knows it from another source" } else { "" };
        let what = format!("{} [{}]", loss.statement, loss.fact.short());
        output.line(format!("  loses the fact: {} ({}){still}: {what}", who(&loss.knower), loss.acquisition))?;
    }
    for moved in &preview.moved {
        let what = format!("{} [{}]", moved.statement, moved.fact.short());
        output.line(format!(
            "  credence of {}: {:.2} \u{2192} {:.2}: {what}",
            who(&moved.knower),
            moved.before,
            moved.after
        ))?;
    }
    for believer in &preview.still {
        let what = format!("{} [{}]", believer.statement, believer.fact.short());
        output.line(format!("  still believes it: {} ({:.2}): {what}", who(&believer.knower), believer.credence))?;
    }
    Ok(())
}

pub(crate) fn witness(args: &args::Witness, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Witness {
        facts: stated(&args.facts, &args.new),
        witnesses: args.by.clone(),
        circumstances: circumstances(&args.circumstances),
    };
    happen(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn say(args: &args::Say, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Say {
        speaker: args.speaker.clone(),
        text: args.text.clone(),
        states: stated(&args.states, &args.new),
        hearers: args.to.clone(),
        lie: args.lie,
        circumstances: circumstances(&args.circumstances),
    };
    happen(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn tell_others(args: &args::Tell, output: &mut Output) -> Result<()> {
    let retells = args.retold.is_some() || args.retold_object.is_some();
    let game_event = GameEvent::Tell {
        teller: args.teller.clone(),
        fact: one(args.fact.as_ref(), &args.new),
        hearers: args.to.clone(),
        retold: retells.then(|| Retelling { statement: args.retold.clone(), object: args.retold_object.clone() }),
        lie: args.lie,
        citing: args.citing.clone(),
        credence: args.credence,
        circumstances: circumstances(&args.circumstances),
    };
    happen(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn read(args: &args::Read, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Read {
        document: args.document.clone(),
        readers: args.by.clone(),
        credence: args.credence,
        circumstances: circumstances(&args.circumstances),
    };
    happen(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn deduce(args: &args::Deduce, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Deduce {
        knower: args.who.clone(),
        conclusion: one(args.fact.as_ref(), &args.new),
        from: args.from.clone(),
        certainty: args.certainty,
        circumstances: circumstances(&args.circumstances),
    };
    happen(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn refute(args: &args::Refute, output: &mut Output) -> Result<()> {
    let hearers = if args.teller.is_some() { &args.to } else { &args.seen_by };
    let game_event = GameEvent::Refute {
        fact: args.fact.clone(),
        statement: args.statement.clone(),
        teller: args.teller.clone(),
        hearers: hearers.clone(),
        credence: args.credence,
        circumstances: circumstances(&args.circumstances),
    };
    happen(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn reveal(args: &args::Reveal, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Reveal {
        holder: args.holder.clone(),
        fact: args.fact.clone(),
        to: args.to.clone(),
        openly: args.openly,
        circumstances: circumstances(&args.circumstances),
    };
    happen(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn forget(args: &args::Forget, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Forget { knower: args.who.clone(), fact: args.fact.clone() };
    happen(&args.campaign, args.dry_run, game_event, output)
}

pub(crate) fn retcon(args: &args::Retcon, output: &mut Output) -> Result<()> {
    let fact = args.fact.clone();
    let retcon = match args.acquisition.until.clone() {
        Some(until) => Retcon::Until { fact, until },
        None => Retcon::NeverSo { fact },
    };
    let again = retcon.clone();
    let make = move |world: &ReadSnapshot| Ok(again.operation(&world.state, Author::Dm, Timestamp::default())?);
    carry_out(&args.campaign, args.dry_run, output, make, move |memory| memory.retcon(retcon))
}
