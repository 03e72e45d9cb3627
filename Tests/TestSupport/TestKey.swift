package import Crypto
import Synchronization

/// RSA keys of the tests of this process: to make one takes longer than most tests.
package enum TestKey {
    private static let keys = Mutex<[String: PrivateKey]>([:])

    /// Makes the key of a name once.
    /// - Parameter name: keys with different names differ.
    package static func rsa(_ name: String = "first", bits: Int = 2048) throws -> PrivateKey {
        try keys.withLock { keys in
            let key = try keys["\(name) \(bits)"] ?? .generateRSA(bits: bits)
            keys["\(name) \(bits)"] = key
            return key
        }
    }
}
