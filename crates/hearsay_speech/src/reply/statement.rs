//! The sentences that a character can say of a line of its scene context.

use hearsay_model::{
    attribute,
    text::{self, words},
    words::{contains_word, english, has_ending, is_adverb, is_determiner, is_past_verb},
};
use hearsay_recall::{Line, SceneContext};

/// A sentence that a character can say of a line.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    /// The line, with the sentence as its text.
    pub(super) line: Line,
    /// Whether the sentence is the whole text of the line.
    pub(super) is_whole: bool,
}

/// Returns the sentences that the character can say of a line. The statement of a fact is said as it is, with the name of
/// its subject in place of a pronoun at its start. A description consists of the DM's own words, which can be fragments. Of
/// a description, only the sentences about the described entity are said, one at a time, with its name in place of a
/// pronoun. Texts about the speaker are divided too, because a pronoun in a later sentence would not be in the first person.
pub(super) fn statements(context: &SceneContext, line: &Line) -> Vec<Statement> {
    let Some(claim) = &line.claim else { return Vec::new() };
    let is_description = claim.predicate.as_str() == attribute::DESCRIPTION;
    let is_text = claim.object.text() == Some(line.text.as_str());
    let sentences = sentences(&line.text);
    let is_whole = sentences.len() == 1;
    let is_divided = is_description || is_text && (is_whole || claim.subject == context.speaker);
    let Some(name) = context.subject_names.get(&claim.subject).filter(|_| is_divided) else {
        let is_said = !is_description;
        return is_said.then(|| Statement { line: line.clone(), is_whole: true }).into_iter().collect();
    };
    let mut said = Vec::new();
    let mut is_pronoun_clear = true;
    for sentence in sentences {
        let with_name = match after_pronoun(sentence) {
            Some(rest) if is_pronoun_clear => Some(format!("{name}{rest}")),
            Some(_) => None,
            None if let Some(rest) = after_possessive(sentence).filter(|_| !is_description && is_pronoun_clear) => {
                is_pronoun_clear = false;
                Some(format!("{name}'s{rest}"))
            }
            None => {
                is_pronoun_clear = !mentions_other_subject(context, sentence, name);
                let is_clear = is_whole || is_pronoun_clear;
                let is_said = if is_description { says_what_it_does(sentence, name) } else { is_clear };
                is_said.then(|| sentence.to_owned())
            }
        };
        said.extend(with_name);
    }
    let statement = |text| {
        let mut line = line.clone();
        line.text = text;
        Statement { line, is_whole }
    };
    said.into_iter().map(statement).collect()
}

/// Returns the words of a statement after the name of its subject, in lowercase; `None` if the statement does not begin
/// with the name or its first part.
pub(super) fn words_after_name(statement: &str, name: &str) -> Option<Vec<String>> {
    let first_name = name.split(' ').next().filter(|first| !is_determiner(first));
    let written = if statement.starts_with(name) { name } else { first_name? };
    let after = statement.strip_prefix(written).and_then(|rest| rest.strip_prefix(' '))?;
    (!written.is_empty() && after.starts_with(char::is_alphabetic)).then(|| words(after))
}

/// Returns whether a word can be a verb in the third person or in the past tense. The word must be in lowercase. The ending
/// decides, because a description can contain verbs that no list of the extractor contains.
fn may_be_verb(word: &str) -> bool {
    is_past_verb(word) || english().past_forms.contains_key(word) || has_ending(word, &english().third_person_endings)
}

/// Returns whether a sentence begins with the name of its subject and a verb: "Odo Brandt keeps the ferry." A fragment
/// such as "Odo Brandt, ferryman." has no verb.
fn says_what_it_does(sentence: &str, name: &str) -> bool {
    let after = words_after_name(sentence, name).unwrap_or_default();
    let has_verb = after.iter().find(|word| !is_adverb(word)).is_some_and(|word| may_be_verb(word));
    has_verb && !is_determiner(&after[0])
}

/// Returns the text after a pronoun at the start of a sentence that stands for one person.
fn after_pronoun(sentence: &str) -> Option<&str> {
    let (first, _) = sentence.split_once(' ')?;
    let is_pronoun = contains_word(&english().person_pronouns, &first.to_lowercase());
    sentence.get(first.len()..).filter(|_| is_pronoun)
}

/// Returns the text after a possessive pronoun at the start of a sentence that stands for one person.
fn after_possessive(sentence: &str) -> Option<&str> {
    let (first, _) = sentence.split_once(' ')?;
    let word = first.to_lowercase();
    let mut persons = english().personal_pronouns.iter();
    let is_possessive = persons
        .any(|pronouns| pronouns.possessive == word && contains_word(&english().person_pronouns, &pronouns.subject));
    sentence.get(first.len()..).filter(|_| is_possessive)
}

/// Returns whether the subject of a sentence is another person, to whom a pronoun in the next sentence can refer.
fn mentions_other_subject(context: &SceneContext, sentence: &str, name: &str) -> bool {
    let first = words(sentence).into_iter().next().unwrap_or_default();
    let is_possessive = english().personal_pronouns.iter().any(|pronouns| pronouns.possessive == first);
    let mut others = context.subject_names.values().filter(|other| *other != name);
    is_possessive || others.any(|other| sentence.starts_with(other.as_str()))
}

/// Returns the sentences of all paragraphs of a text.
fn sentences(text: &str) -> Vec<&str> {
    text.lines().flat_map(text::sentences).map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_no_fragments() {
        assert_eq!(sentences("Dr. Finch is out. He sails."), ["Dr. Finch is out.", "He sails."]);
        assert_eq!(sentences("Tilda guards the queen. She\nbrews."), ["Tilda guards the queen.", "She", "brews."]);
        for (sentence, is_said) in [
            ("Greta Lund brews the ale.", true),
            ("Greta often brews ale.", false),
            ("Greta secretly brews ale.", true),
            ("Greta Lund, alewife.", false),
            ("Greta Lund - the alewife.", false),
            ("Alewife of the Blue Boar.", false),
            ("Greta Lund the alewife.", false),
        ] {
            assert_eq!(says_what_it_does(sentence, "Greta Lund"), is_said, "{sentence}");
        }
        assert_eq!(after_pronoun("She hates Tom."), Some(" hates Tom."));
        assert_eq!(after_pronoun("Shells lie here."), None);
        assert_eq!(after_possessive("Her uncle brews."), Some(" uncle brews."));
        assert_eq!(after_possessive("Hers is the inn."), None);
    }
}
