#include "probe/transport/tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/plain_file.h"
#include "config/secret.h"
#include "config/text.h"
#include "probe/log.h"

/* Sessions that are kept for resumption, one a server. */
#define RESUMABLE_MOST 64
/* The authority's, the certificate's, the key's, and that of its password. */
#define FILES 4

struct resumable {
    char server[80];
    SSL_SESSION *session;
};

struct tls_context {
    const struct tls_settings *settings;
    SSL_CTX *ssl;
    struct file_state files[FILES]; /* as they were when they were last read */
    struct resumable resumables[RESUMABLE_MOST];
    size_t resumable_count, resumable_next;
};

struct tls {
    struct tls_context *context;
    SSL *ssl;
    int fd;
    char server[80];
    char *host;
    bool open, wants_write, failed;
    bool renegotiates; /* the server has asked for another handshake, and was refused */
    char problem[TLS_PROBLEM_TEXT];
};

static int on_certificate(int good, X509_STORE_CTX *);
static void on_message(int sent, int version, int kind, const void *bytes, size_t length, SSL *ssl,
                       void *unused);

static int connection_index = -1;
static BIO_METHOD *socket_method;

/* ---- the socket: OpenSSL's own writes raise SIGPIPE ---- */

static int *bio_fd(BIO *bio)
{
    return BIO_get_data(bio);
}

static int bio_result(BIO *bio, ssize_t result, int retry)
{
    BIO_clear_retry_flags(bio);
    if (result < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
    return (int)result;
}

static int socket_bio_write(BIO *bio, const char *bytes, int length)
{
    return bio_result(bio, send(*bio_fd(bio), bytes, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT),
                      BIO_FLAGS_WRITE);
}

static int socket_bio_read(BIO *bio, char *bytes, int length)
{
    ssize_t got = recv(*bio_fd(bio), bytes, (size_t)length, MSG_DONTWAIT);
    if (got == 0)
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    return bio_result(bio, got, BIO_FLAGS_READ);
}

static long socket_bio_ctrl(BIO *bio, int command, long number, void *pointer)
{
    (void)number, (void)pointer;
    if (command == BIO_CTRL_EOF)
        return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    return command == BIO_CTRL_FLUSH;
}

static bool tls_library_ready(void)
{
    if (socket_method)
        return true;
    connection_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    socket_method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without signals");
    return socket_method && BIO_meth_set_write(socket_method, socket_bio_write) &&
           BIO_meth_set_read(socket_method, socket_bio_read) &&
           BIO_meth_set_ctrl(socket_method, socket_bio_ctrl);
}

/* ---- the context ---- */

static void context_forget_sessions(struct tls_context *context)
{
    for (size_t i = 0; i < context->resumable_count; i++)
        SSL_SESSION_free(context->resumables[i].session);
    context->resumable_count = context->resumable_next = 0;
}

static struct resumable *context_resumable(struct tls_context *context, const char *server)
{
    for (size_t i = 0; i < context->resumable_count; i++)
        if (strcmp(context->resumables[i].server, server) == 0)
            return &context->resumables[i];
    return NULL;
}

/* The library keeps its reference only where this returns 0. */
static int context_on_session(SSL *ssl, SSL_SESSION *session)
{
    struct tls *tls = SSL_get_ex_data(ssl, connection_index);
    struct tls_context *context = tls->context;
    struct resumable *r = context_resumable(context, tls->server);
    if (!r && context->resumable_count < RESUMABLE_MOST) {
        r = &context->resumables[context->resumable_count++];
        r->session = NULL;
    } else if (!r) {
        r = &context->resumables[context->resumable_next++ % RESUMABLE_MOST];
    }
    SSL_SESSION_free(r->session);
    r->session = session;
    snprintf(r->server, sizeof r->server, "%s", tls->server);
    return 1;
}

static const char *file_named(const struct tls_settings *s, int i)
{
    const char *const names[FILES] = {s->ca, s->cert, s->key, s->key_password_file};
    return names[i];
}

static void files_stat(const struct tls_settings *s, struct file_state files[FILES])
{
    for (int i = 0; i < FILES; i++) {
        struct stat status;
        const char *name = file_named(s, i);
        files[i] = (struct file_state){0};
        if (name && stat(name, &status) == 0)
            files[i] = file_state_of(&status);
    }
}

/* The library would wait for a pipe's writer, and read a device without end. A missing file is left to it: it
 * reports that itself. */
static bool files_are_plain(const struct tls_settings *s, char *problem)
{
    for (int i = 0; i < FILES; i++) {
        struct stat status;
        const char *name = file_named(s, i);
        if (!name || stat(name, &status) != 0 || S_ISREG(status.st_mode))
            continue;
        snprintf(problem, TLS_PROBLEM_TEXT, "the file %.100s is not a plain file; name a plain file", name);
        return false;
    }
    return true;
}

static bool context_is_current(struct tls_context *context)
{
    struct file_state now[FILES];
    if (!context->ssl)
        return false;
    files_stat(context->settings, now);
    for (int i = 0; i < FILES; i++)
        if (!file_state_same(&now[i], &context->files[i]))
            return false;
    return true;
}

static int context_on_password(char *buffer, int size, int writing, void *user)
{
    const struct tls_settings *settings = user;
    char *error = NULL;
    char *line = settings->key_password_file
                     ? secret_read_line(settings->key_password_file, "file with the key's password", &error)
                     : NULL;
    size_t length = line ? strlen(line) : 0;
    (void)writing;
    if (length > (size_t)size)
        length = 0;
    if (length)
        memcpy(buffer, line, length);
    secret_end(line);
    free(error);
    return (int)length;
}

static void certificate_date(const ASN1_TIME *time, char *text, size_t size)
{
    struct tm tm = {0};
    if (!time || ASN1_TIME_to_tm(time, &tm) != 1 || strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &tm) == 0)
        snprintf(text, size, "an unreadable date");
}

/* Our own. */
static bool certificate_is_over(const X509 *certificate, const char *file, char *problem)
{
    char date[40];
    const ASN1_TIME *end = certificate ? X509_get0_notAfter(certificate) : NULL;
    if (!end || X509_cmp_current_time(end) >= 0)
        return false;
    certificate_date(end, date, sizeof date);
    snprintf(problem, TLS_PROBLEM_TEXT, "the client certificate %.100s expired on %s; renew it", file, date);
    return true;
}

static const char *library_reason(void)
{
    unsigned long first = ERR_peek_error(), code = ERR_peek_last_error();
    if (ERR_SYSTEM_ERROR(first))
        return strerror(ERR_GET_REASON(first));
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    return reason ? reason : "unreadable";
}

/* -1 and why. */
static int file_open(const char *file, char name[static PLAIN_FILE_NAME], const char **why)
{
    int descriptor = plain_file_open(file, why);
    plain_file_name(descriptor, name);
    return descriptor;
}

static bool context_load_authority(SSL_CTX *ssl, const struct tls_settings *s, char *problem)
{
    if (!s->ca && SSL_CTX_set_default_verify_paths(ssl) == 1)
        return true;
    char name[PLAIN_FILE_NAME];
    const char *why = NULL;
    int descriptor = s->ca ? file_open(s->ca, name, &why) : -1;
    bool good = descriptor >= 0 && SSL_CTX_load_verify_file(ssl, name) == 1;
    if (descriptor >= 0)
        close(descriptor);
    if (good)
        return true;
    snprintf(problem, TLS_PROBLEM_TEXT,
             "cannot read the authority's certificate %.80s (%.60s); check tls: ca (--tls-ca)",
             s->ca ? s->ca : "of the system", s->ca && descriptor < 0 ? why : library_reason());
    return false;
}

/* From the file that is checked, not once more by its name: another may be there by now. */
static bool context_use_key(SSL_CTX *ssl, const struct tls_settings *s, const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    EVP_PKEY *key =
        bio ? PEM_read_bio_PrivateKey(bio, NULL, context_on_password, (void *)(uintptr_t)s) : NULL;
    bool good = key && SSL_CTX_use_PrivateKey(ssl, key) == 1;
    EVP_PKEY_free(key);
    BIO_free(bio);
    return good;
}

static bool context_load_key(SSL_CTX *ssl, const struct tls_settings *s, char *problem)
{
    const char *key = s->key ? s->key : s->cert;
    bool good = false;
    if (!key)
        return true;
    char *error = NULL, *pem = secret_read(key, "key", &error), name[PLAIN_FILE_NAME];
    const char *why = NULL;
    int certificate = pem && s->cert ? file_open(s->cert, name, &why) : -1;
    if (!pem)
        snprintf(problem, TLS_PROBLEM_TEXT, "%s", error);
    else if (certificate < 0 || SSL_CTX_use_certificate_chain_file(ssl, name) != 1)
        snprintf(problem, TLS_PROBLEM_TEXT,
                 "cannot read the certificate %.80s (%.60s); check tls: cert (--tls-cert)",
                 s->cert ? s->cert : "for the key", s->cert && certificate < 0 ? why : library_reason());
    else if (context_use_key(ssl, s, pem))
        good = true;
    else if (ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_X509 &&
             ERR_GET_REASON(ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH)
        snprintf(problem, TLS_PROBLEM_TEXT,
                 "the key %.80s does not belong to the certificate %.80s; check tls: key (--tls-key)", key,
                 s->cert);
    else
        snprintf(problem, TLS_PROBLEM_TEXT,
                 "cannot read the key %.80s (%.60s); check tls: key and key_password_file", key,
                 library_reason());
    if (certificate >= 0)
        close(certificate);
    secret_end(pem);
    free(error);
    return good;
}

bool tls_without_finite_field(void *context)
{
    STACK_OF(SSL_CIPHER) *offered = SSL_CTX_get_ciphers(context);
    struct text names = {0};
    for (int i = 0; i < sk_SSL_CIPHER_num(offered); i++) {
        int exchange = SSL_CIPHER_get_kx_nid(sk_SSL_CIPHER_value(offered, i));
        if (exchange != NID_kx_dhe && exchange != NID_kx_dhe_psk && exchange != NID_kx_any) /* any: TLS 1.3 */
            text_printf(&names, "%s:", SSL_CIPHER_get_name(sk_SSL_CIPHER_value(offered, i)));
    }
    bool good = names.length ? SSL_CTX_set_cipher_list(context, names.at) == 1
                             : SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1;
    text_free(&names);
    return good;
}

static SSL_CTX *context_make(const struct tls_settings *s, char *problem)
{
    SSL_CTX *ssl = SSL_CTX_new(TLS_client_method());
    if (ssl)
        SSL_CTX_set_min_proto_version(ssl,
                                      s->min_version == TLS_VERSION_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION);
    if (!ssl || !tls_without_finite_field(ssl)) {
        snprintf(problem, TLS_PROBLEM_TEXT, "out of memory");
        SSL_CTX_free(ssl);
        return NULL;
    }
    SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                              SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(ssl, 1);
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ssl, context_on_session);
    SSL_CTX_set_default_passwd_cb(ssl, context_on_password);
    SSL_CTX_set_default_passwd_cb_userdata(ssl, (void *)(uintptr_t)s);
    SSL_CTX_set_msg_callback(ssl, on_message);
    SSL_CTX_set_verify(ssl, s->verify == TLS_VERIFY_NONE ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, on_certificate);
    bool good = files_are_plain(s, problem) &&
                ((s->verify == TLS_VERIFY_NONE && !s->ca) || context_load_authority(ssl, s, problem));
    if (good && context_load_key(ssl, s, problem))
        return ssl;
    SSL_CTX_free(ssl);
    return NULL;
}

/* Invalid files change nothing: the earlier ones stay in use. */
static bool context_refresh(struct tls_context *context, char *problem)
{
    if (context_is_current(context))
        return true;
    files_stat(context->settings, context->files);
    ERR_clear_error();
    SSL_CTX *ssl = context_make(context->settings, problem);
    if (!ssl && context->ssl)
        log_line(LOG_LEVEL_WARNING, "%s; the previous files stay in use", problem);
    if (!ssl)
        return context->ssl != NULL;
    context_forget_sessions(context); /* of an authority that may count no more */
    SSL_CTX_free(context->ssl);
    context->ssl = ssl;
    return true;
}

bool tls_check_files(const struct tls_settings *settings, char *problem)
{
    ERR_clear_error();
    SSL_CTX *ssl = context_make(settings, problem);
    SSL_CTX_free(ssl);
    return ssl != NULL;
}

struct tls_context *tls_context_new(const struct tls_settings *settings)
{
    struct tls_context *context = tls_library_ready() ? calloc(1, sizeof *context) : NULL;
    if (context)
        context->settings = settings;
    return context;
}

void tls_context_free(struct tls_context *context)
{
    if (!context)
        return;
    context_forget_sessions(context);
    SSL_CTX_free(context->ssl);
    free(context);
}

/* ---- one connection ---- */

static bool tls_set_name(struct tls *tls)
{
    unsigned char address[16];
    X509_VERIFY_PARAM *verify = SSL_get0_param(tls->ssl);
    bool is_address =
        inet_pton(AF_INET, tls->host, address) == 1 || inet_pton(AF_INET6, tls->host, address) == 1;
    if (!is_address && SSL_set_tlsext_host_name(tls->ssl, tls->host) != 1)
        return false;
    if (tls->context->settings->verify != TLS_VERIFY_FULL)
        return true;
    return is_address ? X509_VERIFY_PARAM_set1_ip_asc(verify, tls->host) == 1
                      : X509_VERIFY_PARAM_set1_host(verify, tls->host, 0) == 1;
}

struct tls *tls_new(struct tls_context *context, int fd, const char *server, const char *host, char *problem)
{
    if (!context_refresh(context, problem))
        return NULL;
    struct tls *tls = calloc(1, sizeof *tls);
    BIO *bio = BIO_new(socket_method);
    if (!tls || !bio)
        goto failed;
    tls->context = context;
    tls->fd = fd;
    snprintf(tls->server, sizeof tls->server, "%s", server);
    tls->host = strdup(context->settings->server_name ? context->settings->server_name : host);
    tls->ssl = SSL_new(context->ssl);
    if (!tls->host || !tls->ssl)
        goto failed;
    BIO_set_data(bio, &tls->fd);
    BIO_set_init(bio, 1);
    SSL_set_bio(tls->ssl, bio, bio);
    bio = NULL;
    SSL_set_ex_data(tls->ssl, connection_index, tls);
    SSL_set_connect_state(tls->ssl);
    struct resumable *r = context_resumable(context, server);
    if (r)
        SSL_set_session(tls->ssl, r->session);
    if (tls_set_name(tls))
        return tls;
failed:
    snprintf(problem, TLS_PROBLEM_TEXT, "TLS cannot begin: out of memory, or the name %.80s is not valid",
             host);
    BIO_free(bio);
    tls_free(tls);
    return NULL;
}

void tls_free(struct tls *tls)
{
    if (!tls)
        return;
    if (tls->ssl && tls->open && !tls->failed) {
        ERR_clear_error();
        SSL_shutdown(tls->ssl);
    }
    SSL_free(tls->ssl);
    free(tls->host);
    free(tls);
}

/* ---- why it failed ---- */

static void certificate_names(X509 *certificate, char *names, size_t size)
{
    size_t used = 0;
    names[0] = '\0';
    GENERAL_NAMES *all = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    for (int i = 0; i < sk_GENERAL_NAME_num(all) && used + 5 < size; i++) {
        const GENERAL_NAME *name = sk_GENERAL_NAME_value(all, i);
        char text[INET6_ADDRSTRLEN] = "";
        const char *shown = text;
        int length = 0;
        if (name->type == GEN_DNS) {
            shown = (const char *)ASN1_STRING_get0_data(name->d.dNSName);
            length = ASN1_STRING_length(name->d.dNSName);
        } else if (name->type == GEN_IPADD) {
            length = ASN1_STRING_length(name->d.iPAddress);
            if (length == 4 || length == 16)
                inet_ntop(length == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(name->d.iPAddress), text,
                          sizeof text);
            length = (int)strlen(text);
        }
        if (length > 0)
            used +=
                (size_t)snprintf(names + used, size - used, "%s\"%.*s\"", used ? ", " : "", length, shown);
    }
    GENERAL_NAMES_free(all);
    if (!names[0]) {
        char common[64] = "";
        X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, common, sizeof common);
        snprintf(names, size, "\"%s\"", common);
    }
    for (char *c = names; *c; c++) /* from a stranger, on its way to a terminal */
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
}

/* certificate: the server's own; wrong: the one in its chain that something is wrong with. */
static void describe_certificate(struct tls *tls, int result, X509 *certificate, X509 *wrong)
{
    char names[80] = "", date[40];
    const char *server = tls->server;
    if (certificate)
        certificate_names(certificate, names, sizeof names);
    switch (result) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        certificate_date(wrong ? X509_get0_notAfter(wrong) : NULL, date, sizeof date);
        snprintf(tls->problem, sizeof tls->problem, "the certificate of %s%s expired on %s; renew it", server,
                 wrong == certificate ? "" : ", or its authority\'s,", date);
        break;
    case X509_V_ERR_CERT_NOT_YET_VALID:
        certificate_date(wrong ? X509_get0_notBefore(wrong) : NULL, date, sizeof date);
        snprintf(tls->problem, sizeof tls->problem,
                 "the certificate of %s is not valid before %s; check the clocks", server, date);
        break;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        snprintf(tls->problem, sizeof tls->problem,
                 "the certificate of %s is for %s, not for %s\"%.60s\"; connect by that name, or set tls: "
                 "server_name",
                 server, names, result == X509_V_ERR_IP_ADDRESS_MISMATCH ? "the address " : "", tls->host);
        break;
    default:
        snprintf(tls->problem, sizeof tls->problem,
                 "the certificate of %s (%s) is signed by no known authority (%.60s); name it with tls: ca",
                 server, names, X509_verify_cert_error_string(result));
    }
}

/* Called by the library for each certificate of a chain. */
static int on_certificate(int good, X509_STORE_CTX *store)
{
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct tls *tls = SSL_get_ex_data(ssl, connection_index);
    if (!good)
        describe_certificate(tls, X509_STORE_CTX_get_error(store), X509_STORE_CTX_get0_cert(store),
                             X509_STORE_CTX_get_current_cert(store));
    return good;
}

/* is_older: it has TLS, of an older version. */
static void describe_version(struct tls *tls, bool is_older)
{
    if (tls->context->settings->min_version == TLS_VERSION_1_3 && is_older)
        snprintf(tls->problem, sizeof tls->problem,
                 "%s has no TLS 1.3; set tls: min_version to 1.2, or let the server offer it (ssl.protocol)",
                 tls->server);
    else
        snprintf(tls->problem, sizeof tls->problem,
                 "%s does not answer with TLS %s or newer: its secureClientPort does, or connect without tls",
                 tls->server, tls->context->settings->min_version == TLS_VERSION_1_3 ? "1.3" : "1.2");
}

static void describe_alert(struct tls *tls, int reason)
{
    const char *server = tls->server;
    const char *ours = tls->context->settings->cert;
    if (ours && certificate_is_over(SSL_get_certificate(tls->ssl), ours, tls->problem))
        return;
    if (reason - SSL_AD_REASON_OFFSET == SSL_AD_HANDSHAKE_FAILURE && !SSL_get_pending_cipher(tls->ssl)) {
        snprintf(tls->problem, sizeof tls->problem,
                 "%s has no cipher of TLS 1.3, ECDHE or RSA, which electop offers; let it take one "
                 "(ssl.ciphersuites)",
                 server);
        return;
    }
    switch (reason - SSL_AD_REASON_OFFSET) {
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNKNOWN_CA:
    case TLS13_AD_CERTIFICATE_REQUIRED:
    case SSL_AD_HANDSHAKE_FAILURE:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_ACCESS_DENIED:
        if (ours)
            snprintf(tls->problem, sizeof tls->problem,
                     "%s refuses the client certificate (%s); the server must trust its authority", server,
                     SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET));
        else
            snprintf(tls->problem, sizeof tls->problem,
                     "%s requires a client certificate (%s); set tls: cert and key", server,
                     SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET));
        break;
    case TLS1_AD_PROTOCOL_VERSION:
        describe_version(tls, true);
        break;
    default:
        snprintf(tls->problem, sizeof tls->problem, "%s ended TLS: %s", server,
                 SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET));
    }
}

/* Renegotiation is refused: it lets others change who speaks, and TLS 1.3 has none. */
static void on_message(int sent, int version, int kind, const void *bytes, size_t length, SSL *ssl,
                       void *unused)
{
    (void)version, (void)unused;
    struct tls *tls = SSL_get_ex_data(ssl, connection_index);
    if (tls && !sent && kind == SSL3_RT_HANDSHAKE && length > 0 &&
        *(const unsigned char *)bytes == SSL3_MT_HELLO_REQUEST)
        tls->renegotiates = true;
}

static void tls_describe(struct tls *tls, int kind)
{
    unsigned long code = ERR_peek_error();
    int reason = ERR_GET_REASON(code);
    const char *server = tls->server;
    if (tls->problem[0]) {
        return; /* on_certificate() has described it */
    } else if (tls->renegotiates) {
        snprintf(tls->problem, sizeof tls->problem,
                 "%s asks to renegotiate TLS, which is refused; turn that off there, or let it offer TLS 1.3",
                 server);
    } else if (kind == SSL_ERROR_SSL && ERR_GET_LIB(code) == ERR_LIB_SSL && reason > SSL_AD_REASON_OFFSET &&
               reason <= SSL_AD_REASON_OFFSET + 255) {
        describe_alert(tls, reason);
    } else if (kind == SSL_ERROR_SSL && !tls->open &&
               (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_PACKET_LENGTH_TOO_LONG ||
                reason == SSL_R_HTTP_REQUEST || reason == SSL_R_UNEXPECTED_MESSAGE ||
                reason == SSL_R_RECORD_TOO_SMALL || reason == SSL_R_UNSUPPORTED_PROTOCOL)) {
        describe_version(tls, reason == SSL_R_UNSUPPORTED_PROTOCOL);
    } else if (kind == SSL_ERROR_SSL) {
        snprintf(tls->problem, sizeof tls->problem, "TLS with %s failed: %s; see the server's log", server,
                 library_reason());
    } else if (!tls->open) {
        snprintf(
            tls->problem, sizeof tls->problem,
            "%s closed the connection in the TLS handshake: it is a port without TLS (secureClientPort has "
            "TLS), it asks for a client certificate (tls: cert and key), or it accepts no more connections",
            server);
    } else {
        snprintf(tls->problem, sizeof tls->problem, "connection to %s lost", server);
    }
}

/* The result of a call of the library: its bytes, or -1 and errno. */
static ssize_t tls_result(struct tls *tls, int result)
{
    tls->wants_write = false;
    if (result > 0)
        return result;
    int error = errno, kind = SSL_get_error(tls->ssl, result);
    if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) {
        tls->wants_write = kind == SSL_ERROR_WANT_WRITE;
        errno = EAGAIN;
        return -1;
    }
    if (kind == SSL_ERROR_ZERO_RETURN && tls->open && !tls->renegotiates)
        return 0;
    bool broke = tls->open && kind == SSL_ERROR_SYSCALL && !tls->renegotiates;
    if (!tls->failed && !broke)
        tls_describe(tls, kind);
    tls->failed = true;
    errno = broke ? error ? error : ECONNRESET : EPROTO;
    return -1;
}

int tls_handshake(struct tls *tls)
{
    if (tls->open || tls->failed)
        return tls->failed ? -1 : 1;
    ERR_clear_error();
    ssize_t done = tls_result(tls, SSL_do_handshake(tls->ssl));
    tls->open = done > 0;
    return tls->open ? 1 : tls->failed ? -1 : 0;
}

/* False: not yet, or never, as errno says. */
static bool tls_is_ready(struct tls *tls)
{
    int ready = tls_handshake(tls);
    if (ready <= 0)
        errno = ready < 0 ? EPROTO : EAGAIN;
    else
        ERR_clear_error();
    return ready > 0;
}

ssize_t tls_send(struct tls *tls, const void *bytes, size_t length)
{
    if (!tls_is_ready(tls))
        return -1;
    return tls_result(tls, SSL_write(tls->ssl, bytes, (int)(length < INT32_MAX ? length : INT32_MAX)));
}

ssize_t tls_recv(struct tls *tls, void *bytes, size_t length)
{
    if (!tls_is_ready(tls))
        return -1;
    return tls_result(tls, SSL_read(tls->ssl, bytes, (int)(length < INT32_MAX ? length : INT32_MAX)));
}

bool tls_is_open(const struct tls *tls)
{
    return tls->open;
}

bool tls_wants_write(const struct tls *tls)
{
    return tls->wants_write;
}

bool tls_has_input(const struct tls *tls)
{
    return tls->open && !tls->failed && SSL_has_pending(tls->ssl);
}

const char *tls_problem(const struct tls *tls)
{
    return tls->problem[0] ? tls->problem : NULL;
}

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
