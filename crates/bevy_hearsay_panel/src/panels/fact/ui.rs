//! Draws the sentence, the knowers and the sources of a fact. The fact can be edited in place.

use std::collections::BTreeSet;

use egui::{Align, Key, Layout, Modifiers, RichText, TextEdit, Ui};
use hearsay_commands::{
    edit::{Edit, FactOptions},
    retcon::Retcon,
};
use hearsay_model::{FactId, FactStatus};
use serde::{Deserialize, Serialize};

use super::model::{FactModel, HolderLine, TableLine};
use crate::{
    direction::visual,
    names::Named,
    panel::{DeskCommand, Look, Request},
    theme::Tone,
    widgets::{
        Completion, badge, card, confidence, entity_button, icon_button, label, link, more, name_field, named, quote,
        sentence, toned, weak,
    },
};

/// View state of a list of facts: the expanded facts, and the edit in progress.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FactsView {
    /// Facts that are expanded to show all knowers and sources.
    pub open: BTreeSet<FactId>,
    /// The edit in progress.
    pub edit: Option<FactEdit>,
}

/// An edit of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactEdit {
    /// Id of the edited fact.
    pub fact: FactId,
    /// New object or value of the fact, as text.
    pub object: String,
    /// New sentence that states the fact.
    pub statement: String,
    /// Whether the edit has just begun. If so, the first field gets the keyboard focus in the next frame.
    #[serde(skip)]
    begun: bool,
    #[serde(skip)]
    completion: Completion,
}

impl FactEdit {
    /// Starts an edit with the current object and sentence of a fact.
    pub fn new(fact: &FactModel) -> Self {
        Self {
            fact: fact.fact,
            object: fact.object.clone(),
            statement: fact.statement.text.clone(),
            begun: true,
            completion: Completion::default(),
        }
    }
}

/// Draws a fact. `clock` is the time of the game clock, at which the fact ends if the user ends it. Returns the
/// requests to the desk.
pub fn fact_ui(
    ui: &mut Ui,
    look: &Look,
    fact: &FactModel,
    view: &mut FactsView,
    clock: Option<&str>,
    focused: bool,
) -> Vec<Request> {
    let mut asked = Vec::new();
    let open = view.open.contains(&fact.fact);
    card(ui, look, focused, false, |ui| {
        ui.push_id(fact.fact, |ui| {
            if view.edit.as_ref().is_some_and(|edit| edit.fact == fact.fact) {
                edit_ui(ui, look, fact, view, clock, &mut asked);
            } else {
                head_ui(ui, look, fact, view, &mut asked);
            }
            known_ui(ui, look, fact, &mut asked);
            if open && !look.screen_safe {
                detail_ui(ui, look, fact, &mut asked);
            }
        });
    });
    asked
}

/// Draws the sentence with badges before it and buttons after it.
fn head_ui(ui: &mut Ui, look: &Look, fact: &FactModel, view: &mut FactsView, asked: &mut Vec<Request>) {
    // Lay out the buttons first, so that a long sentence cannot push them out.
    ui.horizontal_top(|ui| {
        ui.with_layout(Layout::right_to_left(Align::TOP), |ui| {
            if !look.screen_safe {
                buttons_ui(ui, fact, view);
            }
            ui.with_layout(Layout::top_down(Align::LEFT), |ui| {
                badges_ui(ui, look, fact);
                let over = fact.status == FactStatus::False || fact.until.is_some();
                let tone = if over { Tone::Weak } else { Tone::Plain };
                asked.extend(sentence(ui, look, &fact.statement, tone).map(Request::Show));
            });
        });
    });
}

/// Draws the buttons for editing and sources, aligned to the right.
fn buttons_ui(ui: &mut Ui, fact: &FactModel, view: &mut FactsView) {
    if icon_button(ui, "\u{270F}", &format!("Edit: {}", fact.statement.text)).clicked() {
        view.edit = Some(FactEdit::new(fact));
    }
    let open = view.open.contains(&fact.fact);
    let (sign, name) = if open { ("\u{25BE}", "Hide sources") } else { ("\u{25B8}", "Sources") };
    if icon_button(ui, sign, &format!("{name}: {}", fact.statement.text)).clicked() {
        if open {
            view.open.remove(&fact.fact);
        } else {
            view.open.insert(fact.fact);
        }
    }
}

/// Draws badges for unusual properties of a fact.
fn badges_ui(ui: &mut Ui, look: &Look, fact: &FactModel) {
    let status = match fact.status {
        FactStatus::Canon => None,
        FactStatus::Claimed => Some((Tone::Warn, "claimed")),
        FactStatus::Proposed => Some((Tone::Accent, "in review")),
        FactStatus::False => Some((Tone::Bad, "untrue")),
        FactStatus::Rejected => Some((Tone::Bad, "rejected")),
    };
    let any = fact.secret || fact.concealed || status.is_some() || fact.until.is_some() || fact.attitude.is_some();
    if any {
        ui.horizontal_wrapped(|ui| {
            if fact.secret {
                badge(ui, look, Tone::Secret, "\u{1F512} secret");
            } else if fact.concealed {
                badge(ui, look, Tone::Secret, "\u{1F512} concealed");
            }
            if let Some((tone, words)) = status {
                badge(ui, look, tone, words);
            }
            if let Some(until) = &fact.until {
                badge(ui, look, Tone::Weak, &format!("until {until}"));
            }
            if let Some(attitude) = fact.attitude {
                let tone = if attitude < 0 { Tone::Bad } else { Tone::Good };
                badge(ui, look, tone, &format!("attitude {attitude:+}"));
            }
        });
    }
}

/// Draws the knowers of a fact, the party first.
fn known_ui(ui: &mut Ui, look: &Look, fact: &FactModel, asked: &mut Vec<Request>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = look.theme.spacing().tight;
        table_ui(ui, look, fact.table.as_ref(), fact.everybody, asked);
        // In screen-safe mode, hide the knowers, because players do not know who else knows the fact.
        if look.screen_safe || fact.held_by.is_empty() {
            return;
        }
        ui.spacing_mut().item_spacing.x = 0.0;
        let who = if fact.table.is_some() || fact.everybody { "also known to" } else { "known to" };
        small(ui, look, &format!(" \u{00B7} {who} "));
        for (number, holder) in fact.held_by.iter().take(4).enumerate() {
            if number > 0 {
                small(ui, look, ", ");
            }
            holder_ui(ui, look, holder, asked);
        }
        let left_out = fact.held_by.len().saturating_sub(4) + fact.more_holders;
        if left_out > 0 {
            small(ui, look, &format!(" and {left_out} more"));
        }
    });
}

/// Draws whether the party knows the fact, and since when.
fn table_ui(ui: &mut Ui, look: &Look, table: Option<&TableLine>, everybody: bool, asked: &mut Vec<Request>) {
    let palette = look.theme.palette();
    match table {
        _ if everybody => small(ui, look, "Everybody knows it"),
        Some(table) => {
            let text = RichText::new(visual(&format!("\u{2605} {}", table.text))).small().color(palette.good);
            match &table.session {
                Some(session) => {
                    let response =
                        named(ui.link(text), true, &table.text).on_hover_text("Show the report of the session");
                    if response.clicked() {
                        asked.push(Request::Session(session.clone()));
                    }
                }
                None => _ = ui.label(text),
            }
        }
        None => small(ui, look, "\u{2606} The party does not know it"),
    }
}

fn small(ui: &mut Ui, look: &Look, words: &str) {
    label(ui, RichText::new(words).small().color(look.theme.palette().weak));
}

/// Draws a knower, with its acquisition and credence in a few words.
pub(crate) fn holder_ui(ui: &mut Ui, look: &Look, holder: &HolderLine, asked: &mut Vec<Request>) {
    let (palette, colour) = (look.theme.palette(), look.theme.kind(holder.who.kind.as_ref()));
    let name = match holder.group {
        true => format!("members of {}", holder.who.name),
        false => holder.who.name.clone(),
    };
    let since = holder.since.as_ref().map(|since| format!(", {since}")).unwrap_or_default();
    let belief = if holder.credence < 0.995 { format!(", believes it {:.2}", holder.credence) } else { String::new() };
    let hover = format!("{}{since}{belief}", holder.acquisition);
    let response = link(ui, RichText::new(&name).small().color(colour)).on_hover_text(hover);
    if named(response, true, &name).clicked() {
        asked.push(Request::Show(holder.who.id.clone()));
    }
    if holder.conceals {
        ui.label(RichText::new("(hides it)").small().color(palette.secret));
    }
}

/// Draws all details: dates, every knower with its acquisition, and the quotes.
fn detail_ui(ui: &mut Ui, look: &Look, fact: &FactModel, asked: &mut Vec<Request>) {
    ui.separator();
    let dates = [
        fact.since.as_ref().map(|since| format!("since {since}")),
        fact.until.as_ref().map(|until| format!("until {until}")),
    ];
    let dates: Vec<String> = dates.into_iter().flatten().collect();
    ui.horizontal_wrapped(|ui| {
        small(ui, look, &fact.origin);
        if !dates.is_empty() {
            small(ui, look, &format!("\u{00B7} {}", dates.join(", ")));
        }
        if let Some(sure) = fact.confidence {
            confidence(ui, look, "confidence", sure);
        }
        if let Some(session) = &fact.session
            && ui.small_button("Session").on_hover_text("Show the report of the session").clicked()
        {
            asked.push(Request::Session(session.clone()));
        }
        if ui.small_button("Who knows it?").on_hover_text("Searches for all who know it").clicked() {
            asked.push(Request::Search(format!("who knows {}", fact.statement.text)));
        }
    });
    let table = fact.table.iter().flat_map(|table| &table.known_by);
    for holder in table.chain(&fact.held_by) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = look.theme.spacing().tight;
            holder_ui(ui, look, holder, asked);
            let since = holder.since.as_ref().map(|since| format!(", {since}")).unwrap_or_default();
            small(ui, look, &format!("{}{since}", holder.acquisition));
        });
    }
    more(ui, look, fact.more_holders);
    for source in &fact.sources {
        small(ui, look, &source.place);
        if let Some(text) = &source.text {
            let marked = source.quote.map_or(0..0, |(start, end)| start..end);
            quote(ui, look, text, &marked);
        }
    }
    if fact.sources.is_empty() {
        small(ui, look, "No quotation is recorded.");
    }
}

/// Draws the fields of an edit. The user can record a changed value as a correction, or as a new fact that is true from
/// now on.
fn edit_ui(
    ui: &mut Ui,
    look: &Look,
    fact: &FactModel,
    view: &mut FactsView,
    clock: Option<&str>,
    asked: &mut Vec<Request>,
) {
    let Some(edit) = &mut view.edit else { return };
    let mut done = false;
    ui.label(RichText::new(format!("{} {}", fact.subject.name, crate::panels::graph::label(&fact.predicate))).small());
    let response = match &fact.object_entity {
        Some(_) => {
            name_field(ui, look, "Object", "Name of an entity", &mut edit.object, &mut edit.completion, |_| true)
                .response
        }
        None => {
            let field = TextEdit::multiline(&mut edit.object).desired_rows(1).desired_width(f32::INFINITY);
            let response = ui.add(field);
            labelled(response, "Value", &edit.object)
        }
    };
    if std::mem::take(&mut edit.begun) {
        response.request_focus();
    }
    let says = TextEdit::multiline(&mut edit.statement).desired_rows(1).desired_width(f32::INFINITY);
    let response = ui.add(says.hint_text(crate::widgets::as_hint("The sentence; generated if empty")));
    labelled(response, "Sentence", &edit.statement);
    let entered = ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
    let object = (edit.object.trim() != fact.object).then(|| edit.object.trim().to_owned());
    let statement = Some(edit.statement.trim()).filter(|words| !words.is_empty() && *words != fact.statement.text);
    let statement = statement.map(str::to_owned);
    // If only the object changed, `statement` is `None`, and the memory generates a new sentence.
    let changed = object.is_some() || statement.is_some() || edit.statement.trim().is_empty();
    let id = fact.fact.to_string();
    ui.horizontal_wrapped(|ui| {
        let save = ui.add_enabled(changed, egui::Button::new("Correct"));
        let save = save.on_hover_text(
            "The record was wrong: everybody who knew the old fact knows the corrected one instead (Ctrl+Enter)",
        );
        if (save.clicked() || entered) && changed {
            let edit = Edit::Correct { fact: id.clone(), object: object.clone(), statement: statement.clone() };
            asked.push(Request::Do(DeskCommand::Edit(edit)));
            done = true;
        }
        let now = ui.add_enabled(object.is_some(), egui::Button::new("From now on"));
        if now.on_hover_text("The old value was true until now; the new value is true from now on").clicked()
            && let Some(object) = &object
        {
            asked.push(Request::Do(DeskCommand::Edit(from_now_on(fact, object.clone(), statement.clone()))));
            done = true;
        }
        let over = ui.add_enabled(clock.is_some(), egui::Button::new("No longer"));
        if over.on_hover_text("The fact ends now, by the game clock").clicked()
            && let Some(clock) = clock
        {
            asked.push(Request::Do(DeskCommand::Retcon(Retcon::Until { fact: id.clone(), until: clock.to_owned() })));
            done = true;
        }
        let never =
            ui.button("Never true").on_hover_text("Retract the fact: it was never true, and nobody ever knew it");
        if never.clicked() {
            asked.push(Request::Do(DeskCommand::Retcon(Retcon::NeverSo { fact: id })));
            done = true;
        }
        let escape = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        if ui.button("Cancel").clicked() || escape {
            done = true;
        }
    });
    if done {
        view.edit = None;
    }
}

/// Returns an edit that ends a fact now and adds a new fact with another object.
fn from_now_on(fact: &FactModel, object: String, statement: Option<String>) -> Edit {
    let options = FactOptions { statement, secret: fact.secret, ..FactOptions::default() };
    let subject = fact.subject.id.to_string();
    match &fact.object_entity {
        Some(_) => Edit::Relate { subject, predicate: fact.predicate.clone(), object, options },
        None => Edit::Set { entity: subject, attribute: fact.predicate.clone(), value: object, options },
    }
}

/// Sets the name of a text field for screen readers.
pub(crate) fn labelled(response: egui::Response, name: &str, value: &str) -> egui::Response {
    response.widget_info(|| {
        let mut info = egui::WidgetInfo::text_edit(true, value, value, "");
        info.label = Some(name.to_owned());
        info
    });
    response
}

/// Draws a name that links to its page. In screen-safe mode, draws `somebody` if players do not know the name.
pub(crate) fn name_ui(ui: &mut Ui, look: &Look, who: &Named, safe: bool, asked: &mut Vec<Request>) {
    if look.screen_safe && !safe {
        weak(ui, look, "somebody");
    } else if entity_button(ui, look, who).clicked() {
        asked.push(Request::Show(who.id.clone()));
    }
}

/// Draws the number of items hidden in screen-safe mode.
pub(crate) fn hidden_count(ui: &mut Ui, look: &Look, count: usize) {
    if count > 0 {
        toned(ui, look, Tone::Weak, &format!("{count} hidden in screen-safe mode"));
    }
}
