//! A server that asks for a token: what is measured without one, and that none is ever shown.

use std::time::Duration;

use server::fault::authorization::{NO_METADATA, NO_METADATA_URL, QUERY_TOKEN, SESSION_SUFFICES};
use suite::{Options, Outcome, Report, Selection, run};
use transport::client::Limits;

use crate::reference::{Subject, TOKEN, guarded, locked};

async fn report(subject: &Subject, only: &[&str]) -> Report {
    let brief = Duration::from_millis(700);
    let limits = Limits { request: brief, start: brief, probe: brief, ..Limits::default() };
    let selection = Selection { only: only.iter().map(|id| (*id).to_owned()).collect(), skip: Vec::new() };
    let options = Options { limits, selection, ..Options::default() };
    run(&subject.target, "", &options, |_| {}).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_the_refusal_itself_is_measured() {
    let report = report(&locked().await, &[]).await;
    let passed: Vec<_> = report.cases.iter().filter(|case| case.outcome == Outcome::Passed).collect();
    assert!(passed.iter().all(|case| case.section == "authorization"), "{passed:#?}");
    for id in ["missing-token-401", "challenge-present", "metadata-found", "servers-named", "garbage-refused"]
    {
        let id = format!("server/authorization/{id}");
        assert!(passed.iter().any(|case| case.check == id), "{id} did not pass");
    }
    let ping = report.cases.iter().find(|case| case.check == "server/lifecycle/ping-answered").unwrap();
    assert_eq!(ping.outcome, Outcome::Blocked);
    assert!(ping.actual.as_ref().unwrap().contains("--bearer"), "{ping:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_never_shown() {
    let subject = guarded([&QUERY_TOKEN, &SESSION_SUFFICES]).await;
    let report = report(&subject, &["server/authorization", "server/tools"]).await;
    let found = report.cases.iter().filter(|case| case.outcome == Outcome::Failed).count();
    assert!(found > 0, "there is something to show");
    let text = serde_json::to_string(&report).unwrap();
    assert!(!text.contains(TOKEN), "{text}");
}

/// Authorization is optional: who does not say that it follows the pages is not held to them.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_its_own_is_the_servers_own_affair() {
    let subject = guarded([&NO_METADATA, &NO_METADATA_URL]).await;
    let report = report(&subject, &["server/authorization"]).await;
    let held: Vec<_> = report.cases.iter().filter(|case| case.outcome != Outcome::NotApplicable).collect();
    assert!(held.is_empty() && !report.cases.is_empty(), "{held:#?}");
}
