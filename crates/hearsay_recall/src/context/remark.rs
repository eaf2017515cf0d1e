//! Remarks to the speaker about a line.

use hearsay_model::Credence;
use serde::Serialize;

use crate::{CitedEntity, citation::join_names};

/// A remark to the speaker about a line: whether the speaker believes or remembers the fact, or which other entities
/// know the fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// The speaker knows that the fact has ended.
    Ended {
        /// Date of the end, in the format of the calendar or in the words of the campaign; `None` if the speaker does
        /// not know the date.
        until: Option<String>,
    },
    /// The speaker heard a refutation of the fact, and believes the refutation.
    Outweighed,
    /// The speaker heard a refutation but does not believe it. The refutation only lowers the speaker's credence in the
    /// fact.
    Denied,
    /// The speaker knows a contradicting fact.
    Contradicted,
    /// The speaker knows that the fact is untrue: its credence is 0.
    Untrue,
    /// The speaker doubts the fact: its credence is at most 0.35.
    Doubted,
    /// The speaker is not sure of the fact: its credence is at most 0.65.
    Uncertain,
    /// The speaker believes the fact, but is not certain: its credence is at most 0.9.
    Believed,
    /// The fact has faded from the speaker's memory: see [`Retention`](hearsay_belief::Retention).
    Faded,
    /// The speaker invented the fact, or told others the fact although it is untrue.
    MadeUp,
    /// The speaker told others this version of a fact that it heard, and did not notice the change: see
    /// [`Known::is_own_version`](hearsay_belief::Known::is_own_version).
    OwnVersion,
    /// The speaker knows that the subject of the fact is dead, but the statement describes the subject in the present
    /// tense.
    SubjectIsDead(CitedEntity),
    /// The speaker knows several facts with the content of the line, which began on different days.
    Repeated {
        /// Number of days on which a fact began.
        days: usize,
        /// The first of these days, in the format of the calendar.
        first: String,
        /// The last of these days, in the format of the calendar.
        last: String,
    },
    /// These entities told the speaker the fact.
    ToldYou(Vec<CitedEntity>),
    /// The speaker told these entities the fact.
    YouTold(Vec<CitedEntity>),
    /// These entities were present when the speaker learned the fact, or when the event that the fact states happened.
    WerePresent(Vec<CitedEntity>),
    /// An entity belongs to a group or place that knows the fact.
    Belongs {
        /// The entity.
        entity: CitedEntity,
        /// The group or place.
        group: CitedEntity,
    },
}

impl Remark {
    /// Returns the remark on a credence; `None` if the credence is above 0.9.
    pub(super) fn from_credence(credence: Credence) -> Option<Self> {
        let remarks = [(0.0, Self::Untrue), (0.35, Self::Doubted), (0.65, Self::Uncertain), (0.9, Self::Believed)];
        remarks.into_iter().find(|(max, _)| credence.get() <= *max).map(|(_, remark)| remark)
    }

    /// Returns the remark in words that address the speaker.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Ended { until: Some(date) } => format!("it was so until {date}"),
            Self::Ended { until: None } => "it is so no longer".into(),
            Self::Outweighed => "you have heard that it is not so, and believe that".into(),
            Self::Denied => "you have heard that it is not so".into(),
            Self::Contradicted => "you have also heard the contrary".into(),
            Self::Untrue => "you know that this is untrue".into(),
            Self::Doubted => "you doubt it".into(),
            Self::Uncertain => "you are not sure of it".into(),
            Self::Believed => "you believe it".into(),
            Self::Faded => "you remember it only dimly".into(),
            Self::MadeUp => "you made it up".into(),
            Self::OwnVersion => "this is how you tell it".into(),
            Self::SubjectIsDead(entity) => format!("{} is dead", entity.name_or("the person")),
            Self::Repeated { days, first, last } => format!("on {days} days since {first}, last on {last}"),
            Self::ToldYou(tellers) => format!("{} told you", join_names(tellers, "")),
            Self::YouTold(hearers) => format!("you told {}", join_names(hearers, "")),
            Self::WerePresent(entities) => {
                let were = if entities.len() == 1 { "was" } else { "were" };
                format!("{} {were} there", join_names(entities, ""))
            }
            Self::Belongs { entity, group } => {
                format!("{} belongs to {}", entity.name_or("somebody"), group.name_or("those who know it"))
            }
        }
    }
}

/// Adds remarks on who else knows a fact. Tellers whom the line already names are not named again.
pub(super) fn add_remarks(remarks: &mut Vec<Remark>, others: Vec<Remark>) {
    for mut remark in others {
        if let Remark::ToldYou(tellers) = &mut remark {
            let named = remarks.iter().filter_map(|remark| match remark {
                Remark::ToldYou(named) => Some(named),
                _ => None,
            });
            let named: Vec<CitedEntity> = named.flatten().cloned().collect();
            tellers.retain(|teller| !named.contains(teller));
            if tellers.is_empty() {
                continue;
            }
        }
        remarks.push(remark);
    }
}
