"""The one file of -Dstatic=true, alone with /proc and a static program in a root folder of its own."""

import os
import re
import shutil

from harness import SPROF, check_error, main, read_folded, read_profile, require, run, sprof, target, tool

def facts():
    return dict(line.split(": ", 1) for line in sprof("--version").check(0).text().splitlines()[1:])


def in_empty_root(*words, **options):
    """Runs a command in a root folder that has /proc, sprof and one program; its namespaces end with it."""
    require(os.geteuid() == 0, "chroot(2) and mounting take root")
    unshare, chroot = tool("unshare"), tool("chroot")
    require(run(unshare, "--mount", "true").code == 0, "may not make a mount namespace")
    os.makedirs("root/proc", exist_ok=True)
    shutil.copy(SPROF, "root/sprof")
    shutil.copy(target("spin-two-static"), "root/program")
    script = 'mount -t proc proc root/proc && exec "$@"'
    return run(unshare, "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh", chroot, "root",
               *words, **options)


def take(name):
    """A file that sprof wrote in the empty root, for readers that look here."""
    shutil.move(os.path.join("root", name), name)


def test_needs_no_other_file():
    headers = run(tool("readelf"), "-lW", SPROF).check(0).text()
    assert "INTERP" not in headers and "DYNAMIC" not in headers, headers


def test_version_says_what_is_missing():
    version = facts()
    assert version["built for"].endswith(", static"), version
    missing = version["built without"].split(", ")
    assert "debuginfod" in missing
    there = [library.split()[0] for library in version["built with"].split(", ")]
    assert {"libunwind", "libdw"} <= set(there) and not set(there) & set(missing), version


def test_a_static_program_in_an_empty_root():
    result = in_empty_root("/sprof", "run", "-r", "999", "-o", "x.folded", "--stats", "x.json", "--",
                           "/program", 60).check(0)
    assert result.err == "", result.err
    take("x.folded")
    take("x.json")
    folded, stats = read_profile()
    assert folded.has("main", "spin_round", "spin_three") and folded.has("main", "spin_round", "spin_one")
    assert stats["stacks_truncated"] <= 1 < stats["samples"], stats


def test_report_and_saved_profile_in_an_empty_root():
    in_empty_root("/sprof", "run", "-o", "/x.pb.gz", "--", "/program", 60).check(0)
    report = in_empty_root("/sprof", "report", "/x.pb.gz").check(0).text()
    assert re.search(r"spin_three\s+spin-two\.c:\d+", report), report


def test_debuginfod_is_refused():
    """It would be loaded while sprof runs: not silently, and the profile is written."""
    result = in_empty_root("/sprof", "run", "-o", "x.folded", "--debuginfod", "--", "/program", 60,
                           env={**os.environ, "DEBUGINFOD_URLS": "http://192.0.2.1:9"}).check(0)
    assert "a static sprof has no debuginfod" in result.err and "hint: " in result.err, result.err
    take("x.folded")
    read_folded("x.folded").check("spin_three")


def test_a_terminal_without_files_of_a_locale():
    in_empty_root("/sprof", "run", "-o", "/x.pb.gz", "--", "/program", 60).check(0)
    for name, bar in (("de_DE.UTF-8", "█"), ("de_DE.ISO-8859-15", "#")):
        master, slave = os.openpty()
        in_empty_root("/sprof", "report", "/x.pb.gz", "-f", "summary", stdout=slave,
                      env={**os.environ, "LC_ALL": name, "TERM": "xterm"}).check(0)
        os.close(slave)
        text = os.read(master, 1 << 16).decode()
        os.close(master)
        assert bar in text and ("█" in text) == (bar == "█"), text


def test_top_needs_a_terminal():
    check_error(in_empty_root("/sprof", "top", "--", "/program", 1), 64, "terminal")


if __name__ == "__main__":
    main()
