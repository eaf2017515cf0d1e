//! Tests of the program as a user sees it: output, error output and exit codes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

mod asking;
mod database;
mod events;
mod files;
mod hostile;
mod lists;
mod reviewing;
mod sessions;
mod sync;
mod terminal;
mod writing;

const HEARSAY: &str = env!("CARGO_BIN_EXE_hearsay");

const CAMPAIGN: &str = r#"
campaign: {name: The Mill, start: "2 Springmonth 10, 19:00"}
calendar: {name: Count, months: [{name: Springmonth, days: 40}, {name: Snowmonth, days: 40}]}
entities:
  - {id: the-mill, name: The Mill, kind: location, description: A mill that does not turn.}
  - id: ada
    name: Ada Flint
    kind: npc
    aliases: [Old Ada]
    home: the-mill
    attributes: {occupation: miller}
    relationships: [{type: LIKES, target: ben}]
    secrets:
      - {id: stone-is-cracked, text: "The millstone is cracked.", about: [the-mill]}
  - {id: ben, name: Ben, kind: npc, home: the-mill, attributes: {occupation: carter}}
  - {id: sam-a, name: Sam, kind: npc, home: none}
  - {id: sam-b, name: Sam, kind: npc, home: none}
"#;

/// A temporary directory, with the campaign above or with other files.
struct Place {
    directory: TempDir,
}

struct Told {
    code: i32,
    out: String,
    err: String,
}

impl Place {
    fn new() -> Self {
        let place = Self { directory: tempfile::tempdir().unwrap() };
        place.write("mill/campaign.yaml", CAMPAIGN);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn command(&self, line: &[&str]) -> Command {
        let mut command = Command::new(HEARSAY);
        command.current_dir(self.directory.path()).args(line).stdin(Stdio::null());
        command.env("HEARSAY_MODEL_DIR", model()).env_remove("RUST_LOG").env_remove("HEARSAY_CAMPAIGN");
        command
    }

    fn run(&self, line: &[&str]) -> Told {
        told(self.command(line).output().unwrap())
    }

    /// Returns the output of a command that succeeds.
    fn ok(&self, line: &[&str]) -> String {
        let told = self.run(line);
        assert_eq!(told.code, 0, "{line:?}: {}{}", told.out, told.err);
        told.out
    }

    /// Returns the data that a command prints with `--json`.
    fn json(&self, line: &[&str]) -> Value {
        let out = self.ok(&[line, &["--json"]].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{line:?}: {error}: {out}"))
    }

    /// Runs a command twice, with text output and with `--json`. Checks that both errors contain these texts.
    fn fails(&self, line: &[&str], code: i32, parts: &[&str]) {
        let told = self.run(line);
        assert_eq!((told.code, told.out.as_str()), (code, ""), "{line:?}: {}", told.err);
        for part in parts {
            assert!(told.err.contains(part), "{line:?}: {part} in {}", told.err);
        }
        let told = self.run(&[line, &["--json", "--quiet"]].concat());
        let data: Value = serde_json::from_str(&told.err).unwrap_or_else(|error| panic!("{error}: {}", told.err));
        assert_eq!((told.code, data["exit_code"].as_i64()), (code, Some(code.into())), "{line:?}");
        for part in parts {
            assert!(data["error"].as_str().unwrap().contains(part), "{line:?}: {part} in {data}");
        }
    }
}

fn told(output: Output) -> Told {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Told { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn model() -> PathBuf {
    repository().join("assets/models/all-MiniLM-L6-v2")
}
