import Contracts
import HTTPServer
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The passkeys of the operator who is signed in.
@Suite struct ConsolePasskeyTests {
    private static let path = "/console/passkeys/name"
    private static let id = "YQ"

    private static func browser(name: String = "<b>Phone", isFresh: Bool = false) throws -> ConsoleBrowser {
        let browser = try ConsoleBrowser([.init(role: .viewer)], isFresh: isFresh)
        let passkey = AccountPasskey(
            credentialID: try #require(Base64URL.decode(id).flatMap { CredentialID($0) }), name: name,
            relyingPartyID: "localhost",
            userHandle: .init([1]), aaguid: "", isBackedUp: false, createdAt: Moment(milliseconds: 0))
        var account = ConsoleBrowser.account
        account.realm = .operators
        account.passkeys = [passkey]
        browser.harness.mesh.reply(to: Identity.FindAccounts.self) { [account] request in
            #expect(request.realm == .operators && request.criteria == [.accountID(AccountID("ola"))])
            return .init(accounts: [account])
        }
        return browser
    }

    /// The stored name is English; REST returns it.
    @Test func passkeyWithoutANameHasWordsOfTheReader() async throws {
        let browser = try Self.browser(name: AccountPasskey.defaultName, isFresh: true)
        for (language, name) in [("en", "A passkey"), ("de", "Ein Passkey")] {
            for path in ["/console/passkeys", "/console/passkeys/remove?object=\(Self.id)"] {
                let (before, behind) = path.halves(at: "?")
                let page = try await browser.get(
                    String(before), behind.map { String($0) }, headers: ["Accept-Language": language])
                #expect(page.text.contains(name) && !page.text.contains(AccountPasskey.defaultName), "\(path)")
            }
        }
        #expect(try await !browser.get(Self.path, "object=\(Self.id)").text.contains(AccountPasskey.defaultName))
    }

    @Test func operatorRenamesAnOwnPasskey() async throws {
        let browser = try Self.browser()
        let updates = Mutex<[Identity.UpdateAccount]>([])
        browser.harness.mesh.reply(to: Identity.UpdateAccount.self) { request in
            updates.withLock { $0.append(request) }
            if request.changes.renamedPasskey?.name.isEmpty != false { throw ServiceError(.invalidDisplayName) }
            return .init(account: ConsoleBrowser.account)
        }
        let page = try await browser.get(Self.path, "object=\(Self.id)")
        #expect(page.status == 200 && page.text.contains("value=\"&lt;b&gt;Phone\""))
        let refused = try await browser.post(Self.path, ["object": Self.id, "name": ""])
        #expect(refused.status == 400 && refused.text.contains("id=\"name-error\""))
        let renamed = try await browser.post(Self.path, ["object": Self.id, "name": "Laptop"])
        #expect(renamed.header("Location") == "/console/passkeys?done=saved")
        let update = try #require(updates.withLock { $0.last })
        #expect(update.realm == .operators && update.client.operatorName == "ola@example.com")
        #expect(update.changes.renamedPasskey?.name == "Laptop")
        // That of nobody, or of another operator.
        #expect(try await browser.post(Self.path, ["object": "Yg", "name": "Laptop"]).status == 404)
        #expect(updates.withLock { $0.count } == 2)
    }
}
