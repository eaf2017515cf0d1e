//! The server that contains a campaign: the checks of its settings, and the user and password from the environment.

use std::net::{IpAddr, Ipv6Addr};

use hearsay_store::{Credentials, Endpoint};

use super::StoreSettings;

/// Environment variable with the name of the user.
const USER_VARIABLE: &str = "HEARSAY_STORE_USER";

/// Environment variable with the password of the user.
const PASSWORD_VARIABLE: &str = "HEARSAY_STORE_PASSWORD";

/// Environment variable with the host that may receive the password.
const HOST_VARIABLE: &str = "HEARSAY_STORE_HOST";

/// Keys that the section `[store]` must not have, because settings files are copied and shared.
const CREDENTIAL_KEYS: [&str; 2] = ["user", "password"];

/// Address of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Address<'a> {
    scheme: Option<&'a str>,
    host: &'a str,
    port: Option<u16>,
}

impl<'a> Address<'a> {
    /// Parses an address such as `wss://campaigns.example.org:4801`. The scheme and the port can be missing.
    fn parse(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://").map_or((None, text), |(scheme, rest)| (Some(scheme), rest));
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match authority.rsplit_once(':') {
            // The last colon of an IPv6 address without a port is inside the brackets.
            Some((host, port)) if !port.ends_with(']') => (host, Some(port.parse().ok()?)),
            _ => (authority, None),
        };
        let is_host = match host.strip_prefix('[') {
            Some(address) => address.strip_suffix(']')?.parse::<Ipv6Addr>().is_ok(),
            None => !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)),
        };
        is_host.then_some(Self { scheme, host, port })
    }

    /// Returns whether the address refers to this machine.
    fn is_local(&self) -> bool {
        let address = self.host.trim_start_matches('[').trim_end_matches(']');
        self.host.eq_ignore_ascii_case("localhost")
            || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// Returns whether a password for the address `allowed` may be sent to this address. Without a scheme, `allowed`
    /// requires an encrypted connection. Without a port, `allowed` includes all ports.
    fn may_receive_password_for(&self, allowed: Self) -> bool {
        self.host.eq_ignore_ascii_case(allowed.host)
            && allowed.port.is_none_or(|port| self.port == Some(port))
            && self.scheme == Some(allowed.scheme.unwrap_or("wss"))
    }
}

/// Checks the settings of the server.
///
/// # Errors
/// Returns a message that names the setting and the allowed values.
pub(super) fn check(settings: &StoreSettings) -> Result<(), String> {
    let Some(url) = &settings.endpoint else { return Ok(()) };
    if cfg!(not(feature = "remote")) {
        return Err("endpoint must not be set: this program was built without the feature `remote`".into());
    }
    // Does not show the address, because it contains a password.
    if url.contains('@') {
        return Err(format!(
            "endpoint must not contain a user or a password; set the environment variables {USER_VARIABLE} and \
             {PASSWORD_VARIABLE}"
        ));
    }
    if !Address::parse(url).is_some_and(|address| matches!(address.scheme, Some("ws" | "wss"))) {
        return Err(format!("endpoint must be an address such as `wss://campaigns.example.org:4801`, not `{url}`"));
    }
    match [("namespace", &settings.namespace), ("database", &settings.database)].into_iter().find(|(_, v)| v.is_empty())
    {
        Some((name, _)) => Err(format!("{name} must not be empty")),
        None => Ok(()),
    }
}

/// Checks that a settings file contains neither a user nor a password of the server.
///
/// # Errors
/// Returns a message that names the key.
pub(super) fn check_for_credentials(text: &str) -> Result<(), String> {
    let Ok(file) = toml::from_str::<toml::Table>(text) else { return Ok(()) };
    let store = file.get("store").and_then(toml::Value::as_table);
    match CREDENTIAL_KEYS.into_iter().find(|key| store.is_some_and(|store| store.contains_key(*key))) {
        Some(key) => Err(format!(
            "[store]: `{key}` must not be in this file, because settings files are copied and shared; remove it, and \
             set the environment variables {USER_VARIABLE} and {PASSWORD_VARIABLE}"
        )),
        None => Ok(()),
    }
}

/// Returns the server of a campaign, with the user and the password from environment variables; `None` if the campaign
/// is not in a server.
///
/// A settings file can come from an untrusted source. It therefore does not choose the receiver of the password: the
/// environment does, except if the server is on this machine.
///
/// # Errors
/// Returns a message that names the missing or wrong variable. The message does not show the password.
pub(crate) fn endpoint(
    settings: &StoreSettings,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Endpoint>, String> {
    check(settings)?;
    let Some(url) = &settings.endpoint else { return Ok(None) };
    let value = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let required = |name: &str| {
        value(name).ok_or_else(|| {
            format!(
                "the campaign is in the server {url}, but the environment variable {name} is not set; set \
                 {USER_VARIABLE} and {PASSWORD_VARIABLE} to the name and the password of a user of this server"
            )
        })
    };
    let (user, password) = (required(USER_VARIABLE)?, required(PASSWORD_VARIABLE)?);
    let address = Address::parse(url).ok_or_else(|| format!("endpoint is not a valid address: `{url}`"))?;
    if !address.is_local() {
        let allowed_host = value(HOST_VARIABLE).unwrap_or_default();
        let allowed = Address::parse(allowed_host.trim());
        if !allowed.is_some_and(|allowed| address.may_receive_password_for(allowed)) {
            let (host, encryption) = match address.scheme {
                Some("wss") => (address.host.to_owned(), ""),
                _ => (format!("ws://{}", address.host), ", although the connection is not encrypted"),
            };
            return Err(format!(
                "{PASSWORD_VARIABLE} contains a password, but {HOST_VARIABLE} does not allow {url}, the server of this \
                 campaign; set {HOST_VARIABLE}={host} if you trust that server with the password{encryption}"
            ));
        }
    }
    let (namespace, database) = (settings.namespace.clone(), settings.database.clone());
    let credentials = Some(Credentials { user: user.trim().to_owned(), password, level: settings.login });
    Ok(Some(Endpoint { url: url.clone(), namespace, database, credentials }))
}

#[cfg(all(test, feature = "remote"))]
mod tests {
    use super::*;

    fn settings(url: &str) -> StoreSettings {
        StoreSettings { endpoint: Some(url.into()), ..StoreSettings::default() }
    }

    fn ask(url: &str, host: &str) -> Result<Option<Endpoint>, String> {
        endpoint(&settings(url), |name| match name {
            USER_VARIABLE => Some("mira".into()),
            PASSWORD_VARIABLE => Some("very secret".into()),
            HOST_VARIABLE => Some(host.into()),
            _ => None,
        })
    }

    #[test]
    fn the_settings_do_not_choose_who_gets_the_password() {
        for (url, host) in [
            ("ws://127.0.0.1:4801", ""),
            ("ws://[::1]:4801", "example.org"),
            ("ws://localhost", ""),
            ("wss://Example.org:4801/", "example.org"),
            ("wss://example.org:4801", "example.org:4801"),
            ("ws://192.168.1.5:4801", "ws://192.168.1.5"),
        ] {
            let endpoint = ask(url, host).unwrap().unwrap();
            assert_eq!(endpoint.credentials.map(|login| login.password).as_deref(), Some("very secret"), "{url}");
        }
        for (url, host, advice) in [
            ("wss://evil.org", "", "HEARSAY_STORE_HOST=evil.org"),
            ("wss://evil.org", "example.org", "HEARSAY_STORE_HOST=evil.org"),
            ("wss://example.org.evil.org", "example.org", "HEARSAY_STORE_HOST=example.org.evil.org"),
            ("wss://example.org:4802", "example.org:4801", "HEARSAY_STORE_HOST=example.org"),
            ("ws://example.org", "example.org", "HEARSAY_STORE_HOST=ws://example.org"),
            ("wss://localhost.evil.org", "localhost", "HEARSAY_STORE_HOST=localhost.evil.org"),
        ] {
            let error = ask(url, host).unwrap_err();
            assert!(error.contains(advice) && !error.contains("very secret"), "{error}");
        }
    }

    #[test]
    fn a_missing_variable_is_named() {
        let error = endpoint(&settings("ws://127.0.0.1:4801"), |_| None).unwrap_err();
        assert!(error.contains("ws://127.0.0.1:4801") && error.contains("HEARSAY_STORE_USER is not set"), "{error}");
        assert_eq!(endpoint(&StoreSettings::default(), |_| None), Ok(None));
    }

    #[test]
    fn addresses_and_keys_are_checked() {
        for url in ["example.org", "http://example.org", "ws://", "ws://a b", "ws://host:port", "ws://host/rpc"] {
            let error = check(&settings(url)).unwrap_err();
            assert!(error.contains("endpoint") && error.contains(url), "{error}");
        }
        let error = check(&settings("ws://mira:word@host")).unwrap_err();
        assert!(error.contains("HEARSAY_STORE_PASSWORD") && !error.contains("word@"), "{error}");
        let error = check_for_credentials("[store]\npassword = \"x\"\n").unwrap_err();
        assert!(error.contains("`password`") && error.contains("HEARSAY_STORE_PASSWORD"), "{error}");
        assert_eq!(check_for_credentials("[store]\nshare = true\n"), Ok(()));
    }
}
