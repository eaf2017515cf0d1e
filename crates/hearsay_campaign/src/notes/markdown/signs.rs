//! Signs of the kind of a note, and of DM-only notes.

use hearsay_model::{Kind, slug};

use crate::notes::{Field, Note, Sure, lexicon, secret};

/// Sets the kind from the first sentence: `Gull Bay is a small port in the north.`
pub(super) fn guess_by_sentence(note: &mut Note) {
    let Some(first) = note.texts.first().filter(|_| note.kind.is_none() && !note.player) else { return };
    let words = hearsay_model::text::words(first.text.text.split(". ").next().unwrap_or_default());
    let named = hearsay_model::text::words(&note.name);
    let begins = words.iter().take(3).any(|word| named.first() == Some(word));
    let is = |pair: &[String]| {
        ["is", "was", "are"].contains(&pair[0].as_str()) && ["a", "an", "the"].contains(&pair[1].as_str())
    };
    let Some(at) = words.windows(2).take(12).position(is).filter(|_| begins) else { return };
    const STOPS: [&str; 18] = [
        "that", "who", "which", "in", "on", "at", "of", "from", "located", "near", "by", "for", "and", "with", "to",
        "where", "known", "called",
    ];
    let goes_on = |word: &&String| !STOPS.contains(&word.as_str()) && !word.ends_with("ing");
    let noun = words[at + 2..].iter().take(8).take_while(goes_on).filter_map(|word| lexicon::noun(word)).last();
    if let Some(kind) = noun {
        note.guess(kind, Sure::Guessed, "its first sentence");
    }
}

/// Returns the kind that a name contains: `The Ascendant Guild`.
pub(super) fn kind_in_name(name: &str) -> Option<Kind> {
    let words = slug(name);
    let last = words.rsplit('-').next()?;
    let first = words.trim_start_matches("the-").split('-').next()?;
    let group = [
        "guild",
        "order",
        "cult",
        "clan",
        "company",
        "brotherhood",
        "sisterhood",
        "syndicate",
        "conspiracy",
        "circle",
        "pack",
        "council",
        "gang",
        "crew",
    ];
    if group.contains(&last) || group.contains(&first) || words.contains("bandits") {
        return Some(Kind::Faction);
    }
    let place = [
        "temple",
        "tavern",
        "inn",
        "keep",
        "castle",
        "tower",
        "forest",
        "village",
        "river",
        "mill",
        "manor",
        "estate",
        "cave",
        "caves",
        "swamp",
        "mountain",
        "mountains",
        "lake",
        "bay",
        "grotto",
    ];
    (place.contains(&last) || place.contains(&first)).then_some(Kind::Location)
}

/// Whether a field of the front matter marks the whole note as DM-only.
pub(super) fn says_secret(field: &Field) -> bool {
    let name = slug(&field.name).replace('-', "");
    let top = !field.origin.field.contains('/');
    let values = || field.values.iter().map(|piece| piece.value.to_string().to_lowercase());
    let yes = |text: &String| ["yes", "true", "1", "on", "full"].contains(&text.trim());
    let marks = [
        "visibility",
        "audience",
        "access",
        "tags",
        "tag",
        "status",
        "permission",
        "permissions",
        "cssclasses",
        "cssclass",
        "viewers",
        "readers",
    ];
    let player_safe = [
        "playersafe",
        "playervisible",
        "knowntoplayers",
        "knowntoparty",
        "playersknow",
        "partyknows",
        "revealed",
        "public",
        "playerknown",
        "shared",
        // Unpublished notes are not for readers.
        "publish",
        "published",
        "dgpublish",
        "known",
        "discovered",
        "visible",
        "visibletoplayers",
        "visibletoparty",
        "showtoplayers",
        "playerfacing",
    ];
    top && (secret::is_secret(&field.name) && values().any(|text| yes(&text))
        || name == "draft" && values().any(|text| yes(&text))
        || marks.contains(&name.as_str()) && values().any(|text| secret::is_secret(&text))
        || player_safe.contains(&name.as_str()) && values().any(|text| ["no", "false", "0"].contains(&text.trim())))
}

/// Whether a type belongs to the game's rules, and is not part of the world.
pub(super) fn is_rule(word: &str) -> bool {
    let word = slug(word);
    [
        "feature",
        "feat",
        "spell",
        "action",
        "rule",
        "rules",
        "table",
        "condition",
        "class",
        "subclass",
        "macro",
        "homebrew",
        "statblock",
        "template",
        "journal-template",
    ]
    .contains(&word.as_str())
}
