//! What a server asks of this host. The person before the page answers elicitation and sampling; roots are those that the
//! host was started with. Nothing is answered that the host does not declare, and every request stands in the timeline.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use protocol::code;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use transport::client::{Answer, InputRequired, Profile, ServerRequest, Session};

use super::{Asking, Refusal, Server};
use crate::timeline::{Party, Said};
use crate::{Options, Shared, inquiries};

/// How many requests of a server may wait to be looked at.
const MOST_WAITING: usize = 64;
/// What the specification gives for a person who says no to sampling.
const USER_REJECTED: i64 = -1;

/// A request that has come, and what it was answered with at once.
#[derive(Debug)]
pub(super) struct Arrived {
    id: String,
    method: String,
    params: Value,
    answered: Option<Answer>,
}

/// The requests of one session, in the order in which they came.
pub(super) type Inbox = mpsc::Receiver<Arrived>;

/// Who this host says it is to a server, and where the server's requests go.
pub(super) fn client(options: &Options) -> (Profile, Inbox) {
    let (sender, inbox) = mpsc::channel(MOST_WAITING);
    let roots = options.roots.clone();
    let capabilities = capabilities(options);
    let answer = move |request: &ServerRequest<'_>, declared: &Value| {
        let answered = at_once(request, declared, &roots);
        let arrived = Arrived {
            id: request.id.to_owned(),
            method: request.method.to_owned(),
            params: request.params.clone(),
            answered: answered.clone(),
        };
        match (sender.try_send(arrived), answered) {
            (_, Some(answer)) => answer,
            (Ok(()), None) => Answer::Silence,
            (Err(_), None) => error(code::INTERNAL_ERROR, "too many requests are open in this host"),
        }
    };
    let declared = capabilities.clone();
    let profile = Profile::bare()
        .with_capabilities(capabilities)
        .answering_requests(move |request| answer(request, &declared));
    (profile, inbox)
}

/// What a person at this host can answer.
fn capabilities(options: &Options) -> Value {
    let mut capabilities = json!({
        "elicitation": { "form": {}, "url": {} },
        "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": ["text/html;profile=mcp-app"] } },
    });
    if options.sampling {
        capabilities["sampling"] = json!({});
    }
    if !options.roots.is_empty() {
        capabilities["roots"] = json!({});
    }
    capabilities
}

/// The answer to a request that no person is needed for.
fn at_once(request: &ServerRequest<'_>, declared: &Value, roots: &[Value]) -> Option<Answer> {
    let is_declared = |name: &str| declared.get(name).is_some();
    match request.method {
        "ping" => Some(Answer::Result(json!({}))),
        "roots/list" if is_declared("roots") => Some(Answer::Result(json!({ "roots": roots }))),
        "elicitation/create" if is_declared("elicitation") => None,
        "sampling/createMessage" if is_declared("sampling") => None,
        method => Some(error(code::METHOD_NOT_FOUND, &format!("this host has no method {method}"))),
    }
}

fn error(code: i64, message: &str) -> Answer {
    Answer::Error { code, message: message.to_owned() }
}

/// Shows and answers what a server asks for as long as its session lasts.
pub(super) async fn serve(server: Arc<Server>, shared: Arc<Shared>, session: Session, mut inbox: Inbox) {
    let mut open = FuturesUnordered::new();
    loop {
        tokio::select! {
            arrived = inbox.recv() => match arrived {
                Some(arrived) => open.push(take(&server, &shared, &session, arrived)),
                None => return,
            },
            Some(()) = open.next() => {}
        }
    }
}

async fn take(server: &Server, shared: &Shared, session: &Session, arrived: Arrived) {
    let id: Value = serde_json::from_str(&arrived.id).unwrap_or_default();
    let asked = json!({ "jsonrpc": "2.0", "id": id, "method": arrived.method, "params": arrived.params });
    let n = server.said(shared, Party::Server, asked, None);
    let (answer, sent) = match arrived.answered {
        Some(answer) => (answer, true),
        None => {
            let withdrawn = CancellationToken::new();
            let _cancellable = server.asked.enter(&arrived.id, &withdrawn);
            let answer = tokio::select! {
                answer = server.ask_person(shared, None, &arrived.method, &arrived.params) => answer,
                () = withdrawn.cancelled() => return,
            };
            (answer, false)
        }
    };
    let outcome = outcome(&answer);
    let mut message = json!({ "jsonrpc": "2.0", "id": id });
    if let Some(members) = message.as_object_mut() {
        members.extend(outcome.clone());
    }
    server.said(shared, Party::Host, message, Some(n));
    if !sent {
        // A server that is gone by now is told nothing; the timeline shows how it ended.
        let _ = session.respond(&arrived.id, &outcome).await;
    }
}

fn outcome(answer: &Answer) -> Map<String, Value> {
    let (name, value) = match answer {
        Answer::Result(result) => ("result", result.clone()),
        Answer::Error { code, message } => ("error", json!({ "code": code, "message": message })),
        Answer::Silence => ("result", json!({})),
    };
    Map::from_iter([(name.to_owned(), value)])
}

impl Server {
    /// The person's answer to a request of the server, as the method has it.
    async fn ask_person(&self, shared: &Shared, run: Option<&str>, method: &str, params: &Value) -> Answer {
        match shared.inquiries.ask(&self.id, run, method, params).await {
            inquiries::Answer::Result(result) => Answer::Result(result),
            inquiries::Answer::Refused if method == "elicitation/create" => {
                Answer::Result(json!({ "action": "cancel" }))
            }
            inquiries::Answer::Refused => error(USER_REJECTED, "the person at the host refused"),
        }
    }

    /// What a server gets that asks for input before it completes a request of the modern era.
    pub(super) async fn give_input(
        &self,
        shared: &Shared,
        asking: &Asking<'_>,
        params: &Value,
        asked: &InputRequired,
    ) -> Result<Value, Refusal> {
        let Some(inputs) = &asked.inputs else { return Ok(asked.next_params(Some(params), None)) };
        let declared = capabilities(&shared.options);
        let mut responses = Map::new();
        for (name, input) in inputs {
            let method = input["method"].as_str().unwrap_or_default();
            let request = ServerRequest { id: "null", method, params: &input["params"] };
            let answer = match at_once(&request, &declared, &shared.options.roots) {
                Some(answer) => answer,
                None => self.ask_person(shared, asking.run, method, &input["params"]).await,
            };
            match answer {
                Answer::Result(result) => drop(responses.insert(name.clone(), result)),
                // There is no place for an error among the answers, so the request ends here.
                Answer::Error { message, .. } => {
                    let why = format!("the server asked for {method}: {message}");
                    return Err(Refusal::new(code::INTERNAL_ERROR, why));
                }
                Answer::Silence => {}
            }
        }
        let given = json!({ "yardstick": "input", "inputResponses": responses });
        shared.timeline.add(Said {
            view: asking.view.map(str::to_owned),
            run: asking.run.map(str::to_owned),
            server: Some(self.id.clone()),
            ..Said::new(Party::Person, Party::Host, given)
        });
        Ok(asked.next_params(Some(params), Some(responses)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_person_here_can_answer_is_declared() {
        let names = |options: &Options| {
            let (profile, _) = client(options);
            profile.capabilities.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(names(&Options::default()), ["elicitation", "extensions"]);
        let roots = vec![json!({ "uri": "file:///tmp" })];
        let all = Options { sampling: true, roots, ..Options::default() };
        assert_eq!(names(&all), ["elicitation", "extensions", "sampling", "roots"]);
    }

    #[test]
    fn what_needs_a_person_waits_and_what_is_not_declared_is_refused() {
        let (profile, mut inbox) = client(&Options::default());
        assert_eq!(profile.answer("elicitation/create", &Value::Null), Answer::Silence);
        assert!(matches!(
            profile.answer("sampling/createMessage", &Value::Null),
            Answer::Error { code: -32601, .. }
        ));
        assert!(matches!(profile.answer("roots/list", &Value::Null), Answer::Error { code: -32601, .. }));
        let waiting: Vec<_> = std::iter::from_fn(|| inbox.try_recv().ok()).collect();
        let unanswered: Vec<_> =
            waiting.iter().filter(|one| one.answered.is_none()).map(|one| one.method.as_str()).collect();
        assert_eq!(unanswered, ["elicitation/create"]);
    }
}
