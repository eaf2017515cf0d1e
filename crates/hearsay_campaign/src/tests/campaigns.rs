//! The example campaigns of the repository.

use std::path::PathBuf;

use hearsay_model::{State, Timestamp};

use crate::{Limits, plan, read};

fn folders() -> Vec<PathBuf> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../campaigns"));
    let names = ["gullhaven", "tiny-tavern"].map(|name| root.join(name));
    names.into_iter().filter(|folder| folder.is_dir()).collect()
}

#[test]
fn the_examples_are_read_and_import_once() {
    for folder in folders() {
        let campaign = read(&folder, &Limits::default()).unwrap_or_else(|errors| panic!("{errors}"));
        let mut state = State::default();
        let first = plan(&state, &campaign, Timestamp(1));
        if std::env::var("SHOW").is_ok() {
            panic!("{}", first.report);
        }
        state.apply(first.operation.unwrap()).unwrap();
        assert_eq!(plan(&state, &campaign, Timestamp(2)).operation, None, "{}", folder.display());
        assert!(first.report.know_nothing.is_empty(), "{:?}", first.report.know_nothing);
    }
}
