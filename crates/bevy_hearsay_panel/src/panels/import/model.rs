//! The models of the import panel.

use std::path::PathBuf;

use hearsay_engine::{ImportReport, ImportStage, MemoryError};
use hearsay_model::{EntityId, Position};
use serde::Serialize;

use crate::text::counted;

/// The content of a folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FolderModel {
    /// Path of the folder.
    pub path: PathBuf,
    /// The parent folder; `None` for the root of the file system.
    pub above: Option<PathBuf>,
    /// Subfolders and files that can be imported. Folders come first; entries are sorted by name.
    pub entries: Vec<EntryModel>,
    /// Number of further entries that are not listed.
    pub more: usize,
    /// Whether the folder has files that can be imported.
    pub importable: bool,
    /// Reason why the folder cannot be read; `None` if it was read.
    pub trouble: Option<String>,
}

/// A folder or a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryModel {
    /// Name of the entry.
    pub name: String,
    /// Path of the entry.
    pub path: PathBuf,
    /// Whether the entry is a folder.
    pub folder: bool,
}

/// Report of a dry run or an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReportModel {
    /// Name of the source.
    pub source: String,
    /// Counts of new, changed and withdrawn items for display, such as `12 new entities (8 npc, 4 location)`.
    pub counts: Vec<String>,
    /// Audiences, each with the number of its facts.
    pub audience: Vec<(String, usize)>,
    /// Names of the NPCs that would know nothing but their own names.
    pub know_nothing: Vec<String>,
    /// Lists of items that the DM should check: conflicts, removed items, links, unread files. Empty lists are omitted.
    pub lists: Vec<ListModel>,
    /// Whether the import changes anything.
    pub anything: bool,
}

/// A list of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListModel {
    /// Title of the list, such as `Links without a target`.
    pub title: String,
    /// Whether the list is a warning that the DM should read before importing.
    pub warns: bool,
    /// The items of the list.
    pub rows: Vec<ProblemModel>,
}

/// An error or warning in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProblemModel {
    /// File and line, such as `people.yaml:12`.
    pub at: String,
    /// The field with the problem. Empty if the problem is not in a field.
    pub field: String,
    /// Description of the problem.
    pub what: String,
    /// What to do.
    pub hint: String,
}

/// State of an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub enum ImportModel {
    /// The DM has not requested a preview of the selected files yet.
    #[default]
    Idle,
    /// The files are being checked.
    Checking,
    /// Report of the dry run.
    Checked(ReportModel),
    /// The errors in the files, and the number of further errors that are not listed.
    Wrong(Vec<ProblemModel>, usize),
    /// The import is in progress.
    Importing(ImportStage),
    /// The import is complete. The fields are the report, and the position of the operation in the journal. The
    /// position is `None` if the import changed nothing.
    Imported(ReportModel, Option<Position>),
    /// The import was cancelled before anything was written.
    Cancelled,
    /// The import was undone. The text is the summary of the undo operation.
    Undone(String),
}

impl ReportModel {
    /// Converts the engine's report for display.
    pub fn of(report: &ImportReport) -> Self {
        let by = |counts: &std::collections::BTreeMap<String, usize>| {
            let each: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
            if each.is_empty() { String::new() } else { format!(" ({})", each.join(", ")) }
        };
        let mut counts = Vec::new();
        let mut line = |count: usize, one: &str, many: &str, detail: String| {
            if count > 0 {
                counts.push(format!("{}{detail}", counted(count, one, many)));
            }
        };
        line(report.created_count(), "new entity", "new entities", by(&report.created));
        line(report.matched, "known entity", "known entities", String::new());
        line(report.fact_count(), "new fact", "new facts", format!(" ({} relations)", report.relations.all()));
        line(report.changed, "changed fact", "changed facts", String::new());
        line(report.moved, "fact that moved within the files", "facts that moved within the files", String::new());
        line(report.removed, "fact removed from the files", "facts removed from the files", String::new());
        line(report.knowledge, "new knowledge edge", "new knowledge edges", String::new());
        line(report.unlearned, "withdrawn knowledge edge", "withdrawn knowledge edges", String::new());
        line(report.passages, "new or changed text", "new or changed texts", String::new());
        line(report.sessions, "new or changed session", "new or changed sessions", String::new());
        line(report.reveals, "new or changed reveal", "new or changed reveals", String::new());
        let lost = format!(" ({} ambiguous, {} without a target)", report.ambiguous, report.dangling);
        line(
            report.resolved + report.ambiguous + report.dangling,
            "link between notes",
            "links between notes",
            if report.ambiguous + report.dangling > 0 { lost } else { String::new() },
        );
        let changes = report.created_count()
            + report.fact_count()
            + report.changed
            + report.moved
            + report.removed
            + report.knowledge
            + report.unlearned
            + report.passages
            + report.sessions
            + report.reveals;
        let format = report.format.map_or_else(String::new, |format| format!(" ({format})"));
        Self {
            source: format!("{}{format}", report.source),
            counts,
            audience: report.audience.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect(),
            know_nothing: report.know_nothing.iter().map(ToString::to_string).collect(),
            lists: lists(report),
            anything: changes > 0,
        }
    }
}

/// Returns the lists that the DM should check, without empty lists.
fn lists(report: &ImportReport) -> Vec<ListModel> {
    let row = |what: &str, hint: &str| ProblemModel { what: what.into(), hint: hint.into(), ..ProblemModel::default() };
    let at = |path: &str, line: u32, what: &str| ProblemModel { at: format!("{path}:{line}"), ..row(what, "") };
    let ids = |ids: &[EntityId]| ids.iter().map(EntityId::as_str).collect::<Vec<_>>().join(" or ");
    let kept = |kept: &hearsay_engine::Kept| row(&kept.what, &kept.why);
    let in_conflict = |kept: &&hearsay_engine::Kept| report.conflicts.contains(kept);
    let (conflicts, others): (Vec<_>, Vec<_>) = report.kept.iter().partition(in_conflict);
    let list = |title: &str, warns, rows: Vec<ProblemModel>| ListModel { title: title.into(), warns, rows };
    let mut lists = vec![
        list(
            "Changed in the files and in the campaign: your version stays, the files\u{2019} version goes to review",
            true,
            conflicts.into_iter().map(kept).collect(),
        ),
        list(
            "Removed from the files: confirm the withdrawal in review",
            true,
            report.deletions.iter().map(|gone| row(&gone.what, gone.subject.as_str())).collect(),
        ),
        list("Possible mistakes", true, report.warnings.iter().map(ProblemModel::warning).collect()),
        list(
            "Ambiguous links: several entities match, none is used",
            true,
            report
                .ambiguous_links
                .iter()
                .map(|link| ProblemModel {
                    hint: ids(&link.meant),
                    ..at(&link.place.path, link.place.line, &link.place.what)
                })
                .collect(),
        ),
        list(
            "Links without a target",
            true,
            report.dangling_links.iter().map(|place| at(&place.path, place.line, &place.what)).collect(),
        ),
        list(
            "Not understood",
            true,
            report.unclear.iter().map(|place| at(&place.path, place.line, &place.what)).collect(),
        ),
        list(
            "Skipped files",
            true,
            report.skipped.iter().map(|file| ProblemModel { at: file.path.clone(), ..row(&file.why, "") }).collect(),
        ),
        list(
            "Named like a known entity: kept apart, review asks whether they are the same",
            false,
            report.alike.iter().map(|pair| row(&format!("{} and {}", pair.one, pair.other), "")).collect(),
        ),
        list(
            "Linked, but not described: added with only a name, goes to review",
            false,
            report.stubs.iter().map(|id| row(id.as_str(), "")).collect(),
        ),
        list("Kind unknown", false, report.kindless.iter().map(|id| row(id.as_str(), "")).collect()),
        list("Unchanged, although the files differ", false, others.into_iter().map(kept).collect()),
    ];
    lists.retain(|list| !list.rows.is_empty());
    lists
}

impl ProblemModel {
    fn warning(warning: &hearsay_engine::Warning) -> Self {
        let at = format!("{}:{}", warning.path, warning.line);
        Self { at, what: warning.what.clone(), ..Self::default() }
    }

    /// Converts an error of the engine to problems. Also returns the number of further problems that are not listed.
    pub fn of(error: &MemoryError) -> (Vec<Self>, usize) {
        let MemoryError::Campaign(errors) = error else {
            return (vec![Self { what: error.to_string(), ..Self::default() }], 0);
        };
        let problem = |error: &hearsay_engine::CampaignError| Self {
            at: match error.line {
                0 => error.file.clone(),
                line => format!("{}:{line}", error.file),
            },
            field: error.field.clone(),
            what: error.message.clone(),
            hint: error.hint.clone(),
        };
        (errors.errors.iter().map(problem).collect(), errors.more)
    }
}

/// Returns the name of a stage.
pub fn stage_in_words(stage: ImportStage) -> &'static str {
    match stage {
        ImportStage::Sent => "Waiting for the engine",
        ImportStage::Reading => "Reading the files",
        ImportStage::Waiting => "Waiting for earlier work",
        ImportStage::Comparing => "Comparing the files with the campaign",
        ImportStage::Writing => "Writing the changes",
        ImportStage::Done => "Done",
    }
}

impl ReportModel {
    /// Returns the report as text, for the clipboard.
    pub fn text(&self) -> String {
        let mut lines = vec![format!("Import of {}", self.source)];
        lines.extend(self.counts.iter().cloned());
        for list in &self.lists {
            lines.push(format!("{} ({})", list.title, list.rows.len()));
            lines.extend(list.rows.iter().map(|row| {
                let parts = [&row.at, &row.field, &row.what, &row.hint];
                let parts: Vec<&str> = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
                format!("  {}", parts.join(": "))
            }));
        }
        lines.join("\n")
    }
}
