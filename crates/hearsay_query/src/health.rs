//! Checks that find problems in a campaign.

use hearsay_model::{Author, EntityId, Evidence, Fact, FactStatus, Kind, Object, State, attribute};
use serde::Serialize;

use crate::review::{ReviewItem, is_unconfirmed_entity, review_items};

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Identifier of the check in machine-readable output.
    pub name: &'static str,
    /// Description of the problem for which the check searches.
    pub description: &'static str,
    /// Number of findings.
    pub count: usize,
    /// Some of the findings, as ids or sentences.
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
    /// All checks, including checks without findings.
    pub checks: Vec<Check>,
}

/// Runs all checks. Each result lists at most `examples` findings. The function reads every entity, fact and passage,
/// so it is slow in a large campaign.
pub fn health(state: &State, examples: usize) -> Health {
    let mut findings = Findings::default();
    findings.check_entities(state);
    findings.check_facts(state);
    findings.check_review(state);
    let empty_passages = state.passages().filter(|(_, passage)| passage.text.trim().is_empty());
    findings.empty_passages = empty_passages.map(|(id, _)| id.to_string()).collect();
    Health { entities: state.entity_count(), facts: state.fact_count(), checks: findings.into_checks(examples) }
}

/// Findings of each check, as ids or sentences.
#[derive(Default)]
struct Findings {
    doubtful: Vec<String>,
    contradictions: Vec<String>,
    stubs: Vec<String>,
    orphans: Vec<String>,
    nameless: Vec<String>,
    without_evidence: Vec<String>,
    dangling: Vec<String>,
    known_to_nobody: Vec<String>,
    mute_speakers: Vec<String>,
    empty_passages: Vec<String>,
}

impl Findings {
    /// Checks the entities, except new entities that the DM has not confirmed yet: the review already lists them.
    fn check_entities(&mut self, state: &State) {
        for entity in state.entities().filter(|entity| !is_unconfirmed_entity(state, &entity.id)) {
            let id = &entity.id;
            let is_informative = |fact: &Fact| {
                let is_basic =
                    [attribute::NAME, attribute::KIND, attribute::ALIAS].contains(&fact.predicate().as_str());
                !is_basic && fact.status() != FactStatus::Rejected
            };
            let has_no_relations =
                !state.links(id).any(|link| matches!(link.fact().status(), FactStatus::Canon | FactStatus::Claimed));
            if !state.facts_of(id).any(|fact| is_informative(fact)) {
                self.stubs.push(id.to_string());
            } else if has_no_relations {
                self.orphans.push(id.to_string());
            }
            if state.name(id).is_none() {
                self.nameless.push(id.to_string());
            }
        }
    }

    /// Checks the facts that are not rejected.
    fn check_facts(&mut self, state: &State) {
        for fact in state.facts().filter(|fact| fact.status() != FactStatus::Rejected) {
            let provenance = fact.provenance();
            // Statements of the DM and the game need no evidence.
            let needs_evidence =
                matches!(provenance.author, Author::Extractor | Author::Importer(_) | Author::Player(_));
            if needs_evidence && provenance.evidence.is_empty() {
                self.without_evidence.push(line(fact));
            }
            let is_missing_passage = |evidence: &Evidence| match evidence {
                Evidence::Passage { passage, .. } => state.passage(*passage).is_none(),
                Evidence::File { .. } | Evidence::Excerpt(_) => false,
            };
            let is_missing_entity = |id: &EntityId| state.entity(id).is_none();
            if provenance.evidence.iter().any(is_missing_passage)
                || fact.mentions().iter().chain(&provenance.speaker).any(is_missing_entity)
                || provenance.session.as_ref().is_some_and(|session| state.session(session).is_none())
            {
                self.dangling.push(line(fact));
            }
            if fact.status() == FactStatus::Canon && state.known_by(fact.id()).next().is_none() {
                self.known_to_nobody.push(line(fact));
            }
            let cannot_know = |id: &EntityId| state.kind(id).is_some_and(|kind: Kind| !kind.can_know());
            if let Some(speaker) = &provenance.speaker
                && cannot_know(speaker)
            {
                self.mute_speakers.push(line(fact));
            }
            if let Object::Entity(id) = fact.object()
                && id == fact.subject()
            {
                self.dangling.push(line(fact));
            }
        }
    }

    /// Lists the facts that wait for review, and the contradictions.
    fn check_review(&mut self, state: &State) {
        for item in review_items(state) {
            match item {
                ReviewItem::Doubtful { fact, .. } => {
                    self.doubtful.extend(state.fact(fact).map(|fact| line(fact)));
                }
                ReviewItem::Contradiction { subject, facts, .. } => {
                    self.contradictions.push(format!("{subject}: {} facts", facts.len()));
                }
                ReviewItem::Duplicate(_) => {}
            }
        }
    }

    /// Returns the results of the checks, with at most `examples` findings each.
    fn into_checks(self, examples: usize) -> Vec<Check> {
        let check = |name, description, found: Vec<String>, advice| Check {
            name,
            description,
            count: found.len(),
            examples: found.into_iter().take(examples).collect(),
            advice,
        };
        vec![
            check("reviews", "facts that wait for review", self.doubtful, "`hearsay review` lists them"),
            check(
                "contradictions",
                "facts that contradict each other",
                self.contradictions,
                "`hearsay review` lists them",
            ),
            check(
                "stubs",
                "entities that have only a name and a kind",
                self.stubs,
                "add facts about them, or use `entity merge` or `entity remove`",
            ),
            check(
                "orphans",
                "entities without a relation to another entity",
                self.orphans,
                "add relations, or leave them",
            ),
            check("nameless", "entities without a name", self.nameless, "`entity set ENTITY name NAME`"),
            check(
                "no_evidence",
                "facts from a text or file that have no evidence",
                self.without_evidence,
                "check them with `fact show`, then use `fact correct` or `fact retract`",
            ),
            check(
                "dangling",
                "facts that refer to a missing entity, passage or session, or relate an entity to itself",
                self.dangling,
                "find the missing target with `fact show`, then replace it with `fact correct`",
            ),
            check(
                "unknown",
                "canon facts that nobody knows",
                self.known_to_nobody,
                "let characters learn them with `event tell`, `event witness` or `event read`",
            ),
            check(
                "mute_speakers",
                "facts whose speaker is an entity that cannot speak",
                self.mute_speakers,
                "use `fact correct`, or merge the speaker into the right character with `entity merge`",
            ),
            check(
                "empty_passages",
                "passages without text",
                self.empty_passages,
                "remove them from the campaign's files",
            ),
        ]
    }
}

/// Returns a fact as a line of a result: its short id and its statement.
fn line(fact: &Fact) -> String {
    format!("{} {}", fact.id().short(), fact.statement())
}
