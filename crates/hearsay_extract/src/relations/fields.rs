//! Reads labelled values, as in notes: "Reward: 80 silver", "Motto of the Knives: …", "Ashby (population 412)". Also
//! reads goals in sentences such as "What Odo wants is to …".

use hearsay_model::attribute;

use crate::{
    entities::{mentions::EntityRef, nicknames::Nickname},
    language::{
        function_words::{is_be_form, is_pronoun},
        grammar::{WordClass, is_ignored},
        kind_set::KindSet,
        weights::Weight,
        word_lists::lists,
    },
    sentence_reader::{FactBasis, RawFact, ResolvedEntity, SentenceReader, assertion_status::AssertionStatus},
    syntax::chunker::VerbForm,
    text::tokenizer::TokenKind,
};

/// A label must end within this number of tokens.
const MAX_LABEL_TOKENS: usize = 14;

/// Maximum number of tokens in brackets that are read.
const MAX_BRACKET_TOKENS: usize = 16;

impl SentenceReader<'_> {
    /// Records the facts of all fields in a sentence.
    pub(crate) fn read_fields(&mut self) {
        let status = self.sentence_status(false);
        if status.is_unasserted {
            return;
        }
        self.read_labelled_field(&status);
        self.read_noun_field(&status);
        self.read_bracketed_fields(&status);
        self.read_dates(&status);
        self.read_aliases(&status);
        self.read_pronouns(&status);
        self.read_objective(&status);
        self.read_wish(&status);
    }

    /// Returns the target of a label, if it fits the kind of one of the owners. A target is an index into
    /// `Grammar::targets`.
    fn label_target(&self, label: &str, owners: &[ResolvedEntity]) -> Option<usize> {
        let targets = self.grammar.attribute_labels.get(label)?;
        let fits_owner = |target: &&usize| {
            let kinds = self.grammar.targets[**target].subject;
            owners.iter().any(|owner| self.kinds(owner.entity).intersects(kinds))
        };
        targets.iter().find(fits_owner).copied()
    }

    /// Records the value of a field, unless a clause of the sentence already gave a value.
    fn record_field(
        &mut self,
        target: usize,
        owners: &[ResolvedEntity],
        from: usize,
        to: usize,
        weight_name: Weight,
        status: &AssertionStatus,
    ) {
        let is_known = |fact: &RawFact| fact.target == target && !fact.weight_names.is_candidate();
        if from >= to || self.facts.iter().any(is_known) {
            return;
        }
        let (value, span) = (self.source_text(from, to), self.span(from, to - 1));
        let weight_names = [Weight::FIELD, weight_name];
        let basis = FactBasis::new(status, &weight_names);
        for owner in owners {
            self.record_value(target, owner, value.clone(), basis, span);
        }
    }

    /// Returns the token after the last word of the sentence.
    fn last_word_end(&self) -> usize {
        let is_last_word = |at: &usize| !self.tokens[*at].is_punctuation(".!;");
        (0..self.tokens.len()).rev().find(is_last_word).map_or(0, |at| at + 1)
    }

    /// Records the value after a label: "Reward: 80 silver", "Ranks of the Dockers, lowest to highest: …".
    fn read_labelled_field(&mut self, status: &AssertionStatus) {
        let colon = (1..self.tokens.len().min(MAX_LABEL_TOKENS)).find(|at| self.tokens[*at].is_punctuation(":="));
        let Some(colon) = colon else { return };
        let has_finite_verb = self.chunks.verb_groups.iter().any(|vg| {
            vg.start < colon
                && !vg.is_omitted
                && vg.lemma != "read"
                && vg.lemma != "run"
                && !self.grammar.attribute_labels.contains_key(self.norm(vg.head))
                && vg.form == VerbForm::Finite
        });
        let label =
            (0..colon).find(|at| !self.is_named(*at) && self.grammar.attribute_labels.contains_key(self.norm(*at)));
        let Some(label) = label.filter(|_| !has_finite_verb) else { return };
        let word = self.norm(label).to_owned();
        // Only the owner, articles and possessives may precede the label.
        let may_precede_label = |at: usize| {
            self.is_named(at) || is_ignored(self.norm(at)) || matches!(self.norm(at), "'s" | "'") || at + 1 == label
        };
        if !(0..label).all(may_precede_label) {
            return;
        }
        let np = self.chunks.noun_groups.iter().position(|np| np.start <= label && label < np.end);
        let mut owners = match np {
            Some(np) => {
                let item = self.chunk_of(np);
                self.owners(np, item, &["of", "for"])
            }
            None => Vec::new(),
        };
        if owners.is_empty() && lists().prepositions.label_owners.contains(self.norm(label + 1)) {
            let article_count = usize::from(is_ignored(self.norm(label + 2)));
            let name = self.names.iter().find(|name| name.start == label + 2 + article_count && name.end <= colon);
            owners.extend(name.map(|name| ResolvedEntity::certain(name.entity)));
        }
        if owners.is_empty() && !self.names.iter().any(|name| name.end <= colon) {
            owners = self.topic(|kinds| {
                self.grammar.attribute_labels[&word]
                    .iter()
                    .any(|target| kinds.intersects(self.grammar.targets[*target].subject))
            });
        }
        let Some(target) = self.label_target(&word, &owners) else { return };
        let weight_name = if owners.iter().any(|owner| owner.weight_name == Some(Weight::SPOKEN_OF)) {
            Weight::BY_TOPIC
        } else {
            Weight::BY_LABEL
        };
        self.record_field(target, &owners, colon + 1, self.last_word_end(), weight_name, status);
    }

    /// Records the relation between a named entity and the topic of the text: "Client: June Okoro", "Owner: Odo".
    fn read_noun_field(&mut self, status: &AssertionStatus) {
        let noun = self.singular(self.norm(0));
        let Some(name) = self.names.iter().find(|name| name.start <= 3 && name.start > 1).copied() else { return };
        let colon =
            self.tokens.get(1).is_some_and(|token| token.is_punctuation(":")) && self.norm(name.start - 1) != "'s";
        if !colon || self.clauses.iter().any(|clause| !self.chunks.verb_groups[clause.verb_group].is_omitted) {
            return;
        }
        let named_entity = ResolvedEntity::certain(name.entity);
        let span = self.span(0, name.end - 1);
        for (words, pattern) in
            self.grammar.noun_patterns.get(&noun).into_iter().flatten().filter(|(words, _)| words.len() == 1)
        {
            let (subject_kinds, object_kinds) =
                (self.grammar.targets[pattern.target].subject, self.grammar.targets[pattern.target].object);
            let owners =
                self.topic(|kinds| kinds.intersects(if pattern.is_reversed { subject_kinds } else { object_kinds }));
            let Some(owner) = owners.first().copied() else { continue };
            let (a, b) = if pattern.is_reversed { (owner, named_entity) } else { (named_entity, owner) };
            let fact_count = self.facts.len();
            let relation = format!("{} of", words[0]);
            let basis = FactBasis::new(status, &[Weight::FIELD, Weight::BY_TOPIC]);
            self.record_relation(pattern.target, (&a, &b), &relation, basis, span);
            if self.facts.len() > fact_count {
                return;
            }
        }
    }

    /// Returns the topic of the text so far, if its kind fits. If the kind does not fit, returns an empty list.
    pub(crate) fn topic(&self, fits_kind: impl Fn(KindSet) -> bool) -> Vec<ResolvedEntity> {
        let entity: Option<EntityRef> = self.history.topic(fits_kind);
        entity.map(|entity| ResolvedEntity::uncertain(entity, Some(Weight::SPOKEN_OF), None)).into_iter().collect()
    }

    /// Records the fields in brackets after a name: "Ashby (population 412, motto: “Wade”)".
    fn read_bracketed_fields(&mut self, status: &AssertionStatus) {
        for index in 0..self.names.len() {
            let name = self.names[index];
            if !self.tokens.get(name.end).is_some_and(|open| open.is_punctuation("(")) {
                continue;
            }
            let close = (name.end + 1..self.tokens.len())
                .take(MAX_BRACKET_TOKENS)
                .find(|at| self.tokens[*at].is_punctuation(")"));
            let Some(close) = close else { continue };
            let owner = ResolvedEntity::certain(name.entity);
            let mut from = name.end + 1;
            while from < close {
                let end = (from..close).find(|at| self.tokens[*at].is_punctuation(",;")).unwrap_or(close);
                let separator_count = usize::from(matches!(self.norm(from + 1), ":" | "of" | "is" | "."));
                if let Some(target) = self.label_target(self.norm(from), &[owner]) {
                    self.record_field(target, &[owner], from + 1 + separator_count, end, Weight::BY_BRACKET, status);
                } else if self.is_date(from, end)
                    && let Some(date) = self.target(attribute::DATE)
                {
                    self.record_field(date, &[owner], from, end, Weight::BY_BRACKET, status);
                }
                from = end + 1;
            }
        }
    }

    /// Records the pronouns in brackets after a name, as in "Vasht (they/them)". Each entry of `bracketed` contains the
    /// token before the bracket and the byte range of the pronouns.
    pub(crate) fn read_bracketed_pronouns(&mut self, bracketed: &[(usize, hearsay_model::Span)]) {
        let status = self.sentence_status(false);
        let Some(pronouns) = self.target(attribute::PRONOUNS).filter(|_| !status.is_unasserted) else { return };
        for (previous_token, span) in bracketed {
            let name = self.names.iter().find(|name| name.end == previous_token + 1).copied();
            let quoted_text = self.text.get(span.start..span.end).map(str::to_owned);
            if let (Some(name), Some(quoted_text)) = (name, quoted_text) {
                let owner = ResolvedEntity::certain(name.entity);
                let basis = FactBasis::new(&status, &[Weight::FIELD, Weight::BY_BRACKET]);
                self.record_value(pronouns, &owner, quoted_text, basis, *span);
            }
        }
    }

    /// Returns whether a word can be part of a date.
    pub(crate) fn is_calendar_word(&self, word: &str) -> bool {
        lists().times.calendar.contains(word) || self.grammar.word_class(word).has(WordClass::MONTH)
    }

    /// Returns whether a value contains an expression of time.
    pub(crate) fn has_time_expression(&self, value: &str) -> bool {
        let mut words = value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.any(|word| {
            let word = word.to_lowercase();
            word.starts_with(|c: char| c.is_ascii_digit())
                || lists().times.dates.contains(&word)
                || self.grammar.word_class(&word).has(WordClass::MONTH.or(WordClass::NUMBER))
        })
    }

    /// Records an alias after a name: "Odo, alias the Hook, …", "Odo “Hook” Brandt".
    fn read_aliases(&mut self, status: &AssertionStatus) {
        let Some(alias) = self.target(attribute::ALIAS) else { return };
        for index in 0..self.names.len() {
            let name = self.names[index];
            let owner = ResolvedEntity::certain(name.entity);
            let is_quoted = matches!(self.tokens.get(name.end).map(|token| token.kind), Some(TokenKind::Quote(_)));
            if is_quoted && name.end + 1 < self.tokens.len() && self.tokens[name.end + 1].is_capitalized {
                self.record_field(alias, &[owner], name.end, name.end + 1, Weight::BY_BRACKET, status);
                continue;
            }
            let follows_mark = self.tokens.get(name.end).is_some_and(|token| token.is_punctuation(",("));
            let introduces_alias = lists().names.alias_openers.contains(self.norm(name.end + 1));
            let is_end = |at: &usize| self.tokens[*at].is_punctuation(",.;)(");
            let from = name.end + 2 + usize::from(is_ignored(self.norm(name.end + 2)));
            let end = (from..self.tokens.len().min(from + 6)).find(is_end).unwrap_or(from);
            if follows_mark && introduces_alias && end > from {
                self.record_field(alias, &[owner], from, end, Weight::BY_BRACKET, status);
            }
        }
    }

    /// Records nicknames in quotation marks as aliases of their entities: "Odo (“Hook”)", "Odo “Hook” Brandt".
    pub(crate) fn read_nicknames(&mut self, nicknames: &[(EntityRef, &Nickname)]) {
        let status = self.sentence_status(false);
        let Some(alias) = self.target(attribute::ALIAS).filter(|_| !status.is_unasserted) else { return };
        for (entity, Nickname { name, span, .. }) in nicknames {
            let owner = ResolvedEntity::certain(*entity);
            let basis = FactBasis::new(&status, &[Weight::FIELD, Weight::BY_BRACKET]);
            self.record_value(alias, &owner, name.clone(), basis, *span);
        }
    }

    /// Records pronouns with a slash, as in "uses they/them".
    fn read_pronouns(&mut self, status: &AssertionStatus) {
        let slash = (1..self.tokens.len().saturating_sub(1)).find(|at| {
            self.tokens[*at].is_punctuation("/") && is_pronoun(self.norm(at - 1)) && is_pronoun(self.norm(at + 1))
        });
        let (Some(slash), Some(target)) = (slash, self.target(attribute::PRONOUNS)) else { return };
        let person = self.names.iter().find(|name| self.kinds(name.entity) == KindSet::PERSON).copied();
        let owners = match person {
            Some(name) => vec![ResolvedEntity::certain(name.entity)],
            None => self.topic(|kinds| kinds == KindSet::PERSON),
        };
        self.record_field(target, &owners, slash - 1, slash + 2, Weight::BY_BRACKET, status);
    }

    /// Records a date after a name: "The Mill Fire, on 3 November 1911, …".
    fn read_dates(&mut self, status: &AssertionStatus) {
        let Some(date) = self.target(attribute::DATE) else { return };
        for index in 0..self.names.len() {
            let name = self.names[index];
            if !self.tokens.get(name.end).is_some_and(|token| token.is_punctuation(",\u{2014}")) {
                continue;
            }
            let from = name.end + 1 + usize::from(lists().prepositions.dates.contains(self.norm(name.end + 1)));
            let is_end = |at: &usize| self.tokens[*at].is_punctuation(",.;\u{2014}");
            let end = (from..self.tokens.len().min(from + 8)).find(is_end).unwrap_or(from);
            if end > from && self.is_date(from, end) {
                let owner = ResolvedEntity::certain(name.entity);
                self.record_field(date, &[owner], from, end, Weight::BY_BRACKET, status);
            }
        }
    }

    /// Returns whether the tokens form a date, such as a year or a day, and contain no other words.
    fn is_date(&self, from: usize, to: usize) -> bool {
        let is_number = |at: usize| {
            self.tokens[at].kind == TokenKind::Number || self.norm(at).starts_with(|c: char| c.is_ascii_digit())
        };
        (from..to).any(is_number) && (from..to).all(|at| is_number(at) || self.is_calendar_word(self.norm(at)))
    }

    /// Records the objective after the name of a quest: "Dead Air: find out why the relay went silent".
    fn read_objective(&mut self, status: &AssertionStatus) {
        let Some(first_name) = self.names.first().copied().filter(|name| name.start < 2) else { return };
        let objective_start = first_name.end + 1;
        let is_quest = self.kinds(first_name.entity) == KindSet::QUEST;
        let forms = self.grammar.verb_forms.get(self.norm(objective_start));
        let is_instruction = forms.is_some_and(|forms| {
            forms.iter().any(|(_, form)| form.has(crate::language::conjugation::Inflections::BASE))
        });
        if is_quest
            && is_instruction
            && self.tokens.get(first_name.end).is_some_and(|token| token.is_punctuation(":\u{2014}"))
            && let Some(target) = self.target(attribute::OBJECTIVES)
        {
            let owner = ResolvedEntity::certain(first_name.entity);
            self.record_field(target, &[owner], objective_start, self.last_word_end(), Weight::BY_LABEL, status);
        }
    }

    /// Records a goal: "What Odo wants more than anything is to buy the barge", "All she asks is to be left alone".
    fn read_wish(&mut self, status: &AssertionStatus) {
        let is_wish_cleft = matches!(self.norm(0), "what" | "all")
            || (self.norm(0) == "the" && matches!(self.norm(2), "thing" | "wish"));
        let Some(goals) = self.target(attribute::GOALS).filter(|_| is_wish_cleft) else { return };
        let is_wish_verb = |lemma: &str| lists().verbs.wishes_in_clefts.contains(lemma);
        let wish_clause =
            self.clauses.iter().position(|clause| is_wish_verb(&self.chunks.verb_groups[clause.verb_group].lemma));
        let Some(wish_clause) = wish_clause else { return };
        let from = self.verb_group(wish_clause).end;
        let to_token =
            (from..self.tokens.len()).find(|at| self.norm(*at) == "to" && is_be_form(self.norm(at.saturating_sub(1))));
        let Some(to_token) = to_token else { return };
        let subjects = self.clauses[wish_clause].subjects.clone();
        let subjects = self.resolve_subjects(&subjects);
        self.record_field(goals, &subjects, to_token + 1, self.last_word_end(), Weight::BY_AIM, status);
    }
}
