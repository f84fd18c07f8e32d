//! The reference pictures of a run, and the result of comparing apps with them. No I/O: the caller reads the folder.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::compare::{PictureDifference, Tolerance, compare};
use crate::Viewing;

/// How the apps looked before.
#[derive(Clone, Debug, Default)]
pub struct ReferencePictures {
    /// PNG files by their place, as in [`picture_place`].
    pub files: BTreeMap<String, Vec<u8>>,
    /// How much may differ.
    pub tolerance: Tolerance,
    /// Whether pictures that differ or are missing become the new references, so that they are not a finding.
    pub is_update: bool,
}

/// How an app looks beside its reference.
#[derive(Clone, Debug, PartialEq)]
pub enum Comparison {
    /// As before.
    Same,
    /// There is no reference.
    Missing,
    /// The picture is the new reference.
    Updated,
    /// One of the pictures could not be read.
    Unreadable(String),
    /// It looks different.
    Different {
        /// The reference, as PNG.
        expected: Vec<u8>,
        /// What differs.
        difference: PictureDifference,
    },
}

impl ReferencePictures {
    /// Compares the picture of `viewing` with its reference; none where the app has no picture.
    pub(crate) fn compare(&self, viewing: &Viewing) -> Option<Comparison> {
        let actual = viewing.screenshot.as_deref()?;
        let Some(expected) = self.files.get(&picture_place(&viewing.tool, viewing.row.name)) else {
            return Some(if self.is_update { Comparison::Updated } else { Comparison::Missing });
        };
        Some(match compare(expected, actual, self.tolerance) {
            Ok(None) => Comparison::Same,
            Ok(Some(_)) | Err(_) if self.is_update => Comparison::Updated,
            Ok(Some(difference)) => Comparison::Different { expected: expected.clone(), difference },
            Err(why) => Comparison::Unreadable(why),
        })
    }
}

/// The place of a picture within a folder: `TOOL/ROW.png`. No two tools share one, whatever they are called.
pub fn picture_place(tool: &str, row: &str) -> String {
    let mut folder = String::new();
    for (at, byte) in tool.bytes().enumerate() {
        match byte {
            b'.' if at == 0 => folder.push_str("%2E"),
            b'-' | b'_' | b'.' => folder.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => folder.push(char::from(byte)),
            _ => drop(write!(folder, "%{byte:02X}")),
        }
    }
    format!("{folder}/{row}.png")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_names_a_folder_of_its_own() {
        assert_eq!(picture_place("draw_chart", "dark"), "draw_chart/dark.png");
        assert_eq!(picture_place("../a b", "dark"), "%2E.%2Fa%20b/dark.png");
        assert_ne!(picture_place("a/b", "dark"), picture_place("a_b", "dark"));
    }

    #[test]
    fn a_picture_that_is_missing_or_broken_is_told_and_can_be_written() {
        let viewing = |screenshot: Option<&[u8]>| Viewing {
            screenshot: screenshot.map(<[u8]>::to_vec),
            ..Viewing::failed("a", &crate::ROWS[0], "")
        };
        let with = |file: Option<&[u8]>, is_update| ReferencePictures {
            files: file.map(|file| (picture_place("a", "strict"), file.to_vec())).into_iter().collect(),
            is_update,
            ..ReferencePictures::default()
        };
        let (shown, blank) = (viewing(Some(b"new")), viewing(None));
        assert_eq!(with(None, false).compare(&shown), Some(Comparison::Missing));
        assert_eq!(with(None, true).compare(&shown), Some(Comparison::Updated));
        assert_eq!(with(Some(b"new"), true).compare(&shown), Some(Comparison::Same));
        assert!(matches!(with(Some(b"old"), false).compare(&shown), Some(Comparison::Unreadable(_))));
        assert_eq!(with(Some(b"old"), true).compare(&shown), Some(Comparison::Updated));
        assert_eq!(with(Some(b"old"), true).compare(&blank), None);
    }
}
