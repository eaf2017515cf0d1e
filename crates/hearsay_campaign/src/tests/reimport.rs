//! Repeated imports: of unchanged files, of changed files, and after changes by others.

use std::sync::Arc;

use hearsay_model::{
    Author, Change, Date, Entity, EntityId, Fact, FactId, FactStatus, GameTime, KnowledgeEdge, Method, Passage,
    Position, Provenance, Secrecy, State, TalkKind, Timestamp,
};

use super::{HEAD, apply, fact, fixture, import, imported, known, read_good};
use crate::{Limits, digest_files, plan, read};

const FACTS: &str = "facts:
  - {id: x, subject: ann, text: Ann limps.}
  - {id: y, subject: bob, text: Bob sings., secret: true, bearer: false, conceals: false, known_by: [eve]}
";

fn yaml(facts: &str) -> String {
    format!("{HEAD}{facts}")
}

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn id_of(state: &State, name: &str) -> FactId {
    fact(state, name).id()
}

#[test]
fn an_unchanged_folder_is_recognised() {
    let folder = fixture("inn");
    let campaign = read(&folder, &Limits::default()).unwrap();
    let mut state = State::default();
    let first = plan(&state, &campaign, Timestamp(1));
    assert_eq!(first.report.unapplied_changes, []);
    state.apply(first.operation.unwrap()).unwrap();
    let digest = digest_files(&folder, &Limits::default()).unwrap();
    assert_eq!(state.imported(campaign.source()), Some(digest.as_str()));
    let again = plan(&state, &campaign, Timestamp(2));
    assert_eq!((again.operation, again.report.matched), (None, 6));
}

#[test]
fn changed_text_replaces_the_old() {
    let mut state = imported(&yaml(FACTS));
    let old = id_of(&state, "x");
    let report = import(&mut state, &yaml(&FACTS.replace("Ann limps.", "Ann runs.")));
    assert_eq!((report.fact_count(), report.removed), (1, 1));
    assert!(state.fact(old).is_none());
    assert_eq!(known(&state, "x"), ["ann authored 1", "inn authored 1"]);
    assert_eq!(fact(&state, "x").statement(), "Ann runs.");
}

#[test]
fn changed_marks_change_the_fact() {
    let mut state = imported(&yaml(FACTS));
    let report = import(
        &mut state,
        &yaml(&FACTS.replace("Ann limps.", "Ann limps., status: claimed, secret: true, bearer: false")),
    );
    assert_eq!((report.fact_count(), report.changed, report.withdrawn_knowledge), (0, 1, 2));
    assert_eq!((fact(&state, "x").status(), fact(&state, "x").secrecy()), (FactStatus::Claimed, Secrecy::Secret));
    assert!(known(&state, "x").is_empty());
}

#[test]
fn a_moved_entry_keeps_its_fact() {
    let mut state = imported(&yaml(FACTS));
    let report = import(&mut state, &yaml(&FACTS.replace("facts:\n", "# A word.\nfacts:\n")));
    assert_eq!((report.moved, report.changed, report.fact_count(), report.knowledge), (2, 0, 0, 0));
}

#[test]
fn removed_entries_are_withdrawn() {
    let mut state = imported(&yaml(FACTS));
    let report = import(&mut state, &yaml("").replace("  - {id: eve, name: Eve Ash, kind: npc, home: none}\n", ""));
    assert_eq!(report.removed, 4, "two facts, and the name and kind of Eve");
    assert!(state.entity(&id("eve")).is_none());
    assert!(state == imported(&yaml("").replace("  - {id: eve, name: Eve Ash, kind: npc, home: none}\n", "")));
}

#[test]
fn sessions_and_texts_are_withdrawn_too() {
    let extra = "sessions: [{id: s, present: [bob], log: [Rain., {speaker: bob, text: Hm., facts: [{subject: ann, text: T.}]}]}]";
    let mut state = imported(&yaml(extra));
    import(&mut state, &yaml(""));
    assert!(state == imported(&yaml("")));
}

#[test]
fn the_kind_of_talk_stays_when_a_line_changes() {
    let extra = "sessions: [{id: s, present: [bob], log: [Roll for it.]}]";
    let mut state = imported(&yaml(extra));
    let (passage, _) = state.passages().next().unwrap();
    apply(&mut state, Author::Dm, vec![Change::SetTalkKind { passage, kind: TalkKind::OutOfCharacter }]);
    let report = import(&mut state, &yaml(extra));
    assert_eq!((report.passages, report.unapplied_changes.len()), (0, 0), "the files do not contain the kind");
    let report = import(&mut state, &yaml(&extra.replace("[bob]", "[ann, bob]")));
    assert_eq!((report.passages, report.unapplied_changes.len()), (1, 0));
    let line = state.passage(passage).unwrap();
    assert_eq!((line.heard_by.len(), line.talk_kind), (2, Some(TalkKind::OutOfCharacter)));
}

#[test]
fn a_line_stays_a_lie_when_it_changes() {
    let extra = "sessions: [{id: s, present: [bob], log: [{speaker: ann, text: I was out.}]}]";
    let mut state = imported(&yaml(extra));
    let (id, line) = state.passages().next().map(|(id, line)| (id, Passage::clone(line))).unwrap();
    let importer = state.journal().next().unwrap().1.operation.author.clone();
    apply(&mut state, importer, vec![Change::AddPassage(Passage { lie: true, ..line }.into())]);
    import(&mut state, &yaml(&extra.replace("[bob]", "[bob, eve]")));
    let line = state.passage(id).unwrap();
    assert_eq!((line.heard_by.len(), line.lie), (3, true));
}

fn assert_kept(state: &mut State, yaml: &str, why: &str) {
    let report = import(state, yaml);
    assert!(
        report.unapplied_changes.iter().chain(&report.conflicts).any(|unchanged| unchanged.reason.contains(why)),
        "{why}: {report:#?}"
    );
}

#[test]
fn confirmed_facts_stay() {
    let mut state = imported(&yaml(FACTS));
    let x = id_of(&state, "x");
    apply(&mut state, Author::Dm, vec![Change::Confirm(x)]);
    let report = import(&mut state, &yaml(FACTS));
    assert_eq!(report.unapplied_changes, [], "nothing is said otherwise");
    assert_kept(&mut state, &yaml(""), "it was removed from the files, but it was confirmed");
    assert_eq!(known(&state, "x"), ["ann authored 1", "inn authored 1"], "who knows it stays with it");
}

#[test]
fn a_status_set_by_the_dm_stays() {
    let mut state = imported(&yaml(FACTS));
    let x = id_of(&state, "x");
    apply(&mut state, Author::Dm, vec![Change::SetStatus { fact: x, status: FactStatus::Rejected }]);
    assert_kept(&mut state, &yaml(FACTS), "its status was changed");
    assert_eq!(fact(&state, "x").status(), FactStatus::Rejected);
}

#[test]
fn a_location_that_ended_in_play_stays_ended_without_a_report() {
    let at_inn = |facts: &str| yaml(facts).replace("Bob Elm, kind: npc", "Bob Elm, kind: npc, location: inn");
    let mut state = imported(&at_inn(""));
    let there = state.newest(&id("bob"), "LOCATED_AT").unwrap().id();
    let until = Date { raw: String::new(), time: None };
    apply(&mut state, Author::Dm, vec![Change::EndFact { fact: there, until }]);
    for facts in [FACTS, ""] {
        let report = import(&mut state, &at_inn(facts));
        assert_eq!(report.unapplied_changes, [], "the files say nothing else about the location");
        assert!(state.fact(there).unwrap().validity().is_closed());
    }
}

#[test]
fn facts_retracted_by_the_dm_stay_away() {
    let mut state = imported(&yaml(FACTS));
    let x = id_of(&state, "x");
    apply(&mut state, Author::Dm, vec![Change::RetractFact(x)]);
    assert_kept(&mut state, &yaml(FACTS), "it was retracted, so it is not added again");
    assert!(state.fact(x).is_none());
}

#[test]
fn an_entity_that_the_dm_removed_stays_away() {
    let mut state = imported(&yaml(FACTS));
    apply(&mut state, Author::Dm, vec![Change::RemoveEntity(id("eve"))]);
    assert_kept(&mut state, &yaml(&FACTS.replace("limps", "runs")), "it was removed in the campaign");
    assert!(state.entity(&id("eve")).is_none());
}

#[test]
fn an_edge_that_the_dm_took_away_stays_away() {
    let mut state = imported(&yaml(FACTS));
    let edge = state.recorded_knowledge(id_of(&state, "y")).next().unwrap().id();
    apply(&mut state, Author::Dm, vec![Change::Unlearn(edge)]);
    assert_kept(&mut state, &yaml(FACTS), "the campaign has changed how `eve` knows this fact");
    assert!(known(&state, "y").is_empty());
}

#[test]
fn an_entity_that_others_use_keeps_its_name() {
    let mut state = imported(&yaml(FACTS));
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let dm = Fact::attribute(&id("eve"), "lore", "Eve is a spy.", provenance).unwrap().build().unwrap();
    apply(&mut state, Author::Dm, vec![Change::AssertFact(Arc::new(dm))]);
    assert_kept(
        &mut state,
        &yaml("").replace("  - {id: eve, name: Eve Ash, kind: npc, home: none}\n", ""),
        "a remaining fact",
    );
    assert_eq!(state.name(&id("eve")), Some("Eve Ash"));
}

#[test]
fn an_entity_of_the_dm_is_matched() {
    let mut state = State::default();
    apply(&mut state, Author::Dm, vec![Change::AddEntity(Entity::new(id("ann")))]);
    let report = import(&mut state, &yaml(FACTS));
    assert_eq!((report.matched, report.created_count()), (1, 5));
    import(&mut state, "campaign: {name: Test, id: test}");
    assert!(state.entity(&id("ann")).is_some(), "it was not ours to remove");
}

#[test]
fn a_value_of_another_is_not_replaced() {
    let mut state = imported(&yaml(""));
    let moved = |to: &str| {
        let provenance = Provenance::new(Method::Witnessed, Author::Game);
        Change::AssertFact(Arc::new(
            Fact::relation(&id("bob"), "LOCATED_AT", &id(to), provenance).unwrap().build().unwrap(),
        ))
    };
    apply(&mut state, Author::Game, vec![moved("inn")]);
    let elsewhere = "  - {id: mill, name: Mill, kind: location}\n";
    let yaml = yaml(elsewhere).replace("Bob Elm, kind: npc", "Bob Elm, kind: npc, location: mill");
    assert_kept(&mut state, &yaml, "it is only proposed, because `bob LOCATED_AT inn` is already recorded");
    assert_eq!(fact(&state, "Bob Elm is at Mill.").status(), FactStatus::Proposed);
}

#[test]
fn a_value_of_the_files_succeeds_the_old() {
    let mill = yaml("  - {id: mill, name: Mill, kind: location}\n");
    let at = |place: &str| mill.replace("Bob Elm, kind: npc", &format!("Bob Elm, kind: npc, location: {place}"));
    let mut state = imported(&at("inn"));
    import(&mut state, &at("mill"));
    assert_eq!(state.newest(&id("bob"), "LOCATED_AT").unwrap().object().entity(), Some(&id("mill")));
    assert!(state == imported(&at("mill")));
}

#[test]
fn the_clock_is_not_set_back() {
    let yaml = |start: &str| HEAD.replace("id: test}", &format!("id: test, start: {start}}}"));
    let mut state = imported(&yaml("2 Rain 3"));
    apply(
        &mut state,
        Author::Game,
        vec![Change::Set(hearsay_model::Setting::Game(hearsay_model::GameSetting::Clock(GameTime(9_000_000))))],
    );
    import(&mut state, &yaml("3 Rain 3"));
    assert_eq!(state.clock(), Some(GameTime(9_000_000)));
}

#[test]
fn knowledge_from_other_sources_is_unchanged() {
    let mut state = imported(&yaml(FACTS));
    let edge = KnowledgeEdge::authored(id("bob").into(), id_of(&state, "x"));
    apply(&mut state, Author::Game, vec![Change::Learn(Arc::new(edge))]);
    let report = import(&mut state, &yaml(&FACTS.replace("sings", "hums")));
    assert_eq!(known(&state, "x"), ["ann authored 1", "bob authored 1", "inn authored 1"]);
    assert_eq!(report.unapplied_changes, []);
}

#[test]
fn an_import_that_was_undone_can_be_done_again() {
    let mut state = imported(&yaml(FACTS));
    let before = state.clone();
    apply(&mut state, Author::Dm, vec![Change::Revert(Position(1))]);
    assert!(state == State::default());
    import(&mut state, &yaml(FACTS));
    assert!(state == before);
}

#[test]
fn where_people_moved_in_play_does_not_change_who_knew() {
    let mut state = imported(&yaml(FACTS));
    let provenance = Provenance::new(Method::Witnessed, Author::Game);
    let home = Fact::relation(&id("ann"), "RESIDENT_OF", &id("guild"), provenance).unwrap().build().unwrap();
    apply(&mut state, Author::Game, vec![Change::AssertFact(Arc::new(home))]);
    let campaign = read_good(&yaml(FACTS));
    assert_eq!(plan(&state, &campaign, Timestamp(3)).operation, None);
}

/// Lines that a campaign may or may not contain.
const LINES: [&str; 21] = [
    "facts: {subject: ann, text: Ann limps.}",
    "facts: {id: x, subject: ann, text: Ann limps more.}",
    "facts: {id: x, subject: ann, text: Ann limps more., secret: true, known_by: [bob, eve]}",
    "facts: {subject: bob, type: LOCATED_AT, target: inn}",
    "facts: {subject: bob, type: LOCATED_AT, target: guild, since: 3 Rain 4}",
    "facts: {subject: bob, type: OWES, target: eve, status: claimed, attitude: 4}",
    "facts: {subject: bob, type: OWES, target: eve, rank: x, known_by: [{who: ann, how: told, when: 3 Rain 4}]}",
    "relationships: {source: ann, type: MEMBER_OF, target: guild}",
    "rumours: {text: Eve sings., about: [eve, book], heard_by: [{who: bob, credence: 0.3}]}",
    "rumours: {text: Eve sings., about: [eve, book], heard_by: [inn]}",
    "lies: {by: eve, text: Eve is tall., about: [eve], told_to: [ann]}",
    "passages: {text: A letter., about: [ann]}",
    "passages: {text: A letter., about: [bob], known_by: [eve], facts: [{subject: book, text: Torn.}]}",
    "sessions: {id: s, present: [bob], log: [Rain., {speaker: bob, text: Hm., facts: [{subject: ann, text: T.}]}]}",
    "sessions: {id: s, present: [eve], log: [{speaker: eve, text: Hm., facts: [{subject: ann, text: T.}]}, Rain.]}",
    "sessions: {id: t, summary: Nothing., present: [eve]}",
    "facts: {id: z, subject: book, text: Old., secret: true, public: New., known_by: [ann, {who: bob, from: ann}]}",
    "facts: {refutes: w, subject: bob, text: No., known_by: [{who: guild, rank: low}, {who: eve, from: bob}]}",
    "rumours: {id: w, text: Eve flies., about: [eve], heard_by: [bob, {who: eve, from: bob, citing: ann, with: [ann]}]}",
    "rumours: {distorts: w, text: Eve swims., heard_by: [{who: ann, from: eve, when: 3 Rain 4}]}",
    "rumours: {distorts: w, text: Eve swims., heard_by: [{who: bob, from: ann, when: 4 Rain 4}]}",
];

/// Returns the campaign of some lines. If two lines have the same id, the campaign contains only the first.
fn campaign_of(chosen: &[bool]) -> String {
    let mut sections: std::collections::BTreeMap<&str, String> = std::collections::BTreeMap::new();
    let (mut x, mut s) = (false, false);
    let has_w = LINES.iter().zip(chosen).any(|(line, chosen)| *chosen && line.contains("id: w"));
    for (line, _) in LINES.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
        if !has_w && (line.contains("refutes: w") || line.contains("distorts: w")) {
            continue;
        }
        let is_repeated = |was_seen: &mut bool, has: bool| has && std::mem::replace(was_seen, true);
        if is_repeated(&mut x, line.contains("id: x")) || is_repeated(&mut s, line.contains("id: s,")) {
            continue;
        }
        let (key, item) = line.split_once(": ").unwrap();
        sections.entry(key).or_insert_with(|| format!("{key}:\n")).push_str(&format!("  - {item}\n"));
    }
    yaml(&sections.into_values().collect::<String>())
}

proptest::proptest! {
    #[test]
    fn importing_over_an_older_version_equals_importing_anew(
        old in proptest::collection::vec(proptest::bool::ANY, 21),
        new in proptest::collection::vec(proptest::bool::ANY, 21),
    ) {
        let mut state = imported(&campaign_of(&old));
        import(&mut state, &campaign_of(&new));
        proptest::prop_assert!(state == imported(&campaign_of(&new)));
    }
}
