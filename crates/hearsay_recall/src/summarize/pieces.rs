//! The pieces of a log or a long text: lines, parts of long passages, and facts that the hearers learned from it.

use std::collections::BTreeMap;

use hearsay_belief::{Known, View};
use hearsay_model::{EntityId, Evidence, FactId, GameTime, Passage, PassageId, SessionId, attribute, text};

use crate::{DocId, EntityLinker, words::stems};

/// A hearer for whom a summary is written, with the names that the hearer knows.
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

    /// Returns whether a fact was learned in the session. If any knowledge edges of the fact name a session, one of the
    /// edges must name this session. Otherwise, the fact itself must have been recorded in this session.
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
    /// Returns the game time at which a fact was learned in the session. If no knowledge edge of this session has a
    /// time, returns the time at which the knower first learned the fact.
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
    /// Sort key in three parts: the line number; 0 for a passage or 1 for a fact; the number of the part in a long
    /// passage.
    pub(super) order: (u32, u8, usize),
    /// Text without the speaker.
    pub(super) said: String,
    /// Speaker.
    pub(super) speaker: Option<EntityId>,
    /// Name of the speaker as the hearers know it, or the secret name under which the speaker speaks.
    pub(super) called: Option<String>,
    /// Entities that the piece names or is about, except the speaker.
    pub(super) entities: Vec<EntityId>,
    /// Stems of the text, sorted, each once.
    pub(super) stems: Vec<String>,
    pub(super) time: Option<GameTime>,
    /// Most important fact that the piece states.
    pub(super) stated: Stated,
    /// Whether the piece is the DM's own summary of the session.
    pub(super) summary: bool,
    /// Subject, predicate and object, if the piece is a relation.
    pub(super) relation: Option<String>,
    /// Indices of the hearers that know the piece.
    pub(super) hearers: Vec<usize>,
}

/// The most important fact that a piece states: the piece is the fact or is evidence for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stated {
    /// No fact.
    #[default]
    Nothing,
    /// A fact.
    Plain,
    /// A fact with a notable predicate: something moves, changes its owner or sides, or binds an entity.
    Notable,
}

impl Stated {
    fn by(known: &Known, hearers: &[Hearer]) -> Self {
        let is_notable = |hearer: &Hearer| hearer.view.vocabulary().behavior(known.predicate()).notable;
        if hearers.first().is_some_and(is_notable) { Self::Notable } else { Self::Plain }
    }
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

/// Returns the pieces of a session or document that any hearer knows, in order, each once. If `openly` is set, a
/// passage whose speaker is unknown to any hearer becomes a piece without a speaker.
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
    // A hearer that learned the fact in another session or document knows it too.
    for (id, (_, had_by)) in &mut facts {
        had_by.extend((0..hearers.len()).filter(|number| hearers[*number].view.fact(*id).is_some()));
    }
    let mut pieces = Vec::new();
    let mut stated: BTreeMap<PassageId, Stated> = BTreeMap::new();
    for (known, _) in facts.values() {
        for id in passages_of(known) {
            let most = stated.entry(id).or_default();
            *most = (*most).max(Stated::by(known, hearers));
        }
    }
    for (id, (passage, had_by)) in &passages {
        let stated = stated.get(id).copied().unwrap_or_default();
        pieces.extend(of_passage(*id, passage, had_by, hearers, stated));
    }
    let lines: BTreeMap<PassageId, u32> = passages.iter().map(|(id, (passage, _))| (*id, passage.line)).collect();
    let mut times: Vec<(GameTime, u32)> =
        passages.values().filter_map(|(passage, _)| Some((passage.time.as_ref()?.time?, passage.line))).collect();
    times.sort_unstable();
    // For each time, find the highest line number up to that time.
    let mut last = 0;
    times.iter_mut().for_each(|(_, line)| {
        last = last.max(*line);
        *line = last;
    });
    for (known, had_by) in facts.values() {
        let said_in = passages_of(known).filter_map(|id| lines.get(&id).copied()).min();
        // A fact without a line goes after the last line that was said before the fact was learned.
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

/// Returns whether a fact states a name, kind, tag or alias.
pub(super) fn is_naming(known: &Known) -> bool {
    [attribute::NAME, attribute::KIND, attribute::TAG, attribute::ALIAS].contains(&known.predicate().as_str())
}

/// Returns the name of an entity. Uses the first hearer of `had_by` that has a name for the entity.
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

fn of_passage(id: PassageId, passage: &Passage, had_by: &[usize], hearers: &[Hearer], stated: Stated) -> Vec<Piece> {
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
            stated,
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
        stated: Stated::by(known, hearers),
        summary: false,
        relation,
        hearers: had_by.to_vec(),
    }
}

/// Returns a short text as one line. Splits a long text into parts of a few sentences each.
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

/// Counts the words that may be new names: capitalised words that do not begin a sentence.
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
