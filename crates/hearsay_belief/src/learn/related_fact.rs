//! Facts about other facts: refutations, and facts that state that another fact has ended.

use std::sync::Arc;

use hearsay_model::{Date, Fact, FactRelation, Provenance, attribute, words};

use super::LearnError;

/// Creates a fact that refutes another fact. A knower can tell the refutation like any other fact.
///
/// # Errors
/// Returns an error if the statement is empty.
pub fn refutation(fact: &Fact, statement: Option<&str>, provenance: Provenance) -> Result<Arc<Fact>, LearnError> {
    let statement = statement.map_or_else(|| refutation_statement(fact), str::to_owned);
    related_fact(fact, FactRelation::Refutes(fact.id()), statement, provenance, None)
}

/// Creates a fact that states the end of another fact. A knower can tell the new fact like any other fact.
///
/// # Errors
/// Returns an error if the statement is empty.
pub fn ending(fact: &Fact, until: Date, provenance: Provenance) -> Result<Arc<Fact>, LearnError> {
    let statement = ending_statement(fact, Some(&until));
    related_fact(fact, FactRelation::Ends(fact.id()), statement, provenance, Some(until))
}

/// Returns the default statement of a refutation: "It is not true that …".
pub fn refutation_statement(fact: &Fact) -> String {
    format!("It is not true that {}", words::lower_first(fact.statement()))
}

/// Returns the default statement about the end of another fact: "It is no longer true that …". If the date is known,
/// the statement begins with the date: "Since 3 Rainmoon 412, it is no longer true that …".
pub fn ending_statement(fact: &Fact, since: Option<&Date>) -> String {
    let statement = words::lower_first(fact.statement());
    match since.filter(|date| !date.raw.is_empty()) {
        Some(date) => format!("Since {}, it is no longer true that {statement}", date.raw),
        None => format!("It is no longer true that {statement}"),
    }
}

fn related_fact(
    fact: &Fact,
    fact_relation: FactRelation,
    statement: String,
    provenance: Provenance,
    since: Option<Date>,
) -> Result<Arc<Fact>, LearnError> {
    let validity = hearsay_model::Validity { from: since, until: None };
    let builder = Fact::attribute(fact.subject(), attribute::LORE, statement.clone(), provenance)?;
    let mentions = fact.entities().cloned().collect::<Vec<_>>();
    let builder = builder.statement(statement).mentions(mentions).validity(validity);
    Ok(Arc::new(builder.secrecy(fact.secrecy()).fact_relation(Some(fact_relation)).build()?))
}
