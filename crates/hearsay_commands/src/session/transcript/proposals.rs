//! Proposals for the speakers of a transcript whom the campaign does not identify.
//!
//! The player of a character often answers when others address the character, and seldom addresses the character. Some
//! players introduce themselves as the character. The DM usually speaks more lines than each player.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use hearsay_belief::{is_dead, player_characters};
use hearsay_campaign::Transcript;
use hearsay_extract::Language;
use hearsay_model::{
    EntityId, Kind, State,
    spelling::{self, SpellingIndex},
    text, words,
};

use super::speakers::{
    MAX_REFERENCE_WORDS, MIN_ABBREVIATION_LETTERS, SpeakerEvidence, SpeakerIdentity, SpeakerProposal, SpeakerRow,
    player, without_note,
};

/// Points for a speaker who answers a line that addresses the character.
const ANSWERS_ADDRESS: i32 = 2;
/// Points for a speaker who answers a line that mentions the character and no other candidate.
const ANSWERS_MENTION: i32 = 1;
/// Points for a speaker who introduces himself or herself as the character.
const INTRODUCES: i32 = 4;
/// Points for a speaker who addresses the character.
const ADDRESSES: i32 = -2;
/// Minimum number of points for a proposal.
const MIN_POINTS: i32 = 4;
/// Points for a speaker with a similar name: more points than any conversation can give.
const SIMILAR_NAME: i32 = i32::MAX;

/// The only remaining speaker is proposed for the only remaining player character only if at least one in this number
/// of lines is by this speaker. Guests and sounds (`All: (cheering)`) have fewer lines than players.
const MAX_LINES_PER_PLAYER_LINE: usize = 50;

/// Adds proposals to the speakers whom the campaign does not identify. Proposes each character for at most one speaker.
pub(super) fn add_proposals(state: &State, transcript: &Transcript, rows: &mut [SpeakerRow]) {
    let open_rows: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].is.is_unidentified()).collect();
    if open_rows.is_empty() {
        return;
    }
    let candidates = Candidates::new(state, rows);
    let similar_names = SimilarNames::new(state, &candidates);
    let similar: BTreeMap<usize, usize> =
        open_rows.iter().filter_map(|row| Some((*row, similar_names.candidate(&rows[*row].name)?))).collect();
    let conversation = Conversation::new(transcript, rows, &candidates);
    // A player can say more than the DM.
    let dm = probable_dm(transcript, rows)
        .filter(|row| !similar.contains_key(row) && !conversation.introduces_own_character(*row));
    let mut pairs: Vec<Pair> = Vec::new();
    for row in open_rows.iter().copied().filter(|row| Some(*row) != dm) {
        for (candidate, id) in candidates.ids.iter().enumerate() {
            let (points, evidence) = match similar.get(&row) == Some(&candidate) {
                true => (SIMILAR_NAME, SpeakerEvidence::SimilarName),
                false => (conversation.points(row, candidate), conversation.evidence(row, candidate)),
            };
            let is_possible = match &rows[row].is {
                SpeakerIdentity::Ambiguous(ids) => ids.contains(id),
                _ => true,
            };
            if points >= MIN_POINTS && is_possible {
                pairs.push(Pair { points, lines: rows[row].lines, row, candidate, evidence });
            }
        }
    }
    let mut proposed = assign(pairs);
    if let Some((row, candidate)) = remaining_pair(state, transcript, rows, &candidates, &proposed, dm) {
        proposed.insert(row, (candidate, SpeakerEvidence::Elimination));
    }
    for (row, (candidate, evidence)) in proposed {
        let is = SpeakerIdentity::Character(candidates.ids[candidate].clone());
        rows[row].proposal = Some(SpeakerProposal { is, evidence });
    }
    if let Some(row) = dm {
        rows[row].proposal = Some(SpeakerProposal { is: SpeakerIdentity::Dm, evidence: SpeakerEvidence::MostWords });
    }
}

/// A speaker and the character that the speaker may play. `row` and `candidate` are indices.
struct Pair {
    points: i32,
    lines: usize,
    row: usize,
    candidate: usize,
    evidence: SpeakerEvidence,
}

/// Proposed character of each speaker, with the reason, by the row of the speaker.
type Assignment = BTreeMap<usize, (usize, SpeakerEvidence)>;

/// Assigns each speaker at most one character, and each character to at most one speaker. Pairs with more points come
/// first.
fn assign(mut pairs: Vec<Pair>) -> Assignment {
    pairs.sort_by_key(|pair| (Reverse((pair.points, pair.lines)), pair.row, pair.candidate));
    let (mut assignment, mut assigned_candidates) = (Assignment::new(), BTreeSet::new());
    for Pair { row, candidate, evidence, .. } in pairs {
        if !assignment.contains_key(&row) && assigned_candidates.insert(candidate) {
            assignment.insert(row, (candidate, evidence));
        }
    }
    assignment
}

/// Returns the remaining speaker and the remaining player character, if there is exactly one of each.
fn remaining_pair(
    state: &State,
    transcript: &Transcript,
    rows: &[SpeakerRow],
    candidates: &Candidates,
    proposed: &Assignment,
    dm: Option<usize>,
) -> Option<(usize, usize)> {
    let is_remaining_row = |row: &usize| {
        let has_enough_lines = rows[*row].lines * MAX_LINES_PER_PLAYER_LINE >= transcript.utterances.len();
        let is_open = rows[*row].is == SpeakerIdentity::Unknown && Some(*row) != dm && !proposed.contains_key(row);
        is_open && has_enough_lines
    };
    let is_remaining_candidate = |candidate: &usize| {
        let id = &candidates.ids[*candidate];
        let is_proposed = proposed.values().any(|(other, _)| other == candidate);
        let is_free = state.kind(id) == Some(Kind::Player) && player(state, id).is_none();
        is_free && !is_proposed && !is_dead(state, id, state.clock())
    };
    let remaining_rows: Vec<usize> = (0..rows.len()).filter(is_remaining_row).collect();
    let remaining_candidates: Vec<usize> = (0..candidates.ids.len()).filter(is_remaining_candidate).collect();
    match (&remaining_rows[..], &remaining_candidates[..]) {
        ([row], [candidate]) => Some((*row, *candidate)),
        _ => None,
    }
}

/// Returns the unknown speaker with the most words, who is probably the DM. Returns `None` if the DM is known, or if
/// the narration or an identified speaker has more words.
fn probable_dm(transcript: &Transcript, rows: &[SpeakerRow]) -> Option<usize> {
    if rows.iter().any(|row| row.is == SpeakerIdentity::Dm) {
        return None;
    }
    let mut word_counts: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    for utterance in &transcript.utterances {
        *word_counts.entry(utterance.speaker.as_deref()).or_insert(0) += utterance.text.split_whitespace().count();
    }
    let (speaker, _) = word_counts.into_iter().max_by_key(|(_, count)| *count)?;
    rows.iter().position(|row| Some(row.name.as_str()) == speaker && row.is == SpeakerIdentity::Unknown)
}

/// What the conversation shows about the speakers. The keys are the indices of a row and a candidate.
#[derive(Default)]
struct Conversation {
    points: BTreeMap<(usize, usize), i32>,
    /// Speakers who introduce themselves as the candidate.
    introductions: BTreeSet<(usize, usize)>,
}

impl Conversation {
    fn points(&self, row: usize, candidate: usize) -> i32 {
        self.points.get(&(row, candidate)).copied().unwrap_or(0)
    }

    fn evidence(&self, row: usize, candidate: usize) -> SpeakerEvidence {
        match self.introductions.contains(&(row, candidate)) {
            true => SpeakerEvidence::Introduction,
            false => SpeakerEvidence::Conversation,
        }
    }

    /// Returns whether a speaker introduces himself or herself as a candidate whom the speaker probably plays. The DM
    /// is not the player of a character as whom the DM introduces himself or herself, because the DM also addresses
    /// this character.
    fn introduces_own_character(&self, row: usize) -> bool {
        let mut introduced = self.introductions.iter().filter(|(other, _)| *other == row);
        introduced.any(|(row, candidate)| self.points(*row, *candidate) >= MIN_POINTS)
    }

    fn new(transcript: &Transcript, rows: &[SpeakerRow], candidates: &Candidates) -> Self {
        let rows_by_name: BTreeMap<&str, usize> =
            (0..).zip(rows).map(|(index, row)| (row.name.as_str(), index)).collect();
        let utterances = &transcript.utterances;
        let speaker_at =
            |index: usize| utterances.get(index)?.speaker.as_deref().and_then(|name| rows_by_name.get(name)).copied();
        let mut conversation = Self::default();
        for (index, utterance) in utterances.iter().enumerate() {
            let speaker = speaker_at(index);
            let answerer = speaker_at(index + 1).filter(|next| Some(*next) != speaker);
            let line = text::words(&utterance.text);
            for candidate in candidates.addressed(&utterance.text) {
                conversation.add(speaker, candidate, ADDRESSES);
                conversation.add(answerer, candidate, ANSWERS_ADDRESS);
            }
            if let [only] = candidates.mentioned(&line)[..] {
                conversation.add(answerer, only, ANSWERS_MENTION);
            }
            if let Some(candidate) = candidates.introduced(&utterance.text) {
                conversation.add(speaker, candidate, INTRODUCES);
                conversation.introductions.extend(speaker.map(|row| (row, candidate)));
            }
        }
        conversation
    }

    fn add(&mut self, row: Option<usize>, candidate: usize, change: i32) {
        if let Some(row) = row {
            *self.points.entry((row, candidate)).or_insert(0) += change;
        }
    }
}

/// Characters that an unidentified speaker may play, with their names.
struct Candidates {
    /// Player characters and the candidates of ambiguous names, without the characters of identified speakers. Sorted.
    ids: Vec<EntityId>,
    /// Indices of the candidates by their names, which are split into words. A name of several candidates is omitted.
    names: BTreeMap<Vec<String>, usize>,
    /// Number of words of the longest name.
    max_words: usize,
    /// Words before the name of a speaker who introduces himself or herself.
    introductions: Vec<Vec<String>>,
}

impl Candidates {
    fn new(state: &State, rows: &[SpeakerRow]) -> Self {
        let identified: BTreeSet<&EntityId> = rows
            .iter()
            .filter_map(|row| match &row.is {
                SpeakerIdentity::Character(id) => Some(id),
                _ => None,
            })
            .collect();
        let ambiguous = rows.iter().flat_map(|row| match &row.is {
            SpeakerIdentity::Ambiguous(ids) => &ids[..],
            _ => &[][..],
        });
        let ids: BTreeSet<EntityId> = player_characters(state).into_iter().chain(ambiguous.cloned()).collect();
        let ids: Vec<EntityId> = ids.into_iter().filter(|id| !identified.contains(id)).collect();
        let names = unique_names(state, &ids);
        let max_words = names.keys().map(Vec::len).max().unwrap_or(0);
        let introductions = words::english().introductions.iter().map(|phrase| text::words(phrase)).collect();
        Self { ids, names, max_words, introductions }
    }

    /// Returns the candidate whose name begins a line, and the number of words of the name. Prefers the longest name.
    fn name_at_start(&self, line: &[String]) -> Option<(usize, usize)> {
        let max_words = self.max_words.min(line.len());
        (1..=max_words).rev().find_map(|count| Some((*self.names.get(&line[..count])?, count)))
    }

    /// Returns the candidates that a line mentions, in the order of their indices.
    fn mentioned(&self, line: &[String]) -> Vec<usize> {
        let mut found = BTreeSet::new();
        let mut rest = line;
        while !rest.is_empty() {
            let (candidate, count) =
                self.name_at_start(rest).map_or((None, 1), |(candidate, count)| (Some(candidate), count));
            found.extend(candidate);
            rest = &rest[count..];
        }
        found.into_iter().collect()
    }

    /// Returns the candidates whom a speaker addresses: the name stands alone, or a comma separates the name from the
    /// rest of the sentence.
    fn addressed(&self, said: &str) -> BTreeSet<usize> {
        let sentences = said.split(['.', '!', '?', ';', ':', '\u{2026}', '\u{2014}']);
        let parts =
            sentences.flat_map(|sentence| sentence.split(',').next().into_iter().chain(sentence.rsplit(',').next()));
        parts.filter_map(|part| self.names.get(&text::words(part)).copied()).collect()
    }

    /// Returns the candidate as whom a speaker introduces himself or herself, as in "I am Wren". "I am Wren's brother"
    /// is not an introduction.
    fn introduced(&self, said: &str) -> Option<usize> {
        let (line, said) = (text::words(said), text::normalize(said));
        let is_owner = |name: &[String]| name.last().is_some_and(|word| said.contains(&format!("{word}'s")));
        (0..line.len()).find_map(|start| {
            let rest = &line[start..];
            let mut names = self.introductions.iter().filter_map(|phrase| rest.strip_prefix(&phrase[..]));
            names.find_map(|name| {
                let (candidate, count) = self.name_at_start(name)?;
                (!is_owner(&name[..count])).then_some(candidate)
            })
        })
    }
}

/// Returns the indices of characters by their full names, aliases and first names, which are split into words. A name is
/// also listed without the titles before it. Omits secret names, names of several characters, and common words.
fn unique_names(state: &State, ids: &[EntityId]) -> BTreeMap<Vec<String>, usize> {
    let mut owners: BTreeMap<Vec<String>, BTreeSet<usize>> = BTreeMap::new();
    for (index, id) in ids.iter().enumerate() {
        for name in state.open_names(id) {
            let name_words = text::words(name);
            let untitled = without_titles(&name_words);
            for name in [&untitled[..untitled.len().min(1)], untitled, &name_words[..]] {
                owners.entry(name.to_vec()).or_default().insert(index);
            }
        }
    }
    with_one_owner(owners)
}

/// Returns the indices of characters by the last words of their full names. Omits last words of several characters, and
/// common words.
fn unique_last_names(state: &State, ids: &[EntityId]) -> BTreeMap<Vec<String>, usize> {
    let mut owners: BTreeMap<Vec<String>, BTreeSet<usize>> = BTreeMap::new();
    for (index, id) in ids.iter().enumerate() {
        if let Some(last) = state.open_name(id).and_then(|name| text::words(name).pop()) {
            owners.entry(vec![last]).or_default().insert(index);
        }
    }
    with_one_owner(owners)
}

/// Returns the names that have one owner and that are no common words, with their owners.
fn with_one_owner(owners: BTreeMap<Vec<String>, BTreeSet<usize>>) -> BTreeMap<Vec<String>, usize> {
    let is_common = |name: &[String]| name.iter().all(|word| spelling::is_common_word(word));
    let names = owners.into_iter().filter(|(name, owners)| owners.len() == 1 && !is_common(name));
    names.filter_map(|(name, owners)| Some((name, owners.into_iter().next()?))).collect()
}

/// Returns the words of a name without the titles before it: `halvard renn` for `captain halvard renn`. The last word is
/// never a title.
fn without_titles(name: &[String]) -> &[String] {
    let others = name.split_last().map_or(&[][..], |(_, others)| others);
    &name[others.iter().take_while(|word| is_title(word)).count()..]
}

/// Returns whether a word in normal form is a title or an occupation that can stand before a name.
pub(super) fn is_title(word: &str) -> bool {
    words::is_title(word) || Language::english().is_occupation(word)
}

/// Returns the character whose name is similar to a few words before the colon of a typed line, with or without the titles
/// before the name. Returns `None` if no name is similar, or if the most similar names belong to several characters.
pub(super) fn similar_character(state: &State, name: &str) -> Option<EntityId> {
    let name_words = text::words(without_note(name));
    if name_words.len() > MAX_REFERENCE_WORDS {
        return None;
    }
    let ids = state.entities().map(|entity| &entity.id);
    let ids: Vec<EntityId> = ids.filter(|id| state.is_character(id)).cloned().collect();
    let names = unique_names(state, &ids);
    let spellings = SpellingIndex::from_names(names.iter().map(|(name, index)| (name, Some(index))));
    let nearest = |written: &[String]| match spellings.nearest(written) {
        Some((_, index)) => Some(*index),
        None => nearest_misspelled(&names, written),
    };
    let nearest_last_name = || nearest_misspelled(&unique_last_names(state, &ids), without_titles(&name_words));
    let index = nearest(&name_words).or_else(|| nearest(without_titles(&name_words))).or_else(nearest_last_name)?;
    ids.get(index).cloned()
}

/// Returns the index of the character of whose name a few words are probably a misspelling. Returns `None` if there is no
/// such character, or if there are several.
fn nearest_misspelled(names: &BTreeMap<Vec<String>, usize>, written: &[String]) -> Option<usize> {
    if written.iter().all(|word| spelling::is_common_word(word)) {
        return None;
    }
    let similar = |is_similar: fn(&[String], &[String]) -> bool| -> BTreeSet<usize> {
        names.iter().filter(|(name, _)| is_similar(written, name)).map(|(_, index)| *index).collect()
    };
    let mut found = similar(spelling::is_misspelling);
    if found.is_empty() {
        found = similar(spelling::is_loose_misspelling);
    }
    if found.len() == 1 { found.pop_first() } else { None }
}

/// Names of the candidates and of their players, to find a name that is similar to the name of a speaker.
struct SimilarNames {
    names: Vec<(Vec<String>, usize)>,
    spellings: SpellingIndex<usize>,
}

impl SimilarNames {
    fn new(state: &State, candidates: &Candidates) -> Self {
        let players = candidates.ids.iter().enumerate();
        let players = players.filter_map(|(index, id)| Some((text::words(player(state, id)?), index)));
        let names = candidates.names.iter().map(|(name, candidate)| (name.clone(), *candidate));
        let names: Vec<(Vec<String>, usize)> = names.chain(players).collect();
        let spellings = SpellingIndex::from_names(names.iter().map(|(name, candidate)| (name, Some(candidate))));
        Self { names, spellings }
    }

    /// Returns the only candidate with a similar name: the spelling is similar, the speaker's name is the beginning of
    /// the name, or the speaker's name contains the name.
    fn candidate(&self, speaker: &str) -> Option<usize> {
        let speaker_words = text::words(speaker);
        if let Some((_, candidate)) = self.spellings.nearest(&speaker_words) {
            return Some(*candidate);
        }
        // "All" and "Everyone" abbreviate no name.
        if speaker_words.iter().all(|word| spelling::is_common_word(word)) {
            return None;
        }
        let letters = spelling::letters(&speaker_words);
        let is_long = letters.chars().count() >= MIN_ABBREVIATION_LETTERS;
        let is_similar = |name: &[String]| {
            let is_abbreviation = is_long && spelling::letters(name).starts_with(&letters);
            is_abbreviation || text::contains_name(&speaker_words, name)
        };
        let found = self.names.iter().filter(|(name, _)| is_similar(name)).map(|(_, candidate)| *candidate);
        let found: BTreeSet<usize> = found.collect();
        if found.len() == 1 { found.into_iter().next() } else { None }
    }
}
