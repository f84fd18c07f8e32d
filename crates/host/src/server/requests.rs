//! Requests of a server to this host. The person in front of the page answers elicitation and sampling. Roots are
//! those that the host was started with. The host answers only what it has declared, and records every request in the
//! timeline.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use protocol::code;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use transport::client::{Answer, InputRequired, Profile, ServerRequest, Session};

use super::unsolicited::{Unsolicited, UnsolicitedLimit};
use super::{OutgoingRequest, RpcRefusal, SupervisedServer};
use crate::inquiries::{Inquiries, InquiryAnswer};
use crate::timeline::{NewEntry, TimelineParty};
use crate::{Options, Shared};

/// How many requests of a server may wait to be handled.
const MAX_WAITING_REQUESTS: usize = 64;
/// How many inputs one result may require; the person answers them one after the other.
const MAX_INPUTS: usize = 20;
/// What a server is told whose request finds no room.
const TOO_MANY_REQUESTS: &str = "too many requests are open in this host";
/// The code that the specification gives for sampling that the user rejected.
const USER_REJECTED: i64 = -1;

/// A request that arrived, and the answer if it was given at once.
#[derive(Debug)]
pub(super) struct Arrived {
    id: String,
    method: String,
    params: Value,
    answered: Option<Answer>,
}

/// The requests of one session, in the order of their arrival.
pub(super) type Inbox = mpsc::Receiver<Arrived>;

/// The host's client profile, and the queue that receives the server's requests as far as `limit` accepts them. What
/// finds no room among `inquiries` is refused at once, so that no refusal waits for a server that does not read.
pub(super) fn client(
    options: &Options,
    limit: Arc<UnsolicitedLimit>,
    inquiries: Inquiries,
) -> (Profile, Inbox) {
    let (sender, inbox) = mpsc::channel(MAX_WAITING_REQUESTS);
    let roots = options.roots.clone();
    let capabilities = capabilities(options);
    let answer = move |request: &ServerRequest<'_>, declared: &Value| {
        let refused = || error(code::INTERNAL_ERROR, TOO_MANY_REQUESTS);
        let answered =
            immediate_answer(request, declared, &roots).or_else(|| inquiries.is_full().then(refused));
        if !limit.admit(Unsolicited::Request) {
            return answered.unwrap_or_else(refused);
        }
        let arrived = Arrived {
            id: request.id.to_owned(),
            method: request.method.to_owned(),
            params: request.params.clone(),
            answered: answered.clone(),
        };
        let is_queued = sender.try_send(arrived).is_ok();
        if !is_queued {
            limit.leave_out(Unsolicited::Request, 1);
        }
        answered.unwrap_or_else(|| if is_queued { Answer::Silence } else { refused() })
    };
    let declared = capabilities.clone();
    let profile = Profile::bare()
        .with_capabilities(capabilities)
        .answering_requests(move |request| answer(request, &declared));
    (profile, inbox)
}

/// The capabilities that the host declares.
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
    if let Some(fault_hooks) = &options.fault_hooks {
        fault_hooks.change_capabilities(&mut capabilities);
    }
    capabilities
}

/// The answer to a request that needs no person.
fn immediate_answer(request: &ServerRequest<'_>, declared: &Value, roots: &[Value]) -> Option<Answer> {
    let is_declared = |name: &str| declared.get(name).is_some();
    match request.method {
        "ping" => Some(Answer::Result(json!({}))),
        "roots/list" if is_declared("roots") => Some(Answer::Result(json!({ "roots": roots }))),
        "elicitation/create" if is_declared("elicitation") => {
            let mode = request.params.get("mode").unwrap_or(&Value::Null);
            let is_known = mode.is_null() || mode == "form" || mode == "url";
            (!is_known)
                .then(|| error(code::INVALID_PARAMS, "this host has only the elicitation modes form and url"))
        }
        "sampling/createMessage" if is_declared("sampling") => {
            let tools = ["tools", "toolChoice"].into_iter().find(|name| request.params.get(name).is_some());
            tools.map(|name| {
                error(code::INVALID_PARAMS, &format!("{name}: this host has not declared sampling.tools"))
            })
        }
        method => Some(error(code::METHOD_NOT_FOUND, &format!("this host has no method {method}"))),
    }
}

fn error(code: i64, message: &str) -> Answer {
    Answer::Error { code, message: message.to_owned() }
}

/// Records and answers the server's requests until its session ends.
pub(super) async fn serve(
    server: Arc<SupervisedServer>,
    shared: Arc<Shared>,
    session: Session,
    mut inbox: Inbox,
) {
    let mut open = FuturesUnordered::new();
    loop {
        tokio::select! {
            arrived = inbox.recv() => match arrived {
                Some(arrived) => open.push(handle_request(&server, &shared, &session, arrived)),
                None => return,
            },
            Some(()) = open.next() => {}
        }
    }
}

async fn handle_request(server: &SupervisedServer, shared: &Shared, session: &Session, arrived: Arrived) {
    let id: Value = serde_json::from_str(&arrived.id).unwrap_or_default();
    let asked = json!({ "jsonrpc": "2.0", "id": id, "method": arrived.method, "params": arrived.params });
    let n = server.record_message(shared, TimelineParty::Server, asked, None);
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
    // The server may not read the answer for long.
    drop(arrived.params);
    let outcome = outcome(&answer);
    let mut message = json!({ "jsonrpc": "2.0", "id": id });
    if let Some(members) = message.as_object_mut() {
        members.extend(outcome.clone());
    }
    server.record_message(shared, TimelineParty::Host, message, Some(n));
    if !sent {
        // If the server has gone in the meantime, the timeline already shows how the session ended.
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

impl SupervisedServer {
    /// Asks the person, and returns the answer in the form that the method defines.
    async fn ask_person(&self, shared: &Shared, run: Option<&str>, method: &str, params: &Value) -> Answer {
        match shared.inquiries.ask(&self.id, run, method, params).await {
            InquiryAnswer::Result(result) => Answer::Result(result),
            InquiryAnswer::Refused if method == "elicitation/create" => {
                Answer::Result(json!({ "action": "cancel" }))
            }
            InquiryAnswer::Refused => error(USER_REJECTED, "the person at the host refused"),
            InquiryAnswer::NoRoom => error(code::INTERNAL_ERROR, TOO_MANY_REQUESTS),
        }
    }

    /// Answers the input requests of a modern server, which needs them to complete the request.
    pub(super) async fn give_input(
        &self,
        shared: &Shared,
        asking: &OutgoingRequest<'_>,
        params: &Value,
        asked: &InputRequired,
    ) -> Result<Value, RpcRefusal> {
        let Some(inputs) = &asked.inputs else { return Ok(asked.next_params(Some(params), None)) };
        if inputs.len() > MAX_INPUTS {
            let why = format!(
                "the server requires {} inputs; this host asks for {MAX_INPUTS} at most",
                inputs.len()
            );
            return Err(RpcRefusal::new(code::INTERNAL_ERROR, why));
        }
        let declared = capabilities(&shared.options);
        let mut responses = Map::new();
        for (name, input) in inputs {
            let method = input["method"].as_str().unwrap_or_default();
            let request = ServerRequest { id: "null", method, params: &input["params"] };
            let answer = match immediate_answer(&request, &declared, &shared.options.roots) {
                Some(answer) => answer,
                None => self.ask_person(shared, asking.run, method, &input["params"]).await,
            };
            match answer {
                Answer::Result(result) => drop(responses.insert(name.clone(), result)),
                // An input response cannot be an error, so the request ends here.
                Answer::Error { message, .. } => {
                    let why = format!("the server asked for {method}: {message}");
                    return Err(RpcRefusal::new(code::INTERNAL_ERROR, why));
                }
                Answer::Silence => {}
            }
        }
        let given = json!({ "yardstick": "input", "inputResponses": responses });
        shared.timeline.add(NewEntry {
            view: asking.view.map(str::to_owned),
            run: asking.run.map(str::to_owned),
            server: Some(self.id.clone()),
            ..NewEntry::new(TimelineParty::Person, TimelineParty::Host, given)
        });
        Ok(asked.next_params(Some(params), Some(responses)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feed::Feed;

    #[test]
    fn only_what_a_person_here_can_answer_is_declared() {
        let names = |options: &Options| {
            let (profile, _) = client(options, Arc::default(), Inquiries::new(Feed::default()));
            profile.capabilities.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(names(&Options::default()), ["elicitation", "extensions"]);
        let roots = vec![json!({ "uri": "file:///tmp" })];
        let all = Options { sampling: true, roots, ..Options::default() };
        assert_eq!(names(&all), ["elicitation", "extensions", "sampling", "roots"]);
    }

    #[test]
    fn what_needs_a_person_waits_and_what_is_not_declared_is_refused() {
        let (profile, mut inbox) =
            client(&Options::default(), Arc::default(), Inquiries::new(Feed::default()));
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
