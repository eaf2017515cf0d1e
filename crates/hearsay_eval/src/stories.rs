//! Reads stories in ToMi's format. A story consists of sentences with a small grammar, and of questions with their
//! answers.
//!
//! Every line begins with its number within the story. A line with tabs contains a question and its answer. Files are
//! plain text or gzip.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use flate2::read::MultiGzDecoder;
use hearsay_model::EntityId;
use thiserror::Error;

/// Error in a file of stories.
#[derive(Debug, Error)]
pub enum StoryError {
    /// The file cannot be read.
    #[error("{}: {source}", file.display())]
    File {
        /// Path of the file.
        file: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The gzip file cannot be unpacked.
    #[error("{file}: the gzip file cannot be unpacked ({source}); download the file again", file = file.display())]
    Gzip {
        /// Path of the file.
        file: PathBuf,
        /// Reason why the file cannot be unpacked.
        source: std::io::Error,
    },
    /// The file is not UTF-8 text.
    #[error("{file}: the file is not UTF-8 text; convert the file to UTF-8", file = file.display())]
    NotText {
        /// The file.
        file: PathBuf,
    },
    /// A line has the wrong format, or describes an impossible event.
    #[error("{}:{line}: {problem}", file.display())]
    Line {
        /// Path of the file.
        file: PathBuf,
        /// Line number, counted from 1.
        line: usize,
        /// Description of the problem and of the expected input.
        problem: String,
    },
    /// The file contains no question.
    #[error(
        "{file}: the file contains no question; expected numbered lines, of which some have a question, a tab and the answer",
        file = file.display()
    )]
    Empty {
        /// The file.
        file: PathBuf,
    },
}

/// A sentence of a story, which describes one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sentence {
    /// A character enters a room.
    Enters {
        /// The character.
        character: EntityId,
        /// The room.
        room: EntityId,
    },
    /// A character leaves a room.
    Leaves {
        /// The character.
        character: EntityId,
        /// The room.
        room: EntityId,
    },
    /// A thing is in a container, or a container is in a room.
    IsIn {
        /// The thing or container that is in the other place.
        thing: EntityId,
        /// The container or room in which the thing is.
        place: EntityId,
    },
    /// A character moves a thing into a container.
    Moves {
        /// The character.
        character: EntityId,
        /// The thing that is moved.
        thing: EntityId,
        /// The container into which the character moves the thing.
        place: EntityId,
    },
    /// A character likes or dislikes something.
    Likes {
        /// The character.
        character: EntityId,
        /// The text of the sentence.
        text: String,
    },
}

/// The kind of a question, with the characters whose beliefs the question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionKind {
    /// The question asks where the thing was at the beginning of the story.
    Memory,
    /// The question asks where the thing is at the end of the story.
    Reality,
    /// The question asks where this character believes the thing to be.
    FirstOrder(EntityId),
    /// The question asks where the first character thinks that the second character believes the thing to be.
    SecondOrder(EntityId, EntityId),
}

/// A question, with the answer that the data set gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryQuestion {
    /// The line number in the file, counted from 1.
    pub line: usize,
    /// The text of the question.
    pub text: String,
    /// The thing that the question is about.
    pub thing: EntityId,
    /// The kind of question.
    pub kind: QuestionKind,
    /// The answer of the data set: the container of the thing.
    pub answer: EntityId,
}

/// A story with the questions about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Story {
    /// The sentences, each with its line number in the file, counted from 1.
    pub sentences: Vec<(usize, Sentence)>,
    /// The text of the sentences.
    pub text: Vec<String>,
    /// The questions.
    pub questions: Vec<StoryQuestion>,
}

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// Maximum size of an unpacked gzip file, in bytes.
const MAX_UNPACKED_BYTES: u64 = 256 << 20;

/// Reads the stories of a file. Joins consecutive stories with the same sentences into one story with several
/// questions.
///
/// # Errors
/// Returns an error if the file cannot be read, if the file contains no question, or if a line has an unknown format.
pub fn read(file: &Path) -> Result<Vec<Story>, StoryError> {
    let path = || file.to_owned();
    let mut bytes = std::fs::read(file).map_err(|source| StoryError::File { file: path(), source })?;
    if bytes.starts_with(&GZIP) {
        let (packed, mut unpacked) = (std::mem::take(&mut bytes), Vec::new());
        let read = MultiGzDecoder::new(&packed[..]).take(MAX_UNPACKED_BYTES).read_to_end(&mut unpacked);
        read.map_err(|source| StoryError::Gzip { file: path(), source })?;
        bytes = unpacked;
    }
    let text = String::from_utf8(bytes).map_err(|_| StoryError::NotText { file: path() })?;
    let stories = parse(&text).map_err(|(line, problem)| StoryError::Line { file: path(), line, problem })?;
    if stories.is_empty() { Err(StoryError::Empty { file: path() }) } else { Ok(stories) }
}

/// Parses stories. An error is the line number, counted from 1, and a description of the problem.
pub(crate) fn parse(text: &str) -> Result<Vec<Story>, (usize, String)> {
    let (mut stories, mut story): (Vec<Story>, Story) = (Vec::new(), Story::default());
    for (line, words) in (1..).zip(text.lines()) {
        if words.trim().is_empty() {
            continue;
        }
        let with_line = |problem: String| (line, problem);
        let (number, words) = words
            .split_once(' ')
            .and_then(|(number, rest)| Some((number.parse::<u32>().ok()?, rest.trim())))
            .ok_or_else(|| with_line(format!("expected a number and a sentence, found `{words}`")))?;
        if number == 1 {
            story = Story::default();
        }
        let Some((text, answer)) = words.split_once('\t') else {
            story.sentences.push((line, sentence(words).map_err(with_line)?));
            story.text.push(words.to_owned());
            continue;
        };
        let answer = id(answer.split('\t').next().unwrap_or_default()).map_err(with_line)?;
        let (thing, kind) = question(text).map_err(with_line)?;
        let question = StoryQuestion { line, text: text.to_owned(), thing, kind, answer };
        match stories.last_mut().filter(|last| last.text == story.text) {
            Some(last) => last.questions.push(question),
            None => stories.push(Story { questions: vec![question], ..story.clone() }),
        }
    }
    Ok(stories)
}

fn id(name: &str) -> Result<EntityId, String> {
    EntityId::from_name(name).map_err(|error| format!("`{name}` is not a valid name: {error}"))
}

fn sentence(text: &str) -> Result<Sentence, String> {
    let words: Vec<&str> = text.trim_end_matches('.').split_whitespace().collect();
    Ok(match words[..] {
        [character, "entered", "the", room] => Sentence::Enters { character: id(character)?, room: id(room)? },
        [character, "exited" | "left", "the", room] => Sentence::Leaves { character: id(character)?, room: id(room)? },
        ["The", thing, "is" | "are", "in", "the", place] => Sentence::IsIn { thing: id(thing)?, place: id(place)? },
        [character, "moved", "the", thing, "to", "the", place] => {
            Sentence::Moves { character: id(character)?, thing: id(thing)?, place: id(place)? }
        }
        [character, "likes" | "loves" | "hates" | "dislikes", "the", _] => {
            Sentence::Likes { character: id(character)?, text: text.to_owned() }
        }
        _ => {
            return Err(format!(
                "`{text}` is not a sentence of a story; expected one of: NAME entered the ROOM; NAME exited the ROOM; \
                 The THING is in the PLACE; NAME moved the THING to the PLACE; NAME likes the THING"
            ));
        }
    })
}

fn question(text: &str) -> Result<(EntityId, QuestionKind), String> {
    let words: Vec<&str> = text.trim_end_matches('?').split_whitespace().collect();
    Ok(match words[..] {
        ["Where", "was", "the", thing, "at", "the", "beginning"] => (id(thing)?, QuestionKind::Memory),
        ["Where", "is", "the", thing, "really"] => (id(thing)?, QuestionKind::Reality),
        ["Where", "will", character, "look", "for", "the", thing] => {
            (id(thing)?, QuestionKind::FirstOrder(id(character)?))
        }
        ["Where", "does", character, "think", "that", other, "searches", "for", "the", thing] => {
            (id(thing)?, QuestionKind::SecondOrder(id(character)?, id(other)?))
        }
        _ => {
            return Err(format!(
                "`{text}` is not a known question; expected one of: Where was the THING at the beginning? Where is the \
                 THING really? Where will NAME look for the THING? Where does NAME think that NAME searches for the THING?"
            ));
        }
    })
}
