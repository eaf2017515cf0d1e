//! Draws the timeline. Years, months or days are on the left, and their moments are on the right.

use egui::{Panel, RichText, ScrollArea, Sense, Ui};
use hearsay_model::{EntityId, FactId, FactStatus, Precision, SessionId};
use hearsay_query::timeline::MomentKind;
use serde::{Deserialize, Serialize};

use super::model::{MomentModel, SpanModel, TimelineModel, TimelineRequest};
use crate::{
    commands as keys,
    panel::Look,
    text::counted,
    theme::Tone,
    widgets::{
        Completion, Heights, badge, beside, card, command_button, empty_state, entity_button, list, more, name_field,
        named, section, sentence, toggle, weak,
    },
};

/// View state of the panel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimelineView {
    /// The request.
    pub request: TimelineRequest,
    /// Typed name of the entity to filter by.
    pub about: String,
    /// Whether moments without a date are shown.
    pub undated: bool,
    #[serde(skip)]
    completion: Completion,
    #[serde(skip)]
    heights: Heights,
    #[serde(skip)]
    shown: Option<(TimelineRequest, bool)>,
}

/// An action that the user requests from the panel.
#[derive(Debug, Clone, PartialEq)]
pub enum TimelineAction {
    /// Show an entity.
    Show(EntityId),
    /// Show a fact.
    ShowFact(FactId),
    /// Show a session.
    Session(SessionId),
}

/// Returns the name of a kind of moment.
fn kind_name(kind: MomentKind) -> &'static str {
    match kind {
        MomentKind::Session => "Sessions",
        MomentKind::Event => "Events",
        MomentKind::Began => "Beginnings",
        MomentKind::Ended => "Ends",
        MomentKind::Scene => "Scenes",
    }
}

fn one_of(kind: MomentKind) -> &'static str {
    match kind {
        MomentKind::Session => "session",
        MomentKind::Event => "event",
        MomentKind::Began => "began",
        MomentKind::Ended => "ended",
        MomentKind::Scene => "scene",
    }
}

/// Draws the timeline. If the user chooses another part, changes `view.request`. The panel then reads the timeline
/// again.
pub fn timeline_ui(ui: &mut Ui, look: &Look, model: &TimelineModel, view: &mut TimelineView) -> Vec<TimelineAction> {
    let mut actions = Vec::new();
    filters_ui(ui, look, model, view);
    path_ui(ui, look, model, view);
    let anything = !model.spans.is_empty() || !model.undated.is_empty();
    if !anything {
        let filtered = view.request != TimelineRequest::default();
        let next = "Events with a date, sessions, and facts with a beginning or an end appear here.";
        let button = filtered.then_some("Show all of time");
        if empty_state(ui, look, "Nothing happened in this period", next, button) {
            (view.request, view.about) = Default::default();
        }
        return actions;
    }
    let width = (look.theme.sizes().body * 16.0).min(ui.available_width() * 0.4);
    Panel::left(ui.id().with("spans"))
        .exact_size(width)
        .resizable(false)
        .show(ui, |ui| spans_ui(ui, look, model, view));
    let moments = if view.undated { &model.undated } else { &model.moments };
    let left_out = if view.undated { model.more_undated } else { model.more };
    let rows: Vec<&MomentModel> = moments.iter().filter(|moment| !look.screen_safe || moment.safe).collect();
    let shown = Some((view.request.clone(), view.undated));
    if view.shown != shown {
        view.heights.clear();
        view.shown = shown;
    }
    let count = counted(rows.len(), "moment", "moments");
    beside(ui, look, |ui| {
        section(ui, look, if view.undated { "Without a date" } else { &count }, None);
        if left_out > 0 {
            weak(ui, look, &format!("and {left_out} more: zoom in to a year, a month or a day"));
        }
        list(ui, "moments", rows.len(), &mut view.heights, 60.0, None, |ui, number| {
            card(ui, look, false, false, |ui| moment_ui(ui, look, rows[number], &mut actions));
        });
    });
    actions
}

fn filters_ui(ui: &mut Ui, look: &Look, model: &TimelineModel, view: &mut TimelineView) {
    ui.horizontal_wrapped(|ui| {
        weak(ui, look, "By");
        for (precision, name) in [(Precision::Year, "Years"), (Precision::Month, "Months"), (Precision::Day, "Days")] {
            let help = "Group the list on the left by this unit";
            if toggle(ui, view.request.by == precision, name, help).clicked() {
                view.request.by = precision;
            }
        }
        ui.separator();
        for kind in MomentKind::ALL {
            let on = view.request.kinds.contains(&kind);
            if toggle(ui, on, kind_name(kind), "Show only these").clicked() {
                if on { view.request.kinds.retain(|other| *other != kind) } else { view.request.kinds.push(kind) }
            }
        }
        ui.separator();
        let field = name_field(ui, look, "About", "Name of an entity", &mut view.about, &mut view.completion, |_| true);
        if let Some(chosen) = field.chosen {
            view.request.about = Some(chosen.id);
        } else if view.about.trim().is_empty() {
            view.request.about = None;
        }
        if let Some(about) = &model.about {
            badge(ui, look, Tone::Accent, &format!("about {}", about.name));
        }
    });
}

fn path_ui(ui: &mut Ui, look: &Look, model: &TimelineModel, view: &mut TimelineView) {
    ui.horizontal_wrapped(|ui| {
        // Draw the path last, because its length changes and would move the controls after it.
        let inside = view.request.within.is_some();
        if ui.add_enabled(inside, egui::Button::new("All of time")).clicked() {
            view.request.leave();
        }
        if ui.add_enabled_ui(inside, |ui| command_button(ui, look, &keys::TIMELINE_OUT)).inner && inside {
            view.request.zoom_out();
        }
        if let Some((now, printed)) = &model.now {
            if command_button(ui, look, &keys::TIMELINE_NOW) {
                view.request.enter(*now, Precision::Month);
                view.undated = false;
            }
            weak(ui, look, &format!("Now: {printed}"));
        }
        for crumb in &model.path {
            weak(ui, look, "\u{203A}");
            if ui.button(&crumb.label).clicked() {
                view.request.enter(crumb.time, crumb.precision);
            }
        }
    });
}

fn spans_ui(ui: &mut Ui, look: &Look, model: &TimelineModel, view: &mut TimelineView) {
    let seen = |span: &SpanModel| if look.screen_safe { span.open } else { span.count };
    let spans: Vec<&SpanModel> = model.spans.iter().filter(|span| seen(span) > 0).collect();
    let most = spans.iter().map(|span| seen(span)).max().unwrap_or(1);
    let undated = model.undated.iter().filter(|moment| !look.screen_safe || moment.safe).count();
    if undated > 0 {
        let all = undated + model.more_undated;
        if toggle(ui, view.undated, "Without a date", "Events and facts without a known date").clicked() {
            view.undated = !view.undated;
        }
        weak(ui, look, &counted(all, "moment", "moments"));
        ui.separator();
    }
    let height = look.theme.sizes().row;
    ScrollArea::vertical().id_salt("spans").auto_shrink([false, false]).show_rows(
        ui,
        height,
        spans.len(),
        |ui, range| {
            for span in &spans[range] {
                let count = seen(span);
                let palette = look.theme.palette();
                let size = egui::vec2(ui.available_width(), height);
                let (rect, response) = ui.allocate_exact_size(size, Sense::click());
                let fill = if response.hovered() || response.has_focus() { palette.hovered } else { palette.raised };
                ui.painter().rect_filled(rect, 3.0, fill);
                let mut bar = rect;
                bar.set_width((rect.width() * count as f32 / most as f32).max(2.0));
                bar.set_top(rect.bottom() - 3.0);
                ui.painter().rect_filled(bar, 0.0, palette.accent);
                let name = if span.now { format!("{} (now)", span.label) } else { span.label.clone() };
                let font = egui::TextStyle::Body.resolve(ui.style());
                let at = rect.left_center() + egui::vec2(6.0, -1.0);
                ui.painter().text(at, egui::Align2::LEFT_CENTER, &name, font.clone(), palette.text);
                let at = rect.right_center() - egui::vec2(6.0, 1.0);
                ui.painter().text(at, egui::Align2::RIGHT_CENTER, count.to_string(), font, palette.weak);
                let response = response.on_hover_text(format!("Show {}", counted(count, "moment", "moments")));
                if named(response, true, &span.label).clicked() {
                    view.request.enter(span.first, span.precision);
                    view.undated = false;
                }
            }
        },
    );
}

fn moment_ui(ui: &mut Ui, look: &Look, moment: &MomentModel, actions: &mut Vec<TimelineAction>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(&moment.when).strong());
        badge(ui, look, Tone::Weak, one_of(moment.kind));
        if moment.secret {
            badge(ui, look, Tone::Secret, "secret");
        }
        if moment.ahead {
            badge(ui, look, Tone::Accent, "still to come");
        }
        if moment.status != FactStatus::Canon {
            badge(ui, look, Tone::Warn, moment.status.as_str());
        }
        if let Some((id, title)) = &moment.session
            && moment.kind != MomentKind::Session
            && ui.link(RichText::new(title).small()).on_hover_text("Show the session").clicked()
        {
            actions.push(TimelineAction::Session(id.clone()));
        }
    });
    if let Some(id) = sentence(ui, look, &moment.what, Tone::Plain) {
        actions.push(TimelineAction::Show(id));
    }
    ui.horizontal_wrapped(|ui| {
        if let Some(place) = &moment.place {
            weak(ui, look, "at");
            if entity_button(ui, look, place).clicked() {
                actions.push(TimelineAction::Show(place.id.clone()));
            }
        }
        if !moment.there.is_empty() {
            weak(ui, look, "there:");
        }
        for who in moment.there.iter().take(10) {
            if entity_button(ui, look, who).clicked() {
                actions.push(TimelineAction::Show(who.id.clone()));
            }
        }
        more(ui, look, moment.there.len().saturating_sub(10));
        match (&moment.session, moment.fact) {
            (Some((id, _)), None) => {
                if ui.small_button("Show session").clicked() {
                    actions.push(TimelineAction::Session(id.clone()));
                }
            }
            (_, Some(fact)) => {
                if ui.small_button("Show fact").clicked() {
                    actions.push(TimelineAction::ShowFact(fact));
                }
            }
            (None, None) => {}
        }
    });
}
