//! Decoder: converts the token vectors of a window to statements.

use std::ops::Range;

use super::{
    heads::{Heads, ReferentRole, SPECIAL_REFERENTS},
    reading::{DecodedStatement, LikelyReferent, LineReading, Reference, Referent},
    window::{ReferentCandidate, Window, WindowLine},
};

/// Factor that lowers the probability that a word is outside a statement, so that doubtful statements are found too.
/// The confidence of doubtful statements is low.
const OUTSIDE_FACTOR: f32 = 0.2;

/// Returns the readings of the lines to be read in a window. `rows` contains the vectors of all tokens in the window.
pub(crate) fn decode_lines(heads: &Heads, window: &Window, rows: &[f32]) -> Vec<LineReading> {
    let size = rows.len() / window.tokens.ids.len().max(1);
    let row = |token: usize| rows.get(token * size..(token + 1) * size).unwrap_or_default();
    let keys: Vec<Vec<f32>> =
        window.candidates.iter().map(|candidate| heads.candidate_key(row(candidate.token))).collect();
    let decoder = Decoder { heads, window, keys: &keys, row: &row };
    window.lines.iter().map(|line| decoder.decode_line(line)).collect()
}

struct Decoder<'a, R> {
    heads: &'a Heads,
    window: &'a Window,
    keys: &'a [Vec<f32>],
    row: &'a R,
}

impl<'a, R: Fn(usize) -> &'a [f32]> Decoder<'_, R> {
    fn decode_line(&self, line: &WindowLine) -> LineReading {
        let tags: Vec<[f32; 3]> =
            line.words.iter().map(|token| self.heads.tag_probabilities((self.row)(*token))).collect();
        let spans = most_likely_spans(&tags, OUTSIDE_FACTOR).into_iter().map(|words| line.trim_end(words));
        let statements = spans.map(|words| self.decode_statement(line, &tags, words)).collect();
        LineReading {
            line: line.line,
            talk_probabilities: self.heads.talk_probabilities((self.row)(line.marker)),
            statements,
        }
    }

    fn decode_statement(&self, line: &WindowLine, tags: &[[f32; 3]], words: Range<usize>) -> DecodedStatement {
        let first = (self.row)(line.words[words.start]);
        let continued_words = words.len().saturating_sub(1);
        let continuation_sum: f32 = tags[words.clone()].iter().skip(1).map(|tag| tag[2]).sum();
        let reference_tags: Vec<[f32; 3]> = line.words[words.clone()]
            .iter()
            .map(|token| self.heads.reference_probabilities((self.row)(*token)))
            .collect();
        let references = most_likely_spans(&reference_tags, 1.0).into_iter().map(|span| {
            let span = words.start + span.start..words.start + span.end;
            Reference {
                likely_referent: self.most_likely_referent(ReferentRole::Reference, line, span.start),
                words: span,
            }
        });
        DecodedStatement {
            begin_probability: tags[words.start][1],
            continue_probability: if continued_words == 0 { 1.0 } else { continuation_sum / continued_words as f32 },
            correctness_logit: self.heads.correctness_logit(
                &line.words[words.clone()].iter().map(|token| (self.row)(*token)).collect::<Vec<_>>(),
            ),
            status_probabilities: self.heads.status_probabilities(first),
            subject: self.most_likely_referent(ReferentRole::Subject, line, words.start),
            stated_by: self.most_likely_referent(ReferentRole::Speaker, line, words.start),
            references: references.collect(),
            words,
        }
    }

    /// Returns the most likely referent of a reference at a word. An entity's probability is the sum over all its
    /// mentions.
    fn most_likely_referent(&self, role: ReferentRole, line: &WindowLine, word: usize) -> LikelyReferent {
        if role == ReferentRole::Reference
            && let Some(entity) = line.referenced_participant(word)
        {
            return LikelyReferent { referent: Referent::Named(entity), probability: 1.0 };
        }
        let candidates: Vec<(&[f32], usize)> = self
            .window
            .candidates
            .iter()
            .zip(self.keys)
            .map(|(candidate, key)| (key.as_slice(), distance_bucket(candidate, line.line, word)))
            .collect();
        let is_excluded = |candidate: &ReferentCandidate| {
            role == ReferentRole::Reference && self.window.excludes(line, word, candidate)
        };
        let mut probabilities = self.heads.referent_probabilities(role, (self.row)(line.words[word]), &candidates);
        for (score, candidate) in probabilities.iter_mut().zip(&self.window.candidates) {
            *score *= f32::from(u8::from(!is_excluded(candidate)));
        }
        let all: f32 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|score| *score /= all.max(1e-9));
        let named = self.window.candidates.iter().map(|candidate| Referent::Named(candidate.entity));
        let special: [Referent; SPECIAL_REFERENTS] = [Referent::Party, Referent::Other, Referent::Explicit];
        let mut sums: Vec<LikelyReferent> = Vec::new();
        for (referent, probability) in named.chain(special).zip(probabilities) {
            match sums.iter_mut().find(|likely| likely.referent == referent) {
                Some(likely) => likely.probability += probability,
                None => sums.push(LikelyReferent { referent, probability }),
            }
        }
        let best = sums.into_iter().max_by(|a, b| a.probability.total_cmp(&b.probability));
        best.unwrap_or(LikelyReferent { referent: Referent::Explicit, probability: 0.0 })
    }
}

/// Returns the bucket of the distance between a reference and a candidate. `training/data.py` uses the same buckets.
fn distance_bucket(candidate: &ReferentCandidate, line: usize, word: usize) -> usize {
    if candidate.line > line {
        return 7;
    }
    let lines = line - candidate.line;
    match candidate.word {
        None => 8 + lines.min(3),
        Some(_) if lines > 0 => 3 + lines.min(3),
        Some(at) if at > word => 7,
        Some(at) => match word - at {
            0..6 => 0,
            6..14 => 1,
            14..30 => 2,
            _ => 3,
        },
    }
}

/// Returns the most likely spans, found with the Viterbi algorithm. Each tag contains the probabilities that a word is
/// outside a span, begins a span, or continues one. `outside_factor` is a factor for the first probability.
fn most_likely_spans(tags: &[[f32; 3]], outside_factor: f32) -> Vec<Range<usize>> {
    let log = |p: f32| p.max(1e-9).ln();
    // For each word and each of its tags, the tag of the previous word on the best path.
    let mut previous_tags: Vec<[usize; 3]> = Vec::with_capacity(tags.len());
    let mut best = [0.0, f32::NEG_INFINITY, f32::NEG_INFINITY];
    for [outside_p, begin_p, inside_p] in tags {
        let best_closed =
            (1..3).fold(0, |best_closed, tag| if best[tag] > best[best_closed] { tag } else { best_closed });
        let best_open = if best[1] >= best[2] { 1 } else { 2 };
        previous_tags.push([best_closed, best_closed, best_open]);
        best = [
            best[best_closed] + log(outside_p * outside_factor),
            best[best_closed] + log(*begin_p),
            best[best_open] + log(*inside_p),
        ];
    }
    let mut tag = (1..3).fold(0, |last, tag| if best[tag] > best[last] { tag } else { last });
    let mut path: Vec<usize> = Vec::with_capacity(tags.len());
    for previous in previous_tags.iter().rev() {
        path.push(tag);
        tag = previous[tag];
    }
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (at, tag) in path.into_iter().rev().enumerate() {
        match (tag, spans.last_mut()) {
            (1, _) => spans.push(at..at + 1),
            (2, Some(span)) => span.end = at + 1,
            _ => {}
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_spans() {
        let tags = |text: &str| -> Vec<[f32; 3]> {
            let tag = |letter| match letter {
                'B' => [0.1, 0.8, 0.1],
                'I' => [0.1, 0.1, 0.8],
                _ => [0.8, 0.1, 0.1],
            };
            text.chars().map(tag).collect()
        };
        for (text, expected) in [
            ("OOO", vec![]),
            ("BIIO", vec![(0, 3)]),
            ("BIBI", vec![(0, 2), (2, 4)]),
            // Nothing continues a span that did not begin.
            ("OIOO", vec![]),
            ("OIIB", vec![(1, 3), (3, 4)]),
        ] {
            let found: Vec<_> =
                most_likely_spans(&tags(text), 1.0).into_iter().map(|span| (span.start, span.end)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
