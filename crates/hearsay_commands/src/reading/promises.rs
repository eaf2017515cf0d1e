//! Promises and deeds in the words of the text. The content of a promise can be a clause of its own: "I promise you, Odo, I
//! will find the key."

use hearsay_extract::{ExtractedFact, FactObject, Mention, is_pronoun};
use hearsay_model::{Confidence, ExtractionStage, OpenThread, Vocabulary, attribute, text};

/// In narration, gives each deed and each promise the words of a statement that says the same with more words, as in "Odo
/// stabs Bram in the throat" and "Odo promises Bram to stay", and leaves out this statement.
pub(super) fn with_stated_words(vocabulary: &Vocabulary, facts: &[ExtractedFact]) -> Vec<ExtractedFact> {
    let is_act = |fact: &ExtractedFact| {
        let is_promise = vocabulary.behavior(&fact.predicate).thread == Some(OpenThread::Promise);
        is_promise || vocabulary.is_deed(&fact.predicate)
    };
    let mut said: Vec<(usize, usize)> = Vec::new();
    for (at, statement) in facts.iter().enumerate() {
        let acts = facts.iter().enumerate().filter(|(_, fact)| is_act(fact) && says_act(statement, fact));
        // A statement of two acts remains a fact of its own.
        if let [(act, _)] = acts.collect::<Vec<_>>()[..] {
            said.push((at, act));
        }
    }
    let with_words = |(at, fact): (usize, &ExtractedFact)| {
        let words = said.iter().find(|(_, act)| *act == at).map(|(statement, _)| &facts[*statement].statement);
        ExtractedFact { statement: words.unwrap_or(&fact.statement).clone(), ..fact.clone() }
    };
    let is_said = |at: usize| said.iter().any(|(statement, _)| *statement == at);
    facts.iter().enumerate().filter(|(at, _)| !is_said(*at)).map(with_words).collect()
}

/// Returns whether a statement says that an act happens, in words that contain the words of the act.
fn says_act(statement: &ExtractedFact, act: &ExtractedFact) -> bool {
    let FactObject::Entity(Mention::Known(object)) = &act.object else { return false };
    let assertion = |fact: &ExtractedFact| (fact.denied, fact.ended, fact.factuality, fact.stated_by.clone());
    statement.stage == ExtractionStage::Statements
        && statement.predicate.as_str() == attribute::LORE
        && statement.subject == act.subject
        && statement.participants.contains(object)
        && statement.span.start <= act.span.start
        && act.span.end <= statement.span.end
        && statement.confidence <= act.confidence
        && assertion(statement) == assertion(act)
}

/// Adds what is promised to each promise with at least the confidence `floor`, in the words of the text, and leaves out
/// the statements that say nothing else.
pub(super) fn with_promised_words(
    vocabulary: &Vocabulary,
    text: &str,
    facts: &[ExtractedFact],
    floor: Confidence,
) -> Vec<ExtractedFact> {
    let is_promise = |fact: &ExtractedFact| {
        let is_asserted = !fact.denied && !fact.ended && fact.confidence >= floor;
        is_asserted && vocabulary.behavior(&fact.predicate).thread == Some(OpenThread::Promise)
    };
    let content = |promise: &ExtractedFact| facts.iter().position(|statement| is_content(text, promise, statement));
    let promises = facts.iter().enumerate().filter(|(_, fact)| is_promise(fact));
    // The indices of the promises, each with the index of the statement of its content.
    let contents: Vec<(usize, usize)> = promises.filter_map(|(at, fact)| Some((at, content(fact)?))).collect();
    let with_words = |(at, fact): (usize, &ExtractedFact)| {
        let content = contents.iter().find(|(promise, _)| *promise == at).map(|(_, content)| facts[*content].span);
        let statement = match content.and_then(|span| text.get(span.start..span.end)) {
            Some(words) => {
                let stem = fact.statement.trim_end_matches('.');
                format!("{stem}: \u{201C}{}.\u{201D}", words.trim_end_matches(['.', ' ']))
            }
            None => fact.statement.clone(),
        };
        ExtractedFact { statement, ..fact.clone() }
    };
    let is_content_only = |at: usize| contents.iter().any(|(_, content)| *content == at);
    facts.iter().enumerate().filter(|(at, _)| !is_content_only(*at)).map(with_words).collect()
}

/// Returns whether a statement follows a promise of its subject in the same sentence as a clause with its own subject, and
/// the promise does not say yet what is promised. In "Odo promises Bram to stay, gives him a key", Odo promises only to
/// stay.
fn is_content(text: &str, promise: &ExtractedFact, statement: &ExtractedFact) -> bool {
    let between = text.get(promise.span.end..statement.span.start);
    let words = text.get(statement.span.start..statement.span.end).map(text::words).unwrap_or_default();
    let has_subject = words.first().and_then(|word| word.split('\'').next()).is_some_and(is_pronoun);
    statement.stage == ExtractionStage::Statements
        && statement.subject == promise.subject
        && !statement.denied
        && !promise.statement.contains(": ")
        && between.is_some_and(|words| {
            let is_direct = words.trim().is_empty();
            (is_direct || has_subject && !words.starts_with(" to ")) && !words.contains(['.', '!', '?', '\n'])
        })
}
