"""What a unit of systemd says, with the files that change it, for machines that have no systemd."""

import pathlib
import re
import shlex


class Unit:
    def __init__(self, folder, name):
        """Reads `latchkey@identity` in the folder that has `latchkey@.service`."""
        self.name = name
        self.instance = name.partition("@")[2]
        template = pathlib.Path(folder) / f"{name.replace(self.instance, '') if self.instance else name}.service"
        files = [template, *sorted((pathlib.Path(folder) / f"{name}.service.d").glob("*.conf"))]
        text = "\n".join(file.read_text() for file in files)
        self.credentials_folder = f"/run/credentials/{name}.service"
        for sign, value in {"%i": self.instance, "%n": f"{name}.service", "%d": self.credentials_folder}.items():
            text = text.replace(sign, value)
        self.text = text

    def values(self, key):
        return re.findall(rf"^{key}=(.*)$", self.text, re.MULTILINE)

    def last(self, key):
        return self.values(key)[-1]

    @property
    def user(self):
        return self.last("User")

    def variables(self, read):
        """The environment of the process. `read` returns the text of a file of the machine."""
        variables = {"CREDENTIALS_DIRECTORY": self.credentials_folder}
        for line in self.values("Environment"):
            variables |= dict(pair.split("=", 1) for pair in line.split())
        for file in self.values("EnvironmentFile"):
            variables |= environment_file(read(file))
        return variables

    def preparation(self):
        """A script of root: the directories and credentials that systemd makes before the start. A credential has the mode
        that its access control list shows."""
        owner = f"-o {self.user} -g {self.last('Group')}"
        lines = ["set -eu"]
        for kind, place in [("State", "/var/lib"), ("Runtime", "/run")]:
            for name in self.values(f"{kind}Directory"):
                lines.append(f"install -d {owner} -m {self.last(f'{kind}DirectoryMode')} {place}/{name}")
        folder = shlex.quote(self.credentials_folder)
        lines += ["install -d -m 0755 /run/credentials", f"rm -rf {folder}", f"install -d {owner} -m 0500 {folder}"]
        for line in self.values("SetCredential"):
            name, _, text = line.partition(":")
            lines.append(f"printf %s {shlex.quote(text)} > {folder}/{name}")
        for line in self.values("LoadCredential"):
            name, _, path = line.partition(":")
            lines.append(
                f"if [ -d {path} ]; then for file in {path}/*; do if [ -f $file ]; then"
                f" install $file {folder}/{name}_${{file##*/}}; fi; done;"
                f" elif [ -e {path} ] || [ ! -e {folder}/{name} ]; then install {path} {folder}/{name}; fi")
        lines.append(f"for file in {folder}/*; do if [ -f $file ]; then chown {self.user} $file; chmod 0440 $file; fi; done")
        return "\n".join(lines)

    def command(self):
        """The process, as a command of root."""
        return ["setpriv", f"--reuid={self.user}", f"--regid={self.last('Group')}", "--init-groups", "--no-new-privs",
                "sh", "-c", f'umask {self.last("UMask")}; exec "$@"', "sh", *self.last("ExecStart").split()]


def environment_file(text):
    pairs = [line.split("=", 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {name: value.strip().strip('"') for name, value in pairs}


def edit(file, **settings):
    """Sets lines of a settings file, as an operator does. The file keeps its owner and mode."""
    text = file.read_text()
    for setting, value in settings.items():
        text, count = re.subn(rf"^#?{setting}=.*$", f"{setting}={value}", text, flags=re.MULTILINE)
        assert count == 1, f"{file} has {count} lines for {setting}"
    file.write_text(text)
