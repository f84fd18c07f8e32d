//! The end that passes messages on to servers: connections that are shared and record nothing.

mod http_pool;
mod server_process;

pub use http_pool::{HttpPool, PooledBody, SendFailure};
pub use server_process::{ProcessEnd, ServerProcess};
