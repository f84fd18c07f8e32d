//! The client of HTTP+SSE of 2024-11-05: a stream whose first event says where to post.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use tokio::time::Instant;
use url::Url;
use wire::sse::Event;

use super::Task;
use super::http::{BodyReader, Http, Item, Origin, Outgoing, path_of};
use crate::client::answer_poster::AnswerPoster;
use crate::client::responder::Responder;
use crate::client::route::Router;
use crate::client::{Endpoint, Failure, Limits};

/// The client of HTTP+SSE.
#[derive(Debug)]
pub(crate) struct HttpSse {
    pub(crate) router: Arc<Router>,
    /// The path and query to post to.
    pub(crate) path: String,
    reader: Mutex<Option<Task>>,
}

impl HttpSse {
    /// Opens the stream and waits for the endpoint. `headers` go with every request.
    pub(crate) async fn open(
        endpoint: &Endpoint,
        http: &Arc<Http>,
        headers: &HeaderMap,
        limits: &Limits,
        responder: Responder,
    ) -> Result<Self, Failure> {
        let deadline = Instant::now() + limits.probe.max(limits.connect);
        let mut stream = get(endpoint, http, headers, deadline).await?;
        let path = match tokio::time::timeout(limits.probe, first(&mut stream)).await {
            Ok(event) => post_path(&endpoint.url, &event?)?,
            Err(_) => return Err(bad("it does not begin with an `endpoint` event")),
        };
        let router = Arc::new(Router::default());
        let poster = AnswerPoster::new(Arc::clone(http), limits.request, Arc::clone(&router));
        let answering = Answering { responder, poster, headers: post_headers(headers), path: path.clone() };
        let reader = Task::spawn(read_events(stream, Arc::clone(&router), answering));
        Ok(Self { router, path, reader: Mutex::new(Some(reader)) })
    }

    /// Closes the stream.
    pub(crate) fn close(&self) {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.router.end(Failure::closed("a message was expected", "this end closed the stream"));
    }
}

struct Answering {
    responder: Responder,
    poster: AnswerPoster,
    headers: HeaderMap,
    path: String,
}

async fn get(
    endpoint: &Endpoint,
    http: &Arc<Http>,
    headers: &HeaderMap,
    deadline: Instant,
) -> Result<BodyReader, Failure> {
    let mut headers = headers.clone();
    headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
    let path = path_of(&endpoint.url);
    let request = Outgoing { verb: http::Method::GET, path, headers, body: Bytes::new() };
    let exchange = http.send_until(request, "the GET of HTTP+SSE", deadline).await?;
    let (status, kind) = (exchange.head.status, exchange.head.media_type());
    match (status, exchange.is_stream()) {
        (200, true) => Ok(BodyReader::new(exchange)),
        (200, false) => {
            Err(none(&format!("a GET is answered with {}", kind.as_deref().unwrap_or("no content type"))))
        }
        _ => Err(none(&format!("a GET is answered with HTTP {status}"))),
    }
}

/// The first event with data.
async fn first(stream: &mut BodyReader) -> Result<Event, Failure> {
    loop {
        match stream.next().await? {
            Some(Item::Event(event)) if event.event.is_none() && event.data.is_none() => {}
            Some(Item::Event(event)) => return Ok(event),
            Some(Item::Message(_)) => return Err(bad("it begins with a message")),
            Some(Item::Whole(..)) | None => return Err(bad("it ended at once")),
        }
    }
}

/// The path that the endpoint event names. Only the same origin is accepted, because every POST carries credentials.
fn post_path(base: &Url, event: &Event) -> Result<String, Failure> {
    let name = event.event.as_deref().unwrap_or("message");
    if name != "endpoint" {
        return Err(bad(&format!("it begins with a `{name}` event")));
    }
    let data = event.data.as_deref().unwrap_or_default();
    // Almost any text is a relative reference, but JSON is certainly not meant as one.
    if data.trim_start().starts_with(['{', '[', '"']) {
        return Err(bad(&format!("the endpoint `{data}` is JSON and not a URI")));
    }
    let url =
        base.join(data.trim()).map_err(|why| bad(&format!("the endpoint `{data}` is not a URI: {why}")))?;
    match (Origin::from_url(base), Origin::from_url(&url)) {
        (Ok(own), Ok(named)) if own == named => Ok(path_of(&url)),
        _ => Err(bad(&format!("the endpoint `{data}` is on another origin, where credentials must not go"))),
    }
}

fn post_headers(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers
}

fn none(why: &str) -> Failure {
    Failure::NoEndpoint { why: why.into() }
}

fn bad(why: &str) -> Failure {
    Failure::BadEndpoint { why: why.into() }
}

async fn read_events(mut stream: BodyReader, router: Arc<Router>, answering: Answering) {
    let why = loop {
        match stream.next().await {
            Ok(Some(Item::Message(message))) => {
                match message.payload() {
                    Ok(_) => router.route(&message),
                    Err(why) => router.note_noise(&message.bytes, why),
                }
                for answer in answering.responder.answers(&message) {
                    answering.poster.deliver(&answering.path, &answering.headers, answer);
                }
            }
            Ok(Some(Item::Event(_) | Item::Whole(..))) => {}
            Ok(None) => {
                let how = stream.cut.take().unwrap_or_else(|| "it ended the event stream".into());
                break Failure::closed("a message was expected", how);
            }
            Err(failure) => break failure,
        }
    };
    router.end(why);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(data: &str) -> Result<String, Failure> {
        let event = Event { event: Some("endpoint".into()), data: Some(data.into()), ..Event::default() };
        post_path(&"http://127.0.0.1:8000/base/sse?x=1".parse().unwrap(), &event)
    }

    #[test]
    fn the_endpoint_may_be_relative_or_absolute() {
        assert_eq!(path("/messages?sessionId=1").unwrap(), "/messages?sessionId=1");
        assert_eq!(path("messages").unwrap(), "/base/messages");
        assert_eq!(path("http://127.0.0.1:8000/m").unwrap(), "/m");
    }

    #[test]
    fn a_foreign_endpoint_is_refused() {
        for foreign in
            ["http://attacker.example/m", "https://127.0.0.1:8000/m", "//127.0.0.1:9000/m", "javascript:1"]
        {
            assert!(path(foreign).unwrap_err().to_string().contains("another origin"), "{foreign}");
        }
    }

    #[test]
    fn another_event_is_no_endpoint() {
        let event = Event { data: Some("/messages".into()), ..Event::default() };
        assert!(post_path(&"http://127.0.0.1/".parse().unwrap(), &event).is_err());
    }
}
