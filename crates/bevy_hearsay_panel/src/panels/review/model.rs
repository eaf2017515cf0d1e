//! The data that the review panel displays.

use std::collections::{BTreeMap, HashMap};

use hearsay_model::{EntityId, FactId, Knower, Timestamp};
use hearsay_query::review::ReviewSettings;
use serde::{Deserialize, Serialize};

use crate::{names::NamedEntity, text::LinkedText};

/// Key that identifies a card. The key does not change when the DM decides on other cards.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardKey {
    /// A single fact that waits for review.
    Fact(FactId),
    /// Facts that contradict each other. Sorted by id.
    Contradiction(Vec<FactId>),
    /// Two entities that are possibly the same.
    Duplicate(EntityId, EntityId),
    /// An entity with a name and no other facts.
    Stub(EntityId),
}

impl CardKey {
    /// Returns the kind of the card.
    pub fn kind(&self) -> CardKind {
        match self {
            Self::Fact(_) => CardKind::Doubtful,
            Self::Contradiction(_) => CardKind::Contradiction,
            Self::Duplicate(..) => CardKind::Duplicate,
            Self::Stub(_) => CardKind::Stub,
        }
    }

    /// Returns whether the card is about this fact.
    pub fn is_about(&self, fact: FactId) -> bool {
        match self {
            Self::Fact(id) => *id == fact,
            Self::Contradiction(ids) => ids.contains(&fact),
            Self::Duplicate(..) | Self::Stub(_) => false,
        }
    }
}

/// The reason why a card waits for review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardKind {
    /// A fact with a confidence below the threshold.
    Doubtful,
    /// Facts that contradict each other.
    Contradiction,
    /// Entities that are possibly the same.
    Duplicate,
    /// An entity with a name and no other facts.
    Stub,
}

impl CardKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Doubtful, Self::Contradiction, Self::Duplicate, Self::Stub];

    /// Returns the plural name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Doubtful => "Doubtful facts",
            Self::Contradiction => "Contradictions",
            Self::Duplicate => "Possible duplicates",
            Self::Stub => "Stubs",
        }
    }

    /// Returns the singular name of the kind.
    pub fn badge(self) -> &'static str {
        match self {
            Self::Doubtful => "doubtful",
            Self::Contradiction => "contradiction",
            Self::Duplicate => "duplicate?",
            Self::Stub => "stub",
        }
    }
}

/// Summary of a card in the list. The model has a summary of every card, but details of only a few.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CardSummary {
    /// Key that identifies the card.
    pub key: CardKey,
    /// Sentence that describes the card.
    pub statement: String,
    /// Confidence of the fact, from 0 to 1. If the card has several facts, the lowest of their confidences. For two
    /// possibly equal entities, their similarity from 0 to 1. For a stub, 0.
    pub confidence: f64,
    /// Importance of the DM's decision; 0 for a stub. By default, cards with a high score come first.
    pub score: f64,
    /// Reasons for the score, as texts.
    pub reasons: Vec<String>,
    /// Source of the card: a speaker, a file or an author.
    pub source: String,
    /// Title of the session in which the fact was recorded; `None` if it was not recorded in a session.
    pub session: Option<String>,
    /// Real time at which the fact or entity of the card was recorded, in milliseconds since 1970.
    pub recorded: i64,
    /// Entities that the card concerns.
    pub about: Vec<NamedEntity>,
    /// Whether the fact is a secret.
    pub secret: bool,
}

/// Another fact that a card mentions, such as a contradicting fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherFact {
    /// Id of the fact.
    pub id: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: String,
    /// Reason why the card mentions the fact, for display, such as `refuted by`.
    pub reason: String,
    /// Whether the fact is a secret.
    pub secret: bool,
}

/// A quote from a source of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceQuote {
    /// The text of the source, or the part around the words that state the fact.
    pub text: String,
    /// Byte range of the words that state the fact.
    pub highlighted: std::ops::Range<usize>,
    /// Location of the text: session and line, or file and field.
    pub place: String,
}

/// The object of a fact: an entity or a value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum ObjectModel {
    /// An entity.
    Entity(NamedEntity),
    /// A value, as text.
    Value(String),
}

impl ObjectModel {
    /// Returns the object as editable text.
    pub fn text(&self) -> &str {
        match self {
            Self::Entity(entity) => &entity.name,
            Self::Value(value) => value,
        }
    }
}

/// A fact with all data that the DM needs for a decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactDetail {
    /// Id of the fact.
    pub id: FactId,
    /// Sentence that states the fact, with links.
    pub statement: LinkedText,
    /// Subject of the fact.
    pub subject: NamedEntity,
    /// Predicate of the fact, such as `OWES`.
    pub predicate: String,
    /// Object of the fact.
    pub object: ObjectModel,
    /// Status of the fact.
    pub status: String,
    /// Assertion status of the fact, such as `planned`; `None` if the source asserts the fact.
    pub factuality: Option<String>,
    /// Whether the fact is a secret.
    pub secret: bool,
    /// Confidence that the source really states the fact, from 0 to 1.
    pub confidence: f64,
    /// Confidence before trust calibration (the adjustment according to earlier decisions of the DM); `None` if
    /// calibration did not change it.
    pub extracted: Option<f64>,
    /// Reasons why trust calibration changed the confidence, as texts.
    pub trust: Vec<String>,
    /// Method by which the fact was recorded, such as `stated`.
    pub method: String,
    /// Author who recorded the fact.
    pub author: String,
    /// Stage of the extraction that found the fact; `None` if the fact was not extracted from a text.
    pub stage: Option<String>,
    /// Speaker who stated the fact, if it is known.
    pub speaker: Option<NamedEntity>,
    /// Title of the session in which the fact was recorded, if there is one.
    pub session: Option<String>,
    /// Interval in which the fact is true, as text; `None` if neither its start nor its end is recorded.
    pub when: Option<String>,
    /// Quotes of the sources.
    pub quotes: Vec<SourceQuote>,
    /// Facts that contradict this fact.
    pub contradicts: Vec<OtherFact>,
    /// Facts that are similar to this fact.
    pub similar: Vec<OtherFact>,
    /// Number of further similar facts that are not listed.
    pub more_similar: usize,
    /// Descriptions of other proposals with the same content. A decision on this fact also applies to these proposals.
    pub other_proposals: Vec<String>,
    /// Knowers that would learn the fact, player characters first. If the fact is secret, the DM can exclude these
    /// knowers.
    pub learners: Vec<Learner>,
    /// Number of further characters that would learn the fact.
    pub more_learners: usize,
}

/// A knower that would learn a fact if the DM accepted it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Learner {
    /// The knower.
    pub knower: Knower,
    /// Name of the knower, or `everybody`.
    pub name: String,
}

/// Summary of an entity: a stub, or one of two entities that may be the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntitySummary {
    /// The entity.
    pub entity: NamedEntity,
    /// Other names of the entity.
    pub aliases: Vec<String>,
    /// A few facts about the entity.
    pub facts: Vec<String>,
    /// Number of facts about the entity.
    pub fact_count: usize,
}

/// Details of an open card.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum CardDetail {
    /// One fact, or several facts that contradict each other.
    Facts(Vec<FactDetail>),
    /// Two entities, and reasons why they may be the same.
    Duplicate(Box<[EntitySummary; 2]>, Vec<String>),
    /// A stub, and the facts that mention it.
    Stub(EntitySummary),
}

/// Settings that decide which cards the review panel shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReviewTriage {
    /// Limits of the review queue.
    pub settings: ReviewSettings,
    /// Whether to show also the items that are held back because other items are more important.
    pub shows_held_back: bool,
}

/// The data that the review panel shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReviewModel {
    /// Journal position of the last operation that the model includes.
    pub position: u64,
    /// Summaries of the cards. Cards with the most important decisions come first.
    pub cards: Vec<CardSummary>,
    /// Number of items that are held back because other items are more important.
    pub held_back: usize,
    /// Number of stubs that are not listed.
    pub more_stubs: usize,
    /// Whether the model was read from the memory. The value is `false` for the initial, empty model.
    pub is_read: bool,
    /// Real time at which the model was read.
    #[serde(skip)]
    pub read_at: Timestamp,
    /// Details of the focused card and of the cards next to it.
    #[serde(skip)]
    pub details: BTreeMap<CardKey, CardDetail>,
    /// Index of each card in `cards`. If this map is incomplete, lookups search `cards` instead.
    #[serde(skip)]
    pub indexes: HashMap<CardKey, usize>,
}

/// Order of the cards.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Cards with the most important decisions first.
    #[default]
    Consequence,
    /// Lowest confidence first.
    LowestConfidence,
    /// Highest confidence first.
    HighestConfidence,
    /// Sorted by source.
    Source,
    /// Sorted by session.
    Session,
    /// Sorted by entity.
    Entity,
    /// Newest first.
    Newest,
    /// Oldest first.
    Oldest,
}

impl Order {
    /// All orders.
    pub const ALL: [Self; 8] = [
        Self::Consequence,
        Self::LowestConfidence,
        Self::HighestConfidence,
        Self::Source,
        Self::Session,
        Self::Entity,
        Self::Newest,
        Self::Oldest,
    ];

    /// Returns the name of the order.
    pub fn name(self) -> &'static str {
        match self {
            Self::Consequence => "Most consequential",
            Self::LowestConfidence => "Lowest confidence",
            Self::HighestConfidence => "Surest",
            Self::Source => "Source",
            Self::Session => "Session",
            Self::Entity => "Entity",
            Self::Newest => "Newest",
            Self::Oldest => "Oldest",
        }
    }
}

/// Filter of the cards.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Words that the statement, the names or the source of a card must contain.
    pub words: String,
    /// Kind that a card must have; `None` for any kind.
    pub kind: Option<CardKind>,
    /// Source that a card must have; `None` for any source.
    pub source: Option<String>,
    /// Title of the session that a card must have; `None` for any session.
    pub session: Option<String>,
    /// Entity that a card must concern; `None` for any entity.
    pub entity: Option<EntityId>,
    /// Maximum age of a card, in hours; `None` for any age.
    pub hours: Option<u32>,
    /// Minimum confidence of a card, from 0 to 1.
    pub min_confidence: f64,
    /// Maximum confidence of a card, from 0 to 1; `None` for no limit.
    pub max_confidence: Option<f64>,
}

impl Filter {
    /// Returns whether the filter accepts every card.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether the filter accepts a card.
    ///
    /// `words` is the filter's text in lower case. `now` is the current real time.
    pub fn accepts(&self, card: &CardSummary, words: &str, now: Timestamp) -> bool {
        let oldest = self.hours.map(|hours| now.0 - i64::from(hours) * 3_600_000);
        let has_words = || {
            let contains_words = |text: &str| text.to_lowercase().contains(words);
            contains_words(&card.statement)
                || contains_words(&card.source)
                || card.about.iter().any(|entity| contains_words(&entity.name))
        };
        self.kind.is_none_or(|kind| card.key.kind() == kind)
            && self.source.as_ref().is_none_or(|source| card.source == *source)
            && self.session.as_ref().is_none_or(|session| card.session.as_ref() == Some(session))
            && self.entity.as_ref().is_none_or(|entity| card.about.iter().any(|about| about.id == *entity))
            && oldest.is_none_or(|oldest| card.recorded >= oldest)
            && card.confidence >= self.min_confidence
            && self.max_confidence.is_none_or(|max_confidence| card.confidence <= max_confidence)
            && (words.is_empty() || has_words())
    }
}

impl ReviewModel {
    /// Returns the index of a card in `cards`; `None` if the card does not exist.
    pub fn index_of(&self, key: &CardKey) -> Option<usize> {
        match self.indexes.len() == self.cards.len() {
            true => self.indexes.get(key).copied(),
            false => self.cards.iter().position(|card| card.key == *key),
        }
    }

    /// Returns the summary of a card; `None` if the card does not exist.
    pub fn card(&self, key: &CardKey) -> Option<&CardSummary> {
        self.index_of(key).and_then(|place| self.cards.get(place))
    }

    /// Returns the indexes of the listed cards in order, deferred cards last.
    pub fn listed_rows(&self, filter: &Filter, order: Order, is_deferred: impl Fn(&CardKey) -> bool) -> Vec<usize> {
        let words = filter.words.trim().to_lowercase();
        let accepts_all = filter.is_empty();
        let is_shown = |number: &usize| {
            let card = &self.cards[*number];
            accepts_all || filter.accepts(card, &words, self.read_at)
        };
        let mut listed: Vec<usize> = (0..self.cards.len()).filter(is_shown).collect();
        let any_deferred = listed.iter().any(|number| is_deferred(&self.cards[*number].key));
        // The cards are already ordered by consequence. A stable sort keeps this order among equal cards.
        let card_at = |number: &usize| &self.cards[*number];
        match order {
            Order::Consequence => {}
            Order::LowestConfidence => listed.sort_by(|a, b| card_at(a).confidence.total_cmp(&card_at(b).confidence)),
            Order::HighestConfidence => listed.sort_by(|a, b| card_at(b).confidence.total_cmp(&card_at(a).confidence)),
            Order::Source => listed.sort_by(|a, b| card_at(a).source.cmp(&card_at(b).source)),
            Order::Session => listed.sort_by(|a, b| card_at(b).session.cmp(&card_at(a).session)),
            Order::Entity => {
                let name = |number: &usize| card_at(number).about.first().map(|entity| entity.name.as_str());
                listed.sort_by(|a, b| name(a).cmp(&name(b)));
            }
            Order::Newest => listed.sort_by_key(|number| std::cmp::Reverse(card_at(number).recorded)),
            Order::Oldest => listed.sort_by_key(|number| card_at(number).recorded),
        }
        if any_deferred {
            listed.sort_by_key(|number| is_deferred(&self.cards[*number].key));
        }
        listed
    }

    /// Returns the sources of all cards, each with its number of cards.
    pub fn sources(&self) -> BTreeMap<String, usize> {
        self.count(|card| Some(card.source.clone()))
    }

    /// Returns the sessions of all cards, each with its number of cards.
    pub fn sessions(&self) -> BTreeMap<String, usize> {
        self.count(|card| card.session.clone())
    }

    fn count(&self, category_of: impl Fn(&CardSummary) -> Option<String>) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for name in self.cards.iter().filter_map(category_of) {
            *counts.entry(name).or_default() += 1;
        }
        counts
    }
}
