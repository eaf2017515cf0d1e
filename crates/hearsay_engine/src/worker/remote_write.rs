//! Writes of programs that are attached to this worker.

use hearsay_model::Position;
use hearsay_store::StoreError;

use super::outcome::Outcome;
use crate::{
    MemoryError,
    sharing::{Client, ClientId, PreparedWrite, Refusal},
};

/// A write of an attached program.
pub(crate) struct RemoteWrite {
    client: Client,
    /// Position that the operation is to get.
    first: Position,
    write: PreparedWrite,
}

impl RemoteWrite {
    pub(super) fn new(client: Client, first: Position, write: PreparedWrite) -> Self {
        Self { client, first, write }
    }

    pub(super) fn client_id(&self) -> ClientId {
        self.client.id
    }

    /// Returns the changes of the write.
    ///
    /// # Errors
    /// Returns an error if another operation already has the position.
    pub(super) fn prepare(&self, next: Position) -> Result<PreparedWrite, MemoryError> {
        if next != self.first {
            return Err(StoreError::OutOfOrder { expected: next, given: self.first }.into());
        }
        Ok(self.write.clone())
    }

    /// Answers the program.
    pub(super) fn finish(self, outcome: Result<Option<Outcome>, MemoryError>) {
        self.client.answer(match outcome {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(Refusal::Rejected("it has no changes".into())),
            Err(MemoryError::Store(StoreError::OutOfOrder { .. })) => Err(Refusal::Conflict),
            Err(error) => Err(Refusal::Rejected(error.to_string())),
        });
    }
}
