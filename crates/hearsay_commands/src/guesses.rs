//! Triage: selects, from the doubtful facts in many texts, those that are worth the DM's time.
//!
//! In this module, a guess is a doubtful fact that was extracted from a text.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_extract::{ExtractedFact, Extraction, Mention, Stated};
use hearsay_model::{Author, EntityId, Evidence, Fact, FactStatus, Object, PassageId, State, Validity, text};
use hearsay_query::{
    duplicates::{Claim, says_the_same},
    review::{is_naming, is_newcomer, waiting_about},
};

use crate::{
    policy::{Mode, Policy},
    reading::{Findings, Newcomer},
};

/// Maximum number of guesses per text.
const IN_TEXT: usize = 3;

/// Maximum number of guesses about one entity that wait for the DM's decision.
const OF_ENTITY: usize = 5;

/// Divisor: the overall limit divided by this number is reserved for guesses with new names.
const PART_OF_NEW: usize = 4;

/// Returns how many doubtful facts may be kept from the next `these` texts. `left` is the number of texts after them,
/// and `room` is the number of doubtful facts that may be kept from all `these` and `left` texts together.
pub fn share(room: usize, these: usize, left: usize) -> usize {
    (room * these).div_ceil((these + left).max(1))
}

/// Returns the number of extracted facts that wait for the DM's decision.
pub fn waiting(state: &State) -> usize {
    state
        .facts()
        .filter(|fact| fact.status() == FactStatus::Proposed)
        .filter(|fact| is_found(&fact.provenance().author))
        .count()
}

/// Returns the number of guesses per text that already wait for the DM's decision.
fn brought(state: &State) -> BTreeMap<PassageId, usize> {
    let mut brought = BTreeMap::new();
    let found = |fact: &&Arc<Fact>| is_found(&fact.provenance().author) && !is_naming(fact);
    for fact in state.facts().filter(|fact| fact.status() == FactStatus::Proposed).filter(found) {
        for evidence in &fact.provenance().evidence {
            if let Evidence::Passage { passage, .. } = evidence {
                *brought.entry(*passage).or_default() += 1;
            }
        }
    }
    brought
}

fn is_found(author: &Author) -> bool {
    *author == Author::Extractor
}

/// An entity that a text names.
enum End<'a> {
    Known(EntityId),
    New(&'a str),
}

impl End<'_> {
    fn key(&self) -> String {
        match self {
            Self::Known(id) => id.to_string(),
            Self::New(name) => text::normal(name),
        }
    }

    fn id(&self) -> Option<&EntityId> {
        match self {
            Self::Known(id) => Some(id),
            Self::New(_) => None,
        }
    }
}

/// A doubtful fact in one of the texts.
struct Guess<'a> {
    /// Confidence of the guess, multiplied by the importance of its entities.
    stake: f64,
    sure: f64,
    /// Importance of the entities in the guess that are already recorded.
    hangs: f64,
    text: usize,
    fact: usize,
    about: End<'a>,
    /// Content and source of the guess. Identical guesses in different texts have the same value.
    says: String,
    /// New names in the guess. The DM also has to decide on each new name.
    names: BTreeSet<String>,
}

/// Returns the importance of an entity with `said` statements about it.
fn hangs(said: usize) -> f64 {
    0.25 * (1.0 + said as f64).ln()
}

/// Removes the least important doubtful facts that exceed the limits per text, per entity and overall (`most`). Facts
/// that are certain, already recorded or already rejected do not count as doubtful, so they stay. Returns the number of
/// removed facts. Does nothing in autonomous mode.
pub fn leave_out(state: &State, policy: &Policy, read: &mut [Findings], most: usize) -> usize {
    if policy.mode == Mode::Autonomous {
        return 0;
    }
    let texts = read.iter().enumerate();
    let mut guesses: Vec<Guess> =
        texts.flat_map(|(text, found)| guesses(state, &found.policy(policy), text, &found.extraction)).collect();
    // The more guesses contain a new name, the more likely it is a real entity.
    let mut said_of: BTreeMap<&String, usize> = BTreeMap::new();
    guesses.iter().flat_map(|guess| &guess.names).for_each(|name| *said_of.entry(name).or_default() += 1);
    let hangs_on_new = |guess: &Guess| guess.names.iter().map(|name| hangs(2 * said_of[name])).sum::<f64>();
    let stakes: Vec<f64> = guesses.iter().map(|guess| guess.sure * (1.0 + guess.hangs + hangs_on_new(guess))).collect();
    guesses.iter_mut().zip(stakes).for_each(|(guess, stake)| guess.stake = stake);
    guesses.sort_by(|a, b| b.stake.total_cmp(&a.stake).then((a.text, a.fact).cmp(&(b.text, b.fact))));
    // Guesses with new names have low stakes, because no recorded fact depends on these names yet. Part of the limit is
    // therefore reserved for them. They may also use the part that the other guesses leave unused.
    let (new, known): (Vec<Guess>, Vec<Guess>) = guesses.into_iter().partition(|guess| !guess.names.is_empty());
    let of_new = if most == usize::MAX { most } else { most.div_ceil(PART_OF_NEW) };
    // Guesses from earlier readings of a text count towards the limit for that text.
    let brought = brought(state);
    let in_text = read.iter().map(|findings| brought.get(&findings.passage.id()).copied().unwrap_or(0));
    let mut chosen = Chosen { in_text: in_text.enumerate().collect(), ..Chosen::default() };
    new.iter().for_each(|guess| chosen.choose(state, guess, of_new));
    known.iter().chain(&new).for_each(|guess| chosen.choose(state, guess, most));
    let left_out = |guess: &&Guess| !chosen.says.contains(&guess.says);
    let left_out: BTreeSet<(usize, usize)> =
        known.iter().chain(&new).filter(left_out).map(|guess| (guess.text, guess.fact)).collect();
    for (text, findings) in read.iter_mut().enumerate() {
        let mut index = 0..;
        findings.extraction.facts.retain(|_| index.next().is_none_or(|index| !left_out.contains(&(text, index))));
    }
    left_out.len()
}

/// Guesses selected so far.
#[derive(Default)]
struct Chosen {
    spent: usize,
    says: BTreeSet<String>,
    names: BTreeSet<String>,
    in_text: BTreeMap<usize, usize>,
    of: BTreeMap<String, usize>,
}

impl Chosen {
    /// Selects a guess unless it would exceed a limit.
    fn choose(&mut self, state: &State, guess: &Guess, most: usize) {
        if self.says.contains(&guess.says) {
            return;
        }
        let cost = 1 + guess.names.difference(&self.names).count();
        let waiting = || guess.about.id().map_or(0, |id| waiting_of(state, id));
        let of = self.of.entry(guess.about.key()).or_insert_with(waiting);
        let in_text = self.in_text.entry(guess.text).or_default();
        if self.spent.saturating_add(cost) <= most && *in_text < IN_TEXT && *of < OF_ENTITY {
            (self.spent, *of, *in_text) = (self.spent + cost, *of + 1, *in_text + 1);
            self.names.extend(guess.names.iter().cloned());
            self.says.insert(guess.says.clone());
        }
    }
}

/// Returns the number of guesses about an entity that already wait for the DM's decision, without its name and kind.
fn waiting_of(state: &State, id: &EntityId) -> usize {
    let of_it = waiting_about(state, id).filter(|fact| fact.subject() == id && !is_naming(fact));
    of_it.filter(|fact| is_found(&fact.provenance().author)).count()
}

fn guesses<'a>(state: &State, policy: &Policy, text: usize, found: &'a Extraction) -> Vec<Guess<'a>> {
    let guess = |(fact, said): (usize, &'a ExtractedFact)| {
        let about = end(state, found, &said.subject)?;
        let (object, points) = match &said.object {
            Stated::Value(value) => (None, value.clone()),
            Stated::Entity(mention) => {
                let end = end(state, found, mention)?;
                let key = end.key();
                (Some(end), key)
            }
        };
        let by = match &said.stated_by {
            Some(mention) => Some(end(state, found, mention)?),
            None => None,
        };
        let ends = || std::iter::once(&about).chain(&object);
        let is_new = |end: &End| end.id().is_none_or(|id| is_newcomer(state, id));
        let doubtful = said.confidence < policy.threshold || ends().chain(&by).any(is_new);
        if said.confidence < policy.floor || !doubtful || is_on_record(state, said, &about, object.as_ref()) {
            return None;
        }
        Some(Guess {
            stake: 0.0,
            sure: said.confidence.min(policy.threshold).get(),
            hangs: ends().filter_map(End::id).map(|id| hangs(state.links(id).count())).sum(),
            text,
            fact,
            says: format!(
                "{} {} {points} {} {}",
                about.key(),
                said.predicate,
                said.relation.as_deref().unwrap_or(""),
                by.as_ref().map(End::key).unwrap_or_default(),
            ),
            names: ends().chain(&by).filter(|end| end.id().is_none()).map(End::key).collect(),
            about,
        })
    };
    found.facts.iter().enumerate().filter_map(guess).collect()
}

/// Returns the mentioned entity, or `None` if facts about it must not be proposed.
fn end<'a>(state: &State, found: &'a Extraction, mention: &Mention) -> Option<End<'a>> {
    match mention {
        Mention::Known(id) => Some(End::Known(id.clone())),
        Mention::New(index) => {
            let name = &found.entities.get(*index)?.name;
            match Newcomer::of(state, name) {
                Newcomer::Known(id) => Some(End::Known(id)),
                Newcomer::Refused => None,
                Newcomer::Nobody => Some(End::New(name)),
            }
        }
    }
}

/// Returns whether the state already contains the fact that a guess states. Such a fact needs no further decision, even
/// if it was rejected.
fn is_on_record(state: &State, said: &ExtractedFact, about: &End, object: Option<&End>) -> bool {
    let Some(subject) = about.id() else { return false };
    let object = match (&said.object, object) {
        (Stated::Value(value), _) => Object::Value(value.as_str().into()),
        (_, Some(End::Known(id))) => Object::Entity(id.clone()),
        _ => return false,
    };
    let vocabulary = state.vocabulary();
    let claim = Claim::new(vocabulary, (subject, &said.predicate, &object), &said.statement, &Validity::default());
    state.facts_of(claim.subject()).any(|fact| says_the_same(vocabulary, (&claim, said.statement.as_str()), fact))
}

#[cfg(test)]
mod tests;
