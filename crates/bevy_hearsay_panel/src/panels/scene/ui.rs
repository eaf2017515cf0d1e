//! Draws the scene: the characters present, the question, the answer, and the knowledge of everyone present.

use egui::{Key, RichText, ScrollArea, TextEdit, Ui};
use hearsay_model::{EntityId, FactId, Kind};
use serde::{Deserialize, Serialize};

use super::model::{AnswerModel, Mind, MindFact, MindLine, MindsModel, PresentLine, StageModel, WhyNotModel};
use crate::{
    commands,
    direction::visual,
    names::Named,
    panel::{Look, Request},
    panels::fact::{hidden_count, labelled, name_ui},
    theme::Tone,
    widgets::{
        Completion, badge, card, column, command_button, empty_state, entity_button, icon_button, kind_sign, label,
        link, name_field, named, section, sentence, toggle, toned, weak,
    },
};

/// Minimum width, in points, to show the answer and the knowledge of everyone present side by side.
const WIDE: f32 = 760.0;

/// View state of the scene.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SceneView {
    /// The place that the DM chose. Default: the place of the session.
    pub place: Option<EntityId>,
    /// Characters that the DM added to the scene.
    pub added: Vec<EntityId>,
    /// Characters that the DM removed from the scene.
    pub left_out: Vec<EntityId>,
    /// The character whom the players ask.
    pub speaker: Option<EntityId>,
    /// Typed text of the players' question.
    pub question: String,
    /// Typed text of an event that everyone present sees.
    pub happens: String,
    /// Whether citations are shown.
    pub citations: bool,
    /// The fact that is selected in the list of everyone's knowledge. Keys apply to this fact.
    pub fact: Option<FactId>,
    /// Whether a panel that is too narrow for both shows the knowledge of everyone present instead of the answer.
    pub minds: bool,
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
    moved: bool,
}

/// The models of the scene.
#[derive(Debug, Clone, Copy)]
pub struct SceneModels<'a> {
    /// The characters present, the place and the time.
    pub stage: &'a StageModel,
    /// The answer of the speaker.
    pub answer: &'a AnswerModel,
    /// The knowledge of everyone present.
    pub minds: &'a MindsModel,
    /// The explanation of why a character does not know a fact, if requested.
    pub why_not: Option<&'a WhyNotModel>,
    /// Whether an answer was requested and has not arrived yet.
    pub waits: bool,
}

/// An action that the user requests from the panel.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum SceneAction {
    /// Send a request to the desk.
    Ask(Request),
    /// Ask the speaker the question.
    Question,
    /// Explain why a character does not know a fact. `None` closes the explanation.
    WhyNot(Option<(EntityId, FactId)>),
    /// Record that everyone present saw this fact.
    AllSaw(FactId),
    /// Reveal this fact to the party.
    Revealed(FactId),
    /// Record a new fact that everyone present sees.
    Happened(String),
}

/// Draws the scene.
pub fn scene_ui(ui: &mut Ui, look: &Look, models: SceneModels, view: &mut SceneView) -> Vec<SceneAction> {
    let mut actions = Vec::new();
    stage_ui(ui, look, models.stage, view, &mut actions);
    if models.stage.present.is_empty() && models.stage.place.is_none() {
        let next = "Choose a place, add a character, or start a session. Then type the players’ question.";
        empty_state(ui, look, "No characters in the scene", next, None);
        return actions;
    }
    question_ui(ui, look, models.stage, view, &mut actions);
    ui.separator();
    let facts: Vec<FactId> = models.minds.facts.iter().map(|fact| fact.fact).collect();
    keys(ui, look, models, view, &facts, &mut actions);
    if ui.available_width() >= WIDE {
        ui.columns(2, |columns| {
            column(&mut columns[0], |ui| answer_ui(ui, look, models, view, &mut actions));
            column(&mut columns[1], |ui| minds_ui(ui, look, models, view, &mut actions));
        });
    } else {
        ui.horizontal(|ui| {
            for (minds, name) in [(false, "Answer"), (true, "Minds")] {
                if ui.selectable_label(view.minds == minds, name).clicked() {
                    view.minds = minds;
                }
            }
        });
        if view.minds {
            minds_ui(ui, look, models, view, &mut actions);
        } else {
            answer_ui(ui, look, models, view, &mut actions);
        }
    }
    view.fields.moved = false;
    actions
}

/// Draws the place, the time and the characters present.
fn stage_ui(ui: &mut Ui, look: &Look, stage: &StageModel, view: &mut SceneView, actions: &mut Vec<SceneAction>) {
    ui.horizontal_wrapped(|ui| {
        if let Some(place) = stage.place.as_ref().filter(|_| !look.screen_safe || stage.place_safe) {
            let about = if look.screen_safe { "" } else { stage.description.as_deref().unwrap_or_default() };
            let mut response = entity_button(ui, look, place);
            if !about.is_empty() {
                response = response.on_hover_text(about);
            }
            if response.clicked() {
                actions.push(SceneAction::Ask(Request::Show(place.id.clone())));
            }
        }
        let parts: Vec<&str> = [&stage.time, &stage.session_title].into_iter().flatten().map(String::as_str).collect();
        weak(ui, look, &parts.join(" \u{00B7} "));
        if look.screen_safe {
            // In screen-safe mode, a list of names would reveal entities.
            return;
        }
        ui.spacing_mut().text_edit_width = 150.0;
        let hint = if stage.place.is_some() { "Change place\u{2026}" } else { "Where?" };
        let fields = &mut view.fields;
        let is_place = |named: &Named| named.kind == Some(Kind::Location);
        let field = name_field(ui, look, "Place", hint, &mut fields.place, &mut fields.place_list, is_place);
        if let Some(place) = field.chosen {
            view.place = Some(place.id);
            (view.added, view.left_out) = (Vec::new(), Vec::new());
            view.fields.place.clear();
        }
        let (back, help) = match stage.session {
            Some(_) => ("Back to the session", "Move the scene to the place of the session"),
            None => ("Back to the players", "Move the scene to the player characters"),
        };
        if view.place.is_some() && ui.button(back).on_hover_text(help).clicked() {
            (view.place, view.added, view.left_out) = (None, Vec::new(), Vec::new());
        }
    });
    ui.horizontal_wrapped(|ui| {
        weak(ui, look, "Here:");
        let shown: Vec<&PresentLine> = stage.present.iter().filter(|line| !look.screen_safe || line.safe).collect();
        for line in &shown {
            present_ui(ui, look, line, view);
        }
        if look.screen_safe {
            hidden_count(ui, look, stage.present.len() - shown.len());
            return;
        }
        ui.spacing_mut().text_edit_width = 130.0;
        let can_know = |named: &Named| named.kind.as_ref().is_none_or(|kind| kind.is_character());
        let fields = &mut view.fields;
        let field =
            name_field(ui, look, "Add a character", "Add\u{2026}", &mut fields.add, &mut fields.add_list, can_know);
        if let Some(chosen) = field.chosen {
            view.left_out.retain(|id| *id != chosen.id);
            if !view.added.contains(&chosen.id) {
                view.added.push(chosen.id);
            }
            view.fields.add.clear();
        }
    });
}

/// Draws a character that is present. A click selects it as the speaker.
fn present_ui(ui: &mut Ui, look: &Look, line: &PresentLine, view: &mut SceneView) {
    let asked = view.speaker.as_ref() == Some(&line.who.id);
    let colour = look.theme.kind(line.who.kind.as_ref());
    let text = format!("{} {}", kind_sign(line.who.kind.as_ref()), visual(&line.who.name));
    let button = egui::Button::selectable(asked, RichText::new(text).color(colour));
    let role = line.role.as_deref().unwrap_or("");
    let manner = if look.screen_safe { "" } else { line.manner.as_deref().unwrap_or("") };
    let about: Vec<&str> = [role, manner].into_iter().filter(|part| !part.is_empty()).collect();
    let response = ui.add(button).on_hover_text(format!("Ask {}\n{}", line.who.name, about.join("\n")));
    let name = format!("Ask {}", line.who.name);
    response.widget_info(|| egui::WidgetInfo::selected(egui::WidgetType::RadioButton, true, asked, &name));
    if response.clicked() {
        view.speaker = if asked { None } else { Some(line.who.id.clone()) };
    }
    response.context_menu(|ui| {
        if ui.button("Remove from the scene").clicked() {
            leave_out(view, &line.who.id);
            ui.close();
        }
    });
    if asked && icon_button(ui, "\u{D7}", &format!("Remove {} from the scene", line.who.name)).clicked() {
        leave_out(view, &line.who.id);
    }
}

fn leave_out(view: &mut SceneView, id: &EntityId) {
    view.added.retain(|added| added != id);
    view.left_out.push(id.clone());
    if view.speaker.as_ref() == Some(id) {
        view.speaker = None;
    }
}

/// Draws the fields for the question and for events.
fn question_ui(ui: &mut Ui, look: &Look, stage: &StageModel, view: &mut SceneView, actions: &mut Vec<SceneAction>) {
    let speaker = stage.present.iter().find(|line| Some(&line.who.id) == view.speaker.as_ref());
    let id = ui.make_persistent_id("question");
    ui.horizontal(|ui| {
        let hint = match speaker {
            Some(line) => format!("What do the players ask {}?", line.who.name),
            None => "Question or topic. Choose a character above to ask them.".to_owned(),
        };
        let room = look.theme.sizes().target * 3.2;
        let field = TextEdit::singleline(&mut view.question).id(id).hint_text(crate::widgets::as_hint(hint));
        let response = ui.add(field.desired_width((ui.available_width() - room).max(100.0)));
        let response = labelled(response, "Question", &view.question);
        let entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        if look.pressed(ui, &commands::SCENE_ASK) {
            response.request_focus();
        }
        let button = ui.add_enabled(!view.question.trim().is_empty(), egui::Button::new("Ask"));
        if button.on_hover_text(commands::SCENE_ASK.tooltip()).clicked() || entered {
            actions.push(SceneAction::Question);
        }
    });
    if let Some(manner) = speaker.and_then(|line| line.manner.as_ref()).filter(|_| !look.screen_safe) {
        weak(ui, look, manner);
    }
    if look.screen_safe {
        return;
    }
    ui.horizontal(|ui| {
        let room = look.theme.sizes().body * 11.0;
        let field = TextEdit::singleline(&mut view.happens)
            .hint_text(crate::widgets::as_hint("Event that everybody in the scene sees\u{2026}"));
        let response = ui.add(field.desired_width((ui.available_width() - room).max(100.0)));
        let response = labelled(response, "Event", &view.happens);
        let entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        let ready = !view.happens.trim().is_empty() && !stage.present.is_empty();
        let button = ui.add_enabled(ready, egui::Button::new("Everyone saw it"));
        let hover = "Record the event as canon, witnessed by all characters in the scene";
        if (button.on_hover_text(hover).clicked() || entered) && ready {
            actions.push(SceneAction::Happened(std::mem::take(&mut view.happens)));
        }
    });
}

/// Handles the keys of the panel's commands.
fn keys(
    ui: &Ui,
    look: &Look,
    models: SceneModels,
    view: &mut SceneView,
    facts: &[FactId],
    actions: &mut Vec<SceneAction>,
) {
    let at = view.fact.and_then(|fact| facts.iter().position(|other| *other == fact));
    if at.is_none() {
        view.fact = facts.first().copied();
    }
    for (command, by) in [(&commands::SCENE_NEXT, 1_isize), (&commands::SCENE_BACK, -1)] {
        if look.pressed(ui, command) && !facts.is_empty() {
            let next = at.unwrap_or(0).saturating_add_signed(by).min(facts.len() - 1);
            view.fact = Some(facts[next]);
            view.fields.moved = true;
        }
    }
    if look.pressed(ui, &commands::SCENE_SPEAKER) {
        let here: Vec<&EntityId> = models.stage.present.iter().map(|line| &line.who.id).collect();
        let at = here.iter().position(|id| Some(*id) == view.speaker.as_ref());
        let next = at.map_or(0, |at| (at + 1) % here.len().max(1));
        view.speaker = here.get(next).map(|id| (*id).clone());
    }
    if look.pressed(ui, &commands::SCENE_CITATIONS) {
        view.citations = !view.citations;
    }
    let Some(fact) = view.fact.filter(|_| !look.screen_safe) else { return };
    if look.pressed(ui, &commands::SCENE_SAW) {
        actions.push(SceneAction::AllSaw(fact));
    }
    if look.pressed(ui, &commands::SCENE_REVEALED) {
        actions.push(SceneAction::Revealed(fact));
    }
    if look.pressed(ui, &commands::SCENE_WHY)
        && let Some(who) = whom(models, view, fact)
    {
        actions.push(SceneAction::WhyNot(Some((who, fact))));
    }
}

/// Returns the character that the command "Why not?" explains: the speaker, or else the first character who does not
/// know the fact.
fn whom(models: SceneModels, view: &SceneView, fact: FactId) -> Option<EntityId> {
    let minds = &models.minds.facts.iter().find(|mind| mind.fact == fact)?.minds;
    let unaware = |line: &&MindLine| line.mind == Mind::Unaware;
    let speaker = minds.iter().filter(unaware).find(|line| Some(&line.who.id) == view.speaker.as_ref());
    speaker.or(minds.iter().find(unaware)).map(|line| line.who.id.clone())
}

/// Draws the answer of the speaker.
fn answer_ui(ui: &mut Ui, look: &Look, models: SceneModels, view: &mut SceneView, actions: &mut Vec<SceneAction>) {
    let answer = models.answer;
    let Some(speaker) = &answer.speaker else {
        lately_ui(ui, look, models, actions);
        return;
    };
    let known = models.stage.present.iter().find(|line| line.who.id == speaker.id);
    if look.screen_safe && !known.is_some_and(|line| line.safe) {
        weak(ui, look, "Hidden in screen-safe mode.");
        return;
    }
    ui.horizontal_wrapped(|ui| {
        label(ui, RichText::new(format!("{} may say", speaker.name)).strong());
        if command_button(ui, look, &commands::SCENE_COPY) && !look.screen_safe {
            actions.push(SceneAction::Ask(Request::Copy(answer.prompt.clone())));
        }
        if command_button(ui, look, &commands::SCENE_COPY_CITATIONS) && !look.screen_safe {
            actions.push(SceneAction::Ask(Request::Copy(answer.with_citations.clone())));
        }
        if toggle(ui, view.citations, "Citations", &commands::SCENE_CITATIONS.tooltip()).clicked() {
            view.citations = !view.citations;
        }
    });
    label(ui, RichText::new(&answer.summary).small().color(look.theme.palette().weak));
    ScrollArea::vertical().id_salt("answer").auto_shrink([false, false]).show(ui, |ui| {
        let mut left_out = 0;
        for part in &answer.sections {
            let lines: Vec<_> = part.lines.iter().filter(|line| !look.screen_safe || line.safe).collect();
            left_out += part.lines.len() - lines.len();
            if lines.is_empty() {
                continue;
            }
            section(ui, look, &part.title, None);
            for line in lines {
                ui.horizontal_wrapped(|ui| {
                    ui.spacing_mut().item_spacing.x = look.theme.spacing().tight;
                    if line.conceals || line.secret {
                        let words = if line.conceals { "\u{1F512} hides it" } else { "\u{1F512} secret" };
                        badge(ui, look, Tone::Secret, words);
                    }
                    let words = RichText::new(visual(&line.text)).color(look.theme.palette().text);
                    match line.fact {
                        Some(fact) => {
                            if ui.link(words).on_hover_text(&line.citation).clicked() {
                                actions.push(SceneAction::Ask(Request::ShowFact(fact)));
                            }
                        }
                        None => _ = ui.label(words).on_hover_text(&line.citation),
                    }
                    // If the speaker conceals the fact, omit the note: the badge already shows this, and the note
                    // addresses the speaker as `you`.
                    if !line.note.is_empty() && !line.conceals {
                        label(ui, RichText::new(format!("({})", line.note)).italics());
                    }
                });
                if view.citations && !look.screen_safe {
                    label(ui, RichText::new(&line.citation).small().color(look.theme.palette().weak));
                }
            }
        }
        hidden_count(ui, look, left_out);
    });
}

/// Draws the last lines said in the scene. They are shown until the DM asks a character.
fn lately_ui(ui: &mut Ui, look: &Look, models: SceneModels, actions: &mut Vec<SceneAction>) {
    if models.waits {
        weak(ui, look, "\u{2026}");
        return;
    }
    weak(ui, look, "Choose a speaker, type the players’ question, and press Enter.");
    let said: Vec<_> = models.stage.lately.iter().filter(|line| !look.screen_safe || line.safe).collect();
    if said.is_empty() {
        return;
    }
    section(ui, look, "Recently said", None);
    let mut asked = Vec::new();
    for line in said {
        ui.horizontal_wrapped(|ui| {
            if let Some(speaker) = &line.speaker {
                name_ui(ui, look, speaker, line.safe, &mut asked);
            }
            label(ui, RichText::new(&line.text).italics());
        });
    }
    actions.extend(asked.into_iter().map(SceneAction::Ask));
}

/// Draws the knowledge of everyone present about each fact.
fn minds_ui(ui: &mut Ui, look: &Look, models: SceneModels, view: &mut SceneView, actions: &mut Vec<SceneAction>) {
    if look.screen_safe {
        weak(ui, look, "Hidden in screen-safe mode.");
        return;
    }
    ui.label(RichText::new("What each character knows").strong());
    if models.minds.facts.is_empty() {
        let words = match models.minds.question.is_empty() {
            true => "Ask a question to see what each character knows, believes or hides about it.",
            false => "No recorded fact is relevant to the question.",
        };
        weak(ui, look, words);
        return;
    }
    ScrollArea::vertical().id_salt("minds").auto_shrink([false, false]).show(ui, |ui| {
        for fact in &models.minds.facts {
            let focused = view.fact == Some(fact.fact);
            let shown = ui.push_id(fact.fact, |ui| {
                card(ui, look, focused, false, |ui| mind_ui(ui, look, models, view, fact, focused, actions)).response
            });
            if focused && view.fields.moved {
                shown.inner.scroll_to_me(None);
            }
        }
    });
}

fn mind_ui(
    ui: &mut Ui,
    look: &Look,
    models: SceneModels,
    view: &mut SceneView,
    fact: &MindFact,
    focused: bool,
    actions: &mut Vec<SceneAction>,
) {
    let mut asked = Vec::new();
    let palette = look.theme.palette();
    if fact.secret {
        badge(ui, look, Tone::Secret, "\u{1F512} secret");
    }
    asked.extend(sentence(ui, look, &fact.statement, Tone::Plain).map(Request::Show));
    let table =
        fact.table.as_ref().map_or("\u{2606} The party does not know it".into(), |text| format!("\u{2605} {text}"));
    let colour = if fact.table.is_some() { palette.good } else { palette.weak };
    label(ui, RichText::new(&table).small().color(colour));
    for line in fact.minds.iter().filter(|line| line.mind != Mind::Unaware) {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = look.theme.spacing().tight;
            name_ui(ui, look, &line.who, true, &mut asked);
            let tone = match line.mind {
                Mind::Knows => Tone::Good,
                Mind::Hides => Tone::Secret,
                Mind::Doubts | Mind::Otherwise => Tone::Warn,
                Mind::Unaware => Tone::Weak,
            };
            toned(ui, look, tone, line.mind.word());
            label(ui, RichText::new(&line.acquisition).small().color(palette.weak));
        });
        for thought in &line.thinks {
            label(ui, RichText::new(format!("    {thought}")).small().color(palette.weak));
        }
    }
    let unaware: Vec<&MindLine> = fact.minds.iter().filter(|line| line.mind == Mind::Unaware).collect();
    if !unaware.is_empty() {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = look.theme.spacing().tight;
            ui.label(RichText::new("do not know it:").small().color(palette.weak));
            for line in unaware {
                let name = format!("Why does {} not know it?", line.who.name);
                let response = link(ui, RichText::new(&line.who.name).small().color(palette.link));
                if named(response.on_hover_text(&name), true, &name).clicked() {
                    actions.push(SceneAction::WhyNot(Some((line.who.id.clone(), fact.fact))));
                }
            }
        });
    }
    if let Some(why) = models.why_not.filter(|why| why.fact == fact.fact) {
        why_ui(ui, look, why, &mut asked, actions);
    }
    actions.extend(asked.into_iter().map(SceneAction::Ask));
    if focused {
        ui.horizontal_wrapped(|ui| {
            // These buttons do not handle keys, because the panel handles the keys once for all facts.
            for (command, action) in [
                (&commands::SCENE_SAW, Some(SceneAction::AllSaw(fact.fact))),
                (&commands::SCENE_REVEALED, Some(SceneAction::Revealed(fact.fact))),
                (
                    &commands::SCENE_WHY,
                    whom(models, view, fact.fact).map(|who| SceneAction::WhyNot(Some((who, fact.fact)))),
                ),
            ] {
                let button = |ui: &mut Ui| crate::widgets::command_button_only(ui, look, command).clicked();
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
fn why_ui(ui: &mut Ui, look: &Look, why: &WhyNotModel, asked: &mut Vec<Request>, actions: &mut Vec<SceneAction>) {
    ui.separator();
    ui.horizontal_wrapped(|ui| {
        name_ui(ui, look, &why.who, true, asked);
        match &why.knows {
            Some(acquisition) => _ = toned(ui, look, Tone::Good, &format!("does know it: {acquisition}")),
            None => _ = ui.label("does not know it:"),
        }
        if icon_button(ui, "\u{D7}", "Close the reasons").clicked() {
            actions.push(SceneAction::WhyNot(None));
        }
    });
    for reason in &why.reasons {
        label(ui, format!("\u{2022} {reason}"));
    }
    if !why.sources.is_empty() {
        weak(ui, look, "Characters who could tell it:");
        for source in &why.sources {
            ui.horizontal_wrapped(|ui| {
                name_ui(ui, look, &source.who, true, asked);
                if source.conceals {
                    toned(ui, look, Tone::Secret, "who hides it");
                }
                label(ui, RichText::new(&source.tie).small().color(look.theme.palette().weak));
            });
        }
    }
    for condition in &why.conditions {
        label(ui, format!("\u{2022} {condition}"));
    }
}
