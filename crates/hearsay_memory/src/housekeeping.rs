//! Housekeeping: pruning, and checks of the campaign.

use hearsay_model::{
    Author, Change, Confidence, EntityId, Evidence, Fact, FactId, FactStatus, Kind, Object, Operation, State,
    Timestamp, attribute,
};
use serde::Serialize;

use crate::{MemoryError, ReviewItem, reading::is_newcomer, review_items};

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Criteria for facts to prune. Facts that the DM stated or confirmed are never pruned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prune {
    /// Prunes only facts with a lower confidence.
    pub below: Option<Confidence>,
    /// Prunes only facts recorded more than this number of days ago, by the real clock.
    pub older_than_days: Option<u32>,
    /// Prunes only facts of these statuses. Default: facts that wait for review.
    pub statuses: Vec<FactStatus>,
}

/// A fact to prune.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PruneRow {
    /// The fact.
    pub fact: FactId,
    /// Statement of the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Confidence of the extraction.
    pub confidence: Confidence,
    /// Age in days, by the real clock; `None` if unknown.
    pub days: Option<u64>,
}

/// The effect of pruning.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrunePlan {
    /// Facts to prune, least confident first.
    pub facts: Vec<PruneRow>,
    /// Number of facts that are spared because the DM stated or confirmed them.
    pub spared: usize,
    /// Operation that prunes the facts; `None` if there are none.
    #[serde(skip)]
    pub operation: Option<Operation>,
}

impl Prune {
    /// Returns the effect of pruning. Pruning withdraws facts, and an undo restores them.
    ///
    /// # Errors
    /// When neither a confidence, nor an age, nor a status is given.
    pub fn plan(&self, state: &State, now: Timestamp) -> Result<PrunePlan, MemoryError> {
        if self.below.is_none() && self.older_than_days.is_none() && self.statuses.is_empty() {
            return Err(MemoryError::PruneWhat);
        }
        let statuses = if self.statuses.is_empty() { &[FactStatus::Proposed][..] } else { &self.statuses };
        let (mut facts, mut spared) = (Vec::new(), 0);
        for fact in state.facts().filter(|fact| statuses.contains(&fact.status())) {
            let provenance = fact.provenance();
            let known = provenance.recorded.0 > 0;
            let days = known.then(|| u64::try_from((now.0 - provenance.recorded.0) / DAY).unwrap_or_default());
            let sure = self.below.is_some_and(|below| provenance.confidence >= below);
            let young = self.older_than_days.is_some_and(|least| days.is_none_or(|days| days <= u64::from(least)));
            if sure || young {
                continue;
            }
            if provenance.confirmed {
                spared += 1;
                continue;
            }
            facts.push(PruneRow {
                fact: fact.id(),
                statement: fact.statement().to_owned(),
                status: fact.status(),
                confidence: provenance.confidence,
                days,
            });
        }
        facts.sort_by_key(|row| (row.confidence, row.fact));
        let changes: Vec<Change> = facts.iter().map(|row| Change::RetractFact(row.fact)).collect();
        let operation = (!changes.is_empty()).then(|| {
            let summary = format!("prune {} facts", changes.len());
            Operation { recorded: now, ..Operation::new(Author::Dm, summary, changes) }
        });
        Ok(PrunePlan { facts, spared, operation })
    }
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Name of the check, for programs.
    pub name: &'static str,
    /// Description of the check.
    pub what: &'static str,
    /// Number of findings.
    pub count: usize,
    /// Examples: ids and sentences.
    pub examples: Vec<String>,
    /// Advice for resolving the findings.
    pub advice: &'static str,
}

/// The results of all checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    /// Number of entities.
    pub entities: usize,
    /// Number of facts of any status.
    pub facts: usize,
    /// All checks, including those without findings.
    pub checks: Vec<Check>,
}

/// Runs all checks, with at most `examples` examples each. Takes long in a large campaign.
pub fn health(state: &State, examples: usize) -> Health {
    let mut orphans = Vec::new();
    let mut stubs = Vec::new();
    let mut nameless = Vec::new();
    // Unconfirmed newcomers are skipped, because the review lists them.
    for entity in state.entities().filter(|entity| !is_newcomer(state, &entity.id)) {
        let id = &entity.id;
        let says_more = |fact: &Fact| {
            let plain = [attribute::NAME, attribute::KIND, attribute::ALIAS].contains(&fact.predicate().as_str());
            !plain && fact.status() != FactStatus::Rejected
        };
        let is_alone =
            !state.links(id).any(|link| matches!(link.fact().status(), FactStatus::Canon | FactStatus::Claimed));
        if !state.facts_of(id).any(|fact| says_more(fact)) {
            stubs.push(id.to_string());
        } else if is_alone {
            orphans.push(id.to_string());
        }
        if state.name(id).is_none() {
            nameless.push(id.to_string());
        }
    }
    let line = |fact: &Fact| format!("{} {}", fact.id().short(), fact.statement());
    let (mut unproven, mut dangling, mut unknown, mut mute) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for fact in state.facts().filter(|fact| fact.status() != FactStatus::Rejected) {
        let provenance = fact.provenance();
        // Statements of the DM and the game need no evidence.
        let needs = matches!(provenance.author, Author::Extractor | Author::Importer(_) | Author::Player(_));
        if needs && provenance.evidence.is_empty() {
            unproven.push(line(fact));
        }
        let is_gone = |evidence: &Evidence| match evidence {
            Evidence::Passage { passage, .. } => state.passage(*passage).is_none(),
            Evidence::File { .. } | Evidence::Excerpt(_) => false,
        };
        let gone = |id: &EntityId| state.entity(id).is_none();
        if provenance.evidence.iter().any(is_gone)
            || fact.mentions().iter().chain(&provenance.speaker).any(gone)
            || provenance.session.as_ref().is_some_and(|session| state.session(session).is_none())
        {
            dangling.push(line(fact));
        }
        if fact.status() == FactStatus::Canon && state.known_by(fact.id()).next().is_none() {
            unknown.push(line(fact));
        }
        let cannot = |id: &EntityId| state.kind(id).is_some_and(|kind: Kind| !kind.can_know());
        if let Some(speaker) = &provenance.speaker
            && cannot(speaker)
        {
            mute.push(line(fact));
        }
        if let Object::Entity(id) = fact.object()
            && id == fact.subject()
        {
            dangling.push(line(fact));
        }
    }
    let (mut doubtful, mut clashes) = (Vec::new(), Vec::new());
    for item in review_items(state) {
        match item {
            ReviewItem::Doubtful { fact, .. } => doubtful.extend(state.fact(fact).map(|fact| line(fact))),
            ReviewItem::Contradiction { subject, facts, .. } => {
                clashes.push(format!("{subject}: {} facts", facts.len()))
            }
            ReviewItem::Duplicate(_) => {}
        }
    }
    let empty = state.passages().filter(|(_, passage)| passage.text.trim().is_empty());
    let empty: Vec<String> = empty.map(|(id, _)| id.to_string()).collect();
    let check = |name, what, found: Vec<String>, advice| Check {
        name,
        what,
        count: found.len(),
        examples: found.into_iter().take(examples).collect(),
        advice,
    };
    let checks = vec![
        check("reviews", "facts that wait for review", doubtful, "`hearsay review` lists them"),
        check("contradictions", "facts that contradict each other", clashes, "`hearsay review` lists them"),
        check(
            "stubs",
            "entities with nothing but a name and a kind",
            stubs,
            "add facts, `entity merge` or `entity remove` them",
        ),
        check("orphans", "entities without a relation to any other", orphans, "`fact add` a relation, or leave them"),
        check("nameless", "entities without a name", nameless, "`set ENTITY name NAME`"),
        check(
            "no_evidence",
            "facts from text or files without evidence",
            unproven,
            "look at them with `fact show`, then `fact correct` or `fact remove` them",
        ),
        check(
            "dangling",
            "facts that refer to what is there no more",
            dangling,
            "`fact show` shows the target; `fact correct` replaces it",
        ),
        check("unknown", "canon facts that nobody knows", unknown, "`event tell`, `witness` or `read` teaches them"),
        check(
            "mute_speakers",
            "facts said by what cannot speak",
            mute,
            "`fact correct` them, or `entity merge` the speaker into the right character",
        ),
        check("empty_passages", "passages without text", empty, "remove them from the campaign's files"),
    ];
    Health { entities: state.entity_count(), facts: state.fact_count(), checks }
}
