//! The capture line.

use std::borrow::Cow;

use hearsay_memory::Memory;

use crate::panel::{Look, News, Panel, Request};

/// One line in which the DM types what happens.
#[derive(Debug, Default)]
pub struct CapturePanel {}

impl CapturePanel {
    /// Puts the keyboard here.
    pub fn focus(&mut self) {}

    /// Draws it at the bottom.
    pub fn bar(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request> {
        let _ = (ui, look);
        Vec::new()
    }
}

impl Panel for CapturePanel {
    fn title(&self) -> Cow<'_, str> {
        "Capture".into()
    }

    fn update(&mut self, _memory: &Memory, _news: &News) {}

    fn ui(&mut self, _ui: &mut egui::Ui, _look: &Look) -> Vec<Request> {
        Vec::new()
    }
}
