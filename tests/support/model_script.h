/*
 * model_script.h - what happens and what the model must tell of it, as lines of text.
 *
 * A script changes a fake tree, observes parts of it, and states what follows:
 *
 *   watch /election [recipe=NAME] [kind=lock|auto] [acknowledgement=/PATH] [identity=HOW] [found|matched]
 *                             found: by discovery; matched: by a pattern; else named. kind=leader is usual
 *   connect | lose [WHY] | expire | refuse | gap MS | drop
 *   unheard MS                lose it as the server was not heard for so long
 *   stalled MS                it was not, and goes on
 *   + NAME [s=HEX] [DATA]     create (session s; without: persistent). Names are the election's children,
 *   - NAME                    delete                        absolute paths are themselves, "." is the
 *   = NAME DATA               set data                      election's own path
 *   acl PATH                  set the ACL
 *   wind CREATES              how many children were ever created
 *   list [PATH]               observe the children (or that the path is absent)
 *   read NAME                 observe the znode (or that it is absent)
 *   stat NAME                 observe the znode without its data
 *   readall                   read whatever the model wants to have read
 *   gone NAME                 observe that it is absent, whatever the tree says
 *   deny PATH                 observe that it may not be read
 *   unread [acknowledgement]  observe that the servers do not answer what is asked of it, or of that
 *   quick                     a single look is all that will be taken
 *   tick MS                   time passes
 *   restart [MS]              another run begins so much later, beside what was recorded of this one
 *   time                      observe that it has passed
 *   sync [MS]                 observe the children, after a sync (asked for so long ago)
 *
 *   servers N                 the ensemble has so many (1 otherwise)
 *   ticks MS                  ... and they tell this tickTime, and the ends of sessions
 *   client HEX on=N at=ADDRESS [timeout=MS] [ahead=MS]   a session connects, or moves, by a clock that is ahead
 *   away | end | silent | heard | request HEX its connection goes, it is over, it answers no more or again,
 *                                             it makes a request
 *   waits HEX COUNT           for so many answers
 *   did HEX WORD [BACK]       its last request was this, and the latest transaction, or BACK before it
 *   ours                      from here on lists show our own session, up to date
 *   own HEX                 this session is our own
 *   ? evidence wanted|none    servers are asked about a leader's end
 *   ? alone owner|tried|no    one member: each directory beside it has one, too; or others try behind it
 *   ? due MS [watches]        when the next poll may settle a suspicion (0: now), and whether that lists watches
 *   children N                each server counts N watches on children in its rounds (0; -1: it does not say)
 *   ourchildren N             so many of the watches on children are our own
 *   w HEX NAME                sets a watch;  unw HEX NAME  takes it away;  fire NAME  everybody's
 *   round [N]                 ask server N, or each: connections, watches, connections
 *   conns N | seen N          ... connections alone, watches alone (child=COUNT; elsewhere: from another port)
 *   sessions                  ... ZooKeeper's leader for the sessions
 *   stated [N]                ... and for its latest transaction: the tree's, or N later
 *   serves N | missed N      server N is a follower, and answers; or does not answer
 *   hide N watches | connections | sessions
 *   clear NAME                a person says that it wakes after all
 *   ensemble whole|part|unknown N...          these servers belong to the ensemble, and others have left it
 *   proof                     everything that makes it certain: rounds 6 s apart for 36 s, a sync
 *   hold N | follow N         server N holds from here on what there is now; what there is, again
 *   shows N                   the election's own znode is read from server N
 *   over                      ... and the round is
 *   bad N WHAT                server N sends a reply that is none
 *   note                      "turned" is about what is observed from here on
 *   compare                   all servers are read, in a round of its own
 *   findings                  from here on findings are told among the events
 *   failovers                 ... and whole failovers, with cause and phases in milliseconds (-1: open)
 *   people                  ... and who is elected, with identities; whom a failover was to
 *   > EVENT                   the events of the line before, all of them, in order
 *   ? WHAT VALUE              state, leader, since, line, next, recipe, ack, fresh, unseen, complete, guard,
 *                             connection-since, acknowledgement, foreign, identity NAME, tenures, change,
 *                             findings (all but no-guid), all, why CODE, standing CODE,
 *                             raised CODE (when, in ms), link NAME, by NAME, goes NAME, goes-why NAME,
 *                             next-failover, suspected, sound, turned, lock-told, kept-minutes,
 *                             why-nobody, never-led, lost (for how many ms at least, and the description)
 *   # comment
 *
 * The script fails the running cmocka test at the first line that does not hold, with its number.
 */
#ifndef ELECTOP_TESTS_SUPPORT_MODEL_SCRIPT_H
#define ELECTOP_TESTS_SUPPORT_MODEL_SCRIPT_H

/* proves: printed when it fails. */
void model_script_run(const char *proves, const char *script);

#endif
