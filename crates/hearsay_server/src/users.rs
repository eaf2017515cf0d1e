//! The users of a campaign: the names and passwords with which other programs connect to its server.

use std::{path::Path, sync::Arc};

use hearsay_store::{HostedDatabase, StoreError, StoreOptions, UserAccess, read_server_file};

use crate::{
    error::{MIN_PASSWORD_CHARS, ServeError},
    name::check_name,
};

/// Name of the user for programs on the machine of the server. Its password is in the file `server` in the database
/// directory, and changes each time when the server starts.
pub(crate) const LOCAL_USER: &str = "hearsay-local";

/// The users of a campaign. While this value exists, no other program can open the campaign.
#[derive(Debug)]
pub struct Users {
    database: Arc<HostedDatabase>,
}

impl Users {
    /// Opens the database in a directory. Blocks the calling thread.
    ///
    /// # Errors
    /// Returns an error if another program, for example a server, has the campaign open, or if the database cannot be
    /// opened.
    pub fn open(directory: &Path) -> Result<Self, ServeError> {
        let database = HostedDatabase::open(directory, &StoreOptions::default()).map_err(|error| match error {
            StoreError::InUse { holder, .. }
                if read_server_file(directory).is_some_and(|server| server.pid == holder.pid) =>
            {
                ServeError::ServerRuns { server: holder.to_string() }
            }
            error => error.into(),
        })?;
        Ok(Self { database: Arc::new(database) })
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
        Ok(self.database.set_user(user, password, access)?)
    }

    /// Removes a user. Returns whether there was a user with this name.
    ///
    /// # Errors
    /// Returns an error if the name is invalid or reserved, or if the database fails.
    pub fn remove(&self, user: &str) -> Result<bool, ServeError> {
        check_user(user)?;
        Ok(self.database.remove_user(user)?)
    }

    /// Returns the users and their access, without the user for programs on the machine of the server.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub fn list(&self) -> Result<Vec<(String, UserAccess)>, ServeError> {
        let mut users = self.database.users()?;
        users.retain(|(user, _)| user != LOCAL_USER);
        Ok(users)
    }

    /// Closes the database. Blocks the calling thread.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub fn close(self) -> Result<(), ServeError> {
        Ok(self.database.close()?)
    }
}

fn check_user(user: &str) -> Result<(), ServeError> {
    check_name(user)?;
    if user == LOCAL_USER {
        return Err(ServeError::ReservedUser { name: user.to_owned() });
    }
    Ok(())
}
