import ServiceRuntime
import Settings

/// An invalid command line. Exit code 64.
package struct UsageError: ExitError, Equatable {
    /// A whole sentence.
    package let sentence: String
    /// The words of the command, with the name of the executable, for the reference to its help.
    package var path: [String] = []

    /// - Parameter sentence: whole, without secrets.
    package init(_ sentence: String) {
        self.sentence = sentence
    }

    package var exitCode: Int32 { ExitCode.usage }

    package var messages: [String] {
        [sentence, "See \((path.isEmpty ? ["latchkey"] : path).joined(separator: " ")) --help."]
    }

    /// External text between quotes.
    package static func quoted(_ text: String) -> String {
        "\"\(LogEscaping.escaped(text, maximumBytes: 100))\""
    }

    /// ` Did you mean …?` if a known name is near.
    static func suggestion(for name: String, among names: [String], prefix: String = "") -> String {
        let bytes = Array(name.utf8.prefix(maximumComparedBytes))
        let nearest = names.map { ($0, SettingsCatalogue.editDistance(bytes, Array($0.utf8))) }.min { $0.1 < $1.1 }
        guard let (known, distance) = nearest, distance < known.utf8.count, distance <= max(2, known.utf8.count / 3)
        else { return "" }
        return " Did you mean \(prefix)\(known)?"
    }

    /// The time to compare grows with the length.
    private static let maximumComparedBytes = 100
}
