//! Command line of `dm_console`.

use std::{fs, path::PathBuf};

use anyhow::Context;
use bevy_hearsay_panel::{PanelKind, Shade, Theme};
use clap::Parser;

/// Console for the dungeon master during play
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "To show all keys in the console, press F1 or ?. To take a screenshot on a machine without a display, run: xvfb-run dm_console -C CAMPAIGN --screenshot out.png"
)]
pub(crate) struct Args {
    /// Campaign directory [env: HEARSAY_CAMPAIGN] [default: the campaign in the working directory or in the
    /// nearest directory above it]
    #[arg(long, short = 'C', value_name = "DIR")]
    pub(crate) campaign: Option<PathBuf>,
    /// Save a screenshot of the window to FILE, then exit
    #[arg(long, value_name = "FILE")]
    pub(crate) screenshot: Option<PathBuf>,
    /// Exit with an error if the new screenshot differs from the earlier screenshot in FILE
    #[arg(long, value_name = "FILE", requires = "screenshot")]
    pub(crate) compare: Option<PathBuf>,
    #[arg(long, value_name = "NAME", value_parser = parse_panel, help = format!("Open this panel: {}", panel_names()))]
    pub(crate) panel: Option<PanelKind>,
    /// Show the entity with this id: in the graph panel with `--panel graph`, in the scene panel with `--panel scene`,
    /// and in the entity panel otherwise
    #[arg(long, value_name = "ID")]
    pub(crate) show: Option<String>,
    /// Open the search panel, and search for these words
    #[arg(long, value_name = "WORDS")]
    pub(crate) search: Option<String>,
    /// Size of the window in pixels [default: the size at the last exit; at the first start, 1280x720]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = parse_size)]
    pub(crate) size: Option<(u32, u32)>,
    /// Theme of the interface: `dark`, `light`, or the path of a theme file
    #[arg(long, value_name = "THEME", default_value = "dark")]
    theme: String,
    /// Scale of the interface, from 0.75 to 2.0
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    scale: f32,
    /// Start in screen-safe mode, which shows only facts that all player characters know
    #[arg(long)]
    pub(crate) screen_safe: bool,
    /// Do not search by meaning with the sentence encoder; rank search results only by keywords and by relations
    /// between entities
    #[arg(long)]
    pub(crate) no_meaning: bool,
    /// Do not import changed campaign files
    #[arg(long)]
    pub(crate) no_sync: bool,
}

impl Args {
    /// Returns the theme that the options select.
    pub(crate) fn theme(&self) -> anyhow::Result<Theme> {
        anyhow::ensure!(
            Theme::SCALE_RANGE.contains(&self.scale),
            "the value {} of --scale is out of range; choose a number from {} to {}",
            self.scale,
            Theme::SCALE_RANGE.start(),
            Theme::SCALE_RANGE.end()
        );
        let mut theme = match self.theme.parse::<Shade>() {
            Ok(shade) => Theme::built_in(shade),
            Err(_) if !self.theme.contains(['.', '/', '\\']) => {
                anyhow::bail!(
                    "the theme `{}` of --theme is unknown; pass `dark`, `light`, or the path of a theme file",
                    self.theme
                )
            }
            Err(_) => {
                let text = fs::read_to_string(&self.theme)
                    .with_context(|| format!("the theme file {} cannot be read", self.theme))?;
                let parsed =
                    Theme::parse(&text).with_context(|| format!("the theme file {} is invalid", self.theme))?;
                Theme::default().with_file(parsed)
            }
        };
        theme.set_scale(self.scale);
        Ok(theme)
    }
}

fn parse_panel(text: &str) -> Result<PanelKind, String> {
    PanelKind::from_name(text).ok_or_else(|| format!("unknown panel; choose one of {}", panel_names()))
}

fn panel_names() -> String {
    PanelKind::ALL.map(|kind| format!("{kind:?}").to_lowercase()).join(", ")
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let parsed = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let is_valid = |(width, height): &(u32, u32)| (320..=7680).contains(width) && (240..=4320).contains(height);
    parsed.filter(is_valid).ok_or_else(|| {
        "write the size in the form 1280x720; the smallest size is 320x240, and \
                                           the largest is 7680x4320"
            .into()
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_holds_together() {
        <Args as clap::CommandFactory>::command().debug_assert();
        let parsed = |args: &[&str]| Args::try_parse_from([&["dm_console"], args].concat());
        let args =
            parsed(&["--screenshot", "out.png", "--panel", "let-time-pass", "--size", "1920x1080", "-C", "mill"]);
        let args = args.unwrap();
        assert_eq!((args.panel, args.size), (Some(PanelKind::Time), Some((1920, 1080))));
        assert_eq!(args.campaign, Some(PathBuf::from("mill")));
        assert!(parsed(&["--size", "0x0"]).unwrap_err().to_string().contains("1280x720"));
        assert!(parsed(&["--panel", "nothing"]).unwrap_err().to_string().contains("choose one of review"));
        assert!(parsed(&["--theme", "pink"]).unwrap().theme().is_err());
    }

    #[test]
    fn options_have_the_same_names_as_those_of_hearsay() {
        let args = Args::try_parse_from(["dm_console", "--campaign", "mill", "--no-sync", "--no-meaning"]).unwrap();
        assert!(args.no_sync && args.no_meaning && args.campaign.is_some());
        assert!(Args::try_parse_from(["dm_console", "mill"]).is_err(), "the campaign is no positional argument");
    }
}
