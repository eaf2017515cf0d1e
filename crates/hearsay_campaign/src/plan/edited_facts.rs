//! Facts whose lines a person changed or removed in the notes of an export.
//!
//! Such an export is often imported into the campaign that wrote it, so these facts can have any author. If the fact of
//! the campaign has not changed since the export, the changed line is applied. If the fact has changed since the
//! export, the fact stays.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use hearsay_belief::{edges_with_dependents, move_edges};
use hearsay_model::{Change, EntityId, Evidence, Fact, FactId, KnowledgeEdge, KnowledgeId};

use super::{
    facts::is_same_fact,
    planner::{Planner, Withdrawn},
    three_way::ReplacedFacts,
};
use crate::{
    ChangedFact, RemovedFact,
    lossless::{fact_reference, is_fact_reference},
};

/// The reason why a fact stays.
const CHANGED_SINCE_EXPORT: &str = "it was changed in the campaign after the export";

impl Planner<'_> {
    /// Withdraws the facts whose lines were removed or changed. Adds the facts to `replaced.contested` that changed
    /// lines state about facts that the campaign changed too.
    pub(super) fn plan_edited_facts(
        &mut self,
        file_facts: &HashSet<FactId>,
        replaced: &mut ReplacedFacts,
        withdrawn: &mut Withdrawn,
    ) {
        let (state, campaign) = (self.state, self.campaign);
        let Some(records) = campaign.unchanged_records.as_deref() else { return };
        let earlier_edits = self.earlier_edits();
        let mut without_note: BTreeSet<&EntityId> = BTreeSet::new();
        for (id, edited) in &records.edited_facts {
            let current = state.fact(*id).filter(|_| !file_facts.contains(id));
            let exported = &edited.exported;
            let has_changed = current.is_some_and(|fact| !is_same_fact(fact, exported, exported.status()));
            let Some(new) = &edited.new else {
                match current {
                    None => {}
                    Some(fact) if records.removed.0.contains(fact.subject()) => {
                        without_note.insert(fact.subject());
                    }
                    Some(fact) if has_changed => {
                        let reason = format!("its line was removed, but {CHANGED_SINCE_EXPORT}");
                        self.report_unchanged(Some(*id), fact.statement(), reason);
                        withdrawn.kept_facts.insert(*id);
                    }
                    Some(fact) => self.remove_fact(fact, withdrawn),
                }
                continue;
            };
            if has_changed {
                replaced.contested.insert(new.id(), CHANGED_SINCE_EXPORT);
                withdrawn.kept_facts.insert(*id);
                continue;
            }
            let reference = fact_reference(*id);
            let earlier = earlier_edits.get(reference.trim_start()).into_iter().flatten();
            for previous in current.into_iter().chain(earlier.filter_map(|id| state.fact(*id))) {
                if !file_facts.contains(&previous.id()) && !withdrawn.retracted.contains(&previous.id()) {
                    self.replace_fact(previous, new, withdrawn);
                }
            }
        }
        without_note.retain(|id| !self.is_ours(id));
        for id in without_note {
            let reason = "its note was removed; use `hearsay entity remove` to remove the entity";
            self.report_unchanged(None, format!("entity `{id}`"), reason);
        }
    }

    fn is_ours(&self, id: &EntityId) -> bool {
        self.history.entities.get(id).is_some_and(|last| last.ours)
    }

    /// Withdraws a fact that the files no longer contain.
    pub(super) fn remove_fact(&mut self, fact: &Fact, withdrawn: &mut Withdrawn) {
        self.report.removed += 1;
        self.report.removed_facts.push(RemovedFact { fact: fact.id(), statement: fact.statement().to_owned() });
        self.removals.push(Change::RetractFact(fact.id()));
        withdrawn.retracted.insert(fact.id());
    }

    /// Withdraws a fact that a changed line replaces by a new fact.
    fn replace_fact(&mut self, previous: &Fact, new: &Fact, withdrawn: &mut Withdrawn) {
        self.report.changed += 1;
        // A fact about a changed fact is replaced too, but its sentence stays.
        if previous.statement() != new.statement() || previous.object() != new.object() {
            self.report.changed_facts.push(ChangedFact {
                old_fact: previous.id(),
                new_fact: new.id(),
                old_statement: previous.statement().to_owned(),
                new_statement: new.statement().to_owned(),
            });
        }
        self.removals.push(Change::RetractFact(previous.id()));
        withdrawn.retracted.insert(previous.id());
        withdrawn.replacements.insert(previous.id(), new.id());
    }

    /// Returns the facts that earlier imports of this source made from changed lines, by the reference of the line.
    fn earlier_edits(&self) -> HashMap<String, BTreeSet<FactId>> {
        let mut edits: HashMap<String, BTreeSet<FactId>> = HashMap::new();
        for (id, history) in &self.history.facts {
            let first_evidence = history.ours.and_then(|fact| fact.provenance().evidence.first());
            if let Some(Evidence::File { field, .. }) = first_evidence
                && is_fact_reference(field)
            {
                edits.entry(field.clone()).or_default().insert(*id);
            }
        }
        edits
    }

    /// Returns whether a line of an export changes details of a fact that the campaign did not change since the export.
    pub(super) fn is_edited_in_export(&self, current: &Fact) -> bool {
        let edited = self.unchanged_records().and_then(|records| records.edited_facts.get(&current.id()));
        edited.is_some_and(|edited| is_same_fact(current, &edited.exported, edited.exported.status()))
    }

    /// Moves the knowledge of replaced facts to the facts of the changed lines. If the campaign already has the fact of
    /// a changed line, its knowledge in the campaign counts, and not the knowledge in the export.
    pub(super) fn carry_over_knowledge(
        &self,
        edges: &mut BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
        withdrawn: &mut Withdrawn,
    ) {
        let Some(records) = self.unchanged_records() else { return };
        let new_facts = records.edited_facts.values().filter_map(|edited| edited.new.as_ref());
        let recorded: BTreeSet<FactId> =
            new_facts.map(|fact| fact.id()).filter(|id| self.state.fact(*id).is_some()).collect();
        let replacements: BTreeSet<FactId> = withdrawn.replacements.values().copied().collect();
        edges.retain(|_, edge| !recorded.contains(&edge.fact) && !replacements.contains(&edge.fact));
        edges.extend(edges_with_dependents(self.state, recorded));
        for change in move_edges(self.state, &withdrawn.replacements) {
            match change {
                Change::Learn(edge) => _ = edges.insert(edge.id(), edge),
                Change::Unlearn(id) => withdrawn.moved_edges.push(id),
                _ => {}
            }
        }
    }
}
