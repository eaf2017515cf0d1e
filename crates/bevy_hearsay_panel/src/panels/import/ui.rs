//! Draws the import panel: select, preview, import and undo.

use std::path::{Path, PathBuf};

use egui::{RichText, ScrollArea, TextEdit, Ui};
use hearsay_engine::ImportStage;
use hearsay_model::Position;
use serde::{Deserialize, Serialize};

use super::model::{FolderModel, ImportModel, ProblemModel, ReportModel, stage_name};
use crate::{
    commands,
    direction::visual_order,
    panel::DisplayContext,
    text::format_count,
    theme::Tone,
    widgets::{
        badge, command_button, content_beside_list, empty_state, label, omitted_label, right_to_left, section_heading,
        set_text_field_name, toned_label, weak_label,
    },
};

/// UI state of the import panel: the typed path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportView {
    /// The typed path of the folder or file to import.
    pub path: String,
}

/// An action that the user chose in the panel. The caller carries out the action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportAction {
    /// Show the content of a folder, so that the user can choose a file or a subfolder.
    Open(PathBuf),
    /// Preview the changes that the import would make.
    Preview,
    /// Import the files.
    Import,
    /// Cancel the import.
    Cancel,
    /// Undo the import whose operation has this position.
    Undo(Position),
    /// Copy the text of the report to the clipboard.
    Copy(String),
}

/// Draws the import panel.
pub fn import_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    folder: Option<&FolderModel>,
    model: &ImportModel,
    view: &mut ImportView,
) -> Vec<ImportAction> {
    let mut actions = Vec::new();
    path_ui(ui, display, model, view, &mut actions);
    let width = ui.available_width() * 0.35;
    let side_panel = egui::Panel::left(ui.id().with("folder")).exact_size(width).resizable(false);
    side_panel.show(ui, |ui| folder_ui(ui, display, folder, view, &mut actions));
    content_beside_list(ui, display, |ui| report_area_ui(ui, display, model, &mut actions));
    actions
}

fn report_area_ui(ui: &mut Ui, display: &DisplayContext, model: &ImportModel, actions: &mut Vec<ImportAction>) {
    ScrollArea::vertical().id_salt("import").auto_shrink([false, false]).show(ui, |ui| match model {
        ImportModel::Idle => {
            let hint = "Type a path or choose in the list: a campaign's folder, its notes, or an export (`.jsonl`).";
            empty_state(ui, display, "Choose a folder or a file", hint, None);
        }
        ImportModel::Checking => progress_ui(ui, display, "Reading the files\u{2026}"),
        ImportModel::Checked(report) => {
            toned_label(ui, display, Tone::Accent, "Preview of the import. Nothing is written yet.");
            report_ui(ui, display, report, actions);
        }
        ImportModel::Invalid(problems, omitted_count) => {
            let count = format_count(problems.len() + omitted_count, "problem", "problems");
            toned_label(
                ui,
                display,
                Tone::Bad,
                &format!("{count}. Nothing was changed. Correct the files, then preview again."),
            );
            problems.iter().for_each(|problem| problem_ui(ui, display, Tone::Bad, problem));
            omitted_label(ui, display, *omitted_count);
        }
        ImportModel::Importing(stage) => {
            progress_ui(ui, display, stage_name(*stage));
            stages_ui(ui, display, *stage);
            if stage.can_be_cancelled() && command_button(ui, display, &commands::IMPORT_CANCEL) {
                actions.push(ImportAction::Cancel);
            }
        }
        ImportModel::Imported(report, position) => {
            match position {
                Some(position) => {
                    toned_label(ui, display, Tone::Good, &format!("Imported, as one change: {position}."));
                    if command_button(ui, display, &commands::IMPORT_UNDO) {
                        actions.push(ImportAction::Undo(*position));
                    }
                }
                None => _ = toned_label(ui, display, Tone::Good, "The campaign already has everything in the files."),
            }
            report_ui(ui, display, report, actions);
        }
        ImportModel::Cancelled => {
            empty_state(ui, display, "Stopped", "Nothing was written.", None);
        }
        ImportModel::Undone(summary) => {
            empty_state(ui, display, "Undone", summary, None);
        }
    });
}

fn path_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    model: &ImportModel,
    view: &mut ImportView,
    actions: &mut Vec<ImportAction>,
) {
    ui.horizontal(|ui| {
        let is_busy = matches!(model, ImportModel::Checking | ImportModel::Importing(_));
        right_to_left(ui, |ui| {
            let is_ready = !is_busy && !view.path.trim().is_empty();
            ui.add_enabled_ui(is_ready, |ui| {
                if command_button(ui, display, &commands::IMPORT_APPLY) && is_ready {
                    actions.push(ImportAction::Import);
                }
                if command_button(ui, display, &commands::IMPORT_PREVIEW) && is_ready {
                    actions.push(ImportAction::Preview);
                }
            });
            let field =
                TextEdit::singleline(&mut view.path).hint_text(crate::widgets::italic_hint("campaigns/gullhaven"));
            let field = ui.add(field.desired_width(f32::INFINITY));
            set_text_field_name(&field, "Folder or file", &view.path);
            if field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) && is_ready {
                actions.push(ImportAction::Preview);
            }
        });
    });
}

fn folder_ui(
    ui: &mut Ui,
    display: &DisplayContext,
    folder: Option<&FolderModel>,
    view: &mut ImportView,
    actions: &mut Vec<ImportAction>,
) {
    let Some(folder) = folder else {
        weak_label(ui, display, "Reading the folder\u{2026}");
        return;
    };
    ui.add(egui::Label::new(RichText::new(folder.path.display().to_string()).small()).truncate());
    if let Some(error) = &folder.error {
        toned_label(ui, display, Tone::Bad, error);
    }
    ui.horizontal_wrapped(|ui| {
        if let Some(parent) = &folder.parent
            && ui.button("\u{2191} Up").on_hover_text(parent.display().to_string()).clicked()
        {
            actions.push(ImportAction::Open(parent.clone()));
        }
        if folder.importable && ui.button("Choose this folder").clicked() {
            view.path = folder.path.display().to_string();
            actions.push(ImportAction::Preview);
        }
    });
    let (height, count) = (display.theme.sizes().row, folder.entries.len());
    let area = ScrollArea::vertical().id_salt("entries").auto_shrink([false, false]);
    area.show_rows(ui, height, count, |ui, range| {
        for entry in &folder.entries[range] {
            let symbol = if entry.folder { "\u{25B8}" } else { "\u{2022}" };
            let is_chosen = Path::new(&view.path) == entry.path;
            let response = ui.selectable_label(is_chosen, format!("{symbol} {}", visual_order(&entry.name)));
            let response = crate::widgets::set_button_name(response, true, &entry.name);
            if response.clicked() {
                if entry.folder {
                    actions.push(ImportAction::Open(entry.path.clone()));
                } else {
                    view.path = entry.path.display().to_string();
                    actions.push(ImportAction::Preview);
                }
            }
        }
    });
    omitted_label(ui, display, folder.more);
}

fn progress_ui(ui: &mut Ui, display: &DisplayContext, text: &str) {
    ui.horizontal(|ui| {
        ui.spinner();
        weak_label(ui, display, text);
    });
}

fn stages_ui(ui: &mut Ui, display: &DisplayContext, current: ImportStage) {
    for stage in [ImportStage::Reading, ImportStage::Waiting, ImportStage::Comparing, ImportStage::Writing] {
        let (symbol, tone) = match stage.cmp(&current) {
            std::cmp::Ordering::Less => ("\u{2714}", Tone::Good),
            std::cmp::Ordering::Equal => ("\u{25B8}", Tone::Accent),
            std::cmp::Ordering::Greater => ("\u{25CB}", Tone::Weak),
        };
        toned_label(ui, display, tone, &format!("{symbol} {}", stage_name(stage)));
    }
}

fn report_ui(ui: &mut Ui, display: &DisplayContext, report: &ReportModel, actions: &mut Vec<ImportAction>) {
    ui.horizontal(|ui| {
        label(ui, RichText::new(&report.source).heading());
        if ui.small_button("Copy report").clicked() {
            actions.push(ImportAction::Copy(report.text()));
        }
    });
    if !report.has_changes {
        weak_label(ui, display, "Nothing would change: the campaign already has everything in the files.");
    }
    for count in &report.counts {
        label(ui, count);
    }
    for list in &report.lists {
        let tone = if list.is_warning { Tone::Warn } else { Tone::Weak };
        // Long lists are collapsed at first.
        let title = RichText::new(format!("{} ({})", list.title, list.rows.len())).color(display.theme.tone(tone));
        let header = egui::CollapsingHeader::new(title).id_salt(&list.title);
        header.default_open(list.is_warning && list.rows.len() <= 12).show(ui, |ui| {
            rows_ui(ui, display, &list.rows, |ui, row| problem_ui(ui, display, tone, row));
        });
    }
    if !report.audience.is_empty() {
        section_heading(ui, display, "Number of facts by audience", None);
        ui.horizontal_wrapped(|ui| {
            for (audience, count) in &report.audience {
                badge(ui, display, Tone::Weak, &format!("{audience}: {count}"));
            }
        });
    }
    if !report.without_knowledge.is_empty() {
        section_heading(
            ui,
            display,
            "Characters that would know nothing but their own names",
            Some(report.without_knowledge.len()),
        );
        rows_ui(ui, display, &report.without_knowledge, |ui, name| _ = weak_label(ui, display, name));
    }
}

/// Draws a limited number of rows of a report.
fn rows_ui<T>(ui: &mut Ui, display: &DisplayContext, rows: &[T], mut row: impl FnMut(&mut Ui, &T)) {
    const MAX_ROWS: usize = 100;
    rows.iter().take(MAX_ROWS).for_each(|item| row(ui, item));
    omitted_label(ui, display, rows.len().saturating_sub(MAX_ROWS));
}

fn problem_ui(ui: &mut Ui, display: &DisplayContext, tone: Tone, problem: &ProblemModel) {
    ui.horizontal_wrapped(|ui| {
        if !problem.location.is_empty() {
            ui.label(RichText::new(&problem.location).monospace().color(display.theme.tone(tone)));
        }
        if !problem.field.is_empty() {
            weak_label(ui, display, &problem.field);
        }
        label(ui, &problem.message);
        if !problem.hint.is_empty() {
            weak_label(ui, display, &problem.hint);
        }
    });
}
