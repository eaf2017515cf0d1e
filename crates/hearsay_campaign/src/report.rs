//! What an import does, for people.

use std::{collections::BTreeMap, fmt};

use hearsay_model::{EntityId, FactId};
use serde::Serialize;

use crate::{
    Findings, Place, Warning,
    notes::{Format, Skipped},
};

/// How many relations are new, by how sure they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Relations {
    /// The files have a place for them: they count.
    pub high: usize,
    /// They follow from free text or a convention: they are proposed to the DM.
    pub low: usize,
}

impl Relations {
    /// The confidence from which on a relation is sure.
    const SURE: f64 = 0.7;

    /// Counts one.
    pub fn count(&mut self, confidence: f64) {
        *(if confidence >= Self::SURE { &mut self.high } else { &mut self.low }) += 1;
    }

    /// All of them.
    pub fn all(self) -> usize {
        self.high + self.low
    }
}

/// Something that the files have no more. It is proposed to the DM to withdraw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Deletion {
    /// Whom it is about.
    pub subject: EntityId,
    /// What it is.
    pub what: String,
}

/// Two entities of one name. They may be the same, or not: they are never merged for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Alike {
    /// The one that is new.
    pub one: EntityId,
    /// The other.
    pub other: EntityId,
    /// The name, as names are compared.
    pub name: String,
}

/// A link that may mean several notes. None is taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AmbiguousLink {
    /// Where it is written, and what.
    #[serde(flatten)]
    pub place: Place,
    /// What it may mean.
    pub meant: Vec<EntityId>,
}

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
    pub relations: Relations,
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
    /// What both the files and somebody else changed: the files' word is proposed, the other stands. It is in `kept` too.
    pub conflicts: Vec<Kept>,
    /// What files of another tool have no more: to withdraw it is proposed.
    pub deletions: Vec<Deletion>,
    /// New entities that are called like others.
    pub alike: Vec<Alike>,
    /// In which format the files are written; nothing for Hearsay's own.
    pub format: Option<Format>,
    /// How many links were found to mean a note.
    pub resolved: usize,
    /// How many links may mean several notes.
    pub ambiguous: usize,
    /// How many links lead nowhere.
    pub dangling: usize,
    /// The links that may mean several notes.
    pub ambiguous_links: Vec<AmbiguousLink>,
    /// The links that lead nowhere.
    pub dangling_links: Vec<Place>,
    /// The entities that are made of these, to be reviewed.
    pub stubs: Vec<EntityId>,
    /// Entities without a sign of what they are.
    pub kindless: Vec<EntityId>,
    /// What was not understood.
    pub unclear: Vec<Place>,
    /// What was not read, and why.
    pub skipped: Vec<Skipped>,
    /// What may not be meant as it is written.
    pub warnings: Vec<Warning>,
}

impl ImportReport {
    /// Takes over what was found in the files.
    pub(crate) fn found(&mut self, findings: &Findings) {
        let Findings { format, resolved, ambiguous, dangling, stubs, kindless, unclear, skipped, .. } = findings;
        (self.format, self.resolved) = (*format, *resolved);
        (self.ambiguous, self.dangling) = (ambiguous.len(), dangling.len());
        let links = ambiguous.iter().map(|(place, meant)| (place.clone(), meant.clone()));
        self.ambiguous_links = links.map(|(place, meant)| AmbiguousLink { place, meant }).collect();
        self.dangling_links.clone_from(dangling);
        self.stubs.clone_from(stubs);
        self.kindless.clone_from(kindless);
        self.unclear.clone_from(unclear);
        self.skipped.clone_from(skipped);
    }

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
        let format = self.format.map_or(String::new(), |format| format!(" ({format})"));
        writeln!(f, "Import of {}{format}", self.source)?;
        writeln!(f, "  entities   {} new{}, {} matched", self.created_count(), list(&self.created), self.matched)?;
        let (facts, changed, moved, removed) = (self.fact_count(), self.changed, self.moved, self.removed);
        let relations = match self.relations {
            Relations { high, low: 0 } => format!("{high} relations"),
            Relations { high, low } => format!("{high} relations, {low} more proposed"),
        };
        writeln!(f, "  facts      {facts} new ({relations}), {changed} changed, {moved} moved, {removed} removed")?;
        for (name, count) in &self.facts {
            writeln!(f, "             {count:>5} {name}")?;
        }
        writeln!(f, "  knowledge  {} new or changed, {} withdrawn", self.knowledge, self.unlearned)?;
        writeln!(f, "  passages   {} new or changed", self.passages)?;
        writeln!(f, "  sessions   {} new or changed", self.sessions)?;
        if self.reveals > 0 {
            writeln!(f, "  reveals    {} new or changed", self.reveals)?;
        }
        if self.format.is_some() {
            let (resolved, ambiguous, dangling) = (self.resolved, self.ambiguous, self.dangling);
            writeln!(f, "  links      {resolved} resolved, {ambiguous} ambiguous, {dangling} dangling")?;
        }
        let audience: Vec<_> = self.audience.iter().map(|(name, n)| format!("{name} {n}")).collect();
        if !audience.is_empty() {
            writeln!(f, "  audience   {}", audience.join(", "))?;
        }
        if !self.know_nothing.is_empty() {
            writeln!(f, "  NPCs that would know nothing: {}", ids(&self.know_nothing))?;
        }
        if !self.stubs.is_empty() {
            writeln!(f, "  linked to, but not there (to review): {}", ids(&self.stubs))?;
        }
        if !self.kindless.is_empty() {
            writeln!(f, "  without a sign of what they are: {}", ids(&self.kindless))?;
        }
        let at = |Place { path, line, what }: &Place| format!("{path}:{line}: {what}");
        lines(f, "may be the same", &self.alike, |Alike { one, other, .. }| format!("{one} and {other}"))?;
        lines(f, "to review", &self.deletions, |Deletion { what, .. }| what.clone())?;
        let ambiguous = |AmbiguousLink { place, meant }: &AmbiguousLink| format!("{} ({})", at(place), ids(meant));
        lines(f, "ambiguous", &self.ambiguous_links, ambiguous)?;
        lines(f, "dangling", &self.dangling_links, at)?;
        lines(f, "not understood", &self.unclear, at)?;
        lines(f, "skipped", &self.skipped, |Skipped { path, why }| format!("{path}: {why}"))?;
        lines(f, "kept", &self.kept, |kept| format!("{} ({})", kept.what, kept.why))?;
        lines(f, "warning", &self.warnings, Warning::to_string)
    }
}

/// Ids and lines of each kind that are written out; the report as data has all of them.
const SHOWN: usize = 20;

fn ids(ids: &[EntityId]) -> String {
    let shown: Vec<_> = ids.iter().take(SHOWN).map(EntityId::as_str).collect();
    match ids.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn lines<T>(f: &mut fmt::Formatter<'_>, kind: &str, all: &[T], line: impl Fn(&T) -> String) -> fmt::Result {
    for one in all.iter().take(SHOWN) {
        writeln!(f, "  {kind}: {}", line(one))?;
    }
    match all.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => writeln!(f, "  {kind}: {more} more; --json lists them all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_and_say_so() {
        let kindless = (0..SHOWN + 5).map(|n| EntityId::new(format!("note-{n}")).unwrap()).collect();
        let place = |n| Place { path: format!("{n}.md"), line: 1, what: "[[Nobody]]".into() };
        let dangling_links = (0..SHOWN as u32 + 1).map(place).collect();
        let report = ImportReport { kindless, dangling_links, ..ImportReport::default() }.to_string();
        assert!(report.contains("note-19 and 5 more\n") && !report.contains("note-20"), "{report}");
        assert!(report.contains("dangling: 19.md:1") && report.contains("dangling: 1 more; --json"), "{report}");
    }
}
