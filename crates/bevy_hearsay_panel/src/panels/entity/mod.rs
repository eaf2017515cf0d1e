//! The entity panel: the page of an entity, with its meetings with the party, facts about the entity, its knowledge,
//! and its secrets.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

use std::borrow::Cow;

use egui::Ui;
use hearsay_engine::{Memory, Ticket};
use hearsay_model::{EntityId, FactId, StateVersion};
use serde::{Deserialize, Serialize};

pub(crate) use load::hold;
pub use model::{
    AliasLine, ConditionLine, EntityModel, EntityRequest, FactSection, KnowsLine, MOST, MetLine, PassageLine,
    SecretLine, TimeLine, UnsettledLine, WordsLine,
};
pub use ui::{Adding, EntityAction, EntityView, Tab, Ways, entity_ui};

use crate::{
    panel::{Look, Note, Panel, PanelContext, Request, Saved, restored, saved},
    panel_context::taken,
};

/// Maximum number of pages in the history of the panel.
const MOST_PAGES: usize = 100;

/// The panel of an entity's page.
#[derive(Debug, Default)]
pub struct EntityPanel {
    model: EntityModel,
    kept: Kept,
    /// Entity of the last page, and the version of the memory from which it was read.
    read: Option<(EntityId, StateVersion)>,
    reading: Option<(EntityId, StateVersion, Ticket<EntityModel>)>,
    /// The pending lookup of a requested fact's subject.
    finding: Option<Ticket<Option<EntityId>>>,
    /// Requests to return to the desk in the next frame.
    asks: Vec<Request>,
}

/// State that is saved when the desk closes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    view: EntityView,
    pages: Vec<EntityId>,
    at: usize,
    /// The fact to show when the page of its subject has been read.
    #[serde(skip)]
    fact: Option<FactId>,
}

impl EntityPanel {
    /// Returns the entity whose page is shown; `None` if no page is open.
    pub fn id(&self) -> Option<&EntityId> {
        self.kept.pages.get(self.kept.at)
    }

    /// Returns the page that was read last.
    pub fn model(&self) -> &EntityModel {
        &self.model
    }

    fn open(&mut self, id: EntityId) {
        if self.id() == Some(&id) {
            return;
        }
        let kept = &mut self.kept;
        kept.pages.truncate(kept.at + 1);
        kept.pages.push(id);
        let too_many = kept.pages.len().saturating_sub(MOST_PAGES);
        kept.pages.drain(..too_many);
        kept.at = kept.pages.len() - 1;
        self.turned();
    }

    fn go(&mut self, forward: bool) {
        let at = if forward { self.kept.at + 1 } else { self.kept.at.wrapping_sub(1) };
        if at < self.kept.pages.len() {
            self.kept.at = at;
            self.turned();
        }
    }

    /// Resets filter and scroll position when another page is shown. Edits in progress are kept.
    fn turned(&mut self) {
        self.kept.view.filter.clear();
        self.kept.view.heights.clear();
        self.kept.fact = None;
    }

    fn ways(&self) -> Ways {
        Ways { back: self.kept.at > 0, forward: self.kept.at + 1 < self.kept.pages.len() }
    }
}

impl Panel for EntityPanel {
    fn title(&self) -> Cow<'_, str> {
        match ui::named(&self.model).filter(|_| self.model.found && self.model.safe) {
            Some(named) => Cow::Owned(crate::text::shortened(&named.name, 24).into_owned()),
            None => Cow::Borrowed("Entity"),
        }
    }

    fn update(&mut self, memory: &Memory, context: &PanelContext) {
        if let Some(fact) = self.kept.fact
            && self.finding.is_none()
            && self.model.fact(fact).is_none()
        {
            self.finding = memory.read(move |world| Ok(load::subject_of(world, fact))).ok();
        }
        match taken(&mut self.finding) {
            Some(Ok(Some(subject))) => {
                let fact = self.kept.fact;
                self.open(subject);
                self.kept.fact = fact;
            }
            Some(Ok(None)) => {
                self.kept.fact = None;
                self.asks
                    .push(Request::Tell(Note::trouble("This fact no longer exists, because its change was undone.")));
            }
            Some(Err(error)) => self.asks.push(Request::Tell(Note::trouble(error.to_string()))),
            None => {}
        }
        if let Some((id, version, ticket)) = self.reading.take() {
            match ticket.try_take() {
                Some(Ok(model)) => {
                    if self.model.id != model.id {
                        self.kept.view.heights.clear();
                    }
                    self.model = model;
                    self.read = Some((id, version));
                }
                Some(Err(error)) => {
                    self.read = Some((id, version));
                    self.asks.push(Request::Tell(Note::trouble(error.to_string())));
                }
                None => self.reading = Some((id, version, ticket)),
            }
        }
        let Some(id) = self.id().cloned() else { return };
        let fresh = |of: &EntityId, version: StateVersion| *of == id && version == context.version;
        let is_read = self.read.as_ref().is_some_and(|(of, version)| fresh(of, *version));
        // If another page is requested, drop the pending read. If only the version changed, keep the pending read.
        let is_reading = self.reading.as_ref().is_some_and(|(of, ..)| *of == id);
        if !is_read && !is_reading {
            let request = EntityRequest { id: id.clone() };
            let ticket = memory.read_in_background(move |world| EntityModel::load(world, &request)).ok();
            self.reading = ticket.map(|ticket| (id, context.version, ticket));
        }
        if let Some(fact) = self.kept.fact.filter(|fact| self.model.fact(*fact).is_some()) {
            self.kept.fact = None;
            self.kept.view.tab = Tab::About;
            self.kept.view.filter.clear();
            self.kept.view.facts.open.insert(fact);
            self.kept.view.focus = Some(fact);
        }
    }

    fn ui(&mut self, ui: &mut Ui, look: &Look) -> Vec<Request> {
        if self.reading.is_some() || self.finding.is_some() {
            ui.ctx().request_repaint();
        }
        let mut asked = std::mem::take(&mut self.asks);
        let ways = self.ways();
        let actions = entity_ui(ui, look, &self.model, &mut self.kept.view, ways);
        for action in actions {
            match action {
                EntityAction::Back => self.go(false),
                EntityAction::Forward => self.go(true),
                EntityAction::Ask(Request::Show(id)) => self.open(id),
                EntityAction::Ask(Request::ShowFact(fact)) if self.model.fact(fact).is_some() => {
                    self.kept.fact = Some(fact);
                }
                EntityAction::Ask(request) => asked.push(request),
            }
        }
        asked
    }

    fn show(&mut self, request: &Request) -> bool {
        match request {
            Request::Show(id) => {
                self.open(id.clone());
                true
            }
            Request::ShowFact(fact) => {
                self.kept.fact = Some(*fact);
                true
            }
            _ => false,
        }
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.kept)
    }

    fn restore(&mut self, kept: Saved) {
        self.kept = restored(kept).unwrap_or_default();
        self.kept.at = self.kept.at.min(self.kept.pages.len().saturating_sub(1));
    }
}
