//! Promises: which promises were kept or broken, and in which words they were given.

use hearsay_model::{Evidence, Fact, FactStatus, Key, OpenThread, Position, PredicateRole, State, text};

/// Maximum length of the quoted words of a promise, in bytes.
const MAX_QUOTE_BYTES: usize = 300;

/// Returns whether a fact states that its subject kept or broke a promise to its object.
fn is_settlement(fact: &Fact) -> bool {
    [PredicateRole::KeptPromise, PredicateRole::BrokenPromise].iter().any(|role| role.is(fact.predicate()))
}

fn is_promise(state: &State, fact: &Fact) -> bool {
    state.vocabulary().behavior(fact.predicate()).thread == Some(OpenThread::Promise)
}

/// Returns the facts with the same subject and the same object as a fact, including the fact itself.
fn between_same_entities<'a>(state: &'a State, fact: &'a Fact) -> impl Iterator<Item = &'a Fact> {
    let facts = state.facts_of(fact.subject()).map(AsRef::as_ref);
    facts.filter(move |other| other.subject() == fact.subject() && other.object() == fact.object())
}

/// Returns the position of the newest operation that recorded a fact, or a passage in which the fact is stated.
fn last_stated(state: &State, fact: &Fact) -> Position {
    let passages = fact.provenance().evidence.iter().filter_map(Evidence::passage).map(Key::Passage);
    let keys = std::iter::once(Key::Fact(fact.id())).chain(passages);
    keys.filter_map(|key| state.first_recorded(&key)).max().unwrap_or_default()
}

/// Returns the recorded promises between the same entities as a fact, including ended promises.
fn recorded_promises<'a>(state: &'a State, fact: &'a Fact) -> impl Iterator<Item = &'a Fact> {
    let is_recorded = |fact: &&Fact| matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed);
    between_same_entities(state, fact).filter(move |other| is_promise(state, other)).filter(is_recorded)
}

/// Returns whether a promise was kept or broken. This is the case if a later canon fact states that the subject kept or
/// broke a promise to the object, and no other promise of the subject to the object is recorded.
pub(super) fn is_settled(state: &State, promise: &Fact) -> bool {
    if !is_promise(state, promise) || recorded_promises(state, promise).count() > 1 {
        return false;
    }
    let settlements =
        between_same_entities(state, promise).filter(|fact| is_settlement(fact) && fact.status() == FactStatus::Canon);
    let settled = settlements.map(|fact| last_stated(state, fact)).max();
    settled.is_some_and(|settled| settled >= last_stated(state, promise))
}

/// Promises that a fact about a kept or broken promise may refer to.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchingPromises<'a> {
    /// Promises of the subject to the object that have not ended.
    pub promises: Vec<&'a Fact>,
    /// Whether the promise is closed if the fact is canon. The value is `false` if several promises of the subject to the
    /// object are recorded.
    pub is_unique: bool,
}

/// Returns the promises that a fact about a kept or broken promise may refer to. Returns `None` if the fact is not about a
/// kept or broken promise.
pub fn matching_promises<'a>(state: &'a State, fact: &'a Fact) -> Option<MatchingPromises<'a>> {
    let recorded: Vec<&Fact> = is_settlement(fact).then(|| recorded_promises(state, fact))?.collect();
    let is_unique = recorded.len() == 1;
    Some(MatchingPromises { promises: recorded.into_iter().filter(|fact| fact.is_in_effect()).collect(), is_unique })
}

/// Returns the sentence of the newest text in which a promise was given, if the statement of the promise does not contain
/// it: the statement is only the phrase of its predicate, or contains the words of an older text.
pub(super) fn promise_quote(state: &State, promise: &Fact) -> Option<String> {
    let object = promise.object().entity().filter(|_| is_promise(state, promise))?;
    let (subject, object) = (state.name_or_id(promise.subject()), state.name_or_id(object));
    let phrase = state.vocabulary().sentence(promise.predicate(), subject, object);
    let has_words = promise.statement() != phrase;
    if has_words && !promise.statement().starts_with(phrase.trim_end_matches('.')) {
        return None;
    }
    let settlements = between_same_entities(state, promise).filter(|fact| is_settlement(fact));
    let settling: Vec<_> =
        settlements.flat_map(|fact| &fact.provenance().evidence).filter_map(Evidence::passage).collect();
    let quotes = promise.provenance().evidence.iter().filter_map(|evidence| match evidence {
        Evidence::Passage { passage, span, .. } if !settling.contains(passage) => {
            let passage_text = &state.passage(*passage)?.text;
            let sentence = text::sentence_around(passage_text, span.start, span.end)?;
            Some((state.first_recorded(&Key::Passage(*passage)), sentence))
        }
        _ => None,
    });
    let mut quotes: Vec<_> = quotes.collect();
    quotes.sort_by_key(|(position, _)| *position);
    let (_, quote) = quotes.into_iter().skip(usize::from(has_words)).next_back()?;
    (quote.len() <= MAX_QUOTE_BYTES).then(|| quote.to_owned())
}
