//! The tab of an entity's page that shows the facts about the entity. It also has fields for adding a fact.

use egui::{Key, Modifiers, RichText, TextEdit, Ui};
use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_model::EntityId;

use super::matches_filter;
use crate::{
    panel::{DeskCommand, DisplayContext, Request},
    panels::{
        entity::{EntityModel, EntityView, FactSection, NewFactDraft},
        fact::{FactModel, compact_fact_ui, fact_ui, named_text_field},
    },
    widgets::{card, empty_state, label, list, name_field, omitted_label, set_button_name, weak_label},
};

/// A row of the list of facts.
enum AboutRow<'a> {
    Section(&'a FactSection, usize),
    Fact(&'a FactModel),
    More(usize),
}

pub(super) fn about_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    requests: &mut Vec<Request>,
) {
    if let Some(new_fact) = &mut view.new_fact
        && !display.screen_safe
        && new_fact_ui(ui, display, model, new_fact, requests)
    {
        view.new_fact = None;
    }
    let is_shown = |fact: &&FactModel| {
        matches_filter(&view.filter, &format!("{} {} {}", fact.statement.text, fact.predicate, fact.object))
    };
    let mut rows = Vec::new();
    for section in &model.sections {
        let facts: Vec<&FactModel> = section.facts.iter().filter(is_shown).collect();
        if facts.is_empty() {
            continue;
        }
        rows.push(AboutRow::Section(section, facts.len()));
        if view.closed_sections.contains(&section.title) && view.focus.is_none() && view.filter.is_empty() {
            continue;
        }
        rows.extend(facts.into_iter().map(AboutRow::Fact));
        if section.more > 0 {
            rows.push(AboutRow::More(section.more));
        }
    }
    if rows.is_empty() {
        let hint = match view.filter.is_empty() {
            true => "Add a fact here, or type one in the capture line.",
            false => "No entry contains the words of the filter.",
        };
        empty_state(ui, display, "No facts to show", hint, None);
        return;
    }
    let row_of = |id| rows.iter().position(|row| matches!(row, AboutRow::Fact(fact) if fact.fact == id));
    let focused_row = view.focus.and_then(row_of);
    view.focus = view.focus.filter(|_| focused_row.is_none());
    let (facts, closed_sections, compact) = (&mut view.facts, &mut view.closed_sections, view.compact);
    let mut heights = std::mem::take(&mut view.heights);
    let clock = model.clock.as_deref();
    let mut has_changed = false;
    let default_height = if compact { display.theme.sizes().row } else { 74.0 };
    list(ui, "about", rows.len(), &mut heights, default_height, focused_row, |ui, number| match &rows[number] {
        AboutRow::Section(section, count) => {
            let is_open = !closed_sections.contains(&section.title);
            if section_toggle(ui, display, &section.title, *count, is_open) {
                has_changed = true;
                if !closed_sections.remove(&section.title) {
                    closed_sections.insert(section.title.clone());
                }
            }
        }
        AboutRow::Fact(fact) if compact && !facts.is_open(fact.fact) => {
            has_changed |= compact_fact_ui(ui, display, fact, facts, requests);
        }
        AboutRow::Fact(fact) => requests.extend(fact_ui(ui, display, fact, facts, clock, focused_row == Some(number))),
        AboutRow::More(count) => omitted_label(ui, display, *count),
    });
    if !has_changed {
        view.heights = heights;
    }
}

/// Draws the heading of a group of facts, which opens and closes the group. Returns whether the heading was clicked.
fn section_toggle(ui: &mut Ui, display: &DisplayContext, title: &str, count: usize, is_open: bool) -> bool {
    ui.add_space(display.theme.spacing().normal);
    ui.horizontal(|ui| {
        let (symbol, verb) = if is_open { ("\u{25BE}", "Close") } else { ("\u{25B8}", "Open") };
        let text = RichText::new(format!("{symbol} {title}")).strong().color(display.theme.palette().strong);
        let button = ui.add(egui::Button::new(text).frame(false));
        ui.label(RichText::new(count.to_string()).small().color(display.theme.palette().weak));
        set_button_name(button, true, &format!("{verb} the group {title}")).clicked()
    })
    .inner
}

/// Draws the fields for adding an attribute or a relation. Returns whether the user has completed or cancelled the
/// input.
fn new_fact_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    new_fact: &mut NewFactDraft,
    requests: &mut Vec<Request>,
) -> bool {
    let mut is_finished = false;
    card(ui, display, true, false, |ui| {
        ui.horizontal_wrapped(|ui| {
            label(ui, RichText::new(&model.name).strong());
            let predicate_field = TextEdit::singleline(&mut new_fact.predicate)
                .hint_text(crate::widgets::italic_hint("occupation, owes, alias…"))
                .desired_width(150.0);
            let predicate_field = ui.add(predicate_field);
            let predicate_field = named_text_field(predicate_field, "Attribute or relation", &new_fact.predicate);
            let hint = "value, or name of an entity";
            let field =
                name_field(ui, display, "Value to add", hint, &mut new_fact.value, &mut new_fact.completion, |_| true);
            if let Some(chosen) = &field.chosen {
                new_fact.object_entity = Some(chosen.id.clone());
            } else if field.response.changed() {
                new_fact.object_entity = None;
            }
            ui.checkbox(&mut new_fact.secret, "Secret");
            let is_ready = !new_fact.predicate.trim().is_empty() && !new_fact.value.trim().is_empty();
            let is_confirmed =
                field.entered || predicate_field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            let add_clicked = ui.add_enabled(is_ready, egui::Button::new("Add")).clicked();
            if (add_clicked || is_confirmed) && is_ready {
                requests.extend(
                    model.id.as_ref().map(|id| Request::Execute(DeskCommand::Edit(edit_to_add_fact(id, new_fact)))),
                );
                is_finished = true;
            }
            let escape = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
            is_finished |= ui.button("Cancel").clicked() || escape;
        });
        weak_label(
            ui,
            display,
            "The name of an entity makes a relation; any other value makes an attribute. The new fact is canon.",
        );
    });
    is_finished
}

/// Returns the edit that adds the fact. The fact is a relation if the user chose a name, and an attribute otherwise.
fn edit_to_add_fact(id: &EntityId, new_fact: &NewFactDraft) -> Edit {
    let options = FactOptions { secret: new_fact.secret, ..FactOptions::default() };
    let (predicate, value) = (new_fact.predicate.trim().to_owned(), new_fact.value.trim().to_owned());
    match &new_fact.object_entity {
        Some(object_entity) => Edit::Relate { subject: id.clone(), predicate, object: object_entity.clone(), options },
        None => {
            let attribute = predicate.to_lowercase().replace([' ', '-'], "_");
            Edit::Set { entity: id.clone(), attribute, value, options }
        }
    }
}
