#include "probe/json/json_finding.h"

#include "probe/json/json_member.h"

void json_finding_write(struct json_writer *writer, const struct finding *finding)
{
    json_write_begin(writer, '{');
    json_member_text(writer, "code", finding_kind(finding->code)->word);
    json_member_text(writer, "severity", severity_word(finding->severity));
    json_member_text(writer, "certainty", certainty_word(finding->certainty));
    json_member_begin(writer, "candidates", '[');
    for (size_t i = 0; i < finding->candidate_count; i++)
        json_write_string(writer, finding->candidates[i]);
    json_write_end(writer, ']');
    json_member_time(writer, "since", finding->since.wall_us);
    json_member_time(writer, "unconfirmed_since",
                     finding->unconfirmed_since.mono_us ? finding->unconfirmed_since.wall_us : 0);
    json_member_text(writer, "evidence", finding->evidence);
    json_member_text(writer, "advice", finding->advice);
    json_write_end(writer, '}');
}
