//! What fuzzing runs: bytes of any kind go through a reader and become a campaign, and nothing may panic.
//!
//! The folder `fuzz/` of the repository has a target for `cargo fuzz` for each, with a corpus; a test replays the corpus.

use hearsay_model::{State, Timestamp};

use crate::{
    Limits,
    notes::{FileId, Folder, Format, Options, Text, Visibility, assemble, read_notes},
    plan, text,
};

/// Reads bytes as files of a format and imports what comes of them. The bytes are one file, or several behind lines such as
/// `>>> folder/Name.md`. What is `html` or `zip` is taken as that.
///
/// # Panics
/// When what was read cannot be imported, or a second import would change something: these are bugs.
#[allow(clippy::panic, reason = "a panic is how a fuzzer is told")]
pub fn run(target: &str, bytes: &[u8]) {
    let limits = Limits { file_bytes: 1 << 20, total_bytes: 4 << 20, ..Limits::default() };
    let (folder, format) = match target {
        "html" => {
            let content = String::from_utf8_lossy(bytes).into_owned();
            let text = Text::new(FileId(0), content);
            text::html(&text, "", &Visibility::Unmarked, text::no_links(), &mut Vec::new());
            return;
        }
        "zip" => {
            let Ok(folder) = Folder::of_archive("fuzz", bytes.to_vec(), &limits) else { return };
            (folder, None)
        }
        format => (Folder::of_files("fuzz", files(format, bytes), &limits), format.parse::<Format>().ok()),
    };
    let options = Options { format, ..Options::default() };
    let Ok(Some(notes)) = read_notes(&folder, &options) else { return };
    let campaign = assemble(notes, &options);
    let mut state = State::default();
    let Some(operation) = plan(&state, &campaign, Timestamp(1)).operation else { return };
    if let Err(error) = state.apply(operation) {
        panic!("what was read cannot be imported: {error}");
    }
    if let Some(again) = plan(&state, &campaign, Timestamp(2)).operation {
        panic!("a second import changes something: {:?}", again.changes.first());
    }
}

/// The files that bytes stand for.
fn files(format: &str, bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let extension = match format {
        "markdown" => "md",
        "glyphoxa" => "yaml",
        _ => "json",
    };
    let mut files = vec![(format!("file.{extension}"), Vec::new())];
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(b">>> ") {
            Some(name) => files.push((String::from_utf8_lossy(name).trim().to_owned(), Vec::new())),
            None => files.last_mut().into_iter().for_each(|(_, content)| content.extend_from_slice(line)),
        }
    }
    files.retain(|(name, content)| !name.is_empty() && !content.is_empty());
    files
}
