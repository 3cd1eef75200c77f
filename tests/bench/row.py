"""One line of the benchmark's table."""


class Row:
    """One line of the table. over: the target was missed; None: there is nothing to compare with."""

    def __init__(self, work, floor, electop, ratio, target, over):
        self.work, self.floor, self.electop, self.ratio, self.target, self.over = work, floor, electop, ratio, target, over


def ms(us):
    return "-" if us is None else f"{us / 1000:.2f} ms" if us < 1e5 else f"{us / 1000:.0f} ms"


def ratio_row(work, floor_us, electop_us, most):
    if not floor_us or not electop_us:
        return Row(work, ms(floor_us), ms(electop_us), "-", f"≤ {most} ×", True)
    ratio = electop_us / floor_us
    return Row(work, ms(floor_us), ms(electop_us), f"{ratio:.2f} ×", f"≤ {most} ×", ratio > most)
