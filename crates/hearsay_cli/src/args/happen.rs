//! What can be typed to let somebody learn something.

use clap::Args as ClapArgs;

use super::{Campaign, text};

/// Where and when something happens.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct Circumstances {
    /// Where: an id or a name
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
    /// When, on the campaign's calendar [default: the end of the session, or else the game clock]
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
    /// In which session: its id or number
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Say who would learn what, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// A new fact.
#[derive(Debug, Clone, ClapArgs)]
pub(crate) struct NewFact {
    /// Something new: a sentence about somebody or something
    #[arg(long, num_args = 2, value_names = ["ENTITY", "SENTENCE"], value_parser = text)]
    pub(crate) about: Vec<String>,
    /// Something new: a relation or an attribute
    #[arg(long, num_args = 3, value_names = ["SUBJECT", "PREDICATE", "OBJECT"], value_parser = text)]
    pub(crate) that: Vec<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Witness {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What is seen: id, beginning of the id, or handle
    #[arg(required_unless_present_any = ["about", "that"])]
    pub(crate) facts: Vec<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// Who sees it; repeat it [default: those who are at the place]
    #[arg(long, value_name = "NPC", required_unless_present = "at")]
    pub(crate) by: Vec<String>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Say {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who says it: an id or a name
    pub(crate) speaker: String,
    /// The words
    #[arg(value_parser = text)]
    pub(crate) text: String,
    /// A fact that the words state: id, beginning of the id, or handle; repeat it
    #[arg(long, value_name = "FACT")]
    pub(crate) states: Vec<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// Who hears it; repeat it [default: those who are where the speaker is]
    #[arg(long, value_name = "NPC")]
    pub(crate) to: Vec<String>,
    /// The speaker does not believe it
    #[arg(long)]
    pub(crate) lie: bool,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Tell {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who tells it: an id or a name
    pub(crate) teller: String,
    /// What: id, beginning of the id, or handle
    #[arg(required_unless_present_any = ["about", "that"], conflicts_with_all = ["about", "that"])]
    pub(crate) fact: Option<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// To whom; repeat it [default: those who are where the teller is]
    #[arg(long, value_name = "NPC")]
    pub(crate) to: Vec<String>,
    /// What the teller says instead, retelling it wrongly
    #[arg(long, value_name = "SENTENCE", value_parser = text)]
    pub(crate) retold: Option<String>,
    /// The object or value that the teller puts in the place of the right one
    #[arg(long, value_name = "OBJECT", value_parser = text)]
    pub(crate) retold_object: Option<String>,
    /// The teller does not believe it
    #[arg(long)]
    pub(crate) lie: bool,
    /// From whom the teller says to have it
    #[arg(long, value_name = "NPC")]
    pub(crate) citing: Option<String>,
    /// How far the hearers believe it, 0 to 1 [default: as far as they trust the teller]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) credence: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Read {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The document: an id or a name
    pub(crate) document: String,
    /// Who reads it; repeat it
    #[arg(long, value_name = "NPC", required = true)]
    pub(crate) by: Vec<String>,
    /// How far they believe it, 0 to 1
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) credence: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Deduce {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who: an id or a name
    pub(crate) who: String,
    /// What it concludes: id, beginning of the id, or handle
    #[arg(required_unless_present_any = ["about", "that"], conflicts_with_all = ["about", "that"])]
    pub(crate) fact: Option<String>,
    #[command(flatten)]
    pub(crate) new: NewFact,
    /// A fact that it follows from; repeat it
    #[arg(long, value_name = "FACT", required = true)]
    pub(crate) from: Vec<String>,
    /// How surely it follows, 0 to 1
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) certainty: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Refute {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// What is not so: id, beginning of the id, or handle
    pub(crate) fact: String,
    /// The sentence that says so [default: made from the fact's]
    #[arg(long, value_name = "SENTENCE", value_parser = text)]
    pub(crate) statement: Option<String>,
    /// Who tells it
    #[arg(long, value_name = "NPC", conflicts_with = "seen_by")]
    pub(crate) teller: Option<String>,
    /// To whom; repeat it [default: those who are where the teller is]
    #[arg(long, value_name = "NPC", requires = "teller")]
    pub(crate) to: Vec<String>,
    /// Who sees that it is not so; repeat it [default: those who are at the place]
    #[arg(long, value_name = "NPC", required_unless_present_any = ["teller", "at"])]
    pub(crate) seen_by: Vec<String>,
    /// How far those who are told believe it, 0 to 1 [default: as far as they trust the teller]
    #[arg(long, value_name = "N", requires = "teller", allow_negative_numbers = true)]
    pub(crate) credence: Option<f64>,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Reveal {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who tells it: an id or a name
    pub(crate) holder: String,
    /// The secret: id, beginning of the id, or handle
    pub(crate) fact: String,
    /// To whom; repeat it [default: those who are where the holder is]
    #[arg(long, value_name = "NPC")]
    pub(crate) to: Vec<String>,
    /// The holder keeps it from nobody any more
    #[arg(long)]
    pub(crate) openly: bool,
    #[command(flatten)]
    pub(crate) circumstances: Circumstances,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Forget {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// Who: an id or a name
    pub(crate) who: String,
    /// What it never learned: id, beginning of the id, or handle
    pub(crate) fact: String,
    /// Say whose knowledge would fall, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, ClapArgs)]
#[group(id = "how", required = true, multiple = false)]
pub(crate) struct RetconHow {
    /// It never was so: it is withdrawn from everybody
    #[arg(long)]
    pub(crate) never_so: bool,
    /// It was so until this date; those who know it believe it until they learn of the end
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    pub(crate) until: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Retcon {
    #[command(flatten)]
    pub(crate) campaign: Campaign,
    /// The fact: id, beginning of the id, or handle
    pub(crate) fact: String,
    #[command(flatten)]
    pub(crate) how: RetconHow,
    /// Say who would lose what, whose belief would move, and who would go on believing it; change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}
