"""A machine with Debian and without systemd: a folder with a root file system, whose processes are apart from ours."""

import os
import pathlib
import re
import subprocess


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

    def start_unit(self, unit, **changes):
        """What systemd does with a unit, apart from its restrictions."""
        text = self.path(f"/lib/systemd/system/{re.sub('@.*', '@', unit)}.service").read_text()
        text = text.replace("%i", unit.partition("@")[2])

        def values(key):
            return re.findall(rf"^{key}=(.*)$", text, re.MULTILINE)

        variables = {}
        for file in values("EnvironmentFile"):
            variables |= environment_file(self.path(file).read_text())
        for line in values("Environment"):
            variables |= dict(pair.split("=", 1) for pair in line.split())
        user = values("User")[0]
        for name in values("RuntimeDirectory"):
            self.run("install", "-d", "-o", user, "-g", user, "-m", "0700", f"/run/{name}")
        return self.start(*values("ExecStart")[0].split(), user=user, **variables | changes)

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
        """Sets lines of a settings file, as an operator does. The file keeps its owner and mode."""
        file = self.path(f"/etc/latchkey/{name}.env")
        text = file.read_text()
        for setting, value in settings.items():
            text, count = re.subn(rf"^#?{setting}=.*$", f"{setting}={value}", text, flags=re.MULTILINE)
            assert count == 1, f"{name}.env has {count} lines for {setting}"
        file.write_text(text)


def environment_file(text):
    pairs = [line.split("=", 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {name: value.strip().strip('"') for name, value in pairs}
