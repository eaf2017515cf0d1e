//! Fuzz target that reads arbitrary text as an answer of a language model, and checks properties that every result must
//! have.
//!
//! The folder `fuzz/` of the repository contains a `cargo fuzz` program and a corpus for the target. A test runs the
//! target on the corpus.

use crate::answer;

/// Names of the fuzz targets. The folders of the corpus have the same names.
pub const TARGETS: [&str; 1] = ["answer"];

/// Runs a fuzz target on bytes, which are read as UTF-8. Invalid bytes are replaced.
///
/// # Panics
/// Panics if the target is unknown or if a result violates a property. For example, repaired JSON cannot be read again,
/// or an answer has too many items. A violated property is a bug.
#[allow(clippy::panic, reason = "a fuzz target reports a bug by a panic")]
pub fn run(target: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match target {
        "answer" => answer::check_properties(&text),
        _ => panic!("there is no target {target}"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for target in TARGETS {
                run(target, &bytes);
            }
        }
    }
}
