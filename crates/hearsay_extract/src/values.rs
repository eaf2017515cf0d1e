//! Uses a classifier to find the words of a sentence that state an attribute of an entity. The classifier uses the
//! surrounding words. It is trained on labelled sentences, like the one in `between.rs`.

use hearsay_model::text;

use crate::{
    between::{OF_VALUES, mark_of, turns},
    grammar::{Class, Target},
    loose::Spot,
    mode::Mode,
    parse::Item,
    read::{Reader, Said},
};

/// Maximum number of possible values in a sentence, and maximum number of entities that are considered for each value.
const MOST_VALUES: usize = 12;
const MOST_BEARERS: usize = 3;

/// Minimum probability at which an attribute is proposed.
const LEAST: f32 = 0.12;

/// Maximum number of words between an entity and a value that together form one feature.
const PATH: usize = 4;

/// Words that may be a value, with an entity that they may describe.
#[derive(Debug, Clone)]
pub(crate) struct Trait {
    pub(crate) bearer: Spot,
    from: usize,
    to: usize,
    pub(crate) value: String,
    pub(crate) features: Vec<String>,
}

impl Reader<'_> {
    /// Applies the classifier: adds its weights to the facts that were read, and proposes values that were not read.
    /// Returns all candidates.
    pub(crate) fn learned_values(&mut self, modes: &[Mode]) -> Vec<Trait> {
        let traits = self.candidates(modes);
        let classifier = self.attributes;
        let mut likely: Vec<Option<f32>> = vec![None; self.facts.len()];
        let mut proposed: Vec<(usize, String, f32)> = Vec::new();
        for (at, found) in traits.iter().enumerate().filter(|_| !classifier.classes().is_empty()) {
            let chances = classifier.chances(found.features.iter().map(String::as_str));
            let classes = || classifier.classes().iter().zip(&chances);
            for (fact, most) in self.facts.iter().zip(&mut likely) {
                let Said::Value(value) = &fact.object else { continue };
                if fact.subject == found.bearer.found.who && overlap(value, &found.value) {
                    let name = &self.grammar.targets[fact.target].predicate;
                    let chance = classes().find(|(class, _)| *name == ***class).map(|(_, chance)| *chance);
                    *most = (*most).into_iter().chain(chance).reduce(f32::max);
                }
            }
            let best = classes().filter(|(class, _)| class.as_str() != "-").max_by(|a, b| a.1.total_cmp(b.1));
            if let Some((class, chance)) = best.filter(|(_, chance)| **chance >= LEAST) {
                proposed.push((at, class.clone(), *chance));
            }
        }
        for (fact, chance) in self.facts.iter_mut().zip(likely) {
            let mark = chance.map(|chance| mark_of(&OF_VALUES, chance, fact.marks.is_loose()));
            fact.marks.names.extend(mark);
        }
        for (at, name, chance) in proposed {
            self.propose_value(&traits[at], &name, chance, modes);
        }
        traits
    }

    fn propose_value(&mut self, found: &Trait, name: &str, chance: f32, modes: &[Mode]) {
        let bearer = found.bearer.found;
        let is_read = |fact: &crate::read::Read| match &fact.object {
            Said::Value(value) => fact.subject == bearer.who && overlap(value, &found.value),
            Said::Who(_) => false,
        };
        let is_same = |fact: &crate::read::Read| is_read(fact) && self.grammar.targets[fact.target].predicate == *name;
        if self.facts.iter().any(|fact| is_read(fact) && !fact.marks.is_loose()) || self.facts.iter().any(is_same) {
            return;
        }
        let Some(mode) = self.mode_of(modes, found.from) else { return };
        let fits = |target: &Target| {
            target.predicate == *name && !(target.over || target.denied) && self.kinds(bearer.who).meets(target.subject)
        };
        let Some(target) = self.grammar.targets.iter().position(fits) else { return };
        let span = self.span(found.from.min(found.bearer.start), found.to.max(found.bearer.end).saturating_sub(1));
        let marks = ["loose", "value_learned", mark_of(&OF_VALUES, chance, true)];
        self.state(target, &bearer, Err(found.value.clone()), "", &marks, &mode, span);
    }

    /// Returns all words that may be values, each with the entities that they may describe.
    fn candidates(&mut self, modes: &[Mode]) -> Vec<Trait> {
        let spots = self.all_spots();
        let mut found = Vec::new();
        for (from, to) in self.spans_of_values().into_iter().take(MOST_VALUES) {
            let away =
                |spot: &&Spot| if spot.end <= from { from - spot.end } else { spot.start.saturating_sub(to) * 2 };
            let mut bearers: Vec<&Spot> = spots.iter().collect();
            bearers.sort_by_key(away);
            for (order, bearer) in bearers.into_iter().take(MOST_BEARERS).enumerate() {
                let features = self.features_of_value(bearer, from, to, order, modes);
                found.push(Trait { bearer: *bearer, from, to, value: self.said(from, to), features });
            }
        }
        found
    }

    /// Returns the token ranges that may be values: noun groups without a name, together with a group after "of", and
    /// descriptive words.
    fn spans_of_values(&self) -> Vec<(usize, usize)> {
        let mut spans = Vec::new();
        for item in 0..self.groups.items.len() {
            match self.groups.items[item] {
                Item::Np(np) => {
                    let group = &self.groups.nps[np];
                    if let Some(role) = group.role {
                        spans.push(role);
                    }
                    if group.pronoun || group.name.is_some() || group.bare_owner || group.content >= group.end {
                        continue;
                    }
                    let of = self.syntax.word(item + 1) == "of";
                    let behind = self.syntax.np(item + 2).map(|np| &self.groups.nps[np]).filter(|_| of);
                    let behind = behind.filter(|group| group.name.is_none() && !group.pronoun && group.owner.is_none());
                    spans.push((group.content, behind.map_or(group.end, |behind| behind.end)));
                    let how = (group.content..group.head).filter(|token| self.says_how(*token));
                    spans.extend(how.map(|token| (token, token + 1)));
                }
                Item::Tok(token) if self.says_how(token) => spans.push((token, token + 1)),
                _ => {}
            }
        }
        spans.retain(|(from, to)| from < to && !(*from..*to).any(|token| self.is_named(token)));
        spans
    }

    fn says_how(&self, token: usize) -> bool {
        let word = self.norm(token);
        let class = self.grammar.class(word);
        let ends = ["ed", "ous", "ful", "less", "ish"].iter().any(|end| word.len() > 5 && word.ends_with(end));
        self.tokens[token].is_word()
            && !class.has(Class::PREPOSITION.or(Class::CONJUNCTION).or(Class::DETERMINER))
            && (ends || class.has(Class::ADJECTIVE) || !self.grammar.attributes_of(word).is_empty())
    }

    /// Returns the features of a value: its words, the words around it, and its position relative to the entity.
    fn features_of_value(&self, bearer: &Spot, from: usize, to: usize, order: usize, modes: &[Mode]) -> Vec<String> {
        let kind = crate::between::letter(self.kinds(bearer.found.who));
        let side = if bearer.end <= from {
            '>'
        } else if to <= bearer.start {
            '<'
        } else {
            '='
        };
        let mut features = vec![format!("k:{kind}"), format!("side:{side}{order}")];
        let last = self.base_of(to - 1);
        for end in 2..=4 {
            let from = last.char_indices().rev().nth(end - 1).map_or(0, |(at, _)| at);
            features.push(format!("end:{}", &last[from..]));
        }
        features.push(format!("{kind}last:{last}"));
        for token in from..to {
            features.push(format!("in:{}", self.base_of(token)));
            if self.is_number(self.norm(token)) {
                features.push("number".to_owned());
            }
        }
        let head = self.groups.nps.iter().find(|np| np.content == from && np.end <= to).map_or(to - 1, |np| np.head);
        let noun = self.singular(self.norm(head));
        features.push(format!("head:{noun}"));
        let mut listed = self.grammar.attributes_of(self.norm(head));
        listed.extend(self.kinds_of_noun(&noun));
        listed.extend(self.grammar.has.get(self.norm(head)).into_iter().flatten());
        for (target, weak) in listed {
            features.push(format!("is:{}{}", self.grammar.targets[target].predicate, if weak { "?" } else { "" }));
        }
        let word = |token: Option<usize>| match token {
            Some(token) if token < self.tokens.len() && self.is_named(token) => "NAME".to_owned(),
            Some(token) if token < self.tokens.len() => self.base_of(token),
            _ => "END".to_owned(),
        };
        let (first, second) = (word(from.checked_sub(1)), word(from.checked_sub(2)));
        features.push(format!("before2:{second}_{first}"));
        features.push(format!("{kind}before:{first}"));
        features.push(format!("before:{first}"));
        features.push(format!("before1:{second}"));
        let (next, then) = (word(Some(to)), word(Some(to + 1)));
        features.push(format!("behind2:{next}_{then}"));
        features.push(format!("behind:{next}"));
        let (start, end) = if side == '>' { (bearer.end, from) } else { (to, bearer.start) };
        let path: Vec<String> = (start..end).take(PATH + 1).map(|token| word(Some(token))).collect();
        if path.len() <= PATH && start <= end {
            features.push(format!("path{side}:{}", path.join("_")));
        }
        for word in &path {
            features.push(format!("between{side}:{word}"));
        }
        let verb = self.groups.vgs.iter().filter(|vg| vg.end <= from).max_by_key(|vg| vg.end);
        features.push(format!("verb:{}", verb.map_or("", |vg| vg.lemma.as_str())));
        if let Some(verb) = verb {
            features.push(format!("{}verb:{}", (from - verb.end).min(3), verb.lemma));
        }
        features.push(format!("near:{}", (start.abs_diff(end) / 2).min(6)));
        features.push(format!("marked:{}", bearer.found.mark.unwrap_or_default()));
        turns(self, &[("v", from), ("s", bearer.start)], modes, &mut features);
        features.sort_unstable();
        features.dedup();
        features
    }
}

/// Returns whether one value contains the other as whole words.
pub(crate) fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (text::words(a), text::words(b));
    !a.is_empty() && !b.is_empty() && (text::names(&a, &b) || text::names(&b, &a))
}
