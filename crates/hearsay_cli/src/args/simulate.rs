//! `hearsay simulate`: gossip and story flags.

use clap::Args as ClapArgs;

use super::{campaign::Campaign, names::flags};

/// Parses the number of days of gossip.
fn days(given: &str) -> Result<u32, String> {
    given
        .parse()
        .ok()
        .filter(|days| *days > 0)
        .ok_or_else(|| format!("expected a number of days from 1 to {}", u32::MAX))
}

fn seed(given: &str) -> Result<u64, String> {
    given.parse().map_err(|_| format!("expected a whole number from 0 to {}", u64::MAX))
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GossipArgs {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Number of days to simulate on the campaign's calendar, starting at the current game time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = days, allow_negative_numbers = true)]
    pub(crate) days: u32,
    /// Number that determines the random choices, such as who meets whom; use the same number for all simulations of a
    /// campaign
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Also print who tells which fact to whom
    #[arg(long)]
    pub(crate) tellings: bool,
    /// List all facts that nobody tells, with the reasons [default: list a few of these facts for each reason]
    #[arg(long)]
    pub(crate) untold: bool,
    /// Maximum number of facts to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Show the facts that characters would tell, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Flag {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Name of the flag [default: list all flags]
    #[arg(add = flags())]
    pub(crate) name: Option<String>,
    /// New value of the flag: yes, no, a number or text; the value must have the same type as the declared value
    #[arg(requires = "name")]
    pub(crate) value: Option<String>,
    /// Declare a new flag with this name and value
    #[arg(long, requires = "value")]
    pub(crate) declare: bool,
    /// Show what the new value of the flag would change, without changing anything
    #[arg(long, requires = "value")]
    pub(crate) dry_run: bool,
}
