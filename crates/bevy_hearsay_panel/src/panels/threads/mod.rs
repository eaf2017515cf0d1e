//! The panel "Threads".

use std::borrow::Cow;

use hearsay_memory::Memory;

use crate::{
    panel::{Look, News, Panel, PanelKind, Request},
    widgets::empty_state,
};

/// The panel.
#[derive(Debug, Default)]
pub struct ThreadsPanel {}

impl Panel for ThreadsPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Threads.name().into()
    }

    fn update(&mut self, _memory: &Memory, _news: &News) {}

    fn ui(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request> {
        empty_state(ui, look, "Nothing here yet", "This panel is being made.", None);
        Vec::new()
    }
}
