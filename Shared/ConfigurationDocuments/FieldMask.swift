import Contracts
import Vocabulary

/// The paths that a caller changes.
package struct FieldMask: Equatable, Sendable {
    /// In camel case, without duplicates. An empty path is the whole document; without paths the body selects the
    /// fields.
    package let paths: [[String]]

    private static let maximumPaths = 256

    /// Reads a comma-separated list in camel or snake case; `*` is the whole document.
    package init(_ text: String) throws(DocumentError) {
        let words = text.pieces(at: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
        guard words.count <= Self.maximumPaths else { throw DocumentError("Invalid field mask.") }
        var paths: [[String]] = []
        for word in words {
            let path =
                word == "*"
                ? []
                : word.pieces(at: ".").map {
                    DocumentSchema.camelCase(String($0))
                }
            if !paths.contains(path) { paths.append(path) }
        }
        self.paths = paths
    }
}
