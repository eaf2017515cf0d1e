//! Kills a program with `kill -9` at many moments, while the program edits a campaign and imports a file. After each
//! kill, the campaign must open again, all acknowledged changes must be stored, and no change may be stored in part.

use std::{
    env,
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use hearsay_commands::edit::Edit;
use hearsay_engine::{Memory, MemoryOptions, ModelSettings, Settings};
use hearsay_model::Kind;

/// Environment variable with the directory of the child process. It is set only in the child process.
const CHILD: &str = "HEARSAY_CRASH_CHILD";
/// Number of facts in the import. This number is large, so that the journal stores the import in several chunks.
const FACTS: usize = 8_000;
/// Number of edits before the import, and also the number of edits after the import.
const EDITS: usize = 12;
const KILLS: u32 = 12;

fn open(directory: &Path) -> Memory {
    let settings =
        Settings { model: ModelSettings { enabled: false, ..ModelSettings::default() }, ..Settings::default() };
    Memory::open(MemoryOptions::with_settings(directory, settings)).unwrap()
}

fn add(memory: &Memory, name: &str) {
    let edit = Edit::Add { name: name.into(), kind: Kind::Npc, id: None, place: None };
    memory.edit(edit).unwrap().wait().unwrap();
}

/// Does the work of the child process, which prints one line for each acknowledged change. Does nothing in other
/// processes.
#[test]
fn child() {
    let Ok(directory) = env::var(CHILD) else { return };
    let directory = Path::new(&directory);
    let memory = open(directory);
    let run = memory.status().unwrap().wait().unwrap().position;
    let edits = |part: &str| {
        for n in 0..EDITS {
            add(&memory, &format!("{part} {run} {n}"));
            println!("ACK {part} {run} {n}");
        }
    };
    edits("before");
    memory.import(directory.join("campaign.yaml")).unwrap().wait().unwrap();
    println!("ACK import");
    edits("after");
    memory.close().unwrap();
    println!("ACK closed");
}

fn start(directory: &Path) -> (Child, mpsc::Receiver<String>) {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture", "--test-threads=1"])
        .env(CHILD, directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            // The test runner may print text before the acknowledgement, on the same line.
            if let Some(at) = line.find("ACK ") {
                let _ = sender.send(line[at + 4..].to_owned());
            }
        }
    });
    (child, receiver)
}

/// Stage of the child process at which the test kills it.
#[derive(Clone, Copy)]
enum Stage {
    /// While the child imports the campaign file.
    Import,
    /// After the import, while the child makes more edits and closes the memory.
    Rest,
}

/// Waits until the child process reaches a stage. Returns the lines about the changes that were acknowledged before
/// this stage.
fn wait_for(acknowledged: &mpsc::Receiver<String>, stage: Stage) -> Vec<String> {
    let last_edit = format!(" {}", EDITS - 1);
    let mut heard = Vec::new();
    loop {
        let line = acknowledged.recv_timeout(Duration::from_secs(60)).expect("no line from the child process for 60 s");
        let begins = match stage {
            Stage::Import => line.starts_with("before ") && line.ends_with(&last_edit),
            Stage::Rest => line == "import",
        };
        heard.push(line);
        if begins {
            return heard;
        }
    }
}

fn campaign() -> String {
    let mut yaml = String::from("campaign: {name: Crash}\nentities:\n  - {name: Town, kind: location}\nfacts:\n");
    for n in 0..FACTS {
        writeln!(yaml, "  - {{subject: town, text: In the town there is a house with the number {n}.}}").unwrap();
    }
    yaml
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_half_there() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("campaign.yaml"), campaign()).unwrap();

    // One complete run in a separate directory measures the durations of the two stages.
    let whole = tempfile::tempdir().unwrap();
    fs::copy(directory.path().join("campaign.yaml"), whole.path().join("campaign.yaml")).unwrap();
    let (mut child, acknowledged) = start(whole.path());
    wait_for(&acknowledged, Stage::Import);
    let begun = Instant::now();
    wait_for(&acknowledged, Stage::Rest);
    let import_takes = begun.elapsed();
    assert!(child.wait().unwrap().success());
    assert_eq!(acknowledged.iter().last().as_deref(), Some("closed"));
    let rest_takes = begun.elapsed() - import_takes;

    let (mut promised, mut with_import, mut without) = (Vec::new(), 0, 0);
    for kill in 0..KILLS {
        // Each run imports the campaign file again, but keeps the edits of earlier runs. The kills alternate between
        // the two stages, so that both stages are tested on fast and on slow machines.
        let (mut child, acknowledged) = start(directory.path());
        let (stage, takes) = if kill % 2 == 0 { (Stage::Import, import_takes) } else { (Stage::Rest, rest_takes) };
        let mut heard = wait_for(&acknowledged, stage);
        thread::sleep(takes * kill / KILLS);
        child.kill().unwrap();
        child.wait().unwrap();
        thread::sleep(Duration::from_millis(20));
        heard.extend(acknowledged.try_iter());
        let imported = heard.iter().any(|line| line == "import");
        promised.extend(heard.into_iter().filter(|line| line != "import" && line != "closed"));

        let memory = open(directory.path());
        let state = memory.read(|world| Ok(std::sync::Arc::clone(&world.state))).unwrap().wait().unwrap();
        for name in &promised {
            let id = hearsay_model::slug(name).parse().unwrap();
            assert_eq!(state.name(&id), Some(name.as_str()), "lost, although acknowledged before kill {kill}");
        }
        let town = "town".parse().unwrap();
        let houses = state.facts_of(&town).filter(|fact| *fact.predicate() == *"lore").count();
        assert!(houses == 0 || houses == FACTS, "kill {kill}: only {houses} facts of the import are stored");
        assert!(!imported || houses == FACTS, "kill {kill}: an acknowledged import is lost");
        if houses == FACTS {
            with_import += 1;
            // Undoes the import, so that the next run imports the file again.
            let target =
                state.journal().rev().find(|(_, entry)| entry.live && entry.operation.summary.starts_with("import"));
            let position = target.unwrap().0;
            drop(state);
            memory.undo(hearsay_query::journal::UndoTarget::At(position)).unwrap().wait().unwrap();
        } else {
            without += 1;
        }
        add(&memory, &format!("still works {kill}"));
        promised.push(format!("still works {kill}"));
        memory.close().unwrap();
    }
    println!("{KILLS} kills: {with_import} after the commit of the import, {without} before the commit");
    assert!(with_import > 0 && without > 0, "kills before the commit: {without}, after it: {with_import}");
}
