/*
 * security.h - how the connections to one cluster are secured: TLS, SASL.
 *
 * Part of a cluster's settings (settings.h), which own the texts. Files are only named here; they are read
 * and checked at use. The exceptions are a password, which is read, and keys, which are checked (secret.h), when
 * the settings are loaded.
 */
#ifndef ELECTOP_CONFIG_SECURITY_H
#define ELECTOP_CONFIG_SECURITY_H

#include <stdbool.h>

enum tls_verify {
    TLS_VERIFY_FULL, /* the authority and the name */
    TLS_VERIFY_CA,   /* the authority */
    TLS_VERIFY_NONE
};

enum tls_version { TLS_VERSION_1_2, TLS_VERSION_1_3 };

/* AdminServer: with TLS, or without if it has none; or never without. */
enum tls_admin { TLS_ADMIN_AUTO, TLS_ADMIN_HTTPS };

struct tls_settings {
    bool on;
    char *ca;                /* file of PEM certificates; NULL: those of the system */
    char *cert, *key;        /* PEM files; NULL: none. key NULL: it is in cert */
    char *key_password_file; /* its one line; NULL: the key has none */
    enum tls_verify verify;
    char *server_name; /* the name in the certificate; NULL: the connected host */
    enum tls_version min_version;
    enum tls_admin admin;
};

enum sasl_mechanism { SASL_MECHANISM_NONE, SASL_MECHANISM_GSSAPI, SASL_MECHANISM_DIGEST_MD5 };

struct sasl_settings {
    bool given;
    enum sasl_mechanism mechanism;
    char *credentials_file; /* DIGEST-MD5: one line, user:password */
    char *user, *password;  /* read from it, and never printed */
    char *principal;        /* GSSAPI: of the keytab or the ticket cache; NULL: its first */
    char *keytab;           /* NULL: tickets come from the cache */
    char *ticket_cache;     /* NULL: as KRB5CCNAME says */
    char *service;          /* of the servers: "zookeeper" */
    char *host;             /* in their principal; NULL: the host that was connected to */
};

struct security_settings {
    struct tls_settings tls;
    struct sasl_settings sasl;
};

/*
 * Reads the credentials and checks the files' permissions. False: *error says "what; what to do" (caller
 * frees).
 */
bool security_load(struct security_settings *security, char **error);

/* Reads a file with one line, "scheme:credential" ("digest:user:password"). The scheme is malloc'd, the credential
   a secret (secret.h). False and *error as above. */
bool security_read_auth(const char *file, char **scheme, char **credential, char **error);

#endif
