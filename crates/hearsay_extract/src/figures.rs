//! Proposes attributes from numbers, quotations and certain words that no pattern reads, for the review queue:
//! populations, prices, ages and dates; mottos and banners; objectives of quests and outcomes of events.

use crate::{
    grammar::Class,
    kinds::Kinds,
    loose::Spot,
    mode::Mode,
    parse::{Item, VerbForm},
    read::{Read, Reader, Ref, Said},
    token::Sort,
};

/// Words before an inexact number, as in "about sixty".
const NEARLY: [&str; 20] = [
    "about",
    "some",
    "around",
    "nearly",
    "almost",
    "over",
    "under",
    "roughly",
    "approximately",
    "than",
    "fewer",
    "more",
    "less",
    "least",
    "barely",
    "past",
    "only",
    "just",
    "not",
    "yet",
];

/// Words before a number that is an age.
const AGED: [&str; 10] = ["at", "only", "of", "aged", "age", "turned", "past", "not", "barely", "nearly"];

/// Names of coins and currencies.
const COINS: &str = " credits credit crowns crown silver silvers gold golds marks coins coin pounds dollars shillings guineas pennies \
    pence coppers ducats florins thalers gp sp cp k nuyen eddies bucks euros talents denarii sovereigns doubloons francs ";

/// Words for payments, rewards and prices.
const PAYS: &str = " pay pays paid reward bounty offer offers offered gets get earns earn purse fee price worth fetch fetches \
    sold sells bought value valued cost costs ransom prize completion for ";

/// Verbs that state how an event ended.
const ENDS: [&str; 14] = [
    "end", "fail", "succeed", "cost", "leave", "result", "conclude", "finish", "collapse", "cease", "kill", "destroy",
    "put", "crush",
];

/// Verbs for governing a place.
const RULES: [&str; 8] = ["rule", "govern", "run", "administer", "lead", "control", "answer", "have"];

/// Nouns for rulers and governing bodies.
const RULERS: &str = " council board mayor duke duchess king queen parliament senate assembly governor prince regent committee \
    junta triumvirate directorate synod moot elders burgomaster baron baroness count countess magistrate reeve sheriff ";

/// Nouns for the atmosphere of a place.
const AIRS: &str =
    " silence gloom smell stench reek fog mist hush tension quiet dread scent odour odor din melancholy stillness ";

/// Words that precede a goal.
const SET_ON: [&str; 20] = [
    "determined to",
    "bent on",
    "out to",
    "sworn to",
    "vowed to",
    "saving up to",
    "saving to",
    "resolved to",
    "desperate to",
    "eager to",
    "keen to",
    "hoping to",
    "intent on",
    "set on",
    "more than to",
    "nothing but to",
    "rest until",
    "itching to",
    "longing to",
    "ambition to",
];

impl Reader<'_> {
    /// Proposes attributes from numbers, quotations and certain words in the sentence.
    pub(crate) fn figures(&mut self, modes: &[Mode]) {
        let whole = self.whole(false);
        let planned = modes.first().is_some_and(|mode| mode.would || mode.can);
        if whole.dead || planned || self.asks() {
            return;
        }
        // Uses the assertion status of the first clause that is not a question, a plan or a wish.
        let alive = modes.iter().find(|mode| !mode.dead).cloned();
        let mut mode = alive.unwrap_or(whole);
        mode.denied = false;
        let spots = self.all_spots();
        self.counted(&spots, &mode);
        self.motto_and_sign(&spots, &mode);
        self.set_on(modes);
        self.ended(&spots, &mode);
        self.asked(&spots, &mode);
        self.governed(&spots, &mode);
        self.seats(&mode);
        self.airs(&spots, &mode);
        self.two_more(&spots, modes);
    }

    /// Proposes an atmosphere: "A heavy silence hangs over Halcyon", "it is dark and damp on Halcyon".
    fn airs(&mut self, spots: &[Spot], mode: &Mode) {
        let hung = self.groups.nps.iter().find(|np| np.name.is_none() && self.is_one_of(AIRS, np.head)).cloned();
        if let Some(np) = hung
            && let Some(place) = self.nearest(spots, Kinds::PLACE, np.head)
        {
            let item = self.item_at(np.start);
            let end = item.map_or(np.end, |item| self.value_end(item, self.groups.items.len()));
            self.propose("atmosphere", place, np.content, end, "loose_air", mode);
        }
        for at in 0..self.clauses.len() {
            let clause = &self.clauses[at];
            let vg = &self.groups.vgs[clause.vg];
            let it = clause.subjects.iter().any(|np| self.norm(self.groups.nps[*np].head) == "it");
            let (from, atmosphere) = (vg.end, self.target("atmosphere"));
            let airy = |at: usize| {
                self.grammar.attributes_of(self.norm(at)).iter().any(|(target, _)| Some(*target) == atmosphere)
            };
            if !(it && vg.copula && airy(from)) {
                continue;
            }
            let place = self.nearest(spots, Kinds::PLACE, from);
            let goes_on = |at: &usize| airy(*at) || matches!(self.norm(*at), "and" | ",");
            let to = (from..self.tokens.len()).take_while(goes_on).last().map_or(from, |at| at + 1);
            if let Some(place) = place {
                self.propose("atmosphere", place, from, to, "loose_air", mode);
            }
        }
    }

    /// Proposes relations that follow from an action: two people who do something together know each other, a person
    /// who is told about something knows about it, and a person who dreams of something wants it.
    fn two_more(&mut self, spots: &[Spot], modes: &[Mode]) {
        for (at, mode) in modes.iter().enumerate().filter(|(_, mode)| !mode.dead && !mode.denied && !mode.would) {
            let clause = self.clauses[at].clone();
            let vg = self.groups.vgs[clause.vg].clone();
            let subjects = self.subjects(&clause.subjects);
            let to = self.end_of(clause.rest.1.saturating_sub(1)).max(vg.end);
            let together = (vg.end..to).any(|at| self.norm(at) == "together");
            if let [a, b] = subjects[..]
                && together
            {
                self.guess_of("KNOWS", a, b, at, "loose_together", mode);
                self.guess_of("KNOWS", b, a, at, "loose_together", mode);
            }
            self.instead(at, &subjects, spots, mode);
            // In "The siege was long. Odo was there.", Odo took part in the siege.
            let there = vg.copula && self.norm(vg.end) == "there" && self.norm(vg.start.wrapping_sub(1)) != "there";
            let event = self.spoken_of(|kinds| kinds == Kinds::EVENT).first().copied().filter(|_| there);
            if let (Some(event), [subject, ..]) = (event, &subjects[..]) {
                self.guess_of("PARTICIPATED_IN", *subject, event, at, "loose_there", mode);
            }
            let topic = (vg.end..self.tokens.len()).find(|at| self.norm(*at) == "about");
            if let Some(about) = topic.filter(|_| matches!(vg.lemma.as_str(), "tell" | "warn" | "teach" | "inform")) {
                let told = spots.iter().find(|spot| spot.start >= vg.end && spot.end <= about).copied();
                let topic = spots.iter().find(|spot| spot.start > about).copied();
                if let (Some(told), Some(topic)) = (told, topic) {
                    self.guess_of("KNOWS_ABOUT", told.found, topic.found, at, "loose_told", mode);
                }
            }
            let wish =
                matches!(vg.lemma.as_str(), "dream" | "want" | "hope" | "plan" | "long" | "aim" | "wish" | "mean");
            let thing = spots.iter().find(|spot| {
                let kinds = self.kinds(spot.found.who);
                spot.start > vg.end && (kinds == Kinds::THING || kinds == Kinds::PLACE)
            });
            if let (Some(thing), [wisher, ..]) = (thing.copied().filter(|_| wish), &subjects[..]) {
                self.guess_of("WANTS", *wisher, thing.found, at, "loose_wished", mode);
            }
        }
    }

    /// Proposes a place or knowledge if only a `RELATED_TO` relation was read: "drinks in the hold of the Bluebottle"
    /// gives a place, and "has read the log" gives knowledge.
    fn instead(&mut self, at: usize, subjects: &[Ref], spots: &[Spot], mode: &Mode) {
        let vg = self.groups.vgs[self.clauses[at].vg].clone();
        let knows =
            ["see", "read", "overhear", "hear", "watch", "witness", "study", "spot"].contains(&vg.lemma.as_str());
        let last = self.end_of(self.clauses[at].rest.1.saturating_sub(1)).max(vg.end);
        for spot in spots.iter().filter(|spot| spot.start >= vg.end && spot.end <= last) {
            let kinds = self.kinds(spot.found.who);
            let within = (spot.start.saturating_sub(4).max(vg.end)..spot.start + 1)
                .any(|at| matches!(self.norm(at), "in" | "on" | "aboard" | "at" | "inside" | "into" | "under"));
            let name = match kinds {
                kinds if kinds == Kinds::PLACE && within => "LOCATED_AT",
                kinds if kinds == Kinds::THING && knows => "KNOWS_ABOUT",
                kinds if kinds == Kinds::THING && within => "LOCATED_AT",
                _ => continue,
            };
            let (who, found) = (spot.found.who, spot.found);
            for subject in subjects.iter().take(2) {
                let read = |fact: &Read| {
                    fact.joins(subject.who, who) && Some(fact.target) != self.related && !fact.marks.is_loose()
                };
                let place =
                    |fact: &Read| fact.joins(subject.who, who) && self.grammar.targets[fact.target].predicate == *name;
                if !self.facts.iter().any(read) && !self.facts.iter().any(place) {
                    self.guess_of(name, *subject, found, at, "loose_instead", mode);
                }
            }
        }
    }

    fn guess_of(&mut self, name: &str, a: Ref, b: Ref, at: usize, mark: &'static str, mode: &Mode) {
        let known = |fact: &Read| {
            self.grammar.targets[fact.target].predicate == *name
                && fact.subject == a.who
                && fact.object == Said::Who(b.who)
        };
        let Some(target) = self.target(name).filter(|_| !self.facts.iter().any(known)) else { return };
        let span = self.clause_span(at, self.vg(at).end);
        self.state(target, &a, Ok(&b), "", &["loose", mark], mode, span);
    }

    /// Returns the entity of the given kind that is nearest to a token.
    fn nearest(&self, spots: &[Spot], kinds: Kinds, token: usize) -> Option<Spot> {
        let distance =
            |spot: &&Spot| if spot.end <= token { token - spot.end } else { spot.start.saturating_sub(token) };
        spots.iter().filter(|spot| self.kinds(spot.found.who) == kinds).min_by_key(distance).copied()
    }

    /// Proposes a value, unless the attribute was read already.
    fn propose(&mut self, name: &str, of: Spot, from: usize, to: usize, mark: &'static str, mode: &Mode) {
        let Some(target) = self.target(name) else { return };
        let known = |fact: &Read| fact.target == target && fact.subject == of.found.who;
        if from < to && !self.facts.iter().any(known) {
            let (value, span) = (self.said(from, to), self.span(from, to - 1));
            self.state(target, &of.found, Err(value), "", &["loose", mark], mode, span);
        }
    }

    fn is_one_of(&self, list: &str, at: usize) -> bool {
        list.split_whitespace().any(|word| word == self.norm(at))
    }

    /// Proposes populations, rewards, prices, ages and dates from numbers.
    fn counted(&mut self, spots: &[Spot], mode: &Mode) {
        let mut at = 0;
        while at < self.tokens.len() {
            if self.is_named(at) || !self.is_number(self.norm(at)) {
                if let Some(years) = self.norm(at).strip_suffix("-year-old").map(str::to_owned)
                    && self.is_number(&years)
                    && let Some(person) = self.nearest(spots, Kinds::PERSON, at)
                {
                    self.propose("age", person, at, at + 1, "loose_counted", mode);
                }
                at += 1;
                continue;
            }
            let mut from = at;
            while from > 0 && NEARLY.contains(&self.norm(from - 1)) {
                from -= 1;
            }
            let to = (at..self.tokens.len()).find(|at| !self.is_number(self.norm(*at))).unwrap_or(self.tokens.len());
            self.count((from, at, to), spots, mode);
            at = to.max(at + 1);
        }
    }

    fn count(&mut self, (from, number, to): (usize, usize, usize), spots: &[Spot], mode: &Mode) {
        let population = self.target("population");
        let noun =
            |at: usize| self.grammar.has.get(self.norm(at)).and_then(|all| all.first()).map(|(target, _)| *target);
        // Example: "$200"
        let sign = from.checked_sub(1).filter(|at| matches!(self.norm(*at), "$" | "\u{A3}" | "\u{20AC}"));
        let from = sign.unwrap_or(from);
        let named = |at: &usize| noun(*at) == population || self.is_one_of(COINS, *at);
        let unit = sign.map(|_| to - 1).or_else(|| (to..(to + 2).min(self.tokens.len())).find(named));
        let dated = (number..to).any(|at| self.norm(at).len() == 4 && self.tokens[at].sort == Sort::Number)
            || (number.saturating_sub(1)..(to + 1).min(self.tokens.len()))
                .any(|at| self.grammar.class(self.norm(at)).has(Class::MONTH) && self.tokens[at].capital);
        let before = from.checked_sub(1).map_or("", |at| self.norm(at)).to_owned();
        let labelled = (0..number).any(|at| matches!(self.norm(at), "population" | "pop"));
        if let Some(unit) = unit {
            if noun(unit) == population {
                if let Some(place) = self.nearest(spots, Kinds::PLACE, number) {
                    self.propose("population", place, from, unit + 1, "loose_counted", mode);
                }
            } else if before == "(" || (0..self.tokens.len()).any(|at| self.is_one_of(PAYS, at)) {
                let quest = self.nearest(spots, Kinds::QUEST, number).or_else(|| self.quest_before(spots, number));
                if let Some(quest) = quest {
                    self.propose("reward", quest, from, unit + 1, "loose_counted", mode);
                } else if let Some(thing) = self.nearest(spots, Kinds::THING, number) {
                    self.propose("value", thing, from, unit + 1, "loose_counted", mode);
                }
            }
        } else if labelled {
            if let Some(place) = self.nearest(spots, Kinds::PLACE, number) {
                self.propose("population", place, from, to, "loose_counted", mode);
            }
        } else if dated {
            if let Some(event) = self.nearest(spots, Kinds::EVENT, number) {
                let is_day = |at: usize| {
                    self.is_of_calendar(self.norm(at)) && !matches!(self.norm(at), "in" | "on" | "of" | "at" | ",")
                };
                let first =
                    (number.saturating_sub(3)..number).rev().take_while(|at| is_day(*at)).last().unwrap_or(number);
                let last =
                    (to..(to + 3).min(self.tokens.len())).take_while(|at| is_day(*at)).last().map_or(to, |at| at + 1);
                self.propose("date", event, first, last, "loose_dated", mode);
            }
        } else {
            let years = matches!(self.norm(to), "years" | "winters" | "summers")
                && (self.norm(to + 1) == "old" || self.norm(to) != "years");
            let ends =
                to >= self.tokens.len() || !self.tokens[to].is_word() || matches!(self.norm(to), "and" | "but" | "now");
            let first = self.norm(from).to_owned();
            let aged = ends && (AGED.contains(&before.as_str()) || AGED.contains(&first.as_str()));
            if let Some(person) = self.nearest(spots, Kinds::PERSON, number).filter(|_| years || aged) {
                self.propose("age", person, from, to + usize::from(years), "loose_counted", mode);
            }
        }
    }

    /// Returns the quest that is the topic of the text so far. Returns `None` if this sentence names an item.
    fn quest_before(&self, spots: &[Spot], at: usize) -> Option<Spot> {
        let thing = spots.iter().any(|spot| self.kinds(spot.found.who) == Kinds::THING);
        let found = self.spoken_of(|kinds| kinds == Kinds::QUEST).first().copied().filter(|_| !thing)?;
        Some(Spot { found, start: at, end: at })
    }

    /// Proposes a motto from a quotation near "motto", and a symbol from a noun group near "sign".
    fn motto_and_sign(&mut self, spots: &[Spot], mode: &Mode) {
        let labels = |reader: &Self, name: &str, at: usize| {
            let target = reader.target(name);
            let labels = reader.grammar.labels.get(reader.norm(at));
            labels.is_some_and(|targets| targets.iter().any(|other| Some(*other) == target))
        };
        let tokens = self.tokens.len();
        let quote = self.quoted();
        let group = |reader: &Self, at: usize| {
            reader.nearest(spots, Kinds::GROUP, at).or_else(|| reader.nearest(spots, Kinds::PLACE, at))
        };
        if let Some((quote, end)) = quote {
            let told = (0..tokens)
                .any(|at| labels(self, "motto", at) || matches!(self.norm(at), "words" | "reads" | "door" | "carved"));
            if let Some(group) = group(self, quote).filter(|_| told) {
                self.propose("motto", group, quote, end, "loose_quoted", mode);
            }
        }
        let Some(sign) = (0..tokens).find(|at| labels(self, "symbol", *at) && !self.is_named(*at)) else { return };
        let Some(group) = group(self, sign) else { return };
        let shows = |np: &&crate::parse::Np| {
            let indefinite = np.article.is_some_and(|at| matches!(self.norm(at), "a" | "an" | "two" | "three"));
            indefinite && np.name.is_none() && !(np.start <= sign && sign < np.end)
        };
        let found = self.groups.nps.iter().find(shows).map(|np| (np.content, np.end, np.start));
        if let Some((content, end, start)) = found {
            let item = self.item_at(start);
            let end = item.map_or(end, |item| self.value_end(item, self.groups.items.len()));
            self.propose("symbol", group, content, end, "loose_sign", mode);
        }
    }

    /// Returns the first and the end token of the words in quotation marks.
    fn quoted(&self) -> Option<(usize, usize)> {
        let whole = (0..self.tokens.len()).find(|at| matches!(self.tokens[*at].sort, Sort::Quote(_)));
        let mark = |c: Option<char>| c.is_some_and(|c| "\"\u{201C}\u{201D}\u{AB}\u{BB}".contains(c));
        let opens = |at: &usize| mark(self.text[..self.tokens[*at].start].chars().next_back());
        let closes = |at: &usize| {
            let rest = self.text[self.tokens[*at].end..].trim_start_matches(['.', ',', '!', '?']);
            mark(rest.chars().next())
        };
        let inline = || {
            let from = (0..self.tokens.len()).find(opens)?;
            let to = (from..self.tokens.len()).find(closes)?;
            Some((from, to + 1))
        };
        whole.map(|at| (at, at + 1)).or_else(inline)
    }

    /// Proposes a goal: "is out to break the guild", "has sworn to find him", "wants nothing more than to fly".
    fn set_on(&mut self, modes: &[Mode]) {
        for (at, mode) in modes.iter().enumerate() {
            let clause = self.clauses[at].clone();
            let vg = self.groups.vgs[clause.vg].clone();
            let last = (vg.end + 8).min(self.tokens.len());
            let behind = (vg.start..last).find_map(|from| {
                SET_ON.iter().find_map(|words| {
                    let words: Vec<&str> = words.split(' ').collect();
                    let fits = words.iter().enumerate().all(|(n, word)| self.norm(from + n) == *word);
                    fits.then_some(from + words.len())
                })
            });
            let subjects = self.subjects(&clause.subjects);
            let nothing = (vg.end..last).any(|at| self.norm(at) == "nothing");
            let meant = !mode.dead && (!mode.denied || vg.lemma == "rest" || nothing);
            let Some(from) = behind.filter(|_| meant && !subjects.is_empty()) else {
                continue;
            };
            let to = self.up_to(from, ".!;,");
            let mut mode = mode.clone();
            mode.denied = false;
            let goals = self.target("goals");
            if !self.facts.iter().any(|fact| Some(fact.target) == goals && fact.subject == subjects[0].who) {
                self.offer("goals", &subjects, from, to, "loose_set_on", &mode, 1);
            }
        }
    }

    /// Proposes the outcome of an event: "left forty dead", "failed", "was won by the guild".
    fn ended(&mut self, spots: &[Spot], mode: &Mode) {
        for clause in self.clauses {
            let vg = &self.groups.vgs[clause.vg];
            let subjects: Vec<(usize, usize)> =
                clause.subjects.iter().map(|np| (self.groups.nps[*np].start, self.groups.nps[*np].end)).collect();
            let event = spots.iter().find(|spot| self.kinds(spot.found.who) == Kinds::EVENT).copied();
            let Some(event) = event else { return };
            let acts = subjects.iter().any(|(start, end)| *start <= event.start && event.start < *end);
            let to = self.up_to(vg.end, ".!;,");
            if acts && ENDS.contains(&vg.lemma.as_str()) {
                let from = vg.head;
                self.propose("outcome", event, from, to, "loose_ended", mode);
            } else if vg.lemma == "win" && !vg.passive && event.start >= vg.end {
                let from = subjects.first().map_or(vg.start, |(start, _)| *start);
                self.propose("outcome", event, from, vg.end, "loose_ended", mode);
            }
        }
    }

    /// Proposes the objective of a quest: "must repair the relay", "is to repair the relay".
    fn asked(&mut self, spots: &[Spot], mode: &Mode) {
        let Some(quest) = spots.iter().find(|spot| self.kinds(spot.found.who) == Kinds::QUEST).copied() else { return };
        let opens = |vg: &&crate::parse::Vg| {
            let told = vg.form == VerbForm::Infinitive || matches!(vg.modal.as_deref(), Some("must" | "shall"));
            told && vg.start >= quest.end
        };
        let Some(from) = self.groups.vgs.iter().find(opens).map(|vg| vg.head) else { return };
        let to = self.up_to(from, ".!;");
        self.propose("objectives", quest, from, to, "loose_asked", mode);
    }

    /// Proposes the government of a place: "A council of five rules Halcyon", "Halcyon has an elected mayor".
    fn governed(&mut self, spots: &[Spot], mode: &Mode) {
        let rule = |form: &(String, crate::verbs::Form)| RULES.contains(&form.0.as_str());
        let rules = self
            .tokens
            .iter()
            .any(|token| self.grammar.forms.get(&token.norm).is_some_and(|forms| forms.iter().any(rule)));
        let ruler = self.groups.nps.iter().find(|np| np.name.is_none() && self.is_one_of(RULERS, np.head));
        let Some(start) = ruler.filter(|np| rules && np.article.is_some()).map(|np| np.start) else { return };
        let is_group = |item: &usize| matches!(self.groups.items[*item], Item::Np(_));
        let Some(item) = self.item_at(start).filter(is_group) else { return };
        let Some(place) = self.nearest(spots, Kinds::PLACE, start) else { return };
        let (from, to) = (self.content_of(item), self.value_end(item, self.groups.items.len()));
        self.propose("government", place, from, to, "loose_governed", mode);
    }

    /// Proposes a faith for each person who follows a god.
    fn gods(&mut self, mode: &Mode) {
        let follows = |fact: &&Read| {
            let person = self.kinds(fact.subject) == Kinds::PERSON && !fact.denied && !fact.over;
            person && self.grammar.targets[fact.target].predicate == *"FOLLOWS"
        };
        let found: Vec<_> = self.facts.iter().filter(follows).cloned().collect();
        for fact in found {
            let Said::Who(god) = fact.object else { continue };
            let kinds = self.kinds(god);
            let name = self.names.iter().find(|name| name.who == god).copied();
            if let Some(name) = name.filter(|_| kinds == Kinds::CONCEPT || matches!(god, crate::mentions::Who::New(_)))
            {
                let found = Ref::plain(fact.subject);
                let spot = Spot { found, start: name.start, end: name.end };
                self.propose("faith", spot, name.start, name.end, "loose_god", mode);
            }
        }
    }

    /// Proposes the place where a group lives as its headquarters.
    fn seats(&mut self, mode: &Mode) {
        let lives: Vec<_> = self
            .facts
            .iter()
            .filter(|fact| {
                let name = self.grammar.targets[fact.target].predicate.as_str();
                matches!(name, "RESIDENT_OF" | "LOCATED_AT") && !fact.denied && !fact.over
            })
            .filter(|fact| self.kinds(fact.subject) == Kinds::GROUP)
            .cloned()
            .collect();
        self.gods(mode);
        for fact in lives {
            let Said::Who(place) = fact.object else { continue };
            let name = self.names.iter().find(|name| name.who == place).copied();
            let group = self.names.iter().find(|name| name.who == fact.subject).copied();
            if let (Some(place), Some(group)) = (name, group) {
                let found = Ref::plain(group.who);
                let spot = Spot { found, start: group.start, end: group.end };
                self.propose("headquarters", spot, place.start, place.end, "loose_seat", mode);
            }
        }
    }
}
