//! The search panel: one box to search by names, words and meaning, and to find the knowers of a fact.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use egui::Ui;
use hearsay_engine::{Memory, Ticket};
use hearsay_model::Position;
use hearsay_query::search::{Search, SearchResults};

pub use model::{Knowers, SearchGroup, SearchModel, SearchRow, Target, who_knows};
pub use ui::{SearchAction, SearchView, search_ui};

use crate::{
    panel::{Look, Note, Panel, PanelContext, Request, Saved, restored, saved},
    panel_context::taken,
};

/// The search panel.
#[derive(Debug, Default)]
pub struct SearchPanel {
    model: SearchModel,
    view: SearchView,
    /// Text of the last search, and the position of the state that was searched.
    asked: Option<(String, Position)>,
    searching: Option<Ticket<SearchResults>>,
    reading: Option<Ticket<SearchModel>>,
    asks: Vec<Request>,
}

impl SearchPanel {
    /// Returns the last results, converted for display.
    pub fn model(&self) -> &SearchModel {
        &self.model
    }

    fn waits(&self) -> bool {
        self.searching.is_some() || self.reading.is_some() || self.model.asked != self.view.text.trim()
    }

    fn fail(&mut self, error: &impl ToString) {
        self.asks.push(Request::Tell(Note::trouble(error.to_string())));
        // Show no results. A failed search is repeated only when the text or the state changes.
        self.model = SearchModel { asked: self.view.text.trim().to_owned(), ..SearchModel::default() };
    }
}

impl Panel for SearchPanel {
    fn title(&self) -> Cow<'_, str> {
        Cow::Borrowed("Search")
    }

    fn update(&mut self, memory: &Memory, context: &PanelContext) {
        match taken(&mut self.searching) {
            Some(Ok(found)) => {
                let asked = self.asked.as_ref().map(|(text, _)| text.clone()).unwrap_or_default();
                self.reading = memory.read_in_background(move |world| SearchModel::of(world, &asked, &found)).ok();
            }
            Some(Err(error)) => self.fail(&error),
            None => {}
        }
        match taken(&mut self.reading) {
            Some(Ok(model)) => self.model = model,
            Some(Err(error)) => self.fail(&error),
            None => {}
        }
        let text = self.view.text.trim();
        if text.is_empty() {
            (self.searching, self.reading, self.asked) = (None, None, None);
            self.model = SearchModel::default();
            return;
        }
        let same = |(asked, position): &(String, Position)| asked == text && *position == context.version.position;
        if self.asked.as_ref().is_some_and(same) {
            return;
        }
        let wanted = who_knows(text).filter(|about| !about.is_empty()).unwrap_or_else(|| text.to_owned());
        // The new search replaces a pending search, because only the current text matters.
        if let Ok(ticket) = memory.search(Search { depth: 1, ..Search::new(wanted) }) {
            (self.searching, self.reading) = (Some(ticket), None);
            self.asked = Some((text.to_owned(), context.version.position));
        }
    }

    fn ui(&mut self, ui: &mut Ui, look: &Look) -> Vec<Request> {
        let mut asked = std::mem::take(&mut self.asks);
        let waits = self.waits();
        if waits {
            ui.ctx().request_repaint();
        }
        for action in search_ui(ui, look, &self.model, &mut self.view, waits) {
            match action {
                SearchAction::Ask(request) => asked.push(request),
                // The next update will send the search, so request the next frame now.
                SearchAction::Typed => ui.ctx().request_repaint(),
            }
        }
        asked
    }

    fn show(&mut self, request: &Request) -> bool {
        let Request::Search(text) = request else { return false };
        if !text.is_empty() {
            self.view.text.clone_from(text);
            self.view.marked = 0;
        }
        self.view.focus = true;
        true
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.view)
    }

    fn restore(&mut self, kept: Saved) {
        self.view = restored(kept).unwrap_or_default();
    }
}
