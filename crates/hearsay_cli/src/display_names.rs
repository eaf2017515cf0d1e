//! Names under which the text output shows entities. JSON output contains ids instead.

use std::sync::Arc;

use anyhow::Result;
use hearsay_engine::Memory;
use hearsay_model::{EntityId, Kind, Knower, Resolution, State};

/// The names of the entities of a campaign.
///
/// Drop this value before a write. While it shares the state, the memory must copy the state to change it.
pub(crate) struct DisplayNames {
    state: Arc<State>,
}

impl DisplayNames {
    /// Reads the names of the current state.
    pub(crate) fn read(memory: &Memory) -> Result<Self> {
        Ok(Self { state: memory.read(|world| Ok(Arc::clone(&world.state)))?.wait()? })
    }

    /// Returns the state that contains the names.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Returns the name of an entity. If another entity has the same name, adds the id.
    pub(crate) fn name(&self, id: &EntityId) -> String {
        let name = self.state.name_or_id(id);
        match self.state.resolve(name) {
            Resolution::Ambiguous(_) => format!("{name} ({id})"),
            _ => name.to_owned(),
        }
    }

    /// Returns the name of a knower.
    pub(crate) fn knower(&self, knower: &Knower) -> String {
        match knower {
            Knower::Entity(id) => self.name(id),
            Knower::World => "everybody".to_owned(),
        }
    }

    /// Lists the names of entities, separated by commas; `nobody` for no entity.
    pub(crate) fn list<'a>(&self, ids: impl IntoIterator<Item = &'a EntityId>) -> String {
        or_nobody(ids.into_iter().map(|id| self.name(id)).collect())
    }

    /// Lists the knowers of a fact like [`list`](Self::list). Says that the residents of a place and the members of a
    /// group know the fact too.
    pub(crate) fn list_audience<'a>(&self, knowers: impl IntoIterator<Item = &'a Knower>) -> String {
        let with_others = |knower: &Knower| {
            let name = self.knower(knower);
            match knower.entity().and_then(|id| self.state.kind(id)) {
                Some(Kind::Location) => format!("{name} and its residents"),
                Some(Kind::Faction | Kind::Party) => format!("{name} and its members"),
                _ => name,
            }
        };
        or_nobody(knowers.into_iter().map(with_others).collect())
    }

    /// Lists the names of knowers like [`list`](Self::list).
    pub(crate) fn list_knowers<'a>(&self, knowers: impl IntoIterator<Item = &'a Knower>) -> String {
        or_nobody(knowers.into_iter().map(|knower| self.knower(knower)).collect())
    }
}

fn or_nobody(names: Vec<String>) -> String {
    if names.is_empty() { "nobody".to_owned() } else { names.join(", ") }
}
