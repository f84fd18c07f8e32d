//! Tests of both ends, against scripted peers and against each other.

mod client_pipe;
mod client_stdio;
mod client_support;
