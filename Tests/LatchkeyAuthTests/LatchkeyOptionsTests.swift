import Foundation
import Testing

@testable import LatchkeyAuth

/// Options from a property list.
struct LatchkeyOptionsTests {
    private func options(_ content: String) throws -> LatchkeyOptions {
        let list = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">\(content)</plist>
            """
        let file = FileManager.default.temporaryDirectory.appending(path: "latchkey-test-\(UUID().uuidString).plist")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(list.utf8).write(to: file)
        return try LatchkeyOptions(contentsOf: file)
    }

    private func entry(_ key: String, _ value: String) -> String { "<key>\(key)</key><string>\(value)</string>" }

    @Test func allMembersAreRead() throws {
        let read = try options(
            "<dict>" + entry("API_KEY", "key-1") + entry("PROJECT_ID", "project-1")
                + entry("GOOGLE_APP_ID", "1:2:ios:3")
                + entry("BUNDLE_ID", "org.example.app") + entry("CLIENT_ID", "client-1") + entry("OTHER", "x")
                + entry("SERVER_URL", "https://auth.example/base") + "</dict>")
        #expect(
            read
                == LatchkeyOptions(
                    apiKey: "key-1", projectID: "project-1", appID: "1:2:ios:3", bundleID: "org.example.app",
                    clientID: "client-1", serverURL: URL(string: "https://auth.example/base")))
    }

    @Test func keyIsRequired() {
        for content in [
            "<dict></dict>", "<dict>\(entry("API_KEY", ""))</dict>",
            "<dict><key>API_KEY</key><integer>7</integer></dict>",
        ] {
            #expect(throws: LatchkeyOptionsError.missing("API_KEY")) { try options(content) }
        }
    }

    @Test(arguments: ["auth.example", "https://", "ftp://auth.example", "mailto:a@b", "/path", "https:///path"])
    func serverIsAURL(text: String) {
        #expect(throws: LatchkeyOptionsError.malformed("SERVER_URL")) {
            try options("<dict>\(entry("API_KEY", "key-1"))\(entry("SERVER_URL", text))</dict>")
        }
    }

    @Test func emptyMembersAreAbsent() throws {
        let read = try options(
            "<dict>\(entry("API_KEY", "key-1"))\(entry("PROJECT_ID", ""))\(entry("SERVER_URL", ""))</dict>")
        #expect(read == LatchkeyOptions(apiKey: "key-1"))
    }

    @Test func otherFilesAreErrors() {
        #expect(throws: LatchkeyOptionsError.notADictionary) { try options("<array></array>") }
        #expect(throws: (any Error).self) { try options("<dict>") }
        #expect(throws: (any Error).self) { try LatchkeyOptions(contentsOf: URL(fileURLWithPath: "/nonexistent")) }
    }
}
