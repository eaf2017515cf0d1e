//! The status bar.

use crate::panel::{Look, News, Note, Request};

/// How the memory stands, and what was done last.
#[derive(Debug, Default)]
pub struct StatusBar {
    note: Option<Note>,
}

impl StatusBar {
    /// Says something.
    pub fn tell(&mut self, note: Note) {
        self.note = Some(note);
    }

    /// Draws it.
    pub fn ui(&mut self, ui: &mut egui::Ui, look: &Look, news: &News, quiet: bool) -> Vec<Request> {
        let _ = (look, news, quiet);
        egui::Panel::bottom(egui::Id::new("hearsay status")).show(ui, |ui| {
            ui.label(self.note.as_ref().map_or("", |note| &note.text));
        });
        Vec::new()
    }
}
