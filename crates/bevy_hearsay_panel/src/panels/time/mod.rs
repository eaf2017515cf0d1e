//! The panel "Let time pass": a preview of the facts that characters tell each other while time passes.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use hearsay_commands::gossip::GossipPlan;
use hearsay_engine::{Memory, Ticket};
use hearsay_model::Position;
use hearsay_query::journal::UndoTarget;

pub use model::{NewsModel, SpreadModel, TimeModel, TimeRequest};
pub use ui::{TimeAction, TimeState, TimeView, time_ui};

use crate::{
    async_model::arrived,
    commands::PanelKind,
    panel::{DeskCommand, Look, Outcome, Panel, PanelContext, Request, Saved, restored, saved},
};

type Worked = (TimeModel, Option<GossipPlan>);

/// The time panel.
#[derive(Debug, Default)]
pub struct TimePanel {
    /// The request to compute in the next frame.
    wanted: Option<TimeRequest>,
    ticket: Option<(Ticket<Worked>, Position)>,
    ready: Option<(Worked, Position)>,
    trouble: Option<String>,
    /// The last applied preview: its position in the journal and its summary.
    passed: Option<(Position, String)>,
    clock: Option<String>,
    /// View state of the panel.
    pub view: TimeView,
}

impl TimePanel {
    fn forget(&mut self) {
        (self.wanted, self.ticket, self.ready, self.trouble, self.passed) = Default::default();
    }
}

impl Panel for TimePanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Time.name().into()
    }

    fn update(&mut self, memory: &Memory, context: &PanelContext) {
        self.clock.clone_from(&context.clock);
        // After any write, compute the preview again, because the write may change the result.
        if self.ready.as_ref().is_some_and(|(_, at)| *at != context.version.position) && self.wanted.is_none() {
            self.wanted = Some(self.view.request.clone());
        }
        if let Some(request) = self.wanted.take() {
            self.trouble = None;
            match memory.read_in_background(move |world| TimeModel::load(world, &request)) {
                Ok(ticket) => (self.ticket, self.ready) = (Some((ticket, context.version.position)), None),
                Err(error) => self.trouble = Some(error.to_string()),
            }
        }
        let (ticket, at) = match self.ticket.take() {
            Some((ticket, at)) => (Some(ticket), at),
            None => return,
        };
        let mut ticket = ticket;
        match arrived(&mut ticket) {
            None => self.ticket = ticket.map(|ticket| (ticket, at)),
            Some(Ok(worked)) => self.ready = Some((worked, at)),
            Some(Err(why)) => self.trouble = Some(why),
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request> {
        let state = match (&self.trouble, &self.ready) {
            (Some(why), _) => TimeState::Trouble(why),
            (None, Some(((model, _), _))) => TimeState::Ready(model),
            (None, None) if self.ticket.is_some() || self.wanted.is_some() => TimeState::Working,
            (None, None) => self.passed.as_ref().map_or(TimeState::Idle, |(_, what)| TimeState::Passed(what)),
        };
        let actions = time_ui(ui, look, self.clock.as_deref(), state, &mut self.view);
        let mut requests = Vec::new();
        for action in actions {
            match action {
                TimeAction::WorkOut => (self.wanted, self.passed) = (Some(self.view.request.clone()), None),
                TimeAction::Discard => self.forget(),
                TimeAction::Undo => {
                    let passed = self.passed.take().map(|(position, _)| UndoTarget::At(position));
                    requests.extend(passed.map(|target| Request::Do(DeskCommand::Undo(target))));
                }
                TimeAction::Apply => {
                    if let Some(((model, plan), _)) = self.ready.take() {
                        requests.push(Request::Do(match plan {
                            Some(plan) => DeskCommand::Gossip(Box::new(plan)),
                            None => DeskCommand::SetClock(model.end),
                        }));
                    }
                    self.forget();
                }
                TimeAction::Show(id) => requests.push(Request::Show(id)),
                TimeAction::ShowFact(id) => requests.push(Request::ShowFact(id)),
            }
        }
        requests
    }

    fn heard(&mut self, outcome: &Outcome) {
        match (&outcome.desk_command, &outcome.done) {
            (DeskCommand::Gossip(_) | DeskCommand::SetClock(_), Ok(done)) => {
                self.passed = done.position.map(|position| (position, done.summary.clone()));
            }
            (DeskCommand::Gossip(_), Err(why)) => self.trouble = Some(format!("{why} Make a new preview.")),
            _ => {}
        }
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.view)
    }

    fn restore(&mut self, saved: Saved) {
        self.view = restored(saved).unwrap_or_default();
    }
}
