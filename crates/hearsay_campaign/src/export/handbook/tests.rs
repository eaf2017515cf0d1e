//! Handbooks of a small campaign, with a whisper, a lie, a rumour, a secret name and a dead character.

use std::sync::Arc;

use hearsay_model::{
    Acquisition, Author, Change, EntityId, Fact, Knower, KnowledgeEdge, Method, Operation, Passage, Provenance,
    Session, SessionId, State, Timestamp,
};

use super::{Handbook, HandbookFormat, HandbookReaders, HandbookRequest, export_handbooks};
use crate::{Limits, plan, read};

const MILL: &str = r#"
campaign: {name: "The <Mill> & the [pass]", id: mill, start: "2 Frost 10, 19:00"}
calendar: {name: C, months: [{name: Frost, days: 30}]}
audience: {attributes: {name: common, alias: common}}
entities:
  - {id: inn, name: The Inn, kind: location}
  - {id: cellar, name: The Cellar, kind: location, part_of: inn}
  - {id: guild, name: The Guild, kind: faction}
  - {id: kessa, name: Kessa Thorn, kind: player, home: none, location: inn, attributes: {occupation: thief, talkativeness: "0.4", forgetting: strong},
     secrets: [{id: kessa-owes, text: "Kessa Thorn stole the silver bell."}]}
  - {id: bram, name: Bram Hale, kind: player, home: none, location: inn}
  - {id: mirela, name: Mirela Voss, kind: npc, home: inn,
     aliases: [Mother Gull, {name: The Grey Lady, secret: true}],
     relationships: [{type: OWNS, target: inn, statement: "Mirela Voss owns the Inn.", known_by: [kessa, bram]}],
     attributes: {occupation: {value: innkeeper, known_by: [kessa, bram]}}}
  - {id: odo, name: Odo Brandt, kind: npc, home: inn}
  - {id: jory, name: Jory Penn, kind: npc, home: none,
     attributes: {condition: {value: dead, known_by: [kessa, bram]}},
     relationships: [{type: MEMBER_OF, target: guild, known_by: [kessa, bram]}]}
  - {id: stranger, name: Old Nobody, kind: npc, home: none}
  - {id: find-killer, name: Find the killer, kind: quest, attributes: {reward: {value: fifty crowns, known_by: [kessa, bram]}},
     relationships: [{type: QUEST_GIVEN_BY, target: mirela, statement: "Mirela Voss asks who killed Jory.", known_by: [kessa, bram]}]}
  - {id: lost-cat, name: The lost cat, kind: quest, attributes: {stage: {value: done, known_by: [kessa, bram]}}}
sessions:
  - id: s1
    number: 1
    title: The evening
    start: "2 Frost 10, 19:00"
    end: "2 Frost 10, 23:00"
    present: [kessa, bram]
    summary: "The two came to the Inn in the rain."
    log:
      - {speaker: odo, text: "I was here all night.", facts: [{id: odo-alibi, subject: odo, text: "Odo Brandt was at the Inn all night."}]}
      - {speaker: mirela, text: "Odo paid for Jory's grave.", facts: [{id: grave, subject: odo, text: "The coins of Odo Brandt paid for the grave."}]}
      - {speaker: mirela, text: "Odo paid for it, I said.", facts: [{fact: grave}]}
      - {speaker: odo, text: "The bell rings at dusk.", heard_by: [kessa], facts: [{id: bell, subject: inn, text: "The bell of the Inn rings at dusk."}]}
      - {speaker: mirela, text: "Wait by the well, Bram.", heard_by: [bram], facts: [{id: well, subject: mirela, text: "Mirela Voss waits by the well at midnight."}]}
  - id: s2
    number: 2
    title: The morning
    start: "3 Frost 10, 09:00"
    end: "3 Frost 10, 12:00"
    present: [kessa]
    log:
      - {speaker: stranger, text: "The guild pays me.", facts: [{id: pays, subject: guild, text: "The Guild pays Old Nobody."}]}
facts:
  - {id: ghost, subject: cellar, text: "A ghost walks in the Cellar.", known_by: [{who: kessa, how: told, credence: 0.5}, {who: bram, how: told, credence: 0.5}]}
  - {id: ghost-again, subject: inn, text: "A ghost walks in the Cellar.", known_by: [{who: kessa, credence: 0.3}, {who: bram, credence: 0.3}]}
"#;

fn mill(yaml: &str) -> State {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mill.yaml"), yaml).unwrap();
    let mut state = State::default();
    let campaign = read(folder.path(), &Limits::default()).unwrap_or_else(|errors| panic!("{errors}"));
    state.apply(plan(&state, &campaign, Timestamp(7)).operation.unwrap()).unwrap();
    state
}

fn party() -> Vec<EntityId> {
    ["bram", "kessa"].into_iter().map(|id| EntityId::new(id).unwrap()).collect()
}

fn book(state: &State, reader: Option<&str>, format: HandbookFormat) -> String {
    let (party, reader) = (party(), reader.map(|id| EntityId::new(id).unwrap()));
    let readers = reader.as_ref().map_or(HandbookReaders::Party, HandbookReaders::Character);
    let title = state.campaign().unwrap().name.as_str();
    Handbook::new(state, &HandbookRequest { title, party: &party, readers, as_of: None }).write(format)
}

/// Returns the part of a handbook between a heading and the next heading of the same or a higher level.
fn section<'b>(book: &'b str, heading: &str) -> &'b str {
    let start = book.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("{heading} in {book}"));
    let rest = &book[start + heading.len() + 2..];
    let level = heading.bytes().take_while(|byte| *byte == b'#').count();
    let ends = (1..=level).filter_map(|level| rest.find(&format!("\n{} ", "#".repeat(level))));
    &rest[..ends.min().unwrap_or(rest.len())]
}

#[test]
fn the_handbook_of_the_party_says_what_all_know_and_how_sure_they_are() {
    let state = mill(MILL);
    let book = book(&state, None, HandbookFormat::Markdown);
    assert!(book.starts_with("# The \\<Mill\\> & the \\[pass\\]\n\n*What the party knows.*\n"), "{book}");
    let odo = section(&book, "### Odo Brandt");
    assert!(odo.contains("*Met in session 1.*"), "{odo}");
    assert!(odo.contains("- By their own account, Odo Brandt was at the Inn all night.\n"), "{odo}");
    assert!(odo.contains("- Mirela Voss says that the coins of Odo Brandt paid for the grave.\n"), "{odo}");
    let cellar = section(&book, "### The Cellar");
    assert!(cellar.contains("- It is rumoured that a ghost walks in the Cellar.\n"), "{cellar}");
    let mirela = section(&book, "### Mirela Voss");
    assert!(
        mirela.contains("**Occupation:** innkeeper") && mirela.contains("- Mirela Voss owns the Inn.\n"),
        "{mirela}"
    );
    assert!(mirela.contains("Mother Gull"), "{mirela}");
    assert!(section(&book, "## Places").contains("### The Inn"), "{book}");
    assert!(section(&book, "### The Inn").contains("**Mentioned under:** "), "{book}");
    let threads = section(&book, "## Open threads");
    assert!(
        threads.contains("### Find the killer") && threads.contains("Mirela Voss asks who killed Jory."),
        "{threads}"
    );
    assert!(!threads.contains("lost cat"), "{threads}");
    let story = section(&book, "## The story so far");
    assert!(
        story.contains("### Session 1: The evening\n\n*2 Frost 10. Bram Hale and Kessa Thorn were there.*"),
        "{story}"
    );
    assert!(
        story.contains("The two came to the Inn in the rain.")
            && story.contains("**First met:** Mirela Voss, Odo Brandt")
    );
    assert!(
        section(story, "### Session 2: The morning").contains("Kessa Thorn was there. Bram Hale was away."),
        "{story}"
    );
}

#[test]
fn the_handbook_of_the_party_has_no_whisper_no_secret_and_no_repetition() {
    let state = mill(MILL);
    let book = book(&state, None, HandbookFormat::Markdown);
    for private in [
        "bell",
        "well",
        "Grey Lady",
        "Old Nobody pays",
        "pays Old Nobody",
        "talkativeness",
        "Talkativeness",
        "forgetting",
    ] {
        assert!(!book.contains(private), "{private}: {book}");
    }
    // The story tells when the party learned a fact. Apart from that, each fact is printed once.
    let story = section(&book, "## The story so far");
    assert!(story.contains("*The party learned:*\n\n- "), "{story}");
    let entries = book.replace(story, "");
    for line in entries.lines().filter(|line| line.starts_with("- ")) {
        assert_eq!(entries.matches(line).count(), 1, "{line}");
    }
    assert_eq!(book.matches("ghost walks").count(), 1, "{book}");
    // Without the secrets, the handbook is the same.
    let without = MILL
        .replace(", {name: The Grey Lady, secret: true}", "")
        .replace(",\n     secrets: [{id: kessa-owes, text: \"Kessa Thorn stole the silver bell.\"}]", "")
        .lines()
        .filter(|line| !line.contains("heard_by:"))
        .collect::<Vec<_>>()
        .join("\n");
    assert!(!without.contains("silver bell") && !without.contains("rings at dusk"));
    assert_eq!(book, self::book(&mill(&without), None, HandbookFormat::Markdown));
}

#[test]
fn the_dead_are_described_in_the_past() {
    let book = book(&mill(MILL), None, HandbookFormat::Markdown);
    let jory = section(&book, "### Jory Penn");
    assert!(jory.contains("*Dead.") && jory.contains("- Jory Penn was a member of The Guild.\n"), "{jory}");
    assert!(!jory.contains("Jory Penn is") && !jory.contains("Condition"), "{jory}");
}

#[test]
fn the_handbook_of_a_character_adds_what_only_that_character_knows() {
    let state = mill(MILL);
    let kessa = book(&state, Some("kessa"), HandbookFormat::Markdown);
    assert!(kessa.contains("*What Kessa Thorn knows.*"), "{kessa}");
    let inn = section(&kessa, "### The Inn");
    let (common, private) = inn.split_once("*As far as you know, no one else in the party knows this:*").unwrap();
    assert!(private.contains("- Odo Brandt says that the bell of the Inn rings at dusk.\n"), "{private}");
    assert!(!common.contains("bell"), "{common}");
    let own = section(&kessa, "### Kessa Thorn");
    assert!(own.split_once("*As far as you know").unwrap().1.contains("Kessa Thorn stole the silver bell."), "{own}");
    assert!(
        section(&kessa, "### The Guild").contains("According to Old Nobody, the Guild pays Old Nobody."),
        "{kessa}"
    );
    // A chapter lists all of this.
    let only = section(&kessa, "## What only you know");
    for part in ["rings at dusk.", "stole the silver bell."] {
        assert!(only.contains(part), "{part}: {only}");
    }
    assert!(!only.contains("all night") && !only.contains("paid for the grave"), "{only}");
    let bram = book(&state, Some("bram"), HandbookFormat::Markdown);
    assert!(section(&bram, "### Mirela Voss").contains("Mirela Voss waits by the well"), "{bram}");
    for private in ["bell", "Guild pays", "The morning"] {
        assert!(!bram.contains(private), "{private}: {bram}");
    }
}

#[test]
fn the_page_is_escaped_and_all_links_have_targets() {
    let state = mill(MILL);
    for reader in [None, Some("kessa")] {
        let page = book(&state, reader, HandbookFormat::Html);
        assert!(page.contains("<h1>The &lt;Mill&gt; &amp; the [pass]</h1>"), "{page}");
        assert!(!page.contains("<script") && !page.contains("http") && !page.contains("src="), "{page}");
        assert!(page.contains("@media print"));
        let attributes = |name: &str| -> Vec<String> {
            let starts = page.match_indices(name).map(|(at, _)| at + name.len());
            starts.filter_map(|at| page[at..].split('"').next().map(str::to_owned)).collect()
        };
        let (targets, links) = (attributes(" id=\""), attributes("href=\"#"));
        assert!(links.len() > 20, "{links:?}");
        for link in links {
            assert_eq!(targets.iter().filter(|target| **target == link).count(), 1, "{link}");
        }
    }
}

#[test]
fn all_handbooks_are_written_into_a_folder() {
    let (state, party, folder) = (mill(MILL), party(), tempfile::tempdir().unwrap());
    let request = HandbookRequest { title: "The Mill", party: &party, readers: HandbookReaders::Party, as_of: None };
    let target = folder.path().join("books");
    for _ in 0..2 {
        let files = export_handbooks(&state, &request, &target, HandbookFormat::Html).unwrap();
        let names: Vec<_> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["Handbook.html", "Bram Hale.html", "Kessa Thorn.html"]);
        assert!(std::fs::read_to_string(&files[2]).unwrap().contains("What Kessa Thorn knows."));
    }
}

#[test]
fn a_witnessed_death_without_a_line_is_told_in_the_story() {
    let mut state = mill(MILL);
    let [odo, bram] = ["odo", "bram"].map(|id| EntityId::new(id).unwrap());
    let death = Fact::attribute(&odo, "condition", "dead", Provenance::new(Method::Authored, Author::Dm)).unwrap();
    let death = Arc::new(death.statement("Odo Brandt is dead.").build().unwrap());
    let edge = KnowledgeEdge {
        acquisition: Acquisition::Witnessed,
        session: Some(SessionId::new("s1").unwrap()),
        ..KnowledgeEdge::authored(Knower::Entity(bram), death.id())
    };
    let changes = vec![Change::AssertFact(death), Change::Learn(Arc::new(edge))];
    state.apply(Operation::new(Author::Dm, "a death", changes)).unwrap();
    let told = |reader: &str| {
        let book = book(&state, Some(reader), HandbookFormat::Markdown);
        section(&book, "### Session 1: The evening").contains("- Odo Brandt is dead.\n")
    };
    assert!(told("bram") && !told("kessa"));
}

#[test]
fn a_short_form_of_a_name_with_a_title_is_a_name() {
    let doctor = "  - {id: zeller, name: Doctor Ruth Zeller, kind: npc, home: inn}\n  - {id: jory,";
    let lines = "      - {speaker: zeller, text: \"I took the silver.\", facts: [{id: silver, subject: zeller, text: \"Doctor \
                 Zeller took the silver.\"}]}\n      - {speaker: mirela, text: \"She drinks.\", facts: [{id: drinks, subject: \
                 zeller, text: \"Doctor Zeller drinks at dawn.\"}]}\n      - {speaker: odo, text: \"The bell rings at dusk.\",";
    let yaml = MILL
        .replace("  - {id: jory,", doctor)
        .replace("      - {speaker: odo, text: \"The bell rings at dusk.\",", lines);
    let book = book(&mill(&yaml), None, HandbookFormat::Markdown);
    let zeller = section(&book, "### Doctor Ruth Zeller");
    assert!(zeller.contains("- By their own account, Doctor Ruth Zeller took the silver.\n"), "{zeller}");
    assert!(zeller.contains("- Mirela Voss says that Doctor Zeller drinks at dawn.\n"), "{zeller}");
}

#[test]
fn a_kept_promise_is_no_open_thread() {
    let promise = "{type: PROMISED, target: mirela, statement: \"Bram Hale promised Mirela Voss to mend the pump.\", known_by: \
                   [kessa, bram]}";
    let kept = "{type: KEPT_PROMISE_TO, target: mirela, known_by: [kessa, bram]}";
    let is_open = |relationships: &str| {
        let bram = "name: Bram Hale, kind: player,";
        let yaml = MILL.replace(bram, &format!("{bram} relationships: [{relationships}],"));
        let book = book(&mill(&yaml), None, HandbookFormat::Markdown);
        assert!(book.contains("mend the pump"), "{book}");
        section(&book, "## Open threads").contains("mend the pump")
    };
    assert!(is_open(promise));
    assert!(!is_open(&format!("{promise}, {kept}")));
    // It is unclear which of two promises was kept.
    let other = promise.replace("the pump", "the roof");
    assert!(is_open(&format!("{promise}, {other}, {kept}")));
}

#[test]
fn a_promise_of_the_dead_is_no_open_thread() {
    let promise = "{type: PROMISED, target: mirela, statement: \"Jory Penn promised Mirela Voss to paint the gate.\", known_by: \
                   [kessa, bram]}";
    let group = "relationships: [{type: MEMBER_OF, target: guild, known_by: [kessa, bram]}";
    let with_promise = MILL.replace(group, &format!("{group}, {promise}"));
    let is_open = |yaml: &str| {
        let book = book(&mill(yaml), None, HandbookFormat::Markdown);
        assert!(book.contains("paint the gate"), "{book}");
        section(&book, "## Open threads").contains("paint the gate")
    };
    assert!(!is_open(&with_promise));
    let alive = with_promise.replace("value: dead, known_by: [kessa, bram]", "value: dead, known_by: [kessa]");
    assert!(is_open(&alive));
}

#[test]
fn a_line_that_states_a_secret_in_other_words_is_quoted() {
    let told = |is_stated: bool| {
        let mut state = mill(MILL);
        let [bram, kessa] = ["bram", "kessa"].map(|id| EntityId::new(id).unwrap());
        let secret = state.facts().find(|fact| fact.statement().contains("silver bell")).unwrap().id();
        let session = SessionId::new("s3").unwrap();
        let present = vec![bram.clone(), kessa.clone()];
        let heard_by: Vec<Knower> = present.iter().cloned().map(Knower::Entity).collect();
        let line = |line: u32, speaker: Option<EntityId>, text: String| {
            let (session, heard_by) = (Some(session.clone()), heard_by.clone());
            Change::AddPassage(Arc::new(Passage { line, speaker, session, heard_by, ..Passage::new(text) }))
        };
        let mut changes = vec![Change::SetSession(Session { present, ..Session::new(session.clone()) })];
        changes
            .extend((1..=14).map(|number| line(number, None, format!("Odo Brandt shows Mirela Voss stair {number}."))));
        changes.push(line(15, Some(kessa.clone()), "All right, it was me.".to_owned()));
        let edge = KnowledgeEdge {
            acquisition: Acquisition::Told { by: Some(kessa), citing: None },
            session: Some(session),
            ..KnowledgeEdge::authored(Knower::Entity(bram), secret)
        };
        changes.extend(is_stated.then(|| Change::Learn(Arc::new(edge))));
        state.apply(Operation::new(Author::Dm, "a confession", changes)).unwrap();
        let book = book(&state, Some("bram"), HandbookFormat::Markdown);
        assert!(book.contains("Odo Brandt shows Mirela Voss stair"), "{book}");
        book.contains("Kessa Thorn: \u{201C}All right, it was me.\u{201D}")
    };
    assert!(told(true));
    assert!(!told(false));
}

#[test]
fn the_own_statement_of_a_stranger_does_not_name_the_stranger() {
    let yaml = MILL.replace("audience: {attributes: {name: common, alias: common}}\n", "").replace(
        "subject: guild, text: \"The Guild pays Old Nobody.\"",
        "subject: guild, text: \"Old Nobody counts the coins of the Guild.\"",
    );
    let book = book(&mill(&yaml), Some("kessa"), HandbookFormat::Markdown);
    assert!(book.contains("- By their own account, a stranger counts the coins of the Guild.\n"), "{book}");
    assert!(!book.contains("Old Nobody"), "{book}");
}

#[test]
fn a_description_that_somebody_told_is_quoted() {
    let mut state = mill(MILL);
    let [odo, mirela, bram] = ["odo", "mirela", "bram"].map(|id| EntityId::new(id).unwrap());
    let text = "Odo Brandt, ferryman of the Inn. Seventy, deaf, and proud of his rope.";
    let description =
        Fact::attribute(&odo, "description", text, Provenance::new(Method::Authored, Author::Dm)).unwrap();
    let description = Arc::new(description.statement(text).build().unwrap());
    let edge = KnowledgeEdge {
        acquisition: Acquisition::Told { by: Some(mirela), citing: None },
        session: Some(SessionId::new("s1").unwrap()),
        ..KnowledgeEdge::authored(Knower::Entity(bram), description.id())
    };
    let changes = vec![Change::AssertFact(description), Change::Learn(Arc::new(edge))];
    state.apply(Operation::new(Author::Dm, "a description", changes)).unwrap();
    let book = book(&state, Some("bram"), HandbookFormat::Markdown);
    assert!(book.contains(&format!(": \u{201C}{text}\u{201D}")), "{book}");
    assert!(!book.contains("that Odo Brandt, ferryman") && !book.contains("account, Odo Brandt, ferryman"), "{book}");
}

const ROW: &str = r#"
campaign: {name: Candle Row, id: row, start: "2 Frost 10, 19:00"}
calendar: {name: C, months: [{name: Frost, days: 30}]}
audience: {attributes: {name: common}}
entities:
  - {id: kite, name: The Kite, kind: location, description: "The Kite. A tall windmill on the ridge, with one sail."}
  - {id: chandlers, name: The Chandlers, kind: faction}
  - {id: kessa, name: Kessa Thorn, kind: player, home: kite, description: "Kessa Thorn lodges in the windmill."}
  - {id: bram, name: Bram Hale, kind: player, home: kite, description: "Bram Hale guards the windmill."}
  - {id: ruth, name: Ruth Zell, kind: npc, home: kite, description: "Deaf, sixty. Lives in the Kite. Member of the Chandlers.",
     relationships: [{type: MEMBER_OF, target: chandlers, known_by: [kessa, bram]}]}
  - {id: oswin, name: Oswin Gray, kind: npc, home: none, relationships: [{type: MEMBER_OF, target: chandlers, known_by: [kessa]}]}
sessions:
  - id: s1
    number: 1
    title: The bell rope
    start: "2 Frost 10, 19:00"
    end: "2 Frost 10, 23:00"
    present: [kessa, bram]
    log:
      - {speaker: ruth, text: "i sold the bell rope to the smith. nobody asked", facts: [{id: rope, subject: ruth, text: "Ruth Zell sold the bell rope to the smith."}]}
      - {speaker: ruth, text: "Perhaps I did. Perhaps not.", facts: [{id: smith, subject: ruth, text: "Ruth Zell fears the smith of Candle Row."}]}
      - {text: "Ruth says: 'It was a gift', she lies. Nobody but Bram sees it."}
"#;

#[test]
fn an_entry_does_not_repeat_its_description_or_a_vague_home() {
    let book = book(&mill(ROW), None, HandbookFormat::Markdown);
    let ruth = section(&book, "### Ruth Zell");
    assert!(ruth.contains("Deaf, sixty. Lives in the Kite. Member of the Chandlers.\n"), "{ruth}");
    assert!(!ruth.contains("Ruth Zell lives in") && !ruth.contains("Ruth Zell is a member"), "{ruth}");
    let kessa = section(&book, "### Kessa Thorn");
    assert!(kessa.contains("Kessa Thorn lives in The Kite.") && !kessa.contains("windmill"), "{kessa}");
    // Somebody who guards a place need not live there.
    let bram = section(&book, "### Bram Hale");
    assert!(bram.contains("Bram Hale guards the windmill.") && bram.contains("Bram Hale lives in The Kite."), "{bram}");
}

#[test]
fn groups_have_members_and_places_have_residents() {
    let state = mill(ROW);
    let party = book(&state, None, HandbookFormat::Markdown);
    assert!(section(&party, "### The Chandlers").contains("**Members:** Ruth Zell\n"), "{party}");
    assert!(section(&party, "### The Kite").contains("**Residents:** Bram Hale, Kessa Thorn, Ruth Zell\n"), "{party}");
    assert!(!party.contains("Oswin"), "{party}");
    let kessa = book(&state, Some("kessa"), HandbookFormat::Markdown);
    assert!(section(&kessa, "### The Chandlers").contains("**Members:** Oswin Gray, Ruth Zell\n"), "{kessa}");
    // There is no entry for a person of whom the reader knows nothing else.
    let page = book(&state, Some("kessa"), HandbookFormat::Html);
    assert!(page.contains("Members:</b> Oswin Gray, <a href="), "{page}");
    assert!(!book(&state, Some("bram"), HandbookFormat::Html).contains("Oswin"));
}

#[test]
fn the_story_lists_only_facts_that_its_lines_do_not_say() {
    let book = book(&mill(ROW), None, HandbookFormat::Markdown);
    let story = section(&book, "## The story so far");
    assert!(
        story.contains("- Ruth Zell: \u{201C}I sold the bell rope to the smith. Nobody asked.\u{201D}\n"),
        "{story}"
    );
    assert!(story.contains("*The party learned:*") && story.contains("Ruth Zell fears the smith"), "{story}");
    assert!(!story.contains("Ruth Zell sold the bell rope"), "{story}");
    assert!(section(&book, "### Ruth Zell").contains("Ruth Zell sold the bell rope"), "{book}");
    assert!(story.contains("- Ruth says: 'It was a gift', she says.\n") && !story.contains("Nobody but"), "{story}");
}
