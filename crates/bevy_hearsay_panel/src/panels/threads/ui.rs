//! Draws threads and secrets.

use egui::{RichText, TextEdit, Ui};
use hearsay_commands::{
    edit::{Edit, FactOptions},
    game_event::{Circumstances, GameEvent, Hearers, Stated},
    retcon::Retcon,
};
use hearsay_model::{EntityId, FactId, FactStatus, SessionId, text};
use serde::{Deserialize, Serialize};

use super::model::{ThreadCategory, ThreadRow, ThreadsModel};
use crate::{
    commands,
    panel::{DeskCommand, DisplayContext},
    theme::Tone,
    widgets::{
        RowHeights, badge, card, command_button, empty_state, entity_button, list, omitted_label, sentence, toggle,
        weak_label,
    },
};

/// UI state of the panel of threads and secrets: the filters, and the selected row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadsView {
    /// Kinds of threads to list. If the list is empty, all kinds are listed.
    pub categories: Vec<ThreadCategory>,
    /// Words that a thread must contain to be listed.
    pub filter: String,
    /// Index of the selected thread in the list.
    pub selected: usize,
    #[serde(skip)]
    heights: RowHeights,
    #[serde(skip)]
    scroll_to_selected: bool,
    #[serde(skip)]
    shown_filter: (Vec<ThreadCategory>, String),
}

/// An action that the user chose in the panel. The caller carries out the action.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum ThreadsAction {
    /// Show an entity.
    Show(EntityId),
    /// Show a fact.
    ShowFact(FactId),
    /// Show a session.
    Session(SessionId),
    /// Change the memory with this command.
    Execute(DeskCommand),
}

/// Draws threads and secrets. `party` is the list of characters at the table, to whom the user can reveal a secret.
pub fn threads_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &ThreadsModel,
    party: &[EntityId],
    view: &mut ThreadsView,
) -> Vec<ThreadsAction> {
    let mut actions = Vec::new();
    let visible: Vec<&ThreadRow> = model.rows.iter().collect();
    filters_ui(ui, display, &visible, view);
    let words = text::normalize(&view.filter);
    let matches_filter = |row: &&&ThreadRow| {
        (view.categories.is_empty() || view.categories.contains(&row.category))
            && (words.is_empty() || row.search_text.contains(&words))
    };
    let rows: Vec<&ThreadRow> = visible.iter().filter(matches_filter).copied().collect();
    let current_filter = (view.categories.clone(), view.filter.clone());
    if view.shown_filter != current_filter {
        view.heights.clear();
        (view.shown_filter, view.selected) = (current_filter, 0);
    }
    if rows.is_empty() {
        empty_ui(ui, display, visible.is_empty(), view);
        return actions;
    }
    view.selected = view.selected.min(rows.len() - 1);
    if display.is_triggered(ui, &commands::THREAD_NEXT) {
        (view.selected, view.scroll_to_selected) = ((view.selected + 1).min(rows.len() - 1), true);
    }
    if display.is_triggered(ui, &commands::THREAD_PREVIOUS) {
        (view.selected, view.scroll_to_selected) = (view.selected.saturating_sub(1), true);
    }
    let focus = std::mem::take(&mut view.scroll_to_selected).then_some(view.selected);
    let mut selected = view.selected;
    list(ui, "threads", rows.len(), &mut view.heights, 64.0, focus, |ui, number| {
        let focused = number == view.selected;
        let thread_card = card(ui, display, focused, false, |ui| {
            row_ui(ui, display, rows[number], &mut actions);
            if focused {
                buttons_ui(ui, display, model, rows[number], party, &mut actions);
            }
        });
        let is_pointer_inside =
            ui.input(|input| input.pointer.interact_pos()).is_some_and(|pos| thread_card.response.rect.contains(pos));
        if is_pointer_inside && ui.input(|input| input.pointer.primary_clicked()) {
            selected = number;
        }
    });
    view.selected = selected;
    omitted_label(ui, display, model.more);
    actions
}

fn filters_ui(ui: &mut Ui, display: &DisplayContext, rows: &[&ThreadRow], view: &mut ThreadsView) {
    ui.horizontal_wrapped(|ui| {
        for category in ThreadCategory::ALL {
            let count = rows.iter().filter(|row| row.category == category).count();
            let is_selected = view.categories.contains(&category);
            let help = format!("Show only these ({count})");
            if toggle(ui, is_selected, category.name(), &help).clicked() {
                if is_selected {
                    view.categories.retain(|other| *other != category)
                } else {
                    view.categories.push(category)
                }
            }
            weak_label(ui, display, &count.to_string());
        }
        let field = ui.add(
            TextEdit::singleline(&mut view.filter)
                .hint_text(crate::widgets::italic_hint("Words or a name"))
                .desired_width(200.0),
        );
        crate::widgets::set_text_field_name(&field, "Filter threads", &view.filter);
        if display.is_triggered(ui, &commands::THREAD_FILTER) {
            field.request_focus();
        }
    });
    ui.add_space(display.theme.spacing().tight);
}

fn empty_ui(ui: &mut Ui, display: &DisplayContext, has_no_threads: bool, view: &mut ThreadsView) {
    if has_no_threads {
        let hint = "Promises (PROMISED), debts (OWES), quests and secrets appear here as they are recorded.";
        empty_state(ui, display, "No open threads", hint, None);
    } else if empty_state(ui, display, "No thread matches", "Choose other kinds or words.", Some("Show all")) {
        (view.categories, view.filter) = Default::default();
    }
}

fn row_ui(ui: &mut Ui, display: &DisplayContext, row: &ThreadRow, actions: &mut Vec<ThreadsAction>) {
    ui.horizontal_wrapped(|ui| {
        let tone = if row.secret { Tone::Secret } else { Tone::Accent };
        badge(ui, display, tone, row.category.singular_name());
        if row.secret && !is_secret_category(row.category) {
            badge(ui, display, Tone::Secret, "secret");
        }
        if row.status != FactStatus::Canon {
            badge(ui, display, Tone::Warn, row.status.as_str());
        }
        if let Some(entity) = sentence(ui, display, &row.description, Tone::Plain) {
            actions.push(ThreadsAction::Show(entity));
        }
    });
    ui.horizontal_wrapped(|ui| {
        if is_secret_category(row.category) && !row.entities.is_empty() {
            weak_label(ui, display, "held by");
        }
        for entity in row.entities.iter().take(8) {
            if entity_button(ui, display, entity).clicked() {
                actions.push(ThreadsAction::Show(entity.id.clone()));
            }
        }
        omitted_label(ui, display, row.entities.len().saturating_sub(8));
        if let Some(since) = &row.since {
            weak_label(ui, display, &format!("since {since}"));
        }
        if let Some((id, title)) = &row.session
            && ui.link(title.as_str()).on_hover_text(format!("Show session {id}")).clicked()
        {
            actions.push(ThreadsAction::Session(id.clone()));
        }
    });
    for detail in &row.details {
        weak_label(ui, display, detail);
    }
    for telling in row.tellings.iter().take(6) {
        ui.horizontal_wrapped(|ui| {
            match &telling.teller {
                Some(teller) => {
                    if entity_button(ui, display, teller).clicked() {
                        actions.push(ThreadsAction::Show(teller.id.clone()));
                    }
                    weak_label(ui, display, "told");
                }
                None => _ = weak_label(ui, display, "rumour reached"),
            }
            match &telling.hearer {
                Some(hearer) => {
                    if entity_button(ui, display, hearer).clicked() {
                        actions.push(ThreadsAction::Show(hearer.id.clone()));
                    }
                }
                None => _ = weak_label(ui, display, "everybody"),
            }
            let when = telling.when.iter().chain(&telling.session).map(String::as_str).collect::<Vec<_>>();
            ui.label(RichText::new(when.join(", ")).small().color(display.theme.palette().weak));
        });
    }
    omitted_label(ui, display, row.tellings.len().saturating_sub(6));
}

fn is_secret_category(category: ThreadCategory) -> bool {
    matches!(category, ThreadCategory::Untold | ThreadCategory::Told)
}

fn buttons_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &ThreadsModel,
    row: &ThreadRow,
    party: &[EntityId],
    actions: &mut Vec<ThreadsAction>,
) {
    ui.horizontal_wrapped(|ui| {
        if let Some(desk_command) = settle_command(model, row)
            && command_button(ui, display, &commands::THREAD_SETTLE)
        {
            actions.push(ThreadsAction::Execute(desk_command));
        }
        if let Some(desk_command) = reveal_command(row, party)
            && command_button(ui, display, &commands::THREAD_REVEAL)
        {
            actions.push(ThreadsAction::Execute(desk_command));
        }
        if let Some(fact) = row.fact
            && command_button(ui, display, &commands::THREAD_SHOW)
        {
            actions.push(ThreadsAction::ShowFact(fact));
        }
    });
}

/// Returns the command that settles a promise, debt or quest.
fn settle_command(model: &ThreadsModel, row: &ThreadRow) -> Option<DeskCommand> {
    match row.category {
        ThreadCategory::Promise | ThreadCategory::Debt => {
            let (fact, until) = (row.fact?, model.clock.clone()?);
            Some(DeskCommand::Retcon(Retcon::Until { fact, until }))
        }
        ThreadCategory::Quest => {
            let (entity, attribute) = (row.quest.as_ref()?.id.clone(), "stage".to_owned());
            Some(DeskCommand::Edit(Edit::Set {
                entity,
                attribute,
                value: "done".into(),
                options: FactOptions::default(),
            }))
        }
        ThreadCategory::Untold | ThreadCategory::Told => None,
    }
}

/// Returns the command that reveals a secret to the characters at the table. A holder tells the secret. If the secret
/// has no holder, the characters witness the fact.
fn reveal_command(row: &ThreadRow, party: &[EntityId]) -> Option<DeskCommand> {
    if !is_secret_category(row.category) || party.is_empty() {
        return None;
    }
    let fact = row.fact?;
    let holder = row.entities.iter().find(|holder| {
        !party.contains(&holder.id) && holder.kind.as_ref().is_some_and(hearsay_model::Kind::is_character)
    });
    let to = Hearers::Listed(party.to_vec());
    let circumstances = Circumstances::default();
    Some(DeskCommand::Learn(match holder {
        Some(holder) => GameEvent::Reveal { holder: holder.id.clone().into(), fact, to, openly: false, circumstances },
        None => GameEvent::Witness { facts: vec![Stated::Recorded(fact)], witnesses: to, circumstances },
    }))
}
