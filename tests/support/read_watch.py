"""Watches, beside any live test, that the program reads next to nothing while nothing changes."""
import threading
import time
from http.client import HTTPException

from patience import stretched

# Three reads, three probes of a dashboard, and two polls with three requests each. tests/live/test_reads.py is stricter.
PER_S = 3 + 3 + 2 * 3
EVERY_S = 2
STILL = 3     # so many looks in a row without a transaction: what the last one led to has been read
MANY = 2000   # sessions: a list of more costs the servers too much


class ReadWatch:
    """The program's sessions are those that watch a path with its mark at the end. Each of their requests counts,
    by the servers' own figures: a session's number does not grow by pings."""

    def __init__(self, ensemble, mark="/electop-observer"):
        self.ensemble, self.mark, self.wrong, self.over = ensemble, mark, [], threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _look(self):
        """The latest transaction, and the requests of each of the program's sessions."""
        connections = [one for each in self.ensemble.of_admin("connections", "connections") for one in each]
        ours = {int(session) for each in self.ensemble.of_admin("watches", "session_id_to_watched_paths")
                for session, paths in each.items() if any(path.endswith(self.mark) for path in paths)}
        zxid = max(each["last_processed_zxid"] for each in self.ensemble.of_admin("srvr", "server_stats"))
        return zxid, len(connections), {(one["session_id"], one["established"]): one["last_cxid"]
                                        for one in connections if one["session_id"] in ours}

    def _watch(self):
        before, still = None, 0
        while not self.over.wait(EVERY_S):
            try:
                begun = time.monotonic()
                zxid, count, now = self._look()
                ended = time.monotonic()
            except (OSError, HTTPException, ValueError, KeyError):  # its servers are what the tests stop
                before, still = None, 0
                continue
            still = still + 1 if before and before[0] == zxid else 0
            for session, last in now.items() if still >= STILL and count < MANY else ():
                took_s = ended - before[1]
                if session in before[2] and last - before[2][session] > PER_S * took_s + 1:
                    self.wrong.append(f"{time.strftime('%T')}: session {session[0]:#x} made {last - before[2][session]} reads in {took_s:.1f} s")
            before = zxid, begun, now

    def close(self):
        assert self.thread.is_alive()
        self.over.set()
        self.thread.join(stretched(20))
        assert not self.wrong, self.wrong
