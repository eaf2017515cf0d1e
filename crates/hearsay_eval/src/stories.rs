//! Stories in ToMi's format: sentences with a small grammar, then a question with its answer.
//!
//! Every line begins with a number. The numbers restart with each story. A line with tabs contains a question and its
//! answer. Files are plain text or gzip.

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
        /// The file.
        file: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The gzip file cannot be unpacked.
    #[error("{}: the gzip file cannot be unpacked ({source}); download it again", file.display())]
    Gzip {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file is not text.
    #[error("{}: the file is not UTF-8 text", file.display())]
    NoText {
        /// The file.
        file: PathBuf,
    },
    /// A line has the wrong format.
    #[error("{}:{line}: {problem}", file.display())]
    Line {
        /// The file.
        file: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The problem, and the expected input.
        problem: String,
    },
    /// The file is empty.
    #[error("{}: no story with a question in it; expected numbered lines, questions with a tab before the answer", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
}

/// The content of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sentence {
    /// A character enters a room.
    Enters {
        /// The character.
        who: EntityId,
        /// The room.
        room: EntityId,
    },
    /// A character leaves a room.
    Leaves {
        /// The character.
        who: EntityId,
        /// The room.
        room: EntityId,
    },
    /// A thing is in a container, or a container is in a room.
    Lies {
        /// The thing.
        thing: EntityId,
        /// The place.
        place: EntityId,
    },
    /// A character moves a thing into a container.
    Moves {
        /// The character.
        who: EntityId,
        /// The thing.
        thing: EntityId,
        /// The container.
        place: EntityId,
    },
    /// A character likes or dislikes something.
    Likes {
        /// The character.
        who: EntityId,
        /// The sentence.
        text: String,
    },
}

/// The kind of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The question asks for the location of the thing at the beginning.
    Memory,
    /// The question asks for the present location of the thing.
    Reality,
    /// The question asks where a character believes the thing to be.
    FirstOrder(EntityId),
    /// The question asks where the first character thinks that the second character believes the thing to be.
    SecondOrder(EntityId, EntityId),
}

/// A question with the answer of the data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The line number in the file, counted from 1.
    pub line: usize,
    /// The text of the question.
    pub text: String,
    /// The thing that the question is about.
    pub thing: EntityId,
    /// The kind of question.
    pub asked: Asked,
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
    pub questions: Vec<Question>,
}

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// Maximum number of unpacked bytes.
const MOST: u64 = 256 << 20;

/// Reads the stories of a file. Consecutive stories with the same sentences become one.
///
/// # Errors
/// If the file cannot be read, or one of its lines has an unknown form.
pub fn read(file: &Path) -> Result<Vec<Story>, StoryError> {
    let owned = || file.to_owned();
    let mut bytes = std::fs::read(file).map_err(|source| StoryError::File { file: owned(), source })?;
    if bytes.starts_with(&GZIP) {
        let (packed, mut unpacked) = (std::mem::take(&mut bytes), Vec::new());
        let read = MultiGzDecoder::new(&packed[..]).take(MOST).read_to_end(&mut unpacked);
        read.map_err(|source| StoryError::Gzip { file: owned(), source })?;
        bytes = unpacked;
    }
    let text = String::from_utf8(bytes).map_err(|_| StoryError::NoText { file: owned() })?;
    let stories = parse(&text).map_err(|(line, problem)| StoryError::Line { file: owned(), line, problem })?;
    if stories.is_empty() { Err(StoryError::Empty { file: owned() }) } else { Ok(stories) }
}

/// Parses stories. Returns the line and the description of an error.
pub(crate) fn parse(text: &str) -> Result<Vec<Story>, (usize, String)> {
    let (mut stories, mut story): (Vec<Story>, Story) = (Vec::new(), Story::default());
    for (line, words) in (1..).zip(text.lines()) {
        if words.trim().is_empty() {
            continue;
        }
        let at = |problem: String| (line, problem);
        let (number, words) = words
            .split_once(' ')
            .and_then(|(number, rest)| Some((number.parse::<u32>().ok()?, rest.trim())))
            .ok_or_else(|| at(format!("expected a number and a sentence, found `{words}`")))?;
        if number == 1 {
            story = Story::default();
        }
        let Some((text, answer)) = words.split_once('\t') else {
            story.sentences.push((line, sentence(words).map_err(at)?));
            story.text.push(words.to_owned());
            continue;
        };
        let answer = id(answer.split('\t').next().unwrap_or_default()).map_err(at)?;
        let (thing, asked) = question(text).map_err(at)?;
        let question = Question { line, text: text.to_owned(), thing, asked, answer };
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
        [who, "entered", "the", room] => Sentence::Enters { who: id(who)?, room: id(room)? },
        [who, "exited" | "left", "the", room] => Sentence::Leaves { who: id(who)?, room: id(room)? },
        ["The", thing, "is" | "are", "in", "the", place] => Sentence::Lies { thing: id(thing)?, place: id(place)? },
        [who, "moved", "the", thing, "to", "the", place] => {
            Sentence::Moves { who: id(who)?, thing: id(thing)?, place: id(place)? }
        }
        [who, "likes" | "loves" | "hates" | "dislikes", "the", _] => {
            Sentence::Likes { who: id(who)?, text: text.to_owned() }
        }
        _ => {
            return Err(format!(
                "`{text}` is not a sentence of a story; expected somebody who entered, exited or likes the …, or moved the … to \
                 the …, or: The … is in the …"
            ));
        }
    })
}

fn question(text: &str) -> Result<(EntityId, Asked), String> {
    let words: Vec<&str> = text.trim_end_matches('?').split_whitespace().collect();
    Ok(match words[..] {
        ["Where", "was", "the", thing, "at", "the", "beginning"] => (id(thing)?, Asked::Memory),
        ["Where", "is", "the", thing, "really"] => (id(thing)?, Asked::Reality),
        ["Where", "will", who, "look", "for", "the", thing] => (id(thing)?, Asked::FirstOrder(id(who)?)),
        ["Where", "does", who, "think", "that", other, "searches", "for", "the", thing] => {
            (id(thing)?, Asked::SecondOrder(id(who)?, id(other)?))
        }
        _ => {
            return Err(format!(
                "`{text}` is not a known question; expected: Where was the … at the beginning? Where is the … really? \
                 Where will … look for the …? Where does … think that … searches for the …?"
            ));
        }
    })
}
