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
    /// Campaign directory [default: as for other commands]
    #[arg(value_name = "CAMPAIGN")]
    pub(crate) directory: Option<PathBuf>,
    /// Character whom the client plays, by id or name, or `dm` for the DM
    #[arg(long = "as", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) identity: String,
}
