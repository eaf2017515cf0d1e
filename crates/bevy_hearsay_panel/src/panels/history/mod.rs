//! The history panel: every operation of the journal with its author, undo with a preview, and redo.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use hearsay_model::Position;
use hearsay_query::journal::UndoTarget;

pub use model::{HistoryModel, HistoryRequest, OperationModel, UndoModel};
pub use ui::{HistoryAction, HistoryView, UndoPreviewState, history_ui};

use crate::{
    async_model::AsyncModel,
    commands::PanelKind,
    panel::{DeskCommand, DisplayContext, Panel, Request, SavedState, restore_state, save_state},
    panel_context::PanelContext,
    panel_source::PanelSource,
    widgets::empty_state,
};

/// The history panel, which lists the operations of the journal.
#[derive(Debug, Default)]
pub struct HistoryPanel {
    loaded: AsyncModel<HistoryRequest, HistoryModel>,
    preview: AsyncModel<Position, UndoModel>,
    /// The operation whose undo is previewed.
    previewed: Option<Position>,
    /// UI state of the panel: filter and selection.
    pub view: HistoryView,
}

impl Panel for HistoryPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::History.name().into()
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        let request = HistoryRequest { author: self.view.author.clone(), limit: self.view.limit };
        let loaded_request = request.clone();
        self.loaded.update(source, context.version, &request, move |world| HistoryModel::load(world, &loaded_request));
        if let Some(position) = self.previewed {
            self.preview.update(source, context.version, &position, move |world| UndoModel::load(world, position));
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, display: &DisplayContext) -> Vec<Request> {
        let Some(model) = self.loaded.model() else {
            empty_state(ui, display, "Reading the journal\u{2026}", self.loaded.error().unwrap_or_default(), None);
            return Vec::new();
        };
        let preview = match self.previewed {
            None => UndoPreviewState::None,
            Some(position) => match (self.preview.error(), self.preview.model_for(&position)) {
                (Some(error), _) => UndoPreviewState::Error(error),
                (None, Some(model)) => UndoPreviewState::Ready(model),
                (None, None) => UndoPreviewState::Pending,
            },
        };
        let mut requests = Vec::new();
        for action in history_ui(ui, display, model, preview, &mut self.view) {
            match action {
                HistoryAction::Preview(position) => {
                    self.preview.invalidate();
                    self.previewed = Some(position);
                }
                HistoryAction::ClosePreview => self.previewed = None,
                HistoryAction::Undo(position) => {
                    self.previewed = None;
                    requests.push(Request::Execute(DeskCommand::Undo(UndoTarget::At(position))));
                }
                HistoryAction::ShowFact(id) => requests.push(Request::ShowFact(id)),
            }
        }
        requests
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.view)
    }

    fn restore(&mut self, saved: SavedState) {
        self.view = restore_state(saved).unwrap_or_default();
    }
}
