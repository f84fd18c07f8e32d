//! Answers to a View's calls and the progress of those calls, in their order, kept until the page has collected them.

use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

/// How much progress of all calls waits; of more, the oldest is dropped.
const MAX_PROGRESS: usize = 256;

/// Waiting answers, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    kept: watch::Sender<KeptAnswers>,
}

#[derive(Debug, Default)]
struct KeptAnswers {
    last: u64,
    waiting: Vec<WaitingAnswer>,
}

impl KeptAnswers {
    fn push(&mut self, call_id: String, news: News) {
        self.last += 1;
        self.waiting.push(WaitingAnswer { n: self.last, call_id, news });
    }
}

/// One answer with its number and the id of its call.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WaitingAnswer {
    pub(crate) n: u64,
    pub(crate) call_id: String,
    #[serde(flatten)]
    pub(crate) news: News,
}

/// What there is to know about a call.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum News {
    /// The parameters of a progress notification.
    Progress(Value),
    /// The result or the error, which comes last.
    Answer(Value),
}

impl Answers {
    pub(crate) fn add(&self, call_id: String, answer: Value) {
        self.kept.send_modify(|kept| kept.push(call_id, News::Answer(answer)));
    }

    pub(crate) fn add_progress(&self, call_id: String, params: Value) {
        self.kept.send_modify(|kept| {
            let is_progress = |one: &WaitingAnswer| matches!(one.news, News::Progress(_));
            if kept.waiting.iter().filter(|one| is_progress(one)).count() >= MAX_PROGRESS
                && let Some(oldest) = kept.waiting.iter().position(is_progress)
            {
                kept.waiting.remove(oldest);
            }
            kept.push(call_id, News::Progress(params));
        });
    }

    /// Removes the progress of a call and returns it.
    pub(crate) fn take_progress(&self, call_id: &str) -> Vec<Value> {
        let mut taken = Vec::new();
        self.kept.send_if_modified(|kept| {
            kept.waiting.retain(|one| match &one.news {
                News::Progress(params) if one.call_id == call_id => {
                    taken.push(params.clone());
                    false
                }
                News::Progress(_) | News::Answer(_) => true,
            });
            false
        });
        taken
    }

    /// Waits for answers after number `after`. The page has those up to `after`, so they are dropped.
    pub(crate) async fn after(&self, after: u64) -> Vec<WaitingAnswer> {
        let mut news = self.kept.subscribe();
        self.kept.send_if_modified(|kept| {
            kept.waiting.retain(|one| one.n > after);
            false
        });
        // `self` holds the sender, so the wait cannot fail.
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
        let names = |list: Vec<WaitingAnswer>| list.into_iter().map(|one| one.call_id).collect::<Vec<_>>();
        let add = async { answers.add("a".to_owned(), json!(1)) };
        let (first, ()) = tokio::join!(answers.after(0), add);
        assert_eq!(names(first), ["a"]);
        assert_eq!(names(answers.after(0).await), ["a"], "the first time it may have been lost");
        answers.add("b".to_owned(), json!(2));
        assert_eq!(names(answers.after(1).await), ["b"]);
    }

    #[tokio::test]
    async fn progress_comes_before_its_answer_and_is_bounded() {
        let answers = Answers::default();
        for n in 0..300 {
            answers.add_progress("a".to_owned(), json!(n));
        }
        answers.add("a".to_owned(), json!("done"));
        let all = answers.after(0).await;
        assert_eq!(all.len(), MAX_PROGRESS + 1);
        assert!(matches!(all.last().map(|one| &one.news), Some(News::Answer(_))));
        assert_eq!(answers.take_progress("a").len(), MAX_PROGRESS);
        assert_eq!(answers.after(0).await.len(), 1);
    }
}
