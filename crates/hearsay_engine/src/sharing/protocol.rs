//! The messages between the owner of a campaign and attached programs, encoded with postcard in frames.

use std::{
    io::{self, Read, Write},
    sync::Arc,
};

use hearsay_model::{Operation, PassageId, Position, TransientUpdate};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Version of the protocol. Increment the version with every change of the messages, including changes of the model
/// types in the messages.
pub(super) const VERSION: u32 = 4;

/// Maximum size of a frame in bytes (4 GiB). Before a client has sent the token, [`MAX_HELLO_BYTES`] applies.
const MAX_FRAME_BYTES: u64 = 4 << 30;

/// Maximum size of the first frame of a client, in bytes.
pub(super) const MAX_HELLO_BYTES: u64 = 1 << 10;

/// Changes of a write that was committed or is to be committed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PreparedWrite {
    /// The operation; `None` if the write has only transient values.
    pub(crate) operation: Option<Arc<Operation>>,
    /// New transient values.
    pub(crate) transients: TransientUpdate,
}

impl PreparedWrite {
    pub(crate) fn is_empty(&self) -> bool {
        self.operation.is_none() && self.transients.is_empty()
    }
}

/// Reason why the owner refused a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Refusal {
    /// Another write already has the position. The client computes its operation again.
    Conflict,
    /// The write cannot be committed.
    Rejected(String),
}

/// A message of a client to the owner.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToOwner {
    /// First message of a client.
    Hello {
        version: u32,
        /// Version of the crate, because the encoding of the model types may differ between versions.
        release: String,
        token: String,
        /// File name of the client's program, for the status of the owner.
        program: String,
    },
    /// Asks the owner to commit a write. The operation of the write must get the position `first`. The client sends its
    /// next write only after the answer.
    Append { first: Position, write: PreparedWrite },
    /// Last message of a client that closes: the passages that it added and from which it did not extract facts.
    Goodbye { unread: Vec<PassageId> },
}

/// A message of the owner to a client.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToClient {
    /// Answer to [`ToOwner::Hello`] if the client runs another version of Hearsay.
    OtherVersion { release: String },
    /// The current state: the bytes of [`hearsay_store::encode_state`], and the transient values.
    State { snapshot: Vec<u8>, transients: TransientUpdate },
    /// Another program committed a write.
    Committed(PreparedWrite),
    /// Answer to [`ToOwner::Append`].
    Appended(Result<(), Refusal>),
    /// Shows that the owner is alive.
    Ping,
}

/// Writes a frame: the length of the message as 8 bytes (little endian), and the message.
pub(super) fn write_frame(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(&bytes)?;
    to.flush()
}

/// Reads a frame of at most `max_bytes` bytes.
pub(super) fn read_frame<T: DeserializeOwned>(from: &mut impl Read, max_bytes: u64) -> io::Result<T> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > max_bytes {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {length} bytes is too large")));
    }
    // Grows with the received bytes, so a wrong length does not reserve memory.
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Reads a frame of a client or an owner that has proved that it may send large messages.
pub(super) fn read_large_frame<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    read_frame(from, MAX_FRAME_BYTES)
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Entity, EntityId};

    use super::*;

    #[test]
    fn a_frame_is_read_as_written_or_not_at_all() {
        let change = Change::AddEntity(Entity::new(EntityId::new("pell").unwrap()));
        let operation = Some(Arc::new(Operation::new(Author::Dm, "add", vec![change])));
        let write = PreparedWrite { operation, transients: TransientUpdate::default() };
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &ToClient::Committed(write.clone())).unwrap();
        let read = read_large_frame(&mut bytes.as_slice()).unwrap();
        assert!(matches!(read, ToClient::Committed(read) if read == write));
        for end in 0..bytes.len() {
            assert!(read_large_frame::<ToClient>(&mut &bytes[..end]).is_err(), "cut at {end}");
        }
        assert!(read_frame::<ToClient>(&mut bytes.as_slice(), 4).is_err(), "longer than allowed");
        let too_long = u64::MAX.to_le_bytes();
        assert!(read_large_frame::<ToClient>(&mut too_long.as_slice()).is_err());
    }
}
