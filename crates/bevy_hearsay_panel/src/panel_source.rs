//! The data that panels may read: all data of the memory, or only the common view (facts that every player character
//! knows).

use std::sync::Arc;

use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Ticket};
use hearsay_model::{State, StateVersion};
use hearsay_query::{
    common_view::common_view,
    search::{Search, SearchResults},
    trust::TrustCalibration,
};

use crate::{
    names::NameIndex,
    panel_context::{PanelContext, read_context},
};

/// The data for a screen that players can see: only facts that every player character knows. [`CommonView::new`]
/// removes all other data of a state.
#[derive(Debug, Clone)]
pub struct CommonView {
    snapshot: ReadSnapshot,
    context: PanelContext,
}

impl CommonView {
    /// Reduces a state to the common view of its player characters. Call this function on a background thread.
    ///
    /// # Errors
    /// Returns an error if the reduced state is invalid.
    pub fn new(state: &State) -> Result<Self, MemoryError> {
        let common = common_view(state).map_err(MemoryError::from)?;
        let snapshot =
            ReadSnapshot { learned: Arc::new(TrustCalibration::from_state(&common)), state: Arc::new(common) };
        let names = Arc::new(NameIndex::from_state(&snapshot.state));
        let context = PanelContext { version: state.version(), names, ..read_context(&snapshot) };
        Ok(Self { snapshot, context })
    }

    /// Returns the context of panels that players can see. The version in this context is the version of the complete
    /// state.
    pub fn context(&self) -> &PanelContext {
        &self.context
    }

    /// Returns the version of the state from which this view was computed.
    pub fn version(&self) -> StateVersion {
        self.context.version
    }
}

/// The data source of a panel. In screen-safe mode, the source is the [`CommonView`], so a panel can read only facts
/// that all player characters know.
#[derive(Debug, Clone, Copy)]
pub struct PanelSource<'a> {
    /// Runs the reads on its threads.
    memory: &'a Memory,
    common: Option<&'a CommonView>,
}

impl<'a> PanelSource<'a> {
    /// Creates the source of a panel that only the DM sees.
    pub fn dm(memory: &'a Memory) -> Self {
        Self { memory, common: None }
    }

    /// Creates the source of a panel that players can see. All data comes from `common`. The memory only provides the
    /// threads for the reads.
    pub fn players(memory: &'a Memory, common: &'a CommonView) -> Self {
        Self { memory, common: Some(common) }
    }

    /// Returns the memory; `None` if players can see the panel.
    pub fn memory(&self) -> Option<&'a Memory> {
        self.common.is_none().then_some(self.memory)
    }

    /// Calls a closure with a read snapshot, as [`Memory::read`] does.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed.
    pub fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&ReadSnapshot) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<Ticket<T>, MemoryError> {
        match self.common {
            None => self.memory.read(query),
            Some(_) => self.read_in_background(query),
        }
    }

    /// Calls a closure with a read snapshot on a background thread, as [`Memory::read_in_background`] does.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed.
    pub fn read_in_background<T: Send + 'static>(
        &self,
        query: impl FnOnce(&ReadSnapshot) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<Ticket<T>, MemoryError> {
        match self.common.map(|common| common.snapshot.clone()) {
            None => self.memory.read_in_background(query),
            Some(snapshot) => self.memory.read_in_background(move |_| query(&snapshot)),
        }
    }

    /// Searches the memory or the common view. In the common view, the search uses words and names, but not meaning.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed.
    pub fn search(&self, search: Search) -> Result<Ticket<SearchResults>, MemoryError> {
        match self.common {
            None => self.memory.search(search),
            Some(_) => self.read_in_background(move |common| Ok(search.results_in_state(&common.state)?)),
        }
    }
}
