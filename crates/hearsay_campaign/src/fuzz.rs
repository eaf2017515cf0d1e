//! Fuzz targets. A target reads arbitrary bytes as campaign files, and panics if a reader violates an invariant.
//!
//! For each target, the folder `fuzz/` of the repository has a `cargo fuzz` target and a corpus. A test replays the
//! corpora.

use hearsay_model::{Author, Operation, State, Timestamp};

use crate::{
    Backup, Campaign, Folder, Format, Limits, ReadOptions, Transcript,
    export::wrap_in_backup,
    export_backup, export_jsonl,
    files::File,
    import::{FileId, SourceText, Visibility, assemble, markup, read_notes},
    native::read_files,
    plan, read_backup, read_jsonl,
};

/// The names of the fuzz targets. The corpus folder of each target has the same name.
pub const TARGETS: [&str; 13] = [
    "backup",
    "foundry",
    "glyphoxa",
    "html",
    "jsonl",
    "kanka",
    "mapping",
    "markdown",
    "native",
    "roll20",
    "transcript",
    "world-anvil",
    "zip",
];

/// Runs the fuzz target with this name on arbitrary bytes. For targets that read campaigns, the bytes are the content
/// of one file. A line such as `>>> folder/Name.md` begins another file with that path.
///
/// # Panics
/// Panics if the target is unknown, or if an invariant fails. For example, a campaign cannot be imported, a second
/// import makes changes, or an export cannot be read back unchanged. A failed invariant is a bug.
#[allow(clippy::panic, reason = "the fuzzer reports a panic as a bug")]
pub fn run(target: &str, bytes: &[u8]) {
    match target {
        "html" => fuzz_html(bytes),
        "zip" => {
            if let Ok(folder) = Folder::from_archive("fuzz", bytes.to_vec(), &fuzz_limits()) {
                fuzz_notes(&folder, None);
            }
        }
        "native" => fuzz_native(bytes),
        "jsonl" => fuzz_jsonl(bytes),
        "backup" => fuzz_backup(bytes),
        "transcript" => fuzz_transcript(bytes),
        target => match target.parse::<Format>() {
            Ok(format) => {
                fuzz_notes(&Folder::from_files("fuzz", split_files(target, bytes), &fuzz_limits()), Some(format))
            }
            Err(error) => panic!("{error}"),
        },
    }
}

fn fuzz_limits() -> Limits {
    Limits { file_bytes: 1 << 20, total_bytes: 4 << 20, ..Limits::default() }
}

fn fuzz_html(bytes: &[u8]) {
    let text = SourceText::new(FileId(0), String::from_utf8_lossy(bytes).into_owned());
    markup::html(&text, "", &Visibility::Unmarked, markup::no_links(), &mut Vec::new());
    markup::bbcode(&text, "", &Visibility::Unmarked, markup::no_links(), &mut Vec::new());
}

fn fuzz_notes(folder: &Folder, format: Option<Format>) {
    let options = ReadOptions { format, ..ReadOptions::default() };
    if let Ok(Some(notes)) = read_notes(folder, &options) {
        check_import(&assemble(notes, &options));
    }
}

fn fuzz_native(bytes: &[u8]) {
    let files = split_files("native", bytes).into_iter().map(|(path, bytes)| File { path, bytes });
    if let Ok(campaign) = read_files(files.collect(), &fuzz_limits()) {
        check_import(&campaign);
    }
}

#[allow(clippy::panic, reason = "the fuzzer reports a panic as a bug")]
fn check_import(campaign: &Campaign) {
    let mut state = State::default();
    let Some(operation) = plan(&state, campaign, Timestamp(1)).operation else { return };
    if let Err(error) = state.apply(operation) {
        panic!("the campaign that was read cannot be imported: {error}");
    }
    if let Some(second_operation) = plan(&state, campaign, Timestamp(2)).operation {
        panic!("a second import of the same campaign makes a change: {:?}", second_operation.changes.first());
    }
}

#[allow(clippy::panic, reason = "the fuzzer reports a panic as a bug")]
fn fuzz_jsonl(bytes: &[u8]) {
    let Ok(changes) = read_jsonl(bytes) else { return };
    let mut state = State::default();
    let operation = Operation::new(Author::Importer("fuzz".to_owned()), "fuzz", changes);
    if state.apply(operation).is_err() {
        return;
    }
    let mut output = Vec::new();
    if let Err(error) = export_jsonl(&state, &mut output) {
        panic!("the state that was read cannot be exported: {error}");
    }
    if let Err(errors) = read_jsonl(&output[..]) {
        panic!("an export cannot be read: {errors}");
    }
}

/// Reads the bytes as a backup. Then adds the first and last line of a backup to the bytes, and reads the result.
#[allow(clippy::panic, reason = "the fuzzer reports a panic as a bug")]
fn fuzz_backup(bytes: &[u8]) {
    let _ = read_backup(bytes);
    let Ok(backup) = read_backup(&wrap_in_backup(bytes)[..]) else { return };
    let Ok(state) = backup.fold() else { return };
    let mut output = Vec::new();
    if let Err(error) = export_backup(&state, &mut output) {
        panic!("the state that was read cannot be backed up: {error}");
    }
    match read_backup(&output[..]).map(Backup::fold) {
        Ok(Ok(restored)) if restored == state => {}
        Ok(Ok(_)) => panic!("a restored backup differs from the original state"),
        Ok(Err(error)) => panic!("a backup cannot be restored: {error:?}"),
        Err(errors) => panic!("a backup cannot be read: {errors}"),
    }
}

fn fuzz_transcript(bytes: &[u8]) {
    for (name, content) in split_files("transcript", bytes) {
        let Ok(transcript) = Transcript::read(&name, &content) else { continue };
        assert!(!transcript.utterances.is_empty(), "a transcript has at least one utterance");
        for utterance in &transcript.utterances {
            assert!(
                !utterance.text.trim().is_empty() && !utterance.text.contains('\n'),
                "an utterance is one line: {utterance:?}"
            );
        }
    }
}

/// Splits the bytes into files, at lines such as `>>> folder/Name.md`.
fn split_files(target: &str, bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let extension = match target {
        "markdown" => "md",
        "glyphoxa" | "native" => "yaml",
        "transcript" => "txt",
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
