use super::*;

#[test]
fn the_built_in_file_is_whole() {
    let file: VocabularyFile = toml::from_str(include_str!("../../data/vocabulary.toml")).unwrap();
    let vocabulary = Vocabulary::default();
    assert_eq!(vocabulary.predicates.len(), file.predicate.len(), "no name twice");
    assert_eq!(vocabulary.attributes.len(), file.attribute.len(), "no name twice");
    let required = "KNOWS LOCATED_AT OWNS MEMBER_OF ALLIED_WITH HOSTILE_TO PARTICIPATED_IN QUEST_GIVER CHILD_OF \
        EMPLOYED_BY PART_OF CAUSED_BY FOLLOWS CREATED RELATED_TO LIKES WANTS FEARS OWES PROMISED KNOWS_ABOUT \
        RESIDENT_OF SIBLING_OF MARRIED_TO RELATIVE_OF STUDENT_OF RULES WORSHIPS BORN_IN KILLED LEADS LOVES SUSPECTS";
    for name in required.split_whitespace() {
        let def = vocabulary.predicate(&Predicate::new(name).unwrap()).unwrap_or_else(|| panic!("{name}"));
        def.check().unwrap();
        assert!(def.examples.len() >= 3, "{name} needs worded examples");
        assert!(def.symmetric || def.inverse.is_some(), "{name} needs an inverse");
    }
    for def in vocabulary.attributes() {
        def.check().unwrap();
    }
    for name in [
        "personality",
        "appearance",
        "occupation",
        "speaking_style",
        "emotional_state",
        "goals",
        "behavior_rules",
        "alignment",
        "atmosphere",
        "objectives",
        "reward",
        "lore_text",
    ] {
        assert!(vocabulary.attribute(&Predicate::new(name).unwrap()).is_some(), "{name}");
    }
}

#[test]
fn only_the_two_ends_know_a_relation_without_definition() {
    let (vocabulary, name) = (Vocabulary::default(), |name: &str| Predicate::new(name).unwrap());
    let rules = AudienceRules { default: Some(Audience::Common), ..AudienceRules::default() };
    assert_eq!(vocabulary.predicate_audience(&rules, &name("COURTS")), Audience::Parties);
    assert_eq!(vocabulary.predicate_audience(&rules, &name("LOVES")), Audience::Private);
    assert_eq!(vocabulary.predicate_audience(&rules, &name("shoe_size")), Audience::Common);
    let predicates = [(name("COURTS"), Audience::Local)].into();
    let rules = AudienceRules { predicates, ..AudienceRules::default() };
    assert_eq!(vocabulary.predicate_audience(&rules, &name("COURTS")), Audience::Local);
}

#[test]
fn phrases_make_sentences() {
    let vocabulary = Vocabulary::default();
    let check = |name: &str, subject: &str, object: &str, expected: &str| {
        assert_eq!(vocabulary.sentence(&Predicate::new(name).unwrap(), subject, object), expected);
    };
    check("MEMBER_OF", "Bram", "the Watch", "Bram is a member of the Watch.");
    check("SMUGGLES_FOR", "Bram", "the Club", "Bram smuggles for the Club.");
    check("lore", "Bram", "Bram limps.", "Bram limps.");
    check("occupation", "Bram", "clerk", "Bram is a clerk.");
    check("occupation", "Bram", "captain of the watch", "Bram is captain of the watch.");
    check("OWES", "{object}", "Bram", "{object} owes Bram.");
    check("name", "Bram", "Bram", "The name is Bram.");
    check("appearance", "Bram", "left ear is torn", "Bram: left ear is torn.");
    check("appearance", "Bram", "tall, and his ears are red", "Bram's appearance is: tall, and his ears are red.");
    check("appearance", "Bram", "a torn ear", "Bram's appearance is: a torn ear.");
    for (kind, noun) in [
        ("npc", "an NPC"),
        ("player", "a player character"),
        ("location", "a location"),
        ("Trade route", "a trade route"),
        ("unknown", "an entity of unknown kind"),
    ] {
        check("kind", "Bram", kind, &format!("Bram is {noun}."));
    }
}

#[test]
fn every_built_in_phrase_makes_a_sentence() {
    let vocabulary = Vocabulary::default();
    for name in vocabulary.predicates().map(|def| &def.name).chain(vocabulary.attributes().map(|def| &def.name)) {
        let sentence = vocabulary.sentence(name, "Bram", "the Watch");
        assert!(!sentence.contains(['{', '}']), "{sentence}");
        // A label such as "Bram's goal: " has no verb.
        let verbs = [" has ", " is", " speaks ", " follows ", " ended "];
        let has_verb = |label: &str| verbs.iter().any(|verb| label.contains(verb));
        assert!(sentence.split_once(':').is_none_or(|(label, _)| has_verb(label)), "{sentence}");
    }
}

#[test]
fn the_phrase_of_an_attribute_contains_its_value() {
    let kind = Vocabulary::default().attribute(&Predicate::new("kind").unwrap()).unwrap().clone();
    kind.check().unwrap();
    let error = AttributeDef { phrase: Some("{subject} is".into()), ..kind }.check().unwrap_err();
    assert_eq!(error.to_string(), "the phrase of kind, `{subject} is`, must contain {object} or {an object}");
}

#[test]
fn predicates_keep_to_one_case() {
    for bad in ["", "Mixed", "A B", "_A", "9LIVES", "a-b"] {
        assert!(Predicate::new(bad).is_err(), "{bad}");
    }
    assert_eq!(Predicate::relation("works for").unwrap(), "WORKS_FOR");
    assert!(!Predicate::new("occupation").unwrap().is_relation());
}

#[test]
fn invalid_definitions_are_refused() {
    let mut def = Vocabulary::default().predicate(&Predicate::new("OWES").unwrap()).unwrap().clone();
    def.phrase = "{subject} owes".into();
    assert!(matches!(Vocabulary::default().define(def), Err(VocabularyError::IncompletePhrase { .. })));
    let mut def = Vocabulary::default().predicate(&Predicate::new("OWES").unwrap()).unwrap().clone();
    def.history = History::Latest;
    assert!(matches!(Vocabulary::default().define(def), Err(VocabularyError::HistoryNotFunctional(_))));
}

const MINIMAL: &str = r#"
[roles]
location = "STANDS_IN"
residence = "DWELLS_IN"
membership = "SWORN_TO"
part = "WITHIN"
possession = "OWNS"
trust = "TRUSTS"
awareness = "HEARD_OF"
related = "TIED_TO"
assignment = "TIED_TO"
participation = "TIED_TO"
creation = "TIED_TO"
condition = "state"
kept_promise = "TIED_TO"
broken_promise = "TIED_TO"
[[attribute]]
name = "state"
behavior = { dead_values = ["gone"] }
"#;

/// Returns a small vocabulary file that defines these relations.
fn vocabulary_file(names: &str) -> String {
    let defined = names
        .split_whitespace()
        .map(|name| format!("[[predicate]]\nname = \"{name}\"\nphrase = \"{{subject}} does it to {{object}}\"\n"));
    defined.fold(MINIMAL.to_owned(), |text, next| text + &next)
}

fn parse(file: &str) -> Result<Vocabulary, VocabularyError> {
    BuiltInVocabulary::parse(file).map(|built_in| built_in.vocabulary)
}

const NEEDED: &str = "STANDS_IN DWELLS_IN SWORN_TO WITHIN OWNS TRUSTS HEARD_OF TIED_TO";

#[test]
fn a_vocabulary_without_a_role_is_refused() {
    parse(&vocabulary_file(NEEDED)).unwrap();
    let without = vocabulary_file(NEEDED).replace("residence = \"DWELLS_IN\"", "");
    let error = parse(&without).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no predicate has the role `residence`; add a line such as `residence = \"NAME\"` to the table `roles`"
    );
    let undefined = parse(&vocabulary_file(&NEEDED.replace("WITHIN ", ""))).unwrap_err();
    assert!(undefined.to_string().contains("WITHIN cannot have the role `part`"), "{undefined}");
    let unknown = parse(&vocabulary_file(NEEDED).replace("dead_values", "death_values")).unwrap_err();
    assert!(unknown.to_string().contains("unknown field `death_values`, expected one of"), "{unknown}");
}

#[test]
fn a_behavior_belongs_to_its_sort_of_predicate() {
    let owes = Vocabulary::default().predicate(&Predicate::new("OWES").unwrap()).unwrap().clone();
    let wrong = Behavior { identity: Some(1), ..Behavior::default() };
    let error = Vocabulary::default().define(PredicateDef { behavior: Some(wrong), ..owes }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the predicate OWES cannot have the key `behavior.identity`, which is only for attributes; remove this key"
    );
    let age = Vocabulary::default().attribute(&Predicate::new("age").unwrap()).unwrap().clone();
    let wrong = Behavior { thread: Some(OpenThread::Debt), ..Behavior::default() };
    let error = Vocabulary::default().define_attribute(AttributeDef { behavior: Some(wrong), ..age }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the predicate age cannot have the key `behavior.thread`, which is only for relations; remove this key"
    );
}

#[test]
fn a_new_definition_keeps_the_behavior_unless_it_states_one() {
    let name = Predicate::new("OWES").unwrap();
    let mut vocabulary = Vocabulary::default();
    let mut def = PredicateDef { behavior: None, ..vocabulary.predicate(&name).unwrap().clone() };
    def.phrase = "{subject} is in the debt of {object}".into();
    vocabulary.define(def.clone()).unwrap();
    assert_eq!(vocabulary.behavior(&name).thread, Some(OpenThread::Debt));
    def.behavior = Some(Behavior::default());
    vocabulary.define(def).unwrap();
    assert_eq!(vocabulary.behavior(&name).thread, None);
}

#[test]
fn every_field_belongs_to_one_relation() {
    let vocabulary = Vocabulary::default();
    for def in vocabulary.predicates() {
        let Some(words) = &def.words else { continue };
        assert_eq!(vocabulary.words(&def.name), Some(&**words));
        for (fields, is_inverse) in [(&words.fields, false), (&words.inverse_fields, true)] {
            for field in fields {
                assert_eq!(*field, crate::slug(field), "fields are looked up by their slugs");
                let expected = RelationField { predicate: def.name.clone(), is_inverse };
                assert_eq!(vocabulary.relation_of_field(field), Some(&expected), "{field}");
            }
        }
    }
    assert_eq!(vocabulary.relation_of_field("shoe-size"), None);
}

#[test]
fn a_new_definition_keeps_the_words_unless_it_states_some() {
    let name = Predicate::new("OWES").unwrap();
    let mut vocabulary = Vocabulary::default();
    let old = PredicateDef { words: None, ..vocabulary.predicate(&name).unwrap().clone() };
    vocabulary.define(old.clone()).unwrap();
    assert_eq!(vocabulary.relation_of_field("owes").unwrap().predicate, name);
    let words = RelationWords { inverse_fields: vec!["Sworn creditor".into()], ..RelationWords::default() };
    vocabulary.define(PredicateDef { words: Some(words.into()), ..old }).unwrap();
    assert_eq!(vocabulary.relation_of_field("owes"), None);
    assert!(vocabulary.relation_of_field("sworn-creditor").unwrap().is_inverse);
    assert!(Vocabulary::default().relation_of_field("owes").is_some(), "the built-in vocabulary is unchanged");
}

#[test]
fn words_that_no_sentence_contains_are_refused() {
    let owes = Vocabulary::default().predicate(&Predicate::new("OWES").unwrap()).unwrap().clone();
    let error = |words: RelationWords| {
        let def = PredicateDef { words: Some(words.into()), ..owes.clone() };
        Vocabulary::default().define(def).unwrap_err().to_string()
    };
    let verbs = |verb: &str| RelationWords { verbs: vec![verb.into()], ..RelationWords::default() };
    assert_eq!(
        error(verbs("Owe money to")),
        "`Owe money to` is not a valid noun, verb or field name for the relation OWES; write lowercase words with single spaces between them"
    );
    for verb in ["", "owe  to", "owe _", "owe : dogs", "7 owe"] {
        assert!(error(verbs(verb)).contains("is not a valid noun, verb or field name"), "{verb}");
    }
    let fields = RelationWords { fields: vec!["?!".into()], ..RelationWords::default() };
    assert!(error(fields).contains("`?!` is not a valid noun, verb or field name"));
}

#[test]
fn reserved_predicates_behave_without_a_definition() {
    let vocabulary = Vocabulary::default();
    let witnessed = Predicate::new("WITNESSED").unwrap();
    assert!(vocabulary.predicate(&witnessed).is_none() && vocabulary.behavior(&witnessed).event.is_some());
    let belongs = |name: &str| vocabulary.belonging(&Predicate::new(name).unwrap());
    assert_eq!(belongs("MEMBER_OF"), Some(Belonging::Member));
    assert_eq!(belongs("OWNS"), None);
}

#[test]
fn roles_name_their_predicates() {
    for role in PredicateRole::ALL {
        assert_eq!(PredicateRole::ALL[role as usize], role);
        assert!(role.is(role.predicate()));
        assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
    }
    assert_eq!(PredicateRole::Location.name(), "LOCATED_AT");
}

#[test]
fn a_relation_has_several_names() {
    let vocabulary = Vocabulary::default();
    let named = |text: &str| {
        let field = vocabulary.relation_named(text)?;
        Some(format!("{}{}", field.predicate, if field.is_inverse { " inverse" } else { "" }))
    };
    for (text, expected) in [
        ("SAVED", "SAVED"),
        ("saved", "SAVED"),
        ("SAVED_BY", "SAVED inverse"),
        ("rescued", "SAVED"),
        ("RESCUED", "SAVED"),
        ("threatens", "THREATENED"),
        ("works for", "EMPLOYED_BY"),
        ("WORKS_FOR", "EMPLOYED_BY"),
        ("was saved by", "SAVED inverse"),
    ] {
        assert_eq!(named(text).as_deref(), Some(expected), "{text}");
    }
    for text in ["COURTS", "!"] {
        assert_eq!(named(text), None, "{text}");
    }
}

#[test]
fn a_field_of_an_entity_states_a_relation_or_an_attribute() {
    let vocabulary = Vocabulary::default();
    let field = |text: &str| {
        let field = vocabulary.entity_field(text)?;
        Some(format!("{}{}", field.predicate, if field.is_inverse { " inverse" } else { "" }))
    };
    for (text, expected) in [
        ("home", "RESIDENT_OF"),
        ("location", "LOCATED_AT"),
        ("part_of", "PART_OF"),
        ("faction", "MEMBER_OF"),
        ("member_of", "MEMBER_OF"),
        ("owner", "OWNS inverse"),
        ("OWES", "OWES"),
        ("player", "player"),
        ("headquarters", "headquarters"),
        ("aliases", "alias"),
        ("Speaking style", "speaking_style"),
    ] {
        assert_eq!(field(text).as_deref(), Some(expected), "{text}");
    }
    assert_eq!(field("mood"), None);
    let similar = |text: &str| vocabulary.similar_entity_field(text);
    for (text, expected) in [("loction", "location"), ("faktion", "faction"), ("occupatin", "occupation")] {
        assert_eq!(similar(text).as_deref(), Some(expected), "{text}");
    }
    for text in ["mood", "race", "class", "eye colour", ""] {
        assert_eq!(similar(text), None, "{text}");
    }
}

#[test]
fn an_unknown_relation_is_similar_to_a_known_one() {
    let vocabulary = Vocabulary::default();
    let similar = |name: &str| vocabulary.similar_relation(name).map(Predicate::as_str);
    for (name, expected) in [
        ("THREATENING", "THREATENED"),
        ("assaults", "HARMED"),
        ("STEALS_FROM_THE", "STOLE_FROM"),
        ("HOSTILE_TOO", "HOSTILE_TO"),
        ("BETRAYD", "BETRAYED"),
    ] {
        assert_eq!(similar(name), Some(expected), "{name}");
    }
    for name in ["COURTS", "ZYX", ""] {
        assert_eq!(similar(name), None, "{name}");
    }
}
