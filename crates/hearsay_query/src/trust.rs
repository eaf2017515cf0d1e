//! Trust calibration: the DM's confirmations and rejections adjust the confidence of later proposals.
//!
//! Decisions are counted in three ways: by source (a speaker, a file or an author), by predicate, and by extraction
//! (the combination of author, method and language model). All counts are computed from the current facts. Therefore,
//! the counts are also correct after the DM undoes a decision, loads a slot or opens the campaign again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use hearsay_model::{
    Author, CalibrationSettings, Change, Confidence, EntityId, Evidence, Fact, FactId, FactStatus, Key, Method,
    Position, Predicate, Provenance, SettingKey, State, Timestamp,
};
use serde::Serialize;

use crate::duplicates::Claim;

#[cfg(test)]
mod tests;

/// Category in which the DM's decisions are counted: a source, a predicate or an extraction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum TrustCategory {
    /// Statements of this speaker.
    Speaker(EntityId),
    /// Contents of the file at this path.
    File(String),
    /// Proposals by this author for which neither a speaker nor a file is recorded.
    Author(#[serde(serialize_with = "as_text")] Author),
    /// Facts with this predicate, because some predicates are harder to extract than others.
    Predicate(Predicate),
    /// Facts that this author recorded with this method and this language model. The last value is `None` if no
    /// language model was used.
    #[serde(serialize_with = "extraction_as_text")]
    Extraction(Author, Method, Option<String>),
}

fn as_text<S: serde::Serializer>(author: &Author, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(author)
}

fn extraction_as_text<S: serde::Serializer>(
    author: &Author,
    method: &Method,
    model: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&describe_extraction(author, *method, model.as_deref()))
}

fn describe_extraction(author: &Author, method: Method, model: Option<&str>) -> String {
    let with = model.map_or(String::new(), |model| format!(" with {model}"));
    format!("{author}{with}, {}", describe_method(method))
}

fn describe_method(method: Method) -> &'static str {
    match method {
        Method::Witnessed => "events it saw",
        Method::Stated => "spoken lines",
        Method::Inferred => "written texts",
        Method::Authored => "invented facts",
        Method::Imported => "facts from files",
    }
}

impl fmt::Display for TrustCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Speaker(id) => write!(f, "speaker {id}"),
            Self::File(path) => write!(f, "file {path}"),
            Self::Author(author) => write!(f, "source {author}"),
            Self::Predicate(predicate) => write!(f, "predicate {predicate}"),
            Self::Extraction(author, method, model) => {
                f.write_str(&describe_extraction(author, *method, model.as_deref()))
            }
        }
    }
}

/// Numbers of decisions of the DM. A decision on several facts with the same content ([`Claim`]) counts as one
/// decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DecisionCounts {
    /// Number of decisions that increase the trust in the category: confirmed facts. For a predicate or extraction,
    /// facts that the DM marked as false are included.
    pub confirmed: usize,
    /// Number of decisions that decrease the trust in the category: rejected facts. For a source, facts that the DM
    /// marked as false are included.
    pub rejected: usize,
}

/// Number of confirmations that are assumed before the first decision. The same number of rejections is assumed. The
/// assumed decisions limit the effect of the first real decisions.
const PRIOR_DECISIONS: f64 = 4.0;

/// Weight of each of the three counts: source, predicate and extraction.
const CATEGORY_WEIGHT: f64 = 0.5;

/// Maximum change of confidence, in log-odds. This maximum changes a confidence of 0.5 to 0.27 or 0.73.
const MAX_SHIFT: f64 = 1.0;

/// Maximum amount by which a confirmed fact raises the confidence of a similar proposed fact.
const MAX_BOOST: f64 = 0.3 * 0.1;

impl DecisionCounts {
    /// Returns the change of confidence in log-odds, before weighting and limiting.
    pub fn shift(self) -> f64 {
        ((self.confirmed as f64 + PRIOR_DECISIONS) / (self.rejected as f64 + PRIOR_DECISIONS)).ln()
    }
}

/// The DM's verdict on a fact that another author stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The fact is true.
    Confirmed,
    /// The fact is not part of the campaign.
    Rejected,
    /// The fact was stated but is not true. The trust in the speaker falls. The trust in the extraction rises, because
    /// the fact was extracted correctly.
    False,
}

impl Verdict {
    /// Returns the DM's verdict on a fact; `None` if the DM stated the fact, or if the DM has not decided on the fact.
    pub fn from_fact(fact: &Fact) -> Option<Self> {
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

/// A decision that counts for trust calibration.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CountedDecision {
    claim: Claim,
    verdict: Verdict,
    categories: [TrustCategory; 3],
}

/// Trust calibration: the trust in sources, predicates and extractions, learned from the DM's decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustCalibration {
    enabled: bool,
    decisions: BTreeMap<FactId, CountedDecision>,
    /// Numbers of confirmed and rejected facts for each claim in each category.
    tallies: BTreeMap<TrustCategory, BTreeMap<Claim, (u32, u32)>>,
    counts: BTreeMap<TrustCategory, DecisionCounts>,
}

/// Effect of the DM's decisions in one category on the confidence of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// Category of the decisions: a source, a predicate or an extraction.
    pub trust: TrustCategory,
    /// Counts of the DM's decisions.
    #[serde(flatten)]
    pub counts: DecisionCounts,
    /// Change of confidence due to these decisions, in log-odds.
    pub shift: f64,
}

/// Returns the categories of a decision on a fact: the source, the predicate and the extraction of the fact.
fn trust_categories(provenance: &Provenance, predicate: &Predicate) -> [TrustCategory; 3] {
    let file = provenance.evidence.iter().find_map(|evidence| match evidence {
        Evidence::File { path, .. } => Some(path.clone()),
        Evidence::Excerpt(excerpt) => Some(excerpt.path.to_string()),
        Evidence::Passage { .. } => None,
    });
    let source = match (&provenance.speaker, file) {
        (Some(speaker), _) => TrustCategory::Speaker(speaker.clone()),
        (None, Some(path)) => TrustCategory::File(path),
        (None, None) => TrustCategory::Author(provenance.author.clone()),
    };
    let extraction = TrustCategory::Extraction(provenance.author.clone(), provenance.method, provenance.model.clone());
    [source, TrustCategory::Predicate(predicate.clone()), extraction]
}

impl TrustCalibration {
    /// Computes the trust from the facts of a state.
    pub fn from_state(state: &State) -> Self {
        let learning = state.calibration_settings();
        let mut learned = Self { enabled: learning.enabled, ..Self::default() };
        for fact in state.facts() {
            learned.add_fact(state, fact, &learning);
        }
        learned
    }

    fn add_fact(&mut self, state: &State, fact: &Fact, learning: &CalibrationSettings) {
        let Some(verdict) = Verdict::from_fact(fact) else { return };
        if learning.forgotten.binary_search(&fact.id()).is_ok() {
            return;
        }
        let claim = Claim::from_fact(state.vocabulary(), fact);
        let decision =
            CountedDecision { claim, verdict, categories: trust_categories(fact.provenance(), fact.predicate()) };
        self.update_counts(&decision, |count| *count += 1);
        self.decisions.insert(fact.id(), decision);
    }

    fn remove_fact(&mut self, fact: FactId) {
        if let Some(decision) = self.decisions.remove(&fact) {
            self.update_counts(&decision, |count| *count -= 1);
        }
    }

    fn update_counts(&mut self, decision: &CountedDecision, change_count: impl Fn(&mut u32)) {
        for (index, category) in decision.categories.iter().enumerate() {
            let claims = self.tallies.entry(category.clone()).or_default();
            let counts = self.counts.entry(category.clone()).or_default();
            let (confirmed, rejected) = claims.entry(decision.claim.clone()).or_default();
            // A false fact was extracted correctly, so it counts only against its source.
            let is_rejection = match decision.verdict {
                Verdict::Rejected => true,
                Verdict::False => index == 0,
                Verdict::Confirmed => false,
            };
            let (fact_count, claim_count) = if is_rejection {
                (&mut *rejected, &mut counts.rejected)
            } else {
                (&mut *confirmed, &mut counts.confirmed)
            };
            let was_counted = usize::from(*fact_count > 0);
            change_count(fact_count);
            *claim_count = *claim_count + usize::from(*fact_count > 0) - was_counted;
            if (*confirmed, *rejected) == (0, 0) {
                claims.remove(&decision.claim);
            }
            if claims.is_empty() {
                self.tallies.remove(category);
                self.counts.remove(category);
            }
        }
    }

    /// Updates the trust after an operation that changed the records with the keys `touched`.
    pub fn update(&mut self, state: &State, touched: &[Key]) {
        let requires_rebuild = |key: &Key| {
            let Key::Setting(key) = key else { return false };
            matches!(key, SettingKey::Predicate(_) | SettingKey::Attribute(_) | SettingKey::Learning)
        };
        if touched.iter().any(requires_rebuild) {
            *self = Self::from_state(state);
            return;
        }
        let learning = state.calibration_settings();
        for key in touched {
            let Key::Fact(id) = key else { continue };
            self.remove_fact(*id);
            if let Some(fact) = state.fact(*id) {
                self.add_fact(state, fact, &learning);
            }
        }
    }

    /// Returns whether the DM's decisions adjust confidence.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Returns the counts of the DM's decisions in every category.
    pub fn counts(&self) -> impl Iterator<Item = (&TrustCategory, DecisionCounts)> {
        self.counts.iter().map(|(category, counts)| (category, *counts))
    }

    /// Returns the counts of the DM's decisions in one category.
    pub fn count(&self, category: &TrustCategory) -> DecisionCounts {
        self.counts.get(category).copied().unwrap_or_default()
    }

    /// Returns the effects of the DM's decisions on the confidence of facts with this provenance and predicate, one for
    /// each category.
    pub fn reasons(&self, provenance: &Provenance, predicate: &Predicate) -> Vec<Reason> {
        if !self.enabled {
            return Vec::new();
        }
        let reason = |category: TrustCategory| {
            let counts = self.count(&category);
            Reason { shift: CATEGORY_WEIGHT * counts.shift(), counts, trust: category }
        };
        let has_decisions = |reason: &Reason| reason.counts != DecisionCounts::default();
        trust_categories(provenance, predicate).into_iter().map(reason).filter(has_decisions).collect()
    }

    /// Returns the confidence in a provenance, adjusted by the trust in its source, in the predicate and in the
    /// extraction. The confidence of facts from the game or the DM is not adjusted.
    pub fn adjusted_confidence(&self, provenance: &Provenance, predicate: &Predicate) -> Confidence {
        let recorded = provenance.confidence;
        if matches!(provenance.author, Author::Dm | Author::Game) {
            return recorded;
        }
        let shift: f64 = self.reasons(provenance, predicate).iter().map(|reason| reason.shift).sum();
        shift_confidence(recorded, shift.clamp(-MAX_SHIFT, MAX_SHIFT))
    }

    /// Returns the facts that the DM decided on, each with its verdict. Sorted by fact.
    pub fn verdicts(&self) -> impl Iterator<Item = (FactId, Verdict)> {
        self.decisions.iter().map(|(id, decided)| (*id, decided.verdict))
    }
}

/// Changes a confidence by a shift in log-odds. A confidence of 0 or 1 stays unchanged.
fn shift_confidence(confidence: Confidence, shift: f64) -> Confidence {
    let p = confidence.get();
    if shift == 0.0 || p <= 0.0 || p >= 1.0 {
        return confidence;
    }
    let odds = (p / (1.0 - p)).ln() + shift;
    Confidence::new(1.0 / (1.0 + (-odds).exp())).unwrap_or(confidence)
}

/// Increase of the confidence of a proposed fact due to a similar confirmed fact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ConfidenceBoost {
    /// Increase of confidence, at most 0.03.
    pub by: f64,
    /// Confirmed fact that is most similar to the proposed fact.
    pub like: FactId,
}

/// Computes the increase of the confidence of a proposed fact due to the most similar confirmed fact. The increase is
/// not stored. Returns `None` if there is no increase.
pub fn confidence_boost(state: &State, fact: &Fact) -> Option<ConfidenceBoost> {
    if fact.status() != FactStatus::Proposed || !state.calibration_settings().enabled {
        return None;
    }
    let mut best = None::<(f64, FactId)>;
    let entities_of = |fact: &Fact| -> BTreeSet<EntityId> {
        std::iter::once(fact.subject()).chain(fact.object().entity()).cloned().collect()
    };
    let own_entities = entities_of(fact);
    for other in own_entities.iter().flat_map(|id| state.facts_of(id)) {
        if !other.provenance().confirmed || other.status() != FactStatus::Canon {
            continue;
        }
        let shared_fraction =
            own_entities.intersection(&entities_of(other)).count() as f64 / own_entities.len().max(1) as f64;
        let predicate = if other.predicate() == fact.predicate() { 1.0 } else { 0.0 };
        let similarity = 0.5 * predicate + 0.5 * shared_fraction;
        if similarity > 0.5
            && best.is_none_or(|(highest, id)| similarity > highest || (similarity == highest && other.id() < id))
        {
            best = Some((similarity, other.id()));
        }
    }
    best.map(|(similarity, like)| ConfidenceBoost { by: MAX_BOOST * similarity, like })
}

/// A decision of the DM, with the operation that recorded it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DecisionRow {
    /// Position of the operation in the journal.
    pub position: Position,
    /// Real time at which the operation was recorded.
    pub recorded: Timestamp,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Verdict of the DM.
    pub verdict: Verdict,
    /// Categories of the decision: source, predicate and extraction.
    pub counts_for: Vec<TrustCategory>,
}

/// Returns at most `limit` of the DM's decisions that trust calibration uses, newest first. Also returns the total
/// number of these decisions.
pub fn decisions(state: &State, trust_calibration: &TrustCalibration, limit: usize) -> (Vec<DecisionRow>, usize) {
    let (mut rows, mut seen_facts) = (Vec::new(), BTreeSet::new());
    for (position, entry) in state.journal().rev().filter(|(_, entry)| entry.live) {
        for change in &entry.operation.changes {
            let (Change::Confirm(id) | Change::SetStatus { fact: id, .. }) = change else { continue };
            let (Some(decision), Some(fact)) = (trust_calibration.decisions.get(id), state.fact(*id)) else { continue };
            if rows.len() < limit && seen_facts.insert(*id) {
                rows.push(DecisionRow {
                    position,
                    recorded: entry.operation.recorded,
                    fact: *id,
                    statement: fact.statement().to_owned(),
                    verdict: decision.verdict,
                    counts_for: decision.categories.to_vec(),
                });
            }
        }
    }
    (rows, trust_calibration.decisions.len())
}
