//! What the eye holds in the review panel, and what it asks for.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_memory::Decision;
use hearsay_model::{EntityId, FactId};
use serde::{Deserialize, Serialize};

use super::model::{CardKey, Detail, FactDetail, Filter, Order, ReviewModel, Target};
use crate::widgets::{Completion, Heights};

/// An edit under way. It is kept when the window closes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// The fact.
    pub fact: FactId,
    /// Of whom it is so.
    pub subject: String,
    /// What is so.
    pub predicate: String,
    /// What it points at.
    pub object: String,
    /// The sentence; made anew from the parts, where it is empty.
    pub statement: String,
    /// What it was, so that only what was changed is sent.
    before: [String; 4],
}

impl Draft {
    /// An edit of a fact, as it is.
    pub fn of(fact: &FactDetail) -> Self {
        let (subject, predicate) = (fact.subject.name.clone(), fact.predicate.clone());
        let (object, statement) = (fact.object.text().to_owned(), fact.statement.text.clone());
        let before = [subject.clone(), predicate.clone(), object.clone(), statement.clone()];
        Self { fact: fact.id, subject, predicate, object, statement, before }
    }

    /// The decision that accepts it as it was edited.
    pub fn decision(&self, fact: Option<&FactDetail>) -> Decision {
        let [subject, predicate, object, statement] = &self.before;
        let changed = |now: &str, before: &String| (now.trim() != before).then(|| now.trim().to_owned());
        // Two may have one name: what was not retyped is meant by its id.
        let parts =
            [changed(&self.subject, subject), changed(&self.predicate, predicate), changed(&self.object, object)];
        let rest_is_same = parts.iter().all(Option::is_none);
        let [subject, predicate, object] = parts;
        let statement = match changed(&self.statement, statement) {
            Some(words) if !words.is_empty() => Some(words),
            // Other parts need another sentence; the same parts keep theirs.
            _ if rest_is_same => fact.map(|fact| fact.statement.text.clone()).or(Some(statement.clone())),
            _ => None,
        };
        Decision::Edit { subject, predicate, object, statement }
    }

    /// Whether the object is an entity, as far as the fact is known.
    pub fn points_at_entity(fact: Option<&FactDetail>) -> bool {
        fact.is_none_or(|fact| matches!(fact.object, Target::Entity(_)))
    }
}

/// What the eye holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewView {
    /// The card that has the focus.
    pub focus: Option<CardKey>,
    /// Its row, when it was last there: where the eye is.
    pub row: usize,
    /// Which fact of a card with several.
    pub fact: usize,
    /// The cards that are selected.
    pub selected: BTreeSet<CardKey>,
    /// The cards that were put off: they come last.
    pub put_off: BTreeSet<CardKey>,
    /// In which order.
    pub order: Order,
    /// Which.
    pub filter: Filter,
    /// The edits under way.
    pub drafts: BTreeMap<FactId, Draft>,
    /// The edit that was sent last: it is there again, if it cannot be so.
    pub sent: Option<Draft>,
    /// Why, for the next decision.
    pub reason: String,
    /// Whether the field for it is open.
    pub reason_open: bool,
    /// Whether the filters are open.
    pub filters_open: bool,
    /// What was decided here and is still in the model, with the operation that did it once it is known.
    #[serde(skip)]
    pub gone: BTreeMap<CardKey, Option<u64>>,
    /// What was typed into the entity filter.
    pub entity_typed: String,
    #[serde(skip)]
    pub(super) entity_completion: Completion,
    #[serde(skip)]
    pub(super) draft_completion: [Completion; 2],
    #[serde(skip)]
    pub(super) heights: Heights,
    #[serde(skip)]
    pub(super) listed: Listed,
    /// The field that is to get the keyboard.
    #[serde(skip)]
    pub(super) give_focus: Option<&'static str>,
    /// Whether the DM chose a card here: until then the first card has the focus, whatever comes.
    #[serde(skip)]
    pub(super) touched: bool,
    /// Whether players looked at the screen when it was drawn last: the list is worked out once for both.
    #[serde(skip)]
    pub(super) screen_safe: bool,
    /// Whether the focus moved, so that the list scrolls to it.
    #[serde(skip)]
    pub(super) moved: bool,
}

impl ReviewView {
    /// Why, if anything was said.
    pub(super) fn reason(&self) -> Option<String> {
        Some(self.reason.trim().to_owned()).filter(|reason| !reason.is_empty())
    }

    /// Begins to edit a fact; what was typed already stays.
    pub(super) fn begin_edit(&mut self, fact: &FactDetail) {
        self.drafts.entry(fact.id).or_insert_with(|| Draft::of(fact));
        self.give_focus = Some("draft");
    }

    /// The edit of a card that is under way.
    pub(super) fn draft_of(&self, key: &CardKey) -> Option<&Draft> {
        self.drafts.values().find(|draft| key.has(draft.fact))
    }

    /// Whether the card that has the focus is being edited.
    pub(super) fn edits_focus(&self) -> bool {
        self.focus.as_ref().is_some_and(|key| self.draft_of(key).is_some())
    }

    pub(super) fn drop_draft(&mut self, key: &CardKey) {
        self.drafts.retain(|fact, _| !key.has(*fact));
    }

    /// Takes cards away that were decided on. What was for one decision is not for the next.
    pub(super) fn decided(&mut self, cards: impl IntoIterator<Item = CardKey>) {
        for key in cards {
            self.drop_draft(&key);
            self.gone.insert(key, None);
        }
        self.reason.clear();
        self.reason_open = false;
    }
}

/// The rows of the list, worked out once for what they depend on.
#[derive(Debug, Clone, Default)]
pub(super) struct Listed {
    key: Option<ListedKey>,
    pub(super) rows: Vec<usize>,
}

type ListedKey = (u64, usize, Filter, Order, BTreeSet<CardKey>, Vec<CardKey>, bool);

impl ReviewView {
    /// Works out which cards are listed, and where the focus is.
    pub fn list(&mut self, model: &ReviewModel, screen_safe: bool) {
        let gone: Vec<CardKey> = self.gone.keys().cloned().collect();
        let (position, count) = (model.position, model.heads.len());
        let key = (position, count, self.filter.clone(), self.order, self.put_off.clone(), gone, screen_safe);
        if self.listed.key.as_ref() != Some(&key) {
            let mut rows = model.listed(&self.filter, self.order, |key| self.put_off.contains(key), screen_safe);
            if !self.gone.is_empty() {
                rows.retain(|row| !self.gone.contains_key(&model.heads[*row].key));
            }
            // Other rows have other heights.
            if rows.len() + 1 != self.listed.rows.len() {
                self.heights.clear();
            } else {
                self.heights.remove(self.row);
            }
            // What had the focus is decided: what comes after it has it now.
            let same_model = |(p, c, ..): &ListedKey| (*p, *c) == (position, count);
            if self.listed.key.as_ref().is_some_and(same_model)
                && let Some(focus) = &self.focus
                && !model.place(focus).is_some_and(|place| rows.contains(&place))
            {
                let after = self.listed.rows.iter().skip(self.row);
                let before = self.listed.rows.iter().take(self.row).rev();
                if let Some(next) = after.chain(before).find(|row| rows.contains(row)) {
                    self.focus = Some(model.heads[*next].key.clone());
                    self.fact = 0;
                    self.moved = true;
                }
            }
            self.listed = Listed { key: Some(key), rows };
        }
        let at = |focus: &CardKey| {
            let place = model.place(focus)?;
            self.listed.rows.iter().position(|row| *row == place)
        };
        match self.focus.as_ref().and_then(at) {
            Some(row) => self.row = row,
            // What had the focus is decided: what is where it was has it now.
            None => self.set_row(model, self.row),
        }
    }

    /// Gives the focus to a row.
    pub fn set_row(&mut self, model: &ReviewModel, row: usize) {
        self.row = row.min(self.listed.rows.len().saturating_sub(1));
        let key = self.listed.rows.get(self.row).map(|row| model.heads[*row].key.clone());
        if key != self.focus {
            self.focus = key;
            self.fact = 0;
            self.moved = true;
        }
    }

    /// The facts of a card that a decision is for: of a card with several, the one that is chosen.
    pub(super) fn facts_of(&self, key: &CardKey, model: &ReviewModel) -> Vec<FactId> {
        match key {
            CardKey::Fact(id) => vec![*id],
            CardKey::Clash(ids) => {
                let chosen = if self.focus.as_ref() == Some(key) { self.fact } else { 0 };
                // The details order them as they are shown.
                let shown = match model.details.get(key) {
                    Some(Detail::Facts(facts)) => facts.get(chosen).map(|fact| fact.id),
                    _ => ids.get(chosen).copied(),
                };
                shown.into_iter().collect()
            }
            CardKey::Twins(..) | CardKey::Stub(_) => Vec::new(),
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewAction {
    /// A decision on facts.
    Decide {
        /// The facts.
        facts: Vec<FactId>,
        /// What is said of them.
        decision: Decision,
        /// Why.
        reason: Option<String>,
    },
    /// Of facts that clash, only this is so: the others are false.
    OnlyThis {
        /// What is so.
        fact: FactId,
        /// What is not.
        others: Vec<FactId>,
        /// Why.
        reason: Option<String>,
    },
    /// Facts become secrets, or open.
    Keep {
        /// The facts.
        facts: Vec<FactId>,
        /// Whether they become secrets.
        secret: bool,
    },
    /// Two entities are one.
    Merge {
        /// Which is there no more.
        gone: EntityId,
        /// Which it is.
        into: EntityId,
    },
    /// Two entities are two.
    NotTheSame(EntityId, EntityId),
    /// A stub goes.
    Remove(EntityId),
    /// Show an entity.
    Show(EntityId),
    /// Show a fact.
    ShowFact(FactId),
    /// Undo.
    Undo,
    /// Redo.
    Redo,
}
