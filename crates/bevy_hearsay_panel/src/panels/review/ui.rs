//! Draws the review panel: filters, list and keys.

use egui::{ComboBox, RichText, TextEdit, Ui};

use super::{
    card::{card_ui, row_ui},
    decision::{CARD_DECISIONS, apply_decision, edit, toggle_selected},
    model::{CardKey, CardKind, CardSummary, Filter, Order, ReviewModel},
    view::{ReviewAction, ReviewView},
};
use crate::{
    commands,
    panel::DisplayContext,
    text::{format_count, shorten},
    widgets::{
        command_button, command_button_without_keys, empty_state, icon_button, italic_hint, list, name_field,
        right_to_left, set_button_name, set_combo_box_name, set_text_field_name, weak_label,
    },
};

/// Choices for the maximum age of a card, in hours.
const AGE_CHOICES: [(Option<u32>, &str); 4] =
    [(None, "Any age"), (Some(1), "The last hour"), (Some(24), "The last day"), (Some(168), "The last week")];

/// Assumed height of a row that was never drawn, in points.
const DEFAULT_ROW_HEIGHT: f32 = 34.0;

/// Draws the panel. Returns the requested actions.
pub fn review_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &ReviewModel,
    view: &mut ReviewView,
) -> Vec<ReviewAction> {
    let mut actions = Vec::new();
    view.list(model);
    let before = (view.row, view.drafts.len(), view.selected.len(), view.deferred.len(), view.decided_cards.len());
    handle_keys(ui, display, model, view, &mut actions);
    let after = (view.row, view.drafts.len(), view.selected.len(), view.deferred.len(), view.decided_cards.len());
    view.has_chosen_card |= before != after || !actions.is_empty();
    view.list(model);
    toolbar_ui(ui, display, model, view, &mut actions);
    more_ui(ui, display, model, view);
    if view.reason_open {
        reason_ui(ui, display, view);
    }
    if !view.selected.is_empty() {
        selection_ui(ui, display, model, view, &mut actions);
    }
    ui.add_space(display.theme.spacing().tight);
    if view.card_list.rows.is_empty() {
        empty_ui(ui, display, model, view);
        return actions;
    }
    view.list(model);
    let (rows, row) = (std::mem::take(&mut view.card_list.rows), view.row);
    let mut heights = std::mem::take(&mut view.heights);
    let scroll_to = std::mem::take(&mut view.scroll_to_focus).then_some(row);
    list(ui, "review cards", rows.len(), &mut heights, DEFAULT_ROW_HEIGHT, scroll_to, |ui, number| {
        let Some(card) = rows.get(number).and_then(|row| model.cards.get(*row)) else { return };
        let focused = view.focus.as_ref() == Some(&card.key);
        if focused {
            card_ui(ui, display, model, card, (number, rows.len()), view, &mut actions);
        } else if row_ui(ui, display, card, view) {
            view.focus = Some(card.key.clone());
            (view.row, view.fact, view.has_chosen_card) = (number, 0, true);
        }
    });
    view.heights = heights;
    view.card_list.rows = rows;
    actions
}

fn empty_ui(ui: &mut Ui, display: &DisplayContext, model: &ReviewModel, view: &mut ReviewView) {
    if !model.is_read {
        weak_label(ui, display, "Reading\u{2026}");
    } else if !view.filter.is_empty() && !model.cards.is_empty() {
        let title = "No card matches the filter";
        let hint = format!("{} hidden by the filter.", format_count(model.cards.len(), "card waits", "cards wait"));
        if empty_state(ui, display, title, &hint, Some("Show all")) {
            view.filter = Filter::default();
            view.entity_filter_text.clear();
        }
    } else {
        let hint = "Doubtful facts appear here. Type what happens into the line below, or import notes.";
        empty_state(ui, display, "No cards to review", hint, None);
    }
}

fn handle_keys(
    ui: &Ui,
    display: &DisplayContext,
    model: &ReviewModel,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    let pressed = |command| display.is_triggered(ui, command);
    if pressed(&commands::UNDO) {
        actions.push(ReviewAction::Undo);
    }
    if pressed(&commands::REDO) {
        actions.push(ReviewAction::Redo);
    }
    if pressed(&commands::REVIEW_NEXT) {
        view.set_row(model, view.row + 1);
    }
    if pressed(&commands::REVIEW_PREVIOUS) {
        view.set_row(model, view.row.saturating_sub(1));
    }
    if pressed(&commands::REVIEW_OTHER)
        && let Some(CardKey::Contradiction(facts)) = &view.focus
    {
        view.fact = (view.fact + 1) % facts.len().max(1);
    }
    if pressed(&commands::FILTER) {
        view.focus_field = Some("filter");
    }
    if pressed(&commands::REASON) {
        view.reason_open = true;
        view.focus_field = Some("reason");
    }
    if pressed(&commands::SELECT)
        && let Some(key) = view.focus.clone()
    {
        toggle_selected(view, key);
    }
    if pressed(&commands::SELECT_NONE) {
        view.selected.clear();
        if let Some(key) = view.focus.clone() {
            view.discard_draft(&key);
        }
    }
    let focused_card = view.focus.as_ref().and_then(|key| model.card(key));
    if let Some(focused_card) = focused_card {
        let mut select = |should_select: &dyn Fn(&CardSummary) -> bool| {
            let keys = view.card_list.rows.iter().map(|row| &model.cards[*row]).filter(|card| should_select(card));
            let keys: Vec<CardKey> = keys.map(|card| card.key.clone()).collect();
            view.selected.extend(keys);
        };
        if pressed(&commands::SELECT_SOURCE) {
            select(&|other| other.source == focused_card.source && other.key.kind() == focused_card.key.kind());
        }
        if pressed(&commands::SELECT_ABOVE) {
            select(&|other| other.confidence >= focused_card.confidence && other.key.kind() == focused_card.key.kind());
        }
    }
    if pressed(&commands::EDIT) || view.is_edit_due(model) {
        edit(model, view, actions);
    }
    for (command, card_decision) in CARD_DECISIONS {
        if pressed(command) {
            apply_decision(display, card_decision, model, view, actions);
        }
    }
}

fn toolbar_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &ReviewModel,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    ui.horizontal(|ui| {
        let id = ui.make_persistent_id("review filter");
        let field = TextEdit::singleline(&mut view.filter.words)
            .id(id)
            .hint_text(italic_hint("Filter  /"))
            .desired_width(150.0);
        let response = ui.add(field);
        set_text_field_name(&response, "Filter", &view.filter.words);
        if view.focus_field == Some("filter") {
            response.request_focus();
            view.focus_field = None;
        }
        if !view.filter.words.is_empty() && icon_button(ui, "\u{D7}", "Clear the filter").clicked() {
            view.filter.words.clear();
        }
        let order = ComboBox::from_id_salt("review order")
            .selected_text(view.order.name())
            .show_ui(ui, |ui| {
                for order in Order::ALL {
                    ui.selectable_value(&mut view.order, order, order.name());
                }
            })
            .response
            .on_hover_text("Order of the cards");
        set_combo_box_name(&order, "Order", view.order.name());
        let is_narrowed = {
            let mut filter = view.filter.clone();
            filter.words.clear();
            !filter.is_empty()
        };
        let text = if is_narrowed { "Filters \u{2022}" } else { "Filters" };
        let filters = ui
            .add(egui::Button::selectable(view.filters_open, text))
            .on_hover_text("By kind, source, session, entity and confidence");
        if set_button_name(filters, true, "Filters").clicked() {
            view.filters_open = !view.filters_open;
        }
        right_to_left(ui, |ui| {
            let width_in_chars = ui.available_width() / display.theme.sizes().body;
            if width_in_chars > 6.0 && command_button_without_keys(ui, display, &commands::UNDO).clicked() {
                actions.push(ReviewAction::Undo);
            }
            if width_in_chars < 11.0 {
                return;
            }
            let (shown_count, total) =
                (view.card_list.rows.len(), model.cards.len().saturating_sub(view.decided_cards.len()));
            let count = if shown_count == total {
                format_count(total, "card", "cards")
            } else {
                format!("{shown_count} of {total}")
            };
            weak_label(ui, display, &count);
        });
    });
    if view.filters_open {
        filters_ui(ui, display, model, view);
    }
}

/// Draws the number of cards that triage holds back, and the button that shows or hides these cards.
fn more_ui(ui: &mut Ui, display: &DisplayContext, model: &ReviewModel, view: &mut ReviewView) {
    if model.held_back == 0 {
        return;
    }
    let (text, name) =
        if view.shows_held_back { ("Less", "Hide less certain cards") } else { ("More", "Show more cards") };
    ui.horizontal(|ui| {
        let button = ui.button(text).on_hover_text(
            "From each session and import, only the most certain facts are shown. The others are held back.",
        );
        if set_button_name(button, true, name).clicked() {
            view.shows_held_back = !view.shows_held_back;
        }
        let count = format_count(model.held_back, "less certain card", "less certain cards");
        let label = if view.shows_held_back { format!("{count} shown") } else { format!("{count} held back") };
        weak_label(ui, display, &label);
    });
}

fn filters_ui(ui: &mut Ui, display: &DisplayContext, model: &ReviewModel, view: &mut ReviewView) {
    ui.horizontal_wrapped(|ui| {
        let filter = &mut view.filter;
        let kind = filter.kind.map_or("All kinds", CardKind::name);
        let kinds = ComboBox::from_id_salt("review kind").selected_text(kind).show_ui(ui, |ui| {
            ui.selectable_value(&mut filter.kind, None, "All kinds");
            for kind in CardKind::ALL {
                ui.selectable_value(&mut filter.kind, Some(kind), kind.name());
            }
        });
        set_combo_box_name(&kinds.response, "Kind", kind);
        filter_choice_ui(ui, "Source", "All sources", &mut filter.source, || model.sources());
        filter_choice_ui(ui, "Session", "All sessions", &mut filter.session, || model.sessions());
        let age = AGE_CHOICES.iter().find(|(hours, _)| *hours == filter.hours).map_or("Any age", |(_, name)| name);
        let ages = ComboBox::from_id_salt("review age").selected_text(age).show_ui(ui, |ui| {
            for (hours, name) in AGE_CHOICES {
                ui.selectable_value(&mut filter.hours, hours, name);
            }
        });
        set_combo_box_name(&ages.response, "Age", age);
        ui.label("Confidence from");
        let number = |ui: &mut Ui, name: &str, value: &mut f64| {
            let number = ui.add(egui::DragValue::new(value).range(0.0..=1.0).speed(0.01).fixed_decimals(2));
            set_text_field_name(&number, name, &format!("{value:.2}"));
            number.changed()
        };
        number(ui, "Confidence from", &mut filter.min_confidence);
        let mut max_confidence = filter.max_confidence.unwrap_or(1.0);
        ui.label("to");
        if number(ui, "to", &mut max_confidence) {
            filter.max_confidence = (max_confidence < 1.0).then_some(max_confidence);
        }
        let entity_field = name_field(
            ui,
            display,
            "About",
            "About entity",
            &mut view.entity_filter_text,
            &mut view.entity_completion,
            |_| true,
        );
        if let Some(chosen) = entity_field.chosen {
            view.filter.entity = Some(chosen.id);
        } else if entity_field.response.changed() {
            view.filter.entity = None;
        }
        if ui.button("Show all").clicked() {
            view.filter = Filter::default();
            view.entity_filter_text.clear();
        }
    });
}

fn filter_choice_ui(
    ui: &mut Ui,
    name: &str,
    all_label: &str,
    chosen: &mut Option<String>,
    names: impl FnOnce() -> std::collections::BTreeMap<String, usize>,
) {
    let text = chosen.as_deref().unwrap_or(all_label).to_owned();
    let list =
        ComboBox::from_id_salt(("review", name)).selected_text(shorten(&text, 24)).height(320.0).show_ui(ui, |ui| {
            ui.selectable_value(chosen, None, all_label);
            for (name, count) in names() {
                let text = format!("{} ({count})", shorten(&name, 48));
                ui.selectable_value(chosen, Some(name), text);
            }
        });
    set_combo_box_name(&list.response, name, &text);
}

fn reason_ui(ui: &mut Ui, display: &DisplayContext, view: &mut ReviewView) {
    ui.horizontal(|ui| {
        let id = ui.make_persistent_id("review reason");
        let field = TextEdit::singleline(&mut view.reason)
            .id(id)
            .hint_text(italic_hint("Reason: stored with the next decision"))
            .desired_width(360.0);
        let response = ui.add(field);
        set_text_field_name(&response, "Reason", &view.reason);
        if view.focus_field == Some("reason") {
            response.request_focus();
            view.focus_field = None;
        }
        if icon_button(ui, "\u{D7}", "No reason").clicked() {
            view.reason.clear();
            view.reason_open = false;
        }
        weak_label(ui, display, "Enter, then decide");
    });
}

fn selection_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &ReviewModel,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(format!("{} selected:", view.selected.len())).strong());
        for (command, card_decision) in CARD_DECISIONS {
            let name = format!("{} the selected", command.name);
            let response = ui.add(egui::Button::new(command.name)).on_hover_text(command.tooltip());
            if set_button_name(response, true, &name).clicked() {
                apply_decision(display, card_decision, model, view, actions);
            }
        }
        if command_button(ui, &DisplayContext { accepts_keys: false, ..display.clone() }, &commands::SELECT_NONE) {
            view.selected.clear();
        }
    });
}
