//! Sharing of ids while a file is read: equal ids share one allocation and are checked only once.

use std::{cell::RefCell, mem, sync::Arc};

use rustc_hash::FxHashSet;

/// Table of the texts of all ids and predicates that were read so far.
///
/// A journal names the same few entities thousands of times. The table saves memory and time when a journal is read.
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
    /// The table of the read that is in progress on this thread.
    static READING: RefCell<Option<SharedIds>> = const { RefCell::new(None) };
}

impl SharedIds {
    /// Calls `read`. Equal ids that `read` creates on this thread share one allocation, including ids from earlier
    /// calls.
    pub fn share<T>(&mut self, read: impl FnOnce() -> T) -> T {
        /// Guard that restores the table of the outer read on drop, even after a panic.
        struct Around(Option<SharedIds>);
        impl Drop for Around {
            fn drop(&mut self) {
                READING.set(self.0.take());
            }
        }
        let around = Around(READING.replace(Some(mem::take(self))));
        let result = read();
        *self = READING.take().unwrap_or_default();
        drop(around);
        result
    }
}

/// Function that selects the set for one type of id.
pub(crate) type Kind = fn(&mut SharedIds) -> &mut FxHashSet<Arc<str>>;

pub(crate) const ENTITIES: Kind = |ids| &mut ids.entities;
pub(crate) const SESSIONS: Kind = |ids| &mut ids.sessions;
pub(crate) const PREDICATES: Kind = |ids| &mut ids.predicates;

/// Checks a text and returns a shared copy of it. A text that is already in the table is not checked again.
pub(crate) fn checked<E>(text: &str, kind: Kind, check: impl FnOnce(&str) -> Result<(), E>) -> Result<Arc<str>, E> {
    READING.with_borrow_mut(|reading| {
        let Some(known) = reading.as_mut().map(kind) else {
            return check(text).map(|()| text.into());
        };
        if let Some(id) = known.get(text) {
            return Ok(Arc::clone(id));
        }
        check(text)?;
        let id: Arc<str> = text.into();
        known.insert(Arc::clone(&id));
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
        assert!(panicked.is_err() && READING.with_borrow(Option::is_none));
    }
}
