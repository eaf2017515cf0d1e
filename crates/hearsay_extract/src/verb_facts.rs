//! Extracts facts from verbs and their objects, such as "fought in the siege beside Odo".

use crate::{
    chunker::VerbForm,
    clauses::{ClauseType, SubjectSource},
    copula::ClauseContext,
    grammar::{Pattern, PatternPart, is_ignored},
    mentions::EntityRef,
    patterns::PatternMatch,
    sentence_reader::{RawFact, ResolvedEntity, SentenceReader, WeightNames},
};

impl SentenceReader<'_> {
    /// Records the facts that a verb and its objects state: usually at most one relation and one attribute. Returns
    /// whether the verb was read.
    pub(crate) fn read_verb(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, status, .. } = context;
        let vg = self.verb_group(at).clone();
        let grammar = self.grammar;
        let patterns = grammar.verb_patterns.get(&vg.lemma).map_or(&[][..], Vec::as_slice);
        if self.read_reciprocal_verb(context, patterns) || self.read_naming(context) || self.read_knowledge(context) {
            return true;
        }
        // In "reports to the inspector that …", the verb introduces reported speech, so most patterns do not apply.
        let reports_speech = grammar.verb_properties(&vg.lemma).is_speech
            && self
                .clauses
                .iter()
                .any(|other| other.parent == Some(at) && *other.clause_type() == ClauseType::Complement);
        let (mut has_relation, mut has_attribute) = (false, self.read_lost_or_worn_part(context));
        // The words directly after the verb are tried first. Later words may state another relation: "fought in the
        // siege beside Odo".
        let mut used_items: Vec<usize> = Vec::new();
        let attempts =
            [false, true].into_iter().flat_map(|may_skip| patterns.iter().map(move |pattern| (may_skip, pattern)));
        for (may_skip, pattern) in attempts {
            let target = &grammar.targets[pattern.target];
            let is_relation = target.predicate.is_relation();
            let is_preposition_phrase = matches!(&pattern.parts[..], [PatternPart::Word(_), PatternPart::Object]);
            let may_add_relation =
                is_relation && !vg.is_passive && may_skip && is_preposition_phrase && !pattern.is_weak;
            // In "bought the boat off him", the direct object (the boat) may give a second relation.
            let is_direct_object = !may_skip && pattern.parts == [PatternPart::Object];
            let may_add_relation =
                may_add_relation || (is_relation && !vg.is_passive && !pattern.is_weak && is_direct_object);
            let is_done = if is_relation { has_relation && !may_add_relation } else { has_attribute };
            let is_blocked_by_would =
                status.has_would && !matches!(target.predicate.as_str(), "LIKES" | "TRUSTS" | "WANTS");
            if is_done
                || is_blocked_by_would
                || (reports_speech && !(target.predicate == *"PROMISED" && self.is_about_future(at)))
            {
                continue;
            }
            let needs_negation = pattern.parts.first() == Some(&PatternPart::Word("not".into()));
            if (needs_negation && !vg.is_negated) || (status.has_can && !pattern.words.starts_with("can not")) {
                continue;
            }
            let parts = if needs_negation { &pattern.parts[1..] } else { &pattern.parts[..] };
            let fact_count = self.facts.len();
            if vg.is_passive {
                if may_skip {
                    continue;
                }
                self.read_passive(context, pattern, parts);
            } else {
                let mut status = status.clone();
                status.denied &= !needs_negation;
                if let Some(pattern_match) = self
                    .match_after_verb(at, parts, may_skip)
                    .filter(|pattern_match| !pattern_match.object.is_some_and(|at| used_items.contains(&at)))
                {
                    self.read_active(ClauseContext { status: &status, ..context }, pattern, parts, pattern_match);
                    if self.facts.len() > fact_count {
                        used_items.extend(pattern_match.object);
                        used_items.extend(pattern_match.second_object);
                    }
                }
            }
            if self.facts.len() > fact_count {
                has_relation |= is_relation;
                has_attribute |= !is_relation;
            }
        }
        if has_relation {
            self.read_role_after_as(context);
        }
        has_relation || has_attribute || self.read_fronted_object(context, patterns)
    }

    /// Records the occupation after "as", as in "joined the guild as its scribe" or "hired him as a spy".
    fn read_role_after_as(&mut self, context: ClauseContext<'_>) {
        let ClauseContext { at, status, weight_names, .. } = context;
        let (from, to) = self.clauses[at].rest_items;
        let Some(item) = (from..to).find(|item| self.syntax.word(*item) == "as") else { return };
        let Some(np) = self.syntax.noun_group_at(item + 1).filter(|np| self.chunks.noun_groups[*np].name.is_none())
        else {
            return;
        };
        let noun = self.singular(self.norm(self.chunks.noun_groups[np].head));
        let Some(occupation) = self.target("occupation") else { return };
        if !self.noun_attributes(&noun).iter().any(|(target, _)| *target == occupation) {
            return;
        }
        let is_service = |fact: &&RawFact| {
            let name = self.grammar.targets[fact.target].predicate.as_str();
            matches!(name, "EMPLOYED_BY" | "MEMBER_OF") && !fact.denied && !fact.weight_names.is_candidate()
        };
        let Some(entity) = self.facts.iter().rev().find(is_service).map(|fact| fact.subject) else { return };
        let (value, end) = (
            self.source_text(self.chunk_content_start(item + 1), self.chunks.noun_groups[np].end),
            self.chunks.noun_groups[np].end,
        );
        let subject = ResolvedEntity::certain(entity);
        let span = self.clause_span(at, end);
        self.record_fact(
            occupation,
            &subject,
            Err(value),
            "",
            &[weight_names, &["strong", "by_kind"]].concat(),
            status,
            span,
        );
    }

    /// Returns whether the reported clause is about the future: true for "swore to her that he would come", false for
    /// "swore that he had seen it". Also true if the verb has no reported clause.
    fn is_about_future(&self, at: usize) -> bool {
        let complement = self
            .clauses
            .iter()
            .find(|other| other.parent == Some(at) && *other.clause_type() == ClauseType::Complement);
        complement.is_none_or(|complement| {
            self.chunks.verb_groups[complement.verb_group].modal.is_some()
                || self.chunks.verb_groups[complement.verb_group].has_going_to
        })
    }

    /// Returns the end of the items that a pattern of the verb may match. In "would do anything to get the ledger", the
    /// pattern continues in the dependent clause.
    fn pattern_end(&self, at: usize, parts: &[PatternPart]) -> usize {
        let continues = parts.contains(&PatternPart::Word("to".into()));
        let next =
            self.clauses.get(at + 1).filter(|next| continues && next.parent == Some(at)).map(|next| next.rest_items.1);
        next.unwrap_or(self.clauses[at].rest_items.1)
    }

    fn match_after_verb(&self, at: usize, parts: &[PatternPart], may_skip: bool) -> Option<PatternMatch> {
        self.match_parts(parts, self.clauses[at].rest_items.0, self.pattern_end(at, parts), may_skip)
    }

    fn read_active(
        &mut self,
        context: ClauseContext<'_>,
        pattern: &Pattern,
        parts: &[PatternPart],
        pattern_match: PatternMatch,
    ) {
        let ClauseContext { at, subjects, status, weight_names } = context;
        let vg = self.verb_group(at).clone();
        let to = self.pattern_end(at, parts);
        let target = self.grammar.targets[pattern.target].clone();
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        let mut weight_names = pattern.with_strength(weight_names);
        weight_names.push("by_verb");
        if pattern_match.skipped_phrase {
            weight_names.push("far_object");
        }
        if let Some(value) = &pattern.value {
            // "is dying" does not mean "is dead", so an ongoing action gives no state.
            if vg.is_progressive || vg.form == VerbForm::Ing {
                return;
            }
            // In "burned down the inn", the state belongs to the object (the inn), not to the subject.
            if parts.iter().all(|part| matches!(part, PatternPart::Word(_)))
                && pattern_match.end < to
                && self.syntax.noun_group_at(pattern_match.end).is_some_and(|np| !self.is_time_expression(np))
            {
                let (list, _) = self.syntax.noun_list(pattern_match.end, to);
                let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
                let span = self.clause_span(at, self.chunk_end(pattern_match.end));
                for object in self.resolve_all(&list, &entities) {
                    if self.kinds(object.entity).intersects(pattern.object_kinds) && value != "dead" {
                        self.record_fact(pattern.target, &object, Err(value.clone()), "", &weight_names, status, span);
                    }
                }
                return;
            }
            let span = self.clause_span(at, self.chunk_start(pattern_match.end).max(vg.end));
            for subject in subjects
                .iter()
                .filter(|subject| self.kinds(subject.entity).intersects(pattern.object_kinds))
                .copied()
                .collect::<Vec<_>>()
            {
                self.record_fact(pattern.target, &subject, Err(value.clone()), "", &weight_names, status, span);
            }
            return;
        }
        if !target.predicate.is_relation() {
            match pattern_match.second_object.filter(|second| *second < self.chunks.items.len()) {
                // Example: "valued the blade at sixty cows"
                Some(second) => {
                    let valued_entities = self.resolve_objects(
                        &PatternMatch { second_object: None, ..pattern_match },
                        to,
                        &entities,
                        pattern,
                    );
                    let pattern_match = PatternMatch { object: Some(second), second_object: None, ..pattern_match };
                    self.read_value(
                        ClauseContext { subjects: &valued_entities, weight_names: &weight_names, ..context },
                        pattern,
                        &pattern_match,
                    );
                }
                None => {
                    self.read_value(ClauseContext { weight_names: &weight_names, ..context }, pattern, &pattern_match);
                }
            }
            return;
        }
        let objects = self.resolve_objects(&pattern_match, to, &entities, pattern);
        if let Some(second) = pattern_match.second_object.filter(|second| *second < self.chunks.items.len()) {
            // In "met Odo at the mill", both ends of the relation follow the verb.
            let second_objects = self.resolve_objects(
                &PatternMatch { object: Some(second), second_object: None, ..pattern_match },
                to,
                &entities,
                pattern,
            );
            let span = self.clause_span(at, self.chunk_end(second));
            for first in &objects {
                for second_object in &second_objects {
                    let (first, second_object) =
                        if pattern.is_reversed { (second_object, first) } else { (first, second_object) };
                    self.record_fact(
                        pattern.target,
                        first,
                        Ok(second_object),
                        &pattern.words,
                        &weight_names,
                        status,
                        span,
                    );
                }
            }
            return;
        }
        let span = self.clause_span(at, pattern_match.object.map_or(vg.end, |item| self.chunk_end(item)));
        for object in &objects {
            let mut weight_names = weight_names.clone();
            if !pattern.object_kinds.is_any() && self.kinds(object.entity).is_any() {
                weight_names.push("kind_open");
            }
            for subject in subjects {
                let (a, b) = if pattern.is_reversed { (object, subject) } else { (subject, object) };
                self.record_fact(pattern.target, a, Ok(b), &pattern.words, &weight_names, status, span);
            }
        }
    }

    /// Returns whether a noun group is an expression of time, as in "died last winter" or "two days ago".
    fn is_time_expression(&self, np: usize) -> bool {
        let group = &self.chunks.noun_groups[np];
        let word = self.norm(group.head);
        let time_words = "day days night nights week weeks month months year years winter winters summer summers spring autumn \
                     morning evening hour hours minute minutes moment time yesterday today tonight ago";
        group.name.is_none() && time_words.split_whitespace().any(|time_word| time_word == word)
    }

    /// Records an alias from a clause such as "everybody calls her Lady Luck".
    fn read_naming(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, status, weight_names, .. } = context;
        let vg = self.verb_group(at).clone();
        let (from, to) = self.clauses[at].rest_items;
        if vg.is_passive || !matches!(vg.lemma.as_str(), "call" | "nickname" | "dub" | "name") {
            return false;
        }
        // In "calls her Lady Luck", the parser reads "her Lady Luck" as a possession.
        if let Some(np) = self.syntax.noun_group_at(from)
            && let Some(owner) = self.chunks.noun_groups[np].owner
            && self.chunks.noun_groups[owner].is_pronoun
            && self.tokens[self.chunks.noun_groups[np].content_start].is_capitalized
            && let Some(alias) = self.target("alias")
        {
            let refs = self.resolve(owner, &[]);
            let group = self.chunks.noun_groups[np].clone();
            let (value, span) = (self.source_text(group.content_start, group.end), self.clause_span(at, group.end));
            for subject in &refs {
                self.record_fact(alias, subject, Err(value.clone()), "", weight_names, status, span);
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
        let Some(alias) = self.target("alias").filter(|_| is_new_name) else { return false };
        let refs = self.resolve(named_group, &[]);
        let value = self.source_text(self.chunk_content_start(from + 1), self.value_end(from + 1, to));
        let span = self.clause_span(at, self.chunk_end(from + 1));
        for subject in &refs {
            self.record_fact(alias, subject, Err(value.clone()), "", weight_names, status, span);
        }
        !refs.is_empty()
    }

    /// Records a `KNOWS_ABOUT` relation from "knows where the ledger is" or "knows what happened to Odo".
    fn read_knowledge(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, status, weight_names } = context;
        let lemma = self.verb_group(at).lemma.clone();
        let is_knowing = matches!(lemma.as_str(), "know" | "learn" | "discover" | "remember");
        let Some(target) = self.target("KNOWS_ABOUT").filter(|_| is_knowing) else { return false };
        let is_question_word = |word: &str| matches!(word, "where" | "what" | "who" | "how" | "why");
        let Some(question_clause) = self
            .clauses
            .get(at + 1)
            .filter(|question_clause| is_question_word(self.syntax.word(question_clause.start)))
            .cloned()
        else {
            return false;
        };
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        let objects = self.resolve_all(&question_clause.subjects, &entities);
        let span = self.clause_span(at, self.chunk_end(question_clause.rest_items.1.saturating_sub(1)));
        let fact_count = self.facts.len();
        for object in &objects {
            for subject in subjects {
                self.record_fact(
                    target,
                    subject,
                    Ok(object),
                    &lemma,
                    &[weight_names, &["by_asking"]].concat(),
                    status,
                    span,
                );
            }
        }
        self.facts.len() > fact_count
    }

    /// Copies the facts of the previous clause to another subject, as in "Mirela does not own the Eel, Rusk does."
    pub(crate) fn read_ellipsis(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, status, .. } = context;
        let vg = self.verb_group(at).clone();
        let clause = self.clauses[at].clone();
        let has_no_complement = matches!(vg.lemma.as_str(), "do" | "be" | "have" | "will")
            && (clause.rest_items.0 >= clause.rest_items.1
                || matches!(
                    self.syntax.word(clause.rest_items.0),
                    "," | "." | "!" | "too" | "as" | "though" | "also" | ""
                ))
            && self.syntax.noun_group_at(clause.rest_items.0).is_none();
        let is_main = clause.clause_type == ClauseType::Main && clause.subject_source == SubjectSource::Direct;
        let Some(previous_clause) = at.checked_sub(1).filter(|_| has_no_complement && is_main && !subjects.is_empty())
        else {
            return false;
        };
        let previous_subjects = self.clauses[previous_clause].subjects.clone();
        let previous_subjects: Vec<EntityRef> =
            self.resolve_all(&previous_subjects, &[]).iter().map(|subject| subject.entity).collect();
        let previous_facts: Vec<RawFact> = self
            .facts
            .iter()
            .filter(|fact| previous_subjects.contains(&fact.subject) && !fact.weight_names.is_candidate())
            .cloned()
            .collect();
        let mut has_facts = false;
        for fact in previous_facts {
            for subject in subjects.iter().filter(|subject| !previous_subjects.contains(&subject.entity)) {
                let span = self.clause_span(at, vg.end);
                let mut weight_names = fact.weight_names.names.clone();
                weight_names.push("likewise");
                weight_names.extend(subject.weight_name);
                let denied = vg.is_negated;
                self.facts.push(RawFact {
                    subject: subject.entity,
                    weight_names: WeightNames { names: weight_names },
                    span,
                    denied,
                    stated_by: status.stated_by,
                    ..fact.clone()
                });
                has_facts = true;
            }
        }
        has_facts
    }

    /// Records a goal from "wants to see the sea" or "dreams of leaving".
    pub(crate) fn read_goal(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, status, weight_names } = context;
        let vg = self.verb_group(at).clone();
        let is_wish = matches!(
            vg.lemma.as_str(),
            "want" | "hope" | "wish" | "aim" | "dream" | "long" | "yearn" | "seek" | "aspire" | "strive"
        );
        let Some(goals) =
            self.target("goals").filter(|_| is_wish && !vg.is_passive && !vg.is_negated && !vg.is_progressive)
        else {
            return false;
        };
        let Some(goal_clause) = self.clauses.get(at + 1).filter(|goal_clause| goal_clause.parent == Some(at)).cloned()
        else {
            return false;
        };
        let verb = &self.chunks.verb_groups[goal_clause.verb_group];
        let follows_directly = self.chunk_start(goal_clause.verb_item) <= vg.end + 2 && verb.form != VerbForm::Finite;
        if !follows_directly {
            return false;
        }
        let from = if verb.form == VerbForm::Infinitive { verb.start + 1 } else { verb.start };
        let end = self.chunk_end(goal_clause.rest_items.1.saturating_sub(1)).max(verb.end);
        let (value, span) = (self.source_text(from, end), self.clause_span(at, end));
        let fact_count = self.facts.len();
        for subject in subjects {
            self.record_fact(
                goals,
                subject,
                Err(value.clone()),
                "",
                &[weight_names, &["by_aim"]].concat(),
                status,
                span,
            );
        }
        self.facts.len() > fact_count
    }

    /// Records the appearance or condition in "lost an eye", "is missing two fingers" or "wears his hair long".
    fn read_lost_or_worn_part(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, status, weight_names } = context;
        let vg = self.verb_group(at).clone();
        let (from, to) = self.clauses[at].rest_items;
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
                body_part.is_some_and(|(target, _)| self.grammar.targets[*target].predicate == *"appearance");
            is_own && group.name.is_none() && is_appearance
        });
        let is_loss =
            matches!(vg.lemma.as_str(), "lose" | "miss" | "lack" | "break" | "shave" | "dye") && !vg.is_passive;
        let is_own = self.syntax.noun_group_at(from).is_some_and(|np| self.chunks.noun_groups[np].owner.is_some());
        // "keeps his hair short" describes a look, but "keeps his hand on his axe" describes an action.
        let is_placed = vg.lemma == "keep" && self.syntax.is_preposition(from + 1);
        let is_worn = matches!(vg.lemma.as_str(), "wear" | "keep") && !vg.is_passive && is_own && !is_placed;
        let name = if vg.lemma == "break" { "condition" } else { "appearance" };
        let Some(appearance) = self.target(name).filter(|_| (is_loss || is_worn) && body_part.is_some()) else {
            return false;
        };
        let end = if is_worn { self.chunk_end(to.saturating_sub(1)) } else { self.value_end(from, to) };
        let first = if is_worn { self.chunk_content_start(from) } else { vg.head };
        let (value, span) = (self.source_text(first, end), self.clause_span(at, end));
        let fact_count = self.facts.len();
        for subject in subjects {
            self.record_fact(
                appearance,
                subject,
                Err(value.clone()),
                "",
                &[weight_names, &["by_part"]].concat(),
                status,
                span,
            );
        }
        self.facts.len() > fact_count
    }

    /// Records a mutual relation between two subjects: "hate each other", "trusted one another".
    fn read_reciprocal_verb(&mut self, context: ClauseContext<'_>, patterns: &[Pattern]) -> bool {
        let ClauseContext { at, subjects, status, weight_names } = context;
        let [a, b, ..] = subjects else { return false };
        let vg = self.verb_group(at).clone();
        let clause = self.clauses[at].clone();
        let (from, to) =
            (vg.end, (self.chunk_end(clause.rest_items.1.saturating_sub(1)).max(vg.end)).min(self.tokens.len()));
        let reciprocal_at = (from..to.saturating_sub(1)).find(|at| {
            matches!((self.norm(*at), self.norm(at + 1)), ("each", "other" | "others") | ("one", "another"))
        });
        let grammar = self.grammar;
        if let Some(reciprocal_at) = reciprocal_at {
            let words_between: Vec<String> =
                (from..reciprocal_at).map(|at| self.norm(at).to_owned()).filter(|word| !is_ignored(word)).collect();
            for pattern in patterns {
                let words: Vec<&str> = pattern
                    .parts
                    .iter()
                    .filter_map(|part| if let PatternPart::Word(word) = part { Some(word.as_str()) } else { None })
                    .filter(|word| *word != "not")
                    .collect();
                // Example: "can't stand each other"
                let needs_negation = pattern.parts.first() == Some(&PatternPart::Word("not".into()));
                let kinds_fit = self.kinds(b.entity).intersects(pattern.object_kinds)
                    && self.kinds(b.entity).intersects(grammar.targets[pattern.target].object);
                if !kinds_fit
                    || (needs_negation && !vg.is_negated)
                    || (status.has_can && !pattern.words.starts_with("can not"))
                {
                    continue;
                }
                let mut status = status.clone();
                status.denied &= !needs_negation;
                let status = &status;
                if words.iter().all(|word| words_between.iter().any(|other| other == word))
                    && words.len() >= words_between.len().min(1)
                {
                    let is_symmetric = grammar.targets[pattern.target].is_symmetric;
                    let span = self.clause_span(at, reciprocal_at + 2);
                    let (a, b) = (*a, *b);
                    self.record_fact(pattern.target, &a, Ok(&b), &pattern.words, weight_names, status, span);
                    if !is_symmetric {
                        self.record_fact(pattern.target, &b, Ok(&a), &pattern.words, weight_names, status, span);
                    }
                    return true;
                }
            }
        }
        for pattern in grammar.reciprocal_verbs.get(&vg.lemma).into_iter().flatten() {
            // Example: "have never got along"
            let needs_negation = pattern.parts.first() == Some(&PatternPart::Word("not".into()));
            if needs_negation && !vg.is_negated {
                continue;
            }
            let mut status = status.clone();
            status.denied &= !needs_negation;
            let status = &status;
            let parts = &pattern.parts[usize::from(needs_negation)..];
            if let Some(pattern_match) = self.match_parts(parts, clause.rest_items.0, clause.rest_items.1, false) {
                // Without an object, as in "Odo and Lyra married", the relation is between the two subjects.
                let has_object = (pattern_match.end..clause.rest_items.1)
                    .find_map(|item| self.syntax.noun_group_at(item))
                    .is_some_and(|np| self.chunks.noun_groups[np].name.is_some());
                let has_continuation = pattern_match.end < clause.rest_items.1
                    && self.syntax.word(pattern_match.end) != ","
                    && !self.is_skippable(pattern_match.end);
                let has_other_object = has_object || (parts.is_empty() && has_continuation);
                if !has_other_object {
                    let span = self.clause_span(at, self.chunk_start(pattern_match.end).max(vg.end));
                    let (a, b) = (*a, *b);
                    self.record_fact(pattern.target, &a, Ok(&b), &pattern.words, weight_names, status, span);
                    return true;
                }
            }
        }
        false
    }

    fn read_passive(&mut self, context: ClauseContext<'_>, pattern: &Pattern, parts: &[PatternPart]) -> bool {
        let ClauseContext { at, subjects, status, weight_names } = context;
        let clause = self.clauses[at].clone();
        let object_position = parts.iter().position(|part| *part == PatternPart::Object);
        let mut weight_names = pattern.with_strength(weight_names);
        weight_names.push("by_passive");
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        if object_position == Some(0) && parts.iter().filter(|part| **part == PatternPart::Object).count() == 2 {
            // Example: "was found at the mill"
            let Some(pattern_match) = self.match_parts(&parts[1..], clause.rest_items.0, clause.rest_items.1, true)
            else {
                return false;
            };
            let objects = self.resolve_objects(&pattern_match, clause.rest_items.1, &entities, pattern);
            let span = self.clause_span(at, pattern_match.object.map_or(0, |item| self.chunk_end(item)));
            let mut has_facts = false;
            for subject in subjects {
                for object in &objects {
                    self.record_fact(pattern.target, subject, Ok(object), &pattern.words, &weight_names, status, span);
                    has_facts = true;
                }
            }
            return has_facts;
        }
        if object_position != Some(0) {
            // In "was hired to work for", the object follows other words of the pattern, so it is not the subject of
            // the passive.
            return false;
        }
        let rest_end = self
            .match_parts(&parts[1..], clause.rest_items.0, clause.rest_items.1, false)
            .map(|pattern_match| pattern_match.end);
        let Some(from) = rest_end else { return false };
        let Some(by_item) = (from..clause.rest_items.1).find(|item| self.syntax.word(*item) == "by") else {
            return false;
        };
        let (list, _) = self.syntax.noun_list(by_item + 1, clause.rest_items.1);
        let agents = self.resolve_all(&list, &entities);
        if !subjects.iter().any(|subject| self.kinds(subject.entity).intersects(pattern.object_kinds)) {
            return false;
        }
        let span = self.clause_span(at, self.chunk_end(by_item + 1));
        let target = self.grammar.targets[pattern.target].clone();
        let mut has_facts = false;
        for agent in &agents {
            for subject in subjects {
                let (a, b) = if pattern.is_reversed { (subject, agent) } else { (agent, subject) };
                if self.kinds(a.entity).intersects(target.subject) && self.kinds(b.entity).intersects(target.object) {
                    self.record_fact(pattern.target, a, Ok(b), &pattern.words, &weight_names, status, span);
                    has_facts = true;
                }
            }
        }
        has_facts
    }

    /// Records the value that follows a verb. Returns whether a fact was added.
    fn read_value(&mut self, context: ClauseContext<'_>, pattern: &Pattern, pattern_match: &PatternMatch) -> bool {
        let ClauseContext { at, subjects, status, weight_names } = context;
        let clause = self.clauses[at].clone();
        let Some(item) = pattern_match.object else { return false };
        let name = self.grammar.targets[pattern.target].predicate.as_str();
        let article = self.syntax.noun_group_at(item).and_then(|np| self.chunks.noun_groups[np].article);
        if article.is_some_and(|at| self.norm(at) == "no") {
            return false;
        }
        // Example: "wears a veil and a dead man's watch"
        let (listed_items, _) = self.syntax.noun_list(item, clause.rest_items.1);
        if name == "appearance" && listed_items.len() > 1 && pattern_match.second_object.is_none() {
            let fact_count = self.facts.len();
            for np in listed_items {
                let Some(item) = self.chunk_of(np) else { continue };
                let (from, to) = (self.chunk_content_start(item), self.value_end(item, clause.rest_items.1));
                let (value, span) = (self.source_text(from, to), self.clause_span(at, to));
                for subject in subjects {
                    self.record_fact(pattern.target, subject, Err(value.clone()), "", weight_names, status, span);
                }
            }
            return self.facts.len() > fact_count;
        }
        let from = self.chunk_content_start(item);
        let to = self.value_end(item, clause.rest_items.1);
        let value = self.source_text(from, to);
        let span = self.clause_span(at, to);
        let named_entity = self
            .syntax
            .noun_group_at(item)
            .and_then(|np| self.chunks.noun_groups[np].name)
            .map(|name| self.names[name].entity);
        if name == "alias" && matches!(named_entity, Some(EntityRef::Known(_))) {
            return false;
        }
        if name == "occupation" && named_entity.is_some() {
            return false;
        }
        if name == "age" && !(from..to).any(|token| self.is_number(self.norm(token))) {
            return false;
        }
        let mut has_facts = false;
        for subject in subjects {
            let fact_count = self.facts.len();
            self.record_fact(pattern.target, subject, Err(value.clone()), "", weight_names, status, span);
            has_facts |= self.facts.len() > fact_count;
        }
        has_facts
    }

    pub(crate) fn read_unmatched_verb(&mut self, context: ClauseContext<'_>) {
        let ClauseContext { at, subjects, status, weight_names } = context;
        let Some(related) = self.related_target else { return };
        let vg = self.verb_group(at).clone();
        let clause = self.clauses[at].clone();
        let properties = self.grammar.verb_properties(&vg.lemma);
        if properties.is_speech
            || properties.is_thought
            || properties.is_seeming
            || properties.is_copula
            || vg.lemma == "be"
            || properties.is_irrealis
            || status.denied
        {
            return;
        }
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        let first = clause.rest_items.0;
        let (item, words) = if self.syntax.noun_group_at(first).is_some() {
            (first, vg.lemma.clone())
        } else if self.syntax.is_preposition(first) && self.syntax.noun_group_at(first + 1).is_some() {
            (first + 1, format!("{} {}", vg.lemma, self.syntax.word(first)))
        } else {
            return;
        };
        let (list, _) = self.syntax.noun_list(item, clause.rest_items.1);
        let mut objects = self.resolve_all(&list, &entities);
        let mut words = words;
        let mut weight_names = [weight_names, &["fallback"]].concat();
        if objects.is_empty()
            && let [np] = list[..]
        {
            // In "tends the shrine of Mother Brine", the relation includes the words up to "of".
            objects = self.owners(np, Some(item), &["of"]);
            words = format!("{words} the {} of", self.norm(self.chunks.noun_groups[np].head));
            if !self.grammar.verb_patterns.get(&vg.lemma).is_none_or(Vec::is_empty) {
                weight_names.retain(|name| *name != "fallback");
                weight_names.push("weak");
            }
        }
        let span = self.clause_span(at, self.chunk_end(item));
        for subject in subjects {
            for object in &objects {
                self.record_fact(related, subject, Ok(object), &words, &weight_names, status, span);
            }
        }
    }
}
