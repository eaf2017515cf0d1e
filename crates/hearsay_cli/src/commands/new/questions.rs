//! Asks the DM five questions, and creates a campaign from the answers.

use std::io::{BufRead, Write};

use anyhow::Result;
use hearsay_model::{EntityId, Kind, escape};

use super::{
    answers,
    draft::{Draft, DraftSecret, clean, id_for},
};
use crate::output::CliError;

/// Exit code for a dialogue that the user ended before the last answer.
const NO_ANSWER: u8 = 1;

/// Answer that `Enter` gives if a question can be left open.
const NOBODY_YET: &str = "nobody yet";

/// A question with an example of an answer and the default answer.
struct Question {
    text: &'static str,
    example: &'static str,
    default: String,
}

/// Asks the questions, and returns the campaign. `name` answers the first question in advance.
///
/// # Errors
/// Returns an error if the input ends before the last answer.
pub(super) fn ask(
    name: Option<&str>,
    default_name: &str,
    input: &mut impl BufRead,
    screen: &mut impl Write,
) -> Result<Draft> {
    writeln!(screen, "A few questions, and you can play. Answer in your own words. Enter accepts the answer in")?;
    writeln!(screen, "brackets. You can change everything later in campaign.yaml.")?;
    let mut dialogue = Dialogue { input, screen, number: 0 };
    let mut draft = Draft::default();
    match name {
        Some(name) => draft.name = clean(name),
        None => dialogue.ask_name(default_name, &mut draft)?,
    }
    dialogue.ask_players(&mut draft)?;
    dialogue.ask_place(&mut draft)?;
    dialogue.ask_npcs(&mut draft)?;
    dialogue.ask_secret(&mut draft)?;
    writeln!(dialogue.screen)?;
    draft.has_common_names = !draft.entities.is_empty();
    Ok(draft)
}

/// The user's terminal during the questions.
struct Dialogue<'a, I, S> {
    input: &'a mut I,
    screen: &'a mut S,
    /// Number of questions asked.
    number: usize,
}

impl<I: BufRead, S: Write> Dialogue<'_, I, S> {
    fn ask_name(&mut self, default: &str, draft: &mut Draft) -> Result<()> {
        let question =
            Question { text: "What is the campaign called?", example: "Salt and Lies", default: default.to_owned() };
        draft.name = self.ask(&question, |answer| {
            let name = if answer.is_empty() { default.to_owned() } else { answer.to_owned() };
            id_for(&name).map(|_| name)
        })?;
        Ok(())
    }

    fn ask_players(&mut self, draft: &mut Draft) -> Result<()> {
        let question = Question {
            text: "Who are the player characters, and who plays them?",
            example: "Wren Oake (Ben), Dorric Stane (Cleo)",
            default: NOBODY_YET.to_owned(),
        };
        *draft = self.ask(&question, |answer| {
            let mut draft = draft.clone();
            for character in answers::players(answer) {
                let index = draft.add(&character.name, Kind::Player)?;
                let entity = &mut draft.entities[index];
                entity.player = character.player;
                entity
                    .description
                    .extend(character.remark.map(|remark| answers::describe(&entity.name, &remark).into()));
            }
            expect_names(answer, &draft, &Kind::Player)?;
            Ok(draft)
        })?;
        let characters = draft.of_kind(&Kind::Player);
        let described = characters.map(|character| match &character.player {
            Some(player) => format!("{} (played by {player})", character.name),
            None => format!("{} (no player named)", character.name),
        });
        let described: Vec<String> = described.collect();
        self.confirm(&described)
    }

    fn ask_place(&mut self, draft: &mut Draft) -> Result<()> {
        let question = Question {
            text: "Where does the first session begin?",
            example: "the Gilded Gull, an inn in Gullhaven",
            default: "nowhere yet".to_owned(),
        };
        *draft = self.ask(&question, |answer| {
            let mut draft = draft.clone();
            if answer.is_empty() {
                return Ok(draft);
            }
            let place = answers::place(answer);
            let index = draft.add(&place.name, Kind::Location)?;
            let name = draft.entities[index].name.clone();
            draft.entities[index]
                .description
                .extend(place.remark.map(|remark| answers::describe(&name, &remark).into()));
            let place_id = draft.entities[index].id.clone();
            if let Some(within) = place.within {
                let within = draft.add(&within, Kind::Location)?;
                draft.entities[index].part_of = Some(draft.entities[within].id.clone());
            }
            draft.entities.iter_mut().filter(|entity| entity.kind == Kind::Player).for_each(|character| {
                character.location = Some(place_id.clone());
            });
            Ok(draft)
        })?;
        let places: Vec<String> = draft.of_kind(&Kind::Location).map(|place| place.name.clone()).collect();
        self.confirm(&match places.as_slice() {
            [place, within] => vec![format!("{place}, a part of {within}")],
            _ => places,
        })
    }

    fn ask_npcs(&mut self, draft: &mut Draft) -> Result<()> {
        let question = Question {
            text: "Whom will the party meet there?",
            example: "Mirela Voss, the landlady; Odo Brandt, a ferryman who drinks",
            default: NOBODY_YET.to_owned(),
        };
        let place = draft.of_kind(&Kind::Location).next().map(|place| place.id.clone());
        *draft = self.ask(&question, |answer| {
            let mut draft = draft.clone();
            for item in answers::items(answer) {
                let index = draft.add(&item.name, Kind::Npc)?;
                let entity = &mut draft.entities[index];
                entity.location.clone_from(&place);
                let remarks: Vec<String> = [item.parentheses, item.remark].into_iter().flatten().collect();
                if !remarks.is_empty() {
                    entity.description.push(answers::describe(&entity.name, &remarks.join(", ")).into());
                }
            }
            expect_names(answer, &draft, &Kind::Npc)?;
            Ok(draft)
        })?;
        let npcs = draft.of_kind(&Kind::Npc);
        let described =
            npcs.map(|npc| npc.description.first().map_or_else(|| format!("{}.", npc.name), |text| text.text.clone()));
        self.confirm(&[described.collect::<Vec<_>>().join(" ")])
    }

    fn ask_secret(&mut self, draft: &mut Draft) -> Result<()> {
        let Some(first) = draft.of_kind(&Kind::Npc).next().map(|npc| npc.name.clone()) else { return Ok(()) };
        let question = Question {
            text: "What does one of them know that the others must not?",
            example: "Mirela hid the ledger",
            default: "nothing yet".to_owned(),
        };
        let secret = self.ask(&question, |answer| match answer {
            "" => Ok(None),
            answer if !answer.chars().any(char::is_alphanumeric) => {
                Err(format!("`{answer}` has no words; state the secret as a sentence"))
            }
            answer => Ok(Some(answers::secret(answer))),
        })?;
        let Some(secret) = secret else { return Ok(()) };
        let is_npc = |index: &usize| draft.entities[*index].kind == Kind::Npc;
        let npcs_in = |text: &str| -> Vec<usize> { draft.named_in(text).into_iter().filter(is_npc).collect() };
        let stated = secret.knower.as_deref().map(npcs_in).unwrap_or_default();
        let named = npcs_in(&secret.text);
        let npcs: Vec<usize> = (0..draft.entities.len()).filter(is_npc).collect();
        let knowers = match (stated.as_slice(), named.as_slice(), npcs.as_slice()) {
            ([_, ..], ..) => stated,
            ([], [knower], _) | ([], [], [knower]) => vec![*knower],
            _ => self.ask_knowers(draft, named.first().map_or(&first, |index| &draft.entities[*index].name))?,
        };
        let names: Vec<String> = knowers.iter().map(|index| draft.entities[*index].name.clone()).collect();
        keep_secret(draft, secret.text, &knowers);
        writeln!(self.screen, "   = known only to {}", escape::line(&names.join(", ")))?;
        Ok(())
    }

    /// Asks who knows the secret.
    fn ask_knowers(&mut self, draft: &Draft, default: &str) -> Result<Vec<usize>> {
        let names: Vec<&str> =
            draft.entities.iter().filter(|entity| entity.kind.is_character()).map(|entity| &*entity.name).collect();
        loop {
            let answer = self.read_line(&format!("   Who knows it? [{default}] "))?;
            let answer = if answer.is_empty() { default } else { &answer };
            let knowers: Vec<usize> =
                draft.named_in(answer).into_iter().filter(|index| draft.entities[*index].kind.is_character()).collect();
            if !knowers.is_empty() {
                return Ok(knowers);
            }
            let message =
                format!("`{answer}` names none of the characters; answer with one or more of: {}", names.join(", "));
            self.refuse(&message)?;
        }
    }

    /// Asks a question until `read` accepts the answer. An empty line is an empty answer.
    fn ask<T>(&mut self, question: &Question, read: impl Fn(&str) -> Result<T, String>) -> Result<T> {
        self.number += 1;
        writeln!(self.screen, "\n{}. {}", self.number, question.text)?;
        writeln!(self.screen, "   Example: {}", question.example)?;
        loop {
            let answer = self.read_line(&format!("   [{}] ", question.default))?;
            match read(&answer) {
                Ok(value) => return Ok(value),
                Err(reason) => self.refuse(&reason)?,
            }
        }
    }

    /// Reads a line without control characters. Fails at the end of the input.
    fn read_line(&mut self, prompt: &str) -> Result<String> {
        write!(self.screen, "{}", escape::line(prompt))?;
        self.screen.flush()?;
        let mut line = Vec::new();
        let length = self.input.read_until(b'\n', &mut line)?;
        if length == 0 {
            writeln!(self.screen)?;
            let message = format!(
                "the input ended at question {}; nothing was written: answer all questions, or pass --template for \
                 an example campaign",
                self.number.max(1)
            );
            return Err(CliError::new(NO_ANSWER, message).into());
        }
        Ok(clean(&String::from_utf8_lossy(&line)))
    }

    /// Writes why an answer cannot be used.
    fn refuse(&mut self, reason: &str) -> Result<()> {
        Ok(writeln!(self.screen, "   {}", escape::line(reason))?)
    }

    /// Writes how an answer was understood.
    fn confirm(&mut self, understood: &[String]) -> Result<()> {
        if understood.iter().any(|text| !text.is_empty()) {
            writeln!(self.screen, "   = {}", escape::line(&understood.join(", ")))?;
        }
        Ok(())
    }
}

/// Returns an error if an answer has text but no name.
fn expect_names(answer: &str, draft: &Draft, kind: &Kind) -> Result<(), String> {
    if answer.is_empty() || draft.of_kind(kind).next().is_some() {
        return Ok(());
    }
    Err(format!("`{answer}` contains no name; separate names with commas, or press Enter to skip this question"))
}

/// Adds a secret to its first knower.
fn keep_secret(draft: &mut Draft, text: String, knowers: &[usize]) {
    let Some((&bearer, others)) = knowers.split_first() else { return };
    let id = |index: &usize| draft.entities[*index].id.clone();
    let about: Vec<EntityId> = draft.named_in(&text).iter().filter(|index| **index != bearer).map(id).collect();
    let known_by = others.iter().map(id).collect();
    let secret = DraftSecret { about, known_by, text, ..DraftSecret::default() };
    draft.entities[bearer].secrets.push(secret);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Returns the campaign that the typed lines make, and the text on the screen.
    fn answer(typed: &str) -> (Result<Draft>, String) {
        let mut screen = Vec::new();
        let draft = ask(None, "My Town", &mut typed.as_bytes(), &mut screen);
        (draft, String::from_utf8(screen).unwrap())
    }

    const ANSWERS: &str = "\
Salt and Lies
Wren Oake (Ben), Dorric Stane (Cleo)
the Gilded Gull, an inn in Gullhaven
Mirela Voss, the landlady; Odo Brandt, a ferryman who drinks
Mirela hid the ledger
";

    #[test]
    fn five_answers_make_a_campaign() {
        let (draft, screen) = answer(ANSWERS);
        let draft = draft.unwrap();
        let ids: Vec<&str> = draft.entities.iter().map(|entity| entity.id.as_str()).collect();
        let expected = ["wren-oake", "dorric-stane", "the-gilded-gull", "gullhaven", "mirela-voss", "odo-brandt"];
        assert_eq!((draft.name.as_str(), ids.as_slice()), ("Salt and Lies", &expected[..]));
        assert_eq!(draft.entities[0].player.as_deref(), Some("Ben"));
        assert_eq!(draft.entities[1].location.as_ref().unwrap().as_str(), "the-gilded-gull");
        assert_eq!(draft.entities[2].part_of.as_ref().unwrap().as_str(), "gullhaven");
        assert_eq!(draft.entities[4].description, ["Mirela Voss is the landlady.".to_owned().into()]);
        assert_eq!(draft.entities[4].secrets[0].text, "Mirela hid the ledger.");
        let expected_screen = "\
A few questions, and you can play. Answer in your own words. Enter accepts the answer in
brackets. You can change everything later in campaign.yaml.

1. What is the campaign called?
   Example: Salt and Lies
   [My Town] \n2. Who are the player characters, and who plays them?
   Example: Wren Oake (Ben), Dorric Stane (Cleo)
   [nobody yet]    = Wren Oake (played by Ben), Dorric Stane (played by Cleo)

3. Where does the first session begin?
   Example: the Gilded Gull, an inn in Gullhaven
   [nowhere yet]    = The Gilded Gull, a part of Gullhaven

4. Whom will the party meet there?
   Example: Mirela Voss, the landlady; Odo Brandt, a ferryman who drinks
   [nobody yet]    = Mirela Voss is the landlady. Odo Brandt is a ferryman who drinks.

5. What does one of them know that the others must not?
   Example: Mirela hid the ledger
   [nothing yet]    = known only to Mirela Voss

";
        assert_eq!(screen, expected_screen);
    }

    #[test]
    fn enter_skips_every_question() {
        let (draft, screen) = answer("\n\n\n\n");
        assert_eq!(draft.unwrap(), Draft { name: "My Town".into(), ..Draft::default() });
        assert!(!screen.contains("5."), "without NPCs, there is nobody to know a secret: {screen}");
    }

    #[test]
    fn a_bad_answer_asks_again_with_the_reason() {
        let (draft, screen) = answer("?\nTown\n,;\nWren\nWren\nInn in Wren\nthe Gull\nOdo, Odo\nOdo\n...\n\n");
        assert_eq!(draft.unwrap().entities.len(), 3);
        for reason in [
            "`?` is not a name",
            "`,;` contains no name",
            "`Wren` is already used by a player character",
            "`Odo` is already used by an NPC",
            "`...` has no words",
        ] {
            assert!(screen.contains(reason), "{reason}: {screen}");
        }
    }

    #[test]
    fn the_end_of_the_input_writes_nothing() {
        for (typed, number) in [("", 1), ("Town\n", 2), ("Town\nWren\n\n", 4)] {
            let (draft, _) = answer(typed);
            let message = draft.unwrap_err().to_string();
            assert!(message.contains(&format!("question {number}; nothing was written")), "{message}");
        }
    }

    #[test]
    fn an_unclear_knower_is_asked_for() {
        let secrets = |typed: &str| {
            let (draft, screen) = answer(&format!("Town\nWren (Ben)\n\nMirela Voss; Odo Brandt\n{typed}\n"));
            let draft = draft.unwrap();
            let secrets =
                draft.entities.iter().flat_map(|entity| entity.secrets.iter().map(move |secret| (entity, secret)));
            let described = secrets.map(|(entity, secret)| format!("{}: {secret:?}", entity.id));
            (described.collect::<Vec<_>>().join("\n"), screen)
        };
        let (secret, _) = secrets("The mayor is a wolf\nsomebody\nOdo and Wren");
        assert!(secret.starts_with("odo-brandt:") && secret.contains("known_by: [wren]"), "{secret}");
        let (secret, screen) = secrets("The mayor is a wolf\nsomebody\nOdo");
        assert!(secret.starts_with("odo-brandt:") && screen.contains("`somebody` names none"), "{secret}{screen}");
        let (secret, _) = secrets("Mirela owes Odo a boat\n");
        assert!(secret.starts_with("mirela-voss:") && secret.contains("odo-brandt"), "{secret}");
        let (secret, _) = secrets("Mirela and Odo know that the mayor is a wolf");
        assert!(secret.starts_with("mirela-voss:") && secret.contains("known_by: [odo-brandt]"), "{secret}");
        let (secret, screen) = secrets("Odo knows that Mirela hid the ledger");
        assert!(secret.starts_with("odo-brandt:") && !screen.contains("Who knows it?"), "{secret}{screen}");
    }
}
