//! Lists the files of the page, so that none is forgotten when one is added.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let web = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("web");
    println!("cargo::rerun-if-changed=web");
    let mut files = Vec::new();
    gather(&web, "", &mut files)?;
    files.sort();
    let mut list = String::from("/// Name and content of each.\nconst ASSETS: &[(&str, &[u8])] = &[\n");
    for name in files {
        let path = web.join(&name);
        let _ = writeln!(list, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    list.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("assets.rs"), list)
}

fn gather(folder: &Path, prefix: &str, files: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            if name != "tests" {
                gather(&entry.path(), &format!("{name}/"), files)?;
            }
        } else if [".js", ".css", ".svg"].iter().any(|end| name.ends_with(end)) {
            files.push(name);
        }
    }
    Ok(())
}
