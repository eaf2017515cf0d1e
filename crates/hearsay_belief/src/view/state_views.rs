//! The views of several knowers in one state.

use std::{cell::RefCell, rc::Rc};

use hearsay_model::{GameTime, Knower, State};
use rustc_hash::FxHashMap;

use super::View;

/// Knower and game time of a view.
type ViewKey = (Knower, Option<GameTime>);

/// The views of knowers in one state, for example for the facts that knowers learn through one operation. Each view is
/// computed once, at its first use. Clones share the computed views.
#[derive(Debug, Clone)]
pub struct StateViews<'s> {
    state: &'s State,
    views: Rc<RefCell<FxHashMap<ViewKey, Rc<View>>>>,
}

impl<'s> StateViews<'s> {
    /// Creates an empty cache of views of a state.
    pub fn new(state: &'s State) -> Self {
        Self { state, views: Rc::default() }
    }

    /// Returns the state of the views.
    pub fn state(&self) -> &'s State {
        self.state
    }

    /// Returns the view of a knower at a moment of game time, as [`View::new`] computes it.
    pub fn get(&self, knower: &Knower, as_of: Option<GameTime>) -> Rc<View> {
        let mut views = self.views.borrow_mut();
        let view = views.entry((knower.clone(), as_of));
        Rc::clone(view.or_insert_with(|| Rc::new(View::new(self.state, knower, as_of))))
    }
}
