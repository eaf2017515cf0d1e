//! Finds the entities that pronouns refer to.

use super::{ResolvedEntity, SentenceReader};
use crate::{
    entities::{
        coreference::Antecedent,
        lexicon::Gender,
        mentions::{EntityRef, NameMention},
    },
    language::{
        function_words::{first_person, is_second_person},
        grammar::WordClass,
        kind_set::KindSet,
        weights::Weight,
        word_lists::lists,
    },
    syntax::{chunker::Chunk, clauses::ClauseType},
    text::tokenizer::Token,
};

/// Returns the gender of a pronoun of the third person, or `None` for other words.
pub(super) fn pronoun_gender(pronoun: &str) -> Option<Gender> {
    let pronouns = &lists().pronouns;
    let genders = [
        (&pronouns.male, Gender::He),
        (&pronouns.female, Gender::She),
        (&pronouns.neuter, Gender::It),
        (&pronouns.plural, Gender::They),
    ];
    genders.into_iter().find(|(words, _)| words.contains(pronoun)).map(|(_, gender)| gender)
}

impl SentenceReader<'_> {
    /// Returns the noun group with the name that explains a pronoun, as in "he's a ripperdoc, Sixpence". A name that
    /// addresses the hearer does not count: "you owe him, Odo".
    pub(super) fn find_explaining_name(&self, np: usize) -> Option<usize> {
        let pronoun_gender = pronoun_gender(self.norm(self.chunks.noun_groups[np].head))?;
        if !self.clauses.iter().any(|clause| clause.subjects.contains(&np)) {
            return None;
        }
        let item = self.chunk_of(np)?;
        (item + 2..self.chunks.items.len()).find_map(|at| {
            let name_group = self.syntax.noun_group_at(at)?;
            let name = self.names.get(self.chunks.noun_groups[name_group].name?)?;
            let is_set_off = self.syntax.word(at - 1) == ","
                && matches!(self.syntax.word(at + 1), "," | "." | "!" | "")
                && !matches!(self.chunks.items.get(at + 1), Some(Chunk::NounGroup(_) | Chunk::VerbGroup(_)))
                && self.syntax.noun_list(at.saturating_sub(2), self.chunks.items.len()).0.len() < 2;
            let has_earlier_name = (0..item)
                .any(|at| self.syntax.noun_group_at(at).is_some_and(|np| self.chunks.noun_groups[np].name.is_some()));
            let is_addressed = self.speech.hearers.contains(&name.entity) || self.speech.speaker == Some(name.entity);
            let gender = self.gender(name.entity);
            let gender_fits = gender == pronoun_gender || gender == Gender::Unknown;
            (is_set_off
                && !has_earlier_name
                && !is_addressed
                && gender_fits
                && self.chunks.noun_groups[name_group].owner.is_none())
            .then_some(name_group)
        })
    }

    /// Returns the hearer whom the sentence addresses by name: "You work for me now, Ezra."
    fn addressed_hearer(&self) -> Option<ResolvedEntity> {
        let last = self.tokens.len();
        let name = self.names.iter().find(|name| {
            let is_comma = |at: usize| self.norm(at) == ",";
            let is_final =
                name.end >= last || (name.end + 1 >= last && self.tokens[name.end].is_punctuation(".!?\u{2026}"));
            let follows_endearments = (0..name.start).all(|at| {
                lists().adjectives.endearments.contains(self.norm(at))
                    || self.grammar.word_class(self.norm(at)).has(WordClass::TITLE)
            });
            // Example: "I swear to you, Odo, …"
            let follows_you = name.start > 1 && is_comma(name.start - 1) && self.norm(name.start - 2) == "you";
            (name.start > 1 && is_comma(name.start - 1) && (is_final || follows_you && is_comma(name.end)))
                || (follows_endearments && (is_comma(name.end) || self.norm(name.end) == ":"))
        })?;
        let is_person = self.kinds(name.entity).intersects(KindSet::PERSON) && self.speech.speaker != Some(name.entity);
        is_person.then_some(ResolvedEntity::uncertain(name.entity, Some(Weight::PRONOUN), None))
    }

    /// Returns the only person whose name punctuation marks set off from the sentence, as in "Listen, Odo, …".
    pub(crate) fn set_off_person(&self) -> Option<EntityRef> {
        let is_mark = |at: usize| self.tokens[at].is_punctuation(",.!?\u{2026}:");
        let is_set_off = |name: &&NameMention| {
            let titles = (0..name.start)
                .rev()
                .take_while(|at| self.grammar.word_class(self.norm(*at)).has(WordClass::TITLE))
                .count();
            let previous = (name.start - titles).checked_sub(1);
            let follows_kin = previous
                .and_then(|comma| comma.checked_sub(1))
                .is_some_and(|at| self.grammar.word_class(self.norm(at)).has(WordClass::KIN));
            previous.is_none_or(is_mark)
                && (name.end >= self.tokens.len() || is_mark(name.end))
                && !follows_kin
                && self.kinds(name.entity) == KindSet::PERSON
                && self.speech.speaker != Some(name.entity)
        };
        let mut set_off = self.names.iter().filter(is_set_off);
        set_off.next().filter(|_| set_off.next().is_none()).map(|name| name.entity)
    }

    /// Returns the person whom the sentence only addresses at its end: "The doctor is dead, Odo." The name in "I know her
    /// husband, Odo" is no address, nor is the last name of a list.
    pub(super) fn final_address(&self) -> Option<EntityRef> {
        let name = self.names.last().filter(|name| name.start > 1 && self.norm(name.start - 1) == ",")?;
        let is_final = self.tokens[name.end..].iter().all(|token| token.is_punctuation(".!?\u{2026}"));
        let follows_kin = self.grammar.word_class(self.norm(name.start - 2)).has(WordClass::KIN);
        let is_listed = self.names.iter().any(|other| other.end + 1 == name.start);
        let is_only = self.names.iter().filter(|other| other.entity == name.entity).count() == 1;
        let is_person = matches!(name.entity, EntityRef::Known(_))
            && self.kinds(name.entity).intersects(KindSet::PERSON)
            && self.speech.speaker != Some(name.entity);
        let is_address = is_final && is_person && is_only && !follows_kin && !is_listed;
        (self.speech.is_table_talk && is_address).then_some(name.entity)
    }

    /// Drops the facts about a person whom the sentence only addresses at its end. A sentence with "you" can be about
    /// this person, and a sentence with "he" can explain the pronoun with the name.
    pub(super) fn drop_facts_about_address(&mut self) {
        let is_reference = |token: &Token| {
            pronoun_gender(&token.norm).is_some_and(|gender| gender != Gender::It) || is_second_person(&token.norm)
        };
        let Some(addressed) = self.final_address().filter(|_| !self.tokens.iter().any(is_reference)) else { return };
        self.facts.retain(|fact| fact.subject != addressed);
    }

    pub(crate) fn resolve_pronoun(&self, word: &str, token: usize, excluded: &[EntityRef]) -> Vec<ResolvedEntity> {
        let gender = match word {
            word if first_person(word).is_some() => {
                return self.speech.speaker.map(ResolvedEntity::certain).into_iter().collect();
            }
            word if is_second_person(word) => {
                return match self.speech.hearers[..] {
                    [hearer] if self.speech.is_direct_speech && self.kinds(hearer).intersects(KindSet::PERSON) => {
                        vec![ResolvedEntity::uncertain(hearer, Some(Weight::PRONOUN), None)]
                    }
                    _ if self.speech.is_table_talk => self.addressed_hearer().into_iter().collect(),
                    _ => Vec::new(),
                };
            }
            word => match pronoun_gender(word) {
                Some(gender) => gender,
                None => return Vec::new(),
            },
        };
        if let Some(entity) = self.reported_referent(gender, token) {
            return vec![ResolvedEntity::uncertain(entity, Some(Weight::PRONOUN), None)];
        }
        let mut excluded = excluded.to_vec();
        if self.speech.is_direct_speech || self.speech.speaker.is_some() {
            excluded.extend(self.speech.speaker);
        }
        excluded.extend(self.final_address().filter(|_| matches!(gender, Gender::He | Gender::She)));
        let is_recent = self.history.listed_in_sentence + 3 > self.history.sentence;
        if gender == Gender::They && self.history.listed_together.len() > 1 && is_recent {
            let single = self
                .history
                .resolve_pronoun(gender, token, &excluded)
                .filter(|antecedent| !antecedent.is_in_other_sentence && !antecedent.is_ambiguous);
            if single.is_none() || self.history.listed_in_sentence == self.history.sentence {
                let ambiguity_weight_name =
                    (self.history.listed_in_sentence + 1 < self.history.sentence).then_some(Weight::DOUBTFUL_PRONOUN);
                let listed_entities = self.history.listed_together.iter();
                return listed_entities
                    .map(|entity| ResolvedEntity::uncertain(*entity, Some(Weight::PRONOUN), ambiguity_weight_name))
                    .collect();
            }
        }
        let is_named_later = self.has_later_subject(gender, &excluded);
        // A reflexive pronoun refers to nobody outside its sentence.
        let is_reflexive = lists().pronouns.reflexive.contains(word);
        let antecedent = self
            .history
            .resolve_pronoun(gender, token, &excluded)
            .filter(|antecedent| !(antecedent.is_in_other_sentence && word == "it" && self.is_unnamed_object(token)))
            .filter(|antecedent| !(word == "it" && self.is_later_object(token, antecedent)))
            .filter(|antecedent| !(antecedent.is_in_earlier_text && is_named_later))
            .filter(|antecedent| !(antecedent.is_in_other_sentence && is_reflexive))
            .filter(|antecedent| !(antecedent.is_unconfirmed && self.may_mean_speaker(gender, antecedent)))
            .filter(|antecedent| {
                // After "Mirela fights the masked man", "he" is nobody whom only an earlier text mentions.
                !(antecedent.is_in_earlier_text && self.history.describes_person(gender, token, Some(antecedent)))
            });
        if let Some(antecedent) = antecedent {
            let weight_name = if antecedent.is_in_other_sentence { Weight::FAR_PRONOUN } else { Weight::PRONOUN };
            // After "Odo stabs Bram", the subject "he" may be Odo or Bram.
            let is_subject_pronoun = lists().pronouns.ambiguous_subjects.contains(word);
            let is_doubtful = antecedent.is_ambiguous
                || (is_subject_pronoun && antecedent.has_rival_in_sentence)
                || (self.speech.is_direct_speech && antecedent.is_unconfirmed);
            let second_weight_name = match is_doubtful {
                true if self.speech.is_direct_speech => Some(Weight::DOUBTFUL_PRONOUN),
                _ if self.has_left_topic(gender, token, &antecedent) => Some(Weight::EARLIER_PRONOUN),
                _ => is_doubtful.then_some(Weight::DOUBTFUL_PRONOUN),
            };
            return vec![ResolvedEntity::uncertain(antecedent.entity, Some(weight_name), second_weight_name)];
        }
        if is_named_later || is_reflexive || self.history.describes_person(gender, token, None) {
            return Vec::new();
        }
        let present_matches: Vec<u32> = self
            .present
            .iter()
            .filter(|entity| {
                let entity = EntityRef::Known(**entity);
                let is_place = gender == Gender::It && self.kinds(entity) == KindSet::PLACE;
                self.gender(entity) == gender && !excluded.contains(&entity) && !is_place
            })
            .copied()
            .collect();
        match present_matches[..] {
            [single] => {
                vec![ResolvedEntity::uncertain(
                    EntityRef::Known(single),
                    Some(Weight::FAR_PRONOUN),
                    Some(Weight::DOUBTFUL_PRONOUN),
                )]
            }
            _ => Vec::new(),
        }
    }

    /// Returns the person to whom the pronoun at a token refers in a clause that tells what somebody says. In "Odo tells
    /// Bram that he is rich", Odo is rich. In "Mirela tells Lyra that her daughter is ill", the daughter is Mirela's. In
    /// "Mirela says that Lyra lost her purse", the purse is Lyra's.
    fn reported_referent(&self, gender: Gender, token: usize) -> Option<EntityRef> {
        if !matches!(gender, Gender::He | Gender::She) {
            return None;
        }
        let clause = self.clauses.iter().rfind(|clause| self.chunk_start(clause.start) <= token)?;
        let parent = clause.parent.filter(|_| clause.clause_type == ClauseType::Complement)?;
        let verb = self.verb_group(parent);
        let is_speech = self.grammar.verb_properties(&verb.lemma).is_speech
            && !verb.is_passive
            && !lists().verbs.about_hearers.contains(verb.lemma.as_str());
        let named_subject = |subjects: &[usize]| match *subjects {
            [np] => self.noun_group(np).name.filter(|_| !self.noun_group(np).owner_is_name),
            _ => None,
        };
        let speaker = named_subject(&self.clauses[parent].subjects).filter(|_| is_speech)?;
        let begins_here = |np: usize| self.noun_group(np).start == token;
        let is_subject = clause.subjects.iter().any(|np| begins_here(*np) && self.noun_group(*np).is_pronoun);
        let is_owner = self.chunks.noun_groups.iter().any(|group| group.owner.is_some_and(begins_here));
        if !is_subject && !is_owner {
            return None;
        }
        let is_nearer = |name: &usize| self.gender(self.names[*name].entity) == gender;
        let owner = named_subject(&clause.subjects).filter(|_| is_owner).filter(is_nearer);
        let entity = self.names[owner.unwrap_or(speaker)].entity;
        let others = || self.names.iter().filter(|other| other.entity != entity);
        // If the pronouns of the speaker are unknown, another person in the sentence must be known to be neither.
        let fits = match self.gender(entity) {
            Gender::Unknown => others().next().is_some() && others().all(|other| self.gender(other.entity) != gender),
            known => known == gender,
        };
        (fits && self.kinds(entity).intersects(KindSet::PERSON)).then_some(entity)
    }

    /// Returns whether a later sentence of the text begins with the name of a person whom a pronoun of the gender fits. In
    /// "He fell! Odo saw it", it is doubtful whether "he" is Odo, but it is nobody of an earlier line.
    fn has_later_subject(&self, gender: Gender, excluded: &[EntityRef]) -> bool {
        let end = self.tokens.last().map_or(0, |token| token.end);
        let is_meant = |(start, entity): &(usize, EntityRef)| {
            *start >= end && self.gender(*entity) == gender && !excluded.contains(entity)
        };
        matches!(gender, Gender::He | Gender::She) && self.history.opening_subjects.iter().any(is_meant)
    }

    /// Returns whether a pronoun in narration may mean the NPC who says the line before, and not the antecedent.
    fn may_mean_speaker(&self, gender: Gender, antecedent: &Antecedent) -> bool {
        let is_personal = matches!(gender, Gender::He | Gender::She);
        is_personal && self.history.possible_referent.is_some_and(|speaker| speaker != antecedent.entity)
    }

    /// Returns whether only an earlier text mentions the antecedent of a pronoun at a token, and the text has perhaps left
    /// this topic. In speech, "it" may be a thing that the speaker shows, except in an answer. In narration, "he" and "she"
    /// continue the subject of a sentence: after "Odo pays Bram", it is doubtful whom "Mirela nods; she fears him" means.
    fn has_left_topic(&self, gender: Gender, token: usize, antecedent: &Antecedent) -> bool {
        let is_answer = self.history.follows_speech && antecedent.is_in_last_earlier_sentence;
        let is_unknown_person =
            antecedent.is_unconfirmed && self.history.mentions_other_person(antecedent.entity, token);
        let has_left = match gender {
            Gender::It => self.speech.is_direct_speech && !antecedent.is_subject && !is_answer,
            Gender::He | Gender::She => !self.speech.is_direct_speech && (!antecedent.is_subject || is_unknown_person),
            _ => false,
        };
        antecedent.is_in_earlier_text && has_left
    }

    /// Returns whether the object of a verb at a token refers to the unnamed object of an earlier verb, as in "takes a coin
    /// and gives it to Odo".
    fn is_unnamed_object(&self, token: usize) -> bool {
        let object = self.chunk_at(token).filter(|object| self.is_object(*object));
        object.is_some_and(|object| (0..object).any(|item| self.is_unnamed_object_item(item)))
    }

    /// Returns whether the object of a verb at a token refers to a thing without a name that was mentioned after the
    /// antecedent, which is a place. In "They reach the mill. Odo takes a lamp. He hides it.", he hides the lamp.
    fn is_later_object(&self, token: usize, antecedent: &Antecedent) -> bool {
        self.kinds(antecedent.entity) == KindSet::PLACE
            && self.history.is_object_between(antecedent)
            && self.chunk_at(token).is_some_and(|item| self.is_object(item))
    }

    /// Returns whether an item directly follows a verb other than "is".
    pub(crate) fn is_object(&self, item: usize) -> bool {
        let verb = item.checked_sub(1).and_then(|at| self.chunks.items.get(at));
        matches!(verb, Some(Chunk::VerbGroup(vg)) if !self.chunks.verb_groups[*vg].is_copula)
    }

    /// Returns whether an item is the object of a verb, and a thing without a name.
    pub(super) fn is_unnamed_object_item(&self, item: usize) -> bool {
        let group = self.syntax.noun_group_at(item).map(|np| self.noun_group(np));
        let is_unnamed = group.is_some_and(|group| group.name.is_none() && !group.is_pronoun && !group.is_owner_only);
        is_unnamed && self.is_object(item)
    }
}
