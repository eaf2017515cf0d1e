//! The content of a handbook, independent of its format.

/// Label of the other names of an entity.
pub(super) const ALSO_CALLED: &str = "Also called";

/// Label of the links to the entries that mention an entity.
pub(super) const MENTIONED: &str = "Mentioned under";

/// A handbook: chapters with entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Handbook {
    pub(super) title: String,
    /// What the handbook contains, in one line.
    pub(super) subtitle: String,
    pub(super) chapters: Vec<Chapter>,
}

/// A chapter, such as "People".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chapter {
    pub(super) title: String,
    pub(super) entries: Vec<Entry>,
}

/// An entry of a chapter: a person, a place, a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) title: String,
    /// Name of the link target of this entry.
    pub(super) anchor: String,
    pub(super) blocks: Vec<Block>,
}

impl Entry {
    /// Returns whether the entry contains only a note, other names and links to the entries that mention the entity.
    pub(super) fn is_sparse(&self) -> bool {
        self.blocks.iter().all(|block| match block {
            Block::Note(_) => true,
            Block::Links { label, .. } => label == MENTIONED,
            Block::Details(details) => details.iter().all(|(label, _)| label == ALSO_CALLED),
            Block::Paragraph(_) | Block::List { .. } | Block::Quote(_) => false,
        })
    }

    /// Returns a sparse entry as one line: `Bettony Lark, also called Betty. Met in session 1.`
    pub(super) fn in_one_line(&self) -> String {
        let (mut line, mut notes) = (self.title.clone(), String::new());
        for block in &self.blocks {
            match block {
                Block::Details(details) => {
                    for (_, names) in details {
                        line.push_str(&format!(", also called {names}"));
                    }
                }
                Block::Note(note) => notes.push_str(&format!(" {note}")),
                Block::Paragraph(_) | Block::List { .. } | Block::Quote(_) | Block::Links { .. } => {}
            }
        }
        format!("{line}.{notes}")
    }
}

/// A part of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// A remark in italics, such as the session in which an entity was first met.
    Note(String),
    /// A paragraph.
    Paragraph(String),
    /// Labels with values, in one paragraph.
    Details(Vec<(String, String)>),
    /// A list of sentences. If the list has no label, `label` is empty.
    List {
        /// Text before the list.
        label: String,
        /// The sentences.
        items: Vec<String>,
    },
    /// The lines of a text, quoted.
    Quote(Vec<String>),
    /// Names of other entities, with links to their entries.
    Links {
        /// Text before the names.
        label: String,
        /// The names.
        targets: Vec<Link>,
    },
}

/// A name, as a link to an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) name: String,
    /// The name of the link target; `None` if the handbook has no entry for the name.
    pub(super) anchor: Option<String>,
}
