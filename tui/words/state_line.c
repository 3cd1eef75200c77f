#include "tui/words/state_line.h"

#include <stdlib.h>
#include <string.h>

#include "config/text.h"
#include "tui/screen/safe.h"
#include "tui/words/labels.h"
#include "tui/words/mutes.h"

char *state_line_name(const struct model *model, const struct election *election)
{
    const struct cluster *cluster = election->cluster;
    bool several = model->cluster_count > 1;
    char *raw =
        text_format("%s%s%s", several ? label_cluster(cluster) : "", several ? " " : "", election->name);
    char *safe = safe_text(raw, strlen(raw), true);
    free(raw);
    return safe;
}

char *state_line(const struct model *model, const struct election *election, struct moment now)
{
    const struct cells plain = {.ascii = true};
    struct badge badge = label_badge_ageless(election, now);
    struct verdict verdict = label_verdict(&plain, election);
    const struct finding *worst = mutes_worst(election, now);
    struct text line = {0};
    char who[256];
    char *name = state_line_name(model, election);
    text_printf(&line, "%s: %s", name, badge.word);
    free(name);
    if (election->leader)
        text_printf(&line,
                    election->state == ELECTION_LED && !label_names_first(election, badge.state)
                        ? " by %s"
                        : ", first is %s",
                    label_who(election->leader, who, sizeof who));
    if (verdict.outlook != OUTLOOK_NONE)
        text_printf(&line, "; next failover: %s", verdict.text);
    if (worst)
        text_printf(&line, "; %s %s, %s", severity_word(worst->severity), finding_kind(worst->code)->word,
                    certainty_word(worst->certainty));
    char *raw = text_take(&line), *safe = safe_text(raw, strlen(raw), true);
    free(raw);
    return safe;
}
