//! Policy: the rule that decides, by confidence, whether a proposed fact is recorded, waits for review, or is dropped.

use hearsay_model::{Confidence, Credence, Evidence, FactStatus, Passage};
use serde::{Deserialize, Serialize};

/// Type of the source of a proposed fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementSource {
    /// The source describes the world itself: the game, the DM, narration or notes.
    World,
    /// A character speaks.
    Character,
}

/// Treatment of doubtful facts. The confidence of a doubtful fact is at least the floor of the policy, but below the
/// threshold for recording without review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewMode {
    /// The DM reviews doubtful facts.
    #[default]
    Dm,
    /// Doubtful facts become claims without review. If a knower learns a doubtful fact, its credence is at most the
    /// confidence of the fact.
    Autonomous,
}

/// Origin of a text from which facts are extracted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextOrigin {
    /// A line that was said or logged during play. A person typed the line, a character said it in a game, or a game
    /// wrote it.
    #[default]
    Live,
    /// A line of a session that was imported from a file, for example from a transcript.
    SessionImport,
    /// A text of the campaign files, or of another file that was imported.
    CampaignText,
}

impl TextOrigin {
    /// Returns the origin of a passage.
    pub fn from_passage(passage: &Passage) -> Self {
        let is_in_file = |evidence: &Evidence| matches!(evidence, Evidence::File { .. } | Evidence::Excerpt(_));
        match (passage.evidence.iter().any(is_in_file), &passage.session) {
            (true, Some(_)) => Self::SessionImport,
            (true, None) => Self::CampaignText,
            (false, _) => Self::Live,
        }
    }
}

/// Minimum confidence at which a fact from a text becomes canon without review, for each origin of texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceThresholds {
    /// Threshold for lines that were said or logged during play; `None` means [`Policy::canon_threshold`].
    pub live: Option<Confidence>,
    /// Threshold for lines of imported sessions; `None` means [`Policy::canon_threshold`].
    pub session_import: Option<Confidence>,
    /// Threshold for texts of campaign files and other imported files; `None` means [`Policy::canon_threshold`].
    pub campaign_text: Option<Confidence>,
}

/// Policy: the rule that records, defers or drops proposals by their confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Minimum confidence at which a proposal that does not come from a text is recorded without review. The same
    /// minimum applies to the statement of a character in a line from play, which then becomes a claim. The default is
    /// 0.7.
    pub threshold: Confidence,
    /// Minimum confidence at which a fact from a text becomes canon without review. The default is 0.95.
    pub canon_threshold: Confidence,
    /// Minimum confidence of a proposal. A proposal with a lower confidence is counted but not recorded. The default is
    /// 0.3.
    pub floor: Confidence,
    /// Treatment of doubtful proposals: proposals whose confidence is at least `floor`, but too low for recording
    /// without review.
    pub mode: ReviewMode,
    /// Values that replace `canon_threshold` for texts of a certain origin. By default, there are no such values.
    pub sources: SourceThresholds,
}

impl Default for Policy {
    fn default() -> Self {
        let fraction = |value| Confidence::new(value).unwrap_or(Confidence::FULL);
        Self {
            threshold: fraction(0.7),
            canon_threshold: fraction(0.95),
            floor: fraction(0.3),
            mode: ReviewMode::Dm,
            sources: SourceThresholds::default(),
        }
    }
}

/// Decision on a proposal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PolicyDecision {
    /// Records the fact with this status. If a knower learns the fact, its credence is at most the given credence.
    Record(FactStatus, Credence),
    /// Drops the proposal.
    Drop,
}

impl Policy {
    /// Checks that no threshold is below the floor.
    ///
    /// # Errors
    /// Returns the name of a setting whose value is below the floor, for example `sources.live`.
    pub fn check(&self) -> Result<(), &'static str> {
        let thresholds = [
            ("threshold", Some(self.threshold)),
            ("canon_threshold", Some(self.canon_threshold)),
            ("sources.live", self.sources.live),
            ("sources.session_import", self.sources.session_import),
            ("sources.campaign_text", self.sources.campaign_text),
        ];
        match thresholds.iter().find(|(_, threshold)| threshold.is_some_and(|threshold| threshold < self.floor)) {
            Some((name, _)) => Err(*name),
            None => Ok(()),
        }
    }

    /// Returns the minimum confidence at which a proposal is recorded without review. `origin` is `None` if the
    /// proposal does not come from a text.
    ///
    /// A claim says only that a character stated the fact. Therefore, the statement of a character in a line from play
    /// becomes a claim at `threshold`. In a file, the speaker of a line is often a player, not a character. Therefore,
    /// a claim from a file needs the same confidence as canon.
    pub fn record_threshold(&self, source: StatementSource, origin: Option<TextOrigin>) -> Confidence {
        let own_threshold = match origin {
            None => return self.threshold,
            Some(TextOrigin::Live) => self.sources.live,
            Some(TextOrigin::SessionImport) => self.sources.session_import,
            Some(TextOrigin::CampaignText) => self.sources.campaign_text,
        };
        let canon_threshold = own_threshold.unwrap_or(self.canon_threshold);
        match (source, origin) {
            (StatementSource::Character, Some(TextOrigin::Live)) => canon_threshold.min(self.threshold),
            _ => canon_threshold,
        }
    }

    /// Decides on a proposal by its confidence, its type of source and the origin of its text. `origin` is `None` if
    /// the proposal does not come from a text. `states_death` tells whether the proposed fact states that an entity is
    /// dead.
    ///
    /// | confidence | [`StatementSource::World`] | [`StatementSource::Character`] |
    /// |---|---|---|
    /// | [`record_threshold`] and above | canon | claimed |
    /// | between floor and [`record_threshold`] | result of [`decide_doubtful`] | result of [`decide_doubtful`] |
    /// | below the floor | dropped | dropped |
    ///
    /// A death from a text is always doubtful, because a wrong death silences a character.
    ///
    /// [`record_threshold`]: Self::record_threshold
    /// [`decide_doubtful`]: Self::decide_doubtful
    pub fn decide(
        &self,
        confidence: Confidence,
        source: StatementSource,
        origin: Option<TextOrigin>,
        states_death: bool,
    ) -> PolicyDecision {
        if confidence < self.floor {
            return PolicyDecision::Drop;
        }
        let always_doubtful = states_death && origin.is_some();
        if confidence >= self.record_threshold(source, origin) && !always_doubtful {
            let status = if source == StatementSource::World { FactStatus::Canon } else { FactStatus::Claimed };
            return PolicyDecision::Record(status, Credence::FULL);
        }
        let (status, credence) = self.decide_doubtful(confidence);
        PolicyDecision::Record(status, credence)
    }

    /// Returns the status of a doubtful fact, and the maximum credence of knowers that learn the fact. Both depend on
    /// the mode of the policy.
    pub fn decide_doubtful(&self, confidence: Confidence) -> (FactStatus, Credence) {
        match self.mode {
            ReviewMode::Dm => (FactStatus::Proposed, Credence::FULL),
            ReviewMode::Autonomous => (FactStatus::Claimed, Credence::new(confidence.get()).unwrap_or(Credence::NONE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sure(value: f64) -> Confidence {
        Confidence::new(value).unwrap()
    }

    fn recorded(status: FactStatus) -> PolicyDecision {
        PolicyDecision::Record(status, Credence::FULL)
    }

    #[test]
    fn the_table_holds() {
        let check = |confidence: f64, source, mode, expected| {
            let policy = Policy { mode, ..Policy::default() };
            assert_eq!(policy.decide(sure(confidence), source, None, false), expected, "{confidence} {source:?}");
        };
        check(0.7, StatementSource::World, ReviewMode::Dm, recorded(FactStatus::Canon));
        check(0.7, StatementSource::Character, ReviewMode::Dm, recorded(FactStatus::Claimed));
        check(0.69, StatementSource::World, ReviewMode::Dm, recorded(FactStatus::Proposed));
        check(0.3, StatementSource::Character, ReviewMode::Dm, recorded(FactStatus::Proposed));
        check(0.29, StatementSource::World, ReviewMode::Dm, PolicyDecision::Drop);
        check(0.29, StatementSource::World, ReviewMode::Autonomous, PolicyDecision::Drop);
        let half = Credence::new(0.5).unwrap();
        check(0.5, StatementSource::World, ReviewMode::Autonomous, PolicyDecision::Record(FactStatus::Claimed, half));
    }

    #[test]
    fn facts_from_texts_become_canon_only_if_they_are_nearly_certain() {
        use StatementSource::{Character, World};
        use TextOrigin::{CampaignText, Live, SessionImport};
        let sources = SourceThresholds { campaign_text: Some(sure(0.6)), ..SourceThresholds::default() };
        let default = Policy::default();
        let own = Policy { sources, ..default };
        let check = |policy: &Policy, origin, source, confidence: f64, expected| {
            let decision = policy.decide(sure(confidence), source, Some(origin), false);
            assert_eq!(decision, recorded(expected), "{origin:?} {source:?} {confidence}");
        };
        for origin in [Live, SessionImport, CampaignText] {
            check(&default, origin, World, 0.94, FactStatus::Proposed);
            check(&default, origin, World, 0.95, FactStatus::Canon);
        }
        check(&default, Live, Character, 0.7, FactStatus::Claimed);
        check(&default, SessionImport, Character, 0.94, FactStatus::Proposed);
        check(&default, SessionImport, Character, 0.95, FactStatus::Claimed);
        check(&own, CampaignText, World, 0.6, FactStatus::Canon);
        check(&own, SessionImport, World, 0.94, FactStatus::Proposed);
        let lenient = Policy { canon_threshold: sure(0.5), ..default };
        check(&lenient, Live, World, 0.5, FactStatus::Canon);
        check(&lenient, Live, Character, 0.5, FactStatus::Claimed);
        assert_eq!((own.check(), lenient.check()), (Ok(()), Ok(())));
        let below_floor = Policy { floor: sure(0.65), ..own };
        assert_eq!(below_floor.check(), Err("sources.campaign_text"));
    }

    #[test]
    fn a_death_from_a_text_is_always_doubtful() {
        use StatementSource::{Character, World};
        use TextOrigin::{CampaignText, Live, SessionImport};
        let policy = Policy { canon_threshold: sure(0.5), ..Policy::default() };
        let check = |confidence, source, origin, mode, expected| {
            let decision = Policy { mode, ..policy }.decide(sure(confidence), source, Some(origin), true);
            assert_eq!(decision, expected, "{confidence} {source:?} {origin:?} {mode:?}");
        };
        for source in [World, Character] {
            for origin in [Live, SessionImport, CampaignText] {
                check(1.0, source, origin, ReviewMode::Dm, recorded(FactStatus::Proposed));
                check(1.0, source, origin, ReviewMode::Autonomous, recorded(FactStatus::Claimed));
                check(0.29, source, origin, ReviewMode::Dm, PolicyDecision::Drop);
            }
        }
        // The game and the DM state a death without a text.
        assert_eq!(policy.decide(sure(1.0), World, None, true), recorded(FactStatus::Canon));
    }

    #[test]
    fn the_origin_of_a_text_follows_from_its_session_and_its_file() {
        let file = Evidence::File { path: "talk.txt".into(), line: 1, field: "transcript".into() };
        let session = Some(hearsay_model::SessionId::new("s1").unwrap());
        let origin = |session: &Option<hearsay_model::SessionId>, evidence: &[Evidence]| {
            let (session, evidence) = (session.clone(), evidence.to_vec());
            TextOrigin::from_passage(&Passage { session, evidence, ..Passage::new("Text") })
        };
        let file = std::slice::from_ref(&file);
        assert_eq!(origin(&session, file), TextOrigin::SessionImport);
        assert_eq!(origin(&None, file), TextOrigin::CampaignText);
        assert_eq!((origin(&session, &[]), origin(&None, &[])), (TextOrigin::Live, TextOrigin::Live));
    }
}
