//! Names in a draft: the names that the speaker knows, and the names that are unknown to the speaker.

use std::collections::BTreeMap;

use hearsay_belief::{Known, View};
use hearsay_extract::{EntityNames, Lexicon, NewEntity};
use hearsay_model::{Calendar, EntityId, Kind, ReferringExpression, attribute, text};
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
    let words = name_words(&name.name);
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

/// Returns the words of a name without the article and without a possessive ending.
fn name_words(name: &str) -> Vec<String> {
    let mut words = text::words(name.trim_end_matches("'s").trim_end_matches("\u{2019}s"));
    if words.len() > 1 && ["the", "a", "an"].contains(&words[0].as_str()) {
        words.remove(0);
    }
    words
}
