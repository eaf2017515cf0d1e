//! `review`: lists the items that wait for the DM's decision, and records the decisions.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::Result;
use hearsay_belief::{dead_entity, is_dead};
use hearsay_commands::{
    reading::Draft,
    review::{Decision, Decisions, later_place, unrecorded_name, with_knowers},
    session::is_table_line,
};
use hearsay_engine::{Memory, ReadSnapshot, TextType, Written, real_time};
use hearsay_model::{
    Change, EntityId, Evidence, Fact, FactId, FactStatus, Factuality, Knower, Object, SessionId, State, attribute,
};
use hearsay_query::{
    contradictions::Clash,
    ids::require_fact,
    preview::{Preview, preview_applied, state_after},
    reveals::newly_fulfilled,
    review::{
        DecidedFact, ReviewItem, ReviewQueue, ReviewRow, SettledFact, SettledReason, decided_facts,
        is_extracted_name_or_kind, review_queue, review_rows,
    },
};
use serde::Serialize;
use serde_json::json;

use super::{
    edit::{EditOutput, print_changes},
    maintenance::format_duplicate,
};
use crate::{
    args::{self, DecisionArg},
    campaign::{self, Access},
    display_names::DisplayNames,
    dry_run::print_effects,
    facts::print_fact_line,
    interrupt,
    missed_lines::{line_noun, unheard_since},
    names::Names,
    output::{CliError, NOT_FOUND, Output, USAGE_ERROR, count},
    reveals::{print_with_revealable, print_with_reveals},
    speakers::quote,
    texts::EncoderUse,
};

/// JSON output of a decision.
#[derive(Serialize)]
struct DecisionOutput {
    #[serde(flatten)]
    result: EditOutput,
    /// The facts on which the operation decided, with their knowers.
    decided: Vec<DecidedFact>,
    /// The other facts of the command, on which nothing is left to decide.
    settled: Vec<SettledFact>,
}

/// JSON output of a decision in a dry run.
#[derive(Serialize)]
struct DecisionPreview {
    /// Always `None`, because a dry run writes no operation.
    written: Option<Written>,
    #[serde(flatten)]
    preview: Preview,
    /// The facts on which the operation would decide, with the knowers that they would have.
    decided: Vec<DecidedFact>,
    /// The other facts of the command, on which nothing is left to decide.
    settled: Vec<SettledFact>,
}

pub(crate) fn run(args: &args::Review, output: &mut Output) -> Result<()> {
    let is_edit = matches!(args.decision, Some(DecisionArg::Edit));
    if is_edit != (args.object.is_some() || args.statement.is_some()) {
        let message = if is_edit {
            "the decision `edit` needs --object or --statement"
        } else {
            "--object and --statement are allowed only with the decision `edit`"
        };
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    if is_edit && args.facts.len() > 1 {
        return Err(CliError::new(USAGE_ERROR, "the decision `edit` takes exactly one fact; name one fact").into());
    }
    if !args.known_by.is_empty() && !matches!(args.decision, Some(DecisionArg::Accept)) {
        return Err(CliError::new(USAGE_ERROR, "--known-by is allowed only with the decision `accept`").into());
    }
    let access = if args.decision.is_some() { Access::for_dry_run(args.dry_run) } else { Access::Read };
    let memory = campaign::open(&args.campaign, access, EncoderUse::Disabled, output)?;
    let unchanged = match args.decision {
        Some(decision) => decide_on(args, decision, &memory, output)?,
        None => {
            list(args, &memory, output)?;
            Unchanged::default()
        }
    };
    memory.close()?;
    let facts = |number: usize| count(number, "fact was", "facts were");
    let settled = (unchanged.settled > 0).then(|| {
        format!("{} not changed, because of an earlier decision: see `already` above", facts(unchanged.settled))
    });
    let outdated = (unchanged.outdated > 0).then(|| {
        format!("{} not changed, because of a later move: see `out of date` above", facts(unchanged.outdated))
    });
    let messages: Vec<String> = settled.into_iter().chain(outdated).collect();
    if !messages.is_empty() {
        return Err(CliError::new(1, messages.join("; ")).into());
    }
    Ok(())
}

/// Numbers of facts that a decision does not change.
#[derive(Default)]
struct Unchanged {
    /// Facts that an earlier decision settled in another way.
    settled: usize,
    /// Moves that still wait, because the character has moved to another place since.
    outdated: usize,
}

/// Decides on the facts that the command names. Returns the numbers of facts that do not change.
fn decide_on(args: &args::Review, decision: DecisionArg, memory: &Memory, output: &mut Output) -> Result<Unchanged> {
    let names = Names::read(memory, output)?;
    let (mut facts, mut settled) = names.undecided_facts(&args.facts)?;
    if let ([], [SettledFact { fact, reason: SettledReason::Rejected, .. }]) = (&facts[..], &settled[..])
        && matches!(decision, DecisionArg::Accept | DecisionArg::Edit)
    {
        facts = vec![*fact];
        settled = Vec::new();
    }
    let is_as_requested = |fact: &SettledFact| match fact.reason {
        SettledReason::Rejected | SettledReason::Retracted => matches!(decision, DecisionArg::Reject),
        SettledReason::EvidenceFor(_) => matches!(decision, DecisionArg::Accept),
    };
    if facts.is_empty() && !settled.is_empty() && settled.iter().all(is_as_requested) {
        output.data(&json!({ "written": null, "decided": [], "settled": settled }))?;
        output.line("Nothing is left to decide:")?;
        print_decided(&[], &settled, args.dry_run, &DisplayNames::read(memory)?, output)?;
        return Ok(Unchanged::default());
    }
    if facts.is_empty() && !settled.is_empty() {
        let settled: Vec<String> = settled.iter().map(format_settled).collect();
        return Err(CliError::new(1, format!("nothing is left to decide: {}", settled.join("; "))).into());
    }
    let knowers = names.characters(&args.known_by)?;
    let object = match (&args.object, &facts[..]) {
        (Some(object), [fact, ..]) => Some(names.replacement(*fact, object)?),
        _ => None,
    };
    drop(names);
    let decision = match decision {
        DecisionArg::Accept => Decision::Accept,
        DecisionArg::Edit => match (object, &args.statement, &facts[..]) {
            (None, Some(sentence), [fact, ..]) => correction_by(args, memory, *fact, sentence)?,
            (object, statement, _) => {
                Decision::Edit { subject: None, predicate: None, object, statement: statement.clone() }
            }
        },
        DecisionArg::False => Decision::False,
        DecisionArg::Reject => Decision::Reject,
    };
    let unchanged = settled.iter().filter(|fact| !is_as_requested(fact)).count();
    let decisions = Decisions { facts, decision, reason: args.reason.clone() };
    let outdated = decide(args, memory, decisions, knowers, settled, output)?;
    Ok(Unchanged { settled: unchanged, outdated })
}

/// Returns the number of facts that still wait for review, and that state a move of a character who has moved to another
/// place since.
fn outdated_moves(state: &State, facts: &[FactId]) -> usize {
    let waiting = facts.iter().filter_map(|id| state.fact(*id)).filter(|fact| fact.status() == FactStatus::Proposed);
    waiting.filter(|fact| later_place(state, fact).is_some()).count()
}

/// Describes a fact on which nothing is left to decide.
fn format_settled(settled: &SettledFact) -> String {
    let reason = match settled.reason {
        SettledReason::Rejected => "already rejected".to_owned(),
        SettledReason::Retracted => "already retracted".to_owned(),
        SettledReason::EvidenceFor(fact) => format!("already evidence for the accepted fact {}", fact.short()),
    };
    format!("{reason}: \u{201C}{}\u{201D} [{}]", settled.statement, settled.fact.short())
}

/// Returns the decision that a fact is true in the words of a sentence.
///
/// # Errors
/// Returns an error if the sentence is about an entity that is not recorded.
fn correction_by(args: &args::Review, memory: &Memory, fact: FactId, sentence: &str) -> Result<Decision> {
    let draft = Draft { text: sentence.to_owned(), form: TextType::Narration, ..Draft::default() };
    let extraction = interrupt::wait(&memory.draft(draft)?)?.extraction;
    let sentence = sentence.to_owned();
    let read = memory.read(move |world| {
        let fact = require_fact(&world.state, fact)?;
        let unrecorded = unrecorded_name(fact, &extraction).map(str::to_owned);
        Ok((Decision::corrected_by(&world.state, sentence, fact, &extraction.facts), unrecorded))
    })?;
    match read.wait()? {
        (decision, None) => Ok(decision),
        (_, Some(name)) => {
            let add = args.campaign.command(&format!("entity add {}", quote(&name)));
            let message = format!(
                "no entity is called `{name}`; to record a fact about it, first run `{add}`; otherwise, check the spelling, or \
                 write the sentence without the name"
            );
            Err(CliError::new(NOT_FOUND, message).into())
        }
    }
}

/// Records decisions, or shows their effects in a dry run. If `knowers` is not empty, only these characters know the
/// accepted facts. `settled` contains the facts on which nothing is left to decide. Returns the number of facts that are
/// moves [out of date](outdated_moves).
fn decide(
    args: &args::Review,
    memory: &Memory,
    decisions: Decisions,
    knowers: Vec<EntityId>,
    settled: Vec<SettledFact>,
    output: &mut Output,
) -> Result<usize> {
    let (dry_run, named_knowers, facts) = (args.dry_run, knowers.clone(), decisions.facts.clone());
    let is_rejection = decisions.decision == Decision::Reject;
    let is_edit = matches!(decisions.decision, Decision::Edit { .. });
    let corrected = move |changes: &[Change]| if is_edit { asserted_fact(changes) } else { None };
    let build_operation = move |world: &ReadSnapshot| {
        let operation = decisions.operation(&world.state, real_time())?;
        Ok(match &knowers[..] {
            [] => operation,
            knowers => with_knowers(&world.state, operation, knowers)?,
        })
    };
    if !dry_run {
        let given = facts.clone();
        let waiting = memory.read(move |world| Ok(waiting_deaths(&world.state, &given)))?.wait()?;
        let written = memory.write(build_operation)?.wait()?;
        let position = written.position;
        let read = memory.read(move |world| {
            let changes = world.state.entry(position).map_or(&[][..], |entry| &entry.operation.changes);
            Ok((decided_facts(&world.state, changes), outdated_moves(&world.state, &facts), corrected(changes)))
        })?;
        let (decided, outdated, corrected) = read.wait()?;
        let result = print_changes(memory, written, output)?;
        let names = DisplayNames::read(memory)?;
        print_corrected(corrected.as_deref(), dry_run, &names, output)?;
        print_decided(&decided, &settled, dry_run, &names, output)?;
        if is_rejection {
            note_rejected_with_name(args, &decided, &names, output);
        }
        note_missed_lines(args, names.state(), &waiting, output);
        drop(names);
        if !named_knowers.is_empty() {
            note_other_hearers(args, memory, &decided, named_knowers, output)?;
        }
        print_with_reveals(memory, DecisionOutput { result, decided, settled }, output)?;
        return Ok(outdated);
    }
    let read = memory.read_in_background(move |world| {
        let operation = build_operation(world)?;
        let after = state_after(&world.state, operation.clone())?;
        let decided = decided_facts(&after, &operation.changes);
        let revealable = newly_fulfilled(&world.state, &after);
        let outdated = outdated_moves(&after, &facts);
        let corrected = corrected(&operation.changes);
        Ok((preview_applied(&world.state, &after, operation), decided, revealable, outdated, corrected))
    })?;
    let (preview, decided, revealable, outdated, corrected) = read.wait()?;
    let names = DisplayNames::read(memory)?;
    output.line(format!("Dry run, nothing is changed: {}", preview.summary))?;
    print_effects(&preview, &names, output)?;
    print_corrected(corrected.as_deref(), dry_run, &names, output)?;
    print_decided(&decided, &settled, dry_run, &names, output)?;
    drop(names);
    print_with_revealable(revealable, DecisionPreview { written: None, preview, decided, settled }, output)?;
    Ok(outdated)
}

/// Prints the command that reopens one of the facts about a new entity that were rejected together with its name.
fn note_rejected_with_name(args: &args::Review, decided: &[DecidedFact], names: &DisplayNames, output: &Output) {
    let state = names.state();
    let is_statement = |row: &&DecidedFact| state.fact(row.fact).is_some_and(|fact| !is_extracted_name_or_kind(fact));
    let is_name = decided.first().is_some_and(|row| !is_statement(&row));
    let mut others = decided.iter().skip(1).filter(is_statement);
    if let Some(other) = others.next().filter(|_| is_name) {
        let reference = if others.next().is_some() { "FACT".to_owned() } else { other.fact.short() };
        let edit = args.campaign.command(&format!("review edit {reference} --statement \"\u{2026}\""));
        let accept = args.campaign.command(&format!("review accept {reference}"));
        output.note(format!(
            "the facts about the name are rejected too; to bring one back in other words: `{edit}`; to bring it back with \
             its name: `{accept}`"
        ));
    }
}

/// Prints the command with which a character hears the lines that it did not hear because of a death that is not its own.
/// `waiting` contains the [deaths](waiting_deaths) on which the DM decided.
fn note_missed_lines(args: &args::Review, state: &State, waiting: &[(EntityId, FactId)], output: &Output) {
    for (character, death) in waiting {
        let is_alive = !is_dead(state, character, state.clock());
        if let Some((session, lines)) = unheard_since(state, character, *death).filter(|_| is_alive) {
            let add = args.campaign.command(&format!("log --line {lines} --with {character} --session {session}"));
            let (name, noun) = (state.name_or_id(character), line_noun(&lines));
            output.note(format!("{name} is alive, but did not hear {noun} {lines}; if {name} was there: `{add}`"));
        }
    }
}

/// Returns the characters whose deaths wait for review, each with the given fact that states the death.
fn waiting_deaths(state: &State, facts: &[FactId]) -> Vec<(EntityId, FactId)> {
    let waiting = facts.iter().filter_map(|id| state.fact(*id)).filter(|fact| fact.status() == FactStatus::Proposed);
    waiting.filter_map(|fact| Some((dead_entity(state, fact)?.clone(), fact.id()))).collect()
}

/// Returns the first fact that an operation adds.
fn asserted_fact(changes: &[Change]) -> Option<Arc<Fact>> {
    changes.iter().find_map(|change| match change {
        Change::AssertFact(fact) => Some(Arc::clone(fact)),
        _ => None,
    })
}

/// Prints whether a corrected fact is a relation or an attribute, or only a sentence.
fn print_corrected(fact: Option<&Fact>, dry_run: bool, names: &DisplayNames, output: &mut Output) -> Result<()> {
    let Some(fact) = fact else { return Ok(()) };
    let verb = if dry_run { "will be recorded" } else { "recorded" };
    if *fact.predicate() == *attribute::LORE {
        return output.line(format!("  {verb} as a sentence; Hearsay took no relation from it"));
    }
    let object = match fact.object() {
        Object::Entity(id) => names.name(id),
        Object::Value(value) => value.to_string(),
    };
    output.line(format!("  {verb} as: {} {} {object}", names.name(fact.subject()), fact.predicate()))
}

/// Prints a note for each line that states an accepted fact and that characters other than the knowers heard. They no
/// longer know the fact, but they still know the words of the line.
fn note_other_hearers(
    args: &args::Review,
    memory: &Memory,
    decided: &[DecidedFact],
    knowers: Vec<EntityId>,
    output: &Output,
) -> Result<()> {
    let accepted = decided.iter().filter(|fact| fact.status == FactStatus::Canon);
    let facts: Vec<FactId> = accepted.map(|fact| fact.fact).collect();
    let lines = memory.read(move |world| Ok(other_hearers(&world.state, &facts, &knowers)))?.wait()?;
    let names = DisplayNames::read(memory)?;
    for ((session, line), hearers) in lines {
        let without: String = hearers.iter().map(|knower| format!(" --without {knower}")).collect();
        let command = args.campaign.command(&format!("log --line {line}{without} --session {session}"));
        let hearers = names.list_knowers(&hearers);
        output.note(format!(
            "the words of line {line} of `{session}` state the fact and are still known to: {hearers}. If they did not \
             hear the line, run `{command}`."
        ));
    }
    Ok(())
}

/// Returns the lines of sessions that state one of the facts, each with its hearers who are not among the knowers.
fn other_hearers(state: &State, facts: &[FactId], knowers: &[EntityId]) -> BTreeMap<(SessionId, u32), Vec<Knower>> {
    let evidence = facts.iter().filter_map(|id| state.fact(*id)).flat_map(|fact| &fact.provenance().evidence);
    let passages = evidence.filter_map(Evidence::passage).filter_map(|id| state.passage(id));
    let lines = passages.filter(|passage| is_table_line(passage) && !passage.is_out_of_character());
    let heard_lines = lines.filter_map(|passage| {
        let is_other = |knower: &&Knower| {
            let id = knower.entity();
            id.is_some_and(|id| !knowers.contains(id)) && id != passage.speaker.as_ref()
        };
        let hearers: Vec<Knower> = passage.heard_by.iter().filter(is_other).cloned().collect();
        let session = passage.session.clone().filter(|_| !hearers.is_empty())?;
        Some(((session, passage.line), hearers))
    });
    heard_lines.collect()
}

/// Prints who knows each accepted fact, and the other facts on which the operation decided. Also prints the facts on
/// which nothing is left to decide.
pub(crate) fn print_decided(
    decided: &[DecidedFact],
    settled: &[SettledFact],
    dry_run: bool,
    names: &DisplayNames,
    output: &mut Output,
) -> Result<()> {
    let known_to = if dry_run { "will be known to" } else { "known to" };
    let is_single = decided.iter().filter(|fact| fact.status == FactStatus::Canon).count() == 1;
    for (number, fact) in decided.iter().enumerate() {
        let statement = format!("\u{201C}{}\u{201D} [{}]", fact.statement, fact.fact.short());
        let of_fact = if is_single { String::new() } else { format!(": {statement}") };
        match fact.status {
            FactStatus::Canon if fact.known_to.is_empty() => {
                output.line(format!("  nobody learns it; it is canon{of_fact}"))?;
            }
            FactStatus::Canon => {
                output.line(format!("  {known_to}: {}{of_fact}", names.list_knowers(&fact.known_to)))?;
            }
            status if number > 0 => output.line(format!("  also {status}: {statement}"))?,
            _ => {}
        }
    }
    settled.iter().try_for_each(|fact| output.line(format!("  {}", format_settled(fact))))
}

/// Lists the items in the review queue and, if the user asks for more, the items that triage holds back.
fn list(args: &args::Review, memory: &Memory, output: &mut Output) -> Result<()> {
    let (limit, lists_held_back) = (args.limit, args.more);
    let settings = memory.settings().review;
    let duplicates = interrupt::wait(&memory.duplicates()?)?;
    let read = memory.read_in_background(move |world| {
        let ReviewQueue { queued: mut items, held_back } = review_queue(&world.state, settings);
        items.extend(duplicates.into_iter().map(ReviewItem::Duplicate));
        let (queue_len, held_back_count) = (items.len(), held_back.len());
        if lists_held_back {
            items.extend(held_back);
        }
        let total = items.len();
        let rows = review_rows(&world.state, &world.learned, items.into_iter().take(limit));
        Ok((rows, total, queue_len, held_back_count))
    })?;
    let (rows, total, queue_len, held_back) = read.wait()?;
    output.data(&json!({ "items": rows, "all": total, "held_back": held_back }))?;
    if rows.is_empty() {
        output.line("Nothing waits for review.")?;
    }
    for (index, row) in rows.iter().enumerate() {
        if index == queue_len {
            output.line("Held back:")?;
        }
        print_row(row, args.verbose, output)?;
    }
    if !rows.is_empty() {
        output.line(format!("Decide: {}", args.campaign.command("review accept|edit|false|reject FACT…")))?;
    }
    output.omitted(rows.len(), total)?;
    if held_back > 0 && !lists_held_back {
        let items = count(held_back, "less certain item is", "less certain items are");
        output.line(format!("{items} held back; to list them: {}", args.campaign.command("review --more")))?;
    }
    Ok(())
}

fn print_row(row: &ReviewRow, verbose: bool, output: &mut Output) -> Result<()> {
    match &row.item {
        ReviewItem::Doubtful { .. } => output.line(format!("Doubtful, {}:", format_doubt(row, verbose)))?,
        ReviewItem::Contradiction { subject, clash, .. } => {
            let topic = match clash {
                Clash::OneAtATime(predicate) => format!("{subject} {predicate}"),
                Clash::Opposites(object) => format!("{subject} and {object}"),
                Clash::Refuted(fact) => format!("{subject}: others deny {}", fact.short()),
            };
            output.line(format!("Contradiction ({topic}):"))?;
        }
        ReviewItem::Duplicate(duplicate) => {
            output.line("Possible duplicates (`entity merge`, or `entity duplicates not-the-same`):")?;
            output.line(format!("  {}", format_duplicate(duplicate)))?;
        }
    }
    for fact in &row.in_full {
        print_fact_line("  ", fact, output)?;
    }
    Ok(())
}

/// Formats the confidence of a proposal. With `verbose`, adds the stage that found the fact and the reasons why the
/// confidence was adjusted.
fn format_doubt(row: &ReviewRow, verbose: bool) -> String {
    let Some(fact) = row.in_full.first() else { return "unknown confidence".to_owned() };
    let mut text = format!("confidence {:.2}", fact.confidence);
    if let Some(extracted) = fact.extracted.filter(|_| verbose) {
        text = format!("{text} ({extracted:.2} before calibration)");
    }
    if fact.factuality != Factuality::Asserted {
        text = format!("{text}, {}", fact.factuality);
    }
    if !verbose {
        return text;
    }
    if let Some(stage) = fact.stage {
        text = format!("{text}, found by {stage}");
    }
    for reason in &row.trust {
        let counts = reason.counts;
        text = format!(
            "{text}, {}: you confirmed {} of {} facts",
            reason.trust,
            counts.confirmed,
            counts.confirmed + counts.rejected
        );
    }
    if let Some(lift) = row.lift {
        text = format!("{text}, similar to {}, which you confirmed (+{:.2})", lift.like.short(), lift.by);
    }
    text
}
