//! Lines of facts that are changed and removed in an exported vault, which is imported into the same campaign.

use std::{fs, path::PathBuf, sync::Arc};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, FactStatus, KnowledgeEdge, Method, Object, Provenance, Secrecy, State,
    Timestamp, attribute,
};

use super::{HEAD, apply, fact, imported, known};
use crate::{EarlierImports, ImportReport, Limits, Overwrite, ReadOptions, export_vault, plan, read_any};

const FACTS: &str = "facts:
  - {id: limp, subject: ann, text: Ann limps.}
  - {id: sings, subject: bob, text: Bob sings., secret: true, known_by: [eve]}
  - {id: debt, subject: ann, type: OWES, target: bob, text: Ann owes Bob a goat.}
";

/// A campaign and its exported vault.
struct Vault {
    state: State,
    folder: tempfile::TempDir,
}

impl Vault {
    fn new(facts: &str) -> Self {
        let state = imported(&format!("{HEAD}{facts}"));
        let folder = tempfile::tempdir().unwrap();
        export_vault(&state, folder.path(), Overwrite::Unedited).unwrap();
        Self { state, folder }
    }

    fn note(&self, name: &str) -> PathBuf {
        self.folder.path().join("People").join(format!("{name}.md"))
    }

    /// Changes each line of a note.
    fn edit(&self, note: &str, change: impl Fn(&str) -> Option<String>) {
        let path = self.note(note);
        let text = fs::read_to_string(&path).unwrap();
        let lines: String = text.lines().filter_map(change).map(|line| line + "\n").collect();
        assert_ne!(text, lines);
        fs::write(path, lines).unwrap();
    }

    fn replace(&self, note: &str, old: &str, new: &str) {
        self.edit(note, |line| Some(line.replace(old, new)));
    }

    /// Imports the vault. Checks that a second import changes nothing.
    fn import(&mut self) -> ImportReport {
        let planned = self.plan(1);
        if let Some(operation) = planned.operation {
            self.state.apply(operation).unwrap();
        }
        assert_eq!(self.plan(2).operation, None, "the second import is empty");
        planned.report
    }

    fn plan(&self, now: i64) -> crate::ImportPlan {
        let options = ReadOptions { earlier: EarlierImports::from_state(&self.state), ..ReadOptions::default() };
        let campaign = read_any(self.folder.path(), &options, &Limits::default()).unwrap_or_else(|e| panic!("{e}"));
        plan(&self.state, &campaign, Timestamp(now))
    }
}

fn changes(report: &ImportReport) -> Vec<(&str, &str)> {
    let changed = report.changed_facts.iter();
    changed.map(|changed| (changed.old_statement.as_str(), changed.new_statement.as_str())).collect()
}

fn removed(report: &ImportReport) -> Vec<&str> {
    report.removed_facts.iter().map(|removed| removed.statement.as_str()).collect()
}

#[test]
fn an_unchanged_vault_changes_nothing() {
    let mut vault = Vault::new(FACTS);
    let text = fs::read_to_string(vault.note("Ann Oak")).unwrap();
    let reference = format!("Ann limps. ^fact-{}", fact(&vault.state, "limp").id().short());
    assert!(text.contains(&reference), "{text}");
    let before = vault.state.facts().count();
    let report = vault.import();
    assert_eq!((report.fact_count(), report.changed, report.removed, report.passages), (0, 0, 0, 0), "{report}");
    assert_eq!((report.knowledge, vault.state.facts().count()), (0, before));
}

#[test]
fn a_changed_line_of_a_secret_is_a_changed_fact_with_the_same_audience() {
    let mut vault = Vault::new(FACTS);
    let (old, audience) = (fact(&vault.state, "sings").id(), known(&vault.state, "sings"));
    assert!(!audience.is_empty());
    vault.replace("Bob Elm", "Bob sings.", "Bob sings badly.");
    let report = vault.import();
    assert_eq!(changes(&report), [("Bob sings.", "Bob sings badly.")]);
    assert!(report.to_string().contains("changed: Bob sings. \u{2192} Bob sings badly.\n"), "{report}");
    assert_eq!((report.fact_count(), report.changed, report.removed, report.passages), (0, 1, 0, 0), "{report}");
    let new = fact(&vault.state, "sings");
    assert_eq!((new.statement(), new.secrecy()), ("Bob sings badly.", Secrecy::Secret));
    assert_eq!(new.object().text(), Some("Bob sings badly."), "the value changes with the sentence");
    assert_eq!(known(&vault.state, "sings"), audience);
    assert!(vault.state.fact(old).is_none());
    // The line is changed once more.
    vault.replace("Bob Elm", "Bob sings badly.", "Bob sings well.");
    assert_eq!(changes(&vault.import()), [("Bob sings badly.", "Bob sings well.")]);
    assert_eq!(known(&vault.state, "sings"), audience);
    vault.edit("Bob Elm", |line| (!line.contains("Bob sings well.")).then(|| line.to_owned()));
    assert_eq!(removed(&vault.import()), ["Bob sings well."]);
}

#[test]
fn knowledge_from_play_after_the_export_stays() {
    let mut vault = Vault::new(FACTS);
    let ann = EntityId::new("ann").unwrap();
    let edge = KnowledgeEdge::authored(ann.into(), fact(&vault.state, "sings").id());
    apply(&mut vault.state, Author::Game, vec![Change::Learn(Arc::new(edge))]);
    let audience = known(&vault.state, "sings");
    vault.replace("Bob Elm", "Bob sings.", "Bob sings badly.");
    vault.import();
    assert_eq!(known(&vault.state, "sings"), audience);
}

#[test]
fn a_changed_relation_keeps_or_changes_its_object() {
    let mut vault = Vault::new(FACTS);
    vault.replace("Ann Oak", "Ann owes Bob a goat.", "Ann owes Bob two goats.");
    assert_eq!(changes(&vault.import()), [("Ann owes Bob a goat.", "Ann owes Bob two goats.")]);
    let object = |id: &str| Object::Entity(EntityId::new(id).unwrap());
    assert_eq!(*fact(&vault.state, "debt").object(), object("bob"));
    vault.replace("Ann Oak", "owes:: [[People/Bob Elm|Bob Elm]]", "owes:: [[People/Eve Ash|Eve Ash]]");
    vault.replace("Ann Oak", "Ann owes Bob two goats.", "Ann owes Eve two goats.");
    vault.import();
    assert_eq!(*fact(&vault.state, "debt").object(), object("eve"));
}

#[test]
fn the_status_in_a_line_is_the_status_of_the_fact() {
    let mut vault = Vault::new(FACTS);
    let id = fact(&vault.state, "limp").id();
    vault.replace("Ann Oak", "Ann limps.", "Ann limps. *(claimed)*");
    let report = vault.import();
    assert_eq!((report.changed, report.removed, report.fact_count()), (1, 0, 0), "{report}");
    assert_eq!(vault.state.fact(id).unwrap().status(), FactStatus::Claimed);
}

#[test]
fn a_removed_line_withdraws_its_fact() {
    let mut vault = Vault::new(FACTS);
    let id = fact(&vault.state, "limp").id();
    vault.edit("Ann Oak", |line| (!line.contains("Ann limps.")).then(|| line.to_owned()));
    let report = vault.import();
    assert_eq!((removed(&report), report.removed), (vec!["Ann limps."], 1));
    assert!(report.to_string().contains("removed: Ann limps.\n"), "{report}");
    assert!(vault.state.fact(id).is_none());
}

#[test]
fn a_fact_that_the_campaign_changed_after_the_export_stays() {
    let mut vault = Vault::new(FACTS);
    let ids = ["limp", "sings"].map(|name| fact(&vault.state, name).id());
    let status = FactStatus::Claimed;
    apply(&mut vault.state, Author::Dm, ids.map(|fact| Change::SetStatus { fact, status }).to_vec());
    vault.replace("Ann Oak", "Ann limps.", "Ann runs.");
    vault.edit("Bob Elm", |line| (!line.contains("Bob sings.")).then(|| line.to_owned()));
    let report = vault.import();
    assert_eq!((changes(&report), removed(&report)), (Vec::new(), Vec::new()));
    assert!(ids.iter().all(|id| vault.state.fact(*id).is_some()));
    assert_eq!(fact(&vault.state, "Ann runs.").status(), FactStatus::Proposed);
    assert_eq!(report.conflicts.len(), 1, "{report}");
    assert!(report.unapplied_changes.iter().any(|kept| kept.description == "Bob sings."), "{report}");
}

#[test]
fn a_line_without_its_reference_is_matched_only_if_it_is_clear() {
    let without_reference = |line: &str| Some(line.split(" ^fact-").next().unwrap().to_owned());
    let mut vault = Vault::new(FACTS);
    let before = vault.state.facts().count();
    vault.edit("Ann Oak", without_reference);
    let report = vault.import();
    assert_eq!((report.changed, report.removed, vault.state.facts().count()), (0, 0, before), "{report}");
    vault.replace("Ann Oak", "Ann limps.", "Ann limps a lot.");
    assert_eq!(changes(&vault.import()), [("Ann limps.", "Ann limps a lot.")]);

    let twins = "facts:
  - {subject: ann, text: Ann fears the old mill.}
  - {subject: ann, text: Ann fears the old well.}
";
    let mut vault = Vault::new(twins);
    vault.edit("Ann Oak", without_reference);
    vault.replace("Ann Oak", "Ann fears the old well.", "Ann fears the old hall.");
    vault.replace("Ann Oak", "Ann fears the old mill.", "Ann fears the old hill.");
    let report = vault.import();
    assert_eq!((changes(&report).len(), removed(&report).len()), (0, 2), "{report}");
    assert!(report.warnings.iter().any(|warning| warning.message.contains("unclear")), "{report}");
}

#[test]
fn a_value_that_the_new_sentence_does_not_show_stays_and_is_reported() {
    let facts = "facts:\n  - {id: age, subject: ann, type: age, value: 58, text: Ann's age is 58.}\n";
    let mut vault = Vault::new(facts);
    vault.replace("Ann Oak", "age is 58.", "age is 59.");
    vault.import();
    assert_eq!(fact(&vault.state, "age").object().to_string(), "59");
    vault.replace("Ann Oak", "age is 59.", "age is a secret.");
    let report = vault.import();
    assert!(report.warnings.iter().any(|warning| warning.message.contains("does not show the value")), "{report}");
}

#[test]
fn a_changed_heading_does_not_take_the_name_away() {
    let mut vault = Vault::new(FACTS);
    vault.replace("Ann Oak", "# Ann Oak", "# Anna Oak");
    let report = vault.import();
    assert_eq!(report.removed, 0, "{report}");
    assert_eq!(vault.state.name_or_id(&EntityId::new("ann").unwrap()), "Ann Oak");
    assert!(report.warnings.iter().any(|warning| warning.message.contains("entity set ann name")), "{report}");
}

#[test]
fn references_are_not_part_of_the_text() {
    let vault = Vault::new(FACTS);
    fs::remove_file(vault.folder.path().join("hearsay.records")).unwrap();
    let campaign = read_any(vault.folder.path(), &ReadOptions::default(), &Limits::default()).unwrap();
    assert!(campaign.passages().any(|passage| passage.text.contains("Ann limps.")));
    assert!(campaign.passages().all(|passage| !passage.text.contains("^fact-")));
    assert!(campaign.facts().all(|fact| !fact.statement().contains("^fact-")));
}

#[test]
fn a_note_contains_the_texts_about_its_entity_and_the_facts_that_have_ended() {
    let facts = "facts:
  - {id: debt, subject: ann, type: OWES, target: bob, text: Ann owes Bob a goat., until: 3 Frost 1}
passages:
  - {title: Bob Elm, text: Brother of Ann. Big hands., about: [ann, bob]}
  - {title: \"Eve Ash: Youth\", text: She stole from Ann., about: [ann, eve]}
  - {text: Ann and Bob have the same nose., about: [ann, bob]}
";
    let mut vault = Vault::new(facts);
    let note = |name: &str| fs::read_to_string(vault.note(name)).unwrap();
    assert!(note("Bob Elm").contains("**Bob Elm** Brother of Ann."), "{}", note("Bob Elm"));
    assert!(note("Eve Ash").contains("**Eve Ash: Youth** She stole from Ann."), "{}", note("Eve Ash"));
    let ann = note("Ann Oak");
    assert!(!ann.contains("Big hands") && !ann.contains("stole") && ann.contains("the same nose"), "{ann}");
    let (_, past) = ann.split_once("## Past\n").unwrap_or_else(|| panic!("{ann}"));
    assert!(past.contains("Ann owes Bob a goat."), "{ann}");
    let report = vault.import();
    assert_eq!((report.changed, report.removed, report.passages), (0, 0, 0), "{report}");
}

#[test]
fn a_rejected_entity_has_no_note() {
    let mut vault = Vault::new(FACTS);
    let rejected = [attribute::NAME, attribute::KIND].map(|name| {
        let provenance = Provenance::new(Method::Inferred, Author::Extractor);
        let builder = Fact::attribute(&EntityId::new("bride").unwrap(), name, "npc", provenance).unwrap();
        Change::AssertFact(Arc::new(builder.status(FactStatus::Rejected).build().unwrap()))
    });
    let mut changes = vec![Change::AddEntity(Entity::new(EntityId::new("bride").unwrap()))];
    changes.extend(rejected);
    apply(&mut vault.state, Author::Extractor, changes);
    export_vault(&vault.state, vault.folder.path(), Overwrite::Unedited).unwrap();
    assert!(!vault.folder.path().join("Other").exists() && !vault.note("bride").exists());
    vault.import();
    assert!(vault.state.entity(&EntityId::new("bride").unwrap()).is_some());
}

#[test]
fn new_lines_in_the_secret_callouts_of_characters_are_their_secrets() {
    // The page of the DM-only text has the same callout as the new note, and neither of the two has an id.
    let mut vault = Vault::new(&format!("{FACTS}passages:\n  - {{text: Remember candles., secret: true}}\n"));
    let note = "---\ntype: npc\n---\n# Ilse Rohr\n\n> [!secret]\n> Ilse took the second letter.\n";
    fs::write(vault.note("Ilse Rohr"), note).unwrap();
    vault.edit("Bob Elm", |line| {
        let is_secret = line.contains("Bob sings.");
        Some(if is_secret { format!("{line}\n> - Bob hides brandy for Eve Ash.") } else { line.to_owned() })
    });
    let report = vault.import();
    assert_eq!((report.changed, report.removed, report.passages), (0, 0, 0), "{report}");
    export_vault(&vault.state, vault.folder.path(), Overwrite::All).unwrap();
    for (name, holder, text) in [
        ("Ilse Rohr", "ilse-rohr", "Ilse took the second letter."),
        ("Bob Elm", "bob", "Bob hides brandy for Eve Ash."),
    ] {
        assert_eq!(fact(&vault.state, text).secrecy(), Secrecy::Secret);
        assert_eq!(known(&vault.state, text), [format!("{holder} authored 1 !")]);
        let note = fs::read_to_string(vault.note(name)).unwrap();
        let (_, callout) = note.split_once("## Secrets\n\n> [!secret]\n").unwrap_or_else(|| panic!("{note}"));
        assert!(callout.contains(&format!("> - {text} ^fact-")), "{note}");
    }
}

#[test]
fn a_line_that_was_added_to_an_exported_text_is_not_lost() {
    let mut vault = Vault::new("passages:\n  - {text: Ann counts the candles., about: [ann]}\n");
    vault.edit("Ann Oak", |line| {
        let is_text = line.contains("Ann counts the candles.");
        Some(if is_text { format!("{line}\n  One candle is missing.") } else { line.to_owned() })
    });
    vault.import();
    assert!(vault.state.passages().any(|(_, passage)| passage.text.contains("One candle is missing.")));
}
