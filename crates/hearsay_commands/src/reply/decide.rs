//! Decision on the findings in a draft.

use hearsay_model::Span;

use super::{
    FindingKind, ReplyCheck, ReplyFinding,
    candidates::{BestPart, ComparedFact, ReplyCandidates},
};

/// Minimum sum of the similarity and of the probability that the draft states a secret which it reveals.
const MIN_SECRET_SCORE: f32 = 0.49;

/// The same without an entailment model.
const MIN_SECRET_SIMILARITY: f32 = 0.3;

/// Minimum difference between the probabilities that a draft contradicts a fact and that it states the fact.
const MIN_CONTRADICTION: f32 = 0.6;

/// Minimum probability that a draft states a fact.
const MIN_STATES: f32 = 0.5;

/// A fact that matches a part of the draft.
struct Match<'a> {
    fact: &'a ComparedFact,
    span: Span,
    score: f32,
}

impl ReplyCandidates {
    /// Decides on all findings in the draft, and returns the result of the check.
    pub fn decide(&self) -> ReplyCheck {
        let mut findings = self.revealed_secrets();
        let stated = self.stated_facts();
        let lies: Vec<Span> = stated
            .iter()
            .filter(|finding| finding.kind == FindingKind::RepeatsLie)
            .map(|finding| finding.span)
            .collect();
        // A lie contradicts what the speaker knows, so a contradiction in the same words is no problem.
        let is_lie = |span: Span| lies.iter().any(|lie| lie.start < span.end && span.start < lie.end);
        findings.extend(self.contradicted_facts().into_iter().filter(|finding| !is_lie(finding.span)));
        findings.extend(stated);
        findings.extend(self.unknown_names());
        findings.sort_by_key(|finding| (finding.span.start, finding.kind, finding.span.end));
        ReplyCheck { findings }
    }

    /// Returns the facts for which `score` returns a score, with the parts that resemble them. Best match first.
    fn matches(&self, score: impl Fn(&ComparedFact, f32) -> Option<f32>) -> Vec<Match<'_>> {
        let found = self.facts.values().filter_map(|fact| {
            let BestPart { span, similarity } = self.best_part(fact)?;
            Some(Match { fact, span, score: score(fact, similarity)?.clamp(0.0, 1.0) })
        });
        let mut found: Vec<Match> = found.collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.fact.cited.fact.cmp(&b.fact.cited.fact)));
        found
    }

    /// Returns a finding for each part of the draft that reveals secrets, and for each secret that it may tell.
    fn revealed_secrets(&self) -> Vec<ReplyFinding> {
        let min_score = if self.is_judged { MIN_SECRET_SCORE } else { MIN_SECRET_SIMILARITY };
        let revealed = self.matches(|fact, similarity| {
            let score = similarity + fact.entailment.states;
            (fact.is_secret && score >= min_score).then_some(score)
        });
        let mut findings: Vec<ReplyFinding> = Vec::new();
        for Match { fact, span, score } in revealed {
            if !fact.is_withheld {
                findings.push(self.stated(&Match { fact, span, score }));
                continue;
            }
            let same = findings.iter_mut().find(|other| other.kind == FindingKind::RevealsSecret && other.span == span);
            match same {
                Some(other) => add_secret(other, fact),
                None => findings.push(self.revealed(&Match { fact, span, score })),
            }
        }
        for (span, fact) in self.secret_names.iter().filter(|(_, fact)| fact.is_withheld) {
            let is_around = |other: Span| other.start <= span.start && span.end <= other.end;
            let is_same = |other: &&mut ReplyFinding| other.kind == FindingKind::RevealsSecret && is_around(other.span);
            match findings.iter_mut().find(is_same) {
                Some(other) => add_secret(other, fact),
                None => findings.push(self.revealed(&Match { fact, span: *span, score: 1.0 })),
            }
        }
        findings
    }

    fn revealed(&self, Match { fact, span, score }: &Match<'_>) -> ReplyFinding {
        let reason = format!("this reveals what you keep secret: {}", fact.cited.statement);
        ReplyFinding {
            facts: vec![fact.cited.clone()],
            not_for: fact.not_for.clone(),
            for_dm: fact.for_dm.clone(),
            score: *score,
            ..self.finding(FindingKind::RevealsSecret, *span, reason)
        }
    }

    fn stated_facts(&self) -> Vec<ReplyFinding> {
        let stated = self.matches(|fact, _| {
            let states = fact.entailment.states;
            (!fact.is_secret && states >= MIN_STATES).then_some(states)
        });
        let is_new = |fact: &ComparedFact| stated.iter().all(|one| one.fact.cited.fact != fact.cited.fact);
        let repeated = self.facts.values().filter(|fact| is_new(fact)).filter_map(|fact| {
            let span = self.repetition(fact)?;
            Some(Match { fact, span, score: 1.0 })
        });
        let repeated: Vec<Match> = repeated.collect();
        stated.iter().chain(&repeated).map(|one| self.stated(one)).collect()
    }

    fn stated(&self, Match { fact, span, score }: &Match<'_>) -> ReplyFinding {
        let kind = match () {
            () if fact.is_made_up => FindingKind::RepeatsLie,
            () if fact.is_known_to_listeners => FindingKind::KnownToListeners,
            () => FindingKind::Supported,
        };
        ReplyFinding::stated(kind, fact.cited.clone(), *span, self.words(*span), *score)
    }

    fn contradicted_facts(&self) -> Vec<ReplyFinding> {
        let mut contradicted = self.matches(|fact, _| {
            let score = fact.entailment.contradicts - fact.entailment.states;
            (fact.is_believed && !fact.is_made_up && score >= MIN_CONTRADICTION).then_some(score)
        });
        for (span, id) in &self.contradictions {
            let is_new = contradicted.iter().all(|other| other.fact.cited.fact != *id);
            if let Some(fact) = self.facts.get(id).filter(|_| is_new) {
                contradicted.push(Match { fact, span: *span, score: 1.0 });
            }
        }
        let finding = |Match { fact, span, score }: Match<'_>| ReplyFinding {
            facts: vec![fact.cited.clone()],
            score,
            ..self.finding(FindingKind::Contradicts, span, format!("you know otherwise: {}", fact.cited.statement))
        };
        contradicted.into_iter().map(finding).collect()
    }

    fn unknown_names(&self) -> Vec<ReplyFinding> {
        let names = self.unknown_names.iter().filter_map(|(at, for_dm)| {
            let name = self.reading.extraction.entities.get(*at)?;
            let reason = format!("you know no character, place or thing with the name {}", name.name);
            Some(ReplyFinding {
                score: name.confidence.get() as f32,
                for_dm: for_dm.clone(),
                ..self.finding(FindingKind::UnknownName, name.span, reason)
            })
        });
        names.collect()
    }

    fn finding(&self, kind: FindingKind, span: Span, reason: String) -> ReplyFinding {
        ReplyFinding::new(kind, span, self.words(span), reason)
    }

    fn words(&self, span: Span) -> &str {
        self.draft.text.get(span.start..span.end).unwrap_or_default()
    }
}

/// Adds a secret to the finding for the same words.
fn add_secret(finding: &mut ReplyFinding, fact: &ComparedFact) {
    finding.facts.push(fact.cited.clone());
    finding.not_for.extend(fact.not_for.iter().cloned());
    finding.not_for.sort();
    finding.not_for.dedup();
}
