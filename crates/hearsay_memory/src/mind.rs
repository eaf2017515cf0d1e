//! Cache of recent knowers' views, valid until the next write.

use std::{
    collections::VecDeque,
    sync::{Arc, OnceLock},
};

use hearsay_belief::{Known, View};
use hearsay_model::{GameTime, Knower, State, StateVersion, attribute, text};
use hearsay_recall::EntityLinker;

/// Maximum number of cached minds: the speakers of this scene and of the last.
const MOST: usize = 32;

/// A view with its names.
#[derive(Debug)]
pub(crate) struct Mind {
    pub(crate) view: View,
    pub(crate) names: EntityLinker,
    /// Normalized names. Computed at the first search by name.
    called: OnceLock<Vec<(u32, String)>>,
}

impl Mind {
    /// Returns every name and alias in the view in normalized form, with its fact. By fact.
    pub(crate) fn called(&self) -> impl Iterator<Item = (&Known, &str)> {
        let called = self.called.get_or_init(|| {
            let is_name = |known: &Known| [attribute::NAME, attribute::ALIAS].contains(&known.predicate().as_str());
            let names = (0..).zip(self.view.facts()).filter(|(_, known)| is_name(known));
            names.filter_map(|(place, known)| Some((place, text::normal(known.object().text()?)))).collect()
        });
        called.iter().filter_map(|(place, name)| Some((self.view.fact_at(*place as usize)?, name.as_str())))
    }
}

/// Knower and game time of a mind; without a knower, the DM.
type Whose = (Option<Knower>, Option<GameTime>);

/// Cached minds, most recently used last.
#[derive(Debug, Default)]
pub(crate) struct Minds {
    at: StateVersion,
    kept: VecDeque<(Whose, Arc<Mind>)>,
}

impl Minds {
    /// Returns the mind of a knower as of a time. Without a knower, the mind covers everything in the world.
    ///
    /// `state` must be the state of the previous call or a successor.
    pub(crate) fn of(&mut self, state: &State, knower: Option<&Knower>, as_of: Option<GameTime>) -> Arc<Mind> {
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
