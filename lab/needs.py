# SPDX-License-Identifier: Apache-2.0
"""What a lab needs of the machine, asked before anything is made."""

import os
import shutil

from cluster import Lab, LabError

PROGRAMS = {
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "ip": "iproute2",
    "tc": "iproute2",
    "nft": "nftables",
    "mpirun": "openmpi-bin",
}
STORAGE_PROGRAMS = {
    "glusterd": "glusterfs-server",
    "gluster": "glusterfs-client",
    "mount.glusterfs": "glusterfs-client",
}


def check_root() -> None:
    if os.geteuid() != 0:
        raise LabError("a lab is made of network and mount namespaces, which only root may make: sudo lab/lab ...")


def check_machine(lab: Lab) -> None:
    """Raises LabError with what is missing and how to get it."""
    check_root()
    os.environ["PATH"] = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
    programs = PROGRAMS | (STORAGE_PROGRAMS if lab.servers else {})
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        packages = " ".join(sorted({programs[program] for program in missing}))
        raise LabError(
            f"not installed: {', '.join(missing)}; tools/install-deps --system installs what is missing "
            f"(Debian packages {packages})"
        )
    if lab.servers and not os.path.exists("/dev/fuse"):
        raise LabError("there is no /dev/fuse, by which GlusterFS is mounted: modprobe fuse, or take --storage none")
