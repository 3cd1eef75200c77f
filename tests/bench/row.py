"""One line of the benchmark's table."""
import statistics


class Row:
    """One line of the table. over: the target was missed; None: there is nothing to compare with."""

    def __init__(self, work, floor, electop, ratio, target, over):
        self.work, self.floor, self.electop, self.ratio, self.target, self.over = work, floor, electop, ratio, target, over


def ms(us):
    return "-" if us is None else f"{us / 1000:.2f} ms" if us < 1e5 else f"{us / 1000:.0f} ms"


def spread(floors, ours):
    """The lowest and the highest ratio of the rounds, in each of which both took their turn."""
    ratios = [mine / floor for floor, mine in zip(floors, ours) if floor and mine]
    return f" ({min(ratios):.2f}–{max(ratios):.2f})" if len(ratios) > 1 else ""


def ratio_row(work, floors, ours, most):
    """floors, ours: the figures of the rounds, in microseconds; None: there was none."""
    floor, mine = (statistics.median(known) if (known := [v for v in values if v is not None]) else None for values in (floors, ours))
    if not floor or not mine:
        return Row(work, ms(floor), ms(mine), "-", f"≤ {most} ×", True)
    return Row(work, ms(floor), ms(mine), f"{mine / floor:.2f} ×{spread(floors, ours)}", f"≤ {most} ×", mine / floor > most)


def percent_row(work, floors, ours, most):
    floor, mine = statistics.median(floors), statistics.median(ours)
    return Row(work, f"{floor:.3f} %", f"{mine:.3f} %", f"{mine / floor:.2f} ×{spread(floors, ours)}" if floor else "-", f"≤ {most} ×",
               mine > most * floor)
