#include "config/security.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/auth_file.h"
#include "config/memory.h"
#include "config/text.h"

const char *security_file_problem(const char *file)
{
    struct stat status;
    if (stat(file, &status) != 0)
        return errno == ENOENT ? "does not exist; check its name"
                               : "cannot be read; check its folder's permissions";
    if (!S_ISREG(status.st_mode))
        return "is not a plain file; name a plain file";
    if (status.st_uid != geteuid() && status.st_uid != 0)
        return "belongs to another user; change its owner with chown";
    if (status.st_mode & (S_IRWXG | S_IRWXO))
        return "can be read or written by others; run chmod 600 on it";
    return access(file, R_OK) == 0 ? NULL : "cannot be read by this user; change its owner with chown";
}

/* "the KIND "FILE" WHAT" as an error; always false. */
static bool security_refuse(char **error, const char *kind, const char *file, const char *what)
{
    struct text text = {0};
    text_printf(&text, "the %s ", kind);
    text_quote(&text, file, strlen(file));
    text_printf(&text, " %s", what);
    *error = text_take(&text);
    return false;
}

static bool security_say(char **error, const char *what)
{
    *error = xstrdup(what);
    return false;
}

static bool security_check_private(const char *kind, const char *file, char **error)
{
    const char *problem = file ? security_file_problem(file) : NULL;
    return !problem || security_refuse(error, kind, file, problem);
}

static bool security_check_tls(const struct tls_settings *tls, char **error)
{
    if (tls->key && !tls->cert)
        return security_say(error, "tls: a key without a certificate; set tls: cert, too");
    const char *key = tls->key ? tls->key : tls->cert; /* which may hold both */
    return security_check_private("key", key, error) &&
           security_check_private("file with the key's password", tls->key_password_file, error);
}

static bool security_read_credentials(struct sasl_settings *sasl, char **error)
{
    char *colon;
    if (!sasl->credentials_file)
        return security_say(error,
                            "sasl: digest-md5 needs a user and a password; set sasl: credentials_file");
    auth_wipe(sasl->password);
    free(sasl->user);
    sasl->user = sasl->password = NULL;
    char *line = auth_file_read_line(sasl->credentials_file, "credentials file", error);
    if (!line)
        return false;
    colon = strchr(line, ':');
    if (!colon || colon == line || !colon[1]) {
        auth_wipe(line);
        return security_refuse(error, "credentials file", sasl->credentials_file,
                               "contains no credentials; write one line, user:password");
    }
    sasl->user = xstrndup(line, (size_t)(colon - line));
    sasl->password = auth_share(colon + 1);
    auth_wipe(line);
    return true;
}

bool security_load(struct security_settings *security, char **error)
{
    struct sasl_settings *sasl = &security->sasl;
    *error = NULL;
    if (security->tls.key || sasl->keytab)
        auth_protect_process();
    if (security->tls.on && !security_check_tls(&security->tls, error))
        return false;
    if (!sasl->given)
        return true;
    if (sasl->mechanism == SASL_MECHANISM_NONE)
        sasl->mechanism = sasl->credentials_file ? SASL_MECHANISM_DIGEST_MD5 : SASL_MECHANISM_GSSAPI;
    if (sasl->mechanism == SASL_MECHANISM_DIGEST_MD5)
        return security_read_credentials(sasl, error);
    if (sasl->credentials_file)
        return security_say(
            error, "sasl: gssapi takes no credentials_file; write mechanism: digest-md5, or a keytab");
    if (sasl->keytab && sasl->ticket_cache)
        return security_say(error, "sasl: keytab and ticket_cache exclude each other; set one of them");
    return security_check_private("keytab", sasl->keytab, error);
}
