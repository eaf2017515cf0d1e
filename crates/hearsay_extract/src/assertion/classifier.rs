//! Uses a classifier to decide whether a fact is no longer true, or whether the text states it only as a guess or as
//! hearsay.
//!
//! The classifier sees all words of the sentence. The classifier is trained on labelled sentences, like the classifier
//! in `candidates/relation_classifier.rs`, and finds cases that have no cue and no past tense.

use crate::{
    facts::{Cue, CueKind},
    language::weights::DoubtFactor,
    sentence_reader::{AssertionExample, RawFact, SentenceReader},
};

/// Minimum probabilities at which a fact counts as over (`MIN_ENDED_PROBABILITY`) or doubtful
/// (`MIN_DOUBT_PROBABILITY`).
const MIN_ENDED_PROBABILITY: f32 = 0.5;
const MIN_DOUBT_PROBABILITY: f32 = 0.5;

/// Maximum number of facts per sentence that are classified.
const MAX_CLASSIFIED_FACTS: usize = 32;

impl SentenceReader<'_> {
    /// Marks facts as over or doubtful if the classifier says so, and returns the features of each fact.
    pub(crate) fn classify_assertions(&mut self) -> Vec<AssertionExample> {
        let words = self.masked_words();
        let mut examples = Vec::new();
        for at in 0..self.facts.len().min(MAX_CLASSIFIED_FACTS) {
            let features = self.assertion_features(&self.facts[at], &words);
            let probabilities = self.assertion_classifier.probabilities(features.iter().map(String::as_str));
            let class_probability = |name: &str| {
                let class = self.assertion_classifier.classes().iter().position(|class| class == name);
                class.map_or(0.0, |class| probabilities[class])
            };
            let (ended_probability, doubt_probability) = (class_probability("over"), class_probability("doubt"));
            let hedge_factor = self.grammar.confidence_factor(DoubtFactor::HEDGE);
            let fact = &mut self.facts[at];
            let predicate = self.grammar.targets[fact.target].predicate.clone();
            let is_permanent = self.grammar.is_permanent(fact.pattern_target, &fact.relation);
            fact.ended |= ended_probability >= MIN_ENDED_PROBABILITY && !fact.denied && !is_permanent;
            if doubt_probability >= MIN_DOUBT_PROBABILITY && fact.confidence_factor >= 1.0 {
                fact.confidence_factor = hedge_factor;
                fact.cues.push(Cue { kind: CueKind::Wording, words: String::new() });
            }
            examples.push(AssertionExample { subject: fact.subject, predicate, object: fact.object.clone(), features });
        }
        examples
    }

    /// Returns the words of the sentence with their token indices. Each name is replaced by the word "NAME".
    fn masked_words(&self) -> Vec<(usize, String)> {
        let is_name_start = |at: usize| self.names.iter().any(|name| name.start == at);
        let tokens = (0..self.tokens.len()).filter(|at| !self.is_named(*at) || is_name_start(*at));
        tokens.map(|at| (at, if self.is_named(at) { "NAME".to_owned() } else { self.norm(at).to_owned() })).collect()
    }

    fn assertion_features(&self, fact: &RawFact, words: &[(usize, String)]) -> Vec<String> {
        let name = &self.grammar.targets[fact.target].predicate;
        let mut features = vec![
            format!("over:{}", u8::from(fact.ended)),
            format!("doubt:{}", u8::from(fact.confidence_factor < 1.0)),
            format!("denied:{}", u8::from(fact.denied)),
            format!("is:{name}"),
            format!("by:{}", u8::from(fact.stated_by.is_some())),
        ];
        for window in words.windows(2) {
            features.push(format!("2:{}_{}", window[0].1, window[1].1));
        }
        for window in words.windows(3) {
            features.push(format!("3:{}_{}_{}", window[0].1, window[1].1, window[2].1));
        }
        for (at, word) in words {
            let token = &self.tokens[*at];
            let side = if token.end <= fact.span.start {
                '<'
            } else if token.start >= fact.span.end {
                '>'
            } else {
                '='
            };
            features.push(format!("{side}{word}"));
            features.push(format!("w:{word}"));
        }
        for (position, (_, word)) in ["opens", "opens1", "opens2"].iter().zip(words) {
            features.push(format!("{position}:{word}"));
        }
        let clause = self.clauses.iter().position(|clause| {
            self.tokens
                .get(self.chunks.verb_groups[clause.verb_group].head)
                .is_some_and(|head| fact.span.start <= head.start && head.end <= fact.span.end)
        });
        if let Some(at) = clause {
            let vg = self.verb_group(at);
            features.push(format!("verb:{}", vg.lemma));
            features.push(format!("past:{}{}", u8::from(vg.is_past), u8::from(vg.is_perfect)));
        }
        features.sort_unstable();
        features.dedup();
        features
    }
}
