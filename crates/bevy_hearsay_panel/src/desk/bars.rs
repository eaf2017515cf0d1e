//! The top bar: campaign, session, clock, and display settings.

use egui::{Panel, RichText, Ui};

use crate::{
    commands::{self, Command, PanelKind},
    direction::visual,
    panel::{Look, PanelContext, Request},
    text::shortened,
    theme::Shade,
    widgets::{command_button_only, from_right, icon_button, label, toggle},
};

/// The modes of the desk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Modes {
    pub(super) quiet: bool,
    pub(super) screen_safe: bool,
}

/// Draws the top bar. Returns the command whose button was clicked.
pub(super) fn top_bar(
    ui: &mut Ui,
    look: &Look,
    modes: Modes,
    context: &PanelContext,
    requests: &mut Vec<Request>,
) -> Option<&'static Command> {
    let mut given = None;
    let palette = look.theme.palette().clone();
    let frame = egui::Frame::new().fill(palette.background).inner_margin(egui::Margin::symmetric(8, 4));
    Panel::top(egui::Id::new("hearsay top")).frame(frame).show_separator_line(false).show(ui, |ui| {
        ui.horizontal(|ui| {
            from_right(ui, |ui| {
                let (sign, name) = match look.theme.shade() {
                    Shade::Dark => ("\u{2600}", "Light theme"),
                    Shade::Light => ("\u{1F319}", "Dark theme"),
                };
                let buttons = [
                    ("?", "All keys", &commands::HELP),
                    (sign, name, &commands::SHADE),
                    ("+", "Larger", &commands::LARGER),
                    ("\u{2212}", "Smaller", &commands::SMALLER),
                ];
                for (sign, name, command) in buttons {
                    if icon_button(ui, sign, name).clicked() {
                        given = Some(command);
                    }
                }
                let toggles = [(modes.screen_safe, &commands::SCREEN_SAFE), (modes.quiet, &commands::QUIET)];
                for (on, command) in toggles {
                    if toggle(ui, on, command.name, &command.tooltip()).clicked() {
                        given = Some(command);
                    }
                }
                if command_button_only(ui, look, &commands::SEARCH).clicked() {
                    requests.push(Request::Search(String::new()));
                }
                // Campaign, session and clock get the remaining width. Text that does not fit is cut.
                let left = egui::Layout::left_to_right(egui::Align::Center);
                ui.with_layout(left, |ui| about(ui, look, context, requests));
            });
        });
    });
    given
}

/// Draws campaign, session and clock. If space is short, the clock is omitted first.
fn about(ui: &mut Ui, look: &Look, panel_context: &PanelContext, requests: &mut Vec<Request>) {
    let palette = look.theme.palette();
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
        None => "No session is running".into(),
        Some(title) => format!("\u{25B6} {}", shortened(title, 32)),
    };
    if fits(ui, &session) && link(ui, &session, "Start or end a session; attendance, log, report and recap") {
        requests.push(Request::Open(PanelKind::Session));
    }
    if let Some(clock) = panel_context.clock.as_ref().filter(|clock| fits(ui, clock))
        && link(ui, clock, "The game clock. Click to let time pass")
    {
        requests.push(Request::Open(PanelKind::Time));
    }
}
