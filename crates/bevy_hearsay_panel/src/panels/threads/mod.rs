//! The panel of threads and secrets: promises, debts, open quests, told secrets and untold secrets.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use hearsay_belief::player_characters;
use hearsay_engine::Memory;
use hearsay_model::EntityId;

pub use model::{ThreadRow, ThreadTab, ThreadsModel, ToldRow};
pub use ui::{ThreadsAction, ThreadsView, threads_ui};

use crate::{
    async_model::AsyncModel,
    commands::PanelKind,
    panel::{Look, Panel, PanelContext, Request, Saved, restored, saved},
    widgets::empty_state,
};

/// The panel of threads and secrets.
#[derive(Debug, Default)]
pub struct ThreadsPanel {
    read: AsyncModel<(), (ThreadsModel, Vec<EntityId>)>,
    here: Vec<EntityId>,
    /// View state of the panel.
    pub view: ThreadsView,
}

impl Panel for ThreadsPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Threads.name().into()
    }

    fn update(&mut self, memory: &Memory, context: &PanelContext) {
        self.here.clone_from(&context.here);
        self.read.update(memory, context.version, &(), |world| {
            Ok((ThreadsModel::load(world)?, player_characters(&world.state).into_iter().collect()))
        });
    }

    fn ui(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request> {
        let Some((model, players)) = self.read.model() else {
            empty_state(ui, look, "Reading the threads\u{2026}", self.read.trouble().unwrap_or_default(), None);
            return Vec::new();
        };
        let party = if self.here.is_empty() { players } else { &self.here };
        let actions = threads_ui(ui, look, model, party, &mut self.view);
        let request = |action| match action {
            ThreadsAction::Show(id) => Request::Show(id),
            ThreadsAction::ShowFact(id) => Request::ShowFact(id),
            ThreadsAction::Session(id) => Request::Session(id),
            ThreadsAction::Do(desk_command) => Request::Do(desk_command),
        };
        actions.into_iter().map(request).collect()
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.view)
    }

    fn restore(&mut self, saved: Saved) {
        self.view = restored(saved).unwrap_or_default();
    }
}
