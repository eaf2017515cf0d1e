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

pub use model::{EntryModel, FolderModel, ImportModel, ListModel, ProblemModel, ReportModel, stage_in_words};
pub use ui::{ImportAction, ImportView, import_ui};

use crate::{
    commands::PanelKind,
    panel::{DeskCommand, Look, Outcome, Panel, PanelContext, Request, Saved, restored, saved},
    panel_context::taken,
};

/// The import panel.
#[derive(Debug, Default)]
pub struct ImportPanel {
    folder: Option<FolderModel>,
    reading: Option<Ticket<FolderModel>>,
    /// The folder to read in the next frame.
    open: Option<PathBuf>,
    model: ImportModel,
    /// The dry run or import to start in the next frame.
    begin: Option<Begin>,
    checking: Option<Ticket<ImportOutcome>>,
    importing: Option<(Ticket<ImportOutcome>, ImportProgress)>,
    /// Position of the import that is being undone.
    undoing: Option<Position>,
    /// The last write that has not been reported to the desk yet.
    written: Option<Written>,
    /// View state of the panel.
    pub view: ImportView,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begin {
    Check,
    Import,
}

impl ImportPanel {
    fn begin(&mut self, memory: &Memory) {
        let path = PathBuf::from(self.view.path.trim());
        match self.begin.take() {
            None => {}
            Some(Begin::Check) => match memory.import_dry_run(path) {
                Ok(ticket) => (self.checking, self.model) = (Some(ticket), ImportModel::Checking),
                Err(error) => self.fail(&error),
            },
            Some(Begin::Import) => {
                let progress = ImportProgress::default();
                match memory.import_watched(path, &progress) {
                    Ok(ticket) => {
                        self.model = ImportModel::Importing(progress.stage());
                        self.importing = Some((ticket, progress));
                    }
                    Err(error) => self.fail(&error),
                }
            }
        }
    }

    fn fail(&mut self, error: &MemoryError) {
        let (problems, left_out) = ProblemModel::of(error);
        self.model = ImportModel::Wrong(problems, left_out);
    }

    fn take(&mut self) {
        match taken(&mut self.checking) {
            None => {}
            Some(Ok(outcome)) => self.model = ImportModel::Checked(ReportModel::of(&outcome.report)),
            Some(Err(error)) => self.fail(&error),
        }
        let Some((ticket, progress)) = &self.importing else { return };
        let done = ticket.try_take();
        self.model = match done {
            None => ImportModel::Importing(progress.stage()),
            Some(Ok(outcome)) => {
                let position = outcome.written.as_ref().map(|written| written.position);
                self.written = outcome.written;
                self.importing = None;
                ImportModel::Imported(ReportModel::of(&outcome.report), position)
            }
            Some(Err(MemoryError::Cancelled)) => {
                self.importing = None;
                ImportModel::Cancelled
            }
            Some(Err(error)) => {
                self.importing = None;
                let (problems, left_out) = ProblemModel::of(&error);
                ImportModel::Wrong(problems, left_out)
            }
        };
    }
}

impl Panel for ImportPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Import.name().into()
    }

    fn update(&mut self, memory: &Memory, _news: &PanelContext) {
        self.begin(memory);
        self.take();
        if let Some(Ok(folder)) = taken(&mut self.reading) {
            self.folder = Some(folder);
        }
        let first = (self.folder.is_none() && self.reading.is_none()).then(|| PathBuf::from(self.view.path.trim()));
        if let Some(path) = self.open.take().or(first) {
            self.reading = memory.read_in_background(move |_| Ok(FolderModel::load(&path))).ok();
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request> {
        let mut requests: Vec<Request> = self.written.take().map(Request::Wrote).into_iter().collect();
        for action in import_ui(ui, look, self.folder.as_ref(), &self.model, &mut self.view) {
            match action {
                ImportAction::Open(path) => self.open = Some(path),
                ImportAction::Check => self.begin = Some(Begin::Check),
                ImportAction::Import => self.begin = Some(Begin::Import),
                // The cancellation may come too late. The ticket's answer tells whether it succeeded.
                ImportAction::Cancel => self.importing.iter().for_each(|(ticket, _)| ticket.cancel()),
                ImportAction::Undo(position) => {
                    self.undoing = Some(position);
                    requests.push(Request::Do(DeskCommand::Undo(UndoTarget::At(position))));
                }
                ImportAction::Copy(text) => requests.push(Request::Copy(text)),
            }
        }
        requests
    }

    fn heard(&mut self, outcome: &Outcome) {
        let DeskCommand::Undo(UndoTarget::At(position)) = &outcome.desk_command else { return };
        if self.undoing == Some(*position) {
            self.undoing = None;
            self.model = match &outcome.done {
                Ok(done) => ImportModel::Undone(done.summary.clone()),
                Err(why) => {
                    let what = why.clone();
                    ImportModel::Wrong(vec![ProblemModel { what, ..ProblemModel::default() }], 0)
                }
            };
        }
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.view)
    }

    fn restore(&mut self, saved: Saved) {
        self.view = restored(saved).unwrap_or_default();
    }
}
