//! The users of a hosted database.

use std::{fmt, sync::Arc};

use surrealdb::types::Value;
use uuid::Uuid;

#[cfg(feature = "remote")]
use super::connection::OwnerConnection;
use super::{
    database::HostedDatabase,
    owner::{LIST_USERS, OWNER, user_definitions},
};
use crate::StoreError;

/// Rights of a user of a hosted database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserAccess {
    /// The user may read and write everything, except the users.
    Full,
    /// The user may read everything, and write nothing.
    ReadOnly,
}

/// The users of a hosted database. This program has the database open, or is connected to the program that has it open.
///
/// The functions block the calling thread.
pub struct HostedUsers(Host);

enum Host {
    /// This program.
    Own(Arc<HostedDatabase>),
    /// Another program on this machine.
    #[cfg(feature = "remote")]
    Other(OwnerConnection),
}

impl fmt::Debug for HostedUsers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostedUsers").finish_non_exhaustive()
    }
}

impl HostedUsers {
    /// Returns the users of a database that this program has open.
    pub fn new(database: Arc<HostedDatabase>) -> Self {
        Self(Host::Own(database))
    }

    /// Returns the users of a database that another program has open. `endpoint` is the address in the
    /// [`ServerFile`](crate::ServerFile) of this program.
    ///
    /// # Errors
    /// Returns an error if no thread can be started. The connection starts with the first action.
    #[cfg(feature = "remote")]
    pub fn connect(endpoint: &crate::Endpoint, options: &crate::StoreOptions) -> Result<Self, StoreError> {
        Ok(Self(Host::Other(OwnerConnection::new(endpoint, options)?)))
    }

    /// Creates a user, or changes the password and the rights of a user.
    ///
    /// # Errors
    /// Returns an error if the database cannot write.
    pub fn set(&self, user: &str, password: &str, access: UserAccess) -> Result<(), StoreError> {
        let role = match access {
            UserAccess::Full => "EDITOR",
            UserAccess::ReadOnly => "VIEWER",
        };
        // The database does not show the password of a user. The comment makes each definition different, so that a
        // session notices every change of its user.
        let statement = format!(
            "DEFINE USER OVERWRITE {} ON DATABASE PASSWORD {} ROLES {role} COMMENT '{}'",
            quoted_identifier(user),
            quoted_text(password),
            Uuid::new_v4().simple()
        );
        self.run("define a user", statement).map(drop)
    }

    /// Removes a user. Returns whether the user existed.
    ///
    /// # Errors
    /// Returns an error if the database cannot write.
    pub fn remove(&self, user: &str) -> Result<bool, StoreError> {
        if !self.list()?.iter().any(|(name, _)| name == user) {
            return Ok(false);
        }
        let statement = format!("REMOVE USER IF EXISTS {} ON DATABASE", quoted_identifier(user));
        self.run("remove a user", statement).map(|_| true)
    }

    /// Returns the users and their rights, in alphabetical order.
    ///
    /// # Errors
    /// Returns an error if the database cannot be read.
    pub fn list(&self) -> Result<Vec<(String, UserAccess)>, StoreError> {
        let definitions = user_definitions(self.run("list its users", LIST_USERS.into())?).into_inner();
        let users = definitions.into_iter().filter(|(name, _)| name != OWNER);
        let with_access = |(name, definition): (String, Value)| {
            let is_editor = matches!(&definition, Value::String(text) if text.contains("ROLES EDITOR"));
            (name, if is_editor { UserAccess::Full } else { UserAccess::ReadOnly })
        };
        Ok(users.map(with_access).collect())
    }

    /// Closes the database, or ends the connection.
    ///
    /// # Errors
    /// Returns an error if the database cannot shut down in time. Acknowledged data is safe.
    pub fn close(self) -> Result<(), StoreError> {
        match self.0 {
            Host::Own(database) => database.close(),
            #[cfg(feature = "remote")]
            Host::Other(connection) => {
                connection.close();
                Ok(())
            }
        }
    }

    /// Runs a statement with all rights, and returns its value. `action` describes the statement.
    fn run(&self, action: &'static str, statement: String) -> Result<Value, StoreError> {
        match &self.0 {
            Host::Own(database) => database.run_as_owner(action, statement),
            #[cfg(feature = "remote")]
            Host::Other(connection) => connection.run(action, statement),
        }
    }
}

/// Quotes a name for SurrealQL.
fn quoted_identifier(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

/// Quotes a text for SurrealQL.
fn quoted_text(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
