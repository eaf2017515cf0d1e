//! Asks questions about the large example campaign Gullhaven, with the real database and the real sentence encoder.
//!
//! Each question in `questions/gullhaven.yaml` has two lists of facts. The facts of the first list must appear in the
//! scene context; the most important fact is first. The facts of the second list must not appear, because the speaker
//! cannot know them.

use std::{collections::BTreeSet, fs, path::Path, time::Duration};

use hearsay_engine::{Memory, MemoryOptions, ReadSnapshot};
use hearsay_model::{EntityId, FactId, State};
use hearsay_query::ask::{Answer, Ask};
use hearsay_recall::{Form, Line, SectionKind, Source};
use saphyr::{LoadableYamlNode, Yaml};

struct Question {
    text: String,
    speaker: String,
    place: Option<String>,
    must: Vec<String>,
    must_not: Vec<String>,
    /// Whether the question is worded so differently from the facts that the answer may lack them.
    hard: bool,
}

pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn id(text: &str) -> EntityId {
    EntityId::new(text).unwrap()
}

fn questions() -> Vec<Question> {
    let text = fs::read_to_string(root().join("tests/questions/gullhaven.yaml")).unwrap();
    let documents = Yaml::load_from_str(&text).unwrap();
    let string = |yaml: &Yaml, key: &str| yaml.as_mapping_get(key).and_then(|value| value.as_str().map(str::to_owned));
    let list = |yaml: &Yaml, key: &str| {
        let items = yaml.as_mapping_get(key).and_then(|value| value.as_sequence().cloned()).unwrap_or_default();
        items.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    let question = |yaml: &Yaml| Question {
        text: string(yaml, "question").unwrap(),
        speaker: string(yaml, "as").unwrap(),
        place: string(yaml, "at"),
        must: list(yaml, "must"),
        must_not: list(yaml, "must_not"),
        hard: yaml.as_mapping_get("hard").is_some(),
    };
    documents[0].as_sequence().unwrap().iter().map(question).collect()
}

/// Returns the facts with the given name. A name is a handle, `subject PREDICATE object`, or `subject attribute`.
/// Panics if there is no such fact.
fn facts_named(state: &State, name: &str) -> BTreeSet<FactId> {
    let parts: Vec<&str> = name.split_whitespace().collect();
    let found: BTreeSet<FactId> = match parts[..] {
        [handle] => state.facts_by_handle(handle).map(|fact| fact.id()).collect(),
        [subject, predicate, ..] => state
            .facts()
            .filter(|fact| fact.subject().as_str() == subject && *fact.predicate() == *predicate)
            .filter(|fact| parts.get(2).is_none_or(|object| fact.object().to_string() == **object))
            .map(|fact| fact.id())
            .collect(),
        [] => BTreeSet::new(),
    };
    assert!(!found.is_empty(), "the campaign has no fact `{name}`");
    found
}

fn lines(answer: &Answer) -> impl Iterator<Item = &Line> {
    answer.context.lines()
}

/// Returns the rank of the first wanted fact among the relevant lines of an answer. Ranks start at 1. Returns `None` if
/// no relevant line states a wanted fact.
fn rank(answer: &Answer, wanted: &BTreeSet<FactId>) -> Option<usize> {
    let knowledge = answer.context.section_lines(SectionKind::Knowledge);
    let is_wanted = |line: &Line| matches!(line.citation.source, Source::Fact(id) if wanted.contains(&id));
    knowledge.iter().position(is_wanted).map(|place| place + 1)
}

#[test]
fn answers_are_right_and_leak_nothing() {
    let memory = Memory::open(MemoryOptions::in_memory()).unwrap();
    let campaign = root().join("campaigns/gullhaven");
    memory.import(campaign).unwrap().wait().unwrap();
    let status = memory.wait_for_vectors(|_, _| true).unwrap();
    assert_eq!(status.pending_vectors, 0);
    let state = memory.read(|world: &ReadSnapshot| Ok(ReadSnapshot::clone(world))).unwrap().wait().unwrap().state;

    let questions = questions();
    assert!(questions.iter().filter(|question| !question.hard && !question.must.is_empty()).count() >= 80);
    let (mut faults, mut ranks) = (Vec::new(), Vec::new());
    for question in &questions {
        let ask = Ask {
            place: question.place.as_deref().map(id),
            deadline: Some(Duration::from_secs(60)),
            ..Ask::new(id(&question.speaker), &question.text)
        };
        let answer = memory.ask(ask).unwrap().wait().unwrap();
        assert!(answer.context.meaning && answer.cut.is_empty());
        assert!(answer.context.tokens <= answer.context.budget);
        let asked = format!("{} asked {:?}", question.speaker, question.text);
        let mut stated = Vec::new();
        for line in answer.context.unique_sections().iter().flat_map(|section| &section.lines) {
            if line.citation.source != Source::Scene && stated.contains(&line.citation.source) {
                faults.push(format!("{asked}: {:?} is stated twice", line.text));
            }
            stated.push(line.citation.source);
        }
        let told: BTreeSet<FactId> = lines(&answer)
            .filter_map(|line| match line.citation.source {
                Source::Fact(id) => Some(id),
                _ => None,
            })
            .collect();
        let prompt = answer.context.render(Form::Prompt, true);
        for name in &question.must_not {
            for id in facts_named(&state, name) {
                let statement = state.fact(id).unwrap().statement();
                if told.contains(&id) || prompt.contains(statement) {
                    faults.push(format!("LEAK  {asked}: {name}"));
                }
            }
        }
        for (number, name) in question.must.iter().enumerate() {
            let wanted = facts_named(&state, name);
            if told.is_disjoint(&wanted) && !question.hard {
                faults.push(format!("LACKS {asked}: {name}"));
            }
            if number == 0 {
                ranks.push(rank(&answer, &wanted).unwrap_or(usize::MAX));
                if rank(&answer, &wanted).is_none_or(|rank| rank > LEADS) && !question.hard {
                    let first = rank(&answer, &wanted);
                    faults.push(format!("LATE  {asked}: {name} at {first:?}"));
                }
            }
        }
    }
    let share = |most: usize| ranks.iter().filter(|rank| **rank <= most).count() as f64 / ranks.len() as f64;
    println!(
        "{} questions; share with the first fact at rank 1: {:.2}, up to rank 3: {:.2}, up to rank 5: {:.2}",
        questions.len(),
        share(1),
        share(3),
        share(5)
    );
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    memory.close().unwrap();
}

/// Maximum rank that the most important fact of a question may have among the relevant lines of the answer.
const LEADS: usize = 5;
