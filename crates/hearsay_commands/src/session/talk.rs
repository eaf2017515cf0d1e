//! Corrections of the talk kind of lines.

use std::sync::Arc;

use hearsay_model::{Author, Change, Operation, Passage, SessionId, State, TalkKind, Timestamp};
use hearsay_query::session::session_or_latest;

use super::{extracted_facts::facts_only_in, line_correction::recorded_line};
use crate::CommandError;

/// The DM's correction of the kind of talk of a line of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TalkCorrection {
    /// Session of the line. `None` means the session being played, or the latest session if no session is being played.
    pub session: Option<SessionId>,
    /// Number of the line in the session.
    pub line: u32,
    /// Correct kind of talk.
    pub kind: TalkKind,
}

impl TalkCorrection {
    /// Returns the operation that sets the kind of talk of the line. If the line becomes out of character, the facts
    /// that were extracted only from this line are removed, unless the DM confirmed them. If the line was out of
    /// character or withheld before, the extraction reads the line again.
    ///
    /// # Errors
    /// Returns an error if the session or the line does not exist, or if the line already has this kind of talk.
    pub fn operation(&self, state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        let session = session_or_latest(state, self.session.as_ref())?;
        let (id, passage) = recorded_line(state, Some(&session.id), Some(self.line))?;
        if passage.talk_kind == Some(self.kind) {
            return Err(CommandError::SameTalkKind { line: self.line, kind: self.kind });
        }
        let mut changes = Vec::new();
        if self.kind == TalkKind::OutOfCharacter {
            changes.push(Change::SetTalkKind { passage: id, kind: self.kind });
            changes.extend(facts_only_in(state, id).map(|fact| Change::RetractFact(fact.id())));
        } else {
            // The extraction reads a line that is added again.
            let passage = Passage { talk_kind: Some(self.kind), ..Passage::clone(passage) };
            changes.push(Change::AddPassage(Arc::new(passage)));
        }
        let summary = format!("{}: line {} is {}", session.id, self.line, self.kind);
        Ok(Operation { recorded: now, ..Operation::new(Author::Dm, summary, changes) })
    }
}
