"""Which transactions of several servers' logs the servers kept, and which they lost although a majority had them.

A leader proposes a change upon all that it holds: it names the number of the parent's creations so far, it never creates
what is there, nor deletes what is not, and a session that it ended changes nothing any more. Where a transaction says
otherwise than those before it, the leader that proposed it did not hold them all: ZooKeeper lost them with an earlier
leader (ZOOKEEPER-4643, ZOOKEEPER-4646). Which they are, the logs alone decide, whatever anybody told of them."""
import collections

# since, until: the wall clock's seconds from the first transaction that was lost to the first of the leader that lacked
# it. zxids: the transactions that were lost. paths: what they created or deleted, with its directory. proof: what the logs
# say of it.
Loss = collections.namedtuple("Loss", "since until zxids paths proof")
# A leader that lacks more than so many was given wrong data, which is a fault of the test.
MOST = 1000


class Tree:
    """What a server holds after some transactions: as much of it as contradicts wrong ones."""

    def __init__(self):
        self.made, self.ended = {"/": None}, set()  # path: how many children were created in it; None: not known

    def contradiction(self, change):
        """Applies it; what of it cannot be, upon all before it, or None."""
        parent, wrong = change.path.rsplit("/", 1)[0] or "/", None
        if change.kind != "close" and change.session in self.ended:
            wrong = "its session was over"
        if change.kind == "create":
            made = self.made.get(parent)
            if change.path in self.made:
                wrong = f"{change.path} was there"
            elif parent not in self.made:
                wrong = f"{parent} was not there"
            elif made is not None and change.made is not None and change.made != made + 1:
                wrong = f"it is creation {change.made} in {parent}, after {made}"
            self.made[parent], self.made[change.path] = change.made, 0
        elif self.made.pop(change.path, self) is self:
            wrong = f"{change.path} was not there"
        if change.kind == "close":
            self.ended.add(change.session)
        return wrong


def first_contradiction(steps):
    """(index, what cannot be) of the first transaction that is not upon all those before it; None: they are one history."""
    tree = Tree()
    for i, step in enumerate(steps):
        wrong = [found for found in map(tree.contradiction, step) if found]
        if wrong:
            return i, wrong[0]
    return None


def epoch(step):
    return step[0].zxid >> 32


def without(steps, at):
    """(first, end) of the fewest transactions just before one epoch's first that this leader lacked, such that what it
    proposed at this index, and all else of that epoch, is upon the others; None: there are none."""
    begins = [i for i in range(1, at + 1) if epoch(steps[i]) != epoch(steps[i - 1])][-4:]
    end = next((i for i in range(at, len(steps)) if epoch(steps[i]) != epoch(steps[at])), len(steps))
    for count in range(1, MOST):
        for begin in reversed(begins):
            if count <= begin and not first_contradiction(steps[:begin - count] + steps[begin:end]):
                return begin - count, begin
    return None


def surviving(changes):
    """The changes that the servers kept, in order; and the Losses. What contradicts otherwise stays as it is."""
    steps = []
    for change in changes:
        if steps and steps[-1][0].zxid == change.zxid:
            steps[-1].append(change)
        else:
            steps.append([change])
    losses = []
    while found := first_contradiction(steps):
        at, wrong = found
        lost = without(steps, at)
        if not lost:
            break
        first, end = lost
        gone = [change for step in steps[first:end] for change in step]
        losses.append(Loss(gone[0].time_ms / 1000, steps[end][0].time_ms / 1000, [step[0].zxid for step in steps[first:end]],
                           collections.Counter(path for c in gone for path in (c.path, c.path.rsplit("/", 1)[0])),
                           f"{steps[at][0].zxid:#x}: {wrong}"))
        del steps[first:end]
    return [change for step in steps for change in step], losses
