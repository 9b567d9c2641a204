/* Drivers that are not there. */
#include "support/test.h"

#include "device/driver.h"

TEST(what_is_missing_is_said)
{
    const tw_driver *driver = NULL;
    REFUSED(tw_driver_load("abacus", &driver), TWILL_ERR_UNSUPPORTED, "libtwill-abacus.so");
    assert_null(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_missing_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
