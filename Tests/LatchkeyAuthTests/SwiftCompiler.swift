import Foundation
import TestSupport

/// Checks sources of applications as the compiler of an application does. The libraries are compiled once, against the
/// stand-ins for the modules of Apple's systems.
struct SwiftCompiler: Sendable {
    /// The module is compiled by the first test that needs it.
    static let shared = Task { try await SwiftCompiler() }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    static let sources = URL(filePath: #filePath).deletingLastPathComponent()

    /// Where the modules are.
    private let folder: TemporaryDirectory

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private init() async throws {
        folder = try TemporaryDirectory()
        // UIKit first: the others import it.
        let standIns = [
            "UIKit", "Security", "CryptoKit", "GameKit", "AuthenticationServices", "SwiftUI", "FBSDKLoginKit",
            "GoogleSignIn", "Hummingbird",
        ]
        for module in standIns {
            try await compile(module, [Self.sources.path + "/StandIns/\(module).swift"])
        }
        for product in ["LatchkeyAuth", "LatchkeyAdmin", "LatchkeyTestKit"] {
            try await compile(
                product, Self.swiftFiles(in: Self.root.appending(path: "Shared/\(product)")),
                ["-wmo", "-package-name", "latchkey", "-warnings-as-errors"]
                    + ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
                    .flatMap { ["-enable-upcoming-feature", $0] })
        }
    }

    /// Every Swift file in a folder, also in folders inside.
    static func swiftFiles(in folder: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") }.sorted().map { folder.path + "/" + $0 }
    }

    private func compile(_ module: String, _ files: [String], _ options: [String] = []) async throws {
        let output = ["-emit-module", "-module-name", module, "-o", folder.appending("\(module).swiftmodule")]
        let errors = try await run(output + ["-parse-as-library", "-swift-version", "6"] + options + files)
        guard errors.isEmpty else { throw Failure(description: "\(module): \(errors.joined(separator: "\n"))") }
    }

    /// The errors of sources that import the library: `error: …`, without their places.
    /// - Parameter languageMode: 5 or 6.
    func errors(
        in files: [String], languageMode: Int, warningsAreErrors: Bool = true
    ) async throws -> [String] {
        let options = warningsAreErrors ? ["-warnings-as-errors"] : []
        return try await run(
            ["-typecheck", "-parse-as-library", "-swift-version", String(languageMode)] + options + files)
    }

    /// The same for a text.
    func errors(in text: String, languageMode: Int, warningsAreErrors: Bool = true) async throws -> [String] {
        let file = folder.appending("\(UUID().uuidString).swift")
        try Data(text.utf8).write(to: URL(filePath: file))
        return try await errors(in: [file], languageMode: languageMode, warningsAreErrors: warningsAreErrors)
    }

    /// Runs the compiler.
    /// - Returns: its errors, each one once.
    private func run(_ arguments: [String]) async throws -> [String] {
        let program = try RunningProgram(
            "/usr/bin/env",
            ["swiftc", "-I", folder.path, "-module-cache-path", folder.appending("cache"), "-diagnostic-style", "llvm"]
                + arguments, in: folder)
        let end = try await program.ending()
        let lines = program.errors.split(separator: "\n").filter { $0.contains("error: ") }
        guard end != .code(0), lines.isEmpty else { return Set(lines.map(String.init)).sorted() }
        throw Failure(description: "swiftc ended with \(end): \(program.errors)")
    }
}
