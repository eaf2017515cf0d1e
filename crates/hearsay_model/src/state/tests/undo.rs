//! Tests of reverts in any order. The results are compared with a simple implementation of the definition of a live
//! operation.

use super::{super::*, forget::keys_of, *};

/// Returns the live operations. An operation is live if no later live operation reverts it, so liveness is computed
/// from the newest to the oldest.
fn live(state: &State) -> Vec<bool> {
    let mut live = vec![true; state.journal().count()];
    let (mut reverted, mut restored_to) = (vec![false; live.len() + 1], u64::MAX);
    for (position, entry) in state.journal().rev() {
        let Position(at) = position;
        live[at as usize - 1] = !reverted[at as usize] && at <= restored_to;
        if live[at as usize - 1] {
            for change in &entry.operation.changes {
                match change {
                    Change::Revert(Position(target)) => reverted[*target as usize] = true,
                    Change::Restore(Position(to)) => restored_to = restored_to.min(*to),
                    _ => {}
                }
            }
        }
    }
    live
}

/// Returns the later live operations that change a record which the revert would remove.
fn dependents(state: &State, preview: &UndoPreview, position: Position) -> Vec<Position> {
    let later = state.journal().filter(|(at, entry)| {
        let mut keys = entry.operation.changes.iter().filter_map(Change::written_key);
        let is_counted = entry.live && entry.operation.author != Author::Extractor;
        *at > position && is_counted && keys.any(|key| preview.lost.contains(&key))
    });
    later.map(|(at, _)| at).collect()
}

#[test]
fn an_undone_text_takes_its_extracted_facts_along() {
    let line = Passage::new("Ann owes Bob a horse.");
    let evidence = Evidence::Passage { passage: line.id(), span: Span { start: 0, end: 3 }, quote: "Ann".into() };
    let provenance = Provenance { evidence: vec![evidence], ..Provenance::new(Method::Inferred, Author::Extractor) };
    let debt = Fact::relation(&id(0), "OWES", &id(1), provenance).unwrap().status(FactStatus::Proposed);
    let debt = Arc::new(debt.build().unwrap());
    let add = (0..2).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    let mut state = fold([Operation::new(Author::Game, "add", add)]);
    let apply = |state: &mut State, author: Author, change: Change| {
        state.apply(Operation::new(author, "edit", vec![change])).unwrap().position
    };
    let added = apply(&mut state, Author::Dm, Change::AddPassage(Arc::new(line)));
    let extracted = apply(&mut state, Author::Extractor, Change::AssertFact(Arc::clone(&debt)));
    let accept = Change::SetStatus { fact: debt.id(), status: FactStatus::Canon };
    let accepted = apply(&mut state, Author::Dm, accept);
    let preview = state.undo_preview(added).unwrap();
    assert!(preview.lost.contains(&Key::Fact(debt.id())), "{preview:?}");
    assert_eq!((preview.extractions, preview.dependents), (vec![extracted], vec![accepted]));
    let before = state.clone();
    let changes = state.undo_changes(added).unwrap();
    assert_eq!(changes, [added, extracted].map(Change::Revert));
    let undone = state.apply(Operation::new(Author::Dm, "undo", changes)).unwrap().position;
    assert_eq!(state.fact(debt.id()), None);
    // An undo of the undo restores the fact with the decision.
    assert_eq!(state.undo_changes(undone).unwrap(), [Change::Revert(undone)]);
    state.apply(revert(undone.0)).unwrap();
    assert!(state == before);
}

proptest! {
    #[test]
    fn the_newest_live_revert_decides(
        history in history(),
        reverts in prop::collection::vec(prop::collection::vec((any::<bool>(), any::<prop::sample::Index>()), 1..3), 1..25),
    ) {
        let mut state = fold(history);
        for (n, reverts) in reverts.into_iter().enumerate() {
            let mut changes: Vec<Change> = reverts.iter().map(|(revert, at)| {
                let position = Position(at.index(state.journal().count()) as u64 + 1);
                // In most cases, restore a recent position.
                let recent = Position(position.0.max(state.position().0.saturating_sub(5)));
                if *revert { Change::Revert(position) } else { Change::Restore(recent) }
            }).collect();
            changes.push(change(n as u8 * 7, n as u8));
            let before = state.clone();
            let applied = state.apply_checked(Operation::new(Author::Dm, "revert", changes).into());
            let actual: Vec<bool> = state.journal().map(|(_, entry)| entry.live).collect();
            prop_assert_eq!(actual, live(&state));
            for key in keys_of(state.journal().map(|(_, entry)| &*entry.operation)) {
                let is_reported = matches!(key, Key::Setting(_)) || applied.touched.binary_search(&key).is_ok();
                prop_assert!(is_reported || before.has_equal_record(&state, &key), "{:?} changed and is not told", key);
            }
            state.assert_consistent();
        }
        for (position, entry) in state.journal().filter(|(_, entry)| entry.live) {
            if let Ok(preview) = state.undo_preview(position) {
                prop_assert_eq!(&preview.dependents, &dependents(&state, &preview, position), "{:?}", entry);
            }
        }
    }
}
