//! Recognition of narration that only says what passes in a scene: acts before the eyes of the hearers, and moods.

use hearsay_belief::place_at;
use hearsay_extract::{ExtractedFact, Mention};
use hearsay_model::{
    EntityId, ExtractionStage, Factuality, History, Knower, Passage, State, attribute, text,
    words::{self, contains_word},
};

use crate::policy::{Policy, StatementSource, TextOrigin};

/// Returns whether a fact of narration only says what passes in the scene. Such a fact is not proposed, because it is over
/// before the DM decides on it. The log still contains the line.
///
/// Four kinds of facts pass: a statement that [tells of an act](is_passing_act) of a character in the scene, a relation
/// that [consists of such an act](is_passing_relation), a statement that [nobody notices something](denies_witnesses), and
/// a doubtful value of a predicate of which only the [latest](History::Latest) value counts, such as a mood.
pub(super) fn is_passing(state: &State, policy: &Policy, passage: &Passage, fact: &ExtractedFact) -> bool {
    let is_live_narration =
        passage.session.is_some() && passage.speaker.is_none() && TextOrigin::from_passage(passage) == TextOrigin::Live;
    let Mention::Known(subject) = &fact.subject else { return false };
    if !is_live_narration || fact.stated_by.is_some() || fact.denied || fact.ended {
        return false;
    }
    if denies_witnesses(fact) {
        return true;
    }
    let is_mood = state.vocabulary().history(&fact.predicate) == History::Latest;
    let threshold = policy.record_threshold(StatementSource::World, Some(TextOrigin::Live));
    match is_mood {
        true => fact.confidence < threshold,
        false => {
            let is_act = is_passing_act(state, fact, subject) || is_passing_relation(state, fact, subject);
            is_act && is_in_scene(state, passage, subject)
        }
    }
}

/// Returns whether a statement says in the progressive what a character does: "Odo is wiping a mug." If the words name
/// anybody or anything else, the act may matter to the story, so such a statement is no passing act.
fn is_passing_act(state: &State, fact: &ExtractedFact, subject: &EntityId) -> bool {
    let is_statement = fact.stage == ExtractionStage::Statements
        && fact.predicate.as_str() == attribute::LORE
        && fact.factuality == Factuality::Asserted;
    if !is_statement || !fact.participants.is_empty() || !state.is_character(subject) {
        return false;
    }
    predicates(state, fact, subject).any(is_act_in_progress)
}

/// Returns whether a statement says that nobody notices something: "Nobody sees Odo." The log limits who hears such a line.
fn denies_witnesses(fact: &ExtractedFact) -> bool {
    let statement = text::words(&fact.statement);
    let mut clauses = words::english().unwitnessed_clauses.iter();
    fact.stage == ExtractionStage::Statements && clauses.any(|clause| statement.starts_with(&text::words(clause)))
}

/// Returns whether a relation says in the simple present what a character does to somebody or something, with a verb that
/// states no relation by itself: "Odo shoves Bram." The line states no lasting relation. A verb for a state, such as
/// "resembles", does.
fn is_passing_relation(state: &State, fact: &ExtractedFact, subject: &EntityId) -> bool {
    let is_candidate = fact.stage == ExtractionStage::RelationCandidates
        && fact.relation.is_some()
        && fact.factuality == Factuality::Asserted;
    let quoted = text::words(&fact.quote);
    let is_act = |predicate: &str| {
        let verb = predicate.split(' ').next().unwrap_or_default();
        let is_state = words::is_finite_be_form(verb) || contains_word(&words::english().stative_verbs, verb);
        !is_state && contains_word(&quoted, verb)
    };
    is_candidate && state.is_character(subject) && predicates(state, fact, subject).any(is_act)
}

/// Returns the words after the subject in the statement of a fact, for each name of the subject with which the statement
/// begins.
fn predicates<'a>(state: &'a State, fact: &'a ExtractedFact, subject: &EntityId) -> impl Iterator<Item = &'a str> {
    let names = state.names(subject).into_iter();
    names.filter_map(move |name| fact.statement.strip_prefix(name)?.strip_prefix(' '))
}

/// Returns whether the words after a subject are a verb in the progressive, with an object or an adverbial. A participle
/// alone can be an adjective for a state: "is missing". Before an infinitive or a reported clause, the verb is about what
/// somebody wants, thinks or says: "is planning to leave".
fn is_act_in_progress(predicate: &str) -> bool {
    let english = words::english();
    let mut rest = predicate.trim_end_matches('.').split_whitespace();
    let has_auxiliary = rest.next().is_some_and(words::is_finite_be_form);
    let mut rest = rest.skip_while(|word| words::is_adverb(word));
    let has_participle = rest.next().is_some_and(words::is_progressive_form);
    let rest: Vec<&str> = rest.collect();
    let opens_clause = |word: &&str| {
        [&english.reported_openers, &english.topic_openers].iter().any(|openers| contains_word(openers, word))
            || contains_word(&english.infinitive_marks, word)
    };
    let is_name = |word: &&str| word.starts_with(char::is_uppercase);
    has_auxiliary && has_participle && rest.first().is_some_and(|word| !opens_clause(word)) && !rest.iter().any(is_name)
}

/// Returns whether a character is in the scene of a passage, as far as the records show: the character hears the passage,
/// or is at no other place.
fn is_in_scene(state: &State, passage: &Passage, id: &EntityId) -> bool {
    let moment = passage.said_at();
    let is_at_place = |place: EntityId| passage.place.as_ref() == Some(&place);
    passage.heard_by.contains(&Knower::from(id.clone())) || place_at(state, id, moment).is_none_or(is_at_place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_act_in_progress_has_an_object_and_no_clause() {
        for (predicate, expected) in [
            ("is sharpening a sickle.", true),
            ("is slowly stirring the soup.", true),
            ("are stacking crates by the door.", true),
            ("is missing.", false),
            ("is charming.", false),
            ("is planning to burn the barn.", false),
            ("is thinking about the feud.", false),
            ("is saying that the well is foul.", false),
            ("is selling maps to Corvin.", false),
            ("is the heir of the mill.", false),
            ("is nothing but a thief.", false),
            ("sharpens a sickle.", false),
        ] {
            assert_eq!(is_act_in_progress(predicate), expected, "{predicate}");
        }
    }
}
