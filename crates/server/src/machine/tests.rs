use super::*;

#[test]
fn the_kernels_files_are_understood() {
    let meminfo = "MemTotal:       24542140 kB\nMemFree:         1045872 kB\n";
    assert_eq!(installed_memory(meminfo), Some(24_542_140 * 1024));
    assert_eq!(installed_memory("nonsense"), None);
    let release = "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12\"\n";
    assert_eq!(distribution(release), Some("Debian GNU/Linux 12"));
}

#[test]
fn this_machine_has_memory() {
    assert!(memory_bytes(&Env::real()).is_some_and(|bytes| bytes > 64 << 20));
}
