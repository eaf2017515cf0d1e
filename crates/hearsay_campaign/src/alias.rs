//! Limits on the expansion of YAML aliases. Without limits, a few kilobytes of aliases can expand to a huge tree.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::Limits;

/// Number of bytes that aliases have copied so far, in all files of a campaign.
#[derive(Debug, Default)]
pub(crate) struct AliasBytes(AtomicU64);

/// The number of nodes and bytes in a value, including its nested values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) nodes: usize,
    pub(crate) bytes: u64,
}

impl Size {
    /// Returns the size of one node of type `T` with a text of `text_bytes` bytes.
    pub(crate) fn node<T>(text_bytes: usize) -> Self {
        Self { nodes: 1, bytes: (size_of::<T>() + text_bytes) as u64 }
    }
}

impl std::iter::Sum for Size {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |sum, size| sum + size)
    }
}

impl std::ops::Add for Size {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { nodes: self.nodes + other.nodes, bytes: self.bytes + other.bytes }
    }
}

/// Counts the nodes and bytes that the aliases of one file copy.
#[derive(Debug)]
pub(crate) struct AliasCounter<'a> {
    limits: &'a Limits,
    total: &'a AliasBytes,
    nodes: usize,
}

impl<'a> AliasCounter<'a> {
    pub(crate) fn new(limits: &'a Limits, total: &'a AliasBytes) -> Self {
        Self { limits, total, nodes: 0 }
    }

    /// Adds the size of a value to the counts, before the value is copied.
    ///
    /// # Errors
    /// Returns an error that names the exceeded limit. The caller must then not copy the value.
    pub(crate) fn count_copy(&mut self, size: Size) -> Result<(), String> {
        self.nodes += size.nodes;
        let bytes = size.bytes.saturating_add(self.total.0.fetch_add(size.bytes, Ordering::Relaxed));
        if self.nodes > self.limits.alias_nodes {
            return Err(format!("aliases expand to more than {} values", self.limits.alias_nodes));
        }
        if bytes > self.limits.alias_bytes {
            return Err(format!("aliases expand to more than {} KiB", self.limits.alias_bytes >> 10));
        }
        Ok(())
    }
}
