//! An answer that takes long becomes a stream, which the transport keeps alive with comments: no intermediary closes a connection
//! on which something comes.

use std::pin::Pin;
use std::time::Duration;

use tokio::sync::mpsc;
use transport::serve::Answer;

/// How long an answer may take before it becomes a stream.
const BECOMES_STREAM_AFTER: Duration = Duration::from_secs(10);

/// How many messages of the answer may wait for the client.
const MAX_QUEUED: usize = 16;

/// The answer that comes of `sending`, or a stream on which it will come. Dropping the stream drops `sending`.
pub(crate) async fn stream_if_slow(mut sending: Pin<Box<dyn Future<Output = Answer> + Send>>) -> Answer {
    if let Ok(answer) = tokio::time::timeout(BECOMES_STREAM_AFTER, &mut sending).await {
        return answer;
    }
    let (sender, receiver) = mpsc::channel(MAX_QUEUED);
    tokio::spawn(async move { Answer::Later(sending).send_into(&sender).await });
    Answer::Stream(receiver)
}

#[cfg(test)]
mod tests {
    use transport::serve::Out;

    use super::*;

    fn message() -> Answer {
        Answer::Message { status: 200, body: "{}".into() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_quick_answer_stays_what_it_is() {
        let answer = stream_if_slow(Box::pin(async { message() })).await;
        assert!(matches!(answer, Answer::Message { status: 200, .. }), "{answer:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_answer_comes_on_a_stream() {
        let slow = async {
            tokio::time::sleep(BECOMES_STREAM_AFTER * 9).await;
            message()
        };
        let Answer::Stream(mut outs) = stream_if_slow(Box::pin(slow)).await else {
            panic!("it is not a stream")
        };
        assert!(matches!(outs.recv().await, Some(Out::Message(body)) if body == "{}"));
        assert!(outs.recv().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_goes_away_ends_the_wait() {
        let (alive, mut ended) = mpsc::channel::<()>(1);
        let never = async move {
            let _alive = alive;
            std::future::pending().await
        };
        drop(stream_if_slow(Box::pin(never)).await);
        assert!(ended.recv().await.is_none());
    }
}
