//! Finds the probable kind of a note (npc, location, …) in its text, and recognizes notes that are for the DM only.

use hearsay_model::{slug, words::is_article};

use crate::import::{
    Certainty, Field, Note,
    english::ENGLISH,
    lexicon::{self, Meaning},
    secret,
};

/// Sets the kind that the first sentence states: `Gull Bay is a small port in the north.`
pub(super) fn set_kind_from_sentence(note: &mut Note) {
    let Some(first) = note.texts.first().filter(|_| note.kind.is_none() && !note.is_player) else { return };
    let words = hearsay_model::text::words(first.text.text.split(". ").next().unwrap_or_default());
    let name_words = hearsay_model::text::words(&note.name);
    let begins_with_name = words.iter().take(3).any(|word| name_words.first() == Some(word));
    let is_copula_pair = |pair: &[String]| ["is", "was", "are"].contains(&pair[0].as_str()) && is_article(&pair[1]);
    let Some(at) = words.windows(2).take(12).position(is_copula_pair).filter(|_| begins_with_name) else { return };
    let is_in_noun_phrase =
        |word: &&String| !ENGLISH.words.function_words.noun_end.contains(*word) && !word.ends_with("ing");
    let noun =
        words[at + 2..].iter().take(8).take_while(is_in_noun_phrase).filter_map(|word| lexicon::noun(word)).last();
    if let Some(kind) = noun {
        note.set_kind(kind, Certainty::Inferred, "its first sentence");
    }
}

/// Returns whether a field states the kind of the note, directly or as a tag.
pub(super) fn states_kind(field: &Field) -> bool {
    match lexicon::meaning(&field.name) {
        Meaning::Kind => true,
        Meaning::Attribute(name) => name == *"tag",
        _ => false,
    }
}

/// Returns whether a field of the front matter marks the whole note as DM-only.
pub(super) fn marks_note_secret(field: &Field) -> bool {
    let name = slug(&field.name).replace('-', "");
    let is_top_level = !field.origin.field.contains('/');
    let values = || field.values.iter().map(|field_value| field_value.value.to_string().to_lowercase());
    let is_yes = |text: &String| ["yes", "true", "1", "on", "full"].contains(&text.trim());
    let mark_fields = [
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
    let player_safe_fields = [
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
    is_top_level
        && (secret::is_secret(&field.name) && values().any(|text| is_yes(&text))
            || name == "draft" && values().any(|text| is_yes(&text))
            || mark_fields.contains(&name.as_str()) && values().any(|text| secret::is_secret(&text))
            || player_safe_fields.contains(&name.as_str())
                && values().any(|text| ["no", "false", "0"].contains(&text.trim())))
}

/// Returns whether a type marks a note about the rules of the game, rather than about the game world.
pub(super) fn is_rule(word: &str) -> bool {
    ENGLISH.words.headings.rules.contains(&slug(word))
}
