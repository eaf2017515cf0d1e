//! Lookup of names: the names of an entity, and the entity that has a name.

use std::collections::{BTreeMap, BTreeSet};

use super::{FactGroup, State};
use crate::{
    EntityId, Fact, FactStatus, Kind, Predicate, ReviewSetting, Secrecy, Setting, SettingKey, SpeakerRole, attribute,
    text,
};

/// Result of the lookup of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// Exactly one entity has the name.
    One(EntityId),
    /// Several entities have the name. The ids are sorted.
    Ambiguous(Vec<EntityId>),
    /// No entity has the name.
    None,
}

impl State {
    /// Returns the main name of an entity for the DM: the newest canon name. A name that is not secret takes precedence
    /// over a secret name.
    pub fn name(&self, id: &EntityId) -> Option<&str> {
        self.newest(id, attribute::NAME).and_then(|fact| fact.object().text())
    }

    /// Returns the main name of an entity, or its id if it has no name.
    pub fn name_or_id<'a>(&'a self, id: &'a EntityId) -> &'a str {
        self.name(id).unwrap_or(id.as_str())
    }

    /// Returns the kind of an entity as the DM sees it.
    pub fn kind(&self, id: &EntityId) -> Option<Kind> {
        self.newest(id, attribute::KIND).and_then(|fact| fact.object().text()).map(Kind::from)
    }

    /// Returns whether an entity is a character. An entity of unknown kind is not a character.
    pub fn is_character(&self, id: &EntityId) -> bool {
        self.kind(id).is_some_and(|kind| kind.is_character())
    }

    /// Returns all canon names and aliases of an entity, including secret names. The main name comes first, and the
    /// other names are sorted.
    pub fn names(&self, id: &EntityId) -> Vec<&str> {
        self.names_where(id, self.name(id), |_| true)
    }

    /// Returns the canon names and aliases of an entity that are not secret. The main name comes first, and the other
    /// names are sorted.
    pub fn open_names(&self, id: &EntityId) -> Vec<&str> {
        self.names_where(id, self.open_name(id), |fact| fact.secrecy() != Secrecy::Secret)
    }

    fn names_where<'a>(
        &'a self,
        id: &EntityId,
        first: Option<&'a str>,
        is_included: impl Fn(&Fact) -> bool,
    ) -> Vec<&'a str> {
        let facts = [attribute::NAME, attribute::ALIAS].map(|name| self.facts_with_subject(id, name).all());
        let canon = facts.into_iter().flatten().filter(|fact| fact.status() == FactStatus::Canon);
        let mut names: Vec<&str> =
            canon.filter(|fact| is_included(fact)).filter_map(|fact| fact.object().text()).collect();
        names.sort_unstable();
        names.dedup();
        if let Some(first) = first {
            names.retain(|name| *name != first);
            names.insert(0, first);
        }
        names
    }

    /// Returns the newest canon fact without an end date that states an attribute of an entity. A fact that is not
    /// secret takes precedence over a secret fact.
    pub fn newest(&self, id: &EntityId, name: &str) -> Option<&Fact> {
        self.newest_in(self.facts_with_subject(id, name))
    }

    fn newest_in<'a>(&'a self, group: FactGroup<'a>) -> Option<&'a Fact> {
        let rows = group.open_indices().map(|index| self.facts.at(index));
        let facts = rows.filter_map(|row| Some((row.record.value.as_deref()?, row)));
        let canon = facts.filter(|(fact, _)| fact.status() == FactStatus::Canon);
        canon
            .max_by_key(|(fact, row)| (fact.secrecy() != Secrecy::Secret, self.newest_assertion(row), fact.id()))
            .map(|(fact, _)| fact)
    }

    /// Returns the [`newest`](Self::newest) fact of each predicate of an entity.
    pub fn newest_by_predicate(&self, id: &EntityId) -> BTreeMap<&Predicate, &Fact> {
        let newest = self.fact_groups(id).filter_map(|group| self.newest_in(group));
        newest.map(|fact| (fact.predicate(), fact)).collect()
    }

    /// Returns the main name of an entity for knowers who do not know its secret names.
    pub fn open_name(&self, id: &EntityId) -> Option<&str> {
        let name = self.newest(id, attribute::NAME).filter(|fact| fact.secrecy() != Secrecy::Secret)?;
        name.object().text()
    }

    /// Returns the entity's secret name or alias that equals `words` in [normal form](text::normalize). Returns `None`
    /// if no secret name equals `words`, or if `words` is the entity's id or a name that is not secret.
    pub fn secret_name(&self, id: &EntityId, words: &str) -> Option<&str> {
        let normal = text::normalize(words);
        if normal == id.as_str() || self.open_names(id).iter().any(|open| text::normalize(open) == normal) {
            return None;
        }
        let names = self.facts_of(id).filter(|fact| fact.subject() == id && fact.secrecy() == Secrecy::Secret);
        let names = names.filter(|fact| fact.is_name());
        names.filter_map(|fact| fact.object().text()).filter(|name| text::normalize(name) == normal).min()
    }

    /// Returns the canon facts without an end date that state an attribute of an entity. The facts are sorted by id.
    pub fn values(&self, id: &EntityId, name: &Predicate) -> Vec<&Fact> {
        let open = self.facts_with_subject(id, name.as_str()).open();
        let canon = open.filter(|fact| fact.status() == FactStatus::Canon);
        let mut facts: Vec<&Fact> = canon.map(AsRef::as_ref).collect();
        facts.sort_unstable_by_key(|fact| fact.id());
        facts
    }

    /// Finds the entity whose id, name or alias is `text`. Ids take precedence over names.
    ///
    /// Names are compared in their [normal form](text::normalize).
    pub fn resolve(&self, text: &str) -> Resolution {
        if let Ok(id) = EntityId::new(text.trim())
            && self.entity(&id).is_some()
        {
            return Resolution::One(id);
        }
        let indices = self.names.get(&text::normalize(text)).into_iter().flat_map(|row| row.facts.iter());
        let facts = indices.filter_map(|index| self.fact_at(index).map(AsRef::as_ref));
        let live = facts.filter(|fact| matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed));
        let found: BTreeSet<&EntityId> = live.map(Fact::subject).collect();
        match found.len() {
            0 => Resolution::None,
            1 => found.into_iter().next().map_or(Resolution::None, |id| Resolution::One(id.clone())),
            _ => Resolution::Ambiguous(found.into_iter().cloned().collect()),
        }
    }

    /// Returns the role that the DM assigned to a speaker of transcripts who plays no character; `None` if the DM
    /// assigned no role. Names are compared in their [normal form](text::normalize).
    pub fn speaker_role(&self, name: &str) -> Option<SpeakerRole> {
        match self.setting(&SettingKey::Speaker(text::normalize(name)))? {
            Setting::Review(ReviewSetting::Speaker { role, .. }) => Some(*role),
            _ => None,
        }
    }
}
