//! How a View is shown.

use std::fmt;

/// How a View is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisplayMode {
    /// Within the conversation.
    Inline,
    /// Over everything.
    Fullscreen,
    /// In a floating window.
    Pip,
}

impl DisplayMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Inline, Self::Fullscreen, Self::Pip];

    pub(super) const NAMES: &[(&str, Self)] =
        &[("inline", Self::Inline), ("fullscreen", Self::Fullscreen), ("pip", Self::Pip)];

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Fullscreen => "fullscreen",
            Self::Pip => "pip",
        }
    }

    /// The mode of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }

    /// The mode that a host switches to when a View asks for `self`.
    ///
    /// A mode that the host does not offer, or that the View did not declare, leaves things as they are. A View that
    /// declared no modes at all may get any, which the specification leaves to the host.
    pub fn grant(self, current: Self, host: &[Self], view: Option<&[Self]>) -> Self {
        let declared = view.is_none_or(|modes| modes.contains(&self));
        if declared && host.contains(&self) { self } else { current }
    }
}

impl fmt::Display for DisplayMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::DisplayMode::{Fullscreen, Inline, Pip};
    use super::*;

    #[test]
    fn names_and_modes_map_one_to_one() {
        for mode in DisplayMode::ALL {
            assert_eq!(DisplayMode::named(mode.as_str()), Some(mode));
            assert!(DisplayMode::NAMES.contains(&(mode.as_str(), mode)));
        }
        assert_eq!(DisplayMode::named("Inline"), None);
    }

    #[test]
    fn a_mode_needs_both_sides() {
        let host = [Inline, Fullscreen];
        assert_eq!(Fullscreen.grant(Inline, &host, Some(&[Inline, Fullscreen])), Fullscreen);
        assert_eq!(Fullscreen.grant(Inline, &host, Some(&[Inline])), Inline, "not declared by the View");
        assert_eq!(Pip.grant(Inline, &host, Some(&[Pip])), Inline, "not offered by the host");
        assert_eq!(Fullscreen.grant(Inline, &host, None), Fullscreen);
    }
}
