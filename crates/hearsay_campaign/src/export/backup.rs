//! Backup of a whole journal in one file. After a restore, the history, undo and slots are the same as before.
//!
//! The first line is `{"type":"hearsay-backup","format":3}`. If the journal is compacted, this line also has
//! `"compacted_to"`, the undo horizon: operations up to this position can no longer be undone. The operations follow in
//! the order of the journal, one per line. A line for an operation up to `compacted_to` also contains the position of
//! this operation. If the state has transient values (current values without a history), one more operation records
//! them. The last line contains the number of operations and a hash of all lines before it. With this line,
//! [`read_backup`] detects a truncated file.

use std::io::{self, BufRead, Write};

use hearsay_model::{ApplyError, Author, Operation, Position, SharedIds, State};
use serde::{Deserialize, Serialize};

use crate::{CampaignError, CampaignErrors, line_reader};

const FORMAT: u32 = 3;

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
enum Line {
    HearsayBackup {
        format: u32,
        #[serde(default, skip_serializing_if = "is_zero")]
        compacted_to: Position,
    },
    Operation {
        #[serde(default, skip_serializing_if = "is_zero")]
        position: Position,
        operation: Operation,
    },
    End {
        operations: usize,
        hash: String,
    },
}

fn is_zero(position: &Position) -> bool {
    *position == Position(0)
}

/// The content of a backup: the operations of a journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Backup {
    /// The undo horizon: operations up to this position can no longer be undone.
    pub compacted_to: Position,
    /// The operations up to `compacted_to` that compaction kept, sorted by position.
    pub compacted: Vec<(Position, Operation)>,
    /// All operations after `compacted_to`.
    pub operations: Vec<Operation>,
}

impl Backup {
    /// Applies all operations to an empty state, and returns the result.
    ///
    /// # Errors
    /// Returns an error if an operation cannot be applied. The error contains the position of the operation and the
    /// reason.
    pub fn fold(self) -> Result<State, (Position, ApplyError)> {
        let mut state = State::default();
        for (position, operation) in self.compacted {
            state.apply_compacted(position, operation);
        }
        state.advance_compaction(self.compacted_to);
        for operation in self.operations {
            let position = state.position().next();
            state.apply(operation).map_err(|error| (position, error))?;
        }
        Ok(state)
    }

    /// Returns the number of operations in the backup.
    pub fn len(&self) -> usize {
        self.compacted.len() + self.operations.len()
    }

    /// Returns whether the backup contains no operation.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Writes a backup of the journal of a state.
///
/// # Errors
/// Returns an error if `writer` cannot be written to.
pub fn export_backup(state: &State, mut writer: impl Write) -> io::Result<()> {
    let mut hasher = blake3::Hasher::new();
    let mut line = |line: &Line, hasher: &mut blake3::Hasher| -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        hasher.update(&bytes);
        writer.write_all(&bytes)
    };
    let compacted_to = state.compacted_to();
    line(&Line::HearsayBackup { format: FORMAT, compacted_to }, &mut hasher)?;
    let mut operations = 0;
    let journal = state.journal().map(|(at, entry)| (at, entry.operation.as_ref().clone()));
    for (at, operation) in
        journal.chain(transient_values_operation(state).map(|operation| (state.position().next(), operation)))
    {
        operations += 1;
        let position = if at <= compacted_to { at } else { Position(0) };
        line(&Line::Operation { position, operation }, &mut hasher)?;
    }
    let hash = hasher.finalize().to_hex().to_string();
    line(&Line::End { operations, hash }, &mut hasher)?;
    writer.flush()
}

/// Returns the operation that records the transient values, which are not in the journal.
fn transient_values_operation(state: &State) -> Option<Operation> {
    let recorded = state.journal().next_back().map(|(_, entry)| entry.operation.recorded).unwrap_or_default();
    let operation = Operation::new(Author::Game, "save the state of the campaign", state.all_transients());
    (!operation.changes.is_empty()).then_some(Operation { recorded, ..operation })
}

/// Turns lines of operations into a backup by adding the first and the last line. Does not check the operations.
#[cfg(feature = "import")]
pub(crate) fn wrap_in_backup(operations: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{{\"type\":\"hearsay-backup\",\"format\":{FORMAT}}}\n").into_bytes();
    bytes.extend_from_slice(operations);
    if bytes.last() != Some(&b'\n') {
        bytes.push(b'\n');
    }
    let count = bytes.iter().filter(|byte| **byte == b'\n').count() - 1;
    let hash = blake3::hash(&bytes).to_hex();
    bytes.extend_from_slice(format!("{{\"type\":\"end\",\"operations\":{count},\"hash\":\"{hash}\"}}\n").as_bytes());
    bytes
}

/// Reads a backup that [`export_backup`] wrote.
///
/// # Errors
/// Returns an error if the input is not a backup, or is incomplete. The error contains the line number; its `file` is
/// empty.
pub fn read_backup(reader: impl BufRead) -> Result<Backup, CampaignErrors> {
    let mut hasher = blake3::Hasher::new();
    let mut backup = Backup::default();
    let mut ids = SharedIds::default();
    let mut last_position = Position(0);
    let mut number = 0;
    let error_at = |line: u32, message: String| {
        let hint = "use another copy of the backup".to_owned();
        let error = CampaignError { file: String::new(), line, field: String::new(), message, hint };
        CampaignErrors { errors: vec![error], omitted_errors: 0 }
    };
    for text in line_reader::bounded_lines(reader) {
        number += 1;
        let text = text.map_err(|error| error_at(number, format!("cannot be read: {error}")))?;
        let line = ids.share(|| serde_json::from_str(&text)).map_err(|error| error_at(number, error.to_string()))?;
        match (number, line) {
            (1, Line::HearsayBackup { format: FORMAT, compacted_to }) => backup.compacted_to = compacted_to,
            (1, Line::HearsayBackup { format, .. }) => {
                return Err(error_at(1, format!("unknown format {format}: use a newer version of this program")));
            }
            (1, _) | (_, Line::HearsayBackup { .. }) => {
                return Err(error_at(number, "this file is not a backup of Hearsay".to_owned()));
            }
            (_, Line::Operation { position: Position(0), operation }) => backup.operations.push(operation),
            (_, Line::Operation { position, operation }) => {
                if position <= last_position || position > backup.compacted_to || !backup.operations.is_empty() {
                    let limit = backup.compacted_to;
                    let message = format!(
                        "unexpected position {position}: expected a position after {last_position} and up to {limit}"
                    );
                    return Err(error_at(number, message));
                }
                last_position = position;
                backup.compacted.push((position, operation));
            }
            (_, Line::End { operations, hash }) => {
                let is_complete = operations == backup.len() && hash == hasher.finalize().to_hex().as_str();
                let damaged = || error_at(number, "the backup was changed, or parts of it are missing".to_owned());
                return if is_complete { Ok(backup) } else { Err(damaged()) };
            }
        }
        hasher.update(text.as_bytes());
        hasher.update(b"\n");
    }
    Err(error_at(number, "the backup is truncated".to_owned()))
}
