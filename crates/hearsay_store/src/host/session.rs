//! The session of one connection to a hosted database.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_channel::{Receiver, Sender, TrySendError};
use hearsay_model::escape;
use surrealdb::types::{Error, Notification, Object, SurrealValue, Value};
use surrealdb_core::rpc::format::{cbor, json};
use surrealdb_engine_api::{EngineContext, EngineFuture, SessionId, SurrealEngine};
use surrealdb_engine_local::LocalEngine;
use surrealdb_rpc::{
    DbResponse, DbResult, Method, QueryResult, QueryType, Request, Token,
    error::{invalid_params, method_not_allowed, method_not_found, parse_error, session_exists, session_not_found},
};
use uuid::Uuid;

use super::owner::{OWNER, OwnerSession};
use crate::engine::values::object;

/// Maximum number of notifications that wait for a client. If the client does not read them, later notifications are
/// dropped. Notifications only wake a client, so it reads everything at the next notification.
const MAX_WAITING_NOTIFICATIONS: usize = 1_024;

/// Maximum number of sessions that one connection may attach.
const MAX_SESSIONS: usize = 32;

/// Maximum nesting of values in a message.
const MAX_DEPTH: usize = 128;

/// Encoding of the messages of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireFormat {
    /// JSON, in text messages.
    Json,
    /// CBOR with SurrealDB's tags, in binary messages.
    Cbor,
    /// FlatBuffers, in binary messages.
    Flatbuffers,
}

impl WireFormat {
    /// Returns the format with the name of a WebSocket sub-protocol.
    pub fn from_protocol(protocol: &str) -> Option<Self> {
        match protocol {
            "json" => Some(Self::Json),
            "cbor" => Some(Self::Cbor),
            "flatbuffers" => Some(Self::Flatbuffers),
            _ => None,
        }
    }

    /// Returns whether messages are text messages.
    pub fn is_text(self) -> bool {
        self == Self::Json
    }

    fn decode(self, message: &[u8]) -> Result<Request, Error> {
        let value = match self {
            Self::Json => json::decode(message, MAX_DEPTH).map_err(|_| parse_error())?,
            Self::Cbor => cbor::decode(message, MAX_DEPTH).map_err(|_| parse_error())?,
            Self::Flatbuffers => surrealdb::types::decode(message).map_err(|_| parse_error())?,
        };
        match value {
            Value::Object(request) => Request::from_object(request),
            _ => Err(parse_error()),
        }
    }

    fn encode(self, response: DbResponse) -> Vec<u8> {
        let value = response.into_value();
        let encoded = match self {
            Self::Json => json::encode(value).map_err(|error| error.to_string()),
            Self::Cbor => cbor::encode(value).map_err(|error| error.to_string()),
            Self::Flatbuffers => surrealdb::types::encode(&value).map_err(|error| error.to_string()),
        };
        encoded.unwrap_or_else(|error| {
            tracing::error!(error, "an answer to a client could not be encoded");
            Vec::new()
        })
    }
}

/// The session of one connection. Has no rights until the client signs in. Put this value into an [`Arc`] to answer
/// several requests at the same time.
pub struct HostedSession {
    engine: Arc<LocalEngine>,
    /// Tells the engine which sessions exist.
    lifecycle: Sender<SessionId>,
    /// Id of the session that the client uses if it names none.
    own: Uuid,
    /// Sessions that the client attached: the client's id, and the id in the engine. A client cannot name the sessions of
    /// other clients.
    attached: Mutex<HashMap<Uuid, Uuid>>,
    /// Live queries of the connection, with the ids of their sessions in the engine.
    live: Mutex<Vec<(Uuid, Uuid)>>,
    /// Users of the connection, by the ids of their sessions in the engine.
    logins: Mutex<HashMap<Uuid, Login>>,
    owner: OwnerSession,
    sender: Sender<ClientNotification>,
    notifications: Receiver<ClientNotification>,
}

/// A user who is signed in.
#[derive(Clone)]
struct Login {
    user: String,
    /// Definition of the user before the login.
    definition: Option<Value>,
}

/// A notification, and the client's id of the session that made the live query.
type ClientNotification = (Option<Uuid>, Notification);

impl fmt::Debug for HostedSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostedSession").field("id", &self.own).finish_non_exhaustive()
    }
}

impl HostedSession {
    pub(super) fn new(engine: Arc<LocalEngine>, lifecycle: Sender<SessionId>, owner: OwnerSession) -> Self {
        let own = Uuid::new_v4();
        let (sender, notifications) = async_channel::bounded(MAX_WAITING_NOTIFICATIONS);
        // The channel is unbounded, and closed only together with the database.
        let _ = lifecycle.try_send(SessionId::Initial(own));
        let (attached, live, logins) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { engine, lifecycle, own, attached, live, logins, owner, sender, notifications }
    }

    /// Answers one message of the client. Several requests may run at the same time. Do not drop the future before it
    /// is complete, because it may be in a transaction.
    pub async fn request(&self, format: WireFormat, message: &[u8]) -> Vec<u8> {
        let request = match format.decode(message) {
            Ok(request) => request,
            Err(error) => return format.encode(DbResponse::failure(None, None, error)),
        };
        let (id, session) = (request.id.clone(), request.session_id.map(Into::into));
        format.encode(match self.answer(request).await {
            Ok(result) => DbResponse::success(id, session, result),
            Err(error) => DbResponse::failure(id, session, error),
        })
    }

    /// Waits for the next notification of a live query, and returns it as a message. Returns `None` after
    /// [`HostedSession::close`].
    pub async fn next_notification(&self, format: WireFormat) -> Option<Vec<u8>> {
        let (session, notification) = self.notifications.recv().await.ok()?;
        Some(format.encode(DbResponse::success(None, session, DbResult::Live(notification))))
    }

    /// Returns whether the users of the connection exist, with the same password and the same rights as when they signed
    /// in. If this is not the case, end the connection.
    pub async fn has_current_users(&self) -> bool {
        let logins = self.logins().clone();
        if logins.is_empty() {
            return true;
        }
        // If the database cannot answer, the connection can do no harm.
        let Ok(definitions) = self.owner.user_definitions().await else { return true };
        logins.values().all(|login| definitions.get(&login.user) == login.definition.as_ref())
    }

    fn logins(&self) -> MutexGuard<'_, HashMap<Uuid, Login>> {
        self.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes a login, and notes its user.
    async fn log_in(&self, session: Uuid, login: EngineFuture<'_, Token>) -> Result<Token, Error> {
        // A change of the user during the login is then a change after the login.
        let definitions = self.owner.user_definitions().await.map_err(Error::internal)?;
        let token = login.await.inspect_err(|error| tracing::info!("a login was refused: {error}"))?;
        let mut found =
            self.engine.query(EngineContext::new(session), "RETURN $token.ID".into(), Default::default()).await?;
        if let Some(Ok(Value::String(user))) = found.pop().map(|last| last.result) {
            let definition = definitions.get(&user).cloned();
            if user != OWNER {
                tracing::info!("{} connected", escape::line(&user));
            }
            self.logins().insert(session, Login { user, definition });
        }
        Ok(token)
    }

    /// Ends the sessions and live queries of the connection.
    pub async fn close(&self) {
        self.notifications.close();
        let live = std::mem::take(&mut *self.live.lock().unwrap_or_else(PoisonError::into_inner));
        for (session, query) in live {
            let _ = self.engine.kill(EngineContext::new(session), query).await;
        }
        let attached = std::mem::take(&mut *self.attached.lock().unwrap_or_else(PoisonError::into_inner));
        for login in self.logins().values().filter(|login| login.user != OWNER) {
            tracing::info!("the connection of {} ended", escape::line(&login.user));
        }
        for session in attached.into_values().chain([self.own]) {
            let _ = self.lifecycle.try_send(SessionId::Drop(session));
        }
    }

    /// Returns the id in the engine of a session of the client.
    fn session(&self, client_id: Option<Uuid>) -> Result<Uuid, Error> {
        let Some(client_id) = client_id else { return Ok(self.own) };
        let attached = self.attached.lock().unwrap_or_else(PoisonError::into_inner);
        attached.get(&client_id).copied().ok_or_else(|| session_not_found(client_id))
    }

    /// Runs a method. See <https://surrealdb.com/docs/surrealdb/integration/rpc> for the methods and their parameters.
    async fn answer(&self, request: Request) -> Result<DbResult, Error> {
        let client_session: Option<Uuid> = request.session_id.map(Into::into);
        let mut params = request.params.into_vec().into_iter();
        match request.method {
            Method::Attach => {
                return self.attach(client_session.ok_or_else(|| invalid_params("a session is missing"))?);
            }
            Method::Detach => {
                return self.detach(client_session.ok_or_else(|| invalid_params("a session is missing"))?);
            }
            _ => {}
        }
        let session = self.session(client_session)?;
        let (engine, context) = (&self.engine, EngineContext::with_transaction(session, request.txn.map(Into::into)));
        let value = match request.method {
            Method::Ping => Value::None,
            // The name and version that clients of a SurrealDB server expect.
            Method::Version => Value::String(format!("surrealdb-{}", surrealdb_core::env::VERSION)),
            Method::Use => {
                let (namespace, database) = (as_text(params.next())?, as_text(params.next())?);
                let (namespace, database) = engine.use_ns_db(context, namespace, database).await?;
                let text = |text: Option<String>| text.map_or(Value::None, Value::String);
                Value::Object(object([("namespace", text(namespace)), ("database", text(database))]))
            }
            Method::Signin => {
                let login = engine.signin(context, as_object(params.next())?);
                self.log_in(session, login).await?.into_value()
            }
            Method::Authenticate => {
                let token = Token::from_value(params.next().unwrap_or_default())?;
                self.log_in(session, engine.authenticate(context, token)).await?.into_value()
            }
            Method::Invalidate | Method::Reset => {
                engine.invalidate(context).await?;
                self.logins().remove(&session);
                Value::None
            }
            Method::Set => {
                let name = as_text(params.next())?.ok_or_else(|| invalid_params("a name is missing"))?;
                engine.set(context, name, params.next().unwrap_or_default()).await?;
                Value::None
            }
            Method::Unset => {
                let name = as_text(params.next())?.ok_or_else(|| invalid_params("a name is missing"))?;
                engine.unset(context, name).await?;
                Value::None
            }
            Method::Query => {
                let text = as_text(params.next())?.ok_or_else(|| invalid_params("a query is missing"))?;
                let variables = match params.next() {
                    None | Some(Value::None | Value::Null) => Object::new(),
                    variables => as_object(variables)?,
                };
                let results = engine.query(context, text.into(), variables.into()).await?;
                self.subscribe(session, client_session, &results).await?;
                return Ok(DbResult::Query(results));
            }
            Method::Kill => {
                let query = as_id(params.next())?;
                self.live.lock().unwrap_or_else(PoisonError::into_inner).retain(|(_, live)| *live != query);
                engine.kill(context, query).await?;
                Value::None
            }
            Method::Begin => Value::Uuid(engine.begin(context).await?.into()),
            Method::Commit => {
                engine.commit(context, as_id(params.next())?).await?;
                Value::None
            }
            Method::Cancel => {
                engine.rollback(context, as_id(params.next())?).await?;
                Value::None
            }
            other => return Err(method_not_found(other.to_string())),
        };
        Ok(DbResult::Other(value))
    }

    /// Forwards the notifications of the live queries that a query began.
    async fn subscribe(
        &self,
        session: Uuid,
        client_session: Option<Uuid>,
        results: &[QueryResult],
    ) -> Result<(), Error> {
        for result in results.iter().filter(|result| result.query_type == QueryType::Live) {
            let Ok(Value::Uuid(id)) = &result.result else { continue };
            let (sender, notifications) = async_channel::bounded(MAX_WAITING_NOTIFICATIONS);
            self.live.lock().unwrap_or_else(PoisonError::into_inner).push((session, id.into_inner()));
            self.engine.subscribe_live(EngineContext::new(session), id.into_inner(), sender).await?;
            let client = self.sender.clone();
            tokio::spawn(async move {
                while let Ok(Ok(notification)) = notifications.recv().await {
                    // If the client does not read its notifications, further ones are dropped.
                    if let Err(TrySendError::Closed(_)) = client.try_send((client_session, notification)) {
                        return;
                    }
                }
            });
        }
        Ok(())
    }

    fn attach(&self, client_id: Uuid) -> Result<DbResult, Error> {
        let mut attached = self.attached.lock().unwrap_or_else(PoisonError::into_inner);
        if attached.contains_key(&client_id) {
            return Err(session_exists(client_id));
        }
        if attached.len() >= MAX_SESSIONS {
            return Err(method_not_allowed(Method::Attach.to_string()));
        }
        let session = Uuid::new_v4();
        attached.insert(client_id, session);
        let _ = self.lifecycle.try_send(SessionId::Initial(session));
        Ok(DbResult::Other(Value::None))
    }

    fn detach(&self, client_id: Uuid) -> Result<DbResult, Error> {
        let mut attached = self.attached.lock().unwrap_or_else(PoisonError::into_inner);
        let session = attached.remove(&client_id).ok_or_else(|| session_not_found(client_id))?;
        self.logins().remove(&session);
        let _ = self.lifecycle.try_send(SessionId::Drop(session));
        Ok(DbResult::Other(Value::None))
    }
}

fn as_text(value: Option<Value>) -> Result<Option<String>, Error> {
    match value {
        None | Some(Value::None | Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(invalid_params("a parameter is not a text")),
    }
}

fn as_object(value: Option<Value>) -> Result<Object, Error> {
    match value {
        Some(Value::Object(object)) => Ok(object),
        _ => Err(invalid_params("a parameter is not an object")),
    }
}

fn as_id(value: Option<Value>) -> Result<Uuid, Error> {
    match value {
        Some(Value::Uuid(id)) => Ok(id.into_inner()),
        Some(Value::String(id)) => id.parse().map_err(|_| invalid_params("a parameter is not an id")),
        _ => Err(invalid_params("a parameter is not an id")),
    }
}
