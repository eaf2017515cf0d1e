//! Shared helpers for tests of readers.

use std::fs;

use hearsay_model::{EntityId, Evidence, Fact, FactStatus, Kind, Secrecy, State, Timestamp};

use crate::{Campaign, Format, Limits, ReadOptions, plan, read_any};

/// Writes files into a folder, and reads the folder. Checks that format detection finds `format`.
pub(crate) fn read(files: &[(&str, impl AsRef<[u8]>)], format: Format) -> Campaign {
    let campaign = read_with(files, &ReadOptions { name: Some("Test".into()), ..ReadOptions::default() });
    assert_eq!(campaign.findings.format, Some(format), "the format is found by looking at the files");
    // Every result can be imported, and a second import changes nothing.
    let mut state = State::default();
    if let Some(operation) = plan(&state, &campaign, Timestamp(1)).operation {
        state.apply(operation).unwrap();
    }
    assert_eq!(plan(&state, &campaign, Timestamp(2)).operation, None, "the second plan is empty");
    campaign
}

pub(crate) fn read_with(files: &[(&str, impl AsRef<[u8]>)], options: &ReadOptions) -> Campaign {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    read_any(folder.path(), options, &Limits::default()).unwrap_or_else(|errors| panic!("{errors}"))
}

pub(crate) fn kind(campaign: &Campaign, id: &str) -> Option<Kind> {
    campaign.entities().get(&EntityId::new(id).unwrap()).cloned()
}

/// Returns the relations as `subject PREDICATE object`, sorted, with `?` if proposed and `!` if secret.
pub(crate) fn relations(campaign: &Campaign) -> Vec<String> {
    let format_relation = |fact: &Fact| {
        let proposed = if fact.status() == FactStatus::Proposed { "?" } else { "" };
        let secret = if fact.secrecy() == Secrecy::Secret { "!" } else { "" };
        Some(format!("{} {} {}{proposed}{secret}", fact.subject(), fact.predicate(), fact.object().entity()?))
    };
    let mut relations: Vec<String> = campaign.facts().filter_map(|fact| format_relation(fact)).collect();
    relations.sort();
    relations
}

/// Returns the values of an attribute, with `!` if secret.
pub(crate) fn values(campaign: &Campaign, id: &str, name: &str) -> Vec<String> {
    let matching_facts = campaign.facts().filter(|fact| fact.subject().as_str() == id && *fact.predicate() == *name);
    let secret = |fact: &Fact| if fact.secrecy() == Secrecy::Secret { "!" } else { "" };
    matching_facts.map(|fact| format!("{}{}", fact.object(), secret(fact))).collect()
}

/// Returns the texts with their titles, sorted.
pub(crate) fn texts(campaign: &Campaign) -> Vec<String> {
    let texts = campaign.passages().map(|passage| {
        let title = passage.title.as_deref().unwrap_or_default();
        format!("{title}| {}", passage.text)
    });
    let mut texts: Vec<String> = texts.collect();
    texts.sort();
    texts
}

/// Returns the quotes of evidence. Every knower of the fact or the text can see them.
fn quoted(evidence: &[Evidence]) -> String {
    let quotes = evidence.iter().filter_map(|evidence| match evidence {
        Evidence::Excerpt(excerpt) => Some(&*excerpt.quote),
        _ => None,
    });
    quotes.collect::<Vec<_>>().join(" ")
}

/// Returns the knowledge of all knowers after the import. For each knower: the words of the known texts, with their
/// ids, titles and quotes.
pub(crate) fn known(campaign: &Campaign) -> Vec<(String, String)> {
    let mut state = State::default();
    if let Some(operation) = plan(&state, campaign, Timestamp(1)).operation {
        state.apply(operation).unwrap();
    }
    let mut known = Vec::new();
    for (_, passage) in state.passages() {
        let mentions: Vec<&str> = passage.mentions.iter().map(EntityId::as_str).collect();
        let title = passage.title.clone().unwrap_or_default();
        let words = format!("{title} {} {} {}", passage.text, mentions.join(" "), quoted(&passage.evidence));
        known.extend(passage.heard_by.iter().map(|knower| (knower.to_string(), words.to_lowercase())));
    }
    for fact in state.facts() {
        let quoted = quoted(&fact.provenance().evidence);
        let words = format!("{} {} {} {} {quoted}", fact.subject(), fact.predicate(), fact.object(), fact.statement());
        let edges = state.recorded_knowledge(fact.id());
        known.extend(edges.map(|edge| (edge.knower.to_string(), words.to_lowercase())));
    }
    known.sort();
    known
}

/// The numbered secrets in the fixtures of the readers. A fixture contains the first secrets of this list.
const NUMBERED_SECRETS: [&str; 15] = [
    "hush one",
    "hush two",
    "hush three",
    "hush four",
    "hush five",
    "hush six",
    "hush seven",
    "hush eight",
    "hush nine",
    "hush ten",
    "hush eleven",
    "hush twelve",
    "hush thirteen",
    "hush fourteen",
    "hush fifteen",
];

/// Returns the first numbered secrets, and then the other secrets of a fixture.
pub(crate) fn numbered_secrets(count: usize, others: &[&'static str]) -> Vec<&'static str> {
    [&NUMBERED_SECRETS[..count], others].concat()
}

/// Checks that the secrets of a fixture were read, and that only the named holders know them. Every secret contains the
/// word `hush`, also in its names and ids.
#[track_caller]
pub(crate) fn assert_hushed(campaign: &Campaign, secrets: &[&str], holders: &[&str]) {
    for (knower, words) in known(campaign) {
        assert!(!words.contains("hush") || holders.contains(&knower.as_str()), "{knower} knows: {words}");
    }
    let facts = campaign.facts().map(|fact| format!("{} {} {}", fact.statement(), fact.subject(), fact.object()));
    let passages = campaign.passages().map(|passage| format!("{:?} {}", passage.title, passage.text));
    let all = facts.chain(passages).collect::<Vec<_>>().join("\n").to_lowercase();
    for secret in secrets {
        assert!(all.contains(&secret.to_lowercase()), "`{secret}` is lost");
    }
}

/// Returns the reasons for skipped files: `path: why`, each truncated.
pub(crate) fn skipped(campaign: &Campaign) -> Vec<String> {
    campaign.findings.skipped.iter().map(|skipped| format!("{}: {}", skipped.path, skipped.reason)).collect()
}
