//! The review panel: cards with facts that need a decision. The DM decides with single keys.

mod card;
mod load;
mod model;
mod ui;
mod verdict;
mod view;

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use hearsay_commands::{
    edit::Edit,
    merge::MergePlan,
    review::{Decision, Decisions, Keep},
};
use hearsay_engine::{Memory, Ticket};
use hearsay_model::{Author, EntityId, Operation};
use hearsay_query::duplicates::Duplicate;

pub use load::detail;
pub use model::{
    CardKey, CardKind, Detail, FactDetail, Filter, Head, Order, OtherFact, ReviewModel, Target, Twin, Words,
};
pub use ui::review_ui;
pub use view::{Draft, ReviewAction, ReviewView};

use crate::{
    commands::PanelKind,
    panel::{DeskCommand, Look, Note, Outcome, Panel, PanelContext, Request, Saved, restored, saved},
    panel_context::taken,
};

/// Number of cards after the focused card whose details are read in advance.
const AHEAD: usize = 4;

/// Minimum interval between two searches for duplicate entities, because a search takes a long time.
const DUPLICATES: Duration = Duration::from_secs(5);

/// Details of cards. The value is `None` for a card that no longer exists.
type Details = Vec<(CardKey, Option<Detail>)>;

/// The review panel.
#[derive(Debug, Default)]
pub struct ReviewPanel {
    model: ReviewModel,
    /// The previous model. It is dropped by the next background read, because freeing a large model takes too long for
    /// a frame.
    old: Option<ReviewModel>,
    view: ReviewView,
    loading: Option<Ticket<ReviewModel>>,
    asked_at: Option<u64>,
    details: Option<Ticket<Details>>,
    duplicates: Option<Ticket<Vec<Duplicate>>>,
    duplicates_at: Option<(u64, Instant)>,
    twins: Vec<Duplicate>,
    details_at: Option<u64>,
    merges: Vec<(EntityId, EntityId)>,
    merging: Vec<Ticket<MergePlan>>,
    /// Requests to return to the desk in the next frame.
    requests: Vec<Request>,
    /// Whether the last command was an undo. If so, the card that the undo restores gets the focus.
    undone: bool,
}

impl ReviewPanel {
    /// Returns the model.
    pub fn model(&self) -> &ReviewModel {
        &self.model
    }

    /// Returns the view state.
    pub fn view(&self) -> &ReviewView {
        &self.view
    }

    fn load(&mut self, memory: &Memory, position: u64) {
        let (twins, old) = (self.twins.clone(), self.old.take());
        let read = move |world: &hearsay_engine::ReadSnapshot| {
            drop(old);
            Ok(ReviewModel::load(world, &twins))
        };
        self.loading = memory.read_in_background(read).ok();
        self.asked_at = self.loading.is_some().then_some(position);
    }

    fn take(&mut self, model: ReviewModel) {
        let shown = |key: &CardKey| self.model.place(key).is_some() && !self.view.gone.contains_key(key);
        if self.undone
            && self.model.is_read
            && let Some(back) = model.heads.iter().map(|head| &head.key).find(|key| !shown(key)).cloned()
        {
            self.view.focus = Some(back);
            (self.view.moved, self.view.touched) = (true, true);
            self.undone = false;
        }
        self.view.gone.retain(|_, by| by.is_none_or(|by| by > model.position));
        self.view.selected.retain(|key| model.place(key).is_some());
        self.view.put_off.retain(|key| model.place(key).is_some());
        if !self.view.touched && !self.view.edits_focus() {
            (self.view.focus, self.view.row) = (None, 0);
        }
        let mut details = std::mem::take(&mut self.model.details);
        details.retain(|key, _| model.place(key).is_some());
        self.old = Some(std::mem::replace(&mut self.model, ReviewModel { details, ..model }));
    }

    /// Returns the cards whose details are needed: the focused card and the cards next to it.
    fn wanted(&mut self, screen_safe: bool) -> Vec<CardKey> {
        self.view.list(&self.model, screen_safe);
        let (rows, row) = (&self.view.listed.rows, self.view.row);
        let near = rows.iter().skip(row.saturating_sub(1)).take(AHEAD + 2);
        near.map(|row| self.model.heads[*row].key.clone()).collect()
    }

    /// Reopens an edit that the memory refused, so that the DM can correct it. The card gets the focus unless another
    /// edit is in progress.
    fn edit_again(&mut self, outcome: &Outcome) {
        let DeskCommand::Decide(Decisions { facts, decision: Decision::Edit { .. }, .. }) = &outcome.desk_command
        else {
            return;
        };
        let Some(sent) = self.view.sent.take_if(|sent| facts.contains(&sent.fact)) else { return };
        let key = self.model.heads.iter().find(|head| head.key.has(sent.fact)).map(|head| head.key.clone());
        let Some(key) = key else { return };
        if !self.view.edits_focus() {
            (self.view.focus, self.view.moved) = (Some(key), true);
        }
        self.view.drafts.insert(sent.fact, sent);
        self.view.touched = true;
    }

    fn act(&mut self, action: ReviewAction) -> Option<Request> {
        Some(match action {
            ReviewAction::Decide { facts, decision, reason } => {
                Request::Do(DeskCommand::Decide(Decisions { facts, decision, reason }))
            }
            ReviewAction::OnlyThis { fact, others, reason } => {
                Request::Do(DeskCommand::make("only this is true", move |world| {
                    let now = hearsay_engine::real_time();
                    let accept = Decisions { facts: vec![fact], decision: Decision::Accept, reason: reason.clone() };
                    let accept = accept.operation(&world.state, now)?;
                    let mut changes = accept.changes;
                    for other in &others {
                        changes.extend(Decision::False.operation(&world.state, &other.to_string(), now)?.changes);
                    }
                    let summary = format!("{}; the others are false", accept.summary);
                    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, changes) })
                }))
            }
            ReviewAction::Keep { facts, secret } => Request::Do(DeskCommand::Keep(Keep { facts, secret })),
            ReviewAction::NotTheSame(one, other) => Request::Do(DeskCommand::NotTheSame(one, other)),
            ReviewAction::Remove(id) => Request::Do(DeskCommand::Edit(Edit::RemoveEntity { entity: id.to_string() })),
            ReviewAction::Show(id) => Request::Show(id),
            ReviewAction::ShowFact(id) => Request::ShowFact(id),
            ReviewAction::Undo => Request::Undo,
            ReviewAction::Redo => Request::Redo,
            // The next update starts to plan the merge, on a background thread.
            ReviewAction::Merge { gone, into } => {
                self.merges.push((gone, into));
                return None;
            }
        })
    }
}

impl Panel for ReviewPanel {
    fn title(&self) -> Cow<'_, str> {
        PanelKind::Review.name().into()
    }

    fn badge(&self) -> usize {
        self.model.heads.len().saturating_sub(self.view.gone.len())
    }

    fn update(&mut self, memory: &Memory, context: &PanelContext) {
        let position = context.version.position.0;
        if let Some(Ok(model)) = taken(&mut self.loading) {
            self.take(model);
        }
        if self.loading.is_none() && (self.asked_at != Some(position) || !self.model.is_read) {
            self.load(memory, position);
        }
        if let Some(Ok(twins)) = taken(&mut self.duplicates)
            && twins != self.twins
        {
            self.twins = twins;
            self.asked_at = None;
        }
        let stale =
            |at: &Option<(u64, Instant)>| at.is_none_or(|(at, when)| at != position && when.elapsed() >= DUPLICATES);
        if self.duplicates.is_none() && stale(&self.duplicates_at) {
            self.duplicates = memory.duplicates().ok();
            self.duplicates_at = Some((position, Instant::now()));
        }
        if let Some(Ok(details)) = taken(&mut self.details) {
            for (key, detail) in details {
                match detail {
                    Some(detail) => self.model.details.insert(key, detail),
                    None => self.model.details.remove(&key),
                };
            }
        }
        let wanted = self.wanted(self.view.screen_safe);
        let fresh = self.details_at == Some(position);
        let missing = wanted.iter().any(|key| !self.model.details.contains_key(key));
        if self.details.is_none() && !wanted.is_empty() && (missing || !fresh) {
            let keys = if fresh {
                wanted.into_iter().filter(|key| !self.model.details.contains_key(key)).collect()
            } else {
                wanted
            };
            let read = move |world: &hearsay_engine::ReadSnapshot| {
                Ok(keys.into_iter().map(|key: CardKey| (key.clone(), detail(world, &key))).collect())
            };
            self.details = memory.read(read).ok();
            if self.details.is_some() {
                self.details_at = Some(position);
            }
        }
        for (gone, into) in std::mem::take(&mut self.merges) {
            match memory.plan_merge(gone.as_str(), into.as_str()) {
                Ok(ticket) => self.merging.push(ticket),
                Err(error) => self.requests.push(Request::Tell(Note::trouble(error.to_string()))),
            }
        }
        let mut planned = Vec::new();
        self.merging.retain(|ticket| match ticket.try_take() {
            None => true,
            Some(plan) => {
                planned.push(plan);
                false
            }
        });
        for plan in planned {
            self.requests.push(match plan {
                Ok(plan) => Request::Do(DeskCommand::Merge(Box::new(plan))),
                Err(error) => {
                    // The merge could not be planned, so list the card again.
                    self.view.gone.retain(|key, by| !(matches!(key, CardKey::Twins(..)) && by.is_none()));
                    Request::Tell(Note::trouble(error.to_string()))
                }
            });
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, look: &Look) -> Vec<Request> {
        let actions = review_ui(ui, look, &self.model, &mut self.view);
        let mut requests = std::mem::take(&mut self.requests);
        requests.extend(actions.into_iter().filter_map(|action| self.act(action)));
        requests
    }

    fn show(&mut self, request: &Request) -> bool {
        let Request::ShowFact(fact) = request else { return false };
        let has = |key: &CardKey| match key {
            CardKey::Fact(id) => id == fact,
            CardKey::Clash(ids) => ids.contains(fact),
            CardKey::Twins(..) | CardKey::Stub(_) => false,
        };
        let Some(head) = self.model.heads.iter().find(|head| has(&head.key)) else { return false };
        self.view.filter = Filter::default();
        self.view.focus = Some(head.key.clone());
        (self.view.moved, self.view.touched) = (true, true);
        true
    }

    fn heard(&mut self, outcome: &Outcome) {
        let is_of = |key: &CardKey| match (&outcome.desk_command, key) {
            (DeskCommand::Decide(Decisions { facts, .. }), CardKey::Fact(id)) => facts.contains(id),
            (DeskCommand::Decide(Decisions { facts, .. }), CardKey::Clash(ids)) => {
                ids.iter().any(|id| facts.contains(id))
            }
            (DeskCommand::Make { what, .. }, CardKey::Clash(_)) => what == "only this is true",
            (DeskCommand::Merge(plan), CardKey::Twins(one, other)) => {
                [one, other].contains(&&plan.gone) && [one, other].contains(&&plan.into)
            }
            (DeskCommand::NotTheSame(a, b), CardKey::Twins(one, other)) => {
                [one, other].contains(&a) && [one, other].contains(&b)
            }
            (DeskCommand::Edit(Edit::RemoveEntity { entity }), CardKey::Stub(id)) => entity == id.as_str(),
            _ => false,
        };
        match &outcome.done {
            Ok(done) => {
                let position = done.position.map_or(0, |position| position.0);
                for (_, by) in self.view.gone.iter_mut().filter(|(key, by)| by.is_none() && is_of(key)) {
                    *by = Some(position);
                }
                // Look for the restored card only in models that are read after the undo.
                if matches!(outcome.desk_command, DeskCommand::Undo(_)) {
                    (self.undone, self.loading, self.asked_at) = (true, None, None);
                }
            }
            Err(_) => {
                self.view.gone.retain(|key, by| !(by.is_none() && is_of(key)));
                self.edit_again(outcome);
            }
        }
    }

    fn save(&self) -> Option<Saved> {
        saved(&self.view)
    }

    fn restore(&mut self, saved: Saved) {
        if let Some(view) = restored::<ReviewView>(saved) {
            self.view = view;
            self.view.moved = true;
            // If a focus was saved, keep it instead of focusing the first card.
            self.view.touched = self.view.focus.is_some() && self.view.row > 0;
        }
    }
}

#[cfg(test)]
mod tests;
