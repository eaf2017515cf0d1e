//! The DM's decision on a fact.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_belief::{dead_entity, move_edges};
use hearsay_campaign::MissingRecord;
use hearsay_model::{
    Acquisition, Author, Change, EntityId, Evidence, Fact, FactId, FactStatus, Knower, KnowledgeEdge, Object,
    Operation, Passage, PassageId, Provenance, Secrecy, State, Timestamp, attribute, text, words,
};
use hearsay_query::{
    duplicates::{Claim, is_equivalent, is_other_occurrence, recorded_secret, states_same},
    ids::require_fact,
    review::{facts_decided_together, is_extracted_name_or_kind, is_unconfirmed_entity, pending_facts_about},
};
use serde::{Deserialize, Serialize};

use crate::{
    CommandError,
    edit::{Correction, Editor, succession},
    moves::Move,
};

/// The DM's decision on a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The fact is true.
    Accept,
    /// The fact is true with another subject, predicate, object or wording.
    Edit {
        /// New subject of the fact; `None` if the subject does not change.
        #[serde(default)]
        subject: Option<EntityId>,
        /// New predicate: a relation, such as `OWES`, words, such as `works for`, or the name of an attribute. `None`
        /// if the predicate does not change.
        #[serde(default)]
        predicate: Option<String>,
        /// New object of the fact: an entity for a relation, or a value for an attribute. `None` if the object does not
        /// change.
        object: Option<Object>,
        /// New sentence that states the fact. If `None`, the sentence is generated from the corrected fact.
        statement: Option<String>,
    },
    /// The fact is not true, although some knowers may believe the fact.
    False,
    /// The fact is not part of the campaign, so no character knows the fact.
    Reject,
}

impl Decision {
    /// Returns the operation that applies the decision to a fact. The fact must wait for review, contradict another fact,
    /// or have been rejected. A rejected fact can only be accepted or corrected. Its rejected names become canon with it.
    ///
    /// # Errors
    /// Returns an error if the fact does not exist, or if the fact was already rejected and the decision does not reopen it.
    /// Also returns an error if an accepted fact states a move of a character who has moved to another place since.
    pub fn operation(&self, state: &State, id: FactId, now: Timestamp) -> Result<Operation, CommandError> {
        let fact = require_fact(state, id)?;
        if fact.status() == FactStatus::Rejected && !self.reopens() {
            return Err(CommandError::NotProposed { fact: id, status: fact.status() });
        }
        if let Some(record) = MissingRecord::from_fact(fact) {
            return Ok(self.withdrawal_operation(state, fact, record, now));
        }
        let mut related_facts = facts_decided_together(state, fact);
        match self {
            // Accepting or correcting a fact about a new entity also confirms the name of the entity. Rejecting the
            // name rejects all facts about the entity.
            Self::Accept | Self::Edit { .. } => {}
            Self::Reject | Self::False => related_facts.extend(facts_depending_on_name(state, fact)),
        }
        related_facts.sort_unstable();
        related_facts.dedup();
        let confirm = |fact| [Change::SetStatus { fact, status: FactStatus::Canon }, Change::Confirm(fact)];
        let decide_all = |verb: &str, status| {
            let to_changes = |fact| [Change::SetStatus { fact, status }, Change::Confirm(fact)];
            let changes: Vec<Change> =
                std::iter::once(id).chain(related_facts.iter().copied()).flat_map(to_changes).collect();
            (format!("{verb} \u{201C}{}\u{201D}", fact.statement()), changes)
        };
        let rejected = |fact| Change::SetStatus { fact, status: FactStatus::Rejected };
        let (summary, changes) = match self {
            Self::Accept => match recorded_secret(state, fact, id).filter(|_| fact.status() != FactStatus::Canon) {
                Some(secret) => {
                    let related = related_facts.iter().filter_map(|id| state.fact(*id));
                    let copies: Vec<&Arc<Fact>> = std::iter::once(fact).chain(related).collect();
                    let mut changes = evidence_for_secret(state, secret, &copies)?;
                    changes.extend(copies.iter().map(|copy| Change::RetractFact(copy.id())));
                    (secret_summary("accept", fact, secret), changes)
                }
                None => {
                    let (summary, mut changes) = decide_all("accept", FactStatus::Canon);
                    changes.extend(undecided_names_in(state, fact, fact).into_iter().flat_map(confirm));
                    changes.extend(replacement(state, fact, fact, now)?);
                    changes.extend(support_from_duplicates(state, fact, &related_facts)?);
                    changes.extend(keep_from_dm_text(state, fact, id));
                    changes.extend(own_deed(state, fact, fact));
                    (summary, changes)
                }
            },
            Self::False => decide_all("mark false", FactStatus::False),
            Self::Reject => (
                format!("reject \u{201C}{}\u{201D}", fact.statement()),
                std::iter::once(id).chain(related_facts.iter().copied()).map(rejected).collect(),
            ),
            Self::Edit { subject, predicate, object, statement } => {
                let editor = Editor { state, author: Author::Dm, now };
                let correction = Correction {
                    subject: subject.as_ref(),
                    predicate: predicate.as_deref(),
                    object: object.as_ref(),
                    statement: statement.as_deref(),
                };
                let (new, mut changes) = editor.corrected(fact, &correction, FactStatus::Canon)?;
                if let Some(secret) = recorded_secret(state, &new, id) {
                    changes = evidence_for_secret(state, secret, &[fact])?;
                    related_facts.push(id);
                    changes.extend(related_facts.into_iter().filter(|other| *other != secret.id()).map(rejected));
                    let summary = secret_summary("accept as", &new, secret);
                    return Ok(Operation { author: Author::Dm, recorded: now, summary, changes });
                }
                changes.extend(keep_from_dm_text(state, fact, new.id()));
                changes.extend(own_deed(state, fact, &new));
                changes.extend(witnessed_death(state, fact, &new));
                changes.extend(replacement(state, fact, &new, now)?);
                // The original fact stays in the state as rejected, so that it is not proposed again.
                changes.extend(match new.id() == id {
                    true if fact.status() == FactStatus::Rejected => Vec::from(confirm(id)),
                    true => vec![Change::Confirm(id)],
                    false => vec![rejected(id)],
                });
                let mut names = undecided_names_in(state, &new, fact);
                names.retain(|name| *name != id && !is_replaced(state, *name, &new));
                changes.extend(names.iter().copied().flat_map(confirm));
                changes.extend(related_facts.iter().copied().filter(|other| !names.contains(other)).map(rejected));
                related_facts.extend(names.into_iter().chain([id]));
                changes.extend(support_from_duplicates(state, &new, &related_facts)?);
                (format!("accept as \u{201C}{}\u{201D}", new.statement()), changes)
            }
        };
        Ok(Operation { author: Author::Dm, recorded: now, summary, changes })
    }

    /// Returns whether the decision makes a rejected fact canon.
    fn reopens(&self) -> bool {
        matches!(self, Self::Accept | Self::Edit { .. })
    }

    /// Returns the operation for a proposal to withdraw a record that is missing from its source file. If the DM
    /// accepts, the record is withdrawn. Otherwise the record stays, and its withdrawal is not proposed again.
    fn withdrawal_operation(&self, state: &State, proposal: &Fact, record: MissingRecord, now: Timestamp) -> Operation {
        let id = proposal.id();
        let (verb, changes) = match self {
            Self::Accept => {
                let withdraw = match record {
                    MissingRecord::Fact(fact) => state.fact(fact).map(|_| Change::RetractFact(fact)),
                    MissingRecord::Passage(passage) => state.passage(passage).map(|_| Change::RemovePassage(passage)),
                    MissingRecord::Entity(entity) => state.entity(&entity).map(|_| Change::RemoveEntity(entity)),
                };
                ("withdraw", std::iter::once(Change::RetractFact(id)).chain(withdraw).collect())
            }
            _ => ("keep", vec![Change::SetStatus { fact: id, status: FactStatus::Rejected }]),
        };
        let summary = format!("{verb}: {}", proposal.statement());
        Operation { author: Author::Dm, recorded: now, summary, changes }
    }
}

/// Returns the place where a character is by now, if a fact that is not canon yet states an earlier move of the character.
pub fn later_place<'a>(state: &'a State, fact: &'a Fact) -> Option<&'a EntityId> {
    let moved = Move::from_fact(state, fact).filter(|_| fact.status() != FactStatus::Canon)?;
    moved.later_place(&ended_values(state, fact, fact))
}

/// Returns the changes with which an accepted fact ends older values of its predicate and, if it states a move, the changes
/// by which characters learn the move. `proposal` is the fact before the decision.
///
/// # Errors
/// Returns an error if the fact states a move of a character who has moved to another place since.
fn replacement(state: &State, proposal: &Fact, accepted: &Fact, now: Timestamp) -> Result<Vec<Change>, CommandError> {
    let mut changes = ended_values(state, proposal, accepted);
    let Some(moved) = Move::from_fact(state, accepted) else { return Ok(changes) };
    let later = moved.later_place(&changes).filter(|_| proposal.status() != FactStatus::Canon);
    if let Some(place) = later {
        return Err(CommandError::LaterMove {
            statement: accepted.statement().to_owned(),
            character: accepted.subject().clone(),
            place: place.clone(),
        });
    }
    let learned = moved.accepted(state.known_by(proposal.id()), &changes, now)?;
    changes.extend(learned);
    Ok(changes)
}

/// Returns the changes with which an accepted fact ends older values of its predicate. A fact from a text ends a value only
/// if the text is a line of a session, and the value was recorded before the fact was proposed. The order of other texts is
/// unknown, so the review shows the two values as a contradiction. A corrected fact replaces its proposal, so the proposal
/// is no older value.
fn ended_values(state: &State, proposal: &Fact, accepted: &Fact) -> Vec<Change> {
    let mut open_values = state.values(accepted.subject(), accepted.predicate());
    open_values.retain(|old| old.id() != proposal.id());
    let mut validity = accepted.validity().clone();
    let passages: Vec<&Arc<Passage>> = passages(state, accepted).collect();
    let is_dated_by_text = validity.from.is_none() || passages.iter().any(|passage| passage.time == validity.from);
    if !passages.is_empty() && is_dated_by_text {
        let session_of = |passage: &Passage| state.session(passage.session.as_ref()?).map(|session| session.number);
        let lines = passages.iter().filter_map(|passage| Some((session_of(passage)?, passage)));
        let Some((number, line)) = lines.max_by_key(|(number, passage)| (*number, passage.line)) else {
            return Vec::new();
        };
        if validity.from.is_none() {
            validity.from.clone_from(&line.time);
        }
        let recorded = proposal.provenance().recorded;
        open_values.retain(|old| {
            let session = old.provenance().session.as_ref().and_then(|id| state.session(id));
            old.provenance().recorded <= recorded && session.is_none_or(|session| session.number <= number)
        });
    }
    succession(state, &open_values, accepted.predicate(), accepted.object(), &mut validity)
}

/// Returns the passages in which a fact was found.
fn passages<'a>(state: &'a State, fact: &'a Fact) -> impl Iterator<Item = &'a Arc<Passage>> {
    fact.provenance().evidence.iter().filter_map(Evidence::passage).filter_map(|id| state.passage(id))
}

/// Returns the changes that turn the facts with the same meaning as an accepted fact into evidence for this fact: facts
/// that wait for review, and unconfirmed claims that were found in the same text. Everyone who knows one of these facts
/// then knows the accepted fact. The facts in `decided` do not become evidence, because the DM's decision applies to them
/// too.
fn support_from_duplicates(state: &State, fact: &Fact, decided: &[FactId]) -> Result<Vec<Change>, CommandError> {
    let claim = Claim::from_fact(state.vocabulary(), fact);
    let texts = |fact: &Fact| -> BTreeSet<PassageId> {
        fact.provenance().evidence.iter().filter_map(Evidence::passage).collect()
    };
    let texts_of_fact = texts(fact);
    let is_undecided = |other: &Fact| match other.status() {
        FactStatus::Proposed => true,
        FactStatus::Claimed => {
            !other.provenance().confirmed && !texts_of_fact.is_empty() && texts(other).is_subset(&texts_of_fact)
        }
        _ => false,
    };
    let is_duplicate = |other: &&Arc<Fact>| {
        other.id() != fact.id()
            && is_undecided(other)
            && !decided.contains(&other.id())
            && other.provenance().author == Author::Extractor
            && (is_equivalent(state.vocabulary(), (&claim, fact.statement()), other) || is_same_sentence(fact, other))
            && !is_other_occurrence(state, fact, other)
    };
    let mut duplicates: Vec<&Arc<Fact>> = state.facts_of(fact.subject()).filter(is_duplicate).collect();
    duplicates.sort_unstable_by_key(|duplicate| duplicate.id());
    duplicates.dedup_by_key(|duplicate| duplicate.id());
    let mut changes = evidence_from(state, fact, &duplicates)?;
    changes.extend(duplicates.iter().map(|duplicate| Change::RetractFact(duplicate.id())));
    Ok(changes)
}

/// Returns the changes with which a secret gains the evidence of its copies, and the knowers of those copies that
/// [state the same](states_same). Who knows the secret only in other words may know a part of it.
fn evidence_for_secret(state: &State, secret: &Fact, copies: &[&Arc<Fact>]) -> Result<Vec<Change>, CommandError> {
    let is_same = |copy: &&Arc<Fact>| states_same(state, copy, secret);
    let (same, reworded): (Vec<&Arc<Fact>>, Vec<&Arc<Fact>>) = copies.iter().copied().partition(is_same);
    let mut changes = support_from(secret, &reworded)?;
    changes.extend(evidence_from(state, secret, &same)?);
    Ok(changes)
}

/// Returns the changes with which a fact gains the evidence and the knowers of other facts.
fn evidence_from(state: &State, fact: &Fact, others: &[&Arc<Fact>]) -> Result<Vec<Change>, CommandError> {
    let mut changes = support_from(fact, others)?;
    let replacements: BTreeMap<FactId, FactId> = others.iter().map(|other| (other.id(), fact.id())).collect();
    changes.extend(move_edges(state, &replacements));
    Ok(changes)
}

/// Returns the changes with which a fact gains the evidence of other facts.
fn support_from(fact: &Fact, others: &[&Arc<Fact>]) -> Result<Vec<Change>, CommandError> {
    let mut changes = Vec::new();
    for other in others {
        let evidence = other.provenance().evidence.clone();
        let provenance = Provenance { evidence, ..fact.provenance().clone() };
        changes.push(Change::Support(Arc::new(fact.to_builder().provenance(provenance).build()?)));
    }
    Ok(changes)
}

/// Returns the summary of a decision that turned a fact into evidence for a secret.
fn secret_summary(verb: &str, fact: &Fact, secret: &Fact) -> String {
    let (statement, id) = (fact.statement(), secret.id().short());
    format!("{verb} \u{201C}{statement}\u{201D}, which is recorded as the secret {id} and stays secret")
}

/// Returns the change that makes an accepted fact secret, if all its texts are for the DM only. `fact` is the fact before
/// the decision.
fn keep_from_dm_text(state: &State, fact: &Fact, accepted: FactId) -> Option<Change> {
    let is_for_dm =
        |passage: &Arc<Passage>| passage.session.is_none() && passage.heard_by.is_empty() && passage.readers.is_empty();
    let (mut passages, is_known) = (passages(state, fact).peekable(), state.known_by(fact.id()).next().is_some());
    let is_secret = passages.peek().is_some() && passages.all(is_for_dm) && !is_known;
    let is_name = is_extracted_name_or_kind(fact);
    (is_secret && !is_name).then_some(Change::SetSecrecy { fact: accepted, secrecy: Secrecy::Secret })
}

/// Returns the change with which the character who did a deed knows it at first hand, if others only told the character
/// about it. `fact` is the fact before the decision, and `accepted` the deed that the DM accepts.
fn own_deed(state: &State, fact: &Fact, accepted: &Fact) -> Option<Change> {
    let (vocabulary, predicate) = (state.vocabulary(), accepted.predicate());
    let doer = Knower::Entity(accepted.subject().clone());
    let mut edges =
        state.recorded_knowledge(fact.id()).filter(|edge| edge.knower == doer && edge.acquisition.gives_knowledge());
    let told = edges.next()?;
    let is_told = told.acquisition.is_told() && edges.all(|edge| edge.acquisition.is_told());
    let is_deed = vocabulary.is_deed(predicate) || vocabulary.behavior(predicate).fatal;
    (is_deed && is_told).then(|| {
        Change::Learn(Arc::new(KnowledgeEdge {
            acquisition: Acquisition::Witnessed,
            learned: told.learned.clone(),
            session: told.session.clone(),
            ..KnowledgeEdge::authored(doer.clone(), accepted.id())
        }))
    })
}

/// Returns the changes with which a character knows a corrected fact, if the fact stated the death of this character before
/// the correction, and the character heard the narration. Nobody learns of the own death, so only the others learned the
/// fact. `fact` is the fact before the decision.
fn witnessed_death(state: &State, fact: &Fact, corrected: &Fact) -> Vec<Change> {
    let Some(character) = dead_entity(state, fact).filter(|dead| dead_entity(state, corrected) != Some(*dead)) else {
        return Vec::new();
    };
    let knower = Knower::Entity(character.clone());
    let narrated = passages(state, fact).filter(|line| line.speaker.is_none() && line.session.is_some());
    let heard = narrated.filter(|line| !line.is_out_of_character() && line.has_participant(&knower));
    let edge = |line: &Arc<Passage>| KnowledgeEdge {
        acquisition: Acquisition::Witnessed,
        learned: line.time.clone(),
        session: line.session.clone(),
        ..KnowledgeEdge::authored(knower.clone(), corrected.id())
    };
    heard.map(|line| Change::Learn(Arc::new(edge(line)))).collect()
}

/// Minimum share of common words of two sentences that say the same.
const MIN_COMMON_WORDS: f64 = 0.8;

/// Returns whether two facts name the same entities in nearly the same words, in the same order: "Pell robbed Odo" is not
/// "Odo robbed Pell".
fn is_same_sentence(a: &Fact, b: &Fact) -> bool {
    let entities = |fact: &Fact| fact.entities().cloned().collect::<BTreeSet<EntityId>>();
    let context = |fact: &Fact| (fact.factuality(), fact.fact_relation(), fact.validity().is_closed());
    if entities(a) != entities(b) || context(a) != context(b) {
        return false;
    }
    let (a, b) = (text::words(a.statement()), text::words(b.statement()));
    let is_significant = |word: &&String| {
        word.contains(char::is_numeric) || words::english().negations.contains(word) || word.ends_with("n't")
    };
    let common = common_words_in_order(&a, &b);
    let all = (a.len() + b.len() - common).max(1);
    let has_word_alone = |own: &[String], other: &[String]| {
        own.iter().filter(|word| !other.contains(word)).any(|word| is_significant(&word))
    };
    common as f64 / all as f64 >= MIN_COMMON_WORDS && !has_word_alone(&a, &b) && !has_word_alone(&b, &a)
}

/// Returns the length of the longest sequence of words that two sentences contain in the same order.
fn common_words_in_order(a: &[String], b: &[String]) -> usize {
    // The longest sequences of the words of `a` so far and of the first words of `b`.
    let mut longest = vec![0; b.len() + 1];
    for word in a {
        let mut before = 0;
        for (at, other) in b.iter().enumerate() {
            let shorter = std::mem::replace(&mut before, longest[at + 1]);
            longest[at + 1] = if word == other { shorter + 1 } else { longest[at + 1].max(longest[at]) };
        }
    }
    longest[b.len()]
}

/// Returns the facts that state the name or kind of a new entity in `fact`, and that wait for the DM's decision. If `fact`
/// reopens a rejected fact, also returns those that were rejected. `original` is the fact before the decision. Accepting or
/// correcting `fact` also accepts these facts.
fn undecided_names_in<'a>(state: &'a State, fact: &'a Fact, original: &'a Fact) -> Vec<FactId> {
    let entities = std::iter::once(fact.subject()).chain(fact.object().entity());
    let new_entities = entities.filter(|id| is_unconfirmed_entity(state, id));
    let is_undecided = |status: FactStatus| {
        status == FactStatus::Proposed || status == FactStatus::Rejected && original.status() == FactStatus::Rejected
    };
    let name_facts = |id: &'a EntityId| {
        let facts = state.facts_of(id).filter(move |other| is_undecided(other.status()));
        facts.filter(move |other| is_extracted_name_or_kind(other) && other.subject() == id)
    };
    new_entities.flat_map(name_facts).map(|fact| fact.id()).filter(|id| *id != fact.id()).collect()
}

/// Returns whether a fact states another value of the attribute that a corrected fact states.
fn is_replaced(state: &State, id: FactId, corrected: &Fact) -> bool {
    let parts = (corrected.subject(), corrected.predicate());
    state.fact(id).is_some_and(|fact| (fact.subject(), fact.predicate()) == parts)
}

/// If `fact` states the name of a new entity, returns the other facts about this entity that wait for the DM's
/// decision. Rejecting the name also rejects these facts.
fn facts_depending_on_name(state: &State, fact: &Fact) -> Vec<FactId> {
    let id = fact.subject();
    let is_its_name = fact.predicate().as_str() == attribute::NAME && is_unconfirmed_entity(state, id);
    let pending = is_its_name.then(|| pending_facts_about(state, id)).into_iter().flatten();
    pending.map(|fact| fact.id()).filter(|id| *id != fact.id()).collect()
}
