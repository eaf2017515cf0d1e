//! Computation of the value of a record from its changes.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{
    Journal,
    rows::{FactRow, Write, Writes},
};
use crate::{Change, Entity, Fact, GameSetting, KnowledgeEdge, Passage, Session, Setting, Value};

/// Returns the changes of the writes whose operation is live. The oldest change comes first.
fn live<'a>(journal: &'a Journal, writes: &'a Writes) -> impl DoubleEndedIterator<Item = &'a Change> {
    writes.iter().filter_map(|write| {
        let entry = &journal[write.operation as usize];
        entry.live.then(|| &entry.operation.changes[write.change as usize])
    })
}

pub(super) fn fold_entity(journal: &Journal, writes: &Writes) -> Option<Arc<Entity>> {
    live(journal, writes).next_back()?.entity().cloned().map(Arc::new)
}

pub(super) fn fold_fact(journal: &Journal, row: &FactRow) -> Option<Arc<Fact>> {
    let mut value = None::<Arc<Fact>>;
    let (mut supports, mut retracted) = (SmallVec::<[&Arc<Fact>; 2]>::new(), false);
    // Only the last assertion or retraction and later writes count. However, if any write supports the fact, all writes
    // count.
    let decides = |write: &Write| {
        let entry = &journal[write.operation as usize];
        let change = &entry.operation.changes[write.change as usize];
        entry.live && matches!(change, Change::AssertFact(_) | Change::RetractFact(_))
    };
    let writes = &row.record.writes;
    let decided = if row.supported { None } else { writes.iter().rev().find(decides) };
    let counts = |write: &Write| decided.is_none_or(|decided| *write >= decided);
    let mut newest: SmallVec<[Write; 4]> = writes.iter().rev().take_while(counts).collect();
    newest.reverse();
    let live = newest.iter().filter_map(|write| {
        let entry = &journal[write.operation as usize];
        entry.live.then(|| &entry.operation.changes[write.change as usize])
    });
    // Decisions on a reverted assertion. They apply again if a support records the fact again.
    let mut decisions = SmallVec::<[&Change; 2]>::new();
    for change in live {
        match change {
            Change::AssertFact(fact) => {
                (value, retracted) = (Some(Arc::clone(fact)), false);
                decisions.clear();
            }
            Change::RetractFact(_) => {
                (value, retracted) = (None, true);
                supports.clear();
                decisions.clear();
            }
            Change::Support(_) if retracted => {}
            Change::Support(fact) => {
                supports.push(fact);
                let value = value.get_or_insert_with(|| Arc::clone(fact));
                decisions.drain(..).for_each(|decision| decision.decide(Arc::make_mut(value)));
            }
            decision => match value.as_mut() {
                Some(fact) => decision.decide(Arc::make_mut(fact)),
                None => decisions.push(decision),
            },
        }
    }
    // Support remains in effect when the fact is asserted again.
    if let Some(fact) = value.as_mut().filter(|_| !supports.is_empty()).map(Arc::make_mut) {
        supports.into_iter().for_each(|support| fact.support(support));
    }
    value
}

pub(super) fn fold_knowledge(journal: &Journal, writes: &Writes) -> Option<Arc<KnowledgeEdge>> {
    live(journal, writes).next_back()?.edge().cloned()
}

pub(super) fn fold_passage(journal: &Journal, writes: &Writes) -> Option<Arc<Passage>> {
    let mut talk_kind = None;
    for change in live(journal, writes).rev() {
        if let Change::SetTalkKind { kind, .. } = change {
            talk_kind = talk_kind.or(Some(*kind));
            continue;
        }
        let mut passage = Arc::clone(change.passage()?);
        if talk_kind.is_some() && passage.talk_kind != talk_kind {
            Arc::make_mut(&mut passage).talk_kind = talk_kind;
        }
        return Some(passage);
    }
    None
}

pub(super) fn fold_session(journal: &Journal, writes: &Writes) -> Option<Arc<Session>> {
    live(journal, writes).next_back()?.session().cloned().map(Arc::new)
}

pub(super) fn fold_setting(journal: &Journal, writes: &Writes) -> Option<Arc<Setting>> {
    // Iterate from the newest write to the oldest, because some settings, such as the clock, have very many writes.
    let mut set = SmallVec::<[&Value; 1]>::new();
    for change in live(journal, writes).rev() {
        match change {
            Change::Set(Setting::Game(GameSetting::Flag { name, value })) => {
                // A flag whose declaration was reverted does not exist. A value is ignored if its type differs from
                // the type of the declared value.
                let value = set.into_iter().find(|newer| newer.kind() == value.kind()).unwrap_or(value);
                return Some(Arc::new(Setting::Game(GameSetting::Flag { name: name.clone(), value: value.clone() })));
            }
            Change::Set(setting) => return Some(Arc::new(setting.clone())),
            Change::Unset(_) => return None,
            Change::SetFlag { value, .. } => set.push(value),
            _ => {}
        }
    }
    None
}
