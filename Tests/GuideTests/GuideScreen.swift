/// The screen of an application that follows a guide. A test enters what its user would.
@MainActor
final class GuideScreen {
    private let input: @MainActor (_ message: String) async throws -> String
    /// The messages that the user has seen.
    private(set) var messages: [String] = []

    /// - Parameter input: what the user enters after a message. An error closes the prompt.
    init(_ input: @escaping @MainActor (_ message: String) async throws -> String) { self.input = input }

    /// Shows a field, and waits for the user.
    func text(after message: String) async throws -> String { try await input(message) }

    /// Shows a field. The block receives whether the user pressed OK, and the text.
    func showTextInputPrompt(
        withMessage message: String, completionBlock: @escaping @MainActor (Bool, String?) -> Void
    ) {
        Task {
            do {
                completionBlock(true, try await input(message))
            } catch {
                messages.append("\(error)")
                completionBlock(false, nil)
            }
        }
    }

    func showMessagePrompt(_ message: String) { messages.append(message) }
}
