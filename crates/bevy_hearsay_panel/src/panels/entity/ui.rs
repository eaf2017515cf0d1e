//! Draws an entity's page.

use egui::{RichText, Ui};
use hearsay_model::Kind;

use super::{
    model::EntityModel,
    tabs::{current_tab_ui, tabs_ui},
    view::{EntityAction, EntityView, PageNavigation},
};
use crate::{
    commands,
    names::NamedEntity,
    panel::{DisplayContext, Request},
    panels::fact::entity_name_ui,
    theme::Tone,
    widgets::{
        badge, command_button, empty_state, kind_symbol, label, link, list_header, omitted_label, quote, toned_label,
        weak_label,
    },
};

/// Maximum number of characters whose feelings are shown.
const MAX_FEELINGS: usize = 4;

/// Draws an entity's page.
pub fn entity_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    navigation: PageNavigation,
) -> Vec<EntityAction> {
    let mut actions = Vec::new();
    let Some(id) = &model.id else {
        let hint = "Search for a name with Ctrl+K, or click a name in any panel.";
        if empty_state(ui, display, "No entity page is open", hint, Some("Search…")) {
            actions.push(EntityAction::Request(Request::Search(String::new())));
        }
        return actions;
    };
    ui.push_id(id, |ui| {
        navigation_ui(ui, display, model, navigation, &mut actions);
        if !model.exists {
            let hint = "It was removed, or the change that added it was undone.";
            empty_state(ui, display, &format!("`{id}` does not exist"), hint, None);
            return;
        }
        let mut requests = Vec::new();
        list_header(ui, "head", |ui| {
            name_and_kind(ui, display, model);
            summary_ui(ui, display, model, &mut requests);
        });
        tabs_ui(ui, display, model, view);
        current_tab_ui(ui, display, model, view, &mut requests);
        actions.extend(requests.into_iter().map(EntityAction::Request));
    });
    actions
}

/// Draws the buttons for the page history and for other panels.
fn navigation_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    navigation: PageNavigation,
    actions: &mut Vec<EntityAction>,
) {
    ui.horizontal_wrapped(|ui| {
        for (is_enabled, command, action) in [
            (navigation.has_previous, &commands::PAGE_BACK, EntityAction::Back),
            (navigation.has_next, &commands::PAGE_FORWARD, EntityAction::Forward),
        ] {
            let is_triggered = ui.add_enabled_ui(is_enabled, |ui| command_button(ui, display, command)).inner;
            if is_triggered && is_enabled {
                actions.push(action);
            }
        }
        let Some(id) = model.id.as_ref().filter(|_| model.exists) else { return };
        if command_button(ui, display, &commands::PAGE_GRAPH) {
            actions.push(EntityAction::Request(Request::Graph(id.clone())));
        }
        let scene = match &model.kind {
            Some(kind) if kind.is_character() => Some(Request::Scene { place: None, speaker: Some(id.clone()) }),
            Some(Kind::Location) => Some(Request::Scene { place: Some(id.clone()), speaker: None }),
            _ => None,
        };
        if let Some(scene) = scene
            && command_button(ui, display, &commands::PAGE_SCENE)
        {
            actions.push(EntityAction::Request(scene));
        }
    });
}

fn name_and_kind(ui: &mut Ui, display: &DisplayContext, model: &EntityModel) {
    ui.horizontal_wrapped(|ui| {
        let colour = display.theme.kind(model.kind.as_ref());
        ui.label(RichText::new(kind_symbol(model.kind.as_ref())).heading().color(colour));
        label(ui, RichText::new(&model.name).heading().strong().color(display.theme.palette().strong));
        if let Some(kind) = &model.kind {
            weak_label(ui, display, kind.as_str());
        }
        if !model.aliases.is_empty() {
            weak_label(ui, display, "\u{00B7} also");
        }
        for alias in &model.aliases {
            match alias.secret {
                true => _ = toned_label(ui, display, Tone::Secret, &format!("\u{1F512} {}", alias.text)),
                false => _ = label(ui, &alias.text),
            }
        }
    });
}

/// Draws first and last meeting, last words, open promises, debts and quests, and feelings.
fn summary_ui(ui: &mut Ui, display: &DisplayContext, model: &EntityModel, requests: &mut Vec<Request>) {
    ui.add_space(display.theme.spacing().tight);
    for (name, meeting) in [("First met", &model.first_met), ("Last seen", &model.last_seen)] {
        labelled_row(ui, display, name, |ui| match meeting {
            Some(meeting) => {
                let text = format!("{} \u{00B7} {}", meeting.text, meeting.acquisition.to_lowercase());
                match &meeting.session {
                    Some(session) => {
                        if link(ui, &text).on_hover_text("Show the report of the session").clicked() {
                            requests.push(Request::Session(session.clone()));
                        }
                    }
                    None => _ = label(ui, &text),
                }
            }
            None => _ = weak_label(ui, display, "not yet"),
        });
    }
    labelled_row(ui, display, "Last words", |ui| match &model.last_words {
        Some(last_words) => {
            quote(ui, display, &last_words.text, &(0..0));
            label(ui, RichText::new(&last_words.when).small().color(display.theme.palette().weak));
        }
        None => _ = weak_label(ui, display, "none that the party heard"),
    });
    let unsettled = &model.unsettled;
    labelled_row(ui, display, "Open threads", |ui| {
        if unsettled.is_empty() {
            weak_label(ui, display, "nothing");
        }
        for thread in unsettled.iter().take(4) {
            ui.horizontal_wrapped(|ui| {
                badge(ui, display, Tone::Warn, &thread.kind);
                let response = link(ui, &thread.text).on_hover_text(&thread.details);
                if response.clicked() {
                    requests.extend(match (&thread.quest, thread.fact) {
                        (Some(quest), _) if model.id.as_ref() != Some(quest) => {
                            Some(Request::ShowEntity(quest.clone()))
                        }
                        (_, fact) => fact.map(Request::ShowFact),
                    });
                }
            });
        }
        omitted_label(ui, display, unsettled.len().saturating_sub(4));
    });
    feelings_ui(ui, display, model, requests);
}

/// Draws the feelings of the entity. Draws nothing if the entity has no noticeable feelings, or if players can see the
/// screen.
fn feelings_ui(ui: &mut Ui, display: &DisplayContext, model: &EntityModel, requests: &mut Vec<Request>) {
    if model.feelings.is_empty() || display.screen_safe {
        return;
    }
    labelled_row(ui, display, "Feelings", |ui| {
        for feelings in model.feelings.iter().take(MAX_FEELINGS) {
            ui.horizontal_wrapped(|ui| {
                label(ui, &feelings.words).on_hover_text(feelings.causes.join("\n"));
                entity_name_ui(ui, display, &feelings.towards, requests);
            });
        }
        omitted_label(ui, display, model.feelings.len().saturating_sub(MAX_FEELINGS));
    });
}

/// Draws a line that begins with a name.
fn labelled_row(ui: &mut Ui, display: &DisplayContext, name: &str, content: impl FnOnce(&mut Ui)) {
    ui.horizontal_top(|ui| {
        let size = egui::vec2(display.theme.sizes().body * 5.4, display.theme.sizes().body);
        ui.allocate_ui(size, |ui| {
            ui.set_width(size.x);
            weak_label(ui, display, name);
        });
        ui.vertical(content);
    });
}

/// Returns the entity of a page with its name.
pub(super) fn page_entity(model: &EntityModel) -> Option<NamedEntity> {
    Some(NamedEntity { id: model.id.clone()?, name: model.name.clone(), kind: model.kind.clone() })
}
