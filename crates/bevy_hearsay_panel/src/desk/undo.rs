//! Undo and redo. If later operations depend on the operation to revert, undo asks first.

use egui::{Modal, RichText, Ui};
use hearsay_engine::{Memory, MemoryError, Ticket};
use hearsay_model::{Author, Position, State};
use hearsay_query::journal::UndoTarget;
use serde::{Deserialize, Serialize};

use crate::{
    desk_commands::Deeds,
    panel::{DeskCommand, Look, Note, Outcome, Request},
    panel_context::taken,
    panels::status::StatusBar,
    text::counted,
    widgets::{more, toned, weak},
};

/// Maximum number of dependent operations in the dialog.
const MOST: usize = 12;

/// Maximum number of operations in the field `own` of [`Undo`].
const MOST_OWN: usize = 500;

/// An operation of this desk whose author in the journal is not the DM: an import, a clock change, or gossip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Own {
    position: Position,
    /// Summary of the operation. It is compared with the journal, because in another campaign a different operation has
    /// this position.
    summary: String,
}

impl Own {
    fn is_there(&self, state: &State) -> bool {
        state.entry(self.position).is_some_and(|entry| entry.live && entry.operation.summary == self.summary)
    }
}

/// The operation that undo would revert.
#[derive(Debug, Clone, PartialEq)]
struct Plan {
    position: Position,
    summary: String,
    /// Summaries of later operations that depend on this operation, newest first.
    dependents: Vec<String>,
    dependent_count: usize,
}

/// Undo and redo.
#[derive(Debug, Default)]
pub(super) struct Undo {
    asked: bool,
    planning: Option<Ticket<Plan>>,
    plan: Option<Plan>,
    /// Positions of the undo operations since the program started, oldest first. Redo reverts the newest of them.
    undone: Vec<Position>,
    /// Operations of this desk whose author is not the DM, oldest first.
    own: Vec<Own>,
}

impl Undo {
    /// Returns the operations to save when the desk closes.
    pub(super) fn own(&self) -> &[Own] {
        &self.own
    }

    /// Restores saved operations.
    pub(super) fn restore(&mut self, own: Vec<Own>) {
        self.own = own;
    }

    pub(super) fn ask(&mut self) {
        self.asked = true;
    }

    /// Returns the command that reverts the newest undo.
    pub(super) fn redo(&mut self) -> Option<DeskCommand> {
        self.undone.pop().map(|position| DeskCommand::Undo(UndoTarget::At(position)))
    }

    pub(super) fn is_busy(&self) -> bool {
        self.asked || self.planning.is_some()
    }

    /// Returns whether the dialog is open.
    pub(super) fn asks(&self) -> bool {
        self.plan.is_some()
    }

    pub(super) fn update(&mut self, memory: &Memory, desk_commands: &mut Deeds, status: &mut StatusBar) {
        // Wait for pending commands first, because undo must revert the newest command.
        if self.asked && desk_commands.count() == 0 && self.planning.is_none() && self.plan.is_none() {
            self.asked = false;
            let own = self.own.clone();
            self.planning = memory
                .read_in_background(move |world| {
                    let position = newest(&world.state, &own)?;
                    let preview = world.state.undo_preview(position)?;
                    let summary = |at: Position| {
                        world.state.entry(at).map_or_else(String::new, |entry| entry.operation.summary.clone())
                    };
                    let dependents = preview.dependents.iter().rev().take(MOST).map(|at| summary(*at)).collect();
                    Ok(Plan {
                        position,
                        summary: summary(position),
                        dependents,
                        dependent_count: preview.dependents.len(),
                    })
                })
                .inspect_err(|error| status.tell(Note::trouble(error.to_string())))
                .ok();
        }
        match taken(&mut self.planning) {
            None => {}
            Some(Err(error)) => status.tell(Note::new(error.to_string())),
            Some(Ok(plan)) if plan.dependent_count == 0 => {
                desk_commands.begin(DeskCommand::Undo(UndoTarget::At(plan.position)))
            }
            Some(Ok(plan)) => self.plan = Some(plan),
        }
    }

    /// Registers an operation of this desk whose author is not the DM.
    pub(super) fn wrote(&mut self, position: Position, summary: String) {
        self.undone.clear();
        self.own.push(Own { position, summary });
        self.own.drain(..self.own.len().saturating_sub(MOST_OWN));
    }

    pub(super) fn hear(&mut self, outcome: &Outcome) {
        let Ok(done) = &outcome.done else { return };
        match (&outcome.desk_command, done.position) {
            (DeskCommand::Gossip(_) | DeskCommand::Import(_) | DeskCommand::SetClock(_), Some(position)) => {
                self.wrote(position, done.summary.clone());
            }
            (DeskCommand::Undo(UndoTarget::At(_)), Some(position)) if !done.summary.starts_with("redo ") => {
                self.undone.push(position)
            }
            // After a new operation, earlier undo operations can no longer be redone.
            (DeskCommand::Undo(_), _) | (_, None) => {}
            (_, Some(_)) => self.undone.clear(),
        }
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, look: &Look) -> Vec<Request> {
        let Some(plan) = &self.plan else { return Vec::new() };
        let (mut requests, mut close) = (Vec::new(), false);
        let response = Modal::new(egui::Id::new("hearsay undo")).show(ui.ctx(), |ui| {
            ui.set_max_width(520.0);
            ui.label(RichText::new("Undo the later changes too?").heading());
            ui.label(RichText::new(&plan.summary).strong());
            weak(
                ui,
                look,
                &format!(
                    "Undoing it also undoes {}:",
                    counted(plan.dependent_count, "dependent change", "dependent changes")
                ),
            );
            for dependent in &plan.dependents {
                toned(ui, look, crate::Tone::Warn, &format!("\u{2022} {dependent}"));
            }
            more(ui, look, plan.dependent_count - plan.dependents.len());
            ui.add_space(look.theme.spacing().normal);
            ui.horizontal(|ui| {
                if ui.button("Undo all").clicked() {
                    requests.push(Request::Do(DeskCommand::Undo(UndoTarget::At(plan.position))));
                    close = true;
                }
                close |= ui.button("Cancel").clicked();
            });
        });
        if close || response.should_close() {
            self.plan = None;
        }
        requests
    }
}

/// Returns the position of the newest live operation whose author is the DM or that is in `own`.
fn newest(state: &State, own: &[Own]) -> Result<Position, MemoryError> {
    let of_dm = UndoTarget::LastBy(Author::Dm).position(state);
    let here = own.iter().filter(|own| own.is_there(state)).map(|own| own.position).max();
    match (of_dm, here) {
        (Ok(of_dm), Some(here)) => Ok(of_dm.max(here)),
        (Err(_), Some(here)) => Ok(here),
        (of_dm, None) => Ok(of_dm?),
    }
}
