//! Comparison of a proposed fact with the facts that are already recorded.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_model::{
    EntityId, Evidence, Fact, FactStatus, GameTime, History, PassageId, Provenance, State, attribute, text,
};
use hearsay_query::{
    contradictions::may_overlap,
    duplicates::{Claim, canonical_relation, is_equivalent, is_implied_by, is_other_occurrence},
};

use super::{Batch, Proposal};
use crate::CommandError;

/// Result of looking up a proposed fact in the state.
pub(super) enum RecordedMatch {
    /// The DM has not decided on the fact, and no equivalent fact is recorded.
    None,
    /// The DM rejected the fact or marked it false.
    Rejected,
    /// The fact is already canon from another source.
    CanonElsewhere {
        /// The canon fact.
        canon: Arc<Fact>,
    },
    /// The same source stated the fact before. The earlier fact gains the new evidence.
    SameSource {
        /// The earlier fact.
        earlier: Arc<Fact>,
        /// Whether another source has also made the fact canon.
        is_canon_elsewhere: bool,
    },
}

/// Looks up a proposed fact in the state and in the earlier proposals of the batch.
pub(super) fn find_recorded_match(state: &State, batch: &Batch, fact: &Fact) -> RecordedMatch {
    if state.is_retracted(fact.id()) {
        return RecordedMatch::Rejected;
    }
    let (vocabulary, provenance) = (state.vocabulary(), fact.provenance());
    let claim = Claim::from_fact(vocabulary, fact);
    let is_same_statement = |other: &Fact| {
        is_equivalent(vocabulary, (&claim, fact.statement()), other) && !is_other_occurrence(state, fact, other)
    };
    let has_same_source = |other: &Fact| {
        let earlier = other.provenance();
        (&earlier.author, &earlier.speaker) == (&provenance.author, &provenance.speaker)
    };
    let facts_about_subject = batch.facts_of(state, claim.subject());
    let equivalents: Vec<&Arc<Fact>> =
        facts_about_subject.iter().copied().filter(|other| is_same_statement(other)).collect();
    // The DM's rejection also counts if the text that stated the rejected fact was changed or removed.
    let is_rejection =
        |rejected: &Fact| !is_other_event(state, fact, rejected) && !is_narrated_after_claim(fact, rejected);
    let was_rejected = equivalents.iter().any(|other| other.status() == FactStatus::Rejected && is_rejection(other))
        || state
            .withdrawn_rejections(claim.subject())
            .any(|rejected| is_same_statement(rejected) && is_rejection(rejected));
    let is_confirmed_as = |status: FactStatus| {
        let is_match = |other: &&Arc<Fact>| other.status() == status && other.provenance().confirmed;
        equivalents.iter().any(is_match)
    };
    // If the same source stated the fact before, the earlier fact gains the evidence instead.
    let was_marked_false = provenance.speaker.is_none()
        && is_confirmed_as(FactStatus::False)
        && !equivalents.iter().any(|other| has_same_source(other));
    if (was_rejected || was_marked_false) && !is_confirmed_as(FactStatus::Canon) {
        return RecordedMatch::Rejected;
    }
    // If narration repeats a fact that earlier narration made canon, no separate fact is recorded.
    let is_repeated_narration = |other: &Fact| {
        let speakers = [&provenance.speaker, &other.provenance().speaker];
        other.status() == FactStatus::Canon && speakers.iter().all(|speaker| speaker.is_none())
    };
    // If a recorded fact from the same source says more and is at least as certain, it gains the evidence of the
    // proposal. A less certain fact does not, because the evidence supports only part of it.
    let implies_fact = |other: &Fact| {
        let is_as_certain = other.is_in_effect() && other.provenance().confidence >= provenance.confidence;
        is_as_certain
            && (has_same_source(other) || is_repeated_narration(other))
            && is_implied_by(vocabulary, fact, other)
    };
    let earlier = equivalents
        .iter()
        .find(|other| other.status() != FactStatus::Rejected && has_same_source(other))
        .or_else(|| equivalents.iter().find(|other| is_repeated_narration(other)))
        .or_else(|| facts_about_subject.iter().find(|other| implies_fact(other)));
    let canon_from_others =
        equivalents.iter().find(|other| other.status() == FactStatus::Canon && !has_same_source(other));
    match earlier {
        Some(earlier) => {
            let was_narrated = equivalents.iter().any(|other| is_repeated_narration(other));
            let is_canon_elsewhere = canon_from_others.is_some() && !was_narrated;
            RecordedMatch::SameSource { earlier: Arc::clone(earlier), is_canon_elsewhere }
        }
        None => canon_from_others
            .map_or(RecordedMatch::None, |canon| RecordedMatch::CanonElsewhere { canon: Arc::clone(canon) }),
    }
}

/// Returns whether the narration of a session states what the DM rejected as the claim of a character. Such a rejection
/// says that the character did not claim this, and nothing about what the DM tells.
fn is_narrated_after_claim(fact: &Fact, rejected: &Fact) -> bool {
    let provenance = fact.provenance();
    let is_narrated = provenance.speaker.is_none() && provenance.session.is_some();
    is_narrated && rejected.provenance().speaker.is_some()
}

/// Returns whether narration states a fact about another event than a rejected fact with the same content: an event of
/// another session or of another day. A rejected event says nothing about a later event. A rejected statement without a
/// time, such as the name of a character, stays rejected.
fn is_other_event(state: &State, fact: &Fact, rejected: &Fact) -> bool {
    let (vocabulary, predicate) = (state.vocabulary(), fact.predicate());
    let behavior = vocabulary.behavior(predicate);
    let is_event = vocabulary.is_deed(predicate)
        || vocabulary.history(predicate) != History::Full
        || behavior.dead_entity(fact.subject(), fact.object()).is_some()
        || *predicate == *attribute::LORE;
    let is_narrated = [fact, rejected].iter().all(|fact| fact.provenance().speaker.is_none());
    let sessions = (&fact.provenance().session, &rejected.provenance().session);
    let is_other_session = matches!(sessions, (Some(new), Some(old)) if new != old);
    let day = |fact: &Fact| {
        let GameTime(start) = fact.validity().start()?;
        Some(start.div_euclid(state.calendar().minutes_per_day().max(1)))
    };
    let is_other_day = matches!((day(fact), day(rejected)), (Some(new), Some(old)) if new != old);
    is_event && is_narrated && (is_other_session || is_other_day)
}

/// Returns whether a character has seen by a moment what a fact states, according to a recorded fact with the same content.
/// The recorded fact may wait for review.
pub(super) fn has_witnessed(state: &State, character: &EntityId, fact: &Fact, moment: Option<GameTime>) -> bool {
    let vocabulary = state.vocabulary();
    let claim = Claim::from_fact(vocabulary, fact);
    let is_seen = |other: &Fact| {
        state.recorded_knowledge(other.id()).any(|edge| {
            let is_own = edge.knower.entity() == Some(character) && edge.acquisition.is_witnessed();
            is_own && edge.learned_at() <= moment
        })
    };
    let is_same = |other: &Fact| {
        other.status() != FactStatus::Rejected
            && is_equivalent(vocabulary, (&claim, fact.statement()), other)
            && !is_other_occurrence(state, fact, other)
    };
    state.facts_of(claim.subject()).any(|other| is_seen(other) && is_same(other))
}

/// Minimum share of the words of a proposal that a recorded fact about the same subject contains, if the two have the
/// same words.
const MIN_SAME_WORDS: f64 = 0.8;

/// Returns whether the line from which a proposal comes states a recorded fact about the same entities, or in the same
/// words. Such a proposal is another reading of the same words. If the proposal names only its subject, it must have the
/// words of the fact.
pub(super) fn restates_stated_fact(state: &State, proposal: &Proposal) -> bool {
    let Some(speaker) = &proposal.speaker else { return false };
    let passages: Vec<PassageId> = proposal.evidence.iter().filter_map(Evidence::passage).collect();
    let others = || proposal.object.entity().into_iter().chain(&proposal.participants);
    // Facts that were found in a line are recorded later than the line, by another operation.
    let is_stated = |fact: &Fact| {
        let mut edges = state.recorded_edges(fact.id());
        edges.any(|(id, edge)| {
            edge.acquisition.teller() == Some(speaker)
                && passages.iter().any(|passage| state.is_recorded_with(id, *passage))
        })
    };
    let names_all = |fact: &Fact| others().all(|other| fact.entities().any(|id| id == other));
    let names_another = others().any(|other| *other != proposal.subject);
    let statement = proposal.statement.as_deref().or(proposal.object.text());
    let has_same_words =
        |fact: &Fact| statement.is_some_and(|text| shared_words(text, fact.statement()) >= MIN_SAME_WORDS);
    let mut facts = state.facts_of(&proposal.subject);
    facts.any(|fact| ((names_another && names_all(fact)) || has_same_words(fact)) && is_stated(fact))
}

/// Returns the share of the words of a text that another text contains, 0.0–1.0.
fn shared_words(text: &str, other: &str) -> f64 {
    let words = |text: &str| -> BTreeSet<String> {
        let normal = text::normalize(text);
        normal.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (words, others) = (words(text), words(other));
    if words.is_empty() { 0.0 } else { words.intersection(&others).count() as f64 / words.len() as f64 }
}

/// Returns whether a proposed fact comes from a repeated reading of the same text. Returns `true` if the recorded fact
/// already has all evidence of the proposed fact, and the extraction is not more confident than before. Compares the
/// confidence before adjustment by learned trust, because the trust may have changed since the first reading.
pub(super) fn is_repeated_reading(recorded: &Fact, proposed: &Fact) -> bool {
    let (before, now) = (recorded.provenance(), proposed.provenance());
    let extraction_confidence = |provenance: &Provenance| provenance.extracted.unwrap_or(provenance.confidence);
    let is_recorded_evidence =
        |evidence: &Evidence| matches!(evidence, Evidence::Passage { .. }) && before.evidence.contains(evidence);
    !now.evidence.is_empty()
        && now.evidence.iter().all(is_recorded_evidence)
        && extraction_confidence(now) <= extraction_confidence(before)
}

/// Returns whether a fact contradicts a canon fact that the DM confirmed.
pub(super) fn contradicts_confirmed_canon(state: &State, batch: &Batch, fact: &Fact) -> bool {
    let vocabulary = state.vocabulary();
    let (subject, predicate, object) =
        canonical_relation(vocabulary, (fact.subject(), fact.predicate(), fact.object()));
    let contradicts = |other: &&Arc<Fact>| {
        let is_confirmed_canon = other.provenance().confirmed && other.status() == FactStatus::Canon;
        if !is_confirmed_canon || !may_overlap(fact, other) {
            return false;
        }
        let (other_subject, other_predicate, other_object) =
            canonical_relation(vocabulary, (other.subject(), other.predicate(), other.object()));
        let is_other_value = other_subject == subject
            && other_predicate == predicate
            && other_object != object
            && vocabulary.is_functional(&other_predicate);
        let relates_same_entities = (&other_subject, &other_object) == (&subject, &object)
            || (other_object.entity() == Some(&subject) && object.entity() == Some(&other_subject));
        is_other_value || (relates_same_entities && vocabulary.are_opposites(&other_predicate, &predicate))
    };
    batch.facts_of(state, &subject).iter().any(contradicts)
}

/// Returns the fact `recorded` with a new status, the evidence of both facts, and the higher of their confidences.
pub(super) fn with_added_evidence(
    recorded: &Fact,
    proposed: &Fact,
    status: FactStatus,
) -> Result<Arc<Fact>, CommandError> {
    let mut provenance = recorded.provenance().clone();
    provenance.support(proposed.provenance());
    Ok(Arc::new(recorded.to_builder().provenance(provenance).status(status).build()?))
}
