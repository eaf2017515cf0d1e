//! Makes a campaign from a page of notes in plain text or Markdown.
//!
//! Headings and names become entities. A sentence describes the entity that it is about. Headings and labels such as
//! `Secrets`, `Lies` and `Rumours` say what the text below them is. All other text becomes a text that only the DM sees, so
//! the campaign contains the whole page.

mod blocks;
mod entities;
mod families;
mod fates;
mod fields;
mod headings;
mod kinds;
mod layout;
mod memberships;
mod occupations;
mod other_names;
mod own_names;
mod party;
mod place_nouns;
mod scene;
mod secrets;
mod sections;
mod statements;
mod subjects;
mod surroundings;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests;
mod told;
mod truths;

use std::collections::HashSet;

use hearsay_campaign::import::{
    author_note::{begins_with_time, is_author_note},
    lexicon,
    nickname::{stated_pretence, stated_real_name},
    party::begins_with_number_of_party,
    secret,
    truth::{announces_truth, split_verdict, without_rumour_opener},
};
use hearsay_model::{Kind, text::words, words::contains_word};

use super::{
    answers::{self, describe},
    draft::{Draft, DraftText, clean, id_for},
    english::ENGLISH,
    sentences::{begins_with_article, sentences},
};
use blocks::PageBlock;
use fields::with_subject;
use headings::HeadingEntity;
use kinds::kind_of_noun_phrase;
use memberships::stated_members;
use secrets::separate_secrets;
use sections::{Section, announces_statement, is_section_title};
use statements::{is_called_false, rumour_in_place, teller_of};
use subjects::{Subjects, descriptions, leading_entity};
use told::continues_remark;

/// Marks in the source of a page that make text secret. If a page has one of these marks, a secret paragraph is not
/// split into an open and a secret part.
const SECRET_MARKS: [&str; 7] = ["%%", "||", ":::", "<", "[!", "[secret]", "[secret::"];

/// Maximum number of words before a word that says that something begins: "The first session begins in …".
const MAX_START_SUBJECT_WORDS: usize = 3;

/// A campaign that was made from a page.
#[derive(Debug, Default)]
pub(super) struct PageDraft {
    pub(super) draft: Draft,
    /// Names in the page that became no entity, because their kind is unclear.
    pub(super) unrecognized: Vec<String>,
    /// Texts and headings that the program did not understand, in the order of the page. The campaign contains the texts.
    pub(super) not_understood: Vec<DraftText>,
    /// Texts in sections that are not about the world, such as house rules.
    pub(super) dm_only: Vec<DraftText>,
}

/// Makes a campaign from a page. The name of the campaign is `name`, or else the title of the page without words such as
/// "- notes", or else `default_name`.
pub(super) fn read(page: &str, name: Option<&str>, default_name: &str) -> PageDraft {
    let page = &layout::to_markdown(page);
    let title = blocks::title(page);
    let has_marks = SECRET_MARKS.iter().any(|mark| page.to_lowercase().contains(mark));
    let blocks = blocks::blocks(page, title.as_deref(), has_marks);
    let headings = headings::heading_entities(page, title.as_deref(), &blocks);
    let open_title = title.clone().filter(|title| !secret::is_secret(title));
    let title_name = open_title.as_deref().map(|title| blocks::without_page_noun(title).to_owned());
    let name = name.map(clean).or(title_name).unwrap_or_else(|| default_name.to_owned());
    let mut reader = PageReader {
        made: PageDraft { draft: Draft { name, ..Draft::default() }, ..PageDraft::default() },
        has_marks,
        headings,
        subjects: Subjects::default(),
        last_entry: None,
        block_owner: None,
        first_recent_lie: 0,
        start: None,
        present: Vec::new(),
        threads: Vec::new(),
    };
    let (party, blocks_of_world): (Vec<&PageBlock>, Vec<&PageBlock>) =
        blocks.iter().partition(|block| block.players().is_some());
    for block in party {
        block.players().into_iter().flatten().for_each(|character| reader.add_player(character, block.line(0)));
    }
    blocks_of_world.iter().for_each(|block| reader.add_listed(block));
    let nicknames = blocks.iter().flat_map(|block| &block.nicknames).map(|nickname| nickname.name.as_str());
    let secret_names = blocks.iter().flat_map(|block| sentences(&block.text)).flat_map(|sentence| {
        let false_name = stated_pretence(sentence).and_then(|pretence| pretence.name);
        stated_real_name(sentence).into_iter().chain(false_name)
    });
    reader.add_entities(page, &blocks_of_world, &nicknames.chain(secret_names).collect::<Vec<_>>());
    reader.last_entry = None;
    blocks.iter().for_each(|block| reader.add_nicknames(block));
    reader.last_entry = None;
    for block in &blocks_of_world {
        let owner = reader.owner(block);
        reader.subjects.learn_pronouns(&reader.made.draft, &block.sentences(), owner);
    }
    reader.last_entry = None;
    reader.set_first_place(&blocks);
    blocks_of_world.iter().for_each(|block| reader.add_block(block));
    reader.hide_secret_memberships();
    reader.set_fields();
    reader.set_scene();
    reader.link_similar_truths();
    reader.set_public_hearers();
    reader.set_known_deaths();
    reader.report_headings(title.as_deref(), &blocks);
    reader.add_missing_lines(page, &blocks);
    // The names of quests contain the names of other entities, so nothing may look up names after this.
    reader.add_threads();
    reader.made.not_understood.sort_by_key(|text| text.line);
    reader.made
}

/// Returns the title of a page.
pub(super) fn title(page: &str) -> Option<String> {
    blocks::title(&layout::to_markdown(page))
}

/// A paragraph or list item that is about an entity.
struct Entry {
    headings: Vec<String>,
    is_item: bool,
    owner: usize,
}

struct PageReader {
    made: PageDraft,
    /// Whether the page has marks that make a part of a paragraph secret.
    has_marks: bool,
    headings: Vec<HeadingEntity>,
    subjects: Subjects,
    /// The last block that is about an entity.
    last_entry: Option<Entry>,
    /// The entity that the last block is about. The blocks that continue this block are about the same entity.
    block_owner: Option<usize>,
    /// Number of the first lie in the last block.
    first_recent_lie: usize,
    /// The sentence that says where the play begins, and its place.
    start: Option<(String, usize)>,
    /// The characters in the scene with which the play begins, with their places.
    present: Vec<(usize, usize)>,
    threads: Vec<DraftText>,
}

impl PageReader {
    /// Adds the text of a block to the campaign.
    fn add_block(&mut self, block: &PageBlock) {
        let whole = || DraftText { text: block.text.clone(), line: Some(block.line(0)) };
        let first_lie = self.made.draft.lies.len();
        match block.section {
            Some(Section::Lies) => self.add_lies(block),
            Some(Section::Claims) => self.add_claims(block),
            Some(Section::Rumours(truth)) => self.add_rumours(block, truth),
            Some(Section::Threads) => self.threads.push(whole()),
            Some(Section::DmOnly) => self.add_dm_text(block.text.clone(), block.line(0)),
            _ => self.add_description(block),
        }
        self.first_recent_lie = first_lie;
        let about = self.entity_of_headings(block).or(self.subjects.current());
        for (remark, line) in &block.remarks {
            let name = about.map(|entity| format!(" on {}", self.made.draft.entities[entity].name)).unwrap_or_default();
            self.add_dm_text(format!("Remark{name}: {remark}"), *line);
        }
    }

    /// Adds a text that is not about the game world. Only the DM sees it.
    fn add_dm_text(&mut self, text: String, line: usize) {
        let text = DraftText { text, line: Some(line) };
        self.made.dm_only.push(text.clone());
        self.made.draft.texts.push(text);
    }

    /// Adds the sentences of a block to the entities that they are about, or to the texts of the DM.
    fn add_description(&mut self, block: &PageBlock) {
        let parts = block.sentences();
        let heading = self.entity_of_headings(block);
        let owner = self.owner(block);
        if owner.is_some() || !block.is_continued {
            self.subjects.begin_block(owner);
        }
        let open = parts.len().min(self.open_sentences(block));
        let (mut last, mut scene) = (None, None);
        let mut at = 0;
        while let Some((sentence, line)) = parts[..open].get(at).copied() {
            at += 1;
            if let Some((_, place)) = self.start.take_if(|(start, _)| start.as_str() == sentence) {
                self.add_start(sentence, line, place);
                (scene, last) = (Some(place), None);
                continue;
            }
            if heading.or(owner).is_none() && self.add_party_statement(sentence, line) {
                last = None;
                continue;
            }
            if is_author_note(sentence) {
                self.add_author_note(sentence, line);
                continue;
            }
            if let Some((present, place)) = scene.and_then(|scene| scene::presence(&self.made.draft, sentence, scene)) {
                self.add_dm_text(sentence.to_owned(), line);
                self.present.extend(present.into_iter().map(|character| (character, place)));
                last = None;
                continue;
            }
            let about = heading.or(owner);
            let described = stated_members(&self.made.draft, about, sentence).or_else(|| {
                let described = if about.is_none() { descriptions(&self.made.draft, sentence) } else { Vec::new() };
                Some(described).filter(|described| !described.is_empty())
            });
            if let Some(described) = described {
                self.subjects.next(&self.made.draft, sentence);
                described.iter().for_each(|(entity, text)| self.add_sentence(Some(*entity), text, line, false));
                last = None;
                continue;
            }
            let (remarks, remark_count) = remarks_after(sentence, &parts[at..open]);
            let is_placed = || rumour_in_place(sentence).is_some_and(|(place, _)| !self.named_by(place).is_empty());
            if without_rumour_opener(sentence).is_some() || is_placed() {
                self.add_rumour(block, &format!("{sentence}{remarks}"), line, None);
                (at, last) = (at + remark_count, None);
                continue;
            }
            let subject = self.subjects.next(&self.made.draft, sentence);
            let text = if heading.is_some() { sentence.to_owned() } else { subject.text };
            let entity = heading.or(subject.entity);
            let is_contradicted = || teller_of(&text).is_some() && self.split_contradiction(&text).is_some();
            if is_called_false(&format!("{sentence}{remarks}")) || is_contradicted() {
                let text = format!("{text}{remarks}");
                // "The bishop says that …" already has a subject.
                let has_teller = |teller: &str| begins_with_article(teller) || !self.named_by(teller).is_empty();
                let subject = entity.filter(|_| !teller_of(&text).is_some_and(has_teller));
                let text = match subject {
                    Some(subject) => with_subject(&self.made.draft, subject, &text, None),
                    None => text,
                };
                self.add_lie_and_truth(block, &text, line, owner);
                (at, last) = (at + remark_count, None);
                continue;
            }
            self.add_sentence(entity, &text, line, last == Some(entity));
            last = Some(entity);
        }
        let (notes, secret): (Vec<_>, Vec<_>) =
            parts[open..].iter().copied().partition(|(sentence, _)| is_author_note(sentence));
        for (note, line) in notes {
            self.add_dm_text(note.to_owned(), line);
        }
        for (text, line) in separate_secrets(&self.made.draft, &secret) {
            let bearer = self.add_secret(&text, line, heading);
            if announces_truth(&text) {
                self.link_truth(bearer, self.first_recent_lie);
            }
        }
    }

    /// Adds the sentence that says where the play begins. It is a text of the DM, and describes the place.
    fn add_start(&mut self, sentence: &str, line: usize, place: usize) {
        self.add_dm_text(sentence.to_owned(), line);
        self.subjects.begin_scene(place);
        let Some((remark, larger)) = self.place_remark(sentence, place) else { return };
        // "A tavern in Harrowpeak, the evening after the storm"
        let clauses = remark.split(", ").take_while(|clause| !begins_with_time(clause));
        let remark = clauses.collect::<Vec<_>>().join(", ");
        // "On the night of the festival" describes no place.
        if larger.is_none() && !begins_with_article(&remark) {
            return;
        }
        let draft = &mut self.made.draft;
        draft.entities[place].part_of = larger.map(|larger| draft.entities[larger].id.clone());
        if remark.is_empty() {
            return;
        }
        let text = describe(&draft.entities[place].name, &remark);
        self.add_sentence(Some(place), &text, line, false);
    }

    /// Adds a sentence about the game. It is a text of the DM, but can also describe a place: "The campaign takes place in
    /// Gullhaven, a port town."
    fn add_author_note(&mut self, sentence: &str, line: usize) {
        self.add_dm_text(sentence.to_owned(), line);
        let draft = &self.made.draft;
        let is_place = |index: &usize| draft.entities[*index].kind == Kind::Location;
        let Some(place) = draft.named_in(sentence).into_iter().find(is_place) else { return };
        let remark = self.place_remark(sentence, place).map(|(remark, _)| remark);
        if let Some(remark) = remark.filter(|remark| kind_of_noun_phrase(remark) == Some(Kind::Location)) {
            let text = describe(&self.made.draft.entities[place].name, &remark);
            self.add_sentence(Some(place), &text, line, false);
        }
    }

    /// Returns the words after the name of a place in a sentence, and the larger place that these words name.
    fn place_remark(&self, sentence: &str, place: usize) -> Option<(String, Option<usize>)> {
        let draft = &self.made.draft;
        let named = answers::place(without_start_label(sentence));
        let remark = named.remark.filter(|_| draft.named_in(&named.name).contains(&place))?;
        let is_larger = |index: &usize| *index != place && draft.entities[*index].kind == Kind::Location;
        let larger = draft.named_in(&remark).into_iter().find(is_larger);
        Some((remark, larger))
    }

    /// Sets the locations of the NPCs who are in the scene with which the play begins. An NPC is a guest anywhere but at home.
    fn set_scene(&mut self) {
        let draft = &mut self.made.draft;
        for (character, place) in std::mem::take(&mut self.present) {
            let place = draft.entities[place].id.clone();
            let entity = &mut draft.entities[character];
            if entity.kind == Kind::Npc && entity.home.as_ref() != Some(&place) {
                (entity.location, entity.is_guest) = (Some(place), true);
            }
        }
    }

    /// Returns the entity of the innermost heading that names an entity.
    fn entity_of_headings(&self, block: &PageBlock) -> Option<usize> {
        block.headings.iter().rev().find_map(|heading| {
            let entity = self.headings.iter().find(|entity| entity.is_named_by(heading))?;
            self.made.draft.entities.iter().position(|known| words(&known.name) == words(&entity.name))
        })
    }

    /// Returns the entity that a block is about, if its beginning says so. A part of a paragraph or item is about the same
    /// entity as the part before.
    fn owner(&mut self, block: &PageBlock) -> Option<usize> {
        if !block.is_continued {
            self.block_owner = self.leading_owner(block);
        }
        self.block_owner
    }

    /// Returns the entity that a block is about, if its beginning says so: an item of a list, or a paragraph below a
    /// heading such as `People`. A paragraph or item with a label such as `Truth:`, and a paragraph without a name below
    /// such a heading, continue the entry before.
    fn leading_owner(&mut self, block: &PageBlock) -> Option<usize> {
        let is_listed = block.section.is_some_and(|section| section.kind().is_some());
        let has_name = layout::entry_name(&block.text).is_some();
        // The items below an item can be fields, but also other entities.
        let label = layout::label(&block.text).filter(|label| !block.is_item || announces_statement(label));
        if !block.is_item && !is_listed && !has_name && label.is_none() {
            return None;
        }
        let entry = self.last_entry.as_ref().filter(|entry| entry.headings == block.headings);
        // A label belongs to the entry directly above it.
        let is_above = |entry: &&Entry| entry.is_item == block.is_item && self.block_owner == Some(entry.owner);
        if let Some(entry) = entry.filter(|entry| label.is_some() && is_above(entry)) {
            return Some(entry.owner);
        }
        let draft = &self.made.draft;
        let first = sentences(&block.text).first().copied().unwrap_or_default().to_owned();
        // "Holloway Keep: the baron's tower" names the place first.
        let by_name = layout::entry_name(&block.text).and_then(|name| draft.named_in(name).first().copied());
        let owner = by_name.or_else(|| leading_entity(draft, &first));
        if let Some(owner) = owner {
            self.last_entry = Some(Entry { headings: block.headings.clone(), is_item: block.is_item, owner });
            return Some(owner);
        }
        let continues = is_listed && !block.is_item && !has_name;
        entry.filter(|_| continues).map(|entry| entry.owner)
    }

    /// Adds a sentence to the description of an entity, or to the texts of the DM. If `continues` is true, the sentence
    /// continues the last paragraph there.
    fn add_sentence(&mut self, entity: Option<usize>, sentence: &str, line: usize, continues: bool) {
        let made = &mut self.made;
        let text = DraftText { text: sentence.to_owned(), line: Some(line) };
        let paragraphs = match entity {
            Some(index) => vec![&mut made.draft.entities[index].description],
            None => vec![&mut made.draft.texts, &mut made.not_understood],
        };
        for paragraphs in paragraphs {
            match paragraphs.last_mut() {
                Some(last) if continues => {
                    last.text.push(' ');
                    last.text.push_str(sentence);
                }
                _ => paragraphs.push(text.clone()),
            }
        }
    }

    /// Adds a text that the program did not understand. Only the DM sees it.
    fn add_not_understood(&mut self, text: &str, line: usize) {
        self.add_sentence(None, text, line, false);
    }

    /// Sets the place of the player characters: the place in the first sentence that says that something begins, or that
    /// stands below a heading such as `Start`. Remembers this sentence, unless it is about another entity: "The Gull opens
    /// at noon."
    fn set_first_place(&mut self, blocks: &[PageBlock]) {
        let Some((sentence, index, is_below_start)) = self.first_place(blocks) else { return };
        let draft = &mut self.made.draft;
        let place = draft.entities[index].id.clone();
        let before: Vec<&str> = sentence.split(' ').take_while(|part| !has_start_word(part)).collect();
        let is_about_party = match is_below_start {
            true => !draft.named_in(&sentence).iter().any(|named| draft.entities[*named].kind == Kind::Npc),
            false => before.len() <= MAX_START_SUBJECT_WORDS && draft.named_in(&before.join(" ")).is_empty(),
        };
        self.start = is_about_party.then_some((sentence, index));
        draft.start = Some(place.clone());
        for character in draft.entities.iter_mut().filter(|entity| entity.kind == Kind::Player) {
            character.location = Some(place.clone());
        }
    }

    /// Returns the sentence that says where something begins, its place, and whether the sentence stands below a heading such
    /// as `Start`. In a sentence about the game below the heading of a place, "here" is this place.
    fn first_place(&self, blocks: &[PageBlock]) -> Option<(String, usize, bool)> {
        let draft = &self.made.draft;
        let is_place = |index: &usize| draft.entities[*index].kind == Kind::Location;
        let place_in = |sentence: &str, is_below_start: bool, here: Option<usize>| {
            if !is_below_start && !has_start_word(sentence) {
                return None;
            }
            let has_adverb = words(sentence).iter().any(|word| contains_word(&ENGLISH.place_adverbs, word));
            let here = here.filter(|_| has_adverb && is_author_note(sentence));
            let place = draft.named_in(sentence).into_iter().find(is_place).or(here)?;
            Some((sentence.to_owned(), place, is_below_start))
        };
        // The plan of a session can also say where the play begins.
        let is_open = |block: &&PageBlock| {
            block.section.is_none_or(|section| section == Section::DmOnly || !section.has_statements())
        };
        let found = |is_start: fn(&str) -> bool| {
            blocks.iter().filter(is_open).find_map(|block| {
                let is_below_start = block.headings.last().is_some_and(|heading| is_start_heading(heading));
                let here = self.entity_of_headings(block).filter(is_place);
                let parts = sentences(&block.text).into_iter();
                let mut starts = parts.filter(|sentence| is_below_start || is_start(sentence));
                starts.find_map(|sentence| place_in(sentence, is_below_start, here))
            })
        };
        // "The four of them arrive in Gullhaven. The party starts in the Gull."
        let first = found(|_| true)?;
        let is_arrival = begins_with_number_of_party(&first.0);
        let stated = if is_arrival { found(is_author_note) } else { None };
        Some(stated.unwrap_or(first))
    }

    /// Reports the headings that are neither names of entities nor announce a section. The text below such a heading is
    /// read like other text.
    fn report_headings(&mut self, title: Option<&str>, blocks: &[PageBlock]) {
        let mut seen = HashSet::new();
        for block in blocks {
            let Some(heading) = block.headings.last().filter(|heading| Some(heading.as_str()) != title) else {
                continue;
            };
            let is_known = is_section_title(heading)
                || is_start_heading(heading)
                || block.section.is_some()
                || self.entity_of_headings(block).is_some()
                || secret::is_secret(heading)
                || lexicon::is_part_title(heading);
            if !is_known && seen.insert(heading) {
                let text = format!("the heading `{heading}` (the text below it is read as plain description)");
                let line = Some(block.line(0).saturating_sub(1).max(1));
                self.made.not_understood.push(DraftText { text, line });
            }
        }
    }

    /// Adds the lines that are in no block to the texts of the DM, such as the head of a table, or front matter.
    fn add_missing_lines(&mut self, page: &str, blocks: &[PageBlock]) {
        let draft = &self.made.draft;
        let mut seen: HashSet<String> = words(&draft.name).into_iter().collect();
        let names = draft.entities.iter().flat_map(|entity| entity.aliases.iter().chain([&entity.name]));
        seen.extend(names.flat_map(|name| words(name)));
        for block in blocks {
            let remarks = block.remarks.iter().map(|(remark, _)| remark);
            let texts = block.headings.iter().chain(&block.label).chain([&block.text]).chain(remarks);
            seen.extend(texts.flat_map(|text| words(text)));
        }
        let lines: Vec<&str> = page.lines().collect();
        let is_table_head = |number: usize| {
            let next = lines.get(number + 1).copied().unwrap_or_default();
            lines[number].trim_start().starts_with('|')
                && next.contains('-')
                && next.chars().all(|c| "|-: ".contains(c))
        };
        // The number of a list item is not text.
        let text = |line: &str| line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
        let is_missing = |line: &str| words(&text(line)).iter().any(|word| !seen.contains(word));
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| is_missing(line)) {
            let text = clean(line.trim_start_matches('#'));
            match is_table_head(number) {
                // The rows of the table contain the names of the columns.
                true => self.made.draft.texts.push(DraftText { text, line: Some(number + 1) }),
                false => self.add_not_understood(&text, number + 1),
            }
        }
    }

    /// Adds the quests and open questions as quests. A text that is too long for a name also becomes a text of the DM.
    fn add_threads(&mut self) {
        for thread in std::mem::take(&mut self.threads) {
            let name = short_name(thread.text.trim_end_matches(['.', ' ']));
            let is_shortened = name.ends_with('\u{2026}');
            let added = id_for(&name).is_ok().then(|| self.made.draft.add(&name, Kind::Quest));
            if let Some(Ok(index)) = added {
                self.made.draft.entities[index].line = thread.line;
            }
            if is_shortened || !matches!(added, Some(Ok(_))) {
                self.made.draft.texts.push(thread);
            }
        }
    }
}

/// Returns the remarks in brackets after a sentence, each with a space before it, and their number. `next` are the sentences
/// after it. A sentence that calls a told statement false counts as a remark: "That is a lie."
fn remarks_after(sentence: &str, next: &[(&str, usize)]) -> (String, usize) {
    let (mut remarks, mut count) = (String::new(), 0);
    // "Odo tells everybody that the mill burned. That is a lie."
    if let Some((verdict, _)) = next.first().filter(|(verdict, _)| is_verdict(sentence, verdict)) {
        (remarks, count) = (format!(" ({})", verdict.trim_end_matches('.')), 1);
    }
    for (remark, _) in &next[count..] {
        if !continues_remark(&format!("{sentence}{remarks}"), remark) {
            break;
        }
        remarks.push(' ');
        remarks.push_str(remark);
        count += 1;
    }
    (remarks, count)
}

/// Returns whether a sentence says that the statement which a character tells in the sentence before is false.
fn is_verdict(told: &str, sentence: &str) -> bool {
    teller_of(told).is_some()
        && !sentence.contains(['(', ')'])
        && split_verdict(sentence).is_some_and(|(is_true, _)| !is_true)
}

/// Returns a text as a name. Of a long text, the name contains only the first words.
fn short_name(text: &str) -> String {
    const MAX_CHARS: usize = 70;
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    let start: String = text.chars().take(MAX_CHARS).collect();
    let end = start.rfind(' ').unwrap_or(start.len());
    format!("{}\u{2026}", start[..end].trim_end_matches(|c: char| !c.is_alphanumeric()))
}

/// Returns whether a text has a word that says that something begins.
fn has_start_word(text: &str) -> bool {
    words(text).iter().any(|word| contains_word(&ENGLISH.start_words, word))
}

/// Returns whether a heading announces the place where the play begins: `Start`, `Start here`.
fn is_start_heading(heading: &str) -> bool {
    words(heading).len() <= MAX_START_SUBJECT_WORDS && has_start_word(heading)
}

/// Returns a sentence without a label such as `Start:`.
fn without_start_label(sentence: &str) -> &str {
    let label = sentence.split_once(": ").filter(|(label, _)| has_start_word(label));
    label.map_or(sentence, |(_, rest)| rest)
}

/// Writes each word with a capital letter, as a name is written.
fn capitalize(text: &str) -> String {
    text.split(' ').map(hearsay_model::words::upper_first).collect::<Vec<_>>().join(" ")
}
