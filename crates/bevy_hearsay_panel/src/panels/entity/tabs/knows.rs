//! The tab of an entity's page that shows the facts that the entity knows.

use egui::{RichText, Ui};

use super::matches_filter;
use crate::{
    panel::{DisplayContext, Request},
    panels::entity::{EntityModel, EntityView, KnowsLine},
    theme::Tone,
    widgets::{badge, empty_state, label, link, list, omitted_label},
};

pub(super) fn knows_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    requests: &mut Vec<Request>,
) {
    let all = model.knows.iter();
    let rows: Vec<&KnowsLine> = all.filter(|row| matches_filter(&view.filter, &row.statement)).collect();
    if rows.is_empty() {
        empty_state(
            ui,
            display,
            "It knows only what everybody knows",
            "Facts that it witnesses, hears or reads appear here.",
            None,
        );
        return;
    }
    let omitted_count = model.knows_total.saturating_sub(model.knows.len());
    list(ui, "knows", rows.len() + usize::from(omitted_count > 0), &mut view.heights, 46.0, None, |ui, number| {
        let Some(row) = rows.get(number) else { return omitted_label(ui, display, omitted_count) };
        let fact = row.fact;
        ui.horizontal_wrapped(|ui| {
            if row.conceals || row.secret {
                let badge_text = if row.conceals { "\u{1F512} hides it" } else { "\u{1F512} secret" };
                badge(ui, display, Tone::Secret, badge_text);
            }
            if link(ui, RichText::new(&row.statement).color(display.theme.palette().text)).clicked() {
                requests.push(Request::ShowFact(fact));
            }
        });
        let mut parts = vec![row.acquisition.clone()];
        if row.belief_status != "believes it" || row.credence < 0.995 {
            parts.push(format!("{} ({:.2})", row.belief_status, row.credence));
        }
        parts.push(if row.known_to_party {
            "the party knows it too".into()
        } else {
            "the party does not know it".into()
        });
        label(ui, RichText::new(parts.join(" \u{00B7} ")).small().color(display.theme.palette().weak));
    });
}
