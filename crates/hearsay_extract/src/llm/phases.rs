//! Runs the two phases, entities and relations, on each part of a text.

use std::{
    future::{Future, poll_fn},
    ops::Range,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    task::Poll,
};

use hearsay_model::Span;
use serde::de::DeserializeOwned;

use super::{
    Counts, Found, Llm, LlmError, Phase, Progress, Unread, Watch,
    answer::{self, Answer, ENTITIES, EntityItem, FACTS, FactItem, Form},
    client::{Call, Run},
    error::beginning,
    guard,
    known::{self, Names, Scene, shown_new},
    merge::merge,
    parts::parts,
    prompt,
    quote::Quotable,
    take::Part,
};
use crate::{Extraction, Lexicon, Mention, Naming, NewEntity};

/// Maximum number of characters of an unusable answer that are sent back to the model.
const MOST_SENT_BACK: usize = 4_000;

/// One run that reads a text.
pub(crate) struct Reading<'a> {
    llm: &'a Llm,
    lexicon: &'a Lexicon,
    scene: Scene<'a>,
    watch: &'a Watch<'a>,
    run: Run,
    parts: Vec<Range<usize>>,
    is_plain: bool,
}

/// Result of reading one part.
struct PartRead {
    extraction: Extraction,
    counts: Counts,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(llm: &'a Llm, lexicon: &'a Lexicon, scene: Scene<'a>, watch: &'a Watch<'a>) -> Self {
        let settings = &llm.client.settings;
        let all = parts(scene.text, settings.part_chars, settings.overlap_chars);
        Self {
            llm,
            lexicon,
            scene,
            watch,
            run: Run::new(settings, &watch.cancel),
            parts: all.into_iter().filter(|range| is_readable(&scene.text[range.clone()])).collect(),
            is_plain: guard::addressed(scene.text).is_empty(),
        }
    }

    /// Reads all parts, several at a time. The result lists the parts that failed. If all parts failed, returns the
    /// error of the first one.
    pub(crate) async fn read(&self) -> Result<Found, LlmError> {
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let worker = || async {
            let mut read = Vec::new();
            while !stopped.load(Relaxed) {
                let index = next.fetch_add(1, Relaxed);
                let Some(range) = self.parts.get(index) else { break };
                let part = self.part(index, range.clone()).await;
                // After any error except an unusable answer, the run stops: the server or the budget would refuse the
                // next part too.
                let goes_on = matches!(part, Ok(_) | Err(LlmError::Unusable { .. }));
                stopped.fetch_or(!goes_on, Relaxed);
                read.push((index, part));
            }
            read
        };
        let workers = self.llm.client.settings.concurrency.min(self.parts.len());
        let mut read: Vec<_> = all((0..workers).map(|_| worker()).collect()).await.into_iter().flatten().collect();
        if self.run.cancel.is_cancelled() {
            return Err(LlmError::Cancelled);
        }
        read.sort_by_key(|(index, _)| *index);
        let mut counts = Counts::default();
        let (mut extractions, mut unread) = (Vec::new(), Vec::new());
        let mut read = read.into_iter().peekable();
        for (index, range) in self.parts.iter().enumerate() {
            let span = Span { start: range.start, end: range.end };
            match read.next_if(|(of, _)| *of == index).map(|(_, part)| part) {
                Some(Ok(part)) => {
                    counts.add(&part.counts);
                    extractions.push(part.extraction);
                }
                Some(Err(why)) => unread.push(Unread { span, why: Some(why) }),
                None => unread.push(Unread { span, why: None }),
            }
        }
        if extractions.is_empty()
            && let Some(why) = unread.iter_mut().find_map(|part| part.why.take())
        {
            return Err(why);
        }
        let (mut extraction, further, merged) = merge(extractions, &self.llm.vocabulary);
        extraction.addresses_program = !self.is_plain;
        counts.parts = self.parts.len();
        counts.merged += merged;
        counts.entities = extraction.entities.len();
        counts.relations = extraction.facts.len();
        counts.calls = self.run.calls();
        counts.retries = self.run.retries();
        counts.tokens = self.run.budget.used();
        Ok(Found { extraction, further, counts, unread })
    }

    async fn part(&self, index: usize, range: Range<usize>) -> Result<PartRead, LlmError> {
        let (llm, settings) = (self.llm, &self.llm.client.settings);
        let words = &self.scene.text[range.clone()];
        let part = Part {
            text: words,
            start: range.start,
            quotable: Quotable::new(words),
            addressed: guard::addressed(words),
            grammar: &llm.language.grammar,
            vocabulary: &llm.vocabulary,
            is_plain: self.is_plain,
            speaker: self.scene.speaker.cloned().map(Mention::Known),
        };
        let known = known::named(self.lexicon, &self.scene, words);
        let mut counts = Counts::default();
        let mut entities: Vec<NewEntity> = Vec::new();
        let mut empty = 0;
        for pass in 1..=settings.entity_passes {
            self.tell(Phase::Entities, index, pass);
            let shown: Vec<_> = known.iter().cloned().chain(shown_new(&entities, &known)).collect();
            let user = prompt::user(words, &shown, &self.scene, "Known entities:");
            let found: Answer<EntityItem> =
                self.ask(&ENTITIES, Phase::Entities, &llm.entities_system, user, &mut counts).await?;
            let before = entities.len();
            for item in found.items {
                let names = Names::of(&[&known[..], &shown_new(&entities, &known)].concat());
                entities.extend(part.entity(item, &names, settings.entities.least(), &mut counts.flagged));
            }
            empty = if entities.len() > before { 0 } else { empty + 1 };
            counts.passes += 1;
            if empty == 2 {
                break;
            }
        }
        let shown: Vec<_> = known.iter().cloned().chain(shown_new(&entities, &known)).collect();
        let mut facts = Vec::new();
        if !shown.is_empty() {
            self.tell(Phase::Relations, index, 1);
            let user = prompt::user(words, &shown, &self.scene, "Entities:");
            let found: Answer<FactItem> =
                self.ask(&FACTS, Phase::Relations, &llm.facts_system, user, &mut counts).await?;
            let names = Names::of(&shown);
            for item in found.items {
                facts.extend(part.fact(item, &names, &shown, settings.relations.least(), &mut counts.flagged));
            }
        }
        let mentions = known.iter().filter_map(|shown| {
            let Mention::Known(entity) = &shown.mention else { return None };
            let span = known::first(shown, &part.quotable)?;
            let span = Span { start: range.start + span.start, end: range.start + span.end };
            Some(Naming { entity: entity.clone(), span })
        });
        let mentions = mentions.collect();
        Ok(PartRead { extraction: Extraction { facts, entities, mentions, addresses_program: false }, counts })
    }

    /// Makes one call that returns items. If the answer cannot be used, asks the model once more, and tells it what was
    /// wrong.
    async fn ask<T: DeserializeOwned>(
        &self,
        form: &Form,
        phase: Phase,
        system: &str,
        user: String,
        counts: &mut Counts,
    ) -> Result<Answer<T>, LlmError> {
        let client = &self.llm.client;
        let schema = Some((form.name, form.schema.clone()));
        let mut call = Call { phase, system: system.to_owned(), user, failed: None, schema };
        loop {
            let reply = client.ask(&call, &self.run).await?;
            match answer::read(form, &reply.text) {
                Ok(answer) => {
                    counts.flagged.malformed += answer.malformed;
                    counts.repaired += usize::from(answer.repaired);
                    counts.cut_off += usize::from(reply.cut_off);
                    return Ok(answer);
                }
                Err(why) if call.failed.is_some() => {
                    let model = client.model(phase).to_owned();
                    return Err(LlmError::Unusable { model, why, began: beginning(&reply.text) });
                }
                Err(why) => {
                    counts.asked_again += 1;
                    let sent: String = reply.text.chars().take(MOST_SENT_BACK).collect();
                    call.failed =
                        Some((if sent.trim().is_empty() { "(nothing)".to_owned() } else { sent }, prompt::wrong(&why)));
                }
            }
        }
    }

    fn tell(&self, phase: Phase, part: usize, pass: usize) {
        if let Some(progress) = self.watch.progress {
            let (calls, tokens) = (self.run.calls(), self.run.budget.used());
            progress(Progress { phase, part: part + 1, parts: self.parts.len(), pass, calls, tokens });
        }
    }
}

/// Returns whether a part is readable text: it has at least two letters, and at most one control or replacement
/// character per ten letters.
fn is_readable(part: &str) -> bool {
    let (mut letters, mut strange) = (0, 0);
    for c in part.chars() {
        letters += usize::from(c.is_alphabetic());
        strange += usize::from((c.is_control() && !c.is_whitespace()) || c == '\u{FFFD}');
    }
    letters >= 2 && strange * 10 <= letters
}

/// Waits for several futures at once, in one task. Returns their results in the same order.
async fn all<T, F: Future<Output = T>>(futures: Vec<F>) -> Vec<T> {
    let mut futures: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut results: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, result) in futures.iter_mut().zip(&mut results) {
            if result.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *result = Some(value);
            }
        }
        if results.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    results.into_iter().flatten().collect()
}
