//! The session panel. The DM starts and ends sessions, sets the attendance, and reads the log, the report and the
//! recap.

mod load;
mod model;
mod report;
#[cfg(test)]
mod tests;
mod ui;
mod view;

use std::{borrow::Cow, path::PathBuf, time::SystemTime};

use hearsay_commands::session::save_recap;
use hearsay_engine::{MemoryError, Ticket};
use hearsay_model::{RecapReader, SessionId, Timestamp};

pub use model::{
    ChangedModel, CurrentSession, LearnedModel, LearnerModel, LogLineModel, NextSessionDefaults, OpenThreadModel,
    RecapModel, ReportModel, ReviewFirstModel, SessionLine, SessionModel, SessionPart, SessionPartModel,
    SessionPartRequest,
};
pub use ui::session_ui;
pub use view::{SessionAction, SessionView};

use crate::{
    async_model::{AsyncModel, poll_ticket_with_message},
    commands::PanelKind,
    panel::{
        CommandOutcome, DeskCommand, DisplayContext, Panel, Request, SavedState, StatusMessage, restore_state,
        save_state,
    },
    panel_context::PanelContext,
    panel_source::PanelSource,
    widgets::empty_state,
};

/// The session panel.
#[derive(Debug, Default)]
pub struct SessionPanel {
    sessions: AsyncModel<(), SessionModel>,
    part: AsyncModel<SessionPartRequest, SessionPartModel>,
    /// Path and text of the file to write in the next frame.
    file_to_write: Option<(PathBuf, String)>,
    pending_file: Option<Ticket<PathBuf>>,
    /// The key and the text of the recap that is being saved.
    pending_recap: Option<(String, String)>,
    messages: Vec<StatusMessage>,
    /// UI state of the panel: selection and typed texts.
    pub view: SessionView,
}

impl SessionPanel {
    /// Returns the request for the selected session.
    fn request(&self) -> Option<SessionPartRequest> {
        let session: SessionId = ui::selected_session(self.sessions.model()?, &self.view)?.id.clone();
        let recap = self.view.part == SessionPart::Recap;
        // Only the recap depends on these values. For the other parts, use constants, so that a change of the values
        // does not reload them.
        let (reader, words) = if recap { (self.view.reader, self.view.words) } else { (RecapReader::Dm, 0) };
        Some(SessionPartRequest { session, part: self.view.part, reader, words })
    }

    fn write_file(&mut self, source: PanelSource) {
        if let Some((path, text)) = self.file_to_write.take() {
            let write = move |_: &_| match std::fs::write(&path, &text) {
                Ok(()) => Ok(path),
                Err(source) => Err(MemoryError::File { path, source }),
            };
            self.pending_file = source.read_in_background(write).ok();
        }
        match poll_ticket_with_message(&mut self.pending_file) {
            None => {}
            Some(Ok(path)) => self.messages.push(StatusMessage::new(format!("Recap written to {}.", path.display()))),
            Some(Err(error)) => self.messages.push(StatusMessage::error(error)),
        }
    }
}

impl Panel for SessionPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Session.name().into()
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        self.sessions.update(source, context.version, &(), SessionModel::load);
        if let Some(request) = self.request() {
            let part_request = request.clone();
            self.part
                .update(source, context.version, &request, move |world| SessionPartModel::load(world, &part_request));
        }
        self.write_file(source);
    }

    fn ui(&mut self, ui: &mut egui::Ui, display: &DisplayContext) -> Vec<Request> {
        let Some(model) = self.sessions.model() else {
            empty_state(ui, display, "Reading the sessions\u{2026}", self.sessions.error().unwrap_or_default(), None);
            return Vec::new();
        };
        let part = self.request().and_then(|request| self.part.model_for(&request));
        let actions = session_ui(ui, display, model, part, &mut self.view);
        let mut requests: Vec<Request> = self.messages.drain(..).map(Request::ShowMessage).collect();
        for action in actions {
            match action {
                SessionAction::Step(step) => requests.push(Request::Execute(DeskCommand::Session(step))),
                SessionAction::SaveRecap(recap) => {
                    let key = SessionView::draft_key(&recap.session, recap.reader);
                    self.pending_recap = Some((key, recap.text.clone()));
                    let make_operation =
                        move |world: &hearsay_engine::ReadSnapshot| Ok(save_recap(&world.state, &recap, now())?);
                    requests.push(Request::Execute(DeskCommand::custom(SAVE_RECAP_DESCRIPTION, make_operation)));
                }
                SessionAction::ShowError(text) => requests.push(Request::ShowMessage(StatusMessage::error(text))),
                SessionAction::Copy(text) => {
                    requests.push(Request::Copy(text));
                    requests.push(Request::ShowMessage(StatusMessage::new("The recap is on the clipboard.")));
                }
                SessionAction::WriteFile(path, text) => self.file_to_write = Some((PathBuf::from(path), text)),
                SessionAction::Show(id) => requests.push(Request::ShowEntity(id)),
                SessionAction::ShowFact(id) => requests.push(Request::ShowFact(id)),
            }
        }
        requests
    }

    fn handle_request(&mut self, request: &Request) -> bool {
        let Request::Session(id) = request else { return false };
        self.view.selected = Some(id.clone());
        true
    }

    fn on_outcome(&mut self, outcome: &CommandOutcome) {
        let DeskCommand::Custom { description, .. } = &outcome.desk_command else { return };
        if description == SAVE_RECAP_DESCRIPTION
            && let Some((key, text)) = self.pending_recap.take()
            && outcome.result.is_ok()
            && self.view.drafts.get(&key) == Some(&text)
        {
            self.view.drafts.remove(&key);
        }
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.view)
    }

    fn restore(&mut self, saved: SavedState) {
        self.view = restore_state(saved).unwrap_or_default();
    }
}

/// Description of the command that saves a recap. The panel recognizes the outcome of the command by this text.
const SAVE_RECAP_DESCRIPTION: &str = "save the recap";

/// Returns the current real time.
fn now() -> Timestamp {
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
}
