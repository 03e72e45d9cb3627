public import Foundation

/// Where the session of the user is stored between two starts of the application.
public enum AuthPersistence: Hashable, Sendable {
    /// The Keychain where there is one; elsewhere memory.
    case automatic
    /// Nowhere: the session ends with the process.
    case memory
    /// A file that only its owner can read (mode 0600). Its folder must exist.
    case file(URL)
    #if canImport(Security)
        /// The Keychain; with an access group, the session is shared with the other applications of the group.
        case keychain(accessGroup: String? = nil)
    #endif

    /// The session that a group of applications shares; nil where there is no Keychain.
    static func groupStorage(for name: String, accessGroup: String) -> SessionStorage? {
        #if canImport(Security)
            .keychain(account: name, accessGroup: accessGroup)
        #else
            nil
        #endif
    }

    func storage(for name: String) -> SessionStorage {
        switch self {
        case .automatic:
            #if canImport(Security)
                .keychain(account: name, accessGroup: nil)
            #else
                .memory()
            #endif
        case .memory: .memory()
        case .file(let url): .file(url)
        #if canImport(Security)
            case .keychain(let accessGroup): .keychain(account: name, accessGroup: accessGroup)
        #endif
        }
    }
}

/// Reads and writes one value. An absent value is nil; the functions throw errors of the system.
struct SessionStorage: Sendable {
    var load: @Sendable () throws -> Data?
    /// Replaces the value completely or not at all; nil deletes it.
    var save: @Sendable (Data?) throws -> Void

    static func memory() -> SessionStorage {
        let value = Locked<Data?>(nil)
        return SessionStorage(load: { value.withLock { $0 } }, save: { data in value.withLock { $0 = data } })
    }
}
