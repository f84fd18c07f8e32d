//! Reads a refusal that asks for a token: `WWW-Authenticate`, and the metadata that it names.

use protocol::Era;
use serde_json::{Value, json};
use transport::client::Session;
use url::Url;

use crate::expect::{Answer, Ask};
use crate::{Finding, ServerCx};

/// Where the metadata of a resource is found (RFC 9728), before the path of the resource.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Why a server is not held to the pages on authorization.
const WHY_NOT_APPLICABLE: &str =
    "the server asks for a token of its own: it offers no metadata of a protected resource";

/// A refusal that asks for a token.
#[derive(Debug)]
pub struct Challenge {
    /// The exchange that shows it.
    pub answer: Answer,
    /// The parameters of the `Bearer` challenge; `None` when there is no such challenge.
    pub bearer: Option<Vec<(String, String)>>,
}

/// Protected resource metadata, and where it was found.
#[derive(Debug)]
pub struct Metadata {
    /// Its address.
    pub url: Url,
    /// What it says.
    pub document: Value,
    /// The exchange that brought it.
    pub answer: Answer,
}

impl ServerCx {
    /// Sends the opening request with a token, or without one.
    pub async fn request_with_token(&self, token: Option<&str>) -> Result<Answer, Finding> {
        let session = self.plain_http().await?;
        let ask = self.opening_request(&session);
        let ask = match token {
            Some(token) => ask.header("authorization", &format!("Bearer {token}")),
            None => ask.with(|request| request.without_header("authorization")),
        };
        // A server that does not answer has neither admitted nor refused anybody.
        ask.send().await.map_err(Finding::into_obstacle)
    }

    /// A request that needs no session: the one that opens a connection.
    pub(crate) fn opening_request(&self, session: &Session) -> Ask<'_> {
        let (method, params) = match self.version.era() {
            Era::Modern => ("server/discover", json!({})),
            Era::Legacy => {
                let info = json!({ "name": "yardstick", "version": env!("CARGO_PKG_VERSION") });
                let version = self.version.as_str();
                ("initialize", json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": info }))
            }
        };
        self.request_on(session, method).params(params)
    }

    /// How the server refuses a client without a token; not applicable where it admits everybody. Authorization is
    /// optional, and a server may have tokens of its own: only one that offers metadata says that it follows the pages.
    pub async fn challenge(&self) -> Result<Challenge, Finding> {
        let challenge = self.refusal().await?;
        let claims = challenge.parameter("resource_metadata").is_some()
            || Box::pin(self.metadata_of(&challenge)).await.is_ok();
        if claims { Ok(challenge) } else { Err(Finding::not_applicable(WHY_NOT_APPLICABLE)) }
    }

    async fn refusal(&self) -> Result<Challenge, Finding> {
        let answer = self.request_with_token(None).await?;
        let challenged = answer.reply.header("www-authenticate").map(str::to_owned);
        match (answer.reply.status(), &challenged) {
            (Some(401), _) | (Some(403), Some(_)) => {
                let bearer = challenged.as_deref().and_then(bearer);
                Ok(Challenge { answer, bearer })
            }
            _ => Err(Finding::not_applicable("the server asks for no token")),
        }
    }

    /// The metadata: where the challenge says, or at the well-known places.
    pub async fn metadata(&self) -> Result<Metadata, Finding> {
        self.metadata_of(&self.challenge().await?).await
    }

    async fn metadata_of(&self, challenge: &Challenge) -> Result<Metadata, Finding> {
        let base = &self.endpoint()?.url;
        let named = challenge.parameter("resource_metadata").and_then(|url| base.join(url).ok());
        if let Some(url) = named.as_ref().filter(|url| url.origin() != base.origin()) {
            return Err(Finding::blocked(format!(
                "the metadata is on another origin, which is left alone: {url}"
            )));
        }
        let path = base.path().trim_end_matches('/');
        let known = [format!("{WELL_KNOWN}{path}"), WELL_KNOWN.to_owned()];
        let known = known.iter().filter_map(|path| base.join(path).ok());
        let places: Vec<Url> = match named {
            Some(url) => vec![url],
            None => known.collect(),
        };
        let session = self.unjudged_http().await?;
        for url in places {
            let path = url[url::Position::BeforePath..].to_owned();
            let ask = self.request_on(&session, "metadata").with(|request| {
                let request = request.verb(http::Method::GET).path(path).header("accept", "application/json");
                request.without_header("authorization")
            });
            let answer = ask.send().await?;
            let document = serde_json::from_slice(&answer.reply.body).ok().filter(Value::is_object);
            if let (Some(200), Some(document)) = (answer.reply.status(), document) {
                return Ok(Metadata { url, document, answer });
            }
        }
        Err(challenge.answer.violated(
            "protected resource metadata where resource_metadata says, or at /.well-known/oauth-protected-resource",
            "none",
        ))
    }
}

impl Challenge {
    /// A parameter of the challenge.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let parameters = self.bearer.as_ref()?;
        parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// The parameters of the `Bearer` challenge of a header, of which there may be others.
fn bearer(header: &str) -> Option<Vec<(String, String)>> {
    let at = header.to_ascii_lowercase().find("bearer")?;
    let rest = &header[at + "bearer".len()..];
    if !(rest.is_empty() || rest.starts_with([' ', '\t', ','])) {
        return None;
    }
    Some(pieces(rest).filter_map(|piece| parameter(&piece)).collect())
}

/// The text between commas that are not within quotes.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    let (mut quoted, mut all, mut piece) = (false, Vec::new(), String::new());
    for c in text.chars() {
        quoted ^= c == '"';
        if c == ',' && !quoted {
            all.push(std::mem::take(&mut piece));
        } else {
            piece.push(c);
        }
    }
    all.push(piece);
    all.into_iter()
}

fn parameter(piece: &str) -> Option<(String, String)> {
    let (name, value) = piece.split_once('=')?;
    let value = value.trim().trim_matches('"');
    Some((name.trim().to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_read() {
        let read = |header: &str| bearer(header).unwrap();
        let both =
            read(r#"Bearer error="invalid_token", resource_metadata="https://a.example/x,y", scope="a b""#);
        assert_eq!(both[1], ("resource_metadata".to_owned(), "https://a.example/x,y".to_owned()));
        assert_eq!(both[2].1, "a b");
        assert!(read("Bearer").is_empty());
        assert_eq!(read("Basic realm=\"x\", bearer scope=files")[0].1, "files");
        assert!(bearer("Basic realm=\"x\"").is_none());
    }
}
