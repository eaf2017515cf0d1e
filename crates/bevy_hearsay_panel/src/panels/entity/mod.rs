//! The entity panel: the page of an entity, with its meetings with the party, facts about the entity, its knowledge,
//! and its secrets.

mod load;
mod model;
mod tabs;
#[cfg(test)]
mod tests;
mod ui;
mod view;

use std::borrow::Cow;

use egui::Ui;
use hearsay_engine::Ticket;
use hearsay_model::{EntityId, FactId, StateVersion};
use serde::{Deserialize, Serialize};

pub(crate) use load::belief_status_text;
pub use model::{
    AliasLine, ConditionLine, EntityModel, EntityRequest, FactSection, FeelingsLine, KnowsLine, MAX_LISTED,
    MeetingLine, PassageLine, SecretLine, TimeLine, UnsettledLine, WordsLine,
};
pub use ui::entity_ui;
pub use view::{EntityAction, EntityView, NewFactDraft, PageNavigation, Tab};

use crate::{
    panel::{DisplayContext, Panel, Request, SavedState, StatusMessage, restore_state, save_state},
    panel_context::{PanelContext, poll_ticket},
    panel_source::PanelSource,
};

/// Maximum number of pages in the history of the panel.
const MAX_PAGES: usize = 100;

/// The panel that shows the page of an entity.
#[derive(Debug, Default)]
pub struct EntityPanel {
    model: EntityModel,
    state: PanelState,
    /// Entity of the last page, and the version of the memory from which it was read.
    loaded: Option<(EntityId, StateVersion)>,
    pending_page: Option<(EntityId, StateVersion, Ticket<EntityModel>)>,
    /// The pending lookup of a requested fact's subject.
    pending_subject: Option<Ticket<Option<EntityId>>>,
    /// Requests to return to the DM console in the next frame.
    pending_requests: Vec<Request>,
}

/// State that is saved when the DM console closes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct PanelState {
    view: EntityView,
    pages: Vec<EntityId>,
    page_index: usize,
    /// The fact to show when the page of its subject has been read.
    #[serde(skip)]
    pending_fact: Option<FactId>,
}

impl EntityPanel {
    /// Returns the entity whose page is shown; `None` if no page is open.
    pub fn id(&self) -> Option<&EntityId> {
        self.state.pages.get(self.state.page_index)
    }

    /// Returns the data of the page, as last read from the memory.
    pub fn model(&self) -> &EntityModel {
        &self.model
    }

    fn open(&mut self, id: EntityId) {
        if self.id() == Some(&id) {
            return;
        }
        let state = &mut self.state;
        state.pages.truncate(state.page_index + 1);
        state.pages.push(id);
        let excess = state.pages.len().saturating_sub(MAX_PAGES);
        state.pages.drain(..excess);
        state.page_index = state.pages.len() - 1;
        self.reset_view();
    }

    fn navigate(&mut self, forward: bool) {
        let at = if forward { self.state.page_index + 1 } else { self.state.page_index.wrapping_sub(1) };
        if at < self.state.pages.len() {
            self.state.page_index = at;
            self.reset_view();
        }
    }

    /// Resets filter and scroll position when another page is shown. Edits in progress are kept.
    fn reset_view(&mut self) {
        self.state.view.filter.clear();
        self.state.view.heights.clear();
        self.state.pending_fact = None;
    }

    fn navigation(&self) -> PageNavigation {
        PageNavigation {
            has_previous: self.state.page_index > 0,
            has_next: self.state.page_index + 1 < self.state.pages.len(),
        }
    }
}

impl Panel for EntityPanel {
    fn title(&self) -> Cow<'_, str> {
        match ui::page_entity(&self.model).filter(|_| self.model.exists) {
            Some(entity) => Cow::Owned(crate::text::shorten(&entity.name, 24).into_owned()),
            None => Cow::Borrowed("Entity"),
        }
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        if let Some(fact) = self.state.pending_fact
            && self.pending_subject.is_none()
            && self.model.fact(fact).is_none()
        {
            self.pending_subject = source.read(move |world| Ok(load::subject_of(world, fact))).ok();
        }
        match poll_ticket(&mut self.pending_subject) {
            Some(Ok(Some(subject))) => {
                let fact = self.state.pending_fact;
                self.open(subject);
                self.state.pending_fact = fact;
            }
            Some(Ok(None)) => {
                self.state.pending_fact = None;
                self.pending_requests.push(Request::ShowMessage(StatusMessage::error(
                    "This fact no longer exists, because its change was undone.",
                )));
            }
            Some(Err(error)) => {
                self.pending_requests.push(Request::ShowMessage(StatusMessage::error(error.to_string())))
            }
            None => {}
        }
        if let Some((id, version, ticket)) = self.pending_page.take() {
            match ticket.try_take() {
                Some(Ok(model)) => {
                    if self.model.id != model.id {
                        self.state.view.heights.clear();
                    }
                    self.model = model;
                    self.loaded = Some((id, version));
                }
                Some(Err(error)) => {
                    self.loaded = Some((id, version));
                    self.pending_requests.push(Request::ShowMessage(StatusMessage::error(error.to_string())));
                }
                None => self.pending_page = Some((id, version, ticket)),
            }
        }
        let Some(id) = self.id().cloned() else { return };
        let is_current = |page_id: &EntityId, version: StateVersion| *page_id == id && version == context.version;
        let is_read = self.loaded.as_ref().is_some_and(|(page_id, version)| is_current(page_id, *version));
        // If another page is requested, drop the pending read. If only the version changed, keep the pending read.
        let is_reading = self.pending_page.as_ref().is_some_and(|(page_id, ..)| *page_id == id);
        if !is_read && !is_reading {
            let request = EntityRequest { id: id.clone() };
            let ticket = source.read_in_background(move |world| EntityModel::load(world, &request)).ok();
            self.pending_page = ticket.map(|ticket| (id, context.version, ticket));
        }
        if let Some(fact) = self.state.pending_fact.filter(|fact| self.model.fact(*fact).is_some()) {
            self.state.pending_fact = None;
            self.state.view.tab = Tab::About;
            self.state.view.filter.clear();
            self.state.view.facts.expanded.insert(fact);
            self.state.view.focus = Some(fact);
        }
    }

    fn ui(&mut self, ui: &mut Ui, display: &DisplayContext) -> Vec<Request> {
        if self.pending_page.is_some() || self.pending_subject.is_some() {
            ui.ctx().request_repaint();
        }
        let mut requests = std::mem::take(&mut self.pending_requests);
        let navigation = self.navigation();
        let actions = entity_ui(ui, display, &self.model, &mut self.state.view, navigation);
        for action in actions {
            match action {
                EntityAction::Back => self.navigate(false),
                EntityAction::Forward => self.navigate(true),
                EntityAction::Request(Request::ShowEntity(id)) => self.open(id),
                EntityAction::Request(Request::ShowFact(fact)) if self.model.fact(fact).is_some() => {
                    self.state.pending_fact = Some(fact);
                }
                EntityAction::Request(request) => requests.push(request),
            }
        }
        requests
    }

    fn handle_request(&mut self, request: &Request) -> bool {
        match request {
            Request::ShowEntity(id) => {
                self.open(id.clone());
                true
            }
            Request::ShowFact(fact) => {
                self.state.pending_fact = Some(*fact);
                true
            }
            _ => false,
        }
    }

    fn entity(&self) -> Option<&EntityId> {
        self.id()
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.state)
    }

    fn restore(&mut self, saved: SavedState) {
        self.state = restore_state(saved).unwrap_or_default();
        self.state.page_index = self.state.page_index.min(self.state.pages.len().saturating_sub(1));
    }
}
