//! How HTTP servers are reached: headers, certificates, proxies.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use transport::client::{Endpoint, Proxies, read_certificates};

use crate::exit::Usage;
use crate::expand::expand_variables;

/// The options of a connection.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct ConnectionArguments {
    /// Also trust the certificates in this PEM file
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub(crate) cacert: Option<PathBuf>,
    /// Accept any certificate; the report says so
    #[arg(long)]
    pub(crate) insecure: bool,
}

impl ConnectionArguments {
    /// Gives `endpoint` the certificates that are trusted and the proxies of the environment.
    pub(crate) fn apply_to(&self, endpoint: &mut Endpoint) -> Result<(), Usage> {
        endpoint.insecure = self.insecure;
        endpoint.roots = self.read_roots()?;
        let proxies = Proxies::from_variables(|name| std::env::var(name).ok());
        endpoint.proxies = proxies.map_err(|why| Usage(why.to_string()))?.into();
        Ok(())
    }

    fn read_roots(&self) -> Result<Option<Arc<[u8]>>, Usage> {
        let Some(file) = &self.cacert else { return Ok(None) };
        let unreadable = |why: &dyn std::fmt::Display| Usage(format!("--cacert {}: {why}", file.display()));
        let pem = std::fs::read(file).map_err(|why| unreadable(&why))?;
        read_certificates(&pem).map_err(|why| unreadable(&why))?;
        Ok(Some(pem.into()))
    }
}

/// Sends `headers`, each written `Name: value`, with every request to `endpoint`.
pub(crate) fn add_headers(endpoint: &mut Endpoint, headers: &[String]) -> Result<(), Usage> {
    for text in headers {
        let (name, value) = text
            .split_once(':')
            .ok_or_else(|| Usage(format!("`{text}` is not a header; write `Name: value`")))?;
        let name = name.trim();
        let value = expand_variables(value.trim(), &format!("--header {name}"))?;
        endpoint.headers.push((name.to_owned(), value.text));
        endpoint.hidden.extend(value.values);
    }
    Ok(())
}
