//! Golden tests of the output forms of a scene context. `HEARSAY_GOLDEN=write cargo test -p hearsay_recall` rewrites
//! the golden files.

use std::{fs, path::Path};

use super::*;

fn check(name: &str, output: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/golden").join(name);
    if std::env::var_os("HEARSAY_GOLDEN").is_some_and(|value| value == "write") {
        fs::write(&file, output).unwrap();
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    assert!(output == golden, "the output differs from {}:\n{output}", file.display());
}

fn round(json: &mut serde_json::Value) {
    match json {
        serde_json::Value::Number(number) if number.is_f64() => {
            *json = serde_json::json!((number.as_f64().unwrap() * 100.0).round() / 100.0);
        }
        serde_json::Value::Array(all) => all.iter_mut().for_each(round),
        serde_json::Value::Object(all) => all.values_mut().for_each(round),
        _ => {}
    }
}

/// Returns the tavern with a doubted fact, a repeated fact and a spoken line added.
fn tavern() -> World {
    let mut world = World::tavern();
    let rumour = world.attribute("ledger", "lore", "The harbour ledger burned.", "");
    let told = KnowledgeEdge {
        acquisition: Acquisition::told(Some(id("odo"))),
        credence: Credence::new(0.3).unwrap(),
        ..KnowledgeEdge::authored(Knower::Entity(id("mirela")), rumour)
    };
    world.apply(vec![Change::Learn(told.into())]);
    for author in [Author::Game, Author::Player("Ines".into())] {
        let provenance = Provenance::new(Method::Stated, author);
        let fact = Fact::attribute(&id("ledger"), "appearance", "bound in sealskin", provenance).unwrap();
        world.record(fact.statement("The harbour ledger is bound in sealskin.").build().unwrap(), "mirela");
    }
    let mut passage = Passage::new("I never touched your book.");
    passage.speaker = Some(id("odo"));
    passage.time = Some(Date::at(GameTime(990)));
    passage.heard_by = vec![Knower::Entity(id("mirela"))];
    world.apply(vec![Change::AddPassage(passage.into())]);
    world
}

fn context(detail: Detail, vector: Option<&'static [f32]>, graph: bool, budget: usize) -> SceneContext {
    let scene =
        Scene { place: Some(id("gull")), present: vec![id("odo")], time: Some(GameTime(1_000)), ..Scene::default() };
    tavern().context_with("mirela", "Where is the harbour ledger, and does Odo have it?", |request| ContextRequest {
        scene: Box::leak(Box::new(scene.clone())),
        detail,
        vector,
        graph,
        budget,
        ..request
    })
}

#[test]
fn every_form_is_as_it_was() {
    let full = context(Detail::Plain, Some(&[1.0, 0.0]), true, 1000);
    check("prompt.txt", &full.render(Form::Prompt, Detail::Plain));
    check(
        "prompt-citations.txt",
        &context(Detail::Explained, None, true, 1000).render(Form::Prompt, Detail::Explained),
    );
    check("text.txt", &full.render(Form::Text, Detail::Citations));
    check("text-explained.txt", &full.render(Form::Text, Detail::Explained));
    check("markdown.md", &full.render(Form::Markdown, Detail::Citations));
    // The last digits of a score depend on the machine.
    let mut json = serde_json::from_str(&full.render(Form::Json, Detail::Plain)).unwrap();
    round(&mut json);
    check("context.json", &serde_json::to_string_pretty(&json).unwrap());
}

#[test]
fn omitted_channels_are_reported() {
    let words_alone = context(Detail::Plain, None, false, 1000);
    check("without-meaning-and-graph.txt", &words_alone.render(Form::Text, Detail::Explained));
    let small = context(Detail::Plain, None, true, 90);
    check("small.txt", &small.render(Form::Text, Detail::Plain));
    assert!(small.omitted > 0 && small.tokens <= 90);
}
