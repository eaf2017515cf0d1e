//! The database's files: checked, repaired, and read where nothing can be written.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use super::Place;

/// A campaign with a memory in which something was said.
fn mill() -> Place {
    let place = Place::new();
    place.ok(&["-C", "mill", "sync", "--no-meaning"]);
    place.ok(&["-C", "mill", "entity", "add", "The Cat", "--id", "cat"]);
    place
}

fn largest(directory: &Path, extension: &str) -> PathBuf {
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|found| found == extension)).collect();
    files.sort_by_key(|file| fs::metadata(file).unwrap().len());
    files.pop().unwrap()
}

fn data(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_damaged_database_is_checked_repaired_and_imported_again() {
    let place = mill();
    let whole = place.json(&["-C", "mill", "db", "check"]);
    assert_eq!((&whole["whole"], &whole["lost"]), (&Value::Bool(true), &Value::Array(Vec::new())), "{whole}");
    assert!(place.ok(&["-C", "mill", "db", "check"]).contains("The database is whole."));
    assert!(place.ok(&["-C", "mill", "db", "repair"]).contains("Nothing had to be repaired."));
    let operations = whole["operations"].as_u64().unwrap();
    assert!(operations >= 2);
    place.fails(&["-C", "nowhere", "db", "check"], 4, &["nowhere"]);

    // Without its manifest, the engine would delete the tables.
    fs::remove_file(largest(&place.path("mill/.hearsay/db/manifest"), "manifest")).unwrap();
    place.fails(&["-C", "mill", "fact", "list"], 1, &["manifest", "missing", "hearsay db repair"]);
    let told = place.run(&["-C", "mill", "db", "check"]);
    assert_eq!(told.code, 1);
    assert!(told.out.contains("manifest: it is missing"), "{}", told.out);
    assert!(told.err.contains(&format!("saves {operations} of {operations} operations")), "{}", told.err);
    let told = place.run(&["-C", "mill", "db", "check", "--json"]);
    assert_eq!((told.code, data(&told.out)["whole"].as_bool()), (1, Some(false)));
    let repaired = place.ok(&["-C", "mill", "db", "repair"]);
    assert!(repaired.contains(&format!("{operations} of {operations} operations are saved")), "{repaired}");
    assert!(place.path("mill/.hearsay.damaged-1/db/sstables").is_dir());
    assert!(place.ok(&["-C", "mill", "entity", "show", "cat"]).contains("The Cat"));

    // What came from files is there again after an import, and what did not is reported.
    fs::remove_file(largest(&place.path("mill/.hearsay/db/sstables"), "sst")).unwrap();
    let _ = fs::remove_file(place.path("mill/.hearsay/snapshot"));
    let repaired = place.json(&["-C", "mill", "db", "repair"]);
    let lost = repaired["found"]["lost"].as_array().unwrap().len() as u64;
    assert_eq!(repaired["saved"].as_u64().unwrap() + lost, operations, "{repaired}");
    assert!(lost > 0);
    place.ok(&["-C", "mill", "sync", "--no-meaning"]);
    assert!(place.ok(&["-C", "mill", "entity", "show", "ada"]).contains("Ada Flint"));
    place.fails(&["-C", "mill", "entity", "show", "cat"], 3, &["cat"]);
    assert_eq!(place.json(&["-C", "mill", "db", "check"])["whole"], true);
}

/// Mounts a disk at a folder, or mounts it anew; says why that cannot be done.
fn mount(options: &str, folder: &Path) -> Result<(), String> {
    let mut command = Command::new("mount");
    let output = command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(folder).output();
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()) }
}

struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => _ = fs::copy(entry.path(), to).unwrap(),
        }
    }
}

#[test]
#[allow(clippy::print_stderr)]
fn a_folder_that_cannot_be_written_to_is_read() {
    let place = mill();
    let disk = place.path("disk");
    fs::create_dir(&disk).unwrap();
    if let Err(why) = mount("size=64m", &disk) {
        return eprintln!("skipped: no disk can be mounted: {why}");
    }
    let _mounted = Mounted(disk.clone());
    copy(&place.path("mill"), &disk.join("mill"));
    copy(&place.path("mill"), &disk.join("files"));
    fs::remove_dir_all(disk.join("files/.hearsay")).unwrap();
    mount("remount,ro", &disk).unwrap();
    let temporary = place.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let run = |line: &[&str]| {
        let told = super::told(place.command(line).env("TMPDIR", &temporary).output().unwrap());
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{line:?} leaves a copy");
        told
    };
    for folder in ["disk/mill", "disk/files"] {
        for line in [
            &["-C", folder, "ask", "--as", "ada", "What is cracked?", "--no-meaning"][..],
            &["-C", folder, "search", "cracked", "--no-meaning"],
            &["-C", folder, "status"],
            &["-C", folder, "fact", "list"],
        ] {
            let told = run(line);
            assert_eq!(told.code, 0, "{line:?}: {}{}", told.out, told.err);
            assert_eq!(
                told.err.matches("cannot be written to: nothing that is found now is kept").count(),
                1,
                "{}",
                told.err
            );
        }
        assert!(run(&["-C", folder, "search", "cracked", "--no-meaning"]).out.contains("millstone"));
        let told = run(&["-C", folder, "entity", "add", "The Dog"]);
        assert_eq!(told.code, 4, "{}", told.err);
        assert!(told.err.contains("choose a directory that this user may write to"), "{}", told.err);
    }
}

#[test]
#[allow(clippy::print_stderr)]
fn on_a_full_disk_nothing_is_saved_at_once_and_what_is_there_can_be_read() {
    let place = mill();
    let disk = place.path("disk");
    fs::create_dir(&disk).unwrap();
    if let Err(why) = mount("size=16m", &disk) {
        return eprintln!("skipped: no disk can be mounted: {why}");
    }
    let _mounted = Mounted(disk.clone());
    copy(&place.path("mill"), &disk.join("mill"));
    let filler = disk.join("filler");
    let _ = fs::write(&filler, vec![1; 32 << 20]);
    let started = std::time::Instant::now();
    let told = place.run(&["-C", "disk/mill", "entity", "add", "The Dog"]);
    assert_eq!(told.code, 1, "{}", told.err);
    // One error, and nothing that the engine logs.
    assert!(told.err.starts_with("error: the disk is full") && told.err.lines().count() == 1, "{}", told.err);
    assert!(place.ok(&["-C", "disk/mill", "search", "cracked", "--no-meaning"]).contains("millstone"));
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
    fs::remove_file(&filler).unwrap();
    place.ok(&["-C", "disk/mill", "entity", "add", "The Dog"]);
    assert!(place.ok(&["-C", "disk/mill", "entity", "show", "cat"]).contains("The Cat"));
}
