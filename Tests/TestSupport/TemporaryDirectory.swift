import FoundationEssentials

/// A directory for one test. It is deleted with this value.
package final class TemporaryDirectory: Sendable {
    /// The absolute path.
    package let path: String

    /// - Parameter parent: the directory for temporary files, if nil.
    package init(in parent: String? = nil) throws {
        let parent = parent.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let folder = parent.appending(path: "latchkey-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        path = folder.path(percentEncoded: false)
    }

    /// `try?`: files that a test left open or unreadable must not fail the test.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file or directory inside. It is not created.
    package func appending(_ name: String) -> String { path + "/" + name }
}
