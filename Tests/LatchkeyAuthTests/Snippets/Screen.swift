import Foundation

/// What the snippets show and ask.
@MainActor
final class Screen {
    var messages: [String] = []

    func showMessagePrompt(_ message: String) { messages.append(message) }

    func showTextInputPrompt(withMessage message: String, completionBlock: (Bool, String?) -> Void) {
        messages.append(message)
        completionBlock(true, nil)
    }

    func setTitleDisplay(_ text: String?) { messages.append(text ?? "") }
}

struct MissingPresenter: Error {}
