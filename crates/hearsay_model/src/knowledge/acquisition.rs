//! Acquisitions: how knowers learn facts.
//!
//! To add a kind of acquisition, add a variant, a [descriptor](AcquisitionDescriptor), and the cases in the methods of
//! [`Acquisition`]. Also add a variant of `CitedAcquisition` in `hearsay_recall`. Other code calls these methods
//! instead of matching on variants.

use serde::{Deserialize, Serialize};

use crate::{EntityId, FactId, Rename};

/// How a knower learned a fact. The knower saw, heard, read or deduced the fact, or the campaign states that the knower
/// knows the fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acquisition {
    /// The knower was present and saw what the fact states.
    Witnessed,
    /// Another entity told the knower the fact.
    Told {
        /// The entity that told the fact; `None` if the knower heard the fact as general talk.
        by: Option<EntityId>,
        /// The entity that the teller named as its own source; `None` if the teller named no source.
        #[serde(default)]
        citing: Option<EntityId>,
    },
    /// The knower read the fact in a document.
    Read {
        /// The document that the knower read; `None` if the document is unknown.
        document: Option<EntityId>,
    },
    /// The campaign states that the knower knows the fact.
    Authored,
    /// The knower deduced the fact from other facts.
    Deduced {
        /// The premises: the facts from which the knower deduced this fact.
        from: Vec<FactId>,
    },
    /// The knower told the fact to the entities in [`KnowledgeEdge::co_present`](super::KnowledgeEdge::co_present). An
    /// edge with this acquisition only lists the listeners. The edge gives no knowledge to the knower or the listeners.
    Shared,
}

/// Reliability of an acquisition: how strongly the acquisition convinces the knower if there is no other evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reliability {
    /// The knower observed the fact. An observation overrides all testimony.
    Observed,
    /// The campaign states the credence. A stated credence of 1 or 0 overrides all testimony.
    Stated,
    /// The knower heard or read the fact. Such knowledge is called testimony.
    Reported,
    /// The knower deduced the fact. The credence is computed from the premises of the deduction. Unlike for testimony,
    /// no factor reduces this credence.
    Concluded,
    /// The acquisition gives no knowledge. Its edge only records that the knower told the fact to others.
    None,
}

/// Properties of one kind of acquisition.
#[derive(Debug)]
pub struct AcquisitionDescriptor {
    /// The name of the acquisition in campaign files, ids and graph tables.
    pub name: &'static str,
    /// A phrase that describes the acquisition without a teller or document, such as `heard talk of it`.
    pub phrase: &'static str,
    /// How strongly the acquisition convinces the knower if there is no other evidence.
    pub reliability: Reliability,
    /// Function that creates an acquisition of this kind. Its argument is the teller or document that a campaign file
    /// names. `None` if campaign files cannot contain this kind of acquisition.
    pub create: Option<fn(Option<EntityId>) -> Acquisition>,
}

const WITNESSED: AcquisitionDescriptor =
    AcquisitionDescriptor::new("witnessed", "witnessed", Reliability::Observed).with_create(|_| Acquisition::Witnessed);
const TOLD: AcquisitionDescriptor =
    AcquisitionDescriptor::new("told", "heard talk of it", Reliability::Reported).with_create(Acquisition::told);
const READ: AcquisitionDescriptor = AcquisitionDescriptor::new("read", "read", Reliability::Reported)
    .with_create(|document| Acquisition::Read { document });
const AUTHORED: AcquisitionDescriptor =
    AcquisitionDescriptor::new("authored", "knows it", Reliability::Stated).with_create(|_| Acquisition::Authored);
const DEDUCED: AcquisitionDescriptor = AcquisitionDescriptor::new("deduced", "concluded", Reliability::Concluded)
    .with_create(|_| Acquisition::Deduced { from: Vec::new() });
const SHARED: AcquisitionDescriptor = AcquisitionDescriptor::new("shared", "passed it on", Reliability::None);

impl AcquisitionDescriptor {
    /// The descriptors of all kinds of acquisition.
    pub const ALL: [&'static Self; 6] = [&AUTHORED, &WITNESSED, &TOLD, &READ, &DEDUCED, &SHARED];

    /// Creates the descriptor of a kind of acquisition that campaign files cannot contain.
    const fn new(name: &'static str, phrase: &'static str, reliability: Reliability) -> Self {
        Self { name, phrase, reliability, create: None }
    }

    /// Allows this kind of acquisition in campaign files. The function is stored in the field [`create`](Self::create).
    const fn with_create(self, create: fn(Option<EntityId>) -> Acquisition) -> Self {
        Self { create: Some(create), ..self }
    }

    /// Returns the descriptor with this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|kind| kind.name == name)
    }
}

impl Acquisition {
    /// Creates a [`Self::Told`] acquisition without a cited source.
    pub fn told(by: Option<EntityId>) -> Self {
        Self::Told { by, citing: None }
    }

    /// Returns the descriptor of this kind of acquisition.
    pub fn descriptor(&self) -> &'static AcquisitionDescriptor {
        match self {
            Self::Witnessed => &WITNESSED,
            Self::Told { .. } => &TOLD,
            Self::Read { .. } => &READ,
            Self::Authored => &AUTHORED,
            Self::Deduced { .. } => &DEDUCED,
            Self::Shared => &SHARED,
        }
    }

    /// Returns the name of this kind of acquisition.
    pub fn name(&self) -> &'static str {
        self.descriptor().name
    }

    /// Returns how strongly the acquisition convinces the knower if there is no other evidence.
    pub fn reliability(&self) -> Reliability {
        self.descriptor().reliability
    }

    /// Returns whether the acquisition gives the knower knowledge of the fact. The result is `true` for all kinds
    /// except [`Self::Shared`].
    #[inline]
    pub fn gives_knowledge(&self) -> bool {
        *self != Self::Shared
    }

    /// Returns whether the knower observed the fact.
    #[inline]
    pub fn is_witnessed(&self) -> bool {
        *self == Self::Witnessed
    }

    /// Returns whether the campaign states that the knower knows the fact.
    #[inline]
    pub fn is_authored(&self) -> bool {
        *self == Self::Authored
    }

    /// Returns whether the knower heard the fact, from a teller or as general talk.
    #[inline]
    pub fn is_told(&self) -> bool {
        matches!(self, Self::Told { .. })
    }

    /// Returns whether the acquisition is independent of other facts. Only a deduction depends on other facts: its
    /// premises.
    pub fn is_independent(&self) -> bool {
        self.premises().is_none()
    }

    /// Returns the entity that told the fact; `None` if the fact was not told, or was heard as general talk.
    #[inline]
    pub fn teller(&self) -> Option<&EntityId> {
        match self {
            Self::Told { by, .. } => by.as_ref(),
            _ => None,
        }
    }

    /// Returns the entity that the teller named as its own source; `None` if the teller named no source.
    #[inline]
    pub fn cited_source(&self) -> Option<&EntityId> {
        match self {
            Self::Told { citing, .. } => citing.as_ref(),
            _ => None,
        }
    }

    /// Returns the teller and the source that the teller named. Omits either of them if it is unknown.
    pub fn teller_and_source(&self) -> impl Iterator<Item = &EntityId> + Clone {
        self.teller().into_iter().chain(self.cited_source())
    }

    /// Returns the document in which the knower read the fact; `None` if there is none.
    #[inline]
    pub fn document(&self) -> Option<&EntityId> {
        match self {
            Self::Read { document } => document.as_ref(),
            _ => None,
        }
    }

    /// Returns the premises: the facts from which the knower deduced the fact; `None` if the acquisition is not a
    /// deduction.
    #[inline]
    pub fn premises(&self) -> Option<&[FactId]> {
        match self {
            Self::Deduced { from } => Some(from),
            _ => None,
        }
    }

    /// Returns the entities that the acquisition names: teller, cited source and document.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        self.teller_and_source().chain(self.document())
    }

    /// Returns a phrase that names the source, such as `told by Odo Brandt`. The function `name_of` returns the name of
    /// an entity.
    pub fn describe(&self, name_of: impl Fn(&EntityId) -> String) -> String {
        match self {
            Self::Told { by: Some(by), citing: None } => format!("told by {}", name_of(by)),
            Self::Told { by: Some(by), citing: Some(citing) } => {
                format!("told by {}, who has it from {}", name_of(by), name_of(citing))
            }
            Self::Read { document: Some(document) } => format!("read in {}", name_of(document)),
            Self::Deduced { from } if from.len() == 1 => format!("{} from a fact", DEDUCED.phrase),
            Self::Deduced { from } => format!("{} from {} facts", DEDUCED.phrase, from.len()),
            _ => self.descriptor().phrase.to_owned(),
        }
    }

    /// Returns [`Self::Authored`] for a deduction, and a copy of any other acquisition. Use this method for a fact that
    /// a knower learned together with a deduced fact but did not deduce, such as a name.
    #[must_use]
    pub fn without_premises(&self) -> Self {
        if self.is_independent() { self.clone() } else { Self::Authored }
    }

    /// Removes each teller, cited source and document for which `keep` returns `false`.
    pub fn retain_entities(&mut self, keep: impl Fn(&EntityId) -> bool) {
        match self {
            Self::Told { by, citing } => {
                for id in [by, citing] {
                    id.take_if(|id| !keep(id));
                }
            }
            Self::Read { document } => _ = document.take_if(|id| !keep(id)),
            Self::Witnessed | Self::Authored | Self::Deduced { .. } | Self::Shared => {}
        }
    }

    /// Uses the methods of `renaming` to replace the ids of the entities and facts that the acquisition names.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        match self {
            Self::Told { by, citing } => by.iter_mut().chain(citing).for_each(|id| renaming.entity(id)),
            Self::Read { document } => document.iter_mut().for_each(|id| renaming.entity(id)),
            Self::Deduced { from } => from.iter_mut().for_each(|id| renaming.fact(id)),
            Self::Witnessed | Self::Authored | Self::Shared => {}
        }
    }

    /// Returns the text that represents the acquisition in the hash of an edge.
    pub(super) fn id_text(&self) -> String {
        let id = |id: Option<&EntityId>| id.map_or("", EntityId::as_str).to_owned();
        let source = match self {
            Self::Told { by, citing: None } => id(by.as_ref()),
            Self::Told { by, citing: Some(citing) } => format!("{} citing {citing}", id(by.as_ref())),
            Self::Read { document } => id(document.as_ref()),
            Self::Deduced { from } if !from.is_empty() => {
                from.iter().map(FactId::to_string).collect::<Vec<_>>().join(" ")
            }
            Self::Deduced { .. } | Self::Witnessed | Self::Authored | Self::Shared => return self.name().to_owned(),
        };
        format!("{} {source}", self.name())
    }
}
