/*
 * keys - prints the dashboard's one table of keys for tests, a JSON object a line: what each does, its codes
 * (a character, or the name of a key without one), and whether it would write.
 */
#include <stdio.h>

#include "tui/screen/key_bindings.h"

static const char *const names[] = {[KEY_CODE_UP - KEY_CODE_BASE] = "Up",
                                    [KEY_CODE_DOWN - KEY_CODE_BASE] = "Down",
                                    [KEY_CODE_LEFT - KEY_CODE_BASE] = "Left",
                                    [KEY_CODE_RIGHT - KEY_CODE_BASE] = "Right",
                                    [KEY_CODE_PAGE_UP - KEY_CODE_BASE] = "PageUp",
                                    [KEY_CODE_PAGE_DOWN - KEY_CODE_BASE] = "PageDown",
                                    [KEY_CODE_HOME - KEY_CODE_BASE] = "Home",
                                    [KEY_CODE_END - KEY_CODE_BASE] = "End",
                                    [KEY_CODE_ENTER - KEY_CODE_BASE] = "Enter",
                                    [KEY_CODE_ESCAPE - KEY_CODE_BASE] = "Escape",
                                    [KEY_CODE_BACKSPACE - KEY_CODE_BASE] = "BSpace",
                                    [KEY_CODE_F1 - KEY_CODE_BASE] = "F1",
                                    [KEY_CODE_F10 - KEY_CODE_BASE] = "F10"};

int main(void)
{
    size_t count;
    const struct key_binding *bindings = key_bindings(&count);
    for (size_t i = 0; i < count; i++) {
        printf("{\"help\": \"%s\", \"writes\": %s, \"codes\": [", bindings[i].help,
               bindings[i].writes ? "true" : "false");
        for (size_t j = 0; j < KEY_CODES_MOST && bindings[i].codes[j]; j++) {
            int code = bindings[i].codes[j];
            if (code >= KEY_CODE_BASE)
                printf("%s\"%s\"", j ? ", " : "", names[code - KEY_CODE_BASE]);
            else
                printf("%s%d", j ? ", " : "", code);
        }
        printf("]}\n");
    }
    return 0;
}
