public import Foundation

/// Shows pages of the server and of identity providers.
public protocol AuthUIDelegate: AnyObject, Sendable {
    /// Shows a page, and returns the URL with which it returns to the application.
    /// - Throws: `webContextCancelled` when the user closes the page.
    @MainActor func present(_ url: URL) async throws -> URL
}
