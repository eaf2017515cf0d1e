//! `hearsay serve`: serves a campaign to other programs and machines, and manages the users and tokens of the server.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::Result;
use hearsay_engine::{MemoryError, Settings};
use hearsay_server::{CertificateFiles, ServeError, ServeOptions, Server, Tokens, UserAccess, Users};
use serde_json::json;

use super::{db::database, mcp::identity};
use crate::{
    args::{self, Campaign, ServeCommand, ServeToken, ServeUser},
    campaign::{self, Access},
    interrupt,
    output::{CliError, FILE_ERROR, NOT_FOUND, Output, USAGE_ERROR},
    texts::EncoderUse,
};

/// Environment variable with the password of a user.
const PASSWORD_VARIABLE: &str = "HEARSAY_STORE_PASSWORD";

/// Exit code if another program has the campaign open.
const IN_USE: u8 = 5;

pub(crate) fn serve(args: &args::Serve, no_sync: bool, output: &mut Output) -> Result<()> {
    let campaign = campaign::named(args.directory.as_ref(), &args.campaign, no_sync)?;
    match &args.command {
        None => run(args, &campaign, output),
        Some(ServeCommand::User(command)) => user(command, &campaign, output),
        Some(ServeCommand::Token(command)) => token(command, &campaign, output),
    }
}

/// Serves a campaign until the user presses Ctrl-C.
fn run(args: &args::Serve, campaign: &Campaign, output: &mut Output) -> Result<()> {
    expect_own_machine(&campaign::settings(&campaign.campaign)?)?;
    let certificate = args.tls_cert.clone().zip(args.tls_key.clone());
    let mut options = ServeOptions::new(&campaign.campaign);
    options.address = args.listen.unwrap_or(options.address);
    options.certificate = certificate.map(|(certificate, key)| CertificateFiles { certificate, key });
    options.allow_unencrypted = args.insecure;
    options.host_names.clone_from(&args.host_name);
    // Imports changed campaign files first.
    campaign::open(campaign, Access::Write, EncoderUse::Disabled, output)?.close()?;
    let server = Server::start(options).map_err(cli_error)?;
    print_address(&server, args.host_name.first(), campaign, output)?;
    output.flush()?;
    let waited = server.wait(interrupt::is_requested);
    let stopped = server.stop();
    waited.and(stopped).map_err(cli_error)?;
    output.line("The server has stopped.")
}

fn print_address(server: &Server, host_name: Option<&String>, campaign: &Campaign, output: &mut Output) -> Result<()> {
    let address = server.address();
    let url = match host_name {
        Some(name) => server.url().replacen(&address.ip().to_string(), name, 1),
        None => server.url(),
    };
    let http = url.replacen("ws", "http", 1);
    output.data(&json!({
        "address": address,
        "endpoint": url,
        "mcp": format!("{http}/mcp"),
        "api": format!("{http}/api"),
    }))?;
    output.line(format!("The server is running at {address}. Press Ctrl-C to stop it."))?;
    output.line("")?;
    if address.ip().is_loopback() {
        output.line("Only programs on this machine can connect. They find the server by themselves.")?;
    } else {
        output.line("Programs on other machines need these lines in hearsay.toml:")?;
        output.line("  [store]")?;
        output.line(format!("  endpoint = \"{url}\""))?;
        output.line(format!(
            "and a user in HEARSAY_STORE_USER and {PASSWORD_VARIABLE}; `{}` adds a user.",
            campaign.command("serve user add NAME")
        ))?;
    }
    output.line("")?;
    output.line(format!("MCP clients:  {http}/mcp/CHARACTER"))?;
    output.line(format!("HTTP clients: {http}/api"))?;
    output.line(format!("Both need a token; `{}` creates a token.", campaign.command("serve token add CHARACTER")))?;
    if host_name.is_none() && address.ip().is_unspecified() {
        output.line("")?;
        output.line(format!("Replace {} in these addresses by the name of this machine.", address.ip()))?;
    } else if host_name.is_none() && server.is_encrypted() {
        output.line("")?;
        output.line(format!("Replace {} in these addresses by the name in the certificate.", address.ip()))?;
    }
    Ok(())
}

fn user(command: &ServeUser, campaign: &Campaign, output: &mut Output) -> Result<()> {
    let directory = own_database(campaign, output)?;
    // The user types the password before the database is locked.
    let password = match command {
        ServeUser::Add(args) => read_password(&args.name)?,
        _ => String::new(),
    };
    let users = Users::open(&directory).map_err(cli_error)?;
    let result = change_users(&users, command, &password, output);
    users.close().map_err(cli_error)?;
    result
}

/// Returns an error if the campaign is in a server on another machine.
fn expect_own_machine(settings: &Settings) -> Result<()> {
    let Some(server) = &settings.store.endpoint else { return Ok(()) };
    let message = format!(
        "the campaign is in the server {server}; run this command in the campaign directory on the machine of the server"
    );
    Err(CliError::new(IN_USE, message).into())
}

/// Returns the directory of a campaign's database. Creates the database if the campaign has none.
fn own_database(campaign: &Campaign, output: &Output) -> Result<PathBuf> {
    let settings = campaign::settings(&campaign.campaign)?;
    expect_own_machine(&settings)?;
    if !campaign.campaign.join(settings.store.directory).is_dir() {
        campaign::open(campaign, Access::Write, EncoderUse::Disabled, output)?.close()?;
    }
    database(&campaign.campaign)
}

fn change_users(users: &Users, command: &ServeUser, password: &str, output: &mut Output) -> Result<()> {
    match command {
        ServeUser::Add(args) => {
            let access = if args.read_only { UserAccess::ReadOnly } else { UserAccess::Full };
            users.set(&args.name, password, access).map_err(cli_error)?;
            output.data(&json!({ "name": args.name, "access": access_name(access) }))?;
            output.line(format!("The user {} can connect ({}).", args.name, access_text(access)))
        }
        ServeUser::Remove { name } => {
            if !users.remove(name).map_err(cli_error)? {
                return Err(unknown("user", name));
            }
            output.data(&json!({ "removed": name }))?;
            output.line(format!("The user {name} is removed."))
        }
        ServeUser::List => {
            let users = users.list().map_err(cli_error)?;
            let row = |(name, access): &(String, UserAccess)| json!({ "name": name, "access": access_name(*access) });
            output.data(&json!({ "users": users.iter().map(row).collect::<Vec<_>>() }))?;
            if users.is_empty() {
                return output.line("There are no users.");
            }
            let rows: Vec<_> = users.into_iter().map(|(name, access)| [name, access_text(access).to_owned()]).collect();
            output.columns(&rows)
        }
    }
}

fn access_name(access: UserAccess) -> &'static str {
    match access {
        UserAccess::Full => "full",
        UserAccess::ReadOnly => "read_only",
    }
}

fn access_text(access: UserAccess) -> &'static str {
    match access {
        UserAccess::Full => "reads and writes",
        UserAccess::ReadOnly => "only reads",
    }
}

fn token(command: &ServeToken, campaign: &Campaign, output: &mut Output) -> Result<()> {
    let directory = own_database(campaign, output)?;
    match command {
        ServeToken::Add(args) => {
            let memory = campaign::open(campaign, Access::Read, EncoderUse::Disabled, output)?;
            let identity = identity(&memory, &args.identity, output)?;
            memory.close()?;
            let mut tokens = Tokens::read(&directory).map_err(cli_error)?;
            let token = tokens.add(args.name.as_deref(), identity.clone()).map_err(cli_error)?;
            let identity = identity.to_string();
            let name = args.name.as_ref().unwrap_or(&identity);
            output.data(&json!({ "name": name, "identity": identity, "token": token }))?;
            output.line(token)?;
            output.note(format!("this token gives the rights of {identity}; save it now, because it is not stored"));
            Ok(())
        }
        ServeToken::Remove { name } => {
            let mut tokens = Tokens::read(&directory).map_err(cli_error)?;
            if !tokens.remove(name).map_err(cli_error)? {
                return Err(unknown("token", name));
            }
            output.data(&json!({ "removed": name }))?;
            output.line(format!("The token {name} is removed."))
        }
        ServeToken::List => {
            let tokens = Tokens::read(&directory).map_err(cli_error)?;
            let rows: Vec<_> =
                tokens.entries().iter().map(|entry| [entry.name.clone(), entry.identity.to_string()]).collect();
            let row = |[name, identity]: &[String; 2]| json!({ "name": name, "identity": identity });
            output.data(&json!({ "tokens": rows.iter().map(row).collect::<Vec<_>>() }))?;
            if rows.is_empty() {
                return output.line("There are no tokens.");
            }
            output.columns(&rows)
        }
    }
}

fn unknown(kind: &str, name: &str) -> anyhow::Error {
    CliError::new(NOT_FOUND, format!("there is no {kind} `{name}`; run `hearsay serve {kind} list`")).into()
}

/// Reads the password of a user from the environment, from the terminal or from standard input.
fn read_password(user: &str) -> Result<String> {
    if let Some(password) = std::env::var(PASSWORD_VARIABLE).ok().filter(|password| !password.is_empty()) {
        return Ok(password);
    }
    let mut line = String::new();
    if io::stdin().is_terminal() {
        let mut screen = io::stderr();
        write!(screen, "Password of {}: ", hearsay_model::escape::line(user))?;
        screen.flush()?;
        let hidden = HiddenInput::start();
        let read = io::stdin().lock().read_line(&mut line);
        drop(hidden);
        writeln!(screen)?;
        read?;
        interrupt::check()?;
    } else {
        io::stdin().lock().read_line(&mut line)?;
    }
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        let message = format!("no password was given; set {PASSWORD_VARIABLE}, or type the password");
        return Err(CliError::new(USAGE_ERROR, message).into());
    }
    Ok(password.to_owned())
}

/// While this value exists, the terminal does not show what the user types. Has no effect without the program `stty`.
struct HiddenInput;

impl HiddenInput {
    fn start() -> Self {
        set_echo("-echo");
        Self
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        set_echo("echo");
    }
}

fn set_echo(mode: &str) {
    if let Err(error) = Command::new("stty").arg(mode).stderr(Stdio::null()).status() {
        tracing::debug!("the terminal shows the password: {error}");
    }
}

/// Converts an error of the server to an error with the right exit code.
fn cli_error(error: ServeError) -> anyhow::Error {
    let code = match error {
        ServeError::Memory(error) => return error.into(),
        ServeError::Store(error) => return MemoryError::Store(error).into(),
        ServeError::ServerRuns { .. } | ServeError::ProgramRuns { .. } => IN_USE,
        ServeError::Unencrypted { .. }
        | ServeError::InvalidName { .. }
        | ServeError::ReservedUser { .. }
        | ServeError::ReservedIdentity { .. }
        | ServeError::ShortPassword
        | ServeError::DuplicateToken { .. } => USAGE_ERROR,
        ServeError::Certificate { .. }
        | ServeError::File { .. }
        | ServeError::InvalidTokens { .. }
        | ServeError::OtherServer { .. } => FILE_ERROR,
        error => return error.into(),
    };
    CliError::new(code, error.to_string()).into()
}
