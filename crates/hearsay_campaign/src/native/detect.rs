//! Detects whether files have Hearsay's own format.

use crate::Folder;

/// Returns whether one of the first YAML files has `campaign:` and another key of Hearsay's own format, such as
/// `format: 1`, or entities with `kind`.
pub(crate) fn is_native(folder: &Folder) -> bool {
    let yaml = folder.files().filter(|entry| entry.has_extension(&["yaml", "yml"])).take(64);
    let heads: Vec<String> =
        yaml.map(|entry| String::from_utf8_lossy(&folder.head(entry, 16 << 10)).into_owned()).collect();
    let line = |start: &str| heads.iter().any(|head| head.lines().any(|line| line.starts_with(start)));
    let with_kind = heads
        .iter()
        .any(|head| head.lines().any(|line| line.trim_start().starts_with("kind:") || line.contains(", kind:")));
    line("campaign:") && (line("format: 1") || with_kind || line("calendar:") || line("audience:") || line("rumours:"))
}

/// Returns whether the files are possibly intended for Hearsay's own format. For such files, the errors of this format
/// are reported, because these errors describe the expected input.
pub(crate) fn may_be_native(folder: &Folder) -> bool {
    folder.files().any(|entry| entry.has_extension(&["yaml", "yml"]))
}
