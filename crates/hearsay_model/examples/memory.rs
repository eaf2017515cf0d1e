//! Measures the memory of a state that was read from a file. The state has 20,000 entities, 100,000 facts and 210,000
//! knowledge edges.
//!
//! ```text
//! cargo run --release -p hearsay_model --example memory -- write /tmp/journal.jsonl
//! cargo run --release -p hearsay_model --example memory -- read /tmp/journal.jsonl
//! ```

#![allow(clippy::print_stdout)]

use std::{
    error::Error,
    fs::{self, File},
    io::{BufRead, BufReader, BufWriter, Write},
    sync::Arc,
    time::Instant,
};

use hearsay_model::{
    Acquisition, Author, Change, Entity, EntityId, Evidence, Fact, Knower, KnowledgeEdge, Method, Operation,
    Provenance, Session, SessionId, State,
};

const ENTITIES: usize = 20_000;
const FACTS: usize = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["write", path] => write(path),
        ["read", path] => read(path),
        _ => Err("usage: memory write|read FILE".into()),
    }
}

fn id(n: usize) -> Result<EntityId, Box<dyn Error>> {
    Ok(EntityId::new(format!("person-of-the-town-{n}"))?)
}

fn write(path: &str) -> Result<(), Box<dyn Error>> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut write_operation = |changes: Vec<Change>| -> Result<(), Box<dyn Error>> {
        serde_json::to_writer(&mut file, &Operation::new(Author::Game, "a step", changes))?;
        Ok(file.write_all(b"\n")?)
    };
    let session = SessionId::new("session-1")?;
    let (number, title) = (Some(1), "The first night".to_owned());
    let session_record =
        Session { id: session.clone(), number, title, date: None, start: None, end: None, present: vec![] };
    write_operation(vec![Change::SetSession(session_record)])?;
    for start in (0..ENTITIES).step_by(100) {
        let added = (start..start + 100).map(|n| Ok(Change::AddEntity(Entity::new(id(n)?))));
        write_operation(added.collect::<Result<_, Box<dyn Error>>>()?)?;
    }
    for start in (0..FACTS).step_by(10) {
        let mut changes = Vec::new();
        for n in start..start + 10 {
            let (subject, object, teller) = (id(n * 7_919 % ENTITIES)?, id(n * 104_729 % ENTITIES)?, id(n % ENTITIES)?);
            let evidence = vec![Evidence::File { path: "town.yaml".into(), line: n as u32, field: String::new() }];
            let speaker = (n % 2 == 0).then(|| teller.clone());
            let provenance = Provenance::new(Method::Stated, Author::Game);
            let provenance = Provenance { session: Some(session.clone()), speaker, evidence, ..provenance };
            let statement = format!("Person {subject} had dealings with {object} over matter {n}.");
            let fact = match n % 4 {
                0 => Fact::attribute(&subject, "occupation", format!("trade {n}"), provenance)?,
                _ => Fact::relation(&subject, "KNOWS", &object, provenance)?.mentions([teller.clone()]),
            };
            let fact = Arc::new(fact.statement(statement).build()?);
            let learn = |knower: &EntityId, acquisition: Acquisition| {
                let authored = KnowledgeEdge::authored(Knower::Entity(knower.clone()), fact.id());
                Change::Learn(Arc::new(KnowledgeEdge { acquisition, session: Some(session.clone()), ..authored }))
            };
            changes.push(Change::AssertFact(Arc::clone(&fact)));
            changes.push(learn(&subject, Acquisition::Witnessed));
            changes.push(learn(&teller, Acquisition::told(Some(subject.clone()))));
            if n % 10 == 0 {
                changes.push(learn(&object, Acquisition::told(Some(teller))));
            }
        }
        write_operation(changes)?;
    }
    Ok(())
}

/// Returns the resident memory of the process in megabytes.
fn resident_mb() -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib * 1024.0 / 1e6)
}

fn read(path: &str) -> Result<(), Box<dyn Error>> {
    let (before, start) = (resident_mb()?, Instant::now());
    let mut state = State::default();
    for line in BufReader::new(File::open(path)?).lines() {
        let operation: Operation = serde_json::from_str(&line?)?;
        state.apply(operation)?;
    }
    let (seconds, resident) = (start.elapsed().as_secs_f64(), resident_mb()? - before);
    let (facts, edges) = (state.fact_count(), state.all_knowledge().count());
    println!(
        r#"{{"entities":{},"facts":{facts},"edges":{edges},"resident_mb":{resident:.1},"seconds":{seconds:.2}}}"#,
        state.entity_count()
    );
    Ok(())
}
