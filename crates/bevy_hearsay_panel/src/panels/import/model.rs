//! The data that the import panel displays.

use std::path::PathBuf;

use hearsay_engine::{ImportReport, ImportStage, MemoryError};
use hearsay_model::{EntityId, Position};
use serde::Serialize;

use crate::text::format_count;

/// The content of a folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FolderModel {
    /// Path of the folder.
    pub path: PathBuf,
    /// The parent folder; `None` for the root of the file system.
    pub parent: Option<PathBuf>,
    /// Subfolders and files that can be imported. Folders come first. Within folders and files, entries are sorted by
    /// name.
    pub entries: Vec<EntryModel>,
    /// Number of further entries that are not listed.
    pub more: usize,
    /// Whether the folder contains files that can be imported.
    pub importable: bool,
    /// Reason why the folder cannot be read; `None` if it was read.
    pub error: Option<String>,
}

/// A folder or a file in a list.
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
    /// Name of the imported source.
    pub source: String,
    /// Numbers of new, changed and withdrawn items, as texts such as `12 new entities (8 npc, 4 location)`.
    pub counts: Vec<String>,
    /// Audiences of the imported facts, each with the number of its facts.
    pub audience: Vec<(String, usize)>,
    /// Names of the NPCs that know only names and kinds of entities after the import.
    pub without_knowledge: Vec<String>,
    /// Lists of items that the DM should check: conflicts, removed items, links and unread files. Empty lists are
    /// omitted.
    pub lists: Vec<ListModel>,
    /// Whether the import changes anything.
    pub has_changes: bool,
}

/// A list in the report of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListModel {
    /// Title of the list, such as `Links without a target`.
    pub title: String,
    /// Whether the list is a warning that the DM should read before importing.
    pub is_warning: bool,
    /// The items of the list.
    pub rows: Vec<ProblemModel>,
}

/// An error or warning in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProblemModel {
    /// Location of the problem: file and line, such as `people.yaml:12`.
    pub location: String,
    /// The field with the problem. Empty if the problem is not in a field.
    pub field: String,
    /// Description of the problem.
    pub message: String,
    /// Advice for solving the problem.
    pub hint: String,
}

/// State of an import.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub enum ImportModel {
    /// The DM has not requested a preview of the selected files yet.
    #[default]
    Idle,
    /// The files are being checked, but not imported.
    Checking,
    /// The files were checked. The field is the report on the changes that an import would make.
    Checked(ReportModel),
    /// The files contain errors. The fields are the listed errors, and the number of further errors.
    Invalid(Vec<ProblemModel>, usize),
    /// The import is in progress, at this stage.
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
    pub fn from_report(report: &ImportReport) -> Self {
        let kind_counts = |counts: &std::collections::BTreeMap<String, usize>| {
            let texts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
            if texts.is_empty() { String::new() } else { format!(" ({})", texts.join(", ")) }
        };
        let mut counts = Vec::new();
        let mut add_count = |count: usize, one: &str, many: &str, detail: String| {
            if count > 0 {
                counts.push(format!("{}{detail}", format_count(count, one, many)));
            }
        };
        add_count(report.created_count(), "new entity", "new entities", kind_counts(&report.created));
        add_count(report.matched, "known entity", "known entities", String::new());
        add_count(report.fact_count(), "new fact", "new facts", format!(" ({} relations)", report.relations.all()));
        add_count(report.changed, "changed fact", "changed facts", String::new());
        add_count(report.moved, "fact that moved within the files", "facts that moved within the files", String::new());
        add_count(report.removed, "fact removed from the files", "facts removed from the files", String::new());
        add_count(report.knowledge, "new knowledge edge", "new knowledge edges", String::new());
        add_count(report.withdrawn_knowledge, "withdrawn knowledge edge", "withdrawn knowledge edges", String::new());
        add_count(report.passages, "new or changed text", "new or changed texts", String::new());
        add_count(report.sessions, "new or changed session", "new or changed sessions", String::new());
        add_count(report.reveals, "new or changed reveal", "new or changed reveals", String::new());
        let unresolved_links = format!(" ({} ambiguous, {} without a target)", report.ambiguous, report.dangling);
        add_count(
            report.resolved + report.ambiguous + report.dangling,
            "link between notes",
            "links between notes",
            if report.ambiguous + report.dangling > 0 { unresolved_links } else { String::new() },
        );
        let changes = report.created_count()
            + report.fact_count()
            + report.changed
            + report.moved
            + report.removed
            + report.knowledge
            + report.withdrawn_knowledge
            + report.passages
            + report.sessions
            + report.reveals;
        let format = report.format.map_or_else(String::new, |format| format!(" ({format})"));
        Self {
            source: format!("{}{format}", report.source),
            counts,
            audience: report.audience.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect(),
            without_knowledge: report.without_knowledge.iter().map(ToString::to_string).collect(),
            lists: lists(report),
            has_changes: changes > 0,
        }
    }
}

/// Returns the lists that the DM should check, without empty lists.
fn lists(report: &ImportReport) -> Vec<ListModel> {
    let problem = |message: &str, hint: &str| ProblemModel {
        message: message.into(),
        hint: hint.into(),
        ..ProblemModel::default()
    };
    let located_problem = |path: &str, line: u32, message: &str| ProblemModel {
        location: format!("{path}:{line}"),
        ..problem(message, "")
    };
    let id_list = |ids: &[EntityId]| ids.iter().map(EntityId::as_str).collect::<Vec<_>>().join(" or ");
    let to_problem = |kept: &hearsay_engine::UnappliedChange| problem(&kept.description, &kept.reason);
    let is_conflict = |kept: &&hearsay_engine::UnappliedChange| report.conflicts.contains(kept);
    let (conflicts, others): (Vec<_>, Vec<_>) = report.unapplied_changes.iter().partition(is_conflict);
    let list = |title: &str, is_warning, rows: Vec<ProblemModel>| ListModel { title: title.into(), is_warning, rows };
    let mut lists = vec![
        list(
            "Changed in the files and in the campaign: your version stays, the files\u{2019} version goes to review",
            true,
            conflicts.into_iter().map(to_problem).collect(),
        ),
        list(
            "Removed from the files: confirm the withdrawal in review",
            true,
            report.deletions.iter().map(|deletion| problem(&deletion.description, deletion.subject.as_str())).collect(),
        ),
        list(
            "Changed facts",
            false,
            report
                .changed_facts
                .iter()
                .map(|changed| problem(&changed.new_statement, &format!("was: {}", changed.old_statement)))
                .collect(),
        ),
        list(
            "Facts removed from the files",
            false,
            report.removed_facts.iter().map(|removed| problem(&removed.statement, "")).collect(),
        ),
        list("Possible mistakes", true, report.warnings.iter().map(ProblemModel::from_warning).collect()),
        list(
            "Ambiguous links: several entities match, so none is used",
            true,
            report
                .ambiguous_links
                .iter()
                .map(|link| ProblemModel {
                    hint: id_list(&link.candidates),
                    ..located_problem(&link.location.path, link.location.line, &link.location.text)
                })
                .collect(),
        ),
        list(
            "Links without a target",
            true,
            report.dangling_links.iter().map(|place| located_problem(&place.path, place.line, &place.text)).collect(),
        ),
        list(
            "Parts of the files that the import cannot interpret",
            true,
            report.not_understood.iter().map(|place| located_problem(&place.path, place.line, &place.text)).collect(),
        ),
        list(
            "Skipped files",
            true,
            report
                .skipped
                .iter()
                .map(|file| ProblemModel { location: file.path.clone(), ..problem(&file.reason, "") })
                .collect(),
        ),
        list(
            "Same name as a known entity: added separately, review asks whether both are the same",
            false,
            report
                .possible_duplicates
                .iter()
                .map(|pair| problem(&format!("{} and {}", pair.new_entity, pair.existing_entity), ""))
                .collect(),
        ),
        list(
            "Linked, but not described: added with only a name, goes to review",
            false,
            report.stubs.iter().map(|id| problem(id.as_str(), "")).collect(),
        ),
        list("Kind unknown", false, report.without_kind.iter().map(|id| problem(id.as_str(), "")).collect()),
        list("Unchanged, although the files differ", false, others.into_iter().map(to_problem).collect()),
    ];
    lists.retain(|list| !list.rows.is_empty());
    lists
}

impl ProblemModel {
    fn from_warning(warning: &hearsay_engine::Warning) -> Self {
        let location = format!("{}:{}", warning.path, warning.line);
        Self { location, message: warning.message.clone(), ..Self::default() }
    }

    /// Converts an error of the engine to problems. Also returns the number of further problems that are not listed.
    pub fn from_error(error: &MemoryError) -> (Vec<Self>, usize) {
        let MemoryError::Campaign(errors) = error else {
            return (vec![Self { message: error.to_string(), ..Self::default() }], 0);
        };
        let to_problem = |error: &hearsay_engine::CampaignError| Self {
            location: match error.line {
                0 => error.file.clone(),
                line => format!("{}:{line}", error.file),
            },
            field: error.field.clone(),
            message: error.message.clone(),
            hint: error.hint.clone(),
        };
        (errors.errors.iter().map(to_problem).collect(), errors.omitted_errors)
    }
}

/// Returns the name of a stage.
pub fn stage_name(stage: ImportStage) -> &'static str {
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
                let parts = [&row.location, &row.field, &row.message, &row.hint];
                let parts: Vec<&str> = parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
                format!("  {}", parts.join(": "))
            }));
        }
        lines.join("\n")
    }
}
