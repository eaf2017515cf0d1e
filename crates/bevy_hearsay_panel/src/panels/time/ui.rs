//! Draws the panel "Let time pass": the duration, the preview, and the applied result.

use egui::{RichText, TextEdit, Ui};
use hearsay_model::{EntityId, FactId};
use serde::{Deserialize, Serialize};

use super::model::{SpreadModel, TellingModel, TimeModel, TimeRequest, UntoldModel};
use crate::{
    commands::{self, Command},
    panel::DisplayContext,
    text::format_count,
    theme::Tone,
    widgets::{
        RowHeights, badge, card, command_button, empty_state, entity_button, list, omitted_label, section_heading,
        sentence, set_text_field_name, toggle, toned_label, weak_label,
    },
};

/// The lists that the preview can show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeList {
    /// The spread of each fact.
    #[default]
    Spread,
    /// Every occasion on which a fact is told.
    Tellings,
    /// The facts that nobody tells.
    Untold,
}

/// UI state of the panel "Let time pass": the request, and the selected list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimeView {
    /// The request to let time pass.
    pub request: TimeRequest,
    /// The selected list of the preview.
    pub list: TimeList,
    #[serde(skip)]
    heights: RowHeights,
    #[serde(skip)]
    shown_list: TimeList,
}

/// State of the preview of gossip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeState<'a> {
    /// No preview was requested.
    Idle,
    /// The preview is being computed.
    Pending,
    /// The preview is ready.
    Ready(&'a TimeModel),
    /// The preview was applied. The value is the summary of the operation that applied the preview.
    Applied(&'a str),
    /// The preview failed. The value is the reason of the failure.
    Error(&'a str),
}

/// An action that the user chose in the panel. The caller carries out the action.
#[derive(Debug, Clone, PartialEq)]
pub enum TimeAction {
    /// Compute the preview.
    Preview,
    /// Apply the preview.
    Apply,
    /// Discard the preview.
    Discard,
    /// Undo the gossip that was applied.
    Undo,
    /// Show an entity.
    Show(EntityId),
    /// Show a fact.
    ShowFact(FactId),
}

/// Draws the panel.
pub fn time_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    clock: Option<&str>,
    state: TimeState,
    view: &mut TimeView,
) -> Vec<TimeAction> {
    let mut actions = Vec::new();
    let Some(clock) = clock else {
        let hint = "Set the game clock first: start a session with a time, or write `start` in campaign.yaml.";
        empty_state(ui, display, "No game clock is set", hint, None);
        return actions;
    };
    duration_ui(ui, display, clock, view, &mut actions);
    ui.separator();
    match state {
        TimeState::Idle => {
            let hint = "Choose how long. You see what characters would tell each other before anything changes.";
            empty_state(ui, display, "No time chosen", hint, None);
        }
        TimeState::Pending => {
            ui.horizontal(|ui| {
                ui.spinner();
                weak_label(ui, display, "Computing who meets whom\u{2026}");
            });
        }
        TimeState::Applied(summary) => {
            if empty_state(ui, display, "Time passed", summary, Some("Undo it")) {
                actions.push(TimeAction::Undo);
            }
        }
        TimeState::Error(error) => {
            toned_label(ui, display, Tone::Bad, error);
        }
        TimeState::Ready(model) => preview_ui(ui, display, model, view, &mut actions),
    }
    actions
}

fn duration_ui(ui: &mut Ui, display: &DisplayContext, clock: &str, view: &mut TimeView, actions: &mut Vec<TimeAction>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(clock).heading());
        weak_label(ui, display, "is now");
    });
    ui.horizontal_wrapped(|ui| {
        let presets: [(&Command, u32); 3] =
            [(&commands::TIME_DAY, 1), (&commands::TIME_THREE_DAYS, 3), (&commands::TIME_WEEK, 7)];
        for (command, days) in presets {
            if command_button(ui, display, command) {
                view.request.days = days;
                view.request.until.clear();
                actions.push(TimeAction::Preview);
            }
        }
        ui.separator();
        let unit = if view.request.days == 1 { " day" } else { " days" };
        let days_field = ui.add(egui::DragValue::new(&mut view.request.days).range(1..=3650).suffix(unit));
        set_text_field_name(&days_field, "Days", &view.request.days.to_string());
        ui.add(egui::Label::new(RichText::new("or until").color(display.theme.palette().weak)).extend());
        let field = TextEdit::singleline(&mut view.request.until)
            .hint_text(crate::widgets::italic_hint("a date, or tomorrow"))
            .desired_width(180.0);
        let field = ui.add(field);
        set_text_field_name(&field, "Until", &view.request.until);
        let is_confirmed = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if toggle(ui, view.request.with_gossip, "Characters talk", "Characters meet and tell each other what they know")
            .clicked()
        {
            view.request.with_gossip = !view.request.with_gossip;
        }
        if ui.button("Preview").clicked() || is_confirmed {
            actions.push(TimeAction::Preview);
        }
        if view.request.with_gossip
            && ui.button("Reroll").on_hover_text("The same time span with other random meetings").clicked()
        {
            view.request.seed = view.request.seed.wrapping_add(1);
            actions.push(TimeAction::Preview);
        }
    });
}

fn preview_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &TimeModel,
    view: &mut TimeView,
    actions: &mut Vec<TimeAction>,
) {
    ui.horizontal_wrapped(|ui| {
        ui.label(format!("{} \u{2192} {}", model.from, model.until));
        let telling_count = model.tellings.len() + model.omitted_tellings;
        weak_label(
            ui,
            display,
            &format!(
                "{}, {}",
                format_count(model.meetings, "meeting", "meetings"),
                format_count(telling_count, "telling", "tellings")
            ),
        );
    });
    ui.horizontal_wrapped(|ui| {
        if command_button(ui, display, &commands::TIME_APPLY) {
            actions.push(TimeAction::Apply);
        }
        if command_button(ui, display, &commands::TIME_DISCARD) {
            actions.push(TimeAction::Discard);
        }
        ui.separator();
        for (list, name, hint) in [
            (TimeList::Spread, "What spreads", "How many characters learn each fact"),
            (TimeList::Tellings, "Who tells whom", "Each telling, in order"),
            (TimeList::Untold, "What does not spread", "The facts that nobody tells, and why"),
        ] {
            if toggle(ui, view.list == list, name, hint).clicked() {
                view.list = list;
            }
        }
    });
    // If nobody tells anything, only the reasons can be listed.
    let shown_list = if model.tellings.is_empty() { TimeList::Untold } else { view.list };
    if view.shown_list != shown_list {
        view.heights.clear();
        view.shown_list = shown_list;
    }
    if model.tellings.is_empty() {
        weak_label(ui, display, "Nobody learns anything new. Only the clock advances.");
    }
    if shown_list == TimeList::Untold {
        if model.untold.is_empty() {
            return;
        }
        section_heading(ui, display, "Facts that nobody tells", Some(model.untold.len()));
        omitted_label(ui, display, model.omitted_untold);
        list(ui, "untold", model.untold.len(), &mut view.heights, 56.0, None, |ui, number| {
            card(ui, display, false, false, |ui| untold_ui(ui, display, &model.untold[number], actions));
        });
    } else if shown_list == TimeList::Tellings {
        let rows = &model.tellings;
        omitted_label(ui, display, model.omitted_tellings);
        list(ui, "tellings", rows.len(), &mut view.heights, 56.0, None, |ui, number| {
            card(ui, display, false, false, |ui| telling_ui(ui, display, &rows[number], actions));
        });
    } else {
        let rows = &model.spread;
        section_heading(ui, display, "Facts that spread", Some(rows.len()));
        list(ui, "spread", rows.len(), &mut view.heights, 56.0, None, |ui, number| {
            card(ui, display, false, false, |ui| spread_ui(ui, display, &rows[number], actions));
        });
    }
}

fn spread_ui(ui: &mut Ui, display: &DisplayContext, row: &SpreadModel, actions: &mut Vec<TimeAction>) {
    ui.horizontal_wrapped(|ui| {
        badge(ui, display, Tone::Accent, &format!("{} \u{2192} {} know it", row.before, row.after));
        if row.secret {
            badge(ui, display, Tone::Secret, "secret");
        }
        if let Some(id) = sentence(ui, display, &row.statement, Tone::Plain) {
            actions.push(TimeAction::Show(id));
        }
    });
    ui.horizontal_wrapped(|ui| {
        weak_label(ui, display, "told at");
        for place in row.places.iter().take(6) {
            if entity_button(ui, display, place).clicked() {
                actions.push(TimeAction::Show(place.id.clone()));
            }
        }
        omitted_label(ui, display, row.places.len().saturating_sub(6));
        if ui.small_button("Show fact").clicked() {
            actions.push(TimeAction::ShowFact(row.fact));
        }
    });
}

fn untold_ui(ui: &mut Ui, display: &DisplayContext, row: &UntoldModel, actions: &mut Vec<TimeAction>) {
    ui.horizontal_wrapped(|ui| {
        if row.secret {
            badge(ui, display, Tone::Secret, "secret");
        }
        if let Some(id) = sentence(ui, display, &row.statement, Tone::Plain) {
            actions.push(TimeAction::Show(id));
        }
    });
    weak_label(ui, display, &row.reason);
    ui.horizontal_wrapped(|ui| {
        if !row.knowers.is_empty() {
            weak_label(ui, display, "known by");
        }
        for knower in row.knowers.iter().take(6) {
            if entity_button(ui, display, knower).clicked() {
                actions.push(TimeAction::Show(knower.id.clone()));
            }
        }
        omitted_label(ui, display, row.knowers.len().saturating_sub(6));
        if ui.small_button("Show fact").clicked() {
            actions.push(TimeAction::ShowFact(row.fact));
        }
    });
}

fn telling_ui(ui: &mut Ui, display: &DisplayContext, row: &TellingModel, actions: &mut Vec<TimeAction>) {
    ui.horizontal_wrapped(|ui| {
        for (entity, suffix) in [(&row.teller, "tells"), (&row.hearer, "at"), (&row.place, "")] {
            if entity_button(ui, display, entity).clicked() {
                actions.push(TimeAction::Show(entity.id.clone()));
            }
            weak_label(ui, display, suffix);
        }
        weak_label(ui, display, &row.when);
        badge(ui, display, Tone::Weak, &format!("believes it {:.2}", row.credence));
        if row.secret {
            badge(ui, display, Tone::Secret, "secret");
        }
    });
    if let Some(id) = sentence(ui, display, &row.statement, Tone::Plain) {
        actions.push(TimeAction::Show(id));
    }
}
