//! Compares sentences with the example sentences of relations by their vectors. This needs a sentence encoder.

use hearsay_model::{Predicate, Span};

use crate::{
    extract::Extractor,
    facts::{Cue, CueKind},
    kinds::Kinds,
    mentions::Who,
    read::{Marks, Read, Reader, Ref, Said},
};

/// Source of vectors for texts: a sentence encoder, or a cache in front of an encoder.
pub trait Meaning {
    /// Returns one vector of length 1 per text, in the same order. Returns `None` while no encoder is available.
    fn vectors(&self, texts: &[&str]) -> Option<Vec<Vec<f32>>>;
}

/// Vectors of the example sentences of relations in the vocabulary.
#[derive(Debug)]
pub(crate) struct Examples {
    of: Vec<(Predicate, Vec<f32>)>,
}

/// Sentence that names two entities and matches no pattern.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub(crate) subject: Ref,
    pub(crate) object: Ref,
    subject_kinds: Kinds,
    object_kinds: Kinds,
    sentence: String,
    span: Span,
    /// Byte offset of the start of the sentence in the text.
    start: usize,
    by: Option<Who>,
}

/// Minimum cosine between a sentence and an example. Below it, the relation of the example is not proposed.
const LEAST: f32 = 0.4;

impl Reader<'_> {
    /// Returns the sentence with its first two named entities, for a comparison with the examples.
    ///
    /// Returns `None` if a pattern matched, if the sentence names fewer than two entities, or if it is long, doubtful
    /// or negated.
    pub(crate) fn open_sentence(&mut self, facts: &[Read]) -> Option<Open> {
        let strong = |read: &Read| !read.marks.names.contains(&"fallback") && !read.marks.is_loose();
        if facts.iter().any(strong) || self.names.len() < 2 || self.tokens.len() > 60 {
            return None;
        }
        let question = self.asks();
        let whole = self.whole(question);
        let modes = self.modes(question);
        if whole.dead || modes.iter().any(|mode| mode.dead || mode.denied || mode.doubt < 1.0) {
            return None;
        }
        let (a, b) = (self.names[0], *self.names.iter().find(|name| name.who != self.names[0].who)?);
        let word = |kinds: Kinds| match kinds {
            kinds if kinds == Kinds::PLACE => "the place",
            kinds if kinds == Kinds::GROUP => "the guild",
            kinds if kinds == Kinds::THING => "the thing",
            kinds if kinds == Kinds::EVENT => "the event",
            _ => "the man",
        };
        let (a_kinds, b_kinds) = (self.kinds(a.who), self.kinds(b.who));
        let mut sentence = String::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let name = self.names.iter().find(|name| name.start == at);
            if !sentence.is_empty() && !self.tokens[at].glued {
                sentence.push(' ');
            }
            match name {
                Some(name) => {
                    sentence.push_str(word(self.kinds(name.who)));
                    at = name.end;
                }
                None => {
                    sentence.push_str(&self.text[self.tokens[at].start..self.tokens[at].end]);
                    at += 1;
                }
            }
        }
        Some(Open {
            subject: Ref::plain(a.who),
            object: Ref::plain(b.who),
            subject_kinds: a_kinds,
            object_kinds: b_kinds,
            sentence,
            span: self.span(a.start, b.end - 1),
            start: self.tokens.first().map_or(0, |token| token.start),
            by: whole.by,
        })
    }
}

/// Proposes facts for sentences that match no pattern, by their similarity to the examples of relations. The confidence
/// of these facts is so low that they wait for review.
pub(crate) fn weigh(extractor: &Extractor, meaning: &dyn Meaning, facts: &mut Vec<Read>, open: &[Open]) {
    if open.is_empty() {
        return;
    }
    let examples = extractor.examples.get_or_init(|| {
        let worded: Vec<(Predicate, &str)> = extractor
            .vocabulary()
            .predicates()
            .filter(|def| def.name.as_str() != "RELATED_TO")
            .flat_map(|def| def.examples.iter().map(|example| (def.name.clone(), example.as_str())))
            .collect();
        let vectors = meaning.vectors(&worded.iter().map(|(_, example)| *example).collect::<Vec<_>>())?;
        Some(Examples { of: worded.into_iter().map(|(name, _)| name).zip(vectors).collect() })
    });
    let Some(examples) = examples else { return };
    let sentences: Vec<&str> = open.iter().map(|open| open.sentence.as_str()).collect();
    let Some(vectors) = meaning.vectors(&sentences) else { return };
    for (open, vector) in open.iter().zip(vectors) {
        let mut best: Option<(f32, &Predicate)> = None;
        for (name, example) in &examples.of {
            let like: f32 = vector.iter().zip(example).map(|(a, b)| a * b).sum();
            if best.is_none_or(|(most, _)| like > most) {
                best = Some((like, name));
            }
        }
        let Some((_, name)) = best.filter(|(like, _)| *like >= LEAST) else { continue };
        let targets = &extractor.grammar().targets;
        let Some(target) =
            targets.iter().position(|target| target.predicate == *name && !target.over && !target.denied)
        else {
            continue;
        };
        if !open.subject_kinds.meets(targets[target].subject) || !open.object_kinds.meets(targets[target].object) {
            continue;
        }
        // If another loose proposal already has the same relation, it gets a mark instead of a second fact.
        let ends = (open.subject.who, open.object.who);
        let hinted = facts.iter_mut().find(|fact| {
            let pair = match &fact.object {
                Said::Who(who) => (fact.subject, *who),
                Said::Value(_) => return false,
            };
            let same = pair == ends || (pair.1, pair.0) == ends;
            fact.marks.is_loose() && same && targets[fact.target].predicate == *name && fact.span.start >= open.start
        });
        if let Some(hinted) = hinted {
            hinted.marks.names.push("loose_meant");
            continue;
        }
        facts.push(Read {
            subject: open.subject.who,
            target,
            object: Said::Who(open.object.who),
            relation: String::new(),
            marks: Marks { names: vec!["loose", "by_meaning"] },
            span: open.span,
            by: open.by,
            told: Vec::new(),
            denied: false,
            over: false,
            doubt: 1.0,
            cues: vec![Cue { kind: CueKind::Meaning, words: name.as_str().to_lowercase().replace('_', " ") }],
        });
    }
}
