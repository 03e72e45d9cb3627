#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// These are expressions of macros, which Swift does not import.

/// For EVP_PKEY_fromdata: the parameters are those of a public key.
static const int copenssl_public_key = EVP_PKEY_PUBLIC_KEY;
/// For X509_NAME_add_entry_by_txt: the text is UTF-8.
static const int copenssl_utf8 = MBSTRING_UTF8;

// OSSL_PARAM_BLD stores the address of a name, and a Swift string has no permanent address.

static const char *const copenssl_rsa_modulus = OSSL_PKEY_PARAM_RSA_N;
static const char *const copenssl_rsa_exponent = OSSL_PKEY_PARAM_RSA_E;
static const char *const copenssl_group_name = OSSL_PKEY_PARAM_GROUP_NAME;
static const char *const copenssl_public_point = OSSL_PKEY_PARAM_PUB_KEY;
static const char *const copenssl_p256 = SN_X9_62_prime256v1;
static const char *const copenssl_p384 = SN_secp384r1;
static const char *const copenssl_p521 = SN_secp521r1;
