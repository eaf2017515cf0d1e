//! The lines that a transcript contributed to a session. Their evidence names the file of the transcript.

use hearsay_model::{Evidence, Passage, PassageId, Session, SessionId, State};
use hearsay_query::session::TalkCounts;

/// Field in the evidence of the lines of a transcript.
pub(super) const TRANSCRIPT_FIELD: &str = "transcript";

/// Returns whether a passage is a line of a transcript. `name` is the name of the transcript's file.
pub(super) fn is_from_transcript(passage: &Passage, name: &str) -> bool {
    passage.evidence.iter().any(|evidence| transcript_file(evidence) == Some(name))
}

/// Returns the name of the file if the evidence is a line of a transcript.
fn transcript_file(evidence: &Evidence) -> Option<&str> {
    match evidence {
        Evidence::File { path, field, .. } if field == TRANSCRIPT_FIELD => Some(path),
        Evidence::File { .. } | Evidence::Passage { .. } | Evidence::Excerpt(_) => None,
    }
}

/// Returns whether a passage is a line that was said at the table: a line of a live log or of a transcript. The texts
/// in the files of a campaign tell its story, even if they belong to a session.
pub fn is_table_line(passage: &Passage) -> bool {
    passage.session.is_some() && passage.evidence.iter().all(|evidence| transcript_file(evidence).is_some())
}

/// Returns the recorded lines of the transcript with the given file name, from the line `first_line` on. Each item
/// contains the number of the line in the file, and the passage of the line. Sorted by line.
pub fn transcript_passages(state: &State, name: &str, first_line: u32) -> Vec<(u32, PassageId)> {
    let file_line = |evidence: &Evidence| match evidence {
        Evidence::File { line, .. } if transcript_file(evidence) == Some(name) => Some(*line),
        _ => None,
    };
    let lines = state.passages().filter_map(|(id, passage)| Some((passage.evidence.iter().find_map(file_line)?, id)));
    let mut lines: Vec<_> = lines.filter(|(line, _)| *line >= first_line).collect();
    lines.sort_unstable();
    lines
}

/// Returns the session that contains the lines of the transcript with the given file name. Returns `None` if no line of
/// the transcript is recorded.
pub fn transcript_session(state: &State, name: &str) -> Option<SessionId> {
    let mut passages = state.passages().map(|(_, passage)| passage);
    passages.find(|passage| is_from_transcript(passage, name))?.session.clone()
}

/// Returns the number of lines of each kind of talk in the transcript with the given file name.
pub fn transcript_talk(state: &State, name: &str) -> TalkCounts {
    let passages = state.passages().map(|(_, passage)| &**passage);
    TalkCounts::from_passages(passages.filter(|passage| is_from_transcript(passage, name)))
}

/// Returns the passages of a session that are lines of the transcript with the given file name.
pub(super) fn transcript_lines_in(state: &State, session: &Session, name: &str) -> Vec<PassageId> {
    let passages = state.passages_in_session(Some(&session.id));
    passages.filter(|(_, passage)| is_from_transcript(passage, name)).map(|(id, _)| id).collect()
}
