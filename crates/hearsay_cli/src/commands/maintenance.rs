//! `trust`, `entity duplicates`, `entity merge`, `entity split`, `fact prune` and `db health`: commands that maintain
//! the campaign.

use std::sync::Arc;

use anyhow::{Result, bail};
use hearsay_commands::{
    merge::MergePlan,
    prune::{Prune, PrunePlan},
    teach::Teach,
};
use hearsay_engine::{Memory, ReadSnapshot, Written, real_time};
use hearsay_model::{Fact, FactStatus};
use hearsay_query::{
    duplicates::{Duplicate, DuplicateCertainty, fact_duplicates},
    health::Health,
    trust::{DecisionCounts, TrustCategory, Verdict, decisions},
};
use serde::Serialize;
use serde_json::json;

use crate::{
    args::{self, DuplicatesDecision, TrustAction},
    campaign::{self, Access},
    dry_run::{self, write_or_preview},
    interrupt,
    names::Names,
    output::{CliError, Output, USAGE_ERROR, count},
    style::Line,
    texts::{self, EncoderUse},
};

/// Learned trust in one source, predicate or extraction method.
#[derive(Serialize)]
struct TrustRow {
    trust: TrustCategory,
    #[serde(flatten)]
    counts: DecisionCounts,
    /// Adjusted confidence of a proposal with a confidence of 0.5, if only this trust is applied.
    calibrated_half: f64,
}

impl TrustRow {
    fn new(trust: &TrustCategory, counts: DecisionCounts) -> Self {
        // A proposal has three counts: for its source, its predicate and its extraction method. Half of the shift of
        // each count is applied to the confidence of the proposal.
        let odds = (counts.shift() / 2.0).clamp(-1.0, 1.0).exp();
        Self { trust: trust.clone(), counts, calibrated_half: (odds / (1.0 + odds) * 1e4).round() / 1e4 }
    }
}

pub(crate) fn trust(args: &args::Trust, output: &mut Output) -> Result<()> {
    let access = match args.action {
        TrustAction::Status | TrustAction::History => Access::Read,
        TrustAction::On | TrustAction::Off | TrustAction::Reset => Access::for_dry_run(args.dry_run),
    };
    let memory = campaign::open(&args.campaign, access, EncoderUse::Disabled, output)?;
    match args.action {
        TrustAction::Status => print_trust(&memory, args.limit, output)?,
        TrustAction::History => print_decisions(&memory, args.limit, output)?,
        TrustAction::On => teach(&memory, args.dry_run, Teach::On, output)?,
        TrustAction::Off => teach(&memory, args.dry_run, Teach::Off, output)?,
        TrustAction::Reset => teach(&memory, args.dry_run, Teach::Reset, output)?,
    }
    Ok(memory.close()?)
}

fn teach(memory: &Memory, dry_run: bool, teach: Teach, output: &mut Output) -> Result<()> {
    let build_operation = move |world: &ReadSnapshot| Ok(teach.operation(&world.state, real_time()));
    match write_or_preview(memory, dry_run, build_operation, output)? {
        Some(written) => print_written(&written, output),
        None => Ok(()),
    }
}

fn print_written(written: &Written, output: &mut Output) -> Result<()> {
    output.data(written)?;
    dry_run::print_written(written, output)
}

fn print_trust(memory: &Memory, limit: usize, output: &mut Output) -> Result<()> {
    let read = memory.read(|world| {
        let rows: Vec<TrustRow> = world.learned.counts().map(|(of, counts)| TrustRow::new(of, counts)).collect();
        Ok((world.learned.is_enabled(), rows))
    })?;
    let (enabled, mut rows) = read.wait()?;
    // Puts the rows with the largest effect first.
    rows.sort_by(|a, b| {
        let distance = |row: &TrustRow| (row.calibrated_half - 0.5).abs();
        distance(b).total_cmp(&distance(a)).then_with(|| a.trust.cmp(&b.trust))
    });
    output.data(&json!({ "enabled": enabled, "trust": rows }))?;
    let learning_state = if enabled { "on" } else { "off: decisions are counted, but change no confidence" };
    output.line(format!("Learning from your decisions is {learning_state}."))?;
    if rows.is_empty() {
        output.line("You have not decided on any proposal yet: `hearsay review` lists the proposals.")?;
        return Ok(());
    }
    let mut table = vec![["trust in", "confirmed", "rejected", "0.50 becomes"].map(str::to_owned)];
    table.extend(rows.iter().take(limit).map(|row| {
        let DecisionCounts { confirmed, rejected } = row.counts;
        [row.trust.to_string(), confirmed.to_string(), rejected.to_string(), format!("{:.2}", row.calibrated_half)]
    }));
    output.columns(&table)?;
    output.omitted(limit, rows.len())
}

fn print_decisions(memory: &Memory, limit: usize, output: &mut Output) -> Result<()> {
    let (rows, total) =
        memory.read_in_background(move |world| Ok(decisions(&world.state, &world.learned, limit)))?.wait()?;
    output.data(&json!({ "decisions": rows, "all": total }))?;
    if rows.is_empty() {
        output.line("No decisions yet.")?;
    }
    for row in &rows {
        let verdict = match row.verdict {
            Verdict::Confirmed => "confirmed",
            Verdict::Rejected => "rejected",
            Verdict::False => "false",
        };
        let counted_for: Vec<_> = row.counts_for.iter().map(ToString::to_string).collect();
        let (position, fact) = (row.position, row.fact.short());
        output.line(format!(
            "{position}  {verdict}  {fact}  {}  [{}]",
            row.statement,
            counted_for.join(" \u{00B7} ")
        ))?;
    }
    output.omitted(rows.len(), total)
}

pub(crate) fn duplicates(args: &args::Duplicates, output: &mut Output) -> Result<()> {
    if args.decision.is_none() && args.one.is_some() {
        let message =
            "if the entities are different, write `not-the-same A B`; to merge them, use `hearsay entity merge`";
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    let encoder_use = if args.meaning { EncoderUse::Enabled } else { EncoderUse::Disabled };
    let access = if args.decision.is_some() { Access::for_dry_run(args.dry_run) } else { Access::Read };
    let memory = campaign::open(&args.campaign, access, encoder_use, output)?;
    texts::embed_all(&memory, encoder_use, output)?;
    let limit = args.limit;
    if let (Some(DuplicatesDecision::NotTheSame), Some(one), Some(other)) = (args.decision, &args.one, &args.other) {
        let (one, other) = {
            let names = Names::read(&memory, output)?;
            (names.entity(one)?, names.entity(other)?)
        };
        let build_operation = move |world: &ReadSnapshot| {
            Ok(hearsay_commands::merge::mark_distinct(&world.state, &one, &other, real_time())?)
        };
        if let Some(written) = write_or_preview(&memory, args.dry_run, build_operation, output)? {
            print_written(&written, output)?;
        }
    } else if args.facts {
        let rows = interrupt::wait(&memory.read_in_background(|world| Ok(fact_duplicates(&world.state)))?)?;
        let shown = &rows[..rows.len().min(limit)];
        output.data(&json!({ "facts": shown, "all": rows.len() }))?;
        if rows.is_empty() {
            output.line("No duplicate facts.")?;
        }
        for row in shown {
            let ids: Vec<_> = row.facts.iter().map(|fact| fact.short()).collect();
            output.line(Line::from(&row.statement).id(format!("  [{}]", ids.join(", "))))?;
        }
        output.omitted(shown.len(), rows.len())?;
    } else {
        let rows = interrupt::wait(&memory.duplicates()?)?;
        let shown = &rows[..rows.len().min(limit)];
        output.data(&json!({ "entities": shown, "all": rows.len() }))?;
        if rows.is_empty() {
            output.line("No likely duplicates among the entities.")?;
        }
        for row in shown {
            output.line(format_duplicate(row))?;
        }
        output.omitted(shown.len(), rows.len())?;
        if let Some(row) = shown.first() {
            let (one, other) = (&row.one, &row.other);
            let merge = args.campaign.command(&format!("entity merge {other} {one}"));
            let keep = args.campaign.command(&format!("entity duplicates not-the-same {one} {other}"));
            output.line(format!("Decide: {merge}"))?;
            output.line(format!("    or: {keep}"))?;
        }
    }
    Ok(memory.close()?)
}

/// Formats two entities that may be the same, with the reason.
pub(crate) fn format_duplicate(row: &Duplicate) -> String {
    let band = match row.band {
        DuplicateCertainty::NearCertain => "near-certain",
        DuplicateCertainty::Possible => "possible",
    };
    let mut marks = vec![format!("names {:.2}", row.name.get())];
    marks.extend(row.sounds_alike.then(|| "sound alike".to_owned()));
    marks.extend(row.neighbours.map(|shared| format!("{:.0} % of their neighbours are shared", shared.get() * 100.0)));
    marks.extend(row.meaning.map(|similarity| format!("meaning {:.2}", similarity.get())));
    marks.extend(row.related.then(|| "related to each other".to_owned()));
    let ([one, other], score) = (&row.names, row.similarity.get());
    format!("{band} {score:.2}  {} ({one})  {} ({other})  [{}]", row.one, row.other, marks.join(" \u{00B7} "))
}

pub(crate) fn merge(args: &args::Merge, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::for_dry_run(args.dry_run), EncoderUse::Disabled, output)?;
    let (entity, into) = {
        let names = Names::read(&memory, output)?;
        (names.entity(&args.entity)?, names.entity(&args.into)?)
    };
    let plan = interrupt::wait(&memory.plan_merge(entity, into)?)?;
    let (removed, remaining) = (plan.gone.clone(), plan.into.clone());
    let effects = merge_effects(&memory, &plan)?;
    let doubts = plan.doubts.join("; ");
    if !args.dry_run && !args.yes && !doubts.is_empty() {
        output.note(format!("Merging {removed} into {remaining}:"));
        effects.iter().for_each(|effect| output.note(effect));
        if !output.is_confirmed(&format!("{doubts}; merge? [y/N] ")) {
            memory.close()?;
            bail!("nothing was merged, because {doubts}; to merge the entities without confirmation, pass --yes");
        }
    }
    let mut data = serde_json::to_value(&plan)?;
    let written = if args.dry_run { None } else { Some(memory.commit_merge(plan)?.wait()?) };
    data["written"] = serde_json::to_value(&written)?;
    output.data(&data)?;
    match &written {
        Some(written) => output.line(format!("{} (operation {})", written.summary, written.position))?,
        None => output.line(format!("Dry run, nothing is changed: {removed} would become {remaining}."))?,
    }
    for effect in &effects {
        output.line(effect)?;
    }
    if written.is_some() {
        output.line(format!("  `{}` reverts the merge", args.campaign.command(&format!("entity split {removed}"))))?;
    } else if !doubts.is_empty() {
        output.line(format!("  needs --yes or a confirmation, because {doubts}"))?;
    }
    Ok(memory.close()?)
}

/// Describes in several lines what a merge moves, and which facts it makes claims.
fn merge_effects(memory: &Memory, plan: &MergePlan) -> Result<Vec<String>> {
    let parts = [
        count(plan.moved.facts, "fact", "facts"),
        count(plan.moved.edges, "knowledge edge", "knowledge edges"),
        count(plan.moved.passages, "passage", "passages"),
    ];
    let undecided = plan.undecided.clone();
    let claims = memory.read(move |world| {
        let facts = undecided.iter().filter_map(|id| world.state.fact(*id));
        let claim = |fact: &Arc<Fact>| {
            let (statement, id) = (fact.statement(), fact.id().short());
            format!("  becomes a claim, because a more certain value stays: {statement} [{id}]")
        };
        Ok(facts.map(claim).collect::<Vec<_>>())
    })?;
    let mut effects = vec![format!("  moves {}", parts.join(", "))];
    effects.extend(claims.wait()?);
    Ok(effects)
}

pub(crate) fn split(args: &args::Split, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::for_dry_run(args.dry_run), EncoderUse::Disabled, output)?;
    let entity = Names::read(&memory, output)?.merged_entity(&args.entity)?;
    let build_operation =
        move |world: &ReadSnapshot| Ok(hearsay_commands::merge::split(&world.state, &entity, real_time())?);
    if let Some(written) = write_or_preview(&memory, args.dry_run, build_operation, output)? {
        print_written(&written, output)?;
    }
    Ok(memory.close()?)
}

pub(crate) fn prune(args: &args::Prune, output: &mut Output) -> Result<()> {
    let statuses = args.status.iter().copied().map(FactStatus::from).collect();
    let prune = Prune { below: args.below, older_than_days: args.older_than, statuses };
    if prune == Prune::default() {
        let message = "no option selects facts; pass --below CONFIDENCE, --older-than DAYS or --status STATUS";
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    let memory = campaign::open(&args.campaign, Access::for_dry_run(args.dry_run), EncoderUse::Disabled, output)?;
    let plan = interrupt::wait(&memory.plan_prune(prune.clone())?)?;
    let written = if !args.dry_run && !plan.facts.is_empty() { Some(memory.prune(prune)?.wait()?) } else { None };
    let PrunePlan { facts, spared, .. } = &plan;
    let shown = &facts[..facts.len().min(args.limit)];
    output.data(&json!({ "facts": shown, "all": facts.len(), "spared": spared, "written": written }))?;
    match &written {
        Some(written) => output.line(format!("{} (operation {})", written.summary, written.position))?,
        None if facts.is_empty() => output.line("No fact would be removed.")?,
        None => output.line(format!("{} would be removed:", count(facts.len(), "fact", "facts")))?,
    }
    for row in shown {
        let days = row.days.map_or(String::new(), |days| format!(" \u{00B7} {}", count(days as usize, "day", "days")));
        let marks = format!("{} \u{00B7} confidence {}{days}", row.status, row.confidence);
        output.line(format!("  {}  {}  [{marks}]", row.fact.short(), row.statement))?;
    }
    output.omitted(shown.len(), facts.len())?;
    if *spared > 0 {
        output.line(format!("{} stay, because you stated or confirmed them.", count(*spared, "other", "others")))?;
    }
    match written {
        Some(written) => {
            let undo = args.campaign.command(&format!("undo {}", written.position));
            output.line(format!("`{undo}` restores these facts"))?;
        }
        None if !facts.is_empty() => output.line("Dry run: nothing was changed.")?,
        None => {}
    }
    Ok(memory.close()?)
}

pub(crate) fn health(args: &args::Health, output: &mut Output) -> Result<()> {
    let memory = campaign::open(&args.campaign, Access::Read, EncoderUse::Disabled, output)?;
    let mut health = interrupt::wait(&memory.health(args.limit)?)?;
    if !args.check.is_empty() {
        let known: Vec<&str> = health.checks.iter().map(|check| check.name).collect();
        if let Some(unknown) = args.check.iter().find(|name| !known.contains(&name.as_str())) {
            let message = format!("there is no check `{unknown}`; the checks are {}", known.join(", "));
            return Err(CliError::new(USAGE_ERROR, message).into());
        }
        health.checks.retain(|check| args.check.iter().any(|name| name == check.name));
        output.data(&health)?;
        return print_checks(&health, output).and_then(|()| Ok(memory.close()?));
    }
    let duplicates = interrupt::wait(&memory.duplicates()?)?;
    let near_certain = duplicates.iter().filter(|pair| pair.band == DuplicateCertainty::NearCertain).count();
    let status = memory.status()?.wait()?;
    let mut data = serde_json::to_value(&health)?;
    data["duplicates"] = json!({ "near_certain": near_certain, "possible": duplicates.len() - near_certain });
    data["pending_vectors"] = json!(status.pending_vectors);
    data["unindexed"] = json!(status.unindexed);
    data["unread"] = json!(status.unread);
    data["behind"] = json!(status.position.0.saturating_sub(status.projected.0));
    output.data(&data)?;
    output.line(format!(
        "{}, {}",
        count(health.entities, "entity", "entities"),
        count(health.facts, "fact", "facts")
    ))?;
    print_checks(&health, output)?;
    if !duplicates.is_empty() {
        let pairs = count(duplicates.len(), "pair of entities", "pairs of entities");
        output.line(format!(
            "{pairs} may be duplicates, {near_certain} of them almost certainly: `hearsay entity duplicates` lists them"
        ))?;
    }
    if status.unread > 0 {
        let texts = count(status.unread, "text waits", "texts wait");
        output.line(format!("{texts} for the extraction of facts: run `hearsay fact extract`"))?;
    }
    if status.pending_vectors > 0 {
        let texts = count(status.pending_vectors, "text has", "texts have");
        output.line(format!("{texts} no vector yet: run `hearsay db embed`"))?;
    }
    if health.checks.iter().all(|check| check.count == 0) && duplicates.is_empty() {
        output.line("No problems found.")?;
    }
    Ok(memory.close()?)
}

fn print_checks(health: &Health, output: &mut Output) -> Result<()> {
    for check in health.checks.iter().filter(|check| check.count > 0) {
        output.line(format!("{}: {} ({})", check.description, check.count, check.advice))?;
        for example in &check.examples {
            output.line(format!("    {example}"))?;
        }
        if check.count > check.examples.len() {
            let more = check.count - check.examples.len();
            output.line(format!("    and {more} more: --check {} --limit {}", check.name, check.count))?;
        }
    }
    Ok(())
}
