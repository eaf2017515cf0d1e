//! Tests of compaction: everything that can be read or undone stays the same, and the remaining operations give the
//! same state.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::*,
    forget::{keys_of, query_results},
    transients::{self, Step, settable, steps},
    *,
};
use crate::{GameSetting, History, SessionSetting};

/// Compacts the journal. At least the newest `operations` operations can still be undone.
fn compact(state: &mut State, operations: u64) -> CompactionResult {
    let retention = UndoRetention { operations, sessions: 1 };
    // In some cases, compact less than possible.
    let limit = Position(state.position().0.saturating_sub(operations * 3 / 2));
    state.advance_compaction(state.undo_horizon(&retention, limit));
    let mut plan = state.plan_compaction();
    state.compact(&mut plan, usize::MAX)
}

/// Returns whether a record is a former value that may be removed, or refers to such a value.
fn is_former(state: &State, key: &Key) -> bool {
    let is_former_fact = |id: FactId| {
        let fact = state.fact(id);
        fact.is_some_and(|fact| {
            fact.validity().is_closed() && state.vocabulary().history(fact.predicate()) != History::Full
        })
    };
    match key {
        Key::Fact(id) => is_former_fact(*id),
        Key::KnowledgeEdge(id) => state.knowledge(*id).is_some_and(|edge| is_former_fact(edge.fact)),
        _ => false,
    }
}

/// Checks that all reads are equal, except for former values that were removed.
fn assert_same(before: &State, after: &State, keys: &BTreeSet<Key>) {
    for key in keys {
        if before.has_equal_record(after, key) && before.shows(key) == after.shows(key) {
            continue;
        }
        assert!(is_former(before, key) && !after.shows(key), "{key:?} was lost or changed");
    }
    assert_eq!(before.slots(), after.slots());
    assert_eq!(before.settings().collect::<Vec<_>>(), after.settings().collect::<Vec<_>>());
    assert_eq!(before.vocabulary(), after.vocabulary());
    assert!(before.passages().eq(after.passages()));
    assert!(before.sessions().eq(after.sessions()));
}

/// Removes the stored transient values that a state does not have.
fn clear_stale(state: &State, log: &mut TransientLog) {
    for n in 0..=u8::MAX {
        let TransientChange { subject, predicate, .. } = transients::change(n);
        if state.transient(&subject, &predicate).is_none() {
            log.push_value(state.position(), TransientChange { subject, predicate, value: None });
        }
    }
    if !state.has_transient_clock() {
        log.clear_clock();
    }
}

/// Returns the state as it is read from the disk.
fn reload(state: &State, log: TransientLog) -> State {
    let mut updates = log.into_updates();
    let mut reloaded = State::default();
    let mut set = |reloaded: &mut State, before: Position| {
        while let Some(entry) = updates.first_entry().filter(|entry| *entry.key() < before) {
            reloaded.set_transients(&entry.remove());
        }
    };
    for (position, entry) in state.journal() {
        set(&mut reloaded, position);
        if position > state.compacted_to() {
            reloaded.advance_compaction(state.compacted_to());
            reloaded.apply(Arc::clone(&entry.operation)).unwrap();
        } else {
            reloaded.apply_compacted(position, Arc::clone(&entry.operation));
        }
    }
    set(&mut reloaded, Position(u64::MAX));
    reloaded.advance_compaction(state.compacted_to());
    reloaded
}

proptest! {
    #[test]
    fn a_compacted_state_reads_undoes_and_folds_as_before(
        steps in steps(),
        compact_at in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        retained in 1_u64..12,
    ) {
        let (mut state, mut log) = (State::default(), TransientLog::default());
        let compact_at: BTreeSet<usize> = compact_at.iter().map(|at| at.index(steps.len())).collect();
        let mut all_keys = BTreeSet::new();
        for (number, step) in steps.into_iter().enumerate() {
            if let Step::Set(changes) = step {
                let values = settable(&state, changes);
                values.iter().cloned().for_each(|change| log.push_value(state.position(), change));
                let clock = (number % 3 == 0).then_some(GameTime(number as i64));
                clock.into_iter().for_each(|clock| log.push_clock(state.position(), clock));
                state.set_transients(&TransientUpdate { values, clock });
                continue;
            }
            let Some(operation) = step.into_operation(&state) else { continue };
            all_keys.extend(keys_of([&operation]));
            if state.check(&operation).is_ok() {
                state.apply(operation).unwrap();
            }
            if compact_at.contains(&number) {
                let before = state.clone();
                let rewritten = compact(&mut state, retained);
                clear_stale(&before, &mut log);
                state.assert_consistent();
                assert_indices(&state);
                assert_same(&before, &state, &all_keys);
                for key in all_keys.iter().filter(|key| before.shows(key) != state.shows(key)) {
                    prop_assert!(rewritten.touched.contains(key), "{:?} is gone, and is not told", key);
                }
                let tail = before.journal().map(|(position, _)| position).filter(|at| *at > state.compacted_to());
                for position in tail {
                    let undo = Operation::new(Author::Dm, "undo", vec![Change::Revert(position)]);
                    let (mut before, mut after) = (before.clone(), state.clone());
                    prop_assert_eq!(before.apply(undo.clone()).is_ok(), after.apply(undo).is_ok());
                    assert_same(&before, &after, &all_keys);
                    after.assert_consistent();
                }
                prop_assert_eq!(state.at(state.compacted_to()).unwrap().compacted_to(), state.compacted_to());
            }
        }
        let reloaded = reload(&state, log);
        prop_assert!(reloaded == state);
        let keys = keys_of(state.journal().map(|(_, entry)| &*entry.operation));
        prop_assert_eq!(query_results(&reloaded, &keys), query_results(&state, &keys));
    }
}

fn apply(state: &mut State, author: Author, changes: Vec<Change>) -> Position {
    let mut operation = Operation::new(author, "do", changes);
    operation.changes.splice(..0, state.recorded_transients(&operation));
    state.apply(operation).unwrap().position
}

fn location_update(to: u8) -> TransientUpdate {
    let provenance = Provenance::new(Method::Witnessed, Author::Game);
    let place = Fact::relation(&id(0), "LOCATED_AT", &id(1 + to % 3), provenance).unwrap();
    let from = Some(Date::at(GameTime(to.into())));
    let fact = place.validity(Validity { from, until: None }).build().unwrap();
    let (subject, predicate) = (fact.subject().clone(), fact.predicate().clone());
    let value = Some(TransientValue { fact: fact.into(), knowers: vec![id(0).into(), id(3).into()] });
    TransientUpdate { values: vec![TransientChange { subject, predicate, value }], clock: None }
}

fn initial_state() -> State {
    let mut state = State::default();
    apply(&mut state, Author::Game, (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect());
    state
}

#[test]
fn saving_again_and_again_leaves_nothing_behind() {
    let mut state = initial_state();
    let mut sizes = Vec::new();
    for n in 0..240_u8 {
        state.set_transients(&location_update(n));
        apply(&mut state, Author::Game, vec![Change::SaveSlot("auto".into())]);
        let current = state.newest(&id(0), "LOCATED_AT").unwrap().id();
        let end = Change::EndFact { fact: current, until: Date::at(GameTime(i64::from(n) + 1)) };
        apply(&mut state, Author::Game, vec![end]);
        if n % 20 == 19 {
            state.set_transients(&location_update(n + 1));
            // The data of a removed fact can be removed in the next compaction.
            compact(&mut state, 10);
            compact(&mut state, 10);
            let changes = state.journal().map(|(_, entry)| entry.operation.changes.len());
            sizes.push((state.facts.index_count(), state.knowledge.index_count(), changes.sum::<usize>()));
        }
    }
    assert!(sizes[2..].iter().all(|size| size.0 <= sizes[1].0 + 1 && size.2 <= sizes[1].2 + 4), "{sizes:?}");
    assert_eq!(state.position(), Position(481));
}

#[test]
fn what_the_dm_decided_stays_and_what_was_replaced_goes() {
    let mut state = initial_state();
    let flag = |value: bool| Setting::Game(GameSetting::Flag { name: "alarm".into(), value: Value::Flag(value) });
    apply(
        &mut state,
        Author::Game,
        vec![Change::Set(flag(false)), Change::AssertFact(fact(1)), Change::AssertFact(fact(2))],
    );
    for n in 0..30 {
        apply(&mut state, Author::Game, vec![Change::SetFlag { name: "alarm".into(), value: Value::Flag(n % 2 == 0) }]);
    }
    apply(&mut state, Author::Dm, vec![Change::RetractFact(fact(1).id())]);
    apply(&mut state, Author::Game, vec![Change::RetractFact(fact(2).id())]);
    let undone = apply(&mut state, Author::Dm, vec![Change::AssertFact(fact(5))]);
    let undo = apply(&mut state, Author::Dm, vec![Change::Revert(undone)]);
    assert_eq!(compact(&mut state, 1).operations.len(), 30, "all of one is replaced, and the rest is partly");
    compact(&mut state, 0);
    assert!(state.is_retracted(fact(1).id()) && state.asserted(fact(2).id()).is_none());
    assert_eq!(state.flag("alarm"), Some(&Value::Flag(false)));
    assert!(state.entry(undone).is_none() && state.entry(undo).is_none());
    let refused = state.check(&revert(3));
    assert_eq!(refused, Err(ApplyError::Compacted { given: Position(3), to: state.position() }));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "operation 3 is too old, so you can neither undo this operation nor return to it; the undo history of the campaign begins at operation 37"
    );
    assert_eq!(state.at(Position(3)).err(), Some(ApplyError::Compacted { given: Position(3), to: state.position() }));
}

#[test]
fn a_text_that_goes_takes_what_was_read_in_it_however_old() {
    let mut state = initial_state();
    let read = apply(&mut state, Author::Extractor, vec![Change::AssertFact(fact(1))]);
    compact(&mut state, 0);
    let undo =
        state.apply(Operation::new(Author::Extractor, "take back", vec![Change::Revert(read)])).unwrap().position;
    assert!(state.fact(fact(1).id()).is_none());
    // This operation itself can still be undone for some time.
    compact(&mut state, 1);
    let mut undone = state.clone();
    undone.apply(revert(undo.0)).unwrap();
    assert!(undone.fact(fact(1).id()).is_some());
    compact(&mut state, 0);
    assert!(state.entry(read).is_none() && state.asserted(fact(1).id()).is_none());
}

#[test]
fn a_rejection_outlives_the_text_of_its_fact() {
    let mut state = initial_state();
    let (rejected, other) = (fact(1), fact(2));
    let findings = vec![Change::AssertFact(Arc::clone(&rejected)), Change::AssertFact(other)];
    let read = apply(&mut state, Author::Extractor, findings);
    let decision = Change::SetStatus { fact: rejected.id(), status: FactStatus::Rejected };
    let rejection = apply(&mut state, Author::Dm, vec![decision]);
    let withdrawn = |state: &State| -> Vec<FactId> {
        state.withdrawn_rejections(rejected.subject()).map(|fact| fact.id()).collect()
    };
    assert!(withdrawn(&state).is_empty(), "the fact still exists");
    apply(&mut state, Author::Extractor, vec![Change::Revert(read)]);
    assert!(state.fact(rejected.id()).is_none());
    assert_eq!(withdrawn(&state), [rejected.id()]);
    let mut undone = state.clone();
    undone.apply(revert(rejection.0)).unwrap();
    assert!(withdrawn(&undone).is_empty());
    compact(&mut state, 0);
    compact(&mut state, 0);
    assert_eq!(state.entry(read).unwrap().operation.changes.len(), 1, "only the rejected fact is needed");
    assert_eq!(withdrawn(&state), [rejected.id()]);
    assert_eq!(withdrawn(&reload(&state, TransientLog::default())), [rejected.id()]);
    // The fact is recorded again, so the rejection is no longer the last decision.
    apply(&mut state, Author::Dm, vec![Change::AssertFact(Arc::clone(&rejected))]);
    assert!(withdrawn(&state).is_empty());
}

#[test]
fn a_confirmation_outlives_the_text_of_its_fact() {
    let mut state = initial_state();
    let found = restated_fact(1);
    let read = apply(&mut state, Author::Extractor, vec![Change::AssertFact(Arc::clone(&found))]);
    let canon = Change::SetStatus { fact: found.id(), status: FactStatus::Canon };
    let decision = apply(&mut state, Author::Dm, vec![canon, Change::Confirm(found.id())]);
    let is_confirmed = |fact: &Fact| fact.status() == FactStatus::Canon && fact.provenance().confirmed;
    assert!(state.with_withdrawn_decisions(&found).is_none(), "the fact still exists");
    apply(&mut state, Author::Extractor, vec![Change::Revert(read)]);
    let mut undone = state.clone();
    undone.apply(revert(decision.0)).unwrap();
    assert!(undone.with_withdrawn_decisions(&found).is_none());
    compact(&mut state, 0);
    compact(&mut state, 0);
    // The fact can be found and withdrawn several times.
    for _ in 0..2 {
        assert!(state.fact(found.id()).is_none());
        assert!(state.with_withdrawn_decisions(&fact(1)).is_none(), "the fact quotes no words of the text");
        assert!(is_confirmed(&state.with_withdrawn_decisions(&found).unwrap()));
        let again = apply(&mut state, Author::Extractor, vec![Change::Support(Arc::clone(&found))]);
        assert!(is_confirmed(state.fact(found.id()).unwrap()));
        apply(&mut state, Author::Extractor, vec![Change::Revert(again)]);
        compact(&mut state, 0);
    }
    assert!(reload(&state, TransientLog::default()).with_withdrawn_decisions(&found).is_some());
    // A new assertion replaces the decision.
    apply(&mut state, Author::Extractor, vec![Change::AssertFact(Arc::clone(&found))]);
    assert_eq!(state.fact(found.id()).unwrap().status(), FactStatus::Proposed);
}

#[test]
fn slots_and_sessions_hold_compaction_back() {
    let mut state = initial_state();
    let retention = |operations, sessions| UndoRetention { operations, sessions };
    apply(&mut state, Author::Dm, vec![Change::SetSession(session(0)), Change::SetSession(session(1))]);
    for n in 0..2 {
        let (here, absent) = (Vec::new(), BTreeMap::new());
        let playing = crate::ActiveSession { session: session(n).id, here, absent, place: None, time: None };
        apply(&mut state, Author::Dm, vec![Change::Set(Setting::Session(SessionSetting::Playing(playing)))]);
        apply(&mut state, Author::Dm, vec![Change::Unset(SettingKey::Playing)]);
    }
    let newest = state.position();
    assert_eq!(newest, Position(6));
    assert_eq!(state.undo_horizon(&retention(0, 1), Position(u64::MAX)), Position(4));
    assert_eq!(state.undo_horizon(&retention(0, 2), Position(u64::MAX)), Position(2));
    assert_eq!(state.undo_horizon(&retention(0, 0), Position(u64::MAX)), newest);
    assert_eq!(state.undo_horizon(&retention(5, 0), Position(u64::MAX)), Position(1));
    apply(&mut state, Author::Game, vec![Change::SaveSlot("slot".into())]);
    apply(&mut state, Author::Game, vec![Change::AddEntity(Entity::new(id(0)))]);
    assert_eq!(state.undo_horizon(&retention(0, 0), Position(u64::MAX)), Position(6));
    let undo = apply(&mut state, Author::Dm, vec![Change::Revert(Position(5))]);
    assert_eq!(state.undo_horizon(&retention(1, 0), Position(u64::MAX)), Position(4), "undo {undo} can be undone");
}
