"""The tables that the bench prints."""


class Table:
    """Rows of one width for each column."""

    def __init__(self, *columns):
        self.columns = columns
        self.rows = []

    def add(self, *cells):
        self.rows.append([*cells, *[""] * (len(self.columns) - len(cells))])

    def __str__(self):
        lines = [self.columns, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.columns))]

        def text(line):
            return "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"

        rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
        return "\n".join([text(self.columns), rule, *map(text, self.rows)])


class Figures:
    """What was measured, and the targets of docs/contribute/benchmarks.md."""

    def __init__(self):
        self.measured = Table("what", "measured", "limit of the machine, same run")
        self.targets = Table("what", "measured", "to reach", "")

    def add(self, what, measured, limit=""):
        self.measured.add(what, measured, limit)

    def target(self, what, measured, goal, reached):
        """`reached` is None for a figure without which the target cannot be judged."""
        self.targets.add(what, measured, goal, {None: "", True: "reached", False: "NOT REACHED"}[reached])

    def ratio(self, what, value, limit, most=None, least=None, detail=""):
        """A target for `value / limit`: at most `most`, or at least `least`."""
        ratio = value / limit
        goal, reached = (f"<= {most:g}", ratio <= most) if least is None else (f">= {least:g}", ratio >= least)
        self.target(what, f"{ratio:.2f}" + (f" ({detail})" if detail else ""), goal, reached)

    def __str__(self):
        return f"{self.measured}\n\n{self.targets}"
