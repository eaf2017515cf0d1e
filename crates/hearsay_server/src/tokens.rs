//! The tokens of MCP clients and HTTP clients, in the file `tokens.json` in the database directory of a campaign.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use blake3::Hash;
use hearsay_files::{Access, Durability};
use hearsay_mcp::SessionIdentity;
use serde::{Deserialize, Serialize};

use crate::{error::ServeError, name::check_name};

const FILE: &str = "tokens.json";

/// Description of a token. It does not contain the token itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenEntry {
    /// Name of the token, unique in the campaign.
    pub name: String,
    /// Identity of the clients that send the token.
    pub identity: SessionIdentity,
    hash: Hash,
}

/// A token as the file contains it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredToken {
    name: String,
    identity: String,
    hash: String,
}

/// The tokens of a campaign. A token is a random text that proves the identity of a client. The file contains only the
/// hash of each token, so nobody can read the tokens from the file.
#[derive(Debug)]
pub struct Tokens {
    path: PathBuf,
    entries: Vec<TokenEntry>,
}

impl Tokens {
    /// Reads the tokens in the database directory of a campaign. Without a file, the campaign has no tokens.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or if its content is invalid.
    pub fn read(directory: &Path) -> Result<Self, ServeError> {
        let path = directory.join(FILE);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self { path, entries: Vec::new() }),
            Err(source) => return Err(ServeError::File { path, source }),
        };
        match parse(&bytes) {
            Ok(entries) => Ok(Self { path, entries }),
            Err(problem) => Err(ServeError::InvalidTokens { path, problem }),
        }
    }

    /// Adds a token, writes the file, and returns the new token. Nothing else contains the token, so the caller must
    /// show it. If the name is `None`, the token has the name of its identity.
    ///
    /// # Errors
    /// Returns an error if the name is invalid, if another token has the name, or if the file cannot be written.
    pub fn add(&mut self, name: Option<&str>, identity: SessionIdentity) -> Result<String, ServeError> {
        let text = identity.to_string();
        if text.parse::<SessionIdentity>().as_ref() != Ok(&identity) {
            return Err(ServeError::ReservedIdentity { id: text });
        }
        // The default name is an id, which can be longer than other names.
        name.map_or(Ok(()), check_name)?;
        let name = name.map_or(text, str::to_owned);
        if self.entries.iter().any(|entry| entry.name == name) {
            return Err(ServeError::DuplicateToken { name });
        }
        let token = hearsay_files::new_token();
        self.entries.push(TokenEntry { name, identity, hash: hash(&token) });
        self.write()?;
        Ok(token)
    }

    /// Removes a token, and writes the file. Returns whether there was a token with this name. A running server no
    /// longer accepts the token.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn remove(&mut self, name: &str) -> Result<bool, ServeError> {
        let count = self.entries.len();
        self.entries.retain(|entry| entry.name != name);
        if self.entries.len() == count {
            return Ok(false);
        }
        self.write()?;
        Ok(true)
    }

    /// Returns the tokens, oldest first.
    pub fn entries(&self) -> &[TokenEntry] {
        &self.entries
    }

    /// Returns the identity of the clients that send a token, or `None` if there is no such token.
    pub fn identity_of(&self, token: &str) -> Option<SessionIdentity> {
        // The comparison of two hashes takes the same time, whether they are equal or not.
        let hash = hash(token);
        self.entries.iter().find(|entry| entry.hash == hash).map(|entry| entry.identity.clone())
    }

    fn write(&self) -> Result<(), ServeError> {
        let stored: Vec<_> = self.entries.iter().map(StoredToken::from).collect();
        let file_error = |source| ServeError::File { path: self.path.clone(), source };
        let bytes = serde_json::to_vec_pretty(&stored).map_err(|error| file_error(error.into()))?;
        hearsay_files::replace(&self.path, &bytes, Access::Private, Durability::Synced).map_err(file_error)
    }
}

impl From<&TokenEntry> for StoredToken {
    fn from(entry: &TokenEntry) -> Self {
        Self { name: entry.name.clone(), identity: entry.identity.to_string(), hash: entry.hash.to_hex().to_string() }
    }
}

fn hash(token: &str) -> Hash {
    blake3::hash(token.as_bytes())
}

fn parse(bytes: &[u8]) -> Result<Vec<TokenEntry>, String> {
    let stored: Vec<StoredToken> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let entry = |StoredToken { name, identity, hash }: StoredToken| -> Result<TokenEntry, String> {
        let identity: SessionIdentity =
            identity.parse().map_err(|error| format!("the identity of the token `{name}`: {error}"))?;
        let hash = Hash::from_hex(hash).map_err(|error| format!("the hash of the token `{name}`: {error}"))?;
        Ok(TokenEntry { name, identity, hash })
    };
    stored.into_iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use hearsay_model::EntityId;

    use super::*;

    fn ada() -> SessionIdentity {
        SessionIdentity::Character(EntityId::new("ada").unwrap())
    }

    #[test]
    fn a_token_proves_its_identity_until_it_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let mut tokens = Tokens::read(directory.path()).unwrap();
        let (of_ada, of_dm) =
            (tokens.add(None, ada()).unwrap(), tokens.add(Some("tablet"), SessionIdentity::Dm).unwrap());
        let mut read = Tokens::read(directory.path()).unwrap();
        assert_eq!(read.entries(), tokens.entries());
        assert_eq!([&of_ada, &of_dm].map(|token| read.identity_of(token)), [Some(ada()), Some(SessionIdentity::Dm)]);
        for wrong in ["", "ada", &of_ada[1..], &of_ada.to_uppercase().replace('0', "1")] {
            assert_eq!(read.identity_of(wrong), None, "{wrong}");
        }
        assert!(read.remove("ada").unwrap() && !read.remove("ada").unwrap());
        let read = Tokens::read(directory.path()).unwrap();
        assert_eq!([&of_ada, &of_dm].map(|token| read.identity_of(token)), [None, Some(SessionIdentity::Dm)]);
    }

    #[test]
    fn the_file_is_private_and_contains_no_token() {
        let directory = tempfile::tempdir().unwrap();
        let token = Tokens::read(directory.path()).unwrap().add(None, ada()).unwrap();
        let path = directory.path().join(FILE);
        assert!(!fs::read_to_string(&path).unwrap().contains(&token));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn wrong_names_and_files_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let mut tokens = Tokens::read(directory.path()).unwrap();
        tokens.add(None, ada()).unwrap();
        let error = |result: Result<String, ServeError>| result.unwrap_err().to_string();
        assert!(error(tokens.add(None, ada())).contains("already a token with the name `ada`"));
        assert!(error(tokens.add(Some("a b"), ada())).contains("`a b` is not a valid name"));
        // A character with the id `dm` must not get the rights of the DM.
        let dm = SessionIdentity::Character(EntityId::new("dm").unwrap());
        assert!(error(tokens.add(Some("x"), dm)).contains("`dm` stands for the DM"));
        assert_eq!(tokens.entries().len(), 1);
        for (text, part) in [
            ("[", "line 1"),
            (r#"[{"name": "x", "identity": "No Id", "hash": ""}]"#, "the identity of the token `x`"),
            (r#"[{"name": "x", "identity": "dm", "hash": "00"}]"#, "the hash of the token `x`"),
        ] {
            fs::write(directory.path().join(FILE), text).unwrap();
            let error = Tokens::read(directory.path()).unwrap_err().to_string();
            assert!(error.contains("tokens.json") && error.contains(part), "{error}");
        }
    }
}
