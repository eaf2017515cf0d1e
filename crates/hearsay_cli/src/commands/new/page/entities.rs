//! Finds the entities of a page: in lists of names, in headings, and in the text.

use hearsay_campaign::import::{lexicon, secret};
use hearsay_extract::{Extraction, Extractor, Language, Lexicon, Text, TextType};
use hearsay_model::{
    Kind, State, Vocabulary,
    spelling::{is_common_word, is_stop_word},
    text::words,
    words::{contains_word, is_article, upper_first},
};

use super::{
    super::{
        answers::{PlayedCharacter, describe, is_name, item},
        draft::{Draft, DraftEntity, DraftText},
        english::ENGLISH,
        sentences::sentences,
    },
    PageReader,
    blocks::{PageBlock, without_nicknames},
    kinds::{ends_with_kind, extracted_kind, is_used_as_place, kind_after, kind_in_text, kind_of_remark},
    layout::entry_name,
    sections::{Section, exact_section, listed_kind, section},
    statements::SENTENCE_ENDS,
    subjects::is_verb,
};

/// Minimum probability that words are a name.
const MIN_NAME_CONFIDENCE: f64 = 0.45;

/// Maximum number of words of a name.
const MAX_NAME_WORDS: usize = 6;

/// Maximum number of words of a noun phrase that names an entity.
const MAX_NOUN_PHRASE_WORDS: usize = 3;

/// Minimum number of letters that a short form of a name shares with the name.
const MIN_SHORT_FORM_LETTERS: usize = 3;

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
        if block.is_continued || block.section.is_some_and(Section::has_statements) {
            return;
        }
        let label = block.label.clone();
        let entry = entry_name(&block.text).map(str::to_owned);
        // In a list of names, only the text after the name is secret: "Odo: works at the mill. Nobody knows that …"
        let is_hidden = |name: &String| block.is_secret && secret::is_secret(name);
        if block.is_secret && entry.as_ref().is_none_or(is_hidden) {
            return;
        }
        let is_below_entity =
            block.headings.iter().any(|heading| self.headings.iter().any(|entity| entity.is_named_by(heading)));
        let heading = block.headings.last();
        let announced = heading.and_then(|heading| listed_kind(heading));
        let is_field = |name: &str| exact_section(name).is_some() || lexicon::is_known(name);
        let (name, kind) = match announced {
            Some(kind) if block.is_secret => (entry.filter(|name| !is_field(name)), Some(kind)),
            None if block.is_secret => return,
            Some(kind) => {
                let listed = Some(item(&block.text).name).filter(|name| block.is_item && !is_word(&block.text, name));
                let names = [label, entry, listed, leading_name(&block.text)];
                let is_noun = |name: &str| block.is_item && is_noun_phrase(name, &kind);
                let mut names = names.into_iter().flatten();
                let name = names.find(|name| (is_name(name) || is_noun(name)) && !is_field(name));
                // A heading such as `Town` announces the places of the town, but its people can be listed there too.
                let is_exact = heading.is_some_and(|heading| section(heading).is_some());
                let stated = name.as_ref().filter(|_| !is_exact).and_then(|name| stated_kind(&block.text, name));
                let kind = stated.filter(|stated| *stated == Kind::Npc).unwrap_or(kind);
                // "The Lamplit are a brotherhood." can also stand among the people.
                let group = introduced_group(&block.text).filter(|_| kind == Kind::Npc);
                let is_group = group.is_some_and(|group| name.as_ref().is_some_and(|name| name == group));
                (name, Some(if is_group { Kind::Faction } else { kind }))
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
            let entity = &mut self.made.draft.entities[index];
            entity.line = Some(block.line(0));
            let inner = item(&block.text).parentheses.filter(|inner| is_short_form(&entity.name, inner));
            entity.aliases.extend(inner.filter(|_| entity.kind.is_character()));
        }
    }

    /// Adds the entities of the headings, and of the names in the text whose kind is clear. `other_names` are the nicknames
    /// and real names on the page.
    pub(super) fn add_entities(&mut self, page: &str, blocks: &[&PageBlock], other_names: &[&str]) {
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
        self.add_headings(page, &text, &found);
        self.add_introduced_groups(&blocks);
        let families = self.add_families(&text, &found, line_at);
        self.last_entry = None;
        let mut owners = Vec::with_capacity(blocks.len());
        for block in &blocks {
            let (owner, heading) = (self.owner(block), self.entity_of_headings(block));
            owners.push(if block.is_item { owner.or(heading) } else { heading.or(owner) });
        }
        let first_found = self.made.draft.entities.len();
        // The full name of a person comes before the first name: "Led by Odo." above "Odo Brandt, a ferryman".
        let mut order: Vec<usize> = (0..found.entities.len()).collect();
        order.sort_by_key(|index| is_first_name(&found, *index));
        for index in order {
            let entity = &found.entities[index];
            let has_name = |name: &String| contains_words(name, &entity.name);
            let names = self.made.draft.entities.iter().flat_map(|known| known.aliases.iter().chain([&known.name]));
            let is_known =
                names.into_iter().any(has_name) || families.iter().any(|family| family.is_named_by(&entity.name));
            let is_other_name = other_names.iter().any(|name| self.is_other_name(&entity.name, name));
            let is_unsure = entity.confidence.get() < MIN_NAME_CONFIDENCE;
            let is_verb_with_name = || begins_with_verb(&self.made.draft, &text, &entity.name);
            if is_known || is_other_name || is_unsure || has_only_game_words(&entity.name) || is_verb_with_name() {
                continue;
            }
            // "Hates the watch." within the text about a person, and "Low beams, one stove." within the text about a place
            let number = starts.partition_point(|start| *start <= entity.span.start).saturating_sub(1);
            let about = owners.get(number).copied().flatten();
            let is_in_item = about.is_some_and(|about| {
                self.made.draft.entities[about].kind.is_character() || is_before_plural(&text, &entity.name)
            });
            // "Wolves in the mill call at night." is told, and names nobody.
            let is_told = blocks.get(number).and_then(|block| block.section).is_some_and(Section::has_statements);
            let is_plural = is_told && entity.name.ends_with('s');
            let is_description = about.is_some() && is_bare_noun(&text, entity.span.start, &entity.name);
            // "The new Reeve of Saltwick" within the text about a person is a role.
            let names_role = is_in_item && is_role(&entity.name);
            let is_fragment = begins_fragments(&text, &entity.name);
            // "Odo, a cook, lives here." and "Odo - cook" within the text about a place
            let begins_entry = || blocks.get(number).is_some_and(|block| begins_entry(&block.text, &entity.name));
            let is_introduced = || kind_in_text(&text, &entity.name) == Some(Kind::Npc) || begins_entry();
            let is_unnamed = is_fragment && (is_in_item || is_plural || about.is_some() && !is_introduced());
            let has_article =
                text.get(..entity.span.start).is_some_and(|before| before.to_lowercase().ends_with("the "));
            let place = || possessed_place(&text, &entity.name);
            if let Some(name) = dedicated_place(&text, &entity.name).or_else(place) {
                if let Ok(added) = self.made.draft.add(&name, Kind::Location) {
                    self.made.draft.entities[added].line = line_at(entity.span.start);
                }
                continue;
            }
            if is_possessed_noun(&text, &entity.name) || is_description || names_role || is_unnamed {
                continue;
            }
            let name = if has_article { format!("The {}", entity.name) } else { entity.name.clone() };
            // Words that only begin sentences need a verb, or the form of an entry, to be a name.
            let is_clear = !is_fragment || precedes_verb(&text, &entity.name) || begins_entry();
            let is_place = || is_used_as_place(&text, &entity.name);
            let titled = || titled_kind(&entity.name).filter(|_| !has_article);
            let kind = kind_in_text(&text, &entity.name).or_else(titled);
            let kind = kind.or_else(|| (is_clear && is_place()).then_some(Kind::Location));
            // A name with an article is rarely a person: "the Drowned Rat". Neither is a possession: "her brother's Colt".
            let is_thing = has_article || is_possession(&text, &entity.name);
            let extracted = || extracted_kind(&found, index).filter(|kind| !is_thing || *kind != Kind::Npc);
            let kind = kind.or_else(|| extracted().filter(|_| is_clear));
            let is_person = kind == Some(Kind::Npc);
            if is_person && (self.made.draft.add_full_name(&name, first_found) || self.add_titled_name(&name)) {
                continue;
            }
            match kind.map(|kind| self.made.draft.add(&name, kind)) {
                Some(Ok(added)) => self.made.draft.entities[added].line = line_at(entity.span.start),
                Some(Err(_)) => {}
                None => self.made.unrecognized.push(name),
            }
        }
        // "Hates Odo Brandt." and "Part of Saltwick." begin with no name.
        let draft = &self.made.draft;
        let is_fragment = |name: &String| {
            let has_other_name = draft.named_at(name).iter().any(|(at, _)| *at > 0);
            has_other_name && !name.starts_with("The ") && begins_sentences(&text, name)
        };
        self.made.unrecognized.retain(|name| !is_fragment(name));
    }

    /// Adds the entities of the headings. `found` are the names in the text of the page.
    fn add_headings(&mut self, page: &str, text: &str, found: &Extraction) {
        let heading_text = |line: &str| Some(line.strip_prefix('#')?.trim_start_matches(['#', '*', ' ']).to_owned());
        let heading_lines: Vec<(usize, String)> =
            page.lines().enumerate().filter_map(|(number, line)| Some((number, heading_text(line)?))).collect();
        for heading in &self.headings {
            let index = found.entities.iter().position(|entity| words(&entity.name) == words(&heading.name));
            let kind = heading.kind.clone().or_else(|| kind_in_text(text, &heading.name));
            let kind = kind.or_else(|| index.and_then(|index| extracted_kind(found, index)));
            let begins = heading_lines.iter().find(|(_, text)| text.starts_with(&heading.name));
            let line = begins.or_else(|| heading_lines.iter().find(|(_, text)| text.contains(&heading.name)));
            let line = line.map(|(number, _)| *number);
            // Two headings with the same name describe the same entity.
            let added = self.made.draft.add(&heading.name, kind.unwrap_or_else(|| Kind::Custom("unknown".into())));
            if let Ok(index) = added {
                let entity = &mut self.made.draft.entities[index];
                entity.line = line.map(|line| line + 1);
                entity.condition = heading.condition.clone().filter(|_| entity.kind.is_character());
                let remark = heading.remark.as_ref().map(|remark| describe(&entity.name, remark));
                entity.description.extend(remark.map(|text| DraftText { text, line: entity.line }));
            }
        }
    }

    /// Adds the groups that the sentences of the page introduce.
    fn add_introduced_groups(&mut self, blocks: &[&&PageBlock]) {
        let is_open = |block: &&&&PageBlock| !block.is_secret && !block.section.is_some_and(Section::has_statements);
        for (sentence, line) in blocks.iter().filter(is_open).flat_map(|block| block.sentences()) {
            let Some(name) = introduced_group(sentence) else { continue };
            let draft = &mut self.made.draft;
            let has_name = |known: &DraftEntity| {
                contains_words(&known.name, name) || known.aliases.iter().any(|alias| contains_words(alias, name))
            };
            if !draft.entities.iter().any(has_name)
                && let Ok(index) = draft.add(name, Kind::Faction)
            {
                draft.entities[index].line = Some(line);
            }
        }
    }

    /// Makes a name with a title another name of the only character with the name without the title: "Abbot Severin" is
    /// Severin. Returns whether there is such a character.
    fn add_titled_name(&mut self, name: &str) -> bool {
        let Some((_, rest)) = name.split_once(' ').filter(|(title, _)| is_title(title)) else { return false };
        let rest = words(rest);
        let is_same = |entity: &&mut DraftEntity| {
            let mut names = std::iter::once(&entity.name).chain(&entity.aliases);
            entity.kind.is_character() && names.any(|known| words(known) == rest)
        };
        let mut found = self.made.draft.entities.iter_mut().filter(is_same);
        let (Some(entity), None) = (found.next(), found.next()) else { return false };
        entity.add_alias(name);
        true
    }

    /// Returns whether a name is another name of an entity, with or without its article, or behind the name of the entity:
    /// "the Heron", "Odo Old Latch".
    fn is_other_name(&self, name: &str, other: &str) -> bool {
        let all = words(name);
        let other: Vec<String> = words(other).into_iter().skip_while(|word| word == "the").collect();
        all.strip_suffix(&other[..]).is_some_and(|owner| {
            let owner = owner.join(" ");
            let owner = owner.strip_suffix(" the").unwrap_or(&owner);
            let mut entities = self.made.draft.entities.iter();
            owner.is_empty() || entities.any(|entity| contains_words(&entity.name, owner))
        })
    }

    /// Adds the nicknames in a block to their entities.
    pub(super) fn add_nicknames(&mut self, block: &PageBlock) {
        let owner = self.owner(block);
        for nickname in &block.nicknames {
            let of_block = if nickname.is_of_block { self.entity_of_headings(block).or(owner) } else { None };
            let draft = &mut self.made.draft;
            let of_block = of_block.filter(|index| draft.entities[*index].kind.is_character());
            let Some(owner) = of_block.or_else(|| draft.named_in(&nickname.owner).first().copied()) else {
                // A text without the name of the owner still contains the nickname.
                if !nickname.owner.is_empty() {
                    let text = format!("{} (\u{201C}{}\u{201D})", nickname.owner, nickname.name);
                    self.add_not_understood(&text, nickname.line);
                }
                continue;
            };
            draft.entities[owner].add_alias(&nickname.name);
        }
    }
}

/// Returns the kind that a text of the form `Name (a village): text` or `Name - a village` states.
fn entry_kind(text: &str, name: &str) -> Option<Kind> {
    let stated = stated_kind(text, name).or_else(|| stated_trade(text, name));
    // "Captain Odo Marsh - harbour police"
    let has_title = || name.split_once(' ').is_some_and(|(title, rest)| is_title(title) && is_name(rest));
    let remark = || text.find(name).map_or("", |at| remark_after(&text[at + name.len()..]));
    let is_person = stated == Some(Kind::Location)
        && has_title()
        && lexicon::name_kind(name).is_none()
        && !ends_with_kind(remark());
    if is_person { Some(Kind::Npc) } else { stated.or_else(|| lexicon::name_kind(name)) }
}

/// Returns the kind that the noun phrase after a name states.
fn stated_kind(text: &str, name: &str) -> Option<Kind> {
    kind_of_remark(remark_after(&text[text.find(name)? + name.len()..]))
}

/// Returns the remark at the beginning of the text after a name.
fn remark_after(rest: &str) -> &str {
    rest.trim_start_matches(|c: char| !c.is_alphanumeric()).split([')', '.', ':']).next().unwrap_or_default()
}

/// Returns the kind of a person if the noun phrase after a name is an occupation: "Odo Marsh - foreman of the mine".
fn stated_trade(text: &str, name: &str) -> Option<Kind> {
    let remark = text[text.find(name)? + name.len()..].trim_start_matches(|c: char| !c.is_alphanumeric());
    let all = words(remark.split([')', '.', ':', ',']).next()?);
    let phrase = all.iter().skip_while(|word| is_stop_word(word)).take(MAX_NOUN_PHRASE_WORDS);
    let noun = phrase.take_while(|word| !is_stop_word(word)).last()?;
    Language::english().is_occupation(noun).then_some(Kind::Npc)
}

/// Returns whether a text is an entry that begins with a name: "Odo Marsh - foreman", "Odo Marsh, foreman of the mine".
fn begins_entry(text: &str, name: &str) -> bool {
    entry_name(text) == Some(name) || text.starts_with(name) && stated_trade(text, name).is_some()
}

/// Returns whether a text begins with a word that is a sentence of its own, and an ordinary word instead of a name: "Trapper.
/// Sells furs."
fn is_word(text: &str, name: &str) -> bool {
    let is_sentence = text.strip_prefix(name).is_some_and(|rest| rest.starts_with(". "));
    let word = name.to_lowercase();
    let is_ordinary =
        || is_common_word(&word) || lexicon::noun(&word).is_some() || Language::english().is_occupation(&word);
    is_sentence && !name.contains(' ') && is_ordinary()
}

/// Returns whether a new name, which names no person by itself, is the first word of the name of a person in the same text.
fn is_first_name(found: &Extraction, index: usize) -> bool {
    let name = found.entities[index].name.as_str();
    let is_full_name = |other: usize| {
        let full_name = found.entities[other].name.as_str();
        let begins = full_name.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '));
        begins && extracted_kind(found, other) == Some(Kind::Npc)
    };
    extracted_kind(found, index) != Some(Kind::Npc) && (0..found.entities.len()).any(is_full_name)
}

/// Returns whether words are a short noun phrase for an entity of a kind, instead of a name: "The old mill".
fn is_noun_phrase(text: &str, kind: &Kind) -> bool {
    let words = words(text);
    let has_article = words.first().is_some_and(|word| is_article(word));
    let last = words.last().and_then(|word| lexicon::noun(word).or_else(|| lexicon::name_kind(word)));
    has_article && words.len() <= MAX_NOUN_PHRASE_WORDS && last.as_ref() == Some(kind)
}

/// Returns whether a text is a short form of a name: `Tomi` of `Tomas Grauer`.
fn is_short_form(name: &str, text: &str) -> bool {
    let start = |word: &String| word.chars().take(MIN_SHORT_FORM_LETTERS).collect::<String>();
    let short = words(text);
    let [short] = &short[..] else { return false };
    let is_long = short.chars().count() >= MIN_SHORT_FORM_LETTERS;
    is_name(text) && is_long && words(name).iter().any(|word| word != short && start(word) == start(short))
}

/// Returns whether a word is a title of a person or a word for a person: `Sister`, `Abbot`.
fn is_title(word: &str) -> bool {
    let word = word.to_lowercase();
    contains_word(&ENGLISH.male_titles, &word)
        || contains_word(&ENGLISH.female_titles, &word)
        || lexicon::noun(&word) == Some(Kind::Npc)
        || Language::english().is_occupation(&word)
}

/// Returns whether words are a role at a place, instead of a name: "Reeve of Saltwick".
fn is_role(name: &str) -> bool {
    name.split_once(" of ").is_some_and(|(role, _)| !role.contains(' ') && is_title(role))
}

/// Returns the name of the building that is named after a saint, if a text names the saint so: "the monastery of Saint Orso" is
/// The Monastery of Saint Orso.
fn dedicated_place(text: &str, saint: &str) -> Option<String> {
    let first = saint.split(' ').next()?.trim_end_matches('.').to_lowercase();
    if !contains_word(&ENGLISH.saint_titles, &first) {
        return None;
    }
    let noun_before = |(at, _): (usize, &str)| {
        let noun = text[..at].strip_suffix(" of ")?.rsplit([' ', '\n']).next()?;
        contains_word(&ENGLISH.dedicated_buildings, &noun.to_lowercase()).then(|| upper_first(noun))
    };
    let noun = text.match_indices(saint).find_map(noun_before)?;
    Some(format!("The {noun} of {saint}"))
}

/// Returns the name of a place that a text always names with its owner: "the Miller's House" is The Miller's House.
fn possessed_place(text: &str, noun: &str) -> Option<String> {
    let owner_before = |(at, _): (usize, &str)| {
        let before = text[..at].trim_end();
        let owner = before.rsplit([' ', '\n']).next()?;
        let has_article = before.strip_suffix(owner)?.to_lowercase().ends_with("the ");
        (has_article && owner.starts_with(char::is_uppercase)).then_some(owner)
    };
    if !is_possessed_noun(text, noun) {
        return None;
    }
    let name = format!("{} {noun}", text.match_indices(noun).find_map(owner_before)?);
    let is_place = lexicon::noun(&noun.to_lowercase()) == Some(Kind::Location) || is_used_as_place(text, &name);
    is_place.then(|| format!("The {name}"))
}

/// Returns whether a word is a noun that a text uses only after its owner: "the Miller's House".
fn is_possessed_noun(text: &str, word: &str) -> bool {
    let is_noun = || lexicon::noun(&word.to_lowercase()).or_else(|| lexicon::name_kind(word)).is_some();
    !word.contains(' ') && is_possession(text, word) && is_noun()
}

/// Returns the name of the group that a sentence introduces: "The Lamplit are a brotherhood in the village."
fn introduced_group(sentence: &str) -> Option<&str> {
    let rest = sentence.strip_prefix("The ")?;
    let is_name_word = |word: &&str| word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphanumeric);
    let length: usize = rest.split(' ').take(MAX_NAME_WORDS).take_while(is_name_word).map(|word| word.len() + 1).sum();
    let name = rest.get(..length)?.trim_end();
    let description = &rest[name.len()..];
    let is_plural = ENGLISH.list_verbs.iter().any(|verb| description.starts_with(&format!(" {verb} ")));
    let is_group = is_plural && (kind_after(description) == Some(Kind::Faction) || states_trades(description));
    let is_group = !name.is_empty() && is_group;
    is_group.then(|| &sentence[.."The ".len() + name.len()])
}

/// Returns whether the words after a name state the trade of several persons: " are poachers in the wood".
fn states_trades(description: &str) -> bool {
    let all = words(description);
    let last = all.iter().skip_while(|word| is_stop_word(word)).take_while(|word| !is_stop_word(word)).last();
    let trade = last.and_then(|noun| noun.strip_suffix('s'));
    trade.is_some_and(|trade| Language::english().is_occupation(trade))
}

/// Returns the kind of a name that begins with the word for a person: "Landlady Lisbet Quay", but not "King Street".
fn titled_kind(name: &str) -> Option<Kind> {
    let (first, rest) = name.split_once(' ')?;
    let is_person = rest.contains(' ') || lexicon::noun(&rest.to_lowercase()).is_none();
    let kind = lexicon::noun(&first.to_lowercase()).filter(|kind| *kind == Kind::Npc);
    kind.filter(|_| is_name(rest) && is_person && lexicon::name_kind(name).is_none())
}

/// Returns whether words with a capital letter are a name only because they begin a sentence: "Hates the watch.",
/// "Squeaky, talks too fast." A verb must follow a name of one word, and the second word of a longer name must have a capital
/// letter.
fn begins_fragments(text: &str, name: &str) -> bool {
    let second = name.split(' ').nth(1);
    if second.is_some_and(|word| word.starts_with(char::is_uppercase)) {
        return false;
    }
    // "The Bell Tower: Part of Saltwick."
    let is_start = |before: &str| begins_sentence(before) || second.is_some() && begins_description(before);
    text.match_indices(name).all(|(at, _)| is_start(&text[..at])) && !(second.is_none() && precedes_verb(text, name))
}

/// Returns whether the text before some words ends with the name of an entry and a mark: "The Bell Tower: ".
fn begins_description(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim_end();
    let name = line.trim_end_matches([':', '-', '\u{2013}', '\u{2014}']);
    name.len() < line.len() && !name.contains(['.', ':']) && !lexicon::is_known(name.trim())
}

/// Returns whether a text contains words with a verb after them: "Odo drinks."
fn precedes_verb(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let next = text[at + words.len()..].strip_prefix(' ').and_then(|rest| rest.split(' ').next());
        next.is_some_and(is_verb)
    })
}

/// Returns whether words stand only at the beginnings of sentences.
fn begins_sentences(text: &str, words: &str) -> bool {
    text.match_indices(words).all(|(at, _)| begins_sentence(&text[..at]))
}

/// Returns whether words are the verb of a sentence without a subject, and the name of an entity: "Fears Odo Brandt."
fn begins_with_verb(draft: &Draft, text: &str, words: &str) -> bool {
    let first = words.split(' ').next().unwrap_or_default().to_lowercase();
    let has_name = || draft.named_at(words).iter().any(|(at, _)| *at > 0);
    is_verb(&first) && !is_title(&first) && begins_sentences(text, words) && has_name()
}

/// Returns whether a sentence begins after a text.
fn begins_sentence(before: &str) -> bool {
    let sentence = before.trim_end();
    sentence.is_empty() || sentence.ends_with(SENTENCE_ENDS) || before.ends_with('\n')
}

/// Returns whether the word at a position of a text is a noun for a kind of entity that begins a description, and no name:
/// "Inn in the harbour of Saltwick.", "Tower, ruined."
fn is_bare_noun(text: &str, at: usize, word: &str) -> bool {
    let (Some(before), Some(rest)) = (text.get(..at), text.get(at..).and_then(|rest| rest.strip_prefix(word))) else {
        return false;
    };
    let is_noun =
        !word.contains(' ') && lexicon::noun(&word.to_lowercase()).or_else(|| lexicon::name_kind(word)).is_some();
    // "The Wet Lantern: Inn in the harbour."
    let marks = [':', '-', '\u{2013}', '\u{2014}'];
    let sentence = before.trim_end();
    let begins =
        before.is_empty() || before.ends_with('\n') || sentence.ends_with(SENTENCE_ENDS) || sentence.ends_with(marks);
    let next = rest.strip_prefix(' ').and_then(|rest| rest.split_whitespace().next());
    let ends =
        rest.starts_with([',', ';', '.']) || next.is_some_and(|next| contains_word(&ENGLISH.noun_followers, next));
    is_noun && begins && ends
}

/// Returns whether a plural noun with a mark after it always follows a word, so the word is an adjective: "Low beams, one
/// stove."
fn is_before_plural(text: &str, word: &str) -> bool {
    text.match_indices(word).all(|(at, _)| {
        let next = text[at + word.len()..].strip_prefix(' ').and_then(|rest| rest.split([' ', '\n']).next());
        let next = next.unwrap_or_default();
        let noun = next.trim_end_matches(|c: char| !c.is_alphanumeric());
        noun.len() < next.len() && noun.starts_with(char::is_lowercase) && noun.ends_with('s')
    })
}

/// Returns whether a text uses a name only for a possession: "her brother's Colt".
fn is_possession(text: &str, name: &str) -> bool {
    let is_possessed = |(at, _): (usize, &str)| text[..at].ends_with("'s ") || text[..at].ends_with("\u{2019}s ");
    text.contains(name) && text.match_indices(name).all(is_possessed)
}

/// Returns the name with which a text begins: "Bettony Flask runs the Lantern.", "Bettony Flask. Landlady of the Lantern."
fn leading_name(text: &str) -> Option<String> {
    let parts = sentences(text);
    let first = *parts.first()?;
    let whole = first.strip_suffix('.').filter(|name| parts.len() > 1 && is_name(name)).unwrap_or_default();
    // "Part of the old town." is no name.
    if whole.split(' ').nth(1).is_some_and(|word| word.starts_with(char::is_uppercase)) {
        return Some(whole.to_owned());
    }
    let words: Vec<&str> = first.split(' ').collect();
    let length = (1..=words.len().min(MAX_NAME_WORDS)).rev().find(|length| is_name(&words[..*length].join(" ")))?;
    let next = words.get(length)?;
    // A single word can also be an ordinary word, so a verb must follow.
    let begins_lowercase = next.starts_with(char::is_lowercase);
    // "Osric Vane, foreman of the mine"
    let name = || words[..length].join(" ").trim_end_matches([',', ';']).to_owned();
    (begins_lowercase && (length > 1 || is_verb(next))).then(name)
}

/// Returns whether a name consists of words of the game.
fn has_only_game_words(name: &str) -> bool {
    words(name).iter().all(|word| contains_word(&ENGLISH.no_names, word))
}

/// Returns whether a name contains all words of another name: `Lord Cassian Thorne` contains `Lord Thorne`.
pub(super) fn contains_words(name: &str, part: &str) -> bool {
    let (name, part) = (words(name), words(part));
    !part.is_empty() && part.iter().all(|word| name.contains(word))
}
