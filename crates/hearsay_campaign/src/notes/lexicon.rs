//! Meaning of the names of fields and relations, for the readers of all formats.

use std::{collections::HashMap, sync::LazyLock};

use hearsay_model::{Kind, Predicate, Vocabulary, attribute, predicate, slug};

use super::{
    DateOf,
    truth::{self, Truth},
    words::{ATTRIBUTES, LEADS, NOTHING, RANKS, RELATIONS, STATES},
};

/// The meaning of a field for its note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// The name.
    Name,
    /// Another name.
    Alias,
    /// The kind.
    Kind,
    /// The player. The entity is a player character.
    Player,
    /// A relation to other entities. Values that are not entities become an attribute of this name.
    Relation(Says),
    /// An attribute, by its name.
    Attribute(Predicate),
    /// A state: dead, missing.
    State,
    /// A date.
    Date(DateOf),
    /// A field of a session log, which only a session has.
    Session(SessionField),
    /// No statement about the world: page layout, numbers of the game's rules.
    Nothing,
}

/// A field of a session log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionField {
    /// The number of the session.
    Number,
    /// The real date of the session.
    Date,
    /// The game date at its start.
    Start,
    /// The game date at its end.
    End,
    /// The characters who were present.
    Present,
}

/// A relation between a note and its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Says {
    /// The predicate.
    pub predicate: Predicate,
    /// Whether the target is the subject.
    pub backwards: bool,
    /// The rank that the relation implies: the head of a group is a member of it.
    pub rank: Option<&'static str>,
}

/// Whether one of the lists contains a field name. Bold text before a colon is a field only then.
pub fn is_known(name: &str) -> bool {
    match meaning(name) {
        Meaning::Nothing => false,
        Meaning::Attribute(held) => {
            let listed = row(&key(name)).is_some();
            listed || VOCABULARY.attribute(&held).is_some()
        }
        _ => true,
    }
}

/// Returns the meaning of a field name.
pub fn meaning(name: &str) -> Meaning {
    let word = key(name);
    match word.as_str() {
        "name" => return Meaning::Name,
        "alias" | "aliases" | "aka" | "also-known-as" | "nickname" | "nicknames" | "known-as" | "other-names" => {
            return Meaning::Alias;
        }
        "type" | "kind" | "category" | "template-type" | "entity-type" | "note-type" | "notetype" => {
            return Meaning::Kind;
        }
        "player" | "played-by" | "controlled-by" => return Meaning::Player,
        "sessionnumber" | "session-number" | "session" | "number" => return Meaning::Session(SessionField::Number),
        "sessiondate" | "session-date" | "date-played" | "played" | "real-date" => {
            return Meaning::Session(SessionField::Date);
        }
        "present" | "attendance" | "attendee" | "attendees" | "players" | "players-present" | "characters-present"
        | "party-members" => {
            return Meaning::Session(SessionField::Present);
        }
        "in-game-start" | "ingame-start" | "game-start" | "in-game-date" | "ingame-date" => {
            return Meaning::Session(SessionField::Start);
        }
        "in-game-end" | "ingame-end" | "game-end" => return Meaning::Session(SessionField::End),
        "fc-date" | "fc-start" | "date" | "start-date" | "start" | "founded" | "born" | "birth" | "birthdate"
        | "date-of-birth" => {
            return Meaning::Date(DateOf::Start);
        }
        "fc-end" | "end-date" | "end" | "died" | "death" | "date-of-death" => return Meaning::Date(DateOf::End),
        _ => {}
    }
    let known = match row(&word) {
        Some(Row::Nothing) => return Meaning::Nothing,
        Some(Row::State) => return Meaning::State,
        Some(Row::Relation { name, backwards, rank }) => {
            if let Ok(predicate) = Predicate::new(name) {
                return Meaning::Relation(Says { predicate, backwards, rank });
            }
            word.as_str()
        }
        Some(Row::Attribute(name)) => name,
        None => match truth::named(&word) {
            // `Rumoured allies` are allies. The doubt is handled separately.
            (Truth::Plain, _) => word.as_str(),
            (_, rest) => match meaning(rest) {
                held @ Meaning::Relation(_) => return held,
                _ => word.as_str(),
            },
        },
    };
    match Predicate::new(&known.replace('-', "_")) {
        Ok(name) if !name.is_relation() => Meaning::Attribute(name),
        _ => Meaning::Nothing,
    }
}

/// An entry of the lists.
#[derive(Debug, Clone, Copy)]
enum Row {
    Nothing,
    State,
    Relation { name: &'static str, backwards: bool, rank: Option<&'static str> },
    Attribute(&'static str),
}

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(Vocabulary::default);

/// All lists. If a word is in two of them, the earlier list wins.
static ROWS: LazyLock<HashMap<&'static str, Row>> = LazyLock::new(|| {
    let nothing = NOTHING.iter().map(|word| (*word, Row::Nothing));
    let states = STATES.iter().map(|word| (*word, Row::State));
    let of_rank = |word| Row::Relation { name: predicate::MEMBER_OF, backwards: true, rank: Some(word) };
    // A leader who is named by a participle (`led-by`) has no title.
    let rank = |word: &'static str| if word.ends_with("-by") { "leader" } else { word };
    let ranks = RANKS.iter().map(|word| (*word, of_rank(rank(word))));
    let leads = |word| (word, Row::Relation { name: predicate::MEMBER_OF, backwards: false, rank: Some("leader") });
    let ranks = ranks.chain(LEADS.iter().copied().map(leads));
    let relations = RELATIONS
        .iter()
        .map(|(word, name, backwards)| (*word, Row::Relation { name, backwards: *backwards, rank: None }));
    let attributes = ATTRIBUTES.iter().map(|(word, name)| (*word, Row::Attribute(name)));
    let mut rows = HashMap::new();
    for (word, row) in nothing.chain(states).chain(ranks).chain(relations).chain(attributes) {
        rows.entry(word).or_insert(row);
    }
    rows
});

/// Looks up a word, also in its singular form.
fn row(word: &str) -> Option<Row> {
    let singular = || word.strip_suffix('s').filter(|_| !word.ends_with("ss"));
    ROWS.get(word).or_else(|| ROWS.get(singular()?)).copied()
}

/// Returns the relation for words such as `is the rival of`, `organization` or `MEMBER_OF`. Unknown words become a
/// relation of the campaign's own. More than five unknown words become [`RELATED_TO`](predicate::RELATED_TO).
pub fn relation(words: &str, vocabulary: &Vocabulary) -> Option<Says> {
    let word = key(words);
    let named = Predicate::relation(&word).ok();
    if let Some(name) = &named {
        if vocabulary.predicate(name).is_some() {
            return Some(Says { predicate: name.clone(), backwards: false, rank: None });
        }
        if let Some(def) = vocabulary.inverse_of(name) {
            return Some(Says { predicate: def.name.clone(), backwards: true, rank: None });
        }
    }
    if let Meaning::Relation(says) = meaning(words) {
        return Some(says);
    }
    // `is the rival of` has the same meaning as `rival of`, and `a member of the` the same as `member of`.
    let kept = word
        .split('-')
        .filter(|word| !["is", "are", "was", "the", "a", "an", "has", "his", "her", "their"].contains(word));
    let kept: Vec<&str> = kept.collect();
    let short = kept.join("-");
    if short != word && !short.is_empty() {
        return relation(&short, vocabulary);
    }
    let predicate = match named {
        Some(name) if kept.len() <= 5 => name,
        _ => Predicate::new(predicate::RELATED_TO).ok()?,
    };
    Some(Says { predicate, backwards: false, rank: None })
}

/// Adapts a list to the kind of its note: in the note of a place, `Locations` are its parts.
pub(super) fn listed(name: &str, says: &Says, note: Option<&Kind>) -> Says {
    let word = key(name);
    let several = word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("whereabouts");
    let parts = several && !says.backwards && says.predicate == *predicate::LOCATED_AT && note == Some(&Kind::Location);
    match Predicate::new(predicate::PART_OF) {
        Ok(predicate) if parts => Says { predicate, backwards: true, rank: None },
        _ => says.clone(),
    }
}

/// Adapts a relation to the kinds of its two ends: the `parent` of a place contains it.
pub fn fitted(mut says: Says, note: Option<&Kind>, target: Option<&Kind>) -> Says {
    let other = |name: &str, says: &mut Says| {
        if let Ok(predicate) = Predicate::new(name) {
            says.predicate = predicate;
        }
    };
    let is = |kind: Option<&Kind>, one: &Kind| kind == Some(one);
    match says.predicate.as_str() {
        predicate::CHILD_OF if note.is_some_and(is_thing) || is(target, &Kind::Location) => {
            other(predicate::PART_OF, &mut says);
        }
        predicate::LOCATED_AT if is(if says.backwards { target } else { note }, &Kind::Location) => {
            other(predicate::PART_OF, &mut says);
        }
        predicate::PART_OF if !says.backwards && note.is_some_and(Kind::is_character) => {
            other(predicate::LOCATED_AT, &mut says);
        }
        predicate::PART_OF
            if !says.backwards
                && note.is_some_and(is_thing)
                && is(target, &Kind::Location)
                && !is(note, &Kind::Location) =>
        {
            other(predicate::LOCATED_AT, &mut says);
        }
        // The capital of a faction is its seat.
        predicate::PART_OF if says.backwards && is(note, &Kind::Faction) && is(target, &Kind::Location) => {
            says.backwards = false;
            other(predicate::LOCATED_AT, &mut says);
        }
        // A character's shop is related to the character, not a part of it.
        predicate::PART_OF if says.backwards && note.is_some_and(Kind::is_character) => {
            says.backwards = false;
            other(predicate::RELATED_TO, &mut says);
        }
        // The listed entities are located in the place, are members of the group, or take part in the event.
        predicate::LOCATED_AT if says.backwards && !is(note, &Kind::Location) => match note {
            Some(Kind::Faction | Kind::Party) => other(predicate::MEMBER_OF, &mut says),
            Some(Kind::Quest | Kind::Event) => other("PARTICIPATED_IN", &mut says),
            _ => {
                says.backwards = false;
                other(predicate::RELATED_TO, &mut says);
            }
        },
        "OWNS" if !says.backwards && is(note, &Kind::Location) && is(target, &Kind::Item) => {
            says.backwards = true;
            other(predicate::LOCATED_AT, &mut says);
        }
        "OWNS" if !says.backwards && matches!(note, Some(Kind::Quest | Kind::Event)) => {
            other(predicate::RELATED_TO, &mut says);
        }
        predicate::MEMBER_OF if !says.backwards && is(note, &Kind::Location) && is(target, &Kind::Faction) => {
            says.backwards = true;
            other(predicate::LOCATED_AT, &mut says);
        }
        predicate::MEMBER_OF if !says.backwards && says.rank.is_some() && is(target, &Kind::Location) => {
            other("RULES", &mut says);
            says.rank = None;
        }
        // `[[The Guild]]: member` describes the subject of the note.
        predicate::MEMBER_OF
            if says.backwards && note.is_some_and(Kind::is_character) && is(target, &Kind::Faction) =>
        {
            says.backwards = false;
        }
        // A person has no members: a person's captain is only related to them.
        predicate::MEMBER_OF if (if says.backwards { note } else { target }).is_some_and(Kind::is_character) => {
            other(predicate::RELATED_TO, &mut says);
            says.rank = None;
        }
        predicate::MEMBER_OF if !says.backwards && is(note, &Kind::Location) => other(predicate::RELATED_TO, &mut says),
        predicate::MEMBER_OF if says.backwards && is(note, &Kind::Location) => other("RULES", &mut says),
        predicate::MEMBER_OF if says.backwards && is(note, &Kind::Event) => other("PARTICIPATED_IN", &mut says),
        "PARTICIPATED_IN" if is(target, &Kind::Quest) => {}
        _ => {}
    }
    says
}

/// Whether a kind is known not to be a person.
fn is_thing(kind: &Kind) -> bool {
    !kind.is_character() && !matches!(kind, Kind::Custom(_))
}

/// Converts a word to the form of the tables: `currentLocation` and `Current location` become `current-location`.
fn key(name: &str) -> String {
    let mut spaced = String::with_capacity(name.len() + 8);
    let mut before = ' ';
    for c in name.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    // `organization(s)`
    slug(&spaced.replace("(s)", "s"))
}

/// Returns the kind for a tag, a type or the name of a folder.
pub fn kind(word: &str) -> Option<Kind> {
    let word = key(word);
    // `npc/ally` and `world/people` contain the kind as a part.
    let words: Vec<&str> = word.split('-').collect();
    let of = |word: &str| {
        Some(match word.strip_suffix('s').filter(|_| !word.ends_with("ss")).unwrap_or(word) {
            "npc" | "character" | "people" | "person" | "individual" | "villain" | "antagonist" | "personage"
            | "actor" | "member" | "resident" | "villager" | "companion" | "ally" | "creature" | "monster" => Kind::Npc,
            "pc" | "player-character" | "playercharacter" | "player" | "hero" | "heroe" | "protagonist" => Kind::Player,
            "location" | "place" | "area" | "poi" | "region" | "settlement" | "city" | "citie" | "town" | "village"
            | "continent" | "country" | "countrie" | "kingdom" | "geography" | "dungeon" | "tavern" | "inn"
            | "shop" | "building" | "landmark" | "realm" | "district" | "province" | "world" | "plane" | "room"
            | "map" | "point-of-interest" | "island" | "forest" | "castle" | "site" => Kind::Location,
            "faction" | "organization" | "organisation" | "group" | "guild" | "house" | "family" | "clan" | "cult"
            | "order" | "religion" | "company" | "tribe" | "nation" | "institution" => Kind::Faction,
            "party" | "partie" | "adventuring-party" => Kind::Party,
            "item" | "artifact" | "artefact" | "weapon" | "object" | "equipment" | "treasure" | "loot" | "gear"
            | "magic-item" | "potion" | "relic" => Kind::Item,
            "document" | "letter" | "book" | "handout" | "tome" | "scroll" | "story" | "storie" | "tale" | "song"
            | "poem" => Kind::Document,
            "event" | "history" | "historie" | "battle" | "festival" | "war" | "timeline" => Kind::Event,
            "quest" | "plot" | "mission" | "adventure" | "storyline" | "story-arc" | "job" | "objective"
            | "plot-hook" => Kind::Quest,
            "concept" | "lore" | "deity" | "deitie" | "god" | "pantheon" | "culture" | "magic" | "custom" | "law"
            | "language" | "myth" | "legend" => Kind::Concept,
            _ => return None,
        })
    };
    of(&word).or_else(|| (words.len() <= 4).then(|| words.iter().rev().find_map(|word| of(word)))?)
}

/// Returns the kind of entities that this noun describes: `blacksmith`, `outpost`.
pub fn noun(word: &str) -> Option<Kind> {
    const PEOPLE: [&str; 64] = [
        "man",
        "woman",
        "elf",
        "dwarf",
        "human",
        "halfling",
        "gnome",
        "orc",
        "tiefling",
        "dragonborn",
        "wizard",
        "mage",
        "witch",
        "sorcerer",
        "warlock",
        "merchant",
        "blacksmith",
        "smith",
        "innkeeper",
        "bartender",
        "barkeep",
        "priest",
        "priestess",
        "captain",
        "soldier",
        "noble",
        "knight",
        "bard",
        "thief",
        "sailor",
        "farmer",
        "king",
        "queen",
        "prince",
        "princess",
        "lord",
        "lady",
        "mayor",
        "butler",
        "guard",
        "boy",
        "girl",
        "dragon",
        "goblin",
        "vampire",
        "ghost",
        "druid",
        "ranger",
        "cleric",
        "paladin",
        "rogue",
        "fighter",
        "monk",
        "hunter",
        "scholar",
        "sage",
        "assassin",
        "spy",
        "pirate",
        "baker",
        "healer",
        "ruler",
        "leader",
        "servant",
    ];
    const PLACES: [&str; 32] = [
        "capital",
        "port",
        "outpost",
        "hamlet",
        "ruin",
        "ruins",
        "fortress",
        "keep",
        "mine",
        "cave",
        "valley",
        "river",
        "mountain",
        "lake",
        "sea",
        "bay",
        "street",
        "market",
        "temple",
        "shrine",
        "library",
        "palace",
        "tower",
        "swamp",
        "desert",
        "moor",
        "peninsula",
        "metropolis",
        "harbour",
        "harbor",
        "manor",
        "estate",
    ];
    match word {
        word if PEOPLE.contains(&word) => Some(Kind::Npc),
        word if PLACES.contains(&word) => Some(Kind::Location),
        word => kind(word),
    }
}

/// Returns the state for a word, as in the vocabulary: `DECEASED` becomes `dead`. Only the beginning of a longer text
/// counts: `DECEASED (throat slit)`.
pub fn state(words: &str) -> Option<&'static str> {
    let text = hearsay_model::text::words(words.split('(').next().unwrap_or_default());
    let first: Vec<&str> = text.iter().take(4).map(String::as_str).collect();
    let negated = ["not", "no", "never", "un"].iter().any(|word| first.contains(word));
    if negated {
        return None;
    }
    let of = |word: &str| {
        Some(match word {
            "dead" | "deceased" | "died" | "killed" | "slain" | "destroyed" | "executed" | "murdered" | "\u{2620}" => {
                "dead"
            }
            "missing" | "lost" | "disappeared" | "vanished" => "missing",
            "imprisoned" | "captured" | "captive" | "jailed" | "arrested" => "imprisoned",
            "undead" => "undead",
            "retired" => "retired",
            "exiled" | "banished" => "exiled",
            "wounded" | "injured" => "wounded",
            "alive" | "living" | "active" | "healthy" => "alive",
            _ => return None,
        })
    };
    first.iter().find_map(|word| of(word))
}

/// Returns the state for a field such as `dead: true` or `alive: false`.
pub fn flag_state(name: &str, flag: bool) -> Option<&'static str> {
    match (state(&key(name).replace('-', " "))?, flag) {
        ("alive", false) => Some("dead"),
        (state, true) => Some(state),
        _ => None,
    }
}

/// Whether an importer must not write an attribute of this name.
pub(super) fn is_reserved(name: &Predicate) -> bool {
    [attribute::NAME, attribute::KIND, attribute::ALIAS].contains(&name.as_str())
}
