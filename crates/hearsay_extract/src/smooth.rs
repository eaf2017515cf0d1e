//! Removes disfluencies of speech from a sentence. "He's, uh, he's a tanner" becomes "he's a tanner".

use hearsay_model::Span;

use crate::{
    grammar::{Class, Grammar},
    mentions::{be_form, is_pronoun},
    token::Token,
};

/// Filler sounds.
const SOUNDS: [&str; 7] = ["um", "uh", "er", "erm", "uhm", "umm", "uhh"];

/// Phrases between commas that state nothing about the world.
const ASIDES: [&str; 9] = [
    "what 's it called",
    "what do you call it",
    "what 's the word",
    "you know",
    "as i said",
    "like i said",
    "as it turns out",
    "as it happens",
    "by the way",
];

/// Phrases that only add emphasis.
const EMPHASES: [&str; 11] = [
    "fair and square",
    "plain and simple",
    "pure and simple",
    "clear and simple",
    "dead or alive",
    "straight out",
    "straight up",
    "hand on heart",
    "believe it or not",
    "black and white",
    "plain as day",
];

/// Phrases between a description of a person and the name: "a cook named Bo Tandy".
const CALLS: [&str; 5] = ["named", "called", "by the name of", "of the name of", "name of"];

/// Phrases with which a speaker corrects the preceding words.
const REPAIRS: [&str; 7] = ["sorry", "i mean", "or rather", "no wait", "wait no", "no sorry", "scratch that"];

/// Maximum number of tokens that a correction replaces. Also the number of tokens before "named" in which an article is
/// sought.
const REACH: usize = 5;

/// Maximum number of words in a repeated sequence.
const TWICE: usize = 3;

/// Sentence without disfluencies.
pub(crate) struct Smooth {
    pub(crate) tokens: Vec<Token>,
    /// Pronouns in brackets, such as "(they/them)", which are removed too. Each entry has a token index and the byte
    /// range of the pronouns.
    pub(crate) pronouns: Vec<(usize, Span)>,
}

/// Removes fillers, repetitions, corrections and asides from a sentence.
pub(crate) fn smooth(tokens: &[Token], grammar: &Grammar) -> Smooth {
    let mut tokens = tokens.to_vec();
    named(&mut tokens, grammar);
    let pronouns = bracketed(&mut tokens);
    let mut at = 0;
    while at < tokens.len() {
        let from = at;
        if let Some((start, end)) = sound(&tokens, at)
            .or_else(|| repaired(&tokens, at))
            .or_else(|| aside(&tokens, at))
            .or_else(|| emphasis(&tokens, at))
            .or_else(|| within_number(&tokens, at, grammar))
            .or_else(|| twice(&tokens, at, grammar))
        {
            // Do not remove tokens before recorded pronouns, because the token indices would change.
            if !pronouns.iter().any(|(place, _)| *place > start) {
                tokens.drain(start..end);
                at = start.saturating_sub(TWICE);
                continue;
            }
        }
        at = from + 1;
    }
    Smooth { tokens, pronouns }
}

/// Rewrites "a cook named Bo Tandy" as "the cook Bo Tandy".
fn named(tokens: &mut Vec<Token>, grammar: &Grammar) {
    let mut at = 1;
    while at + 1 < tokens.len() {
        let calls = CALLS.iter().find_map(|words| behind(tokens, at, words));
        let end = calls.unwrap_or(at);
        let name = tokens.get(end).is_some_and(|token| token.is_word() && token.capital);
        let plain =
            |token: &Token| token.is_word() && !token.capital && !grammar.class(&token.norm).has(Class::PREPOSITION);
        let article = (at.saturating_sub(REACH)..at - 1)
            .rev()
            .find(|at| matches!(tokens[*at].norm.as_str(), "a" | "an" | "one" | "some" | "this" | "that" | "another"));
        if let Some(article) =
            article.filter(|article| calls.is_some() && name && tokens[article + 1..at].iter().all(plain))
        {
            tokens[article].norm = "the".to_owned();
            tokens.drain(at..end);
        }
        at += 1;
    }
}

fn is_comma(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.is_mark(",\u{2014}\u{2026}"))
}

/// Finds a phrase of a list between commas at a token. Returns the token after the phrase, or `None`.
fn between(tokens: &[Token], at: usize, list: &[&str]) -> Option<usize> {
    if at == 0 || !is_comma(tokens, at - 1) {
        return None;
    }
    list.iter().find_map(|words| behind(tokens, at, words).filter(|end| is_comma(tokens, *end)))
}

/// Returns the token after `words` if these words begin at a token; `None` otherwise.
fn behind(tokens: &[Token], at: usize, words: &str) -> Option<usize> {
    words.split(' ').try_fold(at, |at, word| tokens.get(at).is_some_and(|token| token.is(word)).then_some(at + 1))
}

/// Returns the range of a filler sound with its commas: ", um,".
fn sound(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    if !SOUNDS.contains(&tokens[at].norm.as_str()) {
        return None;
    }
    let start = if at > 0 && is_comma(tokens, at - 1) { at - 1 } else { at };
    let end = if is_comma(tokens, at + 1) { at + 2 } else { at + 1 };
    (start > 0 || end < tokens.len()).then_some((start, end))
}

/// Returns the range of corrected words together with the correction phrase: "she runs, sorry," in "she runs, sorry,
/// she owns".
fn repaired(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let end = between(tokens, at, &REPAIRS)?;
    let first = &tokens.get(end + 1)?.norm;
    let back = (at.saturating_sub(REACH + 1)..at - 1).rev().find(|back| tokens[*back].norm == *first)?;
    Some((back, end + 1))
}

/// Returns the range of an aside with its commas: ", what's it called,". The words on both sides then form one phrase.
fn aside(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let end = between(tokens, at, &ASIDES)?;
    Some((at - 1, end + 1))
}

/// Returns the range of the word "and" within a number: "two hundred and six".
fn within_number(tokens: &[Token], at: usize, grammar: &Grammar) -> Option<(usize, usize)> {
    let counts = |word: &str| word.split('-').all(|part| grammar.class(part).has(Class::NUMBER));
    let before = tokens.get(at.checked_sub(1)?)?;
    let within = tokens[at].is("and")
        && matches!(before.norm.as_str(), "hundred" | "thousand" | "million")
        && tokens.get(at + 1).is_some_and(|next| counts(&next.norm));
    within.then_some((at, at + 1))
}

/// Returns the range of an emphasis: "it's hers, fair and square".
fn emphasis(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let end = EMPHASES.iter().find_map(|words| behind(tokens, at, words))?;
    let apart = at > 0 && is_comma(tokens, at - 1);
    let ends = tokens.get(end).is_none_or(|next| !next.is_word());
    (at > 0 && (apart || ends)).then_some((if apart { at - 1 } else { at }, end))
}

/// Returns the range of the first of two equal sequences of function words: "he's, he's", "this, this".
fn twice(tokens: &[Token], at: usize, grammar: &Grammar) -> Option<(usize, usize)> {
    let small = |token: &Token| {
        is_pronoun(&token.norm)
            || be_form(&token.norm)
            || token.norm.starts_with('\'')
            || grammar.class(&token.norm).has(Class::DETERMINER)
    };
    (1..=TWICE).rev().find_map(|count| {
        let again = at + count + usize::from(is_comma(tokens, at + count));
        let said = tokens.get(at..at + count)?;
        let same = tokens.get(again..again + count)?.iter().zip(said).all(|(a, b)| a.norm == b.norm);
        (same && said.iter().all(small) && !said[0].is("that") && !said[0].is("her")).then_some((at, again))
    })
}

/// Removes pronouns in brackets, such as "(they/them)", and returns them.
fn bracketed(tokens: &mut Vec<Token>) -> Vec<(usize, Span)> {
    let mut found = Vec::new();
    let mut at = 1;
    while at + 4 < tokens.len() {
        let slash = |at: usize| tokens[at].is_mark("/");
        let end = (at + 1..tokens.len()).take(7).find(|end| tokens[*end].is_mark(")"));
        if let Some(end) = end.filter(|end| tokens[at].is_mark("(") && *end > at + 3)
            && (at + 1..end).all(|at| slash(at) || is_pronoun(&tokens[at].norm))
            && (at + 1..end).any(slash)
        {
            found.push((at - 1, Span { start: tokens[at + 1].start, end: tokens[end - 1].end }));
            tokens.drain(at..=end);
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smoothed(text: &str) -> String {
        let language = crate::Language::english();
        let smooth = smooth(&crate::token::tokens(text, 0), &language.grammar);
        smooth.tokens.iter().map(|token| token.norm.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn hesitations_are_taken_out() {
        assert_eq!(smoothed("so Will, he's, uh, he's a tanner"), "so will , he 's a tanner");
        assert_eq!(smoothed("she runs, sorry, she owns the mill"), "she owns the mill");
        assert_eq!(smoothed("he's got this, um, this moustache"), "he 's got this moustache");
        assert_eq!(smoothed("June's the, what's it called, the quartermaster"), "june 's the quartermaster");
        assert_eq!(smoothed("Vasht (they/them), a broker, left"), "vasht , a broker , left");
        assert_eq!(smoothed("Odo told her her brother left"), "odo told her her brother left");
    }
}
