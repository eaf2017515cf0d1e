//! `hearsay event`: records events, and the facts that characters learn from them.

use clap::Args as ClapArgs;

use super::{
    campaign::Campaign,
    names::{entities, facts, name, sessions},
    values::text,
};

/// Place and time of an event.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Circumstances {
    /// Place of the event (id or name)
    #[arg(long, value_name = "PLACE", value_parser = name, add = entities())]
    pub(crate) at: Option<String>,
    /// Date of the event on the campaign's calendar [default: with --session, the end of that session; otherwise, the
    /// current game time]
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
    /// Session in which the event happens (id or number) [default: the session being played]
    #[arg(long, add = sessions())]
    pub(crate) session: Option<String>,
    /// Show who would learn which facts, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A new fact.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct NewFact {
    /// New fact, given as an entity and a sentence about this entity
    #[arg(long, num_args = 2, value_names = ["ENTITY", "SENTENCE"], value_parser = name, add = entities())]
    pub(crate) about: Vec<String>,
    /// New fact, given as subject, predicate and object, such as `pell OWES odo-brandt`
    #[arg(long, num_args = 3, value_names = ["SUBJECT", "PREDICATE", "OBJECT"], value_parser = name, add = entities())]
    pub(crate) that: Vec<String>,
}

impl NewFact {
    /// Returns whether no new fact is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.about.is_empty() && self.that.is_empty()
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Witness {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Facts that the witnesses see; for each fact, give its handle (short name), the start of its id, or words of its
    /// statement
    #[arg(required_unless_present_any = ["about", "that"], value_parser = name, add = facts())]
    pub(crate) facts: Vec<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// Character who sees the facts; may be repeated [default: the characters present]
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) by: Vec<String>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Say {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Speaker (id or name)
    #[arg(long = "by", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) speaker: String,
    /// Words that the character says
    #[arg(value_parser = text)]
    pub(crate) text: String,
    /// Fact that the line states: its handle (short name), the start of its id, or words of its statement; may be
    /// repeated [default: the facts that Hearsay recognizes]
    #[arg(long, value_name = "FACT", value_parser = name, add = facts())]
    pub(crate) states: Vec<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// Character who hears the line; may be repeated [default: the characters present]
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) to: Vec<String>,
    /// Record the line as a lie: its facts are false, and the speaker does not believe them
    #[arg(long)]
    pub(crate) lie: bool,
    /// Record nothing; list the words that reveal a secret of the speaker, contradict the knowledge of the speaker, or
    /// contain a name that the speaker does not know
    #[arg(long, conflicts_with_all = ["states", "about", "that", "lie"])]
    pub(crate) check: bool,
    /// Question that the speaker answers; the question helps --check to understand a short answer
    #[arg(long, value_name = "TEXT", value_parser = text, requires = "check")]
    pub(crate) question: Option<String>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Tell {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Teller (id or name)
    #[arg(long = "by", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) teller: String,
    /// Fact to tell: its handle (short name), the start of its id, or words of its statement
    #[arg(required_unless_present_any = ["about", "that"], conflicts_with_all = ["about", "that"], value_parser = name, add = facts())]
    pub(crate) fact: Option<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// Character who hears the fact; may be repeated [default: the characters present]
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) to: Vec<String>,
    /// Distorted sentence that the teller says instead of the statement of the fact
    #[arg(long, value_name = "SENTENCE", value_parser = text)]
    pub(crate) retold: Option<String>,
    /// Object or value that the teller states instead of the object or value of the fact
    #[arg(long, value_name = "OBJECT", value_parser = name, add = entities())]
    pub(crate) retold_object: Option<String>,
    /// Record the statement as a lie: the fact is false, and the teller does not believe it
    #[arg(long)]
    pub(crate) lie: bool,
    /// Record that the teller no longer conceals the fact from anyone
    #[arg(long, conflicts_with_all = ["about", "that", "retold", "retold_object", "lie", "citing", "credence"])]
    pub(crate) openly: bool,
    /// Character whom the teller names as the source of the fact
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) citing: Option<String>,
    /// Credence of the hearers, from 0 to 1 [default: computed from their trust in the teller]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) credence: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Read {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Document that the characters read (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) document: String,
    /// Character who reads the document; may be repeated
    #[arg(long, value_name = "CHARACTER", required = true, value_parser = name, add = entities())]
    pub(crate) by: Vec<String>,
    /// How strongly the readers believe the facts of the document (credence), from 0 to 1 [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) credence: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Deduce {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character who draws the conclusion (id or name)
    #[arg(long = "by", value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) character: String,
    /// Conclusion (a fact): its handle (short name), the start of its id, or words of its statement
    #[arg(required_unless_present_any = ["about", "that"], conflicts_with_all = ["about", "that"], value_parser = name, add = facts())]
    pub(crate) fact: Option<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// Fact from which the conclusion follows: its handle (short name), the start of its id, or words of its statement;
    /// may be repeated
    #[arg(long, value_name = "FACT", required = true, value_parser = name, add = facts())]
    pub(crate) from: Vec<String>,
    /// How certain the conclusion is if all facts after --from are true: a number between 0 and 1 [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) certainty: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Refute {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Fact to refute: its handle (short name), the start of its id, or words of its statement
    #[arg(value_parser = name, add = facts())]
    pub(crate) fact: String,
    /// Sentence that denies the fact [default: generated from the fact's statement]
    #[arg(long, value_name = "SENTENCE", value_parser = text)]
    pub(crate) statement: Option<String>,
    /// Character who tells the hearers that the fact is wrong
    #[arg(long = "by", value_name = "CHARACTER", conflicts_with = "seen_by", value_parser = name, add = entities())]
    pub(crate) teller: Option<String>,
    /// Character who hears that the fact is wrong; may be repeated [default: the characters present]
    #[arg(long, value_name = "CHARACTER", requires = "teller", value_parser = name, add = entities())]
    pub(crate) to: Vec<String>,
    /// Character who sees that the fact is wrong; may be repeated [default: the characters present]
    #[arg(long, value_name = "CHARACTER", value_parser = name, add = entities())]
    pub(crate) seen_by: Vec<String>,
    /// How strongly the hearers believe the refutation (credence), from 0 to 1 [default: computed from their trust in
    /// the teller]
    #[arg(long, value_name = "N", requires = "teller", allow_negative_numbers = true)]
    pub(crate) credence: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Forget {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Character who forgets the fact (id or name)
    #[arg(value_parser = name, add = entities())]
    pub(crate) character: String,
    /// Fact to forget: its handle (short name), the start of its id, or words of its statement
    #[arg(value_parser = name, add = facts())]
    pub(crate) fact: String,
    /// Show who would no longer know the fact, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
#[group(id = "retcon_kind", required = true, multiple = false)]
pub(crate) struct RetconKind {
    /// Retract a fact that was never true, so that no character knows the fact any more
    #[arg(long)]
    pub(crate) never_so: bool,
    /// End the validity of the fact at this date; characters who know the fact still believe it until they learn that
    /// it ended
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) until: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Retcon {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Fact to retract or end: its handle (short name), the start of its id, or words of its statement
    #[arg(value_parser = name, add = facts())]
    pub(crate) fact: String,
    #[command(flatten)]
    pub(crate) kind: RetconKind,
    /// Show how the command would affect knowledge and beliefs, without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}
