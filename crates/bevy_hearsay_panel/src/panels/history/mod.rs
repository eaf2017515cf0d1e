//! The history panel: every operation of the journal with its author, undo with a preview, and redo.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use hearsay_engine::Memory;
use hearsay_model::Position;
use hearsay_query::journal::UndoTarget;

pub use model::{HistoryModel, HistoryRequest, OperationModel, UndoModel};
pub use ui::{HistoryAction, HistoryView, Preview, history_ui};

use crate::{
    async_model::AsyncModel,
    commands::PanelKind,
    panel::{DeskCommand, Look, Panel, PanelContext, Request, Saved, restored, saved},
    widgets::empty_state,
};

/// The history panel.
#[derive(Debug, Default)]
pub struct HistoryPanel {
    read: AsyncModel<HistoryRequest, HistoryModel>,
    preview: AsyncModel<Position, UndoModel>,
    /// The operation whose undo is previewed.
    asked: Option<Position>,
    /// View state of the panel.
    pub view: HistoryView,
}

impl Panel for HistoryPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::History.name().into()
    }

    fn update(&mut self, memory: &Memory, context: &PanelContext) {
        let request = HistoryRequest { author: self.view.author.clone(), limit: self.view.limit };
        let of = request.clone();
        self.read.update(memory, context.version, &request, move |world| HistoryModel::load(world, &of));
        if let Some(position) = self.asked {
            self.preview.update(memory, context.version, &position, move |world| UndoModel::load(world, position));
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request> {
        let Some(model) = self.read.model() else {
            empty_state(ui, look, "Reading the journal\u{2026}", self.read.trouble().unwrap_or_default(), None);
            return Vec::new();
        };
        let preview = match self.asked {
            None => Preview::None,
            Some(position) => match (self.preview.trouble(), self.preview.of(&position)) {
                (Some(why), _) => Preview::Trouble(why),
                (None, Some(model)) => Preview::Ready(model),
                (None, None) => Preview::Working,
            },
        };
        let mut requests = Vec::new();
        for action in history_ui(ui, look, model, preview, &mut self.view) {
            match action {
                HistoryAction::Preview(position) => {
                    self.preview.again();
                    self.asked = Some(position);
                }
                HistoryAction::Keep => self.asked = None,
                HistoryAction::Undo(position) => {
                    self.asked = None;
                    requests.push(Request::Do(DeskCommand::Undo(UndoTarget::At(position))));
                }
                HistoryAction::ShowFact(id) => requests.push(Request::ShowFact(id)),
            }
        }
        requests
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.view)
    }

    fn restore(&mut self, saved: Saved) {
        self.view = restored(saved).unwrap_or_default();
    }
}
