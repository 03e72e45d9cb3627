import Contracts
import Foundation
import Testing

/// Users find each provider of the catalogue in the documentation.
struct ProviderPageTests {
    @Test(arguments: Federation.SupportedProvider.allCases)
    func providerHasARowAndAPage(provider: Federation.SupportedProvider) throws {
        let folder = SourceTree.root.appending(path: "docs/use")
        let text = try String(contentsOf: folder.appending(path: "providers.md"), encoding: .utf8)
        let start = "| \(provider.facts.name) | `\(provider.rawValue)` |"
        let row = try #require(text.split(separator: "\n").first { $0.hasPrefix(start) }, "a row \(start)")
        let page = try #require(row.firstMatch(of: /\]\((providers-[a-z-]+\.md)\)/)?.1, "the row names a page")
        #expect(
            try String(contentsOf: folder.appending(path: String(page)), encoding: .utf8).contains(provider.rawValue))
    }
}
