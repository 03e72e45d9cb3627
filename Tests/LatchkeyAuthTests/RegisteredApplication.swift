import Foundation

@testable internal import LatchkeyAuth

extension LatchkeyOptions {
    /// The credential of an application that the project knows.
    static let registered = LatchkeyOptions(
        apiKey: "key", appID: "1:2:ios:77aa", bundleID: "org.example.app", clientID: "5501-abc.apps.example.com",
        serverURL: URL(string: "https://auth.example.org"))
}

extension ScriptedServer {
    /// - Parameter replies: by the names of the calls; the last one of each is repeated.
    convenience init(_ replies: [String: [Reply]]) {
        self.init()
        for (name, replies) in replies { on(name, replies) }
    }

    /// The `Auth` of an application that the project knows.
    /// - Parameter sleep: replaces all pauses. Without it, they end by cancellation only.
    func auth(sleep: @escaping @Sendable (Duration) async throws -> Void = TestPause.untilCanceled) -> Auth {
        Auth(
            options: .registered, storage: .memory(), transport: transport,
            clock: AuthClock(now: { Date(timeIntervalSince1970: 1_700_000_000) }, sleep: sleep))
    }
}

/// Pauses of a test.
enum TestPause {
    @Sendable static func untilCanceled(_: Duration) async throws {
        let (never, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        continuation.finish()
        throw CancellationError()
    }
}
