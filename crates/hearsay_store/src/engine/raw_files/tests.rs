use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{Author, Change, Operation, Passage, Position};

use super::*;
use crate::{Opened, Store, StoreOptions};

type Entries = BTreeMap<(Vec<u8>, u64), Option<Vec<u8>>>;

fn entries(directory: &Path) -> (Entries, Vec<FileDamage>) {
    let mut entries = Entries::new();
    let scan = read(directory, |entry| {
        entries.insert((entry.key.to_vec(), entry.sequence), entry.value.map(<[u8]>::to_vec));
    });
    (entries, scan.unwrap().damage)
}

/// Creates two databases: one with tables only, and one that also has a log, as if the program had been killed.
fn create_databases(parent: &Path) -> [PathBuf; 2] {
    let open = |memtable_bytes| {
        Store::open(parent.join("closed"), StoreOptions { memtable_bytes, ..StoreOptions::default() }).unwrap()
    };
    let write = |store: &Store, numbers: std::ops::Range<u64>| {
        for number in numbers {
            let mut passage = Passage::new("x".repeat(10 + 700 * (number % 90) as usize));
            passage.line = number as u32;
            let add = Operation::new(Author::Game, "add", vec![Change::AddPassage(passage.into())]);
            store.commit_blocking(Position(number), vec![Arc::new(add)]).unwrap();
        }
    };
    let Opened { store, .. } = open(256 << 10);
    write(&store, 1..60);
    store.close().unwrap();
    // With large memtables, the following writes stay in the log. No engine task changes files while they are copied.
    let Opened { store, .. } = open(64 << 20);
    std::thread::sleep(std::time::Duration::from_millis(500));
    write(&store, 60..140);
    crate::testing::damage::copy(&parent.join("closed"), &parent.join("killed")).unwrap();
    store.close().unwrap();
    ["closed", "killed"].map(|name| parent.join(name).join("db"))
}

#[test]
fn a_damaged_byte_changes_no_entry_and_is_found() {
    let parent = tempfile::tempdir().unwrap();
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    for directory in create_databases(parent.path()) {
        let (intact, damage) = entries(&directory);
        assert_eq!(damage, [], "{}", directory.display());
        assert_eq!(preflight(&directory).unwrap(), []);
        assert!(intact.len() > 139);
        for file in crate::testing::damage::files(&directory).unwrap() {
            let kind = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            if !["sst", "manifest", "wal"].contains(&kind) {
                continue;
            }
            let good = fs::read(&file).unwrap();
            let (is_manifest, is_log) = (kind == "manifest", kind == "wal");
            for _ in 0..20.min(good.len()) {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let at = (random >> 33) as usize % good.len();
                let mut bad = good.clone();
                bad[at] ^= 1 << (random >> 61);
                fs::write(&file, &bad).unwrap();
                let (found, damage) = entries(&directory);
                let case = format!("{} byte {at} of {}", file.display(), good.len());
                // Without a manifest, tables that are no longer used are read too.
                let wrong = found.iter().find(|(key, value)| intact.get(*key) != Some(*value));
                assert!(is_manifest || wrong.is_none(), "{case}: {:?}", wrong.map(|(key, _)| key));
                let lost = intact.keys().filter(|key| !found.contains_key(*key)).map(|(_, sequence)| *sequence).min();
                let newest = found.keys().map(|(_, sequence)| *sequence).max();
                // Damage to the last records of a log cannot be told from the incomplete record of a killed program.
                let is_lost_at_end = is_log && lost > newest;
                assert!(!damage.is_empty() || lost.is_none() || is_lost_at_end || is_manifest, "{case}");
                assert!(is_manifest || found.len() * 2 > intact.len(), "{case}: {} of {}", found.len(), intact.len());
            }
            for end in [0, good.len() / 3, good.len().saturating_sub(1)] {
                fs::write(&file, &good[..end]).unwrap();
                let (found, damage) = entries(&directory);
                let wrong = found.iter().any(|(key, value)| intact.get(key) != Some(value));
                assert!(is_manifest || !wrong, "{} cut at {end}", file.display());
                // A log with a missing end is not damage, because a killed program leaves such a log.
                assert!(is_log || good.is_empty() || !damage.is_empty(), "{} cut at {end}", file.display());
            }
            fs::remove_file(&file).unwrap();
            let (_, damage) = entries(&directory);
            assert!(is_log || damage.iter().any(|damage| damage.file == file), "{} removed", file.display());
            fs::write(&file, &good).unwrap();
        }
    }
}
