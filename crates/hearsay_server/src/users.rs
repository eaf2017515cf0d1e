//! The users of a campaign: the names and passwords with which other programs connect to its server.

use std::{path::Path, sync::Arc};

use hearsay_store::{HostedDatabase, HostedUsers, StoreError, StoreOptions, UserAccess, running_server};

use crate::{
    error::{MIN_PASSWORD_CHARS, ServeError},
    name::check_name,
};

/// Beginning of the names of users that Hearsay itself needs.
const RESERVED_PREFIX: &str = "hearsay-";

/// The users of a campaign. If a server of the campaign is running, this value is connected to the server. Otherwise, it
/// has the database open, so no other program can open the campaign while this value exists.
///
/// If a user is changed or removed, a running server ends the connections of this user within ten seconds.
///
/// The functions block the calling thread.
#[derive(Debug)]
pub struct Users(HostedUsers);

impl Users {
    /// Opens the database in a directory, or connects to the server that has it open.
    ///
    /// # Errors
    /// Returns an error if a program that is not a server has the campaign open, or if the database cannot be opened.
    pub fn open(directory: &Path) -> Result<Self, ServeError> {
        let options = StoreOptions::default();
        let error = match HostedDatabase::open(directory, &options) {
            Ok(database) => return Ok(Self(HostedUsers::new(Arc::new(database)))),
            Err(error) => error,
        };
        let server = match &error {
            StoreError::InUse { holder, .. } => running_server(directory, holder),
            _ => None,
        };
        match server {
            Some(server) => Ok(Self(HostedUsers::connect(&server.endpoint, &options)?)),
            None => Err(error.into()),
        }
    }

    /// Adds a user, or changes the password and the access of a user.
    ///
    /// # Errors
    /// Returns an error if the name is invalid or reserved, if the password is too short, or if the database fails.
    pub fn set(&self, user: &str, password: &str, access: UserAccess) -> Result<(), ServeError> {
        check_user(user)?;
        if password.chars().count() < MIN_PASSWORD_CHARS {
            return Err(ServeError::ShortPassword);
        }
        Ok(self.0.set(user, password, access)?)
    }

    /// Removes a user. Returns whether there was a user with this name.
    ///
    /// # Errors
    /// Returns an error if the name is invalid or reserved, or if the database fails.
    pub fn remove(&self, user: &str) -> Result<bool, ServeError> {
        check_user(user)?;
        Ok(self.0.remove(user)?)
    }

    /// Returns the users and their access, without the users that Hearsay itself needs.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub fn list(&self) -> Result<Vec<(String, UserAccess)>, ServeError> {
        let mut users = self.0.list()?;
        users.retain(|(user, _)| !user.starts_with(RESERVED_PREFIX));
        Ok(users)
    }

    /// Closes the database, or ends the connection to the server.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub fn close(self) -> Result<(), ServeError> {
        Ok(self.0.close()?)
    }
}

fn check_user(user: &str) -> Result<(), ServeError> {
    check_name(user)?;
    if user.starts_with(RESERVED_PREFIX) {
        return Err(ServeError::ReservedUser { name: user.to_owned() });
    }
    Ok(())
}
