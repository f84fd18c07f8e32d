//! Defects that show in many places: each is one finding, and what follows from it names it.

use protocol::{Era, Version};
use server::Fault;
use server::fault::Effect;
use suite::{CaseReport, Options, Outcome, run};
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

/// What is held against a target, each with the check that it is put down to.
async fn findings(target: &Target, version: Version) -> Vec<(String, Outcome, Option<String>)> {
    let options = Options { protocols: vec![version], ..Options::default() };
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
