//! Undo and redo. If later operations depend on the operation to revert, undo asks first.

use egui::{Modal, RichText, Ui};
use hearsay_engine::{Memory, MemoryError, Ticket};
use hearsay_model::{Author, Position, State};
use hearsay_query::journal::UndoTarget;
use serde::{Deserialize, Serialize};

use crate::{
    desk_commands::DeskCommandQueue,
    panel::{CommandOutcome, DeskCommand, DisplayContext, Request, StatusMessage},
    panel_context::poll_ticket,
    panels::status::StatusBar,
    text::format_count,
    widgets::{omitted_label, toned_label, weak_label},
};

/// Maximum number of dependent operations in the dialog.
const MAX_LISTED_DEPENDENTS: usize = 12;

/// Maximum number of operations in the field `own_operations` of [`Undo`].
const MAX_OWN_OPERATIONS: usize = 500;

/// An operation of this DM console whose author in the journal is not the DM: an import, a clock change, or gossip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OwnOperation {
    position: Position,
    /// Summary of the operation. In another campaign, a different operation has this position, so the summary is
    /// compared with the journal.
    summary: String,
}

impl OwnOperation {
    fn is_live(&self, state: &State) -> bool {
        state.entry(self.position).is_some_and(|entry| entry.live && entry.operation.summary == self.summary)
    }
}

/// The operation that undo would revert.
#[derive(Debug, Clone, PartialEq)]
struct UndoPlan {
    position: Position,
    summary: String,
    /// Summaries of later operations that depend on this operation, newest first.
    dependents: Vec<String>,
    dependent_count: usize,
}

/// Undo and redo.
#[derive(Debug, Default)]
pub(super) struct Undo {
    requested: bool,
    pending_plan: Option<Ticket<UndoPlan>>,
    plan: Option<UndoPlan>,
    /// Positions of the undo operations since the program started, oldest first. Redo reverts the newest of these undo
    /// operations.
    undone: Vec<Position>,
    /// Operations of this DM console whose author is not the DM, oldest first.
    own_operations: Vec<OwnOperation>,
}

impl Undo {
    /// Returns the operations to save when the DM console closes.
    pub(super) fn own_operations(&self) -> &[OwnOperation] {
        &self.own_operations
    }

    /// Restores saved operations.
    pub(super) fn restore(&mut self, own_operations: Vec<OwnOperation>) {
        self.own_operations = own_operations;
    }

    /// Drops a requested undo that was not carried out yet.
    pub(super) fn cancel(&mut self) {
        (self.requested, self.pending_plan, self.plan) = (false, None, None);
    }

    pub(super) fn request(&mut self) {
        self.requested = true;
    }

    /// Returns the command that reverts the newest undo.
    pub(super) fn redo(&mut self) -> Option<DeskCommand> {
        self.undone.pop().map(|position| DeskCommand::Undo(UndoTarget::At(position)))
    }

    pub(super) fn is_busy(&self) -> bool {
        self.requested || self.pending_plan.is_some()
    }

    /// Returns whether the dialog is open.
    pub(super) fn is_dialog_open(&self) -> bool {
        self.plan.is_some()
    }

    pub(super) fn update(&mut self, memory: &Memory, desk_commands: &mut DeskCommandQueue, status: &mut StatusBar) {
        // Wait for pending commands first, because undo must revert the newest command.
        if self.requested && desk_commands.pending_count() == 0 && self.pending_plan.is_none() && self.plan.is_none() {
            self.requested = false;
            let own_operations = self.own_operations.clone();
            self.pending_plan = memory
                .read_in_background(move |world| {
                    let position = newest_undoable(&world.state, &own_operations)?;
                    let preview = world.state.undo_preview(position)?;
                    let summary = |at: Position| {
                        world.state.entry(at).map_or_else(String::new, |entry| entry.operation.summary.clone())
                    };
                    let dependents =
                        preview.dependents.iter().rev().take(MAX_LISTED_DEPENDENTS).map(|at| summary(*at)).collect();
                    Ok(UndoPlan {
                        position,
                        summary: summary(position),
                        dependents,
                        dependent_count: preview.dependents.len(),
                    })
                })
                .inspect_err(|error| status.show(StatusMessage::error(error.to_string())))
                .ok();
        }
        match poll_ticket(&mut self.pending_plan) {
            None => {}
            Some(Err(error)) => status.show(StatusMessage::new(error.to_string())),
            Some(Ok(plan)) if plan.dependent_count == 0 => {
                desk_commands.submit(DeskCommand::Undo(UndoTarget::At(plan.position)))
            }
            Some(Ok(plan)) => self.plan = Some(plan),
        }
    }

    /// Registers an operation of this DM console whose author is not the DM.
    pub(super) fn register_write(&mut self, position: Position, summary: String) {
        self.undone.clear();
        self.own_operations.push(OwnOperation { position, summary });
        self.own_operations.drain(..self.own_operations.len().saturating_sub(MAX_OWN_OPERATIONS));
    }

    pub(super) fn handle_outcome(&mut self, outcome: &CommandOutcome) {
        let Ok(report) = &outcome.result else { return };
        match (&outcome.desk_command, report.position) {
            (DeskCommand::Gossip(_) | DeskCommand::Import(_) | DeskCommand::SetClock(_), Some(position)) => {
                self.register_write(position, report.summary.clone());
            }
            (DeskCommand::Undo(UndoTarget::At(_)), Some(position)) if !report.summary.starts_with("redo ") => {
                self.undone.push(position)
            }
            // After a new operation, earlier undo operations can no longer be redone.
            (DeskCommand::Undo(_), _) | (_, None) => {}
            (_, Some(_)) => self.undone.clear(),
        }
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, display: &DisplayContext) -> Vec<Request> {
        let Some(plan) = &self.plan else { return Vec::new() };
        let (mut requests, mut should_close) = (Vec::new(), false);
        let response = Modal::new(egui::Id::new("hearsay undo")).show(ui.ctx(), |ui| {
            ui.set_max_width(520.0);
            ui.label(RichText::new("Undo the later changes too?").heading());
            ui.label(RichText::new(&plan.summary).strong());
            weak_label(
                ui,
                display,
                &format!(
                    "Undoing it also undoes {}:",
                    format_count(plan.dependent_count, "dependent change", "dependent changes")
                ),
            );
            for dependent in &plan.dependents {
                toned_label(ui, display, crate::Tone::Warn, &format!("\u{2022} {dependent}"));
            }
            omitted_label(ui, display, plan.dependent_count - plan.dependents.len());
            ui.add_space(display.theme.spacing().normal);
            ui.horizontal(|ui| {
                if ui.button("Undo all").clicked() {
                    requests.push(Request::Execute(DeskCommand::Undo(UndoTarget::At(plan.position))));
                    should_close = true;
                }
                should_close |= ui.button("Cancel").clicked();
            });
        });
        if should_close || response.should_close() {
            self.plan = None;
        }
        requests
    }
}

/// Returns the position of the newest live operation whose author is the DM or that is in `own_operations`.
fn newest_undoable(state: &State, own_operations: &[OwnOperation]) -> Result<Position, MemoryError> {
    let by_dm = UndoTarget::LastBy(Author::Dm).position(state);
    let newest_own =
        own_operations.iter().filter(|operation| operation.is_live(state)).map(|operation| operation.position).max();
    match (by_dm, newest_own) {
        (Ok(by_dm), Some(newest_own)) => Ok(by_dm.max(newest_own)),
        (Err(_), Some(newest_own)) => Ok(newest_own),
        (by_dm, None) => Ok(by_dm?),
    }
}
