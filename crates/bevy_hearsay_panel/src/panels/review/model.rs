//! The model of the review panel.

use std::collections::{BTreeMap, HashMap};

use hearsay_model::{EntityId, FactId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// Identity of a card. The identity does not change while other cards are decided.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardKey {
    /// A single fact that waits for review.
    Fact(FactId),
    /// Facts that contradict each other, sorted by id.
    Clash(Vec<FactId>),
    /// Two entities that may be the same.
    Twins(EntityId, EntityId),
    /// An entity with a name and no other facts.
    Stub(EntityId),
}

impl CardKey {
    /// Returns the kind of the card.
    pub fn kind(&self) -> CardKind {
        match self {
            Self::Fact(_) => CardKind::Doubtful,
            Self::Clash(_) => CardKind::Contradiction,
            Self::Twins(..) => CardKind::Duplicate,
            Self::Stub(_) => CardKind::Stub,
        }
    }

    /// Returns whether the card is about this fact.
    pub fn has(&self, fact: FactId) -> bool {
        match self {
            Self::Fact(id) => *id == fact,
            Self::Clash(ids) => ids.contains(&fact),
            Self::Twins(..) | Self::Stub(_) => false,
        }
    }
}

/// Reason why a card waits for review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardKind {
    /// A fact with a confidence below the threshold.
    Doubtful,
    /// Facts that contradict each other.
    Contradiction,
    /// Entities that may be the same.
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
pub struct Head {
    /// Identity of the card.
    pub key: CardKey,
    /// Sentence that describes the card.
    pub statement: String,
    /// Confidence of the fact. For several facts, their lowest confidence. For duplicate entities, their similarity.
    pub confidence: f64,
    /// Score for how important the consequences of a decision are. Cards with a high score come first.
    pub score: f64,
    /// Reasons for the score, for display.
    pub why: Vec<String>,
    /// Source of the card: a speaker, a file or an author.
    pub source: String,
    /// Title of the session in which the fact was recorded.
    pub session: Option<String>,
    /// Real time when the card's fact or entity was recorded, in milliseconds.
    pub recorded: i64,
    /// Entities that the card is about.
    pub about: Vec<Named>,
    /// Whether the fact is a secret.
    pub secret: bool,
    /// Whether players may see the card. They may if all player characters know the fact, or heard the text from which
    /// it was extracted.
    pub safe: bool,
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
    pub why: String,
    /// Whether the fact is a secret.
    pub secret: bool,
}

/// A quote of a source.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Words {
    /// The text, or the part of it around the words that state the fact.
    pub text: String,
    /// Byte range of the words that state the fact.
    pub marked: std::ops::Range<usize>,
    /// Location of the text for display: session and line, or file and field.
    pub place: String,
    /// Whether only some characters heard the text.
    pub private: bool,
}

/// The object of a fact: an entity or a value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Target {
    /// An entity.
    Entity(Named),
    /// A value, as text.
    Value(String),
}

impl Target {
    /// Returns the object as editable text.
    pub fn text(&self) -> &str {
        match self {
            Self::Entity(named) => &named.name,
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
    pub statement: Linked,
    /// Subject of the fact.
    pub subject: Named,
    /// Predicate, such as `OWES`.
    pub predicate: String,
    /// Object of the fact.
    pub object: Target,
    /// Status of the fact.
    pub status: String,
    /// Whether the fact is a secret.
    pub secret: bool,
    /// Confidence of the fact.
    pub confidence: f64,
    /// Confidence before trust calibration, if it differs from `confidence`.
    pub extracted: Option<f64>,
    /// Reasons why calibration changed the confidence, for display.
    pub trust: Vec<String>,
    /// Method by which the fact was recorded, such as `stated`.
    pub method: String,
    /// Author who recorded the fact.
    pub author: String,
    /// Speaker who stated the fact, if it is known.
    pub speaker: Option<Named>,
    /// Title of the session in which the fact was recorded, if there is one.
    pub session: Option<String>,
    /// Interval in which the fact is true, for display; `None` if no start or end is recorded.
    pub when: Option<String>,
    /// Quotes of the sources.
    pub words: Vec<Words>,
    /// Facts that contradict this fact.
    pub contradicts: Vec<OtherFact>,
    /// Similar facts.
    pub similar: Vec<OtherFact>,
    /// Number of further similar facts.
    pub more_similar: usize,
    /// Descriptions of other proposals with the same content. A decision on this fact also applies to them.
    pub also: Vec<String>,
    /// Names of the characters that would learn the fact, player characters first.
    pub learners: Vec<String>,
    /// Number of further characters that would learn the fact.
    pub more_learners: usize,
}

/// One of two entities that may be the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Twin {
    /// The entity.
    pub named: Named,
    /// Other names of the entity.
    pub aliases: Vec<String>,
    /// A few facts about the entity.
    pub facts: Vec<String>,
    /// Number of facts about the entity.
    pub fact_count: usize,
}

/// Details of an open card.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Detail {
    /// One fact, or several facts that contradict each other.
    Facts(Vec<FactDetail>),
    /// Two entities, and reasons why they may be the same.
    Twins(Box<[Twin; 2]>, Vec<String>),
    /// A stub, and the facts that mention it.
    Stub(Twin),
}

/// The data that the review panel shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReviewModel {
    /// Position of the last operation that the model includes.
    pub position: u64,
    /// Summaries of the cards, most consequential first.
    pub heads: Vec<Head>,
    /// Number of stubs that are not listed.
    pub more_stubs: usize,
    /// Whether the model was read from the memory. False for the initial, empty model.
    pub is_read: bool,
    /// Real time at which the model was read.
    #[serde(skip)]
    pub read_at: Timestamp,
    /// Details of the cards around the focus.
    #[serde(skip)]
    pub details: BTreeMap<CardKey, Detail>,
    /// Index of each card in `heads`. If this map is incomplete, lookups search `heads` instead.
    #[serde(skip)]
    pub places: HashMap<CardKey, usize>,
}

/// Order of the cards.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Most consequential first.
    #[default]
    Consequence,
    /// Lowest confidence first.
    LeastSure,
    /// Highest confidence first.
    Surest,
    /// By source.
    Source,
    /// By session.
    Session,
    /// By entity.
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
        Self::LeastSure,
        Self::Surest,
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
            Self::LeastSure => "Lowest confidence",
            Self::Surest => "Surest",
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
    /// Words that a card must have in its statement, names or source.
    pub words: String,
    /// Kind that a card must have.
    pub kind: Option<CardKind>,
    /// Source that a card must have.
    pub source: Option<String>,
    /// Session that a card must have.
    pub session: Option<String>,
    /// Entity that a card must be about.
    pub entity: Option<EntityId>,
    /// Maximum age of a card, in hours.
    pub hours: Option<u32>,
    /// Minimum confidence, from 0 to 1.
    pub least: f64,
    /// Maximum confidence, from 0 to 1. `None`: no limit.
    pub most: Option<f64>,
}

impl Filter {
    /// Returns whether the filter accepts every card.
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether the filter accepts a card.
    ///
    /// `words` is the filter's text in lower case. `now` is the current real time.
    pub fn lets_through(&self, head: &Head, words: &str, now: Timestamp) -> bool {
        let oldest = self.hours.map(|hours| now.0 - i64::from(hours) * 3_600_000);
        let has_words = || {
            let within = |text: &str| text.to_lowercase().contains(words);
            within(&head.statement) || within(&head.source) || head.about.iter().any(|named| within(&named.name))
        };
        self.kind.is_none_or(|kind| head.key.kind() == kind)
            && self.source.as_ref().is_none_or(|source| head.source == *source)
            && self.session.as_ref().is_none_or(|session| head.session.as_ref() == Some(session))
            && self.entity.as_ref().is_none_or(|entity| head.about.iter().any(|named| named.id == *entity))
            && oldest.is_none_or(|oldest| head.recorded >= oldest)
            && head.confidence >= self.least
            && self.most.is_none_or(|most| head.confidence <= most)
            && (words.is_empty() || has_words())
    }
}

impl ReviewModel {
    /// Returns the index of a card in `heads`; `None` if the card does not exist.
    pub fn place(&self, key: &CardKey) -> Option<usize> {
        match self.places.len() == self.heads.len() {
            true => self.places.get(key).copied(),
            false => self.heads.iter().position(|head| head.key == *key),
        }
    }

    /// Returns the summary of a card; `None` if the card does not exist.
    pub fn head(&self, key: &CardKey) -> Option<&Head> {
        self.place(key).and_then(|place| self.heads.get(place))
    }

    /// Returns the indexes of the listed cards in order, deferred cards last.
    pub fn listed(
        &self,
        filter: &Filter,
        order: Order,
        put_off: impl Fn(&CardKey) -> bool,
        screen_safe: bool,
    ) -> Vec<usize> {
        let words = filter.words.trim().to_lowercase();
        let everything = filter.is_open() && !screen_safe;
        let shown = |number: &usize| {
            let head = &self.heads[*number];
            everything || filter.lets_through(head, &words, self.read_at) && (head.safe || !screen_safe)
        };
        let mut listed: Vec<usize> = (0..self.heads.len()).filter(shown).collect();
        let any_put_off = listed.iter().any(|number| put_off(&self.heads[*number].key));
        // The cards are already ordered by consequence. A stable sort keeps this order among equal cards.
        let heads = |number: &usize| &self.heads[*number];
        match order {
            Order::Consequence => {}
            Order::LeastSure => listed.sort_by(|a, b| heads(a).confidence.total_cmp(&heads(b).confidence)),
            Order::Surest => listed.sort_by(|a, b| heads(b).confidence.total_cmp(&heads(a).confidence)),
            Order::Source => listed.sort_by(|a, b| heads(a).source.cmp(&heads(b).source)),
            Order::Session => listed.sort_by(|a, b| heads(b).session.cmp(&heads(a).session)),
            Order::Entity => {
                let name = |number: &usize| heads(number).about.first().map(|named| named.name.as_str());
                listed.sort_by(|a, b| name(a).cmp(&name(b)));
            }
            Order::Newest => listed.sort_by_key(|number| std::cmp::Reverse(heads(number).recorded)),
            Order::Oldest => listed.sort_by_key(|number| heads(number).recorded),
        }
        if any_put_off {
            listed.sort_by_key(|number| put_off(&self.heads[*number].key));
        }
        listed
    }

    /// Returns the sources of all cards, with counts.
    pub fn sources(&self) -> BTreeMap<String, usize> {
        self.count(|head| Some(head.source.clone()))
    }

    /// Returns the sessions of all cards, with counts.
    pub fn sessions(&self) -> BTreeMap<String, usize> {
        self.count(|head| head.session.clone())
    }

    fn count(&self, of: impl Fn(&Head) -> Option<String>) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for name in self.heads.iter().filter_map(of) {
            *counts.entry(name).or_default() += 1;
        }
        counts
    }
}
