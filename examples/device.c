/* A device in C99: joins a metric, observes its value once a period, and sends what is due. Run it once a
 * period, whatever the value is; everything it must remember is in its folder.
 *
 *   cc -std=c99 device.c $(pkg-config --cflags --libs futurerand) -o device
 *   ./device http://127.0.0.1:8080 FOLDER METRIC 0|1
 *
 * Over https:// it trusts the system's authorities, or only those of the PEM file $DEVICE_CA_FILE. It shows
 * the token $DEVICE_TOKEN, if there is one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <futurerand.h>

static int stop(const char *what, const fr_error *error) {
  static const char *const advice[] = {"", " (retry later)", " (tell operator)", " (fix call)", " (give up)"};
  fprintf(stderr, "device: %s: %s%s\n", what, error->message, advice[fr_action_of(error->code)]);
  return 1;
}

int main(int argc, char **argv) {
  fr_error error = {FR_INVALID, "expected URL FOLDER METRIC 0|1"};
  if (argc != 5 || (strcmp(argv[4], "0") != 0 && strcmp(argv[4], "1") != 0)) return stop("usage", &error);
  fr_server server = {argv[1], getenv("DEVICE_TOKEN"), getenv("DEVICE_CA_FILE"), 10000, 0};
  fr_device *device = NULL;
  fr_metric *metric = NULL;
  fr_client *client = NULL;
  uint32_t period = 0;
  size_t accepted = 0;

  /* The ceiling is this application's: what all metrics together may ever learn. */
  int failed = fr_device_open_folder(argv[2], "4", NULL, NULL, &device, &error) != FR_OK ||
               fr_fetch_metric(&server, argv[3], &metric, &error) != FR_OK ||
               fr_metric_current_period(metric, &period, &error) != FR_OK ||
               fr_client_open(device, metric, period, &client, &error) != FR_OK ||
               fr_client_observe(client, period, strcmp(argv[4], "1") == 0, &error) != FR_OK ||
               fr_send(&server, &client, 1, &accepted, &error) != FR_OK;
  if (failed) {
    stop(argv[3], &error);
  } else {
    printf("%s: period %lu, %lu lines accepted\n", argv[3], (unsigned long)period, (unsigned long)accepted);
  }
  fr_client_close(&client);
  fr_metric_close(&metric);
  fr_device_close(&device);
  return failed;
}
