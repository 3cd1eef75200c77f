#include "probe/transport/sasl.h"

#include <errno.h>
#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>
#include <krb5/krb5.h>
#include <pthread.h>
#include <sasl/sasl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/memory.h"
#include "config/plain_file.h"
#include "config/secret.h"
#include "probe/loop_timer.h"

#define SERVICE "zookeeper"
/* ZooKeeper's servers all have this name in DIGEST-MD5. */
#define DIGEST_HOST "zk-sasl-md5"
/* A ticket that expires sooner is not used: one is fetched anew. */
#define TICKET_LEAST_S 60
/* After the KDC gave no ticket, it is not asked again for this long. */
#define REFUSED_FOR_S 1
#define KEYTAB_NAME (PLAIN_FILE_NAME + 5)
/* Of a server that requires a login, and of one that does not. */
#define ERROR_LOGIN_REQUIRED (-124)
#define ERROR_LOGIN_FAILED (-115)

/* Shared by the logins that use it: the context may fetch another while they last. */
struct sasl_ticket {
    atomic_int users;
    gss_cred_id_t credential;
    int keytab; /* the file that it may be renewed from; -1: none */
};

struct sasl_context {
    const struct sasl_settings *settings;
    atomic_int users;     /* this context's owner, and the jobs that are under way */
    pthread_mutex_t lock; /* of the fields below; held while a KDC is asked, so never taken on the loop */
    struct sasl_ticket *ticket; /* NULL: none yet */
    char host[256];             /* that a ticket is known for ... */
    time_t valid_until_s;
    time_t refused_s;
    char refused_host[256]; /* empty: no host gets a ticket */
    char refusal[SASL_PROBLEM_TEXT];
    char cache[64];                /* in memory, for a keytab's tickets, or those of a file */
    bool copied;                   /* it has those of a file ... */
    struct file_state copied_file; /* ... as it was then */
    char keytab[KEYTAB_NAME];      /* the latest */
};

/* One step of a login by GSSAPI, off the loop: the library may ask a KDC, and opens files, at each of them. The first
 * one fetches a ticket. Lives until both sides have let go. */
struct sasl_job {
    pthread_mutex_t lock;
    int holders;
    bool abandoned; /* the login was abandoned */
    uv_async_t *done;
    struct sasl_context *context;
    sasl_conn_t *connection;
    char host[256];
    char *answer; /* the server's; NULL: it is the first step */
    unsigned answer_length;
    /* Its results. */
    struct sasl_ticket *ticket; /* that the connection uses */
    int result;
    const char *token;
    unsigned length;
    char problem[SASL_PROBLEM_TEXT];
};

struct sasl {
    struct sasl_context *context;
    uv_loop_t *loop;
    char server[160], host[256];
    void (*ready)(void *);
    void *ready_context;
    sasl_conn_t *connection;
    sasl_callback_t callbacks[4];
    sasl_secret_t *secret;
    struct sasl_job *job;
    struct sasl_ticket *ticket; /* that the connection uses */
    bool last_sent;
    int rounds;
    char problem[SASL_PROBLEM_TEXT + 120];
};

static bool is_gssapi(const struct sasl_context *context)
{
    return context->settings->mechanism == SASL_MECHANISM_GSSAPI;
}

/* ---- the library ---- */

static void *sasl_lock_new(void)
{
    pthread_mutex_t *lock = malloc(sizeof *lock);
    if (lock)
        pthread_mutex_init(lock, NULL);
    return lock;
}

static int sasl_lock(void *lock)
{
    return pthread_mutex_lock(lock) ? SASL_FAIL : SASL_OK;
}

static int sasl_unlock(void *lock)
{
    return pthread_mutex_unlock(lock) ? SASL_FAIL : SASL_OK;
}

static void sasl_lock_free(void *lock)
{
    pthread_mutex_destroy(lock);
    free(lock);
}

static int on_library_log(void *context, int level, const char *message)
{
    (void)context, (void)level, (void)message; /* else it writes to the system's log */
    return SASL_OK;
}

/* The library takes callbacks of every kind as this one. */
typedef int (*sasl_callback_fn)(void);
#define CALLBACK(function) ((sasl_callback_fn)(void (*)(void))(function))

static bool sasl_library_ready(void)
{
    static bool ready;
    static const sasl_callback_t callbacks[] = {{SASL_CB_LOG, CALLBACK(on_library_log), NULL},
                                                {SASL_CB_LIST_END, NULL, NULL}};
    if (!ready) {
        sasl_set_mutex(sasl_lock_new, sasl_lock, sasl_unlock, sasl_lock_free);
        sasl_set_alloc(malloc, calloc, secret_library_realloc, secret_library_free);
        ready = sasl_client_init(callbacks) == SASL_OK;
    }
    return ready;
}

static int on_name_asked(void *context, int id, const char **result, unsigned *length)
{
    const struct sasl *s = context;
    (void)id;
    *result = s->context->settings->user;
    if (length)
        *length = (unsigned)strlen(*result);
    return SASL_OK;
}

static int on_password_asked(sasl_conn_t *connection, void *context, int id, sasl_secret_t **secret)
{
    (void)connection, (void)id;
    *secret = ((struct sasl *)context)->secret;
    return SASL_OK;
}

/* ---- tickets, on a thread ---- */

static void keep_printable(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
}

static void kerberos_text(OM_uint32 code, int kind, char *text, size_t size)
{
    OM_uint32 minor, more = 0;
    gss_buffer_desc message = GSS_C_EMPTY_BUFFER;
    text[0] = '\0';
    gss_display_status(&minor, code, kind, kind == GSS_C_MECH_CODE ? gss_mech_krb5 : GSS_C_NO_OID, &more,
                       &message);
    if (message.length)
        snprintf(text, size, "%.*s", (int)message.length, (const char *)message.value);
    gss_release_buffer(&minor, &message);
    keep_printable(text);
}

/* name: for libkrb5. -1 and the problem: it is refused. */
static int keytab_open(const char *file, char name[static KEYTAB_NAME], char *problem)
{
    char *error, plain[PLAIN_FILE_NAME];
    int descriptor = secret_open(file, "keytab", &error);
    if (descriptor < 0)
        snprintf(problem, SASL_PROBLEM_TEXT, "%s", error);
    free(error);
    plain_file_name(descriptor, plain);
    snprintf(name, KEYTAB_NAME, "FILE:%s", plain);
    return descriptor;
}

/* The library says only that it has no ticket. principal: its full name, with the realm. */
static bool keytab_lacks(const struct sasl_settings *s, const char *file, char *principal, size_t size)
{
    krb5_context kerberos = NULL;
    krb5_keytab keytab = NULL;
    krb5_principal name = NULL;
    krb5_keytab_entry entry;
    char *text = NULL;
    krb5_error_code error = krb5_init_context(&kerberos);
    if (error)
        return false;
    error = krb5_parse_name(kerberos, s->principal, &name);
    error = error ? error : krb5_unparse_name(kerberos, name, &text);
    error = error ? error : krb5_kt_resolve(kerberos, file, &keytab);
    error = error ? error : krb5_kt_get_entry(kerberos, keytab, name, 0, 0, &entry);
    if (!error)
        krb5_free_keytab_entry_contents(kerberos, &entry);
    snprintf(principal, size, "%s", text ? text : s->principal);
    if (keytab)
        krb5_kt_close(kerberos, keytab);
    krb5_free_unparsed_name(kerberos, text);
    krb5_free_principal(kerberos, name);
    krb5_free_context(kerberos);
    return error == KRB5_KT_NOTFOUND;
}

/* It is no keytab, or has no key at all. */
static bool keytab_is_empty(const char *file)
{
    krb5_context kerberos = NULL;
    krb5_keytab keytab = NULL;
    if (krb5_init_context(&kerberos))
        return false;
    bool empty = krb5_kt_resolve(kerberos, file, &keytab) || krb5_kt_have_content(kerberos, keytab);
    if (keytab)
        krb5_kt_close(kerberos, keytab);
    krb5_free_context(kerberos);
    return empty;
}

bool sasl_check_files(const struct sasl_settings *s, char *problem)
{
    char principal[120], file[KEYTAB_NAME];
    if (s->mechanism != SASL_MECHANISM_GSSAPI || !s->keytab)
        return true;
    int descriptor = keytab_open(s->keytab, file, problem);
    if (descriptor < 0)
        return false;
    bool empty = keytab_is_empty(file);
    bool lacks = !empty && s->principal && keytab_lacks(s, file, principal, sizeof principal);
    close(descriptor);
    if (empty)
        snprintf(problem, SASL_PROBLEM_TEXT, "the keytab %.120s contains no key; check sasl: keytab",
                 s->keytab);
    else if (lacks)
        snprintf(problem, SASL_PROBLEM_TEXT, "%.80s has no key for %.80s; check sasl: keytab and principal",
                 s->keytab, principal);
    return !empty && !lacks;
}

/* Why there is no ticket; text: in Kerberos's words. */
static void ticket_describe(const struct sasl_context *context, bool expired, const char *text, char *problem)
{
    const struct sasl_settings *s = context->settings;
    char principal[120];
    if (s->keytab && s->principal && keytab_lacks(s, context->keytab, principal, sizeof principal))
        snprintf(problem, SASL_PROBLEM_TEXT, "%.80s has no key for %.80s; check sasl: keytab and principal",
                 s->keytab, principal);
    else if (s->keytab)
        snprintf(problem, SASL_PROBLEM_TEXT,
                 "no Kerberos ticket by the keytab %.60s (%s); check sasl: keytab", s->keytab, text);
    else if (expired)
        snprintf(problem, SASL_PROBLEM_TEXT,
                 "the Kerberos ticket has expired; run kinit, or set sasl: keytab");
    else
        snprintf(problem, SASL_PROBLEM_TEXT, "no Kerberos ticket (%s); run kinit, or set sasl: keytab", text);
}

/* A failure of Kerberos, in words for its user. */
static void kerberos_describe(const struct sasl_context *context, OM_uint32 major, OM_uint32 minor,
                              const char *host, char *problem)
{
    const struct sasl_settings *s = context->settings;
    char text[120];
    kerberos_text(minor ? minor : major, minor ? GSS_C_MECH_CODE : GSS_C_GSS_CODE, text, sizeof text);
    bool expired =
        GSS_ERROR(major) == GSS_S_CREDENTIALS_EXPIRED || (krb5_error_code)minor == KRB5KRB_AP_ERR_TKT_EXPIRED;
    switch ((krb5_error_code)minor) {
    case KRB5KRB_AP_ERR_SKEW:
    case KRB5KRB_AP_ERR_TKT_NYV:
    case KRB5_KDCREP_SKEW:
        snprintf(problem, SASL_PROBLEM_TEXT,
                 "Kerberos: this machine's clock and the KDC's differ too much; set the clock");
        return;
    case KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN:
        snprintf(problem, SASL_PROBLEM_TEXT,
                 "Kerberos knows no service %s/%.100s; connect by the host's full name, or set sasl: host",
                 s->service ? s->service : SERVICE, host);
        return;
    case KRB5KDC_ERR_C_PRINCIPAL_UNKNOWN:
        snprintf(problem, SASL_PROBLEM_TEXT,
                 "Kerberos does not know the principal %.80s; check sasl: principal",
                 s->principal ? s->principal : "of the keytab");
        return;
    case KRB5_KDC_UNREACH:
    case KRB5_REALM_UNKNOWN:
    case KRB5_REALM_CANT_RESOLVE:
        snprintf(problem, SASL_PROBLEM_TEXT, "no KDC answers (%s); check /etc/krb5.conf and the network",
                 text);
        return;
    default:
        ticket_describe(context, expired, text, problem);
    }
}

/* What kinit writes has some kilobytes. */
#define CACHE_MOST (1 << 20)

/* Of a collection with several the one with tickets of this principal. */
static krb5_error_code cache_find(const struct sasl_settings *s, krb5_context kerberos, const char *name,
                                  krb5_ccache *found)
{
    krb5_principal owner = NULL;
    bool named = s->principal && !s->ticket_cache && strncmp(name, "FILE:", 5) != 0 &&
                 krb5_parse_name(kerberos, s->principal, &owner) == 0;
    bool matched = named && krb5_cc_cache_match(kerberos, owner, found) == 0;
    krb5_free_principal(kerberos, owner);
    return matched ? 0 : krb5_cc_resolve(kerberos, name, found);
}

/* Into the cache in memory. */
static bool cache_copy(const struct sasl_context *context, krb5_context kerberos, const char *name,
                       char *problem)
{
    char text[120];
    krb5_ccache from = NULL, to = NULL;
    krb5_principal owner = NULL;
    krb5_error_code error = cache_find(context->settings, kerberos, name, &from);
    error = error ? error : krb5_cc_get_principal(kerberos, from, &owner);
    error = error ? error : krb5_cc_resolve(kerberos, context->cache, &to);
    error = error ? error : krb5_cc_initialize(kerberos, to, owner);
    error = error ? error : krb5_cc_copy_creds(kerberos, from, to);
    if (error) {
        const char *message = krb5_get_error_message(kerberos, error); /* GSSAPI knows its own errors only */
        snprintf(text, sizeof text, "%s", message);
        krb5_free_error_message(kerberos, message);
        keep_printable(text);
        ticket_describe(context, false, text, problem);
    }
    krb5_free_principal(kerberos, owner);
    if (from)
        krb5_cc_close(kerberos, from);
    if (to)
        krb5_cc_close(kerberos, to);
    return !error;
}

/* One that is as it was copied last is not read again: the tickets for services are kept. */
static bool cache_read_file(struct sasl_context *context, krb5_context kerberos, const char *file,
                            char *problem)
{
    struct stat status;
    char *error, plain[PLAIN_FILE_NAME], name[KEYTAB_NAME];
    if (access(file, F_OK) != 0 && errno == ENOENT) {
        snprintf(problem, SASL_PROBLEM_TEXT,
                 "no Kerberos ticket (there is no %.120s); run kinit, or set sasl: keytab", file);
        return false;
    }
    int descriptor = secret_open(file, "ticket cache", &error);
    if (descriptor < 0) {
        snprintf(problem, SASL_PROBLEM_TEXT, "%s", error);
        free(error);
        return false;
    }
    plain_file_name(descriptor, plain);
    snprintf(name, sizeof name, "FILE:%s", plain);
    bool small = fstat(descriptor, &status) == 0 && status.st_size <= CACHE_MOST;
    struct file_state now = small ? file_state_of(&status) : (struct file_state){0};
    if (!small)
        snprintf(problem, SASL_PROBLEM_TEXT, "the ticket cache %.120s is too large; run kinit", file);
    else if (!context->copied || !file_state_same(&now, &context->copied_file))
        context->copied = cache_copy(context, kerberos, name, problem);
    context->copied_file = now;
    close(descriptor);
    return small && context->copied;
}

/* libkrb5 opens a file by its name whenever it needs it, waits for a pipe's writer and believes lengths; and a keyring
 * that one thread has found may be closed to the next: so a cache is copied into memory. */
static bool cache_read(struct sasl_context *context, char *problem)
{
    const struct sasl_settings *s = context->settings;
    krb5_context kerberos = NULL;
    bool fine = true;
    if (krb5_init_context(&kerberos))
        return true;
    const char *name = s->ticket_cache ? s->ticket_cache : krb5_cc_default_name(kerberos);
    if (name && strncmp(name, "DIR:", 4) == 0) {
        snprintf(problem, SASL_PROBLEM_TEXT,
                 "the ticket cache %.120s is a directory of caches; name one of them with FILE:", name);
        fine = false;
    } else if (name && strncmp(name, "FILE:", 5) == 0) {
        fine = cache_read_file(context, kerberos, name + 5, problem);
    } else if (name && !strchr(name, ':')) {
        fine = cache_read_file(context, kerberos, name, problem);
    } else if (name && (!context->copied || context->valid_until_s <= time(NULL))) {
        fine = context->copied = cache_copy(context, kerberos, name, problem);
    }
    krb5_free_context(kerberos);
    return fine;
}

static gss_name_t gss_name(const char *text, gss_OID kind)
{
    OM_uint32 minor;
    gss_name_t name = GSS_C_NO_NAME;
    gss_buffer_desc buffer = {strlen(text), (void *)(uintptr_t)text};
    return GSS_ERROR(gss_import_name(&minor, &buffer, kind, &name)) ? GSS_C_NO_NAME : name;
}

static OM_uint32 credential_acquire(const struct sasl_context *context, gss_cred_id_t *credential,
                                    OM_uint32 *minor)
{
    const struct sasl_settings *s = context->settings;
    gss_key_value_element_desc elements[2];
    gss_key_value_set_desc store = {0, elements};
    /* Always one: the library would take the machine's, which is not configured. */
    const char *keytab = s->keytab ? context->keytab : "MEMORY:electop-none";
    elements[store.count++] = (gss_key_value_element_desc){"client_keytab", keytab};
    elements[store.count++] = (gss_key_value_element_desc){"ccache", context->cache};
    OM_uint32 ignored;
    gss_OID_set_desc mechanisms = {1, (gss_OID)(uintptr_t)gss_mech_krb5};
    gss_name_t name =
        s->principal ? gss_name(s->principal, (gss_OID)(uintptr_t)GSS_KRB5_NT_PRINCIPAL_NAME) : GSS_C_NO_NAME;
    OM_uint32 major = gss_acquire_cred_from(minor, name, GSS_C_INDEFINITE, &mechanisms, GSS_C_INITIATE,
                                            &store, credential, NULL, NULL);
    gss_release_name(&ignored, &name);
    return major;
}

/* A ticket for the servers' service, into the cache: the login then finds it there. */
static OM_uint32 ticket_fetch(const struct sasl_context *context, gss_cred_id_t credential, const char *host,
                              OM_uint32 *minor, OM_uint32 *lifetime_s)
{
    char service[300];
    const char *word = context->settings->service ? context->settings->service : SERVICE;
    snprintf(service, sizeof service, "%s@%s", word, host);
    gss_name_t name = gss_name(service, (gss_OID)(uintptr_t)GSS_C_NT_HOSTBASED_SERVICE);
    gss_ctx_id_t gss = GSS_C_NO_CONTEXT;
    gss_buffer_desc token = GSS_C_EMPTY_BUFFER;
    OM_uint32 ignored;
    OM_uint32 major = gss_init_sec_context(minor, credential, &gss, name, (gss_OID)(uintptr_t)gss_mech_krb5,
                                           GSS_C_MUTUAL_FLAG, 0, GSS_C_NO_CHANNEL_BINDINGS, GSS_C_NO_BUFFER,
                                           NULL, &token, NULL, NULL);
    *lifetime_s = 0;
    if (!GSS_ERROR(major))
        gss_inquire_cred(&ignored, credential, NULL, lifetime_s, NULL, NULL);
    gss_release_buffer(&ignored, &token);
    gss_delete_sec_context(&ignored, &gss, GSS_C_NO_BUFFER);
    gss_release_name(&ignored, &name);
    return major;
}

/* Threads at a step of a login, or at the end of a ticket, those that were given up included. */
static atomic_int jobs_running;

bool sasl_is_asking(void)
{
    return atomic_load(&jobs_running) > 0;
}

/* run subtracts itself from jobs_running. */
static bool thread_start(void *(*run)(void *), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    atomic_fetch_add(&jobs_running, 1);
    bool good = pthread_create(&thread, &attributes, run, argument) == 0;
    pthread_attr_destroy(&attributes);
    if (!good)
        atomic_fetch_sub(&jobs_running, 1);
    return good;
}

static void *ticket_free(void *argument)
{
    struct sasl_ticket *ticket = argument;
    OM_uint32 ignored;
    gss_release_cred(&ignored, &ticket->credential);
    if (ticket->keytab >= 0)
        close(ticket->keytab);
    free(ticket);
    atomic_fetch_sub(&jobs_running, 1);
    return NULL;
}

/* Never on the loop: libkrb5 reads its configuration again to release one, and that may be a pipe by now. Without a
 * thread it stays in memory. */
static void ticket_release(struct sasl_ticket *ticket)
{
    if (ticket && atomic_fetch_sub(&ticket->users, 1) == 1)
        thread_start(ticket_free, ticket);
}

/* Takes the credential and the keytab over. False: out of memory. */
static bool context_keep(struct sasl_context *context, gss_cred_id_t credential, int keytab, const char *host)
{
    struct sasl_ticket *ticket = calloc(1, sizeof *ticket);
    if (!ticket)
        return false;
    ticket->users = 1;
    ticket->credential = credential;
    ticket->keytab = keytab;
    ticket_release(context->ticket);
    context->ticket = ticket;
    context->refusal[0] = '\0';
    snprintf(context->host, sizeof context->host, "%s", host);
    return true;
}

/* Whether there was no ticket for this host a moment ago. Under the lock. */
static bool context_is_refused(const struct sasl_context *context, const char *host, time_t now_s)
{
    return context->refusal[0] && now_s - context->refused_s < REFUSED_FOR_S && now_s >= context->refused_s &&
           (!context->refused_host[0] || strcmp(context->refused_host, host) == 0);
}

/* No ticket for this host, where the KDC does not know its service; else for none. */
static void context_refuse(struct sasl_context *context, OM_uint32 major, OM_uint32 minor, const char *host)
{
    bool this_one = (krb5_error_code)minor == KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN;
    kerberos_describe(context, major, minor, host, context->refusal);
    snprintf(context->refused_host, sizeof context->refused_host, "%s", this_one ? host : "");
    context->refused_s = time(NULL);
}

/* Under the lock. */
static bool context_renew(struct sasl_context *context, const char *host)
{
    time_t now_s = time(NULL);
    OM_uint32 minor = 0, ignored, lifetime_s = 0;
    if (context->ticket && strcmp(context->host, host) == 0 && context->valid_until_s > now_s)
        return true;
    if (context_is_refused(context, host, now_s))
        return false;
    int keytab = -1;
    const char *file = context->settings->keytab;
    if (file ? (keytab = keytab_open(file, context->keytab, context->refusal)) < 0
             : !cache_read(context, context->refusal)) {
        context->refused_host[0] = '\0';
        context->refused_s = now_s;
        return false;
    }
    gss_cred_id_t credential = GSS_C_NO_CREDENTIAL;
    OM_uint32 major = credential_acquire(context, &credential, &minor);
    if (!GSS_ERROR(major))
        major = ticket_fetch(context, credential, host, &minor, &lifetime_s);
    if (GSS_ERROR(major) || !context_keep(context, credential, keytab, host)) {
        context_refuse(context, major, minor, host);
        gss_release_cred(&ignored, &credential);
        if (keytab >= 0)
            close(keytab);
        return false;
    }
    /* A short-lived one is fetched anew at half its time. */
    time_t margin_s = (time_t)lifetime_s > 2 * TICKET_LEAST_S ? TICKET_LEAST_S : (time_t)lifetime_s / 2;
    context->valid_until_s = lifetime_s ? now_s + (time_t)lifetime_s - margin_s : now_s;
    return true;
}

static void context_release(struct sasl_context *context)
{
    if (atomic_fetch_sub(&context->users, 1) > 1)
        return;
    ticket_release(context->ticket);
    pthread_mutex_destroy(&context->lock);
    free(context);
}

static void job_release(struct sasl_job *job)
{
    pthread_mutex_lock(&job->lock);
    bool last = --job->holders == 0;
    pthread_mutex_unlock(&job->lock);
    if (!last)
        return;
    if (job->abandoned)
        sasl_dispose(&job->connection); /* else the login has taken it back */
    ticket_release(job->ticket);
    context_release(job->context);
    pthread_mutex_destroy(&job->lock);
    free(job->answer);
    free(job);
}

static void step_describe(const char *mechanism, sasl_conn_t *connection, char *problem)
{
    snprintf(problem, SASL_PROBLEM_TEXT,
             "it does not offer %s, or not with these credentials (%.100s); check sasl: mechanism and "
             "credentials",
             mechanism, sasl_errdetail(connection));
}

static void job_start_login(struct sasl_job *job)
{
    const char *mechanism;
    job->ticket = job->context->ticket;
    atomic_fetch_add(&job->ticket->users, 1);
    sasl_setprop(job->connection, SASL_GSS_CREDS, job->ticket->credential);
    job->result = sasl_client_start(job->connection, "GSSAPI", NULL, &job->token, &job->length, &mechanism);
    if (job->result != SASL_OK && job->result != SASL_CONTINUE)
        snprintf(job->problem, sizeof job->problem, "%.200s",
                 job->result == SASL_NOMECH
                     ? "GSSAPI is not installed here; install libsasl2-modules-gssapi-mit"
                     : sasl_errdetail(job->connection));
}

static void job_step(struct sasl_job *job)
{
    job->result =
        sasl_client_step(job->connection, job->answer, job->answer_length, NULL, &job->token, &job->length);
    if (job->result != SASL_OK && job->result != SASL_CONTINUE)
        step_describe("GSSAPI", job->connection, job->problem);
}

static void *job_run(void *argument)
{
    struct sasl_job *job = argument;
    struct sasl_context *context = job->context;
    if (job->answer) {
        job_step(job);
    } else {
        pthread_mutex_lock(&context->lock); /* so that no thread renews the credential meanwhile */
        if (context_renew(context, job->host)) {
            job_start_login(job);
        } else {
            job->result = SASL_FAIL;
            snprintf(job->problem, sizeof job->problem, "%s", context->refusal);
        }
        pthread_mutex_unlock(&context->lock);
    }
    pthread_mutex_lock(&job->lock);
    if (!job->abandoned)
        uv_async_send(job->done);
    pthread_mutex_unlock(&job->lock);
    job_release(job);
    atomic_fetch_sub(&jobs_running, 1);
    return NULL;
}

static void on_job_done(uv_async_t *async)
{
    struct sasl *s = async->data;
    if (s)
        s->ready(s->ready_context);
}

/* answer: NULL for the first step. */
static bool job_start(struct sasl *s, const uint8_t *answer, size_t length)
{
    struct sasl_job *job = calloc(1, sizeof *job);
    uv_async_t *done = calloc(1, sizeof *done);
    if (!job || !done || uv_async_init(s->loop, done, on_job_done) != 0) {
        free(job);
        free(done);
        return false;
    }
    done->data = s;
    *job = (struct sasl_job){.holders = 2, .done = done, .context = s->context, .connection = s->connection};
    job->ticket = s->ticket; /* the library uses it in every step */
    s->ticket = NULL;
    if (answer) {
        job->answer = xmalloc(length + 1);
        memcpy(job->answer, answer, length);
        job->answer_length = (unsigned)length;
    }
    snprintf(job->host, sizeof job->host, "%s", s->host);
    pthread_mutex_init(&job->lock, NULL);
    atomic_fetch_add(&s->context->users, 1);
    s->job = job;
    bool good = thread_start(job_run, job);
    if (!good)
        job_release(job); /* the thread's share */
    return good;
}

/* The login has its connection again, unless the thread is still at it. */
static void job_end(struct sasl *s, bool abandon)
{
    struct sasl_job *job = s->job;
    if (!job)
        return;
    s->job = NULL;
    pthread_mutex_lock(&job->lock);
    job->abandoned = abandon;
    if (abandon)
        s->connection = NULL;
    pthread_mutex_unlock(&job->lock);
    job->done->data = NULL;
    uv_close((uv_handle_t *)job->done, loop_timer_free_handle);
    job_release(job);
}

/* ---- contexts ---- */

struct sasl_context *sasl_context_new(const struct sasl_settings *settings)
{
    static unsigned number;
    struct sasl_context *context = sasl_library_ready() ? calloc(1, sizeof *context) : NULL;
    if (!context)
        return NULL;
    context->settings = settings;
    context->users = 1;
    pthread_mutex_init(&context->lock, NULL);
    snprintf(context->cache, sizeof context->cache, "MEMORY:electop-%u", ++number);
    return context;
}

void sasl_context_free(struct sasl_context *context)
{
    if (context)
        context_release(context);
}

/* ---- one login ---- */

static void sasl_set_secret(struct sasl *s)
{
    const struct sasl_settings *settings = s->context->settings;
    size_t length = settings->password ? strlen(settings->password) : 0;
    if (is_gssapi(s->context))
        return;
    s->secret = secret_new(sizeof *s->secret + length + 1);
    s->secret->len = length;
    memcpy(s->secret->data, settings->password ? settings->password : "", length);
    s->callbacks[0] = (sasl_callback_t){SASL_CB_USER, CALLBACK(on_name_asked), s};
    s->callbacks[1] = (sasl_callback_t){SASL_CB_AUTHNAME, CALLBACK(on_name_asked), s};
    s->callbacks[2] = (sasl_callback_t){SASL_CB_PASS, CALLBACK(on_password_asked), s};
    s->callbacks[3] = (sasl_callback_t){SASL_CB_LIST_END, NULL, NULL};
}

struct sasl *sasl_new(struct sasl_context *context, uv_loop_t *loop, const char *server, const char *host,
                      void (*ready)(void *), void *ready_context)
{
    static const sasl_callback_t none[] = {{SASL_CB_LIST_END, NULL, NULL}};
    const struct sasl_settings *settings = context->settings;
    struct sasl *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->context = context;
    s->loop = loop;
    s->ready = ready;
    s->ready_context = ready_context;
    snprintf(s->server, sizeof s->server, "%s", server);
    snprintf(s->host, sizeof s->host, "%s",
             settings->host       ? settings->host
             : is_gssapi(context) ? host
                                  : DIGEST_HOST);
    sasl_security_properties_t plain = {.max_ssf = 0, .maxbufsize = 0};
    sasl_set_secret(s);
    if (sasl_client_new(settings->service ? settings->service : SERVICE, s->host, NULL, NULL,
                        s->secret ? s->callbacks : none, 0, &s->connection) == SASL_OK &&
        sasl_setprop(s->connection, SASL_SEC_PROPS, &plain) == SASL_OK)
        return s;
    sasl_free(s);
    return NULL;
}

void sasl_free(struct sasl *s)
{
    if (!s)
        return;
    job_end(s, true);
    if (s->connection)
        sasl_dispose(&s->connection);
    ticket_release(s->ticket);
    secret_end(s->secret);
    free(s);
}

static enum sasl_turn sasl_fail(struct sasl *s, const char *what)
{
    snprintf(s->problem, sizeof s->problem, "cannot log in to %.90s: %.239s", s->server, what);
    return SASL_TURN_FAILED;
}

/* The result of a call of the library. */
static enum sasl_turn sasl_follow(struct sasl *s, int result, const char *out, unsigned out_length,
                                  const uint8_t **token, size_t *length)
{
    if (result != SASL_OK && result != SASL_CONTINUE)
        return sasl_fail(s, result == SASL_NOMECH
                                ? "DIGEST-MD5 is not installed here; install libsasl2-modules"
                                : sasl_errdetail(s->connection));
    if (result == SASL_OK && out_length == 0)
        return SASL_TURN_DONE;
    if (++s->rounds > SASL_ROUNDS_MOST)
        return sasl_fail(s, "the login does not end; see the server's log");
    s->last_sent = result == SASL_OK; /* its answer says no more */
    *token = (const uint8_t *)out;
    *length = out ? out_length : 0;
    return SASL_TURN_SEND;
}

static enum sasl_turn sasl_wait(struct sasl *s, const uint8_t *answer, size_t length)
{
    return job_start(s, answer, length) ? SASL_TURN_WAIT : sasl_fail(s, "no thread can be started");
}

enum sasl_turn sasl_begin(struct sasl *s, const uint8_t **token, size_t *length)
{
    const char *out = NULL, *mechanism;
    unsigned out_length = 0;
    if (is_gssapi(s->context))
        return sasl_wait(s, NULL, 0);
    int result = sasl_client_start(s->connection, "DIGEST-MD5", NULL, &out, &out_length, &mechanism);
    /* Java's server wants no initial response, as of an earlier login. */
    return sasl_follow(s, result == SASL_OK ? SASL_CONTINUE : result, NULL, 0, token, length);
}

enum sasl_turn sasl_continue(struct sasl *s, const uint8_t **token, size_t *length)
{
    struct sasl_job *job = s->job;
    char problem[SASL_PROBLEM_TEXT];
    int result = job->result;
    const char *out = job->token;
    unsigned out_length = job->length;
    s->ticket = job->ticket;
    job->ticket = NULL;
    snprintf(problem, sizeof problem, "%s", job->problem);
    job_end(s, false);
    if (problem[0])
        return sasl_fail(s, problem);
    return sasl_follow(s, result, out, out_length, token, length);
}

static enum sasl_turn sasl_refused(struct sasl *s, int32_t error)
{
    char what[160];
    const struct sasl_settings *settings = s->context->settings;
    const char *mechanism = is_gssapi(s->context) ? "GSSAPI" : "DIGEST-MD5";
    const char *who = is_gssapi(s->context) ? settings->principal : settings->user;
    if (error == ERROR_LOGIN_FAILED || error == ERROR_LOGIN_REQUIRED)
        snprintf(what, sizeof what, "it refuses %s%s%.60s; check %s, and that the server offers %s",
                 mechanism, who ? " as " : "", who ? who : "",
                 is_gssapi(s->context) ? "that the clocks of both machines agree" : "the credentials",
                 mechanism);
    else
        snprintf(what, sizeof what, "error %d; see the server's log", (int)error);
    return sasl_fail(s, what);
}

enum sasl_turn sasl_step(struct sasl *s, const uint8_t *answer, size_t answer_length, int32_t error,
                         const uint8_t **token, size_t *length)
{
    const char *out = NULL;
    unsigned out_length = 0;
    if (error != 0)
        return sasl_refused(s, error);
    if (s->last_sent)
        return SASL_TURN_DONE;
    if (is_gssapi(s->context))
        return sasl_wait(s, answer, answer_length);
    int result = sasl_client_step(s->connection, (const char *)answer, (unsigned)answer_length, NULL, &out,
                                  &out_length);
    if (result != SASL_OK && result != SASL_CONTINUE) {
        char what[SASL_PROBLEM_TEXT];
        step_describe("DIGEST-MD5", s->connection, what);
        return sasl_fail(s, what);
    }
    return sasl_follow(s, result, out, out_length, token, length);
}

const char *sasl_problem(const struct sasl *s)
{
    return s->problem;
}
