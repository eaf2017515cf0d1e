//! The status bar: the last message, pending work, and the state of the memory.

use egui::{RichText, Ui};
use hearsay_engine::{ModelStatus, SharingStatus, Status};

use crate::{
    commands::PanelKind,
    direction::visual_order,
    panel::{DisplayContext, Request, StatusMessage},
    panel_context::PanelContext,
    text::{format_count, shorten},
    widgets::{icon_button, right_to_left, set_button_name},
};

/// The status bar at the bottom of the DM console: the state of the memory, and the last message.
#[derive(Debug, Default)]
pub struct StatusBar {
    message: Option<StatusMessage>,
}

/// A part of the status bar: a text and its explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusPart {
    /// Text of this part of the status bar.
    pub text: String,
    /// Explanation, which is shown as a tooltip.
    pub help: String,
    /// Whether the part is a warning.
    pub is_warning: bool,
}

/// Returns the parts that describe the state of the memory.
pub fn status_parts(status: &Status, pending_commands: usize) -> Vec<StatusPart> {
    let part = |text: String, help: &str| StatusPart { text, help: help.to_owned(), is_warning: false };
    let mut parts = vec![match (&status.storage_failure, pending_commands + status.waiting_writes) {
        (Some(reason), _) => StatusPart {
            is_warning: true,
            ..part(
                "not saved".into(),
                &format!("Nothing is saved until the campaign is opened again, because the storage failed: {reason}"),
            )
        },
        (None, 0) => part("saved".into(), "All changes are on the disk; a crash loses nothing"),
        (None, count) => part(format!("saving {count}"), "Changes that are not on the disk yet"),
    }];
    match &status.sharing {
        SharingStatus::Owner { programs } if !programs.is_empty() => {
            let count = format_count(programs.len(), "program", "programs");
            let help = format!("Also open in {}. Each program sees the changes of the others", programs.join(", "));
            parts.push(part(format!("shared with {count}"), &help));
        }
        SharingStatus::Attached { owner } => {
            let help = format!("{owner} has the database open and saves the changes of this program");
            parts.push(part("shared".into(), &help));
        }
        SharingStatus::Reconnecting => parts.push(StatusPart {
            is_warning: true,
            ..part("connecting".into(), "The program that had the database open has ended. Changes wait for a moment")
        }),
        SharingStatus::Server { endpoint, connected: true, .. } => {
            parts.push(part("connected".into(), &format!("Connected to the server {endpoint}")));
        }
        SharingStatus::Server { endpoint, last_heard_s, reason, refused, .. } => {
            let seconds = last_heard_s.unwrap_or_default();
            let reason = reason.as_deref().unwrap_or("the connection was lost");
            let help =
                format!("No connection to the server {endpoint}: {reason}. The console shows the last known state");
            let text = if *refused { "login refused".to_owned() } else { format!("no connection for {seconds} s") };
            parts.push(StatusPart { is_warning: true, ..part(text, &help) });
        }
        SharingStatus::Owner { .. } | SharingStatus::NotShared => {}
    }
    if status.unread > 0 {
        parts.push(part(
            format!("reading {}", format_count(status.unread, "text", "texts")),
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
        ModelStatus::None { why } => StatusPart {
            is_warning: true,
            ..part("no model".into(), &format!("Search uses only keywords and names. {why}"))
        },
    });
    parts
}

impl StatusBar {
    /// Shows a message in the status bar.
    pub fn show(&mut self, message: StatusMessage) {
        self.message = Some(message);
    }

    /// Removes the message.
    pub fn clear(&mut self) {
        self.message = None;
    }

    /// Returns the current message; `None` if there is none.
    pub fn message(&self) -> Option<&StatusMessage> {
        self.message.as_ref()
    }

    /// Draws the status bar at the bottom. `pending_reviews` is the number of cards in the review panel. If players can
    /// see the screen, it is `None`.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        display: &DisplayContext,
        context: &PanelContext,
        pending_reviews: Option<usize>,
        quiet: bool,
    ) -> Vec<Request> {
        let mut requests = Vec::new();
        let palette = display.theme.palette();
        let frame = egui::Frame::new().fill(palette.background).inner_margin(egui::Margin::symmetric(8, 3));
        let panel = egui::Panel::bottom(egui::Id::new("hearsay status")).frame(frame).show_separator_line(false);
        panel.show(ui, |ui| {
            ui.horizontal(|ui| {
                if let Some(pending_reviews) = pending_reviews {
                    requests.extend(pending_reviews_ui(ui, display, pending_reviews, quiet));
                }
                if quiet {
                    ui.label(RichText::new("Esc leaves quiet mode").small().color(palette.weak));
                }
                right_to_left(ui, |ui| {
                    // A failure of the storage is shown even in quiet mode.
                    let is_shown = |status: &Status| !quiet || status.storage_failure.is_some();
                    if let Some(status) = context.status.as_deref().filter(|status| is_shown(status)) {
                        for part in status_parts(status, context.pending_commands).into_iter().rev() {
                            let colour = if part.is_warning { palette.warn } else { palette.weak };
                            ui.label(RichText::new(&part.text).small().color(colour)).on_hover_text(&part.help);
                        }
                    }
                    if context.status.is_none() && context.storage_failed {
                        ui.label(RichText::new("not saved").small().color(palette.warn));
                    }
                    self.message_ui(ui, display);
                });
            });
        });
        requests
    }

    fn message_ui(&mut self, ui: &mut Ui, display: &DisplayContext) {
        let Some(message) = &self.message else { return };
        let palette = display.theme.palette();
        let (colour, symbol) = if message.is_error { (palette.bad, "\u{26A0} ") } else { (palette.strong, "") };
        let text = format!("{symbol}{}", shorten(&message.text.replace('\n', " "), 240));
        let mut dismissed = false;
        if message.is_error {
            dismissed = icon_button(ui, "\u{D7}", "Dismiss").clicked();
        }
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            ui.add(egui::Label::new(RichText::new(visual_order(&text)).color(colour)).truncate())
                .on_hover_text(&message.text);
        });
        if dismissed {
            self.message = None;
        }
    }
}

/// Draws the number of cards in the review panel. In quiet mode, draws only the number.
fn pending_reviews_ui(ui: &mut Ui, display: &DisplayContext, pending_reviews: usize, quiet: bool) -> Option<Request> {
    let palette = display.theme.palette();
    let text = if quiet {
        format!("\u{25CF} {pending_reviews}")
    } else {
        format_count(pending_reviews, "to review", "to review")
    };
    let colour = if pending_reviews > 0 { palette.warn } else { palette.weak };
    let link = ui
        .link(RichText::new(text).small().color(colour))
        .on_hover_text("Doubtful facts and possible duplicates that wait for your decision");
    let is_clicked = set_button_name(link, true, &format!("{pending_reviews} to review")).clicked();
    is_clicked.then_some(Request::Open(PanelKind::Review))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::empty_memory;

    #[test]
    fn programs_that_share_the_campaign_are_named() {
        let mut status = empty_memory().status().unwrap().wait().unwrap();
        let mut shared = |sharing: SharingStatus| {
            status.sharing = sharing;
            let mut parts = status_parts(&status, 0).into_iter();
            let starts = ["shared", "connect", "no connection", "login"];
            parts.find(|part| starts.iter().any(|start| part.text.starts_with(start)))
        };
        assert_eq!(shared(SharingStatus::NotShared), None);
        assert_eq!(shared(SharingStatus::Owner { programs: Vec::new() }), None);
        let part = shared(SharingStatus::Owner { programs: vec!["hearsay".into(), "tavern".into()] }).unwrap();
        assert_eq!((part.text.as_str(), part.is_warning), ("shared with 2 programs", false));
        assert!(part.help.contains("hearsay, tavern"), "{part:?}");
        let part = shared(SharingStatus::Attached { owner: "`tavern` (process 7)".into() }).unwrap();
        assert!(part.help.starts_with("`tavern` (process 7) has the database open"), "{part:?}");
        assert!(shared(SharingStatus::Reconnecting).unwrap().is_warning);
        let mut server = |last_heard_s: Option<u64>, refused: bool| {
            let (connected, reason) = (last_heard_s.is_none(), last_heard_s.map(|_| "it is gone".into()));
            let endpoint = "ws://tower:4801".into();
            shared(SharingStatus::Server { endpoint, connected, last_heard_s, reason, refused }).unwrap()
        };
        let part = server(None, false);
        assert_eq!((part.text.as_str(), part.is_warning), ("connected", false));
        assert!(part.help.contains("ws://tower:4801"), "{part:?}");
        let part = server(Some(12), true);
        assert_eq!((part.text.as_str(), part.is_warning), ("login refused", true));
        let part = server(Some(12), false);
        assert_eq!((part.text.as_str(), part.is_warning), ("no connection for 12 s", true));
        assert!(part.help.contains("ws://tower:4801: it is gone"), "{part:?}");
    }

    #[test]
    fn a_failed_storage_is_a_warning_and_nothing_counts_as_saved() {
        let mut status = empty_memory().status().unwrap().wait().unwrap();
        let first_part = |status: &Status, pending_commands| status_parts(status, pending_commands).swap_remove(0);
        assert_eq!(first_part(&status, 0).text, "saved");
        assert_eq!(first_part(&status, 2).text, "saving 2");
        status.storage_failure = Some("the disk is full".into());
        for pending_commands in [0, 2] {
            let part = first_part(&status, pending_commands);
            assert!(part.is_warning && part.text == "not saved", "{part:?}");
            assert!(part.help.contains("the disk is full"), "{part:?}");
        }
    }
}
