//! Export to JSON Lines and import without loss.

use std::sync::Arc;

use hearsay_model::{
    Acquisition, Attitude, Author, Change, Condition, ConditionEntity, Confidence, Credence, Date, EditedRecap,
    EngineSetting, Entity, EntityId, Evidence, Excerpt, ExternalId, Fact, FactStatus, GameSetting, GameTime,
    Justification, Knower, KnowledgeEdge, Method, Operation, Passage, Provenance, Reveal, Secrecy, Session, SessionId,
    SessionSetting, Setting, SettingKey, Span, SpeakerRole, State, TalkKind, Timestamp, Validity, Value,
};
use proptest::prelude::*;

use super::{apply, fixture};
use crate::{Limits, export_jsonl, plan, read, read_jsonl};

pub(super) fn exported(state: &State) -> String {
    let mut bytes = Vec::new();
    export_jsonl(state, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn imported(text: &str) -> State {
    let changes = read_jsonl(text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
    let mut state = State::default();
    if !changes.is_empty() {
        state.apply(Operation::new(Author::Dm, "import", changes)).unwrap();
    }
    state
}

/// Returns the edges to proposed or rejected facts. The equality of states ignores these edges, so they are compared
/// separately.
fn asleep(state: &State) -> Vec<KnowledgeEdge> {
    let knower_exists = |edge: &&Arc<KnowledgeEdge>| edge.knower.entity().is_none_or(|id| state.entity(id).is_some());
    let mut edges: Vec<_> = state
        .facts()
        .flat_map(|fact| state.recorded_knowledge(fact.id()).filter(knower_exists))
        .map(|e| (**e).clone())
        .collect();
    edges.sort_by_key(KnowledgeEdge::id);
    edges
}

fn check(state: &State) {
    let text = exported(state);
    let back = imported(&text);
    assert!(back == *state, "{text}");
    assert_eq!(asleep(&back), asleep(state));
    assert_eq!(exported(&back), text, "equal states give equal bytes");
}

#[test]
fn campaigns_come_back_whole() {
    let root = fixture("../../../../campaigns");
    for folder in [fixture("inn"), root.join("gullhaven")].into_iter().filter(|folder| folder.is_dir()) {
        let mut state = State::default();
        let campaign = read(&folder, &Limits::default()).unwrap();
        state.apply(plan(&state, &campaign, Timestamp(7)).operation.unwrap()).unwrap();
        let ids: Vec<_> = state.facts().map(|fact| fact.id()).collect();
        apply(
            &mut state,
            Author::Dm,
            vec![
                Change::Confirm(ids[0]),
                Change::SetStatus { fact: ids[1], status: FactStatus::Rejected },
                Change::SetStatus { fact: ids[2], status: FactStatus::Proposed },
                Change::SetSecrecy { fact: ids[3], secrecy: Secrecy::Secret },
                Change::RetractFact(ids[4]),
            ],
        );
        check(&state);
    }
}

#[test]
fn the_form_is_stable() {
    let text = exported(&State::default());
    assert_eq!(text, "{\"type\":\"hearsay\",\"format\":2}\n");
    let mut state = State::default();
    let ann = EntityId::new("ann").unwrap();
    let provenance = Provenance::new(Method::Authored, Author::Dm);
    let name = Fact::attribute(&ann, "name", "Ann", provenance).unwrap().build().unwrap();
    apply(&mut state, Author::Dm, vec![Change::AddEntity(Entity::new(ann)), Change::AssertFact(Arc::new(name))]);
    let expected = r#"{"type":"hearsay","format":2}
{"type":"entity","id":"ann","external_ids":[]}
{"type":"fact","subject":"ann","predicate":"name","object":{"value":{"text":"Ann"}},"statement":"ann name Ann","mentions":[],"attitude":null,"rank":null,"conditions":null,"validity":{"from":null,"until":null},"status":"canon","secrecy":"open","handle":null,"provenance":{"method":"authored","author":"dm","session":null,"speaker":null,"recorded":0,"confidence":1.0,"extracted":null,"model":null,"stage":null,"confirmed":true,"evidence":[]},"fact_relation":null,"factuality":"asserted","contradicts":[]}
"#;
    assert_eq!(exported(&state), expected);
}

#[test]
fn bad_lines_say_what_was_expected() {
    let check = |text: &str, line: u32, message: &str, hint: &str| {
        let errors = read_jsonl(text.as_bytes()).unwrap_err();
        let error = &errors.errors[0];
        assert!(error.line == line && error.message.contains(message) && error.hint.contains(hint), "{errors}");
    };
    let head = "{\"type\":\"hearsay\",\"format\":2}\n";
    let with = |line: &str| format!("{head}{line}");
    check("", 1, "empty", "the first line must be");
    check(
        "{\"type\":\"entity\",\"id\":\"a\",\"external_ids\":[]}",
        1,
        "the header is missing",
        "the first line must be",
    );
    check("{\"type\":\"hearsay\",\"format\":3}", 1, "unknown format 3", "newer");
    check(&with("{\"type\":\"fct\"}"), 2, "unknown variant `fct`", "expected an object");
    check(&with("{\"type\":\"entity\"}"), 2, "missing field `id`", "expected an object");
    check(&with("{\"type\":\"entity\",\"id\":\"A b\",\"external_ids\":[]}"), 2, "not a valid id", "");
    check(&with("nonsense"), 2, "expected", "expected an object");
    let edge = "{\"type\":\"knowledge_edge\",\"knower\":\"*\",\"fact\":\"00000000000000000000000000000001\",\"acquisition\":\"authored\",\
        \"learned\":null,\"credence\":1.0,\"conceals\":false,\"session\":null}";
    check(&with(edge), 2, "the file has no line for the fact 0000", "add the missing line");
    check(&with(&edge.replace("1.0", "1.5")), 2, "credence must be from 0 to 1", "");
    let entity = "{\"type\":\"entity\",\"id\":\"a\",\"external_ids\":[]}\n";
    check(&with(&entity.repeat(2)), 3, "the entity `a` is listed twice", "remove one of the two lines");
}

fn id(n: u8) -> EntityId {
    EntityId::new(format!("e{}", n % 5)).unwrap()
}

fn session(n: u8) -> SessionId {
    SessionId::new(format!("s{}", n % 2)).unwrap()
}

/// Words with a meaning in Markdown and YAML.
const WORDS: [&str; 6] = [
    "plain",
    "[[e1|a]] | b # c",
    "%% hush %%",
    "a: \"b\" - 'c' \\",
    "## Secrets\n\n- **DM:** x\n---\n",
    "<b>&amp;</b> \u{1F512}",
];

fn words(n: u8) -> String {
    WORDS.get(usize::from(n) % WORDS.len()).map_or_else(String::new, |words| format!("{words} {}", n % 9))
}

fn evidence(n: u8) -> Vec<Evidence> {
    let span = Span { start: n.into(), end: usize::from(n) + 9 };
    let excerpt = Excerpt {
        path: format!("People/Name {}.md", n % 9).into(),
        line: u32::from(n % 12),
        field: words(n / 2).into(),
        span,
        quote: words(n / 3).into(),
        source: format!("s{}", n % 3).into(),
        hash: format!("{n:016x}"),
    };
    match n % 5 {
        0 => vec![],
        1 => vec![Evidence::File { path: "campaign.yaml".into(), line: n.into(), field: words(n) }],
        2 => vec![Evidence::Excerpt(Arc::new(excerpt))],
        3 => vec![Evidence::Passage { passage: passage(n / 2).id(), span, quote: words(n) }],
        _ => evidence(n - 1).into_iter().chain(evidence(n - 2)).collect(),
    }
}

fn fact(n: u8) -> Arc<Fact> {
    let mut provenance =
        Provenance::new(Method::Stated, if n.is_multiple_of(2) { Author::Game } else { Author::Player("P".into()) });
    provenance.session = n.is_multiple_of(7).then(|| session(n));
    provenance.speaker = n.is_multiple_of(6).then(|| id(n / 2));
    provenance.confidence = Confidence::new(f64::from(n) / 255.0).unwrap();
    provenance.extracted = n.is_multiple_of(8).then(|| Confidence::new(f64::from(n) / 300.0).unwrap());
    provenance.model = n.is_multiple_of(9).then(|| words(n));
    provenance.confirmed = n % 5 == 2;
    provenance.evidence = evidence(n);
    let builder = match n % 3 {
        0 if n.is_multiple_of(4) => Fact::attribute(&id(n), "lore", words(n), provenance),
        0 => Fact::attribute(&id(n), "name", format!("Name {}", n % 9), provenance),
        1 => Fact::attribute(
            &id(n),
            "age",
            hearsay_model::Value::Number(hearsay_model::Number::new(f64::from(n) / 7.0).unwrap()),
            provenance,
        ),
        _ => Fact::relation(&id(n), "OWES", &id(n / 5), provenance),
    };
    let date = |n: u8| Date { raw: words(n), time: n.is_multiple_of(2).then_some(GameTime(n.into())) };
    let validity = Validity {
        from: n.is_multiple_of(5).then(|| date(n / 2)),
        until: n.is_multiple_of(10).then(|| Date::at(GameTime(i64::from(n) + 9))),
    };
    let builder = builder.unwrap().mentions([id(n / 3)]).attitude(Attitude::new(i64::from(n) / 3).ok());
    let builder = builder
        .validity(validity)
        .rank((n % 7 == 3).then(|| words(n)))
        .conditions((n % 11 == 4).then(|| words(n)))
        .status(if n % 6 == 5 { FactStatus::ALL[usize::from(n % 5)] } else { FactStatus::Canon })
        .secrecy(if n % 4 == 3 { Secrecy::Secret } else { Secrecy::Open });
    let builder = if n % 5 == 1 { builder.statement(words(n)) } else { builder };
    Arc::new(builder.handle(n.is_multiple_of(4).then(|| format!("h{n}"))).build().unwrap())
}

fn edge(n: u8) -> KnowledgeEdge {
    KnowledgeEdge {
        knower: if n.is_multiple_of(5) { Knower::World } else { id(n).into() },
        fact: fact(n / 2).id(),
        acquisition: if n.is_multiple_of(2) {
            Acquisition::Deduced { from: vec![fact(n / 3).id()] }
        } else {
            Acquisition::told(Some(id(n / 3)))
        },
        learned: n.is_multiple_of(3).then(|| Date { raw: format!("day {n}"), time: Some(GameTime(n.into())) }),
        credence: Credence::new(f64::from(n) / 255.0).unwrap(),
        conceals: n.is_multiple_of(7),
        session: n.is_multiple_of(6).then(|| session(n)),
        co_present: if n.is_multiple_of(4) { vec![id(n / 2)] } else { vec![] },
        sources: if n % 4 == 1 {
            let (told, seen) = (edge(n / 3), edge(n / 4));
            let held = n.is_multiple_of(3);
            let experience = Justification::Experience { told: told.id(), seen: seen.id(), held };
            vec![Justification::Basis { fact: told.fact, edge: told.id() }, experience]
        } else {
            vec![]
        },
        rank: n.is_multiple_of(11).then(|| "master".into()),
    }
    .sorted()
}

fn passage(n: u8) -> Arc<Passage> {
    let mut passage = Passage::new(format!("line {}\n\u{2028}\"", n % 8));
    passage.mentions = vec![id(n / 2)];
    passage.speaker = n.is_multiple_of(2).then(|| id(n));
    passage.session = n.is_multiple_of(3).then(|| session(n));
    passage.heard_by = match n % 3 {
        0 => vec![Knower::World],
        1 => vec![id(n).into()],
        _ => vec![],
    };
    passage.title = n.is_multiple_of(4).then(|| words(n));
    passage.line = u32::from(n % 6);
    passage.time = n.is_multiple_of(5).then(|| Date { raw: words(n), time: Some(GameTime(n.into())) });
    passage.place = n.is_multiple_of(6).then(|| id(n / 3));
    passage.document = n.is_multiple_of(7).then(|| id(n / 4));
    passage.talk_kind = [None, Some(TalkKind::InCharacter), Some(TalkKind::OutOfCharacter)][usize::from(n % 3)];
    if n % 5 == 4 {
        passage.text = words(n);
    }
    passage.evidence =
        evidence(n).into_iter().filter(|evidence| !matches!(evidence, Evidence::Passage { .. })).collect();
    Arc::new(passage)
}

fn flag(n: u8) -> Value {
    if n.is_multiple_of(4) { Value::from("four") } else { Value::Flag(n.is_multiple_of(2)) }
}

fn reveal(n: u8) -> Reveal {
    let parts = vec![
        Condition::Flag { name: format!("f{}", n % 3), is: flag(n) },
        Condition::Not(Box::new(Condition::Trusts {
            who: ConditionEntity::Holder,
            of: ConditionEntity::Entity(id(n / 2)),
            at_least: Credence::new(f64::from(n) / 255.0).unwrap(),
        })),
        Condition::Date { from: Date { raw: format!("day {n}"), time: Some(GameTime(n.into())) } },
    ];
    let holder = n.is_multiple_of(3).then(|| id(n / 3));
    let note = n.is_multiple_of(5).then(|| "A word.".to_owned());
    Reveal { id: format!("r{}", n % 3), fact: fact(n).id(), holder, when: Condition::All(parts), note }
}

fn change(which: u8, n: u8) -> Change {
    match which % 23 {
        0 | 1 => {
            let external_ids = vec![ExternalId { system: "file".into(), id: n.to_string() }];
            Change::AddEntity(Entity { external_ids, ..Entity::new(id(n)) })
        }
        2 => Change::RemoveEntity(id(n)),
        3..=5 => Change::AssertFact(fact(n)),
        6 => Change::EndFact { fact: fact(n).id(), until: Date::at(GameTime(n.into())) },
        7 => Change::SetStatus { fact: fact(n).id(), status: FactStatus::ALL[usize::from(n % 5)] },
        8 => Change::SetSecrecy { fact: fact(n).id(), secrecy: Secrecy::Secret },
        9 => Change::RetractFact(fact(n).id()),
        10 | 11 => Change::Learn(Arc::new(edge(n))),
        12 => Change::Confirm(fact(n).id()),
        13 => Change::AddPassage(passage(n)),
        14 if n.is_multiple_of(3) => Change::RemoveSession(session(n)),
        14 => Change::SetSession(Session {
            id: session(n),
            number: Some(n.into()),
            title: if n.is_multiple_of(2) { "A night".into() } else { words(n) },
            date: n.is_multiple_of(4).then(|| words(n)),
            start: n.is_multiple_of(3).then(|| Date { raw: words(n), time: Some(GameTime(n.into())) }),
            end: None,
            present: vec![id(n)],
        }),
        15 | 16 => Change::Set(Setting::Game(GameSetting::Flag { name: format!("f{}", n % 3), value: flag(n) })),
        17 => Change::SetFlag { name: format!("f{}", n % 3), value: flag(n) },
        18 => Change::Set(Setting::Game(GameSetting::Reveal(reveal(n)))),
        19 if n.is_multiple_of(2) => Change::Unset(SettingKey::Flag(format!("f{}", n % 3))),
        19 => Change::Unset(SettingKey::Reveal(format!("r{}", n % 3))),
        20 => {
            let reader = n.is_multiple_of(2).into();
            let recap = EditedRecap { session: session(n), reader, text: format!("Words {n}.") };
            Change::Set(Setting::Session(SessionSetting::Recap(recap)))
        }
        21 => Change::Set(Setting::speaker(
            &words(n),
            if n.is_multiple_of(2) { SpeakerRole::Dm } else { SpeakerRole::Nobody },
        )),
        _ if n.is_multiple_of(2) => Change::Set(Setting::Game(GameSetting::Clock(GameTime(n.into())))),
        _ => Change::Set(Setting::Engine(EngineSetting::Imported {
            source: format!("s{}", n % 3),
            digest: n.to_string(),
        })),
    }
}

/// Generates states whose operations conflict with one another.
pub(super) fn world() -> impl Strategy<Value = State> {
    prop::collection::vec((any::<u8>(), any::<u8>()), 1..120).prop_map(|changes| {
        let mut state = State::default();
        let begin = (0..4).map(|n| Change::AddEntity(Entity::new(id(n)))).collect();
        state.apply(Operation::new(Author::Game, "begin", begin)).unwrap();
        for (which, n) in changes {
            let _ = state.apply(Operation::new(Author::Game, "edit", vec![change(which, n)]));
        }
        state
    })
}

proptest! {
    #[test]
    fn all_that_a_state_holds_comes_back(state in world()) {
        check(&state);
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,200}") {
        let _ = read_jsonl(format!("{{\"type\":\"hearsay\",\"format\":2}}\n{text}").as_bytes());
    }
}
