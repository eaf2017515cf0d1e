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
    /// Shell to print the script for
    #[arg(value_enum)]
    pub(crate) shell: ShellArg,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Man {
    /// Directory to write the pages to; it is created
    pub(crate) directory: PathBuf,
}
