//! The appearance of the panels. One theme file defines a dark and a light theme. The user can change the scale.

use std::{collections::BTreeMap, fs, path::PathBuf, sync::Arc};

use egui::{
    Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Margin, Stroke, Style, TextStyle, Visuals,
};
use hearsay_model::Kind;
use serde::{Deserialize, Deserializer, Serialize};

/// The built-in theme.
const BUILT_IN: &str = include_str!("../data/theme.toml");

/// Variant of the theme: dark or light.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shade {
    /// Light text on a dark background, for a dim room.
    #[default]
    Dark,
    /// Dark text on a light background.
    Light,
}

impl Shade {
    /// Returns the other shade.
    pub fn other(self) -> Self {
        match self {
            Self::Dark => Self::Light,
            Self::Light => Self::Dark,
        }
    }
}

impl std::str::FromStr for Shade {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "dark" => Ok(Self::Dark),
            "light" => Ok(Self::Light),
            other => Err(format!("unknown theme `{other}`: write `dark` or `light`")),
        }
    }
}

/// A theme file: sizes, spacing, and the colours of both shades.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeFile {
    sizes: Sizes,
    spacing: Spacing,
    dark: Palette,
    light: Palette,
}

/// Sizes of text and widgets, in points.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sizes {
    /// Size of small text, such as hints and counts.
    pub small: f32,
    /// Size of body text.
    pub body: f32,
    /// Size of headings.
    pub heading: f32,
    /// Minimum height of widgets that the user can click.
    pub target: f32,
    /// Height of a list row that has one line.
    pub row: f32,
}

/// Distances, in points.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spacing {
    /// Distance between related widgets.
    pub tight: f32,
    /// Distance between widgets.
    pub normal: f32,
    /// Distance between groups of widgets.
    pub wide: f32,
    /// Radius of corners.
    pub rounding: f32,
}

/// The colours of a shade.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Palette {
    /// Background of the window.
    #[serde(deserialize_with = "colour")]
    pub background: Color32,
    /// Background of panels.
    #[serde(deserialize_with = "colour")]
    pub surface: Color32,
    /// Background of cards, buttons and fields.
    #[serde(deserialize_with = "colour")]
    pub raised: Color32,
    /// Background of widgets under the pointer.
    #[serde(deserialize_with = "colour")]
    pub hovered: Color32,
    /// Colour of lines between widgets.
    #[serde(deserialize_with = "colour")]
    pub line: Color32,
    /// Colour of text.
    #[serde(deserialize_with = "colour")]
    pub text: Color32,
    /// Colour of emphasized text.
    #[serde(deserialize_with = "colour")]
    pub strong: Color32,
    /// Colour of less important text.
    #[serde(deserialize_with = "colour")]
    pub weak: Color32,
    /// Colour of focused widgets.
    #[serde(deserialize_with = "colour")]
    pub accent: Color32,
    /// Colour of text on a background in the colour `accent`.
    #[serde(deserialize_with = "colour")]
    pub on_accent: Color32,
    /// Background of selected items.
    #[serde(deserialize_with = "colour")]
    pub selection: Color32,
    /// Colour of links.
    #[serde(deserialize_with = "colour")]
    pub link: Color32,
    /// Colour of success messages.
    #[serde(deserialize_with = "colour")]
    pub good: Color32,
    /// Colour of warnings.
    #[serde(deserialize_with = "colour")]
    pub warn: Color32,
    /// Colour of errors.
    #[serde(deserialize_with = "colour")]
    pub bad: Color32,
    /// Colour of secrets.
    #[serde(deserialize_with = "colour")]
    pub secret: Color32,
    /// Background of the words in a quote that state the fact.
    #[serde(deserialize_with = "colour")]
    pub mark: Color32,
    /// Colours of entities, by kind. The key `other` is for kinds that the campaign defines.
    #[serde(deserialize_with = "colours")]
    pub kinds: BTreeMap<String, Color32>,
}

fn colour<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Color32, D::Error> {
    let text = String::deserialize(deserializer)?;
    Color32::from_hex(&text).map_err(|_| serde::de::Error::custom(format!("`{text}` is not a colour: write `#rrggbb`")))
}

fn colours<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, Color32>, D::Error> {
    #[derive(Deserialize)]
    struct Colour(#[serde(deserialize_with = "colour")] Color32);
    let colours_by_name = BTreeMap::<String, Colour>::deserialize(deserializer)?;
    Ok(colours_by_name.into_iter().map(|(name, Colour(colour))| (name, colour)).collect())
}

/// The meaning of a colour. The panels always show this meaning in words as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Text without a particular meaning.
    #[default]
    Plain,
    /// Less important text.
    Weak,
    /// Focused or new item.
    Accent,
    /// Success.
    Good,
    /// Warning.
    Warn,
    /// Error.
    Bad,
    /// Secret.
    Secret,
}

/// The current theme: one shade of a theme file, at a given scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    file: Arc<ThemeFile>,
    shade: Shade,
    scale: f32,
}

impl Default for Theme {
    fn default() -> Self {
        Self::built_in(Shade::Dark)
    }
}

impl Theme {
    /// Minimum and maximum scale.
    pub const SCALE_RANGE: std::ops::RangeInclusive<f32> = 0.75..=2.0;

    /// Returns the built-in theme.
    ///
    /// # Panics
    /// Never panics: the theme file is part of the program, and a test checks that it is valid.
    #[allow(clippy::expect_used, reason = "the file is compiled in, and a test reads it")]
    pub fn built_in(shade: Shade) -> Self {
        let file = Self::parse(BUILT_IN).expect("the built-in theme is right");
        Self { file: Arc::new(file), shade, scale: 1.0 }
    }

    /// Parses the text of a theme file.
    ///
    /// # Errors
    /// Returns an error if the text is not a theme. The error contains the line and says what was expected.
    pub fn parse(text: &str) -> Result<ThemeFile, toml::de::Error> {
        toml::from_str(text)
    }

    /// Replaces the theme file. Shade and scale stay the same.
    pub fn with_file(mut self, file: ThemeFile) -> Self {
        self.file = Arc::new(file);
        self
    }

    /// Returns the current shade: dark or light.
    pub fn shade(&self) -> Shade {
        self.shade
    }

    /// Sets the shade: dark or light.
    pub fn set_shade(&mut self, shade: Shade) {
        self.shade = shade;
    }

    /// Returns the scale: the factor by which text and widgets are enlarged. With a scale of 1.0, text and widgets have
    /// the [sizes](Self::sizes) that the theme file defines.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Sets the scale, clamped to [`SCALE_RANGE`](Self::SCALE_RANGE).
    pub fn set_scale(&mut self, scale: f32) {
        if scale.is_finite() {
            self.scale = scale.clamp(*Self::SCALE_RANGE.start(), *Self::SCALE_RANGE.end());
        }
    }

    /// Returns the colours.
    pub fn palette(&self) -> &Palette {
        match self.shade {
            Shade::Dark => &self.file.dark,
            Shade::Light => &self.file.light,
        }
    }

    /// Returns the sizes of text and widgets.
    pub fn sizes(&self) -> Sizes {
        self.file.sizes
    }

    /// Returns the distances.
    pub fn spacing(&self) -> Spacing {
        self.file.spacing
    }

    /// Returns the colour of a tone.
    pub fn tone(&self, tone: Tone) -> Color32 {
        let palette = self.palette();
        match tone {
            Tone::Plain => palette.text,
            Tone::Weak => palette.weak,
            Tone::Accent => palette.accent,
            Tone::Good => palette.good,
            Tone::Warn => palette.warn,
            Tone::Bad => palette.bad,
            Tone::Secret => palette.secret,
        }
    }

    /// Returns the colour of a kind of entity.
    pub fn kind(&self, kind: Option<&Kind>) -> Color32 {
        let palette = self.palette();
        let kind_colour = kind.and_then(|kind| palette.kinds.get(kind.as_str()));
        kind_colour.or_else(|| palette.kinds.get("other")).copied().unwrap_or(palette.weak)
    }

    /// Applies the theme to an egui context. If the theme did not change, this call takes almost no time.
    pub fn apply(&self, ctx: &egui::Context) {
        let key = egui::Id::new("hearsay theme");
        let applied_settings: Option<(Shade, u32)> = ctx.data(|data| data.get_temp(key));
        let current_settings = (self.shade, self.scale.to_bits());
        if applied_settings == Some(current_settings) {
            return;
        }
        if applied_settings.is_none() {
            ctx.set_fonts(fonts());
        }
        let theme = if self.shade == Shade::Dark { egui::Theme::Dark } else { egui::Theme::Light };
        ctx.set_style_of(theme, self.style());
        ctx.set_theme(theme);
        ctx.set_zoom_factor(self.scale);
        ctx.data_mut(|data| data.insert_temp(key, current_settings));
    }

    /// Returns the style of egui's widgets.
    pub fn style(&self) -> Style {
        let (palette, sizes, spacing) = (self.palette(), self.sizes(), self.spacing());
        let proportional = |size| FontId::new(size, FontFamily::Proportional);
        let mut style = Style {
            text_styles: [
                (TextStyle::Small, proportional(sizes.small)),
                (TextStyle::Body, proportional(sizes.body)),
                (TextStyle::Button, proportional(sizes.body)),
                (TextStyle::Heading, proportional(sizes.heading)),
                (TextStyle::Monospace, FontId::new(sizes.body - 1.0, FontFamily::Monospace)),
            ]
            .into(),
            visuals: self.visuals(),
            animation_time: 0.08,
            ..Style::default()
        };
        style.spacing.item_spacing = egui::vec2(spacing.normal, spacing.tight);
        style.spacing.button_padding = egui::vec2(spacing.normal, spacing.tight - 1.0);
        style.spacing.interact_size = egui::vec2(sizes.target, sizes.target);
        style.spacing.menu_margin = Margin::same(spacing.tight as i8);
        style.spacing.window_margin = Margin::same(spacing.wide as i8);
        style.spacing.scroll = egui::style::ScrollStyle::solid();
        style.spacing.scroll.bar_width = spacing.normal;
        style.interaction.tooltip_delay = 0.3;
        // Disable text selection, because selectable text in a list row would receive the clicks on the row.
        style.interaction.selectable_labels = false;
        // A blinking cursor causes frames all the time.
        style.visuals.text_cursor.blink = false;
        style.visuals.selection.bg_fill = palette.selection;
        style
    }

    fn visuals(&self) -> Visuals {
        let (palette, spacing) = (self.palette(), self.spacing());
        let mut visuals = if self.shade == Shade::Dark { Visuals::dark() } else { Visuals::light() };
        let rounding = CornerRadius::same(spacing.rounding as u8);
        // Compensate for an optical effect: dark letters on a light background look too thin.
        if self.shade == Shade::Light {
            visuals.text_options.color_transfer_function = egui::epaint::FontColorTransferFunction::Gamma(0.6);
        }
        visuals.panel_fill = palette.surface;
        visuals.window_fill = palette.surface;
        visuals.window_stroke = Stroke::new(1.0, palette.line);
        visuals.window_corner_radius = rounding;
        visuals.menu_corner_radius = rounding;
        visuals.faint_bg_color = palette.background;
        visuals.extreme_bg_color = palette.background;
        visuals.code_bg_color = palette.background;
        visuals.hyperlink_color = palette.link;
        visuals.warn_fg_color = palette.warn;
        visuals.error_fg_color = palette.bad;
        visuals.weak_text_color = Some(palette.weak);
        visuals.selection.bg_fill = palette.selection;
        visuals.selection.stroke = Stroke::new(1.0, palette.accent);
        let widgets = &mut visuals.widgets;
        for (state, fill, text) in [
            (&mut widgets.noninteractive, palette.surface, palette.text),
            (&mut widgets.inactive, palette.raised, palette.text),
            (&mut widgets.hovered, palette.hovered, palette.strong),
            (&mut widgets.active, palette.selection, palette.strong),
            (&mut widgets.open, palette.hovered, palette.strong),
        ] {
            state.bg_fill = fill;
            state.weak_bg_fill = fill;
            state.fg_stroke = Stroke::new(1.0, text);
            state.bg_stroke = Stroke::new(1.0, palette.line);
            state.corner_radius = rounding;
            state.expansion = 0.0;
        }
        // The handle of a scroll bar must be visible on its rail.
        visuals.widgets.inactive.bg_fill = palette.line;
        visuals.widgets.hovered.bg_stroke = Stroke::new(1.0, palette.accent);
        visuals.widgets.active.bg_stroke = Stroke::new(1.5, palette.accent);
        visuals
    }
}

/// Returns egui's fonts, followed by the system's fonts for other scripts, such as Hebrew, Arabic and Chinese.
pub fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    for (name, path) in system_fonts() {
        let Ok(bytes) = fs::read(&path) else { continue };
        fonts.font_data.insert(name.clone(), Arc::new(FontData::from_owned(bytes)));
        for family in [FontFamily::Proportional, FontFamily::Monospace] {
            fonts.families.entry(family).or_default().push(name.clone());
        }
    }
    fonts
}

/// Returns the name and path of each available system font for other scripts.
fn system_fonts() -> Vec<(String, PathBuf)> {
    const FONTS: &[&str] = &[
        "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
        "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
        "/usr/share/fonts/TTF/DejaVuSans.ttf",
        "/usr/share/fonts/truetype/noto/NotoSansHebrew-Regular.ttf",
        "/usr/share/fonts/truetype/noto/NotoSansArabic-Regular.ttf",
        "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
        "/System/Library/Fonts/Supplemental/Arial Unicode.ttf",
        "C:\\Windows\\Fonts\\segoeui.ttf",
        "C:\\Windows\\Fonts\\msyh.ttc",
    ];
    let available_fonts = FONTS.iter().map(PathBuf::from).filter(|path| path.is_file());
    available_fonts.map(|path| (format!("system {}", path.display()), path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(colour: Color32) -> f32 {
        let linear = |c: u8| {
            let c = f32::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(colour.r()) + 0.7152 * linear(colour.g()) + 0.0722 * linear(colour.b())
    }

    fn contrast(a: Color32, b: Color32) -> f32 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_text_stands_out_from_what_is_behind_it() {
        for shade in [Shade::Dark, Shade::Light] {
            let theme = Theme::built_in(shade);
            let palette = theme.palette();
            let mut texts = vec![palette.text, palette.strong, palette.weak, palette.accent, palette.link];
            texts.extend([palette.good, palette.warn, palette.bad, palette.secret]);
            texts.extend(palette.kinds.values().copied());
            for background in [palette.background, palette.surface, palette.raised, palette.hovered] {
                for text in &texts {
                    let ratio = contrast(*text, background);
                    assert!(ratio >= 4.5, "{shade:?}: {} on {}: {ratio:.1}", text.to_hex(), background.to_hex());
                }
            }
            for (text, background) in [
                (palette.text, palette.selection),
                (palette.strong, palette.selection),
                (palette.text, palette.mark),
                (palette.on_accent, palette.accent),
            ] {
                assert!(contrast(text, background) >= 4.5, "{shade:?}: {} on {}", text.to_hex(), background.to_hex());
            }
        }
    }

    #[test]
    fn a_wrong_colour_says_which_line() {
        let wrong = BUILT_IN.replacen("#15171c", "black", 1);
        let error = Theme::parse(&wrong).unwrap_err().to_string();
        assert!(error.contains("background = \"black\"") && error.contains("#rrggbb"), "{error}");
    }

    #[test]
    fn the_scale_keeps_within_its_bounds() {
        let mut theme = Theme::default();
        theme.set_scale(9.0);
        assert_eq!(theme.scale(), 2.0);
        theme.set_scale(f32::NAN);
        assert_eq!(theme.scale(), 2.0);
    }
}
