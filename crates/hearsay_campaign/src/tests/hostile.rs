//! Files that would block the reader, point outside the folder, or use too much memory or time.

use std::{fs, path::Path, time::Instant};

use super::{HEAD, read_text};
use crate::{Campaign, Limits, ReadOptions, read, read_any};

const BASE: &str = "campaign: {name: Base}\nentities: [{id: ann, name: Ann, kind: npc}]\n";

/// Returns the skipped files: path and reason.
#[cfg(unix)]
fn skipped(campaign: &Campaign) -> Vec<String> {
    campaign.findings().skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason)).collect()
}

#[cfg(unix)]
#[test]
fn a_fifo_blocks_no_reader() {
    use super::fifo;
    let folder = tempfile::tempdir().unwrap();
    let (fifo_path, limits) = (folder.path().join("pipe.yaml"), Limits::default());
    fs::write(folder.path().join("a.yaml"), BASE).unwrap();
    fifo(&fifo_path);
    let campaign = read(folder.path(), &limits).unwrap();
    assert_eq!(skipped(&campaign), ["pipe.yaml: it is a FIFO; only regular files are read"]);
    let error = read(&fifo_path, &limits).unwrap_err().to_string();
    assert!(error.contains("pipe.yaml: cannot be read: it is a FIFO"), "{error}");
    let error = read_any(&fifo_path, &ReadOptions::default(), &limits).unwrap_err().to_string();
    assert!(error.contains("it is a FIFO"), "{error}");
    fs::remove_file(folder.path().join("a.yaml")).unwrap();
    let error = read(folder.path(), &limits).unwrap_err().to_string();
    assert!(error.contains("has no YAML file") && error.contains("a FIFO"), "{error}");

    // Runs the other readers, each with an additional valid note.
    for format in crate::Format::ALL.into_iter().filter(|format| *format != crate::Format::Native) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("Ann.md"), "Ann is a baker.\n").unwrap();
        for name in
            ["pipe.md", "pipe.json", "pipe.yaml", "module.json", "campaign.json", "mapping.yaml", "hearsay.records"]
        {
            fifo(&folder.path().join(name));
        }
        let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
        let campaign = read_any(folder.path(), &options, &limits).unwrap();
        let notes = skipped(&campaign).into_iter().filter(|note| note.contains("it is a FIFO")).count();
        assert_eq!(notes, 7, "{format}: {:?}", skipped(&campaign));
    }
    let options =
        ReadOptions { format: Some(crate::Format::Mapping), mapping: Some(fifo_path), ..ReadOptions::default() };
    let campaign = read_any(folder.path(), &options, &limits).unwrap();
    assert!(skipped(&campaign).iter().any(|note| note.contains("the mapping cannot be read: it is a FIFO")));
}

#[cfg(unix)]
#[test]
fn the_native_reader_stays_in_its_folder() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("private.yaml"), "entities: [{id: spy, name: Spy, kind: npc}]").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("a.yaml"), BASE).unwrap();
    fs::create_dir_all(at(".shared/more")).unwrap();
    fs::write(at(".shared/bob.yaml"), "entities: [{id: bob, name: Bob, kind: npc}]").unwrap();
    fs::write(at(".shared/more/eve.yaml"), "entities: [{id: eve, name: Eve, kind: npc}]").unwrap();
    symlink(outside.path().join("private.yaml"), at("private.yaml")).unwrap();
    symlink(outside.path(), at("private")).unwrap();
    symlink("/etc/hostname", at("hostname.txt")).unwrap();
    // Links inside the folder: to a file that is read anyway, and to a hidden file.
    symlink("a.yaml", at("again.yaml")).unwrap();
    symlink(".shared/bob.yaml", at("bob.yaml")).unwrap();
    symlink(".shared/more", at("more")).unwrap();
    symlink("..", at(".shared/more/circle")).unwrap();
    let campaign = read(folder.path(), &Limits::default()).unwrap();
    let ids: Vec<_> = campaign.entities().keys().map(|id| id.as_str()).collect();
    assert_eq!(ids, ["ann", "bob", "eve"]);
    let notes = skipped(&campaign);
    assert_eq!(notes.len(), 2, "{notes:?}");
    for (note, link) in notes.iter().zip(["private", "private.yaml"]) {
        assert!(note.starts_with(&format!("{link}: a symbolic link to a file outside the folder")), "{note}");
    }
    // The named folder can itself be a link.
    let other_folder = tempfile::tempdir().unwrap();
    symlink(folder.path(), other_folder.path().join("link")).unwrap();
    assert_eq!(read(&other_folder.path().join("link"), &Limits::default()).unwrap().entities().len(), 3);
}

#[cfg(unix)]
#[test]
fn folders_that_link_to_one_another_are_walked_once() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.yaml"), BASE).unwrap();
    // The links lead to 2^40 different paths.
    for n in 0..40 {
        let hidden = folder.path().join(format!(".d{n}"));
        fs::create_dir(&hidden).unwrap();
        for link in ["l", "r"] {
            symlink(format!("../.d{}", n + 1), hidden.join(link)).unwrap();
        }
    }
    fs::create_dir(folder.path().join(".d40")).unwrap();
    symlink(".d0", folder.path().join("start")).unwrap();
    let started_at = Instant::now();
    assert_eq!(read(folder.path(), &Limits::default()).unwrap().entities().len(), 1);
    assert!(started_at.elapsed().as_secs() < 60);
}

/// Returns YAML whose aliases expand to `texts` copies of one text.
fn bomb(text_bytes: usize, texts: usize) -> String {
    format!("x: &x {}\ny: [{}]\n", "a".repeat(text_bytes), "*x,".repeat(texts))
}

#[test]
fn aliases_are_bounded_by_their_expanded_size() {
    // 1 MiB of YAML that would expand to 10 GiB.
    let error = read_text(&format!("{HEAD}{}", bomb(1 << 20, 10_000))).unwrap_err().to_string();
    assert!(error.contains("test.yaml:11: aliases expand to more than 16384 KiB; write the values instead"), "{error}");
    // Many files, each of which is below the limit.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.yaml"), BASE).unwrap();
    for n in 0..40 {
        fs::write(folder.path().join(format!("b{n:02}.yaml")), bomb(1 << 10, 1_000)).unwrap();
    }
    let error = read(folder.path(), &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("aliases expand to more than 16384 KiB"), "{error}");
    // Nested lists of aliases grow with each level.
    let steps = (1..20).map(|n| format!("x{n}: &x{n} [{}]\n", format!("*x{},", n - 1).repeat(9)));
    let nested = format!("x0: &x0 {}\n{}", "a".repeat(999), steps.collect::<String>());
    let error = read_text(&format!("{HEAD}{nested}")).unwrap_err().to_string();
    assert!(error.contains("aliases expand to more than"), "{error}");
    // Another reader skips a file with such aliases. In front matter, such aliases cause a warning.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("big.yaml"), bomb(1 << 20, 10_000)).unwrap();
    let options = ReadOptions { format: Some(crate::Format::Glyphoxa), ..ReadOptions::default() };
    let campaign = read_any(folder.path(), &options, &Limits::default()).unwrap();
    let skipped = &campaign.findings().skipped;
    let has_alias_error = skipped.iter().any(|skipped_file| {
        skipped_file.path == "big.yaml" && skipped_file.reason.contains("aliases expand to more than 16384 KiB")
    });
    assert!(has_alias_error, "{skipped:?}");
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Ann.md"), format!("---\n{}---\nAnn.\n", bomb(1 << 10, 5_000))).unwrap();
    let campaign = read_any(folder.path(), &ReadOptions::default(), &Limits::default()).unwrap();
    let warned = campaign.warnings().iter().any(|warning| warning.message.contains("aliases expand to more than"));
    assert!(warned, "{:?}", campaign.warnings());
}

#[test]
fn a_few_aliases_are_fine() {
    let yaml = "x: &x {name: Ann, kind: npc}\nentities:\n  - {id: one, <<: 1}\n";
    assert!(read_text(yaml).is_err());
    let campaign = "campaign: &c {name: Test}\nentities:\n  - &e {id: ann, name: Ann, kind: npc}\n";
    assert!(read_text(campaign).is_ok());
}

#[test]
fn all_files_together_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.yaml"), BASE).unwrap();
    fs::write(folder.path().join("b.yaml"), format!("# {}\n", "x".repeat(3 << 20))).unwrap();
    let limits = Limits { total_bytes: 1 << 20, ..Limits::default() };
    let error = read(folder.path(), &limits).unwrap_err().to_string();
    assert!(error.contains("b.yaml: the files up to this one have more than 1 MiB in total"), "{error}");
}

#[test]
fn reading_ends_within_a_file_when_it_is_cancelled() {
    let text = "Ann met [[Bob]] at the *old* mill.\n\n".repeat(400_000);
    let yaml = format!("{BASE}facts:\n{}", "  - {subject: ann, text: Ann sings.}\n".repeat(400_000));
    let json = format!("[{}]", vec!["{\"name\": \"Ann\", \"_id\": \"a\"}"; 400_000].join(","));
    for (name, content, format) in
        [("Ann.md", &text, "markdown"), ("a.yaml", &yaml, "native"), ("a.json", &json, "foundry")]
    {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), content).unwrap();
        ends(folder.path(), format);
    }
}

fn ends(folder: &Path, format: &str) {
    let limits = Limits::default();
    let cancel = limits.cancel.clone();
    let options = ReadOptions { format: format.parse().ok(), ..ReadOptions::default() };
    let started_at = Instant::now();
    let error = std::thread::scope(|scope| {
        let read = scope.spawn(|| read_any(folder, &options, &limits).unwrap_err().to_string());
        std::thread::sleep(std::time::Duration::from_millis(100));
        cancel.cancel();
        let asked = Instant::now();
        let error = read.join().unwrap();
        assert!(asked.elapsed().as_secs() < 60, "{format}: {:?}", asked.elapsed());
        error
    });
    assert!(error.contains("reading was cancelled"), "{format} after {:?}: {error}", started_at.elapsed());
}
