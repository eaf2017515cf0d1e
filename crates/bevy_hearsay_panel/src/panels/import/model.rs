//! What the panel shows.

use std::path::PathBuf;

use hearsay_memory::{ImportReport, ImportStage, MemoryError};
use hearsay_model::Position;
use serde::Serialize;

use crate::text::counted;

/// What is in a folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FolderModel {
    /// Which folder.
    pub path: PathBuf,
    /// The one above it.
    pub above: Option<PathBuf>,
    /// What is in it that can be opened or imported: folders first, by name.
    pub entries: Vec<EntryModel>,
    /// How many more there are than are listed.
    pub more: usize,
    /// Whether files in it look like a campaign.
    pub importable: bool,
    /// Why it cannot be read.
    pub trouble: Option<String>,
}

/// A folder or a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntryModel {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is a folder.
    pub folder: bool,
}

/// What files say, before or after they were imported.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReportModel {
    /// What it is called.
    pub source: String,
    /// How much is new, changed, withdrawn: `12 new entities (8 npc, 4 location)`.
    pub counts: Vec<String>,
    /// How many facts reach whom.
    pub audience: Vec<(String, usize)>,
    /// NPCs that would know nothing.
    pub know_nothing: Vec<String>,
    /// What is left as it is although the files say otherwise: what, and why.
    pub kept: Vec<(String, String)>,
    /// What may not be meant: where, and what.
    pub warnings: Vec<ProblemModel>,
    /// Whether there is anything to do.
    pub anything: bool,
}

/// Something wrong or doubtful in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProblemModel {
    /// File and line: `people.yaml:12`.
    pub at: String,
    /// The field, if one is meant.
    pub field: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub hint: String,
}

/// How an import stands.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub enum ImportModel {
    /// Nothing was chosen yet, or something else was.
    #[default]
    Idle,
    /// The files are looked at.
    Checking,
    /// What they would change.
    Checked(ReportModel),
    /// What is wrong with them, and how much more.
    Wrong(Vec<ProblemModel>, usize),
    /// They are imported.
    Importing(ImportStage),
    /// They were imported: what it did, and where in the journal, unless there was nothing to do.
    Imported(ReportModel, Option<Position>),
    /// It was stopped before anything was written.
    Cancelled,
    /// The import was undone.
    Undone(String),
}

impl ReportModel {
    /// What the engine says, for people.
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
        Self {
            source: report.source.clone(),
            counts,
            audience: report.audience.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect(),
            know_nothing: report.know_nothing.iter().map(ToString::to_string).collect(),
            kept: report.kept.iter().map(|kept| (kept.what.clone(), kept.why.clone())).collect(),
            warnings: report.warnings.iter().map(ProblemModel::warning).collect(),
            anything: changes > 0,
        }
    }
}

impl ProblemModel {
    fn warning(warning: &hearsay_memory::Warning) -> Self {
        let at = format!("{}:{}", warning.path, warning.line);
        Self { at, field: String::new(), what: warning.what.clone(), hint: String::new() }
    }

    /// All that an error says, line by line, and how much more there is.
    pub fn of(error: &MemoryError) -> (Vec<Self>, usize) {
        let MemoryError::Campaign(errors) = error else {
            let (at, field, hint) = Default::default();
            return (vec![Self { at, field, what: error.to_string(), hint }], 0);
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

/// What a stage is called.
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
    /// All of it as text, to be put somewhere else.
    pub fn text(&self) -> String {
        let mut lines = vec![format!("Import of {}", self.source)];
        lines.extend(self.counts.iter().cloned());
        lines.extend(self.warnings.iter().map(|warning| format!("{}: {}", warning.at, warning.what)));
        lines.extend(self.kept.iter().map(|(what, why)| format!("kept: {what} ({why})")));
        lines.join("\n")
    }
}
