//! How a clause is meant: as so, as no longer so, as not so, as somebody's word, or not at all.

use crate::{
    clauses::{Bond, From},
    facts::{Cue, CueKind},
    grammar::CueSort,
    kinds::Kinds,
    mentions::Who,
    parse::VerbForm,
    read::Reader,
};

/// How a clause is meant.
#[derive(Debug, Clone)]
pub(crate) struct Mode {
    /// It says nothing of the world: a question, a plan, a wish.
    pub(crate) dead: bool,
    /// What is left of the confidence.
    pub(crate) doubt: f64,
    pub(crate) denied: bool,
    pub(crate) over: bool,
    pub(crate) by: Option<Who>,
    pub(crate) told: Vec<Who>,
    pub(crate) cues: Vec<Cue>,
    pub(crate) nested: bool,
    /// It is said of the past, at the table.
    pub(crate) was: bool,
    /// "would": only what one wants, likes and whom one trusts is so.
    pub(crate) would: bool,
    /// "can": only what one cannot is so.
    pub(crate) can: bool,
}

impl Mode {
    /// Whether it says that something is so, and not that it may, shall or can be, or is not.
    pub(crate) fn is_plain(&self) -> bool {
        !self.dead && !self.denied && !self.would && !self.can
    }
}

/// What somebody tells, and what somebody only thinks.
const TELLINGS: [&str; 31] = [
    "account",
    "statement",
    "telling",
    "version",
    "words",
    "opinion",
    "testimony",
    "letter",
    "report",
    "word",
    "story",
    "note",
    "notes",
    "diary",
    "journal",
    "log",
    "book",
    "deposition",
    "confession",
    "memoir",
    "memoirs",
    "chronicle",
    "song",
    "ballad",
    "claim",
    "answer",
    "message",
    "reply",
    "tale",
    "admission",
    "complaint",
];
/// "Before dawn he joined them": when it was, and no time that is over.
const HOURS: [&str; 14] = [
    "dawn",
    "dusk",
    "noon",
    "midday",
    "midnight",
    "nightfall",
    "daybreak",
    "sunrise",
    "sunset",
    "morning",
    "breakfast",
    "supper",
    "dark",
    "light",
];

const GUESSES: [&str; 12] = [
    "theory",
    "guess",
    "belief",
    "hunch",
    "suspicion",
    "view",
    "bet",
    "feeling",
    "conviction",
    "assumption",
    "impression",
    "reckoning",
];

impl Reader<'_> {
    /// How each clause is meant.
    pub(crate) fn modes(&mut self, question: bool) -> Vec<Mode> {
        let mut modes: Vec<Mode> = Vec::new();
        for at in 0..self.clauses.len() {
            let mode = self.mode(at, question, &modes);
            modes.push(mode);
        }
        modes
    }

    /// How the sentence as a whole is meant.
    pub(crate) fn whole(&mut self, question: bool) -> Mode {
        let voice = self.voice.clone();
        let mut mode = Mode {
            dead: question
                || self.has_cue(CueSort::Chatter)
                || self.has_cue(CueSort::Injection)
                || self.has_cue(CueSort::Wish),
            doubt: 1.0,
            denied: false,
            over: false,
            by: voice.speaker,
            told: voice.told.clone(),
            cues: Vec::new(),
            nested: false,
            was: false,
            would: false,
            can: false,
        };
        // "Had she kept her mouth shut, the mill would be hers."
        let would = |at: usize| matches!(self.norm(at), "would" | "'d");
        mode.dead |= matches!(self.norm(0), "had" | "were" | "should") && (1..self.tokens.len()).any(would);
        // "Let him be banished!"
        mode.dead |= self.norm(0) == "let";
        // "Should Odo come, we …"
        mode.dead |= self.norm(0) == "should" || (self.norm(0) == "were" && (1..self.tokens.len()).any(would));
        if voice.unknown {
            self.doubt(&mut mode, "quoted", None);
        }
        if self.guessed {
            self.doubt(&mut mode, "hedge", None);
        }
        for found in self.cues {
            let name = match found.sort {
                CueSort::Sarcasm => "sarcasm",
                _ => continue,
            };
            let cue = found.shown(self.tokens, self.text);
            self.doubt(&mut mode, name, cue);
        }
        // "According to Hope", "in Hope's own account".
        if let Some(by) = self.according_to() {
            mode.by = Some(by);
            mode.told.clear();
        } else if let Some((by, thinks)) = self.aside() {
            mode.by = Some(by);
            mode.told.clear();
            if thinks {
                self.doubt(&mut mode, "thought", None);
            }
        }
        mode
    }

    /// "The mill, says Odo, is cursed": who says it, and whether they only think so.
    fn aside(&mut self) -> Option<(Who, bool)> {
        if self.syntax.has_quote() {
            return None;
        }
        // "…, or so Nessa claims"
        let so = (0..self.clauses.len()).find(|at| {
            let clause = &self.clauses[*at];
            let first = clause.subjects.first().map(|np| self.groups.nps[*np].start);
            let sort = self.grammar.sort(&self.vg(*at).lemma);
            (sort.speech || sort.thought)
                && first.is_some_and(|at| {
                    let before = at.checked_sub(2).map_or("", |at| self.norm(at));
                    at > 2
                        && matches!(self.norm(at - 1), "so" | "as")
                        && matches!(before, "or" | "," | "\u{2014}" | "at" | "least")
                })
        });
        if let Some(at) = so {
            let subjects = self.clauses[at].subjects.clone();
            return self.resolve_all(&subjects, &[]).first().map(|found| (found.who, true));
        }
        // "As Anselm tells it, …"
        let tells = |at: &usize| {
            let vg = self.vg(*at);
            matches!(vg.lemma.as_str(), "tell" | "say" | "claim" | "have" | "report" | "put")
                && !vg.passive
                && !vg.negated
        };
        if self.norm(0) == "as"
            && let Some(first) = Some(0).filter(|_| !self.clauses.is_empty()).filter(tells)
            && (self.vg(first).end..self.vg(first).end + 2).any(|at| self.norm(at) == ",")
        {
            let subjects = self.clauses[first].subjects.clone();
            return self.resolve_all(&subjects, &[]).first().map(|found| (found.who, false));
        }
        let said = (0..self.clauses.len()).find(|at| {
            let clause = &self.clauses[*at];
            let vg = self.vg(*at);
            let sort = self.grammar.sort(&vg.lemma);
            let apart = clause.start > 0 && self.syntax.word(clause.start - 1) == ",";
            let ends = clause.rest.0 >= self.groups.items.len()
                || matches!(
                    self.syntax.word(clause.rest.0),
                    "," | "." | "!" | "to" | "in" | "with" | "over" | "\u{2014}"
                );
            (sort.speech || sort.thought)
                && vg.form == VerbForm::Finite
                && !matches!(vg.lemma.as_str(), "hold" | "call" | "promise" | "swear" | "answer" | "report" | "offer")
                && !vg.passive
                && !vg.negated
                && matches!(clause.from, From::Direct | From::Inverted)
                && apart
                && ends
                && !self.clauses.iter().any(|other| other.parent == Some(*at))
        })?;
        let thinks = self.grammar.sort(&self.vg(said).lemma).thought;
        let subjects = self.clauses[said].subjects.clone();
        self.resolve_all(&subjects, &[]).first().map(|found| (found.who, thinks))
    }

    /// "Rafi's theory is that …": whose it is, and whether it is only a guess.
    fn tellings(&mut self, clause: usize) -> Option<(Who, bool)> {
        let [np] = self.clauses[clause].subjects[..] else { return None };
        let head = self.norm(self.groups.nps[np].head).to_owned();
        let guess = GUESSES.contains(&head.as_str());
        if !guess && !TELLINGS.contains(&head.as_str()) {
            return None;
        }
        let item = self.item_of(np);
        let owners = self.owners(np, item, &["of", "from", "by"]);
        owners.first().map(|owner| (owner.who, guess))
    }

    fn doubt(&self, mode: &mut Mode, name: &str, cue: Option<Cue>) {
        let left = self.grammar.doubts.get(name).copied().unwrap_or(0.3);
        mode.doubt = mode.doubt.min(left);
        mode.cues.extend(cue.filter(|cue| !mode.cues.contains(cue)));
    }

    fn according_to(&mut self) -> Option<Who> {
        let cue = self.cues.iter().find(|cue| cue.sort == CueSort::SpeakingOf).map(|cue| cue.end);
        let np = match cue {
            Some(end) => self.groups.nps.iter().position(|np| np.start == end && np.owner.is_none()),
            None => {
                let owned = |np: &crate::parse::Np| {
                    np.owner.filter(|_| {
                        (TELLINGS.contains(&self.norm(np.head)) || GUESSES.contains(&self.norm(np.head)))
                            && np.start > 0
                            && matches!(self.norm(np.start - 1), "in" | "by" | "from" | "on" | "to")
                    })
                };
                self.groups.nps.iter().find_map(owned)
            }
        }?;
        self.resolve(np, &[]).first().map(|found| found.who)
    }

    /// The stretch of tokens, between "but" and its like, in which a token stands.
    fn segment(&self, token: usize) -> (usize, usize) {
        let breaks = |at: &usize| {
            matches!(self.norm(*at), "but" | "although" | "though" | "however" | ";")
                && !(*at > 0 && matches!(self.norm(*at - 1), "as" | "nobody" | "nothing" | "none"))
        };
        let start = (0..token).rev().find(breaks).map_or(0, |at| at + 1);
        let end = (token..self.tokens.len()).find(breaks).unwrap_or(self.tokens.len());
        (start, end)
    }

    fn mode(&mut self, at: usize, question: bool, before: &[Mode]) -> Mode {
        let clause = self.clauses[at].clone();
        let vg = self.vg(at).clone();
        let mut mode = self.whole(question);
        let (start, end) = self.segment(vg.head);
        for found in self.cues {
            if found.sort != CueSort::Conditional && (found.start < start || found.end > end) {
                continue;
            }
            let cue = found.shown(self.tokens, self.text);
            match found.sort {
                CueSort::Hedge => self.doubt(&mut mode, "hedge", cue),
                CueSort::Rumour => self.doubt(&mut mode, "rumour", cue),
                // "…, if you ask me" leaves what was said before it.
                CueSort::Conditional => {
                    let behind = found.start > vg.head && found.start > 0 && self.norm(found.start - 1) == ",";
                    let if_alone = matches!(self.norm(found.start), "if" | "unless");
                    // "possible, if unproven, that …"
                    let aside = if_alone && self.norm(found.end + 1) == ",";
                    mode.dead |= !(aside || (behind && if_alone && vg.modal.is_none()));
                }
                CueSort::Plan => mode.dead |= found.start <= vg.head || found.start >= vg.end,
                CueSort::Over if !mode.over && self.is_near(found.start, at) => {
                    mode.over = true;
                    mode.cues.extend(cue);
                }
                CueSort::Command => mode.dead |= found.start <= 2,
                _ => {}
            }
        }
        // "the belief on the station that …": somebody's word, and nobody knows whose.
        let hung = matches!(clause.bond, Bond::Complement)
            && clause.parent.is_none_or(|parent| {
                let sort = self.grammar.sort(&self.vg(parent).lemma);
                !(sort.speech || sort.thought || sort.factive || sort.seeming || self.vg(parent).copula)
            })
            && clause.start > 0
            && self.syntax.word(clause.start) == "that"
            && !self.clauses.iter().any(|other| self.syntax.brings_word(other));
        if hung {
            self.doubt(&mut mode, "thought", None);
        }
        // What it depends on.
        let parent = clause.parent.and_then(|parent| Some((parent, before.get(parent)?.clone())));
        if let Some((parent, parent_mode)) = parent {
            self.depend(at, parent, &parent_mode, &mut mode);
        }
        match vg.modal.as_deref() {
            Some("might" | "may" | "could") => {
                let cue = Cue { kind: CueKind::Hedge, words: vg.modal.clone().unwrap_or_default() };
                self.doubt(&mut mode, "hedge", Some(cue));
            }
            Some("must") if vg.copula || vg.progressive || vg.perfect => {
                self.doubt(&mut mode, "hedge", Some(Cue { kind: CueKind::Hedge, words: "must".into() }));
            }
            Some("would") => mode.would = true,
            Some("can") => mode.can = true,
            Some(_) => mode.dead = true,
            None => {}
        }
        mode.was |= vg.copula && vg.past && !vg.perfect && self.voice.at_table && !mode.nested;
        // "nearly killed"
        let nearly = (vg.start.saturating_sub(1)..(vg.end + 1).min(self.tokens.len()))
            .any(|token| matches!(self.norm(token), "nearly" | "almost" | "barely"));
        // "nearly seventy" is an age.
        let counts = (vg.end..(vg.end + 2).min(self.tokens.len())).any(|token| self.is_number(self.norm(token)));
        mode.dead |= nearly && !(vg.copula && counts);
        // "Before the fire, they trusted …"
        let framed = matches!(self.syntax.word(0), "before" | "until" | "till")
            && self.syntax.is_preposition(0)
            && clause.start > 1
            && !self.syntax.np(1).is_some_and(|np| HOURS.contains(&self.norm(self.np_group(np).head)));
        mode.over |= framed && (vg.past || vg.perfect);
        // "We're meeting Tobias at the market": not yet.
        let soon = vg.progressive
            && !vg.past
            && !vg.perfect
            && matches!(
                vg.lemma.as_str(),
                "meet" | "go" | "leave" | "head" | "come" | "travel" | "ride" | "sail" | "attack" | "visit" | "take"
            )
            && clause.subjects.iter().any(|np| matches!(self.norm(self.np_group(*np).head), "we" | "i"));
        // "you know Odo, the skinny one"
        let you = clause.subjects.iter().any(|np| self.norm(self.np_group(*np).head) == "you");
        mode.dead |= you && self.voice.talk && vg.lemma == "know" && !vg.past && !vg.perfect;
        mode.dead |= soon;
        mode.dead |= vg.going_to;
        mode.over |= vg.used_to;
        if vg.negated {
            // "no longer" is a cue; "not … any more" is over.
            if mode.over
                && self.cues.iter().any(|cue| {
                    cue.sort == CueSort::Over && (self.said(cue.start, cue.end).to_lowercase().contains("any"))
                })
            {
                mode.denied = false;
            } else {
                mode.denied = !mode.denied;
            }
        }
        // "belonged to Rusk until Odo stole it"
        let until = self.clauses.iter().any(|other| {
            other.start > clause.verb
                && matches!(&other.bond, Bond::Adverbial(word) if word == "until" || word == "till")
                && self.clauses[at + 1..]
                    .iter()
                    .filter(|next| next.verb < other.verb)
                    .all(|next| next.parent == Some(at))
        });
        mode.over |= until && vg.past && !vg.negated;
        // "was his wife for ten years"
        let span = (clause.rest.0..clause.rest.1).any(|item| {
            self.syntax.word(item) == "for"
                && self.syntax.np(item + 1).is_some_and(|np| {
                    matches!(self.norm(self.np_group(np).head), "years" | "months" | "winters" | "summers" | "decades")
                })
        });
        mode.was |= span && vg.past && !vg.perfect && !vg.negated;
        // "Before she was a lady she was a goose-girl", "was a footpad before the law came"
        let earlier = (0..self.tokens.len()).any(|at| self.norm(at) == "before" && (at == 0 || at > vg.end));
        mode.over |= earlier && vg.past && vg.copula && !vg.negated && clause.bond != Bond::Adverbial("before".into());
        // "owes him nothing"
        let nothing = (clause.rest.0..clause.rest.1).any(|item| {
            self.syntax.np(item).is_some_and(|np| self.norm(self.np_group(np).head) == "nothing")
                && !matches!(self.syntax.word(item + 1), "but" | "except" | "save")
        });
        mode.denied |= nothing && !vg.copula;
        // "nor did they want it"
        mode.denied |= (vg.start.saturating_sub(3)..vg.start).any(|at| {
            self.norm(at) == "nor"
                && matches!(self.norm(at + 1), "do" | "does" | "did" | "has" | "had" | "is" | "was" | "were")
        });
        // "once worked", "was once": long ago.
        let since = (vg.end..self.tokens.len()).any(|at| self.norm(at) == "since");
        mode.over |= vg.copula && vg.perfect && vg.past && !since;
        let clause_end = match self.groups.items.get(clause.rest.1) {
            Some(crate::parse::Item::Tok(at)) if self.tokens[*at].is_mark(".,!") => at + 2,
            _ => vg.end + 1,
        };
        let once = (vg.start.saturating_sub(1)..clause_end.max(vg.end + 1).min(self.tokens.len()))
            .any(|token| matches!(self.norm(token), "once" | "formerly" | "previously" | "originally"));
        let last = self.end_of(clause.rest.1.saturating_sub(1)).min(self.tokens.len());
        let ends_once = self.syntax.word(clause.rest.1) == "once"
            && (clause.rest.1 + 1 >= self.groups.items.len()
                || matches!(self.syntax.word(clause.rest.1 + 1), "," | "." | "!" | ";"));
        let mut rest = vg.end..last.min(self.tokens.len());
        let apart = rest.any(|at| self.norm(at) == "once" && self.tokens[at - 1].is_mark(","));
        let once = once || ends_once || apart;
        if once && (vg.past || vg.perfect) {
            mode.over = true;
        }
        // A command: "Hope, take Sela down".
        // "Hope, take Sela down and keep her there"
        let called = vg.base && vg.start > 0 && self.norm(vg.start - 1) == "," && clause.from == From::Direct;
        let goes_on = vg.base && clause.from == From::Shared && before.last().is_some_and(|before| before.dead);
        mode.dead |= called || goes_on;
        let nobody_acts = clause.from == From::Nobody || clause.subjects.is_empty();
        let bare = vg.base && !vg.silent && vg.form == VerbForm::Finite && vg.modal.is_none();
        if nobody_acts && bare {
            mode.dead = true;
        }
        let nobody = clause.subjects.iter().any(|np| {
            let np = self.np_group(*np);
            matches!(
                self.norm(np.head),
                "nobody" | "noone" | "nothing" | "anyone" | "anybody" | "someone" | "somebody" | "whoever"
            ) || np.article.is_some_and(|at| self.norm(at) == "no")
        });
        mode.dead |= nobody;
        // "Neither Odo nor Lyra trusts …"
        let neither = clause.subjects.first().is_some_and(|np| {
            let start = self.np_group(*np).start;
            start > 0 && self.norm(start - 1) == "neither" || self.norm(start) == "neither"
        });
        mode.denied ^= neither && !mode.over;
        if vg.silent && mode.cues.is_empty() && self.tokens.len() > 24 {
            mode.dead = true;
        }
        mode
    }

    /// "Nobody knows that …"
    fn nobody(&self, clause: usize) -> bool {
        self.clauses[clause].subjects.iter().any(|np| {
            let np = self.np_group(*np);
            matches!(self.norm(np.head), "nobody" | "noone") || np.article.is_some_and(|at| self.norm(at) == "no")
        })
    }

    /// Whether a cue of the past belongs to a clause: it stands in it, or in the sentence's frame.
    fn is_near(&self, cue: usize, clause: usize) -> bool {
        let vg = self.vg(clause);
        let own = &self.clauses[clause];
        // "Bram, once a smith, lost his hand": the smith is over, and not the hand.
        if cue > 0 && self.norm(cue - 1) == "," && (cue..vg.start).any(|at| self.norm(at) == ",") {
            return false;
        }
        let past = vg.past
            || vg.perfect
            || vg.used_to
            || vg.silent
            || vg.form != VerbForm::Finite
            || self.norm(cue) == "no longer"
            || self.norm(cue) == "anymore"
            || self.norm(cue) == "not"
            || self.norm(cue) == "any";
        // Another verb stands between.
        let between = self.clauses.iter().enumerate().any(|(at, other)| {
            let head = self.groups.vgs[other.vg].head;
            at != clause
                && other.vg != own.vg
                && self.groups.vgs[other.vg].form == VerbForm::Finite
                && ((cue < head && head < vg.start) || (vg.end < head && head < cue))
        });
        past && !between
    }

    fn depend(&mut self, at: usize, parent: usize, above: &Mode, mode: &mut Mode) {
        let lemma = self.vg(parent).lemma.clone();
        let sort = self.grammar.sort(&lemma);
        let vg = self.vg(parent).clone();
        let bond = self.bond(at).clone();
        let inherit = |mode: &mut Mode| {
            mode.dead |= above.dead;
            mode.doubt = mode.doubt.min(above.doubt);
            mode.by = above.by;
            mode.told.clone_from(&above.told);
            for cue in &above.cues {
                if cue.kind != CueKind::Past && !mode.cues.contains(cue) {
                    mode.cues.push(cue.clone());
                }
            }
        };
        match bond {
            Bond::Complement => {
                let unknown =
                    sort.factive && lemma != "prove" && self.nobody(parent) && !self.asks() && vg.modal.is_none();
                let dead = mode.dead;
                inherit(mode);
                if unknown {
                    mode.dead = dead;
                }
                mode.nested = true;
                // "I'd say he works for her" is a guess.
                let ventured = above.would && matches!(lemma.as_str(), "say" | "guess" | "bet" | "wager" | "reckon");
                if (above.would && !ventured) || above.can {
                    mode.dead = true;
                }
                if sort.thought || sort.seeming {
                    let words = self.said(vg.head, vg.end);
                    let cue = Cue { kind: CueKind::Thought, words };
                    self.doubt(mode, "thought", Some(cue));
                    mode.dead |= vg.negated || matches!(lemma.as_str(), "hope" | "wonder" | "doubt" | "dream");
                    self.thinker(parent, mode);
                    self.heard_from(parent, mode);
                } else if sort.speech || self.syntax.brings_word(&self.clauses[parent]) {
                    mode.dead |= vg.negated || (vg.modal.is_some() && vg.modal.as_deref() != Some("can") && !ventured);
                    mode.denied ^= matches!(lemma.as_str(), "deny" | "dispute" | "refute");
                    self.attribute(parent, mode);
                } else if let Some((by, guess)) = self.tellings(parent).filter(|_| vg.copula) {
                    mode.by = Some(by);
                    if guess {
                        let words = self.said(vg.head, vg.end);
                        self.doubt(mode, "thought", Some(Cue { kind: CueKind::Thought, words }));
                    }
                } else if matches!(lemma.as_str(), "learn" | "have" | "get" | "know") && !vg.negated {
                    // "learned from Tessa that …", "has it from Tessa that …"
                    self.heard_from(parent, mode);
                } else if sort.factive && vg.negated {
                    // "does not know that he left": he left.
                    mode.denied = false;
                }
            }
            Bond::Infinitive => {
                inherit(mode);
                mode.nested = true;
                mode.over |= above.over;
                let known = vg.passive && matches!(lemma.as_str(), "know" | "find" | "show" | "prove");
                // "is looking to buy it"
                let seeks = vg.progressive && lemma == "look";
                let alive = ((sort.real || sort.seeming) && !vg.copula && !seeks) || known;
                let claims = sort.speech && matches!(lemma.as_str(), "claim" | "admit" | "profess");
                if claims {
                    self.attribute(parent, mode);
                } else if vg.passive
                    && (sort.speech
                        || sort.thought
                        || matches!(lemma.as_str(), "rumour" | "rumor" | "repute" | "allege"))
                {
                    // "is said to own"
                    let words = self.said(vg.head, vg.end);
                    self.doubt(mode, "rumour", Some(Cue { kind: CueKind::Rumour, words }));
                } else if !alive {
                    mode.dead = true;
                }
                mode.denied |= above.denied;
            }
            Bond::Reduced => {
                inherit(mode);
                mode.denied |= above.denied && matches!(lemma.as_str(), "stop" | "see");
                if matches!(lemma.as_str(), "stop" | "quit" | "cease") {
                    mode.over = true;
                }
                if matches!(
                    lemma.as_str(),
                    "consider"
                        | "suggest"
                        | "imagine"
                        | "avoid"
                        | "deny"
                        | "mind"
                        | "propose"
                        | "dream"
                        | "think"
                        | "talk"
                        | "fear"
                ) {
                    mode.dead = true;
                }
            }
            Bond::Adverbial(word) => {
                inherit(mode);
                mode.dead |= above.dead && self.whole(false).dead;
                // "when I was young and stupid"
                let own = self.vg(at);
                mode.dead |= matches!(word.as_str(), "when" | "since" | "as" | "while") && own.copula && own.past;
                // "vicious when he's drunk"
                mode.dead |= matches!(word.as_str(), "when" | "whenever") && own.copula;
                mode.dead |= matches!(
                    word.as_str(),
                    "if" | "unless"
                        | "until"
                        | "till"
                        | "before"
                        | "without"
                        | "of"
                        | "about"
                        | "from"
                        | "lest"
                        | "whether"
                        | "for"
                        | "against"
                        | "instead"
                        | "than"
                );
            }
            Bond::Relative => {
                let dead = mode.dead;
                inherit(mode);
                // "has yet to repay the crowns he borrowed": those he borrowed.
                let given = self.clauses[at]
                    .start
                    .checked_sub(1)
                    .and_then(|item| self.syntax.np(item))
                    .is_some_and(|np| self.np_group(np).article.is_some_and(|article| self.norm(article) == "the"));
                if given && *self.bond(parent) == Bond::Infinitive {
                    mode.dead = dead;
                }
                // "it isn't Sela who owns the Bell".
                let cleft = vg.copula
                    && self.clauses[parent].subjects.iter().any(|np| self.norm(self.groups.nps[*np].head) == "it");
                if cleft {
                    mode.denied ^= above.denied;
                } else if above.denied {
                    mode.denied = false;
                }
            }
            Bond::Main => {}
        }
    }

    /// What is said is said by the subject of the verb of speech.
    fn attribute(&mut self, parent: usize, mode: &mut Mode) {
        let subjects = self.clauses[parent].subjects.clone();
        let mut said_by = self.resolve_all(&subjects, &[]);
        // "Wibble's letter says"
        if said_by.is_empty()
            && let [np] = subjects[..]
        {
            let item = self.item_of(np);
            said_by = self.owners(np, item, &["of", "from", "by"]);
            said_by.retain(|found| self.kinds(found.who).meets(Kinds::PERSON));
        }
        // "Camille was told by Baptiste that …"
        if self.vg(parent).passive {
            let (from, to) = self.clauses[parent].rest;
            let agent = (from..to).find(|item| matches!(self.syntax.word(*item), "by" | "from"));
            let agents = agent.map(|item| self.syntax.list(item + 1, to).0).unwrap_or_default();
            let told = said_by.iter().map(|found| found.who).collect();
            said_by = self.resolve_all(&agents, &[]);
            if let Some(by) = said_by.first() {
                mode.by = Some(by.who);
                mode.told = told;
                return;
            }
        }
        match said_by.first() {
            Some(by) => {
                let told = self.told(parent);
                mode.by = Some(by.who);
                mode.told = told;
            }
            None => {
                let vg = self.vg(parent);
                let words = self.said(vg.head, vg.end);
                self.doubt(mode, "rumour", Some(Cue { kind: CueKind::Rumour, words }));
            }
        }
    }

    /// "Ulf reckons that …": a guess, and Ulf's.
    fn thinker(&mut self, parent: usize, mode: &mut Mode) {
        let subjects = self.clauses[parent].subjects.clone();
        let first = subjects.iter().any(|np| matches!(self.norm(self.groups.nps[*np].head), "i" | "we"));
        if !first && let Some(by) = self.resolve_all(&subjects, &[]).first() {
            mode.by = Some(by.who);
        }
    }

    /// "I heard from Sela that …": Sela says so.
    fn heard_from(&mut self, parent: usize, mode: &mut Mode) {
        let (from, to) = self.clauses[parent].rest;
        let Some(item) = (from..to).find(|item| self.syntax.word(*item) == "from") else { return };
        let (list, _) = self.syntax.list(item + 1, self.groups.items.len());
        if let Some(by) = self.resolve_all(&list, &[]).first() {
            mode.by = Some(by.who);
        }
    }
}
