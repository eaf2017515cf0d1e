//! Determines the assertion status of each clause. A clause can be asserted, past, negated, doubtful, or attributed to
//! a speaker. A question or a command asserts nothing.

pub(crate) mod attribution;
pub(crate) mod classifier;
mod inheritance;
pub(crate) mod temporality;

use hearsay_model::Span;

use crate::{
    assertion::temporality::is_lasting_act,
    facts::{
        Cue, CueKind,
        doubt::{DoubtfulPart, MAX_DOUBTFUL_CONFIDENCE},
    },
    language::{grammar::CueType, weights::DoubtFactor, word_lists::lists},
    sentence_reader::{SentenceReader, assertion_status::AssertionStatus, cues::CueMatch},
    syntax::{
        chunker::VerbForm,
        clauses::{ClauseType, SubjectSource},
    },
};

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

    /// Returns the assertion status of the sentence as a whole. The status of each clause is derived from this status.
    pub(crate) fn sentence_status(&mut self, is_question: bool) -> AssertionStatus {
        let speech = self.speech.clone();
        let mut status = AssertionStatus {
            is_unasserted: is_question || self.has_cue(CueType::OutOfCharacter) || self.has_cue(CueType::Wish),
            is_doubtful: false,
            confidence_factor: 1.0,
            denied: false,
            ended: false,
            stated_by: speech.speaker,
            told_to: speech.named_hearers.clone(),
            cues: Vec::new(),
            is_embedded: false,
            is_past_state: false,
            is_past_speech: false,
            has_would: false,
            has_can: false,
        };
        // Example: "Had she kept her mouth shut, the mill would be hers."
        let is_would = |at: usize| matches!(self.norm(at), "would" | "'d");
        status.is_unasserted |=
            lists().auxiliaries.conditional_openers.contains(self.norm(0)) && (1..self.tokens.len()).any(is_would);
        // Example: "Let him be banished!"
        status.is_unasserted |= self.norm(0) == "let";
        // Example: "Should Odo come, we …"
        status.is_unasserted |=
            self.norm(0) == "should" || (self.norm(0) == "were" && (1..self.tokens.len()).any(is_would));
        if speech.is_speaker_unknown {
            self.apply_doubt(&mut status, DoubtFactor::QUOTED, None);
        }
        if self.is_announced_guess {
            self.apply_doubt(&mut status, DoubtFactor::HEDGE, None);
        }
        for cue_match in self.cues.iter().filter(|cue_match| cue_match.cue_type == CueType::Sarcasm) {
            let cue = cue_match.to_cue(self.tokens, self.text);
            self.apply_doubt(&mut status, DoubtFactor::SARCASM, cue);
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
                self.apply_doubt(&mut status, DoubtFactor::THOUGHT, None);
            }
        }
        status
    }

    pub(crate) fn apply_doubt(&self, status: &mut AssertionStatus, factor: DoubtFactor, cue: Option<Cue>) {
        status.confidence_factor = status.confidence_factor.min(self.grammar.confidence_factor(factor));
        // An unknown speaker is no reason to doubt that the statement is meant.
        status.is_doubtful |= factor != DoubtFactor::QUOTED;
        status.cues.extend(cue.filter(|cue| !status.cues.contains(cue)));
    }

    /// Records the clauses that the text does not state as certain. `statuses` contains the status of each clause.
    pub(crate) fn record_doubtful_clauses(&mut self, statuses: &[AssertionStatus]) {
        for (at, status) in statuses.iter().enumerate().filter(|(_, status)| status.is_doubtful) {
            let (clause, vg) = (&self.clauses[at], self.verb_group(at));
            // In "Odo thinks that Mirela stole it", only the words after "thinks" are doubtful.
            let certain_parent = clause.parent.filter(|parent| !statuses[*parent].is_doubtful);
            let first = match certain_parent.map(|parent| self.verb_group(parent).end) {
                Some(parent_end) if parent_end <= vg.head => parent_end,
                Some(_) => self.chunk_start(clause.start),
                None => self.contrast_segment(vg.head).0,
            };
            let (Some(first), Some(verb)) = (self.tokens.get(first), self.tokens.get(vg.head)) else { continue };
            self.doubtful_parts.push(DoubtfulPart {
                scope: Span { start: first.start, end: verb.end },
                verb: Some(verb.start),
                max_confidence: MAX_DOUBTFUL_CONFIDENCE,
                cues: status.cues.iter().filter(|cue| cue.kind.is_doubt()).cloned().collect(),
            });
        }
        self.record_doubtful_note();
    }

    /// Records a sentence without a clause, such as a note, if it contains a cue.
    fn record_doubtful_note(&mut self) {
        let (Some(first), Some(last)) = (self.tokens.first(), self.tokens.last()) else { return };
        let is_doubt = |cue: &&CueMatch| {
            matches!(cue.cue_type, CueType::Hedge | CueType::Rumour | CueType::Sarcasm) && self.clauses.is_empty()
        };
        let cues: Vec<Cue> =
            self.cues.iter().filter(is_doubt).filter_map(|cue| cue.to_cue(self.tokens, self.text)).collect();
        if !cues.is_empty() {
            let scope = Span { start: first.start, end: last.end };
            self.doubtful_parts.push(DoubtfulPart { scope, verb: None, max_confidence: MAX_DOUBTFUL_CONFIDENCE, cues });
        }
    }

    /// Returns the range of tokens around `token`, bounded by words such as "but" and "although".
    fn contrast_segment(&self, token: usize) -> (usize, usize) {
        let is_contrast = |at: &usize| {
            lists().conjunctions.contrasts.contains(self.norm(*at))
                && !(*at > 0 && lists().conjunctions.contrast_blockers.contains(self.norm(*at - 1)))
        };
        let start = (0..token).rev().find(is_contrast).map_or(0, |at| at + 1);
        let end = (token..self.tokens.len()).find(is_contrast).unwrap_or(self.tokens.len());
        (start, end)
    }

    fn clause_status(&mut self, at: usize, is_question: bool, earlier_statuses: &[AssertionStatus]) -> AssertionStatus {
        let mut status = self.sentence_status(is_question);
        self.apply_cues(at, &mut status);
        if self.is_unattributed_complement(at) {
            self.apply_doubt(&mut status, DoubtFactor::THOUGHT, None);
        }
        // The status of the clause that this clause depends on.
        let parent = self.clauses[at].parent.and_then(|parent| Some((parent, earlier_statuses.get(parent)?.clone())));
        if let Some((parent, parent_status)) = parent {
            self.inherit_from_parent(at, parent, &parent_status, &mut status);
            status.is_unasserted |= self.is_asked(at, parent);
        }
        self.apply_verb_group(at, &mut status);
        self.apply_negation(at, &mut status);
        let follows_unasserted = earlier_statuses.last().is_some_and(|earlier| earlier.is_unasserted);
        self.apply_subject(at, follows_unasserted, &mut status);
        status
    }

    /// Changes the status according to the cues that stand in the clause or that concern it, such as "perhaps" and "no
    /// longer".
    fn apply_cues(&self, at: usize, status: &mut AssertionStatus) {
        let vg = self.verb_group(at);
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
                CueType::Hedge => self.apply_doubt(status, DoubtFactor::HEDGE, cue),
                CueType::Rumour => self.apply_doubt(status, DoubtFactor::RUMOUR, cue),
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
                    let is_conditional = !(is_parenthetical
                        || belongs_to_other_clause
                        || (follows_comma && is_plain_if && vg.modal.is_none()));
                    status.is_unasserted |= is_conditional;
                    // In "gives her a rope in case of need", the clause before the cue is certain.
                    status.is_doubtful |= is_conditional && cue_match.start < vg.head;
                }
                // "I promise to pay next month" is a promise now.
                CueType::Plan if self.grammar.promise_pattern(&vg.lemma).is_some() => {}
                CueType::Plan => status.is_unasserted |= cue_match.start <= vg.head || cue_match.start >= vg.end,
                CueType::Ended
                    if !status.ended && self.past_cue_applies(cue_match.start, at) && !is_lasting_act(vg) =>
                {
                    status.ended = true;
                    status.cues.extend(cue);
                }
                CueType::Command => status.is_unasserted |= cue_match.start <= 2,
                _ => {}
            }
        }
    }

    /// Returns whether a clause is the content of an opinion whose holder is unknown, as in "The belief on the station
    /// that …".
    fn is_unattributed_complement(&self, at: usize) -> bool {
        let clause = &self.clauses[at];
        matches!(clause.clause_type, ClauseType::Complement)
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
            && !self.clauses.iter().any(|other| self.syntax.announces_news(other))
    }

    /// Changes the status according to the modal, the tense and the form of the verb group, and according to phrases of
    /// time.
    fn apply_verb_group(&self, at: usize, status: &mut AssertionStatus) {
        let (clause, vg) = (&self.clauses[at], self.verb_group(at));
        match vg.modal.as_deref() {
            Some(modal) if lists().auxiliaries.possibility.contains(modal) => {
                let cue = Cue { kind: CueKind::Hedge, words: vg.modal.clone().unwrap_or_default() };
                self.apply_doubt(status, DoubtFactor::HEDGE, Some(cue));
            }
            Some("must") if vg.is_copula || vg.is_progressive || vg.is_perfect => {
                self.apply_doubt(status, DoubtFactor::HEDGE, Some(Cue { kind: CueKind::Hedge, words: "must".into() }));
            }
            Some("would") => status.has_would = true,
            Some("can") => status.has_can = true,
            Some(_) => status.is_unasserted = true,
            None => {}
        }
        status.is_past_state |=
            vg.is_copula && vg.is_past && !vg.is_perfect && self.speech.is_table_talk && !status.is_embedded;
        status.is_past_speech = vg.is_past && !vg.is_perfect && self.speech.is_direct_speech;
        // Example: "nearly killed"
        let has_nearly = (vg.start.saturating_sub(1)..(vg.end + 1).min(self.tokens.len()))
            .any(|token| lists().adverbs.nearly.contains(self.norm(token)));
        // "Nearly seventy" is an age, so "nearly" does not negate it.
        let precedes_number =
            (vg.end..(vg.end + 2).min(self.tokens.len())).any(|token| self.is_number(self.norm(token)));
        status.is_unasserted |= has_nearly && !(vg.is_copula && precedes_number);
        status.ended |= self.has_ended(at);
        // "We're meeting Tobias at the market" describes a plan.
        let is_near_future = vg.is_progressive
            && !vg.is_past
            && !vg.is_perfect
            && lists().verbs.plans.contains(vg.lemma.as_str())
            && clause.subjects.iter().any(|np| matches!(self.norm(self.noun_group(*np).head), "we" | "i"));
        // Example: "you know Odo, the skinny one"
        let has_you_subject = clause.subjects.iter().any(|np| self.norm(self.noun_group(*np).head) == "you");
        status.is_unasserted |=
            has_you_subject && self.speech.is_direct_speech && vg.lemma == "know" && !vg.is_past && !vg.is_perfect;
        status.is_unasserted |= is_near_future;
        status.is_unasserted |= vg.has_going_to;
        status.ended |= vg.has_used_to;
        // Example: "was his wife for ten years"
        let has_time_span = clause.rest_items.clone().any(|item| {
            self.syntax.word(item) == "for"
                && self
                    .syntax
                    .noun_group_at(item + 1)
                    .is_some_and(|np| lists().times.spans.contains(self.norm(self.noun_group(np).head)))
        });
        status.is_past_state |= has_time_span && vg.is_past && !vg.is_perfect && !vg.is_negated;
        if vg.is_omitted && status.cues.is_empty() && self.tokens.len() > 24 {
            status.is_unasserted = true;
        }
    }

    /// Changes the status according to the negations of a clause: "not", "neither", "nor", "never" and "nothing".
    fn apply_negation(&self, at: usize, status: &mut AssertionStatus) {
        let (clause, vg) = (&self.clauses[at], self.verb_group(at));
        let (_, end) = self.contrast_segment(vg.head);
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
        // Example: "owes him nothing"
        let has_nothing = clause.rest_items.clone().any(|item| {
            self.syntax.noun_group_at(item).is_some_and(|np| self.norm(self.noun_group(np).head) == "nothing")
                && !lists().prepositions.exceptions.contains(self.syntax.word(item + 1))
        });
        status.denied |= has_nothing && !vg.is_copula;
        // Example: "nor did they want it"
        status.denied |= (vg.start.saturating_sub(3)..vg.start)
            .any(|at| self.norm(at) == "nor" && lists().auxiliaries.after_nor.contains(self.norm(at + 1)));
        // Example: "Neither Odo nor Lyra trusts …"
        let has_neither = clause.subjects.first().is_some_and(|np| {
            let start = self.noun_group(*np).start;
            start > 0 && self.norm(start - 1) == "neither" || self.norm(start) == "neither"
        });
        status.denied ^= has_neither && !status.ended;
        // Example: "Everybody but Odo trusts …"
        let is_exception = clause.subjects.first().is_some_and(|np| {
            let start = self.noun_group(*np).start;
            start > 1
                && lists().prepositions.exceptions.contains(self.norm(start - 1))
                && lists().pronouns.universal.contains(self.norm(start - 2))
        });
        status.denied ^= is_exception && !status.ended;
        // Example: "is neither a smith nor a member"
        let has_neither = (vg.end..(vg.end + 2).min(self.tokens.len())).any(|at| self.norm(at) == "neither");
        status.denied |= has_neither && !vg.is_negated;
        // Example: "Never, in all his years, did he set foot there."
        status.denied |= self.norm(0) == "never"
            && !vg.is_negated
            && (vg.start.saturating_sub(3)..vg.end).any(|at| self.norm(at) == "did");
    }

    /// Changes the status according to the subject of a clause. A command, and a clause about nobody in particular,
    /// assert nothing. `follows_unasserted` says whether the clause before this clause asserts nothing.
    fn apply_subject(&self, at: usize, follows_unasserted: bool, status: &mut AssertionStatus) {
        let (clause, vg) = (&self.clauses[at], self.verb_group(at));
        // A command: "Hope, take Sela down".
        // "Hope, take Sela down and keep her there"
        let is_addressed_command = vg.is_base_form
            && vg.start > 0
            && self.norm(vg.start - 1) == ","
            && clause.subject_source == SubjectSource::Direct;
        let continues_command = vg.is_base_form && clause.subject_source == SubjectSource::Shared && follows_unasserted;
        status.is_unasserted |= is_addressed_command || continues_command;
        let has_no_subject = clause.subject_source == SubjectSource::Missing || clause.subjects.is_empty();
        let has_bare_verb = vg.is_base_form && !vg.is_omitted && vg.form == VerbForm::Finite && vg.modal.is_none();
        if has_no_subject && has_bare_verb {
            status.is_unasserted = true;
        }
        let has_indefinite_subject = clause.subjects.iter().any(|np| {
            let np = self.noun_group(*np);
            lists().pronouns.unasserted_subjects.contains(self.norm(np.head))
                || np.article.is_some_and(|at| self.norm(at) == "no")
        });
        status.is_unasserted |= has_indefinite_subject;
    }

    /// Returns whether the subject of a clause is "nobody" or begins with "no", as in "Nobody knows that …".
    pub(crate) fn has_negative_subject(&self, clause: usize) -> bool {
        self.clauses[clause].subjects.iter().any(|np| {
            let np = self.noun_group(*np);
            matches!(self.norm(np.head), "nobody" | "noone") || np.article.is_some_and(|at| self.norm(at) == "no")
        })
    }
}
