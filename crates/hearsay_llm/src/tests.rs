//! Tests against servers that answer correctly, late, wrongly, incompletely or not at all.

use std::sync::Mutex;

use hearsay_extract::{FactObject, Mention, TextType};
use hearsay_model::{
    Author, Change, Confidence, Entity, EntityId, Fact, Kind, Method, Operation, Provenance, State, Vocabulary,
};
use serde_json::{Value, json};

use super::*;

mod chat;
mod faulty_servers;
mod items;
mod key_secrecy;
mod server;

use server::{Reaction, Server, is_entity_request, user_message};

const KEY: &str = "sk-very-secret-key";

/// Returns settings for a test server, with short waiting times.
fn settings(server: &Server) -> LlmSettings {
    LlmSettings {
        base_url: server.base_url.clone(),
        model: "m".into(),
        timeout_ms: 10_000,
        connect_timeout_ms: 5_000,
        retries: 2,
        backoff_ms: 2,
        backoff_most_ms: 5,
        ..LlmSettings::default()
    }
}

fn build_llm(settings: LlmSettings) -> Llm {
    let key = ApiKey::new(KEY, &settings.base_url).unwrap();
    Llm::new(settings, key, Language::english(), Vocabulary::default()).unwrap()
}

fn lexicon(names: &[(&str, &str, &str)]) -> Lexicon {
    let mut state = State::default();
    let mut changes = Vec::new();
    for (id, name, kind) in names {
        let id = EntityId::new(id).unwrap();
        changes.push(Change::AddEntity(Entity::new(id.clone())));
        for (attribute, value) in [("name", *name), ("kind", *kind)] {
            let provenance = Provenance::new(Method::Authored, Author::Dm);
            changes.push(Change::AssertFact(
                Fact::attribute(&id, attribute, value, provenance).unwrap().build().unwrap().into(),
            ));
        }
    }
    state.apply(Operation::new(Author::Dm, "names", changes)).unwrap();
    Lexicon::from_state(&state)
}

fn harbour() -> Lexicon {
    lexicon(&[
        ("odo-brandt", "Odo Brandt", "npc"),
        ("bram", "Bram", "npc"),
        ("ferrymen", "Ferrymen's Guild", "faction"),
    ])
}

fn id(text: &str) -> Mention {
    Mention::Known(EntityId::new(text).unwrap())
}

fn lore(text: &str) -> Text<'_> {
    Text::new(text, TextType::Lore)
}

fn extract(settings: LlmSettings, text: &str) -> Result<LlmExtraction, LlmError> {
    build_llm(settings).extract_blocking(&harbour(), &lore(text), &RunControl::default())
}

const MERROW: &str =
    "Odo Brandt owns the barge Merrow. Bram owes Odo forty crowns, and he is a member of the Ferrymen\u{2019}s Guild.";

fn merrow_facts() -> Value {
    json!([
        {"subject": "odo-brandt", "predicate": "OWNS", "object": "merrow", "value": null, "statement": "Odo Brandt owns the barge Merrow.",
         "quote": "Odo Brandt owns the barge Merrow", "confidence": 0.95, "stated_by": null, "told_to": [], "denied": false, "over": false},
        {"subject": "Bram", "predicate": "OWES", "object": "Odo Brandt", "statement": "Bram owes Odo Brandt forty crowns.",
         "quote": "Bram owes Odo forty crowns", "confidence": 0.9},
        {"subject": "bram", "predicate": "member of", "object": "the Ferrymen's Guild",
         "quote": "he is a member of the Ferrymen's Guild.", "confidence": 0.9},
    ])
}

fn merrow_entities(pass: usize) -> Value {
    if pass == 1 {
        json!([{"name": "Merrow", "kind": "item", "quote": "the barge Merrow", "confidence": 0.9}])
    } else {
        json!([])
    }
}

#[test]
fn a_text_is_read_in_two_phases() {
    let server = Server::with(merrow_entities, |_| merrow_facts());
    let told = Mutex::new(Vec::new());
    let progress = |progress: Progress| told.lock().unwrap().push((progress.phase, progress.pass, progress.calls));
    let watch = RunControl { progress: Some(&progress), ..RunControl::default() };
    let llm = build_llm(settings(&server));
    let found = llm.extract_blocking(&harbour(), &lore(MERROW), &watch).unwrap();

    let entities = &found.extraction.entities;
    assert_eq!(entities.len(), 1);
    assert_eq!((entities[0].name.as_str(), &entities[0].kind), ("Merrow", &Some(Kind::Item)));
    let facts = &found.extraction.facts;
    let parts: Vec<_> = facts.iter().map(|fact| (&fact.subject, fact.predicate.as_str(), &fact.object)).collect();
    let of = |mention| FactObject::Entity(mention);
    assert_eq!(
        parts,
        [
            (&id("odo-brandt"), "OWNS", &of(Mention::New(0))),
            (&id("bram"), "OWES", &of(id("odo-brandt"))),
            (&id("bram"), "MEMBER_OF", &of(id("ferrymen"))),
        ]
    );
    assert!(facts.iter().all(|fact| MERROW[fact.span.start..fact.span.end] == fact.quote));
    assert_eq!(facts[1].statement, "Bram owes Odo Brandt forty crowns.");
    assert_eq!(facts[2].quote, "he is a member of the Ferrymen\u{2019}s Guild");
    assert!(facts[0].confidence > facts[2].confidence, "a pronoun is less sure");
    assert_eq!(
        found.counts,
        ExtractionCounts {
            parts: 1,
            entities: 1,
            relations: 3,
            passes: 3,
            calls: 4,
            tokens: 400,
            ..ExtractionCounts::default()
        }
    );
    assert_eq!(llm.tokens_used(), 400);
    assert_eq!(found.extraction.mentions.len(), 3);
    assert!(!found.extraction.addresses_program && found.unread.is_empty());
    use Phase::{Entities, Relations};
    assert_eq!(*told.lock().unwrap(), [(Entities, 1, 0), (Entities, 2, 1), (Entities, 3, 2), (Relations, 1, 3)]);

    let requests = server.requests.lock().unwrap();
    for (number, body) in requests.iter().enumerate() {
        assert_eq!(body["messages"].as_array().unwrap().len(), 2, "a context of its own");
        assert_eq!(body["response_format"]["type"], "json_schema");
        assert_eq!(body["response_format"]["json_schema"]["strict"], true);
        assert!((body["temperature"].as_f64().unwrap() - 0.2).abs() < 1e-6);
        assert_eq!(user_message(body).contains("- merrow: Merrow, item"), number > 0, "what was found is told");
        assert!(
            user_message(body).contains("- odo-brandt: Odo Brandt, npc, also called brandt, odo"),
            "{}",
            user_message(body)
        );
    }
    assert!(requests[3]["messages"][0]["content"].as_str().unwrap().contains("OWES: {subject} owes {object}"));
    let head = server.heads.lock().unwrap()[0].clone();
    assert!(head.starts_with("POST /v1/chat/completions") && head.contains(&format!("Bearer {KEY}")), "{head}");
}

#[test]
fn passes_end_after_two_without_news_or_at_the_most() {
    let text = "Here are Alva, Berno, Cilla, Dorle, Edda and Falk.";
    let names = ["Alva", "Berno", "Cilla", "Dorle", "Edda", "Falk"];
    let of =
        move |pass: usize| json!([{"name": names[(pass - 1).min(5)], "kind": "npc", "quote": text, "confidence": 1}]);
    let check = |most, expected: (usize, usize)| {
        let server = Server::with(of, |_| json!([]));
        let found = extract(LlmSettings { entity_passes: most, ..settings(&server) }, text).unwrap();
        assert_eq!((found.counts.passes, found.counts.entities), expected);
    };
    check(4, (4, 4));
    check(20, (8, 6));
    check(1, (1, 1));
}

#[test]
fn each_phase_may_have_a_model_of_its_own() {
    let server = Server::with(merrow_entities, |_| merrow_facts());
    let phase = |model: &str, temperature, least| PhaseSettings {
        model: Some(model.into()),
        temperature: Some(temperature),
        min_confidence: Some(Confidence::new(least).unwrap()),
    };
    let settings =
        LlmSettings { entities: phase("small", 0.0, 0.3), relations: phase("large", 1.0, 0.8), ..settings(&server) };
    let found = extract(settings, MERROW).unwrap();
    assert_eq!((found.counts.relations, found.counts.flagged.unsure), (2, 1));
    let requests = server.requests.lock().unwrap();
    let models: Vec<_> =
        requests.iter().map(|body| (body["model"].as_str().unwrap(), body["temperature"].as_f64().unwrap())).collect();
    assert_eq!(models, [("small", 0.0), ("small", 0.0), ("small", 0.0), ("large", 1.0)]);
}

#[test]
fn long_texts_are_read_in_parts_and_merged() {
    let filler = "Nothing of note happens here, and the rain falls on the quay. ".repeat(5);
    let text =
        format!("Odo owns the barge Merrow.\n\n{filler}\n\nOdo is the owner of Merrow.\n\n{filler}\n\nBram fears Odo.");
    let server = Server::new(|_, body| {
        let words = user_message(body);
        let has = |words_of: &str| words.contains(words_of);
        Reaction::Answer(if is_entity_request(body) {
            let listed = has("- merrow:") || !has("Merrow");
            if listed { json!({"entities": []}) } else { json!({"entities": [{"name": "Merrow", "kind": "item", "quote": "Merrow", "confidence": 0.8}]}) }
        } else {
            let mut facts = Vec::new();
            for (quote, subject, predicate, object) in [
                ("Odo owns the barge Merrow.", "odo-brandt", "OWNS", "merrow"),
                ("Odo is the owner of Merrow.", "merrow", "OWNED_BY", "odo-brandt"),
                ("Bram fears Odo.", "bram", "FEARS", "odo-brandt"),
            ] {
                if has(quote) {
                    facts.push(json!({"subject": subject, "predicate": predicate, "object": object, "quote": quote, "confidence": 0.9}));
                }
            }
            json!({"facts": facts})
        }.to_string())
    });
    let found = extract(LlmSettings { part_chars: 400, overlap_chars: 60, ..settings(&server) }, &text).unwrap();
    assert!(found.counts.parts >= 2 && found.unread.is_empty(), "{:?}", found.counts);
    assert_eq!(found.extraction.entities.len(), 1, "one Merrow");
    let facts = &found.extraction.facts;
    let said: Vec<_> = facts.iter().map(|fact| fact.predicate.as_str()).collect();
    assert_eq!(said, ["OWNS", "FEARS"]);
    assert_eq!(found.additional_quotes.len(), 1);
    assert_eq!(
        (found.additional_quotes[0].fact, found.additional_quotes[0].quote.as_str()),
        (0, "Odo is the owner of Merrow")
    );
    assert!(found.counts.merged >= 2);
    for fact in facts {
        assert_eq!(&text[fact.span.start..fact.span.end], fact.quote);
    }
    // The result does not depend on the number of parts that are read at once.
    let one = extract(LlmSettings { part_chars: 400, overlap_chars: 60, concurrency: 1, ..settings(&server) }, &text)
        .unwrap();
    assert_eq!((one.extraction, one.additional_quotes), (found.extraction, found.additional_quotes));
}

#[test]
fn it_runs_within_a_runtime_of_its_caller() {
    let server = Server::with(merrow_entities, |_| merrow_facts());
    let llm = build_llm(settings(&server));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let found = runtime.block_on(async move {
        let run = async move {
            let (lexicon, watch) = (harbour(), RunControl::default());
            let reading = {
                let text = lore(MERROW);
                llm.extract(&lexicon, &text, &watch)
            };
            reading.await
        };
        tokio::spawn(run).await.unwrap()
    });
    assert_eq!(found.unwrap().counts.relations, 3);
}

fn line(speaker: Option<&str>, text: &str) -> WriterLine {
    WriterLine { speaker: speaker.map(str::to_owned), text: text.into() }
}

#[test]
fn a_recap_is_written_from_lines() {
    let server =
        Server::new(|_, _| Reaction::Answer("<think>hm</think>\nOdo sold the barge.\u{1b}[2J\n\nBram wept. ".into()));
    let settings = LlmSettings {
        writer: PhaseSettings { model: Some("poet".into()), temperature: Some(0.7), min_confidence: None },
        ..settings(&server)
    };
    let llm = build_llm(settings);
    let lines = [line(Some("Odo"), "I sell it."), line(None, "Bram weeps."), line(None, " ")];
    let recap = llm.writer().recap_blocking(&lines, "for the players", &CancelHandle::new()).unwrap();
    assert_eq!(recap, "Odo sold the barge.[2J\n\nBram wept.");
    assert_eq!(llm.tokens_used(), 100, "the budget is shared");
    let request = server.requests.lock().unwrap()[0].clone();
    assert!(user_message(&request).contains("Odo: I sell it.\nBram weeps.\n"), "{request}");
    assert!(request["messages"][0]["content"].as_str().unwrap().ends_with("Wishes: for the players"));
    assert_eq!((request["model"].as_str(), request["response_format"].is_null()), (Some("poet"), true));
}

#[test]
fn a_recap_of_nothing_or_too_much_is_refused() {
    let server = Server::new(|_, _| Reaction::Answer(" ".into()));
    let writer = build_llm(LlmSettings { recap_chars: 200, ..settings(&server) }).writer();
    let recap = |lines: &[WriterLine]| writer.recap_blocking(lines, "", &CancelHandle::new()).unwrap_err();
    assert!(matches!(recap(&[]), LlmError::Settings(_)));
    assert_eq!(
        recap(&[line(None, &"x".repeat(300))]),
        LlmError::TooLong { char_count: 300, max_chars: 200, setting: "recap_chars" }
    );
    assert_eq!(server.count(), 0);
    assert!(matches!(recap(&[line(None, "A line.")]), LlmError::Unusable { .. }));
}

#[test]
fn a_prompt_of_the_programs_own_is_written_out() {
    let server = Server::new(|_, _| Reaction::Answer("Odo sold the barge [1].".into()));
    let writer = build_llm(LlmSettings { recap_chars: 200, ..settings(&server) }).writer();
    let prompt = "Write a recap in at most 50 words.\n\n[1] Odo sells the barge.\n";
    assert_eq!(writer.write_blocking(prompt, &CancelHandle::new()).unwrap(), "Odo sold the barge [1].");
    assert_eq!(user_message(&server.requests.lock().unwrap()[0]), prompt);
    assert!(matches!(writer.write_blocking(" ", &CancelHandle::new()), Err(LlmError::Settings(_))));
    assert!(matches!(writer.write_blocking(&"x".repeat(201), &CancelHandle::new()), Err(LlmError::TooLong { .. })));
}
