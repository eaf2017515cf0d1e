//! Tests of transient values among operations: indices stay correct, and the stored data gives the same state again.

use super::{
    super::*,
    forget::{keys_of, query_results},
    *,
};

/// Sets or clears a value of one of two subjects and predicates.
pub(super) fn change(n: u8) -> TransientChange {
    let (subject, object) = (id(n % 2), id(n / 2));
    let provenance = Provenance::new(Method::Witnessed, Author::Game);
    let builder = if n.is_multiple_of(3) {
        Fact::attribute(&subject, "emotional_state", format!("mood {}", n % 5), provenance)
    } else {
        Fact::relation(&subject, "LOCATED_AT", &object, provenance)
    };
    let from = (n % 4 == 1).then(|| Date::at(GameTime(n.into())));
    let fact = builder.unwrap().validity(Validity { from, until: None }).build().unwrap();
    let (subject, predicate) = (fact.subject().clone(), fact.predicate().clone());
    let knowers = if n.is_multiple_of(5) { vec![Knower::World] } else { vec![id(n).into(), id(n + 1).into()] };
    let value = (!n.is_multiple_of(7)).then(|| TransientValue { fact: Arc::new(fact), knowers });
    TransientChange { subject, predicate, value }
}

/// Returns the changes whose value is not an ordinary fact in the journal.
pub(super) fn settable(state: &State, changes: Vec<u8>) -> Vec<TransientChange> {
    let is_settable = |change: &TransientChange| {
        let fact = change.value.as_ref().map(|value| value.fact.id());
        fact.is_none_or(|fact| state.asserted(fact).is_none() || state.is_transient(fact))
    };
    changes.into_iter().map(change).filter(is_settable).collect()
}

#[derive(Debug, Clone)]
pub(super) enum Step {
    Operation(Operation),
    /// The DM states a value that may be transient, or sets the status of the value.
    Judge(u8),
    Set(Vec<u8>),
    Save,
    Load,
    Undo(u8),
}

impl Step {
    /// Returns the operation of the step, including the changes that record transient values. Returns `None` if the
    /// step sets transient values, or loads a slot that does not exist.
    pub(super) fn into_operation(self, state: &State) -> Option<Operation> {
        let mut operation = match self {
            Self::Set(_) => return None,
            Self::Operation(operation) => operation,
            Self::Judge(n) => Operation::new(Author::Dm, "judge", judge(state, n)),
            Self::Save => Operation::new(Author::Game, "save", vec![Change::SaveSlot("slot".into())]),
            Self::Load => {
                let slot = state.slot("slot").ok()?;
                Operation::new(Author::Game, "load", vec![Change::Restore(slot.position)])
            }
            Self::Undo(n) => Operation::new(Author::Dm, "undo", vec![Change::Revert(Position(u64::from(n % 30)))]),
        };
        operation.changes.splice(..0, state.recorded_transients(&operation));
        Some(operation)
    }
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let operations = history().prop_map(|all| all.into_iter().map(Step::Operation).collect::<Vec<_>>());
    let others = prop_oneof![
        5 => prop::collection::vec(any::<u8>(), 1..4).prop_map(Step::Set),
        3 => any::<u8>().prop_map(Step::Judge),
        1 => Just(Step::Save),
        1 => Just(Step::Load),
        1 => any::<u8>().prop_map(Step::Undo),
    ];
    (operations, prop::collection::vec((any::<prop::sample::Index>(), others), 1..40)).prop_map(
        |(mut steps, others)| {
            for (at, step) in others {
                steps.insert(at.index(steps.len() + 1), step);
            }
            steps
        },
    )
}

fn judge(state: &State, n: u8) -> Vec<Change> {
    let Some(fact) = change(n | 1).value.map(|value| value.fact) else { return Vec::new() };
    let transient = state.transients().nth(usize::from(n) % 3).map_or(fact.id(), |value| value.fact.id());
    match n % 6 {
        0 => vec![Change::AssertFact(fact)],
        1 => vec![Change::EndFact { fact: transient, until: Date::at(GameTime(i64::from(n) + 300)) }],
        2 => vec![Change::SetStatus { fact: transient, status: FactStatus::False }],
        3 => vec![Change::RetractFact(transient)],
        4 => vec![Change::Learn(Arc::new(KnowledgeEdge::authored(id(n).into(), transient)))],
        _ => vec![Change::Confirm(transient)],
    }
}

proptest! {
    #[test]
    fn transient_values_are_folded_again_as_they_were_set(steps in steps()) {
        let (mut state, mut log) = (State::default(), TransientLog::default());
        for step in steps {
            if let Step::Set(changes) = step {
                let values = settable(&state, changes);
                let clock = Some(GameTime(values.len() as i64));
                values.iter().cloned().for_each(|change| log.push_value(state.position(), change));
                log.push_clock(state.position(), GameTime(values.len() as i64));
                let touched = state.set_transients(&TransientUpdate { values, clock });
                prop_assert!(touched.is_sorted() || touched.last() == Some(&Key::Setting(SettingKey::Clock)));
                state.assert_consistent();
                continue;
            }
            let Some(operation) = step.into_operation(&state) else { continue };
            if state.check(&operation).is_ok() {
                state.apply(operation).unwrap();
                state.assert_consistent();
            }
        }
        let updates = log.into_updates();
        let mut refolded = State::default();
        let set = |refolded: &mut State| {
            if let Some(update) = updates.get(&refolded.position()) {
                refolded.set_transients(update);
            }
        };
        set(&mut refolded);
        for (_, entry) in state.journal() {
            refolded.apply(Arc::clone(&entry.operation)).unwrap();
            set(&mut refolded);
        }
        prop_assert!(refolded == state);
        let keys = keys_of(state.journal().map(|(_, entry)| &*entry.operation));
        prop_assert_eq!(query_results(&refolded, &keys), query_results(&state, &keys));
        prop_assert_eq!(refolded.transients().collect::<Vec<_>>(), state.transients().collect::<Vec<_>>());
    }
}
