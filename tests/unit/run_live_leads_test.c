/*
 * What lists of somebody's election prove, and what they leave open, of whether one of ours was first.
 */

#include "probe/inject/run_live.h"
#include "tests/support/test.h"

#define NONE INT64_MAX

static char first[] = "n_0000000001", second[] = "n_0000000002", seventh[] = "n_0000000007",
            eighth[] = "n_0000000008", odd[] = "odd";
static char *const list[] = {first, second, seventh, eighth, odd};

/* As long as each list shows somebody before ours, none of ours ever was; also after ours have left. */
TEST(behind_somebody_none_was_first)
{
    struct leads_check leads;
    leads_check_begin(&leads, 100);
    leads_check_list(&leads, list, 2, NONE, 200, 210);
    assert_int_equal(leads.before_least, -1);
    leads_check_list(&leads, list, 5, 7, 300, 310);
    assert_true(leads_check_is_open(&leads));
    leads_check_list(&leads, list + 1, 4, 7, 400, 410);
    leads_check_list(&leads, list + 1, 1, NONE, 500, 510); /* ours have left, and the second stands yet */
    assert_int_equal(leads.first_may_us, 0);
    assert_int_equal(leads.before_least, 1);
    assert_false(leads_check_is_open(&leads));
    leads_check_list(&leads, list, 0, NONE, 600, 610); /* what becomes of it then is none of ours */
    assert_int_equal(leads.first_may_us, 0);
}

/* Where all have gone, ours as well, one of ours may have been first since the list before was asked for. */
TEST(all_gone_leaves_the_time_between_open)
{
    struct leads_check leads;
    leads_check_begin(&leads, 100);
    leads_check_list(&leads, list, 5, 7, 300, 310);
    leads_check_list(&leads, list, 0, NONE, 400, 450);
    assert_int_equal(leads.first_may_us, 150);
    assert_int_equal(leads.before_least, 0);
}

/* Who is seen first is counted until a list shows that it has left; a newer one is not before ours. */
TEST(first_until_it_is_seen_no_more)
{
    struct leads_check leads;
    leads_check_begin(&leads, 100);
    leads_check_list(&leads, list, 5, 7, 300, 310);
    leads_check_list(&leads, list + 2, 2, 7, 400, 410);
    leads_check_list(&leads, list + 3, 1, NONE, 500, 510); /* 8 is somebody who came after ours */
    assert_int_equal(leads.first_may_us, 210);
    leads_check_list(&leads, list, 4, 8, 900, 910); /* back behind others: the longest counts */
    leads_check_list(&leads, list, 2, NONE, 920, 930);
    assert_int_equal(leads.first_may_us, 210);
}

/* A create is answered after a list has shown its znode: whose it is changes, and nobody has left. */
TEST(what_proves_to_be_ours_has_not_left)
{
    struct leads_check leads;
    leads_check_begin(&leads, 100);
    leads_check_list(&leads, list, 2, NONE, 200, 210);
    assert_int_equal(leads.real, 2);
    leads_check_list(&leads, list, 4, NONE, 300, 310); /* 7 and 8 are ours, and that is not known yet */
    assert_int_equal(leads.real, 4);
    assert_false(leads.left);
    leads_check_list(&leads, list, 4, 7, 400, 410);
    assert_int_equal(leads.real, 2);
    assert_false(leads.left);
    leads_check_list(&leads, list + 1, 3, 7, 500, 510);
    assert_int_equal(leads.real, 1);
    assert_true(leads.left);
    leads_check_list(&leads, list + 1, 3, 7, 600, 610); /* said once */
    assert_false(leads.left);
}

/* Somebody who came last goes, and so does one for whom another came. */
TEST(whoever_has_left_is_missed)
{
    struct leads_check leads;
    leads_check_begin(&leads, 100);
    leads_check_list(&leads, list, 3, NONE, 200, 210);
    leads_check_list(&leads, list, 2, NONE, 300, 310);
    assert_true(leads.left);
    leads_check_list(&leads, list + 1, 2, NONE, 400, 410);
    assert_true(leads.left);
    leads_check_list(&leads, list, 0, NONE, 500, 510);
    assert_true(leads.left);
    assert_int_equal(leads.real, 0);
    leads_check_list(&leads, list, 1, NONE, 600, 610);
    assert_false(leads.left);
}
