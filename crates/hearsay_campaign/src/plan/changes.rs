//! The operation that an import makes.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use hearsay_model::{
    Author, Change, EngineSetting, Entity, EntityId, Evidence, Fact, FactId, FactStatus, GameSetting, KnowledgeEdge,
    KnowledgeId, Operation, Provenance, Secrecy, Session, SessionId, SessionSetting, Setting, SettingKey, State,
    Timestamp, Value, attribute,
};

use super::{
    planner::{Planner, Withdrawn},
    three_way::{LEFT_OUT, Replaced},
};
use crate::{
    Campaign, ImportReport, Kept,
    audience::{Around, Known, know_nothing, who_knows},
    history::History,
};

/// The operation and the report of a planned import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportPlan {
    /// The operation that makes the changes; `None` if there are no changes.
    pub operation: Option<Operation>,
    /// The report of the changes.
    pub report: ImportReport,
}

/// Compares a campaign with a state, and returns the operation that makes the state match the files, apart from the
/// exceptions below. Does not change the state. After the operation is applied, a second plan has no operation.
///
/// - Records that are new in the files are added. Records that the files no longer contain are withdrawn if they came
///   from this source. All other records stay unchanged.
/// - If another author confirmed, judged, ended or retracted a record, the record stays unchanged, and the report lists
///   it. Retracted and rejected facts are not added again.
/// - If a predicate allows one value at a time and another author recorded a value, a new value in the files does not
///   replace it. The new value is proposed to the DM.
/// - An entity in the files that has the same id as an existing entity is the same entity.
/// - Records that are missing from the files of another tool are not withdrawn. Their withdrawal is proposed to the DM,
///   as a fact with the attribute [`LEFT_OUT`]. If the files and another author both changed a record, the value in the
///   files is proposed.
///
/// `now` is the time of the import in the real world. It becomes the recording time of facts that have none: see
/// [`Campaign::set_recorded`].
pub fn plan(state: &State, campaign: &Campaign, now: Timestamp) -> ImportPlan {
    let author = Author::Importer(campaign.info.id.clone());
    let around = Around::new(campaign, state);
    let Known { mut edges, mut passages, counts } = who_knows(campaign, &around);
    if let Some(exact) = &campaign.exact {
        // The records of an export also contain the knowers of its facts.
        edges.retain(|_, edge| !exact.facts.contains(&edge.fact));
        edges.extend(exact.edges.iter().map(|(id, edge)| (*id, edge.clone())));
        passages.extend(exact.passages.iter().map(|(id, passage)| (*id, passage.clone())));
    }
    let mut report = ImportReport {
        source: campaign.info.id.clone(),
        audience: counts,
        know_nothing: know_nothing(campaign, &edges),
        warnings: campaign.warnings.clone(),
        ..ImportReport::default()
    };
    report.found(&campaign.findings);
    let history = History::of(state, &author);
    let records = campaign.entities.len() + campaign.facts.len() + edges.len() + passages.len();
    let others = campaign.settings.len() + 1 + campaign.sessions.len() + campaign.reveals.len();
    let adds = Vec::with_capacity(records + others);
    let mut planner = Planner { state, campaign, now, author, history, report, adds, removals: Vec::new() };
    planner.settings();
    let gone = planner.entities();
    planner.sessions(&gone);
    let mut withdrawn = planner.facts(&gone);
    planner.knowledge(edges, &withdrawn, &gone);
    planner.passages(passages, &gone, &mut withdrawn);
    planner.reveals(&withdrawn, &gone);
    planner.removed_settings();
    planner.removed_sessions();
    planner.removed_entities(&withdrawn);
    planner.left_out(&withdrawn);
    planner.alike();
    planner.finish()
}

impl Planner<'_> {
    fn settings(&mut self) {
        let digest = Setting::Engine(EngineSetting::Imported {
            source: self.campaign.info.id.clone(),
            digest: self.campaign.digest.clone(),
        });
        for setting in self.campaign.settings.iter().chain([&digest]) {
            let key = setting.key();
            match self.history.settings.get(&key) {
                Some(last) if last.value == Some(setting) => {}
                // If another author has set the value since the export, the export contains an older value.
                Some(last) if !last.ours && self.exact().is_some_and(|exact| exact.settings.contains(&key)) => {}
                // A value that the game has set stays. If the value of a flag has another type, it counts as a
                // different flag.
                Some(last)
                    if !last.ours
                        && let Setting::Game(GameSetting::Flag { name, value }) = setting =>
                {
                    match self.state.flag(name) {
                        Some(held) if held.kind() == value.kind() => {}
                        Some(_) => self.adds.push(Change::Set(setting.clone())),
                        None => {
                            self.keep(None, key.to_string(), "it was removed in the campaign, so it is not added again")
                        }
                    }
                }
                // The clock advances during play, but the file contains only its start.
                Some(last) if !last.ours && key == SettingKey::Clock => {}
                Some(last) if !last.ours => {
                    self.keep(None, key.to_string(), "it was set in the campaign by another source");
                }
                _ => self.adds.push(Change::Set(setting.clone())),
            }
        }
    }

    /// Adds new entities. Returns the entities that are not added, because another author removed them.
    fn entities(&mut self) -> BTreeSet<EntityId> {
        let mut gone = BTreeSet::new();
        for (id, kind) in &self.campaign.entities {
            let removed = self.exact().is_some_and(|exact| exact.removed.0.contains(id));
            match self.history.entities.get(id) {
                Some(_) if removed => {}
                Some(last) if last.value.is_some() => self.report.matched += 1,
                Some(last) if !last.ours => {
                    let why = match self.state.merged_into(id) {
                        Some(into) => format!(
                            "it was merged into `{into}`; use that id in the files, or undo the merge with `split`"
                        ),
                        None => "it was removed in the campaign, so it is not added again".to_owned(),
                    };
                    self.keep(None, format!("entity `{id}`"), why);
                    gone.insert(id.clone());
                }
                _ => {
                    *self.report.created.entry(kind.to_string()).or_default() += 1;
                    let external_ids = self.campaign.external_ids(id).to_vec();
                    self.adds.push(Change::AddEntity(Entity { id: id.clone(), external_ids }));
                }
            }
        }
        gone
    }

    fn sessions(&mut self, gone: &BTreeSet<EntityId>) {
        let mut first: BTreeMap<&SessionId, &Session> = BTreeMap::new();
        for session in &self.campaign.sessions {
            if let Some(first) = first.get(&session.id) {
                if *first != session {
                    let why = "another session in the files has the same id; change the number, date or title of one";
                    self.keep(None, format!("session `{}`", session.id), why);
                }
                continue;
            }
            first.insert(&session.id, session);
            let removed = self.exact().is_some_and(|exact| exact.removed.1.contains(&session.id));
            if removed && self.history.sessions.contains_key(&session.id) {
                continue;
            }
            let mut session = session.clone();
            session.present.retain(|id| !gone.contains(id));
            match self.history.sessions.get(&session.id) {
                Some(last) if last.value == Some(&session) => {}
                Some(last) if !last.ours => {
                    self.keep(None, format!("session `{}`", session.id), "it was changed in the campaign");
                }
                _ => {
                    self.report.sessions += 1;
                    self.adds.push(Change::SetSession(session));
                }
            }
        }
    }

    fn facts(&mut self, gone: &BTreeSet<EntityId>) -> Withdrawn {
        let mut withdrawn = Withdrawn::default();
        let mut wanted = HashSet::with_capacity(self.campaign.facts.len());
        // If another author withdrew a session, the session is not added again just because a fact names it.
        let no_session = |fact: &Fact, history: &History| {
            let session = fact.provenance().session.as_ref().and_then(|id| history.sessions.get(id));
            session.is_some_and(|last| last.value.is_none() && !last.ours)
        };
        wanted.extend(self.campaign.facts.iter().map(|stated| stated.fact.id()));
        let replaced = if self.is_foreign() { self.replaced(&wanted) } else { Replaced::default() };
        for stated in &self.campaign.facts {
            let id = stated.fact.id();
            if stated.fact.entities().any(|entity| gone.contains(entity)) || no_session(&stated.fact, &self.history) {
                withdrawn.away.insert(id);
                continue;
            }
            self.fact(&stated.fact, &mut withdrawn, &replaced);
        }
        let mut old: Vec<_> = self.history.facts.iter().filter(|(id, _)| !wanted.contains(id)).collect();
        old.sort_unstable_by_key(|(id, _)| **id);
        let old: Vec<_> = old.into_iter().map(|(id, history)| (*id, *history)).collect();
        for (id, history) in old {
            let (Some(fact), Some(_)) = (self.state.fact(id), history.ours) else { continue };
            if fact.predicate().as_str() == LEFT_OUT {
                continue;
            }
            if let Some(touched) = history.touched {
                let (what, why) =
                    (fact.statement().to_owned(), format!("it was removed from the files, but {touched}"));
                self.keep(Some(id), what, why);
                withdrawn.kept.insert(id);
            } else if self.is_foreign() && !replaced.old.contains(&id) {
                withdrawn.kept.insert(id);
                withdrawn.left_out.push(id);
            } else {
                self.report.removed += 1;
                self.removals.push(Change::RetractFact(id));
                withdrawn.retracted.insert(id);
            }
        }
        withdrawn
    }

    fn fact(&mut self, fact: &Arc<Fact>, withdrawn: &mut Withdrawn, replaced: &Replaced) {
        let id = fact.id();
        let history = self.history.facts.get(&id).copied().unwrap_or_default();
        let Some(held) = self.state.fact(id) else {
            if let (Some(_), Some(touched)) = (history.ours, history.touched) {
                self.keep(Some(id), fact.statement(), format!("{touched}, so it is not added again"));
                withdrawn.away.insert(id);
                return;
            }
            *self.report.facts.entry(fact.predicate().to_string()).or_default() += 1;
            if fact.object().entity().is_some() {
                self.report.relations.count(fact.provenance().confidence.get());
            }
            let rival = self
                .rival(fact)
                .map(|rival| format!("it is only proposed, because `{}` is already recorded", rival.statement()));
            let contested = || {
                Some(format!("it was changed both in the files and in the campaign: {}", replaced.contested.get(&id)?))
            };
            let rival = rival.or_else(contested);
            let status = if rival.is_some() { FactStatus::Proposed } else { fact.status() };
            if let Some(why) = rival {
                self.report.conflicts.push(Kept { fact: Some(id), what: fact.statement().into(), why: why.clone() });
                self.keep(Some(id), fact.statement(), why);
            }
            self.assert(fact, status);
            return;
        };
        // A proposal that competes with another author's value stays a proposal until the DM decides.
        let beside = self.rival(fact).is_some() || self.is_foreign() && history.ours.is_some_and(|ours| proposed(ours));
        let proposed = held.status() == FactStatus::Proposed && beside;
        let status = if proposed { FactStatus::Proposed } else { fact.status() };
        let same = same(held, fact, status);
        // The comparison ignores evidence that others added.
        let said = history.ours.unwrap_or(held);
        let stays = said.provenance().evidence == fact.provenance().evidence;
        if same && stays {
            return;
        }
        if let Some(touched) = history.touched.or(history.ours.is_none().then_some("another source also states it")) {
            if !same {
                self.keep(Some(id), fact.statement(), touched);
            }
            return;
        }
        *(if same { &mut self.report.moved } else { &mut self.report.changed }) += 1;
        self.assert(fact, status);
    }

    fn assert(&mut self, fact: &Arc<Fact>, status: FactStatus) {
        let is_recorded = fact.provenance().recorded != Timestamp::default()
            || self.exact().is_some_and(|exact| exact.facts.contains(&fact.id()));
        if status == fact.status() && is_recorded {
            return self.adds.push(Change::AssertFact(Arc::clone(fact)));
        }
        let provenance = Provenance { recorded: self.now, ..fact.provenance().clone() };
        // A fact that was built before stays valid if only its time and status change, so an error cannot happen here.
        let built = fact.to_builder().status(status).provenance(provenance).build();
        self.adds.push(Change::AssertFact(built.map_or_else(|_| Arc::clone(fact), Arc::new)));
    }

    /// Returns a different value that another author recorded, if the fact allows one value at a time.
    fn rival(&self, fact: &Fact) -> Option<&Arc<Fact>> {
        let counts = |fact: &Fact| {
            fact.status() == FactStatus::Canon && fact.secrecy() != Secrecy::Secret && !fact.validity().is_closed()
        };
        let functional = self.campaign.vocabulary.is_functional(fact.predicate());
        if !functional || !counts(fact) || self.state.entity(fact.subject()).is_none() {
            return None;
        }
        let others = self.state.facts_of(fact.subject()).filter(|other| {
            other.subject() == fact.subject() && other.predicate() == fact.predicate() && counts(other)
        });
        let mut rivals: Vec<_> = others
            .filter(|other| other.object() != fact.object() && other.provenance().author != self.author)
            .collect();
        rivals.sort_unstable_by_key(|rival| rival.id());
        rivals.first().copied()
    }

    fn knowledge(
        &mut self,
        edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
        withdrawn: &Withdrawn,
        gone: &BTreeSet<EntityId>,
    ) {
        let mut old: Vec<KnowledgeId> = Vec::new();
        for (id, last) in &self.history.edges {
            let Some(edge) = last.value.filter(|_| last.ours) else { continue };
            if !edges.contains_key(id) && !withdrawn.kept.contains(&edge.fact) {
                old.push(*id);
            }
        }
        old.sort_unstable();
        self.report.unlearned = old.len();
        let unlearn = old.into_iter().map(Change::Unlearn);
        // Edges are removed before the facts that they point to.
        self.removals.splice(0..0, unlearn);
        for (id, edge) in edges {
            if edge.knower.entity().is_some_and(|id| gone.contains(id)) || withdrawn.away.contains(&edge.fact) {
                continue;
            }
            match self.history.edges.get(&id) {
                Some(last) if last.value.is_some_and(|held| *held == edge) => {}
                Some(last) if !last.ours => {
                    let statement =
                        self.state.fact(edge.fact).map_or(String::new(), |fact| fact.statement().to_owned());
                    let why = format!("the campaign has changed how `{}` knows this fact", edge.knower);
                    self.keep(Some(edge.fact), statement, why);
                }
                _ if names(&edge).any(|id| gone.contains(id)) => {
                    let what = format!("how `{}` knows a fact", edge.knower);
                    self.keep(Some(edge.fact), what, "it refers to an entity that is not added again");
                }
                _ => {
                    self.report.knowledge += 1;
                    self.adds.push(Change::Learn(edge));
                }
            }
        }
    }

    fn passages(
        &mut self,
        passages: BTreeMap<hearsay_model::PassageId, Arc<hearsay_model::Passage>>,
        gone: &BTreeSet<EntityId>,
        withdrawn: &mut Withdrawn,
    ) {
        let mut removals = Vec::new();
        for (id, last) in &self.history.passages {
            if last.ours && last.value.is_some() && !passages.contains_key(id) {
                removals.push(*id);
            }
        }
        removals.sort_unstable();
        if self.is_foreign() {
            let replaced = self.replaced_texts(&passages);
            (removals, withdrawn.left_out_texts) = removals.into_iter().partition(|id| replaced.contains(id));
        }
        self.removals.splice(0..0, removals.into_iter().map(Change::RemovePassage));
        for (id, passage) in passages {
            let mut passage = Arc::unwrap_or_clone(passage);
            passage.mentions.retain(|id| !gone.contains(id));
            passage.heard_by.retain(|knower| knower.entity().is_none_or(|id| !gone.contains(id)));
            passage.document = passage.document.filter(|id| !gone.contains(id));
            passage.place = passage.place.filter(|id| !gone.contains(id));
            let no_session = passage.session.as_ref().and_then(|id| self.history.sessions.get(id));
            let no_session = no_session.is_some_and(|last| last.value.is_none() && !last.ours);
            if no_session || passage.speaker.as_ref().is_some_and(|id| gone.contains(id)) {
                continue;
            }
            let held = self.history.passages.get(&id).and_then(|last| last.value);
            // The files do not contain the characters who read the passage during play.
            let exact = self.exact().is_some_and(|exact| exact.passages.contains_key(&id));
            if !exact || held.is_some() {
                passage.readers = held.map_or(Vec::new(), |held| held.readers.clone());
            }
            match self.history.passages.get(&id) {
                Some(_) if held.is_some_and(|held| **held == passage) => {}
                Some(last) if !last.ours => {
                    let what = passage.title.unwrap_or(passage.text);
                    self.keep(None, what, "the text was changed or removed in the campaign");
                }
                _ => {
                    self.report.passages += 1;
                    self.adds.push(Change::AddPassage(Arc::new(passage)));
                }
            }
        }
    }

    /// Adds reveals. They come after the records that they name.
    fn reveals(&mut self, withdrawn: &Withdrawn, gone: &BTreeSet<EntityId>) {
        let flags: HashMap<&str, &Value> = self
            .state
            .flags()
            .chain(self.adds.iter().filter_map(|change| match change {
                Change::Set(Setting::Game(GameSetting::Flag { name, value })) => Some((name.as_str(), value)),
                _ => None,
            }))
            .collect();
        let (mut adds, mut kept) = (Vec::new(), Vec::new());
        for reveal in &self.campaign.reveals {
            let setting = Setting::Game(GameSetting::Reveal(reveal.clone()));
            let key = setting.key();
            let stays_away = reveal.facts().any(|fact| withdrawn.away.contains(&fact))
                || reveal.entities().any(|id| gone.contains(id))
                || reveal.when.flags().any(|(name, is)| flags.get(name).is_none_or(|held| held.kind() != is.kind()));
            match self.history.settings.get(&key) {
                Some(last) if last.value == Some(&setting) => {}
                Some(last) if !last.ours => {
                    kept.push((reveal.fact, key, "it was set or removed in the campaign"));
                }
                _ if stays_away => kept.push((reveal.fact, key, "it refers to something that is not added again")),
                _ => {
                    self.report.reveals += 1;
                    adds.push(Change::Set(setting));
                }
            }
        }
        self.adds.append(&mut adds);
        for (fact, key, why) in kept {
            self.keep(Some(fact), key.to_string(), why);
        }
    }

    /// Withdraws reveals and flags that the files no longer contain, unless another author set them.
    fn removed_settings(&mut self) {
        let flags = self.campaign.settings.iter().map(Setting::key);
        let reveals = self.campaign.reveals.iter().map(|reveal| SettingKey::Reveal(reveal.id.clone()));
        let wanted: HashSet<SettingKey> = flags.chain(reveals).collect();
        let goes =
            |key: &SettingKey| matches!(key, SettingKey::Flag(_) | SettingKey::Reveal(_)) && !wanted.contains(key);
        let ours = self.history.settings.iter().filter(|(_, last)| last.ours && last.value.is_some());
        let gone: BTreeSet<SettingKey> = ours.map(|(key, _)| key.clone()).filter(goes).collect();
        self.removals.splice(0..0, gone.into_iter().map(Change::Unset));
    }

    fn removed_sessions(&mut self) {
        if self.is_foreign() {
            return;
        }
        let wanted: HashSet<_> = self.campaign.sessions.iter().map(|session| &session.id).collect();
        let ours = self.history.sessions.iter().filter(|(_, last)| last.ours && last.value.is_some());
        let mut old: Vec<_> = ours.filter(|(id, _)| !wanted.contains(*id)).map(|(id, _)| (*id).clone()).collect();
        old.sort();
        self.removals.extend(old.into_iter().map(Change::RemoveSession));
    }

    /// Removes entities that the files no longer contain, unless records of other authors use them.
    fn removed_entities(&mut self, withdrawn: &Withdrawn) {
        let ours = self.left_out_entities();
        if ours.is_empty() || self.is_foreign() {
            return;
        }
        // An entity stays if an edge or passage of another author points to it.
        let mut used: HashMap<&EntityId, &'static str> = HashMap::new();
        for edge in self.history.edges.values().filter(|last| !last.ours).filter_map(|last| last.value) {
            used.extend(edge.knower.entity().map(|id| (id, "it knows a fact that is not from the files")));
        }
        for passage in self.history.passages.values().filter(|last| !last.ours).filter_map(|last| last.value) {
            let named = passage.speaker.iter().chain(&passage.place).chain(&passage.document).chain(&passage.mentions);
            let heard = passage.heard_by.iter().filter_map(|knower| knower.entity());
            used.extend(named.chain(heard).map(|id| (id, "a text that is not from the files mentions it")));
        }
        let mut kept = HashSet::new();
        for id in ours {
            let fact = self.state.facts_of(&id).any(|fact| !withdrawn.retracted.contains(&fact.id()));
            let why = used.get(&id).copied().or(fact.then_some("a remaining fact mentions it"));
            match why {
                Some(why) => {
                    self.keep(None, format!("entity `{id}`"), format!("it was removed from the files, but {why}"));
                    kept.insert(id);
                }
                None => self.removals.push(Change::RemoveEntity(id)),
            }
        }
        self.keep_names(&kept);
    }

    /// Keeps the names and kinds of the entities that stay.
    fn keep_names(&mut self, kept: &HashSet<EntityId>) {
        let names: HashSet<FactId> = kept
            .iter()
            .flat_map(|id| self.state.facts_of(id).filter(move |fact| fact.subject() == id))
            .filter(|fact| [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str()))
            .map(|fact| fact.id())
            .collect();
        let history = &self.history;
        let (mut facts, mut edges) = (0, 0);
        self.removals.retain(|change| match change {
            Change::RetractFact(id) if names.contains(id) => {
                facts += 1;
                false
            }
            Change::Unlearn(id) => {
                let edge = history.edges.get(id).and_then(|last| last.value);
                let stays = edge.is_some_and(|edge| names.contains(&edge.fact));
                edges += usize::from(stays);
                !stays
            }
            _ => true,
        });
        self.report.removed -= facts;
        self.report.unlearned -= edges;
    }

    /// Removes the entities and sessions again that were added only so that other records can name them.
    fn remove_what_is_only_named(&mut self) {
        let Some((entities, sessions)) = self.exact().map(|exact| exact.removed.clone()) else { return };
        let is_new = |change: &Change| match change {
            Change::AddEntity(entity) => entities.contains(&entity.id).then(|| Change::RemoveEntity(entity.id.clone())),
            Change::SetSession(session) => {
                sessions.contains(&session.id).then(|| Change::RemoveSession(session.id.clone()))
            }
            _ => None,
        };
        let removals: Vec<Change> = self.adds.iter().filter_map(is_new).collect();
        self.removals.extend(removals);
    }

    fn finish(mut self) -> ImportPlan {
        self.remove_what_is_only_named();
        // Records that name a session come after the sessions that the import adds.
        let names_session = |change: &mut Change| {
            matches!(change, Change::Set(Setting::Session(SessionSetting::Playing(_) | SessionSetting::Recap(_))))
        };
        let last: Vec<Change> = self.adds.extract_if(.., names_session).collect();
        self.adds.extend(last);
        self.adds.append(&mut self.removals);
        let changes = self.adds;
        if changes.is_empty() {
            return ImportPlan { operation: None, report: self.report };
        }
        let (entities, facts) = (self.report.created_count(), self.report.fact_count());
        let mut parts = vec![format!("{entities} entities"), format!("{facts} facts")];
        for (count, what) in [(self.report.changed, "changed"), (self.report.removed, "removed")] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        let summary = format!("import {}: {}", self.campaign.info.name, parts.join(", "));
        let operation = Operation { recorded: self.now, ..Operation::new(self.author, summary, changes) };
        ImportPlan { operation: Some(operation), report: self.report }
    }
}

fn proposed(fact: &Fact) -> bool {
    fact.status() == FactStatus::Proposed
}

/// Returns the entities that an edge names, apart from its knower.
fn names(edge: &KnowledgeEdge) -> impl Iterator<Item = &EntityId> {
    edge.acquisition.entities().chain(&edge.co_present)
}

/// Returns whether a fact of the state equals a fact of the files, apart from its position in the files and later
/// confirmations.
fn same(held: &Fact, fact: &Fact, status: FactStatus) -> bool {
    let source = |fact: &Fact| Provenance {
        recorded: Timestamp::default(),
        confirmed: false,
        evidence: Vec::<Evidence>::new(),
        ..fact.provenance().clone()
    };
    held.status() == status
        && held.secrecy() == fact.secrecy()
        && held.mentions() == fact.mentions()
        && held.attitude() == fact.attitude()
        && held.rank() == fact.rank()
        && held.conditions() == fact.conditions()
        && held.validity() == fact.validity()
        && held.handle() == fact.handle()
        && source(held) == source(fact)
}
