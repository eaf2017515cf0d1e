//! The paragraphs and list items of a page.

mod parts;

use hearsay_campaign::import::{
    Block, FileId, SourceText, Visibility,
    author_note::is_author_remark,
    knowers::is_remark_about_knowers,
    lexicon::{self, Meaning},
    markup,
    nickname::stated_nickname,
    secret,
};
use hearsay_extract::{Nickname, find_nicknames};
use hearsay_model::{Kind, Span, text::words, words::contains_word};

use super::{
    super::{
        answers::{PlayedCharacter, is_name, item, players},
        draft::{clean, id_for},
        english::ENGLISH,
        sentences::sentences,
    },
    layout::is_entry,
    other_names::{appended_name, called_name, names_in_parentheses},
    sections::{
        Section, announces_secret, exact_section, is_marked_secret, is_section_title, labelled_section, section,
    },
    statements::{SENTENCE_ENDS, brackets},
    subjects::is_verb,
};

/// Marks behind the number of an entry: "3 - The mill is cursed."
const NUMBER_MARKS: [&str; 5] = [" - ", " \u{2013} ", " \u{2014} ", ". ", ") "];

/// Another name of an entity, as a block states it.
#[derive(Debug, Clone)]
pub(super) struct PageNickname {
    pub(super) name: String,
    /// The name of the entity, as far as the block states the name beside the nickname.
    pub(super) owner: String,
    /// Whether the entity that the block is about has the nickname, if it is a character: "Everybody calls him Old Odo."
    pub(super) is_of_block: bool,
    pub(super) line: usize,
}

/// A paragraph or list item of a page.
#[derive(Debug, Clone)]
pub(super) struct PageBlock {
    /// The headings above the block, outermost first.
    pub(super) headings: Vec<String>,
    /// The innermost section that a heading, or the label of the block, announces.
    pub(super) section: Option<Section>,
    pub(super) label: Option<String>,
    /// The text, without a label that announces a section.
    pub(super) text: String,
    pub(super) is_item: bool,
    /// Whether the block continues the block before: it is a part of the same paragraph or item.
    pub(super) is_continued: bool,
    /// Whether the page marks the block as secret.
    pub(super) is_secret: bool,
    /// The nicknames in the innermost heading and in the text. The headings and the text do not contain the nicknames that
    /// stand in quotation marks beside a name. Empty if the block is secret or consists of statements: such a text keeps its
    /// nicknames.
    pub(super) nicknames: Vec<PageNickname>,
    /// The DM's remarks in brackets, with their lines. The text does not contain them. Empty if the block consists of lies
    /// or rumours, whose remarks say who tells them and whether they are true.
    pub(super) remarks: Vec<(String, usize)>,
    /// For each line of the page, the number of characters of the text before the line. Spaces do not count.
    lines: Vec<(usize, usize)>,
}

impl PageBlock {
    fn new(page: &str, title: Option<&str>, block: &Block) -> Self {
        let headings: Vec<String> = block.headings.iter().map(|heading| clean(heading)).collect();
        let mut text = clean(&block.text.text);
        let mut lines = lines(page, block);
        let label = block.label.as_deref().map(|label| clean(label.trim().trim_end_matches(':')));
        if let Some(label) = label.as_ref().filter(|label| !text.starts_with(label.as_str())) {
            let before = format!("{label}: ");
            let added = visible(&before);
            lines.iter_mut().skip(1).for_each(|(start, _)| *start += added);
            text.insert_str(0, &before);
        }
        // A colon in a later sentence ends no label: "Odo Brandt. Ferryman. Home: the mill".
        let label = label.filter(|label| sentences(label).len() == 1);
        let mut block = Self {
            is_item: is_list_item(page, block),
            is_continued: false,
            is_secret: block.visibility.is_secret(),
            section: section_of_headings(&headings, title),
            nicknames: Vec::new(),
            remarks: Vec::new(),
            headings,
            label,
            text,
            lines,
        };
        block.take_section_label();
        block
    }

    /// Moves a label that announces a section from the text to `label`. The words of a label such as `Secret:` matter for the
    /// secret, so the text keeps them.
    fn take_section_label(&mut self) {
        let Some((label, rest)) = self.text.split_once(':') else { return };
        match labelled_section(label).filter(|_| !rest.trim().is_empty()) {
            None => {}
            Some(Section::Secrets) => self.is_secret = true,
            Some(section) => {
                let (label, rest, removed) = (label.to_owned(), rest.trim().to_owned(), visible(label) + 1);
                self.lines.iter_mut().for_each(|(start, _)| *start = start.saturating_sub(removed));
                (self.label, self.section, self.text) = (Some(label), Some(section), rest);
            }
        }
    }

    /// Moves the number, the nicknames and the remarks of the DM from the text to their fields.
    fn take_marks(mut self, page: &str) -> Self {
        self.take_number();
        self.take_nicknames(page);
        self.take_remarks();
        self
    }

    /// Removes the number of an entry in a list of statements: "3 - The mill is cursed."
    fn take_number(&mut self) {
        let rest = self.text.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = self.text.len() - rest.len();
        let mark = NUMBER_MARKS.iter().find(|mark| rest.starts_with(**mark));
        let is_entry = digits > 0 && self.section.is_some_and(Section::has_statements);
        if let Some(mark) = mark.filter(|_| is_entry) {
            self.remove(0, digits + mark.len());
        }
    }

    /// Splits the sentence that lists the player characters from the rest of a paragraph: "The player characters are Wren
    /// (Ben) and Odo (Cleo). They are poor."
    fn split_party(mut self) -> Vec<Self> {
        let first = sentences(&self.text).first().copied().unwrap_or_default().to_owned();
        let listed = ENGLISH.list_verbs.iter().find_map(|verb| first.split_once(&format!(" {verb} ")));
        let listed = listed.filter(|(label, list)| {
            let has_players = list.contains('(') || list.contains(" played by ") || is_list_of_characters(label, list);
            is_party(label) && has_players && !self.is_secret
        });
        let Some((label, list)) = listed else { return vec![self] };
        let mut rest = self.clone();
        rest.remove(0, (first.len() + 1).min(rest.text.len()));
        self.text = format!("{label}: {}", list.trim_end_matches('.'));
        if rest.text.is_empty() {
            return vec![self];
        }
        (self.nicknames, self.remarks) = (Vec::new(), Vec::new());
        vec![self, rest]
    }

    /// Moves the nicknames from the headings and the text to `nicknames`.
    fn take_nicknames(&mut self, page: &str) {
        let is_open = !self.is_secret && !self.section.is_some_and(Section::has_statements);
        let heading = self.headings.last().filter(|_| is_open).map_or("", |heading| heading.as_str());
        let new = |Nickname { name, owner, .. }, is_of_block, line| PageNickname { name, owner, is_of_block, line };
        self.nicknames =
            find_nicknames(heading).into_iter().map(|nickname| new(nickname, false, self.line(0))).collect();
        self.headings.iter_mut().for_each(|heading| *heading = without_nicknames(heading));
        if !is_open {
            return;
        }
        let stated = |(sentence, line): (&str, usize)| {
            let name = stated_nickname(sentence)?.to_owned();
            Some(PageNickname { name, owner: String::new(), is_of_block: true, line })
        };
        let appended = |(sentence, line): (&str, usize)| {
            let (owner, name) = appended_name(sentence).or_else(|| called_name(sentence, page))?;
            Some(PageNickname { name: name.to_owned(), owner: owner.to_owned(), is_of_block: false, line })
        };
        // The rest of the text behind a label such as "Truth:", or a remark such as "(secret)", is secret.
        let open = || self.sentences().into_iter().take_while(|(sentence, _)| !is_marked_secret(sentence));
        let found: Vec<PageNickname> = open().filter_map(stated).chain(open().filter_map(appended)).collect();
        self.nicknames.extend(found);
        let secret = self.sentences().into_iter().map(|(sentence, _)| sentence).find(|part| is_marked_secret(part));
        let open_end = secret.and_then(|secret| self.text.find(secret)).unwrap_or(self.text.len());
        let open_text = &self.text[..open_end];
        let mut beside = find_nicknames(open_text);
        if self.players().is_none() {
            beside.extend(names_in_parentheses(open_text, page));
            beside.sort_by_key(|nickname| nickname.span.start);
        }
        for nickname in beside.into_iter().rev() {
            let Span { start, end } = nickname.span;
            // "Nickname \"the Heron\"" names no entity beside the nickname.
            let is_stated = self.nicknames.iter().any(|stated| stated.is_of_block && stated.name == nickname.name);
            if !is_stated {
                let is_of_block = follows_role(&self.text[..start], &nickname);
                self.nicknames.push(new(nickname, is_of_block, self.line(start)));
                self.remove(start, end);
            }
        }
    }

    /// Moves the DM's remarks in brackets from the text to `remarks`. In a secret, each sentence in brackets is such a
    /// remark, unless it says who knows the secret, or is secret itself.
    fn take_remarks(&mut self) {
        let is_told = self.section.is_some_and(|section| section.has_statements() && section != Section::Secrets);
        if is_told || self.players().is_some() {
            return;
        }
        let is_secret = self.is_secret || self.section == Some(Section::Secrets);
        for (open, close) in brackets(&self.text).into_iter().rev() {
            let before = self.text[..open].trim_end();
            let remark = self.text[open + 1..close].trim();
            let is_sentence = before.ends_with(SENTENCE_ENDS);
            let is_secret_itself =
                is_remark_about_knowers(remark) || secret::states_secrecy(remark) || secret::is_secret(remark);
            if before.is_empty() || !(is_author_remark(remark) || is_secret && is_sentence && !is_secret_itself) {
                continue;
            }
            let (start, mut end) = (before.len(), close + 1);
            if is_sentence && self.text[end..].starts_with('.') {
                end += 1;
            }
            self.remarks.insert(0, (remark.to_owned(), self.line(open)));
            self.remove(start, end);
        }
    }

    /// Removes a part of the text.
    fn remove(&mut self, start: usize, end: usize) {
        let (before, removed) = (visible(&self.text[..start]), visible(&self.text[start..end]));
        for (at, _) in self.lines.iter_mut().filter(|(at, _)| *at > before) {
            *at = at.saturating_sub(removed).max(before);
        }
        self.text.replace_range(start..end, "");
    }

    /// Returns the line of the page that contains the text at a position in bytes.
    pub(super) fn line(&self, at: usize) -> usize {
        let before = visible(self.text.get(..at).unwrap_or(&self.text));
        let next = self.lines.partition_point(|(start, _)| *start <= before);
        self.lines.get(next.saturating_sub(1)).map_or(1, |(_, line)| *line)
    }

    /// Returns the sentences of the text with their lines.
    pub(super) fn sentences(&self) -> Vec<(&str, usize)> {
        let mut at = 0;
        let with_line = |sentence: &'_ str| {
            let line = self.line(at);
            at += sentence.len() + 1;
            line
        };
        let found = sentences(&self.text);
        let lines: Vec<usize> = found.iter().copied().map(with_line).collect();
        found.into_iter().zip(lines).collect()
    }

    /// Returns the player characters in the block, if it is a list of player characters.
    pub(super) fn players(&self) -> Option<Vec<PlayedCharacter>> {
        let labelled = self.text.split_once(':').filter(|(label, _)| is_party(label)).map(|(_, rest)| rest.trim());
        let is_below_players = self.section == Some(Section::Players)
            && self.headings.last().is_some_and(|heading| exact_section(heading) == Some(Section::Players));
        // Below a heading, a name with a player: "Wren Oake (Ben)", "Wren Oake - Ben".
        let is_listed = || {
            begins_with_player(&self.text) || is_entry(&self.text) || self.is_item && is_name(&item(&self.text).name)
        };
        let is_below_characters = self.headings.last().is_some_and(|heading| words(heading) == ["characters"]);
        let played = || played_in_sentences(&self.text).filter(|_| is_below_players);
        let found = if let Some(rest) = labelled {
            players(rest)
        } else if self.label.as_deref().is_some_and(is_party) {
            players(&self.text)
        } else if let Some(character) = player_of_row(&self.text, is_below_players) {
            vec![character]
        } else if let Some(played) = played() {
            played
        } else if is_below_players && is_listed() || is_below_characters && begins_with_player(&self.text) {
            players(&self.text)
        } else {
            return None;
        };
        Some(found).filter(|players| !players.is_empty() && !self.is_secret)
    }
}

/// Returns whether a text begins with a name and its player: "Wren Oake (Ben)", "Wren Oake, an elf (Ben)", but not "Odo is the
/// miller (he drinks)".
fn begins_with_player(text: &str) -> bool {
    text.split_once('(').is_some_and(|(before, _)| {
        let named = item(before);
        let is_sentence = named.remark.is_some_and(|remark| remark.split(' ').next().is_some_and(is_verb));
        is_name(&named.name) && !is_sentence && sentences(before.trim_end()).len() == 1
    })
}

/// Returns the player characters in sentences such as "Ben plays Wren Oake, an elf. Cleo plays Dorric."; `None` if a sentence
/// says something else.
fn played_in_sentences(text: &str) -> Option<Vec<PlayedCharacter>> {
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let (player, character) = sentence.split_once(" plays ")?;
        if !is_name(player) || !character.starts_with(char::is_uppercase) {
            return None;
        }
        found.extend(players(sentence.trim_end_matches('.')));
    }
    Some(found)
}

/// Returns the player character in a row of a table with a column for the players: "Wren Oake; Player: Ben; Class: ranger".
/// If the table stands below a heading such as `Players`, the players can stand in the first column instead.
fn player_of_row(text: &str, is_below_players: bool) -> Option<PlayedCharacter> {
    let (first, cells) = text.split_once("; ")?;
    let (mut name, mut player, mut remarks) = (first, None, Vec::new());
    for (column, value) in cells.split("; ").filter_map(|cell| cell.split_once(": ")) {
        let names_character = || {
            lexicon::meaning(column) == Meaning::Name || lexicon::kind(column).is_some_and(|kind| kind.is_character())
        };
        if lexicon::meaning(column) == Meaning::Player {
            player = Some(value);
        } else if is_below_players && player.is_none() && names_character() {
            (name, player) = (value, Some(first));
        } else {
            remarks.push(value);
        }
    }
    let player = player?.to_owned();
    let remark = Some(remarks.join(", ")).filter(|remark| !remark.is_empty());
    is_name(name).then(|| PlayedCharacter { name: name.to_owned(), player: Some(player), remark })
}

/// Returns whether a nickname belongs to the person with the role before it: "Head of House Dhoun (\"the Saffron Lady\")". A
/// nickname that repeats a word of the name before it belongs to the entity with this name.
fn follows_role(before: &str, nickname: &Nickname) -> bool {
    let owner = words(&nickname.owner);
    let Some(before) = before.strip_suffix(nickname.owner.as_str()) else { return false };
    if words(&nickname.name).iter().any(|word| owner.contains(word)) {
        return false;
    }
    let before = before.trim_end().trim_end_matches(" the").trim_end_matches(['*', '_']);
    let Some(role) = before.strip_suffix(" of") else { return false };
    let noun = role.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let is_rank = || matches!(lexicon::meaning(&noun), Meaning::Relation(meaning) if meaning.rank.is_some());
    lexicon::noun(&noun) == Some(Kind::Npc) || is_rank()
}

/// Returns a text without its nicknames.
pub(super) fn without_nicknames(text: &str) -> String {
    let mut plain = text.to_owned();
    for Nickname { span, .. } in find_nicknames(text).into_iter().rev() {
        plain.replace_range(span.start..span.end, "");
    }
    plain
}

/// Returns the paragraphs and list items of a page in Markdown, or their parts. A paragraph such as `NPCs:` is a heading of
/// the list below it. `has_marks` states whether the page has marks that make a part of a paragraph secret.
pub(super) fn blocks(page: &str, title: Option<&str>, has_marks: bool) -> Vec<PageBlock> {
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
    let parts = blocks.iter().flat_map(|block| PageBlock::new(page, title, block).split(has_marks));
    let mut blocks: Vec<PageBlock> = parts.map(|part| part.take_marks(page)).flat_map(PageBlock::split_party).collect();
    for number in 1..blocks.len() {
        let (before, next) = (&blocks[number - 1], &blocks[number]);
        // What a character says is a lie if the next text begins with `Truth:`.
        if before.section == Some(Section::Claims) && before.headings == next.headings && announces_secret(&next.text) {
            blocks[number - 1].section = Some(Section::Lies);
        }
    }
    blocks
}

/// Returns the title of a page in Markdown: its first heading of the first level.
pub(super) fn title(page: &str) -> Option<String> {
    let heading = page.lines().find_map(|line| line.strip_prefix("# "))?;
    let title = clean(heading.trim_matches(['#', '*', '_', ' ']));
    Some(title).filter(|title| !title.is_empty() && exact_section(title).is_none() && id_for(title).is_ok())
}

/// Marks before the words of a title that say that the page contains notes.
const TITLE_MARKS: [&str; 5] = [" - ", " \u{2013} ", " \u{2014} ", ": ", " ("];

/// Returns the title of a page without words at its end which say that the page contains notes: `The Gull` for `The Gull - my
/// notes`.
pub(super) fn without_page_noun(title: &str) -> &str {
    let is_noun = |word: &String| contains_word(&ENGLISH.page_nouns, word);
    let is_companion = |word: &String| contains_word(&ENGLISH.page_noun_companions, word);
    let is_remark = |rest: &str| {
        let all = words(rest);
        all.iter().any(is_noun) && all.iter().all(|word| is_noun(word) || is_companion(word))
    };
    let parts = TITLE_MARKS.iter().filter_map(|mark| title.rsplit_once(*mark));
    let last = parts.max_by_key(|(name, _)| name.len());
    last.filter(|(name, rest)| is_remark(rest) && id_for(name).is_ok()).map_or(title, |(name, _)| name.trim())
}

/// Returns the label of the list below a block, if the block contains only the label: `NPCs:`.
fn label_of_list(block: &Block) -> Option<String> {
    let text = block.text.text.trim();
    let label = match &block.label {
        Some(label) if words(text).is_empty() || words(text) == words(label) => label,
        Some(_) => return None,
        None => text.strip_suffix(':')?,
    };
    Some(clean(label)).filter(|label| is_section_title(label))
}

/// Returns the innermost section that the headings announce. The title of the page announces no section.
fn section_of_headings(headings: &[String], title: Option<&str>) -> Option<Section> {
    headings.iter().rev().filter(|heading| Some(heading.as_str()) != title).find_map(|heading| section(heading))
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

/// Returns whether a list consists of the names of several player characters: "the four heroes are Wren and Odo". The label
/// "players" announces the persons at the table instead.
fn is_list_of_characters(label: &str, list: &str) -> bool {
    let listed = players(list.trim_end_matches('.'));
    let is_plain = |character: &PlayedCharacter| {
        let is_written = is_name(&character.name) && list.contains(character.name.as_str());
        is_written && character.player.is_none() && character.remark.is_none()
    };
    words(label).last().is_some_and(|word| word != "players") && listed.len() > 1 && listed.iter().all(is_plain)
}

/// Returns whether a label announces the player characters.
fn is_party(label: &str) -> bool {
    exact_section(label) == Some(Section::Players) || words(label) == ["characters"]
}

/// Returns the lines of a block, with the number of visible characters before each line.
fn lines(page: &str, block: &Block) -> Vec<(usize, usize)> {
    let mut lines = vec![(0, block.origin.line as usize)];
    let (mut line, mut counted, mut characters) = (0, 0, 0);
    for (at, c) in block.text.text.char_indices().filter(|(_, c)| is_visible(*c)) {
        if let Some(source) = block.text.source_position(at).filter(|source| *source >= counted) {
            line += page.get(counted..source).unwrap_or_default().matches('\n').count();
            counted = source;
            if lines.last().is_some_and(|(_, last)| *last < line + 1) {
                lines.push((characters, line + 1));
            }
        }
        characters += c.len_utf8();
    }
    lines
}

/// Returns the number of bytes of the visible characters of a text.
fn visible(text: &str) -> usize {
    text.chars().filter(|c| is_visible(*c)).map(char::len_utf8).sum()
}

fn is_visible(c: char) -> bool {
    !c.is_whitespace() && !hearsay_model::escape::is_hostile(c)
}
