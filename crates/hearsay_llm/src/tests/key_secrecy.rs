//! Tests that the key never appears in output and goes only to its host.

use std::{
    io,
    sync::{Arc, OnceLock},
};

use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

use super::*;

/// Everything that this process logs, at every level.
#[derive(Clone, Default)]
struct Logs(Arc<Mutex<Vec<u8>>>);

impl io::Write for Logs {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Logs {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

fn logs() -> &'static Logs {
    static LOGS: OnceLock<Logs> = OnceLock::new();
    LOGS.get_or_init(|| {
        let logs = Logs::default();
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(EnvFilter::new("trace"))
            .with_writer(logs.clone())
            .with_ansi(false);
        subscriber.try_init().unwrap();
        logs
    })
}

/// Returns the reaction of a server that repeats the key everywhere, even in answers.
fn indiscreet(number: usize, body: &Value) -> Reaction {
    let refusal =
        json!({"error": {"message": format!("wrong key {KEY}"), "type": KEY, "param": KEY, "code": KEY}}).to_string();
    let quote = format!("Bram fears Odo, {KEY}");
    match number % 8 {
        0 => Reaction::Status(500, format!("oops {KEY}")),
        1 => Reaction::Status(429, refusal),
        2 => Reaction::Status(200, format!("<html>{KEY}")),
        3 => Reaction::Status(429, format!("<html>{KEY}")),
        4 => Reaction::Answer(format!("No: {KEY}")),
        _ if is_entity_request(body) => {
            let name = format!("Key {KEY}");
            Reaction::Answer(json!({"entities": [{"name": KEY, "quote": KEY, "confidence": 1}, {"name": name, "quote": name, "confidence": 1}]}).to_string())
        }
        _ => Reaction::Answer(json!({"facts": [
            {"subject": "bram", "predicate": KEY, "object": "odo-brandt", "quote": "Bram fears Odo", "statement": quote, "confidence": 1},
            {"subject": "bram", "predicate": "occupation", "value": KEY, "quote": "Bram fears Odo", "confidence": 1},
            {"subject": "bram", "predicate": "FEARS", "object": "odo-brandt", "quote": quote, "confidence": 1},
        ]}).to_string()),
    }
}

#[test]
fn the_key_shows_in_no_output() {
    let logs = logs();
    let mut shown = String::new();
    let mut show = |what: &dyn fmt::Debug| shown.push_str(&format!("{what:?}\n"));
    let text = "Bram fears Odo.";
    let mut outcomes = Vec::new();
    for retries in [0, 1, 8] {
        let server = Server::new(indiscreet);
        let settings = LlmSettings { retries, ..settings(&server) };
        let llm = build_llm(settings.clone());
        for _ in 0..4 {
            outcomes.push(llm.extract_blocking(&harbour(), &lore(text), &RunControl::default()));
        }
        let recap = llm.writer().recap_blocking(&[line(None, "Odo sings.")], "", &CancelHandle::new());
        show(&(&llm, &llm.writer(), &settings, recap));
        assert!(server.count() > 0);
    }
    for status in [301, 400, 401, 403, 404, 418, 422] {
        let refusal =
            json!({"error": {"message": format!("no {KEY}"), "type": KEY, "param": null, "code": KEY}}).to_string();
        for body in [refusal, format!("plain {KEY}")] {
            let server = Server::new(move |_, _| Reaction::Status(status, body.clone()));
            outcomes.push(extract(settings(&server), text));
        }
    }
    assert!(outcomes.iter().any(Result::is_ok) && outcomes.iter().any(Result::is_err));
    let (mut hidden, mut settings_text) = (0, String::new());
    for outcome in &outcomes {
        show(outcome);
        match outcome {
            Ok(found) => {
                let stored =
                    serde_json::to_string(&(&found.extraction, &found.additional_quotes, &found.counts)).unwrap();
                settings_text.push_str(&stored);
            }
            Err(error) => {
                let error = error.to_string();
                hidden += usize::from(error.contains("(the key)"));
                settings_text.push_str(&error);
            }
        }
    }
    let key = ApiKey::new(KEY, "example.org").unwrap();
    show(&key);
    settings_text.push_str(&toml::to_string(&LlmSettings::default()).unwrap());
    assert!(hidden > 10, "the server did put it there: {hidden}");
    let logged = String::from_utf8_lossy(&logs.0.lock().unwrap()).into_owned();
    assert!(!logged.is_empty(), "logs are heard");
    for (what, output) in [("debug", &shown), ("errors and results", &settings_text), ("logs", &logged)] {
        let at = output.find(KEY).map(|at| &output[at.saturating_sub(200)..(at + 60).min(output.len())]);
        assert_eq!(at, None, "{what}");
        assert!(!output.contains("very-secret"), "{what}");
    }
}

#[test]
fn the_key_comes_from_the_environment_variable_that_is_named() {
    let of = |key_env: &str| {
        let settings = LlmSettings { key_env: key_env.into(), ..LlmSettings::default() };
        ApiKey::from_variables(&settings, |name| match name.strip_suffix("_HOST") {
            Some(of) if of == key_env => "127.0.0.1".into(),
            _ => std::env::var(name).unwrap_or_default(),
        })
    };
    assert!(!of("HEARSAY_NOBODY_SETS_THIS").unwrap().is_set());
    // Every environment variable of this process either is a valid key or is refused with an error.
    for (name, value) in
        std::env::vars().filter(|(name, _)| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
    {
        match of(&name) {
            Ok(key) => assert_eq!(key.is_set(), !value.trim().is_empty(), "{name}"),
            Err(error) => {
                let error = error.to_string();
                let says = |verb: &str| error.contains(&format!("the environment variable {name} {verb} "));
                assert!(says("contains") || says("has"), "{error}");
                assert!(value.len() < 12 || !error.contains(value.trim()), "{name} is shown");
            }
        }
    }
}

#[test]
fn the_key_goes_to_its_host_and_follows_no_redirect() {
    let elsewhere = Server::new(|_, _| Reaction::Answer("{}".into()));
    let target = elsewhere.base_url.clone();
    let server = Server::new(move |_, _| Reaction::Redirect(format!("{target}/chat/completions")));
    let has_key = |server: &Server| server.heads.lock().unwrap().iter().any(|head| head.contains(KEY));
    let ask = |base_url: &str, host: &str| {
        let settings = LlmSettings { base_url: base_url.into(), retries: 0, ..settings(&server) };
        let key =
            ApiKey::from_variables(&settings, |name| if name.ends_with("_HOST") { host.into() } else { KEY.into() })?;
        Llm::new(settings, key, Language::english(), Vocabulary::default())?.extract_blocking(
            &harbour(),
            &lore("Odo Brandt owns the barge."),
            &RunControl::default(),
        )
    };
    // The key is for another host. A server on this machine is called without the key; any other server is not called.
    let _ = ask(&server.base_url, "api.example.org");
    assert!(server.count() > 0 && !has_key(&server));
    assert!(ask("https://api.example.com/v1", "api.example.org").is_err());
    // The key's own host redirects the request to another server.
    assert!(ask(&server.base_url, &server.base_url).is_err());
    assert!(has_key(&server));
    assert_eq!((elsewhere.count(), has_key(&elsewhere)), (0, false));
}
