//! Tests of both ends, against scripted peers and against each other.

mod client_http;
mod client_http_odd;
mod client_pipe;
mod client_probe;
mod client_raw;
mod client_sse;
mod client_stdio;
mod client_stream;
mod client_support;
mod serve;
mod serve_limits;
mod tap;
