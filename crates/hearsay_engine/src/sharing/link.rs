//! The side of an attached program: the connection to the owner of the campaign.

use std::{
    io::{self, BufReader, ErrorKind},
    net::{Shutdown, TcpStream},
    path::Path,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use hearsay_model::{PassageId, Position, State};

use super::{
    HELLO_TIMEOUT, SILENCE_LIMIT, address,
    protocol::{PreparedWrite, Refusal, ToClient, ToOwner, VERSION, read_large_frame, write_frame},
};

/// Maximum time for which a closing program waits for the owner to close the connection.
const GOODBYE_TIMEOUT: Duration = Duration::from_secs(1);

/// A message of the owner to the worker of an attached program.
#[derive(Debug)]
pub(crate) enum LinkMessage {
    /// Another program committed a write.
    Committed(PreparedWrite),
    /// Answer to [`Link::append`].
    Appended(Result<(), Refusal>),
    /// The connection was lost, for the given reason.
    Lost(String),
}

/// Reason why a program cannot attach to the owner of a campaign.
#[derive(Debug)]
pub(crate) enum AttachError {
    /// The owner cannot be reached, for example because it is opening or closing the campaign. A later attempt may
    /// succeed.
    Unreachable(String),
    /// The owner runs the given other version of Hearsay.
    OtherVersion(String),
}

impl From<io::Error> for AttachError {
    fn from(error: io::Error) -> Self {
        Self::Unreachable(error.to_string())
    }
}

/// The connection of an attached program to the owner.
#[derive(Debug)]
pub(crate) struct Link {
    stream: TcpStream,
    /// Messages of the owner, until [`Link::listen`] is called.
    messages: Option<BufReader<TcpStream>>,
    listener: Option<JoinHandle<()>>,
}

/// Attaches to the owner of a directory, which has the process id `owner_pid`. Returns the connection and the current
/// state.
pub(crate) fn attach(directory: &Path, owner_pid: u32) -> Result<(Link, State), AttachError> {
    // An owner that was killed leaves its file behind.
    let address = address::read(directory).filter(|address| address.pid == owner_pid);
    let address = address.ok_or_else(|| AttachError::Unreachable("it accepts no connections".into()))?;
    let stream = TcpStream::connect_timeout(&address.address, HELLO_TIMEOUT)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(SILENCE_LIMIT))?;
    stream.set_write_timeout(Some(SILENCE_LIMIT))?;
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let hello = ToOwner::Hello {
        version: VERSION,
        release: env!("CARGO_PKG_VERSION").into(),
        token: address.token,
        program: program.unwrap_or_else(|| "unknown".into()).chars().take(100).collect(),
    };
    write_frame(&mut &stream, &hello)?;
    let mut messages = BufReader::new(stream.try_clone()?);
    let state = loop {
        match read_large_frame(&mut messages)? {
            ToClient::State { snapshot, transients } => {
                let mut state = hearsay_store::decode_state(snapshot).map_err(AttachError::Unreachable)?;
                if !transients.is_empty() {
                    state.set_transients(&transients);
                }
                break state;
            }
            ToClient::OtherVersion { release } => return Err(AttachError::OtherVersion(release)),
            ToClient::Ping => {}
            ToClient::Committed(_) | ToClient::Appended(_) => {
                return Err(AttachError::Unreachable("it sent no state".into()));
            }
        }
    };
    Ok((Link { stream, messages: Some(messages), listener: None }, state))
}

/// Reads the messages of the owner until the connection is lost.
fn read_messages(mut messages: BufReader<TcpStream>, deliver: impl Fn(LinkMessage)) {
    let reason = loop {
        match read_large_frame(&mut messages) {
            Ok(ToClient::Committed(write)) => deliver(LinkMessage::Committed(write)),
            Ok(ToClient::Appended(answer)) => deliver(LinkMessage::Appended(answer)),
            Ok(ToClient::Ping) => {}
            Ok(ToClient::State { .. } | ToClient::OtherVersion { .. }) => break "it sent a wrong message".into(),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => break "it closed the campaign".into(),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                break format!("it did not respond for {} s", SILENCE_LIMIT.as_secs());
            }
            Err(error) => break error.to_string(),
        }
    };
    deliver(LinkMessage::Lost(reason));
}

impl Link {
    /// Starts to listen: another thread calls `deliver` with each later message of the owner, in the order of the
    /// journal. The last message is [`LinkMessage::Lost`]. Call this function only after the received state is in use,
    /// so that no message arrives before then.
    pub(crate) fn listen(&mut self, deliver: impl Fn(LinkMessage) + Send + 'static) {
        let Some(messages) = self.messages.take() else { return };
        let listen = move || read_messages(messages, deliver);
        match thread::Builder::new().name("hearsay-link".into()).spawn(listen) {
            Ok(listener) => self.listener = Some(listener),
            Err(error) => tracing::error!("no thread could be started: {error}"),
        }
    }

    /// Asks the owner to commit a write. The operation of the write must get the position `first`. The answer arrives
    /// as a [`LinkMessage::Appended`]. If the connection is lost, [`LinkMessage::Lost`] arrives instead, and it is
    /// unknown whether the write was committed.
    pub(crate) fn append(&self, first: Position, write: PreparedWrite) {
        self.send(&ToOwner::Append { first, write });
    }

    fn send(&self, message: &ToOwner) {
        if write_frame(&mut &self.stream, message).is_err() {
            // The reading thread then reports that the connection was lost.
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }

    /// Ends the connection. `unread` lists the passages that this program added and from which it extracted no facts.
    /// The owner extracts the facts of these passages.
    pub(crate) fn close(mut self, unread: Vec<PassageId>) {
        self.send(&ToOwner::Goodbye { unread });
        let _ = self.stream.shutdown(Shutdown::Write);
        // The owner then closes the connection. If it does not, its messages are not needed any more.
        let (Some(listener), started) = (self.listener.take(), Instant::now()) else { return };
        while !listener.is_finished() && started.elapsed() < GOODBYE_TIMEOUT {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
