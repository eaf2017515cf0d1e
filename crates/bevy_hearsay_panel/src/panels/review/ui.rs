//! Draws the review panel: filters, list and keys.

use egui::{ComboBox, RichText, TextEdit, Ui};

use super::{
    card::{card_ui, row_ui},
    model::{CardKey, CardKind, Filter, Head, Order, ReviewModel},
    verdict::{VERDICTS, edit, give, toggle_selected},
    view::{ReviewAction, ReviewView},
};
use crate::{
    commands,
    panel::Look,
    text::{counted, shortened},
    widgets::{
        as_hint, choice_named, command_button, command_button_only, empty_state, field_name, from_right, icon_button,
        list, name_field, named, weak,
    },
};

/// Choices for the maximum age of a card, in hours.
const AGES: [(Option<u32>, &str); 4] =
    [(None, "Any age"), (Some(1), "The last hour"), (Some(24), "The last day"), (Some(168), "The last week")];

/// Assumed height of a row that was never drawn, in points.
const ROW: f32 = 34.0;

/// Draws the panel. Returns the requested actions.
pub fn review_ui(ui: &mut Ui, look: &Look, model: &ReviewModel, view: &mut ReviewView) -> Vec<ReviewAction> {
    let mut actions = Vec::new();
    view.screen_safe = look.screen_safe;
    view.list(model, look.screen_safe);
    let before = (view.row, view.drafts.len(), view.selected.len(), view.put_off.len(), view.gone.len());
    keys(ui, look, model, view, &mut actions);
    let after = (view.row, view.drafts.len(), view.selected.len(), view.put_off.len(), view.gone.len());
    view.touched |= before != after || !actions.is_empty();
    view.list(model, look.screen_safe);
    bar(ui, look, model, view, &mut actions);
    if view.reason_open {
        reason(ui, look, view);
    }
    if !view.selected.is_empty() {
        selection(ui, look, model, view, &mut actions);
    }
    ui.add_space(look.theme.spacing().tight);
    if view.listed.rows.is_empty() {
        nothing(ui, look, model, view);
        return actions;
    }
    view.list(model, look.screen_safe);
    let (rows, row) = (std::mem::take(&mut view.listed.rows), view.row);
    let mut heights = std::mem::take(&mut view.heights);
    let scroll_to = std::mem::take(&mut view.moved).then_some(row);
    list(ui, "review cards", rows.len(), &mut heights, ROW, scroll_to, |ui, number| {
        let Some(head) = rows.get(number).and_then(|row| model.heads.get(*row)) else { return };
        let focused = view.focus.as_ref() == Some(&head.key);
        if focused {
            card_ui(ui, look, model, head, (number, rows.len()), view, &mut actions);
        } else if row_ui(ui, look, head, view) {
            view.focus = Some(head.key.clone());
            (view.row, view.fact, view.touched) = (number, 0, true);
        }
    });
    view.heights = heights;
    view.listed.rows = rows;
    actions
}

fn nothing(ui: &mut Ui, look: &Look, model: &ReviewModel, view: &mut ReviewView) {
    if !model.is_read {
        weak(ui, look, "Reading\u{2026}");
    } else if !view.filter.is_open() && !model.heads.is_empty() {
        let what = "No card matches the filter";
        let next = format!("{} hidden by the filter.", counted(model.heads.len(), "card waits", "cards wait"));
        if empty_state(ui, look, what, &next, Some("Show all")) {
            view.filter = Filter::default();
            view.entity_typed.clear();
        }
    } else if look.screen_safe && !model.heads.is_empty() {
        empty_state(ui, look, "Nothing to show while players look", "All waiting cards are secret.", None);
    } else {
        let next = "Doubtful facts appear here. Type what happens into the line below, or import notes.";
        empty_state(ui, look, "No cards to review", next, None);
    }
}

fn keys(ui: &Ui, look: &Look, model: &ReviewModel, view: &mut ReviewView, actions: &mut Vec<ReviewAction>) {
    let pressed = |command| look.pressed(ui, command);
    if pressed(&commands::UNDO) {
        actions.push(ReviewAction::Undo);
    }
    if pressed(&commands::REDO) {
        actions.push(ReviewAction::Redo);
    }
    if pressed(&commands::REVIEW_NEXT) {
        view.set_row(model, view.row + 1);
    }
    if pressed(&commands::REVIEW_BACK) {
        view.set_row(model, view.row.saturating_sub(1));
    }
    if pressed(&commands::REVIEW_OTHER)
        && let Some(CardKey::Clash(facts)) = &view.focus
    {
        view.fact = (view.fact + 1) % facts.len().max(1);
    }
    if pressed(&commands::FILTER) {
        view.give_focus = Some("filter");
    }
    if pressed(&commands::REASON) {
        view.reason_open = true;
        view.give_focus = Some("reason");
    }
    if pressed(&commands::SELECT)
        && let Some(key) = view.focus.clone()
    {
        toggle_selected(view, key);
    }
    if pressed(&commands::SELECT_NONE) {
        view.selected.clear();
        if let Some(key) = view.focus.clone() {
            view.drop_draft(&key);
        }
    }
    let head = view.focus.as_ref().and_then(|key| model.head(key));
    if let Some(head) = head {
        let mut select = |wanted: &dyn Fn(&Head) -> bool| {
            let keys = view.listed.rows.iter().map(|row| &model.heads[*row]).filter(|head| wanted(head));
            let keys: Vec<CardKey> = keys.map(|head| head.key.clone()).collect();
            view.selected.extend(keys);
        };
        if pressed(&commands::SELECT_SOURCE) {
            select(&|other| other.source == head.source && other.key.kind() == head.key.kind());
        }
        if pressed(&commands::SELECT_ABOVE) {
            select(&|other| other.confidence >= head.confidence && other.key.kind() == head.key.kind());
        }
    }
    if pressed(&commands::EDIT) {
        edit(model, view, actions);
    }
    for (command, verdict) in VERDICTS {
        if pressed(command) {
            give(verdict, model, view, actions);
        }
    }
}

fn bar(ui: &mut Ui, look: &Look, model: &ReviewModel, view: &mut ReviewView, actions: &mut Vec<ReviewAction>) {
    ui.horizontal(|ui| {
        let id = ui.make_persistent_id("review filter");
        let field =
            TextEdit::singleline(&mut view.filter.words).id(id).hint_text(as_hint("Filter  /")).desired_width(150.0);
        let response = ui.add(field);
        field_name(&response, "Filter", &view.filter.words);
        if view.give_focus == Some("filter") {
            response.request_focus();
            view.give_focus = None;
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
        choice_named(&order, "Order", view.order.name());
        let narrowed = {
            let mut filter = view.filter.clone();
            filter.words.clear();
            !filter.is_open()
        };
        let text = if narrowed { "Filters \u{2022}" } else { "Filters" };
        let filters = ui
            .add(egui::Button::selectable(view.filters_open, text))
            .on_hover_text("By kind, source, session, entity and confidence");
        if named(filters, true, "Filters").clicked() {
            view.filters_open = !view.filters_open;
        }
        from_right(ui, |ui| {
            let room = ui.available_width() / look.theme.sizes().body;
            if room > 6.0 && command_button_only(ui, look, &commands::UNDO).clicked() {
                actions.push(ReviewAction::Undo);
            }
            if room < 11.0 {
                return;
            }
            let (shown, all) = (view.listed.rows.len(), model.heads.len().saturating_sub(view.gone.len()));
            let count = if shown == all { counted(all, "card", "cards") } else { format!("{shown} of {all}") };
            weak(ui, look, &count);
        });
    });
    if view.filters_open {
        filters(ui, look, model, view);
    }
}

fn filters(ui: &mut Ui, look: &Look, model: &ReviewModel, view: &mut ReviewView) {
    ui.horizontal_wrapped(|ui| {
        let filter = &mut view.filter;
        let kind = filter.kind.map_or("All kinds", CardKind::name);
        let kinds = ComboBox::from_id_salt("review kind").selected_text(kind).show_ui(ui, |ui| {
            ui.selectable_value(&mut filter.kind, None, "All kinds");
            for kind in CardKind::ALL {
                ui.selectable_value(&mut filter.kind, Some(kind), kind.name());
            }
        });
        choice_named(&kinds.response, "Kind", kind);
        choice(ui, "Source", "All sources", &mut filter.source, || model.sources());
        choice(ui, "Session", "All sessions", &mut filter.session, || model.sessions());
        let age = AGES.iter().find(|(hours, _)| *hours == filter.hours).map_or("Any age", |(_, name)| name);
        let ages = ComboBox::from_id_salt("review age").selected_text(age).show_ui(ui, |ui| {
            for (hours, name) in AGES {
                ui.selectable_value(&mut filter.hours, hours, name);
            }
        });
        choice_named(&ages.response, "Age", age);
        ui.label("Confidence from");
        let number = |ui: &mut Ui, name: &str, value: &mut f64| {
            let number = ui.add(egui::DragValue::new(value).range(0.0..=1.0).speed(0.01).fixed_decimals(2));
            field_name(&number, name, &format!("{value:.2}"));
            number.changed()
        };
        number(ui, "Confidence from", &mut filter.least);
        let mut most = filter.most.unwrap_or(1.0);
        ui.label("to");
        if number(ui, "to", &mut most) {
            filter.most = (most < 1.0).then_some(most);
        }
        let about =
            name_field(ui, look, "About", "About entity", &mut view.entity_typed, &mut view.entity_completion, |_| {
                true
            });
        if let Some(chosen) = about.chosen {
            view.filter.entity = Some(chosen.id);
        } else if about.response.changed() {
            view.filter.entity = None;
        }
        if ui.button("Show all").clicked() {
            view.filter = Filter::default();
            view.entity_typed.clear();
        }
    });
}

fn choice(
    ui: &mut Ui,
    name: &str,
    all: &str,
    chosen: &mut Option<String>,
    names: impl FnOnce() -> std::collections::BTreeMap<String, usize>,
) {
    let text = chosen.as_deref().unwrap_or(all).to_owned();
    let list =
        ComboBox::from_id_salt(("review", name)).selected_text(shortened(&text, 24)).height(320.0).show_ui(ui, |ui| {
            ui.selectable_value(chosen, None, all);
            for (name, count) in names() {
                let text = format!("{} ({count})", shortened(&name, 48));
                ui.selectable_value(chosen, Some(name), text);
            }
        });
    choice_named(&list.response, name, &text);
}

fn reason(ui: &mut Ui, look: &Look, view: &mut ReviewView) {
    ui.horizontal(|ui| {
        let id = ui.make_persistent_id("review reason");
        let field = TextEdit::singleline(&mut view.reason)
            .id(id)
            .hint_text(as_hint("Reason: stored with the next decision"))
            .desired_width(360.0);
        let response = ui.add(field);
        field_name(&response, "Reason", &view.reason);
        if view.give_focus == Some("reason") {
            response.request_focus();
            view.give_focus = None;
        }
        if icon_button(ui, "\u{D7}", "No reason").clicked() {
            view.reason.clear();
            view.reason_open = false;
        }
        weak(ui, look, "Enter, then decide");
    });
}

fn selection(ui: &mut Ui, look: &Look, model: &ReviewModel, view: &mut ReviewView, actions: &mut Vec<ReviewAction>) {
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(format!("{} selected:", view.selected.len())).strong());
        for (command, verdict) in VERDICTS {
            let name = format!("{} the selected", command.name);
            let response = ui.add(egui::Button::new(command.name)).on_hover_text(command.tooltip());
            if named(response, true, &name).clicked() {
                give(verdict, model, view, actions);
            }
        }
        if command_button(ui, &Look { keys: false, ..look.clone() }, &commands::SELECT_NONE) {
            view.selected.clear();
        }
    });
}
