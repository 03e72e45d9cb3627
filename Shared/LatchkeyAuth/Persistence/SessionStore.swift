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
