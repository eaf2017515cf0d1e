//! UI state of the review panel, and the actions that a user can choose in the panel.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_commands::review::Decision;
use hearsay_model::{EntityId, FactId, Knower, Object};
use hearsay_query::QueryError;
use serde::{Deserialize, Serialize};

use super::model::{CardDetail, CardKey, FactDetail, Filter, ObjectModel, Order, ReviewModel};
use crate::{
    names::NameIndex,
    widgets::{Completion, RowHeights},
};

/// The parts of a fact that a sentence states. Entities are given by a name or id that identifies them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SentenceParts {
    pub(super) subject: String,
    pub(super) predicate: String,
    pub(super) object: String,
    pub(super) object_is_entity: bool,
}

/// An edit of a fact that is in progress. The draft is saved when the window closes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewDraft {
    /// Id of the edited fact.
    pub fact: FactId,
    /// The subject as the DM typed it.
    pub subject: String,
    /// The predicate as the DM typed it.
    pub predicate: String,
    /// The object as the DM typed it.
    pub object: String,
    /// Whether the object is an entity.
    pub object_is_entity: bool,
    /// The sentence that states the fact. If this text is empty, the sentence is generated from subject, predicate and
    /// object. If the DM edits the sentence, subject, predicate and object are read from the sentence. If the DM edits
    /// subject, predicate or object, this text becomes empty. The parts and the sentence therefore never contradict
    /// each other.
    pub statement: String,
    /// The sentence that subject, predicate and object state.
    pub(super) read_statement: String,
    /// Whether to accept the draft as soon as the sentence was read.
    #[serde(skip)]
    pub(super) accepts_when_read: bool,
    /// The original values, so that only changes are sent.
    original: [String; 4],
}

impl ReviewDraft {
    /// Creates an unchanged draft of a fact.
    pub fn from_fact(fact: &FactDetail) -> Self {
        let (subject, predicate) = (fact.subject.name.clone(), fact.predicate.clone());
        let (object, statement) = (fact.object.text().to_owned(), fact.statement.text.clone());
        let original = [subject.clone(), predicate.clone(), object.clone(), statement.clone()];
        let object_is_entity = matches!(fact.object, ObjectModel::Entity(_));
        let read_statement = statement.clone();
        let accepts_when_read = false;
        Self {
            fact: fact.id,
            subject,
            predicate,
            object,
            object_is_entity,
            statement,
            read_statement,
            accepts_when_read,
            original,
        }
    }

    /// Returns whether the sentence was edited, so that subject, predicate and object must be read from it.
    pub(super) fn needs_reading(&self) -> bool {
        let statement = self.statement.trim();
        !statement.is_empty() && statement != self.read_statement.trim()
    }

    /// Sets the parts that were read from the sentence.
    pub(super) fn set_parts(&mut self, parts: SentenceParts) {
        let SentenceParts { subject, predicate, object, object_is_entity } = parts;
        (self.subject, self.predicate, self.object) = (subject, predicate, object);
        self.object_is_entity = object_is_entity;
        self.read_statement.clone_from(&self.statement);
    }

    /// Clears the sentence if the DM edited a part of the fact, so that a new sentence is generated.
    pub(super) fn clear_outdated_statement(&mut self, before: &Self) {
        let parts = |draft: &Self| (draft.subject.clone(), draft.predicate.clone(), draft.object.clone());
        if parts(self) != parts(before) {
            self.statement.clear();
        }
    }

    /// Returns the decision that accepts the fact with the edits.
    ///
    /// # Errors
    /// Returns an error if a changed subject or object is not the name of exactly one entity.
    pub fn decision(&self, fact: Option<&FactDetail>, names: &NameIndex) -> Result<Decision, QueryError> {
        let [subject, predicate, object, statement] = &self.original;
        let changed = |now: &str, before: &String| (now.trim() != before).then(|| now.trim().to_owned());
        // An unchanged name is not resolved, because several entities may have the same name.
        let parts =
            [changed(&self.subject, subject), changed(&self.predicate, predicate), changed(&self.object, object)];
        let rest_is_same = parts.iter().all(Option::is_none);
        let [subject, predicate, object] = parts;
        let statement = match changed(&self.statement, statement) {
            Some(text) if !text.is_empty() => Some(text),
            // If subject, predicate or object changed, a new sentence is generated. Otherwise the sentence is kept.
            _ if rest_is_same => fact.map(|fact| fact.statement.text.clone()).or(Some(statement.clone())),
            _ => None,
        };
        let subject = subject.map(|name| names.resolve(&name)).transpose()?;
        let object = match object {
            Some(name) if self.object_is_entity => Some(Object::Entity(names.resolve(&name)?)),
            value => value.map(|value| Object::Value(value.into())),
        };
        Ok(Decision::Edit { subject, predicate, object, statement })
    }
}

/// UI state of the review panel: focused and selected cards, order, filter, and edits in progress.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewView {
    /// The focused card; `None` if no card has the focus.
    pub focus: Option<CardKey>,
    /// Index of the focused card in the list. If this card disappears, the next card moves to this index and gets the
    /// focus.
    pub row: usize,
    /// Index of the selected fact on a card that has several facts.
    pub fact: usize,
    /// The selected cards.
    pub selected: BTreeSet<CardKey>,
    /// The deferred cards. Deferred cards are at the end of the list.
    pub deferred: BTreeSet<CardKey>,
    /// The order of the cards.
    pub order: Order,
    /// The filter of the cards.
    pub filter: Filter,
    /// The edits in progress, by the edited fact.
    pub drafts: BTreeMap<FactId, ReviewDraft>,
    /// The card whose edit starts when its details are loaded.
    #[serde(skip)]
    pub(super) waiting_edit: Option<CardKey>,
    /// The last edit that was sent to the memory; `None` if no edit was sent. If the memory rejects this edit, the
    /// panel opens it again.
    pub sent: Option<ReviewDraft>,
    /// The typed reason for the next decision; may be empty.
    pub reason: String,
    /// Whether the text field for the reason is open.
    pub reason_open: bool,
    /// Whether the filters are open.
    pub filters_open: bool,
    /// Whether the cards that are held back are also shown.
    pub shows_held_back: bool,
    /// Cards on which the DM decided in this panel, but which the model still contains. The value is the position of
    /// the operation that records the decision, or `None` until the position is known.
    #[serde(skip)]
    pub decided_cards: BTreeMap<CardKey, Option<u64>>,
    /// Text typed into the filter by entity.
    pub entity_filter_text: String,
    #[serde(skip)]
    pub(super) entity_completion: Completion,
    #[serde(skip)]
    pub(super) draft_completion: [Completion; 2],
    #[serde(skip)]
    pub(super) heights: RowHeights,
    #[serde(skip)]
    pub(super) card_list: CardList,
    /// Name of the field that gets the keyboard focus.
    #[serde(skip)]
    pub(super) focus_field: Option<&'static str>,
    /// Whether the DM has chosen a card. Until the DM has chosen a card, the first card has the focus, even if new
    /// cards arrive.
    #[serde(skip)]
    pub(super) has_chosen_card: bool,
    /// Whether the focus moved. If `true`, the list scrolls to the focused card.
    #[serde(skip)]
    pub(super) scroll_to_focus: bool,
}

impl ReviewView {
    /// Returns the reason, if there is one.
    pub(super) fn reason(&self) -> Option<String> {
        Some(self.reason.trim().to_owned()).filter(|reason| !reason.is_empty())
    }

    /// Returns whether the details of the card that [waits](Self::waiting_edit) for an edit are loaded. A card that lost
    /// the focus waits no longer.
    pub(super) fn is_edit_due(&mut self, model: &ReviewModel) -> bool {
        self.waiting_edit = self.waiting_edit.take().filter(|key| self.focus.as_ref() == Some(key));
        self.waiting_edit.as_ref().is_some_and(|key| model.details.contains_key(key))
    }

    /// Starts an edit of a fact, or continues an existing draft.
    pub(super) fn start_edit(&mut self, fact: &FactDetail) {
        self.drafts.entry(fact.id).or_insert_with(|| ReviewDraft::from_fact(fact));
        self.focus_field = Some("draft");
    }

    /// Returns the draft of the edit in progress on a card.
    pub(super) fn draft_of(&self, key: &CardKey) -> Option<&ReviewDraft> {
        self.drafts.values().find(|draft| key.is_about(draft.fact))
    }

    /// Returns whether the focused card is being edited.
    pub(super) fn is_editing_focus(&self) -> bool {
        self.focus.as_ref().is_some_and(|key| self.draft_of(key).is_some())
    }

    pub(super) fn discard_draft(&mut self, key: &CardKey) {
        self.drafts.retain(|fact, _| !key.is_about(*fact));
    }

    /// Removes decided cards from the list. Clears the reason, because it applies to one decision only.
    pub(super) fn mark_decided(&mut self, cards: impl IntoIterator<Item = CardKey>) {
        for key in cards {
            self.discard_draft(&key);
            self.decided_cards.insert(key, None);
        }
        self.reason.clear();
        self.reason_open = false;
    }
}

/// The rows of the list, and the inputs from which they were made. If the inputs change, the list is made again.
#[derive(Debug, Clone, Default)]
pub(super) struct CardList {
    key: Option<CardListKey>,
    pub(super) rows: Vec<usize>,
}

type CardListKey = (u64, usize, Filter, Order, BTreeSet<CardKey>, Vec<CardKey>);

impl ReviewView {
    /// Updates the list of cards and the focus.
    pub fn list(&mut self, model: &ReviewModel) {
        let decided_keys: Vec<CardKey> = self.decided_cards.keys().cloned().collect();
        let (position, count) = (model.position, model.cards.len());
        let key = (position, count, self.filter.clone(), self.order, self.deferred.clone(), decided_keys);
        if self.card_list.key.as_ref() != Some(&key) {
            let mut rows = model.listed_rows(&self.filter, self.order, |key| self.deferred.contains(key));
            if !self.decided_cards.is_empty() {
                rows.retain(|row| !self.decided_cards.contains_key(&model.cards[*row].key));
            }
            // If more than one row disappeared or rows were added, all heights are unknown.
            if rows.len() + 1 != self.card_list.rows.len() {
                self.heights.clear();
            } else {
                self.heights.remove(self.row);
            }
            // If the focused card is no longer listed, the next card gets the focus.
            let is_same_model = |(p, c, ..): &CardListKey| (*p, *c) == (position, count);
            if self.card_list.key.as_ref().is_some_and(is_same_model)
                && let Some(focus) = &self.focus
                && !model.index_of(focus).is_some_and(|index| rows.contains(&index))
            {
                let after = self.card_list.rows.iter().skip(self.row);
                let before = self.card_list.rows.iter().take(self.row).rev();
                if let Some(next) = after.chain(before).find(|row| rows.contains(row)) {
                    self.focus = Some(model.cards[*next].key.clone());
                    self.fact = 0;
                    self.scroll_to_focus = true;
                }
            }
            self.card_list = CardList { key: Some(key), rows };
        }
        let row_of = |focus: &CardKey| {
            let index = model.index_of(focus)?;
            self.card_list.rows.iter().position(|row| *row == index)
        };
        match self.focus.as_ref().and_then(row_of) {
            Some(row) => self.row = row,
            // The focused card is no longer listed, so the card in its row gets the focus.
            None => self.set_row(model, self.row),
        }
    }

    /// Moves the focus to the card at an index of the list.
    pub fn set_row(&mut self, model: &ReviewModel, row: usize) {
        self.row = row.min(self.card_list.rows.len().saturating_sub(1));
        let key = self.card_list.rows.get(self.row).map(|row| model.cards[*row].key.clone());
        if key != self.focus {
            self.focus = key;
            self.fact = 0;
            self.scroll_to_focus = true;
        }
    }

    /// Returns the facts to which a decision on a card applies. For a card with several facts, this is the selected
    /// fact.
    pub(super) fn facts_of(&self, key: &CardKey, model: &ReviewModel) -> Vec<FactId> {
        match key {
            CardKey::Fact(id) => vec![*id],
            CardKey::Contradiction(ids) => {
                let fact_index = if self.focus.as_ref() == Some(key) { self.fact } else { 0 };
                // The details list the facts in display order.
                let fact = match model.details.get(key) {
                    Some(CardDetail::Facts(facts)) => facts.get(fact_index).map(|fact| fact.id),
                    _ => ids.get(fact_index).copied(),
                };
                fact.into_iter().collect()
            }
            CardKey::Duplicate(..) | CardKey::Stub(_) => Vec::new(),
        }
    }
}

/// An action that the user chose in the panel. The caller carries out the action.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewAction {
    /// Record the DM's decision on facts.
    Decide {
        /// The facts on which the DM decided.
        facts: Vec<FactId>,
        /// The decision on each fact.
        decision: Decision,
        /// The reason to store with the decision, if the user typed one.
        reason: Option<String>,
    },
    /// Accept one of several contradicting facts, and mark the others as false.
    OnlyThis {
        /// The fact to accept.
        fact: FactId,
        /// The facts to mark as false.
        others: Vec<FactId>,
        /// The reason to store with the decision, if the user typed one.
        reason: Option<String>,
    },
    /// Make facts secret or open.
    SetSecrecy {
        /// The facts whose secrecy changes.
        facts: Vec<FactId>,
        /// Whether to make the facts secret. If `false`, the facts become open.
        secret: bool,
    },
    /// Exclude knowers who would otherwise learn a secret.
    KeepFrom {
        /// The secret fact.
        fact: FactId,
        /// The knowers that must not know the fact.
        knowers: BTreeSet<Knower>,
    },
    /// Merge two entities.
    Merge {
        /// Entity that the merge removes.
        from: EntityId,
        /// Entity that remains after the merge.
        into: EntityId,
    },
    /// Record that two entities are different.
    NotTheSame(EntityId, EntityId),
    /// Remove a stub: an entity with a name and no other facts.
    Remove(EntityId),
    /// Show an entity.
    Show(EntityId),
    /// Show a fact.
    ShowFact(FactId),
    /// Show an error.
    ShowError(String),
    /// Undo the newest change.
    Undo,
    /// Redo the newest undo.
    Redo,
}
