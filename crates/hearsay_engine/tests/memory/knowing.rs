//! Queries about knowledge and beliefs in the example campaign.

use std::{collections::BTreeSet, sync::Arc};

use hearsay_belief::BeliefStatus;
use hearsay_commands::{
    edit::{Edit, FactOptions},
    game_event::{Circumstances, GameEvent, Hearers, Stated},
    retcon::Retcon,
};
use hearsay_engine::MemoryError;
use hearsay_model::{
    Author, Change, FactId, FactStatus, Kind, Knower, KnowledgeEdge, Operation, Position, State, Timestamp,
};
use hearsay_query as query;
use hearsay_query::{
    QueryError,
    as_of::AsOf,
    knowledge::KnowsFilter,
    secrets::{Obstacle, SecretFilter},
};
use hearsay_recall::CitedAcquisition;

use crate::{learning::*, support::*};

fn campaign() -> (hearsay_engine::Memory, Arc<State>) {
    let memory = empty();
    memory.import(gullhaven()).unwrap().wait().unwrap();
    let state = state(&memory);
    (memory, state)
}

fn as_of(state: &State, text: &str) -> Result<Option<hearsay_model::GameTime>, MemoryError> {
    Ok(AsOf { time: Some(text.into()), recorded: None }.moment(state)?)
}

#[test]
fn readings_of_a_campaign() {
    let (memory, before) = campaign();
    let moment = |text: &str| as_of(&before, text).unwrap();
    let print = |text: &str| before.calendar().format(moment(text).unwrap());
    assert_eq!(print("4 Rainmoon 412"), "4 Rainmoon 412 HR, 23:59");
    assert_eq!(print("4 Rainmoon 412, 10:15"), "4 Rainmoon 412 HR, 10:15");
    for session in ["session-2", "Session 2"] {
        assert_eq!(print(session), "4 Rainmoon 412 HR, 20:00");
    }
    let refused = |text: &str, part: &str| {
        let error = as_of(&before, text).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused("session-9", "`session-2`");
    refused("the feast", "is not a date");

    let filter = |words: &str, since: Option<&str>| KnowsFilter {
        words: Some(words.into()),
        since: since.map(str::to_owned),
        limit: 5,
        ..KnowsFilter::default()
    };
    let knows = |who: &str, words: &str, since: Option<&str>, time: Option<&str>| {
        let (rows, all) =
            query::knowledge::knows(&before, &id(who), &filter(words, since), time.and_then(moment)).unwrap();
        assert_eq!(rows.len(), all.min(5));
        rows.into_iter().map(|row| (row.since, row.acquisition)).next()
    };
    let told_by = |at: &str, by: &str| Some((Some(at.to_owned()), format!("told by {by}")));
    let sweet = "fresh waters lungs";
    assert_eq!(knows("sister-ilva", sweet, None, None), told_by("4 Rainmoon 412 HR, 12:00", "sabine-orrin"));
    assert_eq!(knows("sister-ilva", sweet, None, Some("session-1")), None);
    assert_eq!(knows("sister-ilva", sweet, Some("session-3"), None), None);
    let players = |time: &str| query::knowledge::party(&before, &filter(sweet, None), moment(time)).unwrap().0;
    assert!(players("session-1").is_empty());
    assert_eq!(players("session-2")[0].known_by.len(), 1, "Sister Ilva alone");
    assert_eq!(players("session-2")[0].since.as_deref(), Some("4 Rainmoon 412 HR, 12:00"));

    let missed = query::knowledge::missed(&before, &id("kestrel-vane"), &session("session-2")).unwrap();
    assert!(!missed.was_there && missed.facts.len() >= 8 && missed.lines.len() >= 10);
    let water = missed.facts.iter().find(|row| row.statement.contains("fresh water")).unwrap();
    assert_eq!(water.learned_by, [id("sister-ilva")]);
    assert!(water.heard_since.as_ref().unwrap().contains("told by sister-ilva"), "{water:?}");
    assert!(query::knowledge::missed(&before, &id("sister-ilva"), &session("session-2")).unwrap().was_there);

    let found_ledger = handle(&before, "jory-found-the-ledger");
    let chain = query::beliefs::derivation(&before, &id("tamsin-reed"), found_ledger, None).unwrap();
    assert_eq!((chain.known_edges.len(), chain.known_edges[0].acquisition.as_str()), (1, "told by jory-penhale"));
    let unknown = query::beliefs::derivation(&before, &id("pell"), found_ledger, None).unwrap_err();
    assert!(matches!(unknown, QueryError::NotKnown { .. }), "{unknown}");

    let password = handle(&before, "watch-password");
    let holders = query::who_knows::who_knows(&before, password, None).unwrap();
    let ids = |rows: &[query::who_knows::HolderRow]| rows.iter().map(|row| row.knower.to_string()).collect::<Vec<_>>();
    assert_eq!(ids(&holders.groups), ["harbour-watch"]);
    assert!(ids(&holders.characters).contains(&"captain-rusk".to_owned()), "{holders:?}");
    assert!(!ids(&holders.characters).contains(&"dorric-stane".to_owned()));
    let early = query::who_knows::who_knows(&before, password, moment("29 Galemoon 412")).unwrap();
    assert!(early.groups.is_empty() && early.characters.is_empty());
    let sweet_water = handle(&before, "sweet-water");
    assert!(query::who_knows::who_knows(&before, sweet_water, None).unwrap().unaware.contains(&id("jory-penhale")));

    let why = |who: &str, fact: &str, time: Option<&str>| {
        let answer = query::secrets::why_not(&before, &id(who), handle(&before, fact), time.and_then(moment)).unwrap();
        let reasons: Vec<_> = answer.reasons.iter().map(Obstacle::describe).collect();
        (answer, reasons.join("; "))
    };
    let (answer, reasons) = why("dorric-stane", "watch-password", None);
    assert!(reasons.contains("after the character had left (14 Highsun 404)"), "{reasons}");
    let first = &answer.sources[0];
    assert_eq!((first.knower.as_str(), first.acquainted.is_some()), ("captain-rusk", true), "{answer:?}");
    assert!(
        why("pell", "watch-password", None)
            .1
            .contains("everybody in harbour-watch knows it, but the character is not a member or resident")
    );
    assert!(
        why("sister-ilva", "sweet-water", Some("session-1")).1.contains("learns it later: 4 Rainmoon 412 HR, 12:00")
    );
    assert!(why("sister-ilva", "sweet-water", None).0.knows.is_some());
    let (answer, _) = why("pell", "jory-found-the-ledger", None);
    assert!(answer.sources.last().unwrap().conceals, "who keeps it stands last: {answer:?}");

    let secrets = |who: Option<&str>, untold| {
        let filter = SecretFilter { character: who.map(id), untold, limit: 1_000 };
        query::secrets::secrets(&before, &filter, None).unwrap().0
    };
    let found = secrets(Some("mirela-voss"), false);
    let ledger = found.iter().find(|row| row.handle.as_deref() == Some("jory-found-the-ledger")).unwrap();
    assert_eq!(ledger.told.len(), 2);
    assert!(ledger.holders.iter().any(|holder| holder.conceals));
    assert!(secrets(None, true).iter().all(|row| row.untold));
    assert!(secrets(None, true).len() < secrets(None, false).len());

    // A belief before and after the knower hears that it is not true.
    let club = |state: &State| {
        let rows =
            query::beliefs::beliefs(state, &id("captain-rusk"), &id("lucan-fairweather"), Some("lore"), None).unwrap();
        rows.answers.into_iter().find(|row| row.statement.starts_with("Lucan Fairweather sat"))
    };
    let subject = hearsay_query::resolve::find_fact(&before, "club-alibi").unwrap().subject().clone();
    assert_eq!(subject, id("lucan-fairweather"));
    let alibi = club(&before).unwrap();
    assert_eq!((alibi.hold, alibi.status), (BeliefStatus::Believed, Some(FactStatus::False)));
    let refute = GameEvent::Refute {
        fact: handle(&before, "club-alibi"),
        statement: None,
        teller: None,
        hearers: Hearers::Listed(vec![id("captain-rusk")]),
        credence: None,
        circumstances: Circumstances { session: Some(session("session-4")), ..Circumstances::default() },
    };
    learn(&memory, refute);
    let after = state(&memory);
    let alibi = club(&after).unwrap();
    assert!(matches!(alibi.hold, BeliefStatus::Outweighed(_)) && alibi.credence < 0.01, "{alibi:?}");
    assert_eq!(alibi.against.len(), 1);
    let row = query::facts::fact_row(&after, &hearsay_query::resolve::find_fact(&after, "club-alibi").unwrap());
    assert_eq!(row.fact_relations[0].relation, "refuted by");
    // At an earlier position of the journal, the same query returns the earlier belief.
    let recorded = |position: u64| AsOf { time: None, recorded: Some(Position(position)) }.state(&after);
    assert_eq!(club(&recorded(1).unwrap()).unwrap().hold, BeliefStatus::Believed);
    assert!(recorded(99).unwrap_err().to_string().contains("there is no operation with the number 99 yet"));
    // A character has reason to believe that another one knows a fact if both were present, or if one told the other.
    learn(&memory, tell("sister-ilva", Stated::Recorded(handle(&after, "sweet-water")), &["wren-oake"]));
    let after = state(&memory);
    let sabine = id("sabine-orrin");
    let thinks = |who: &str, other: &str| {
        let rows = query::beliefs::attributed_facts(&after, &id(who), &id(other), Some(&sabine), None, None).unwrap();
        rows.into_iter().map(|row| row.because).collect::<Vec<_>>()
    };
    assert!(thinks("sister-ilva", "wren-oake").contains(&"told wren-oake".to_owned()));
    assert!(thinks("wren-oake", "sister-ilva").contains(&"sister-ilva told it".to_owned()));
    learn(&memory, tell("sister-ilva", lore("sabine-orrin", "Sabine hums at night."), &["wren-oake"]));
    let after = state(&memory);
    let (wren, kestrel) = (id("wren-oake"), id("kestrel-vane"));
    let rows = query::beliefs::attributed_facts(&after, &wren, &kestrel, Some(&sabine), None, None).unwrap();
    assert!(rows.iter().all(|row| !row.statement.contains("hums")), "Kestrel was not there: {rows:?}");
}

#[test]
fn the_players_knowledge_excludes_plain_names() {
    let (memory, before) = campaign();
    let all = KnowsFilter { limit: usize::MAX, ..KnowsFilter::default() };
    let party = |state: &State| query::knowledge::party(state, &all, None).unwrap().0;
    let knowers = |rows: &[query::knowledge::PartyRow]| {
        rows.iter().flat_map(|row| row.known_by.iter().map(|one| one.knower.to_string())).collect::<BTreeSet<_>>()
    };
    let rows = party(&before);
    let party_ids = ["dorric-stane", "kestrel-vane", "sister-ilva", "the-late-ferry", "wren-oake"];
    assert!(knowers(&rows).iter().all(|id| party_ids.contains(&id.as_str())) && rows.len() > 50);
    let of = |row: &query::knowledge::PartyRow| before.fact(row.fact).unwrap().predicate().clone();
    assert!(rows.iter().all(|row| !["name", "kind"].contains(&of(row).as_str())));
    // The players know the facts of a party only after one of them has joined the party.
    do_edit(&memory, add("The Rakes", Kind::Party, None));
    let options = FactOptions { known_by: ids(&["The Rakes"]), ..FactOptions::default() };
    do_edit(&memory, set_with("Pell", "lore", "Pell is watched.", options));
    assert!(!knowers(&party(&state(&memory))).contains("the-rakes"));
    do_edit(&memory, relate("Wren Oake", "MEMBER_OF", "The Rakes"));
    assert!(knowers(&party(&state(&memory))).contains("the-rakes"));
}

#[test]
fn refutations_count_in_every_query() {
    let (memory, before) = campaign();
    let sweet_water = handle(&before, "sweet-water");
    let refute = GameEvent::Refute {
        fact: sweet_water,
        statement: None,
        teller: None,
        hearers: Hearers::Listed(ids(&["sister-ilva"])),
        credence: None,
        circumstances: Circumstances { session: Some(session("session-4")), ..Circumstances::default() },
    };
    learn(&memory, refute);
    let state = state(&memory);
    let filter = KnowsFilter {
        words: Some("fresh waters lungs".into()),
        about: Some(id("jory-penhale")),
        limit: 9,
        ..KnowsFilter::default()
    };
    let credence = query::knowledge::knows(&state, &id("sister-ilva"), &filter, None).unwrap().0;
    let credence = credence.into_iter().find(|row| row.fact == sweet_water).unwrap().credence;
    let rows = query::knowledge::party(&state, &filter, None).unwrap().0;
    let row = rows.into_iter().find(|row| row.fact == sweet_water).unwrap();
    let ilva = row.known_by.iter().find(|one| one.knower.as_str() == "sister-ilva").unwrap();
    assert_eq!((ilva.credence, credence), (0.0, 0.0));
    let again = tell("sabine-orrin", Stated::Recorded(sweet_water), &["sister-ilva"]);
    let make = move |snapshot: &hearsay_engine::ReadSnapshot| {
        Ok(again.operation(&snapshot.state, Author::Dm, Timestamp(0))?)
    };
    let preview = memory.preview(make).unwrap().wait().unwrap();
    let lesson = preview.lessons.iter().find(|lesson| lesson.fact == sweet_water).unwrap();
    assert_eq!((lesson.before, lesson.credence), (Some(0.0), 0.0));
}

#[test]
fn an_invention_is_marked_as_such() {
    let memory = town();
    let text = "Odo eats coal.";
    let lie = |hearers: &[&str]| match tell("Mirela Voss", lore("Odo Brandt", text), hearers) {
        GameEvent::Tell { teller, fact, hearers, circumstances, .. } => GameEvent::Tell {
            teller,
            fact,
            hearers,
            retold: None,
            lie: true,
            citing: None,
            credence: None,
            circumstances,
        },
        other => other,
    };
    learn(&memory, lie(&["Pell"]));
    let coal = fact(&memory, "odo-brandt", "lore").id();
    let now = state(&memory);
    let acquisition = "made it up, and told pell";
    assert_eq!(
        query::secrets::why_not(&now, &id("mirela-voss"), coal, None).unwrap().knows.unwrap().acquisition,
        [acquisition]
    );
    let filter = KnowsFilter { words: Some("coal".into()), limit: 5, ..KnowsFilter::default() };
    let row = query::knowledge::knows(&now, &id("mirela-voss"), &filter, None).unwrap().0.remove(0);
    assert_eq!((row.acquisition.as_str(), row.told), ("made it up", vec![id("pell")]));
    let believes = query::beliefs::beliefs(&now, &id("mirela-voss"), &id("odo-brandt"), Some("lore"), None).unwrap();
    assert_eq!(believes.answers[0].because[0].acquisition, acquisition);
    let chain = query::beliefs::derivation(&now, &id("mirela-voss"), coal, None).unwrap();
    assert_eq!((chain.known_edges.len(), chain.known_edges[0].acquisition.as_str()), (1, acquisition));
    let holders = query::who_knows::who_knows(&now, coal, None).unwrap().characters;
    assert_eq!(
        holders.iter().map(|row| row.acquisition.join("; ")).collect::<Vec<_>>(),
        [acquisition, "told by mirela-voss"]
    );
    let ask = hearsay_query::ask::Ask::new(id("mirela-voss"), "Does Odo eat coal?");
    let context = memory.ask(ask).unwrap().wait().unwrap().context;
    let line = context.sections.iter().flat_map(|part| &part.lines).find(|line| line.text.contains("coal")).unwrap();
    assert_eq!((&line.citation.acquisition, line.credence), (&CitedAcquisition::MadeUp, None));
    learn(&memory, GameEvent::Forget { knower: id("Mirela Voss"), fact: coal });
    let after_retcon = query::who_knows::who_knows(&state(&memory), coal, None).unwrap();
    assert!(after_retcon.characters.is_empty(), "it never told it: {after_retcon:?}");
}

#[test]
fn the_dead_are_no_sources_and_secrets_begin() {
    let (memory, before) = campaign();
    let sources = |state: &State| {
        let answer = query::secrets::why_not(state, &id("pell"), handle(state, "jory-found-the-ledger"), None).unwrap();
        answer.sources.into_iter().map(|row| row.knower).collect::<Vec<_>>()
    };
    assert!(sources(&before).contains(&id("tamsin-reed")) && !sources(&before).contains(&id("jory-penhale")));
    do_edit(&memory, set("Tamsin Reed", "condition", "dead"));
    assert!(!sources(&state(&memory)).contains(&id("tamsin-reed")));

    let begins = |statement: &str, since: Option<&str>, knower: Option<&str>| {
        let mut options = FactOptions { secret: true, since: since.map(str::to_owned), ..FactOptions::default() };
        options.known_by = knower.map(id).into_iter().collect();
        do_edit(&memory, set_with("Salt Quay", "lore", statement, options));
    };
    begins("The quay sinks.", Some("5 Rainmoon 412"), Some("Pell"));
    begins("The quay is hollow.", None, None);
    begins("The quay is cursed.", None, None);
    let cursed = facts(&memory, "salt-quay", "lore");
    let cursed = cursed.iter().find(|fact| fact.statement().contains("cursed")).unwrap().id();
    let mut seen = witness(Stated::Recorded(cursed), &["Pell"]);
    if let GameEvent::Witness { circumstances, .. } = &mut seen {
        circumstances.time = Some("the 5th of Rainmoon".into());
    }
    learn(&memory, seen);
    let state = state(&memory);
    let secrets = |day: &str| {
        let filter = SecretFilter { limit: usize::MAX, ..SecretFilter::default() };
        let rows = query::secrets::secrets(&state, &filter, as_of(&state, day).unwrap()).unwrap().0;
        let quay = rows.into_iter().map(|row| row.statement).filter(|text| text.starts_with("The quay"));
        quay.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()
    };
    assert_eq!(secrets("4 Rainmoon 412"), ["The quay is hollow."]);
    assert_eq!(secrets("5 Rainmoon 412"), ["The quay is cursed.", "The quay is hollow.", "The quay sinks."]);
}

#[test]
fn dates_are_told_by_the_game_clock_and_sessions_by_name() {
    let (memory, before) = campaign();
    let clock = before.clock().unwrap();
    let days_ago = |days: i64| before.calendar().format(hearsay_model::GameTime((clock.0 / DAY - days) * DAY));
    let since = |raw: &str| FactOptions { since: Some(raw.into()), ..FactOptions::default() };
    do_edit(&memory, relate_with("Pell", "OWES", "Odo Brandt", since("yesterday")));
    let owes = fact(&memory, "pell", "OWES");
    assert_eq!(owes.validity().from.as_ref().unwrap().raw, days_ago(1));
    let retcon = |until: &str, fact: FactId| {
        let retcon = Retcon::Until { fact, until: until.into() };
        memory.retcon(retcon).unwrap().wait()
    };
    retcon("today", owes.id()).unwrap();
    assert_eq!(fact(&memory, "pell", "OWES").validity().until.as_ref().unwrap().raw, days_ago(0));
    let refused = retcon("today", handle(&before, "club-alibi")).unwrap_err().to_string();
    assert!(
        refused.contains("has the status false") && refused.contains("only the validity of a true fact can end"),
        "{refused}"
    );
    let filter = |given: &str| KnowsFilter { since: Some(given.into()), limit: 5, ..KnowsFilter::default() };
    let knows =
        |given: &str| query::knowledge::knows(&before, &id("sister-ilva"), &filter(given), None).map(|(_, all)| all);
    assert!(knows("session-2").unwrap() > knows("Session 3").unwrap());
    assert_eq!(knows("yesterday").unwrap(), knows(&days_ago(1)).unwrap());
    assert!(knows("session-9").unwrap_err().to_string().contains("there is no session `session-9`"));
    let at = |given: &str| {
        let filter = query::facts::FactFilter {
            subject: Some(id("sister-ilva")),
            holds_at: Some(given.into()),
            limit: 500,
            ..Default::default()
        };
        query::facts::facts(&before, &filter).map(|(_, all)| all)
    };
    assert_eq!(at("session-2").unwrap(), at("4 Rainmoon 412, 20:00").unwrap());
    assert!(at("session-9").is_err());
}

#[test]
fn a_document_is_read() {
    let (memory, before) = campaign();
    let read = GameEvent::Read {
        document: id("customs-notice"),
        readers: ids(&["pell"]),
        credence: Some(0.8),
        circumstances: Circumstances::default(),
    };
    learn(&memory, read);
    let (after, pell) = (state(&memory), Knower::Entity(id("pell")));
    let passages = |state: &State| state.passages_of(&pell).count();
    assert_eq!(passages(&after), passages(&before) + 1);
}

#[test]
fn reasons_for_not_knowing_the_secret_of_a_group() {
    let memory = town();
    let secret = FactOptions { secret: true, known_by: ids(&["The Guild"]), ..FactOptions::default() };
    do_edit(&memory, set_with("Silver Ring", "lore", "The ring is glass.", secret));
    let ring = fact(&memory, "silver-ring", "lore");
    let why = |who: &str| {
        let answer = query::secrets::why_not(&state(&memory), &id(who), ring.id(), None).unwrap();
        assert!(answer.knows.is_none());
        answer.reasons.into_iter().find(|reason| *reason != Obstacle::NeverLearned).unwrap()
    };
    let group = id("the-guild");
    assert_eq!(why("Pell"), Obstacle::NotAMember { group: group.clone() });
    // Pell is a member of the guild but does not know it.
    let options = FactOptions { secret: true, ..FactOptions::default() };
    do_edit(&memory, relate_with("The Guild", "HAS_MEMBER", "Pell", options));
    let belongs = fact(&memory, "pell", "MEMBER_OF");
    learn(&memory, GameEvent::Forget { knower: id("Pell"), fact: belongs.id() });
    assert_eq!(why("Pell"), Obstacle::UnawareOfBelonging { group: group.clone() });
    // The guild shares the fact only with masters, and Odo is not a master.
    let state_now = state(&memory);
    let known = state_now.known_by(ring.id()).find(|edge| edge.knower.entity() == Some(&group)).unwrap();
    let ranked = KnowledgeEdge { rank: Some("master".into()), ..KnowledgeEdge::clone(known) };
    let changes = vec![Change::Unlearn(known.id()), Change::Learn(ranked.into())];
    let make = move |_: &hearsay_engine::ReadSnapshot| Ok(Operation::new(Author::Dm, "rank", changes.clone()));
    memory.write(make).unwrap().wait().unwrap();
    do_edit(&memory, relate("Odo Brandt", "MEMBER_OF", "The Guild"));
    assert_eq!(why("Odo Brandt"), Obstacle::RankTooLow { group, has: None, needs: "master".into() });
    do_edit(&memory, Edit::RemoveEntity { entity: id("The Guild") });
    assert_eq!(why("Odo Brandt"), Obstacle::NobodyKnows);
}
