//! The panel "Let time pass": a preview of the facts that characters tell each other while time passes.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use hearsay_commands::gossip::GossipPlan;
use hearsay_engine::Ticket;
use hearsay_model::Position;
use hearsay_query::journal::UndoTarget;

pub use model::{SpreadModel, TellingModel, TimeModel, TimeRequest, UntoldModel};
pub use ui::{TimeAction, TimeList, TimeState, TimeView, time_ui};

use crate::{
    async_model::poll_ticket_with_message,
    commands::PanelKind,
    panel::{CommandOutcome, DeskCommand, DisplayContext, Panel, Request, SavedState, restore_state, save_state},
    panel_context::PanelContext,
    panel_source::PanelSource,
};

type PreviewResult = (TimeModel, Option<GossipPlan>);

/// The panel "Let time pass".
#[derive(Debug, Default)]
pub struct TimePanel {
    /// The request to compute in the next frame.
    requested: Option<TimeRequest>,
    pending_preview: Option<(Ticket<PreviewResult>, Position)>,
    preview: Option<(PreviewResult, Position)>,
    error: Option<String>,
    /// The last applied preview: its position in the journal and its summary.
    applied: Option<(Position, String)>,
    clock: Option<String>,
    /// UI state of the panel: the typed request, and the selected list.
    pub view: TimeView,
}

impl TimePanel {
    fn reset(&mut self) {
        (self.requested, self.pending_preview, self.preview, self.error, self.applied) = Default::default();
    }
}

impl Panel for TimePanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Time.name().into()
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        self.clock.clone_from(&context.clock);
        // After any write, compute the preview again, because the write may change the result.
        if self.preview.as_ref().is_some_and(|(_, at)| *at != context.version.position) && self.requested.is_none() {
            self.requested = Some(self.view.request.clone());
        }
        if let Some(request) = self.requested.take() {
            self.error = None;
            match source.read_in_background(move |world| TimeModel::load(world, &request)) {
                Ok(ticket) => (self.pending_preview, self.preview) = (Some((ticket, context.version.position)), None),
                Err(error) => self.error = Some(error.to_string()),
            }
        }
        let (ticket, at) = match self.pending_preview.take() {
            Some((ticket, at)) => (Some(ticket), at),
            None => return,
        };
        let mut ticket = ticket;
        match poll_ticket_with_message(&mut ticket) {
            None => self.pending_preview = ticket.map(|ticket| (ticket, at)),
            Some(Ok(result)) => self.preview = Some((result, at)),
            Some(Err(error)) => self.error = Some(error),
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, display: &DisplayContext) -> Vec<Request> {
        let state = match (&self.error, &self.preview) {
            (Some(error), _) => TimeState::Error(error),
            (None, Some(((model, _), _))) => TimeState::Ready(model),
            (None, None) if self.pending_preview.is_some() || self.requested.is_some() => TimeState::Pending,
            (None, None) => self.applied.as_ref().map_or(TimeState::Idle, |(_, summary)| TimeState::Applied(summary)),
        };
        let actions = time_ui(ui, display, self.clock.as_deref(), state, &mut self.view);
        let mut requests = Vec::new();
        for action in actions {
            match action {
                TimeAction::Preview => (self.requested, self.applied) = (Some(self.view.request.clone()), None),
                TimeAction::Discard => self.reset(),
                TimeAction::Undo => {
                    let target = self.applied.take().map(|(position, _)| UndoTarget::At(position));
                    requests.extend(target.map(|target| Request::Execute(DeskCommand::Undo(target))));
                }
                TimeAction::Apply => {
                    if let Some(((model, plan), _)) = self.preview.take() {
                        requests.push(Request::Execute(match plan {
                            Some(plan) => DeskCommand::Gossip(Box::new(plan)),
                            None => DeskCommand::SetClock(model.end),
                        }));
                    }
                    self.reset();
                }
                TimeAction::Show(id) => requests.push(Request::ShowEntity(id)),
                TimeAction::ShowFact(id) => requests.push(Request::ShowFact(id)),
            }
        }
        requests
    }

    fn on_outcome(&mut self, outcome: &CommandOutcome) {
        match (&outcome.desk_command, &outcome.result) {
            (DeskCommand::Gossip(_) | DeskCommand::SetClock(_), Ok(report)) => {
                self.applied = report.position.map(|position| (position, report.summary.clone()));
            }
            (DeskCommand::Gossip(_), Err(error)) => self.error = Some(format!("{error} Make a new preview.")),
            _ => {}
        }
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.view)
    }

    fn restore(&mut self, saved: SavedState) {
        self.view = restore_state(saved).unwrap_or_default();
    }
}
