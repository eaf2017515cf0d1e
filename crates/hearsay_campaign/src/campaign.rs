//! What a campaign's files say, before it is known what the state already holds.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{
    Audience, AudienceRules, CampaignInfo, Credence, Date, EntityId, ExternalId, Fact, FactId, How, Kind, Knower,
    Knowledge, Passage, Reveal, Session, SessionId, Setting, Timestamp, Vocabulary,
};

use crate::{Findings, Warning, error::Place, exact::Exact};

/// A campaign as its files say it. Made by [`read`](crate::read); [`plan`](crate::plan) compares it with a state.
#[derive(Debug, Clone)]
pub struct Campaign {
    pub(crate) info: CampaignInfo,
    /// All settings but the digest and the reveals.
    pub(crate) settings: Vec<Setting>,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) rules: AudienceRules,
    pub(crate) entities: BTreeMap<EntityId, Kind>,
    /// The ids that the tool which wrote the files has for the entities.
    pub(crate) external: BTreeMap<EntityId, Vec<ExternalId>>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) facts: Vec<Stated>,
    pub(crate) passages: Vec<Text>,
    pub(crate) reveals: Vec<Reveal>,
    pub(crate) warnings: Vec<Warning>,
    pub(crate) digest: String,
    pub(crate) findings: Findings,
    /// The records of an export that lie beside its pages.
    pub(crate) exact: Option<Box<Exact>>,
}

impl Campaign {
    /// The name of the source: the campaign's id.
    pub fn source(&self) -> &str {
        &self.info.id
    }

    /// Sets when the facts were recorded, unless they say so themselves. [`plan`](crate::plan) then shares the facts instead of
    /// copying each of them.
    pub fn set_recorded(&mut self, now: Timestamp) {
        for stated in &mut self.facts {
            if stated.fact.provenance().recorded == Timestamp::default() {
                Arc::make_mut(&mut stated.fact).set_recorded(now);
            }
        }
    }

    /// What the campaign is.
    pub fn info(&self) -> &CampaignInfo {
        &self.info
    }

    /// The entities, by id, with what they are.
    pub fn entities(&self) -> &BTreeMap<EntityId, Kind> {
        &self.entities
    }

    /// The ids that the tool which wrote the files has for an entity.
    pub fn external_ids(&self, id: &EntityId) -> &[ExternalId] {
        self.external.get(id).map_or(&[], Vec::as_slice)
    }

    /// What was found in the files besides: links that lead nowhere, what was not read.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// The facts, in the order of the files.
    pub fn facts(&self) -> impl ExactSizeIterator<Item = &Arc<Fact>> {
        self.facts.iter().map(|stated| &stated.fact)
    }

    /// The texts, in the order of the files. Those whose readers follow from the audience rules have none yet.
    pub fn passages(&self) -> impl ExactSizeIterator<Item = &Passage> {
        self.passages.iter().map(|text| &text.passage)
    }

    /// The sessions, in the order of the files.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    /// When secrets may be told, in the order of the files.
    pub fn reveals(&self) -> &[Reveal] {
        &self.reveals
    }

    /// What may not be meant as it is written.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// A hash of all files, as [`digest`](crate::digest) gives it.
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// Whom a fact or text reaches besides those who are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Whom the audience rules say.
    Rules,
    /// Everybody, the place, the parties or the subject, as it is marked.
    Only(Audience),
    /// Nobody: those who are named are the only ones.
    Named,
}

/// A fact, and who knows it.
#[derive(Debug, Clone)]
pub(crate) struct Stated {
    pub(crate) fact: Arc<Fact>,
    pub(crate) reach: Reach,
    /// Those who are named.
    pub(crate) learned: Vec<Learned>,
    /// Those who say it in a session: each knows it, if not otherwise then from the start.
    pub(crate) speakers: Vec<EntityId>,
}

/// A text, and who knows it.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) passage: Passage,
    pub(crate) reach: Reach,
    /// Whom or what it is about first of all.
    pub(crate) subject: Option<EntityId>,
    /// The facts that it states, by their number: its readers have read them.
    pub(crate) facts: Vec<usize>,
}

/// An edge of knowledge without the fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Learned {
    pub(crate) knower: Knower,
    pub(crate) how: How,
    pub(crate) learned: Option<Date>,
    pub(crate) credence: Credence,
    pub(crate) conceals: bool,
    pub(crate) session: Option<SessionId>,
    /// Who was there too.
    pub(crate) company: Vec<EntityId>,
    /// The rank from which on members of the knower have it.
    pub(crate) rank: Option<String>,
    /// Where it is written.
    pub(crate) at: Place,
}

impl Learned {
    pub(crate) fn authored(knower: impl Into<Knower>, credence: Credence, conceals: bool) -> Self {
        Self {
            knower: knower.into(),
            how: How::Authored,
            learned: None,
            credence,
            conceals,
            session: None,
            company: Vec::new(),
            rank: None,
            at: Place::default(),
        }
    }

    pub(crate) fn of(self, fact: FactId) -> Knowledge {
        let Self { knower, how, learned, credence, conceals, session, company, rank, .. } = self;
        let edge = Knowledge::authored(knower, fact);
        Knowledge { how, learned, credence, conceals, session, company, rank, ..edge }.sorted()
    }
}
