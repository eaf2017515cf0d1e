//! Work on generated worlds, on all processors.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Calls a function with the number of each world, on all processors. Returns the results in the order of the worlds, so
/// that they do not depend on the number of processors.
pub(crate) fn map_worlds<T: Send>(worlds: usize, check: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next_world, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let check_worlds = || {
        loop {
            let world = next_world.fetch_add(1, Ordering::Relaxed);
            if world >= worlds {
                break;
            }
            let result = check(world);
            results.lock().unwrap_or_else(PoisonError::into_inner).insert(world, result);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(worlds.max(1));
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(check_worlds);
        }
        check_worlds();
    });
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}
