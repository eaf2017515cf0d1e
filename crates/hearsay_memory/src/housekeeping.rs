//! Housekeeping: what may go, and how the record stands.

use hearsay_model::{
    Author, Change, Confidence, EntityId, Evidence, Fact, FactId, Kind, Object, Operation, Standing, State, Timestamp,
    attribute,
};
use serde::Serialize;

use crate::{MemoryError, ReviewItem, reading::is_newcomer, review_items};

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Which facts are to go. What the DM said or confirmed never does.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prune {
    /// Only facts of less confidence.
    pub below: Option<Confidence>,
    /// Only facts that were recorded more than so many days ago, by the real clock.
    pub older_than_days: Option<u32>,
    /// Only facts of these standings; those that wait for review, when none is named.
    pub standings: Vec<Standing>,
}

/// A fact that is to go.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PruneRow {
    /// The fact.
    pub fact: FactId,
    /// Its sentence.
    pub statement: String,
    /// What the world says of it.
    pub standing: Standing,
    /// How sure extraction was.
    pub confidence: Confidence,
    /// How many days ago it was recorded; nothing, where that is not known.
    pub days: Option<u64>,
}

/// What pruning would do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrunePlan {
    /// The facts that would go, the least sure first.
    pub facts: Vec<PruneRow>,
    /// How many others stay for being the DM's word.
    pub spared: usize,
    /// The one operation that does it; nothing, when no fact would go.
    #[serde(skip)]
    pub operation: Option<Operation>,
}

impl Prune {
    /// What it would do. Pruning withdraws facts: an undo brings them back.
    ///
    /// # Errors
    /// When it names neither confidence, nor age, nor standing.
    pub fn plan(&self, state: &State, now: Timestamp) -> Result<PrunePlan, MemoryError> {
        if self.below.is_none() && self.older_than_days.is_none() && self.standings.is_empty() {
            return Err(MemoryError::PruneWhat);
        }
        let standings = if self.standings.is_empty() { &[Standing::Proposed][..] } else { &self.standings };
        let (mut facts, mut spared) = (Vec::new(), 0);
        for fact in state.facts().filter(|fact| standings.contains(&fact.standing())) {
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
                standing: fact.standing(),
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

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What it is: a word for programs.
    pub name: &'static str,
    /// What it is, in words.
    pub what: &'static str,
    /// How many there are.
    pub count: usize,
    /// Some of them: ids and sentences.
    pub examples: Vec<String>,
    /// What to do about them.
    pub advice: &'static str,
}

/// How the record stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Health {
    /// Entities.
    pub entities: usize,
    /// Facts, of every standing.
    pub facts: usize,
    /// What was looked at; those with nothing to report too.
    pub checks: Vec<Check>,
}

/// Looks at everything, and names so many of each kind at most: takes long in a large campaign.
pub fn health(state: &State, examples: usize) -> Health {
    let mut orphans = Vec::new();
    let mut stubs = Vec::new();
    let mut nameless = Vec::new();
    // Of whom the DM has not said that there is anybody of that name, the review tells.
    for entity in state.entities().filter(|entity| !is_newcomer(state, &entity.id)) {
        let id = &entity.id;
        let says_more = |fact: &Fact| {
            let plain = [attribute::NAME, attribute::KIND, attribute::ALIAS].contains(&fact.predicate().as_str());
            !plain && fact.standing() != Standing::Rejected
        };
        let is_alone =
            !state.links(id).any(|link| matches!(link.fact().standing(), Standing::Canon | Standing::Claimed));
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
    for fact in state.facts().filter(|fact| fact.standing() != Standing::Rejected) {
        let provenance = fact.provenance();
        // The word of the DM and the game is evidence itself.
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
        if fact.standing() == Standing::Canon && state.known_by(fact.id()).next().is_none() {
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
            "say something of them, `merge` or `remove` them",
        ),
        check(
            "orphans",
            "entities without a relation to any other",
            orphans,
            "`relate` them, or leave them as they are",
        ),
        check("nameless", "entities without a name", nameless, "`set ENTITY name NAME`"),
        check(
            "no_evidence",
            "facts from text or files without evidence",
            unproven,
            "look at them with `show`, then `correct` or `remove` them",
        ),
        check(
            "dangling",
            "facts that refer to what is there no more",
            dangling,
            "`show` tells to what; `correct` writes them anew",
        ),
        check(
            "unknown",
            "canon facts that nobody knows",
            unknown,
            "`tell`, `witness` or `read` lets somebody know them",
        ),
        check(
            "mute_speakers",
            "facts said by what cannot speak",
            mute,
            "`correct` them, or `merge` the speaker into whoever is meant",
        ),
        check("empty_passages", "passages without text", empty, "remove them from the campaign's files"),
    ];
    Health { entities: state.entity_count(), facts: state.fact_count(), checks }
}
