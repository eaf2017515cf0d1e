//! The owner's side: accepts attached programs, and forwards messages between them and the worker.

use std::{
    io::{self, BufReader, BufWriter},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use hearsay_model::{PassageId, Position, State, TransientChange, TransientUpdate};

use super::{
    HELLO_TIMEOUT, PING_INTERVAL,
    address::{Address, AddressFile},
    protocol::{
        MAX_HELLO_BYTES, PreparedWrite, Refusal, ToClient, ToOwner, VERSION, read_frame, read_large_frame, write_frame,
    },
};

/// Maximum number of programs that are connected at the same time.
const MAX_CLIENTS: usize = 64;

/// Number of a connection, unique within the owner.
pub(crate) type ClientId = u64;

/// A message of the server to the worker.
#[derive(Debug)]
pub(crate) enum ServerMessage {
    /// A program attached. The first message to this program must be the state.
    Joined(Client),
    /// A program asks to commit a write.
    Append { client: ClientId, first: Position, write: PreparedWrite },
    /// A program closed, or its connection was lost. `unread` lists the passages that the program added and from which
    /// it extracted no facts; `None` if these passages are unknown.
    Left { client: ClientId, unread: Option<Vec<PassageId>> },
}

/// An attached program. Messages are sent in the order of the calls, by another thread.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) id: ClientId,
    /// File name of the program.
    pub(crate) program: String,
    outgoing: Sender<Outgoing>,
}

#[derive(Debug)]
enum Outgoing {
    /// A state, which the sending thread encodes.
    State(Arc<State>),
    Message(ToClient),
}

impl Client {
    pub(crate) fn send_state(&self, state: Arc<State>) {
        self.send(Outgoing::State(state));
    }

    pub(crate) fn send_committed(&self, write: PreparedWrite) {
        self.send(Outgoing::Message(ToClient::Committed(write)));
    }

    pub(crate) fn answer(&self, answer: Result<(), Refusal>) {
        self.send(Outgoing::Message(ToClient::Appended(answer)));
    }

    fn send(&self, outgoing: Outgoing) {
        // If the connection was lost, its thread has already reported this to the worker.
        let _ = self.outgoing.send(outgoing);
    }
}

/// A running server. Dropping this value stops the server. A connection ends when its [`Client`] is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// Deleted before the lock of the directory is released, because it may belong to another process afterwards.
    _file: AddressFile,
}

impl Server {
    /// Starts to listen, and writes the file with the address. Another thread calls `deliver` with each message.
    pub(crate) fn start(
        directory: &Path,
        deliver: impl Fn(ServerMessage) + Clone + Send + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let token = hearsay_files::new_token();
        let stopping = Arc::new(AtomicBool::new(false));
        let accept = {
            let (stopping, token) = (Arc::clone(&stopping), token.clone());
            move || accept_clients(&listener, &stopping, &token, &deliver)
        };
        let thread = thread::Builder::new().name("hearsay-sharing".into()).spawn(accept)?;
        let file = AddressFile::write(directory, &Address { pid: std::process::id(), address, token });
        // If the file cannot be written, the thread ends with the program: nobody can connect without the token.
        Ok(Self { address, stopping, thread: Some(thread), _file: file? })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Release);
        // Ends the wait for the next connection.
        let woken = TcpStream::connect_timeout(&self.address, HELLO_TIMEOUT).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}

fn accept_clients(
    listener: &TcpListener,
    stopping: &AtomicBool,
    token: &str,
    deliver: &(impl Fn(ServerMessage) + Clone + Send + 'static),
) {
    let connected = Arc::new(AtomicUsize::new(0));
    for id in 0.. {
        let accepted = listener.accept();
        if stopping.load(Ordering::Acquire) {
            return;
        }
        let stream = match accepted {
            Ok((stream, _)) if connected.load(Ordering::Relaxed) < MAX_CLIENTS => stream,
            Ok(_) => continue,
            Err(error) => {
                tracing::warn!("another program could not connect to the campaign: {error}");
                thread::sleep(std::time::Duration::from_millis(50));
                continue;
            }
        };
        let (token, deliver, count) = (token.to_owned(), deliver.clone(), Arc::clone(&connected));
        connected.fetch_add(1, Ordering::Relaxed);
        let serve = move || {
            if let Err(error) = serve_client(id, stream, &token, &deliver) {
                tracing::debug!(id, "the connection of another program ended: {error}");
            }
            count.fetch_sub(1, Ordering::Relaxed);
        };
        if thread::Builder::new().name("hearsay-client".into()).spawn(serve).is_err() {
            connected.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Reads the messages of a client until its connection ends.
fn serve_client(id: ClientId, stream: TcpStream, token: &str, deliver: &impl Fn(ServerMessage)) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(HELLO_TIMEOUT))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let ToOwner::Hello { version, release, token: sent_token, program } = read_frame(&mut reader, MAX_HELLO_BYTES)?
    else {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the first message is not a greeting"));
    };
    if !is_equal_in_constant_time(&sent_token, token) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the token is wrong"));
    }
    let this_release = env!("CARGO_PKG_VERSION");
    if version != VERSION || release != this_release {
        return write_frame(&mut &stream, &ToClient::OtherVersion { release: this_release.into() });
    }
    stream.set_read_timeout(None)?;
    let (outgoing, queue) = unbounded();
    let writing = stream.try_clone()?;
    let writer = thread::Builder::new().name("hearsay-client".into()).spawn(move || {
        let _ = send_messages(&writing, &queue);
        // Ends the wait for the next message of the client.
        let _ = writing.shutdown(Shutdown::Both);
    })?;
    deliver(ServerMessage::Joined(Client { id, program, outgoing }));
    let unread = loop {
        match read_large_frame(&mut reader) {
            Ok(ToOwner::Append { first, write }) => deliver(ServerMessage::Append { client: id, first, write }),
            Ok(ToOwner::Goodbye { unread }) => break Some(unread),
            Ok(ToOwner::Hello { .. }) | Err(_) => break None,
        }
    };
    deliver(ServerMessage::Left { client: id, unread });
    let _ = stream.shutdown(Shutdown::Both);
    let _ = writer.join();
    Ok(())
}

/// Sends messages until the worker has dropped the client, or the connection is lost.
fn send_messages(stream: &TcpStream, queue: &Receiver<Outgoing>) -> io::Result<()> {
    let mut to = BufWriter::new(stream);
    loop {
        let message = match queue.recv_timeout(PING_INTERVAL) {
            Ok(Outgoing::Message(message)) => message,
            Ok(Outgoing::State(state)) => {
                let snapshot = hearsay_store::encode_state(&state)?;
                ToClient::State { snapshot, transients: current_transients(&state) }
            }
            Err(RecvTimeoutError::Timeout) => ToClient::Ping,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        write_frame(&mut to, &message)?;
    }
}

/// Returns an update that sets all transient values of a state.
fn current_transients(state: &State) -> TransientUpdate {
    let values = state.transients().map(|value| TransientChange {
        subject: value.fact.subject().clone(),
        predicate: value.fact.predicate().clone(),
        value: Some(value.clone()),
    });
    TransientUpdate { values: values.collect(), clock: state.clock().filter(|_| state.has_transient_clock()) }
}

/// Compares two texts in a time that does not depend on where they differ.
fn is_equal_in_constant_time(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
