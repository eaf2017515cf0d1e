//! Deduplication: merges facts that several sources state, and nearly identical sentences.

use hearsay_belief::{Known, ReceivedPassage};
use hearsay_model::{
    Credence, EntityId, Evidence, FactRelation, Object, PassageId, Predicate, spelling::remove_accents, text, words,
};
use rustc_hash::FxHashMap;

/// Content of a fact, for comparison. The content of a secret or concealed fact never equals that of an open fact.
type Content<'a> = (
    &'a EntityId,
    &'a Predicate,
    &'a Object,
    (Option<FactRelation>, Option<i64>, Option<&'a str>, Option<&'a str>),
    (bool, bool),
);

fn content(known: &Known) -> Content<'_> {
    let attitude = known.attitude().map(|attitude| i64::from(attitude.get()));
    let since = known.since().map(|date| date.raw.as_str());
    let qualifiers = (known.fact_relation(), attitude, known.rank(), since);
    (known.subject(), known.predicate(), known.object(), qualifiers, visibility(known))
}

fn visibility(known: &Known) -> (bool, bool) {
    (known.is_secret(), known.conceals())
}

/// Returns the words of a sentence without accents. Filler words are left out.
fn normalized_words(sentence: &str) -> Vec<String> {
    let words = text::words(sentence).into_iter().filter(|word| !words::contains_word(&words::english().fillers, word));
    words.map(|word| if word.is_ascii() { word } else { remove_accents(&word) }).collect()
}

/// A fact or passage that may become a line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LineSource<'a> {
    Fact(&'a Known),
    Passage(PassageId, &'a ReceivedPassage),
}

/// Speaker of a passage, secret name under which the speaker speaks, and words of the passage.
type SpokenWords<'a> = ((Option<&'a EntityId>, Option<&'a String>), Vec<String>);

/// Groups the items that have the same content. Each group lists positions in `all`. Groups are in the order of their
/// earliest items. The first item of a group represents the group; if the group has facts, the first item is the fact
/// with the highest credence.
///
/// A passage joins the group of a fact if it is evidence for that fact and has the same words. Any other passage joins
/// the group of an earlier passage with the same speaker and words.
pub(crate) fn group_duplicates(all: &[LineSource]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let (mut by_content, mut by_sentence) = (FxHashMap::default(), FxHashMap::default());
    let mut by_speaker: FxHashMap<SpokenWords, usize> = FxHashMap::default();
    for (position, source) in all.iter().enumerate() {
        let LineSource::Fact(known) = source else { continue };
        let (content, sentence) = (content(known), (normalized_words(known.statement()), visibility(known)));
        let group = by_content.get(&content).or_else(|| by_sentence.get(&sentence)).copied().unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(position);
        by_content.insert(content, group);
        by_sentence.insert(sentence, group);
    }
    let is_evidence = |id: PassageId, position: &usize| match all[*position] {
        LineSource::Fact(known) => known
            .evidence()
            .iter()
            .any(|evidence| matches!(evidence, Evidence::Passage { passage, .. } if *passage == id)),
        LineSource::Passage(..) => false,
    };
    for (position, source) in all.iter().enumerate() {
        let LineSource::Passage(id, heard) = source else { continue };
        let words = normalized_words(&heard.passage.text);
        let open_sentence = (words, (false, false));
        let fact = by_sentence
            .get(&open_sentence)
            .copied()
            .filter(|group| groups[*group].iter().any(|at| is_evidence(*id, at)));
        let spoken_words = ((heard.passage.speaker.as_ref(), heard.passage.speaker_alias.as_ref()), open_sentence.0);
        let group = fact.or_else(|| by_speaker.get(&spoken_words).copied()).unwrap_or(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(position);
        by_speaker.insert(spoken_words, group);
    }
    let mut groups: Vec<(usize, Vec<usize>)> =
        groups.into_iter().filter_map(|group| Some((group.iter().min().copied()?, group))).collect();
    groups.sort_unstable();
    let priority = |position: usize| match all[position] {
        LineSource::Fact(known) => (1, known.credence()),
        LineSource::Passage(..) => (0, Credence::NONE),
    };
    let best_first = |(_, mut group): (usize, Vec<usize>)| {
        group.sort_by(|a, b| priority(*b).cmp(&priority(*a)).then(a.cmp(b)));
        group
    };
    groups.into_iter().map(best_first).collect()
}
