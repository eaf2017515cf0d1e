//! Imports: files are read and compared on background threads.

use std::{
    collections::BTreeSet,
    io::BufReader,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use crossbeam_channel::Sender;
use hearsay_campaign::{Campaign, EarlierImports, ImportPlan, ImportReport, Limits, ReadOptions, read_any};
use hearsay_model::{Author, Change, EntityId, Operation, Position, SessionId, State};

use super::{Internal, guarded};
use crate::{
    ImportOptions, ImportOutcome, ImportProgress, ImportStage, MemoryError, ReadSnapshot, clock::now, ticket::Responder,
};

/// Reads campaign files or an export, compares them with the state, and answers the request.
pub(super) fn dry_run(
    snapshot: &ReadSnapshot,
    path: &Path,
    options: &ImportOptions,
    responder: Responder<ImportOutcome>,
) {
    let source = read(path, options, EarlierImports::from_state(&snapshot.state), &responder);
    let plan = source.and_then(|source| guarded(|| Ok(source.plan(&snapshot.state))));
    responder.give(plan.map(|plan| {
        let is_change = plan.operation.is_some();
        ImportOutcome { report: plan.report, written: None, is_change }
    }));
}

/// Reads campaign files or an export, then requests a turn to write.
pub(super) fn import(
    snapshot: ReadSnapshot,
    path: &Path,
    options: ImportOptions,
    responder: Responder<ImportOutcome>,
    internal: &Sender<Internal>,
) {
    options.progress.set(ImportStage::Reading);
    let earlier = EarlierImports::from_state(&snapshot.state);
    // Drops the snapshot, because the worker can change its state in place only if it has the only reference.
    drop(snapshot);
    let source = match read(path, &options, earlier, &responder) {
        Ok(source) => source,
        Err(error) => return responder.give(Err(error)),
    };
    let progress = options.progress;
    progress.set(ImportStage::Waiting);
    let (source, report) = (Some(source), ImportReport::default());
    let import = Import { source, plan: None, comparison: Comparison::default(), report, progress, responder };
    let _ = internal.send(Internal::Import(Box::new(import)));
}

/// Reads files. If the request is cancelled meanwhile, returns the cancellation rather than errors due to partly read
/// files.
fn read(
    path: &Path,
    options: &ImportOptions,
    earlier: EarlierImports,
    responder: &Responder<ImportOutcome>,
) -> Result<Source, MemoryError> {
    let source = guarded(|| Source::read(path, options, earlier, responder.cancelled()));
    if responder.is_cancelled() { Err(MemoryError::Cancelled) } else { source }
}

/// Contents of the imported files, to be compared with a state.
pub(crate) enum Source {
    /// Campaign files.
    Campaign(Box<Campaign>),
    /// Changes of an export, and the name of its file.
    Export(Vec<Change>, String),
}

impl Source {
    fn read(
        path: &Path,
        options: &ImportOptions,
        earlier: EarlierImports,
        cancelled: Arc<AtomicBool>,
    ) -> Result<Self, MemoryError> {
        let is_export = path.extension().is_some_and(|extension| extension == "jsonl");
        if options.format.is_some() || options.mapping.is_some() || !is_export {
            let options = ReadOptions {
                format: options.format,
                mapping: options.mapping.clone(),
                name: options.name.clone(),
                open_folders: options.open_folders,
                earlier,
                ..ReadOptions::default()
            };
            let limits = Limits { cancel: cancelled.into(), ..Limits::default() };
            let mut campaign = read_any(path, &options, &limits)?;
            campaign.set_recorded(now());
            return Ok(Self::Campaign(Box::new(campaign)));
        }
        let file =
            hearsay_campaign::open_file(path).map_err(|source| MemoryError::File { path: path.to_owned(), source })?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let changes = hearsay_campaign::read_jsonl(BufReader::new(file)).map_err(|mut errors| {
            for error in &mut errors.errors {
                error.file.clone_from(&name);
            }
            errors
        })?;
        Ok(Self::Export(changes, name))
    }

    fn plan(&self, state: &State) -> ImportPlan {
        match self {
            Self::Campaign(campaign) => hearsay_campaign::plan(state, campaign, now()),
            Self::Export(changes, name) => plan_export(state, changes, name),
        }
    }
}

/// Plans the import of an export. The plan contains the changes of the export that are not in the state yet.
fn plan_export(state: &State, changes: &[Change], name: &str) -> ImportPlan {
    // If an entity or session was removed before the export, the export contains it only because another record refers
    // to it.
    let mut removed: (BTreeSet<&EntityId>, BTreeSet<&SessionId>) = Default::default();
    for change in changes {
        match change {
            Change::RemoveEntity(id) => _ = removed.0.insert(id),
            Change::RemoveSession(id) => _ = removed.1.insert(id),
            _ => {}
        }
    }
    let is_stub = |change: &Change| match change {
        Change::AddEntity(entity) => removed.0.contains(&entity.id),
        Change::SetSession(session) => removed.1.contains(&session.id),
        Change::RemoveEntity(_) | Change::RemoveSession(_) => true,
        _ => false,
    };
    let is_recorded = |change: &Change| match change {
        Change::AddEntity(entity) if removed.0.contains(&entity.id) => state.entity(&entity.id).is_some(),
        Change::AddEntity(entity) => state.entity(&entity.id).is_some_and(|old| **old == *entity),
        Change::RemoveEntity(id) => state.entity(id).is_some(),
        Change::AssertFact(fact) => state.fact(fact.id()) == Some(fact),
        Change::Learn(edge) => state.recorded_knowledge(edge.fact).any(|old| old == edge),
        Change::AddPassage(passage) => state.passage(passage.id()).is_some(),
        Change::SetSession(session) if removed.1.contains(&session.id) => state.session(&session.id).is_some(),
        Change::SetSession(session) => state.session(&session.id).is_some_and(|old| **old == *session),
        Change::RemoveSession(id) => state.session(id).is_some(),
        Change::Set(setting) => state.settings().any(|old| **old == *setting),
        _ => false,
    };
    let mut changes: Vec<Change> = changes.iter().filter(|change| !is_recorded(change)).cloned().collect();
    if changes.iter().all(is_stub) {
        changes.clear();
    }
    let mut report = ImportReport { source: name.to_owned(), ..ImportReport::default() };
    for change in changes.iter().filter(|change| !is_stub(change)) {
        match change {
            Change::AddEntity(_) => *report.created.entry("entity".into()).or_default() += 1,
            Change::AssertFact(fact) => {
                if fact.predicate().is_relation() {
                    report.relations.count(fact.provenance().confidence.get());
                }
                *report.facts.entry(fact.predicate().to_string()).or_default() += 1;
            }
            Change::Learn(_) => report.knowledge += 1,
            Change::AddPassage(_) => report.passages += 1,
            Change::SetSession(_) => report.sessions += 1,
            _ => {}
        }
    }
    let summary = format!("import {name}: {} entities, {} facts", report.created_count(), report.fact_count());
    let author = Author::Importer(name.to_owned());
    let operation =
        (!changes.is_empty()).then(|| Operation { recorded: now(), ..Operation::new(author, summary, changes) });
    ImportPlan { operation, report }
}

/// An import whose files were read. The changes of the import are computed on a background thread when the turn of the
/// import comes.
pub(crate) struct Import {
    /// Contents of the files; `None` once the changes are computed.
    pub(super) source: Option<Source>,
    /// Computed changes, until their commit begins.
    pub(super) plan: Option<ImportPlan>,
    comparison: Comparison,
    pub(super) report: ImportReport,
    pub(super) progress: ImportProgress,
    pub(super) responder: Responder<ImportOutcome>,
}

/// The comparison of an import with the state.
#[derive(Default)]
struct Comparison {
    /// Contents of the files, if the comparison may have to be repeated.
    source: Option<Source>,
    /// Position of the state.
    position: Position,
    /// Number of comparisons so far.
    count: u32,
}

/// Maximum number of comparisons of an import with the state. After the last comparison, the changes are committed even
/// if another program has written to the campaign since then.
const MAX_COMPARISONS: u32 = 3;

impl Import {
    /// Compares the contents of the files with the state, and computes the changes. Then frees the contents, unless
    /// `may_repeat` is `true`, because committing the changes of a large import needs much memory.
    pub(super) fn plan(&mut self, state: &State, may_repeat: bool) -> Result<(), MemoryError> {
        if let Some(source) = self.source.take() {
            self.plan = Some(guarded(|| Ok(source.plan(state)))?);
            let count = self.comparison.count + 1;
            let source = Some(source).filter(|_| may_repeat && count < MAX_COMPARISONS);
            self.comparison = Comparison { source, position: state.position(), count };
        }
        Ok(())
    }

    /// If another program has written to the campaign after the comparison, prepares another comparison.
    pub(super) fn compare_again_if_outdated(&mut self, position: Position) {
        if self.plan.is_some() && self.comparison.position != position {
            self.compare_again();
        }
    }

    /// Prepares another comparison. Returns whether another comparison is possible.
    pub(super) fn compare_again(&mut self) -> bool {
        self.source = self.comparison.source.take();
        if self.source.is_some() {
            self.plan = None;
        }
        self.source.is_some()
    }
}

#[cfg(test)]
mod tests {
    use hearsay_model::Entity;

    use super::*;
    use crate::ticket::{OnDrop, ticket};

    #[test]
    fn a_planned_import_no_longer_holds_its_files() {
        let changes = vec![Change::AddEntity(Entity::new(EntityId::new("ann").unwrap()))];
        let (_ticket, responder) = ticket(0, OnDrop::Continue, None);
        let mut import = Import {
            source: Some(Source::Export(changes, "ann.jsonl".into())),
            plan: None,
            comparison: Comparison::default(),
            report: ImportReport::default(),
            progress: ImportProgress::default(),
            responder,
        };
        import.plan(&State::default(), true).unwrap();
        // If another program has written meanwhile, the files are compared again.
        import.compare_again_if_outdated(Position(1));
        assert!(import.source.is_some() && import.plan.is_none());
        import.plan(&State::default(), false).unwrap();
        import.compare_again_if_outdated(Position(1));
        assert!(import.source.is_none() && import.comparison.source.is_none());
        let operation = import.plan.and_then(|plan| plan.operation).unwrap();
        assert_eq!(operation.changes.len(), 1);
    }
}
