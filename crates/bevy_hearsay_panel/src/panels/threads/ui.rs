//! Draws threads and secrets.

use egui::{RichText, TextEdit, Ui};
use hearsay_commands::{
    edit::{Edit, FactOptions},
    game_event::{Circumstances, GameEvent, Stated},
    retcon::Retcon,
};
use hearsay_model::{EntityId, FactId, FactStatus, SessionId, text};
use serde::{Deserialize, Serialize};

use super::model::{ThreadRow, ThreadTab, ThreadsModel};
use crate::{
    commands as keys,
    panel::{DeskCommand, Look},
    theme::Tone,
    widgets::{Heights, badge, card, command_button, empty_state, entity_button, list, more, sentence, toggle, weak},
};

/// View state of the panel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadsView {
    /// Kinds of threads to list. If the list is empty, all kinds are listed.
    pub tabs: Vec<ThreadTab>,
    /// Words that a thread must contain to be listed.
    pub filter: String,
    /// Index of the selected row.
    pub at: usize,
    #[serde(skip)]
    heights: Heights,
    #[serde(skip)]
    scroll: bool,
    #[serde(skip)]
    shown: (Vec<ThreadTab>, String),
}

/// An action that the user requests from the panel.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum ThreadsAction {
    /// Show an entity.
    Show(EntityId),
    /// Show a fact.
    ShowFact(FactId),
    /// Show a session.
    Session(SessionId),
    /// Change the memory.
    Do(DeskCommand),
}

/// Draws threads and secrets. `party` is the list of characters at the table, to whom the user can reveal a secret.
pub fn threads_ui(
    ui: &mut Ui,
    look: &Look,
    model: &ThreadsModel,
    party: &[EntityId],
    view: &mut ThreadsView,
) -> Vec<ThreadsAction> {
    let mut actions = Vec::new();
    let visible: Vec<&ThreadRow> = model.rows.iter().filter(|row| !look.screen_safe || row.safe).collect();
    filters_ui(ui, look, &visible, view);
    let words = text::normal(&view.filter);
    let wanted = |row: &&&ThreadRow| {
        (view.tabs.is_empty() || view.tabs.contains(&row.tab)) && (words.is_empty() || row.words.contains(&words))
    };
    let rows: Vec<&ThreadRow> = visible.iter().filter(wanted).copied().collect();
    let shown = (view.tabs.clone(), view.filter.clone());
    if view.shown != shown {
        view.heights.clear();
        (view.shown, view.at) = (shown, 0);
    }
    if rows.is_empty() {
        nothing_ui(ui, look, visible.is_empty(), view);
        return actions;
    }
    view.at = view.at.min(rows.len() - 1);
    if look.pressed(ui, &keys::THREAD_NEXT) {
        (view.at, view.scroll) = ((view.at + 1).min(rows.len() - 1), true);
    }
    if look.pressed(ui, &keys::THREAD_BACK) {
        (view.at, view.scroll) = (view.at.saturating_sub(1), true);
    }
    let focus = std::mem::take(&mut view.scroll).then_some(view.at);
    let mut at = view.at;
    list(ui, "threads", rows.len(), &mut view.heights, 64.0, focus, |ui, number| {
        let focused = number == view.at;
        let drawn = card(ui, look, focused, false, |ui| {
            row_ui(ui, look, rows[number], &mut actions);
            if focused {
                buttons_ui(ui, look, model, rows[number], party, &mut actions);
            }
        });
        let inside =
            ui.input(|input| input.pointer.interact_pos()).is_some_and(|pos| drawn.response.rect.contains(pos));
        if inside && ui.input(|input| input.pointer.primary_clicked()) {
            at = number;
        }
    });
    view.at = at;
    more(ui, look, model.more);
    actions
}

fn filters_ui(ui: &mut Ui, look: &Look, rows: &[&ThreadRow], view: &mut ThreadsView) {
    ui.horizontal_wrapped(|ui| {
        for tab in ThreadTab::ALL {
            let count = rows.iter().filter(|row| row.tab == tab).count();
            let on = view.tabs.contains(&tab);
            if look.screen_safe && is_secret_tab(tab) {
                continue;
            }
            let help = format!("Show only these ({count})");
            if toggle(ui, on, tab.name(), &help).clicked() {
                if on { view.tabs.retain(|other| *other != tab) } else { view.tabs.push(tab) }
            }
            weak(ui, look, &count.to_string());
        }
        let field = ui.add(
            TextEdit::singleline(&mut view.filter)
                .hint_text(crate::widgets::as_hint("Words or a name"))
                .desired_width(200.0),
        );
        crate::widgets::field_name(&field, "Filter threads", &view.filter);
        if look.pressed(ui, &keys::THREAD_FILTER) {
            field.request_focus();
        }
    });
    ui.add_space(look.theme.spacing().tight);
}

fn nothing_ui(ui: &mut Ui, look: &Look, nothing_at_all: bool, view: &mut ThreadsView) {
    if nothing_at_all {
        let next = "Promises (PROMISED), debts (OWES), quests and secrets appear here as they are recorded.";
        empty_state(ui, look, "No open threads", next, None);
    } else if empty_state(ui, look, "No thread matches", "Choose other kinds or words.", Some("Show all")) {
        (view.tabs, view.filter) = Default::default();
    }
}

fn row_ui(ui: &mut Ui, look: &Look, row: &ThreadRow, actions: &mut Vec<ThreadsAction>) {
    ui.horizontal_wrapped(|ui| {
        let tone = if row.secret { Tone::Secret } else { Tone::Accent };
        badge(ui, look, tone, row.tab.one());
        if row.secret && !is_secret_tab(row.tab) {
            badge(ui, look, Tone::Secret, "secret");
        }
        if row.status != FactStatus::Canon {
            badge(ui, look, Tone::Warn, row.status.as_str());
        }
        if let Some(who) = sentence(ui, look, &row.what, Tone::Plain) {
            actions.push(ThreadsAction::Show(who));
        }
    });
    ui.horizontal_wrapped(|ui| {
        if is_secret_tab(row.tab) && !row.who.is_empty() {
            weak(ui, look, "held by");
        }
        for who in row.who.iter().take(8) {
            if entity_button(ui, look, who).clicked() {
                actions.push(ThreadsAction::Show(who.id.clone()));
            }
        }
        more(ui, look, row.who.len().saturating_sub(8));
        if let Some(since) = &row.since {
            weak(ui, look, &format!("since {since}"));
        }
        if let Some((id, title)) = &row.session
            && ui.link(title.as_str()).on_hover_text(format!("Show session {id}")).clicked()
        {
            actions.push(ThreadsAction::Session(id.clone()));
        }
    });
    if !look.screen_safe {
        for detail in &row.details {
            weak(ui, look, detail);
        }
    }
    for told in row.told.iter().take(6) {
        ui.horizontal_wrapped(|ui| {
            match &told.by {
                Some(by) => {
                    if entity_button(ui, look, by).clicked() {
                        actions.push(ThreadsAction::Show(by.id.clone()));
                    }
                    weak(ui, look, "told");
                }
                None => _ = weak(ui, look, "rumour reached"),
            }
            match &told.to {
                Some(to) => {
                    if entity_button(ui, look, to).clicked() {
                        actions.push(ThreadsAction::Show(to.id.clone()));
                    }
                }
                None => _ = weak(ui, look, "everybody"),
            }
            let when = told.when.iter().chain(&told.session).map(String::as_str).collect::<Vec<_>>();
            ui.label(RichText::new(when.join(", ")).small().color(look.theme.palette().weak));
        });
    }
    more(ui, look, row.told.len().saturating_sub(6));
}

fn is_secret_tab(tab: ThreadTab) -> bool {
    matches!(tab, ThreadTab::Untold | ThreadTab::Told)
}

fn buttons_ui(
    ui: &mut Ui,
    look: &Look,
    model: &ThreadsModel,
    row: &ThreadRow,
    party: &[EntityId],
    actions: &mut Vec<ThreadsAction>,
) {
    ui.horizontal_wrapped(|ui| {
        if let Some(desk_command) = settled(model, row)
            && command_button(ui, look, &keys::THREAD_SETTLE)
        {
            actions.push(ThreadsAction::Do(desk_command));
        }
        if let Some(desk_command) = revealed(row, party)
            && command_button(ui, look, &keys::THREAD_REVEAL)
        {
            actions.push(ThreadsAction::Do(desk_command));
        }
        if let Some(fact) = row.fact
            && command_button(ui, look, &keys::THREAD_SHOW)
        {
            actions.push(ThreadsAction::ShowFact(fact));
        }
    });
}

/// Returns the command that settles a promise, debt or quest.
fn settled(model: &ThreadsModel, row: &ThreadRow) -> Option<DeskCommand> {
    match row.tab {
        ThreadTab::Promise | ThreadTab::Debt => {
            let (fact, until) = (row.fact?.to_string(), model.clock.clone()?);
            Some(DeskCommand::Retcon(Retcon::Until { fact, until }))
        }
        ThreadTab::Quest => {
            let (entity, attribute) = (row.quest.as_ref()?.id.to_string(), "stage".to_owned());
            Some(DeskCommand::Edit(Edit::Set {
                entity,
                attribute,
                value: "done".into(),
                options: FactOptions::default(),
            }))
        }
        ThreadTab::Untold | ThreadTab::Told => None,
    }
}

/// Returns the command that reveals a secret to the characters at the table. A holder tells the secret. If the secret
/// has no holder, the characters witness the fact.
fn revealed(row: &ThreadRow, party: &[EntityId]) -> Option<DeskCommand> {
    if !is_secret_tab(row.tab) || party.is_empty() {
        return None;
    }
    let fact = row.fact?.to_string();
    let holder = row
        .who
        .iter()
        .find(|who| !party.contains(&who.id) && who.kind.as_ref().is_some_and(hearsay_model::Kind::is_character));
    let to: Vec<String> = party.iter().map(ToString::to_string).collect();
    let circumstances = Circumstances::default();
    Some(DeskCommand::Learn(match holder {
        Some(holder) => GameEvent::Reveal { holder: holder.id.to_string(), fact, to, openly: false, circumstances },
        None => GameEvent::Witness { facts: vec![Stated::Recorded(fact)], witnesses: to, circumstances },
    }))
}
