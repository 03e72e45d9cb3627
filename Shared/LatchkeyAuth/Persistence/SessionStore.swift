internal import Foundation

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

/// Writes the state in the order of the changes.
final class SessionStore: Sendable {
    private let storage: SessionStorage
    private let writing = Locked<Void>(())

    init(_ storage: SessionStorage) { self.storage = storage }

    /// The stored state. State that cannot be read counts as absent: the user signs in again.
    func load() -> StoredState {
        // `try?`: see above.
        (try? storage.load()).flatMap { $0 }.flatMap { try? JSONDecoder().decode(StoredState.self, from: $0) }
            ?? StoredState()
    }

    /// Stores the state that `current` returns. It is read under the lock, so that the last write has the last state.
    /// - Throws: `AuthErrorCode.keychainError`.
    func save(_ current: () -> StoredState) throws(AuthErrorCode) {
        do {
            try writing.withLock { _ in try storage.save(JSONEncoder().encode(current())) }
        } catch {
            throw AuthErrorCode(.keychainError)
        }
    }
}
