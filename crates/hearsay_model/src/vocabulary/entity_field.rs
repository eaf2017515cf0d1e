//! Fields of an entity: the names under which campaign files and commands state facts about the entity.

use super::{Predicate, PredicateRole, RelationField, Vocabulary};
use crate::{attribute, slug, spelling::nearest_name};

/// Returns the fields of an entity in campaign files whose names differ from the predicates of their facts. Each field
/// has the name of this predicate. Any other field that states facts, such as `player`, has the name of an attribute.
fn renamed_fields() -> [(&'static str, &'static str); 7] {
    [
        ("home", PredicateRole::Residence.name()),
        ("location", PredicateRole::Location.name()),
        ("part_of", PredicateRole::Part.name()),
        ("faction", PredicateRole::Membership.name()),
        ("type", attribute::KIND),
        ("aliases", attribute::ALIAS),
        ("tags", attribute::TAG),
    ]
}

/// Returns the name of the predicate whose facts a field of an entity in a campaign file states: `home` states facts of
/// `RESIDENT_OF`. Returns the field itself if its name is that of the predicate, such as `player`.
pub fn entity_field_predicate(field: &str) -> &str {
    renamed_fields().into_iter().find(|(name, _)| *name == field).map_or(field, |(_, predicate)| predicate)
}

/// Returns the name of a field as campaign files write it: `Speaking style` becomes `speaking_style`.
pub fn entity_field_name(text: &str) -> String {
    slug(text).replace('-', "_")
}

impl Vocabulary {
    /// Returns the predicate of the facts that a field of an entity states. The field is a field of an entity in a
    /// campaign file (`home`), an attribute (`occupation`), or a [name of a relation](Self::relation_named) (`faction`).
    /// An attribute is never inverse. Returns `None` for an unknown field.
    pub fn entity_field(&self, text: &str) -> Option<RelationField> {
        let name = entity_field_name(text);
        let predicate = Predicate::new(entity_field_predicate(&name)).ok();
        let is_defined = |name: &Predicate| self.predicate(name).is_some() || self.attribute(name).is_some();
        let field = predicate.filter(is_defined).map(|predicate| RelationField { predicate, is_inverse: false });
        field.or_else(|| self.relation_named(text))
    }

    /// Returns the known field that an unknown field probably means: `occupatin` means `occupation`. Returns `None` if
    /// no field is similar.
    pub fn similar_entity_field(&self, text: &str) -> Option<String> {
        let name = entity_field_name(text);
        let attributes = self.attributes().map(|def| def.name.to_string());
        let relations = self.words.field_names().map(entity_field_name);
        let renamed = renamed_fields().into_iter().map(|(field, _)| field.to_owned());
        let known: Vec<String> = attributes.chain(relations).chain(renamed).collect();
        let nearest = nearest_name(&name, &known, |field| field.as_str())?;
        let max_distance = (name.chars().count() / 4).max(1);
        (strsim::damerau_levenshtein(nearest, &name) <= max_distance).then(|| nearest.clone())
    }
}
