//! Game events, the edges that they make, and retractions.

use hearsay_belief::View;
use hearsay_commands::{
    edit::{Edit, FactOptions},
    game_event::{Circumstances, GameEvent, Hearers, Retelling, Stated},
    retcon::Retcon,
};
use hearsay_engine::{Memory, MemoryError, Written};
use hearsay_model::{Author, FactId, FactRelation, FactStatus, GameTime, Kind, Timestamp};
use hearsay_query::preview::Preview;

use crate::support::*;

pub(crate) fn lore(about: &str, text: &str) -> Stated {
    Stated::Lore { about: id(about), text: text.into() }
}

pub(crate) fn parts(subject: &str, predicate: &str, object: &str) -> Stated {
    Stated::Parts { subject: id(subject), predicate: predicate.into(), object: entity(object), statement: None }
}

pub(crate) fn witness(fact: Stated, witnesses: &[&str]) -> GameEvent {
    GameEvent::Witness {
        facts: vec![fact],
        witnesses: Hearers::listed_or_at_place(ids(witnesses)),
        circumstances: Circumstances::default(),
    }
}

pub(crate) fn tell(teller: &str, fact: Stated, hearers: &[&str]) -> GameEvent {
    GameEvent::Tell {
        teller: id(teller).into(),
        fact,
        hearers: Hearers::listed_or_at_place(ids(hearers)),
        retold: None,
        lie: false,
        citing: None,
        credence: None,
        circumstances: Circumstances::default(),
    }
}

pub(crate) fn try_learn(memory: &Memory, game_event: GameEvent) -> Result<Written, MemoryError> {
    memory.learn(Author::Dm, game_event).unwrap().wait()
}

pub(crate) fn learn(memory: &Memory, game_event: GameEvent) -> Written {
    try_learn(memory, game_event).unwrap()
}

fn previewed(memory: &Memory, game_event: GameEvent) -> Preview {
    let make = move |snapshot: &hearsay_engine::ReadSnapshot| {
        Ok(game_event.operation(&snapshot.state, Author::Dm, Timestamp(0))?)
    };
    memory.preview(make).unwrap().wait().unwrap()
}

/// Returns the credence of a character in a sentence, in hundredths; `None` if the character does not know the
/// sentence.
pub(crate) fn believes(memory: &Memory, who: &str, statement: &str) -> Option<i64> {
    let view = View::new(&state(memory), &id(who).into(), None);
    let known = view.facts().find(|known| known.statement() == statement)?;
    Some((view.belief(known).credence.get() * 100.0).round() as i64)
}

/// Returns the recorded fact with this sentence.
pub(crate) fn recorded(memory: &Memory, statement: &str) -> Stated {
    Stated::Recorded(reference(memory, statement))
}

pub(crate) fn reference(memory: &Memory, statement: &str) -> FactId {
    let state = state(memory);
    let found = state.facts().find(|fact| fact.statement() == statement);
    found.unwrap_or_else(|| panic!("{statement}")).id()
}

const FIRE: &str = "The Gull burned.";

#[test]
fn those_present_see_it_and_others_hear_of_it_with_less_belief() {
    let memory = town();
    set_clock(&memory, 5 * DAY);
    let here = GameEvent::Witness {
        facts: vec![lore("The Gull", FIRE)],
        witnesses: Hearers::AtPlace,
        circumstances: Circumstances { place: Some(id("The Gull")), ..Circumstances::default() },
    };
    let previewed_event = previewed(&memory, here.clone());
    let lessons: Vec<_> =
        previewed_event.lessons.iter().map(|lesson| (lesson.knower.to_string(), lesson.before)).collect();
    assert_eq!(lessons, [("mirela-voss".to_owned(), None), ("pell".to_owned(), None)]);
    assert_eq!(believes(&memory, "pell", FIRE), None, "a preview changes nothing");
    assert_eq!(learn(&memory, here).summary, "Mirela Voss and Pell see \u{201C}The Gull burned.\u{201D}");
    assert_eq!((believes(&memory, "pell", FIRE), believes(&memory, "odo-brandt", FIRE)), (Some(100), None));
    // The trust in a stranger is 0.6, and each retelling multiplies the credence by 0.9. Bram hears the fact from Odo.
    learn(&memory, tell("Pell", recorded(&memory, FIRE), &["Odo Brandt"]));
    assert_eq!(believes(&memory, "odo-brandt", FIRE), Some(54));
    do_edit(&memory, add("Bram", Kind::Npc, None));
    learn(&memory, tell("Odo Brandt", recorded(&memory, FIRE), &["Bram"]));
    assert_eq!(believes(&memory, "bram", FIRE), Some(29));
    // A distorted version is a separate fact.
    let retold = Some(Retelling { statement: Some("The Gull was set on fire.".into()), object: None });
    let GameEvent::Tell { teller, fact, hearers, lie, citing, credence, circumstances, .. } =
        tell("Pell", recorded(&memory, FIRE), &["Bram"])
    else {
        unreachable!()
    };
    learn(&memory, GameEvent::Tell { teller, fact, hearers, retold, lie, citing, credence, circumstances });
    let wrong_reference = reference(&memory, "The Gull was set on fire.");
    let state = state(&memory);
    let fact_relation = state.fact(wrong_reference).unwrap().fact_relation();
    assert!(matches!(fact_relation, Some(FactRelation::Distorts(_))));
    assert_eq!(believes(&memory, "bram", "The Gull was set on fire."), Some(54));
    // If Pell never witnessed the fact, all edges that depend on his edge become inactive. Mirela still knows the fact.
    let forget = GameEvent::Forget { knower: id("Pell"), fact: reference(&memory, FIRE) };
    let lost = previewed(&memory, forget.clone()).lost;
    let lost: Vec<_> = lost.iter().map(|loss| (loss.knower.to_string(), loss.statement.clone())).collect();
    assert_eq!(lost.len(), 4, "{lost:?}");
    learn(&memory, forget);
    assert_eq!(believes(&memory, "bram", FIRE), None);
    assert_eq!(believes(&memory, "bram", "The Gull was set on fire."), None);
    assert_eq!(believes(&memory, "mirela-voss", FIRE), Some(100));
}

#[test]
fn a_witness_tells_the_fact_that_it_saw() {
    let memory = town();
    let debt = || parts("Odo Brandt", "owes", "Pell");
    learn(&memory, witness(debt(), &["Mirela Voss"]));
    learn(&memory, tell("Mirela Voss", debt(), &["Pell"]));
    let seen = fact(&memory, "odo-brandt", "OWES");
    assert_eq!((seen.status(), believes(&memory, "pell", seen.statement())), (FactStatus::Canon, Some(54)));
    learn(&memory, tell("Pell", debt(), &["Odo Brandt"]));
    assert_eq!(believes(&memory, "odo-brandt", seen.statement()), Some(29));
    learn(&memory, witness(lore("The Gull", FIRE), &["Pell"]));
    learn(&memory, tell("Pell", lore("The Gull", FIRE), &["Odo Brandt"]));
    assert_eq!(facts(&memory, "the-gull", "lore").len(), 1);
    learn(&memory, GameEvent::Forget { knower: id("Mirela Voss"), fact: seen.id() });
    assert_eq!(believes(&memory, "odo-brandt", seen.statement()), None, "the chain is whole");
}

#[test]
fn hearers_of_a_line_learn_its_facts() {
    let memory = town();
    set_clock(&memory, DAY);
    let say = |text: &str, states: Vec<Stated>, hearers: &[&str], lie| GameEvent::Say {
        speaker: id("Mirela Voss").into(),
        text: text.into(),
        states,
        hearers: Hearers::listed_or_at_place(ids(hearers)),
        lie,
        circumstances: Circumstances::default(),
    };
    let owes = || vec![parts("Odo Brandt", "owes", "Pell")];
    learn(&memory, say("Odo Brandt owes him.", owes(), &[], false));
    let debt = fact(&memory, "odo-brandt", "OWES");
    assert_eq!(debt.status(), FactStatus::Claimed);
    assert_eq!(debt.provenance().speaker, Some(id("mirela-voss")));
    assert_eq!(known_by(&memory, &debt), ["mirela-voss", "mirela-voss", "pell"], "Pell is where she is");
    let state = state(&memory);
    let (_, line) = state.passages().next().unwrap();
    assert_eq!((line.line, line.mentions.as_slice()), (1, &[id("odo-brandt")][..]));
    // Telling a fact twice makes two edges.
    learn(&memory, say("Odo Brandt owes him.", Vec::new(), &[], false));
    assert_eq!(crate::support::state(&memory).passages().count(), 2);
    learn(&memory, say("I was out.", vec![lore("Mirela Voss", "Mirela was out.")], &["Odo Brandt"], true));
    assert_eq!(with_status(&memory, FactStatus::False), ["Mirela was out."]);
    let belief = |who| believes(&memory, who, "Mirela was out.");
    assert_eq!((belief("mirela-voss"), belief("odo-brandt")), (Some(0), Some(54)));
}

#[test]
fn a_secret_that_is_told_stays_one_unless_it_is_told_openly() {
    let memory = town();
    let secret = FactOptions { secret: true, ..FactOptions::default() };
    do_edit(&memory, set_with("Pell", "goals", "Leave.", secret));
    let goals = fact(&memory, "pell", "goals");
    let edge = hearsay_model::KnowledgeEdge {
        conceals: true,
        ..hearsay_model::KnowledgeEdge::authored(id("pell").into(), goals.id())
    };
    let change = hearsay_model::Change::Learn(edge.into());
    let conceal = move |_: &hearsay_engine::ReadSnapshot| {
        Ok(hearsay_model::Operation::new(Author::Dm, "conceal", vec![change.clone()]))
    };
    memory.write(conceal).unwrap().wait().unwrap();
    let reveal = |to: &str, openly| GameEvent::Reveal {
        holder: id("Pell").into(),
        fact: goals.id(),
        to: Hearers::Listed(ids(&[to])),
        openly,
        circumstances: Circumstances::default(),
    };
    let conceals = || {
        let view = View::new(&state(&memory), &id("pell").into(), None);
        view.fact(goals.id()).unwrap().conceals()
    };
    learn(&memory, reveal("Odo Brandt", false));
    assert!(conceals() && believes(&memory, "odo-brandt", goals.statement()).is_some());
    learn(&memory, reveal("Mirela Voss", true));
    assert!(!conceals() && believes(&memory, "mirela-voss", goals.statement()).is_some());
}

#[test]
fn conclusions_and_denials() {
    let memory = town();
    learn(&memory, witness(lore("The Gull", FIRE), &["Pell"]));
    let deduce = |from: FactId, certainty| GameEvent::Deduce {
        knower: id("Pell"),
        conclusion: lore("Odo Brandt", "Odo set it."),
        from: vec![from],
        certainty: Some(certainty),
        circumstances: Circumstances::default(),
    };
    learn(&memory, deduce(reference(&memory, FIRE), 0.7));
    assert_eq!(believes(&memory, "pell", "Odo set it."), Some(70));
    learn(&memory, tell("Pell", recorded(&memory, "Odo set it."), &["Mirela Voss"]));
    assert_eq!(believes(&memory, "mirela-voss", "Odo set it."), Some(38));
    let refute = |teller: Option<&str>, hearers: &[&str]| GameEvent::Refute {
        fact: reference(&memory, "Odo set it."),
        statement: Some("Odo did not.".into()),
        teller: teller.map(|name| id(name).into()),
        hearers: Hearers::listed_or_at_place(ids(hearers)),
        credence: None,
        circumstances: Circumstances::default(),
    };
    learn(&memory, refute(Some("Odo Brandt"), &["Mirela Voss"]));
    let mut claims = with_status(&memory, FactStatus::Claimed);
    claims.sort();
    assert_eq!(claims, ["Odo did not.", "Odo set it."]);
    assert_eq!(believes(&memory, "mirela-voss", "Odo set it."), Some(22), "0.38 × (1 − 0.54) ÷ (1 − 0.38 × 0.54)");
    learn(&memory, refute(None, &["Pell"]));
    assert_eq!(believes(&memory, "pell", "Odo set it."), Some(0));
}

#[test]
fn a_witnessed_state_ends_the_earlier_one() {
    let memory = town();
    set_clock(&memory, 5 * DAY);
    learn(&memory, witness(parts("Pell", "LOCATED_AT", "Harbour"), &["Odo Brandt"]));
    assert_eq!(course(&memory, "pell", "LOCATED_AT"), ["harbour 5..", "the-gull ..5"]);
    assert_eq!(believes(&memory, "mirela-voss", "Pell is at The Gull."), Some(100), "nobody told her");
}

#[test]
fn a_state_that_is_witnessed_twice_is_one_fact() {
    let memory = town();
    for (day, witness_name) in [(5, "Odo Brandt"), (6, "Mirela Voss")] {
        set_clock(&memory, day * DAY);
        learn(&memory, witness(parts("Pell", "LOCATED_AT", "Harbour"), &[witness_name]));
    }
    assert_eq!(course(&memory, "pell", "LOCATED_AT"), ["harbour 5..", "the-gull ..5"]);
    for knower in ["odo-brandt", "mirela-voss"] {
        assert_eq!(believes(&memory, knower, "Pell is at Harbour."), Some(100), "{knower}");
    }
}

#[test]
fn a_retraction_lists_the_lost_edges_first() {
    let memory = town();
    set_clock(&memory, 5 * DAY);
    learn(&memory, witness(lore("The Gull", FIRE), &["Pell"]));
    learn(&memory, tell("Pell", recorded(&memory, FIRE), &["Odo Brandt"]));
    let fact = reference(&memory, FIRE);
    let preview_retcon = |retcon: Retcon| {
        let make = move |snapshot: &hearsay_engine::ReadSnapshot| {
            Ok(retcon.operation(&snapshot.state, Author::Dm, Timestamp(0))?)
        };
        memory.preview(make).unwrap().wait().unwrap()
    };
    let until = || Retcon::Until { fact, until: "412".into() };
    let ends = preview_retcon(until());
    let still: Vec<_> = ends.still.iter().map(|believer| believer.knower.as_str()).collect();
    assert_eq!((still, ends.lost.len()), (vec!["odo-brandt", "pell"], 0));
    let retraction = Retcon::Retract { fact };
    let impact = preview_retcon(retraction.clone());
    assert_eq!((impact.lost.len(), impact.still.len()), (2, 0));
    memory.retcon(until()).unwrap().wait().unwrap();
    assert!(state(&memory).fact(fact).unwrap().validity().is_closed());
    assert_eq!(believes(&memory, "odo-brandt", FIRE), Some(54), "belief does not read the world");
    memory.retcon(retraction).unwrap().wait().unwrap();
    assert_eq!(believes(&memory, "odo-brandt", FIRE), None);
    let early = FactOptions { since: Some("400".into()), ..FactOptions::default() };
    do_edit(&memory, relate_with("Pell", "OWES", "Mirela Voss", early));
    let owes = crate::support::fact(&memory, "pell", "OWES").id();
    let retcon = Retcon::Until { fact: owes, until: "399".into() };
    refused(
        &memory,
        |memory| memory.retcon(retcon).unwrap().wait(),
        &["is true from", "cannot end at the earlier date 399"],
    );
}

#[test]
fn a_corrected_fact_takes_its_chains_along() {
    let memory = town();
    do_edit(&memory, add("Bram", Kind::Npc, None));
    learn(&memory, witness(lore("The Gull", FIRE), &["Pell"]));
    learn(&memory, tell("Pell", recorded(&memory, FIRE), &["Odo Brandt"]));
    learn(&memory, tell("Odo Brandt", recorded(&memory, FIRE), &["Bram"]));
    // Odo witnesses that Pell told the truth, and believes Pell's next statement more.
    learn(&memory, witness(recorded(&memory, FIRE), &["Odo Brandt"]));
    learn(&memory, witness(lore("Pell", "Pell saw a boat."), &["Pell"]));
    learn(&memory, tell("Pell", recorded(&memory, "Pell saw a boat."), &["Odo Brandt"]));
    let beliefs = |fire: &str| {
        let of = |who| believes(&memory, who, fire);
        (of("pell"), of("odo-brandt"), of("bram"), believes(&memory, "odo-brandt", "Pell saw a boat."))
    };
    let before = beliefs(FIRE);
    assert_eq!(before, (Some(100), Some(100), Some(29), Some(61)));
    let edges = state(&memory).all_knowledge().count();
    let correct_statement = "The Gull burned down.";
    let correct =
        Edit::Correct { fact: reference(&memory, FIRE), object: None, statement: Some(correct_statement.into()) };
    do_edit(&memory, correct);
    assert_eq!(beliefs(correct_statement), before);
    assert_eq!(state(&memory).all_knowledge().count(), edges, "nothing sleeps, nothing is there twice");
    let forget = GameEvent::Forget { knower: id("Pell"), fact: reference(&memory, correct_statement) };
    learn(&memory, forget);
    assert_eq!(believes(&memory, "bram", correct_statement), None, "the chain is whole");
}

#[test]
fn impossible_events_change_nothing() {
    let memory = town();
    set_clock(&memory, 5 * DAY);
    do_edit(&memory, add("Bram", Kind::Npc, Some("The Gull")));
    do_edit(&memory, set("Bram", "condition", "dead"));
    learn(&memory, witness(lore("The Gull", FIRE), &["Pell"]));
    let fire = || recorded(&memory, FIRE);
    let check = |game_event: GameEvent, words: &[&str]| refused(&memory, |memory| try_learn(memory, game_event), words);
    check(tell("Mirela Voss", fire(), &["Pell"]), &["mirela-voss does not know that", FIRE]);
    check(tell("Pel", fire(), &["Mirela Voss"]), &["there is no entity `pel`", "did you mean pell"]);
    check(tell("Pell", fire(), &["Mirella"]), &["there is no entity `mirella`", "mirela-voss"]);
    check(tell("Pell", fire(), &["Bram"]), &["bram is dead"]);
    check(tell("Bram", fire(), &["Pell"]), &["bram is dead"]);
    check(tell("Pell", fire(), &["Pell"]), &["cannot tell a fact to itself"]);
    check(tell("Pell", fire(), &["Silver Ring"]), &["silver-ring", "cannot know facts"]);
    check(tell("Odo Brandt", lore("Pell", "Pell snores."), &[]), &["nobody would learn the fact"]);
    check(tell("Pell", Stated::Recorded(no_fact()), &["Mirela Voss"]), &["there is no fact with the id 0000"]);
    check(witness(parts("Pell", "OWES", "Nobody"), &["Pell"]), &["there is no entity `nobody`"]);
    check(witness(parts("Pell", "occupation", "Odo Brandt"), &["Pell"]), &["the object of occupation must be a value"]);
    let at = |time: Option<&str>, session: Option<&str>| GameEvent::Witness {
        facts: vec![lore("Pell", "Pell snores.")],
        witnesses: Hearers::Listed(ids(&["Mirela Voss"])),
        circumstances: Circumstances {
            place: None,
            time: time.map(str::to_owned),
            session: session.map(crate::support::session),
        },
    };
    check(at(Some("31 Month1 3"), None), &["31 Month1 3", "the day of Month1", "from 1 to 30"]);
    check(at(Some("the feast"), None), &["the feast", "is not a date"]);
    check(at(None, Some("9")), &["there is no session `9`"]);
    let forget = |who: &str| GameEvent::Forget { knower: id(who), fact: reference(&memory, FIRE) };
    check(forget("Odo Brandt"), &["odo-brandt did not learn"]);
    let deduce = |from: Vec<FactId>| GameEvent::Deduce {
        knower: id("Mirela Voss"),
        conclusion: lore("Pell", "Pell did it."),
        from,
        certainty: None,
        circumstances: Circumstances::default(),
    };
    check(deduce(Vec::new()), &["at least one premise"]);
    check(deduce(vec![reference(&memory, FIRE)]), &["does not know that", "cannot deduce"]);
    let read = GameEvent::Read {
        document: id("Silver Ring"),
        readers: ids(&["Pell"]),
        credence: None,
        circumstances: Circumstances::default(),
    };
    check(read, &["no text of the document silver-ring"]);
    let GameEvent::Tell { teller, fact, hearers, lie, citing, circumstances, retold, .. } =
        tell("Pell", fire(), &["Mirela Voss"])
    else {
        unreachable!()
    };
    let credence = Some(1.5);
    let sure = GameEvent::Tell { teller, fact, hearers, lie, citing, circumstances, retold, credence };
    check(sure, &["credence must be from 0 to 1, not 1.5"]);
    assert_eq!(state(&memory).clock(), Some(GameTime(5 * DAY)));
}
