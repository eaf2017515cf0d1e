//! Tests the content and size of a scene context.

use proptest::prelude::*;

use super::*;
use crate::{Source, context::Section};

/// A token counter that is unlike the tokenizer of any model: one letter costs extra tokens.
struct OddTokens {
    letter: char,
    cost: usize,
    words: usize,
}

impl TokenCounter for OddTokens {
    fn count(&self, text: &str) -> usize {
        let letters = text.chars().filter(|c| c.eq_ignore_ascii_case(&self.letter)).count();
        letters * self.cost + text.split_whitespace().count() * self.words + text.len().div_ceil(7)
    }
}

const QUESTIONS: [&str; 5] = [
    "Where is the harbour ledger?",
    "What of Odo Brandt and the chapel candle?",
    "",
    "Who owes whom?",
    "Now listen closely, for I ask but once, and I ask it of everybody in this house tonight, whoever they may be: who of \
     you has seen the harbour ledger, the one with the torn back, on the night when the ferry did not come in?",
];

/// Returns the tavern with many more facts.
fn busy() -> World {
    let mut world = World::tavern();
    for n in 0..12 {
        world.attribute(
            "chapel",
            "lore",
            &format!("The chapel has {n} candles more than the harbour ledger says."),
            "*",
        );
        world.attribute("mirela", "goals", &format!("pay back the {n} crowns that she owes"), "mirela");
    }
    for (at, other) in ["chapel", "ledger", "odo", "gull"].into_iter().enumerate() {
        world.relation("mirela", "KNOWS", other, &format!("Mirela Voss knows of number {at}, and says so."), "mirela");
    }
    let mut passage = Passage::new("Nobody shall have the harbour ledger while I can row.");
    (passage.speaker, passage.heard_by) = (Some(id("odo")), vec![Knower::Entity(id("mirela"))]);
    world.apply(vec![Change::AddPassage(passage.into())]);
    world
}

proptest! {
    #[test]
    fn no_budget_is_exceeded_and_what_fits_is_told(
        budget in prop_oneof![0_usize..60, 0_usize..700],
        letter in prop::char::range('a', 'z'),
        (cost, words) in (0_usize..9, 0_usize..4),
        limit in 0_usize..12,
        question in prop::sample::select(&QUESTIONS[..]),
        detail in prop::sample::select(&[Detail::Plain, Detail::Explained][..]),
    ) {
        // Leaks the counter, because the request borrows it.
        let counter: &OddTokens = Box::leak(Box::new(OddTokens { letter, cost, words }));
        let world = busy();
        let context_for = |budget: usize| world.context_with("mirela", question, |request| ContextRequest {
            budget, limit, detail, counter, ..request
        });
        let (context, all) = (context_for(budget), context_for(usize::MAX));
        let count = |context: &SceneContext| counter.count(&context.render(Form::Prompt, detail));
        prop_assert_eq!(context.tokens, count(&context));
        prop_assert!(context.tokens <= budget, "{} of {}", context.tokens, budget);
        let told: Vec<&str> = context.lines().map(|line| line.text.as_str()).collect();
        let is_checked = |section: &&Section| section.kind != SectionKind::RecentTalk;
        for section in all.sections.iter().filter(is_checked) {
            let is_knowledge = section.kind == SectionKind::Knowledge;
            let kind = if is_knowledge { SectionKind::Knowledge } else { SectionKind::Further };
            let is_told = |line: &&crate::Line| {
                let mut facts = line.sources().filter(|source| *source != Source::Scene);
                told.contains(&line.text.as_str()) || facts.any(|fact| context.sources().any(|told| told == fact))
            };
            for line in section.lines.iter().filter(|line| !is_told(line)) {
                let line = crate::Line { is_repetition: false, ..line.clone() };
                let mut more = context.clone();
                match more.sections.iter_mut().find(|section| section.kind == kind) {
                    Some(section) if is_knowledge && section.lines.len() >= limit => continue,
                    Some(section) => section.lines.push(line.clone()),
                    None => more.sections.push(Section { kind, title: String::new(), lines: vec![line.clone()] }),
                }
                prop_assert!(count(&more) > budget, "there is room for {}", line.text);
            }
        }
    }

    #[test]
    fn what_does_not_depend_on_the_question_stands_first_and_stays(
        budget in 0_usize..900,
        (a, b) in (prop::sample::select(&QUESTIONS[..4]), prop::sample::select(&QUESTIONS[..4])),
    ) {
        let world = busy();
        let (a, b) = (world.context("mirela", a, budget), world.context("mirela", b, budget));
        let (shorter, longer) = if a.render(Form::Prompt, false).len() < b.render(Form::Prompt, false).len() {
            (a, b)
        } else {
            (b, a)
        };
        let status = |context: &SceneContext| {
            let mut status = context.clone();
            status.sections.retain(|section| section.kind < SectionKind::RecentTalk);
            status.question.clear();
            status.render(Form::Prompt, false)
        };
        // With a small budget, the sections may be cut at the end, because a long question needs tokens too.
        let (one, other) = (status(&shorter), status(&longer));
        prop_assert!(one.starts_with(&other) || other.starts_with(&one), "{one}\n{other}");
        prop_assert!(longer.render(Form::Prompt, false).starts_with(&other));
        if budget >= 300 {
            prop_assert_eq!(one, other);
        }
    }
}

proptest! {
    #[test]
    fn no_fact_is_stated_twice(budget in 0_usize..2000, question in prop::sample::select(&QUESTIONS[..])) {
        let world = busy();
        let context = world.context("mirela", question, budget);
        let mut stated = std::collections::BTreeSet::new();
        let sections = context.unique_sections();
        let lines = sections.iter().flat_map(|section| &section.lines);
        for line in lines.filter(|line| line.feelings.is_none()) {
            for source in line.sources().filter(|source| *source != Source::Scene) {
                prop_assert!(stated.insert(source), "{} is stated twice", line.text);
            }
        }
        for form in [Form::Text, Form::Markdown, Form::Prompt] {
            let output = context.render(form, false);
            let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
            for line in &lines {
                prop_assert_eq!(lines.iter().filter(|other| *other == line).count(), 1, "{}\n{}", line, output);
            }
        }
        // Every answer to the question is stated somewhere.
        let prompt = context.render(Form::Prompt, false);
        for line in context.section_lines(SectionKind::Knowledge) {
            let text = crate::context::prompt_text(line, &context.name);
            prop_assert!(line.is_repetition || prompt.contains(&text), "{}\n{}", text, prompt);
        }
    }
}

#[test]
fn what_changes_elsewhere_leaves_the_beginning_as_it_is() {
    let mut world = busy();
    let beginning = |world: &World| {
        let prompt = world.context("mirela", QUESTIONS[0], 1000).render(Form::Prompt, false);
        prompt.split("You know, on this matter").next().unwrap().to_owned()
    };
    let before = beginning(&world);
    assert!(before.contains("warm and watchful") && before.contains("The place is"), "{before}");
    world.attribute("chapel", "lore", "The chapel roof leaks on the harbour ledger.", "mirela");
    world.attribute("odo", "personality", "gruff", "odo");
    assert_eq!(beginning(&world), before);
    world.attribute("mirela", "age", "fifty", "mirela");
    assert_ne!(beginning(&world), before);
}

fn source(session: &str) -> Provenance {
    Provenance { session: Some(SessionId::new(session).unwrap()), ..World::provenance() }
}

fn sessions(world: &mut World) {
    for session in ["s0", "s1"] {
        let (id, title) = (SessionId::new(session).unwrap(), "A night".into());
        let session = Session { id, number: None, title, date: None, start: None, end: None, present: vec![] };
        world.apply(vec![Change::SetSession(session)]);
    }
}

#[test]
fn what_several_sources_tell_is_said_once() {
    let mut world = World::tavern();
    sessions(&mut world);
    let add_rumour = |world: &mut World, session: &str, statement: &str, credence: f64| {
        let fact = Fact::relation(&id("odo"), "STOLE", &id("ledger"), source(session)).unwrap();
        let fact = world.record(fact.statement(statement).build().unwrap(), "");
        let acquisition = Acquisition::told(Some(id("odo")));
        let edge = KnowledgeEdge {
            acquisition,
            credence: Credence::new(credence).unwrap(),
            ..KnowledgeEdge::authored(id("mirela").into(), fact)
        };
        world.apply(vec![Change::Learn(edge.into())]);
        fact
    };
    let doubted = add_rumour(&mut world, "s0", "Odo Brandt stole the harbour ledger.", 0.3);
    let believed = add_rumour(&mut world, "s1", "It was Odo Brandt who stole the harbour ledger.", 0.9);
    let lore = |world: &mut World, text: &str| world.attribute("chapel", "lore", text, "mirela");
    let candles = [
        lore(&mut world, "The chapel's candles burn with a blue flame."),
        lore(&mut world, "The chapel\u{2019}s candles burn with the blue flame"),
    ];
    lore(&mut world, "The chapel's candles do not burn with a blue flame.");
    let context = world.context("mirela", "Who stole the harbour ledger? What of the blue candles?", 1000);
    let line = |part: &str| {
        let knowledge = context.section_lines(SectionKind::Knowledge);
        let mut found = knowledge.iter().filter(|line| line.text.contains(part));
        let line = found.next().unwrap();
        assert!(found.next().is_none(), "{part} is said twice");
        line
    };
    let theft_line = line("who stole");
    assert_eq!(theft_line.citation.source, Source::Fact(believed), "what is believed most");
    assert_eq!(theft_line.also.iter().map(|citation| citation.source).collect::<Vec<_>>(), [Source::Fact(doubted)]);
    assert!(!theft_line.remarks.contains(&Remark::Doubted), "{theft_line:?}");
    assert!(!knowledge(&context).iter().any(|text| text.starts_with("Odo Brandt stole")));
    let candle_line = line("candles burn with");
    let sources: Vec<Source> =
        std::iter::once(&candle_line.citation).chain(&candle_line.also).map(|citation| citation.source).collect();
    assert!(candles.iter().all(|fact| sources.contains(&Source::Fact(*fact))) && sources.len() == 2);
    assert!(knowledge(&context).iter().any(|text| text.contains("do not burn")));
    let text = context.render(Form::Text, true);
    assert!(text.contains("[also ") && text.contains(&format!("fact {}", doubted.short())), "{text}");
}

#[test]
fn what_is_kept_secret_is_not_the_same_as_what_is_said() {
    let mut world = World::tavern();
    let said = world.attribute("chapel", "lore", "The chapel floor is hollow.", "mirela");
    let secret =
        world.0.fact(said).unwrap().to_builder().secrecy(hearsay_model::Secrecy::Secret).provenance(source("s0"));
    sessions(&mut world);
    let secret = world.record(secret.build().unwrap(), "mirela");
    let context = world.context("mirela", "Is the chapel floor hollow?", 1000);
    let sources: Vec<Source> = context.lines().map(|line| line.citation.source).collect();
    assert!(sources.contains(&Source::Fact(said)) && sources.contains(&Source::Fact(secret)), "{sources:?}");
}

#[test]
fn a_passage_that_bears_a_fact_out_in_its_words_is_not_said_again() {
    let mut world = World::tavern();
    let mut passage = Passage::new("The harbour ledger is bound in sealskin.");
    (passage.speaker, passage.heard_by) = (Some(id("odo")), vec![Knower::Entity(id("mirela"))]);
    let (heard, quote) = (passage.id(), passage.text.clone());
    world.apply(vec![Change::AddPassage(passage.into())]);
    let evidence = vec![Evidence::Passage { passage: heard, span: Span { start: 0, end: quote.len() }, quote }];
    let provenance = Provenance { evidence, ..Provenance::new(Method::Stated, Author::Dm) };
    let bound = Fact::attribute(&id("ledger"), "appearance", "bound in sealskin", provenance).unwrap();
    world.record(bound.statement("The harbour ledger is bound in sealskin.").build().unwrap(), "mirela");
    let context = world.context("mirela", "What is the harbour ledger bound in?", 1000);
    let told = knowledge(&context);
    assert_eq!(told.iter().filter(|text| text.contains("sealskin")).count(), 1, "{told:?}");
    assert!(context.sources().any(|source| source == Source::Passage(heard)));
}

#[test]
fn what_was_said_lately_is_told_in_order() {
    let mut world = World::tavern();
    sessions(&mut world);
    let mut say = |line: u32, session: Option<&str>, minute: i64, speaker: &str, text: &str, heard_by: &str| {
        let passage = Passage {
            speaker: Some(id(speaker)),
            session: session.map(|session| SessionId::new(session).unwrap()),
            line,
            time: Some(Date::at(GameTime(minute))),
            heard_by: heard_by.split_whitespace().map(|id| id.parse().unwrap()).collect(),
            ..Passage::new(text)
        };
        world.apply(vec![Change::AddPassage(passage.into())]);
    };
    say(1, Some("s0"), 10, "odo", "An old tale.", "mirela");
    for (line, text) in (1..).zip(["One.", "Two.", "Three.", "Four.", "Five."]) {
        say(line, Some("s1"), 5_000 + i64::from(line), if line == 4 { "mirela" } else { "odo" }, text, "mirela");
    }
    say(6, Some("s1"), 5_006, "odo", "Not for her ears.", "gull");
    let lately = |session: Option<&str>, now: Option<i64>, speaker: &str| {
        let scene = Scene {
            session: session.map(|session| SessionId::new(session).unwrap()),
            time: now.map(GameTime),
            ..Scene::default()
        };
        let context = world.context_with(speaker, "Where is the ledger?", |request| {
            // Leaks the scene, because the request borrows it.
            ContextRequest { scene: Box::leak(Box::new(scene.clone())), ..request }
        });
        context.section_lines(SectionKind::RecentTalk).iter().map(|line| line.text.clone()).collect::<Vec<_>>()
    };
    let last = ["Two.", "Three.", "Four.", "Five."].map(|text| {
        let speaker = if text == "Four." { "You" } else { "Odo Brandt" };
        format!("{speaker} said: \u{201C}{text}\u{201D}")
    });
    assert_eq!(lately(Some("s1"), None, "mirela"), last);
    assert_eq!(lately(None, Some(5_030), "mirela"), last);
    assert_eq!(lately(None, Some(9_000), "mirela"), Vec::<String>::new());
    assert_eq!(lately(Some("s0"), Some(9_000), "mirela"), ["Odo Brandt said: \u{201C}An old tale.\u{201D}"]);
    assert_eq!(lately(None, None, "mirela"), Vec::<String>::new());
}

#[test]
fn lines_of_one_minute_are_sorted_by_session() {
    let mut world = World::tavern();
    sessions(&mut world);
    let mut say = |session: Option<&str>, line: u32, text: &str| {
        let passage = Passage {
            speaker: Some(id("odo")),
            session: session.map(|session| SessionId::new(session).unwrap()),
            line,
            time: Some(Date::at(GameTime(100))),
            heard_by: vec![Knower::Entity(id("mirela"))],
            ..Passage::new(text)
        };
        world.apply(vec![Change::AddPassage(passage.into())]);
    };
    for (line, text) in (1..).zip(["One.", "Two.", "Three.", "Four.", "Five."]) {
        say(Some("s1"), line, text);
    }
    say(Some("s0"), 1, "The next evening.");
    say(None, 2, "Afterwards.");
    let lately = |sessions: &[&str]| {
        let sessions = sessions.iter().map(|session| SessionId::new(session).unwrap()).collect();
        let scene: &Scene = Box::leak(Box::new(Scene { time: Some(GameTime(100)), sessions, ..Scene::default() }));
        let context =
            world.context_with("mirela", "Where is the ledger?", |request| ContextRequest { scene, ..request });
        let lines = context.section_lines(SectionKind::RecentTalk).iter();
        lines.map(|line| line.text.trim_start_matches("Odo Brandt said: ").to_owned()).collect::<Vec<_>>()
    };
    let quoted = |texts: [&str; 4]| texts.map(|text| format!("\u{201C}{text}\u{201D}"));
    assert_eq!(lately(&["s1", "s0"]), quoted(["Four.", "Five.", "The next evening.", "Afterwards."]));
    assert_eq!(lately(&["s0", "s1"]), quoted(["Three.", "Four.", "Five.", "Afterwards."]));
}

#[test]
fn a_question_is_limited_to_whom_it_is_about() {
    let mut world = World::tavern();
    world.attribute("gull", "lore", "Rats gnaw the beams of the Gilded Gull.", "mirela");
    world.attribute("chapel", "lore", "Rats gnaw the pews.", "mirela");
    let answers = |about: &[&str], question: &str| {
        let about: Vec<EntityId> = about.iter().map(|name| id(name)).collect();
        let context = world.context_with("mirela", question, |request| ContextRequest {
            about: Box::leak(about.clone().into_boxed_slice()),
            ..request
        });
        let mut answers: Vec<String> = knowledge(&context).into_iter().map(str::to_owned).collect();
        answers.sort();
        answers
    };
    assert_eq!(answers(&[], "Where do rats gnaw?"), ["Rats gnaw the beams of the Gilded Gull.", "Rats gnaw the pews."]);
    // The lore sentence is found because it contains the name. Facts about entities one relation away are found too.
    let about_gull = answers(&["gull"], "Where do rats gnaw?");
    assert!(about_gull.contains(&"Rats gnaw the beams of the Gilded Gull.".into()), "{about_gull:?}");
    let debts = answers(&["gull"], "Who owes crowns?");
    assert!(debts.contains(&"Odo Brandt owes Mirela Voss forty crowns.".into()), "one relation away: {debts:?}");
    assert_eq!(answers(&["chapel"], "Who owes crowns?"), ["The harbour ledger lies under the chapel floor."]);
    assert!(!about_gull.iter().any(|text| text.contains("pews") || text.contains("chapel floor")), "{about_gull:?}");
    assert_eq!(answers(&["chapel"], "What is there?"), ["The harbour ledger lies under the chapel floor."]);
    assert_eq!(
        answers(&["mirela", "gull"], "the chapel floor"),
        answers(&["gull", "mirela", "gull"], "the chapel floor")
    );
}

#[test]
fn facts_with_hidden_predicates_are_in_no_section() {
    let mut world = busy();
    world.attribute("mirela", "gold", "seven crowns", "mirela");
    let predicates = |hidden: &[&str]| -> BTreeSet<String> {
        // Leaks the predicates, because the request borrows them.
        let hidden: BTreeSet<Predicate> = hidden.iter().map(|name| Predicate::new(name).unwrap()).collect();
        let hidden: &BTreeSet<Predicate> = Box::leak(Box::new(hidden));
        let question = "How much gold has Mirela Voss, and what does she know of the chapel?";
        let context = world.context_with("mirela", question, |request| ContextRequest {
            hidden,
            limit: 100,
            budget: 10_000,
            ..request
        });
        context.lines().filter_map(|line| Some(line.claim.as_ref()?.predicate.to_string())).collect()
    };
    let all = predicates(&[]);
    let hidden = ["gold", "occupation", "KNOWS"];
    assert!(hidden.iter().all(|name| all.contains(*name)), "{all:?}");
    let others: BTreeSet<String> = all.into_iter().filter(|name| !hidden.contains(&name.as_str())).collect();
    assert_eq!(predicates(&hidden), others);
}

#[test]
fn a_faded_fact_is_ranked_lower_and_has_a_remark() {
    let mut world = World::tavern();
    let rumour = world.attribute("chapel", "lore", "The bell of the chapel rings by itself.", "");
    let learned = Some(Date::at(GameTime(0)));
    let acquisition = Acquisition::told(Some(id("odo")));
    let edge = KnowledgeEdge { acquisition, learned, ..KnowledgeEdge::authored(id("mirela").into(), rumour) };
    world.apply(vec![Change::Learn(edge.into())]);
    let line = |world: &World| {
        let scene = Scene { time: Some(GameTime(100 * 24 * 60)), ..Scene::default() };
        let scene: &Scene = Box::leak(Box::new(scene));
        let context = world
            .context_with("mirela", "What of the bell of the chapel?", |request| ContextRequest { scene, ..request });
        let line = context.lines().find(|line| line.citation.source == Source::Fact(rumour)).unwrap().clone();
        (line, [Form::Text, Form::Markdown, Form::Prompt].map(|form| context.render(form, false)))
    };
    let (exact, outputs) = line(&world);
    assert!(!exact.remarks.contains(&Remark::Faded));
    assert!(outputs.iter().all(|output| !output.contains("only dimly")));

    let set_forgetting = |world: &mut World, forgetting| {
        let rules = MindRules { forgetting, ..MindRules::default() };
        world.apply(vec![Change::Set(Setting::World(WorldSetting::Minds(rules)))]);
    };
    set_forgetting(&mut world, Degree::Off);
    assert_eq!(line(&world), (exact.clone(), outputs), "the default changes nothing");

    set_forgetting(&mut world, Degree::Strong);
    let (faded, outputs) = line(&world);
    let expected: Vec<Remark> = exact.remarks.iter().cloned().chain([Remark::Faded]).collect();
    assert!(expected.iter().all(|remark| faded.remarks.contains(remark)), "{:?}", faded.remarks);
    for output in outputs {
        assert!(output.contains("you remember it only dimly"), "{output}");
    }
    assert_eq!(serde_json::to_value(&faded).unwrap()["remarks"][0], "faded");
    let prior = |line: &crate::Line| line.explanation.as_ref().unwrap().prior;
    assert!((0.7..1.0).contains(&(prior(&faded) / prior(&exact))), "{} {}", prior(&faded), prior(&exact));
}

#[test]
fn a_deed_shows_in_what_the_speaker_feels_for_those_present() {
    let mut world = World::tavern();
    let present = vec![id("odo")];
    let scene: &Scene = Box::leak(Box::new(Scene { present, ..Scene::default() }));
    let relations = |world: &World| {
        let context = world.context_with("mirela", "What now?", |request| ContextRequest { scene, ..request });
        let lines = context.section_lines(SectionKind::Relations).iter();
        lines.map(|line| line.text.clone()).collect::<Vec<_>>()
    };
    let before = relations(&world);
    let deed = world.relation("odo", "THREATENED", "mirela", "Odo Brandt threatened Mirela Voss.", "mirela");
    let after = relations(&world);
    let new: Vec<&String> = after.iter().filter(|line| !before.contains(line)).collect();
    // The section states the deed among the relations, so the line about the feelings does not repeat it.
    let expected = "You dislike and are afraid of Odo Brandt.";
    assert!(after.iter().any(|line| line == "Odo Brandt threatened Mirela Voss."), "{after:?}");
    assert!(new.iter().any(|line| *line == expected), "{new:?}");
    let context = world.context_with("mirela", "What now?", |request| ContextRequest { scene, ..request });
    let line = context.lines().find(|line| line.text == expected).unwrap();
    assert_eq!(line.citation.source, Source::Fact(deed));
    let feelings = line.feelings.as_ref().unwrap();
    assert_eq!((&feelings.towards, feelings.levels[&Feeling::Fear]), (&id("odo"), 30));
    // A relation states its feeling itself.
    let debt = context.lines().find(|line| line.text.contains("owes") && line.feelings.is_some()).unwrap();
    assert_eq!(debt.claim.as_ref().unwrap().predicate.as_str(), "OWES");
    assert!(
        context.render(Form::Prompt, false).contains("Odo Brandt threatened you"),
        "{}",
        context.render(Form::Prompt, false)
    );
}

#[test]
fn strangers_are_counted_and_replace_the_default_listeners() {
    let world = World::tavern();
    let scene_lines = |present: Vec<EntityId>, strangers| {
        let scene: &Scene =
            Box::leak(Box::new(Scene { place: Some(id("gull")), present, strangers, ..Scene::default() }));
        let context = world.context_with("mirela", "Who is there?", |request| ContextRequest { scene, ..request });
        context.section_lines(SectionKind::Scene).iter().map(|line| line.text.clone()).collect::<Vec<_>>()
    };
    let count_present = |lines: &[String]| lines.iter().filter(|line| line.contains(" there")).count();
    let alone = scene_lines(Vec::new(), 1);
    assert!(alone.contains(&"A stranger is there.".to_owned()) && count_present(&alone) == 1, "{alone:?}");
    let with_odo = scene_lines(vec![id("odo")], 2);
    assert!(with_odo.contains(&"2 strangers are there.".to_owned()) && count_present(&with_odo) == 2, "{with_odo:?}");
}

#[test]
fn every_form_states_the_feelings_even_if_their_cause_answers_the_question() {
    let mut world = World::tavern();
    world.relation("odo", "THREATENED", "mirela", "Odo Brandt threatened Mirela Voss.", "mirela");
    world.relation("mirela", "LIKES", "odo", "Mirela Voss likes Odo Brandt.", "odo");
    let scene: &Scene = Box::leak(Box::new(Scene { present: vec![id("odo")], ..Scene::default() }));
    for budget in [120, 400, 1000] {
        let question = "Did Odo Brandt threaten Mirela Voss?";
        let context = world.context_with("mirela", question, |request| ContextRequest { scene, budget, ..request });
        let lines = context.section_lines(SectionKind::Knowledge).iter();
        let is_answer = |line: &&crate::Line| line.text == "Odo Brandt threatened Mirela Voss.";
        assert_eq!(lines.filter(is_answer).count(), 1, "{budget}");
        for form in [Form::Text, Form::Markdown, Form::Json, Form::Prompt] {
            let output = context.render(form, false);
            // Mirela does not know that she likes Odo.
            assert!(output.contains("You dislike and are afraid of Odo Brandt."), "{output}");
            assert!(output.contains("Odo Brandt threatened "), "{output}");
        }
    }
}
