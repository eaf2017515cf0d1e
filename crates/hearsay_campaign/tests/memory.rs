//! Peak memory of reading and planning an import of many small notes.
//!
//! `HEARSAY_TEST_NOTES=200000 cargo test -p hearsay_campaign --test memory -- --nocapture` measures a large vault.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::{fs, path::Path};

use hearsay_campaign::{
    Folder, Limits, ReadOptions,
    import::{assemble, read_notes},
    plan,
};
use hearsay_model::{State, Timestamp};

/// Returns the peak and the current resident memory of the process in bytes, and resets the peak.
fn resident() -> (u64, u64) {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let field = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    };
    let memory = (field("VmHWM:"), field("VmRSS:"));
    fs::write("/proc/self/clear_refs", "5").unwrap();
    memory
}

fn write_vault(folder: &Path, notes: usize) {
    for number in 0..notes {
        let people = folder.join(format!("People/{:03}", number / 1000));
        if number % 1000 == 0 {
            fs::create_dir_all(&people).unwrap();
        }
        let (home, friend) = (number * 7919 % notes, (number * 104_729 + 1) % notes);
        let note = format!(
            "---\ntags: [NPC]\naliases: [\"Nick {number}\"]\nlocation: \"[[Person {home}]]\"\n---\n\
             Person {number} has kept the mill by the river since the flood of the year {}.\n\n\
             She trusts [[Person {friend}]] and nobody else in the valley.\n\n\
             ## Secrets\n- She hid letter number {number} behind the hearth.\n",
            number % 900 + 100
        );
        fs::write(people.join(format!("Person {number}.md")), note).unwrap();
    }
}

/// Maximum increase of the peak, in bytes per note. The measured increase is about 21,000 for few notes and 18,000 for
/// many.
const MAX_BYTES_PER_NOTE: u64 = 26_000;

#[test]
fn many_small_notes_take_little_memory() {
    let notes: usize = std::env::var("HEARSAY_TEST_NOTES").map_or(3_000, |count| count.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    write_vault(folder.path(), notes);
    let options = ReadOptions::default();
    let (_, before) = resident();
    let per_note = |bytes: u64| bytes.saturating_sub(before) / notes as u64;
    let measure = |step: &str| {
        let (peak, now) = resident();
        eprintln!(
            "{step:8} peak {:6} MiB, {:6} bytes per note; then {:6} MiB, {:6} bytes per note",
            peak >> 20,
            per_note(peak),
            now >> 20,
            per_note(now)
        );
        per_note(peak)
    };
    let opened = Folder::open(folder.path(), &Limits::default()).unwrap();
    measure("open");
    let read = read_notes(&opened, &options).unwrap().unwrap();
    let mut peak = measure("read");
    let mut campaign = assemble(read, &options);
    campaign.set_recorded(Timestamp(1));
    peak = peak.max(measure("assemble"));
    let mut state = State::default();
    let planned = plan(&state, &campaign, Timestamp(1));
    peak = peak.max(measure("plan"));
    assert!(peak < MAX_BYTES_PER_NOTE, "{peak} bytes per note");
    drop((campaign, opened));
    state.apply(planned.operation.unwrap()).unwrap();
    measure("apply");
    assert_eq!(state.entities().count(), notes);
}
