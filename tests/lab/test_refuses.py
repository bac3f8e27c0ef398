# SPDX-License-Identifier: Apache-2.0
"""What the lab is asked wrongly, or cannot have, it says in one sentence. Nothing here needs root."""

import os
import shutil
import subprocess

import pytest
from cluster import Lab, LabError
from conftest import NAME, ROOT, Command
from needs import check_machine

WRONG = [
    (["up", "--nic", "fast"], "'fast' is no rate of a card: give one from 1mbit to 100gbit"),
    (["up", "--nic", "200"], "'200' is no rate of a card"),
    (["up", "--storage-nic", "0mbit"], "'0mbit' is no rate of a card"),
    (["up", "--stripe", "1MB"], "'1MB' is no size of a stripe: GlusterFS takes 4MB and more"),
    (["up", "--hosts", "0"], "'0' is no number of machines from 1 to 200"),
    (["up", "--servers", "many"], "'many' is no number of machines"),
    (["up", "--storage", "lustre"], "invalid choice: 'lustre'"),
    (["up", "--name", "../etc"], "'../etc' is no name of a lab"),
    (["up", "--what"], "unrecognized arguments: --what"),
    (["run", "--", "true"], "the following arguments are required: -n/--ranks"),
    (["run", "-n", "0", "--", "true"], "'0' is no number of ranks above 0"),
    (["run", "-n", "4"], "no program given, as in lab/lab run -n 4 -- PROGRAM"),
    (["run", "-n", "4", "--timeout", "soon", "--", "true"], "'soon' is no number of seconds"),
    (["shell"], "the following arguments are required: HOST"),
    (["fly"], "invalid choice: 'fly'"),
    ([], "the following arguments are required: COMMAND"),
]


@pytest.mark.parametrize("words,sentence", WRONG, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_wrong_words_are_refused(words: list[str], sentence: str) -> None:
    done = subprocess.run([ROOT / "lab" / "lab", *words], capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and sentence in done.stderr
    assert done.stdout == ""


def test_nothing_to_run_in_is_said() -> None:
    for words in (["status"], ["down"], ["run", "-n", "2", "--", "true"], ["shell", "host1"]):
        if os.geteuid() != 0 and words != ["status"]:
            continue
        done = Command()(*words)
        assert done.returncode == 1
        assert done.stderr == f"lab: no lab '{NAME}' is up: lab/lab up --name {NAME} makes one\n"


def test_without_root() -> None:
    # Another user may not be able to reach this folder: root reads the program and becomes that user.
    become = "import os, commands\nos.setuid(65534)\n" if os.geteuid() == 0 else ""
    done = subprocess.run(
        ["/usr/bin/python3", "-", "up"],
        input=become + (ROOT / "lab" / "lab").read_text(),
        env={"PYTHONPATH": str(ROOT / "lab")},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("lab: a lab is made of network and mount namespaces, which only root may make: sudo ")
    assert done.stderr.count("\n") == 1


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda program: None if program in ("glusterd", "tc") else f"/bin/{program}")
    with pytest.raises(LabError) as error:
        check_machine(Lab(NAME, 2, 2, 10**8, 10**8, 4 << 20))
    assert str(error.value) == (
        "not installed: tc, glusterd; tools/install-deps --system installs what is missing "
        "(Debian packages glusterfs-server iproute2)"
    )
