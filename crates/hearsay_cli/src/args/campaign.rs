//! The campaign of a command.

use std::path::PathBuf;

use clap::{ArgMatches, Args as ClapArgs, FromArgMatches};
use hearsay_engine::find_campaign_directory;

/// The campaign of a command.
#[derive(Debug, Clone)]
pub(crate) struct Campaign {
    /// Path of the campaign directory.
    pub(crate) campaign: PathBuf,
    /// Whether the directory was given on the command line.
    is_named: bool,
    /// Whether to ignore changes in the campaign's files.
    pub(crate) no_sync: bool,
}

impl Campaign {
    /// Returns the campaign in a directory that the command line names as an argument.
    pub(crate) fn in_directory(directory: PathBuf, no_sync: bool) -> Self {
        Self { campaign: directory, is_named: true, no_sync }
    }

    /// Returns a command line for this campaign, for use in a hint. `rest` is the command with its arguments.
    pub(crate) fn command(&self, rest: &str) -> String {
        match self.is_named {
            true => format!("hearsay -C {} {rest}", self.campaign.display()),
            false => format!("hearsay {rest}"),
        }
    }
}

/// The options that select a campaign are global options of the program. Clap passes their values to each command, so a
/// command does not define them again.
impl ClapArgs for Campaign {
    fn augment_args(command: clap::Command) -> clap::Command {
        command
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command
    }
}

impl FromArgMatches for Campaign {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.get_one::<PathBuf>("campaign").cloned();
        let is_named = given.is_some();
        let missing = "no campaign found in this directory or in any directory above it; pass the campaign \
                       directory with -C DIR or with the environment variable HEARSAY_CAMPAIGN, or create a \
                       campaign with `hearsay new`";
        let campaign = find_campaign_directory(given)
            .ok_or_else(|| clap::Error::raw(clap::error::ErrorKind::MissingRequiredArgument, missing))?;
        Ok(Self { campaign, is_named, no_sync: matches.get_flag("no_sync") })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The campaign of a command that also works without a campaign.
#[derive(Debug, Clone)]
pub(crate) struct OptionalCampaign(pub(crate) Option<Campaign>);

impl ClapArgs for OptionalCampaign {
    fn augment_args(command: clap::Command) -> clap::Command {
        Campaign::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Campaign::augment_args_for_update(command)
    }
}

impl FromArgMatches for OptionalCampaign {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // The only error is that there is no campaign.
        Ok(Self(Campaign::from_arg_matches(matches).ok()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
