//! Compares two versions of a handbook.

use std::collections::BTreeMap;

use serde::Serialize;

/// The entries of a handbook that differ from an earlier version. Each entry is given as its chapter and its heading,
/// such as `People: Odo Brandt`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HandbookChanges {
    /// Entries that are only in the new version, in its order.
    pub added: Vec<String>,
    /// Entries whose text differs, in the order of the new version.
    pub changed: Vec<String>,
    /// Entries that are only in the earlier version, in its order.
    pub removed: Vec<String>,
}

impl HandbookChanges {
    /// Compares two versions of a handbook in Markdown. The text before the first chapter is not compared, because it
    /// contains the date.
    pub fn between(earlier: &str, new: &str) -> Self {
        let (earlier, new) = (entries(earlier), entries(new));
        let texts: BTreeMap<&str, &str> = earlier.iter().map(|entry| (&*entry.heading, &*entry.text)).collect();
        let mut changes = Self::default();
        for entry in &new {
            match texts.get(&*entry.heading) {
                None => changes.added.push(entry.heading.clone()),
                Some(text) if *text != entry.text => changes.changed.push(entry.heading.clone()),
                Some(_) => {}
            }
        }
        let is_removed = |heading: &String| new.iter().all(|entry| entry.heading != *heading);
        changes.removed = earlier.into_iter().map(|entry| entry.heading).filter(is_removed).collect();
        changes
    }

    /// Returns whether the two versions are equal.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// An entry of a handbook: a heading with the text up to the next heading.
struct Entry {
    /// The heading with the heading of the chapter.
    heading: String,
    text: String,
}

/// Returns the entries with a text. A chapter that only contains other entries is not listed.
fn entries(markdown: &str) -> Vec<Entry> {
    let (mut chapter, mut entries) = ("", Vec::<Entry>::new());
    let mut is_title = true;
    for line in markdown.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            (chapter, is_title) = (heading, false);
            entries.push(Entry { heading: heading.to_owned(), text: String::new() });
        } else if let Some(heading) = line.strip_prefix("### ") {
            is_title = false;
            entries.push(Entry { heading: format!("{chapter}: {heading}"), text: String::new() });
        } else if let Some(entry) = entries.last_mut().filter(|_| !is_title) {
            entry.text.push_str(line.trim());
            entry.text.push('\n');
        }
    }
    let is_chapter = |entry: &Entry| entry.text.trim().is_empty() && !entry.heading.contains(": ");
    entries.retain(|entry| !is_chapter(entry));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_compared_by_their_headings() {
        let earlier = "# Gullhaven\n\n*As of Monday.*\n\n## People\n\n### Odo\n\n- Odo is a sergeant.\n\n### Pell\n\nold\n\n### Roz\n";
        let new = "# Gullhaven\n\n*As of Tuesday.*\n\n## People\n\n### Mirela\n\n### Odo\n\n- Odo is dead.\n\n### Pell\n\nold\n\n## Places\n\n### The Gull\n";
        let changes = HandbookChanges::between(earlier, new);
        assert_eq!(changes.added, ["People: Mirela", "Places: The Gull"]);
        assert_eq!(changes.changed, ["People: Odo"]);
        assert_eq!(changes.removed, ["People: Roz"]);
        assert!(HandbookChanges::between(new, new).is_empty());
        assert_eq!(HandbookChanges::between("", new).added.len(), 4);
    }
}
