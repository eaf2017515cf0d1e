//! Removes disfluencies of speech (fillers, repetitions and corrections) from a sentence. For example, "He's, uh, he's
//! a tanner" becomes "he's a tanner".

use hearsay_model::Span;

use crate::{
    language::{
        function_words::{is_be_form, is_pronoun},
        grammar::{Grammar, WordClass},
        word_lists::{WordSet, lists},
    },
    text::tokenizer::Token,
};

/// Maximum number of tokens that a correction replaces. Also the number of tokens before "named" in which an article is
/// sought.
const MAX_REPAIR_TOKENS: usize = 5;

/// Maximum number of words in a repeated sequence.
const MAX_REPETITION_WORDS: usize = 3;

/// Sentence without disfluencies.
pub(crate) struct CleanSentence {
    pub(crate) tokens: Vec<Token>,
    /// Pronouns in brackets, such as "(they/them)", which are removed too. Each entry has a token index and the byte
    /// range of the pronouns.
    pub(crate) pronouns: Vec<(usize, Span)>,
}

/// Removes fillers, repetitions, corrections and asides from a sentence.
pub(crate) fn remove_disfluencies(tokens: &[Token], grammar: &Grammar) -> CleanSentence {
    let mut tokens = tokens.to_vec();
    rewrite_introduced_names(&mut tokens, grammar);
    let pronouns = remove_bracketed_pronouns(&mut tokens);
    let mut at = 0;
    while at < tokens.len() {
        let from = at;
        if let Some((start, end)) = filler_range(&tokens, at)
            .or_else(|| repair_range(&tokens, at))
            .or_else(|| aside_range(&tokens, at))
            .or_else(|| emphasis_range(&tokens, at))
            .or_else(|| number_conjunction_range(&tokens, at, grammar))
            .or_else(|| repetition_range(&tokens, at, grammar))
        {
            // Do not remove tokens before recorded pronouns, because the token indices would change.
            if !pronouns.iter().any(|(place, _)| *place > start) {
                tokens.drain(start..end);
                at = start.saturating_sub(MAX_REPETITION_WORDS);
                continue;
            }
        }
        at = from + 1;
    }
    CleanSentence { tokens, pronouns }
}

/// Rewrites "a cook named Bo Tandy" as "the cook Bo Tandy".
fn rewrite_introduced_names(tokens: &mut Vec<Token>, grammar: &Grammar) {
    let mut at = 1;
    while at + 1 < tokens.len() {
        let naming_end = lists().phrases.naming.iter().find_map(|words| phrase_end(tokens, at, words));
        let end = naming_end.unwrap_or(at);
        let is_name = tokens.get(end).is_some_and(|token| token.is_word() && token.is_capitalized);
        let is_plain_word = |token: &Token| {
            token.is_word() && !token.is_capitalized && !grammar.word_class(&token.norm).has(WordClass::PREPOSITION)
        };
        let article = (at.saturating_sub(MAX_REPAIR_TOKENS)..at - 1)
            .rev()
            .find(|at| lists().determiners.naming.contains(tokens[*at].norm.as_str()));
        if let Some(article) = article
            .filter(|article| naming_end.is_some() && is_name && tokens[article + 1..at].iter().all(is_plain_word))
        {
            tokens[article].norm = "the".to_owned();
            tokens.drain(at..end);
        }
        at += 1;
    }
}

fn is_comma(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.is_punctuation(",\u{2014}\u{2026}"))
}

/// Finds a phrase of a list between commas at a token. Returns the token after the phrase, or `None`.
fn phrase_between_commas(tokens: &[Token], at: usize, list: &WordSet) -> Option<usize> {
    if at == 0 || !is_comma(tokens, at - 1) {
        return None;
    }
    list.iter().find_map(|words| phrase_end(tokens, at, words).filter(|end| is_comma(tokens, *end)))
}

/// Returns the token after `words` if these words begin at a token; `None` otherwise.
fn phrase_end(tokens: &[Token], at: usize, words: &str) -> Option<usize> {
    words.split(' ').try_fold(at, |at, word| tokens.get(at).is_some_and(|token| token.is(word)).then_some(at + 1))
}

/// Returns the range of a filler sound with its commas: ", um,".
fn filler_range(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    if !lists().speech.fillers.contains(&tokens[at].norm) {
        return None;
    }
    let start = if at > 0 && is_comma(tokens, at - 1) { at - 1 } else { at };
    let end = if is_comma(tokens, at + 1) { at + 2 } else { at + 1 };
    (start > 0 || end < tokens.len()).then_some((start, end))
}

/// Returns the range of corrected words together with the correction phrase: "she runs, sorry," in "she runs, sorry,
/// she owns".
fn repair_range(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let end = phrase_between_commas(tokens, at, &lists().phrases.repairs)?;
    let first = &tokens.get(end + 1)?.norm;
    let start = (at.saturating_sub(MAX_REPAIR_TOKENS + 1)..at - 1).rev().find(|start| tokens[*start].norm == *first)?;
    Some((start, end + 1))
}

/// Returns the range of an aside with its commas: ", what's it called,". The words on both sides then form one phrase.
fn aside_range(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let end = phrase_between_commas(tokens, at, &lists().phrases.asides)?;
    Some((at - 1, end + 1))
}

/// Returns the range of the word "and" within a number: "two hundred and six".
fn number_conjunction_range(tokens: &[Token], at: usize, grammar: &Grammar) -> Option<(usize, usize)> {
    let counts = |word: &str| word.split('-').all(|part| grammar.word_class(part).has(WordClass::NUMBER));
    let previous = tokens.get(at.checked_sub(1)?)?;
    let is_match = tokens[at].is("and")
        && lists().numbers.magnitudes.contains(previous.norm.as_str())
        && tokens.get(at + 1).is_some_and(|next| counts(&next.norm));
    is_match.then_some((at, at + 1))
}

/// Returns the range of an emphasis: "it's hers, fair and square".
fn emphasis_range(tokens: &[Token], at: usize) -> Option<(usize, usize)> {
    let end = lists().phrases.emphasis.iter().find_map(|words| phrase_end(tokens, at, words))?;
    let follows_comma = at > 0 && is_comma(tokens, at - 1);
    let is_final = tokens.get(end).is_none_or(|next| !next.is_word());
    (at > 0 && (follows_comma || is_final)).then_some((if follows_comma { at - 1 } else { at }, end))
}

/// Returns the range of the first of two equal sequences of function words: "he's, he's", "this, this".
fn repetition_range(tokens: &[Token], at: usize, grammar: &Grammar) -> Option<(usize, usize)> {
    let is_function_word = |token: &Token| {
        is_pronoun(&token.norm)
            || is_be_form(&token.norm)
            || token.norm.starts_with('\'')
            || grammar.word_class(&token.norm).has(WordClass::DETERMINER)
    };
    (1..=MAX_REPETITION_WORDS).rev().find_map(|count| {
        let repeat_start = at + count + usize::from(is_comma(tokens, at + count));
        let phrase = tokens.get(at..at + count)?;
        let is_repeated =
            tokens.get(repeat_start..repeat_start + count)?.iter().zip(phrase).all(|(a, b)| a.norm == b.norm);
        (is_repeated && phrase.iter().all(is_function_word) && !phrase[0].is("that") && !phrase[0].is("her"))
            .then_some((at, repeat_start))
    })
}

/// Removes pronouns in brackets, such as "(they/them)", and returns them.
fn remove_bracketed_pronouns(tokens: &mut Vec<Token>) -> Vec<(usize, Span)> {
    let mut pronouns = Vec::new();
    let mut at = 1;
    while at + 4 < tokens.len() {
        let is_slash = |at: usize| tokens[at].is_punctuation("/");
        let end = (at + 1..tokens.len()).take(7).find(|end| tokens[*end].is_punctuation(")"));
        if let Some(end) = end.filter(|end| tokens[at].is_punctuation("(") && *end > at + 3)
            && (at + 1..end).all(|at| is_slash(at) || is_pronoun(&tokens[at].norm))
            && (at + 1..end).any(is_slash)
        {
            pronouns.push((at - 1, Span { start: tokens[at + 1].start, end: tokens[end - 1].end }));
            tokens.drain(at..=end);
        }
        at += 1;
    }
    pronouns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smoothed(text: &str) -> String {
        let language = crate::Language::english();
        let clean_sentence = remove_disfluencies(&crate::text::tokenizer::tokenize(text, 0), &language.grammar);
        clean_sentence.tokens.iter().map(|token| token.norm.as_str()).collect::<Vec<_>>().join(" ")
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
