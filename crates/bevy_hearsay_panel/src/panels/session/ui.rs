//! Draws the session panel.

use egui::{RichText, ScrollArea, TextEdit, Ui};
use hearsay_commands::session::{NewSession, SessionStep};
use hearsay_model::{EditedRecap, RecapReader, SessionId};
use hearsay_query::QueryError;

use super::{
    model::{CurrentSession, RecapModel, SessionLine, SessionModel, SessionPart, SessionPartModel},
    report::{log_ui, report_ui},
    view::{SessionAction, SessionView},
};
use crate::{
    commands,
    direction::visual_order,
    names::NamedEntity,
    panel::DisplayContext,
    text::format_count,
    theme::Tone,
    widgets::{
        badge, card, command_button, content_beside_list, empty_state, entity_button, label, name_field,
        section_heading, set_text_field_name, toggle, toned_label, weak_label,
    },
};

/// Draws the session panel. Returns the requested actions.
pub fn session_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &SessionModel,
    part: Option<&SessionPartModel>,
    view: &mut SessionView,
) -> Vec<SessionAction> {
    let mut actions = Vec::new();
    match &model.current {
        Some(session) => current_session_ui(ui, display, session, view, &mut actions),
        None => start_ui(ui, display, model, view, &mut actions),
    }
    if model.sessions.is_empty() {
        let hint = "Start one above. Lines and facts then belong to it.";
        empty_state(ui, display, "No sessions yet", hint, None);
        return actions;
    }
    ui.separator();
    let width = (display.theme.sizes().body * 17.0).min(ui.available_width() * 0.35);
    let side_panel = egui::Panel::left(ui.id().with("sessions")).exact_size(width).resizable(false);
    side_panel.show(ui, |ui| sessions_ui(ui, display, model, view));
    let Some(session) = selected_session(model, view) else { return actions };
    content_beside_list(ui, display, |ui| part_ui(ui, display, session, part, view, &mut actions));
    actions
}

/// Returns the selected session.
pub(super) fn selected_session<'a>(model: &'a SessionModel, view: &SessionView) -> Option<&'a SessionLine> {
    let find_session = |id: &SessionId| model.sessions.iter().find(|line| line.id == *id);
    let at = view.selected.as_ref().and_then(find_session);
    at.or_else(|| find_session(&model.current.as_ref()?.id)).or(model.sessions.first())
}

fn start_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &SessionModel,
    view: &mut SessionView,
    actions: &mut Vec<SessionAction>,
) {
    let next = &model.next;
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(format!("Session {}", next.number)).heading());
        let start_clicked = command_button(ui, display, &commands::SESSION_START);
        let field =
            TextEdit::singleline(&mut view.title).hint_text(crate::widgets::italic_hint("title")).desired_width(200.0);
        set_text_field_name(&ui.add(field), "Title", &view.title);
        let hint = next.place.as_ref().map_or("place", |place| &place.name);
        let is_place = |entity: &NamedEntity| entity.kind == Some(hearsay_model::Kind::Location);
        name_field(ui, display, "Place", hint, &mut view.place, &mut view.completion, is_place);
        let hint = next.clock.as_deref().unwrap_or("game time");
        let field =
            TextEdit::singleline(&mut view.time).hint_text(crate::widgets::italic_hint(hint)).desired_width(180.0);
        set_text_field_name(&ui.add(field), "Time", &view.time);
        if start_clicked {
            match new_session(display, model, view) {
                Ok(new_session) => {
                    actions.push(SessionAction::Step(SessionStep::Start(new_session)));
                    (view.title, view.place, view.time, view.selected) = Default::default();
                    view.part = SessionPart::Log;
                }
                Err(error) => actions.push(SessionAction::ShowError(error.to_string())),
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        weak_label(ui, display, "Players present:");
        for player in &next.players {
            let is_present = !view.absent_players.contains(&player.id);
            if toggle(ui, is_present, &player.name, "Whether the player is present").clicked() {
                match is_present {
                    true => view.absent_players.push(player.id.clone()),
                    false => view.absent_players.retain(|id| *id != player.id),
                }
            }
        }
        if next.players.is_empty() {
            weak_label(ui, display, "no player characters are on record (add them with kind `player`)");
        }
    });
}

/// Returns a new session with the values that the user typed. Returns an error if the typed place is not the name of
/// exactly one entity.
fn new_session(display: &DisplayContext, model: &SessionModel, view: &SessionView) -> Result<NewSession, QueryError> {
    let non_empty = |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned());
    let next = &model.next;
    let present = next.players.iter().filter(|entity| !view.absent_players.contains(&entity.id));
    let present = match view.absent_players.is_empty() {
        true => Vec::new(),
        false => present.map(|entity| entity.id.clone()).collect(),
    };
    Ok(NewSession {
        title: non_empty(&view.title),
        place: non_empty(&view.place).map(|name| display.names.resolve(&name)).transpose()?,
        time: non_empty(&view.time),
        present,
        ..NewSession::default()
    })
}

fn current_session_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    session: &CurrentSession,
    view: &mut SessionView,
    actions: &mut Vec<SessionAction>,
) {
    ui.horizontal_wrapped(|ui| {
        label(ui, RichText::new(&session.title).heading());
        badge(ui, display, Tone::Good, "running");
        if let Some(place) = &session.place {
            weak_label(ui, display, "at");
            if entity_button(ui, display, place).clicked() {
                actions.push(SessionAction::Show(place.id.clone()));
            }
        }
        if let Some(time) = &session.time {
            weak_label(ui, display, time);
        }
        if !view.confirming_end && command_button(ui, display, &commands::SESSION_END) {
            view.confirming_end = true;
        } else if view.confirming_end {
            if command_button(ui, display, &commands::SESSION_END_NOW) {
                actions.push(SessionAction::Step(SessionStep::End { time: None }));
                (view.confirming_end, view.selected, view.part) =
                    (false, Some(session.id.clone()), SessionPart::Report);
            }
            if ui.button("Keep playing").on_hover_text("Do not end the session").clicked() {
                view.confirming_end = false;
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        weak_label(ui, display, "Players present:");
        let all = session
            .present
            .iter()
            .map(|player| (player, true))
            .chain(session.absent.iter().map(|player| (player, false)));
        for (player, is_present) in all {
            let help = if is_present {
                "Mark as absent: the character learns nothing from now on"
            } else {
                "Mark as present: the character hears all lines from now on"
            };
            if toggle(ui, is_present, &player.name, help).clicked() {
                let (mut arrive, mut leave) = (Vec::new(), Vec::new());
                if is_present {
                    leave.push(player.id.clone())
                } else {
                    arrive.push(player.id.clone())
                }
                actions.push(SessionAction::Step(SessionStep::Attend { arrive, leave }));
            }
        }
    });
}

fn sessions_ui(ui: &mut Ui, display: &DisplayContext, model: &SessionModel, view: &mut SessionView) {
    let selected_id = selected_session(model, view).map(|line| line.id.clone());
    let height = display.theme.sizes().row * 2.2;
    let area = ScrollArea::vertical().id_salt("sessions").auto_shrink([false, false]);
    area.show_rows(ui, height, model.sessions.len(), |ui, range| {
        for line in &model.sessions[range] {
            let focused = selected_id.as_ref() == Some(&line.id);
            let session_card = card(ui, display, focused, false, |ui| {
                ui.set_height(height - display.theme.spacing().normal * 3.0);
                let number = line.number.map_or_else(String::new, |number| format!("{number}. "));
                let name = format!("{number}{}", line.title);
                let link = ui.add(egui::Button::new(visual_order(&name)).frame(false).truncate());
                let clicked = crate::widgets::set_button_name(link, true, &line.title).clicked();
                ui.horizontal(|ui| {
                    let line_count_text = format_count(line.lines, "line", "lines");
                    ui.label(RichText::new(line_count_text).small().color(display.theme.palette().weak));
                    if line.recaps.0 || line.recaps.1 {
                        ui.label(RichText::new("recap saved").small().color(display.theme.tone(Tone::Good)));
                    }
                });
                clicked
            });
            let response = session_card.response.interact(egui::Sense::click());
            if session_card.inner || response.clicked() {
                view.selected = Some(line.id.clone());
            }
        }
    });
}

fn part_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    session: &SessionLine,
    part: Option<&SessionPartModel>,
    view: &mut SessionView,
    actions: &mut Vec<SessionAction>,
) {
    ui.horizontal_wrapped(|ui| {
        let parts = [
            (SessionPart::Log, &commands::SESSION_LOG),
            (SessionPart::Report, &commands::SESSION_REPORT),
            (SessionPart::Recap, &commands::SESSION_RECAP),
        ];
        for (part, command) in parts {
            let chosen = toggle(ui, view.part == part, command.name, &command.tooltip()).clicked();
            if chosen || display.is_triggered(ui, command) {
                view.part = part;
            }
        }
        if !session.time.is_empty() {
            weak_label(ui, display, &session.time);
        }
        if let Some(date) = &session.date {
            weak_label(ui, display, &format!("played {date}"));
        }
    });
    if view.part != SessionPart::Log {
        ui.horizontal_wrapped(|ui| {
            weak_label(ui, display, "Present:");
            for player in &session.present {
                if entity_button(ui, display, player).clicked() {
                    actions.push(SessionAction::Show(player.id.clone()));
                }
            }
        });
    }
    let shown_part = Some((session.id.clone(), view.part));
    if view.shown_part != shown_part {
        view.heights.clear();
        view.shown_part = shown_part;
        view.line_count = 0;
    }
    match part {
        None => _ = weak_label(ui, display, "Reading\u{2026}"),
        Some(SessionPartModel::Log(lines, omitted_count)) => log_ui(ui, display, lines, *omitted_count, view, actions),
        Some(SessionPartModel::Report(report)) => report_ui(ui, display, report, actions),
        Some(SessionPartModel::Recap(recap)) => recap_ui(ui, display, session, recap, view, actions),
    }
}

fn recap_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    session: &SessionLine,
    recap: &RecapModel,
    view: &mut SessionView,
    actions: &mut Vec<SessionAction>,
) {
    ui.horizontal_wrapped(|ui| {
        if toggle(ui, view.reader == RecapReader::Dm, "For me", "Everything that happened").clicked() {
            view.reader = RecapReader::Dm;
        }
        let is_for_players = view.reader == RecapReader::Players;
        if toggle(ui, is_for_players, "For the players", "Only what the player characters know, without secrets")
            .clicked()
        {
            view.reader = RecapReader::Players;
        }
        let words_field = ui.add(egui::DragValue::new(&mut view.words).range(20..=2_000).speed(5).suffix(" words"));
        set_text_field_name(&words_field, "Words", &view.words.to_string());
        weak_label(
            ui,
            display,
            &format!("{} of {}", recap.counts.0, format_count(recap.counts.1, "line or fact", "lines and facts")),
        );
    });
    if recap.reader != view.reader {
        weak_label(ui, display, "Reading\u{2026}");
        return;
    }
    let key = SessionView::draft_key(&session.id, recap.reader);
    let saved_or_generated = recap.saved_text.as_ref().unwrap_or(&recap.generated_text);
    let mut text = view.drafts.get(&key).unwrap_or(saved_or_generated).clone();
    let is_edited = view.drafts.contains_key(&key);
    ui.horizontal_wrapped(|ui| {
        if command_button(ui, display, &commands::SESSION_COPY_RECAP) {
            actions.push(SessionAction::Copy(text.clone()));
        }
        ui.add_enabled_ui(is_edited || recap.saved_text.is_none(), |ui| {
            if command_button(ui, display, &commands::SESSION_SAVE_RECAP) {
                let (session, reader) = (session.id.clone(), recap.reader);
                actions.push(SessionAction::SaveRecap(EditedRecap { session, reader, text: text.clone() }));
            }
        });
        if (is_edited || recap.saved_text.is_some())
            && ui.button("Regenerate").on_hover_text("Generate the recap again from the log and the facts").clicked()
        {
            view.drafts.insert(key.clone(), recap.generated_text.clone());
            text.clone_from(&recap.generated_text);
        }
        let path = view.recap_paths.entry(session.id.clone()).or_default();
        if path.trim().is_empty() {
            *path = format!("{}-recap.md", session.id);
        }
        let field = ui.add(TextEdit::singleline(path).desired_width(180.0));
        set_text_field_name(&field, "File", path);
        if ui.button("Write file").on_hover_text("Write the recap, as edited here, to the file").clicked() {
            actions.push(SessionAction::WriteFile(path.trim().to_owned(), recap_file_text(recap, &text)));
        }
        match (is_edited, &recap.saved_text) {
            (true, _) => _ = toned_label(ui, display, Tone::Warn, "edited, not saved yet"),
            (false, Some(_)) => _ = toned_label(ui, display, Tone::Good, "saved"),
            (false, None) => {}
        }
    });
    let heading = match recap.reader {
        RecapReader::Players => "Recap for the players",
        RecapReader::Dm => "Recap",
    };
    section_heading(ui, display, heading, None);
    let area = ScrollArea::vertical().id_salt("recap").auto_shrink([false, false]);
    let text_changed = area.show(ui, |ui| {
        let edit = TextEdit::multiline(&mut text).desired_width(f32::INFINITY).desired_rows(12);
        let field = ui.add(edit.hint_text(crate::widgets::italic_hint("What happened, in your words")));
        set_text_field_name(&field, "Recap text", &text);
        field.changed()
    });
    if text_changed.inner {
        view.drafts.insert(key, text);
    }
}

/// Formats a recap as a file.
fn recap_file_text(recap: &RecapModel, text: &str) -> String {
    format!("# {}\n\n{}\n", recap.title, text.trim())
}
