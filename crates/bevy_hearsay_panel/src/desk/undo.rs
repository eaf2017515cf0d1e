//! Undo: names what it takes back, and asks first where others rest on it.

use egui::{Modal, RichText, Ui};
use hearsay_memory::{Memory, MemoryError, Ticket, UndoTarget};
use hearsay_model::{Author, Position, State};
use serde::{Deserialize, Serialize};

use crate::{
    deeds::Deeds,
    news::taken,
    panel::{Deed, Look, Note, Outcome, Request},
    panels::status::StatusBar,
    text::counted,
    widgets::{more, toned, weak},
};

/// How many dependents are listed.
const MOST: usize = 12;

/// How many deeds of the desk are remembered that stand in the journal under another author.
const MOST_OWN: usize = 500;

/// Something that was done here and that the journal does not call the DM's: an import, the clock, days that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Own {
    position: Position,
    /// What it did: another memory has something else there.
    summary: String,
}

impl Own {
    fn is_there(&self, state: &State) -> bool {
        state.entry(self.position).is_some_and(|entry| entry.live && entry.operation.summary == self.summary)
    }
}

/// What is to be undone.
#[derive(Debug, Clone, PartialEq)]
struct Plan {
    position: Position,
    summary: String,
    /// Later operations that rest on it: what they did, the newest first.
    dependents: Vec<String>,
    dependent_count: usize,
}

/// Undo and redo.
#[derive(Debug, Default)]
pub(super) struct Undo {
    asked: bool,
    planning: Option<Ticket<Plan>>,
    plan: Option<Plan>,
    /// The undos of this sitting, the newest last: voiding one brings back what it took.
    undone: Vec<Position>,
    /// What was done here under another name than the DM's, the newest last.
    own: Vec<Own>,
}

impl Undo {
    /// What is to be kept of it when the desk closes.
    pub(super) fn own(&self) -> &[Own] {
        &self.own
    }

    /// Takes back what was kept.
    pub(super) fn restore(&mut self, own: Vec<Own>) {
        self.own = own;
    }

    pub(super) fn ask(&mut self) {
        self.asked = true;
    }

    /// What brings back what was undone last.
    pub(super) fn redo(&mut self) -> Option<Deed> {
        self.undone.pop().map(|position| Deed::Undo(UndoTarget::At(position)))
    }

    pub(super) fn is_busy(&self) -> bool {
        self.asked || self.planning.is_some()
    }

    /// Whether it waits for an answer.
    pub(super) fn asks(&self) -> bool {
        self.plan.is_some()
    }

    pub(super) fn update(&mut self, memory: &Memory, deeds: &mut Deeds, status: &mut StatusBar) {
        // What is being done now is to be undone, not what was before it.
        if self.asked && deeds.count() == 0 && self.planning.is_none() && self.plan.is_none() {
            self.asked = false;
            let own = self.own.clone();
            self.planning = memory
                .read_aside(move |world| {
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
            Some(Ok(plan)) if plan.dependent_count == 0 => deeds.begin(Deed::Undo(UndoTarget::At(plan.position))),
            Some(Ok(plan)) => self.plan = Some(plan),
        }
    }

    /// Something was written here under another name than the DM's.
    pub(super) fn wrote(&mut self, position: Position, summary: String) {
        self.undone.clear();
        self.own.push(Own { position, summary });
        self.own.drain(..self.own.len().saturating_sub(MOST_OWN));
    }

    pub(super) fn hear(&mut self, outcome: &Outcome) {
        let Ok(done) = &outcome.done else { return };
        match (&outcome.deed, done.position) {
            (Deed::Gossip(_) | Deed::Import(_) | Deed::SetClock(_), Some(position)) => {
                self.wrote(position, done.summary.clone());
            }
            (Deed::Undo(UndoTarget::At(_)), Some(position)) if !done.summary.starts_with("redo ") => {
                self.undone.push(position)
            }
            // What is new leaves nothing to bring back.
            (Deed::Undo(_), _) | (_, None) => {}
            (_, Some(_)) => self.undone.clear(),
        }
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, look: &Look) -> Vec<Request> {
        let Some(plan) = &self.plan else { return Vec::new() };
        let (mut requests, mut close) = (Vec::new(), false);
        let response = Modal::new(egui::Id::new("hearsay undo")).show(ui.ctx(), |ui| {
            ui.set_max_width(520.0);
            ui.label(RichText::new("Undo with what rests on it?").heading());
            ui.label(RichText::new(&plan.summary).strong());
            weak(
                ui,
                look,
                &format!(
                    "{} rest on it, and would be undone with it:",
                    counted(plan.dependent_count, "later change", "later changes")
                ),
            );
            for dependent in &plan.dependents {
                toned(ui, look, crate::Tone::Warn, &format!("\u{2022} {dependent}"));
            }
            more(ui, look, plan.dependent_count - plan.dependents.len());
            ui.add_space(look.theme.spacing().normal);
            ui.horizontal(|ui| {
                if ui.button("Undo all of it").clicked() {
                    requests.push(Request::Do(Deed::Undo(UndoTarget::At(plan.position))));
                    close = true;
                }
                close |= ui.button("Keep it").clicked();
            });
        });
        if close || response.should_close() {
            self.plan = None;
        }
        requests
    }
}

/// The newest that counts of what the DM did: in the journal under that name, or here under another.
fn newest(state: &State, own: &[Own]) -> Result<Position, MemoryError> {
    let of_dm = UndoTarget::LastBy(Author::Dm).position(state);
    let here = own.iter().filter(|own| own.is_there(state)).map(|own| own.position).max();
    match (of_dm, here) {
        (Ok(of_dm), Some(here)) => Ok(of_dm.max(here)),
        (Err(_), Some(here)) => Ok(here),
        (of_dm, None) => of_dm,
    }
}
