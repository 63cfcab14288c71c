/* futurerand.h: a device's part in counting, for programs in C and in whatever calls C.
 *
 *   fr_device *device = NULL;            the records of this device: what it joined and spent
 *   fr_metric *metric = NULL;            what a collector says of a metric, certified here
 *   fr_client *client = NULL;            this device's part in that metric
 *   fr_error error;
 *   fr_device_open_folder("state", "4", NULL, NULL, &device, &error);
 *   fr_metric_accept(json, strlen(json), &metric, &error);
 *   fr_client_open(device, metric, period, &client, &error);
 *   fr_client_observe(client, period, 1, &error);
 *   fr_client_lines(client, &lines, &error);          POST them, then say what was answered:
 *   fr_client_acknowledge(client, lines, strlen(lines), answer, strlen(answer), &error);
 *
 * The new state is saved before its lines can be had, so that an index is randomized once, ever.
 * Whatever fails, nothing is sent and nothing is lost. Applications must observe every period, or
 * be silent, whatever the value is: that a device takes part, and when, is not hidden.
 *
 * Errors. Every call that can fail returns FR_OK or the code of what was wrong. `error` may be
 * NULL; else it gets the same code and a message that says what was expected. No message names a
 * value, noise or key. Nothing of C++ crosses: no exception, no type.
 *
 * Handles. Closing takes the handle's address and sets it to NULL; closing NULL does nothing. Every
 * call takes a NULL handle for a closed one and answers FR_INVALID. A device may be closed before
 * its clients: it lives on until the last of them is closed.
 *
 * Texts that a call gives are the caller's, end with a NUL and are freed by fr_free().
 *
 * Threads. One thread at a time may use a device and its clients, and a callback may not: a call
 * while another one is running is FR_INVALID and does nothing. Devices do not share anything. A
 * metric never changes: any number of threads and devices may read one. After fork() only the
 * parent may go on.
 *
 * C99. Symbols that this header does not name may change or go. */
#ifndef FUTURERAND_H
#define FUTURERAND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fr_code {
  FR_OK = 0,
  FR_INVALID = 1,       /* what was given is not of the form or range that was expected */
  FR_NOT_FOUND = 2,     /* what was asked for does not exist */
  FR_REFUSED = 3,       /* never: a ceiling, pinned terms, a plan, a line that is refused */
  FR_DAMAGED = 4,       /* stored bytes are not what was saved, or records contradict each other */
  FR_NO_ENTROPY = 5,    /* the random source failed */
  FR_NO_ROOM = 6,       /* the store, or the collector, has no room for more */
  FR_BUSY = 7,          /* somebody else holds it */
  FR_UNREACHABLE = 8,   /* no answer, or one that asks to come again */
  FR_NO_MEMORY = 9,     /* or another failure inside; nothing was sent */
  FR_NOT_STARTED = 10,  /* too early: the message says from when on, if that is known */
  FR_UNAUTHORIZED = 11, /* the server wants another token */
  FR_UNTRUSTED = 12,    /* what answers does not prove to be the server that was asked for */
  FR_FORCE_INT = 0x7fffffff
} fr_code;

/* What a program does about a code; docs/errors.md has the table. Only FR_GIVE_UP is for good:
 * whatever the others say, all state stays, and the next attempt goes on from it. */
typedef enum fr_action {
  FR_NOTHING = 0, /* FR_OK */
  FR_RETRY_LATER = 1,
  FR_TELL_OPERATOR = 2,
  FR_FIX_CALL = 3,
  FR_GIVE_UP = 4,
  FR_ACTION_FORCE_INT = 0x7fffffff
} fr_action;

/* The caller's; a longer message is cut. */
typedef struct fr_error {
  fr_code code;
  char message[508];
} fr_error;

typedef struct fr_device fr_device;
typedef struct fr_metric fr_metric;
typedef struct fr_client fr_client;

/* Where an application keeps its records, if not in a folder. Privacy rests on what it promises:
 * each record is replaced as a whole, nobody else changes it meanwhile, and what was saved survives
 * a crash. Records are secret: they hold values and noise. Names of records are letters, digits and
 * '-', at most 64 of them. Calls from a callback to its own device or clients are refused; handles
 * that it closes are closed when the running call ends. */
typedef struct fr_store {
  void* context;
  /* FR_OK and the bytes, which must stay valid until the next call; FR_NOT_FOUND if nothing was
   * ever saved under this name; anything else if it cannot be read: never FR_NOT_FOUND then. */
  fr_code (*load)(void* context, const char* record, const uint8_t** bytes, size_t* size);
  /* FR_OK once the bytes survive a crash. On failure the record is whole: the old or the new. */
  fr_code (*save)(void* context, const char* record, const uint8_t* bytes, size_t size);
  /* Calls each(list, record) for every record that was saved. */
  fr_code (*names)(void* context, void (*each)(void* list, const char* record), void* list);
} fr_store;

/* Random bytes that nobody can guess. FR_OK if all of `size` were filled. */
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
 * `ceiling` is the epsilon that all metrics together may ever cost this device, as a decimal such
 * as "4"; `per_metric`, if not NULL, bounds each of them. `entropy` NULL means the operating
 * system's, which is what a device should use. FR_BUSY while the records are open elsewhere. */

/* Keeps the records as files in a folder, which is made if need be and locked while it is open. */
fr_code fr_device_open_folder(const char* folder, const char* ceiling, const char* per_metric,
                              const fr_entropy* entropy, fr_device** device, fr_error* error);
/* What guards the records of a folder against old copies; docs/device.md says what each catches. */
typedef struct fr_guards {
  const char* machine; /* an identity of this machine; NULL: the system's; "": no check */
  const char*
      tpm; /* a TPM 2.0, such as "device:/dev/tpmrm0", which counts what is saved; NULL: none */
  uint32_t tpm_index; /* its NV index; 0: one that follows from the folder */
} fr_guards;
/* The same with other guards. fr_device_open_folder() has the system's identity, if it has one, and
 * no TPM. FR_REFUSED on another machine than before, and for ever after. FR_NOT_FOUND if the
 * identity or the TPM cannot be read, FR_DAMAGED for an old copy that the TPM knows. */
fr_code fr_device_open_guarded(const char* folder, const fr_guards* guards, const char* ceiling,
                               const char* per_metric, const fr_entropy* entropy,
                               fr_device** device, fr_error* error);
/* Keeps the records where the application says; the struct is copied, its context is not. */
fr_code fr_device_open(const fr_store* store, const char* ceiling, const char* per_metric,
                       const fr_entropy* entropy, fr_device** device, fr_error* error);
/* Binds the records of an application's own store to this machine, by an identity that differs
 * between machines and lasts. Only a keyed hash of it is kept. Say it right after opening, each
 * time. FR_REFUSED for another identity than before: the device then does nothing any more. */
fr_code fr_device_bind(fr_device* device, const char* machine, fr_error* error);
/* Bounds what is spent inside any so many seconds, on all metrics together: say it right after
 * opening. A metric without an end is then sat out while the window is full. */
fr_code fr_device_set_window(fr_device* device, const char* epsilon, int64_t seconds,
                             fr_error* error);
/* The device's own time, in seconds since 1970, for an application that does not use the system's:
 * say it before each call that opens or observes. Time only moves forward. Never pass a server's.
 */
fr_code fr_device_believe(fr_device* device, int64_t seconds, fr_error* error);
/* What was joined and what it cost, as JSON; `window` and `season` are null where there is none:
 * {"ceiling":"4","spent":"1","window":{"epsilon":"1","seconds":7776000,"spent":"1"},
 *  "metrics":[{"metric":"dark-mode","epsilon":"1","client":"<hex>","season":17}],
 *  "groups":[{"group":"settings","metric":"dark-mode"}]}: `groups` has what was drawn. */
fr_code fr_device_ledger(const fr_device* device, char** json, fr_error* error);
/* What a settings page may show, as JSON: the exact lines that were sent and that wait, epsilon
 * spent and left, and what that means in words; nothing secret. docs/device.md has an example. */
fr_code fr_device_history(const fr_device* device, char** json, fr_error* error);
/* The user's decision: "on", "off" or "local_only". It is remembered with the records; without one
 * it is "on". "off": nothing is joined, observed or sent, except that clients leave. "local_only":
 * nothing is joined until it is "on". Joining is FR_NOT_STARTED meanwhile. */
fr_code fr_device_set_participation(fr_device* device, const char* participation, fr_error* error);
/* Makes it "local_only" unless a decision is remembered: for applications that ask first. */
fr_code fr_device_ask_first(fr_device* device, fr_error* error);
void fr_device_close(fr_device** device);

/* --- the metric ---------------------------------------------------------------------------------
 * Certifies the plan in exact integers, on this device: no server is believed. FR_REFUSED for a
 * plan that may lose more than its epsilon. */

/* The document of GET /v1/metrics/NAME (docs/http.md). */
fr_code fr_metric_accept(const char* json, size_t size, fr_metric** metric, fr_error* error);
/* The same for an application that ships the digest of the plan that it expects, "sha256:..." as
 * `futurerand audit` prints it: any other plan is FR_REFUSED. */
fr_code fr_metric_accept_pinned(const char* json, size_t size, const char* digest,
                                fr_metric** metric, fr_error* error);
/* A metric from its parts: the JSON of a plan, the second since 1970 at which period 1 begins and
 * the seconds of a period; 0 and 0 for periods that a collector moves by hand. */
fr_code fr_metric_create(const char* name, const char* plan_json, size_t size, int64_t start,
                         int64_t period_seconds, fr_metric** metric, fr_error* error);
/* The certificate with all integers and the digest of the plan, as JSON (docs/wire.md). */
fr_code fr_metric_certificate(const fr_metric* metric, char** json, fr_error* error);
/* The same of any valid plan, private or not: the document says which. */
fr_code fr_certify(const char* plan_json, size_t size, char** json, fr_error* error);
/* The period that runs at this second since 1970: 0 before the start, one past the last after the
 * horizon. FR_INVALID where periods are moved by hand: ask the collector. */
fr_code fr_metric_period_at(const fr_metric* metric, int64_t seconds, uint32_t* period,
                            fr_error* error);
/* What the collector said was running when it wrote the document; 0 for a metric from parts. */
fr_code fr_metric_current_period(const fr_metric* metric, uint32_t* period, fr_error* error);
void fr_metric_close(fr_metric** metric);

/* A metric without an end is used by the same calls. Its periods never end. The device takes part
 * for a season, rests, and takes part again as a new device; while it rests, values are ignored.
 * The device works out its seasons by its own clock. FR_NOT_STARTED for a period that is not within
 * one period of it.
 */
/* Metrics of a group share one budget. The device draws one of them, once and before any data, and
 * takes part in that one alone. A client of any other is used by the same calls: they succeed, and
 * nothing is kept, spent or sent. */
/* --- the client ---------------------------------------------------------------------------------
 * Goes on from the state that the device has of this metric, or else joins in `period`, which
 * charges the ledger. FR_BUSY while there is another client of it, FR_NOT_STARTED before the first
 * period, FR_REFUSED past the ceiling, after the last period or where the terms are not those that
 * were joined. */
fr_code fr_client_open(fr_device* device, const fr_metric* metric, uint32_t period,
                       fr_client** client, fr_error* error);
/* The same for a metric with segments. The device states its segment on joining: public, in the
 * clear, and without cost in epsilon. So it must never depend on the value. FR_INVALID if the
 * metric does not list it. A device stays in the segment that it joined with, whatever is given
 * later; of a metric without an end each season states it anew. */
fr_code fr_client_open_in(fr_device* device, const fr_metric* metric, uint32_t period,
                          const char* segment, fr_client** client, fr_error* error);
/* One value, 0 or 1, a period; periods only forward, and the first value of a period counts. Missed
 * periods hold the last value; a period past the horizon closes the metric. This call is for yes/no
 * metrics. A call for another kind of value is FR_INVALID; nothing is lost or spent. */
fr_code fr_client_observe(fr_client* client, uint32_t period, int value, fr_error* error);
/* The same for metrics of the kinds "number" and "distribution". Values outside the metric's range
 * are clipped; NaN and infinity are FR_INVALID. */
fr_code fr_client_observe_number(fr_client* client, uint32_t period, double value, fr_error* error);
/* The same for metrics of the kinds "category" and "text": `size` bytes of UTF-8. A label that the
 * metric does not list counts as its label for others, and is FR_INVALID if there is none. A text
 * has 1 to 64 bytes. */
fr_code fr_client_observe_text(fr_client* client, uint32_t period, const char* text, size_t size,
                               fr_error* error);
/* Observes `count` yes/no values in the order of their periods, saved once: all of them count, or
 * none if one is refused. For whoever has gathered many. */
fr_code fr_client_observe_all(fr_client* client, const uint32_t* periods, const uint8_t* values,
                              size_t count, fr_error* error);
/* This period has begun: what concerns those before it may be sent. Observing says so too. */
fr_code fr_client_begin_period(fr_client* client, uint32_t period, fr_error* error);
/* What is due and not acknowledged, as lines to POST to fr_client_path(); empty if nothing is.
 * Calling it again gives the same lines, and what came due since. Of a metric without an end, the
 * lines of one season: ask again after they are acknowledged. */
fr_code fr_client_lines(fr_client* client, char** lines, fr_error* error);
/* Where to POST these lines: "/v1/metrics/NAME/reports", or "/v1/metrics/NAME/seasons/S/reports" of
 * a metric without an end. */
fr_code fr_client_path(fr_client* client, const char* lines, size_t size, char** path,
                       fr_error* error);
/* Forgets what the collector has of these lines: a text that fr_client_lines() gave, and the
 * collector's answer to it. Any number of texts may be on their way: each answer counts for its own
 * lines only, and a late one does no harm. Without an answer (NULL) the caller knows otherwise that
 * the collector has all of them. A collector that lost what it had, as after an older backup was
 * restored, answers so: those lines are then given again. FR_REFUSED if it refused a line for good,
 * FR_NOT_STARTED or FR_NO_ROOM if it does not take the enrolment now; FR_INVALID for lines that
 * this client did not give, or what is no answer to them. */
fr_code fr_client_acknowledge(fr_client* client, const char* lines, size_t lines_size,
                              const char* answer, size_t answer_size, fr_error* error);
/* Leaves the metric in this period, whatever the value is, and for good. Noise, key, value and
 * signs are erased, and the lines are one that says so. The ledger keeps what was spent. The line
 * is due again in each later period, in case the collector was restored from an older backup. */
fr_code fr_client_leave(fr_client* client, uint32_t period, fr_error* error);
/* Leaves, and asks the collector to take out what this device reported: docs/device.md says what
 * cannot be taken back. fr_client_acknowledge() answers FR_REFUSED if the collector cannot do it;
 * the device then only leaves. */
fr_code fr_client_forget(fr_client* client, uint32_t period, fr_error* error);
/* {"metric":"dark-mode","client":"<hex>","view":3,"value":"yes_no","period":7,"closed":false,
 *  "endless":false,"season":null,"left":false,"drawn":true}: nothing secret. `drawn` is false for
 * a metric of a group if the device drew another one. Of a metric without an end, `season` is the
 * one that it takes part in; while it rests or sits out, `season`, `client` and `view` are null.
 * `value` is the kind of values that the metric takes: "yes_no", "number", "category",
 * "distribution" or "text". */
fr_code fr_client_about(const fr_client* client, char** json, fr_error* error);
void fr_client_close(fr_client** client);

/* What is due of these clients of one device, for a transport of the application's own: a JSON list
 * of texts, each the body of a POST to /v1/reports. It has one text, or none if nothing is due;
 * more only past 64 metrics or 1 MiB of lines, and for two seasons of one metric. */
fr_code fr_clients_requests(fr_client* const* clients, size_t count, char** json, fr_error* error);
/* Forgets what the collector has of such a body, by the text of its answer of status 200:
 * {"accepted":2,"duplicates":0,"rejected":0,"early":0,"lost":"","busy":"","why_busy":null,
 *  "failures":[{"metric":"m","code":3,"message":"..."}]}
 * `lost` is a body to POST at once, and only once: the collector lost those lines. `busy` is a body
 * to POST after a pause: the collector did not take those metrics now. A failure is that of one
 * metric, whose lines stay due. Each metric's answer counts for its own lines only, as in
 * fr_client_acknowledge(). FR_UNTRUSTED if the answer is not to this body. */
fr_code fr_clients_answer(fr_client* const* clients, size_t count, const char* request,
                          size_t request_size, const char* answer, size_t answer_size, char** json,
                          fr_error* error);

/* --- the collector ------------------------------------------------------------------------------
 * HTTP and HTTPS by the library itself. An HTTPS server is reached through $HTTPS_PROXY, unless
 * $NO_PROXY names its host. Certificates are always checked, and redirects are not followed. These
 * calls wait: use a thread of your own. WebAssembly has none of this, since JavaScript has its own
 * HTTP; nor has a build for Windows. */
typedef struct fr_server {
  const char* url;     /* "https://counts.example" */
  const char* token;   /* shown with every request; NULL: none */
  const char* ca_file; /* CA certificates to trust, as PEM; NULL: the system's */
  uint32_t timeout_ms; /* of an answer; 0: 30,000 */
  uint32_t attempts;   /* of sending, with pauses that double; 0: 10 */
} fr_server;

/* Asks for a metric and certifies its plan, as fr_metric_accept() does. */
fr_code fr_fetch_metric(const fr_server* server, const char* name, fr_metric** metric,
                        fr_error* error);
/* Sends what is due of these clients of one device in one request, and acknowledges what the
 * collector has of it. `accepted`, if not NULL, gets how many lines that were. Two seasons of one
 * metric go in two requests, because one would link them. A metric that the collector cannot take
 * now is sent again after a pause. If one metric fails, the others go on, and the first failure is
 * returned. Nothing is lost: what the collector does not have stays due. FR_INVALID for clients of
 * two devices, because a request shows that its lines belong together, and for a client that is
 * given twice. */
fr_code fr_send(const fr_server* server, fr_client* const* clients, size_t count, size_t* accepted,
                fr_error* error);

#ifdef __cplusplus
}
#endif

#endif
