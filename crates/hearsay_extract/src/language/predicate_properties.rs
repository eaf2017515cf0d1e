//! Properties of relations and attributes. The extractor uses the properties of a relation or attribute to read a
//! sentence that states it.

use crate::language::named_flags::named_flags;

named_flags! {
    /// Set of properties of a relation or attribute.
    ///
    /// The table `[properties]` of a language file lists the relations and attributes with each property.
    PredicateProperties(u16);
    /// A fact in the past tense is no longer true: "was a member of the guild".
    ENDS = 0, "ends";
    /// A fact stays true forever: "forged the blade".
    PERMANENT = 1, "permanent";
    /// If a fact is true for a part of a place, it is also true for the whole place: a person in the cellar of the Bell
    /// is at the Bell.
    APPLIES_TO_WHOLES = 2, "wholes";
    /// The verb has two objects, and the first one is a person: "owes Odo money".
    HAS_TWO_OBJECTS = 3, "two_objects";
    /// A clause with "would" states a fact: "would love to own the ledger".
    IS_ASSERTED_WITH_WOULD = 4, "would";
    /// The relation says that the object died: "killed Odo".
    IS_FATAL = 5, "fatal";
    /// The relation says that somebody did harm to the object: "stabbed Odo".
    HARM = 11, "harm";
    /// Employment by a person or group.
    EMPLOYMENT = 6, "employment";
    /// Acquaintance of two persons.
    ACQUAINTANCE = 7, "acquaintance";
    /// Wish for a thing or place.
    DESIRE = 8, "desire";
    /// Devotion to a leader or a god.
    DEVOTION = 9, "devotion";
    /// Promise to a person or group.
    PROMISE = 10, "promise";
}
