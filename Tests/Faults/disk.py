"""What the disk of a process has at any moment: what was synced, and by chance a part of what was not."""

import ctypes
import dataclasses
import errno
import mmap
import os
import pathlib
import shutil
import struct
import subprocess

WRITE, TRUNCATE, CREATE, UNLINK, RENAME, LINK, SYNC_BEGIN, SYNC_END = range(1, 9)
WRITES, SYNCS, READS = 1, 2, 4
HEAD = struct.Struct("<IIQQQ")
SECTOR = 512


class Control(ctypes.Structure):
    """The same as in disk.c."""

    _fields_ = [("calls", ctypes.c_uint32), ("error", ctypes.c_uint32), ("after", ctypes.c_int64), ("failed", ctypes.c_uint64)]


class Disk:
    """The library below a process, and what it wrote down about the files below `directory`."""

    def __init__(self, folder, directory):
        self.directory, self.log, control = directory, folder / "disk.log", folder / "disk.control"
        library = folder / "disk.so"
        # That of the Swift toolchain has its own linker.
        compiler = ["clang", "-fuse-ld=lld"] if shutil.which("clang") else ["cc"]
        subprocess.run([*compiler, "-std=gnu17", "-O2", "-shared", "-fPIC", "-o", library,
                        pathlib.Path(__file__).with_name("disk.c"), "-ldl"], check=True)
        self.log.touch()
        control.write_bytes(bytes(ctypes.sizeof(Control)))
        with open(control, "r+b") as file:
            self.control = Control.from_buffer(mmap.mmap(file.fileno(), 0))
        # The process knows the directory without symbolic links.
        self.environment = {"LD_PRELOAD": str(library), "FAULTS_DIRECTORY": os.path.realpath(directory),
                            "FAULTS_LOG": str(self.log), "FAULTS_CONTROL": str(control)}

    def fail(self, calls, error=errno.EIO, after=0):
        """From now on these calls fail, after some that succeed."""
        self.control.calls, self.control.error, self.control.after = 0, error, after
        self.control.calls = calls

    def mend(self):
        self.control.calls = 0

    @property
    def failed(self):
        return self.control.failed

    @property
    def position(self):
        """The end of the log, which is a moment of the disk."""
        return self.log.stat().st_size

    def after_cut(self, position, random, target):
        """Writes the files that remain when the power goes at a moment."""
        State(self.environment["FAULTS_DIRECTORY"], self.records(position)).write(random, target)

    def records(self, position):
        with open(self.log, "rb") as log:
            while (head := log.read(HEAD.size)) and log.tell() <= position:
                kind, name_bytes, offset, number, data_bytes = HEAD.unpack(head)
                name, other = log.read(name_bytes).rstrip(b"\0").decode().partition("\0")[::2]
                data = log.read(data_bytes)
                if log.tell() > position:
                    return
                yield kind, name, other, offset, number, data


class File:
    """Bytes that are synced, and changes that are not, the oldest first."""

    def __init__(self):
        self.synced, self.changes = bytearray(), []

    def sync(self, count):
        for change in self.changes[:count]:
            apply(self.synced, change)
        del self.changes[:count]


@dataclasses.dataclass
class Sync:
    """Of a file or a directory, with the numbers of its first changes that it stores."""

    name: str
    file: File
    changes: int
    renames: int


def apply(content, change):
    kind, offset, data = change
    if kind == TRUNCATE:
        del content[offset:]
    content.extend(bytes(max(0, offset + len(data) - len(content))))
    content[offset:offset + len(data)] = data


class State:
    """Files by name, and the changes of names that are not synced, by directory."""

    def __init__(self, directory, records):
        self.directory = directory
        self.names, self.synced_names, self.renames = {}, {}, {}
        syncs = {}  # What was written before the beginning of each.
        for kind, name, other, offset, number, data in records:
            folder = os.path.dirname(name)
            if kind in (WRITE, TRUNCATE):
                if name.endswith(" (deleted)"):
                    continue
                self.file(name).changes.append((kind, offset, data))
            elif kind == CREATE:
                self.file(name)
            elif kind == UNLINK:
                self.rename(folder, [(name, None)])
            elif kind == RENAME:
                self.rename(folder, [(other, self.names.get(name)), (name, None)])
            elif kind == LINK:
                self.rename(folder, [(other, self.names.get(name))])
            elif kind == SYNC_BEGIN:
                file = self.names.get(name)
                syncs[number] = Sync(name, file, len(file.changes) if file else 0, len(self.renames.get(name, [])))
            elif kind == SYNC_END:
                self.end_sync(syncs.pop(number), syncs.values())

    def file(self, name):
        if name not in self.names:
            self.rename(os.path.dirname(name), [(name, File())])
        return self.names[name]

    def rename(self, folder, pairs):
        """One change: both names of a file that gets another one change together."""
        set_names(self.names, pairs)
        self.renames.setdefault(folder, []).append(pairs)

    def end_sync(self, sync, others):
        """What another sync that has begun will store is less by that."""
        if sync.file:
            sync.file.sync(sync.changes)
        for pairs in self.renames.get(sync.name, [])[:sync.renames]:
            set_names(self.synced_names, pairs)
        del self.renames.get(sync.name, [])[:sync.renames]
        for other in others:
            if other.file is sync.file:
                other.changes = max(0, other.changes - sync.changes)
            if other.name == sync.name:
                other.renames = max(0, other.renames - sync.renames)

    def write(self, random, target):
        """Of the changes of names in a directory the first ones remain, as in a journal. Of those of a file any remain, and of the
        last write any sectors."""
        for folder in sorted(self.renames):
            changes = self.renames[folder]
            for pairs in changes[:random.randint(0, len(changes))]:
                set_names(self.synced_names, pairs)
        for name, file in sorted(self.synced_names.items()):
            content = bytearray(file.synced)
            for change in self.remaining(file.changes, random):
                apply(content, change)
            path = target / os.path.relpath(name, self.directory)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.write_bytes(content)
            path.chmod(0o600)

    @staticmethod
    def remaining(changes, random):
        way = random.choice(["none", "first", "any"])
        if way == "none" or not changes:
            return []
        if way == "any":
            kept = [change for change in changes if random.random() < 0.5]
        else:
            kept = changes[:random.randint(0, len(changes))]
        if not kept or kept[-1][0] != WRITE:
            return kept
        kind, offset, data = kept.pop()
        cuts = range(0, len(data), SECTOR)
        return kept + [(kind, offset + start, data[start:start + SECTOR]) for start in cuts if random.random() < 0.5]


def set_names(names, pairs):
    for name, file in pairs:
        if file is None:
            names.pop(name, None)
        else:
            names[name] = file
