//! Limits on the size of the input.

use crate::CancelToken;

/// Limits on the input. If the input exceeds a limit, the reader rejects it with an error that names the limit. The
/// description of each field states the default.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Maximum size of one file in bytes. The default is 16 MiB. A larger file is rejected and not read.
    pub file_bytes: u64,
    /// Maximum number of files in the folder. The default is 200,000.
    pub files: usize,
    /// Maximum nesting depth of folders and of YAML collections. The default is 64.
    pub depth: usize,
    /// Maximum number of YAML nodes that aliases may copy in one file. The default is 100,000.
    pub alias_nodes: usize,
    /// Maximum number of bytes that aliases may copy, both in one file and in a whole campaign. The default is 16 MiB.
    pub alias_bytes: u64,
    /// Maximum number of errors that are listed. The default is 50. Further errors are only counted.
    pub errors: usize,
    /// Maximum size of all files together in bytes. The default is 2 GiB. In Hearsay's own format, larger campaigns are
    /// rejected. In other formats, files beyond this size are skipped.
    pub total_bytes: u64,
    /// Maximum compression ratio of a file in an archive. The default is 200. The ratio of text is rarely greater than
    /// ten.
    pub ratio: u64,
    /// The flag with which the caller cancels reading.
    pub cancel: CancelToken,
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
            cancel: CancelToken::default(),
        }
    }
}
