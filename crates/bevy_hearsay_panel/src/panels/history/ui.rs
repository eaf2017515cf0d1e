//! Draws the journal and the preview of undo.

use egui::{ComboBox, RichText, ScrollArea, Ui};
use hearsay_model::{FactId, Position};
use serde::{Deserialize, Serialize};

use super::model::{HistoryModel, OperationModel, UndoModel};
use crate::{
    commands as keys,
    direction::visual,
    panel::Look,
    text::counted,
    theme::Tone,
    widgets::{
        Heights, badge, card, command_button, empty_state, hidden, label, link, list, more, section, toned, weak,
    },
};

/// Number of operations per page. The panel reads one page at first, and one more page each time the user asks for
/// older operations.
pub(super) const PAGE: usize = 500;

/// View state of the panel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HistoryView {
    /// Author whose operations are shown. `None`: all authors.
    pub author: Option<String>,
    /// Maximum number of operations.
    pub limit: usize,
    /// Position of the selected operation.
    pub at: Option<Position>,
    #[serde(skip)]
    heights: Heights,
    #[serde(skip)]
    scroll: bool,
    #[serde(skip)]
    shown: Option<Option<String>>,
}

impl Default for HistoryView {
    fn default() -> Self {
        Self { author: None, limit: PAGE, at: None, heights: Heights::default(), scroll: false, shown: None }
    }
}

/// State of a preview.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Preview<'a> {
    /// No preview was requested.
    None,
    /// The preview is being computed.
    Working,
    /// The effect of the undo.
    Ready(&'a UndoModel),
    /// The operation cannot be undone. The text is the reason.
    Trouble(&'a str),
}

/// An action that the user requests from the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryAction {
    /// Preview undoing an operation.
    Preview(Position),
    /// Undo the operation.
    Undo(Position),
    /// Close the preview and keep the operation.
    Keep,
    /// Show a fact.
    ShowFact(FactId),
}

/// Draws the journal.
pub fn history_ui(
    ui: &mut Ui,
    look: &Look,
    model: &HistoryModel,
    preview: Preview,
    view: &mut HistoryView,
) -> Vec<HistoryAction> {
    let mut actions = Vec::new();
    authors_ui(ui, look, model, view);
    if model.rows.is_empty() {
        empty_state(ui, look, "Nothing has happened yet", "Every change appears here, and can be undone.", None);
        return actions;
    }
    if view.shown.as_ref() != Some(&view.author) {
        view.heights.clear();
        view.shown = Some(view.author.clone());
    }
    let place = view.at.and_then(|at| model.rows.iter().position(|row| row.position == at));
    let mut at = place.unwrap_or(0);
    if look.pressed(ui, &keys::HISTORY_NEXT) {
        (at, view.scroll) = ((at + usize::from(place.is_some())).min(model.rows.len() - 1), true);
        view.at = Some(model.rows[at].position);
    }
    if look.pressed(ui, &keys::HISTORY_BACK) {
        (at, view.scroll) = (at.saturating_sub(1), true);
        view.at = Some(model.rows[at].position);
    }
    if preview != Preview::None {
        let width = ui.available_width() * 0.42;
        let side = egui::Panel::right(ui.id().with("undo")).exact_size(width).resizable(false);
        side.show(ui, |ui| preview_ui(ui, look, preview, &mut actions));
    }
    let focus = std::mem::take(&mut view.scroll).then_some(at);
    let count = model.rows.len();
    list(ui, "operations", count, &mut view.heights, look.theme.sizes().row * 1.6, focus, |ui, number| {
        let row = &model.rows[number];
        let focused = view.at == Some(row.position);
        card(ui, look, focused, false, |ui| operation_ui(ui, look, row, focused, &mut actions));
    });
    for action in &actions {
        if let HistoryAction::Preview(position) = action {
            let of = |row: &&OperationModel| row.position == *position || row.undone_by == Some(*position);
            view.at = model.rows.iter().find(of).map(|row| row.position);
        }
    }
    actions
}

fn authors_ui(ui: &mut Ui, look: &Look, model: &HistoryModel, view: &mut HistoryView) {
    ui.horizontal_wrapped(|ui| {
        let all: usize = model.authors.iter().map(|(_, count)| count).sum();
        let everybody = format!("Everybody ({all})");
        let chosen = view.author.clone().unwrap_or_else(|| everybody.clone());
        let combo = ComboBox::from_id_salt("author").selected_text(visual(&chosen)).show_ui(ui, |ui| {
            ui.selectable_value(&mut view.author, None, everybody);
            for (author, count) in &model.authors {
                ui.selectable_value(&mut view.author, Some(author.clone()), format!("{author} ({count})"));
            }
        });
        crate::widgets::choice_named(&combo.response, "Author", &chosen);
        weak(ui, look, &counted(model.all, "change", "changes"));
        if model.rows.len() < model.all {
            let more = model.all - model.rows.len();
            if ui.button("Show older").on_hover_text(format!("{more} more")).clicked() {
                view.limit += PAGE;
            }
        }
    });
}

fn operation_ui(ui: &mut Ui, look: &Look, row: &OperationModel, focused: bool, actions: &mut Vec<HistoryAction>) {
    let target = if row.live { Some(row.position) } else { row.undone_by };
    let (verb, command) = if row.live { ("Undo", &keys::HISTORY_UNDO) } else { ("Redo", &keys::HISTORY_UNDO) };
    ui.horizontal(|ui| {
        let palette = look.theme.palette();
        ui.label(RichText::new(format!("{:>4}", row.position.0)).monospace().color(palette.weak));
        if let Some(target) = target {
            let name = format!("{verb} {}", row.position);
            let button = ui.button(format!("{verb}\u{2026}")).on_hover_text(command.tooltip());
            let button = crate::widgets::named(button, true, &name);
            if button.clicked() || (focused && look.pressed(ui, command)) {
                actions.push(HistoryAction::Preview(target));
            }
        }
        badge(ui, look, Tone::Weak, &row.author);
        if !row.live {
            badge(ui, look, Tone::Warn, "undone");
        }
        weak(ui, look, &row.ago);
        if look.screen_safe {
            // In screen-safe mode, hide the summary, because it may name a secret.
            hidden(ui, look);
            return;
        }
        let words = RichText::new(visual(&row.summary));
        let words = if row.live { words } else { words.strikethrough().color(palette.weak) };
        let tip = format!("{}\n{}", row.summary, counted(row.changes, "change", "changes"));
        ui.add(egui::Label::new(words).truncate()).on_hover_text(tip);
    });
}

fn preview_ui(ui: &mut Ui, look: &Look, preview: Preview, actions: &mut Vec<HistoryAction>) {
    let model = match preview {
        Preview::None => return,
        Preview::Working => {
            ui.horizontal(|ui| {
                ui.spinner();
                weak(ui, look, "Computing the effect of the undo\u{2026}");
            });
            return;
        }
        Preview::Trouble(why) => {
            toned(ui, look, Tone::Bad, why);
            if command_button(ui, look, &keys::HISTORY_KEEP) {
                actions.push(HistoryAction::Keep);
            }
            return;
        }
        Preview::Ready(model) => model,
    };
    let verb = if model.is_redo { "Redo" } else { "Undo" };
    ui.label(RichText::new(format!("{verb} {}?", model.position)).heading());
    match look.screen_safe {
        true => _ = hidden(ui, look),
        false => _ = label(ui, &model.summary),
    }
    ui.horizontal_wrapped(|ui| {
        let command = if model.is_redo { &keys::HISTORY_REDO_NOW } else { &keys::HISTORY_UNDO_NOW };
        if command_button(ui, look, command) {
            actions.push(HistoryAction::Undo(model.position));
        }
        if command_button(ui, look, &keys::HISTORY_KEEP) {
            actions.push(HistoryAction::Keep);
        }
    });
    ScrollArea::vertical().id_salt("preview").auto_shrink([false, false]).show(ui, |ui| {
        section(ui, look, "Would be removed", None);
        if model.lost.is_empty() {
            weak(ui, look, "Nothing.");
        }
        for lost in &model.lost {
            ui.label(lost);
        }
        if model.changed > 0 {
            weak(ui, look, &format!("{} changed or restored", counted(model.changed, "record", "records")));
        }
        for (fact, statement, secret) in &model.facts {
            if look.screen_safe && *secret {
                continue;
            }
            if link(ui, statement).on_hover_text("Show the fact").clicked() {
                actions.push(HistoryAction::ShowFact(*fact));
            }
        }
        more(ui, look, model.more);
        if !model.dependents.is_empty() {
            section(ui, look, "Later changes that depend on it", Some(model.dependents.len()));
            for (position, summary) in model.dependents.iter().take(50) {
                match look.screen_safe {
                    true => _ = ui.label(position.to_string()),
                    false => _ = toned(ui, look, Tone::Warn, &format!("{position}: {summary}")),
                }
            }
            more(ui, look, model.dependents.len().saturating_sub(50));
        }
        if !model.knowledge.is_empty() {
            section(ui, look, "Effects on knowledge", None);
            for (line, secret) in &model.knowledge {
                if !(look.screen_safe && *secret) {
                    label(ui, line);
                }
            }
            more(ui, look, model.more_knowledge);
        }
    });
}
