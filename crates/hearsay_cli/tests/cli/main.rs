//! Tests of the program as a user sees it: output, error output and exit codes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::too_many_lines)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

mod asking;
mod confessions;
mod creating;
mod database;
mod events;
mod files;
mod handbooks;
mod hostile;
mod knowers;
mod line_corrections;
mod lists;
mod live_transcripts;
mod models;
mod papers;
mod presence;
mod reviewing;
#[cfg(feature = "serve")]
mod serve;
mod sessions;
mod sharing;
mod speech;
mod sync;
mod table_talk;
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

/// A campaign with a secret that the lock-keeper tells only to a listener whom she trusts.
const LOCK: &str = r#"
campaign: {name: The Lock, start: 1 Month1 1}
entities:
  - {id: heron, name: The Crooked Heron, kind: location}
  - {id: merrow, name: The Merrow, kind: item}
  - {id: tamsin, name: Tamsin Holloway, kind: player, location: heron}
  - {id: ysolde, name: Ysolde Marr, kind: player, location: heron}
  - id: lotti
    name: Lotti Ames
    kind: npc
    home: heron
    attributes: {occupation: lock-keeper}
    secrets:
      - id: lotti-opened
        text: "Lotti Ames opened the sluice gate on the night the Merrow sank."
        about: [merrow]
        reveal: {holder: lotti, when: {trust: {of: listener, at_least: 0.8}}}
"#;

/// A temporary directory, with the campaign [`CAMPAIGN`] or with other files.
struct TestDir {
    directory: TempDir,
}

struct CommandOutput {
    code: i32,
    stdout: String,
    stderr: String,
}

/// A secret that Ada keeps.
const SECRET: &str = r#"
facts:
  - id: ada-hid-silver
    subject: ada
    text: Ada Flint hid the tax silver under the millstone of The Mill.
    about: [the-mill]
    secret: true
"#;

impl TestDir {
    fn new() -> Self {
        let test_dir = Self { directory: tempfile::tempdir().unwrap() };
        test_dir.write("mill/campaign.yaml", CAMPAIGN);
        test_dir
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
        command.env_remove("HEARSAY_MODEL_MIRROR");
        command
    }

    fn run(&self, line: &[&str]) -> CommandOutput {
        decode_output(self.command(line).output().unwrap())
    }

    /// Returns the output of a command that succeeds.
    fn ok(&self, line: &[&str]) -> String {
        let output = self.run(line);
        assert_eq!(output.code, 0, "{line:?}: {}{}", output.stdout, output.stderr);
        output.stdout
    }

    /// Returns the data that a command prints with `--json`.
    fn json(&self, line: &[&str]) -> Value {
        let stdout = self.ok(&[line, &["--json"]].concat());
        serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{line:?}: {error}: {stdout}"))
    }

    /// Runs a command twice, with text output and with `--json`. Checks that both errors contain these texts.
    fn fails(&self, line: &[&str], code: i32, parts: &[&str]) {
        let output = self.run(line);
        assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{line:?}: {}", output.stderr);
        for part in parts {
            assert!(output.stderr.contains(part), "{line:?}: {part} in {}", output.stderr);
        }
        let output = self.run(&[line, &["--json", "--quiet"]].concat());
        let data: Value =
            serde_json::from_str(&output.stderr).unwrap_or_else(|error| panic!("{error}: {}", output.stderr));
        assert_eq!((output.code, data["exit_code"].as_i64()), (code, Some(code.into())), "{line:?}");
        for part in parts {
            assert!(data["error"].as_str().unwrap().contains(part), "{line:?}: {part} in {data}");
        }
    }
}

fn decode_output(output: Output) -> CommandOutput {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    CommandOutput { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn model() -> PathBuf {
    repository().join("assets/models/all-MiniLM-L6-v2")
}
