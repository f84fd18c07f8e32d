//! The end that answers.
