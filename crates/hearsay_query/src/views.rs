//! Cache of the views of recently queried knowers. A write removes the views that it may change.

use std::{
    collections::VecDeque,
    sync::{Arc, OnceLock},
};

use hearsay_belief::{Known, View};
use hearsay_model::{GameTime, Key, Knower, State, StateVersion, attribute, text};
use hearsay_recall::EntityLinker;

use crate::{QueryError, resolve::resolve};

/// Maximum number of cached views. This is enough for the speakers of the current and the previous scene.
const MOST: usize = 32;

/// Cached view of one knower, with the names in that view.
#[derive(Debug)]
pub struct Mind {
    /// The view.
    pub view: View,
    /// Entity linker, which finds the entity that a name in the view refers to.
    pub names: EntityLinker,
    /// Position in the view and normalized name of each name fact. Computed at the first search by name.
    called: OnceLock<Vec<(u32, String)>>,
}

impl Mind {
    /// Returns every name and alias in the view: its fact and the normalized name, in the order of the facts.
    pub fn called(&self) -> impl Iterator<Item = (&Known, &str)> {
        let called = self.called.get_or_init(|| {
            let is_name = |known: &Known| [attribute::NAME, attribute::ALIAS].contains(&known.predicate().as_str());
            let names = (0..).zip(self.view.facts()).filter(|(_, known)| is_name(known));
            names.filter_map(|(place, known)| Some((place, text::normal(known.object().text()?)))).collect()
        });
        called.iter().filter_map(|(place, name)| Some((self.view.fact_at(*place as usize)?, name.as_str())))
    }
}

/// Cache key: knower and game time of a [`Mind`]. Without a knower, the [`Mind`] is the DM's view.
type Whose = (Option<Knower>, Option<GameTime>);

/// Cache of [`Mind`]s, most recently used last.
#[derive(Debug, Clone, Default)]
pub struct Minds {
    at: StateVersion,
    kept: VecDeque<(Whose, Arc<Mind>)>,
}

impl Minds {
    /// Removes the views that a change of the state may have changed. Without this call, the next question after a
    /// change computes every view again.
    ///
    /// `before` is the version of the state before the change, and `touched` the keys of all records whose value or
    /// visibility changed.
    pub fn follow(&mut self, before: StateVersion, state: &State, touched: &[Key]) {
        if self.at == before {
            self.kept.retain(|(_, mind)| !mind.view.depends_on(state, touched));
            self.at = state.version();
        }
    }

    /// Returns the view of a knower at a game time, from the cache if possible. Without a knower, returns the view of
    /// the DM, who knows everything.
    ///
    /// `state` must be the same state as in the previous call, or a later state of the same campaign.
    pub fn of(&mut self, state: &State, knower: Option<&Knower>, as_of: Option<GameTime>) -> Arc<Mind> {
        if self.at != state.version() {
            self.kept.clear();
            self.at = state.version();
        }
        let whose = (knower.cloned(), as_of);
        let mind = match self.kept.iter().position(|(of, _)| *of == whose).and_then(|at| self.kept.remove(at)) {
            Some((_, mind)) => mind,
            None => {
                let view = knower.map_or_else(|| View::of_dm(state), |knower| View::of(state, knower, as_of));
                let names = EntityLinker::of(&view);
                Arc::new(Mind { view, names, called: OnceLock::new() })
            }
        };
        if self.kept.len() == MOST {
            self.kept.pop_front();
        }
        self.kept.push_back((whose, Arc::clone(&mind)));
        mind
    }
}

/// Returns the view of the knower with this id or name. Returns `None` if `knower` is `None`.
///
/// # Errors
/// Returns an error if the name matches no entity or several entities.
pub fn view_of(state: &State, knower: Option<&str>, as_of: Option<GameTime>) -> Result<Option<View>, QueryError> {
    let id = knower.map(|name| resolve(state, name)).transpose()?;
    Ok(id.map(|id| View::of(state, &Knower::Entity(id), as_of)))
}
