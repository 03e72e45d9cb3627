"""One shell for all commands, as in a terminal: variables last."""

import subprocess
import threading

END = "end-of-the-command"


class Shell:
    # The time after which a command hangs.
    limit = 300

    def __init__(self, folder, environment):
        self.process = subprocess.Popen(
            ["bash"], cwd=folder, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    def run(self, command):
        """The exit code and the lines of the output, errors included."""
        alarm = threading.Timer(self.limit, self.process.kill)
        alarm.start()
        try:
            # Commands read nothing of what follows them.
            self.process.stdin.write(f"{{ {command}\n}} < /dev/null\nprintf '\\n%s %s\\n' {END} $?\n")
            self.process.stdin.flush()
            lines = []
            for line in self.process.stdout:
                if line.startswith(END):
                    # The line feed before the mark ends an output without one, and follows any other.
                    if lines[-1] == "":
                        lines.pop()
                    return int(line.split()[1]), lines
                lines.append(line.rstrip("\n"))
            raise AssertionError(f"The shell ended: {command}\n" + "\n".join(lines))
        finally:
            alarm.cancel()

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()
