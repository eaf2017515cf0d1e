//! What those who were asked lately know: their views, kept until something is written.

use std::{
    collections::VecDeque,
    sync::{Arc, OnceLock},
};

use hearsay_belief::{Known, View};
use hearsay_model::{GameTime, Knower, State, StateVersion, attribute, text};
use hearsay_recall::Names;

/// How many are kept: the speakers of a scene, and those of the last.
const MOST: usize = 32;

/// A view with the names in it.
#[derive(Debug)]
pub(crate) struct Mind {
    pub(crate) view: View,
    pub(crate) names: Names,
    /// Made when something is first searched for by name.
    called: OnceLock<Vec<(u32, String)>>,
}

impl Mind {
    /// Every name and alias in the view in its normal form, with its fact. By fact.
    pub(crate) fn called(&self) -> impl Iterator<Item = (&Known, &str)> {
        let called = self.called.get_or_init(|| {
            let is_name = |known: &Known| [attribute::NAME, attribute::ALIAS].contains(&known.predicate().as_str());
            let names = (0..).zip(self.view.facts()).filter(|(_, known)| is_name(known));
            names.filter_map(|(place, known)| Some((place, text::normal(known.object().text()?)))).collect()
        });
        called.iter().filter_map(|(place, name)| Some((self.view.fact_at(*place as usize)?, name.as_str())))
    }
}

/// Whose mind, and as of when; the DM's, when it is nobody's.
type Whose = (Option<Knower>, Option<GameTime>);

/// The minds of those who were asked lately, the latest last.
#[derive(Debug, Default)]
pub(crate) struct Minds {
    at: StateVersion,
    kept: VecDeque<(Whose, Arc<Mind>)>,
}

impl Minds {
    /// What somebody knows as of a moment; all that is part of the world, when nobody is named.
    ///
    /// `state` is one and the same state as before, or one that follows it.
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
                let names = Names::of(&view);
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
