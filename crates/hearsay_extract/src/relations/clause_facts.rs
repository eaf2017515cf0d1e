//! Extracts the facts of one clause, either from its verb or from the words after "is".

use hearsay_model::{ExtractionStage, Span, attribute};

use crate::{
    language::{conjugation::Inflections, weights::Weight, word_lists::lists},
    relations::copula::ClauseContext,
    sentence_reader::{FactBasis, ResolvedEntity, SentenceReader, assertion_status::AssertionStatus},
    syntax::{
        chunker::{Chunk, VerbForm},
        clauses::{Clause, SubjectSource},
    },
};

impl SentenceReader<'_> {
    pub(crate) fn read_clause(&mut self, at: usize, status: &AssertionStatus) {
        if status.is_unasserted {
            // A plan or a question states no fact, but its names still count as mentioned.
            return;
        }
        let clause = self.clause(at);
        let vg = self.verb_group(at);
        let mut subjects = self.resolve_subjects(&clause.subjects);
        if vg.is_omitted && clause.subjects.is_empty() && !self.speech.is_direct_speech {
            // In the note "In foul mood.", the subject is the person who was mentioned last.
            let last_person = self.history.last_person();
            subjects
                .extend(last_person.map(|entity| ResolvedEntity::uncertain(entity, Some(Weight::FAR_PRONOUN), None)));
        }
        // A note can begin with a participle: "Given by Odo.", "Owned by Odo."
        let mut is_participle_note = false;
        if subjects.is_empty() && self.lacks_subject(clause) {
            let forms = self.grammar.verb_forms.get(self.norm(vg.head));
            is_participle_note = vg.form != VerbForm::Ing
                && forms.is_some_and(|forms| forms.iter().any(|(_, form)| form.has(Inflections::PARTICIPLE)))
                && (vg.end..vg.end + 2).any(|at| self.norm(at) == "by");
            // In "Works for Odo." and "Given by Odo.", the subject is the topic of the text.
            subjects.extend(self.topic(|_| true));
        }
        let weight_names = self.clause_weights(clause, subjects.len());
        let basis = FactBasis::new(status, &weight_names);
        let context = ClauseContext { at, subjects: &subjects, basis };
        if self.read_ellipsis(context) {
            return;
        }
        let first_subject = clause.subjects.first().copied();
        let is_copula = vg.is_copula || (self.grammar.verb_properties(&vg.lemma).is_seeming && !vg.is_passive);
        let mut has_facts = false;
        if is_copula || vg.is_passive || is_participle_note {
            let is_fronted = clause.rest_items.start < clause.verb_item;
            let from = match is_fronted {
                true => self.chunk_start(clause.rest_items.start),
                false if vg.is_passive || is_participle_note => vg.head,
                false => vg.end,
            };
            has_facts |= self.read_complement(context, from, first_subject);
        }
        if (!has_facts || vg.is_passive) && !vg.is_copula {
            has_facts |= self.read_verb(context);
        }
        let has_got = vg.lemma == "get" && vg.is_perfect;
        if !has_facts && (has_got || lists().verbs.possession.contains(vg.lemma.as_str())) {
            has_facts |= self.read_possession(context);
        }
        // Example: "lies unconscious in the cellar"
        let condition = self.target(attribute::CONDITION);
        let is_posture = lists().verbs.postures.contains(vg.lemma.as_str());
        if is_posture
            && self
                .grammar
                .adjective_attributes(self.norm(vg.end))
                .first()
                .is_some_and(|(target, _)| Some(*target) == condition)
        {
            has_facts |= self.read_adjective(context, vg.end).is_some();
        }
        if !has_facts && self.read_goal(context) {
            return;
        }
        has_facts |= self.read_population(context, clause);
        if !has_facts {
            has_facts = self.read_lone_participle(context);
        }
        if !has_facts && !vg.is_copula && !status.has_would && !status.has_can && !vg.is_omitted {
            self.run_stage(ExtractionStage::RelationCandidates, |reader| reader.read_unmatched_verb(context));
        }
    }

    /// Returns the names of the weights that follow from the form of a clause and from the number of its subjects.
    fn clause_weights(&self, clause: &Clause, subject_count: usize) -> Vec<Weight> {
        let is_telegraphic =
            self.chunks.verb_groups[clause.verb_group].is_omitted || clause.subject_source == SubjectSource::Missing;
        let mut weight_names: Vec<Weight> = Vec::new();
        weight_names.extend(is_telegraphic.then_some(Weight::TELEGRAPH));
        weight_names.extend((subject_count > 1).then_some(Weight::LIST));
        // A subject that is not directly before its verb is more often the wrong one.
        weight_names.extend(match clause.subject_source {
            SubjectSource::Shared => Some(Weight::SHARED),
            SubjectSource::Antecedent => Some(Weight::RELATIVE),
            SubjectSource::Inverted => Some(Weight::INVERTED),
            SubjectSource::Control => Some(Weight::CONTROL),
            SubjectSource::Direct | SubjectSource::Missing => None,
        });
        weight_names
    }

    /// Records the condition that a clause states with a participle alone: "Dross wounded." Returns whether the clause
    /// states a condition.
    fn read_lone_participle(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let (clause, vg) = (self.clause(at), self.verb_group(at));
        let is_participle = (vg.is_past || vg.form != VerbForm::Finite) && !vg.is_progressive;
        let next_word = self.syntax.word(clause.rest_items.start);
        let stands_alone = self.syntax.noun_group_at(clause.verb_item + 1).is_none()
            && (clause.rest_items.is_empty() || matches!(next_word, "," | "and"));
        if vg.is_copula || vg.is_negated || !is_participle || !stands_alone {
            return false;
        }
        let word = self.norm(vg.head).to_owned();
        let Some((target, _)) = self.grammar.adjective_attributes(&word).first().copied() else { return false };
        if self.grammar.targets[target].predicate != *attribute::CONDITION {
            return false;
        }
        let weight_names = [basis.weight_names, &[Weight::TELEGRAPH]].concat();
        let span = self.clause_span(at, vg.end);
        for subject in subjects {
            self.record_value(target, subject, word.clone(), basis.with_weights(&weight_names), span);
        }
        true
    }

    /// Returns whether a clause opens a sentence that has no subject at all, as in "Works for Odo."
    fn lacks_subject(&self, clause: &Clause) -> bool {
        let vg = &self.chunks.verb_groups[clause.verb_group];
        let is_first = (0..clause.verb_item).all(|item| self.is_skippable(item));
        let is_statement = !vg.is_base_form
            && self.norm(vg.head) != "be"
            && vg.modal.is_none()
            && vg.form != VerbForm::Infinitive
            && !vg.is_omitted;
        let no_clause_has_subject = self.clauses.iter().all(|other| other.subjects.is_empty());
        is_first && is_statement && no_clause_has_subject && clause.subjects.is_empty() && !self.is_question()
    }

    /// Records a population: "Some three hundred people live in Gullhaven."
    fn read_population(&mut self, context: ClauseContext<'_>, clause: &Clause) -> bool {
        let ClauseContext { at, basis, .. } = context;
        let [np] = clause.subjects[..] else { return false };
        let group = self.chunks.noun_groups[np].clone();
        let is_dwelling = lists().verbs.dwelling.contains(self.verb_group(at).lemma.as_str());
        let has_number = (group.start..group.end).any(|token| self.is_number(self.norm(token)));
        let Some(population) =
            self.target(attribute::POPULATION).filter(|_| is_dwelling && has_number && group.name.is_none())
        else {
            return false;
        };
        let item = clause.rest_items.clone().find(|item| self.syntax.noun_group_at(*item).is_some());
        let Some(place) = item.and_then(|item| self.syntax.noun_group_at(item)) else { return false };
        let places = self.resolve(place, &[]);
        let (value, span) =
            (self.source_text(group.start, group.end), self.clause_span(at, self.chunks.noun_groups[place].end));
        let fact_count = self.facts.len();
        for place in &places {
            self.record_value(population, place, value.clone(), basis, span);
        }
        self.facts.len() > fact_count
    }

    pub(crate) fn resolve_subjects(&mut self, nps: &[usize]) -> Vec<ResolvedEntity> {
        self.resolve_all(nps, &[])
    }

    pub(crate) fn clause_span(&self, at: usize, end: usize) -> Span {
        let clause = &self.clauses[at];
        let vg = self.verb_group(at);
        let first =
            clause.subjects.iter().map(|np| self.chunks.noun_groups[*np].start).min().unwrap_or(vg.start).min(vg.start);
        self.span(first, end.saturating_sub(1).max(vg.end.saturating_sub(1)))
    }

    /// Returns the token after an item.
    pub(crate) fn chunk_end(&self, item: usize) -> usize {
        match self.chunks.items.get(item) {
            Some(Chunk::NounGroup(np)) => self.chunks.noun_groups[*np].end,
            Some(Chunk::VerbGroup(vg)) => self.chunks.verb_groups[*vg].end,
            Some(Chunk::Token(at)) => at + 1,
            None => self.tokens.len(),
        }
    }

    pub(crate) fn chunk_start(&self, item: usize) -> usize {
        match self.chunks.items.get(item) {
            Some(Chunk::NounGroup(np)) => self.chunks.noun_groups[*np].start,
            Some(Chunk::VerbGroup(vg)) => self.chunks.verb_groups[*vg].start,
            Some(Chunk::Token(at)) => *at,
            None => self.tokens.len(),
        }
    }

    /// Returns the first token of a noun group after its article or possessive pronoun.
    pub(crate) fn chunk_content_start(&self, item: usize) -> usize {
        match self.chunks.items.get(item) {
            Some(Chunk::NounGroup(np)) => {
                let group = &self.chunks.noun_groups[*np];
                match group.article {
                    Some(article) if lists().determiners.outside_values.contains(self.norm(article)) => article + 1,
                    _ if group.owner.is_some()
                        && !group.owner_is_name
                        && self.chunks.noun_groups[group.owner.unwrap_or_default()].is_pronoun =>
                    {
                        group.content_start
                    }
                    _ => group.start,
                }
            }
            _ => self.chunk_start(item),
        }
    }

    /// Returns the token after a value that begins at an item. The value is a noun group with its prepositional
    /// phrases.
    pub(crate) fn value_end(&self, item: usize, to: usize) -> usize {
        let mut end = item + 1;
        while end + 1 < to
            && self.syntax.is_preposition(end)
            && self.syntax.noun_group_at(end + 1).is_some()
            && lists().prepositions.in_values.contains(self.syntax.word(end))
        {
            end += 2;
        }
        self.chunk_end(end - 1)
    }
}
