//! `hearsay completions` and `hearsay man`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

/// A shell that can complete command lines.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ShellArg {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

impl ShellArg {
    /// Returns the name of the shell.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Elvish => "elvish",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
            Self::Zsh => "zsh",
        }
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Completions {
    /// Shell for which to print the script
    #[arg(value_enum)]
    pub(crate) shell: ShellArg,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Man {
    /// Directory for the manual pages; Hearsay creates the directory if it does not exist
    pub(crate) directory: PathBuf,
}
