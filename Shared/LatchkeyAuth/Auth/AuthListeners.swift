internal import Foundation

/// A registered listener, for its removal.
public final class AuthStateListenerHandle: Hashable, Sendable {
    /// Whether this is the same registration.
    public static func == (one: AuthStateListenerHandle, other: AuthStateListenerHandle) -> Bool { one === other }
    /// Hashes the identity of the registration.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A listener of ``Auth``.
public typealias AuthListener = @MainActor @Sendable (Auth, User?) -> Void

/// The listeners of one `Auth`. All run on the main actor, in the order of the changes.
final class AuthListeners: Sendable {
    private struct Registered {
        var state: [AuthStateListenerHandle: AuthListener] = [:]
        var token: [AuthStateListenerHandle: AuthListener] = [:]
    }

    private let registered = Locked(Registered())

    func addStateListener(_ listener: @escaping AuthListener) -> AuthStateListenerHandle {
        let handle = AuthStateListenerHandle()
        registered.withLock { $0.state[handle] = listener }
        return handle
    }

    func addTokenListener(_ listener: @escaping AuthListener) -> AuthStateListenerHandle {
        let handle = AuthStateListenerHandle()
        registered.withLock { $0.token[handle] = listener }
        return handle
    }

    func remove(_ handle: AuthStateListenerHandle) {
        registered.withLock { registered in
            registered.state[handle] = nil
            registered.token[handle] = nil
        }
    }

    func sendStateChange(_ user: User?, of auth: Auth) {
        send(user, of: auth, to: Array(registered.withLock { $0.state.keys }))
    }

    func sendTokenChange(_ user: User?, of auth: Auth) {
        send(user, of: auth, to: Array(registered.withLock { $0.token.keys }))
    }

    /// A listener that was removed meanwhile is not called.
    func send(_ user: User?, of auth: Auth, to handles: [AuthStateListenerHandle]) {
        guard !handles.isEmpty else { return }
        // The main queue, not tasks: tasks have no order.
        DispatchQueue.main.async { [self] in
            for handle in handles {
                let listener = registered.withLock { $0.state[handle] ?? $0.token[handle] }
                MainActor.assumeIsolated { listener?(auth, user) }
            }
        }
    }
}

extension Auth {
    /// Calls `listener` soon with the current user, and then at each sign-in and sign-out.
    @discardableResult
    public func addStateDidChangeListener(_ listener: @escaping AuthListener) -> AuthStateListenerHandle {
        let handle = listeners.addStateListener(listener)
        listeners.send(currentUser, of: self, to: [handle])
        return handle
    }

    /// Removes a listener of ``addStateDidChangeListener(_:)``.
    public func removeStateDidChangeListener(_ handle: AuthStateListenerHandle) { listeners.remove(handle) }

    /// Calls `listener` soon with the current user, and then at each sign-in, sign-out and new ID token.
    @discardableResult
    public func addIDTokenDidChangeListener(_ listener: @escaping AuthListener) -> AuthStateListenerHandle {
        let handle = listeners.addTokenListener(listener)
        listeners.send(currentUser, of: self, to: [handle])
        return handle
    }

    /// Removes a listener of ``addIDTokenDidChangeListener(_:)``.
    public func removeIDTokenDidChangeListener(_ handle: AuthStateListenerHandle) { listeners.remove(handle) }

    /// The current user, and then the user after each sign-in and sign-out. A slow reader sees the newest only.
    public var authStateChanges: AsyncStream<User?> {
        stream { [self] in addStateDidChangeListener($0) }
    }

    /// The current user, and then the user after each sign-in, sign-out and new ID token. A slow reader sees the
    /// newest only.
    public var idTokenChanges: AsyncStream<User?> {
        stream { [self] in addIDTokenDidChangeListener($0) }
    }

    private func stream(_ add: (@escaping AuthListener) -> AuthStateListenerHandle) -> AsyncStream<User?> {
        let (stream, continuation) = AsyncStream.makeStream(of: User?.self, bufferingPolicy: .bufferingNewest(1))
        let handle = add { _, user in continuation.yield(user) }
        continuation.onTermination = { [listeners] _ in listeners.remove(handle) }
        return stream
    }
}
