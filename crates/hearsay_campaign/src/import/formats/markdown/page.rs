//! A Markdown file: its front matter, its texts, its kind, and the entities under its headings.

use std::{collections::HashMap, ops::Range};

use hearsay_model::{Audience, Kind, slug};

use super::{
    almanac,
    front::{self, Front, Scene},
    group::{self, Headed, Section},
    identity::{self, Identity},
    labels::{take_field, take_label, take_listed, targets},
    links::Names,
    signs::{guess_by_sentence, is_rule, kind_in_name, says_secret},
};
use crate::{
    Entry, ReadOptions,
    import::{
        Alias, Block, DateOf, Dated, Field, Note, Notes, Origin, Piece, Role, SessionHead, State, Sure, Text,
        Visibility,
        english::ENGLISH,
        lexicon::{self, Meaning, SessionField},
        markup::{self, Style},
        secret,
    },
};

/// Reads a file. The result is one note or several notes.
pub(super) fn read(entry: &Entry, text: &Text, names: &Names, options: &ReadOptions, notes: &mut Notes) {
    let front = front::read(text, names);
    if let Some((line, what)) = &front.fault {
        let what = format!("the front matter is not valid YAML and was read line by line: {what}");
        notes.warn(entry.path.as_str(), *line, what);
    }
    let mut page =
        Page { entry, text, names, note: Note::default(), blocks: Vec::new(), body: front.body, named_by: None };
    page.hide(&front, options);
    page.mark(&front);
    let visibility = page.note.visibility.clone();
    let find = |source: &str| names.find(source);
    let style = Style { inline: &find, address: &Names::address };
    for scene in &front.scenes {
        page.scene(scene, &visibility, style);
    }
    markup::markdown(text, front.body..text.content.len(), &visibility, style, &mut page.blocks);
    let sections = group::sections(&text.content, front.body);
    page.name(&front, &sections);
    page.note.links = front.links;
    page.fields(front.fields);
    page.kind();
    page.dates();
    page.tags();
    let session = page.session();
    let headed = match session || page.note.role == Role::Text && page.is_about() {
        true => Vec::new(),
        false => group::entities(text, &sections, &page.blocks, &page.note.name),
    };
    page.finish(&sections, headed, notes);
}

struct Page<'a> {
    entry: &'a Entry,
    text: &'a Text,
    names: &'a Names,
    note: Note,
    blocks: Vec<Block>,
    /// The byte position at which the text after the front matter starts.
    body: usize,
    /// The name in the front matter.
    named_by: Option<String>,
}

impl Page<'_> {
    /// Sets who may know the note, if the front matter states it.
    fn mark(&mut self, front: &Front) {
        for field in &front.fields {
            let name = field.name.to_lowercase();
            let value = field.values.first().map(|piece| slug(&piece.value.to_string())).unwrap_or_default();
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
    fn hide(&mut self, front: &Front, options: &ReadOptions) {
        let folders = !options.open_folders && self.entry.folders().any(secret::is_secret);
        let file = secret::is_secret(self.entry.stem());
        let field = front.fields.iter().any(says_secret);
        if folders || file || field {
            self.note.visibility = Visibility::SECRET;
        }
    }

    /// Adds a text of the front matter.
    fn scene(&mut self, scene: &Scene, outer: &Visibility, style: Style) {
        let visibility = scene.visibility.within(outer);
        let line = self.text.line(scene.span.start);
        let on_disk = self.text.on_disk(scene.span.start)..self.text.on_disk(scene.span.end);
        let inner = Text::within(self.text.file, scene.text.clone(), line, on_disk).until(self.text.cancel());
        let first = self.blocks.len();
        markup::markdown(&inner, 0..scene.text.len(), &visibility, style, &mut self.blocks);
        for block in &mut self.blocks[first..] {
            block.headings = scene.headings.iter().chain(block.headings.iter()).cloned().collect();
            if block.headings.iter().any(|heading| secret::is_secret(heading)) {
                block.visibility = Visibility::SECRET.within(&block.visibility);
            }
        }
    }

    fn name(&mut self, front: &Front, sections: &[Section]) {
        let note = &mut self.note;
        note.key.clone_from(&self.entry.path);
        note.tool = "file";
        note.origin = self.text.origin("", self.body..self.body);
        let stem = self.entry.stem();
        let given = front.fields.iter().find(|field| ["title", "name"].contains(&field.name.to_lowercase().as_str()));
        let given = given.and_then(|field| field.values.first()).map(|piece| piece.value.to_string());
        self.named_by.clone_from(&given);
        let heading = sections.first().filter(|section| section.level == 1).map(|section| section.title.clone());
        // If the file name has neither spaces nor capitals, the first heading is the name.
        let machine = !stem.contains(' ') && !stem.chars().any(char::is_uppercase);
        let is_index = ["index", "_index"].contains(&stem.to_lowercase().as_str());
        let folder = self.entry.folders().next_back().unwrap_or_default();
        let title = match (given, heading) {
            (Some(given), _) => given,
            (None, Some(heading)) if machine || slug(&heading) == slug(stem) => heading,
            (None, _) if is_index && !folder.is_empty() => folder.to_owned(),
            (None, _) => stem.to_owned(),
        };
        let identity = identity::of(&title);
        if identity.secret {
            note.visibility = Visibility::SECRET.within(&note.visibility);
        }
        let origin = match sections.first().filter(|section| section.title == title) {
            Some(section) => self.text.origin(section.title.as_str(), section.heading.clone()),
            None => note.origin.clone(),
        };
        let plain = Visibility::Unmarked;
        take_identity(note, identity, &origin, &plain);
        note.origin = if origin.quote.is_empty() { Origin { quote: stem.into(), ..origin } } else { origin };
    }

    /// Adds the fields of the front matter, except the field with the name of the note.
    fn fields(&mut self, front: Vec<Field>) {
        for field in front {
            let names =
                ["title", "name"].contains(&field.name.to_lowercase().as_str()) && !field.origin.field.contains('/');
            let same = field.values.first().map(|piece| piece.value.to_string()) == self.named_by;
            if !(names && same) {
                take_field(&mut self.note, field);
            }
        }
    }

    /// Sets the kind that the front matter states, or else the kind that the folders imply.
    fn kind(&mut self) {
        let mut typed: Vec<(Kind, String)> = Vec::new();
        let mut states = Vec::new();
        for field in &self.note.fields {
            let name = field.name.to_lowercase();
            let says = match lexicon::meaning(&field.name) {
                Meaning::Kind => true,
                Meaning::Attribute(held) => held == *"tag",
                _ => name == "layout",
            };
            // In a Foundry document, the type belongs to the game's rules, except for player characters.
            let nested = field.origin.field.contains('/');
            for piece in field.values.iter().filter(|_| says) {
                let word = piece.value.to_string();
                if is_rule(&word) && !nested {
                    self.note.role = Role::Text;
                }
                let found = match (nested, word.as_str()) {
                    (true, "npc") => Some(Kind::Npc),
                    (true, "character") if &*field.origin.field == "system/type" => Some(Kind::Player),
                    (true, _) => None,
                    (false, _) => lexicon::kind(word.trim_start_matches('#')),
                };
                if let Some(word) = lexicon::state(&word).filter(|word| !nested && *word != "alive") {
                    states.push(State {
                        word: word.to_owned(),
                        origin: field.origin.clone(),
                        visibility: field.visibility.clone(),
                    });
                }
                typed.extend(found.map(|kind| (kind, format!("{name} {word}"))));
            }
        }
        self.note.states.append(&mut states);
        let played = typed.iter().find(|(kind, _)| *kind == Kind::Player).or(typed.first());
        let typed_npc = typed.iter().any(|(kind, _)| *kind == Kind::Npc);
        if let Some((kind, from)) = played.cloned() {
            self.note.player |= kind == Kind::Player;
            self.note.guess(kind, Sure::Typed, from);
        }
        // Only the two innermost folders are a reliable sign of the kind.
        for folder in self.entry.folders().rev().take(2) {
            if let Some(kind) = lexicon::kind(folder).filter(|_| !folder.eq_ignore_ascii_case("world")) {
                self.note.player |= kind == Kind::Player && self.note.kind.is_none();
                self.note.guess(kind, Sure::Guessed, format!("folder {folder}"));
                break;
            }
        }
        // A character with a player is a player character, unless the front matter states another kind.
        let played =
            self.note.fields.iter().any(|field| field.name.eq_ignore_ascii_case("player") && names_somebody(field));
        // The folder of a party contains its members, so a note whose kind is probably party may be a character.
        let character =
            self.note.kind.as_ref().is_none_or(|guess| {
                guess.kind.is_character() || guess.kind == Kind::Party && guess.sure == Sure::Guessed
            });
        self.note.player |= played && character && !typed_npc;
        if self.is_about() && self.note.kind.as_ref().is_none_or(|guess| guess.sure == Sure::Guessed) {
            self.note.role = Role::Text;
        }
    }

    /// Returns whether the file describes the folder, and not an entity of the game world.
    fn is_about(&self) -> bool {
        slug(self.entry.stem()).split('-').any(|word| ENGLISH.words.headings.about.contains(word))
    }

    /// Adds dates: the fields of the plug-in Calendarium, and the tags with dates in the text.
    fn dates(&mut self) {
        for field in &self.note.fields {
            let Meaning::Date(what) = lexicon::meaning(&field.name) else { continue };
            if ["died", "death", "date of death", "date-of-death"].contains(&field.name.to_lowercase().as_str())
                && names_somebody(field)
            {
                let (origin, visibility) = (field.origin.clone(), field.visibility.clone());
                self.note.states.push(State { word: "dead".to_owned(), origin, visibility });
            }
            for piece in &field.values {
                let raw = piece.value.to_string();
                let readable = almanac::readable(&raw);
                let (origin, visibility) = (field.origin.clone(), field.visibility.clone());
                self.note.dates.push(Dated { what, raw, readable, title: None, origin, visibility });
            }
        }
        let content = &self.text.content;
        let mut at = self.body;
        if !content.contains("data-date=") {
            return;
        }
        let (hidden, sections) = (markup::secret_ranges(content), group::sections(content, self.body));
        while let Some(start) = content.get(at..).and_then(|rest| rest.find("data-date=")).map(|start| at + start) {
            at = start + 10;
            let before = content.as_bytes()[..start].iter().rev().take(500);
            let Some(open) = before.into_iter().position(|byte| *byte == b'<').map(|back| start - back - 1) else {
                continue;
            };
            let after = content.as_bytes()[start..].iter().take(500);
            let Some(end) = after.into_iter().position(|byte| *byte == b'>').map(|end| start + end + 1) else {
                continue;
            };
            let tag = &content[open..end];
            let Some(raw) = quoted(tag, "data-date") else { continue };
            let title = quoted(tag, "data-title").or_else(|| quoted(tag, "data-name"));
            let origin = self.text.origin("data-date", open..end);
            let commented =
                hidden.get(hidden.partition_point(|range| range.end <= open)).is_some_and(|range| range.start <= open);
            let under = sections[..sections.partition_point(|section| section.heading.start <= open)].last();
            let secret = commented || under.is_some_and(|section| section.secret);
            let visibility = if secret { Visibility::SECRET } else { Visibility::Unmarked };
            let dated = |what, raw: &str, title: Option<&str>| Dated {
                what,
                raw: raw.to_owned(),
                readable: almanac::readable(raw),
                title: title.map(str::to_owned),
                origin: origin.clone(),
                visibility: visibility.clone(),
            };
            self.note.dates.push(dated(DateOf::Mention, raw, title));
        }
    }

    /// Applies the tags in the texts. Tags on a line of their own apply to the note. A secret tag in a paragraph makes
    /// this paragraph secret.
    fn tags(&mut self) {
        let (mut kinds, mut passing) = (Vec::new(), Vec::new());
        let mut hidden = false;
        self.blocks.retain_mut(|block| {
            let words: Vec<&str> = block.text.text.split_whitespace().collect();
            let is_tag =
                |word: &&str| word.len() > 1 && word.starts_with('#') && word[1..].starts_with(char::is_alphabetic);
            let tags: Vec<String> = words
                .iter()
                .filter(|word| is_tag(word))
                .map(|tag| tag[1..].trim_end_matches([',', '.']).to_owned())
                .collect();
            let alone = !tags.is_empty() && tags.len() == words.len();
            let says_secret = tags.iter().any(|tag| secret::is_secret(tag));
            if !alone {
                passing.extend(tags.iter().filter_map(|tag| Some((lexicon::kind(tag)?, tag.clone()))));
            }
            if alone {
                hidden |= says_secret;
                kinds.extend(tags.iter().filter_map(|tag| Some((lexicon::kind(tag)?, tag.clone()))));
            } else if says_secret {
                block.visibility = Visibility::SECRET.within(&block.visibility);
                for link in &mut block.links {
                    link.visibility = Visibility::SECRET.within(&link.visibility);
                }
            }
            !alone
        });
        if hidden {
            self.note.visibility = Visibility::SECRET.within(&self.note.visibility);
        }
        let played = kinds.iter().find(|(kind, _)| *kind == Kind::Player).or(kinds.first()).cloned();
        if let Some((kind, tag)) = played {
            self.note.player |= kind == Kind::Player;
            self.note.guess(kind, Sure::Typed, format!("tag {tag}"));
        }
        if let [(kind, tag)] = &passing[..]
            && *kind != Kind::Player
        {
            self.note.guess(kind.clone(), Sure::Guessed, format!("tag {tag}"));
        }
    }

    /// Turns the note into a session log, if it has the signs of a session log. Returns whether the note is a session
    /// log.
    fn session(&mut self) -> bool {
        let stem = slug(self.entry.stem());
        let words: Vec<&str> = stem.split('-').collect();
        let number_of = |words: &[&str]| {
            let at = words.iter().position(|word| *word == "session" || *word == "sess")?;
            let number = words.get(at + 1).filter(|word| word.len() <= 4)?;
            number.parse::<u32>().ok()
        };
        let title = slug(&self.note.name);
        let title_words: Vec<&str> = title.split('-').collect();
        let numbered =
            number_of(&words).or_else(|| number_of(&title_words).filter(|_| title_words.first() == Some(&"session")));
        let typed = self.note.fields.iter().any(|field| {
            let says = matches!(lexicon::meaning(&field.name), Meaning::Kind)
                || matches!(lexicon::meaning(&field.name), Meaning::Attribute(name) if name == *"tag");
            let of_session = |piece: &Piece| {
                let word = slug(&piece.value.to_string());
                word.split('-').any(|word| ["session", "sessions", "sessionlog", "recap"].contains(&word))
            };
            says && field.values.iter().any(of_session)
        });
        let fielded = self.note.fields.iter().any(|field| {
            let name = slug(&field.name).replace('-', "");
            ["sessionnumber", "sessiondate"].contains(&name.as_str())
        });
        let folder = self.entry.folders().next_back().map(slug).unwrap_or_default();
        let in_folder = ["sessions", "session-logs", "session-notes", "session-journals", "recaps", "session-recaps"]
            .contains(&folder.as_str());
        let dated = stem.starts_with(|c: char| c.is_ascii_digit());
        let other_kind = self.note.kind.as_ref().is_some_and(|guess| guess.sure == Sure::Typed) && !typed;
        if other_kind || !(typed || fielded || numbered.is_some() || in_folder && (dated || !self.is_about())) {
            return false;
        }
        let mut head = SessionHead { number: numbered, ..SessionHead::default() };
        for field in &self.note.fields {
            let Meaning::Session(part) = lexicon::meaning(&field.name) else { continue };
            let first = field.values.first().map(|piece| piece.value.to_string());
            match part {
                SessionField::Number => head.number = first.and_then(|text| text.trim().parse().ok()).or(head.number),
                SessionField::Date => head.date = first,
                SessionField::Start => head.start = first,
                SessionField::End => head.end = first,
                SessionField::Present => {
                    for piece in &field.values {
                        head.present.extend(targets(piece));
                    }
                }
            }
        }
        if head.date.is_none() {
            let dated = self.note.dates.iter().find(|dated| dated.what == DateOf::Start);
            head.date = dated.map(|dated| dated.raw.clone());
        }
        self.note.role = Role::Session;
        self.note.session = Some(head);
        true
    }

    /// Distributes the texts among the note and the entities under the headings of the file.
    fn finish(mut self, sections: &[Section], headed: Vec<Headed>, notes: &mut Notes) {
        let several = headed.len() >= 2;
        let mut titles: HashMap<&str, usize> = HashMap::new();
        // Sorted by range. The ranges do not overlap.
        let mut made: Vec<(Range<usize>, Note)> = Vec::new();
        for Headed { section, identity } in headed {
            let section = &sections[section];
            let range = self.text.on_disk(section.heading.start)..self.text.on_disk(section.end);
            let again = titles.entry(section.title.as_str()).or_default();
            *again += 1;
            made.push((range, self.headed(section, *again, identity, sections)));
        }
        let (mut own, body) = (Vec::new(), self.text.on_disk(self.body));
        for block in std::mem::take(&mut self.blocks) {
            let at = block.origin.span.start as usize;
            let place = made.partition_point(|(range, _)| range.end <= at);
            let within = made.get_mut(place).filter(|(range, _)| range.contains(&at) && at >= body);
            let (note, texts) = match within {
                Some((_, note)) => (note, None),
                None => (&mut self.note, Some(&mut own)),
            };
            let keep = take_label(note, &block, self.text, self.names);
            take_listed(note, &block);
            if keep {
                match texts {
                    Some(own) => own.push(block),
                    None => note.texts.push(block),
                }
            }
        }
        if self.entry.stem().eq_ignore_ascii_case("readme") {
            // A readme is about the files of the folder, so its links are dropped: some of them lead to files that are
            // not notes.
            own.iter_mut().for_each(|block: &mut Block| block.links.clear());
        }
        self.note.texts = own;
        guess_by_sentence(&mut self.note);
        if several {
            self.gathers();
        }
        self.played();
        let front = std::mem::take(&mut self.note);
        notes.push(front);
        for (_, mut note) in made {
            // This check needs the fields of the note, which are complete only now.
            let somebody =
                note.fields.iter().any(|field| field.name.eq_ignore_ascii_case("player") && names_somebody(field));
            note.player |= somebody;
            notes.push(note);
        }
    }

    /// Adapts a note that groups several entities. If its name is a plural such as `Guards`, the note becomes a text.
    /// If its kind was probably character, the kind becomes faction.
    fn gathers(&mut self) {
        let words = slug(&self.note.name);
        let gathers = |word: &str| {
            word.ends_with('s') && lexicon::kind(word).is_some() || ENGLISH.words.headings.groups.contains(word)
        };
        if words.split('-').any(gathers) {
            self.note.role = Role::Text;
        } else if self.note.kind.as_ref().is_some_and(|guess| guess.sure == Sure::Guessed && guess.kind.is_character())
        {
            // A file with several NPCs in the folder of the NPCs is a group.
            self.note.kind = None;
            self.note.player = false;
            self.note.guess(Kind::Faction, Sure::Guessed, "several texts under one heading");
        }
    }

    fn played(&mut self) {
        let named =
            self.note.fields.iter().any(|field| field.name.eq_ignore_ascii_case("player") && names_somebody(field));
        let typed_npc =
            self.note.kind.as_ref().is_some_and(|guess| guess.kind == Kind::Npc && guess.sure == Sure::Typed);
        let character = self.note.kind.as_ref().is_none_or(|guess| guess.kind.is_character());
        self.note.player |= named && character && !typed_npc;
    }

    /// Returns the note for the entity under a heading. `again` is the number of headings with the same title.
    fn headed(&self, section: &Section, again: usize, identity: Identity, sections: &[Section]) -> Note {
        let origin = self.text.origin(section.title.as_str(), section.heading.clone());
        let key = match again {
            1 => format!("{}#{}", self.entry.path, section.title),
            _ => format!("{}#{} {again}", self.entry.path, section.title),
        };
        let hidden = if section.secret { Visibility::SECRET } else { Visibility::Unmarked };
        let visibility = hidden.within(&self.note.visibility);
        let mut note = Note { key, tool: "file", origin: origin.clone(), visibility, ..Note::default() };
        let kind = identity.kind.clone();
        take_identity(&mut note, identity, &origin, &Visibility::Unmarked);
        if let Some(kind) = kind {
            note.guess(kind, Sure::Typed, "the heading");
        }
        // The first sign of a kind counts: the headings above, then words in the name, then the kind of the file.
        let mut parent = section.parent;
        while let Some(number) = parent {
            let above = &sections[number];
            if let Some(kind) = group::announced(&above.title).filter(|_| above.level > 1) {
                note.guess(kind, Sure::Guessed, format!("heading {}", above.title));
            }
            parent = above.parent;
        }
        if let Some(kind) = kind_in_name(&note.name) {
            note.guess(kind, Sure::Guessed, "its name");
        }
        if let Some(guess) = &self.note.kind {
            note.guess(guess.kind.clone(), Sure::Guessed, guess.from.clone());
        }
        note
    }
}

/// Adds the names, kind and state of a title to the note.
fn take_identity(note: &mut Note, identity: Identity, origin: &Origin, visibility: &Visibility) {
    note.name = identity.name;
    for name in identity.aliases {
        note.aliases.push(Alias { name, origin: origin.clone(), visibility: visibility.clone() });
    }
    if let Some(word) = identity.state {
        note.states.push(State { word: word.to_owned(), origin: origin.clone(), visibility: visibility.clone() });
    }
    if let Some(kind) = identity.kind {
        note.guess(kind, Sure::Guessed, "its name");
    }
    if identity.secret {
        note.visibility = Visibility::SECRET.within(&note.visibility);
    }
}

fn names_somebody(field: &Field) -> bool {
    field.values.iter().any(|piece| !crate::import::resolve::is_nobody(&piece.value.to_string()))
}

/// Returns the value of an attribute of an HTML tag.
fn quoted<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!("{name}="))?;
    let mark = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split(mark).next().filter(|value| !value.trim().is_empty())
}
