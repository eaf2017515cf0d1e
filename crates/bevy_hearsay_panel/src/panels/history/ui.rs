//! Draws the journal and the preview of undo.

use egui::{ComboBox, RichText, ScrollArea, Ui};
use hearsay_model::{FactId, Position};
use serde::{Deserialize, Serialize};

use super::model::{HistoryModel, OperationModel, UndoModel};
use crate::{
    commands,
    direction::visual_order,
    panel::DisplayContext,
    text::format_count,
    theme::Tone,
    widgets::{
        RowHeights, badge, card, command_button, empty_state, label, link, list, omitted_label, section_heading,
        toned_label, weak_label,
    },
};

/// Number of operations per page. The panel reads one page at first, and one more page each time the user asks for
/// older operations.
pub(super) const PAGE_SIZE: usize = 500;

/// UI state of the history panel: the filter by author, the number of operations and the selected operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HistoryView {
    /// Author whose operations are shown; `None` for all authors.
    pub author: Option<String>,
    /// Maximum number of operations to list.
    pub limit: usize,
    /// Position of the selected operation; `None` if no operation is selected.
    pub selected: Option<Position>,
    #[serde(skip)]
    heights: RowHeights,
    #[serde(skip)]
    scroll_to_selected: bool,
    #[serde(skip)]
    shown_author: Option<Option<String>>,
}

impl Default for HistoryView {
    fn default() -> Self {
        Self {
            author: None,
            limit: PAGE_SIZE,
            selected: None,
            heights: RowHeights::default(),
            scroll_to_selected: false,
            shown_author: None,
        }
    }
}

/// State of the preview of an undo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UndoPreviewState<'a> {
    /// No preview was requested.
    None,
    /// The preview is being computed.
    Pending,
    /// The preview is ready: the effect of the undo.
    Ready(&'a UndoModel),
    /// The operation cannot be undone. The value is the reason why the operation cannot be undone.
    Error(&'a str),
}

/// An action that the user chose in the panel. The caller carries out the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryAction {
    /// Preview the effect of undoing the operation at this position.
    Preview(Position),
    /// Undo the operation at this position.
    Undo(Position),
    /// Close the preview and keep the operation.
    ClosePreview,
    /// Show a fact.
    ShowFact(FactId),
}

/// Draws the journal.
pub fn history_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &HistoryModel,
    preview: UndoPreviewState,
    view: &mut HistoryView,
) -> Vec<HistoryAction> {
    let mut actions = Vec::new();
    authors_ui(ui, display, model, view);
    if model.rows.is_empty() {
        empty_state(ui, display, "Nothing has happened yet", "Every change appears here, and can be undone.", None);
        return actions;
    }
    if view.shown_author.as_ref() != Some(&view.author) {
        view.heights.clear();
        view.shown_author = Some(view.author.clone());
    }
    let selected_row = view.selected.and_then(|position| model.rows.iter().position(|row| row.position == position));
    let mut row_index = selected_row.unwrap_or(0);
    if display.is_triggered(ui, &commands::HISTORY_NEXT) {
        (row_index, view.scroll_to_selected) =
            ((row_index + usize::from(selected_row.is_some())).min(model.rows.len() - 1), true);
        view.selected = Some(model.rows[row_index].position);
    }
    if display.is_triggered(ui, &commands::HISTORY_PREVIOUS) {
        (row_index, view.scroll_to_selected) = (row_index.saturating_sub(1), true);
        view.selected = Some(model.rows[row_index].position);
    }
    if preview != UndoPreviewState::None {
        let width = ui.available_width() * 0.42;
        let side_panel = egui::Panel::right(ui.id().with("undo")).exact_size(width).resizable(false);
        side_panel.show(ui, |ui| preview_ui(ui, display, preview, &mut actions));
    }
    let focus = std::mem::take(&mut view.scroll_to_selected).then_some(row_index);
    let count = model.rows.len();
    list(ui, "operations", count, &mut view.heights, display.theme.sizes().row * 1.6, focus, |ui, number| {
        let row = &model.rows[number];
        let focused = view.selected == Some(row.position);
        card(ui, display, focused, false, |ui| operation_ui(ui, display, row, focused, &mut actions));
    });
    for action in &actions {
        if let HistoryAction::Preview(position) = action {
            let affects_position =
                |row: &&OperationModel| row.position == *position || row.undone_by == Some(*position);
            view.selected = model.rows.iter().find(affects_position).map(|row| row.position);
        }
    }
    actions
}

fn authors_ui(ui: &mut Ui, display: &DisplayContext, model: &HistoryModel, view: &mut HistoryView) {
    ui.horizontal_wrapped(|ui| {
        let total: usize = model.authors.iter().map(|(_, count)| count).sum();
        let everybody = format!("Everybody ({total})");
        let chosen = view.author.clone().unwrap_or_else(|| everybody.clone());
        let combo = ComboBox::from_id_salt("author").selected_text(visual_order(&chosen)).show_ui(ui, |ui| {
            ui.selectable_value(&mut view.author, None, everybody);
            for (author, count) in &model.authors {
                ui.selectable_value(&mut view.author, Some(author.clone()), format!("{author} ({count})"));
            }
        });
        crate::widgets::set_combo_box_name(&combo.response, "Author", &chosen);
        weak_label(ui, display, &format_count(model.total, "change", "changes"));
        if model.rows.len() < model.total {
            let hidden_count = model.total - model.rows.len();
            if ui.button("Show older").on_hover_text(format!("{hidden_count} more")).clicked() {
                view.limit += PAGE_SIZE;
            }
        }
    });
}

fn operation_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    row: &OperationModel,
    focused: bool,
    actions: &mut Vec<HistoryAction>,
) {
    let target = if row.live { Some(row.position) } else { row.undone_by };
    let (verb, command) = if row.live { ("Undo", &commands::HISTORY_UNDO) } else { ("Redo", &commands::HISTORY_UNDO) };
    ui.horizontal(|ui| {
        let palette = display.theme.palette();
        ui.label(RichText::new(format!("{:>4}", row.position.0)).monospace().color(palette.weak));
        if let Some(target) = target {
            let name = format!("{verb} {}", row.position);
            let button = ui.button(format!("{verb}\u{2026}")).on_hover_text(command.tooltip());
            let button = crate::widgets::set_button_name(button, true, &name);
            if button.clicked() || (focused && display.is_triggered(ui, command)) {
                actions.push(HistoryAction::Preview(target));
            }
        }
        badge(ui, display, Tone::Weak, &row.author);
        if !row.live {
            badge(ui, display, Tone::Warn, "undone");
        }
        weak_label(ui, display, &row.age);
        let summary_text = RichText::new(visual_order(&row.summary));
        let summary_text = if row.live { summary_text } else { summary_text.strikethrough().color(palette.weak) };
        let tooltip = format!("{}\n{}", row.summary, format_count(row.changes, "change", "changes"));
        ui.add(egui::Label::new(summary_text).truncate()).on_hover_text(tooltip);
    });
}

fn preview_ui(ui: &mut Ui, display: &DisplayContext, preview: UndoPreviewState, actions: &mut Vec<HistoryAction>) {
    let model = match preview {
        UndoPreviewState::None => return,
        UndoPreviewState::Pending => {
            ui.horizontal(|ui| {
                ui.spinner();
                weak_label(ui, display, "Computing the effect of the undo\u{2026}");
            });
            return;
        }
        UndoPreviewState::Error(error) => {
            toned_label(ui, display, Tone::Bad, error);
            if command_button(ui, display, &commands::HISTORY_CANCEL) {
                actions.push(HistoryAction::ClosePreview);
            }
            return;
        }
        UndoPreviewState::Ready(model) => model,
    };
    let verb = if model.is_redo { "Redo" } else { "Undo" };
    ui.label(RichText::new(format!("{verb} {}?", model.position)).heading());
    label(ui, &model.summary);
    ui.horizontal_wrapped(|ui| {
        let command = if model.is_redo { &commands::HISTORY_REDO_NOW } else { &commands::HISTORY_UNDO_NOW };
        if command_button(ui, display, command) {
            actions.push(HistoryAction::Undo(model.position));
        }
        if command_button(ui, display, &commands::HISTORY_CANCEL) {
            actions.push(HistoryAction::ClosePreview);
        }
    });
    ScrollArea::vertical().id_salt("preview").auto_shrink([false, false]).show(ui, |ui| {
        section_heading(ui, display, "Would be removed", None);
        if model.removed_counts.is_empty() {
            weak_label(ui, display, "Nothing.");
        }
        for removed_count in &model.removed_counts {
            ui.label(removed_count);
        }
        if model.changed > 0 {
            weak_label(
                ui,
                display,
                &format!("{} changed or restored", format_count(model.changed, "record", "records")),
            );
        }
        for (fact, statement) in &model.facts {
            if link(ui, statement).on_hover_text("Show the fact").clicked() {
                actions.push(HistoryAction::ShowFact(*fact));
            }
        }
        omitted_label(ui, display, model.omitted_facts);
        if !model.dependents.is_empty() {
            section_heading(ui, display, "Later changes that depend on it", Some(model.dependents.len()));
            for (position, summary) in model.dependents.iter().take(50) {
                toned_label(ui, display, Tone::Warn, &format!("{position}: {summary}"));
            }
            omitted_label(ui, display, model.dependents.len().saturating_sub(50));
        }
        if !model.knowledge.is_empty() {
            section_heading(ui, display, "Effects on knowledge", None);
            for line in &model.knowledge {
                label(ui, line);
            }
            omitted_label(ui, display, model.omitted_knowledge);
        }
    });
}
