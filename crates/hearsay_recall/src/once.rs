//! Saying things once: facts that several sources tell, and sentences that are nearly the same.

use hearsay_belief::{Heard, Known};
use hearsay_model::spelling::unaccented;
use hearsay_model::{Bearing, Credence, EntityId, Evidence, Object, PassageId, Predicate, text};
use rustc_hash::FxHashMap;

/// Words that make no difference between two sentences.
const FILLERS: [&str; 8] = ["a", "an", "the", "that", "very", "really", "quite", "indeed"];

/// What is said of something. What is secret, or kept to oneself, is never the same as what is said openly.
type Content<'a> = (
    &'a EntityId,
    &'a Predicate,
    &'a Object,
    (Option<Bearing>, Option<i64>, Option<&'a str>, Option<&'a str>),
    (bool, bool),
);

fn content(known: &Known) -> Content<'_> {
    let attitude = known.attitude().map(|attitude| i64::from(attitude.get()));
    let since = known.since().map(|date| date.raw.as_str());
    let told = (known.bearing(), attitude, known.rank(), since);
    (known.subject(), known.predicate(), known.object(), told, openness(known))
}

fn openness(known: &Known) -> (bool, bool) {
    (known.is_secret(), known.conceals())
}

/// The words of a sentence, without accents and without those that make no difference.
fn sentence(said: &str) -> Vec<String> {
    let words = text::words(said).into_iter().filter(|word| !FILLERS.contains(&word.as_str()));
    words.map(|word| if word.is_ascii() { word } else { unaccented(&word) }).collect()
}

/// Something that may be said.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sayable<'a> {
    Fact(&'a Known),
    Passage(PassageId, &'a Heard),
}

/// Who says something, under which secret name, and in which words.
type Spoken<'a> = ((Option<&'a EntityId>, Option<&'a String>), Vec<String>);

/// Puts together what says the same, by place: each group where its best stands, and in it first what is said for all:
/// the fact that is believed most.
///
/// A passage says the same as a fact that it bears out in the same words, and as what the same speaker said in the same
/// words.
pub(crate) fn once(all: &[Sayable]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let (mut by_content, mut by_sentence) = (FxHashMap::default(), FxHashMap::default());
    let mut by_speaker: FxHashMap<Spoken, usize> = FxHashMap::default();
    for (place, sayable) in all.iter().enumerate() {
        let Sayable::Fact(known) = sayable else { continue };
        let (content, sentence) = (content(known), (sentence(known.statement()), openness(known)));
        let group = by_content.get(&content).or_else(|| by_sentence.get(&sentence)).copied().unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(place);
        by_content.insert(content, group);
        by_sentence.insert(sentence, group);
    }
    let bears_out = |id: PassageId, place: &usize| match all[*place] {
        Sayable::Fact(known) => {
            known.evidence().iter().any(|of| matches!(of, Evidence::Passage { passage, .. } if *passage == id))
        }
        Sayable::Passage(..) => false,
    };
    for (place, sayable) in all.iter().enumerate() {
        let Sayable::Passage(id, heard) = sayable else { continue };
        let said = sentence(&heard.passage.text);
        let openly = (said, (false, false));
        let fact = by_sentence.get(&openly).copied().filter(|group| groups[*group].iter().any(|at| bears_out(*id, at)));
        let spoken = ((heard.passage.speaker.as_ref(), heard.passage.speaker_alias.as_ref()), openly.0);
        let group = fact.or_else(|| by_speaker.get(&spoken).copied()).unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(place);
        by_speaker.insert(spoken, group);
    }
    let mut groups: Vec<(usize, Vec<usize>)> =
        groups.into_iter().filter_map(|group| Some((group.iter().min().copied()?, group))).collect();
    groups.sort_unstable();
    let worth = |place: usize| match all[place] {
        Sayable::Fact(known) => (1, known.credence()),
        Sayable::Passage(..) => (0, Credence::NONE),
    };
    let best_first = |(_, mut group): (usize, Vec<usize>)| {
        group.sort_by(|a, b| worth(*b).cmp(&worth(*a)).then(a.cmp(b)));
        group
    };
    groups.into_iter().map(best_first).collect()
}
