//! Completes the lies of a page: the truth that each lie hides, and the hearers of the lies that everybody hears. Completes
//! the deaths: the places whose residents know them.

use std::collections::HashSet;

use hearsay_model::{EntityId, lists::push_new, spelling::is_stop_word, text::words};

use super::{
    super::draft::{Draft, DraftSecret},
    PageReader,
};

/// The condition of a dead character.
const DEAD: &str = "dead";

impl PageReader {
    /// Makes the last secret of an entity the truth behind the lies that this entity tells, from the lie with the number
    /// `first_lie` on.
    pub(super) fn link_truth(&mut self, bearer: Option<usize>, first_lie: usize) {
        let draft = &mut self.made.draft;
        let Some(bearer) = bearer else { return };
        let Some(secret) = draft.entities[bearer].secrets.len().checked_sub(1) else { return };
        for number in first_lie..draft.lies.len() {
            link(draft, number, bearer, secret);
        }
    }

    /// Links each lie without a truth to the secret of its teller that shares the most words with the lie. The names of
    /// entities do not count. If two secrets share as many words, the truth is unclear. If no secret shares a word, the truth
    /// is the only secret of the teller about another character that the lie names.
    pub(super) fn link_similar_truths(&mut self) {
        let draft = &mut self.made.draft;
        let names: HashSet<String> = draft.entities.iter().flat_map(|entity| words(&entity.name)).collect();
        let content = |text: &str| -> HashSet<String> {
            words(text).into_iter().filter(|word| !is_stop_word(word) && !names.contains(word)).collect()
        };
        for number in 0..draft.lies.len() {
            let lie = &draft.lies[number];
            let Some(teller) = draft.entities.iter().position(|entity| entity.id == lie.by) else { continue };
            let told = content(&lie.text.text);
            let secrets = draft.entities[teller].secrets.iter().enumerate();
            let known = secrets.filter(|(_, secret)| !secret.is_unknown_to_owner);
            let shared = known.map(|(index, secret)| (content(&secret.text).intersection(&told).count(), index));
            let mut shared: Vec<(usize, usize)> = shared.filter(|(count, _)| *count > 0).collect();
            shared.sort_unstable();
            let secret = match shared[..] {
                [] => match secret_about_same(draft, teller, &lie.about) {
                    Some(secret) => secret,
                    None => continue,
                },
                [.., (second, _), (most, _)] if second == most => continue,
                [.., (_, secret)] => secret,
            };
            link(draft, number, teller, secret);
        }
    }

    /// Adds the hearers of the lies that everybody hears: the residents of the largest place around the home of the teller,
    /// or else around the place where the play begins.
    pub(super) fn set_public_hearers(&mut self) {
        let draft = &mut self.made.draft;
        for number in 0..draft.lies.len() {
            let lie = &draft.lies[number];
            let teller = draft.entities.iter().find(|entity| entity.id == lie.by);
            let home = teller.and_then(|teller| teller.home.as_ref().or(teller.location.as_ref()));
            let place = home.or(draft.start.as_ref()).filter(|_| lie.is_public);
            let Some(place) = place.map(|place| largest_place(draft, place)) else { continue };
            push_new(&mut draft.lies[number].told_to, place);
        }
    }

    /// Makes each death that the page states openly known to the residents of the largest place around the home of the dead
    /// character, or else around the place where the play begins.
    pub(super) fn set_known_deaths(&mut self) {
        let draft = &mut self.made.draft;
        for index in 0..draft.entities.len() {
            let entity = &draft.entities[index];
            let place = entity.home.as_ref().or(entity.location.as_ref()).or(draft.start.as_ref());
            let is_dead = entity.condition.as_deref() == Some(DEAD);
            let place = place.filter(|_| is_dead).map(|place| largest_place(draft, place));
            draft.entities[index].condition_known_in = place;
        }
    }
}

/// Returns the only secret of an entity that is about another character of a lie, as far as the entity knows the secret.
fn secret_about_same(draft: &Draft, teller: usize, about: &[EntityId]) -> Option<usize> {
    let entity = &draft.entities[teller];
    let is_other = |id: &&EntityId| {
        let is_character = draft.entities.iter().any(|other| other.id == **id && other.kind.is_character());
        **id != entity.id && is_character
    };
    let others: Vec<&EntityId> = about.iter().filter(is_other).collect();
    let is_about =
        |secret: &DraftSecret| !secret.is_unknown_to_owner && secret.about.iter().any(|id| others.contains(&id));
    let mut found = (0..entity.secrets.len()).filter(|number| is_about(&entity.secrets[*number]));
    found.next().filter(|_| found.next().is_none())
}

/// Makes a secret the truth behind a lie of the same entity, unless the lie already has a truth.
fn link(draft: &mut Draft, number: usize, bearer: usize, secret: usize) {
    let lie = &draft.lies[number];
    if lie.truth_is.is_some() || lie.by != draft.entities[bearer].id {
        return;
    }
    let id = draft.entities[bearer].secrets[secret].id.clone().unwrap_or_else(|| new_id(draft, bearer));
    draft.entities[bearer].secrets[secret].id = Some(id.clone());
    draft.lies[number].truth_is = Some(id);
}

/// Returns an id for a secret of an entity: `odo-marsh-truth`, `odo-marsh-truth-2`.
fn new_id(draft: &Draft, bearer: usize) -> String {
    let entity = &draft.entities[bearer];
    let used = entity.secrets.iter().filter(|secret| secret.id.is_some()).count();
    let number = if used == 0 { String::new() } else { format!("-{}", used + 1) };
    format!("{}-truth{number}", entity.id)
}

/// Returns the largest place that contains a place.
fn largest_place(draft: &Draft, place: &EntityId) -> EntityId {
    let mut largest = place;
    // Places can contain each other by mistake.
    for _ in 0..draft.entities.len() {
        let entity = draft.entities.iter().find(|entity| entity.id == *largest);
        let Some(larger) = entity.and_then(|entity| entity.part_of.as_ref()) else { break };
        largest = larger;
    }
    largest.clone()
}
