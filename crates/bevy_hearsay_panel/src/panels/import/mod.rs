//! The import panel: select files, preview the changes, import the files, and undo the import.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::{borrow::Cow, path::PathBuf};

use hearsay_engine::{ImportOutcome, ImportProgress, Memory, MemoryError, Ticket, Written};
use hearsay_model::Position;
use hearsay_query::journal::UndoTarget;

pub use model::{EntryModel, FolderModel, ImportModel, ListModel, ProblemModel, ReportModel, stage_name};
pub use ui::{ImportAction, ImportView, import_ui};

use crate::{
    commands::PanelKind,
    panel::{CommandOutcome, DeskCommand, DisplayContext, Panel, Request, SavedState, restore_state, save_state},
    panel_context::{PanelContext, poll_ticket},
    panel_source::PanelSource,
};

/// The import panel, in which the user imports campaign files.
#[derive(Debug, Default)]
pub struct ImportPanel {
    folder: Option<FolderModel>,
    pending_folder: Option<Ticket<FolderModel>>,
    /// The folder to read in the next frame.
    folder_to_open: Option<PathBuf>,
    model: ImportModel,
    /// The dry run or import to start in the next frame.
    start_request: Option<StartRequest>,
    pending_preview: Option<Ticket<ImportOutcome>>,
    pending_import: Option<(Ticket<ImportOutcome>, ImportProgress)>,
    /// Position of the import that is being undone.
    pending_undo: Option<Position>,
    /// The last write that has not been reported to the DM console yet.
    written: Option<Written>,
    /// UI state of the panel: the typed path.
    pub view: ImportView,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartRequest {
    Preview,
    Import,
}

impl ImportPanel {
    fn start_requested(&mut self, memory: &Memory) {
        let path = PathBuf::from(self.view.path.trim());
        match self.start_request.take() {
            None => {}
            Some(StartRequest::Preview) => match memory.import_dry_run(path) {
                Ok(ticket) => (self.pending_preview, self.model) = (Some(ticket), ImportModel::Checking),
                Err(error) => self.show_error(&error),
            },
            Some(StartRequest::Import) => {
                let progress = ImportProgress::default();
                match memory.import_watched(path, &progress) {
                    Ok(ticket) => {
                        self.model = ImportModel::Importing(progress.stage());
                        self.pending_import = Some((ticket, progress));
                    }
                    Err(error) => self.show_error(&error),
                }
            }
        }
    }

    fn show_error(&mut self, error: &MemoryError) {
        let (problems, omitted_count) = ProblemModel::from_error(error);
        self.model = ImportModel::Invalid(problems, omitted_count);
    }

    fn poll_tickets(&mut self) {
        match poll_ticket(&mut self.pending_preview) {
            None => {}
            Some(Ok(outcome)) => self.model = ImportModel::Checked(ReportModel::from_report(&outcome.report)),
            Some(Err(error)) => self.show_error(&error),
        }
        let Some((ticket, progress)) = &self.pending_import else { return };
        let result = ticket.try_take();
        self.model = match result {
            None => ImportModel::Importing(progress.stage()),
            Some(Ok(outcome)) => {
                let position = outcome.written.as_ref().map(|written| written.position);
                self.written = outcome.written;
                self.pending_import = None;
                ImportModel::Imported(ReportModel::from_report(&outcome.report), position)
            }
            Some(Err(MemoryError::Cancelled)) => {
                self.pending_import = None;
                ImportModel::Cancelled
            }
            Some(Err(error)) => {
                self.pending_import = None;
                let (problems, omitted_count) = ProblemModel::from_error(&error);
                ImportModel::Invalid(problems, omitted_count)
            }
        };
    }
}

impl Panel for ImportPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Import.name().into()
    }

    fn update(&mut self, source: PanelSource, _context: &PanelContext) {
        let Some(memory) = source.memory() else { return };
        self.start_requested(memory);
        self.poll_tickets();
        if let Some(Ok(folder)) = poll_ticket(&mut self.pending_folder) {
            self.folder = Some(folder);
        }
        let initial_folder =
            (self.folder.is_none() && self.pending_folder.is_none()).then(|| PathBuf::from(self.view.path.trim()));
        if let Some(path) = self.folder_to_open.take().or(initial_folder) {
            self.pending_folder = memory.read_in_background(move |_| Ok(FolderModel::load(&path))).ok();
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, display: &DisplayContext) -> Vec<Request> {
        let mut requests: Vec<Request> = self.written.take().map(Request::RegisterWrite).into_iter().collect();
        for action in import_ui(ui, display, self.folder.as_ref(), &self.model, &mut self.view) {
            match action {
                ImportAction::Open(path) => self.folder_to_open = Some(path),
                ImportAction::Preview => self.start_request = Some(StartRequest::Preview),
                ImportAction::Import => self.start_request = Some(StartRequest::Import),
                // The cancellation may come too late. The ticket's answer tells whether it succeeded.
                ImportAction::Cancel => self.pending_import.iter().for_each(|(ticket, _)| ticket.cancel()),
                ImportAction::Undo(position) => {
                    self.pending_undo = Some(position);
                    requests.push(Request::Execute(DeskCommand::Undo(UndoTarget::At(position))));
                }
                ImportAction::Copy(text) => requests.push(Request::Copy(text)),
            }
        }
        requests
    }

    fn on_outcome(&mut self, outcome: &CommandOutcome) {
        let DeskCommand::Undo(UndoTarget::At(position)) = &outcome.desk_command else { return };
        if self.pending_undo == Some(*position) {
            self.pending_undo = None;
            self.model = match &outcome.result {
                Ok(report) => ImportModel::Undone(report.summary.clone()),
                Err(error) => {
                    let message = error.clone();
                    ImportModel::Invalid(vec![ProblemModel { message, ..ProblemModel::default() }], 0)
                }
            };
        }
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.view)
    }

    fn restore(&mut self, saved: SavedState) {
        self.view = restore_state(saved).unwrap_or_default();
    }
}
