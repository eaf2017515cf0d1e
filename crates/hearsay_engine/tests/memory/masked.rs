//! Tests that secrets stay hidden: the speaker who uses a secret name, concealed facts, and hidden characters.

use std::fs;

use hearsay_belief::View;
use hearsay_campaign::{Handbook, HandbookFormat, HandbookReaders, HandbookRequest};
use hearsay_commands::{
    game_event::{Circumstances, GameEvent, Hearers, Stated},
    session::{Log, LogLine},
};
use hearsay_engine::{ExtractionEngine, ExtractionSettings, Memory, MemoryOptions, ModelSettings, Settings};
use hearsay_model::{Acquisition, Author, Knower};
use hearsay_query as query;
use hearsay_query::{
    ask::Ask,
    resolve::{Speaker, resolve_speaker},
    session::RecapAudience,
};
use hearsay_recall::{Detail, Form};

use crate::support::{id, ids, options, session, state};

const QUAY: &str = r#"
campaign: {name: The Quay, start: "1 Month1 1, 10:00"}
entities:
  - {id: quay, name: The Quay, kind: location}
  - id: mirela
    name: Mirela Voss
    kind: npc
    home: quay
    aliases: [{name: The Grey Lady, secret: true, conceals: [mirela], known_by: [odo]}]
  - {id: odo, name: Odo Brandt, kind: npc, home: quay}
  - id: pell
    name: Pell Marrow
    kind: player
    home: quay
    secrets: [{id: ferry, text: "Pell Marrow sank the ferry.", about: [pell]}]
  - {id: bryn, name: Bryn, kind: player, home: quay}
  - {id: cult, name: The Drowned Hand, kind: faction, description: They meet at night., visibility: [odo]}
  - {id: spy, name: Sable, kind: npc, home: quay, attributes: {occupation: spy}, visibility: [gm]}
  - {id: mate, name: Hob, kind: npc, home: quay, relationships: [{type: MEMBER_OF, target: cult}]}
sessions:
  - id: s1
    title: The first night
    present: [pell, bryn]
    log:
      - {speaker: The Grey Lady, text: "The bell rings at dusk.", heard_by: [pell, odo],
         facts: [{about: [quay], text: "The bell rings at dusk."}]}
      - {speaker: Pell Marrow, text: "It was me who sank the ferry.", heard_by: [odo], facts: [{fact: ferry}]}
      - {speaker: Bryn, text: "A fine night.", heard_by: [pell]}
"#;

fn quay(options: MemoryOptions) -> Memory {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("campaign.yaml"), QUAY).unwrap();
    let memory = Memory::open(options).unwrap();
    memory.import(place.path().to_owned()).unwrap().wait().unwrap();
    memory
}

/// Returns Mirela, who speaks under her secret name.
fn grey_lady(memory: &Memory) -> Speaker {
    resolve_speaker(&state(memory), "the grey lady").unwrap()
}

fn prompt(memory: &Memory, who: &str, question: &str) -> String {
    let ask = Ask { session: Some(session("s1")), budget: Some(5_000), ..Ask::new(id(who), question) };
    memory.ask(ask).unwrap().wait().unwrap().context.render(Form::Text, Detail::Citations)
}

fn check(memory: &Memory, question: &str, words: &str) {
    let (pell, odo) = (prompt(memory, "pell", question), prompt(memory, "odo", question));
    assert!(pell.contains(&format!("The Grey Lady said: \u{201C}{words}")), "{pell}");
    assert!(!pell.contains("Mirela Voss said") && !pell.contains("told by Mirela"), "{pell}");
    assert!(odo.contains(&format!("Mirela Voss said: \u{201C}{words}")), "{odo}");
    let state = state(memory);
    let view = View::new(&state, &Knower::Entity(id("pell")), None);
    for (_, heard) in view.passages().filter(|(_, heard)| heard.passage.text.starts_with(words)) {
        assert_eq!(
            (heard.passage.speaker.as_ref(), &heard.passage.speaker_alias),
            (None, &Some("The Grey Lady".into()))
        );
        assert!(!heard.passage.heard_by.contains(&Knower::Entity(id("mirela"))));
    }
    let by_mirela = |acquisition: &Acquisition| matches!(acquisition, Acquisition::Told { by: Some(by), .. } if by.as_str() == "mirela");
    let known_edges = view.facts().flat_map(|known| known.known_edges().iter().map(|way| way.edge.clone()));
    assert_eq!(known_edges.filter(|edge| by_mirela(&edge.acquisition)).count(), 0);
}

#[test]
fn hearers_of_a_secret_name_do_not_learn_its_owner() {
    let memory = quay(options());
    check(&memory, "When does the bell ring?", "The bell rings");
    let say = GameEvent::Say {
        speaker: grey_lady(&memory),
        text: "The tide comes at ten.".into(),
        states: vec![Stated::Lore { about: id("quay"), text: "The tide comes at ten.".into() }],
        hearers: Hearers::Listed(ids(&["pell", "odo"])),
        lie: false,
        circumstances: Circumstances { session: Some(session("s1")), ..Circumstances::default() },
    };
    memory.learn(Author::Dm, say).unwrap().wait().unwrap();
    check(&memory, "When does the tide come?", "The tide comes");
    let tell = GameEvent::Tell {
        teller: grey_lady(&memory),
        fact: Stated::Lore { about: id("quay"), text: "The lamp is out.".into() },
        hearers: Hearers::Listed(ids(&["pell", "odo"])),
        retold: None,
        lie: false,
        citing: None,
        credence: None,
        circumstances: Circumstances::default(),
    };
    memory.learn(Author::Dm, tell).unwrap().wait().unwrap();
    assert!(prompt(&memory, "odo", "Is the lamp out?").contains("told by Mirela Voss"));
    let line = LogLine {
        speaker: Some(grey_lady(&memory)),
        heard_by: ids(&["bryn", "odo", "pell"]),
        ..LogLine::new("Beware of the harbour dogs.")
    };
    let log = Log { session: Some(session("s1")), lines: vec![line], ..Log::default() };
    memory.log(Author::Dm, log).unwrap().wait().unwrap();
    check(&memory, "What of the harbour dogs?", "Beware of the harbour");

    let state = state(&memory);
    let recap = |whom| query::session::session_recap(&state, Some(&session("s1")), &whom, 500).unwrap();
    let players = serde_json::to_string(&recap(RecapAudience::Players)).unwrap();
    assert!(
        players.contains("The Grey Lady: ") && !players.contains("Mirela") && !players.contains("mirela"),
        "{players}"
    );
    assert!(recap(RecapAudience::Dm).recap.lines.iter().any(|line| line.text.starts_with("Mirela Voss: ")));

    // A character who learns to whom the name belongs knows who the speaker is.
    let alias = state.facts().find(|fact| *fact.predicate() == *"alias").unwrap().id();
    let reveal = GameEvent::Reveal {
        holder: id("mirela").into(),
        fact: alias,
        to: Hearers::Listed(ids(&["pell"])),
        openly: false,
        circumstances: Circumstances::default(),
    };
    memory.learn(Author::Dm, reveal).unwrap().wait().unwrap();
    let pell = prompt(&memory, "pell", "When does the tide come?");
    assert!(pell.contains("Mirela Voss said: \u{201C}The tide"), "{pell}");
}

#[test]
fn facts_from_lines_of_a_secret_name_do_not_reveal_its_owner() {
    let model = ModelSettings { enabled: false, ..ModelSettings::default() };
    let patterns = ExtractionSettings { engine: ExtractionEngine::Patterns, ..ExtractionSettings::default() };
    let settings = Settings { extraction: patterns, model, ..Settings::default() };
    let memory = quay(MemoryOptions { settings, ..options() });
    let say = GameEvent::Say {
        speaker: grey_lady(&memory),
        text: "I hate Odo. Bryn owes Odo forty crowns.".into(),
        states: Vec::new(),
        hearers: Hearers::Listed(ids(&["pell", "odo"])),
        lie: false,
        circumstances: Circumstances::default(),
    };
    memory.learn(Author::Game, say).unwrap().wait().unwrap();
    memory.wait_for_reading(|_| true).unwrap();
    let state = state(&memory);
    let knows = |who: &str, name: &str| {
        let view = View::new(&state, &Knower::Entity(id(who)), None);
        view.facts().any(|known| *known.predicate() == *name && known.subject() != &id("mate"))
    };
    assert!(knows("odo", "HOSTILE_TO") && knows("odo", "OWES") && knows("pell", "OWES"));
    assert!(!knows("pell", "HOSTILE_TO"), "who hates Odo is who the Grey Lady is");
    check(&memory, "Who owes whom?", "I hate Odo");
}

#[test]
fn a_line_does_not_reveal_a_fact_that_a_player_conceals() {
    let memory = quay(options());
    let state = state(&memory);
    let players = [id("pell"), id("bryn")];
    let request = HandbookRequest { title: "The Quay", party: &players, readers: HandbookReaders::Party, as_of: None };
    let book = Handbook::new(&state, &request).write(HandbookFormat::Markdown);
    let recap = query::session::session_recap(&state, Some(&session("s1")), &RecapAudience::Players, 500).unwrap();
    let recap = serde_json::to_string(&recap).unwrap();
    for text in [&book, &recap] {
        assert!(text.contains("A fine night."), "{text}");
        assert!(!text.contains("sank the ferry"), "{text}");
    }
    let recap_for_pell =
        query::session::session_recap(&state, Some(&session("s1")), &RecapAudience::Character(id("pell")), 500)
            .unwrap();
    assert!(serde_json::to_string(&recap_for_pell).unwrap().contains("sank the ferry"), "its own it may hear");
}

#[test]
fn whom_not_everybody_may_see_is_not_common_lore() {
    let memory = quay(options());
    let state = state(&memory);
    let names = |who: &str, name: &str| {
        let view = View::new(&state, &Knower::Entity(id(who)), None);
        view.facts().any(|known| {
            known.statement().contains(name) || known.object().text().is_some_and(|text| text.contains(name))
        })
    };
    for (who, cult, spy) in [("odo", true, false), ("pell", false, false), ("bryn", false, false), ("spy", false, true)]
    {
        assert_eq!((names(who, "Drowned Hand"), names(who, "Sable")), (cult, spy), "{who}");
    }
    let kinds = |who: &str, of: &str| {
        let view = View::new(&state, &Knower::Entity(id(who)), None);
        view.facts_about(&id(of)).any(|known| *known.predicate() == *"kind" && known.subject() == &id(of))
    };
    assert!(kinds("odo", "cult") && !kinds("pell", "cult") && !kinds("pell", "spy"));
}
