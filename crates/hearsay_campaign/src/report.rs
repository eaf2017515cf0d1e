//! What an import does, for people.

use std::{collections::BTreeMap, fmt};

use hearsay_model::{EntityId, FactId};
use serde::Serialize;

use crate::Warning;

/// Something that the files say otherwise, and that is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// The fact, if it is one.
    pub fact: Option<FactId>,
    /// What it says, or which record it is.
    pub what: String,
    /// Why it is left.
    pub why: String,
}

/// What an import does. Made before anything is changed, so it serves as the dry run too.
///
/// Counts are of what the operation does, but for `audience` and `know_nothing`, which are of the whole campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// The source: the campaign's id.
    pub source: String,
    /// New entities, by kind.
    pub created: BTreeMap<String, usize>,
    /// Entities that were there already.
    pub matched: usize,
    /// Facts whose content stays and whose marks change.
    pub changed: usize,
    /// Facts that stand elsewhere in the files than before.
    pub moved: usize,
    /// Facts that the files do not say any more.
    pub removed: usize,
    /// New relations between entities.
    pub relations: usize,
    /// New facts, by predicate or attribute.
    pub facts: BTreeMap<String, usize>,
    /// New or changed edges of knowledge.
    pub knowledge: usize,
    /// Edges of knowledge that are withdrawn.
    pub unlearned: usize,
    /// New or changed texts.
    pub passages: usize,
    /// New or changed sessions.
    pub sessions: usize,
    /// New or changed reveals.
    pub reveals: usize,
    /// How many facts reach whom: `common`, `local`, `parties`, `private` by mark or rule; `secret` ones their holders;
    /// `told` ones (rumours, lies, lines, texts) those who heard or read them; `nobody`.
    pub audience: BTreeMap<&'static str, usize>,
    /// NPCs that would know nothing but their own name.
    pub know_nothing: Vec<EntityId>,
    /// What is left as it is, although the files say otherwise.
    pub kept: Vec<Kept>,
    /// What may not be meant as it is written.
    pub warnings: Vec<Warning>,
}

impl ImportReport {
    /// How many entities are new.
    pub fn created_count(&self) -> usize {
        self.created.values().sum()
    }

    /// How many facts are new.
    pub fn fact_count(&self) -> usize {
        self.facts.values().sum()
    }
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |counts: &BTreeMap<String, usize>| {
            let each: Vec<_> = counts.iter().map(|(name, n)| format!("{n} {name}")).collect();
            if each.is_empty() { String::new() } else { format!(" ({})", each.join(", ")) }
        };
        writeln!(f, "Import of {}", self.source)?;
        writeln!(f, "  entities   {} new{}, {} matched", self.created_count(), list(&self.created), self.matched)?;
        let (facts, relations) = (self.fact_count(), self.relations);
        let (changed, moved, removed) = (self.changed, self.moved, self.removed);
        writeln!(
            f,
            "  facts      {facts} new ({relations} relations), {changed} changed, {moved} moved, {removed} removed"
        )?;
        for (name, count) in &self.facts {
            writeln!(f, "             {count:>5} {name}")?;
        }
        writeln!(f, "  knowledge  {} new or changed, {} withdrawn", self.knowledge, self.unlearned)?;
        writeln!(f, "  passages   {} new or changed", self.passages)?;
        writeln!(f, "  sessions   {} new or changed", self.sessions)?;
        if self.reveals > 0 {
            writeln!(f, "  reveals    {} new or changed", self.reveals)?;
        }
        let audience: Vec<_> = self.audience.iter().map(|(name, n)| format!("{name} {n}")).collect();
        if !audience.is_empty() {
            writeln!(f, "  audience   {}", audience.join(", "))?;
        }
        if !self.know_nothing.is_empty() {
            let ids: Vec<_> = self.know_nothing.iter().map(EntityId::as_str).collect();
            writeln!(f, "  NPCs that would know nothing: {}", ids.join(", "))?;
        }
        for kept in &self.kept {
            writeln!(f, "  kept: {} ({})", kept.what, kept.why)?;
        }
        for warning in &self.warnings {
            writeln!(f, "  warning: {warning}")?;
        }
        Ok(())
    }
}
