//! Waiting writes. When its turn comes, a write computes its operation. After the commit, the write sends the answer to
//! its caller.

use std::sync::Arc;

use hearsay_campaign::ImportPlan;
use hearsay_commands::{
    game_event::EventPlan,
    merge::MergePlan,
    patches::{Patches, RefusedField},
    policy::Policy,
    proposal::{ProposalCounts, ProposalRules},
    reading::{self, Findings},
};
use hearsay_model::{ApplyError, Author, EntityId, FactId, Operation, PassageId, TalkKind, TransientUpdate};

use super::{guarded, import::Import, outcome::Outcome, remote_write::RemoteWrite};
use crate::{
    EventOutcome, ImportOutcome, ImportStage, MemoryError, Patched, ReadSnapshot, Written, clock::now,
    sharing::PreparedWrite, ticket::Responder,
};

/// Function that computes the operation of a write from the state when its turn comes. Called again if the write is
/// postponed.
pub(crate) type Make = Box<dyn FnMut(&ReadSnapshot) -> Result<Operation, MemoryError> + Send>;

/// Function that computes the plan of a game event from the state when its turn comes. Called again if the write is
/// postponed.
pub(crate) type MakeEvent = Box<dyn FnMut(&ReadSnapshot) -> Result<EventPlan, MemoryError> + Send>;

/// Function that computes an operation from proposals, and counts their outcomes.
pub(crate) type MakeProposed =
    Box<dyn FnMut(&ReadSnapshot) -> Result<(Option<Operation>, ProposalCounts), MemoryError> + Send>;

/// A waiting write with its responder.
pub(crate) enum Write {
    /// One operation.
    Operation { make: Make, responder: Responder<Written> },
    /// A game event, and its facts and the characters that perceive it at the last attempt.
    GameEvent { make: MakeEvent, facts: Vec<FactId>, heard_by: Vec<EntityId>, responder: Responder<EventOutcome> },
    /// Proposals, and the counts of their outcomes at the last attempt.
    Proposals { make: MakeProposed, counts: ProposalCounts, responder: Responder<ProposalCounts> },
    /// Patches from a game, and the fields that failed at the last attempt.
    Patches { patches: Arc<Patches>, author: Author, refused: Vec<RefusedField>, responder: Responder<Patched> },
    /// Records transient values as facts before another write that would lose them.
    RecordTransients,
    /// An import whose files were read.
    Import(Box<Import>),
    /// Findings from a passage, and the counts of their outcomes at the last attempt.
    Findings { findings: Box<Findings>, policy: Policy, counts: ProposalCounts },
    /// Kinds of talk of lines, as the extractor found them.
    TalkKinds(Vec<(PassageId, TalkKind)>),
    /// A merge of near-certain duplicates, without a responder.
    Merge(Box<MergePlan>),
    /// An operation that the memory itself records, without a responder.
    Own(Operation),
    /// A write of a program that is attached to this one.
    Remote(Box<RemoteWrite>),
    /// A write that another program has committed.
    Foreign,
    /// A write that was sent to a server, and whose caller was told that its outcome is uncertain. It is not computed
    /// again.
    #[cfg_attr(not(feature = "remote"), allow(dead_code))]
    Unanswered,
}

impl Write {
    pub(super) fn is_cancelled(&self) -> bool {
        match self {
            Self::Operation { responder, .. } => responder.is_cancelled(),
            Self::GameEvent { responder, .. } => responder.is_cancelled(),
            Self::Proposals { responder, .. } => responder.is_cancelled(),
            Self::Patches { responder, .. } => responder.is_cancelled(),
            Self::Import(import) => import.responder.is_cancelled(),
            _ => false,
        }
    }

    /// Returns whether a caller of this memory waits for the write.
    pub(super) fn has_caller(&self) -> bool {
        matches!(
            self,
            Self::Operation { .. }
                | Self::GameEvent { .. }
                | Self::Proposals { .. }
                | Self::Patches { .. }
                | Self::Import(_)
        )
    }

    /// Prepares another attempt to commit the write, after another program committed a write first.
    pub(super) fn retry(&mut self, prepared: PreparedWrite) {
        // Other writes are computed again from the new state. An import is compared again only a few times, because
        // other programs may write all the time.
        if let Self::Import(import) = self
            && !import.compare_again()
        {
            let report = std::mem::take(&mut import.report);
            let operation = prepared.operation.map(Arc::unwrap_or_clone);
            import.plan = Some(ImportPlan { report, operation });
        }
    }

    /// Computes the changes to write. Returns no changes if there is nothing to write.
    pub(super) fn make(&mut self, snapshot: &ReadSnapshot) -> Result<PreparedWrite, MemoryError> {
        let mut transients = TransientUpdate::default();
        let operation = match self {
            Self::Operation { make, .. } => Some(guarded(|| make(snapshot))?),
            Self::GameEvent { make, facts, heard_by, .. } => {
                let plan = guarded(|| make(snapshot))?;
                (*facts, *heard_by) = (plan.facts, plan.heard_by);
                Some(plan.operation)
            }
            Self::Proposals { make, counts, .. } => {
                let (operation, now) = guarded(|| make(snapshot))?;
                *counts = now;
                operation
            }
            Self::Patches { patches, author, refused, .. } => {
                let plan = guarded(|| Ok(patches.plan(&snapshot.state, author.clone(), now())))?;
                *refused = plan.refused;
                transients = plan.transients;
                (!plan.operation.changes.is_empty()).then_some(plan.operation)
            }
            Self::Import(import) => import.plan.take().and_then(|plan| {
                import.progress.set(ImportStage::Writing);
                import.report = plan.report;
                plan.operation
            }),
            Self::Findings { findings, policy, counts } => {
                let (operation, now) = guarded(|| {
                    let rules = ProposalRules { policy, learned: &snapshot.learned };
                    Ok(reading::operation(&snapshot.state, &rules, findings, now())?)
                })?;
                *counts = now;
                operation
            }
            Self::TalkKinds(kinds) => reading::record_talk_kinds(&snapshot.state, kinds, now()),
            // One of the two entities may no longer exist, for example because it has been merged into a third entity.
            Self::Merge(plan) => {
                let both_exist = [&plan.gone, &plan.into].into_iter().all(|id| snapshot.state.entity(id).is_some());
                if both_exist { Some(guarded(|| Ok(plan.refreshed_operation(&snapshot.state, now())?))?) } else { None }
            }
            Self::Own(operation) => Some(operation.clone()),
            Self::Remote(remote) => {
                let prepared = remote.prepare(snapshot.state.position().next())?;
                if let Some(operation) = &prepared.operation {
                    snapshot.state.check(operation)?;
                }
                return Ok(prepared);
            }
            Self::Foreign | Self::Unanswered => None,
            Self::RecordTransients => {
                let changes = snapshot.state.all_transients();
                let operation = Operation::new(Author::Game, "save the state of the campaign", changes);
                (!operation.changes.is_empty()).then_some(Operation { recorded: now(), ..operation })
            }
        };
        let operation = operation.map(|mut operation| {
            operation.changes.splice(..0, snapshot.state.recorded_transients(&operation));
            Arc::new(operation)
        });
        if let Some(operation) = &operation {
            snapshot.state.check(operation)?;
        }
        Ok(PreparedWrite { operation, transients })
    }

    /// Sends the answer to the caller, or logs the error of a write without a responder.
    pub(super) fn finish(self, outcome: Result<Option<Outcome>, MemoryError>) {
        match self {
            Self::Operation { responder, .. } => {
                let written = outcome.map(|outcome| outcome.and_then(|outcome| outcome.written));
                responder.give(written.and_then(|written| Ok(written.ok_or(ApplyError::Empty)?)));
            }
            Self::GameEvent { facts, heard_by, responder, .. } => {
                let written = outcome.map(|outcome| outcome.and_then(|outcome| outcome.written));
                responder.give(written.and_then(|written| {
                    let written = written.ok_or(ApplyError::Empty)?;
                    Ok(EventOutcome { written, facts, heard_by })
                }));
            }
            Self::Proposals { counts, responder, .. } => responder.give(outcome.map(|_| counts)),
            Self::Patches { refused, responder, .. } => {
                responder.give(outcome.map(|outcome| {
                    let revision = outcome.as_ref().map(|outcome| outcome.revision);
                    Patched { written: outcome.and_then(|outcome| outcome.written), revision, refused }
                }));
            }
            Self::Import(import) => {
                let Import { report, progress, responder, .. } = *import;
                progress.set(ImportStage::Done);
                let written = outcome.map(|outcome| outcome.and_then(|outcome| outcome.written));
                responder.give(written.map(|written| {
                    let is_change = written.is_some();
                    ImportOutcome { report, written, is_change }
                }));
            }
            Self::Findings { findings, .. } => {
                if let Err(error) = outcome {
                    tracing::warn!("the facts extracted from {} were not written: {error}", findings.passage.id());
                }
            }
            Self::Remote(remote) => remote.finish(outcome),
            Self::TalkKinds(_)
            | Self::Merge(_)
            | Self::Own(_)
            | Self::RecordTransients
            | Self::Foreign
            | Self::Unanswered => {
                if let Err(error) = outcome {
                    tracing::warn!("an automatic write failed: {error}");
                }
            }
        }
    }
}
