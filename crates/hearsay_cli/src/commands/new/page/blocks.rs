//! The paragraphs and list items of a page.

use hearsay_campaign::import::{
    Block, FileId, SourceText, Visibility,
    author_note::is_author_remark,
    lexicon::{self, Meaning},
    markup,
    nickname::stated_nickname,
    secret,
};
use hearsay_extract::{Nickname, find_nicknames};
use hearsay_model::{Kind, Span, text::words};

use super::{
    super::{
        answers::{PlayedCharacter, is_name, item, players},
        draft::{clean, id_for},
        knowers::is_list_of_knowers,
        sentences::sentences,
    },
    layout::is_entry,
    sections::{Section, announces_secret, exact_section, is_section_title, labelled_section, section},
    statements::SENTENCE_ENDS,
};

/// Another name of an entity, as a block states it.
#[derive(Debug)]
pub(super) struct PageNickname {
    pub(super) name: String,
    /// The name of the entity, as far as the block states the name beside the nickname.
    pub(super) owner: String,
    /// Whether the entity that the block is about has the nickname, if it is a character: "Everybody calls him Old Odo."
    pub(super) is_of_block: bool,
    pub(super) line: usize,
}

/// A paragraph or list item of a page.
#[derive(Debug)]
pub(super) struct PageBlock {
    /// The headings above the block, outermost first.
    pub(super) headings: Vec<String>,
    /// The innermost section that a heading, or the label of the block, announces.
    pub(super) section: Option<Section>,
    pub(super) label: Option<String>,
    /// The text, without a label that announces a section.
    pub(super) text: String,
    pub(super) is_item: bool,
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
        let mut label = block.label.as_deref().map(|label| clean(label.trim().trim_end_matches(':')));
        if let Some(label) = label.as_ref().filter(|label| !text.starts_with(label.as_str())) {
            let before = format!("{label}: ");
            let added = visible(&before);
            lines.iter_mut().skip(1).for_each(|(start, _)| *start += added);
            text.insert_str(0, &before);
        }
        let stated =
            text.split_once(':').and_then(|(label, rest)| Some((labelled_section(label)?, label, rest.trim())));
        let stated = stated.filter(|(.., rest)| !rest.is_empty());
        let mut section = section_of_headings(&headings, title);
        let mut is_secret = block.visibility.is_secret();
        match stated {
            None => {}
            // The words of a label such as `Secret:` matter for the secret.
            Some((Section::Secrets, ..)) => is_secret = true,
            Some((stated, stated_label, rest)) => {
                let removed = visible(stated_label) + 1;
                label = Some(stated_label.to_owned());
                lines.iter_mut().for_each(|(start, _)| *start = start.saturating_sub(removed));
                section = Some(stated);
                text = rest.to_owned();
            }
        }
        let mut block = Self {
            is_item: is_list_item(page, block),
            is_secret,
            nicknames: Vec::new(),
            remarks: Vec::new(),
            headings,
            section,
            label,
            text,
            lines,
        };
        block.take_nicknames();
        block.take_remarks();
        block
    }

    /// Moves the nicknames from the headings and the text to `nicknames`.
    fn take_nicknames(&mut self) {
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
        // The rest of the text behind a label such as "Truth:" is secret.
        let open = self.sentences().into_iter().take_while(|(sentence, _)| !announces_secret(sentence));
        let stated: Vec<PageNickname> = open.filter_map(stated).collect();
        self.nicknames.extend(stated);
        let secret = self.sentences().into_iter().map(|(sentence, _)| sentence).find(|part| announces_secret(part));
        let open_end = secret.and_then(|secret| self.text.find(secret)).unwrap_or(self.text.len());
        for nickname in find_nicknames(&self.text[..open_end]).into_iter().rev() {
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
                is_list_of_knowers(remark) || secret::states_secrecy(remark) || secret::is_secret(remark);
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
        let is_below = |section| self.headings.last().and_then(|heading| exact_section(heading)) == Some(section);
        let text = match labelled {
            Some(rest) => rest,
            None if self.label.as_deref().is_some_and(is_party) => &self.text,
            // Below a heading, a name with a player: "Wren Oake (Ben)", "Wren Oake - Ben".
            None if is_below(Section::Players)
                && (self.text.contains('(')
                    || is_entry(&self.text)
                    || self.is_item && is_name(&item(&self.text).name)) =>
            {
                &self.text
            }
            None if self.headings.last().is_some_and(|heading| words(heading) == ["characters"])
                && self.text.contains('(') =>
            {
                &self.text
            }
            None => return None,
        };
        Some(players(text)).filter(|players| !players.is_empty() && !self.is_secret)
    }
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

/// Returns the positions of the outermost pairs of brackets in a text.
fn brackets(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut open, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => {
                open = if depth == 0 { at } else { open };
                depth += 1;
            }
            ')' | ']' if depth > 0 => {
                depth -= 1;
                found.extend((depth == 0).then_some((open, at)));
            }
            _ => {}
        }
    }
    found
}

/// Returns a text without its nicknames.
pub(super) fn without_nicknames(text: &str) -> String {
    let mut plain = text.to_owned();
    for Nickname { span, .. } in find_nicknames(text).into_iter().rev() {
        plain.replace_range(span.start..span.end, "");
    }
    plain
}

/// Returns the paragraphs and list items of a page in Markdown. A paragraph such as `NPCs:` is a heading of the list below
/// it.
pub(super) fn blocks(page: &str, title: Option<&str>) -> Vec<PageBlock> {
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
    let mut blocks: Vec<PageBlock> = blocks.iter().map(|block| PageBlock::new(page, title, block)).collect();
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
