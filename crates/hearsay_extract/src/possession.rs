//! Reads facts from possessions and body parts: "his eyes are blue", "has a scar over one eye".

use crate::{
    chunker::Chunk, copula::ClauseContext, grammar::is_ignored, kind_set::KindSet, noun_facts::NounContext,
    sentence_reader::SentenceReader,
};

impl SentenceReader<'_> {
    /// Reads a clause whose subject is owned by an entity: "Meridian's crest is a gold drill bit", "his eyes are blue",
    /// "her brother is Tob". The fact is recorded about the owner.
    ///
    /// Returns whether the clause was read.
    pub(crate) fn read_owned_subject(&mut self, context: ClauseContext<'_>, np: usize, from: usize, to: usize) -> bool {
        let ClauseContext { at, status, weight_names, .. } = context;
        let group = self.chunks.noun_groups[np].clone();
        if group.name.is_some() || group.is_pronoun {
            return false;
        }
        let head = self.norm(group.head).to_owned();
        let item = self.chunk_of(np);
        let mut owners = self.owners(np, item, &["of", "for"]);
        if owners.is_empty() && self.grammar.attribute_labels.contains_key(&head) {
            // Example: "the air on Deck Nine"
            owners = self.owners(np, item, &["on", "in", "at", "over"]);
            owners.retain(|owner| self.kinds(owner.entity) == KindSet::PLACE);
        }
        let clause = self.clauses[at].clone();
        // Example: "your fixer for this one is Cassius Moon"
        let name_group = (clause.rest_items.0..clause.rest_items.1)
            .find_map(|item| self.syntax.noun_group_at(item))
            .filter(|other| {
                self.chunks.noun_groups[*other].name.is_some() && self.chunks.noun_groups[*other].owner.is_none()
            })
            .filter(|other| self.chunks.noun_groups[*other].start <= from + 2);
        if let Some(name_group) = name_group
            && (owners.is_empty() || !self.noun_attributes(&self.singular(&head)).is_empty())
            && !self.grammar.attribute_labels.contains_key(&head)
        {
            let refs = self.resolve(name_group, &[]);
            let weight_names = [weight_names, &["turned"]].concat();
            let noun_context = NounContext {
                np,
                item: item.unwrap_or(0),
                subjects: &refs,
                status,
                weight_names: &weight_names,
                clause: Some(at),
            };
            if self.read_noun_group(noun_context).is_some() {
                return true;
            }
        }
        if owners.is_empty() {
            return false;
        }
        // Example: "her brother is Tob"
        let next = (clause.rest_items.0..clause.rest_items.1).find(|item| self.syntax.noun_group_at(*item).is_some());
        if let Some(next) = next
            && let Some(other) = self.syntax.noun_group_at(next)
            && self.chunk_start(next) <= from + 1
            && (self.chunks.noun_groups[other].name.is_some())
            && self.chunks.noun_groups[other].owner.is_none()
            && self.grammar.noun_patterns.contains_key(&self.singular(&head))
        {
            let (list, _) = self.syntax.noun_list(next, clause.rest_items.1);
            let named_entities = self.resolve_all(&list, &[]);
            let noun_context = NounContext {
                np,
                item: item.unwrap_or(0),
                subjects: &named_entities,
                status,
                weight_names,
                clause: Some(at),
            };
            let (has_relation, _) = self.read_noun_relation(noun_context);
            return has_relation;
        }
        if let Some(targets) = self.grammar.attribute_labels.get(&head).cloned() {
            let kinds: Vec<KindSet> = owners.iter().map(|owner| self.kinds(owner.entity)).collect();
            let target = targets
                .iter()
                .find(|target| kinds.iter().any(|kinds| self.grammar.targets[**target].subject.intersects(*kinds)))
                .copied();
            if let Some(target) = target {
                let name = self.grammar.targets[target].predicate.as_str().to_owned();
                let start = (from..to)
                    .find(|at| !is_ignored(self.norm(*at)) || !matches!(self.norm(*at), "a" | "an" | "the"))
                    .unwrap_or(from);
                let start = if self.norm(start) == "to" { start + 1 } else { start };
                let end = match name.as_str() {
                    // A motto or goal extends to the end of the sentence.
                    "motto" | "goals" => {
                        self.tokens.len()
                            - usize::from(self.tokens.last().is_some_and(|last| last.is_punctuation(".!;")))
                    }
                    _ => (start..to).find(|at| matches!(self.norm(*at), "," | "but")).unwrap_or(to),
                };
                let mut value = self.source_text(start, end);
                if matches!(head.as_str(), "hair" | "eyes" | "beard" | "face" | "skin") {
                    value = self.source_text(group.content_start, end);
                }
                let span = self.clause_span(at, end);
                let weight_names = [weight_names, &["by_label"]].concat();
                for owner in &owners {
                    self.record_fact(target, owner, Err(value.clone()), "", &weight_names, status, span);
                }
                return true;
            }
        }
        if let Some((target, _)) = self.grammar.possession_nouns.get(&head).and_then(|entries| entries.first()).copied()
        {
            let target = self.injury_target(from, to).unwrap_or(target);
            let end = (from..to).find(|at| self.norm(*at) == ",").unwrap_or(to);
            let value = self.source_text(group.content_start, end);
            let span = self.clause_span(at, end);
            for owner in &owners {
                self.record_fact(
                    target,
                    owner,
                    Err(value.clone()),
                    "",
                    &[weight_names, &["by_feature"]].concat(),
                    status,
                    span,
                );
            }
            return true;
        }
        false
    }

    /// Returns the index of the target `condition` if a word says that something is injured or damaged: "his arm is
    /// broken". Returns `None` if the words only describe an appearance.
    fn injury_target(&self, from: usize, to: usize) -> Option<usize> {
        let condition = self.target("condition")?;
        let is_injury_word = |token: usize| {
            let entries = self.grammar.attribute_adjectives.get(self.norm(token));
            entries.and_then(|entries| entries.first()).is_some_and(|(target, _)| *target == condition)
        };
        (from..to).any(is_injury_word).then_some(condition)
    }

    /// Reads a clause with the verb "have": "has a scar over one eye", "has a brother, Pell", "has three hundred
    /// souls".
    ///
    /// Returns whether a fact was recorded.
    pub(crate) fn read_possession(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, status, weight_names } = context;
        let clause = self.clauses[at].clone();
        let Some(item) =
            (clause.rest_items.0..clause.rest_items.1).find(|item| self.syntax.noun_group_at(*item).is_some())
        else {
            return false;
        };
        let Some(np) = self.syntax.noun_group_at(item) else { return false };
        let group = self.chunks.noun_groups[np].clone();
        // Example: "has got the shakes"
        let possession_target = self
            .grammar
            .possession_nouns
            .get(self.norm(group.head))
            .and_then(|all| all.first())
            .map(|(target, _)| *target);
        let is_illness = possession_target.is_some() && possession_target == self.target("condition");
        let is_excluded =
            group.article.is_some_and(|at| self.norm(at) == "no" || (self.norm(at) == "the" && !is_illness));
        if is_excluded || status.denied {
            return false;
        }
        let head = self.norm(group.head).to_owned();
        // Example: "has a son called Pell"
        let singular = self.singular(&head);
        if self.grammar.noun_patterns.contains_key(&singular) && group.owner.is_none() {
            let mut next = item + 1;
            if self.syntax.word(next) == ","
                || matches!(self.chunks.items.get(next), Some(Chunk::VerbGroup(vg)) if matches!(self.norm(self.chunks.verb_groups[*vg].head), "called" | "named"))
            {
                next += 1;
            }
            let name_groups =
                if group.name.is_some() { vec![np] } else { self.syntax.noun_list(next, self.chunks.items.len()).0 };
            let name_groups: Vec<usize> =
                name_groups.into_iter().filter(|np| self.chunks.noun_groups[*np].name.is_some()).collect();
            let refs = self.resolve_all(&name_groups, &[]);
            if !refs.is_empty() && !subjects.is_empty() {
                let entries = self.grammar.noun_patterns.get(&singular).cloned().unwrap_or_default();
                let span = self.clause_span(at, self.chunk_end(next));
                for (noun, pattern) in entries {
                    if noun.len() > 1 {
                        continue;
                    }
                    let fact_count = self.facts.len();
                    for named_entity in &refs {
                        for subject in subjects {
                            let (a, b) =
                                if pattern.is_reversed { (subject, named_entity) } else { (named_entity, subject) };
                            self.record_fact(
                                pattern.target,
                                a,
                                Ok(b),
                                &format!("{singular} of"),
                                weight_names,
                                status,
                                span,
                            );
                        }
                    }
                    if self.facts.len() > fact_count {
                        return true;
                    }
                }
            }
        }
        // Example: "has a population of four thousand"
        if let Some(targets) = self.grammar.attribute_labels.get(&head).cloned()
            && matches!(self.syntax.word(item + 1), "of" | ":")
            && subjects.len() == 1
            && !self.grammar.possession_nouns.contains_key(&head)
        {
            let kinds = self.kinds(subjects[0].entity);
            let target =
                targets.iter().find(|target| self.grammar.targets[**target].subject.intersects(kinds)).copied();
            if let Some(target) = target {
                let (from, to) = (self.chunk_start(item + 2), self.chunk_end(clause.rest_items.1.saturating_sub(1)));
                let (value, span) = (self.source_text(from, to), self.clause_span(at, to));
                self.record_fact(
                    target,
                    &subjects[0],
                    Err(value),
                    "",
                    &[weight_names, &["by_label"]].concat(),
                    status,
                    span,
                );
                return true;
            }
        }
        let Some(entries) = self.grammar.possession_nouns.get(&head).cloned() else { return false };
        let mut to = self.value_end(item, clause.rest_items.1);
        if self.syntax.word(item + 1) == "like" && self.syntax.noun_group_at(item + 2).is_some() {
            to = self.value_end(item + 2, clause.rest_items.1.max(item + 3));
        }
        let value = self.source_text(self.chunk_content_start(item), to);
        let span = self.clause_span(at, to);
        let fact_count = self.facts.len();
        // Example: "has freckles, a gap between her teeth and a scar"
        for next in item + 1..clause.rest_items.1 {
            let follows_conjunction = matches!(self.syntax.word(next - 1), "," | "and");
            let Some(np) = self
                .syntax
                .noun_group_at(next)
                .filter(|np| follows_conjunction && self.chunks.noun_groups[*np].name.is_none())
            else {
                continue;
            };
            let other = self
                .grammar
                .possession_nouns
                .get(self.norm(self.chunks.noun_groups[np].head))
                .and_then(|all| all.first())
                .copied();
            let Some((target, _)) = other else { continue };
            let end = self.value_end(next, clause.rest_items.1);
            let (value, span) = (self.source_text(self.chunk_content_start(next), end), self.clause_span(at, end));
            for subject in subjects {
                self.record_fact(
                    target,
                    subject,
                    Err(value.clone()),
                    "",
                    &[weight_names, &["by_having"]].concat(),
                    status,
                    span,
                );
            }
        }
        for subject in subjects {
            let kinds = self.kinds(subject.entity);
            if let Some((target, weak)) =
                entries.iter().find(|(target, _)| self.grammar.targets[*target].subject.intersects(kinds))
            {
                let weight_names = [weight_names, &[if *weak { "weak" } else { "strong" }, "by_having"][..]].concat();
                // A broken nose is recorded as appearance, not as a condition.
                let is_face_part = matches!(head.as_str(), "nose" | "tooth" | "teeth" | "face" | "smile" | "voice");
                let injury = self.injury_target(self.chunk_content_start(item), to).filter(|_| !is_face_part);
                let target = &injury.unwrap_or(*target);
                self.record_fact(*target, subject, Err(value.clone()), "", &weight_names, status, span);
            }
        }
        self.facts.len() > fact_count
    }
}
