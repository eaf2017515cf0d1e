//! Tests of the code that lists and renames the references of a change.

use super::*;
use crate::{Key, Reference, Rename};

/// Renames one entity and one fact.
struct Renaming(FactId, FactId);

impl Rename for Renaming {
    fn entity(&mut self, name: &mut EntityId) {
        if *name == id(0) {
            *name = id(9);
        }
    }

    fn fact(&mut self, id: &mut FactId) {
        if *id == self.0 {
            *id = self.1;
        }
    }
}

#[test]
fn a_renamed_change_refers_to_the_new_records_only() {
    struct Nothing;
    impl Rename for Nothing {}
    let (old, new) = (fact(0).id(), fact(1).id());
    for (which, n) in (0..21).flat_map(|which| (0..12).map(move |n| (which, n))) {
        let before = change(which, n);
        let mut same = before.clone();
        same.rename(&mut Nothing);
        assert_eq!(same, before);
        let mut renamed = before.clone();
        renamed.rename(&mut Renaming(old, new));
        let mut refers = false;
        before.visit_references(|reference| {
            refers |= [Reference::Entity(&id(0)), Reference::Fact(old)].contains(&reference)
        });
        refers |= before.written_key() == Some(Key::Entity(id(0)));
        assert!(!refers || renamed != before, "{before:?}");
        renamed.visit_references(|reference| {
            assert!(![Reference::Entity(&id(0)), Reference::Fact(old)].contains(&reference), "{renamed:?}");
        });
    }
}
