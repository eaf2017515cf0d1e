//! Draws the import panel: select, preview, import and undo.

use std::path::{Path, PathBuf};

use egui::{RichText, ScrollArea, TextEdit, Ui};
use hearsay_engine::ImportStage;
use hearsay_model::Position;
use serde::{Deserialize, Serialize};

use super::model::{FolderModel, ImportModel, ProblemModel, ReportModel, stage_in_words};
use crate::{
    commands as keys,
    direction::visual,
    panel::Look,
    text::counted,
    theme::Tone,
    widgets::{
        badge, beside, command_button, empty_state, field_name, from_right, hidden, label, more, section, toned, weak,
    },
};

/// View state of the panel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportView {
    /// The typed path of the folder or file.
    pub path: String,
}

/// An action that the user requests from the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportAction {
    /// Open a folder.
    Open(PathBuf),
    /// Preview the changes.
    Check,
    /// Import the files.
    Import,
    /// Cancel the import.
    Cancel,
    /// Undo the import.
    Undo(Position),
    /// Copy the report to the clipboard.
    Copy(String),
}

/// Draws the import panel.
pub fn import_ui(
    ui: &mut Ui,
    look: &Look,
    folder: Option<&FolderModel>,
    model: &ImportModel,
    view: &mut ImportView,
) -> Vec<ImportAction> {
    let mut actions = Vec::new();
    path_ui(ui, look, model, view, &mut actions);
    let width = ui.available_width() * 0.35;
    let side = egui::Panel::left(ui.id().with("folder")).exact_size(width).resizable(false);
    side.show(ui, |ui| folder_ui(ui, look, folder, view, &mut actions));
    beside(ui, look, |ui| report_area_ui(ui, look, model, &mut actions));
    actions
}

fn report_area_ui(ui: &mut Ui, look: &Look, model: &ImportModel, actions: &mut Vec<ImportAction>) {
    ScrollArea::vertical().id_salt("import").auto_shrink([false, false]).show(ui, |ui| match model {
        ImportModel::Idle => {
            let next = "Type a path or choose in the list: a campaign's folder, its notes, or an export (`.jsonl`).";
            empty_state(ui, look, "Choose a folder or a file", next, None);
        }
        ImportModel::Checking => working_ui(ui, look, "Reading the files\u{2026}"),
        ImportModel::Checked(report) => {
            toned(ui, look, Tone::Accent, "Preview of the import. Nothing is written yet.");
            report_ui(ui, look, report, actions);
        }
        ImportModel::Wrong(problems, left_out) => {
            let count = counted(problems.len() + left_out, "problem", "problems");
            toned(
                ui,
                look,
                Tone::Bad,
                &format!("{count}. Nothing was changed. Correct the files, then preview again."),
            );
            problems.iter().for_each(|problem| problem_ui(ui, look, Tone::Bad, problem));
            more(ui, look, *left_out);
        }
        ImportModel::Importing(stage) => {
            working_ui(ui, look, stage_in_words(*stage));
            steps_ui(ui, look, *stage);
            if stage.can_be_cancelled() && command_button(ui, look, &keys::IMPORT_CANCEL) {
                actions.push(ImportAction::Cancel);
            }
        }
        ImportModel::Imported(report, position) => {
            match position {
                Some(position) => {
                    toned(ui, look, Tone::Good, &format!("Imported, as one change: {position}."));
                    if command_button(ui, look, &keys::IMPORT_UNDO) {
                        actions.push(ImportAction::Undo(*position));
                    }
                }
                None => _ = toned(ui, look, Tone::Good, "The campaign already has everything in the files."),
            }
            report_ui(ui, look, report, actions);
        }
        ImportModel::Cancelled => {
            empty_state(ui, look, "Stopped", "Nothing was written.", None);
        }
        ImportModel::Undone(what) => {
            empty_state(ui, look, "Undone", what, None);
        }
    });
}

fn path_ui(ui: &mut Ui, look: &Look, model: &ImportModel, view: &mut ImportView, actions: &mut Vec<ImportAction>) {
    ui.horizontal(|ui| {
        let busy = matches!(model, ImportModel::Checking | ImportModel::Importing(_));
        from_right(ui, |ui| {
            let ready = !busy && !view.path.trim().is_empty();
            ui.add_enabled_ui(ready, |ui| {
                if command_button(ui, look, &keys::IMPORT_APPLY) && ready {
                    actions.push(ImportAction::Import);
                }
                if command_button(ui, look, &keys::IMPORT_CHECK) && ready {
                    actions.push(ImportAction::Check);
                }
            });
            let field = TextEdit::singleline(&mut view.path).hint_text(crate::widgets::as_hint("campaigns/gullhaven"));
            let field = ui.add(field.desired_width(f32::INFINITY));
            field_name(&field, "Folder or file", &view.path);
            if field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter)) && ready {
                actions.push(ImportAction::Check);
            }
        });
    });
}

fn folder_ui(
    ui: &mut Ui,
    look: &Look,
    folder: Option<&FolderModel>,
    view: &mut ImportView,
    actions: &mut Vec<ImportAction>,
) {
    let Some(folder) = folder else {
        weak(ui, look, "Reading the folder\u{2026}");
        return;
    };
    ui.add(egui::Label::new(RichText::new(folder.path.display().to_string()).small()).truncate());
    if let Some(trouble) = &folder.trouble {
        toned(ui, look, Tone::Bad, trouble);
    }
    ui.horizontal_wrapped(|ui| {
        if let Some(above) = &folder.above
            && ui.button("\u{2191} Up").on_hover_text(above.display().to_string()).clicked()
        {
            actions.push(ImportAction::Open(above.clone()));
        }
        if folder.importable && ui.button("Choose this folder").clicked() {
            view.path = folder.path.display().to_string();
            actions.push(ImportAction::Check);
        }
    });
    let (height, count) = (look.theme.sizes().row, folder.entries.len());
    let area = ScrollArea::vertical().id_salt("entries").auto_shrink([false, false]);
    area.show_rows(ui, height, count, |ui, range| {
        for entry in &folder.entries[range] {
            let sign = if entry.folder { "\u{25B8}" } else { "\u{2022}" };
            let chosen = Path::new(&view.path) == entry.path;
            let response = ui.selectable_label(chosen, format!("{sign} {}", visual(&entry.name)));
            let response = crate::widgets::named(response, true, &entry.name);
            if response.clicked() {
                if entry.folder {
                    actions.push(ImportAction::Open(entry.path.clone()));
                } else {
                    view.path = entry.path.display().to_string();
                    actions.push(ImportAction::Check);
                }
            }
        }
    });
    more(ui, look, folder.more);
}

fn working_ui(ui: &mut Ui, look: &Look, words: &str) {
    ui.horizontal(|ui| {
        ui.spinner();
        weak(ui, look, words);
    });
}

fn steps_ui(ui: &mut Ui, look: &Look, now: ImportStage) {
    for stage in [ImportStage::Reading, ImportStage::Waiting, ImportStage::Comparing, ImportStage::Writing] {
        let (sign, tone) = match stage.cmp(&now) {
            std::cmp::Ordering::Less => ("\u{2714}", Tone::Good),
            std::cmp::Ordering::Equal => ("\u{25B8}", Tone::Accent),
            std::cmp::Ordering::Greater => ("\u{25CB}", Tone::Weak),
        };
        toned(ui, look, tone, &format!("{sign} {}", stage_in_words(stage)));
    }
}

fn report_ui(ui: &mut Ui, look: &Look, report: &ReportModel, actions: &mut Vec<ImportAction>) {
    ui.horizontal(|ui| {
        label(ui, RichText::new(&report.source).heading());
        if ui.small_button("Copy report").clicked() {
            actions.push(ImportAction::Copy(report.text()));
        }
    });
    if !report.anything {
        weak(ui, look, "Nothing would change: the campaign already has everything in the files.");
    }
    for count in &report.counts {
        label(ui, count);
    }
    for list in &report.lists {
        let tone = if list.warns { Tone::Warn } else { Tone::Weak };
        // Long lists are collapsed at first.
        let title = RichText::new(format!("{} ({})", list.title, list.rows.len())).color(look.theme.tone(tone));
        let header = egui::CollapsingHeader::new(title).id_salt(&list.title);
        header.default_open(list.warns && list.rows.len() <= 12).show(ui, |ui| {
            rows_ui(ui, look, &list.rows, |ui, row| problem_ui(ui, look, tone, row));
        });
    }
    if !report.audience.is_empty() {
        section(ui, look, "Number of facts by audience", None);
        ui.horizontal_wrapped(|ui| {
            for (whom, count) in &report.audience {
                badge(ui, look, Tone::Weak, &format!("{whom}: {count}"));
            }
        });
    }
    if !report.know_nothing.is_empty() && !look.screen_safe {
        section(ui, look, "Characters that would know nothing but their own names", Some(report.know_nothing.len()));
        rows_ui(ui, look, &report.know_nothing, |ui, name| _ = weak(ui, look, name));
    }
}

/// Draws a limited number of rows of a report.
fn rows_ui<T>(ui: &mut Ui, look: &Look, rows: &[T], mut row: impl FnMut(&mut Ui, &T)) {
    const MOST: usize = 100;
    rows.iter().take(MOST).for_each(|one| row(ui, one));
    more(ui, look, rows.len().saturating_sub(MOST));
}

fn problem_ui(ui: &mut Ui, look: &Look, tone: Tone, problem: &ProblemModel) {
    ui.horizontal_wrapped(|ui| {
        if !problem.at.is_empty() {
            ui.label(RichText::new(&problem.at).monospace().color(look.theme.tone(tone)));
        }
        if look.screen_safe {
            hidden(ui, look);
            return;
        }
        if !problem.field.is_empty() {
            weak(ui, look, &problem.field);
        }
        label(ui, &problem.what);
        if !problem.hint.is_empty() {
            weak(ui, look, &problem.hint);
        }
    });
}
