"""The shape of an output: what is the same in every run."""

import re

# Members of JSON whose value differs between runs. Type and presence do not.
VARIABLE = "|".join([
    "idToken", "refreshToken", "id_token", "refresh_token", "access_token", "localId", "user_id", "passwordUpdatedAt",
    "validSince", "createdAt", "lastLoginAt", "lastRefreshAt", "mfaPendingCredential", "mfaEnrollmentId", "enrolledAt",
    "sessionInfo", "project_id"])

RULES = [(re.compile(pattern, re.MULTILINE), replacement) for pattern, replacement in [
    # The colors of a QR code.
    (r"\x1b\[[\d;]*m", ""),
    (r"\b\d{4}-\d\d-\d\dT[\d:.]+Z", "<time>"),
    # A token at the end of a line is cut there; elsewhere it is cut in itself.
    (r"eyJ[\w-]*\.\.\.$", "<token>..."),
    (r"eyJ[\w.-]+", "<token>"),
    (r"\bAlk-[\w-]+", "Alk-<key>"),
    (rf'("(?:{VARIABLE})": ?)"(?!<token>)[^"]+"', r'\1"<text>"'),
    (rf'("(?:{VARIABLE})": ?)\d+', r"\1<number>"),
    (r'(<h2 id=)"m[0-9a-f]{32}"', r"\1<id>"),
    (r"\bprojects/\d{6,}/", "projects/<number>/"),
    (r"\bacme-inc-[a-z0-9]{5}\b", "acme-inc-<suffix>"),
    (r"^user \w{28},", "user <id>,"),
    (r"\b\d{6} is your code", "<code> is your code"),
    (r"\b\d+\.\d+\.\d+(?=, development mode)", "<version>"),
    (r"\bpid=\d+", "pid=<pid>"),
    # The broker waits a second for the launcher, which may get no processor for so long, to report the end of a process.
    (r"\b(broker\.member-left .* reason=)disconnected$", r"\1ended"),
    (r"^( +[a-z-]+\.\d+ +)\d+\b", r"\1<pid>"),
    (r"\b([a-z-]+\.\d+)\.[0-9a-f]{12,}\b", r"\1.<start>"),
    (r"^[ █▀▄]+$", "<row>"),
    (r" +", " "),
]]


def shape(text):
    for pattern, replacement in RULES:
        text = pattern.sub(replacement, text)
    return text


def pattern(line):
    """Matches the lines with the shape of a line of a page, where `...` stands for any text."""
    return re.compile(".*".join(re.escape(part) for part in shape(line).rstrip().split("...")))


def difference(expected, actual):
    """The first line in which an output differs from that of a page; None if there is none. Blank lines do not count."""
    expected, actual = ([line for line in lines if re.sub(r"\x1b\[[\d;]*m", "", line).strip()]
                        for lines in (expected, actual))
    for number in range(max(len(expected), len(actual))):
        shown = expected[number] if number < len(expected) else None
        given = actual[number] if number < len(actual) else None
        if shown is None or given is None or not pattern(shown).fullmatch(shape(given).rstrip()):
            return f"line {number + 1} is\n  {given}\nand on the page\n  {shown}"
    return None
