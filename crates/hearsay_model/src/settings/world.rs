//! Settings that describe the world of a campaign.

use serde::{Deserialize, Serialize};

use super::{MindRules, SettingKey};
use crate::{AttributeDef, AudienceRules, Calendar, PredicateDef};

/// Description of a campaign: id, name, text and game system.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignInfo {
    /// The readable, stable id of the campaign.
    pub id: String,
    /// The name of the campaign.
    pub name: String,
    /// A few sentences about the campaign.
    pub description: String,
    /// The name of the role-playing game system whose rules the campaign uses.
    pub system: String,
}

/// A setting that describes the world of the campaign. These settings come from campaign files.
#[derive(Debug, Clone, PartialEq)]
pub enum WorldSetting {
    /// The description of the campaign.
    Campaign(CampaignInfo),
    /// The calendar.
    Calendar(Calendar),
    /// The audience rules, which decide who knows a fact if its author names no knowers. The rules apply only to facts
    /// that are neither common nor secret.
    Audience(AudienceRules),
    /// The rules that decide how characters forget, how they distort rumours and lose interest in them, and how long
    /// their feelings last.
    Minds(MindRules),
    /// A relation that the campaign defines, or a redefinition of a built-in relation.
    Predicate(PredicateDef),
    /// An attribute that the campaign defines, or a redefinition of a built-in attribute.
    Attribute(AttributeDef),
}

impl WorldSetting {
    pub(super) fn key(&self) -> SettingKey {
        match self {
            Self::Campaign(_) => SettingKey::Campaign,
            Self::Calendar(_) => SettingKey::Calendar,
            Self::Audience(_) => SettingKey::Audience,
            Self::Minds(_) => SettingKey::Minds,
            Self::Predicate(def) => SettingKey::Predicate(def.name.clone()),
            Self::Attribute(def) => SettingKey::Attribute(def.name.clone()),
        }
    }
}
