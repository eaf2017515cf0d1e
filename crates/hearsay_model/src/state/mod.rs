//! The state: a fold over the operations that are live.
//!
//! Every record (an entity, a fact, an edge, …) keeps the list of changes that were written to it, and its value is
//! the fold of those whose operation is live. Voiding an operation therefore needs no inverse: its records are folded
//! again without it. Rows of what was voided stay, hidden. Only what is [forgotten](forget) leaves its row, whose dense
//! index goes to the next new record.

mod apply;
mod check;
mod compact;
mod forget;
mod intern;
mod names;
mod query;
mod rows;
mod shared;
mod slots;
mod texts;
mod transient;
mod undo;
mod validity;

#[cfg(test)]
mod consistency;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use crate::{
    EntityId, Fact, Key, Operation, Position, Predicate, SessionId, Setting, SettingKey, StateVersion, Vocabulary,
};

pub use check::ApplyError;
pub use compact::{Compaction, Rewritten, UndoRetention};
pub(crate) use intern::Interner;
pub use names::Resolution;
pub use query::{KnownFact, Link};
pub use rows::Hop;
use rows::{EntityRow, FactRow, Indices, KnowledgeRow, NameRow, Order, PassageRow, Row, Table};
use shared::{Buffer, ChunkedVec, FlatVec, SortedMap};
pub use slots::Slot;
use texts::TextIndex;
use transient::Transients;
pub use transient::{TransientChange, TransientLog, TransientUpdate, TransientValue};
pub use undo::UndoPreview;
pub use validity::FactGroup;
use validity::ValidityIndex;

/// An operation in the journal.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The operation.
    pub operation: Arc<Operation>,
    /// Whether it counts: no live operation voids it.
    pub live: bool,
}

/// All operations, the oldest first.
type Journal = ChunkedVec<Entry, 64>;

/// What applying an operation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// Its position in the journal.
    pub position: Position,
    /// The records whose value or visibility may have changed. Sorted, each once.
    pub touched: Vec<Key>,
}

/// All that a campaign holds, in memory. See the [crate] documentation for an example.
///
/// Cloning it is O(1). The first write to a clone copies only the chunks of memory that it changes, so a reader can hold
/// a clone while the writer goes on.
#[derive(Debug, Clone, Default)]
pub struct State {
    journal: Journal,
    operation_count: usize,
    /// Undo reaches no operation at or before this position: such operations may lose changes, or be gone.
    compacted_to: Position,
    /// Operations that void or restore others, by index in the journal.
    reverts: Indices,
    /// The slots there are, the oldest first.
    slots: Arc<Vec<Slot>>,
    vocabulary: Arc<Vocabulary>,
    entities: Table<EntityRow>,
    /// By dense index, the ids of the entities.
    ids: ChunkedVec<EntityId, 64>,
    /// By dense index of an entity, the relations that ever led from or to it, shown or not.
    hops: ChunkedVec<Buffer<Hop>, 64>,
    /// Dense indices of the predicates of facts.
    predicates: Table<Predicate>,
    /// Made when a walk first sorts what it found, and forgotten when there is a new entity.
    order: OnceLock<Arc<Order>>,
    facts: Table<FactRow>,
    /// By dense index, the facts that have a value and whose subject and object exist: what most reads ask for.
    shown: ChunkedVec<Arc<Fact>, 64>,
    /// By dense index, whether a fact is shown, canon or claimed, and holds now: what a walk asks of every link.
    stands: FlatVec<bool, 16_384>,
    /// The facts of each entity by when they hold.
    validity: ValidityIndex,
    knowledge: Table<KnowledgeRow>,
    passages: Table<PassageRow>,
    texts: TextIndex,
    sessions: SortedMap<SessionId, Row<crate::Session>>,
    settings: SortedMap<SettingKey, Row<Setting>>,
    /// Edges of [`Knower::World`](crate::Knower::World).
    common: Indices,
    /// Passages that everybody heard.
    common_passages: Indices,
    /// Facts that name an entity, by the normal form of the name.
    names: Table<NameRow>,
    /// Facts by the author's own name for them.
    handles: Table<NameRow>,
    /// Values that no operation asserts.
    transients: Transients,
}

impl State {
    /// Folds operations, the first at position 1.
    ///
    /// # Errors
    /// When one of them cannot be applied; its position comes with the reason.
    pub fn fold(operations: impl IntoIterator<Item = Operation>) -> Result<Self, (Position, ApplyError)> {
        let mut state = Self::default();
        for operation in operations {
            let position = state.position().next();
            state.apply(operation).map_err(|error| (position, error))?;
        }
        Ok(state)
    }

    /// The position of the newest operation.
    pub fn position(&self) -> Position {
        Position(self.journal.len() as u64)
    }

    /// Which of the states that follow one another this is.
    pub fn version(&self) -> StateVersion {
        StateVersion { position: self.position(), transient_updates: self.transients.updates }
    }

    /// Makes this state, read anew, the one that follows a version: what was read before is stale.
    pub fn follow(&mut self, version: StateVersion) {
        self.transients.updates = version.transient_updates + 1;
    }

    /// The operation at a position; nothing, when there is none, or compaction has removed it.
    pub fn entry(&self, position: Position) -> Option<&Entry> {
        let index = usize::try_from(position.0).ok()?.checked_sub(1)?;
        self.journal.get(index)
    }

    /// The number of operations that are kept.
    pub fn operation_count(&self) -> usize {
        self.operation_count
    }

    /// All operations but those that compaction has removed, the oldest first.
    pub fn journal(&self) -> impl DoubleEndedIterator<Item = (Position, &Entry)> {
        self.journal.iter().map(|(index, entry)| (Position(index as u64 + 1), entry))
    }
}

/// Two states are equal when they hold the same, however they came to it.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.vocabulary == other.vocabulary
            && self.entities().eq(other.entities())
            && self.facts().eq(other.facts())
            && self.all_knowledge().eq(other.all_knowledge())
            && self.passages().eq(other.passages())
            && self.sessions().eq(other.sessions())
            && self.settings().eq(other.settings())
    }
}
