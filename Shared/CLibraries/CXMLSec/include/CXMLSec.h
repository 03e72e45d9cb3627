#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libxml2 and libxmlsec1 behind a header of our own: their headers consist of macros that Swift cannot import, and one
   definition of theirs (XMLSEC_NO_SIZE_T) decides the layout of structures. Every pointer belongs to its document. */

typedef struct lk_xml_document lk_xml_document;
typedef struct lk_xml_node lk_xml_node;
typedef struct lk_xml_attribute lk_xml_attribute;

typedef enum { LK_XML_ELEMENT, LK_XML_TEXT, LK_XML_OTHER } lk_xml_kind;

typedef enum {
  LK_XML_VERIFIED,
  /* A digest or the signature does not match, or an algorithm is not among those of `lk_xml_verify`. */
  LK_XML_INVALID,
  /* No memory. */
  LK_XML_FAILED
} lk_xml_result;

/* Prepares both libraries, for all threads. Call it once, before any other function.
   Returns false if a library is another version than its headers, or cannot start. */
bool lk_xml_initialize(void);

/* Parses UTF-8. A document type declaration stops the parser; nothing is loaded, and no entity is defined.
   Returns NULL for anything but one well-formed document without a document type declaration; then `*has_dtd` says
   whether that was the reason. */
lk_xml_document *lk_xml_parse(const uint8_t *bytes, size_t count, bool *has_dtd);
void lk_xml_free(lk_xml_document *document);

const lk_xml_node *lk_xml_root(const lk_xml_document *document);
/* NULL behind the last one. `lk_xml_next` also returns what follows the root. */
const lk_xml_node *lk_xml_first_child(const lk_xml_node *node);
const lk_xml_node *lk_xml_next(const lk_xml_node *node);
/* Comments and processing instructions before the root count. */
const lk_xml_node *lk_xml_first_of_document(const lk_xml_document *document);

lk_xml_kind lk_xml_kind_of(const lk_xml_node *node);
/* Of an element: its local name, and its namespace or NULL. */
const char *lk_xml_name(const lk_xml_node *node);
const char *lk_xml_namespace(const lk_xml_node *node);
/* Of a text. */
const char *lk_xml_text(const lk_xml_node *node);

const lk_xml_attribute *lk_xml_first_attribute(const lk_xml_node *node);
const lk_xml_attribute *lk_xml_next_attribute(const lk_xml_attribute *attribute);
const char *lk_xml_attribute_name(const lk_xml_attribute *attribute);
const char *lk_xml_attribute_namespace(const lk_xml_attribute *attribute);
/* The caller frees it with `lk_xml_free_text`. NULL without memory. */
char *lk_xml_copy_attribute_value(const lk_xml_attribute *attribute);
void lk_xml_free_text(char *text);

/* Verifies a `ds:Signature` whose one reference must name the attribute `ID` of `target`, with SHA-256, SHA-384 or
   SHA-512, RSA PKCS #1 or ECDSA, exclusive canonicalization and the enveloped-signature transform. `ds:KeyInfo` is
   ignored. `key` is a DER SubjectPublicKeyInfo. */
lk_xml_result lk_xml_verify(
  lk_xml_document *document, const lk_xml_node *signature, const lk_xml_node *target, const uint8_t *key,
  size_t key_count);
