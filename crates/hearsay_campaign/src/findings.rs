//! Findings in the files of other tools, such as dangling links and text that was not understood.

use hearsay_model::EntityId;
use serde::Serialize;

use crate::Format;

/// A position in a file, with the text at this position.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct FileLocation {
    /// The path of the file relative to the folder, with forward slashes.
    pub path: String,
    /// The line number, counted from 1.
    pub line: u32,
    /// The text at this position.
    pub text: String,
}

/// A file or record that was not read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Skipped {
    /// The path of the file relative to the folder, with forward slashes.
    pub path: String,
    /// The reason why the file or record was not read, with a hint.
    pub reason: String,
}

/// Problems in the files that do not prevent the import, such as links without a target. In Hearsay's own format, only
/// skipped files are findings, because all other problems are errors.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ImportFindings {
    /// The format of the files; `None` for Hearsay's own format.
    pub format: Option<Format>,
    /// The number of links that resolve to a note.
    pub resolved: usize,
    /// The number of links and fields that do not name an entity, such as a dice roll, `none` or `local militia`.
    pub nobody: usize,
    /// Links that match several notes, each with the entities of these notes. If such a link states a relation, the
    /// relation is only proposed to the DM, and only if at most four entities match.
    pub ambiguous: Vec<(FileLocation, Vec<EntityId>)>,
    /// Links whose target does not exist.
    pub dangling: Vec<FileLocation>,
    /// The entities that were created for links whose target does not exist. The DM reviews these entities.
    pub stubs: Vec<EntityId>,
    /// Entities of other sources that have the same name as a note. The import assumes that the note describes this
    /// entity.
    pub linked: Vec<EntityId>,
    /// Entities whose kind could not be determined.
    pub without_kind: Vec<EntityId>,
    /// Places in the campaign files whose text could not be interpreted.
    pub not_understood: Vec<FileLocation>,
    /// Files and records that were not read, with the reason.
    pub skipped: Vec<Skipped>,
}

impl ImportFindings {
    /// Sorts the findings, so that their order does not depend on the reader.
    #[cfg(feature = "import")]
    pub(crate) fn sort(&mut self) {
        self.ambiguous.sort();
        self.dangling.sort();
        self.stubs.sort();
        self.linked.sort();
        self.without_kind.sort();
        self.not_understood.sort();
        self.skipped.sort();
    }
}
