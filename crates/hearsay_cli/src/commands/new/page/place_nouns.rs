//! Resolves words for a place, such as "the inn", to the only place that they can mean.

use hearsay_campaign::import::lexicon;
use hearsay_model::{Kind, spelling::is_stop_word, text::words};

use super::super::draft::{Draft, DraftEntity};

/// Returns a text in which the name of a place replaces "the" and a noun, if the page describes only one place with this
/// noun.
pub(super) fn with_place_names(draft: &Draft, text: &str) -> String {
    let all: Vec<&str> = text.split(' ').collect();
    let (mut parts, mut at) = (Vec::with_capacity(all.len()), 0);
    while let Some(word) = all.get(at) {
        let named = all.get(at + 1).filter(|_| word.eq_ignore_ascii_case("the")).and_then(|next| {
            let noun = next.trim_end_matches(|c: char| !c.is_alphanumeric());
            let end = &next[noun.len()..];
            // "The inn of Saltwick" and "the mine owner" are other entities.
            let following = all.get(at + 2).filter(|_| end.is_empty());
            let is_part = following.is_some_and(|word| *word == "of" || lexicon::noun(word).is_some());
            let place = place_with_noun(draft, noun).filter(|_| !is_part)?;
            Some(format!("{}{end}", place.name))
        });
        at += if named.is_some() { 2 } else { 1 };
        parts.push(named.unwrap_or_else(|| (*word).to_owned()));
    }
    parts.join(" ")
}

/// Returns the only place that the page describes with a noun.
fn place_with_noun<'a>(draft: &'a Draft, noun: &str) -> Option<&'a DraftEntity> {
    if lexicon::noun(noun) != Some(Kind::Location) {
        return None;
    }
    let mut places = draft.of_kind(&Kind::Location).filter(|place| has_noun(place, noun));
    places.next().filter(|_| places.next().is_none())
}

/// Returns whether the name of a place, or the noun phrase with which its description begins, contains a noun: "The Gilded
/// Gull - an old inn".
fn has_noun(place: &DraftEntity, noun: &str) -> bool {
    let text = place.description.first().map_or("", |paragraph| paragraph.text.as_str());
    let text = text.strip_prefix(place.name.as_str()).unwrap_or(text);
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let phrase = words(text.split(['.', ',', ';', '(']).next().unwrap_or_default());
    let mut phrase = phrase.iter().skip_while(|word| is_stop_word(word)).take_while(|word| !is_stop_word(word));
    words(&place.name).iter().any(|word| word == noun) || phrase.any(|word| word == noun)
}
