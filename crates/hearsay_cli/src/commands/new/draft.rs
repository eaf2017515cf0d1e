//! A campaign before it is written to a file: characters, places, secrets, rumours, lies and texts.

use std::collections::{BTreeSet, HashMap};

use hearsay_model::{EntityId, Kind, slug, spelling::is_stop_word};

/// Maximum length of a name, in characters.
const MAX_NAME: usize = 80;

/// Names with a special meaning in campaign files, which an entity cannot have as its id.
const RESERVED_IDS: [&str; 2] = ["none", "world"];

/// The content of a new campaign file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Draft {
    /// Name of the campaign.
    pub(super) name: String,
    /// Place where the play begins.
    pub(super) start: Option<EntityId>,
    /// Whether everybody knows all names.
    pub(super) has_common_names: bool,
    pub(super) entities: Vec<DraftEntity>,
    pub(super) rumours: Vec<DraftRumour>,
    pub(super) lies: Vec<DraftLie>,
    /// Texts that belong to no entity. Only the DM sees them.
    pub(super) texts: Vec<DraftText>,
}

/// A text with its position in the page of notes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct DraftText {
    pub(super) text: String,
    /// Line of the page, counted from 1; `None` if the text does not come from a page.
    pub(super) line: Option<usize>,
}

impl From<String> for DraftText {
    fn from(text: String) -> Self {
        Self { text, line: None }
    }
}

/// A rumour, whose subject is the first entity of `about`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftRumour {
    pub(super) text: DraftText,
    /// Whether the rumour is true; `None` if the notes do not say so.
    pub(super) truth: Option<bool>,
    pub(super) about: Vec<EntityId>,
    pub(super) heard_by: Vec<EntityId>,
}

/// A false statement that a character makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftLie {
    pub(super) text: DraftText,
    /// The character who tells the lie.
    pub(super) by: EntityId,
    pub(super) about: Vec<EntityId>,
    pub(super) told_to: Vec<EntityId>,
    /// Whether the character tells the lie to everybody.
    pub(super) is_public: bool,
    /// Id of the secret that the lie hides.
    pub(super) truth_is: Option<String>,
}

/// A secret name of a character, who always knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftSecretName {
    pub(super) name: String,
    /// Line of the page, counted from 1.
    pub(super) line: usize,
    /// The other characters who know the name.
    pub(super) known_by: Vec<EntityId>,
}

/// One entity of a new campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftEntity {
    pub(super) id: EntityId,
    pub(super) name: String,
    /// Other names, such as nicknames.
    pub(super) aliases: Vec<String>,
    /// Names that few characters know, such as the real name of a character with a false name.
    pub(super) secret_names: Vec<DraftSecretName>,
    pub(super) kind: Kind,
    /// Line of the page that names the entity first, counted from 1.
    pub(super) line: Option<usize>,
    /// Person who plays the character.
    pub(super) player: Option<String>,
    pub(super) occupation: Option<String>,
    /// State of the character, such as `dead`.
    pub(super) condition: Option<String>,
    /// Place whose residents know the condition.
    pub(super) condition_known_in: Option<EntityId>,
    /// Place where the character is.
    pub(super) location: Option<EntityId>,
    /// Whether the character only visits its location, and lives elsewhere or at an unknown place.
    pub(super) is_guest: bool,
    /// Place where the character lives; `None` if it is the location, or unknown.
    pub(super) home: Option<EntityId>,
    /// Whether the home follows only from the occupation, because the character works there.
    pub(super) is_home_workplace: bool,
    /// Groups to which the character belongs.
    pub(super) groups: Vec<DraftGroup>,
    /// Relations of the character to other characters, such as parents and employers.
    pub(super) ties: Vec<DraftTie>,
    /// Larger place to which the place belongs.
    pub(super) part_of: Option<EntityId>,
    /// Paragraphs that describe the entity.
    pub(super) description: Vec<DraftText>,
    pub(super) secrets: Vec<DraftSecret>,
}

impl DraftEntity {
    /// Adds another name, unless the entity already has it.
    pub(super) fn add_alias(&mut self, alias: &str) {
        let names = std::iter::once(&self.name).chain(&self.aliases);
        if !names.into_iter().any(|name| name == alias) {
            self.aliases.push(alias.to_owned());
        }
    }
}

/// A group to which a character belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftGroup {
    /// Name of the relation between the character and the group.
    pub(super) relation: String,
    pub(super) group: EntityId,
    /// Rank of the character in the group.
    pub(super) rank: Option<String>,
}

/// A relation of a character to another character or to a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DraftTie {
    /// Name of the relation.
    pub(super) relation: String,
    pub(super) other: EntityId,
}

/// A secret, which belongs to an entity.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct DraftSecret {
    /// Id of the secret, if a lie names it.
    pub(super) id: Option<String>,
    pub(super) text: String,
    /// Line of the page, counted from 1; `None` if the secret does not come from a page.
    pub(super) line: Option<usize>,
    /// Whether the entity that the secret belongs to does not know the secret.
    pub(super) is_unknown_to_owner: bool,
    /// Other entities that the secret mentions.
    pub(super) about: Vec<EntityId>,
    /// Knowers besides the entity that the secret belongs to.
    pub(super) known_by: Vec<EntityId>,
}

impl Draft {
    /// Adds an entity with an id made from its name, and returns its index.
    ///
    /// # Errors
    /// Returns the reason why the name cannot be used.
    pub(super) fn add(&mut self, name: &str, kind: Kind) -> Result<usize, String> {
        let name = clean(name);
        let length = name.chars().count();
        if length > MAX_NAME {
            let start: String = name.chars().take(40).collect();
            return Err(format!(
                "`{start}…` has {length} characters, but a name has at most {MAX_NAME} characters; separate several names with \
                 commas or semicolons"
            ));
        }
        let id = id_for(&name)?;
        if let Some(other) = self.entities.iter().find(|entity| entity.id == id) {
            return Err(format!(
                "the name `{name}` is already used by {}; add a word that tells the two apart",
                describe_kind(&other.kind)
            ));
        }
        self.entities.push(DraftEntity {
            id,
            name,
            aliases: Vec::new(),
            secret_names: Vec::new(),
            kind,
            line: None,
            player: None,
            occupation: None,
            condition: None,
            condition_known_in: None,
            location: None,
            is_guest: false,
            home: None,
            is_home_workplace: false,
            groups: Vec::new(),
            ties: Vec::new(),
            part_of: None,
            description: Vec::new(),
            secrets: Vec::new(),
        });
        Ok(self.entities.len() - 1)
    }

    /// Gives the NPC whose name is only the first name in a full name the full name: Rafiq is Rafiq Dhoun. An NPC before
    /// the index `first_renamed` keeps its name, and gets the full name as an alias. Returns whether there is exactly one
    /// such NPC.
    pub(super) fn add_full_name(&mut self, full_name: &str, first_renamed: usize) -> bool {
        let Some((first_name, _)) = full_name.split_once(' ') else { return false };
        let has_name = |entity: &DraftEntity| entity.kind == Kind::Npc && entity.name == first_name;
        let mut found = (0..self.entities.len()).filter(|index| has_name(&self.entities[*index]));
        let (Some(index), None) = (found.next(), found.next()) else { return false };
        let id = id_for(full_name).ok().filter(|id| !self.entities.iter().any(|entity| entity.id == *id));
        let entity = &mut self.entities[index];
        match id.filter(|_| index >= first_renamed) {
            Some(id) => (entity.id, entity.name) = (id, full_name.to_owned()),
            None => entity.add_alias(full_name),
        }
        true
    }

    /// Returns the entities of a kind.
    pub(super) fn of_kind(&self, kind: &Kind) -> impl Iterator<Item = &DraftEntity> {
        self.entities.iter().filter(move |entity| entity.kind == *kind)
    }

    /// Returns the indices of the entities that a text names, in the order of the text. A text names an entity with the
    /// whole name, with a whole alias, or with a word of the name that no other entity has.
    ///
    /// The words must begin with a capital letter, as in the name, unless the text has no capital letters. Two words in
    /// lowercase that stand together in only one name also name its entity: "the counting house".
    pub(super) fn named_in(&self, text: &str) -> Vec<usize> {
        self.named_at(text).into_iter().map(|(_, index)| index).collect()
    }

    /// Returns the entities that a text names, like [`named_in`](Self::named_in), with the number of words before each
    /// name.
    pub(super) fn named_at(&self, text: &str) -> Vec<(usize, usize)> {
        let has_capitals = text.chars().any(char::is_uppercase);
        let tokens: Vec<Token> = tokens(text).collect();
        let names: Vec<Vec<String>> =
            self.entities.iter().map(|entity| hearsay_model::text::words(&entity.name)).collect();
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for word in names.iter().flat_map(|name| name.iter().collect::<BTreeSet<_>>()) {
            *uses.entry(word).or_default() += 1;
        }
        let is_distinctive = |word: &str| {
            let is_long = word.chars().count() > 2 || !word.is_ascii();
            is_long && !is_stop_word(word) && uses.get(word) == Some(&1)
        };
        let is_capital = |token: &Token| !has_capitals || token.is_capital;
        let has_pair = |name: &[String], pair: &[Token]| {
            name.windows(2).any(|words| pair.iter().map(|token| &token.word).eq(words))
        };
        let is_distinctive_pair = |pair: &[Token]| {
            !pair.iter().any(|token| is_stop_word(&token.word))
                && names.iter().filter(|name| has_pair(name, pair)).count() == 1
        };
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let position_of = |name: &[String]| {
                let is_name =
                    |window: &[Token]| window.iter().map(|token| &token.word).eq(name) && window.iter().any(is_capital);
                tokens.windows(name.len().max(1)).position(is_name)
            };
            let aliases = self.entities[index].aliases.iter().map(|alias| hearsay_model::text::words(alias));
            let whole = position_of(name).into_iter().chain(aliases.filter_map(|alias| position_of(&alias))).min();
            let is_part =
                |token: &Token| is_capital(token) && name.contains(&token.word) && is_distinctive(&token.word);
            let pair = || tokens.windows(2).position(|pair| has_pair(name, pair) && is_distinctive_pair(pair));
            if let Some(at) = whole.or_else(|| tokens.iter().position(is_part)).or_else(pair) {
                found.push((at, index));
            }
        }
        found.sort_unstable();
        found
    }
}

/// A word of a text in normal form.
struct Token {
    word: String,
    /// Whether the word begins with a capital letter, or with a letter that has no case.
    is_capital: bool,
}

fn tokens(text: &str) -> impl Iterator<Item = Token> {
    text.split_whitespace().flat_map(|part| part.split(['-', '\u{2014}', '\u{2013}', '/'])).flat_map(|part| {
        let first = part.chars().find(|c| c.is_alphanumeric());
        let is_capital = first.is_some_and(|first| !first.is_lowercase());
        hearsay_model::text::words(part).into_iter().map(move |word| Token { word, is_capital })
    })
}

/// Removes control characters and repeated spaces.
pub(super) fn clean(text: &str) -> String {
    let plain: String = text.chars().map(|c| if hearsay_model::escape::is_hostile(c) { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the id for a name.
///
/// # Errors
/// Returns the reason why the name cannot be used.
pub(super) fn id_for(name: &str) -> Result<EntityId, String> {
    let slug = slug(name);
    if slug.is_empty() {
        return Err(format!("`{name}` is not a name: a name needs a letter or a digit"));
    }
    let slug = if RESERVED_IDS.contains(&slug.as_str()) { format!("{slug}-1") } else { slug };
    EntityId::new(&slug).map_err(|error| format!("`{name}` cannot be used as a name: {error}"))
}

/// Returns a kind with its article, as in `a location`.
fn describe_kind(kind: &Kind) -> String {
    match kind {
        Kind::Npc => "an NPC".to_owned(),
        Kind::Player => "a player character".to_owned(),
        Kind::Location => "a place".to_owned(),
        kind => format!("another entity ({kind})"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn draft(names: &[&str]) -> Draft {
        let mut draft = Draft::default();
        for name in names {
            draft.add(name, Kind::Npc).unwrap();
        }
        draft
    }

    #[test]
    fn ids_are_unique_and_valid() {
        let mut draft = draft(&["Mirela Voss", "D'Arcy: \"the Knife\"", "Žofie Nováková", "宿屋", "World"]);
        let ids: Vec<&str> = draft.entities.iter().map(|entity| entity.id.as_str()).collect();
        assert_eq!(ids, ["mirela-voss", "darcy-the-knife", "zofie-novakova", "宿屋", "world-1"]);
        let same = draft.add("mirela  voss", Kind::Location).unwrap_err();
        assert!(same.contains("`mirela voss` is already used by an NPC"), "{same}");
        let empty = draft.add("?!", Kind::Npc).unwrap_err();
        assert!(empty.contains("needs a letter"), "{empty}");
        let long = draft.add(&"x".repeat(200), Kind::Npc).unwrap_err();
        assert!(long.contains("200 characters"), "{long}");
    }

    #[test]
    fn names_are_found_as_words() {
        let draft =
            draft(&["Mirela Voss", "Odo Brandt", "Sister Agnes", "Sister Joan", "The Gilded Gull", "Old Town Mill"]);
        let named = |text: &str| draft.named_in(text);
        assert_eq!(named("Odo saw Mirela's ledger"), [1, 0]);
        assert_eq!(named("odo saw it"), [1], "a text without capital letters");
        assert_eq!(named("The Odometer of Sister Agnes"), [2]);
        assert_eq!(named("A Sister hid it"), [0; 0], "the word belongs to two names");
        assert_eq!(named("It is in the Gull."), [4]);
        assert_eq!(named("A gull saw it, and The tide came"), [0; 0]);
        assert_eq!(named("He works in the town mill."), [5]);
        assert_eq!(named("He works in a mill."), [0; 0]);
    }
}
