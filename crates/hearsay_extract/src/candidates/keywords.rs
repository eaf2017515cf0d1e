//! Proposes attributes for the review queue, from numbers, quotations and certain words that no pattern reads. Examples
//! are populations, prices, ages, dates, mottos, banners, objectives of quests, and outcomes of events.

use hearsay_model::{PredicateRole, attribute};

use crate::{
    language::{
        grammar::WordClass, kind_set::KindSet, predicate_properties::PredicateProperties, triggers::Trigger,
        weights::Weight, word_lists::lists,
    },
    sentence_reader::{
        FactBasis, MentionSpan, RawFact, RawObject, ResolvedEntity, SentenceReader, assertion_status::AssertionStatus,
    },
    syntax::chunker::{Chunk, VerbForm},
    text::tokenizer::TokenKind,
};

impl SentenceReader<'_> {
    /// Proposes attributes from numbers, quotations and certain words in the sentence.
    pub(crate) fn propose_from_keywords(&mut self, statuses: &[AssertionStatus]) {
        let sentence_status = self.sentence_status(false);
        let is_hypothetical = statuses.first().is_some_and(|status| status.has_would || status.has_can);
        if sentence_status.is_unasserted || is_hypothetical || self.is_question() {
            return;
        }
        // Uses the assertion status of the first clause that is not a question, a plan or a wish.
        let first_asserted = statuses.iter().find(|status| !status.is_unasserted).cloned();
        let mut status = first_asserted.unwrap_or(sentence_status);
        status.denied = false;
        let mentions = self.all_mentions();
        self.propose_from_numbers(&mentions, &status);
        self.propose_motto_and_symbol(&mentions, &status);
        self.propose_goals(statuses);
        self.propose_outcomes(&mentions, &status);
        self.propose_objectives(&mentions, &status);
        self.propose_governments(&mentions, &status);
        self.propose_faiths(&status);
        self.propose_headquarters(&status);
        self.propose_atmospheres(&mentions, &status);
        self.propose_implied_relations(&mentions, statuses);
    }

    /// Proposes an atmosphere: "A heavy silence hangs over Halcyon", "it is dark and damp on Halcyon".
    fn propose_atmospheres(&mut self, mentions: &[MentionSpan], status: &AssertionStatus) {
        let atmosphere_group = self
            .chunks
            .noun_groups
            .iter()
            .find(|np| np.name.is_none() && lists().nouns.atmospheres.contains(self.norm(np.head)))
            .cloned();
        if let Some(np) = atmosphere_group
            && let Some(place) = self.nearest_mention(mentions, KindSet::PLACE, np.head)
        {
            let item = self.chunk_at(np.start);
            let end = item.map_or(np.end, |item| self.value_end(item, self.chunks.items.len()));
            self.propose_unless_known(attribute::ATMOSPHERE, place, np.content_start, end, Weight::LOOSE_AIR, status);
        }
        for at in 0..self.clauses.len() {
            let clause = &self.clauses[at];
            let vg = &self.chunks.verb_groups[clause.verb_group];
            let has_it_subject = clause.subjects.iter().any(|np| self.norm(self.chunks.noun_groups[*np].head) == "it");
            let (from, atmosphere) = (vg.end, self.target(attribute::ATMOSPHERE));
            let is_atmosphere = |at: usize| {
                self.grammar.adjective_attributes(self.norm(at)).iter().any(|(target, _)| Some(*target) == atmosphere)
            };
            if !(has_it_subject && vg.is_copula && is_atmosphere(from)) {
                continue;
            }
            let place = self.nearest_mention(mentions, KindSet::PLACE, from);
            let continues_value = |at: &usize| is_atmosphere(*at) || matches!(self.norm(*at), "and" | ",");
            let to = (from..self.tokens.len()).take_while(continues_value).last().map_or(from, |at| at + 1);
            if let Some(place) = place {
                self.propose_unless_known(attribute::ATMOSPHERE, place, from, to, Weight::LOOSE_AIR, status);
            }
        }
    }

    /// Proposes relations that follow from an action: two people who do something together know each other, a person
    /// who is told about something knows about it, and a person who dreams of something wants it.
    fn propose_implied_relations(&mut self, mentions: &[MentionSpan], statuses: &[AssertionStatus]) {
        for (at, status) in statuses
            .iter()
            .enumerate()
            .filter(|(_, status)| !status.is_unasserted && !status.denied && !status.has_would)
        {
            let clause = self.clauses[at].clone();
            let vg = self.chunks.verb_groups[clause.verb_group].clone();
            let subjects = self.resolve_subjects(&clause.subjects);
            let to = self.chunk_end(clause.last_item()).max(vg.end);
            let is_joint = (vg.end..to).any(|at| self.norm(at) == "together");
            if let [a, b] = subjects[..]
                && is_joint
            {
                let acquaintance = self.target_with(PredicateProperties::ACQUAINTANCE);
                self.propose_relation(acquaintance, a, b, at, Weight::LOOSE_TOGETHER, status);
                self.propose_relation(acquaintance, b, a, at, Weight::LOOSE_TOGETHER, status);
            }
            self.propose_specific_relations(at, &subjects, mentions, status);
            // In "The siege was long. Odo was there.", Odo took part in the siege.
            let is_there =
                vg.is_copula && self.norm(vg.end) == "there" && self.norm(vg.start.wrapping_sub(1)) != "there";
            let event = self.topic(|kinds| kinds == KindSet::EVENT).first().copied().filter(|_| is_there);
            if let (Some(event), [subject, ..]) = (event, &subjects[..]) {
                let participation = self.role_target(PredicateRole::Participation);
                self.propose_relation(participation, *subject, event, at, Weight::LOOSE_THERE, status);
            }
            let topic_at = (vg.end..self.tokens.len()).find(|at| self.norm(*at) == "about");
            if let Some(about_token) = topic_at.filter(|_| self.grammar.triggers.contains(Trigger::Telling, &vg.lemma))
            {
                let informed =
                    mentions.iter().find(|mention| mention.start >= vg.end && mention.end <= about_token).copied();
                let topic = mentions.iter().find(|mention| mention.start > about_token).copied();
                if let (Some(informed), Some(topic)) = (informed, topic) {
                    let awareness = self.role_target(PredicateRole::Awareness);
                    self.propose_relation(awareness, informed.resolved, topic.resolved, at, Weight::LOOSE_TOLD, status);
                }
            }
            let is_wish = self.grammar.triggers.contains(Trigger::Wishing, &vg.lemma);
            let desired = mentions.iter().find(|mention| {
                let kinds = self.kinds(mention.resolved.entity);
                mention.start > vg.end && (kinds == KindSet::THING || kinds == KindSet::PLACE)
            });
            if let (Some(desired), [wisher, ..]) = (desired.copied().filter(|_| is_wish), &subjects[..]) {
                let desire = self.target_with(PredicateProperties::DESIRE);
                self.propose_relation(desire, *wisher, desired.resolved, at, Weight::LOOSE_WISHED, status);
            }
        }
    }

    /// Proposes a place or knowledge if only the general relation was read: "drinks in the hold of the Bluebottle"
    /// gives a place, and "has read the log" gives knowledge.
    fn propose_specific_relations(
        &mut self,
        at: usize,
        subjects: &[ResolvedEntity],
        mentions: &[MentionSpan],
        status: &AssertionStatus,
    ) {
        let vg = self.chunks.verb_groups[self.clauses[at].verb_group].clone();
        let is_perception = self.grammar.triggers.contains(Trigger::Perception, &vg.lemma);
        let last = self.chunk_end(self.clauses[at].last_item()).max(vg.end);
        for mention in mentions.iter().filter(|mention| mention.start >= vg.end && mention.end <= last) {
            let kinds = self.kinds(mention.resolved.entity);
            let follows_place_preposition = (mention.start.saturating_sub(4).max(vg.end)..mention.start + 1)
                .any(|at| lists().prepositions.places.contains(self.norm(at)));
            let role = match kinds {
                kinds if kinds == KindSet::PLACE && follows_place_preposition => PredicateRole::Location,
                kinds if kinds == KindSet::THING && is_perception => PredicateRole::Awareness,
                kinds if kinds == KindSet::THING && follows_place_preposition => PredicateRole::Location,
                _ => continue,
            };
            let (entity, resolved) = (mention.resolved.entity, mention.resolved);
            for subject in subjects.iter().take(2) {
                let is_specific = |fact: &RawFact| {
                    fact.relates(subject.entity, entity)
                        && Some(fact.target) != self.related_target
                        && !fact.weight_names.is_candidate()
                };
                let is_proposed = |fact: &RawFact| {
                    fact.relates(subject.entity, entity) && role.is(&self.grammar.targets[fact.target].predicate)
                };
                if !self.facts.iter().any(is_specific) && !self.facts.iter().any(is_proposed) {
                    self.propose_relation(
                        self.role_target(role),
                        *subject,
                        resolved,
                        at,
                        Weight::LOOSE_INSTEAD,
                        status,
                    );
                }
            }
        }
    }

    fn propose_relation(
        &mut self,
        target: Option<usize>,
        a: ResolvedEntity,
        b: ResolvedEntity,
        at: usize,
        weight_name: Weight,
        status: &AssertionStatus,
    ) {
        let Some(target) = target else { return };
        let targets = &self.grammar.targets;
        let is_known = |fact: &RawFact| {
            targets[fact.target].predicate == targets[target].predicate
                && fact.subject == a.entity
                && fact.object == RawObject::Entity(b.entity)
        };
        if self.facts.iter().any(is_known) {
            return;
        }
        let span = self.clause_span(at, self.verb_group(at).end);
        let weight_names = [Weight::LOOSE, weight_name];
        self.record_relation(target, (&a, &b), "", FactBasis::new(status, &weight_names), span);
    }

    /// Returns the entity of the given kind that is nearest to a token.
    fn nearest_mention(&self, mentions: &[MentionSpan], kinds: KindSet, token: usize) -> Option<MentionSpan> {
        let distance = |mention: &&MentionSpan| {
            if mention.end <= token { token - mention.end } else { mention.start.saturating_sub(token) }
        };
        mentions.iter().filter(|mention| self.kinds(mention.resolved.entity) == kinds).min_by_key(distance).copied()
    }

    /// Proposes a value, unless the attribute was read already.
    fn propose_unless_known(
        &mut self,
        name: &str,
        subject: MentionSpan,
        from: usize,
        to: usize,
        weight_name: Weight,
        status: &AssertionStatus,
    ) {
        let Some(target) = self.target(name) else { return };
        let is_known = |fact: &RawFact| fact.target == target && fact.subject == subject.resolved.entity;
        if from < to && !self.facts.iter().any(is_known) {
            let (value, span) = (self.source_text(from, to), self.span(from, to - 1));
            let weight_names = [Weight::LOOSE, weight_name];
            self.record_value(target, &subject.resolved, value, FactBasis::new(status, &weight_names), span);
        }
    }

    /// Returns whether a word precedes an inexact number, as in "about sixty".
    fn is_approximator(&self, at: usize) -> bool {
        let numbers = &lists().numbers;
        numbers.approximators.contains(self.norm(at)) || numbers.count_approximators.contains(self.norm(at))
    }

    /// Proposes populations, rewards, prices, ages and dates from numbers.
    fn propose_from_numbers(&mut self, mentions: &[MentionSpan], status: &AssertionStatus) {
        let mut at = 0;
        while at < self.tokens.len() {
            if self.is_named(at) || !self.is_number(self.norm(at)) {
                if let Some(years) = self.norm(at).strip_suffix("-year-old").map(str::to_owned)
                    && self.is_number(&years)
                    && let Some(person) = self.nearest_mention(mentions, KindSet::PERSON, at)
                {
                    self.propose_unless_known(attribute::AGE, person, at, at + 1, Weight::LOOSE_COUNTED, status);
                }
                at += 1;
                continue;
            }
            let mut from = at;
            while from > 0 && self.is_approximator(from - 1) {
                from -= 1;
            }
            let to = (at..self.tokens.len()).find(|at| !self.is_number(self.norm(*at))).unwrap_or(self.tokens.len());
            self.propose_from_number((from, at, to), mentions, status);
            at = to.max(at + 1);
        }
    }

    fn propose_from_number(
        &mut self,
        (from, number, to): (usize, usize, usize),
        mentions: &[MentionSpan],
        status: &AssertionStatus,
    ) {
        let population = self.target(attribute::POPULATION);
        let noun_target = |at: usize| {
            self.grammar.possession_nouns.get(self.norm(at)).and_then(|all| all.first()).map(|(target, _)| *target)
        };
        // Example: "$200"
        let currency_sign = from.checked_sub(1).filter(|at| matches!(self.norm(*at), "$" | "\u{A3}" | "\u{20AC}"));
        let from = currency_sign.unwrap_or(from);
        let is_unit =
            |at: &usize| noun_target(*at) == population || lists().numbers.currencies.contains(self.norm(*at));
        let unit = currency_sign.map(|_| to - 1).or_else(|| (to..(to + 2).min(self.tokens.len())).find(is_unit));
        let previous_word = from.checked_sub(1).map_or("", |at| self.norm(at)).to_owned();
        // Example: "the spring of sixty-eight"
        let is_year =
            previous_word == "of" && from.checked_sub(2).is_some_and(|at| self.is_calendar_word(self.norm(at)));
        let is_date = is_year
            || (number..to).any(|at| self.norm(at).len() == 4 && self.tokens[at].kind == TokenKind::Number)
            || (number.saturating_sub(1)..(to + 1).min(self.tokens.len())).any(|at| {
                self.grammar.word_class(self.norm(at)).has(WordClass::MONTH) && self.tokens[at].is_capitalized
            });
        let is_labelled = (0..number).any(|at| matches!(self.norm(at), "population" | "pop"));
        if let Some(unit) = unit {
            if noun_target(unit) == population {
                if let Some(place) = self.nearest_mention(mentions, KindSet::PLACE, number) {
                    self.propose_unless_known(
                        attribute::POPULATION,
                        place,
                        from,
                        unit + 1,
                        Weight::LOOSE_COUNTED,
                        status,
                    );
                }
            } else if previous_word == "("
                || (0..self.tokens.len()).any(|at| lists().numbers.payments.contains(self.norm(at)))
            {
                let quest = self
                    .nearest_mention(mentions, KindSet::QUEST, number)
                    .or_else(|| self.previous_quest(mentions, number));
                if let Some(quest) = quest {
                    self.propose_unless_known(attribute::REWARD, quest, from, unit + 1, Weight::LOOSE_COUNTED, status);
                } else if let Some(thing) = self.nearest_mention(mentions, KindSet::THING, number) {
                    self.propose_unless_known(attribute::VALUE, thing, from, unit + 1, Weight::LOOSE_COUNTED, status);
                }
            }
        } else if is_labelled {
            if let Some(place) = self.nearest_mention(mentions, KindSet::PLACE, number) {
                self.propose_unless_known(attribute::POPULATION, place, from, to, Weight::LOOSE_COUNTED, status);
            }
        } else if is_date {
            self.propose_date(number, to, mentions, status);
        } else {
            self.propose_age((from, number, to), &previous_word, mentions, status);
        }
    }

    /// Proposes the words around a number as the date of the nearest event.
    fn propose_date(&mut self, number: usize, to: usize, mentions: &[MentionSpan], status: &AssertionStatus) {
        let Some(event) = self.nearest_mention(mentions, KindSet::EVENT, number) else { return };
        let is_day =
            |at: usize| self.is_calendar_word(self.norm(at)) && !lists().prepositions.in_dates.contains(self.norm(at));
        let first = (number.saturating_sub(3)..number).rev().take_while(|at| is_day(*at)).last().unwrap_or(number);
        let last = (to..(to + 3).min(self.tokens.len())).take_while(|at| is_day(*at)).last().map_or(to, |at| at + 1);
        self.propose_unless_known(attribute::DATE, event, first, last, Weight::LOOSE_DATED, status);
    }

    /// Proposes a number as the age of the nearest person, if a word before or after the number says that it is an age.
    fn propose_age(
        &mut self,
        (from, number, to): (usize, usize, usize),
        previous_word: &str,
        mentions: &[MentionSpan],
        status: &AssertionStatus,
    ) {
        let has_year_word =
            lists().times.years.contains(self.norm(to)) && (self.norm(to + 1) == "old" || self.norm(to) != "years");
        let is_final =
            to >= self.tokens.len() || !self.tokens[to].is_word() || lists().numbers.after_ages.contains(self.norm(to));
        let has_age_cue =
            lists().numbers.age_cues.contains(previous_word) || lists().numbers.age_cues.contains(self.norm(from));
        let is_age = has_year_word || is_final && has_age_cue;
        if let Some(person) = self.nearest_mention(mentions, KindSet::PERSON, number).filter(|_| is_age) {
            let last = to + usize::from(has_year_word);
            self.propose_unless_known(attribute::AGE, person, from, last, Weight::LOOSE_COUNTED, status);
        }
    }

    /// Returns the quest that is the topic of the text so far. Returns `None` if this sentence names an item.
    fn previous_quest(&self, mentions: &[MentionSpan], at: usize) -> Option<MentionSpan> {
        let names_thing = mentions.iter().any(|mention| self.kinds(mention.resolved.entity) == KindSet::THING);
        let resolved = self.topic(|kinds| kinds == KindSet::QUEST).first().copied().filter(|_| !names_thing)?;
        Some(MentionSpan { resolved, start: at, end: at, is_substitute: false })
    }

    /// Proposes a motto from a quotation near "motto", and a symbol from a noun group near "sign".
    fn propose_motto_and_symbol(&mut self, mentions: &[MentionSpan], status: &AssertionStatus) {
        let has_label = |reader: &Self, name: &str, at: usize| {
            let target = reader.target(name);
            let label_targets = reader.grammar.attribute_labels.get(reader.norm(at));
            label_targets.is_some_and(|targets| targets.iter().any(|other| Some(*other) == target))
        };
        let token_count = self.tokens.len();
        let quote = self.quotation_range();
        let group = |reader: &Self, at: usize| {
            reader
                .nearest_mention(mentions, KindSet::GROUP, at)
                .or_else(|| reader.nearest_mention(mentions, KindSet::PLACE, at))
        };
        if let Some((quote, end)) = quote {
            let introduces_motto = (0..token_count)
                .any(|at| has_label(self, attribute::MOTTO, at) || lists().nouns.mottos.contains(self.norm(at)));
            if let Some(group) = group(self, quote).filter(|_| introduces_motto) {
                self.propose_unless_known(attribute::MOTTO, group, quote, end, Weight::LOOSE_QUOTED, status);
            }
        }
        let Some(symbol_token) =
            (0..token_count).find(|at| has_label(self, attribute::SYMBOL, *at) && !self.is_named(*at))
        else {
            return;
        };
        let Some(group) = group(self, symbol_token) else { return };
        let is_shown = |np: &&crate::syntax::chunker::NounGroup| {
            let is_indefinite = np.article.is_some_and(|at| lists().determiners.before_symbols.contains(self.norm(at)));
            is_indefinite && np.name.is_none() && !(np.start <= symbol_token && symbol_token < np.end)
        };
        let shown_group = self.chunks.noun_groups.iter().find(is_shown).map(|np| (np.content_start, np.end, np.start));
        if let Some((content, end, start)) = shown_group {
            let item = self.chunk_at(start);
            let end = item.map_or(end, |item| self.value_end(item, self.chunks.items.len()));
            self.propose_unless_known(attribute::SYMBOL, group, content, end, Weight::LOOSE_SIGN, status);
        }
    }

    /// Returns the first and the end token of the words in quotation marks.
    fn quotation_range(&self) -> Option<(usize, usize)> {
        let quote_token = (0..self.tokens.len()).find(|at| matches!(self.tokens[*at].kind, TokenKind::Quote(_)));
        let is_quotation_mark = |c: Option<char>| c.is_some_and(|c| "\"\u{201C}\u{201D}\u{AB}\u{BB}".contains(c));
        let follows_mark = |at: &usize| is_quotation_mark(self.text[..self.tokens[*at].start].chars().next_back());
        let precedes_mark = |at: &usize| {
            let rest = self.text[self.tokens[*at].end..].trim_start_matches(['.', ',', '!', '?']);
            is_quotation_mark(rest.chars().next())
        };
        let inline_quotation = || {
            let from = (0..self.tokens.len()).find(follows_mark)?;
            let to = (from..self.tokens.len()).find(precedes_mark)?;
            Some((from, to + 1))
        };
        quote_token.map(|at| (at, at + 1)).or_else(inline_quotation)
    }

    /// Proposes a goal: "is out to break the guild", "has sworn to find him", "wants nothing more than to fly".
    fn propose_goals(&mut self, statuses: &[AssertionStatus]) {
        for (at, status) in statuses.iter().enumerate() {
            let clause = self.clauses[at].clone();
            let vg = self.chunks.verb_groups[clause.verb_group].clone();
            let last = (vg.end + 8).min(self.tokens.len());
            let goal_start = (vg.start..last).find_map(|from| {
                lists().phrases.goals.iter().find_map(|words| {
                    let words: Vec<&str> = words.split(' ').collect();
                    let is_match = words.iter().enumerate().all(|(n, word)| self.norm(from + n) == *word);
                    is_match.then_some(from + words.len())
                })
            });
            let subjects = self.resolve_subjects(&clause.subjects);
            let has_nothing = (vg.end..last).any(|at| self.norm(at) == "nothing");
            let is_stated = !status.is_unasserted && (!status.denied || vg.lemma == "rest" || has_nothing);
            let Some(from) = goal_start.filter(|_| is_stated && !subjects.is_empty()) else {
                continue;
            };
            let to = self.punctuation_after(from, ".!;,");
            let mut status = status.clone();
            status.denied = false;
            let goals = self.target(attribute::GOALS);
            if !self.facts.iter().any(|fact| Some(fact.target) == goals && fact.subject == subjects[0].entity) {
                self.propose_attribute(attribute::GOALS, &subjects, from, to, Weight::LOOSE_SET_ON, &status);
            }
        }
    }

    /// Proposes the outcome of an event: "left forty dead", "failed", "was won by the guild".
    fn propose_outcomes(&mut self, mentions: &[MentionSpan], status: &AssertionStatus) {
        for clause in self.clauses {
            let vg = &self.chunks.verb_groups[clause.verb_group];
            let subjects: Vec<(usize, usize)> = clause
                .subjects
                .iter()
                .map(|np| (self.chunks.noun_groups[*np].start, self.chunks.noun_groups[*np].end))
                .collect();
            let event = mentions.iter().find(|mention| self.kinds(mention.resolved.entity) == KindSet::EVENT).copied();
            let Some(event) = event else { return };
            let is_subject = subjects.iter().any(|(start, end)| *start <= event.start && event.start < *end);
            let to = self.punctuation_after(vg.end, ".!;,");
            if is_subject && lists().verbs.outcomes.contains(vg.lemma.as_str()) {
                let from = vg.head;
                self.propose_unless_known(attribute::OUTCOME, event, from, to, Weight::LOOSE_ENDED, status);
            } else if vg.lemma == "win" && !vg.is_passive && event.start >= vg.end {
                let from = subjects.first().map_or(vg.start, |(start, _)| *start);
                self.propose_unless_known(attribute::OUTCOME, event, from, vg.end, Weight::LOOSE_ENDED, status);
            }
        }
    }

    /// Proposes the objective of a quest: "must repair the relay", "is to repair the relay".
    fn propose_objectives(&mut self, mentions: &[MentionSpan], status: &AssertionStatus) {
        let Some(quest) =
            mentions.iter().find(|mention| self.kinds(mention.resolved.entity) == KindSet::QUEST).copied()
        else {
            return;
        };
        let is_objective = |vg: &&crate::syntax::chunker::VerbGroup| {
            let is_instruction =
                vg.form == VerbForm::Infinitive || matches!(vg.modal.as_deref(), Some("must" | "shall"));
            is_instruction && vg.start >= quest.end
        };
        let Some(from) = self.chunks.verb_groups.iter().find(is_objective).map(|vg| vg.head) else { return };
        let to = self.punctuation_after(from, ".!;");
        self.propose_unless_known(attribute::OBJECTIVES, quest, from, to, Weight::LOOSE_ASKED, status);
    }

    /// Proposes the government of a place: "A council of five rules Halcyon", "Halcyon has an elected mayor".
    fn propose_governments(&mut self, mentions: &[MentionSpan], status: &AssertionStatus) {
        let is_governing = |form: &(String, crate::language::conjugation::Inflections)| {
            lists().verbs.governing.contains(form.0.as_str())
        };
        let has_governing_verb = self
            .tokens
            .iter()
            .any(|token| self.grammar.verb_forms.get(&token.norm).is_some_and(|forms| forms.iter().any(is_governing)));
        let governing_group = self
            .chunks
            .noun_groups
            .iter()
            .find(|np| np.name.is_none() && lists().nouns.governing.contains(self.norm(np.head)));
        let Some(start) = governing_group.filter(|np| has_governing_verb && np.article.is_some()).map(|np| np.start)
        else {
            return;
        };
        let is_group = |item: &usize| matches!(self.chunks.items[*item], Chunk::NounGroup(_));
        let Some(item) = self.chunk_at(start).filter(is_group) else { return };
        let Some(place) = self.nearest_mention(mentions, KindSet::PLACE, start) else { return };
        let (from, to) = (self.chunk_content_start(item), self.value_end(item, self.chunks.items.len()));
        self.propose_unless_known(attribute::GOVERNMENT, place, from, to, Weight::LOOSE_GOVERNED, status);
    }

    /// Proposes a faith for each person who follows a god.
    fn propose_faiths(&mut self, status: &AssertionStatus) {
        let is_following = |fact: &&RawFact| {
            let person = self.kinds(fact.subject) == KindSet::PERSON && !fact.denied && !fact.ended;
            person && self.grammar.targets[fact.target].has(PredicateProperties::DEVOTION)
        };
        let faith_facts: Vec<_> = self.facts.iter().filter(is_following).cloned().collect();
        for fact in faith_facts {
            let RawObject::Entity(deity) = fact.object else { continue };
            let kinds = self.kinds(deity);
            let name = self.names.iter().find(|name| name.entity == deity).copied();
            if let Some(name) = name
                .filter(|_| kinds == KindSet::CONCEPT || matches!(deity, crate::entities::mentions::EntityRef::New(_)))
            {
                let resolved = ResolvedEntity::certain(fact.subject);
                let mention = MentionSpan { resolved, start: name.start, end: name.end, is_substitute: false };
                self.propose_unless_known(attribute::FAITH, mention, name.start, name.end, Weight::LOOSE_GOD, status);
            }
        }
    }

    /// Proposes the place where a group lives as its headquarters.
    fn propose_headquarters(&mut self, status: &AssertionStatus) {
        let residence_facts: Vec<_> = self
            .facts
            .iter()
            .filter(|fact| {
                let predicate = &self.grammar.targets[fact.target].predicate;
                let is_at_place = PredicateRole::Residence.is(predicate) || PredicateRole::Location.is(predicate);
                is_at_place && !fact.denied && !fact.ended
            })
            .filter(|fact| self.kinds(fact.subject) == KindSet::GROUP)
            .cloned()
            .collect();
        for fact in residence_facts {
            let RawObject::Entity(place) = fact.object else { continue };
            let name = self.names.iter().find(|name| name.entity == place).copied();
            let group = self.names.iter().find(|name| name.entity == fact.subject).copied();
            if let (Some(place), Some(group)) = (name, group) {
                let resolved = ResolvedEntity::certain(group.entity);
                let mention = MentionSpan { resolved, start: group.start, end: group.end, is_substitute: false };
                self.propose_unless_known(
                    attribute::HEADQUARTERS,
                    mention,
                    place.start,
                    place.end,
                    Weight::LOOSE_SEAT,
                    status,
                );
            }
        }
    }
}
