//! Words of a typed line which suggest that only some of the characters in the scene notice it, as in `Odo shows the card to
//! Wren only.`

use hearsay_model::{
    text::{self, SENTENCE_ENDS},
    words,
};

use super::{
    introduction::named_characters,
    name_phrases::name_ranges,
    speakers::SpeakerNames,
    unnoticed::{joined_characters, stated_witnesses},
};

/// Maximum number of words for which a `*` of a phrase can stand, such as the names of two characters.
const MAX_NAME_WORDS: usize = 5;

/// Returns whether a line contains words which suggest that only some of the characters in the scene notice it: how somebody
/// speaks, in the words before the first colon or quotation mark, or who notices it, in narration and in brackets. `is_speech`
/// is `true` if a character says the words after the colon.
pub(super) fn sounds_private(names: &SpeakerNames<'_>, line: &str, is_speech: bool) -> bool {
    let english = words::english();
    let manners = [
        &english.confidential_manners,
        &english.whisper_verbs,
        &english.hushed_verbs,
        &english.aside_phrases,
        &english.private_addressees,
    ];
    let introduction = line.split_once([':', '"', '\u{201C}']).map_or("", |(before, _)| before);
    let remarks = line.split(['(', '[']).skip(1).filter_map(|rest| rest.split([')', ']']).next());
    let narration = Some(line).filter(|_| !is_speech);
    has_any(names, introduction, &manners) || remarks.chain(narration).any(|part| limits_witnesses(names, part))
}

/// Returns whether narration says that only some characters notice it, or that somebody does something in secret before
/// another person.
fn limits_witnesses(names: &SpeakerNames<'_>, narration: &str) -> bool {
    let english = words::english();
    let among_characters = || {
        let words: Vec<&str> = narration.split_whitespace().collect();
        named_characters(names, &words).len() > 1
    };
    narration.split(SENTENCE_ENDS).any(|sentence| stated_witnesses(names, sentence).is_some())
        || has_any(names, narration, &[&english.private_addressees])
        || has_any(names, narration, &[&english.private_circumstances]) && among_characters()
}

/// Returns whether a text contains one of the phrases. A `*` of a phrase stands for the names of characters.
fn has_any(names: &SpeakerNames<'_>, text: &str, lists: &[&Vec<String>]) -> bool {
    let words = text::words(text);
    let is_in_text = |phrase: &String| match phrase.contains('*') {
        true => name_ranges(&words, phrase).into_iter().any(|range| {
            let end = range.end.min(range.start + MAX_NAME_WORDS);
            !joined_characters(names, &words[range.start..end], false).is_empty()
        }),
        false => text::contains_name(&words, &text::words(phrase)),
    };
    lists.iter().copied().flatten().any(is_in_text)
}
