//! Derives operations and frames from a seed.

use std::{io, path::Path, sync::Arc};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, Knower, KnowledgeEdge, Method, Operation, Passage, Position, Provenance,
    State, Timestamp,
};

use super::random::Random;
use crate::FrameFile;

/// Number of newest operations that the workload can undo.
pub(super) const UNDO_WINDOW: u64 = 40;

/// Name of the file of derived data, and key in its header.
const FRAME_FILE: &str = "vectors";

/// Applies the groups of operations that a seed gives, up to the position of `state`. Returns the number of groups and
/// the resulting state. Returns `None` instead of the state if `state` ends in the middle of a group.
pub(super) fn replay(seed: u64, state: &State) -> (u64, Option<State>) {
    let (mut replayed, mut number) = (State::default(), 0);
    while replayed.position() < state.position() {
        for operation in operation_group(seed, number, &replayed) {
            if replayed.apply(operation).is_err() {
                return (number, None);
            }
        }
        number += 1;
    }
    let is_complete = replayed.position() == state.position();
    (number, is_complete.then_some(replayed))
}

/// Returns a group: the operations of one commit. The operations depend on the seed, the number of the group, and the
/// state before the group.
pub(super) fn operation_group(seed: u64, number: u64, state: &State) -> Vec<Arc<Operation>> {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9).wrapping_add(number << 20));
    match random.below(20) {
        0..=9 => vec![small_operation(number * 100)],
        10..=12 => (0..=random.below(20)).map(|k| small_operation(number * 100 + k)).collect(),
        13..=15 => vec![passage_operation(number, 1_000 + random.below(20_000) as usize)],
        16 => vec![passage_operation(number, 35_000 + random.below(35_000) as usize)],
        17 => vec![small_operation(number * 100), passage_operation(number, 40_000), small_operation(number * 100 + 1)],
        _ => {
            // Undoes one of the newest operations, because compaction does not affect them.
            let position = Position(state.position().0.saturating_sub(random.below(UNDO_WINDOW)).max(1));
            let choices = [Change::Revert(position), Change::Restore(position)];
            let operations = choices.map(|change| operation("undo", vec![change]));
            let applicable = operations.into_iter().find(|operation| state.check(operation).is_ok());
            vec![applicable.unwrap_or_else(|| small_operation(number * 100))]
        }
    }
}

fn operation(summary: &str, changes: Vec<Change>) -> Arc<Operation> {
    let mut operation = Operation::new(Author::Game, summary, changes);
    operation.recorded = Timestamp(1_700_000_000_000);
    Arc::new(operation)
}

/// Returns an operation that adds an entity with a name and an alias. Everybody knows the name.
fn small_operation(number: u64) -> Arc<Operation> {
    let changes = EntityId::new(format!("e{number}")).ok().and_then(|id| {
        let provenance = || Provenance::new(Method::Authored, Author::Dm);
        let name = Fact::attribute(&id, "name", format!("Number {number}"), provenance()).ok()?.build().ok()?;
        let alias = Fact::attribute(&id, "alias", format!("The {number}th"), provenance()).ok()?.build().ok()?;
        let knows = KnowledgeEdge::authored(Knower::World, name.id());
        Some(vec![
            Change::AddEntity(Entity::new(id)),
            Change::AssertFact(name.into()),
            Change::AssertFact(alias.into()),
            Change::Learn(knows.into()),
        ])
    });
    operation(&format!("add {number}"), changes.unwrap_or_default())
}

fn passage_operation(number: u64, bytes: usize) -> Arc<Operation> {
    let mut passage = Passage::new("ß—x".repeat(bytes / 6));
    passage.line = number as u32;
    operation(&format!("passage {number}"), vec![Change::AddPassage(passage.into())])
}

/// Opens the file of derived data and reads its frames.
pub(super) fn open_frames(directory: &Path) -> io::Result<(FrameFile, Vec<Vec<u8>>)> {
    let (path, mut frames) = (directory.join(FRAME_FILE), Vec::new());
    let file = FrameFile::open(&path, FRAME_FILE, |content, _| {
        frames.push(content.to_vec());
        true
    })?;
    let file = file.map_or_else(|| FrameFile::create(&path, FRAME_FILE, [b""]), Ok)?;
    Ok((file, frames))
}

pub(super) fn frame_content(number: u64) -> Vec<u8> {
    number.to_le_bytes().repeat(1 + number as usize % 40)
}
