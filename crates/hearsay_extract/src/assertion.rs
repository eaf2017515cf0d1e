//! Determines the assertion status of each clause: asserted, past, negated, doubtful, attributed to a speaker, or not
//! asserted at all.

use crate::{
    chunker::VerbForm,
    clauses::{ClauseType, SubjectSource},
    facts::{Cue, CueKind},
    grammar::CueType,
    mentions::EntityRef,
    sentence_reader::SentenceReader,
    temporality::is_lasting_act,
};

/// Assertion status of a clause or sentence.
#[derive(Debug, Clone)]
pub(crate) struct AssertionStatus {
    /// Whether the clause asserts nothing about the world, because it is a question, a plan or a wish. No facts are
    /// read from such a clause.
    pub(crate) is_unasserted: bool,
    /// Factor for the confidence of facts from this clause: 1 without doubt, otherwise less.
    pub(crate) confidence_factor: f64,
    pub(crate) denied: bool,
    pub(crate) ended: bool,
    pub(crate) stated_by: Option<EntityRef>,
    pub(crate) told_to: Vec<EntityRef>,
    pub(crate) cues: Vec<Cue>,
    pub(crate) is_embedded: bool,
    /// Whether the clause describes a past state in the past tense. Facts of predicates that can end, such as
    /// `MEMBER_OF`, then count as over.
    pub(crate) is_past_state: bool,
    /// Whether the verb has the modal "would". Then only statements about wishes, likes and trust are read.
    pub(crate) has_would: bool,
    /// Whether the verb has the modal "can". Then only negated statements ("cannot") are read.
    pub(crate) has_can: bool,
}

impl AssertionStatus {
    /// Returns whether the clause plainly asserts something: without negation, "would" or "can".
    pub(crate) fn is_plain_assertion(&self) -> bool {
        !self.is_unasserted && !self.denied && !self.has_would && !self.has_can
    }
}

impl SentenceReader<'_> {
    /// Returns the assertion status of each clause, in the order of the clauses.
    pub(crate) fn clause_statuses(&mut self, is_question: bool) -> Vec<AssertionStatus> {
        let mut statuses: Vec<AssertionStatus> = Vec::new();
        for at in 0..self.clauses.len() {
            let status = self.clause_status(at, is_question, &statuses);
            statuses.push(status);
        }
        statuses
    }

    /// Returns the assertion status of the sentence as a whole. It is the basis for the status of each clause.
    pub(crate) fn sentence_status(&mut self, is_question: bool) -> AssertionStatus {
        let speech = self.speech.clone();
        let mut status = AssertionStatus {
            is_unasserted: is_question || self.has_cue(CueType::OutOfCharacter) || self.has_cue(CueType::Wish),
            confidence_factor: 1.0,
            denied: false,
            ended: false,
            stated_by: speech.speaker,
            told_to: speech.named_hearers.clone(),
            cues: Vec::new(),
            is_embedded: false,
            is_past_state: false,
            has_would: false,
            has_can: false,
        };
        // Example: "Had she kept her mouth shut, the mill would be hers."
        let is_would = |at: usize| matches!(self.norm(at), "would" | "'d");
        status.is_unasserted |=
            matches!(self.norm(0), "had" | "were" | "should") && (1..self.tokens.len()).any(is_would);
        // Example: "Let him be banished!"
        status.is_unasserted |= self.norm(0) == "let";
        // Example: "Should Odo come, we …"
        status.is_unasserted |=
            self.norm(0) == "should" || (self.norm(0) == "were" && (1..self.tokens.len()).any(is_would));
        if speech.is_speaker_unknown {
            self.apply_doubt(&mut status, "quoted", None);
        }
        if self.is_announced_guess {
            self.apply_doubt(&mut status, "hedge", None);
        }
        for cue_match in self.cues {
            let name = match cue_match.cue_type {
                CueType::Sarcasm => "sarcasm",
                _ => continue,
            };
            let cue = cue_match.to_cue(self.tokens, self.text);
            self.apply_doubt(&mut status, name, cue);
        }
        // Examples: "According to Hope", "in Hope's own account"
        if let Some(source) = self.according_to_source() {
            status.stated_by = Some(source);
            status.told_to.clear();
        } else if let Some((source, is_thought)) = self.parenthetical_source() {
            // Example: "the barber guesses"
            let is_unknown = source.is_none();
            if !is_unknown {
                status.stated_by = source;
                status.told_to.clear();
            }
            if is_thought || is_unknown {
                self.apply_doubt(&mut status, "thought", None);
            }
        }
        status
    }

    pub(crate) fn apply_doubt(&self, status: &mut AssertionStatus, name: &str, cue: Option<Cue>) {
        let factor = self.grammar.confidence_factors.get(name).copied().unwrap_or(0.3);
        status.confidence_factor = status.confidence_factor.min(factor);
        status.cues.extend(cue.filter(|cue| !status.cues.contains(cue)));
    }

    /// Returns the range of tokens around `token`, bounded by words such as "but" and "although".
    fn contrast_segment(&self, token: usize) -> (usize, usize) {
        let is_contrast = |at: &usize| {
            matches!(self.norm(*at), "but" | "although" | "though" | "however" | ";")
                && !(*at > 0 && matches!(self.norm(*at - 1), "as" | "nobody" | "nothing" | "none"))
        };
        let start = (0..token).rev().find(is_contrast).map_or(0, |at| at + 1);
        let end = (token..self.tokens.len()).find(is_contrast).unwrap_or(self.tokens.len());
        (start, end)
    }

    fn clause_status(&mut self, at: usize, is_question: bool, earlier_statuses: &[AssertionStatus]) -> AssertionStatus {
        let clause = self.clauses[at].clone();
        let vg = self.verb_group(at).clone();
        let mut status = self.sentence_status(is_question);
        let (start, end) = self.contrast_segment(vg.head);
        for cue_match in self.cues {
            // Examples: "Don't quote me, but …", "…, but I could not swear to it"
            let is_hedge = cue_match.cue_type == CueType::Hedge;
            let is_adjacent_hedge = is_hedge
                && (cue_match.start <= 2 && start <= cue_match.end + 3
                    || cue_match.start <= end + 3 && end < cue_match.start);
            if cue_match.cue_type != CueType::Conditional
                && !is_adjacent_hedge
                && (cue_match.start < start || cue_match.end > end)
            {
                continue;
            }
            let cue = cue_match.to_cue(self.tokens, self.text);
            match cue_match.cue_type {
                CueType::Hedge => self.apply_doubt(&mut status, "hedge", cue),
                CueType::Rumour => self.apply_doubt(&mut status, "rumour", cue),
                // In "…, if you ask me", the words before the comma stay asserted.
                CueType::Conditional => {
                    let follows_comma =
                        cue_match.start > vg.head && cue_match.start > 0 && self.norm(cue_match.start - 1) == ",";
                    let is_plain_if = matches!(self.norm(cue_match.start), "if" | "unless");
                    // Example: "possible, if unproven, that …"
                    let is_parenthetical = is_plain_if && self.norm(cue_match.end + 1) == ",";
                    // In "can't stand her, he goes purple if you name her", the condition belongs to "goes", not to
                    // "stand".
                    let belongs_to_other_clause = is_plain_if
                        && self.clauses.iter().any(|other| {
                            let next = &self.chunks.verb_groups[other.verb_group];
                            next.head > vg.head
                                && next.head < cue_match.start
                                && next.form == VerbForm::Finite
                                && other.parent.is_none()
                                && (vg.end..next.start).any(|at| self.norm(at) == ",")
                        });
                    status.is_unasserted |= !(is_parenthetical
                        || belongs_to_other_clause
                        || (follows_comma && is_plain_if && vg.modal.is_none()));
                }
                CueType::Plan => status.is_unasserted |= cue_match.start <= vg.head || cue_match.start >= vg.end,
                CueType::Ended
                    if !status.ended && self.past_cue_applies(cue_match.start, at) && !is_lasting_act(&vg) =>
                {
                    status.ended = true;
                    status.cues.extend(cue);
                }
                CueType::Command => status.is_unasserted |= cue_match.start <= 2,
                _ => {}
            }
        }
        // "The belief on the station that …" reports the opinion of an unknown person.
        let is_unattributed_complement = matches!(clause.clause_type, ClauseType::Complement)
            && clause.parent.is_none_or(|parent| {
                let properties = self.grammar.verb_properties(&self.verb_group(parent).lemma);
                !(properties.is_speech
                    || properties.is_thought
                    || properties.is_factive
                    || properties.is_seeming
                    || self.verb_group(parent).is_copula)
            })
            && clause.start > 0
            && self.syntax.word(clause.start) == "that"
            && !self.clauses.iter().any(|other| self.syntax.announces_news(other));
        if is_unattributed_complement {
            self.apply_doubt(&mut status, "thought", None);
        }
        // The status of the clause that this clause depends on.
        let parent = clause.parent.and_then(|parent| Some((parent, earlier_statuses.get(parent)?.clone())));
        if let Some((parent, parent_status)) = parent {
            self.inherit_from_parent(at, parent, &parent_status, &mut status);
        }
        match vg.modal.as_deref() {
            Some("might" | "may" | "could") => {
                let cue = Cue { kind: CueKind::Hedge, words: vg.modal.clone().unwrap_or_default() };
                self.apply_doubt(&mut status, "hedge", Some(cue));
            }
            Some("must") if vg.is_copula || vg.is_progressive || vg.is_perfect => {
                self.apply_doubt(&mut status, "hedge", Some(Cue { kind: CueKind::Hedge, words: "must".into() }));
            }
            Some("would") => status.has_would = true,
            Some("can") => status.has_can = true,
            Some(_) => status.is_unasserted = true,
            None => {}
        }
        status.is_past_state |=
            vg.is_copula && vg.is_past && !vg.is_perfect && self.speech.is_table_talk && !status.is_embedded;
        // Example: "nearly killed"
        let has_nearly = (vg.start.saturating_sub(1)..(vg.end + 1).min(self.tokens.len()))
            .any(|token| matches!(self.norm(token), "nearly" | "almost" | "barely"));
        // "Nearly seventy" is an age, so "nearly" does not negate it.
        let precedes_number =
            (vg.end..(vg.end + 2).min(self.tokens.len())).any(|token| self.is_number(self.norm(token)));
        status.is_unasserted |= has_nearly && !(vg.is_copula && precedes_number);
        status.ended |= self.has_ended(at);
        // "We're meeting Tobias at the market" describes a plan.
        let is_near_future = vg.is_progressive
            && !vg.is_past
            && !vg.is_perfect
            && matches!(
                vg.lemma.as_str(),
                "meet" | "go" | "leave" | "head" | "come" | "travel" | "ride" | "sail" | "attack" | "visit" | "take"
            )
            && clause.subjects.iter().any(|np| matches!(self.norm(self.noun_group(*np).head), "we" | "i"));
        // Example: "you know Odo, the skinny one"
        let has_you_subject = clause.subjects.iter().any(|np| self.norm(self.noun_group(*np).head) == "you");
        status.is_unasserted |=
            has_you_subject && self.speech.is_direct_speech && vg.lemma == "know" && !vg.is_past && !vg.is_perfect;
        status.is_unasserted |= is_near_future;
        status.is_unasserted |= vg.has_going_to;
        status.ended |= vg.has_used_to;
        if vg.is_negated {
            // "No longer" is handled as a cue. "Not … any more" means that the fact is over.
            let has_any_more = self.has_any_more(vg.end, end);
            status.ended |= has_any_more;
            if has_any_more
                || status.ended
                    && self.cues.iter().any(|cue| {
                        cue.cue_type == CueType::Ended
                            && (self.source_text(cue.start, cue.end).to_lowercase().contains("any"))
                    })
            {
                status.denied = false;
            } else {
                status.denied = !status.denied;
            }
        }
        // Example: "was his wife for ten years"
        let has_time_span = (clause.rest_items.0..clause.rest_items.1).any(|item| {
            self.syntax.word(item) == "for"
                && self.syntax.noun_group_at(item + 1).is_some_and(|np| {
                    matches!(
                        self.norm(self.noun_group(np).head),
                        "years" | "months" | "winters" | "summers" | "decades"
                    )
                })
        });
        status.is_past_state |= has_time_span && vg.is_past && !vg.is_perfect && !vg.is_negated;
        // Example: "owes him nothing"
        let has_nothing = (clause.rest_items.0..clause.rest_items.1).any(|item| {
            self.syntax.noun_group_at(item).is_some_and(|np| self.norm(self.noun_group(np).head) == "nothing")
                && !matches!(self.syntax.word(item + 1), "but" | "except" | "save")
        });
        status.denied |= has_nothing && !vg.is_copula;
        // Example: "nor did they want it"
        status.denied |= (vg.start.saturating_sub(3)..vg.start).any(|at| {
            self.norm(at) == "nor"
                && matches!(self.norm(at + 1), "do" | "does" | "did" | "has" | "had" | "is" | "was" | "were")
        });
        // A command: "Hope, take Sela down".
        // "Hope, take Sela down and keep her there"
        let is_addressed_command = vg.is_base_form
            && vg.start > 0
            && self.norm(vg.start - 1) == ","
            && clause.subject_source == SubjectSource::Direct;
        let continues_command = vg.is_base_form
            && clause.subject_source == SubjectSource::Shared
            && earlier_statuses.last().is_some_and(|earlier| earlier.is_unasserted);
        status.is_unasserted |= is_addressed_command || continues_command;
        let has_no_subject = clause.subject_source == SubjectSource::Missing || clause.subjects.is_empty();
        let has_bare_verb = vg.is_base_form && !vg.is_omitted && vg.form == VerbForm::Finite && vg.modal.is_none();
        if has_no_subject && has_bare_verb {
            status.is_unasserted = true;
        }
        let has_indefinite_subject = clause.subjects.iter().any(|np| {
            let np = self.noun_group(*np);
            matches!(
                self.norm(np.head),
                "nobody" | "noone" | "nothing" | "anyone" | "anybody" | "someone" | "somebody" | "whoever"
            ) || np.article.is_some_and(|at| self.norm(at) == "no")
        });
        status.is_unasserted |= has_indefinite_subject;
        // Example: "Neither Odo nor Lyra trusts …"
        let has_neither = clause.subjects.first().is_some_and(|np| {
            let start = self.noun_group(*np).start;
            start > 0 && self.norm(start - 1) == "neither" || self.norm(start) == "neither"
        });
        status.denied ^= has_neither && !status.ended;
        // Example: "is neither a smith nor a member"
        let has_neither = (vg.end..(vg.end + 2).min(self.tokens.len())).any(|at| self.norm(at) == "neither");
        status.denied |= has_neither && !vg.is_negated;
        // Example: "Never, in all his years, did he set foot there."
        status.denied |= self.norm(0) == "never"
            && !vg.is_negated
            && (vg.start.saturating_sub(3)..vg.end).any(|at| self.norm(at) == "did");
        if vg.is_omitted && status.cues.is_empty() && self.tokens.len() > 24 {
            status.is_unasserted = true;
        }
        status
    }

    /// Returns whether the subject of a clause is "nobody" or begins with "no", as in "Nobody knows that …".
    pub(crate) fn has_negative_subject(&self, clause: usize) -> bool {
        self.clauses[clause].subjects.iter().any(|np| {
            let np = self.noun_group(*np);
            matches!(self.norm(np.head), "nobody" | "noone") || np.article.is_some_and(|at| self.norm(at) == "no")
        })
    }

    fn inherit_from_parent(
        &mut self,
        at: usize,
        parent: usize,
        parent_status: &AssertionStatus,
        status: &mut AssertionStatus,
    ) {
        let lemma = self.verb_group(parent).lemma.clone();
        let properties = self.grammar.verb_properties(&lemma);
        let vg = self.verb_group(parent).clone();
        let clause_type = self.clause_type(at).clone();
        let inherit = |status: &mut AssertionStatus| {
            status.is_unasserted |= parent_status.is_unasserted;
            status.confidence_factor = status.confidence_factor.min(parent_status.confidence_factor);
            status.stated_by = parent_status.stated_by;
            status.told_to.clone_from(&parent_status.told_to);
            for cue in &parent_status.cues {
                if cue.kind != CueKind::Past && !status.cues.contains(cue) {
                    status.cues.push(cue.clone());
                }
            }
        };
        match clause_type {
            ClauseType::Complement => {
                let is_unknown_to_all = properties.is_factive
                    && lemma != "prove"
                    && self.has_negative_subject(parent)
                    && !self.is_question()
                    && vg.modal.is_none();
                let was_unasserted = status.is_unasserted;
                inherit(status);
                if is_unknown_to_all {
                    status.is_unasserted = was_unasserted;
                }
                status.is_embedded = true;
                // "I'd say he works for her" states a guess.
                let is_guess =
                    parent_status.has_would && matches!(lemma.as_str(), "say" | "guess" | "bet" | "wager" | "reckon");
                if (parent_status.has_would && !is_guess) || parent_status.has_can {
                    status.is_unasserted = true;
                }
                if properties.is_thought || properties.is_seeming {
                    let words = self.source_text(vg.head, vg.end);
                    let cue = Cue { kind: CueKind::Thought, words };
                    self.apply_doubt(status, "thought", Some(cue));
                    status.is_unasserted |=
                        vg.is_negated || matches!(lemma.as_str(), "hope" | "wonder" | "doubt" | "dream");
                    self.set_thinker(parent, status);
                    self.set_informant(parent, status);
                } else if properties.is_speech || self.syntax.announces_news(&self.clauses[parent]) {
                    status.is_unasserted |=
                        vg.is_negated || (vg.modal.is_some() && vg.modal.as_deref() != Some("can") && !is_guess);
                    status.denied ^= matches!(lemma.as_str(), "deny" | "dispute" | "refute");
                    self.set_reported_source(parent, status);
                } else if let Some((source, is_belief)) = self.source_of_report_noun(parent).filter(|_| vg.is_copula) {
                    status.stated_by = Some(source);
                    if is_belief {
                        let words = self.source_text(vg.head, vg.end);
                        self.apply_doubt(status, "thought", Some(Cue { kind: CueKind::Thought, words }));
                    }
                } else if matches!(lemma.as_str(), "learn" | "have" | "get" | "know") && !vg.is_negated {
                    // Examples: "learned from Tessa that …", "has it from Tessa that …"
                    self.set_informant(parent, status);
                } else if properties.is_factive && vg.is_negated {
                    // "Does not know that he left" implies that he left.
                    status.denied = false;
                }
            }
            ClauseType::Infinitive => {
                inherit(status);
                status.is_embedded = true;
                status.ended |= parent_status.ended;
                let is_known_fact = vg.is_passive && matches!(lemma.as_str(), "know" | "find" | "show" | "prove");
                // Example: "is looking to buy it"
                let is_seeking = vg.is_progressive && lemma == "look";
                let is_asserted =
                    ((properties.is_implicative || properties.is_seeming) && !vg.is_copula && !is_seeking)
                        || is_known_fact;
                let is_claim = properties.is_speech && matches!(lemma.as_str(), "claim" | "admit" | "profess");
                if is_claim {
                    self.set_reported_source(parent, status);
                    // Example: "claims to be an entertainer"
                    if lemma != "admit" && self.verb_group(at).is_copula {
                        let words = self.source_text(vg.head, vg.end);
                        self.apply_doubt(status, "rumour", Some(Cue { kind: CueKind::Rumour, words }));
                    }
                } else if vg.is_passive
                    && (properties.is_speech
                        || properties.is_thought
                        || matches!(lemma.as_str(), "rumour" | "rumor" | "repute" | "allege"))
                {
                    // Example: "is said to own"
                    let words = self.source_text(vg.head, vg.end);
                    self.apply_doubt(status, "rumour", Some(Cue { kind: CueKind::Rumour, words }));
                } else if !is_asserted {
                    status.is_unasserted = true;
                }
                status.denied |= parent_status.denied;
            }
            ClauseType::Participle => {
                inherit(status);
                status.denied |= parent_status.denied && matches!(lemma.as_str(), "stop" | "see");
                if matches!(lemma.as_str(), "stop" | "quit" | "cease") {
                    status.ended = true;
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
                    status.is_unasserted = true;
                }
            }
            ClauseType::Adverbial(word) => {
                inherit(status);
                status.is_unasserted |= parent_status.is_unasserted && self.sentence_status(false).is_unasserted;
                // Example: "when I was young and stupid"
                let own_verb = self.verb_group(at);
                status.is_unasserted |= matches!(word.as_str(), "when" | "since" | "as" | "while")
                    && own_verb.is_copula
                    && own_verb.is_past;
                // Example: "vicious when he's drunk"
                status.is_unasserted |= matches!(word.as_str(), "when" | "whenever") && own_verb.is_copula;
                status.is_unasserted |= matches!(
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
            ClauseType::Relative => {
                let was_unasserted = status.is_unasserted;
                inherit(status);
                // In "has yet to repay the crowns he borrowed", the relative clause is true although the main clause is
                // not.
                let is_definite =
                    self.clauses[at].start.checked_sub(1).and_then(|item| self.syntax.noun_group_at(item)).is_some_and(
                        |np| self.noun_group(np).article.is_some_and(|article| self.norm(article) == "the"),
                    );
                if is_definite && *self.clause_type(parent) == ClauseType::Infinitive {
                    status.is_unasserted = was_unasserted;
                }
                // Example: "it isn't Sela who owns the Bell"
                let is_cleft = vg.is_copula
                    && self.clauses[parent]
                        .subjects
                        .iter()
                        .any(|np| self.norm(self.chunks.noun_groups[*np].head) == "it");
                if is_cleft {
                    status.denied ^= parent_status.denied;
                } else if parent_status.denied {
                    status.denied = false;
                }
            }
            ClauseType::Main => {}
        }
    }
}
