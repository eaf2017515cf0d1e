//! Names of the weights that determine the confidence of a fact, and of the factors that lower it. The tables
//! `[confidence]` and `[doubt]` of a language file contain the numbers.

/// Defines a type whose constants are the names in a table of a language file.
macro_rules! table_names {
    ($(#[$type_doc:meta])* $type:ident; $($name:ident = $text:literal;)*) => {
        $(#[$type_doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) struct $type(&'static str);

        impl $type {
            $(pub(crate) const $name: Self = Self($text);)*

            #[cfg(test)]
            const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the name in the language files.
            pub(crate) const fn as_str(self) -> &'static str {
                self.0
            }
        }
    };
}

table_names! {
    /// Name of a weight in the table `[confidence]`. A weight without a number counts as 0.
    ///
    /// The order of the names is alphabetical.
    Weight;
    BASE = "base";
    BESIDE = "beside";
    BY_ADJECTIVE = "by_adjective";
    BY_AGE = "by_age";
    BY_AIM = "by_aim";
    BY_ASKING = "by_asking";
    BY_BRACKET = "by_bracket";
    BY_FEATURE = "by_feature";
    BY_GROUP = "by_group";
    BY_HAVING = "by_having";
    BY_KIND = "by_kind";
    BY_LABEL = "by_label";
    BY_LEARNING = "by_learning";
    BY_MEANING = "by_meaning";
    BY_NOUN = "by_noun";
    BY_PART = "by_part";
    BY_PASSIVE = "by_passive";
    BY_PHRASE = "by_phrase";
    BY_TIE = "by_tie";
    BY_TOGETHER = "by_together";
    BY_TOPIC = "by_topic";
    BY_TRADE = "by_trade";
    BY_VERB = "by_verb";
    CHUNK = "chunk";
    CONTROL = "control";
    DESCRIPTION = "description";
    DOUBTFUL_PRONOUN = "doubtful_pronoun";
    EARLIER_PRONOUN = "earlier_pronoun";
    FALLBACK = "fallback";
    FAR_OBJECT = "far_object";
    FAR_PRONOUN = "far_pronoun";
    FIELD = "field";
    INVERTED = "inverted";
    KIND_OPEN = "kind_open";
    LEADS_ON = "leads_on";
    LENGTHY = "lengthy";
    LIKEWISE = "likewise";
    LIST = "list";
    LONG = "long";
    LOOSE = "loose";
    LOOSE_ABSOLUTE = "loose_absolute";
    LOOSE_AIR = "loose_air";
    LOOSE_APPOSED = "loose_apposed";
    LOOSE_ASKED = "loose_asked";
    LOOSE_COMPANION = "loose_companion";
    LOOSE_COUNTED = "loose_counted";
    LOOSE_DATED = "loose_dated";
    LOOSE_DEATH = "loose_death";
    LOOSE_ENDED = "loose_ended";
    LOOSE_GOD = "loose_god";
    LOOSE_GOVERNED = "loose_governed";
    LOOSE_HABIT = "loose_habit";
    LOOSE_HEIGHT = "loose_height";
    LOOSE_INSTEAD = "loose_instead";
    LOOSE_INSTEAD_OF = "loose_instead_of";
    LOOSE_LISTED = "loose_listed";
    LOOSE_MANNER = "loose_manner";
    LOOSE_MEANT = "loose_meant";
    LOOSE_NOUN = "loose_noun";
    LOOSE_OPEN = "loose_open";
    LOOSE_PART = "loose_part";
    LOOSE_PHRASE = "loose_phrase";
    LOOSE_POST = "loose_post";
    LOOSE_QUOTED = "loose_quoted";
    LOOSE_RELATED = "loose_related";
    LOOSE_SCATTERED = "loose_scattered";
    LOOSE_SCATTERED_BACK = "loose_scattered_back";
    LOOSE_SEAT = "loose_seat";
    LOOSE_SECOND = "loose_second";
    LOOSE_SET_ON = "loose_set_on";
    LOOSE_SIGN = "loose_sign";
    LOOSE_SPEECH = "loose_speech";
    LOOSE_THERE = "loose_there";
    LOOSE_TOGETHER = "loose_together";
    LOOSE_TOLD = "loose_told";
    LOOSE_VERB = "loose_verb";
    LOOSE_WISHED = "loose_wished";
    LOOSE_WORN = "loose_worn";
    MANY_CLAUSES = "many_clauses";
    NAMED_BELOW = "named_below";
    NEAR_BUT = "near_but";
    NEAR_NAME = "near_name";
    NESTED = "nested";
    NEW_NAME = "new_name";
    OF_CHARACTER = "of_character";
    OF_GOODS = "of_goods";
    OF_LOOKS = "of_looks";
    OF_MOOD = "of_mood";
    OF_PLACE = "of_place";
    OF_STATE = "of_state";
    OF_TIES = "of_ties";
    OF_TRADE = "of_trade";
    OPEN_VALUE = "open_value";
    OPENING_NAME = "opening_name";
    PAIR_CERTAINLY = "pair_certainly";
    PAIR_GUESS_CERTAINLY = "pair_guess_certainly";
    PAIR_GUESS_HARDLY = "pair_guess_hardly";
    PAIR_GUESS_LIKELY = "pair_guess_likely";
    PAIR_GUESS_MAYBE = "pair_guess_maybe";
    PAIR_GUESS_NEVER = "pair_guess_never";
    PAIR_GUESS_NO = "pair_guess_no";
    PAIR_GUESS_PERHAPS = "pair_guess_perhaps";
    PAIR_GUESS_PLAINLY = "pair_guess_plainly";
    PAIR_GUESS_SURELY = "pair_guess_surely";
    PAIR_HARDLY = "pair_hardly";
    PAIR_LIKELY = "pair_likely";
    PAIR_MAYBE = "pair_maybe";
    PAIR_NEVER = "pair_never";
    PAIR_NO = "pair_no";
    PAIR_PERHAPS = "pair_perhaps";
    PAIR_PLAINLY = "pair_plainly";
    PAIR_SURELY = "pair_surely";
    PART_NAME = "part_name";
    PRONOUN = "pronoun";
    RELATIVE = "relative";
    SET_BESIDE = "set_beside";
    SHARED = "shared";
    SHARED_NAME = "shared_name";
    SPOKEN = "spoken";
    SPOKEN_OF = "spoken_of";
    STRONG = "strong";
    TELEGRAPH = "telegraph";
    TURNED = "turned";
    VALUE_CERTAINLY = "value_certainly";
    VALUE_GUESS_CERTAINLY = "value_guess_certainly";
    VALUE_GUESS_HARDLY = "value_guess_hardly";
    VALUE_GUESS_LIKELY = "value_guess_likely";
    VALUE_GUESS_MAYBE = "value_guess_maybe";
    VALUE_GUESS_NEVER = "value_guess_never";
    VALUE_GUESS_NO = "value_guess_no";
    VALUE_GUESS_PERHAPS = "value_guess_perhaps";
    VALUE_GUESS_PLAINLY = "value_guess_plainly";
    VALUE_GUESS_SURELY = "value_guess_surely";
    VALUE_HARDLY = "value_hardly";
    VALUE_LEARNED = "value_learned";
    VALUE_LIKELY = "value_likely";
    VALUE_MAYBE = "value_maybe";
    VALUE_NEVER = "value_never";
    VALUE_NO = "value_no";
    VALUE_PERHAPS = "value_perhaps";
    VALUE_PLAINLY = "value_plainly";
    VALUE_SURELY = "value_surely";
    WEAK = "weak";
}

impl Weight {
    /// Returns the weight for the words of a pattern or list: [`WEAK`](Self::WEAK) for words that often state something
    /// else, otherwise [`STRONG`](Self::STRONG).
    pub(crate) const fn of_words(is_weak: bool) -> Self {
        if is_weak { Self::WEAK } else { Self::STRONG }
    }
}

table_names! {
    /// Name of a factor in the table `[doubt]`, which lowers the confidence of a doubtful fact.
    DoubtFactor;
    HEDGE = "hedge";
    RUMOUR = "rumour";
    THOUGHT = "thought";
    SARCASM = "sarcasm";
    QUOTED = "quoted";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn the_numbers_of_english_have_known_names() {
        let grammar = Language::english().grammar;
        for name in grammar.weights.keys() {
            assert!(Weight::ALL.iter().any(|known| known.as_str() == name), "unknown weight {name}");
        }
        for name in grammar.confidence_factors.keys() {
            assert!(DoubtFactor::ALL.iter().any(|known| known.as_str() == name), "unknown factor {name}");
        }
        for factor in DoubtFactor::ALL {
            assert!(grammar.confidence_factors.contains_key(factor.as_str()), "no number for {factor:?}");
        }
    }
}
