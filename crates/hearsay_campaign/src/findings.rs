//! Findings in the files of other tools, such as dangling links and text that was not understood.

use hearsay_model::EntityId;
use serde::Serialize;

use crate::Format;

/// A position in a file, with its text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The path below the folder, with forward slashes.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The text at this position.
    pub what: String,
}

/// A file or record that was not read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Skipped {
    /// The path below the folder, with forward slashes.
    pub path: String,
    /// The reason, with a hint.
    pub why: String,
}

/// Findings in the files, apart from the campaign. For Hearsay's own format, only skipped files are findings: all other
/// problems are errors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// The format of the files.
    pub format: Option<Format>,
    /// The number of links that resolve to a note.
    pub resolved: usize,
    /// The number of links and fields that name no entity, such as dice, `none` or `local militia`.
    pub nobody: usize,
    /// Links that match several notes, each with the entities of these notes. Such a link is not used.
    pub ambiguous: Vec<(Place, Vec<EntityId>)>,
    /// Links without a target.
    pub dangling: Vec<Place>,
    /// The entities created for dangling links. They wait for the DM's review.
    pub stubs: Vec<EntityId>,
    /// Entities whose kind is unknown.
    pub kindless: Vec<EntityId>,
    /// Text that was not understood.
    pub unclear: Vec<Place>,
    /// Files and records that were not read, with the reason.
    pub skipped: Vec<Skipped>,
}

impl Findings {
    /// Sorts the findings, so that their order does not depend on the reader.
    #[cfg(feature = "import")]
    pub(crate) fn sort(&mut self) {
        self.ambiguous.sort();
        self.dangling.sort();
        self.stubs.sort();
        self.kindless.sort();
        self.unclear.sort();
        self.skipped.sort();
    }
}
