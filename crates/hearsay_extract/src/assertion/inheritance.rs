//! Derives a part of the assertion status of a dependent clause from the clause on which it depends.

use crate::{
    facts::{Cue, CueKind},
    language::{weights::DoubtFactor, word_lists::lists},
    sentence_reader::{SentenceReader, assertion_status::AssertionStatus},
    syntax::clauses::ClauseType,
};

impl SentenceReader<'_> {
    /// Changes the status of the clause `at` according to the clause `parent` that it depends on.
    pub(super) fn inherit_from_parent(
        &mut self,
        at: usize,
        parent: usize,
        parent_status: &AssertionStatus,
        status: &mut AssertionStatus,
    ) {
        match self.clause_type(at).clone() {
            ClauseType::Main => {}
            ClauseType::Complement => self.inherit_by_complement(parent, parent_status, status),
            ClauseType::Infinitive => self.inherit_by_infinitive(at, parent, parent_status, status),
            ClauseType::Participle => self.inherit_by_participle(parent, parent_status, status),
            ClauseType::Adverbial(word) => self.inherit_by_adverbial(at, &word, parent_status, status),
            ClauseType::Relative => self.inherit_by_relative_clause(at, parent, parent_status, status),
        }
    }

    /// Returns whether the clause `at` is what the subject of the clause `parent` asks: "Odo died" in "asks how Odo died". In
    /// "asks Odo, who owns the mill", the clause describes Odo.
    pub(super) fn is_asked(&self, at: usize, parent: usize) -> bool {
        let start = self.clauses[at].start;
        let word = self.syntax.word(start);
        let is_question_word = lists().questions.indirect.contains(word) || lists().questions.words.contains(word);
        let follows_comma = start.checked_sub(1).is_some_and(|item| self.syntax.word(item) == ",");
        is_question_word && !follows_comma && lists().verbs.asking.contains(self.verb_group(parent).lemma.as_str())
    }

    fn inherit_by_complement(&mut self, parent: usize, parent_status: &AssertionStatus, status: &mut AssertionStatus) {
        let vg = self.verb_group(parent);
        let lemma = vg.lemma.as_str();
        let properties = self.grammar.verb_properties(lemma);
        let is_unknown_to_all = properties.is_factive
            && lemma != "prove"
            && self.has_negative_subject(parent)
            && !self.is_question()
            && vg.modal.is_none();
        let was_unasserted = status.is_unasserted;
        status.inherit(parent_status);
        if is_unknown_to_all {
            status.is_unasserted = was_unasserted;
        }
        status.is_embedded = true;
        // "I'd say he works for her" states a guess.
        let is_guess = parent_status.has_would && lists().verbs.guesses.contains(lemma);
        if (parent_status.has_would && !is_guess) || parent_status.has_can {
            status.is_unasserted = true;
        }
        if properties.is_thought || properties.is_seeming {
            let words = self.source_text(vg.head, vg.end);
            self.apply_doubt(status, DoubtFactor::THOUGHT, Some(Cue { kind: CueKind::Thought, words }));
            status.is_unasserted |= vg.is_negated || lists().verbs.open_thoughts.contains(lemma);
            self.set_thinker(parent, status);
            self.set_informant(parent, status);
        } else if properties.is_speech || self.syntax.announces_news(&self.clauses[parent]) {
            status.is_unasserted |=
                vg.is_negated || (vg.modal.is_some() && vg.modal.as_deref() != Some("can") && !is_guess);
            status.denied ^= lists().verbs.denials.contains(lemma);
            self.set_reported_source(parent, status);
        } else if let Some((source, is_belief)) = self.source_of_report_noun(parent).filter(|_| vg.is_copula) {
            status.stated_by = Some(source);
            if is_belief {
                let words = self.source_text(vg.head, vg.end);
                self.apply_doubt(status, DoubtFactor::THOUGHT, Some(Cue { kind: CueKind::Thought, words }));
            }
        } else if lists().verbs.learning.contains(lemma) && !vg.is_negated {
            // Examples: "learned from Tessa that …", "has it from Tessa that …"
            self.set_informant(parent, status);
        } else if properties.is_factive && vg.is_negated {
            // "Does not know that he left" implies that he left.
            status.denied = false;
        }
    }

    fn inherit_by_infinitive(
        &mut self,
        at: usize,
        parent: usize,
        parent_status: &AssertionStatus,
        status: &mut AssertionStatus,
    ) {
        let vg = self.verb_group(parent);
        let lemma = vg.lemma.as_str();
        let properties = self.grammar.verb_properties(lemma);
        status.inherit(parent_status);
        status.is_embedded = true;
        status.ended |= parent_status.ended;
        let is_known_fact = vg.is_passive && lists().verbs.proofs.contains(lemma);
        // Example: "is looking to buy it"
        let is_seeking = vg.is_progressive && lemma == "look";
        let is_asserted =
            ((properties.is_implicative || properties.is_seeming) && !vg.is_copula && !is_seeking) || is_known_fact;
        let is_claim = properties.is_speech && lists().verbs.claims.contains(lemma);
        if is_claim {
            self.set_reported_source(parent, status);
            // Example: "claims to be an entertainer"
            if lemma != "admit" && self.verb_group(at).is_copula {
                let words = self.source_text(vg.head, vg.end);
                self.apply_doubt(status, DoubtFactor::RUMOUR, Some(Cue { kind: CueKind::Rumour, words }));
            }
        } else if vg.is_passive
            && (properties.is_speech || properties.is_thought || lists().verbs.rumours.contains(lemma))
        {
            // Example: "is said to own"
            let words = self.source_text(vg.head, vg.end);
            self.apply_doubt(status, DoubtFactor::RUMOUR, Some(Cue { kind: CueKind::Rumour, words }));
        } else if !is_asserted {
            status.is_unasserted = true;
        }
        status.denied |= parent_status.denied;
    }

    fn inherit_by_participle(&self, parent: usize, parent_status: &AssertionStatus, status: &mut AssertionStatus) {
        let lemma = self.verb_group(parent).lemma.as_str();
        status.inherit(parent_status);
        status.denied |= parent_status.denied && matches!(lemma, "stop" | "see");
        status.ended |= lists().verbs.endings.contains(lemma);
        status.is_unasserted |= lists().verbs.unasserting.contains(lemma);
    }

    fn inherit_by_adverbial(
        &mut self,
        at: usize,
        conjunction: &str,
        parent_status: &AssertionStatus,
        status: &mut AssertionStatus,
    ) {
        status.inherit(parent_status);
        status.is_unasserted |= parent_status.is_unasserted && self.sentence_status(false).is_unasserted;
        // Example: "when I was young and stupid"
        let own_verb = self.verb_group(at);
        status.is_unasserted |=
            lists().conjunctions.past_circumstances.contains(conjunction) && own_verb.is_copula && own_verb.is_past;
        // Example: "vicious when he's drunk"
        status.is_unasserted |= matches!(conjunction, "when" | "whenever") && own_verb.is_copula;
        status.is_unasserted |= lists().conjunctions.unasserted.contains(conjunction);
    }

    fn inherit_by_relative_clause(
        &self,
        at: usize,
        parent: usize,
        parent_status: &AssertionStatus,
        status: &mut AssertionStatus,
    ) {
        let was_unasserted = status.is_unasserted;
        status.inherit(parent_status);
        // In "has yet to repay the crowns he borrowed", the relative clause is true although the main clause is not.
        let is_definite = self.clauses[at]
            .start
            .checked_sub(1)
            .and_then(|item| self.syntax.noun_group_at(item))
            .is_some_and(|np| self.noun_group(np).article.is_some_and(|article| self.norm(article) == "the"));
        if is_definite && *self.clause_type(parent) == ClauseType::Infinitive {
            status.is_unasserted = was_unasserted;
        }
        // Example: "it isn't Sela who owns the Bell"
        let is_cleft = self.verb_group(parent).is_copula
            && self.clauses[parent].subjects.iter().any(|np| self.norm(self.noun_group(*np).head) == "it");
        if is_cleft {
            status.denied ^= parent_status.denied;
        } else if parent_status.denied {
            status.denied = false;
        }
    }
}
