//! Arguments of `hearsay serve`.

use std::{
    net::{SocketAddr, ToSocketAddrs},
    path::PathBuf,
};

use clap::{Args as ClapArgs, Subcommand};

use super::{
    campaign::OptionalCampaign,
    names::{entities, name},
};

#[derive(Debug, ClapArgs)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) campaign: OptionalCampaign,
    /// Campaign directory [default: the same as for the option -C]
    #[arg(value_name = "CAMPAIGN")]
    pub(crate) directory: Option<PathBuf>,
    /// Address on which the server listens; the port 0 stands for any free port [default: 127.0.0.1:4801]
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = socket_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// File with the certificate for encrypted connections (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// File with the private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Let other machines connect without encryption
    #[arg(long)]
    pub(crate) insecure: bool,
    /// Name of this machine in the address that MCP clients use; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) host_name: Vec<String>,
    #[command(subcommand)]
    pub(crate) command: Option<ServeCommand>,
}

/// Parses an address with a port. Looks up a host name, and prefers an IPv4 address.
fn socket_address(text: &str) -> Result<SocketAddr, String> {
    let found: Vec<SocketAddr> = text.to_socket_addrs().map(Iterator::collect).unwrap_or_default();
    let preferred = found.iter().find(|address| address.is_ipv4()).or(found.first());
    preferred.copied().ok_or_else(|| {
        "this is not an address of this machine with a port, such as `127.0.0.1:4801` or `localhost:4801`".to_owned()
    })
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    /// Add, remove and list the users of programs on other machines, also while the server runs
    #[command(subcommand)]
    User(ServeUser),
    /// Add, remove and list the tokens of MCP clients and HTTP clients
    #[command(subcommand)]
    Token(ServeToken),
}

/// `hearsay serve user`.
#[derive(Debug, Subcommand)]
pub(crate) enum ServeUser {
    /// Add a user, or change the password and the rights of a user
    #[command(after_help = "\
The command reads the password from the variable HEARSAY_STORE_PASSWORD. If this variable
is not set, the command asks for the password, or reads it from standard input.

Examples:
  hearsay serve user add anna
  hearsay serve user add archive --read-only")]
    Add(ServeUserAdd),
    /// Remove a user; a running server ends the connections of this user within ten seconds
    Remove {
        /// Name of the user
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// List the users and their rights
    List,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ServeUserAdd {
    /// Name of the user
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The user can read the campaign, but not change it
    #[arg(long)]
    pub(crate) read_only: bool,
}

/// `hearsay serve token`.
#[derive(Debug, Subcommand)]
pub(crate) enum ServeToken {
    /// Create a token for a character or the DM, and print it
    #[command(after_help = "\
A client that sends the token gets the answers of this character only. The server stores
only a hash of the token, so it cannot show the token again.

Examples:
  hearsay serve token add mirela-voss
  hearsay serve token add dm --name tablet")]
    Add(ServeTokenAdd),
    /// Remove a token; a running server refuses it from now on
    Remove {
        /// Name of the token
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// List the tokens with their names and identities
    List,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ServeTokenAdd {
    /// Character that the client plays (id or name); `dm` gives the client access to the whole campaign
    #[arg(value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) identity: String,
    /// Name of the token [default: the id of the character]
    #[arg(long)]
    pub(crate) name: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_name_stands_for_its_address() {
        let address = socket_address("localhost:4801");
        assert!(
            address.as_ref().is_ok_and(|address| address.ip().is_loopback() && address.port() == 4801),
            "{address:?}"
        );
        assert_eq!(socket_address("[::1]:0").map(|address| address.to_string()).as_deref(), Ok("[::1]:0"));
        for wrong in ["localhost", "127.0.0.1", "4801", ""] {
            assert!(socket_address(wrong).is_err(), "{wrong}");
        }
    }
}
