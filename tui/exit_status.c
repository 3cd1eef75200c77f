#include "tui/exit_status.h"

const struct exit_status_row exit_status_table[] = {
    {"0", "Done. A snapshot was taken, whatever it shows."},
    {"1", "once --strict: an election that needs a leader has none, or its state is unknown; a finding has "
          "severity error or critical; there was no election to check; or not everything could be searched. "
          "inject: an expectation failed, or the run ended early, lost an agent, or lost all servers that "
          "could describe it."},
    {"2", "Wrong usage or configuration, refused for safety, or standard output cannot be written."},
    {"3",
     "No snapshot: no cluster answered within --wait, every path was denied, or discovery did not finish in "
     "time and found nothing. report: nothing was recorded in that time. demo --no-screen: its servers "
     "ended."},
    {"128 + n", "Ended by signal n after an orderly shutdown (130 for Ctrl-C)."},
};
const size_t exit_status_count = sizeof exit_status_table / sizeof exit_status_table[0];
