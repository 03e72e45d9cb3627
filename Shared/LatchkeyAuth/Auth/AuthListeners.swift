public import Foundation

/// A listener of ``Auth/addStateDidChangeListener(_:)``, for its removal.
public typealias AuthStateDidChangeListenerHandle = any NSObjectProtocol & Sendable

/// A listener of ``Auth/addIDTokenDidChangeListener(_:)``, for its removal.
public typealias IDTokenDidChangeListenerHandle = any NSObjectProtocol & Sendable

/// A registered listener.
final class ListenerHandle: NSObject, Sendable {}

extension NSNotification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Posted on the main thread at each sign-in, sign-out and new ID token. The object is the ``Auth``.
    public static let AuthStateDidChange = NSNotification.Name("LatchkeyAuthStateDidChangeNotification")
}

/// A listener of ``Auth``.
public typealias AuthListener = @MainActor @Sendable (Auth, User?) -> Void

/// The listeners of one `Auth`. All run on the main actor, in the order of the changes, and for each change in the order
/// of their registration.
final class AuthListeners: Sendable {
    /// What a listener is informed of.
    enum Subject: Sendable {
        /// Another user is signed in, or none.
        case user
        /// The ID token of the current user is another.
        case token
    }

    private struct Registration: Sendable {
        let handle = ListenerHandle()
        let subject: Subject
        let listener: AuthListener
    }

    private let registrations = Locked<[Registration]>([])

    /// Registers a listener, and calls it with the current user.
    func add(
        _ subject: Subject, _ listener: @escaping AuthListener, current: User?, of auth: Auth
    ) -> ListenerHandle {
        let registration = Registration(subject: subject, listener: listener)
        registrations.withLock { $0.append(registration) }
        send(current, of: auth, to: [registration])
        return registration.handle
    }

    func remove(_ handle: any NSObjectProtocol) {
        registrations.withLock { $0.removeAll { $0.handle === handle } }
    }

    /// Informs the listeners of a change.
    func send(_ user: User?, of auth: Auth, to subjects: Set<Subject>) {
        send(user, of: auth, to: registrations.withLock { $0.filter { subjects.contains($0.subject) } })
        // Each change has a new token, or no token any more.
        DispatchQueue.main.async { NotificationCenter.default.post(name: .AuthStateDidChange, object: auth) }
    }

    /// A listener that was removed meanwhile is not called.
    private func send(_ user: User?, of auth: Auth, to receivers: [Registration]) {
        guard !receivers.isEmpty else { return }
        // The main queue, not tasks: tasks have no order.
        DispatchQueue.main.async { [self] in
            for receiver in receivers {
                let isRegistered = registrations.withLock { $0.contains { $0.handle === receiver.handle } }
                guard isRegistered else { continue }
                MainActor.assumeIsolated { receiver.listener(auth, user) }
            }
        }
    }
}

extension Auth {
    /// Calls `listener` soon with the current user, and then when another user signs in and at each sign-out.
    ///
    /// A further sign-in of the same user calls it not. It makes a new ``User``, which ``currentUser`` returns.
    @discardableResult
    public func addStateDidChangeListener(_ listener: @escaping AuthListener) -> AuthStateDidChangeListenerHandle {
        addListener(.user, listener)
    }

    /// Removes a listener of ``addStateDidChangeListener(_:)``.
    public func removeStateDidChangeListener(_ listenerHandle: any NSObjectProtocol) {
        listeners.remove(listenerHandle)
    }

    /// Calls `listener` soon with the current user, and then at each sign-in, sign-out and new ID token.
    @discardableResult
    public func addIDTokenDidChangeListener(_ listener: @escaping AuthListener) -> IDTokenDidChangeListenerHandle {
        addListener(.token, listener)
    }

    /// Removes a listener of ``addIDTokenDidChangeListener(_:)``.
    public func removeIDTokenDidChangeListener(_ listenerHandle: any NSObjectProtocol) {
        listeners.remove(listenerHandle)
    }

    /// The current user, and then the user after each change that ``addStateDidChangeListener(_:)`` describes. A slow
    /// reader sees the newest only.
    public var authStateChanges: AsyncStream<User?> {
        stream { [self] in addStateDidChangeListener($0) }
    }

    /// The current user, and then the user after each sign-in, sign-out and new ID token. A slow reader sees the
    /// newest only.
    public var idTokenChanges: AsyncStream<User?> {
        stream { [self] in addIDTokenDidChangeListener($0) }
    }

    private func stream(_ add: (@escaping AuthListener) -> any NSObjectProtocol & Sendable) -> AsyncStream<User?> {
        let (stream, continuation) = AsyncStream.makeStream(of: User?.self, bufferingPolicy: .bufferingNewest(1))
        let handle = add { _, user in continuation.yield(user) }
        continuation.onTermination = { [listeners] _ in listeners.remove(handle) }
        return stream
    }
}
