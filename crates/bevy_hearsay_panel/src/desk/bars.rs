//! The top bar: campaign, session, clock, and display settings.

use egui::{Panel, RichText, Ui};

use crate::{
    commands::{self, Command, PanelKind},
    direction::visual_order,
    panel::{DisplayContext, Request},
    panel_context::PanelContext,
    text::shorten,
    theme::Shade,
    widgets::{command_button_without_keys, icon_button, label, right_to_left, toggle},
};

/// The modes of the DM console.
#[derive(Debug, Clone, Copy)]
pub(super) struct Modes {
    pub(super) quiet: bool,
    pub(super) screen_safe: bool,
}

/// Draws the top bar. Returns the command whose button was clicked.
pub(super) fn top_bar(
    ui: &mut Ui,
    display: &DisplayContext,
    modes: Modes,
    context: &PanelContext,
    requests: &mut Vec<Request>,
) -> Option<&'static Command> {
    let mut chosen_command = None;
    let palette = display.theme.palette().clone();
    let frame = egui::Frame::new().fill(palette.background).inner_margin(egui::Margin::symmetric(8, 4));
    Panel::top(egui::Id::new("hearsay top")).frame(frame).show_separator_line(false).show(ui, |ui| {
        ui.horizontal(|ui| {
            right_to_left(ui, |ui| {
                let (symbol, name) = match display.theme.shade() {
                    Shade::Dark => ("\u{2600}", "Light theme"),
                    Shade::Light => ("\u{1F319}", "Dark theme"),
                };
                let buttons = [
                    ("?", "All keys", &commands::HELP),
                    (symbol, name, &commands::SHADE),
                    ("+", "Larger", &commands::LARGER),
                    ("\u{2212}", "Smaller", &commands::SMALLER),
                ];
                for (symbol, name, command) in buttons {
                    if icon_button(ui, symbol, name).clicked() {
                        chosen_command = Some(command);
                    }
                }
                let toggles = [(modes.screen_safe, &commands::SCREEN_SAFE), (modes.quiet, &commands::QUIET)];
                for (is_on, command) in toggles {
                    if toggle(ui, is_on, command.name, &command.tooltip()).clicked() {
                        chosen_command = Some(command);
                    }
                }
                if command_button_without_keys(ui, display, &commands::SEARCH).clicked() {
                    requests.push(Request::Search(String::new()));
                }
                // Campaign, session and clock get the remaining width. Text that does not fit is cut.
                let left_to_right = egui::Layout::left_to_right(egui::Align::Center);
                ui.with_layout(left_to_right, |ui| campaign_status(ui, display, context, requests));
            });
        });
    });
    chosen_command
}

/// Draws campaign, session and clock. If space is short, the clock is omitted first.
fn campaign_status(ui: &mut Ui, display: &DisplayContext, panel_context: &PanelContext, requests: &mut Vec<Request>) {
    let palette = display.theme.palette();
    let campaign = panel_context.campaign.as_deref().unwrap_or("Hearsay");
    let width_in_chars = ui.available_width() / display.theme.sizes().body;
    let name = shorten(campaign, (width_in_chars * 1.1).max(8.0) as usize);
    label(ui, RichText::new(&*name).strong().color(palette.strong)).on_hover_text(campaign);
    let link = |ui: &mut Ui, text: &str, help: &str| {
        ui.add(egui::Link::new(RichText::new(visual_order(text)).color(palette.weak))).on_hover_text(help).clicked()
    };
    let fits_width =
        |ui: &Ui, text: &str| text.chars().count() as f32 * display.theme.sizes().body * 0.55 < ui.available_width();
    let session = match panel_context.session_title.as_deref() {
        None => "No session is running".into(),
        Some(title) => format!("\u{25B6} {}", shorten(title, 32)),
    };
    if fits_width(ui, &session) && link(ui, &session, "Start or end a session; attendance, log, report and recap") {
        requests.push(Request::Open(PanelKind::Session));
    }
    if let Some(clock) = panel_context.clock.as_ref().filter(|clock| fits_width(ui, clock))
        && link(ui, clock, "The game clock. Click to let time pass")
    {
        requests.push(Request::Open(PanelKind::Time));
    }
}
