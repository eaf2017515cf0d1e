//! The timeline panel: events and facts by date, on the campaign's own calendar.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use hearsay_engine::Memory;

pub use model::{Crumb, MomentModel, SpanModel, TimelineModel, TimelineRequest};
pub use ui::{TimelineAction, TimelineView, timeline_ui};

use crate::{
    async_model::AsyncModel,
    commands::PanelKind,
    panel::{Look, Panel, PanelContext, Request, Saved, restored, saved},
    widgets::empty_state,
};

/// The timeline panel.
#[derive(Debug, Default)]
pub struct TimelinePanel {
    read: AsyncModel<TimelineRequest, TimelineModel>,
    /// View state of the panel. It contains the request.
    pub view: TimelineView,
}

impl Panel for TimelinePanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Timeline.name().into()
    }

    fn update(&mut self, memory: &Memory, news: &PanelContext) {
        let request = self.view.request.clone();
        self.read.update(memory, news.version, &self.view.request, move |world| TimelineModel::load(world, &request));
    }

    fn ui(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request> {
        let Some(model) = self.read.model() else {
            empty_state(ui, look, "Reading what happened\u{2026}", self.read.trouble().unwrap_or_default(), None);
            return Vec::new();
        };
        let request = |action| match action {
            TimelineAction::Show(id) => Request::Show(id),
            TimelineAction::ShowFact(id) => Request::ShowFact(id),
            TimelineAction::Session(id) => Request::Session(id),
        };
        timeline_ui(ui, look, model, &mut self.view).into_iter().map(request).collect()
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.view)
    }

    fn restore(&mut self, saved: Saved) {
        self.view = restored(saved).unwrap_or_default();
    }
}
