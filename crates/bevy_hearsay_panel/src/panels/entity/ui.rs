//! Draws an entity's page.

use egui::{Key, Modifiers, RichText, TextEdit, Ui};
use hearsay_commands::edit::{Edit, FactOptions};
use hearsay_model::{EntityId, FactId, Kind};
use serde::{Deserialize, Serialize};

use super::model::{EntityModel, FactSection, KnowsLine, PassageLine, SecretLine, TimeLine};
use crate::{
    commands,
    names::Named,
    panel::{DeskCommand, Look, Request},
    panels::fact::{FactModel, FactsView, fact_ui, hidden_count, labelled, name_ui},
    text::counted,
    theme::Tone,
    widgets::{
        Completion, Heights, badge, card, command_button, empty_state, head, hidden, kind_sign, label, link, list,
        more, name_field, quote, section, toned, weak,
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
    /// Secrets of the entity, told and untold.
    Secrets,
    /// Dated events and facts about the entity.
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

/// View state of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EntityView {
    /// The current tab.
    pub tab: Tab,
    /// Facts that are open or being edited.
    pub facts: FactsView,
    /// Words that an item must contain to be shown.
    pub filter: String,
    /// The attribute or relation that is being added.
    pub adding: Option<Adding>,
    /// The fact to scroll to.
    #[serde(skip)]
    pub focus: Option<FactId>,
    /// Heights of the rows.
    #[serde(skip)]
    pub heights: Heights,
}

/// An attribute or relation that is being added to a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Adding {
    /// Name of the attribute or relation, such as `occupation` or `owes`.
    pub what: String,
    /// The value of the attribute, or the name of the related entity.
    pub value: String,
    /// The related entity, if the user chose it from the list of names.
    pub who: Option<EntityId>,
    /// Whether the new fact is a secret.
    pub secret: bool,
    #[serde(skip)]
    pub(super) completion: Completion,
}

/// An action that the user requests from the panel.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum EntityAction {
    /// Send a request to the desk.
    Ask(Request),
    /// Show the previous page.
    Back,
    /// Show the next page.
    Forward,
}

/// Whether the page history has a previous page and a next page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ways {
    /// Whether there is a previous page.
    pub back: bool,
    /// Whether there is a next page.
    pub forward: bool,
}

/// Draws an entity's page.
pub fn entity_ui(
    ui: &mut Ui,
    look: &Look,
    model: &EntityModel,
    view: &mut EntityView,
    ways: Ways,
) -> Vec<EntityAction> {
    let mut actions = Vec::new();
    let Some(id) = &model.id else {
        let next = "Search for a name with Ctrl+K, or click a name in any panel.";
        if empty_state(ui, look, "No entity page is open", next, Some("Search…")) {
            actions.push(EntityAction::Ask(Request::Search(String::new())));
        }
        return actions;
    };
    ui.push_id(id, |ui| {
        ways_ui(ui, look, model, ways, &mut actions);
        if !model.found {
            let next = "It was removed, or the change that added it was undone.";
            empty_state(ui, look, &format!("`{id}` does not exist"), next, None);
            return;
        }
        if look.screen_safe && !model.safe {
            empty_state(ui, look, "Hidden in screen-safe mode", "Not all players know that this entity exists.", None);
            return;
        }
        let mut asked = Vec::new();
        head(ui, "head", |ui| {
            name_and_kind(ui, look, model);
            top_ui(ui, look, model, &mut asked);
        });
        tabs_ui(ui, look, model, view);
        match view.tab {
            Tab::About => about_ui(ui, look, model, view, &mut asked),
            Tab::Knows => knows_ui(ui, look, model, view, &mut asked),
            Tab::Secrets => secrets_ui(ui, look, model, view, &mut asked),
            Tab::Timeline => timeline_ui(ui, look, model, view, &mut asked),
            Tab::Words => words_ui(ui, look, model, view, &mut asked),
        }
        actions.extend(asked.into_iter().map(EntityAction::Ask));
    });
    actions
}

/// Draws the buttons for the page history and for other panels.
fn ways_ui(ui: &mut Ui, look: &Look, model: &EntityModel, ways: Ways, actions: &mut Vec<EntityAction>) {
    ui.horizontal_wrapped(|ui| {
        for (there, command, action) in [
            (ways.back, &commands::PAGE_BACK, EntityAction::Back),
            (ways.forward, &commands::PAGE_FORWARD, EntityAction::Forward),
        ] {
            let pressed = ui.add_enabled_ui(there, |ui| command_button(ui, look, command)).inner;
            if pressed && there {
                actions.push(action);
            }
        }
        let Some(id) = model.id.as_ref().filter(|_| model.found) else { return };
        if command_button(ui, look, &commands::PAGE_GRAPH) {
            actions.push(EntityAction::Ask(Request::Graph(id.clone())));
        }
        let scene = match &model.kind {
            Some(kind) if kind.is_character() => Some(Request::Scene { place: None, speaker: Some(id.clone()) }),
            Some(Kind::Location) => Some(Request::Scene { place: Some(id.clone()), speaker: None }),
            _ => None,
        };
        if let Some(scene) = scene
            && command_button(ui, look, &commands::PAGE_SCENE)
        {
            actions.push(EntityAction::Ask(scene));
        }
    });
}

fn name_and_kind(ui: &mut Ui, look: &Look, model: &EntityModel) {
    ui.horizontal_wrapped(|ui| {
        let colour = look.theme.kind(model.kind.as_ref());
        ui.label(RichText::new(kind_sign(model.kind.as_ref())).heading().color(colour));
        label(ui, RichText::new(&model.name).heading().strong().color(look.theme.palette().strong));
        if let Some(kind) = &model.kind {
            weak(ui, look, kind.as_str());
        }
        let aliases: Vec<_> = model.aliases.iter().filter(|alias| !look.screen_safe || alias.safe).collect();
        if !aliases.is_empty() {
            weak(ui, look, "\u{00B7} also");
        }
        for alias in aliases {
            match alias.secret {
                true => _ = toned(ui, look, Tone::Secret, &format!("\u{1F512} {}", alias.text)),
                false => _ = label(ui, &alias.text),
            }
        }
    });
}

/// Draws first and last meeting, last words, and open promises, debts and quests.
fn top_ui(ui: &mut Ui, look: &Look, model: &EntityModel, asked: &mut Vec<Request>) {
    ui.add_space(look.theme.spacing().tight);
    for (name, met) in [("First met", &model.first_met), ("Last seen", &model.last_seen)] {
        line(ui, look, name, |ui| match met {
            Some(met) => {
                let text = format!("{} \u{00B7} {}", met.text, met.acquisition.to_lowercase());
                match &met.session {
                    Some(session) => {
                        if link(ui, &text).on_hover_text("Show the report of the session").clicked() {
                            asked.push(Request::Session(session.clone()));
                        }
                    }
                    None => _ = label(ui, &text),
                }
            }
            None => _ = weak(ui, look, "not yet"),
        });
    }
    line(ui, look, "Last words", |ui| match &model.last_words {
        Some(words) if look.screen_safe && !words.safe => _ = hidden(ui, look),
        Some(words) => {
            quote(ui, look, &words.text, &(0..0));
            label(ui, RichText::new(&words.when).small().color(look.theme.palette().weak));
        }
        None => _ = weak(ui, look, "none that the party heard"),
    });
    let unsettled: Vec<_> = model.unsettled.iter().filter(|thread| !look.screen_safe || thread.safe).collect();
    line(ui, look, "Open threads", |ui| {
        if unsettled.is_empty() {
            weak(ui, look, "nothing");
        }
        for thread in unsettled.iter().take(4) {
            ui.horizontal_wrapped(|ui| {
                badge(ui, look, Tone::Warn, &thread.kind);
                let response = link(ui, &thread.text).on_hover_text(&thread.details);
                if response.clicked() {
                    asked.extend(match (&thread.quest, thread.fact) {
                        (Some(quest), _) if model.id.as_ref() != Some(quest) => Some(Request::Show(quest.clone())),
                        (_, fact) => fact.map(Request::ShowFact),
                    });
                }
            });
        }
        more(ui, look, unsettled.len().saturating_sub(4));
    });
}

/// Draws a line that begins with a name.
fn line(ui: &mut Ui, look: &Look, name: &str, inside: impl FnOnce(&mut Ui)) {
    ui.horizontal_top(|ui| {
        let size = egui::vec2(look.theme.sizes().body * 5.4, look.theme.sizes().body);
        ui.allocate_ui(size, |ui| {
            ui.set_width(size.x);
            weak(ui, look, name);
        });
        ui.vertical(inside);
    });
}

fn tabs_ui(ui: &mut Ui, look: &Look, model: &EntityModel, view: &mut EntityView) {
    ui.add_space(look.theme.spacing().tight);
    ui.horizontal_wrapped(|ui| {
        let said = model.sections.iter().map(|section| section.facts.len() + section.more).sum();
        for (tab, count) in [
            (Tab::About, said),
            (Tab::Knows, model.knows_all),
            (Tab::Secrets, model.secrets.len()),
            (Tab::Timeline, model.timeline.len()),
            (Tab::Words, model.passages_all),
        ] {
            // In screen-safe mode, do not show counts, because even the number of secrets is secret.
            let counted = !look.screen_safe;
            let text = if counted { format!("{} {count}", tab.name()) } else { tab.name().into() };
            let response = ui.add(egui::Button::selectable(view.tab == tab, text));
            let (on, name) = (view.tab == tab, tab.name());
            response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::RadioButton, true, on, name));
            if response.clicked() && view.tab != tab {
                view.tab = tab;
                view.heights.clear();
            }
        }
        let field =
            TextEdit::singleline(&mut view.filter).hint_text(crate::widgets::as_hint("Filter")).desired_width(140.0);
        let response = labelled(ui.add(field), "Filter this page", &view.filter);
        if response.changed() {
            view.heights.clear();
        }
        if view.tab == Tab::About && !look.screen_safe && command_button(ui, look, &commands::PAGE_ADD) {
            view.adding = match view.adding.take() {
                Some(_) => None,
                None => Some(Adding::default()),
            };
        }
    });
    ui.separator();
}

/// Returns whether a text contains all words of a filter.
fn has(filter: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    filter.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// A row of the list of facts.
enum AboutRow<'a> {
    Section(&'a FactSection, usize),
    Fact(&'a FactModel),
    More(usize),
}

fn about_ui(ui: &mut Ui, look: &Look, model: &EntityModel, view: &mut EntityView, asked: &mut Vec<Request>) {
    if let Some(adding) = &mut view.adding
        && !look.screen_safe
        && adding_ui(ui, look, model, adding, asked)
    {
        view.adding = None;
    }
    let shown = |fact: &&FactModel| {
        let words = has(&view.filter, &format!("{} {} {}", fact.statement.text, fact.predicate, fact.object));
        words && (!look.screen_safe || fact.safe)
    };
    let (mut rows, mut left_out) = (Vec::new(), 0);
    for section in &model.sections {
        let facts: Vec<&FactModel> = section.facts.iter().filter(shown).collect();
        left_out += section.facts.iter().filter(|fact| look.screen_safe && !fact.safe).count();
        if facts.is_empty() {
            continue;
        }
        rows.push(AboutRow::Section(section, facts.len()));
        rows.extend(facts.into_iter().map(AboutRow::Fact));
        if section.more > 0 && !look.screen_safe {
            rows.push(AboutRow::More(section.more));
        }
    }
    hidden_count(ui, look, left_out);
    if rows.is_empty() {
        let next = match view.filter.is_empty() {
            true => "Add a fact here, or type one in the capture line.",
            false => "No entry contains the words of the filter.",
        };
        empty_state(ui, look, "No facts to show", next, None);
        return;
    }
    let place_of = |id| rows.iter().position(|row| matches!(row, AboutRow::Fact(fact) if fact.fact == id));
    let place = view.focus.and_then(place_of);
    view.focus = view.focus.filter(|_| place.is_none());
    let (facts, heights) = (&mut view.facts, &mut view.heights);
    let clock = model.clock.as_deref();
    list(ui, "about", rows.len(), heights, 74.0, place, |ui, number| match &rows[number] {
        AboutRow::Section(part, count) => section(ui, look, &part.title, Some(*count)),
        AboutRow::Fact(fact) => asked.extend(fact_ui(ui, look, fact, facts, clock, place == Some(number))),
        AboutRow::More(count) => more(ui, look, *count),
    });
}

/// Draws the fields for adding an attribute or a relation. Returns whether the user has completed or cancelled the
/// input.
fn adding_ui(ui: &mut Ui, look: &Look, model: &EntityModel, adding: &mut Adding, asked: &mut Vec<Request>) -> bool {
    let mut done = false;
    card(ui, look, true, false, |ui| {
        ui.horizontal_wrapped(|ui| {
            label(ui, RichText::new(&model.name).strong());
            let what = TextEdit::singleline(&mut adding.what)
                .hint_text(crate::widgets::as_hint("occupation, owes, alias…"))
                .desired_width(150.0);
            let what = ui.add(what);
            let what = labelled(what, "Attribute or relation", &adding.what);
            let hint = "value, or name of an entity";
            let field = name_field(ui, look, "Value to add", hint, &mut adding.value, &mut adding.completion, |_| true);
            if let Some(chosen) = &field.chosen {
                adding.who = Some(chosen.id.clone());
            } else if field.response.changed() {
                adding.who = None;
            }
            ui.checkbox(&mut adding.secret, "Secret");
            let ready = !adding.what.trim().is_empty() && !adding.value.trim().is_empty();
            let entered = field.entered || what.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            let add = ui.add_enabled(ready, egui::Button::new("Add")).clicked();
            if (add || entered) && ready {
                asked.extend(model.id.as_ref().map(|id| Request::Do(DeskCommand::Edit(added(id, adding)))));
                done = true;
            }
            let escape = ui.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
            done |= ui.button("Cancel").clicked() || escape;
        });
        weak(
            ui,
            look,
            "The name of an entity makes a relation; any other value makes an attribute. The new fact is canon.",
        );
    });
    done
}

/// Returns the edit that adds the fact. The fact is a relation if the user chose a name, and an attribute otherwise.
fn added(id: &EntityId, adding: &Adding) -> Edit {
    let options = FactOptions { secret: adding.secret, ..FactOptions::default() };
    let (what, value) = (adding.what.trim().to_owned(), adding.value.trim().to_owned());
    match &adding.who {
        Some(who) => Edit::Relate { subject: id.to_string(), predicate: what, object: who.to_string(), options },
        None => {
            let attribute = what.to_lowercase().replace([' ', '-'], "_");
            Edit::Set { entity: id.to_string(), attribute, value, options }
        }
    }
}

fn knows_ui(ui: &mut Ui, look: &Look, model: &EntityModel, view: &mut EntityView, asked: &mut Vec<Request>) {
    let all = model.knows.iter();
    let rows: Vec<&KnowsLine> =
        all.filter(|row| has(&view.filter, &row.statement) && (!look.screen_safe || row.safe)).collect();
    hidden_count(ui, look, if look.screen_safe { model.knows.iter().filter(|row| !row.safe).count() } else { 0 });
    if rows.is_empty() {
        empty_state(
            ui,
            look,
            "It knows only what everybody knows",
            "Facts that it witnesses, hears or reads appear here.",
            None,
        );
        return;
    }
    let left_out = if look.screen_safe { 0 } else { model.knows_all.saturating_sub(model.knows.len()) };
    list(ui, "knows", rows.len() + usize::from(left_out > 0), &mut view.heights, 46.0, None, |ui, number| {
        let Some(row) = rows.get(number) else { return more(ui, look, left_out) };
        let fact = row.fact;
        ui.horizontal_wrapped(|ui| {
            if row.conceals || row.secret {
                let words = if row.conceals { "\u{1F512} hides it" } else { "\u{1F512} secret" };
                badge(ui, look, Tone::Secret, words);
            }
            if link(ui, RichText::new(&row.statement).color(look.theme.palette().text)).clicked() {
                asked.push(Request::ShowFact(fact));
            }
        });
        let mut parts = vec![row.acquisition.clone()];
        if row.hold != "believes it" || row.credence < 0.995 {
            parts.push(format!("{} ({:.2})", row.hold, row.credence));
        }
        parts.push(if row.table { "the party knows it too".into() } else { "the party does not know it".into() });
        if !look.screen_safe {
            label(ui, RichText::new(parts.join(" \u{00B7} ")).small().color(look.theme.palette().weak));
        }
    });
}

fn secrets_ui(ui: &mut Ui, look: &Look, model: &EntityModel, view: &mut EntityView, asked: &mut Vec<Request>) {
    if look.screen_safe {
        empty_state(ui, look, "Hidden in screen-safe mode", "Leave screen-safe mode to see secrets.", None);
        return;
    }
    let rows: Vec<&SecretLine> = model.secrets.iter().filter(|row| has(&view.filter, &row.statement)).collect();
    if rows.is_empty() {
        let next = "Mark a fact as secret when you add it, or with `!` in the capture line.";
        empty_state(ui, look, "No secrets", next, None);
        return;
    }
    list(ui, "secrets", rows.len(), &mut view.heights, 86.0, None, |ui, number| {
        let row = rows[number];
        card(ui, look, false, false, |ui| {
            ui.horizontal_wrapped(|ui| {
                badge(
                    ui,
                    look,
                    Tone::Secret,
                    if row.keeps { "\u{1F512} hides it" } else { "\u{1F512} does not know it" },
                );
                badge(
                    ui,
                    look,
                    if row.told.is_empty() { Tone::Warn } else { Tone::Good },
                    if row.told.is_empty() { "untold" } else { "told" },
                );
                if row.table {
                    badge(ui, look, Tone::Good, "\u{2605} the party knows");
                }
            });
            if link(ui, RichText::new(&row.statement).color(look.theme.palette().text)).clicked() {
                asked.push(Request::ShowFact(row.fact));
            }
            ui.horizontal_wrapped(|ui| {
                weak(ui, look, "Known to");
                for who in row.known_by.iter().take(8) {
                    name_ui(ui, look, who, false, asked);
                }
                more(ui, look, row.known_by.len().saturating_sub(8));
            });
            for told in row.told.iter().take(6) {
                label(ui, RichText::new(told).small().color(look.theme.palette().weak));
            }
            for condition in &row.conditions {
                let (tone, when) = match condition.holds {
                    true => (Tone::Good, "may tell it now".to_owned()),
                    false => (Tone::Warn, format!("does not tell it yet; missing: {}", condition.missing.join("; "))),
                };
                toned(ui, look, tone, &format!("{} {when}", condition.holder.name));
                if let Some(note) = &condition.note {
                    weak(ui, look, note);
                }
            }
        });
    });
}

fn timeline_ui(ui: &mut Ui, look: &Look, model: &EntityModel, view: &mut EntityView, asked: &mut Vec<Request>) {
    let all = model.timeline.iter();
    let rows: Vec<&TimeLine> =
        all.filter(|row| has(&view.filter, &row.text) && (!look.screen_safe || row.safe)).collect();
    hidden_count(ui, look, if look.screen_safe { model.timeline.iter().filter(|row| !row.safe).count() } else { 0 });
    if rows.is_empty() {
        empty_state(ui, look, "No dated facts", "Facts with a date appear here, in order of game time.", None);
        return;
    }
    list(ui, "timeline", rows.len(), &mut view.heights, 28.0, None, |ui, number| {
        let row = rows[number];
        ui.horizontal_top(|ui| {
            let size = egui::vec2(look.theme.sizes().body * 11.0, look.theme.sizes().body);
            ui.allocate_ui(size, |ui| {
                ui.set_width(size.x);
                weak(ui, look, &row.when);
            });
            ui.vertical(|ui| {
                let text = if row.secret { format!("\u{1F512} {}", row.text) } else { row.text.clone() };
                let tone = if row.secret { Tone::Secret } else { Tone::Plain };
                if link(ui, RichText::new(&text).color(look.theme.tone(tone))).clicked() {
                    asked.extend(match (row.fact, &row.session) {
                        (Some(fact), _) => Some(Request::ShowFact(fact)),
                        (None, Some(session)) => Some(Request::Session(session.clone())),
                        _ => None,
                    });
                }
            });
        });
    });
}

fn words_ui(ui: &mut Ui, look: &Look, model: &EntityModel, view: &mut EntityView, asked: &mut Vec<Request>) {
    let shown = |row: &&PassageLine| has(&view.filter, &row.text) && (!look.screen_safe || row.safe);
    let rows: Vec<&PassageLine> = model.passages.iter().filter(shown).collect();
    hidden_count(ui, look, if look.screen_safe { model.passages.iter().filter(|row| !row.safe).count() } else { 0 });
    if rows.is_empty() {
        empty_state(ui, look, "No passages yet", "Lines that it speaks, and passages about it, appear here.", None);
        return;
    }
    let left_out = model.passages_all.saturating_sub(model.passages.len());
    list(ui, "words", rows.len() + usize::from(left_out > 0), &mut view.heights, 52.0, None, |ui, number| {
        let Some(row) = rows.get(number) else {
            weak(ui, look, &format!("and {}", counted(left_out, "older passage", "older passages")));
            return;
        };
        ui.horizontal_wrapped(|ui| {
            match &row.speaker {
                Some(speaker) if row.own => _ = label(ui, RichText::new(&speaker.name).strong()),
                Some(speaker) => name_ui(ui, look, speaker, row.safe, asked),
                None => _ = weak(ui, look, "narrated"),
            }
            label(ui, RichText::new(&row.place).small().color(look.theme.palette().weak));
        });
        quote(ui, look, &row.text, &(0..0));
    });
}

/// Returns the entity of a page with its name.
pub(super) fn named(model: &EntityModel) -> Option<Named> {
    Some(Named { id: model.id.clone()?, name: model.name.clone(), kind: model.kind.clone() })
}
