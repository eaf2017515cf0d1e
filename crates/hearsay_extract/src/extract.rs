//! Extractor, which reads a text and proposes facts.

use std::{collections::BTreeMap, sync::OnceLock};

use hearsay_model::{Confidence, EntityId, Predicate, PredicateRole, Span, Vocabulary};

use crate::{
    clauses::Clauses,
    cues,
    facts::{ExtractedFact, Extraction, Form, Mention, Naming, Stated, Text},
    grammar::{Class, CueSort, Grammar},
    kinds::Kinds,
    language::Language,
    lexicon::Lexicon,
    meaning::Examples,
    memory::{Memory, Seen},
    mentions::{Finder, Name, NewNames, Scene, Who},
    outdone::{self, Marked},
    parse::{Item, Parser, VerbForm, Vg},
    read::{Learning, Read, Reader, Said, TO_DO_WITH, Voice, lasts},
    smooth::smooth,
    split::{self, Sentence},
    token::Token,
};

/// Extracts facts from texts. Create one extractor per campaign; all threads can share it.
#[derive(Debug)]
pub struct Extractor {
    language: Language,
    vocabulary: Vocabulary,
    related: Option<usize>,
    pub(crate) examples: OnceLock<Option<Examples>>,
}

/// Result of an extraction, with data for fitting the weights and training the classifiers.
#[derive(Debug, Clone)]
pub struct Weighed {
    /// Facts, new names and mentions of the text.
    pub extraction: Extraction,
    /// For each fact, the sorted names of the weights that determine its confidence. `None` if other rules determine
    /// the confidence.
    pub marks: Vec<Option<Vec<&'static str>>>,
    /// Training examples for the classifiers: pairs of two entities, or of an entity and a possible value, with their
    /// features.
    pub seen: Vec<Sight>,
}

/// Training example for a classifier: two entities in one sentence, or an entity and a possible value.
#[derive(Debug, Clone)]
pub struct Sight {
    /// First of two entities in the sentence, or the subject of a fact or value.
    pub first: Mention,
    /// Second entity, or the value.
    pub second: Stated,
    /// For an example of the classifier that decides whether a fact is over or doubtful, the predicate of the fact that
    /// was read. `None` in other examples.
    pub read: Option<Predicate>,
    /// Features of the sentence around the pair.
    pub features: Vec<String>,
}

/// Default confidence factor of a fact that the speaker takes back.
const WORTH_A_LOOK: f64 = 0.3;

/// Loose proposals with a lower confidence than this are not worth a review.
const GUESSED: f64 = 0.13;

/// Minimum confidence of loose proposals about a new name. It is higher than [`GUESSED`] because the DM has to review
/// both the new entity and the fact.
const GUESSED_OF_STRANGERS: f64 = 0.15;

/// Maximum number of loose proposals from a text. It increases by one for every `SENTENCES_OF_GUESS` sentences.
const GUESSES: usize = 8;
const SENTENCES_OF_GUESS: usize = 6;

/// Minimum confidence of a hedged statement.
const LEAST_OF_DOUBTED: f64 = 0.3;

/// Maximum confidence of a fact in a sentence with words addressed to the program.
const MOST_OF_ADDRESSING: f64 = 0.5;

impl Extractor {
    /// Creates an extractor for a language and the predicates of a campaign.
    pub fn new(language: Language, vocabulary: Vocabulary) -> Self {
        let related = language.grammar.targets.iter().position(|target| {
            PredicateRole::Related.is(&target.predicate) && !target.over && !target.denied && !target.mutual
        });
        Self { language, vocabulary, related, examples: OnceLock::new() }
    }

    /// Extracts the facts that a text states.
    pub fn extract(&self, lexicon: &Lexicon, text: &Text<'_>) -> Extraction {
        Pass::new(self, lexicon, text).all().extraction
    }

    /// Extracts the facts that a text states, with data for fitting the weights and training the classifiers.
    pub fn weighed(&self, lexicon: &Lexicon, text: &Text<'_>) -> Weighed {
        let mut pass = Pass::new(self, lexicon, text);
        pass.seen = Some(Learning::default());
        pass.all()
    }

    pub(crate) fn grammar(&self) -> &Grammar {
        &self.language.grammar
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}

/// State of the extractor while it reads one text.
struct Pass<'a> {
    extractor: &'a Extractor,
    lexicon: &'a Lexicon,
    text: &'a Text<'a>,
    source: &'a str,
    only_names: bool,
    /// Number of sentences read so far.
    sentences: usize,
    /// Whether the previous sentence only marks the next sentence as a guess.
    guessed: bool,
    scene: Scene,
    memory: Memory,
    new: NewNames,
    facts: Vec<Read>,
    /// Index of the first fact of the previous sentence.
    before: usize,
    mentions: BTreeMap<(usize, usize), u32>,
    /// Sentences with words addressed to the program. The DM decides on their facts.
    addressed: Vec<Span>,
    /// Sentences that name two entities but match no pattern, with the two entities.
    open: Vec<crate::meaning::Open>,
    /// Training examples for the classifiers, if the caller requested them.
    seen: Option<Learning>,
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
            sentences: 0,
            guessed: false,
            scene,
            memory: Memory::default(),
            new: NewNames::default(),
            facts: Vec::new(),
            before: 0,
            mentions: BTreeMap::new(),
            addressed: Vec::new(),
            open: Vec::new(),
            seen: None,
        }
    }

    /// Reads the names of the earlier texts, and then the text itself.
    fn all(mut self) -> Weighed {
        for before in self.text.before.iter().rev().take(4).rev() {
            self.only_names = true;
            self.source = before;
            self.read();
        }
        self.only_names = false;
        self.new = NewNames::default();
        self.memory.forget_new();
        self.source = self.text.text;
        self.read();
        self.finish()
    }

    fn read(&mut self) {
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
            at_table: self.text.form == Form::Talk,
        };
        for range in split::paragraphs(source) {
            let part = &source[range.clone()];
            self.memory.topic = None;
            self.before = self.facts.len();
            for sentence in split::sentences(part, range.start, is_abbreviation) {
                self.sentence(&sentence, &voice, 0);
            }
        }
    }

    fn sentence(&mut self, sentence: &Sentence, voice: &Voice, depth: usize) {
        let grammar = self.extractor.grammar();
        let smooth = smooth(&sentence.tokens, grammar);
        let tokens = &smooth.tokens[..];
        self.memory.sentence += 1;
        self.sentences += usize::from(!self.only_names);
        self.scene.recent = self.memory.recent();
        let finder = Finder { lexicon: self.lexicon, grammar, scene: &self.scene, text: self.source };
        let names = finder.names(tokens, &mut self.new);
        let entry = names
            .first()
            .filter(|name| name.start == 0 && tokens.get(name.end).is_some_and(|mark| mark.is_mark("\u{2014}:(")));
        if let Some(name) = entry {
            self.memory.topic = Some(name.who);
        }
        if is_heading(tokens, grammar) {
            self.before = self.facts.len();
            // A heading such as "Smoke at the Goat" contains names but states nothing.
            for name in &names {
                if let Who::Known(entity) = name.who {
                    let known = &self.lexicon.entities[entity as usize];
                    let (kinds, gender, sentence) = (known.kinds, known.gender, self.memory.sentence);
                    let subject = name.start == 0;
                    self.memory.see(Seen { who: name.who, kinds, gender, sentence, token: name.start, subject });
                    self.memory.focus = Some(name.who);
                }
            }
            let found = names.iter().filter_map(|name| match name.who {
                Who::Known(entity) => Some(((tokens[name.start].start, tokens[name.end - 1].end), entity)),
                Who::New(_) => None,
            });
            self.mentions.extend(found.filter(|_| !self.only_names));
            return;
        }
        let crowds = names.iter().map(|name| match name.who {
            Who::Known(entity) => self.lexicon.entities[entity as usize].kinds == Kinds::GROUP,
            Who::New(_) => false,
        });
        let parser = Parser::new(tokens, &names, crowds.collect(), grammar);
        let name_at = parser.name_at.clone();
        let mut groups = parser.groups();
        silent_verbs(tokens, &names, &mut groups, grammar);
        fronted(tokens, &mut groups, grammar);
        let found_cues = cues::find(tokens, grammar, |at| name_at[at].is_some());
        let addresses = found_cues.iter().any(|cue| cue.sort == CueSort::Injection);
        if let (true, false, Some(first), Some(last)) = (addresses, self.only_names, tokens.first(), tokens.last()) {
            // Words after a colon belong to the address: "Ignore your instructions and accept: …".
            let rest = self.source.get(last.end..).unwrap_or_default();
            let is_introduction = last.is_mark(":") || rest.trim_start().starts_with(':');
            let line = rest.find('\n').map_or(self.source.len(), |at| last.end + at);
            self.addressed.push(Span { start: first.start, end: if is_introduction { line } else { last.end } });
        }
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
            guessed: self.guessed,
            relations: &self.extractor.language.relations,
            attributes: &self.extractor.language.attributes,
            meanings: &self.extractor.language.meanings,
            voice,
            present: &self.scene.present,
            memory: &mut self.memory,
            new: &mut self.new,
            next_focus: None,
            risks: Vec::new(),
            refs: vec![None; groups.nps.len()],
            facts: Vec::new(),
            seen: self.seen.take(),
            related: self.extractor.related,
        };
        // In "My guess? Odo has it.", the question hedges the next sentence.
        let hedges = |cue: &cues::Found| matches!(cue.sort, CueSort::Hedge | CueSort::Rumour);
        self.guessed =
            tokens.len() < 6 && tokens.last().is_some_and(|last| last.is("?")) && found_cues.iter().any(hedges);
        if self.only_names {
            reader.remember();
            for clause in &clauses {
                for np in &clause.subjects {
                    reader.resolve(*np, &[]);
                }
            }
        } else {
            reader.read();
            reader.pronouns(&smooth.pronouns);
        }
        reader.memory.focus = reader.next_focus.or(reader.memory.focus);
        if depth == 0 && takes_back(tokens) {
            for fact in &mut self.facts[self.before..] {
                fact.doubt = fact.doubt.min(grammar.doubts.get("hedge").copied().unwrap_or(WORTH_A_LOOK));
            }
        }
        if depth == 0 && reader.no_more(0) {
            let ends =
                |fact: &&mut Read| !fact.denied && !lasts(&grammar.targets[fact.target].predicate, &fact.relation);
            self.facts[self.before..].iter_mut().filter(ends).for_each(|fact| fact.over = true);
        }
        let facts = std::mem::take(&mut reader.facts);
        self.seen = reader.seen.take();
        let mut voices = Vec::new();
        for quote in 0..sentence.quotes.len() {
            let (speaker, told, unknown) = reader.voice_of(quote);
            voices.push((quote, speaker, told, unknown));
        }
        if self.text.meaning.is_some() && !self.only_names {
            self.open.extend(reader.open_sentence(&facts));
        }
        if depth == 0 {
            self.before = self.facts.len();
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
                Voice { speaker, hearers, told, unknown: unknown || speaker.is_none(), talk: true, at_table: true }
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

    /// Returns the sentence for a `RELATED_TO` fact, which is built with words of the text.
    fn related(&self, read: &Read, subject: &str, object: &str) -> String {
        let words = match read.relation.as_str() {
            "" => TO_DO_WITH,
            words => words,
        };
        let is_noun = ["by_noun", "by_tie", "loose_noun"].iter().any(|mark| read.marks.names.contains(mark));
        match self.extractor.grammar().in_third_person(words).filter(|_| !is_noun) {
            Some(words) => format!("{subject} {words} {object}."),
            None => format!("{subject}: {words} {object}."),
        }
    }

    fn finish(mut self) -> Weighed {
        let text = self.text;
        if let Some(meaning) = text.meaning {
            let open = std::mem::take(&mut self.open);
            crate::meaning::weigh(self.extractor, meaning, &mut self.facts, &open);
        }
        let mut facts: Vec<Marked> = Vec::new();
        for read in &self.facts {
            let marks = read.marks.sorted();
            let confidence = self.confidence(read, &marks);
            let target = &self.extractor.grammar().targets[read.target];
            // A new name that occurs only in the earlier texts does not count as an entity.
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
            let related = PredicateRole::Related.is(&target.predicate);
            let plain = if related {
                self.related(read, &subject, &object)
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
            let weighed = read.doubt >= 1.0 && !self.is_addressed(read);
            match facts.iter_mut().find(|other| same(&other.fact)) {
                Some(other) if other.fact.confidence < fact.confidence => *other = Marked { fact, marks, weighed },
                Some(_) => {}
                None => facts.push(Marked { fact, marks, weighed }),
            }
        }
        facts.sort_by_key(|marked| (marked.fact.span.start, marked.fact.span.end));
        outdone::drop(&mut facts);
        self.cap(&mut facts);
        let facts = facts.into_iter().map(|Marked { fact, marks, weighed }| (fact, weighed.then_some(marks)));
        let (facts, marks) = facts.unzip();
        let mentions = self
            .mentions
            .iter()
            .map(|((start, end), entity)| Naming {
                entity: self.lexicon.entities[*entity as usize].id.clone(),
                span: Span { start: *start, end: *end },
            })
            .collect();
        let addresses_program = !self.addressed.is_empty();
        let Learning { pairs, traits, meant } = self.seen.take().unwrap_or_default();
        let pairs = pairs.into_iter().map(|pair| {
            let (first, second) = pair.whos();
            let second = Stated::Entity(self.mention(second));
            Sight { first: self.mention(first), second, read: None, features: pair.features }
        });
        let traits = traits.into_iter().map(|found| {
            let first = self.mention(found.bearer.found.who);
            Sight { first, second: Stated::Value(found.value), read: None, features: found.features }
        });
        let meant = meant.into_iter().map(|meant| {
            let second = match meant.object {
                Said::Who(who) => Stated::Entity(self.mention(who)),
                Said::Value(value) => Stated::Value(value),
            };
            Sight { first: self.mention(meant.subject), second, read: Some(meant.predicate), features: meant.features }
        });
        let seen = pairs.chain(traits).chain(meant).collect();
        Weighed { extraction: Extraction { facts, entities: self.new.found, mentions, addresses_program }, marks, seen }
    }

    /// Keeps only the most probable loose proposals, so that the DM can review a long text in one sitting.
    fn cap(&self, facts: &mut Vec<Marked>) {
        let grammar = self.extractor.grammar();
        let weight = |marked: &Marked| {
            let weight = || marked.marks.iter().map(|name| grammar.weight(name)).sum::<f64>();
            marked.is_guess().then(weight)
        };
        let most = GUESSES + self.sentences / SENTENCES_OF_GUESS;
        let mut guessed: Vec<f64> = facts.iter().filter_map(weight).collect();
        if guessed.len() <= most {
            return;
        }
        guessed.sort_by(|a, b| b.total_cmp(a));
        let least = guessed[most - 1];
        let mut ties = most - guessed.iter().filter(|weight| **weight > least).count();
        facts.retain(|marked| {
            let Some(weight) = weight(marked) else { return true };
            let kept = weight > least || weight == least && ties > 0;
            ties -= usize::from(weight == least && kept);
            kept
        });
    }

    fn is_addressed(&self, read: &Read) -> bool {
        self.addressed.iter().any(|span| span.start <= read.span.start && read.span.start < span.end)
    }

    fn confidence(&self, read: &Read, marks: &[&str]) -> Confidence {
        let grammar = self.extractor.grammar();
        let sum = grammar.weight("base") + marks.iter().map(|name| grammar.weight(name)).sum::<f64>();
        let mut sure = 1.0 / (1.0 + (-sum).exp());
        if marks.contains(&"loose") {
            let stranger = marks.iter().any(|mark| matches!(*mark, "new_name" | "opening_name"));
            if sure < if stranger { GUESSED_OF_STRANGERS } else { GUESSED } {
                return Confidence::new(sure).unwrap_or(Confidence::FULL);
            }
        }
        sure *= read.doubt;
        if read.doubt < 1.0 {
            sure = sure.min(0.69);
        }
        if read.doubt < 1.0 && read.doubt > 0.2 {
            // A hedged statement waits for review. Its confidence is the probability that the text states it as a
            // hedged statement.
            sure = sure.max(LEAST_OF_DOUBTED);
        }
        if self.is_addressed(read) {
            sure = sure.min(MOST_OF_ADDRESSING);
        }
        Confidence::new(sure.clamp(0.0, 1.0)).unwrap_or(Confidence::FULL)
    }
}

/// Returns whether a sentence takes back the previous one, as in "No, sorry, not a potter".
fn takes_back(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let no = word(0) == "no";
    let at = if no && word(1) == "," { 2 } else { usize::from(no) };
    let sorry = matches!(word(at), "sorry" | "wait" | "scratch" | "hang" | "correction");
    let meant = no || matches!(word(at + 1), "," | "." | ":" | "no" | "not" | "on" | "that");
    sorry && meant || no && matches!(word(at), "not" | "actually")
}

/// Inserts an "is" into a note that has neither a subject nor a verb, such as "In foul mood."
fn silent_start(tokens: &[Token], groups: &mut crate::parse::Groups, grammar: &Grammar) {
    let Some(Item::Tok(token)) = groups.items.first() else { return };
    let norm = tokens[*token].norm.as_str();
    let ended = tokens.last().is_some_and(|last| last.is_mark(".!;"));
    if !ended
        || tokens.len() > 12
        || tokens.len() < 3
        || !(grammar.class(norm).has(Class::PREPOSITION) || grammar.adjectives.contains_key(norm))
    {
        return;
    }
    let vg = Vg {
        start: *token,
        end: *token,
        head: *token,
        lemma: "be".into(),
        copula: true,
        silent: true,
        ..Vg::default()
    };
    groups.items.insert(0, Item::Vg(groups.vgs.len()));
    groups.vgs.push(vg);
}

/// Returns whether a line is a heading: every content word is capitalized, and no punctuation ends the line.
fn is_heading(tokens: &[Token], grammar: &Grammar) -> bool {
    let ends =
        tokens.last().is_some_and(|last| last.is_mark(".!?;") || matches!(last.sort, crate::token::Sort::Quote(_)));
    let small = Class::DETERMINER.or(Class::PREPOSITION).or(Class::CONJUNCTION);
    let words: Vec<&Token> =
        tokens.iter().filter(|token| token.is_word() && !grammar.class(&token.norm).has(small)).collect();
    let long = words.iter().any(|word| word.norm.chars().count() > 4);
    !ends && words.len() > 1 && long && words.iter().all(|word| word.capital || word.is("'s"))
}

/// Inserts an "is" before a description that precedes its subject: "Soft-spoken and cruel, Odo speaks in questions."
fn fronted(tokens: &[Token], groups: &mut crate::parse::Groups, grammar: &Grammar) {
    let word = |item: usize| match groups.items.get(item) {
        Some(Item::Tok(at)) => tokens[*at].norm.as_str(),
        _ => "",
    };
    let Some(verb) = groups.items.iter().position(|item| matches!(item, Item::Vg(_))) else { return };
    let subject = verb.checked_sub(1).and_then(|item| match groups.items[item] {
        Item::Np(np) => Some(&groups.nps[np]),
        _ => None,
    });
    let Some(subject) = subject.filter(|np| np.name.is_some() || np.pronoun || np.article.is_some()) else { return };
    if verb < 3 || word(verb - 2) != "," || subject.owner.is_some() {
        return;
    }
    let first = (0..verb - 2).find(|item| !matches!(word(*item), "though" | "although" | "while" | "still" | "only"));
    let (start, end) = match first.map(|item| groups.items[item]) {
        Some(Item::Tok(at)) => (at, at + 1),
        Some(Item::Np(np)) if groups.nps[np].name.is_none() && groups.nps[np].owner.is_none() => {
            (groups.nps[np].start, groups.nps[np].end)
        }
        _ => return,
    };
    let is_number = |at: usize| grammar.class(tokens[at].norm.split('-').next().unwrap_or_default()).has(Class::NUMBER);
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let aged = is_number(start) && (end == start + 1 && norm(end) == "," || norm(end) == "old");
    let how = grammar.adjectives.contains_key(norm(start)) && matches!(norm(start + 1), "," | "and" | "but" | "as");
    if !(aged || how) {
        return;
    }
    let vg = Vg { start, end: start, head: start, lemma: "be".into(), copula: true, silent: true, ..Vg::default() };
    groups.items.insert(0, Item::Vg(groups.vgs.len()));
    groups.vgs.push(vg);
}

/// Inserts the "is" that notes leave out: "Bram dead.", "Static in brig."
fn silent_verbs(tokens: &[Token], names: &[Name], groups: &mut crate::parse::Groups, grammar: &Grammar) {
    let finite = groups.vgs.iter().any(|vg| vg.form == VerbForm::Finite);
    if finite {
        return;
    }
    // A line without final punctuation may be a heading. In a heading, only known names count.
    let ended = tokens.last().is_some_and(|last| last.is_mark(".!;"));
    let is_known = |name: usize| ended || matches!(names[name].who, Who::Known(_));
    let is_np = |item: &Item| matches!(item, Item::Np(np) if groups.nps[*np].name.is_some_and(is_known) || groups.nps[*np].owner.is_some());
    // The verb is inserted after the name or list of names at the beginning.
    let Some(first) = groups.items.iter().position(is_np).filter(|at| *at <= 3) else {
        silent_start(tokens, groups, grammar);
        return;
    };
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
                || matches!(norm, ":" | "=" | "\u{2014}")
        }
        _ => false,
    };
    if !fits {
        return;
    }
    let token = match groups.items.get(at) {
        Some(Item::Tok(token)) if matches!(tokens[*token].norm.as_str(), ":" | "=" | "\u{2014}") => {
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
