internal import COpenSSL

/// An OpenSSL key of a supported type.
///
/// `@unchecked Sendable`: never changed after `init`, and OpenSSL allows concurrent use of an unchanged key.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    let algorithm: SignatureAlgorithm

    /// Shorter keys can be factored. With longer ones a verification takes milliseconds, which a sender can cause at no
    /// cost.
    private static let rsaBits = 2048...8192

    /// Takes ownership of the key, even if it rejects the key.
    init(owning pointer: OpaquePointer) throws(CryptoError) {
        guard let algorithm = Self.algorithm(of: pointer) else {
            EVP_PKEY_free(pointer)
            throw .unsupportedKey
        }
        self.pointer = pointer
        self.algorithm = algorithm
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The only signature algorithm of this key; nil if it is not supported.
    private static func algorithm(of key: OpaquePointer) -> SignatureAlgorithm? {
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA:
            return rsaBits.contains(Int(EVP_PKEY_get_bits(key))) ? .rs256 : nil
        case EVP_PKEY_EC:
            var name = [CChar](repeating: 0, count: 64)
            var length = 0
            let isNamed = EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
            return isNamed && name.prefix(length).elementsEqual(SN_X9_62_prime256v1.utf8CString.dropLast())
                ? .es256 : nil
        default:
            return nil
        }
    }

    /// A number of the key, big-endian.
    /// - Parameter count: the length with zeros added on the left; nil for the minimum length.
    func number(_ name: String, count: Int? = nil) throws(CryptoError) -> [UInt8] {
        var number: OpaquePointer?
        try OpenSSL.check(EVP_PKEY_get_bn_param(pointer, name, &number))
        defer { BN_free(number) }
        let count = count ?? Int((BN_num_bits(number) + 7) / 8)
        var bytes = [UInt8](repeating: 0, count: count)
        guard BN_bn2binpad(number, &bytes, Int32(count)) == count else { throw OpenSSL.failure() }
        return bytes
    }
}
