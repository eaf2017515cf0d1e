//! Gives the text about an entity the name of this entity as its subject: "Sells forged letters." becomes "Odo Marsh sells
//! forged letters."

use hearsay_campaign::import::lexicon;
use hearsay_extract::{Language, is_anaphor};
use hearsay_model::{
    Kind,
    spelling::is_stop_word,
    text::words,
    words::{contains_word, english, is_article, is_finite_be_form, upper_first},
};

use super::{
    super::{
        draft::Draft,
        english::ENGLISH,
        sentences::{begins_with_anaphor, sentences},
    },
    subjects::{leading_entity, name_person},
};

/// Returns a text about an entity with the name of the entity at its beginning, if the text begins with a pronoun or without a
/// subject. A phrase without a verb follows the name of a character and a colon.
pub(super) fn with_own_name(draft: &Draft, index: usize, text: &str) -> String {
    let entity = &draft.entities[index];
    if begins_with_anaphor(text) {
        return upper_first(&name_person(text, &entity.name));
    }
    let text = upper_first(text);
    if leading_entity(draft, &text).is_some() {
        return text;
    }
    let name = upper_first(&entity.name);
    let sentence = sentences(&text).first().copied().unwrap_or_default();
    if begins_with_verb(sentence) {
        let (first, rest) = text.split_once(' ').unwrap_or((text.as_str(), ""));
        return format!("{name} {} {rest}", first.to_lowercase()).trim_end().to_owned();
    }
    let is_phrase = || {
        let is_text = text.starts_with(char::is_alphabetic) && !sentence.contains(':') && !sentence.ends_with('?');
        // The first word can be a participle: "Married to Ada."
        entity.kind.is_character() && is_text && !words(sentence).iter().skip(1).any(|word| is_finite(word))
    };
    if lacks_subject(&text) || is_phrase() { format!("{name}: {text}") } else { text }
}

/// Returns whether a text begins without a subject: "Secretly works for the guild.", "Hates the toll."
pub(super) fn lacks_subject(text: &str) -> bool {
    let words = words(text);
    let Some(first) = words.first() else { return false };
    let is_verb = first.ends_with('s') && !first.ends_with("ss") && !is_stop_word(first);
    let next_is_name = text.split(' ').nth(1).is_some_and(|next| next.starts_with(char::is_uppercase));
    text.starts_with(char::is_uppercase)
        && (is_verb || contains_word(&ENGLISH.adverbs_without_subject, first) && !next_is_name)
}

/// Returns whether a text begins with the name of an NPC and with a verb for something that the NPC does knowingly: "Odo sells
/// the letters", but not "Odo is the heir" and "Odo inherits the mill".
pub(super) fn states_deed(draft: &Draft, index: usize, text: &str) -> bool {
    if draft.entities[index].kind != Kind::Npc || leading_entity(draft, text) != Some(index) {
        return false;
    }
    let is_of_name = |word: &&str| word.starts_with(char::is_uppercase) && !word.ends_with("'s");
    let mut rest = text.split(' ').skip_while(is_of_name);
    let is_unwitting = |word: &str| contains_word(&ENGLISH.unwitting_words, word);
    let is_manner = |word: &str| (word.ends_with("ly") || is_adverb(word)) && !is_unwitting(word);
    let Some(verb) = rest.find(|word| !is_manner(word)) else { return false };
    let verb = verb.trim_end_matches(|c: char| !c.is_alphanumeric());
    if is_finite_be_form(verb) {
        let next = rest.next().unwrap_or_default().trim_end_matches(|c: char| !c.is_alphanumeric());
        let is_lookalike = contains_word(&english().progressive_lookalikes, next);
        return has_ending(next, &english().progressive_endings) && !is_lookalike && !is_unwitting(next);
    }
    let is_verb = has_ending(verb, &english().third_person_endings)
        || has_ending(verb, &english().past_endings)
        || Language::english().is_finite_verb(verb, false);
    let is_word = verb.starts_with(char::is_lowercase);
    is_verb && is_word && !contains_word(&ENGLISH.name_verbs, verb) && !is_unwitting(verb)
}

fn has_ending(word: &str, endings: &[String]) -> bool {
    endings.iter().any(|ending| word.ends_with(ending.as_str()))
}

/// Returns whether a sentence begins with its verb, or with adverbs and its verb: "Secretly sells the letters.", "Sold the
/// ring.", but not "Wolves obey him."
fn begins_with_verb(sentence: &str) -> bool {
    let mut parts = sentence.split(' ').skip_while(|part| is_adverb(part));
    let Some(verb) = parts.next().map(str::to_lowercase) else { return false };
    let next = parts.next().unwrap_or_default();
    let next_word = next.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let language = Language::english();
    if contains_word(&ENGLISH.name_verbs, &verb) {
        return !is_anaphor(&next_word) && !sentence.ends_with('?');
    }
    if !language.is_finite_verb(&verb, false) {
        return false;
    }
    if let Some(noun) = verb.strip_suffix('s') {
        // "Guards watch the mill."
        let is_noun = lexicon::noun(noun).is_some() || language.is_occupation(noun);
        return !is_noun || !language.is_finite_verb(&next_word, true);
    }
    // A past form can also be a participle, but an object follows only the verb: "Sold the ring", but "Married to Ada".
    next.starts_with(char::is_uppercase)
        || is_article(&next_word)
        || is_anaphor(&next_word)
        || contains_word(&english().determiners, &next_word)
}

fn is_adverb(word: &str) -> bool {
    contains_word(&ENGLISH.adverbs_without_subject, &word.to_lowercase())
}

/// Returns whether a word in lowercase can be the verb of a sentence.
fn is_finite(word: &str) -> bool {
    is_finite_be_form(word)
        || contains_word(&ENGLISH.name_verbs, word)
        || Language::english().is_finite_verb(word, false)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn draft() -> Draft {
        let mut draft = Draft::default();
        draft.add("Wend Harrow", Kind::Npc).unwrap();
        draft.add("Tilo", Kind::Npc).unwrap();
        draft.add("The Heron", Kind::Location).unwrap();
        draft
    }

    #[test]
    fn a_text_without_a_subject_gets_the_name() {
        for (text, expected) in [
            ("Sells forged maps to Tilo.", "Wend Harrow sells forged maps to Tilo."),
            ("secretly sells the beer", "Wend Harrow secretly sells the beer"),
            ("Once stole the bell.", "Wend Harrow once stole the bell."),
            ("Killed his brother. He regrets it.", "Wend Harrow killed his brother. He regrets it."),
            ("Is the heir of the mill.", "Wend Harrow is the heir of the mill."),
            ("She burned the mill.", "Wend Harrow burned the mill."),
            ("Her sister burned the mill.", "Wend Harrow's sister burned the mill."),
            ("A twin of the reeve.", "Wend Harrow: A twin of the reeve."),
            ("Married to the reeve.", "Wend Harrow: Married to the reeve."),
            ("Tilo burned the mill.", "Tilo burned the mill."),
            ("Wend burned the mill.", "Wend burned the mill."),
            ("there is a tunnel below the mill.", "There is a tunnel below the mill."),
            ("The mill burned.", "The mill burned."),
        ] {
            assert_eq!(with_own_name(&draft(), 0, text), expected, "{text}");
        }
        assert_eq!(with_own_name(&draft(), 2, "A tunnel to the mill."), "A tunnel to the mill.");
        assert!(!with_own_name(&draft(), 0, "Guards watch the mill.").starts_with("Wend Harrow guards"));
    }

    #[test]
    fn a_deed_has_a_verb_for_what_the_character_does() {
        for text in [
            "Wend sells forged maps.",
            "Wend Harrow secretly poisoned Tilo.",
            "Wend waters the ale.",
            "Wend is hunting.",
        ] {
            assert!(states_deed(&draft(), 0, text), "{text}");
        }
        for text in [
            "Wend is the heir.",
            "Wend was robbed.",
            "Wend is dying.",
            "Wend inherits the mill.",
            "Wend unknowingly carries the map.",
            "Wend's sister sells maps.",
            "Tilo sells maps.",
            "The map burned.",
        ] {
            assert!(!states_deed(&draft(), 0, text), "{text}");
        }
    }
}
