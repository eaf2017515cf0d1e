//! Changes of entities: entities that are added, and entities that the files no longer contain.

use std::collections::{BTreeSet, HashMap, HashSet};

use hearsay_model::{Change, Entity, EntityId, FactId, attribute};

use super::planner::{Planner, Withdrawn};

impl Planner<'_> {
    /// Adds new entities. Returns the entities that are not added, because another author removed them.
    pub(super) fn plan_entities(&mut self) -> BTreeSet<EntityId> {
        let mut removed_entities = BTreeSet::new();
        for (id, kind) in &self.campaign.entities {
            let removed =
                self.unchanged_records().is_some_and(|unchanged_records| unchanged_records.removed.0.contains(id));
            match self.history.entities.get(id) {
                Some(_) if removed => {}
                Some(last) if last.value.is_some() => self.report.matched += 1,
                Some(last) if !last.ours => {
                    let reason = match self.state.merged_into(id) {
                        Some(target) => format!(
                            "it was merged into `{target}`; use that id in the files, or undo the merge with `split`"
                        ),
                        None => "it was removed in the campaign, so it is not added again".to_owned(),
                    };
                    self.report_unchanged(None, format!("entity `{id}`"), reason);
                    removed_entities.insert(id.clone());
                }
                _ => {
                    *self.report.created.entry(kind.to_string()).or_default() += 1;
                    let external_ids = self.campaign.external_ids(id).to_vec();
                    self.additions.push(Change::AddEntity(Entity { id: id.clone(), external_ids }));
                }
            }
        }
        removed_entities
    }

    /// Removes entities that the files no longer contain, unless records of other authors use them.
    pub(super) fn remove_entities(&mut self, withdrawn: &Withdrawn) {
        let ours = self.missing_entities();
        if ours.is_empty() || self.is_foreign() {
            return;
        }
        // An entity stays if an edge or passage of another author points to it.
        let mut used: HashMap<&EntityId, &'static str> = HashMap::new();
        for edge in self.history.edges.values().filter(|last| !last.ours).filter_map(|last| last.value) {
            used.extend(edge.knower.entity().map(|id| (id, "it knows a fact that is not from the files")));
        }
        for passage in self.history.passages.values().filter(|last| !last.ours).filter_map(|last| last.value) {
            let mentioned =
                passage.speaker.iter().chain(&passage.place).chain(&passage.document).chain(&passage.mentions);
            let hearers = passage.heard_by.iter().filter_map(|knower| knower.entity());
            used.extend(mentioned.chain(hearers).map(|id| (id, "a text that is not from the files mentions it")));
        }
        let mut kept_entities = HashSet::new();
        for id in ours {
            let has_other_fact = self.state.facts_of(&id).any(|fact| !withdrawn.retracted.contains(&fact.id()));
            let reason = used.get(&id).copied().or(has_other_fact.then_some("a remaining fact mentions it"));
            match reason {
                Some(reason) => {
                    self.report_unchanged(
                        None,
                        format!("entity `{id}`"),
                        format!("it was removed from the files, but {reason}"),
                    );
                    kept_entities.insert(id);
                }
                None => self.removals.push(Change::RemoveEntity(id)),
            }
        }
        self.keep_names(&kept_entities);
    }

    /// Keeps the names and kinds of the entities that stay.
    fn keep_names(&mut self, kept_entities: &HashSet<EntityId>) {
        let names: HashSet<FactId> = kept_entities
            .iter()
            .flat_map(|id| self.state.facts_of(id).filter(move |fact| fact.subject() == id))
            .filter(|fact| [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str()))
            .map(|fact| fact.id())
            .collect();
        let history = &self.history;
        let (mut facts, mut edges) = (0, 0);
        self.removals.retain(|change| match change {
            Change::RetractFact(id) if names.contains(id) => {
                facts += 1;
                false
            }
            Change::Unlearn(id) => {
                let edge = history.edges.get(id).and_then(|last| last.value);
                let is_kept = edge.is_some_and(|edge| names.contains(&edge.fact));
                edges += usize::from(is_kept);
                !is_kept
            }
            _ => true,
        });
        self.report.removed -= facts;
        self.report.removed_facts.retain(|removed| !names.contains(&removed.fact));
        self.report.withdrawn_knowledge -= edges;
    }
}
