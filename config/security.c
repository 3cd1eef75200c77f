#include "config/security.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/secret.h"
#include "config/memory.h"

static bool security_say(char **error, const char *what)
{
    *error = xstrdup(what);
    return false;
}

static bool security_check_private(const char *kind, const char *file, char **error)
{
    int descriptor = file ? secret_open(file, kind, error) : -1;
    if (descriptor >= 0)
        close(descriptor);
    return !file || descriptor >= 0;
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
    secret_end(sasl->password);
    free(sasl->user);
    sasl->user = sasl->password = NULL;
    char *line = secret_read_line(sasl->credentials_file, "credentials file", error);
    if (!line)
        return false;
    colon = strchr(line, ':');
    if (!colon || colon == line || !colon[1]) {
        secret_end(line);
        return secret_refuse(error, "credentials file", sasl->credentials_file,
                             "contains no credentials; write one line, user:password");
    }
    sasl->user = xstrndup(line, (size_t)(colon - line));
    sasl->password = secret_share(colon + 1);
    secret_end(line);
    return true;
}

bool security_load(struct security_settings *security, char **error)
{
    struct sasl_settings *sasl = &security->sasl;
    *error = NULL;
    if (security->tls.key || security->tls.cert || sasl->given)
        secret_protect_process();
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

#define FORM "write one line such as digest:user:password"

/* Splits the line. NULL: valid; else the problem. */
static const char *security_split_auth(const char *line, char **scheme, char **credential)
{
    if (!*line)
        return "is empty; " FORM;
    const char *colon = strchr(line, ':');
    size_t word = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789");
    if (!colon || colon == line || line + word != colon)
        return "does not begin with a scheme and a colon; " FORM;
    if (!colon[1])
        return "has no credential after its scheme; " FORM;
    if (strncmp(line, "digest:", 7) == 0 && !strchr(colon + 1, ':'))
        return "has no user and password after digest; " FORM;
    *scheme = xstrndup(line, word);
    *credential = secret_share(colon + 1);
    return NULL;
}

bool security_read_auth(const char *file, char **scheme, char **credential, char **error)
{
    *scheme = *credential = NULL;
    char *line = secret_read_line(file, "auth file", error);
    const char *what = line ? security_split_auth(line, scheme, credential) : NULL;
    secret_end(line);
    return line && (!what || secret_refuse(error, "auth file", file, what));
}
