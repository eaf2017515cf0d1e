//! `db`: checks, repairs and maintains the memory's database.

use std::path::{Path, PathBuf};

use anyhow::Result;
use hearsay_memory::{MemoryError, ModelStatus};
use hearsay_store::{CheckReport, FileDamage, LostOperation, RepairReport};
use serde_json::{Value, json};

use crate::{
    args::{self, Db},
    campaign::{self, Meaning},
    interrupt,
    output::{Fault, Output, WRONG_FILE, count},
};

pub(crate) fn db(command: &Db, output: &mut Output) -> Result<()> {
    match command {
        Db::Check(args) => check(&args.campaign, output),
        Db::Repair(args) => repair(&args.campaign.campaign, args.force, output),
        Db::Embed(args) => embed(args, output),
        Db::History(args) => super::history::history(args, output),
        Db::Stats(args) => super::look::stats(args, output),
        Db::Health(args) => super::tidy::health(args, output),
        Db::Restore(args) => super::files::restore(args, output),
        Db::Clear(args) => super::files::clear(args, output),
        Db::Model(args) => super::model::run(args, output),
    }
}

fn embed(args: &args::Campaign, output: &mut Output) -> Result<()> {
    let memory = campaign::open(args, Meaning::With, output)?;
    let before = campaign::settle(&memory)?;
    if let ModelStatus::None { why } = &before.model {
        return Err(Fault::new(WRONG_FILE, format!("no vectors can be made: {why}")).into());
    }
    let status = match campaign::embed(&memory, output) {
        Ok(status) => status,
        Err(_) if interrupt::is_asked() => {
            let left = memory.status()?.wait()?.pending_vectors;
            memory.close()?;
            let texts = count(left, "text has", "texts have");
            let what = format!("stopped; {texts} no embedding yet: `hearsay db embed` continues from here");
            return Err(Fault::new(interrupt::CODE, what).into());
        }
        Err(error) => return Err(error),
    };
    let made = before.pending_vectors - status.pending_vectors.min(before.pending_vectors);
    output.data(&json!({ "texts": status.texts, "embedded": made, "pending_vectors": status.pending_vectors }))?;
    output.line(format!("{} embedded, {} in all", count(made, "text", "texts"), status.texts))?;
    Ok(memory.close()?)
}

/// Returns the directory of a campaign's database.
fn database(campaign: &Path) -> Result<PathBuf> {
    let directory = campaign.join(campaign::settings(campaign)?.store.directory);
    if directory.is_dir() {
        return Ok(directory);
    }
    let what = format!("{}: the campaign has no database yet; `hearsay sync` creates one", campaign.display());
    Err(Fault::new(WRONG_FILE, what).into())
}

fn check(campaign: &Path, output: &mut Output) -> Result<()> {
    let directory = database(campaign)?;
    let report = hearsay_store::check_directory(&directory).map_err(MemoryError::Store)?;
    output.data(&data(&report))?;
    tell(&report, output)?;
    if report.is_whole() {
        return output.line("The database is whole.");
    }
    output.finish()?;
    Err(Fault::new(1, way_out(campaign, &report)).into())
}

/// Returns advice for a damaged database.
fn way_out(campaign: &Path, report: &CheckReport) -> String {
    if report.has_whole_database() {
        return "derived data is damaged; nothing is lost: opening the campaign rebuilds it".into();
    }
    let lost = report.lost_count();
    format!(
        "the database is damaged; `hearsay -C {} db repair` saves {} of {} operations, or restore a backup{}",
        campaign.display(),
        report.operations,
        report.operations + lost,
        if lost > 0 { "; `hearsay sync` brings back what came from campaign files" } else { "" }
    )
}

fn repair(campaign: &Path, force: bool, output: &mut Output) -> Result<()> {
    let directory = database(campaign)?;
    let report = hearsay_store::repair_directory(&directory, force).map_err(MemoryError::Store)?;
    let RepairReport { found, saved, kept } = &report;
    output.data(&json!({ "found": data(found), "saved": saved, "kept": kept }))?;
    tell(found, output)?;
    let Some(kept) = kept else { return output.line("Nothing had to be repaired.") };
    output.line(format!("{saved} of {} operations are saved.", saved + found.lost_count()))?;
    output.line(format!("The damaged files are in {}.", kept.display()))?;
    if found.lost_count() > 0 {
        output.line(format!(
            "`hearsay -C {} sync` brings back what came from campaign files; a backup may hold the rest.",
            campaign.display()
        ))?;
    }
    Ok(())
}

fn data(report: &CheckReport) -> Value {
    let files = |damage: &[FileDamage]| -> Vec<Value> {
        damage.iter().map(|FileDamage { file, what }| json!({ "file": file, "what": what })).collect()
    };
    let operations = |lost: &[LostOperation]| -> Vec<Value> {
        let row = |LostOperation { position, summary, reason }: &LostOperation| json!({ "position": position, "summary": summary, "reason": reason });
        lost.iter().map(row).collect()
    };
    json!({
        "whole": report.is_whole(),
        "files": report.files,
        "bytes": report.bytes,
        "newest": report.newest,
        "operations": report.operations,
        "damaged_files": files(&report.damage),
        "damaged_derived_files": files(&report.derived_damage),
        "lost": operations(&report.lost),
        "lost_compacted": report.lost_compacted,
        "changed_compacted": report.changed_compacted,
        "unfit": operations(&report.unfit),
        "lost_transient_rows": report.lost_transient_rows,
        "stale_transients": report.has_stale_transients,
        "only_in_snapshot": report.only_in_snapshot,
        "graph_differences": report.graph_differences,
        "error": report.error,
    })
}

fn tell(report: &CheckReport, output: &mut Output) -> Result<()> {
    let megabytes = report.bytes as f64 / 1e6;
    let files = count(report.files, "file", "files");
    output.line(format!("{files} with {megabytes:.1} MB read, {} operations", report.operations))?;
    for FileDamage { file, what } in &report.damage {
        output.line(format!("damaged: {}: {what}", file.display()))?;
    }
    for FileDamage { file, what } in &report.derived_damage {
        output.line(format!("damaged, and rebuilt: {}: {what}", file.display()))?;
    }
    for line in runs(&report.lost) {
        output.line(format!("lost: {line}"))?;
    }
    if report.lost_compacted > 0 {
        let lost = usize::try_from(report.lost_compacted).unwrap_or(usize::MAX);
        output.line(format!("lost: {} that undo did not reach any more", count(lost, "operation", "operations")))?;
    }
    if report.changed_compacted {
        output.line("of the operations that undo did not reach any more, some that were removed may be back")?;
    }
    for line in runs(&report.unfit) {
        output.line(format!("depends on a lost operation: {line}"))?;
    }
    let told = [
        (report.lost_transient_rows, "rows of transient values cannot be read"),
        (report.only_in_snapshot, "operations are in the snapshot alone"),
        (report.graph_differences, "records of the graph tables differ from the operations"),
    ];
    for (number, what) in told.into_iter().filter(|(number, _)| *number > 0) {
        output.line(format!("{number} {what}"))?;
    }
    if report.has_stale_transients {
        output.line("transient values (positions, moods) may be older ones")?;
    }
    report.error.iter().try_for_each(|error| output.line(format!("it does not open: {error}")))
}

/// Lists lost operations. Consecutive operations without further details share one line.
fn runs(lost: &[LostOperation]) -> Vec<String> {
    let same = |a: &LostOperation, b: &LostOperation| {
        a.summary.is_none() && b.summary.is_none() && a.reason == b.reason && a.position.next() == b.position
    };
    let run = |run: &[LostOperation]| {
        let (first, last) = (run.first()?, run.last()?);
        let numbers = match first.position == last.position {
            true => format!("operation {}", first.position),
            false => format!("operations {} to {}", first.position, last.position),
        };
        let summary = first.summary.as_ref().map_or(String::new(), |summary| format!(" ({summary})"));
        Some(format!("{numbers}{summary}: {}", first.reason))
    };
    lost.chunk_by(same).filter_map(run).collect()
}
