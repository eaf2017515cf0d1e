//! The top bar: campaign, session, clock, and display settings.

use egui::{Panel, RichText, Ui};

use super::Desk;
use crate::{
    commands,
    direction::visual,
    panel::{Look, PanelKind, Request},
    text::shortened,
    theme::Shade,
    widgets::{command_button_only, from_right, icon_button, label, toggle},
};

impl Desk {
    pub(super) fn top_bar(&mut self, ui: &mut Ui, look: &Look, requests: &mut Vec<Request>) {
        let palette = look.theme.palette().clone();
        let frame = egui::Frame::new().fill(palette.background).inner_margin(egui::Margin::symmetric(8, 4));
        Panel::top(egui::Id::new("hearsay top")).frame(frame).show_separator_line(false).show(ui, |ui| {
            ui.horizontal(|ui| {
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
                    // The remaining width is for the campaign, session and clock; longer text is cut.
                    let left = egui::Layout::left_to_right(egui::Align::Center);
                    ui.with_layout(left, |ui| self.about(ui, look, requests));
                });
            });
        });
    }

    /// Draws campaign, session and clock. If space is short, the clock is omitted first.
    fn about(&self, ui: &mut Ui, look: &Look, requests: &mut Vec<Request>) {
        let (panel_context, palette) = (self.watch.panel_context(), look.theme.palette());
        let campaign = panel_context.campaign.as_deref().unwrap_or("Hearsay");
        let room = ui.available_width() / look.theme.sizes().body;
        let name = shortened(campaign, (room * 1.1).max(8.0) as usize);
        label(ui, RichText::new(&*name).strong().color(palette.strong)).on_hover_text(campaign);
        let link = |ui: &mut Ui, text: &str, help: &str| {
            ui.add(egui::Link::new(RichText::new(visual(text)).color(palette.weak))).on_hover_text(help).clicked()
        };
        let fits =
            |ui: &Ui, text: &str| text.chars().count() as f32 * look.theme.sizes().body * 0.55 < ui.available_width();
        let session = match panel_context.session_title.as_deref() {
            None => "No session is played".into(),
            Some(title) => format!("\u{25B6} {}", shortened(title, 32)),
        };
        if fits(ui, &session) && link(ui, &session, "Start, attendance, end, recap") {
            requests.push(Request::Open(PanelKind::Session));
        }
        if let Some(clock) = panel_context.clock.as_ref().filter(|clock| fits(ui, clock))
            && link(ui, clock, "The game clock: let time pass")
        {
            requests.push(Request::Open(PanelKind::Time));
        }
    }
}
