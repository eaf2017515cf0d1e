//! Windows: consecutive lines of a document, as input for the model.

use std::ops::Range;

use hearsay_embed::TokenText;

use crate::{
    entities::{lexicon::Gender, mentions::EntityRef},
    text::document::LineRole,
};

/// Token ids in BERT's vocabulary.
const CLS_TOKEN: u32 = 101;
const SEP_TOKEN: u32 = 102;
pub(crate) const UNK_TOKEN: u32 = 100;

/// Size of the windows that a reading model reads. A window consists of consecutive lines of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowSize {
    /// Approximate number of tokens in a window, at most 510. If a line is longer than a window, the model does not
    /// read the rest of the line.
    pub tokens: usize,
    /// Maximum number of tokens in the context lines, which precede the lines to be read. Must be less than `tokens`.
    pub context_tokens: usize,
}

impl Default for WindowSize {
    /// Returns the fastest size with which the model finds as many facts in the development data as with the windows of
    /// the training (`training/data.py`: 400 tokens, of which up to 240 are context).
    fn default() -> Self {
        Self { tokens: 450, context_tokens: 60 }
    }
}

/// A line of a document, as input for the model.
pub(crate) struct ModelLine {
    pub(crate) role: LineRole,
    /// Character who speaks the line.
    pub(crate) speaker: Option<EntityRef>,
    /// Token ids of each word.
    pub(crate) words: Vec<Vec<u32>>,
    /// Names in the line: the range of words and the entity.
    pub(crate) names: Vec<(Range<usize>, EntityRef)>,
    /// Singular pronouns for persons in the line: the word and its gender.
    pub(crate) pronouns: Vec<(usize, Gender)>,
    /// Words that refer to the speaker.
    pub(crate) self_references: Vec<usize>,
    /// Words that refer to the hearer, such as "you".
    pub(crate) hearer_references: Vec<usize>,
    /// Words that refer to a group with the speaker, such as "we".
    pub(crate) group_references: Vec<usize>,
    /// Entities whom the speaker addresses by name: "Come here, Odo."
    pub(crate) addressed: Vec<EntityRef>,
    /// Words and punctuation marks at which no statement ends.
    pub(crate) non_final_words: Vec<usize>,
    /// Words that decide to whom pronouns of the line refer.
    pub(crate) pronoun_scopes: Vec<PronounScope>,
    /// Nouns such as "the king" for persons without a name: the word and its gender.
    pub(crate) described_persons: Vec<(usize, Gender)>,
    /// First words of the names that are the subject of a sentence and begin it.
    pub(crate) opening_subjects: Vec<usize>,
    /// Speaker of the previous line, to whom the pronoun at the beginning of this line refers.
    pub(crate) opening_referent: Option<EntityRef>,
}

/// Words of a line to which a pronoun refers: if a name in `nearest` fits the pronoun, the pronoun refers to a name
/// between the start of `nearest` and the pronoun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PronounScope {
    /// The pronoun.
    pub(crate) word: usize,
    pub(crate) nearest: Range<usize>,
    /// Whether a name of unknown gender fits the pronoun.
    pub(crate) accepts_unknown: bool,
    /// Whether the pronoun refers to a name in `nearest` itself, even if this is the speaker of the line.
    pub(crate) is_exact: bool,
}

impl ModelLine {
    fn token_count(&self) -> usize {
        1 + self.words.iter().map(Vec::len).sum::<usize>()
    }
}

/// A mention to which a reference may refer: a name, or the speaker of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReferentCandidate {
    pub(crate) token: usize,
    pub(crate) line: usize,
    /// Index of the name's first word; `None` for the speaker of the line.
    pub(crate) word: Option<usize>,
    pub(crate) entity: EntityRef,
    pub(crate) gender: Gender,
}

/// Consecutive lines as tokens: some lines of context, followed by the lines to be read.
#[derive(Debug, Default)]
pub(crate) struct Window {
    pub(crate) tokens: TokenText,
    /// Lines to be read.
    pub(crate) lines: Vec<WindowLine>,
    pub(crate) candidates: Vec<ReferentCandidate>,
}

/// A line to be read.
#[derive(Debug)]
pub(crate) struct WindowLine {
    /// Index of the line in the document.
    pub(crate) line: usize,
    /// Token that represents the line.
    pub(crate) marker: usize,
    /// First token of each word. Words beyond the maximum length of a window are left out.
    pub(crate) words: Vec<usize>,
    pronouns: Vec<(usize, Gender)>,
    /// Words that refer to the speaker.
    self_references: Vec<usize>,
    /// Words that refer to the hearer.
    hearer_references: Vec<usize>,
    /// Words that refer to a group with the speaker.
    group_references: Vec<usize>,
    /// Entities whom the speaker addresses by name.
    addressed: Vec<EntityRef>,
    speaker: Option<EntityRef>,
    /// Words at which no statement ends.
    non_final_words: Vec<usize>,
    pronoun_scopes: Vec<PronounScope>,
    described_persons: Vec<(usize, Gender)>,
    opening_subjects: Vec<usize>,
    opening_referent: Option<EntityRef>,
}

impl WindowLine {
    /// Returns the speaker if a word refers to the speaker, such as "I" or "my". Returns the hearer if a word such as
    /// "you" refers to the only hearer whom the line addresses by name.
    pub(crate) fn referenced_participant(&self, word: usize) -> Option<EntityRef> {
        let hearer = || match self.addressed[..] {
            [hearer] if self.hearer_references.contains(&word) => Some(hearer),
            _ => None,
        };
        self.speaker.filter(|_| self.self_references.contains(&word)).or_else(hearer)
    }

    fn pronoun_scope(&self, word: usize) -> Option<&PronounScope> {
        self.pronoun_scopes.iter().find(|scope| scope.word == word)
    }

    /// Returns whether a candidate is a name among some words of the line.
    fn names_within(&self, candidate: &ReferentCandidate, words: &Range<usize>) -> bool {
        candidate.line == self.line && candidate.word.is_some_and(|at| words.contains(&at))
    }

    /// Returns the words of a statement without words and punctuation at its end such as a comma or "and".
    pub(crate) fn trim_end(&self, mut words: Range<usize>) -> Range<usize> {
        while words.len() > 1 && self.non_final_words.contains(&(words.end - 1)) {
            words.end -= 1;
        }
        words
    }
}

impl Window {
    /// Returns whether the pronoun at a word cannot refer to a candidate: only a later line, which may tell of somebody who
    /// comes in, names the candidate, their genders differ, a pronoun such as "she"
    /// would refer to the speaker or to a hearer whom the line addresses, the line itself names or describes somebody to
    /// whom the pronoun fits before it or as the subject of a later sentence, the pronoun has a [scope](PronounScope)
    /// without the candidate, the pronoun refers to the speaker of the previous line, "you" would refer to the speaker, or
    /// "we" would refer to somebody else alone.
    pub(crate) fn excludes(&self, line: &WindowLine, word: usize, candidate: &ReferentCandidate) -> bool {
        let pronoun_gender = line.pronouns.iter().find(|(at, _)| *at == word).map(|(_, gender)| *gender);
        let is_participant = |entity: EntityRef| line.speaker == Some(entity) || line.addressed.contains(&entity);
        let is_speaker = line.speaker == Some(candidate.entity);
        // In speech, "he" after a name in the same line is this person: "Then it was Odo. He opened the gate." In "He opened
        // the gate! Odo told us", it is doubtful whether "he" is Odo, but it is nobody of an earlier line.
        let is_closer = |other: &ReferentCandidate, gender: Gender| {
            let is_in_line = other.line == line.line
                && other.word.is_some_and(|at| at < word || line.opening_subjects.contains(&at));
            is_in_line && other.gender == gender && !is_participant(other.entity)
        };
        // In "Odo tells Bram that he left", which Odo says, Odo left.
        let is_reported_speaker = || {
            let scope = line.pronoun_scope(word).filter(|scope| scope.is_exact);
            scope.is_some_and(|scope| line.names_within(candidate, &scope.nearest))
        };
        let is_described_closer =
            |gender: Gender| line.described_persons.iter().any(|(at, other)| *at < word && *other == gender);
        candidate.line > line.line
            || is_speaker && line.hearer_references.contains(&word)
            || word == 0 && line.opening_referent.is_some_and(|referent| referent != candidate.entity)
            || line.speaker.is_some() && !is_speaker && line.group_references.contains(&word)
            || pronoun_gender.is_some_and(|gender| {
                let names_closer = || self.candidates.iter().any(|other| is_closer(other, gender));
                ![Gender::Unknown, gender].contains(&candidate.gender)
                    || is_participant(candidate.entity) && !is_reported_speaker()
                    || line.speaker.is_some()
                        && candidate.line != line.line
                        && (names_closer() || is_described_closer(gender))
                    || self.is_out_of_scope(line, word, gender, candidate)
            })
    }

    /// Returns whether the scope of a pronoun contains a name that fits the pronoun, but not the candidate.
    fn is_out_of_scope(&self, line: &WindowLine, word: usize, gender: Gender, candidate: &ReferentCandidate) -> bool {
        let Some(scope) = line.pronoun_scope(word) else { return false };
        let is_within = |candidate: &ReferentCandidate, words: &Range<usize>| line.names_within(candidate, words);
        let fits = |other: &&ReferentCandidate| {
            other.gender == gender || scope.accepts_unknown && other.gender == Gender::Unknown
        };
        let has_fitting_name = self.candidates.iter().filter(fits).any(|other| is_within(other, &scope.nearest));
        let end = if scope.is_exact { scope.nearest.end } else { word };
        has_fitting_name && !is_within(candidate, &(scope.nearest.start..end))
    }
}

/// Divides a document into windows, so that each line from `first` on is read in exactly one window. `gender` returns
/// the gender of an entity.
pub(crate) fn build_windows(
    lines: &[ModelLine],
    first: usize,
    size: WindowSize,
    gender: &dyn Fn(EntityRef) -> Gender,
) -> Vec<Window> {
    let mut windows = Vec::new();
    let mut unread_start = first;
    while unread_start < lines.len() {
        let (mut start, mut used) = (unread_start, 0);
        while start > 0 && used + lines[start - 1].token_count() <= size.context_tokens {
            start -= 1;
            used += lines[start].token_count();
        }
        let mut end = unread_start;
        while end < lines.len() && (end == unread_start || used + lines[end].token_count() <= size.tokens) {
            used += lines[end].token_count();
            end += 1;
        }
        windows.push(build_window(lines, start, unread_start..end, size, gender));
        unread_start = end;
    }
    windows
}

fn build_window(
    lines: &[ModelLine],
    start: usize,
    unread_lines: Range<usize>,
    size: WindowSize,
    gender: &dyn Fn(EntityRef) -> Gender,
) -> Window {
    let mut window = Window::default();
    let tokens = &mut window.tokens;
    tokens.ids.push(CLS_TOKEN);
    tokens.types.push(0);
    for (index, line) in lines.iter().enumerate().take(unread_lines.end).skip(start) {
        let marker = tokens.ids.len();
        tokens.ids.push(line.role.token());
        tokens.types.push(0);
        if let Some(entity) = line.speaker {
            window.candidates.push(ReferentCandidate {
                token: marker,
                line: index,
                word: None,
                entity,
                gender: gender(entity),
            });
        }
        let mut words = Vec::with_capacity(line.words.len());
        let mut names = line.names.iter().peekable();
        for (word, ids) in line.words.iter().enumerate() {
            if tokens.ids.len() + ids.len() >= size.tokens {
                break;
            }
            while names.next_if(|(range, _)| range.end <= word).is_some() {}
            let named = names.peek().filter(|(range, _)| range.contains(&word));
            if let Some((range, entity)) = named
                && range.start == word
            {
                let (token, gender) = (tokens.ids.len(), gender(*entity));
                let candidate = ReferentCandidate { token, line: index, word: Some(word), entity: *entity, gender };
                window.candidates.push(candidate);
            }
            words.push(tokens.ids.len());
            tokens.ids.extend(ids);
            tokens.types.extend(ids.iter().map(|_| u32::from(named.is_some())));
        }
        if unread_lines.contains(&index) {
            window.lines.push(WindowLine {
                line: index,
                marker,
                words,
                pronouns: line.pronouns.clone(),
                self_references: line.self_references.clone(),
                hearer_references: line.hearer_references.clone(),
                group_references: line.group_references.clone(),
                addressed: line.addressed.clone(),
                speaker: line.speaker,
                non_final_words: line.non_final_words.clone(),
                pronoun_scopes: line.pronoun_scopes.clone(),
                described_persons: line.described_persons.clone(),
                opening_subjects: line.opening_subjects.clone(),
                opening_referent: line.opening_referent,
            });
        }
    }
    tokens.ids.push(SEP_TOKEN);
    tokens.types.push(0);
    window
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spoken_pronoun_refers_to_the_person_whom_its_line_names() {
        let [speaker, odo, bram] = [0, 1, 2].map(EntityRef::Known);
        let line = |names, pronouns| ModelLine { speaker: Some(speaker), ..line_of_words(4, names, pronouns) };
        let lines = [line(vec![(0..1, bram)], Vec::new()), line(vec![(0..1, odo)], vec![(2, Gender::He)])];
        assert_eq!(allowed_referents(&lines, 2, Gender::He), [odo]);
        // "The king is dead. He fell."
        let described =
            ModelLine { described_persons: vec![(0, Gender::He)], ..line(Vec::new(), vec![(2, Gender::He)]) };
        let lines = [line(vec![(0..1, bram)], Vec::new()), described];
        assert_eq!(allowed_referents(&lines, 2, Gender::He), []);
        // "He fell! Odo saw it." and "He saw Odo."
        for (opening_subjects, expected) in [(vec![3], vec![odo]), (Vec::new(), vec![bram, odo])] {
            let named = line(vec![(3..4, odo)], vec![(0, Gender::He)]);
            let lines = [line(vec![(0..1, bram)], Vec::new()), ModelLine { opening_subjects, ..named }];
            assert_eq!(allowed_referents(&lines, 0, Gender::He), expected);
        }
    }

    #[test]
    fn a_pronoun_that_begins_narration_refers_to_the_previous_speaker() {
        let [odo, bram] = [0, 1].map(EntityRef::Known);
        let said = || ModelLine { speaker: Some(odo), ..line_of_words(4, vec![(2..3, bram)], Vec::new()) };
        let narrated = |opening_referent| ModelLine {
            opening_referent,
            ..line_of_words(4, Vec::new(), vec![(0, Gender::He), (2, Gender::He)])
        };
        for (word, referent, expected) in
            [(0, Some(odo), vec![odo]), (0, None, vec![odo, bram]), (2, Some(odo), vec![odo, bram])]
        {
            assert_eq!(allowed_referents(&[said(), narrated(referent)], word, Gender::He), expected, "{word}");
        }
    }

    #[test]
    fn a_pronoun_refers_to_a_name_in_its_scope() {
        let [odo, bram] = [0, 1].map(EntityRef::Known);
        let scope = |accepts_unknown| PronounScope { word: 2, nearest: 0..1, accepts_unknown, is_exact: false };
        let line =
            |names, scopes| ModelLine { pronoun_scopes: scopes, ..line_of_words(4, names, vec![(2, Gender::He)]) };
        for (gender, scopes, expected) in [
            (Gender::He, vec![scope(false)], vec![odo]),
            (Gender::Unknown, vec![scope(true)], vec![odo]),
            (Gender::Unknown, vec![scope(false)], vec![bram, odo]),
            (Gender::He, Vec::new(), vec![bram, odo]),
        ] {
            let lines = [line(vec![(0..1, bram)], Vec::new()), line(vec![(0..1, odo)], scopes)];
            assert_eq!(allowed_referents(&lines, 2, gender), expected, "{gender:?}");
        }
    }

    #[test]
    fn a_pronoun_of_reported_words_refers_to_the_speaker_even_of_the_line() {
        let [odo, bram] = [0, 1].map(EntityRef::Known);
        // "Odo tells Bram he …"
        for (is_exact, speaker, expected) in [
            (true, None, vec![odo]),
            (true, Some(odo), vec![odo]),
            (false, None, vec![odo, bram]),
            (false, Some(odo), vec![bram]),
        ] {
            let scope = PronounScope { word: 3, nearest: 0..1, accepts_unknown: true, is_exact };
            let names = vec![(0..1, odo), (2..3, bram)];
            let told = line_of_words(4, names, vec![(3, Gender::He)]);
            let told = ModelLine { speaker, pronoun_scopes: vec![scope], ..told };
            let lines = [line_of_words(1, Vec::new(), Vec::new()), told];
            assert_eq!(allowed_referents(&lines, 3, Gender::He), expected, "{is_exact} {speaker:?}");
        }
    }

    /// Returns a line of unknown words with names and pronouns.
    fn line_of_words(count: usize, names: Vec<(Range<usize>, EntityRef)>, pronouns: Vec<(usize, Gender)>) -> ModelLine {
        ModelLine {
            role: LineRole::Player,
            speaker: None,
            words: vec![vec![UNK_TOKEN]; count],
            names,
            pronouns,
            self_references: Vec::new(),
            hearer_references: Vec::new(),
            group_references: Vec::new(),
            addressed: Vec::new(),
            non_final_words: Vec::new(),
            pronoun_scopes: Vec::new(),
            described_persons: Vec::new(),
            opening_subjects: Vec::new(),
            opening_referent: None,
        }
    }

    /// Returns the entities to which a word of the second line can refer. All entities have the same gender.
    fn allowed_referents(lines: &[ModelLine], word: usize, gender: Gender) -> Vec<EntityRef> {
        let windows = build_windows(lines, 1, WindowSize::default(), &|_| gender);
        let window = &windows[0];
        let allowed = window.candidates.iter().filter(|candidate| !window.excludes(&window.lines[0], word, candidate));
        allowed.map(|candidate| candidate.entity).collect()
    }

    #[test]
    fn a_pronoun_refers_to_nobody_of_a_later_line() {
        let [odo, bram] = [0, 1].map(EntityRef::Known);
        let line = |names, pronouns| line_of_words(4, names, pronouns);
        let lines = [
            line(vec![(0..1, bram)], Vec::new()),
            line(Vec::new(), vec![(2, Gender::He)]),
            line(vec![(0..1, odo)], Vec::new()),
        ];
        assert_eq!(allowed_referents(&lines, 2, Gender::He), [bram]);
    }

    #[test]
    fn windows_have_the_given_size() {
        // Each line has ten tokens: the marker of the line and nine words.
        let line = |_| ModelLine { role: LineRole::Written, ..line_of_words(9, Vec::new(), Vec::new()) };
        let lines: Vec<ModelLine> = (0..10).map(line).collect();
        for (tokens, context_tokens, expected) in
            [(40, 20, vec![4, 2, 2, 2]), (40, 10, vec![4, 3, 3]), (40, 0, vec![4, 4, 2]), (80, 40, vec![8, 2])]
        {
            let size = WindowSize { tokens, context_tokens };
            let windows = build_windows(&lines, 0, size, &|_| Gender::Unknown);
            let counts: Vec<usize> = windows.iter().map(|window| window.lines.len()).collect();
            assert_eq!(counts, expected, "{size:?}");
            let read = windows.iter().flat_map(|window| window.lines.iter().map(|line| line.line));
            assert!(read.eq(0..10), "each line is read once: {size:?}");
            for window in &windows {
                let marker_count = window.tokens.ids.iter().filter(|id| **id == LineRole::Written.token()).count();
                assert!(marker_count - window.lines.len() <= context_tokens / 10, "{size:?}");
                assert!(window.tokens.ids.len() <= tokens + 2, "{size:?}");
            }
        }
    }
}
