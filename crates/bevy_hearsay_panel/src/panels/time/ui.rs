//! Draws the panel "Let time pass": the duration, the preview, and the applied result.

use egui::{RichText, TextEdit, Ui};
use hearsay_model::{EntityId, FactId};
use serde::{Deserialize, Serialize};

use super::model::{NewsModel, SpreadModel, TimeModel, TimeRequest};
use crate::{
    commands::{self as keys, Command},
    panel::Look,
    text::counted,
    theme::Tone,
    widgets::{
        Heights, badge, card, command_button, empty_state, entity_button, field_name, list, more, section, sentence,
        toggle, toned, weak,
    },
};

/// View state of the panel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimeView {
    /// The request to let time pass.
    pub request: TimeRequest,
    /// Whether the panel lists each telling. If false, it lists how far each fact spreads.
    pub tellings: bool,
    #[serde(skip)]
    heights: Heights,
    #[serde(skip)]
    shown: bool,
}

/// State of the preview.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeState<'a> {
    /// No preview was requested.
    Idle,
    /// The preview is being computed.
    Working,
    /// The preview.
    Ready(&'a TimeModel),
    /// The summary of the applied preview.
    Passed(&'a str),
    /// The preview failed. The text is the reason.
    Trouble(&'a str),
}

/// An action that the user requests from the panel.
#[derive(Debug, Clone, PartialEq)]
pub enum TimeAction {
    /// Compute the preview.
    WorkOut,
    /// Apply the preview.
    Apply,
    /// Discard the preview.
    Discard,
    /// Undo the applied gossip.
    Undo,
    /// Show an entity.
    Show(EntityId),
    /// Show a fact.
    ShowFact(FactId),
}

/// Draws the panel.
pub fn time_ui(
    ui: &mut Ui,
    look: &Look,
    clock: Option<&str>,
    state: TimeState,
    view: &mut TimeView,
) -> Vec<TimeAction> {
    let mut actions = Vec::new();
    let Some(clock) = clock else {
        let next = "Set the game clock first: start a session with a time, or write `start` in campaign.yaml.";
        empty_state(ui, look, "No game clock is set", next, None);
        return actions;
    };
    how_long_ui(ui, look, clock, view, &mut actions);
    ui.separator();
    match state {
        TimeState::Idle => {
            let next = "Choose how long. You see what characters would tell each other before anything changes.";
            empty_state(ui, look, "No time chosen", next, None);
        }
        TimeState::Working => {
            ui.horizontal(|ui| {
                ui.spinner();
                weak(ui, look, "Computing who meets whom\u{2026}");
            });
        }
        TimeState::Passed(what) => {
            if empty_state(ui, look, "Time passed", what, Some("Undo it")) {
                actions.push(TimeAction::Undo);
            }
        }
        TimeState::Trouble(why) => {
            toned(ui, look, Tone::Bad, why);
        }
        TimeState::Ready(model) => ready_ui(ui, look, model, view, &mut actions),
    }
    actions
}

fn how_long_ui(ui: &mut Ui, look: &Look, clock: &str, view: &mut TimeView, actions: &mut Vec<TimeAction>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(clock).heading());
        weak(ui, look, "is now");
    });
    ui.horizontal_wrapped(|ui| {
        let presets: [(&Command, u32); 3] = [(&keys::TIME_DAY, 1), (&keys::TIME_THREE_DAYS, 3), (&keys::TIME_WEEK, 7)];
        for (command, days) in presets {
            if command_button(ui, look, command) {
                view.request.days = days;
                view.request.until.clear();
                actions.push(TimeAction::WorkOut);
            }
        }
        ui.separator();
        let unit = if view.request.days == 1 { " day" } else { " days" };
        let drag = ui.add(egui::DragValue::new(&mut view.request.days).range(1..=3650).suffix(unit));
        field_name(&drag, "Days", &view.request.days.to_string());
        ui.add(egui::Label::new(RichText::new("or until").color(look.theme.palette().weak)).extend());
        let field = TextEdit::singleline(&mut view.request.until)
            .hint_text(crate::widgets::as_hint("a date, or tomorrow"))
            .desired_width(180.0);
        let field = ui.add(field);
        field_name(&field, "Until", &view.request.until);
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if toggle(ui, view.request.talk, "Characters talk", "Characters meet and tell each other what they know")
            .clicked()
        {
            view.request.talk = !view.request.talk;
        }
        if ui.button("Preview").clicked() || entered {
            actions.push(TimeAction::WorkOut);
        }
        if view.request.talk
            && ui.button("Reroll").on_hover_text("The same time span with other random meetings").clicked()
        {
            view.request.seed = view.request.seed.wrapping_add(1);
            actions.push(TimeAction::WorkOut);
        }
    });
}

fn ready_ui(ui: &mut Ui, look: &Look, model: &TimeModel, view: &mut TimeView, actions: &mut Vec<TimeAction>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(format!("{} \u{2192} {}", model.from, model.until));
        let tellings = model.news.len() + model.more;
        weak(
            ui,
            look,
            &format!(
                "{}, {}",
                counted(model.meetings, "meeting", "meetings"),
                counted(tellings, "telling", "tellings")
            ),
        );
    });
    ui.horizontal_wrapped(|ui| {
        if command_button(ui, look, &keys::TIME_APPLY) {
            actions.push(TimeAction::Apply);
        }
        if command_button(ui, look, &keys::TIME_DISCARD) {
            actions.push(TimeAction::Discard);
        }
        ui.separator();
        if toggle(ui, !view.tellings, "What spreads", "How far each fact goes").clicked() {
            view.tellings = false;
        }
        if toggle(ui, view.tellings, "Who tells whom", "Each telling, in order").clicked() {
            view.tellings = true;
        }
    });
    if view.shown != view.tellings {
        view.heights.clear();
        view.shown = view.tellings;
    }
    if model.news.is_empty() {
        weak(ui, look, "Nobody learns anything new. Only the clock advances.");
        return;
    }
    if view.tellings {
        let rows: Vec<&NewsModel> = model.news.iter().filter(|row| !(look.screen_safe && row.secret)).collect();
        more(ui, look, model.more);
        list(ui, "tellings", rows.len(), &mut view.heights, 56.0, None, |ui, number| {
            card(ui, look, false, false, |ui| news_ui(ui, look, rows[number], actions));
        });
    } else {
        let rows: Vec<&SpreadModel> = model.spread.iter().filter(|row| !(look.screen_safe && row.secret)).collect();
        section(ui, look, "Facts that spread", Some(rows.len()));
        list(ui, "spread", rows.len(), &mut view.heights, 56.0, None, |ui, number| {
            card(ui, look, false, false, |ui| spread_ui(ui, look, rows[number], actions));
        });
    }
}

fn spread_ui(ui: &mut Ui, look: &Look, row: &SpreadModel, actions: &mut Vec<TimeAction>) {
    ui.horizontal_wrapped(|ui| {
        badge(ui, look, Tone::Accent, &format!("{} \u{2192} {} know it", row.before, row.after));
        if row.secret {
            badge(ui, look, Tone::Secret, "secret");
        }
        if let Some(id) = sentence(ui, look, &row.what, Tone::Plain) {
            actions.push(TimeAction::Show(id));
        }
    });
    ui.horizontal_wrapped(|ui| {
        weak(ui, look, "told at");
        for place in row.places.iter().take(6) {
            if entity_button(ui, look, place).clicked() {
                actions.push(TimeAction::Show(place.id.clone()));
            }
        }
        more(ui, look, row.places.len().saturating_sub(6));
        if ui.small_button("Show fact").clicked() {
            actions.push(TimeAction::ShowFact(row.fact));
        }
    });
}

fn news_ui(ui: &mut Ui, look: &Look, row: &NewsModel, actions: &mut Vec<TimeAction>) {
    ui.horizontal_wrapped(|ui| {
        for (who, after) in [(&row.teller, "tells"), (&row.hearer, "at"), (&row.place, "")] {
            if entity_button(ui, look, who).clicked() {
                actions.push(TimeAction::Show(who.id.clone()));
            }
            weak(ui, look, after);
        }
        weak(ui, look, &row.when);
        badge(ui, look, Tone::Weak, &format!("believes it {:.2}", row.credence));
        if row.secret {
            badge(ui, look, Tone::Secret, "secret");
        }
    });
    if let Some(id) = sentence(ui, look, &row.what, Tone::Plain) {
        actions.push(TimeAction::Show(id));
    }
}
