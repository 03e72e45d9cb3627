import Foundation

/// What is stored between two starts of the application.
struct StoredState: Codable, Sendable {
    struct Session: Codable, Sendable {
        var account: AccountRecord
        var tokens: SessionTokens
    }

    var session: Session?
    /// Outlives the session: it speaks for the device.
    var deviceToken: String?
}

extension StoredState {
    var isEmpty: Bool { session == nil && deviceToken == nil }
}

/// The stores of an application: its own, and those of groups of applications.
final class SessionStores: Sendable {
    private let own: SessionStore
    private let storageOfGroup: @Sendable (String) -> SessionStorage?
    private let used: Locked<(group: String?, store: SessionStore)>

    init(own: SessionStore, ofGroup storageOfGroup: @escaping @Sendable (String) -> SessionStorage?) {
        self.own = own
        self.storageOfGroup = storageOfGroup
        used = Locked((group: nil, store: own))
    }

    /// The store that is in use.
    var current: SessionStore { used.withLock { $0.store } }
    /// The group whose store is in use; nil for the own one.
    var group: String? { used.withLock { $0.group } }

    func use(_ store: SessionStore, ofGroup group: String?) { used.withLock { $0 = (group, store) } }

    /// - Parameter group: nil for the own store.
    /// - Throws: `AuthErrorCode.keychainError` where there is no Keychain.
    func store(ofGroup group: String?) throws(AuthErrorCode) -> SessionStore {
        guard let group else { return own }
        guard let storage = storageOfGroup(group) else {
            throw AuthErrorCode(
                .keychainError, userInfo: [NSLocalizedDescriptionKey: "Applications share sessions in a Keychain only."]
            )
        }
        return SessionStore(storage: storage)
    }
}

/// Reads and writes the state.
struct SessionStore: Sendable {
    let storage: SessionStorage

    /// The stored state. State that cannot be read counts as absent: the user signs in again.
    func load() -> StoredState {
        // `try?`: see above.
        (try? storage.load()).flatMap { $0 }.flatMap { try? JSONDecoder().decode(StoredState.self, from: $0) }
            ?? StoredState()
    }

    /// Replaces the stored state. Nothing stays stored for an empty one.
    /// - Throws: `AuthErrorCode.keychainError`.
    func save(_ state: StoredState) throws(AuthErrorCode) {
        do {
            try storage.save(state.isEmpty ? nil : JSONEncoder().encode(state))
        } catch {
            throw AuthErrorCode(.keychainError)
        }
    }
}
