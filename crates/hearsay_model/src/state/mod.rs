//! The state: a fold over the live operations.
//!
//! Every record (an entity, a fact, an edge, …) stores the list of its changes. The value of a record is the fold of
//! the changes whose operation is live. Reverting an operation therefore needs no inverse operation: the records that
//! it changed are folded again without it. The row of a reverted record remains but is hidden. Only a
//! [forgotten](forget) record leaves its row. The next new record then reuses the dense index of this row.

mod apply;
mod check;
mod compact;
mod corpus;
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
pub use corpus::Corpus;
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
    /// Whether the operation is live. An operation is live if no live operation reverts it.
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
    /// Operations at or before this position cannot be undone. Compaction may have removed them or some of their
    /// changes.
    compacted_to: Position,
    /// Journal indices of the operations that revert or restore other operations.
    reverts: Indices,
    /// The saved slots, the oldest first.
    slots: Arc<Vec<Slot>>,
    vocabulary: Arc<Vocabulary>,
    entities: Table<EntityRow>,
    /// Entity ids by dense index.
    ids: ChunkedVec<EntityId, 64>,
    /// Relations from or to each entity, by the dense index of the entity. Hidden relations are included.
    hops: ChunkedVec<Buffer<Hop>, 64>,
    /// Predicates that facts ever had, with their dense indices.
    predicates: Table<Predicate>,
    /// Order of the entities by id. It is computed when a graph search first sorts its results. It is dropped when an
    /// entity is added.
    order: OnceLock<Arc<Order>>,
    facts: Table<FactRow>,
    /// Visible facts by dense index: they have a value, and their subject and object exist. Most reads need only these.
    shown: ChunkedVec<Arc<Fact>, 64>,
    /// Whether a fact is visible, canon or claimed, and has no end, by the dense index of the fact. Graph searches
    /// check this for every relation.
    stands: FlatVec<bool, 16_384>,
    /// The facts of each entity by validity.
    validity: ValidityIndex,
    knowledge: Table<KnowledgeRow>,
    passages: Table<PassageRow>,
    texts: TextIndex,
    sessions: SortedMap<SessionId, Row<crate::Session>>,
    settings: SortedMap<SettingKey, Row<Setting>>,
    /// Knowledge edges of [`Knower::World`](crate::Knower::World).
    common: Indices,
    /// Passages that everyone heard.
    common_passages: Indices,
    /// Facts that give an entity a name, by the normal form of the name.
    names: Table<NameRow>,
    /// Facts by the handle that their author gave them.
    handles: Table<NameRow>,
    /// Transient values, which no operation asserts.
    transients: Transients,
}

impl State {
    /// Folds operations into a state. The first operation gets position 1.
    ///
    /// # Errors
    /// Returns an error if an operation cannot be applied. The error contains the position and the reason.
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

    /// Sets the version of a reloaded state to the version after `version`. Results of earlier reads then count as
    /// outdated.
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
