//! What a view holds, laid out for one ranking.

use hearsay_belief::{Known, View};

use crate::{DocId, Index, index::Doc};

/// No candidate.
const NONE: u32 = u32::MAX;

/// A text that may answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<'a> {
    pub(crate) id: DocId,
    pub(crate) doc: &'a Doc,
    /// What the asker knows of it, where it is a fact.
    pub(crate) known: Option<&'a Known>,
}

/// All that the view holds and the index knows: facts by id, then passages by id. Numbers of candidates follow that order,
/// so that a sum in their order is one in the order of ids.
#[derive(Debug)]
pub(crate) struct Candidates<'a> {
    pub(crate) all: Vec<Candidate<'a>>,
    /// How many of them are facts.
    pub(crate) facts: usize,
    /// The candidate at each place of the index.
    at: Vec<u32>,
    /// The passages as they were said: sessions and documents each in one run, in the order of their lines.
    pub(crate) talk: Vec<Said>,
}

/// A passage where it was said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said {
    /// The number of the candidate.
    pub(crate) candidate: usize,
    /// The run it is in, counted from 0.
    pub(crate) run: usize,
}

impl<'a> Candidates<'a> {
    pub(crate) fn of(view: &'a View, index: &'a Index) -> Self {
        let (mut all, mut at) = (Vec::with_capacity(view.facts().len()), vec![NONE; index.len()]);
        let mut add = |id: DocId, known: Option<&'a Known>| {
            if let Some(place) = index.place_of(id) {
                at[place as usize] = all.len() as u32;
                all.push(Candidate { id, doc: index.doc_at(place), known });
            }
            all.len()
        };
        let facts = view.facts().map(|known| add(DocId::Fact(known.id()), Some(known))).last().unwrap_or_default();
        for (id, _) in view.passages() {
            add(DocId::Passage(id), None);
        }
        let mut order: Vec<usize> = (facts..all.len()).collect();
        let key = |candidate: usize| (all[candidate].doc.line.unwrap_or((NONE, 0)), candidate);
        order.sort_unstable_by_key(|&candidate| key(candidate));
        let mut talk: Vec<Said> = Vec::with_capacity(order.len());
        for candidate in order {
            let whole = all[candidate].doc.line.map(|(whole, _)| whole);
            let run = talk.last().map_or(0, |last: &Said| {
                let goes_on = whole.is_some() && whole == all[last.candidate].doc.line.map(|(whole, _)| whole);
                last.run + usize::from(!goes_on)
            });
            talk.push(Said { candidate, run });
        }
        Self { all, facts, at, talk }
    }

    /// The number of the candidate at a place of the index.
    pub(crate) fn at(&self, place: u32) -> Option<usize> {
        self.at.get(place as usize).filter(|at| **at != NONE).map(|at| *at as usize)
    }

    /// The place in the talk before and after one, where they are in the same run.
    pub(crate) fn neighbours(&self, place: usize) -> impl Iterator<Item = usize> {
        let run = self.talk[place].run;
        let beside = [place.checked_sub(1), Some(place + 1)];
        beside.into_iter().flatten().filter(move |beside| self.talk.get(*beside).is_some_and(|said| said.run == run))
    }
}
