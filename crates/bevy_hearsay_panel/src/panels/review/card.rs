//! Draws a review card, in full or as a row of the list.

use egui::{Key, RichText, Sense, TextEdit, Ui, UiBuilder};
use hearsay_commands::review::Decision;
use hearsay_model::Kind;

use super::{
    model::{CardKey, Detail, FactDetail, Head, OtherFact, ReviewModel, Target, Twin},
    verdict::{VERDICTS, Verdict, accept_draft, edit, give, toggle_selected},
    view::{Draft, ReviewAction, ReviewView},
};
use crate::{
    commands,
    direction::visual,
    panel::Look,
    text::shortened,
    theme::Tone,
    widgets::{
        badge, card, column, command_button_only, confidence, entity_button, field_name, from_right, hidden,
        icon_button, label, link, mark_widgets, more, name_field, named, quote, sentence, tick_box, toned, weak,
    },
};

/// Draws a card as a row of the list. Returns whether the user clicked the row.
pub(super) fn row_ui(ui: &mut Ui, look: &Look, head: &Head, view: &mut ReviewView) -> bool {
    let selected = view.selected.contains(&head.key);
    let mut on_words = false;
    // The row senses clicks behind its widgets, so that the widgets receive their own clicks.
    let builder = UiBuilder::new().id_salt("row").sense(Sense::click());
    let row = ui.scope_builder(builder, |ui| {
        card(ui, look, false, selected, |ui| {
            ui.horizontal(|ui| {
                select_box(ui, look, head, selected, view);
                let text = format!("{:.2}", head.confidence);
                ui.label(RichText::new(text).monospace().color(look.theme.palette().weak));
                if !matches!(head.key, CardKey::Fact(_)) {
                    badge(ui, look, Tone::Warn, head.key.kind().badge());
                }
                if head.secret {
                    badge(ui, look, Tone::Secret, "secret");
                }
                if view.draft_of(&head.key).is_some() {
                    badge(ui, look, Tone::Accent, "edit begun");
                }
                if view.put_off.contains(&head.key) {
                    badge(ui, look, Tone::Weak, "deferred");
                }
                let width = ui.available_width();
                let source = shortened(&head.source, 22);
                let source_width = if width > 420.0 { 150.0 } else { 0.0 };
                let label = egui::Label::new(visual(&head.statement)).truncate().sense(Sense::click());
                let size = egui::vec2((width - source_width - 8.0).max(40.0), look.theme.sizes().row);
                let left = egui::Layout::left_to_right(egui::Align::Center);
                on_words = ui.allocate_ui_with_layout(size, left, |ui| ui.add(label)).inner.clicked();
                if source_width > 0.0 {
                    from_right(ui, |ui| weak(ui, look, &source));
                }
            });
        })
    });
    row.response.on_hover_text(head.why.join("; ")).clicked() || on_words
}

fn select_box(ui: &mut Ui, look: &Look, head: &Head, selected: bool, view: &mut ReviewView) {
    let name = format!("Select {}", shortened(&head.statement, 60));
    let clicked = ui.scope(|ui| tick_box(ui, look, selected, &name).on_hover_text("Select (space)").clicked()).inner;
    if clicked {
        toggle_selected(view, head.key.clone());
    }
}

/// Draws the focused card in full.
pub(super) fn card_ui(
    ui: &mut Ui,
    look: &Look,
    model: &ReviewModel,
    head: &Head,
    (row, rows): (usize, usize),
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    let selected = view.selected.contains(&head.key);
    card(ui, look, true, selected, |ui| {
        ui.horizontal(|ui| {
            select_box(ui, look, head, selected, view);
            badge(ui, look, Tone::Warn, head.key.kind().badge());
            if head.secret {
                badge(ui, look, Tone::Secret, "secret");
            }
            if view.put_off.contains(&head.key) {
                badge(ui, look, Tone::Weak, "deferred");
            }
            let what = if matches!(head.key, CardKey::Twins(..)) { "likeness" } else { "confidence" };
            confidence(ui, look, what, head.confidence);
            // Skip the first reason of a contradiction, because the card shows it elsewhere.
            let said = usize::from(matches!(head.key, CardKey::Clash(_))).min(head.why.len());
            from_right(ui, |ui| {
                weak(ui, look, &format!("{} of {rows}", row + 1));
                ui.add(
                    egui::Label::new(
                        RichText::new(head.why[said..].join(" \u{00B7} ")).small().color(look.theme.palette().weak),
                    )
                    .truncate(),
                );
            });
        });
        // Draw the buttons before the details, so that they are at the same position on every card.
        buttons(ui, look, model, head, view, actions);
        match model.details.get(&head.key) {
            None => {
                label(ui, RichText::new(&head.statement).heading());
                weak(ui, look, "\u{2026}");
            }
            Some(Detail::Facts(facts)) => {
                let several = facts.len() > 1;
                if several {
                    toned(ui, look, Tone::Warn, head.why.first().map_or("", String::as_str));
                }
                for (number, fact) in facts.iter().enumerate() {
                    let chosen = view.fact == number;
                    ui.push_id(number, |ui| {
                        if several {
                            one_of(ui, look, facts, fact, number, chosen, view, actions);
                        }
                        if !several || chosen {
                            fact_ui(ui, look, fact, view, actions);
                        }
                    });
                }
            }
            Some(Detail::Twins(twins, _)) => twins_ui(ui, look, head, twins, view, actions),
            Some(Detail::Stub(twin)) => stub_ui(ui, look, twin, view, actions),
        }
    });
}

fn buttons(
    ui: &mut Ui,
    look: &Look,
    model: &ReviewModel,
    head: &Head,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    if view.draft_of(&head.key).is_some() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let fits = |verdict: Verdict| match &head.key {
            CardKey::Fact(_) | CardKey::Clash(_) => true,
            CardKey::Twins(..) => matches!(verdict, Verdict::Defer),
            CardKey::Stub(_) => matches!(verdict, Verdict::Defer),
        };
        for (command, verdict) in VERDICTS {
            if !fits(verdict) {
                continue;
            }
            // The panel has already handled the keys, before it drew the list.
            if command_button_only(ui, look, command).clicked() {
                let selected = std::mem::take(&mut view.selected);
                give(verdict, model, view, actions);
                view.selected = selected;
            }
            if verdict == Verdict::Accept && command_button_only(ui, look, &commands::EDIT).clicked() {
                edit(model, view, actions);
            }
        }
        if matches!(head.key, CardKey::Fact(_) | CardKey::Clash(_))
            && command_button_only(ui, look, &commands::REASON).clicked()
        {
            view.reason_open = true;
            view.give_focus = Some("reason");
        }
    });
}

/// Draws the head of one of several facts that contradict each other.
#[allow(clippy::too_many_arguments, reason = "one line of a card, drawn from one place")]
fn one_of(
    ui: &mut Ui,
    look: &Look,
    facts: &[FactDetail],
    fact: &FactDetail,
    number: usize,
    chosen: bool,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    ui.separator();
    ui.horizontal(|ui| {
        let sure = RichText::new(format!("{:.2}", fact.confidence)).monospace();
        let choose = ui.scope(|ui| {
            mark_widgets(ui, look);
            ui.radio(chosen, sure).on_hover_text("Decide on this one")
        });
        if choose.inner.clicked() {
            view.fact = number;
        }
        badge(ui, look, Tone::Plain, &fact.status);
        if !chosen {
            label(ui, &fact.statement.text);
        }
        from_right(ui, |ui| {
            let name = format!("Only this: {}", shortened(&fact.statement.text, 60));
            let only = ui.button("Only this is true").on_hover_text("Accept this fact, and mark the others false");
            if named(only, true, &name).clicked() {
                let others = facts.iter().map(|fact| fact.id).filter(|id| *id != fact.id).collect();
                actions.push(ReviewAction::OnlyThis { fact: fact.id, others, reason: view.reason() });
                view.decided(view.focus.clone());
            }
            let name = format!("True from now on: {}", shortened(&fact.statement.text, 60));
            let now = ui
                .button("True from now on")
                .on_hover_text("Accept this fact; the earlier fact ends when this one begins");
            if named(now, true, &name).clicked() {
                let facts = vec![fact.id];
                actions.push(ReviewAction::Decide { facts, decision: Decision::Accept, reason: None });
            }
        });
    });
}

fn fact_ui(ui: &mut Ui, look: &Look, fact: &FactDetail, view: &mut ReviewView, actions: &mut Vec<ReviewAction>) {
    if look.screen_safe && fact.secret {
        hidden(ui, look);
        return;
    }
    ui.scope(|ui| {
        ui.style_mut().override_text_style = Some(egui::TextStyle::Heading);
        if let Some(clicked) = sentence(ui, look, &fact.statement, Tone::Plain) {
            actions.push(ReviewAction::Show(clicked));
        }
    });
    match view.drafts.remove(&fact.id) {
        Some(draft) => draft_ui(ui, look, fact, draft, view, actions),
        None => parts(ui, look, fact, view, actions),
    }
    origin(ui, look, fact, actions);
    for words in &fact.words {
        if words.text.is_empty() {
            weak(ui, look, &words.place);
        } else if look.screen_safe && words.private {
            hidden(ui, look);
        } else {
            quote(ui, look, &words.text, &words.marked);
            label(ui, RichText::new(format!("\u{2014} {}", &words.place)).small().color(look.theme.palette().weak));
        }
    }
    if look.screen_safe {
        return;
    }
    others(ui, look, "Contradicts", Tone::Warn, &fact.contradicts, actions);
    others(ui, look, "Similar", Tone::Weak, &fact.similar, actions);
    more(ui, look, fact.more_similar);
    if !fact.also.is_empty() {
        weak(ui, look, &format!("Same fact from other sources, decided together: {}", fact.also.join("; ")));
    }
    let learners = match (fact.learners.is_empty(), fact.more_learners) {
        (true, _) => "Nobody would learn it. Tell it to characters in the scene.".to_owned(),
        (false, 0) => format!("Would learn it: {}", fact.learners.join(", ")),
        (false, more) => format!("Would learn it: {} and {more} more", fact.learners.join(", ")),
    };
    ui.horizontal_wrapped(|ui| weak(ui, look, &learners));
}

/// Draws subject, predicate and object. A click starts an edit.
fn parts(ui: &mut Ui, look: &Look, fact: &FactDetail, view: &mut ReviewView, actions: &mut Vec<ReviewAction>) {
    ui.horizontal_wrapped(|ui| {
        if entity_button(ui, look, &fact.subject).clicked() {
            actions.push(ReviewAction::Show(fact.subject.id.clone()));
        }
        ui.label(RichText::new(&fact.predicate).monospace().color(look.theme.palette().weak));
        match &fact.object {
            Target::Entity(named) => {
                if entity_button(ui, look, named).clicked() {
                    actions.push(ReviewAction::Show(named.id.clone()));
                }
            }
            Target::Value(value) => _ = label(ui, value),
        }
        if let Some(when) = &fact.when {
            weak(ui, look, when);
        }
        if icon_button(ui, "\u{270F}", "Edit the parts").clicked() {
            view.begin_edit(fact);
        }
    });
}

fn draft_ui(
    ui: &mut Ui,
    look: &Look,
    fact: &FactDetail,
    mut draft: Draft,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    let (mut accept, mut cancel) = (false, false);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().text_edit_width = 170.0;
        let [first, second] = &mut view.draft_completion;
        let subject = name_field(ui, look, "Subject", "who", &mut draft.subject, first, |_| true);
        let field = TextEdit::singleline(&mut draft.predicate)
            .desired_width(130.0)
            .hint_text(crate::widgets::as_hint("OWES or owes"));
        let predicate = ui.add(field);
        field_name(&predicate, "Predicate", &draft.predicate);
        accept |= subject.entered || entered(ui, &predicate);
        if Draft::points_at_entity(Some(fact)) {
            let object = name_field(ui, look, "Object", "object of the relation", &mut draft.object, second, |_| true);
            accept |= object.entered;
        } else {
            let object = ui.add(TextEdit::singleline(&mut draft.object).hint_text(crate::widgets::as_hint("value")));
            field_name(&object, "Object", &draft.object);
            accept |= entered(ui, &object);
        }
    });
    let field = TextEdit::singleline(&mut draft.statement)
        .desired_width(f32::INFINITY)
        .hint_text(crate::widgets::as_hint("The sentence; generated if empty"));
    let statement = ui.add(field);
    field_name(&statement, "Sentence", &draft.statement);
    // Wait until the click on the edit button has ended. Otherwise this click would take the keyboard focus from the
    // field.
    if view.give_focus == Some("draft") && !ui.input(|input| input.pointer.any_click()) {
        statement.request_focus();
        view.give_focus = None;
    }
    accept |= entered(ui, &statement);
    ui.horizontal(|ui| {
        accept |= ui.button("Accept the edit").on_hover_text("Enter").clicked();
        cancel |= ui.button("Cancel").on_hover_text("Escape").clicked();
    });
    if accept {
        accept_draft(draft, Some(fact), view, actions);
    } else if !cancel {
        view.drafts.insert(fact.id, draft);
    }
}

fn entered(ui: &Ui, response: &egui::Response) -> bool {
    response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
}

/// Draws the source of a fact: speaker, session, method and trust.
fn origin(ui: &mut Ui, look: &Look, fact: &FactDetail, actions: &mut Vec<ReviewAction>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = look.theme.spacing().tight;
        weak(ui, look, &fact.method);
        if let Some(speaker) = &fact.speaker {
            weak(ui, look, "by");
            if entity_button(ui, look, speaker).clicked() {
                actions.push(ReviewAction::Show(speaker.id.clone()));
            }
        }
        if let Some(session) = &fact.session {
            weak(ui, look, &format!("in {session}"));
        }
        weak(ui, look, &format!("\u{00B7} {}", fact.author));
        if let Some(extracted) = fact.extracted {
            weak(ui, look, &format!("\u{00B7} {extracted:.2} before calibration"));
        }
    });
    if !fact.trust.is_empty() {
        weak(ui, look, &fact.trust.join("; "));
    }
}

fn others(ui: &mut Ui, look: &Look, what: &str, tone: Tone, facts: &[OtherFact], actions: &mut Vec<ReviewAction>) {
    for fact in facts {
        ui.horizontal_wrapped(|ui| {
            toned(ui, look, tone, &format!("{what} ({}):", fact.why));
            let response = link(ui, &fact.statement);
            if named(response, true, &fact.statement).clicked() {
                actions.push(ReviewAction::ShowFact(fact.id));
            }
            weak(ui, look, &fact.status);
        });
    }
}

fn twins_ui(
    ui: &mut Ui,
    look: &Look,
    head: &Head,
    twins: &[Twin; 2],
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    label(ui, RichText::new(&head.statement).heading());
    ui.columns(2, |columns| {
        for (ui, twin) in columns.iter_mut().zip(twins) {
            column(ui, |ui| twin_ui(ui, look, twin, actions));
        }
    });
    ui.horizontal_wrapped(|ui| {
        for (into, from) in [(0, 1), (1, 0)] {
            let [into, from] = [&twins[into].named, &twins[from].named];
            // If both entities have the same name, show the ids instead.
            let called = if into.name == from.name { into.id.as_str() } else { &into.name };
            let text = format!("Merge into {}", shortened(called, 30));
            if ui.button(visual(&text)).on_hover_text("They are the same entity: move all facts to this one").clicked()
            {
                actions.push(ReviewAction::Merge { gone: from.id.clone(), into: into.id.clone() });
                view.decided([head.key.clone()]);
            }
        }
        if ui.button("Not the same").on_hover_text("They are different entities; do not ask again (r)").clicked() {
            actions.push(ReviewAction::NotTheSame(twins[0].named.id.clone(), twins[1].named.id.clone()));
            view.decided([head.key.clone()]);
        }
    });
}

fn twin_ui(ui: &mut Ui, look: &Look, twin: &Twin, actions: &mut Vec<ReviewAction>) {
    ui.horizontal_wrapped(|ui| {
        if entity_button(ui, look, &twin.named).clicked() {
            actions.push(ReviewAction::Show(twin.named.id.clone()));
        }
        weak(ui, look, twin.named.kind.as_ref().map_or("unknown", Kind::as_str));
        weak(ui, look, twin.named.id.as_str());
    });
    if look.screen_safe {
        return;
    }
    if !twin.aliases.is_empty() {
        weak(ui, look, &format!("also {}", twin.aliases.join(", ")));
    }
    for fact in &twin.facts {
        ui.add(egui::Label::new(RichText::new(format!("\u{2022} {}", visual(fact))).small()).truncate());
    }
    more(ui, look, twin.fact_count.saturating_sub(twin.facts.len()));
}

fn stub_ui(ui: &mut Ui, look: &Look, twin: &Twin, view: &mut ReviewView, actions: &mut Vec<ReviewAction>) {
    twin_ui(ui, look, twin, actions);
    weak(ui, look, "Only its name is recorded. Add facts, remove it, or defer it.");
    ui.horizontal(|ui| {
        if ui.button("Fill in\u{2026}").on_hover_text("Open its page (e)").clicked() {
            actions.push(ReviewAction::Show(twin.named.id.clone()));
        }
        if ui.button("Remove").on_hover_text("Remove it: it is not part of the campaign (r)").clicked() {
            actions.push(ReviewAction::Remove(twin.named.id.clone()));
            view.gone.insert(CardKey::Stub(twin.named.id.clone()), None);
        }
    });
}
