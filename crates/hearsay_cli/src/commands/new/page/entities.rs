//! Finds the entities of a page: in lists of names, in headings, and in the text.

use hearsay_campaign::import::lexicon;
use hearsay_extract::{Extractor, Language, Lexicon, Text, TextType};
use hearsay_model::{Kind, State, Vocabulary, spelling::is_stop_word, text::words};

use super::{
    super::{
        answers::{PlayedCharacter, describe, is_name, item},
        draft::DraftText,
    },
    PageReader,
    blocks::{PageBlock, without_nicknames},
    kinds::{extracted_kind, is_used_as_place, kind_in_text, kind_of_noun_phrase},
    layout::entry_name,
    sections::{Section, exact_section, listed_kind},
};

/// Minimum probability that words are a name.
const MIN_NAME_CONFIDENCE: f64 = 0.45;

/// Maximum number of words of a name.
const MAX_NAME_WORDS: usize = 6;

/// Words of the game that look like names.
const NO_NAMES: [&str; 12] =
    ["pc", "pcs", "npc", "npcs", "dm", "gm", "party", "player", "players", "session", "scene", "unbeknownst"];

/// Auxiliary verbs after a name.
const VERBS: [&str; 10] = ["is", "was", "has", "had", "will", "can", "cannot", "used", "wants", "does"];

impl PageReader {
    /// Adds a player character.
    pub(super) fn add_player(&mut self, character: PlayedCharacter, line: usize) {
        let draft = &mut self.made.draft;
        match draft.add(&character.name, Kind::Player) {
            Ok(index) => {
                let entity = &mut draft.entities[index];
                entity.line = Some(line);
                entity.player = character.player;
                let remark = character.remark.map(|remark| describe(&entity.name, &remark));
                entity.description.extend(remark.map(|text| DraftText { text, line: Some(line) }));
            }
            // The same character in two lists, or words that are no name.
            Err(_) => {
                let parts = [Some(character.name), character.player, character.remark];
                let text = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
                self.add_not_understood(&text, line);
            }
        }
    }

    /// Adds the entity that begins an item of a list, if the heading above the list states its kind: "- Odo Brandt, a
    /// ferryman" below "People". Without such a heading, the words after the name state the kind.
    pub(super) fn add_listed(&mut self, block: &PageBlock) {
        if block.is_secret || block.section.is_some_and(Section::has_statements) {
            return;
        }
        let label = block.label.clone();
        let entry = entry_name(&block.text).map(str::to_owned);
        let is_below_entity =
            block.headings.iter().any(|heading| self.headings.iter().any(|entity| entity.is_named_by(heading)));
        let announced = block.headings.last().and_then(|heading| listed_kind(heading));
        let is_field = |name: &str| exact_section(name).is_some() || lexicon::is_known(name);
        let (name, kind) = match announced {
            Some(kind) => {
                let names =
                    [label, entry, Some(item(&block.text).name).filter(|_| block.is_item), leading_name(&block.text)];
                let name = names.into_iter().flatten().find(|name| is_name(name) && !is_field(name));
                (name, Some(kind))
            }
            None if !is_below_entity => {
                let name = entry.filter(|name| !is_field(name) && !lexicon::is_part_title(name));
                let kind = name.as_ref().and_then(|name| entry_kind(&block.text, name));
                (name, kind)
            }
            None => return,
        };
        let (Some(name), Some(kind)) = (name, kind) else { return };
        if has_only_game_words(&name) || words(&name).iter().all(|word| is_stop_word(word)) {
            return;
        }
        // Another list, or a heading, can name the same entity.
        if let Ok(index) = self.made.draft.add(&name, kind) {
            self.made.draft.entities[index].line = Some(block.line(0));
        }
    }

    /// Adds the entities of the headings, and of the names in the text whose kind is clear.
    pub(super) fn add_entities(&mut self, page: &str, blocks: &[&PageBlock]) {
        let blocks: Vec<&&PageBlock> = blocks.iter().filter(|block| block.section != Some(Section::DmOnly)).collect();
        let mut text = String::new();
        let mut starts = Vec::with_capacity(blocks.len());
        for block in &blocks {
            starts.push(text.len());
            text.push_str(&without_nicknames(&block.text));
            text.push_str("\n\n");
        }
        let line_at = |at: usize| {
            let number = starts.partition_point(|start| *start <= at).saturating_sub(1);
            blocks.get(number).map(|block| block.line(at.saturating_sub(starts[number])))
        };
        let extractor = Extractor::new(Language::english(), Vocabulary::default());
        let found = extractor.extract(&Lexicon::from_state(&State::default()), &Text::new(&text, TextType::Lore));
        for heading in &self.headings {
            let index = found.entities.iter().position(|entity| words(&entity.name) == words(&heading.name));
            let kind = heading.kind.clone().or_else(|| kind_in_text(&text, &heading.name));
            let kind = kind.or_else(|| index.and_then(|index| extracted_kind(&found, index)));
            let line = page.lines().position(|line| line.starts_with('#') && line.contains(&heading.name));
            // Two headings with the same name describe the same entity.
            let added = self.made.draft.add(&heading.name, kind.unwrap_or_else(|| Kind::Custom("unknown".into())));
            if let Ok(index) = added {
                self.made.draft.entities[index].line = line.map(|line| line + 1);
            }
        }
        for (index, entity) in found.entities.iter().enumerate() {
            let is_known = self.made.draft.entities.iter().any(|known| contains_words(&known.name, &entity.name));
            let mut nicknames = blocks.iter().flat_map(|block| &block.nicknames);
            let is_nickname = nicknames.any(|(nickname, _)| words(&nickname.name) == words(&entity.name));
            let is_unsure = entity.confidence.get() < MIN_NAME_CONFIDENCE;
            if is_known || is_nickname || is_unsure || has_only_game_words(&entity.name) {
                continue;
            }
            let has_article =
                text.get(..entity.span.start).is_some_and(|before| before.to_lowercase().ends_with("the "));
            let name = if has_article { format!("The {}", entity.name) } else { entity.name.clone() };
            let is_place = || is_used_as_place(&text, &entity.name);
            let kind = kind_in_text(&text, &entity.name).or_else(|| is_place().then_some(Kind::Location));
            // A name with an article is rarely a person: "the Drowned Rat".
            let extracted = || extracted_kind(&found, index).filter(|kind| !has_article || *kind != Kind::Npc);
            match kind.or_else(extracted).map(|kind| self.made.draft.add(&name, kind)) {
                Some(Ok(added)) => self.made.draft.entities[added].line = line_at(entity.span.start),
                Some(Err(_)) => {}
                None => self.made.unrecognized.push(name),
            }
        }
    }

    /// Adds the nicknames in a block to their entities.
    pub(super) fn add_nicknames(&mut self, block: &PageBlock) {
        for (nickname, line) in &block.nicknames {
            let draft = &mut self.made.draft;
            let Some(owner) = draft.named_in(&nickname.owner).first().copied() else {
                let text = format!("{} (\u{201C}{}\u{201D})", nickname.owner, nickname.name);
                self.add_not_understood(&text, *line);
                continue;
            };
            let aliases = &mut draft.entities[owner].aliases;
            if !aliases.contains(&nickname.name) {
                aliases.push(nickname.name.clone());
            }
        }
    }
}

/// Returns the kind that a text of the form `Name (a village): text` or `Name - a village` states.
fn entry_kind(text: &str, name: &str) -> Option<Kind> {
    let rest = &text[text.find(name)? + name.len()..];
    let remark = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    kind_of_noun_phrase(remark.split([')', '.', ':']).next()?).or_else(|| lexicon::name_kind(name))
}

/// Returns the name with which a sentence begins: "Bettony Flask runs the Lantern."
fn leading_name(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let length = (1..=words.len().min(MAX_NAME_WORDS)).rev().find(|length| is_name(&words[..*length].join(" ")))?;
    let next = words.get(length)?;
    // A single word can also be an ordinary word, so a verb must follow.
    let is_verb = next.ends_with('s') || VERBS.contains(next);
    let begins_lowercase = next.starts_with(char::is_lowercase);
    (begins_lowercase && (length > 1 || is_verb)).then(|| words[..length].join(" "))
}

/// Returns whether a name consists of words of the game.
fn has_only_game_words(name: &str) -> bool {
    words(name).iter().all(|word| NO_NAMES.contains(&word.as_str()))
}

/// Returns whether a name contains all words of another name: `Lord Cassian Thorne` contains `Lord Thorne`.
pub(super) fn contains_words(name: &str, part: &str) -> bool {
    let (name, part) = (words(name), words(part));
    !part.is_empty() && part.iter().all(|word| name.contains(word))
}
