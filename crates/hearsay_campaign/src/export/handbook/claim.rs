//! Claims of facts, to find facts that state the same claim in other words.

use std::collections::BTreeSet;

use hearsay_model::{
    EntityId, GameTime, Passage, PassageId, Predicate, SessionId, Vocabulary, attribute, spelling, text, words,
};

use super::{
    names::Names,
    shared::{Origin, SharedFact},
};

/// Minimum number of words of a claim that may differ in one word from another claim that was told at the same time.
const MIN_WORDS: usize = 5;

/// Minimum number of words, apart from the name of the subject, with which a sentence of a description states a claim.
const MIN_WORDS_OF_DESCRIPTION: usize = 2;

/// The article before the nouns in [`Claim::definite_nouns`].
const DEFINITE_ARTICLE: &str = "the";

/// What a statement or a sentence says: its words, apart from function words.
struct Content {
    /// Stems of the words.
    words: BTreeSet<String>,
    /// Words that deny a statement.
    negations: BTreeSet<String>,
    /// Words with digits.
    numbers: BTreeSet<String>,
    mentions: BTreeSet<EntityId>,
}

impl Content {
    fn new(statement: &str, names: &Names) -> Self {
        let all = text::words(statement);
        let is_negation =
            |word: &&String| words::contains_word(&words::english().negations, word) || word.ends_with("n't");
        let is_number = |word: &&String| word.contains(|c: char| c.is_ascii_digit());
        Self {
            negations: all.iter().filter(is_negation).cloned().collect(),
            numbers: all.iter().filter(is_number).cloned().collect(),
            words: stems(&all),
            mentions: names.mentions(statement),
        }
    }

    /// Returns whether other words deny the same, and contain all numbers and names.
    fn is_comparable(&self, other: &Self) -> bool {
        self.negations == other.negations
            && self.numbers.is_subset(&other.numbers)
            && self.mentions.is_subset(&other.mentions)
    }
}

/// Returns the stems of words, apart from function words.
fn stems(all: &[String]) -> BTreeSet<String> {
    all.iter().filter(|word| !spelling::is_stop_word(word)).map(|word| spelling::stem(word)).collect()
}

/// The claim of a fact.
pub(super) struct Claim<'a> {
    content: Content,
    subject: &'a EntityId,
    /// Stems of the name of the subject.
    name: BTreeSet<String>,
    /// The sentences of a description of the subject. They need not name the subject.
    sentences: Vec<Content>,
    /// Stems of the nouns after "the" in a statement without an object: "Odo lives on the *barge*."
    definite_nouns: BTreeSet<String>,
    evidence: BTreeSet<PassageId>,
    origin: &'a Origin,
    learned: (Option<GameTime>, Option<&'a SessionId>),
}

impl<'a> Claim<'a> {
    pub(super) fn new(fact: &'a SharedFact<'a>, names: &Names) -> Self {
        let known = fact.known();
        let statement = known.statement();
        let all = text::words(statement);
        let is_description = known.predicate().as_str() == attribute::DESCRIPTION;
        let sentences = if is_description { text::sentences(statement) } else { Vec::new() };
        let has_object = known.object().entity().is_some();
        let definite = all.windows(2).filter(|pair| !has_object && DEFINITE_ARTICLE == pair[0]);
        Self {
            content: Content::new(statement, names),
            subject: known.subject(),
            name: stems(&text::words(names.name(known.subject()).unwrap_or_default())),
            sentences: sentences.into_iter().map(|sentence| Content::new(sentence, names)).collect(),
            definite_nouns: definite.map(|pair| spelling::stem(&pair[1])).collect(),
            evidence: known.evidence_passages().collect(),
            origin: &fact.origin,
            learned: fact.learned(),
        }
    }

    pub(super) fn subject(&self) -> &'a EntityId {
        self.subject
    }

    pub(super) fn word_count(&self) -> usize {
        self.content.words.len()
    }

    /// Returns whether another claim about the same subject says the same or more: it contains all words of this claim, or
    /// all but one if the same tellers said both at the same time. Of a description, one sentence must contain the words.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        let (own, others) = (&self.content, &other.content);
        let is_same_telling = matches!(self.origin, Origin::Told(_))
            && self.origin == other.origin
            && self.learned == other.learned
            && own.words.len() >= MIN_WORDS;
        let missing = own.words.difference(&others.words).count();
        let is_part =
            !own.words.is_empty() && own.is_comparable(others) && (missing == 0 || missing == 1 && is_same_telling);
        let is_described = || other.sentences.iter().any(|sentence| self.is_stated(sentence, MIN_WORDS_OF_DESCRIPTION));
        is_part || is_described()
    }

    /// Returns whether another claim names the place or group that this claim only describes: "Odo lives on the barge" says less
    /// than "Odo lives in The Otter". `description` contains the stems of the words that describe the object of the other
    /// claim, and `relation` further stems with which its relation is stated.
    pub(super) fn is_vaguer(&self, other: &Self, description: &BTreeSet<String>, relation: &BTreeSet<String>) -> bool {
        let (own, others) = (&self.content, &other.content);
        let is_vague = |noun: &String| description.contains(noun) && !others.words.contains(noun);
        let said = |noun: &String| {
            let mut rest = own.words.iter().filter(|word| *word != noun && !self.name.contains(*word)).peekable();
            rest.peek().is_some() && rest.all(|word| others.words.contains(word) || relation.contains(word))
        };
        own.is_comparable(others) && self.definite_nouns.iter().any(|noun| is_vague(noun) && said(noun))
    }

    /// Returns whether the statement has nouns after "the" that may stand for an entity with a name.
    pub(super) fn has_definite_noun(&self) -> bool {
        !self.definite_nouns.is_empty()
    }

    /// Returns whether a sentence of a line says the same or more. The line must be evidence for the fact, or name its subject, or
    /// the subject must say it.
    pub(super) fn is_in_line(&self, id: PassageId, line: &Passage, names: &Names) -> bool {
        let is_about_subject = self.evidence.contains(&id) || line.speaker.as_ref() == Some(self.subject);
        text::sentences(&line.text).into_iter().any(|sentence| {
            let sentence = Content::new(sentence, names);
            (is_about_subject || sentence.mentions.contains(self.subject)) && self.is_stated(&sentence, 1)
        })
    }

    /// Returns whether a sentence contains the words of this claim, apart from the name of the subject. The claim must have at
    /// least `min_words` other words.
    fn is_stated(&self, sentence: &Content, min_words: usize) -> bool {
        let own = || self.content.words.difference(&self.name);
        let mut mentions = self.content.mentions.iter().filter(|id| *id != self.subject);
        own().count() >= min_words
            && own().all(|word| sentence.words.contains(word))
            && self.content.negations == sentence.negations
            && self.content.numbers.is_subset(&sentence.numbers)
            && mentions.all(|id| sentence.mentions.contains(id))
    }
}

/// Returns the stems of the words with which descriptions of an entity begin, up to the first mark or preposition: `theatre` and
/// `barge` for `A theatre barge in Verrazine, green and gold.`
pub(super) fn described_as<'d>(descriptions: impl Iterator<Item = &'d str>) -> BTreeSet<String> {
    let english = words::english();
    let heads = descriptions.flat_map(text::sentences).map(|sentence| {
        let head = sentence.split([',', ':', ';', '(']).next().unwrap_or_default();
        let all = text::words(head);
        let is_preposition = |word: &String| words::contains_word(&english.scene_openers, word) || word == "of";
        let end = all.iter().position(is_preposition).unwrap_or(all.len());
        stems(&all[..end])
    });
    heads.flatten().collect()
}

/// Maximum number of words of a field with which a relation is stated, such as `lodges-in`.
const MAX_FIELD_WORDS: usize = 2;

/// Returns the stems of the words with which a relation is stated, such as `live` and `lodg` for residence.
pub(super) fn relation_words(vocabulary: &Vocabulary, relation: &Predicate) -> BTreeSet<String> {
    let fields = vocabulary.words(relation).into_iter().flat_map(|words| &words.fields);
    let fields = fields.map(|field| text::words(&field.replace('-', " ")));
    fields.filter(|words| words.len() <= MAX_FIELD_WORDS).flat_map(|words| stems(&words)).collect()
}
