//! The state of a campaign, computed (*folded*) from all operations that are not reverted.
//!
//! Every record, such as an entity, a fact or an edge, stores the list of its changes. The value of a record is
//! computed from the changes whose operation is live (not reverted). A revert therefore needs no inverse operation.
//! Instead, the values of the affected records are computed again without the reverted operation. If a record has no
//! live changes, its row remains, but is hidden. Only the row of a [forgotten](forget) record is removed. A new record
//! then reuses the dense index of this row.

mod apply;
mod check;
mod compact;
mod corpus;
mod fold;
mod forget;
mod intern;
mod names;
mod query;
mod recorded;
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
pub use compact::{Compaction, CompactionResult, UndoRetention};
pub use corpus::Corpus;
pub use names::Resolution;
pub use query::{KnownFact, Link};
pub use rows::Hop;
use rows::{EntityRow, FactRow, Indices, KnowledgeRow, NameRow, Order, PassageRow, Row, Table};
use shared::{Buffer, ChunkedVec, FlatVec, SortedMap};
pub use slots::Slot;
pub use texts::PassageSnapshot;
use texts::TextIndex;
use transient::Transients;
pub use transient::{TransientChange, TransientLog, TransientUpdate, TransientValue};
pub use undo::UndoPreview;
pub use validity::FactGroup;
use validity::ValidityIndex;

/// An operation in the journal, and whether it is live (not reverted).
#[derive(Debug, Clone)]
pub struct Entry {
    /// The operation.
    pub operation: Arc<Operation>,
    /// Whether the operation is live: `true` if no live operation reverts this operation.
    pub live: bool,
}

/// All operations in the journal, the oldest first.
type Journal = ChunkedVec<Entry, 64>;

/// Result of applying an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The position of the operation in the journal.
    pub position: Position,
    /// The keys of the records that may have changed, appeared or disappeared. Sorted and unique.
    pub touched: Vec<Key>,
}

/// State of a campaign in memory: all records, settings and operations. The [crate] documentation contains an example.
///
/// Cloning a state is O(1). The first write to a clone copies only the parts of memory that the write changes.
/// Therefore, one thread can read a clone while another thread changes the state.
#[derive(Debug, Clone, Default)]
pub struct State {
    journal: Journal,
    operation_count: usize,
    /// Operations at or before this position cannot be undone. Compaction may have removed some or all of their
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
    /// All predicates that facts have or had, with their dense indices.
    predicates: Table<Predicate>,
    /// Order of the entities by id. The order is computed when a graph search first sorts its results, and dropped when
    /// an entity is added.
    order: OnceLock<Arc<Order>>,
    facts: Table<FactRow>,
    /// Visible facts by dense index. A fact is visible if it has a value, and its subject and object exist. Most reads
    /// need only visible facts.
    shown: ChunkedVec<Arc<Fact>, 64>,
    /// For each fact, by its dense index: whether the fact is visible, is canon or claimed, and has no end. Graph
    /// searches check this value for every relation.
    in_effect: FlatVec<bool, 16_384>,
    /// Index of the facts of each entity by predicate and validity.
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
    /// Facts by handle. The handle is the name that the author gave the fact.
    handles: Table<NameRow>,
    /// Transient values, which are not in the journal.
    transients: Transients,
}

impl State {
    /// Computes a state from operations. The first operation gets position 1.
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

    /// Returns the version of the state, which grows with every change.
    pub fn version(&self) -> StateVersion {
        StateVersion { position: self.position(), transient_updates: self.transients.updates }
    }

    /// Sets the version of a reloaded state to the version after `version`. Results that were read before the reload
    /// then have an older version.
    pub fn follow(&mut self, version: StateVersion) {
        self.transients.updates = version.transient_updates + 1;
    }

    /// Returns the operation at a position; `None` if there is no operation at the position, or if compaction has
    /// removed it.
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
