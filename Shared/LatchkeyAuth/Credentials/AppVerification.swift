internal import Foundation

extension Auth {
    /// Sends a request with a credential of the application (REST 2.7, 2.15).
    func withAppCredential<Value: Sendable>(
        _ uiDelegate: (any AuthUIDelegate)?, _ send: @Sendable (AppCredential) async throws -> Value
    ) async throws -> Value {
        try await send(AppCredential())
    }
}
