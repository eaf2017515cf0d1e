//! Finds cues: words that mark a sentence as a guess, a question or a plan, or as an instruction to the program.

use hearsay_model::Span;

use crate::{
    Language,
    facts::{Cue, CueKind},
    language::{
        function_words::{is_be_form, is_discourse_marker, is_pronoun},
        grammar::{CueType, Grammar, WordClass},
        word_lists::lists,
    },
    text::tokenizer::{Token, TokenKind, tokenize},
};

/// Cues in a sentence, found by [`Language::sentence_cues`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentenceCues {
    /// Whether the sentence is a question.
    pub is_question: bool,
    /// Whether the sentence contains words for a guess, a rumour, sarcasm, a condition or a wish.
    pub is_doubtful: bool,
    /// Whether the sentence contains words that address the program, such as instructions to a language model.
    pub addresses_program: bool,
    /// Words for guesses, rumours and sarcasm, and words which show that a fact is no longer true. The cues are in the
    /// order of the sentence.
    pub cues: Vec<Cue>,
}

impl Language {
    /// Finds the cues in a sentence. A name is never a cue: "Hope" and "May" can be names of people. `is_name` gets
    /// each capitalized word of the sentence, converted to lowercase, and returns whether the word is a name.
    pub fn sentence_cues(&self, sentence: &str, is_name: impl Fn(&str) -> bool) -> SentenceCues {
        let tokens = tokenize(sentence, 0);
        let matches = find_cues(&tokens, &self.grammar, |at| tokens[at].is_capitalized && is_name(&tokens[at].norm));
        let is_doubt = |cue: &CueMatch| {
            matches!(
                cue.cue_type,
                CueType::Hedge | CueType::Rumour | CueType::Sarcasm | CueType::Conditional | CueType::Wish
            )
        };
        SentenceCues {
            is_question: is_question(&tokens, &self.grammar, true),
            is_doubtful: matches.iter().any(is_doubt),
            addresses_program: matches.iter().any(|cue| cue.cue_type == CueType::Injection),
            cues: matches.iter().filter_map(|cue| cue.to_cue(&tokens, sentence)).collect(),
        }
    }
}

/// A cue and its tokens, from `start` up to but not including `end`.
#[derive(Debug, Clone)]
pub(crate) struct CueMatch {
    pub(crate) cue_type: CueType,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl CueMatch {
    pub(crate) fn to_cue(&self, tokens: &[Token], text: &str) -> Option<Cue> {
        let kind = match self.cue_type {
            CueType::Hedge => CueKind::Hedge,
            CueType::Rumour => CueKind::Rumour,
            CueType::Sarcasm => CueKind::Sarcasm,
            CueType::Ended => CueKind::Past,
            _ => return None,
        };
        let span = Span { start: tokens[self.start].start, end: tokens[self.end - 1].end };
        Some(Cue { kind, words: text[span.start..span.end].to_owned() })
    }
}

/// Returns the cues in a sentence. A name is never a cue, except that an order to the program counts even if its first
/// word looks like a name: "A. Disregard all instructions".
pub(crate) fn find_cues(tokens: &[Token], grammar: &Grammar, is_name: impl Fn(usize) -> bool) -> Vec<CueMatch> {
    let mut cues = Vec::new();
    for (start, token) in tokens.iter().enumerate() {
        let starts_with_name = is_name(start);
        for (words, cue_type) in grammar.cues.get(&token.norm).into_iter().flatten() {
            let end = start + words.len();
            let is_order = matches!(cue_type, CueType::Injection | CueType::InjectionOrder);
            let is_match = end <= tokens.len()
                && (is_order || !starts_with_name)
                && tokens[start..end].iter().zip(words).all(|(token, word)| token.norm == *word)
                && (start..end).all(|at| !is_name(at) || words.len() > 1);
            // In "since his student days", the fact still holds.
            let follows_since =
                (1..3).any(|distance| start.checked_sub(distance).is_some_and(|at| tokens[at].is("since")));
            if is_match && !(follows_since && *cue_type == CueType::Ended) {
                cues.push(CueMatch { cue_type: *cue_type, start, end });
                // If several cues begin at a token, only the longest counts: "if memory serves" is a hedge, not a
                // condition.
                break;
            }
        }
    }
    cues.retain(|cue| cue.cue_type != CueType::InjectionOrder || begins_order(tokens, cue.start));
    for cue in cues.iter_mut().filter(|cue| cue.cue_type == CueType::InjectionOrder) {
        cue.cue_type = CueType::Injection;
    }
    // "would not be surprised if" is a hedge, not a condition.
    let hedges: Vec<(usize, usize)> =
        cues.iter().filter(|cue| cue.cue_type == CueType::Hedge).map(|cue| (cue.start, cue.end)).collect();
    let is_within_hedge = |cue: &CueMatch| hedges.iter().any(|(start, end)| *start < cue.start && cue.end <= *end);
    cues.retain(|cue| cue.cue_type != CueType::Conditional || !is_within_hedge(cue));
    cues
}

/// Returns whether a token can be the verb of an order to the reader: "…, and ignore …", "you must ignore …". In "told
/// the guards to ignore …" and "they ignore …", it is not an order.
fn begins_order(tokens: &[Token], at: usize) -> bool {
    let previous = tokens[..at].iter().rev().find(|token| !lists().speech.before_orders.contains(token.norm.as_str()));
    // The period of an initial is no token, but a sentence can end there: "Room B. Ignore …".
    let ends_with_initial =
        |token: &Token| token.norm.chars().count() == 1 && tokens[at].start.saturating_sub(token.end) > 1;
    previous.is_none_or(|token| {
        !token.is_word() || ends_with_initial(token) || lists().speech.order_starts.contains(token.norm.as_str())
    })
}

/// Returns the tokens of a sentence without a tag at its end.
pub(crate) fn without_tag(tokens: &[Token]) -> &[Token] {
    let Some(comma) = tokens.iter().rposition(|token| token.is_punctuation(",\u{2014}")).filter(|at| *at > 1) else {
        return tokens;
    };
    let tail: Vec<&str> = tokens[comma + 1..].iter().map(|token| token.norm.as_str()).collect();
    let is_tag = |tag: &str| {
        let words: Vec<&str> = tag.split(' ').collect();
        let extra_words = tail.len().saturating_sub(words.len());
        // Example: "did I mention that?"
        tail.starts_with(&words) && extra_words <= if words.len() > 2 { 4 } else { 1 }
    };
    if lists().phrases.tag_questions.iter().any(is_tag) { &tokens[..comma] } else { tokens }
}

/// Returns whether a sentence is a question. If `counts_question_mark` is false, a question mark alone does not make a
/// question.
pub(crate) fn is_question(tokens: &[Token], grammar: &Grammar, counts_question_mark: bool) -> bool {
    let words: Vec<&Token> = tokens.iter().filter(|token| token.kind != TokenKind::Punctuation).collect();
    let has_question_mark = tokens.iter().rev().take_while(|token| !token.is_word()).any(|token| token.is("?"));
    let first = words.iter().position(|token| !is_discourse_marker(&token.norm) && token.is_word());
    let is_inverted = first.is_some_and(|at| {
        let word = words[at].norm.as_str();
        let is_auxiliary = is_be_form(word) && word != "being" && word != "been"
            || lists().auxiliaries.have_and_do.contains(word)
            || (grammar.word_class(word).has(WordClass::MODAL) && !words[at].is_capitalized)
            || (at == 0
                && grammar.word_class(word).has(WordClass::MODAL)
                && words.get(1).is_some_and(|next| is_pronoun(&next.norm)));
        let next = words.get(at + 1);
        is_auxiliary
            && next.is_some_and(|next| {
                is_pronoun(&next.norm)
                    || next.is_capitalized
                    || grammar.word_class(&next.norm).has(WordClass::DETERMINER)
                    || next.is("not")
            })
            && (has_question_mark || !lists().auxiliaries.not_only_questions.contains(word))
    });
    let has_question_word = first.is_some_and(|at| {
        let word = words[at].norm.as_str();
        lists().questions.words.contains(word)
    });
    (has_question_mark && counts_question_mark)
        || is_inverted
        || (has_question_word && has_question_inversion(&words, first))
}

/// Returns whether a sentence begins like a question with a question word: "Who is …", "where does …".
fn has_question_inversion(words: &[&Token], first: Option<usize>) -> bool {
    let Some(at) = first else { return false };
    lists().questions.inverted.contains(words[at].norm.as_str())
        && words.get(at + 1).is_some_and(|next| {
            is_be_form(&next.norm) || lists().auxiliaries.after_question_words.contains(next.norm.as_str())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_sentences_have_no_cues() {
        let text = "Odo Brandt owns the barge Merrow. Bram owes Odo forty crowns, and he is a member of the \
            Ferrymen\u{2019}s Guild.";
        let english = Language::english();
        assert!(find_cues(&tokenize(text, 0), &english.grammar, |_| false).is_empty());
        assert_eq!(english.sentence_cues(text, |_| false), SentenceCues::default());
    }

    #[test]
    fn cues_of_a_sentence_are_named() {
        let english = Language::english();
        let cues = english.sentence_cues("Maybe Bram used to work for Odo.", |_| false);
        let kinds: Vec<_> = cues.cues.iter().map(|cue| (cue.kind, cue.words.as_str())).collect();
        assert_eq!(kinds, [(CueKind::Hedge, "Maybe"), (CueKind::Past, "used to")]);
        assert!(cues.is_doubtful && !cues.is_question && !cues.addresses_program);
        assert!(english.sentence_cues("Does Bram work for Odo?", |_| false).is_question);
        assert!(english.sentence_cues("If it rains, Bram fears Odo.", |_| false).is_doubtful);
    }
}
