//! Draws an entity's page.

use egui::{Key, Modifiers, RichText, TextEdit, Ui};
use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_model::{EntityId, FactId, Kind};
use serde::{Deserialize, Serialize};

use super::model::{EntityModel, FactSection, KnowsLine, PassageLine, SecretLine, TimeLine};
use crate::{
    commands,
    names::NamedEntity,
    panel::{DeskCommand, DisplayContext, Request},
    panels::fact::{FactModel, FactsView, entity_name_ui, fact_ui, hidden_count_label, named_text_field},
    text::format_count,
    theme::Tone,
    widgets::{
        Completion, RowHeights, badge, card, command_button, empty_state, hidden_label, kind_symbol, label, link, list,
        list_header, name_field, omitted_label, quote, section_heading, toned_label, weak_label,
    },
};

/// The tabs of a page. One tab is shown at a time, below the first and last meeting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tab {
    /// Facts about the entity.
    #[default]
    About,
    /// Facts that the entity knows.
    Knows,
    /// Secrets that the entity keeps, and secrets about the entity.
    Secrets,
    /// Timeline of the entity: starts and ends of facts, and sessions.
    Timeline,
    /// Passages by and about the entity.
    Words,
}

impl Tab {
    /// All tabs.
    pub const ALL: [Self; 5] = [Self::About, Self::Knows, Self::Secrets, Self::Timeline, Self::Words];

    fn name(self) -> &'static str {
        match self {
            Self::About => "About",
            Self::Knows => "Knows",
            Self::Secrets => "Secrets",
            Self::Timeline => "Timeline",
            Self::Words => "Words",
        }
    }
}

/// UI state of an entity's page: the current tab, expanded facts, filter, new fact and scroll position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EntityView {
    /// The current tab.
    pub tab: Tab,
    /// UI state of the facts: expanded facts, and the edit in progress.
    pub facts: FactsView,
    /// Words of the filter. The page shows only items that contain all of these words.
    pub filter: String,
    /// The attribute or relation that the user is adding.
    #[serde(rename = "adding")]
    pub new_fact: Option<NewFactDraft>,
    /// The fact to which the page scrolls.
    #[serde(skip)]
    pub focus: Option<FactId>,
    /// Heights of the rows in the list of facts.
    #[serde(skip)]
    pub heights: RowHeights,
}

/// An attribute or relation that the user is adding to an entity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NewFactDraft {
    /// Name of the attribute or relation, such as `occupation` or `owes`.
    #[serde(rename = "what")]
    pub predicate: String,
    /// The value of the attribute, or the name of the related entity.
    pub value: String,
    /// The related entity, if the user chose it from the list of names.
    #[serde(rename = "who")]
    pub object_entity: Option<EntityId>,
    /// Whether the new fact is a secret.
    pub secret: bool,
    #[serde(skip)]
    pub(super) completion: Completion,
}

/// An action that the user chose in the panel, for the caller to carry out.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum EntityAction {
    /// Send a request to the DM console.
    Request(Request),
    /// Show the previous page.
    Back,
    /// Show the next page.
    Forward,
}

/// Whether the page history has a previous page and a next page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageNavigation {
    /// Whether there is a previous page.
    pub has_previous: bool,
    /// Whether there is a next page.
    pub has_next: bool,
}

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
        if display.screen_safe && !model.safe {
            empty_state(
                ui,
                display,
                "Hidden in screen-safe mode",
                "Not all players know that this entity exists.",
                None,
            );
            return;
        }
        let mut requests = Vec::new();
        list_header(ui, "head", |ui| {
            name_and_kind(ui, display, model);
            summary_ui(ui, display, model, &mut requests);
        });
        tabs_ui(ui, display, model, view);
        match view.tab {
            Tab::About => about_ui(ui, display, model, view, &mut requests),
            Tab::Knows => knows_ui(ui, display, model, view, &mut requests),
            Tab::Secrets => secrets_ui(ui, display, model, view, &mut requests),
            Tab::Timeline => timeline_ui(ui, display, model, view, &mut requests),
            Tab::Words => words_ui(ui, display, model, view, &mut requests),
        }
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
        let aliases: Vec<_> = model.aliases.iter().filter(|alias| !display.screen_safe || alias.safe).collect();
        if !aliases.is_empty() {
            weak_label(ui, display, "\u{00B7} also");
        }
        for alias in aliases {
            match alias.secret {
                true => _ = toned_label(ui, display, Tone::Secret, &format!("\u{1F512} {}", alias.text)),
                false => _ = label(ui, &alias.text),
            }
        }
    });
}

/// Draws first and last meeting, last words, and open promises, debts and quests.
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
        Some(last_words) if display.screen_safe && !last_words.safe => _ = hidden_label(ui, display),
        Some(last_words) => {
            quote(ui, display, &last_words.text, &(0..0));
            label(ui, RichText::new(&last_words.when).small().color(display.theme.palette().weak));
        }
        None => _ = weak_label(ui, display, "none that the party heard"),
    });
    let unsettled: Vec<_> = model.unsettled.iter().filter(|thread| !display.screen_safe || thread.safe).collect();
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

fn tabs_ui(ui: &mut Ui, display: &DisplayContext, model: &EntityModel, view: &mut EntityView) {
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
            // In screen-safe mode, do not show counts, because even the number of secrets is secret.
            let shows_count = !display.screen_safe;
            let text = if shows_count { format!("{} {count}", tab.name()) } else { tab.name().into() };
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
        if view.tab == Tab::About && !display.screen_safe && command_button(ui, display, &commands::PAGE_ADD) {
            view.new_fact = match view.new_fact.take() {
                Some(_) => None,
                None => Some(NewFactDraft::default()),
            };
        }
    });
    ui.separator();
}

/// Returns whether a text contains all words of a filter.
fn matches_filter(filter: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    filter.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// A row of the list of facts.
enum AboutRow<'a> {
    Section(&'a FactSection, usize),
    Fact(&'a FactModel),
    More(usize),
}

fn about_ui(
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
        let matches =
            matches_filter(&view.filter, &format!("{} {} {}", fact.statement.text, fact.predicate, fact.object));
        matches && (!display.screen_safe || fact.safe)
    };
    let (mut rows, mut omitted_count) = (Vec::new(), 0);
    for section in &model.sections {
        let facts: Vec<&FactModel> = section.facts.iter().filter(is_shown).collect();
        omitted_count += section.facts.iter().filter(|fact| display.screen_safe && !fact.safe).count();
        if facts.is_empty() {
            continue;
        }
        rows.push(AboutRow::Section(section, facts.len()));
        rows.extend(facts.into_iter().map(AboutRow::Fact));
        if section.more > 0 && !display.screen_safe {
            rows.push(AboutRow::More(section.more));
        }
    }
    hidden_count_label(ui, display, omitted_count);
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
    let (facts, heights) = (&mut view.facts, &mut view.heights);
    let clock = model.clock.as_deref();
    list(ui, "about", rows.len(), heights, 74.0, focused_row, |ui, number| match &rows[number] {
        AboutRow::Section(section, count) => section_heading(ui, display, &section.title, Some(*count)),
        AboutRow::Fact(fact) => requests.extend(fact_ui(ui, display, fact, facts, clock, focused_row == Some(number))),
        AboutRow::More(count) => omitted_label(ui, display, *count),
    });
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
        Some(object_entity) => {
            Edit::Relate { subject: id.to_string(), predicate, object: object_entity.to_string(), options }
        }
        None => {
            let attribute = predicate.to_lowercase().replace([' ', '-'], "_");
            Edit::Set { entity: id.to_string(), attribute, value, options }
        }
    }
}

fn knows_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    requests: &mut Vec<Request>,
) {
    let all = model.knows.iter();
    let rows: Vec<&KnowsLine> =
        all.filter(|row| matches_filter(&view.filter, &row.statement) && (!display.screen_safe || row.safe)).collect();
    hidden_count_label(
        ui,
        display,
        if display.screen_safe { model.knows.iter().filter(|row| !row.safe).count() } else { 0 },
    );
    if rows.is_empty() {
        empty_state(
            ui,
            display,
            "It knows only what everybody knows",
            "Facts that it witnesses, hears or reads appear here.",
            None,
        );
        return;
    }
    let omitted_count = if display.screen_safe { 0 } else { model.knows_total.saturating_sub(model.knows.len()) };
    list(ui, "knows", rows.len() + usize::from(omitted_count > 0), &mut view.heights, 46.0, None, |ui, number| {
        let Some(row) = rows.get(number) else { return omitted_label(ui, display, omitted_count) };
        let fact = row.fact;
        ui.horizontal_wrapped(|ui| {
            if row.conceals || row.secret {
                let badge_text = if row.conceals { "\u{1F512} hides it" } else { "\u{1F512} secret" };
                badge(ui, display, Tone::Secret, badge_text);
            }
            if link(ui, RichText::new(&row.statement).color(display.theme.palette().text)).clicked() {
                requests.push(Request::ShowFact(fact));
            }
        });
        let mut parts = vec![row.acquisition.clone()];
        if row.belief_status != "believes it" || row.credence < 0.995 {
            parts.push(format!("{} ({:.2})", row.belief_status, row.credence));
        }
        parts.push(if row.known_to_party {
            "the party knows it too".into()
        } else {
            "the party does not know it".into()
        });
        if !display.screen_safe {
            label(ui, RichText::new(parts.join(" \u{00B7} ")).small().color(display.theme.palette().weak));
        }
    });
}

fn secrets_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    requests: &mut Vec<Request>,
) {
    if display.screen_safe {
        empty_state(ui, display, "Hidden in screen-safe mode", "Leave screen-safe mode to see secrets.", None);
        return;
    }
    let rows: Vec<&SecretLine> =
        model.secrets.iter().filter(|row| matches_filter(&view.filter, &row.statement)).collect();
    if rows.is_empty() {
        let hint = "Mark a fact as secret when you add it, or with `!` in the capture line.";
        empty_state(ui, display, "No secrets", hint, None);
        return;
    }
    list(ui, "secrets", rows.len(), &mut view.heights, 86.0, None, |ui, number| {
        let row = rows[number];
        card(ui, display, false, false, |ui| {
            ui.horizontal_wrapped(|ui| {
                badge(
                    ui,
                    display,
                    Tone::Secret,
                    if row.is_holder { "\u{1F512} hides it" } else { "\u{1F512} does not know it" },
                );
                badge(
                    ui,
                    display,
                    if row.tellings.is_empty() { Tone::Warn } else { Tone::Good },
                    if row.tellings.is_empty() { "untold" } else { "told" },
                );
                if row.known_to_party {
                    badge(ui, display, Tone::Good, "\u{2605} the party knows");
                }
            });
            if link(ui, RichText::new(&row.statement).color(display.theme.palette().text)).clicked() {
                requests.push(Request::ShowFact(row.fact));
            }
            ui.horizontal_wrapped(|ui| {
                weak_label(ui, display, "Known to");
                for knower in row.known_by.iter().take(8) {
                    entity_name_ui(ui, display, knower, false, requests);
                }
                omitted_label(ui, display, row.known_by.len().saturating_sub(8));
            });
            for telling in row.tellings.iter().take(6) {
                label(ui, RichText::new(telling).small().color(display.theme.palette().weak));
            }
            for condition in &row.conditions {
                let (tone, status_text) = match condition.is_met {
                    true => (Tone::Good, "may tell it now".to_owned()),
                    false => (Tone::Warn, format!("does not tell it yet; missing: {}", condition.missing.join("; "))),
                };
                toned_label(ui, display, tone, &format!("{} {status_text}", condition.holder.name));
                if let Some(note) = &condition.note {
                    weak_label(ui, display, note);
                }
            }
        });
    });
}

fn timeline_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    requests: &mut Vec<Request>,
) {
    let all = model.timeline.iter();
    let rows: Vec<&TimeLine> =
        all.filter(|row| matches_filter(&view.filter, &row.text) && (!display.screen_safe || row.safe)).collect();
    hidden_count_label(
        ui,
        display,
        if display.screen_safe { model.timeline.iter().filter(|row| !row.safe).count() } else { 0 },
    );
    if rows.is_empty() {
        empty_state(ui, display, "No dated facts", "Facts with a date appear here, in order of game time.", None);
        return;
    }
    list(ui, "timeline", rows.len(), &mut view.heights, 28.0, None, |ui, number| {
        let row = rows[number];
        ui.horizontal_top(|ui| {
            let size = egui::vec2(display.theme.sizes().body * 11.0, display.theme.sizes().body);
            ui.allocate_ui(size, |ui| {
                ui.set_width(size.x);
                weak_label(ui, display, &row.when);
            });
            ui.vertical(|ui| {
                let text = if row.secret { format!("\u{1F512} {}", row.text) } else { row.text.clone() };
                let tone = if row.secret { Tone::Secret } else { Tone::Plain };
                if link(ui, RichText::new(&text).color(display.theme.tone(tone))).clicked() {
                    requests.extend(match (row.fact, &row.session) {
                        (Some(fact), _) => Some(Request::ShowFact(fact)),
                        (None, Some(session)) => Some(Request::Session(session.clone())),
                        _ => None,
                    });
                }
            });
        });
    });
}

fn words_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &EntityModel,
    view: &mut EntityView,
    requests: &mut Vec<Request>,
) {
    let is_shown = |row: &&PassageLine| matches_filter(&view.filter, &row.text) && (!display.screen_safe || row.safe);
    let rows: Vec<&PassageLine> = model.passages.iter().filter(is_shown).collect();
    hidden_count_label(
        ui,
        display,
        if display.screen_safe { model.passages.iter().filter(|row| !row.safe).count() } else { 0 },
    );
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
                Some(speaker) => entity_name_ui(ui, display, speaker, row.safe, requests),
                None => _ = weak_label(ui, display, "narrated"),
            }
            label(ui, RichText::new(&row.place).small().color(display.theme.palette().weak));
        });
        quote(ui, display, &row.text, &(0..0));
    });
}

/// Returns the entity of a page with its name.
pub(super) fn page_entity(model: &EntityModel) -> Option<NamedEntity> {
    Some(NamedEntity { id: model.id.clone()?, name: model.name.clone(), kind: model.kind.clone() })
}
