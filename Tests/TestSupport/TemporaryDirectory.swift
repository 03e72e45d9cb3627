internal import FoundationEssentials

/// A folder of its own for one test. It goes when the value goes.
package final class TemporaryDirectory: Sendable {
    /// Absolute.
    package let path: String

    package init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "latchkey-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        path = folder.path(percentEncoded: false)
    }

    /// `try?`: what a test left open or unreadable must not fail the test.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file or folder inside. It is not made.
    package func appending(_ name: String) -> String { path + "/" + name }
}
