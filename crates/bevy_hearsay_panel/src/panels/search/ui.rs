//! Draws the search box and the results below.

use egui::{Key, Modifiers, RichText, Sense, TextEdit, Ui, UiBuilder};
use hearsay_model::{EntityId, FactStatus};
use serde::{Deserialize, Serialize};

use super::model::{Knowers, SearchModel, SearchRow, Target};
use crate::{
    direction::visual,
    panel::{Look, Request},
    panels::fact::{hidden_count, holder_ui, labelled},
    text::shortened,
    theme::Tone,
    widgets::{badge, entity_button, icon_button, kind_sign, label, section, weak},
};

/// View state of the search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchView {
    /// The typed text.
    pub text: String,
    /// Index of the highlighted result.
    pub marked: usize,
    /// Recently opened entities, newest first.
    pub recent: Vec<EntityId>,
    /// Whether to give the search box the keyboard focus.
    #[serde(skip)]
    pub focus: bool,
    /// Whether to scroll to the highlighted result.
    #[serde(skip)]
    pub(super) moved: bool,
}

/// Maximum number of recent entities.
const RECENT: usize = 8;

/// An action that the user requests from the panel.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum SearchAction {
    /// Send a request to the desk.
    Ask(Request),
    /// The text changed, so the panel must search for the new text.
    Typed,
}

/// Draws the search. `waits` is true while the results for the typed text have not arrived.
pub fn search_ui(
    ui: &mut Ui,
    look: &Look,
    model: &SearchModel,
    view: &mut SearchView,
    waits: bool,
) -> Vec<SearchAction> {
    let mut actions = Vec::new();
    let safe = |row: &&SearchRow| !look.screen_safe || row.safe;
    let rows: Vec<&SearchRow> = model.rows().filter(safe).collect();
    let last = rows.len().saturating_sub(1);
    keys(ui, view, last);
    let entered = box_ui(ui, look, view, &mut actions);
    view.marked = view.marked.min(last);
    let mut opened = entered.then(|| rows.get(view.marked)).flatten().copied();
    if view.text.trim().is_empty() {
        nothing_typed(ui, look, view, &mut actions);
        return actions;
    }
    let mut asked = Vec::new();
    if super::who_knows(view.text.trim()).is_none() {
        let who =
            ui.button("Who knows about this?").on_hover_text("Show who knows it and who hides it, the party first");
        if who.clicked() {
            view.text = format!("who knows about {}?", view.text.trim().trim_end_matches('?'));
            view.marked = 0;
            actions.push(SearchAction::Typed);
        }
    }
    // Results of another search start at the top.
    egui::ScrollArea::vertical().id_salt(("found", &model.asked)).auto_shrink([false, false]).show(ui, |ui| {
        let mut number = 0;
        for group in &model.groups {
            let shown: Vec<&SearchRow> = group.rows.iter().filter(safe).collect();
            if shown.is_empty() {
                continue;
            }
            section(ui, look, &group.title, Some(shown.len()));
            for row in shown {
                let marked = number == view.marked;
                if row_ui(ui, look, row, number, marked, marked && view.moved, &mut asked) {
                    view.marked = number;
                    opened = Some(row);
                }
                number += 1;
            }
        }
        if look.screen_safe {
            hidden_count(ui, look, model.rows().count() - rows.len());
        }
        if rows.is_empty() && !waits {
            nothing_found(ui, look, model, view, &mut actions);
        } else if !model.meaning && !waits && !rows.is_empty() {
            ui.add_space(look.theme.spacing().normal);
            weak(ui, look, "Found by name, keyword and graph. Without a sentence encoder, meaning is not compared.");
        }
    });
    view.moved = false;
    if let Some(row) = opened {
        open(row, view, &mut actions);
    }
    actions.extend(asked.into_iter().map(SearchAction::Ask));
    actions
}

/// Moves the highlight with Up and Down while the search box has the focus.
fn keys(ui: &Ui, view: &mut SearchView, last: usize) {
    if !ui.memory(|memory| memory.has_focus(field_id())) {
        return;
    }
    let pressed = |key| ui.input_mut(|input| input.consume_key(Modifiers::NONE, key));
    for (key, by) in [(Key::ArrowDown, 1_isize), (Key::ArrowUp, -1), (Key::PageDown, 8), (Key::PageUp, -8)] {
        if pressed(key) {
            view.marked = view.marked.saturating_add_signed(by).min(last);
            view.moved = true;
        }
    }
}

fn field_id() -> egui::Id {
    egui::Id::new("hearsay search field")
}

/// Draws the search box. Returns whether the user pressed Enter in the box.
fn box_ui(ui: &mut Ui, look: &Look, view: &mut SearchView, actions: &mut Vec<SearchAction>) -> bool {
    ui.horizontal(|ui| {
        let room = look.theme.sizes().target + look.theme.spacing().normal * 2.0;
        let field = TextEdit::singleline(&mut view.text)
            .id(field_id())
            .hint_text(crate::widgets::as_hint("A name, words, or: who knows about \u{2026}?"))
            .desired_width((ui.available_width() - room).max(80.0));
        let response = labelled(ui.add(field), "Search", &view.text);
        if std::mem::take(&mut view.focus) {
            response.request_focus();
            select_all(ui, &response, &view.text);
        }
        let mut changed = response.changed();
        let escape = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Escape));
        let clear = icon_button(ui, "\u{D7}", "Clear the search").clicked();
        if clear || escape && !view.text.is_empty() {
            changed |= !view.text.is_empty();
            view.text.clear();
            response.request_focus();
        }
        if changed {
            view.marked = 0;
            actions.push(SearchAction::Typed);
        }
        let entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if entered {
            // Keep the keyboard focus in the box for the next search.
            response.request_focus();
        }
        entered
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
fn open(row: &SearchRow, view: &mut SearchView, actions: &mut Vec<SearchAction>) {
    let request = match &row.target {
        Target::Entity(id) => {
            view.recent.retain(|recent| recent != id);
            view.recent.insert(0, id.clone());
            view.recent.truncate(RECENT);
            Some(Request::Show(id.clone()))
        }
        Target::Fact(fact) => Some(Request::ShowFact(*fact)),
        Target::Passage(_, open) => open.clone().map(Request::Show),
    };
    actions.extend(request.map(SearchAction::Ask));
}

fn nothing_typed(ui: &mut Ui, look: &Look, view: &mut SearchView, actions: &mut Vec<SearchAction>) {
    ui.add_space(look.theme.spacing().wide);
    weak(ui, look, "Type a name, its beginning, or words that were said. Or ask who knows something.");
    ui.horizontal_wrapped(|ui| {
        weak(ui, look, "For example:");
        if ui.button("who knows about the ledger?").clicked() {
            view.text = "who knows about the ledger?".into();
            view.focus = true;
            actions.push(SearchAction::Typed);
        }
    });
    let recent: Vec<_> = view.recent.iter().filter_map(|id| look.names.get(id)).collect();
    if recent.is_empty() || look.screen_safe {
        return;
    }
    section(ui, look, "Recently opened", None);
    for named in recent {
        if entity_button(ui, look, named).clicked() {
            actions.push(SearchAction::Ask(Request::Show(named.id.clone())));
        }
    }
}

fn nothing_found(
    ui: &mut Ui,
    look: &Look,
    model: &SearchModel,
    view: &mut SearchView,
    actions: &mut Vec<SearchAction>,
) {
    ui.add_space(look.theme.spacing().wide);
    let hidden = look.screen_safe && model.rows().next().is_some();
    weak(ui, look, if hidden { "Other results are hidden in screen-safe mode." } else { "Nothing was found." });
    if model.hints.is_empty() || look.screen_safe {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        weak(ui, look, "Did you mean");
        for hint in &model.hints {
            if entity_button(ui, look, hint).clicked() {
                view.recent.retain(|recent| *recent != hint.id);
                view.recent.insert(0, hint.id.clone());
                view.recent.truncate(RECENT);
                actions.push(SearchAction::Ask(Request::Show(hint.id.clone())));
            }
        }
    });
}

/// Draws a result. Returns whether the user clicked it.
fn row_ui(
    ui: &mut Ui,
    look: &Look,
    row: &SearchRow,
    number: usize,
    marked: bool,
    scroll: bool,
    asked: &mut Vec<Request>,
) -> bool {
    let palette = look.theme.palette();
    let builder = UiBuilder::new().id_salt(("result", number)).sense(Sense::click());
    let response = ui
        .scope_builder(builder, |ui| {
            let hovered = ui.response().hovered();
            let fill = match (marked, hovered) {
                (true, _) => palette.selection,
                (false, true) => palette.hovered,
                _ => egui::Color32::TRANSPARENT,
            };
            let margin = egui::Margin::symmetric(look.theme.spacing().normal as i8, look.theme.spacing().tight as i8);
            egui::Frame::new().fill(fill).corner_radius(look.theme.spacing().rounding).inner_margin(margin).show(
                ui,
                |ui| {
                    ui.set_width(ui.available_width());
                    text_ui(ui, look, row);
                    if let Some(knowers) = &row.knowers {
                        knowers_ui(ui, look, knowers, asked);
                    }
                },
            );
        })
        .response;
    if scroll {
        response.scroll_to_me(None);
    }
    let name = visual(&row.text).into_owned();
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::Button, true, marked, &name));
    response.clicked()
}

fn text_ui(ui: &mut Ui, look: &Look, row: &SearchRow) {
    let palette = look.theme.palette();
    ui.horizontal_wrapped(|ui| {
        // Badges do not wrap, so draw them first.
        if row.secret {
            badge(ui, look, Tone::Secret, "\u{1F512} secret");
        }
        match row.status {
            Some(FactStatus::Proposed) => _ = badge(ui, look, Tone::Accent, "in review"),
            Some(FactStatus::Claimed) => _ = badge(ui, look, Tone::Warn, "claimed"),
            Some(FactStatus::False) => _ = badge(ui, look, Tone::Bad, "untrue"),
            _ => {}
        }
        match (&row.target, &row.named) {
            (Target::Entity(_), Some(named)) => {
                let colour = look.theme.kind(named.kind.as_ref());
                ui.label(RichText::new(kind_sign(named.kind.as_ref())).color(colour));
                label(ui, RichText::new(&row.text).strong().color(palette.strong));
                if let Some(kind) = &named.kind {
                    ui.label(RichText::new(kind.as_str()).small().color(palette.weak));
                }
            }
            (Target::Passage(..), named) => {
                let who = named.as_ref().map_or("", |named| named.name.as_str());
                if !who.is_empty() {
                    label(ui, RichText::new(format!("{who}:")).color(palette.weak));
                }
                label(ui, RichText::new(format!("\u{201C}{}\u{201D}", shortened(&row.text, 240))).italics());
            }
            _ => _ = label(ui, RichText::new(&row.text).color(palette.text)),
        }
        if !row.why.is_empty() {
            label(ui, RichText::new(&row.why).small().color(palette.weak));
        }
    });
}

/// Draws the knowers of a fact, the party first.
fn knowers_ui(ui: &mut Ui, look: &Look, knowers: &Knowers, asked: &mut Vec<Request>) {
    let palette = look.theme.palette();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = look.theme.spacing().tight;
        let (text, colour) = match &knowers.table {
            _ if knowers.everybody => ("Everybody knows it".to_owned(), palette.text),
            Some(table) => (format!("\u{2605} {table}"), palette.good),
            None => ("\u{2606} The party does not know it".into(), palette.weak),
        };
        label(ui, RichText::new(&text).color(colour));
        if look.screen_safe {
            return;
        }
        for holder in &knowers.held_by {
            ui.label(RichText::new("\u{00B7}").color(palette.weak));
            holder_ui(ui, look, holder, asked);
        }
        if knowers.held_by.is_empty() && knowers.table.is_none() && !knowers.everybody {
            weak(ui, look, "\u{00B7} nobody knows it");
        }
        if knowers.more > 0 {
            weak(ui, look, &format!("and {} more", knowers.more));
        }
    });
}
