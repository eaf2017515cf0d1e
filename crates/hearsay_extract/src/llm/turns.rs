//! Joins the turns of a job into one text, and divides the extracted facts by turn.

use std::collections::BTreeMap;

use hearsay_model::{PassageId, Span};

use super::{Found, Job, Turn, quote::Quotable};
use crate::{ExtractedFact, Extraction, Mention, NewEntity, Stated};

/// Separator between two turns of a script.
const BETWEEN: &str = "\n\n";

impl Job {
    /// Returns the turns as one text, and the byte range of each turn's words in this text. If the job has several
    /// turns, the name of the speaker precedes each turn whose speaker has a name.
    pub fn script(&self) -> (String, Vec<Span>) {
        let (mut script, mut spans) = (String::new(), Vec::new());
        for turn in &self.turns {
            if !script.is_empty() {
                script.push_str(BETWEEN);
            }
            if let Some(called) = turn.called.as_ref().filter(|_| self.turns.len() > 1) {
                script.push_str(called);
                script.push_str(": ");
            }
            let start = script.len();
            script.push_str(&turn.text);
            spans.push(Span { start, end: script.len() });
        }
        (script, spans)
    }

    /// Divides the extraction from the script by turn. Returns one extraction for each turn, in order, as if the turn
    /// had been read alone. The second value is the number of facts that were left out because none of their quotes
    /// lies within a single turn.
    ///
    /// A fact that several turns state is in the extraction of each of these turns. A fact without a named source is
    /// attributed to the speaker of the turn.
    pub fn by_turn(&self, found: &Found) -> (Vec<(PassageId, Extraction)>, usize) {
        let whole = &found.extraction;
        let (_, spans) = self.script();
        let mut turns: Vec<Apart<'_>> =
            self.turns.iter().zip(spans).map(|(turn, span)| Apart::new(turn, span, whole)).collect();
        let mut refused = 0;
        for (at, fact) in whole.facts.iter().enumerate() {
            let further = found.further.iter().filter(|further| further.fact == at).map(|further| further.span);
            let mut said = false;
            for span in std::iter::once(fact.span).chain(further) {
                if let Some(turn) = turns.iter_mut().find(|turn| turn.has(span)) {
                    turn.fact(fact, span);
                    said = true;
                }
            }
            refused += usize::from(!said);
        }
        for (at, entity) in whole.entities.iter().enumerate() {
            if let Some(turn) = turns.iter_mut().find(|turn| turn.has(entity.span)) {
                turn.entity(at, entity.span);
            }
        }
        for naming in &whole.mentions {
            if let Some(turn) = turns.iter_mut().find(|turn| turn.has(naming.span)) {
                let span = turn.inside(naming.span);
                turn.extraction.mentions.push(crate::Naming { span, ..naming.clone() });
            }
        }
        (turns.into_iter().map(|turn| (turn.turn.id, turn.extraction)).collect(), refused)
    }
}

/// Extraction of one turn, while it is built.
struct Apart<'a> {
    turn: &'a Turn,
    span: Span,
    whole: &'a Extraction,
    /// For each new entity, its index in the whole extraction and its index in the extraction of this turn.
    places: BTreeMap<usize, usize>,
    extraction: Extraction,
}

impl<'a> Apart<'a> {
    fn new(turn: &'a Turn, span: Span, whole: &'a Extraction) -> Self {
        let extraction = Extraction { addresses_program: whole.addresses_program, ..Extraction::default() };
        Self { turn, span, whole, places: BTreeMap::new(), extraction }
    }

    fn has(&self, span: Span) -> bool {
        self.span.start <= span.start && span.end <= self.span.end
    }

    fn inside(&self, span: Span) -> Span {
        Span { start: span.start - self.span.start, end: span.end - self.span.start }
    }

    fn fact(&mut self, fact: &ExtractedFact, span: Span) {
        let inside = self.inside(span);
        let Some(quote) = self.turn.text.get(inside.start..inside.end) else { return };
        let mut moved = |mention: &Mention| match mention {
            Mention::New(at) => Mention::New(self.entity(*at, span)),
            known => known.clone(),
        };
        let fact = ExtractedFact {
            subject: moved(&fact.subject),
            object: match &fact.object {
                Stated::Entity(mention) => Stated::Entity(moved(mention)),
                value => value.clone(),
            },
            stated_by: fact.stated_by.as_ref().map(&mut moved),
            told_to: fact.told_to.iter().map(moved).collect(),
            span: inside,
            quote: quote.to_owned(),
            ..fact.clone()
        };
        let speaker = || self.turn.speaker.clone().map(Mention::Known);
        let stated_by = fact.stated_by.clone().or_else(speaker);
        self.extraction.facts.push(ExtractedFact { stated_by, ..fact });
    }

    /// Adds a new entity, if it is not in the extraction yet, and returns its index. The entity's span is the name in
    /// this turn; if the turn does not contain the name, the span is `stated`.
    fn entity(&mut self, at: usize, stated: Span) -> usize {
        if let Some(place) = self.places.get(&at) {
            return *place;
        }
        let place = self.extraction.entities.len();
        self.places.insert(at, place);
        if let Some(entity) = self.whole.entities.get(at) {
            let named = if self.has(entity.span) {
                Some(self.inside(entity.span))
            } else {
                Quotable::new(&self.turn.text).find(&entity.name)
            };
            let span = named.unwrap_or_else(|| self.inside(stated));
            self.extraction.entities.push(NewEntity { span, ..entity.clone() });
        }
        place
    }
}
