//! The report of an import, as text and as JSON.

use std::{collections::BTreeMap, fmt};

use hearsay_model::{EntityId, Fact, FactId};
use serde::Serialize;

use crate::{FileLocation, Format, ImportFindings, Skipped, Warning};

/// The numbers of new relations that need no review (`high`) and that need a review (`low`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RelationCounts {
    /// Number of relations that come from fields of the format. These relations need no review.
    pub high: usize,
    /// Number of relations that come from free text or from a convention. These relations are proposed to the DM.
    pub low: usize,
}

impl RelationCounts {
    /// Minimum confidence of a relation that is counted in `high`.
    const MIN_HIGH_CONFIDENCE: f64 = 0.7;

    /// Counts one relation with this confidence, from 0 to 1.
    pub fn count(&mut self, confidence: f64) {
        *(if confidence >= Self::MIN_HIGH_CONFIDENCE { &mut self.high } else { &mut self.low }) += 1;
    }

    /// Returns the number of all relations.
    pub fn all(self) -> usize {
        self.high + self.low
    }
}

/// A record that the files of another tool no longer contain. The import proposes the withdrawal of this record to the
/// DM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Deletion {
    /// The entity that the record is about.
    pub subject: EntityId,
    /// A description of the record for the DM.
    pub description: String,
}

/// A fact whose line in an exported vault was changed. The new fact replaces the old fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedFact {
    /// The id of the old fact, which is retracted.
    pub old_fact: FactId,
    /// The id of the new fact. The new fact has the secrecy and the knowers of the old fact.
    pub new_fact: FactId,
    /// The sentence of the old fact.
    pub old_statement: String,
    /// The sentence of the new fact.
    pub new_statement: String,
}

/// A fact that is retracted because the files no longer contain it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemovedFact {
    /// The id of the fact.
    pub fact: FactId,
    /// The sentence of the fact.
    pub statement: String,
}

/// A fact in the files that nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactWithoutKnower {
    /// The id of the fact.
    pub fact: FactId,
    /// The sentence of the fact.
    pub statement: String,
}

impl FactWithoutKnower {
    pub(crate) fn from_fact(fact: &Fact) -> Self {
        Self { fact: fact.id(), statement: fact.statement().to_owned() }
    }
}

/// Two entities with the same name. It is possible that the two are the same entity, but an import never merges
/// entities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PossibleDuplicate {
    /// The new entity.
    pub new_entity: EntityId,
    /// The other entity with this name.
    pub existing_entity: EntityId,
    /// The name that both entities have, normalized for comparison.
    pub name: String,
}

/// A link that matches several notes. The target of the link is therefore uncertain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AmbiguousLink {
    /// The position and the text of the link.
    #[serde(flatten)]
    pub location: FileLocation,
    /// The entities of the notes that match.
    pub candidates: Vec<EntityId>,
}

/// A record that the import leaves unchanged, although the files differ from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnappliedChange {
    /// The id of the fact, if the record is a fact.
    pub fact: Option<FactId>,
    /// A description of the record for the DM.
    pub description: String,
    /// The reason why the import leaves the record unchanged.
    pub reason: String,
}

/// The changes that an import makes. The report is created before the import changes data, so you can also use it for a
/// dry run.
///
/// All counts describe the changes that this import makes. Only `audience`, `without_knower` and `without_knowledge`
/// describe the whole campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// The name of the source, which is the id of the campaign.
    pub source: String,
    /// Number of new entities, by kind.
    pub created: BTreeMap<String, usize>,
    /// Number of entities in the files that already exist in the campaign.
    pub matched: usize,
    /// Number of facts whose details change, such as the status, the dates or the rank. Includes the facts in
    /// `changed_facts`.
    pub changed: usize,
    /// Facts whose lines in an exported vault were changed.
    pub changed_facts: Vec<ChangedFact>,
    /// Number of facts that only moved to another position in the files.
    pub moved: usize,
    /// Number of facts that are retracted because the files no longer contain them.
    pub removed: usize,
    /// The facts that `removed` counts.
    pub removed_facts: Vec<RemovedFact>,
    /// The numbers of new relations between entities, with and without need for a review.
    pub relations: RelationCounts,
    /// Number of new facts, by the name of their predicate.
    pub facts: BTreeMap<String, usize>,
    /// Number of new or changed knowledge edges.
    pub knowledge: usize,
    /// Number of knowledge edges that are withdrawn.
    pub withdrawn_knowledge: usize,
    /// Number of new or changed passages.
    pub passages: usize,
    /// Number of new or changed sessions.
    pub sessions: usize,
    /// Number of new or changed reveals.
    pub reveals: usize,
    /// Number of facts for each audience. The audiences `common`, `local`, `parties` and `private` come from the files
    /// or from the audience rules. The key `secret` counts the facts that only their named knowers know. The key `told`
    /// counts the facts that only their hearers and readers know, such as rumours and lies. The key `nobody` counts the
    /// facts without a knower.
    pub audience: BTreeMap<&'static str, usize>,
    /// The facts that the key `nobody` of `audience` counts.
    pub without_knower: Vec<FactWithoutKnower>,
    /// NPCs that know only names and kinds after the import.
    pub without_knowledge: Vec<EntityId>,
    /// Records that the import leaves unchanged, although the files differ from them.
    pub unapplied_changes: Vec<UnappliedChange>,
    /// Records that both the files and another author changed. The value of the other author stays, and the value in
    /// the files is proposed to the DM. Each of these records is also in `unapplied_changes`.
    pub conflicts: Vec<UnappliedChange>,
    /// Records that the files of another tool no longer contain. The import proposes to the DM to withdraw these
    /// records.
    pub deletions: Vec<Deletion>,
    /// New entities that have the same name as another entity.
    pub possible_duplicates: Vec<PossibleDuplicate>,
    /// The format of the files; `None` for Hearsay's own format.
    pub format: Option<Format>,
    /// The number of links that resolve to a note.
    pub resolved: usize,
    /// The number of links that match several notes.
    pub ambiguous: usize,
    /// The number of links whose target does not exist.
    pub dangling: usize,
    /// The links that match several notes.
    pub ambiguous_links: Vec<AmbiguousLink>,
    /// The links whose target does not exist.
    pub dangling_links: Vec<FileLocation>,
    /// The entities that are created for links whose target does not exist. The DM reviews these entities.
    pub stubs: Vec<EntityId>,
    /// Entities of other sources that have the same name as a note. The import assumes that the note describes this
    /// entity.
    pub linked: Vec<EntityId>,
    /// Entities whose kind could not be determined.
    pub without_kind: Vec<EntityId>,
    /// Places in the campaign files whose text could not be interpreted.
    pub not_understood: Vec<FileLocation>,
    /// Files and records that were not read, with the reason.
    pub skipped: Vec<Skipped>,
    /// Warnings about text that was read but may contain a mistake.
    pub warnings: Vec<Warning>,
}

impl ImportReport {
    /// Copies the findings in the files into the report.
    pub(crate) fn add_findings(&mut self, findings: &ImportFindings) {
        let ImportFindings {
            format,
            resolved,
            ambiguous,
            dangling,
            stubs,
            linked,
            without_kind,
            not_understood,
            skipped,
            ..
        } = findings;
        (self.format, self.resolved) = (*format, *resolved);
        (self.ambiguous, self.dangling) = (ambiguous.len(), dangling.len());
        let links = ambiguous.iter().map(|(location, candidates)| (location.clone(), candidates.clone()));
        self.ambiguous_links = links.map(|(location, candidates)| AmbiguousLink { location, candidates }).collect();
        self.dangling_links.clone_from(dangling);
        self.stubs.clone_from(stubs);
        self.linked.clone_from(linked);
        self.without_kind.clone_from(without_kind);
        self.not_understood.clone_from(not_understood);
        self.skipped.clone_from(skipped);
    }

    /// Returns the number of new entities.
    pub fn created_count(&self) -> usize {
        self.created.values().sum()
    }

    /// Returns the number of new facts.
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
            RelationCounts { high, low: 0 } => format!("{high} relations"),
            RelationCounts { high, low } => format!("{high} relations, {low} more proposed"),
        };
        writeln!(f, "  facts      {facts} new ({relations}), {changed} changed, {moved} moved, {removed} removed")?;
        for (name, count) in &self.facts {
            writeln!(f, "             {count:>5} {name}")?;
        }
        writeln!(f, "  knowledge  {} new or changed, {} withdrawn", self.knowledge, self.withdrawn_knowledge)?;
        writeln!(f, "  passages   {} new or changed", self.passages)?;
        writeln!(f, "  sessions   {} new or changed", self.sessions)?;
        if self.reveals > 0 {
            writeln!(f, "  reveals    {} new or changed", self.reveals)?;
        }
        if self.format.is_some() {
            let (resolved, ambiguous, dangling) = (self.resolved, self.ambiguous, self.dangling);
            writeln!(f, "  links      {resolved} resolved, {ambiguous} ambiguous, {dangling} dangling")?;
        }
        write_list(f, "changed", &self.changed_facts, |changed| {
            format!("{} \u{2192} {}", changed.old_statement, changed.new_statement)
        })?;
        write_list(f, "removed", &self.removed_facts, |removed| removed.statement.clone())?;
        let audience = self.audience.iter().filter(|(_, n)| **n > 0);
        let audience: Vec<_> = audience.map(|(name, n)| format!("{n} to {}", audience_phrase(name))).collect();
        if !audience.is_empty() {
            writeln!(f, "  known      {}", audience.join(", "))?;
        }
        write_list(f, "known to nobody", &self.without_knower, |unknown| {
            format!("{} [{}]", unknown.statement, unknown.fact.short())
        })?;
        if !self.without_knowledge.is_empty() {
            writeln!(f, "  NPCs who know only names and kinds: {}", join_ids(&self.without_knowledge))?;
        }
        if !self.stubs.is_empty() {
            writeln!(f, "  entities for missing link targets (to review): {}", join_ids(&self.stubs))?;
        }
        if !self.linked.is_empty() {
            writeln!(f, "  linked by name to entities of the campaign: {}", join_ids(&self.linked))?;
        }
        if !self.without_kind.is_empty() {
            writeln!(f, "  entities of unknown kind: {}", join_ids(&self.without_kind))?;
        }
        let format_location = |FileLocation { path, line, text }: &FileLocation| format!("{path}:{line}: {text}");
        write_list(
            f,
            "possible duplicate",
            &self.possible_duplicates,
            |PossibleDuplicate { new_entity: first, existing_entity: other, .. }| format!("{first} and {other}"),
        )?;
        write_list(f, "to review", &self.deletions, |Deletion { description, .. }| description.clone())?;
        let ambiguous = |AmbiguousLink { location, candidates }: &AmbiguousLink| {
            format!("{} ({})", format_location(location), join_ids(candidates))
        };
        write_list(f, "ambiguous", &self.ambiguous_links, ambiguous)?;
        write_list(f, "dangling", &self.dangling_links, format_location)?;
        write_list(f, "not understood", &self.not_understood, format_location)?;
        write_list(f, "skipped", &self.skipped, |Skipped { path, reason }| format!("{path}: {reason}"))?;
        write_list(f, "kept", &self.unapplied_changes, |kept| format!("{} ({})", kept.description, kept.reason))?;
        write_list(f, "warning", &self.warnings, Warning::to_string)
    }
}

/// Maximum number of ids, and of lines of each kind, in the printed report. The JSON report contains all ids and lines.
const MAX_SHOWN: usize = 20;

/// Returns a phrase for the knowers of an audience.
fn audience_phrase(audience: &str) -> &str {
    match audience {
        "common" => "everybody",
        "local" => "the subject and its place",
        "parties" => "the subject and the object",
        "private" => "the subject only",
        "secret" => "the knowers of a secret",
        "told" => "named characters",
        other => other,
    }
}

fn join_ids(ids: &[EntityId]) -> String {
    let shown: Vec<_> = ids.iter().take(MAX_SHOWN).map(EntityId::as_str).collect();
    match ids.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn write_list<T>(f: &mut fmt::Formatter<'_>, kind: &str, items: &[T], line: impl Fn(&T) -> String) -> fmt::Result {
    for item in items.iter().take(MAX_SHOWN) {
        writeln!(f, "  {kind}: {}", line(item))?;
    }
    match items.len().saturating_sub(MAX_SHOWN) {
        0 => Ok(()),
        more => writeln!(f, "  {kind}: {more} more; --json lists them all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_and_say_so() {
        let without_kind = (0..MAX_SHOWN + 5).map(|n| EntityId::new(format!("note-{n}")).unwrap()).collect();
        let place = |n| FileLocation { path: format!("{n}.md"), line: 1, text: "[[Nobody]]".into() };
        let dangling_links = (0..MAX_SHOWN as u32 + 1).map(place).collect();
        let report = ImportReport { without_kind, dangling_links, ..ImportReport::default() }.to_string();
        assert!(report.contains("note-19 and 5 more\n") && !report.contains("note-20"), "{report}");
        assert!(report.contains("dangling: 19.md:1") && report.contains("dangling: 1 more; --json"), "{report}");
    }
}
