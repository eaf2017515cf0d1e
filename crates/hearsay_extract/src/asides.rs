//! Proposes attributes from loosely connected words, for the review queue: descriptions such as "a doctor,
//! fifty-something, very proper", states such as "its left engine burnt out", and trades or species that a sentence
//! does not clearly assign to a person.

use crate::{
    clauses::{Clause, From},
    grammar::Class,
    kinds::Kinds,
    mode::Mode,
    parse::{Item, VerbForm},
    read::{Read, Reader, Ref, Said},
    token::Sort,
};

/// Maximum number of proposals from one sentence.
const MOST: usize = 4;

/// An attribute is proposed only for a person fewer than this many tokens away.
const NEAR: usize = 12;

impl Reader<'_> {
    /// Proposes attributes that the patterns for clauses do not find.
    pub(crate) fn asides(&mut self, modes: &[Mode]) {
        let mut left = MOST;
        for (at, mode) in modes.iter().enumerate() {
            if !mode.is_plain() {
                continue;
            }
            let clause = self.clauses[at].clone();
            let subjects = self.subjects(&clause.subjects);
            if subjects.is_empty() {
                continue;
            }
            left -= self.trailing(&clause, &subjects, mode, left).min(left);
            left -= self.manner_of_speech(&clause, &subjects, mode, left).min(left);
            left -= self.height(&clause, &subjects, mode, left).min(left);
            left -= self.companions(&clause, &subjects, mode).min(left);
        }
        for (at, mode) in modes.iter().enumerate().filter(|(_, mode)| !mode.dead && !mode.would) {
            let clause = self.clauses[at].clone();
            let subjects = self.subjects(&clause.subjects);
            if !subjects.is_empty() && left > 0 {
                left -= self.habit(&clause, &subjects, mode).min(left);
            }
        }
        let whole = self.whole(false);
        let alive = modes.iter().all(|mode| mode.is_plain());
        if !whole.dead && alive && !self.asks() {
            let mode = modes.first().cloned().unwrap_or(whole);
            left -= self.apposed(&mode, left).min(left);
            self.scattered(&mode, left);
        }
    }

    /// Proposes attributes from the words between commas after a clause, as in "is a doctor, fifty-something, very
    /// proper". Returns the number of proposals.
    fn trailing(&mut self, clause: &Clause, subjects: &[Ref], mode: &Mode, most: usize) -> usize {
        let vg = self.groups.vgs[clause.vg].clone();
        let mut from = self.end_of(clause.rest.1.saturating_sub(1)).max(vg.end);
        let mut found = 0;
        while found < most && self.tokens.get(from).is_some_and(|mark| mark.is_mark(",\u{2014}")) {
            let end = self.up_to(from + 1, ",.;:!?()\u{2014}");
            let start = from + 1 + usize::from(self.norm(from + 1) == "and");
            let acts = self
                .groups
                .vgs
                .iter()
                .any(|vg| vg.form == VerbForm::Finite && vg.end > start && vg.start < end && !vg.silent);
            if acts || start >= end {
                break;
            }
            found += if self.owned_state(start, end) {
                self.absolute(subjects, start, end, mode)
            } else if vg.copula {
                self.complement(subjects, start, end, mode, most - found)
            } else {
                0
            };
            from = end;
        }
        found
    }

    /// Returns whether the tokens name a possession and its state, as in "its left engine burnt out".
    fn owned_state(&self, from: usize, to: usize) -> bool {
        let own = matches!(self.norm(from), "its" | "his" | "her" | "their");
        let np = self.groups.nps.iter().find(|np| np.start == from);
        own && np.is_some_and(|np| np.end < to && np.owner.is_some())
    }

    fn absolute(&mut self, subjects: &[Ref], from: usize, to: usize, mode: &Mode) -> usize {
        let person = subjects.iter().any(|subject| self.kinds(subject.who) == Kinds::PERSON);
        let name = if person { "appearance" } else { "condition" };
        self.offer(name, subjects, from + 1, to, "loose_absolute", mode, 1)
    }

    /// Proposes a speaking style from "talks fast", "speaks without moving her lips" or "always says “indeed”".
    fn manner_of_speech(&mut self, clause: &Clause, subjects: &[Ref], mode: &Mode, most: usize) -> usize {
        let vg = self.groups.vgs[clause.vg].clone();
        let to = self.end_of(clause.rest.1.saturating_sub(1)).max(vg.end).min(self.tokens.len());
        let first = self.norm(vg.end);
        let whom = matches!(first, "to" | "with" | "of" | "about" | "for" | "up" | "against" | "at");
        let named = self.names.iter().any(|name| name.start >= vg.end && name.start < to);
        let always =
            (vg.start.saturating_sub(1)..vg.head).any(|at| matches!(self.norm(at), "always" | "never" | "often"));
        let speaks = matches!(vg.lemma.as_str(), "talk" | "speak") && !whom && to > vg.end && !vg.past;
        let says = vg.lemma == "say" && always;
        let sounds = ["mumble", "mutter", "stammer", "stutter", "lisp", "drawl", "whisper", "shout", "swear", "growl"];
        // Example: "calls everyone love"
        let calls = vg.lemma == "call" && matches!(first, "everyone" | "everybody" | "people");
        let says = says || calls;
        let sounds = sounds.contains(&vg.lemma.as_str()) && !vg.past && !whom && clause.from != From::Control;
        if vg.passive || vg.negated || named || !(speaks || says || sounds) {
            return 0;
        }
        let to = if says { self.tokens.len() } else { to };
        self.offer("speaking_style", subjects, vg.head, to, "loose_speech", mode, most)
    }

    /// Proposes a personality from a habit: "never tells a lie", "trusts nobody", "laughs easily".
    fn habit(&mut self, clause: &Clause, subjects: &[Ref], mode: &Mode) -> usize {
        let vg = self.groups.vgs[clause.vg].clone();
        let to = self.up_to(vg.end, ",.;!:\u{2014}");
        let person = subjects.iter().all(|subject| self.kinds(subject.who) == Kinds::PERSON);
        let named = self.names.iter().any(|name| name.start >= vg.end && name.start < to);
        let ever = |at: usize| {
            matches!(
                self.norm(at),
                "never" | "always" | "rarely" | "seldom" | "nobody" | "easily" | "everyone" | "everybody" | "anyone"
            )
        };
        let from = (vg.start.saturating_sub(1)..vg.head + 1).find(|at| ever(*at)).unwrap_or(vg.head);
        let told = (from..to).any(ever);
        // Example: "can't keep a secret"
        let cannot = vg.negated && vg.modal.as_deref() == Some("can");
        let (from, told) = if cannot { (vg.start, true) } else { (from, told) };
        let now = !vg.past && !vg.perfect && !vg.progressive && !vg.passive && !vg.copula;
        let now = now && (vg.modal.is_none() || cannot);
        let speech = self.grammar.sort(&vg.lemma).speech || vg.lemma == "talk" || vg.lemma == "speak";
        if !(person && told && now) || named || speech || vg.form != VerbForm::Finite {
            return 0;
        }
        let mut mode = mode.clone();
        mode.denied = false;
        self.offer("personality", subjects, from, to, "loose_habit", &mode, 1)
    }

    /// Proposes an appearance from a height: "stands six foot five".
    fn height(&mut self, clause: &Clause, subjects: &[Ref], mode: &Mode, most: usize) -> usize {
        let vg = &self.groups.vgs[clause.vg];
        let measure = |at: usize| {
            matches!(self.norm(at), "foot" | "feet" | "ft" | "inches" | "metres" | "meters" | "hands" | "tall")
        };
        let stands = vg.copula || matches!(vg.lemma.as_str(), "stand" | "measure" | "tower" | "rise");
        let from = vg.end;
        let counts = self.is_number(self.norm(from)) && measure(from + 1);
        let person = subjects.iter().all(|subject| self.kinds(subject.who) == Kinds::PERSON);
        if !(stands && counts && person) {
            return 0;
        }
        let fits = |at: usize| measure(at) || self.is_number(self.norm(at));
        let to = (from..self.tokens.len()).find(|at| !fits(*at)).unwrap_or(self.tokens.len());
        self.offer("appearance", subjects, from, to, "loose_height", mode, most)
    }

    /// Proposes the same home, place or event for companions, as in "lives at the mill with his daughter Violet".
    fn companions(&mut self, clause: &Clause, subjects: &[Ref], mode: &Mode) -> usize {
        let with = (clause.rest.0..clause.rest.1).find(|item| self.syntax.word(*item) == "with");
        let Some((with, subject)) = with.zip(subjects.first().copied()) else { return 0 };
        let (list, _) = self.syntax.list(with + 1, clause.rest.1);
        let whos: Vec<_> = subjects.iter().map(|subject| subject.who).collect();
        let others = self.resolve_all(&list, &whos);
        let places = ["RESIDENT_OF", "LOCATED_AT", "PARTICIPATED_IN"];
        let shared: Vec<_> = self
            .facts
            .iter()
            .filter(|fact| fact.subject == subject.who && !fact.marks.is_loose() && !fact.denied)
            .filter(|fact| places.contains(&self.grammar.targets[fact.target].predicate.as_str()))
            .cloned()
            .collect();
        let before = self.facts.len();
        for fact in shared {
            let Said::Who(place) = fact.object else { continue };
            for other in
                others.iter().filter(|other| self.kinds(other.who) == Kinds::PERSON).copied().collect::<Vec<_>>()
            {
                let place = Ref::plain(place);
                self.state(fact.target, &other, Ok(&place), "", &["loose", "loose_companion"], mode, fact.span);
            }
        }
        self.facts.len() - before
    }

    /// Proposes the look of a thing or the atmosphere of a place from an apposition: "The green idol, a squat thing
    /// with six fingers, …", "the Briar Keep, a drafty heap".
    fn apposed(&mut self, mode: &Mode, most: usize) -> usize {
        let mut found = 0;
        for np in 0..self.groups.nps.len() {
            let group = self.groups.nps[np].clone();
            let Some(item) = self.item_of(np).filter(|_| group.name.is_some() && found < most) else { continue };
            let Some(next) =
                self.syntax.np(item + 2).filter(|_| matches!(self.syntax.word(item + 1), "," | "\u{2014}" | "("))
            else {
                continue;
            };
            let other = self.groups.nps[next].clone();
            let indefinite = other.article.is_some_and(|at| matches!(self.norm(at), "a" | "an"));
            if !indefinite || other.name.is_some() || other.content >= other.head {
                continue;
            }
            let refs = self.resolve(np, &[]);
            let name = match refs.first().map(|found| self.kinds(found.who)) {
                Some(kinds) if kinds == Kinds::THING => "appearance",
                Some(kinds) if kinds == Kinds::PLACE => "atmosphere",
                _ => continue,
            };
            let end = self.value_end(item + 2, self.groups.items.len());
            found += self.offer(name, &refs, other.content, end, "loose_apposed", mode, 1);
        }
        found
    }

    /// Proposes trades, species, ages and looks that no pattern has read as attributes of the nearest person in the
    /// sentence.
    fn scattered(&mut self, mode: &Mode, most: usize) {
        let spots = self.all_spots();
        let people: Vec<_> = spots.into_iter().filter(|spot| self.kinds(spot.found.who) == Kinds::PERSON).collect();
        let mut left = most;
        for item in 0..self.groups.items.len() {
            let Some(Item::Np(np)) = self.groups.items.get(item).copied() else { continue };
            let group = self.groups.nps[np].clone();
            let plain = group.name.is_none() && !group.pronoun && !group.bare_owner;
            let no =
                group.article.is_some_and(|at| matches!(self.norm(at), "no" | "every" | "any" | "each" | "another"));
            if !plain || no || left == 0 {
                continue;
            }
            let Some((name, from, to)) = self.telling(&group) else { continue };
            // In "owes Odo a horse", the noun is an object of the verb, not a description of a person.
            let apart = group.start.checked_sub(1).is_none_or(|at| !self.tokens[at].is_word() || self.norm(at) == "as");
            if matches!(name, "occupation" | "species") && !apart {
                continue;
            }
            let distance = |start: usize, end: usize| {
                if end <= group.start { group.start - end } else { start.saturating_sub(group.end) + 2 }
            };
            let nearest = people.iter().min_by_key(|spot| distance(spot.start, spot.end));
            let Some(nearest) = nearest.filter(|spot| distance(spot.start, spot.end) < NEAR) else { continue };
            let target = self.target(name);
            let known = |fact: &Read| Some(fact.target) == target && fact.subject == nearest.found.who;
            if self.facts.iter().any(known) {
                continue;
            }
            let mark = if nearest.end <= group.start { "loose_scattered" } else { "loose_scattered_back" };
            let owner = nearest.found;
            left -= self.offer(name, &[owner], from, to, mark, mode, 1);
        }
    }

    /// Returns the attribute that a noun group may state, and the first and the end token of its value.
    fn telling(&self, group: &crate::parse::Np) -> Option<(&'static str, usize, usize)> {
        let counts = |at: usize| self.tokens[at].sort == Sort::Number || self.is_number(self.norm(at));
        let years = |at: usize| {
            matches!(self.norm(at), "years" | "winters" | "summers") || self.norm(at).ends_with("-year-old")
        };
        if (group.start..group.end).any(counts) && (group.start..group.end).any(years) {
            let old = self.norm(group.end) == "old" || self.norm(group.head) != "years";
            return old.then_some(("age", group.start, group.end));
        }
        let noun = self.singular(self.norm(group.head));
        // Examples: "his broken nose", "a scar runs down his cheek"
        let part = self.grammar.has.get(self.norm(group.head)).and_then(|all| all.first()).copied();
        let looks = part.is_some_and(|(target, _)| self.grammar.targets[target].predicate == *"appearance");
        if looks {
            let mark = matches!(noun.as_str(), "scar" | "tattoo" | "birthmark" | "eyepatch" | "limp");
            let runs = mark && self.groups.vgs.iter().any(|vg| vg.start == group.end && vg.form == VerbForm::Finite);
            let end = self.up_to(group.end, ",.;!");
            let told = runs || mark || group.content < group.head;
            return told.then_some(("appearance", group.content, if runs { end } else { group.end }));
        }
        let (target, weak) = self.grammar.kinds_of.get(&noun)?.first().copied()?;
        let name = match self.grammar.targets[target].predicate.as_str() {
            "occupation" => "occupation",
            "species" => "species",
            _ => return None,
        };
        let plural = noun != self.norm(group.head) || self.grammar.class(&noun).has(Class::LIGHT_NOUN);
        (!weak && !plural).then_some((name, group.content, group.end))
    }
}
