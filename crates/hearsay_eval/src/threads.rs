//! The number of threads for measurements that use all processors.

/// Returns the number of processors.
pub(crate) fn processor_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
