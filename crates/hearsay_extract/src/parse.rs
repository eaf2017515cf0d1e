//! Shallow grammar that groups tokens into noun groups and verb groups.

use crate::{
    grammar::{Class, Grammar},
    mentions::{Name, be_form, is_pronoun},
    token::{Sort, Token},
    verbs::Form,
};

/// Noun group, such as "Mirela's youngest brother Pell", "the old ferryman" or "she".
#[derive(Debug, Clone, Default)]
pub(crate) struct Np {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The token of the last noun of the group.
    pub(crate) head: usize,
    pub(crate) name: Option<usize>,
    /// Index of the noun group that owns this group: a group before `'s`, or a possessive pronoun.
    pub(crate) owner: Option<usize>,
    /// Whether the owner is a name directly before the noun: "Lantern Club members".
    pub(crate) by_name: bool,
    /// Range of the tokens before a name that describe the named entity: "brother" in "her brother Pell".
    pub(crate) role: Option<(usize, usize)>,
    /// The first token after articles and owners.
    pub(crate) content: usize,
    pub(crate) article: Option<usize>,
    pub(crate) pronoun: bool,
    /// Whether the group consists only of an owner: "Ilvane's" without a noun.
    pub(crate) bare_owner: bool,
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
pub(crate) struct Vg {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The token of the main verb.
    pub(crate) head: usize,
    pub(crate) lemma: String,
    pub(crate) form: VerbForm,
    pub(crate) passive: bool,
    pub(crate) progressive: bool,
    pub(crate) perfect: bool,
    pub(crate) past: bool,
    pub(crate) negated: bool,
    pub(crate) never: bool,
    pub(crate) modal: Option<String>,
    pub(crate) used_to: bool,
    pub(crate) going_to: bool,
    pub(crate) copula: bool,
    /// Whether the verb is omitted in the text: "Bram dead."
    pub(crate) silent: bool,
    /// Whether the verb is a base form, which may be a command.
    pub(crate) base: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Item {
    Np(usize),
    Vg(usize),
    Tok(usize),
}

/// The noun groups, verb groups and other tokens of a sentence.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    pub(crate) items: Vec<Item>,
    pub(crate) nps: Vec<Np>,
    pub(crate) vgs: Vec<Vg>,
}

/// The part of a noun group that was read before the current token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    Nothing,
    Modifiers,
    Head { plural: bool },
}

pub(crate) struct Parser<'a> {
    pub(crate) tokens: &'a [Token],
    pub(crate) names: &'a [Name],
    /// For each name, whether it is the name of a group of people. Such a name can have a plural verb: "the Guild want
    /// it".
    pub(crate) crowds: Vec<bool>,
    /// For each token, the index of the name that the token belongs to.
    pub(crate) name_at: Vec<Option<usize>>,
    pub(crate) grammar: &'a Grammar,
    pub(crate) groups: Groups,
}

/// Derives the base form of a past form that is not in the verb lists, such as "sponged" or "hemmed".
fn base_of(word: &str) -> String {
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

impl<'a> Parser<'a> {
    pub(crate) fn new(tokens: &'a [Token], names: &'a [Name], crowds: Vec<bool>, grammar: &'a Grammar) -> Self {
        let mut name_at = vec![None; tokens.len()];
        for (index, name) in names.iter().enumerate() {
            name_at[name.start..name.end].fill(Some(index));
        }
        Self { tokens, names, crowds, name_at, grammar, groups: Groups::default() }
    }

    pub(crate) fn groups(mut self) -> Groups {
        let mut at = 0;
        while at < self.tokens.len() {
            if let Some((vg, next)) = self.verb_group(at, Within::Nothing) {
                self.groups.items.push(Item::Vg(self.groups.vgs.len()));
                self.groups.vgs.push(vg);
                at = next;
            } else if let Some((np, next)) = self.noun_group(at) {
                self.groups.items.push(Item::Np(np));
                at = next;
                // The word after a noun group may be its verb.
                let plural = self.is_plural(np) || self.acts_together(np, at);
                if at < self.tokens.len()
                    && let Some((vg, next)) = self.verb_group(at, Within::Head { plural })
                {
                    self.groups.items.push(Item::Vg(self.groups.vgs.len()));
                    self.groups.vgs.push(vg);
                    at = next;
                }
            } else {
                self.groups.items.push(Item::Tok(at));
                at += 1;
            }
        }
        self.groups
    }

    pub(crate) fn class(&self, at: usize) -> Class {
        self.tokens.get(at).map_or(Class::default(), |token| self.grammar.class(&token.norm))
    }

    pub(crate) fn norm(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.norm.as_str())
    }

    pub(crate) fn is_name(&self, at: usize) -> bool {
        self.name_at.get(at).is_some_and(Option::is_some)
    }

    pub(crate) fn form(&self, at: usize) -> Option<Form> {
        let word = self.norm(at);
        let Some(forms) = self.grammar.forms.get(word) else {
            // A past form of a verb that is not in the lists: "fostered".
            let plain = word.len() > 5
                && word.ends_with("ed")
                && !word.contains('-')
                && !self.is_adjective(at)
                && !self.tokens[at].capital
                && !matches!(word, "hundred" | "kindred" | "indeed" | "exceed" | "succeed" | "proceed");
            return plain.then(|| Form::PAST.or(Form::PARTICIPLE));
        };
        forms.iter().map(|(_, form)| *form).reduce(Form::or)
    }

    /// Returns the base form of the verb at a token. If the word belongs to several verbs, the one with the wanted form
    /// is preferred.
    pub(crate) fn lemma(&self, at: usize, wanted: Form) -> String {
        let forms = self.grammar.forms.get(self.norm(at)).map_or(&[][..], Vec::as_slice);
        let found = forms.iter().find(|(_, form)| form.has(wanted)).or(forms.first());
        found.map_or_else(|| base_of(self.norm(at)), |(lemma, _)| lemma.clone())
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
                || self.class(at).has(Class::ADVERB)
                || (word.len() > 4
                    && word.ends_with("ly")
                    && !self.grammar.adjectives.contains_key(word)
                    && !self.grammar.forms.contains_key(word)
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
        self.class(at).has(Class::ADJECTIVE) || self.grammar.adjectives.contains_key(word)
    }

    /// Returns whether a word ends a noun group.
    pub(crate) fn is_closed(&self, at: usize) -> bool {
        let word = self.norm(at);
        !self.is_name(at)
            && (self.class(at).has(Class::CLOSED)
                || is_pronoun(word)
                || be_form(word)
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
    pub(crate) fn is_nounish(&self, at: usize) -> bool {
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
        match token.sort {
            Sort::Number => true,
            Sort::Word => {
                !self.is_closed(at)
                    && (!self.is_adverb(at) || self.is_adjective(at))
                    && !self.is_verb(at, Within::Modifiers)
            }
            _ => false,
        }
    }

    /// Returns whether a word is used as a verb in its context.
    pub(crate) fn is_verb(&self, at: usize, within: Within) -> bool {
        let Some(form) = self.form(at) else { return false };
        let token = &self.tokens[at];
        if self.is_name(at) || !token.is_word() {
            return false;
        }
        // "Father" in "whose father" is a noun. "Went missing" describes a state.
        let before = at.checked_sub(1).map_or("", |at| self.norm(at));
        let state = matches!(before, "go" | "goes" | "went" | "gone" | "going") && token.is("missing");
        // Examples: "trust between them", "hands like shovels"
        let after = self.norm(at + 1);
        let tie = after == "between" && form.has(Form::BASE);
        let part = after == "like" && before == "and" && self.grammar.has.contains_key(token.norm.as_str());
        if before == "whose" || state || tie || part {
            return false;
        }
        if matches!(token.norm.as_str(), "have" | "has" | "had" | "do" | "does" | "did") {
            return true;
        }
        let previous = at.checked_sub(1);
        let opens = previous
            .is_none_or(|at| self.tokens[at].sort == Sort::Mark || matches!(self.tokens[at].sort, Sort::Quote(_)));
        if token.capital && !opens {
            return false;
        }
        match within {
            Within::Modifiers => false,
            Within::Head { plural } => {
                // Example: "hands like shovels"
                if token.is("like") && !previous.is_some_and(|at| self.is_name(at) || is_pronoun(self.norm(at))) {
                    return false;
                }
                if form.has(Form::PAST.or(Form::PARTICIPLE)) {
                    return true;
                }
                if form.has(Form::ING) {
                    return true;
                }
                let next = self.skip_adverbs(at + 1);
                let verb_follows = be_form(self.norm(next))
                    || self.class(next).has(Class::MODAL)
                    || matches!(self.norm(next), "has" | "had" | "does" | "did");
                if form.has(Form::THIRD) {
                    // Example: "What Odo wants is the ledger"
                    let clefted =
                        (1..5).any(|back| matches!(at.checked_sub(back).map(|at| self.norm(at)), Some("what" | "all")));
                    return !verb_follows || clefted;
                }
                plural && form.has(Form::BASE) && !verb_follows
            }
            Within::Nothing => {
                let Some(previous) = previous else {
                    // In "Whispers follow her", the first word is a noun.
                    let next = self.grammar.forms.get(self.norm(at + 1)).is_some_and(|_| !self.is_name(at + 1));
                    return !(form.has(Form::THIRD) && next);
                };
                // In "pours drinks", the second word is not a verb, because a verb does not follow another verb.
                if let Some(Item::Vg(last)) = self.groups.items.last()
                    && let Some(last) = self.groups.vgs.get(*last)
                    && last.end == at
                    && !matches!(last.lemma.as_str(), "help" | "let" | "make" | "go" | "come" | "think" | "say")
                {
                    return form.has(Form::ING) && !form.has(Form::BASE);
                }
                let base_only = form.has(Form::BASE) && !form.has(Form::PAST);
                // Example: "old, bent and blind"
                let noun = self.grammar.kinds_of.contains_key(self.norm(at + 1));
                if self.tokens[previous].is_mark(",(") && noun && form.has(Form::PARTICIPLE) {
                    // Example: "(halfling, lapsed acrobat)"
                    return false;
                }
                let joined = self.tokens[previous].is_mark(",") || matches!(self.norm(previous), "and" | "but");
                let ends = self
                    .tokens
                    .get(at + 1)
                    .is_none_or(|next| !next.is_word() || matches!(next.norm.as_str(), "and" | "but"));
                if joined && ends && !base_only && self.grammar.adjectives.contains_key(&token.norm) {
                    return false;
                }
                // In "a beard like a bush", the preceding noun group already rejected the word as its verb.
                if base_only
                    && let Some(Item::Np(last)) = self.groups.items.last()
                    && self.groups.nps[*last].end == at
                {
                    return false;
                }
                if token.is("like") && (self.tokens[previous].sort == Sort::Mark || be_form(self.norm(previous))) {
                    return false;
                }
                // In "Odo (smith)" and "Odo \u{2014} smith", the word describes Odo and is not a command.
                let noted = self.tokens[previous].is_mark("(")
                    || (self.tokens[previous].is_mark("\u{2014}:") && previous > 0 && self.is_name(previous - 1));
                if base_only && noted {
                    return false;
                }
                if base_only && self.tokens[previous].is_mark(",") {
                    // A command follows the name of the addressee: "Hope, take her down". "Scribe" in "Tessa, scribe,
                    // owes" is not a command.
                    let ends = self.tokens.get(at + 1).is_none_or(|next| next.is_mark(",.;)"));
                    let noun = self.grammar.kinds_of.contains_key(&token.norm);
                    // Example: "The Traders, led by her, oppose them"
                    let first = self.groups.items.iter().find_map(|item| match item {
                        Item::Np(np) => Some(*np),
                        _ => None,
                    });
                    let aside = self.tokens[..previous].iter().any(|token| token.is_mark(","));
                    if aside && first.is_some_and(|np| self.acts_together(np, at)) {
                        return true;
                    }
                    return !(ends && noun) && previous > 0 && previous <= 4 && self.is_name(previous - 1);
                }
                let class = self.class(previous);
                let word = self.norm(previous);
                if word == "to" {
                    return form.has(Form::BASE);
                }
                if self.is_name(previous) {
                    return !form.has(Form::BASE) || form.has(Form::PAST);
                }
                if class.has(Class::PREPOSITION) {
                    return form.has(Form::ING);
                }
                if class.has(Class::DETERMINER) && !matches!(word, "that" | "all" | "both") {
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
    fn acts_together(&self, np: usize, verb: usize) -> bool {
        let named = self.groups.nps[np].name.is_some_and(|name| self.crowds.get(name).is_some_and(|crowd| *crowd));
        let word = self.norm(verb);
        let noun = self.grammar.kinds_of.contains_key(word) || self.grammar.nouns.contains_key(word);
        let next = verb + 1;
        let goes_on = self.is_name(next)
            || self.class(next).has(Class::DETERMINER.or(Class::PREPOSITION))
            || is_pronoun(self.norm(next));
        named && !noun && goes_on
    }

    pub(crate) fn is_plural(&self, np: usize) -> bool {
        let np = &self.groups.nps[np];
        let word = self.norm(np.head);
        // Example: "Tilda and me"
        let listed = np.start > 0 && matches!(self.norm(np.start - 1), "and" | "+" | "&");
        if np.pronoun {
            return listed
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
        let before = np.start.checked_sub(1).map(|at| self.norm(at));
        // Example: "some on the station believe"
        let items = &self.groups.items;
        if let [.., Item::Np(first), Item::Tok(at), Item::Np(last)] = items[..]
            && self.groups.nps[last].start == np.start
            && self.class(at).has(Class::PREPOSITION)
            && matches!(self.norm(self.groups.nps[first].head), "some" | "many" | "most" | "few" | "several" | "others")
        {
            return true;
        }
        matches!(before, Some("and" | "+" | "&"))
            || (np.name.is_none() && word.ends_with('s') && !word.ends_with("ss"))
            || (np.name.is_some() && self.tokens[np.end - 1].norm.ends_with('s'))
            || matches!(word, "people" | "folk" | "men" | "women" | "children" | "police" | "wolves")
    }

    /// Reads a noun group at a token. Returns its index and the token after it, or `None` if no noun group begins here.
    pub(crate) fn noun_group(&mut self, at: usize) -> Option<(usize, usize)> {
        let word = self.norm(at).to_owned();
        if !self.is_name(at) && is_pronoun(&word) {
            if matches!(word.as_str(), "who" | "whom" | "whose" | "which") {
                return None;
            }
            if POSSESSIVES.contains(&word.as_str()) {
                let next = self.skip_adverbs(at + 1);
                if self.is_nounish(next) && !(word == "her" && self.tokens[next].sort == Sort::Number) {
                    let owner =
                        self.push(Np { start: at, end: at + 1, head: at, content: at, pronoun: true, ..Np::default() });
                    return self.content(at, at + 1, Some(owner), None).or(Some((owner, at + 1)));
                }
            }
            let np = self.push(Np { start: at, end: at + 1, head: at, content: at, pronoun: true, ..Np::default() });
            return Some((np, at + 1));
        }
        let floats = matches!(word.as_str(), "both" | "all" | "each")
            && matches!(self.groups.items.last(), Some(Item::Np(_)))
            && (self.form(at + 1).is_some() || be_form(self.norm(at + 1)));
        if floats {
            return None;
        }
        if word == "that" && self.is_conjunction(at) {
            return None;
        }
        let some = matches!(word.as_str(), "some" | "many" | "few" | "most" | "both" | "all")
            && self.form(at + 1).is_some_and(|form| form.has(Form::PAST.or(Form::THIRD)))
            && !self.is_name(at + 1)
            && !self.is_nounish(at + 2);
        if some {
            let np = self.push(Np { start: at, end: at + 1, head: at, content: at, pronoun: true, ..Np::default() });
            return Some((np, at + 1));
        }
        let mut from = at;
        let mut article = None;
        while !self.is_name(from) && self.class(from).has(Class::DETERMINER) {
            article = Some(from);
            from += 1;
        }
        // Examples: "both of them", "that is"
        if let Some(article) = article
            && let Some(found) = self.content(at, from, None, Some(article))
        {
            return Some(found);
        }
        if article.is_none() {
            return self.content(at, at, None, None);
        }
        if DEMONSTRATIVES.contains(&word.as_str()) && from == at + 1 && word != "that" {
            let np = self.push(Np { start: at, end: at + 1, head: at, content: at, pronoun: true, ..Np::default() });
            return Some((np, at + 1));
        }
        if word == "that" && from == at + 1 && (be_form(self.norm(from)) || self.norm(from) == "'s") {
            let np = self.push(Np { start: at, end: at + 1, head: at, content: at, pronoun: true, ..Np::default() });
            return Some((np, at + 1));
        }
        None
    }

    /// Returns whether "that" begins a clause: "said that Odo left", "the lamp that started it".
    fn is_conjunction(&self, at: usize) -> bool {
        let next = at + 1;
        let class = self.class(next);
        let clause = self.is_name(next)
            || class.has(Class::DETERMINER)
            || (is_pronoun(self.norm(next)) && self.norm(next) != "it")
            || self.norm(next) == "it";
        match self.groups.items.last() {
            Some(Item::Vg(last)) => {
                let sort = self.grammar.sort(&self.groups.vgs[*last].lemma);
                clause || sort.speech || sort.thought || sort.factive
            }
            Some(Item::Np(_)) => {
                clause || self.form(next).is_some() || be_form(self.norm(next)) || class.has(Class::MODAL)
            }
            _ => clause,
        }
    }

    pub(crate) fn push(&mut self, np: Np) -> usize {
        self.groups.nps.push(np);
        self.groups.nps.len() - 1
    }

    /// Reads the nouns of a group from the token `from`, and then any nouns that this group owns. Returns the index of
    /// the last group and the token after it.
    pub(crate) fn content(
        &mut self,
        start: usize,
        from: usize,
        owner: Option<usize>,
        article: Option<usize>,
    ) -> Option<(usize, usize)> {
        let mut at = from;
        let mut name = None;
        let mut head = None;
        let mut after_name = false;
        let mut role = None;
        let mut only_adjectives = true;
        while at < self.tokens.len() {
            if let Some(index) = self.name_at[at] {
                let found = self.names[index];
                if name.is_some() {
                    break;
                }
                if let Some(head) = head {
                    // In "In Rusk's opinion Tessa", "opinion" does not describe Tessa.
                    let placed = start > 0 && self.class(start - 1).has(Class::PREPOSITION) && !self.is_name(start - 1);
                    if !self.is_role(head) && (owner.is_some() || article.is_none() || placed) {
                        break;
                    }
                    role = Some((from, at));
                }
                (name, head) = (Some(index), Some(found.start));
                at = found.end;
                only_adjectives = false;
                continue;
            }
            let token = &self.tokens[at];
            // Example: "a smoky, crowded place"
            if token.is_mark(",")
                && head.is_some_and(|head| head + 1 == at && self.is_adjective(head))
                && article.is_some()
                && name.is_none()
                && self.is_adjective(at + 1)
                && (self.is_adjective(at + 2) || self.is_nounish(at + 2))
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
                && self.is_nounish(at + 2)
                && !self.is_name(at + 2)
                && !self.is_name(at + 1)
            {
                at += 1;
                continue;
            }
            let fits = match token.sort {
                Sort::Number => name.is_none(),
                Sort::Word => {
                    !self.is_closed(at)
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
            if !fits {
                break;
            }
            if head.is_none()
                && article.is_none()
                && owner.is_none()
                && (self.is_adverb(at) || self.is_verb(at, Within::Nothing))
                && !self.is_adjective(at)
            {
                break;
            }
            if name.is_some() {
                // "Salt Quay ferryman", but "Bram dead".
                let times = matches!(
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
                if times
                    || self.is_adjective(at)
                    || self.is_adverb(at)
                    || token.capital
                    || self.class(at).has(Class::NUMBER)
                {
                    break;
                }
                after_name = true;
            }
            only_adjectives &= self.is_adjective(at) || self.is_adverb(at);
            if !self.is_adverb(at) || self.is_adjective(at) {
                head = Some(at);
            } else if head.is_none() && !self.is_nounish_ahead(at + 1) {
                break;
            }
            at += 1;
        }
        let head = head?;
        let end = at;
        if only_adjectives && article.is_none() && owner.is_none() && !self.is_possessive(end) {
            return None;
        }
        let mut np = Np { start, end, head, name, owner, role, content: from, article, ..Np::default() };
        if after_name {
            // The name is the owner of the noun: "Lantern Club members".
            let index = name?;
            let found = self.names[index];
            let by = self.push(Np {
                start: found.start,
                end: found.end,
                head: found.start,
                name: Some(index),
                content: found.start,
                ..Np::default()
            });
            np = Np { name: None, role: None, owner: Some(by), by_name: true, content: found.end, ..np };
        }
        let index = self.push(np);
        if self.is_possessive(end) {
            let after = end + 1;
            return match self.content(start, after, Some(index), None) {
                Some(found) => Some(found),
                None => {
                    let bare = Np {
                        start,
                        end: after,
                        head: end,
                        content: end,
                        owner: Some(index),
                        bare_owner: true,
                        ..Np::default()
                    };
                    Some((self.push(bare), after))
                }
            };
        }
        Some((index, end))
    }

    /// Returns whether a noun can describe the name after it: "her brother Pell".
    fn is_role(&self, at: usize) -> bool {
        let word = self.norm(at);
        let of_people =
            Class::TITLE.or(Class::NUMBER).or(Class::LIGHT_NOUN).or(Class::MALE).or(Class::FEMALE).or(Class::ADJECTIVE);
        let of_things = Class::GROUP_NOUN.or(Class::PLACE_NOUN).or(Class::THING_NOUN);
        self.class(at).has(of_people.or(of_things))
            || self.grammar.nouns.contains_key(word)
            || self.grammar.kinds_of.contains_key(word)
            || self.grammar.adjectives.contains_key(word)
            || self.grammar.ends.iter().any(|(end, _)| word.len() > end.len() + 2 && word.ends_with(end.as_str()))
    }

    pub(crate) fn is_nounish_ahead(&self, at: usize) -> bool {
        let at = self.skip_adverbs(at);
        self.is_nounish(at)
    }

    /// Returns whether a word after the first noun of a group is the verb of the group.
    pub(crate) fn is_verb_after(&self, at: usize, name: bool, (start, from): (usize, usize), determined: bool) -> bool {
        let Some(form) = self.form(at) else { return false };
        if name {
            let listed = start > 0 && matches!(self.norm(start - 1), "and" | "+" | "&");
            return self.is_verb(at, Within::Head { plural: listed || self.norm(at - 1).ends_with('s') });
        }
        // A verb must follow a noun: "the wounded guard left" and "the smith works", but not "his sworn word".
        let previous = at - 1;
        let previous_is_noun = previous >= from
            && !self.is_adjective(previous)
            && self.tokens[previous].sort == Sort::Word
            && !(self.form(previous).is_some_and(|form| form.has(Form::PARTICIPLE.or(Form::ING)))
                && previous == from
                && determined);
        if !previous_is_noun {
            return false;
        }
        if determined
            && self.norm(at + 1) == "of"
            && (self.grammar.nouns.contains_key(self.norm(at)) || self.grammar.has.contains_key(self.norm(at)))
        {
            return false;
        }
        // Example: "fifty crowns"
        let counted = self.tokens[previous].sort == Sort::Number || self.class(previous).has(Class::NUMBER);
        if counted && form.has(Form::THIRD) && self.norm(previous) != "one" {
            return false;
        }
        let word = self.norm(previous);
        let plural = word.ends_with('s') && !word.ends_with("ss")
            || matches!(word, "people" | "folk" | "men" | "women" | "children");
        if form.has(Form::ING) && !form.has(Form::BASE) {
            return !self.grammar.nouns.contains_key(self.norm(at));
        }
        self.is_verb(at, Within::Head { plural })
    }

    /// Returns whether the noun group before a token follows a form of "be".
    fn behind_is(&self, at: usize) -> bool {
        let is = matches!(self.groups.items.last(), Some(Item::Vg(vg)) if self.groups.vgs[*vg].copula);
        let from = match self.groups.items.last() {
            Some(Item::Vg(vg)) => self.groups.vgs[*vg].end,
            _ => return false,
        };
        is && self.is_name(at - 1) && (from..at).all(|at| self.is_name(at) || self.class(at).has(Class::DETERMINER))
    }

    fn is_verb_form(&self, at: usize) -> bool {
        self.form(at).is_some_and(|form| form.has(Form::ING.or(Form::PARTICIPLE).or(Form::PAST)))
    }

    /// Returns whether a token is the possessive `'s` or `'`, and not a short form of "is".
    pub(crate) fn is_possessive(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        if token.is("'") && token.glued && at > 0 && self.tokens[at - 1].norm.ends_with('s') {
            return self.is_nounish(at + 1);
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
        if self.norm(next) == "doing" && self.behind_is(at) {
            return true;
        }
        // Example: "the Kestrel is Ilvane's now"
        if self.behind_is(at) && (self.is_adverb(next) || !self.is_nounish(next)) && !self.is_verb_form(next) {
            return true;
        }
        if self.is_name(next) {
            // "Orm's Thrand's kid" means "Orm is Thrand's kid".
            let end = self.name_at[next].map_or(next, |name| self.names[name].end);
            if at > 0 && self.is_name(at - 1) && self.norm(end) == "'s" && self.is_nounish(end + 1) {
                return false;
            }
            // "Her brother's Tob" means "her brother is Tob".
            return !self.grammar.nouns.contains_key(previous) && !self.grammar.labels.contains_key(previous);
        }
        let Some(after) = self.tokens.get(next) else { return true };
        if after.sort == Sort::Mark {
            return !after.is_mark(",")
                || self
                    .tokens
                    .get(next + 1)
                    .is_none_or(|token| !token.is_word() || self.is_closed(next + 1) || self.form(next + 1).is_some());
        }
        if matches!(self.norm(next), "very" | "own") {
            return true;
        }
        if self.is_closed(next) || self.is_adverb(next) {
            return self.is_adverb(next) && self.is_nounish_ahead(next + 1) && self.class(next).has(Class::ADJECTIVE);
        }
        let numeral = |word: &str| word.split('-').all(|part| self.grammar.class(part).has(Class::NUMBER));
        if after.sort == Sort::Number || numeral(self.norm(next)) {
            return self.is_nounish(next + 1) && !matches!(self.norm(next + 1), "years" | "year");
        }
        let noun_follows = {
            let then = next + 1;
            let word = self.norm(then);
            let known = self.grammar.labels.contains_key(word)
                || self.grammar.has.contains_key(word)
                || self.grammar.nouns.contains_key(word)
                || self.grammar.kinds_of.contains_key(word);
            self.is_nounish(then) && (self.form(then).is_none() || self.is_name(then) || known)
        };
        if self.grammar.adjectives.contains_key(self.norm(next)) && !self.grammar.nouns.contains_key(self.norm(next)) {
            // Example: "Maud's scared stiff of him"
            if self.class(next + 2).has(Class::PREPOSITION) && self.grammar.adjectives.contains_key(self.norm(next + 1))
            {
                return false;
            }
            return self.is_nounish(next + 1);
        }
        if matches!(self.norm(next), "very" | "own") {
            return true;
        }
        if let Some(form) = self.form(next) {
            if form.has(Form::PAST.or(Form::PARTICIPLE).or(Form::ING))
                && self.is_name(next + 1)
                && !form.has(Form::BASE)
            {
                return false;
            }
            if form.has(Form::PAST) && !form.has(Form::BASE) {
                return noun_follows;
            }
            if form.has(Form::ING) && !form.has(Form::BASE) {
                return noun_follows
                    && self.class(next + 1).has(Class::THING_NOUN.or(Class::GROUP_NOUN).or(Class::PLACE_NOUN));
            }
            if form.has(Form::PARTICIPLE) && !form.has(Form::BASE) {
                return noun_follows;
            }
            return true;
        }
        if self.is_adjective(next) && !self.grammar.nouns.contains_key(self.norm(next)) {
            return noun_follows;
        }
        true
    }
}
