//! Acts and promises in the words of the text. The content of a promise can be a clause of its own: "I promise you, Odo, I
//! will find the key."

use hearsay_extract::{ExtractedFact, FactObject, Mention, is_pronoun};
use hearsay_model::{
    Confidence, EntityId, ExtractionStage, OpenThread, PredicateRole, Vocabulary, attribute, text,
    words::{contains_word, english, is_determiner},
};

/// Returns the words in which narration and promises are recorded, for the facts of a passage. Leaves out the statements that
/// say nothing else than another fact.
///
/// In narration, each deed, promise and feeling gets the words of a statement that says the same with more words, as in "Odo
/// stabs Bram in the throat", "Odo promises Bram to stay" and "Odo is in love with Bram". A statement of a transfer, as in
/// "Odo hands Bram the key", says the same as the fact that Bram owns the key. Each promise with at least the confidence
/// `floor` contains what is promised, in the words of the text.
pub(super) fn with_words_of_text(
    vocabulary: &Vocabulary,
    (text, is_narration): (&str, bool),
    facts: &[ExtractedFact],
    floor: Confidence,
) -> Vec<ExtractedFact> {
    let mut facts = facts.to_vec();
    if is_narration {
        merge_statements(vocabulary, &mut facts, floor);
    }
    add_promised_words(vocabulary, (text, is_narration), &mut facts, floor);
    facts
}

/// Gives each act the words of a statement that says the same with more words, and removes this statement.
fn merge_statements(vocabulary: &Vocabulary, facts: &mut Vec<ExtractedFact>, floor: Confidence) {
    let is_act = |fact: &ExtractedFact| {
        let behavior = vocabulary.behavior(&fact.predicate);
        let is_feeling = behavior.attitude.is_some() && behavior.object_attitude.is_none();
        behavior.thread == Some(OpenThread::Promise) || is_feeling || vocabulary.is_deed(&fact.predicate)
    };
    let is_transfer = |fact: &ExtractedFact| PredicateRole::Possession.is(&fact.predicate) && fact.confidence >= floor;
    let (mut worded, mut said) = (Vec::new(), Vec::new());
    for (at, statement) in facts.iter().enumerate() {
        let acts = facts.iter().enumerate().filter(|(_, fact)| is_act(fact) && says_act(statement, fact));
        // A statement of two acts remains a fact of its own.
        if let [(act, _)] = acts.collect::<Vec<_>>()[..] {
            worded.push((act, statement.statement.clone()));
            said.push(at);
        } else if facts.iter().any(|fact| is_transfer(fact) && says_transfer(statement, fact)) {
            said.push(at);
        }
    }
    // The first statement counts.
    for (act, words) in worded.into_iter().rev() {
        facts[act].statement = words;
    }
    remove(facts, &said);
}

/// Returns the entity of the campaign to which a relation leads.
fn known_object(fact: &ExtractedFact) -> Option<&EntityId> {
    match &fact.object {
        FactObject::Entity(Mention::Known(object)) => Some(object),
        _ => None,
    }
}

/// Returns whether a fact is a statement of the reading model with the same assertion status as another fact.
fn is_same_assertion(statement: &ExtractedFact, fact: &ExtractedFact) -> bool {
    statement.stage == ExtractionStage::Statements
        && statement.predicate.as_str() == attribute::LORE
        && (statement.denied, statement.ended, statement.factuality) == (fact.denied, fact.ended, fact.factuality)
        && statement.stated_by == fact.stated_by
}

/// Returns whether a statement says that an act happens, in words that contain the words of the act.
fn says_act(statement: &ExtractedFact, act: &ExtractedFact) -> bool {
    known_object(act).is_some_and(|object| statement.participants.contains(object))
        && statement.subject == act.subject
        && statement.span.start <= act.span.start
        && act.span.end <= statement.span.end
        && statement.confidence <= act.confidence
        && is_same_assertion(statement, act)
}

/// Returns whether a statement says in the same words as a fact that somebody hands over what somebody else then owns.
fn says_transfer(statement: &ExtractedFact, possession: &ExtractedFact) -> bool {
    let Mention::Known(receiver) = &possession.subject else { return false };
    let ends = [Some(receiver), known_object(possession)];
    let words = |fact: &ExtractedFact| text::words(&fact.quote);
    ends.into_iter().all(|id| id.is_some_and(|id| statement.participants.contains(id)))
        && is_same_assertion(statement, possession)
        && words(statement) == words(possession)
}

/// Adds what is promised to each promise with at least the confidence `floor`, in the words of the text, and removes the
/// statements that say nothing else. For spoken words, the promised act can be an infinitive: "I promise to stay".
fn add_promised_words(
    vocabulary: &Vocabulary,
    (text, is_narration): (&str, bool),
    facts: &mut Vec<ExtractedFact>,
    floor: Confidence,
) {
    let is_promise = |fact: &ExtractedFact| {
        let is_asserted = !fact.denied && !fact.ended && fact.confidence >= floor;
        is_asserted && vocabulary.behavior(&fact.predicate).thread == Some(OpenThread::Promise)
    };
    let content = |promise: &ExtractedFact| facts.iter().position(|statement| is_content(text, promise, statement));
    let promises = facts.iter().enumerate().filter(|(_, fact)| is_promise(fact));
    // The indices of the promises, each with the index of the statement of its content.
    let contents: Vec<(usize, usize)> = promises.clone().filter_map(|(at, fact)| Some((at, content(fact)?))).collect();
    let content_words = contents.iter().filter_map(|(promise, content)| {
        let span = facts[*content].span;
        Some((*promise, text.get(span.start..span.end)?.trim_end_matches(['.', ' '])))
    });
    let has_content = |at: usize| contents.iter().any(|(promise, _)| *promise == at);
    let acts = promises.filter(|(at, _)| !is_narration && !has_content(*at));
    let acts = acts.filter_map(|(at, fact)| Some((at, promised_act(text, fact)?)));
    let promised: Vec<(usize, &str)> = content_words.chain(acts).collect();
    for (promise, words) in promised {
        let statement = &mut facts[promise].statement;
        *statement = format!("{}: \u{201C}{words}.\u{201D}", statement.trim_end_matches('.'));
    }
    remove(facts, &contents.into_iter().map(|(_, content)| content).collect::<Vec<_>>());
}

/// Returns the infinitive that follows the words of a promise, up to the end of its clause: "to mend the roof" in "I promise
/// you, Odo, to mend the roof, if it rains". Only the person who receives the promise may precede the infinitive. Returns
/// `None` if the promise says already what is promised.
fn promised_act<'t>(text: &'t str, promise: &ExtractedFact) -> Option<&'t str> {
    let after = text.get(promise.span.end..).filter(|_| !promise.statement.contains(": "))?;
    let mut rest = after.split(['.', '!', '?', '\n']).next()?.trim_start();
    loop {
        let word = rest.split_whitespace().next()?;
        if contains_word(&english().infinitive_marks, word) {
            break;
        }
        let letters = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        if !(letters.is_empty() || letters.starts_with(char::is_uppercase) || is_addressee(letters)) {
            return None;
        }
        rest = rest[word.len()..].trim_start();
    }
    let act = rest.split([',', ';', ':', '\u{2014}', '"', '\u{201D}']).next()?.trim_end();
    let verb = act.split_whitespace().nth(1)?;
    let is_noun = is_pronoun(verb) || is_determiner(verb) || is_addressee(verb) || verb.starts_with(char::is_uppercase);
    (!is_noun).then_some(act)
}

fn is_addressee(word: &str) -> bool {
    contains_word(&english().addressee_pronouns, word)
}

/// Removes the facts at some indices.
fn remove(facts: &mut Vec<ExtractedFact>, removed: &[usize]) {
    let mut indices = 0_usize..;
    facts.retain(|_| indices.next().is_some_and(|at| !removed.contains(&at)));
}

/// Returns whether a statement follows a promise of its subject in the same sentence as a clause with its own subject, or
/// begins the words of the promise, as in "I will stay, you have my word". The promise must not say yet what is promised. In
/// "Odo promises Bram to stay, gives him a key", Odo promises only to stay.
fn is_content(text: &str, promise: &ExtractedFact, statement: &ExtractedFact) -> bool {
    let between = text.get(promise.span.end..statement.span.start);
    let words = text.get(statement.span.start..statement.span.end).map(text::words).unwrap_or_default();
    let has_subject = words.first().and_then(|word| word.split('\'').next()).is_some_and(is_pronoun);
    let begins_promise = statement.span.start == promise.span.start && statement.span.end < promise.span.end;
    statement.stage == ExtractionStage::Statements
        && statement.subject == promise.subject
        && !statement.denied
        && !promise.statement.contains(": ")
        && (begins_promise && has_subject
            || between.is_some_and(|words| {
                let is_direct = words.trim().is_empty();
                (is_direct || has_subject && !words.starts_with(" to ")) && !words.contains(['.', '!', '?', '\n'])
            }))
}
