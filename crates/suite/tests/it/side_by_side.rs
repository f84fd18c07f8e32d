//! Work on several cores at once.

use futures_util::{StreamExt as _, stream};

/// Does `work` for each of `items`, `jobs` at a time, each in a task of its own. What is done first comes first.
pub(crate) async fn side_by_side<T, W, F>(
    items: impl IntoIterator<Item = T>,
    jobs: usize,
    work: W,
) -> Vec<F::Output>
where
    W: Fn(T) -> F,
    F: Future<Output: Send + 'static> + Send + 'static,
{
    stream::iter(items)
        .map(|item| tokio::spawn(work(item)))
        .buffer_unordered(jobs)
        .map(|done| done.unwrap())
        .collect()
        .await
}
