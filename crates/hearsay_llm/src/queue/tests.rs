use std::collections::BTreeMap;

use hearsay_model::{ExtractionStage, Factuality, Passage, Span};
use proptest::prelude::*;

use super::*;

fn settings() -> QueueSettings {
    QueueSettings {
        concurrency: 2,
        tries: 3,
        wait_ms: 1_000,
        max_wait_ms: 60_000,
        ..QueueSettings::from(&LlmSettings::default())
    }
}

fn turn(number: u32, words: &str) -> Turn {
    let passage = Passage { line: number, ..Passage::new(words) };
    Turn { id: passage.id(), text: words.into(), speaker: None, speaker_name: Some("Odo".into()) }
}

fn stored(queue: &Queue) -> Queue {
    serde_json::from_str(&serde_json::to_string(queue).unwrap()).unwrap()
}

#[test]
fn a_conversation_is_read_after_five_turns_or_two_thousand_tokens() {
    let mut queue = Queue::new();
    let mut say =
        |source, number, words: &str| queue.add_turn(&settings(), source, turn(number, words), Context::default());
    assert!((0..4).all(|number| say("a", number, "Hello.").is_none()));
    assert!(say("b", 4, "Hello.").is_none());
    assert_eq!(say("a", 5, "Hello."), Some(0));
    assert_eq!(say("b", 6, &"word ".repeat(1_600)), Some(1));
    assert_eq!(say("b", 6, &"word ".repeat(1_600)), None, "the same passage again");
    assert_eq!(queue.take_job(&settings(), 0).unwrap().turns.len(), 5);
    assert_eq!(queue.add_text("file", turn(7, "Lore."), Context::default()), Some(2));
}

#[test]
fn sources_take_turns() {
    let mut queue = Queue::new();
    let settings = QueueSettings { concurrency: 100, ..settings() };
    for number in 0..4 {
        queue.add_text("large import", turn(number, "Lore."), Context::default());
    }
    queue.add_text("table", turn(9, "Hello."), Context::default());
    let order: Vec<_> = std::iter::from_fn(|| queue.take_job(&settings, 0)).map(|job| job.source).collect();
    assert_eq!(order, ["large import", "table", "large import", "large import", "large import"]);
}

#[test]
fn a_server_that_is_gone_is_left_alone_and_nobody_is_blamed() {
    let (mut queue, settings) = (Queue::new(), settings());
    for number in 0..3 {
        queue.add_text("a", turn(number, "Lore."), Context::default());
    }
    let first = queue.take_job(&settings, 0).unwrap();
    queue.mark_unreachable(&settings, first.id, 0);
    assert!(queue.take_job(&settings, 500).is_none());
    let due = queue.next_due_ms().unwrap();
    assert!((750..=1_000).contains(&due), "{due}");
    let again = queue.take_job(&settings, due).unwrap();
    assert_eq!((again.id, again.failures), (first.id, 0));
    assert!(queue.take_job(&settings, due).is_none(), "one job tries whether it is back");
    queue.mark_unreachable(&settings, again.id, due);
    assert!(queue.next_due_ms().unwrap() - due > 1_400, "the wait doubles");
    queue.retry_all();
    let job = queue.take_job(&settings, due).unwrap();
    queue.complete(job.id);
    assert!(queue.take_job(&settings, due).is_some() && queue.take_job(&settings, due).is_some());
}

#[test]
fn a_job_that_fails_is_tried_again_but_not_for_ever() {
    let (mut queue, settings, mut now) = (Queue::new(), settings(), 0);
    queue.add_text("a", turn(0, "Lore."), Context::default());
    for times in 1..=3 {
        let job = queue.take_job(&settings, now).unwrap();
        queue.fail(&settings, job.id, "no JSON", now);
        assert_eq!(queue.jobs().next().unwrap().failures, times);
        now += 10_000;
    }
    assert!(queue.take_job(&settings, i64::MAX).is_none());
    assert_eq!((queue.counts().given_up, queue.next_due_ms()), (1, None));
    queue.retry_all();
    assert!(queue.take_job(&settings, now).is_some());
}

#[test]
fn a_restart_reads_again_what_was_being_read() {
    let (mut queue, settings) = (Queue::new(), settings());
    queue.add_text("a", turn(0, "Lore."), Context::default());
    queue.add_turn(&settings, "b", turn(1, "Hello."), Context::default());
    let job = queue.take_job(&settings, 0).unwrap();
    let mut queue = stored(&queue).after_restart();
    assert_eq!(queue.counts(), QueueCounts { gathering: 1, pending: 1, ..QueueCounts::default() });
    assert_eq!(queue.take_job(&settings, 0), Some(job));
    assert!(stored(&Queue::new()) == Queue::new());
}

#[test]
fn what_was_withdrawn_is_not_read() {
    let (mut queue, settings) = (Queue::new(), settings());
    let (a, b, c) = (turn(0, "A."), turn(1, "B."), turn(2, "C."));
    queue.add_turn(&settings, "t", a.clone(), Context::default());
    queue.add_text("f", b.clone(), Context::default());
    queue.add_text("f", c.clone(), Context::default());
    let running = queue.take_job(&settings, 0).unwrap();
    assert_eq!(running.turns, std::slice::from_ref(&b));
    assert!(
        queue.remove_passage(a.id)
            && queue.remove_passage(c.id)
            && !queue.remove_passage(b.id)
            && !queue.remove_passage(c.id)
    );
    assert_eq!(queue.counts(), QueueCounts { running: 1, ..QueueCounts::default() });
}

#[test]
fn a_job_ends_as_its_reading_did() {
    let settings = settings();
    let base_url = || "http://x".to_owned();
    let budget = |setting| LlmError::Budget { scope: "", setting, limit: 1, used: 1, needed: 1 };
    let unread = |reason| {
        Ok(LlmExtraction {
            unread: vec![crate::UnreadPart { span: Span { start: 0, end: 1 }, reason }],
            ..LlmExtraction::default()
        })
    };
    let counts =
        |pending, failed, given_up, done| QueueCounts { pending, failed, given_up, done, ..QueueCounts::default() };
    let unreachable = LlmError::Unreachable { base_url: base_url(), tries: 1, reason: String::new() };
    let unusable = LlmError::Unusable { model: "m".into(), reason: String::new(), answer_start: String::new() };
    for (outcome, expected) in [
        (Ok(LlmExtraction::default()), counts(0, 0, 0, 1)),
        (Err(LlmError::Cancelled), counts(1, 0, 0, 0)),
        (Err(unreachable.clone()), counts(1, 0, 0, 0)),
        (unread(Some(unreachable)), counts(1, 0, 0, 0)),
        (Err(budget("total_tokens")), counts(1, 0, 0, 0)),
        (Err(budget("run_tokens")), counts(0, 0, 1, 0)),
        (Err(unusable), counts(0, 1, 0, 0)),
        (Err(LlmError::Refused { base_url: base_url(), reason: "no".into() }), counts(0, 0, 1, 0)),
    ] {
        let mut queue = Queue::new();
        queue.add_text("a", turn(0, "Lore."), Context::default());
        let job = queue.take_job(&settings, 0).unwrap();
        queue.report_outcome(&settings, job.id, &outcome, 0);
        assert_eq!(queue.counts(), expected, "{outcome:?}");
    }
}

#[test]
fn what_was_found_is_taken_apart_by_turns() {
    use hearsay_extract::{ExtractedFact, Extraction, FactObject, Mention, NewEntity};
    use hearsay_model::{Confidence, Predicate};
    let speaker = |name: &str| EntityId::new(name).ok();
    let mut queue = Queue::new();
    for (number, who, words) in
        [(0, "odo", "I saw Merrow."), (1, "lyra", "So did I: it was Merrow!"), (2, "bram", "It sank.")]
    {
        queue.add_turn(&settings(), "t", Turn { speaker: speaker(who), ..turn(number, words) }, Context::default());
    }
    queue.flush_all();
    let job = queue.take_job(&settings(), 0).unwrap();
    let (script, spans) = job.script();
    assert_eq!(script, "Odo: I saw Merrow.\n\nOdo: So did I: it was Merrow!\n\nOdo: It sank.");
    let confidence = Confidence::FULL;
    let fact = |span: Span, stated_by: Option<&str>| ExtractedFact {
        subject: Mention::New(0),
        predicate: Predicate::new("lore").unwrap(),
        object: FactObject::Value("x".into()),
        relation: None,
        statement: "x".into(),
        span,
        quote: script[span.start..span.end].into(),
        confidence,
        stated_by: stated_by.and_then(speaker).map(Mention::Known),
        told_to: Vec::new(),
        denied: false,
        ended: false,
        factuality: Factuality::Asserted,
        participants: Vec::new(),
        cues: Vec::new(),
        stage: ExtractionStage::LanguageModel,
    };
    let across = Span { start: spans[0].start, end: spans[1].end };
    let named = script.find("Merrow").map(|at| Span { start: at, end: at + 6 }).unwrap();
    let extraction = Extraction {
        facts: vec![fact(across, None), fact(spans[0], None), fact(spans[2], Some("falk"))],
        entities: vec![NewEntity { name: "Merrow".into(), kind: None, span: named, confidence }],
        ..Extraction::default()
    };
    let additional_quotes = vec![crate::AdditionalQuote { fact: 1, span: spans[1], quote: String::new() }];
    let found = LlmExtraction { extraction, additional_quotes, ..LlmExtraction::default() };
    let (turns, refused) = job.split_by_turn(&found);
    assert_eq!(refused, 1);
    let shown: Vec<_> = turns
        .iter()
        .map(|(_, turn)| {
            let (fact, entity) = (&turn.facts[0], &turn.entities[0]);
            assert_eq!((turn.facts.len(), turn.entities.len(), &fact.subject), (1, 1, &Mention::New(0)));
            (fact.quote.as_str(), fact.stated_by.clone(), entity.span)
        })
        .collect();
    let stated_by = |name: &str| speaker(name).map(Mention::Known);
    let span = |start, end| Span { start, end };
    assert_eq!(
        shown,
        [
            ("I saw Merrow.", stated_by("odo"), span(6, 12)),
            ("So did I: it was Merrow!", stated_by("lyra"), span(17, 23)),
            ("It sank.", stated_by("falk"), span(0, 8)),
        ]
    );
    assert_eq!(
        turns.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        job.turns.iter().map(|turn| turn.id).collect::<Vec<_>>()
    );
}

#[derive(Debug, Clone)]
enum Step {
    Say(u8, u16),
    Text(u8),
    Flush(u8),
    Take,
    Done(usize),
    Failed(usize),
    Unreachable(usize),
    PutBack(usize),
    Forget(u32),
    Restart,
    RetryAll,
    Wait(u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..4_u8, 1..3_000_u16).prop_map(|(source, length)| Step::Say(source, length)),
        2 => (0..4_u8).prop_map(Step::Text),
        1 => (0..4_u8).prop_map(Step::Flush),
        4 => Just(Step::Take),
        3 => any::<usize>().prop_map(Step::Done),
        1 => any::<usize>().prop_map(Step::Failed),
        1 => any::<usize>().prop_map(Step::Unreachable),
        1 => any::<usize>().prop_map(Step::PutBack),
        1 => (0..40_u32).prop_map(Step::Forget),
        1 => Just(Step::Restart),
        1 => Just(Step::RetryAll),
        2 => (0..100_000_u32).prop_map(Step::Wait),
    ]
}

proptest! {
    /// Every turn is in exactly one place: in a conversation that waits for more turns, in one job, read, or removed.
    #[test]
    fn nothing_is_lost_and_nothing_read_twice(steps in prop::collection::vec(step(), 0..80)) {
        let settings = settings();
        let (mut queue, mut now, mut number) = (Queue::new(), 0_i64, 0_u32);
        let mut states: BTreeMap<PassageId, &str> = BTreeMap::new();
        let mut ids: Vec<PassageId> = Vec::new();
        let mut running: Vec<Job> = Vec::new();
        for step in steps {
            let take_running = |at: usize, running: &mut Vec<Job>| {
                (!running.is_empty()).then(|| running.remove(at % running.len()))
            };
            match step {
                Step::Say(source, length) => {
                    let turn = turn(number, &"x".repeat(length.into()));
                    states.insert(turn.id, "here");
                    ids.push(turn.id);
                    queue.add_turn(&settings, &source.to_string(), turn.clone(), Context::default());
                    prop_assert_eq!(queue.add_turn(&settings, "other", turn, Context::default()), None);
                }
                Step::Text(source) => {
                    let turn = turn(number, "text");
                    states.insert(turn.id, "here");
                    ids.push(turn.id);
                    prop_assert!(queue.add_text(&source.to_string(), turn, Context::default()).is_some());
                }
                Step::Flush(source) => _ = queue.flush(&source.to_string()),
                Step::Take => {
                    let waiting: Vec<(String, JobId)> = queue.jobs().filter(|job| job.state == JobState::Pending).map(|job| (job.source.clone(), job.id)).collect();
                    if let Some(job) = queue.take_job(&settings, now) {
                        prop_assert!(running.iter().all(|other| other.id != job.id));
                        // Among the jobs of a source that did not fail, the oldest is taken first.
                        if job.failures == 0 {
                            prop_assert!(waiting.iter().all(|(source, id)| *source != job.source || *id >= job.id));
                        }
                        running.push(job);
                    } else if running.is_empty() && !waiting.is_empty() {
                        prop_assert!(queue.next_due_ms().is_some_and(|due| due > now), "something waits, and nothing is in its way");
                    }
                }
                Step::Done(at) => if let Some(job) = take_running(at, &mut running) {
                    queue.complete(job.id);
                    for turn in &job.turns {
                        prop_assert_eq!(states.insert(turn.id, "read"), Some("here"));
                    }
                },
                Step::Failed(at) => if let Some(job) = take_running(at, &mut running) {
                    queue.fail(&settings, job.id, "why", now);
                },
                Step::Unreachable(at) => if let Some(job) = take_running(at, &mut running) {
                    queue.mark_unreachable(&settings, job.id, now);
                },
                Step::PutBack(at) => if let Some(job) = take_running(at, &mut running) {
                    queue.requeue(job.id);
                },
                Step::Forget(at) => if let Some(id) = ids.get(at as usize)
                    && queue.remove_passage(*id)
                {
                    prop_assert_eq!(states.insert(*id, "withdrawn"), Some("here"));
                },
                Step::Restart => {
                    prop_assert_eq!(&stored(&queue), &queue);
                    queue = stored(&queue).after_restart();
                    running.clear();
                }
                Step::RetryAll => queue.retry_all(),
                Step::Wait(ms) => now += i64::from(ms),
            }
            number += 1;
            let mut places: Vec<PassageId> = queue.jobs().flat_map(|job| &job.turns).map(|turn| turn.id).collect();
            for conversation in queue.open_conversations.values() {
                prop_assert!(!conversation.turns.is_empty() && conversation.turns.len() < settings.after_turns && conversation.tokens < settings.after_tokens);
                places.extend(conversation.turns.iter().map(|turn| turn.id));
            }
            places.sort();
            let expected: Vec<PassageId> = states.iter().filter(|(_, place)| **place == "here").map(|(id, _)| *id).collect();
            prop_assert_eq!(&places, &expected);
            prop_assert_eq!(queue.queued_passages.iter().copied().collect::<Vec<_>>(), expected);
            prop_assert_eq!(queue.counts().running, running.len());
            prop_assert!(running.len() <= settings.concurrency);
        }
        // After any sequence of steps, every remaining job can be completed.
        queue = queue.after_restart();
        queue.flush_all();
        queue.retry_all();
        while let Some(job) = queue.take_job(&settings, now) {
            queue.complete(job.id);
        }
        prop_assert_eq!(queue.counts(), QueueCounts { done: queue.done, ..QueueCounts::default() });
        prop_assert!(queue.queued_passages.is_empty() && queue.served.is_empty());
    }
}
