#if canImport(Security)
    internal import Foundation
    internal import Security

    // Apple's systems only: this file is not compiled on Linux.
    extension SessionStorage {
        /// A generic password that is readable after the first unlock of the device, and not part of its backups.
        static func keychain(account: String, accessGroup: String?) -> SessionStorage {
            var query: [CFString: String] = [
                kSecClass: kSecClassGenericPassword as String, kSecAttrService: "LatchkeyAuth",
                kSecAttrAccount: account,
            ]
            query[kSecAttrAccessGroup] = accessGroup
            let item = query
            return SessionStorage(
                load: {
                    var result: CFTypeRef?
                    let search = (item as [CFString: Any]).merging([kSecReturnData: true]) { $1 }
                    let status = SecItemCopyMatching(search as CFDictionary, &result)
                    if status == errSecItemNotFound { return nil }
                    guard status == errSecSuccess else { throw KeychainFailure(status: status) }
                    return result as? Data
                },
                save: { data in
                    guard let data else {
                        let status = SecItemDelete(item as CFDictionary)
                        guard [errSecSuccess, errSecItemNotFound].contains(status) else {
                            throw KeychainFailure(status: status)
                        }
                        return
                    }
                    let value: [CFString: Any] = [
                        kSecValueData: data, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                    ]
                    var status = SecItemUpdate(item as CFDictionary, value as CFDictionary)
                    if status == errSecItemNotFound {
                        let new = (item as [CFString: Any]).merging(value) { $1 }
                        status = SecItemAdd(new as CFDictionary, nil)
                    }
                    guard status == errSecSuccess else { throw KeychainFailure(status: status) }
                })
        }
    }

    /// The status of a function of the Keychain.
    struct KeychainFailure: Error {
        let status: OSStatus
    }
#endif
