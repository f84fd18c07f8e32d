//! Permissions that a browser asks the user for.

use serde_json::json;

use crate::{BrowserError, Page};

/// The setting of a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Granted.
    Granted,
    /// Denied.
    Denied,
    /// The browser would ask the user.
    Prompt,
}

impl Page {
    /// Sets a permission, named as in `navigator.permissions`, for one origin or for all.
    pub async fn permit(
        &self,
        name: &str,
        setting: Setting,
        origin: Option<&str>,
    ) -> Result<(), BrowserError> {
        let setting = match setting {
            Setting::Granted => "granted",
            Setting::Denied => "denied",
            Setting::Prompt => "prompt",
        };
        let context = &self.context;
        let mut params =
            json!({ "permission": { "name": name }, "setting": setting, "browserContextId": context.id });
        if let Some(origin) = origin {
            params["origin"] = origin.into();
        }
        context.connection.call(None, "Browser.setPermission", params, context.limit).await.map(drop)
    }
}
