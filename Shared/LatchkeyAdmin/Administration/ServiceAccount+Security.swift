import LatchkeyAuth

#if canImport(Security)
    internal import Foundation
    internal import Security

    // Apple's systems only: this file is not compiled on Linux.
    extension AdminCredential {
        /// A service account whose private key the Security framework uses.
        /// - Throws: ``AdminError/Code/invalidCredential`` if the file has no RSA key of 2,048 bits or more.
        public static func serviceAccount(_ account: ServiceAccount) throws -> AdminCredential {
            guard let pkcs1 = account.pkcs1PrivateKey else {
                throw AdminError(.invalidCredential, "The key file contains no RSA key.")
            }
            return serviceAccount(account) { input in
                let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
                guard let key = SecKeyCreateWithData(pkcs1 as CFData, attributes as CFDictionary, nil),
                    let signature = SecKeyCreateSignature(
                        key, .rsaSignatureMessagePKCS1v15SHA256, input as CFData, nil)
                else { throw AdminError(.invalidCredential, "The private key of the file cannot sign.") }
                return signature as Data
            }
        }
    }
#endif
