//! Ends the processes that a target has started and left behind.
//!
//! A process group ends with its target, but a process that calls `setsid` leaves the group. On Linux this process
//! becomes the parent of such orphans and finds them. Elsewhere only groups can be ended.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use tokio::process::{Child, Command};

/// How often to look for processes that were forked while others were killed.
const MAX_KILL_ROUNDS: usize = 50;

/// The processes under test that are alive.
static LIVE_PROCESSES: LazyLock<Mutex<HashSet<u32>>> = LazyLock::new(Mutex::default);
/// Whether this process adopts orphans.
static ADOPTS_ORPHANS: AtomicBool = AtomicBool::new(false);

/// Whether everything was ended.
static HAS_ENDED_ALL: AtomicBool = AtomicBool::new(false);

/// Makes this process the parent of the processes that a target leaves behind, so that [`end_descendants`] finds them.
/// It is for a program that starts nothing but targets, and does nothing if there are other children already.
pub fn adopt_orphans() {
    if system::children().is_empty() && system::adopt() {
        ADOPTS_ORPHANS.store(true, Ordering::Relaxed);
    }
}

/// Ends all processes under test, and everything that they have started. No process can be started afterwards, because
/// a caller that sees one end would try again.
pub fn end_descendants() {
    HAS_ENDED_ALL.store(true, Ordering::Relaxed);
    for pid in live().iter() {
        system::kill_group(*pid);
    }
    if ADOPTS_ORPHANS.load(Ordering::Relaxed) {
        kill_children(|_| true);
    }
}

/// Starts a process under test. Nothing is ended meanwhile, because a process that is not on the list yet would be
/// taken for an orphan.
pub(super) fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut live = live();
    if HAS_ENDED_ALL.load(Ordering::Relaxed) {
        return Err(io::Error::other("the run is being ended"));
    }
    let child = command.spawn()?;
    live.extend(child.id());
    Ok(child)
}

/// Notes that a process under test has ended. After the last one, all remaining children are orphans and are killed.
pub(super) fn note_end(pid: Option<u32>) {
    if let Some(pid) = pid {
        live().remove(&pid);
    }
    if ADOPTS_ORPHANS.load(Ordering::Relaxed) {
        kill_children(HashSet::is_empty);
    }
}

/// Kills the children of this process and their descendants, as long as `may` allows it, given the live processes.
fn kill_children(may: impl Fn(&HashSet<u32>) -> bool) {
    for _ in 0..MAX_KILL_ROUNDS {
        // Locked while they are killed, so that none is started.
        let live = live();
        let left = if may(&live) { system::children() } else { Vec::new() };
        if left.is_empty() {
            return;
        }
        for child in left {
            system::kill_tree(child);
        }
        drop(live);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

fn live() -> MutexGuard<'static, HashSet<u32>> {
    LIVE_PROCESSES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod system {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};

    fn pid_of(pid: u32) -> Option<Pid> {
        i32::try_from(pid).ok().and_then(Pid::from_raw)
    }

    pub(super) fn kill_group(pid: u32) {
        if let Some(pid) = pid_of(pid) {
            // It fails when no process is left, which is what we want.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// Kills a child and its descendants, and reaps it.
    pub(super) fn kill_tree(child: u32) {
        for pid in descendants_of(child).into_iter().chain([child]).filter_map(pid_of) {
            let _ = kill_process(pid, Signal::KILL);
        }
        let _ = waitpid(pid_of(child), WaitOptions::NOHANG);
    }

    #[cfg(target_os = "linux")]
    pub(super) fn adopt() -> bool {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).is_ok()
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn adopt() -> bool {
        false
    }

    /// The children of this process.
    pub(super) fn children() -> Vec<u32> {
        let own = std::process::id();
        processes().into_iter().filter(|(_, parent)| *parent == own).map(|(pid, _)| pid).collect()
    }

    /// The descendants of `ancestor`.
    fn descendants_of(ancestor: u32) -> Vec<u32> {
        let all = processes();
        let mut found = vec![ancestor];
        let mut at = 0;
        while let Some(parent) = found.get(at).copied() {
            found.extend(all.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
            at += 1;
        }
        found.split_off(1)
    }

    /// Every process with its parent, as far as `/proc` shows them.
    fn processes() -> Vec<(u32, u32)> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| read_parent(entry.file_name().to_str()?.parse().ok()?)).collect()
    }

    fn read_parent(pid: u32) -> Option<(u32, u32)> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name is in parentheses and may hold anything; state and parent follow it.
        let (_, rest) = stat.rsplit_once(')')?;
        Some((pid, rest.split_ascii_whitespace().nth(1)?.parse().ok()?))
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) fn kill_group(_: u32) {}
    pub(super) fn kill_tree(_: u32) {}
    pub(super) fn adopt() -> bool {
        false
    }
    pub(super) fn children() -> Vec<u32> {
        Vec::new()
    }
}
