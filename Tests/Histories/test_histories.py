"""The judge finds what cannot be, and accepts what can, also when operations overlap and replies are lost."""

import itertools
import json
import random

import pytest
from histories import HistoryError, main, violations

LOST = object()


def history(model, *operations, name="it"):
    """Operations as (operation, input, output, begin, end); the end LOST means that no reply arrived."""
    return [{"object": name, "model": model, "operation": operation, "input": input, "begin": begin,
             **({} if end is LOST else {"output": output, "end": end})}
            for operation, input, output, begin, end in operations]


def use(output, begin, end):
    return "use", None, output, begin, end


def take(output, begin, end):
    return "take", None, output, begin, end


def write(value, begin, end):
    return "write", value, None, begin, end


def read(value, begin, end):
    return "read", None, value, begin, end


def put(value, begin, end):
    return "put", value, None, begin, end


def deliver(value, begin, end):
    return "deliver", value, None, begin, end


BAD = {
    "a read returns an older value": history("register", write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)),
    "a read returns what nobody wrote": history("register", write(1, 0, 1), read(7, 2, 3)),
    "an acknowledged write is lost": history("register", write(1, 0, 1), read(None, 2, 3)),
    "a value comes back": history("register", write(1, 0, 9), read(1, 1, 2), read(None, 3, 4)),
    "two readers see two orders": history(
        "register", write(1, 0, 9), write(2, 0, 9), read(1, 10, 11), read(2, 12, 13)),
    "two registrations of one address win": history(
        "register", ("compareAndSet", [None, "ada"], True, 0, 5), ("compareAndSet", [None, "eve"], True, 1, 4)),
    "a lost write is seen and gone again": history("register", write(1, 0, LOST), read(1, 2, 3), read(None, 4, 5)),
    "a code is accepted twice": history("singleUse", use(True, 0, 1), use(True, 2, 3)),
    "a code is accepted twice at once": history("singleUse", use(True, 0, 5), use(True, 1, 4)),
    "a code is refused before its use": history("singleUse", use(False, 0, 1), use(True, 2, 3)),
    "a fresh code is refused by everybody": history("singleUse", use(False, 0, 5), use(False, 1, 4)),
    "a withdrawn code is accepted": history("singleUse", ("withdraw", None, None, 0, 1), use(True, 2, 3)),
    "one more attempt than allowed": history(
        "limitedCounter", ("limit", 2, None, 0, 1), take(True, 2, 9), take(True, 2, 9), take(True, 2, 9)),
    "an attempt is refused too early": history("limitedCounter", ("limit", 2, None, 0, 1), take(True, 2, 3), take(False, 4, 5)),
    "attempts come back": history(
        "limitedCounter", ("limit", 1, None, 0, 1), take(True, 2, 3), take(False, 4, 5), take(True, 6, 7)),
    "a revoked session is used": history("revocable", ("revoke", None, None, 0, 1), use(True, 2, 3)),
    "a revoked session comes back": history(
        "revocable", ("revoke", None, None, 0, 9), use(False, 1, 2), use(True, 3, 4)),
    "a session is refused that nobody revoked": history("revocable", use(True, 0, 1), use(False, 2, 3)),
    "a revocation without a reply comes and goes": history(
        "revocable", ("revoke", None, None, 0, LOST), use(False, 1, 2), use(True, 3, 4)),
    "a message is lost": history("outbox", put("a", 0, 1), ("drained", None, None, 2, 3)),
    "a message is delivered twice": history("outbox", put("a", 0, 1), deliver("a", 2, 3), deliver("a", 4, 5)),
    "messages are delivered in another order": history(
        "outbox", put("a", 0, 1), put("b", 2, 3), deliver("b", 4, 5), deliver("a", 6, 7)),
    "a message is delivered before its beginning": history("outbox", deliver("a", 0, 1), put("a", 2, 3)),
    "a message without a reply is delivered twice": history(
        "outbox", put("a", 0, LOST), deliver("a", 2, 3), deliver("a", 4, 5)),
}

GOOD = {
    "nothing": [],
    "reads between writes": history("register", write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7)),
    "a read sees a write that has not ended": history("register", write(1, 0, 9), read(1, 1, 2), read(1, 3, 4)),
    "a read beside a write sees the former value": history("register", write(1, 0, 1), write(2, 2, 9), read(1, 3, 4)),
    "a write without a reply takes effect late": history(
        "register", write(1, 0, LOST), read(None, 2, 3), write(2, 4, 5), read(2, 6, 7), read(1, 8, 9)),
    "a write without a reply never takes effect": history("register", write(1, 0, LOST), read(None, 2, 3)),
    "one registration of an address wins": history(
        "register", ("compareAndSet", [None, "ada"], False, 0, 5), ("compareAndSet", [None, "eve"], True, 1, 4),
        read("eve", 6, 7)),
    "operations that touch at one time are concurrent": history("register", write(1, 0, 1), read(None, 1, 2)),
    "one of many uses is accepted": history("singleUse", use(False, 0, 9), use(True, 8, 10), use(False, 1, 11)),
    "the reply of the winner is lost": history("singleUse", use(None, 0, LOST), use(False, 1, 2), use(False, 3, 4)),
    "a use without a reply never took effect": history("singleUse", use(None, 0, LOST), use(True, 1, 2)),
    "a code is withdrawn beside its use": history("singleUse", ("withdraw", None, None, 0, 9), use(True, 1, 8)),
    "attempts until the limit": history(
        "limitedCounter", ("limit", 2, None, 0, 1), take(True, 2, 9), take(False, 2, 9), take(True, 2, 9),
        ("limit", 1, None, 10, 11), take(True, 12, 13)),
    "an attempt without a reply may count": history(
        "limitedCounter", ("limit", 1, None, 0, 1), take(None, 2, LOST), take(False, 3, 4)),
    "uses beside a revocation": history(
        "revocable", ("revoke", None, None, 1, 9), use(True, 0, 5), use(False, 2, 6), use(True, 1, 8)),
    "messages in their order": history(
        "outbox", put("a", 0, 1), put("b", 2, 3), deliver("a", 2, 9), deliver("b", 4, 9), ("drained", None, None, 10, 11)),
    "a message is delivered before its reply": history("outbox", put("a", 0, 9), deliver("a", 1, 2)),
    "a message without a reply is delivered": history("outbox", put("a", 0, LOST), deliver("a", 5, 6), ("drained", None, None, 7, 8)),
    "a message without a reply is none": history("outbox", put("a", 0, LOST), ("drained", None, None, 7, 8)),
    "objects do not know each other": history("singleUse", use(True, 0, 1), name="one")
    + history("singleUse", use(True, 2, 3), name="other"),
}


@pytest.mark.parametrize("case", BAD)
def test_finds(case):
    assert len(BAD) >= 20
    assert violations(BAD[case])
    # Beside others too, and in whatever order the operations were recorded.
    other = history("singleUse", use(True, 0, 1), name="other")
    [found] = violations([*reversed(BAD[case]), *other])
    assert " of it (" in found


@pytest.mark.parametrize("case", GOOD)
def test_accepts(case):
    assert violations(GOOD[case]) == violations(list(reversed(GOOD[case]))) == []


def test_agrees_with_all_orders():
    """A search without its memory and without its choice of candidates gives the same answers."""
    chance = random.Random(4711)
    answers = []
    for _ in range(300):
        operations = []
        for _ in range(chance.randint(1, 5)):
            begin = chance.randint(0, 8)
            end = LOST if chance.random() < 0.2 else begin + chance.randint(0, 6)
            operations.append(chance.choice([
                write(chance.randint(1, 2), begin, end), read(chance.choice([None, 1, 2]), begin, end)]))
        answer = any(explains(order) for count in range(len(operations) + 1)
                     for order in itertools.permutations(operations, count)
                     if all(operation in order or operation[4] is LOST for operation in operations))
        answers.append(answer)
        assert (violations(history("register", *operations)) == []) == answer, operations
    assert 50 < sum(answers) < 250


def explains(order):
    value = None
    for place, (operation, input, output, begin, end) in enumerate(order):
        if any(later[4] is not LOST and later[4] < begin for later in order[place + 1:]):
            return False
        if operation == "write":
            value = input
        elif end is not LOST and output != value:
            return False
    return True


def test_many_concurrent_operations_are_judged_soon():
    clients = [use(False, place / 100, 10 + place / 100) for place in range(60)]
    assert violations(history("singleUse", *clients)) != []
    assert violations(history("singleUse", use(True, 0, 20), *clients)) == []


def test_explanation_ends_with_the_reply_that_cannot_be():
    operations = [use(True, 0, 1), use(False, 2, 3), use(True, 4, 5), use(False, 6, 7)]
    [found] = violations(history("singleUse", *operations))
    assert [line.split()[0] for line in found.splitlines()[1:]] == ["0.000000..1.000000", "2.000000..3.000000", "4.000000..5.000000"]


@pytest.mark.parametrize("change", [
    {"begin": 5}, {"begin": "0"}, {"end": "1"}, {"model": "queue"}, {"operation": "peek"}, {"output": "yes"}, {"output": None}, {"client": 3},
    {"input": {"a": 1}}, {"model": "outbox", "operation": "put", "input": {}}])
def test_refuses_what_is_no_history(change):
    [entry] = history("singleUse", use(True, 0, 1))
    with pytest.raises(HistoryError):
        violations([{**entry, **change}])


@pytest.mark.parametrize("entry", [{}, [], "use", {"object": "it", "model": "singleUse", "operation": "use"}])
def test_refuses_entries_without_what_is_needed(entry):
    with pytest.raises(HistoryError):
        violations([entry])


def test_refuses_two_models_of_one_object():
    with pytest.raises(HistoryError):
        violations(history("singleUse", use(True, 0, 1)) + history("revocable", use(True, 0, 1)))


@pytest.mark.parametrize("good", [True, False])
def test_command(good, tmp_path, capsys):
    file = tmp_path / "history.json"
    file.write_text(json.dumps(history("singleUse", use(True, 0, 1), use(not good, 2, 3))))
    assert main(file) == (0 if good else 1)
    assert "2 operations, 1 objects" in capsys.readouterr().out
