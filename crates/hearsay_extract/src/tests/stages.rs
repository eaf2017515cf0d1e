//! Tests that every fact names the stage that found it, and that each stage can be switched off.

use hearsay_model::{ExtractionStage, Factuality};

use super::*;

/// Texts that different stages of the patterns read.
const TEXTS: [(&str, ExtractionStage); 3] = [
    ("Odo Brandt works for Mirela Voss.", ExtractionStage::Clauses),
    ("Odo Brandt, the miller, sat down.", ExtractionStage::Appositions),
    ("Odo Brandt\nOccupation: miller", ExtractionStage::Fields),
];

#[test]
fn every_fact_names_the_stage_that_found_it() {
    for (text, stage) in TEXTS {
        let found = extractor().extract(&town(), &Text::new(text, TextType::Lore));
        assert!(found.facts.iter().any(|fact| fact.stage == stage), "{text}: {:?}", found.facts);
    }
}

#[test]
fn a_stage_can_be_switched_off() {
    for (text, stage) in TEXTS {
        let text = Text::new(text, TextType::Lore);
        let found = extractor().without_stage(stage).extract(&town(), &text);
        assert!(found.facts.iter().all(|fact| fact.stage != stage), "{stage}: {:?}", found.facts);
    }
    let off = ExtractionStage::ALL.into_iter().fold(extractor(), Extractor::without_stage);
    for (text, _) in TEXTS {
        let found = off.extract(&town(), &Text::new(text, TextType::Lore));
        assert!(found.facts.is_empty(), "{text}: {:?}", found.facts);
    }
}

#[test]
fn every_fact_has_an_assertion_status() {
    for (text, expected) in [
        ("Odo Brandt works for Mirela Voss.", Factuality::Asserted),
        ("Odo Brandt no longer works for Mirela Voss.", Factuality::Ended),
        ("Odo Brandt does not work for Mirela Voss.", Factuality::Negated),
        ("Maybe Odo Brandt works for Mirela Voss.", Factuality::Hedged),
    ] {
        let found = extractor().extract(&town(), &Text::new(text, TextType::Narration));
        let statuses: Vec<Factuality> = found.facts.iter().map(|fact| fact.factuality).collect();
        assert_eq!(statuses, [expected], "{text}: {:?}", found.facts);
    }
}
