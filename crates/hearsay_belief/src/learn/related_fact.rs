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

/// Creates a fact that states that another fact has ended. A knower can tell the new fact like any other fact.
///
/// # Errors
/// Returns an error if the statement is empty.
pub fn ending(
    fact: &Fact,
    until: Date,
    statement: Option<&str>,
    provenance: Provenance,
) -> Result<Arc<Fact>, LearnError> {
    let statement = statement.map_or_else(|| ending_statement(fact, Some(&until)), str::to_owned);
    related_fact(fact, FactRelation::Ends(fact.id()), statement, provenance, Some(until))
}

/// Returns the default statement of a refutation: "It is not so that …".
pub fn refutation_statement(fact: &Fact) -> String {
    format!("It is not so that {}", lower_first(fact.statement()))
}

/// Returns the default statement that another fact has ended: "No longer so …". The statement contains the date if it
/// is known.
pub fn ending_statement(fact: &Fact, since: Option<&Date>) -> String {
    let since = since.filter(|date| !date.raw.is_empty());
    let when = since.map_or_else(String::new, |date| format!(" since {}", date.raw));
    format!("No longer so{when}: {}", fact.statement())
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

/// Returns a sentence in a form that can follow other words. The first word becomes lowercase only if it is in the list
/// of [openers](words::Words::openers), because any other word may be a name.
fn lower_first(sentence: &str) -> String {
    let (first, rest) = sentence.split_once(' ').unwrap_or((sentence, ""));
    let first =
        if words::contains_word(&words::english().openers, first) { first.to_lowercase() } else { first.to_owned() };
    format!("{first} {rest}").trim_end().to_owned()
}
