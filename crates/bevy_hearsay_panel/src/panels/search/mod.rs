//! The search panel. It has one text field for searches by names, words and meaning, and for questions such as "who
//! knows about the ledger?".

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use egui::Ui;
use hearsay_engine::Ticket;
use hearsay_model::Position;
use hearsay_query::search::{Search, SearchResults};

pub use model::{Knowers, SearchGroup, SearchModel, SearchRow, SearchTarget, who_knows};
pub use ui::{SearchAction, SearchView, search_ui};

use crate::{
    panel::{DisplayContext, Panel, Request, SavedState, StatusMessage, restore_state, save_state},
    panel_context::{PanelContext, poll_ticket},
    panel_source::PanelSource,
};

/// The search panel.
#[derive(Debug, Default)]
pub struct SearchPanel {
    model: SearchModel,
    view: SearchView,
    /// Text of the last search, and the position of the state that was searched.
    sent_search: Option<(String, Position)>,
    pending_search: Option<Ticket<SearchResults>>,
    pending_model: Option<Ticket<SearchModel>>,
    pending_requests: Vec<Request>,
}

impl SearchPanel {
    /// Returns the last results, converted for display.
    pub fn model(&self) -> &SearchModel {
        &self.model
    }

    fn is_pending(&self) -> bool {
        self.pending_search.is_some() || self.pending_model.is_some() || self.model.query != self.view.text.trim()
    }

    fn report_error(&mut self, error: &impl ToString) {
        self.pending_requests.push(Request::ShowMessage(StatusMessage::error(error.to_string())));
        // Show no results. A failed search is repeated only when the text or the state changes.
        self.model = SearchModel { query: self.view.text.trim().to_owned(), ..SearchModel::default() };
    }
}

impl Panel for SearchPanel {
    fn title(&self) -> Cow<'_, str> {
        Cow::Borrowed("Search")
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        match poll_ticket(&mut self.pending_search) {
            Some(Ok(results)) => {
                let query = self.sent_search.as_ref().map(|(text, _)| text.clone()).unwrap_or_default();
                self.pending_model =
                    source.read_in_background(move |world| SearchModel::from_results(world, &query, &results)).ok();
            }
            Some(Err(error)) => self.report_error(&error),
            None => {}
        }
        match poll_ticket(&mut self.pending_model) {
            Some(Ok(model)) => self.model = model,
            Some(Err(error)) => self.report_error(&error),
            None => {}
        }
        let text = self.view.text.trim();
        if text.is_empty() {
            (self.pending_search, self.pending_model, self.sent_search) = (None, None, None);
            self.model = SearchModel::default();
            return;
        }
        let is_same_search =
            |(query, position): &(String, Position)| query == text && *position == context.version.position;
        if self.sent_search.as_ref().is_some_and(is_same_search) {
            return;
        }
        let search_text = who_knows(text).filter(|topic| !topic.is_empty()).unwrap_or_else(|| text.to_owned());
        // The new search replaces a pending search, because only the current text matters.
        if let Ok(ticket) = source.search(Search { depth: 1, ..Search::new(search_text) }) {
            (self.pending_search, self.pending_model) = (Some(ticket), None);
            self.sent_search = Some((text.to_owned(), context.version.position));
        }
    }

    fn ui(&mut self, ui: &mut Ui, display: &DisplayContext) -> Vec<Request> {
        let mut requests = std::mem::take(&mut self.pending_requests);
        let is_pending = self.is_pending();
        if is_pending {
            ui.ctx().request_repaint();
        }
        for action in search_ui(ui, display, &self.model, &mut self.view, is_pending) {
            match action {
                SearchAction::Request(request) => requests.push(request),
                // The next update will send the search, so request the next frame now.
                SearchAction::TextChanged => ui.ctx().request_repaint(),
            }
        }
        requests
    }

    fn handle_request(&mut self, request: &Request) -> bool {
        let Request::Search(text) = request else { return false };
        if !text.is_empty() {
            self.view.text.clone_from(text);
            self.view.highlighted = 0;
        }
        self.view.focus = true;
        true
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.view)
    }

    fn restore(&mut self, saved: SavedState) {
        self.view = restore_state(saved).unwrap_or_default();
    }
}
