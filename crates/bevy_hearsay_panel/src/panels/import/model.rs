//! The models of the import panel.

use std::path::PathBuf;

use hearsay_memory::{ImportReport, ImportStage, MemoryError};
use hearsay_model::{EntityId, Position};
use serde::Serialize;

use crate::text::counted;

/// The content of a folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FolderModel {
    /// Path of the folder.
    pub path: PathBuf,
    /// The parent folder.
    pub above: Option<PathBuf>,
    /// Subfolders and importable files: folders first, by name.
    pub entries: Vec<EntryModel>,
    /// Number of items that are not listed.
    pub more: usize,
    /// Whether its files look like a campaign.
    pub importable: bool,
    /// Why the folder cannot be read.
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
    /// Counts of new, changed and withdrawn items: `12 new entities (8 npc, 4 location)`.
    pub counts: Vec<String>,
    /// Audiences, with the number of their facts.
    pub audience: Vec<(String, usize)>,
    /// NPCs that would know nothing.
    pub know_nothing: Vec<String>,
    /// Items for the DM to check: conflicts, removed items, links, unread files. No list is empty.
    pub lists: Vec<ListModel>,
    /// Whether the import changes anything.
    pub anything: bool,
}

/// A list of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListModel {
    /// Title of the list: `Changed on both sides: the files' word waits in review`.
    pub title: String,
    /// Whether the list is a warning before the import.
    pub warns: bool,
    /// The rows.
    pub rows: Vec<ProblemModel>,
}

/// An error or warning in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProblemModel {
    /// File and line: `people.yaml:12`.
    pub at: String,
    /// The field, if one is meant.
    pub field: String,
    /// Description of the problem.
    pub what: String,
    /// What to do.
    pub hint: String,
}

/// State of an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub enum ImportModel {
    /// No check has been made for the current selection.
    #[default]
    Idle,
    /// The files are being checked.
    Checking,
    /// Report of the dry run.
    Checked(ReportModel),
    /// Errors in the files, and the number omitted.
    Wrong(Vec<ProblemModel>, usize),
    /// The import is in progress.
    Importing(ImportStage),
    /// The import is complete: its report, and its position in the journal if it changed anything.
    Imported(ReportModel, Option<Position>),
    /// The import was cancelled before anything was written.
    Cancelled,
    /// The import was undone.
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
        line(report.matched, "entity that is there already", "entities that are there already", String::new());
        line(report.fact_count(), "new fact", "new facts", format!(" ({} relations)", report.relations.all()));
        line(report.changed, "changed fact", "changed facts", String::new());
        line(report.moved, "fact that moved within the files", "facts that moved within the files", String::new());
        line(report.removed, "fact that is gone from the files", "facts that are gone from the files", String::new());
        line(report.knowledge, "new edge of knowledge", "new edges of knowledge", String::new());
        line(report.unlearned, "withdrawn edge of knowledge", "withdrawn edges of knowledge", String::new());
        line(report.passages, "new or changed text", "new or changed texts", String::new());
        line(report.sessions, "new or changed session", "new or changed sessions", String::new());
        line(report.reveals, "new or changed reveal", "new or changed reveals", String::new());
        let lost = format!(" ({} ambiguous, {} leading nowhere)", report.ambiguous, report.dangling);
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

/// Returns the lists for the DM to check, without empty ones.
fn lists(report: &ImportReport) -> Vec<ListModel> {
    let row = |what: &str, hint: &str| ProblemModel { what: what.into(), hint: hint.into(), ..ProblemModel::default() };
    let at = |path: &str, line: u32, what: &str| ProblemModel { at: format!("{path}:{line}"), ..row(what, "") };
    let ids = |ids: &[EntityId]| ids.iter().map(EntityId::as_str).collect::<Vec<_>>().join(" or ");
    let kept = |kept: &hearsay_memory::Kept| row(&kept.what, &kept.why);
    let in_conflict = |kept: &&hearsay_memory::Kept| report.conflicts.contains(kept);
    let (conflicts, others): (Vec<_>, Vec<_>) = report.kept.iter().partition(in_conflict);
    let list = |title: &str, warns, rows: Vec<ProblemModel>| ListModel { title: title.into(), warns, rows };
    let mut lists = vec![
        list(
            "Changed in the files and here: yours stands, the files\u{2019} word goes to review",
            true,
            conflicts.into_iter().map(kept).collect(),
        ),
        list(
            "Gone from the files: to withdraw it goes to review",
            true,
            report.deletions.iter().map(|gone| row(&gone.what, gone.subject.as_str())).collect(),
        ),
        list("May not be meant", true, report.warnings.iter().map(ProblemModel::warning).collect()),
        list(
            "Links that may mean several: none is taken",
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
            "Links that lead nowhere",
            true,
            report.dangling_links.iter().map(|place| at(&place.path, place.line, &place.what)).collect(),
        ),
        list(
            "Not understood",
            true,
            report.unclear.iter().map(|place| at(&place.path, place.line, &place.what)).collect(),
        ),
        list(
            "Not read",
            true,
            report.skipped.iter().map(|file| ProblemModel { at: file.path.clone(), ..row(&file.why, "") }).collect(),
        ),
        list(
            "Called like somebody who is there: they stay two, review asks",
            false,
            report.alike.iter().map(|pair| row(&format!("{} and {}", pair.one, pair.other), "")).collect(),
        ),
        list(
            "Linked to, but not there: only a name, goes to review",
            false,
            report.stubs.iter().map(|id| row(id.as_str(), "")).collect(),
        ),
        list("Without a sign of what they are", false, report.kindless.iter().map(|id| row(id.as_str(), "")).collect()),
        list("Left as it is, although the files say otherwise", false, others.into_iter().map(kept).collect()),
    ];
    lists.retain(|list| !list.rows.is_empty());
    lists
}

impl ProblemModel {
    fn warning(warning: &hearsay_memory::Warning) -> Self {
        let at = format!("{}:{}", warning.path, warning.line);
        Self { at, what: warning.what.clone(), ..Self::default() }
    }

    /// Returns the problems of an error, and the number omitted.
    pub fn of(error: &MemoryError) -> (Vec<Self>, usize) {
        let MemoryError::Campaign(errors) = error else {
            return (vec![Self { what: error.to_string(), ..Self::default() }], 0);
        };
        let problem = |error: &hearsay_memory::CampaignError| Self {
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
        ImportStage::Sent => "Waits for the memory",
        ImportStage::Reading => "Reads the files",
        ImportStage::Waiting => "Waits for its turn",
        ImportStage::Comparing => "Compares them with what is on record",
        ImportStage::Writing => "Writes what is new",
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
