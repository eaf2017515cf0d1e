//! Tests of the database's files: check, repair, and reads in a read-only directory.

use std::{
    io::Read,
    time::{Duration, Instant},
};

use super::*;

/// Creates a campaign with a database and a recorded line.
fn mill() -> TestDir {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "sync", "--no-meaning"]);
    test_dir.ok(&["-C", "mill", "entity", "add", "The Cat", "--id", "cat"]);
    test_dir
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
    let test_dir = mill();
    let whole = test_dir.json(&["-C", "mill", "db", "check"]);
    assert_eq!((&whole["intact"], &whole["lost"]), (&Value::Bool(true), &Value::Array(Vec::new())), "{whole}");
    assert_eq!((&whole["repaired_records"], &whole["graph_differences"]), (&0.into(), &0.into()), "{whole}");
    assert!(test_dir.ok(&["-C", "mill", "db", "check"]).contains("The database is intact."));
    assert!(test_dir.ok(&["-C", "mill", "db", "repair"]).contains("Nothing had to be repaired."));
    let operations = whole["operations"].as_u64().unwrap();
    assert!(operations >= 2);
    assert!(test_dir.ok(&["-C", "mill", "db", "repair", "--dry-run"]).contains("the database needs no repair"));
    test_dir.fails(&["-C", "nowhere", "db", "check"], 4, &["nowhere"]);

    // Without its manifest, the engine would delete the tables.
    fs::remove_file(largest(&test_dir.path("mill/.hearsay/db/manifest"), "manifest")).unwrap();
    test_dir.fails(&["-C", "mill", "fact", "list"], 1, &["manifest", "missing", "hearsay db repair"]);
    let output = test_dir.run(&["-C", "mill", "db", "check"]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("manifest: it is missing"), "{}", output.stdout);
    assert!(output.stderr.contains(&format!("save {operations} of {operations} operations")), "{}", output.stderr);
    let output = test_dir.run(&["-C", "mill", "db", "check", "--json"]);
    assert_eq!((output.code, data(&output.stdout)["intact"].as_bool()), (1, Some(false)));
    let planned = test_dir.ok(&["-C", "mill", "db", "repair", "--dry-run"]);
    assert!(planned.contains(&format!("{operations} of {operations} operations would be saved")), "{planned}");
    assert!(!test_dir.path("mill/.hearsay.damaged-1").exists(), "a dry run moves no files");
    let repaired = test_dir.ok(&["-C", "mill", "db", "repair"]);
    assert!(repaired.contains(&format!("{operations} of {operations} operations are saved")), "{repaired}");
    assert!(test_dir.path("mill/.hearsay.damaged-1/db/sstables").is_dir());
    assert!(test_dir.ok(&["-C", "mill", "entity", "show", "cat"]).contains("The Cat"));

    // An import restores the content of the campaign files. The report lists the operations that are lost.
    fs::remove_file(largest(&test_dir.path("mill/.hearsay/db/sstables"), "sst")).unwrap();
    let _ = fs::remove_file(test_dir.path("mill/.hearsay/snapshot"));
    let repaired = test_dir.json(&["-C", "mill", "db", "repair"]);
    let lost = repaired["found"]["lost"].as_array().unwrap().len() as u64;
    assert_eq!(repaired["saved"].as_u64().unwrap() + lost, operations, "{repaired}");
    assert!(lost > 0);
    test_dir.ok(&["-C", "mill", "sync", "--no-meaning"]);
    assert!(test_dir.ok(&["-C", "mill", "entity", "show", "ada"]).contains("Ada Flint"));
    test_dir.fails(&["-C", "mill", "entity", "show", "cat"], 3, &["cat"]);
    assert_eq!(test_dir.json(&["-C", "mill", "db", "check"])["intact"], true);
}

/// Mounts a disk at a directory, or remounts it. Returns the reason if this is impossible.
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
    let test_dir = mill();
    let disk = test_dir.path("disk");
    fs::create_dir(&disk).unwrap();
    if let Err(why) = mount("size=64m", &disk) {
        return eprintln!("skipped: no disk can be mounted: {why}");
    }
    let _mounted = Mounted(disk.clone());
    copy(&test_dir.path("mill"), &disk.join("mill"));
    copy(&test_dir.path("mill"), &disk.join("files"));
    fs::remove_dir_all(disk.join("files/.hearsay")).unwrap();
    mount("remount,ro", &disk).unwrap();
    let temporary = test_dir.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let run = |line: &[&str]| {
        let output = super::decode_output(test_dir.command(line).env("TMPDIR", &temporary).output().unwrap());
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{line:?} leaves a copy");
        output
    };
    for folder in ["disk/mill", "disk/files"] {
        for line in [
            &["-C", folder, "ask", "--as", "ada", "What is cracked?", "--no-meaning"][..],
            &["-C", folder, "search", "cracked", "--no-meaning"],
            &["-C", folder, "status"],
            &["-C", folder, "fact", "list"],
        ] {
            let output = run(line);
            assert_eq!(output.code, 0, "{line:?}: {}{}", output.stdout, output.stderr);
            assert_eq!(
                output.stderr.matches("so it uses a temporary copy; changes of this command are not saved").count(),
                1,
                "{}",
                output.stderr
            );
        }
        assert!(run(&["-C", folder, "search", "cracked", "--no-meaning"]).stdout.contains("millstone"));
        let output = run(&["-C", folder, "entity", "add", "The Dog"]);
        assert_eq!(output.code, 4, "{}", output.stderr);
        assert!(output.stderr.contains("to which this user can write"), "{}", output.stderr);
    }
}

#[test]
#[allow(clippy::print_stderr)]
fn on_a_full_disk_writes_fail_at_once_and_reads_work() {
    let test_dir = mill();
    let disk = test_dir.path("disk");
    fs::create_dir(&disk).unwrap();
    if let Err(why) = mount("size=16m", &disk) {
        return eprintln!("skipped: no disk can be mounted: {why}");
    }
    let _mounted = Mounted(disk.clone());
    copy(&test_dir.path("mill"), &disk.join("mill"));
    let filler = disk.join("filler");
    let _ = fs::write(&filler, vec![1; 32 << 20]);
    let started = std::time::Instant::now();
    let output = test_dir.run(&["-C", "disk/mill", "entity", "add", "The Dog"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    // The program prints one error, and no log messages of the database engine.
    assert!(
        output.stderr.starts_with("error: the disk is full") && output.stderr.lines().count() == 1,
        "{}",
        output.stderr
    );
    assert!(test_dir.ok(&["-C", "disk/mill", "search", "cracked", "--no-meaning"]).contains("millstone"));
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
    fs::remove_file(&filler).unwrap();
    test_dir.ok(&["-C", "disk/mill", "entity", "add", "The Dog"]);
    assert!(test_dir.ok(&["-C", "disk/mill", "entity", "show", "cat"]).contains("The Cat"));
}

#[test]
fn clearing_needs_force_and_spares_the_files() {
    let test_dir = TestDir::new();
    test_dir.ok(&["-C", "mill", "status"]);
    test_dir.fails(&["-C", "mill", "db", "clear"], 1, &["--force"]);
    assert!(test_dir.ok(&["-C", "mill", "db", "clear", "--dry-run"]).contains("would be deleted"));
    assert!(test_dir.path("mill/.hearsay").exists());
    assert_eq!(test_dir.json(&["-C", "mill", "db", "clear", "--force"])["cleared"], true);
    assert!(!test_dir.path("mill/.hearsay").exists() && test_dir.path("mill/campaign.yaml").exists());
    assert_eq!(test_dir.json(&["-C", "mill", "db", "clear", "--force"])["cleared"], false);
    test_dir.fails(&["-C", "nowhere", "db", "clear", "--force"], 4, &["nowhere"]);
    test_dir.write("mill/hearsay.toml", "[store]\ndirectory = \".\"\n");
    test_dir.fails(&["-C", "mill", "db", "clear", "--force"], 1, &["campaign files"]);
    assert!(test_dir.path("mill/campaign.yaml").exists());
}

/// Creates a campaign with so many texts that computing their vectors takes a while.
fn big_campaign(test_dir: &TestDir) {
    let mut text = String::from("campaign: {name: Big}\nentities:\n  - {id: ada, name: Ada, kind: npc}\nfacts:\n");
    for n in 0..3_000 {
        text += &format!("  - {{subject: ada, text: \"Ada has counted the sack of number {n} in the long barn.\"}}\n");
    }
    test_dir.write("big/campaign.yaml", &text);
}

#[test]
#[cfg(unix)]
fn other_commands_run_beside_a_long_one_and_ctrl_c_stops_it_cleanly() {
    let test_dir = TestDir::new();
    big_campaign(&test_dir);
    test_dir.ok(&["-C", "big", "sync", "-q", "--no-meaning"]);
    let mut child = test_dir.command(&["-C", "big", "db", "embed"]);
    let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let owner = test_dir.path("big/.hearsay/owner");
    let start = Instant::now();
    while !owner.exists() && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    let process = format!("process {} ", child.id());
    assert!(test_dir.ok(&["-C", "big", "status"]).contains(&process));
    test_dir.fails(&["-C", "big", "db", "check"], 5, &["big", &process, "close that program"]);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let status = child.wait().unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(status.code(), Some(130), "{err}");
    assert!(err.contains("stopped"), "{err}");
    assert!(!owner.exists(), "the campaign was closed");
    assert_eq!(test_dir.json(&["-C", "big", "db", "stats"])["entities"]["npc"], 1);
}

#[test]
#[cfg(unix)]
fn vectors_of_a_backlog_are_made_where_it_stopped() {
    let test_dir = TestDir::new();
    big_campaign(&test_dir);
    test_dir.ok(&["-C", "big", "sync", "-q", "--no-meaning"]);
    // `ask` does not wait for the vectors of this many texts.
    let output = test_dir.run(&["-C", "big", "ask", "--as", "ada", "sacks"]);
    assert!(output.code == 0 && output.stderr.contains("db embed"), "{} {}", output.code, output.stderr);
    let all = test_dir.json(&["-C", "big", "status"])["pending_vectors"].as_u64().unwrap();
    assert!(all > 2_000, "{all}");
    let vectors = test_dir.path("big/.hearsay/vectors");
    let before = std::fs::metadata(&vectors).map_or(0, |file| file.len());
    let mut child = test_dir.command(&["-C", "big", "db", "embed"]).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while std::fs::metadata(&vectors).map_or(0, |file| file.len()) < before + (400 << 10) {
        assert!(start.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert!(child.wait().unwrap().code() == Some(130) && err.contains("to continue"), "{err}");
    let left = test_dir.json(&["-C", "big", "status"])["pending_vectors"].as_u64().unwrap();
    assert!(0 < left && left <= all - 256, "{left} of {all}");
    assert_eq!(test_dir.json(&["-C", "big", "status", "--wait"])["pending_vectors"], 0);
    let output = test_dir.json(&["-C", "big", "db", "embed"]);
    assert_eq!((&output["embedded"], &output["pending_vectors"]), (&0.into(), &0.into()));
    let output = test_dir.run(&["-C", "big", "ask", "--as", "ada", "sacks"]);
    assert!(output.code == 0 && !output.stderr.contains("db embed"), "{} {}", output.code, output.stderr);
}
