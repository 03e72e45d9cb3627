#include "CXMLSec.h"

#include <limits.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/valid.h>
#include <libxml/xmlerror.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <xmlsec/crypto.h>
#include <xmlsec/errors.h>
#include <xmlsec/io.h>
#include <xmlsec/openssl/evp.h>
#include <xmlsec/xmldsig.h>
#include <xmlsec/xmlsec.h>

/* The header shows the libraries' own structures under other names. */
static xmlDocPtr document_of(const lk_xml_document *document) { return (xmlDocPtr)document; }
static xmlNodePtr node_of(const lk_xml_node *node) { return (xmlNodePtr)node; }
static xmlAttrPtr attribute_of(const lk_xml_attribute *attribute) { return (xmlAttrPtr)attribute; }
static const lk_xml_node *shown(const xmlNode *node) { return (const lk_xml_node *)node; }

/* Malformed input is the sender's mistake: the libraries would print it. */
static void ignore_message(void *context, const char *format, ...) {
  (void)context;
  (void)format;
}

static void ignore_structured(void *context, xmlErrorPtr error) {
  (void)context;
  (void)error;
}

static void ignore_security_error(
  const char *file, int line, const char *function, const char *object, const char *subject, int reason,
  const char *message) {
  (void)file;
  (void)line;
  (void)function;
  (void)object;
  (void)subject;
  (void)reason;
  (void)message;
}

bool lk_xml_initialize(void) {
  xmlInitParser();
  /* Of every thread that uses libxml2 for the first time from now on. */
  xmlThrDefSetGenericErrorFunc(NULL, ignore_message);
  xmlThrDefSetStructuredErrorFunc(NULL, ignore_structured);
  xmlSecErrorsSetCallback(ignore_security_error);
  if (xmlSecInit() < 0 || xmlSecCheckVersion() != 1 || xmlSecCryptoInit() < 0) return false;
  /* References to files and URLs have no loader, even if a check of the reference failed. */
  xmlSecIOCleanupCallbacks();
  return true;
}

/* MARK: Documents */

static void stop_at_dtd(void *context, const xmlChar *name, const xmlChar *external, const xmlChar *system) {
  (void)name;
  (void)external;
  (void)system;
  xmlParserCtxtPtr parser = context;
  *(bool *)parser->_private = true;
  xmlStopParser(parser);
}

lk_xml_document *lk_xml_parse(const uint8_t *bytes, size_t count, bool *has_dtd) {
  *has_dtd = false;
  if (count > INT_MAX) return NULL;
  xmlParserCtxtPtr parser = xmlNewParserCtxt();
  if (parser == NULL) return NULL;
  parser->_private = has_dtd;
  parser->sax->internalSubset = stop_at_dtd;
  xmlDocPtr document = xmlCtxtReadMemory(
    parser, (const char *)bytes, (int)count, NULL, "UTF-8",
    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  bool is_sound = parser->wellFormed && !*has_dtd;
  xmlFreeParserCtxt(parser);
  if (document != NULL && (!is_sound || document->intSubset != NULL || document->extSubset != NULL)) {
    xmlFreeDoc(document);
    return NULL;
  }
  return (lk_xml_document *)document;
}

void lk_xml_free(lk_xml_document *document) { xmlFreeDoc((xmlDocPtr)document); }

const lk_xml_node *lk_xml_root(const lk_xml_document *document) {
  return shown(xmlDocGetRootElement(document_of(document)));
}

const lk_xml_node *lk_xml_first_of_document(const lk_xml_document *document) {
  return shown(document_of(document)->children);
}

const lk_xml_node *lk_xml_first_child(const lk_xml_node *node) { return shown(node_of(node)->children); }

const lk_xml_node *lk_xml_next(const lk_xml_node *node) { return shown(node_of(node)->next); }

lk_xml_kind lk_xml_kind_of(const lk_xml_node *node) {
  switch (node_of(node)->type) {
    case XML_ELEMENT_NODE: return LK_XML_ELEMENT;
    case XML_TEXT_NODE: return LK_XML_TEXT;
    default: return LK_XML_OTHER;
  }
}

const char *lk_xml_name(const lk_xml_node *node) { return (const char *)node_of(node)->name; }

const char *lk_xml_namespace(const lk_xml_node *node) {
  xmlNsPtr space = node_of(node)->ns;
  return space == NULL ? NULL : (const char *)space->href;
}

const char *lk_xml_text(const lk_xml_node *node) {
  const xmlChar *text = node_of(node)->content;
  return text == NULL ? "" : (const char *)text;
}

const lk_xml_attribute *lk_xml_first_attribute(const lk_xml_node *node) {
  return (const lk_xml_attribute *)node_of(node)->properties;
}

const lk_xml_attribute *lk_xml_next_attribute(const lk_xml_attribute *attribute) {
  return (const lk_xml_attribute *)attribute_of(attribute)->next;
}

const char *lk_xml_attribute_name(const lk_xml_attribute *attribute) {
  return (const char *)attribute_of(attribute)->name;
}

const char *lk_xml_attribute_namespace(const lk_xml_attribute *attribute) {
  xmlNsPtr space = attribute_of(attribute)->ns;
  return space == NULL ? NULL : (const char *)space->href;
}

char *lk_xml_copy_attribute_value(const lk_xml_attribute *attribute) {
  xmlAttrPtr shown_attribute = attribute_of(attribute);
  if (shown_attribute->children == NULL) return (char *)xmlStrdup(BAD_CAST "");
  return (char *)xmlNodeListGetString(shown_attribute->doc, shown_attribute->children, 1);
}

void lk_xml_free_text(char *text) { xmlFree(text); }

/* MARK: Signatures */

/* Makes `#ID` name `target`, and nothing else. */
static bool register_id(xmlDocPtr document, xmlNodePtr target) {
  xmlAttrPtr attribute = xmlHasNsProp(target, BAD_CAST "ID", NULL);
  if (attribute == NULL || attribute->type != XML_ATTRIBUTE_NODE) return false;
  xmlChar *value = xmlNodeListGetString(document, attribute->children, 1);
  if (value == NULL) return false;
  /* Another key may be tried with the same document. */
  xmlAttrPtr registered = xmlGetID(document, value);
  bool is_ours = registered == attribute;
  if (registered == NULL) is_ours = xmlAddID(NULL, document, value, attribute) != NULL;
  xmlFree(value);
  return is_ours;
}

/* Takes ownership of the result: `context` frees the key. */
static bool set_key(xmlSecDSigCtxPtr context, const uint8_t *der, size_t count) {
  if (count > LONG_MAX) return false;
  const unsigned char *bytes = der;
  EVP_PKEY *key = d2i_PUBKEY(NULL, &bytes, (long)count);
  if (key == NULL) return false;
  xmlSecKeyDataPtr data = xmlSecOpenSSLEvpKeyAdopt(key);
  if (data == NULL) {
    EVP_PKEY_free(key);
    return false;
  }
  context->signKey = xmlSecKeyCreate();
  if (context->signKey == NULL || xmlSecKeySetValue(context->signKey, data) < 0) {
    xmlSecKeyDataDestroy(data);
    return false;
  }
  return true;
}

static bool enable_algorithms(xmlSecDSigCtxPtr context) {
  const xmlSecTransformId reference[] = {
    xmlSecTransformEnvelopedId, xmlSecTransformExclC14NId, xmlSecTransformSha256Id, xmlSecTransformSha384Id,
    xmlSecTransformSha512Id,
  };
  const xmlSecTransformId signature[] = {
    xmlSecTransformExclC14NId,      xmlSecTransformRsaSha256Id,   xmlSecTransformRsaSha384Id,
    xmlSecTransformRsaSha512Id,     xmlSecTransformEcdsaSha256Id, xmlSecTransformEcdsaSha384Id,
    xmlSecTransformEcdsaSha512Id,
  };
  for (size_t index = 0; index < sizeof reference / sizeof *reference; index++) {
    if (xmlSecDSigCtxEnableReferenceTransform(context, reference[index]) < 0) return false;
  }
  for (size_t index = 0; index < sizeof signature / sizeof *signature; index++) {
    if (xmlSecDSigCtxEnableSignatureTransform(context, signature[index]) < 0) return false;
  }
  context->enabledReferenceUris = xmlSecTransformUriTypeSameDocument;
  return true;
}

lk_xml_result lk_xml_verify(
  lk_xml_document *document, const lk_xml_node *signature, const lk_xml_node *target, const uint8_t *key,
  size_t key_count) {
  /* A thread has its own handler, which is the default one if libxml2 was used before `lk_xml_initialize`. */
  xmlSetGenericErrorFunc(NULL, ignore_message);
  xmlSetStructuredErrorFunc(NULL, ignore_structured);
  if (!register_id(document_of(document), node_of(target))) return LK_XML_INVALID;
  xmlSecDSigCtxPtr context = xmlSecDSigCtxCreate(NULL);
  if (context == NULL) return LK_XML_FAILED;
  lk_xml_result result = LK_XML_FAILED;
  if (set_key(context, key, key_count) && enable_algorithms(context)) {
    bool is_done = xmlSecDSigCtxVerify(context, node_of(signature)) == 0;
    bool is_verified = is_done && context->status == xmlSecDSigStatusSucceeded
      && xmlSecPtrListGetSize(&context->signedInfoReferences) == 1
      && xmlSecPtrListGetSize(&context->manifestReferences) == 0;
    result = is_verified ? LK_XML_VERIFIED : LK_XML_INVALID;
  }
  xmlSecDSigCtxDestroy(context);
  ERR_clear_error();
  return result;
}
