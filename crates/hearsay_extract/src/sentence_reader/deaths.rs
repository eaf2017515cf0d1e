//! Finds out who is dead according to words such as "dead".

use hearsay_model::{Object, Span, Value, attribute, words::is_article};

use super::{FactBasis, RawFact, RawObject, ResolvedEntity, SentenceReader, pronouns::pronoun_gender};
use crate::{
    entities::{lexicon::Gender, mentions::EntityRef},
    language::{
        grammar::Pattern, kind_set::KindSet, predicate_properties::PredicateProperties, weights::Weight,
        word_lists::lists,
    },
    sentence_reader::assertion_status::AssertionStatus,
    syntax::{
        chunker::{NounGroup, VerbForm},
        clauses::{Clause, ClauseType},
    },
    text::tokenizer::Token,
};

impl SentenceReader<'_> {
    /// Returns whether a value of a target means that the entity is dead.
    pub(crate) fn means_death(&self, target: usize, value: &str) -> bool {
        let behavior = self.vocabulary.behavior(&self.grammar.targets[target].predicate);
        behavior.means_death(&Object::Value(Value::from(value)))
    }

    /// Returns a value without the place of a death: `dead` for "dead across the table". In "dead on his feet" and "dead on
    /// time", nobody is dead.
    pub(super) fn without_place_of_death(&self, target: usize, value: String) -> String {
        let mut words = value.split(' ');
        let [Some(first), Some(preposition), Some(place)] = [words.next(), words.next(), words.next()] else {
            return value;
        };
        let is_place = lists().prepositions.after_deaths.contains(preposition) && (is_article(place) || place == "it");
        match is_place && self.means_death(target, first) {
            true => first.to_owned(),
            false => value,
        }
    }

    /// Returns whether a value in the words at `span` means a death, but not the death of `subject`. In "Odo's dog is
    /// dead" and "Odo found Pell dead", Odo is not dead. In "Odo is dead tired" and "dead to the world", nobody is dead.
    pub(super) fn is_death_of_other(&mut self, target: usize, subject: EntityRef, value: &str, span: Span) -> bool {
        if !self.means_death(target, value) {
            return false;
        }
        let word = value.to_lowercase();
        let is_value = |token: &Token| span.start <= token.start && token.end <= span.end && token.norm == word;
        let Some(at) = self.tokens.iter().position(is_value) else { return false };
        let dead_groups = self.dead_noun_groups(at);
        let mut dead_entities = Vec::new();
        for np in &dead_groups {
            dead_entities.extend(self.resolve(*np, &[]));
        }
        let is_subject_dead = dead_entities.iter().any(|dead| dead.entity == subject && !dead.is_relative);
        self.is_intensifier(at)
            || self.begins_other_state(at)
            || at == 0 && self.is_dead_fragment()
            || (!dead_groups.is_empty() && !is_subject_dead)
    }

    /// If a pronoun names the dead, and an earlier verb of the sentence has the entity as its subject and another person
    /// as its object, returns this person. In "Odo stabs Bram and he dies", Bram is dead. If the entity harmed a person in
    /// the previous sentence, returns this person: "Odo stabs Bram. He dies." `span` contains the words of the fact, which
    /// begin with the pronoun.
    pub(super) fn object_of_dead_agent(&mut self, dead: &ResolvedEntity, span: Span) -> Option<ResolvedEntity> {
        let pronoun = self.tokens.iter().find(|token| token.start == span.start)?;
        let pronoun_gender = pronoun_gender(&pronoun.norm)?;
        let acts_before = |clause: &&Clause| {
            let verb = &self.chunks.verb_groups[clause.verb_group];
            let is_active = verb.form == VerbForm::Finite && !verb.is_passive && !verb.is_copula && !verb.is_negated;
            is_active && self.tokens[verb.start].start < span.start
        };
        let actions: Vec<(Vec<usize>, usize)> = self
            .clauses
            .iter()
            .filter(acts_before)
            .filter_map(|clause| Some((clause.subjects.clone(), self.syntax.noun_group_at(clause.rest_items.start)?)))
            .collect();
        let object = actions.into_iter().rev().find_map(|(subjects, object)| {
            let is_agent = self.resolve_all(&subjects, &[]).iter().any(|agent| agent.entity == dead.entity);
            let object = self.resolve(object, &[]).into_iter().next().filter(|object| !object.is_relative)?;
            (is_agent && self.can_be_meant(object.entity, pronoun_gender, dead)).then_some(object.entity)
        });
        let harm = self.history.previous_harm().filter(|harm| harm.agent == dead.entity);
        let victim = harm.map(|harm| harm.victim).filter(|victim| self.can_be_meant(*victim, pronoun_gender, dead));
        let meant = object.or(victim)?;
        Some(ResolvedEntity::uncertain(meant, Some(Weight::PRONOUN), Some(Weight::DOUBTFUL_PRONOUN)))
    }

    /// Returns whether a pronoun of the gender can refer to a person other than `dead`.
    fn can_be_meant(&self, entity: EntityRef, pronoun_gender: Gender, dead: &ResolvedEntity) -> bool {
        let gender = self.gender(entity);
        let is_other_person = self.kinds(entity).intersects(KindSet::PERSON) && entity != dead.entity;
        is_other_person && (gender == pronoun_gender || gender == Gender::Unknown)
    }

    /// Records the last harm that the sentence states. A pronoun in the next sentence can refer to the victim: "Odo stabs
    /// Bram. He is dead."
    pub(super) fn record_harm(&mut self) {
        let harm = |fact: &RawFact| {
            let target = &self.grammar.targets[fact.pattern_target];
            let RawObject::Entity(object) = fact.object else { return None };
            let is_stated = !fact.denied && !fact.ended && !fact.weight_names.is_candidate();
            let (agent, victim) = if target.is_inverse { (object, fact.subject) } else { (fact.subject, object) };
            (is_stated && target.has(PredicateProperties::HARM)).then_some((agent, victim))
        };
        if let Some((agent, victim)) = self.facts.iter().rev().find_map(harm) {
            self.history.record_harm(agent, victim);
        }
    }

    /// Records the death of each person whom somebody finds or leaves dead: "They find Odo murdered in the cellar."
    pub(crate) fn read_found_dead(&mut self, statuses: &[AssertionStatus]) {
        for (at, status) in statuses.iter().enumerate().filter(|(_, status)| status.is_plain_assertion()) {
            let vg = self.verb_group(at);
            let is_finding = lists().verbs.finding.contains(vg.lemma.as_str());
            if !is_finding || vg.form != VerbForm::Finite || vg.is_passive || vg.modal.is_some() {
                continue;
            }
            let (found, _) = self.syntax.noun_list(self.clauses[at].verb_item + 1, self.chunks.items.len());
            let Some(word) = found.last().map(|np| self.noun_group(*np).end) else { continue };
            if !self.states_death(word) {
                continue;
            }
            let span = self.clause_span(at, word + 1);
            let basis = FactBasis::new(status, &[Weight::STRONG, Weight::BY_VERB]);
            for person in self.resolve_all(&found, &[]) {
                self.record_death(&person, basis, span);
            }
        }
    }

    /// Records the death that a word without a verb states: "Odo falls from the wall, dead." and "Odo falls. Dead before
    /// Pell reaches him."
    pub(crate) fn read_verbless_death(&mut self, statuses: &[AssertionStatus]) {
        if !self.is_dead_fragment() {
            self.read_final_death(statuses);
            return;
        }
        let Some(person) = self.history.only_previous_person() else { return };
        let (person, status) =
            (ResolvedEntity::uncertain(person, Some(Weight::FAR_PRONOUN), None), self.sentence_status(false));
        let (basis, span) = (FactBasis::new(&status, &[Weight::STRONG, Weight::BY_ADJECTIVE]), self.span(0, 0));
        self.record_death(&person, basis, span);
    }

    /// Records the death of the only person in a sentence that ends with a word such as "dead" after a comma. If there is
    /// another person, this person can be the dead one.
    fn read_final_death(&mut self, statuses: &[AssertionStatus]) {
        let is_end = |token: &Token| token.is_punctuation(".!;\u{2026}");
        let Some(word) = self.tokens.iter().rposition(|token| !is_end(token)) else { return };
        let has_intensifier = word > 0 && lists().adverbs.intensifiers.contains(self.norm(word - 1));
        let start = word - usize::from(has_intensifier);
        let is_death = lists().adjectives.deaths.contains(self.norm(word)) && start > 0 && self.norm(start - 1) == ",";
        let is_person = |np: &usize| {
            let group = self.noun_group(*np);
            let name = group.name.map(|name| self.names[name].entity);
            name.is_some_and(|name| self.kinds(name).intersects(KindSet::PERSON))
                || pronoun_gender(self.norm(group.head)).is_some()
        };
        let persons: Vec<usize> = (0..self.chunks.noun_groups.len()).filter(is_person).collect();
        let [person] = persons[..] else { return };
        let is_own = |clause: &Clause| {
            let is_finite = self.chunks.verb_groups[clause.verb_group].form == VerbForm::Finite;
            is_finite && clause.subjects == [person]
        };
        let Some(at) = self.clauses.iter().position(is_own).filter(|_| is_death) else { return };
        // In "Odo does not get up, dead", the negation does not include the death.
        let status = AssertionStatus { denied: false, ended: false, ..statuses[at].clone() };
        if status.is_plain_assertion() {
            let basis = FactBasis::new(&status, &[Weight::STRONG, Weight::BY_ADJECTIVE]);
            let span = self.clause_span(at, word + 1);
            for dead in self.resolve(person, &[]) {
                self.record_death(&dead, basis, span);
            }
        }
    }

    /// Returns whether the sentence begins with a word such as "dead" and a clause about the time, so that the dead person
    /// is somebody of the sentence before: "Dead before Odo reaches him."
    fn is_dead_fragment(&self) -> bool {
        let begins_time = |clause: &Clause| {
            let ClauseType::Adverbial(conjunction) = &clause.clause_type else { return false };
            lists().conjunctions.before_clauses.contains(conjunction) && self.chunk_start(clause.start) == 1
        };
        lists().adjectives.deaths.contains(self.norm(0)) && self.clauses.iter().any(begins_time)
    }

    /// Returns whether a word after the name of a person says that the person is dead.
    fn states_death(&self, word: usize) -> bool {
        let is_death = lists().adjectives.deaths.contains(self.norm(word)) && self.norm(word + 1) != "or";
        is_death && !self.is_intensifier(word) && !self.begins_other_state(word)
    }

    /// Returns whether a word such as "dead" begins a phrase for a state in which nobody is dead, such as "dead to the
    /// world".
    fn begins_other_state(&self, word: usize) -> bool {
        let grammar = self.grammar;
        let is_other_state = |pattern: &Pattern| {
            let value = pattern.value.as_deref();
            value.is_some_and(|value| !self.means_death(pattern.target, value))
                && self.match_phrase(pattern, word + 1, self.tokens.len()).is_some()
        };
        let mut phrases = grammar.phrase_patterns.get(self.norm(word)).into_iter().flatten();
        phrases.any(is_other_state)
    }

    /// Records the death of the person whose neck breaks: "Odo breaks his neck." Returns whether a death was recorded.
    /// `at` is the clause of the verb.
    pub(crate) fn read_broken_neck(&mut self, at: usize, subjects: &[ResolvedEntity], basis: FactBasis<'_>) -> bool {
        let vg = self.verb_group(at);
        let is_act = vg.form == VerbForm::Finite && !vg.is_passive && !vg.is_progressive && vg.modal.is_none();
        let is_breaking = is_act && lists().verbs.breaking.contains(vg.lemma.as_str());
        let part = self.syntax.noun_group_at(self.clauses[at].rest_items.start).map(|np| self.noun_group(np));
        // "Breaks his neck to please her" is only an effort.
        let is_fatal =
            |part: &&NounGroup| lists().nouns.fatal_parts.contains(self.norm(part.head)) && self.norm(part.end) != "to";
        let part = part.filter(|part| is_breaking && basis.status.is_plain_assertion() && is_fatal(part));
        let Some((end, owner)) = part.and_then(|part| Some((part.end, part.owner?))) else { return false };
        let pronoun = self.noun_group(owner).is_pronoun.then(|| self.norm(self.noun_group(owner).head));
        let victims = match pronoun.map(pronoun_gender) {
            // A person who says "I broke my neck" is alive.
            Some(None) => return false,
            Some(Some(gender)) => {
                let is_own =
                    |subject: &&ResolvedEntity| [gender, Gender::Unknown].contains(&self.gender(subject.entity));
                let own: Vec<ResolvedEntity> = subjects.iter().filter(is_own).copied().collect();
                if own.is_empty() { self.resolve(owner, &[]) } else { own }
            }
            None => self.resolve(owner, &[]),
        };
        let (span, fact_count) = (self.clause_span(at, end), self.facts.len());
        let weight_names = [basis.weight_names, &[Weight::STRONG, Weight::BY_VERB]].concat();
        for victim in &victims {
            self.record_death(victim, basis.with_weights(&weight_names), span);
        }
        self.facts.len() > fact_count
    }

    /// Records that a person is dead, unless the sentence has already stated the condition of the person.
    pub(crate) fn record_death(&mut self, person: &ResolvedEntity, basis: FactBasis<'_>, span: Span) {
        let Some(condition) = self.target(attribute::CONDITION) else { return };
        let is_known = self.facts.iter().any(|fact| fact.subject == person.entity && fact.target == condition);
        if self.kinds(person.entity) == KindSet::PERSON && !is_known {
            self.record_value(condition, person, "dead".to_owned(), basis, span);
        }
    }

    /// Returns the noun groups that a word such as "dead" at token `at` describes: the noun group that contains the word
    /// or ends directly before it, or else the subjects of the clause. Returns nothing if there is no such noun group.
    fn dead_noun_groups(&self, at: usize) -> Vec<usize> {
        let find_group = |is_match: fn(&NounGroup, usize) -> bool| {
            let is_match = |np: usize| is_match(self.noun_group(np), at);
            (0..self.chunks.items.len()).find(|item| self.syntax.noun_group_at(*item).is_some_and(is_match))
        };
        let containing_item = find_group(|group, at| group.start <= at && at < group.end);
        if let Some(mut item) = containing_item.or_else(|| find_group(|group, at| group.end == at)) {
            // In "found the brother of Pell dead", the brother is dead.
            while item > 1 && self.syntax.word(item - 1) == "of" && self.syntax.noun_group_at(item - 2).is_some() {
                item -= 2;
            }
            return self.syntax.noun_group_at(item).into_iter().collect();
        }
        let contains = |first: usize, last: usize| self.chunk_start(first) <= at && at < self.chunk_end(last);
        let clause = self.clauses.iter().rfind(|clause| {
            let last_item = clause.last_item().max(clause.verb_item);
            contains(clause.verb_item, last_item)
        });
        clause.map(|clause| clause.subjects.clone()).unwrap_or_default()
    }
}
