import Foundation

/// What the application has of app verification by push: the token of the device, the cached pair, and the pushes that
/// arrive.
final class PushInbox: Sendable {
    /// Pushes that arrived before the response with their receipt. More are forgotten, the oldest first.
    static let maximumEarlyPushes = 8
    /// The key of the notification.
    private static let notificationKey = "com.google.firebase.auth"

    private struct State {
        var token: APNSToken?
        var cachedPair: PushPair?
        var earlyPushes: [PushPair] = []
        var waiting: [String: AsyncStream<String>.Continuation] = [:]
    }

    private let state = Locked(State())

    var token: APNSToken? {
        get { state.withLock { $0.token } }
        set { state.withLock { $0.token = newValue } }
    }

    var cachedPair: PushPair? { state.withLock { $0.cachedPair } }

    func cache(_ pair: PushPair) {
        state.withLock { $0.cachedPair = pair }
    }

    /// Deletes a pair. A newer one stays.
    func deleteCachedPair(receipt: String?) {
        state.withLock { state in
            if state.cachedPair?.receipt == receipt { state.cachedPair = nil }
        }
    }

    /// Waits for the push with a receipt.
    /// - Returns: its secret; nil after the timeout, or if the task was canceled.
    func secret(of receipt: String, timeout: Duration, clock: AuthClock) async -> String? {
        let (secrets, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
        state.withLock { state in
            if let early = state.earlyPushes.first(where: { $0.receipt == receipt }) {
                continuation.yield(early.secret)
            }
            state.earlyPushes.removeAll { $0.receipt == receipt }
            state.waiting[receipt] = continuation
        }
        let timer = Task {
            // `try?`: the timer is canceled when the push is there.
            guard (try? await clock.sleep(timeout)) != nil else { return }
            continuation.finish()
        }
        defer {
            timer.cancel()
            state.withLock { $0.waiting[receipt] = nil }
        }
        for await secret in secrets { return secret }
        return nil
    }

    /// Accepts a notification of the server.
    func accept(_ userInfo: [AnyHashable: Any]) -> Bool {
        guard let content = userInfo[Self.notificationKey], let members = Self.members(content) else { return false }
        // A notification of the library's own without a pair says only that the application forwards them.
        guard let receipt = members["receipt"], let secret = members["secret"] else { return members["warning"] != nil }
        state.withLock { state in
            if let waiting = state.waiting[receipt] {
                waiting.yield(secret)
            } else {
                state.earlyPushes.append(PushPair(receipt: receipt, secret: secret))
                state.earlyPushes.removeFirst(max(state.earlyPushes.count - Self.maximumEarlyPushes, 0))
            }
        }
        return true
    }

    /// - Parameter content: a dictionary, or its JSON text.
    private static func members(_ content: Any) -> [String: String]? {
        if let text = content as? String {
            // `try?`: another text is not from the server.
            return try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        }
        return (content as? [AnyHashable: Any])?.reduce(into: [:]) { members, member in
            guard let name = member.key as? String, let value = member.value as? String else { return }
            members[name] = value
        }
    }
}
