//! The pieces of a log or a long text: lines, parts of long passages, and the facts that the hearers learned from the
//! log or text.

use std::collections::BTreeMap;

use hearsay_belief::{AccessPath, EndKind, Known, View};
use hearsay_model::{
    EntityId, Evidence, FactId, GameTime, Passage, PassageId, ReferringExpression, SessionId, attribute, text, words,
};

use crate::{DocId, EntityLinker, words::stems};

/// A hearer for whom a summary is written, with the names that the hearer knows.
#[derive(Debug, Clone, Copy)]
pub struct Hearer<'a> {
    /// View of the hearer.
    pub view: &'a View,
    /// Entity linker over the hearer's view.
    pub names: &'a EntityLinker,
}

/// The text that a summary or recap is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SummarySubject {
    /// The log of a session, and the facts learned in it.
    Session(SessionId),
    /// The text of a document.
    Document(EntityId),
}

impl SummarySubject {
    /// Returns whether a passage belongs to the subject. Out-of-character lines are not part of the story, so they
    /// belong to no subject.
    fn contains(&self, passage: &Passage) -> bool {
        !passage.is_out_of_character()
            && match self {
                Self::Session(session) => passage.session.as_ref() == Some(session),
                Self::Document(document) => passage.document.as_ref() == Some(document),
            }
    }

    /// Returns whether a fact was learned in the session. If any knowledge edges of the fact name a session, one of the
    /// edges must name this session. If no edge names a session, the fact itself must have been recorded in this
    /// session. A resident who knows it only because the place knows it did not learn it in the session.
    fn is_source_of(&self, known: &Known) -> bool {
        let Self::Session(session) = self else { return false };
        let mut known_edges = known
            .known_edges()
            .iter()
            .chain(known.shared())
            .filter_map(|known_edge| known_edge.edge.session.as_ref())
            .peekable();
        match known_edges.peek() {
            Some(_) => known_edges.any(|edge_session| edge_session == session),
            None => known.session() == Some(session) && !is_known_as_resident(known),
        }
    }
}

impl SummarySubject {
    /// Returns the game time at which a fact was learned in the session. If no knowledge edge of this session has a
    /// time, returns the time at which the knower first learned the fact.
    fn learned_at(&self, known: &Known) -> Option<GameTime> {
        let Self::Session(session) = self else { return known.learned() };
        let known_edges =
            known.known_edges().iter().filter(|known_edge| known_edge.edge.session.as_ref() == Some(session));
        known_edges.filter_map(|known_edge| known_edge.edge.learned_at()).min().or_else(|| known.learned())
    }
}

/// Number of words above which a passage is split at its sentences.
const MAX_WORDS_PER_LINE: usize = 60;

/// A piece of the text to summarize.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) doc: DocId,
    /// Sort key in three parts: the line number; 0 for a passage or 1 for a fact; the number of the part in a long
    /// passage.
    pub(super) order: (u32, u8, usize),
    /// Text without the speaker.
    pub(super) text: String,
    /// Speaker.
    pub(super) speaker: Option<EntityId>,
    /// Name of the speaker as the hearers know it, or the secret name under which the speaker speaks.
    pub(super) speaker_name: Option<String>,
    /// Entities that the piece names or is about, except the speaker.
    pub(super) entities: Vec<EntityId>,
    /// Stems of the text, sorted, each once.
    pub(super) stems: Vec<String>,
    pub(super) time: Option<GameTime>,
    /// Most important fact that the piece states.
    pub(super) stated: StatedFact,
    /// Whether the piece is the DM's own summary of the session.
    pub(super) summary: bool,
    /// Whether the speaker said the piece in confidence.
    pub(super) confidential: bool,
    /// Subject, predicate and object, if the piece is a relation.
    pub(super) relation: Option<String>,
    /// Indices of the hearers that know the piece.
    pub(super) hearers: Vec<usize>,
    /// Passages that state the fact, sorted; empty for a passage.
    pub(super) evidence: Vec<PassageId>,
}

/// The most important fact that a piece states: the piece is the fact or is evidence for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StatedFact {
    /// No fact.
    #[default]
    NoFact,
    /// A fact.
    Plain,
    /// A fact with a notable predicate. For example, an entity moves, changes its owner, changes sides, or takes on an
    /// obligation.
    Notable,
    /// A death, a fight, a promise, a debt or a secret.
    Decisive,
}

impl StatedFact {
    fn for_fact(known: &Known, hearers: &[Hearer]) -> Self {
        let Some(vocabulary) = hearers.first().map(|hearer| hearer.view.vocabulary()) else { return Self::Plain };
        match () {
            () if known.is_decisive(vocabulary) => Self::Decisive,
            () if vocabulary.behavior(known.predicate()).notable => Self::Notable,
            () => Self::Plain,
        }
    }
}

impl Piece {
    /// Returns whether this piece is a line, and the other piece a fact that the line states.
    pub(super) fn is_quote_of(&self, fact: &Self) -> bool {
        let DocId::Passage(id) = self.doc else { return false };
        fact.evidence.binary_search(&id).is_ok()
    }

    /// Returns whether this piece is a reply to the line before: to a question, or to a character whom the narration names
    /// together with the speaker.
    pub(super) fn is_reply_to(&self, before: &Self) -> bool {
        let Some(speaker) = &self.speaker else { return false };
        match &before.speaker {
            Some(other) => other != speaker && before.text.trim_end().ends_with('?'),
            None => before.entities.len() > 1 && before.entities.contains(speaker),
        }
    }

    /// Returns the speaker and the text as one line.
    pub(super) fn line(&self) -> String {
        match &self.speaker_name {
            Some(name) => format!("{name}: {}", self.text),
            None => self.text.clone(),
        }
    }
}

/// Returns the pieces of a session or document that any hearer knows, in order, each once.
///
/// If `read_aloud` is set, returns only the pieces that all hearers know, without narration that only says what somebody
/// thinks. A passage whose speaker is unknown to at least
/// one hearer then becomes a piece without a speaker, and entities have only names that all hearers know.
pub(super) fn pieces(hearers: &[Hearer], subject: &SummarySubject, read_aloud: bool) -> Vec<Piece> {
    let mut passages: BTreeMap<PassageId, (&Passage, Vec<usize>)> = BTreeMap::new();
    let mut facts: BTreeMap<FactId, (&Known, Vec<usize>)> = BTreeMap::new();
    for (number, hearer) in hearers.iter().enumerate() {
        for (id, heard) in hearer.view.passages().filter(|(_, heard)| subject.contains(&heard.passage)) {
            let (passage, known_by) = passages.entry(id).or_insert_with(|| (&heard.passage, Vec::new()));
            if read_aloud && heard.passage.speaker.is_none() {
                *passage = &heard.passage;
            }
            known_by.push(number);
        }
        let is_included = |known: &&Known| {
            let is_in_source = |id| hearer.view.passage(id).is_some_and(|heard| subject.contains(&heard.passage));
            subject.is_source_of(known) || passages_of(known).any(is_in_source)
        };
        let is_visible = |known: &&Known| hearer.view.vocabulary().behavior(known.predicate()).visible;
        let is_event = |known: &&Known| {
            let is_end = matches!(hearer.view.end_kind(known), Some(EndKind::Redundant | EndKind::Unstated));
            !states_name(known) && !is_visible(known) && !is_end && !is_description(known, hearer.view)
        };
        let facts_of_hearer = hearer.view.facts().filter(is_event);
        for known in facts_of_hearer.filter(is_included) {
            facts.entry(known.id()).or_insert_with(|| (known, Vec::new()));
        }
    }
    // A hearer that learned the fact in another session or document knows it too.
    for (id, (_, known_by)) in &mut facts {
        known_by.extend((0..hearers.len()).filter(|number| hearers[*number].view.fact(*id).is_some()));
    }
    if read_aloud {
        passages.retain(|_, (_, known_by)| known_by.len() == hearers.len());
        facts.retain(|_, (_, known_by)| known_by.len() == hearers.len());
    }
    let mut pieces = Vec::new();
    let mut stated: BTreeMap<PassageId, StatedFact> = BTreeMap::new();
    let heard_lines: Vec<(PassageId, &Passage)> = passages.iter().map(|(id, (passage, _))| (*id, *passage)).collect();
    for (fact, (known, known_by)) in &facts {
        let views = known_by.iter().filter_map(|number| hearers[*number].view.fact(*fact));
        let strength = StatedFact::for_fact(known, hearers);
        let told = views.flat_map(|known| {
            let mut lines = known.telling_lines(&heard_lines);
            // The DM may have recorded a death without naming the line that tells it.
            if strength == StatedFact::Decisive {
                lines.extend(known.narrated_lines(&heard_lines));
            }
            lines
        });
        for id in passages_of(known).chain(told) {
            let strongest = stated.entry(id).or_default();
            *strongest = (*strongest).max(strength);
        }
    }
    for (id, (passage, known_by)) in &passages {
        // The table hears what a character thinks, but the other characters do not know it.
        if read_aloud && passage.is_intention() && !stated.contains_key(id) {
            continue;
        }
        let stated = stated.get(id).copied().unwrap_or_default();
        pieces.extend(passage_pieces(*id, passage, known_by, (hearers, read_aloud), stated));
    }
    let lines: BTreeMap<PassageId, u32> = passages.iter().map(|(id, (passage, _))| (*id, passage.line)).collect();
    let mut times: Vec<(GameTime, u32)> =
        passages.values().filter_map(|(passage, _)| Some((passage.time.as_ref()?.time?, passage.line))).collect();
    times.sort_unstable();
    // For each time, find the highest line number up to that time.
    let mut last_line = 0;
    times.iter_mut().for_each(|(_, line)| {
        last_line = last_line.max(*line);
        *line = last_line;
    });
    for (known, known_by) in facts.values() {
        let evidence_line = passages_of(known).filter_map(|id| lines.get(&id).copied()).min();
        // A fact without a line goes after the last line that was said before the fact was learned.
        let preceding_line = subject.learned_at(known).map(|time| {
            let preceding = times.partition_point(|(at, _)| *at <= time).checked_sub(1);
            preceding.map_or(0, |preceding| times[preceding].1)
        });
        // The speaker of a line may be wrong, so a recap that is read aloud quotes the line and does not state the fact.
        if read_aloud && (evidence_line.is_some() || !known.retelling_lines(&heard_lines).is_empty()) {
            continue;
        }
        let line = evidence_line.or(preceding_line).unwrap_or(u32::MAX);
        pieces.push(fact_piece(known, (line, subject.learned_at(known)), known_by, hearers));
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

/// Returns whether a knower knows a fact only as a resident of a place.
fn is_known_as_resident(known: &Known) -> bool {
    let mut known_edges = known.known_edges().iter().chain(known.shared()).peekable();
    known_edges.peek().is_some()
        && known_edges.all(|known_edge| matches!(known_edge.access_path, AccessPath::Resident(_)))
}

/// Returns whether a fact states a name, kind, tag or alias.
pub(super) fn states_name(known: &Known) -> bool {
    [attribute::NAME, attribute::KIND, attribute::TAG, attribute::ALIAS].contains(&known.predicate().as_str())
}

/// Returns whether a fact describes who or what an entity is, and was written by hand: nobody said or did it.
fn is_description(known: &Known, view: &View) -> bool {
    let mut known_edges = known.known_edges().iter().chain(known.shared());
    view.vocabulary().behavior(known.predicate()).identity.is_some()
        && passages_of(known).next().is_none()
        && known_edges.all(|known_edge| known_edge.edge.acquisition.is_authored())
}

/// Returns the name of an entity. Uses the first hearer of `known_by` that has a name for the entity. If `read_aloud` is
/// set, all hearers must know the name.
fn name_of(id: &EntityId, known_by: &[usize], hearers: &[Hearer], read_aloud: bool) -> Option<String> {
    let mut names = known_by.iter().filter_map(|number| hearers[*number].names.name(id));
    let is_usable = |name: &&str| !read_aloud || hearers.iter().all(|hearer| hearer.view.knows_name(id, name));
    names.find(is_usable).map(str::to_owned)
}

/// Returns the hearers who must know the words of a piece: all hearers if `read_aloud` is set, otherwise the first hearer
/// that knows the piece.
fn hearers_of<'h, 'a>(
    hearers: &'h [Hearer<'a>],
    known_by: &[usize],
    read_aloud: bool,
) -> impl Iterator<Item = &'h Hearer<'a>> {
    let first = known_by.first().copied();
    hearers.iter().enumerate().filter(move |(number, _)| read_aloud || Some(*number) == first).map(|(_, hearer)| hearer)
}

/// Returns the words for an entity whose name not all hearers know: its occupation or title if all hearers know it, as in
/// `the landlady`, or else `a stranger`.
pub fn describe_stranger(id: &EntityId, hearers: &[&Hearer]) -> String {
    let Some((first, others)) = hearers.split_first() else { return words::STRANGER.to_owned() };
    let is_description = |known: &&Known| {
        let behavior = first.view.vocabulary().behavior(known.predicate());
        behavior.reference == Some(ReferringExpression::Description) && !known.is_secret()
    };
    let is_shared = |known: &&Known| others.iter().all(|other| other.view.fact(known.id()).is_some());
    let is_current = |known: &&Known| {
        let is_over = |view: &View| view.known_end(known).is_some() || view.is_superseded(known.id());
        hearers.iter().all(|hearer| !is_over(hearer.view))
    };
    let facts = first.view.facts_with_subject(id).filter(is_description).filter(is_shared).filter(is_current);
    let mut nouns = facts.filter_map(|known| words::definite_noun(known.object().text()?));
    nouns.next().unwrap_or_else(|| words::STRANGER.to_owned())
}

fn mentioned_entities(text: &str, known_by: &[usize], hearers: &[Hearer]) -> Vec<EntityId> {
    let mut mentioned: Vec<EntityId> =
        known_by.iter().flat_map(|number| hearers[*number].names.exact_mentions(text)).collect();
    mentioned.sort();
    mentioned.dedup();
    mentioned
}

fn distinct_stems(text: &str) -> Vec<String> {
    let mut stems = stems(text);
    stems.sort_unstable();
    stems.dedup();
    stems
}

fn passage_pieces(
    id: PassageId,
    passage: &Passage,
    known_by: &[usize],
    (hearers, read_aloud): (&[Hearer], bool),
    stated: StatedFact,
) -> Vec<Piece> {
    let speaker = passage.speaker.clone();
    let speaker_name = match &speaker {
        Some(id) => Some(name_of(id, known_by, hearers, read_aloud).unwrap_or_else(|| {
            let hearers: Vec<&Hearer> = hearers_of(hearers, known_by, read_aloud).collect();
            words::upper_first(&describe_stranger(id, &hearers))
        })),
        None => passage.speaker_alias.clone(),
    };
    let piece = |(part, text): (usize, String)| {
        let mut entities = mentioned_entities(&text, known_by, hearers);
        entities.retain(|id| Some(id) != speaker.as_ref());
        Piece {
            doc: DocId::Passage(id),
            order: (passage.line, 0, part),
            entities,
            stems: distinct_stems(&text),
            text,
            speaker: speaker.clone(),
            speaker_name: speaker_name.clone(),
            time: passage.said_at(),
            stated,
            summary: part == 0 && passage.line == 0 && passage.session.is_some() && passage.title.is_some(),
            confidential: passage.confidential,
            relation: None,
            hearers: known_by.to_vec(),
            evidence: Vec::new(),
        }
    };
    split_text(&passage.text).into_iter().enumerate().map(piece).collect()
}

fn fact_piece(known: &Known, (line, time): (u32, Option<GameTime>), known_by: &[usize], hearers: &[Hearer]) -> Piece {
    let mut entities: Vec<EntityId> =
        std::iter::once(known.subject()).chain(known.object().entity()).cloned().collect();
    entities.sort();
    entities.dedup();
    let relation = known.object().entity().map(|object| {
        let name = |id| name_of(id, known_by, hearers, false).unwrap_or_else(|| words::STRANGER.into());
        format!("{} {} {}", name(known.subject()), known.predicate(), name(object))
    });
    Piece {
        doc: DocId::Fact(known.id()),
        order: (line, 1, 0),
        text: known.statement().to_owned(),
        speaker: None,
        speaker_name: None,
        stems: distinct_stems(known.statement()),
        entities,
        time,
        stated: StatedFact::for_fact(known, hearers),
        summary: false,
        confidential: false,
        relation,
        hearers: known_by.to_vec(),
        evidence: {
            let mut evidence: Vec<PassageId> = passages_of(known).collect();
            evidence.sort_unstable();
            evidence
        },
    }
}

/// Returns a short text as one line. Splits a long text into parts of a few sentences each.
fn split_text(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= MAX_WORDS_PER_LINE {
        return vec![words.join(" ")];
    }
    let (mut parts, mut start) = (Vec::new(), 0);
    for at in 0..words.len() {
        let ends_sentence =
            words[at].trim_end_matches(['"', '\'', '\u{201D}', ')']).ends_with(['.', '?', '!', ';', '\u{2026}']);
        let length = at + 1 - start;
        // Cut a sentence that is too long, even without an end.
        if (ends_sentence && length >= MAX_WORDS_PER_LINE / 3) || length >= MAX_WORDS_PER_LINE * 2 {
            parts.push(words[start..=at].join(" "));
            start = at + 1;
        }
    }
    if start < words.len() {
        parts.push(words[start..].join(" "));
    }
    parts
}

/// Counts the words that could be new names: capitalised words that do not begin a sentence.
pub(super) fn unknown_names(text: &str) -> usize {
    let mut starts_sentence = true;
    let mut count = 0;
    for word in text.split_whitespace() {
        let trimmed = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_capitalised = trimmed.chars().next().is_some_and(char::is_uppercase) && trimmed.chars().count() > 2;
        let normalized = text::normalize(trimmed);
        count += usize::from(is_capitalised && !starts_sentence && !normalized.starts_with("i'"));
        starts_sentence = word.ends_with(['.', '?', '!', ':', '\u{2026}', '"', '\u{201D}']);
    }
    count
}
