//! The tab of an entity's page that shows the timeline of the entity.

use egui::{RichText, Ui};

use super::matches_filter;
use crate::{
    panel::{DisplayContext, Request},
    panels::entity::{EntityModel, EntityView, TimeLine},
    theme::Tone,
    widgets::{empty_state, link, list, weak_label},
};

pub(super) fn timeline_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    requests: &mut Vec<Request>,
) {
    let all = model.timeline.iter();
    let rows: Vec<&TimeLine> = all.filter(|row| matches_filter(&view.filter, &row.text)).collect();
    if rows.is_empty() {
        empty_state(ui, display, "No dated facts", "Facts with a date appear here, in order of game time.", None);
        return;
    }
    list(ui, "timeline", rows.len(), &mut view.heights, 28.0, None, |ui, number| {
        let row = rows[number];
        ui.horizontal_top(|ui| {
            let size = egui::vec2(display.theme.sizes().body * 11.0, display.theme.sizes().body);
            ui.allocate_ui(size, |ui| {
                ui.set_width(size.x);
                weak_label(ui, display, &row.when);
            });
            ui.vertical(|ui| {
                let text = if row.secret { format!("\u{1F512} {}", row.text) } else { row.text.clone() };
                let tone = if row.secret { Tone::Secret } else { Tone::Plain };
                if link(ui, RichText::new(&text).color(display.theme.tone(tone))).clicked() {
                    requests.extend(match (row.fact, &row.session) {
                        (Some(fact), _) => Some(Request::ShowFact(fact)),
                        (None, Some(session)) => Some(Request::Session(session.clone())),
                        _ => None,
                    });
                }
            });
        });
    });
}
