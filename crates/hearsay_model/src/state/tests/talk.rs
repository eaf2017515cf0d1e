//! Tests of the talk kinds of passages.

use super::{super::*, *};

fn set_kind(kind: TalkKind) -> Change {
    Change::SetTalkKind { passage: line().id(), kind }
}

fn line() -> Passage {
    Passage { speaker: Some(id(0)), heard_by: vec![id(1).into()], ..Passage::new("Roll for initiative.") }
}

fn apply(state: &mut State, author: Author, change: Change) -> Position {
    state.apply(Operation::new(author, "talk", vec![change])).unwrap().position
}

/// Returns a state with a line, and the position of the operation that added the line.
fn state_with_line() -> (State, Position) {
    let mut state = State::default();
    let add = (0..2).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
    state.apply(Operation::new(Author::Game, "add", add)).unwrap();
    let position = apply(&mut state, Author::Dm, Change::AddPassage(line().into()));
    (state, position)
}

fn hears_line(state: &State, knower: &Knower) -> bool {
    state.passages_of(knower).count() == 1
}

fn kind(state: &State) -> Option<TalkKind> {
    state.passage(line().id()).unwrap().talk_kind
}

#[test]
fn nobody_receives_an_out_of_character_line() {
    let (mut state, _) = state_with_line();
    let knowers = [Knower::from(id(0)), Knower::from(id(1))];
    assert!(knowers.iter().all(|knower| hears_line(&state, knower)));
    for (kind, is_heard) in
        [(TalkKind::InCharacter, true), (TalkKind::OutOfCharacter, false), (TalkKind::Narration, true)]
    {
        apply(&mut state, Author::Extractor, set_kind(kind));
        assert!(knowers.iter().all(|knower| hears_line(&state, knower) == is_heard), "{kind:?}");
        assert!(state.passages().eq([(line().id(), state.passage(line().id()).unwrap())]), "the line stays");
    }
}

#[test]
fn the_kind_is_reverted_and_restored_with_its_operation() {
    let (mut state, added) = state_with_line();
    apply(&mut state, Author::Extractor, set_kind(TalkKind::OutOfCharacter));
    let correction = apply(&mut state, Author::Dm, set_kind(TalkKind::Narration));
    assert_eq!(kind(&state), Some(TalkKind::Narration));
    let undo = apply(&mut state, Author::Dm, Change::Revert(correction));
    assert_eq!(kind(&state), Some(TalkKind::OutOfCharacter));
    apply(&mut state, Author::Dm, Change::Revert(undo));
    assert_eq!(kind(&state), Some(TalkKind::Narration));
    // Without the line, there is no kind. With the line, the kind comes back.
    let removed = apply(&mut state, Author::Dm, Change::Revert(added));
    assert_eq!(state.passage(line().id()), None);
    apply(&mut state, Author::Dm, Change::Revert(removed));
    assert_eq!(kind(&state), Some(TalkKind::Narration));
}

#[test]
fn a_new_version_of_the_line_has_its_own_kind() {
    let (mut state, _) = state_with_line();
    apply(&mut state, Author::Extractor, set_kind(TalkKind::OutOfCharacter));
    let version = Passage { talk_kind: Some(TalkKind::Narration), ..line() };
    assert_eq!(version.id(), line().id(), "the id does not depend on the kind");
    apply(&mut state, Author::Dm, Change::AddPassage(version.into()));
    assert_eq!(kind(&state), Some(TalkKind::Narration));
    apply(&mut state, Author::Dm, Change::RemovePassage(line().id()));
    let error = state.apply(Operation::new(Author::Dm, "talk", vec![set_kind(TalkKind::Narration)])).unwrap_err();
    assert_eq!(error, ApplyError::NoPassage(line().id()));
}

#[test]
fn compaction_keeps_the_line_and_its_newest_kind() {
    let (mut state, _) = state_with_line();
    for kind in [TalkKind::Narration, TalkKind::OutOfCharacter] {
        apply(&mut state, Author::Extractor, set_kind(kind));
    }
    apply(&mut state, Author::Game, Change::AddEntity(Entity::new(id(2))));
    let before = state.clone();
    state.advance_compaction(state.position());
    let mut plan = state.plan_compaction();
    let rewritten = state.compact(&mut plan, usize::MAX).operations;
    assert!(matches!(rewritten[..], [(Position(3), None)]), "only the first kind is removed: {rewritten:?}");
    assert!(state == before);
    let mut reloaded = State::default();
    for (position, entry) in state.journal() {
        reloaded.apply_compacted(position, Arc::clone(&entry.operation));
    }
    assert!(reloaded.passages().eq(before.passages()));
}

#[test]
fn a_line_without_new_fields_is_read() {
    let mut json = serde_json::to_value(line()).unwrap();
    for field in ["talk_kind", "lie", "confidential"] {
        json.as_object_mut().unwrap().remove(field).unwrap();
    }
    assert_eq!(serde_json::from_value::<Passage>(json).unwrap(), line());
    let change: Change =
        serde_json::from_value(serde_json::to_value(set_kind(TalkKind::InCharacter)).unwrap()).unwrap();
    assert_eq!(change, set_kind(TalkKind::InCharacter));
}
