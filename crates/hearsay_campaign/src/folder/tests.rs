//! Malicious files, and files that are hard to read.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use tempfile::TempDir;
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{Folder, Limits, import::Notes};

fn open(path: &Path, limits: &Limits) -> (Folder, Notes) {
    (Folder::open(path, limits).unwrap_or_else(|errors| panic!("{errors}")), Notes::default())
}

/// Paths of files, each with the text of the file, or with the reason why the file was skipped.
type ByPath = Vec<(String, String)>;

/// Returns the text of every readable file, and the reasons for the skipped files.
fn read(path: &Path, limits: &Limits) -> (ByPath, ByPath) {
    let (folder, mut notes) = open(path, limits);
    let mut texts = Vec::new();
    for entry in folder.files() {
        texts.extend(folder.text(entry, &mut notes).map(|text| (entry.path.clone(), text.content)));
    }
    let skipped = folder.skipped().iter().chain(&notes.skipped);
    (texts, skipped.map(|skipped| (skipped.path.clone(), skipped.reason.clone())).collect())
}

fn zipped(files: &[(&str, &[u8])]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("campaign.zip");
    let mut zip = ZipWriter::new(fs::File::create(&path).unwrap());
    for (name, bytes) in files {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
    (folder, path)
}

#[test]
fn archives_are_read_like_folders() {
    let (_folder, path) = zipped(&[("a/b.md", b"Text."), ("__MACOSX/a", b"x"), (".git/x", b"x")]);
    let (texts, skipped) = read(&path, &Limits::default());
    assert_eq!(texts, [("a/b.md".to_owned(), "Text.".to_owned())]);
    assert_eq!(skipped, []);
}

#[test]
fn names_that_lead_out_of_an_archive_are_refused() {
    let (_folder, path) = zipped(&[
        ("../up.md", b"x"),
        ("/root.md", b"x"),
        ("a/../../b.md", b"x"),
        ("C:\\c.md", b"x"),
        ("good.md", b"x"),
    ]);
    let (texts, skipped) = read(&path, &Limits::default());
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert_eq!(skipped.len(), 4, "{skipped:?}");
}

#[test]
fn bombs_stay_small() {
    let zeros = vec![b' '; 30 << 20];
    let (_folder, path) = zipped(&[("bomb.md", &zeros), ("good.md", b"x")]);
    let (texts, skipped) = read(&path, &Limits::default());
    assert_eq!(texts.len(), 1);
    assert!(skipped[0].1.contains("compressed by more than"), "{skipped:?}");
    // Without the limit on the ratio, the limits on the size still refuse a large file, and many small files together.
    let loose = Limits { ratio: u64::MAX, ..Limits::default() };
    assert!(read(&path, &loose).1[0].1.contains("the limit is 16 MiB"));
    let many: Vec<(String, Vec<u8>)> = (0..8).map(|n| (format!("{n}.md"), vec![b' '; 1 << 19])).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let (_folder, path) = zipped(&many);
    let tight = Limits { total_bytes: 1 << 20, ..Limits::default() };
    let (texts, skipped) = read(&path, &tight);
    assert_eq!((texts.len(), skipped.len()), (2, 6), "{skipped:?}");
}

#[test]
fn a_broken_archive_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("campaign.zip");
    fs::write(&path, b"PK\x03\x04 and nothing more").unwrap();
    let error = Folder::open(&path, &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("damaged"), "{error}");
}

#[cfg(unix)]
#[test]
fn nothing_outside_is_read_and_no_link_runs_in_a_circle() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("private.md"), "private").unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    fs::write(folder.path().join("a/good.md"), "x").unwrap();
    symlink(outside.path().join("private.md"), folder.path().join("a/file.md")).unwrap();
    symlink(outside.path(), folder.path().join("a/folder")).unwrap();
    symlink(folder.path(), folder.path().join("a/circle")).unwrap();
    symlink("nowhere", folder.path().join("a/broken.md")).unwrap();
    symlink(outside.path().join("private.md"), folder.path().join(".hidden")).unwrap();
    let (texts, skipped) = read(folder.path(), &Limits::default());
    assert_eq!(texts, [("a/good.md".to_owned(), "x".to_owned())]);
    let why: Vec<_> = skipped.iter().map(|(path, why)| format!("{path}: {why}")).collect();
    assert_eq!(why.len(), 4, "{why:?}");
    assert!(why.iter().filter(|why| why.contains("to a file outside the folder")).count() == 2, "{why:?}");
    assert!(open(folder.path(), &Limits::default()).0.hidden_file(".hidden").is_none(), "nor is a hidden one");
    assert!(open(folder.path(), &Limits::default()).0.hidden_file("../private.md").is_none());
}

#[test]
fn files_beyond_the_limits_are_skipped_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.md"), "x".repeat(100)).unwrap();
    fs::write(folder.path().join("b.md"), "good").unwrap();
    fs::write(folder.path().join("c.md"), [b'o', b'k', b'\n', 0xFF, 0xFE]).unwrap();
    fs::create_dir_all(folder.path().join("d/d/d/d")).unwrap();
    fs::write(folder.path().join("d/d/d/d/deep.md"), "x").unwrap();
    let limits = Limits { file_bytes: 50, depth: 3, ..Limits::default() };
    let (texts, skipped) = read(folder.path(), &limits);
    assert_eq!(texts, [("b.md".to_owned(), "good".to_owned())]);
    let why: Vec<_> = skipped.iter().map(|(path, why)| format!("{path}: {why}")).collect();
    assert!(why.iter().any(|why| why.starts_with("a.md: the file has")), "{why:?}");
    assert!(why.iter().any(|why| why == "c.md: line 2 is not UTF-8 text; save the file as UTF-8"), "{why:?}");
    assert!(why.iter().any(|why| why.contains("more than 3 levels deep")), "{why:?}");
    let limits = Limits { files: 2, ..Limits::default() };
    assert_eq!(open(folder.path(), &limits).0.files().len(), 2);
}

#[test]
fn text_of_two_bytes_a_letter_is_read_with_its_places() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{}\u{1D11E}\u{e4} end", "\u{e9}x".repeat(400));
    let little: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let big: Vec<u8> = [0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    fs::write(folder.path().join("a.md"), &little).unwrap();
    fs::write(folder.path().join("b.md"), &big).unwrap();
    fs::write(folder.path().join("c.md"), format!("\u{FEFF}{text}")).unwrap();
    let (folder, mut notes) = open(folder.path(), &Limits::default());
    let texts: Vec<_> = folder.files().map(|entry| folder.text(entry, &mut notes).unwrap()).collect();
    for read in &texts {
        assert_eq!(read.content, text);
    }
    let at = text.find("end").unwrap();
    let position = texts[0].file_position(at);
    assert_eq!(
        &little[position..position + 6],
        &"end".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()[..]
    );
    assert_eq!(texts[2].file_position(at), at + 3);
}
