//! The address of a campaign in a SurrealDB server.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Level on which a user of a SurrealDB server is defined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoginLevel {
    /// The user is defined on the database. The users of `hearsay serve` are.
    #[default]
    Database,
    /// The user is defined on the namespace.
    Namespace,
    /// The user is defined on the whole server.
    Root,
}

/// User name and password for a SurrealDB server.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Name of the user.
    pub user: String,
    /// Password of the user.
    pub password: String,
    /// Level on which the user is defined.
    pub level: LoginLevel,
}

/// Does not print the password.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).field("level", &self.level).finish_non_exhaustive()
    }
}

/// Address of a campaign in a SurrealDB server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Address of the server: `ws://host:port`, or `wss://host:port` for an encrypted connection.
    pub url: String,
    /// Namespace of the campaign on the server.
    pub namespace: String,
    /// Database of the campaign in the namespace.
    pub database: String,
    /// User name and password; `None` for a server without users.
    pub credentials: Option<Credentials>,
}

impl Endpoint {
    /// Namespace of a campaign that has a database of its own.
    pub(crate) const NAMESPACE: &'static str = "hearsay";

    /// Name of the database of a campaign that has a database of its own.
    pub(crate) const DATABASE: &'static str = "campaign";

    /// Returns the address of a campaign that `hearsay serve` serves, for a user of its database. `url` is the address of
    /// the server.
    pub fn hosted(url: impl Into<String>, user: impl Into<String>, password: impl Into<String>) -> Self {
        let credentials = Credentials { user: user.into(), password: password.into(), level: LoginLevel::Database };
        Self {
            url: url.into(),
            namespace: Self::NAMESPACE.into(),
            database: Self::DATABASE.into(),
            credentials: Some(credentials),
        }
    }
}

/// Shows the address, the namespace and the database, but no credentials.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}/{})", self.url, self.namespace, self.database)
    }
}
