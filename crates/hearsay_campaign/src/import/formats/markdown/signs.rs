//! Finds the probable kind of a note (npc, location, …) in its text, and recognizes notes that are for the DM only.

use hearsay_model::{Kind, slug};

use crate::import::{Field, Note, Sure, english::ENGLISH, lexicon, secret};

/// Sets the kind that the first sentence states: `Gull Bay is a small port in the north.`
pub(super) fn guess_by_sentence(note: &mut Note) {
    let Some(first) = note.texts.first().filter(|_| note.kind.is_none() && !note.player) else { return };
    let words = hearsay_model::text::words(first.text.text.split(". ").next().unwrap_or_default());
    let named = hearsay_model::text::words(&note.name);
    let begins = words.iter().take(3).any(|word| named.first() == Some(word));
    let is = |pair: &[String]| {
        ["is", "was", "are"].contains(&pair[0].as_str()) && ["a", "an", "the"].contains(&pair[1].as_str())
    };
    let Some(at) = words.windows(2).take(12).position(is).filter(|_| begins) else { return };
    let goes_on = |word: &&String| !ENGLISH.words.function_words.noun_end.contains(*word) && !word.ends_with("ing");
    let noun = words[at + 2..].iter().take(8).take_while(goes_on).filter_map(|word| lexicon::noun(word)).last();
    if let Some(kind) = noun {
        note.guess(kind, Sure::Guessed, "its first sentence");
    }
}

/// Returns the kind that the words of a name state: `The Ascendant Guild`.
pub(super) fn kind_in_name(name: &str) -> Option<Kind> {
    let words = slug(name);
    let last = words.rsplit('-').next()?;
    let first = words.trim_start_matches("the-").split('-').next()?;
    if words.contains("bandits") {
        return Some(Kind::Faction);
    }
    let kinds = [last, first].map(|word| ENGLISH.kinds.name_words.kind(word));
    let has = |kind: Kind| kinds.contains(&Some(kind.clone())).then_some(kind);
    has(Kind::Faction).or_else(|| has(Kind::Location))
}

/// Returns whether a field of the front matter marks the whole note as DM-only.
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
        // A note that is not published is for the DM only.
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

/// Returns whether a type marks a note about the rules of the game, rather than about the game world.
pub(super) fn is_rule(word: &str) -> bool {
    ENGLISH.words.headings.rules.contains(&slug(word))
}
