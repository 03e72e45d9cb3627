#pragma once
#include <microhttpd.h>
#include <stddef.h>
#include <sys/socket.h>

/* The functions below exist because Swift imports no variadic functions. */

/* What one daemon needs to know beside its callbacks. */
struct latchkey_mhd_settings {
  int listening_socket;
  unsigned int connections;
  unsigned int threads;
  size_t connection_memory;
};

/* Every callback gets the same `context`. */
struct latchkey_mhd_callbacks {
  void *context;
  MHD_AcceptPolicyCallback accept;
  MHD_NotifyConnectionCallback connection;
  void *(*request_line)(void *context, const char *target, struct MHD_Connection *connection);
  MHD_AccessHandlerCallback request;
  MHD_RequestCompletedCallback completed;
};

/* Leaves names and values as they came: decoding is done where a value is used, and knows what to refuse. */
static inline size_t latchkey_mhd_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return __builtin_strlen(text);
}

/* NULL when the daemon does not start; `errno` then tells why. */
static inline struct MHD_Daemon *latchkey_mhd_start(struct latchkey_mhd_settings settings,
                                                    struct latchkey_mhd_callbacks callbacks) {
  return MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, callbacks.accept, callbacks.context,
      callbacks.request, callbacks.context, MHD_OPTION_LISTEN_SOCKET, settings.listening_socket,
      MHD_OPTION_CONNECTION_LIMIT, settings.connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      settings.connection_memory,
      /* A pool of one worker would be a second thread for nothing. */
      MHD_OPTION_THREAD_POOL_SIZE, settings.threads > 1 ? settings.threads : 0u, MHD_OPTION_NOTIFY_CONNECTION,
      callbacks.connection, callbacks.context, MHD_OPTION_NOTIFY_COMPLETED, callbacks.completed, callbacks.context,
      MHD_OPTION_URI_LOG_CALLBACK, callbacks.request_line, callbacks.context, MHD_OPTION_UNESCAPE_CALLBACK,
      &latchkey_mhd_keep_escapes, NULL, MHD_OPTION_END);
}

static inline int latchkey_mhd_socket(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static inline const struct sockaddr *latchkey_mhd_client_address(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
}

/* Bytes from the request line to the empty line, both included. */
static inline size_t latchkey_mhd_head_size(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)->header_size;
}
