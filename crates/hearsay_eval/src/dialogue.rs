//! Measures the check of replies with labelled drafts: what characters might say, right and wrong.
//!
//! The drafts were written from the text of the campaigns alone, without knowledge of the check. Each draft has one
//! label. The file `data/dialogue/README.md` describes the labels and how the drafts were made. The drafts of the
//! development part determined the weights and thresholds of the check; the drafts of the test part did not.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use hearsay_commands::reply::{CitedFact, DraftReply, FindingKind, ReplyCheck};
use hearsay_engine::{Memory, MemoryOptions, ModelStatus, Settings};
use hearsay_model::{EntityId, Span};
use serde::{Deserialize, Serialize};

use crate::readers::TimeQuantiles;

/// Label of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftLabel {
    /// The draft may be said as it is.
    Fine,
    /// The draft reveals a secret that the speaker conceals from the listeners.
    Leak,
    /// The draft states something for which the campaign has no source.
    Invention,
    /// The draft contradicts a fact that the speaker knows.
    Contradiction,
}

impl DraftLabel {
    /// All labels.
    pub const ALL: [Self; 4] = [Self::Fine, Self::Leak, Self::Invention, Self::Contradiction];

    /// Returns the label as lowercase text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Leak => "leak",
            Self::Invention => "invention",
            Self::Contradiction => "contradiction",
        }
    }
}

/// Part of the drafts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DraftPart {
    /// Drafts that determined the weights and thresholds.
    Development,
    /// Drafts that were kept apart.
    Test,
}

/// A labelled draft.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledDraft {
    /// Directory name of the campaign.
    pub campaign: String,
    /// Part of the drafts to which this draft belongs.
    pub part: DraftPart,
    /// Character that says the draft.
    pub speaker: EntityId,
    /// Characters that hear the draft.
    pub listeners: Vec<EntityId>,
    /// Words that the speaker answers.
    pub question: String,
    /// Words of the draft.
    pub text: String,
    /// Label of the draft.
    pub label: DraftLabel,
    /// Handles or ids of the facts that leak or are contradicted.
    pub facts: Vec<String>,
    /// The wrong words, as they occur in the draft. Empty for a fine draft.
    pub words: String,
}

impl LabelledDraft {
    /// Returns the draft to check.
    pub fn draft(&self) -> DraftReply {
        let draft = DraftReply::new(self.speaker.clone(), self.listeners.clone(), self.text.clone());
        DraftReply { heard: vec![self.question.clone()], ..draft }
    }

    /// Returns the position of the wrong words.
    fn span(&self) -> Option<Span> {
        let start = self.text.find(&self.words).filter(|_| !self.words.is_empty())?;
        Some(Span { start, end: start + self.words.len() })
    }

    /// Returns whether the check judges the draft rightly: it finds the wrong words, or finds nothing in a fine draft.
    pub fn is_judged_rightly(&self, check: &ReplyCheck) -> bool {
        let span = self.span();
        let overlaps = |other: Span| span.is_some_and(|span| span.start < other.end && other.start < span.end);
        match self.label {
            DraftLabel::Fine => check.is_fine(),
            DraftLabel::Leak => check
                .of_kind(FindingKind::RevealsSecret)
                .any(|finding| overlaps(finding.span) && finding.facts.iter().any(|cited| self.cites(cited))),
            DraftLabel::Invention | DraftLabel::Contradiction => {
                let is_problem = |kind| matches!(kind, FindingKind::Contradicts | FindingKind::UnknownName);
                check.findings.iter().any(|finding| is_problem(finding.kind) && overlaps(finding.span))
            }
        }
    }

    fn cites(&self, cited: &CitedFact) -> bool {
        let id = cited.fact.to_string();
        self.facts.iter().any(|fact| cited.handle.as_ref() == Some(fact) || id.starts_with(fact.as_str()))
    }
}

/// A draft with the result of its check.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedDraft {
    /// The draft.
    pub draft: LabelledDraft,
    /// Whether the check judged the draft rightly.
    pub is_right: bool,
    /// The findings.
    pub check: ReplyCheck,
}

/// Counts of drafts with one label.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DraftCounts {
    /// Number of drafts.
    pub count: usize,
    /// Number of drafts that were judged rightly.
    pub right: usize,
    /// Number of drafts with any problem.
    pub with_problem: usize,
}

/// Result of the measurement.
#[derive(Debug, Clone, Serialize)]
pub struct DialogueFigures {
    /// Counts for each part and label.
    pub counts: BTreeMap<DraftPart, BTreeMap<DraftLabel, DraftCounts>>,
    /// Times of the checks.
    pub check: TimeQuantiles,
}

/// Reads the drafts of a directory: all files that end in `.jsonl`, sorted by name.
///
/// # Errors
/// Returns an error if a file cannot be read, or if a line is not a labelled draft.
pub fn read_drafts(directory: &Path) -> Result<Vec<LabelledDraft>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))? {
        let path = entry?.path();
        files.extend(path.extension().is_some_and(|extension| extension == "jsonl").then_some(path));
    }
    files.sort();
    let mut drafts = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let place = || format!("{}, line {}", file.display(), at + 1);
            let draft: LabelledDraft = serde_json::from_str(line).with_context(place)?;
            if (draft.label == DraftLabel::Fine) != draft.words.is_empty() || !draft.text.contains(&draft.words) {
                bail!(
                    "{}: `words` must be a part of `text`, and must be empty if and only if the label is \
                       fine",
                    place()
                );
            }
            drafts.push(draft);
        }
    }
    Ok(drafts)
}

/// Checks drafts. `campaign` returns the directory of a campaign for the name in the drafts.
///
/// # Errors
/// Returns an error if a campaign cannot be imported, if there is no sentence encoder, or if a check fails.
pub fn check_drafts(
    drafts: &[LabelledDraft],
    campaign: impl Fn(&str) -> PathBuf,
) -> Result<(Vec<CheckedDraft>, DialogueFigures)> {
    let mut by_campaign: BTreeMap<&str, Vec<&LabelledDraft>> = BTreeMap::new();
    for draft in drafts {
        by_campaign.entry(&draft.campaign).or_default().push(draft);
    }
    let (mut checked, mut times) = (Vec::new(), Vec::new());
    for (name, drafts) in by_campaign {
        let memory = open(&campaign(name))?;
        for draft in drafts {
            // The first check of a speaker computes the view, which a running program has already.
            memory.check_reply(draft.draft())?.wait().with_context(|| format!("draft {:?}", draft.text))?;
            let start = Instant::now();
            let check = memory.check_reply(draft.draft())?.wait()?;
            times.push(start.elapsed());
            let is_right = draft.is_judged_rightly(&check);
            checked.push(CheckedDraft { draft: draft.clone(), is_right, check });
        }
        memory.close()?;
    }
    let mut counts: BTreeMap<DraftPart, BTreeMap<DraftLabel, DraftCounts>> = BTreeMap::new();
    for one in &checked {
        let counts = counts.entry(one.draft.part).or_default().entry(one.draft.label).or_default();
        counts.count += 1;
        counts.right += usize::from(one.is_right);
        counts.with_problem += usize::from(!one.check.is_fine());
    }
    Ok((checked, DialogueFigures { counts, check: TimeQuantiles::from_times(times) }))
}

pub(crate) fn open(campaign: &Path) -> Result<Memory> {
    let mut settings = Settings::default();
    settings.extraction.enabled = false;
    let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() })?;
    memory.import(campaign)?.wait().with_context(|| format!("cannot import {}", campaign.display()))?;
    if let ModelStatus::None { why } = memory.wait_for_vectors(|_, _| true)?.model {
        bail!("there is no sentence encoder: {why}");
    }
    Ok(memory)
}
