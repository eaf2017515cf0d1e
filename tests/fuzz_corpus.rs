//! Replays the corpora of the fuzz targets in the folder `fuzz/`.

use std::{collections::BTreeSet, fs, path::Path};

/// Runs the fuzz target with a name on bytes.
type Run = fn(&str, &[u8]);

/// The fuzz targets of each crate.
fn targets() -> impl Iterator<Item = (&'static str, Run)> {
    let crates: [(&[&str], Run); 3] = [
        (&hearsay_campaign::fuzz::TARGETS, hearsay_campaign::fuzz::run),
        (&hearsay_extract::fuzz::TARGETS, hearsay_extract::fuzz::run),
        (&hearsay_llm::fuzz::TARGETS, hearsay_llm::fuzz::run),
    ];
    crates.into_iter().flat_map(|(targets, run)| targets.iter().map(move |target| (*target, run)))
}

#[test]
fn the_corpus_of_every_fuzz_target_is_replayed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let corpus = folder.join("corpus");
    for (target, run) in targets() {
        let files = fs::read_dir(corpus.join(target)).unwrap_or_else(|error| panic!("the corpus of {target}: {error}"));
        let files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
        assert!(!files.is_empty(), "the corpus of {target} is empty");
        for file in files {
            run(target, &fs::read(&file).unwrap());
        }
        let program = folder.join(format!("fuzz_targets/{target}.rs"));
        assert!(program.is_file(), "{target} has no program in fuzz_targets/");
    }
    let targets: BTreeSet<String> = targets().map(|(target, _)| target.to_owned()).collect();
    let folders: BTreeSet<String> =
        fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(folders, targets, "every folder of the corpus belongs to a target");
}
