import Foundation

/// Lets a program show the address of a page, and waits for the response on loopback.
final class LoopbackDelegate: AuthUIDelegate {
    private let listener: LoopbackListener
    private let isResult: @Sendable (URL) -> Bool
    private let open: @Sendable (URL) async throws -> Void

    init(
        listener: LoopbackListener, isResult: @escaping @Sendable (URL) -> Bool,
        open: @escaping @Sendable (URL) async throws -> Void
    ) {
        self.listener = listener
        self.isResult = isResult
        self.open = open
    }

    func present(_ url: URL, callbackURLScheme: String) async throws -> URL? {
        // The response can arrive before `open` returns.
        let results = listener.results(where: isResult)
        try await open(url)
        for await result in results { return result }
        throw AuthErrorCode(.webContextCancelled)
    }
}
