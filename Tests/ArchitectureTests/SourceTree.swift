import Foundation

/// The Swift sources of this repository, for the architecture tests.
struct SourceTree {
    struct File: CustomStringConvertible {
        /// Relative to the repository: `Shared/Bus/BusClient.swift`.
        let path: String
        let lines: [Substring]
        /// The lines that are code, each with the location that compiler messages use.
        let code: [(place: String, text: Substring)]

        init(path: String, lines: [Substring]) {
            self.path = path
            self.lines = lines
            code = lines.enumerated().compactMap { number, line in
                line.utf8.drop { $0 == UInt8(ascii: " ") }.starts(with: "//".utf8)
                    ? nil : ("\(path):\(number + 1)", line)
            }
        }

        var description: String { path }

        /// The folders of `Shared/Bus/BusClient.swift` are `["Shared", "Bus"]`.
        var folders: [Substring] { path.split(separator: "/").dropLast() }

        /// The modules this file imports: `import A`, `package import A`, `@testable import A`, `import struct A.B`.
        var imports: [(place: String, module: Substring)] {
            var isInText = false
            return code.compactMap { place, text in
                // A text of several lines can be a program with imports of its own.
                let isDelimiter = text.contains("\"\"\"")
                defer { if isDelimiter { isInText.toggle() } }
                guard !isInText, text.contains("import ") else { return nil }
                let words = text.split(separator: " ")
                guard let keyword = words.prefix(2).firstIndex(of: "import"), keyword + 1 < words.count else {
                    return nil
                }
                let kinds: Set<Substring> = ["struct", "class", "enum", "func", "protocol", "typealias"]
                let name = kinds.contains(words[keyword + 1]) ? words.dropFirst(keyword + 2).first : words[keyword + 1]
                // Text of a script in a string literal may begin with the same word.
                guard let name, name.first?.isLetter == true else { return nil }
                return (place, name.prefix { $0 != "." })
            }
        }
    }

    let files: [File]

    /// The folder of the repository.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Everything below `Shared`, `Services` and `Tests`.
    init() throws { files = try Self.read.get() }

    /// Read once: every test looks at every line.
    private static let read = Result {
        try ["Shared", "Services", "Tests"].flatMap { folder in
            let names = try FileManager.default.subpathsOfDirectory(atPath: root.path + "/" + folder)
            return try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
                let text = try String(contentsOf: root.appending(path: "\(folder)/\(name)"), encoding: .utf8)
                let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                return File(path: "\(folder)/\(name)", lines: lines.map(Substring.init))
            }
        }
    }

    func files(in folder: String) -> [File] { files.filter { $0.path.hasPrefix(folder + "/") } }

    /// The rules of the services: no I/O, no clock, no randomness. They are the files in the folders `Rules`.
    var rules: [File] { files(in: "Services").filter { $0.folders.contains("Rules") } }
}
