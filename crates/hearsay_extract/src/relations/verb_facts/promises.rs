//! Reads the promises of a speaker: "I promise", "Odo, I promise I will pay".

use crate::{
    language::{
        grammar::{Pattern, PatternPart},
        predicate_properties::PredicateProperties,
        weights::{DoubtFactor, Weight},
    },
    relations::copula::ClauseContext,
    sentence_reader::{FactBasis, ResolvedEntity, SentenceReader},
    syntax::{
        chunker::{VerbForm, VerbGroup},
        clauses::{Clause, ClauseType},
    },
};

/// Returns whether a verb group is about the future.
fn is_future(vg: &VerbGroup) -> bool {
    vg.modal.is_some() || vg.has_going_to
}

impl<'a> SentenceReader<'a> {
    /// Records a promise of the speaker to the only hearer, or to the person whom the speaker addressed last, as in "I
    /// promise", "I promise I will pay" and "I will pay, you have my word".
    pub(super) fn read_promise_to_hearer(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, basis, .. } = context;
        let (clause, vg) = (&self.clauses[at], self.verb_group(at));
        let object = self.syntax.noun_group_at(clause.rest_items.start).filter(|_| !clause.rest_items.is_empty());
        let has_other_object = object.is_some_and(|np| self.norm(self.noun_group(np).head) != "you");
        let is_own = self.is_own_clause(clause) && !(vg.is_past || vg.is_perfect || vg.is_passive) && !has_other_object;
        let speaker = self.speech.speaker.filter(|_| self.speech.is_direct_speech);
        let grammar = self.grammar;
        let oath = || grammar.oath_pattern(&vg.lemma).filter(|_| self.announces_act(at));
        let own_promise = || grammar.promise_pattern(&vg.lemma).or_else(oath);
        let promise = (is_own && self.is_about_future(at)).then(own_promise).flatten();
        let assurance = if promise.is_none() { self.assurance(at) } else { None };
        let (Some(pattern), Some(speaker)) = (promise.or(assurance), speaker) else { return false };
        let mut status = basis.status.clone();
        // "I promise" alone may only confirm what was said before: "I saw nothing. I promise."
        let is_act = |other: &Clause| {
            let vg = &self.chunks.verb_groups[other.verb_group];
            is_future(vg) || vg.form == VerbForm::Infinitive
        };
        let follows_announcement = self.history.announced_in_sentence.is_some_and(|at| at + 1 == self.history.sentence);
        let (end, mut span) = (vg.end, self.clause_span(at, vg.end));
        // The words of an assurance include the act that precedes it.
        if let Some(act) = self.announcing_clause(at).filter(|act| assurance.is_some() && *act < at) {
            span.start = span.start.min(self.clause_span(act, end).start);
        }
        if !(follows_announcement || object.is_some() || self.clauses.iter().any(is_act)) {
            self.apply_doubt(&mut status, DoubtFactor::HEDGE, None);
        }
        let weight_names = [&pattern.with_strength(basis.weight_names)[..], &[Weight::BY_VERB]].concat();
        let basis = FactBasis::new(&status, &weight_names);
        let mut hearers = self.resolve_pronoun("you", end, &[]);
        if hearers.is_empty() {
            let addressed = self.set_off_person().or(self.history.addressed);
            hearers.extend(addressed.map(|hearer| ResolvedEntity::uncertain(hearer, Some(Weight::PRONOUN), None)));
        }
        let fact_count = self.facts.len();
        for hearer in hearers {
            let speaker = ResolvedEntity::certain(speaker);
            self.record_relation(pattern.target, (&speaker, &hearer), &pattern.words, basis, span);
        }
        self.facts.len() > fact_count
    }

    /// Notes whom the speaker addresses in this sentence, and whether the speaker announces an act. A promise in a later
    /// sentence can refer to both: "I will pay you, Odo. I promise."
    pub(crate) fn note_announcement(&mut self) {
        if !self.speech.is_direct_speech {
            return;
        }
        self.history.addressed = self.set_off_person().or(self.history.addressed);
        let announces = |clause: &Clause| {
            self.is_own_clause(clause) && is_future(&self.chunks.verb_groups[clause.verb_group]) && !self.is_question()
        };
        if self.clauses.iter().any(announces) {
            self.history.announced_in_sentence = Some(self.history.sentence);
        }
    }

    /// Returns the pattern of a clause in which the speaker gives a word for an act: "I will pay, you have my word". The
    /// speaker announces the act in another clause of the sentence, or in the sentence before.
    fn assurance(&self, at: usize) -> Option<&'a Pattern> {
        let (clause, vg) = (&self.clauses[at], self.verb_group(at));
        let follows_announcement = self.history.announced_in_sentence.is_some_and(|at| at + 1 == self.history.sentence);
        let is_asserted = !(vg.is_negated || vg.is_past || vg.is_perfect || vg.is_passive || self.is_question());
        let has_act = follows_announcement || self.announcing_clause(at).is_some();
        if !is_asserted || !has_act || !self.is_about_future(at) {
            return None;
        }
        let has_hearer_as_subject = vg.start.checked_sub(1).is_some_and(|before| self.norm(before) == "you");
        let to = self.chunk_end(clause.last_item()).max(vg.end).min(self.tokens.len());
        let contains = |word: &str| (vg.start..to).any(|token| self.norm(token) == word);
        let is_word = |part: &PatternPart| matches!(part, PatternPart::Word(word) if word != "to");
        let is_said = |part: &PatternPart| !matches!(part, PatternPart::Word(word) if !contains(word));
        let grammar = self.grammar;
        let mut patterns = grammar.verb_patterns.get(&vg.lemma)?.iter();
        patterns.find(|pattern| {
            grammar.targets[pattern.target].has(PredicateProperties::PROMISE)
                && !pattern.is_weak
                && if pattern.is_reversed { has_hearer_as_subject } else { self.is_own_clause(clause) }
                && pattern.parts.iter().any(is_word)
                && pattern.parts.iter().all(is_said)
                && ["my", "our"].into_iter().any(contains)
        })
    }

    /// Returns whether the speaker announces an act in a clause beside the clause `at`: true for "I swear I will pay", false
    /// for "I swear I saw it" and "I swear you will pay".
    fn announces_act(&self, at: usize) -> bool {
        self.announcing_clause(at).is_some()
    }

    /// Returns the clause in which the speaker [announces](Self::announces_act) an act.
    fn announcing_clause(&self, at: usize) -> Option<usize> {
        let is_intended = |vg: &VerbGroup| vg.has_going_to || matches!(vg.modal.as_deref(), Some("will" | "shall"));
        (0..self.clauses.len()).find(|other_at| {
            let (other_at, other) = (*other_at, &self.clauses[*other_at]);
            let vg = &self.chunks.verb_groups[other.verb_group];
            let is_dependent = other.parent == Some(at) || other_at == at + 1;
            let is_infinitive = is_dependent && vg.form == VerbForm::Infinitive;
            other_at != at && (is_infinitive || self.is_own_clause(other) && is_intended(vg))
        })
    }

    /// Returns whether the subject of a clause is the speaker.
    fn is_own_clause(&self, clause: &Clause) -> bool {
        clause.subjects.iter().any(|np| matches!(self.norm(self.noun_group(*np).head), "i" | "we"))
    }

    /// Returns whether the reported clause is about the future: true for "swore to her that he would come", false for
    /// "swore that he had seen it". Also true if the verb has no reported clause.
    pub(super) fn is_about_future(&self, at: usize) -> bool {
        let complement = self
            .clauses
            .iter()
            .find(|other| other.parent == Some(at) && *other.clause_type() == ClauseType::Complement);
        complement.is_none_or(|complement| is_future(&self.chunks.verb_groups[complement.verb_group]))
    }
}
