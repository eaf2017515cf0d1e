//! Views of the knowers that learn facts.

use std::sync::Arc;

use hearsay_model::{GameTime, Knower, State};
use rustc_hash::FxHashMap;

use crate::View;

/// The views of the knowers that learn facts on occasions of one operation. Each view is computed once, at its first
/// use, and contains no passages.
#[derive(Debug)]
pub struct LearnerViews<'s> {
    pub(super) state: &'s State,
    views: FxHashMap<(Knower, Option<GameTime>), Arc<View>>,
}

impl<'s> LearnerViews<'s> {
    /// Creates an empty cache for views of a state.
    pub fn new(state: &'s State) -> Self {
        Self { state, views: FxHashMap::default() }
    }

    /// Returns the view of a knower at a moment of game time, without passages.
    pub fn get(&mut self, knower: &Knower, moment: Option<GameTime>) -> Arc<View> {
        let state = self.state;
        let view = self.views.entry((knower.clone(), moment));
        Arc::clone(view.or_insert_with(|| Arc::new(View::without_passages(state, knower, moment))))
    }
}
