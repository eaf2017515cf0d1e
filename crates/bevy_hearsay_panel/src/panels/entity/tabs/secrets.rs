//! The tab of an entity's page that shows the secrets that the entity keeps, and the secrets about the entity.

use egui::{RichText, Ui};

use super::matches_filter;
use crate::{
    panel::{DisplayContext, Request},
    panels::{
        entity::{EntityModel, EntityView, SecretLine},
        fact::entity_name_ui,
    },
    theme::Tone,
    widgets::{badge, card, empty_state, label, link, list, omitted_label, toned_label, weak_label},
};

pub(super) fn secrets_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    requests: &mut Vec<Request>,
) {
    let rows: Vec<&SecretLine> =
        model.secrets.iter().filter(|row| matches_filter(&view.filter, &row.statement)).collect();
    if rows.is_empty() {
        let hint = "Mark a fact as secret when you add it, or with `!` in the capture line.";
        empty_state(ui, display, "No secrets", hint, None);
        return;
    }
    list(ui, "secrets", rows.len(), &mut view.heights, 86.0, None, |ui, number| {
        let row = rows[number];
        card(ui, display, false, false, |ui| {
            ui.horizontal_wrapped(|ui| {
                badge(
                    ui,
                    display,
                    Tone::Secret,
                    if row.is_holder { "\u{1F512} hides it" } else { "\u{1F512} does not know it" },
                );
                badge(
                    ui,
                    display,
                    if row.tellings.is_empty() { Tone::Warn } else { Tone::Good },
                    if row.tellings.is_empty() { "untold" } else { "told" },
                );
                if row.known_to_party {
                    badge(ui, display, Tone::Good, "\u{2605} the party knows");
                }
            });
            if link(ui, RichText::new(&row.statement).color(display.theme.palette().text)).clicked() {
                requests.push(Request::ShowFact(row.fact));
            }
            ui.horizontal_wrapped(|ui| {
                weak_label(ui, display, "Known to");
                for knower in row.known_by.iter().take(8) {
                    entity_name_ui(ui, display, knower, requests);
                }
                omitted_label(ui, display, row.known_by.len().saturating_sub(8));
            });
            for telling in row.tellings.iter().take(6) {
                label(ui, RichText::new(telling).small().color(display.theme.palette().weak));
            }
            for condition in &row.conditions {
                let (tone, status_text) = match condition.is_met {
                    true => (Tone::Good, "may tell it now".to_owned()),
                    false => (Tone::Warn, format!("does not tell it yet; missing: {}", condition.missing.join("; "))),
                };
                toned_label(ui, display, tone, &format!("{} {status_text}", condition.holder.name));
                if let Some(note) = &condition.note {
                    weak_label(ui, display, note);
                }
            }
        });
    });
}
