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
    /// Number of days to simulate on the campaign's calendar, starting at the game clock
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = days, allow_negative_numbers = true)]
    pub(crate) days: u32,
    /// Random seed that decides who meets whom; use the same seed throughout a game
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = seed, allow_negative_numbers = true)]
    pub(crate) seed: u64,
    /// Also print each occasion on which a fact is told: teller, hearer and fact
    #[arg(long)]
    pub(crate) tellings: bool,
    /// Also list all facts that nobody tells, with the reasons; otherwise, list a few facts for each reason
    #[arg(long)]
    pub(crate) untold: bool,
    /// Maximum number of facts to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Show who would tell whom which facts, without changing anything
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
    /// New value of the flag: yes, no, a number or text; it must have the same type as the declared value
    #[arg(requires = "name")]
    pub(crate) value: Option<String>,
    /// Declare a new flag
    #[arg(long, requires = "value")]
    pub(crate) declare: bool,
    /// With a value: show what would change, without changing anything
    #[arg(long, requires = "value")]
    pub(crate) dry_run: bool,
}
