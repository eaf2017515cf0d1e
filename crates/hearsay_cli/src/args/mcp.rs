//! Arguments of `hearsay mcp`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::{
    campaign::OptionalCampaign,
    names::{entities, name},
};

#[derive(Debug, ClapArgs)]
pub(crate) struct Mcp {
    #[command(flatten)]
    pub(crate) campaign: OptionalCampaign,
    /// Campaign directory [default: the same as for the option -C]
    #[arg(value_name = "CAMPAIGN")]
    pub(crate) directory: Option<PathBuf>,
    /// Character that the client plays (id or name); `dm` gives the client access to the whole campaign
    #[arg(long = "as", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) identity: String,
}
