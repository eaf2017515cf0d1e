//! The panel of threads (open promises, debts and quests) and of secrets, told and untold.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use hearsay_belief::player_characters;
use hearsay_model::EntityId;

pub use model::{TellingLine, ThreadCategory, ThreadRow, ThreadsModel};
pub use ui::{ThreadsAction, ThreadsView, threads_ui};

use crate::{
    async_model::AsyncModel,
    commands::PanelKind,
    panel::{DisplayContext, Panel, Request, SavedState, restore_state, save_state},
    panel_context::PanelContext,
    panel_source::PanelSource,
    widgets::empty_state,
};

/// The panel of threads and secrets.
#[derive(Debug, Default)]
pub struct ThreadsPanel {
    loaded: AsyncModel<(), (ThreadsModel, Vec<EntityId>)>,
    present_players: Vec<EntityId>,
    /// UI state of the panel: filters and selection.
    pub view: ThreadsView,
}

impl Panel for ThreadsPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Threads.name().into()
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        self.present_players.clone_from(&context.present_players);
        self.loaded.update(source, context.version, &(), |world| {
            Ok((ThreadsModel::load(world)?, player_characters(&world.state).into_iter().collect()))
        });
    }

    fn ui(&mut self, ui: &mut egui::Ui, display: &DisplayContext) -> Vec<Request> {
        let Some((model, players)) = self.loaded.model() else {
            empty_state(ui, display, "Reading the threads\u{2026}", self.loaded.error().unwrap_or_default(), None);
            return Vec::new();
        };
        let party = if self.present_players.is_empty() { players } else { &self.present_players };
        let actions = threads_ui(ui, display, model, party, &mut self.view);
        let to_request = |action| match action {
            ThreadsAction::Show(id) => Request::ShowEntity(id),
            ThreadsAction::ShowFact(id) => Request::ShowFact(id),
            ThreadsAction::Session(id) => Request::Session(id),
            ThreadsAction::Execute(desk_command) => Request::Execute(desk_command),
        };
        actions.into_iter().map(to_request).collect()
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.view)
    }

    fn restore(&mut self, saved: SavedState) {
        self.view = restore_state(saved).unwrap_or_default();
    }
}
