//! Draws the scene: the characters present, the question, the answer, and the knowledge of everyone present.

use egui::{Key, RichText, ScrollArea, TextEdit, Ui};
use hearsay_model::{EntityId, FactId, Kind, lists::push_new};
use hearsay_recall::LineSecrecy;
use serde::{Deserialize, Serialize};

use super::model::{
    AnswerModel, CharacterKnowledge, FactKnowledge, KnowledgeCategory, KnowledgeModel, PresentLine, SceneSettingModel,
    WhyNotModel,
};
use crate::{
    commands,
    direction::visual_order,
    names::NamedEntity,
    panel::{DisplayContext, Request},
    panels::fact::{entity_name_ui, named_text_field},
    theme::Tone,
    widgets::{
        Completion, badge, card, column, command_button, empty_state, entity_button, icon_button, kind_symbol, label,
        link, name_field, section_heading, sentence, set_button_name, toggle, toned_label, weak_label,
    },
};

/// Minimum width, in points, to show the answer and the knowledge of everyone present side by side.
const MIN_TWO_COLUMN_WIDTH: f32 = 760.0;

/// UI state of the scene panel: the chosen place, characters and speaker, the typed texts, and the selected fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneView {
    /// The place that the DM chose; `None` if the DM chose no place.
    pub place: Option<EntityId>,
    /// Characters that the DM added to the scene.
    pub added: Vec<EntityId>,
    /// Characters that the DM removed from the scene.
    pub removed: Vec<EntityId>,
    /// The character whom the players ask; `None` if no character is chosen.
    pub speaker: Option<EntityId>,
    /// Typed text of the players' question.
    pub question: String,
    /// Typed text of an event that everyone present sees.
    pub event_text: String,
    /// Whether citations are shown.
    pub citations: bool,
    /// The selected fact in the list that shows the knowledge of everyone present; `None` if no fact is selected. Key
    /// commands apply to this fact.
    pub fact: Option<FactId>,
    /// Whether a panel that is too narrow for two columns shows the knowledge of everyone present instead of the
    /// answer.
    pub shows_knowledge: bool,
    #[serde(skip)]
    fields: Fields,
}

/// Text fields for names.
#[derive(Debug, Clone, Default, PartialEq)]
struct Fields {
    place: String,
    place_list: Completion,
    add: String,
    add_list: Completion,
    scroll_to_fact: bool,
}

/// The data that the scene panel displays.
#[derive(Debug, Clone, Copy)]
pub struct SceneModels<'a> {
    /// The characters present in the scene, its place and its time.
    pub setting: &'a SceneSettingModel,
    /// The answer of the speaker.
    pub answer: &'a AnswerModel,
    /// The knowledge of everyone present.
    pub knowledge: &'a KnowledgeModel,
    /// The explanation of why a character does not know a fact; `None` if no explanation was requested.
    pub why_not: Option<&'a WhyNotModel>,
    /// Whether an answer was requested but has not arrived yet.
    pub answer_pending: bool,
}

/// An action that the user chose in the panel. The caller carries out the action.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum SceneAction {
    /// Send a request to the DM console.
    Request(Request),
    /// Ask the speaker the question.
    AskQuestion,
    /// Explain why a character does not know a fact. `None` closes the explanation.
    WhyNot(Option<(EntityId, FactId)>),
    /// Record that everyone present saw this fact.
    AllSaw(FactId),
    /// Reveal this fact to the party.
    RevealToParty(FactId),
    /// Record a new fact that everyone present sees.
    RecordEvent(String),
}

/// Draws the scene.
pub fn scene_ui(ui: &mut Ui, display: &DisplayContext, models: SceneModels, view: &mut SceneView) -> Vec<SceneAction> {
    let mut actions = Vec::new();
    setting_ui(ui, display, models.setting, view, &mut actions);
    if models.setting.present.is_empty() && models.setting.place.is_none() {
        let hint = "Choose a place, add a character, or start a session. Then type the players’ question.";
        empty_state(ui, display, "No characters in the scene", hint, None);
        return actions;
    }
    if display.screen_safe {
        recent_lines_ui(ui, display, models, &mut actions);
        return actions;
    }
    question_ui(ui, display, models.setting, view, &mut actions);
    ui.separator();
    let facts: Vec<FactId> = models.knowledge.facts.iter().map(|fact| fact.fact).collect();
    handle_keys(ui, display, models, view, &facts, &mut actions);
    if ui.available_width() >= MIN_TWO_COLUMN_WIDTH {
        ui.columns(2, |columns| {
            column(&mut columns[0], |ui| answer_ui(ui, display, models, view, &mut actions));
            column(&mut columns[1], |ui| knowledge_ui(ui, display, models, view, &mut actions));
        });
    } else {
        ui.horizontal(|ui| {
            for (shows_knowledge, name) in [(false, "Answer"), (true, "Minds")] {
                if ui.selectable_label(view.shows_knowledge == shows_knowledge, name).clicked() {
                    view.shows_knowledge = shows_knowledge;
                }
            }
        });
        if view.shows_knowledge {
            knowledge_ui(ui, display, models, view, &mut actions);
        } else {
            answer_ui(ui, display, models, view, &mut actions);
        }
    }
    view.fields.scroll_to_fact = false;
    actions
}

/// Draws the place, the time and the characters present.
fn setting_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    setting: &SceneSettingModel,
    view: &mut SceneView,
    actions: &mut Vec<SceneAction>,
) {
    ui.horizontal_wrapped(|ui| {
        if let Some(place) = setting.place.as_ref() {
            let details = setting.description.as_deref().unwrap_or_default();
            let mut response = entity_button(ui, display, place);
            if !details.is_empty() {
                response = response.on_hover_text(details);
            }
            if response.clicked() {
                actions.push(SceneAction::Request(Request::ShowEntity(place.id.clone())));
            }
        }
        let parts: Vec<&str> =
            [&setting.time, &setting.session_title].into_iter().flatten().map(String::as_str).collect();
        weak_label(ui, display, &parts.join(" \u{00B7} "));
        ui.spacing_mut().text_edit_width = 150.0;
        let hint = if setting.place.is_some() { "Change place\u{2026}" } else { "Where?" };
        let fields = &mut view.fields;
        let is_place = |named: &NamedEntity| named.kind == Some(Kind::Location);
        let field = name_field(ui, display, "Place", hint, &mut fields.place, &mut fields.place_list, is_place);
        if let Some(place) = field.chosen {
            view.place = Some(place.id);
            (view.added, view.removed) = (Vec::new(), Vec::new());
            view.fields.place.clear();
        }
        let (reset_label, help) = match setting.session {
            Some(_) => ("Back to the session", "Move the scene to the place of the session"),
            None => ("Back to the players", "Move the scene to the player characters"),
        };
        if view.place.is_some() && ui.button(reset_label).on_hover_text(help).clicked() {
            (view.place, view.added, view.removed) = (None, Vec::new(), Vec::new());
        }
    });
    ui.horizontal_wrapped(|ui| {
        weak_label(ui, display, "Here:");
        for line in &setting.present {
            present_ui(ui, display, line, view);
        }
        ui.spacing_mut().text_edit_width = 130.0;
        let can_know = |named: &NamedEntity| named.kind.as_ref().is_none_or(|kind| kind.is_character());
        let fields = &mut view.fields;
        let field =
            name_field(ui, display, "Add a character", "Add\u{2026}", &mut fields.add, &mut fields.add_list, can_know);
        if let Some(chosen) = field.chosen {
            view.removed.retain(|id| *id != chosen.id);
            push_new(&mut view.added, chosen.id);
            view.fields.add.clear();
        }
    });
}

/// Draws a character that is present. A click selects the character as the speaker.
fn present_ui(ui: &mut Ui, display: &DisplayContext, line: &PresentLine, view: &mut SceneView) {
    let is_speaker = view.speaker.as_ref() == Some(&line.character.id);
    let colour = display.theme.kind(line.character.kind.as_ref());
    let text = format!("{} {}", kind_symbol(line.character.kind.as_ref()), visual_order(&line.character.name));
    let button = egui::Button::selectable(is_speaker, RichText::new(text).color(colour));
    let role = line.role.as_deref().unwrap_or("");
    let manner = line.manner.as_deref().unwrap_or("");
    let details: Vec<&str> = [role, manner].into_iter().filter(|section| !section.is_empty()).collect();
    let response = ui.add(button).on_hover_text(format!("Ask {}\n{}", line.character.name, details.join("\n")));
    let name = format!("Ask {}", line.character.name);
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::RadioButton, true, is_speaker, &name));
    if response.clicked() {
        view.speaker = if is_speaker { None } else { Some(line.character.id.clone()) };
    }
    response.context_menu(|ui| {
        if ui.button("Remove from the scene").clicked() {
            remove_character(view, &line.character.id);
            ui.close();
        }
    });
    if is_speaker && icon_button(ui, "\u{D7}", &format!("Remove {} from the scene", line.character.name)).clicked() {
        remove_character(view, &line.character.id);
    }
}

fn remove_character(view: &mut SceneView, id: &EntityId) {
    view.added.retain(|added| added != id);
    view.removed.push(id.clone());
    if view.speaker.as_ref() == Some(id) {
        view.speaker = None;
    }
}

/// Draws the fields for the question and for events.
fn question_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    setting: &SceneSettingModel,
    view: &mut SceneView,
    actions: &mut Vec<SceneAction>,
) {
    let speaker = setting.present.iter().find(|line| Some(&line.character.id) == view.speaker.as_ref());
    let id = ui.make_persistent_id("question");
    ui.horizontal(|ui| {
        let hint = match speaker {
            Some(line) => format!("What do the players ask {}?", line.character.name),
            None => "Question or topic. Choose a character above to ask them.".to_owned(),
        };
        let button_width = display.theme.sizes().target * 3.2;
        let field = TextEdit::singleline(&mut view.question).id(id).hint_text(crate::widgets::italic_hint(hint));
        let response = ui.add(field.desired_width((ui.available_width() - button_width).max(100.0)));
        let response = named_text_field(response, "Question", &view.question);
        let is_confirmed = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if display.is_triggered(ui, &commands::SCENE_ASK) {
            response.request_focus();
        }
        let button = ui.add_enabled(!view.question.trim().is_empty(), egui::Button::new("Ask"));
        if button.on_hover_text(commands::SCENE_ASK.tooltip()).clicked() || is_confirmed {
            actions.push(SceneAction::AskQuestion);
        }
    });
    if let Some(manner) = speaker.and_then(|line| line.manner.as_ref()) {
        weak_label(ui, display, manner);
    }
    ui.horizontal(|ui| {
        let button_width = display.theme.sizes().body * 11.0;
        let field = TextEdit::singleline(&mut view.event_text)
            .hint_text(crate::widgets::italic_hint("Event that everybody in the scene sees\u{2026}"));
        let response = ui.add(field.desired_width((ui.available_width() - button_width).max(100.0)));
        let response = named_text_field(response, "Event", &view.event_text);
        let is_confirmed = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let is_ready = !view.event_text.trim().is_empty() && !setting.present.is_empty();
        let button = ui.add_enabled(is_ready, egui::Button::new("Everyone saw it"));
        let hover = "Record the event as canon, witnessed by all characters in the scene";
        if (button.on_hover_text(hover).clicked() || is_confirmed) && is_ready {
            actions.push(SceneAction::RecordEvent(std::mem::take(&mut view.event_text)));
        }
    });
}

/// Handles the keys of the panel's commands.
fn handle_keys(
    ui: &Ui,
    display: &DisplayContext,
    models: SceneModels,
    view: &mut SceneView,
    facts: &[FactId],
    actions: &mut Vec<SceneAction>,
) {
    let at = view.fact.and_then(|fact| facts.iter().position(|other| *other == fact));
    if at.is_none() {
        view.fact = facts.first().copied();
    }
    for (command, step) in [(&commands::SCENE_NEXT, 1_isize), (&commands::SCENE_PREVIOUS, -1)] {
        if display.is_triggered(ui, command) && !facts.is_empty() {
            let next = at.unwrap_or(0).saturating_add_signed(step).min(facts.len() - 1);
            view.fact = Some(facts[next]);
            view.fields.scroll_to_fact = true;
        }
    }
    if display.is_triggered(ui, &commands::SCENE_SPEAKER) {
        let present_ids: Vec<&EntityId> = models.setting.present.iter().map(|line| &line.character.id).collect();
        let at = present_ids.iter().position(|id| Some(*id) == view.speaker.as_ref());
        let next = at.map_or(0, |at| (at + 1) % present_ids.len().max(1));
        view.speaker = present_ids.get(next).map(|id| (*id).clone());
    }
    if display.is_triggered(ui, &commands::SCENE_CITATIONS) {
        view.citations = !view.citations;
    }
    let Some(fact) = view.fact else { return };
    if display.is_triggered(ui, &commands::SCENE_ALL_SAW) {
        actions.push(SceneAction::AllSaw(fact));
    }
    if display.is_triggered(ui, &commands::SCENE_REVEALED) {
        actions.push(SceneAction::RevealToParty(fact));
    }
    if display.is_triggered(ui, &commands::SCENE_WHY_NOT)
        && let Some(character) = why_not_character(models, view, fact)
    {
        actions.push(SceneAction::WhyNot(Some((character, fact))));
    }
}

/// Returns the character that the command "Why not?" explains: the speaker, or else the first character who does not
/// know the fact.
fn why_not_character(models: SceneModels, view: &SceneView, fact: FactId) -> Option<EntityId> {
    let characters = &models.knowledge.facts.iter().find(|line| line.fact == fact)?.characters;
    let is_unaware = |line: &&CharacterKnowledge| line.category == KnowledgeCategory::Unaware;
    let speaker = characters.iter().filter(is_unaware).find(|line| Some(&line.character.id) == view.speaker.as_ref());
    speaker.or(characters.iter().find(is_unaware)).map(|line| line.character.id.clone())
}

/// Draws the answer of the speaker.
fn answer_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    models: SceneModels,
    view: &mut SceneView,
    actions: &mut Vec<SceneAction>,
) {
    let answer = models.answer;
    let Some(speaker) = &answer.speaker else {
        recent_lines_ui(ui, display, models, actions);
        return;
    };
    ui.horizontal_wrapped(|ui| {
        label(ui, RichText::new(format!("{} may say", speaker.name)).strong());
        if command_button(ui, display, &commands::SCENE_COPY) {
            actions.push(SceneAction::Request(Request::Copy(answer.prompt.clone())));
        }
        if command_button(ui, display, &commands::SCENE_COPY_CITATIONS) {
            actions.push(SceneAction::Request(Request::Copy(answer.with_citations.clone())));
        }
        if toggle(ui, view.citations, "Citations", &commands::SCENE_CITATIONS.tooltip()).clicked() {
            view.citations = !view.citations;
        }
    });
    label(ui, RichText::new(&answer.summary).small().color(display.theme.palette().weak));
    ScrollArea::vertical().id_salt("answer").auto_shrink([false, false]).show(ui, |ui| {
        for section in &answer.sections {
            section_heading(ui, display, &section.title, None);
            for line in &section.lines {
                ui.horizontal_wrapped(|ui| {
                    ui.spacing_mut().item_spacing.x = display.theme.spacing().tight;
                    if let Some(text) = line.badge_text() {
                        badge(ui, display, Tone::Secret, &text);
                    }
                    let text = RichText::new(visual_order(&line.text)).color(display.theme.palette().text);
                    match line.fact {
                        Some(fact) => {
                            if ui.link(text).on_hover_text(&line.citation).clicked() {
                                actions.push(SceneAction::Request(Request::ShowFact(fact)));
                            }
                        }
                        None => _ = ui.label(text).on_hover_text(&line.citation),
                    }
                    // If the speaker conceals the fact, omit the note: the badge already shows this, and the note
                    // addresses the speaker as `you`.
                    if !line.note.is_empty() && line.secrecy == LineSecrecy::Open {
                        label(ui, RichText::new(format!("({})", line.note)).italics());
                    }
                });
                if view.citations {
                    label(ui, RichText::new(&line.citation).small().color(display.theme.palette().weak));
                }
            }
        }
    });
}

/// Draws the last lines said in the scene. The lines are shown until the DM asks a character.
fn recent_lines_ui(ui: &mut Ui, display: &DisplayContext, models: SceneModels, actions: &mut Vec<SceneAction>) {
    if models.answer_pending {
        weak_label(ui, display, "\u{2026}");
        return;
    }
    weak_label(
        ui,
        display,
        match display.screen_safe {
            true => "Only the DM sees what the characters know and answer.",
            false => "Choose a speaker, type the players’ question, and press Enter.",
        },
    );
    let lines = &models.setting.recent_lines;
    if lines.is_empty() {
        return;
    }
    section_heading(ui, display, "Recently said", None);
    let mut requests = Vec::new();
    for line in lines {
        ui.horizontal_wrapped(|ui| {
            if let Some(speaker) = &line.speaker {
                entity_name_ui(ui, display, speaker, &mut requests);
            }
            label(ui, RichText::new(&line.text).italics());
        });
    }
    actions.extend(requests.into_iter().map(SceneAction::Request));
}

/// Draws the knowledge of everyone present about each fact.
fn knowledge_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    models: SceneModels,
    view: &mut SceneView,
    actions: &mut Vec<SceneAction>,
) {
    ui.label(RichText::new("What each character knows").strong());
    if models.knowledge.facts.is_empty() {
        let hint = match models.knowledge.question.is_empty() {
            true => "Ask a question to see what each character knows, believes or hides about it.",
            false => "No recorded fact is relevant to the question.",
        };
        weak_label(ui, display, hint);
        return;
    }
    ScrollArea::vertical().id_salt("minds").auto_shrink([false, false]).show(ui, |ui| {
        for fact in &models.knowledge.facts {
            let focused = view.fact == Some(fact.fact);
            let fact_card = ui.push_id(fact.fact, |ui| {
                card(ui, display, focused, false, |ui| {
                    fact_knowledge_ui(ui, display, models, view, fact, focused, actions)
                })
                .response
            });
            if focused && view.fields.scroll_to_fact {
                fact_card.inner.scroll_to_me(None);
            }
        }
    });
}

fn fact_knowledge_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    models: SceneModels,
    view: &mut SceneView,
    fact: &FactKnowledge,
    focused: bool,
    actions: &mut Vec<SceneAction>,
) {
    let mut requests = Vec::new();
    let palette = display.theme.palette();
    if fact.secret {
        badge(ui, display, Tone::Secret, "\u{1F512} secret");
    }
    requests.extend(sentence(ui, display, &fact.statement, Tone::Plain).map(Request::ShowEntity));
    let party_knowledge = fact
        .party_knowledge
        .as_ref()
        .map_or("\u{2606} The party does not know it".into(), |text| format!("\u{2605} {text}"));
    let colour = if fact.party_knowledge.is_some() { palette.good } else { palette.weak };
    label(ui, RichText::new(&party_knowledge).small().color(colour));
    for line in fact.characters.iter().filter(|line| line.category != KnowledgeCategory::Unaware) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = display.theme.spacing().tight;
            entity_name_ui(ui, display, &line.character, &mut requests);
            let tone = match line.category {
                KnowledgeCategory::Knows => Tone::Good,
                KnowledgeCategory::Conceals => Tone::Secret,
                KnowledgeCategory::Doubts | KnowledgeCategory::BelievesOtherwise => Tone::Warn,
                KnowledgeCategory::Unaware => Tone::Weak,
            };
            toned_label(ui, display, tone, line.category.word());
            label(ui, RichText::new(&line.acquisition).small().color(palette.weak));
        });
        for assumption in &line.assumptions {
            label(ui, RichText::new(format!("    {assumption}")).small().color(palette.weak));
        }
    }
    let unaware: Vec<&CharacterKnowledge> =
        fact.characters.iter().filter(|line| line.category == KnowledgeCategory::Unaware).collect();
    if !unaware.is_empty() {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = display.theme.spacing().tight;
            ui.label(RichText::new("do not know it:").small().color(palette.weak));
            for line in unaware {
                let name = format!("Why does {} not know it?", line.character.name);
                let response = link(ui, RichText::new(&line.character.name).small().color(palette.link));
                if set_button_name(response.on_hover_text(&name), true, &name).clicked() {
                    actions.push(SceneAction::WhyNot(Some((line.character.id.clone(), fact.fact))));
                }
            }
        });
    }
    if let Some(why_not) = models.why_not.filter(|why_not| why_not.fact == fact.fact) {
        why_not_ui(ui, display, why_not, &mut requests, actions);
    }
    actions.extend(requests.into_iter().map(SceneAction::Request));
    if focused {
        ui.horizontal_wrapped(|ui| {
            // These buttons do not handle keys, because the panel handles the keys once for all facts.
            for (command, action) in [
                (&commands::SCENE_ALL_SAW, Some(SceneAction::AllSaw(fact.fact))),
                (&commands::SCENE_REVEALED, Some(SceneAction::RevealToParty(fact.fact))),
                (
                    &commands::SCENE_WHY_NOT,
                    why_not_character(models, view, fact.fact)
                        .map(|character| SceneAction::WhyNot(Some((character, fact.fact)))),
                ),
            ] {
                let button = |ui: &mut Ui| crate::widgets::command_button_without_keys(ui, display, command).clicked();
                if ui.add_enabled_ui(action.is_some(), button).inner {
                    actions.extend(action);
                }
            }
        });
    } else if ui.small_button("Choose").on_hover_text("Select this fact, so that keys apply to it").clicked() {
        view.fact = Some(fact.fact);
    }
}

/// Draws the explanation of why a character does not know a fact, and the characters that could tell the fact.
fn why_not_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    why_not: &WhyNotModel,
    requests: &mut Vec<Request>,
    actions: &mut Vec<SceneAction>,
) {
    ui.separator();
    ui.horizontal_wrapped(|ui| {
        entity_name_ui(ui, display, &why_not.character, requests);
        match &why_not.knows {
            Some(acquisition) => _ = toned_label(ui, display, Tone::Good, &format!("does know it: {acquisition}")),
            None => _ = ui.label("does not know it:"),
        }
        if icon_button(ui, "\u{D7}", "Close the reasons").clicked() {
            actions.push(SceneAction::WhyNot(None));
        }
    });
    for reason in &why_not.reasons {
        label(ui, format!("\u{2022} {reason}"));
    }
    if !why_not.sources.is_empty() {
        weak_label(ui, display, "Characters who could tell it:");
        for source in &why_not.sources {
            ui.horizontal_wrapped(|ui| {
                entity_name_ui(ui, display, &source.character, requests);
                if source.conceals {
                    toned_label(ui, display, Tone::Secret, "who hides it");
                }
                label(ui, RichText::new(&source.relationship).small().color(display.theme.palette().weak));
            });
        }
    }
    for condition in &why_not.conditions {
        label(ui, format!("\u{2022} {condition}"));
    }
}
