//! Trust calibration: the DM's confirmations and rejections adjust the confidence of later proposals.
//!
//! Counts are kept per source (a speaker, a file, or an author), per predicate, and per way of extraction. All counts
//! derive from the present facts, so undoing a decision, loading a slot or reopening needs no special handling.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use hearsay_model::{
    Author, Change, Confidence, EntityId, Evidence, Fact, FactId, FactStatus, Key, Learning, Method, Operation,
    Position, Predicate, Provenance, Setting, SettingKey, State, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::duplicates::Claim;

/// A subject of trust.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "of", content = "which")]
pub enum TrustOf {
    /// Statements of a speaker.
    Speaker(EntityId),
    /// Contents of a file.
    File(String),
    /// Proposals of an author, if there is neither a speaker nor a file.
    Author(#[serde(serialize_with = "as_text")] Author),
    /// A predicate, because some are harder to extract than others.
    Predicate(Predicate),
    /// A way of extraction: the author, the method, and the language model, if any.
    #[serde(serialize_with = "as_way")]
    Extraction(Author, Method, Option<String>),
}

fn as_text<S: serde::Serializer>(author: &Author, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(author)
}

fn as_way<S: serde::Serializer>(
    author: &Author,
    method: &Method,
    model: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&way(author, *method, model.as_deref()))
}

fn way(author: &Author, method: Method, model: Option<&str>) -> String {
    let with = model.map_or(String::new(), |model| format!(" with {model}"));
    format!("{author}{with}, {}", in_words(method))
}

fn in_words(method: Method) -> &'static str {
    match method {
        Method::Witnessed => "what it saw",
        Method::Stated => "what was said",
        Method::Inferred => "what was written",
        Method::Authored => "what it made up",
        Method::Imported => "what was in files",
    }
}

impl fmt::Display for TrustOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Speaker(id) => write!(f, "speaker {id}"),
            Self::File(path) => write!(f, "file {path}"),
            Self::Author(author) => write!(f, "source {author}"),
            Self::Predicate(predicate) => write!(f, "predicate {predicate}"),
            Self::Extraction(author, method, model) => f.write_str(&way(author, *method, model.as_deref())),
        }
    }
}

/// Counts of the DM's decisions. A claim counts once, however often it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Number of confirmed claims.
    pub confirmed: usize,
    /// Number of rejected claims.
    pub rejected: usize,
}

/// Number of decisions of each kind assumed before the first one. It limits the effect of few decisions.
const PRIOR: f64 = 4.0;

/// Weight of each of the three counts.
const WEIGHT: f64 = 0.5;

/// Maximum change of confidence, in log-odds: 0.5 becomes 0.27 or 0.73.
const MOST_SHIFT: f64 = 1.0;

/// Amount by which a confirmed fact raises the confidence of a waiting fact that is similar in every respect.
const MOST_LIFT: f64 = 0.3 * 0.1;

impl Counts {
    /// Returns the change of confidence in log-odds, before weighting and limiting.
    pub fn shift(self) -> f64 {
        ((self.confirmed as f64 + PRIOR) / (self.rejected as f64 + PRIOR)).ln()
    }
}

/// The DM's verdict on a fact from another author.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The fact is true.
    Confirmed,
    /// The fact is not part of the world.
    Rejected,
    /// The fact was stated but is not true: trust in the speaker falls, and trust in the extraction rises.
    False,
}

impl Verdict {
    fn of(fact: &Fact) -> Option<Self> {
        let provenance = fact.provenance();
        match fact.status() {
            _ if provenance.author == Author::Dm => None,
            FactStatus::Rejected => Some(Self::Rejected),
            FactStatus::False if provenance.confirmed => Some(Self::False),
            FactStatus::Canon | FactStatus::Claimed if provenance.confirmed => Some(Self::Confirmed),
            _ => None,
        }
    }
}

/// A counted decision.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decided {
    claim: Claim,
    verdict: Verdict,
    of: [TrustOf; 3],
}

/// Trust learned from the DM's decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustCalibration {
    enabled: bool,
    decided: BTreeMap<FactId, Decided>,
    /// Number of confirmed and rejected facts by claim.
    tallies: BTreeMap<TrustOf, BTreeMap<Claim, (u32, u32)>>,
    counts: BTreeMap<TrustOf, Counts>,
}

/// The effect of one count on a confidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// Subject of trust.
    pub trust: TrustOf,
    /// Counts of the DM's decisions.
    #[serde(flatten)]
    pub counts: Counts,
    /// Change of confidence, in log-odds.
    pub shift: f64,
}

/// Returns the source, predicate and way of extraction that a decision on a fact counts for.
pub(crate) fn trusted(provenance: &Provenance, predicate: &Predicate) -> [TrustOf; 3] {
    let file = provenance.evidence.iter().find_map(|evidence| match evidence {
        Evidence::File { path, .. } => Some(path.clone()),
        Evidence::Excerpt(excerpt) => Some(excerpt.path.to_string()),
        Evidence::Passage { .. } => None,
    });
    let source = match (&provenance.speaker, file) {
        (Some(speaker), _) => TrustOf::Speaker(speaker.clone()),
        (None, Some(path)) => TrustOf::File(path),
        (None, None) => TrustOf::Author(provenance.author.clone()),
    };
    let way = TrustOf::Extraction(provenance.author.clone(), provenance.method, provenance.model.clone());
    [source, TrustOf::Predicate(predicate.clone()), way]
}

impl TrustCalibration {
    /// Computes the trust from the facts of a state.
    pub fn of(state: &State) -> Self {
        let learning = state.learning();
        let mut learned = Self { enabled: learning.enabled, ..Self::default() };
        for fact in state.facts() {
            learned.note(state, fact, &learning);
        }
        learned
    }

    fn note(&mut self, state: &State, fact: &Fact, learning: &Learning) {
        let Some(verdict) = Verdict::of(fact) else { return };
        if learning.forgotten.binary_search(&fact.id()).is_ok() {
            return;
        }
        let claim = Claim::of(state.vocabulary(), fact);
        let decided = Decided { claim, verdict, of: trusted(fact.provenance(), fact.predicate()) };
        self.tally(&decided, |count| *count += 1);
        self.decided.insert(fact.id(), decided);
    }

    fn drop(&mut self, fact: FactId) {
        if let Some(decided) = self.decided.remove(&fact) {
            self.tally(&decided, |count| *count -= 1);
        }
    }

    fn tally(&mut self, decided: &Decided, count: impl Fn(&mut u32)) {
        for (number, of) in decided.of.iter().enumerate() {
            let claims = self.tallies.entry(of.clone()).or_default();
            let counts = self.counts.entry(of.clone()).or_default();
            let (confirmed, rejected) = claims.entry(decided.claim.clone()).or_default();
            // A false fact was extracted correctly, so it counts against the source alone.
            let against = match decided.verdict {
                Verdict::Rejected => true,
                Verdict::False => number == 0,
                Verdict::Confirmed => false,
            };
            let (facts, claimed) = match against {
                true => (&mut *rejected, &mut counts.rejected),
                false => (&mut *confirmed, &mut counts.confirmed),
            };
            let before = usize::from(*facts > 0);
            count(facts);
            *claimed = *claimed + usize::from(*facts > 0) - before;
            if (*confirmed, *rejected) == (0, 0) {
                claims.remove(&decided.claim);
            }
            if claims.is_empty() {
                self.tallies.remove(of);
                self.counts.remove(of);
            }
        }
    }

    /// Updates the trust from the keys that an operation touched.
    pub(crate) fn update(&mut self, state: &State, touched: &[Key]) {
        let all = |key: &Key| {
            let Key::Setting(key) = key else { return false };
            matches!(key, SettingKey::Predicate(_) | SettingKey::Attribute(_) | SettingKey::Learning)
        };
        if touched.iter().any(all) {
            *self = Self::of(state);
            return;
        }
        let learning = state.learning();
        for key in touched {
            let Key::Fact(id) = key else { continue };
            self.drop(*id);
            if let Some(fact) = state.fact(*id) {
                self.note(state, fact, &learning);
            }
        }
    }

    /// Whether the DM's decisions adjust confidence.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Returns all counts.
    pub fn counts(&self) -> impl Iterator<Item = (&TrustOf, Counts)> {
        self.counts.iter().map(|(of, counts)| (of, *counts))
    }

    /// Returns the counts of one subject of trust.
    pub fn count(&self, of: &TrustOf) -> Counts {
        self.counts.get(of).copied().unwrap_or_default()
    }

    /// Returns the adjustments of confidence for this provenance and predicate.
    pub fn reasons(&self, provenance: &Provenance, predicate: &Predicate) -> Vec<Reason> {
        if !self.enabled {
            return Vec::new();
        }
        let reason = |trust: TrustOf| {
            let counts = self.count(&trust);
            Reason { shift: WEIGHT * counts.shift(), counts, trust }
        };
        let told = |reason: &Reason| reason.counts != Counts::default();
        trusted(provenance, predicate).into_iter().map(reason).filter(told).collect()
    }

    /// Returns the confidence for this provenance and predicate, adjusted by trust. Facts of the game and the DM are
    /// not adjusted.
    pub fn adjusted(&self, provenance: &Provenance, predicate: &Predicate) -> Confidence {
        let given = provenance.confidence;
        if matches!(provenance.author, Author::Dm | Author::Game) {
            return given;
        }
        let shift: f64 = self.reasons(provenance, predicate).iter().map(|reason| reason.shift).sum();
        shifted(given, shift.clamp(-MOST_SHIFT, MOST_SHIFT))
    }

    /// Returns the decided facts. Sorted.
    pub fn decided(&self) -> impl Iterator<Item = (FactId, Verdict)> {
        self.decided.iter().map(|(id, decided)| (*id, decided.verdict))
    }
}

/// Shifts a confidence in log-odds. A confidence of 0 or 1 is unchanged.
fn shifted(given: Confidence, shift: f64) -> Confidence {
    let p = given.get();
    if shift == 0.0 || p <= 0.0 || p >= 1.0 {
        return given;
    }
    let odds = (p / (1.0 - p)).ln() + shift;
    Confidence::new(1.0 / (1.0 + (-odds).exp())).unwrap_or(given)
}

/// Amount by which a confirmed fact raises the confidence of a waiting fact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Lift {
    /// Increase of confidence, too small to be accepted without review.
    pub by: f64,
    /// Most similar confirmed fact.
    pub like: FactId,
}

/// Returns the increase of confidence that a waiting fact gains from the most similar confirmed fact. Derived on demand
/// and never stored.
pub fn lift(state: &State, fact: &Fact) -> Option<Lift> {
    if fact.status() != FactStatus::Proposed || !state.learning().enabled {
        return None;
    }
    let mut best = None::<(f64, FactId)>;
    let ends = |fact: &Fact| -> BTreeSet<EntityId> {
        std::iter::once(fact.subject()).chain(fact.object().entity()).cloned().collect()
    };
    let own = ends(fact);
    for other in own.iter().flat_map(|id| state.facts_of(id)) {
        if !other.provenance().confirmed || other.status() != FactStatus::Canon {
            continue;
        }
        let shared = own.intersection(&ends(other)).count() as f64 / own.len().max(1) as f64;
        let predicate = if other.predicate() == fact.predicate() { 1.0 } else { 0.0 };
        let similarity = 0.5 * predicate + 0.5 * shared;
        if similarity > 0.5
            && best.is_none_or(|(most, id)| similarity > most || (similarity == most && other.id() < id))
        {
            best = Some((similarity, other.id()));
        }
    }
    best.map(|(similarity, like)| Lift { by: MOST_LIFT * similarity, like })
}

/// A change of trust calibration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Teach {
    /// Decisions adjust later confidence.
    On,
    /// Decisions adjust nothing but are still counted.
    Off,
    /// All earlier decisions stop counting.
    Reset,
}

impl Teach {
    /// Returns the operation that makes the change.
    pub fn operation(self, state: &State, now: Timestamp) -> Operation {
        let mut learning = state.learning().into_owned();
        let summary = match self {
            Self::On => "learn from decisions",
            Self::Off => "do not learn from decisions",
            Self::Reset => "forget what was learned from decisions",
        };
        match self {
            Self::On | Self::Off => learning.enabled = self == Self::On,
            Self::Reset => {
                let decided = state.facts().filter(|fact| Verdict::of(fact).is_some());
                learning.forgotten = decided.map(|fact| fact.id()).collect();
            }
        }
        let change = Change::Set(Setting::Learning(learning));
        Operation { recorded: now, ..Operation::new(Author::Dm, summary, vec![change]) }
    }
}

/// A decision with its operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionRow {
    /// Position of the operation.
    pub position: Position,
    /// Time, by the real clock.
    pub recorded: Timestamp,
    /// The fact.
    pub fact: FactId,
    /// Statement of the fact.
    pub statement: String,
    /// Verdict of the DM.
    pub verdict: Verdict,
    /// Subjects of trust that the decision counts for.
    pub counts_for: Vec<TrustOf>,
}

/// Returns the counted decisions, newest first, and their total number.
pub fn decisions(state: &State, learned: &TrustCalibration, limit: usize) -> (Vec<DecisionRow>, usize) {
    let (mut rows, mut seen) = (Vec::new(), BTreeSet::new());
    for (position, entry) in state.journal().rev().filter(|(_, entry)| entry.live) {
        for change in &entry.operation.changes {
            let (Change::Confirm(id) | Change::SetStatus { fact: id, .. }) = change else { continue };
            let (Some(decided), Some(fact)) = (learned.decided.get(id), state.fact(*id)) else { continue };
            if rows.len() < limit && seen.insert(*id) {
                rows.push(DecisionRow {
                    position,
                    recorded: entry.operation.recorded,
                    fact: *id,
                    statement: fact.statement().to_owned(),
                    verdict: decided.verdict,
                    counts_for: decided.of.to_vec(),
                });
            }
        }
    }
    (rows, learned.decided.len())
}

#[cfg(test)]
mod tests;
