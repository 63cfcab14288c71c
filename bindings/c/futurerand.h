/* futurerand.h: the device's part of counting, for C and languages that call C.
 *
 *   fr_device *device = NULL;            the records of this device, with its ledger
 *   fr_metric *metric = NULL;            a collector's metric, certified on this device
 *   fr_client *client = NULL;            this device's part in that metric
 *   fr_error error;
 *   fr_device_open_folder("state", "4", NULL, NULL, &device, &error);
 *   fr_metric_accept(json, strlen(json), &metric, &error);
 *   fr_client_open(device, metric, period, &client, &error);
 *   fr_client_observe(client, period, 1, &error);
 *   fr_client_lines(client, &lines, &error);          POST them, then pass the answer:
 *   fr_client_acknowledge(client, lines, strlen(lines), answer, strlen(answer), &error);
 *
 * The new state is saved before its lines are returned, so an index is randomized only once. If
 * a call fails, nothing is sent and nothing is lost. The value must never decide whether an
 * application observes or pauses: participation and its times are not hidden.
 *
 * Errors. Every call that can fail returns FR_OK or an error code. `error` may be NULL. Otherwise
 * it receives the same code, and a message with the expected value. No message names a value,
 * noise or key. No C++ exception or type crosses this interface.
 *
 * Handles. Closing takes the handle's address and sets it to NULL; closing NULL does nothing. A
 * NULL handle counts as a closed one, and calls return FR_INVALID for it. A device may be closed
 * before its clients: it lives until the last of them is closed.
 *
 * Returned texts belong to the caller, end with a NUL and are freed by fr_free().
 *
 * Threads. One thread at a time may use a device and its clients. A callback must not use them: a
 * call during another one does nothing and returns FR_INVALID. Devices share nothing. A metric
 * never changes, so any number of threads and devices may read it. After fork() only the parent
 * may continue.
 *
 * C99. Symbols without a declaration in this header may change or disappear. */
#ifndef FUTURERAND_H
#define FUTURERAND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fr_code {
  FR_OK = 0,
  FR_INVALID = 1,       /* an argument has the wrong form or is out of range */
  FR_NOT_FOUND = 2,     /* the requested thing does not exist */
  FR_REFUSED = 3,       /* never: a ceiling, pinned terms, a plan, a refused line */
  FR_DAMAGED = 4,       /* stored bytes are not the saved ones, or records contradict each other */
  FR_NO_ENTROPY = 5,    /* the random source failed */
  FR_NO_ROOM = 6,       /* the store, or the collector, has no room for more */
  FR_BUSY = 7,          /* another holder has it open */
  FR_UNREACHABLE = 8,   /* no answer, or a request to retry */
  FR_NO_MEMORY = 9,     /* or another internal failure; nothing was sent */
  FR_NOT_STARTED = 10,  /* too early; the message has the time, if it is known */
  FR_UNAUTHORIZED = 11, /* the server requires another token */
  FR_UNTRUSTED = 12,    /* the server did not prove its identity */
  FR_FORCE_INT = 0x7fffffff
} fr_code;

/* The action for a code; docs/errors.md has the table. Only FR_GIVE_UP is final: after all others
 * the state is still in place, and the next attempt continues from it. */
typedef enum fr_action {
  FR_NOTHING = 0, /* FR_OK */
  FR_RETRY_LATER = 1,
  FR_TELL_OPERATOR = 2,
  FR_FIX_CALL = 3,
  FR_GIVE_UP = 4,
  FR_ACTION_FORCE_INT = 0x7fffffff
} fr_action;

/* Provided by the caller; a longer message is cut. */
typedef struct fr_error {
  fr_code code;
  char message[508];
} fr_error;

typedef struct fr_device fr_device;
typedef struct fr_metric fr_metric;
typedef struct fr_client fr_client;

/* An application's own storage for its records. Privacy depends on its promises: each record is
 * replaced as a whole, nobody else changes it meanwhile, and saved bytes survive a crash. Records
 * are secret: they contain values and noise. Names of records have at most 64 letters, digits and
 * '-'. Calls from a callback to its own device or clients are refused. A handle closed by a
 * callback is closed at the end of the running call. */
typedef struct fr_store {
  void* context;
  /* FR_OK and the bytes, which must stay valid until the next call. FR_NOT_FOUND only if nothing
   * was ever saved under this name. Any other code if the record cannot be read. */
  fr_code (*load)(void* context, const char* record, const uint8_t** bytes, size_t* size);
  /* FR_OK once the bytes survive a crash. After a failure the record is whole, old or new. */
  fr_code (*save)(void* context, const char* record, const uint8_t* bytes, size_t size);
  /* Calls each(list, record) for every saved record. */
  fr_code (*names)(void* context, void (*each)(void* list, const char* record), void* list);
} fr_store;

/* Random bytes that nobody can guess. FR_OK if all `size` bytes were filled. */
typedef struct fr_entropy {
  void* context;
  fr_code (*fill)(void* context, uint8_t* bytes, size_t size);
} fr_entropy;

/* The version of the library, such as "0.1.0". Not to be freed. */
const char* fr_version(void);

void fr_free(char* text);

/* The one action for a code. */
fr_action fr_action_of(fr_code code);

/* --- the device ---------------------------------------------------------------------------------
 * `ceiling` limits the total epsilon of all metrics ever joined, as a decimal such as "4".
 * `per_metric`, if not NULL, limits each of them. `entropy` NULL means the operating system's, the
 * right choice for real devices. FR_BUSY while the records are open elsewhere. */

/* Keeps the records as files in a folder. It is created if missing, and locked while open. */
fr_code fr_device_open_folder(const char* folder, const char* ceiling, const char* per_metric,
                              const fr_entropy* entropy, fr_device** device, fr_error* error);
/* Guards of a folder against old copies; docs/device-security.md has what each of them catches. */
typedef struct fr_guards {
  const char* machine; /* an identity of this machine; NULL: the system's; "": no check */
  const char* tpm;     /* a TPM 2.0 that counts saves, such as "device:/dev/tpmrm0"; NULL: none */
  uint32_t tpm_index;  /* its NV index; 0: derived from the folder */
} fr_guards;
/* The same with other guards. fr_device_open_folder() uses the system's identity, if there is one,
 * and no TPM. FR_REFUSED on another machine than before, and ever after. FR_NOT_FOUND if the
 * identity or the TPM cannot be read, FR_DAMAGED for an old copy detected by the TPM. */
fr_code fr_device_open_guarded(const char* folder, const fr_guards* guards, const char* ceiling,
                               const char* per_metric, const fr_entropy* entropy,
                               fr_device** device, fr_error* error);
/* Keeps the records in the application's store. The struct is copied, its context is not. */
fr_code fr_device_open(const fr_store* store, const char* ceiling, const char* per_metric,
                       const fr_entropy* entropy, fr_device** device, fr_error* error);
/* Binds the records of an application's own store to this machine, by a lasting identity that
 * differs between machines. Only a keyed hash of it is stored. Call it after every opening, before
 * anything else. FR_REFUSED for another identity than before; the device then does nothing. */
fr_code fr_device_bind(fr_device* device, const char* machine, fr_error* error);
/* Limits the epsilon of all metrics together inside any stretch of `seconds`. Call it right after
 * opening. A device skips seasons of a metric without an end while the window is full. */
fr_code fr_device_set_window(fr_device* device, const char* epsilon, int64_t seconds,
                             fr_error* error);
/* The device's own time, in seconds since 1970, for an application without the system's clock. Call
 * it before each call that opens or observes. Time only moves forward. Never pass a server's time.
 */
fr_code fr_device_believe(fr_device* device, int64_t seconds, fr_error* error);
/* The joined metrics and their cost, as JSON; `window` and `season` are null if there is none:
 * {"ceiling":"4","spent":"1","window":{"epsilon":"1","seconds":7776000,"spent":"1"},
 *  "metrics":[{"metric":"dark-mode","epsilon":"1","client":"<hex>","season":17}],
 *  "groups":[{"group":"settings","metric":"dark-mode"}]}: `groups` has the drawn metrics. */
fr_code fr_device_ledger(const fr_device* device, char** json, fr_error* error);
/* For a settings page, as JSON: the exact sent and waiting lines, the spent and remaining epsilon,
 * and its meaning in words. It has no secrets. docs/device.md has an example. */
fr_code fr_device_history(const fr_device* device, char** json, fr_error* error);
/* The user's decision: "on", "off" or "local_only". It is stored with the records; the default is
 * "on". "off": nothing is joined, observed or sent, except departures. "local_only": nothing is
 * joined until it is "on". Meanwhile joining returns FR_NOT_STARTED. */
fr_code fr_device_set_participation(fr_device* device, const char* participation, fr_error* error);
/* Makes it "local_only" if no decision is stored, for applications that ask first. */
fr_code fr_device_ask_first(fr_device* device, fr_error* error);
void fr_device_close(fr_device** device);

/* --- the metric ---------------------------------------------------------------------------------
 * Certifies the plan in exact integers, on this device, without trust in a server. FR_REFUSED for a
 * plan that may lose more than its epsilon. */

/* The document of GET /v1/metrics/NAME (docs/http.md). */
fr_code fr_metric_accept(const char* json, size_t size, fr_metric** metric, fr_error* error);
/* The same for an application with a pinned digest of its expected plan, "sha256:..." as printed by
 * `futurerand audit`. Any other plan is FR_REFUSED. */
fr_code fr_metric_accept_pinned(const char* json, size_t size, const char* digest,
                                fr_metric** metric, fr_error* error);
/* A metric from its parts: the JSON of a plan, the begin of period 1 in seconds since 1970, and the
 * seconds of a period; 0 and 0 for a manual clock. */
fr_code fr_metric_create(const char* name, const char* plan_json, size_t size, int64_t start,
                         int64_t period_seconds, fr_metric** metric, fr_error* error);
/* The certificate with all integers and the digest of the plan, as JSON (docs/wire.md). */
fr_code fr_metric_certificate(const fr_metric* metric, char** json, fr_error* error);
/* The same for any valid plan, private or not; the document has the verdict. */
fr_code fr_certify(const char* plan_json, size_t size, char** json, fr_error* error);
/* The period at this second since 1970: 0 before the start, one past the last after the horizon.
 * FR_INVALID for a metric with a manual clock: ask the collector. */
fr_code fr_metric_period_at(const fr_metric* metric, int64_t seconds, uint32_t* period,
                            fr_error* error);
/* The current period in the collector's document; 0 for a metric from parts. */
fr_code fr_metric_current_period(const fr_metric* metric, uint32_t* period, fr_error* error);
void fr_metric_close(fr_metric** metric);

/* The same calls serve a metric without an end. Its periods never end. The device takes part for a
 * season, rests, and takes part again as a new device. During a rest values are ignored. The device
 * computes its seasons by its own clock. FR_NOT_STARTED for a period that differs from this clock
 * by more than one.
 */
/* Metrics of a group share one budget. The device draws one of them, once and before any data, and
 * takes part only in that one. Calls on a client of any other succeed, and store, spend and send
 * nothing. */
/* --- the client ---------------------------------------------------------------------------------
 * Continues from the device's state of this metric. Without a state it joins in `period` and
 * charges the ledger. FR_BUSY while another client of the metric is open, FR_NOT_STARTED before the
 * first period. FR_REFUSED above the ceiling, after the last period, or for other terms than the
 * joined ones. */
fr_code fr_client_open(fr_device* device, const fr_metric* metric, uint32_t period,
                       fr_client** client, fr_error* error);
/* The same for a metric with segments. The device states its segment on joining: public, in the
 * clear, and without cost in epsilon. So it must never depend on the value. FR_INVALID if the
 * metric does not list it. A device stays in its first segment, even if another one is given later.
 * In a metric without an end each season states it anew. */
fr_code fr_client_open_in(fr_device* device, const fr_metric* metric, uint32_t period,
                          const char* segment, fr_client** client, fr_error* error);
/* Observes the value of a period, 0 or 1. Periods only move forward, and the first value of a
 * period counts. Missed periods keep the last value. A period past the horizon closes the metric.
 * This call is for yes/no metrics. For other kinds it returns FR_INVALID, and nothing is lost or
 * spent. */
fr_code fr_client_observe(fr_client* client, uint32_t period, int value, fr_error* error);
/* The same for metrics of the kinds "number" and "distribution". Values outside the metric's range
 * are clipped; NaN and infinity are FR_INVALID. */
fr_code fr_client_observe_number(fr_client* client, uint32_t period, double value, fr_error* error);
/* The same for metrics of the kinds "category" and "text": `size` bytes of UTF-8. An unknown label
 * counts as the metric's label for others. Without such a label it is FR_INVALID. A text has 1 to
 * 64 bytes. */
fr_code fr_client_observe_text(fr_client* client, uint32_t period, const char* text, size_t size,
                               fr_error* error);
/* Observes `count` yes/no values in the order of their periods, and saves once. Either all values
 * count, or none. */
fr_code fr_client_observe_all(fr_client* client, const uint32_t* periods, const uint8_t* values,
                              size_t count, fr_error* error);
/* Notes that this period has begun: lines of earlier periods are due. Observing does the same. */
fr_code fr_client_begin_period(fr_client* client, uint32_t period, fr_error* error);
/* The due and unacknowledged lines, to POST to fr_client_path(); empty if there are none. A second
 * call returns the same lines and newly due ones. For a metric without an end it returns the lines
 * of one season; call it again after they are acknowledged. */
fr_code fr_client_lines(fr_client* client, char** lines, fr_error* error);
/* The path for these lines: "/v1/metrics/NAME/reports", or "/v1/metrics/NAME/seasons/S/reports" for
 * a metric without an end. */
fr_code fr_client_path(fr_client* client, const char* lines, size_t size, char** path,
                       fr_error* error);
/* Applies the collector's answer to a text of fr_client_lines(): acknowledged lines are dropped.
 * Any number of texts may be in flight. Each answer counts for its own lines only, and a late one
 * does no harm. NULL as the answer means: the caller knows that the collector has all of them. If
 * the collector lost acknowledged reports, as after the restore of an older backup, its answer says
 * so, and those lines are due again. FR_REFUSED if it refused a line for good. FR_NOT_STARTED or
 * FR_NO_ROOM if it cannot accept the enrolment now. FR_INVALID for lines of another client, and for
 * an invalid answer. */
fr_code fr_client_acknowledge(fr_client* client, const char* lines, size_t lines_size,
                              const char* answer, size_t answer_size, fr_error* error);
/* Leaves the metric in this period, for good. It erases noise, key, value and signs. One line is
 * due, which tells the collector and does not depend on the value. The ledger keeps the spent
 * epsilon. The line is due again in each later period, in case the collector was restored from an
 * older backup. */
fr_code fr_client_leave(fr_client* client, uint32_t period, fr_error* error);
/* Leaves, and asks the collector to remove this device's reports; docs/device.md lists what cannot
 * be undone. fr_client_acknowledge() returns FR_REFUSED if the collector cannot do it. The device
 * then only leaves. */
fr_code fr_client_forget(fr_client* client, uint32_t period, fr_error* error);
/* {"metric":"dark-mode","client":"<hex>","view":3,"value":"yes_no","period":7,"closed":false,
 *  "endless":false,"season":null,"left":false,"drawn":true}: it has no secrets. `drawn` is false
 * for a metric of a group if the device drew another one. For a metric without an end, `season` is
 * the current season of the device. While it rests or skips a season, `season`, `client` and `view`
 * are null. `value` is the metric's kind of value: "yes_no", "number", "category", "distribution"
 * or "text". */
fr_code fr_client_about(const fr_client* client, char** json, fr_error* error);
void fr_client_close(fr_client** client);

/* The due lines of these clients of one device, for an application's own transport: a JSON list of
 * texts, each the body of a POST to /v1/reports. It has one text, or none if nothing is due. It has
 * more only above 64 metrics or 1 MiB of lines, and for two seasons of one metric. */
fr_code fr_clients_requests(fr_client* const* clients, size_t count, char** json, fr_error* error);
/* Applies the collector's answer (status 200) to such a body, and returns:
 * {"accepted":2,"duplicates":0,"rejected":0,"early":0,"lost":"","busy":"","why_busy":null,
 *  "failures":[{"metric":"m","code":3,"message":"..."}]}
 * `lost` is a body to POST at once, and only once: the collector lost those lines. `busy` is a body
 * to POST after a pause: the collector could not accept those metrics. A failure concerns one
 * metric, and its lines stay due. Each metric's answer counts for its own lines only, as in
 * fr_client_acknowledge(). FR_UNTRUSTED for an answer to another body. */
fr_code fr_clients_answer(fr_client* const* clients, size_t count, const char* request,
                          size_t request_size, const char* answer, size_t answer_size, char** json,
                          fr_error* error);

/* --- the collector ------------------------------------------------------------------------------
 * HTTP and HTTPS by the library itself. An HTTPS server is reached through $HTTPS_PROXY, unless
 * $NO_PROXY names its host. Certificates are always checked, and redirects are not followed. These
 * calls block, so use a thread of your own. WebAssembly and Windows have none of these calls. */
typedef struct fr_server {
  const char* url;     /* "https://counts.example" */
  const char* token;   /* sent with every request; NULL: none */
  const char* ca_file; /* CA certificates to trust, as PEM; NULL: the system's */
  uint32_t timeout_ms; /* of an answer; 0: 30,000 */
  uint32_t attempts;   /* of sending, with pauses that double; 0: 10 */
} fr_server;

/* Fetches a metric and certifies its plan, as fr_metric_accept() does. */
fr_code fr_fetch_metric(const fr_server* server, const char* name, fr_metric** metric,
                        fr_error* error);
/* Sends the due lines of these clients of one device in one request, and applies the answer.
 * `accepted`, if not NULL, receives the number of acknowledged lines, and 0 after a failure. Two
 * seasons of one metric go in two requests, because one would link them. A metric that the
 * collector cannot accept now is sent again after a pause. If one metric fails, the others
 * continue, and the first failure is returned. Nothing is lost: unacknowledged lines stay due.
 * FR_INVALID for clients of two devices, because a request shows that its lines belong together,
 * and for a repeated client. */
fr_code fr_send(const fr_server* server, fr_client* const* clients, size_t count, size_t* accepted,
                fr_error* error);

#ifdef __cplusplus
}
#endif

#endif
