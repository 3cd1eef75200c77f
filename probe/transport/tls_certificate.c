#include "probe/transport/tls_certificate.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <unistd.h>

#define LIFETIME_S (30L * 24 * 3600)
/* A machine that was suspended may be a little behind. */
#define BEFORE_S 300L

static bool certificate_extend(X509 *certificate, int kind, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    bool good = extension && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return good;
}

static bool certificate_name(X509 *certificate)
{
    X509_NAME *name = X509_get_subject_name(certificate);
    static const unsigned char text[] = "electop demo";
    return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1 &&
           X509_set_issuer_name(certificate, name) == 1;
}

static bool certificate_fill(X509 *certificate, EVP_PKEY *key)
{
    unsigned char serial[8];
    uint64_t number = 0;
    if (RAND_bytes(serial, sizeof serial) != 1)
        return false;
    for (size_t i = 0; i < sizeof serial; i++)
        number = number << 8 | serial[i];
    return X509_set_version(certificate, 2) == 1 &&
           ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number >> 1 | 1) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -BEFORE_S) &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), LIFETIME_S) &&
           X509_set_pubkey(certificate, key) == 1 && certificate_name(certificate) &&
           certificate_extend(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
           certificate_extend(certificate, NID_subject_key_identifier, "hash") &&
           certificate_extend(certificate, NID_subject_alt_name,
                              "IP:127.0.0.1,IP:0:0:0:0:0:0:0:1,DNS:localhost") &&
           X509_sign(certificate, key, EVP_sha256()) > 0;
}

/* key NULL: the certificate alone. */
static bool certificate_write(const char *path, X509 *certificate, EVP_PKEY *key)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool good = (!key || PEM_write_PKCS8PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1) &&
                PEM_write_X509(file, certificate) == 1;
    return fclose(file) == 0 && good;
}

bool tls_certificate_make(const char *server, const char *ca)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    bool good = key && certificate && certificate_fill(certificate, key) &&
                certificate_write(server, certificate, key) && certificate_write(ca, certificate, NULL);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return good;
}
