"""What one object may do, one operation after the other: the sequential specifications of `histories`.

A model has a first state and a step. The step gets a state, an operation with its input, and the output, or UNKNOWN if
no reply arrived. It returns the states that may follow: none if the operation cannot have had this output. States can be
hashed. With UNKNOWN it returns the state after the operation took effect; that it never did is a possibility of its own.
"""

UNKNOWN = object()


class Register:
    """`read` returns what the last `write` has written; `compareAndSet` (from, to) writes if it returns true."""

    first = None

    @staticmethod
    def step(state, operation, input, output):
        match operation:
            case "write":
                return [input]
            case "read":
                return [state] if output in (UNKNOWN, state) else []
            case "compareAndSet":
                expected, new = input
                return [new if state == expected else state] if output in (UNKNOWN, state == expected) else []


class SingleUse:
    """A code, link or challenge: the first `use` is accepted, and no other one. None is after `withdraw`."""

    first = "usable"

    @staticmethod
    def step(state, operation, input, output):
        match operation:
            case "use":
                return ["spent"] if output in (UNKNOWN, state == "usable") else []
            case "withdraw":
                return ["spent"]


class LimitedCounter:
    """`take` is accepted as often as the last `limit` says, and refused afterwards."""

    first = None

    @staticmethod
    def step(state, operation, input, output):
        match operation:
            case "limit":
                return [input]
            case "take" if state is not None:
                return [max(0, state - 1)] if output in (UNKNOWN, state > 0) else []
            case "take":
                return []


class Revocable:
    """A session, factor or key: `use` is accepted before `revoke`, and never after it."""

    first = "valid"

    @staticmethod
    def step(state, operation, input, output):
        match operation:
            case "use":
                return [state] if output in (UNKNOWN, state == "valid") else []
            case "revoke":
                return ["revoked"]


class Outbox:
    """What `put` has accepted is delivered once, in this order; `drained` says that nothing is left."""

    first = ()

    @staticmethod
    def step(state, operation, input, output):
        match operation:
            case "put":
                return [(*state, input)]
            case "deliver":
                return [state[1:]] if state and state[0] == input else []
            case "drained":
                return [state] if not state else []


MODELS = {"register": Register, "singleUse": SingleUse, "limitedCounter": LimitedCounter, "revocable": Revocable,
          "outbox": Outbox}
# The type of the output of each operation; None: it has no output, only an end.
OUTPUTS = {
    "register": {"write": None, "read": object, "compareAndSet": bool},
    "singleUse": {"use": bool, "withdraw": None},
    "limitedCounter": {"limit": None, "take": bool},
    "revocable": {"use": bool, "revoke": None},
    "outbox": {"put": None, "deliver": None, "drained": None},
}
