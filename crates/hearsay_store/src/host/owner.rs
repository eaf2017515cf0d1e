//! The user with all rights, who manages the other users.

use std::sync::Arc;

use async_channel::Sender;
use surrealdb::types::{Object, Value};
use surrealdb_engine_api::{EngineContext, SessionId, SurrealEngine};
use surrealdb_engine_local::LocalEngine;
use uuid::Uuid;

use crate::{Endpoint, engine::values::object};

/// Name of the user. Its password is random, and changes each time when the database is opened.
pub(super) const OWNER: &str = "hearsay-host";

/// Statement that returns the definitions of the users.
pub(super) const LIST_USERS: &str = "INFO FOR DATABASE";

/// A session of the user with all rights.
#[derive(Clone)]
pub(super) struct OwnerSession {
    engine: Arc<LocalEngine>,
    id: Uuid,
}

impl OwnerSession {
    /// Creates a session, and signs in.
    pub(super) async fn sign_in(
        engine: Arc<LocalEngine>,
        lifecycle: &Sender<SessionId>,
        password: &str,
    ) -> Result<Self, String> {
        let id = Uuid::new_v4();
        // The channel is unbounded, and closed only together with the database.
        let _ = lifecycle.try_send(SessionId::Initial(id));
        let credentials = object([
            ("ns", Value::String(Endpoint::NAMESPACE.into())),
            ("db", Value::String(Endpoint::DATABASE.into())),
            ("user", Value::String(OWNER.into())),
            ("pass", Value::String(password.into())),
        ]);
        let signed_in = engine.signin(EngineContext::new(id), credentials).await;
        signed_in.map_err(|error| error.to_string())?;
        Ok(Self { engine, id })
    }

    /// Runs a statement, and returns its value.
    pub(super) async fn run(&self, statement: String) -> Result<Value, String> {
        let results = self.engine.query(EngineContext::new(self.id), statement.into(), Default::default()).await;
        let last = results.map_err(|error| error.to_string())?.pop();
        last.map_or(Ok(Value::None), |last| last.result.map_err(|error| error.to_string()))
    }

    /// Returns the definitions of all users, by name.
    pub(super) async fn user_definitions(&self) -> Result<Object, String> {
        self.run(LIST_USERS.into()).await.map(user_definitions)
    }
}

/// Returns the definitions of the users, by name. `found` is the value of [`LIST_USERS`].
pub(super) fn user_definitions(found: Value) -> Object {
    let Value::Object(mut found) = found else { return Object::new() };
    match found.remove("users") {
        Some(Value::Object(users)) => users,
        _ => Object::new(),
    }
}
