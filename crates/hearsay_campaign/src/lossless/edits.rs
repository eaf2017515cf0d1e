//! Facts whose lines a person changed or removed in the notes of an export.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use hearsay_model::{
    Author, Change, EntityId, Fact, FactId, GameSetting, Key, KnowledgeEdge, KnowledgeId, Rename, Setting, attribute,
};

use super::fact_line::{ChangedLine, StatedFact};
use crate::{Warning, campaign::EditedFact};

/// Maximum number of comparisons of sentences on one page, to find the facts of lines without a reference.
const MAX_COMPARISONS: usize = 10_000;

/// The changed and removed lines of facts.
#[derive(Debug, Default)]
pub(super) struct FactEdits {
    /// The entity of each note, by the path of the note without its extension.
    notes: HashMap<String, EntityId>,
    /// The changed line of each fact.
    lines: BTreeMap<FactId, ChangedLine>,
    /// The exported facts whose line was removed.
    removed: BTreeSet<FactId>,
    headers: Vec<Header>,
    warnings: Vec<Warning>,
}

/// A changed line that may contain the name or kind of an entity.
#[derive(Debug)]
struct Header {
    path: String,
    line: u32,
    entity: EntityId,
    attribute: &'static str,
}

impl FactEdits {
    /// Adds the note of an exported entity, so that links to it are understood.
    pub(super) fn add_note(&mut self, path: &str, id: &EntityId) {
        if let Some((path, _)) = path.rsplit_once('.') {
            self.notes.insert(path.to_owned(), id.clone());
        }
    }

    /// Adds a changed line if it may be the heading or the kind in the note of an exported entity.
    pub(super) fn add_header(&mut self, path: &str, line: u32, id: &EntityId, text: &str) {
        let attribute = match text {
            text if text.starts_with("# ") => attribute::NAME,
            text if text.starts_with("type:") => attribute::KIND,
            _ => return,
        };
        self.headers.push(Header { path: path.to_owned(), line, entity: id.clone(), attribute });
    }

    /// Warns about each changed heading and kind. `unchanged` contains the entities and attributes whose exported lines
    /// are no longer present, but whose records stay.
    fn warn_about_headers(&mut self, unchanged: &HashSet<(EntityId, &str)>) {
        for Header { path, line, entity, attribute } in std::mem::take(&mut self.headers) {
            let key = (entity, attribute);
            if unchanged.contains(&key) {
                let entity = &key.0;
                let message = format!(
                    "the import does not change the {attribute} of `{entity}`; use `hearsay entity set {entity} \
                     {attribute} …`"
                );
                self.warn(&path, line, message);
            }
        }
    }

    fn warn(&mut self, path: &str, line: u32, message: String) {
        self.warnings.push(Warning { path: path.to_owned(), line, message });
    }

    /// Finds the exported facts of the changed lines. `invalidated` contains the records whose lines are no longer
    /// present. Names and kinds of entities that still have a note are removed from `invalidated`, because they cannot
    /// be changed in a note.
    pub(super) fn match_lines(
        &mut self,
        changes: &[Change],
        invalidated: &mut BTreeSet<Key>,
        changed_lines: Vec<ChangedLine>,
    ) {
        let facts = changes.iter().filter_map(|change| match change {
            Change::AssertFact(fact) => Some(&**fact),
            _ => None,
        });
        let (mut missing, mut unchanged) = (BTreeMap::<FactId, &Fact>::new(), HashSet::<(EntityId, &str)>::new());
        for fact in facts.filter(|fact| invalidated.contains(&Key::Fact(fact.id()))).collect::<Vec<_>>() {
            if ![attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str()) {
                missing.insert(fact.id(), fact);
            } else if !invalidated.contains(&Key::Entity(fact.subject().clone())) {
                invalidated.remove(&Key::Fact(fact.id()));
                unchanged.insert((fact.subject().clone(), fact.predicate().as_str()));
            }
        }
        self.warn_about_headers(&unchanged);
        let mut by_reference: HashMap<String, Vec<FactId>> = HashMap::new();
        for id in missing.keys() {
            by_reference.entry(id.short()).or_default().push(*id);
        }
        let mut lines_by_page: BTreeMap<String, Vec<ChangedLine>> = BTreeMap::new();
        for line in changed_lines {
            let ids = line.reference.as_ref().and_then(|reference| by_reference.get(reference));
            match ids.map(Vec::as_slice) {
                Some(&[id]) if !self.lines.contains_key(&id) => _ = self.lines.insert(id, line),
                _ => lines_by_page.entry(line.page_id.clone()).or_default().push(line),
            }
        }
        missing.retain(|id, _| !self.lines.contains_key(id));
        let mut facts_by_page: HashMap<&str, Vec<&Fact>> = HashMap::new();
        for fact in missing.values().filter(|fact| fact.predicate().as_str() != attribute::ALIAS) {
            facts_by_page.entry(fact.subject().as_str()).or_default().push(fact);
        }
        for (page_id, lines) in lines_by_page {
            let facts = facts_by_page.get(page_id.as_str()).map_or(&[][..], Vec::as_slice);
            self.match_by_text(facts, lines);
        }
        self.removed = missing.into_keys().filter(|id| !self.lines.contains_key(id)).collect();
    }

    /// Finds the facts of changed lines without a usable reference: the line and the fact must have equal sentences, or
    /// be similar to each other and to no other line and fact of the page.
    fn match_by_text(&mut self, facts: &[&Fact], lines: Vec<ChangedLine>) {
        let can_compare = facts.len().saturating_mul(lines.len()) <= MAX_COMPARISONS;
        let mut similar: Vec<Vec<FactId>> = Vec::new();
        for line in &lines {
            let matching = |is_match: &dyn Fn(&Fact) -> bool| -> Vec<FactId> {
                facts.iter().filter(|fact| can_compare && is_match(fact)).map(|fact| fact.id()).collect()
            };
            let equal = matching(&|fact: &Fact| line.has_same_statement(fact));
            similar.push(if equal.is_empty() { matching(&|fact: &Fact| line.is_similar_to(fact)) } else { equal });
        }
        let mut counts: HashMap<FactId, usize> = HashMap::new();
        similar.iter().flatten().for_each(|id| *counts.entry(*id).or_default() += 1);
        for (line, ids) in lines.into_iter().zip(similar) {
            match ids.as_slice() {
                [id] if counts.get(id) == Some(&1) => _ = self.lines.insert(*id, line),
                [] if line.reference.is_none() => {}
                [] => {
                    let message = "the block reference at the end of this line (`^…`) matches no removed or changed \
                                   fact, so the import reads the line as new text; to change a recorded fact, use \
                                   `hearsay fact correct`";
                    self.warn(&line.path, line.number, message.to_owned());
                }
                _ => {
                    let message = "it is unclear which fact this changed line states, so the import reads the line as \
                                   new text; to change a recorded fact, use `hearsay fact correct`";
                    self.warn(&line.path, line.number, message.to_owned());
                }
            }
        }
    }

    /// Returns the position of each changed line of a fact: the path and the line number.
    pub(super) fn positions(&self) -> impl Iterator<Item = (String, u32)> {
        self.lines.values().map(|line| (line.path.clone(), line.number))
    }

    /// Replaces the changed facts in the records of the export, together with all references to them. Facts that were
    /// changed are removed from `invalidated`. Returns the changed and removed facts by the id of the exported fact.
    pub(super) fn apply(
        &mut self,
        changes: &mut [Change],
        invalidated: &mut BTreeSet<Key>,
        author: &Author,
    ) -> BTreeMap<FactId, EditedFact> {
        let mut edited = BTreeMap::new();
        let mut replacement = Replacement::default();
        for change in changes.iter_mut() {
            let Change::AssertFact(fact) = change else { continue };
            let exported = Arc::clone(fact);
            let id = exported.id();
            let new = match self.lines.remove(&id) {
                Some(line) => self.changed_fact(&line, &exported, author),
                None if self.removed.contains(&id) => None,
                // A fact about a changed fact, such as a refutation, is then about the new fact.
                None if exported.fact_relation().is_some_and(|of| replacement.facts.contains_key(&of.fact())) => {
                    let mut renamed = Fact::clone(&exported);
                    renamed.rename(&mut replacement);
                    Some(Arc::new(renamed))
                }
                None => continue,
            };
            if let Some(new) = &new {
                replacement.facts.insert(id, new.id());
                invalidated.remove(&Key::Fact(id));
                *fact = Arc::clone(new);
            }
            edited.insert(id, EditedFact { exported, new });
        }
        if replacement.facts.is_empty() {
            return edited;
        }
        for change in changes {
            match change {
                Change::Learn(edge) => {
                    let id = edge.id();
                    let mut renamed = KnowledgeEdge::clone(edge);
                    renamed.rename(&mut replacement);
                    let new_id = renamed.id();
                    if new_id != id {
                        replacement.edges.insert(id, new_id);
                        *edge = Arc::new(renamed);
                    }
                }
                Change::Set(Setting::Game(GameSetting::Reveal(_))) => change.rename(&mut replacement),
                _ => {}
            }
        }
        edited
    }

    fn changed_fact(&mut self, line: &ChangedLine, exported: &Fact, author: &Author) -> Option<Arc<Fact>> {
        let StatedFact { fact, has_old_value } = line.changed_fact(exported, author, &self.notes)?;
        if has_old_value {
            let message = format!(
                "the new sentence does not show the value `{}`, so the fact keeps this value; change it with `hearsay \
                 fact correct`",
                exported.object()
            );
            self.warn(&line.path, line.number, message);
        }
        Some(Arc::new(fact))
    }

    pub(super) fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }
}

/// Replaces changed facts, and the knowledge edges of these facts.
#[derive(Default)]
struct Replacement {
    facts: HashMap<FactId, FactId>,
    edges: HashMap<KnowledgeId, KnowledgeId>,
}

impl Rename for Replacement {
    fn fact(&mut self, id: &mut FactId) {
        if let Some(new) = self.facts.get(id) {
            *id = *new;
        }
    }

    fn edge(&mut self, id: &mut KnowledgeId) {
        if let Some(new) = self.edges.get(id) {
            *id = *new;
        }
    }
}
