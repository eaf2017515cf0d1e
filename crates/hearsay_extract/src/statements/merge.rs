//! Adds the statements of a line to the facts that the patterns found in it.

use hearsay_model::{PredicateRole, TalkKind, text, words};

use super::{LineStatements, ModelStatement};
use crate::{
    NewEntity,
    entities::mentions::is_same_name,
    facts::{ExtractedFact, Extraction, FactObject, Mention},
};

impl Extraction {
    /// Adds the statements that the reading model found in a line to the facts that the patterns found in the same
    /// line.
    ///
    /// A statement is not added if a fact already says almost the same. If the model and the patterns found the same
    /// new name, the name becomes one new entity. If only one of the model and the patterns treats the words as
    /// certain, the facts from these words are doubtful.
    ///
    /// `talk_kind` is the kind of talk of the line. If the line is out of character, no statement is added, and all
    /// facts and new names of the line are removed.
    ///
    /// If `is_transcript` is true, facts of the patterns that overlap no statement are removed, because the patterns
    /// misread most sentences of real talk. The confidence of the other facts is limited to the confidence of the
    /// statement.
    pub fn add_statements(&mut self, line: LineStatements, talk_kind: TalkKind, is_transcript: bool) {
        if talk_kind == TalkKind::OutOfCharacter {
            self.clear_facts();
            return;
        }
        if is_transcript {
            self.facts.retain_mut(|fact| {
                let statement_fact =
                    line.statements.iter().map(|statement| &statement.fact).find(|other| spans_overlap(other, fact));
                fact.confidence = statement_fact.map_or(fact.confidence, |other| fact.confidence.min(other.confidence));
                statement_fact.is_some()
            });
        }
        for statement in &line.statements {
            let overlapping_facts = self.facts.iter_mut().filter(|fact| spans_overlap(&statement.fact, fact));
            overlapping_facts.for_each(|fact| fact.inherit_doubt(&statement.fact));
        }
        let entity_indices = self.add_entities(line.entities);
        let with_merged_index = |mention: Mention| match mention {
            Mention::New(index) => Mention::New(entity_indices.get(index).copied().unwrap_or(index)),
            known => known,
        };
        for statement in line.statements {
            let ModelStatement { mut fact, typed_facts, .. } = statement;
            fact.subject = with_merged_index(fact.subject);
            fact.stated_by = fact.stated_by.map(with_merged_index);
            for mut typed in typed_facts {
                typed.stated_by = typed.stated_by.map(with_merged_index);
                self.add_typed_fact(typed);
            }
            match self.facts.iter_mut().find(|other| covers_statement(other, &fact)) {
                // A relation in the words of the text, such as "gives the key to", is as certain as the statement.
                Some(other) if other.relation.is_some() && assertion_status(other) == assertion_status(&fact) => {
                    other.confidence = other.confidence.max(fact.confidence);
                }
                Some(_) => {}
                None => self.facts.push(fact),
            }
        }
    }

    /// Removes all facts and all new names. Call this function if the text is out of character.
    pub fn clear_facts(&mut self) {
        self.facts.clear();
        self.entities.clear();
    }

    /// Adds new names, except those that the extraction already contains. Returns the index of each name in
    /// [`Extraction::entities`].
    fn add_entities(&mut self, entities: Vec<NewEntity>) -> Vec<usize> {
        let mut indices = Vec::with_capacity(entities.len());
        for entity in entities {
            let is_same =
                |known: &NewEntity| is_same_name(&known.name, &entity.name) || is_same_name(&entity.name, &known.name);
            match self.entities.iter().position(is_same) {
                Some(index) => {
                    let known = &mut self.entities[index];
                    known.confidence = known.confidence.max(entity.confidence);
                    known.kind = known.kind.take().or(entity.kind);
                    indices.push(index);
                }
                None => {
                    indices.push(self.entities.len());
                    self.entities.push(entity);
                }
            }
        }
        indices
    }

    /// Adds a typed fact of a statement. If the patterns found the same fact in the same words of the text, the two
    /// become one fact. This fact gets the higher confidence of the two if both have the same assertion status, and
    /// otherwise the lower one.
    fn add_typed_fact(&mut self, mut typed: ExtractedFact) {
        let is_same = |other: &ExtractedFact| {
            (&other.subject, &other.predicate, &other.object) == (&typed.subject, &typed.predicate, &typed.object)
        };
        let same_words = self.facts.iter_mut().find(|other| is_same(other) && spans_overlap(other, &typed));
        if let Some(other) = same_words {
            let confidence = if assertion_status(other) == assertion_status(&typed) {
                other.confidence.max(typed.confidence)
            } else {
                other.confidence.min(typed.confidence)
            };
            other.inherit_doubt(&typed);
            other.confidence = confidence;
            return;
        }
        // The same fact in another sentence is stated independently.
        let is_same_elsewhere =
            |other: &ExtractedFact| is_same(other) && (other.denied, other.ended) == (typed.denied, typed.ended);
        let elsewhere = self.facts.iter().position(is_same_elsewhere);
        let is_competing = |other: &&ExtractedFact| spans_overlap(other, &typed) && has_same_ends(other, &typed);
        let competing_facts: Vec<&ExtractedFact> = self.facts.iter().filter(is_competing).collect();
        competing_facts.into_iter().for_each(|other| typed.inherit_doubt(other));
        match elsewhere {
            Some(index) if self.facts[index].confidence < typed.confidence => self.facts[index] = typed,
            Some(_) => {}
            None => self.facts.push(typed),
        }
    }
}

/// Returns whether a fact is doubtful, denied and ended.
fn assertion_status(fact: &ExtractedFact) -> (bool, bool, bool) {
    (fact.is_doubtful(), fact.denied, fact.ended)
}

/// Returns whether two facts relate the same two entities, or assign the same attribute to one entity.
fn has_same_ends(one: &ExtractedFact, other: &ExtractedFact) -> bool {
    let is_reversed = FactObject::Entity(one.subject.clone()) == other.object
        && one.object == FactObject::Entity(other.subject.clone());
    is_reversed || one.subject == other.subject && (one.object == other.object || one.predicate == other.predicate)
}

/// Returns whether two facts were found in overlapping words.
fn spans_overlap(one: &ExtractedFact, other: &ExtractedFact) -> bool {
    one.span.start < other.span.end && other.span.start < one.span.end
}

/// Returns whether a typed fact says almost everything that an overlapping statement says. A direction adds nothing to a
/// location: "goes back to the mill".
fn covers_statement(typed: &ExtractedFact, statement: &ExtractedFact) -> bool {
    let typed_words = text::words(&typed.statement);
    let directions = [&words::english().motion_adverbs, &words::english().departure_particles];
    let is_direction = |word: &str| {
        PredicateRole::Location.is(&typed.predicate) && directions.iter().any(|list| words::contains_word(list, word))
    };
    let uncovered_words = text::words(&statement.statement)
        .into_iter()
        .filter(|word| word.len() > 3 && !typed_words.contains(word) && !is_direction(word))
        .count();
    spans_overlap(typed, statement) && typed.predicate != statement.predicate && uncovered_words < 2
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Confidence, EntityId, ExtractionStage, Factuality, Predicate, Span};

    use super::*;
    use crate::{
        facts::{Cue, CueKind},
        model::FEATURE_NAMES,
        statements::{StatementFeatures, TalkProbabilities},
    };

    fn known(id: &str) -> Mention {
        Mention::Known(EntityId::new(id).unwrap())
    }

    /// Returns the fact that Kash works for Uriel, found in the first 20 bytes of a text.
    fn employment(confidence: f64, cues: &[CueKind]) -> ExtractedFact {
        ExtractedFact {
            subject: known("kash"),
            predicate: Predicate::new("EMPLOYED_BY").unwrap(),
            object: FactObject::Entity(known("uriel")),
            relation: None,
            statement: "Kash works for Uriel.".to_owned(),
            span: Span { start: 0, end: 20 },
            quote: "Kash works for Uriel".to_owned(),
            confidence: Confidence::new(confidence).unwrap(),
            stated_by: None,
            told_to: Vec::new(),
            denied: false,
            ended: false,
            factuality: Factuality::Asserted,
            participants: Vec::new(),
            cues: cues.iter().map(|kind| Cue { kind: *kind, words: String::new() }).collect(),
            stage: ExtractionStage::Clauses,
        }
    }

    /// Returns the facts of an extraction with the fact `pattern`, after a statement with the typed fact `typed`.
    fn merge(pattern: ExtractedFact, typed: ExtractedFact) -> Vec<ExtractedFact> {
        let statement_fact = ExtractedFact {
            predicate: Predicate::new("lore").unwrap(),
            object: FactObject::Value("Kash works for Uriel.".to_owned()),
            span: typed.span,
            cues: Vec::new(),
            ..typed.clone()
        };
        let statement = ModelStatement {
            fact: statement_fact,
            features: StatementFeatures([0.0; FEATURE_NAMES.len()]),
            typed_facts: vec![typed],
            added_subject: None,
            resolved_references: Vec::new(),
            factuality: Factuality::Asserted,
        };
        let talk = TalkProbabilities { narration: 1.0, in_character: 0.0, out_of_character: 0.0 };
        let mut extraction = Extraction { facts: vec![pattern], ..Extraction::default() };
        let line = LineStatements { talk, statements: vec![statement], entities: Vec::new() };
        extraction.add_statements(line, TalkKind::Narration, false);
        extraction.facts
    }

    #[test]
    fn the_lower_confidence_counts_if_the_assertion_status_differs() {
        for (pattern, typed, expected) in [
            (employment(0.9, &[]), employment(0.8, &[]), 0.9),
            (employment(0.4, &[]), employment(0.8, &[]), 0.8),
            (employment(0.4, &[CueKind::Meaning]), employment(0.8, &[]), 0.8),
            (employment(0.3, &[CueKind::Rumour]), employment(0.8, &[]), 0.3),
            (employment(0.09, &[CueKind::Sarcasm]), employment(0.9, &[]), 0.09),
            (employment(0.9, &[]), employment(0.6, &[CueKind::Thought]), 0.6),
            (employment(0.3, &[CueKind::Hedge]), employment(0.6, &[CueKind::Hedge]), 0.6),
            (ExtractedFact { denied: true, ..employment(0.5, &[]) }, employment(0.8, &[]), 0.5),
            (ExtractedFact { ended: true, ..employment(0.5, &[]) }, employment(0.8, &[]), 0.5),
        ] {
            let shown = format!("{pattern:?} and {typed:?}");
            let facts = merge(pattern, typed);
            assert_eq!(facts[0].confidence.get(), expected, "{shown}");
            assert_eq!(facts.iter().filter(|fact| fact.predicate == *"EMPLOYED_BY").count(), 1, "{shown}");
        }
    }

    #[test]
    fn the_same_fact_in_another_sentence_is_independent() {
        let elsewhere = |fact: ExtractedFact| ExtractedFact { span: Span { start: 30, end: 50 }, ..fact };
        let facts = merge(employment(0.3, &[CueKind::Rumour]), elsewhere(employment(0.8, &[])));
        assert_eq!((facts[0].confidence.get(), facts[0].is_doubtful()), (0.8, false));
        let facts = merge(employment(0.9, &[]), elsewhere(employment(0.6, &[CueKind::Rumour])));
        assert_eq!((facts[0].confidence.get(), facts[0].is_doubtful()), (0.9, false));
        let denied = ExtractedFact { denied: true, ..employment(0.9, &[]) };
        let facts = merge(denied, elsewhere(employment(0.8, &[])));
        assert_eq!(facts.iter().filter(|fact| fact.predicate == *"EMPLOYED_BY").count(), 2);
    }

    #[test]
    fn a_location_covers_a_movement_in_a_direction() {
        let fact = |predicate: &str, statement: &str| ExtractedFact {
            predicate: Predicate::new(predicate).unwrap(),
            statement: statement.to_owned(),
            ..employment(0.9, &[])
        };
        let location = fact("LOCATED_AT", "Kash Reed is at The Old Mill.");
        for (statement, is_covered) in [
            ("Kash goes back to the mill.", true),
            ("Kash walks down to the mill.", true),
            ("Kash runs back to the mill, soaked.", false),
        ] {
            assert_eq!(covers_statement(&location, &fact("lore", statement)), is_covered, "{statement}");
        }
        let debt = fact("OWES", "Kash Reed owes The Old Mill.");
        assert!(!covers_statement(&debt, &fact("lore", "Kash pays back the mill.")));
    }

    #[test]
    fn a_typed_fact_is_as_doubtful_as_another_fact_of_the_same_words() {
        let hedged =
            ExtractedFact { predicate: Predicate::new("LIKES").unwrap(), ..employment(0.3, &[CueKind::Hedge]) };
        let facts = merge(hedged, employment(0.9, &[]));
        let typed = facts.iter().find(|fact| fact.predicate == *"EMPLOYED_BY").unwrap();
        assert!(typed.is_doubtful() && typed.confidence.get() < 0.7, "{typed:?}");
    }
}
