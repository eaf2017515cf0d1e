//! A database in a SurrealDB server. Connects when a statement needs the connection, and connects again after the
//! connection was lost.

use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

use futures_util::{Stream, StreamExt};
use surrealdb::{
    IndexedResults, Notification, Surreal,
    engine::remote::ws::{Client, Ws, Wss},
    opt::auth,
    types::{Object, Value},
};
use tokio::sync::{Mutex, watch};
use tokio_tungstenite::tungstenite;
use uuid::Uuid;

use super::values::uuid;
use crate::endpoint::{Endpoint, LoginLevel};

type Error = surrealdb::Error;

/// Time limit for connecting and signing in.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Time limit for an attempt to find out why a server cannot be reached.
const DIAGNOSIS_TIMEOUT: Duration = Duration::from_secs(3);

/// Interval between two questions whether the server is there, and time limit for the answer.
const PING_INTERVAL: Duration = Duration::from_secs(2);
const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// A database in a server.
pub(crate) struct Remote {
    endpoint: Endpoint,
    query_timeout: Duration,
    /// Id under which this program holds the lease for the graph tables.
    lease_holder: Uuid,
    client: Mutex<Option<Arc<Surreal<Client>>>>,
    /// Reason why the server refused the login at the last attempt to connect; `None` if it did not.
    refusal: std::sync::Mutex<Option<String>>,
    /// Number of connections that ended. Changes wake the tasks that wait for notifications.
    ended: watch::Sender<u64>,
}

impl Remote {
    /// Creates a connection that connects at the first statement.
    pub(super) fn new(endpoint: Endpoint, query_timeout: Duration) -> Self {
        let lease_holder = Uuid::new_v4();
        let (client, refusal) = (Mutex::default(), std::sync::Mutex::default());
        Self { endpoint, query_timeout, lease_holder, client, refusal, ended: watch::Sender::new(0) }
    }

    /// Returns the name of the user who signs in; `None` for a server without users.
    pub(crate) fn user(&self) -> Option<&str> {
        self.endpoint.credentials.as_ref().map(|credentials| credentials.user.as_str())
    }

    /// Returns the reason why the server refused the login at the last attempt to connect; `None` if it did not.
    pub(crate) fn refusal(&self) -> Option<String> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the id under which this program holds the lease for the graph tables.
    pub(crate) fn lease_holder(&self) -> Value {
        uuid(self.lease_holder)
    }

    /// Returns a statement that checks and renews the lease for the graph tables, with its variable.
    pub(super) fn table_guard(&self) -> (&'static str, Value) {
        let guard = "IF (SELECT VALUE holder FROM ONLY meta:lease) != $lease_holder \
            { THROW 'hearsay: another program has the lease' }; \
            UPDATE meta:lease SET until = time::now() + 20s RETURN NONE;";
        (guard, self.lease_holder())
    }

    /// Returns the current connection. Connects if there is none. If the server refuses the login, returns an error for
    /// which [`is_connection_lost`] returns `true`, because the server has not run the caller's statements.
    async fn client(&self) -> Result<Arc<Surreal<Client>>, Error> {
        let mut client = self.client.lock().await;
        if let Some(client) = &*client {
            return Ok(Arc::clone(client));
        }
        let connected = tokio::time::timeout(CONNECT_TIMEOUT, connect(&self.endpoint)).await;
        let connected = connected.unwrap_or_else(|_| Err(no_answer(CONNECT_TIMEOUT)));
        let refusal = connected.as_ref().err().filter(|error| error.is_not_allowed()).map(Error::to_string);
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = refusal.clone();
        match (connected, refusal) {
            (Ok(connected), _) => Ok(Arc::clone(client.insert(Arc::new(connected)))),
            (Err(_), Some(reason)) => Err(Error::connection(refusal_text(&self.endpoint, &reason), None)),
            (Err(error), None) => Err(error),
        }
    }

    /// Drops a connection that no longer works, unless it was already replaced.
    async fn forget(&self, broken: &Arc<Surreal<Client>>) {
        let mut client = self.client.lock().await;
        if client.as_ref().is_some_and(|current| Arc::ptr_eq(current, broken)) {
            *client = None;
            self.ended.send_modify(|ended| *ended += 1);
        }
    }

    /// Runs statements. If the connection is lost, returns an error for which [`is_connection_lost`] returns `true`; it
    /// is then unknown whether the server ran the statements.
    pub(super) async fn query(&self, statements: &str, variables: Object) -> Result<IndexedResults, Error> {
        let mut ended = self.ended.subscribe();
        let client = self.client().await?;
        let query = async { client.query(statements).bind(Value::Object(variables)).await };
        let answer = tokio::select! {
            answer = tokio::time::timeout(self.query_timeout, query) => {
                answer.unwrap_or_else(|_| Err(no_answer(self.query_timeout)))
            }
            _ = ended.changed() => Err(Error::connection("the connection ended".into(), None)),
        };
        if answer.as_ref().is_err_and(is_connection_lost) {
            self.forget(&client).await;
        }
        answer
    }

    /// Asks the server from time to time whether it is there, and ends the connection if it does not answer. The SDK
    /// itself does not notice that a server has closed the connection. Never returns.
    pub(crate) async fn watch(&self) {
        loop {
            tokio::time::sleep(PING_INTERVAL).await;
            // Does not wait for a task that is connecting.
            let Some(client) = self.client.try_lock().ok().and_then(|client| client.clone()) else { continue };
            let pong = tokio::time::timeout(PING_TIMEOUT, async { client.query("RETURN 1").await });
            if !matches!(pong.await, Ok(Ok(_))) {
                self.forget(&client).await;
            }
        }
    }

    /// Runs a `LIVE SELECT` statement. The returned stream yields an item for each notification, and ends when the
    /// connection ends.
    pub(crate) async fn live(&self, statement: &str) -> Result<impl Stream<Item = ()> + Unpin + use<>, Error> {
        let mut ended = self.ended.subscribe();
        let client = self.client().await?;
        let mut results = client.query(statement).await?;
        let notifications = results.stream::<Notification<Value>>(0)?;
        let until_ended = Box::pin(async move {
            let _ = ended.changed().await;
        });
        Ok(Box::pin(notifications.map(drop).take_until(until_ended)))
    }

    /// Ends the connection.
    pub(super) async fn disconnect(&self) {
        *self.client.lock().await = None;
        self.ended.send_modify(|ended| *ended += 1);
    }
}

/// Connects to a server, signs in, and selects the database.
async fn connect(endpoint: &Endpoint) -> Result<Surreal<Client>, Error> {
    let Endpoint { url, namespace, database, credentials } = endpoint;
    let client = match url.split_once("://") {
        Some(("ws", address)) => Surreal::new::<Ws>(address).await?,
        Some(("wss", address)) => {
            install_encryption();
            Surreal::new::<Wss>(address).await?
        }
        _ => return Err(Error::internal(format!("`{url}` does not begin with `ws://` or `wss://`"))),
    };
    if let Some(credentials) = credentials {
        let (username, password) = (credentials.user.clone(), credentials.password.clone());
        let (namespace, database) = (namespace.clone(), database.clone());
        match credentials.level {
            LoginLevel::Root => client.signin(auth::Root { username, password }).await?,
            LoginLevel::Namespace => client.signin(auth::Namespace { namespace, username, password }).await?,
            LoginLevel::Database => client.signin(auth::Database { namespace, database, username, password }).await?,
        };
    }
    client.use_ns(namespace.as_str()).use_db(database.as_str()).await?;
    Ok(client)
}

/// Selects the library for encrypted connections. Has no effect if the program has already selected one.
fn install_encryption() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Finds out why a server cannot be reached: this machine does not trust its certificate, or its address should begin
/// with `wss://` instead of `ws://`, or the other way round. Returns `None` if the reason is another one. Sends no
/// password.
pub(crate) async fn find_problem(url: &str) -> Option<String> {
    let (other_url, description) = match url.split_once("://")? {
        ("ws", address) => (
            format!("wss://{address}"),
            "this server accepts only encrypted connections; write `wss://` instead of `ws://`",
        ),
        ("wss", address) => (
            format!("ws://{address}"),
            "this server does not encrypt connections; write `ws://` instead of `wss://`, or start the server with a \
             certificate",
        ),
        _ => return None,
    };
    install_encryption();
    match probe(url).await {
        Probe::InvalidCertificate(reason) => Some(format!(
            "this machine does not accept the certificate of the server ({reason}); the address must be a name in the \
             certificate, and this machine must trust the issuer: for a certificate authority of your own, set \
             SSL_CERT_FILE to its PEM file"
        )),
        _ => (!matches!(probe(&other_url).await, Probe::NoAnswer)).then(|| description.to_owned()),
    }
}

/// Outcome of an attempt to connect without a login.
enum Probe {
    Answer,
    InvalidCertificate(String),
    NoAnswer,
}

async fn probe(url: &str) -> Probe {
    let attempt = tokio_tungstenite::connect_async(url);
    match tokio::time::timeout(DIAGNOSIS_TIMEOUT, attempt).await {
        Ok(Ok(_) | Err(tungstenite::Error::Http(_))) => Probe::Answer,
        Ok(Err(tungstenite::Error::Io(error))) => {
            match error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>()) {
                Some(error @ rustls::Error::InvalidCertificate(_)) => Probe::InvalidCertificate(error.to_string()),
                _ => Probe::NoAnswer,
            }
        }
        _ => Probe::NoAnswer,
    }
}

fn refusal_text(endpoint: &Endpoint, reason: &str) -> String {
    match &endpoint.credentials {
        Some(credentials) => format!("the server refuses the login of the user `{}`: {reason}", credentials.user),
        None => format!("the server refuses connections without a user: {reason}"),
    }
}

fn no_answer(timeout: Duration) -> Error {
    Error::connection(format!("the server did not answer within {} s", timeout.as_secs()), None)
}

/// Returns whether an error means that the connection was lost, so that it is unknown whether the server ran the
/// statements.
pub(crate) fn is_connection_lost(error: &Error) -> bool {
    error.is_connection() || error.is_internal()
}
