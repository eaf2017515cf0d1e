use std::sync::Arc;

use hearsay_model::{
    Author, Change, Confidence, EngineSetting, Evidence, Fact, FactId, FactStatus, Factuality, GameTime, Knower,
    Method, Operation, Passage, PassageReader, Provenance, Secrecy, Session, SessionId, Setting, Span, State,
};
use proptest::prelude::*;

use super::*;
use crate::contradictions::tests::{id, operation, stage, steps};

proptest! {
    #[test]
    fn the_count_follows_every_operation(steps in steps()) {
        let mut state = stage();
        let mut reviews = ReviewCounter::from_state(&state);
        for (clock, step) in (0..).zip(&steps) {
            let Some(operation) = operation(&state, step, clock) else { continue };
            if let Ok(applied) = state.apply(operation) {
                reviews.update(&state, &applied.touched);
                prop_assert_eq!(&reviews, &ReviewCounter::from_state(&state));
            }
        }
        prop_assert_eq!(reviews.count(limit(0)), ReviewCount { queued: review_items(&state).len(), held_back: 0 });
    }
}

/// Returns settings with a limit for sessions and a lower one for imports.
fn limit(max_per_source: usize) -> ReviewSettings {
    ReviewSettings { max_per_source, max_per_import: max_per_source.div_ceil(2) }
}

/// A campaign with two sessions, and a counter that follows each operation.
struct Campaign {
    state: State,
    reviews: ReviewCounter,
}

impl Campaign {
    fn new() -> Self {
        let state = stage();
        let reviews = ReviewCounter::from_state(&state);
        let mut campaign = Self { state, reviews };
        let session = |name: &str| Session { title: name.into(), ..Session::new(SessionId::new(name).unwrap()) };
        campaign.apply(Author::Dm, ["s1", "s2"].map(|name| Change::SetSession(session(name))).into());
        campaign
    }

    /// Applies an operation, and compares the counter with the queue.
    fn apply(&mut self, author: Author, changes: Vec<Change>) {
        let applied = self.state.apply(Operation::new(author, "step", changes)).unwrap();
        self.reviews.update(&self.state, &applied.touched);
        assert_eq!(self.reviews, ReviewCounter::from_state(&self.state));
        for max_per_source in [0, 1, 2, 9] {
            let settings = limit(max_per_source);
            let queue = review_queue(&self.state, settings);
            let expected = ReviewCount { queued: queue.queued.len(), held_back: queue.held_back.len() };
            assert_eq!(self.reviews.count(settings), expected, "{max_per_source}");
        }
    }

    /// Adds a passage, and proposed facts that were extracted from it: predicate, value and confidence.
    fn extract(&mut self, passage: &Passage, author: Author, facts: &[(&str, &str, f64)]) -> Vec<FactId> {
        self.apply(author, vec![Change::AddPassage(Arc::new(passage.clone()))]);
        let quote = Evidence::Passage { passage: passage.id(), span: Span { start: 0, end: 4 }, quote: "Text".into() };
        let facts: Vec<Arc<Fact>> = facts
            .iter()
            .map(|(predicate, value, sure)| proposed(predicate, value, *sure, vec![quote.clone()]))
            .collect();
        self.apply(Author::Extractor, facts.iter().cloned().map(Change::AssertFact).collect());
        facts.iter().map(|fact| fact.id()).collect()
    }

    /// Returns the confidence of each queued fact, the lowest first.
    fn queued(&self, max_per_source: usize) -> Vec<f64> {
        confidences(&self.state, &review_queue(&self.state, limit(max_per_source)).queued)
    }
}

/// Returns a proposed fact about the entity `e0`, or the proposed name of the entity `e1`.
fn proposed(predicate: &str, value: &str, confidence: f64, evidence: Vec<Evidence>) -> Arc<Fact> {
    let confidence = Confidence::new(confidence).unwrap();
    let provenance = Provenance { confidence, evidence, ..Provenance::new(Method::Inferred, Author::Extractor) };
    let subject = if predicate == "lore" { id(0) } else { id(1) };
    let fact = Fact::attribute(&subject, predicate, value, provenance).unwrap();
    Arc::new(fact.status(FactStatus::Proposed).build().unwrap())
}

fn confidences(state: &State, items: &[ReviewItem]) -> Vec<f64> {
    let fact = |item: &ReviewItem| match item {
        ReviewItem::Doubtful { fact, .. } => state.fact(*fact).cloned(),
        _ => None,
    };
    let mut confidences: Vec<f64> =
        items.iter().filter_map(fact).map(|fact| fact.provenance().confidence.get()).collect();
    confidences.sort_by(f64::total_cmp);
    confidences
}

fn text(number: u32, session: Option<&str>) -> Passage {
    let session = session.map(|name| SessionId::new(name).unwrap());
    Passage { session, line: number, ..Passage::new(format!("Text {number}")) }
}

#[test]
fn each_session_and_each_import_has_its_own_queue() {
    let mut campaign = Campaign::new();
    let (s1, s2, notes) = (text(1, Some("s1")), text(2, Some("s2")), text(3, None));
    let import = |name: &str| Author::Importer(name.into());
    let first =
        campaign.extract(&s1, Author::Dm, &[("lore", "rain", 0.4), ("lore", "snow", 0.6), ("lore", "wind", 0.5)]);
    assert_eq!((campaign.queued(2), campaign.queued(9)), (vec![0.5, 0.6], vec![0.4, 0.5, 0.6]), "the best are queued");
    // A transcript of the first session counts towards the same queue. Another session has its own queue.
    campaign.extract(&text(4, Some("s1")), import("s1.txt"), &[("lore", "fog", 0.9)]);
    assert_eq!(campaign.queued(2), [0.6, 0.9]);
    campaign.extract(&s2, import("s2.txt"), &[("lore", "ice", 0.31), ("lore", "sun", 0.32), ("lore", "moon", 0.33)]);
    campaign.extract(&notes, import("notes"), &[("lore", "dust", 0.34), ("lore", "ash", 0.35), ("lore", "oak", 0.36)]);
    assert_eq!(campaign.queued(2), [0.32, 0.33, 0.35, 0.36, 0.6, 0.9]);
    // After a decision, the next fact of the source takes the place.
    campaign.apply(Author::Dm, vec![Change::SetStatus { fact: first[1], status: FactStatus::Rejected }]);
    assert_eq!(campaign.queued(2), [0.32, 0.33, 0.35, 0.36, 0.5, 0.9]);
    // Proposals that do not come from a text are never held back.
    campaign.apply(Author::Extractor, vec![Change::AssertFact(proposed("lore", "elm", 0.3, Vec::new()))]);
    assert_eq!(campaign.queued(0), [0.3]);
    // The counter follows a change of the passage.
    let reader = PassageReader { knower: Knower::Entity(id(2)), since: Some(GameTime(1)) };
    let read_passage = Passage { readers: vec![reader], ..notes };
    campaign.apply(Author::Game, vec![Change::AddPassage(read_passage.into())]);
}

#[test]
fn an_imported_campaign_has_one_queue_for_all_its_texts() {
    let mut campaign = Campaign::new();
    let import = || Author::Importer("gull".into());
    let digest = EngineSetting::Imported { source: "gull".into(), digest: "1".into() };
    campaign.extract(&text(1, Some("s1")), import(), &[("lore", "rain", 0.4), ("lore", "snow", 0.6)]);
    assert_eq!(campaign.queued(2), [0.4, 0.6], "not yet known as an import");
    campaign.apply(import(), vec![Change::Set(Setting::Engine(digest))]);
    assert_eq!(campaign.queued(2), [0.6], "the limit of imports is lower");
    campaign.extract(&text(2, Some("s2")), import(), &[("lore", "ice", 0.5)]);
    campaign.extract(&text(3, None), import(), &[("lore", "dust", 0.7)]);
    // Lines of sessions come before other texts.
    let queued = |campaign: &Campaign| [2, 4, 9].map(|limit| campaign.queued(limit));
    assert_eq!(queued(&campaign), [vec![0.6], vec![0.5, 0.6], vec![0.4, 0.5, 0.6, 0.7]]);
    // The two facts of the first line come from the same words.
    assert_eq!(campaign.queued(6), [0.5, 0.6, 0.7]);
    // The campaign states a fact of the first line itself, so nothing else from this line is useful.
    let line = text(1, Some("s1"));
    let quote = Evidence::Passage { passage: line.id(), span: Span { start: 0, end: 4 }, quote: "Text".into() };
    let provenance = Provenance { evidence: vec![quote], ..Provenance::new(Method::Authored, import()) };
    let stated = Fact::attribute(&id(0), "lore", "wet", provenance).unwrap().build().unwrap();
    campaign.apply(import(), vec![Change::AssertFact(stated.into())]);
    assert_eq!((campaign.queued(2), campaign.queued(4)), (vec![0.5], vec![0.5, 0.7]));
    // Each session that is logged later has a queue of its own. An imported transcript also has a queue of its own.
    campaign.extract(&text(4, Some("s2")), Author::Dm, &[("lore", "fog", 0.31)]);
    campaign.extract(&text(5, Some("s1")), Author::Importer("s1.txt".into()), &[("lore", "oak", 0.32)]);
    assert_eq!(campaign.queued(2), [0.31, 0.32, 0.5]);
}

#[test]
fn the_name_of_a_new_entity_is_queued_with_a_fact_about_it() {
    let mut campaign = Campaign::new();
    campaign.extract(&text(1, Some("s1")), Author::Dm, &[("lore", "rain", 0.5), ("name", "Zarael", 0.69)]);
    assert_eq!(campaign.queued(1), [0.5], "a name without a fact comes last");
    campaign.extract(&text(2, Some("s1")), Author::Dm, &[("occupation", "smith", 0.6)]);
    assert_eq!((campaign.queued(1), campaign.queued(2)), (vec![0.6], vec![0.6, 0.69]));
}

#[test]
fn the_death_of_a_character_comes_first() {
    let mut campaign = Campaign::new();
    let kind = |n: u8, kind: &str| {
        let fact = Fact::attribute(&id(n), "kind", kind, Provenance::new(Method::Authored, Author::Dm)).unwrap();
        Change::AssertFact(fact.build().unwrap().into())
    };
    campaign.apply(Author::Dm, vec![kind(1, "npc"), kind(2, "item")]);
    let secret = proposed("lore", "smuggles salt", 0.6, Vec::new());
    let secret = secret.to_builder().secrecy(Secrecy::Secret).build().unwrap();
    let dead = |subject: u8, factuality: Factuality, statement: &str| {
        let fact = proposed("condition", "dead", 0.5, Vec::new()).to_builder().subject(id(subject));
        Change::AssertFact(fact.factuality(factuality).statement(statement).build().unwrap().into())
    };
    campaign.apply(Author::Extractor, vec![Change::AssertFact(secret.into())]);
    let first = |campaign: &Campaign| match &review_items(&campaign.state)[0] {
        ReviewItem::Doubtful { fact, .. } => campaign.state.fact(*fact).unwrap().predicate().to_string(),
        other => panic!("{other:?}"),
    };
    // A thing does not die, and a denied death is no death.
    let others = vec![dead(2, Factuality::Asserted, "The lamp is dead."), dead(1, Factuality::Negated, "Pell lives.")];
    campaign.apply(Author::Extractor, others);
    assert_eq!(first(&campaign), "lore");
    campaign.apply(Author::Extractor, vec![dead(1, Factuality::Asserted, "Pell is dead.")]);
    assert_eq!(first(&campaign), "condition");
}
