//! The content of campaign files.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use hearsay_model::{
    Acquisition, Audience, AudienceRules, CampaignInfo, Credence, Date, EntityId, ExternalId, Fact, FactId, Kind,
    Knower, KnowledgeEdge, KnowledgeId, Passage, PassageId, Reveal, Session, SessionId, Setting, SettingKey, Timestamp,
    Vocabulary,
};

use crate::{ImportFindings, Warning, error::SourcePosition};

/// The content of the files of one campaign. [`read`](crate::read) returns a `Campaign`, and [`plan`](crate::plan)
/// compares it with a state.
#[derive(Debug, Clone)]
pub struct Campaign {
    pub(crate) info: CampaignInfo,
    /// All settings except the digest and the reveals.
    pub(crate) settings: Vec<Setting>,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) rules: AudienceRules,
    pub(crate) entities: BTreeMap<EntityId, Kind>,
    /// The ids of the entities in the tool that wrote the files.
    pub(crate) external_ids: BTreeMap<EntityId, Vec<ExternalId>>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) facts: Vec<CampaignFact>,
    pub(crate) passages: Vec<CampaignPassage>,
    pub(crate) reveals: Vec<Reveal>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) digest: String,
    pub(crate) findings: ImportFindings,
    /// The exact records, if the files are a Hearsay export.
    pub(crate) unchanged_records: Option<Box<UnchangedRecords>>,
}

impl Campaign {
    /// Returns the id of the campaign. The journal records this id as the source of the imported facts.
    pub fn source(&self) -> &str {
        &self.info.id
    }

    /// Sets the recording time of every fact that has no recording time in the files. If you call this function before
    /// [`plan`](crate::plan), `plan` does not need to copy these facts.
    pub fn set_recorded(&mut self, now: Timestamp) {
        for campaign_fact in &mut self.facts {
            if campaign_fact.fact.provenance().recorded == Timestamp::default() {
                Arc::make_mut(&mut campaign_fact.fact).set_recorded(now);
            }
        }
    }

    /// Returns the name, description and game system of the campaign.
    pub fn info(&self) -> &CampaignInfo {
        &self.info
    }

    /// Returns the kind of each entity of the campaign, by entity id.
    pub fn entities(&self) -> &BTreeMap<EntityId, Kind> {
        &self.entities
    }

    /// Returns the external ids of an entity: its ids in the tool that wrote the files. The slice is empty if the
    /// entity is unknown or has no external id.
    pub fn external_ids(&self, id: &EntityId) -> &[ExternalId] {
        self.external_ids.get(id).map_or(&[], Vec::as_slice)
    }

    /// Returns the findings in the files, such as links without a target and files that were not read. The report of
    /// the import contains these findings.
    pub fn findings(&self) -> &ImportFindings {
        &self.findings
    }

    /// Returns the facts of the campaign, in the order of the files.
    pub fn facts(&self) -> impl ExactSizeIterator<Item = &Arc<Fact>> {
        self.facts.iter().map(|campaign_fact| &campaign_fact.fact)
    }

    /// Returns the passages of the campaign, in the order of the files. The audience rules are not applied yet: a
    /// passage has no readers here if the rules determine its readers.
    pub fn passages(&self) -> impl ExactSizeIterator<Item = &Passage> {
        self.passages.iter().map(|campaign_passage| &campaign_passage.passage)
    }

    /// Returns the sessions of the campaign, in the order of the files.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    /// Returns the conditions under which secrets may be told, in the order of the files.
    pub fn reveals(&self) -> &[Reveal] {
        &self.reveals
    }

    /// Returns warnings about text that was read but may contain a mistake.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns a hash of all files of the campaign. [`digest_files`](crate::digest_files) returns the same hash.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// The rule that decides who knows a fact or passage in addition to its named knowers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AudienceSource {
    /// The audience rules decide.
    Rules,
    /// The files state the audience: everyone, the place, the parties or the subject.
    Stated(Audience),
    /// Only the named knowers know the fact or passage.
    NamedKnowers,
}

/// The records of an export that are imported exactly, because their lines in the pages are unchanged.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnchangedRecords {
    pub(crate) facts: HashSet<FactId>,
    pub(crate) edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
    pub(crate) passages: BTreeMap<PassageId, Arc<Passage>>,
    pub(crate) settings: HashSet<SettingKey>,
    /// Removed entities and sessions that other records still refer to.
    pub(crate) removed: (BTreeSet<EntityId>, BTreeSet<SessionId>),
    /// The exported facts whose lines a person changed or removed in the exported files. The key is the id of the fact.
    pub(crate) edited_facts: BTreeMap<FactId, EditedFact>,
}

/// A fact of an export whose line was removed or changed.
#[derive(Debug, Clone)]
pub(crate) struct EditedFact {
    /// The fact as the export wrote it.
    pub(crate) exported: Arc<Fact>,
    /// The fact that the changed line states; `None` if the line was removed.
    pub(crate) new: Option<Arc<Fact>>,
}

/// A fact with its knowers.
#[derive(Debug, Clone)]
pub(crate) struct CampaignFact {
    pub(crate) fact: Arc<Fact>,
    pub(crate) audience_source: AudienceSource,
    /// The named knowers.
    pub(crate) knowers: Vec<KnowerEntry>,
    /// The characters who state the fact in a session. Each of these characters knows the fact from the beginning,
    /// unless the files give another time.
    pub(crate) speakers: Vec<EntityId>,
}

/// A passage with its readers.
#[derive(Debug, Clone)]
pub(crate) struct CampaignPassage {
    pub(crate) passage: Passage,
    pub(crate) audience_source: AudienceSource,
    /// The main subject.
    pub(crate) subject: Option<EntityId>,
    /// The indices of the facts that the passage states. The readers of the passage know these facts.
    pub(crate) facts: Vec<usize>,
}

/// A knowledge edge without its fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnowerEntry {
    pub(crate) knower: Knower,
    pub(crate) acquisition: Acquisition,
    pub(crate) learned: Option<Date>,
    pub(crate) credence: Credence,
    /// Whether the files state no credence, so that `credence` is a default.
    pub(crate) has_default_credence: bool,
    pub(crate) conceals: bool,
    pub(crate) session: Option<SessionId>,
    /// The other characters who were present.
    pub(crate) co_present: Vec<EntityId>,
    /// The minimum rank in a group. Only members with at least this rank know the fact.
    pub(crate) rank: Option<String>,
    /// The position of the entry in the files.
    pub(crate) at: SourcePosition,
}

impl KnowerEntry {
    pub(crate) fn authored(knower: impl Into<Knower>, credence: Credence, conceals: bool) -> Self {
        Self {
            knower: knower.into(),
            acquisition: Acquisition::Authored,
            learned: None,
            credence,
            has_default_credence: false,
            conceals,
            session: None,
            co_present: Vec::new(),
            rank: None,
            at: SourcePosition::default(),
        }
    }

    pub(crate) fn into_edge(self, fact: FactId) -> KnowledgeEdge {
        let Self { knower, acquisition, learned, credence, conceals, session, co_present, rank, .. } = self;
        let edge = KnowledgeEdge::authored(knower, fact);
        KnowledgeEdge { acquisition, learned, credence, conceals, session, co_present, rank, ..edge }.sorted()
    }
}
