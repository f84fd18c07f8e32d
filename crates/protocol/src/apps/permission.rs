//! Browser features that a View asks for.

use super::read::MetadataReader;

/// A feature of the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permission {
    /// The camera.
    Camera,
    /// The microphone.
    Microphone,
    /// The user's position.
    Geolocation,
    /// Writing to the clipboard.
    ClipboardWrite,
}

/// The features that a View asks for, or that a host grants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions(Vec<Permission>);

impl Permission {
    /// Every feature of the specification.
    pub const ALL: [Self; 4] = [Self::Camera, Self::Microphone, Self::Geolocation, Self::ClipboardWrite];

    /// The key in the metadata.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Camera => "camera",
            Self::Microphone => "microphone",
            Self::Geolocation => "geolocation",
            Self::ClipboardWrite => "clipboardWrite",
        }
    }

    /// The name in Permissions Policy.
    pub const fn feature(self) -> &'static str {
        match self {
            Self::Camera => "camera",
            Self::Microphone => "microphone",
            Self::Geolocation => "geolocation",
            Self::ClipboardWrite => "clipboard-write",
        }
    }
}

impl Permissions {
    /// Exactly these features.
    pub fn new(granted: impl IntoIterator<Item = Permission>) -> Self {
        let granted: Vec<Permission> = granted.into_iter().collect();
        Self(Permission::ALL.into_iter().filter(|permission| granted.contains(permission)).collect())
    }

    /// Whether the feature is among them.
    pub fn has(&self, permission: Permission) -> bool {
        self.0.contains(&permission)
    }

    /// The features, in the order of the specification.
    pub fn iter(&self) -> impl Iterator<Item = Permission> {
        self.0.iter().copied()
    }

    /// The value of a frame's `allow` attribute.
    ///
    /// The example of the specification joins the features with spaces, which browsers read as one unknown feature;
    /// Permissions Policy separates them with semicolons. The example also omits the clipboard, which the text lists.
    pub fn allow(&self) -> String {
        self.0.iter().map(|permission| permission.feature()).collect::<Vec<_>>().join("; ")
    }

    /// The object for the metadata and for `hostCapabilities.sandbox.permissions`.
    pub fn to_value(&self) -> serde_json::Value {
        self.iter().map(|permission| (permission.key().to_owned(), serde_json::json!({}))).collect()
    }

    pub(super) fn from_reader(reader: &mut MetadataReader<'_, '_>) -> Self {
        let mut granted = Vec::new();
        for key in reader.keys() {
            match Permission::ALL.into_iter().find(|permission| permission.key() == key) {
                Some(permission) => {
                    if reader.inside(key).is_some() {
                        granted.push(permission);
                    }
                }
                None => reader.broken(key, format!("`{key}` is not a permission that MCP Apps knows")),
            }
        }
        Self::new(granted)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::apps::MetadataProblem;

    fn read(value: &Value) -> (Permissions, Vec<String>) {
        let mut findings = Vec::new();
        let read = Permissions::from_reader(&mut MetadataReader::open(value, "p", &mut findings).unwrap());
        (read, findings.iter().map(MetadataProblem::to_string).collect())
    }

    #[test]
    fn features_are_joined_with_semicolons() {
        let (all, findings) =
            read(&json!({"clipboardWrite": {}, "geolocation": {}, "microphone": {}, "camera": {}}));
        assert_eq!(all.allow(), "camera; microphone; geolocation; clipboard-write");
        assert!(findings.is_empty());
        assert_eq!(Permissions::default().allow(), "");
    }

    #[test]
    fn only_objects_ask() {
        let (some, findings) = read(&json!({"camera": true, "microphone": {}, "usb": {}}));
        assert_eq!(some.allow(), "microphone");
        assert_eq!(
            findings,
            [
                "p.camera: is a boolean, expected an object",
                "p.usb: `usb` is not a permission that MCP Apps knows",
            ]
        );
    }

    #[test]
    fn permissions_are_written_as_they_are_read() {
        let some = Permissions::new([Permission::ClipboardWrite, Permission::Camera, Permission::Camera]);
        assert_eq!(some.to_value(), json!({"camera": {}, "clipboardWrite": {}}));
        assert_eq!(read(&some.to_value()).0, some);
        assert!(some.has(Permission::Camera) && !some.has(Permission::Microphone));
    }
}
