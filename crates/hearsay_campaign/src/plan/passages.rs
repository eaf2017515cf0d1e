//! Changes of passages.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{Change, EntityId, Passage, PassageId};

use super::planner::{Planner, Withdrawn};

impl Planner<'_> {
    pub(super) fn plan_passages(
        &mut self,
        passages: BTreeMap<PassageId, Arc<Passage>>,
        removed_entities: &BTreeSet<EntityId>,
        withdrawn: &mut Withdrawn,
    ) {
        let mut removals = Vec::new();
        for (id, last) in &self.history.passages {
            if last.ours && last.value.is_some() && !passages.contains_key(id) {
                removals.push(*id);
            }
        }
        removals.sort_unstable();
        if self.is_foreign() {
            let replaced = self.find_replaced_passages(&passages);
            (removals, withdrawn.missing_passages) = removals.into_iter().partition(|id| replaced.contains(id));
        }
        self.removals.splice(0..0, removals.into_iter().map(Change::RemovePassage));
        for (id, passage) in passages {
            let mut passage = Arc::unwrap_or_clone(passage);
            passage.mentions.retain(|id| !removed_entities.contains(id));
            passage.heard_by.retain(|knower| knower.entity().is_none_or(|id| !removed_entities.contains(id)));
            passage.document = passage.document.filter(|id| !removed_entities.contains(id));
            passage.place = passage.place.filter(|id| !removed_entities.contains(id));
            let removed_session = passage.session.as_ref().and_then(|id| self.history.sessions.get(id));
            let has_removed_session = removed_session.is_some_and(|last| last.value.is_none() && !last.ours);
            if has_removed_session || passage.speaker.as_ref().is_some_and(|id| removed_entities.contains(id)) {
                continue;
            }
            let current = self.history.passages.get(&id).and_then(|last| last.value);
            // The files contain neither the characters who read the passage during play, nor the kind of talk, nor
            // whether the speaker lies.
            let is_unchanged =
                self.unchanged_records().is_some_and(|unchanged_records| unchanged_records.passages.contains_key(&id));
            if !is_unchanged || current.is_some() {
                passage.readers = current.map_or(Vec::new(), |current| current.readers.clone());
                passage.talk_kind = current.and_then(|current| current.talk_kind);
                passage.lie = current.is_some_and(|current| current.lie);
            }
            match self.history.passages.get(&id) {
                Some(_) if current.is_some_and(|current| **current == passage) => {}
                Some(last) if !last.ours => {
                    let description = passage.title.unwrap_or(passage.text);
                    self.report_unchanged(None, description, "the text was changed or removed in the campaign");
                }
                _ => {
                    self.report.passages += 1;
                    if let Some(recorded) = self.state.passage(id) {
                        passage.talk_kind = recorded.talk_kind;
                    }
                    self.additions.push(Change::AddPassage(Arc::new(passage)));
                }
            }
        }
    }
}
