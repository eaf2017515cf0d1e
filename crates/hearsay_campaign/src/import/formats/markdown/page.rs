//! A Markdown file: its front matter, its texts, its kind, and the entities under its headings.

use std::{collections::HashMap, ops::Range};

use hearsay_model::{Audience, Kind, slug};

use super::{
    calendarium,
    classification::{is_rule, marks_note_secret, set_kind_from_sentence, states_kind},
    front_matter::{self, FrontMatter, TextValue},
    links::NoteNames,
    sections::{self, EntityHeading, Section},
    session,
    text_fields::{add_field, add_labelled_fields, add_listed_relations},
    title::{self, TitleParts},
};
use crate::{
    FolderEntry, ReadOptions,
    import::{
        Alias, Block, Certainty, DateRole, EntityState, Field, Note, NoteDate, Notes, Origin, Role, SourceText,
        Visibility,
        english::ENGLISH,
        lexicon::{self, Meaning},
        markup::{self, LinkSyntax},
        secret,
    },
};

/// Reads a file. The result is one note or several notes.
pub(super) fn read_page(
    entry: &FolderEntry,
    text: &SourceText,
    names: &NoteNames,
    options: &ReadOptions,
    notes: &mut Notes,
) {
    let front = front_matter::read_front_matter(text, names);
    if let Some((line, message)) = &front.error {
        let message = format!("the front matter is not valid YAML and was read line by line: {message}");
        notes.warn(entry.path.as_str(), *line, message);
    }
    let mut page = Page {
        entry,
        text,
        names,
        note: Note::default(),
        blocks: Vec::new(),
        body: front.body,
        front_matter_name: None,
    };
    page.apply_secrecy(&front, options);
    page.apply_audience(&front);
    let visibility = page.note.visibility.clone();
    let find_links = |source: &str| names.find_links(source);
    let link_syntax = LinkSyntax { inline: &find_links, address: &NoteNames::address_target };
    for scene in &front.texts {
        page.add_text_value(scene, &visibility, link_syntax);
    }
    markup::markdown(text, front.body..text.content.len(), &visibility, link_syntax, &mut page.blocks);
    let sections = sections::find_sections(&text.content, front.body);
    page.set_name(&front, &sections);
    page.note.links = front.links;
    page.add_fields(front.fields);
    page.set_kind();
    page.add_dates();
    page.apply_tags();
    let is_session = page.detect_session();
    let entity_headings = match is_session || page.note.role == Role::Text && page.is_folder_description() {
        true => Vec::new(),
        false => sections::find_entity_headings(text, &sections, &page.blocks, &page.note.name),
    };
    page.finish(&sections, entity_headings, notes);
}

/// Warning about a file that lists several entities, secrets or rumours.
const LIST_OF_ENTITIES: &str = "the title only says what the file lists, so the file describes no entity, and nobody knows \
                                its texts; `hearsay new --from` reads lists of people, places, secrets, lies and rumours; to \
                                import the entities into this campaign, write one note for each of them, or one heading";

struct Page<'a> {
    entry: &'a FolderEntry,
    text: &'a SourceText,
    names: &'a NoteNames,
    note: Note,
    blocks: Vec<Block>,
    /// The byte position at which the text after the front matter starts.
    body: usize,
    /// The name in the front matter.
    front_matter_name: Option<String>,
}

impl Page<'_> {
    /// If the front matter states which characters are allowed to know the note, sets the visibility of the note
    /// accordingly.
    fn apply_audience(&mut self, front: &FrontMatter) {
        for field in &front.fields {
            let name = field.name.to_lowercase();
            let value =
                field.values.first().map(|field_value| slug(&field_value.value.to_string())).unwrap_or_default();
            let audience = match (name.as_str(), value.as_str()) {
                ("audience" | "known-by" | "knowledge", "common" | "everyone" | "everybody" | "common-knowledge") => {
                    Audience::Common
                }
                ("audience", "local") => Audience::Local,
                ("audience", "parties") => Audience::Parties,
                ("audience", "private") => Audience::Private,
                _ => continue,
            };
            self.note.visibility = self.note.visibility.within(&Visibility::Marked(audience));
        }
    }

    /// Marks the note as DM-only, if its folders, its name or its front matter say so.
    fn apply_secrecy(&mut self, front: &FrontMatter, options: &ReadOptions) {
        let is_folder_secret = !options.open_folders && self.entry.folders().any(secret::is_secret);
        let is_file_secret = secret::is_secret(self.entry.stem());
        let is_field_secret = front.fields.iter().any(marks_note_secret);
        if is_folder_secret || is_file_secret || is_field_secret {
            self.note.visibility = Visibility::SECRET;
        }
    }

    /// Adds a text of the front matter.
    fn add_text_value(&mut self, text_value: &TextValue, outer_visibility: &Visibility, link_syntax: LinkSyntax) {
        let visibility = text_value.visibility.within(outer_visibility);
        let line = self.text.line(text_value.span.start);
        let file_span = self.text.file_position(text_value.span.start)..self.text.file_position(text_value.span.end);
        let inner = SourceText::from_part(self.text.file, text_value.text.clone(), line, file_span)
            .with_cancel(self.text.cancel_token());
        let first = self.blocks.len();
        markup::markdown(&inner, 0..text_value.text.len(), &visibility, link_syntax, &mut self.blocks);
        for block in &mut self.blocks[first..] {
            block.headings = text_value.headings.iter().chain(block.headings.iter()).cloned().collect();
            if block.headings.iter().any(|heading| secret::is_secret(heading)) {
                block.visibility = Visibility::SECRET.within(&block.visibility);
            }
        }
    }

    fn set_name(&mut self, front: &FrontMatter, sections: &[Section]) {
        let note = &mut self.note;
        note.key.clone_from(&self.entry.path);
        note.tool = "file";
        note.origin = self.text.origin("", self.body..self.body);
        let stem = self.entry.stem();
        let given_name =
            front.fields.iter().find(|field| ["title", "name"].contains(&field.name.to_lowercase().as_str()));
        let given_name =
            given_name.and_then(|field| field.values.first()).map(|field_value| field_value.value.to_string());
        self.front_matter_name.clone_from(&given_name);
        let heading = sections.first().filter(|section| section.level == 1).map(|section| section.title.clone());
        // If the file name has neither spaces nor capitals, the first heading is the name.
        let is_machine_name = !stem.contains(' ') && !stem.chars().any(char::is_uppercase);
        let is_index = ["index", "_index"].contains(&stem.to_lowercase().as_str());
        let folder = self.entry.folders().next_back().unwrap_or_default();
        let title = match (given_name, heading) {
            (Some(given_name), _) => given_name,
            (None, Some(heading)) if is_machine_name || slug(&heading) == slug(stem) => heading,
            (None, _) if is_index && !folder.is_empty() => folder.to_owned(),
            (None, _) => stem.to_owned(),
        };
        let title_parts = title::parse_title(&title);
        if title_parts.secret {
            note.visibility = Visibility::SECRET.within(&note.visibility);
        }
        let origin = match sections.first().filter(|section| section.title == title) {
            Some(section) => self.text.origin(section.title.as_str(), section.heading.clone()),
            None => note.origin.clone(),
        };
        let unmarked = Visibility::Unmarked;
        apply_title(note, title_parts, &origin, &unmarked);
        note.origin = if origin.quote.is_empty() { Origin { quote: stem.into(), ..origin } } else { origin };
    }

    /// Adds the fields of the front matter, except the field with the name of the note.
    fn add_fields(&mut self, front: Vec<Field>) {
        for field in front {
            let is_name_field =
                ["title", "name"].contains(&field.name.to_lowercase().as_str()) && !field.origin.field.contains('/');
            let is_note_name =
                field.values.first().map(|field_value| field_value.value.to_string()) == self.front_matter_name;
            if !(is_name_field && is_note_name) {
                add_field(&mut self.note, field);
            }
        }
    }

    /// Sets the kind that the front matter states, or else the kind that the folders imply.
    fn set_kind(&mut self) {
        let mut stated_kinds: Vec<(Kind, String)> = Vec::new();
        let mut states = Vec::new();
        for field in &self.note.fields {
            let name = field.name.to_lowercase();
            let states_kind = states_kind(field) || name == "layout";
            // In a Foundry document, the type belongs to the game's rules, except for player characters.
            let is_nested = field.origin.field.contains('/');
            for field_value in field.values.iter().filter(|_| states_kind) {
                let word = field_value.value.to_string();
                if is_rule(&word) && !is_nested {
                    self.note.role = Role::Text;
                }
                let found = match (is_nested, word.as_str()) {
                    (true, "npc") => Some(Kind::Npc),
                    (true, "character") if &*field.origin.field == "system/type" => Some(Kind::Player),
                    (true, _) => None,
                    (false, _) => lexicon::kind(word.trim_start_matches('#')),
                };
                if let Some(word) = lexicon::state(&word).filter(|word| !is_nested && *word != "alive") {
                    states.push(EntityState {
                        word: word.to_owned(),
                        origin: field.origin.clone(),
                        visibility: field.visibility.clone(),
                    });
                }
                stated_kinds.extend(found.map(|kind| (kind, format!("{name} {word}"))));
            }
        }
        self.note.states.append(&mut states);
        let is_stated_npc = stated_kinds.iter().any(|(kind, _)| *kind == Kind::Npc);
        self.set_stated_kind(&stated_kinds);
        // Only the two innermost folders are a reliable sign of the kind.
        for folder in self.entry.folders().rev().take(2) {
            if let Some(kind) = lexicon::kind(folder).filter(|_| !folder.eq_ignore_ascii_case("world")) {
                self.note.is_player |= kind == Kind::Player && self.note.kind.is_none();
                self.note.set_kind(kind, Certainty::Inferred, format!("folder {folder}"));
                break;
            }
        }
        // A character with a player is a player character, unless the front matter states another kind.
        let has_player = has_player(&self.note);
        // The folder of a party contains its members, so a note whose kind is probably party may be a character.
        let may_be_character = self.note.kind.as_ref().is_none_or(|guess| {
            guess.kind.is_character() || guess.kind == Kind::Party && guess.certainty == Certainty::Inferred
        });
        self.note.is_player |= has_player && may_be_character && !is_stated_npc;
        if self.is_folder_description()
            && self.note.kind.as_ref().is_none_or(|guess| guess.certainty == Certainty::Inferred)
        {
            self.note.role = Role::Text;
        }
    }

    /// Returns whether the file describes the folder, and not an entity of the game world.
    fn is_folder_description(&self) -> bool {
        slug(self.entry.stem()).split('-').any(|word| ENGLISH.words.headings.about.contains(word))
    }

    /// Adds dates: the fields of the plug-in Calendarium, and the tags with dates in the text.
    fn add_dates(&mut self) {
        for field in &self.note.fields {
            let Meaning::Date(role) = lexicon::meaning(&field.name) else { continue };
            if ["died", "death", "date of death", "date-of-death"].contains(&field.name.to_lowercase().as_str())
                && names_entity(field)
            {
                let (origin, visibility) = (field.origin.clone(), field.visibility.clone());
                self.note.states.push(EntityState { word: "dead".to_owned(), origin, visibility });
            }
            for field_value in &field.values {
                let raw = field_value.value.to_string();
                let readable = calendarium::readable_date(&raw);
                let (origin, visibility) = (field.origin.clone(), field.visibility.clone());
                self.note.dates.push(NoteDate { role, raw, readable, title: None, origin, visibility });
            }
        }
        let content = &self.text.content;
        let mut at = self.body;
        if !content.contains("data-date=") {
            return;
        }
        let (secret_ranges, sections) = (markup::secret_ranges(content), sections::find_sections(content, self.body));
        while let Some(start) = content.get(at..).and_then(|rest| rest.find("data-date=")).map(|start| at + start) {
            at = start + 10;
            let before = content.as_bytes()[..start].iter().rev().take(500);
            let Some(open) = before.into_iter().position(|byte| *byte == b'<').map(|distance| start - distance - 1)
            else {
                continue;
            };
            let after = content.as_bytes()[start..].iter().take(500);
            let Some(end) = after.into_iter().position(|byte| *byte == b'>').map(|end| start + end + 1) else {
                continue;
            };
            let tag = &content[open..end];
            let Some(raw) = attribute_value(tag, "data-date") else { continue };
            let title = attribute_value(tag, "data-title").or_else(|| attribute_value(tag, "data-name"));
            let origin = self.text.origin("data-date", open..end);
            let is_in_secret = secret_ranges
                .get(secret_ranges.partition_point(|range| range.end <= open))
                .is_some_and(|range| range.start <= open);
            let section_above = sections[..sections.partition_point(|section| section.heading.start <= open)].last();
            let is_secret = is_in_secret || section_above.is_some_and(|section| section.secret);
            let visibility = if is_secret { Visibility::SECRET } else { Visibility::Unmarked };
            self.note.dates.push(NoteDate {
                role: DateRole::Mention,
                raw: raw.to_owned(),
                readable: calendarium::readable_date(raw),
                title: title.map(str::to_owned),
                origin,
                visibility,
            });
        }
    }

    /// Applies the tags in the texts. Tags on a line of their own apply to the note. A secret tag in a paragraph makes
    /// this paragraph secret.
    fn apply_tags(&mut self) {
        let (mut kinds, mut inline_kinds) = (Vec::new(), Vec::new());
        let mut is_note_secret = false;
        self.blocks.retain_mut(|block| {
            let words: Vec<&str> = block.text.text.split_whitespace().collect();
            let is_tag =
                |word: &&str| word.len() > 1 && word.starts_with('#') && word[1..].starts_with(char::is_alphabetic);
            let tags: Vec<String> = words
                .iter()
                .filter(|word| is_tag(word))
                .map(|tag| tag[1..].trim_end_matches([',', '.']).to_owned())
                .collect();
            let is_tag_line = !tags.is_empty() && tags.len() == words.len();
            let has_secret_tag = tags.iter().any(|tag| secret::is_secret(tag));
            let found_kinds = if is_tag_line { &mut kinds } else { &mut inline_kinds };
            found_kinds.extend(tags.iter().filter_map(|tag| Some((lexicon::kind(tag)?, format!("tag {tag}")))));
            if is_tag_line {
                is_note_secret |= has_secret_tag;
            } else if has_secret_tag {
                block.visibility = Visibility::SECRET.within(&block.visibility);
                for link in &mut block.links {
                    link.visibility = Visibility::SECRET.within(&link.visibility);
                }
            }
            !is_tag_line
        });
        if is_note_secret {
            self.note.visibility = Visibility::SECRET.within(&self.note.visibility);
        }
        self.set_stated_kind(&kinds);
        if let [(kind, evidence)] = &inline_kinds[..]
            && *kind != Kind::Player
        {
            self.note.set_kind(kind.clone(), Certainty::Inferred, evidence.as_str());
        }
    }

    /// Sets the kind that the note states. `stated` contains the stated kinds and the evidence for them. Of several
    /// kinds, the player character counts, or else the first kind.
    fn set_stated_kind(&mut self, stated: &[(Kind, String)]) {
        let player = stated.iter().find(|(kind, _)| *kind == Kind::Player);
        let Some((kind, evidence)) = player.or(stated.first()) else { return };
        self.note.is_player |= *kind == Kind::Player;
        self.note.set_kind(kind.clone(), Certainty::Explicit, evidence.as_str());
    }

    /// Turns the note into a session log, if it has the signs of a session log. Returns whether the note is a session
    /// log.
    fn detect_session(&mut self) -> bool {
        let session = session::find_session(self.entry, &self.note, self.is_folder_description());
        if session.is_some() {
            self.note.role = Role::Session;
            self.note.session = session;
        }
        self.note.role == Role::Session
    }

    /// Distributes the texts among the note and the entities under the headings of the file.
    fn finish(mut self, sections: &[Section], headings: Vec<EntityHeading>, notes: &mut Notes) {
        let is_group = headings.len() >= 2;
        let mut title_counts: HashMap<&str, usize> = HashMap::new();
        // Sorted by range. The ranges do not overlap.
        let mut entity_notes: Vec<(Range<usize>, Note)> = Vec::new();
        for EntityHeading { section, title_parts } in headings {
            let section = &sections[section];
            let range = self.text.file_position(section.heading.start)..self.text.file_position(section.end);
            let occurrence = title_counts.entry(section.title.as_str()).or_default();
            *occurrence += 1;
            entity_notes.push((range, self.entity_note(section, *occurrence, title_parts, sections)));
        }
        let (mut own_texts, body) = (Vec::new(), self.text.file_position(self.body));
        for block in std::mem::take(&mut self.blocks) {
            let at = block.origin.span.start as usize;
            let index = entity_notes.partition_point(|(range, _)| range.end <= at);
            let entity_note = entity_notes.get_mut(index).filter(|(range, _)| range.contains(&at) && at >= body);
            let (note, texts) = match entity_note {
                Some((_, note)) => (note, None),
                None => (&mut self.note, Some(&mut own_texts)),
            };
            let is_text = add_labelled_fields(note, &block, self.text, self.names);
            add_listed_relations(note, &block);
            if is_text {
                match texts {
                    Some(own_texts) => own_texts.push(block),
                    None => note.texts.push(block),
                }
            }
        }
        if self.entry.stem().eq_ignore_ascii_case("readme") {
            // A readme is about the files of the folder, so its links are dropped: some of them lead to files that are
            // not notes.
            own_texts.iter_mut().for_each(|block: &mut Block| block.links.clear());
        }
        self.note.texts = own_texts;
        set_kind_from_sentence(&mut self.note);
        if is_group {
            self.adapt_group_note();
        } else if self.is_list_of_entities() {
            self.note.role = Role::Text;
            notes.warn(self.entry.path.as_str(), self.note.origin.line, LIST_OF_ENTITIES);
        }
        self.detect_player();
        let front = std::mem::take(&mut self.note);
        notes.push(front);
        for (_, mut note) in entity_notes {
            // This check needs the fields of the note, which are complete only now.
            note.is_player |= has_player(&note);
            notes.push(note);
        }
    }

    /// Returns whether the name of the note only says what the items of its text are, such as `Places` or `Secrets`. Such
    /// a note describes no entity of its own.
    fn is_list_of_entities(&self) -> bool {
        let name = slug(&self.note.name);
        let is_group_word = name.ends_with('s') && !name.contains('-') && lexicon::announced_kind(&name).is_some();
        let is_listed = is_group_word
            || ENGLISH.words.headings.groups.contains(&name)
            || secret::is_only_secret_mark(&self.note.name);
        is_listed && self.note.role == Role::Entity && self.note.kind.is_none() && !self.note.is_player
    }

    /// Adapts a note that groups several entities. If the name of the note is a plural such as `Guards`, the note
    /// becomes a text. If its kind was only inferred and is a character, the kind becomes faction.
    fn adapt_group_note(&mut self) {
        let words = slug(&self.note.name);
        let is_group_word = |word: &str| {
            word.ends_with('s') && lexicon::kind(word).is_some() || ENGLISH.words.headings.groups.contains(word)
        };
        if words.split('-').any(is_group_word) {
            self.note.role = Role::Text;
        } else if self
            .note
            .kind
            .as_ref()
            .is_some_and(|guess| guess.certainty == Certainty::Inferred && guess.kind.is_character())
        {
            // The kind was inferred from the folder of the NPCs, but a file with several NPCs describes a group.
            self.note.kind = None;
            self.note.is_player = false;
            self.note.set_kind(Kind::Faction, Certainty::Inferred, "several texts under one heading");
        }
    }

    fn detect_player(&mut self) {
        let is_stated_npc = self
            .note
            .kind
            .as_ref()
            .is_some_and(|guess| guess.kind == Kind::Npc && guess.certainty == Certainty::Explicit);
        let may_be_character = self.note.kind.as_ref().is_none_or(|guess| guess.kind.is_character());
        self.note.is_player |= has_player(&self.note) && may_be_character && !is_stated_npc;
    }

    /// Returns the note for the entity under a heading. `occurrence` is 1 for the first heading with this title in the
    /// file, 2 for the second, and so on.
    fn entity_note(&self, section: &Section, occurrence: usize, title_parts: TitleParts, sections: &[Section]) -> Note {
        let origin = self.text.origin(section.title.as_str(), section.heading.clone());
        let key = match occurrence {
            1 => format!("{}#{}", self.entry.path, section.title),
            _ => format!("{}#{} {occurrence}", self.entry.path, section.title),
        };
        let section_visibility = if section.secret { Visibility::SECRET } else { Visibility::Unmarked };
        let visibility = section_visibility.within(&self.note.visibility);
        let mut note = Note { key, tool: "file", origin: origin.clone(), visibility, ..Note::default() };
        let kind = title_parts.kind.clone();
        apply_title(&mut note, title_parts, &origin, &Visibility::Unmarked);
        if let Some(kind) = kind {
            note.set_kind(kind, Certainty::Explicit, "the heading");
        }
        // The first sign of a kind counts: the headings above, then words in the name, then the kind of the file.
        let mut parent = section.parent;
        while let Some(index) = parent {
            let parent_section = &sections[index];
            if let Some(kind) = lexicon::announced_kind(&parent_section.title) {
                note.set_kind(kind, Certainty::Inferred, format!("heading {}", parent_section.title));
            }
            parent = parent_section.parent;
        }
        if let Some(kind) = lexicon::name_kind(&note.name) {
            note.set_kind(kind, Certainty::Inferred, "its name");
        }
        if let Some(guess) = &self.note.kind {
            note.set_kind(guess.kind.clone(), Certainty::Inferred, guess.evidence.clone());
        }
        note
    }
}

/// Adds the names, kind and state of a title to the note.
fn apply_title(note: &mut Note, title_parts: TitleParts, origin: &Origin, visibility: &Visibility) {
    note.name = title_parts.name;
    for name in title_parts.aliases {
        note.aliases.push(Alias { name, origin: origin.clone(), visibility: visibility.clone() });
    }
    if let Some(word) = title_parts.state {
        note.states.push(EntityState { word: word.to_owned(), origin: origin.clone(), visibility: visibility.clone() });
    }
    if let Some(kind) = title_parts.kind {
        note.set_kind(kind, Certainty::Inferred, "its name");
    }
    if title_parts.secret {
        note.visibility = Visibility::SECRET.within(&note.visibility);
    }
}

/// Returns whether a field of a note names the player of the character.
fn has_player(note: &Note) -> bool {
    note.fields.iter().any(|field| field.name.eq_ignore_ascii_case("player") && names_entity(field))
}

fn names_entity(field: &Field) -> bool {
    field.values.iter().any(|field_value| !crate::import::resolve::is_no_entity(&field_value.value.to_string()))
}

/// Returns the value of an attribute of an HTML tag.
fn attribute_value<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!("{name}="))?;
    let mark = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split(mark).next().filter(|value| !value.trim().is_empty())
}
