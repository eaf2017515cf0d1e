//! `hearsay event`: record what happens, and who learns from it.

use clap::Args as ClapArgs;

use super::{Campaign, text};

/// Where and when something happens.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Circumstances {
    /// Place, by id or name
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
    /// Date on the campaign's calendar [default: the end of the session, or the game clock]
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
    /// Session, by id or number
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Show who would learn what, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A new fact.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct NewFact {
    /// A new fact: a sentence about an entity
    #[arg(long, num_args = 2, value_names = ["ENTITY", "SENTENCE"], value_parser = text)]
    pub(crate) about: Vec<String>,
    /// A new fact: a relation or an attribute
    #[arg(long, num_args = 3, value_names = ["SUBJECT", "PREDICATE", "OBJECT"], value_parser = text)]
    pub(crate) that: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Witness {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Facts that are seen: id, start of the id, or handle
    #[arg(required_unless_present_any = ["about", "that"])]
    pub(crate) facts: Vec<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// Witness; may be repeated [default: everyone at the place]
    #[arg(long, value_name = "NPC", required_unless_present = "at")]
    pub(crate) by: Vec<String>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Say {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Speaker, by id or name
    #[arg(long = "by", value_name = "NPC", value_parser = text)]
    pub(crate) speaker: String,
    /// The words that are said
    #[arg(value_parser = text)]
    pub(crate) text: String,
    /// Fact that the words state: id, start of the id, or handle; may be repeated
    #[arg(long, value_name = "FACT")]
    pub(crate) states: Vec<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// Hearer; may be repeated [default: everyone where the speaker is]
    #[arg(long, value_name = "NPC")]
    pub(crate) to: Vec<String>,
    /// The speaker lies
    #[arg(long)]
    pub(crate) lie: bool,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Tell {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Teller, by id or name
    #[arg(long = "by", value_name = "NPC", value_parser = text)]
    pub(crate) teller: String,
    /// Fact that is told: id, start of the id, or handle
    #[arg(required_unless_present_any = ["about", "that"], conflicts_with_all = ["about", "that"])]
    pub(crate) fact: Option<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// Hearer; may be repeated [default: everyone where the teller is]
    #[arg(long, value_name = "NPC")]
    pub(crate) to: Vec<String>,
    /// Sentence that the teller says instead, retelling the fact wrongly
    #[arg(long, value_name = "SENTENCE", value_parser = text)]
    pub(crate) retold: Option<String>,
    /// Wrong object or value that the teller gives
    #[arg(long, value_name = "OBJECT", value_parser = text)]
    pub(crate) retold_object: Option<String>,
    /// The teller lies
    #[arg(long)]
    pub(crate) lie: bool,
    /// Source that the teller names
    #[arg(long, value_name = "NPC")]
    pub(crate) citing: Option<String>,
    /// Credence of the hearers, 0 to 1 [default: from their trust in the teller]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) credence: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Read {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Document, by id or name
    pub(crate) document: String,
    /// Reader; may be repeated
    #[arg(long, value_name = "NPC", required = true)]
    pub(crate) by: Vec<String>,
    /// Credence of the readers, 0 to 1
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) credence: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Deduce {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character who concludes, by id or name
    #[arg(long = "by", value_name = "NPC", value_parser = text)]
    pub(crate) who: String,
    /// Conclusion: id, start of the id, or handle of a fact
    #[arg(required_unless_present_any = ["about", "that"], conflicts_with_all = ["about", "that"])]
    pub(crate) fact: Option<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// Premise: a fact it follows from; may be repeated
    #[arg(long, value_name = "FACT", required = true)]
    pub(crate) from: Vec<String>,
    /// Certainty of the conclusion, 0 to 1
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) certainty: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Refute {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Wrong fact: id, start of the id, or handle
    pub(crate) fact: String,
    /// Sentence that denies the fact [default: made from the fact's statement]
    #[arg(long, value_name = "SENTENCE", value_parser = text)]
    pub(crate) statement: Option<String>,
    /// Character who says that the fact is wrong
    #[arg(long = "by", value_name = "NPC", conflicts_with = "seen_by")]
    pub(crate) teller: Option<String>,
    /// Hearer; may be repeated [default: everyone where the teller is]
    #[arg(long, value_name = "NPC", requires = "teller")]
    pub(crate) to: Vec<String>,
    /// Witness who sees that the fact is wrong; may be repeated [default: everyone at the place]
    #[arg(long, value_name = "NPC", required_unless_present_any = ["teller", "at"])]
    pub(crate) seen_by: Vec<String>,
    /// Credence of the hearers, 0 to 1 [default: from their trust in the teller]
    #[arg(long, value_name = "N", requires = "teller", allow_negative_numbers = true)]
    pub(crate) credence: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Reveal {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Holder of the secret, by id or name
    #[arg(long = "by", value_name = "NPC", value_parser = text)]
    pub(crate) holder: String,
    /// Secret: id, start of the id, or handle
    pub(crate) fact: String,
    /// Hearer; may be repeated [default: everyone where the holder is]
    #[arg(long, value_name = "NPC")]
    pub(crate) to: Vec<String>,
    /// The holder stops concealing it from anyone
    #[arg(long)]
    pub(crate) openly: bool,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Forget {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character, by id or name
    pub(crate) who: String,
    /// Fact it never learned: id, start of the id, or handle
    pub(crate) fact: String,
    /// Show whose knowledge would be retracted, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
#[group(id = "how", required = true, multiple = false)]
pub(crate) struct RetconHow {
    /// The fact was never true: retract it from everybody
    #[arg(long)]
    pub(crate) never_so: bool,
    /// The fact was true until this date; knowers believe it until they learn that it ended
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) until: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Retcon {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Fact: id, start of the id, or handle
    pub(crate) fact: String,
    #[command(flatten)]
    pub(crate) acquisition: RetconHow,
    /// Show the effects on knowledge and belief, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}
