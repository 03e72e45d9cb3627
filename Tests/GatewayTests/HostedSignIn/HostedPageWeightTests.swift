import Contracts
import Foundation
import HTTPServer
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// What a browser loads for a page: HTML, stylesheet and scripts, and nothing of another host.
@Suite struct HostedPageWeightTests {
    private static let maximumBytes = 60 * 1024

    /// The bytes of a page with the files that it names, and these in turn.
    private static func bytes(_ path: String, _ query: String?, _ browser: HostedBrowser) async throws -> Int {
        var (sum, seen, waiting) = (0, Set<String>(), ["\(path)?\(query ?? "")"])
        while let next = waiting.popLast() {
            guard seen.insert(next).inserted else { continue }
            let (path, query) = next.halves(at: "?")
            let response = try await browser.get(String(path), query.map(String.init) ?? "")
            #expect(response.status == 200, "\(next)")
            sum += response.http.body.count
            let text = response.text
            let named =
                (text.matches(of: /<(?:script|img) src="([^"]+)"/)
                + text.matches(of: /<link rel="stylesheet" href="([^"]+)"/)
                + text.matches(of: /import [^"]*"([^"]+)";/)).map { String($0.1) }
            if path == PageStylesheet.path { #expect(!text.contains("url(")) }
            for name in named {
                #expect(!name.contains("//"), "\(name) is of another host")
                let file = name.replacing("&amp;", with: "&")
                waiting.append(file.hasPrefix("./") ? "/__/auth/\(file.dropFirst(2))" : file)
            }
        }
        #expect(seen.count > 2)
        return sum
    }

    /// In the language with the longest texts, too.
    @Test(arguments: Language.allCases) func signInPageIsLight(language: Language) async throws {
        let browser = try HostedBrowser()
        browser.harness.mesh.reply(to: Passkey.DescribeRelyingParty.self) { _ in
            .init(
                relyingPartyID: "auth.example.org", relatedOrigins: [], appleApps: [], androidApps: [], enrollURL: nil,
                manageURL: nil)
        }
        let query = "apiKey=k&hl=\(language.rawValue)"
        for path in [HostedSignInPages.path, HostedSignInPages.registerPath] {
            let bytes = try await Self.bytes(path, query, browser)
            #expect(bytes <= Self.maximumBytes, "\(path): \(bytes) bytes")
        }
    }
}
