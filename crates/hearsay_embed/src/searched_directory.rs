//! The directories that are searched for a model.

use std::{fmt, path::PathBuf};

/// Name of the default model, and of its directory in the default search directories.
pub const DEFAULT_MODEL: &str = "all-MiniLM-L6-v2";

/// Name of the environment variable that contains the path of a model directory.
pub const MODEL_DIR_VAR: &str = "HEARSAY_MODEL_DIR";

/// Reason for searching a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchReason {
    /// The caller gave this path.
    Explicit,
    /// The environment variable `HEARSAY_MODEL_DIR` contains this path.
    EnvironmentVariable,
    /// The directory is beside the executable.
    Executable,
    /// The directory is in the assets of the app.
    Assets,
    /// The directory is in the user's data directory.
    UserData,
    /// The directory is in the Hearsay source code from which the program was built.
    Checkout,
}

impl fmt::Display for SearchReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Explicit => "the given path",
            Self::EnvironmentVariable => MODEL_DIR_VAR,
            Self::Executable => "beside the executable",
            Self::Assets => "the app's assets",
            Self::UserData => "the user's data directory",
            Self::Checkout => "the checkout that this program was built from",
        })
    }
}

/// A searched directory that contains no model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchedDirectory {
    /// Reason for searching the directory.
    pub reason: SearchReason,
    /// Directory that was searched.
    pub path: PathBuf,
    /// First file that is missing; `None` if the directory does not exist.
    pub missing: Option<PathBuf>,
}

impl SearchedDirectory {
    pub(crate) fn problem(&self) -> String {
        match &self.missing {
            Some(file) => format!("it has no {}", file.display()),
            None => "no such directory".to_owned(),
        }
    }
}

impl fmt::Display for SearchedDirectory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.path.display(), self.reason)
    }
}
