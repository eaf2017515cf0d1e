//! Collections with copy-on-write chunks. A clone copies only a pointer. The first write to a clone copies a small part
//! of the data.
//!
//! Readers use clones of the [state](super::State) while the writer continues. With the standard collections, each
//! clone would copy whole tables.

mod buffer;
mod chunked;
mod flat;
mod hash;
mod list;
mod sorted;

#[cfg(test)]
mod tests;

pub(super) use buffer::Buffer;
pub(super) use chunked::ChunkedVec;
pub(super) use flat::FlatVec;
pub(super) use hash::HashIndex;
pub(super) use list::{Iter, List};
pub(super) use sorted::SortedMap;
