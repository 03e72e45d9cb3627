import Contracts
import Crypto
import Vocabulary

/// Why a key cannot send pushes.
enum APNsKeyRefusal: String, Error, CaseIterable {
    case bundleID = "bundleId is not the bundle ID of an application."
    case keyID = "keyId is not ten capital letters and digits."
    case teamID = "teamId is not ten capital letters and digits."
    case notPKCS8 = "privateKey is not a private key in PEM (PKCS #8), like the file AuthKey_….p8 of Apple."
    case notP256 = "privateKey is not a P-256 key."
}

extension Notifier.AddAPNsKey {
    /// A P-256 key has 241 characters.
    private static let maximumKeyBytes = 4096

    /// - Returns: the private key as PKCS #8, DER.
    func checkedPrivateKey() throws(APNsKeyRefusal) -> Secret<[UInt8]> {
        guard ProjectConfiguration.MobileApp.isBundleID(bundleID) else { throw .bundleID }
        guard Self.isAppleID(keyID) else { throw .keyID }
        guard Self.isAppleID(teamID) else { throw .teamID }
        let pem = privateKey.reveal()
        // OpenSSL also reads the forms that have the algorithm in their label.
        guard pem.utf8.count <= Self.maximumKeyBytes, pem.contains("-----BEGIN PRIVATE KEY-----") else {
            throw .notPKCS8
        }
        do {
            let key = try PrivateKey(pem: pem)
            guard key.algorithm == .es256 else { throw APNsKeyRefusal.notP256 }
            return Secret(try key.pkcs8DER)
        } catch CryptoError.unsupportedKey, APNsKeyRefusal.notP256 {
            throw .notP256
        } catch {
            throw .notPKCS8
        }
    }

    private static func isAppleID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }
    }
}
