//! Proposes attributes for the review queue, from modifiers and unconnected words. Examples are descriptions such as "a
//! doctor, fifty-something, very proper", and states such as "its left engine burnt out". Trades and species that a
//! sentence does not clearly assign to a person are proposed too.

use hearsay_model::{PredicateRole, attribute};

use crate::{
    language::{grammar::WordClass, kind_set::KindSet, weights::Weight, word_lists::lists},
    sentence_reader::{
        FactBasis, RawFact, RawObject, ResolvedEntity, SentenceReader, assertion_status::AssertionStatus,
    },
    syntax::{
        chunker::{Chunk, VerbForm},
        clauses::{Clause, SubjectSource},
    },
    text::tokenizer::TokenKind,
};

/// Maximum number of proposals from one sentence.
const MAX_PROPOSALS: usize = 4;

/// An attribute is proposed only for a person fewer than this many tokens away.
const MAX_TOKEN_DISTANCE: usize = 12;

impl SentenceReader<'_> {
    /// Proposes attributes that the patterns for clauses do not find.
    pub(crate) fn propose_loose_modifiers(&mut self, statuses: &[AssertionStatus]) {
        let mut remaining = MAX_PROPOSALS;
        for (at, status) in statuses.iter().enumerate() {
            if !status.is_plain_assertion() {
                continue;
            }
            let clause = self.clauses[at].clone();
            let subjects = self.resolve_subjects(&clause.subjects);
            if subjects.is_empty() {
                continue;
            }
            remaining -= self.propose_trailing(&clause, &subjects, status, remaining).min(remaining);
            if remaining > 0 && self.propose_speaking_style(&clause, &subjects, status) {
                remaining -= 1;
            }
            if remaining > 0 && self.propose_height(&clause, &subjects, status) {
                remaining -= 1;
            }
            remaining -= self.propose_companions(&clause, &subjects, status).min(remaining);
        }
        for (at, status) in statuses.iter().enumerate().filter(|(_, status)| !status.is_unasserted && !status.has_would)
        {
            let clause = self.clauses[at].clone();
            let subjects = self.resolve_subjects(&clause.subjects);
            if !subjects.is_empty() && remaining > 0 && self.propose_habit(&clause, &subjects, status) {
                remaining -= 1;
            }
        }
        let sentence_status = self.sentence_status(false);
        let all_plain = statuses.iter().all(|status| status.is_plain_assertion());
        if !sentence_status.is_unasserted && all_plain && !self.is_question() {
            let status = statuses.first().cloned().unwrap_or(sentence_status);
            remaining -= self.propose_apposed(&status, remaining).min(remaining);
            self.propose_scattered(&status, remaining);
        }
    }

    /// Proposes attributes from the words between commas after a clause, as in "is a doctor, fifty-something, very
    /// proper". Returns the number of proposals.
    fn propose_trailing(
        &mut self,
        clause: &Clause,
        subjects: &[ResolvedEntity],
        status: &AssertionStatus,
        max_proposals: usize,
    ) -> usize {
        let vg = self.chunks.verb_groups[clause.verb_group].clone();
        let mut from = self.chunk_end(clause.last_item()).max(vg.end);
        let mut proposal_count = 0;
        while proposal_count < max_proposals
            && self.tokens.get(from).is_some_and(|token| token.is_punctuation(",\u{2014}"))
        {
            let end = self.punctuation_after(from + 1, ",.;:!?()\u{2014}");
            let start = from + 1 + usize::from(self.norm(from + 1) == "and");
            let has_finite_verb = self
                .chunks
                .verb_groups
                .iter()
                .any(|vg| vg.form == VerbForm::Finite && vg.end > start && vg.start < end && !vg.is_omitted);
            if has_finite_verb || start >= end {
                break;
            }
            let is_proposed = if self.is_owned_state(start, end) {
                self.propose_absolute(subjects, start, end, status)
            } else {
                vg.is_copula && self.propose_complement(subjects, start, end, status)
            };
            proposal_count += usize::from(is_proposed);
            from = end;
        }
        proposal_count
    }

    /// Returns whether the tokens name a possession and its state, as in "its left engine burnt out".
    fn is_owned_state(&self, from: usize, to: usize) -> bool {
        let has_possessive = lists().pronouns.third_person_determiners.contains(self.norm(from));
        let np = self.chunks.noun_groups.iter().find(|np| np.start == from);
        has_possessive && np.is_some_and(|np| np.end < to && np.owner.is_some())
    }

    /// Proposes the appearance or condition that the tokens of [`is_owned_state`](Self::is_owned_state) state. Returns
    /// whether a fact was recorded.
    fn propose_absolute(
        &mut self,
        subjects: &[ResolvedEntity],
        from: usize,
        to: usize,
        status: &AssertionStatus,
    ) -> bool {
        let is_person = subjects.iter().any(|subject| self.kinds(subject.entity) == KindSet::PERSON);
        let name = if is_person { attribute::APPEARANCE } else { attribute::CONDITION };
        self.propose_attribute(name, subjects, from + 1, to, Weight::LOOSE_ABSOLUTE, status)
    }

    /// Proposes a speaking style from "talks fast", "speaks without moving her lips" or "always says “indeed”". Returns
    /// whether a fact was recorded.
    fn propose_speaking_style(
        &mut self,
        clause: &Clause,
        subjects: &[ResolvedEntity],
        status: &AssertionStatus,
    ) -> bool {
        let vg = self.chunks.verb_groups[clause.verb_group].clone();
        let to = self.chunk_end(clause.last_item()).max(vg.end).min(self.tokens.len());
        let first = self.norm(vg.end);
        let has_addressee = lists().prepositions.addressees.contains(first);
        let has_name = self.names.iter().any(|name| name.start >= vg.end && name.start < to);
        let is_habitual =
            (vg.start.saturating_sub(1)..vg.head).any(|at| lists().adverbs.frequencies.contains(self.norm(at)));
        let is_talking = matches!(vg.lemma.as_str(), "talk" | "speak") && !has_addressee && to > vg.end && !vg.is_past;
        let has_habitual_phrase = vg.lemma == "say" && is_habitual;
        // Example: "calls everyone love"
        let has_habitual_address = vg.lemma == "call" && lists().speech.everybody.contains(first);
        let has_habitual_phrase = has_habitual_phrase || has_habitual_address;
        let is_sound_verb = lists().verbs.sounds.contains(&vg.lemma)
            && !vg.is_past
            && !has_addressee
            && clause.subject_source != SubjectSource::Control;
        if vg.is_passive || vg.is_negated || has_name || !(is_talking || has_habitual_phrase || is_sound_verb) {
            return false;
        }
        let to = if has_habitual_phrase { self.tokens.len() } else { to };
        self.propose_attribute(attribute::SPEAKING_STYLE, subjects, vg.head, to, Weight::LOOSE_SPEECH, status)
    }

    /// Proposes a personality from a habit: "never tells a lie", "trusts nobody", "laughs easily". Returns whether a
    /// fact was recorded.
    fn propose_habit(&mut self, clause: &Clause, subjects: &[ResolvedEntity], status: &AssertionStatus) -> bool {
        let vg = self.chunks.verb_groups[clause.verb_group].clone();
        let to = self.punctuation_after(vg.end, ",.;!:\u{2014}");
        let is_person = subjects.iter().all(|subject| self.kinds(subject.entity) == KindSet::PERSON);
        let has_name = self.names.iter().any(|name| name.start >= vg.end && name.start < to);
        let is_frequency_word = |at: usize| lists().adverbs.habits.contains(self.norm(at));
        let from = (vg.start.saturating_sub(1)..vg.head + 1).find(|at| is_frequency_word(*at)).unwrap_or(vg.head);
        let is_habit = (from..to).any(is_frequency_word);
        // Example: "can't keep a secret"
        let is_inability = vg.is_negated && vg.modal.as_deref() == Some("can");
        let (from, is_habit) = if is_inability { (vg.start, true) } else { (from, is_habit) };
        let is_present = !vg.is_past && !vg.is_perfect && !vg.is_progressive && !vg.is_passive && !vg.is_copula;
        let is_present = is_present && (vg.modal.is_none() || is_inability);
        let is_speech = self.grammar.verb_properties(&vg.lemma).is_speech || vg.lemma == "talk" || vg.lemma == "speak";
        if !(is_person && is_habit && is_present) || has_name || is_speech || vg.form != VerbForm::Finite {
            return false;
        }
        let mut status = status.clone();
        status.denied = false;
        self.propose_attribute(attribute::PERSONALITY, subjects, from, to, Weight::LOOSE_HABIT, &status)
    }

    /// Proposes an appearance from a height: "stands six foot five". Returns whether a fact was recorded.
    fn propose_height(&mut self, clause: &Clause, subjects: &[ResolvedEntity], status: &AssertionStatus) -> bool {
        let vg = &self.chunks.verb_groups[clause.verb_group];
        let is_measure = |at: usize| lists().numbers.heights.contains(self.norm(at));
        let is_height_verb = vg.is_copula || lists().verbs.heights.contains(vg.lemma.as_str());
        let from = vg.end;
        let has_number = self.is_number(self.norm(from)) && is_measure(from + 1);
        let is_person = subjects.iter().all(|subject| self.kinds(subject.entity) == KindSet::PERSON);
        if !(is_height_verb && has_number && is_person) {
            return false;
        }
        let is_measurement = |at: usize| is_measure(at) || self.is_number(self.norm(at));
        let to = (from..self.tokens.len()).find(|at| !is_measurement(*at)).unwrap_or(self.tokens.len());
        self.propose_attribute(attribute::APPEARANCE, subjects, from, to, Weight::LOOSE_HEIGHT, status)
    }

    /// Proposes the same home, place or event for companions, as in "lives at the mill with his daughter Violet".
    fn propose_companions(&mut self, clause: &Clause, subjects: &[ResolvedEntity], status: &AssertionStatus) -> usize {
        let with = clause.rest_items.clone().find(|item| self.syntax.word(*item) == "with");
        let Some((with, subject)) = with.zip(subjects.first().copied()) else { return 0 };
        let (list, _) = self.syntax.noun_list(with + 1, clause.rest_items.end);
        let entities: Vec<_> = subjects.iter().map(|subject| subject.entity).collect();
        let others = self.resolve_all(&list, &entities);
        let place_roles = [PredicateRole::Residence, PredicateRole::Location, PredicateRole::Participation];
        let is_at_place =
            |fact: &&RawFact| place_roles.iter().any(|role| role.is(&self.grammar.targets[fact.target].predicate));
        let place_facts: Vec<_> = self
            .facts
            .iter()
            .filter(|fact| fact.subject == subject.entity && !fact.weight_names.is_candidate() && !fact.denied)
            .filter(is_at_place)
            .cloned()
            .collect();
        let fact_count = self.facts.len();
        for fact in place_facts {
            let RawObject::Entity(place) = fact.object else { continue };
            for other in
                others.iter().filter(|other| self.kinds(other.entity) == KindSet::PERSON).copied().collect::<Vec<_>>()
            {
                let place = ResolvedEntity::certain(place);
                let basis = FactBasis::new(status, &[Weight::LOOSE, Weight::LOOSE_COMPANION]);
                self.record_relation(fact.target, (&other, &place), "", basis, fact.span);
            }
        }
        self.facts.len() - fact_count
    }

    /// Proposes the look of a thing or the atmosphere of a place from an apposition: "The green idol, a squat thing
    /// with six fingers, …", "the Briar Keep, a drafty heap".
    fn propose_apposed(&mut self, status: &AssertionStatus, max_proposals: usize) -> usize {
        let mut proposal_count = 0;
        for np in 0..self.chunks.noun_groups.len() {
            let group = self.chunks.noun_groups[np].clone();
            let Some(item) = self.chunk_of(np).filter(|_| group.name.is_some() && proposal_count < max_proposals)
            else {
                continue;
            };
            let Some(next) = self
                .syntax
                .noun_group_at(item + 2)
                .filter(|_| matches!(self.syntax.word(item + 1), "," | "\u{2014}" | "("))
            else {
                continue;
            };
            let other = self.chunks.noun_groups[next].clone();
            if !self.is_indefinite(&other) || other.name.is_some() || other.content_start >= other.head {
                continue;
            }
            let refs = self.resolve(np, &[]);
            let name = match refs.first().map(|described| self.kinds(described.entity)) {
                Some(KindSet::THING) => attribute::APPEARANCE,
                Some(KindSet::PLACE) => attribute::ATMOSPHERE,
                _ => continue,
            };
            let end = self.value_end(item + 2, self.chunks.items.len());
            let is_proposed =
                self.propose_attribute(name, &refs, other.content_start, end, Weight::LOOSE_APPOSED, status);
            proposal_count += usize::from(is_proposed);
        }
        proposal_count
    }

    /// Proposes trades, species, ages and looks that no pattern has read as attributes of the nearest person in the
    /// sentence.
    fn propose_scattered(&mut self, status: &AssertionStatus, max_proposals: usize) {
        let mentions = self.all_mentions();
        let people: Vec<_> =
            mentions.into_iter().filter(|mention| self.kinds(mention.resolved.entity) == KindSet::PERSON).collect();
        let mut remaining = max_proposals;
        for item in 0..self.chunks.items.len() {
            let Some(Chunk::NounGroup(np)) = self.chunks.items.get(item).copied() else { continue };
            let group = self.chunks.noun_groups[np].clone();
            let is_plain = group.name.is_none() && !group.is_pronoun && !group.is_owner_only;
            let is_excluded =
                group.article.is_some_and(|at| lists().determiners.without_description.contains(self.norm(at)));
            if !is_plain || is_excluded || remaining == 0 {
                continue;
            }
            let Some((name, from, to)) = self.described_attribute(&group) else { continue };
            // In "owes Odo a horse", the noun is an object of the verb, not a description of a person.
            let is_set_off =
                group.start.checked_sub(1).is_none_or(|at| !self.tokens[at].is_word() || self.norm(at) == "as");
            // In "A clerk leads Odo upstairs", the clerk acts, so the clerk is another person.
            let is_actor = self
                .clauses
                .iter()
                .any(|clause| clause.subjects.contains(&np) && !self.chunks.verb_groups[clause.verb_group].is_copula);
            if matches!(name, attribute::OCCUPATION | attribute::SPECIES) && (!is_set_off || is_actor) {
                continue;
            }
            if name == attribute::APPEARANCE && self.is_object_of_act(np) {
                continue;
            }
            let distance = |start: usize, end: usize| {
                if end <= group.start { group.start - end } else { start.saturating_sub(group.end) + 2 }
            };
            let nearest = people.iter().min_by_key(|mention| distance(mention.start, mention.end));
            let Some(nearest) = nearest.filter(|mention| distance(mention.start, mention.end) < MAX_TOKEN_DISTANCE)
            else {
                continue;
            };
            let target = self.target(name);
            let is_known = |fact: &RawFact| Some(fact.target) == target && fact.subject == nearest.resolved.entity;
            if self.facts.iter().any(is_known) {
                continue;
            }
            let weight_name =
                if nearest.end <= group.start { Weight::LOOSE_SCATTERED } else { Weight::LOOSE_SCATTERED_BACK };
            let owner = nearest.resolved;
            if self.propose_attribute(name, &[owner], from, to, weight_name, status) {
                remaining -= 1;
            }
        }
    }

    /// Returns the attribute that a noun group may state, and the first and the end token of its value.
    fn described_attribute(&self, group: &crate::syntax::chunker::NounGroup) -> Option<(&'static str, usize, usize)> {
        let is_number = |at: usize| self.tokens[at].kind == TokenKind::Number || self.is_number(self.norm(at));
        let is_year_word =
            |at: usize| lists().times.years.contains(self.norm(at)) || self.norm(at).ends_with("-year-old");
        if (group.start..group.end).any(is_number) && (group.start..group.end).any(is_year_word) {
            let is_age = self.norm(group.end) == "old" || self.norm(group.head) != "years";
            return is_age.then_some((attribute::AGE, group.start, group.end));
        }
        let noun = self.singular(self.norm(group.head));
        // Examples: "his broken nose", "a scar runs down his cheek"
        let possession_entry =
            self.grammar.possession_nouns.get(self.norm(group.head)).and_then(|all| all.first()).copied();
        let is_appearance = possession_entry
            .is_some_and(|(target, _)| self.grammar.targets[target].predicate == *attribute::APPEARANCE);
        if is_appearance {
            let is_skin_mark = lists().nouns.skin_marks.contains(noun.as_str());
            let is_extended = is_skin_mark
                && self.chunks.verb_groups.iter().any(|vg| vg.start == group.end && vg.form == VerbForm::Finite);
            let end = self.punctuation_after(group.end, ",.;!");
            let is_notable = is_extended || is_skin_mark || group.content_start < group.head;
            return is_notable.then_some((
                attribute::APPEARANCE,
                group.content_start,
                if is_extended { end } else { group.end },
            ));
        }
        let (target, is_weak) = self.grammar.attribute_nouns.get(&noun)?.first().copied()?;
        let name = match self.grammar.targets[target].predicate.as_str() {
            attribute::OCCUPATION => attribute::OCCUPATION,
            attribute::SPECIES => attribute::SPECIES,
            _ => return None,
        };
        let is_plural = noun != self.norm(group.head) || self.grammar.word_class(&noun).has(WordClass::LIGHT_NOUN);
        (!is_weak && !is_plural).then_some((name, group.content_start, group.end))
    }
}
