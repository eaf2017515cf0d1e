//! Sharing of ids when a file is read: equal ids share one allocation and are checked only once.

use std::{cell::RefCell, mem, sync::Arc};

use rustc_hash::FxHashSet;

/// Table of the texts of all ids and predicates that were read so far.
///
/// A journal contains the same ids thousands of times. The table saves memory and time when a program reads a journal.
///
/// ```
/// use hearsay_model::{EntityId, SharedIds};
///
/// let mut ids = SharedIds::default();
/// let read = |json| ids.share(|| serde_json::from_str::<Vec<EntityId>>(json));
/// assert_eq!([r#"["mirela-voss"]"#, r#"["mirela-voss"]"#].map(read).map(Result::unwrap).concat().len(), 2);
/// ```
#[derive(Debug, Default)]
pub struct SharedIds {
    entities: FxHashSet<Arc<str>>,
    sessions: FxHashSet<Arc<str>>,
    predicates: FxHashSet<Arc<str>>,
}

thread_local! {
    /// The table of the call to [`SharedIds::share`] that this thread is executing.
    static ACTIVE_TABLE: RefCell<Option<SharedIds>> = const { RefCell::new(None) };
}

impl SharedIds {
    /// Calls `read`. Equal ids that `read` creates on this thread share one allocation, including ids from earlier
    /// calls.
    pub fn share<T>(&mut self, read: impl FnOnce() -> T) -> T {
        /// Guard that restores the table of the enclosing call to `share` when it is dropped, even after a panic.
        struct RestoreOuterTable(Option<SharedIds>);
        impl Drop for RestoreOuterTable {
            fn drop(&mut self) {
                ACTIVE_TABLE.set(self.0.take());
            }
        }
        let guard = RestoreOuterTable(ACTIVE_TABLE.replace(Some(mem::take(self))));
        let result = read();
        *self = ACTIVE_TABLE.take().unwrap_or_default();
        drop(guard);
        result
    }
}

/// Function that selects the part of the table for one type of id.
pub(crate) type IdSetSelector = fn(&mut SharedIds) -> &mut FxHashSet<Arc<str>>;

pub(crate) const ENTITIES: IdSetSelector = |ids| &mut ids.entities;
pub(crate) const SESSIONS: IdSetSelector = |ids| &mut ids.sessions;
pub(crate) const PREDICATES: IdSetSelector = |ids| &mut ids.predicates;

/// Checks a text and returns a shared copy of it. A text that is already in the table is not checked again.
pub(crate) fn check_and_share<E>(
    text: &str,
    select_set: IdSetSelector,
    check: impl FnOnce(&str) -> Result<(), E>,
) -> Result<Arc<str>, E> {
    ACTIVE_TABLE.with_borrow_mut(|table| {
        let Some(ids) = table.as_mut().map(select_set) else {
            return check(text).map(|()| text.into());
        };
        if let Some(id) = ids.get(text) {
            return Ok(Arc::clone(id));
        }
        check(text)?;
        let id: Arc<str> = text.into();
        ids.insert(Arc::clone(&id));
        Ok(id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EntityId, Predicate, SessionId};

    #[test]
    fn equal_ids_share_their_text_while_they_are_read() {
        let mut ids = SharedIds::default();
        let read = || EntityId::new("odo").unwrap();
        let (first, second) = (ids.share(read), ids.share(read));
        assert!(std::ptr::eq(first.as_str(), second.as_str()));
        // Ids are not shared outside a read, nor with another table.
        assert!(!std::ptr::eq(first.as_str(), read().as_str()));
        assert!(!std::ptr::eq(first.as_str(), SharedIds::default().share(read).as_str()));
        // Each type of id has its own rules, so a text that is known as an id of one type is still checked as an id of
        // another type.
        ids.share(|| {
            assert!(SessionId::new("odo").is_ok() && EntityId::new("Odo").is_err() && EntityId::new("Odo").is_err());
            assert!(Predicate::new("owes money").is_err() && Predicate::new("OWES").is_ok());
            assert!(EntityId::new("OWES").is_err());
            assert_eq!(SharedIds::default().share(read), first);
            assert!(std::ptr::eq(first.as_str(), read().as_str()));
        });
    }

    #[test]
    fn a_panic_ends_the_sharing() {
        let panicked = std::panic::catch_unwind(|| SharedIds::default().share(|| panic!("while reading")));
        assert!(panicked.is_err() && ACTIVE_TABLE.with_borrow(Option::is_none));
    }
}
