#pragma once
#include <curl/curl.h>

/* The functions below exist because Swift imports no variadic functions: `curl_easy_setopt` and `curl_easy_getinfo`
   once for each type of argument. */

static inline CURLcode latchkey_curl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode latchkey_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode latchkey_curl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode latchkey_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

/* `receive` serves `CURLOPT_WRITEFUNCTION` and `CURLOPT_HEADERFUNCTION`. */
static inline CURLcode latchkey_curl_set_receiver(CURL *handle, CURLoption option, curl_write_callback receive) {
  return curl_easy_setopt(handle, option, receive);
}

static inline long latchkey_curl_status(CURL *handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

/* One of `CURL_HTTP_VERSION_…`; 0 without a response. */
static inline long latchkey_curl_http_version(CURL *handle) {
  long version = 0;
  curl_easy_getinfo(handle, CURLINFO_HTTP_VERSION, &version);
  return version;
}

static inline CURLcode latchkey_curl_set_debug(CURL *handle, curl_debug_callback receive) {
  return curl_easy_setopt(handle, CURLOPT_DEBUGFUNCTION, receive);
}

static inline CURLcode latchkey_curl_set_progress(CURL *handle, curl_xferinfo_callback receive) {
  return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, receive);
}

static inline CURLcode latchkey_curl_set_opener(CURL *handle, curl_opensocket_callback open) {
  return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open);
}

/* The socket address of `length` bytes behind the fixed members: it may be longer than the declared member. */
static inline const void *latchkey_curl_socket_address(const struct curl_sockaddr *address, unsigned int *length) {
  *length = address->addrlen;
  return &address->addr;
}

/* Bytes of requests that the last transfer sent, including headers; 0 if it sent no request. */
static inline long latchkey_curl_request_size(CURL *handle) {
  long size = 0;
  curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &size);
  return size;
}

/* Connections that the last transfer opened; 0 if it reused one. */
static inline long latchkey_curl_new_connections(CURL *handle) {
  long count = 0;
  curl_easy_getinfo(handle, CURLINFO_NUM_CONNECTS, &count);
  return count;
}
