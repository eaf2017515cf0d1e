//! The `event` commands, `know forget` and `fact retract`, through which characters gain or lose knowledge.

mod new_facts;

use anyhow::{Context, Result};
use hearsay_commands::{
    fact_matching::{FactMatch, SpokenLine},
    game_event::{Circumstances, GameEvent, Hearers, Retelling, Stated},
    retcon::Retcon,
};
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Written, real_time};
use hearsay_model::{Author, EntityId, Object, Operation};
use hearsay_query::preview::Preview;
use serde::Serialize;

use super::check_reply;
use crate::{
    args::{self, Campaign, NewFact},
    display_names::DisplayNames,
    dry_run::{WriteContext, print_effects},
    interrupt,
    names::Names,
    output::Output,
    reveals::print_with_reveals,
    stated_facts::{LineFacts, recognize, repeated_confirmation},
    texts::{self, ExtractionReport},
};

/// JSON output of a command. The output of its dry run has the same fields.
#[derive(Serialize)]
struct EventOutput {
    /// Operation that was written; `None` in a dry run.
    written: Option<Written>,
    #[serde(flatten)]
    preview: Preview,
    /// Characters that heard or saw the event, or that read the document, without the speaker. Not present if the
    /// operation is not an event that others perceive.
    #[serde(skip_serializing_if = "Option::is_none")]
    heard_by: Option<Vec<EntityId>>,
    /// Recorded facts that a spoken line states or may state. Not present if the operation adds no spoken line.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    facts: Option<LineFacts>,
    /// Outcome of extracting facts from texts, if extraction ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<ExtractionReport>,
}

fn circumstances(args: &args::Circumstances, names: &Names) -> Result<Circumstances> {
    Ok(Circumstances {
        place: names.optional_place(args.at.as_ref())?,
        time: args.time.clone(),
        session: names.optional_session(args.session.as_ref())?,
    })
}

/// Returns the recorded facts named on the command line, followed by the new facts.
fn stated_facts(recorded: &[String], new: &NewFact, names: &Names) -> Result<Vec<Stated>> {
    let mut stated_facts: Vec<Stated> = names.facts(recorded)?.into_iter().map(Stated::Recorded).collect();
    for pair in new.about.chunks_exact(2) {
        stated_facts.push(Stated::Lore { about: names.entity(&pair[0])?, text: pair[1].clone() });
    }
    for parts in new.that.chunks_exact(3) {
        stated_facts.push(Stated::Parts {
            subject: names.entity(&parts[0])?,
            predicate: parts[1].clone(),
            object: names.object(&parts[1], &parts[2])?,
            statement: None,
        });
    }
    Ok(stated_facts)
}

/// Returns the single fact that the command line names or creates.
fn single_fact(recorded: Option<&String>, new: &NewFact, names: &Names) -> Result<Stated> {
    let recorded: Vec<String> = recorded.into_iter().cloned().collect();
    stated_facts(&recorded, new, names)?
        .into_iter()
        .next()
        .context("no fact is given; name a recorded fact, or describe a new fact with --about or --that")
}

/// Returns the object that a teller states instead of the object of a fact.
fn retold_object(stated: &Stated, object: &str, names: &Names) -> Result<Object> {
    match stated {
        Stated::Recorded(fact) => names.replacement(*fact, object),
        Stated::Lore { .. } => Ok(Object::Value(object.into())),
        Stated::Parts { predicate, .. } => names.object(predicate, object),
    }
}

fn record_event(
    context: WriteContext,
    game_event: impl FnOnce(&Names) -> Result<GameEvent>,
    output: &mut Output,
) -> Result<()> {
    let memory = context.open_for_recording(output)?;
    let game_event = game_event(&Names::read(&memory, output)?)?;
    write_event(memory, context, game_event, None, output)
}

/// Writes an event, or shows its effects in a dry run. `facts` contains the recorded facts that were recognized in a
/// spoken line.
fn write_event(
    memory: Memory,
    context: WriteContext,
    game_event: GameEvent,
    facts: Option<LineFacts>,
    output: &mut Output,
) -> Result<()> {
    let game_event = interrupt::wait(&memory.find_deeds(game_event)?)?;
    new_facts::note_new_relations(&memory, &game_event, output)?;
    let audience = match perception(&game_event) {
        Some(perception) => {
            let planned_event = game_event.clone();
            let plan = memory.read(move |world| Ok(planned_event.plan(&world.state, Author::Dm, real_time())?))?;
            let speaker = match &game_event {
                GameEvent::Say { speaker, .. } => Some(speaker.id.clone()),
                _ => None,
            };
            Some(Audience { perception, speaker, characters: plan.wait()?.heard_by })
        }
        None => None,
    };
    let build_operation =
        move |world: &ReadSnapshot| Ok(game_event.operation(&world.state, Author::Dm, real_time())?);
    write_with_effects(memory, context, (audience, facts), build_operation, output)
}

/// The characters that perceive an event.
struct Audience {
    /// How they perceive the event: "heard by", "seen by" or "read by".
    perception: &'static str,
    /// The character who says a line; `None` for other events.
    speaker: Option<EntityId>,
    /// The characters, sorted.
    characters: Vec<EntityId>,
}

/// Returns how others perceive an event; `None` if they do not perceive it.
fn perception(game_event: &GameEvent) -> Option<&'static str> {
    match game_event {
        GameEvent::Witness { .. } | GameEvent::Refute { teller: None, .. } => Some("seen by"),
        GameEvent::Say { .. } | GameEvent::Tell { .. } | GameEvent::Refute { .. } | GameEvent::Reveal { .. } => {
            Some("heard by")
        }
        GameEvent::Read { .. } => Some("read by"),
        GameEvent::Deduce { .. } | GameEvent::Forget { .. } => None,
    }
}

fn print_audience(audience: Option<&Audience>, names: &DisplayNames, output: &mut Output) -> Result<()> {
    let Some(Audience { perception, characters, .. }) = audience else { return Ok(()) };
    output.line(format!("  {perception}: {}", names.list(characters)))
}

/// Returns how the DM confirms that a line states a fact. `recorded` contains the hearers of the line; `None` if the line is
/// not recorded.
fn confirmation(campaign: &Campaign, recorded: Option<&Audience>, fact: &FactMatch) -> String {
    match recorded {
        Some(Audience { speaker: Some(speaker), characters, .. }) if !characters.is_empty() => {
            let lie = if fact.lie { " --lie" } else { "" };
            let hearers: String = characters.iter().map(|id| format!(" --to {id}")).collect();
            let command = campaign.command(&format!("event tell --by {speaker}{lie} {}{hearers}", fact.reference()));
            format!("run `{command}`")
        }
        _ => repeated_confirmation(fact),
    }
}

/// Commits an operation, prints its audience, the facts of a spoken line and the effects on knowledge, and closes the
/// memory. In a dry run, prints the same without committing the operation.
fn write_with_effects(
    memory: Memory,
    context: WriteContext,
    (audience, mut facts): (Option<Audience>, Option<LineFacts>),
    build_operation: impl FnMut(&ReadSnapshot) -> Result<Operation, MemoryError> + Clone + Send + 'static,
    output: &mut Output,
) -> Result<()> {
    let preview = memory.preview(build_operation.clone())?.wait()?;
    let (mut written, mut found) = (None, None);
    if context.dry_run {
        output.line(format!("Dry run, nothing is changed: {}", preview.summary))?;
    } else {
        let operation = memory.write(build_operation)?.wait()?;
        output.line(format!("{} (operation {})", operation.summary, operation.position))?;
        written = Some(operation);
    }
    let names = DisplayNames::read(&memory)?;
    print_audience(audience.as_ref(), &names, output)?;
    if let Some(facts) = &mut facts {
        facts.set_learned_by(&preview);
        let recorded = audience.as_ref().filter(|_| written.is_some());
        facts.print(&names, |fact| confirmation(context.campaign, recorded, fact), output)?;
    }
    print_effects(&preview, &names, output)?;
    drop(names);
    if !context.dry_run {
        // Extracts facts from a spoken line, as from a line of a session log.
        found = texts::extract_new_texts(&memory, &context.campaign.campaign, output)?;
    }
    let heard_by = audience.map(|audience| audience.characters);
    print_with_reveals(&memory, EventOutput { written, preview, heard_by, facts, found }, output)?;
    Ok(memory.close()?)
}

pub(crate) fn witness(args: &args::Witness, output: &mut Output) -> Result<()> {
    let game_event = |names: &Names| {
        Ok(GameEvent::Witness {
            facts: stated_facts(&args.facts, &args.new, names)?,
            witnesses: Hearers::listed_or_at_place(names.characters(&args.by)?),
            circumstances: circumstances(&args.circumstances, names)?,
        })
    };
    record_event(WriteContext::new(&args.campaign, args.circumstances.dry_run), game_event, output)
}

pub(crate) fn say(args: &args::Say, output: &mut Output) -> Result<()> {
    if args.check {
        return check_reply::check(args, output);
    }
    let context = WriteContext::new(&args.campaign, args.circumstances.dry_run);
    // Facts on the command line say completely what the line states.
    let is_matched = args.states.is_empty() && args.new.is_empty();
    let memory = match is_matched {
        true => context.open_for_speech(output)?,
        false => context.open_for_recording(output)?,
    };
    let names = Names::read(&memory, output)?;
    let speaker = names.speaker(&args.speaker)?;
    let mut states = stated_facts(&args.states, &args.new, &names)?;
    let hearers = Hearers::listed_or_at_place(names.characters(&args.to)?);
    let circumstances = circumstances(&args.circumstances, &names)?;
    drop(names);
    let (text, lie) = (args.text.clone(), args.lie);
    let mut facts = None;
    if is_matched {
        let time = circumstances.time.clone();
        let line = SpokenLine { lie, time, ..SpokenLine::new(speaker.id.clone(), text.clone()) };
        let recognized = recognize(&memory, line, output)?;
        states.extend(recognized.ids().into_iter().map(Stated::Recorded));
        facts = Some(recognized);
    }
    let game_event = GameEvent::Say { speaker, text, states, hearers, lie, circumstances };
    write_event(memory, context, game_event, facts, output)
}

pub(crate) fn tell_others(args: &args::Tell, output: &mut Output) -> Result<()> {
    let is_retold = args.retold.is_some() || args.retold_object.is_some();
    let game_event = |names: &Names| {
        if let Some(secret) = args.fact.as_ref().filter(|_| args.openly) {
            return Ok(GameEvent::Reveal {
                holder: names.speaker(&args.teller)?,
                fact: names.fact(secret)?,
                to: Hearers::listed_or_at_place(names.characters(&args.to)?),
                openly: true,
                circumstances: circumstances(&args.circumstances, names)?,
            });
        }
        let fact = single_fact(args.fact.as_ref(), &args.new, names)?;
        let object = args.retold_object.as_ref().map(|object| retold_object(&fact, object, names)).transpose()?;
        Ok(GameEvent::Tell {
            teller: names.speaker(&args.teller)?,
            fact,
            hearers: Hearers::listed_or_at_place(names.characters(&args.to)?),
            retold: is_retold.then(|| Retelling { statement: args.retold.clone(), object }),
            lie: args.lie,
            citing: names.optional_entity(args.citing.as_ref())?,
            credence: args.credence,
            circumstances: circumstances(&args.circumstances, names)?,
        })
    };
    record_event(WriteContext::new(&args.campaign, args.circumstances.dry_run), game_event, output)
}

pub(crate) fn read(args: &args::Read, output: &mut Output) -> Result<()> {
    let game_event = |names: &Names| {
        Ok(GameEvent::Read {
            document: names.entity(&args.document)?,
            readers: names.characters(&args.by)?,
            credence: args.credence,
            circumstances: circumstances(&args.circumstances, names)?,
        })
    };
    record_event(WriteContext::new(&args.campaign, args.circumstances.dry_run), game_event, output)
}

pub(crate) fn deduce(args: &args::Deduce, output: &mut Output) -> Result<()> {
    let game_event = |names: &Names| {
        Ok(GameEvent::Deduce {
            knower: names.character(&args.character)?,
            conclusion: single_fact(args.fact.as_ref(), &args.new, names)?,
            from: names.facts(&args.from)?,
            certainty: args.certainty,
            circumstances: circumstances(&args.circumstances, names)?,
        })
    };
    record_event(WriteContext::new(&args.campaign, args.circumstances.dry_run), game_event, output)
}

pub(crate) fn refute(args: &args::Refute, output: &mut Output) -> Result<()> {
    let hearers = if args.teller.is_some() { &args.to } else { &args.seen_by };
    let game_event = |names: &Names| {
        Ok(GameEvent::Refute {
            fact: names.fact(&args.fact)?,
            statement: args.statement.clone(),
            teller: names.optional_speaker(args.teller.as_ref())?,
            hearers: Hearers::listed_or_at_place(names.characters(hearers)?),
            credence: args.credence,
            circumstances: circumstances(&args.circumstances, names)?,
        })
    };
    record_event(WriteContext::new(&args.campaign, args.circumstances.dry_run), game_event, output)
}

pub(crate) fn forget(args: &args::Forget, output: &mut Output) -> Result<()> {
    let game_event = |names: &Names| {
        Ok(GameEvent::Forget { knower: names.character(&args.character)?, fact: names.fact(&args.fact)? })
    };
    record_event(WriteContext::new(&args.campaign, args.dry_run), game_event, output)
}

pub(crate) fn retcon(args: &args::Retcon, output: &mut Output) -> Result<()> {
    let context = WriteContext::new(&args.campaign, args.dry_run);
    let memory = context.open_for_recording(output)?;
    let fact = Names::read(&memory, output)?.fact(&args.fact)?;
    let retcon = match args.kind.until.clone() {
        Some(until) => Retcon::Until { fact, until },
        None => Retcon::Retract { fact },
    };
    let build_operation = move |world: &ReadSnapshot| Ok(retcon.operation(&world.state, Author::Dm, real_time())?);
    write_with_effects(memory, context, (None, None), build_operation, output)
}
