//! Reads the facts of one sentence.

use hearsay_model::{Kind, Predicate, Span};

use crate::{
    assertion::AssertionStatus,
    assertion_classifier::AssertionExample,
    attribute_classifier::AttributeCandidate,
    chunker::{Chunk, Chunks, NounGroup, VerbForm, VerbGroup},
    classifier::Classifier,
    clauses::{Clause, ClauseParser, ClauseType, SubjectSource},
    coreference::{EntityMention, MentionHistory},
    cues::{self, CueMatch},
    facts::Cue,
    grammar::{CueType, Grammar, WordClass},
    kind_set::KindSet,
    lexicon::{Gender, Lexicon, NameType},
    mentions::{EntityRef, NameMention, NewNames, is_pronoun},
    relation_classifier::EntityPair,
    tokenizer::Token,
};

/// Object of a fact that was read: an entity or a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RawObject {
    Entity(EntityRef),
    /// A value, quoted from the text or worded by the reader.
    Value(String),
}

/// Names of the weights that determine the confidence of a fact.
#[derive(Debug, Clone, Default)]
pub(crate) struct WeightNames {
    pub(crate) names: Vec<&'static str>,
}

impl WeightNames {
    /// Returns whether the fact is a candidate: a fact that was proposed without an exact match of a pattern.
    pub(crate) fn is_candidate(&self) -> bool {
        self.names.contains(&"loose")
    }

    /// Returns the names in alphabetical order without duplicates.
    pub(crate) fn sorted(&self) -> Vec<&'static str> {
        let mut names = self.names.clone();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Wording of a relation whose type is unknown.
pub(crate) const UNSPECIFIED_RELATION: &str = "has to do with";

/// Fact that was read in a sentence, before its confidence is computed.
#[derive(Debug, Clone)]
pub(crate) struct RawFact {
    pub(crate) subject: EntityRef,
    pub(crate) target: usize,
    pub(crate) object: RawObject,
    pub(crate) relation: String,
    pub(crate) weight_names: WeightNames,
    pub(crate) span: Span,
    pub(crate) stated_by: Option<EntityRef>,
    pub(crate) told_to: Vec<EntityRef>,
    pub(crate) denied: bool,
    pub(crate) ended: bool,
    pub(crate) confidence_factor: f64,
    pub(crate) cues: Vec<Cue>,
}

impl RawFact {
    /// Returns whether the fact relates two entities, in either direction.
    pub(crate) fn relates(&self, a: EntityRef, b: EntityRef) -> bool {
        let RawObject::Entity(object) = self.object else { return false };
        (self.subject == a && object == b) || (self.subject == b && object == a)
    }
}

/// Entity that words refer to, with the weights for uncertain references.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResolvedEntity {
    pub(crate) entity: EntityRef,
    pub(crate) weight_name: Option<&'static str>,
    pub(crate) second_weight_name: Option<&'static str>,
}

impl ResolvedEntity {
    /// Creates a reference without uncertainty.
    pub(crate) fn certain(entity: EntityRef) -> Self {
        Self { entity, weight_name: None, second_weight_name: None }
    }
}

/// Speaker and hearers of a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct SpeechContext {
    pub(crate) speaker: Option<EntityRef>,
    pub(crate) hearers: Vec<EntityRef>,
    /// Hearers that the text itself names.
    pub(crate) named_hearers: Vec<EntityRef>,
    /// Whether the words are quoted and the text does not name the speaker.
    pub(crate) is_speaker_unknown: bool,
    pub(crate) is_direct_speech: bool,
    /// Whether the words were spoken at the game table, by a character or about a character.
    pub(crate) is_table_talk: bool,
}

/// Training examples for the classifiers, collected from a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrainingExamples {
    pub(crate) pairs: Vec<EntityPair>,
    pub(crate) values: Vec<AttributeCandidate>,
    pub(crate) assertions: Vec<AssertionExample>,
}

pub(crate) struct SentenceReader<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) grammar: &'a Grammar,
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a [Token],
    pub(crate) names: &'a [NameMention],
    pub(crate) chunks: &'a Chunks,
    pub(crate) clauses: &'a [Clause],
    pub(crate) syntax: &'a ClauseParser<'a>,
    pub(crate) cues: &'a [CueMatch],
    /// Whether the previous sentence announces a guess, as in "My guess?".
    pub(crate) is_announced_guess: bool,
    /// Classifiers that were trained on labelled sentences.
    pub(crate) relation_classifier: &'a Classifier,
    pub(crate) attribute_classifier: &'a Classifier,
    pub(crate) assertion_classifier: &'a Classifier,
    pub(crate) speech: &'a SpeechContext,
    pub(crate) present: &'a [u32],
    pub(crate) history: &'a mut MentionHistory,
    pub(crate) new_names: &'a mut NewNames,
    /// Entity that this sentence is about, as the focus of the next sentence.
    pub(crate) next_focus: Option<EntityRef>,
    /// Names of weights for properties that make the sentence hard to read.
    pub(crate) difficulty_weight_names: Vec<&'static str>,
    pub(crate) resolved: Vec<Option<Vec<ResolvedEntity>>>,
    pub(crate) facts: Vec<RawFact>,
    /// Training examples for the classifiers, or `None` if they are not requested.
    pub(crate) training_examples: Option<TrainingExamples>,
    /// Index of the target for the general relation `RELATED_TO`.
    pub(crate) related_target: Option<usize>,
}

/// Returns the name of the weight for predicates that are stated in many ways or easily confused with others.
fn predicate_weight_name(predicate: &str) -> Option<&'static str> {
    Some(match predicate {
        "LOCATED_AT" => "of_place",
        "OWNS" => "of_goods",
        "RELATED_TO" => "of_ties",
        "condition" => "of_state",
        "emotional_state" => "of_mood",
        "personality" => "of_character",
        "appearance" => "of_looks",
        "occupation" => "of_trade",
        _ => return None,
    })
}

/// Returns whether a character is white space or punctuation that is removed from the ends of a value.
fn is_trimmed_char(c: char) -> bool {
    c.is_whitespace() || ",;:.\"\u{201C}\u{201D}\u{2014}\u{2013}".contains(c)
}

/// Returns whether the words of a relation describe a past act that stays true: "was born in", "was named after".
fn is_past_act(relation: &str) -> bool {
    let act_verbs = "born named kill killed murder murdered slay slain save saved rescue rescued betray betrayed steal stolen rob robbed \
        destroy destroyed curse cursed descended cheat swindle stab shoot burn";
    relation.split(' ').next().is_some_and(|first| act_verbs.split(' ').any(|verb| verb == first))
}

/// Returns whether a fact of this predicate stays true forever, such as the fact that a person created something.
pub(crate) fn is_permanent(predicate: &Predicate, relation: &str) -> bool {
    let is_permanent_predicate = matches!(
        predicate.as_str(),
        "CREATED" | "PARTICIPATED_IN" | "CAUSED_BY" | "QUEST_GIVER" | "PROMISED" | "KNOWS" | "species" | "alias"
    );
    is_permanent_predicate || is_past_act(relation)
}

/// Prepositions that can be the last word of a value: "burned down", "cut off".
const FINAL_PREPOSITIONS: [&str; 12] =
    ["down", "up", "off", "out", "over", "away", "through", "inside", "outside", "behind", "below", "past"];

/// Returns the gender of a pronoun of the third person, or `None` for other words.
fn pronoun_gender(pronoun: &str) -> Option<Gender> {
    Some(match pronoun {
        "he" | "him" | "his" | "himself" => Gender::He,
        "she" | "her" | "hers" | "herself" => Gender::She,
        "it" | "its" | "itself" => Gender::It,
        "they" | "them" | "their" | "theirs" | "themselves" | "themself" => Gender::They,
        _ => return None,
    })
}

impl SentenceReader<'_> {
    pub(crate) fn kinds(&self, entity: EntityRef) -> KindSet {
        match entity {
            EntityRef::Known(entity) => self.lexicon.entities[entity as usize].kinds,
            EntityRef::New(index) => self.new_names.kinds.get(index).copied().unwrap_or(KindSet::ANY),
        }
    }

    fn gender(&self, entity: EntityRef) -> Gender {
        match entity {
            EntityRef::Known(entity) => self.lexicon.entities[entity as usize].gender,
            EntityRef::New(index) => self.new_names.genders.get(index).copied().unwrap_or_default(),
        }
    }

    pub(crate) fn norm(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.norm.as_str())
    }

    /// Returns the text from the token `from` up to, but not including, the token `to`. Line breaks become spaces.
    pub(crate) fn source_text(&self, from: usize, to: usize) -> String {
        match (self.tokens.get(from), to.checked_sub(1).and_then(|at| self.tokens.get(at))) {
            (Some(first), Some(last)) if first.start < last.end => {
                let quoted_text = &self.text[first.start..last.end];
                quoted_text.split(['\n', '\r']).map(str::trim).collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        }
    }

    /// Adds the names of the sentence to the memory, and records which of them are subjects.
    pub(crate) fn record_mentions(&mut self) {
        let subjects: Vec<usize> = self
            .clauses
            .iter()
            .filter(|clause| {
                clause.subject_source == SubjectSource::Direct || clause.subject_source == SubjectSource::Inverted
            })
            .flat_map(|clause| clause.subjects.clone())
            .collect();
        for (index, name) in self.names.iter().enumerate() {
            let np = self.chunks.noun_groups.iter().position(|np| np.name == Some(index) && !np.owner_is_name);
            let is_subject = np.is_some_and(|np| subjects.contains(&np));
            let (kinds, gender) = (self.kinds(name.entity), self.gender(name.entity));
            self.history.record(EntityMention {
                entity: name.entity,
                kinds,
                gender,
                sentence: self.history.sentence,
                token: name.start,
                is_subject,
            });
        }
        let leading_groups =
            self.clauses.iter().flat_map(|clause| clause.subjects.iter()).chain(match self.chunks.items.first() {
                Some(Chunk::NounGroup(np)) => Some(np),
                _ => None,
            });
        let first_name = leading_groups.filter_map(|np| self.chunks.noun_groups[*np].name).min();
        self.next_focus = first_name.map(|name| self.names[name].entity);
        let mut lists = (0..self.chunks.items.len()).map(|item| self.syntax.noun_list(item, self.chunks.items.len()).0);
        if let Some(list) = lists.find(|list| list.len() > 1) {
            let listed_entities: Vec<EntityRef> = list
                .iter()
                .filter_map(|np| self.chunks.noun_groups[*np].name)
                .map(|name| self.names[name].entity)
                .filter(|entity| !self.kinds(*entity).is_any())
                .collect();
            if listed_entities.len() > 1 {
                self.history.listed_together = listed_entities;
                self.history.listed_in_sentence = self.history.sentence;
            }
        }
    }

    /// Returns the entities that a noun group refers to. Entities in `excluded` are left out.
    pub(crate) fn resolve(&mut self, np: usize, excluded: &[EntityRef]) -> Vec<ResolvedEntity> {
        if let Some(Some(refs)) = self.resolved.get(np) {
            return refs.clone();
        }
        let refs = self.resolve_uncached(np, excluded);
        for resolved_entity in &refs {
            // A resolved reference counts as a new mention of the entity.
            let (kinds, gender) = (self.kinds(resolved_entity.entity), self.gender(resolved_entity.entity));
            let is_subject = self.clauses.iter().any(|clause| clause.subjects.contains(&np));
            let token = self.chunks.noun_groups[np].start;
            self.history.record(EntityMention {
                entity: resolved_entity.entity,
                kinds,
                gender,
                sentence: self.history.sentence,
                token,
                is_subject,
            });
        }
        if let Some(cached) = self.resolved.get_mut(np) {
            *cached = Some(refs.clone());
        }
        refs
    }

    fn resolve_uncached(&mut self, np: usize, excluded: &[EntityRef]) -> Vec<ResolvedEntity> {
        let group = self.chunks.noun_groups[np].clone();
        if let Some(name) = group.name.map(|index| self.names[index]) {
            let weight_name = match (name.entity, name.name_type) {
                _ if name.is_ambiguous => Some("shared_name"),
                (EntityRef::New(index), _)
                    if !self.new_names.is_confirmed.get(index).is_some_and(|is_confirmed| *is_confirmed) =>
                {
                    Some("opening_name")
                }
                (EntityRef::New(_), _) => Some("new_name"),
                _ if name.is_fuzzy => Some("near_name"),
                (_, NameType::Description) => Some("description"),
                (_, NameType::Part) => Some("part_name"),
                _ => None,
            };
            return vec![ResolvedEntity { entity: name.entity, weight_name, second_weight_name: None }];
        }
        if group.is_owner_only {
            return Vec::new();
        }
        let word = self.norm(group.head).to_owned();
        if group.is_pronoun {
            if let Some(name_group) = self.find_explaining_name(np) {
                let mut refs = self.resolve(name_group, excluded);
                refs.iter_mut().for_each(|resolved_entity| {
                    resolved_entity.second_weight_name = resolved_entity.second_weight_name.or(Some("set_beside"))
                });
                return refs;
            }
            return self.resolve_pronoun(&word, group.start, excluded);
        }
        // Example: "her sister, Sela, …"
        if group.owner.is_some()
            && let Some(item) = self.chunks.items.iter().position(|item| *item == Chunk::NounGroup(np))
            && self.syntax.word(item + 1) == ","
            && let Some(name_group) = self.syntax.noun_group_at(item + 2)
            && self.chunks.noun_groups[name_group].name.is_some()
            && self.chunks.noun_groups[name_group].owner.is_none()
            && self.grammar.noun_patterns.contains_key(&word)
        {
            return self.resolve(name_group, excluded);
        }
        let item = self.chunk_of(np);
        // Example: "a man called Joris"
        if let Some(item) = item
            && let Some(Chunk::VerbGroup(vg)) = self.chunks.items.get(item + 1)
            && matches!(self.norm(self.chunks.verb_groups[*vg].head), "called" | "named")
            && let Some(name_group) = self.syntax.noun_group_at(item + 2)
            && self.chunks.noun_groups[name_group].name.is_some()
        {
            return self.resolve(name_group, excluded);
        }
        // "the one who" after "is"
        if let Some(item) = item
            && let Some(clause) = self
                .clauses
                .iter()
                .find(|clause| self.chunks.verb_groups[clause.verb_group].is_copula && clause.rest_items.0 == item)
                .cloned()
            && !clause.subjects.contains(&np)
            && group.owner.is_none()
        {
            return self.resolve_all(&clause.subjects, excluded);
        }
        // Example: "the one who stole it is Odo"
        let is_light_noun = word == "one" || self.grammar.word_class(&word).has(WordClass::LIGHT_NOUN);
        if is_light_noun && group.owner.is_none() {
            let name_group = self.clauses.iter().find_map(|clause| {
                let name_group = self
                    .syntax
                    .noun_group_at(clause.rest_items.0)
                    .filter(|np| self.chunks.noun_groups[*np].name.is_some())?;
                let is_identified = self.chunks.verb_groups[clause.verb_group].is_copula && clause.subjects == [np];
                (is_identified && self.chunks.noun_groups[name_group].owner.is_none()).then_some(name_group)
            });
            if let Some(name_group) = name_group {
                return self.resolve(name_group, excluded);
            }
        }
        // Examples: "the pair of them", "the Missing Pilot job"
        if matches!(word.as_str(), "pair" | "two" | "both" | "lot")
            && item.is_some_and(|item| self.syntax.word(item + 1) == "of")
            && let Some(pronoun_group) = item.and_then(|item| self.syntax.noun_group_at(item + 2))
            && self.chunks.noun_groups[pronoun_group].is_pronoun
        {
            return self.resolve(pronoun_group, excluded);
        }
        if group.owner_is_name
            && matches!(
                word.as_str(),
                "job"
                    | "contract"
                    | "quest"
                    | "business"
                    | "affair"
                    | "matter"
                    | "case"
                    | "task"
                    | "mission"
                    | "run"
                    | "gig"
                    | "thing"
                    | "stuff"
                    | "family"
                    | "gang"
                    | "crew"
            )
            && let Some(owner) = group.owner
        {
            return self.resolve(owner, excluded);
        }
        // Example: "the old man"
        let is_definite = group.article.is_some_and(|at| matches!(self.norm(at), "the" | "that" | "this"));
        let class = self.grammar.word_class(&word);
        if is_definite && class.has(WordClass::LIGHT_NOUN) && group.owner.is_none() {
            let gender = if class.has(WordClass::FEMALE) {
                Gender::She
            } else if class.has(WordClass::MALE) || word == "man" {
                Gender::He
            } else {
                return Vec::new();
            };
            let antecedent = self.history.resolve_pronoun(gender, group.start, excluded);
            return antecedent
                .map(|antecedent| ResolvedEntity {
                    entity: antecedent.entity,
                    weight_name: Some("far_pronoun"),
                    second_weight_name: Some("doubtful_pronoun"),
                })
                .into_iter()
                .collect();
        }
        Vec::new()
    }

    /// Returns the noun group with the name that explains a pronoun, as in "he's a ripperdoc, Sixpence". A name that
    /// addresses the hearer does not count: "you owe him, Odo".
    fn find_explaining_name(&self, np: usize) -> Option<usize> {
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
            let follows_endearments = (0..name.start)
                .all(|at| matches!(self.norm(at), "my" | "dear" | "dearest" | "darling" | "sweet" | "to"));
            (name.start > 1 && is_comma(name.start - 1) && is_final)
                || (follows_endearments && (is_comma(name.end) || self.norm(name.end) == ":"))
        })?;
        let is_person = self.kinds(name.entity).intersects(KindSet::PERSON) && self.speech.speaker != Some(name.entity);
        is_person.then_some(ResolvedEntity {
            entity: name.entity,
            weight_name: Some("pronoun"),
            second_weight_name: None,
        })
    }

    fn resolve_pronoun(&self, word: &str, token: usize, excluded: &[EntityRef]) -> Vec<ResolvedEntity> {
        let gender = match word {
            "i" | "me" | "my" | "mine" | "myself" => {
                return self.speech.speaker.map(ResolvedEntity::certain).into_iter().collect();
            }
            "you" | "your" | "yours" | "yourself" => {
                return match self.speech.hearers[..] {
                    [hearer] if self.speech.is_direct_speech && self.kinds(hearer).intersects(KindSet::PERSON) => {
                        vec![ResolvedEntity { entity: hearer, weight_name: Some("pronoun"), second_weight_name: None }]
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
        let mut excluded = excluded.to_vec();
        if self.speech.is_direct_speech || self.speech.speaker.is_some() {
            excluded.extend(self.speech.speaker);
        }
        let is_recent = self.history.listed_in_sentence + 3 > self.history.sentence;
        if gender == Gender::They && self.history.listed_together.len() > 1 && is_recent {
            let single = self
                .history
                .resolve_pronoun(gender, token, &excluded)
                .filter(|antecedent| !antecedent.is_in_other_sentence && !antecedent.is_ambiguous);
            if single.is_none() || self.history.listed_in_sentence == self.history.sentence {
                let ambiguity_weight_name =
                    (self.history.listed_in_sentence + 1 < self.history.sentence).then_some("doubtful_pronoun");
                let listed_entities = self.history.listed_together.iter();
                return listed_entities
                    .map(|entity| ResolvedEntity {
                        entity: *entity,
                        weight_name: Some("pronoun"),
                        second_weight_name: ambiguity_weight_name,
                    })
                    .collect();
            }
        }
        if let Some(antecedent) = self.history.resolve_pronoun(gender, token, &excluded) {
            let weight_name = if antecedent.is_in_other_sentence { "far_pronoun" } else { "pronoun" };
            return vec![ResolvedEntity {
                entity: antecedent.entity,
                weight_name: Some(weight_name),
                second_weight_name: antecedent.is_ambiguous.then_some("doubtful_pronoun"),
            }];
        }
        let present_matches: Vec<u32> = self
            .present
            .iter()
            .filter(|entity| {
                self.lexicon.entities[**entity as usize].gender == gender
                    && !excluded.contains(&EntityRef::Known(**entity))
            })
            .copied()
            .collect();
        match present_matches[..] {
            [single] => vec![ResolvedEntity {
                entity: EntityRef::Known(single),
                weight_name: Some("far_pronoun"),
                second_weight_name: Some("doubtful_pronoun"),
            }],
            _ => Vec::new(),
        }
    }

    /// Returns the entities that several noun groups refer to.
    pub(crate) fn resolve_all(&mut self, nps: &[usize], excluded: &[EntityRef]) -> Vec<ResolvedEntity> {
        let mut refs = Vec::new();
        for np in nps {
            refs.extend(self.resolve(*np, excluded));
        }
        refs
    }

    /// Returns the owners of a noun group. An owner can be a possessive ("Mirela's", "his"), a name before the noun
    /// ("Lantern Club members"), or a noun group after "of" or another preposition in `prepositions`.
    pub(crate) fn owners(&mut self, np: usize, item: Option<usize>, prepositions: &[&str]) -> Vec<ResolvedEntity> {
        if let Some(owner) = self.chunks.noun_groups[np].owner {
            return self.resolve(owner, &[]);
        }
        let Some(item) = item else { return Vec::new() };
        // Example: "Zahra, whose father is Yusuf"
        if let Some(whose_item) = item.checked_sub(1).filter(|item| self.syntax.word(*item) == "whose") {
            let owners = self.syntax.antecedent(whose_item).map(|(owners, _)| owners).unwrap_or_default();
            return self.resolve_all(&owners, &[]);
        }
        if prepositions.contains(&self.syntax.word(item + 1)) {
            let (list, _) = self.syntax.noun_list(item + 2, self.chunks.items.len());
            return self.resolve_all(&list, &[]);
        }
        Vec::new()
    }

    /// Returns whether a token belongs to a name.
    pub(crate) fn is_named(&self, token: usize) -> bool {
        self.names.iter().any(|name| name.start <= token && token < name.end)
    }

    /// Returns the first token at or after `from` that is one of the punctuation characters in `characters`, or the end
    /// of the sentence.
    pub(crate) fn punctuation_after(&self, from: usize, characters: &str) -> usize {
        (from..self.tokens.len()).find(|at| self.tokens[*at].is_punctuation(characters)).unwrap_or(self.tokens.len())
    }

    /// Returns the item that begins at a token.
    pub(crate) fn chunk_at(&self, token: usize) -> Option<usize> {
        (0..self.chunks.items.len()).find(|item| self.chunk_start(*item) == token)
    }

    pub(crate) fn chunk_of(&self, np: usize) -> Option<usize> {
        self.chunks.items.iter().position(|item| *item == Chunk::NounGroup(np))
    }

    /// Returns the byte range from one token to another. Both tokens are included, and may be given in either order.
    pub(crate) fn span(&self, mut from: usize, mut to: usize) -> Span {
        if from > to {
            std::mem::swap(&mut from, &mut to);
        }
        let last = self.tokens.len().saturating_sub(1);
        Span {
            start: self.tokens[from.min(last)].start,
            end: self.tokens[to.min(last)].end.max(self.tokens[from.min(last)].end),
        }
    }

    /// Records a fact, if subject and object have the classes that the target requires.
    ///
    /// `object` is an entity (`Ok`) or a value (`Err`).
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn record_fact(
        &mut self,
        target: usize,
        subject: &ResolvedEntity,
        object: Result<&ResolvedEntity, String>,
        relation: &str,
        weight_names: &[&'static str],
        status: &AssertionStatus,
        span: Span,
    ) {
        if status.is_unasserted {
            return;
        }
        let target_info = self.grammar.targets[target].clone();
        let mut all_weight_names: Vec<&'static str> = weight_names.to_vec();
        all_weight_names.extend(subject.weight_name);
        all_weight_names.extend(subject.second_weight_name);
        if !self.kinds(subject.entity).intersects(target_info.subject) {
            return;
        }
        self.narrow_kinds(subject.entity, target_info.subject);
        let object = match object {
            Ok(object) => {
                if object.entity == subject.entity {
                    return;
                }
                all_weight_names.extend(object.weight_name);
                all_weight_names.extend(object.second_weight_name);
                if !self.kinds(object.entity).intersects(target_info.object) {
                    return;
                }
                self.narrow_kinds(object.entity, target_info.object);
                RawObject::Entity(object.entity)
            }
            Err(value) => {
                let value = self.trim_value(&value);
                let is_partial_number = matches!(value.as_str(), "half" | "one" | "hundred" | "dozen");
                if target_info.predicate == *"age"
                    && (is_partial_number || !self.is_plausible_age(&value, weight_names, span))
                {
                    return;
                }
                let is_name = target_info.predicate == *"alias" && {
                    let name = match subject.entity {
                        EntityRef::Known(entity) => self.lexicon.entities[entity as usize].name.as_str(),
                        EntityRef::New(index) => {
                            self.new_names.entities.get(index).map_or("", |entity| entity.name.as_str())
                        }
                    };
                    value.starts_with(name)
                };
                let is_pronoun_value = is_pronoun(&value.to_lowercase());
                if is_name || is_pronoun_value || value.is_empty() || value.chars().count() > 160 {
                    return;
                }
                RawObject::Value(value)
            }
        };
        let has_number = |value: &str| value.split_whitespace().any(|word| self.is_number(&word.to_lowercase()));
        if target_info.predicate == *"population" && matches!(&object, RawObject::Value(value) if !has_number(value)) {
            return;
        }
        // "Burned by Lyra" and "beaten out of a ploughshare" describe an act and not a condition.
        if target_info.predicate == *"condition" && matches!(&object, RawObject::Value(_)) && self.names_agent(span) {
            return;
        }
        if target_info.predicate == *"date"
            && matches!(&object, RawObject::Value(value) if !self.has_time_expression(value))
        {
            return;
        }
        // Example: "an ex-constable"
        let is_former = matches!(&object, RawObject::Value(value) if value.to_lowercase().starts_with("ex-"));
        if status.is_embedded {
            all_weight_names.push("nested");
        }
        if self.tokens.len() > 40 {
            all_weight_names.push("long");
        }
        if self.clauses.len() > 3 {
            all_weight_names.push("many_clauses");
        }
        if self.speech.is_direct_speech {
            all_weight_names.push("spoken");
        }
        let is_permanent_fact = is_permanent(&target_info.predicate, relation);
        // Facts with these predicates can end. In the past tense, they count as over.
        let can_end = matches!(
            target_info.predicate.as_str(),
            "MEMBER_OF"
                | "EMPLOYED_BY"
                | "RELATED_TO"
                | "RESIDENT_OF"
                | "ALLIED_WITH"
                | "HOSTILE_TO"
                | "OWNS"
                | "occupation"
                | "title"
        );
        all_weight_names.extend(predicate_weight_name(target_info.predicate.as_str()));
        if !weight_names.contains(&"loose") {
            all_weight_names.extend(self.difficulty_weight_names.iter());
        }
        self.facts.push(RawFact {
            subject: subject.entity,
            target,
            object,
            relation: relation.to_owned(),
            weight_names: WeightNames { names: all_weight_names },
            span,
            stated_by: status.stated_by,
            told_to: status.told_to.clone(),
            denied: status.denied != target_info.denied,
            ended: ((status.ended || (status.is_past_state && can_end)) && !is_permanent_fact)
                || target_info.ended
                || is_former,
            confidence_factor: status.confidence_factor,
            cues: status.cues.clone(),
        });
    }

    /// Returns whether the words are followed by "by" and a name, or by the material of a thing.
    fn names_agent(&self, span: Span) -> bool {
        let Some(last) = self.tokens.iter().position(|token| token.end == span.end) else { return false };
        let by_position = (last + 1..last + 5).find(|at| self.norm(*at) == "by");
        let is_name_near = |at: usize| (at + 1..at + 4).any(|at| self.is_named(at));
        by_position.is_some_and(is_name_near) || self.norm(last) == "beaten" && self.norm(last + 1) == "out"
    }

    /// Removes incomplete ends from a value: "haunted by his" becomes "haunted", and "capable and" becomes "capable".
    fn trim_value(&self, value: &str) -> String {
        let mut value = value.trim_matches(is_trimmed_char);
        let is_incomplete_end = |word: &str| {
            let word = hearsay_model::text::normalize(word.trim_matches(is_trimmed_char));
            let class = self.grammar.word_class(&word);
            let function_classes = WordClass::DETERMINER.or(WordClass::CONJUNCTION).or(WordClass::RELATIVE);
            class.has(function_classes)
                || matches!(word.as_str(), "my" | "your" | "his" | "her" | "its" | "our" | "their")
                || (class.has(WordClass::PREPOSITION)
                    && !class.has(WordClass::ADVERB)
                    && !FINAL_PREPOSITIONS.contains(&word.as_str()))
        };
        while let Some((rest, word)) = value.rsplit_once(char::is_whitespace) {
            if !is_incomplete_end(word) {
                break;
            }
            value = rest.trim_matches(is_trimmed_char);
        }
        while let Some((word, rest)) = value.split_once(char::is_whitespace) {
            if !self.grammar.word_class(&hearsay_model::text::normalize(word)).has(WordClass::CONJUNCTION) {
                break;
            }
            value = rest.trim_matches(is_trimmed_char);
        }
        if is_incomplete_end(value) && !value.contains(char::is_whitespace) { String::new() } else { value.to_owned() }
    }

    /// Returns whether a value is an age. A number alone counts only if the sentence supports it; a number in a list of
    /// figures does not count.
    fn is_plausible_age(&self, value: &str, weight_names: &[&'static str], span: Span) -> bool {
        let is_digits = value.chars().all(|c| c.is_ascii_digit());
        if !is_digits {
            return value.chars().any(char::is_alphabetic);
        }
        if !weight_names.contains(&"beside") && !weight_names.contains(&"telegraph") && !weight_names.contains(&"loose")
        {
            return true;
        }
        let at = self.tokens.iter().position(|token| token.start == span.start);
        let previous_word = at.and_then(|at| at.checked_sub(1)).map_or("", |at| self.norm(at));
        let is_adult_age = value.parse::<u32>().is_ok_and(|years| (10..150).contains(&years));
        let has_finite_verb = self.chunks.verb_groups.iter().any(|vg| vg.form == VerbForm::Finite && !vg.is_omitted);
        let is_only_number = self.tokens.iter().filter(|token| self.is_number(&token.norm)).count() == 1;
        let is_counted_candidate = weight_names.contains(&"loose_counted") && is_adult_age;
        matches!(previous_word, "aged" | "age" | ":") && !weight_names.contains(&"loose")
            || (matches!(previous_word, "," | "(") && is_adult_age && (has_finite_verb || is_only_number))
            || is_counted_candidate
    }

    /// Restricts the classes of a new name to those that fit a fact about it.
    fn narrow_kinds(&mut self, entity: EntityRef, kinds: KindSet) {
        let EntityRef::New(index) = entity else { return };
        if let Some(known_kinds) = self.new_names.kinds.get_mut(index)
            && known_kinds.intersects(kinds)
        {
            *known_kinds = known_kinds.and(kinds);
            let likely_kind = known_kinds.likely_kind().or_else(|| {
                // If several classes remain, a person is the most likely one.
                known_kinds.intersects(KindSet::PERSON).then_some(Kind::Npc)
            });
            if let Some(entity) = self.new_names.entities.get_mut(index) {
                entity.kind = likely_kind.filter(|_| !known_kinds.is_any());
            }
        }
    }

    pub(crate) fn verb_group(&self, clause: usize) -> &VerbGroup {
        &self.chunks.verb_groups[self.clauses[clause].verb_group]
    }

    pub(crate) fn noun_group(&self, np: usize) -> &NounGroup {
        &self.chunks.noun_groups[np]
    }

    /// Returns whether the sentence contains a cue of a type.
    pub(crate) fn has_cue(&self, cue_type: CueType) -> bool {
        self.cues.iter().any(|cue| cue.cue_type == cue_type)
    }

    /// Returns whether the sentence is a question. A guess with a question mark is not a question.
    pub(crate) fn is_question(&self) -> bool {
        let is_guess = self
            .cues
            .iter()
            .any(|cue| matches!(cue.cue_type, CueType::Hedge | CueType::Rumour) && cue.end - cue.start > 1);
        cues::is_question(cues::without_tag(self.tokens), self.grammar, !is_guess)
    }

    /// Returns the weights for properties that make the sentence hard to read: its length, and words such as "but".
    fn sentence_difficulties(&self) -> Vec<&'static str> {
        let contrast_words = ["but", "though", "although", "yet", "except", "only", "however", "instead"];
        let has_contrast =
            self.tokens.iter().any(|token| token.is_word() && contrast_words.contains(&token.norm.as_str()));
        let difficulties = [("near_but", has_contrast), ("lengthy", self.tokens.len() > 20)];
        difficulties.into_iter().filter(|(_, applies)| *applies).map(|(name, _)| name).collect()
    }

    /// Reads the facts of all clauses, and the notes beside names.
    pub(crate) fn read_facts(&mut self) {
        self.record_mentions();
        self.difficulty_weight_names = self.sentence_difficulties();
        let is_question = self.is_question();
        let statuses = self.clause_statuses(is_question);
        let mut has_facts = Vec::with_capacity(statuses.len());
        for (clause, status) in statuses.iter().enumerate() {
            let fact_count = self.facts.len();
            self.read_clause(clause, status);
            has_facts.push(self.facts.len() > fact_count);
        }
        self.read_appositions(&statuses);
        self.read_fields();
        self.read_relational_nouns(&statuses);
        self.propose_relations(&statuses);
        self.propose_attributes(&statuses, &has_facts);
        self.propose_loose_modifiers(&statuses);
        self.propose_from_keywords(&statuses);
        self.propose_from_notes();
        self.apply_classifiers(&statuses);
    }

    /// Applies the trained classifiers. They adjust the confidence of the facts that were read, and propose further
    /// facts.
    fn apply_classifiers(&mut self, statuses: &[AssertionStatus]) {
        let pairs = self.classify_relations(statuses);
        let values = self.classify_attributes(statuses);
        let assertions = self.classify_assertions();
        if let Some(training_examples) = &mut self.training_examples {
            training_examples.pairs.extend(pairs);
            training_examples.values.extend(values);
            training_examples.assertions.extend(assertions);
        }
    }

    /// Returns the speaker of a quotation, the hearers, and whether the speaker is uncertain.
    ///
    /// The speaker is the subject of the nearest verb of speech. Without such a verb, it is the last speaker or the
    /// last subject.
    pub(crate) fn quotation_speaker(&mut self, quote: usize) -> (Option<EntityRef>, Vec<EntityRef>, bool) {
        let is_quote = |item: &Chunk| matches!(item, Chunk::Token(at) if self.tokens[*at].kind == crate::tokenizer::TokenKind::Quote(quote));
        let Some(quote_item) = self.chunks.items.iter().position(is_quote) else { return (None, Vec::new(), false) };
        let mut nearest_first: Vec<usize> = (0..self.clauses.len()).collect();
        nearest_first.sort_by_key(|at| self.clauses[*at].verb_item.abs_diff(quote_item));
        for at in nearest_first {
            let clause = self.clauses[at].clone();
            let vg = &self.chunks.verb_groups[clause.verb_group];
            let is_after_comma = clause.verb_item + 2 == quote_item && self.syntax.word(clause.verb_item + 1) == ",";
            let introduces_quote = vg.lemma == "go" && (clause.verb_item + 1 == quote_item || is_after_comma);
            if !(introduces_quote || self.grammar.verb_properties(&vg.lemma).is_speech) || vg.form != VerbForm::Finite {
                continue;
            }
            let subjects = clause.subjects.clone();
            let speakers = self.resolve_all(&subjects, &[]);
            let named_hearers = self.named_hearers(at);
            let speaker = speakers.first().map(|resolved_entity| resolved_entity.entity);
            self.history.speaker = speaker.or(self.history.speaker);
            return (speaker, named_hearers, false);
        }
        if self.tokens.len() == 1 && self.history.speaker.is_some() {
            return (self.history.speaker, Vec::new(), false);
        }
        (self.history.last_subject(), Vec::new(), true)
    }

    /// Returns the hearers that a clause with a verb of speech names.
    pub(crate) fn named_hearers(&mut self, clause: usize) -> Vec<EntityRef> {
        let Clause { rest_items: rest, subjects, .. } = self.clauses[clause].clone();
        let speakers: Vec<EntityRef> =
            self.resolve_all(&subjects, &[]).iter().map(|resolved_entity| resolved_entity.entity).collect();
        let lemma = self.verb_group(clause).lemma.clone();
        let mut first_hearer_item = rest.0;
        if self.syntax.word(first_hearer_item) == "to" || self.syntax.word(first_hearer_item) == "with" {
            first_hearer_item += 1;
        } else if !matches!(
            lemma.as_str(),
            "tell" | "inform" | "warn" | "remind" | "promise" | "assure" | "answer" | "ask" | "show"
        ) {
            let to_item = (rest.0..rest.1)
                .find(|item| self.syntax.word(*item) == "to" && self.syntax.noun_group_at(item + 1).is_some());
            let Some(to_item) = to_item else { return Vec::new() };
            first_hearer_item = to_item + 1;
        }
        let (hearer_groups, _) = self.syntax.noun_list(first_hearer_item, self.chunks.items.len());
        // In "told Lyra Odo left", "Odo" is a subject, not a hearer.
        let hearer_groups: Vec<usize> = hearer_groups
            .into_iter()
            .filter(|np| {
                !self
                    .clauses
                    .iter()
                    .any(|clause| clause.subject_source == SubjectSource::Direct && clause.subjects.contains(np))
            })
            .collect();
        let hearers = self.resolve_all(&hearer_groups, &speakers);
        let mut hearers: Vec<EntityRef> = hearers
            .iter()
            .map(|resolved_entity| resolved_entity.entity)
            .filter(|entity| self.kinds(*entity).intersects(KindSet::PERSON.and(KindSet::ANY)))
            .collect();
        // Example: "what she told us, me and Ibo"
        hearers.dedup();
        hearers
    }

    pub(crate) fn clause_type(&self, clause: usize) -> &ClauseType {
        &self.clauses[clause].clause_type
    }
}
