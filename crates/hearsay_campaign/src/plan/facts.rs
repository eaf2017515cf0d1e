//! Changes of facts, and conflicts with the values of other authors.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use hearsay_model::{Change, EntityId, Evidence, Fact, FactStatus, Provenance, Secrecy, Timestamp};

use super::{
    planner::{Planner, Withdrawn},
    three_way::{MISSING_RECORD, ReplacedFacts},
};
use crate::{UnappliedChange, history::History};

impl Planner<'_> {
    pub(super) fn plan_facts(&mut self, removed_entities: &BTreeSet<EntityId>) -> Withdrawn {
        let mut withdrawn = Withdrawn::default();
        let mut file_facts = HashSet::with_capacity(self.campaign.facts.len());
        // If another author withdrew a session, the session is not added again just because a fact names it.
        let has_removed_session = |fact: &Fact, history: &History| {
            let session = fact.provenance().session.as_ref().and_then(|id| history.sessions.get(id));
            session.is_some_and(|last| last.value.is_none() && !last.ours)
        };
        file_facts.extend(self.campaign.facts.iter().map(|campaign_fact| campaign_fact.fact.id()));
        let mut replaced =
            if self.is_foreign() { self.find_replaced_facts(&file_facts) } else { ReplacedFacts::default() };
        self.plan_edited_facts(&file_facts, &mut replaced, &mut withdrawn);
        for campaign_fact in &self.campaign.facts {
            let id = campaign_fact.fact.id();
            if campaign_fact.fact.entities().any(|entity| removed_entities.contains(entity))
                || has_removed_session(&campaign_fact.fact, &self.history)
            {
                withdrawn.not_added.insert(id);
                continue;
            }
            self.plan_fact(&campaign_fact.fact, &mut withdrawn, &replaced);
        }
        let mut missing_facts: Vec<_> = self.history.facts.iter().filter(|(id, _)| !file_facts.contains(id)).collect();
        missing_facts.sort_unstable_by_key(|(id, _)| **id);
        let missing_facts: Vec<_> = missing_facts.into_iter().map(|(id, history)| (*id, *history)).collect();
        for (id, history) in missing_facts {
            let (Some(fact), Some(_)) = (self.state.fact(id), history.ours) else { continue };
            let is_planned = withdrawn.retracted.contains(&id) || withdrawn.kept_facts.contains(&id);
            if is_planned || fact.predicate().as_str() == MISSING_RECORD {
                continue;
            }
            if let Some(other_change) = history.other_change {
                let (statement, reason) =
                    (fact.statement().to_owned(), format!("it was removed from the files, but {other_change}"));
                self.report_unchanged(Some(id), statement, reason);
                withdrawn.kept_facts.insert(id);
            } else if self.is_foreign() && !replaced.replaced.contains(&id) {
                withdrawn.kept_facts.insert(id);
                withdrawn.missing_facts.push(id);
            } else {
                self.remove_fact(fact, &mut withdrawn);
            }
        }
        withdrawn
    }

    fn plan_fact(&mut self, fact: &Arc<Fact>, withdrawn: &mut Withdrawn, replaced: &ReplacedFacts) {
        let id = fact.id();
        let history = self.history.facts.get(&id).copied().unwrap_or_default();
        let Some(current) = self.state.fact(id) else {
            if let (Some(_), Some(other_change)) = (history.ours, history.other_change) {
                self.report_unchanged(Some(id), fact.statement(), format!("{other_change}, so it is not added again"));
                withdrawn.not_added.insert(id);
                return;
            }
            if !withdrawn.replacements.values().any(|new| *new == id) {
                *self.report.facts.entry(fact.predicate().to_string()).or_default() += 1;
                if fact.object().entity().is_some() {
                    self.report.relations.count(fact.provenance().confidence.get());
                }
            }
            let conflict = self
                .conflicting_fact(fact, withdrawn)
                .map(|conflict| format!("it is only proposed, because `{}` is already recorded", conflict.statement()));
            let changed_on_both_sides = || {
                Some(format!("it was changed both in the files and in the campaign: {}", replaced.contested.get(&id)?))
            };
            let conflict = conflict.or_else(changed_on_both_sides);
            let status = if conflict.is_some() { FactStatus::Proposed } else { fact.status() };
            if let Some(reason) = conflict {
                self.report.conflicts.push(UnappliedChange {
                    fact: Some(id),
                    description: fact.statement().into(),
                    reason: reason.clone(),
                });
                self.report_unchanged(Some(id), fact.statement(), reason);
            }
            self.assert_fact(fact, status);
            return;
        };
        // A proposal that competes with another author's value stays a proposal until the DM decides.
        let is_contested = self.conflicting_fact(fact, withdrawn).is_some()
            || replaced.contested.contains_key(&id)
            || self.is_foreign() && history.ours.is_some_and(|ours| is_proposed(ours));
        let stays_proposed = current.status() == FactStatus::Proposed && is_contested;
        let status = if stays_proposed { FactStatus::Proposed } else { fact.status() };
        let is_same = is_same_fact(current, fact, status);
        // The comparison ignores evidence that others added.
        let base = history.ours.unwrap_or(current);
        let has_same_evidence = base.provenance().evidence == fact.provenance().evidence;
        if is_same && has_same_evidence {
            return;
        }
        let other_change =
            history.other_change.or(history.ours.is_none().then_some("another source also states this fact"));
        if let Some(other_change) = other_change.filter(|_| !self.is_edited_in_export(current)) {
            // A value of the files, such as a location, ends in play as a matter of course.
            let is_edited = history.ours.is_none_or(|ours| !is_same_fact(ours, fact, status));
            let has_ended = current.validity().is_closed() && current.status() == status;
            if !is_same && (is_edited || !has_ended) {
                self.report_unchanged(Some(id), fact.statement(), other_change);
            }
            return;
        }
        *(if is_same { &mut self.report.moved } else { &mut self.report.changed }) += 1;
        self.assert_fact(fact, status);
    }

    fn assert_fact(&mut self, fact: &Arc<Fact>, status: FactStatus) {
        let is_recorded = fact.provenance().recorded != Timestamp::default()
            || self.unchanged_records().is_some_and(|unchanged_records| unchanged_records.facts.contains(&fact.id()));
        if status == fact.status() && is_recorded {
            return self.additions.push(Change::AssertFact(Arc::clone(fact)));
        }
        let provenance = Provenance { recorded: self.now, ..fact.provenance().clone() };
        // A fact that was built before stays valid if only its time and status change, so an error cannot happen here.
        let built = fact.to_builder().status(status).provenance(provenance).build();
        self.additions.push(Change::AssertFact(built.map_or_else(|_| Arc::clone(fact), Arc::new)));
    }

    /// Returns a different value that another author recorded and that the import does not withdraw, if the fact allows
    /// one value at a time.
    fn conflicting_fact(&self, fact: &Fact, withdrawn: &Withdrawn) -> Option<&Arc<Fact>> {
        let is_counted = |fact: &Fact| {
            fact.status() == FactStatus::Canon && fact.secrecy() != Secrecy::Secret && !fact.validity().is_closed()
        };
        let is_functional = self.campaign.vocabulary.is_functional(fact.predicate());
        if !is_functional || !is_counted(fact) || self.state.entity(fact.subject()).is_none() {
            return None;
        }
        let others = self.state.facts_of(fact.subject()).filter(|other| {
            other.subject() == fact.subject()
                && other.predicate() == fact.predicate()
                && is_counted(other)
                && !withdrawn.retracted.contains(&other.id())
        });
        let mut conflicts: Vec<_> = others
            .filter(|other| other.object() != fact.object() && other.provenance().author != self.author)
            .collect();
        conflicts.sort_unstable_by_key(|conflict| conflict.id());
        conflicts.first().copied()
    }
}

fn is_proposed(fact: &Fact) -> bool {
    fact.status() == FactStatus::Proposed
}

/// Returns whether a fact of the state equals a fact of the files, apart from its position in the files and later
/// confirmations.
pub(super) fn is_same_fact(current: &Fact, fact: &Fact, status: FactStatus) -> bool {
    let provenance_without_time = |fact: &Fact| Provenance {
        recorded: Timestamp::default(),
        confirmed: false,
        evidence: Vec::<Evidence>::new(),
        ..fact.provenance().clone()
    };
    current.status() == status
        && current.secrecy() == fact.secrecy()
        && current.mentions() == fact.mentions()
        && current.attitude() == fact.attitude()
        && current.rank() == fact.rank()
        && current.conditions() == fact.conditions()
        && current.contradicts() == fact.contradicts()
        && current.validity() == fact.validity()
        && current.handle() == fact.handle()
        && provenance_without_time(current) == provenance_without_time(fact)
}
