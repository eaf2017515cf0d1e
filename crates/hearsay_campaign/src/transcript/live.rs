//! A transcript that another program is still writing.

use super::{
    read::{Transcript, TranscriptError},
    utterance::{TranscriptFormat, Utterance},
};

/// A transcript that another program is still writing, such as a speech recognition program.
///
/// The last utterance can still continue. The utterance counts as finished when the next utterance begins, or when the
/// [`TranscriptWriter`] pauses. If a finished utterance continues later, its continuation is a new utterance.
#[derive(Debug)]
pub struct LiveTranscript {
    /// File name, for messages and to detect the format.
    file: String,
    /// Bytes that were written so far.
    bytes: Vec<u8>,
    /// Number of the last line that is recorded or was returned.
    last_line: u32,
    /// The last utterance that was returned.
    last: Option<Returned>,
    /// Numbers and texts of the lines that were recorded earlier; empty once `last` is known.
    recorded: Vec<(u32, String)>,
}

/// State of the program that writes a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptWriter {
    /// The program is writing, so the last utterance may continue.
    Writing,
    /// The program has paused for some time, so the last utterance is finished. An incomplete last line is still
    /// unfinished.
    Paused,
    /// The program has ended, so all utterances are finished.
    Ended,
}

/// An utterance that was returned as finished.
#[derive(Debug, Clone, Copy)]
struct Returned {
    /// Position of the utterance in the transcript.
    index: usize,
    /// Length of the text that was returned, in bytes.
    length: usize,
}

/// The finished utterances of a transcript that another program is still writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveUpdate {
    /// The transcript so far, without the unfinished utterance at its end.
    pub transcript: Transcript,
    /// Number of the line with which the new utterances begin.
    pub first_line: u32,
}

impl LiveTranscript {
    /// Creates an empty transcript. `file` is the file name for messages and for the detection of the format.
    /// `recorded` contains the number and the text of each line that an earlier
    /// [`new_utterances`](Self::new_utterances) returned, in order. The transcript does not return these lines again.
    pub fn new(file: impl Into<String>, recorded: Vec<(u32, String)>) -> Self {
        let last_line = recorded.last().map_or(0, |(line, _)| *line);
        Self { file: file.into(), bytes: Vec::new(), last_line, last: None, recorded }
    }

    /// Adds bytes that the other program wrote.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the transcript with the utterances that were finished after the last call. Returns `None` if no further
    /// utterance is finished.
    ///
    /// # Errors
    /// Returns an error if the text is not a transcript, because it is binary or in UTF-16.
    pub fn new_utterances(&mut self, writer: TranscriptWriter) -> Result<Option<LiveUpdate>, TranscriptError> {
        let length = if writer == TranscriptWriter::Ended { self.bytes.len() } else { self.whole_lines() };
        let Some(mut transcript) = self.read(length)? else { return Ok(None) };
        let is_writing = writer == TranscriptWriter::Writing;
        if is_writing && matches!(transcript.format, TranscriptFormat::Vtt | TranscriptFormat::Srt) {
            let Some(whole_cues) = self.read(self.whole_cues())? else { return Ok(None) };
            transcript = whole_cues;
        }
        let utterances = &mut transcript.utterances;
        self.find_recorded(utterances);
        if let Some(unfinished) = utterances.last().map(|last| last.line).filter(|_| is_writing) {
            // A cue of a caption file may contain several utterances.
            utterances.retain(|utterance| utterance.line < unfinished);
        }
        let first_line = self.last_line + 1;
        let returned = utterances.last().map(|last| Returned { index: utterances.len() - 1, length: last.text.len() });
        if let Some((index, continuation)) = self.continuation(utterances) {
            utterances.insert(index, continuation);
        }
        let Some(last) = utterances.last().filter(|last| last.line >= first_line) else { return Ok(None) };
        (self.last_line, self.last) = (last.line, returned);
        Ok(Some(LiveUpdate { transcript, first_line }))
    }

    /// Finds the utterance of the last recorded line. The utterance may have continued since then.
    fn find_recorded(&mut self, utterances: &[Utterance]) {
        if self.recorded.is_empty() {
            return;
        }
        let Some(index) = utterances.iter().rposition(|utterance| utterance.line <= self.last_line) else { return };
        let utterance = &utterances[index];
        // The text of an unidentified speaker is recorded with the name.
        let name = utterance.speaker.as_ref().map_or(String::new(), |speaker| format!("{speaker}: "));
        let without_name = |text: &str| text.strip_prefix(name.as_str()).unwrap_or(text).to_owned();
        // A cue may contain several utterances with the same number.
        let earlier = utterances[..index].iter().filter(|earlier| earlier.line == utterance.line).count();
        let of_utterance = self.recorded.iter().filter(|(line, _)| *line >= utterance.line).skip(earlier);
        let texts: Vec<&str> = of_utterance.map(|(_, text)| text.as_str()).collect();
        let spoken: Vec<String> = texts.iter().map(|text| without_name(text)).collect();
        let recorded = [texts.join(" "), spoken.join(" ")];
        let recorded = recorded.iter().find(|recorded| utterance.text.starts_with(recorded.as_str()));
        let is_complete = utterances.len() > index + 1;
        if recorded.is_none() && !is_complete {
            // The file is not read up to the recorded line yet.
            return;
        }
        // If the file was changed, the whole utterance counts as recorded.
        let length = recorded.map_or(utterance.text.len(), String::len);
        self.last = Some(Returned { index, length });
        self.recorded.clear();
    }

    /// Reads the first `length` bytes. Returns `None` if these bytes contain no utterance.
    fn read(&self, length: usize) -> Result<Option<Transcript>, TranscriptError> {
        match Transcript::read(&self.file, &self.bytes[..length]) {
            Err(TranscriptError::Empty { .. }) => Ok(None),
            transcript => transcript.map(Some),
        }
    }

    /// Returns the length of the text up to the end of the last complete line, in bytes.
    fn whole_lines(&self) -> usize {
        self.bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1)
    }

    /// Returns the length of the text up to the last empty line, which ends a cue, in bytes.
    fn whole_cues(&self) -> usize {
        let (mut end, mut cue_end) = (0, 0);
        for line in self.bytes[..self.whole_lines()].split_inclusive(|byte| *byte == b'\n') {
            end += line.len();
            if line.trim_ascii().is_empty() {
                cue_end = end;
            }
        }
        cue_end
    }

    /// If the utterance that was returned last has become longer, returns its continuation and the position of the
    /// continuation in the list. The continuation gets the number of the next line. This number is free, because the
    /// continuation has a line of its own in the file.
    fn continuation(&self, utterances: &[Utterance]) -> Option<(usize, Utterance)> {
        let last = self.last?;
        let utterance = utterances.get(last.index)?;
        let text = utterance.text.get(last.length..)?.trim().to_owned();
        let is_continued = !text.is_empty();
        is_continued.then(|| (last.index + 1, Utterance { line: self.last_line + 1, text, ..utterance.clone() }))
    }
}
