//! Votes of the words in the language tables. Each word votes for the relations whose patterns contain it.

use rustc_hash::FxHashMap;

use super::{Grammar, Pattern, PatternPart, WordClass};
use crate::language::function_words::{is_be_form, is_pronoun};

/// Maps a word to its votes. A vote consists of the index of a target, whether subject and object are swapped, and the
/// share of the word's uses that state this target, from 0 to 1.
pub(crate) type WordVotes = FxHashMap<String, Vec<(usize, bool, f64)>>;

/// Computes the votes of all words in the language tables.
pub(crate) fn count_votes(grammar: &Grammar) -> WordVotes {
    let mut counts: FxHashMap<String, FxHashMap<(usize, bool), f64>> = FxHashMap::default();
    let mut count = |word: &str, pattern: &Pattern| {
        let target = &grammar.targets[pattern.target];
        let is_counted =
            target.predicate.is_relation() && !target.ended && !target.denied && is_content_word(grammar, word);
        if is_counted {
            let vote_weight = if pattern.is_weak { 0.5 } else { 1.0 };
            *counts.entry(word.to_owned()).or_default().entry((target.label, pattern.is_reversed)).or_default() +=
                vote_weight;
        }
    };
    let mut count_pattern = |first: &str, pattern: &Pattern| {
        count(first, pattern);
        for part in &pattern.parts {
            if let PatternPart::Word(word) = part {
                count(word, pattern);
            }
        }
    };
    for table in [&grammar.verb_patterns, &grammar.phrase_patterns, &grammar.reciprocal_verbs] {
        table.iter().for_each(|(first, patterns)| patterns.iter().for_each(|pattern| count_pattern(first, pattern)));
    }
    for (noun, patterns) in &grammar.noun_patterns {
        patterns.iter().for_each(|(_, pattern)| count_pattern(noun, pattern));
    }
    for (noun, patterns) in &grammar.relational_nouns {
        patterns.iter().for_each(|pattern| count_pattern(noun, pattern));
    }
    let vote_shares = |(word, votes): (String, FxHashMap<(usize, bool), f64>)| {
        // The added constant lowers the votes of rare words: a single use is weaker evidence than many uses.
        let sum = votes.values().sum::<f64>() + 0.5;
        let mut votes: Vec<_> =
            votes.into_iter().map(|((target, is_reversed), n)| (target, is_reversed, n / sum)).collect();
        votes.sort_by_key(|(target, is_reversed, _)| (*target, *is_reversed));
        (word, votes)
    };
    counts.into_iter().map(vote_shares).collect()
}

/// Returns whether a word carries meaning. Short words, function words, pronouns and forms of "be" do not.
fn is_content_word(grammar: &Grammar, word: &str) -> bool {
    let class = grammar.word_class(word);
    let function_classes = WordClass::CLOSED
        .or(WordClass::ADVERB)
        .or(WordClass::LIGHT_VERB)
        .or(WordClass::LIGHT_NOUN)
        .or(WordClass::ADJECTIVE);
    word.chars().count() > 2 && !class.has(function_classes) && !is_pronoun(word) && !is_be_form(word)
}
