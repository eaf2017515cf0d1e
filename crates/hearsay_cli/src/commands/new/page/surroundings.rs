//! Sets the larger places of the places of a page.

use std::collections::BTreeSet;

use hearsay_campaign::import::lexicon;
use hearsay_model::{EntityId, Kind, spelling::is_stop_word, text::words};

use super::{super::draft::Draft, kinds::kind_of_noun_phrase};

/// Adds the places whose description names the larger place to this place: "The Gull - an old inn in Saltwick."
pub(super) fn set_surroundings(draft: &mut Draft) {
    for index in 0..draft.entities.len() {
        let place = &draft.entities[index];
        if place.kind != Kind::Location || place.part_of.is_some() {
            continue;
        }
        let Some(larger) = surrounding_place(draft, index).map(|larger| &draft.entities[larger]) else { continue };
        if larger.part_of.as_ref() != Some(&place.id) {
            draft.entities[index].part_of = Some(larger.id.clone());
        }
    }
}

/// Returns the larger place that the noun phrase at the beginning of the description of a place names.
fn surrounding_place(draft: &Draft, index: usize) -> Option<usize> {
    let place = &draft.entities[index];
    let text = place.description.first()?.text.as_str();
    let text = text.strip_prefix(place.name.as_str()).unwrap_or(text);
    let clause = text.trim_start_matches(|c: char| !c.is_alphanumeric()).split(['.', ',', ';', '(']).next()?;
    // "An inn on the Salt Road"
    let (at, mark) = [" in ", " on "].iter().filter_map(|mark| Some((clause.find(*mark)?, *mark))).min()?;
    let (phrase, rest) = (&clause[..at], &clause[at + mark.len()..]);
    let phrase = words(phrase);
    let noun: Vec<&String> = phrase.iter().skip_while(|word| is_stop_word(word)).collect();
    let is_noun_phrase =
        !noun.iter().any(|word| is_stop_word(word)) && kind_of_noun_phrase(&phrase.join(" ")) == Some(Kind::Location);
    let (at, larger) = *draft.named_at(rest).first()?;
    let is_introduction = |word: &String| is_stop_word(word) || lexicon::noun(word) == Some(Kind::Location);
    let is_place = larger != index && draft.entities[larger].kind == Kind::Location;
    (is_noun_phrase && is_place && words(rest).iter().take(at).all(is_introduction)).then_some(larger)
}

/// Adds the homes of characters to the settlement of the page, if the page has exactly one larger place. The residents of a
/// settlement know each other's names.
pub(super) fn set_settlement(draft: &mut Draft) {
    let larger: BTreeSet<&EntityId> = draft.entities.iter().filter_map(|entity| entity.part_of.as_ref()).collect();
    let Some(settlement) = larger.first().filter(|_| larger.len() == 1).map(|id| (*id).clone()) else { return };
    let npcs = draft.entities.iter().filter(|entity| entity.kind == Kind::Npc);
    let homes: BTreeSet<EntityId> = npcs.filter_map(|npc| npc.home.clone().or_else(|| npc.location.clone())).collect();
    for place in draft.entities.iter_mut().filter(|entity| homes.contains(&entity.id) && entity.id != settlement) {
        place.part_of.get_or_insert(settlement.clone());
    }
}
