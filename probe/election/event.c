#include "probe/election/event.h"

const char *event_word(enum event_kind kind)
{
    switch (kind) {
    case EVENT_ELECTION_SEEN:
        return "election-seen";
    case EVENT_ELECTION_GONE:
        return "election-gone";
    case EVENT_CANDIDATE_JOINED:
        return "candidate-joined";
    case EVENT_CANDIDATE_LEFT:
        return "candidate-left";
    case EVENT_LEADER_LOST:
        return "leader-lost";
    case EVENT_LEADER_ELECTED:
        return "leader-elected";
    case EVENT_LEADER_ACKNOWLEDGED:
        return "leader-acknowledged";
    case EVENT_FAILOVER:
        return "failover";
    case EVENT_CONNECTION:
        return "connection";
    case EVENT_FINDING_RAISED:
        return "finding-raised";
    case EVENT_FINDING_CLEARED:
        return "finding-cleared";
    case EVENT_FINDING_MUTED:
        return "finding-muted";
    case EVENT_UNSEEN:
        break;
    }
    return "unseen";
}
