//! Draws the timeline. Years, months or days are on the left, and their moments are on the right.

use egui::{Panel, RichText, ScrollArea, Sense, Ui};
use hearsay_model::{EntityId, FactId, FactStatus, Precision, SessionId};
use hearsay_query::timeline::MomentKind;
use serde::{Deserialize, Serialize};

use super::model::{MomentModel, SpanModel, TimelineModel, TimelineRequest};
use crate::{
    commands,
    panel::DisplayContext,
    text::format_count,
    theme::Tone,
    widgets::{
        Completion, RowHeights, badge, card, command_button, content_beside_list, empty_state, entity_button, list,
        name_field, omitted_label, section_heading, sentence, set_button_name, toggle, weak_label,
    },
};

/// UI state of the timeline panel: the displayed part of the timeline, and the filter by entity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimelineView {
    /// Request for the part of the timeline to display.
    pub request: TimelineRequest,
    /// Name of an entity, typed into the filter. The panel shows only moments that involve this entity.
    pub entity_name: String,
    /// Whether the panel shows moments without a date.
    pub undated: bool,
    #[serde(skip)]
    completion: Completion,
    #[serde(skip)]
    heights: RowHeights,
    #[serde(skip)]
    shown_request: Option<(TimelineRequest, bool)>,
}

/// An action that the user chose in the panel. The caller carries out the action.
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

fn kind_singular(kind: MomentKind) -> &'static str {
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
pub fn timeline_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &TimelineModel,
    view: &mut TimelineView,
) -> Vec<TimelineAction> {
    let mut actions = Vec::new();
    filters_ui(ui, display, model, view);
    path_ui(ui, display, model, view);
    let has_moments = !model.spans.is_empty() || !model.undated.is_empty();
    if !has_moments {
        let is_filtered = view.request != TimelineRequest::default();
        let hint = "Events with a date, sessions, and facts with a beginning or an end appear here.";
        let button = is_filtered.then_some("Show all of time");
        if empty_state(ui, display, "Nothing happened in this period", hint, button) {
            (view.request, view.entity_name) = Default::default();
        }
        return actions;
    }
    let width = (display.theme.sizes().body * 16.0).min(ui.available_width() * 0.4);
    Panel::left(ui.id().with("spans"))
        .exact_size(width)
        .resizable(false)
        .show(ui, |ui| spans_ui(ui, display, model, view));
    let moments = if view.undated { &model.undated } else { &model.moments };
    let omitted_count = if view.undated { model.more_undated } else { model.more };
    let rows: Vec<&MomentModel> = moments.iter().collect();
    let current_request = Some((view.request.clone(), view.undated));
    if view.shown_request != current_request {
        view.heights.clear();
        view.shown_request = current_request;
    }
    let count = format_count(rows.len(), "moment", "moments");
    content_beside_list(ui, display, |ui| {
        section_heading(ui, display, if view.undated { "Without a date" } else { &count }, None);
        if omitted_count > 0 {
            weak_label(ui, display, &format!("and {omitted_count} more: zoom in to a year, a month or a day"));
        }
        list(ui, "moments", rows.len(), &mut view.heights, 60.0, None, |ui, number| {
            card(ui, display, false, false, |ui| moment_ui(ui, display, rows[number], &mut actions));
        });
    });
    actions
}

fn filters_ui(ui: &mut Ui, display: &DisplayContext, model: &TimelineModel, view: &mut TimelineView) {
    ui.horizontal_wrapped(|ui| {
        weak_label(ui, display, "By");
        for (precision, name) in [(Precision::Year, "Years"), (Precision::Month, "Months"), (Precision::Day, "Days")] {
            let help = "Group the list on the left by this unit";
            if toggle(ui, view.request.unit == precision, name, help).clicked() {
                view.request.unit = precision;
            }
        }
        ui.separator();
        for kind in MomentKind::ALL {
            let is_selected = view.request.kinds.contains(&kind);
            if toggle(ui, is_selected, kind_name(kind), "Show only these").clicked() {
                if is_selected {
                    view.request.kinds.retain(|other| *other != kind)
                } else {
                    view.request.kinds.push(kind)
                }
            }
        }
        ui.separator();
        let field =
            name_field(ui, display, "About", "Name of an entity", &mut view.entity_name, &mut view.completion, |_| {
                true
            });
        if let Some(chosen) = field.chosen {
            view.request.about = Some(chosen.id);
        } else if view.entity_name.trim().is_empty() {
            view.request.about = None;
        }
        if let Some(about) = &model.about {
            badge(ui, display, Tone::Accent, &format!("about {}", about.name));
        }
    });
}

fn path_ui(ui: &mut Ui, display: &DisplayContext, model: &TimelineModel, view: &mut TimelineView) {
    ui.horizontal_wrapped(|ui| {
        // Draw the path last, because its length changes and would move the controls after it.
        let is_zoomed_in = view.request.within.is_some();
        if ui.add_enabled(is_zoomed_in, egui::Button::new("All of time")).clicked() {
            view.request.show_all();
        }
        if ui.add_enabled_ui(is_zoomed_in, |ui| command_button(ui, display, &commands::TIMELINE_ZOOM_OUT)).inner
            && is_zoomed_in
        {
            view.request.zoom_out();
        }
        if let Some((now, printed)) = &model.current_time {
            if command_button(ui, display, &commands::TIMELINE_NOW) {
                view.request.zoom_in(*now, Precision::Month);
                view.undated = false;
            }
            weak_label(ui, display, &format!("Now: {printed}"));
        }
        for crumb in &model.path {
            weak_label(ui, display, "\u{203A}");
            if ui.button(&crumb.label).clicked() {
                view.request.zoom_in(crumb.time, crumb.precision);
            }
        }
    });
}

fn spans_ui(ui: &mut Ui, display: &DisplayContext, model: &TimelineModel, view: &mut TimelineView) {
    let spans: Vec<&SpanModel> = model.spans.iter().filter(|span| span.count > 0).collect();
    let max_count = spans.iter().map(|span| span.count).max().unwrap_or(1);
    let undated = model.undated.len();
    if undated > 0 {
        let total = undated + model.more_undated;
        if toggle(ui, view.undated, "Without a date", "Events and facts without a known date").clicked() {
            view.undated = !view.undated;
        }
        weak_label(ui, display, &format_count(total, "moment", "moments"));
        ui.separator();
    }
    let height = display.theme.sizes().row;
    ScrollArea::vertical().id_salt("spans").auto_shrink([false, false]).show_rows(
        ui,
        height,
        spans.len(),
        |ui, range| {
            for span in &spans[range] {
                let count = span.count;
                let palette = display.theme.palette();
                let size = egui::vec2(ui.available_width(), height);
                let (rect, response) = ui.allocate_exact_size(size, Sense::click());
                let fill = if response.hovered() || response.has_focus() { palette.hovered } else { palette.raised };
                ui.painter().rect_filled(rect, 3.0, fill);
                let mut bar = rect;
                bar.set_width((rect.width() * count as f32 / max_count as f32).max(2.0));
                bar.set_top(rect.bottom() - 3.0);
                ui.painter().rect_filled(bar, 0.0, palette.accent);
                let name = if span.is_current { format!("{} (now)", span.label) } else { span.label.clone() };
                let font = egui::TextStyle::Body.resolve(ui.style());
                let at = rect.left_center() + egui::vec2(6.0, -1.0);
                ui.painter().text(at, egui::Align2::LEFT_CENTER, &name, font.clone(), palette.text);
                let at = rect.right_center() - egui::vec2(6.0, 1.0);
                ui.painter().text(at, egui::Align2::RIGHT_CENTER, count.to_string(), font, palette.weak);
                let response = response.on_hover_text(format!("Show {}", format_count(count, "moment", "moments")));
                if set_button_name(response, true, &span.label).clicked() {
                    view.request.zoom_in(span.first, span.precision);
                    view.undated = false;
                }
            }
        },
    );
}

fn moment_ui(ui: &mut Ui, display: &DisplayContext, moment: &MomentModel, actions: &mut Vec<TimelineAction>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(&moment.when).strong());
        badge(ui, display, Tone::Weak, kind_singular(moment.kind));
        if moment.secret {
            badge(ui, display, Tone::Secret, "secret");
        }
        if moment.is_future {
            badge(ui, display, Tone::Accent, "still to come");
        }
        if moment.status != FactStatus::Canon {
            badge(ui, display, Tone::Warn, moment.status.as_str());
        }
        if let Some((id, title)) = &moment.session
            && moment.kind != MomentKind::Session
            && ui.link(RichText::new(title).small()).on_hover_text("Show the session").clicked()
        {
            actions.push(TimelineAction::Session(id.clone()));
        }
    });
    if let Some(id) = sentence(ui, display, &moment.description, Tone::Plain) {
        actions.push(TimelineAction::Show(id));
    }
    ui.horizontal_wrapped(|ui| {
        if let Some(place) = &moment.place {
            weak_label(ui, display, "at");
            if entity_button(ui, display, place).clicked() {
                actions.push(TimelineAction::Show(place.id.clone()));
            }
        }
        if !moment.present.is_empty() {
            weak_label(ui, display, "there:");
        }
        for entity in moment.present.iter().take(10) {
            if entity_button(ui, display, entity).clicked() {
                actions.push(TimelineAction::Show(entity.id.clone()));
            }
        }
        omitted_label(ui, display, moment.present.len().saturating_sub(10));
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
