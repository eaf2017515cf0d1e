//! Shallow grammar that groups tokens into noun groups and verb groups.

use crate::{
    conjugation::Inflections,
    grammar::{Grammar, WordClass},
    mentions::{NameMention, is_be_form, is_pronoun},
    tokenizer::{Token, TokenKind},
};

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
    /// Whether the verb is a base form, which may be a command.
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

/// Derives the base form of a past form that is not in the verb lists, such as "sponged" or "hemmed".
fn guess_base_form(word: &str) -> String {
    let stem = word.strip_suffix("ed").unwrap_or(word);
    let letters: Vec<char> = stem.chars().collect();
    match letters[..] {
        [.., a, b] if a == b && !"lsz".contains(b) => stem[..stem.len() - b.len_utf8()].to_owned(),
        [.., b] if "cgsuvz".contains(b) => format!("{stem}e"),
        _ => stem.to_owned(),
    }
}

const POSSESSIVES: [&str; 7] = ["my", "your", "his", "her", "its", "our", "their"];
const DEMONSTRATIVES: [&str; 14] = [
    "this", "that", "these", "those", "all", "both", "some", "any", "each", "most", "many", "few", "neither", "either",
];

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

    pub(crate) fn word_class(&self, at: usize) -> WordClass {
        self.tokens.get(at).map_or(WordClass::default(), |token| self.grammar.word_class(&token.norm))
    }

    pub(crate) fn norm(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.norm.as_str())
    }

    pub(crate) fn is_name(&self, at: usize) -> bool {
        self.name_at.get(at).is_some_and(Option::is_some)
    }

    pub(crate) fn inflections(&self, at: usize) -> Option<Inflections> {
        let word = self.norm(at);
        let Some(forms) = self.grammar.verb_forms.get(word) else {
            // A past form of a verb that is not in the lists: "fostered".
            let is_regular_past = word.len() > 5
                && word.ends_with("ed")
                && !word.contains('-')
                && !self.is_adjective(at)
                && !self.tokens[at].is_capitalized
                && !matches!(word, "hundred" | "kindred" | "indeed" | "exceed" | "succeed" | "proceed");
            return is_regular_past.then(|| Inflections::PAST.or(Inflections::PARTICIPLE));
        };
        forms.iter().map(|(_, form)| *form).reduce(Inflections::or)
    }

    /// Returns the base form of the verb at a token. If the word belongs to several verbs, the one with the wanted form
    /// is preferred.
    pub(crate) fn lemma(&self, at: usize, inflection: Inflections) -> String {
        let forms = self.grammar.verb_forms.get(self.norm(at)).map_or(&[][..], Vec::as_slice);
        let matching_form = forms.iter().find(|(_, form)| form.has(inflection)).or(forms.first());
        matching_form.map_or_else(|| guess_base_form(self.norm(at)), |(lemma, _)| lemma.clone())
    }

    pub(crate) fn skip_adverbs(&self, mut at: usize) -> usize {
        while at < self.tokens.len() && !self.is_name(at) && (self.is_adverb(at) || self.is_negation(at)) {
            at += 1;
        }
        at
    }

    pub(crate) fn is_adverb(&self, at: usize) -> bool {
        let word = self.norm(at);
        self.tokens.get(at).is_some_and(Token::is_word)
            && !self.is_name(at)
            && (word == "no longer"
                || self.word_class(at).has(WordClass::ADVERB)
                || (word.len() > 4
                    && word.ends_with("ly")
                    && !self.grammar.attribute_adjectives.contains_key(word)
                    && !self.grammar.verb_forms.contains_key(word)
                    && ![
                        "family", "folly", "bully", "belly", "jelly", "rally", "ally", "supply", "reply", "italy",
                        "lily",
                    ]
                    .contains(&word)))
    }

    pub(crate) fn is_negation(&self, at: usize) -> bool {
        matches!(self.norm(at), "not" | "never" | "hardly" | "scarcely") && !self.is_name(at)
    }

    pub(crate) fn is_adjective(&self, at: usize) -> bool {
        let word = self.norm(at);
        self.word_class(at).has(WordClass::ADJECTIVE) || self.grammar.attribute_adjectives.contains_key(word)
    }

    /// Returns whether a word ends a noun group.
    pub(crate) fn is_closed_class(&self, at: usize) -> bool {
        let word = self.norm(at);
        !self.is_name(at)
            && (self.word_class(at).has(WordClass::CLOSED)
                || is_pronoun(word)
                || is_be_form(word)
                || matches!(
                    word,
                    "'s" | "'d"
                        | "has"
                        | "have"
                        | "had"
                        | "does"
                        | "did"
                        | "do"
                        | "okay"
                        | "ok"
                        | "um"
                        | "uh"
                        | "er"
                        | "yes"
                        | "yeah"
                        | "well"
                        | "oh"
                        | "hey"
                        | "nah"
                        | "please"
                ))
    }

    /// Returns whether a word can be part of a noun group.
    pub(crate) fn is_nominal(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        if self.is_name(at) {
            return true;
        }
        // Example: "joined the guild last year"
        let times =
            ["year", "month", "week", "night", "spring", "summer", "autumn", "fall", "winter", "season", "time"];
        if matches!(token.norm.as_str(), "last" | "next")
            && times.contains(&self.norm(at + 1))
            && at > 0
            && self.is_name(at - 1)
        {
            return false;
        }
        match token.kind {
            TokenKind::Number => true,
            TokenKind::Word => {
                !self.is_closed_class(at)
                    && (!self.is_adverb(at) || self.is_adjective(at))
                    && !self.is_verb(at, PrecedingPart::Modifiers)
            }
            _ => false,
        }
    }

    /// Returns whether a word is used as a verb in its context.
    pub(crate) fn is_verb(&self, at: usize, preceding: PrecedingPart) -> bool {
        let Some(form) = self.inflections(at) else { return false };
        let token = &self.tokens[at];
        if self.is_name(at) || !token.is_word() {
            return false;
        }
        // "Father" in "whose father" is a noun. "Went missing" describes a state.
        let previous_word = at.checked_sub(1).map_or("", |at| self.norm(at));
        let is_state = matches!(previous_word, "go" | "goes" | "went" | "gone" | "going") && token.is("missing");
        // Examples: "trust between them", "hands like shovels"
        let next_word = self.norm(at + 1);
        let is_relational = next_word == "between" && form.has(Inflections::BASE);
        let is_body_part = next_word == "like"
            && previous_word == "and"
            && self.grammar.possession_nouns.contains_key(token.norm.as_str());
        if previous_word == "whose" || is_state || is_relational || is_body_part {
            return false;
        }
        if matches!(token.norm.as_str(), "have" | "has" | "had" | "do" | "does" | "did") {
            return true;
        }
        let previous = at.checked_sub(1);
        let is_clause_start = previous.is_none_or(|at| {
            self.tokens[at].kind == TokenKind::Punctuation || matches!(self.tokens[at].kind, TokenKind::Quote(_))
        });
        if token.is_capitalized && !is_clause_start {
            return false;
        }
        match preceding {
            PrecedingPart::Modifiers => false,
            PrecedingPart::Head { plural } => {
                // Example: "hands like shovels"
                if token.is("like") && !previous.is_some_and(|at| self.is_name(at) || is_pronoun(self.norm(at))) {
                    return false;
                }
                if form.has(Inflections::PAST.or(Inflections::PARTICIPLE)) {
                    return true;
                }
                if form.has(Inflections::ING) {
                    return true;
                }
                let next = self.skip_adverbs(at + 1);
                let verb_follows = is_be_form(self.norm(next))
                    || self.word_class(next).has(WordClass::MODAL)
                    || matches!(self.norm(next), "has" | "had" | "does" | "did");
                if form.has(Inflections::THIRD) {
                    // Example: "What Odo wants is the ledger"
                    let is_in_cleft = (1..5).any(|distance| {
                        matches!(at.checked_sub(distance).map(|at| self.norm(at)), Some("what" | "all"))
                    });
                    return !verb_follows || is_in_cleft;
                }
                plural && form.has(Inflections::BASE) && !verb_follows
            }
            PrecedingPart::Nothing => {
                let Some(previous) = previous else {
                    // In "Whispers follow her", the first word is a noun.
                    let next = self.grammar.verb_forms.get(self.norm(at + 1)).is_some_and(|_| !self.is_name(at + 1));
                    return !(form.has(Inflections::THIRD) && next);
                };
                // In "pours drinks", the second word is not a verb, because a verb does not follow another verb.
                if let Some(Chunk::VerbGroup(last)) = self.chunks.items.last()
                    && let Some(last) = self.chunks.verb_groups.get(*last)
                    && last.end == at
                    && !matches!(last.lemma.as_str(), "help" | "let" | "make" | "go" | "come" | "think" | "say")
                {
                    return form.has(Inflections::ING) && !form.has(Inflections::BASE);
                }
                let base_only = form.has(Inflections::BASE) && !form.has(Inflections::PAST);
                // Example: "old, bent and blind"
                let noun_follows = self.grammar.attribute_nouns.contains_key(self.norm(at + 1));
                if self.tokens[previous].is_punctuation(",(") && noun_follows && form.has(Inflections::PARTICIPLE) {
                    // Example: "(halfling, lapsed acrobat)"
                    return false;
                }
                let follows_conjunction =
                    self.tokens[previous].is_punctuation(",") || matches!(self.norm(previous), "and" | "but");
                let is_final = self
                    .tokens
                    .get(at + 1)
                    .is_none_or(|next| !next.is_word() || matches!(next.norm.as_str(), "and" | "but"));
                if follows_conjunction
                    && is_final
                    && !base_only
                    && self.grammar.attribute_adjectives.contains_key(&token.norm)
                {
                    return false;
                }
                // In "a beard like a bush", the preceding noun group already rejected the word as its verb.
                if base_only
                    && let Some(Chunk::NounGroup(last)) = self.chunks.items.last()
                    && self.chunks.noun_groups[*last].end == at
                {
                    return false;
                }
                if token.is("like")
                    && (self.tokens[previous].kind == TokenKind::Punctuation || is_be_form(self.norm(previous)))
                {
                    return false;
                }
                // In "Odo (smith)" and "Odo \u{2014} smith", the word describes Odo and is not a command.
                let follows_name_mark = self.tokens[previous].is_punctuation("(")
                    || (self.tokens[previous].is_punctuation("\u{2014}:")
                        && previous > 0
                        && self.is_name(previous - 1));
                if base_only && follows_name_mark {
                    return false;
                }
                if base_only && self.tokens[previous].is_punctuation(",") {
                    // A command follows the name of the addressee: "Hope, take her down". "Scribe" in "Tessa, scribe,
                    // owes" is not a command.
                    let is_final = self.tokens.get(at + 1).is_none_or(|next| next.is_punctuation(",.;)"));
                    let is_noun = self.grammar.attribute_nouns.contains_key(&token.norm);
                    // Example: "The Traders, led by her, oppose them"
                    let first_noun_group = self.chunks.items.iter().find_map(|item| match item {
                        Chunk::NounGroup(np) => Some(*np),
                        _ => None,
                    });
                    let is_after_apposition = self.tokens[..previous].iter().any(|token| token.is_punctuation(","));
                    if is_after_apposition && first_noun_group.is_some_and(|np| self.has_plural_verb(np, at)) {
                        return true;
                    }
                    return !(is_final && is_noun) && previous > 0 && previous <= 4 && self.is_name(previous - 1);
                }
                let class = self.word_class(previous);
                let word = self.norm(previous);
                if word == "to" {
                    return form.has(Inflections::BASE);
                }
                if self.is_name(previous) {
                    return !form.has(Inflections::BASE) || form.has(Inflections::PAST);
                }
                if class.has(WordClass::PREPOSITION) {
                    return form.has(Inflections::ING);
                }
                if class.has(WordClass::DETERMINER) && !matches!(word, "that" | "all" | "both") {
                    return false;
                }
                if word == "and" || word == "or" {
                    // This can be "works and fears" (verbs) or "hopes and fears" (nouns). The form of the preceding
                    // verb decides later.
                    return true;
                }
                true
            }
        }
    }

    /// Returns whether the word after the name of a group is its plural verb: "the Guild want the ledger", but not "the
    /// Guild captain".
    fn has_plural_verb(&self, np: usize, verb: usize) -> bool {
        let is_group = self.chunks.noun_groups[np]
            .name
            .is_some_and(|name| self.is_group_name.get(name).is_some_and(|crowd| *crowd));
        let word = self.norm(verb);
        let is_noun = self.grammar.attribute_nouns.contains_key(word) || self.grammar.noun_patterns.contains_key(word);
        let next = verb + 1;
        let has_object = self.is_name(next)
            || self.word_class(next).has(WordClass::DETERMINER.or(WordClass::PREPOSITION))
            || is_pronoun(self.norm(next));
        is_group && !is_noun && has_object
    }

    pub(crate) fn is_plural(&self, np: usize) -> bool {
        let np = &self.chunks.noun_groups[np];
        let word = self.norm(np.head);
        // Example: "Tilda and me"
        let is_listed = np.start > 0 && matches!(self.norm(np.start - 1), "and" | "+" | "&");
        if np.is_pronoun {
            return is_listed
                || matches!(
                    word,
                    "i" | "you"
                        | "we"
                        | "they"
                        | "who"
                        | "which"
                        | "these"
                        | "those"
                        | "both"
                        | "all"
                        | "some"
                        | "many"
                        | "few"
                        | "most"
                        | "that"
                );
        }
        let previous_word = np.start.checked_sub(1).map(|at| self.norm(at));
        // Example: "some on the station believe"
        let items = &self.chunks.items;
        if let [.., Chunk::NounGroup(first), Chunk::Token(at), Chunk::NounGroup(last)] = items[..]
            && self.chunks.noun_groups[last].start == np.start
            && self.word_class(at).has(WordClass::PREPOSITION)
            && matches!(
                self.norm(self.chunks.noun_groups[first].head),
                "some" | "many" | "most" | "few" | "several" | "others"
            )
        {
            return true;
        }
        matches!(previous_word, Some("and" | "+" | "&"))
            || (np.name.is_none() && word.ends_with('s') && !word.ends_with("ss"))
            || (np.name.is_some() && self.tokens[np.end - 1].norm.ends_with('s'))
            || matches!(word, "people" | "folk" | "men" | "women" | "children" | "police" | "wolves")
    }

    /// Reads a noun group at a token. Returns its index and the token after it, or `None` if no noun group begins here.
    pub(crate) fn parse_noun_group(&mut self, at: usize) -> Option<(usize, usize)> {
        let word = self.norm(at).to_owned();
        if !self.is_name(at) && is_pronoun(&word) {
            if matches!(word.as_str(), "who" | "whom" | "whose" | "which") {
                return None;
            }
            if POSSESSIVES.contains(&word.as_str()) {
                let next = self.skip_adverbs(at + 1);
                if self.is_nominal(next) && !(word == "her" && self.tokens[next].kind == TokenKind::Number) {
                    let owner = self.push_noun_group(NounGroup {
                        start: at,
                        end: at + 1,
                        head: at,
                        content_start: at,
                        is_pronoun: true,
                        ..NounGroup::default()
                    });
                    return self.parse_nouns(at, at + 1, Some(owner), None).or(Some((owner, at + 1)));
                }
            }
            let np = self.push_noun_group(NounGroup {
                start: at,
                end: at + 1,
                head: at,
                content_start: at,
                is_pronoun: true,
                ..NounGroup::default()
            });
            return Some((np, at + 1));
        }
        let is_floating_quantifier = matches!(word.as_str(), "both" | "all" | "each")
            && matches!(self.chunks.items.last(), Some(Chunk::NounGroup(_)))
            && (self.inflections(at + 1).is_some() || is_be_form(self.norm(at + 1)));
        if is_floating_quantifier {
            return None;
        }
        if word == "that" && self.is_complementizer(at) {
            return None;
        }
        let is_quantifier_subject = matches!(word.as_str(), "some" | "many" | "few" | "most" | "both" | "all")
            && self.inflections(at + 1).is_some_and(|form| form.has(Inflections::PAST.or(Inflections::THIRD)))
            && !self.is_name(at + 1)
            && !self.is_nominal(at + 2);
        if is_quantifier_subject {
            let np = self.push_noun_group(NounGroup {
                start: at,
                end: at + 1,
                head: at,
                content_start: at,
                is_pronoun: true,
                ..NounGroup::default()
            });
            return Some((np, at + 1));
        }
        let mut from = at;
        let mut article = None;
        while !self.is_name(from) && self.word_class(from).has(WordClass::DETERMINER) {
            article = Some(from);
            from += 1;
        }
        // Examples: "both of them", "that is"
        if let Some(article) = article
            && let Some(noun_group) = self.parse_nouns(at, from, None, Some(article))
        {
            return Some(noun_group);
        }
        if article.is_none() {
            return self.parse_nouns(at, at, None, None);
        }
        if DEMONSTRATIVES.contains(&word.as_str()) && from == at + 1 && word != "that" {
            let np = self.push_noun_group(NounGroup {
                start: at,
                end: at + 1,
                head: at,
                content_start: at,
                is_pronoun: true,
                ..NounGroup::default()
            });
            return Some((np, at + 1));
        }
        if word == "that" && from == at + 1 && (is_be_form(self.norm(from)) || self.norm(from) == "'s") {
            let np = self.push_noun_group(NounGroup {
                start: at,
                end: at + 1,
                head: at,
                content_start: at,
                is_pronoun: true,
                ..NounGroup::default()
            });
            return Some((np, at + 1));
        }
        None
    }

    /// Returns whether "that" begins a clause: "said that Odo left", "the lamp that started it".
    fn is_complementizer(&self, at: usize) -> bool {
        let next = at + 1;
        let class = self.word_class(next);
        let clause = self.is_name(next)
            || class.has(WordClass::DETERMINER)
            || (is_pronoun(self.norm(next)) && self.norm(next) != "it")
            || self.norm(next) == "it";
        match self.chunks.items.last() {
            Some(Chunk::VerbGroup(last)) => {
                let properties = self.grammar.verb_properties(&self.chunks.verb_groups[*last].lemma);
                clause || properties.is_speech || properties.is_thought || properties.is_factive
            }
            Some(Chunk::NounGroup(_)) => {
                clause || self.inflections(next).is_some() || is_be_form(self.norm(next)) || class.has(WordClass::MODAL)
            }
            _ => clause,
        }
    }

    pub(crate) fn push_noun_group(&mut self, np: NounGroup) -> usize {
        self.chunks.noun_groups.push(np);
        self.chunks.noun_groups.len() - 1
    }

    /// Reads the nouns of a group from the token `from`, and then any nouns that this group owns. Returns the index of
    /// the last group and the token after it.
    pub(crate) fn parse_nouns(
        &mut self,
        start: usize,
        from: usize,
        owner: Option<usize>,
        article: Option<usize>,
    ) -> Option<(usize, usize)> {
        let mut at = from;
        let mut name = None;
        let mut head = None;
        let mut has_noun_after_name = false;
        let mut role = None;
        let mut only_adjectives = true;
        while at < self.tokens.len() {
            if let Some(index) = self.name_at[at] {
                let mention = self.names[index];
                if name.is_some() {
                    break;
                }
                if let Some(head) = head {
                    // In "In Rusk's opinion Tessa", "opinion" does not describe Tessa.
                    let follows_preposition =
                        start > 0 && self.word_class(start - 1).has(WordClass::PREPOSITION) && !self.is_name(start - 1);
                    if !self.is_role(head) && (owner.is_some() || article.is_none() || follows_preposition) {
                        break;
                    }
                    role = Some((from, at));
                }
                (name, head) = (Some(index), Some(mention.start));
                at = mention.end;
                only_adjectives = false;
                continue;
            }
            let token = &self.tokens[at];
            // Example: "a smoky, crowded place"
            if token.is_punctuation(",")
                && head.is_some_and(|head| head + 1 == at && self.is_adjective(head))
                && article.is_some()
                && name.is_none()
                && self.is_adjective(at + 1)
                && (self.is_adjective(at + 2) || self.is_nominal(at + 2))
                && !self.is_name(at + 1)
            {
                at += 1;
                continue;
            }
            // Example: "a proud and cruel man"
            if token.is("and")
                && head.is_some_and(|head| head + 1 == at && self.is_adjective(head))
                && article.is_some()
                && name.is_none()
                && self.is_adjective(at + 1)
                && self.is_nominal(at + 2)
                && !self.is_name(at + 2)
                && !self.is_name(at + 1)
            {
                at += 1;
                continue;
            }
            let continues_group = match token.kind {
                TokenKind::Number => name.is_none(),
                TokenKind::Word => {
                    !self.is_closed_class(at)
                        && (head.is_none() || !self.is_adverb(at) || self.is_adjective(at))
                        && !(head.is_some()
                            && self.is_verb_after(
                                at,
                                name.is_some(),
                                (start, from),
                                owner.is_some() || article.is_some(),
                            ))
                }
                _ => false,
            };
            if !continues_group {
                break;
            }
            if head.is_none()
                && article.is_none()
                && owner.is_none()
                && (self.is_adverb(at) || self.is_verb(at, PrecedingPart::Nothing))
                && !self.is_adjective(at)
            {
                break;
            }
            if name.is_some() {
                // "Salt Quay ferryman", but "Bram dead".
                let is_time_word = matches!(
                    token.norm.as_str(),
                    "years"
                        | "year"
                        | "months"
                        | "weeks"
                        | "days"
                        | "nights"
                        | "winters"
                        | "summers"
                        | "times"
                        | "last"
                );
                if is_time_word
                    || self.is_adjective(at)
                    || self.is_adverb(at)
                    || token.is_capitalized
                    || self.word_class(at).has(WordClass::NUMBER)
                {
                    break;
                }
                has_noun_after_name = true;
            }
            only_adjectives &= self.is_adjective(at) || self.is_adverb(at);
            if !self.is_adverb(at) || self.is_adjective(at) {
                head = Some(at);
            } else if head.is_none() && !self.is_nominal_ahead(at + 1) {
                break;
            }
            at += 1;
        }
        let head = head?;
        let end = at;
        if only_adjectives && article.is_none() && owner.is_none() && !self.is_possessive(end) {
            return None;
        }
        let mut np =
            NounGroup { start, end, head, name, owner, role, content_start: from, article, ..NounGroup::default() };
        if has_noun_after_name {
            // The name is the owner of the noun: "Lantern Club members".
            let index = name?;
            let mention = self.names[index];
            let owner_group = self.push_noun_group(NounGroup {
                start: mention.start,
                end: mention.end,
                head: mention.start,
                name: Some(index),
                content_start: mention.start,
                ..NounGroup::default()
            });
            np = NounGroup {
                name: None,
                role: None,
                owner: Some(owner_group),
                owner_is_name: true,
                content_start: mention.end,
                ..np
            };
        }
        let index = self.push_noun_group(np);
        if self.is_possessive(end) {
            let after_possessive = end + 1;
            return match self.parse_nouns(start, after_possessive, Some(index), None) {
                Some(noun_group) => Some(noun_group),
                None => {
                    let owner_only = NounGroup {
                        start,
                        end: after_possessive,
                        head: end,
                        content_start: end,
                        owner: Some(index),
                        is_owner_only: true,
                        ..NounGroup::default()
                    };
                    Some((self.push_noun_group(owner_only), after_possessive))
                }
            };
        }
        Some((index, end))
    }

    /// Returns whether a noun can describe the name after it: "her brother Pell".
    fn is_role(&self, at: usize) -> bool {
        let word = self.norm(at);
        let of_people = WordClass::TITLE
            .or(WordClass::NUMBER)
            .or(WordClass::LIGHT_NOUN)
            .or(WordClass::MALE)
            .or(WordClass::FEMALE)
            .or(WordClass::ADJECTIVE);
        let of_things = WordClass::GROUP_NOUN.or(WordClass::PLACE_NOUN).or(WordClass::THING_NOUN);
        self.word_class(at).has(of_people.or(of_things))
            || self.grammar.noun_patterns.contains_key(word)
            || self.grammar.attribute_nouns.contains_key(word)
            || self.grammar.attribute_adjectives.contains_key(word)
            || self
                .grammar
                .attribute_noun_suffixes
                .iter()
                .any(|(end, _)| word.len() > end.len() + 2 && word.ends_with(end.as_str()))
    }

    pub(crate) fn is_nominal_ahead(&self, at: usize) -> bool {
        let at = self.skip_adverbs(at);
        self.is_nominal(at)
    }

    /// Returns whether a word after the first noun of a group is the verb of the group.
    pub(crate) fn is_verb_after(
        &self,
        at: usize,
        has_name: bool,
        (start, from): (usize, usize),
        is_determined: bool,
    ) -> bool {
        let Some(form) = self.inflections(at) else { return false };
        if has_name {
            let is_listed = start > 0 && matches!(self.norm(start - 1), "and" | "+" | "&");
            return self.is_verb(at, PrecedingPart::Head { plural: is_listed || self.norm(at - 1).ends_with('s') });
        }
        // A verb must follow a noun: "the wounded guard left" and "the smith works", but not "his sworn word".
        let previous = at - 1;
        let previous_is_noun = previous >= from
            && !self.is_adjective(previous)
            && self.tokens[previous].kind == TokenKind::Word
            && !(self.inflections(previous).is_some_and(|form| form.has(Inflections::PARTICIPLE.or(Inflections::ING)))
                && previous == from
                && is_determined);
        if !previous_is_noun {
            return false;
        }
        if is_determined
            && self.norm(at + 1) == "of"
            && (self.grammar.noun_patterns.contains_key(self.norm(at))
                || self.grammar.possession_nouns.contains_key(self.norm(at)))
        {
            return false;
        }
        // Example: "fifty crowns"
        let is_counted =
            self.tokens[previous].kind == TokenKind::Number || self.word_class(previous).has(WordClass::NUMBER);
        if is_counted && form.has(Inflections::THIRD) && self.norm(previous) != "one" {
            return false;
        }
        let word = self.norm(previous);
        let is_plural = word.ends_with('s') && !word.ends_with("ss")
            || matches!(word, "people" | "folk" | "men" | "women" | "children");
        if form.has(Inflections::ING) && !form.has(Inflections::BASE) {
            return !self.grammar.noun_patterns.contains_key(self.norm(at));
        }
        self.is_verb(at, PrecedingPart::Head { plural: is_plural })
    }

    /// Returns whether the noun group before a token follows a form of "be".
    fn follows_copula(&self, at: usize) -> bool {
        let is_after_copula =
            matches!(self.chunks.items.last(), Some(Chunk::VerbGroup(vg)) if self.chunks.verb_groups[*vg].is_copula);
        let from = match self.chunks.items.last() {
            Some(Chunk::VerbGroup(vg)) => self.chunks.verb_groups[*vg].end,
            _ => return false,
        };
        is_after_copula
            && self.is_name(at - 1)
            && (from..at).all(|at| self.is_name(at) || self.word_class(at).has(WordClass::DETERMINER))
    }

    fn is_verb_form(&self, at: usize) -> bool {
        self.inflections(at)
            .is_some_and(|form| form.has(Inflections::ING.or(Inflections::PARTICIPLE).or(Inflections::PAST)))
    }

    /// Returns whether a token is the possessive `'s` or `'`, and not a short form of "is".
    pub(crate) fn is_possessive(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        if token.is("'") && token.is_attached && at > 0 && self.tokens[at - 1].norm.ends_with('s') {
            return self.is_nominal(at + 1);
        }
        if !token.is("'s") {
            return false;
        }
        let previous = at.checked_sub(1).map_or("", |at| self.norm(at));
        if is_pronoun(previous)
            || matches!(previous, "that" | "this" | "here" | "there" | "what" | "where" | "how" | "let" | "who" | "now")
        {
            return false;
        }
        let next = at + 1;
        // Example: "Finn's my cousin"
        if POSSESSIVES.contains(&self.norm(next)) {
            return false;
        }
        // Example: "was the Landlord's doing"
        if self.norm(next) == "doing" && self.follows_copula(at) {
            return true;
        }
        // Example: "the Kestrel is Ilvane's now"
        if self.follows_copula(at) && (self.is_adverb(next) || !self.is_nominal(next)) && !self.is_verb_form(next) {
            return true;
        }
        if self.is_name(next) {
            // "Orm's Thrand's kid" means "Orm is Thrand's kid".
            let end = self.name_at[next].map_or(next, |name| self.names[name].end);
            if at > 0 && self.is_name(at - 1) && self.norm(end) == "'s" && self.is_nominal(end + 1) {
                return false;
            }
            // "Her brother's Tob" means "her brother is Tob".
            return !self.grammar.noun_patterns.contains_key(previous)
                && !self.grammar.attribute_labels.contains_key(previous);
        }
        let Some(after) = self.tokens.get(next) else { return true };
        if after.kind == TokenKind::Punctuation {
            return !after.is_punctuation(",")
                || self.tokens.get(next + 1).is_none_or(|token| {
                    !token.is_word() || self.is_closed_class(next + 1) || self.inflections(next + 1).is_some()
                });
        }
        if matches!(self.norm(next), "very" | "own") {
            return true;
        }
        if self.is_closed_class(next) || self.is_adverb(next) {
            return self.is_adverb(next)
                && self.is_nominal_ahead(next + 1)
                && self.word_class(next).has(WordClass::ADJECTIVE);
        }
        let is_numeral = |word: &str| word.split('-').all(|part| self.grammar.word_class(part).has(WordClass::NUMBER));
        if after.kind == TokenKind::Number || is_numeral(self.norm(next)) {
            return self.is_nominal(next + 1) && !matches!(self.norm(next + 1), "years" | "year");
        }
        let noun_follows = {
            let second_next = next + 1;
            let word = self.norm(second_next);
            let is_known_noun = self.grammar.attribute_labels.contains_key(word)
                || self.grammar.possession_nouns.contains_key(word)
                || self.grammar.noun_patterns.contains_key(word)
                || self.grammar.attribute_nouns.contains_key(word);
            self.is_nominal(second_next)
                && (self.inflections(second_next).is_none() || self.is_name(second_next) || is_known_noun)
        };
        if self.grammar.attribute_adjectives.contains_key(self.norm(next))
            && !self.grammar.noun_patterns.contains_key(self.norm(next))
        {
            // Example: "Maud's scared stiff of him"
            if self.word_class(next + 2).has(WordClass::PREPOSITION)
                && self.grammar.attribute_adjectives.contains_key(self.norm(next + 1))
            {
                return false;
            }
            return self.is_nominal(next + 1);
        }
        if matches!(self.norm(next), "very" | "own") {
            return true;
        }
        if let Some(form) = self.inflections(next) {
            if form.has(Inflections::PAST.or(Inflections::PARTICIPLE).or(Inflections::ING))
                && self.is_name(next + 1)
                && !form.has(Inflections::BASE)
            {
                return false;
            }
            if form.has(Inflections::PAST) && !form.has(Inflections::BASE) {
                return noun_follows;
            }
            if form.has(Inflections::ING) && !form.has(Inflections::BASE) {
                return noun_follows
                    && self
                        .word_class(next + 1)
                        .has(WordClass::THING_NOUN.or(WordClass::GROUP_NOUN).or(WordClass::PLACE_NOUN));
            }
            if form.has(Inflections::PARTICIPLE) && !form.has(Inflections::BASE) {
                return noun_follows;
            }
            return true;
        }
        if self.is_adjective(next) && !self.grammar.noun_patterns.contains_key(self.norm(next)) {
            return noun_follows;
        }
        true
    }
}
