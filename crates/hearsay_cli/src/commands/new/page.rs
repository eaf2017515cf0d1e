//! Makes a campaign from a page of notes in plain text or Markdown.
//!
//! Headings and names become entities. A sentence describes the entity that it names first. Sentences that are marked
//! as secret become secrets. All other text becomes a text that only the DM sees, so the campaign contains the whole
//! page.

use std::collections::HashSet;

use hearsay_campaign::{
    Folder, Format, Limits, ReadOptions,
    import::{
        Block, FileId, SourceText, Visibility,
        lexicon::{self, Meaning},
        markup, read_notes, secret,
    },
};
use hearsay_extract::{Extraction, Extractor, FactObject, Language, Lexicon, Mention, Text, TextType};
use hearsay_model::{
    Kind, State, Vocabulary,
    text::words,
    words::{lower_first, upper_first},
};

use super::{
    answers::{PlayedCharacter, describe, is_name, item, players},
    draft::{Draft, DraftSecret, clean, id_for},
    knowers::{SecretKnowers, is_list_of_knowers, split_knowers},
    sentences::{begins_with_anaphor, sentences},
};

/// Minimum probability that words are a name.
const MIN_NAME_CONFIDENCE: f64 = 0.45;

/// Marks in the source of a page that make text secret. If a page has one of these marks, a secret paragraph is not
/// split into an open and a secret part.
const SECRET_MARKS: [&str; 7] = ["%%", "||", ":::", "<", "[!", "[secret", "(secret"];

/// A campaign that was made from a page.
#[derive(Debug, Default)]
pub(super) struct PageDraft {
    pub(super) draft: Draft,
    /// Names in the page that became no entity, because their kind is unclear.
    pub(super) unrecognized: Vec<String>,
}

/// Attribute that a description of a character states.
const OCCUPATION: &str = "occupation";

/// Words of the game that look like names.
const NO_NAMES: [&str; 12] =
    ["pc", "pcs", "npc", "npcs", "dm", "gm", "party", "player", "players", "session", "scene", "unbeknownst"];

/// Words of a sentence that names the place where the player characters are at the beginning.
const START_WORDS: [&str; 10] =
    ["begin", "begins", "start", "starts", "open", "opens", "arrive", "arrives", "enter", "enters"];

/// Labels and headings of a list of player characters: "Players: Wren Oake (Ben), Dorric Stane (Cleo)".
const PARTY_LABELS: [&str; 6] = ["players", "player characters", "pcs", "party", "the party", "characters"];

/// Kinds of entities that a list below a heading names.
const LISTED_KINDS: [Kind; 4] = [Kind::Npc, Kind::Location, Kind::Faction, Kind::Item];

/// Makes a campaign from a page. The name of the campaign is `name`, or else the title of the page, or else
/// `default_name`.
pub(super) fn read(page: &str, name: Option<&str>, default_name: &str) -> PageDraft {
    let blocks = blocks(page);
    let mut headings = heading_entities(page);
    add_described_headings(page, &blocks, &mut headings);
    let title = page_title(page).filter(|title| id_for(title).is_ok() && !secret::is_secret(title));
    let name = name.map(clean).or(title).unwrap_or_else(|| default_name.to_owned());
    let mut reader = PageReader {
        made: PageDraft { draft: Draft { name, ..Draft::default() }, unrecognized: Vec::new() },
        has_marks: SECRET_MARKS.iter().any(|mark| page.to_lowercase().contains(mark)),
    };
    let (party, blocks_of_world): (Vec<&Block>, Vec<&Block>) =
        blocks.iter().partition(|block| players_in(block).is_some());
    party.iter().filter_map(|block| players_in(block)).flatten().for_each(|character| reader.add_player(character));
    blocks_of_world.iter().for_each(|block| reader.add_listed(page, block));
    reader.add_entities(&blocks_of_world, &headings);
    for block in blocks_of_world {
        reader.add_block(block, &headings);
    }
    reader.set_first_place(&blocks);
    reader.set_occupations();
    reader.add_missing_lines(page, &blocks);
    reader.made
}

/// Returns the paragraphs and list items of a page. A paragraph such as `NPCs:` is a heading of the list below it.
fn blocks(page: &str) -> Vec<Block> {
    let source = SourceText::new(FileId::default(), page.to_owned());
    let mut blocks = Vec::new();
    markup::markdown(&source, 0..page.len(), &Visibility::Unmarked, markup::no_links(), &mut blocks);
    blocks.sort_by_key(|block| block.origin.span.start);
    let mut list_heading: Option<String> = None;
    for number in 0..blocks.len() {
        let block = &blocks[number];
        if is_list_item(page, block) {
            let headings = block.headings.iter().cloned().chain(list_heading.clone());
            blocks[number].headings = headings.collect();
        } else {
            let has_list = blocks.get(number + 1).is_some_and(|next| is_list_item(page, next));
            list_heading = label_of_list(block).filter(|_| has_list);
        }
    }
    blocks.retain(|block| is_list_item(page, block) || label_of_list(block).is_none());
    blocks
}

/// Returns the label of the list below a block, if the block contains only the label: `NPCs:`.
fn label_of_list(block: &Block) -> Option<String> {
    let text = block.text.text.trim();
    let label = match &block.label {
        Some(label) if words(text).is_empty() => label,
        Some(_) => return None,
        None => text.strip_suffix(':')?,
    };
    Some(clean(label)).filter(|label| is_party(label) || listed_kind(label).is_some())
}

/// Returns whether a block is an item of a list.
fn is_list_item(page: &str, block: &Block) -> bool {
    let before = page.get(..block.origin.span.start as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().to_owned() + page.get(before.len()..).unwrap_or_default();
    let line = line.trim_start();
    let unnumbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['-', '*', '+']) && line.chars().nth(1) == Some(' ')
        || unnumbered.len() < line.len() && unnumbered.starts_with(['.', ')'])
}

/// Returns whether a label or heading announces the player characters.
fn is_party(label: &str) -> bool {
    PARTY_LABELS.contains(&words(label).join(" ").as_str())
}

/// Returns the kind of the entities in a list with this label or heading.
fn listed_kind(heading: &str) -> Option<Kind> {
    let is_label = !is_party(heading) && !secret::is_secret(heading);
    lexicon::announced_kind(heading).filter(|kind| is_label && LISTED_KINDS.contains(kind))
}

/// Returns the player characters in a block, if the block is a list of player characters.
fn players_in(block: &Block) -> Option<Vec<PlayedCharacter>> {
    let text = clean(&block.text.text);
    let labelled = text.split_once(':').filter(|(label, _)| is_party(label)).map(|(_, rest)| rest.trim());
    let text = match labelled {
        Some(rest) => rest,
        None if block.label.as_deref().is_some_and(is_party) => &text,
        // Below a heading, a name with a player in parentheses.
        None if block.headings.last().is_some_and(|heading| is_party(heading)) && text.contains('(') => &text,
        None => return None,
    };
    Some(players(text)).filter(|players| !players.is_empty() && !block.visibility.is_secret())
}

/// Returns the title of a page: its first heading of the first level.
fn page_title(page: &str) -> Option<String> {
    let heading = page.lines().find_map(|line| line.strip_prefix("# "))?;
    Some(clean(heading.trim_matches(['#', '*', '_', ' ']))).filter(|title| !title.is_empty())
}

/// An entity that a heading names.
struct HeadingEntity {
    name: String,
    kind: Option<Kind>,
}

impl HeadingEntity {
    /// Returns whether this is the entity that a heading names. The heading can have more words: "Mirela Voss (dead)".
    fn is_named_by(&self, heading: &str) -> bool {
        let name = words(&self.name);
        !name.is_empty() && words(heading).starts_with(&name)
    }
}

/// Returns the entities that the headings of a page name, as the import of notes finds them.
fn heading_entities(page: &str) -> Vec<HeadingEntity> {
    const PAGE: &str = "page.md";
    let folder = Folder::from_files("page", [(PAGE.to_owned(), page.as_bytes().to_vec())], &Limits::default());
    let options = ReadOptions { format: Some(Format::Markdown), ..ReadOptions::default() };
    let Ok(Some(notes)) = read_notes(&folder, &options) else { return Vec::new() };
    let entities = notes.notes.into_iter().filter(|note| note.key != PAGE);
    entities
        .map(|note| {
            let kind = if note.is_player { Some(Kind::Player) } else { note.kind.map(|guess| guess.kind) };
            HeadingEntity { name: clean(&note.name), kind }
        })
        .collect()
}

/// Adds the headings whose own text states the kind of an entity: "## The Broken Wheel" above "An inn on the salt
/// road."
fn add_described_headings(page: &str, blocks: &[Block], headings: &mut Vec<HeadingEntity>) {
    let title = page_title(page);
    for block in blocks.iter().filter(|block| !block.visibility.is_secret()) {
        let Some(heading) = block.headings.last().map(|heading| clean(heading)) else { continue };
        let is_entity = headings.iter().any(|entity| block.headings.iter().any(|heading| entity.is_named_by(heading)));
        let announces =
            title.as_ref() == Some(&heading) || is_party(&heading) || lexicon::announced_kind(&heading).is_some();
        if is_entity || announces || lexicon::is_part_title(&heading) || !is_name(&heading) {
            continue;
        }
        let text = clean(&block.text.text);
        let first = sentences(&text).first().copied().unwrap_or_default();
        if let Some(kind) = kind_of_noun_phrase(first).or_else(|| lexicon::name_kind(&heading)) {
            headings.push(HeadingEntity { name: heading, kind: Some(kind) });
        }
    }
}

struct PageReader {
    made: PageDraft,
    /// Whether the page has marks that make a part of a paragraph secret.
    has_marks: bool,
}

impl PageReader {
    fn add_player(&mut self, character: PlayedCharacter) {
        let draft = &mut self.made.draft;
        match draft.add(&character.name, Kind::Player) {
            Ok(index) => {
                let entity = &mut draft.entities[index];
                entity.player = character.player;
                entity.description.extend(character.remark.map(|remark| describe(&entity.name, &remark)));
            }
            // The same character in two lists, or words that are no name.
            Err(_) => draft.texts.push(
                [Some(character.name), character.player, character.remark]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        }
    }

    /// Adds the entity that begins an item of a list, if the heading above the list states its kind: "- Odo Brandt, a
    /// ferryman" below "People".
    fn add_listed(&mut self, page: &str, block: &Block) {
        let heading = block.headings.last().filter(|_| is_list_item(page, block) && !block.visibility.is_secret());
        let Some(kind) = heading.and_then(|heading| listed_kind(heading)) else { return };
        let name = block.label.as_deref().map_or_else(|| item(&block.text.text).name, clean);
        // Another list, or a heading, can name the same entity.
        if is_name(&name) && !has_only_game_words(&name) {
            let _ = self.made.draft.add(&name, kind);
        }
    }

    /// Adds the entities of the headings, and of the names in the text whose kind is clear.
    fn add_entities(&mut self, blocks: &[&Block], headings: &[HeadingEntity]) {
        let text = blocks.iter().map(|block| block.text.text.as_str()).collect::<Vec<_>>().join("\n\n");
        let extractor = Extractor::new(Language::english(), Vocabulary::default());
        let found = extractor.extract(&Lexicon::from_state(&State::default()), &Text::new(&text, TextType::Lore));
        for heading in headings {
            let index = found.entities.iter().position(|entity| words(&entity.name) == words(&heading.name));
            let kind = heading.kind.clone().or_else(|| kind_in_text(&text, &heading.name));
            let kind = kind.or_else(|| index.and_then(|index| extracted_kind(&found, index)));
            // Two headings with the same name describe the same entity.
            let _ = self.made.draft.add(&heading.name, kind.unwrap_or_else(|| Kind::Custom("unknown".into())));
        }
        for (index, entity) in found.entities.iter().enumerate() {
            let is_known = self.made.draft.entities.iter().any(|known| contains_words(&known.name, &entity.name));
            if is_known || has_only_game_words(&entity.name) || entity.confidence.get() < MIN_NAME_CONFIDENCE {
                continue;
            }
            let has_article =
                text.get(..entity.span.start).is_some_and(|before| before.to_lowercase().ends_with("the "));
            let name = if has_article { format!("The {}", entity.name) } else { entity.name.clone() };
            let is_place =
                || text.contains(&format!(" in {name}")) || text.contains(&format!(" in the {}", entity.name));
            let kind = kind_in_text(&text, &entity.name).or_else(|| is_place().then_some(Kind::Location));
            // A name with an article is rarely a person: "the Drowned Rat".
            let extracted = || extracted_kind(&found, index).filter(|kind| !has_article || *kind != Kind::Npc);
            match kind.or_else(extracted) {
                Some(kind) => drop(self.made.draft.add(&name, kind)),
                None => self.made.unrecognized.push(name),
            }
        }
    }

    /// Adds the text of a block to the entities that it describes, or to the texts of the DM.
    fn add_block(&mut self, block: &Block, headings: &[HeadingEntity]) {
        let text = clean(&block.text.text);
        let text = match &block.label {
            Some(label) if !text.starts_with(label.as_str()) => format!("{}: {text}", clean(label)),
            _ => text,
        };
        let parts = sentences(&text);
        let heading = block.headings.iter().rev().find_map(|heading| {
            let entity = headings.iter().find(|entity| entity.is_named_by(heading))?;
            self.made.draft.entities.iter().position(|known| words(&known.name) == words(&entity.name))
        });
        let open = parts.len().min(self.open_sentences(block, &parts));
        let (mut current, mut last) = (heading, None);
        for sentence in &parts[..open] {
            current = heading.or_else(|| self.subject(sentence, current));
            self.add_sentence(current, sentence, last == Some(current));
            last = Some(current);
        }
        if open < parts.len() {
            self.add_secret(&parts[open..].join(" "), heading, current);
        }
    }

    /// Sets the occupations that the open descriptions of characters state.
    fn set_occupations(&mut self) {
        let extractor = Extractor::new(Language::english(), Vocabulary::default());
        let lexicon = Lexicon::from_state(&State::default());
        for entity in self.made.draft.entities.iter_mut().filter(|entity| entity.kind.is_character()) {
            let label = entity.description.iter().find_map(|paragraph| {
                let (label, value) = paragraph.split_once(':')?;
                let is_occupation =
                    matches!(lexicon::meaning(label), Meaning::Attribute(name) if name.as_str() == OCCUPATION);
                is_occupation.then(|| value.trim().to_owned())
            });
            let stated = || {
                let text = entity.description.join(" ");
                // "The landlady of the inn." describes the entity of the heading.
                let text = match kind_of_noun_phrase(&text).filter(|_| begins_with_article(&text)) {
                    Some(_) => describe(&entity.name, &lower_first(&text)),
                    None => text,
                };
                let found = extractor.extract(&lexicon, &Text::new(&text, TextType::Lore));
                found.facts.iter().find_map(|fact| {
                    let Mention::New(index) = fact.subject else { return None };
                    let is_subject = contains_words(&entity.name, &found.entities.get(index)?.name);
                    let FactObject::Value(value) = &fact.object else { return None };
                    (is_subject && fact.predicate.as_str() == OCCUPATION).then(|| value.to_string())
                })
            };
            entity.occupation = label.or_else(stated).filter(|value| !value.is_empty());
        }
    }

    /// Sets the place of the player characters: the place in the first sentence that says that something begins.
    fn set_first_place(&mut self, blocks: &[Block]) {
        let draft = &mut self.made.draft;
        let place_in = |sentence: &str| {
            let is_start = words(sentence).iter().any(|word| START_WORDS.contains(&word.as_str()));
            let named = if is_start { draft.named_in(sentence) } else { Vec::new() };
            named.into_iter().find(|index| draft.entities[*index].kind == Kind::Location)
        };
        let texts: Vec<String> = blocks.iter().map(|block| clean(&block.text.text)).collect();
        let Some(place) = texts.iter().flat_map(|text| sentences(text)).find_map(place_in) else { return };
        let place = draft.entities[place].id.clone();
        for character in draft.entities.iter_mut().filter(|entity| entity.kind == Kind::Player) {
            character.location = Some(place.clone());
        }
    }

    /// Adds the lines that are in no block to the texts of the DM, such as the head of a table, or front matter.
    fn add_missing_lines(&mut self, page: &str, blocks: &[Block]) {
        let draft = &mut self.made.draft;
        let mut seen: HashSet<String> = words(&draft.name).into_iter().collect();
        seen.extend(draft.entities.iter().flat_map(|entity| words(&entity.name)));
        for block in blocks {
            let texts = block.headings.iter().chain(&block.label).chain([&block.text.text]);
            seen.extend(texts.flat_map(|text| words(text)));
        }
        // The number of a list item is not text.
        let text = |line: &str| line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
        let is_missing = |line: &&str| words(&text(line)).iter().any(|word| !seen.contains(word));
        draft.texts.extend(page.lines().filter(is_missing).map(clean));
    }

    /// Returns the number of sentences of a block that are not secret. After a secret sentence, the whole rest of the
    /// block is secret.
    fn open_sentences(&self, block: &Block, parts: &[&str]) -> usize {
        if !block.visibility.is_secret() {
            return parts.len();
        }
        let is_marked = self.has_marks
            || block.headings.iter().any(|heading| secret::is_secret(heading))
            || block.label.as_deref().is_some_and(secret::is_secret);
        let is_secret = |sentence: &&str| secret::states_secrecy(sentence) || has_secret_label(sentence);
        let first = if is_marked { 0 } else { parts.iter().position(is_secret).unwrap_or(0) };
        // "Known only to Odo." makes the sentence before secret.
        if parts.get(first).is_some_and(|sentence| is_list_of_knowers(sentence)) {
            first.saturating_sub(1)
        } else {
            first
        }
    }

    /// Returns the entity that a sentence describes: the entity that it names first, or for a sentence that begins with
    /// a pronoun, the entity of the sentence before.
    fn subject(&self, sentence: &str, previous: Option<usize>) -> Option<usize> {
        if previous.is_some() && begins_with_anaphor(sentence) {
            return previous;
        }
        self.made.draft.named_in(sentence).first().copied().or(previous)
    }

    /// Adds a sentence to the description of an entity, or to the texts of the DM. If `continues` is true, the sentence
    /// continues the last paragraph there.
    fn add_sentence(&mut self, entity: Option<usize>, sentence: &str, continues: bool) {
        let draft = &mut self.made.draft;
        let paragraphs = match entity {
            Some(index) => &mut draft.entities[index].description,
            None => &mut draft.texts,
        };
        match paragraphs.last_mut() {
            Some(last) if continues => {
                last.push(' ');
                last.push_str(sentence);
            }
            _ => paragraphs.push(sentence.to_owned()),
        }
    }

    /// Adds a secret to the entity of its heading, or to the first NPC that it names, or to the character of the text
    /// before, or to the first knower that it lists. A secret without such an entity becomes a text that only the DM
    /// sees. Exactly the listed knowers know the secret. Without such a list, the entity knows the secret, unless the
    /// entity is not an NPC, or the text says that somebody does not know the secret.
    fn add_secret(&mut self, text: &str, heading: Option<usize>, previous: Option<usize>) {
        let draft = &mut self.made.draft;
        let SecretKnowers { text, knowers } = split_knowers(without_secret_label(text));
        let text = upper_first(&text);
        let named = draft.named_in(&text);
        let knowers = knowers.map(|knowers| draft.named_in(&knowers)).filter(|knowers| !knowers.is_empty());
        let is_npc = |index: &usize| draft.entities[*index].kind == Kind::Npc;
        let previous = previous.filter(|index| draft.entities[*index].kind.is_character());
        let first = named.iter().copied().find(is_npc);
        let by_text = if begins_with_anaphor(&text) { previous.or(first) } else { first.or(previous) };
        let by_knowers = knowers.as_ref().and_then(|knowers| knowers.first().copied());
        let Some(bearer) = heading.or(by_text).or(by_knowers) else {
            draft.texts.push(text);
            return;
        };
        // The residents of a place would know the secrets of the place. Player characters often do not know the DM's
        // secrets about them.
        let is_unknown_to_owner = match &knowers {
            Some(knowers) => !knowers.contains(&bearer),
            None => draft.entities[bearer].kind != Kind::Npc || denies_knowledge(&text),
        };
        let ids = |indices: Vec<usize>| {
            let others = indices.into_iter().filter(|index| *index != bearer);
            others.map(|index| draft.entities[index].id.clone()).collect()
        };
        let known_by = ids(knowers.unwrap_or_default());
        let secret = DraftSecret { about: ids(named), known_by, is_unknown_to_owner, text };
        draft.entities[bearer].secrets.push(secret);
    }
}

/// Returns whether a name consists of words of the game.
fn has_only_game_words(name: &str) -> bool {
    words(name).iter().all(|word| NO_NAMES.contains(&word.as_str()))
}

/// Returns whether a text begins with an article.
fn begins_with_article(text: &str) -> bool {
    words(text).first().is_some_and(|word| ["a", "an", "the"].contains(&word.as_str()))
}

/// Returns whether a sentence begins with a label such as `Secret:`.
fn has_secret_label(sentence: &str) -> bool {
    sentence.split_once(':').is_some_and(|(label, _)| label.len() <= 40 && secret::is_secret(label))
}

/// Returns whether a text says that somebody does not know something: "Unbeknownst to Odo", "Odo does not know".
fn denies_knowledge(text: &str) -> bool {
    let words = words(text);
    let is_negation = |word: &String| ["not", "never", "without"].contains(&word.as_str()) || word.ends_with("n't");
    let is_knowing = |word: &String| {
        ["know", "knows", "knew", "known", "knowing", "suspect", "suspects", "realize", "realise", "aware", "told"]
            .contains(&word.as_str())
    };
    let denies = |at: usize| is_negation(&words[at]) && words[at + 1..].iter().take(3).any(is_knowing);
    words.iter().any(|word| word == "unbeknownst" || word == "unaware") || (0..words.len()).any(denies)
}

/// Removes a label such as `Secret:` that says nothing else.
fn without_secret_label(text: &str) -> &str {
    match text.split_once(':') {
        Some((label, rest)) if secret::is_only_secret_mark(label) && !rest.trim().is_empty() => rest.trim(),
        _ => text,
    }
}

/// Returns whether a name contains all words of another name: `Lord Cassian Thorne` contains `Lord Thorne`.
fn contains_words(name: &str, part: &str) -> bool {
    let (name, part) = (words(name), words(part));
    !part.is_empty() && part.iter().all(|word| name.contains(word))
}

/// Returns the kind of a new name, according to the extraction of facts. A name with a trade, an age or a similar
/// attribute is a person.
fn extracted_kind(found: &Extraction, index: usize) -> Option<Kind> {
    let is_personal =
        |predicate: &str| ["occupation", "personality", "species", "age", "gender", "title"].contains(&predicate);
    let stated = found.facts.iter().any(|fact| {
        fact.subject == Mention::New(index)
            && matches!(fact.object, FactObject::Value(_))
            && is_personal(fact.predicate.as_str())
    });
    let guess = || found.entities.get(index)?.kind.clone();
    // The extraction tells persons, places, groups and things apart by the words of the name. The words of other kinds
    // usually stand beside the name: "the murder of Jory Hask".
    let is_reliable = |kind: &Kind| matches!(kind, Kind::Npc | Kind::Location | Kind::Faction | Kind::Item);
    if stated { Some(Kind::Npc) } else { guess().filter(is_reliable) }
}

/// Returns the kind that the words beside a name state: "the Gilded Gull, an inn in Gullhaven", "the inn, the Gilded
/// Gull", "Odo is a ferryman".
fn kind_in_text(text: &str, name: &str) -> Option<Kind> {
    text.match_indices(name).find_map(|(at, _)| {
        let kind_after = || kind_after(text.get(at + name.len()..)?);
        kind_after().or_else(|| kind_before(text.get(..at)?))
    })
}

fn kind_after(rest: &str) -> Option<Kind> {
    let rest = rest.split(['.', ';', '\n']).next()?;
    let rest = rest.strip_prefix(',').or_else(|| rest.strip_prefix(" is")).or_else(|| rest.strip_prefix(" was"))?;
    let rest = rest.trim_start();
    let rest = ["a ", "an ", "the "].iter().find_map(|article| rest.strip_prefix(article))?;
    kind_of_noun_phrase(rest)
}

/// Returns the kind that the noun phrase at the beginning of a text states: "A quiet inn on the road".
fn kind_of_noun_phrase(text: &str) -> Option<Kind> {
    let phrase = words(text.split([',', '(']).next()?);
    let is_end = |word: &&String| hearsay_model::spelling::is_stop_word(word);
    let nouns = phrase.iter().skip_while(is_end).take(5).take_while(|word| !is_end(word));
    nouns.filter_map(|word| lexicon::noun(word)).last()
}

fn kind_before(before: &str) -> Option<Kind> {
    let before = before.strip_suffix("the ").or_else(|| before.strip_suffix("The ")).unwrap_or(before);
    let noun_before = |end: &str| {
        let noun = before.strip_suffix(end)?.rsplit([' ', '\n']).next()?;
        if noun.chars().all(char::is_lowercase) { lexicon::noun(noun) } else { None }
    };
    let place = || noun_before(" of ").filter(|kind| *kind == Kind::Location);
    [", ", " named ", " called "].into_iter().find_map(noun_before).or_else(place)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests;
