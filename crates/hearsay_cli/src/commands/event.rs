//! The `event` commands, `know forget` and `fact retract`, through which characters gain or lose knowledge.

use anyhow::Result;
use hearsay_commands::{
    game_event::{Circumstances, GameEvent, Retelling, Stated},
    retcon::Retcon,
};
use hearsay_engine::{MemoryError, ReadSnapshot, Written, real_time};
use hearsay_model::{Author, Operation};
use hearsay_query::preview::Preview;
use serde::Serialize;

use crate::{
    args::{self, Campaign, NewFact},
    campaign::{self, Access},
    dry_run::{print_dry_run, print_effects},
    output::Output,
    reveals::print_with_reveals,
    texts::{self, ExtractionReport},
};

/// JSON output of a command. The output of its dry run has the same fields.
#[derive(Serialize)]
struct EventOutput {
    /// Operation that was written.
    written: Written,
    #[serde(flatten)]
    preview: Preview,
    /// Outcome of extracting facts from texts, if extraction ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<ExtractionReport>,
}

fn circumstances(args: &args::Circumstances) -> Circumstances {
    Circumstances { place: args.at.clone(), time: args.time.clone(), session: args.session.clone() }
}

/// Returns the recorded facts named on the command line, followed by the new facts.
fn stated_facts(recorded: &[String], new: &NewFact) -> Vec<Stated> {
    let mut stated_facts: Vec<Stated> = recorded.iter().cloned().map(Stated::Recorded).collect();
    stated_facts
        .extend(new.about.chunks_exact(2).map(|pair| Stated::Lore { about: pair[0].clone(), text: pair[1].clone() }));
    stated_facts.extend(new.that.chunks_exact(3).map(|parts| Stated::Parts {
        subject: parts[0].clone(),
        predicate: parts[1].clone(),
        object: parts[2].clone(),
        statement: None,
    }));
    stated_facts
}

/// Returns the single fact that the command line names or creates.
fn single_fact(recorded: Option<&String>, new: &NewFact) -> Stated {
    let recorded: Vec<String> = recorded.into_iter().cloned().collect();
    stated_facts(&recorded, new).into_iter().next().unwrap_or_else(|| Stated::Recorded(String::new()))
}

fn record_event(campaign: &Campaign, dry_run: bool, game_event: GameEvent, output: &mut Output) -> Result<()> {
    let build_operation =
        move |world: &ReadSnapshot| Ok(game_event.operation(&world.state, Author::Dm, real_time())?);
    write_with_effects(campaign, dry_run, build_operation, output)
}

/// Commits an operation, and prints its effects on knowledge. In a dry run, only prints the effects.
fn write_with_effects(
    campaign: &Campaign,
    dry_run: bool,
    build_operation: impl FnMut(&ReadSnapshot) -> Result<Operation, MemoryError> + Clone + Send + 'static,
    output: &mut Output,
) -> Result<()> {
    let memory = campaign::open_for_recording(campaign, Access::for_dry_run(dry_run), output)?;
    if dry_run {
        print_dry_run(&memory, build_operation, output)?;
        return Ok(memory.close()?);
    }
    let preview = memory.preview(build_operation.clone())?.wait()?;
    let written = memory.write(build_operation)?.wait()?;
    output.line(format!("{} (operation {})", written.summary, written.position))?;
    print_effects(&preview, output)?;
    // Extracts facts from a spoken line, as from a line of a session log.
    let found = texts::extract_new_texts(&memory, &campaign.campaign, output)?;
    print_with_reveals(&memory, EventOutput { written, preview, found }, output)?;
    Ok(memory.close()?)
}

pub(crate) fn witness(args: &args::Witness, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Witness {
        facts: stated_facts(&args.facts, &args.new),
        witnesses: args.by.clone(),
        circumstances: circumstances(&args.circumstances),
    };
    record_event(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn say(args: &args::Say, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Say {
        speaker: args.speaker.clone(),
        text: args.text.clone(),
        states: stated_facts(&args.states, &args.new),
        hearers: args.to.clone(),
        lie: args.lie,
        circumstances: circumstances(&args.circumstances),
    };
    record_event(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn tell_others(args: &args::Tell, output: &mut Output) -> Result<()> {
    let is_retold = args.retold.is_some() || args.retold_object.is_some();
    let game_event = GameEvent::Tell {
        teller: args.teller.clone(),
        fact: single_fact(args.fact.as_ref(), &args.new),
        hearers: args.to.clone(),
        retold: is_retold.then(|| Retelling { statement: args.retold.clone(), object: args.retold_object.clone() }),
        lie: args.lie,
        citing: args.citing.clone(),
        credence: args.credence,
        circumstances: circumstances(&args.circumstances),
    };
    record_event(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn read(args: &args::Read, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Read {
        document: args.document.clone(),
        readers: args.by.clone(),
        credence: args.credence,
        circumstances: circumstances(&args.circumstances),
    };
    record_event(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn deduce(args: &args::Deduce, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Deduce {
        knower: args.character.clone(),
        conclusion: single_fact(args.fact.as_ref(), &args.new),
        from: args.from.clone(),
        certainty: args.certainty,
        circumstances: circumstances(&args.circumstances),
    };
    record_event(&args.campaign, args.circumstances.dry_run, game_event, output)
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
    record_event(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn reveal(args: &args::Reveal, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Reveal {
        holder: args.holder.clone(),
        fact: args.fact.clone(),
        to: args.to.clone(),
        openly: args.openly,
        circumstances: circumstances(&args.circumstances),
    };
    record_event(&args.campaign, args.circumstances.dry_run, game_event, output)
}

pub(crate) fn forget(args: &args::Forget, output: &mut Output) -> Result<()> {
    let game_event = GameEvent::Forget { knower: args.character.clone(), fact: args.fact.clone() };
    record_event(&args.campaign, args.dry_run, game_event, output)
}

pub(crate) fn retcon(args: &args::Retcon, output: &mut Output) -> Result<()> {
    let fact = args.fact.clone();
    let retcon = match args.kind.until.clone() {
        Some(until) => Retcon::Until { fact, until },
        None => Retcon::Retract { fact },
    };
    let build_operation = move |world: &ReadSnapshot| Ok(retcon.operation(&world.state, Author::Dm, real_time())?);
    write_with_effects(&args.campaign, args.dry_run, build_operation, output)
}
