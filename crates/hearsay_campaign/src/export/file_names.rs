//! File names that are valid and unique on every system.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

/// Maximum length of a name without its extension, in bytes. File systems allow 255 bytes with the extension. The rest
/// is room for a suffix that makes the name unique.
const MAX_BYTES: usize = 160;

/// Maximum length of a name, in characters. Longer names are hard to read.
const MAX_CHARS: usize = 80;

/// The paths that are already in use, normalized by [`normalize_path`], because some file systems ignore case and the
/// encoding of accents.
#[derive(Debug, Default)]
pub(super) struct FileNames {
    used: HashSet<String>,
}

impl FileNames {
    /// Returns an unused path, without an extension, for a file with this name in a folder, and marks the path as used.
    /// If the path with this name is in use, the returned path also contains `id`.
    pub(super) fn reserve(&mut self, folder: &str, name: &str, id: &str) -> String {
        let name = file_name(name);
        let mut path = format!("{folder}/{name}");
        let mut copy_number = 1;
        while !self.used.insert(normalize_path(&path)) {
            path = match copy_number {
                1 => format!("{folder}/{name} ({})", shorten_id(id)),
                _ => format!("{folder}/{name} ({} {copy_number})", shorten_id(id)),
            };
            copy_number += 1;
        }
        path
    }
}

/// Normalizes a path. Two paths with the same result are the same file on some systems.
fn normalize_path(path: &str) -> String {
    path.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Returns the beginning of an id, at most 64 bytes.
fn shorten_id(id: &str) -> &str {
    let mut end = id.len().min(64);
    while !id.is_char_boundary(end) {
        end -= 1;
    }
    &id[..end]
}

/// Returns a file name that is valid on every system and in Obsidian links.
fn file_name(name: &str) -> String {
    let is_allowed = |c: char| !c.is_control() && !is_invisible(c) && !"\\/:*?\"<>|#^[]%`".contains(c);
    let name: String = name.chars().map(|c| if is_allowed(c) { c } else { ' ' }).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short = String::new();
    for c in name.trim_matches(['.', ' ', '-']).chars().take(MAX_CHARS) {
        if short.len() + c.len_utf8() > MAX_BYTES {
            break;
        }
        short.push(c);
    }
    // Windows removes dots and spaces at the end of a file name.
    let name = short.trim_end_matches(['.', ' ', '-']);
    match name.split('.').next() {
        None | Some("") => "Note".to_owned(),
        Some(base) if is_reserved(base.trim_end()) => format!("{base}_{}", &name[base.len()..]),
        Some(_) => name.to_owned(),
    }
}

/// Returns whether a character is invisible, or changes the text direction.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// Returns whether a file name, given without its extension, is a device name on Windows.
fn is_reserved(base: &str) -> bool {
    const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    let is_numbered_device = |port: &str| {
        let mut letters = base.chars();
        let has_prefix = port.chars().all(|c| letters.next().is_some_and(|letter| letter.eq_ignore_ascii_case(&c)));
        let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '\u{B9}' | '\u{B2}' | '\u{B3}');
        has_prefix && letters.next().is_some_and(is_digit) && letters.next().is_none()
    };
    DEVICES.iter().any(|device| base.eq_ignore_ascii_case(device))
        || is_numbered_device("COM")
        || is_numbered_device("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_name_is_reserved_for_a_device() {
        for name in ["CON", "aux", "COM1", "lpt9", "NUL", "nul.notes", "Con .x", "COM\u{B9}", "CONIN$"] {
            let file = file_name(name);
            let base = file.split('.').next().unwrap().trim_end();
            assert!(!is_reserved(base), "{name}: {file}");
        }
        for name in ["Con Artist", "Auxiliary", "COM10", "Nulla", "Console"] {
            assert_eq!(file_name(name), name);
        }
    }

    #[test]
    fn no_file_name_is_too_long_or_ends_in_a_dropped_character() {
        for (name, file) in [
            ("Mr. ", "Mr"),
            ("...", "Note"),
            ("", "Note"),
            ("a/b\\c:d", "a b c d"),
            ("x\u{202E}gnp.exe", "x gnp.exe"),
            (&format!("{}. x", "a".repeat(79)), &"a".repeat(79)),
        ] {
            assert_eq!(file_name(name), file);
        }
        assert!(file_name(&"\u{1D11E}".repeat(300)).len() <= MAX_BYTES);
    }

    #[test]
    fn file_names_are_unique_on_every_system() {
        let mut names = FileNames::default();
        let taken: Vec<String> = ["Ann", "ANN", "ann", "Ann (x)", "\u{C9}a", "E\u{301}A", "Stra\u{DF}e", "STRASSE"]
            .iter()
            .map(|name| names.reserve("People", name, "x"))
            .collect();
        let folded: HashSet<String> = taken.iter().map(|path| super::normalize_path(path)).collect();
        assert_eq!(folded.len(), taken.len(), "{taken:?}");
        assert_eq!(taken[0], "People/Ann");
    }
}
