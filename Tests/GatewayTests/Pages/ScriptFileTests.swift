import Foundation
import HTTPServer
import TestSupport
import Testing

@testable import GatewayService

/// The files of `Scripts`: each is part of the program, and the tests beside this one run them.
@Suite struct ScriptFileTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    @Test func everyFileIsEmbedded() throws {
        let folder = Self.root.appending(path: "Services/gateway/Scripts")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".js") }
        #expect(Set(files) == Set(ScriptFile.allCases.map(\.rawValue)))
        for script in ScriptFile.allCases {
            let text = try String(contentsOf: folder.appending(path: script.rawValue), encoding: .utf8)
            #expect(script.text == text, "\(script.rawValue)")
            let lines = text.split(separator: "\n")
            let isModule = lines.contains { $0.hasPrefix("import ") || $0.hasPrefix("export ") }
            #expect(script.isModule == isModule, "\(script.rawValue)")
            // One task each.
            #expect(text.count { $0 == "\n" } <= 200, "\(script.rawValue)")
        }
    }

    @Test func importsAreServed() async throws {
        for script in ScriptFile.allCases {
            for name in script.text.matches(of: /(?:from |import\()"\.\/([^"]+)"/).map({ String($0.1) }) {
                let imported = try #require(ScriptFile(rawValue: name), "\(script.rawValue) imports \(name)")
                #expect(try await GatewayHarness().send(.get, imported.path).status == 200)
            }
        }
    }

    /// Pages of other origins can use `latchkey.js` and what it imports: the others belong to the pages of this one.
    @Test(arguments: ScriptFile.allCases) func scriptForApplicationsIsForEveryOrigin(script: ScriptFile) async throws {
        let response = try await GatewayHarness().send(.get, script.path)
        let isForAll = [.latchkey, .latchkeyPasskeys, .passkeyEncoding].contains(script)
        #expect(response.status == 200)
        #expect(response.header("access-control-allow-origin") == (isForAll ? "*" : nil))
        #expect(response.header("cross-origin-resource-policy") == (isForAll ? "cross-origin" : "same-origin"))
    }

    @Test func testsOfScriptsPass() async throws {
        let folder = Self.root.appending(path: "Tests/GatewayTests/Scripts")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { folder.path + "/" + $0 }
        try #require(!files.isEmpty)
        let node = try RunningProgram("/usr/bin/node", ["--test"] + files, in: try TemporaryDirectory())
        let end = try await node.ending()
        let output = node.output
        #expect(end == .code(0), "\(output)")
    }
}
