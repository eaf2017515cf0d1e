//! Joins the turns of a job into one text, and divides the extracted facts by turn.

use std::collections::BTreeMap;

use hearsay_extract::{ExtractedFact, Extraction, FactObject, Mention, NameOccurrence, NewEntity};
use hearsay_model::{PassageId, Span};

use crate::{Job, LlmExtraction, Turn, quote::NormalizedText};

/// Separator between two turns of a script.
const TURN_SEPARATOR: &str = "\n\n";

impl Job {
    /// Returns the turns as one text, and the byte range of each turn's words in this text. If the job has several
    /// turns, the name of the speaker precedes each turn whose speaker has a name.
    pub fn script(&self) -> (String, Vec<Span>) {
        let (mut script, mut spans) = (String::new(), Vec::new());
        for turn in &self.turns {
            if !script.is_empty() {
                script.push_str(TURN_SEPARATOR);
            }
            if let Some(name) = turn.speaker_name.as_ref().filter(|_| self.turns.len() > 1) {
                script.push_str(name);
                script.push_str(": ");
            }
            let start = script.len();
            script.push_str(&turn.text);
            spans.push(Span { start, end: script.len() });
        }
        (script, spans)
    }

    /// Divides the extraction from the script by turn. Returns one extraction for each turn, in order, as if the turn
    /// had been read alone. The second value is the number of omitted facts. A fact is omitted if none of its quotes is
    /// within a single turn.
    ///
    /// A fact that several turns state is in the extraction of each of these turns. A fact without a named source is
    /// attributed to the speaker of the turn.
    pub fn split_by_turn(&self, found: &LlmExtraction) -> (Vec<(PassageId, Extraction)>, usize) {
        let extraction = &found.extraction;
        let (_, spans) = self.script();
        let mut turns: Vec<TurnExtraction<'_>> =
            self.turns.iter().zip(spans).map(|(turn, span)| TurnExtraction::new(turn, span, extraction)).collect();
        let mut refused = 0;
        for (at, fact) in extraction.facts.iter().enumerate() {
            let additional_spans =
                found.additional_quotes.iter().filter(|quote| quote.fact == at).map(|quote| quote.span);
            let mut is_assigned = false;
            for span in std::iter::once(fact.span).chain(additional_spans) {
                if let Some(turn) = turns.iter_mut().find(|turn| turn.contains(span)) {
                    turn.add_fact(fact, span);
                    is_assigned = true;
                }
            }
            refused += usize::from(!is_assigned);
        }
        for (at, entity) in extraction.entities.iter().enumerate() {
            if let Some(turn) = turns.iter_mut().find(|turn| turn.contains(entity.span)) {
                turn.add_entity(at, entity.span);
            }
        }
        for occurrence in &extraction.mentions {
            if let Some(turn) = turns.iter_mut().find(|turn| turn.contains(occurrence.span)) {
                let span = turn.relative_span(occurrence.span);
                turn.extraction.mentions.push(NameOccurrence { span, ..occurrence.clone() });
            }
        }
        (turns.into_iter().map(|turn| (turn.turn.id, turn.extraction)).collect(), refused)
    }
}

/// Extraction of one turn, while it is built.
struct TurnExtraction<'a> {
    turn: &'a Turn,
    span: Span,
    source: &'a Extraction,
    /// For each new entity, its index in the whole extraction and its index in the extraction of this turn.
    entity_indices: BTreeMap<usize, usize>,
    extraction: Extraction,
}

impl<'a> TurnExtraction<'a> {
    fn new(turn: &'a Turn, span: Span, source: &'a Extraction) -> Self {
        let extraction = Extraction { addresses_program: source.addresses_program, ..Extraction::default() };
        Self { turn, span, source, entity_indices: BTreeMap::new(), extraction }
    }

    fn contains(&self, span: Span) -> bool {
        self.span.start <= span.start && span.end <= self.span.end
    }

    fn relative_span(&self, span: Span) -> Span {
        Span { start: span.start - self.span.start, end: span.end - self.span.start }
    }

    fn add_fact(&mut self, fact: &ExtractedFact, span: Span) {
        let relative = self.relative_span(span);
        let Some(quote) = self.turn.text.get(relative.start..relative.end) else { return };
        let mut to_turn_mention = |mention: &Mention| match mention {
            Mention::New(at) => Mention::New(self.add_entity(*at, span)),
            known => known.clone(),
        };
        let fact = ExtractedFact {
            subject: to_turn_mention(&fact.subject),
            object: match &fact.object {
                FactObject::Entity(mention) => FactObject::Entity(to_turn_mention(mention)),
                value => value.clone(),
            },
            stated_by: fact.stated_by.as_ref().map(&mut to_turn_mention),
            told_to: fact.told_to.iter().map(to_turn_mention).collect(),
            span: relative,
            quote: quote.to_owned(),
            ..fact.clone()
        };
        let speaker = || self.turn.speaker.clone().map(Mention::Known);
        let stated_by = fact.stated_by.clone().or_else(speaker);
        self.extraction.facts.push(ExtractedFact { stated_by, ..fact });
    }

    /// Adds a new entity, if it is not in the extraction yet, and returns its index. The entity's span is the name in
    /// this turn; if the turn does not contain the name, the span is `fallback_span`.
    fn add_entity(&mut self, at: usize, fallback_span: Span) -> usize {
        if let Some(index) = self.entity_indices.get(&at) {
            return *index;
        }
        let index = self.extraction.entities.len();
        self.entity_indices.insert(at, index);
        if let Some(entity) = self.source.entities.get(at) {
            let name_span = if self.contains(entity.span) {
                Some(self.relative_span(entity.span))
            } else {
                NormalizedText::new(&self.turn.text).find(&entity.name)
            };
            let span = name_span.unwrap_or_else(|| self.relative_span(fallback_span));
            self.extraction.entities.push(NewEntity { span, ..entity.clone() });
        }
        index
    }
}
