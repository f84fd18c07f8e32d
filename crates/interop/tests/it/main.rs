//! Interoperability tests, and the checks that keep the house in order.

#[cfg(test)]
mod accessible;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod house;
#[cfg(test)]
mod official;
#[cfg(test)]
mod ours;
#[cfg(test)]
mod peers;
#[cfg(test)]
mod serve;
#[cfg(test)]
mod strangers;
