//! Draws the sentence, the knowers and the sources of a fact. The fact can be edited in place.

use std::collections::BTreeSet;

use egui::{Align, Key, Layout, Modifiers, RichText, TextEdit, Ui};
use hearsay_commands::{
    edit::{Edit, FactOptions},
    retcon::Retcon,
};
use hearsay_model::{FactId, FactStatus, Object};
use hearsay_query::QueryError;
use serde::{Deserialize, Serialize};

use super::model::{FactModel, KnowerLine, PartyKnowledge};
use crate::{
    direction::visual_order,
    names::NamedEntity,
    panel::{DeskCommand, DisplayContext, Request, StatusMessage},
    theme::Tone,
    widgets::{
        Completion, badge, card, confidence_bar, entity_button, icon_button, label, link, name_field, omitted_label,
        quote, sentence, set_button_name, set_text_field_name,
    },
};

/// UI state of a list of facts: the expanded facts, and the edit in progress.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FactsView {
    /// Facts that are expanded to show all knowers and sources.
    pub expanded: BTreeSet<FactId>,
    /// The edit in progress; `None` if no fact is being edited.
    pub edit: Option<FactEdit>,
}

impl FactsView {
    /// Returns whether a fact is expanded or being edited.
    pub(crate) fn is_open(&self, fact: FactId) -> bool {
        self.expanded.contains(&fact) || self.edit.as_ref().is_some_and(|edit| edit.fact == fact)
    }
}

/// An edit of a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FactEdit {
    /// Id of the edited fact.
    pub fact: FactId,
    /// New object of the fact as text: the name of an entity, or a value.
    pub object: String,
    /// New sentence that states the fact.
    pub statement: String,
    /// Whether the edit has just begun. If `true`, the first field gets the keyboard focus in the next frame.
    #[serde(skip)]
    needs_focus: bool,
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
            needs_focus: true,
            completion: Completion::default(),
        }
    }
}

/// Draws a fact. `clock` is the time of the game clock. If the user ends the fact, its validity ends at this time.
/// Returns the requests to the DM console.
pub fn fact_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    fact: &FactModel,
    view: &mut FactsView,
    clock: Option<&str>,
    focused: bool,
) -> Vec<Request> {
    let mut requests = Vec::new();
    let is_expanded = view.expanded.contains(&fact.fact);
    card(ui, display, focused, false, |ui| {
        ui.push_id(fact.fact, |ui| {
            if view.edit.as_ref().is_some_and(|edit| edit.fact == fact.fact) {
                edit_ui(ui, display, fact, view, clock, &mut requests);
            } else {
                sentence_ui(ui, display, fact, view, &mut requests);
            }
            knowers_ui(ui, display, fact, &mut requests);
            if is_expanded {
                detail_ui(ui, display, fact, &mut requests);
            }
        });
    });
    requests
}

/// Draws a fact in one line. A click on the symbol before the line opens the fact. Returns whether the fact was opened.
pub(crate) fn compact_fact_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    fact: &FactModel,
    view: &mut FactsView,
    requests: &mut Vec<Request>,
) -> bool {
    ui.horizontal(|ui| {
        let name = format!("Open: {}", fact.statement.text);
        let is_opened = icon_button(ui, "\u{25B8}", &name).clicked();
        if is_opened {
            view.expanded.insert(fact.fact);
        }
        badges_ui(ui, display, fact);
        let is_over = fact.status == FactStatus::False || fact.until.is_some();
        let tone = if is_over { Tone::Weak } else { Tone::Plain };
        requests.extend(sentence(ui, display, &fact.statement, tone).map(Request::ShowEntity));
        is_opened
    })
    .inner
}

/// Draws the sentence with badges before it and buttons after it.
fn sentence_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    fact: &FactModel,
    view: &mut FactsView,
    requests: &mut Vec<Request>,
) {
    // Lay out the buttons first, so that a long sentence cannot push them out.
    ui.horizontal_top(|ui| {
        ui.with_layout(Layout::right_to_left(Align::TOP), |ui| {
            if !display.screen_safe {
                buttons_ui(ui, fact, view);
            }
            ui.with_layout(Layout::top_down(Align::LEFT), |ui| {
                badges_ui(ui, display, fact);
                let is_over = fact.status == FactStatus::False || fact.until.is_some();
                let tone = if is_over { Tone::Weak } else { Tone::Plain };
                requests.extend(sentence(ui, display, &fact.statement, tone).map(Request::ShowEntity));
            });
        });
    });
}

/// Draws the buttons for editing and sources, aligned to the right.
fn buttons_ui(ui: &mut Ui, fact: &FactModel, view: &mut FactsView) {
    if icon_button(ui, "\u{270F}", &format!("Edit: {}", fact.statement.text)).clicked() {
        view.edit = Some(FactEdit::new(fact));
    }
    let is_expanded = view.expanded.contains(&fact.fact);
    let (symbol, name) = if is_expanded { ("\u{25BE}", "Hide sources") } else { ("\u{25B8}", "Sources") };
    if icon_button(ui, symbol, &format!("{name}: {}", fact.statement.text)).clicked() {
        if is_expanded {
            view.expanded.remove(&fact.fact);
        } else {
            view.expanded.insert(fact.fact);
        }
    }
}

/// Draws badges for unusual properties of a fact.
fn badges_ui(ui: &mut Ui, display: &DisplayContext, fact: &FactModel) {
    let status = match fact.status {
        FactStatus::Canon => None,
        FactStatus::Claimed => Some((Tone::Warn, "claimed")),
        FactStatus::Proposed => Some((Tone::Accent, "in review")),
        FactStatus::False => Some((Tone::Bad, "untrue")),
        FactStatus::Rejected => Some((Tone::Bad, "rejected")),
    };
    let has_badges =
        fact.secret || fact.concealed || status.is_some() || fact.until.is_some() || fact.attitude.is_some();
    if has_badges {
        ui.horizontal_wrapped(|ui| {
            if fact.secret {
                badge(ui, display, Tone::Secret, "\u{1F512} secret");
            } else if fact.concealed {
                badge(ui, display, Tone::Secret, "\u{1F512} concealed");
            }
            if let Some((tone, text)) = status {
                badge(ui, display, tone, text);
            }
            if let Some(until) = &fact.until {
                badge(ui, display, Tone::Weak, &format!("until {until}"));
            }
            if let Some(attitude) = fact.attitude {
                let tone = if attitude < 0 { Tone::Bad } else { Tone::Good };
                badge(ui, display, tone, &format!("attitude {attitude:+}"));
            }
        });
    }
}

/// Draws the knowers of a fact, the party first.
fn knowers_ui(ui: &mut Ui, display: &DisplayContext, fact: &FactModel, requests: &mut Vec<Request>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = display.theme.spacing().tight;
        party_knowledge_ui(ui, display, fact.party_knowledge.as_ref(), fact.known_to_everybody, requests);
        if fact.knowers.is_empty() {
            return;
        }
        ui.spacing_mut().item_spacing.x = 0.0;
        let prefix =
            if fact.party_knowledge.is_some() || fact.known_to_everybody { "also known to" } else { "known to" };
        small_label(ui, display, &format!(" \u{00B7} {prefix} "));
        for (number, line) in fact.knowers.iter().take(4).enumerate() {
            if number > 0 {
                small_label(ui, display, ", ");
            }
            knower_ui(ui, display, line, requests);
        }
        let omitted_count = fact.knowers.len().saturating_sub(4) + fact.more_knowers;
        if omitted_count > 0 {
            small_label(ui, display, &format!(" and {omitted_count} more"));
        }
    });
}

/// Draws whether the party knows the fact, and since when.
fn party_knowledge_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    party_knowledge: Option<&PartyKnowledge>,
    known_to_everybody: bool,
    requests: &mut Vec<Request>,
) {
    let palette = display.theme.palette();
    match party_knowledge {
        _ if known_to_everybody => small_label(ui, display, "Everybody knows it"),
        Some(party_knowledge) => {
            let text =
                RichText::new(visual_order(&format!("\u{2605} {}", party_knowledge.text))).small().color(palette.good);
            match &party_knowledge.session {
                Some(session) => {
                    let response = set_button_name(ui.link(text), true, &party_knowledge.text)
                        .on_hover_text("Show the report of the session");
                    if response.clicked() {
                        requests.push(Request::Session(session.clone()));
                    }
                }
                None => _ = ui.label(text),
            }
        }
        None => small_label(ui, display, "\u{2606} The party does not know it"),
    }
}

fn small_label(ui: &mut Ui, display: &DisplayContext, text: &str) {
    label(ui, RichText::new(text).small().color(display.theme.palette().weak));
}

/// Draws a knower, with its acquisition and credence in a few words.
pub(crate) fn knower_ui(ui: &mut Ui, display: &DisplayContext, line: &KnowerLine, requests: &mut Vec<Request>) {
    let (palette, colour) = (display.theme.palette(), display.theme.kind(line.knower.kind.as_ref()));
    let name = match line.group {
        true => format!("members of {}", line.knower.name),
        false => line.knower.name.clone(),
    };
    let since = line.since.as_ref().map(|since| format!(", {since}")).unwrap_or_default();
    let credence_text =
        if line.credence < 0.995 { format!(", believes it {:.2}", line.credence) } else { String::new() };
    let hover = format!("{}{since}{credence_text}", line.acquisition);
    let response = link(ui, RichText::new(&name).small().color(colour)).on_hover_text(hover);
    if set_button_name(response, true, &name).clicked() {
        requests.push(Request::ShowEntity(line.knower.id.clone()));
    }
    if line.conceals {
        ui.label(RichText::new("(hides it)").small().color(palette.secret));
    }
}

/// Draws all details: dates, every knower with its acquisition, and the quotes.
fn detail_ui(ui: &mut Ui, display: &DisplayContext, fact: &FactModel, requests: &mut Vec<Request>) {
    ui.separator();
    let dates = [
        fact.since.as_ref().map(|since| format!("since {since}")),
        fact.until.as_ref().map(|until| format!("until {until}")),
    ];
    let dates: Vec<String> = dates.into_iter().flatten().collect();
    ui.horizontal_wrapped(|ui| {
        small_label(ui, display, &fact.origin);
        if !dates.is_empty() {
            small_label(ui, display, &format!("\u{00B7} {}", dates.join(", ")));
        }
        if let Some(confidence) = fact.confidence {
            confidence_bar(ui, display, "confidence", confidence);
        }
        if let Some(session) = &fact.session
            && ui.small_button("Session").on_hover_text("Show the report of the session").clicked()
        {
            requests.push(Request::Session(session.clone()));
        }
        if ui.small_button("Who knows it?").on_hover_text("Search for everyone who knows this fact").clicked() {
            requests.push(Request::Search(format!("who knows {}", fact.statement.text)));
        }
    });
    let party_knowers = fact.party_knowledge.iter().flat_map(|knowledge| &knowledge.known_by);
    for line in party_knowers.chain(&fact.knowers) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = display.theme.spacing().tight;
            knower_ui(ui, display, line, requests);
            let since = line.since.as_ref().map(|since| format!(", {since}")).unwrap_or_default();
            small_label(ui, display, &format!("{}{since}", line.acquisition));
        });
    }
    omitted_label(ui, display, fact.more_knowers);
    for source in &fact.sources {
        small_label(ui, display, &source.place);
        if let Some(text) = &source.text {
            let highlighted = source.quote.map_or(0..0, |(start, end)| start..end);
            quote(ui, display, text, &highlighted);
        }
    }
    if fact.sources.is_empty() {
        small_label(ui, display, "No quotation is recorded.");
    }
}

/// Draws the fields of an edit. The user can record a changed value as a correction, or as a new fact that is true from
/// now on.
fn edit_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    fact: &FactModel,
    view: &mut FactsView,
    clock: Option<&str>,
    requests: &mut Vec<Request>,
) {
    let Some(edit) = &mut view.edit else { return };
    let mut is_finished = false;
    ui.label(
        RichText::new(format!("{} {}", fact.subject.name, crate::panels::graph::relation_label(&fact.predicate)))
            .small(),
    );
    let response = match &fact.object_entity {
        Some(_) => {
            name_field(ui, display, "Object", "Name of an entity", &mut edit.object, &mut edit.completion, |_| true)
                .response
        }
        None => {
            let field = TextEdit::multiline(&mut edit.object).desired_rows(1).desired_width(f32::INFINITY);
            let response = ui.add(field);
            named_text_field(response, "Value", &edit.object)
        }
    };
    if std::mem::take(&mut edit.needs_focus) {
        response.request_focus();
    }
    let sentence_field = TextEdit::multiline(&mut edit.statement).desired_rows(1).desired_width(f32::INFINITY);
    let response = ui.add(sentence_field.hint_text(crate::widgets::italic_hint("The sentence; generated if empty")));
    named_text_field(response, "Sentence", &edit.statement);
    let is_confirmed = ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
    let object_text = Some(edit.object.trim()).filter(|text| *text != fact.object).map(str::to_owned);
    let statement = Some(edit.statement.trim()).filter(|words| !words.is_empty() && *words != fact.statement.text);
    let statement = statement.map(str::to_owned);
    // If only the object changed, `statement` is `None`, and the memory generates a new sentence.
    let has_changes = object_text.is_some() || statement.is_some() || edit.statement.trim().is_empty();
    ui.horizontal_wrapped(|ui| {
        let correct_button = ui.add_enabled(has_changes, egui::Button::new("Correct"));
        let correct_button = correct_button.on_hover_text(
            "The record was wrong: everybody who knew the old fact knows the corrected fact instead (Ctrl+Enter)",
        );
        let from_now_on_button = ui
            .add_enabled(object_text.is_some(), egui::Button::new("From now on"))
            .on_hover_text("The old value was true until now; the new value is true from now on");
        let is_correction = (correct_button.clicked() || is_confirmed) && has_changes;
        if is_correction || from_now_on_button.clicked() {
            match object_text.as_deref().map(|text| new_object(display, fact, text)).transpose() {
                Ok(object) => {
                    let edit = match object {
                        Some(object) if !is_correction => from_now_on(fact, object, statement),
                        object => Edit::Correct { fact: fact.fact, object, statement },
                    };
                    requests.push(Request::Execute(DeskCommand::Edit(edit)));
                    is_finished = true;
                }
                // The edit stays open, so that the user can correct the name.
                Err(error) => requests.push(Request::ShowMessage(StatusMessage::error(error.to_string()))),
            }
        }
        let no_longer_button = ui.add_enabled(clock.is_some(), egui::Button::new("No longer"));
        if no_longer_button.on_hover_text("The fact ends now, by the game clock").clicked()
            && let Some(clock) = clock
        {
            requests.push(Request::Execute(DeskCommand::Retcon(Retcon::Until {
                fact: fact.fact,
                until: clock.to_owned(),
            })));
            is_finished = true;
        }
        let never_true_button =
            ui.button("Never true").on_hover_text("Retract the fact: it was never true, and nobody ever knew it");
        if never_true_button.clicked() {
            requests.push(Request::Execute(DeskCommand::Retcon(Retcon::Retract { fact: fact.fact })));
            is_finished = true;
        }
        let escape = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
        if ui.button("Cancel").clicked() || escape {
            is_finished = true;
        }
    });
    if is_finished {
        view.edit = None;
    }
}

/// Returns the new object of a fact that the user typed: the entity with this name, or the value.
fn new_object(display: &DisplayContext, fact: &FactModel, text: &str) -> Result<Object, QueryError> {
    match &fact.object_entity {
        Some(_) => display.names.resolve(text).map(Object::Entity),
        None => Ok(Object::Value(text.into())),
    }
}

/// Returns an edit that ends a fact now and adds a new fact with another object.
fn from_now_on(fact: &FactModel, object: Object, statement: Option<String>) -> Edit {
    let options = FactOptions { statement, secret: fact.secret, ..FactOptions::default() };
    let (subject, predicate) = (fact.subject.id.clone(), fact.predicate.clone());
    match object {
        Object::Entity(object) => Edit::Relate { subject, predicate, object, options },
        Object::Value(value) => Edit::Set { entity: subject, attribute: predicate, value: value.to_string(), options },
    }
}

/// Sets the name of a text field for screen readers. Returns the response of the field.
pub(crate) fn named_text_field(response: egui::Response, name: &str, value: &str) -> egui::Response {
    set_text_field_name(&response, name, value);
    response
}

/// Draws a name that links to its page.
pub(crate) fn entity_name_ui(ui: &mut Ui, display: &DisplayContext, entity: &NamedEntity, requests: &mut Vec<Request>) {
    if entity_button(ui, display, entity).clicked() {
        requests.push(Request::ShowEntity(entity.id.clone()));
    }
}
