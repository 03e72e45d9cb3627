"""The table that the bench prints."""


class Table:
    COLUMNS = ["what", "measured", "limit of the machine, same run", "to reach", ""]

    def __init__(self):
        self.rows = []

    def add(self, what, measured, limit="", goal="", reached=None):
        """`reached` is None if there is no target."""
        verdict = {None: "", True: "reached", False: "MISSED"}[reached]
        self.rows.append([what, measured, limit, goal, verdict])

    def __str__(self):
        lines = [self.COLUMNS, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.COLUMNS))]

        def text(line):
            return "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"

        rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
        return "\n".join([text(self.COLUMNS), rule, *map(text, self.rows)])
