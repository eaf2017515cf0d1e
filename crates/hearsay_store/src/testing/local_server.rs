//! A server of a campaign for tests.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::Arc,
};

use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::{
    Message,
    handshake::server::{Request, Response},
    http::HeaderValue,
};

use crate::{Endpoint, HostedDatabase, HostedSession, HostedUsers, StoreError, StoreOptions, UserAccess, WireFormat};

/// User and password of the endpoint.
const LOGIN: (&str, &str) = ("tester", "a test password");

/// A server of a campaign for tests, on a free port of this machine. `hearsay serve` is the complete server. Dropping
/// this value ends all connections and closes the campaign.
#[derive(Debug)]
pub struct LocalServer {
    database: Option<Arc<HostedDatabase>>,
    address: SocketAddr,
    stop: tokio::sync::watch::Sender<bool>,
}

impl LocalServer {
    /// Opens the directory of a campaign's database, and serves it on a free port.
    ///
    /// # Errors
    /// Returns an error if the campaign or a port cannot be opened.
    pub fn start(directory: &Path) -> Result<Self, StoreError> {
        Self::start_at(directory, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    }

    /// Opens the directory of a campaign's database, and serves it at an address.
    ///
    /// # Errors
    /// Returns an error if the campaign or the address cannot be opened.
    pub fn start_at(directory: &Path, address: SocketAddr) -> Result<Self, StoreError> {
        let database = Arc::new(HostedDatabase::open(directory, &StoreOptions::default())?);
        HostedUsers::new(Arc::clone(&database)).set(LOGIN.0, LOGIN.1, UserAccess::Full)?;
        let failed = |source| StoreError::File {
            action: "listen for",
            path: directory.into(),
            advice: "choose another address",
            source,
        };
        let listener = std::net::TcpListener::bind(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let (stop, stopped) = tokio::sync::watch::channel(false);
        let accepting = Arc::clone(&database);
        database.handle().spawn(async move {
            let Ok(listener) = TcpListener::from_std(listener) else { return };
            loop {
                let mut ended = stopped.clone();
                tokio::select! {
                    accepted = listener.accept() => {
                        let Ok((stream, _)) = accepted else { return };
                        let (session, mut ended) = (accepting.session(), stopped.clone());
                        tokio::spawn(async move {
                            tokio::select! {
                                () = serve(stream, session) => {}
                                _ = ended.wait_for(|ended| *ended) => {}
                            }
                        });
                    }
                    _ = ended.wait_for(|ended| *ended) => return,
                }
            }
        });
        Ok(Self { database: Some(database), address, stop })
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address of the campaign, with the credentials of a user who may write.
    pub fn endpoint(&self) -> Endpoint {
        Endpoint::hosted(format!("ws://{}", self.address), LOGIN.0, LOGIN.1)
    }

    /// Returns the database, for example to define users.
    pub fn database(&self) -> Option<&Arc<HostedDatabase>> {
        self.database.as_ref()
    }

    /// Ends all connections, and closes the campaign. Another program can then open the directory.
    ///
    /// # Errors
    /// Returns an error if the campaign cannot be closed.
    pub fn stop(mut self) -> Result<(), StoreError> {
        self.shut_down()
    }

    fn shut_down(&mut self) -> Result<(), StoreError> {
        let _ = self.stop.send(true);
        let Some(database) = self.database.take() else { return Ok(()) };
        let closed = Arc::clone(&database).close();
        // The tasks that accept and serve connections drop their references.
        for _ in 0..200 {
            if Arc::strong_count(&database) == 1 {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        closed
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        let _ = self.shut_down();
    }
}

/// Serves one connection.
async fn serve(stream: TcpStream, session: HostedSession) {
    let mut format = WireFormat::Json;
    #[allow(clippy::result_large_err)]
    let negotiate = |request: &Request, mut response: Response| {
        let offered = request.headers().get("sec-websocket-protocol").and_then(|value| value.to_str().ok());
        let chosen = offered.into_iter().flat_map(|offered| offered.split(',')).map(str::trim);
        if let Some(chosen) = chosen.into_iter().find(|name| WireFormat::from_protocol(name).is_some()) {
            format = WireFormat::from_protocol(chosen).unwrap_or(format);
            if let Ok(value) = HeaderValue::from_str(chosen) {
                response.headers_mut().insert("sec-websocket-protocol", value);
            }
        }
        Ok(response)
    };
    let _ = stream.set_nodelay(true);
    let Ok(socket) = tokio_tungstenite::accept_hdr_async(stream, negotiate).await else { return };
    let (mut outgoing, mut incoming) = socket.split();
    let session = Arc::new(session);
    let (answers, mut queue) = tokio::sync::mpsc::unbounded_channel::<Vec<u8>>();
    loop {
        let message = tokio::select! {
            message = incoming.next() => match message {
                Some(Ok(Message::Binary(bytes))) => {
                    let (session, answers) = (Arc::clone(&session), answers.clone());
                    tokio::spawn(async move { answers.send(session.request(format, &bytes).await) });
                    continue;
                }
                Some(Ok(Message::Text(text))) => {
                    let (session, answers) = (Arc::clone(&session), answers.clone());
                    tokio::spawn(async move { answers.send(session.request(format, text.as_bytes()).await) });
                    continue;
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
            },
            Some(answer) = queue.recv() => answer,
            Some(notification) = session.next_notification(format) => notification,
        };
        let message = if format.is_text() {
            Message::text(String::from_utf8_lossy(&message).into_owned())
        } else {
            Message::binary(message)
        };
        if outgoing.send(message).await.is_err() {
            break;
        }
    }
    session.close().await;
}
