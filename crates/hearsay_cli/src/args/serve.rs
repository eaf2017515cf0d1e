//! Arguments of `hearsay serve`.

use std::{net::SocketAddr, path::PathBuf};

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
    #[arg(long, value_name = "ADDRESS:PORT")]
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

#[derive(Debug, Subcommand)]
pub(crate) enum ServeCommand {
    /// Add, remove and list the users of programs on other machines
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
    /// Remove a user
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
