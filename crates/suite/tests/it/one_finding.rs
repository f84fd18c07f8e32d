//! Defects that show in many places: each is one finding, and what follows from it names it.

use protocol::{Era, Span, Version};
use server::Fault;
use server::fault::{Effect, cancellation, lists};
use suite::{CaseReport, Options, Outcome, Selection, run};
use transport::client::Target;

use crate::reference::{piped, served};

static STREAM_CALLED_JSON: Fault = Fault {
    name: "stream-called-json",
    about: "streams of events come as application/json",
    effect: Effect::Head(|method, head| {
        if let Some(kind) = head.headers.get_mut("content-type").filter(|_| method.is_some())
            && kind.as_bytes().starts_with(b"text/event-stream")
        {
            *kind = http::HeaderValue::from_static("application/json");
        }
    }),
};

static DIES_OF_BATCH: Fault = Fault {
    name: "dies-of-batch",
    about: "a list of messages ends the connection",
    effect: Effect::Input(|bytes| {
        let has_batch = bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"["));
        (!has_batch).then(|| bytes.to_vec())
    }),
};

static REQUESTS_BROADCAST: Fault = Fault {
    name: "requests-broadcast",
    about: "requests of the server go to the GET stream as well",
    effect: Effect::Copy(|message| message.get("method").is_some() && message.get("id").is_some()),
};

/// What is held against a target, each with the check that it is put down to.
async fn findings(target: &Target, version: Version) -> Vec<(String, Outcome, Option<String>)> {
    findings_of(target, version, &[]).await
}

async fn findings_of(
    target: &Target,
    version: Version,
    only: &[&str],
) -> Vec<(String, Outcome, Option<String>)> {
    let only = only.iter().map(|name| (*name).to_owned()).collect();
    let selection = Selection { only, skip: Vec::new() };
    let options = Options { protocols: vec![version], selection, ..Options::default() };
    let report = run(target, "", &options, |_| {}).await.unwrap();
    let is_fine = |case: &&CaseReport| !matches!(case.outcome, Outcome::Passed | Outcome::NotApplicable);
    let found = report.cases.iter().filter(is_fine);
    found.map(|case| (case.check.clone(), case.outcome, case.because.clone())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_that_call_themselves_json() {
    let subject = served([&STREAM_CALLED_JSON]).await;
    for version in Era::ALL.map(Era::newest) {
        let found = findings(&subject.target, version).await;
        assert_eq!(found, [("wire/http/one-json-object".to_owned(), Outcome::Failed, None)], "{version}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_of_a_batch() {
    const CAUSE: &str = "server/base/batch-answered";
    let found = findings(&piped([&DIES_OF_BATCH]).target, Version::V2025_03_26).await;
    let (own, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|(check, ..)| check == CAUSE);
    assert_eq!(own, [(CAUSE.to_owned(), Outcome::Failed, None)]);
    assert!(
        others.iter().all(|(_, outcome, because)| {
            *outcome == Outcome::Blocked && because.as_deref() == Some(CAUSE)
        }),
        "{others:#?}"
    );
    assert!(others.iter().any(|(check, ..)| check == "server/base/batch-of-notifications-unanswered"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_of_a_batch_in_a_revision_without_them() {
    let found = findings(&piped([&DIES_OF_BATCH]).target, Version::V2025_06_18).await;
    assert_eq!(found, [("server/base/batch-not-served".to_owned(), Outcome::Warned, None)]);
}

/// Over a pipe and in sessions a cancellation is a message; over stateless HTTP the client closes the stream.
#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_that_ends_all_calls_over_http() {
    const CHECK: &str = "server/cancellation/others-answered";
    let subject = served([&cancellation::CANCEL_ENDS_ALL]).await;
    for version in Span::since(Version::V2025_03_26).versions() {
        let found = findings_of(&subject.target, version, &[CHECK]).await;
        assert_eq!(found, [(CHECK.to_owned(), Outcome::Failed, None)], "{version}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_the_server_that_come_on_two_streams() {
    const CHECK: &str = "server/streams/not-broadcast";
    let subject = served([&REQUESTS_BROADCAST]).await;
    let found = findings_of(&subject.target, Version::V2025_11_25, &[CHECK]).await;
    assert_eq!(found, [(CHECK.to_owned(), Outcome::Failed, None)]);
}

/// The check of the part tells, and the check of the schema is put down to it; without it the schema tells.
#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_does_not_match_the_schema() {
    const PART: &str = "server/tools/input-schema-object";
    const WHOLE: &str = "wire/message/schema";
    let target = piped([&lists::TOOL_SCHEMA_NULL]).target;
    let failed = |check: &str| (check.to_owned(), Outcome::Failed, None);
    let found = findings_of(&target, Version::V2025_11_25, &[PART, WHOLE]).await;
    let told = (WHOLE.to_owned(), Outcome::Blocked, Some(PART.to_owned()));
    assert_eq!(found, [told, failed(PART)]);
    assert_eq!(findings_of(&target, Version::V2025_11_25, &[WHOLE]).await, [failed(WHOLE)]);
}
