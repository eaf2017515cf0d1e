//! The timeline panel: events and facts by date, on the campaign's own calendar.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

pub use model::{MomentModel, PathSegment, SpanModel, TimelineModel, TimelineRequest};
pub use ui::{TimelineAction, TimelineView, timeline_ui};

use crate::{
    async_model::AsyncModel,
    commands::PanelKind,
    panel::{DisplayContext, Panel, Request, SavedState, restore_state, save_state},
    panel_context::PanelContext,
    panel_source::PanelSource,
    widgets::empty_state,
};

/// The timeline panel.
#[derive(Debug, Default)]
pub struct TimelinePanel {
    loaded: AsyncModel<TimelineRequest, TimelineModel>,
    /// UI state of the panel: the displayed part of the timeline, and the filter.
    pub view: TimelineView,
}

impl Panel for TimelinePanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Timeline.name().into()
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        let request = self.view.request.clone();
        self.loaded
            .update(source, context.version, &self.view.request, move |world| TimelineModel::load(world, &request));
    }

    fn ui(&mut self, ui: &mut egui::Ui, display: &DisplayContext) -> Vec<Request> {
        let Some(model) = self.loaded.model() else {
            empty_state(ui, display, "Reading what happened\u{2026}", self.loaded.error().unwrap_or_default(), None);
            return Vec::new();
        };
        let to_request = |action| match action {
            TimelineAction::Show(id) => Request::ShowEntity(id),
            TimelineAction::ShowFact(id) => Request::ShowFact(id),
            TimelineAction::Session(id) => Request::Session(id),
        };
        timeline_ui(ui, display, model, &mut self.view).into_iter().map(to_request).collect()
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.view)
    }

    fn restore(&mut self, saved: SavedState) {
        self.view = restore_state(saved).unwrap_or_default();
    }
}
