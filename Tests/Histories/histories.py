"""Judges a history: is there an order of its operations, one after the other, that explains every reply?

Wing and Gong's search (Testing and Verifying Concurrent Objects, 1993), with the memory of Lowe (Testing for
Linearizability, 2017): a set of operations that leads to the same state is searched once. Histories of independent objects
are judged for themselves, so a history is as difficult as the busiest object in it.

    python3 histories.py FILE      ends with 1, and says why, if the history cannot be explained
"""

import json
import math
import sys
from dataclasses import dataclass

from models import MODELS, OUTPUTS, UNKNOWN

# More than any history of one object has that people can read; a search beyond it ends, and says so.
LONGEST_SEARCH = 1_000_000


class HistoryError(Exception):
    """The history is not one: its form is wrong, or it cannot be judged."""


@dataclass(frozen=True)
class Operation:
    object: str
    model: str
    operation: str
    input: object
    output: object  # UNKNOWN without a reply.
    begin: float
    end: float  # Infinite without a reply: it may take effect at any time after its beginning, or never.

    def __str__(self):
        reply = "no reply" if self.output is UNKNOWN else json.dumps(self.output)
        end = "" if self.end == math.inf else f"{self.end:.6f}"
        return f"{self.begin:.6f}..{end} {self.operation} {json.dumps(self.input)} -> {reply}"


def hashable(value):
    if isinstance(value, dict):
        raise HistoryError(f"{value!r}: inputs and outputs are numbers, texts and lists")
    return tuple(hashable(item) for item in value) if isinstance(value, list) else value


def parse(entry) -> Operation:
    """One operation in its JSON form; the page docs/contribute/simulation.md describes it."""
    try:
        name, model, operation, begin = entry["object"], entry["model"], entry["operation"], entry["begin"]
    except (KeyError, TypeError) as error:
        raise HistoryError(f"{entry!r} lacks {error}") from None
    if unknown := set(entry) - {"object", "model", "operation", "input", "output", "begin", "end"}:
        raise HistoryError(f"{entry!r} has {sorted(unknown)}")
    if operation not in OUTPUTS.get(model, {}):
        raise HistoryError(f"{entry!r}: no such operation of a model")
    end = math.inf if (end := entry.get("end")) is None else end
    if not (isinstance(begin, int | float) and isinstance(end, int | float) and begin <= end):
        raise HistoryError(f"{entry!r} ends before its beginning")
    if end == math.inf:
        output = UNKNOWN
    elif (kind := OUTPUTS[model][operation]) is None:
        output = None
    elif "output" in entry and isinstance(entry["output"], kind):
        output = hashable(entry["output"])
    else:
        raise HistoryError(f"{entry!r} ended without its output")
    return Operation(name, model, operation, hashable(entry.get("input")), output, begin, end)


def explain(operations, model) -> list[Operation] | None:
    """An order of the operations of one object that explains them all; None if there is none."""
    operations = sorted(operations, key=lambda operation: operation.begin)
    required = sum(1 << place for place, operation in enumerate(operations) if operation.end < math.inf)
    visited = set()
    # Each level: the operations that are done, as bits, the state after them, the last of them, and what to try next.
    levels = [(0, model.first, None, possible(operations, 0, model.first, model))]
    while levels:
        done, _, _, next_steps = levels[-1]
        if done & required == required:
            return [operations[place] for _, _, place, _ in levels[1:]]
        step = next(next_steps, None)
        if step is None:
            levels.pop()
            continue
        place, state = step
        done |= 1 << place
        if (done, state) in visited:
            continue
        if len(visited) >= LONGEST_SEARCH:
            raise HistoryError(f"the history of {operations[0].object} has too many orders")
        visited.add((done, state))
        levels.append((done, state, place, possible(operations, done, state, model)))
    return None


def possible(operations, done, state, model):
    """The operations that may come next, with the state after each: those that began before the end of all others."""
    remaining = [place for place in range(len(operations)) if not done >> place & 1]
    earliest_end = min((operations[place].end for place in remaining), default=math.inf)
    for place in remaining:
        operation = operations[place]
        if operation.begin > earliest_end:
            break
        for following in model.step(state, operation.operation, operation.input, operation.output):
            yield place, following


def violations(entries) -> list[str]:
    """What the history says that cannot be, for each object of it; empty if everything can be explained."""
    objects = {}
    for entry in entries:
        operation = parse(entry)
        objects.setdefault(operation.object, []).append(operation)
    found = []
    for name, operations in objects.items():
        if len({operation.model for operation in operations}) > 1:
            raise HistoryError(f"{name} has several models")
        model = MODELS[operations[0].model]
        if explain(operations, model) is None:
            shortest = shortened(operations, model)
            lines = "".join(f"\n  {operation}" for operation in sorted(shortest, key=lambda each: each.begin))
            found.append(f"no order explains the history of {name} ({shortest[0].model}):{lines}")
    return found


def shortened(operations, model):
    """The operations until the first reply with which the history cannot be explained."""
    ends = sorted(operation.end for operation in operations if operation.end < math.inf)
    for last in ends:
        # What ended later has not replied yet at that time.
        seen = [operation if operation.end <= last else unfinished(operation)
                for operation in operations if operation.begin <= last]
        if explain(seen, model) is None:
            return seen
    return operations


def unfinished(operation):
    return Operation(operation.object, operation.model, operation.operation, operation.input, UNKNOWN, operation.begin,
                     math.inf)


def main(path):
    with open(path, encoding="utf-8") as file:
        entries = json.load(file)
    found = violations(entries)
    for violation in found:
        print(violation)
    print(f"{len(entries)} operations, {len({entry['object'] for entry in entries})} objects, {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
