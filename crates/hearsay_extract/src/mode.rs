//! Determines the assertion status of each clause: asserted, past, negated, doubtful, attributed to a speaker, or not
//! asserted at all.

use crate::{
    clauses::{Bond, From},
    facts::{Cue, CueKind},
    grammar::CueSort,
    mentions::Who,
    over::begins,
    parse::VerbForm,
    read::Reader,
};

/// Assertion status of a clause or sentence.
#[derive(Debug, Clone)]
pub(crate) struct Mode {
    /// Whether the clause asserts nothing about the world, because it is a question, a plan or a wish. No facts are
    /// read from such a clause.
    pub(crate) dead: bool,
    /// Factor for the confidence of facts from this clause: 1 without doubt, otherwise less.
    pub(crate) doubt: f64,
    pub(crate) denied: bool,
    pub(crate) over: bool,
    pub(crate) by: Option<Who>,
    pub(crate) told: Vec<Who>,
    pub(crate) cues: Vec<Cue>,
    pub(crate) nested: bool,
    /// Whether the clause describes a past state in the past tense. Facts of predicates that can end, such as
    /// `MEMBER_OF`, then count as over.
    pub(crate) was: bool,
    /// Whether the verb has the modal "would". Then only statements about wishes, likes and trust are read.
    pub(crate) would: bool,
    /// Whether the verb has the modal "can". Then only negated statements ("cannot") are read.
    pub(crate) can: bool,
}

impl Mode {
    /// Returns whether the clause plainly asserts something: without negation, "would" or "can".
    pub(crate) fn is_plain(&self) -> bool {
        !self.dead && !self.denied && !self.would && !self.can
    }
}

impl Reader<'_> {
    /// Returns the assertion status of each clause, in the order of the clauses.
    pub(crate) fn modes(&mut self, question: bool) -> Vec<Mode> {
        let mut modes: Vec<Mode> = Vec::new();
        for at in 0..self.clauses.len() {
            let mode = self.mode(at, question, &modes);
            modes.push(mode);
        }
        modes
    }

    /// Returns the assertion status of the sentence as a whole. It is the basis for the status of each clause.
    pub(crate) fn whole(&mut self, question: bool) -> Mode {
        let voice = self.voice.clone();
        let mut mode = Mode {
            dead: question || self.has_cue(CueSort::Chatter) || self.has_cue(CueSort::Wish),
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
        // Example: "Had she kept her mouth shut, the mill would be hers."
        let would = |at: usize| matches!(self.norm(at), "would" | "'d");
        mode.dead |= matches!(self.norm(0), "had" | "were" | "should") && (1..self.tokens.len()).any(would);
        // Example: "Let him be banished!"
        mode.dead |= self.norm(0) == "let";
        // Example: "Should Odo come, we …"
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
        // Examples: "According to Hope", "in Hope's own account"
        if let Some(by) = self.according_to() {
            mode.by = Some(by);
            mode.told.clear();
        } else if let Some((by, thinks)) = self.aside() {
            // Example: "the barber guesses"
            let unknown = by.is_none();
            if !unknown {
                mode.by = by;
                mode.told.clear();
            }
            if thinks || unknown {
                self.doubt(&mut mode, "thought", None);
            }
        }
        mode
    }

    pub(crate) fn doubt(&self, mode: &mut Mode, name: &str, cue: Option<Cue>) {
        let left = self.grammar.doubts.get(name).copied().unwrap_or(0.3);
        mode.doubt = mode.doubt.min(left);
        mode.cues.extend(cue.filter(|cue| !mode.cues.contains(cue)));
    }

    /// Returns the range of tokens around `token`, bounded by words such as "but" and "although".
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
            // Examples: "Don't quote me, but …", "…, but I could not swear to it"
            let hedge = found.sort == CueSort::Hedge;
            let beside =
                hedge && (found.start <= 2 && start <= found.end + 3 || found.start <= end + 3 && end < found.start);
            if found.sort != CueSort::Conditional && !beside && (found.start < start || found.end > end) {
                continue;
            }
            let cue = found.shown(self.tokens, self.text);
            match found.sort {
                CueSort::Hedge => self.doubt(&mut mode, "hedge", cue),
                CueSort::Rumour => self.doubt(&mut mode, "rumour", cue),
                // In "…, if you ask me", the words before the comma stay asserted.
                CueSort::Conditional => {
                    let behind = found.start > vg.head && found.start > 0 && self.norm(found.start - 1) == ",";
                    let if_alone = matches!(self.norm(found.start), "if" | "unless");
                    // Example: "possible, if unproven, that …"
                    let aside = if_alone && self.norm(found.end + 1) == ",";
                    // In "can't stand her, he goes purple if you name her", the condition belongs to "goes", not to
                    // "stand".
                    let of_another = if_alone
                        && self.clauses.iter().any(|other| {
                            let next = &self.groups.vgs[other.vg];
                            next.head > vg.head
                                && next.head < found.start
                                && next.form == VerbForm::Finite
                                && other.parent.is_none()
                                && (vg.end..next.start).any(|at| self.norm(at) == ",")
                        });
                    mode.dead |= !(aside || of_another || (behind && if_alone && vg.modal.is_none()));
                }
                CueSort::Plan => mode.dead |= found.start <= vg.head || found.start >= vg.end,
                CueSort::Over if !mode.over && self.is_near(found.start, at) && !begins(&vg) => {
                    mode.over = true;
                    mode.cues.extend(cue);
                }
                CueSort::Command => mode.dead |= found.start <= 2,
                _ => {}
            }
        }
        // "The belief on the station that …" reports the opinion of an unknown person.
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
        // The status of the clause that this clause depends on.
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
        // Example: "nearly killed"
        let nearly = (vg.start.saturating_sub(1)..(vg.end + 1).min(self.tokens.len()))
            .any(|token| matches!(self.norm(token), "nearly" | "almost" | "barely"));
        // "Nearly seventy" is an age, so "nearly" does not negate it.
        let counts = (vg.end..(vg.end + 2).min(self.tokens.len())).any(|token| self.is_number(self.norm(token)));
        mode.dead |= nearly && !(vg.copula && counts);
        mode.over |= self.was_before(at);
        // "We're meeting Tobias at the market" describes a plan.
        let soon = vg.progressive
            && !vg.past
            && !vg.perfect
            && matches!(
                vg.lemma.as_str(),
                "meet" | "go" | "leave" | "head" | "come" | "travel" | "ride" | "sail" | "attack" | "visit" | "take"
            )
            && clause.subjects.iter().any(|np| matches!(self.norm(self.np_group(*np).head), "we" | "i"));
        // Example: "you know Odo, the skinny one"
        let you = clause.subjects.iter().any(|np| self.norm(self.np_group(*np).head) == "you");
        mode.dead |= you && self.voice.talk && vg.lemma == "know" && !vg.past && !vg.perfect;
        mode.dead |= soon;
        mode.dead |= vg.going_to;
        mode.over |= vg.used_to;
        if vg.negated {
            // "No longer" is handled as a cue. "Not … any more" means that the fact is over.
            let any_more = self.any_more(vg.end, end);
            mode.over |= any_more;
            if any_more
                || mode.over
                    && self.cues.iter().any(|cue| {
                        cue.sort == CueSort::Over && (self.said(cue.start, cue.end).to_lowercase().contains("any"))
                    })
            {
                mode.denied = false;
            } else {
                mode.denied = !mode.denied;
            }
        }
        // Example: "was his wife for ten years"
        let span = (clause.rest.0..clause.rest.1).any(|item| {
            self.syntax.word(item) == "for"
                && self.syntax.np(item + 1).is_some_and(|np| {
                    matches!(self.norm(self.np_group(np).head), "years" | "months" | "winters" | "summers" | "decades")
                })
        });
        mode.was |= span && vg.past && !vg.perfect && !vg.negated;
        // Example: "owes him nothing"
        let nothing = (clause.rest.0..clause.rest.1).any(|item| {
            self.syntax.np(item).is_some_and(|np| self.norm(self.np_group(np).head) == "nothing")
                && !matches!(self.syntax.word(item + 1), "but" | "except" | "save")
        });
        mode.denied |= nothing && !vg.copula;
        // Example: "nor did they want it"
        mode.denied |= (vg.start.saturating_sub(3)..vg.start).any(|at| {
            self.norm(at) == "nor"
                && matches!(self.norm(at + 1), "do" | "does" | "did" | "has" | "had" | "is" | "was" | "were")
        });
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
        // Example: "Neither Odo nor Lyra trusts …"
        let neither = clause.subjects.first().is_some_and(|np| {
            let start = self.np_group(*np).start;
            start > 0 && self.norm(start - 1) == "neither" || self.norm(start) == "neither"
        });
        mode.denied ^= neither && !mode.over;
        // Example: "is neither a smith nor a member"
        let neither = (vg.end..(vg.end + 2).min(self.tokens.len())).any(|at| self.norm(at) == "neither");
        mode.denied |= neither && !vg.negated;
        // Example: "Never, in all his years, did he set foot there."
        mode.denied |= self.norm(0) == "never"
            && !vg.negated
            && (vg.start.saturating_sub(3)..vg.end).any(|at| self.norm(at) == "did");
        if vg.silent && mode.cues.is_empty() && self.tokens.len() > 24 {
            mode.dead = true;
        }
        mode
    }

    /// Returns whether the subject of a clause is "nobody" or begins with "no", as in "Nobody knows that …".
    pub(crate) fn nobody(&self, clause: usize) -> bool {
        self.clauses[clause].subjects.iter().any(|np| {
            let np = self.np_group(*np);
            matches!(self.norm(np.head), "nobody" | "noone") || np.article.is_some_and(|at| self.norm(at) == "no")
        })
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
                // "I'd say he works for her" states a guess.
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
                    // Examples: "learned from Tessa that …", "has it from Tessa that …"
                    self.heard_from(parent, mode);
                } else if sort.factive && vg.negated {
                    // "Does not know that he left" implies that he left.
                    mode.denied = false;
                }
            }
            Bond::Infinitive => {
                inherit(mode);
                mode.nested = true;
                mode.over |= above.over;
                let known = vg.passive && matches!(lemma.as_str(), "know" | "find" | "show" | "prove");
                // Example: "is looking to buy it"
                let seeks = vg.progressive && lemma == "look";
                let alive = ((sort.real || sort.seeming) && !vg.copula && !seeks) || known;
                let claims = sort.speech && matches!(lemma.as_str(), "claim" | "admit" | "profess");
                if claims {
                    self.attribute(parent, mode);
                    // Example: "claims to be an entertainer"
                    if lemma != "admit" && self.vg(at).copula {
                        let words = self.said(vg.head, vg.end);
                        self.doubt(mode, "rumour", Some(Cue { kind: CueKind::Rumour, words }));
                    }
                } else if vg.passive
                    && (sort.speech
                        || sort.thought
                        || matches!(lemma.as_str(), "rumour" | "rumor" | "repute" | "allege"))
                {
                    // Example: "is said to own"
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
                // Example: "when I was young and stupid"
                let own = self.vg(at);
                mode.dead |= matches!(word.as_str(), "when" | "since" | "as" | "while") && own.copula && own.past;
                // Example: "vicious when he's drunk"
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
                // In "has yet to repay the crowns he borrowed", the relative clause is true although the main clause is
                // not.
                let given = self.clauses[at]
                    .start
                    .checked_sub(1)
                    .and_then(|item| self.syntax.np(item))
                    .is_some_and(|np| self.np_group(np).article.is_some_and(|article| self.norm(article) == "the"));
                if given && *self.bond(parent) == Bond::Infinitive {
                    mode.dead = dead;
                }
                // Example: "it isn't Sela who owns the Bell"
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
}
