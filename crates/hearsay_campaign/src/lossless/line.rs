//! The lines of the records file, and the hash that identifies a line of a page.

use hearsay_model::Key;
use serde::{Deserialize, Serialize};

/// The name of the file that contains the records of an export, within the folder of the export.
pub(super) const RECORDS: &str = "hearsay.records";

/// The version of the format of the records file.
pub(super) const FORMAT: u32 = 2;

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum Line {
    /// The header, with the id of the exported campaign; `None` if the campaign has no id.
    HearsayRecords {
        format: u32,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        campaign: Option<String>,
    },
    Written {
        hash: String,
        keys: Vec<Key>,
    },
    /// A page, with the hash of its bytes.
    Page {
        path: String,
        #[serde(default)]
        hash: String,
    },
}

/// The line that begins a secret callout.
pub(crate) const SECRET_CALLOUT: &str = "> [!secret]";

/// The heading above the DM-only texts of a note.
pub(crate) const SECRET_TEXTS_HEADING: &str = "Secret texts";

/// The beginning of a line with a page.
pub(super) const PAGE_LINE: &str = "{\"type\":\"page\"";

/// Returns a hash of the bytes of a page.
pub(super) fn page_hash(page: &[u8]) -> String {
    blake3::hash(page).to_hex().to_string()
}

/// Returns the id of the entity or session that a page describes. The result is the `id` in the front matter. If the
/// front matter has no `id`, the result is empty.
pub(super) fn page_subject(page: &str) -> String {
    let mut lines = page.trim_start_matches('\u{feff}').lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return String::new();
    }
    let front = lines.take_while(|line| line.trim_end() != "---");
    let id = front.filter_map(|line| line.strip_prefix("id:")).next();
    id.map_or_else(String::new, |id| id.trim().to_owned())
}

/// Returns the number of lines in the front matter of a page, with its marks; 0 if the page has none.
pub(super) fn front_matter_lines(page: &str) -> u32 {
    let mut lines = (1..).zip(page.trim_start_matches('\u{feff}').lines());
    if lines.next().is_none_or(|(_, line)| line.trim_end() != "---") {
        return 0;
    }
    lines.find(|(_, line)| line.trim_end() == "---").map_or(0, |(number, _)| number)
}

/// Returns the numbers of the lines in the secret callouts of a note, except those under the heading of the DM-only
/// texts.
pub(super) fn secret_lines(page: &str) -> impl Iterator<Item = u32> {
    let (mut is_in_callout, mut is_for_dm) = (false, false);
    (1..).zip(page.lines()).filter_map(move |(number, line)| {
        if line.starts_with('#') {
            is_for_dm = line.trim_start_matches('#').trim() == SECRET_TEXTS_HEADING;
        }
        is_in_callout = line.starts_with('>') && (is_in_callout || line.to_lowercase().starts_with(SECRET_CALLOUT));
        (is_in_callout && !is_for_dm).then_some(number)
    })
}

/// Returns a hash of the visible text of a line. The targets of links are ignored, so that notes can be renamed.
pub(super) fn line_hash(page_id: &str, line: &str) -> String {
    let mut visible = String::with_capacity(line.len());
    let mut rest = line.trim();
    while let Some(start) = rest.find("[[") {
        let (before, link) = rest.split_at(start);
        visible.push_str(before);
        let Some(end) = link.find("]]") else { break };
        let inner = &link[2..end];
        visible.push_str("[[");
        visible.push_str(inner.split_once('|').map_or(inner, |(_, label)| label));
        visible.push_str("]]");
        rest = &link[end + 2..];
    }
    visible.push_str(rest);
    let mut hasher = blake3::Hasher::new();
    hasher.update(page_id.as_bytes());
    hasher.update(&[0]);
    hasher.update(visible.as_bytes());
    hasher.finalize().to_hex().as_str()[..20].to_owned()
}
