//! Rules that find the relations and attributes that a clause states.

pub(crate) mod apposition;
pub(crate) mod clause_facts;
pub(crate) mod copula;
pub(crate) mod fields;
pub(crate) mod fronted_objects;
pub(crate) mod noun_facts;
pub(crate) mod patterns;
pub(crate) mod possession;
pub(crate) mod relational_nouns;
pub(crate) mod verb_facts;
