"""What is true, and what electop reports, in a few words for a table."""
from electop import elections


def truth_in_words(client, seen):
    if not client.claims:
        return "no election"
    holders = seen.holders[client]
    names = dict(zip((life.name for life in seen.standing[client]), seen.names[client]))
    held = [names[life.name].split(":")[0] for life in holders]
    waiting = [name.split(":")[0] for life, name in zip(seen.standing[client], seen.names[client]) if life not in holders]
    word = "leads" if client.claim == "election" else "holds" if len(held) == 1 else "hold"
    return f"{', '.join(held)} {word}; {', '.join(waiting) or 'none'} waiting"


def report_in_words(client, seen, path):
    if not client.claims:
        below = [e for p, e in sorted(elections(seen.discovered).items()) if p == path or p.startswith(path + "/")]
        return "; ".join(f"{e['path'][len(path) + 1:] or 'it'} looks like {e['recipe']} ({e['state']})" for e in below) \
            or "nothing"
    if election := elections(seen.named).get(path):
        leading = [c["identity"] or c["name"] for c in election["candidates"] if c["state"] in ("leader", "holder")]
        codes = sorted({f"{f['code']} ({f['severity']}, {f['certainty']})" for f in election["findings"] or []})
        waiting = sum(c["state"] not in ("leader", "holder") for c in election["candidates"])
        shown = f"; {waiting} waiting"
        if client.fixed:  # those of a lock are among its members: see judge.py
            members = len(election["members"] or ())
            shown = f"; {members} member{'s' if members > 1 else ''}" if members else ""
        return f"{election['recipe']}: {', '.join(leading) or election['state']}{shown}" + \
               (f"; {', '.join(codes)}" if codes else "")
    return "nothing"
