"""Reads a server's transaction log: who changed what, from the server's own records."""
import collections
import glob
import os
import struct
import zlib

Transaction = collections.namedtuple("Transaction", "session cxid zxid time_ms type")
CREATE_SESSION, CLOSE_SESSION = -10, -11


def transactions(directory):
    """All transactions of all logs below a directory, in order.

    A file is a 16-byte header (magic, version, database id) and records: Adler-32, length, the record,
    'B'. It is preallocated with zeros: a record without length ends it."""
    found = {}
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
            assert zlib.adler32(record) == checksum, f"{path} at {at}"
            session, cxid, zxid, time_ms, kind = struct.unpack_from(">QiqqI", record)
            found[zxid] = Transaction(f"0x{session:x}", cxid, zxid, time_ms, kind - (1 << 32) if kind >> 31 else kind)
            at += 13 + length
    return [found[zxid] for zxid in sorted(found)]
