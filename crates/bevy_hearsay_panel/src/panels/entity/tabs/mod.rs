//! Draws the tabs of an entity's page: the row of tabs with the filter, and the content of the current tab.

mod about;
mod knows;
mod secrets;
mod timeline;
mod words;

use egui::{TextEdit, Ui};

use super::{
    model::EntityModel,
    view::{EntityView, NewFactDraft, Tab},
};
use crate::{
    commands,
    panel::{DisplayContext, Request},
    panels::fact::named_text_field,
    widgets::command_button,
};

/// Draws the row of tabs, with the filter and the button to add a fact.
pub(super) fn tabs_ui(ui: &mut Ui, display: &DisplayContext, model: &EntityModel, view: &mut EntityView) {
    ui.add_space(display.theme.spacing().tight);
    ui.horizontal_wrapped(|ui| {
        let fact_count = model.sections.iter().map(|section| section.facts.len() + section.more).sum();
        for (tab, count) in [
            (Tab::About, fact_count),
            (Tab::Knows, model.knows_total),
            (Tab::Secrets, model.secrets.len()),
            (Tab::Timeline, model.timeline.len()),
            (Tab::Words, model.passages_total),
        ] {
            let text = format!("{} {count}", tab.name());
            let response = ui.add(egui::Button::selectable(view.tab == tab, text));
            let (is_selected, name) = (view.tab == tab, tab.name());
            response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::RadioButton, true, is_selected, name));
            if response.clicked() && view.tab != tab {
                view.tab = tab;
                view.heights.clear();
            }
        }
        let field = TextEdit::singleline(&mut view.filter)
            .hint_text(crate::widgets::italic_hint("Filter"))
            .desired_width(140.0);
        let response = named_text_field(ui.add(field), "Filter this page", &view.filter);
        if response.changed() {
            view.heights.clear();
        }
        if view.tab == Tab::About
            && crate::widgets::toggle(ui, view.compact, "Compact", "Show each fact in one line").clicked()
        {
            view.compact = !view.compact;
            view.heights.clear();
        }
        if view.tab == Tab::About && !display.screen_safe && command_button(ui, display, &commands::PAGE_ADD) {
            view.new_fact = match view.new_fact.take() {
                Some(_) => None,
                None => Some(NewFactDraft::default()),
            };
        }
    });
    ui.separator();
}

/// Draws the content of the current tab.
pub(super) fn current_tab_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    requests: &mut Vec<Request>,
) {
    match view.tab {
        Tab::About => about::about_ui(ui, display, model, view, requests),
        Tab::Knows => knows::knows_ui(ui, display, model, view, requests),
        Tab::Secrets => secrets::secrets_ui(ui, display, model, view, requests),
        Tab::Timeline => timeline::timeline_ui(ui, display, model, view, requests),
        Tab::Words => words::words_ui(ui, display, model, view, requests),
    }
}

/// Returns whether a text contains all words of a filter.
fn matches_filter(filter: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    filter.to_lowercase().split_whitespace().all(|word| text.contains(word))
}
