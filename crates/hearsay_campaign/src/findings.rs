//! What was found in foreign files besides the campaign: links that lead nowhere, what is not understood.

use hearsay_model::EntityId;
use serde::Serialize;

use crate::notes::{Format, Skipped};

/// A place in a file, and what stands there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The path below the folder, with forward slashes.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
    /// What stands there.
    pub what: String,
}

/// What was found in the files besides what the campaign says. For Hearsay's own format, which is strict, only what was not
/// read is listed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// In which format the files are written.
    pub format: Option<Format>,
    /// How many links were found to mean a note.
    pub resolved: usize,
    /// How many links and fields name nobody: dice, `none`, `local militia`.
    pub nobody: usize,
    /// Links that may mean several notes, with these. None is taken.
    pub ambiguous: Vec<(Place, Vec<EntityId>)>,
    /// Links that lead nowhere.
    pub dangling: Vec<Place>,
    /// The entities that were made of them, to be reviewed.
    pub stubs: Vec<EntityId>,
    /// Entities without a sign of what they are.
    pub kindless: Vec<EntityId>,
    /// What was not understood.
    pub unclear: Vec<Place>,
    /// What was not read, and why.
    pub skipped: Vec<Skipped>,
}

impl Findings {
    pub(crate) fn sort(&mut self) {
        self.ambiguous.sort();
        self.dangling.sort();
        self.stubs.sort();
        self.kindless.sort();
        self.unclear.sort();
        self.skipped.sort();
    }
}
