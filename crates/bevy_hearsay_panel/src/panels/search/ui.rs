//! Draws the search box and the results below.

use egui::{Key, Modifiers, RichText, Sense, TextEdit, Ui, UiBuilder};
use hearsay_model::{EntityId, FactStatus};
use serde::{Deserialize, Serialize};

use super::model::{Knowers, SearchModel, SearchRow, SearchTarget};
use crate::{
    direction::visual_order,
    panel::{DisplayContext, Request},
    panels::fact::{knower_ui, named_text_field},
    text::shorten,
    theme::Tone,
    widgets::{badge, entity_button, icon_button, kind_symbol, label, section_heading, weak_label},
};

/// UI state of the search panel: the typed text, the highlighted result, and recently opened entities.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchView {
    /// The text typed into the search box.
    pub text: String,
    /// Index of the highlighted result.
    pub highlighted: usize,
    /// Recently opened entities, newest first.
    pub recent: Vec<EntityId>,
    /// Whether the search box gets the keyboard focus in the next frame.
    #[serde(skip)]
    pub focus: bool,
    /// Whether to scroll to the highlighted result.
    #[serde(skip)]
    pub(super) scroll_to_highlighted: bool,
}

/// Maximum number of recent entities.
const MAX_RECENT: usize = 8;

/// An action that the user chose in the panel. The caller carries out the action.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum SearchAction {
    /// Send a request to the DM console.
    Request(Request),
    /// The text changed, so the panel must search for the new text.
    TextChanged,
}

/// Draws the search panel. `is_pending` is true until the results for the typed text arrive.
pub fn search_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &SearchModel,
    view: &mut SearchView,
    is_pending: bool,
) -> Vec<SearchAction> {
    let mut actions = Vec::new();
    let rows: Vec<&SearchRow> = model.rows().collect();
    let last = rows.len().saturating_sub(1);
    handle_keys(ui, view, last);
    let is_confirmed = search_box_ui(ui, display, view, &mut actions);
    view.highlighted = view.highlighted.min(last);
    let mut opened = is_confirmed.then(|| rows.get(view.highlighted)).flatten().copied();
    if view.text.trim().is_empty() {
        empty_query_ui(ui, display, view, &mut actions);
        return actions;
    }
    let mut requests = Vec::new();
    if super::who_knows(view.text.trim()).is_none() {
        let who_knows_button =
            ui.button("Who knows about this?").on_hover_text("Show who knows it and who hides it, the party first");
        if who_knows_button.clicked() {
            view.text = format!("who knows about {}?", view.text.trim().trim_end_matches('?'));
            view.highlighted = 0;
            actions.push(SearchAction::TextChanged);
        }
    }
    // Results of another search start at the top.
    egui::ScrollArea::vertical().id_salt(("found", &model.query)).auto_shrink([false, false]).show(ui, |ui| {
        let mut number = 0;
        for group in &model.groups {
            section_heading(ui, display, &group.title, Some(group.rows.len()));
            for row in &group.rows {
                let is_highlighted = number == view.highlighted;
                if row_ui(
                    ui,
                    display,
                    row,
                    number,
                    is_highlighted,
                    is_highlighted && view.scroll_to_highlighted,
                    &mut requests,
                ) {
                    view.highlighted = number;
                    opened = Some(row);
                }
                number += 1;
            }
        }
        if rows.is_empty() && !is_pending {
            no_results_ui(ui, display, model, view, &mut actions);
        } else if !model.meaning && !is_pending && !rows.is_empty() {
            ui.add_space(display.theme.spacing().normal);
            weak_label(
                ui,
                display,
                "Found by name, keyword and graph. Without a sentence encoder, meaning is not compared.",
            );
        }
    });
    view.scroll_to_highlighted = false;
    if let Some(row) = opened {
        open_target(row, view, &mut actions);
    }
    actions.extend(requests.into_iter().map(SearchAction::Request));
    actions
}

/// Moves the highlight with Up and Down while the search box has the focus.
fn handle_keys(ui: &Ui, view: &mut SearchView, last: usize) {
    if !ui.memory(|memory| memory.has_focus(field_id())) {
        return;
    }
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    for (key, step) in [(Key::ArrowDown, 1_isize), (Key::ArrowUp, -1), (Key::PageDown, 8), (Key::PageUp, -8)] {
        if pressed(key) {
            view.highlighted = view.highlighted.saturating_add_signed(step).min(last);
            view.scroll_to_highlighted = true;
        }
    }
}

fn field_id() -> egui::Id {
    egui::Id::new("hearsay search field")
}

/// Draws the search box. Returns whether the user pressed Enter in the box.
fn search_box_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    view: &mut SearchView,
    actions: &mut Vec<SearchAction>,
) -> bool {
    ui.horizontal(|ui| {
        let button_width = display.theme.sizes().target + display.theme.spacing().normal * 2.0;
        let field = TextEdit::singleline(&mut view.text)
            .id(field_id())
            .hint_text(crate::widgets::italic_hint("A name, words, or: who knows about \u{2026}?"))
            .desired_width((ui.available_width() - button_width).max(80.0));
        let response = named_text_field(ui.add(field), "Search", &view.text);
        if std::mem::take(&mut view.focus) {
            response.request_focus();
            select_all(ui, &response, &view.text);
        }
        let mut text_changed = response.changed();
        let escape_pressed = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape));
        let clear_clicked = icon_button(ui, "\u{D7}", "Clear the search").clicked();
        if clear_clicked || escape_pressed && !view.text.is_empty() {
            text_changed |= !view.text.is_empty();
            view.text.clear();
            response.request_focus();
        }
        if text_changed {
            view.highlighted = 0;
            actions.push(SearchAction::TextChanged);
        }
        let is_confirmed = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if is_confirmed {
            // Keep the keyboard focus in the box for the next search.
            response.request_focus();
        }
        is_confirmed
    })
    .inner
}

/// Selects the old text, so that typing replaces it.
fn select_all(ui: &Ui, response: &egui::Response, text: &str) {
    let mut state = TextEdit::load_state(ui.ctx(), response.id).unwrap_or_default();
    let range =
        egui::text::CCursorRange::two(egui::text::CCursor::default(), egui::text::CCursor::new(text.chars().count()));
    state.cursor.set_char_range(Some(range));
    state.store(ui.ctx(), response.id);
}

/// Opens the target of a result.
fn open_target(row: &SearchRow, view: &mut SearchView, actions: &mut Vec<SearchAction>) {
    let request = match &row.target {
        SearchTarget::Entity(id) => {
            view.recent.retain(|recent| recent != id);
            view.recent.insert(0, id.clone());
            view.recent.truncate(MAX_RECENT);
            Some(Request::ShowEntity(id.clone()))
        }
        SearchTarget::Fact(fact) => Some(Request::ShowFact(*fact)),
        SearchTarget::Passage(_, open) => open.clone().map(Request::ShowEntity),
    };
    actions.extend(request.map(SearchAction::Request));
}

fn empty_query_ui(ui: &mut Ui, display: &DisplayContext, view: &mut SearchView, actions: &mut Vec<SearchAction>) {
    ui.add_space(display.theme.spacing().wide);
    weak_label(ui, display, "Type a name, its beginning, or words that were said. Or ask who knows something.");
    ui.horizontal_wrapped(|ui| {
        weak_label(ui, display, "For example:");
        if ui.button("who knows about the ledger?").clicked() {
            view.text = "who knows about the ledger?".into();
            view.focus = true;
            actions.push(SearchAction::TextChanged);
        }
    });
    let recent: Vec<_> = view.recent.iter().filter_map(|id| display.names.get(id)).collect();
    if recent.is_empty() {
        return;
    }
    section_heading(ui, display, "Recently opened", None);
    for entity in recent {
        if entity_button(ui, display, entity).clicked() {
            actions.push(SearchAction::Request(Request::ShowEntity(entity.id.clone())));
        }
    }
}

fn no_results_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &SearchModel,
    view: &mut SearchView,
    actions: &mut Vec<SearchAction>,
) {
    ui.add_space(display.theme.spacing().wide);
    weak_label(ui, display, "Nothing was found.");
    if model.hints.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        weak_label(ui, display, "Did you mean");
        for hint in &model.hints {
            if entity_button(ui, display, hint).clicked() {
                view.recent.retain(|recent| *recent != hint.id);
                view.recent.insert(0, hint.id.clone());
                view.recent.truncate(MAX_RECENT);
                actions.push(SearchAction::Request(Request::ShowEntity(hint.id.clone())));
            }
        }
    });
}

/// Draws a result. Returns whether the user clicked it.
fn row_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    row: &SearchRow,
    number: usize,
    is_highlighted: bool,
    scroll: bool,
    requests: &mut Vec<Request>,
) -> bool {
    let palette = display.theme.palette();
    let builder = UiBuilder::new().id_salt(("result", number)).sense(Sense::click());
    let response = ui
        .scope_builder(builder, |ui| {
            let hovered = ui.response().hovered();
            let fill = match (is_highlighted, hovered) {
                (true, _) => palette.selection,
                (false, true) => palette.hovered,
                _ => egui::Color32::TRANSPARENT,
            };
            let margin =
                egui::Margin::symmetric(display.theme.spacing().normal as i8, display.theme.spacing().tight as i8);
            egui::Frame::new().fill(fill).corner_radius(display.theme.spacing().rounding).inner_margin(margin).show(
                ui,
                |ui| {
                    ui.set_width(ui.available_width());
                    text_ui(ui, display, row);
                    if let Some(knowers) = &row.knowers {
                        knowers_ui(ui, display, knowers, requests);
                    }
                },
            );
        })
        .response;
    if scroll {
        response.scroll_to_me(None);
    }
    let name = visual_order(&row.text).into_owned();
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, is_highlighted, &name));
    response.clicked()
}

fn text_ui(ui: &mut Ui, display: &DisplayContext, row: &SearchRow) {
    let palette = display.theme.palette();
    ui.horizontal_wrapped(|ui| {
        // Badges do not wrap, so draw them first.
        if row.secret {
            badge(ui, display, Tone::Secret, "\u{1F512} secret");
        }
        match row.status {
            Some(FactStatus::Proposed) => _ = badge(ui, display, Tone::Accent, "in review"),
            Some(FactStatus::Claimed) => _ = badge(ui, display, Tone::Warn, "claimed"),
            Some(FactStatus::False) => _ = badge(ui, display, Tone::Bad, "untrue"),
            _ => {}
        }
        match (&row.target, &row.entity) {
            (SearchTarget::Entity(_), Some(entity)) => {
                let colour = display.theme.kind(entity.kind.as_ref());
                ui.label(RichText::new(kind_symbol(entity.kind.as_ref())).color(colour));
                label(ui, RichText::new(&row.text).strong().color(palette.strong));
                if let Some(kind) = &entity.kind {
                    ui.label(RichText::new(kind.as_str()).small().color(palette.weak));
                }
            }
            (SearchTarget::Passage(..), entity) => {
                let speaker = entity.as_ref().map_or("", |entity| entity.name.as_str());
                if !speaker.is_empty() {
                    label(ui, RichText::new(format!("{speaker}:")).color(palette.weak));
                }
                label(ui, RichText::new(format!("\u{201C}{}\u{201D}", shorten(&row.text, 240))).italics());
            }
            _ => _ = label(ui, RichText::new(&row.text).color(palette.text)),
        }
        if !row.match_reason.is_empty() {
            label(ui, RichText::new(&row.match_reason).small().color(palette.weak));
        }
    });
}

/// Draws the knowers of a fact, the party first.
fn knowers_ui(ui: &mut Ui, display: &DisplayContext, knowers: &Knowers, requests: &mut Vec<Request>) {
    let palette = display.theme.palette();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = display.theme.spacing().tight;
        let (text, colour) = match &knowers.party_knowledge {
            _ if knowers.known_to_everybody => ("Everybody knows it".to_owned(), palette.text),
            Some(party_knowledge) => (format!("\u{2605} {party_knowledge}"), palette.good),
            None => ("\u{2606} The party does not know it".into(), palette.weak),
        };
        label(ui, RichText::new(&text).color(colour));
        for line in &knowers.lines {
            ui.label(RichText::new("\u{00B7}").color(palette.weak));
            knower_ui(ui, display, line, requests);
        }
        if knowers.lines.is_empty() && knowers.party_knowledge.is_none() && !knowers.known_to_everybody {
            weak_label(ui, display, "\u{00B7} nobody knows it");
        }
        if knowers.more > 0 {
            weak_label(ui, display, &format!("and {} more", knowers.more));
        }
    });
}
