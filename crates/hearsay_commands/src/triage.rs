//! Triage: selects, from the doubtful facts in many texts, those that are worth the DM's time.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_extract::{ExtractedFact, Extraction, FactObject, Mention};
use hearsay_model::{Author, EntityId, Evidence, Fact, FactStatus, Object, PassageId, State, Validity, text};
use hearsay_query::{
    duplicates::{Claim, is_equivalent},
    review::{is_extracted_name_or_kind, is_unconfirmed_entity, pending_facts_about},
};

use crate::{
    policy::{Policy, ReviewMode},
    reading::{Findings, NameLookup},
};

/// Maximum number of doubtful facts per text.
const MAX_PER_TEXT: usize = 3;

/// Maximum number of doubtful facts about one entity that wait for the DM's decision.
const MAX_PER_ENTITY: usize = 5;

/// Divisor: the overall limit divided by this number is reserved for doubtful facts with new names.
const NEW_NAME_SHARE_DIVISOR: usize = 4;

/// Returns how many doubtful facts may be kept from the next `text_count` texts. `remaining_texts` is the number of
/// texts after these. `total_limit` is the number of doubtful facts that may be kept from the next texts and the
/// remaining texts together.
pub fn proportional_limit(total_limit: usize, text_count: usize, remaining_texts: usize) -> usize {
    (total_limit * text_count).div_ceil((text_count + remaining_texts).max(1))
}

/// Returns the number of extracted facts that wait for the DM's decision.
pub fn pending_fact_count(state: &State) -> usize {
    state
        .facts()
        .filter(|fact| fact.status() == FactStatus::Proposed)
        .filter(|fact| is_extracted(&fact.provenance().author))
        .count()
}

/// Returns the number of doubtful facts per text that already wait for the DM's decision.
fn pending_facts_by_text(state: &State) -> BTreeMap<PassageId, usize> {
    let mut counts = BTreeMap::new();
    let is_doubtful = |fact: &&Arc<Fact>| is_extracted(&fact.provenance().author) && !is_extracted_name_or_kind(fact);
    for fact in state.facts().filter(|fact| fact.status() == FactStatus::Proposed).filter(is_doubtful) {
        for evidence in &fact.provenance().evidence {
            if let Evidence::Passage { passage, .. } = evidence {
                *counts.entry(*passage).or_default() += 1;
            }
        }
    }
    counts
}

fn is_extracted(author: &Author) -> bool {
    *author == Author::Extractor
}

/// An entity that a text names.
enum NamedEntity<'a> {
    Known(EntityId),
    New(&'a str),
}

impl NamedEntity<'_> {
    fn key(&self) -> String {
        match self {
            Self::Known(id) => id.to_string(),
            Self::New(name) => text::normalize(name),
        }
    }

    fn id(&self) -> Option<&EntityId> {
        match self {
            Self::Known(id) => Some(id),
            Self::New(_) => None,
        }
    }
}

/// A doubtful fact in one of the texts.
struct DoubtfulFact<'a> {
    /// Confidence of the fact, multiplied by the importance of its entities.
    stake: f64,
    confidence: f64,
    /// Importance of the entities in the fact that are already recorded.
    importance: f64,
    text: usize,
    fact: usize,
    about: NamedEntity<'a>,
    /// Content and source of the fact. Identical facts in different texts have the same value.
    content: String,
    /// New names in the fact. The DM also has to decide on each new name.
    names: BTreeSet<String>,
}

/// Returns the importance of an entity with `statement_count` statements about it.
fn importance(statement_count: usize) -> f64 {
    0.25 * (1.0 + statement_count as f64).ln()
}

/// Removes the least important doubtful facts until the limits per text, per entity and in total (`max_total`) are met.
/// Facts that are certain, already recorded or already rejected do not count as doubtful, so they stay. Returns the
/// number of removed facts. Does nothing in autonomous mode.
pub fn drop_least_important(state: &State, policy: &Policy, findings: &mut [Findings], max_total: usize) -> usize {
    if policy.mode == ReviewMode::Autonomous {
        return 0;
    }
    let texts = findings.iter().enumerate();
    let mut doubtful_facts: Vec<DoubtfulFact> =
        texts.flat_map(|(text, found)| doubtful_facts(state, &found.policy(policy), text, &found.extraction)).collect();
    // The more doubtful facts contain a new name, the more likely it is a real entity.
    let mut facts_per_name: BTreeMap<&String, usize> = BTreeMap::new();
    doubtful_facts.iter().flat_map(|fact| &fact.names).for_each(|name| *facts_per_name.entry(name).or_default() += 1);
    let new_name_importance =
        |fact: &DoubtfulFact| fact.names.iter().map(|name| importance(2 * facts_per_name[name])).sum::<f64>();
    let stakes: Vec<f64> = doubtful_facts
        .iter()
        .map(|fact| fact.confidence * (1.0 + fact.importance + new_name_importance(fact)))
        .collect();
    doubtful_facts.iter_mut().zip(stakes).for_each(|(fact, stake)| fact.stake = stake);
    doubtful_facts.sort_by(|a, b| b.stake.total_cmp(&a.stake).then((a.text, a.fact).cmp(&(b.text, b.fact))));
    // Facts with new names have low stakes, because no recorded fact depends on these names yet. Part of the limit is
    // therefore reserved for them. They may also use the part that the other facts leave unused.
    let (with_new_names, without_new_names): (Vec<DoubtfulFact>, Vec<DoubtfulFact>) =
        doubtful_facts.into_iter().partition(|fact| !fact.names.is_empty());
    let max_with_new_names =
        if max_total == usize::MAX { max_total } else { max_total.div_ceil(NEW_NAME_SHARE_DIVISOR) };
    // Doubtful facts from earlier readings of a text count towards the limit for that text.
    let pending_facts_by_text = pending_facts_by_text(state);
    let pending_counts = findings
        .iter()
        .map(|text_findings| pending_facts_by_text.get(&text_findings.passage.id()).copied().unwrap_or(0));
    let mut selection = Selection { facts_per_text: pending_counts.enumerate().collect(), ..Selection::default() };
    with_new_names.iter().for_each(|fact| selection.try_add(state, fact, max_with_new_names));
    without_new_names.iter().chain(&with_new_names).for_each(|fact| selection.try_add(state, fact, max_total));
    let dropped = |fact: &&DoubtfulFact| !selection.contents.contains(&fact.content);
    let dropped: BTreeSet<(usize, usize)> =
        without_new_names.iter().chain(&with_new_names).filter(dropped).map(|fact| (fact.text, fact.fact)).collect();
    for (text, text_findings) in findings.iter_mut().enumerate() {
        let mut index = 0..;
        text_findings.extraction.facts.retain(|_| index.next().is_none_or(|index| !dropped.contains(&(text, index))));
    }
    dropped.len()
}

/// Doubtful facts selected so far.
#[derive(Default)]
struct Selection {
    cost: usize,
    contents: BTreeSet<String>,
    names: BTreeSet<String>,
    facts_per_text: BTreeMap<usize, usize>,
    facts_per_entity: BTreeMap<String, usize>,
}

impl Selection {
    /// Selects a doubtful fact unless it would exceed a limit.
    fn try_add(&mut self, state: &State, fact: &DoubtfulFact, max_total: usize) {
        if self.contents.contains(&fact.content) {
            return;
        }
        let added_cost = 1 + fact.names.difference(&self.names).count();
        let pending_facts = || fact.about.id().map_or(0, |id| pending_facts_about_entity(state, id));
        let entity_facts = self.facts_per_entity.entry(fact.about.key()).or_insert_with(pending_facts);
        let text_facts = self.facts_per_text.entry(fact.text).or_default();
        if self.cost.saturating_add(added_cost) <= max_total
            && *text_facts < MAX_PER_TEXT
            && *entity_facts < MAX_PER_ENTITY
        {
            (self.cost, *entity_facts, *text_facts) = (self.cost + added_cost, *entity_facts + 1, *text_facts + 1);
            self.names.extend(fact.names.iter().cloned());
            self.contents.insert(fact.content.clone());
        }
    }
}

/// Returns the number of doubtful facts about an entity that already wait for the DM's decision. Does not count its
/// name and kind.
fn pending_facts_about_entity(state: &State, id: &EntityId) -> usize {
    let pending =
        pending_facts_about(state, id).filter(|fact| fact.subject() == id && !is_extracted_name_or_kind(fact));
    pending.filter(|fact| is_extracted(&fact.provenance().author)).count()
}

fn doubtful_facts<'a>(state: &State, policy: &Policy, text: usize, found: &'a Extraction) -> Vec<DoubtfulFact<'a>> {
    let to_doubtful_fact = |(fact, extracted): (usize, &'a ExtractedFact)| {
        let about = named_entity(state, found, &extracted.subject)?;
        let (object, object_key) = match &extracted.object {
            FactObject::Value(value) => (None, value.clone()),
            FactObject::Entity(mention) => {
                let entity = named_entity(state, found, mention)?;
                let key = entity.key();
                (Some(entity), key)
            }
        };
        let stated_by = match &extracted.stated_by {
            Some(mention) => Some(named_entity(state, found, mention)?),
            None => None,
        };
        let entities = || std::iter::once(&about).chain(&object);
        let is_new = |entity: &NamedEntity| entity.id().is_none_or(|id| is_unconfirmed_entity(state, id));
        let is_doubtful = extracted.confidence < policy.threshold || entities().chain(&stated_by).any(is_new);
        if extracted.confidence < policy.floor || !is_doubtful || is_recorded(state, extracted, &about, object.as_ref())
        {
            return None;
        }
        Some(DoubtfulFact {
            stake: 0.0,
            confidence: extracted.confidence.min(policy.threshold).get(),
            importance: entities().filter_map(NamedEntity::id).map(|id| importance(state.links(id).count())).sum(),
            text,
            fact,
            content: format!(
                "{} {} {object_key} {} {}",
                about.key(),
                extracted.predicate,
                extracted.relation.as_deref().unwrap_or(""),
                stated_by.as_ref().map(NamedEntity::key).unwrap_or_default(),
            ),
            names: entities().chain(&stated_by).filter(|entity| entity.id().is_none()).map(NamedEntity::key).collect(),
            about,
        })
    };
    found.facts.iter().enumerate().filter_map(to_doubtful_fact).collect()
}

/// Returns the mentioned entity, or `None` if facts about it must not be proposed.
fn named_entity<'a>(state: &State, found: &'a Extraction, mention: &Mention) -> Option<NamedEntity<'a>> {
    match mention {
        Mention::Known(id) => Some(NamedEntity::Known(id.clone())),
        Mention::New(index) => {
            let name = &found.entities.get(*index)?.name;
            match NameLookup::find(state, name) {
                NameLookup::Known(id) => Some(NamedEntity::Known(id)),
                NameLookup::Unusable => None,
                NameLookup::Unknown => Some(NamedEntity::New(name)),
            }
        }
    }
}

/// Returns whether the state already contains the fact that was extracted. Such a fact needs no further decision, even
/// if it was rejected.
fn is_recorded(state: &State, extracted: &ExtractedFact, about: &NamedEntity, object: Option<&NamedEntity>) -> bool {
    let Some(subject) = about.id() else { return false };
    let object = match (&extracted.object, object) {
        (FactObject::Value(value), _) => Object::Value(value.as_str().into()),
        (_, Some(NamedEntity::Known(id))) => Object::Entity(id.clone()),
        _ => return false,
    };
    let vocabulary = state.vocabulary();
    let claim =
        Claim::new(vocabulary, (subject, &extracted.predicate, &object), &extracted.statement, &Validity::default());
    state.facts_of(claim.subject()).any(|fact| is_equivalent(vocabulary, (&claim, extracted.statement.as_str()), fact))
}

#[cfg(test)]
mod tests;
