import Testing

/// The rules about files that a program can check.
struct SourceRuleTests {
    private let tree: SourceTree

    init() throws { tree = try SourceTree() }

    @Test func sourcesAreFound() {
        #expect(tree.files.count > 100)
    }

    /// A file that is too long cannot be reviewed.
    @Test func fileLengthIsBounded() {
        for file in tree.files {
            #expect(file.lines.count <= 450, "\(file) has \(file.lines.count) lines")
        }
    }

    /// A general name does not say where code belongs. Two names are those that users of the admin libraries know.
    @Test func catchAllNamesAreForbidden() {
        let known = ["ProjectConfigManager.swift", "TenantManager.swift"]
        for file in tree.files
        where !known.contains(where: { file.path == "Shared/LatchkeyAdmin/Administration/" + $0 }) {
            for name in file.path.dropLast(".swift".count).split(separator: "/") {
                for drawer in ["Utils", "Utilities", "Helpers", "Helper", "Manager", "Misc"] {
                    #expect(!name.hasSuffix(drawer), "\(file) is named \(drawer)")
                }
                #expect(name != "Common" && name != "Core", "\(file) is named \(name)")
            }
        }
    }

    /// A construct that bypasses the compiler has its reason on the line or directly above.
    @Test func everyCompilerEscapeHasReason() {
        let escapes = ["@unchecked Sendable", "nonisolated(unsafe)", "try!", "as!"]
        // This folder names these constructs without using them.
        for file in tree.files where !file.path.hasPrefix("Tests/ArchitectureTests/") {
            for (number, line) in file.lines.enumerated() where !line.unindented.hasPrefix("//") {
                guard let escape = escapes.first(where: line.contains) else { continue }
                let near = file.lines[max(0, number - 3)...number]
                #expect(near.contains { $0.contains("//") }, "\(file):\(number + 1) uses \(escape) without a reason")
            }
        }
    }

    /// PostgreSQL takes no lock on the row that `DO NOTHING` met, so a serializable transaction does not notice that
    /// another one deletes or changes it. The number of changed rows decides, or the row is written.
    @Test func conflictWithoutWriteIsDecidedByChanges() {
        let harmless = [
            "SendingEventTable.insertion": "a journal, on which no decision depends",
            "ConfigurationRevisionTable.insertionIfAbsent": "a revision is written once, and never changes",
            "InboxTable.insertion": "the inbox of dev mode: a message is never changed",
        ]
        var found: Set<String> = []
        let sources = tree.files(in: "Services")
        for file in sources {
            var table = ""
            for line in file.lines {
                // An expression is compiled for each line that it is applied to, so few lines come that far.
                if line.hasPrefix("enum "), let name = line.firstMatch(of: /^enum (\w+):/)?.1 { table = String(name) }
                guard line.contains("DO NOTHING"), let name = line.firstMatch(of: /static let (\w+)/)?.1 else {
                    continue
                }
                let statement = "\(table).\(name)"
                found.insert(statement)
                guard harmless[statement] == nil else { continue }
                let uses = sources.flatMap { source in
                    source.lines.indices.filter { source.lines[$0].contains(statement) }.map { (source, $0) }
                }
                #expect(!uses.isEmpty, "\(statement) is not used by its name")
                for (source, number) in uses {
                    let rest = source.lines[number...].prefix(10)
                    #expect(
                        rest.contains { $0.contains("changes ") }, "\(source):\(number + 1) does not read `changes`")
                }
            }
        }
        #expect(found.isSuperset(of: harmless.keys) && found.count > 5)
    }

    /// An initializer that throws after it has stored everything runs `deinit`. If both close a descriptor, the second
    /// call may close a descriptor of another thread.
    @Test func descriptorsAreNotClosedTwice() {
        for file in tree.files where file.lines.contains(where: { $0.contains("deinit {") }) {
            let stored = file.lines.compactMap { line -> Substring? in
                guard line.hasSuffix("Int32") || line.hasSuffix("CInt") else { return nil }
                return line.firstMatch(of: /^ {4}(?:private )?let (\w+): (?:Int32|CInt)$/)?.1
            }
            for (number, line) in file.lines.enumerated().dropLast() {
                guard line.hasSuffix(")"), line.contains("close("),
                    let closed = line.firstMatch(of: /\bclose\((\w+)\)$/)?.1, stored.contains(closed)
                else { continue }
                let next = file.lines[number + 1].drop(while: \.isWhitespace)
                #expect(!next.hasPrefix("throw"), "\(file):\(number + 1) closes what deinit closes")
            }
        }
    }

    /// This project uses `package` instead of `public`. Only the three libraries have users outside of the package.
    @Test func onlyTheProductsArePublic() {
        let products = ["LatchkeyAuth", "LatchkeyAdmin", "LatchkeyTestKit"]
        for file in tree.files
        where file.folders.first != "Tests" && !products.contains(where: { file.path.hasPrefix("Shared/\($0)/") }) {
            for (place, text) in file.code {
                let first = text.split(separator: " ").first
                #expect(first != "public" && first != "open", "\(place) is public")
            }
        }
    }

    /// A refusal by a limit names it: `ServiceError.limited(by:until:)`.
    @Test func limitsAreNamed() {
        let codes = ["tooManyAttempts", "quotaExceeded", "resetLimitExceeded", "tooManyEnrollmentAttempts"]
        for file in tree.files where !file.path.hasPrefix("Tests/") {
            for (place, text) in file.code {
                for code in codes {
                    #expect(!text.contains("Error(.\(code)"), "\(place) refuses without the name of the limit")
                }
            }
        }
    }

    /// Open tasks are in the issue tracker, not in the code.
    @Test func noTaskMarkersRemain() {
        for file in tree.files where !file.path.hasPrefix("Tests/ArchitectureTests/") {
            for (number, line) in file.lines.enumerated() {
                for mark in ["TODO", "FIXME", "XXX"] where !line.contains("XXXXXX") {
                    #expect(!line.contains(mark), "\(file):\(number + 1) says \(mark)")
                }
            }
        }
    }
}
