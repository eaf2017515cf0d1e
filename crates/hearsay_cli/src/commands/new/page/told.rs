//! Adds the lies and rumours of a page.

use hearsay_campaign::import::truth::split_contradiction;
use hearsay_extract::is_anaphor;
use hearsay_model::{EntityId, Kind, text::words, words::upper_first};

use super::{
    super::{
        draft::{DraftLie, DraftRumour, DraftText},
        sentences::{begins_with_anaphor, sentences},
    },
    PageReader,
    blocks::PageBlock,
    capitalize,
    fields::with_subject,
    place_nouns::with_place_names,
    sections::{announces_secret, section},
    statements::{
        ToldStatement, is_called_false, is_claim_label, is_everybody, is_remark_about_telling, teller_of,
        told_statement,
    },
    subjects::{is_verb, leading_entity, name_person},
};

impl PageReader {
    /// Adds the lies in a block. A text with the label `Truth:` is a secret of the liar.
    pub(super) fn add_lies(&mut self, block: &PageBlock) {
        let before = self.entity_of_text_before(block);
        let first_lie = self.made.draft.lies.len();
        let mut liar = before;
        for (text, line) in self.with_truths(statements(block)) {
            if announces_secret(&text) {
                let truth = self.add_secret(&text, line, liar);
                self.link_truth(truth, first_lie);
            } else if let Some((truth, lie, teller)) = self.split_truth(&text) {
                let lie_number = self.made.draft.lies.len();
                let truth = self.add_secret(truth, line, Some(teller));
                let lie = name_person(lie, &self.made.draft.entities[teller].name);
                liar = self.add_lie(block, &lie, line, before);
                self.link_truth(truth, lie_number);
            } else {
                liar = self.add_lie_and_truth(block, &text, line, before);
            }
        }
    }

    /// Adds a lie. If the text also contradicts the lie, the contradiction is the truth, which becomes a secret of the liar:
    /// "Odo says that he was ill, but he was drunk." Returns the liar.
    pub(super) fn add_lie_and_truth(
        &mut self,
        block: &PageBlock,
        text: &str,
        line: usize,
        before: Option<usize>,
    ) -> Option<usize> {
        let Some((said, truth)) = self.split_contradiction(text) else {
            return self.add_lie(block, text, line, before);
        };
        let lie_number = self.made.draft.lies.len();
        let liar = self.add_lie(block, &said, line, before);
        let draft = &self.made.draft;
        let truth = match liar {
            Some(liar) if truth.split(' ').next().is_some_and(is_verb) => {
                format!("{} {truth}", draft.entities[liar].name)
            }
            Some(liar) => with_subject(draft, liar, &truth, None),
            None => truth,
        };
        let truth = self.add_secret(&truth, line, liar);
        self.link_truth(truth, lie_number);
        liar
    }

    /// Splits a text into what a character says and the truth that contradicts it. The contradiction has a subject or a verb:
    /// in "He says that she is poor but honest", nothing is contradicted.
    pub(super) fn split_contradiction(&self, text: &str) -> Option<(String, String)> {
        let parts = sentences(text);
        for (number, part) in parts.iter().copied().enumerate() {
            let Some((said, truth)) = split_contradiction(part) else { continue };
            let first = truth.split(' ').next().unwrap_or_default();
            let is_clause = is_anaphor(&first.to_lowercase())
                || is_verb(first)
                || leading_entity(&self.made.draft, &upper_first(truth)).is_some();
            if is_clause {
                let said = format!("{said}.");
                let mut all = parts.clone();
                all[number] = &said;
                return Some((all.join(" "), truth.to_owned()));
            }
        }
        None
    }

    /// Joins a sentence that a character tells to the sentence before, if the sentence before is about the same character and
    /// nobody tells it: the sentence before is the truth behind the lie.
    fn with_truths(&self, statements: Vec<(String, usize)>) -> Vec<(String, usize)> {
        let mut joined: Vec<(String, usize)> = Vec::new();
        for (text, line) in statements {
            match joined.last_mut() {
                Some((truth, _))
                    if !announces_secret(&text) && self.split_truth(&format!("{truth} {text}")).is_some() =>
                {
                    truth.push(' ');
                    truth.push_str(&text);
                }
                _ => joined.push((text, line)),
            }
        }
        joined
    }

    /// Splits the truth from the lie in a text such as "Odo burned the mill. He tells everybody that it was lightning."
    /// Returns both, and the character who tells the lie.
    fn split_truth<'t>(&self, text: &'t str) -> Option<(&'t str, &'t str, usize)> {
        let draft = &self.made.draft;
        let parts = sentences(text);
        let (first, others) = parts.split_first()?;
        if others.is_empty() || announces_secret(first) || self.told(first).teller.is_some() {
            return None;
        }
        let is_character = |index: &usize| draft.entities[*index].kind.is_character();
        let subject = draft.named_in(first).into_iter().find(is_character)?;
        let is_teller = |sentence: &&str| {
            teller_of(sentence).is_some_and(|teller| match &words(teller)[..] {
                [word] if hearsay_extract::is_anaphor(word) => true,
                _ => draft.named_in(teller) == [subject] && leading_entity(draft, sentence) == Some(subject),
            })
        };
        let lie = others.iter().find(|sentence| is_teller(sentence))?;
        let (truth, lie) = text.split_at(text.find(*lie)?);
        Some((truth.trim_end(), lie, subject))
    }

    /// Adds what a character says. It is a lie if the notes call it false, and otherwise a rumour of unknown truth that the
    /// character knows.
    pub(super) fn add_claims(&mut self, block: &PageBlock) {
        let statements = statements(block);
        let has_truth =
            |text: &str| is_called_false(text) || announces_secret(text) || self.split_contradiction(text).is_some();
        if statements.iter().any(|(text, _)| has_truth(text)) {
            return self.add_lies(block);
        }
        let before = self.entity_of_text_before(block);
        for (text, line) in statements {
            let mut stated = self.told(&text);
            if let Some(teller) = self.teller(&stated, block, before) {
                let name = &self.made.draft.entities[teller].name;
                stated.text = name_person(&stated.text, name);
                stated.teller = Some(name.clone());
            }
            self.add_told_rumour(block, stated, line, None);
        }
    }

    /// Adds a lie. A lie without a teller becomes a rumour that is false. If neither the text nor a heading names the
    /// teller, the teller is the entity `before`. Returns the teller.
    pub(super) fn add_lie(
        &mut self,
        block: &PageBlock,
        text: &str,
        line: usize,
        before: Option<usize>,
    ) -> Option<usize> {
        // "Lie: He tells everybody that the mill burned." in the text about Odo
        let is_pronoun = teller_of(text).is_some_and(|teller| is_anaphor(&teller.to_lowercase()));
        let subject = self.teller(&ToldStatement::default(), block, before).filter(|_| is_pronoun);
        let named = subject.map(|subject| name_person(text, &self.made.draft.entities[subject].name));
        let stated = self.told(named.as_deref().unwrap_or(text));
        let teller = self.teller(&stated, block, before).filter(|_| !stated.text.is_empty());
        let Some(teller) = teller else {
            let note = format!("nobody tells this lie, so it became a rumour that is false: {}", stated.text);
            self.made.not_understood.push(DraftText { text: note, line: Some(line) });
            self.add_told_rumour(block, stated, line, Some(false));
            return None;
        };
        let draft = &mut self.made.draft;
        let name = &draft.entities[teller].name;
        // "Odo claims to be a priest."
        let text = match stated.text.strip_prefix("To be ") {
            Some(rest) => format!("{name} is {rest}"),
            None => name_person(&stated.text, name),
        };
        let id = |index: &usize| draft.entities[*index].id.clone();
        let mut about: Vec<EntityId> = draft.named_in(&text).iter().map(id).collect();
        if about.is_empty() {
            about.push(id(&teller));
        }
        let is_public = stated.hearers.as_deref().is_some_and(is_everybody);
        let hearers = stated.hearers.map(|hearers| draft.named_in(&capitalize(&hearers))).unwrap_or_default();
        let told_to = hearers.iter().filter(|hearer| **hearer != teller).map(id).collect();
        let text = DraftText { text, line: Some(line) };
        let lie = DraftLie { text, by: id(&teller), about, told_to, is_public, truth_is: None };
        draft.lies.push(lie);
        self.add_remarks("a lie of", teller, stated.remarks, line);
        Some(teller)
    }

    /// Returns the entity of the text before a block: the entity of its headings, or of the item before it. A block that
    /// continues the text before can be about the entity of the last sentence.
    fn entity_of_text_before(&self, block: &PageBlock) -> Option<usize> {
        let entry = self.last_entry.as_ref().filter(|entry| entry.headings == block.headings);
        let before = match block.is_continued {
            true => self.block_owner.or(self.subjects.current()),
            false => entry.map(|entry| entry.owner),
        };
        self.entity_of_headings(block).or(before)
    }

    /// Adds the DM's remarks on a statement to the texts that only the DM sees. `statement` and the name of an entity
    /// describe the statement.
    fn add_remarks(&mut self, statement: &str, entity: usize, remarks: Vec<String>, line: usize) {
        let name = self.made.draft.entities[entity].name.clone();
        for remark in remarks {
            let text = format!("Remark on {statement} {name}: {remark}");
            self.made.draft.texts.push(DraftText { text, line: Some(line) });
        }
    }

    /// Adds the rumours in a block.
    pub(super) fn add_rumours(&mut self, block: &PageBlock, truth: Option<bool>) {
        for (text, line) in statements(block) {
            self.add_rumour(block, &text, line, truth);
        }
    }

    /// Adds a rumour.
    pub(super) fn add_rumour(&mut self, block: &PageBlock, text: &str, line: usize, truth: Option<bool>) {
        let stated = self.told(text);
        self.add_told_rumour(block, stated, line, truth);
    }

    /// Adds a rumour. Its subject is the first entity that it names, or else the place where people tell it.
    fn add_told_rumour(&mut self, block: &PageBlock, stated: ToldStatement, line: usize, truth: Option<bool>) {
        let draft = &self.made.draft;
        let places = self.named_by_headings(block);
        let knowers = [stated.teller, stated.hearers].into_iter().flatten();
        let mut heard_by: Vec<usize> = knowers.flat_map(|knowers| draft.named_in(&capitalize(&knowers))).collect();
        heard_by.extend(places.iter().filter(|_| block.section.is_some()));
        heard_by.retain(|index| draft.entities[*index].kind.can_know());
        // "The tower" is a place of the page.
        let mut about = draft.named_in(&with_place_names(draft, &stated.text));
        if about.is_empty() {
            let is_place = |index: &usize| draft.entities[*index].kind == Kind::Location;
            let start = draft.of_kind(&Kind::Player).find_map(|player| player.location.clone());
            let start = draft.entities.iter().position(|entity| Some(&entity.id) == start.as_ref());
            let first = draft.entities.iter().position(|entity| entity.kind == Kind::Location);
            about.extend(heard_by.iter().copied().find(is_place).or(start).or(first));
        }
        if about.is_empty() || stated.text.is_empty() {
            let text = match truth.or(stated.truth) {
                Some(false) => format!("Rumour (false): {}", stated.text),
                _ => format!("Rumour: {}", stated.text),
            };
            let parts: Vec<String> = std::iter::once(text).chain(stated.remarks).collect();
            self.add_not_understood(&parts.join(" "), line);
            return;
        }
        let subject = about[0];
        let ids = |indices: Vec<usize>| {
            let mut ids: Vec<EntityId> = indices.into_iter().map(|index| draft.entities[index].id.clone()).collect();
            let mut seen = Vec::new();
            ids.retain(|id| {
                !seen.contains(id) && {
                    seen.push(id.clone());
                    true
                }
            });
            ids
        };
        let rumour = DraftRumour {
            text: DraftText { text: stated.text, line: Some(line) },
            truth: stated.truth.or(truth),
            about: ids(about),
            heard_by: ids(heard_by),
        };
        self.made.draft.rumours.push(rumour);
        self.add_remarks("a rumour about", subject, stated.remarks, line);
    }

    fn told(&self, text: &str) -> ToldStatement {
        told_statement(text, |words| !self.named_by(words).is_empty())
    }

    /// Returns the entities that words of any case name, or else the only character with a title in another name: "the abbot" is
    /// Severin, whom the page also calls Abbot Severin.
    pub(super) fn named_by(&self, names: &str) -> Vec<usize> {
        let draft = &self.made.draft;
        let named = draft.named_in(&capitalize(names));
        let all = words(names);
        let [article, title] = &all[..] else { return named };
        if !named.is_empty() || article != "the" {
            return named;
        }
        let has_title = |index: &usize| {
            let entity = &draft.entities[*index];
            entity.kind.is_character() && entity.aliases.iter().any(|alias| words(alias).first() == Some(title))
        };
        let mut titled = (0..draft.entities.len()).filter(has_title);
        titled.next().filter(|_| titled.next().is_none()).into_iter().collect()
    }

    /// Returns the character or group that tells a statement: the named teller, or else the entity of the headings, or
    /// else the entity `before`.
    fn teller(&self, stated: &ToldStatement, block: &PageBlock, before: Option<usize>) -> Option<usize> {
        let draft = &self.made.draft;
        let named = stated.teller.as_ref().map(|teller| self.named_by(teller)).unwrap_or_default();
        let by_headings = self.entity_of_headings(block).into_iter().chain(self.named_by_headings(block));
        let can_lie =
            |index: &usize| draft.entities[*index].kind.is_character() || draft.entities[*index].kind == Kind::Faction;
        named.into_iter().chain(by_headings).chain(before).find(can_lie)
    }

    /// Returns the entities that the innermost heading or the label names: "Rumours in Saltwick", "Dorric's lies".
    fn named_by_headings(&self, block: &PageBlock) -> Vec<usize> {
        let heading = block.headings.iter().rev().find(|heading| section(heading).is_some());
        let label = block.label.as_ref().filter(|label| section(label).is_some() || is_claim_label(label));
        heading.into_iter().chain(label).flat_map(|text| self.made.draft.named_in(text)).collect()
    }
}

/// Returns whether a sentence is a remark in brackets, or continues such a remark at the end of the text before it.
pub(super) fn continues_remark(before: &str, sentence: &str) -> bool {
    let is_open = |open: char, close: char| before.matches(open).count() > before.matches(close).count();
    sentence.starts_with(['(', '[']) || is_open('(', ')') || is_open('[', ']')
}

/// Returns the statements of a block with their lines: the whole item of a list, or each sentence of a paragraph with the
/// sentences that refer to it.
fn statements(block: &PageBlock) -> Vec<(String, usize)> {
    let mut statements: Vec<(String, usize)> = Vec::new();
    for (sentence, line) in block.sentences() {
        let continues = |last: &str| {
            let is_open_quote = !last.matches('\"').count().is_multiple_of(2)
                || last.matches('\u{201C}').count() > last.matches('\u{201D}').count();
            let is_remark = is_remark_about_telling(sentence) || continues_remark(last, sentence);
            let refers = begins_with_anaphor(sentence) || ends_with_anaphor(sentence);
            !announces_secret(sentence) && (block.is_item || is_open_quote || is_remark || refers)
        };
        match statements.last_mut() {
            Some((last, _)) if continues(last.as_str()) => {
                last.push(' ');
                last.push_str(sentence);
            }
            _ => statements.push((sentence.to_owned(), line)),
        }
    }
    statements
}

/// Returns whether a sentence ends with a pronoun for the text before it: "Odo denies it."
fn ends_with_anaphor(sentence: &str) -> bool {
    words(sentence).last().is_some_and(|word| hearsay_extract::is_anaphor(word))
}
