//! Finds the source that a text names for a statement: "according to Hope", "says Odo", "Rafi's theory is that …".

use std::ops::Range;

use crate::{
    entities::mentions::{EntityRef, NameMention},
    facts::{Cue, CueKind},
    language::{grammar::CueType, kind_set::KindSet, weights::DoubtFactor, word_lists::lists},
    sentence_reader::{SentenceReader, assertion_status::AssertionStatus},
    syntax::{chunker::VerbForm, clauses::SubjectSource},
};

impl SentenceReader<'_> {
    /// Returns the source that an aside names, as in "The mill, says Odo, is cursed", and whether the source only
    /// thinks so. The source is `None` if the name matches no entity.
    pub(crate) fn parenthetical_source(&mut self) -> Option<(Option<EntityRef>, bool)> {
        if self.syntax.has_quote() {
            return None;
        }
        // Example: "…, or so Nessa claims"
        let so_clause = (0..self.clauses.len()).find(|at| {
            let clause = &self.clauses[*at];
            let first_token = clause.subjects.first().map(|np| self.chunks.noun_groups[*np].start);
            let properties = self.grammar.verb_properties(&self.verb_group(*at).lemma);
            (properties.is_speech || properties.is_thought)
                && first_token.is_some_and(|at| {
                    let previous_word = at.checked_sub(2).map_or("", |at| self.norm(at));
                    at > 2
                        && matches!(self.norm(at - 1), "so" | "as")
                        && lists().conjunctions.before_sources.contains(previous_word)
                })
        });
        if let Some(at) = so_clause {
            let subjects = self.clauses[at].subjects.clone();
            return self.resolve_all(&subjects, &[]).first().map(|source| (Some(source.entity), true));
        }
        // Example: "As Anselm tells it, …"
        let is_telling_verb = |at: &usize| {
            let vg = self.verb_group(*at);
            lists().verbs.telling.contains(vg.lemma.as_str()) && !vg.is_passive && !vg.is_negated
        };
        if self.norm(0) == "as"
            && let Some(first_clause) = Some(0).filter(|_| !self.clauses.is_empty()).filter(is_telling_verb)
            && (self.verb_group(first_clause).end..self.verb_group(first_clause).end + 5).any(|at| self.norm(at) == ",")
        {
            let subjects = self.clauses[first_clause].subjects.clone();
            return self.resolve_all(&subjects, &[]).first().map(|source| (Some(source.entity), false));
        }
        // Example: "Hakim told me straight, Odo hates her."
        if let [first_clause, next_clause, ..] = self.clauses
            && self.verb_group(0).lemma == "tell"
            && self.verb_group(0).form == VerbForm::Finite
            && !self.verb_group(0).is_passive
            && !self.verb_group(0).is_negated
            && matches!(
                (first_clause.subject_source, next_clause.subject_source),
                (SubjectSource::Direct, SubjectSource::Direct)
            )
            && next_clause.parent.is_none()
            && let Some(comma) = (self.verb_group(0).end..self.verb_group(0).end + 4).find(|at| self.norm(*at) == ",")
            && self.chunk_start(next_clause.start) == comma + 1
        {
            let subjects = first_clause.subjects.clone();
            return self.resolve_all(&subjects, &[]).first().map(|source| (Some(source.entity), false));
        }
        let reporting_clause = (0..self.clauses.len()).find(|at| {
            let clause = &self.clauses[*at];
            let vg = self.verb_group(*at);
            let properties = self.grammar.verb_properties(&vg.lemma);
            let follows_comma = clause.start > 0 && self.syntax.word(clause.start - 1) == ",";
            let is_final = clause.rest_items.start >= self.chunks.items.len()
                || lists().prepositions.after_reports.contains(self.syntax.word(clause.rest_items.start));
            (properties.is_speech || properties.is_thought)
                && vg.form == VerbForm::Finite
                && !lists().verbs.not_parenthetical.contains(vg.lemma.as_str())
                && !vg.is_passive
                && !vg.is_negated
                && matches!(clause.subject_source, SubjectSource::Direct | SubjectSource::Inverted)
                && follows_comma
                && is_final
                && !self.clauses.iter().any(|other| other.parent == Some(*at))
        })?;
        let is_thought = self.grammar.verb_properties(&self.verb_group(reporting_clause).lemma).is_thought;
        let subjects = self.clauses[reporting_clause].subjects.clone();
        Some((self.resolve_all(&subjects, &[]).first().map(|source| source.entity), is_thought))
    }

    /// Returns the source of a clause such as "Rafi's theory is that …", and whether the source only believes it.
    pub(crate) fn source_of_report_noun(&mut self, clause: usize) -> Option<(EntityRef, bool)> {
        let [np] = self.clauses[clause].subjects[..] else { return None };
        let head = self.norm(self.chunks.noun_groups[np].head).to_owned();
        let is_belief = lists().nouns.beliefs.contains(head.as_str());
        if !is_belief && !lists().nouns.reports.contains(head.as_str()) {
            return None;
        }
        let item = self.chunk_of(np);
        let owners = self.owners(np, item, &["of", "from", "by"]);
        owners.first().map(|owner| (owner.entity, is_belief))
    }

    pub(crate) fn according_to_source(&mut self) -> Option<EntityRef> {
        let cue = self.cues.iter().find(|cue| cue.cue_type == CueType::AccordingTo).map(|cue| cue.end);
        let np = match cue {
            Some(end) => self.chunks.noun_groups.iter().position(|np| np.start == end && np.owner.is_none()),
            None => {
                // Example: "In Lyra's telling, …"
                let is_in_telling = |name: &&NameMention| {
                    let previous_word = name.start.checked_sub(1).map_or("", |at| self.norm(at));
                    let is_possessive =
                        lists().prepositions.of_tellings.contains(previous_word) && self.norm(name.end) == "'s";
                    is_possessive && self.norm(name.end + 1) == "telling"
                };
                if let Some(name) = self.names.iter().find(is_in_telling) {
                    return Some(name.entity);
                }
                let owner_of_report = |np: &crate::syntax::chunker::NounGroup| {
                    np.owner.filter(|_| {
                        (lists().nouns.reports.contains(self.norm(np.head))
                            || lists().nouns.beliefs.contains(self.norm(np.head)))
                            && np.start > 0
                            && lists().prepositions.of_sources.contains(self.norm(np.start - 1))
                    })
                };
                self.chunks.noun_groups.iter().find_map(owner_of_report)
            }
        }?;
        self.resolve(np, &[]).first().map(|source| source.entity)
    }

    /// Sets the speaker and the hearers of a reported clause. The speaker is the subject of the verb of speech, or its
    /// agent in the passive. If no speaker is found, the clause counts as a rumour.
    pub(crate) fn set_reported_source(&mut self, parent: usize, status: &mut AssertionStatus) {
        let subjects = self.clauses[parent].subjects.clone();
        let mut speakers = self.resolve_all(&subjects, &[]);
        // Example: "Wibble's letter says"
        if speakers.is_empty()
            && let [np] = subjects[..]
        {
            let item = self.chunk_of(np);
            speakers = self.owners(np, item, &["of", "from", "by"]);
            speakers.retain(|resolved_entity| self.kinds(resolved_entity.entity).intersects(KindSet::PERSON));
        }
        // Example: "Camille was told by Baptiste that …"
        if self.verb_group(parent).is_passive {
            let Range { start: from, end: to } = self.clauses[parent].rest_items;
            let agent = (from..to).find(|item| matches!(self.syntax.word(*item), "by" | "from"));
            let agents = agent.map(|item| self.syntax.noun_list(item + 1, to).0).unwrap_or_default();
            let hearers = speakers.iter().map(|resolved_entity| resolved_entity.entity).collect();
            speakers = self.resolve_all(&agents, &[]);
            if let Some(speaker) = speakers.first() {
                status.stated_by = Some(speaker.entity);
                status.told_to = hearers;
                return;
            }
        }
        match speakers.first() {
            Some(speaker) => {
                let hearers = self.named_hearers(parent);
                status.stated_by = Some(speaker.entity);
                status.told_to = hearers;
            }
            None => {
                let vg = self.verb_group(parent);
                let words = self.source_text(vg.head, vg.end);
                self.apply_doubt(status, DoubtFactor::RUMOUR, Some(Cue { kind: CueKind::Rumour, words }));
            }
        }
    }

    /// Sets the subject of a verb of thought as the source, as in "Ulf reckons that …".
    pub(crate) fn set_thinker(&mut self, parent: usize, status: &mut AssertionStatus) {
        let subjects = self.clauses[parent].subjects.clone();
        let is_first_person =
            subjects.iter().any(|np| matches!(self.norm(self.chunks.noun_groups[*np].head), "i" | "we"));
        if !is_first_person && let Some(speaker) = self.resolve_all(&subjects, &[]).first() {
            status.stated_by = Some(speaker.entity);
        }
    }

    /// Sets the person after "from" as the source, as in "I heard from Sela that …".
    pub(crate) fn set_informant(&mut self, parent: usize, status: &mut AssertionStatus) {
        let Range { start: from, end: to } = self.clauses[parent].rest_items;
        let Some(item) = (from..to).find(|item| self.syntax.word(*item) == "from") else { return };
        let (list, _) = self.syntax.noun_list(item + 1, self.chunks.items.len());
        if let Some(speaker) = self.resolve_all(&list, &[]).first() {
            status.stated_by = Some(speaker.entity);
        }
    }
}
