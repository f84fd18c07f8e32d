//! What the calls of a view have come to, until the page has fetched it.

use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

/// Answers that wait, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    kept: watch::Sender<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    last: u64,
    waiting: Vec<Waiting>,
}

/// One of them, with its number and the id of the call.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Waiting {
    pub(crate) n: u64,
    pub(crate) call_id: String,
    pub(crate) answer: Value,
}

impl Answers {
    pub(crate) fn add(&self, call_id: String, answer: Value) {
        self.kept.send_modify(|kept| {
            kept.last += 1;
            kept.waiting.push(Waiting { n: kept.last, call_id, answer });
        });
    }

    /// Those after number `after`, once there are any. Those up to it have arrived and are forgotten.
    pub(crate) async fn after(&self, after: u64) -> Vec<Waiting> {
        let mut news = self.kept.subscribe();
        self.kept.send_if_modified(|kept| {
            kept.waiting.retain(|one| one.n > after);
            false
        });
        // The sender is here, so there is always an end to wait for.
        let there = news.wait_for(|kept| !kept.waiting.is_empty()).await;
        there.map(|kept| kept.waiting.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn an_answer_is_kept_until_it_has_arrived() {
        let answers = Answers::default();
        let names = |list: Vec<Waiting>| list.into_iter().map(|one| one.call_id).collect::<Vec<_>>();
        let add = async { answers.add("a".to_owned(), json!(1)) };
        let (first, ()) = tokio::join!(answers.after(0), add);
        assert_eq!(names(first), ["a"]);
        assert_eq!(names(answers.after(0).await), ["a"], "the first time it may have been lost");
        answers.add("b".to_owned(), json!(2));
        assert_eq!(names(answers.after(1).await), ["b"]);
    }
}
