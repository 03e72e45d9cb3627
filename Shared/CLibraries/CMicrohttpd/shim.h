#pragma once
#include <linux/filter.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* The functions below exist because Swift imports no variadic functions. */

/* The settings of one daemon, besides its callbacks. */
struct latchkey_mhd_settings {
  int listening_socket;
  unsigned int connections;
  size_t connection_memory;
};

/* What a callback for the bytes of a response returns at their end, and when the rest is missing. */
static const ssize_t latchkey_stream_ended = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t latchkey_stream_failed = MHD_CONTENT_READER_END_WITH_ERROR;

/* Every callback gets the same `context`. */
struct latchkey_mhd_callbacks {
  void *context;
  MHD_AcceptPolicyCallback accept;
  MHD_NotifyConnectionCallback connection;
  void *(*request_line)(void *context, const char *target, struct MHD_Connection *connection);
  MHD_AccessHandlerCallback request;
  /* The library is about to respond to a request itself. */
  void (*refuses)(void *context);
  MHD_RequestCompletedCallback completed;
};

/* Keeps names and values undecoded: the code that uses a value decodes it and rejects invalid ones. */
static inline size_t latchkey_mhd_keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return __builtin_strlen(text);
}

/* The library reports a refused request only in its log, and does so before it responds. */
static inline void latchkey_mhd_log(void *callbacks, const char *format, va_list arguments) {
  (void)arguments;
  static const char refusal[] = "Error processing request";
  if (callbacks != NULL && strncmp(format, refusal, sizeof refusal - 1) == 0) {
    const struct latchkey_mhd_callbacks *own = (const struct latchkey_mhd_callbacks *)callbacks;
    own->refuses(own->context);
  }
}

/* NULL if the daemon does not start, with the reason in `errno`. The callbacks must live as long as the daemon. */
static inline struct MHD_Daemon *latchkey_mhd_start(struct latchkey_mhd_settings settings,
                                                    const struct latchkey_mhd_callbacks *callbacks) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG, 0, callbacks->accept,
      callbacks->context, callbacks->request, callbacks->context,
      /* First, so that nothing is written to standard error. */
      MHD_OPTION_EXTERNAL_LOGGER, &latchkey_mhd_log, (void *)callbacks, MHD_OPTION_LISTEN_SOCKET, settings.listening_socket,
      MHD_OPTION_CONNECTION_LIMIT, settings.connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      settings.connection_memory,
      MHD_OPTION_NOTIFY_CONNECTION, callbacks->connection, callbacks->context, MHD_OPTION_NOTIFY_COMPLETED,
      callbacks->completed, callbacks->context, MHD_OPTION_URI_LOG_CALLBACK, callbacks->request_line,
      callbacks->context, MHD_OPTION_UNESCAPE_CALLBACK, &latchkey_mhd_keep_escapes, NULL, MHD_OPTION_END);
}

/* Readable when the daemon has work. */
static inline int latchkey_mhd_descriptor(struct MHD_Daemon *daemon) {
  return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

/* Whether the daemon has work that its descriptor does not signal. No timeouts of the library are in use. */
static inline int latchkey_mhd_has_work(struct MHD_Daemon *daemon) {
  MHD_UNSIGNED_LONG_LONG milliseconds = 1;
  return MHD_get_timeout(daemon, &milliseconds) == MHD_YES && milliseconds == 0;
}

/* Attaches a filter to a listening TCP socket: segments that begin a connection are dropped, others pass. */
static inline int latchkey_refuse_handshakes(int socket) {
  struct sock_filter code[] = {
      /* The flags of the TCP header, without the congestion flags. */
      {BPF_LD | BPF_B | BPF_ABS, 0, 0, 13},
      {BPF_ALU | BPF_AND | BPF_K, 0, 0, 0x3f},
      /* SYN only. */
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0x02},
      {BPF_RET | BPF_K, 0, 0, 0},
      {BPF_RET | BPF_K, 0, 0, 0xffffffff},
  };
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

/* Bytes that have arrived but were not read. */
static inline int latchkey_unread_bytes(int socket) {
  int count = 0;
  return ioctl(socket, FIONREAD, &count) == 0 ? count : 0;
}

/* The bytes that the peer of a TCP socket has acknowledged and sent. Returns 0 or -1. */
static inline int latchkey_transferred_bytes(int socket, uint64_t *acknowledged, uint64_t *received) {
  /* As in <linux/tcp.h>, whose `tcp_info` is longer than the one of glibc: `tcpi_bytes_acked`, `tcpi_bytes_received`. */
  enum { acknowledged_offset = 120, received_offset = 128 };
  unsigned char info[received_offset + sizeof(uint64_t)];
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &size) != 0 || size < sizeof info) return -1;
  memcpy(acknowledged, info + acknowledged_offset, sizeof *acknowledged);
  memcpy(received, info + received_offset, sizeof *received);
  return 0;
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
