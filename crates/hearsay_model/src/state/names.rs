//! Names: what an entity is called, and whom a name means.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use super::{State, rows::Write};
use crate::{Change, EntityId, Fact, FactId, Kind, Predicate, Secrecy, Standing, attribute, text};

/// Whom a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// One entity.
    One(EntityId),
    /// Several entities of this name. Sorted.
    Ambiguous(Vec<EntityId>),
    /// Nobody.
    None,
}

impl State {
    /// What an entity is called first of all, for the DM: the newest canon name, an open one before a secret one.
    pub fn name(&self, id: &EntityId) -> Option<&str> {
        self.newest(id, attribute::NAME).and_then(|fact| fact.object().text())
    }

    /// What an entity is called first of all, or its id where it has no name.
    pub fn name_or_id<'a>(&'a self, id: &'a EntityId) -> &'a str {
        self.name(id).unwrap_or(id.as_str())
    }

    /// What an entity is, for the DM.
    pub fn kind(&self, id: &EntityId) -> Option<Kind> {
        self.newest(id, attribute::KIND).and_then(|fact| fact.object().text()).map(Kind::from)
    }

    /// All canon names and aliases of an entity, secret ones too: the first name first, the others sorted.
    pub fn names(&self, id: &EntityId) -> Vec<&str> {
        self.names_where(id, self.name(id), |_| true)
    }

    /// The canon names and aliases of an entity that are no secret: the first name first, the others sorted.
    pub fn open_names(&self, id: &EntityId) -> Vec<&str> {
        self.names_where(id, self.open_name(id), |fact| fact.secrecy() != Secrecy::Secret)
    }

    fn names_where<'a>(
        &'a self,
        id: &EntityId,
        first: Option<&'a str>,
        counts: impl Fn(&Fact) -> bool,
    ) -> Vec<&'a str> {
        let mut names: Vec<&str> = self
            .facts_of(id)
            .filter(|fact| fact.subject() == id && fact.standing() == Standing::Canon && counts(fact))
            .filter(|fact| fact.is_name())
            .filter_map(|fact| fact.object().text())
            .collect();
        names.sort_unstable();
        names.dedup();
        if let Some(first) = first {
            names.retain(|name| *name != first);
            names.insert(0, first);
        }
        names
    }

    /// The canon fact that holds now for an attribute of an entity: the newest, an open one before a secret one.
    pub fn newest(&self, id: &EntityId, name: &str) -> Option<&Fact> {
        let row = self.entities.get(id).filter(|row| row.record.value.is_some())?;
        let rows = row.facts.iter().filter_map(|index| Some((&**self.fact_at(index)?, index)));
        rows.filter(|(fact, _)| fact.subject() == id && *fact.predicate() == *name)
            .filter(|(fact, _)| fact.standing() == Standing::Canon && !fact.validity().is_closed())
            .max_by_key(|(fact, index)| (fact.secrecy() != Secrecy::Secret, self.newest_assertion(*index), fact.id()))
            .map(|(fact, _)| fact)
    }

    /// For every predicate, the canon fact with this subject that holds now, as [`newest`](Self::newest) chooses it.
    pub fn newest_of_each(&self, id: &EntityId) -> BTreeMap<&Predicate, &Fact> {
        type Rank = (bool, Option<Write>, FactId);
        let mut newest: BTreeMap<&Predicate, (Rank, &Fact)> = BTreeMap::new();
        let row = self.entities.get(id).filter(|row| row.record.value.is_some());
        for index in row.into_iter().flat_map(|row| row.facts.iter()) {
            let Some(fact) = self.fact_at(index).filter(|fact| fact.subject() == id) else { continue };
            if fact.standing() != Standing::Canon || fact.validity().is_closed() {
                continue;
            }
            let rank = (fact.secrecy() != Secrecy::Secret, self.newest_assertion(index), fact.id());
            match newest.entry(fact.predicate()) {
                Entry::Vacant(entry) => _ = entry.insert((rank, fact)),
                Entry::Occupied(mut entry) if entry.get().0 < rank => _ = entry.insert((rank, fact)),
                Entry::Occupied(_) => {}
            }
        }
        newest.into_iter().map(|(predicate, (_, fact))| (predicate, fact)).collect()
    }

    /// The last live write that asserted a fact: judging or confirming it later makes it no newer.
    fn newest_assertion(&self, fact: u32) -> Option<Write> {
        let asserts = |write: &Write| {
            let entry = &self.journal[write.operation as usize];
            entry.live && matches!(entry.operation.changes[write.change as usize], Change::AssertFact(_))
        };
        self.facts.at(fact).record.writes.iter().rev().find(asserts)
    }

    /// What an entity is called first of all by those who know no secret name of it.
    pub fn open_name(&self, id: &EntityId) -> Option<&str> {
        let name = self.newest(id, attribute::NAME).filter(|fact| fact.secrecy() != Secrecy::Secret)?;
        name.object().text()
    }

    /// The values of an attribute that are canon and hold now. Sorted by fact id.
    pub fn values(&self, id: &EntityId, name: &Predicate) -> Vec<&Fact> {
        let mut facts: Vec<&Fact> = self
            .facts_of(id)
            .filter(|fact| fact.subject() == id && fact.predicate() == name)
            .filter(|fact| fact.standing() == Standing::Canon && !fact.validity().is_closed())
            .map(AsRef::as_ref)
            .collect();
        facts.sort_unstable_by_key(|fact| fact.id());
        facts
    }

    /// Finds the entity that an id, a name or an alias means. An id goes before names; names are compared in their
    /// [normal form](text::normal).
    pub fn resolve(&self, text: &str) -> Resolution {
        if let Ok(id) = EntityId::new(text.trim())
            && self.entity(&id).is_some()
        {
            return Resolution::One(id);
        }
        let indices = self.names.get(&text::normal(text)).into_iter().flat_map(|row| row.facts.iter());
        let facts = indices.filter_map(|index| self.fact_at(index).map(AsRef::as_ref));
        let live = facts.filter(|fact| matches!(fact.standing(), Standing::Canon | Standing::Claimed));
        let found: BTreeSet<&EntityId> = live.map(Fact::subject).collect();
        match found.len() {
            0 => Resolution::None,
            1 => found.into_iter().next().map_or(Resolution::None, |id| Resolution::One(id.clone())),
            _ => Resolution::Ambiguous(found.into_iter().cloned().collect()),
        }
    }
}
