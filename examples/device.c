/* A device in C99: joins a metric, observes its value once a period, and sends what is due. Run it once a
 * period, whatever the value is; everything it must remember is in its folder. curl(1) speaks HTTP.
 *
 *   cc -std=c99 device.c $(pkg-config --cflags --libs futurerand) -o device
 *   ./device http://127.0.0.1:8080 FOLDER METRIC 0|1 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <futurerand.h>

static int stop(const char *what, const char *why) {
  fprintf(stderr, "device: %s: %s\n", what, why);
  return 1;
}

/* The body of curl's answer, or NULL. `lines` NULL means GET; else they are posted, from a file of this
 * process only. */
static char *ask(const char *url, const char *lines) {
  char body[] = "/tmp/futurerand-XXXXXX";
  char data[64] = "";
  if (lines != NULL) {
    const int file = mkstemp(body);
    if (file < 0) return NULL;
    const ssize_t written = write(file, lines, strlen(lines));
    close(file);
    if (written != (ssize_t)strlen(lines)) return NULL;
    snprintf(data, sizeof data, "@%s", body);
  }
  int ends[2];
  if (pipe(ends) != 0) return NULL;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    if (lines == NULL) execlp("curl", "curl", "-sS", "--fail", "--retry", "5", "--", url, (char *)NULL);
    execlp("curl", "curl", "-sS", "--fail", "--retry", "5", "--data-binary", data, "--", url, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  size_t size = 0;
  size_t room = 1 << 16;
  char *text = malloc(room);
  while (text != NULL) {
    if (size + 1 == room) {
      char *larger = realloc(text, room *= 2);
      if (larger == NULL) break;
      text = larger;
    }
    const ssize_t got = read(ends[0], text + size, room - size - 1);
    if (got <= 0) break;
    size += (size_t)got;
  }
  close(ends[0]);
  int status = 1;
  if (child > 0) waitpid(child, &status, 0);
  if (lines != NULL) unlink(body);
  if (text == NULL || child < 0 || status != 0) {
    free(text);
    return NULL;
  }
  text[size] = '\0';
  return text;
}

int main(int argc, char **argv) {
  if (argc != 5) return stop("usage", "device URL FOLDER METRIC 0|1");
  char metric_url[1024];
  char reports_url[1024];
  snprintf(metric_url, sizeof metric_url, "%s/v1/metrics/%s", argv[1], argv[3]);
  snprintf(reports_url, sizeof reports_url, "%s/v1/metrics/%s/reports", argv[1], argv[3]);

  fr_error error = {FR_OK, ""};
  fr_device *device = NULL;
  fr_metric *metric = NULL;
  fr_client *client = NULL;
  char *lines = NULL;
  char *answer = NULL;
  uint32_t period = 0;
  int failed = 1;

  char *document = ask(metric_url, NULL);
  if (document == NULL) return stop(metric_url, "no answer");
  /* The ceiling is this application's: what all metrics together may ever learn. */
  if (fr_device_open_folder(argv[2], "4", NULL, NULL, &device, &error) == FR_OK &&
      fr_metric_accept(document, strlen(document), &metric, &error) == FR_OK &&
      fr_metric_current_period(metric, &period, &error) == FR_OK &&
      fr_client_open(device, metric, period, &client, &error) == FR_OK &&
      fr_client_observe(client, period, strcmp(argv[4], "1") == 0, &error) == FR_OK &&
      fr_client_lines(client, &lines, &error) == FR_OK) {
    if (*lines == '\0') {
      failed = 0;
    } else if ((answer = ask(reports_url, lines)) == NULL) {
      stop(reports_url, "no answer; nothing is lost, the next run goes on");
    } else {
      failed = fr_client_acknowledge(client, lines, strlen(lines), answer, strlen(answer),
                                     &error) != FR_OK;
    }
  }
  if (error.code != FR_OK) stop(argv[3], error.message);
  if (!failed) printf("%s: period %lu, sent:\n%s", argv[3], (unsigned long)period, lines);
  fr_free(lines);
  free(answer);
  free(document);
  fr_client_close(&client);
  fr_metric_close(&metric);
  fr_device_close(&device);
  return failed;
}
