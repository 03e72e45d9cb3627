"""A machine with Debian and without systemd: a folder with a root file system, whose processes are apart from ours."""

import os
import pathlib
import subprocess

from unit import Unit, edit


def debian(folder):
    """Makes a root file system of this machine's Debian, from the sources that this machine has."""
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", "deb $(REPO_URI) $(RELEASE) $(COMPONENT)",
         "Created-By: Packages", "Origin: Debian"], check=True, capture_output=True, text=True).stdout
    sources = "\n".join(sorted(set(targets.splitlines())))
    subprocess.run(["mmdebstrap", "--quiet", "--variant=apt", "--skip=cleanup/apt", "bookworm", folder, "-"],
                   input=sources, text=True, check=True)


class Machine:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.processes = []

    def path(self, name):
        """Where a file of the machine is for us."""
        return self.root / name.lstrip("/")

    def command(self, words, user, variables):
        inside = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
                  *(f"{name}={value}" for name, value in variables.items())]
        if user != "root":
            inside += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--no-new-privs"]
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.root}/proc",
                "chroot", str(self.root), *inside, *map(str, words)]

    def run(self, *words, user="root", code=0, **variables):
        """Runs a command to its end, and returns what it has printed."""
        end = subprocess.run(self.command(words, user, variables), capture_output=True, text=True, timeout=300,
                             stdin=subprocess.DEVNULL)
        assert end.returncode == code, f"{words} ended with {end.returncode}\n{end.stdout}{end.stderr}"
        return end.stdout + end.stderr

    def start(self, *words, user, **variables):
        log = open(self.root / f"tmp/{len(self.processes)}.log", "wb")
        process = subprocess.Popen(self.command(words, user, variables), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        process.log = pathlib.Path(log.name)
        log.close()
        self.processes.append(process)
        return process

    def start_unit(self, name, **changes):
        """What systemd does with a unit, apart from its restrictions."""
        unit = Unit(self.path("/lib/systemd/system"), name)
        self.run("sh", "-c", unit.preparation())
        variables = unit.variables(lambda file: self.path(file).read_text()) | changes
        return self.start(*unit.command(), user="root", **variables)

    def stop(self, process):
        """SIGTERM for the first process of the machine's own; returns its exit code."""
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), 15)
        return process.wait(timeout=60)

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def edit(self, name, **settings):
        edit(self.path(f"/etc/latchkey/{name}.env"), **settings)
