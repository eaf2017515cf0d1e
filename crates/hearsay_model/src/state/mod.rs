//! The state: a fold over the live operations.
//!
//! Every record (an entity, a fact, an edge, …) keeps the list of its changes. Its value is the fold of the changes
//! whose operation is live. Reverting an operation therefore needs no inverse: its records are folded again without it.
//! The rows of reverted records remain, hidden. Only a [forgotten](forget) record leaves its row, and the next new
//! record reuses its dense index.

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

/// Operation in the journal.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The operation.
    pub operation: Arc<Operation>,
    /// Whether the operation is live: no live operation reverts it.
    pub live: bool,
}

/// All operations, the oldest first.
type Journal = ChunkedVec<Entry, 64>;

/// Result of applying an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The position of the operation in the journal.
    pub position: Position,
    /// The records whose value or visibility may have changed. Sorted and unique.
    pub touched: Vec<Key>,
}

/// The entire content of a campaign, in memory. See the [crate] documentation for an example.
///
/// Cloning a state is O(1). The first write to a clone copies only the chunks of memory that it changes. A reader can
/// therefore hold a clone while the writer continues.
#[derive(Debug, Clone, Default)]
pub struct State {
    journal: Journal,
    operation_count: usize,
    /// Undo reaches no operation at or before this position. Such operations may have lost changes or been removed.
    compacted_to: Position,
    /// Operations that revert or restore others, by index in the journal.
    reverts: Indices,
    /// The saved slots, the oldest first.
    slots: Arc<Vec<Slot>>,
    vocabulary: Arc<Vocabulary>,
    entities: Table<EntityRow>,
    /// Entity ids by dense index.
    ids: ChunkedVec<EntityId, 64>,
    /// Relations from or to an entity, by dense index, hidden ones included.
    hops: ChunkedVec<Buffer<Hop>, 64>,
    /// Dense indices of the predicates of facts.
    predicates: Table<Predicate>,
    /// Built when a walk first sorts its results, and dropped when an entity is added.
    order: OnceLock<Arc<Order>>,
    facts: Table<FactRow>,
    /// Facts with a value whose subject and object exist, by dense index. Most reads ask for these.
    shown: ChunkedVec<Arc<Fact>, 64>,
    /// Whether a fact is visible, canon or claimed, and has no end, by dense index. Walks check this for every link.
    stands: FlatVec<bool, 16_384>,
    /// The facts of each entity by validity.
    validity: ValidityIndex,
    knowledge: Table<KnowledgeRow>,
    passages: Table<PassageRow>,
    texts: TextIndex,
    sessions: SortedMap<SessionId, Row<crate::Session>>,
    settings: SortedMap<SettingKey, Row<Setting>>,
    /// Edges of [`Knower::World`](crate::Knower::World).
    common: Indices,
    /// Passages that everyone heard.
    common_passages: Indices,
    /// Facts that name an entity, by the normal form of the name.
    names: Table<NameRow>,
    /// Facts by the author's own name for them.
    handles: Table<NameRow>,
    /// Values that no operation asserts.
    transients: Transients,
}

impl State {
    /// Folds operations, starting at position 1.
    ///
    /// # Errors
    /// Returns the position and the reason if an operation cannot be applied.
    pub fn fold(operations: impl IntoIterator<Item = Operation>) -> Result<Self, (Position, ApplyError)> {
        let mut state = Self::default();
        for operation in operations {
            let position = state.position().next();
            state.apply(operation).map_err(|error| (position, error))?;
        }
        Ok(state)
    }

    /// Returns the position of the newest operation.
    pub fn position(&self) -> Position {
        Position(self.journal.len() as u64)
    }

    /// Returns the version of the state.
    pub fn version(&self) -> StateVersion {
        StateVersion { position: self.position(), transient_updates: self.transients.updates }
    }

    /// Sets the version of a reloaded state to the successor of a given version, so that earlier reads count as stale.
    pub fn follow(&mut self, version: StateVersion) {
        self.transients.updates = version.transient_updates + 1;
    }

    /// Returns the operation at a position; `None` if there is none, or compaction has removed it.
    pub fn entry(&self, position: Position) -> Option<&Entry> {
        let index = usize::try_from(position.0).ok()?.checked_sub(1)?;
        self.journal.get(index)
    }

    /// Returns the number of operations that remain after compaction.
    pub fn operation_count(&self) -> usize {
        self.operation_count
    }

    /// Returns all operations that remain after compaction, the oldest first.
    pub fn journal(&self) -> impl DoubleEndedIterator<Item = (Position, &Entry)> {
        self.journal.iter().map(|(index, entry)| (Position(index as u64 + 1), entry))
    }
}

/// States are equal if their content is equal, regardless of their history.
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
