//! What the review panel shows.

use std::collections::{BTreeMap, HashMap};

use hearsay_model::{EntityId, FactId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// Which card it is: stays the same while others are decided.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardKey {
    /// A fact that waits.
    Fact(FactId),
    /// Facts that cannot all be so. Sorted.
    Clash(Vec<FactId>),
    /// Two entities that may be one.
    Twins(EntityId, EntityId),
    /// An entity of which nothing is said but its name.
    Stub(EntityId),
}

impl CardKey {
    /// What kind of card it is.
    pub fn kind(&self) -> CardKind {
        match self {
            Self::Fact(_) => CardKind::Doubtful,
            Self::Clash(_) => CardKind::Contradiction,
            Self::Twins(..) => CardKind::Duplicate,
            Self::Stub(_) => CardKind::Stub,
        }
    }

    /// Whether a fact is on it.
    pub fn has(&self, fact: FactId) -> bool {
        match self {
            Self::Fact(id) => *id == fact,
            Self::Clash(ids) => ids.contains(&fact),
            Self::Twins(..) | Self::Stub(_) => false,
        }
    }
}

/// Why a card waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardKind {
    /// A fact below the threshold.
    Doubtful,
    /// Facts that cannot all be so.
    Contradiction,
    /// Entities that may be one.
    Duplicate,
    /// An entity of which nothing is said but its name.
    Stub,
}

impl CardKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Doubtful, Self::Contradiction, Self::Duplicate, Self::Stub];

    /// What it is called, of many.
    pub fn name(self) -> &'static str {
        match self {
            Self::Doubtful => "Doubtful facts",
            Self::Contradiction => "Contradictions",
            Self::Duplicate => "Possible duplicates",
            Self::Stub => "Stubs",
        }
    }

    /// What it is called, of one.
    pub fn badge(self) -> &'static str {
        match self {
            Self::Doubtful => "doubtful",
            Self::Contradiction => "contradiction",
            Self::Duplicate => "duplicate?",
            Self::Stub => "stub",
        }
    }
}

/// A card as the list has it: of ten thousand there is one each.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Head {
    /// Which card it is.
    pub key: CardKey,
    /// What it is about, in a sentence.
    pub statement: String,
    /// How sure it is: of facts their confidence, the least of several; of twins their likeness.
    pub confidence: f64,
    /// How much follows from it.
    pub score: f64,
    /// Why so much, for people.
    pub why: Vec<String>,
    /// Where it comes from: a speaker, a file, an author.
    pub source: String,
    /// In which session it was recorded: its title.
    pub session: Option<String>,
    /// When, by the real clock, in milliseconds.
    pub recorded: i64,
    /// Whom it is about.
    pub about: Vec<Named>,
    /// Whether it is a secret.
    pub secret: bool,
    /// Whether players may see it: all their characters know it, or heard what it was read out of.
    pub safe: bool,
}

/// Another fact that a card names.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherFact {
    /// The fact.
    pub id: FactId,
    /// Its sentence.
    pub statement: String,
    /// What the world says of it.
    pub standing: String,
    /// Why it is named: `one at a time`, `refuted by`.
    pub why: String,
    /// Whether it is a secret.
    pub secret: bool,
}

/// A source's own words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Words {
    /// The text, or a part of it around what matters.
    pub text: String,
    /// Which bytes state the fact.
    pub marked: std::ops::Range<usize>,
    /// Where it is: session and line, file and field.
    pub place: String,
    /// Who heard it, when not everybody may see it.
    pub private: bool,
}

/// What a fact points at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Target {
    /// An entity.
    Entity(Named),
    /// A value.
    Value(String),
}

impl Target {
    /// As it is edited.
    pub fn text(&self) -> &str {
        match self {
            Self::Entity(named) => &named.name,
            Self::Value(value) => value,
        }
    }
}

/// A fact with all that bears on a decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactDetail {
    /// The fact.
    pub id: FactId,
    /// Its sentence, with links.
    pub statement: Linked,
    /// Of whom it is said.
    pub subject: Named,
    /// What is said: `OWES`.
    pub predicate: String,
    /// What it points at.
    pub object: Target,
    /// What the world says of it.
    pub standing: String,
    /// Whether it is a secret.
    pub secret: bool,
    /// How sure it is.
    pub confidence: f64,
    /// How sure extraction was by itself, where that is another number.
    pub extracted: Option<f64>,
    /// Why the two differ, and what lifts it.
    pub trust: Vec<String>,
    /// How it came into the record: `stated`.
    pub method: String,
    /// Who recorded it.
    pub author: String,
    /// Who said it.
    pub speaker: Option<Named>,
    /// In which session: its title.
    pub session: Option<String>,
    /// Since when or until when it is so.
    pub when: Option<String>,
    /// The sources' own words.
    pub words: Vec<Words>,
    /// Facts with which it cannot be so too.
    pub contradicts: Vec<OtherFact>,
    /// Facts that are like it.
    pub similar: Vec<OtherFact>,
    /// How many more are like it.
    pub more_similar: usize,
    /// Others that say the same, and are decided with it.
    pub also: Vec<String>,
    /// Who would learn it: names, the party's first.
    pub learners: Vec<String>,
    /// How many more.
    pub more_learners: usize,
}

/// One of two entities that may be one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Twin {
    /// The entity.
    pub named: Named,
    /// Its other names.
    pub aliases: Vec<String>,
    /// What is said of it, at most a few.
    pub facts: Vec<String>,
    /// How many facts there are.
    pub fact_count: usize,
}

/// What a card shows when it is open.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Detail {
    /// One fact, or several that clash.
    Facts(Vec<FactDetail>),
    /// Two entities, and why they may be one.
    Twins(Box<[Twin; 2]>, Vec<String>),
    /// A stub, and what mentions it.
    Stub(Twin),
}

/// What the review panel shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReviewModel {
    /// The operation up to which it was read.
    pub position: u64,
    /// The cards, the most consequential first.
    pub heads: Vec<Head>,
    /// How many stubs are not listed.
    pub more_stubs: usize,
    /// Whether it was read at all.
    pub is_read: bool,
    /// When, by the real clock.
    #[serde(skip)]
    pub read_at: Timestamp,
    /// Details of some cards: those around the focus.
    #[serde(skip)]
    pub details: BTreeMap<CardKey, Detail>,
    /// Where each card stands among the heads. May be left empty: it is looked for then.
    #[serde(skip)]
    pub places: HashMap<CardKey, usize>,
}

/// In which order cards are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// What most follows from.
    #[default]
    Consequence,
    /// The least sure first.
    LeastSure,
    /// The surest first.
    Surest,
    /// By where they come from.
    Source,
    /// By session.
    Session,
    /// By whom they are about.
    Entity,
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
}

impl Order {
    /// All of them.
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

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Consequence => "Most consequential",
            Self::LeastSure => "Least sure",
            Self::Surest => "Surest",
            Self::Source => "Source",
            Self::Session => "Session",
            Self::Entity => "Entity",
            Self::Newest => "Newest",
            Self::Oldest => "Oldest",
        }
    }
}

/// Which cards are listed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Only those with these words: in the statement, in names, in the source.
    pub words: String,
    /// Only those of this kind.
    pub kind: Option<CardKind>,
    /// Only those from here.
    pub source: Option<String>,
    /// Only those of this session.
    pub session: Option<String>,
    /// Only those about this entity.
    pub entity: Option<EntityId>,
    /// Only those that were recorded within so many hours.
    pub hours: Option<u32>,
    /// Only those at least so sure.
    pub least: f64,
    /// Only those at most so sure; 1.0 is no bound.
    pub most: Option<f64>,
}

impl Filter {
    /// Whether it lets everything through.
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it lets a card through.
    ///
    /// `words` are its words in small letters, `now` is the real clock.
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
    /// Where a card stands among the heads, if it is there.
    pub fn place(&self, key: &CardKey) -> Option<usize> {
        match self.places.len() == self.heads.len() {
            true => self.places.get(key).copied(),
            false => self.heads.iter().position(|head| head.key == *key),
        }
    }

    /// A card, if it is there.
    pub fn head(&self, key: &CardKey) -> Option<&Head> {
        self.place(key).and_then(|place| self.heads.get(place))
    }

    /// Which heads are listed, in order; those put off come last.
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
        // The heads come by consequence already; sorting keeps that among equals.
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

    /// What there is to choose from, with counts: sources.
    pub fn sources(&self) -> BTreeMap<String, usize> {
        self.count(|head| Some(head.source.clone()))
    }

    /// Sessions, with counts.
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
