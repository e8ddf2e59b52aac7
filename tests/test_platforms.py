"""No call that only POSIX systems know, no path of theirs, and no text file in the system's own encoding.

What is found must stand in ALLOWED with the reason why Windows and macOS do not meet it, or what they have instead.
"""

import ast
import functools
import re
from pathlib import Path

import pytest

import mosaic_sr

PACKAGE = Path(mosaic_sr.__file__).parent

POSIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
POSIX_NAMES = {
    "os": {
        "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "chroot", "confstr", "fchmod", "fchown", "fork",
        "forkpty", "getegid", "geteuid", "getgid", "getgroups", "getloadavg", "getpgid", "getpgrp", "getsid",
        "getuid", "initgroups", "killpg", "lchown", "mkfifo", "mknod", "nice", "openpty", "pathconf", "pipe2",
        "posix_spawn", "pread", "pwrite", "readv", "register_at_fork", "sched_getaffinity",
        "sched_setaffinity", "sendfile", "set_blocking", "setpgid", "setsid", "setuid", "statvfs", "sync",
        "sysconf", "ttyname", "uname", "wait", "wait3", "wait4", "waitid", "writev",
    },
    "signal": {
        "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP",
        "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGXFSZ", "alarm", "pause", "pthread_kill", "pthread_sigmask",
        "setitimer", "sigwait", "sigtimedwait",
    },
    "select": {"epoll", "kqueue", "poll", "select"},  # `select.select` takes nothing but sockets on Windows
    "time": {"tzset", "pthread_getcpuclockid", "clock_gettime"},
}  # fmt: skip
POSIX_ARGUMENTS = {"preexec_fn", "start_new_session", "process_group", "pass_fds"}
POSIX_PATH = re.compile(r"/(bin|dev|etc|home|opt|proc|root|run|sys|tmp|usr|var)(/|$)")
JOINED_PATH = re.compile(r"(open|Path|PurePath|read_csv|join)")

ALLOWED = {
    (
        "expressions/symbolic_worker.py",
        "import resource",
    ): "Windows has none; the parent's clock ends the child",
    ("expressions/symbolic_worker.py", "signal.alarm"): "Windows: the parent's clock ends the child",
    ("file_locks.py", "import fcntl"): "Windows: msvcrt",
    ("inputs.py", "os.O_NONBLOCK"): "Windows: named pipes are refused before",
    ("inputs.py", "os.set_blocking"): "Windows: named pipes are refused before",
    ("inputs.py", "select.select"): "Windows: named pipes are refused before",
    ("inputs.py", "/dev/stdin"): "what users of Linux and macOS write; elsewhere no file has this name",
    ("inputs.py", "/dev/fd/0"): "what users of Linux and macOS write; elsewhere no file has this name",
    ("inputs.py", "/proc/self/fd/0"): "what users of Linux write; elsewhere no file has this name",
    ("kernel/code_cache.py", "os.getuid"): "Windows: the name of the user",
    ("kernel/code_key.py", "/proc/cpuinfo"): "Windows: PROCESSOR_IDENTIFIER; macOS: platform.machine",
}


def findings(source):
    """Each word of a source that other systems do not know."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (f"import {one.name}" for one in names if one.name.split(".")[0] in POSIX_MODULES)
            case ast.ImportFrom(module=str(module), names=names):
                if module.split(".")[0] in POSIX_MODULES:
                    yield f"import {module}"
                yield from (f"{module}.{one.name}" for one in names if one.name in POSIX_NAMES.get(module, ()))
            case ast.Attribute(value=ast.Name(id=module), attr=name) if name in POSIX_NAMES.get(module, ()):
                yield f"{module}.{name}"
            case ast.Constant(value=str(text)) if POSIX_PATH.match(text):
                yield text
            case ast.Call():
                yield from findings_in_call(node)


def findings_in_call(call):
    function = ast.unparse(call.func)
    arguments = {argument.arg for argument in call.keywords}
    yield from sorted(arguments & POSIX_ARGUMENTS)
    if is_text(function.rpartition(".")[2], call) and "encoding" not in arguments and None not in arguments:
        yield f"{function} without encoding"
    if JOINED_PATH.fullmatch(function.rpartition(".")[2]):
        for argument in call.args:
            if isinstance(argument, ast.JoinedStr) and any("/" in ast.unparse(part) for part in argument.values):
                yield f"{function} of a name with /"


def is_text(name, call):
    """Whether a call reads or writes text in some encoding."""
    strings = [one.value for one in [*call.args, *(word.value for word in call.keywords if word.arg == "mode")]
               if isinstance(one, ast.Constant) and isinstance(one.value, str)]  # fmt: skip
    if name in ("read_text", "write_text"):
        return True
    if name == "open" and not ast.unparse(call.func).startswith(("os.", "webbrowser.")):
        modes = [text for text in strings if re.fullmatch(r"[rwxa]\+?[bt]?\+?", text)]
        return bool(call.args) and not any("b" in mode for mode in modes)
    if name in ("Popen", "run", "check_output"):
        words = {word.arg: word.value for word in call.keywords}
        return any(
            isinstance(words.get(key), ast.Constant) and words[key].value for key in ("text", "universal_newlines")
        )
    return False


@functools.cache
def found_in_package():
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 300
    return {
        (file.relative_to(PACKAGE).as_posix(), word)
        for file in files
        for word in findings(file.read_text(encoding="utf-8"))
    }


def test_the_package_has_no_call_of_one_system_without_its_counterpart():
    assert sorted(found_in_package() - ALLOWED.keys()) == []


def test_every_exception_is_still_needed():
    assert sorted(ALLOWED.keys() - found_in_package()) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import os\nos.fork()", "os.fork"),
        ("from signal import SIGKILL", "signal.SIGKILL"),
        ("import resource", "import resource"),
        ("from fcntl import flock", "import fcntl"),
        ("subprocess.Popen(words, preexec_fn=quiet)", "preexec_fn"),
        ("Path('/tmp/x').exists()", "/tmp/x"),
        ("open(f'{folder}/x', 'rb')", "open of a name with /"),
        ("path.read_text()", "path.read_text without encoding"),
        ("open(path)", "open without encoding"),
        ("path.open('w')", "path.open without encoding"),
        ("subprocess.run(words, text=True)", "subprocess.run without encoding"),
    ],
)
def test_such_words_are_found(source, found):
    assert list(findings(source)) == [found]


@pytest.mark.parametrize(
    "source",
    [
        "path.open('rb')",
        "path.read_text(encoding='utf-8')",
        "os.open(path, os.O_RDONLY)",
        "found.open()",
        "'a/b'",
        "getattr(os, 'O_NOFOLLOW', 0)",
    ],
)
def test_other_words_are_not(source):
    assert list(findings(source)) == []
