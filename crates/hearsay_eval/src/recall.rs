//! Measures the accuracy of retrieval: runs [tasks](crate::tasks) with the same ranking as a game.
//!
//! Each line of the corpus becomes a passage. Each fact becomes a relation between entities, with the passage as its
//! evidence. All passages and relations are in one state. Each question is a search by the DM: it uses the DM's view,
//! the names in this view, and the ranking. In the results, each passage is replaced by its group (a session or a
//! document). The rank of a group is the rank of its best passage.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Instant,
};

use hearsay_belief::View;
use hearsay_model::{
    ApplyError, Author, Change, Date, Entity, EntityId, Evidence, Fact, FactError, IdError, Method, Operation, Passage,
    PassageId, Predicate, Provenance, Session, SessionId, Span, State, attribute,
};
use hearsay_recall::{DocId, EntityLinker, Index, Query, Ranked, Weights, document_text, rank};
use serde::Serialize;
use thiserror::Error;

use crate::{
    figures::{Figures, Scores},
    tasks::{CorpusLine, Task},
};

/// Error while converting a corpus to a state.
#[derive(Debug, Error)]
pub enum CorpusError {
    /// A fact is invalid.
    #[error(transparent)]
    Fact(#[from] FactError),
    /// An id is invalid.
    #[error(transparent)]
    Id(#[from] IdError),
    /// The state refuses the changes of the corpus.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// A ranking method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RankingMethod {
    /// Ranks by the cosine of sentence vectors only. The score of a session or document is the best score of its
    /// passages.
    Dense,
    /// Ranks by BM25 only, a score for shared words. Each session or document gets its score as one text.
    Bm25,
    /// Reciprocal rank fusion: the sum of `1 / (60 + rank)` over the rankings by cosine and by BM25.
    Rrf,
    /// Ranks only by scores from the graph of entities and facts.
    Graph,
    /// The ranking that a game uses.
    Hearsay,
}

impl RankingMethod {
    /// All ranking methods, in the order of the report.
    pub const ALL: [Self; 5] = [Self::Dense, Self::Bm25, Self::Rrf, Self::Graph, Self::Hearsay];

    /// Returns the name of the method in lowercase.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Bm25 => "bm25",
            Self::Rrf => "rrf",
            Self::Graph => "graph",
            Self::Hearsay => "hearsay",
        }
    }

    fn weights(self) -> Weights {
        match self {
            Self::Dense => Weights::MEANING,
            Self::Bm25 => Weights::WORDS,
            Self::Graph | Self::Rrf | Self::Hearsay => Weights::default(),
        }
    }

    /// Returns the score of a result.
    fn score(self, ranked: &Ranked) -> f32 {
        match self {
            Self::Dense => ranked.explanation.cosine.unwrap_or_default(),
            Self::Bm25 => ranked.explanation.words.container,
            Self::Graph => ranked.explanation.activation,
            Self::Rrf | Self::Hearsay => ranked.score,
        }
    }
}

/// The figures of one method on one set of questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The name of the set of questions: the name of one task, or a name for several tasks together.
    pub set: String,
    /// The ranking method.
    pub method: RankingMethod,
    /// Number of questions in the set.
    pub n: usize,
    /// The mean scores over all questions, with their confidence intervals.
    #[serde(flatten)]
    pub figures: Figures,
    /// Median time of a ranking in milliseconds. The time does not include computing the vector of the question.
    pub query_ms_p50: f64,
    /// 95th percentile of the time of a ranking in milliseconds, without computing the vector of the question.
    pub query_ms_p95: f64,
    /// Time to build the state and the index of the corpus in seconds, without computing vectors.
    pub index_s: f64,
}

/// The scores of a method on each question of a set.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// The scores of the ranking for each question.
    pub scores: Vec<Scores>,
    /// The time of the ranking for each question, in milliseconds, without computing the vector of the question.
    pub times: Vec<f64>,
    /// Time to build the state and the index of the corpus in seconds, without computing vectors.
    pub index_s: f64,
}

impl Run {
    /// Returns the figures of these scores as a row of the table.
    pub fn row(&self, set: &str, method: RankingMethod) -> Row {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        let quantile =
            |fraction: f64| times.get(((times.len() as f64 * fraction) as usize).min(times.len().saturating_sub(1)));
        Row {
            set: set.to_owned(),
            method,
            n: self.scores.len(),
            figures: Figures::from_scores(&self.scores),
            query_ms_p50: quantile(0.5).copied().unwrap_or_default(),
            query_ms_p95: quantile(0.95).copied().unwrap_or_default(),
            index_s: self.index_s,
        }
    }

    /// Adds the scores and times of another set of questions.
    pub fn pool(&mut self, other: &Self) {
        self.scores.extend_from_slice(&other.scores);
        self.times.extend_from_slice(&other.times);
        self.index_s += other.index_s;
    }
}

/// The corpus of a task, loaded into a state and an index that can be searched.
#[derive(Debug)]
pub struct TestCollection {
    state: State,
    index: Index,
    /// The DM's view and its names. All questions use the same view and names, as in the engine.
    view: View,
    names: EntityLinker,
    /// The group of each passage.
    groups: BTreeMap<PassageId, String>,
    build_seconds: f64,
}

impl TestCollection {
    /// Builds the state and the index for the corpus of a task.
    ///
    /// # Errors
    /// Returns an error if an entity or a fact of the task is invalid, for example because a name is empty.
    pub fn from_task(task: &Task) -> Result<Self, CorpusError> {
        let start = Instant::now();
        let mut builder = CorpusBuilder::default();
        let group_sizes = task.corpus.iter().fold(BTreeMap::<&str, usize>::new(), |mut group_sizes, line| {
            *group_sizes.entry(&line.group).or_default() += 1;
            group_sizes
        });
        let mut passages: BTreeMap<&str, Arc<Passage>> = BTreeMap::new();
        for (number, line) in (1..).zip(&task.corpus) {
            let is_talk = group_sizes.get(line.group.as_str()).is_some_and(|size| *size > 1) || line.speaker.is_some();
            passages.insert(&line.id, builder.passage(line, number, is_talk)?);
        }
        for fact in &task.facts {
            let source = passages.get(fact.source.as_str()).map(|passage| evidence(passage));
            builder.fact(&fact.subject, &fact.predicate, &fact.object, source)?;
        }
        let mut state = State::default();
        state.apply(Operation::new(author(), "corpus", builder.changes))?;
        let index = Index::new(state.corpus());
        let group = |line: &CorpusLine| Some((passages.get(line.id.as_str())?.id(), line.group.clone()));
        let groups = task.corpus.iter().filter_map(group).collect();
        let view = View::of_dm(&state);
        let names = EntityLinker::new(&view);
        Ok(Self { state, index, view, names, groups, build_seconds: start.elapsed().as_secs_f64() })
    }

    /// Returns the texts that need a vector, in the exact form that the sentence encoder gets.
    pub fn texts(&self) -> impl Iterator<Item = (DocId, String)> {
        let embedded = self.state.facts().filter(|fact| self.state.vocabulary().is_embedded(fact.predicate()));
        let facts = embedded.map(|fact| DocId::Fact(fact.id()));
        let passages = self.state.passages().map(|(id, _)| DocId::Passage(id));
        let indexed = facts.chain(passages).filter(|doc| self.index.contains(*doc));
        indexed.filter_map(|doc| Some((doc, document_text(self.state.corpus(), doc)?.into_owned())))
    }

    /// Stores the vector of a text of the corpus in the index.
    pub fn set_vector(&mut self, doc: DocId, vector: &[f32]) {
        self.index.set_vector(doc, vector);
    }

    /// Returns the groups that the search finds, best first.
    fn ranked_groups(&self, question: &str, vector: Option<&[f32]>, method: RankingMethod) -> Vec<&str> {
        let named = if method.weights().graph > 0.0 { self.names.mentioned_entities(question) } else { Vec::new() };
        let query = Query { text: question, vector, named, graph: true, weights: method.weights(), ..Query::default() };
        let mut ranked = rank(&self.view, &self.index, &query);
        if !matches!(method, RankingMethod::Hearsay) {
            ranked.retain(|ranked| method.score(ranked) > 0.0);
            ranked.sort_by(|a, b| method.score(b).total_cmp(&method.score(a)));
        }
        let mut seen_groups = BTreeSet::new();
        let group = |doc| match doc {
            DocId::Passage(id) => self.groups.get(&id).map(String::as_str),
            DocId::Fact(_) => None,
        };
        let groups = ranked.into_iter().filter_map(|ranked| group(ranked.doc));
        groups.filter(|group| seen_groups.insert(*group)).collect()
    }

    /// Asks all questions of a task with one method. `vector` returns the vector of a question, or `None` to search
    /// without a vector.
    pub fn run(&self, task: &Task, method: RankingMethod, vector: impl Fn(&str) -> Option<Vec<f32>>) -> Run {
        let mut run = Run { index_s: self.build_seconds, ..Run::default() };
        for query in &task.queries {
            let vector = vector(&query.text);
            let start = Instant::now();
            let ranked_groups_by = |method: RankingMethod| self.ranked_groups(&query.text, vector.as_deref(), method);
            let ranked_groups = match method {
                RankingMethod::Rrf => {
                    fuse_rankings(&ranked_groups_by(RankingMethod::Dense), &ranked_groups_by(RankingMethod::Bm25))
                }
                method => ranked_groups_by(method),
            };
            run.times.push(start.elapsed().as_secs_f64() * 1e3);
            run.scores.push(Scores::from_ranking(&ranked_groups, &query.relevant));
        }
        run
    }
}

/// Combines two rankings by reciprocal rank fusion.
fn fuse_rankings<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<&'a str> {
    let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
    for ranking in [a, b] {
        for (rank, group) in (61_u32..).zip(ranking) {
            *sums.entry(group).or_default() += 1.0 / f64::from(rank);
        }
    }
    let mut groups: Vec<_> = sums.into_iter().collect();
    groups.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    groups.into_iter().map(|(group, _)| group).collect()
}

fn author() -> Author {
    Author::Importer("task".into())
}

fn evidence(passage: &Passage) -> Evidence {
    let span = Span { start: 0, end: passage.text.len() };
    Evidence::Passage { passage: passage.id(), span, quote: passage.text.clone() }
}

/// Creates the changes that add a corpus to a state. Adds each entity and each session only once.
#[derive(Default)]
struct CorpusBuilder {
    changes: Vec<Change>,
    names: BTreeMap<String, EntityId>,
    added: BTreeSet<EntityId>,
    sessions: BTreeMap<String, SessionId>,
}

impl CorpusBuilder {
    fn entity(&mut self, name: &str) -> Result<EntityId, CorpusError> {
        if let Some(id) = self.names.get(name) {
            return Ok(id.clone());
        }
        let fallback_id = || EntityId::new(format!("nameless-{}", self.names.len()));
        let id = EntityId::from_name(name).or_else(|_| fallback_id())?;
        self.names.insert(name.to_owned(), id.clone());
        let is_new = self.added.insert(id.clone());
        if is_new {
            self.changes.push(Change::AddEntity(Entity::new(id.clone())));
        }
        if !name.trim().is_empty() {
            let attribute = if is_new { attribute::NAME } else { attribute::ALIAS };
            let name_fact = Fact::attribute(&id, attribute, name, Provenance::new(Method::Imported, author()))?;
            self.changes.push(Change::AssertFact(Arc::new(name_fact.statement(name).build()?)));
        }
        Ok(id)
    }

    fn session(&mut self, group: &str) -> Result<SessionId, CorpusError> {
        if let Some(id) = self.sessions.get(group) {
            return Ok(id.clone());
        }
        let number = self.sessions.len() as u32 + 1;
        let id = SessionId::new(format!("session-{number}"))?;
        let (title, present) = (group.to_owned(), Vec::new());
        let session =
            Session { id: id.clone(), number: Some(number), title, date: None, start: None, end: None, present };
        self.changes.push(Change::SetSession(session));
        self.sessions.insert(group.to_owned(), id.clone());
        Ok(id)
    }

    fn passage(&mut self, line: &CorpusLine, number: u32, is_talk: bool) -> Result<Arc<Passage>, CorpusError> {
        let title = Some(&line.title).filter(|title| !title.is_empty()).cloned();
        let speaker = line.speaker.as_deref().map(|speaker| self.entity(speaker)).transpose()?;
        let session = if is_talk { Some(self.session(&line.group)?) } else { None };
        let time = line.time.as_ref().map(|raw| Date { raw: raw.clone(), time: None });
        let passage = Arc::new(Passage { title, speaker, session, time, line: number, ..Passage::new(&line.text) });
        self.changes.push(Change::AddPassage(Arc::clone(&passage)));
        Ok(passage)
    }

    fn fact(
        &mut self,
        subject: &str,
        predicate: &str,
        object: &str,
        source: Option<Evidence>,
    ) -> Result<(), CorpusError> {
        let statement = format!("{subject} {predicate} {object}");
        let (subject, object) = (self.entity(subject)?, self.entity(object)?);
        let relation = Predicate::relation(predicate).or_else(|_| Predicate::new("RELATED_TO"));
        let relation = relation.map_err(FactError::from)?;
        let evidence = source.into_iter().collect();
        let provenance = Provenance { evidence, ..Provenance::new(Method::Imported, author()) };
        let fact = Fact::relation(&subject, relation, &object, provenance)?.statement(statement).build()?;
        self.changes.push(Change::AssertFact(Arc::new(fact)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::tasks;

    fn write(dir: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(dir).unwrap();
        for (name, text) in files {
            fs::write(dir.join(name), text).unwrap();
        }
    }

    const CORPUS: &str = r#"{"id": "a1", "group": "a", "text": "The ferry sank at dawn.", "speaker": "Odo", "time": "spring"}
{"id": "a2", "group": "a", "text": "Nobody drowned.", "speaker": "Mirela"}
{"id": "b1", "group": "b", "title": "The Gilded Gull", "text": "An inn by the harbour."}
"#;
    const QUERIES: &str = r#"{"id": "1", "text": "Who drowned?", "relevant": ["a"], "relevant_items": ["a2"], "category": 1}
{"id": "2", "text": "Where is the gilded gull?", "relevant": ["b"]}
"#;
    const FACTS: &str =
        r#"{"subject": "The Gilded Gull", "predicate": "lies by", "object": "the harbour", "source": "b1"}"#;

    #[test]
    fn a_task_is_measured() {
        let dir = tempfile::tempdir().unwrap();
        let files = [("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("facts.jsonl", FACTS)];
        write(&dir.path().join("one"), &files);
        write(&dir.path().join("two"), &files[..2]);
        let tasks = tasks::read(dir.path()).unwrap();
        assert_eq!(tasks.iter().map(|task| task.facts.len()).collect::<Vec<_>>(), [1, 0]);
        for task in &tasks {
            let mut corpus = TestCollection::from_task(task).unwrap();
            let texts: Vec<_> = corpus.texts().collect();
            assert_eq!(texts.len(), 3 + task.facts.len(), "{texts:?}");
            for (doc, text) in texts {
                corpus.set_vector(doc, if text.contains("drowned") { &[1.0, 0.0] } else { &[0.0, 1.0] });
            }
            let vector =
                |question: &str| Some(if question.contains("drowned") { vec![1.0, 0.0] } else { vec![0.0, 1.0] });
            for method in [RankingMethod::Dense, RankingMethod::Bm25, RankingMethod::Rrf, RankingMethod::Hearsay] {
                let row = corpus.run(task, method, vector).row(&task.name, method);
                assert_eq!((row.n, row.figures.r2), (2, 1.0), "{method:?}");
            }
            let row = corpus.run(task, RankingMethod::Bm25, vector).row(&task.name, RankingMethod::Bm25);
            assert_eq!((row.figures.hit1, row.figures.ndcg5), (1.0, 1.0));
        }
    }

    #[test]
    fn a_bad_task_is_turned_down() {
        let check = |file: &str, text: &str, expected: &str| {
            let dir = tempfile::tempdir().unwrap();
            write(dir.path(), &[("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("facts.jsonl", FACTS)]);
            write(dir.path(), &[(file, text)]);
            let error = tasks::read(dir.path()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("corpus.jsonl", &CORPUS.replace("a2", "a1"), "corpus.jsonl:2: a second corpus line with the id `a1`");
        check("corpus.jsonl", r#"{"id": 1}"#, "corpus.jsonl:1: wrong format");
        check("queries.jsonl", &QUERIES.replace(r#"["b"]"#, r#"["c"]"#), "queries.jsonl:2: `relevant` contains `c`");
        check("queries.jsonl", &QUERIES.replace(r#"["b"]"#, "[]"), "queries.jsonl:2: `relevant` is empty");
        check("facts.jsonl", &FACTS.replace("b1", "b2"), "facts.jsonl:1: `source` is `b2`");
        let empty = tempfile::tempdir().unwrap();
        assert!(tasks::read(empty.path()).unwrap_err().to_string().contains("no task found"));
    }
}
