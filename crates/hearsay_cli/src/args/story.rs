//! What can be typed to let the game go on.

use clap::Args as ClapArgs;

use super::Campaign;

#[derive(Debug, ClapArgs)]
pub(crate) struct GossipArgs {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// For how many days of the campaign's calendar, from the game clock on
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) days: u32,
    /// Another seed makes other meetings; keep it for all steps of one game
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print every telling
    #[arg(long)]
    pub(crate) tellings: bool,
    /// At most so many facts
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Say who would tell whom what, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Flag {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The flag's name [default: list all]
    pub(crate) name: Option<String>,
    /// Its new value: yes, no, a number or text, as it was declared
    #[arg(requires = "name")]
    pub(crate) value: Option<String>,
    /// Declare it: it is new
    #[arg(long, requires = "value")]
    pub(crate) declare: bool,
}
