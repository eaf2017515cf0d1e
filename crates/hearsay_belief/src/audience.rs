//! Default audience: the knowers of a fact that is not marked.

use hearsay_model::{Audience, EntityId, Fact, FactStatus, Kind, Knower, State, predicate};

/// Entity data that the audience rules depend on.
///
/// [`State`] implements it. An importer implements it for facts that it is about to write.
pub trait Surroundings {
    /// Returns the kind of an entity.
    fn kind(&self, id: &EntityId) -> Option<Kind>;

    /// Returns the place where an entity lives, or else its current location.
    fn place(&self, id: &EntityId) -> Option<EntityId>;
}

impl Surroundings for State {
    fn kind(&self, id: &EntityId) -> Option<Kind> {
        Self::kind(self, id)
    }

    fn place(&self, id: &EntityId) -> Option<EntityId> {
        [predicate::RESIDENT_OF, predicate::LOCATED_AT]
            .into_iter()
            .find_map(|name| self.newest(id, name)?.object().entity().cloned())
    }
}

/// Returns the initial knowers of a fact with the given audience. Groups and places stand for their members and
/// residents. Sorted and unique.
///
/// - **Private**: the subject.
/// - **Parties**: subject and object.
/// - **Local**: subject, object and a place. A subject that is a location is the place itself. Otherwise the place is
///   the residence or location of the subject, or else that of the object.
/// - **Common**: everyone.
///
/// Entities that cannot know anything, such as items and events, are left out. No knower knows a private fact of an
/// item.
pub fn default_audience(audience: Audience, fact: &Fact, around: &impl Surroundings) -> Vec<Knower> {
    let (subject, object) = (fact.subject(), fact.object().entity());
    let mut knowers: Vec<EntityId> = Vec::new();
    match audience {
        Audience::Common => return vec![Knower::World],
        Audience::Private => knowers.push(subject.clone()),
        Audience::Parties => knowers.extend(std::iter::once(subject).chain(object).cloned()),
        Audience::Local => {
            knowers.extend(std::iter::once(subject).chain(object).cloned());
            if around.kind(subject) != Some(Kind::Location) {
                let place = around.place(subject).or_else(|| object.and_then(|object| around.place(object)));
                knowers.extend(place);
            }
        }
    }
    knowers.retain(|id| around.kind(id).is_none_or(|kind| kind.can_know()));
    knowers.sort();
    knowers.dedup();
    knowers.into_iter().map(Knower::Entity).collect()
}

/// Returns whether a fact states a membership, residence or part that counts. Structure follows the world: only canon
/// facts count.
pub(crate) fn is_structure(fact: &Fact) -> bool {
    let name = fact.predicate().as_str();
    fact.status() == FactStatus::Canon
        && [predicate::MEMBER_OF, predicate::RESIDENT_OF, predicate::PART_OF].contains(&name)
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Method, Provenance};

    use super::*;

    struct Town;

    impl Surroundings for Town {
        fn kind(&self, id: &EntityId) -> Option<Kind> {
            Some(Kind::from(match id.as_str() {
                "tavern" | "town" => "location",
                "guild" => "faction",
                "ledger" => "item",
                _ => "npc",
            }))
        }

        fn place(&self, id: &EntityId) -> Option<EntityId> {
            ["ann", "ledger"].contains(&id.as_str()).then(|| EntityId::new("tavern").ok()).flatten()
        }
    }

    #[test]
    fn each_audience_reaches_whom_it_names() {
        let check = |audience, subject: &str, object: &str, expected: &[&str]| {
            let id = |text| EntityId::new(text).unwrap();
            let provenance = Provenance::new(Method::Authored, Author::Dm);
            let fact = Fact::relation(&id(subject), "RELATED_TO", &id(object), provenance).unwrap().build().unwrap();
            let found = default_audience(audience, &fact, &Town);
            assert_eq!(
                found.iter().map(Knower::as_str).collect::<Vec<_>>(),
                expected,
                "{subject} {object} {audience:?}"
            );
        };
        check(Audience::Common, "ann", "bob", &["*"]);
        check(Audience::Private, "ann", "bob", &["ann"]);
        check(Audience::Parties, "ann", "guild", &["ann", "guild"]);
        check(Audience::Local, "ann", "bob", &["ann", "bob", "tavern"]);
        check(Audience::Local, "bob", "ann", &["ann", "bob", "tavern"]);
        check(Audience::Local, "tavern", "town", &["tavern", "town"]);
        check(Audience::Local, "ledger", "ann", &["ann", "tavern"]);
        check(Audience::Private, "ledger", "ann", &[]);
    }
}
