//! A game, a console, commands and a client of the MCP server use one campaign at the same time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::{
    fs,
    io::{BufRead, BufReader, Lines, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use bevy::ecs::entity::Entity;
use bevy_hearsay::{
    prelude::{Attributes, EntityMemoryCommands as _, HearsayPlugins, MemoryId},
    testing::SteppingApp,
};
use serde_json::{Value, json};

const CAMPAIGN: &str = r#"
campaign: {name: The Mill, start: "2 Springmonth 10, 19:00"}
calendar: {name: Count, months: [{name: Springmonth, days: 40}, {name: Snowmonth, days: 40}]}
entities:
  - {id: the-mill, name: The Mill, kind: location}
  - {id: ada, name: Ada Flint, kind: npc, home: the-mill}
  - {id: ben, name: Ben, kind: npc, home: the-mill}
  - {id: lyra, name: Lyra Fenn, kind: player, home: the-mill}
"#;

/// Maximum time until a program has a change of another program. A busy machine can be slow.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The program `hearsay` and a campaign directory.
struct Campaign {
    program: PathBuf,
    directory: tempfile::TempDir,
}

impl Campaign {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("mill.yaml"), CAMPAIGN).unwrap();
        let settings = "[model]\nenabled = false\n[extraction]\nenabled = false\n";
        fs::write(directory.path().join("hearsay.toml"), settings).unwrap();
        Self { program: find_program(), directory }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn command(&self, line: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("-C").arg(self.path()).args(line).env_remove("RUST_LOG").stdin(Stdio::null());
        command
    }

    /// Returns the output of a command that succeeds.
    fn run(&self, line: &[&str]) -> String {
        let output = self.command(line).output().unwrap();
        assert!(output.status.success(), "{line:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Opens the campaign in a Bevy app, as a game and the DM console do.
    fn open_in_app(&self) -> SteppingApp {
        let mut plugins = HearsayPlugins::empty();
        plugins.memory.campaign = Some(self.path().to_owned());
        plugins.memory.save = Some(self.path().join(".hearsay"));
        plugins.memory.share = true;
        SteppingApp::new(plugins)
    }
}

/// Returns the path of the program `hearsay`, which a test of the whole workspace also builds. Cargo gives a test only the
/// programs of its own package.
fn find_program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let directory = test.parent().and_then(Path::parent).unwrap();
    let program = directory.join("hearsay").with_extension(std::env::consts::EXE_EXTENSION);
    assert!(program.is_file(), "{} is missing; run `cargo build -p hearsay_cli` first", program.display());
    program
}

/// A client of `hearsay mcp`.
struct McpClient {
    server: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    requests: usize,
}

impl McpClient {
    fn start(campaign: &Campaign, identity: &str) -> Self {
        let mut command = campaign.command(&["mcp", "--as", identity]);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        let mut client = Self { server, input, lines: BufReader::new(output).lines(), requests: 0 };
        client.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params}));
        loop {
            let message: Value = serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap();
            if message["id"] == self.requests {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].clone();
            }
        }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_ne!(result["isError"], true, "{result}");
        result.to_string()
    }

    /// Closes standard input, which ends the server.
    fn end(self) {
        let Self { mut server, input, lines, .. } = self;
        drop(input);
        lines.for_each(drop);
        assert!(server.wait().unwrap().success());
    }
}

fn entity(app: &mut SteppingApp, id: &str) -> Option<Entity> {
    let mut ids = app.world_mut().query::<(Entity, &MemoryId)>();
    ids.iter(app.world()).find(|(_, at)| at.as_str() == id).map(|(entity, _)| entity)
}

fn attribute(app: &mut SteppingApp, id: &str, name: &str) -> Option<String> {
    let entity = entity(app, id)?;
    Some(app.world().get::<Attributes>(entity)?.get(name)?.to_string())
}

/// Runs all apps until a condition holds for each of them.
fn run_until(apps: &mut [SteppingApp], condition: impl Fn(&mut SteppingApp) -> bool) {
    let started = Instant::now();
    while !apps.iter_mut().all(&condition) {
        assert!(started.elapsed() < TIMEOUT, "the condition never holds");
        apps.iter_mut().for_each(|app| app.step());
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_game_a_console_commands_and_a_client_see_the_changes_of_each_other() {
    let campaign = Campaign::new();
    campaign.run(&["session", "start", "--title", "The stone", "--at", "the-mill"]);
    let log = || campaign.run(&["session", "show", "1", "--log"]);
    let mut apps = [campaign.open_in_app(), campaign.open_in_app()];
    run_until(&mut apps, |app| entity(app, "ben").is_some());
    let mut ada = McpClient::start(&campaign, "ada");
    // A command changes an entity. The game and the console show the change.
    campaign.run(&["entity", "set", "ben", "mood", "gloomy"]);
    run_until(&mut apps, |app| attribute(app, "ben", "mood").as_deref() == Some("gloomy"));
    // A character of the game speaks. The client hears it, and a command shows it.
    let ben = entity(&mut apps[0], "ben").unwrap();
    apps[0].world_mut().commands().entity(ben).say("The cart is broken.");
    apps[0].settle();
    let heard = ada.call("recall", json!({"question": "What did Ben say about the cart?"}));
    assert!(heard.contains("The cart is broken."), "{heard}");
    assert!(log().contains("The cart is broken."));
    // The client speaks, and the console changes an entity. Everyone else has both changes.
    ada.call("say", json!({"text": "Then we shall walk."}));
    let ben = entity(&mut apps[1], "ben").unwrap();
    apps[1].world_mut().commands().entity(ben).set_attribute("occupation", "walker");
    run_until(&mut apps, |app| attribute(app, "ben", "occupation").as_deref() == Some("walker"));
    assert!(log().contains("Then we shall walk."));
    assert!(campaign.run(&["entity", "show", "ben"]).contains("walker"));
    for app in &mut apps {
        assert_eq!(app.take_errors(), [""; 0]);
    }
    ada.end();
}
