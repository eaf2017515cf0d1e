//! Reads the facts of one sentence.

pub(crate) mod assertion_status;
mod candidates;
pub(crate) mod cues;
mod deaths;
mod entity_resolution;
mod fact_recording;
mod pronouns;
mod quotation;
mod raw_fact;

use std::collections::BTreeSet;

use hearsay_model::{ExtractionStage, Span, Vocabulary};

pub(crate) use candidates::{AssertionExample, AttributeCandidate, EntityPair, MentionSpan, TrainingExamples};
pub(crate) use entity_resolution::ResolvedEntity;
pub(crate) use raw_fact::{FactBasis, RawFact, RawObject, UNSPECIFIED_RELATION, WeightNames};

use crate::{
    entities::{
        coreference::{EntityMention, MentionHistory},
        lexicon::{Gender, Lexicon, stated_gender},
        mentions::{EntityRef, NameMention, NewNames},
    },
    facts::doubt::DoubtfulPart,
    language::{
        classifier::Classifier,
        grammar::{CueType, Grammar, WordClass},
        kind_set::KindSet,
        weights::Weight,
        word_lists::lists,
    },
    sentence_reader::{assertion_status::AssertionStatus, cues::CueMatch},
    syntax::{
        chunker::{Chunk, Chunks, NounGroup, VerbGroup},
        clauses::{Clause, ClauseParser, ClauseType, SubjectSource},
    },
    text::tokenizer::Token,
};

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

pub(crate) struct SentenceReader<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) grammar: &'a Grammar,
    pub(crate) vocabulary: &'a Vocabulary,
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
    pub(crate) difficulty_weight_names: Vec<Weight>,
    pub(crate) resolved: Vec<Option<Vec<ResolvedEntity>>>,
    pub(crate) facts: Vec<RawFact>,
    /// Clauses that the text does not state as certain.
    pub(crate) doubtful_parts: Vec<DoubtfulPart>,
    /// Training examples for the classifiers, or `None` if they are not requested.
    pub(crate) training_examples: Option<TrainingExamples>,
    /// Stages that are switched off.
    pub(crate) disabled_stages: &'a BTreeSet<ExtractionStage>,
    /// Stage that is running. Each recorded fact names the stage that recorded the fact.
    pub(crate) stage: ExtractionStage,
    /// Index of the target for the general relation.
    pub(crate) related_target: Option<usize>,
}

// These references do not borrow the reader, so that it can record facts while they exist.
impl<'a> SentenceReader<'a> {
    pub(crate) fn clause(&self, at: usize) -> &'a Clause {
        &self.clauses[at]
    }

    pub(crate) fn verb_group(&self, clause: usize) -> &'a VerbGroup {
        &self.chunks.verb_groups[self.clauses[clause].verb_group]
    }

    pub(crate) fn noun_group(&self, np: usize) -> &'a NounGroup {
        &self.chunks.noun_groups[np]
    }
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
            EntityRef::Known(entity) => self.lexicon.entities[entity as usize].gender(self.grammar),
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

    /// Adds the names of the sentence to the history of mentions, and records which of them are subjects.
    pub(crate) fn record_mentions(&mut self) {
        let subjects: Vec<usize> = self
            .clauses
            .iter()
            .filter(|clause| {
                clause.subject_source == SubjectSource::Direct || clause.subject_source == SubjectSource::Inverted
            })
            .flat_map(|clause| clause.subjects.clone())
            .collect();
        // A later pronoun does not refer to the person whom the speaker addresses.
        let addressed = self.final_address();
        for (index, name) in self.names.iter().enumerate().filter(|(_, name)| Some(name.entity) != addressed) {
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
        if (0..self.chunks.items.len()).any(|item| self.is_unnamed_object_item(item)) {
            self.history.record_unnamed_object();
        }
        self.record_described_persons();
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

    /// Records the persons without a name who act, or to whom somebody does something: "fights the masked man". In "he is a
    /// proud man", the words describe a person who was mentioned before, and "the man" can be such a person.
    fn record_described_persons(&mut self) {
        for (np, group) in self.chunks.noun_groups.iter().enumerate() {
            let article = group.article.filter(|_| group.name.is_none() && !group.is_pronoun);
            let is_modified = group.content_start < group.head;
            let is_new = article.is_some_and(|at| {
                matches!(self.norm(at), "a" | "an" | "another")
                    || is_modified && self.grammar.word_class(self.norm(group.head)).has(WordClass::LIGHT_NOUN)
            });
            let takes_part = self.clauses.iter().any(|clause| clause.subjects.contains(&np))
                || self.chunk_of(np).is_some_and(|item| self.is_object(item));
            let gender = stated_gender([self.norm(group.head)], self.grammar);
            if is_new && takes_part && gender != Gender::Unknown {
                self.history.record_described_person(group.start, gender);
            }
        }
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

    /// Returns the byte range from one token to another. The range includes both tokens, which can be given in either
    /// order.
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

    /// Returns whether a noun group begins with "a" or "an".
    pub(crate) fn is_indefinite(&self, group: &NounGroup) -> bool {
        group.article.is_some_and(|at| matches!(self.norm(at), "a" | "an"))
    }

    /// Returns whether an item is a verb such as "called", which announces a name: "a man called Joris".
    pub(crate) fn announces_name(&self, item: usize) -> bool {
        let Some(Chunk::VerbGroup(vg)) = self.chunks.items.get(item) else { return false };
        matches!(self.norm(self.chunks.verb_groups[*vg].head), "called" | "named")
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
    fn sentence_difficulties(&self) -> Vec<Weight> {
        let has_contrast =
            self.tokens.iter().any(|token| token.is_word() && lists().conjunctions.difficulties.contains(&token.norm));
        let difficulties = [(Weight::NEAR_BUT, has_contrast), (Weight::LENGTHY, self.tokens.len() > 20)];
        difficulties.into_iter().filter(|(_, applies)| *applies).map(|(name, _)| name).collect()
    }

    /// Reads the facts of all clauses, and the notes beside names.
    pub(crate) fn read_facts(&mut self) {
        self.record_mentions();
        self.difficulty_weight_names = self.sentence_difficulties();
        let is_question = self.is_question();
        let statuses = self.clause_statuses(is_question);
        self.record_doubtful_clauses(&statuses);
        let mut has_facts = Vec::with_capacity(statuses.len());
        for (clause, status) in statuses.iter().enumerate() {
            let fact_count = self.facts.len();
            self.run_stage(ExtractionStage::Clauses, |reader| reader.read_clause(clause, status));
            has_facts.push(self.facts.len() > fact_count);
        }
        self.run_stage(ExtractionStage::Appositions, |reader| reader.read_appositions(&statuses));
        self.run_stage(ExtractionStage::Fields, Self::read_fields);
        self.run_stage(ExtractionStage::RelationalNouns, |reader| reader.read_relational_nouns(&statuses));
        self.run_stage(ExtractionStage::RelationCandidates, |reader| reader.propose_relations(&statuses));
        self.run_stage(ExtractionStage::AttributeCandidates, |reader| reader.propose_attributes(&statuses, &has_facts));
        self.run_stage(ExtractionStage::ModifierCandidates, |reader| reader.propose_loose_modifiers(&statuses));
        self.run_stage(ExtractionStage::KeywordCandidates, |reader| reader.propose_from_keywords(&statuses));
        self.run_stage(ExtractionStage::AttributeCandidates, Self::propose_from_notes);
        self.run_stage(ExtractionStage::Classifiers, |reader| reader.apply_classifiers(&statuses));
        self.drop_facts_about_address();
        self.drop_amounts_read_as_ages();
        self.note_announcement();
        self.record_harm();
    }

    /// Runs a stage, unless it is switched off.
    pub(crate) fn run_stage(&mut self, stage: ExtractionStage, run: impl FnOnce(&mut Self)) {
        if !self.disabled_stages.contains(&stage) {
            self.stage = stage;
            run(self);
        }
    }

    /// Applies the trained classifiers. The classifiers adjust the confidence of the facts that were read, and propose
    /// further facts.
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

    pub(crate) fn clause_type(&self, clause: usize) -> &ClauseType {
        &self.clauses[clause].clause_type
    }
}
