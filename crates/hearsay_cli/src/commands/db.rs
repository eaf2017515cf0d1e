//! `db`: checks, repairs and maintains a campaign's database.

use std::path::{Path, PathBuf};

use anyhow::Result;
use hearsay_engine::{MemoryError, ModelStatus, SharingStatus};
use hearsay_store::{CheckReport, FileDamage, LostOperation, RepairReport};
use serde_json::{Value, json};

use crate::{
    args::{self, Db},
    campaign::{self, Access},
    interrupt,
    output::{CliError, FILE_ERROR, Output, count},
    texts::{self, EncoderUse},
};

pub(crate) fn db(command: &Db, output: &mut Output) -> Result<()> {
    match command {
        Db::Check(args) => check(args, output),
        Db::Repair(args) => repair(args, output),
        Db::Embed(args) => embed(args, output),
        Db::History(args) => super::history::history(args, output),
        Db::Stats(args) => super::inspect::stats(args, output),
        Db::Health(args) => super::maintenance::health(args, output),
        Db::Restore(args) => super::files::restore(args, output),
        Db::Clear(args) => super::files::clear(args, output),
    }
}

fn embed(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Access::Read, EncoderUse::Enabled, output)?;
    let before = texts::wait_until_ready(&memory)?;
    // Only the owner stores vectors, and it computes all missing vectors.
    match before.sharing {
        SharingStatus::Attached { owner } => return Err(MemoryError::NotOwner { owner }.into()),
        // The server is a program on this machine, which stores the vectors.
        SharingStatus::Server { endpoint, .. } if memory.settings().store.endpoint.is_none() => {
            return Err(MemoryError::InServer { server: endpoint }.into());
        }
        _ => {}
    }
    if let ModelStatus::None { why } = &before.model {
        return Err(CliError::new(FILE_ERROR, format!("no vectors can be computed: {why}")).into());
    }
    let status = match texts::embed(&memory, output) {
        Ok(status) => status,
        Err(_) if interrupt::is_requested() => {
            let remaining = memory.status()?.wait()?.pending_vectors;
            memory.close()?;
            let texts = count(remaining, "text has", "texts have");
            let message = format!("stopped; {texts} no vector yet: run `hearsay db embed` to continue");
            return Err(CliError::new(interrupt::EXIT_CODE, message).into());
        }
        Err(error) => return Err(error),
    };
    let embedded_count = before.pending_vectors - status.pending_vectors.min(before.pending_vectors);
    output.data(
        &json!({ "texts": status.texts, "embedded": embedded_count, "pending_vectors": status.pending_vectors }),
    )?;
    output.line(format!("{} embedded, {} in all", count(embedded_count, "text", "texts"), status.texts))?;
    Ok(memory.close()?)
}

/// Returns the directory of a campaign's database.
pub(crate) fn database(campaign: &Path) -> Result<PathBuf> {
    let settings = campaign::settings(campaign)?;
    campaign::expect_local(&settings)?;
    let directory = campaign.join(settings.store.directory);
    if directory.is_dir() {
        return Ok(directory);
    }
    let message = format!("{}: the campaign has no database yet; `hearsay sync` creates one", campaign.display());
    Err(CliError::new(FILE_ERROR, message).into())
}

fn check(campaign: &args::Campaign, output: &mut Output) -> Result<()> {
    let directory = database(&campaign.campaign)?;
    let report = hearsay_store::check_directory(&directory).map_err(MemoryError::Store)?;
    output.data(&report_to_json(&report))?;
    print_report(&report, output)?;
    if report.is_intact() {
        return output.line("The database is intact.");
    }
    Err(CliError::new(1, damage_message(campaign, &report)).into())
}

/// Returns the error text for a damaged database: the damage, and how to repair it.
fn damage_message(campaign: &args::Campaign, report: &CheckReport) -> String {
    if report.has_intact_database() {
        return "derived data is damaged, but nothing is lost; Hearsay computes this data again when the campaign is opened".into();
    }
    let lost = report.lost_count();
    format!(
        "the database is damaged; run `{}` to save {} of {} operations, or restore a backup{}",
        campaign.command("db repair"),
        report.operations,
        report.operations + lost,
        if lost > 0 {
            "; after the repair, `hearsay sync` imports the content of the campaign files again"
        } else {
            ""
        }
    )
}

fn repair(args: &args::Repair, output: &mut Output) -> Result<()> {
    let campaign = &args.campaign;
    let directory = database(&campaign.campaign)?;
    if args.dry_run {
        return print_repair_dry_run(&directory, args.force, output);
    }
    let report = hearsay_store::repair_directory(&directory, args.force).map_err(MemoryError::Store)?;
    let RepairReport { found, saved, damaged_files } = &report;
    output.data(&json!({ "found": report_to_json(found), "saved": saved, "damaged_files": damaged_files }))?;
    print_report(found, output)?;
    let Some(damaged_files) = damaged_files else { return output.line("Nothing had to be repaired.") };
    output.line(format!("{saved} of {} operations are saved.", saved + found.lost_count()))?;
    output.line(format!("The damaged files are in {}.", damaged_files.display()))?;
    if found.lost_count() > 0 {
        output.line(format!(
            "`{}` imports the content of the campaign files again; only a backup can contain the other lost data.",
            campaign.command("sync")
        ))?;
    }
    Ok(())
}

fn print_repair_dry_run(directory: &Path, force: bool, output: &mut Output) -> Result<()> {
    let report = hearsay_store::check_directory(directory).map_err(MemoryError::Store)?;
    output.data(&json!({ "found": report_to_json(&report), "saved": null, "damaged_files": null }))?;
    print_report(&report, output)?;
    if report.is_intact() && !force {
        return output.line("Dry run, nothing is changed: the database needs no repair.");
    }
    let (readable, total) = (report.operations, report.operations + report.lost_count());
    output.line(format!("Dry run, nothing is changed: {readable} of {total} operations would be saved."))
}

fn report_to_json(report: &CheckReport) -> Value {
    let files = |damage: &[FileDamage]| -> Vec<Value> {
        damage
            .iter()
            .map(|FileDamage { file, description }| json!({ "file": file, "description": description }))
            .collect()
    };
    let operations = |lost: &[LostOperation]| -> Vec<Value> {
        let row = |LostOperation { position, summary, reason }: &LostOperation| json!({ "position": position, "summary": summary, "reason": reason });
        lost.iter().map(row).collect()
    };
    json!({
        "intact": report.is_intact(),
        "files": report.files,
        "bytes": report.bytes,
        "newest": report.newest,
        "operations": report.operations,
        "damaged_files": files(&report.damage),
        "damaged_derived_files": files(&report.derived_damage),
        "lost": operations(&report.lost),
        "lost_compacted": report.lost_compacted,
        "changed_compacted": report.changed_compacted,
        "inapplicable": operations(&report.inapplicable),
        "lost_transient_rows": report.lost_transient_rows,
        "stale_transients": report.has_stale_transients,
        "only_in_snapshot": report.only_in_snapshot,
        "repaired_records": report.repaired_records,
        "graph_differences": report.graph_differences,
        "error": report.error,
    })
}

fn print_report(report: &CheckReport, output: &mut Output) -> Result<()> {
    let megabytes = report.bytes as f64 / 1e6;
    let files = count(report.files, "file", "files");
    output.line(format!("{files} with {megabytes:.1} MB read, {} operations", report.operations))?;
    for FileDamage { file, description } in &report.damage {
        output.line(format!("damaged: {}: {description}", file.display()))?;
    }
    for FileDamage { file, description } in &report.derived_damage {
        output.line(format!("damaged derived data: {}: {description}", file.display()))?;
    }
    for line in format_lost_operations(&report.lost) {
        output.line(format!("lost: {line}"))?;
    }
    if report.lost_compacted > 0 {
        let lost = usize::try_from(report.lost_compacted).unwrap_or(usize::MAX);
        output.line(format!("lost: {} older than the undo history", count(lost, "operation", "operations")))?;
    }
    if report.changed_compacted {
        output.line("the journal may again contain operations that compaction had removed")?;
    }
    for line in format_lost_operations(&report.inapplicable) {
        output.line(format!("depends on a lost operation: {line}"))?;
    }
    let counts = [
        (report.lost_transient_rows, "rows of transient values cannot be read"),
        (report.only_in_snapshot, "operations are only in the snapshot"),
        (report.repaired_records, "records of the graph tables were out of date and have been repaired"),
        (report.graph_differences, "records of the graph tables differ from the operations"),
    ];
    for (number, label) in counts.into_iter().filter(|(number, _)| *number > 0) {
        output.line(format!("{number} {label}"))?;
    }
    if report.has_stale_transients {
        output.line("transient values (locations, moods) may be outdated")?;
    }
    report.error.iter().try_for_each(|error| output.line(format!("the database cannot be opened: {error}")))
}

/// Returns lines that list the lost operations. Consecutive operations share one line if they have the same reason and
/// no summary.
fn format_lost_operations(lost: &[LostOperation]) -> Vec<String> {
    let is_same_run = |a: &LostOperation, b: &LostOperation| {
        a.summary.is_none() && b.summary.is_none() && a.reason == b.reason && a.position.next() == b.position
    };
    let format_run = |run: &[LostOperation]| {
        let (first, last) = (run.first()?, run.last()?);
        let numbers = match first.position == last.position {
            true => format!("operation {}", first.position),
            false => format!("operations {} to {}", first.position, last.position),
        };
        let summary = first.summary.as_ref().map_or(String::new(), |summary| format!(" ({summary})"));
        Some(format!("{numbers}{summary}: {}", first.reason))
    };
    lost.chunk_by(is_same_run).filter_map(format_run).collect()
}
