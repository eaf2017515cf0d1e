//! Counts the facts and labels of a measurement.

use std::collections::BTreeMap;

use hearsay_model::FactId;
use serde::Serialize;

use super::reader::{Outcome, RecordedFact};
use crate::calibration::{self, Bin};

/// Whether a recorded fact agrees with a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// The fact agrees with no label.
    Wrong,
    /// The fact agrees with a label that the text states only as a guess, so the fact should wait for review.
    Doubtful,
    /// The fact agrees with a label.
    Right,
}

/// Figures of one set of texts. Each fact that the program recorded is counted once.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Number of texts with labels: sentences or lines.
    pub texts: usize,
    /// Number of labelled facts or statements.
    pub labelled: usize,
    /// Number of labelled facts or statements that the text states as certain. The extraction should accept all of them.
    pub labelled_certain: usize,
    /// Number of facts that got the status canon or claimed without a decision of the DM.
    pub accepted: usize,
    /// Number of accepted facts that agree with a label which the text states as certain.
    pub accepted_right: usize,
    /// Number of facts in the review queue.
    pub queued: usize,
    /// Number of facts in the review queue that agree with a label.
    pub queued_right: usize,
    /// Number of facts that triage keeps out of the review queue, because the queue already contains enough facts from
    /// the same source.
    pub held_back: usize,
    /// Number of labels which the text states as certain, and with which an accepted fact agrees.
    pub labelled_accepted: usize,
    /// Number of labels with which an accepted fact or a fact in the review queue agrees.
    pub labelled_shown: usize,
    /// Number of lines for which the model determined a kind of talk.
    pub talk: usize,
    /// Number of lines for which the model determined the correct kind of talk.
    pub talk_right: usize,
    /// Expected calibration error of the recorded facts. A fact counts as right if it agrees with a certain label.
    pub ece: f64,
    /// Reliability diagram of the recorded facts.
    pub bins: Vec<Bin>,
    /// Time to read the texts, in seconds.
    pub seconds: f64,
}

/// Collects the figures of a set of texts.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) figures: Figures,
    /// Recorded facts of the current campaign.
    facts: BTreeMap<FactId, (Outcome, f64, Verdict)>,
    predictions: Vec<(f64, bool)>,
}

impl Tally {
    /// Adds a recorded fact with a verdict from one text. If several texts state the fact, the best verdict counts.
    pub(super) fn add_fact(&mut self, fact: &RecordedFact, verdict: Verdict) {
        let entry = self.facts.entry(fact.id).or_insert((fact.outcome, fact.confidence.get(), verdict));
        entry.2 = entry.2.max(verdict);
    }

    /// Adds a label. `outcome` is the best outcome of the facts that agree with it; `None` if no recorded fact does.
    pub(super) fn add_label(&mut self, is_certain: bool, outcome: Option<Outcome>) {
        let figures = &mut self.figures;
        figures.labelled += 1;
        figures.labelled_certain += usize::from(is_certain);
        figures.labelled_accepted += usize::from(is_certain && outcome == Some(Outcome::Accepted));
        figures.labelled_shown += usize::from(outcome.is_some_and(|outcome| outcome >= Outcome::Queued));
    }

    /// Counts the recorded facts of a campaign whose texts are all added.
    pub(super) fn end_campaign(&mut self) {
        let figures = &mut self.figures;
        for (outcome, confidence, verdict) in std::mem::take(&mut self.facts).into_values() {
            self.predictions.push((confidence, verdict == Verdict::Right));
            match outcome {
                Outcome::Accepted => {
                    figures.accepted += 1;
                    figures.accepted_right += usize::from(verdict == Verdict::Right);
                }
                Outcome::Queued => {
                    figures.queued += 1;
                    figures.queued_right += usize::from(verdict != Verdict::Wrong);
                }
                Outcome::HeldBack => figures.held_back += 1,
            }
        }
    }

    /// Returns the figures, with the calibration.
    pub(super) fn finish(self) -> Figures {
        let bins = calibration::bins(self.predictions);
        Figures { ece: calibration::expected_error(&bins), bins, ..self.figures }
    }
}
