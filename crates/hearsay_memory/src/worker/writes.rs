//! Writes: made at their turn from the committed state, committed in groups, applied and answered after the commit.

use std::{
    collections::{BTreeSet, VecDeque},
    fs::File,
    io::BufReader,
    path::Path,
    sync::Arc,
};

use crossbeam_channel::Sender;
use hearsay_campaign::{Campaign, ImportPlan, ImportReport, Limits};
use hearsay_model::{Author, Change, Key, Operation, Position, State};
use hearsay_store::projection::rows;

use super::{Event, Internal, Worker, World};
use crate::{ImportOutcome, MemoryError, Proposed, Written, memory::now, ticket::Responder};

/// Makes an operation from the state at the moment of its turn. It may be asked again, when the turn is put off.
pub(crate) type Make = Box<dyn FnMut(&World) -> Result<Operation, MemoryError> + Send>;

/// Makes an operation from proposals.
pub(crate) type MakeProposed = Box<dyn FnMut(&World) -> Result<(Option<Operation>, Proposed), MemoryError> + Send>;

/// Something that waits to be written.
pub(crate) trait Turn: Send {
    /// The operation; none, when there is nothing to write.
    fn make(&mut self, world: &World) -> Result<Option<Arc<Operation>>, MemoryError>;
    /// Whether nobody waits for it any more.
    fn is_cancelled(&self) -> bool;
    /// Proposals that were dropped by the policy.
    fn dropped(&self) -> usize {
        0
    }
    /// Gives the answer.
    fn finish(self: Box<Self>, written: Result<Option<Written>, MemoryError>);
}

type MakeJob<E> = Box<dyn FnMut(&World) -> Result<(Option<Arc<Operation>>, E), MemoryError> + Send>;

struct Job<T, E> {
    make: MakeJob<E>,
    extra: Option<E>,
    dropped: fn(&E) -> usize,
    finish: fn(Option<Written>, E) -> Result<T, MemoryError>,
    responder: Responder<T>,
}

impl<T: Send, E: Send> Turn for Job<T, E> {
    fn make(&mut self, world: &World) -> Result<Option<Arc<Operation>>, MemoryError> {
        let (operation, extra) = (self.make)(world)?;
        self.extra = Some(extra);
        Ok(operation)
    }

    fn is_cancelled(&self) -> bool {
        self.responder.is_cancelled()
    }

    fn dropped(&self) -> usize {
        self.extra.as_ref().map_or(0, self.dropped)
    }

    fn finish(self: Box<Self>, written: Result<Option<Written>, MemoryError>) {
        let Self { extra, finish, responder, .. } = *self;
        let answer = written.and_then(|written| match extra {
            Some(extra) => finish(written, extra),
            None => Err(MemoryError::Closed),
        });
        responder.give(answer);
    }
}

/// A write that answers with what was written.
pub(super) fn simple(mut make: Make, responder: Responder<Written>) -> Box<dyn Turn> {
    Box::new(Job {
        make: Box::new(move |world| Ok((Some(Arc::new(make(world)?)), ()))),
        extra: None,
        dropped: |()| 0,
        finish: |written, ()| written.ok_or(MemoryError::Closed),
        responder,
    })
}

/// Proposals, which answer with what became of them.
pub(super) fn proposed(mut make: MakeProposed, responder: Responder<Proposed>) -> Box<dyn Turn> {
    Box::new(Job {
        make: Box::new(move |world| make(world).map(|(operation, counts)| (operation.map(Arc::new), counts))),
        extra: None,
        dropped: |counts| counts.dropped,
        finish: |_, counts| Ok(counts),
        responder,
    })
}

/// Reads campaign files or an export and compares them with the state, beside the worker; then takes its turn.
pub(super) fn import(
    world: &World,
    path: &Path,
    dry_run: bool,
    responder: Responder<ImportOutcome>,
    internal: &Sender<Internal>,
) {
    let planner = match Planner::read(path) {
        Ok(planner) => planner,
        Err(error) => return responder.give(Err(error)),
    };
    if responder.is_cancelled() {
        return responder.give(Err(MemoryError::Cancelled));
    }
    let plan = planner.plan(&world.state);
    if dry_run {
        return responder.give(Ok(ImportOutcome { report: plan.report, written: None }));
    }
    let mut prepared = Some((world.state.position(), plan));
    let job = Job {
        make: Box::new(move |world: &World| {
            let plan = match prepared.take() {
                Some((position, plan)) if position == world.state.position() => plan,
                // Something was written since: compare again.
                _ => planner.plan(&world.state),
            };
            let ImportPlan { operation, report } = plan;
            Ok((operation.map(Arc::new), report))
        }),
        extra: None,
        dropped: |_| 0,
        finish: |written, report| Ok(ImportOutcome { report, written }),
        responder,
    };
    let _ = internal.send(Internal::Turn(Box::new(job)));
}

/// What was read, to be compared with a state.
enum Planner {
    Campaign(Box<Campaign>),
    /// The changes of an export, and the name of its file.
    Lines(Vec<Change>, String),
}

impl Planner {
    fn read(path: &Path) -> Result<Self, MemoryError> {
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            return Ok(Self::Campaign(Box::new(hearsay_campaign::read(path, &Limits::default())?)));
        }
        let file = File::open(path).map_err(|source| MemoryError::File { path: path.to_owned(), source })?;
        let changes = hearsay_campaign::read_jsonl(BufReader::new(file))?;
        Ok(Self::Lines(changes, path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())))
    }

    fn plan(&self, state: &State) -> ImportPlan {
        match self {
            Self::Campaign(campaign) => hearsay_campaign::plan(state, campaign, now()),
            Self::Lines(changes, name) => plan_lines(state, changes, name),
        }
    }
}

/// Takes over from an export what the state does not hold already.
fn plan_lines(state: &State, changes: &[Change], name: &str) -> ImportPlan {
    let holds = |change: &&Change| match change {
        Change::AddEntity(entity) => state.entity(&entity.id).is_some_and(|old| **old == *entity),
        Change::AssertFact(fact) => state.fact(fact.id()) == Some(fact),
        Change::Learn(edge) => state.recorded_knowledge(edge.fact).any(|old| old == edge),
        Change::AddPassage(passage) => state.passage(passage.id()).is_some(),
        Change::SetSession(session) => state.session(&session.id).is_some_and(|old| **old == *session),
        Change::Set(setting) => state.settings().any(|old| **old == *setting),
        _ => false,
    };
    let changes: Vec<Change> = changes.iter().filter(|change| !holds(change)).cloned().collect();
    let mut report = ImportReport { source: name.to_owned(), ..ImportReport::default() };
    for change in &changes {
        match change {
            Change::AddEntity(_) => *report.created.entry("entity".into()).or_default() += 1,
            Change::AssertFact(fact) => {
                report.relations += usize::from(fact.predicate().is_relation());
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

/// What waits to be written, and what follows a write.
#[derive(Default)]
pub(super) struct Writes {
    waiting: VecDeque<Box<dyn Turn>>,
    in_flight: Vec<(Arc<Operation>, Box<dyn Turn>)>,
    /// Keys of large operations whose texts are not in the index yet.
    unindexed: VecDeque<Key>,
    /// Keys whose records in the graph tables are behind, with the position that they bring them to.
    unprojected: VecDeque<(VecDeque<Key>, Position)>,
}

/// Operations in one commit at most.
const GROUP: usize = 64;

/// Changes from which on an operation is large: it is committed alone, and what follows is done in slices.
const LARGE: usize = 1_000;

/// Keys that are indexed or projected at a time.
const PORTION: usize = 100;

/// Rows that may wait in the store before more are made.
const MOST_BACKLOG: usize = 20_000;

impl Writes {
    pub(super) fn push(&mut self, turn: Box<dyn Turn>) {
        self.waiting.push_back(turn);
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting.len() + self.in_flight.len()
    }

    pub(super) fn in_flight(&self) -> bool {
        !self.in_flight.is_empty()
    }

    pub(super) fn unindexed(&self) -> usize {
        self.unindexed.len()
    }
}

impl Worker {
    /// Commits what waits, unless a commit is under way.
    ///
    /// Operations of one group are made from the same state, so none may touch what another does: the first that would
    /// waits for the next group.
    pub(super) fn begin_commit(&mut self) {
        if self.writes.in_flight() {
            return;
        }
        let mut touched = BTreeSet::new();
        while self.writes.in_flight.len() < GROUP
            && let Some(mut turn) = self.writes.waiting.pop_front()
        {
            if turn.is_cancelled() {
                turn.finish(Err(MemoryError::Cancelled));
                continue;
            }
            let made = turn.make(&self.world);
            let checked = made.and_then(|operation| {
                if let Some(operation) = &operation {
                    self.world.state.check(operation)?;
                }
                Ok(operation)
            });
            let operation = match checked {
                Ok(Some(operation)) => operation,
                Ok(None) => {
                    self.dropped_proposals += turn.dropped();
                    turn.finish(Ok(None));
                    continue;
                }
                Err(error) => {
                    turn.finish(Err(error));
                    continue;
                }
            };
            let alone = works_alone(&operation);
            let reach = if alone { BTreeSet::new() } else { reach(&operation) };
            let first = self.writes.in_flight.is_empty();
            if !first && (alone || !touched.is_disjoint(&reach)) {
                self.writes.waiting.push_front(turn);
                break;
            }
            touched.extend(reach);
            self.writes.in_flight.push((operation, turn));
            if alone {
                break;
            }
        }
        if self.writes.in_flight.is_empty() {
            return;
        }
        let operations = self.writes.in_flight.iter().map(|(operation, _)| Arc::clone(operation)).collect();
        let internal = self.internal.clone();
        let first = self.world.state.position().next();
        self.store.commit(first, operations, move |result| drop(internal.send(Internal::Committed(result))));
    }

    /// Applies what was committed, and answers.
    pub(super) fn finish_commit(&mut self, result: Result<(), hearsay_store::StoreError>) {
        let in_flight = std::mem::take(&mut self.writes.in_flight);
        if let Err(error) = result {
            let what = error.to_string();
            for (_, turn) in in_flight {
                turn.finish(Err(MemoryError::NotCommitted(what.clone())));
            }
            return;
        }
        for (operation, turn) in in_flight {
            let applied = Arc::make_mut(&mut self.world.state).apply(Arc::clone(&operation));
            let written = applied.map_err(MemoryError::from).map(|applied| {
                self.follow(applied.position, &applied.touched);
                self.tell(Event::Applied { position: applied.position, touched: applied.touched });
                Some(Written {
                    position: applied.position,
                    summary: operation.summary.clone(),
                    changes: operation.changes.len(),
                })
            });
            self.dropped_proposals += turn.dropped();
            turn.finish(written);
        }
        self.encode_more();
    }

    /// Sees to index, vectors and projections after an operation.
    fn follow(&mut self, position: Position, touched: &[Key]) {
        if touched.len() <= LARGE {
            let new = self.index.update(&self.world.state, touched);
            self.vectors.want_new(&self.world.state, &mut self.index, &new);
        } else {
            self.writes.unindexed.extend(touched.iter().cloned());
        }
        self.writes.unprojected.push_back((touched.iter().cloned().collect(), position));
    }

    /// Indexes some of what a large operation touched. Whether there was any.
    pub(super) fn index_some(&mut self) -> bool {
        let count = self.writes.unindexed.len().min(PORTION);
        if count == 0 {
            return false;
        }
        let keys: Vec<Key> = self.writes.unindexed.drain(..count).collect();
        let new = self.index.update(&self.world.state, &keys);
        self.vectors.want_new(&self.world.state, &mut self.index, &new);
        if self.writes.unindexed.is_empty() {
            self.encode_more();
        }
        true
    }

    /// Sends some of the records that changed to the graph tables. Whether there was any.
    pub(super) fn project_some(&mut self) -> bool {
        if self.store.backlog() > MOST_BACKLOG {
            return false;
        }
        let Some((keys, position)) = self.writes.unprojected.front_mut() else { return false };
        let count = keys.len().min(PORTION);
        let portion: Vec<Key> = keys.drain(..count).collect();
        let (last, position) = (keys.is_empty(), *position);
        let made = rows(&self.world.state, &portion);
        let internal = self.internal.clone();
        let done = move |result: Result<(), hearsay_store::StoreError>| {
            if let Err(error) = result {
                let what = format!("the graph tables are behind, and are written when it opens again: {error}");
                let _ = internal.send(Internal::Failed(what));
            }
        };
        // Until its last record is written, the tables are complete up to the operation before.
        self.store.project(made, if last { position } else { Position(position.0 - 1) }, done);
        if last {
            self.writes.unprojected.pop_front();
        }
        true
    }
}

/// Whether an operation shares no commit with others: it works on operations, or is large.
fn works_alone(operation: &Operation) -> bool {
    let on_operations = |change: &Change| matches!(change, Change::Void(_) | Change::Restore(_));
    operation.changes.len() > LARGE || operation.changes.iter().any(on_operations)
}

/// All records that an operation writes to or refers to.
fn reach(operation: &Operation) -> BTreeSet<Key> {
    let mut reach = BTreeSet::new();
    for change in &operation.changes {
        reach.extend(change.key());
        match change {
            Change::AssertFact(fact) => reach.extend(fact.entities().cloned().map(Key::Entity)),
            Change::Learn(edge) => {
                reach.insert(Key::Fact(edge.fact));
                reach.extend(edge.knower.entity().cloned().map(Key::Entity));
            }
            Change::AddPassage(passage) => {
                let named =
                    passage.speaker.iter().chain(&passage.place).chain(&passage.document).chain(&passage.mentions);
                reach.extend(named.cloned().map(Key::Entity));
            }
            _ => {}
        }
    }
    reach
}
