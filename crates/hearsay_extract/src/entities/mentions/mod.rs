//! Finds the names in a sentence and links them to entities.
//!
//! This file defines the types of mentions, and the loop over the tokens of a sentence. The submodules find names of
//! entities of the campaign, in exact and in similar spelling, and new names.

mod known_names;
mod new_names;
mod similar_names;

pub(crate) use new_names::is_same_name;

use crate::{
    entities::lexicon::{Gender, Lexicon, NameType},
    facts::NewEntity,
    language::{
        function_words::{is_be_form, is_pronoun},
        grammar::{Grammar, WordClass},
        kind_set::KindSet,
        word_lists::lists,
    },
    text::tokenizer::{Token, TokenKind},
};

/// Entity to which words refer: an entity of the campaign, or a new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum EntityRef {
    Known(u32),
    New(usize),
}

/// Name in a sentence: the tokens from `start` up to, but not including, `end`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameMention {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) entity: EntityRef,
    pub(crate) name_type: NameType,
    /// Whether the words are only spelt similarly to the name.
    pub(crate) is_fuzzy: bool,
    /// Whether the name can refer to several entities, so that the choice is uncertain.
    pub(crate) is_ambiguous: bool,
}

/// Context that helps to decide to which entity a name refers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    pub(crate) speaker: Option<u32>,
    pub(crate) present: Vec<u32>,
    pub(crate) place: Option<u32>,
    /// Entities that were mentioned recently, the latest first.
    pub(crate) recent: Vec<EntityRef>,
}

/// Names in the text that belong to no known entity, with their properties.
#[derive(Debug, Default)]
pub(crate) struct NewNames {
    pub(crate) entities: Vec<NewEntity>,
    pub(crate) kinds: Vec<KindSet>,
    pub(crate) genders: Vec<Gender>,
    /// Whether a capital letter within a sentence confirmed that the words are a name.
    pub(crate) is_confirmed: Vec<bool>,
}

pub(crate) struct MentionFinder<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) grammar: &'a Grammar,
    pub(crate) scene: &'a Scene,
    pub(crate) text: &'a str,
    /// Whether a character speaks the text, and can therefore address others by name.
    pub(crate) is_speech: bool,
}

impl MentionFinder<'_> {
    /// Returns the names in a sentence, in order. Unknown names are added to `new_names`.
    pub(crate) fn find_names(&self, tokens: &[Token], new_names: &mut NewNames) -> Vec<NameMention> {
        let mut names = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            if Self::is_address_title(tokens, at) {
                at += 1;
                continue;
            }
            let name = self
                .find_known(tokens, at)
                .or_else(|| self.find_player(tokens, at))
                .or_else(|| self.find_title_address(tokens, at))
                .or_else(|| self.find_short_address(tokens, at))
                .or_else(|| self.find_similar(tokens, at))
                .or_else(|| self.find_new(tokens, at, new_names));
            match name {
                Some(name) => {
                    at = name.end;
                    names.push(name);
                }
                None => at += 1,
            }
        }
        names
    }

    /// Returns whether a token is a noun with which people address a person of rank, as in "Her Grace" and "your honour". Such
    /// a noun is no name.
    fn is_address_title(tokens: &[Token], at: usize) -> bool {
        let previous = at.checked_sub(1).map_or("", |at| tokens[at].norm.as_str());
        lists().names.address_titles.contains(&tokens[at].norm)
            && lists().pronouns.possessive_determiners.contains(previous)
    }

    fn word_class(&self, token: &Token) -> WordClass {
        self.grammar.word_class(&token.norm)
    }

    /// Returns whether a token is the first word of its sentence. The capital letter of such a word does not indicate a
    /// name.
    fn is_sentence_start(tokens: &[Token], at: usize) -> bool {
        let previous = tokens[..at]
            .iter()
            .rev()
            .find(|token| token.kind != TokenKind::Punctuation || token.is_punctuation(".!?:\u{2014}"));
        previous.is_none_or(|previous| previous.is_punctuation(".!?:\u{2014}"))
    }
}

/// Returns whether a word ends in a suffix that is rare in names, such as "-ness".
fn has_common_suffix(word: &str) -> bool {
    word.len() > 5 && lists().adjectives.common_suffixes.iter().any(|end| word.ends_with(end))
}
