//! Interoperability: peers built on the SDKs of others, and the tests that let Yardstick talk to them.
//!
//! The binaries of this crate are peers and a load generator; the test binary runs them. Nothing here is shipped.
