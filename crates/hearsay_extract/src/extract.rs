//! The extractor: a text in, proposed facts out.

use std::{collections::BTreeMap, sync::OnceLock};

use hearsay_model::{Confidence, EntityId, Kind, Predicate, Span, Vocabulary, predicate};
use serde::{Deserialize, Serialize};

use crate::{
    clauses::Clauses,
    cues,
    grammar::{Class, Grammar},
    language::Language,
    lexicon::Lexicon,
    meaning::{Examples, Meaning},
    memory::Memory,
    mentions::{Finder, NewNames, Scene, Who},
    parse::{Item, Parser, VerbForm, Vg},
    read::{Read, Reader, Said, Voice},
    split::{self, Sentence},
    token::Token,
};

/// What sort of text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Said at the table.
    #[default]
    Talk,
    /// What the DM tells, or a line of a log.
    Narration,
    /// Written about the world.
    Lore,
}

/// A text with its scene.
#[derive(Clone, Copy, Default)]
pub struct Text<'a> {
    /// The words.
    pub text: &'a str,
    /// What sort of text it is.
    pub form: Form,
    /// The character who says all of it, if one does.
    pub speaker: Option<&'a EntityId>,
    /// Who is there: they narrow down who is meant, and may be spoken to.
    pub present: &'a [EntityId],
    /// Where it is said.
    pub place: Option<&'a EntityId>,
    /// The texts just before it, the latest last, for pronouns.
    pub before: &'a [&'a str],
    /// The meaning of sentences, where a model is at hand.
    pub meaning: Option<&'a dyn Meaning>,
}

impl<'a> Text<'a> {
    /// A text without a scene.
    pub fn new(text: &'a str, form: Form) -> Self {
        Self { text, form, ..Self::default() }
    }
}

impl std::fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Text")
            .field("text", &self.text)
            .field("form", &self.form)
            .field("speaker", &self.speaker)
            .finish()
    }
}

/// Who or what is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mention {
    /// An entity of the world.
    Known(EntityId),
    /// A name that nobody has: its place in [`Extraction::entities`].
    New(usize),
}

/// What a fact says of its subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    /// An entity.
    Entity(Mention),
    /// A value, in the text's own words.
    Value(String),
}

/// Why a fact is doubted, or what else was seen in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cue {
    /// What sort of cue it is.
    pub kind: CueKind,
    /// Its words in the text.
    pub words: String,
}

/// Sorts of cues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CueKind {
    /// It is said as a guess: "maybe".
    Hedge,
    /// It is hearsay: "they say".
    Rumour,
    /// Somebody thinks so: "Odo suspects that …".
    Thought,
    /// It is hardly meant: "yeah, right".
    Sarcasm,
    /// It was so, and is so no longer: "used to".
    Past,
    /// The sentence does not mean what its words usually state.
    Meaning,
}

impl std::fmt::Display for Cue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.kind {
            CueKind::Hedge => "hedged by",
            CueKind::Rumour => "hearsay:",
            CueKind::Thought => "only thought:",
            CueKind::Sarcasm => "hardly meant:",
            CueKind::Past => "over:",
            CueKind::Meaning => "read by its meaning:",
        };
        write!(f, "{what} `{}`", self.words)
    }
}

/// A fact that a text states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExtractedFact {
    /// What it is about.
    pub subject: Mention,
    /// The relation or attribute.
    pub predicate: Predicate,
    /// What it says of the subject.
    pub object: Stated,
    /// For RELATED_TO: the words of the relation.
    pub relation: Option<String>,
    /// One sentence that states it, without ids.
    pub statement: String,
    /// The bytes of the text that state it.
    pub span: Span,
    /// These bytes: the text's own words.
    pub quote: String,
    /// How sure it is that the text says this.
    pub confidence: Confidence,
    /// Who says so, if a character does.
    pub stated_by: Option<Mention>,
    /// Those to whom it was said, where the text says so.
    pub told_to: Vec<Mention>,
    /// Whether the text says that it is not so. It is then no fact, but may refute one.
    pub denied: bool,
    /// Whether it is so no longer.
    pub over: bool,
    /// What lowered the confidence, or was seen besides.
    pub cues: Vec<Cue>,
}

/// A name that no entity has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewEntity {
    /// The name as it stands in the text.
    pub name: String,
    /// What it is likely the name of.
    pub kind: Option<Kind>,
    /// The bytes where it first stands.
    pub span: Span,
    /// How sure it is that this is a name.
    pub confidence: Confidence,
}

/// An entity that a text names, where it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Naming {
    /// The entity.
    pub entity: EntityId,
    /// The bytes of the name.
    pub span: Span,
}

/// What a text states.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extraction {
    /// The facts, in the order of their words.
    pub facts: Vec<ExtractedFact>,
    /// The names that nobody has.
    pub entities: Vec<NewEntity>,
    /// Where known entities are named.
    pub mentions: Vec<Naming>,
    /// Whether the text seems to speak to the program: then nothing in it is beyond doubt.
    pub addresses_program: bool,
}

/// Reads texts. Made once for a campaign, and used from any thread.
#[derive(Debug)]
pub struct Extractor {
    language: Language,
    vocabulary: Vocabulary,
    related: Option<usize>,
    pub(crate) examples: OnceLock<Option<Examples>>,
}

/// No fact is surer than this in a text that speaks to the program.
const MOST_OF_ADDRESSING: f64 = 0.5;

impl Extractor {
    /// An extractor for a language and the predicates of a campaign.
    pub fn new(language: Language, vocabulary: Vocabulary) -> Self {
        let related = language.grammar.targets.iter().position(|target| {
            target.predicate == *predicate::RELATED_TO && !target.over && !target.denied && !target.mutual
        });
        Self { language, vocabulary, related, examples: OnceLock::new() }
    }

    /// The facts that a text states.
    pub fn extract(&self, lexicon: &Lexicon, text: &Text<'_>) -> Extraction {
        let mut pass = Pass::new(self, lexicon, text);
        for before in text.before.iter().rev().take(4).rev() {
            pass.only_names = true;
            pass.source = before;
            pass.read(0);
        }
        pass.only_names = false;
        pass.new = NewNames::default();
        pass.source = text.text;
        pass.read(1);
        pass.finish()
    }

    pub(crate) fn grammar(&self) -> &Grammar {
        &self.language.grammar
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}

/// One text as it is read.
struct Pass<'a> {
    extractor: &'a Extractor,
    lexicon: &'a Lexicon,
    text: &'a Text<'a>,
    source: &'a str,
    only_names: bool,
    scene: Scene,
    memory: Memory,
    new: NewNames,
    facts: Vec<Read>,
    mentions: BTreeMap<(usize, usize), u32>,
    addressed: bool,
    /// Sentences for which two entities and no known words were found, with the pair.
    open: Vec<crate::meaning::Open>,
}

impl<'a> Pass<'a> {
    fn new(extractor: &'a Extractor, lexicon: &'a Lexicon, text: &'a Text<'a>) -> Self {
        let index = |id: &EntityId| lexicon.index(id);
        let scene = Scene {
            speaker: text.speaker.and_then(index),
            present: text.present.iter().filter_map(index).collect(),
            place: text.place.and_then(index),
            recent: Vec::new(),
        };
        Self {
            extractor,
            lexicon,
            text,
            source: text.text,
            only_names: false,
            scene,
            memory: Memory::default(),
            new: NewNames::default(),
            facts: Vec::new(),
            mentions: BTreeMap::new(),
            addressed: false,
            open: Vec::new(),
        }
    }

    fn read(&mut self, _: usize) {
        let source = self.source;
        let grammar = self.extractor.grammar();
        let is_abbreviation = |word: &str| grammar.class(word).has(Class::ABBREVIATION);
        let speaker = self.scene.speaker.map(Who::Known);
        let hearers: Vec<Who> = self
            .scene
            .present
            .iter()
            .filter(|entity| Some(**entity) != self.scene.speaker)
            .map(|entity| Who::Known(*entity))
            .collect();
        let voice = Voice {
            speaker,
            hearers,
            told: Vec::new(),
            unknown: false,
            talk: self.text.form == Form::Talk && speaker.is_some(),
        };
        for range in split::paragraphs(source) {
            let part = &source[range.clone()];
            for sentence in split::sentences(part, range.start, is_abbreviation) {
                self.sentence(&sentence, &voice, 0);
            }
        }
    }

    fn sentence(&mut self, sentence: &Sentence, voice: &Voice, depth: usize) {
        let grammar = self.extractor.grammar();
        let tokens = &sentence.tokens[..];
        self.memory.sentence += 1;
        self.scene.recent = self.memory.recent();
        let finder = Finder { lexicon: self.lexicon, grammar, scene: &self.scene, text: self.source };
        let names = finder.names(tokens, &mut self.new);
        let parser = Parser::new(tokens, &names, grammar);
        let name_at = parser.name_at.clone();
        let mut groups = parser.groups();
        silent_verbs(tokens, &mut groups, grammar);
        let found_cues = cues::find(tokens, grammar, |at| name_at[at].is_some());
        let addresses = found_cues.iter().any(|cue| cue.sort == crate::grammar::CueSort::Injection);
        self.addressed |= addresses && !self.only_names;
        let syntax = Clauses { tokens, grammar, groups: &groups };
        let clauses = syntax.all();
        if !self.only_names {
            for name in &names {
                if let Who::Known(entity) = name.who {
                    self.mentions.insert((tokens[name.start].start, tokens[name.end - 1].end), entity);
                }
            }
        }
        let mut reader = Reader {
            lexicon: self.lexicon,
            grammar,
            text: self.source,
            tokens,
            names: &names,
            groups: &groups,
            clauses: &clauses,
            syntax: &syntax,
            cues: &found_cues,
            voice,
            present: &self.scene.present,
            memory: &mut self.memory,
            new: &mut self.new,
            refs: vec![None; groups.nps.len()],
            facts: Vec::new(),
            related: self.extractor.related,
        };
        if self.only_names || self.addressed {
            reader.remember();
            for clause in &clauses {
                for np in &clause.subjects {
                    reader.resolve(*np, &[]);
                }
            }
        } else {
            reader.read();
        }
        let facts = std::mem::take(&mut reader.facts);
        let mut voices = Vec::new();
        for quote in 0..sentence.quotes.len() {
            let (speaker, told, unknown) = reader.voice_of(quote);
            voices.push((quote, speaker, told, unknown));
        }
        if self.text.meaning.is_some() && !self.only_names {
            self.open.extend(reader.open_sentence(&facts));
        }
        self.facts.extend(facts);
        if depth >= split::MOST_DEPTH {
            return;
        }
        let is_abbreviation = |word: &str| grammar.class(word).has(Class::ABBREVIATION);
        for (quote, speaker, told, unknown) in voices {
            let all_of_it = tokens.len() == 1 && voice.speaker.is_some();
            let inner = if all_of_it {
                voice.clone()
            } else {
                let others: Vec<Who> = self
                    .scene
                    .present
                    .iter()
                    .map(|entity| Who::Known(*entity))
                    .filter(|who| Some(*who) != speaker)
                    .collect();
                let hearers = if told.is_empty() { others } else { told.clone() };
                Voice { speaker, hearers, told, unknown: unknown || speaker.is_none(), talk: true }
            };
            for sentence in split::split(sentence.quotes[quote].clone(), depth + 1, &is_abbreviation) {
                self.sentence(&sentence, &inner, depth + 1);
            }
        }
    }

    fn mention(&self, who: Who) -> Mention {
        match who {
            Who::Known(entity) => Mention::Known(self.lexicon.entities[entity as usize].id.clone()),
            Who::New(index) => Mention::New(index),
        }
    }

    fn name(&self, who: Who) -> &str {
        match who {
            Who::Known(entity) => &self.lexicon.entities[entity as usize].name,
            Who::New(index) => self.new.found.get(index).map_or("", |entity| &entity.name),
        }
    }

    fn finish(mut self) -> Extraction {
        let text = self.text;
        if let Some(meaning) = text.meaning {
            let open = std::mem::take(&mut self.open);
            crate::meaning::weigh(self.extractor, meaning, &mut self.facts, &open);
        }
        let mut facts: Vec<ExtractedFact> = Vec::new();
        for read in &self.facts {
            let confidence = self.confidence(read);
            let target = &self.extractor.grammar().targets[read.target];
            // A new name that is gone again because it was only before the text.
            let exists = |who: Who| !matches!(who, Who::New(index) if index >= self.new.found.len());
            let object_exists = match &read.object {
                Said::Who(who) => exists(*who),
                Said::Value(_) => true,
            };
            if !exists(read.subject)
                || !object_exists
                || !text.text.is_char_boundary(read.span.start)
                || text.text.get(read.span.start..read.span.end).is_none()
            {
                continue;
            }
            let subject = self.name(read.subject).to_owned();
            let object = match &read.object {
                Said::Who(who) => self.name(*who).to_owned(),
                Said::Value(value) => value.clone(),
            };
            let related = target.predicate == *predicate::RELATED_TO;
            let plain = if related {
                format!("{subject}: {} {object}.", read.relation)
            } else {
                self.extractor.vocabulary().sentence(&target.predicate, &subject, &object)
            };
            let statement = match (read.denied, read.over) {
                (true, _) => format!("It is not so: {plain}"),
                (false, true) => format!("No longer so: {plain}"),
                (false, false) => plain,
            };
            let fact = ExtractedFact {
                subject: self.mention(read.subject),
                predicate: target.predicate.clone(),
                object: match &read.object {
                    Said::Who(who) => Stated::Entity(self.mention(*who)),
                    Said::Value(value) => Stated::Value(value.clone()),
                },
                relation: related.then(|| read.relation.clone()),
                statement,
                span: read.span,
                quote: text.text[read.span.start..read.span.end].to_owned(),
                confidence,
                stated_by: read.by.filter(|who| exists(*who)).map(|who| self.mention(who)),
                told_to: read.told.iter().filter(|who| exists(**who)).map(|who| self.mention(*who)).collect(),
                denied: read.denied,
                over: read.over,
                cues: read.cues.clone(),
            };
            let same = |other: &ExtractedFact| {
                other.predicate == fact.predicate
                    && other.denied == fact.denied
                    && other.over == fact.over
                    && other.stated_by == fact.stated_by
                    && ((other.subject == fact.subject && other.object == fact.object)
                        || (target.mutual
                            && Stated::Entity(other.subject.clone()) == fact.object
                            && other.object == Stated::Entity(fact.subject.clone())))
            };
            match facts.iter_mut().find(|other| same(other)) {
                Some(other) if other.confidence < fact.confidence => *other = fact,
                Some(_) => {}
                None => facts.push(fact),
            }
        }
        facts.sort_by(|a, b| (a.span.start, a.span.end).cmp(&(b.span.start, b.span.end)));
        let mentions = self
            .mentions
            .iter()
            .map(|((start, end), entity)| Naming {
                entity: self.lexicon.entities[*entity as usize].id.clone(),
                span: Span { start: *start, end: *end },
            })
            .collect();
        Extraction { facts, entities: self.new.found, mentions, addresses_program: self.addressed }
    }

    fn confidence(&self, read: &Read) -> Confidence {
        let grammar = self.extractor.grammar();
        let mut names = read.marks.names.clone();
        names.sort_unstable();
        names.dedup();
        let sum = grammar.weight("base") + names.iter().map(|name| grammar.weight(name)).sum::<f64>();
        let mut sure = 1.0 / (1.0 + (-sum).exp());
        sure *= read.doubt;
        if read.doubt < 1.0 {
            sure = sure.min(0.69);
        }
        if self.addressed {
            sure = sure.min(MOST_OF_ADDRESSING);
        }
        Confidence::new(sure.clamp(0.0, 1.0)).unwrap_or(Confidence::FULL)
    }
}

/// Puts in the "is" that notes leave out: "Bram dead.", "Static in brig."
fn silent_verbs(tokens: &[Token], groups: &mut crate::parse::Groups, grammar: &Grammar) {
    let finite = groups.vgs.iter().any(|vg| vg.form == VerbForm::Finite);
    if finite {
        return;
    }
    let is_np =
        |item: &Item| matches!(item, Item::Np(np) if groups.nps[*np].name.is_some() || groups.nps[*np].owner.is_some());
    // Behind a list at the beginning.
    let Some(first) = groups.items.iter().position(is_np).filter(|at| *at <= 1) else { return };
    let mut at = first + 1;
    let word = |at: usize| match groups.items.get(at) {
        Some(Item::Tok(token)) => tokens[*token].norm.as_str(),
        _ => "",
    };
    while matches!(word(at), "," | "and" | "+" | "&")
        && matches!(groups.items.get(at + 1), Some(Item::Np(np)) if groups.nps[*np].name.is_some())
    {
        at += 2;
    }
    let fits = match groups.items.get(at) {
        Some(Item::Tok(token)) => {
            let norm = tokens[*token].norm.as_str();
            let class = grammar.class(norm);
            class.has(Class::PREPOSITION) && norm != "of"
                || grammar.adjectives.contains_key(norm)
                || norm == ":"
                || norm == "\u{2014}"
        }
        _ => false,
    };
    if !fits {
        return;
    }
    let token = match groups.items.get(at) {
        Some(Item::Tok(token)) if matches!(tokens[*token].norm.as_str(), ":" | "\u{2014}") => {
            let token = *token;
            groups.items.remove(at);
            token + 1
        }
        Some(Item::Tok(token)) => *token,
        _ => return,
    };
    if token >= tokens.len() {
        return;
    }
    groups.items.insert(at, Item::Vg(groups.vgs.len()));
    groups.vgs.push(Vg {
        start: token,
        end: token,
        head: token.saturating_sub(1),
        lemma: "be".into(),
        copula: true,
        silent: true,
        ..Vg::default()
    });
}
