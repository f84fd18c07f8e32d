//! Icons, drawn for this server.

/// The server itself: a ruler.
pub(crate) const RULER: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect x="2" y="8" width="20" height="8" rx="1" fill="#fc3" stroke="#333"/><path d="M6 8v4M10 8v3M14 8v4M18 8v3" stroke="#333"/></svg>"##;

/// Something that comes back.
pub(crate) const ECHO: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 12h12M12 7l5 5-5 5" fill="none" stroke="#36c" stroke-width="2"/></svg>"##;

/// A picture.
pub(crate) const PICTURE: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect x="3" y="5" width="18" height="14" fill="#9cf" stroke="#333"/><path d="M3 19l6-8 5 6 3-3 4 5z" fill="#393"/></svg>"##;

/// Something that takes time.
pub(crate) const CLOCK: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="9" fill="#fff" stroke="#333"/><path d="M12 6v6l4 3" fill="none" stroke="#c33" stroke-width="2"/></svg>"##;

/// Something written.
pub(crate) const PAGE: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M6 3h9l4 4v14H6z" fill="#fff" stroke="#333"/><path d="M9 11h7M9 15h7" stroke="#36c"/></svg>"##;
