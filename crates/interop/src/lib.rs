//! Interoperability: the tests that let Yardstick talk to the implementations of others, which are in `peers/`.
//!
//! The binaries of this crate are load generators and measuring tools. Nothing here is shipped.

pub mod served;
