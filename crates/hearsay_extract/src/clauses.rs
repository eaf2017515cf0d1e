//! Builds clauses from groups of words: the subject and verb of each clause, and the clause that it depends on.

use crate::{
    chunker::{Chunk, Chunks, VerbForm, VerbGroup},
    grammar::{Grammar, WordClass},
    tokenizer::{Token, TokenKind},
};

/// How the subject of a clause was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubjectSource {
    /// The subject precedes the verb.
    Direct,
    /// The clause shares the subject of an earlier clause.
    Shared,
    /// The subject is the antecedent of "who" or "which".
    Antecedent,
    /// The subject follows the verb.
    Inverted,
    /// The subject is the same as the subject or the object of the parent clause.
    Control,
    /// The clause has no subject.
    Missing,
}

/// How a clause depends on its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClauseType {
    Main,
    /// Clause with the content of speech, thought or knowledge.
    Complement,
    /// Relative clause: "who", "which".
    Relative,
    /// Infinitive clause: "to …".
    Infinitive,
    /// Adverbial clause, with its conjunction: "because", "when".
    Adverbial(String),
    /// Participle clause.
    Participle,
}

/// Returns whether a word is an interjection, such as "yes" or "well".
fn is_interjection(word: &str) -> bool {
    matches!(
        word,
        "yes" | "no" | "well" | "er" | "um" | "uh" | "okay" | "ok" | "yeah" | "aye" | "oh" | "right" | "sure"
    )
}

impl Clause {
    pub(crate) fn clause_type(&self) -> &ClauseType {
        &self.clause_type
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) verb_group: usize,
    pub(crate) subjects: Vec<usize>,
    pub(crate) subject_source: SubjectSource,
    /// Range of the items after the verb that belong to the clause.
    pub(crate) rest_items: (usize, usize),
    /// First item of the clause.
    pub(crate) start: usize,
    pub(crate) verb_item: usize,
    pub(crate) parent: Option<usize>,
    pub(crate) clause_type: ClauseType,
}

/// Maximum number of noun groups that are read from a list.
pub(crate) const MAX_LIST_LENGTH: usize = 12;

pub(crate) struct ClauseParser<'a> {
    pub(crate) tokens: &'a [Token],
    pub(crate) grammar: &'a Grammar,
    pub(crate) chunks: &'a Chunks,
}

impl<'a> ClauseParser<'a> {
    pub(crate) fn word(&self, item: usize) -> &'a str {
        match self.chunks.items.get(item) {
            Some(Chunk::Token(at)) => self.tokens[*at].norm.as_str(),
            _ => "",
        }
    }

    fn word_class(&self, item: usize) -> WordClass {
        match self.chunks.items.get(item) {
            Some(Chunk::Token(at)) if self.tokens[*at].is_word() => self.grammar.word_class(&self.tokens[*at].norm),
            _ => WordClass::default(),
        }
    }

    pub(crate) fn noun_group_at(&self, item: usize) -> Option<usize> {
        match self.chunks.items.get(item) {
            Some(Chunk::NounGroup(np)) => Some(*np),
            _ => None,
        }
    }

    fn verb_group_at(&self, item: usize) -> Option<&'a VerbGroup> {
        match self.chunks.items.get(item) {
            Some(Chunk::VerbGroup(vg)) => Some(&self.chunks.verb_groups[*vg]),
            _ => None,
        }
    }

    fn is_quote(&self, item: usize) -> bool {
        matches!(self.chunks.items.get(item), Some(Chunk::Token(at)) if matches!(self.tokens[*at].kind, TokenKind::Quote(_)))
    }

    pub(crate) fn has_quote(&self) -> bool {
        (0..self.chunks.items.len()).any(|item| self.is_quote(item))
    }

    pub(crate) fn is_preposition(&self, item: usize) -> bool {
        let word = self.word(item);
        self.word_class(item).has(WordClass::PREPOSITION)
            && !matches!(word, "as")
            && !(matches!(word, "since" | "until" | "till" | "before" | "after")
                && self.verb_group_at(item + 2).is_some_and(|vg| vg.form == VerbForm::Finite))
    }

    fn is_coordinator(&self, item: usize) -> bool {
        matches!(self.word(item), "and" | "or" | "+" | "&" | "nor" | "plus")
    }

    fn is_relative(&self, item: usize) -> bool {
        matches!(self.word(item), "who" | "which" | "that" | "whom")
    }

    fn is_boundary(&self, item: usize) -> bool {
        let word = self.word(item);
        matches!(word, ":" | "\u{2014}" | "-" | "(" | ")" | ";" | "." | "!" | "?" | "\u{2026}")
            || (word == "but" && !item.checked_sub(1).is_some_and(|before| self.is_indefinite_pronoun(before)))
            || self.is_quote(item)
    }

    fn is_adverbial(&self, item: usize) -> bool {
        // Examples: "works as a scribe", "as tall as the door"
        let is_clause = |item: usize| {
            self.noun_group_at(item).is_some()
                && self.verb_group_at(item + 1).is_some_and(|vg| vg.form == VerbForm::Finite)
        };
        if self.word(item) == "as" && !is_clause(item + 1) {
            return false;
        }
        self.word_class(item).has(WordClass::SUBORDINATOR) && !self.is_preposition(item)
    }

    /// Returns the clauses of a sentence, in order.
    pub(crate) fn parse(&self) -> Vec<Clause> {
        let mut clauses: Vec<Clause> = Vec::new();
        let items = &self.chunks.items;
        for (verb, item) in items.iter().enumerate() {
            let Chunk::VerbGroup(vg) = *item else { continue };
            let group = &self.chunks.verb_groups[vg];
            let clause = match group.form {
                VerbForm::Finite => self.finite_clause(verb, vg, &clauses),
                _ => self.dependent_clause(verb, vg, &clauses),
            };
            clauses.push(clause);
        }
        // A participle before its subject takes the subject of the next clause: "Hired by Odo, Pell works …".
        for at in 0..clauses.len() {
            let is_omitted = self.chunks.verb_groups[clauses[at].verb_group].is_omitted && clauses[at].verb_item == 0;
            let only_participles_before = clauses[..at]
                .iter()
                .all(|other| other.clause_type == ClauseType::Participle && other.start < clauses[at].start);
            let is_fronted_participle = clauses[at].clause_type == ClauseType::Participle
                && (clauses[at].start == 0
                    || (at > 0 && only_participles_before && self.precedes_subject(&clauses[at])));
            if (clauses[at].subjects.is_empty() || clauses[at].start > 0) && (is_fronted_participle || is_omitted) {
                let next = clauses[at + 1..]
                    .iter()
                    .find(|clause| clause.subject_source == SubjectSource::Direct)
                    .map(|clause| clause.subjects.clone());
                clauses[at].subjects = next.unwrap_or_default();
            }
        }
        for at in 0..clauses.len() {
            let verb = clauses[at].verb_item;
            let next = clauses.iter().filter(|other| other.start > verb).map(|other| other.start).min();
            let mut end = next.unwrap_or(items.len());
            let boundary = (verb + 1..end).find(|item| {
                self.is_boundary(*item)
                    || (self.is_adverbial(*item) && self.word(*item) != "so")
                    || (self.is_relative(*item) && self.word(*item) != "that")
            });
            end = boundary.unwrap_or(end);
            clauses[at].rest_items = (verb + 1, end.max(verb + 1));
            if clauses[at].subject_source == SubjectSource::Inverted
                || (clauses[at].subject_source == SubjectSource::Missing
                    && self.chunks.verb_groups[clauses[at].verb_group].form == VerbForm::Finite
                    && (self.is_quote(verb.wrapping_sub(1))))
            {
                let subject_list = self.noun_list(verb + 1, end);
                if !subject_list.0.is_empty() {
                    clauses[at].subjects = subject_list.0;
                    clauses[at].subject_source = SubjectSource::Inverted;
                    clauses[at].rest_items.0 = subject_list.1;
                    // In "In the cellar lies the ledger", the words before the verb are read as if they followed it.
                    let (start, ends_clause) =
                        (clauses[at].start, subject_list.1 >= end || self.word(subject_list.1) == ",");
                    let ends_clause = ends_clause || self.chunks.verb_groups[clauses[at].verb_group].is_passive;
                    if ends_clause && start < verb && self.is_preposition(start) {
                        clauses[at].rest_items = (start, verb);
                    }
                }
            }
        }
        clauses
    }

    /// Returns whether a participle is one of several that precede their subject: "Loved by some, loathed by others,
    /// the Widow …"
    fn precedes_subject(&self, clause: &Clause) -> bool {
        let starts_clause = clause.start == clause.verb_item || self.word(clause.start) == ",";
        let next_comma = (clause.verb_item..self.chunks.items.len()).find(|item| self.word(*item) == ",");
        starts_clause
            && next_comma
                .is_some_and(|comma| self.noun_group_at(comma + 1).is_some() && self.verb_group_at(comma + 2).is_some())
    }

    /// Returns whether an item is a word such as "nobody" or "everyone", as in "nobody but Hope".
    fn is_indefinite_pronoun(&self, item: usize) -> bool {
        let is_no_one = self.noun_group_at(item).is_some_and(|np| {
            let group = &self.chunks.noun_groups[np];
            self.tokens[group.head].norm == "one" && group.article.is_some_and(|at| self.tokens[at].norm == "no")
        });
        if is_no_one {
            return true;
        }
        let head_word = |np: usize| self.tokens[self.chunks.noun_groups[np].head].norm.as_str();
        self.noun_group_at(item).is_some_and(|np| {
            matches!(
                head_word(np),
                "nobody" | "noone" | "nothing" | "none" | "anyone" | "anybody" | "everyone" | "everybody"
            )
        })
    }

    /// Returns the list of noun groups that begins at an item, such as "Odo, Bram and Pell", and the item after the
    /// list.
    pub(crate) fn noun_list(&self, from: usize, end: usize) -> (Vec<usize>, usize) {
        let mut at = from;
        while at < end && (self.word_class(at).has(WordClass::ADVERB) && !self.is_preposition(at)) {
            at += 1;
        }
        if self.is_indefinite_pronoun(at)
            && matches!(self.word(at + 1), "but" | "except" | "save")
            && self.noun_group_at(at + 2).is_some()
        {
            at += 2;
        }
        let Some(first) = self.noun_group_at(at).filter(|_| at < end) else { return (Vec::new(), from) };
        let mut list = vec![first];
        at += 1;
        while list.len() < MAX_LIST_LENGTH {
            let mut next = at;
            if self.word(next) == "," {
                next += 1;
            }
            let has_conjunction = self.is_coordinator(next);
            if has_conjunction {
                next += 1;
            }
            let Some(np) = self.noun_group_at(next).filter(|_| next < end && next > at) else { break };
            // A comma joins two noun groups only if an "and" follows later in the list.
            if !has_conjunction && !self.has_conjunction_ahead(next + 1, end) {
                break;
            }
            list.push(np);
            at = next + 1;
        }
        (list, at)
    }

    /// Returns whether the list that continues at an item contains an "and".
    fn has_conjunction_ahead(&self, mut item: usize, end: usize) -> bool {
        for _ in 0..MAX_LIST_LENGTH {
            if self.word(item) == "," {
                item += 1;
            } else if !self.is_coordinator(item) {
                return false;
            }
            if self.is_coordinator(item) {
                return item + 1 < end && self.noun_group_at(item + 1).is_some();
            }
            if self.noun_group_at(item).is_none() || item >= end {
                return false;
            }
            item += 1;
        }
        false
    }

    fn finite_clause(&self, verb: usize, vg: usize, earlier: &[Clause]) -> Clause {
        let (subjects, start, subject_source) = self.find_subject(verb, earlier);
        let mut clause = Clause {
            verb_group: vg,
            subjects,
            subject_source,
            rest_items: (verb + 1, verb + 1),
            start,
            verb_item: verb,
            parent: None,
            clause_type: ClauseType::Main,
        };
        let previous = start.checked_sub(1);
        let last_clause_before = |limit: usize| earlier.iter().rposition(|other| other.verb_item < limit);
        if subject_source == SubjectSource::Antecedent {
            clause.clause_type = ClauseType::Relative;
            clause.parent = last_clause_before(start);
            return clause;
        }
        if subject_source == SubjectSource::Shared
            && self.chunks.verb_groups[vg].is_base_form
            && let Some(other) = earlier.last()
            && other.clause_type == ClauseType::Infinitive
        {
            // Example: "promised to return and marry her"
            clause.parent = other.parent;
            clause.clause_type = ClauseType::Infinitive;
            return clause;
        }
        if subject_source == SubjectSource::Shared {
            // A clause with a shared subject also shares the parent: "says that he came and took it".
            if let Some(other) =
                earlier.iter().rposition(|other| self.chunks.verb_groups[other.verb_group].form == VerbForm::Finite)
            {
                clause.parent = earlier[other].parent;
                clause.clause_type = earlier[other].clause_type.clone();
            }
            return clause;
        }
        let Some(previous) = previous else { return clause };
        // Example: "allows that, yes, he belongs"
        let mut introducer = previous;
        while introducer > 0 && (self.word(introducer) == "," || is_interjection(self.word(introducer))) {
            introducer -= 1;
        }
        let word = self.word(introducer);
        // Example: "Bolt logged it: the Captain has the core"
        if matches!(word, ":" | "\u{2014}") {
            clause.parent = self.reporting_clause(earlier, introducer).filter(|_| word == ":");
            if clause.parent.is_some() {
                clause.clause_type = ClauseType::Complement;
                return clause;
            }
        }
        if matches!(
            word,
            "that"
                | "how"
                | "why"
                | "where"
                | "what"
                | "because"
                | "when"
                | "while"
                | "since"
                | "after"
                | "before"
                | "until"
                | "till"
                | "although"
                | "though"
                | "if"
                | "unless"
                | "whether"
                | "as"
                | "so"
                | "once"
                | "whenever"
                | "whereas"
                | "lest"
        ) {
            let mut parent = last_clause_before(introducer);
            // Example: "maintains, and nobody can gainsay her, that …"
            let can_take_complement = |parent: usize| {
                let other: &Clause = &earlier[parent];
                let is_copula = self.chunks.verb_groups[other.verb_group].is_copula;
                self.takes_complement(other) && (!is_copula || other.verb_item + 1 == introducer)
            };
            let follows_relative_aside = parent
                .is_some_and(|parent| earlier[parent].clause_type == ClauseType::Relative)
                && self.word(introducer.wrapping_sub(1)) == ",";
            if word == "that" && (follows_relative_aside || !parent.is_some_and(can_take_complement)) {
                parent = self.reporting_clause(earlier, introducer).or(parent);
            }
            clause.parent = parent;
            clause.start = introducer;
            let takes_complement = parent.is_some_and(|parent| self.takes_complement(&earlier[parent]));
            clause.clause_type =
                if word == "that" || (takes_complement && matches!(word, "how" | "why" | "where" | "what")) {
                    ClauseType::Complement
                } else {
                    ClauseType::Adverbial(word.to_owned())
                };
            if word == "that" && !takes_complement {
                clause.clause_type = ClauseType::Complement;
            }
            return clause;
        }
        // Example: "a table nobody dares to sit at"
        if self.noun_group_at(previous).is_some()
            && subject_source == SubjectSource::Direct
            && last_clause_before(start).is_some_and(|parent| !self.takes_complement(&earlier[parent]))
        {
            clause.clause_type = ClauseType::Relative;
            clause.parent = last_clause_before(start);
            return clause;
        }
        // Examples: "Pike says Sela left", "Pike told me Sela left"
        let follows_directly = self.verb_group_at(previous).is_some() || self.noun_group_at(previous).is_some();
        if follows_directly
            && let Some(parent) = last_clause_before(start)
            && self.takes_complement(&earlier[parent])
        {
            clause.parent = Some(parent);
            clause.clause_type = ClauseType::Complement;
            return clause;
        }
        if self.is_coordinator(previous) || (word == "," && self.is_coordinator(introducer)) {
            // Example: "says that he came and she went"
            if let Some(other) =
                earlier.iter().rposition(|other| self.chunks.verb_groups[other.verb_group].form == VerbForm::Finite)
                && earlier[other].clause_type == ClauseType::Complement
            {
                clause.parent = earlier[other].parent;
                clause.clause_type = ClauseType::Complement;
            }
            clause.start = previous;
        }
        clause
    }

    /// Returns the last clause before an item that has a verb of speech or thought.
    fn reporting_clause(&self, earlier: &[Clause], item: usize) -> Option<usize> {
        earlier.iter().rposition(|other| {
            let vg = &self.chunks.verb_groups[other.verb_group];
            let properties = self.grammar.verb_properties(&vg.lemma);
            let is_aside = other.clause_type == ClauseType::Relative
                && self.word(item) == "that"
                && self.word(item.wrapping_sub(1)) == ",";
            other.verb_item < item
                && vg.form == VerbForm::Finite
                && (properties.is_speech || properties.is_thought)
                && !is_aside
        })
    }

    /// Returns whether a clause announces news, as in "brings word that …".
    pub(crate) fn announces_news(&self, clause: &Clause) -> bool {
        let vg = &self.chunks.verb_groups[clause.verb_group];
        let word = self
            .noun_group_at(clause.verb_item + 1)
            .map(|np| self.tokens[self.chunks.noun_groups[np].head].norm.as_str());
        matches!(vg.lemma.as_str(), "bring" | "send" | "carry" | "give" | "deliver")
            && matches!(word, Some("word" | "news" | "tidings" | "report"))
    }

    fn takes_complement(&self, clause: &Clause) -> bool {
        let vg = &self.chunks.verb_groups[clause.verb_group];
        let properties = self.grammar.verb_properties(&vg.lemma);
        properties.is_speech
            || properties.is_thought
            || properties.is_factive
            || properties.is_seeming
            || vg.is_copula
            || self.announces_news(clause)
    }

    /// Returns the subject of a finite verb, the item where its clause begins, and how the subject was found.
    fn find_subject(&self, verb: usize, earlier: &[Clause]) -> (Vec<usize>, usize, SubjectSource) {
        let mut k = verb;
        // Skips adverbs before the verb.
        while k > 0
            && (self.word_class(k - 1).has(WordClass::ADVERB) || matches!(self.word(k - 1), "both" | "all" | "each"))
            && !self.is_preposition(k - 1)
        {
            k -= 1;
        }
        let Some(previous) = k.checked_sub(1) else { return (Vec::new(), verb, SubjectSource::Missing) };
        if self.is_relative(previous) {
            if let Some((np, start)) = self.antecedent(previous) {
                let _ = start;
                return (np, previous, SubjectSource::Antecedent);
            }
            return (Vec::new(), previous, SubjectSource::Missing);
        }
        let shared_subject = |start: usize| {
            // In "there's Odo, who runs it, and hates her", the clause "there is" has no subject to share.
            let is_finite = |other: &&Clause| {
                let has_no_subject =
                    other.subjects.is_empty() && earlier.iter().any(|other| !other.subjects.is_empty());
                self.chunks.verb_groups[other.verb_group].form == VerbForm::Finite && !has_no_subject
            };
            // After a comma, the main clause continues, not the relative clause: "a table nobody dares to sit at, and
            // has".
            let follows_comma = self.word(start) == ",";
            let main_clause = earlier
                .iter()
                .rev()
                .filter(is_finite)
                .find(|other| !follows_comma || other.clause_type != ClauseType::Relative);
            match main_clause.or(earlier.iter().rev().find(is_finite)) {
                Some(other) => (other.subjects.clone(), start, SubjectSource::Shared),
                None => (Vec::new(), start, SubjectSource::Missing),
            }
        };
        if self.is_coordinator(previous) || matches!(self.word(previous), "but" | "then" | "yet") {
            let start = if previous > 0 && self.word(previous - 1) == "," { previous - 1 } else { previous };
            return shared_subject(start);
        }
        if self.word(previous) == "," || self.word(previous) == ")" || self.word(previous) == "\u{2014}" {
            // Between commas: "Pell, ferryman at the quay, owes".
            let opening_mark = if self.word(previous) == ")" { "(" } else { self.word(previous) };
            let opening = (0..previous).rev().find(|item| {
                let is_aside = opening_mark == "," && matches!(self.word(*item), "\u{2014}" | "(");
                self.word(*item) == opening_mark || (is_aside && *item > 0 && self.noun_group_at(*item - 1).is_some())
            });
            if let Some(opening) = opening.filter(|opening| *opening > 0)
                && self.noun_group_at(opening - 1).is_some()
                && !(opening..previous).any(|item| {
                    self.verb_group_at(item).is_some_and(|vg| {
                        let properties = self.grammar.verb_properties(&vg.lemma);
                        let is_aside = matches!(vg.lemma.as_str(), "turn" | "seem" | "appear" | "happen" | "transpire");
                        vg.form == VerbForm::Finite && !(properties.is_speech || properties.is_thought || is_aside)
                    }) && !(opening..item).any(|item| self.is_relative(item))
                })
            {
                let name_item = self.described_name(opening - 1);
                // Example: "that sword, the Sunblade, belongs"
                let is_named =
                    |item: usize| self.noun_group_at(item).is_some_and(|np| self.chunks.noun_groups[np].name.is_some());
                // Example: "The captain of the watch, Reyk Dorn, is"
                let describes_other = !is_named(name_item) || (name_item > 0 && self.is_preposition(name_item - 1));
                let is_only_name =
                    opening_mark == "," && opening + 2 == previous && is_named(opening + 1) && describes_other;
                let name_item = if is_only_name { opening + 1 } else { name_item };
                return self.subject_ending_at(name_item, earlier).unwrap_or_else(|| shared_subject(previous));
            }
            // In "so Tob, he owes", the noun group directly before the comma is the subject.
            if previous > 0 && self.noun_group_at(previous - 1).is_some() && earlier.is_empty() {
                return self.subject_ending_at(previous - 1, earlier).unwrap_or_else(|| shared_subject(previous));
            }
            return shared_subject(previous);
        }
        if self.noun_group_at(previous).is_some() {
            // Example: "Odo the gunsmith"
            let name_item = self.described_name(previous);
            let name_item = if name_item + 1 == previous { name_item } else { previous };
            return self.subject_ending_at(name_item, earlier).unwrap_or_else(|| shared_subject(previous));
        }
        // Example: "let slip that"
        if self.verb_group_at(previous).is_some_and(|vg| vg.lemma == "let") {
            return shared_subject(verb);
        }
        (Vec::new(), verb, SubjectSource::Missing)
    }

    /// Returns the item of the name that a noun group describes, as in "Odo, gunsmith, who …" or "Odo the gunsmith".
    /// Returns the item of the noun group itself if it describes no name.
    fn described_name(&self, item: usize) -> usize {
        let is_named =
            |item: usize| self.noun_group_at(item).is_some_and(|np| self.chunks.noun_groups[np].name.is_some());
        let is_plain = self.noun_group_at(item).is_some_and(|np| {
            let group = &self.chunks.noun_groups[np];
            group.name.is_none() && !group.is_pronoun && group.owner.is_none()
        });
        match (item.checked_sub(1), item.checked_sub(2)) {
            (Some(previous), _) if is_plain && is_named(previous) => previous,
            (Some(comma), Some(previous)) if is_plain && self.word(comma) == "," && is_named(previous) => previous,
            _ => item,
        }
    }

    /// Returns the subject whose last noun group is at item `last`, the item where the subject begins, and how it was
    /// found.
    fn subject_ending_at(&self, last: usize, earlier: &[Clause]) -> Option<(Vec<usize>, usize, SubjectSource)> {
        let mut k = last;
        loop {
            let np = self.noun_group_at(k)?;
            let Some(p) = k.checked_sub(1) else { return Some((vec![np], k, SubjectSource::Direct)) };
            // Example: "turns out Odo is his brother"
            let is_turn_out =
                self.word(p) == "out" && p > 0 && self.verb_group_at(p - 1).is_some_and(|vg| vg.lemma == "turn");
            if self.is_preposition(p) && !is_turn_out {
                let Some(q) = p.checked_sub(1) else {
                    // Example: "In the cellar lies the ledger"
                    return Some((Vec::new(), p, SubjectSource::Inverted));
                };
                if self.noun_group_at(q).is_some() {
                    k = q;
                    continue;
                }
                if let Some(vg) = self.verb_group_at(q) {
                    if vg.form != VerbForm::Finite && q > 0 && self.noun_group_at(q - 1).is_some() {
                        k = q - 1;
                        continue;
                    }
                    return None;
                }
                if self.word(q) == "," && q > 0 && self.noun_group_at(q - 1).is_some() {
                    k = q - 1;
                    continue;
                }
                return Some((Vec::new(), p, SubjectSource::Inverted));
            }
            if let Some(vg) = self.verb_group_at(p)
                && vg.form != VerbForm::Finite
                && p > 0
                && self.noun_group_at(p - 1).is_some()
            {
                k = p - 1;
                continue;
            }
            // Collects the noun groups of a list, from last to first.
            let mut list = vec![np];
            let mut start = k;
            let mut has_conjunction = false;
            while start > 0 && list.len() < MAX_LIST_LENGTH {
                let mut q = start - 1;
                let is_conjunction = self.is_coordinator(q);
                if is_conjunction {
                    has_conjunction = true;
                    if q > 0 && self.word(q - 1) == "," {
                        q -= 1;
                    }
                } else if !(self.word(q) == "," && has_conjunction) {
                    break;
                }
                let Some(list_item) = q.checked_sub(1).and_then(|item| Some((item, self.noun_group_at(item)?))) else {
                    break;
                };
                // In "Before the fire, Odo and Bram left", the opening words are not part of the list.
                if list_item.0 > 0 && self.is_preposition(list_item.0 - 1) && self.word(start - 1) == "," {
                    break;
                }
                list.push(list_item.1);
                start = list_item.0;
            }
            if list.len() > 1 {
                // "Odo met Lyra and Bram left": the first of the list is an object.
                let first_is_object = start > 0
                    && (self.verb_group_at(start - 1).is_some() || self.is_preposition(start - 1))
                    && !earlier.is_empty();
                if first_is_object {
                    return Some((vec![np], k, SubjectSource::Direct));
                }
                // Example: "Between the two houses stands a pact"
                if start == 1 && self.word(0) == "between" {
                    return Some((Vec::new(), 0, SubjectSource::Inverted));
                }
                list.reverse();
                return Some((list, start, SubjectSource::Direct));
            }
            return Some((vec![np], k, SubjectSource::Direct));
        }
    }

    /// Returns the noun groups that a relative pronoun refers to, and the item where they begin.
    pub(crate) fn antecedent(&self, relative: usize) -> Option<(Vec<usize>, usize)> {
        let mut at = relative.checked_sub(1)?;
        if self.word(at) == "," {
            at = at.checked_sub(1)?;
        }
        at = self.described_name(at);
        let np = self.noun_group_at(at)?;
        // In "the captain of the watch, who", the pronoun refers to the captain, unless the noun after "of" has a name.
        if at > 1
            && self.is_preposition(at - 1)
            && self.word(at - 1) == "of"
            && self.chunks.noun_groups[np].name.is_none()
            && let Some(outer) = self.noun_group_at(at - 2)
        {
            return Some((vec![outer], at - 2));
        }
        Some((vec![np], at))
    }

    fn dependent_clause(&self, verb: usize, vg: usize, earlier: &[Clause]) -> Clause {
        let group = &self.chunks.verb_groups[vg];
        let mut k = verb;
        while k > 0 && self.word_class(k - 1).has(WordClass::ADVERB) && !self.is_preposition(k - 1) {
            k -= 1;
        }
        let parent = earlier.len().checked_sub(1);
        let clause_type =
            if group.form == VerbForm::Infinitive { ClauseType::Infinitive } else { ClauseType::Participle };
        let mut clause = Clause {
            verb_group: vg,
            subjects: Vec::new(),
            subject_source: SubjectSource::Missing,
            rest_items: (verb + 1, verb + 1),
            start: verb,
            verb_item: verb,
            parent,
            clause_type,
        };
        let Some(previous) = k.checked_sub(1) else {
            clause.start = 0;
            return clause;
        };
        let parent_subjects = || parent.map(|parent| earlier[parent].subjects.clone()).unwrap_or_default();
        match group.form {
            VerbForm::Infinitive => {
                // In "asked Odo to go", Odo goes. In "promised Odo to go", the subject of "promised" goes.
                let controlled_subject = parent.and_then(|parent| {
                    let lemma = self.chunks.verb_groups[earlier[parent].verb_group].lemma.as_str();
                    let is_speech = self.grammar.verb_properties(&group.lemma).is_speech
                        && !matches!(
                            lemma,
                            "ask" | "tell" | "beg" | "order" | "want" | "get" | "hear" | "make" | "force"
                        );
                    if is_speech {
                        return None;
                    }
                    let object = (earlier[parent].verb_item + 1..verb).find_map(|item| self.noun_group_at(item));
                    object.filter(|_| !matches!(lemma, "promise" | "swear" | "vow" | "threaten" | "offer" | "use"))
                });
                clause.subjects = controlled_subject.map_or_else(parent_subjects, |np| vec![np]);
                clause.subject_source = SubjectSource::Control;
            }
            _ => {
                if self.is_preposition(previous) || self.is_coordinator(previous) {
                    clause.subjects = parent_subjects();
                    clause.subject_source = SubjectSource::Control;
                    clause.start = previous;
                    if self.is_preposition(previous) {
                        clause.clause_type = ClauseType::Adverbial(self.word(previous).to_owned());
                    }
                } else if let Some(np) = self.noun_group_at(previous) {
                    let subject =
                        self.subject_ending_at(previous, &[]).map(|(list, ..)| list).filter(|list| !list.is_empty());
                    // In "a man from the hills called Odo" and "the tale of a man called Odo", the man is called Odo.
                    clause.subjects = if group.form == VerbForm::Ing && parent.is_none() {
                        subject.unwrap_or_else(|| vec![np])
                    } else {
                        vec![np]
                    };
                    clause.subject_source = SubjectSource::Direct;
                    clause.start = if parent.is_none() { previous } else { verb };
                } else if self.verb_group_at(previous).is_some() && group.form == VerbForm::Ing {
                    // Example: "stopped working for the guild"
                    clause.subjects = parent_subjects();
                    clause.subject_source = SubjectSource::Control;
                } else if self.word(previous) == "," {
                    let name_group = previous.checked_sub(1).and_then(|item| self.noun_group_at(item));
                    let head_group =
                        name_group.and(previous.checked_sub(1)).and_then(|item| self.subject_ending_at(item, &[]));
                    let head_group = head_group.map(|(list, ..)| list).filter(|list| list.len() == 1);
                    clause.subjects = match (name_group, group.form) {
                        (Some(np), VerbForm::Participle) => head_group.unwrap_or_else(|| vec![np]),
                        (Some(np), _) if parent.is_none() => vec![np],
                        _ => parent_subjects(),
                    };
                    clause.subject_source = SubjectSource::Control;
                    clause.start = previous;
                }
            }
        }
        clause
    }
}
