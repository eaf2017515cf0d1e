use std::sync::Arc;

use hearsay_model::{CalibrationSettings, Entity, Object, Operation, ReviewSetting, Setting};
use proptest::prelude::*;

use super::*;

/// A change of trust calibration.
#[derive(Clone, Copy)]
enum Teach {
    On,
    Off,
    Reset,
}

impl Teach {
    fn operation(self, state: &State) -> Operation {
        let decided = state.facts().filter(|fact| Verdict::from_fact(fact).is_some()).map(|fact| fact.id());
        let before = state.calibration_settings().into_owned();
        let learning = match self {
            Self::On => CalibrationSettings { enabled: true, ..before },
            Self::Off => CalibrationSettings { enabled: false, ..before },
            Self::Reset => CalibrationSettings { forgotten: decided.collect(), ..before },
        };
        Operation::new(Author::Dm, "teach", vec![Change::Set(Setting::Review(ReviewSetting::Learning(learning)))])
    }
}

fn id(n: u8) -> EntityId {
    EntityId::new(format!("e{}", n % 4)).unwrap()
}

fn fact(n: u8) -> Fact {
    let author = [Author::Extractor, Author::Importer("notes".into()), Author::Dm][usize::from(n) % 3].clone();
    let mut provenance = Provenance::new(Method::Stated, author);
    provenance.confirmed = n.is_multiple_of(4);
    provenance.speaker = (n % 5 > 1).then(|| id(n / 5));
    let name = ["OWES", "ALLIED_WITH", "MEMBER_OF", "HAS_MEMBER"][usize::from(n / 2) % 4];
    let builder = Fact::relation(&id(n / 7), name, &id(n / 11), provenance).unwrap();
    builder.status(FactStatus::ALL[usize::from(n / 3) % 5]).build().unwrap()
}

proptest! {
    #[test]
    fn the_counts_follow_every_operation(steps in prop::collection::vec((0..9_u8, any::<u8>()), 1..60)) {
        let mut state = State::default();
        let mut learned = TrustCalibration::from_state(&state);
        let begin = (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
        let mut operations = vec![Operation::new(Author::Dm, "begin", begin)];
        operations.extend(steps.into_iter().map(|(step, n)| {
            let teach = [Teach::On, Teach::Off, Teach::Reset][usize::from(n) % 3];
            let change = match step {
                0 => Change::SetStatus { fact: fact(n).id(), status: FactStatus::ALL[usize::from(n) % 5] },
                1 => Change::Confirm(fact(n).id()),
                2 => Change::RemoveEntity(id(n)),
                3 => Change::AddEntity(Entity::new(id(n))),
                4 => Change::Revert(Position(u64::from(n % 40))),
                5 if n < 80 => return Operation::new(Author::Dm, format!("{}", n % 3), vec![]),
                5 => return teach.operation(&State::default()),
                6 => Change::Restore(Position(u64::from(n % 40))),
                _ => Change::AssertFact(Arc::new(fact(n))),
            };
            Operation::new(Author::Dm, "step", vec![change])
        }));
        for mut operation in operations {
            if operation.changes.is_empty() {
                // A reset forgets the decisions made so far, so its operation is built from the current state.
                let teach = [Teach::On, Teach::Off, Teach::Reset][operation.summary.parse::<usize>().unwrap()];
                operation = teach.operation(&state);
            }
            if let Ok(applied) = state.apply(operation) {
                learned.update(&state, &applied.touched);
                prop_assert_eq!(&learned, &TrustCalibration::from_state(&state));
            }
        }
        // A reset removes all counts. Undoing the reset restores them.
        let before = TrustCalibration::from_state(&state);
        let reset = state.apply(Teach::Reset.operation(&state)).unwrap().position;
        prop_assert_eq!(TrustCalibration::from_state(&state).counts().count(), 0);
        state.apply(Operation::new(Author::Dm, "undo", vec![Change::Revert(reset)])).unwrap();
        prop_assert_eq!(TrustCalibration::from_state(&state), before);
    }

    #[test]
    fn the_shift_is_bounded_and_a_lift_crosses_nothing(yes in 0..10_000_usize, no in 0..10_000_usize, p in 0.0..=1.0_f64) {
        let shift = DecisionCounts { confirmed: yes, rejected: no }.shift();
        prop_assert_eq!(shift > 0.0, yes > no);
        let given = Confidence::new(p).unwrap();
        let moved = shift_confidence(given, (3.0 * CATEGORY_WEIGHT * shift).clamp(-MAX_SHIFT, MAX_SHIFT)).get();
        prop_assert!((moved - p).abs() < 0.25, "{p} {moved}");
        prop_assert!(yes == no || p <= 0.0 || p >= 1.0 || (moved > p) == (yes > no));
    }
}

#[test]
fn decisions_change_later_proposals() {
    let mut state = State::default();
    let mut apply = |changes: Vec<Change>| {
        state.apply(Operation::new(Author::Dm, "do", changes)).unwrap();
        TrustCalibration::from_state(&state)
    };
    apply((0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect());
    let provenance = |speaker: u8| Provenance {
        speaker: Some(id(speaker)),
        confidence: Confidence::new(0.6).unwrap(),
        ..Provenance::new(Method::Stated, Author::Extractor)
    };
    let owes = Predicate::new("OWES").unwrap();
    let say = |speaker: u8, subject: u8, object: u8| {
        let builder = Fact::relation(&id(subject), owes.clone(), &id(object), provenance(speaker)).unwrap();
        Arc::new(builder.status(FactStatus::Proposed).build().unwrap())
    };
    let adjusted =
        |learned: &TrustCalibration, speaker: u8| learned.adjusted_confidence(&provenance(speaker), &owes).get();
    let mut learned = TrustCalibration::default();
    for (subject, object) in [(0, 1), (0, 2), (0, 3), (1, 2)] {
        let fact = say(0, subject, object);
        let judge = Change::SetStatus { fact: fact.id(), status: FactStatus::Rejected };
        learned = apply(vec![Change::AssertFact(fact), judge]);
    }
    assert!(adjusted(&learned, 0) < adjusted(&learned, 3), "the speaker is trusted less than another");
    assert!(adjusted(&learned, 3) < 0.6, "and the predicate and the extractor less than before");
    let with_model = Provenance { model: Some("llama3.2".into()), ..provenance(3) };
    let adjusted_with_model = learned.adjusted_confidence(&with_model, &owes).get();
    assert!(adjusted_with_model > adjusted(&learned, 3), "errors of the rules do not count against a language model");
    // A decision on the same claim by another speaker does not count again for the predicate.
    let again = say(3, 0, 1);
    let judge = Change::SetStatus { fact: again.id(), status: FactStatus::Rejected };
    let predicate = TrustCategory::Predicate(owes.clone());
    assert_eq!(learned.count(&predicate).rejected, 4);
    learned = apply(vec![Change::AssertFact(again), judge]);
    assert_eq!((learned.count(&predicate).rejected, learned.count(&TrustCategory::Speaker(id(3))).rejected), (4, 1));
    // A false fact was extracted correctly.
    let untrue = say(2, 3, 1);
    let judge = Change::SetStatus { fact: untrue.id(), status: FactStatus::False };
    learned = apply(vec![
        Change::Confirm(say(0, 0, 1).id()),
        Change::AssertFact(untrue.clone()),
        judge,
        Change::Confirm(untrue.id()),
    ]);
    assert_eq!(learned.count(&predicate), DecisionCounts { confirmed: 1, rejected: 4 });
    assert_eq!(learned.count(&TrustCategory::Speaker(id(2))), DecisionCounts { confirmed: 0, rejected: 1 });
}

#[test]
fn similarity_to_a_confirmed_fact_raises_the_confidence() {
    let mut state = State::default();
    let fact = |object: u8, status, confirmed| {
        let provenance = Provenance { confirmed, ..Provenance::new(Method::Stated, Author::Extractor) };
        let builder = Fact::relation(&id(0), "OWES", &id(object), provenance).unwrap();
        Arc::new(builder.status(status).build().unwrap())
    };
    let pending = fact(1, FactStatus::Proposed, false);
    let mut changes: Vec<Change> = (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    changes.push(Change::AssertFact(Arc::clone(&pending)));
    state.apply(Operation::new(Author::Dm, "say", changes)).unwrap();
    assert_eq!(confidence_boost(&state, &pending), None);
    let confirmed = fact(2, FactStatus::Canon, true);
    state.apply(Operation::new(Author::Dm, "say", vec![Change::AssertFact(Arc::clone(&confirmed))])).unwrap();
    let boost = confidence_boost(&state, &pending).unwrap();
    assert_eq!(boost.like, confirmed.id());
    assert!(boost.by > 0.0 && boost.by <= 0.03);
    assert!(matches!(pending.object(), Object::Entity(_)));
    state.apply(Teach::Off.operation(&state)).unwrap();
    assert_eq!(confidence_boost(&state, &pending), None);
}
