//! Limits on the size of the input.

use crate::Cancel;

/// Limits on the input. Input that exceeds a limit is refused with an error that names the limit. The numbers below are
/// the defaults.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Maximum size of one file in bytes; 16 MiB. A larger file is refused without reading it.
    pub file_bytes: u64,
    /// Maximum number of files in the folder; 200,000.
    pub files: usize,
    /// Maximum nesting of folders and of YAML collections; 64.
    pub depth: usize,
    /// Maximum number of YAML nodes that aliases may copy in one file; 100,000.
    pub alias_nodes: usize,
    /// Maximum number of bytes that aliases may copy, in one file and in a whole campaign; 16 MiB.
    pub alias_bytes: u64,
    /// Maximum number of errors that are listed; 50. Further errors are counted.
    pub errors: usize,
    /// Maximum size of all files together in bytes; 2 GiB. Further files are skipped.
    pub total_bytes: u64,
    /// Maximum compression ratio of a file in an archive; 200. Text rarely exceeds a ratio of ten.
    pub ratio: u64,
    /// The flag that cancels reading.
    pub cancel: Cancel,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 16 << 20,
            files: 200_000,
            depth: 64,
            alias_nodes: 100_000,
            alias_bytes: 16 << 20,
            errors: 50,
            total_bytes: 2 << 30,
            ratio: 200,
            cancel: Cancel::default(),
        }
    }
}
