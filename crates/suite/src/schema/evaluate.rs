//! Where schemas are evaluated: at once if that is little work, else on a thread that is left behind when it takes too long.
//!
//! A validator cannot be interrupted. On a thread of the runtime it would hold up the tasks that share it, and the end of
//! the process; a thread of our own holds up nothing.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{LazyLock, Mutex};
use std::thread;
use std::time::Duration;

use crate::lock::lock;
use serde_json::Value;
use tokio::sync::{Semaphore, oneshot};

use super::size::Size;
use super::{Budget, Judged, TooComplex};

/// How long a thread is waited for.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Room for what nests as deep as is looked at.
const STACK_BYTES: usize = 64 * 1024 * 1024;
/// How many threads work at a time.
static SLOTS: Semaphore = Semaphore::const_new(2);
/// How many refusals are remembered.
const CACHE_ENTRIES: usize = 4096;

/// Schemas that were too complex once. A tool's schema is asked for by many checks, and none of them should pay again.
static REFUSED_SCHEMAS: LazyLock<Mutex<HashMap<u64, TooComplex>>> = LazyLock::new(Mutex::default);

/// Does `work` on `schema` within a budget.
pub(crate) async fn evaluate<T: Send + 'static>(
    schema: &Value,
    work: impl Fn(&Value, &Budget) -> Judged<T> + Send + 'static,
) -> Judged<T> {
    let size = Size::measure(schema)?;
    if size.is_small() {
        match work(schema, &Budget::small()) {
            Err(TooComplex::Steps) => {}
            done => return done,
        }
    }
    let name = hash_schema(schema);
    if let Some(why) = refused_schemas().get(&name) {
        return Err(*why);
    }
    let result = evaluate_on_thread(schema.clone(), work).await;
    if let Err(why) = &result
        && refused_schemas().len() < CACHE_ENTRIES
    {
        refused_schemas().insert(name, *why);
    }
    result
}

/// The same without a thread to wait for: only small work is done.
pub(crate) fn evaluate_now<T>(schema: &Value, work: impl FnOnce(&Value, &Budget) -> Judged<T>) -> Judged<T> {
    if Size::measure(schema)?.is_small() { work(schema, &Budget::small()) } else { Err(TooComplex::Large) }
}

async fn evaluate_on_thread<T: Send + 'static>(
    schema: Value,
    work: impl Fn(&Value, &Budget) -> Judged<T> + Send + 'static,
) -> Judged<T> {
    let _slot = SLOTS.acquire().await;
    let (done, result) = oneshot::channel();
    let begun = thread::Builder::new().name("schema".to_owned()).stack_size(STACK_BYTES).spawn(move || {
        // Nobody may be waiting any more.
        let _ = done.send(work(&schema, &Budget::large()));
    });
    let slow = TooComplex::Slow(TIMEOUT);
    if begun.is_err() {
        return Err(slow);
    }
    // A thread that ends without a word has panicked, and said so.
    tokio::time::timeout(TIMEOUT, result).await.map_or(Err(slow), |told| told.unwrap_or(Err(slow)))
}

fn refused_schemas() -> std::sync::MutexGuard<'static, HashMap<u64, TooComplex>> {
    lock(&REFUSED_SCHEMAS)
}

fn hash_schema(schema: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    schema.to_string().hash(&mut hasher);
    hasher.finish()
}
