//! Extracts facts from appositions: "her brother Pell", "Pell, ferryman at the quay".

use crate::{
    clauses::From,
    grammar::Class,
    kinds::Kinds,
    mentions::is_pronoun,
    mode::Mode,
    parse::{Item, VerbForm},
    read::{Reader, Ref},
    token::Sort,
};

/// Maximum number of descriptions after a name that are read. Commas, brackets, colons or dashes separate them.
const MOST_CHUNKS: usize = 6;

/// Words that may accompany the number of an age.
pub(crate) const AGES: [&str; 31] = [
    "years", "year", "old", "aged", "about", "around", "some", "past", "nearly", "almost", "barely", "just", "over",
    "winters", "summers", "perhaps", "a", "in", "his", "her", "their", "early", "mid", "late", "only", "well", "into",
    "the", "middle", "not", "yet",
];

impl Reader<'_> {
    /// Records the facts of all appositions in the sentence: "her brother Pell", "Pell, ferryman at the quay", "Pell
    /// (ferryman)".
    pub(crate) fn appositions(&mut self, modes: &[Mode]) {
        let whole = self.whole(false);
        let asks = self.asks();
        for np in 0..self.groups.nps.len() {
            let group = self.groups.nps[np].clone();
            if group.by_name && group.name.is_none() && group.owner.is_none() {
                continue;
            }
            let Some(item) = self.item_of(np) else { continue };
            // An apposition takes its doubt and its source from the clause around it.
            let around = self
                .clauses
                .iter()
                .zip(modes)
                .rev()
                .find(|(clause, _)| clause.start <= item)
                .map(|(_, mode)| mode.clone());
            let mut mode = around.unwrap_or_else(|| whole.clone());
            let unreal = mode.dead;
            if whole.dead {
                continue;
            }
            mode.dead = whole.dead;
            mode.denied = false;
            mode.over = false;
            mode.nested = false;
            // Examples: "her brother Pell", "the goblin Dross"
            if group.name.is_some()
                && let Some((from, to)) = group.role
            {
                let titles =
                    (from..to).all(|at| self.grammar.class(self.norm(at)).has(Class::TITLE) || self.tokens[at].capital);
                let refs = self.resolve(np, &[]);
                // "the Builder's Grace" is a name.
                let named_so = (from..=to).any(|at| matches!(self.norm(at), "'s" | "'")) && group.owner.is_none();
                if (group.owner.is_some() || !titles) && !named_so {
                    self.is_noun(np, item, &refs, &mode, &["beside"], None);
                }
                continue;
            }
            // Example: "A halfling called Minnow Tuck"
            if group.name.is_none()
                && let Some(Item::Vg(vg)) = self.groups.items.get(item + 1)
                && matches!(self.norm(self.groups.vgs[*vg].head), "called" | "named")
            {
                let refs = self.resolve(np, &[]);
                self.is_noun(np, item, &refs, &mode, &["beside"], None);
                continue;
            }
            // Examples: "a druid in tow, name of Mabon", "a tinker, calls himself Vaclav"
            if group.name.is_none()
                && group.article.is_some_and(|at| matches!(self.norm(at), "a" | "an"))
                && let Some(named) = self.named_below(item)
            {
                let refs = self.resolve(named, &[]);
                self.is_noun(np, item, &refs, &mode, &["beside", "named_below"], None);
                continue;
            }
            // Example: "Formerly a resident of the quay, Annie …"
            let leads = item <= 1 && group.name.is_none() && !group.pronoun && group.owner.is_none();
            if leads {
                let mut comma = item + 1;
                while self.syntax.is_preposition(comma) && self.syntax.np(comma + 1).is_some() {
                    comma += 2;
                }
                let named = self.syntax.np(comma + 1).filter(|np| self.groups.nps[*np].name.is_some());
                if self.syntax.word(comma) == ","
                    && comma > item
                    && let Some(named) = named
                    && self.clauses.iter().any(|clause| clause.subjects == [named])
                {
                    let refs = self.resolve(named, &[]);
                    let mut mode = mode.clone();
                    mode.over = item == 1 && matches!(self.syntax.word(0), "formerly" | "once" | "previously");
                    self.is_noun(np, item, &refs, &mode, &["beside"], None);
                    continue;
                }
            }
            if group.name.is_some() {
                self.chunks(np, item, &mode);
            }
            // "Kosuzu the maid" is an apposition, but "is Kosuzu the maid?" is a question.
            if group.name.is_some()
                && !asks
                && !self.is_called(item)
                && let Some(next) = self.syntax.np(item + 1)
                && self.groups.nps[next].name.is_none()
                && self.groups.nps[next].owner.is_none()
                && self.groups.nps[next].article.is_some_and(|at| self.norm(at) == "the")
            {
                let refs = self.resolve(np, &[]);
                self.is_noun(next, item + 1, &refs, &mode, &["beside"], None);
            }
            // Example: "a priest of the Drowned God, Father Tull, …"
            let mut behind = item + 1;
            while self.syntax.is_preposition(behind) && self.syntax.np(behind + 1).is_some() {
                behind += 2;
            }
            if behind > item + 1
                && !unreal
                && group.name.is_none()
                && group.article.is_some_and(|at| matches!(self.norm(at), "a" | "an"))
                && matches!(self.syntax.word(behind), "," | "\u{2014}")
                && let Some(named) = self.syntax.np(behind + 1)
                && self.groups.nps[named].name.is_some()
                && self.groups.nps[named].owner.is_none()
                && matches!(self.after_np(behind + 1).as_str(), "," | ")" | "\u{2014}" | "." | "" | "!" | ";" | "who")
            {
                let refs = self.resolve(named, &[]);
                self.is_noun(np, item, &refs, &mode, &["beside"], None);
            }
            let open = self.syntax.word(item + 1).to_owned();
            if !matches!(open.as_str(), "," | "(" | "\u{2014}" | ":") {
                continue;
            }
            let Some(next) = self.syntax.np(item + 2) else { continue };
            let other = self.groups.nps[next].clone();
            let ends = self.after_np(item + 2);
            let closes = matches!(ends.as_str(), "," | ")" | "\u{2014}" | "." | "" | "!" | ";" | "who" | "which");
            // In "Selene - a woman allied with Varrick, Seraphine's sister", the last words describe Selene, the topic
            // of the entry.
            let placed = item > 0 && self.syntax.is_preposition(item - 1);
            let who = group.name.map(|name| self.names[name].who);
            if placed && self.memory.topic.is_some() && self.memory.topic != who {
                continue;
            }
            // In "works for the Torvalds, poor sod", the last words describe the worker, not the Torvalds.
            if placed
                && other.article.is_none()
                && other.owner.is_none()
                && group.name.is_some_and(|name| self.kinds(self.names[name].who) == Kinds::GROUP)
            {
                continue;
            }
            // Example: "Pell, Mirela's brother, …"
            if group.name.is_some() && other.name.is_none() && !other.pronoun && closes {
                let in_list = open == "," && self.syntax.list(item, self.groups.items.len()).0.contains(&next);
                // A noun group that is the subject of a verb is not an apposition.
                let own_clause =
                    self.clauses.iter().any(|clause| clause.subjects.contains(&next) && clause.from == From::Direct);
                if !in_list && !own_clause {
                    let refs = self.resolve(np, &[]);
                    self.is_noun(next, item + 2, &refs, &mode, &["beside"], None);
                }
            }
            // Examples: "a human trader, Corentin Bray, …", "her page, Pompon, …"
            let introduced = group.owner.is_some()
                || group.article.is_some_and(|at| matches!(self.norm(at), "a" | "an" | "another" | "some" | "this"));
            if group.name.is_none()
                && introduced
                && !unreal
                && !group.pronoun
                && !group.bare_owner
                && other.name.is_some()
                && other.owner.is_none()
                && closes
                && matches!(open.as_str(), "," | ":" | "\u{2014}")
            {
                let refs = self.resolve(next, &[]);
                self.is_noun(np, item, &refs, &mode, &["beside"], None);
                continue;
            }
            // Example: "Mirela's brother, Pell, …"
            if group.name.is_none()
                && other.name.is_some()
                && other.role.is_none()
                && other.owner.is_none()
                && closes
                && open == ","
                && group.owner.is_some()
            {
                let refs = self.resolve(next, &[]);
                self.noun_relation(np, item, &refs, &mode, &["beside"], None);
            }
        }
    }

    /// Returns the noun group that introduces a new name a few words further on: "name of Mabon", "goes by Mabon".
    fn named_below(&self, item: usize) -> Option<usize> {
        (item + 2..(item + 9).min(self.groups.items.len())).find_map(|at| {
            let np = self.syntax.np(at)?;
            let start = self.groups.nps[np].start;
            let word = |back: usize| start.checked_sub(back).map_or("", |at| self.norm(at));
            let tells = (word(1) == "of" && word(2) == "name")
                || matches!(word(1), "called" | "named")
                || (matches!(word(1), "himself" | "herself" | "themselves") && matches!(word(2), "calls" | "called"))
                || (word(1) == "by" && matches!(word(2), "goes" | "went"))
                || (matches!(word(1), "is" | "'s") && word(2) == "name");
            let name = self.groups.nps[np].name.map(|name| self.names[name].who)?;
            (tells && matches!(name, crate::mentions::Who::New(_))).then_some(np)
        })
    }

    /// Records the descriptions after a name, as in "Bell, sixty, gaunt, with one good eye, …".
    fn chunks(&mut self, np: usize, item: usize, mode: &Mode) {
        let refs = self.resolve(np, &[]);
        let kinds = refs.first().map_or(Kinds::ANY, |found| self.kinds(found.who));
        let mut at = item + 1;
        for _ in 0..MOST_CHUNKS {
            if !matches!(self.syntax.word(at), "," | "(" | "\u{2014}" | ":") || refs.is_empty() {
                return;
            }
            at += 1;
            if self.syntax.word(at) == "and" {
                at += 1;
            }
            let ends = |item: usize| match self.groups.items.get(item) {
                Some(Item::Vg(vg)) => self.groups.vgs[*vg].form == VerbForm::Finite,
                Some(Item::Tok(token)) => self.tokens[*token].is_mark(".,;:!?()\u{2014}"),
                Some(Item::Np(_)) => false,
                None => true,
            };
            let Some(end) = (at..=self.groups.items.len()).find(|item| ends(*item)).filter(|end| *end > at) else {
                return;
            };
            // The descriptions of this name end at another subject or another name.
            let acts = matches!(self.groups.items.get(end), Some(Item::Vg(_)));
            let is_other = |np: usize| {
                let group = &self.groups.nps[np];
                group.name.is_some() || group.pronoun
            };
            let placed = item > 0 && self.syntax.is_preposition(item - 1) && kinds != Kinds::PERSON;
            if placed || self.syntax.np(at).is_some_and(is_other) || (acts && self.syntax.np(at).is_some()) {
                return;
            }
            let once = matches!(self.syntax.word(at), "once" | "formerly" | "then" | "previously");
            let now = matches!(self.syntax.word(at), "now" | "today" | "still");
            let from = at + usize::from((once || now) && at + 1 < end);
            let mut mode = mode.clone();
            mode.over |= once;
            match self.syntax.np(from).filter(|_| at > item + 2 || from > at) {
                Some(np) if self.chunk_age(from, end).is_none() && !self.is_state(np) => {
                    let listed = self.groups.nps[np].article.is_some_and(|at| self.norm(at) == "the");
                    if !listed {
                        self.is_noun(np, from, &refs, &mode, &["beside", "chunk"], None);
                    }
                }
                _ => self.chunk((from, end), &refs, kinds, &mode),
            }
            at = end;
        }
    }

    /// Returns whether the words after a name are an alias, as in "They call Odo the Magpie".
    fn is_called(&self, item: usize) -> bool {
        let verb = item.checked_sub(1).and_then(|item| match self.groups.items[item] {
            Item::Vg(vg) => Some(self.groups.vgs[vg].lemma.as_str()),
            _ => None,
        });
        matches!(verb, Some("call" | "name" | "dub" | "nickname" | "christen"))
    }

    /// Returns whether a noun group is a state with a number, as in "dead three days".
    fn is_state(&self, np: usize) -> bool {
        let group = &self.groups.nps[np];
        group.article.is_none()
            && group.start < group.head
            && self.grammar.adjectives.contains_key(self.norm(group.start))
            && (group.start..group.end).any(|token| self.is_number(self.norm(token)))
    }

    /// Returns the first and the end token of an age, if the items from `at` up to, but not including, `end` are an
    /// age. Otherwise returns `None`.
    fn chunk_age(&self, at: usize, end: usize) -> Option<(usize, usize)> {
        let mut from = self.start_of(at);
        let to = self.end_of(end - 1).min(self.tokens.len());
        if self.norm(from) == "at" {
            from += 1;
        }
        let counts = (from..to).any(|token| self.is_number(self.norm(token)));
        let age = (from..to).all(|token| self.is_number(self.norm(token)) || AGES.contains(&self.norm(token)));
        (counts && age).then_some((from, to))
    }

    fn chunk(&mut self, (at, end): (usize, usize), refs: &[Ref], kinds: Kinds, mode: &Mode) {
        let (from, to) = (self.start_of(at), self.end_of(end - 1).min(self.tokens.len()));
        let age = self.chunk_age(at, end).is_some();
        let worn = |np: usize| {
            let group = &self.groups.nps[np];
            let own = group.owner.is_none_or(|owner| self.groups.nps[owner].pronoun);
            own && kinds == Kinds::PERSON && self.grammar.has.contains_key(self.norm(group.head))
        };
        let name = if age && kinds == Kinds::PERSON {
            Some("age".to_owned())
        } else if matches!(self.syntax.word(at), "with" | "in") && self.syntax.np(at + 1).is_some_and(worn) {
            Some("appearance".to_owned())
        } else if self.syntax.np(at).is_none_or(|np| self.is_state(np)) {
            let entries = self.grammar.attributes_of(self.norm(from));
            let fits = |entry: &&(usize, bool)| self.grammar.targets[entry.0].subject.meets(kinds);
            entries.iter().find(fits).map(|(target, _)| self.grammar.targets[*target].predicate.to_string())
        } else {
            None
        };
        let Some(target) = name.and_then(|name| self.target(&name)) else { return };
        let value = self.said(from, to);
        let span = self.span(from, to.saturating_sub(1));
        for found in refs {
            self.state(target, found, Err(value.clone()), "", &["beside", "chunk"], mode, span);
        }
    }

    /// Returns the word after a noun group and its prepositional phrases. Returns an empty string at the end of the
    /// sentence, and `verb` before another group.
    pub(crate) fn after_np(&self, item: usize) -> String {
        let mut at = item + 1;
        while self.syntax.is_preposition(at) && self.syntax.np(at + 1).is_some() {
            at += 2;
        }
        match self.groups.items.get(at) {
            None => String::new(),
            Some(Item::Tok(token))
                if matches!(self.tokens[*token].sort, Sort::Mark | Sort::Word) && !is_pronoun(self.norm(*token))
                    || matches!(self.groups.items.get(at), Some(Item::Tok(_))) =>
            {
                self.syntax.word(at).to_owned()
            }
            _ => "verb".into(),
        }
    }
}
