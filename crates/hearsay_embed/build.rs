//! Passes two settings of the build to the crate: the optimisation level, and the directory of the model that the feature
//! `bundled-model` compiles into the program. A game builds its dependencies without optimisation, unless its profile
//! sets a level.

use std::{
    env,
    path::{Path, PathBuf},
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=HEARSAY_OPT_LEVEL={}", env::var("OPT_LEVEL").unwrap_or_default());
    if env::var_os("CARGO_FEATURE_BUNDLED_MODEL").is_some() {
        locate_model();
    }
}

/// Names the directory of the model for `include_bytes!`. The package on crates.io does not contain the model.
fn locate_model() {
    println!("cargo::rerun-if-env-changed=HEARSAY_MODEL_DIR");
    let in_workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models/all-MiniLM-L6-v2");
    let directory = match env::var_os("HEARSAY_MODEL_DIR") {
        Some(directory) if !in_workspace.is_dir() => PathBuf::from(directory),
        _ => in_workspace,
    };
    if directory.is_absolute() && directory.join("model.safetensors").is_file() {
        println!("cargo::rustc-env=HEARSAY_BUNDLED_MODEL_DIR={}", directory.display());
    } else {
        println!(
            "cargo::error=the feature `bundled-model` found no model in {}; set HEARSAY_MODEL_DIR to the absolute path \
             of the directory of all-MiniLM-L6-v2 with model.safetensors, which `hearsay model fetch` can fetch, or \
             turn off the feature",
            directory.display()
        );
    }
}
