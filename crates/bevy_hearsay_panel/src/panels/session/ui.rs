//! Draws the session panel: start, attendance, log, report, recap and end.

use egui::{RichText, ScrollArea, TextEdit, Ui};
use hearsay_commands::session::{NewSession, SessionStep};
use hearsay_model::{KeptRecap, SessionId};

use super::{
    model::{Part, PartModel, Playing, RecapModel, SessionLine, SessionModel},
    report::{log_ui, report_ui},
    view::{SessionAction, SessionView},
};
use crate::{
    commands as keys,
    direction::visual,
    names::Named,
    panel::Look,
    text::counted,
    theme::Tone,
    widgets::{
        badge, beside, card, command_button, empty_state, entity_button, field_name, hidden, label, name_field,
        section, toggle, toned, weak,
    },
};

/// Draws the session panel. Returns the requested actions.
pub fn session_ui(
    ui: &mut Ui,
    look: &Look,
    model: &SessionModel,
    part: Option<&PartModel>,
    view: &mut SessionView,
) -> Vec<SessionAction> {
    let mut actions = Vec::new();
    match &model.playing {
        Some(playing) => playing_ui(ui, look, playing, view, &mut actions),
        None => start_ui(ui, look, model, view, &mut actions),
    }
    if model.sessions.is_empty() {
        let next = "Start one above. Lines and facts then belong to it.";
        empty_state(ui, look, "No sessions yet", next, None);
        return actions;
    }
    ui.separator();
    let width = (look.theme.sizes().body * 17.0).min(ui.available_width() * 0.35);
    let side = egui::Panel::left(ui.id().with("sessions")).exact_size(width).resizable(false);
    side.show(ui, |ui| sessions_ui(ui, look, model, view));
    let Some(session) = chosen(model, view) else { return actions };
    beside(ui, look, |ui| part_ui(ui, look, session, part, view, &mut actions));
    actions
}

/// Returns the selected session.
pub(super) fn chosen<'a>(model: &'a SessionModel, view: &SessionView) -> Option<&'a SessionLine> {
    let of = |id: &SessionId| model.sessions.iter().find(|line| line.id == *id);
    let at = view.at.as_ref().and_then(of);
    at.or_else(|| of(&model.playing.as_ref()?.id)).or(model.sessions.first())
}

fn start_ui(ui: &mut Ui, look: &Look, model: &SessionModel, view: &mut SessionView, actions: &mut Vec<SessionAction>) {
    let next = &model.next;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(format!("Session {}", next.number)).heading());
        let start = command_button(ui, look, &keys::SESSION_START);
        let field =
            TextEdit::singleline(&mut view.title).hint_text(crate::widgets::as_hint("title")).desired_width(200.0);
        field_name(&ui.add(field), "Title", &view.title);
        let hint = next.place.as_ref().map_or("place", |place| &place.name);
        let is_place = |named: &Named| named.kind == Some(hearsay_model::Kind::Location);
        name_field(ui, look, "Place", hint, &mut view.place, &mut view.completion, is_place);
        let hint = next.clock.as_deref().unwrap_or("game time");
        let field = TextEdit::singleline(&mut view.time).hint_text(crate::widgets::as_hint(hint)).desired_width(180.0);
        field_name(&ui.add(field), "Time", &view.time);
        if start {
            actions.push(SessionAction::Step(SessionStep::Start(new_session(model, view))));
            (view.title, view.place, view.time, view.at) = Default::default();
            view.part = Part::Log;
        }
    });
    ui.horizontal_wrapped(|ui| {
        weak(ui, look, "Players present:");
        for player in &next.players {
            let here = !view.away.contains(&player.id);
            if toggle(ui, here, &player.name, "Whether the player is present").clicked() {
                match here {
                    true => view.away.push(player.id.clone()),
                    false => view.away.retain(|id| *id != player.id),
                }
            }
        }
        if next.players.is_empty() {
            weak(ui, look, "no player characters are on record (add them with kind `player`)");
        }
    });
}

/// Returns a new session with the values that the user typed.
fn new_session(model: &SessionModel, view: &SessionView) -> NewSession {
    let given = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    let next = &model.next;
    let present = next.players.iter().filter(|named| !view.away.contains(&named.id));
    let present = match view.away.is_empty() {
        true => Vec::new(),
        false => present.map(|named| named.id.to_string()).collect(),
    };
    NewSession {
        title: given(&view.title),
        place: given(&view.place),
        time: given(&view.time),
        present,
        ..NewSession::default()
    }
}

fn playing_ui(ui: &mut Ui, look: &Look, playing: &Playing, view: &mut SessionView, actions: &mut Vec<SessionAction>) {
    ui.horizontal_wrapped(|ui| {
        label(ui, RichText::new(&playing.title).heading());
        badge(ui, look, Tone::Good, "running");
        if let Some(place) = &playing.place {
            weak(ui, look, "at");
            if entity_button(ui, look, place).clicked() {
                actions.push(SessionAction::Show(place.id.clone()));
            }
        }
        if let Some(time) = &playing.time {
            weak(ui, look, time);
        }
        if !view.ending && command_button(ui, look, &keys::SESSION_END) {
            view.ending = true;
        } else if view.ending {
            if command_button(ui, look, &keys::SESSION_END_NOW) {
                actions.push(SessionAction::Step(SessionStep::End { time: None }));
                (view.ending, view.at, view.part) = (false, Some(playing.id.clone()), Part::Report);
            }
            if ui.button("Keep playing").on_hover_text("Do not end the session").clicked() {
                view.ending = false;
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        weak(ui, look, "Players present:");
        let all = playing.here.iter().map(|who| (who, true)).chain(playing.away.iter().map(|who| (who, false)));
        for (who, here) in all {
            let help = if here {
                "Mark as absent: the character learns nothing from now on"
            } else {
                "Mark as present: the character hears all lines from now on"
            };
            if toggle(ui, here, &who.name, help).clicked() {
                let (mut arrive, mut leave) = (Vec::new(), Vec::new());
                if here {
                    leave.push(who.id.to_string())
                } else {
                    arrive.push(who.id.to_string())
                }
                actions.push(SessionAction::Step(SessionStep::Attend { arrive, leave }));
            }
        }
    });
}

fn sessions_ui(ui: &mut Ui, look: &Look, model: &SessionModel, view: &mut SessionView) {
    let at = chosen(model, view).map(|line| line.id.clone());
    let height = look.theme.sizes().row * 2.2;
    let area = ScrollArea::vertical().id_salt("sessions").auto_shrink([false, false]);
    area.show_rows(ui, height, model.sessions.len(), |ui, range| {
        for line in &model.sessions[range] {
            let focused = at.as_ref() == Some(&line.id);
            let drawn = card(ui, look, focused, false, |ui| {
                ui.set_height(height - look.theme.spacing().normal * 3.0);
                let number = line.number.map_or_else(String::new, |number| format!("{number}. "));
                let name = format!("{number}{}", line.title);
                let link = ui.add(egui::Button::new(visual(&name)).frame(false).truncate());
                let clicked = crate::widgets::named(link, true, &line.title).clicked();
                ui.horizontal(|ui| {
                    let words = counted(line.lines, "line", "lines");
                    ui.label(RichText::new(words).small().color(look.theme.palette().weak));
                    if line.recaps.0 || line.recaps.1 {
                        ui.label(RichText::new("recap saved").small().color(look.theme.tone(Tone::Good)));
                    }
                });
                clicked
            });
            if drawn.inner {
                view.at = Some(line.id.clone());
            }
        }
    });
}

fn part_ui(
    ui: &mut Ui,
    look: &Look,
    session: &SessionLine,
    part: Option<&PartModel>,
    view: &mut SessionView,
    actions: &mut Vec<SessionAction>,
) {
    ui.horizontal_wrapped(|ui| {
        let parts = [
            (Part::Log, &keys::SESSION_LOG),
            (Part::Report, &keys::SESSION_REPORT),
            (Part::Recap, &keys::SESSION_RECAP),
        ];
        for (which, command) in parts {
            let chosen = toggle(ui, view.part == which, command.name, &command.tooltip()).clicked();
            if chosen || look.pressed(ui, command) {
                view.part = which;
            }
        }
        if !session.time.is_empty() {
            weak(ui, look, &session.time);
        }
        if let Some(date) = &session.date {
            weak(ui, look, &format!("played {date}"));
        }
    });
    if view.part != Part::Log {
        ui.horizontal_wrapped(|ui| {
            weak(ui, look, "Present:");
            for who in &session.present {
                if entity_button(ui, look, who).clicked() {
                    actions.push(SessionAction::Show(who.id.clone()));
                }
            }
        });
    }
    let shown = Some((session.id.clone(), view.part));
    if view.shown != shown {
        view.heights.clear();
        view.shown = shown;
        view.lines = 0;
    }
    match part {
        None => _ = weak(ui, look, "Reading\u{2026}"),
        Some(PartModel::Log(lines, before)) => log_ui(ui, look, lines, *before, view, actions),
        Some(PartModel::Report(report)) => report_ui(ui, look, report, actions),
        Some(PartModel::Recap(recap)) => recap_ui(ui, look, session, recap, view, actions),
    }
}

fn recap_ui(
    ui: &mut Ui,
    look: &Look,
    session: &SessionLine,
    recap: &RecapModel,
    view: &mut SessionView,
    actions: &mut Vec<SessionAction>,
) {
    ui.horizontal_wrapped(|ui| {
        if toggle(ui, !view.players, "For me", "Everything that happened").clicked() {
            view.players = false;
        }
        if toggle(ui, view.players, "For the players", "Only what the player characters know, without secrets")
            .clicked()
        {
            view.players = true;
        }
        let drag = ui.add(egui::DragValue::new(&mut view.words).range(20..=2_000).speed(5).suffix(" words"));
        field_name(&drag, "Words", &view.words.to_string());
        weak(ui, look, &format!("{} of {}", recap.of.0, counted(recap.of.1, "line or fact", "lines and facts")));
    });
    if look.screen_safe && !recap.players {
        hidden(ui, look);
        return;
    }
    if recap.players != view.players {
        weak(ui, look, "Reading\u{2026}");
        return;
    }
    let key = SessionView::draft_key(&session.id, recap.players);
    let held = recap.kept.as_ref().unwrap_or(&recap.made);
    let mut text = view.drafts.get(&key).unwrap_or(held).clone();
    let edited = view.drafts.contains_key(&key);
    ui.horizontal_wrapped(|ui| {
        if command_button(ui, look, &keys::SESSION_COPY) {
            actions.push(SessionAction::Copy(text.clone()));
        }
        ui.add_enabled_ui(edited || recap.kept.is_none(), |ui| {
            if command_button(ui, look, &keys::SESSION_KEEP) {
                let (session, players) = (session.id.clone(), recap.players);
                actions.push(SessionAction::Keep(KeptRecap { session, players, text: text.clone() }));
            }
        });
        if (edited || recap.kept.is_some())
            && ui.button("Regenerate").on_hover_text("Generate the recap again from the log and the facts").clicked()
        {
            view.drafts.insert(key.clone(), recap.made.clone());
            text.clone_from(&recap.made);
        }
        if view.file.trim().is_empty() {
            view.file = format!("{}-recap.md", session.id);
        }
        let field = ui.add(TextEdit::singleline(&mut view.file).desired_width(180.0));
        field_name(&field, "File", &view.file);
        if ui.button("Write file").on_hover_text("Write the recap, as edited here, to the file").clicked() {
            actions.push(SessionAction::Write(view.file.trim().to_owned(), as_file(recap, &text)));
        }
        match (edited, &recap.kept) {
            (true, _) => _ = toned(ui, look, Tone::Warn, "edited, not saved yet"),
            (false, Some(_)) => _ = toned(ui, look, Tone::Good, "saved"),
            (false, None) => {}
        }
    });
    section(ui, look, if recap.players { "Recap for the players" } else { "Recap" }, None);
    let area = ScrollArea::vertical().id_salt("recap").auto_shrink([false, false]);
    let changed = area.show(ui, |ui| {
        let edit = TextEdit::multiline(&mut text).desired_width(f32::INFINITY).desired_rows(12);
        let field = ui.add(edit.hint_text(crate::widgets::as_hint("What happened, in your words")));
        field_name(&field, "Recap text", &text);
        field.changed()
    });
    if changed.inner {
        view.drafts.insert(key, text);
    }
}

/// Formats a recap as a file.
fn as_file(recap: &RecapModel, text: &str) -> String {
    format!("# {}\n\n{}\n", recap.title, text.trim())
}
