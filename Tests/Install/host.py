"""This machine with another /etc, /var/lib and /run: a mount namespace, in which the users of the units exist."""

import pathlib
import shutil
import subprocess

from executable import ROOT
from unit import Unit

PROGRAMS = "/run/latchkey-programs"
MOUNTS = f"""set -eu
mkdir -p "$1/etc" "$1/var/lib" "$1/run"
for file in alternatives ca-certificates group gshadow host.conf hosts ld.so.cache localtime nsswitch.conf passwd resolv.conf shadow ssl; do
    if [ -e "/etc/$file" ]; then cp -a "/etc/$file" "$1/etc"; fi
done
for place in etc var/lib run; do mount --bind "$1/$place" "/$place"; done
mkdir {PROGRAMS}
mount --bind "$2" {PROGRAMS}
systemd-sysusers "$3"
echo mounted
exec cat"""


class Host:
    def __init__(self, folder, executables):
        self.folder = pathlib.Path(folder)
        self.processes = []
        self.keeper = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", MOUNTS, "sh", folder, executables,
             ROOT / "deploy/debian/latchkey.sysusers"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.keeper.stdout.readline() == "mounted\n"
        shutil.copy(self.path("/etc/passwd"), self.path("/etc/passwd.whole"))

    def reset(self):
        """Without data and processes, with the files of settings as they are delivered."""
        self.close_processes()
        self.run("sh", "-c", "umount /var/lib/latchkey-services 2> /dev/null; rm -rf /var/lib/* /run/latchkey /run/credentials "
                 "/etc/latchkey /etc/systemd /etc/sysusers.d; cp /etc/passwd.whole /etc/passwd")
        self.units, self.programs = ROOT / "deploy", PROGRAMS
        self.path("/etc/latchkey").mkdir(mode=0o755)
        for file in (ROOT / "deploy/env").glob("*.env"):
            shutil.copy(file, self.path("/etc/latchkey"))
            self.path(f"/etc/latchkey/{file.name}").chmod(0o640)

    def path(self, name):
        """Where a file of the host is for us."""
        return self.folder / name.lstrip("/")

    def command(self, words, user="root", variables={}):
        inside = ["env", "-i", f"PATH={PROGRAMS}:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
                  *(f"{name}={value}" for name, value in variables.items())]
        if user != "root":
            inside += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--no-new-privs"]
        return ["nsenter", f"--target={self.keeper.pid}", "--mount", *inside, *map(str, words)]

    def run(self, *words, user="root", code=0, text="", **variables):
        """Runs a command to its end, and returns what it has printed."""
        end = subprocess.run(self.command(words, user, variables), capture_output=True, text=True, timeout=300, input=text)
        assert code is None or end.returncode == code, f"{words} ended with {end.returncode}\n{end.stdout}{end.stderr}"
        return end.stdout + end.stderr

    def start_unit(self, name, **changes):
        """What systemd does with a unit, apart from its restrictions."""
        unit = Unit(self.units, name)
        self.run("sh", "-c", unit.preparation())
        variables = unit.variables(lambda file: self.path(file).read_text()) | changes
        command = [word.replace("/usr/lib/latchkey", self.programs).replace("/usr/bin", PROGRAMS) for word in unit.command()]
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                self.command(command, variables=variables | {"LATCHKEY_LIFELINE": "stdin"}), stdin=subprocess.PIPE,
                stdout=log, stderr=log)
        process.log = self.folder / f"{name}.log"
        self.processes.append(process)
        return process

    def close_processes(self):
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes = []

    def close(self):
        self.close_processes()
        self.keeper.stdin.close()
        self.keeper.wait()
