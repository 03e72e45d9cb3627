import Contracts
import JSON
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// What was changed in the settings, and its reversal.
@Suite struct ConsoleHistoryTests {
    private static let path = "/console/projects/shop/settings"

    private static func domains(_ hosts: String...) -> JSONValue {
        .object(["authorizedDomains": .array(hosts.map(JSONValue.string))])
    }

    private static func with(_ name: String, _ value: JSONValue, in document: JSONValue) -> JSONValue {
        SettingPath(name).setting(value, in: document)
    }

    @Test func undoRestoresWhatTheChangeReplacedAndNothingElse() {
        let before = Self.domains("a.example")
        let after = Self.with("signIn.anonymous.enabled", .bool(true), in: Self.domains("b.example"))
        let now = Self.with("multiTenant.allowTenants", .bool(true), in: after)
        let undo = SettingsUndo(from: before, to: after, in: now, of: .project)
        #expect(undo.document == Self.with("multiTenant.allowTenants", .bool(true), in: before))
        // A mask ends at what the document does not have.
        #expect(undo.masks == ["authorizedDomains", "signIn"])
        #expect(undo.overwritten.isEmpty && !undo.leavesLogo)
    }

    @Test func undoSaysWhichLaterChangesItOverwrites() {
        let undo = SettingsUndo(
            from: Self.domains("a.example"), to: Self.domains("b.example"), in: Self.domains("c.example"), of: .project)
        #expect(undo.document == Self.domains("a.example"))
        #expect(undo.overwritten.map(\.path) == [["authorizedDomains"]])
    }

    @Test func formerLogoIsNotRestored() {
        let after = Self.with("branding.logo.digest", .string("ab"), in: .object([:]))
        let undo = SettingsUndo(from: .object([:]), to: after, in: after, of: .tenant)
        #expect(undo.document == after && undo.masks.isEmpty && undo.leavesLogo)
    }

    @Test func changeIsShownBeforeItIsUndone() async throws {
        let browser = try ConsoleBrowser([.init(role: .administrator)])
        let saved = Mutex<[Identity.ReplaceConfiguration]>([])
        browser.harness.mesh.reply(to: Identity.ReplaceConfiguration.self) { request in
            saved.withLock { $0.append(request) }
            return .init(configuration: request.configuration, revision: 4, projectNumber: "1")
        }
        let list = try await browser.get("\(Self.path)/history")
        #expect(list.text.contains("operator:&lt;b&gt;") && list.text.contains("settings/change?change=3"))
        let page = try await browser.get("\(Self.path)/change", "change=3")
        #expect(page.text.contains("before.example") && page.text.contains("Undo this change"))
        let stale = try await browser.post("\(Self.path)/undo", ["change": "3", "revision": "2"])
        #expect(stale.status == 400 && saved.withLock { $0.isEmpty })
        #expect(try await browser.post("\(Self.path)/undo", ["change": "3", "revision": "3"]).status == 303)
        let request = try #require(saved.withLock { $0.first })
        #expect(request.configuration.authorizedDomains == ["before.example"] && request.expectedRevision == 3)
        #expect(request.client.operatorName == "ola@example.com")
    }

    @Test func viewerSeesAChangeAndCannotUndoIt() async throws {
        let browser = try ConsoleBrowser([.init(role: .viewer)])
        let page = try await browser.get("\(Self.path)/change", "change=3")
        #expect(page.status == 200 && !page.text.contains("Undo this change"))
        #expect(try await browser.get("\(Self.path)/change", "change=9").status == 404)
    }
}
