/* The HTTP library of the gateway without a gateway: every request is answered with the same 500 bytes.
   Usage: bench-http PORT    listens on the loopback address until it is killed */

#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char body[500];

/* The library calls it after the head, for each piece of the body, and at the end. */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *target, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state) {
  (void)context, (void)target, (void)method, (void)version, (void)upload;
  if (*state == NULL) {
    *state = body;
    return MHD_YES;
  }
  if (*upload_size > 0) {
    *upload_size = 0;
    return MHD_YES;
  }
  struct MHD_Response *response = MHD_create_response_from_buffer(sizeof body, body, MHD_RESPMEM_PERSISTENT);
  MHD_add_response_header(response, "Content-Type", "application/json");
  enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

int main(int count, char **arguments) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  address.sin_port = htons((uint16_t)(count == 2 ? atoi(arguments[1]) : 0));
  memset(body, 'a', sizeof body);
  /* One thread, as in the gateway. */
  if (MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL, MHD_OPTION_SOCK_ADDR, &address,
                       MHD_OPTION_END) == NULL) {
    perror("bench-http");
    return 1;
  }
  while (pause() < 0) continue;
}
