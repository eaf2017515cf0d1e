//! The contents of a view, laid out for one ranking.

use hearsay_belief::{Brief, Known, View};
use hearsay_model::PassageId;

use crate::{
    DocId, Index,
    index::{Doc, Head},
};

/// Marks a place without a candidate.
const NONE: u32 = u32::MAX;

/// A view with less than this fraction of all passages is treated as small.
const FEW_OF: usize = if cfg!(test) { 3 } else { 16 };

/// All documents that are both in the view and in the index: facts by id, then passages by id. Candidates are numbered
/// in this order, so a sum in candidate order is a sum in id order.
#[derive(Debug)]
pub(crate) struct Candidates<'a> {
    view: &'a View,
    index: &'a Index,
    /// Number of facts.
    pub(crate) facts: usize,
    /// Place of each candidate in the index.
    places: Vec<u32>,
    /// Candidate at each place of the index.
    at: Vec<u32>,
    /// Position of each fact in the view.
    known: Vec<u32>,
    passages: Vec<PassageId>,
    /// Passages in the order in which they were said. Each session or document is one run, in the order of its lines.
    pub(crate) talk: Vec<Said>,
}

/// A passage in the talk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said {
    /// Number of the candidate.
    pub(crate) candidate: usize,
    /// Run of the passage, counted from 0.
    pub(crate) run: usize,
}

impl<'a> Candidates<'a> {
    pub(crate) fn of(view: &'a View, index: &'a Index) -> Self {
        let briefs = view.briefs();
        let mut at = vec![NONE; index.places()];
        let mut places = Vec::with_capacity(briefs.len());
        let mut known = Vec::with_capacity(briefs.len());
        for (brief, number) in briefs.iter().zip(0..) {
            if let Some(place) = index.place_of_fact(brief.id, brief.index) {
                at[place as usize] = places.len() as u32;
                places.push(place);
                known.push(number);
            }
        }
        let facts = places.len();
        let mut passages = Vec::with_capacity(view.passages().len());
        let by_id = index.order().by_id();
        // For many passages, a merge of both lists is fast; for few, a lookup of each.
        let is_few = view.passages().len() < by_id.len() / FEW_OF;
        let mut next = 0;
        for (id, _) in view.passages() {
            let place = if is_few {
                index.place_of(DocId::Passage(id))
            } else {
                next += by_id[next..].iter().take_while(|(other, _)| *other < id).count();
                by_id.get(next).filter(|(other, _)| *other == id).map(|(_, place)| *place)
            };
            if let Some(place) = place {
                at[place as usize] = places.len() as u32;
                places.push(place);
                passages.push(id);
            }
        }
        let mut talk: Vec<Said> = Vec::with_capacity(passages.len());
        let mut before = None;
        let mut say = |candidate: usize, whole: Option<u32>| {
            let goes_on = whole.is_some() && before == Some(whole);
            let run = talk.last().map_or(0, |last: &Said| last.run + usize::from(!goes_on));
            before = Some(whole);
            talk.push(Said { candidate, run });
        };
        if is_few {
            let line = |candidate: usize| index.doc_at(places[candidate]).line;
            let mut order: Vec<usize> = (facts..places.len()).collect();
            order.sort_unstable_by_key(|&candidate| (line(candidate).unwrap_or((NONE, 0)), candidate));
            order.into_iter().for_each(|candidate| say(candidate, line(candidate).map(|(whole, _)| whole)));
        } else {
            for (place, whole) in index.order().by_line() {
                if at[place as usize] != NONE {
                    say(at[place as usize] as usize, whole);
                }
            }
        }
        Self { view, index, facts, places, at, known, passages, talk }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    pub(crate) fn id(&self, candidate: usize) -> DocId {
        match candidate.checked_sub(self.facts) {
            None => DocId::Fact(self.brief(candidate).id),
            Some(passage) => DocId::Passage(self.passages[passage]),
        }
    }

    /// Returns the candidate at a place of the index.
    pub(crate) fn at(&self, place: u32) -> Option<usize> {
        self.at.get(place as usize).filter(|at| **at != NONE).map(|at| *at as usize)
    }

    /// Returns the places of the index that have a candidate, in order, each with its candidate.
    pub(crate) fn in_place(&self) -> impl Iterator<Item = (u32, usize)> {
        (0..).zip(&self.at).filter(|(_, at)| **at != NONE).map(|(place, at)| (place, *at as usize))
    }

    pub(crate) fn doc(&self, candidate: usize) -> &'a Doc {
        self.index.doc_at(self.places[candidate])
    }

    pub(crate) fn head(&self, candidate: usize) -> Head {
        self.index.head_at(self.places[candidate])
    }

    /// Returns whether the text of a candidate contains a term.
    pub(crate) fn has(&self, candidate: usize, term: u32) -> bool {
        self.index.has(self.places[candidate], term)
    }

    /// Returns the asker's knowledge of a candidate that is a fact, in brief.
    pub(crate) fn brief(&self, fact: usize) -> &'a Brief {
        &self.view.briefs()[self.known[fact] as usize]
    }

    /// Returns the asker's knowledge of a candidate, if it is a fact.
    pub(crate) fn known(&self, candidate: usize) -> Option<&'a Known> {
        self.view.fact_at(*self.known.get(candidate)? as usize)
    }

    /// Returns the positions before and after a position in the talk that are in the same run.
    pub(crate) fn neighbours(&self, place: usize) -> impl Iterator<Item = usize> {
        let run = self.talk[place].run;
        let beside = [place.checked_sub(1), Some(place + 1)];
        beside.into_iter().flatten().filter(move |beside| self.talk.get(*beside).is_some_and(|said| said.run == run))
    }
}
