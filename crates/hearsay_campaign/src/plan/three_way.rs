//! Three-way comparison for repeated imports: changes in the files, changes by other authors, and conflicts.
//!
//! The last import is the common base of the comparison. If this source wrote a record and no other author changed it,
//! the record gets its value from the files. If the files no longer contain the record, there are two cases. Either
//! another record is at its position, so the files changed the record; or no other record is there, so the files left
//! it out. The DM writes Hearsay's own files, so records that these files leave out are withdrawn. Files of other tools
//! leave out records for many reasons (a note was moved, or is half written), so their withdrawal is proposed to the
//! DM.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use hearsay_model::{
    Change, Confidence, EntityId, Evidence, Fact, FactId, FactStatus, Method, Passage, PassageId, Predicate,
    Provenance, Secrecy, attribute,
};

use super::planner::{Planner, Withdrawn};
use crate::{Alike, Deletion, names::name_key};

/// The attribute of a proposal to withdraw a record that the files no longer contain. The value of the attribute names
/// the record: see [`LeftOut`].
pub const LEFT_OUT: &str = "left_out";

/// A record that the files no longer contain. The value of a fact with the attribute [`LEFT_OUT`] names this record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftOut {
    /// The files no longer contain this fact.
    Fact(FactId),
    /// The files no longer contain this passage.
    Passage(PassageId),
    /// The files no longer contain this entity, including all facts about it.
    Entity(EntityId),
}

impl LeftOut {
    /// Returns the record that a proposal to withdraw names, or `None` if the fact is no such proposal.
    pub fn of(fact: &Fact) -> Option<Self> {
        if fact.predicate().as_str() != LEFT_OUT {
            return None;
        }
        let (what, id) = fact.object().text()?.split_once(' ')?;
        match what {
            "fact" => id.parse().ok().map(Self::Fact),
            "text" => id.parse().ok().map(Self::Passage),
            "entity" => id.parse().ok().map(Self::Entity),
            _ => None,
        }
    }

    fn value(&self) -> String {
        match self {
            Self::Fact(id) => format!("fact {id}"),
            Self::Passage(id) => format!("text {id}"),
            Self::Entity(id) => format!("entity {id}"),
        }
    }
}

/// The position of a record in the files: its document, subject and predicate.
type Slot<'a> = (&'a str, &'a EntityId, &'a Predicate);

/// Facts of the last import that other facts in the files replace.
#[derive(Debug, Default)]
pub(super) struct Replaced {
    /// Facts of the last import at whose position the files now have another fact.
    pub(super) old: HashSet<FactId>,
    /// Facts that replace a fact that another author changed. The value describes the change by the other author.
    pub(super) contested: HashMap<FactId, &'static str>,
}

fn source(evidence: &[Evidence]) -> Option<&str> {
    evidence.iter().find_map(|evidence| match evidence {
        Evidence::Excerpt(excerpt) => Some(&*excerpt.source),
        _ => None,
    })
}

fn slot(fact: &Fact) -> Option<Slot<'_>> {
    Some((source(&fact.provenance().evidence)?, fact.subject(), fact.predicate()))
}

impl Planner<'_> {
    /// Returns whether the files come from another tool.
    pub(super) fn is_foreign(&self) -> bool {
        self.campaign.findings.format.is_some()
    }

    /// Compares the facts that the files no longer contain with the new facts, position by position.
    pub(super) fn replaced(&self, wanted: &HashSet<FactId>) -> Replaced {
        let mut replaced = Replaced::default();
        let mut new: HashMap<Slot, Vec<FactId>> = HashMap::new();
        for stated in &self.campaign.facts {
            let id = stated.fact.id();
            if !self.history.facts.contains_key(&id)
                && let Some(slot) = slot(&stated.fact)
            {
                new.entry(slot).or_default().push(id);
            }
        }
        let mut gone: HashMap<Slot, Vec<(FactId, Option<&'static str>)>> = HashMap::new();
        for (id, history) in &self.history.facts {
            if let Some(fact) = history.ours.filter(|_| !wanted.contains(id))
                && let Some(slot) = slot(fact)
            {
                gone.entry(slot).or_default().push((*id, history.touched));
            }
        }
        for (slot, mut gone) in gone {
            let Some(mut new) = new.remove(&slot) else { continue };
            gone.sort_unstable_by_key(|(id, _)| *id);
            new.sort_unstable();
            replaced.old.extend(gone.iter().map(|(id, _)| *id).take(new.len()));
            // If the DM changed the old fact, either value may be right, so the value in the files is proposed.
            if let Some(touched) = gone.iter().find_map(|(_, touched)| *touched) {
                replaced.contested.extend(new.into_iter().map(|id| (id, touched)));
            }
        }
        replaced
    }

    /// Returns the passages of the last import at whose position the files now have another passage.
    pub(super) fn replaced_texts(&self, wanted: &BTreeMap<PassageId, Arc<Passage>>) -> HashSet<PassageId> {
        type Place<'a> = (Option<&'a str>, Option<&'a str>);
        fn place(passage: &Passage) -> Place<'_> {
            (source(&passage.evidence), passage.title.as_deref())
        }
        let mut new: HashMap<Place, usize> = HashMap::new();
        for (id, passage) in wanted {
            if !self.history.passages.contains_key(id) {
                *new.entry(place(passage)).or_default() += 1;
            }
        }
        let mut gone: Vec<(PassageId, &Arc<Passage>)> = Vec::new();
        for (id, last) in &self.history.passages {
            if let Some(passage) = last.value.filter(|_| last.ours && !wanted.contains_key(id)) {
                gone.push((*id, passage));
            }
        }
        gone.sort_unstable_by_key(|(id, _)| *id);
        let mut replaced = HashSet::new();
        for (id, passage) in gone {
            if let Some(left) = new.get_mut(&place(passage)).filter(|left| **left > 0) {
                *left -= 1;
                replaced.insert(id);
            }
        }
        replaced
    }

    /// Returns the entities of the last import that the files no longer contain.
    pub(super) fn left_out_entities(&self) -> BTreeSet<EntityId> {
        let ours = self.history.entities.iter().filter(|(_, last)| last.ours && last.value.is_some());
        let gone = ours.filter(|(id, _)| !self.campaign.entities.contains_key(*id));
        gone.map(|(id, _)| (*id).clone()).collect()
    }

    /// Proposes to the DM to withdraw records that the files no longer contain. Retracts earlier proposals of this kind
    /// if their records are in the files again.
    pub(super) fn left_out(&mut self, withdrawn: &Withdrawn) {
        let mut proposals: BTreeMap<FactId, (Fact, Deletion)> = BTreeMap::new();
        let entities = self.left_out_entities();
        if self.is_foreign() {
            let keys: HashSet<&str> = entities
                .iter()
                .filter_map(|id| self.state.entity(id))
                .flat_map(|entity| entity.external_ids.iter().map(|external| external.id.as_str()))
                .collect();
            let mut left: Vec<(EntityId, LeftOut, String, Secrecy, Vec<Evidence>)> = Vec::new();
            for id in &entities {
                let name = self.state.name_or_id(id);
                let open = self.state.open_name(id).is_some();
                let secrecy = if open { Secrecy::Open } else { Secrecy::Secret };
                let what = format!("\u{201C}{name}\u{201D} was removed from the files.");
                left.push((id.clone(), LeftOut::Entity(id.clone()), what, secrecy, Vec::new()));
            }
            for id in &withdrawn.left_out {
                // Removing an entity also removes all facts about it.
                let Some(fact) = self.state.fact(*id).filter(|fact| !entities.contains(fact.subject())) else {
                    continue;
                };
                let what = format!("This was removed from the files: {}", fact.statement());
                let evidence = fact.provenance().evidence.clone();
                left.push((fact.subject().clone(), LeftOut::Fact(*id), what, fact.secrecy(), evidence));
            }
            for id in &withdrawn.left_out_texts {
                let Some(passage) = self.state.passage(*id) else { continue };
                if source(&passage.evidence).is_some_and(|source| keys.contains(source)) {
                    continue;
                }
                let about = passage.mentions.iter().chain(&passage.document).chain(&passage.place);
                let Some(about) = about.chain(&passage.speaker).find(|id| self.state.entity(id).is_some()) else {
                    let (what, why) = (begin(&passage.text), "the text was removed from the files".to_owned());
                    self.keep(None, what, why);
                    continue;
                };
                let what = format!("This text was removed from the files: {}", begin(&passage.text));
                let evidence = passage.evidence.clone();
                left.push((about.clone(), LeftOut::Passage(*id), what, Secrecy::Secret, evidence));
            }
            for (subject, what, statement, secrecy, evidence) in left {
                let mut provenance = Provenance::new(Method::Imported, self.author.clone());
                provenance.confidence = Confidence::new(0.5).unwrap_or(Confidence::FULL);
                (provenance.recorded, provenance.evidence) = (self.now, evidence);
                let begun = Fact::attribute(&subject, LEFT_OUT, what.value(), provenance);
                let built = begun.and_then(|builder| {
                    builder.statement(&statement).status(FactStatus::Proposed).secrecy(secrecy).build()
                });
                if let Ok(fact) = built {
                    proposals.insert(fact.id(), (fact, Deletion { subject, what: statement }));
                }
            }
        }
        let mut back: Vec<FactId> = Vec::new();
        for (id, history) in &self.history.facts {
            let ours = history.ours.is_some_and(|fact| fact.predicate().as_str() == LEFT_OUT);
            if ours && history.touched.is_none() && !proposals.contains_key(id) && self.state.fact(*id).is_some() {
                back.push(*id);
            }
        }
        back.sort_unstable();
        self.removals.extend(back.into_iter().map(Change::RetractFact));
        for (id, (fact, deletion)) in proposals {
            // A proposal that was made before is skipped: either the DM has decided, or the proposal still waits.
            if !self.history.facts.contains_key(&id) {
                self.report.deletions.push(deletion);
                self.adds.push(Change::AssertFact(Arc::new(fact)));
            }
        }
    }

    /// Reports new entities that have the same name as another entity. Only the DM knows whether they are the same.
    pub(super) fn alike(&mut self) {
        let is_name = |fact: &Fact| {
            [attribute::NAME, attribute::ALIAS].contains(&fact.predicate().as_str())
                && fact.status() != FactStatus::Rejected
        };
        let mut called: BTreeMap<String, BTreeSet<EntityId>> = BTreeMap::new();
        let said = self.campaign.facts.iter().map(|stated| &stated.fact);
        for fact in self.state.facts().chain(said).filter(|fact| is_name(fact)) {
            if let Some(name) = fact.object().text().map(name_key).filter(|name| !name.is_empty()) {
                called.entry(name).or_default().insert(fact.subject().clone());
            }
        }
        let mut seen = BTreeSet::new();
        for (name, ids) in called.into_iter().filter(|(_, ids)| ids.len() > 1) {
            let is_new = |id: &EntityId| self.campaign.entities.contains_key(id) && self.state.entity(id).is_none();
            for one in ids.iter().filter(|id| is_new(id)) {
                for other in ids.iter().filter(|other| *other != one && !(is_new(other) && *other < one)) {
                    if seen.insert((one.clone(), other.clone())) && self.report.alike.len() < 1_000 {
                        let (one, other, name) = (one.clone(), other.clone(), name.clone());
                        self.report.alike.push(Alike { one, other, name });
                    }
                }
            }
        }
    }
}

/// Returns the beginning of a text, in quotation marks.
fn begin(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    let more = if short.len() < text.len() { "\u{2026}" } else { "" };
    format!("\u{201C}{}{more}\u{201D}", short.trim())
}
