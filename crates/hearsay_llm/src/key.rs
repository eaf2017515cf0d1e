//! Secret key for the server of the language model.

use std::fmt;

use reqwest::Url;

use crate::{LlmError, LlmSettings};

/// Error message for an invalid host.
const INVALID_HOST: &str =
    "is not a host; expected a value such as `api.example.org`, `api.example.org:8443` or `http://192.168.1.5:8000`";

/// Secret key for a server, with the only host that may receive the key. This type has no `Display` and cannot be
/// serialised. The `Debug` output of this type hides the key.
///
/// The settings of a campaign can come from an untrusted source. They therefore contain neither the key nor the host
/// that may receive the key. Both come from the environment, and the key is sent only to this host.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ApiKey(Option<BoundKey>);

/// Key and the host that may receive it.
#[derive(Clone, PartialEq, Eq)]
struct BoundKey {
    key: String,
    /// Scheme of the server's address. If the scheme is `None`, https is required, except for a server on this machine.
    scheme: Option<String>,
    host: String,
    /// Port of the server. If the port is `None`, the default port of the scheme is required. If `scheme` is `None`
    /// too, a server on this machine may have any port.
    port: Option<u16>,
}

/// Replacement for the key in texts.
const KEY_PLACEHOLDER: &str = "(the key)";

/// Minimum length of a key, in bytes. A shorter value is refused as a mistake, because it could not be distinguished
/// from ordinary words.
const MIN_KEY_BYTES: usize = 8;

/// Suffix of the environment variable that contains the host of a key.
const HOST_SUFFIX: &str = "_HOST";

/// Returns whether a URL refers to this machine.
pub(super) fn is_local(url: &Url) -> bool {
    url.host_str().is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]"))
}

impl ApiKey {
    /// Reads the key from the environment variable that [`LlmSettings::key_env`] names. The variable with the same name
    /// and the suffix `_HOST` contains the host that may receive the key. Returns an empty key if the first variable is
    /// not set, because many local servers need no key. Also returns an empty key if the server is on this machine and
    /// the key is not for this server.
    ///
    /// # Errors
    /// Returns an error if the key is shorter than 8 characters, or contains a character other than letters, digits and
    /// ASCII punctuation. Also returns an error if the value of the `_HOST` variable is not a host. For a server on
    /// another machine, the `_HOST` variable must be set and must name the host in the settings. The error never shows
    /// the key.
    pub fn from_env(settings: &LlmSettings) -> Result<Self, LlmError> {
        Self::from_variables(settings, |name| std::env::var(name).unwrap_or_default())
    }

    pub(crate) fn from_variables(settings: &LlmSettings, variable: impl Fn(&str) -> String) -> Result<Self, LlmError> {
        let (name, base_url) = (&settings.key_env, &settings.base_url);
        let host_name = format!("{name}{HOST_SUFFIX}");
        let (key, host) = (variable(name), variable(&host_name));
        if key.trim().is_empty() {
            return Ok(Self::default());
        }
        let refuse = |message: String| Err(LlmError::Settings(message));
        let Ok(url) = Url::parse(base_url) else {
            return refuse(format!("base_url is not a valid address: `{base_url}`"));
        };
        let required_host = url.host_str().unwrap_or_default();
        if host.trim().is_empty() {
            if is_local(&url) {
                return Ok(Self::default());
            }
            return refuse(format!(
                "{name} contains a key, but {host_name} does not allow {required_host}, the base_url of this campaign; \
                 set {host_name}={required_host} if you trust that server with the key, or unset {name}"
            ));
        }
        let bound_key = match Self::new(&key, &host) {
            Ok(bound_key) => bound_key,
            Err(message @ INVALID_HOST) => return refuse(format!("the environment variable {host_name} {message}")),
            Err(message) => return refuse(format!("the environment variable {name} {message}")),
        };
        if bound_key.is_for(&url) {
            return Ok(bound_key);
        }
        if is_local(&url) {
            return Ok(Self::default());
        }
        refuse(format!(
            "the key in {name} is for {} ({host_name}), so it is not sent to {base_url}, the base_url of this campaign; \
             change {host_name} if you trust that server with the key, or unset {name}",
            host.trim()
        ))
    }

    /// Creates a key from a value, for example from the secret store of a program. `host` is the only host that may
    /// receive the key, such as `api.example.org`, `api.example.org:8443` or `http://192.168.1.5:8000`. If `host` has
    /// no scheme, the key is sent only over https, except to a server on this machine.
    ///
    /// # Errors
    /// Returns a message that describes the problem with the key or the host. The message does not show the key.
    pub fn new(key: &str, host: &str) -> Result<Self, &'static str> {
        let (key, host) = (key.trim(), host.trim());
        if key.is_empty() {
            return Ok(Self(None));
        }
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("contains invalid characters; expected letters, digits and ASCII punctuation without spaces");
        }
        if key.len() < MIN_KEY_BYTES {
            return Err("has fewer than 8 characters, so it is not a key; leave it unset if the server needs no key");
        }
        let scheme = host.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        let host_url = if scheme.is_some() { host.to_owned() } else { format!("https://{host}") };
        let url = Url::parse(&host_url).ok().filter(|url| url.username().is_empty() && url.password().is_none());
        let Some((url, name)) = url.as_ref().and_then(|url| Some((url, url.host_str()?))) else {
            return Err(INVALID_HOST);
        };
        // The parser omits the default port of the scheme, so an explicit port 443 is read from the text of the host.
        let port = url.port().or_else(|| host.ends_with(":443").then_some(443));
        Ok(Self(Some(BoundKey { key: key.to_owned(), scheme, host: name.to_owned(), port })))
    }

    /// Returns whether the key may be sent to an address.
    pub(crate) fn is_for(&self, url: &Url) -> bool {
        let Some(bound_key) = &self.0 else { return true };
        let port = match bound_key.port {
            Some(port) => url.port_or_known_default() == Some(port),
            None => url.port().is_none() || (is_local(url) && bound_key.scheme.is_none()),
        };
        let scheme = match &bound_key.scheme {
            Some(scheme) => url.scheme() == scheme,
            None => url.scheme() == "https" || is_local(url),
        };
        port && scheme && url.host_str() == Some(bound_key.host.as_str())
    }

    /// Returns whether there is a key. A server that needs no key is called with an empty key.
    pub fn is_set(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn expose(&self) -> Option<&str> {
        self.0.as_ref().map(|bound_key| bound_key.key.as_str())
    }

    /// Returns the text with every occurrence of the key replaced by a placeholder. A server may repeat the key in an
    /// error or an answer.
    pub fn redact(&self, text: &str) -> String {
        match &self.0 {
            Some(BoundKey { key, .. }) => text.replace(key.as_str(), KEY_PLACEHOLDER),
            None => text.to_owned(),
        }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_set() { "Key(set)" } else { "Key(not set)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-very-secret";

    #[test]
    fn a_key_shows_nowhere() {
        let key = ApiKey::new(" sk-very-secret\n", "example.org").unwrap();
        assert_eq!(format!("{key:?}"), "Key(set)");
        assert_eq!(key.redact("bad key sk-very-secret!"), "bad key (the key)!");
        let error = ApiKey::new("sk-very secret", "example.org").unwrap_err();
        assert!(!error.contains("sk-") && error.contains("invalid characters"), "{error}");
        let new = |key| ApiKey::new(key, "example.org");
        assert!(new("short").is_err() && new("sk-\u{7}secret").is_err());
        assert!(!new("  ").unwrap().is_set());
    }

    #[test]
    fn a_key_goes_to_its_host_alone() {
        let check = |host: &str, to: &[&str], not_to: &[&str]| {
            let key = ApiKey::new(KEY, host).unwrap();
            for (urls, expected) in [(to, true), (not_to, false)] {
                for url in urls {
                    assert_eq!(key.is_for(&Url::parse(url).unwrap()), expected, "{host}: {url}");
                }
            }
        };
        check(
            "API.example.org",
            &["https://api.example.org/v1", "https://api.example.org:443"],
            &[
                "http://api.example.org/v1",
                "https://api.example.org:8443",
                "https://api.example.org.evil.org",
                "https://evil.org/api.example.org",
                "https://example.org",
                "http://127.0.0.1:11434/v1",
            ],
        );
        check("api.example.org:8443", &["https://api.example.org:8443/v1"], &["https://api.example.org/v1"]);
        check("http://192.168.1.5:8000", &["http://192.168.1.5:8000/v1"], &["https://192.168.1.5:8000/v1"]);
        check("localhost", &["http://localhost:11434/v1", "https://localhost/"], &["http://127.0.0.1:11434/v1"]);
        check("127.0.0.1:80", &["http://127.0.0.1/v1"], &["http://127.0.0.1:8080/v1"]);
        for wrong in ["", "two words", "https://", "user:word@example.org", ":80"] {
            assert_eq!(ApiKey::new(KEY, wrong), Err(INVALID_HOST), "{wrong}");
        }
    }

    #[test]
    fn the_settings_do_not_choose_who_gets_the_key() {
        let ask = |base_url: &str, host: &str| {
            let settings =
                LlmSettings { base_url: base_url.into(), key_env: "SOME_KEY".into(), ..LlmSettings::default() };
            ApiKey::from_variables(&settings, |name| match name {
                "SOME_KEY" => KEY.into(),
                "SOME_KEY_HOST" => host.into(),
                _ => panic!("{name}"),
            })
        };
        assert!(ask("https://api.example.org/v1", "api.example.org").unwrap().is_set());
        // A server on this machine is called without a key.
        assert!(!ask("http://127.0.0.1:11434/v1", "api.example.org").unwrap().is_set());
        assert!(!ask("http://127.0.0.1:11434/v1", "").unwrap().is_set());
        assert!(ask("http://127.0.0.1:11434/v1", "127.0.0.1").unwrap().is_set());
        let refused = |base_url, host, expected: &[&str]| {
            let error = ask(base_url, host).unwrap_err().to_string();
            assert!(!error.contains(KEY), "{error}");
            assert!(expected.iter().all(|part| error.contains(part)), "{error}");
        };
        refused("https://evil.org/v1", "", &["SOME_KEY_HOST=evil.org", "unset SOME_KEY"]);
        refused("https://evil.org/v1", "api.example.org", &["https://evil.org/v1", "is for api.example.org"]);
        refused("http://api.example.org/v1", "api.example.org", &["is not sent to http://api.example.org/v1"]);
        refused("https://evil.org/v1", "not a host", &["SOME_KEY_HOST is not a host"]);
    }
}
