//! Finds cues: words that mark a sentence as hedged, as a question, as a plan or as addressed to the program.

use hearsay_model::Span;

use crate::{
    facts::{Cue, CueKind},
    grammar::{Class, CueSort, Grammar},
    mentions::{be_form, is_pronoun},
    token::{Sort, Token},
};

/// A cue and its tokens, from `start` up to but not including `end`.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) sort: CueSort,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Found {
    pub(crate) fn shown(&self, tokens: &[Token], text: &str) -> Option<Cue> {
        let kind = match self.sort {
            CueSort::Hedge => CueKind::Hedge,
            CueSort::Rumour => CueKind::Rumour,
            CueSort::Sarcasm => CueKind::Sarcasm,
            CueSort::Over => CueKind::Past,
            _ => return None,
        };
        let span = Span { start: tokens[self.start].start, end: tokens[self.end - 1].end };
        Some(Cue { kind, words: text[span.start..span.end].to_owned() })
    }
}

/// Returns the cues in a sentence. A name is never a cue.
pub(crate) fn find(tokens: &[Token], grammar: &Grammar, is_name: impl Fn(usize) -> bool) -> Vec<Found> {
    let mut found = Vec::new();
    for (start, token) in tokens.iter().enumerate() {
        if is_name(start) {
            continue;
        }
        for (words, sort) in grammar.cues.get(&token.norm).into_iter().flatten() {
            let end = start + words.len();
            let fits = end <= tokens.len()
                && tokens[start..end].iter().zip(words).all(|(token, word)| token.norm == *word)
                && (start..end).all(|at| !is_name(at) || words.len() > 1);
            // In "since his student days", the fact still holds.
            let since = (1..3).any(|back| start.checked_sub(back).is_some_and(|at| tokens[at].is("since")));
            if fits && !(since && *sort == CueSort::Over) {
                found.push(Found { sort: *sort, start, end });
                // If several cues begin at a token, only the longest counts: "if memory serves" is a hedge, not a
                // condition.
                break;
            }
        }
    }
    // "would not be surprised if" is a hedge, not a condition.
    let guesses: Vec<(usize, usize)> =
        found.iter().filter(|cue| cue.sort == CueSort::Hedge).map(|cue| (cue.start, cue.end)).collect();
    let within = |cue: &Found| guesses.iter().any(|(start, end)| *start < cue.start && cue.end <= *end);
    found.retain(|cue| cue.sort != CueSort::Conditional || !within(cue));
    found
}

/// Tags at the end of a statement that do not make it a question: "…, did I mention that?"
const TAGS: [&str; 12] = [
    "did i mention",
    "did i say",
    "did i tell you",
    "have i mentioned",
    "have i told you",
    "have i said",
    "okay",
    "ok",
    "remember",
    "you know",
    "see",
    "get it",
];

/// Returns the tokens of a sentence without a tag at its end.
pub(crate) fn before_tag(tokens: &[Token]) -> &[Token] {
    let Some(comma) = tokens.iter().rposition(|token| token.is_mark(",\u{2014}")).filter(|at| *at > 1) else {
        return tokens;
    };
    let said: Vec<&str> = tokens[comma + 1..].iter().map(|token| token.norm.as_str()).collect();
    let is_tag = |tag: &&str| {
        let words: Vec<&str> = tag.split(' ').collect();
        let more = said.len().saturating_sub(words.len());
        // Example: "did I mention that?"
        said.starts_with(&words) && more <= if words.len() > 2 { 4 } else { 1 }
    };
    if TAGS.iter().any(is_tag) { &tokens[..comma] } else { tokens }
}

/// Returns whether a sentence is a question. If `by_mark` is false, a question mark alone does not make a question.
pub(crate) fn is_question(tokens: &[Token], grammar: &Grammar, by_mark: bool) -> bool {
    let words: Vec<&Token> = tokens.iter().filter(|token| token.sort != Sort::Mark).collect();
    let mark = tokens.iter().rev().take_while(|token| !token.is_word()).any(|token| token.is("?"));
    let first = words.iter().position(|token| !is_opener(&token.norm) && token.is_word());
    let inverted = first.is_some_and(|at| {
        let word = words[at].norm.as_str();
        let auxiliary = be_form(word) && word != "being" && word != "been"
            || matches!(word, "do" | "does" | "did" | "has" | "have" | "had")
            || (grammar.class(word).has(Class::MODAL) && !words[at].capital)
            || (at == 0
                && grammar.class(word).has(Class::MODAL)
                && words.get(1).is_some_and(|next| is_pronoun(&next.norm)));
        let next = words.get(at + 1);
        auxiliary
            && next.is_some_and(|next| {
                is_pronoun(&next.norm)
                    || next.capital
                    || grammar.class(&next.norm).has(Class::DETERMINER)
                    || next.is("not")
            })
            && (mark || !matches!(word, "have" | "had" | "do" | "be"))
    });
    let asks = first.is_some_and(|at| {
        let word = words[at].norm.as_str();
        matches!(
            word,
            "who" | "what" | "where" | "when" | "why" | "how" | "whose" | "which" | "whom" | "who's" | "what's"
        )
    });
    (mark && by_mark) || inverted || (asks && inverted_after(&words, first))
}

/// Returns whether a sentence begins like a question with a question word: "Who is …", "where does …".
fn inverted_after(words: &[&Token], first: Option<usize>) -> bool {
    let Some(at) = first else { return false };
    matches!(words[at].norm.as_str(), "who" | "where" | "when" | "why" | "how" | "whose" | "which")
        && words.get(at + 1).is_some_and(|next| {
            be_form(&next.norm)
                || matches!(
                    next.norm.as_str(),
                    "'s" | "do" | "does" | "did" | "can" | "could" | "would" | "will" | "has"
                )
        })
}

/// Returns whether a word often opens a spoken sentence, such as "so" or "well".
pub(crate) fn is_opener(word: &str) -> bool {
    matches!(
        word,
        "so" | "and"
            | "but"
            | "oh"
            | "well"
            | "wait"
            | "hang"
            | "on"
            | "okay"
            | "ok"
            | "right"
            | "uh"
            | "um"
            | "er"
            | "hey"
            | "now"
            | "then"
            | "yeah"
            | "yes"
            | "no"
            | "nah"
            | "sorry"
            | "actually"
            | "look"
            | "listen"
            | "honestly"
            | "hm"
            | "hmm"
            | "ah"
            | "like"
            | "also"
            | "anyway"
            | "because"
            | "cause"
            | "guys"
            | "alright"
            | "hold"
    )
}
