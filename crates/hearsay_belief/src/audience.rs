//! Who knows a fact that is not marked (decision 9 of the design: the audience rules).

use hearsay_model::{Audience, EntityId, Fact, Kind, Knower, Standing, State, predicate};

/// What the audience rules ask about the entities of a fact. A state answers it; an importer answers it for facts that
/// are about to be written.
pub trait Surroundings {
    /// What an entity is.
    fn kind(&self, id: &EntityId) -> Option<Kind>;

    /// Where an entity lives, or else where it is.
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

/// Those who know a fact of an audience from the start. Groups and places stand for their members and residents.
/// Sorted, each once.
///
/// - **Private**: the subject.
/// - **Parties**: subject and object.
/// - **Local**: both, and the place: the subject itself if it is one, else where it lives or is, else where the object
///   lives or is.
/// - **Common**: everybody.
///
/// Things and events know nothing and are left out: an item's private fact is known to nobody.
pub fn knowers(audience: Audience, fact: &Fact, around: &impl Surroundings) -> Vec<Knower> {
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

/// Whether membership or residence that a fact states is so: structure follows the world, and only what is canon.
pub(crate) fn is_structure(fact: &Fact) -> bool {
    let name = fact.predicate().as_str();
    fact.standing() == Standing::Canon
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
            let found = knowers(audience, &fact, &Town);
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
