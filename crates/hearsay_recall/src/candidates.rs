//! The candidates of one ranking: the facts and passages of a view.

use hearsay_belief::{FactSummary, Known, View};
use hearsay_model::{Degree, GameTime, PassageId};

use crate::{
    DocId, Index,
    text_entry::{Doc, Head},
};

/// Value in `Candidates::at` for a text that is not a candidate.
const NONE: u32 = u32::MAX;

/// Ratio of passages in the index to passages in the view. If the ratio is at least this value, the view has few
/// passages.
const FEW_PASSAGES_RATIO: usize = if cfg!(test) { 3 } else { 16 };

/// The documents that are both in the view and in the index: facts by id, then passages by id. Candidates are numbered
/// in this order, so a sum in candidate order is a sum in id order. Each document also has a text number, which is its
/// number in the [`Index`].
#[derive(Debug)]
pub(crate) struct Candidates<'a> {
    view: &'a View,
    index: &'a Index,
    /// Number of candidates that are facts. The candidates `0..facts` are facts; the others are passages.
    pub(crate) facts: usize,
    /// For each candidate, its text number in the index.
    text_numbers: Vec<u32>,
    /// For each candidate, its entry in the index. A ranking reads the entries several times in this order.
    heads: Vec<Head>,
    /// For each text number of the index, the candidate number; `NONE` if the view does not contain the text.
    at: Vec<u32>,
    /// For each fact, its position in [`View::summaries`].
    known: Vec<u32>,
    passages: Vec<PassageId>,
    /// For each fact, its retention in the memory of the view's knower; `None` if the knower forgets nothing.
    retentions: Option<Vec<f32>>,
    /// Passages grouped into runs. A run contains the passages of one session or document, in line order. A passage
    /// that belongs to neither is a run by itself.
    pub(crate) talk: Vec<TalkLine>,
}

/// A passage in [`Candidates::talk`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct TalkLine {
    /// Candidate number of the passage.
    pub(crate) candidate: usize,
    /// Zero-based number of the run that contains the passage.
    pub(crate) run: usize,
}

impl<'a> Candidates<'a> {
    pub(crate) fn from_view(view: &'a View, index: &'a Index, now: Option<GameTime>) -> Self {
        let summaries = view.summaries();
        let mut at = vec![NONE; index.text_number_count()];
        let mut text_numbers = Vec::with_capacity(summaries.len());
        let mut known = Vec::with_capacity(summaries.len());
        for (summary, number) in summaries.iter().zip(0..) {
            if let Some(text_number) = index.fact_text_number(summary.id, summary.index) {
                at[text_number as usize] = text_numbers.len() as u32;
                text_numbers.push(text_number);
                known.push(number);
            }
        }
        let facts = text_numbers.len();
        let mut passages = Vec::with_capacity(view.passages().len());
        let by_id = index.order().by_id();
        // For many passages, merging both sorted lists is faster. For few passages, looking up each passage is faster.
        let is_few = view.passages().len() < by_id.len() / FEW_PASSAGES_RATIO;
        let mut next = 0;
        for (id, _) in view.passages() {
            let text_number = if is_few {
                index.text_number(DocId::Passage(id))
            } else {
                next += by_id[next..].iter().take_while(|(other, _)| *other < id).count();
                by_id.get(next).filter(|(other, _)| *other == id).map(|(_, text_number)| *text_number)
            };
            if let Some(text_number) = text_number {
                at[text_number as usize] = text_numbers.len() as u32;
                text_numbers.push(text_number);
                passages.push(id);
            }
        }
        let mut talk: Vec<TalkLine> = Vec::with_capacity(passages.len());
        let mut previous_container = None;
        let mut add_line = |candidate: usize, container: Option<u32>| {
            let continues_run = container.is_some() && previous_container == Some(container);
            let run = talk.last().map_or(0, |last: &TalkLine| last.run + usize::from(!continues_run));
            previous_container = Some(container);
            talk.push(TalkLine { candidate, run });
        };
        if is_few {
            let line = |candidate: usize| index.doc_at(text_numbers[candidate]).line;
            let mut order: Vec<usize> = (facts..text_numbers.len()).collect();
            order.sort_unstable_by_key(|&candidate| (line(candidate).unwrap_or((NONE, 0)), candidate));
            order
                .into_iter()
                .for_each(|candidate| add_line(candidate, line(candidate).map(|(container, _)| container)));
        } else {
            for (text_number, container) in index.order().by_line() {
                if at[text_number as usize] != NONE {
                    add_line(at[text_number as usize] as usize, container);
                }
            }
        }
        let heads = text_numbers.iter().map(|number| index.head_at(*number)).collect();
        let retentions = (view.forgetting() != Degree::Off).then(|| {
            let facts = known.iter().filter_map(|number| view.fact_at(*number as usize));
            facts.map(|known| view.retention(known, now).get() as f32).collect()
        });
        Self { view, index, facts, text_numbers, heads, at, known, passages, retentions, talk }
    }

    pub(crate) fn len(&self) -> usize {
        self.text_numbers.len()
    }

    pub(crate) fn id(&self, candidate: usize) -> DocId {
        match candidate.checked_sub(self.facts) {
            None => DocId::Fact(self.summary(candidate).id),
            Some(passage) => DocId::Passage(self.passages[passage]),
        }
    }

    /// Returns the candidate number of a text, given the text number; `None` if the view does not contain the text.
    pub(crate) fn at(&self, text_number: u32) -> Option<usize> {
        self.at.get(text_number as usize).filter(|at| **at != NONE).map(|at| *at as usize)
    }

    /// Returns each candidate's text number and candidate number, sorted by text number.
    pub(crate) fn by_text_number(&self) -> impl Iterator<Item = (u32, usize)> {
        (0..).zip(&self.at).filter(|(_, at)| **at != NONE).map(|(text_number, at)| (text_number, *at as usize))
    }

    pub(crate) fn doc(&self, candidate: usize) -> &'a Doc {
        self.index.doc_at(self.text_numbers[candidate])
    }

    #[inline]
    pub(crate) fn head(&self, candidate: usize) -> Head {
        self.heads[candidate]
    }

    /// Returns whether the text of a candidate contains a term.
    pub(crate) fn has(&self, candidate: usize, term: u32) -> bool {
        self.index.has(self.text_numbers[candidate], term)
    }

    /// Returns the [`FactSummary`] of a fact in the view.
    #[inline]
    pub(crate) fn summary(&self, fact: usize) -> &'a FactSummary {
        &self.view.summaries()[self.known[fact] as usize]
    }

    /// Returns how well the view's knower remembers a fact, from 0 to 1; `None` if the knower forgets nothing.
    #[inline]
    pub(crate) fn retention(&self, fact: usize) -> Option<f32> {
        self.retentions.as_ref()?.get(fact).copied()
    }

    /// Returns the known fact of a candidate; `None` if the candidate is a passage.
    pub(crate) fn known(&self, candidate: usize) -> Option<&'a Known> {
        self.view.fact_at(*self.known.get(candidate)? as usize)
    }

    /// Returns the positions in [`talk`](Self::talk) right before and after `position`, if they are in the same run.
    pub(crate) fn neighbours(&self, position: usize) -> impl Iterator<Item = usize> {
        let run = self.talk[position].run;
        let neighbours = [position.checked_sub(1), Some(position + 1)];
        neighbours
            .into_iter()
            .flatten()
            .filter(move |neighbour| self.talk.get(*neighbour).is_some_and(|line| line.run == run))
    }
}
