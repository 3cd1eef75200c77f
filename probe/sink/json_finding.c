#include "probe/sink/json_finding.h"

void json_finding_write(struct json_writer *writer, const struct finding *finding)
{
    json_write_begin(writer, '{');
    json_write_key(writer, "code");
    json_write_string(writer, finding_kind(finding->code)->word);
    json_write_key(writer, "severity");
    json_write_string(writer, severity_word(finding->severity));
    json_write_key(writer, "certainty");
    json_write_string(writer, certainty_word(finding->certainty));
    json_write_key(writer, "candidates");
    json_write_begin(writer, '[');
    for (size_t i = 0; i < finding->candidate_count; i++)
        json_write_string(writer, finding->candidates[i]);
    json_write_end(writer, ']');
    json_write_key(writer, "since");
    json_write_time(writer, finding->since.wall_us);
    json_write_key(writer, "unconfirmed_since");
    json_write_time(writer, finding->unconfirmed_since.mono_us ? finding->unconfirmed_since.wall_us : 0);
    json_write_key(writer, "evidence");
    json_write_string(writer, finding->evidence);
    json_write_key(writer, "advice");
    json_write_string(writer, finding->advice);
    json_write_end(writer, '}');
}
