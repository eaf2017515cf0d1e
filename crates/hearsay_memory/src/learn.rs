//! Trust that is learned from the DM: what was confirmed and rejected moves the confidence of what comes next.
//!
//! Counts are kept per source (a speaker, a file, whoever proposes), per predicate and per way of extraction. All of
//! them derive from the facts as they stand, so that undoing a decision, loading a slot or opening again needs no care.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use hearsay_model::{
    Author, Change, Confidence, EntityId, Evidence, Fact, FactId, Key, Learning, Method, Operation, Position,
    Predicate, Provenance, Setting, SettingKey, Standing, State, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::duplicates::Claim;

/// What trust is learned of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "of", content = "which")]
pub enum TrustOf {
    /// Of what somebody says.
    Speaker(EntityId),
    /// Of what a file says.
    File(String),
    /// Of what is proposed by somebody, where neither a speaker nor a file is named.
    Author(#[serde(serialize_with = "as_text")] Author),
    /// Of a predicate: some are harder to extract than others.
    Predicate(Predicate),
    /// Of a way of extraction: by whom, from what, and with which language model, if with one.
    #[serde(serialize_with = "as_way")]
    Way(Author, Method, Option<String>),
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
            Self::Way(author, method, model) => f.write_str(&way(author, *method, model.as_deref())),
        }
    }
}

/// How often the DM said yes and no. A claim counts once, however often it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Claims that were confirmed.
    pub confirmed: usize,
    /// Claims that were rejected.
    pub rejected: usize,
}

/// So many decisions of either kind are taken to have been made before the first: few decisions move little.
const PRIOR: f64 = 4.0;

/// How much each of the three counts weighs.
const WEIGHT: f64 = 0.5;

/// By how much confidence moves at most, in log-odds: 0.5 becomes 0.27 or 0.73.
const MOST_SHIFT: f64 = 1.0;

/// How much a confirmed fact lifts a waiting one that is like it in everything.
const MOST_LIFT: f64 = 0.3 * 0.1;

impl Counts {
    /// By how much the confidence of what comes next moves, in log-odds, before it is weighed and bounded.
    pub fn shift(self) -> f64 {
        ((self.confirmed as f64 + PRIOR) / (self.rejected as f64 + PRIOR)).ln()
    }
}

/// What the DM said of a fact that somebody else proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is so.
    Confirmed,
    /// It is no part of the world.
    Rejected,
    /// It was said, but it is not so: whoever says so is trusted less, whoever extracted it more.
    False,
}

impl Verdict {
    fn of(fact: &Fact) -> Option<Self> {
        let provenance = fact.provenance();
        match fact.standing() {
            _ if provenance.author == Author::Dm => None,
            Standing::Rejected => Some(Self::Rejected),
            Standing::False if provenance.confirmed => Some(Self::False),
            Standing::Canon | Standing::Claimed if provenance.confirmed => Some(Self::Confirmed),
            _ => None,
        }
    }
}

/// A decision as it is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decided {
    claim: Claim,
    verdict: Verdict,
    of: [TrustOf; 3],
}

/// What was learned from the DM's decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learned {
    enabled: bool,
    decided: BTreeMap<FactId, Decided>,
    /// By claim, how many facts that make it were confirmed, and how many rejected.
    tallies: BTreeMap<TrustOf, BTreeMap<Claim, (u32, u32)>>,
    counts: BTreeMap<TrustOf, Counts>,
}

/// How one count moved a confidence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// What is trusted more or less.
    pub trust: TrustOf,
    /// How often the DM said yes and no.
    #[serde(flatten)]
    pub counts: Counts,
    /// By how much it moves the confidence, in log-odds.
    pub shift: f64,
}

/// Source, predicate and way of extraction: what a decision on a fact counts for.
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
    let way = TrustOf::Way(provenance.author.clone(), provenance.method, provenance.model.clone());
    [source, TrustOf::Predicate(predicate.clone()), way]
}

impl Learned {
    /// What the facts of a state tell.
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
            // What is false was understood rightly: that speaks against the source alone.
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

    /// Takes over what an operation touched.
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

    /// Whether the DM's decisions move what comes next.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// All counts.
    pub fn counts(&self) -> impl Iterator<Item = (&TrustOf, Counts)> {
        self.counts.iter().map(|(of, counts)| (of, *counts))
    }

    /// The counts of one.
    pub fn count(&self, of: &TrustOf) -> Counts {
        self.counts.get(of).copied().unwrap_or_default()
    }

    /// What moves the confidence in something of this provenance, and how.
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

    /// The confidence in something of this provenance, with what was learned. The game and the DM need no trust.
    pub fn adjusted(&self, provenance: &Provenance, predicate: &Predicate) -> Confidence {
        let given = provenance.confidence;
        if matches!(provenance.author, Author::Dm | Author::Game) {
            return given;
        }
        let shift: f64 = self.reasons(provenance, predicate).iter().map(|reason| reason.shift).sum();
        shifted(given, shift.clamp(-MOST_SHIFT, MOST_SHIFT))
    }

    /// The facts that were decided on. Sorted.
    pub fn decided(&self) -> impl Iterator<Item = (FactId, Verdict)> {
        self.decided.iter().map(|(id, decided)| (*id, decided.verdict))
    }
}

/// A confidence moved in log-odds. What is certain stays so.
fn shifted(given: Confidence, shift: f64) -> Confidence {
    let p = given.get();
    if shift == 0.0 || p <= 0.0 || p >= 1.0 {
        return given;
    }
    let odds = (p / (1.0 - p)).ln() + shift;
    Confidence::new(1.0 / (1.0 + (-odds).exp())).unwrap_or(given)
}

/// By how much a confirmed fact lifts one that waits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Lift {
    /// How much surer it is for that; too little to be taken without review.
    pub by: f64,
    /// The confirmed fact that is most like it.
    pub like: FactId,
}

/// By how much the confirmed fact that is most like a waiting one lifts it. Derived, and written nowhere.
pub fn lift(state: &State, fact: &Fact) -> Option<Lift> {
    if fact.standing() != Standing::Proposed || !state.learning().enabled {
        return None;
    }
    let mut best = None::<(f64, FactId)>;
    let ends = |fact: &Fact| -> BTreeSet<EntityId> {
        std::iter::once(fact.subject()).chain(fact.object().entity()).cloned().collect()
    };
    let own = ends(fact);
    for other in own.iter().flat_map(|id| state.facts_of(id)) {
        if !other.provenance().confirmed || other.standing() != Standing::Canon {
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

/// What is to become of learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Teach {
    /// Decisions move what comes next.
    On,
    /// They do not; they are counted all the same.
    Off,
    /// What was decided until now counts no more.
    Reset,
}

impl Teach {
    /// The operation that does it.
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

/// A decision, with where it was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionRow {
    /// The operation.
    pub position: Position,
    /// When, by the real clock.
    pub recorded: Timestamp,
    /// The fact.
    pub fact: FactId,
    /// Its sentence.
    pub statement: String,
    /// What the DM said.
    pub verdict: Verdict,
    /// What the decision counts for.
    pub counts_for: Vec<TrustOf>,
}

/// The decisions that count, the newest first; and how many there are in all.
pub fn decisions(state: &State, learned: &Learned, limit: usize) -> (Vec<DecisionRow>, usize) {
    let (mut rows, mut seen) = (Vec::new(), BTreeSet::new());
    for (position, entry) in state.journal().rev().filter(|(_, entry)| entry.live) {
        for change in &entry.operation.changes {
            let (Change::Confirm(id) | Change::SetStanding { fact: id, .. }) = change else { continue };
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
