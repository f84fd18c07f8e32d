//! Interoperability: peers built on the SDKs of others, and the tests that let Yardstick talk to them.
//!
//! The binaries of this crate are peers, load generators and measuring tools; the test binary runs the peers. Nothing here is shipped.

pub mod served;
