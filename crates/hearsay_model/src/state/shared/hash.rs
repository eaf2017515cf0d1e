//! A hash table from keys to indices.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use super::FlatVec;

/// A slot of the hash table. `next` is the stored index plus one, and `tag` is 32 bits of the hash of the key.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    /// The stored index plus one; zero in an empty slot.
    next: u32,
    tag: u32,
}

/// Hash table from keys to indices. The table does not store the keys.
///
/// The table uses open addressing with linear probing. Cloning is O(1). The first write after a clone copies 16 KiB,
/// and one pointer per 16 KiB.
#[derive(Debug, Clone, Default)]
pub(in crate::state) struct HashIndex {
    slots: FlatVec<Slot, 2_048>,
    /// The number of slots minus one. The number of slots is a power of two.
    mask: u32,
    len: u32,
}

fn tag(key: &(impl Hash + ?Sized)) -> u32 {
    let hash = FxBuildHasher.hash_one(key);
    (hash ^ hash >> 32) as u32
}

impl HashIndex {
    /// Returns the index of a key. Several keys may have the same hash, so `fits` returns whether an index belongs to
    /// this key.
    #[inline]
    pub(in crate::state) fn find(&self, key: &(impl Hash + ?Sized), fits: impl Fn(u32) -> bool) -> Option<u32> {
        self.place(tag(key), fits).map(|place| self.slots.get(place).next - 1)
    }

    #[inline]
    fn place(&self, tag: u32, fits: impl Fn(u32) -> bool) -> Option<usize> {
        let mut place = tag & self.mask;
        loop {
            let slot = self.slots.get(place as usize);
            if slot.next == 0 {
                return None;
            }
            if slot.tag == tag && fits(slot.next - 1) {
                return Some(place as usize);
            }
            place = (place + 1) & self.mask;
        }
    }

    /// Inserts the index of a key that is not in the table.
    pub(in crate::state) fn insert(&mut self, key: &(impl Hash + ?Sized), index: u32) {
        // Limit the load factor to one half.
        if self.len >= self.mask / 2 {
            self.grow();
        }
        self.put(Slot { next: index + 1, tag: tag(key) });
        self.len += 1;
    }

    fn put(&mut self, slot: Slot) {
        let mut place = slot.tag & self.mask;
        while self.slots.get(place as usize).next != 0 {
            place = (place + 1) & self.mask;
        }
        self.slots.set(place as usize, slot);
    }

    /// Doubles the number of slots.
    fn grow(&mut self) {
        let old = std::mem::take(self);
        let mask = (old.mask * 2 + 1).max(15);
        *self = Self { slots: FlatVec::with_len(mask as usize + 1), mask, len: old.len };
        let slots = (0..=old.mask as usize).map(|place| old.slots.get(place));
        slots.filter(|slot| slot.next != 0).for_each(|slot| self.put(slot));
    }

    /// Removes the index of a key.
    pub(in crate::state) fn remove(&mut self, key: &(impl Hash + ?Sized), index: u32) {
        let Some(place) = self.place(tag(key), |other| other == index) else { return };
        self.len -= 1;
        // Move later slots back into the empty slot (the hole). A slot stays if the hole comes before the start of its
        // probe sequence.
        let (mut hole, mut place) = (place as u32, place as u32);
        loop {
            place = (place + 1) & self.mask;
            let slot = self.slots.get(place as usize);
            if slot.next == 0 {
                break;
            }
            let distance = |to: u32| to.wrapping_sub(slot.tag & self.mask) & self.mask;
            if distance(hole) < distance(place) {
                self.slots.set(hole as usize, slot);
                hole = place;
            }
        }
        self.slots.set(hole as usize, Slot::default());
    }
}
