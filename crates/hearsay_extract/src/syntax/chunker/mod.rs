//! Shallow grammar that groups tokens into noun groups and verb groups.
//!
//! This file defines the types of groups, and the loop over the tokens of a sentence. The submodules classify words,
//! decide whether a word is a verb, and read noun groups. Verb groups are read in [`verb_groups`](crate::syntax::verb_groups).

mod noun_groups;
mod possessive_marker;
mod verb_recognition;
mod word_classes;

use crate::{entities::mentions::NameMention, language::grammar::Grammar, text::tokenizer::Token};

/// Noun group, such as "Mirela's youngest brother Pell", "the old ferryman" or "she".
#[derive(Debug, Clone, Default)]
pub(crate) struct NounGroup {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The token of the last noun of the group.
    pub(crate) head: usize,
    pub(crate) name: Option<usize>,
    /// Index of the noun group that owns this group: a group before `'s`, or a possessive pronoun.
    pub(crate) owner: Option<usize>,
    /// Whether the owner is a name directly before the noun: "Lantern Club members".
    pub(crate) owner_is_name: bool,
    /// Range of the tokens before a name that describe the named entity: "brother" in "her brother Pell".
    pub(crate) role: Option<(usize, usize)>,
    /// The first token after articles and owners.
    pub(crate) content_start: usize,
    pub(crate) article: Option<usize>,
    pub(crate) is_pronoun: bool,
    /// Whether the group consists only of an owner: "Ilvane's" without a noun.
    pub(crate) is_owner_only: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum VerbForm {
    #[default]
    Finite,
    Infinitive,
    Ing,
    Participle,
}

/// Verb group, such as "would never have been told".
#[derive(Debug, Clone, Default)]
pub(crate) struct VerbGroup {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The token of the main verb.
    pub(crate) head: usize,
    pub(crate) lemma: String,
    pub(crate) form: VerbForm,
    pub(crate) is_passive: bool,
    pub(crate) is_progressive: bool,
    pub(crate) is_perfect: bool,
    pub(crate) is_past: bool,
    pub(crate) is_negated: bool,
    pub(crate) has_never: bool,
    pub(crate) modal: Option<String>,
    pub(crate) has_used_to: bool,
    pub(crate) has_going_to: bool,
    pub(crate) is_copula: bool,
    /// Whether the verb is omitted in the text: "Bram dead."
    pub(crate) is_omitted: bool,
    /// Whether the verb is a base form, which can be a command.
    pub(crate) is_base_form: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chunk {
    NounGroup(usize),
    VerbGroup(usize),
    Token(usize),
}

/// The noun groups, verb groups and other tokens of a sentence.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    pub(crate) items: Vec<Chunk>,
    pub(crate) noun_groups: Vec<NounGroup>,
    pub(crate) verb_groups: Vec<VerbGroup>,
}

/// The part of a noun group that was read before the current token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrecedingPart {
    Nothing,
    Modifiers,
    Head { plural: bool },
}

pub(crate) struct Chunker<'a> {
    pub(crate) tokens: &'a [Token],
    pub(crate) names: &'a [NameMention],
    /// For each name, whether it is the name of a group of people. Such a name can have a plural verb: "the Guild want
    /// it".
    pub(crate) is_group_name: Vec<bool>,
    /// For each token, the index of the name that the token belongs to.
    pub(crate) name_at: Vec<Option<usize>>,
    pub(crate) grammar: &'a Grammar,
    pub(crate) chunks: Chunks,
}

impl<'a> Chunker<'a> {
    pub(crate) fn new(
        tokens: &'a [Token],
        names: &'a [NameMention],
        is_group_name: Vec<bool>,
        grammar: &'a Grammar,
    ) -> Self {
        let mut name_at = vec![None; tokens.len()];
        for (index, name) in names.iter().enumerate() {
            name_at[name.start..name.end].fill(Some(index));
        }
        Self { tokens, names, is_group_name, name_at, grammar, chunks: Chunks::default() }
    }

    pub(crate) fn chunk(mut self) -> Chunks {
        let mut at = 0;
        while at < self.tokens.len() {
            if let Some((vg, next)) = self.parse_verb_group(at, PrecedingPart::Nothing) {
                self.chunks.items.push(Chunk::VerbGroup(self.chunks.verb_groups.len()));
                self.chunks.verb_groups.push(vg);
                at = next;
            } else if let Some((np, next)) = self.parse_noun_group(at) {
                self.chunks.items.push(Chunk::NounGroup(np));
                at = next;
                // The word after a noun group may be its verb.
                let plural = self.is_plural(np) || self.has_plural_verb(np, at);
                if at < self.tokens.len()
                    && let Some((vg, next)) = self.parse_verb_group(at, PrecedingPart::Head { plural })
                {
                    self.chunks.items.push(Chunk::VerbGroup(self.chunks.verb_groups.len()));
                    self.chunks.verb_groups.push(vg);
                    at = next;
                }
            } else {
                self.chunks.items.push(Chunk::Token(at));
                at += 1;
            }
        }
        self.chunks
    }
}
