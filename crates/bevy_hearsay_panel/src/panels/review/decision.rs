//! Applies a decision (accept, reject, …) to the focused card or to the selected cards.

use hearsay_commands::review::Decision;
use hearsay_model::EntityId;

use super::{
    model::{CardDetail, CardKey, FactDetail, ReviewModel},
    view::{ReviewAction, ReviewDraft, ReviewView},
};
use crate::{commands, panel::DisplayContext};

/// A decision on a card or on all selected cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CardDecision {
    Accept,
    Reject,
    False,
    Defer,
    Secret,
}

pub(super) const CARD_DECISIONS: [(&commands::Command, CardDecision); 5] = [
    (&commands::ACCEPT, CardDecision::Accept),
    (&commands::REJECT, CardDecision::Reject),
    (&commands::MARK_FALSE, CardDecision::False),
    (&commands::DEFER, CardDecision::Defer),
    (&commands::MAKE_SECRET, CardDecision::Secret),
];

pub(super) fn toggle_selected(view: &mut ReviewView, key: CardKey) {
    if !view.selected.remove(&key) {
        view.selected.insert(key);
    }
}

/// Starts an edit of the focused card. If the details of the card are not loaded yet, the edit starts when they are
/// loaded.
pub(super) fn edit(model: &ReviewModel, view: &mut ReviewView, actions: &mut Vec<ReviewAction>) {
    let detail = view.focus.as_ref().and_then(|key| model.details.get(key));
    view.waiting_edit = view.focus.clone().filter(|_| detail.is_none());
    match detail {
        Some(CardDetail::Facts(facts)) => {
            if let Some(fact) = facts.get(view.fact) {
                view.start_edit(fact);
            }
        }
        Some(CardDetail::Stub(stub)) => actions.push(ReviewAction::Show(stub.entity.id.clone())),
        Some(CardDetail::Duplicate(..)) | None => {}
    }
}

/// Accepts a fact with the changes in a draft. If the sentence was not read yet, the draft is accepted when it has been
/// read. If the draft contains a name that does not identify an entity, shows the
/// error, and the draft stays open.
pub(super) fn accept_draft(
    display: &DisplayContext,
    mut draft: ReviewDraft,
    fact: Option<&FactDetail>,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    if draft.needs_reading() {
        draft.accepts_when_read = true;
        view.drafts.insert(draft.fact, draft);
        return;
    }
    draft.accepts_when_read = false;
    let decision = match draft.decision(fact, &display.names) {
        Ok(decision) => decision,
        Err(error) => {
            actions.push(ReviewAction::ShowError(error.to_string()));
            view.drafts.insert(draft.fact, draft);
            return;
        }
    };
    let facts = vec![draft.fact];
    actions.push(ReviewAction::Decide { facts, decision, reason: view.reason() });
    view.mark_decided(view.focus.clone());
    view.sent = Some(draft);
}

/// Applies a decision to the selected cards, or to the focused card if no card is selected.
pub(super) fn apply_decision(
    display: &DisplayContext,
    card_decision: CardDecision,
    model: &ReviewModel,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    if card_decision == CardDecision::Accept
        && view.selected.is_empty()
        && let Some(draft) = view.focus.as_ref().and_then(|key| view.draft_of(key)).cloned()
    {
        let detail = view.focus.as_ref().and_then(|key| model.details.get(key));
        let fact = match detail {
            Some(CardDetail::Facts(facts)) => facts.iter().find(|fact| fact.id == draft.fact),
            _ => None,
        };
        accept_draft(display, draft, fact, view, actions);
        return;
    }
    let keys: Vec<CardKey> = match view.selected.is_empty() {
        true => view.focus.iter().cloned().collect(),
        false => std::mem::take(&mut view.selected).into_iter().collect(),
    };
    if keys.is_empty() {
        return;
    }
    if card_decision == CardDecision::Defer {
        for key in keys {
            // Deferring a card that is already deferred ends the deferral.
            if !view.deferred.remove(&key) {
                view.deferred.insert(key);
            }
        }
        view.focus = None;
        return;
    }
    let facts: Vec<_> = keys.iter().flat_map(|key| view.facts_of(key, model)).collect();
    if card_decision == CardDecision::Secret {
        let is_secret = |key: &CardKey| model.card(key).is_some_and(|card| card.secret);
        let secret = !keys.iter().all(is_secret);
        if !facts.is_empty() {
            actions.push(ReviewAction::SetSecrecy { facts, secret });
        }
        return;
    }
    let reason = view.reason();
    let (mut fact_ids, mut decided) = (Vec::new(), Vec::new());
    for key in keys {
        match (&key, card_decision) {
            (CardKey::Fact(id), _) => fact_ids.push(*id),
            (CardKey::Contradiction(ids), CardDecision::Accept) => {
                let Some(fact) = view.facts_of(&key, model).first().copied() else { continue };
                let others = ids.iter().copied().filter(|id| *id != fact).collect();
                actions.push(ReviewAction::OnlyThis { fact, others, reason: reason.clone() });
            }
            (CardKey::Contradiction(_), _) => fact_ids.extend(view.facts_of(&key, model)),
            (CardKey::Duplicate(one, other), CardDecision::Accept) => {
                let (from, into) = fewer_facts_first(model, &key).unwrap_or_else(|| (other.clone(), one.clone()));
                actions.push(ReviewAction::Merge { from, into });
            }
            (CardKey::Duplicate(one, other), CardDecision::Reject) => {
                actions.push(ReviewAction::NotTheSame(one.clone(), other.clone()));
            }
            (CardKey::Stub(id), CardDecision::Reject) => actions.push(ReviewAction::Remove(id.clone())),
            // The decision does not apply to this kind of card, so skip it.
            (CardKey::Duplicate(..) | CardKey::Stub(_), _) => continue,
        }
        decided.push(key);
    }
    if !fact_ids.is_empty() {
        let decision = match card_decision {
            CardDecision::Accept => Decision::Accept,
            CardDecision::Reject => Decision::Reject,
            _ => Decision::False,
        };
        actions.push(ReviewAction::Decide { facts: fact_ids, decision, reason });
    }
    view.mark_decided(decided);
}

/// Returns the two entities of a duplicate card, the entity with fewer facts first.
fn fewer_facts_first(model: &ReviewModel, key: &CardKey) -> Option<(EntityId, EntityId)> {
    let Some(CardDetail::Duplicate(entities, _)) = model.details.get(key) else { return None };
    let [one, other] = &**entities;
    let (from, into) = if one.fact_count < other.fact_count { (one, other) } else { (other, one) };
    Some((from.entity.id.clone(), into.entity.id.clone()))
}
