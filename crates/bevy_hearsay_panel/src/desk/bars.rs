//! The bar at the top: which campaign, which session, when; and what changes how everything looks.

use egui::{Panel, RichText, Ui};

use super::Desk;
use crate::{
    commands,
    panel::{Look, PanelKind, Request},
    text::{shortened, visual},
    theme::Shade,
    widgets::{command_button_only, from_right, icon_button, toggle},
};

impl Desk {
    pub(super) fn top_bar(&mut self, ui: &mut Ui, look: &Look, requests: &mut Vec<Request>) {
        let palette = look.theme.palette().clone();
        let frame = egui::Frame::new().fill(palette.background).inner_margin(egui::Margin::symmetric(8, 4));
        Panel::top(egui::Id::new("hearsay top")).frame(frame).show_separator_line(false).show(ui, |ui| {
            ui.horizontal(|ui| {
                let news = self.watch.news();
                let campaign = news.campaign.as_deref().unwrap_or("Hearsay");
                ui.label(RichText::new(visual(&shortened(campaign, 40))).strong().color(palette.strong));
                let session = news.session_title.clone();
                let text = session.as_deref().map_or_else(
                    || "No session is played".into(),
                    |title| format!("\u{25B6} {}", shortened(title, 32)),
                );
                if ui
                    .link(RichText::new(visual(&text)).color(palette.weak))
                    .on_hover_text("Start, attendance, end, recap")
                    .clicked()
                {
                    requests.push(Request::Open(PanelKind::Session));
                }
                if let Some(clock) = &news.clock
                    && ui
                        .link(RichText::new(visual(clock)).color(palette.weak))
                        .on_hover_text("The game clock: let time pass")
                        .clicked()
                {
                    requests.push(Request::Open(PanelKind::Time));
                }
                from_right(ui, |ui| {
                    if icon_button(ui, "?", "All keys").clicked() {
                        self.dialogs.open_help();
                    }
                    let dark = look.theme.shade() == Shade::Dark;
                    if icon_button(
                        ui,
                        if dark { "\u{2600}" } else { "\u{1F319}" },
                        if dark { "Light theme" } else { "Dark theme" },
                    )
                    .clicked()
                    {
                        self.set_shade(look.theme.shade().other());
                    }
                    if icon_button(ui, "+", "Larger").clicked() {
                        self.set_scale(look.theme.scale() + 0.125);
                    }
                    if icon_button(ui, "\u{2212}", "Smaller").clicked() {
                        self.set_scale(look.theme.scale() - 0.125);
                    }
                    if toggle(ui, self.screen_safe, commands::SCREEN_SAFE.name, &commands::SCREEN_SAFE.tooltip())
                        .clicked()
                    {
                        self.screen_safe = !self.screen_safe;
                    }
                    if toggle(ui, self.quiet, commands::QUIET.name, &commands::QUIET.tooltip()).clicked() {
                        self.quiet = !self.quiet;
                    }
                    if command_button_only(ui, look, &commands::SEARCH).clicked() {
                        requests.push(Request::Search(String::new()));
                    }
                });
            });
        });
    }
}
