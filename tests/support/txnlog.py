"""Reads a server's transaction log: who changed what, from the server's own records. And, of a server that is
not running, changes one of them: some states take a server years."""
import collections
import glob
import itertools
import os
import struct
import zlib

# path: of what was created, deleted or set; "" of all else. length: of the whole record. timeout_ms: of a session that
# began.
Transaction = collections.namedtuple("Transaction", "session cxid zxid time_ms type path length timeout_ms")
CREATE, DELETE, SET_DATA, MULTI, CREATE2, CREATE_SESSION, CLOSE_SESSION = 1, 2, 5, 14, 15, -10, -11
CREATE_CONTAINER, DELETE_CONTAINER, CREATE_TTL = 19, 20, 21
ERROR = -1
# One znode that came or went. kind: "create", "delete", or "close", a deletion by the end of its session: with cxid 0
# the servers gave it up, else its client closed it. ephemeral, data: of one that came; made: which creation in its
# directory it is, from 1, where the transaction says it.
Change = collections.namedtuple("Change", "zxid time_ms session cxid kind path ephemeral data made", defaults=(b"", None))
WITH_A_PATH = (CREATE, DELETE, SET_DATA, CREATE2, CREATE_CONTAINER, DELETE_CONTAINER, CREATE_TTL)


def _records(directory):
    """Every record of every log below a directory: the file's path, where the record is, its bytes.

    A file is a 16-byte header (magic, version, database id) and records: Adler-32, length, the record,
    'B'. It is preallocated with zeros: a record without length ends it."""
    for path in glob.glob(os.path.join(directory, "**", "version-2", "log.*"), recursive=True):
        with open(path, "rb") as f:
            log = f.read()
        magic, version, _ = struct.unpack_from(">4siq", log)
        assert (magic, version) == (b"ZKLG", 2), path
        at = 16
        while at + 12 <= len(log):
            checksum, length = struct.unpack_from(">qi", log, at)
            record = log[at + 12:at + 12 + length]
            if length == 0 or len(record) < length or log[at + 12 + length:at + 13 + length] != b"B":
                break
            if zlib.adler32(record) != checksum:
                # The server may be writing just this one: then nothing follows it.
                assert not any(log[at + 13 + length:at + 25 + length]), f"{path} at {at}"
                break
            yield path, at, record
            at += 13 + length


def transactions(*directories, copies=1):
    """All transactions of all logs below some directories, in order. copies: as of changes()."""
    found, logs = {}, collections.defaultdict(set)
    for log, _, record in itertools.chain(*map(_records, directories)):
        session, cxid, zxid, time_ms, kind = struct.unpack_from(">Qiqqi", record)
        path = record[36:_buffer_end(record, 32)].decode() if kind in WITH_A_PATH else ""
        timeout_ms = struct.unpack_from(">i", record, 32)[0] if kind == CREATE_SESSION else 0
        found[zxid] = Transaction(f"0x{session:x}", cxid, zxid, time_ms, kind, path, len(record), timeout_ms)
        logs[zxid].add(os.path.dirname(log))
    return [found[zxid] for zxid in sorted(found) if len(logs[zxid]) >= copies]


def last_zxid(directory):
    """Of the latest transaction; 0 where there is none yet."""
    return max((t.zxid for t in transactions(directory)), default=0)


def visits(zk, after):
    """The sessions begun since then: for each, whether it has ended."""
    log = [t for t in transactions(zk.directory) if t.zxid > after]
    ended = {t.session for t in log if t.type == CLOSE_SESSION}
    return {t.session: t.session in ended for t in log if t.type == CREATE_SESSION}


def rounds(zk, after):
    """How often each server has been visited and left again. A session's first byte is its server."""
    ended = [int(session, 16) >> 56 for session, over in visits(zk, after).items() if over]
    return min(ended.count(server + 1) for server in range(len(zk.addresses)))


def _buffer_end(record, at):
    """Where a string or a buffer ends."""
    return at + 4 + max(struct.unpack_from(">i", record, at)[0], 0)


def _text(record, at):
    """A string, and where it ends."""
    end = _buffer_end(record, at)
    return record[at + 4:end].decode(), end


def _skip_acl(record, at):
    end = at + 4
    for _ in range(max(struct.unpack_from(">i", record, at)[0], 0)):
        end = _buffer_end(record, _buffer_end(record, end + 4))
    return end


def _parts(kind, record, at):
    """What of one transaction concerns znodes: (kind, path, ephemeral[, data, made])."""
    if kind in (CREATE, CREATE2):
        path, end = _text(record, at)
        behind = _buffer_end(record, end)
        flag = _skip_acl(record, behind)
        made = struct.unpack_from(">i", record, flag + 1)[0] if len(record) >= flag + 5 else None
        yield "create", path, record[flag] != 0, record[end + 4:behind], made
    elif kind in (CREATE_CONTAINER, CREATE_TTL):
        yield "create", _text(record, at)[0], False
    elif kind in (DELETE, DELETE_CONTAINER):
        yield "delete", _text(record, at)[0], False
    elif kind == CLOSE_SESSION and len(record) >= at + 4:
        count, at = struct.unpack_from(">i", record, at)[0], at + 4
        for _ in range(max(count, 0)):
            path, at = _text(record, at)
            yield "close", path, False
    elif kind == MULTI:
        count, at, parts = struct.unpack_from(">i", record, at)[0], at + 4, []
        for _ in range(max(count, 0)):
            end = _buffer_end(record, at + 4)
            parts.append((struct.unpack_from(">i", record, at)[0], at + 8, end))
            at = end
        # Where one part failed the whole was refused; the parts before it keep their types.
        if all(part != ERROR for part, _, _ in parts):
            for part, begin, end in parts:
                yield from _parts(part, record[:end], begin)


def _is_bare(record):
    """The end of a session without the paths that go with it: nothing, or a digest (version 2, and 8 bytes)."""
    return len(record) == 32 or len(record) == 44 and struct.unpack_from(">i", record, 32)[0] == 2


def changes(*directories, copies=1):
    """Every znode that came or went, from all logs below some directories, in order.

    copies: in so many servers' logs it must be. A leader writes down what it proposes; where it is deposed before
    anybody agreed, that stays in its own log, and never was."""
    found, logs, bare = {}, collections.defaultdict(set), {}
    for directory in directories:
        for path, _, record in _records(directory):
            session, cxid, zxid, time_ms, kind = struct.unpack_from(">Qiqqi", record)
            parts = () if kind == CLOSE_SESSION and _is_bare(record) else _parts(kind, record, 32)
            found[zxid] = [Change(zxid, time_ms, f"0x{session:x}", cxid, *part) for part in parts]
            logs[zxid].add(os.path.dirname(path))
            if kind == CLOSE_SESSION and _is_bare(record):
                bare[zxid] = Change(zxid, time_ms, f"0x{session:x}", cxid, "close", "", False)
    kept = [zxid for zxid in sorted(found) if len(logs[zxid]) >= copies]
    return _with_bare_closings(kept, found, bare)


def _with_bare_closings(kept, found, bare):
    """All changes in order. Before 3.6, the end of a session is logged without the paths that go with it."""
    owned, all_of_them = {}, []
    for zxid in kept:
        if closing := bare.get(zxid):
            found[zxid] = [closing._replace(path=path) for path, owner in owned.items() if owner == closing.session]
        for change in found[zxid]:
            if change.kind == "create" and change.ephemeral:
                owned[change.path] = change.session
            elif change.kind != "create":
                owned.pop(change.path, None)
        all_of_them += found[zxid]
    return all_of_them


def age_directory(directory, child, created):
    """As if so many children had been created in a directory when this one was: in the server's own log, from
    which it reads that number (parentCVersion) when it starts again."""
    for path, at, record in _records(directory):
        name_end = _buffer_end(record, 32)
        if struct.unpack_from(">i", record, 28)[0] not in (CREATE, CREATE2) or record[36:name_end] != child.encode():
            continue
        acl = _buffer_end(record, name_end)
        end = _skip_acl(record, acl)
        changed = bytearray(record)
        struct.pack_into(">i", changed, end + 1, created)
        with open(path, "r+b") as f:
            f.seek(at)
            f.write(struct.pack(">q", zlib.adler32(changed)))
            f.seek(at + 12)
            f.write(changed)
        return
    raise AssertionError(f"the creation of {child} is in no log below {directory}")
