//! Notes of another tool are imported again while the DM edits the imported facts.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_model::{
    Author, Change, Entity, EntityId, Fact, FactId, FactStatus, Key, Kind, Method, Operation, Provenance, Secrecy,
    State, Timestamp,
};
use proptest::prelude::*;

use crate::{
    Campaign, EarlierImports, Format, ImportReport, MISSING_RECORD, MissingRecord, ReadOptions,
    import::{Block, Certainty, Field, FieldValue, Note, Notes, Origin, PlainText, Role, assemble},
    plan,
};

/// A vault. For each note: whether the note exists, and the versions of its fields and texts (0 means missing).
#[derive(Debug, Clone, PartialEq)]
struct Vault(Vec<(bool, [u8; 4])>);

fn campaign(vault: &Vault, state: &State, name: &str) -> Campaign {
    let mut notes = Notes { name: name.into(), format: Some(Format::Markdown), ..Notes::default() };
    for (number, (exists, versions)) in vault.0.iter().enumerate().filter(|(_, (exists, _))| *exists) {
        let path = format!("people/p{number}.md");
        let file = notes.add_file(&path, format!("{exists} {versions:?}").as_bytes());
        let origin = |field: &str, text: &str| Origin::new(file, 3, field, 0..text.len(), text);
        let field = |name: &str, version: u8| Field {
            name: name.into(),
            values: vec![FieldValue::from(format!("{name} {version} of {number}").as_str())],
            origin: origin(name, &format!("{version}")),
            visibility: Default::default(),
            certainty: Certainty::Explicit,
        };
        let text = |version: u8| Block {
            text: PlainText::without_positions(format!("Text {version} of person {number}.")),
            origin: origin("text", &format!("{version}")),
            ..Block::default()
        };
        notes.notes.push(Note {
            key: path.clone(),
            tool: "file",
            role: Role::Entity,
            name: format!("Person {number}"),
            origin: origin("", &path),
            fields: [("occupation", versions[0]), ("goals", versions[1])]
                .into_iter()
                .filter(|(_, version)| *version > 0)
                .map(|(name, version)| field(name, version))
                .collect(),
            texts: versions[2..].iter().filter(|version| **version > 0).map(|version| text(*version)).collect(),
            ..Note::default()
        });
    }
    assemble(notes, &ReadOptions { earlier: EarlierImports::from_state(state), ..ReadOptions::default() })
}

fn import(state: &mut State, vault: &Vault) -> (ImportReport, Vec<Change>) {
    import_as(state, vault, "vault")
}

fn import_as(state: &mut State, vault: &Vault, name: &str) -> (ImportReport, Vec<Change>) {
    let campaign = self::campaign(vault, state, name);
    let planned = plan(state, &campaign, Timestamp(1));
    let changes = planned.operation.as_ref().map_or(Vec::new(), |operation| operation.changes.clone());
    if let Some(operation) = planned.operation {
        state.apply(operation).unwrap();
    }
    let campaign = self::campaign(vault, state, name);
    let second = plan(state, &campaign, Timestamp(2));
    assert_eq!(second.operation, None, "the second import is empty");
    (planned.report, changes)
}

fn fact_with_statement(state: &State, words: &str) -> Arc<Fact> {
    state.facts().find(|fact| fact.statement().contains(words)).unwrap_or_else(|| panic!("{words}")).clone()
}

fn dm(state: &mut State, changes: Vec<Change>) {
    state.apply(Operation::new(Author::Dm, "edit", changes)).unwrap();
}

fn vault() -> Vault {
    Vault(vec![(true, [1, 1, 1, 2]), (true, [1, 0, 1, 0])])
}

#[test]
fn a_changed_entry_replaces_its_earlier_version() {
    let mut state = State::default();
    import(&mut state, &vault());
    let old = fact_with_statement(&state, "goals 1 of 0").id();
    let mut changed = vault();
    changed.0[0].1[1] = 2;
    changed.0[0].1[2] = 3;
    let (report, _) = import(&mut state, &changed);
    assert_eq!((report.removed, report.fact_count(), report.deletions.len()), (1, 1, 0));
    assert!(state.fact(old).is_none() && fact_with_statement(&state, "goals 2 of 0").status() != FactStatus::Rejected);
    let texts: Vec<_> = state.passages().map(|(_, passage)| passage.text.clone()).collect();
    assert!(texts.iter().any(|text| text.starts_with("Text 3")) && texts.len() == 3, "{texts:?}");
}

#[test]
fn changes_by_the_dm_stay() {
    let mut state = State::default();
    import(&mut state, &vault());
    let old = fact_with_statement(&state, "goals 1 of 0").id();
    dm(&mut state, vec![Change::SetStatus { fact: old, status: FactStatus::False }]);
    let (report, changes) = import(&mut state, &vault());
    assert_eq!((report.conflicts.len(), changes.len()), (0, 0));
    assert_eq!(state.fact(old).unwrap().status(), FactStatus::False);
}

#[test]
fn conflicting_changes_wait_for_review() {
    let mut state = State::default();
    import(&mut state, &vault());
    let old = fact_with_statement(&state, "goals 1 of 0").id();
    dm(&mut state, vec![Change::Confirm(old)]);
    let mut changed = vault();
    changed.0[0].1[1] = 2;
    let (report, _) = import(&mut state, &changed);
    assert_eq!(report.conflicts.len(), 1);
    assert_eq!(fact_with_statement(&state, "goals 2 of 0").status(), FactStatus::Proposed);
    assert!(state.fact(old).is_some(), "the DM's word stands");
}

#[test]
fn the_removal_of_an_entry_is_proposed_until_it_returns() {
    let mut state = State::default();
    import(&mut state, &vault());
    let mut less = vault();
    less.0[0].1[1] = 0;
    less.0[1].0 = false;
    let (report, _) = import(&mut state, &less);
    let proposals = |state: &State| state.facts().filter_map(|fact| MissingRecord::from_fact(fact)).collect::<Vec<_>>();
    assert_eq!(report.deletions.len(), 2, "{:?}", report.deletions);
    assert!(
        proposals(&state)
            .iter()
            .any(|proposal| matches!(proposal, MissingRecord::Entity(id) if id.as_str() == "person-1"))
    );
    fact_with_statement(&state, "goals 1 of 0");
    fact_with_statement(&state, "occupation 1 of 1");
    import(&mut state, &vault());
    assert!(proposals(&state).is_empty());
}

#[test]
fn a_note_with_the_name_of_one_entity_is_this_entity() {
    let mut state = State::default();
    import(&mut state, &vault());
    let (report, _) = import_as(&mut state, &vault(), "another");
    assert_eq!((report.matched, report.created_count()), (2, 0));
    assert_eq!((report.linked.len(), report.possible_duplicates.len()), (2, 0), "{report}");
    assert!(report.to_string().contains("linked by name to entities of the campaign: person-0, person-1"), "{report}");
    assert_eq!(state.entity_count(), 2);
}

#[test]
fn an_ambiguous_name_or_another_kind_links_no_entities() {
    let namesake = |kinds: &[&str], kind: Option<Kind>| {
        let mut state = State::default();
        for (number, existing_kind) in kinds.iter().enumerate() {
            let id = EntityId::new(format!("ann-{number}")).unwrap();
            let fact = |name: &str, value: &str| {
                let builder = Fact::attribute(&id, name, value, Provenance::new(Method::Authored, Author::Dm)).unwrap();
                Change::AssertFact(Arc::new(builder.build().unwrap()))
            };
            let entity = Change::AddEntity(Entity::new(id.clone()));
            dm(&mut state, vec![entity, fact("name", "Ann Oak"), fact("kind", existing_kind)]);
        }
        EarlierImports::from_state(&state).namesake("vault", "ANN OAK", kind.as_ref()).cloned()
    };
    let ann = Some(EntityId::new("ann-0").unwrap());
    assert_eq!(namesake(&["npc"], Some(Kind::Npc)), ann);
    assert_eq!(namesake(&["npc"], None), ann);
    assert_eq!(namesake(&["unknown"], Some(Kind::Npc)), ann);
    assert_eq!(namesake(&["npc"], Some(Kind::Location)), None);
    assert_eq!(namesake(&["npc", "npc"], Some(Kind::Npc)), None);
}

/// Makes the DM's edit with the number `n` between two imports.
fn work(state: &mut State, n: u8) {
    let mut facts: Vec<FactId> = state.facts().map(|fact| fact.id()).collect();
    facts.sort();
    let Some(fact) = facts.get(usize::from(n) * 7 % facts.len().max(1)).copied() else { return };
    let subject = state.fact(fact).unwrap().subject().clone();
    let change = match n % 6 {
        0 => Change::RetractFact(fact),
        1 => Change::SetStatus { fact, status: FactStatus::ALL[usize::from(n / 6) % 5] },
        2 => Change::Confirm(fact),
        3 => Change::SetSecrecy { fact, secrecy: Secrecy::Secret },
        _ => {
            let provenance = Provenance::new(Method::Authored, Author::Dm);
            let own_fact = Fact::attribute(&subject, "occupation", format!("own {n}").as_str(), provenance);
            Change::AssertFact(Arc::new(own_fact.unwrap().build().unwrap()))
        }
    };
    let _ = state.apply(Operation::new(Author::Dm, "edit", vec![change]));
}

fn vaults() -> impl Strategy<Value = Vault> {
    prop::collection::vec((prop::bool::weighted(0.85), prop::array::uniform4(0..4_u8)), 3).prop_map(Vault)
}

proptest! {
    /// The files and the DM change in turn. No edit of the DM is lost. Unchanged entries change nothing, and a second
    /// import is empty.
    #[test]
    fn files_and_dm_keep_out_of_each_others_way(
        steps in prop::collection::vec((vaults(), prop::collection::vec(any::<u8>(), 0..5)), 1..5)
    ) {
        let mut state = State::default();
        let mut before: Option<Vault> = None;
        for (vault, edits) in steps {
            // The last decision of the DM on each fact, and the statements of the DM.
            let judged: Vec<_> = state.facts().filter(|fact| fact.provenance().confirmed
                || fact.provenance().author == Author::Dm).cloned().collect();
            let gone: Vec<FactId> = state.journal().filter(|(_, entry)| entry.operation.author == Author::Dm)
                .flat_map(|(_, entry)| entry.operation.changes.clone())
                .filter_map(|change| match change { Change::RetractFact(id) => Some(id), _ => None })
                .filter(|id| state.fact(*id).is_none()).collect();
            let (_, changes) = import(&mut state, &vault);
            for fact in judged {
                let held = state.fact(fact.id());
                prop_assert_eq!(held.map(|held| held.status()), Some(fact.status()), "{}", fact.statement());
            }
            for id in gone {
                prop_assert!(state.fact(id).is_none(), "what the DM retracted stays away");
            }
            // Only changed notes are written again.
            if let Some(before) = &before {
                let same: BTreeSet<String> = before.0.iter().zip(&vault.0).enumerate()
                    .filter(|(_, (old, new))| old == new).map(|(number, _)| format!("person-{number}")).collect();
                for change in &changes {
                    let subject = match change.written_key() {
                        Some(Key::Fact(id)) => match change {
                            Change::AssertFact(fact) => Some(fact.subject().clone()),
                            // A pending question about a fact that the DM retracted has no effect.
                            _ => state.asserted(id).filter(|fact| fact.predicate().as_str() != MISSING_RECORD)
                                .map(|fact| fact.subject().clone()),
                        },
                        Some(Key::Entity(id)) => Some(id),
                        _ => None,
                    };
                    let touched = subject.filter(|id| same.contains(id.as_str()));
                    prop_assert!(touched.is_none(), "{touched:?} {change:?}");
                }
            }
            for edit in edits {
                work(&mut state, edit);
            }
            before = Some(vault);
        }
        let left = state.facts().filter(|fact| fact.predicate().as_str() == MISSING_RECORD);
        for fact in left {
            prop_assert!(MissingRecord::from_fact(fact).is_some());
        }
    }
}
