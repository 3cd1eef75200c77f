/*
 * tls_certificate.h - a certificate for servers of our own on this machine: the demo's.
 */
#ifndef ELECTOP_PROBE_TRANSPORT_TLS_CERTIFICATE_H
#define ELECTOP_PROBE_TRANSPORT_TLS_CERTIFICATE_H

#include <stdbool.h>

/*
 * Makes a key (P-256) and a certificate signed with it, for 127.0.0.1, ::1 and localhost, for 30 days.
 * server: the PEM file of key and certificate, for this user only; ca: that of the certificate alone, which
 * clients take for their authority. False: they could not be made or written.
 */
bool tls_certificate_make(const char *server, const char *ca);

#endif
