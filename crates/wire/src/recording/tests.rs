use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::{Direction, Entry, What};

fn read(text: &str) -> Result<Recording, UnreadableRecording> {
    Recording::parse(text.to_owned())
}

fn why(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

fn messages(recording: &Recording) -> Vec<(Direction, &[u8])> {
    let entries = recording.sessions.iter().flat_map(|session| &session.transcript.entries);
    entries.map(|entry| (entry.direction, entry.bytes.as_ref())).collect()
}

fn entry(what: What, bytes: &'static [u8]) -> Entry {
    let bytes = Bytes::from_static(bytes);
    Entry { at: Duration::from_micros(1500), direction: Direction::ToServer, what, exchange: 2, bytes }
}

fn written(item: &Entry) -> String {
    String::from_utf8(write::entry("1", item)).unwrap()
}

#[test]
fn lines_are_readable() {
    assert_eq!(
        written(&entry(What::Message, br#"{"jsonrpc":"2.0","id":8.0}"#)),
        "{\"at\":1.500,\"session\":\"1\",\"from\":\"client\",\"exchange\":2,\
         \"message\":{\"jsonrpc\":\"2.0\",\"id\":8.0}}\n"
    );
    let head = written(&entry(What::Head, b"POST /mcp HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n"));
    assert!(head.contains(r#""start":"POST /mcp HTTP/1.1","headers":[["host","a"],["host","b"]]"#), "{head}");
    assert!(written(&entry(What::Message, b"{}\r")).contains(r#""text":"{}\r""#));
    assert!(written(&entry(What::Message, b"{\"a\":\"\xff\"}")).contains(r#""base64":""#));
}

#[test]
fn a_direction_and_a_message_are_enough() {
    let text = r#"{"direction":"client","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"direction":"server","message":{"jsonrpc":"2.0","id":1,"result":{}},"other":[1,2]}"#;
    let recording = read(text).unwrap();
    assert_eq!(recording.sessions.len(), 1);
    assert_eq!(
        messages(&recording)[1],
        (Direction::ToClient, br#"{"jsonrpc":"2.0","id":1,"result":{}}"#.as_slice())
    );
}

#[test]
fn what_others_write_is_understood() {
    let text = r#"{"dir":"c2s","payload":"{\"id\":1}","timestamp":"2026-07-28T00:00:00Z"}
{"request":"{\"id\":2}","response":{"id":2,"result":{}}}
{"channel":"stderr","text":"hello"}
{"session":7,"from":"server","what":"head","start":"HTTP/1.1 200 OK","headers":{"a":["b","c"]}}

"#;
    let recording = read(text).unwrap();
    let bytes: Vec<_> = messages(&recording).into_iter().map(|(_, bytes)| bytes).collect();
    let head = b"HTTP/1.1 200 OK\r\na: b\r\na: c\r\n\r\n".as_slice();
    assert_eq!(bytes, [b"{\"id\":1}".as_slice(), b"{\"id\":2}", br#"{"id":2,"result":{}}"#, b"hello", head]);
    assert_eq!(recording.sessions[0].transcript.entries[3].what, What::Stderr);
    assert_eq!(recording.sessions[1].name, "7");
}

#[test]
fn a_broken_line_is_named_with_its_repair() {
    let sound = "{\"from\":\"client\",\"message\":{}}\n";
    assert!(why(&format!("{sound}nonsense\n")).starts_with("line 2: not JSON"));
    assert!(why("{\"jsonrpc\":\"2.0\",\"id\":1}\n").contains("who sent it"));
    assert!(why("[]\n").contains("no JSON object"));
    assert!(why("{}\n").contains("neither `from` nor `session`"));
    assert!(why("{\"from\":\"client\"}\n").contains("no `message`"));
    assert!(why("{\"direction\":\"request\",\"message\":{}}\n").contains("write `client` or `server`"));
    assert!(why("{\"from\":\"client\",\"base64\":\"?\"}\n").contains("`base64` cannot be decoded"));
    assert!(why("{\"from\":\"client\",\"what\":\"smoke\",\"text\":\"\"}\n").contains("noise, head, event"));
    assert!(why("{\"session\":\"1\",\"transport\":\"pigeon\"}\n").contains("`pigeon` is not a transport"));
    assert!(why("{\"format\":\"har\"}\n").contains("`har`"));
    assert!(why("{\"format\":\"mcp-transcript\",\"version\":99}\n").contains("newer than this program"));
    let bytes = Recording::parse(b"{\"from\":\"client\",\"text\":\"\xff\"}\n".to_vec());
    assert!(bytes.unwrap_err().to_string().contains("`base64`"));
}

#[test]
fn a_last_line_that_was_cut_is_left_out() {
    let recording = read("{\"from\":\"client\",\"message\":{}}\n{\"from\":\"serv").unwrap();
    assert_eq!((recording.cut, messages(&recording).len()), (Some(2), 1));
    assert!(read("{\"from\":\"serv").is_err(), "a file of nothing else is not a recording");
    assert!(read("{\"from\":\"client\",\"message\":{}}\n7").is_err());
}

#[test]
fn hostile_files_are_no_trouble() {
    let deep = format!(r#"{{"from":"server","message":{}{}}}"#, "[".repeat(200_000), "]".repeat(200_000));
    assert_eq!(messages(&read(&deep).unwrap())[0].1.len(), 400_000);
    let long = format!(r#"{{"from":"server","text":"{}"}}"#, "x".repeat(10 << 20));
    assert_eq!(messages(&read(&long).unwrap())[0].1.len(), 10 << 20);
    assert!(read(&"{".repeat(100_000)).is_err());
    let head = format!(r#"{{"from":"server","what":"head","start":"","headers":{}"#, "[".repeat(100_000));
    assert!(read(&head).is_err());
}

fn bytes() -> impl Strategy<Value = Bytes> {
    let word = prop_oneof![
        Just(b"{\"jsonrpc\":\"2.0\"".to_vec()),
        Just(b"{\"id\":1e2,\"id\":\"\\ud800\"}".to_vec()),
        Just(b"}".to_vec()),
        Just(b"[{}]".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"POST / HTTP/1.1\r\na: b\r\n".to_vec()),
        Just(b": ".to_vec()),
        Just("\u{2028}\u{0}\u{feff}\"".as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..5),
    ];
    proptest::collection::vec(word, 0..6).prop_map(|words| words.concat().into())
}

fn entries() -> impl Strategy<Value = Entry> {
    let whats = [What::Message, What::Noise, What::Head, What::Event, What::Stderr, What::End];
    let what = proptest::sample::select(whats.to_vec());
    (0_u64..1 << 40, any::<bool>(), what, any::<u32>(), bytes()).prop_map(
        |(micros, up, what, exchange, bytes)| Entry {
            at: Duration::from_micros(micros),
            direction: if up { Direction::ToServer } else { Direction::ToClient },
            what,
            exchange,
            bytes,
        },
    )
}

fn any_session() -> impl Strategy<Value = RecordedSession> {
    let mediums = vec![None, Some(Medium::Stdio), Some(Medium::Http), Some(Medium::HttpSse)];
    let protocol = proptest::option::of("[0-9-]{0,10}");
    let entries = proptest::collection::vec(entries(), 0..8);
    (proptest::sample::select(mediums), protocol, 0..3_u64, entries).prop_map(
        |(medium, protocol, dropped, entries)| RecordedSession {
            dropped,
            transcript: Transcript { entries },
            ..RecordedSession::new("", medium, protocol)
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read(mut sessions in proptest::collection::vec(any_session(), 0..4), target in any::<Option<String>>()) {
        let about = About { target, tool: Some("yardstick".into()), started: None };
        let mut file = write::header(&about);
        for (number, session) in sessions.iter_mut().enumerate() {
            session.name = format!("session {number}");
            file.extend(write::session(session));
        }
        prop_assert_eq!(Recording::parse(file), Ok(Recording { about, sessions, cut: None }));
    }

    #[test]
    fn no_file_makes_it_panic(file in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = Recording::parse(file);
    }
}

#[test]
fn windows_of_an_app_are_written_and_read() {
    let text = r#"{"session":"v","transport":"postmessage"}
{"session":"v","from":"proxy","to":"host","message":{"jsonrpc":"2.0","method":"a"}}
{"session":"v","from":"host","to":"proxy","message":{"jsonrpc":"2.0","method":"b"}}
{"session":"v","from":"view","message":{"jsonrpc":"2.0","method":"c"}}
{"session":"v","from":"host","message":{"jsonrpc":"2.0","method":"d"}}
{"session":"v","from":"host","what":"end","text":"torn down"}
{"session":"w","from":"client","message":{"jsonrpc":"2.0","method":"e"}}
"#;
    let recording = read(text).unwrap();
    let session = &recording.sessions[0];
    let ways: Vec<_> = session.transcript.entries.iter().map(|e| (e.direction, e.exchange)).collect();
    let (up, down) = (Direction::ToServer, Direction::ToClient);
    assert_eq!(ways, [(up, PROXY), (down, PROXY), (up, 0), (down, 0), (down, 0)]);
    assert_eq!(session.medium, Some(Medium::PostMessage));
    let again = Recording::parse(write::session(session)).unwrap();
    assert_eq!(again.sessions, std::slice::from_ref(session));
    assert_eq!(recording.sessions[1].medium, None, "a client is not a window");
}

#[test]
fn words_for_windows_name_the_transport_too() {
    let recording = read(r#"{"from":"view","message":{"jsonrpc":"2.0","method":"c"}}"#).unwrap();
    assert_eq!(recording.sessions[0].medium, Some(Medium::PostMessage));
    // And the other words stay what they are.
    let text = r#"{"session":"1","transport":"postmessage"}
{"from":"client","message":{"jsonrpc":"2.0","method":"c"}}"#;
    let session = &read(text).unwrap().sessions[0];
    assert_eq!(
        (session.medium, session.transcript.entries[0].direction),
        (Some(Medium::PostMessage), Direction::ToServer)
    );
}
