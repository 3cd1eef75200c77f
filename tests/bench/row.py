"""One line of the benchmark's table."""


class Row:
    """One line of the table. over: the target was missed; None: there is nothing to compare with."""

    def __init__(self, work, floor, electop, ratio, target, over):
        self.work, self.floor, self.electop, self.ratio, self.target, self.over = work, floor, electop, ratio, target, over
