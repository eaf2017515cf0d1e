//! The pieces of a log or a long text: lines, parts of long passages, and the facts that were learned there.

use std::collections::BTreeMap;

use hearsay_belief::{Known, View};
use hearsay_model::{EntityId, Evidence, FactId, GameTime, Passage, PassageId, SessionId, attribute, predicate, text};

use crate::{DocId, EntityLinker, words::stems};

/// A hearer of a summary, and the names that it knows.
#[derive(Debug, Clone, Copy)]
pub struct Hearer<'a> {
    /// View of the hearer.
    pub view: &'a View,
    /// Entity linker over the hearer's view.
    pub names: &'a EntityLinker,
}

/// The subject of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Matter {
    /// The log of a session, and the facts learned in it.
    Session(SessionId),
    /// The text of a document.
    Document(EntityId),
}

impl Matter {
    fn has(&self, passage: &Passage) -> bool {
        match self {
            Self::Session(session) => passage.session.as_ref() == Some(session),
            Self::Document(document) => passage.document.as_ref() == Some(document),
        }
    }

    /// Returns whether a fact was learned in the session: by an edge of the session or, if no edge names a session,
    /// because the fact was recorded in it.
    fn taught(&self, known: &Known) -> bool {
        let Self::Session(session) = self else { return false };
        let mut known_edges =
            known.known_edges().iter().chain(known.shared()).filter_map(|way| way.edge.session.as_ref()).peekable();
        match known_edges.peek() {
            Some(_) => known_edges.any(|of| of == session),
            None => known.session() == Some(session),
        }
    }
}

impl Matter {
    /// Returns when a fact was learned in the session. If no edge of the session has a time, returns when the knower
    /// first learned it.
    fn taught_at(&self, known: &Known) -> Option<GameTime> {
        let Self::Session(session) = self else { return known.learned() };
        let known_edges = known.known_edges().iter().filter(|way| way.edge.session.as_ref() == Some(session));
        known_edges.filter_map(|way| way.edge.learned_at()).min().or_else(|| known.learned())
    }
}

/// Number of words above which a passage is split at its sentences.
const LONG: usize = 60;

/// A piece of the text to summarize.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) doc: DocId,
    /// Position: the line, 0 for passages or 1 for facts, and the part of a long passage.
    pub(super) order: (u32, u8, usize),
    /// Text without the speaker.
    pub(super) said: String,
    /// Speaker.
    pub(super) speaker: Option<EntityId>,
    /// Name of the speaker.
    pub(super) called: Option<String>,
    /// Entities that the piece names or is about, without the speaker.
    pub(super) entities: Vec<EntityId>,
    /// Stems of the text, sorted, each once.
    pub(super) stems: Vec<String>,
    pub(super) time: Option<GameTime>,
    /// Predicates of the facts for which the piece is evidence.
    pub(super) bears: Vec<String>,
    /// Whether the piece is the DM's own summary of the session.
    pub(super) summary: bool,
    /// Subject, predicate and object, if the piece is a relation.
    pub(super) relation: Option<String>,
    /// Hearers that have the piece.
    pub(super) hearers: Vec<usize>,
}

impl Piece {
    /// Returns the speaker and the text as one line.
    pub(super) fn line(&self) -> String {
        match &self.called {
            Some(called) => format!("{called}: {}", self.said),
            None => self.said.clone(),
        }
    }
}

/// Returns the hearers' pieces of a matter, each once, in order. If `openly`, a passage that any hearer knows without
/// its speaker is told without the speaker.
pub(super) fn pieces(hearers: &[Hearer], matter: &Matter, openly: bool) -> Vec<Piece> {
    let mut passages: BTreeMap<PassageId, (&Passage, Vec<usize>)> = BTreeMap::new();
    let mut facts: BTreeMap<FactId, (&Known, Vec<usize>)> = BTreeMap::new();
    for (number, hearer) in hearers.iter().enumerate() {
        for (id, heard) in hearer.view.passages().filter(|(_, heard)| matter.has(&heard.passage)) {
            let (passage, had_by) = passages.entry(id).or_insert_with(|| (&heard.passage, Vec::new()));
            if openly && heard.passage.speaker.is_none() {
                *passage = &heard.passage;
            }
            had_by.push(number);
        }
        let of_matter = |known: &&Known| {
            let is_of = |id| hearer.view.passage(id).is_some_and(|heard| matter.has(&heard.passage));
            matter.taught(known) || passages_of(known).any(is_of)
        };
        for known in hearer.view.facts().filter(|known| !is_naming(known)).filter(of_matter) {
            facts.entry(known.id()).or_insert_with(|| (known, Vec::new()));
        }
    }
    // A hearer that learned the fact elsewhere has it too.
    for (id, (_, had_by)) in &mut facts {
        had_by.extend((0..hearers.len()).filter(|number| hearers[*number].view.fact(*id).is_some()));
    }
    let mut pieces = Vec::new();
    let mut borne_out: BTreeMap<PassageId, Vec<String>> = BTreeMap::new();
    for (known, _) in facts.values() {
        for id in passages_of(known) {
            borne_out.entry(id).or_default().push(known.predicate().as_str().to_owned());
        }
    }
    for (id, (passage, had_by)) in &passages {
        let bears = borne_out.get(id).map_or(&[][..], Vec::as_slice);
        pieces.extend(of_passage(*id, passage, had_by, hearers, bears));
    }
    let lines: BTreeMap<PassageId, u32> = passages.iter().map(|(id, (passage, _))| (*id, passage.line)).collect();
    let mut times: Vec<(GameTime, u32)> =
        passages.values().filter_map(|(passage, _)| Some((passage.time.as_ref()?.time?, passage.line))).collect();
    times.sort_unstable();
    // For each moment, the last line said by then.
    let mut last = 0;
    times.iter_mut().for_each(|(_, line)| {
        last = last.max(*line);
        *line = last;
    });
    for (known, had_by) in facts.values() {
        let said_in = passages_of(known).filter_map(|id| lines.get(&id).copied()).min();
        // A fact without a line follows the last line said before it was learned.
        let after = matter.taught_at(known).map(|time| {
            let before = times.partition_point(|(at, _)| *at <= time).checked_sub(1);
            before.map_or(0, |before| times[before].1)
        });
        let line = said_in.or(after).unwrap_or(u32::MAX);
        pieces.push(of_fact(known, (line, matter.taught_at(known)), had_by, hearers));
    }
    pieces.sort_by_key(|piece| (piece.order, piece.doc));
    pieces
}

/// Returns the passages that are evidence for a fact.
fn passages_of(known: &Known) -> impl Iterator<Item = PassageId> {
    known.evidence().iter().filter_map(|evidence| match evidence {
        Evidence::Passage { passage, .. } => Some(*passage),
        Evidence::File { .. } | Evidence::Excerpt(_) => None,
    })
}

/// Returns whether a fact only states a name, kind, tag or alias.
pub(super) fn is_naming(known: &Known) -> bool {
    [attribute::NAME, attribute::KIND, attribute::TAG, attribute::ALIAS].contains(&known.predicate().as_str())
}

/// Returns the name of an entity, as used by the first of these hearers that has a name for it.
fn called(id: &EntityId, had_by: &[usize], hearers: &[Hearer]) -> Option<String> {
    had_by.iter().find_map(|number| hearers[*number].names.name(id)).map(str::to_owned)
}

fn named_in(said: &str, had_by: &[usize], hearers: &[Hearer]) -> Vec<EntityId> {
    let mut named: Vec<EntityId> = had_by.iter().flat_map(|number| hearers[*number].names.found_in(said)).collect();
    named.sort();
    named.dedup();
    named
}

fn words_of(text: &str) -> Vec<String> {
    let mut stems = stems(text);
    stems.sort_unstable();
    stems.dedup();
    stems
}

fn of_passage(id: PassageId, passage: &Passage, had_by: &[usize], hearers: &[Hearer], bears: &[String]) -> Vec<Piece> {
    let speaker = passage.speaker.clone();
    let called = match &speaker {
        Some(id) => Some(called(id, had_by, hearers).unwrap_or_else(|| "Somebody".into())),
        None => passage.speaker_alias.clone(),
    };
    let piece = |(part, said): (usize, String)| {
        let mut entities = named_in(&said, had_by, hearers);
        entities.retain(|id| Some(id) != speaker.as_ref());
        Piece {
            doc: DocId::Passage(id),
            order: (passage.line, 0, part),
            entities,
            stems: words_of(&said),
            said,
            speaker: speaker.clone(),
            called: called.clone(),
            time: passage.time.as_ref().and_then(|date| date.time),
            bears: bears.to_vec(),
            summary: part == 0 && passage.line == 0 && passage.session.is_some() && passage.title.is_some(),
            relation: None,
            hearers: had_by.to_vec(),
        }
    };
    parts(&passage.text).into_iter().enumerate().map(piece).collect()
}

fn of_fact(known: &Known, (line, time): (u32, Option<GameTime>), had_by: &[usize], hearers: &[Hearer]) -> Piece {
    let mut entities: Vec<EntityId> =
        std::iter::once(known.subject()).chain(known.object().entity()).cloned().collect();
    entities.sort();
    entities.dedup();
    let relation = known.object().entity().map(|object| {
        let name = |id| called(id, had_by, hearers).unwrap_or_else(|| "somebody".into());
        format!("{} {} {}", name(known.subject()), known.predicate(), name(object))
    });
    Piece {
        doc: DocId::Fact(known.id()),
        order: (line, 1, 0),
        said: known.statement().to_owned(),
        speaker: None,
        called: None,
        stems: words_of(known.statement()),
        entities,
        time,
        bears: vec![known.predicate().as_str().to_owned()],
        summary: false,
        relation,
        hearers: had_by.to_vec(),
    }
}

/// Returns a text as one line, or a long text as parts of some sentences each.
fn parts(whole: &str) -> Vec<String> {
    let words: Vec<&str> = whole.split_whitespace().collect();
    if words.len() <= LONG {
        return vec![words.join(" ")];
    }
    let (mut parts, mut begin) = (Vec::new(), 0);
    for at in 0..words.len() {
        let ends = words[at].trim_end_matches(['"', '\'', '\u{201D}', ')']).ends_with(['.', '?', '!', ';', '\u{2026}']);
        let length = at + 1 - begin;
        // Cut a sentence that is too long, even without an end.
        if (ends && length >= LONG / 3) || length >= LONG * 2 {
            parts.push(words[begin..=at].join(" "));
            begin = at + 1;
        }
    }
    if begin < words.len() {
        parts.push(words[begin..].join(" "));
    }
    parts
}

/// Returns whether a predicate is important: something moves, changes hands or sides, or binds an entity.
pub(super) fn is_weighty(name: &str) -> bool {
    let weighty = [
        "OWES",
        "PROMISED",
        "KILLED",
        "BETRAYED",
        "QUEST_GIVER",
        predicate::MEMBER_OF,
        predicate::LOCATED_AT,
        attribute::CONDITION,
    ];
    weighty.contains(&name)
}

/// Counts capitalised words within a sentence that may be new names.
pub(super) fn unknown_names(said: &str) -> usize {
    let mut begins = true;
    let mut count = 0;
    for word in said.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let name = bare.chars().next().is_some_and(char::is_uppercase) && bare.chars().count() > 2;
        let plain = text::normal(bare);
        count += usize::from(name && !begins && !plain.starts_with("i'"));
        begins = word.ends_with(['.', '?', '!', ':', '\u{2026}', '"', '\u{201D}']);
    }
    count
}
