//! The session panel: start, attendance, log, end with report, and recap.

mod load;
mod model;
mod report;
#[cfg(test)]
mod tests;
mod ui;
mod view;

use std::{borrow::Cow, path::PathBuf, time::SystemTime};

use hearsay_commands::session::keep_recap;
use hearsay_engine::{Memory, MemoryError, Ticket};
use hearsay_model::{SessionId, Timestamp};

pub use model::{
    ChangedModel, FirstModel, LearnedModel, LearnerModel, LineModel, Next, OpenModel, Part, PartModel, PartRequest,
    Playing, RecapModel, ReportModel, SessionLine, SessionModel,
};
pub use ui::session_ui;
pub use view::{SessionAction, SessionView};

use crate::{
    async_model::{AsyncModel, arrived},
    commands::PanelKind,
    panel::{DeskCommand, Look, Note, Outcome, Panel, PanelContext, Request, Saved, restored, saved},
    widgets::empty_state,
};

/// The session panel.
#[derive(Debug, Default)]
pub struct SessionPanel {
    read: AsyncModel<(), SessionModel>,
    part: AsyncModel<PartRequest, PartModel>,
    /// Path and text of the file to write in the next frame.
    file: Option<(PathBuf, String)>,
    writing: Option<Ticket<PathBuf>>,
    /// The key and the text of the recap that is being saved.
    keeping: Option<(String, String)>,
    notes: Vec<Note>,
    /// View state of the panel.
    pub view: SessionView,
}

impl SessionPanel {
    /// Returns the request for the selected session.
    fn request(&self) -> Option<PartRequest> {
        let session: SessionId = ui::chosen(self.read.model()?, &self.view)?.id.clone();
        let recap = self.view.part == Part::Recap;
        // Only the recap depends on these values. For the other parts, use constants, so that a change of the values
        // does not reload them.
        let (players, words) = if recap { (self.view.players, self.view.words) } else { (false, 0) };
        Some(PartRequest { session, part: self.view.part, players, words })
    }

    fn write(&mut self, memory: &Memory) {
        if let Some((path, text)) = self.file.take() {
            let write = move |_: &_| match std::fs::write(&path, &text) {
                Ok(()) => Ok(path),
                Err(source) => Err(MemoryError::File { path, source }),
            };
            self.writing = memory.read_in_background(write).ok();
        }
        match arrived(&mut self.writing) {
            None => {}
            Some(Ok(path)) => self.notes.push(Note::new(format!("Recap written to {}.", path.display()))),
            Some(Err(why)) => self.notes.push(Note::trouble(why)),
        }
    }
}

impl Panel for SessionPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Session.name().into()
    }

    fn update(&mut self, memory: &Memory, context: &PanelContext) {
        self.read.update(memory, context.version, &(), SessionModel::load);
        if let Some(request) = self.request() {
            let of = request.clone();
            self.part.update(memory, context.version, &request, move |world| PartModel::load(world, &of));
        }
        self.write(memory);
    }

    fn ui(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request> {
        let Some(model) = self.read.model() else {
            empty_state(ui, look, "Reading the sessions\u{2026}", self.read.trouble().unwrap_or_default(), None);
            return Vec::new();
        };
        let part = self.request().and_then(|request| self.part.of(&request));
        let actions = session_ui(ui, look, model, part, &mut self.view);
        let mut requests: Vec<Request> = self.notes.drain(..).map(Request::Tell).collect();
        for action in actions {
            match action {
                SessionAction::Step(step) => requests.push(Request::Do(DeskCommand::Session(step))),
                SessionAction::Keep(recap) => {
                    let key = SessionView::draft_key(&recap.session, recap.players);
                    self.keeping = Some((key, recap.text.clone()));
                    let make = move |world: &hearsay_engine::ReadSnapshot| Ok(keep_recap(&world.state, &recap, now())?);
                    requests.push(Request::Do(DeskCommand::make(KEEP, make)));
                }
                SessionAction::Copy(text) => {
                    requests.push(Request::Copy(text));
                    requests.push(Request::Tell(Note::new("The recap is on the clipboard.")));
                }
                SessionAction::Write(path, text) => self.file = Some((PathBuf::from(path), text)),
                SessionAction::Show(id) => requests.push(Request::Show(id)),
                SessionAction::ShowFact(id) => requests.push(Request::ShowFact(id)),
            }
        }
        requests
    }

    fn show(&mut self, request: &Request) -> bool {
        let Request::Session(id) = request else { return false };
        self.view.at = Some(id.clone());
        true
    }

    fn heard(&mut self, outcome: &Outcome) {
        let DeskCommand::Make { what, .. } = &outcome.desk_command else { return };
        if what == KEEP
            && let Some((key, text)) = self.keeping.take()
            && outcome.done.is_ok()
            && self.view.drafts.get(&key) == Some(&text)
        {
            self.view.drafts.remove(&key);
        }
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.view)
    }

    fn restore(&mut self, saved: Saved) {
        self.view = restored(saved).unwrap_or_default();
    }
}

/// Description of the command that saves a recap. The panel recognizes the outcome of the command by this text.
const KEEP: &str = "keep the recap";

/// Returns the current real time.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
