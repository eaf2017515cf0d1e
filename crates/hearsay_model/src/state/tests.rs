//! Property tests of the computation of the state from operations. The generated histories use only a few entities, so
//! operations often affect the same record.

mod compact;
mod forget;
mod references;
mod settings;
mod snapshots;
mod talk;
mod transients;
mod undo;

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::{
    Acquisition, Author, Change, Condition, ConditionEntity, Credence, Date, EditedRecap, Entity, EntityId, Evidence,
    Fact, FactId, FactStatus, GameSetting, GameTime, Justification, Knower, KnowledgeEdge, Method, Passage, PassageId,
    Provenance, Reveal, Secrecy, Session, SessionSetting, Span, SpeakerRole, TalkKind, Validity, Value,
};

fn id(n: u8) -> EntityId {
    EntityId::new(format!("e{}", n % 4)).unwrap()
}

fn fact(n: u8) -> Arc<Fact> {
    let provenance = Provenance::new(Method::Authored, Author::Game);
    let (subject, object) = (id(n), id(n / 4));
    let builder = match n % 3 {
        0 => Fact::attribute(&subject, "name", format!("Name {}", n % 5), provenance),
        _ => Fact::relation(&subject, ["KNOWS", "OWES"][usize::from(n % 2)], &object, provenance),
    };
    let handle = n.is_multiple_of(6).then(|| format!("h{}", n % 4));
    Arc::new(builder.unwrap().handle(handle).build().unwrap())
}

fn passage(n: u8) -> Passage {
    let session = n.is_multiple_of(4).then(|| session(n / 4).id);
    let talk_kind = n.is_multiple_of(5).then(|| talk_kind(n));
    Passage { session, line: u32::from(n % 3), talk_kind, ..Passage::new(format!("line {}", n % 8)) }
}

fn talk_kind(n: u8) -> TalkKind {
    [TalkKind::Narration, TalkKind::InCharacter, TalkKind::OutOfCharacter][usize::from(n % 3)]
}

/// Returns the same fact with other evidence.
fn restated_fact(n: u8) -> Arc<Fact> {
    let evidence = if n.is_multiple_of(2) {
        Evidence::File { path: "notes".into(), line: n.into(), field: String::new() }
    } else {
        let span = Span { start: 0, end: 4 };
        Evidence::Passage { passage: passage(n / 2).id(), span, quote: "line".into() }
    };
    let evidence = vec![evidence];
    let fact = fact(n);
    let provenance = Provenance { evidence, ..fact.provenance().clone() };
    let builder = fact.to_builder().provenance(provenance).status(FactStatus::Proposed).mentions([id(n / 2)]);
    Arc::new(builder.handle(n.is_multiple_of(5).then(|| "h9".into())).build().unwrap())
}

fn edge(n: u8) -> KnowledgeEdge {
    KnowledgeEdge {
        knower: if n.is_multiple_of(5) { Knower::World } else { id(n).into() },
        fact: fact(n / 2).id(),
        acquisition: if n.is_multiple_of(2) { Acquisition::Witnessed } else { Acquisition::told(Some(id(n / 3))) },
        learned: n.is_multiple_of(3).then(|| Date::at(GameTime(n.into()))),
        credence: Credence::new(f64::from(n) / 255.0).unwrap(),
        conceals: n.is_multiple_of(7),
        sources: if n % 4 == 1 { vec![basis(n / 3), basis(n / 4)] } else { vec![] },
        ..KnowledgeEdge::authored(Knower::World, fact(n / 2).id())
    }
    .sorted()
}

fn basis(n: u8) -> Justification {
    let edge = edge(n);
    Justification::Basis { fact: edge.fact, edge: edge.id() }
}

fn session(n: u8) -> Session {
    let id = SessionId::new(format!("s{}", n % 2)).unwrap();
    Session { id, number: Some(n.into()), title: "A night".into(), date: None, start: None, end: None, present: vec![] }
}

fn flag(n: u8) -> Value {
    if n.is_multiple_of(5) { Value::from("five") } else { Value::Flag(n.is_multiple_of(2)) }
}

fn reveal(n: u8) -> Reveal {
    let parts = vec![
        Condition::Flag { name: format!("f{}", n % 2), is: flag(n) },
        Condition::Knows { who: ConditionEntity::Listener, fact: fact(n / 3).id() },
    ];
    let holder = n.is_multiple_of(3).then(|| id(n));
    Reveal { id: format!("r{}", n % 3), fact: fact(n).id(), holder, when: Condition::Any(parts), note: None }
}

fn change(which: u8, n: u8) -> Change {
    let name = || format!("f{}", n % 2);
    match which % 21 {
        0 | 1 => Change::AddEntity(Entity::new(id(n))),
        2 => Change::RemoveEntity(id(n)),
        3 | 4 => Change::AssertFact(fact(n)),
        5 => Change::EndFact { fact: fact(n).id(), until: Date::at(GameTime(n.into())) },
        6 => Change::SetStatus { fact: fact(n).id(), status: FactStatus::ALL[usize::from(n % 5)] },
        7 => Change::SetSecrecy { fact: fact(n).id(), secrecy: Secrecy::Secret },
        8 => Change::RetractFact(fact(n).id()),
        9 | 10 => Change::Learn(Arc::new(edge(n))),
        11 => Change::Unlearn(edge(n).id()),
        12 => Change::Set(Setting::Game(GameSetting::Flag { name: name(), value: flag(n) })),
        13 => Change::SetFlag { name: name(), value: flag(n) },
        14 => Change::Set(Setting::Game(GameSetting::Reveal(reveal(n)))),
        15 if n.is_multiple_of(2) => Change::Unset(SettingKey::Flag(name())),
        15 => Change::Unset(SettingKey::Reveal(format!("r{}", n % 3))),
        16 => Change::Support(restated_fact(n)),
        17 => {
            let recap =
                EditedRecap { session: session(n).id, reader: n.is_multiple_of(2).into(), text: format!("Words {n}.") };
            Change::Set(Setting::Session(SessionSetting::Recap(recap)))
        }
        18 if n.is_multiple_of(4) => Change::Unset(SettingKey::Speaker(name())),
        18 => Change::Set(Setting::speaker(&name(), SpeakerRole::Dm)),
        19 => Change::SetTalkKind { passage: passage(n % 4 * 2).id(), kind: talk_kind(n) },
        _ if n.is_multiple_of(2) => Change::AddPassage(Arc::new(passage(n))),
        _ => Change::SetSession(session(n)),
    }
}

/// A history of operations that can be applied in order.
fn history() -> impl Strategy<Value = Vec<Operation>> {
    let changes = prop::collection::vec((any::<u8>(), any::<u8>()), 1..4);
    prop::collection::vec(changes, 1..40).prop_map(|operations| {
        // Add some entities first, so that most changes find the records to which they refer.
        let mut state = State::default();
        let begin = (0..3).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
        let mut history = vec![Operation::new(Author::Game, "begin", begin)];
        state.apply(history[0].clone()).unwrap();
        for changes in operations {
            let changes = changes.into_iter().map(|(which, n)| change(which, n)).collect();
            let operation = Operation::new(Author::Game, "edit", changes);
            if state.apply(operation.clone()).is_ok() {
                history.push(operation);
            }
        }
        history
    })
}

/// Returns the state after some operations. The state may lack records to which the operations refer.
fn fold(operations: impl IntoIterator<Item = Operation>) -> State {
    let mut state = State::default();
    for operation in operations {
        state.apply_checked(operation.into());
    }
    state
}

fn revert(position: u64) -> Operation {
    Operation::new(Author::Dm, "undo", vec![Change::Revert(Position(position))])
}

/// Checks that the indices give the same results as a scan of all records.
fn assert_indices(state: &State) {
    let sorted = |facts: &mut dyn Iterator<Item = &Arc<Fact>>| {
        let mut ids: Vec<FactId> = facts.map(|fact| fact.id()).collect();
        ids.sort_unstable();
        ids
    };
    let is_canon_or_claimed = |fact: &&Arc<Fact>| matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed);
    for entity in (0..4).map(id) {
        for name in ["name", "KNOWS", "OWES"] {
            let predicate = Predicate::new(name).unwrap();
            let has_predicate = |fact: &&Arc<Fact>| *fact.predicate() == predicate && is_canon_or_claimed(fact);
            let of_subject = || state.facts().filter(has_predicate).filter(|fact| *fact.subject() == entity);
            let of_object =
                || state.facts().filter(has_predicate).filter(|fact| fact.object().entity() == Some(&entity));
            let about = state.facts_with_subject(&entity, name);
            let towards = state.facts_with_object(&entity, name);
            assert_eq!(sorted(&mut about.all()), sorted(&mut of_subject()));
            assert_eq!(sorted(&mut towards.all()), sorted(&mut of_object()));
            for moment in [None, Some(0), Some(7), Some(100), Some(i64::MAX)].map(|moment| moment.map(GameTime)) {
                let holds = |fact: &&Arc<Fact>| fact.validity().holds_at(moment);
                assert_eq!(sorted(&mut about.at(moment)), sorted(&mut of_subject().filter(holds)));
                assert_eq!(sorted(&mut towards.at(moment)), sorted(&mut of_object().filter(holds)));
                let after = |fact: &&Arc<Fact>| fact.validity().end().is_some_and(|end| Some(end) > moment);
                let claims = |fact: &&Arc<Fact>| after(fact) && fact.status() == FactStatus::Claimed;
                assert_eq!(sorted(&mut about.ended_after(moment)), sorted(&mut of_subject().filter(after)));
                assert_eq!(sorted(&mut about.claims_ended_after(moment)), sorted(&mut of_subject().filter(claims)));
            }
            let canon = |fact: &&Arc<Fact>| fact.status() == FactStatus::Canon && !fact.validity().is_closed();
            let values: Vec<FactId> = state.values(&entity, &predicate).iter().map(|fact| fact.id()).collect();
            assert_eq!(values, sorted(&mut of_subject().filter(canon)));
            let newest = state.newest(&entity, name);
            assert_eq!(newest.is_some(), !values.is_empty());
            assert_eq!(state.newest_by_predicate(&entity).get(&predicate).copied(), newest);
        }
        let named = state.facts().filter(|fact| *fact.subject() == entity && fact.status() == FactStatus::Canon);
        let mut names: Vec<&str> =
            named.filter(|fact| fact.is_name()).filter_map(|fact| fact.object().text()).collect();
        let mut found = state.names(&entity);
        names.sort_unstable();
        names.dedup();
        found.sort_unstable();
        assert_eq!(found, names);
    }
    for session in [None, Some(session(0).id), Some(session(1).id)] {
        let mut lines: Vec<(u32, PassageId)> =
            state.passages_in_session(session.as_ref()).map(|(id, passage)| (passage.line, id)).collect();
        assert!(lines.is_sorted_by_key(|(line, _)| *line));
        lines.sort_unstable();
        let of_session = state.passages().filter(|(_, passage)| passage.session == session);
        let mut expected: Vec<_> = of_session.map(|(id, passage)| (passage.line, id)).collect();
        expected.sort_unstable();
        assert_eq!(lines, expected);
    }
    for passage in (0..=u8::MAX).map(|n| passage(n).id()) {
        let cites = |fact: &&Arc<Fact>| {
            let mut evidence = fact.provenance().evidence.iter();
            evidence.any(|evidence| matches!(evidence, Evidence::Passage { passage: id, .. } if *id == passage))
        };
        assert_eq!(sorted(&mut state.facts_citing(passage)), sorted(&mut state.facts().filter(cites)));
    }
}

proptest! {
    #[test]
    fn indices_equal_their_definitions_and_folding_bit_by_bit_equals_folding_at_once(
        history in history(),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let mut state = State::default();
        for operation in &history {
            state.apply_checked(operation.clone().into());
            assert_indices(&state);
        }
        for index in order {
            state.apply_checked(revert(index.index(history.len()) as u64 + 1).into());
            assert_indices(&state);
        }
        let refolded = fold(state.journal().map(|(_, entry)| Operation::clone(&entry.operation)));
        prop_assert_eq!(&state, &refolded);
        let all: Vec<Key> = history.iter().flat_map(|operation| operation.changes.iter().filter_map(Change::written_key)).collect();
        let mut keys = all.clone();
        keys.sort_unstable();
        keys.dedup();
        // Compare with a state in which each record is computed again from all its writes.
        state.refresh(&mut keys);
        prop_assert_eq!(&state, &refolded);
    }

    #[test]
    fn reverting_in_any_order_equals_never_having_applied(
        history in history(),
        order in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let mut state = fold(history.clone());
        let mut is_reverted = vec![false; history.len()];
        for index in order {
            let index = index.index(history.len());
            if !is_reverted[index] {
                is_reverted[index] = true;
                state.apply(revert(index as u64 + 1)).unwrap();
            }
        }
        let remaining = history.into_iter().zip(is_reverted).filter(|(_, is_reverted)| !is_reverted).map(|(operation, _)| operation);
        let expected = fold(remaining);
        prop_assert!(state == expected);
        for n in 0..5 {
            let name = format!("Name {n}");
            prop_assert_eq!(state.name(&id(n)), expected.name(&id(n)));
            prop_assert_eq!(state.resolve(&name), expected.resolve(&name));
        }
    }

    #[test]
    fn reverting_a_revert_brings_the_operation_back(history in history(), index: prop::sample::Index) {
        let before = fold(history.clone());
        let mut state = before.clone();
        let reverted = state.apply(revert(index.index(history.len()) as u64 + 1)).unwrap().position;
        state.apply(revert(reverted.0)).unwrap();
        prop_assert!(state == before);
    }

    #[test]
    fn restoring_leaves_nothing_of_the_abandoned_future(
        history in history(),
        cut: prop::sample::Index,
        undo: prop::sample::Index,
    ) {
        let cut = cut.index(history.len()) + 1;
        let saved = fold(history[..cut].to_vec());
        let mut state = fold(history);
        // An old operation was reverted after the restored position, so its revert must have no effect.
        state.apply(revert(undo.index(cut) as u64 + 1)).unwrap();
        let future = state.clone();
        let restored = state.apply(Operation::new(Author::Game, "load", vec![Change::Restore(Position(cut as u64))]));
        prop_assert!(state == saved);
        state.apply(revert(restored.unwrap().position.0)).unwrap();
        prop_assert!(state == future, "loading can be undone");
    }

    #[test]
    fn the_journal_folds_to_the_same_state(history in history(), index: prop::sample::Index) {
        let mut state = fold(history.clone());
        state.apply(revert(index.index(history.len()) as u64 + 1)).unwrap();
        let written = serde_json::to_string(&state.journal().map(|(_, e)| &*e.operation).collect::<Vec<_>>()).unwrap();
        let read: Vec<Operation> = serde_json::from_str(&written).unwrap();
        prop_assert!(State::fold(read).unwrap() == state);
    }

    #[test]
    fn the_preview_tells_what_undo_does(history in history(), index: prop::sample::Index) {
        let state = fold(history.clone());
        let position = Position(index.index(history.len()) as u64 + 1);
        let preview = state.undo_preview(position).unwrap();
        let mut after = state.clone();
        after.apply(revert(position.0)).unwrap();
        for key in preview.lost {
            prop_assert!(state.shows(&key) && !after.shows(&key));
        }
        for dependent in preview.dependents {
            prop_assert!(dependent > position);
        }
    }

    #[test]
    fn a_refused_operation_changes_nothing(history in history(), which: u8, n: u8) {
        let state = fold(history);
        let bad = Change::RemoveEntity(EntityId::new("nobody").unwrap());
        let mut after = state.clone();
        after.apply(Operation::new(Author::Game, "bad", vec![change(which, n), bad])).unwrap_err();
        prop_assert!(state == after && state.position() == after.position());
    }
}

#[test]
fn an_earlier_write_surfaces_again() {
    let mut state = fold([Operation::new(
        Author::Game,
        "add",
        vec![Change::AddEntity(Entity::new(id(0))), Change::AssertFact(fact(0))],
    )]);
    let status = |status| Operation::new(Author::Dm, "judge", vec![Change::SetStatus { fact: fact(0).id(), status }]);
    state.apply(status(FactStatus::Claimed)).unwrap();
    let last = state.apply(status(FactStatus::False)).unwrap().position;
    state.apply(revert(last.0)).unwrap();
    assert_eq!(state.fact(fact(0).id()).unwrap().status(), FactStatus::Claimed);
}

#[test]
fn a_decision_on_a_name_does_not_make_it_newer() {
    let named = |name: &str| {
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        Arc::new(Fact::attribute(&id(0), "name", name, provenance).unwrap().build().unwrap())
    };
    let (old, new) = (named("Aye"), named("Bee"));
    let edits = [Change::AddEntity(Entity::new(id(0))), Change::AssertFact(Arc::clone(&old)), Change::AssertFact(new)];
    let mut state = fold([Operation::new(Author::Dm, "name", edits.to_vec())]);
    assert_eq!(state.name(&id(0)), Some("Bee"));
    let accept = vec![Change::SetStatus { fact: old.id(), status: FactStatus::Canon }];
    state.apply(Operation::new(Author::Dm, "accept", accept)).unwrap();
    assert_eq!(state.name(&id(0)), Some("Bee"));
}

#[test]
fn a_fact_asserted_again_has_its_new_handle() {
    let assert_with_handle = |handle: &str| {
        let fact = fact(1).to_builder().handle(Some(handle.into())).build().unwrap();
        Operation::new(Author::Game, "assert", vec![Change::AssertFact(Arc::new(fact))])
    };
    let add = (0..3).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    let state = fold([Operation::new(Author::Game, "add", add), assert_with_handle("old"), assert_with_handle("new")]);
    assert_eq!((state.facts_by_handle("old").count(), state.facts_by_handle("new").count()), (0, 1));
}

#[test]
fn a_relation_to_oneself_is_one_fact() {
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let fact = Fact::relation(&id(0), "LIKES", &id(0), provenance).unwrap().build().unwrap();
    let edits = vec![Change::AddEntity(Entity::new(id(0))), Change::AssertFact(fact.into())];
    let state = fold([Operation::new(Author::Dm, "like", edits)]);
    assert_eq!((state.facts_of(&id(0)).count(), state.links(&id(0)).count()), (1, 1));
}

#[test]
fn dependents_are_listed() {
    let mut state = fold([Operation::new(Author::Game, "add", vec![Change::AddEntity(Entity::new(id(0)))])]);
    let named = Operation::new(Author::Dm, "name", vec![Change::AssertFact(fact(0))]);
    let other = Operation::new(Author::Dm, "other", vec![Change::AddEntity(Entity::new(id(1)))]);
    state.apply(other).unwrap();
    let named = state.apply(named).unwrap().position;
    let preview = state.undo_preview(Position(1)).unwrap();
    assert_eq!(preview.dependents, [named]);
    assert!(preview.lost.contains(&Key::Fact(fact(0).id())));
    assert_eq!(state.undo_preview(Position(9)), Err(ApplyError::NoOperation(Position(9))));
}

#[test]
fn edges_to_proposed_facts_are_inactive() {
    let proposed = Arc::new(fact(0).to_builder().status(FactStatus::Proposed).build().unwrap());
    let edge = KnowledgeEdge::authored(Knower::World, proposed.id());
    let mut state = fold([Operation::new(
        Author::Extractor,
        "hear",
        vec![
            Change::AddEntity(Entity::new(id(0))),
            Change::AssertFact(Arc::clone(&proposed)),
            Change::Learn(Arc::new(edge)),
        ],
    )]);
    assert_eq!(state.knowledge_of(&Knower::World).count(), 0);
    assert_eq!(state.recorded_knowledge(proposed.id()).count(), 1);
    let accept = Change::SetStatus { fact: proposed.id(), status: FactStatus::Canon };
    state.apply(Operation::new(Author::Dm, "accept", vec![accept])).unwrap();
    assert_eq!(state.knowledge_of(&Knower::World).count(), 1);
}

#[test]
fn dependent_edges_become_inactive_with_their_justification() {
    let told_edge = |by: u8, to: u8, sources: &[&KnowledgeEdge]| {
        let basis = |edge: &&KnowledgeEdge| Justification::Basis { fact: edge.fact, edge: edge.id() };
        let sources = sources.iter().map(basis).collect();
        let acquisition = Acquisition::told(Some(id(by)));
        KnowledgeEdge { acquisition, sources, ..KnowledgeEdge::authored(id(to).into(), fact(0).id()) }.sorted()
    };
    let (first, second) = (told_edge(1, 0, &[]), told_edge(2, 0, &[]));
    let retold = told_edge(0, 3, &[&first, &second]);
    let again = told_edge(3, 1, &[&retold]);
    let learn = |edge: &KnowledgeEdge| Change::Learn(Arc::new(edge.clone()));
    let mut changes: Vec<_> = (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    changes.extend([Change::AssertFact(fact(0)), learn(&first), learn(&second), learn(&retold), learn(&again)]);
    let mut state = fold([Operation::new(Author::Game, "tell", changes)]);
    let mut forget = |edge: &KnowledgeEdge| {
        state.apply(Operation::new(Author::Dm, "forget", vec![Change::Unlearn(edge.id())])).unwrap()
    };
    let touched = forget(&first).touched;
    assert!(!touched.contains(&Key::KnowledgeEdge(retold.id())), "one source is enough");
    let touched = forget(&second).touched;
    for edge in [&retold, &again] {
        assert!(touched.contains(&Key::KnowledgeEdge(edge.id())));
    }
    assert_eq!(state.known_by(fact(0).id()).count(), 0);
    // The edge becomes active when the edge that it depends on is added.
    let source = told_edge(3, 2, &[]);
    let early = told_edge(2, 1, &[&source]);
    let mut count = |edge: &KnowledgeEdge| {
        state.apply(Operation::new(Author::Game, "tell", vec![learn(edge)])).unwrap();
        state.known_by(fact(0).id()).count()
    };
    assert_eq!((count(&early), count(&source)), (0, 2));
}

#[test]
fn names_resolve_as_people_write_them() {
    let provenance = || Provenance::new(Method::Authored, Author::Dm);
    let named = |n: u8, predicate: &str, name: &str| {
        let fact = Fact::attribute(&id(n), predicate, name, provenance()).unwrap().build().unwrap();
        Change::AssertFact(Arc::new(fact))
    };
    let state = fold([Operation::new(
        Author::Dm,
        "add",
        vec![
            Change::AddEntity(Entity::new(id(0))),
            Change::AddEntity(Entity::new(id(1))),
            named(0, "name", "Day\u{2019}s End"),
            named(1, "name", "Mill"),
            named(0, "alias", "The Mill"),
            named(1, "alias", "the mill"),
        ],
    )]);
    assert_eq!(state.resolve(" day's  end "), Resolution::One(id(0)));
    assert_eq!(state.resolve("e1"), Resolution::One(id(1)));
    assert_eq!(state.resolve("The Mill"), Resolution::Ambiguous(vec![id(0), id(1)]));
    assert_eq!(state.resolve("Day"), Resolution::None);
    assert_eq!(state.names(&id(0)), ["Day\u{2019}s End", "The Mill"]);
}

#[test]
fn an_interval_closes_without_losing_the_fact() {
    let begun = Validity { from: Some(Date::at(GameTime(10))), until: None };
    let fact = Arc::new(fact(1).to_builder().validity(begun).build().unwrap());
    let add = |n| Change::AddEntity(Entity::new(id(n)));
    let mut state =
        fold([Operation::new(Author::Game, "add", vec![add(0), add(1), Change::AssertFact(Arc::clone(&fact))])]);
    let end = |minute| {
        let until = Date::at(GameTime(minute));
        Operation::new(Author::Game, "end", vec![Change::EndFact { fact: fact.id(), until }])
    };
    assert!(matches!(state.apply(end(5)), Err(ApplyError::EndBeforeStart { .. })));
    state.apply(end(20)).unwrap();
    assert!(!state.fact(fact.id()).unwrap().validity().holds_at(Some(GameTime(20))));
    assert_eq!(state.links(&id(1)).count(), 1);
}

#[test]
fn what_is_said_again_supports_a_fact() {
    let add = (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    let mut state = State::fold([Operation::new(Author::Dm, "begin", add)]).unwrap();
    let apply = |state: &mut State, changes: Vec<Change>| {
        state.apply(Operation::new(Author::Dm, "do", changes)).map(|applied| applied.position)
    };
    let first = apply(&mut state, vec![Change::AssertFact(fact(1))]).unwrap();
    let second = apply(&mut state, vec![Change::Support(restated_fact(1))]).unwrap();
    let status_and_evidence =
        |state: &State| state.fact(fact(1).id()).map(|f| (f.status(), f.provenance().evidence.len()));
    assert_eq!(status_and_evidence(&state), Some((FactStatus::Canon, 1)));
    // Without the first statement, the second statement still counts.
    let undo = apply(&mut state, vec![Change::Revert(first)]).unwrap();
    assert_eq!(status_and_evidence(&state), Some((FactStatus::Proposed, 1)));
    apply(&mut state, vec![Change::Revert(undo)]).unwrap();
    // A fact that is asserted again keeps its support. After a retraction, no support restores it.
    apply(&mut state, vec![Change::AssertFact(fact(1))]).unwrap();
    assert_eq!(status_and_evidence(&state), Some((FactStatus::Canon, 1)));
    let retract = apply(&mut state, vec![Change::RetractFact(fact(1).id())]).unwrap();
    apply(&mut state, vec![Change::Support(restated_fact(1))]).unwrap();
    assert!(status_and_evidence(&state).is_none() && state.is_retracted(fact(1).id()));
    apply(&mut state, vec![Change::Revert(second)]).unwrap();
    // Later changes of the same operation can use the record that the revert brings back.
    let mut both = state.clone();
    apply(&mut both, vec![Change::Revert(retract), Change::Confirm(fact(1).id())]).unwrap();
    assert!(both.fact(fact(1).id()).unwrap().provenance().confirmed);
    assert!(apply(&mut state, vec![Change::Confirm(fact(1).id())]).is_err());
}

#[test]
fn equal_ids_of_operations_that_were_read_share_one_allocation() {
    let read = |changes: Vec<Change>| -> Operation {
        let operation = Operation::new(Author::Game, "step", changes);
        serde_json::from_str(&serde_json::to_string(&operation).unwrap()).unwrap()
    };
    let begin = (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).chain([Change::AssertFact(fact(1))]).collect();
    let mut state = State::fold([read(begin)]).unwrap();
    let later = fact(7);
    let edge = KnowledgeEdge {
        acquisition: Acquisition::told(Some(id(2))),
        ..KnowledgeEdge::authored(id(1).into(), later.id())
    };
    state.apply(read(vec![Change::AssertFact(Arc::clone(&later)), Change::Learn(Arc::new(edge.clone()))])).unwrap();
    let address = |id: &EntityId| state.entity(id).unwrap().id.as_str().as_ptr();
    let mut seen = 0;
    for fact in state.facts() {
        for id in fact.entities() {
            assert_eq!(id.as_str().as_ptr(), address(id));
            seen += 1;
        }
    }
    let edge = state.knowledge(edge.id()).unwrap();
    let Acquisition::Told { by: Some(by), .. } = &edge.acquisition else { panic!("{edge:?}") };
    assert_eq!((by.as_str().as_ptr(), edge.knower.as_str().as_ptr()), (address(by), address(&id(1))));
    let predicates: Vec<_> = state.facts().map(|fact| fact.predicate().as_str().as_ptr()).collect();
    assert!(seen >= 4 && predicates.windows(2).all(|two| two[0] == two[1]), "{predicates:?}");
}
