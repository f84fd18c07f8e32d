//! The words of the format, and the words that other tools use for the same things.

use super::{Medium, PROXY};
use crate::{Direction, What};

/// The possible values of `what`, for error messages.
pub(super) const WHAT_WORDS: &str = "message, noise, head, event, stderr, end";

/// Who sent it.
pub(super) const fn sender(direction: Direction) -> &'static str {
    match direction {
        Direction::ToServer => "client",
        Direction::ToClient => "server",
    }
}

/// Who sent it to whom, between the windows of an app.
pub(super) const fn windows(direction: Direction, exchange: u32) -> (&'static str, &'static str) {
    match (direction, exchange) {
        (Direction::ToServer, PROXY) => ("proxy", "host"),
        (Direction::ToServer, _) => ("view", "host"),
        (Direction::ToClient, PROXY) => ("host", "proxy"),
        (Direction::ToClient, _) => ("host", "view"),
    }
}

/// The direction and exchange of a message between the windows of an app; `None` when the words name no windows.
pub(super) fn windows_of(from: &str, to: Option<&str>) -> Option<(Direction, u32)> {
    match (from.to_ascii_lowercase().as_str(), to) {
        ("view" | "app" | "guest", _) => Some((Direction::ToServer, 0)),
        ("proxy" | "sandbox", _) => Some((Direction::ToServer, PROXY)),
        ("host", Some("proxy" | "sandbox")) => Some((Direction::ToClient, PROXY)),
        ("host", _) => Some((Direction::ToClient, 0)),
        _ => None,
    }
}

pub(super) const fn what(what: What) -> &'static str {
    match what {
        What::Message => "message",
        What::Noise => "noise",
        What::Head => "head",
        What::Event => "event",
        What::Stderr => "stderr",
        What::End => "end",
    }
}

pub(super) fn what_of(word: &str) -> Option<What> {
    let all = [What::Message, What::Noise, What::Head, What::Event, What::Stderr, What::End];
    all.into_iter().find(|known| what(*known) == word)
}

/// A direction, in any of the spellings that other tools use.
pub(super) fn direction_of(word: &str) -> Option<Direction> {
    let plain: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
    match (plain.to_ascii_lowercase().as_str(), word.trim()) {
        (
            "client" | "fromclient" | "toserver" | "clienttoserver" | "clientserver" | "c2s" | "out"
            | "outgoing" | "outbound" | "send" | "sent" | "tx" | "stdin",
            _,
        )
        | ("", "→" | "->" | ">" | ">>") => Some(Direction::ToServer),
        (
            "server" | "fromserver" | "toclient" | "servertoclient" | "serverclient" | "s2c" | "in"
            | "incoming" | "inbound" | "receive" | "received" | "recv" | "rx" | "stdout" | "stderr",
            _,
        )
        | ("", "←" | "<-" | "<" | "<<") => Some(Direction::ToClient),
        _ => None,
    }
}

pub(super) fn medium_of(word: &str) -> Option<Medium> {
    let plain: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
    match plain.to_ascii_lowercase().as_str() {
        "stdio" | "pipe" | "inprocess" => Some(Medium::Stdio),
        "http" | "https" | "streamablehttp" | "streamable" => Some(Medium::Http),
        "httpsse" | "sse" => Some(Medium::HttpSse),
        "postmessage" | "windows" | "iframe" => Some(Medium::PostMessage),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_known_in_many_spellings() {
        for word in ["client", "Client->Server", "to-server", "client_to_server", "c2s", "→", "outgoing"] {
            assert_eq!(direction_of(word), Some(Direction::ToServer), "{word}");
        }
        for word in ["server", "server → client", "toClient", "s2c", "<-", "received", "stdout"] {
            assert_eq!(direction_of(word), Some(Direction::ToClient), "{word}");
        }
        // Both ends send these.
        for word in ["request", "response", "notification", "", "sideways"] {
            assert_eq!(direction_of(word), None, "{word}");
        }
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for medium in [Medium::Stdio, Medium::Http, Medium::HttpSse, Medium::PostMessage] {
            assert_eq!(medium_of(medium.as_str()), Some(medium));
        }
        for (direction, exchange) in
            [Direction::ToServer, Direction::ToClient].into_iter().flat_map(|d| [(d, 0), (d, PROXY)])
        {
            let (from, to) = windows(direction, exchange);
            assert_eq!(windows_of(from, Some(to)), Some((direction, exchange)));
        }
        for word in WHAT_WORDS.split(", ") {
            assert_eq!(what_of(word).map(what), Some(word));
        }
    }
}
