//! The operation that an import makes.

use hearsay_model::{Author, Change, Operation, SessionSetting, Setting, State, Timestamp};

use super::planner::Planner;
use crate::{
    Campaign, FactWithoutKnower, ImportReport,
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

/// Compares a campaign with a state, and returns the operation that updates the state to the content of the files. Does
/// not change the state itself. After you apply the operation, a second plan has no operation. These rules apply:
///
/// - Records that are new in the files are added. If a record came from this source and the files no longer contain it,
///   the record is withdrawn. All other records stay unchanged.
/// - If another author changed a record, the record stays unchanged, and the report lists it. For example, the DM may
///   have confirmed, ended or retracted a fact. Retracted and rejected facts are not added again.
/// - If a predicate allows one value at a time and another author recorded a value, a new value in the files does not
///   replace it. The new value is proposed to the DM.
/// - If an entity in the files has the same id as an existing entity, both are the same entity.
/// - If the files of another tool no longer contain a record, the record is not withdrawn. Instead, the withdrawal is
///   proposed to the DM, as a fact with the attribute [`MISSING_RECORD`](super::MISSING_RECORD). If the files and
///   another author both changed a record, the value in the files is proposed.
///
/// `now` is the time of the import in the real world. A fact that has no recording time gets this time as its recording
/// time: see [`Campaign::set_recorded`].
pub fn plan(state: &State, campaign: &Campaign, now: Timestamp) -> ImportPlan {
    let author = Author::Importer(campaign.info.id.clone());
    let surroundings = CampaignSurroundings::new(campaign, state);
    let InitialKnowledge { mut edges, passages, counts, unknown_facts } =
        compute_initial_knowledge(campaign, &surroundings);
    let mut report = ImportReport {
        source: campaign.info.id.clone(),
        audience: counts,
        without_knower: unknown_facts.iter().map(|fact| FactWithoutKnower::from_fact(fact)).collect(),
        without_knowledge: npcs_without_knowledge(campaign, &edges),
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
    planner.carry_over_knowledge(&mut edges, &mut withdrawn);
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
    /// Removes the entities and sessions that the operation adds only because other records name them.
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
