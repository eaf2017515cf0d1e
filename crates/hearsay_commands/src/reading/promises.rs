//! Promises whose content is a clause of its own: "I promise you, Odo, I will find the key."

use hearsay_extract::ExtractedFact;
use hearsay_model::{Confidence, ExtractionStage, OpenThread, Vocabulary};

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

/// Returns whether a statement follows a promise of its subject in the same sentence, and the promise does not say yet
/// what is promised.
fn is_content(text: &str, promise: &ExtractedFact, statement: &ExtractedFact) -> bool {
    let between = text.get(promise.span.end..statement.span.start);
    statement.stage == ExtractionStage::Statements
        && statement.subject == promise.subject
        && !statement.denied
        && !promise.statement.contains(": ")
        && between.is_some_and(|words| !words.contains(['.', '!', '?', '\n']))
}
