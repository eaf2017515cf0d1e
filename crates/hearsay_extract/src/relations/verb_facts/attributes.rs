//! Reads attributes that certain verbs state. Examples are an occupation after "as", a name after "call", a goal after
//! "want", and a body part after "lose".

use std::ops::Range;

use hearsay_model::{PredicateRole, attribute};

use crate::{
    entities::mentions::EntityRef,
    language::{predicate_properties::PredicateProperties, weights::Weight, word_lists::lists},
    relations::copula::ClauseContext,
    sentence_reader::{RawFact, ResolvedEntity, SentenceReader},
    syntax::chunker::VerbForm,
};

impl SentenceReader<'_> {
    /// Records the occupation after "as", as in "joined the guild as its scribe" or "hired him as a spy".
    pub(super) fn read_role_after_as(&mut self, context: ClauseContext<'_>) {
        let ClauseContext { at, basis, .. } = context;
        let Range { start: from, end: to } = self.clauses[at].rest_items;
        let Some(item) = (from..to).find(|item| self.syntax.word(*item) == "as") else { return };
        let Some(np) = self.syntax.noun_group_at(item + 1).filter(|np| self.chunks.noun_groups[*np].name.is_none())
        else {
            return;
        };
        let noun = self.singular(self.norm(self.chunks.noun_groups[np].head));
        let Some(occupation) = self.target(attribute::OCCUPATION) else { return };
        if !self.noun_attributes(&noun).iter().any(|(target, _)| *target == occupation) {
            return;
        }
        let is_service = |fact: &&RawFact| {
            let target = &self.grammar.targets[fact.target];
            let serves = target.has(PredicateProperties::EMPLOYMENT) || PredicateRole::Membership.is(&target.predicate);
            serves && !fact.denied && !fact.weight_names.is_candidate()
        };
        let Some(entity) = self.facts.iter().rev().find(is_service).map(|fact| fact.subject) else { return };
        let (value, end) = (
            self.source_text(self.chunk_content_start(item + 1), self.chunks.noun_groups[np].end),
            self.chunks.noun_groups[np].end,
        );
        let subject = ResolvedEntity::certain(entity);
        let span = self.clause_span(at, end);
        let weight_names = [basis.weight_names, &[Weight::STRONG, Weight::BY_KIND]].concat();
        self.record_value(occupation, &subject, value, basis.with_weights(&weight_names), span);
    }

    /// Records an alias from a clause such as "everybody calls her Lady Luck".
    pub(super) fn read_naming(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, basis, .. } = context;
        let vg = self.verb_group(at);
        let Range { start: from, end: to } = self.clauses[at].rest_items;
        if vg.is_passive || !lists().verbs.naming.contains(vg.lemma.as_str()) {
            return false;
        }
        // In "calls her Lady Luck", the parser reads "her Lady Luck" as a possession.
        if let Some(np) = self.syntax.noun_group_at(from)
            && let Some(owner) = self.chunks.noun_groups[np].owner
            && self.chunks.noun_groups[owner].is_pronoun
            && self.tokens[self.chunks.noun_groups[np].content_start].is_capitalized
            && let Some(alias) = self.target(attribute::ALIAS)
        {
            let refs = self.resolve(owner, &[]);
            let group = self.chunks.noun_groups[np].clone();
            let (value, span) = (self.source_text(group.content_start, group.end), self.clause_span(at, group.end));
            for subject in &refs {
                self.record_value(alias, subject, value.clone(), basis, span);
            }
            return !refs.is_empty();
        }
        let (Some(named_group), Some(name_group)) =
            (self.syntax.noun_group_at(from), self.syntax.noun_group_at(from + 1))
        else {
            return false;
        };
        let is_new_name = match self.chunks.noun_groups[name_group].name.map(|name| self.names[name].entity) {
            Some(EntityRef::Known(_)) => return false,
            Some(EntityRef::New(_)) => true,
            None => self.tokens[self.chunks.noun_groups[name_group].head].is_capitalized,
        };
        let Some(alias) = self.target(attribute::ALIAS).filter(|_| is_new_name) else { return false };
        let refs = self.resolve(named_group, &[]);
        let value = self.source_text(self.chunk_content_start(from + 1), self.value_end(from + 1, to));
        let span = self.clause_span(at, self.chunk_end(from + 1));
        for subject in &refs {
            self.record_value(alias, subject, value.clone(), basis, span);
        }
        !refs.is_empty()
    }

    /// Records a goal from "wants to see the sea" or "dreams of leaving".
    pub(crate) fn read_goal(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let vg = self.verb_group(at);
        let is_wish = lists().verbs.wishes.contains(vg.lemma.as_str());
        let Some(goals) =
            self.target(attribute::GOALS).filter(|_| is_wish && !vg.is_passive && !vg.is_negated && !vg.is_progressive)
        else {
            return false;
        };
        let Some(goal_clause) = self.clauses.get(at + 1).filter(|goal_clause| goal_clause.parent == Some(at)).cloned()
        else {
            return false;
        };
        // In "wants somebody to hang", the person with the wish does not hang.
        let has_other_subject = (self.clauses[at].verb_item + 1..goal_clause.verb_item)
            .any(|item| self.syntax.noun_group_at(item).is_some());
        if has_other_subject {
            return false;
        }
        let verb = &self.chunks.verb_groups[goal_clause.verb_group];
        let follows_directly = self.chunk_start(goal_clause.verb_item) <= vg.end + 2 && verb.form != VerbForm::Finite;
        if !follows_directly {
            return false;
        }
        let from = if verb.form == VerbForm::Infinitive { verb.start + 1 } else { verb.start };
        let end = self.chunk_end(goal_clause.last_item()).max(verb.end);
        let (value, span) = (self.source_text(from, end), self.clause_span(at, end));
        let fact_count = self.facts.len();
        let weight_names = [basis.weight_names, &[Weight::BY_AIM]].concat();
        for subject in subjects {
            self.record_value(goals, subject, value.clone(), basis.with_weights(&weight_names), span);
        }
        self.facts.len() > fact_count
    }

    /// Records the appearance or condition in "lost an eye", "is missing two fingers" or "wears his hair long".
    pub(super) fn read_lost_or_worn_part(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let vg = self.verb_group(at);
        let Range { start: from, end: to } = self.clauses[at].rest_items;
        let body_part = self.syntax.noun_group_at(from).filter(|np| {
            let group = &self.chunks.noun_groups[*np];
            let is_own = match group.owner {
                Some(owner) => self.chunks.noun_groups[owner].is_pronoun,
                // In "breaks the arm of one", the arm belongs to another person.
                None => self.norm(group.start) != "the" && self.norm(group.end) != "of",
            };
            let body_part =
                self.grammar.possession_nouns.get(self.norm(group.head)).and_then(|entries| entries.first());
            let is_appearance =
                body_part.is_some_and(|(target, _)| self.grammar.targets[*target].predicate == *attribute::APPEARANCE);
            // A broken neck is a death, which `read_broken_neck` reads.
            let is_fatal = vg.lemma == "break" && lists().nouns.fatal_parts.contains(self.norm(group.head));
            is_own && group.name.is_none() && is_appearance && !is_fatal
        });
        // "Could lose an eye" and "would lose an eye" state no loss.
        let is_possible = basis.status.has_can || basis.status.has_would;
        let is_loss = lists().verbs.losses.contains(vg.lemma.as_str()) && !vg.is_passive && !is_possible;
        let is_own = self.syntax.noun_group_at(from).is_some_and(|np| self.chunks.noun_groups[np].owner.is_some());
        // "keeps his hair short" describes a look, but "keeps his hand on his axe" describes an action.
        let is_placed = vg.lemma == "keep" && self.syntax.is_preposition(from + 1);
        let is_worn = matches!(vg.lemma.as_str(), "wear" | "keep") && !vg.is_passive && is_own && !is_placed;
        let name = if vg.lemma == "break" { attribute::CONDITION } else { attribute::APPEARANCE };
        let Some(appearance) = self.target(name).filter(|_| (is_loss || is_worn) && body_part.is_some()) else {
            return false;
        };
        let end = if is_worn { self.chunk_end(to.saturating_sub(1)) } else { self.value_end(from, to) };
        let first = if is_worn { self.chunk_content_start(from) } else { vg.head };
        let (value, span) = (self.source_text(first, end), self.clause_span(at, end));
        let fact_count = self.facts.len();
        let weight_names = [basis.weight_names, &[Weight::BY_PART]].concat();
        for subject in subjects {
            self.record_value(appearance, subject, value.clone(), basis.with_weights(&weight_names), span);
        }
        self.facts.len() > fact_count
    }
}
