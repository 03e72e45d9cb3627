internal import COpenSSL

/// Whether two secrets are equal. The time reveals only whether their lengths are equal.
package func constantTimeEquals(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
}
