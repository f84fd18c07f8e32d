//! The credentials in a URL, as HTTP Basic authentication sends them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::Url;

/// The user and password of `url`, encoded; `None` when it has neither.
pub(super) fn encode_credentials(url: &Url) -> Option<String> {
    let (user, password) = (url.username(), url.password().unwrap_or_default());
    let given = !user.is_empty() || !password.is_empty();
    given.then(|| STANDARD.encode(format!("{}:{}", decode_percent(user), decode_percent(password))))
}

fn decode_percent(text: &str) -> String {
    // A query string has the same escapes, but here a plus sign means itself.
    let escaped = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    url::form_urlencoded::parse(escaped.as_bytes()).map(|(name, _)| name.into_owned()).collect()
}
