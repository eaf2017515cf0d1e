//! Decoder: converts the token vectors of a window to statements.

use std::ops::Range;

use super::{
    heads::{Heads, Question, SPECIAL},
    reading::{Found, LineReading, Meant, Reference, Referent},
    window::{Candidate, Window, WindowLine},
};

/// Factor that lowers the probability that a word is outside a statement, so that doubtful statements are found too.
/// Their confidence is low.
const OUTSIDE: f32 = 0.2;

/// Returns the readings of the lines to be read in a window. `rows` contains the vectors of all tokens in the window.
pub(crate) fn lines(heads: &Heads, window: &Window, rows: &[f32]) -> Vec<LineReading> {
    let size = rows.len() / window.tokens.ids.len().max(1);
    let row = |token: usize| rows.get(token * size..(token + 1) * size).unwrap_or_default();
    let keys: Vec<Vec<f32>> = window.candidates.iter().map(|candidate| heads.key(row(candidate.token))).collect();
    let reader = Reader { heads, window, keys: &keys, row: &row };
    window.lines.iter().map(|line| reader.line(line)).collect()
}

struct Reader<'a, R> {
    heads: &'a Heads,
    window: &'a Window,
    keys: &'a [Vec<f32>],
    row: &'a R,
}

impl<'a, R: Fn(usize) -> &'a [f32]> Reader<'_, R> {
    fn line(&self, line: &WindowLine) -> LineReading {
        let tags: Vec<[f32; 3]> = line.words.iter().map(|token| self.heads.tag((self.row)(*token))).collect();
        let spans = spans(&tags, OUTSIDE).into_iter().map(|words| line.trimmed(words));
        let statements = spans.map(|words| self.statement(line, &tags, words)).collect();
        LineReading { line: line.line, talk: self.heads.talk((self.row)(line.mark)), statements }
    }

    fn statement(&self, line: &WindowLine, tags: &[[f32; 3]], words: Range<usize>) -> Found {
        let first = (self.row)(line.words[words.start]);
        let inside = words.len().saturating_sub(1);
        let continues: f32 = tags[words.clone()].iter().skip(1).map(|tag| tag[2]).sum();
        let marked: Vec<[f32; 3]> =
            line.words[words.clone()].iter().map(|token| self.heads.reference((self.row)(*token))).collect();
        let references = spans(&marked, 1.0).into_iter().map(|span| {
            let span = words.start + span.start..words.start + span.end;
            Reference { meant: self.meant(Question::Reference, line, span.start), words: span }
        });
        Found {
            begins: tags[words.start][1],
            continues: if inside == 0 { 1.0 } else { continues / inside as f32 },
            right: self
                .heads
                .right(&line.words[words.clone()].iter().map(|token| (self.row)(*token)).collect::<Vec<_>>()),
            status: self.heads.status(first),
            subject: self.meant(Question::Subject, line, words.start),
            by: self.meant(Question::By, line, words.start),
            references: references.collect(),
            words,
        }
    }

    /// Returns the most likely referent of a reference at a word. An entity's probability is the sum over all its
    /// mentions.
    fn meant(&self, question: Question, line: &WindowLine, word: usize) -> Meant {
        if question == Question::Reference
            && let Some(who) = line.speaks(word)
        {
            return Meant { referent: Referent::Named(who), probability: 1.0 };
        }
        let candidates: Vec<(&[f32], usize)> = self
            .window
            .candidates
            .iter()
            .zip(self.keys)
            .map(|(candidate, key)| (key.as_slice(), bucket(candidate, line.line, word)))
            .collect();
        let is_excluded =
            |candidate: &Candidate| question == Question::Reference && self.window.excludes(line, word, candidate);
        let mut answer = self.heads.answer(question, (self.row)(line.words[word]), &candidates);
        for (score, candidate) in answer.iter_mut().zip(&self.window.candidates) {
            *score *= f32::from(u8::from(!is_excluded(candidate)));
        }
        let all: f32 = answer.iter().sum();
        answer.iter_mut().for_each(|score| *score /= all.max(1e-9));
        let named = self.window.candidates.iter().map(|candidate| Referent::Named(candidate.who));
        let special: [Referent; SPECIAL] = [Referent::Party, Referent::Other, Referent::Own];
        let mut sums: Vec<Meant> = Vec::new();
        for (referent, probability) in named.chain(special).zip(answer) {
            match sums.iter_mut().find(|meant| meant.referent == referent) {
                Some(meant) => meant.probability += probability,
                None => sums.push(Meant { referent, probability }),
            }
        }
        let best = sums.into_iter().max_by(|a, b| a.probability.total_cmp(&b.probability));
        best.unwrap_or(Meant { referent: Referent::Own, probability: 0.0 })
    }
}

/// Returns the bucket of the distance between a reference and a candidate. `training/data.py` uses the same buckets.
fn bucket(candidate: &Candidate, line: usize, word: usize) -> usize {
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
/// outside a span, begins a span, or continues one. `outside` is a factor for the first probability.
fn spans(tags: &[[f32; 3]], outside: f32) -> Vec<Range<usize>> {
    let log = |p: f32| p.max(1e-9).ln();
    // For each word and each of its tags, the tag of the previous word on the best path.
    let mut back: Vec<[usize; 3]> = Vec::with_capacity(tags.len());
    let mut best = [0.0, f32::NEG_INFINITY, f32::NEG_INFINITY];
    for [out, begin, inside] in tags {
        let ended = (1..3).fold(0, |ended, tag| if best[tag] > best[ended] { tag } else { ended });
        let open = if best[1] >= best[2] { 1 } else { 2 };
        back.push([ended, ended, open]);
        best = [best[ended] + log(out * outside), best[ended] + log(*begin), best[open] + log(*inside)];
    }
    let mut tag = (1..3).fold(0, |last, tag| if best[tag] > best[last] { tag } else { last });
    let mut path: Vec<usize> = Vec::with_capacity(tags.len());
    for before in back.iter().rev() {
        path.push(tag);
        tag = before[tag];
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
            let found: Vec<_> = spans(&tags(text), 1.0).into_iter().map(|span| (span.start, span.end)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
