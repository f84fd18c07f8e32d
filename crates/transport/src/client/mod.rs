//! The end that measures.
