//! The tab of an entity's page that shows passages (recorded texts) by and about the entity.

use egui::{RichText, Ui};

use super::matches_filter;
use crate::{
    panel::{DisplayContext, Request},
    panels::{
        entity::{EntityModel, EntityView, PassageLine},
        fact::entity_name_ui,
    },
    text::format_count,
    widgets::{empty_state, label, list, quote, weak_label},
};

pub(super) fn words_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    requests: &mut Vec<Request>,
) {
    let is_shown = |row: &&PassageLine| matches_filter(&view.filter, &row.text);
    let rows: Vec<&PassageLine> = model.passages.iter().filter(is_shown).collect();
    if rows.is_empty() {
        empty_state(ui, display, "No passages yet", "Lines that it speaks, and passages about it, appear here.", None);
        return;
    }
    let omitted_count = model.passages_total.saturating_sub(model.passages.len());
    list(ui, "words", rows.len() + usize::from(omitted_count > 0), &mut view.heights, 52.0, None, |ui, number| {
        let Some(row) = rows.get(number) else {
            weak_label(ui, display, &format!("and {}", format_count(omitted_count, "older passage", "older passages")));
            return;
        };
        ui.horizontal_wrapped(|ui| {
            match &row.speaker {
                Some(speaker) if row.is_speaker => _ = label(ui, RichText::new(&speaker.name).strong()),
                Some(speaker) => entity_name_ui(ui, display, speaker, requests),
                None => _ = weak_label(ui, display, "narrated"),
            }
            label(ui, RichText::new(&row.place).small().color(display.theme.palette().weak));
        });
        quote(ui, display, &row.text, &(0..0));
    });
}
