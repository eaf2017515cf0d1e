//! Speed of reading notes of other tools, and memory for many notes.

use std::{fmt::Write, fs, time::Instant};

use crate::{Limits, ReadOptions, read_any};

/// Writes notes with links to one another, in folders of 500 notes.
fn vault(folder: &std::path::Path, notes: usize, links: usize) {
    for n in 0..notes {
        let mut text = format!(
            "---\ntags: [NPC]\naliases: [Alias {n}]\nlocation: \"[[Note {}]]\"\n---\n# Note {n}\n\n",
            (n * 7 + 1) % notes
        );
        for paragraph in 0..links / 2 {
            let (a, b) = ((n * 31 + paragraph * 17) % notes, (n * 13 + paragraph * 101) % notes);
            writeln!(text, "Word of [[Note {a}]] came to the harbour with the evening tide, and [[Note {b}|somebody]] heard it there.\n").unwrap();
        }
        text.push_str("## Secrets\n\nA thing that nobody is to hear of.\n");
        let folder = folder.join(format!("{}", n / 500));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("Note {n}.md")), text).unwrap();
    }
}

/// Returns the peak memory of this program in MiB.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib >> 10)
}

#[test]
fn every_link_of_a_large_vault_leads_somewhere() {
    let folder = tempfile::tempdir().unwrap();
    vault(folder.path(), 1_500, 8);
    let campaign = read_any(folder.path(), &ReadOptions::default(), &Limits::default()).unwrap();
    assert!(campaign.findings().resolved >= 12_500, "{}", campaign.findings().resolved);
}

#[test]
#[ignore = "measures; takes a while"]
#[allow(clippy::print_stderr)]
fn a_hundred_thousand_files() {
    let folder = tempfile::tempdir().unwrap();
    vault(folder.path(), 100_000, 2);
    let start = Instant::now();
    let campaign = read_any(folder.path(), &ReadOptions::default(), &Limits::default()).unwrap();
    eprintln!("100,000 files: {:?}, {:?} MiB at most, {} facts", start.elapsed(), peak(), campaign.facts().len());
    assert!(peak().is_none_or(|mib| mib < 1024), "{:?} MiB", peak());
}
