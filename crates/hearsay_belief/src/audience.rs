//! Default audience: the knowers of a fact if the author of the fact names no knowers.

use hearsay_model::{
    Audience, EntityId, Fact, FactStatus, Kind, Knower, Predicate, PredicateRole, Secrecy, State, Vocabulary, attribute,
};

/// Lookup of the kinds and places of entities for [`default_audience`].
///
/// [`State`] implements this trait. The importers implement the trait for facts that are not in the state yet.
pub trait EntityLookup {
    /// Returns the kind of an entity; `None` if the entity has no kind.
    fn kind(&self, id: &EntityId) -> Option<Kind>;

    /// Returns the residence of an entity. A secret residence does not count.
    fn home(&self, id: &EntityId) -> Option<EntityId>;

    /// Returns the place where an entity lives. If the entity has no residence, returns its current location. A secret
    /// residence or location does not count.
    fn place(&self, id: &EntityId) -> Option<EntityId>;
}

impl EntityLookup for State {
    fn kind(&self, id: &EntityId) -> Option<Kind> {
        Self::kind(self, id)
    }

    fn home(&self, id: &EntityId) -> Option<EntityId> {
        open_place(self, id, PredicateRole::Residence)
    }

    fn place(&self, id: &EntityId) -> Option<EntityId> {
        self.home(id).or_else(|| open_place(self, id, PredicateRole::Location))
    }
}

/// Returns the residence or the location of an entity, unless it is secret.
fn open_place(state: &State, id: &EntityId, role: PredicateRole) -> Option<EntityId> {
    let fact = state.newest(id, role.name()).filter(|fact| fact.secrecy() != Secrecy::Secret)?;
    fact.object().entity().cloned()
}

/// Returns the knowers of a fact according to an audience rule. The rule applies to facts whose author names no
/// knowers. The result is sorted and contains no duplicates. A group or place in the result represents its members or
/// residents.
///
/// - **Private**: the subject knows the fact.
/// - **Parties**: the subject and the object know the fact.
/// - **Local**: the subject, the object and a place know the fact. If the subject is a location, the place is the
///   subject itself. Otherwise, the place is the residence or location of the subject. If the subject has neither a
///   residence nor a location, the place is the residence or location of the object. Descriptions and lore of a character
///   are known only at its residence: a guest does not tell them to the residents of its location.
/// - **Common**: everyone knows the fact.
///
/// Entities that cannot know facts, such as items and events, are not included. For example, a private fact about an
/// item has no knowers.
pub fn default_audience(audience: Audience, fact: &Fact, context: &impl EntityLookup) -> Vec<Knower> {
    let (subject, object) = (fact.subject(), fact.object().entity());
    let mut knowers: Vec<EntityId> = Vec::new();
    match audience {
        Audience::Common => return vec![Knower::World],
        Audience::Private => knowers.push(subject.clone()),
        Audience::Parties => knowers.extend(std::iter::once(subject).chain(object).cloned()),
        Audience::Local => {
            knowers.extend(std::iter::once(subject).chain(object).cloned());
            if context.kind(subject) != Some(Kind::Location) {
                let is_guest_text =
                    is_text(fact.predicate()) && context.kind(subject).is_some_and(|kind| kind.is_character());
                let place = if is_guest_text {
                    context.home(subject)
                } else {
                    context.place(subject).or_else(|| object.and_then(|object| context.place(object)))
                };
                knowers.extend(place);
            }
        }
    }
    knowers.retain(|id| context.kind(id).is_none_or(|kind| kind.can_know()));
    knowers.sort();
    knowers.dedup();
    knowers.into_iter().map(Knower::Entity).collect()
}

/// Returns whether the facts of a predicate are texts about their subject, which can contain anything.
fn is_text(predicate: &Predicate) -> bool {
    [attribute::DESCRIPTION, attribute::LORE].contains(&predicate.as_str())
}

/// Returns whether a fact is canon and states a membership, a residence or a part-of relation. Knowledge spreads
/// through these relations, whether or not the knowers believe them.
pub(crate) fn states_belonging(vocabulary: &Vocabulary, fact: &Fact) -> bool {
    fact.status() == FactStatus::Canon && vocabulary.belonging(fact.predicate()).is_some()
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Method, Provenance};

    use super::*;

    struct Town;

    impl EntityLookup for Town {
        fn kind(&self, id: &EntityId) -> Option<Kind> {
            Some(Kind::from(match id.as_str() {
                "tavern" | "town" => "location",
                "guild" => "faction",
                "ledger" => "item",
                _ => "npc",
            }))
        }

        fn home(&self, id: &EntityId) -> Option<EntityId> {
            (id.as_str() == "ann").then(|| EntityId::new("tavern").ok()).flatten()
        }

        fn place(&self, id: &EntityId) -> Option<EntityId> {
            ["ann", "cid", "ledger"].contains(&id.as_str()).then(|| EntityId::new("tavern").ok()).flatten()
        }
    }

    #[test]
    fn only_a_residence_shares_descriptions() {
        let check = |subject: &str, attribute: &str, expected: &[&str]| {
            let provenance = Provenance::new(Method::Authored, Author::Dm);
            let subject = EntityId::new(subject).unwrap();
            let fact = Fact::attribute(&subject, attribute, "text", provenance).unwrap().build().unwrap();
            let found = default_audience(Audience::Local, &fact, &Town);
            assert_eq!(found.iter().map(Knower::as_str).collect::<Vec<_>>(), expected, "{subject} {attribute}");
        };
        check("ann", attribute::DESCRIPTION, &["ann", "tavern"]);
        check("cid", attribute::DESCRIPTION, &["cid"]);
        check("cid", attribute::LORE, &["cid"]);
        check("cid", "occupation", &["cid", "tavern"]);
        check("ledger", attribute::DESCRIPTION, &["tavern"]);
        check("tavern", attribute::DESCRIPTION, &["tavern"]);
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
