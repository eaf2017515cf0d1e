//! Succession: a new value of a predicate ends the older values.

use hearsay_model::{Change, Fact, Object, Predicate, State, Validity};
use hearsay_query::dates::clock_date;

/// Returns the changes that end the older values of a predicate that allows one value at a time. `open_values` contains
/// the values that have not ended yet. If the new value has no start, sets its start in `validity` to the end of the
/// older values. A value that begins after the new value is not ended. The review then shows both values as a
/// contradiction.
pub(crate) fn succession(
    state: &State,
    open_values: &[&Fact],
    predicate: &Predicate,
    object: &Object,
    validity: &mut Validity,
) -> Vec<Change> {
    if !state.is_functional(predicate) || validity.is_closed() {
        return Vec::new();
    }
    let same_value = open_values.iter().find(|fact| fact.object() == object);
    let until = validity.from.clone().unwrap_or_else(|| clock_date(state));
    let is_older = |old: &&&Fact| {
        let begins_later = |end| old.validity().start().is_some_and(|start| start > end);
        old.object() != object && !until.time.is_some_and(begins_later)
    };
    let older_values: Vec<&Fact> = open_values.iter().filter(is_older).copied().collect();
    if validity.from.is_none() {
        validity.from = match same_value {
            // The same value is already recorded, and it continues.
            Some(same_value) => same_value.validity().from.clone(),
            None => Some(until.clone()).filter(|until| !older_values.is_empty() && until.time.is_some()),
        };
    }
    older_values.into_iter().map(|old| Change::EndFact { fact: old.id(), until: until.clone() }).collect()
}
