//! Draws a review card, in full or as a row of the list.

use egui::{Key, RichText, Sense, TextEdit, Ui, UiBuilder};
use hearsay_commands::review::Decision;
use hearsay_model::Kind;

use super::{
    decision::{CARD_DECISIONS, CardDecision, accept_draft, apply_decision, edit, toggle_selected},
    model::{
        CardDetail, CardKey, CardSummary, EntitySummary, FactDetail, Learner, ObjectModel, OtherFact, ReviewModel,
    },
    view::{ReviewAction, ReviewDraft, ReviewView},
};
use crate::{
    commands,
    direction::visual_order,
    panel::DisplayContext,
    text::shorten,
    theme::Tone,
    widgets::{
        badge, card, column, command_button_without_keys, confidence_bar, entity_button, icon_button, label, link,
        name_field, named_checkbox, omitted_label, quote, right_to_left, sentence, set_button_name,
        set_check_mark_style, set_text_field_name, toned_label, weak_label,
    },
};

/// Draws a card as a row of the list. Returns whether the user clicked the row.
pub(super) fn row_ui(ui: &mut Ui, display: &DisplayContext, summary: &CardSummary, view: &mut ReviewView) -> bool {
    let is_selected = view.selected.contains(&summary.key);
    let mut text_clicked = false;
    // The row senses clicks behind its widgets, so that the widgets receive their own clicks.
    let builder = UiBuilder::new().id_salt("row").sense(Sense::click());
    let row = ui.scope_builder(builder, |ui| {
        card(ui, display, false, is_selected, |ui| {
            ui.horizontal(|ui| {
                select_box(ui, display, summary, is_selected, view);
                let text = format!("{:.2}", summary.confidence);
                ui.label(RichText::new(text).monospace().color(display.theme.palette().weak));
                if !matches!(summary.key, CardKey::Fact(_)) {
                    badge(ui, display, Tone::Warn, summary.key.kind().badge());
                }
                if summary.secret {
                    badge(ui, display, Tone::Secret, "secret");
                }
                if view.draft_of(&summary.key).is_some() {
                    badge(ui, display, Tone::Accent, "edit in progress");
                }
                if view.deferred.contains(&summary.key) {
                    badge(ui, display, Tone::Weak, "deferred");
                }
                let width = ui.available_width();
                let source = shorten(&summary.source, 22);
                let source_width = if width > 420.0 { 150.0 } else { 0.0 };
                let label = egui::Label::new(visual_order(&summary.statement)).truncate().sense(Sense::click());
                let size = egui::vec2((width - source_width - 8.0).max(40.0), display.theme.sizes().row);
                let left_to_right = egui::Layout::left_to_right(egui::Align::Center);
                text_clicked = ui.allocate_ui_with_layout(size, left_to_right, |ui| ui.add(label)).inner.clicked();
                if source_width > 0.0 {
                    right_to_left(ui, |ui| weak_label(ui, display, &source));
                }
            });
        })
    });
    row.response.on_hover_text(summary.reasons.join("; ")).clicked() || text_clicked
}

fn select_box(ui: &mut Ui, display: &DisplayContext, summary: &CardSummary, is_selected: bool, view: &mut ReviewView) {
    let name = format!("Select {}", shorten(&summary.statement, 60));
    let clicked =
        ui.scope(|ui| named_checkbox(ui, display, is_selected, &name).on_hover_text("Select (space)").clicked()).inner;
    if clicked {
        toggle_selected(view, summary.key.clone());
    }
}

/// Draws the focused card in full.
pub(super) fn card_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &ReviewModel,
    summary: &CardSummary,
    (row, rows): (usize, usize),
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    let is_selected = view.selected.contains(&summary.key);
    card(ui, display, true, is_selected, |ui| {
        ui.horizontal(|ui| {
            select_box(ui, display, summary, is_selected, view);
            badge(ui, display, Tone::Warn, summary.key.kind().badge());
            if summary.secret {
                badge(ui, display, Tone::Secret, "secret");
            }
            if view.deferred.contains(&summary.key) {
                badge(ui, display, Tone::Weak, "deferred");
            }
            let measure = if matches!(summary.key, CardKey::Duplicate(..)) { "likeness" } else { "confidence" };
            confidence_bar(ui, display, measure, summary.confidence);
            // Skip the first reason of a contradiction, because the card shows it elsewhere.
            let first_reason = usize::from(matches!(summary.key, CardKey::Contradiction(_))).min(summary.reasons.len());
            right_to_left(ui, |ui| {
                weak_label(ui, display, &format!("{} of {rows}", row + 1));
                ui.add(
                    egui::Label::new(
                        RichText::new(summary.reasons[first_reason..].join(" \u{00B7} "))
                            .small()
                            .color(display.theme.palette().weak),
                    )
                    .truncate(),
                );
            });
        });
        // Draw the buttons before the details, so that they are at the same position on every card.
        buttons_ui(ui, display, model, summary, view, actions);
        match model.details.get(&summary.key) {
            None => {
                label(ui, RichText::new(&summary.statement).heading());
                weak_label(ui, display, "\u{2026}");
            }
            Some(CardDetail::Facts(facts)) => {
                let has_several = facts.len() > 1;
                if has_several {
                    toned_label(ui, display, Tone::Warn, summary.reasons.first().map_or("", String::as_str));
                }
                for (number, fact) in facts.iter().enumerate() {
                    let is_chosen = view.fact == number;
                    ui.push_id(number, |ui| {
                        if has_several {
                            contradiction_row(ui, display, facts, fact, number, is_chosen, view, actions);
                        }
                        if !has_several || is_chosen {
                            fact_detail_ui(ui, display, fact, view, actions);
                        }
                    });
                }
            }
            Some(CardDetail::Duplicate(entities, _)) => duplicate_ui(ui, display, summary, entities, view, actions),
            Some(CardDetail::Stub(entity)) => stub_ui(ui, display, entity, view, actions),
        }
    });
}

fn buttons_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &ReviewModel,
    summary: &CardSummary,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    if view.draft_of(&summary.key).is_some() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let is_applicable = |card_decision: CardDecision| match &summary.key {
            CardKey::Fact(_) | CardKey::Contradiction(_) => true,
            CardKey::Duplicate(..) => matches!(card_decision, CardDecision::Defer),
            CardKey::Stub(_) => matches!(card_decision, CardDecision::Defer),
        };
        for (command, card_decision) in CARD_DECISIONS {
            if !is_applicable(card_decision) {
                continue;
            }
            // The panel has already handled the keys, before it drew the list.
            if command_button_without_keys(ui, display, command).clicked() {
                let selected = std::mem::take(&mut view.selected);
                apply_decision(display, card_decision, model, view, actions);
                view.selected = selected;
            }
            if card_decision == CardDecision::Accept
                && command_button_without_keys(ui, display, &commands::EDIT).clicked()
            {
                edit(model, view, actions);
            }
        }
        if matches!(summary.key, CardKey::Fact(_) | CardKey::Contradiction(_))
            && command_button_without_keys(ui, display, &commands::REASON).clicked()
        {
            view.reason_open = true;
            view.focus_field = Some("reason");
        }
    });
}

/// Draws the header of one of several facts that contradict each other.
#[allow(clippy::too_many_arguments, reason = "one line of a card, drawn from one place")]
fn contradiction_row(
    ui: &mut Ui,
    display: &DisplayContext,
    facts: &[FactDetail],
    fact: &FactDetail,
    number: usize,
    is_chosen: bool,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    ui.separator();
    ui.horizontal(|ui| {
        let confidence_text = RichText::new(format!("{:.2}", fact.confidence)).monospace();
        let radio = ui.scope(|ui| {
            set_check_mark_style(ui, display);
            ui.radio(is_chosen, confidence_text).on_hover_text("Decide on this fact")
        });
        if radio.inner.clicked() {
            view.fact = number;
        }
        badge(ui, display, Tone::Plain, &fact.status);
        if !is_chosen {
            label(ui, &fact.statement.text);
        }
        right_to_left(ui, |ui| {
            let name = format!("Only this: {}", shorten(&fact.statement.text, 60));
            let only_this_button =
                ui.button("Only this is true").on_hover_text("Accept this fact, and mark the others false");
            if set_button_name(only_this_button, true, &name).clicked() {
                let others = facts.iter().map(|fact| fact.id).filter(|id| *id != fact.id).collect();
                actions.push(ReviewAction::OnlyThis { fact: fact.id, others, reason: view.reason() });
                view.mark_decided(view.focus.clone());
            }
            let name = format!("True from now on: {}", shorten(&fact.statement.text, 60));
            let from_now_on_button = ui
                .button("True from now on")
                .on_hover_text("Accept this fact; the earlier fact ends when this one begins");
            if set_button_name(from_now_on_button, true, &name).clicked() {
                let facts = vec![fact.id];
                actions.push(ReviewAction::Decide { facts, decision: Decision::Accept, reason: None });
            }
        });
    });
}

fn fact_detail_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    fact: &FactDetail,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    ui.scope(|ui| {
        ui.style_mut().override_text_style = Some(egui::TextStyle::Heading);
        if let Some(clicked) = sentence(ui, display, &fact.statement, Tone::Plain) {
            actions.push(ReviewAction::Show(clicked));
        }
    });
    match view.drafts.remove(&fact.id) {
        Some(draft) => draft_ui(ui, display, fact, draft, view, actions),
        None => parts_ui(ui, display, fact, view, actions),
    }
    origin_ui(ui, display, fact, actions);
    for source_quote in &fact.quotes {
        if source_quote.text.is_empty() {
            weak_label(ui, display, &source_quote.place);
        } else {
            quote(ui, display, &source_quote.text, &source_quote.highlighted);
            label(
                ui,
                RichText::new(format!("\u{2014} {}", &source_quote.place)).small().color(display.theme.palette().weak),
            );
        }
    }
    other_facts_ui(ui, display, "Contradicts", Tone::Warn, &fact.contradicts, actions);
    other_facts_ui(ui, display, "Similar", Tone::Weak, &fact.similar, actions);
    omitted_label(ui, display, fact.more_similar);
    if !fact.other_proposals.is_empty() {
        weak_label(
            ui,
            display,
            &format!("Same fact from other sources, decided together: {}", fact.other_proposals.join("; ")),
        );
    }
    learners_ui(ui, display, fact, actions);
}

/// Draws the knowers that would learn a fact. The DM can keep a secret from each of these knowers.
fn learners_ui(ui: &mut Ui, display: &DisplayContext, fact: &FactDetail, actions: &mut Vec<ReviewAction>) {
    let names: Vec<&str> = fact.learners.iter().map(|learner| learner.name.as_str()).collect();
    let text = match (fact.learners.is_empty(), fact.more_learners) {
        (true, _) => "Nobody would learn this fact. Tell it to characters in the scene.".to_owned(),
        (false, 0) => format!("Would learn it: {}", names.join(", ")),
        (false, omitted_count) => format!("Would learn it: {} and {omitted_count} more", names.join(", ")),
    };
    ui.horizontal_wrapped(|ui| weak_label(ui, display, &text));
    if !fact.secret || fact.learners.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        weak_label(ui, display, "Keep from:");
        let mut keep_from = |knowers: Vec<&Learner>| {
            let knowers = knowers.into_iter().map(|learner| learner.knower.clone()).collect();
            actions.push(ReviewAction::KeepFrom { fact: fact.id, knowers });
        };
        for learner in &fact.learners {
            let button = ui.small_button(visual_order(&shorten(&learner.name, 30)));
            if set_button_name(button, true, &format!("Keep from {}", learner.name)).clicked() {
                keep_from(vec![learner]);
            }
        }
        if fact.learners.len() > 1 {
            let button = ui.small_button("All of them");
            if set_button_name(button, true, "Keep from all of them").clicked() {
                keep_from(fact.learners.iter().collect());
            }
        }
    });
}

/// Draws subject, predicate and object. A click starts an edit.
fn parts_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    fact: &FactDetail,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    ui.horizontal_wrapped(|ui| {
        if entity_button(ui, display, &fact.subject).clicked() {
            actions.push(ReviewAction::Show(fact.subject.id.clone()));
        }
        ui.label(RichText::new(&fact.predicate).monospace().color(display.theme.palette().weak));
        match &fact.object {
            ObjectModel::Entity(entity) => {
                if entity_button(ui, display, entity).clicked() {
                    actions.push(ReviewAction::Show(entity.id.clone()));
                }
            }
            ObjectModel::Value(value) => _ = label(ui, value),
        }
        if let Some(when) = &fact.when {
            weak_label(ui, display, when);
        }
        if icon_button(ui, "\u{270F}", "Edit the parts").clicked() {
            view.start_edit(fact);
        }
    });
}

fn draft_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    fact: &FactDetail,
    mut draft: ReviewDraft,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    let (mut is_accepted, mut is_cancelled) = (draft.accepts_when_read, false);
    let before = draft.clone();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().text_edit_width = 170.0;
        let [first, second] = &mut view.draft_completion;
        let subject = name_field(ui, display, "Subject", "who", &mut draft.subject, first, |_| true);
        let field = TextEdit::singleline(&mut draft.predicate)
            .desired_width(130.0)
            .hint_text(crate::widgets::italic_hint("OWES or owes"));
        let predicate = ui.add(field);
        set_text_field_name(&predicate, "Predicate", &draft.predicate);
        is_accepted |= subject.entered || is_enter_pressed(ui, &predicate);
        if draft.object_is_entity {
            let object =
                name_field(ui, display, "Object", "object of the relation", &mut draft.object, second, |_| true);
            is_accepted |= object.entered;
        } else {
            let object =
                ui.add(TextEdit::singleline(&mut draft.object).hint_text(crate::widgets::italic_hint("value")));
            set_text_field_name(&object, "Object", &draft.object);
            is_accepted |= is_enter_pressed(ui, &object);
        }
    });
    draft.clear_outdated_statement(&before);
    let field = TextEdit::singleline(&mut draft.statement)
        .desired_width(f32::INFINITY)
        .hint_text(crate::widgets::italic_hint("The sentence; generated if empty"));
    let statement = ui.add(field);
    set_text_field_name(&statement, "Sentence", &draft.statement);
    // Wait until the click on the edit button has ended. Otherwise this click would take the keyboard focus from the
    // field.
    if view.focus_field == Some("draft") && !ui.input(|input| input.pointer.any_click()) {
        statement.request_focus();
        view.focus_field = None;
    }
    is_accepted |= is_enter_pressed(ui, &statement);
    if draft.needs_reading() {
        weak_label(ui, display, "Reading the sentence\u{2026}");
    }
    ui.horizontal(|ui| {
        is_accepted |= ui.button("Accept the edit").on_hover_text("Enter").clicked();
        is_cancelled |= ui.button("Cancel").on_hover_text("Escape").clicked();
    });
    if is_accepted {
        accept_draft(display, draft, Some(fact), view, actions);
    } else if !is_cancelled {
        view.drafts.insert(fact.id, draft);
    }
}

fn is_enter_pressed(ui: &Ui, response: &egui::Response) -> bool {
    response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
}

/// Draws the source of a fact: speaker, session, method and trust.
fn origin_ui(ui: &mut Ui, display: &DisplayContext, fact: &FactDetail, actions: &mut Vec<ReviewAction>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = display.theme.spacing().tight;
        weak_label(ui, display, &fact.method);
        if let Some(factuality) = &fact.factuality {
            weak_label(ui, display, &format!("as {factuality}"));
        }
        if let Some(speaker) = &fact.speaker {
            weak_label(ui, display, "by");
            if entity_button(ui, display, speaker).clicked() {
                actions.push(ReviewAction::Show(speaker.id.clone()));
            }
        }
        if let Some(session) = &fact.session {
            weak_label(ui, display, &format!("in {session}"));
        }
        weak_label(ui, display, &format!("\u{00B7} {}", fact.author));
        if let Some(stage) = &fact.stage {
            weak_label(ui, display, &format!("({stage})"));
        }
        if let Some(extracted) = fact.extracted {
            weak_label(ui, display, &format!("\u{00B7} {extracted:.2} before calibration"));
        }
    });
    if !fact.trust.is_empty() {
        weak_label(ui, display, &fact.trust.join("; "));
    }
}

fn other_facts_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    heading: &str,
    tone: Tone,
    facts: &[OtherFact],
    actions: &mut Vec<ReviewAction>,
) {
    for fact in facts {
        ui.horizontal_wrapped(|ui| {
            toned_label(ui, display, tone, &format!("{heading} ({}):", fact.reason));
            let response = link(ui, &fact.statement);
            if set_button_name(response, true, &fact.statement).clicked() {
                actions.push(ReviewAction::ShowFact(fact.id));
            }
            weak_label(ui, display, &fact.status);
        });
    }
}

fn duplicate_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    summary: &CardSummary,
    entities: &[EntitySummary; 2],
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    label(ui, RichText::new(&summary.statement).heading());
    ui.columns(2, |columns| {
        for (ui, entity) in columns.iter_mut().zip(entities) {
            column(ui, |ui| entity_summary_ui(ui, display, entity, actions));
        }
    });
    ui.horizontal_wrapped(|ui| {
        for (into, from) in [(0, 1), (1, 0)] {
            let [into, from] = [&entities[into].entity, &entities[from].entity];
            // If both entities have the same name, show the ids instead.
            let target_name = if into.name == from.name { into.id.as_str() } else { &into.name };
            let text = format!("Merge into {}", shorten(target_name, 30));
            if ui
                .button(visual_order(&text))
                .on_hover_text("They are the same entity: move all facts to this one")
                .clicked()
            {
                actions.push(ReviewAction::Merge { from: from.id.clone(), into: into.id.clone() });
                view.mark_decided([summary.key.clone()]);
            }
        }
        if ui.button("Not the same").on_hover_text("They are different entities; do not ask again (r)").clicked() {
            actions.push(ReviewAction::NotTheSame(entities[0].entity.id.clone(), entities[1].entity.id.clone()));
            view.mark_decided([summary.key.clone()]);
        }
    });
}

fn entity_summary_ui(ui: &mut Ui, display: &DisplayContext, summary: &EntitySummary, actions: &mut Vec<ReviewAction>) {
    ui.horizontal_wrapped(|ui| {
        if entity_button(ui, display, &summary.entity).clicked() {
            actions.push(ReviewAction::Show(summary.entity.id.clone()));
        }
        weak_label(ui, display, summary.entity.kind.as_ref().map_or("unknown", Kind::as_str));
        weak_label(ui, display, summary.entity.id.as_str());
    });
    if !summary.aliases.is_empty() {
        weak_label(ui, display, &format!("also {}", summary.aliases.join(", ")));
    }
    for fact in &summary.facts {
        ui.add(egui::Label::new(RichText::new(format!("\u{2022} {}", visual_order(fact))).small()).truncate());
    }
    omitted_label(ui, display, summary.fact_count.saturating_sub(summary.facts.len()));
}

fn stub_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    summary: &EntitySummary,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    entity_summary_ui(ui, display, summary, actions);
    weak_label(ui, display, "Only the name of this entity is recorded. Add facts, remove it, or defer the card.");
    ui.horizontal(|ui| {
        if ui.button("Fill in\u{2026}").on_hover_text("Open its page (e)").clicked() {
            actions.push(ReviewAction::Show(summary.entity.id.clone()));
        }
        if ui.button("Remove").on_hover_text("Remove it: it is not part of the campaign (r)").clicked() {
            actions.push(ReviewAction::Remove(summary.entity.id.clone()));
            view.decided_cards.insert(CardKey::Stub(summary.entity.id.clone()), None);
        }
    });
}
