//! Reads the facts of one sentence.

use hearsay_model::{Kind, Predicate, Span};

use crate::{
    between::Pair,
    classifier::Classifier,
    clauses::{Bond, Clause, Clauses, From},
    cues::{self, Found},
    facts::Cue,
    grammar::{Class, CueSort, Grammar},
    kinds::Kinds,
    lexicon::{Gender, How, Lexicon},
    meant::Meant,
    memory::{Memory, Seen},
    mentions::{Name, NewNames, Who, is_pronoun},
    mode::Mode,
    parse::{Groups, Item, Np, VerbForm, Vg},
    token::Token,
    values::Trait,
};

/// Object of a fact that was read: an entity or a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    Who(Who),
    /// A value, quoted from the text or worded by the reader.
    Value(String),
}

/// Names of the weights that determine the confidence of a fact.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    pub(crate) names: Vec<&'static str>,
}

impl Marks {
    /// Returns whether the fact was read loosely, without a pattern that matches exactly.
    pub(crate) fn is_loose(&self) -> bool {
        self.names.contains(&"loose")
    }

    /// Returns the names in alphabetical order without duplicates.
    pub(crate) fn sorted(&self) -> Vec<&'static str> {
        let mut names = self.names.clone();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// Wording of a relation whose type is unknown.
pub(crate) const TO_DO_WITH: &str = "has to do with";

/// Fact that was read in a sentence, before its confidence is computed.
#[derive(Debug, Clone)]
pub(crate) struct Read {
    pub(crate) subject: Who,
    pub(crate) target: usize,
    pub(crate) object: Said,
    pub(crate) relation: String,
    pub(crate) marks: Marks,
    pub(crate) span: Span,
    pub(crate) by: Option<Who>,
    pub(crate) told: Vec<Who>,
    pub(crate) denied: bool,
    pub(crate) over: bool,
    pub(crate) doubt: f64,
    pub(crate) cues: Vec<Cue>,
}

impl Read {
    /// Returns whether the fact relates two entities, in either direction.
    pub(crate) fn joins(&self, a: Who, b: Who) -> bool {
        let Said::Who(object) = self.object else { return false };
        (self.subject == a && object == b) || (self.subject == b && object == a)
    }
}

/// Entity that words refer to, with the weights for uncertain references.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ref {
    pub(crate) who: Who,
    pub(crate) mark: Option<&'static str>,
    pub(crate) second: Option<&'static str>,
}

impl Ref {
    /// Creates a reference without uncertainty.
    pub(crate) fn plain(who: Who) -> Self {
        Self { who, mark: None, second: None }
    }
}

/// Speaker and hearers of a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Voice {
    pub(crate) speaker: Option<Who>,
    pub(crate) hearers: Vec<Who>,
    /// Hearers that the text itself names.
    pub(crate) told: Vec<Who>,
    /// Whether the words are quoted and the text does not name the speaker.
    pub(crate) unknown: bool,
    pub(crate) talk: bool,
    /// Whether the words were spoken at the game table, by a character or about a character.
    pub(crate) at_table: bool,
}

/// Training examples for the classifiers, collected from a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Learning {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) traits: Vec<Trait>,
    pub(crate) meant: Vec<Meant>,
}

pub(crate) struct Reader<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) grammar: &'a Grammar,
    pub(crate) text: &'a str,
    pub(crate) tokens: &'a [Token],
    pub(crate) names: &'a [Name],
    pub(crate) groups: &'a Groups,
    pub(crate) clauses: &'a [Clause],
    pub(crate) syntax: &'a Clauses<'a>,
    pub(crate) cues: &'a [Found],
    /// Whether the previous sentence announces a guess, as in "My guess?".
    pub(crate) guessed: bool,
    /// Classifiers that were trained on labelled sentences.
    pub(crate) relations: &'a Classifier,
    pub(crate) attributes: &'a Classifier,
    pub(crate) meanings: &'a Classifier,
    pub(crate) voice: &'a Voice,
    pub(crate) present: &'a [u32],
    pub(crate) memory: &'a mut Memory,
    pub(crate) new: &'a mut NewNames,
    /// Entity that this sentence is about, as the focus of the next sentence.
    pub(crate) next_focus: Option<Who>,
    /// Names of weights for properties that make the sentence hard to read.
    pub(crate) risks: Vec<&'static str>,
    pub(crate) refs: Vec<Option<Vec<Ref>>>,
    pub(crate) facts: Vec<Read>,
    /// Training examples for the classifiers, or `None` if they are not requested.
    pub(crate) seen: Option<Learning>,
    /// Index of the target for the general relation `RELATED_TO`.
    pub(crate) related: Option<usize>,
}

/// Returns the name of the weight for predicates that are stated in many ways or easily confused with others.
fn sort_of(predicate: &str) -> Option<&'static str> {
    Some(match predicate {
        "LOCATED_AT" => "of_place",
        "OWNS" => "of_goods",
        "RELATED_TO" => "of_ties",
        "condition" => "of_state",
        "emotional_state" => "of_mood",
        "personality" => "of_character",
        "appearance" => "of_looks",
        "occupation" => "of_trade",
        _ => return None,
    })
}

/// Returns whether a character is white space or punctuation that is removed from the ends of a value.
fn is_edge(c: char) -> bool {
    c.is_whitespace() || ",;:.\"\u{201C}\u{201D}\u{2014}\u{2013}".contains(c)
}

/// Returns whether the words of a relation describe a past act that stays true: "was born in", "was named after".
fn is_deed(relation: &str) -> bool {
    let deeds = "born named kill killed murder murdered slay slain save saved rescue rescued betray betrayed steal stolen rob robbed \
        destroy destroyed curse cursed descended cheat swindle stab shoot burn";
    relation.split(' ').next().is_some_and(|first| deeds.split(' ').any(|deed| deed == first))
}

/// Returns whether a fact of this predicate stays true forever, such as the fact that a person created something.
pub(crate) fn lasts(predicate: &Predicate, relation: &str) -> bool {
    let lasting = matches!(
        predicate.as_str(),
        "CREATED" | "PARTICIPATED_IN" | "CAUSED_BY" | "QUEST_GIVER" | "PROMISED" | "KNOWS" | "species" | "alias"
    );
    lasting || is_deed(relation)
}

/// Prepositions that can be the last word of a value: "burned down", "cut off".
const ENDS_ALONE: [&str; 12] =
    ["down", "up", "off", "out", "over", "away", "through", "inside", "outside", "behind", "below", "past"];

/// Returns the gender of a pronoun of the third person, or `None` for other words.
fn gender_of(pronoun: &str) -> Option<Gender> {
    Some(match pronoun {
        "he" | "him" | "his" | "himself" => Gender::He,
        "she" | "her" | "hers" | "herself" => Gender::She,
        "it" | "its" | "itself" => Gender::It,
        "they" | "them" | "their" | "theirs" | "themselves" | "themself" => Gender::They,
        _ => return None,
    })
}

impl Reader<'_> {
    pub(crate) fn kinds(&self, who: Who) -> Kinds {
        match who {
            Who::Known(entity) => self.lexicon.entities[entity as usize].kinds,
            Who::New(index) => self.new.kinds.get(index).copied().unwrap_or(Kinds::ANY),
        }
    }

    fn gender(&self, who: Who) -> Gender {
        match who {
            Who::Known(entity) => self.lexicon.entities[entity as usize].gender,
            Who::New(index) => self.new.genders.get(index).copied().unwrap_or_default(),
        }
    }

    pub(crate) fn norm(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.norm.as_str())
    }

    /// Returns the text from the token `from` up to, but not including, the token `to`. Line breaks become spaces.
    pub(crate) fn said(&self, from: usize, to: usize) -> String {
        match (self.tokens.get(from), to.checked_sub(1).and_then(|at| self.tokens.get(at))) {
            (Some(first), Some(last)) if first.start < last.end => {
                let said = &self.text[first.start..last.end];
                said.split(['\n', '\r']).map(str::trim).collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        }
    }

    /// Adds the names of the sentence to the memory, and records which of them are subjects.
    pub(crate) fn remember(&mut self) {
        let subjects: Vec<usize> = self
            .clauses
            .iter()
            .filter(|clause| clause.from == From::Direct || clause.from == From::Inverted)
            .flat_map(|clause| clause.subjects.clone())
            .collect();
        for (index, name) in self.names.iter().enumerate() {
            let np = self.groups.nps.iter().position(|np| np.name == Some(index) && !np.by_name);
            let subject = np.is_some_and(|np| subjects.contains(&np));
            let (kinds, gender) = (self.kinds(name.who), self.gender(name.who));
            self.memory.see(Seen {
                who: name.who,
                kinds,
                gender,
                sentence: self.memory.sentence,
                token: name.start,
                subject,
            });
        }
        let leads =
            self.clauses.iter().flat_map(|clause| clause.subjects.iter()).chain(match self.groups.items.first() {
                Some(Item::Np(np)) => Some(np),
                _ => None,
            });
        let lead = leads.filter_map(|np| self.groups.nps[*np].name).min();
        self.next_focus = lead.map(|name| self.names[name].who);
        let mut lists = (0..self.groups.items.len()).map(|item| self.syntax.list(item, self.groups.items.len()).0);
        if let Some(list) = lists.find(|list| list.len() > 1) {
            let together: Vec<Who> = list
                .iter()
                .filter_map(|np| self.groups.nps[*np].name)
                .map(|name| self.names[name].who)
                .filter(|who| !self.kinds(*who).is_any())
                .collect();
            if together.len() > 1 {
                self.memory.together = together;
                self.memory.together_in = self.memory.sentence;
            }
        }
    }

    /// Returns the entities that a noun group refers to. Entities in `not` are excluded.
    pub(crate) fn resolve(&mut self, np: usize, not: &[Who]) -> Vec<Ref> {
        if let Some(Some(refs)) = self.refs.get(np) {
            return refs.clone();
        }
        let refs = self.resolve_anew(np, not);
        for found in &refs {
            // A resolved reference counts as a new mention of the entity.
            let (kinds, gender) = (self.kinds(found.who), self.gender(found.who));
            let subject = self.clauses.iter().any(|clause| clause.subjects.contains(&np));
            let token = self.groups.nps[np].start;
            self.memory.see(Seen { who: found.who, kinds, gender, sentence: self.memory.sentence, token, subject });
        }
        if let Some(slot) = self.refs.get_mut(np) {
            *slot = Some(refs.clone());
        }
        refs
    }

    fn resolve_anew(&mut self, np: usize, not: &[Who]) -> Vec<Ref> {
        let group = self.groups.nps[np].clone();
        if let Some(name) = group.name.map(|index| self.names[index]) {
            let mark = match (name.who, name.how) {
                _ if name.shared => Some("shared_name"),
                (Who::New(index), _) if !self.new.sure.get(index).is_some_and(|sure| *sure) => Some("opening_name"),
                (Who::New(_), _) => Some("new_name"),
                _ if name.near => Some("near_name"),
                (_, How::Description) => Some("description"),
                (_, How::Part) => Some("part_name"),
                _ => None,
            };
            return vec![Ref { who: name.who, mark, second: None }];
        }
        if group.bare_owner {
            return Vec::new();
        }
        let word = self.norm(group.head).to_owned();
        if group.pronoun {
            if let Some(named) = self.set_beside(np) {
                let mut refs = self.resolve(named, not);
                refs.iter_mut().for_each(|found| found.second = found.second.or(Some("set_beside")));
                return refs;
            }
            return self.pronoun(&word, group.start, not);
        }
        // Example: "her sister, Sela, …"
        if group.owner.is_some()
            && let Some(item) = self.groups.items.iter().position(|item| *item == Item::Np(np))
            && self.syntax.word(item + 1) == ","
            && let Some(named) = self.syntax.np(item + 2)
            && self.groups.nps[named].name.is_some()
            && self.groups.nps[named].owner.is_none()
            && self.grammar.nouns.contains_key(&word)
        {
            return self.resolve(named, not);
        }
        let item = self.item_of(np);
        // Example: "a man called Joris"
        if let Some(item) = item
            && let Some(Item::Vg(vg)) = self.groups.items.get(item + 1)
            && matches!(self.norm(self.groups.vgs[*vg].head), "called" | "named")
            && let Some(named) = self.syntax.np(item + 2)
            && self.groups.nps[named].name.is_some()
        {
            return self.resolve(named, not);
        }
        // "the one who" after "is"
        if let Some(item) = item
            && let Some(clause) =
                self.clauses.iter().find(|clause| self.groups.vgs[clause.vg].copula && clause.rest.0 == item).cloned()
            && !clause.subjects.contains(&np)
            && group.owner.is_none()
        {
            return self.resolve_all(&clause.subjects, not);
        }
        // Example: "the one who stole it is Odo"
        let light = word == "one" || self.grammar.class(&word).has(Class::LIGHT_NOUN);
        if light && group.owner.is_none() {
            let named = self.clauses.iter().find_map(|clause| {
                let named = self.syntax.np(clause.rest.0).filter(|np| self.groups.nps[*np].name.is_some())?;
                let is = self.groups.vgs[clause.vg].copula && clause.subjects == [np];
                (is && self.groups.nps[named].owner.is_none()).then_some(named)
            });
            if let Some(named) = named {
                return self.resolve(named, not);
            }
        }
        // Examples: "the pair of them", "the Missing Pilot job"
        if matches!(word.as_str(), "pair" | "two" | "both" | "lot")
            && item.is_some_and(|item| self.syntax.word(item + 1) == "of")
            && let Some(them) = item.and_then(|item| self.syntax.np(item + 2))
            && self.groups.nps[them].pronoun
        {
            return self.resolve(them, not);
        }
        if group.by_name
            && matches!(
                word.as_str(),
                "job"
                    | "contract"
                    | "quest"
                    | "business"
                    | "affair"
                    | "matter"
                    | "case"
                    | "task"
                    | "mission"
                    | "run"
                    | "gig"
                    | "thing"
                    | "stuff"
                    | "family"
                    | "gang"
                    | "crew"
            )
            && let Some(owner) = group.owner
        {
            return self.resolve(owner, not);
        }
        // Example: "the old man"
        let definite = group.article.is_some_and(|at| matches!(self.norm(at), "the" | "that" | "this"));
        let class = self.grammar.class(&word);
        if definite && class.has(Class::LIGHT_NOUN) && group.owner.is_none() {
            let gender = if class.has(Class::FEMALE) {
                Gender::She
            } else if class.has(Class::MALE) || word == "man" {
                Gender::He
            } else {
                return Vec::new();
            };
            let meant = self.memory.meant(gender, group.start, not);
            return meant
                .map(|meant| Ref { who: meant.who, mark: Some("far_pronoun"), second: Some("doubtful_pronoun") })
                .into_iter()
                .collect();
        }
        Vec::new()
    }

    /// Returns the noun group with the name that explains a pronoun, as in "he's a ripperdoc, Sixpence". A name that
    /// addresses the hearer does not count: "you owe him, Odo".
    fn set_beside(&self, np: usize) -> Option<usize> {
        let wanted = gender_of(self.norm(self.groups.nps[np].head))?;
        if !self.clauses.iter().any(|clause| clause.subjects.contains(&np)) {
            return None;
        }
        let item = self.item_of(np)?;
        (item + 2..self.groups.items.len()).find_map(|at| {
            let named = self.syntax.np(at)?;
            let name = self.names.get(self.groups.nps[named].name?)?;
            let apart = self.syntax.word(at - 1) == ","
                && matches!(self.syntax.word(at + 1), "," | "." | "!" | "")
                && !matches!(self.groups.items.get(at + 1), Some(Item::Np(_) | Item::Vg(_)))
                && self.syntax.list(at.saturating_sub(2), self.groups.items.len()).0.len() < 2;
            let before = (0..item).any(|at| self.syntax.np(at).is_some_and(|np| self.groups.nps[np].name.is_some()));
            let called = self.voice.hearers.contains(&name.who) || self.voice.speaker == Some(name.who);
            let gender = self.gender(name.who);
            let fits = gender == wanted || gender == Gender::Unknown;
            (apart && !before && !called && fits && self.groups.nps[named].owner.is_none()).then_some(named)
        })
    }

    /// Returns the hearer whom the sentence addresses by name: "You work for me now, Ezra."
    fn called(&self) -> Option<Ref> {
        let last = self.tokens.len();
        let name = self.names.iter().find(|name| {
            let comma = |at: usize| self.norm(at) == ",";
            let ends = name.end >= last || (name.end + 1 >= last && self.tokens[name.end].is_mark(".!?\u{2026}"));
            let dear = (0..name.start)
                .all(|at| matches!(self.norm(at), "my" | "dear" | "dearest" | "darling" | "sweet" | "to"));
            (name.start > 1 && comma(name.start - 1) && ends)
                || (dear && (comma(name.end) || self.norm(name.end) == ":"))
        })?;
        let person = self.kinds(name.who).meets(Kinds::PERSON) && self.voice.speaker != Some(name.who);
        person.then_some(Ref { who: name.who, mark: Some("pronoun"), second: None })
    }

    fn pronoun(&self, word: &str, token: usize, not: &[Who]) -> Vec<Ref> {
        let gender = match word {
            "i" | "me" | "my" | "mine" | "myself" => return self.voice.speaker.map(Ref::plain).into_iter().collect(),
            "you" | "your" | "yours" | "yourself" => {
                return match self.voice.hearers[..] {
                    [hearer] if self.voice.talk && self.kinds(hearer).meets(Kinds::PERSON) => {
                        vec![Ref { who: hearer, mark: Some("pronoun"), second: None }]
                    }
                    _ if self.voice.at_table => self.called().into_iter().collect(),
                    _ => Vec::new(),
                };
            }
            word => match gender_of(word) {
                Some(gender) => gender,
                None => return Vec::new(),
            },
        };
        let mut not = not.to_vec();
        if self.voice.talk || self.voice.speaker.is_some() {
            not.extend(self.voice.speaker);
        }
        let fresh = self.memory.together_in + 3 > self.memory.sentence;
        if gender == Gender::They && self.memory.together.len() > 1 && fresh {
            let one = self.memory.meant(gender, token, &not).filter(|meant| !meant.far && !meant.doubtful);
            if one.is_none() || self.memory.together_in == self.memory.sentence {
                let far = (self.memory.together_in + 1 < self.memory.sentence).then_some("doubtful_pronoun");
                let together = self.memory.together.iter();
                return together.map(|who| Ref { who: *who, mark: Some("pronoun"), second: far }).collect();
            }
        }
        if let Some(meant) = self.memory.meant(gender, token, &not) {
            let mark = if meant.far { "far_pronoun" } else { "pronoun" };
            return vec![Ref {
                who: meant.who,
                mark: Some(mark),
                second: meant.doubtful.then_some("doubtful_pronoun"),
            }];
        }
        let here: Vec<u32> = self
            .present
            .iter()
            .filter(|entity| {
                self.lexicon.entities[**entity as usize].gender == gender && !not.contains(&Who::Known(**entity))
            })
            .copied()
            .collect();
        match here[..] {
            [one] => vec![Ref { who: Who::Known(one), mark: Some("far_pronoun"), second: Some("doubtful_pronoun") }],
            _ => Vec::new(),
        }
    }

    /// Returns the entities that several noun groups refer to.
    pub(crate) fn resolve_all(&mut self, nps: &[usize], not: &[Who]) -> Vec<Ref> {
        let mut refs = Vec::new();
        for np in nps {
            refs.extend(self.resolve(*np, not));
        }
        refs
    }

    /// Returns the owners of a noun group. An owner can be a possessive ("Mirela's", "his"), a name before the noun
    /// ("Lantern Club members"), or a noun group after "of" or another preposition in `prepositions`.
    pub(crate) fn owners(&mut self, np: usize, item: Option<usize>, prepositions: &[&str]) -> Vec<Ref> {
        if let Some(owner) = self.groups.nps[np].owner {
            return self.resolve(owner, &[]);
        }
        let Some(item) = item else { return Vec::new() };
        // Example: "Zahra, whose father is Yusuf"
        if let Some(whose) = item.checked_sub(1).filter(|item| self.syntax.word(*item) == "whose") {
            let owners = self.syntax.antecedent(whose).map(|(owners, _)| owners).unwrap_or_default();
            return self.resolve_all(&owners, &[]);
        }
        if prepositions.contains(&self.syntax.word(item + 1)) {
            let (list, _) = self.syntax.list(item + 2, self.groups.items.len());
            return self.resolve_all(&list, &[]);
        }
        Vec::new()
    }

    /// Returns whether a token belongs to a name.
    pub(crate) fn is_named(&self, token: usize) -> bool {
        self.names.iter().any(|name| name.start <= token && token < name.end)
    }

    /// Returns the first token at or after `from` that is one of the punctuation characters in `marks`, or the end of
    /// the sentence.
    pub(crate) fn up_to(&self, from: usize, marks: &str) -> usize {
        (from..self.tokens.len()).find(|at| self.tokens[*at].is_mark(marks)).unwrap_or(self.tokens.len())
    }

    /// Returns the item that begins at a token.
    pub(crate) fn item_at(&self, token: usize) -> Option<usize> {
        (0..self.groups.items.len()).find(|item| self.start_of(*item) == token)
    }

    pub(crate) fn item_of(&self, np: usize) -> Option<usize> {
        self.groups.items.iter().position(|item| *item == Item::Np(np))
    }

    /// Returns the byte range from one token to another. Both tokens are included, and may be given in either order.
    pub(crate) fn span(&self, mut from: usize, mut to: usize) -> Span {
        if from > to {
            std::mem::swap(&mut from, &mut to);
        }
        let last = self.tokens.len().saturating_sub(1);
        Span {
            start: self.tokens[from.min(last)].start,
            end: self.tokens[to.min(last)].end.max(self.tokens[from.min(last)].end),
        }
    }

    /// Records a fact, if subject and object have the classes that the target requires.
    ///
    /// `object` is an entity (`Ok`) or a value (`Err`).
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn state(
        &mut self,
        target: usize,
        subject: &Ref,
        object: Result<&Ref, String>,
        relation: &str,
        marks: &[&'static str],
        mode: &Mode,
        span: Span,
    ) {
        if mode.dead {
            return;
        }
        let meaning = self.grammar.targets[target].clone();
        let mut names: Vec<&'static str> = marks.to_vec();
        names.extend(subject.mark);
        names.extend(subject.second);
        if !self.kinds(subject.who).meets(meaning.subject) {
            return;
        }
        self.narrow(subject.who, meaning.subject);
        let object = match object {
            Ok(object) => {
                if object.who == subject.who {
                    return;
                }
                names.extend(object.mark);
                names.extend(object.second);
                if !self.kinds(object.who).meets(meaning.object) {
                    return;
                }
                self.narrow(object.who, meaning.object);
                Said::Who(object.who)
            }
            Err(value) => {
                let value = self.whole_value(&value);
                let half = matches!(value.as_str(), "half" | "one" | "hundred" | "dozen");
                if meaning.predicate == *"age" && (half || !self.is_age(&value, marks, span)) {
                    return;
                }
                let is_name = meaning.predicate == *"alias" && {
                    let name = match subject.who {
                        Who::Known(entity) => self.lexicon.entities[entity as usize].name.as_str(),
                        Who::New(index) => self.new.found.get(index).map_or("", |entity| entity.name.as_str()),
                    };
                    value.starts_with(name)
                };
                let pronoun = is_pronoun(&value.to_lowercase());
                if is_name || pronoun || value.is_empty() || value.chars().count() > 160 {
                    return;
                }
                Said::Value(value)
            }
        };
        let counted = |value: &str| value.split_whitespace().any(|word| self.is_number(&word.to_lowercase()));
        if meaning.predicate == *"population" && matches!(&object, Said::Value(value) if !counted(value)) {
            return;
        }
        // "Burned by Lyra" and "beaten out of a ploughshare" describe an act and not a condition.
        if meaning.predicate == *"condition" && matches!(&object, Said::Value(_)) && self.is_done_by(span) {
            return;
        }
        if meaning.predicate == *"date" && matches!(&object, Said::Value(value) if !self.tells_when(value)) {
            return;
        }
        // Example: "an ex-constable"
        let former = matches!(&object, Said::Value(value) if value.to_lowercase().starts_with("ex-"));
        if mode.nested {
            names.push("nested");
        }
        if self.tokens.len() > 40 {
            names.push("long");
        }
        if self.clauses.len() > 3 {
            names.push("many_clauses");
        }
        if self.voice.talk {
            names.push("spoken");
        }
        let lasting = lasts(&meaning.predicate, relation);
        // Facts with these predicates can end. In the past tense, they count as over.
        let passes = matches!(
            meaning.predicate.as_str(),
            "MEMBER_OF"
                | "EMPLOYED_BY"
                | "RELATED_TO"
                | "RESIDENT_OF"
                | "ALLIED_WITH"
                | "HOSTILE_TO"
                | "OWNS"
                | "occupation"
                | "title"
        );
        names.extend(sort_of(meaning.predicate.as_str()));
        if !marks.contains(&"loose") {
            names.extend(self.risks.iter());
        }
        self.facts.push(Read {
            subject: subject.who,
            target,
            object,
            relation: relation.to_owned(),
            marks: Marks { names },
            span,
            by: mode.by,
            told: mode.told.clone(),
            denied: mode.denied != meaning.denied,
            over: ((mode.over || (mode.was && passes)) && !lasting) || meaning.over || former,
            doubt: mode.doubt,
            cues: mode.cues.clone(),
        });
    }

    /// Returns whether the words are followed by "by" and a name, or by the material of a thing.
    fn is_done_by(&self, span: Span) -> bool {
        let Some(last) = self.tokens.iter().position(|token| token.end == span.end) else { return false };
        let by = (last + 1..last + 5).find(|at| self.norm(*at) == "by");
        let named = |at: usize| (at + 1..at + 4).any(|at| self.is_named(at));
        by.is_some_and(named) || self.norm(last) == "beaten" && self.norm(last + 1) == "out"
    }

    /// Removes incomplete ends from a value: "haunted by his" becomes "haunted", and "capable and" becomes "capable".
    fn whole_value(&self, value: &str) -> String {
        let mut value = value.trim_matches(is_edge);
        let leads = |word: &str| {
            let word = hearsay_model::text::normal(word.trim_matches(is_edge));
            let class = self.grammar.class(&word);
            let closed = Class::DETERMINER.or(Class::CONJUNCTION).or(Class::RELATIVE);
            class.has(closed)
                || matches!(word.as_str(), "my" | "your" | "his" | "her" | "its" | "our" | "their")
                || (class.has(Class::PREPOSITION) && !class.has(Class::ADVERB) && !ENDS_ALONE.contains(&word.as_str()))
        };
        while let Some((rest, word)) = value.rsplit_once(char::is_whitespace) {
            if !leads(word) {
                break;
            }
            value = rest.trim_matches(is_edge);
        }
        while let Some((word, rest)) = value.split_once(char::is_whitespace) {
            if !self.grammar.class(&hearsay_model::text::normal(word)).has(Class::CONJUNCTION) {
                break;
            }
            value = rest.trim_matches(is_edge);
        }
        if leads(value) && !value.contains(char::is_whitespace) { String::new() } else { value.to_owned() }
    }

    /// Returns whether a value is an age. A number alone counts only if the sentence supports it; a number in a list of
    /// figures does not count.
    fn is_age(&self, value: &str, marks: &[&'static str], span: Span) -> bool {
        let digits = value.chars().all(|c| c.is_ascii_digit());
        if !digits {
            return value.chars().any(char::is_alphabetic);
        }
        if !marks.contains(&"beside") && !marks.contains(&"telegraph") && !marks.contains(&"loose") {
            return true;
        }
        let at = self.tokens.iter().position(|token| token.start == span.start);
        let before = at.and_then(|at| at.checked_sub(1)).map_or("", |at| self.norm(at));
        let grown = value.parse::<u32>().is_ok_and(|years| (10..150).contains(&years));
        let sentence = self.groups.vgs.iter().any(|vg| vg.form == VerbForm::Finite && !vg.silent);
        let alone = self.tokens.iter().filter(|token| self.is_number(&token.norm)).count() == 1;
        let counted = marks.contains(&"loose_counted") && grown;
        matches!(before, "aged" | "age" | ":") && !marks.contains(&"loose")
            || (matches!(before, "," | "(") && grown && (sentence || alone))
            || counted
    }

    /// Restricts the classes of a new name to those that fit a fact about it.
    fn narrow(&mut self, who: Who, kinds: Kinds) {
        let Who::New(index) = who else { return };
        if let Some(known) = self.new.kinds.get_mut(index)
            && known.meets(kinds)
        {
            *known = known.and(kinds);
            let guess = known.guess().or_else(|| {
                // If several classes remain, a person is the most likely one.
                known.meets(Kinds::PERSON).then_some(Kind::Npc)
            });
            if let Some(entity) = self.new.found.get_mut(index) {
                entity.kind = guess.filter(|_| !known.is_any());
            }
        }
    }

    pub(crate) fn vg(&self, clause: usize) -> &Vg {
        &self.groups.vgs[self.clauses[clause].vg]
    }

    pub(crate) fn np_group(&self, np: usize) -> &Np {
        &self.groups.nps[np]
    }

    /// Returns whether the sentence contains a cue of a sort.
    pub(crate) fn has_cue(&self, sort: CueSort) -> bool {
        self.cues.iter().any(|cue| cue.sort == sort)
    }

    /// Returns whether the sentence is a question. A guess with a question mark is not a question.
    pub(crate) fn asks(&self) -> bool {
        let guess =
            self.cues.iter().any(|cue| matches!(cue.sort, CueSort::Hedge | CueSort::Rumour) && cue.end - cue.start > 1);
        cues::is_question(cues::before_tag(self.tokens), self.grammar, !guess)
    }

    /// Returns the weights for properties that make the sentence hard to read: its length, and words such as "but".
    fn risks_of_sentence(&self) -> Vec<&'static str> {
        let turns = ["but", "though", "although", "yet", "except", "only", "however", "instead"];
        let but = self.tokens.iter().any(|token| token.is_word() && turns.contains(&token.norm.as_str()));
        let risks = [("near_but", but), ("lengthy", self.tokens.len() > 20)];
        risks.into_iter().filter(|(_, risk)| *risk).map(|(name, _)| name).collect()
    }

    /// Reads the facts of all clauses, and the notes beside names.
    pub(crate) fn read(&mut self) {
        self.remember();
        self.risks = self.risks_of_sentence();
        let question = self.asks();
        let modes = self.modes(question);
        let mut read = Vec::with_capacity(modes.len());
        for (clause, mode) in modes.iter().enumerate() {
            let before = self.facts.len();
            self.clause(clause, mode);
            read.push(self.facts.len() > before);
        }
        self.appositions(&modes);
        self.fields();
        self.ties(&modes);
        self.loosely(&modes);
        self.traits(&modes, &read);
        self.asides(&modes);
        self.figures(&modes);
        self.notes();
        self.learned(&modes);
    }

    /// Applies the trained classifiers. They adjust the confidence of the facts that were read, and propose further
    /// facts.
    fn learned(&mut self, modes: &[Mode]) {
        let pairs = self.learned_relations(modes);
        let traits = self.learned_values(modes);
        let meant = self.learned_meanings();
        if let Some(seen) = &mut self.seen {
            seen.pairs.extend(pairs);
            seen.traits.extend(traits);
            seen.meant.extend(meant);
        }
    }

    /// Returns the speaker of a quotation, the hearers, and whether the speaker is uncertain.
    ///
    /// The speaker is the subject of the nearest verb of speech. Without such a verb, it is the last speaker or the
    /// last subject.
    pub(crate) fn voice_of(&mut self, quote: usize) -> (Option<Who>, Vec<Who>, bool) {
        let is_quote =
            |item: &Item| matches!(item, Item::Tok(at) if self.tokens[*at].sort == crate::token::Sort::Quote(quote));
        let Some(place) = self.groups.items.iter().position(is_quote) else { return (None, Vec::new(), false) };
        let mut order: Vec<usize> = (0..self.clauses.len()).collect();
        order.sort_by_key(|at| self.clauses[*at].verb.abs_diff(place));
        for at in order {
            let clause = self.clauses[at].clone();
            let vg = &self.groups.vgs[clause.vg];
            let aside = clause.verb + 2 == place && self.syntax.word(clause.verb + 1) == ",";
            let goes = vg.lemma == "go" && (clause.verb + 1 == place || aside);
            if !(goes || self.grammar.sort(&vg.lemma).speech) || vg.form != VerbForm::Finite {
                continue;
            }
            let subjects = clause.subjects.clone();
            let said_by = self.resolve_all(&subjects, &[]);
            let told = self.told(at);
            let by = said_by.first().map(|found| found.who);
            self.memory.speaker = by.or(self.memory.speaker);
            return (by, told, false);
        }
        if self.tokens.len() == 1 && self.memory.speaker.is_some() {
            return (self.memory.speaker, Vec::new(), false);
        }
        (self.memory.last_subject(), Vec::new(), true)
    }

    /// Returns the hearers that a clause with a verb of speech names.
    pub(crate) fn told(&mut self, clause: usize) -> Vec<Who> {
        let Clause { rest, subjects, .. } = self.clauses[clause].clone();
        let speaker: Vec<Who> = self.resolve_all(&subjects, &[]).iter().map(|found| found.who).collect();
        let lemma = self.vg(clause).lemma.clone();
        let mut from = rest.0;
        if self.syntax.word(from) == "to" || self.syntax.word(from) == "with" {
            from += 1;
        } else if !matches!(
            lemma.as_str(),
            "tell" | "inform" | "warn" | "remind" | "promise" | "assure" | "answer" | "ask" | "show"
        ) {
            let to =
                (rest.0..rest.1).find(|item| self.syntax.word(*item) == "to" && self.syntax.np(item + 1).is_some());
            let Some(to) = to else { return Vec::new() };
            from = to + 1;
        }
        let (list, _) = self.syntax.list(from, self.groups.items.len());
        // In "told Lyra Odo left", "Odo" is a subject, not a hearer.
        let list: Vec<usize> = list
            .into_iter()
            .filter(|np| !self.clauses.iter().any(|clause| clause.from == From::Direct && clause.subjects.contains(np)))
            .collect();
        let told = self.resolve_all(&list, &speaker);
        let mut told: Vec<Who> = told
            .iter()
            .map(|found| found.who)
            .filter(|who| self.kinds(*who).meets(Kinds::PERSON.and(Kinds::ANY)))
            .collect();
        // Example: "what she told us, me and Ibo"
        told.dedup();
        told
    }

    pub(crate) fn bond(&self, clause: usize) -> &Bond {
        &self.clauses[clause].bond
    }
}
