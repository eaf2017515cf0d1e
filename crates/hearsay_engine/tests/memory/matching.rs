//! Spoken lines that state recorded facts, with the real sentence encoder.

use std::time::{Duration, Instant};

use hearsay_commands::{
    fact_matching::{FactMatch, FactMatches, SpokenLine},
    session::{Log, LogLine, NewSession, SessionStep},
};
use hearsay_engine::Memory;
use hearsay_model::{Author, Knower};

use crate::support::{gullhaven, handle, id, options, state};

/// Lines that characters of Gullhaven could say. Each row has the speaker, the handle of the fact that the line states
/// (`-` for none), and the words, separated by tabs.
const LINES: &str = include_str!("spoken-lines.tsv");

/// Lines of narration about Gullhaven. Each row has the handle of the secret that the line states in its own words (`-`
/// for none), and the words, separated by a tab.
const NARRATION: &str = include_str!("narrated-lines.tsv");

fn with_encoder() -> Memory {
    let mut options = options();
    options.settings.model.enabled = true;
    Memory::open(options).unwrap()
}

fn with_gullhaven() -> Memory {
    let memory = with_encoder();
    memory.import(gullhaven()).unwrap().wait().unwrap();
    memory.wait_for_vectors(|_, _| true).unwrap();
    memory
}

fn matches(memory: &Memory, line: SpokenLine) -> FactMatches {
    memory.match_facts(line).unwrap().wait().unwrap()
}

#[test]
fn spoken_lines_state_the_facts_that_they_mean() {
    let memory = with_gullhaven();
    let (mut stated, mut asked, mut possible, mut questions) = (0, 0, 0, 0);
    for row in LINES.lines() {
        let fields: Vec<&str> = row.splitn(3, '\t').collect();
        let [speaker, expected, words] = fields[..] else { panic!("{row}") };
        let found = matches(&memory, SpokenLine::new(id(speaker), words));
        for fact in &found.states {
            assert_eq!(fact.reference(), expected, "a line must never state another fact: {words}");
        }
        let is_expected = |facts: &[FactMatch]| usize::from(facts.iter().any(|fact| fact.reference() == expected));
        stated += is_expected(&found.states);
        asked += is_expected(&found.may_state);
        possible += usize::from(expected != "-");
        questions += usize::from(expected == "-" && !found.may_state.is_empty());
    }
    println!("{possible} lines state a fact: {stated} recognized, {asked} asked; {questions} needless questions");
    assert!(stated * 5 >= possible * 2, "{stated} of {possible}");
    assert!((stated + asked) * 10 >= possible * 7, "{stated} and {asked} of {possible}");
    assert!(questions <= 10, "{questions}");
    memory.close().unwrap();
}

/// The campaign file of each session names the facts that a line states, so the lines are labelled.
#[test]
fn the_lines_of_the_sessions_state_only_their_facts() {
    let memory = with_gullhaven();
    let state = state(&memory);
    let (mut stated, mut asked, mut possible, mut needless) = (0, 0, 0, 0);
    for (id, passage) in state.passages() {
        let (Some(speaker), true) = (passage.speaker.clone(), passage.session.is_some()) else { continue };
        let expected: Vec<_> = state.facts_citing(id).map(|fact| fact.id()).collect();
        let line = SpokenLine { lie: passage.lie, ..SpokenLine::new(speaker, &passage.text) };
        let found = matches(&memory, line);
        for fact in &found.states {
            println!("states {:.2} {} | {}", fact.score, passage.text, fact.statement);
            assert!(expected.contains(&fact.fact), "a line must never state another fact: {}", passage.text);
        }
        let is_expected = |facts: &[FactMatch]| usize::from(facts.iter().any(|fact| expected.contains(&fact.fact)));
        stated += is_expected(&found.states);
        asked += is_expected(&found.may_state);
        possible += usize::from(!expected.is_empty());
        needless += found.may_state.iter().filter(|fact| !expected.contains(&fact.fact)).count();
    }
    println!("{possible} lines state a fact: {stated} recognized, {asked} asked; {needless} needless questions");
    assert!(possible > 30 && stated + asked > possible / 4, "{stated} and {asked} of {possible}");
    assert!(needless <= 8, "{needless}");
    drop(state);
    memory.close().unwrap();
}

#[test]
fn a_line_is_matched_within_100_ms() {
    let memory = with_gullhaven();
    let line = || SpokenLine::new(id("pell"), "I saw Odo Brandt with Jory on Salt Quay. He had the clerk on his arm.");
    matches(&memory, line());
    let mut times: Vec<Duration> = (0..20)
        .map(|_| {
            let started = Instant::now();
            matches(&memory, line());
            started.elapsed()
        })
        .collect();
    times.sort();
    println!("median {:?}, slowest {:?}", times[10], times[19]);
    assert!(times[10] < Duration::from_millis(100), "{times:?}");
    memory.close().unwrap();
}

#[test]
fn facts_without_vectors_are_compared_too() {
    let memory = with_encoder();
    memory.wait_until_settled(|| true).unwrap();
    memory.import(gullhaven()).unwrap().wait().unwrap();
    let found = matches(&memory, SpokenLine::new(id("wren-oake"), "I am the daughter of Cobb Farrow."));
    assert_eq!(found.states[0].reference(), "wren-is-cobbs-daughter", "{found:?}");
    memory.close().unwrap();
}

#[test]
fn only_the_facts_of_the_speaker_are_matched() {
    let memory = with_gullhaven();
    let words = "Hesper Dunmore ordered the death of Jory Penhale.";
    let found = |speaker: &str| matches(&memory, SpokenLine::new(id(speaker), words));
    assert_eq!(found("lucan-fairweather").states.len(), 1);
    assert_eq!(found("bettony-lark"), FactMatches::default());
    // The DM is asked about a secret that the speaker does not know.
    let asked = matches(&memory, SpokenLine { for_dm: true, ..SpokenLine::new(id("bettony-lark"), words) });
    assert_eq!((asked.states.len(), asked.may_state.len()), (0, 1), "{asked:?}");
    let secret = &asked.may_state[0];
    assert!(secret.reference() == "hesper-gave-the-order" && secret.unknown_to_speaker, "{secret:?}");
    // A line that is marked as a lie repeats only what the liar made up.
    let lie = SpokenLine { lie: true, ..SpokenLine::new(id("lucan-fairweather"), words) };
    assert_eq!(matches(&memory, lie), FactMatches::default());
    let alibi = "I sat at the club dinner from eight until midnight.";
    let alibi = SpokenLine::new(id("lucan-fairweather"), alibi);
    let unmarked = matches(&memory, alibi.clone());
    assert_eq!((unmarked.states[0].reference().as_str(), unmarked.states[0].lie), ("club-alibi", true));
    assert!(!found("lucan-fairweather").states[0].lie);
    assert_eq!(matches(&memory, SpokenLine { lie: true, ..alibi }).states[0].reference(), "club-alibi");
    // Before the murder, nobody could tell of it.
    let before = SpokenLine { time: Some("1 Galemoon 412".into()), ..SpokenLine::new(id("lucan-fairweather"), words) };
    assert_eq!(matches(&memory, before), FactMatches::default());
    assert!(memory.match_facts(SpokenLine::new(id("nobody"), words)).unwrap().wait().is_err());
    memory.close().unwrap();
}

#[test]
fn the_hearers_of_a_logged_line_learn_the_facts_that_it_states() {
    let memory = with_gullhaven();
    let new = NewSession { place: Some(id("the-gilded-gull")), ..NewSession::default() };
    memory.session(Author::Dm, SessionStep::Start(new)).unwrap().wait().unwrap();
    let secret = handle(&state(&memory), "wren-is-cobbs-daughter");
    let line = |speaker: Option<&str>| LogLine {
        speaker: speaker.map(|speaker| id(speaker).into()),
        heard_by: vec![id("sister-ilva")],
        states: vec![secret],
        ..LogLine::new("I am the daughter of Cobb Farrow.")
    };
    let log = |line| memory.log(Author::Dm, Log { lines: vec![line], ..Log::default() }).unwrap().wait();
    let knows = |who: &str| {
        let state = state(&memory);
        hearsay_belief::View::new(&state, &Knower::Entity(id(who)), None).fact(secret).is_some()
    };
    assert!(!knows("sister-ilva"));
    log(line(Some("wren-oake"))).unwrap();
    assert!(knows("sister-ilva") && !knows("kestrel-vane"));
    // The hearers of narration witness the facts.
    let text = "Wren Oake is the daughter of Cobb Farrow.".to_owned();
    log(LogLine { text, heard_by: vec![id("kestrel-vane")], ..line(None) }).unwrap();
    assert!(knows("kestrel-vane"));
    assert!(!knows("captain-rusk"));
    memory.close().unwrap();
}

#[test]
fn narration_matches_only_secrets() {
    let memory = with_gullhaven();
    let found = |words: &str| {
        let FactMatches { states, may_state } = matches(&memory, SpokenLine::narration(words));
        states.into_iter().chain(may_state).map(|fact| fact.reference()).collect::<Vec<_>>()
    };
    assert_eq!(found("Wren Oake is the daughter of Cobb Farrow."), ["wren-is-cobbs-daughter"]);
    assert_eq!(found("Everybody hears that Wren Oake is the daughter of Cobb Farrow."), ["wren-is-cobbs-daughter"]);
    assert_eq!(found("Hesper Dunmore ordered the death of Jory Penhale.").len(), 1);
    for other in ["Wren Oake buys bread.", "Is Wren Oake the daughter of Cobb Farrow?", "The bell rings at low water."]
    {
        assert_eq!(found(other), [""; 0], "{other}");
    }
    // The narration names another character, or says more than the secret.
    let discovery = "Lucan admits that Hesper ordered the death of Jory.";
    assert_eq!(found(discovery), ["hesper-gave-the-order"]);
    assert_eq!(found("Odo owes Pell forty crowns."), [""; 0]);
    memory.close().unwrap();
}

#[test]
fn narration_states_a_secret_in_its_own_words() {
    let memory = with_gullhaven();
    let (mut recognized, mut possible, mut needless) = (0, 0, 0);
    for row in NARRATION.lines() {
        let (expected, words) = row.split_once('\t').unwrap_or_else(|| panic!("{row}"));
        let FactMatches { states, may_state } = matches(&memory, SpokenLine::narration(words));
        let found: Vec<String> = states.into_iter().chain(may_state).map(|fact| fact.reference()).collect();
        println!("{expected} {found:?} {words}");
        recognized += usize::from(found.iter().any(|fact| fact == expected));
        possible += usize::from(expected != "-");
        needless += usize::from(expected == "-" && !found.is_empty());
    }
    println!("{possible} lines state a secret: {recognized} recognized; {needless} ordinary lines withheld");
    assert!(recognized * 4 >= possible * 3, "{recognized} of {possible}");
    assert!(needless <= 7, "{needless}");
    memory.close().unwrap();
}
