//! Tests of reading, planning and exporting as a whole. The tests of single modules are next to these modules.

mod again;
mod bad;
mod campaigns;
mod chains;
mod exports;
mod fact_relations;
mod fuzz;
mod hidden_places;
mod hostile;
mod jsonl;
mod linear;
mod markdown_relations;
mod markdown_secrets;
mod mutate;
pub(crate) mod notes;
mod notes_size;
mod reading;
mod real;
mod reimport;
mod reveals;
mod schema;
mod size;
mod vault_edits;

use std::path::Path;

use hearsay_model::{Fact, Operation, State, Timestamp};

use crate::{Campaign, CampaignErrors, ImportReport, Limits, plan, read};

/// The first 9 lines of every small campaign.
const HEAD: &str = "campaign: {name: Test, id: test}
calendar: {name: C, months: [{name: Frost, days: 30}, {name: Rain, days: 28}]}
entities:
  - {id: inn, name: The Inn, kind: location}
  - {id: ann, name: Ann Oak, kind: npc, home: inn}
  - {id: bob, name: Bob Elm, kind: npc, home: none}
  - {id: eve, name: Eve Ash, kind: npc, home: none}
  - {id: guild, name: The Guild, kind: faction}
  - {id: book, name: The Book, kind: document}
";

/// Makes a FIFO. A reader that opens the FIFO blocks until another process writes.
#[cfg(unix)]
pub(crate) fn fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn read_text(yaml: &str) -> Result<Campaign, CampaignErrors> {
    read_bytes(yaml.as_bytes())
}

fn read_bytes(yaml: &[u8]) -> Result<Campaign, CampaignErrors> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("test.yaml"), yaml).unwrap();
    read(folder.path(), &Limits::default())
}

fn read_good(yaml: &str) -> Campaign {
    read_text(yaml).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Imports a campaign. Checks that the operation is valid, and that a second plan is empty.
fn import(state: &mut State, yaml: &str) -> ImportReport {
    let campaign = read_good(yaml);
    let planned = plan(state, &campaign, Timestamp(1));
    if let Some(operation) = planned.operation {
        state.apply(operation).unwrap();
    }
    assert_eq!(plan(state, &campaign, Timestamp(2)).operation, None, "the second plan is empty");
    planned.report
}

fn imported(yaml: &str) -> State {
    let mut state = State::default();
    import(&mut state, yaml);
    state
}

/// Returns the fact with a handle or a statement.
fn fact<'a>(state: &'a State, name: &str) -> &'a Fact {
    let by_handle = state.facts_by_handle(name).next();
    let by_text = || state.facts().find(|fact| fact.statement() == name);
    by_handle.or_else(by_text).unwrap_or_else(|| panic!("no fact {name}"))
}

/// Returns the knowers of a fact with acquisition and final credence, sorted: `ann authored 1`, `bob told by ann 0.5
/// !`. The mark `!` means that the knower conceals the fact. Also returns the tellings of the fact: `ann told bob`,
/// `eve made up to bob`.
fn known(state: &State, name: &str) -> Vec<String> {
    use hearsay_model::Acquisition;
    let edges = state.recorded_knowledge(fact(state, name).id());
    let mut calculator = hearsay_belief::BeliefCalculator::new(state);
    let lines = edges.map(|edge| {
        let when = edge.learned.as_ref().map_or(String::new(), |date| format!(" at {}", date.raw));
        let acquisition = match &edge.acquisition {
            Acquisition::Shared => {
                let verb = if edge.sources.is_empty() { "made up to" } else { "told" };
                let co_present: Vec<_> = edge.co_present.iter().map(|id| id.as_str()).collect();
                return format!("{} {verb} {}{when}", edge.knower, co_present.join(", "));
            }
            Acquisition::Told { by, citing: Some(citing) } => {
                format!("told by {} citing {citing}", by.as_ref().map_or("?", |by| by.as_str()))
            }
            Acquisition::Told { by, .. } => format!("told by {}", by.as_ref().map_or("?", |by| by.as_str())),
            Acquisition::Read { document } => format!("read {}", document.as_ref().map_or("?", |id| id.as_str())),
            Acquisition::Witnessed => "witnessed".into(),
            Acquisition::Authored => "authored".into(),
            Acquisition::Deduced { .. } => "deduced".into(),
        };
        let belief = (calculator.belief(edge.id(), edge) * 1000.0).round() / 1000.0;
        let rank = edge.rank.as_ref().map_or(String::new(), |rank| format!(" from {rank} on"));
        format!("{} {acquisition} {belief}{when}{rank}{}", edge.knower, if edge.conceals { " !" } else { "" })
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

pub(crate) fn apply(state: &mut State, author: hearsay_model::Author, changes: Vec<hearsay_model::Change>) {
    state.apply(Operation::new(author, "edit", changes)).unwrap();
}

pub(crate) fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}
