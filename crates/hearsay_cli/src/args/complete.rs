//! Shell completion of names.
//!
//! Reads the names from the snapshot of the campaign's database, so it takes no lock and writes nothing. Proposes no
//! names if there is no snapshot, or if reading the snapshot takes too long.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
    sync::mpsc,
    time::Duration,
};

use clap_complete::CompletionCandidate;
use hearsay_engine::{Settings, find_campaign_directory};
use hearsay_model::{State, escape};
use hearsay_query::{named_view::NamedView, resolve::resolve};

/// Maximum size of a snapshot that is read, in bytes (32 MiB).
const MAX_SNAPSHOT_BYTES: u64 = 32 << 20;

/// Maximum time that a completion takes.
const MAX_WAIT: Duration = Duration::from_millis(1_500);

/// Maximum number of names that completion proposes.
const MAX_PROPOSALS: usize = 200;

/// Maximum length of the description of a proposed name, in characters.
const MAX_HELP_CHARS: usize = 60;

pub(super) fn entities(typed: &OsStr) -> Vec<CompletionCandidate> {
    propose(typed, |state, typed| find_entities(state, None, typed))
}

/// Proposes the entities that the knower on the command line knows; all entities if there is no knower.
pub(super) fn known_entities(typed: &OsStr) -> Vec<CompletionCandidate> {
    propose(typed, |state, typed| find_entities(state, own_view(state).as_ref(), typed))
}

/// Finds the entities whose id or name begins with the typed text, in a view or in the whole campaign.
fn find_entities(state: &State, own: Option<&NamedView>, typed: &str) -> Vec<(String, String)> {
    let prefix = typed.to_lowercase();
    let mut proposals = Vec::new();
    for entity in state.entities().filter(|entity| own.is_none_or(|own| own.knows_entity(&entity.id))) {
        let name = own.map_or_else(|| state.name(&entity.id), |own| own.names().name(&entity.id));
        let (id, name) = (entity.id.as_str(), name.unwrap_or_default());
        let mut words = name.split_whitespace().map(str::to_lowercase);
        if id.starts_with(&prefix) || (!prefix.is_empty() && words.any(|word| word.starts_with(&prefix))) {
            proposals.push((id.to_owned(), name.to_owned()));
        }
    }
    // Ids that begin with the typed text come first. If there are any, shells ignore the other proposals.
    let (mut by_id, by_name): (Vec<_>, Vec<_>) = proposals.into_iter().partition(|(id, _)| id.starts_with(&prefix));
    if by_id.is_empty() {
        by_id = by_name;
    }
    by_id
}

pub(super) fn facts(typed: &OsStr) -> Vec<CompletionCandidate> {
    propose(typed, |state, typed| find_facts(state, None, typed))
}

/// Finds the facts whose handle or id begins with the typed text, in a view or in the whole campaign.
fn find_facts(state: &State, own: Option<&NamedView>, typed: &str) -> Vec<(String, String)> {
    let mut proposals = Vec::new();
    for fact in state.facts().filter(|fact| own.is_none_or(|own| own.view().fact(fact.id()).is_some())) {
        let id = fact.id().short();
        match fact.handle() {
            Some(handle) if handle.starts_with(typed) => {
                proposals.push((handle.to_owned(), fact.statement().to_owned()));
            }
            // Proposes the short id of a fact only if it begins with the typed text, because every fact has a short id.
            _ if !typed.is_empty() && id.starts_with(typed) => proposals.push((id, fact.statement().to_owned())),
            _ => {}
        }
    }
    proposals
}

/// Proposes the entities and facts that the knower on the command line knows; all of them if there is no knower.
pub(super) fn known_entities_and_facts(typed: &OsStr) -> Vec<CompletionCandidate> {
    propose(typed, |state, typed| {
        let own = own_view(state);
        let mut proposals = find_entities(state, own.as_ref(), typed);
        proposals.extend(find_facts(state, own.as_ref(), typed));
        proposals
    })
}

/// Returns the view of the knower on the command line; `None` if there is no knower.
fn own_view(state: &State) -> Option<NamedView> {
    let knower = resolve(state, &knower_argument(std::env::args())?).ok()?;
    Some(NamedView::new(state, &knower, None))
}

/// Returns the knower on a command line that may be incomplete: the value of `--as`, or the character of `know knows` or
/// `know believes`.
fn knower_argument(line: impl Iterator<Item = String>) -> Option<String> {
    let line: Vec<String> = line.collect();
    let inline = line.iter().find_map(|word| word.strip_prefix("--as=").map(str::to_owned));
    let follows = |words: &[String]| match words {
        [option, value] if option == "--as" => Some(value.clone()),
        [command, value] if ["knows", "believes"].contains(&command.as_str()) => Some(value.clone()),
        _ => None,
    };
    inline.or_else(|| line.windows(2).find_map(follows)).filter(|value| !value.starts_with('-'))
}

pub(super) fn sessions(typed: &OsStr) -> Vec<CompletionCandidate> {
    propose(typed, |state, typed| {
        let sessions = state.sessions().map(|session| (session.id.to_string(), session.title.clone()));
        sessions.filter(|(id, _)| id.starts_with(typed)).collect()
    })
}

pub(super) fn predicates(typed: &OsStr) -> Vec<CompletionCandidate> {
    propose(typed, |state, typed| {
        let vocabulary = state.vocabulary();
        let relations = vocabulary.predicates().map(|def| def.name.to_string());
        let names = relations.chain(vocabulary.attributes().map(|def| def.name.to_string()));
        let prefix = typed.to_lowercase();
        names.filter(|name| name.to_lowercase().starts_with(&prefix)).map(|name| (name, String::new())).collect()
    })
}

pub(super) fn flags(typed: &OsStr) -> Vec<CompletionCandidate> {
    propose(typed, |state, typed| {
        let flags = state.flags().map(|(name, value)| (name.to_owned(), value.to_string()));
        flags.filter(|(name, _)| name.starts_with(typed)).collect()
    })
}

/// Returns the names that `find` proposes for the typed text, with their descriptions. `find` searches the state of the
/// campaign on the command line.
fn propose(
    typed: &OsStr,
    find: impl FnOnce(&State, &str) -> Vec<(String, String)> + Send + 'static,
) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str().map(str::to_owned) else { return Vec::new() };
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let proposals = read_state().map(|state| find(&state, &typed)).unwrap_or_default();
        let _ = sender.send(proposals);
    });
    let mut proposals = receiver.recv_timeout(MAX_WAIT).unwrap_or_default();
    proposals.sort();
    proposals.dedup();
    proposals.truncate(MAX_PROPOSALS);
    let candidate = |(text, help): (String, String)| {
        let help: String = escape::line(&help).chars().take(MAX_HELP_CHARS).collect();
        CompletionCandidate::new(text).help((!help.is_empty()).then(|| help.into()))
    };
    proposals.into_iter().map(candidate).collect()
}

fn read_state() -> Option<State> {
    let directory = find_campaign_directory(campaign_option(std::env::args_os()))?;
    let settings = Settings::read(&directory).ok()?;
    hearsay_store::read_snapshot(&directory.join(settings.store.directory), MAX_SNAPSHOT_BYTES)
}

/// Returns the value of `-C` on a command line that may be incomplete.
fn campaign_option(line: impl Iterator<Item = OsString>) -> Option<PathBuf> {
    let (mut directory, mut is_next) = (None, false);
    for word in line {
        if std::mem::take(&mut is_next) {
            directory = Some(PathBuf::from(word));
            continue;
        }
        let Some(word) = word.to_str() else { continue };
        is_next = matches!(word, "-C" | "--campaign");
        let inline = word.strip_prefix("--campaign=").or_else(|| word.strip_prefix("-C"));
        if let Some(path) = inline.filter(|path| !path.is_empty()) {
            directory = Some(PathBuf::from(path));
        }
    }
    directory
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_campaign_of_an_incomplete_line_is_found() {
        let option_of = |line: &str| campaign_option(line.split(' ').map(OsString::from));
        for line in ["hearsay -C mill ask --as", "hearsay ask -Cmill --as", "hearsay ask --campaign=mill --as a"] {
            assert_eq!(option_of(line), Some(PathBuf::from("mill")), "{line}");
        }
        assert_eq!(option_of("hearsay ask --as"), None);
    }

    #[test]
    fn the_knower_of_an_incomplete_line_is_found() {
        let knower_of = |line: &str| knower_argument(line.split(' ').map(str::to_owned));
        for line in ["hearsay ask --as pell --with", "hearsay ask --as=pell --at", "hearsay know knows pell --about"] {
            assert_eq!(knower_of(line).as_deref(), Some("pell"), "{line}");
        }
        assert_eq!(knower_of("hearsay know knows --players"), None);
        assert_eq!(knower_of("hearsay entity show"), None);
    }
}
