//! The status bar: the last message, pending work, and the state of the memory.

use egui::{RichText, Ui};
use hearsay_engine::{ModelStatus, Status};

use crate::{
    commands::PanelKind,
    direction::visual,
    panel::{Look, Note, PanelContext, Request},
    text::{counted, shortened},
    widgets::{from_right, icon_button, named},
};

/// The status bar at the bottom of the desk: the state of the memory, and the last message.
#[derive(Debug, Default)]
pub struct StatusBar {
    note: Option<Note>,
}

/// A part of the status bar with an explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Text of the part.
    pub text: String,
    /// Explanation, which is shown as a tooltip.
    pub help: String,
    /// Whether the part is a warning.
    pub warns: bool,
}

/// Returns the parts that describe the state of the memory.
pub fn parts(status: &Status, under_way: usize) -> Vec<Part> {
    let part = |text: String, help: &str| Part { text, help: help.to_owned(), warns: false };
    let mut parts = vec![match under_way + status.waiting_writes {
        0 => part("saved".into(), "All changes are on the disk; a crash loses nothing"),
        count => part(format!("saving {count}"), "Changes that are not on the disk yet"),
    }];
    if status.unread > 0 {
        parts.push(part(
            format!("reading {}", counted(status.unread, "text", "texts")),
            "Texts waiting for fact extraction",
        ));
    }
    if status.pending_vectors > 0 && !status.reading_vectors {
        let text = format!("{} to embed", status.pending_vectors);
        parts.push(part(text, "Texts that search finds by keyword and name, and by meaning once they are embedded"));
    }
    if status.unindexed > 0 {
        parts.push(part(
            format!("{} to index", status.unindexed),
            "Records of a large change that search does not find yet",
        ));
    }
    parts.push(match &status.model {
        ModelStatus::Loading => part("model loading".into(), "The sentence encoder is being loaded"),
        ModelStatus::Ready { id } => {
            part("model ready".into(), &format!("Search by meaning uses {id} on this machine"))
        }
        ModelStatus::None { why } => {
            Part { warns: true, ..part("no model".into(), &format!("Search uses only keywords and names. {why}")) }
        }
    });
    parts
}

impl StatusBar {
    /// Shows a message.
    pub fn tell(&mut self, note: Note) {
        self.note = Some(note);
    }

    /// Returns the last message.
    pub fn note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    /// Draws the status bar at the bottom. `waiting` is the number of cards in the review panel.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        look: &Look,
        context: &PanelContext,
        waiting: usize,
        quiet: bool,
    ) -> Vec<Request> {
        let mut requests = Vec::new();
        let palette = look.theme.palette();
        let frame = egui::Frame::new().fill(palette.background).inner_margin(egui::Margin::symmetric(8, 3));
        let panel = egui::Panel::bottom(egui::Id::new("hearsay status")).frame(frame).show_separator_line(false);
        panel.show(ui, |ui| {
            ui.horizontal(|ui| {
                // In quiet mode, show only the number.
                let text =
                    if quiet { format!("\u{25CF} {waiting}") } else { counted(waiting, "to review", "to review") };
                let colour = if waiting > 0 { palette.warn } else { palette.weak };
                let link = ui
                    .link(RichText::new(text).small().color(colour))
                    .on_hover_text("Doubtful facts and possible duplicates that wait for your decision");
                if named(link, true, &format!("{waiting} to review")).clicked() {
                    requests.push(Request::Open(PanelKind::Review));
                }
                if quiet {
                    ui.label(RichText::new("Esc leaves quiet mode").small().color(palette.weak));
                }
                from_right(ui, |ui| {
                    if let Some(status) = context.status.as_ref().filter(|_| !quiet) {
                        for part in parts(status, context.under_way).into_iter().rev() {
                            let colour = if part.warns { palette.warn } else { palette.weak };
                            ui.label(RichText::new(&part.text).small().color(colour)).on_hover_text(&part.help);
                        }
                    }
                    self.told(ui, look);
                });
            });
        });
        requests
    }

    fn told(&mut self, ui: &mut Ui, look: &Look) {
        let Some(note) = &self.note else { return };
        // In screen-safe mode, hide the message, because it may name a secret.
        if look.screen_safe && !note.trouble {
            return;
        }
        let palette = look.theme.palette();
        let (colour, sign) = if note.trouble { (palette.bad, "\u{26A0} ") } else { (palette.strong, "") };
        let text = format!("{sign}{}", shortened(&note.text.replace('\n', " "), 240));
        let mut dismissed = false;
        if note.trouble {
            dismissed = icon_button(ui, "\u{D7}", "Dismiss").clicked();
        }
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.add(egui::Label::new(RichText::new(visual(&text)).color(colour)).truncate()).on_hover_text(&note.text);
        });
        if dismissed {
            self.note = None;
        }
    }
}
