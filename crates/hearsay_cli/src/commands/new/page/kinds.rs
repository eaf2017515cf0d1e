//! Finds the kinds of names: people, places, groups and things.

use hearsay_campaign::import::lexicon;
use hearsay_extract::{Extraction, FactObject, Language, Mention};
use hearsay_model::{Kind, text::words, words::contains_word};

use super::super::english::ENGLISH;

/// Maximum number of words of a noun phrase.
const MAX_NOUN_PHRASE_WORDS: usize = 5;

/// Minimum number of places that lie on a land with a name.
const MIN_GROUND_USES: usize = 2;

/// Returns the kind of a new name, according to the extraction of facts. A name with a trade, an age or a similar
/// attribute is a person.
pub(super) fn extracted_kind(found: &Extraction, index: usize) -> Option<Kind> {
    let is_personal =
        |predicate: &str| ["occupation", "personality", "species", "age", "gender", "title"].contains(&predicate);
    let stated = found.facts.iter().any(|fact| {
        fact.subject == Mention::New(index)
            && matches!(fact.object, FactObject::Value(_))
            && is_personal(fact.predicate.as_str())
    });
    let guess = || found.entities.get(index)?.kind.clone();
    // The extraction tells persons, places, groups and things apart by the words of the name. The words of other kinds
    // usually stand beside the name: "the murder of Jory Hask".
    let is_reliable = |kind: &Kind| matches!(kind, Kind::Npc | Kind::Location | Kind::Faction | Kind::Item);
    if stated { Some(Kind::Npc) } else { guess().filter(is_reliable) }
}

/// Returns the kind that the words beside a name state: "the Gilded Gull, an inn in Gullhaven", "the inn, the Gilded
/// Gull", "Odo is a ferryman", and "Lisbet Quay, landlady" at the beginning of a line.
pub(super) fn kind_in_text(text: &str, name: &str) -> Option<Kind> {
    text.match_indices(name).find_map(|(at, _)| {
        let (before, after) = (text.get(..at)?, text.get(at + name.len()..)?);
        let trade = || {
            let begins_line = before.is_empty() || before.ends_with('\n');
            let remark = after.strip_prefix(", ").filter(|_| begins_line)?;
            kind_of_noun_phrase(remark.split(['.', ';', '\n']).next()?).filter(|kind| *kind == Kind::Npc)
        };
        // "Odo, whom everybody fears", but not "the Lampless, who meet at night"
        let is_person = || {
            let relative = after.strip_prefix(", ").and_then(|rest| rest.split(' ').next());
            let is_group = before.to_lowercase().ends_with("the ") || lexicon::name_kind(name).is_some();
            !is_group && relative.is_some_and(|word| contains_word(&ENGLISH.personal_relatives, word))
        };
        // "Odo and Mirela are a family" says nothing about Mirela alone.
        let is_joint = before.ends_with(" and ") && (after.starts_with(" are") || after.starts_with(" were"));
        let following = kind_after(after).filter(|_| !is_joint);
        let relative = || is_person().then_some(Kind::Npc);
        following.or_else(trade).or_else(|| kind_before(before)).or_else(relative)
    })
}

/// Returns the kind that the words after a name state: " is an inn in Gullhaven".
pub(super) fn kind_after(rest: &str) -> Option<Kind> {
    let rest = rest.split(['.', ';', '\n']).next()?;
    let rest = ENGLISH.name_followers.iter().find_map(|verb| rest.strip_prefix(verb.as_str()))?.trim_start();
    let rest = ["a ", "an ", "the "].iter().find_map(|article| rest.strip_prefix(article))?;
    kind_of_noun_phrase(rest)
}

/// Returns the kind that the noun phrase at the beginning of a text states: "A quiet inn on the road".
pub(super) fn kind_of_noun_phrase(text: &str) -> Option<Kind> {
    let phrase = words(text.split([',', '(']).next()?);
    let is_end = |word: &&String| hearsay_model::spelling::is_stop_word(word);
    let nouns: Vec<&String> =
        phrase.iter().skip_while(is_end).take(MAX_NOUN_PHRASE_WORDS).take_while(|word| !is_end(word)).collect();
    // The last noun counts: "tavern girl", "boarding house".
    (0..nouns.len()).rev().find_map(|at| {
        let compound = at.checked_sub(1).and_then(|before| lexicon::compound_noun(nouns[before], nouns[at]));
        compound.or_else(|| lexicon::noun(nouns[at]))
    })
}

/// Returns the kind that the remark after the name of an entry states. A trade states a person, also behind a noun for a place:
/// "street surgeon".
pub(super) fn kind_of_remark(remark: &str) -> Option<Kind> {
    let is_trade = last_noun(remark).is_some_and(|noun| Language::english().is_occupation(&noun));
    if is_trade { Some(Kind::Npc) } else { kind_of_noun_phrase(remark) }
}

/// Returns whether the last noun of the remark after a name states a kind: "an old inn", but not "harbour police".
pub(super) fn ends_with_kind(remark: &str) -> bool {
    last_noun(remark).is_some_and(|noun| lexicon::noun(&noun).is_some())
}

/// Returns the last word of the noun phrase with which a remark begins.
fn last_noun(remark: &str) -> Option<String> {
    let phrase = words(remark.split([',', '(']).next()?);
    let is_end = |word: &&String| hearsay_model::spelling::is_stop_word(word);
    phrase.iter().skip_while(is_end).take_while(|word| !is_end(word)).take(MAX_NOUN_PHRASE_WORDS).last().cloned()
}

fn kind_before(before: &str) -> Option<Kind> {
    let before = before.strip_suffix("the ").or_else(|| before.strip_suffix("The ")).unwrap_or(before);
    let noun_before = |end: &str| {
        let noun = before.strip_suffix(end)?.rsplit([' ', '\n']).next()?;
        if noun.chars().all(char::is_lowercase) { lexicon::noun(noun) } else { None }
    };
    let place = || noun_before(" of ").filter(|kind| *kind == Kind::Location);
    [", ", " named ", " called "].into_iter().find_map(noun_before).or_else(place)
}

/// Returns whether a text uses a name as the name of a place: "in Saltwick", "the quay of Saltwick", "two days from Corrow". So is
/// the name of the land on which several places lie: "an inn on the Kaltjoch".
pub(super) fn is_used_as_place(text: &str, name: &str) -> bool {
    let is_owner = |end: usize| text[end..].starts_with(['\'', '\u{2019}']);
    let uses = text.match_indices(name).filter(|(at, _)| !is_owner(at + name.len()));
    let before: Vec<&str> = uses.map(|(at, _)| &text[..at]).collect();
    before.iter().any(|before| is_after_place_words(before))
        || before.iter().filter(|before| is_after_ground_words(before)).count() >= MIN_GROUND_USES
}

/// Returns whether a text ends with a noun for a place and "on": "an inn on the".
fn is_after_ground_words(before: &str) -> bool {
    let words: Vec<&str> = before.split_whitespace().collect();
    let words = words.strip_suffix(&["the"]).unwrap_or(&words);
    matches!(words, [.., noun, "on"] if lexicon::noun(noun) == Some(Kind::Location))
}

fn is_after_place_words(before: &str) -> bool {
    let clause = before.rsplit(['.', ',', ';', ':', '\n']).next().unwrap_or_default();
    let words: Vec<&str> = clause.split_whitespace().collect();
    let words = words.strip_suffix(&["the"]).unwrap_or(&words);
    let [.., noun, preposition] = words else {
        return words.last().is_some_and(|word| contains_word(&ENGLISH.place_prepositions, &word.to_lowercase()));
    };
    match *preposition {
        "of" => contains_word(&ENGLISH.place_parts, noun) || lexicon::noun(noun) == Some(Kind::Location),
        "from" => contains_word(&ENGLISH.place_parts, noun),
        other => contains_word(&ENGLISH.place_prepositions, other),
    }
}
