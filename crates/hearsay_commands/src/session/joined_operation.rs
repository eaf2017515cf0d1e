//! One operation for several lines of a session.

use hearsay_model::{Author, Operation, State, Timestamp};
use hearsay_query::preview::state_after;

use crate::CommandError;

/// Returns one operation of the DM with the changes that `operation` returns for each item, in order. Each item sees the
/// state after the items before it. Leaves out the items whose error `is_nothing` accepts: nothing would change. Returns
/// `None` if nothing would change at all.
///
/// # Errors
/// Returns the first other error of an item, or an error if an operation cannot be applied.
pub(super) fn joined_operation<T>(
    items: &[T],
    state: &State,
    now: Timestamp,
    operation: impl Fn(&T, &State) -> Result<Operation, CommandError>,
    is_nothing: impl Fn(&CommandError) -> bool,
) -> Result<Option<Operation>, CommandError> {
    let (mut after, mut changes, mut summary) = (state.clone(), Vec::new(), Vec::new());
    for item in items {
        match operation(item, &after) {
            Err(error) if is_nothing(&error) => {}
            Err(error) => return Err(error),
            Ok(operation) => {
                summary.push(operation.summary.clone());
                changes.extend(operation.changes.clone());
                after = state_after(&after, operation)?;
            }
        }
    }
    let joined = Operation { recorded: now, ..Operation::new(Author::Dm, summary.join("; "), changes) };
    Ok((!joined.changes.is_empty()).then_some(joined))
}
