//! Windows: consecutive lines of a document, as input for the model.

use std::ops::Range;

use hearsay_embed::TokenText;

use crate::{document::LineRole, lexicon::Gender, mentions::Who};

/// Token ids in BERT's vocabulary.
const CLASSIFY: u32 = 101;
const SEPARATE: u32 = 102;
pub(crate) const UNKNOWN: u32 = 100;

/// Approximate number of tokens in a window.
const TOKENS: usize = 400;

/// Maximum number of tokens in the context lines, which precede the lines to be read.
const CONTEXT: usize = 200;

/// Maximum number of tokens in a window. The rest of a very long line is not read.
const MAX_TOKENS: usize = 400;

/// A line of a document, as input for the model.
pub(crate) struct ModelLine {
    pub(crate) role: LineRole,
    /// Character who speaks the line.
    pub(crate) speaker: Option<Who>,
    /// Token ids of each word.
    pub(crate) words: Vec<Vec<u32>>,
    /// Names in the line: the range of words and the entity.
    pub(crate) names: Vec<(Range<usize>, Who)>,
    /// Singular pronouns for persons in the line: the word and its gender.
    pub(crate) pronouns: Vec<(usize, Gender)>,
    /// Words that refer to the speaker.
    pub(crate) own: Vec<usize>,
    /// Words and punctuation marks at which no statement ends.
    pub(crate) joining: Vec<usize>,
}

impl ModelLine {
    fn tokens(&self) -> usize {
        1 + self.words.iter().map(Vec::len).sum::<usize>()
    }
}

/// A mention to which a reference may refer: a name, or the speaker of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) token: usize,
    pub(crate) line: usize,
    /// Index of the name's first word; `None` for the speaker of the line.
    pub(crate) word: Option<usize>,
    pub(crate) who: Who,
    pub(crate) gender: Gender,
}

/// Consecutive lines as tokens: some lines of context, followed by the lines to be read.
#[derive(Debug, Default)]
pub(crate) struct Window {
    pub(crate) tokens: TokenText,
    /// Lines to be read.
    pub(crate) lines: Vec<WindowLine>,
    pub(crate) candidates: Vec<Candidate>,
}

/// A line to be read.
#[derive(Debug)]
pub(crate) struct WindowLine {
    /// Index of the line in the document.
    pub(crate) line: usize,
    /// Token that represents the line.
    pub(crate) mark: usize,
    /// First token of each word. Words beyond the maximum length of a window are left out.
    pub(crate) words: Vec<usize>,
    pronouns: Vec<(usize, Gender)>,
    /// Words that refer to the speaker.
    own: Vec<usize>,
    speaker: Option<Who>,
    /// Words at which no statement ends.
    joining: Vec<usize>,
}

impl WindowLine {
    /// Returns the speaker if a word refers to the speaker, such as "I" or "my".
    pub(crate) fn speaks(&self, word: usize) -> Option<Who> {
        self.speaker.filter(|_| self.own.contains(&word))
    }

    /// Returns the words of a statement without words and marks at its end such as a comma or "and".
    pub(crate) fn trimmed(&self, mut words: Range<usize>) -> Range<usize> {
        while words.len() > 1 && self.joining.contains(&(words.end - 1)) {
            words.end -= 1;
        }
        words
    }
}

impl Window {
    /// Returns whether the pronoun at a word cannot refer to a candidate, because their genders differ.
    pub(crate) fn excludes(&self, line: &WindowLine, word: usize, candidate: &Candidate) -> bool {
        let told = line.pronouns.iter().find(|(at, _)| *at == word).map(|(_, gender)| *gender);
        told.is_some_and(|told| ![Gender::Unknown, told].contains(&candidate.gender))
    }
}

/// Divides a document into windows, so that each line from `first` on is read in exactly one window. `gender` returns
/// the gender of an entity.
pub(crate) fn windows(lines: &[ModelLine], first: usize, gender: &dyn Fn(Who) -> Gender) -> Vec<Window> {
    let mut windows = Vec::new();
    let mut asked = first;
    while asked < lines.len() {
        let (mut start, mut used) = (asked, 0);
        while start > 0 && used + lines[start - 1].tokens() <= CONTEXT {
            start -= 1;
            used += lines[start].tokens();
        }
        let mut end = asked;
        while end < lines.len() && (end == asked || used + lines[end].tokens() <= TOKENS) {
            used += lines[end].tokens();
            end += 1;
        }
        windows.push(window(lines, start, asked..end, gender));
        asked = end;
    }
    windows
}

fn window(lines: &[ModelLine], start: usize, asked: Range<usize>, gender: &dyn Fn(Who) -> Gender) -> Window {
    let mut window = Window::default();
    let tokens = &mut window.tokens;
    tokens.ids.push(CLASSIFY);
    tokens.types.push(0);
    for (index, line) in lines.iter().enumerate().take(asked.end).skip(start) {
        let mark = tokens.ids.len();
        tokens.ids.push(line.role.token());
        tokens.types.push(0);
        if let Some(who) = line.speaker {
            window.candidates.push(Candidate { token: mark, line: index, word: None, who, gender: gender(who) });
        }
        let mut words = Vec::with_capacity(line.words.len());
        let mut names = line.names.iter().peekable();
        for (word, ids) in line.words.iter().enumerate() {
            if tokens.ids.len() + ids.len() >= MAX_TOKENS {
                break;
            }
            while names.next_if(|(range, _)| range.end <= word).is_some() {}
            let named = names.peek().filter(|(range, _)| range.contains(&word));
            if let Some((range, who)) = named
                && range.start == word
            {
                let (token, gender) = (tokens.ids.len(), gender(*who));
                let candidate = Candidate { token, line: index, word: Some(word), who: *who, gender };
                window.candidates.push(candidate);
            }
            words.push(tokens.ids.len());
            tokens.ids.extend(ids);
            tokens.types.extend(ids.iter().map(|_| u32::from(named.is_some())));
        }
        if asked.contains(&index) {
            window.lines.push(WindowLine {
                line: index,
                mark,
                words,
                pronouns: line.pronouns.clone(),
                own: line.own.clone(),
                speaker: line.speaker,
                joining: line.joining.clone(),
            });
        }
    }
    tokens.ids.push(SEPARATE);
    tokens.types.push(0);
    window
}
