//! Small generated campaigns, each with and without everything that one character does not know.

use std::fmt::Write;

use super::TestDir;

/// Names of entities that the knower may know.
const KNOWN_NAMES: [&str; 6] = ["Mirela Sand", "Odo Brandt", "Pell Hask", "Tamsin Reed", "Wren Oake", "Lise Penhale"];

/// Names of characters that the knower does not know.
const HIDDEN_NAMES: [&str; 4] = ["Zarquon Vex", "Ixby Quorl", "Uthgar Jix", "Yzma Kroth"];

/// Relations between characters.
const RELATIONS: [&str; 5] = ["LIKES", "OWES", "ALLIED_WITH", "HOSTILE_TO", "SIBLING_OF"];

/// A random number generator (xorshift), so that each seed always gives the same campaign.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    fn shuffled<'a>(&mut self, names: &[&'a str]) -> Vec<&'a str> {
        let mut names = names.to_vec();
        for at in (1..names.len()).rev() {
            names.swap(at, self.below(at + 1));
        }
        names
    }
}

/// Returns the id of the entity with a name.
fn id(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

/// Folder with the whole campaign, and folder with the part that the knower knows.
pub(super) const FOLDERS: [&str; 2] = ["whole", "part"];

/// A generated campaign in two [folders](FOLDERS).
pub(super) struct World {
    pub(super) test_dir: TestDir,
    /// The character whose knowledge the commands show.
    pub(super) knower: String,
    /// Another character, which the knower knows.
    pub(super) known: String,
    /// Name of a character that the knower does not know.
    pub(super) hidden: String,
    /// Name of a document that the knower does not know.
    pub(super) document: String,
    /// Secret name of a character that the knower knows. The knower does not know this name.
    pub(super) alias: String,
}

impl World {
    /// Writes the two campaigns for a seed, and imports them.
    pub(super) fn generate(seed: u64) -> Self {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let people = numbers.shuffled(&KNOWN_NAMES);
        let strangers = numbers.shuffled(&HIDDEN_NAMES);
        let world = Self {
            test_dir: TestDir::new(),
            knower: people[0].to_owned(),
            known: people[1].to_owned(),
            hidden: strangers[0].to_owned(),
            document: "Xylo Codex".to_owned(),
            alias: "The Quiet Jackdaw".to_owned(),
        };
        for folder in FOLDERS {
            world.test_dir.write(&format!("{folder}/campaign.yaml"), CAMPAIGN);
            // Extraction compares the lines with all facts, and what it records is then knowledge of its own.
            world.test_dir.write(&format!("{folder}/hearsay.toml"), "[extraction]\nenabled = false\n");
        }
        let (known, complete) = world.known_files(&people, &mut numbers);
        world.test_dir.write("part/town.yaml", &known);
        world.test_dir.write("whole/town.yaml", &complete);
        world.test_dir.write("whole/unknown.yaml", &world.hidden_file(&people, &strangers, &mut numbers));
        for folder in FOLDERS {
            world.test_dir.ok(&["-C", folder, "sync", "--no-meaning", "--quiet"]);
        }
        world
    }

    /// Returns the file that both campaigns contain. In the whole campaign, the DM knows more about the same facts,
    /// and the session has one more line, which the knower does not hear.
    fn known_files(&self, people: &[&str], numbers: &mut Numbers) -> (String, String) {
        let knower = id(&self.knower);
        let mut text = String::from(
            "entities:\n  - {id: harbour, name: The Harbour, kind: location}\n  - {id: ledger, name: The Ledger, kind: document, home: harbour, location: harbour}\n",
        );
        for (n, name) in people.iter().enumerate() {
            let kind = if n == 0 { "player" } else { "npc" };
            let id = id(name);
            let _ = writeln!(
                text,
                "  - {{id: {id}, name: {name}, kind: {kind}, home: harbour, location: harbour, attributes: {{occupation: {}}}}}",
                ["clerk", "ferryman", "baker"][numbers.below(3)]
            );
        }
        text.push_str("relationships:\n");
        let mut pairs = std::collections::BTreeSet::new();
        for _ in 0..6 {
            let (from, to) = (numbers.below(people.len()), numbers.below(people.len()));
            let relation = RELATIONS[numbers.below(RELATIONS.len())];
            if from != to && pairs.insert((from, to)) && pairs.insert((to, from)) {
                let (from, to) = (id(people[from]), id(people[to]));
                let _ = writeln!(text, "  - {{source: {from}, type: {relation}, target: {to}, known_by: [{knower}]}}");
            }
        }
        text.push_str("facts:\n");
        let subject = id(&self.known);
        let teller = id(people[2]);
        let _ = writeln!(
            text,
            "  - {{id: saw-the-boat, subject: {subject}, text: \"{} saw a red boat at dawn.\", audience: private, known_by: [{{who: {knower}, from: {teller}}}]STATUS}}",
            self.known
        );
        let _ = writeln!(
            text,
            "  - {{id: lost-the-key, subject: {subject}, text: \"{} lost the iron key.\", audience: private, known_by: [{knower}]UNTIL}}",
            self.known
        );
        let _ = writeln!(
            text,
            "passages:\n  - {{id: ledger-page, title: The first page, text: \"Nine crates came in at dawn.\", document: ledger, known_by: [{knower}]}}"
        );
        let present: Vec<String> = people.iter().take(3).map(|name| id(name)).collect();
        let present = present.join(", ");
        let _ = writeln!(
            text,
            "sessions:\n  - id: session-1\n    number: 1\n    title: The boat\n    start: \"3 Springmonth 10, 10:00\"\n    end: \"3 Springmonth 10, 12:00\"\n    present: [{present}]\n    log:\n      - {{speaker: {subject}, text: \"I saw a red boat at dawn.\", heard_by: [{knower}], time: \"3 Springmonth 10, 11:00\", facts: [{{fact: saw-the-boat}}]}}"
        );
        let complete = text.replace("STATUS", ", status: \"false\", confidence: 0.6");
        let complete = complete.replace("UNTIL", ", since: \"1 Springmonth 10\", until: \"2 Springmonth 10\"");
        let more = format!(
            "      - {{speaker: {teller}, text: \"{} hides the crown in the {}.\", heard_by: [{subject}]}}\n",
            self.hidden, self.document
        );
        let known = text.replace("STATUS", "").replace("UNTIL", ", since: \"1 Springmonth 10\"");
        (known, complete + &more)
    }

    /// Returns the file that only the whole campaign contains.
    fn hidden_file(&self, people: &[&str], strangers: &[&str], numbers: &mut Numbers) -> String {
        let mut text = String::from("entities:\n  - {id: far-isle, name: The Far Isle, kind: location}\n");
        let (document, alias) = (&self.document, &self.alias);
        let _ = writeln!(
            text,
            "  - {{id: {}, name: {document}, kind: document, home: far-isle, location: far-isle}}",
            id(document)
        );
        // A namesake makes a name ambiguous for the DM only.
        let namesake = &self.known;
        let _ = writeln!(text, "  - {{id: namesake, name: {namesake}, kind: npc, home: far-isle, location: far-isle}}");
        for name in strangers {
            let _ = writeln!(
                text,
                "  - {{id: {}, name: {name}, kind: npc, home: far-isle, location: far-isle, description: \"{name} counts the tides.\"}}",
                id(name)
            );
        }
        text.push_str("relationships:\n");
        let everybody: Vec<&str> = people.iter().skip(1).chain(strangers).copied().collect();
        let mut relation = |source: &str, kind: &str, target: &str, holder: &str| {
            let _ = writeln!(
                text,
                "  - {{source: {}, type: {kind}, target: {}, secret: true, known_by: [{}]}}",
                id(source),
                id(target),
                id(holder)
            );
        };
        for _ in 0..8 {
            let (from, to) = (numbers.below(everybody.len()), numbers.below(everybody.len()));
            if from != to {
                let holder = strangers[numbers.below(strangers.len())];
                relation(
                    everybody[from],
                    ["SUSPECTS", "LOVES", "FEARS", "RULES"][numbers.below(4)],
                    everybody[to],
                    holder,
                );
            }
        }
        relation(&self.known, "HAUNTS_AT_NIGHT", strangers[1], strangers[1]);
        relation(&self.known, "OWES", &self.knower, strangers[1]);
        let (subject, holder) = (id(&self.known), id(strangers[0]));
        text.push_str("facts:\n");
        let _ = writeln!(
            text,
            "  - {{subject: {subject}, type: alias, value: {alias}, secret: true, known_by: [{holder}]}}"
        );
        let _ = writeln!(
            text,
            "  - {{id: hid-the-crown, subject: {subject}, text: \"{} hid the crown with {}.\", about: [{holder}], secret: true, known_by: [{holder}]}}",
            self.known, self.hidden
        );
        let _ = writeln!(
            text,
            "  - {{subject: {subject}, text: \"{} saw a red boat at night.\", secret: true, known_by: [{holder}]}}",
            self.known
        );
        let _ = writeln!(text, "  - {{id: no-boat, refutes: saw-the-boat, secret: true, known_by: [{holder}]}}");
        let _ = writeln!(text, "knowledge:\n  - {{fact: saw-the-boat, who: {holder}, how: rumour}}");
        let _ = writeln!(
            text,
            "passages:\n  - {{id: codex-page, title: The codex, text: \"The crown is under the stairs.\", document: {}, known_by: [{holder}]}}",
            id(document)
        );
        text
    }
}

/// Settings of a campaign in which only residents of the same place know a name.
const CAMPAIGN: &str = r#"
campaign: {name: The Harbour, start: "4 Springmonth 10, 19:00"}
calendar: {name: Count, months: [{name: Springmonth, days: 40}, {name: Snowmonth, days: 40}]}
audience: {default: local, attributes: {name: local, kind: local, occupation: local}}
"#;
