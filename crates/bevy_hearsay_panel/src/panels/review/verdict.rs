//! Applies a verdict (accept, reject, …) to the focused card or to the selected cards.

use hearsay_commands::review::Decision;
use hearsay_model::EntityId;

use super::{
    model::{CardKey, Detail, FactDetail, ReviewModel},
    view::{Draft, ReviewAction, ReviewView},
};
use crate::commands;

/// A verdict on a card or on all selected cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Accept,
    Reject,
    False,
    Defer,
    Secret,
}

pub(super) const VERDICTS: [(&commands::Command, Verdict); 5] = [
    (&commands::ACCEPT, Verdict::Accept),
    (&commands::REJECT, Verdict::Reject),
    (&commands::MARK_FALSE, Verdict::False),
    (&commands::DEFER, Verdict::Defer),
    (&commands::MAKE_SECRET, Verdict::Secret),
];

pub(super) fn toggle_selected(view: &mut ReviewView, key: CardKey) {
    if !view.selected.remove(&key) {
        view.selected.insert(key);
    }
}

/// Starts an edit of the focused card.
pub(super) fn edit(model: &ReviewModel, view: &mut ReviewView, actions: &mut Vec<ReviewAction>) {
    let detail = view.focus.as_ref().and_then(|key| model.details.get(key));
    match detail {
        Some(Detail::Facts(facts)) => {
            if let Some(fact) = facts.get(view.fact) {
                view.begin_edit(fact);
            }
        }
        Some(Detail::Stub(twin)) => actions.push(ReviewAction::Show(twin.named.id.clone())),
        Some(Detail::Twins(..)) | None => {}
    }
}

/// Accepts a fact with the changes in a draft.
pub(super) fn accept_draft(
    draft: Draft,
    fact: Option<&FactDetail>,
    view: &mut ReviewView,
    actions: &mut Vec<ReviewAction>,
) {
    let (decision, facts) = (draft.decision(fact), vec![draft.fact]);
    actions.push(ReviewAction::Decide { facts, decision, reason: view.reason() });
    view.decided(view.focus.clone());
    view.sent = Some(draft);
}

/// Applies a verdict to the selected cards, or to the focused card if no card is selected.
pub(super) fn give(verdict: Verdict, model: &ReviewModel, view: &mut ReviewView, actions: &mut Vec<ReviewAction>) {
    if verdict == Verdict::Accept
        && view.selected.is_empty()
        && let Some(draft) = view.focus.as_ref().and_then(|key| view.draft_of(key)).cloned()
    {
        let detail = view.focus.as_ref().and_then(|key| model.details.get(key));
        let fact = match detail {
            Some(Detail::Facts(facts)) => facts.iter().find(|fact| fact.id == draft.fact),
            _ => None,
        };
        accept_draft(draft, fact, view, actions);
        return;
    }
    let keys: Vec<CardKey> = match view.selected.is_empty() {
        true => view.focus.iter().cloned().collect(),
        false => std::mem::take(&mut view.selected).into_iter().collect(),
    };
    if keys.is_empty() {
        return;
    }
    if verdict == Verdict::Defer {
        for key in keys {
            // Deferring a card that is already deferred ends the deferral.
            if !view.put_off.remove(&key) {
                view.put_off.insert(key);
            }
        }
        view.focus = None;
        return;
    }
    let facts: Vec<_> = keys.iter().flat_map(|key| view.facts_of(key, model)).collect();
    if verdict == Verdict::Secret {
        let is_secret = |key: &CardKey| model.head(key).is_some_and(|head| head.secret);
        let secret = !keys.iter().all(is_secret);
        if !facts.is_empty() {
            actions.push(ReviewAction::Keep { facts, secret });
        }
        return;
    }
    let reason = view.reason();
    let (mut plain, mut gone) = (Vec::new(), Vec::new());
    for key in keys {
        match (&key, verdict) {
            (CardKey::Fact(id), _) => plain.push(*id),
            (CardKey::Clash(ids), Verdict::Accept) => {
                let Some(fact) = view.facts_of(&key, model).first().copied() else { continue };
                let others = ids.iter().copied().filter(|id| *id != fact).collect();
                actions.push(ReviewAction::OnlyThis { fact, others, reason: reason.clone() });
            }
            (CardKey::Clash(_), _) => plain.extend(view.facts_of(&key, model)),
            (CardKey::Twins(one, other), Verdict::Accept) => {
                let (gone, into) = smaller(model, &key).unwrap_or_else(|| (other.clone(), one.clone()));
                actions.push(ReviewAction::Merge { gone, into });
            }
            (CardKey::Twins(one, other), Verdict::Reject) => {
                actions.push(ReviewAction::NotTheSame(one.clone(), other.clone()));
            }
            (CardKey::Stub(id), Verdict::Reject) => actions.push(ReviewAction::Remove(id.clone())),
            // The verdict does not apply to this kind of card, so skip it.
            (CardKey::Twins(..) | CardKey::Stub(_), _) => continue,
        }
        gone.push(key);
    }
    if !plain.is_empty() {
        let decision = match verdict {
            Verdict::Accept => Decision::Accept,
            Verdict::Reject => Decision::Reject,
            _ => Decision::False,
        };
        actions.push(ReviewAction::Decide { facts: plain, decision, reason });
    }
    view.decided(gone);
}

/// Returns the two entities of a duplicate card, the entity with fewer facts first.
fn smaller(model: &ReviewModel, key: &CardKey) -> Option<(EntityId, EntityId)> {
    let Some(Detail::Twins(twins, _)) = model.details.get(key) else { return None };
    let [one, other] = &**twins;
    let (gone, into) = if one.fact_count < other.fact_count { (one, other) } else { (other, one) };
    Some((gone.named.id.clone(), into.named.id.clone()))
}
