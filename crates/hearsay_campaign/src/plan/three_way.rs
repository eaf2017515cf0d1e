//! Three-way comparison for repeated imports: changes in the files, changes by other authors, and conflicts.
//!
//! The last import is the common base of the comparison. If an earlier import wrote a record and no other author
//! changed it, the record gets its value from the files. If the files no longer contain the record, there are two
//! cases. If another record is at its position, the files changed the record. If no other record is at its position,
//! the files omit the record. The DM writes Hearsay's own files, so a record that these files omit is withdrawn. Files
//! of other tools omit records for many reasons: for example, a note was moved, or is not finished. The withdrawal of
//! such a record is therefore proposed to the DM.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use hearsay_model::{
    Change, Confidence, EntityId, Evidence, Fact, FactId, FactStatus, Method, Passage, PassageId, Predicate,
    Provenance, Secrecy, text,
};

use super::planner::{Planner, Withdrawn};
use crate::{Deletion, PossibleDuplicate, names::name_key};

/// The attribute of a proposal to withdraw a record that the files no longer contain. The value of the attribute names
/// the record: see [`MissingRecord`].
pub const MISSING_RECORD: &str = "left_out";

/// A record that the files no longer contain. The value of a fact with the attribute [`MISSING_RECORD`] names this
/// record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingRecord {
    /// The files no longer contain this fact.
    Fact(FactId),
    /// The files no longer contain this passage.
    Passage(PassageId),
    /// The files no longer contain this entity, including all facts about it.
    Entity(EntityId),
}

impl MissingRecord {
    /// Returns the record whose withdrawal a fact proposes, or `None` if the fact proposes no withdrawal.
    pub fn from_fact(fact: &Fact) -> Option<Self> {
        if fact.predicate().as_str() != MISSING_RECORD {
            return None;
        }
        let (kind, id) = fact.object().text()?.split_once(' ')?;
        match kind {
            "fact" => id.parse().ok().map(Self::Fact),
            "text" => id.parse().ok().map(Self::Passage),
            "entity" => id.parse().ok().map(Self::Entity),
            _ => None,
        }
    }

    fn to_value(&self) -> String {
        match self {
            Self::Fact(id) => format!("fact {id}"),
            Self::Passage(id) => format!("text {id}"),
            Self::Entity(id) => format!("entity {id}"),
        }
    }
}

/// The position of a record in the files: its document, subject and predicate.
type FactPosition<'a> = (&'a str, &'a EntityId, &'a Predicate);

/// Facts of the last import that other facts in the files replace.
#[derive(Debug, Default)]
pub(super) struct ReplacedFacts {
    /// Facts of the last import at whose position the files now have another fact.
    pub(super) replaced: HashSet<FactId>,
    /// Facts that replace a fact that another author changed. The value describes the change by the other author.
    pub(super) contested: HashMap<FactId, &'static str>,
}

fn evidence_source(evidence: &[Evidence]) -> Option<&str> {
    evidence.iter().find_map(|evidence| match evidence {
        Evidence::Excerpt(excerpt) => Some(&*excerpt.source),
        _ => None,
    })
}

fn fact_position(fact: &Fact) -> Option<FactPosition<'_>> {
    Some((evidence_source(&fact.provenance().evidence)?, fact.subject(), fact.predicate()))
}

impl Planner<'_> {
    /// Returns whether the files come from another tool. The files of an exported vault come from Hearsay itself.
    pub(super) fn is_foreign(&self) -> bool {
        self.campaign.findings.format.is_some() && self.campaign.unchanged_records.is_none()
    }

    /// Compares the facts that the files no longer contain with the new facts, position by position.
    pub(super) fn find_replaced_facts(&self, file_facts: &HashSet<FactId>) -> ReplacedFacts {
        let mut replaced = ReplacedFacts::default();
        let mut new_facts: HashMap<FactPosition, Vec<FactId>> = HashMap::new();
        for campaign_fact in &self.campaign.facts {
            let id = campaign_fact.fact.id();
            if !self.history.facts.contains_key(&id)
                && let Some(position) = fact_position(&campaign_fact.fact)
            {
                new_facts.entry(position).or_default().push(id);
            }
        }
        let mut missing_facts: HashMap<FactPosition, Vec<(FactId, Option<&'static str>)>> = HashMap::new();
        for (id, history) in &self.history.facts {
            if let Some(fact) = history.ours.filter(|_| !file_facts.contains(id))
                && let Some(position) = fact_position(fact)
            {
                missing_facts.entry(position).or_default().push((*id, history.other_change));
            }
        }
        for (position, mut missing_facts) in missing_facts {
            let Some(mut new_facts) = new_facts.remove(&position) else { continue };
            missing_facts.sort_unstable_by_key(|(id, _)| *id);
            new_facts.sort_unstable();
            replaced.replaced.extend(missing_facts.iter().map(|(id, _)| *id).take(new_facts.len()));
            // If the DM changed the old fact, either value may be right, so the value in the files is proposed.
            if let Some(other_change) = missing_facts.iter().find_map(|(_, other_change)| *other_change) {
                replaced.contested.extend(new_facts.into_iter().map(|id| (id, other_change)));
            }
        }
        replaced
    }

    /// Returns the passages of the last import that the files moved within their document, or at whose position the files
    /// now have another passage.
    pub(super) fn find_replaced_passages(
        &self,
        file_passages: &BTreeMap<PassageId, Arc<Passage>>,
    ) -> HashSet<PassageId> {
        type PassagePosition<'a> = (Option<&'a str>, Option<&'a str>);
        fn passage_position(passage: &Passage) -> PassagePosition<'_> {
            (evidence_source(&passage.evidence), passage.title.as_deref())
        }
        let mut new_counts: HashMap<PassagePosition, usize> = HashMap::new();
        let mut new_positions: HashMap<(Option<&str>, &str), Vec<PassagePosition>> = HashMap::new();
        for (id, passage) in file_passages {
            if !self.history.passages.contains_key(id) {
                let position = passage_position(passage);
                *new_counts.entry(position).or_default() += 1;
                new_positions.entry((position.0, passage.text.as_str())).or_default().push(position);
            }
        }
        let mut missing_passages: Vec<(PassageId, &Arc<Passage>)> = Vec::new();
        for (id, last) in &self.history.passages {
            if let Some(passage) = last.value.filter(|_| last.ours && !file_passages.contains_key(id)) {
                missing_passages.push((*id, passage));
            }
        }
        missing_passages.sort_unstable_by_key(|(id, _)| *id);
        let mut replaced = HashSet::new();
        missing_passages.retain(|(id, passage)| {
            let positions = new_positions.get_mut(&(evidence_source(&passage.evidence), passage.text.as_str()));
            let Some(position) = positions.and_then(Vec::pop) else { return true };
            if let Some(remaining) = new_counts.get_mut(&position) {
                *remaining = remaining.saturating_sub(1);
            }
            replaced.insert(*id);
            false
        });
        for (id, passage) in missing_passages {
            if let Some(remaining) = new_counts.get_mut(&passage_position(passage)).filter(|remaining| **remaining > 0)
            {
                *remaining -= 1;
                replaced.insert(id);
            }
        }
        replaced
    }

    /// Returns the entities of the last import that the files no longer contain.
    pub(super) fn missing_entities(&self) -> BTreeSet<EntityId> {
        let ours = self.history.entities.iter().filter(|(_, last)| last.ours && last.value.is_some());
        let missing = ours.filter(|(id, _)| !self.campaign.entities.contains_key(*id));
        missing.map(|(id, _)| (*id).clone()).collect()
    }

    /// Proposes to the DM to withdraw records that the files no longer contain. Retracts earlier proposals of this kind
    /// if their records are in the files again.
    pub(super) fn propose_withdrawals(&mut self, withdrawn: &Withdrawn) {
        let mut proposals: BTreeMap<FactId, (Fact, Deletion)> = BTreeMap::new();
        let entities = self.missing_entities();
        if self.is_foreign() {
            let keys: HashSet<&str> = entities
                .iter()
                .filter_map(|id| self.state.entity(id))
                .flat_map(|entity| entity.external_ids.iter().map(|external| external.id.as_str()))
                .collect();
            let mut missing_records: Vec<(EntityId, MissingRecord, String, Secrecy, Vec<Evidence>)> = Vec::new();
            for id in &entities {
                let name = self.state.name_or_id(id);
                let is_open = self.state.open_name(id).is_some();
                let secrecy = if is_open { Secrecy::Open } else { Secrecy::Secret };
                let statement_text = format!("\u{201C}{name}\u{201D} was removed from the files.");
                missing_records.push((
                    id.clone(),
                    MissingRecord::Entity(id.clone()),
                    statement_text,
                    secrecy,
                    Vec::new(),
                ));
            }
            for id in &withdrawn.missing_facts {
                // Removing an entity also removes all facts about it.
                let Some(fact) = self.state.fact(*id).filter(|fact| !entities.contains(fact.subject())) else {
                    continue;
                };
                let statement_text = format!("This was removed from the files: {}", fact.statement());
                let evidence = fact.provenance().evidence.clone();
                missing_records.push((
                    fact.subject().clone(),
                    MissingRecord::Fact(*id),
                    statement_text,
                    fact.secrecy(),
                    evidence,
                ));
            }
            for id in &withdrawn.missing_passages {
                let Some(passage) = self.state.passage(*id) else { continue };
                if evidence_source(&passage.evidence).is_some_and(|source| keys.contains(source)) {
                    continue;
                }
                let subject_ids = passage.mentions.iter().chain(&passage.document).chain(&passage.place);
                let Some(subject_id) = subject_ids.chain(&passage.speaker).find(|id| self.state.entity(id).is_some())
                else {
                    let (statement_text, reason) =
                        (quote_beginning(&passage.text), "the text was removed from the files".to_owned());
                    self.report_unchanged(None, statement_text, reason);
                    continue;
                };
                let statement_text =
                    format!("This text was removed from the files: {}", quote_beginning(&passage.text));
                let evidence = passage.evidence.clone();
                missing_records.push((
                    subject_id.clone(),
                    MissingRecord::Passage(*id),
                    statement_text,
                    Secrecy::Secret,
                    evidence,
                ));
            }
            for (subject, record, statement, secrecy, evidence) in missing_records {
                let mut provenance = Provenance::new(Method::Imported, self.author.clone());
                provenance.confidence = Confidence::new(0.5).unwrap_or(Confidence::FULL);
                (provenance.recorded, provenance.evidence) = (self.now, evidence);
                let builder_result = Fact::attribute(&subject, MISSING_RECORD, record.to_value(), provenance);
                let result = builder_result.and_then(|builder| {
                    builder.statement(&statement).status(FactStatus::Proposed).secrecy(secrecy).build()
                });
                if let Ok(fact) = result {
                    proposals.insert(fact.id(), (fact, Deletion { subject, description: statement }));
                }
            }
        }
        let mut obsolete: Vec<FactId> = Vec::new();
        for (id, history) in &self.history.facts {
            let ours = history.ours.is_some_and(|fact| fact.predicate().as_str() == MISSING_RECORD);
            if ours && history.other_change.is_none() && !proposals.contains_key(id) && self.state.fact(*id).is_some() {
                obsolete.push(*id);
            }
        }
        obsolete.sort_unstable();
        self.removals.extend(obsolete.into_iter().map(Change::RetractFact));
        for (id, (fact, deletion)) in proposals {
            // A proposal that was made before is skipped: either the DM has decided, or the proposal still waits.
            if !self.history.facts.contains_key(&id) {
                self.report.deletions.push(deletion);
                self.additions.push(Change::AssertFact(Arc::new(fact)));
            }
        }
    }

    /// Reports new entities that have the same name as another entity. Only the DM knows whether the two entities are
    /// the same.
    pub(super) fn report_duplicates(&mut self) {
        let is_name = |fact: &Fact| fact.is_name() && fact.status() != FactStatus::Rejected;
        let mut entities_by_name: BTreeMap<String, BTreeSet<EntityId>> = BTreeMap::new();
        let file_facts = self.campaign.facts.iter().map(|campaign_fact| &campaign_fact.fact);
        for fact in self.state.facts().chain(file_facts).filter(|fact| is_name(fact)) {
            if let Some(name) = fact.object().text().map(name_key).filter(|name| !name.is_empty()) {
                entities_by_name.entry(name).or_default().insert(fact.subject().clone());
            }
        }
        let mut reported = BTreeSet::new();
        for (name, ids) in entities_by_name.into_iter().filter(|(_, ids)| ids.len() > 1) {
            let is_new = |id: &EntityId| self.campaign.entities.contains_key(id) && self.state.entity(id).is_none();
            for first in ids.iter().filter(|id| is_new(id)) {
                for other in ids.iter().filter(|other| *other != first && !(is_new(other) && *other < first)) {
                    if reported.insert((first.clone(), other.clone())) && self.report.possible_duplicates.len() < 1_000
                    {
                        let (first, other, name) = (first.clone(), other.clone(), name.clone());
                        self.report.possible_duplicates.push(PossibleDuplicate {
                            new_entity: first,
                            existing_entity: other,
                            name,
                        });
                    }
                }
            }
        }
    }
}

/// Returns the beginning of a text, in quotation marks.
fn quote_beginning(quoted: &str) -> String {
    format!("\u{201C}{}\u{201D}", text::shorten(quoted.trim(), 80))
}
