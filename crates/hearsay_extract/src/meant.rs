//! Uses a classifier to decide whether a fact is over, a guess or hearsay.
//!
//! The classifier sees all words of the sentence. It is trained on labelled sentences, like the one in `between.rs`,
//! and finds cases that have no cue and no past tense.

use hearsay_model::Predicate;

use crate::{
    facts::{Cue, CueKind},
    mentions::Who,
    read::{Read, Reader, Said, lasts},
};

/// Minimum probabilities at which a fact counts as over (`OVER`) or doubtful (`DOUBT`).
const OVER: f32 = 0.5;
const DOUBT: f32 = 0.5;

/// Maximum number of facts per sentence that are classified.
const MOST: usize = 32;

/// Fact that was read, with the features from which the classifier decides whether it is over or doubtful.
#[derive(Debug, Clone)]
pub(crate) struct Meant {
    pub(crate) subject: Who,
    pub(crate) predicate: Predicate,
    pub(crate) object: Said,
    pub(crate) features: Vec<String>,
}

impl Reader<'_> {
    /// Marks facts as over or doubtful if the classifier says so, and returns the features of each fact.
    pub(crate) fn learned_meanings(&mut self) -> Vec<Meant> {
        let words = self.words();
        let mut meant = Vec::new();
        for at in 0..self.facts.len().min(MOST) {
            let features = self.features_of_meaning(&self.facts[at], &words);
            let chances = self.meanings.chances(features.iter().map(String::as_str));
            let chance = |name: &str| {
                let class = self.meanings.classes().iter().position(|class| class == name);
                class.map_or(0.0, |class| chances[class])
            };
            let (over, doubt) = (chance("over"), chance("doubt"));
            let left = self.grammar.doubts.get("hedge").copied().unwrap_or(0.3);
            let fact = &mut self.facts[at];
            let predicate = self.grammar.targets[fact.target].predicate.clone();
            fact.over |= over >= OVER && !fact.denied && !lasts(&predicate, &fact.relation);
            if doubt >= DOUBT && fact.doubt >= 1.0 {
                fact.doubt = left;
                fact.cues.push(Cue { kind: CueKind::Wording, words: String::new() });
            }
            meant.push(Meant { subject: fact.subject, predicate, object: fact.object.clone(), features });
        }
        meant
    }

    /// Returns the words of the sentence with their token indices. Each name is replaced by the word "NAME".
    fn words(&self) -> Vec<(usize, String)> {
        let starts = |at: usize| self.names.iter().any(|name| name.start == at);
        let tokens = (0..self.tokens.len()).filter(|at| !self.is_named(*at) || starts(*at));
        tokens.map(|at| (at, if self.is_named(at) { "NAME".to_owned() } else { self.norm(at).to_owned() })).collect()
    }

    fn features_of_meaning(&self, fact: &Read, words: &[(usize, String)]) -> Vec<String> {
        let name = &self.grammar.targets[fact.target].predicate;
        let mut features = vec![
            format!("over:{}", u8::from(fact.over)),
            format!("doubt:{}", u8::from(fact.doubt < 1.0)),
            format!("denied:{}", u8::from(fact.denied)),
            format!("is:{name}"),
            format!("by:{}", u8::from(fact.by.is_some())),
        ];
        for window in words.windows(2) {
            features.push(format!("2:{}_{}", window[0].1, window[1].1));
        }
        for window in words.windows(3) {
            features.push(format!("3:{}_{}_{}", window[0].1, window[1].1, window[2].1));
        }
        for (at, word) in words {
            let token = &self.tokens[*at];
            let place = if token.end <= fact.span.start {
                '<'
            } else if token.start >= fact.span.end {
                '>'
            } else {
                '='
            };
            features.push(format!("{place}{word}"));
            features.push(format!("w:{word}"));
        }
        for (place, (_, word)) in ["opens", "opens1", "opens2"].iter().zip(words) {
            features.push(format!("{place}:{word}"));
        }
        let clause = self.clauses.iter().position(|clause| {
            self.tokens
                .get(self.groups.vgs[clause.vg].head)
                .is_some_and(|head| fact.span.start <= head.start && head.end <= fact.span.end)
        });
        if let Some(at) = clause {
            let vg = self.vg(at);
            features.push(format!("verb:{}", vg.lemma));
            features.push(format!("past:{}{}", u8::from(vg.past), u8::from(vg.perfect)));
        }
        features.sort_unstable();
        features.dedup();
        features
    }
}
