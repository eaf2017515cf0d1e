//! The review panel: cards with facts that need a decision. The DM decides with single keys.

mod card;
mod decision;
mod load;
mod model;
mod sentence_reader;
mod ui;
mod view;

use std::{
    borrow::Cow,
    collections::BTreeSet,
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
    CardDetail, CardKey, CardKind, CardSummary, EntitySummary, FactDetail, Filter, Learner, ObjectModel, Order,
    OtherFact, ReviewModel, ReviewTriage, SourceQuote,
};
use sentence_reader::SentenceReader;
pub use ui::review_ui;
pub use view::{ReviewAction, ReviewDraft, ReviewView};

use crate::{
    commands::PanelKind,
    panel::{
        CommandOutcome, DeskCommand, DisplayContext, Panel, Request, SavedState, StatusMessage, restore_state,
        save_state,
    },
    panel_context::{PanelContext, poll_ticket},
    panel_source::PanelSource,
};

/// Number of cards after the focused card whose details are read in advance.
const PREFETCHED_CARDS: usize = 4;

/// Minimum interval between two searches for duplicate entities, because a search takes a long time.
const DUPLICATES_INTERVAL: Duration = Duration::from_secs(5);

/// Details of cards. The value is `None` for a card that no longer exists.
type Details = Vec<(CardKey, Option<CardDetail>)>;

/// The review panel.
#[derive(Debug, Default)]
pub struct ReviewPanel {
    model: ReviewModel,
    /// The previous model. The next background read drops it, because this takes too long for a frame if the model is
    /// large.
    previous_model: Option<ReviewModel>,
    view: ReviewView,
    sentence_reader: SentenceReader,
    pending_model: Option<Ticket<ReviewModel>>,
    /// Position and triage of the requested model.
    requested: Option<(u64, ReviewTriage)>,
    pending_details: Option<Ticket<Details>>,
    pending_duplicates: Option<Ticket<Vec<Duplicate>>>,
    duplicates_requested_at: Option<(u64, Instant)>,
    duplicates: Vec<Duplicate>,
    details_requested_at: Option<u64>,
    requested_merges: Vec<(EntityId, EntityId)>,
    pending_merges: Vec<Ticket<MergePlan>>,
    /// Requests to return to the DM console in the next frame.
    requests: Vec<Request>,
    /// Whether the last command was an undo. If `true`, the card that the undo restores gets the focus.
    is_after_undo: bool,
}

impl ReviewPanel {
    /// Returns the cards that the panel shows.
    pub fn model(&self) -> &ReviewModel {
        &self.model
    }

    /// Returns the UI state, such as the focused card and the filter.
    pub fn view(&self) -> &ReviewView {
        &self.view
    }

    fn load(&mut self, memory: &Memory, position: u64, triage: ReviewTriage) {
        let (duplicates, previous_model) = (self.duplicates.clone(), self.previous_model.take());
        let read = move |world: &hearsay_engine::ReadSnapshot| {
            drop(previous_model);
            Ok(ReviewModel::load(world, &duplicates, triage))
        };
        self.pending_model = memory.read_in_background(read).ok();
        self.requested = self.pending_model.is_some().then_some((position, triage));
    }

    fn apply_model(&mut self, model: ReviewModel) {
        let is_listed =
            |key: &CardKey| self.model.index_of(key).is_some() && !self.view.decided_cards.contains_key(key);
        if self.is_after_undo
            && self.model.is_read
            && let Some(restored_key) = model.cards.iter().map(|card| &card.key).find(|key| !is_listed(key)).cloned()
        {
            self.view.focus = Some(restored_key);
            (self.view.scroll_to_focus, self.view.has_chosen_card) = (true, true);
            self.is_after_undo = false;
        }
        self.view.decided_cards.retain(|_, position| position.is_none_or(|position| position > model.position));
        self.view.selected.retain(|key| model.index_of(key).is_some());
        self.view.deferred.retain(|key| model.index_of(key).is_some());
        if !self.view.has_chosen_card && !self.view.is_editing_focus() {
            (self.view.focus, self.view.row) = (None, 0);
        }
        let mut details = std::mem::take(&mut self.model.details);
        details.retain(|key, _| model.index_of(key).is_some());
        self.previous_model = Some(std::mem::replace(&mut self.model, ReviewModel { details, ..model }));
    }

    /// Returns the cards whose details are needed: the focused card and the cards next to it.
    fn needed_cards(&mut self) -> Vec<CardKey> {
        self.view.list(&self.model);
        let (rows, row) = (&self.view.card_list.rows, self.view.row);
        let nearby = rows.iter().skip(row.saturating_sub(1)).take(PREFETCHED_CARDS + 2);
        nearby.map(|row| self.model.cards[*row].key.clone()).collect()
    }

    /// Opens an edit again that the memory rejected, so that the DM can correct it. The card gets the focus unless
    /// another edit is in progress.
    fn reopen_edit(&mut self, outcome: &CommandOutcome) {
        let DeskCommand::Decide(Decisions { facts, decision: Decision::Edit { .. }, .. }) = &outcome.desk_command
        else {
            return;
        };
        let Some(sent) = self.view.sent.take_if(|sent| facts.contains(&sent.fact)) else { return };
        let key = self.model.cards.iter().find(|card| card.key.is_about(sent.fact)).map(|card| card.key.clone());
        let Some(key) = key else { return };
        if !self.view.is_editing_focus() {
            (self.view.focus, self.view.scroll_to_focus) = (Some(key), true);
        }
        self.view.drafts.insert(sent.fact, sent);
        self.view.has_chosen_card = true;
    }

    fn handle_action(&mut self, action: ReviewAction) -> Option<Request> {
        Some(match action {
            ReviewAction::Decide { facts, decision, reason } => {
                Request::Execute(DeskCommand::Decide(Decisions { facts, decision, reason }))
            }
            ReviewAction::OnlyThis { fact, others, reason } => {
                Request::Execute(DeskCommand::custom("only this is true", move |world| {
                    let now = hearsay_engine::real_time();
                    let operation = Decisions { facts: vec![fact], decision: Decision::Accept, reason: reason.clone() };
                    let operation = operation.operation(&world.state, now)?;
                    let mut changes = operation.changes;
                    for other in &others {
                        changes.extend(Decision::False.operation(&world.state, *other, now)?.changes);
                    }
                    let summary = format!("{}; the others are false", operation.summary);
                    Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, changes) })
                }))
            }
            ReviewAction::SetSecrecy { facts, secret } => {
                Request::Execute(DeskCommand::SetSecrecy(Keep { facts, secret, keep_from: BTreeSet::new() }))
            }
            ReviewAction::KeepFrom { fact, knowers } => {
                let keep = Keep { facts: vec![fact], secret: true, keep_from: knowers };
                Request::Execute(DeskCommand::SetSecrecy(keep))
            }
            ReviewAction::NotTheSame(one, other) => Request::Execute(DeskCommand::NotTheSame(one, other)),
            ReviewAction::Remove(id) => Request::Execute(DeskCommand::Edit(Edit::RemoveEntity { entity: id })),
            ReviewAction::Show(id) => Request::ShowEntity(id),
            ReviewAction::ShowFact(id) => Request::ShowFact(id),
            ReviewAction::ShowError(text) => Request::ShowMessage(StatusMessage::error(text)),
            ReviewAction::Undo => Request::Undo,
            ReviewAction::Redo => Request::Redo,
            // The next update starts to plan the merge, on a background thread.
            ReviewAction::Merge { from, into } => {
                self.requested_merges.push((from, into));
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
        self.model.cards.len().saturating_sub(self.view.decided_cards.len())
    }

    fn update(&mut self, source: PanelSource, context: &PanelContext) {
        let Some(memory) = source.memory() else { return };
        let position = context.version.position.0;
        if let Some(Ok(model)) = poll_ticket(&mut self.pending_model) {
            self.apply_model(model);
        }
        self.sentence_reader.update(memory, &context.names, &mut self.view);
        let triage = ReviewTriage { settings: memory.settings().review, shows_held_back: self.view.shows_held_back };
        if self.pending_model.is_none() && (self.requested != Some((position, triage)) || !self.model.is_read) {
            self.load(memory, position, triage);
        }
        if let Some(Ok(duplicates)) = poll_ticket(&mut self.pending_duplicates)
            && duplicates != self.duplicates
        {
            self.duplicates = duplicates;
            self.requested = None;
        }
        let is_stale = |at: &Option<(u64, Instant)>| {
            at.is_none_or(|(at, when)| at != position && when.elapsed() >= DUPLICATES_INTERVAL)
        };
        if self.pending_duplicates.is_none() && is_stale(&self.duplicates_requested_at) {
            self.pending_duplicates = memory.duplicates().ok();
            self.duplicates_requested_at = Some((position, Instant::now()));
        }
        if let Some(Ok(details)) = poll_ticket(&mut self.pending_details) {
            for (key, detail) in details {
                match detail {
                    Some(detail) => self.model.details.insert(key, detail),
                    None => self.model.details.remove(&key),
                };
            }
        }
        let needed_keys = self.needed_cards();
        let is_current = self.details_requested_at == Some(position);
        let is_any_missing = needed_keys.iter().any(|key| !self.model.details.contains_key(key));
        if self.pending_details.is_none() && !needed_keys.is_empty() && (is_any_missing || !is_current) {
            let keys = if is_current {
                needed_keys.into_iter().filter(|key| !self.model.details.contains_key(key)).collect()
            } else {
                needed_keys
            };
            let read = move |world: &hearsay_engine::ReadSnapshot| {
                Ok(keys.into_iter().map(|key: CardKey| (key.clone(), detail(world, &key))).collect())
            };
            self.pending_details = memory.read(read).ok();
            if self.pending_details.is_some() {
                self.details_requested_at = Some(position);
            }
        }
        for (from, into) in std::mem::take(&mut self.requested_merges) {
            match memory.plan_merge(from, into) {
                Ok(ticket) => self.pending_merges.push(ticket),
                Err(error) => self.requests.push(Request::ShowMessage(StatusMessage::error(error.to_string()))),
            }
        }
        let mut plans = Vec::new();
        self.pending_merges.retain(|ticket| match ticket.try_take() {
            None => true,
            Some(plan) => {
                plans.push(plan);
                false
            }
        });
        for plan in plans {
            self.requests.push(match plan {
                Ok(plan) => Request::Execute(DeskCommand::Merge(Box::new(plan))),
                Err(error) => {
                    // The merge could not be planned, so list the card again.
                    self.view
                        .decided_cards
                        .retain(|key, decided_at| !(matches!(key, CardKey::Duplicate(..)) && decided_at.is_none()));
                    Request::ShowMessage(StatusMessage::error(error.to_string()))
                }
            });
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, display: &DisplayContext) -> Vec<Request> {
        let actions = review_ui(ui, display, &self.model, &mut self.view);
        let mut requests = std::mem::take(&mut self.requests);
        requests.extend(actions.into_iter().filter_map(|action| self.handle_action(action)));
        requests
    }

    fn handle_request(&mut self, request: &Request) -> bool {
        let Request::ShowFact(fact) = request else { return false };
        let Some(card) = self.model.cards.iter().find(|card| card.key.is_about(*fact)) else { return false };
        self.view.filter = Filter::default();
        self.view.focus = Some(card.key.clone());
        (self.view.scroll_to_focus, self.view.has_chosen_card) = (true, true);
        true
    }

    fn on_outcome(&mut self, outcome: &CommandOutcome) {
        let is_affected = |key: &CardKey| match (&outcome.desk_command, key) {
            (DeskCommand::Decide(Decisions { facts, .. }), CardKey::Fact(id)) => facts.contains(id),
            (DeskCommand::Decide(Decisions { facts, .. }), CardKey::Contradiction(ids)) => {
                ids.iter().any(|id| facts.contains(id))
            }
            (DeskCommand::Custom { description, .. }, CardKey::Contradiction(_)) => description == "only this is true",
            (DeskCommand::Merge(plan), CardKey::Duplicate(one, other)) => {
                [one, other].contains(&&plan.gone) && [one, other].contains(&&plan.into)
            }
            (DeskCommand::NotTheSame(a, b), CardKey::Duplicate(one, other)) => {
                [one, other].contains(&a) && [one, other].contains(&b)
            }
            (DeskCommand::Edit(Edit::RemoveEntity { entity }), CardKey::Stub(id)) => entity == id,
            _ => false,
        };
        match &outcome.result {
            Ok(report) => {
                let position = report.position.map_or(0, |position| position.0);
                for (_, decided_at) in self
                    .view
                    .decided_cards
                    .iter_mut()
                    .filter(|(key, decided_at)| decided_at.is_none() && is_affected(key))
                {
                    *decided_at = Some(position);
                }
                // Look for the restored card only in models that are read after the undo.
                if matches!(outcome.desk_command, DeskCommand::Undo(_)) {
                    (self.is_after_undo, self.pending_model, self.requested) = (true, None, None);
                }
            }
            Err(_) => {
                self.view.decided_cards.retain(|key, decided_at| !(decided_at.is_none() && is_affected(key)));
                self.reopen_edit(outcome);
            }
        }
    }

    fn save(&self) -> Option<SavedState> {
        save_state(&self.view)
    }

    fn restore(&mut self, saved: SavedState) {
        if let Some(view) = restore_state::<ReviewView>(saved) {
            self.view = view;
            self.view.scroll_to_focus = true;
            // If a focus was saved, keep it instead of focusing the first card.
            self.view.has_chosen_card = self.view.focus.is_some() && self.view.row > 0;
        }
    }
}

#[cfg(test)]
mod tests;
