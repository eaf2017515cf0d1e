//! Classifies the relation between two entities in one sentence by the words around them. The classifier was trained on
//! labelled sentences. Its probabilities adjust the confidence of facts that patterns found, and propose relations that
//! no pattern found.

use crate::{
    grammar::Target,
    hints::AROUND,
    kinds::Kinds,
    loose::Spot,
    mentions::Who,
    mode::Mode,
    read::{Read, Reader, TO_DO_WITH},
};

/// Maximum number of pairs of entities that are classified in one sentence.
const MOST_PAIRS: usize = 8;

/// Maximum number of relations that are proposed for a pair (`MOST`), and the minimum probability of each (`LEAST`).
const MOST: usize = 2;
const LEAST: f32 = 0.06;

/// Minimum probability of a proposed relation if a pattern found another relation for the pair.
const INSTEAD: f32 = 0.3;

/// Upper limit of the confidence factor for a clause that is not plainly asserted, such as a condition or a plan.
const NOT_PLAIN: f64 = 0.69;

/// Maximum number of tokens between the two entities that become features.
const BETWEEN: usize = 14;

/// Words that change the assertion status of a sentence, at any position.
const TURNS: [&str; 22] = [
    "if", "maybe", "not", "n't", "never", "no", "would", "should", "could", "will", "can", "'ll", "let", "please",
    "roll", "unless", "whether", "might", "may", "must", "perhaps", "used",
];

/// Two entities in one sentence, with the features for the classifier.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    first: Spot,
    second: Spot,
    pub(crate) features: Vec<String>,
}

impl Pair {
    pub(crate) fn whos(&self) -> (Who, Who) {
        (self.first.found.who, self.second.found.who)
    }
}

/// Splits the name of a class into the relation and whether the relation is reversed, which means that its object comes
/// first in the sentence. The suffix `<` marks a reversed relation.
fn class_of(name: &str) -> (&str, bool) {
    match name.strip_suffix('<') {
        Some(relation) => (relation, true),
        None => (name.strip_suffix('>').unwrap_or(name), false),
    }
}

/// Returns whether the classifier treats a relation as symmetric, so that it has no class for the opposite direction.
fn holds_either_way(classes: &[(&str, bool, f32)], target: &Target) -> bool {
    !classes.iter().any(|(relation, back, _)| *back && target.predicate == **relation)
}

/// Lower limits of the probability for the marks in `OF_PAIRS` and `OF_VALUES`. The first mark has no lower limit.
const STEPS: [f32; 8] = [0.005, 0.02, 0.1, 0.3, 0.6, 0.85, 0.95, 0.985];

/// Marks for the probability of a relation, from improbable to probable. The first list is for facts that patterns
/// found, the second for loose proposals. A mark is the name of a weight that raises or lowers the confidence.
pub(crate) const OF_PAIRS: [[&str; 9]; 2] = [
    [
        "pair_never",
        "pair_no",
        "pair_hardly",
        "pair_perhaps",
        "pair_maybe",
        "pair_likely",
        "pair_surely",
        "pair_plainly",
        "pair_certainly",
    ],
    [
        "pair_guess_never",
        "pair_guess_no",
        "pair_guess_hardly",
        "pair_guess_perhaps",
        "pair_guess_maybe",
        "pair_guess_likely",
        "pair_guess_surely",
        "pair_guess_plainly",
        "pair_guess_certainly",
    ],
];

/// Marks for the probability of an attribute, arranged like `OF_PAIRS`.
pub(crate) const OF_VALUES: [[&str; 9]; 2] = [
    [
        "value_never",
        "value_no",
        "value_hardly",
        "value_perhaps",
        "value_maybe",
        "value_likely",
        "value_surely",
        "value_plainly",
        "value_certainly",
    ],
    [
        "value_guess_never",
        "value_guess_no",
        "value_guess_hardly",
        "value_guess_perhaps",
        "value_guess_maybe",
        "value_guess_likely",
        "value_guess_surely",
        "value_guess_plainly",
        "value_guess_certainly",
    ],
];

/// Returns the mark for a probability. `loose` selects the marks for loose proposals.
pub(crate) fn mark_of(marks: &[[&'static str; 9]; 2], chance: f32, loose: bool) -> &'static str {
    marks[usize::from(loose)][STEPS.iter().filter(|step| chance >= **step).count()]
}

impl Reader<'_> {
    /// Classifies the pairs of entities in the sentence, marks the facts that were read about them, and proposes other
    /// relations. Returns the pairs.
    pub(crate) fn learned_relations(&mut self, modes: &[Mode]) -> Vec<Pair> {
        let pairs = self.pairs_of(modes);
        let classifier = self.relations;
        for pair in pairs.iter().filter(|_| !classifier.classes().is_empty()) {
            let chances = classifier.chances(pair.features.iter().map(String::as_str));
            let classes: Vec<(&str, bool, f32)> = classifier
                .classes()
                .iter()
                .zip(chances)
                .map(|(name, chance)| {
                    let (relation, back) = class_of(name);
                    (relation, back, chance)
                })
                .collect();
            self.propose_between(pair, &classes, modes);
            self.weigh(pair, &classes);
        }
        pairs
    }

    /// Adds a mark to each fact that relates the two entities. The mark depends on the probability of the relation.
    fn weigh(&mut self, pair: &Pair, classes: &[(&str, bool, f32)]) {
        let (a, b) = pair.whos();
        for fact in self.facts.iter_mut().filter(|fact| fact.joins(a, b)) {
            let target = &self.grammar.targets[fact.target];
            let back = fact.subject == b;
            let either = holds_either_way(classes, target);
            let named = |class: &&(&str, bool, f32)| target.predicate == *class.0;
            // The classifier has no classes for relations that a campaign adds.
            if !classes.iter().any(|class| named(&class)) {
                continue;
            }
            let same = |class: &&(&str, bool, f32)| named(class) && (either || class.1 == back);
            let chance = classes.iter().filter(same).map(|class| class.2).sum();
            let mark = mark_of(&OF_PAIRS, chance, fact.marks.is_loose());
            fact.marks.names.push(mark);
        }
    }

    /// Proposes the most probable relations of a pair. The minimum probability is higher if a pattern found a relation.
    fn propose_between(&mut self, pair: &Pair, classes: &[(&str, bool, f32)], modes: &[Mode]) {
        let Some(mode) = self.mode_of(modes, pair.second.start) else { return };
        let (a, b) = pair.whos();
        let is_guess = |fact: &Read| fact.marks.is_loose() || fact.marks.names.contains(&"fallback");
        let is_read = self.facts.iter().any(|fact| fact.joins(a, b) && !is_guess(fact));
        let least = if is_read { INSTEAD } else { LEAST };
        let mut likely: Vec<(usize, bool)> = Vec::new();
        let all = classes;
        let mut classes: Vec<_> = classes.iter().filter(|class| class.2 >= least).collect();
        classes.sort_by(|a, b| b.2.total_cmp(&a.2));
        for (relation, back, _) in classes {
            let (subject, object) = if *back { (b, a) } else { (a, b) };
            let fits = |target: &Target| {
                target.predicate == *relation
                    && !(target.over || target.denied)
                    && self.kinds(subject).meets(target.subject)
                    && self.kinds(object).meets(target.object)
            };
            likely.extend(self.grammar.targets.iter().position(fits).map(|target| (target, *back)));
        }
        let span = self.span(pair.first.start, pair.second.end.saturating_sub(1));
        for (order, (target, back)) in likely.into_iter().take(MOST).enumerate() {
            let (first, second) = if back { (&pair.second, &pair.first) } else { (&pair.first, &pair.second) };
            let is_same = |fact: &Read| {
                let either = holds_either_way(all, &self.grammar.targets[target]);
                fact.target == target && fact.joins(a, b) && (either || fact.subject == first.found.who)
            };
            if self.facts.iter().any(is_same) {
                continue;
            }
            let words = if Some(target) == self.related { TO_DO_WITH } else { "" };
            let mut marks = vec!["loose", "by_learning"];
            marks.extend(is_read.then_some("loose_instead_of"));
            if order > 0 {
                marks.push("loose_second");
            }
            self.state(target, &first.found, Ok(&second.found), words, &marks, &mode, span);
        }
    }

    /// Returns the assertion status of the clause that contains a token. Returns `None` if the sentence is not a plain
    /// statement or the clause is negated.
    pub(crate) fn mode_of(&mut self, modes: &[Mode], token: usize) -> Option<Mode> {
        let question = self.asks();
        let whole = self.whole(question);
        let around = self.clause_at(token).map_or_else(|| whole.clone(), |at| modes[at].clone());
        // The features of the classifier already tell whether the clause is asserted.
        (whole.is_plain() && !around.denied).then(|| {
            // A fact from a clause that is not plainly asserted waits for review.
            let doubt = if around.is_plain() { around.doubt } else { around.doubt.min(NOT_PLAIN) };
            Mode { dead: false, would: false, can: false, doubt, ..around }
        })
    }

    /// Returns the clause that contains a token.
    pub(crate) fn clause_at(&self, token: usize) -> Option<usize> {
        (0..self.clauses.len()).rev().find(|at| self.start_of(self.clauses[*at].start) <= token)
    }

    /// Returns at most `MOST_PAIRS` pairs of entities in the sentence, nearest first.
    fn pairs_of(&mut self, modes: &[Mode]) -> Vec<Pair> {
        let mut spots = self.all_spots();
        spots.sort_by_key(|spot| (spot.start, spot.end));
        let mut pairs: Vec<(usize, usize)> =
            (0..spots.len()).flat_map(|a| (a + 1..spots.len()).map(move |b| (a, b))).collect();
        pairs.sort_by_key(|(a, b)| (spots[*b].start.saturating_sub(spots[*a].end), *a));
        pairs.truncate(MOST_PAIRS);
        let made = pairs.into_iter().map(|(a, b)| {
            let others = spots.iter().filter(|spot| spots[a].end <= spot.start && spot.start < spots[b].start).count();
            let features = self.features(&spots[a], &spots[b], others, modes);
            Pair { first: spots[a], second: spots[b], features }
        });
        made.collect()
    }

    /// Returns the features of a pair: the kinds of the two entities, the words between, before and after them, and the
    /// assertion status of the sentence.
    fn features(&self, first: &Spot, second: &Spot, others: usize, modes: &[Mode]) -> Vec<String> {
        let kinds = format!("{}{}", letter(self.kinds(first.found.who)), letter(self.kinds(second.found.who)));
        let mut features = vec![format!("k:{kinds}")];
        let stretches = [
            ('m', first.end, second.start.min(first.end + BETWEEN)),
            ('b', first.start.saturating_sub(AROUND), first.start),
            ('a', second.end, (second.end + AROUND + 1).min(self.tokens.len())),
        ];
        for (place, from, to) in stretches {
            let mut before: Option<String> = None;
            for token in (from..to).filter(|token| !self.is_named(*token)) {
                let word = self.base_of(token);
                features.push(format!("{place}:{word}"));
                features.push(format!("*:{word}"));
                features.push(format!("{place}{kinds}:{word}"));
                if let Some(before) = before {
                    features.push(format!("{place}2:{before}_{word}"));
                    features.push(format!("*2:{before}_{word}"));
                }
                before = Some(word);
            }
        }
        for (place, spot) in [('f', first), ('s', second)] {
            for token in (spot.start..spot.end).filter(|token| !self.is_named(*token)) {
                let word = self.base_of(token);
                features.push(format!("{place}:{word}"));
                features.push(format!("*:{word}"));
            }
        }
        features.push(format!("near:{}", (second.start.saturating_sub(first.end) / 2).min(6)));
        features.push(format!("others:{}", others.min(3)));
        let speaks = |spot: &Spot| self.voice.speaker == Some(spot.found.who);
        features.push(format!("speaks:{}{}", u8::from(speaks(first)), u8::from(speaks(second))));
        turns(self, &[("f", first.start), ("s", second.start)], modes, &mut features);
        for (target, back, _) in self.hints(first, second) {
            let side = if back { '<' } else { '>' };
            features.push(format!("hint:{}{side}", self.grammar.targets[target].predicate));
        }
        features.sort_unstable();
        features.dedup();
        features
    }

    /// Returns the base form of a verb or the singular of a noun.
    pub(crate) fn base_of(&self, token: usize) -> String {
        let word = self.norm(token);
        match self.grammar.forms.get(word).and_then(|forms| forms.first()) {
            Some((lemma, _)) => lemma.clone(),
            None => self.singular(word),
        }
    }
}

/// Adds features for the assertion status of the sentence and of the clauses at the given tokens.
pub(crate) fn turns(reader: &Reader<'_>, places: &[(&str, usize)], modes: &[Mode], features: &mut Vec<String>) {
    for (place, token) in places {
        let plain = reader.clause_at(*token).is_none_or(|at| modes[at].is_plain());
        features.push(format!("{place}plain:{}", u8::from(plain)));
    }
    let plain = modes.iter().filter(|mode| mode.is_plain()).count();
    features.push(format!("plain:{}{}", u8::from(plain > 0), u8::from(plain == modes.len())));
    if reader.tokens.last().is_some_and(|last| last.is("?")) {
        features.push("asks".to_owned());
    }
    if !reader.tokens.is_empty() && !reader.is_named(0) {
        features.push(format!("opens:{}", reader.base_of(0)));
    }
    let turns = (0..reader.tokens.len()).map(|token| reader.norm(token)).filter(|word| TURNS.contains(word));
    features.extend(turns.map(|word| format!("has:{word}")));
}

/// Returns a letter for the kind of an entity, or `X` if several kinds are possible.
pub(crate) fn letter(kinds: Kinds) -> char {
    match kinds {
        Kinds::PERSON => 'P',
        Kinds::GROUP => 'G',
        Kinds::PLACE => 'L',
        Kinds::THING => 'T',
        Kinds::EVENT => 'E',
        Kinds::QUEST => 'Q',
        Kinds::CONCEPT => 'C',
        _ => 'X',
    }
}
