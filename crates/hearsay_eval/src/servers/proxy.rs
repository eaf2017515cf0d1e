//! A TCP proxy that cuts connections.

use std::{
    io,
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use anyhow::{Context, Result};

use crate::random::Random;

/// A connection of a client with the server.
struct Connection {
    client: TcpStream,
    server: TcpStream,
    is_open: Arc<AtomicBool>,
}

impl Connection {
    /// Connects a client with the server, and copies the data in both directions until the connection ends.
    fn start(client: TcpStream, server: &str) -> io::Result<Self> {
        let server = TcpStream::connect(server)?;
        for stream in [&client, &server] {
            stream.set_nodelay(true)?;
        }
        let connection = Self { client, server, is_open: Arc::new(AtomicBool::new(true)) };
        let (there, back) = (connection.try_clone()?, connection.try_clone()?);
        thread::spawn(move || {
            let _ = io::copy(&mut &there.client, &mut &there.server);
            there.cut();
        });
        thread::spawn(move || {
            let _ = io::copy(&mut &back.server, &mut &back.client);
            back.cut();
        });
        Ok(connection)
    }

    fn try_clone(&self) -> io::Result<Self> {
        let (client, server) = (self.client.try_clone()?, self.server.try_clone()?);
        Ok(Self { client, server, is_open: Arc::clone(&self.is_open) })
    }

    /// Ends the connection at once. Data on its way is lost.
    fn cut(&self) {
        self.is_open.store(false, Ordering::Relaxed);
        for stream in [&self.client, &self.server] {
            // The peer may have ended the connection already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// A proxy between programs and a server. It ends when this value is dropped.
pub(super) struct Proxy {
    address: SocketAddr,
    connections: Arc<Mutex<Vec<Connection>>>,
    is_stopped: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Starts a proxy to the server with the given URL.
    ///
    /// # Errors
    /// Returns an error if the proxy cannot listen on a port of the loopback address.
    pub(super) fn start(server_url: &str) -> Result<Self> {
        let server = server_url.strip_prefix("ws://").context("expected a URL that begins with ws://")?;
        let server = server.split('/').next().unwrap_or(server).to_owned();
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let connections: Arc<Mutex<Vec<Connection>>> = Arc::default();
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (accepted, stopped) = (Arc::clone(&connections), Arc::clone(&is_stopped));
        let accepting = thread::spawn(move || {
            for client in listener.incoming() {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                if let Ok(connection) = client.and_then(|client| Connection::start(client, &server)) {
                    accepted.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
                }
            }
        });
        Ok(Self { address, connections, is_stopped, accepting: Some(accepting) })
    }

    /// Returns the URL of the proxy.
    pub(super) fn url(&self) -> String {
        format!("ws://{}", self.address)
    }

    /// Cuts a random connection. Returns whether there was one.
    pub(super) fn cut_one(&self, random: &mut Random) -> bool {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.retain(|connection| connection.is_open.load(Ordering::Relaxed));
        let found = random.choose(connections.as_slice());
        found.inspect(|connection| connection.cut()).is_some()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts connections.
        if TcpStream::connect(self.address).is_ok() {
            self.accepting.take().map(JoinHandle::join);
        }
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Connection::cut);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn a_cut_ends_the_connection_and_the_next_connection_works() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        thread::spawn(move || {
            for stream in server.incoming() {
                let stream = stream.unwrap();
                let _ = io::copy(&mut &stream, &mut &stream);
            }
        });
        let proxy = Proxy::start(&format!("ws://{address}/rpc")).unwrap();
        let mut random = Random::new(1, 0);
        assert!(!proxy.cut_one(&mut random));
        for _ in 0..2 {
            let mut client = TcpStream::connect(proxy.address).unwrap();
            client.write_all(b"ping").unwrap();
            let mut answer = [0; 4];
            client.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, b"ping");
            assert!(proxy.cut_one(&mut random));
            assert_eq!(client.read(&mut answer).unwrap_or_default(), 0);
        }
    }
}
