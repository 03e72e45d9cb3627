internal import COpenSSL

/// An OpenSSL key of a kind we use.
///
/// `@unchecked Sendable`: never changed after `init`, and OpenSSL allows concurrent use of an unchanging key.
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    let algorithm: SignatureAlgorithm

    /// Below, factoring is within reach; above, one verification costs a sender nothing and us milliseconds.
    private static let rsaBits = 2048...8192

    /// Takes the key over, whether it is accepted or not.
    init(owning pointer: OpaquePointer) throws(CryptoError) {
        guard let algorithm = Self.algorithm(of: pointer) else {
            EVP_PKEY_free(pointer)
            throw .unsupportedKey
        }
        self.pointer = pointer
        self.algorithm = algorithm
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The one signature this key is for, nil if it is none of ours.
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
    /// - Parameter count: padded with zeros on the left to this many bytes; nil for as many as the number needs.
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
