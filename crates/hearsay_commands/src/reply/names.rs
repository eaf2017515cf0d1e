//! Names in a draft: the names that the speaker knows, and the names that are unknown to the speaker.

use std::collections::BTreeMap;

use hearsay_belief::{Known, View};
use hearsay_extract::{EntityNames, Lexicon, NewEntity};
use hearsay_model::{
    Calendar, EntityId, Kind, ReferringExpression, Span, attribute,
    spelling::is_common_word,
    text,
    words::{is_determiner, without_article},
};
use hearsay_query::views::{CachedView, identifies_subject};

/// Minimum confidence that a single word is a name. The capital letter of the first word of a sentence is too little.
const MIN_WORD_CONFIDENCE: f64 = 0.75;

/// Minimum confidence that several words are a name.
const MIN_NAME_CONFIDENCE: f64 = 0.65;

/// Properties of an entity that a lexicon uses, in addition to names.
#[derive(Default)]
struct Properties<'a> {
    names: Vec<&'a str>,
    kind: Option<Kind>,
    pronouns: Option<&'a str>,
    descriptions: Vec<&'a str>,
}

/// Returns the lexicon of a view: all names that the knower knows, including secret names.
pub fn view_lexicon(cached_view: &CachedView) -> Lexicon {
    let CachedView { view, names, .. } = cached_view;
    let mut entities: BTreeMap<&EntityId, Properties<'_>> = BTreeMap::new();
    for known in view.facts() {
        let Some(value) = known.object().text() else { continue };
        if !identifies_subject(view.vocabulary(), known.predicate()) {
            continue;
        }
        let properties = entities.entry(known.subject()).or_default();
        let reference = view.vocabulary().behavior(known.predicate()).reference;
        match known.predicate().as_str() {
            attribute::KIND => properties.kind = Some(Kind::from(value)),
            attribute::NAME | attribute::ALIAS => properties.names.push(value),
            _ if reference == Some(ReferringExpression::Pronoun) => properties.pronouns = Some(value),
            _ => properties.descriptions.push(value),
        }
    }
    Lexicon::from_names(entities.into_iter().map(
        |(id, Properties { names: known_names, kind, pronouns, descriptions })| {
            let main = names.name(id);
            let others = known_names.into_iter().filter(|name| Some(*name) != main);
            let names = main.into_iter().chain(others).collect();
            EntityNames { id, names, kind, pronouns, descriptions, player: None }
        },
    ))
}

/// Returns whether the speaker cannot know a name: no fact and no passage of the view, no heard line and no word of the
/// calendar contains this name.
pub(super) fn is_unknown(name: &NewEntity, view: &View, calendar: &Calendar, heard: &[String]) -> bool {
    let words = without_article(text::words(&name.name));
    let min_confidence = if words.len() < 2 { MIN_WORD_CONFIDENCE } else { MIN_NAME_CONFIDENCE };
    let is_shouted = name.name.chars().count() > 1 && !name.name.chars().any(char::is_lowercase);
    if name.confidence.get() < min_confidence || is_shouted || words.is_empty() {
        return false;
    }
    let first = words.first().map_or("", String::as_str);
    // Splitting a text into words takes long, so most texts are excluded first.
    let contains =
        |text: &str| text::contains_lowercase(text, first) && text::contains_name(&text::words(text), &words);
    let months = calendar.months.iter().map(|month| month.name.as_str());
    let mut of_calendar = months.chain(calendar.weekdays.iter().map(String::as_str)).chain([calendar.name.as_str()]);
    let is_of_calendar = of_calendar.any(&contains);
    let states = |known: &Known| {
        let (statement, value) = (known.statement(), known.object().text());
        contains(statement) || value.is_some_and(|value| value != statement && contains(value))
    };
    !is_of_calendar
        && !heard.iter().any(|line| contains(line))
        && !view.facts().any(states)
        && !view.passages().any(|(_, heard)| contains(&heard.passage.text))
}

/// Returns the position of a whole name in a text. The article of the name may be missing. The capital letters of a single
/// word must be the same: "Fox" does not occur in "a fox". A name that is an everyday word is not found.
pub(super) fn find_name(text: &str, name: &str) -> Option<Span> {
    let name = name.split_once(' ').filter(|(first, _)| is_determiner(first)).map_or(name, |(_, rest)| rest);
    if name.is_empty() || is_common_word(&name.to_lowercase()) {
        return None;
    }
    let (text, name) = match name.contains(' ') {
        // The positions of the bytes stay the same.
        true => (text.to_ascii_lowercase(), name.to_ascii_lowercase()),
        false => (text.to_owned(), name.to_owned()),
    };
    let mut spans = text.match_indices(&name).map(|(start, found)| Span { start, end: start + found.len() });
    let is_whole = |span: &Span| {
        let is_outside = |c: char| !c.is_alphanumeric();
        let (before, after) = (text[..span.start].chars().next_back(), text[span.end..].chars().next());
        before.is_none_or(is_outside) && after.is_none_or(is_outside)
    };
    spans.find(is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_name_is_found() {
        for (text, name, found) in [
            ("My name is Ilse Kramm.", "Ilse Kramm", Some("Ilse Kramm")),
            ("they shouted ilse kramm!", "Ilse Kramm", Some("ilse kramm")),
            ("Ilse Kramm's boat leaks.", "Ilse Kramm", Some("Ilse Kramm")),
            ("Ilse Krammer came.", "Ilse Kramm", None),
            ("Ask Ilse.", "Ilse Kramm", None),
            ("They fear the Grey Heron.", "The Grey Heron", Some("Grey Heron")),
            ("Quillon was here.", "Quillon", Some("Quillon")),
            ("a quillon of the guard", "Quillon", None),
            ("The house is cold.", "House", None),
        ] {
            assert_eq!(find_name(text, name).map(|span| &text[span.start..span.end]), found, "{text}");
        }
    }
}
