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
    three_way::{MISSING_RECORD, ReplacedFacts},
};
use crate::{
    Campaign, ImportReport, Kept,
    audience::{CampaignSurroundings, InitialKnowledge, compute_initial_knowledge, npcs_without_knowledge},
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
///   as a fact with the attribute [`MISSING_RECORD`]. If the files and another author both changed a record, the value
///   in the files is proposed.
///
/// `now` is the time of the import in the real world. It becomes the recording time of facts that have none: see
/// [`Campaign::set_recorded`].
pub fn plan(state: &State, campaign: &Campaign, now: Timestamp) -> ImportPlan {
    let author = Author::Importer(campaign.info.id.clone());
    let surroundings = CampaignSurroundings::new(campaign, state);
    let InitialKnowledge { mut edges, mut passages, counts } = compute_initial_knowledge(campaign, &surroundings);
    if let Some(unchanged_records) = &campaign.unchanged_records {
        // The records of an export also contain the knowers of its facts.
        edges.retain(|_, edge| !unchanged_records.facts.contains(&edge.fact));
        edges.extend(unchanged_records.edges.iter().map(|(id, edge)| (*id, edge.clone())));
        passages.extend(unchanged_records.passages.iter().map(|(id, passage)| (*id, passage.clone())));
    }
    let mut report = ImportReport {
        source: campaign.info.id.clone(),
        audience: counts,
        know_nothing: npcs_without_knowledge(campaign, &edges),
        warnings: campaign.warnings.clone(),
        ..ImportReport::default()
    };
    report.add_findings(&campaign.findings);
    let history = History::new(state, &author);
    let records = campaign.entities.len() + campaign.facts.len() + edges.len() + passages.len();
    let other_records = campaign.settings.len() + 1 + campaign.sessions.len() + campaign.reveals.len();
    let additions = Vec::with_capacity(records + other_records);
    let mut planner = Planner { state, campaign, now, author, history, report, additions, removals: Vec::new() };
    planner.plan_settings();
    let removed_entities = planner.plan_entities();
    planner.plan_sessions(&removed_entities);
    let mut withdrawn = planner.plan_facts(&removed_entities);
    planner.plan_knowledge(edges, &withdrawn, &removed_entities);
    planner.plan_passages(passages, &removed_entities, &mut withdrawn);
    planner.plan_reveals(&withdrawn, &removed_entities);
    planner.remove_settings();
    planner.remove_sessions();
    planner.remove_entities(&withdrawn);
    planner.propose_withdrawals(&withdrawn);
    planner.report_duplicates();
    planner.finish()
}

impl Planner<'_> {
    fn plan_settings(&mut self) {
        let digest = Setting::Engine(EngineSetting::Imported {
            source: self.campaign.info.id.clone(),
            digest: self.campaign.digest.clone(),
        });
        for setting in self.campaign.settings.iter().chain([&digest]) {
            let key = setting.key();
            match self.history.settings.get(&key) {
                Some(last) if last.value == Some(setting) => {}
                // If another author has set the value since the export, the export contains an older value.
                Some(last)
                    if !last.ours
                        && self
                            .unchanged_records()
                            .is_some_and(|unchanged_records| unchanged_records.settings.contains(&key)) => {}
                // A value that the game has set stays. If the value of a flag has another type, it counts as a
                // different flag.
                Some(last)
                    if !last.ours
                        && let Setting::Game(GameSetting::Flag { name, value }) = setting =>
                {
                    match self.state.flag(name) {
                        Some(current) if current.kind() == value.kind() => {}
                        Some(_) => self.additions.push(Change::Set(setting.clone())),
                        None => self.report_unchanged(
                            None,
                            key.to_string(),
                            "it was removed in the campaign, so it is not added again",
                        ),
                    }
                }
                // The clock advances during play, but the file contains only its start.
                Some(last) if !last.ours && key == SettingKey::Clock => {}
                Some(last) if !last.ours => {
                    self.report_unchanged(None, key.to_string(), "it was set in the campaign by another source");
                }
                _ => self.additions.push(Change::Set(setting.clone())),
            }
        }
    }

    /// Adds new entities. Returns the entities that are not added, because another author removed them.
    fn plan_entities(&mut self) -> BTreeSet<EntityId> {
        let mut removed_entities = BTreeSet::new();
        for (id, kind) in &self.campaign.entities {
            let removed =
                self.unchanged_records().is_some_and(|unchanged_records| unchanged_records.removed.0.contains(id));
            match self.history.entities.get(id) {
                Some(_) if removed => {}
                Some(last) if last.value.is_some() => self.report.matched += 1,
                Some(last) if !last.ours => {
                    let reason = match self.state.merged_into(id) {
                        Some(target) => format!(
                            "it was merged into `{target}`; use that id in the files, or undo the merge with `split`"
                        ),
                        None => "it was removed in the campaign, so it is not added again".to_owned(),
                    };
                    self.report_unchanged(None, format!("entity `{id}`"), reason);
                    removed_entities.insert(id.clone());
                }
                _ => {
                    *self.report.created.entry(kind.to_string()).or_default() += 1;
                    let external_ids = self.campaign.external_ids(id).to_vec();
                    self.additions.push(Change::AddEntity(Entity { id: id.clone(), external_ids }));
                }
            }
        }
        removed_entities
    }

    fn plan_sessions(&mut self, removed_entities: &BTreeSet<EntityId>) {
        let mut first: BTreeMap<&SessionId, &Session> = BTreeMap::new();
        for session in &self.campaign.sessions {
            if let Some(first) = first.get(&session.id) {
                if *first != session {
                    let reason =
                        "another session in the files has the same id; change the number, date or title of one";
                    self.report_unchanged(None, format!("session `{}`", session.id), reason);
                }
                continue;
            }
            first.insert(&session.id, session);
            let removed = self
                .unchanged_records()
                .is_some_and(|unchanged_records| unchanged_records.removed.1.contains(&session.id));
            if removed && self.history.sessions.contains_key(&session.id) {
                continue;
            }
            let mut session = session.clone();
            session.present.retain(|id| !removed_entities.contains(id));
            match self.history.sessions.get(&session.id) {
                Some(last) if last.value == Some(&session) => {}
                Some(last) if !last.ours => {
                    self.report_unchanged(None, format!("session `{}`", session.id), "it was changed in the campaign");
                }
                _ => {
                    self.report.sessions += 1;
                    self.additions.push(Change::SetSession(session));
                }
            }
        }
    }

    fn plan_facts(&mut self, removed_entities: &BTreeSet<EntityId>) -> Withdrawn {
        let mut withdrawn = Withdrawn::default();
        let mut file_facts = HashSet::with_capacity(self.campaign.facts.len());
        // If another author withdrew a session, the session is not added again just because a fact names it.
        let has_removed_session = |fact: &Fact, history: &History| {
            let session = fact.provenance().session.as_ref().and_then(|id| history.sessions.get(id));
            session.is_some_and(|last| last.value.is_none() && !last.ours)
        };
        file_facts.extend(self.campaign.facts.iter().map(|campaign_fact| campaign_fact.fact.id()));
        let replaced = if self.is_foreign() { self.find_replaced_facts(&file_facts) } else { ReplacedFacts::default() };
        for campaign_fact in &self.campaign.facts {
            let id = campaign_fact.fact.id();
            if campaign_fact.fact.entities().any(|entity| removed_entities.contains(entity))
                || has_removed_session(&campaign_fact.fact, &self.history)
            {
                withdrawn.not_added.insert(id);
                continue;
            }
            self.plan_fact(&campaign_fact.fact, &mut withdrawn, &replaced);
        }
        let mut missing_facts: Vec<_> = self.history.facts.iter().filter(|(id, _)| !file_facts.contains(id)).collect();
        missing_facts.sort_unstable_by_key(|(id, _)| **id);
        let missing_facts: Vec<_> = missing_facts.into_iter().map(|(id, history)| (*id, *history)).collect();
        for (id, history) in missing_facts {
            let (Some(fact), Some(_)) = (self.state.fact(id), history.ours) else { continue };
            if fact.predicate().as_str() == MISSING_RECORD {
                continue;
            }
            if let Some(other_change) = history.other_change {
                let (statement, reason) =
                    (fact.statement().to_owned(), format!("it was removed from the files, but {other_change}"));
                self.report_unchanged(Some(id), statement, reason);
                withdrawn.kept_facts.insert(id);
            } else if self.is_foreign() && !replaced.replaced.contains(&id) {
                withdrawn.kept_facts.insert(id);
                withdrawn.missing_facts.push(id);
            } else {
                self.report.removed += 1;
                self.removals.push(Change::RetractFact(id));
                withdrawn.retracted.insert(id);
            }
        }
        withdrawn
    }

    fn plan_fact(&mut self, fact: &Arc<Fact>, withdrawn: &mut Withdrawn, replaced: &ReplacedFacts) {
        let id = fact.id();
        let history = self.history.facts.get(&id).copied().unwrap_or_default();
        let Some(current) = self.state.fact(id) else {
            if let (Some(_), Some(other_change)) = (history.ours, history.other_change) {
                self.report_unchanged(Some(id), fact.statement(), format!("{other_change}, so it is not added again"));
                withdrawn.not_added.insert(id);
                return;
            }
            *self.report.facts.entry(fact.predicate().to_string()).or_default() += 1;
            if fact.object().entity().is_some() {
                self.report.relations.count(fact.provenance().confidence.get());
            }
            let conflict = self
                .conflicting_fact(fact)
                .map(|conflict| format!("it is only proposed, because `{}` is already recorded", conflict.statement()));
            let changed_on_both_sides = || {
                Some(format!("it was changed both in the files and in the campaign: {}", replaced.contested.get(&id)?))
            };
            let conflict = conflict.or_else(changed_on_both_sides);
            let status = if conflict.is_some() { FactStatus::Proposed } else { fact.status() };
            if let Some(reason) = conflict {
                self.report.conflicts.push(Kept { fact: Some(id), what: fact.statement().into(), why: reason.clone() });
                self.report_unchanged(Some(id), fact.statement(), reason);
            }
            self.assert_fact(fact, status);
            return;
        };
        // A proposal that competes with another author's value stays a proposal until the DM decides.
        let is_contested = self.conflicting_fact(fact).is_some()
            || self.is_foreign() && history.ours.is_some_and(|ours| is_proposed(ours));
        let stays_proposed = current.status() == FactStatus::Proposed && is_contested;
        let status = if stays_proposed { FactStatus::Proposed } else { fact.status() };
        let is_same = is_same_fact(current, fact, status);
        // The comparison ignores evidence that others added.
        let base = history.ours.unwrap_or(current);
        let has_same_evidence = base.provenance().evidence == fact.provenance().evidence;
        if is_same && has_same_evidence {
            return;
        }
        if let Some(other_change) =
            history.other_change.or(history.ours.is_none().then_some("another source also states it"))
        {
            if !is_same {
                self.report_unchanged(Some(id), fact.statement(), other_change);
            }
            return;
        }
        *(if is_same { &mut self.report.moved } else { &mut self.report.changed }) += 1;
        self.assert_fact(fact, status);
    }

    fn assert_fact(&mut self, fact: &Arc<Fact>, status: FactStatus) {
        let is_recorded = fact.provenance().recorded != Timestamp::default()
            || self.unchanged_records().is_some_and(|unchanged_records| unchanged_records.facts.contains(&fact.id()));
        if status == fact.status() && is_recorded {
            return self.additions.push(Change::AssertFact(Arc::clone(fact)));
        }
        let provenance = Provenance { recorded: self.now, ..fact.provenance().clone() };
        // A fact that was built before stays valid if only its time and status change, so an error cannot happen here.
        let built = fact.to_builder().status(status).provenance(provenance).build();
        self.additions.push(Change::AssertFact(built.map_or_else(|_| Arc::clone(fact), Arc::new)));
    }

    /// Returns a different value that another author recorded, if the fact allows one value at a time.
    fn conflicting_fact(&self, fact: &Fact) -> Option<&Arc<Fact>> {
        let is_counted = |fact: &Fact| {
            fact.status() == FactStatus::Canon && fact.secrecy() != Secrecy::Secret && !fact.validity().is_closed()
        };
        let is_functional = self.campaign.vocabulary.is_functional(fact.predicate());
        if !is_functional || !is_counted(fact) || self.state.entity(fact.subject()).is_none() {
            return None;
        }
        let others = self.state.facts_of(fact.subject()).filter(|other| {
            other.subject() == fact.subject() && other.predicate() == fact.predicate() && is_counted(other)
        });
        let mut conflicts: Vec<_> = others
            .filter(|other| other.object() != fact.object() && other.provenance().author != self.author)
            .collect();
        conflicts.sort_unstable_by_key(|conflict| conflict.id());
        conflicts.first().copied()
    }

    fn plan_knowledge(
        &mut self,
        edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
        withdrawn: &Withdrawn,
        removed_entities: &BTreeSet<EntityId>,
    ) {
        let mut missing_edges: Vec<KnowledgeId> = Vec::new();
        for (id, last) in &self.history.edges {
            let Some(edge) = last.value.filter(|_| last.ours) else { continue };
            if !edges.contains_key(id) && !withdrawn.kept_facts.contains(&edge.fact) {
                missing_edges.push(*id);
            }
        }
        missing_edges.sort_unstable();
        self.report.unlearned = missing_edges.len();
        let removals = missing_edges.into_iter().map(Change::Unlearn);
        // Edges are removed before the facts that they point to.
        self.removals.splice(0..0, removals);
        for (id, edge) in edges {
            if edge.knower.entity().is_some_and(|id| removed_entities.contains(id))
                || withdrawn.not_added.contains(&edge.fact)
            {
                continue;
            }
            match self.history.edges.get(&id) {
                Some(last) if last.value.is_some_and(|current| *current == edge) => {}
                Some(last) if !last.ours => {
                    let statement =
                        self.state.fact(edge.fact).map_or(String::new(), |fact| fact.statement().to_owned());
                    let reason = format!("the campaign has changed how `{}` knows this fact", edge.knower);
                    self.report_unchanged(Some(edge.fact), statement, reason);
                }
                _ if named_entities(&edge).any(|id| removed_entities.contains(id)) => {
                    let description = format!("how `{}` knows a fact", edge.knower);
                    self.report_unchanged(
                        Some(edge.fact),
                        description,
                        "it refers to an entity that is not added again",
                    );
                }
                _ => {
                    self.report.knowledge += 1;
                    self.additions.push(Change::Learn(edge));
                }
            }
        }
    }

    fn plan_passages(
        &mut self,
        passages: BTreeMap<hearsay_model::PassageId, Arc<hearsay_model::Passage>>,
        removed_entities: &BTreeSet<EntityId>,
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
            let replaced = self.find_replaced_passages(&passages);
            (removals, withdrawn.missing_passages) = removals.into_iter().partition(|id| replaced.contains(id));
        }
        self.removals.splice(0..0, removals.into_iter().map(Change::RemovePassage));
        for (id, passage) in passages {
            let mut passage = Arc::unwrap_or_clone(passage);
            passage.mentions.retain(|id| !removed_entities.contains(id));
            passage.heard_by.retain(|knower| knower.entity().is_none_or(|id| !removed_entities.contains(id)));
            passage.document = passage.document.filter(|id| !removed_entities.contains(id));
            passage.place = passage.place.filter(|id| !removed_entities.contains(id));
            let removed_session = passage.session.as_ref().and_then(|id| self.history.sessions.get(id));
            let has_removed_session = removed_session.is_some_and(|last| last.value.is_none() && !last.ours);
            if has_removed_session || passage.speaker.as_ref().is_some_and(|id| removed_entities.contains(id)) {
                continue;
            }
            let current = self.history.passages.get(&id).and_then(|last| last.value);
            // The files do not contain the characters who read the passage during play.
            let is_unchanged =
                self.unchanged_records().is_some_and(|unchanged_records| unchanged_records.passages.contains_key(&id));
            if !is_unchanged || current.is_some() {
                passage.readers = current.map_or(Vec::new(), |current| current.readers.clone());
            }
            match self.history.passages.get(&id) {
                Some(_) if current.is_some_and(|current| **current == passage) => {}
                Some(last) if !last.ours => {
                    let description = passage.title.unwrap_or(passage.text);
                    self.report_unchanged(None, description, "the text was changed or removed in the campaign");
                }
                _ => {
                    self.report.passages += 1;
                    self.additions.push(Change::AddPassage(Arc::new(passage)));
                }
            }
        }
    }

    /// Adds reveals. They come after the records that they name.
    fn plan_reveals(&mut self, withdrawn: &Withdrawn, removed_entities: &BTreeSet<EntityId>) {
        let flags: HashMap<&str, &Value> = self
            .state
            .flags()
            .chain(self.additions.iter().filter_map(|change| match change {
                Change::Set(Setting::Game(GameSetting::Flag { name, value })) => Some((name.as_str(), value)),
                _ => None,
            }))
            .collect();
        let (mut additions, mut unchanged) = (Vec::new(), Vec::new());
        for reveal in &self.campaign.reveals {
            let setting = Setting::Game(GameSetting::Reveal(reveal.clone()));
            let key = setting.key();
            let is_not_added = reveal.facts().any(|fact| withdrawn.not_added.contains(&fact))
                || reveal.entities().any(|id| removed_entities.contains(id))
                || reveal
                    .when
                    .flags()
                    .any(|(name, is)| flags.get(name).is_none_or(|declared| declared.kind() != is.kind()));
            match self.history.settings.get(&key) {
                Some(last) if last.value == Some(&setting) => {}
                Some(last) if !last.ours => {
                    unchanged.push((reveal.fact, key, "it was set or removed in the campaign"));
                }
                _ if is_not_added => {
                    unchanged.push((reveal.fact, key, "it refers to something that is not added again"))
                }
                _ => {
                    self.report.reveals += 1;
                    additions.push(Change::Set(setting));
                }
            }
        }
        self.additions.append(&mut additions);
        for (fact, key, reason) in unchanged {
            self.report_unchanged(Some(fact), key.to_string(), reason);
        }
    }

    /// Withdraws reveals and flags that the files no longer contain, unless another author set them.
    fn remove_settings(&mut self) {
        let flags = self.campaign.settings.iter().map(Setting::key);
        let reveals = self.campaign.reveals.iter().map(|reveal| SettingKey::Reveal(reveal.id.clone()));
        let file_keys: HashSet<SettingKey> = flags.chain(reveals).collect();
        let is_removed =
            |key: &SettingKey| matches!(key, SettingKey::Flag(_) | SettingKey::Reveal(_)) && !file_keys.contains(key);
        let ours = self.history.settings.iter().filter(|(_, last)| last.ours && last.value.is_some());
        let removed_keys: BTreeSet<SettingKey> = ours.map(|(key, _)| key.clone()).filter(is_removed).collect();
        self.removals.splice(0..0, removed_keys.into_iter().map(Change::Unset));
    }

    fn remove_sessions(&mut self) {
        if self.is_foreign() {
            return;
        }
        let file_sessions: HashSet<_> = self.campaign.sessions.iter().map(|session| &session.id).collect();
        let ours = self.history.sessions.iter().filter(|(_, last)| last.ours && last.value.is_some());
        let mut missing_sessions: Vec<_> =
            ours.filter(|(id, _)| !file_sessions.contains(*id)).map(|(id, _)| (*id).clone()).collect();
        missing_sessions.sort();
        self.removals.extend(missing_sessions.into_iter().map(Change::RemoveSession));
    }

    /// Removes entities that the files no longer contain, unless records of other authors use them.
    fn remove_entities(&mut self, withdrawn: &Withdrawn) {
        let ours = self.missing_entities();
        if ours.is_empty() || self.is_foreign() {
            return;
        }
        // An entity stays if an edge or passage of another author points to it.
        let mut used: HashMap<&EntityId, &'static str> = HashMap::new();
        for edge in self.history.edges.values().filter(|last| !last.ours).filter_map(|last| last.value) {
            used.extend(edge.knower.entity().map(|id| (id, "it knows a fact that is not from the files")));
        }
        for passage in self.history.passages.values().filter(|last| !last.ours).filter_map(|last| last.value) {
            let mentioned =
                passage.speaker.iter().chain(&passage.place).chain(&passage.document).chain(&passage.mentions);
            let hearers = passage.heard_by.iter().filter_map(|knower| knower.entity());
            used.extend(mentioned.chain(hearers).map(|id| (id, "a text that is not from the files mentions it")));
        }
        let mut kept_entities = HashSet::new();
        for id in ours {
            let has_other_fact = self.state.facts_of(&id).any(|fact| !withdrawn.retracted.contains(&fact.id()));
            let reason = used.get(&id).copied().or(has_other_fact.then_some("a remaining fact mentions it"));
            match reason {
                Some(reason) => {
                    self.report_unchanged(
                        None,
                        format!("entity `{id}`"),
                        format!("it was removed from the files, but {reason}"),
                    );
                    kept_entities.insert(id);
                }
                None => self.removals.push(Change::RemoveEntity(id)),
            }
        }
        self.keep_names(&kept_entities);
    }

    /// Keeps the names and kinds of the entities that stay.
    fn keep_names(&mut self, kept_entities: &HashSet<EntityId>) {
        let names: HashSet<FactId> = kept_entities
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
                let is_kept = edge.is_some_and(|edge| names.contains(&edge.fact));
                edges += usize::from(is_kept);
                !is_kept
            }
            _ => true,
        });
        self.report.removed -= facts;
        self.report.unlearned -= edges;
    }

    /// Removes the entities and sessions again that were added only so that other records can name them.
    fn remove_placeholders(&mut self) {
        let Some((entities, sessions)) =
            self.unchanged_records().map(|unchanged_records| unchanged_records.removed.clone())
        else {
            return;
        };
        let is_new = |change: &Change| match change {
            Change::AddEntity(entity) => entities.contains(&entity.id).then(|| Change::RemoveEntity(entity.id.clone())),
            Change::SetSession(session) => {
                sessions.contains(&session.id).then(|| Change::RemoveSession(session.id.clone()))
            }
            _ => None,
        };
        let removals: Vec<Change> = self.additions.iter().filter_map(is_new).collect();
        self.removals.extend(removals);
    }

    fn finish(mut self) -> ImportPlan {
        self.remove_placeholders();
        // Records that name a session come after the sessions that the import adds.
        let names_session = |change: &mut Change| {
            matches!(change, Change::Set(Setting::Session(SessionSetting::Playing(_) | SessionSetting::Recap(_))))
        };
        let session_records: Vec<Change> = self.additions.extract_if(.., names_session).collect();
        self.additions.extend(session_records);
        self.additions.append(&mut self.removals);
        let changes = self.additions;
        if changes.is_empty() {
            return ImportPlan { operation: None, report: self.report };
        }
        let (entities, facts) = (self.report.created_count(), self.report.fact_count());
        let mut parts = vec![format!("{entities} entities"), format!("{facts} facts")];
        for (count, description) in [(self.report.changed, "changed"), (self.report.removed, "removed")] {
            if count > 0 {
                parts.push(format!("{count} {description}"));
            }
        }
        let summary = format!("import {}: {}", self.campaign.info.name, parts.join(", "));
        let operation = Operation { recorded: self.now, ..Operation::new(self.author, summary, changes) };
        ImportPlan { operation: Some(operation), report: self.report }
    }
}

fn is_proposed(fact: &Fact) -> bool {
    fact.status() == FactStatus::Proposed
}

/// Returns the entities that an edge names, apart from its knower.
fn named_entities(edge: &KnowledgeEdge) -> impl Iterator<Item = &EntityId> {
    edge.acquisition.entities().chain(&edge.co_present)
}

/// Returns whether a fact of the state equals a fact of the files, apart from its position in the files and later
/// confirmations.
fn is_same_fact(current: &Fact, fact: &Fact, status: FactStatus) -> bool {
    let provenance_without_time = |fact: &Fact| Provenance {
        recorded: Timestamp::default(),
        confirmed: false,
        evidence: Vec::<Evidence>::new(),
        ..fact.provenance().clone()
    };
    current.status() == status
        && current.secrecy() == fact.secrecy()
        && current.mentions() == fact.mentions()
        && current.attitude() == fact.attitude()
        && current.rank() == fact.rank()
        && current.conditions() == fact.conditions()
        && current.validity() == fact.validity()
        && current.handle() == fact.handle()
        && provenance_without_time(current) == provenance_without_time(fact)
}
