//! Runs the two phases, entities and relations, on each part of a text.

use std::{
    future::{Future, poll_fn},
    ops::Range,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    task::Poll,
};

use hearsay_extract::{Extraction, Lexicon, Mention, NameOccurrence, NewEntity};
use hearsay_model::Span;
use serde::de::DeserializeOwned;

use crate::{
    ExtractionCounts, Llm, LlmError, LlmExtraction, Phase, Progress, RunControl, UnreadPart,
    answer::{self, Answer, AnswerSchema, ENTITIES_SCHEMA, EntityItem, FACTS_SCHEMA, FactItem},
    client::{Call, Run},
    error::excerpt,
    item_checks::TextPart,
    merge::merge_parts,
    parts::split_into_parts,
    prompt,
    prompt_entities::{self, NameLookup, Scene, list_new_entities},
    prompt_injection,
    quote::NormalizedText,
};

/// Maximum number of characters of an unusable answer that are sent back to the model.
const MAX_RETURNED_CHARS: usize = 4_000;

/// One run that reads a text.
pub(crate) struct LlmTextExtractor<'a> {
    llm: &'a Llm,
    lexicon: &'a Lexicon,
    scene: Scene<'a>,
    watch: &'a RunControl<'a>,
    run: Run,
    parts: Vec<Range<usize>>,
    is_injection_free: bool,
}

/// Result of reading one part.
struct PartResult {
    extraction: Extraction,
    counts: ExtractionCounts,
}

impl<'a> LlmTextExtractor<'a> {
    pub(crate) fn new(llm: &'a Llm, lexicon: &'a Lexicon, scene: Scene<'a>, watch: &'a RunControl<'a>) -> Self {
        let settings = &llm.client.settings;
        let addresses_program = prompt_injection::text_addresses_program(scene.text)
            || llm.language.sentence_cues(scene.text, |_| false).addresses_program;
        let parts = split_into_parts(scene.text, settings.part_chars, settings.overlap_chars);
        Self {
            llm,
            lexicon,
            scene,
            watch,
            run: Run::new(settings, &watch.cancel),
            parts: parts.into_iter().filter(|range| is_readable(&scene.text[range.clone()])).collect(),
            is_injection_free: !addresses_program,
        }
    }

    /// Reads all parts, several at a time. The result lists the parts that failed. If all parts failed, returns the
    /// error of the first one.
    pub(crate) async fn extract(&self) -> Result<LlmExtraction, LlmError> {
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let worker = || async {
            let mut results = Vec::new();
            while !stopped.load(Relaxed) {
                let index = next.fetch_add(1, Relaxed);
                let Some(range) = self.parts.get(index) else { break };
                let part = self.extract_part(index, range.clone()).await;
                // After any error except an unusable answer, the run stops: the server or the budget would refuse the
                // next part too.
                let can_continue = matches!(part, Ok(_) | Err(LlmError::Unusable { .. }));
                stopped.fetch_or(!can_continue, Relaxed);
                results.push((index, part));
            }
            results
        };
        let workers = self.llm.client.settings.concurrency.min(self.parts.len());
        let mut results: Vec<_> =
            join_all((0..workers).map(|_| worker()).collect()).await.into_iter().flatten().collect();
        if self.run.cancel.is_cancelled() {
            return Err(LlmError::Cancelled);
        }
        results.sort_by_key(|(index, _)| *index);
        let mut counts = ExtractionCounts::default();
        let (mut extractions, mut unread) = (Vec::new(), Vec::new());
        let mut results = results.into_iter().peekable();
        for (index, range) in self.parts.iter().enumerate() {
            let span = Span { start: range.start, end: range.end };
            match results.next_if(|(part_index, _)| *part_index == index).map(|(_, part)| part) {
                Some(Ok(part)) => {
                    counts.add(&part.counts);
                    extractions.push(part.extraction);
                }
                Some(Err(reason)) => unread.push(UnreadPart { span, reason: Some(reason) }),
                None => unread.push(UnreadPart { span, reason: None }),
            }
        }
        if extractions.is_empty()
            && let Some(reason) = unread.iter_mut().find_map(|part| part.reason.take())
        {
            return Err(reason);
        }
        let (mut extraction, additional_quotes, merged) = merge_parts(extractions, &self.llm.vocabulary);
        extraction.addresses_program = !self.is_injection_free;
        counts.parts = self.parts.len();
        counts.merged += merged;
        counts.entities = extraction.entities.len();
        counts.relations = extraction.facts.len();
        counts.calls = self.run.calls();
        counts.retries = self.run.retries();
        counts.tokens = self.run.budget.used();
        Ok(LlmExtraction { extraction, additional_quotes, counts, unread })
    }

    async fn extract_part(&self, index: usize, range: Range<usize>) -> Result<PartResult, LlmError> {
        let (llm, settings) = (self.llm, &self.llm.client.settings);
        let words = &self.scene.text[range.clone()];
        let part = TextPart {
            text: words,
            start: range.start,
            normalized: NormalizedText::new(words),
            language: &llm.language,
            vocabulary: &llm.vocabulary,
            is_injection_free: self.is_injection_free,
            speaker: self.scene.speaker.cloned().map(Mention::Known),
        };
        let known = prompt_entities::listed_entities(self.lexicon, &self.scene, words);
        let mut counts = ExtractionCounts::default();
        let mut entities: Vec<NewEntity> = Vec::new();
        let mut empty_passes = 0;
        for pass in 1..=settings.entity_passes {
            self.report_progress(Phase::Entities, index, pass);
            let listed: Vec<_> = known.iter().cloned().chain(list_new_entities(&entities, &known)).collect();
            let user = prompt::user_prompt(words, &listed, &self.scene, "Known entities:");
            let answer: Answer<EntityItem> =
                self.request_items(&ENTITIES_SCHEMA, Phase::Entities, &llm.entities_system, user, &mut counts).await?;
            let count_before = entities.len();
            for item in answer.items {
                let names = NameLookup::new(&[&known[..], &list_new_entities(&entities, &known)].concat());
                entities.extend(part.check_entity(
                    item,
                    &names,
                    settings.entities.min_confidence_or_default(),
                    &mut counts.flagged,
                ));
            }
            empty_passes = if entities.len() > count_before { 0 } else { empty_passes + 1 };
            counts.passes += 1;
            if empty_passes == 2 {
                break;
            }
        }
        let listed: Vec<_> = known.iter().cloned().chain(list_new_entities(&entities, &known)).collect();
        let mut facts = Vec::new();
        if !listed.is_empty() {
            self.report_progress(Phase::Relations, index, 1);
            let user = prompt::user_prompt(words, &listed, &self.scene, "Entities:");
            let answer: Answer<FactItem> =
                self.request_items(&FACTS_SCHEMA, Phase::Relations, &llm.facts_system, user, &mut counts).await?;
            let names = NameLookup::new(&listed);
            for item in answer.items {
                facts.extend(part.check_fact(
                    item,
                    &names,
                    &listed,
                    settings.relations.min_confidence_or_default(),
                    &mut counts.flagged,
                ));
            }
        }
        let mentions = known.iter().filter_map(|prompt_entity| {
            let Mention::Known(entity) = &prompt_entity.mention else { return None };
            let span = prompt_entities::first_occurrence(prompt_entity, &part.normalized)?;
            let span = Span { start: range.start + span.start, end: range.start + span.end };
            Some(NameOccurrence { entity: entity.clone(), span })
        });
        let mentions = mentions.collect();
        Ok(PartResult { extraction: Extraction { facts, entities, mentions, addresses_program: false }, counts })
    }

    /// Makes one call that returns items. If the answer cannot be used, asks the model once more, and tells it what was
    /// wrong.
    async fn request_items<T: DeserializeOwned>(
        &self,
        answer_schema: &AnswerSchema,
        phase: Phase,
        system: &str,
        user: String,
        counts: &mut ExtractionCounts,
    ) -> Result<Answer<T>, LlmError> {
        let client = &self.llm.client;
        let schema = Some((answer_schema.name, answer_schema.server_schema.clone()));
        let mut call = Call { phase, system: system.to_owned(), user, rejected_answer: None, schema };
        loop {
            let reply = client.send(&call, &self.run).await?;
            match answer::parse_answer(answer_schema, &reply.text) {
                Ok(answer) => {
                    counts.flagged.malformed += answer.malformed;
                    counts.repaired += usize::from(answer.is_repaired);
                    counts.cut_off += usize::from(reply.is_cut_off);
                    return Ok(answer);
                }
                Err(reason) if call.rejected_answer.is_some() => {
                    let model = client.model(phase).to_owned();
                    return Err(LlmError::Unusable { model, reason, answer_start: excerpt(&reply.text) });
                }
                Err(reason) => {
                    counts.asked_again += 1;
                    let rejected: String = reply.text.chars().take(MAX_RETURNED_CHARS).collect();
                    call.rejected_answer = Some((
                        if rejected.trim().is_empty() { "(nothing)".to_owned() } else { rejected },
                        prompt::retry_message(&reason),
                    ));
                }
            }
        }
    }

    fn report_progress(&self, phase: Phase, part: usize, pass: usize) {
        if let Some(progress) = self.watch.progress {
            let (calls, tokens) = (self.run.calls(), self.run.budget.used());
            progress(Progress { phase, part: part + 1, parts: self.parts.len(), pass, calls, tokens });
        }
    }
}

/// Returns whether a part is readable text: it has at least two letters, and at most one control or replacement
/// character per ten letters.
fn is_readable(part: &str) -> bool {
    let (mut letters, mut invalid) = (0, 0);
    for c in part.chars() {
        letters += usize::from(c.is_alphabetic());
        invalid += usize::from((c.is_control() && !c.is_whitespace()) || c == '\u{FFFD}');
    }
    letters >= 2 && invalid * 10 <= letters
}

/// Waits for several futures at once, in one task. Returns their results in the same order.
async fn join_all<T, F: Future<Output = T>>(futures: Vec<F>) -> Vec<T> {
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
