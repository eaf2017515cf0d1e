use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::{Entity, KnowledgeEdge, Method, Provenance, Session, Span, Value};
use hearsay_query::{contradictions::may_overlap, review::review_items};
use proptest::prelude::*;

use super::*;
use crate::{
    game_event::{Circumstances, GameEvent, Hearers, Stated},
    review::Decision,
};

fn id(n: u8) -> EntityId {
    EntityId::new(format!("e{}", n % 4)).unwrap()
}

fn proposal(n: u8, confidence: u8) -> Proposal {
    let names = ["LOCATED_AT", "EMPLOYED_BY", "ALLIED_WITH", "HOSTILE_TO", "OWES", "occupation", "lore"];
    let predicate = Predicate::new(names[usize::from(n) % names.len()]).unwrap();
    let object = match predicate.is_relation() {
        true => Object::Entity(id(n / 28)),
        false => Object::Value(Value::Text(format!("Trade number {}", n / 28 % 3))),
    };
    let line = u32::from(n % 5) + 1;
    Proposal {
        confidence: Confidence::new(f64::from(confidence) / 255.0).unwrap(),
        speaker: n.is_multiple_of(3).then(|| id(n / 3)),
        evidence: vec![Evidence::File { path: "log.md".into(), line, field: String::new() }],
        ..Proposal::new(id(n / 7), predicate, object)
    }
}

fn world(statements: &[(u8, u8)], learned: &mut TrustCalibration) -> State {
    let add = (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    let mut state = State::fold([Operation::new(Author::Dm, "begin", add)]).unwrap();
    for &(n, confidence) in statements {
        // The DM states the fact, or another author states it and the DM decides on it.
        let author = if confidence.is_multiple_of(3) { Author::Dm } else { Author::Extractor };
        apply_proposals(&mut state, learned, &author, &[proposal(n, confidence)]);
        let decision = [Decision::Accept, Decision::Reject, Decision::False][usize::from(n) % 3].clone();
        let pending = state.facts().find(|fact| fact.status() == FactStatus::Proposed).map(|fact| fact.id());
        if let Some(fact) = pending.filter(|_| confidence.is_multiple_of(2)) {
            let operation = decision.operation(&state, fact, Timestamp(0)).unwrap();
            state.apply(operation).unwrap();
        }
        *learned = TrustCalibration::from_state(&state);
    }
    state
}

fn apply_proposals(
    state: &mut State,
    learned: &TrustCalibration,
    author: &Author,
    proposals: &[Proposal],
) -> ProposalCounts {
    let policy = Policy::default();
    let rules = ProposalRules { policy: &policy, learned };
    let (operation, counts) = propose(state, &rules, proposals, author, Timestamp(0)).unwrap();
    if let Some(operation) = operation {
        state.apply(operation).unwrap();
    }
    counts
}

/// Returns the canon facts that the DM stated or confirmed.
fn dm_facts(state: &State) -> Vec<Arc<Fact>> {
    let is_confirmed_canon = |fact: &&Arc<Fact>| fact.provenance().confirmed && fact.status() == FactStatus::Canon;
    state.facts().filter(is_confirmed_canon).cloned().collect()
}

proptest! {
    #[test]
    fn no_other_author_ends_a_fact_of_the_dm(
        statements in prop::collection::vec((any::<u8>(), any::<u8>()), 1..20),
        later in prop::collection::vec((any::<u8>(), any::<u8>()), 1..20),
        author_index in 0..3_usize,
    ) {
        let mut learned = TrustCalibration::default();
        let mut state = world(&statements, &mut learned);
        let before = dm_facts(&state);
        let decided: Vec<Arc<Fact>> = state.facts().filter(|fact| !matches!(fact.status(), FactStatus::Proposed)).cloned().collect();
        let author = [Author::Extractor, Author::Player("Ann".into()), Author::Importer("notes".into())][author_index].clone();
        let proposals: Vec<Proposal> = later.iter().map(|(n, confidence)| proposal(*n, *confidence)).collect();
        let fact_ids = |state: &State| state.facts().map(|fact| fact.id()).collect::<BTreeSet<_>>();
        let known_before = fact_ids(&state);
        apply_proposals(&mut state, &learned, &author, &proposals);
        // Decided facts are unchanged except for their evidence.
        for old in &decided {
            let now = state.fact(old.id()).unwrap();
            prop_assert_eq!((now.status(), now.validity()), (old.status(), old.validity()));
        }
        // No new canon contradicts a decided fact.
        let vocabulary = state.vocabulary();
        for new in state.facts().filter(|fact| fact.status() == FactStatus::Canon && !known_before.contains(&fact.id())) {
            for old in before.iter().filter(|old| old.subject() == new.subject() && may_overlap(old, new)) {
                let same = old.predicate() == new.predicate();
                prop_assert!(!same || !state.is_functional(old.predicate()) || old.object() == new.object(), "{old:?} {new:?}");
                let opposite = vocabulary.are_opposites(old.predicate(), new.predicate());
                prop_assert!(!opposite || old.object() != new.object(), "{old:?} {new:?}");
            }
        }
    }

    #[test]
    fn repeated_lines_appear_once(
        statements in prop::collection::vec((any::<u8>(), any::<u8>()), 0..12),
        later in prop::collection::vec((any::<u8>(), any::<u8>()), 1..12),
    ) {
        let mut learned = TrustCalibration::default();
        let mut state = world(&statements, &mut learned);
        let proposals: Vec<Proposal> = later.iter().map(|(n, confidence)| proposal(*n, *confidence)).collect();
        apply_proposals(&mut state, &learned, &Author::Extractor, &proposals);
        let facts: Vec<Arc<Fact>> = state.facts().cloned().collect();
        let pending = review_items(&state).len();
        let counts = apply_proposals(&mut state, &learned, &Author::Extractor, &proposals);
        prop_assert_eq!((counts.canon, counts.waiting, counts.supported), (0, 0, 0));
        prop_assert_eq!(review_items(&state).len(), pending);
        let ids = |facts: &[Arc<Fact>]| facts.iter().map(|fact| fact.id()).collect::<Vec<_>>();
        prop_assert_eq!(ids(&state.facts().cloned().collect::<Vec<_>>()), ids(&facts));
    }
}

#[test]
fn a_line_that_states_a_recorded_fact_gives_no_second_fact_with_the_same_words() {
    let mut state = State::fold([Operation::new(
        Author::Dm,
        "begin",
        vec![Change::AddEntity(Entity::new(id(0))), Change::AddEntity(Entity::new(id(1)))],
    )])
    .unwrap();
    let text = "The chapel bell has been gone for three days.";
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let fact = Fact::attribute(&id(0), "lore", text, provenance).unwrap().statement(text).build().unwrap();
    let known = fact.id();
    state
        .apply(Operation::new(
            Author::Dm,
            "lore",
            vec![
                Change::AssertFact(Arc::new(fact)),
                Change::Learn(Arc::new(KnowledgeEdge::authored(id(0).into(), known))),
            ],
        ))
        .unwrap();
    let say = GameEvent::Say {
        speaker: id(0).into(),
        text: text.to_owned(),
        states: vec![Stated::Recorded(known)],
        hearers: Hearers::Listed(vec![id(1)]),
        lie: false,
        circumstances: Circumstances::default(),
    };
    state.apply(say.operation(&state, Author::Game, Timestamp(1)).unwrap()).unwrap();
    let passage = state.passages().next().unwrap().1.id();
    let found = |words: &str| Proposal {
        speaker: Some(id(0)),
        statement: Some(words.to_owned()),
        evidence: vec![Evidence::Passage {
            passage,
            span: Span { start: 0, end: words.len() },
            quote: words.to_owned(),
        }],
        ..Proposal::new(id(0), Predicate::new("lore").unwrap(), Object::Value(Value::Text(words.to_owned())))
    };
    let propose = |words: &str| {
        apply_proposals(&mut state.clone(), &TrustCalibration::default(), &Author::Extractor, &[found(words)])
    };
    assert_eq!(propose("The chapel bell has been gone.").known, 1);
    assert_eq!(propose("The well is dry.").known, 0);
}

#[test]
fn a_knower_who_conceals_a_fact_also_conceals_a_claim_with_the_same_content() {
    let secret_text = "Lotti opened the sluice gate on the night the Merrow sank.";
    let source = Provenance::new(Method::Authored, Author::Dm);
    let secret = Fact::attribute(&id(0), "lore", secret_text, source).unwrap().statement(secret_text).build().unwrap();
    let holders = [id(0), id(1)].map(Knower::Entity);
    let mut recorded = Vec::new();
    for holder in &holders {
        let edge = KnowledgeEdge { conceals: true, ..KnowledgeEdge::authored(holder.clone(), secret.id()) };
        recorded.push(Change::Learn(Arc::new(edge)));
    }
    recorded.insert(0, Change::AssertFact(Arc::new(secret)));
    let claim = "Lotti opened the sluice gate the night the Merrow sank.";
    let accusation = Proposal {
        statement: Some(claim.to_owned()),
        speaker: Some(id(2)),
        heard_by: (0..4).map(|n| Knower::Entity(id(n))).collect(),
        text: Some(TextSource::default()),
        ..Proposal::new(id(0), Predicate::new("lore").unwrap(), Object::Value(Value::Text(claim.to_owned())))
    };
    let edges_after = |earlier: Vec<Change>| -> BTreeMap<Knower, KnowledgeEdge> {
        let people = (0..4).map(|n| Change::AddEntity(Entity::new(id(n))));
        let mut state = State::fold([Operation::new(Author::Dm, "begin", people.chain(earlier).collect())]).unwrap();
        let proposals = [accusation.clone()];
        apply_proposals(&mut state, &TrustCalibration::default(), &Author::Extractor, &proposals);
        let claimed = state.facts().find(|fact| fact.status() == FactStatus::Claimed).unwrap().id();
        let edges = state.known_by(claimed).filter(|edge| edge.acquisition.gives_knowledge());
        edges.map(|edge| (edge.knower.clone(), KnowledgeEdge::clone(edge))).collect()
    };
    let (without_secret, with_secret) = (edges_after(Vec::new()), edges_after(recorded));
    assert_eq!((without_secret.len(), with_secret.len()), (4, 4));
    for (knower, edge) in with_secret {
        let conceals = holders.contains(&knower);
        assert_eq!(edge, KnowledgeEdge { conceals, ..without_secret[&knower].clone() });
    }
}

#[test]
fn a_claim_with_the_content_of_a_secret_is_secret_if_its_speaker_knows_the_secret() {
    let text = "Lotti opened the sluice gate.";
    let source = Provenance::new(Method::Authored, Author::Dm);
    let secret = Fact::attribute(&id(0), "lore", text, source).unwrap().statement(text).secrecy(Secrecy::Secret);
    let secret = Arc::new(secret.build().unwrap());
    let edge = KnowledgeEdge { conceals: true, ..KnowledgeEdge::authored(Knower::Entity(id(1)), secret.id()) };
    let people = (0..4).map(|n| Change::AddEntity(Entity::new(id(n))));
    let changes = people.chain([Change::AssertFact(secret), Change::Learn(Arc::new(edge))]).collect();
    let begin = Operation::new(Author::Dm, "begin", changes);
    for (speaker, secrecy) in [(id(1), Secrecy::Secret), (id(2), Secrecy::Open)] {
        let mut state = State::fold([begin.clone()]).unwrap();
        let claim = Proposal {
            statement: Some(text.to_owned()),
            speaker: Some(speaker),
            heard_by: vec![Knower::Entity(id(3))],
            text: Some(TextSource::default()),
            ..Proposal::new(id(0), Predicate::new("lore").unwrap(), Object::Value(Value::Text(text.to_owned())))
        };
        apply_proposals(&mut state, &TrustCalibration::default(), &Author::Extractor, &[claim]);
        let claimed = state.facts().find(|fact| fact.status() == FactStatus::Claimed).unwrap();
        assert_eq!(claimed.secrecy(), secrecy);
    }
}

#[test]
fn a_speaker_who_saw_a_fact_has_it_from_nobody() {
    let text = "The chapel burned.";
    // The narration still waits for review.
    let source = Provenance::new(Method::Inferred, Author::Extractor);
    let seen = Fact::attribute(&id(0), "lore", text, source).unwrap().statement(text).status(FactStatus::Proposed);
    let seen = Arc::new(seen.build().unwrap());
    let authored = KnowledgeEdge::authored(Knower::Entity(id(1)), seen.id());
    let edge = KnowledgeEdge { acquisition: Acquisition::Witnessed, ..authored };
    let people = (0..4).map(|n| Change::AddEntity(Entity::new(id(n))));
    let changes = people.chain([Change::AssertFact(seen), Change::Learn(Arc::new(edge))]).collect();
    let begin = Operation::new(Author::Dm, "begin", changes);
    for (speaker, cited) in [(id(1), None), (id(2), Some(id(3)))] {
        let mut state = State::fold([begin.clone()]).unwrap();
        let claim = Proposal {
            statement: Some(text.to_owned()),
            speaker: Some(speaker),
            heard_by: vec![Knower::Entity(id(0))],
            text: Some(TextSource { citing: Some(id(3)), ..TextSource::default() }),
            ..Proposal::new(id(0), Predicate::new("lore").unwrap(), Object::Value(Value::Text(text.to_owned())))
        };
        apply_proposals(&mut state, &TrustCalibration::default(), &Author::Extractor, &[claim]);
        let claimed = state.facts().find(|fact| fact.status() == FactStatus::Claimed).unwrap().id();
        let heard = state.known_by(claimed).find(|edge| edge.knower == Knower::Entity(id(0))).unwrap();
        assert_eq!(heard.acquisition.cited_source(), cited.as_ref());
    }
}

/// Returns a state with some people and other recorded facts.
fn people(recorded: Vec<Change>) -> State {
    let people = (0..4).map(|n| Change::AddEntity(Entity::new(id(n))));
    State::fold([Operation::new(Author::Dm, "begin", people.chain(recorded).collect())]).unwrap()
}

/// Returns the proposal that a person has a condition.
fn condition(value: &str, speaker: Option<EntityId>) -> Proposal {
    let condition = Predicate::new("condition").unwrap();
    Proposal { speaker, ..Proposal::new(id(0), condition, Object::Value(Value::from(value))) }
}

#[test]
fn a_true_part_of_a_lie_stays_true() {
    let source = Provenance::new(Method::Authored, Author::Dm);
    let dead = Fact::attribute(&id(0), "condition", "dead", source).unwrap().build().unwrap();
    let recorded = dead.id();
    let mut state = people(vec![Change::AssertFact(Arc::new(dead))]);
    let lie = |value: &str| Proposal {
        heard_by: vec![Knower::Entity(id(2))],
        text: Some(TextSource { sincerity: Sincerity::Lie, ..TextSource::default() }),
        ..condition(value, Some(id(1)))
    };
    let mut tell =
        |value: &str| apply_proposals(&mut state, &TrustCalibration::default(), &Author::Extractor, &[lie(value)]);
    assert_eq!(tell("dead"), ProposalCounts { known: 1, ..ProposalCounts::default() });
    assert_eq!(tell("blind"), ProposalCounts { claimed: 1, ..ProposalCounts::default() });
    let statuses: Vec<FactStatus> = state.facts().map(|fact| fact.status()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == FactStatus::Canon).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == FactStatus::False).count(), 1, "{statuses:?}");
    assert!(
        state.known_by(recorded).any(|edge| edge.knower == Knower::Entity(id(2))),
        "the hearer learned of the death"
    );
}

#[test]
fn a_rejected_claim_does_not_hide_what_the_dm_tells() {
    for (speaker, rejected_before) in [(Some(id(1)), 0), (None, 1)] {
        let session = SessionId::new("s1").unwrap();
        let mut state = people(vec![Change::SetSession(Session::new(session.clone()))]);
        let in_session = |speaker: Option<EntityId>| Proposal {
            session: Some(session.clone()),
            confidence: Confidence::new(0.8).unwrap(),
            text: Some(TextSource::default()),
            ..condition("dead", speaker)
        };
        let mut propose = |proposal: Proposal| {
            let counts = apply_proposals(&mut state, &TrustCalibration::default(), &Author::Extractor, &[proposal]);
            let waiting = state.facts().find(|fact| fact.status() == FactStatus::Proposed).map(|fact| fact.id());
            if let Some(waiting) = waiting {
                let rejection = Decision::Reject.operation(&state, waiting, Timestamp(0)).unwrap();
                state.apply(rejection).unwrap();
            }
            counts
        };
        assert_eq!(propose(in_session(speaker)).waiting, 1);
        let told = propose(in_session(None));
        assert_eq!((told.rejected_before, told.waiting), (rejected_before, 1 - rejected_before), "{told:?}");
    }
}
