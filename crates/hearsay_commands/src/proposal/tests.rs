use hearsay_model::{Entity, Value};
use hearsay_query::review::review_items;
use proptest::prelude::*;

use super::*;
use crate::review::Decision;

fn id(n: u8) -> EntityId {
    EntityId::new(format!("e{}", n % 4)).unwrap()
}

fn proposal(n: u8, sure: u8) -> Proposal {
    let names = ["LOCATED_AT", "EMPLOYED_BY", "ALLIED_WITH", "HOSTILE_TO", "OWES", "occupation", "lore"];
    let predicate = Predicate::new(names[usize::from(n) % names.len()]).unwrap();
    let object = match predicate.is_relation() {
        true => Object::Entity(id(n / 28)),
        false => Object::Value(Value::Text(format!("Trade number {}", n / 28 % 3))),
    };
    let line = u32::from(n % 5) + 1;
    Proposal {
        confidence: Confidence::new(f64::from(sure) / 255.0).unwrap(),
        speaker: n.is_multiple_of(3).then(|| id(n / 3)),
        evidence: vec![Evidence::File { path: "log.md".into(), line, field: String::new() }],
        ..Proposal::new(id(n / 7), predicate, object)
    }
}

fn world(said: &[(u8, u8)], learned: &mut TrustCalibration) -> State {
    let add = (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    let mut state = State::fold([Operation::new(Author::Dm, "begin", add)]).unwrap();
    for &(n, sure) in said {
        // The DM states the fact, or another author states it and the DM decides on it.
        let by = if sure.is_multiple_of(3) { Author::Dm } else { Author::Extractor };
        say(&mut state, learned, &by, &[proposal(n, sure)]);
        let decision = [Decision::Accept, Decision::Reject, Decision::False][usize::from(n) % 3].clone();
        let waiting =
            state.facts().find(|fact| fact.status() == FactStatus::Proposed).map(|fact| fact.id().to_string());
        if let Some(fact) = waiting.filter(|_| sure.is_multiple_of(2)) {
            let operation = decision.operation(&state, &fact, Timestamp(0)).unwrap();
            state.apply(operation).unwrap();
        }
        *learned = TrustCalibration::of(&state);
    }
    state
}

fn say(state: &mut State, learned: &TrustCalibration, author: &Author, proposals: &[Proposal]) -> Proposed {
    let policy = Policy::default();
    let guide = Guide { policy: &policy, learned };
    let (operation, counts) = propose(state, &guide, proposals, author, Timestamp(0)).unwrap();
    if let Some(operation) = operation {
        state.apply(operation).unwrap();
    }
    counts
}

/// Returns the canon facts that the DM stated or confirmed.
fn word_of_the_dm(state: &State) -> Vec<Arc<Fact>> {
    let said = |fact: &&Arc<Fact>| fact.provenance().confirmed && fact.status() == FactStatus::Canon;
    state.facts().filter(said).cloned().collect()
}

proptest! {
    #[test]
    fn no_other_author_ends_a_fact_of_the_dm(
        said in prop::collection::vec((any::<u8>(), any::<u8>()), 1..20),
        later in prop::collection::vec((any::<u8>(), any::<u8>()), 1..20),
        by in 0..3_usize,
    ) {
        let mut learned = TrustCalibration::default();
        let mut state = world(&said, &mut learned);
        let before = word_of_the_dm(&state);
        let decided: Vec<Arc<Fact>> = state.facts().filter(|fact| !matches!(fact.status(), FactStatus::Proposed)).cloned().collect();
        let author = [Author::Extractor, Author::Player("Ann".into()), Author::Importer("notes".into())][by].clone();
        let proposals: Vec<Proposal> = later.iter().map(|(n, sure)| proposal(*n, *sure)).collect();
        let known = |state: &State| state.facts().map(|fact| fact.id()).collect::<BTreeSet<_>>();
        let there = known(&state);
        say(&mut state, &learned, &author, &proposals);
        // Decided facts are unchanged except for their evidence.
        for old in &decided {
            let now = state.fact(old.id()).unwrap();
            prop_assert_eq!((now.status(), now.validity()), (old.status(), old.validity()));
        }
        // No new canon contradicts a decided fact.
        let vocabulary = state.vocabulary();
        for new in state.facts().filter(|fact| fact.status() == FactStatus::Canon && !there.contains(&fact.id())) {
            for old in before.iter().filter(|old| old.subject() == new.subject() && overlap(old, new)) {
                let same = old.predicate() == new.predicate();
                prop_assert!(!same || !state.is_functional(old.predicate()) || old.object() == new.object(), "{old:?} {new:?}");
                let opposite = vocabulary.are_opposites(old.predicate(), new.predicate());
                prop_assert!(!opposite || old.object() != new.object(), "{old:?} {new:?}");
            }
        }
    }

    #[test]
    fn repeated_lines_appear_once(
        said in prop::collection::vec((any::<u8>(), any::<u8>()), 0..12),
        later in prop::collection::vec((any::<u8>(), any::<u8>()), 1..12),
    ) {
        let mut learned = TrustCalibration::default();
        let mut state = world(&said, &mut learned);
        let proposals: Vec<Proposal> = later.iter().map(|(n, sure)| proposal(*n, *sure)).collect();
        say(&mut state, &learned, &Author::Extractor, &proposals);
        let facts: Vec<Arc<Fact>> = state.facts().cloned().collect();
        let waiting = review_items(&state).len();
        let counts = say(&mut state, &learned, &Author::Extractor, &proposals);
        prop_assert_eq!((counts.canon, counts.waiting, counts.supported), (0, 0, 0));
        prop_assert_eq!(review_items(&state).len(), waiting);
        let ids = |facts: &[Arc<Fact>]| facts.iter().map(|fact| fact.id()).collect::<Vec<_>>();
        prop_assert_eq!(ids(&state.facts().cloned().collect::<Vec<_>>()), ids(&facts));
    }
}
