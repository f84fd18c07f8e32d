//! Bytes that are not a message, and messages that are almost valid.

use protocol::{Span, Version};
use serde_json::{Value, json};
use transport::client::{Profile, Reply};

use crate::support::{Wire, World, everywhere};

/// Sends bytes as they are and takes the answer, whichever way the wire gives it.
async fn answer(world: &World, bytes: impl AsRef<[u8]>) -> Value {
    let bytes = bytes.as_ref().to_vec();
    let reply =
        world.session.request("ping").body(bytes).send().await.unwrap_or_else(|f| panic!("{world}: {f}"));
    let raw = if reply.raw().is_empty() { &reply.body[..] } else { reply.raw() };
    serde_json::from_slice(raw).unwrap_or(Value::Null)
}

#[tokio::test]
async fn what_is_no_json_is_a_parse_error() {
    everywhere(Span::LEGACY, &Profile::bare(), async |world| {
        for bytes in [
            &b"{"[..],
            b"nonsense",
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
            b"{\"a\":\"\xff\"}",
        ] {
            let answer = answer(world, bytes).await;
            assert_eq!(answer["error"]["code"], -32700, "{world}: {}", String::from_utf8_lossy(bytes));
            assert_eq!(answer.get("result"), None);
        }
    })
    .await;
}

#[tokio::test]
async fn what_is_no_message_is_an_invalid_request() {
    everywhere(Span::LEGACY, &Profile::bare(), async |world| {
        for message in [
            r#""text""#,
            "7",
            "null",
            "{}",
            r#"{"jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
        ] {
            let answer = answer(world, message).await;
            assert_eq!(answer["error"]["code"], -32600, "{world}: {message} got {answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn params_are_objects() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for params in ["[]", "[1]", "\"x\"", "7"] {
            let message = format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{params}}}"#);
            let request = world.session.request("tools/list").body(message);
            let reply: Reply = request.send().await.unwrap();
            assert_eq!(reply.code(), Some(-32602), "{world}: {params}");
            assert_eq!(reply.frame().unwrap().id.unwrap().get(), "5", "{world}");
        }
    })
    .await;
}

#[tokio::test]
async fn ids_come_back_as_they_were_spelled() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for id in
            ["0", "-7", "9007199254740993", "123456789012345678901234567890", "\"\"", "\"a\\u0062\"", "\"8\""]
        {
            let request = world.session.request("tools/list").id(id);
            let reply = request.send().await.unwrap();
            assert_eq!(reply.frame().unwrap().id.unwrap().get(), id, "{world}");
        }
    })
    .await;
}

#[tokio::test]
async fn errors_without_a_request_have_the_id_that_their_revision_wants() {
    everywhere(Span::LEGACY, &Profile::bare(), async |world| {
        // Over Streamable HTTP it is not known whose bytes they are.
        let unknown = world.wire == Wire::Http;
        let answer = answer(world, "{").await;
        let expected = (world.version() < Version::V2025_11_25 && !unknown).then_some(Value::Null);
        assert_eq!(answer.get("id").cloned(), expected, "{world}");
    })
    .await;
}

#[tokio::test]
async fn deep_messages_are_survived() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
        let message = format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{{"x":{deep}}}}}"#);
        let reply = world.session.request("tools/list").body(message).send().await.unwrap();
        assert!(matches!(reply.code(), Some(-32700 | -32600 | -32602)), "{world}: {:?}", reply.code());
        assert_eq!(world.text("echo", json!({ "text": "dry" })).await, "dry", "{world}");
    })
    .await;
}

#[tokio::test]
async fn large_messages_are_taken() {
    everywhere(Span::MODERN, &Profile::bare(), async |world| {
        let large = "x".repeat(3 * 1024 * 1024);
        assert_eq!(world.text("echo", json!({ "text": large })).await.len(), large.len(), "{world}");
    })
    .await;
}

#[tokio::test]
async fn notifications_are_never_answered() {
    everywhere(Span::ALWAYS, &Profile::bare(), async |world| {
        for method in
            ["notifications/roots/list_changed", "notifications/progress", "notifications/unheard-of"]
        {
            let reply = world.session.notify(method, Some(json!({ "x": 1 }))).await.unwrap();
            assert!(reply.response.is_none(), "{world}: {method}");
            assert!(reply.status().is_none_or(|status| status == 202), "{world}: {method}");
        }
        assert_eq!(world.text("echo", json!({ "text": "quiet" })).await, "quiet");
    })
    .await;
}

#[tokio::test]
async fn batches_belong_to_2025_03_26() {
    everywhere(Span::LEGACY, &Profile::bare(), async |world| {
        let batch = json!([
            { "jsonrpc": "2.0", "id": 1001, "method": "ping" },
            { "jsonrpc": "2.0", "method": "notifications/unheard-of" },
            { "jsonrpc": "2.0", "id": 1002, "method": "tools/call", "params": { "name": "countdown", "arguments": { "intervalMs": 1 } } },
            { "jsonrpc": "2.0", "id": 1003, "method": "no/such/method" },
            { "jsonrpc": "2.0", "id": 1004, "method": "initialize", "params": {} },
        ]);
        let request = world.session.request("ping").body(batch.to_string());
        if world.version() != Version::V2025_03_26 {
            let answer = answer(world, batch.to_string()).await;
            assert_eq!(answer["error"]["code"], -32600, "{world}: {answer}");
            return;
        }
        let reply = request.send().await.unwrap();
        let mut answers: Vec<_> = reply.responses().iter().map(|f| (f.id.unwrap().get().to_owned(), f.error.is_some())).collect();
        answers.sort();
        let expected = [("1001", false), ("1002", false), ("1003", true), ("1004", true)];
        assert_eq!(answers, expected.map(|(id, error)| (id.to_owned(), error)), "{world}");
        // On a pipe the responses to a batch are one batch.
        let whole = reply.messages.iter().any(|message| message.frames().len() == 4);
        assert_eq!(whole, world.wire == Wire::Pipe, "{world}");
    })
    .await;
}

#[tokio::test]
async fn a_batch_of_nothing_is_no_batch() {
    everywhere(Span::only(Version::V2025_03_26), &Profile::bare(), async |world| {
        assert_eq!(answer(world, "[]").await["error"]["code"], -32600, "{world}");
        let mixed = answer(world, r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},7]"#).await;
        assert_eq!(mixed.as_array().map(Vec::len), Some(2), "{world}: {mixed}");
    })
    .await;
}
