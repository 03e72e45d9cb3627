import Contracts
import HTTPServer
import Synchronization
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// What operators do to accounts.
@Suite struct ConsoleActTests {
    private static let path = "/console/projects/shop/user"

    private final class Recorded<Value: Sendable>: Sendable {
        private let values = Mutex<[Value]>([])
        func append(_ value: Value) { values.withLock { $0.append(value) } }
        var all: [Value] { values.withLock { $0 } }
    }

    private static func browser() throws -> (ConsoleBrowser, Recorded<Identity.UpdateAccount>) {
        let browser = try ConsoleBrowser([.init(role: .support)])
        let updates = Recorded<Identity.UpdateAccount>()
        browser.harness.mesh.reply(to: Identity.UpdateAccount.self) { request in
            updates.append(request)
            return .init(account: ConsoleBrowser.account)
        }
        return (browser, updates)
    }

    @Test func actOfAnOperatorHasItsName() async throws {
        let (browser, updates) = try Self.browser()
        #expect(try await browser.post("\(Self.path)/disable", ["id": "ada"]).status == 303)
        let update = try #require(updates.all.first)
        #expect(update.client.operatorName == "ola@example.com")
        #expect(update.accountID == AccountID("ada") && update.changes.disabled == true)
    }

    /// A form decodes the fields that its act names, and no other.
    @Test func furtherFieldsOfAFormHaveNoEffect() async throws {
        let (browser, updates) = try Self.browser()
        _ = try await browser.post(
            "\(Self.path)/disable",
            [
                "id": "ada", "customClaims": #"{"admin":true}"#, "password": "new password", "email": "eve@example.com",
                "removals": "password", "operatorName": "root",
            ])
        #expect(updates.all.map(\.changes) == [Identity.AccountChanges(disabled: true)])
        #expect(updates.all.first?.client.operatorName == "ola@example.com")
    }

    @Test func questionSaysTheConsequence() async throws {
        let (browser, updates) = try Self.browser()
        let page = try await browser.get("\(Self.path)/disable", "id=ada")
        #expect(page.text.contains("The sessions continue when the account is enabled again."))
        #expect(updates.all.isEmpty)
    }

    @Test func removedFactorIsTheOneOfTheForm() async throws {
        let (browser, updates) = try Self.browser()
        _ = try await browser.post("\(Self.path)/remove-factor", ["id": "ada", "object": "f1"])
        #expect(updates.all.map(\.changes.removals) == [[.secondFactor(FactorID("f1"))]])
    }

    @Test func scheduledDeletionIsCancelled() async throws {
        let (browser, updates) = try Self.browser()
        _ = try await browser.post("\(Self.path)/cancel-deletion", ["id": "ada"])
        #expect(updates.all.map(\.changes) == [Identity.AccountChanges(cancelsDeletion: true)])
    }

    @Test func pageOfAnAccountSaysWhatBlocksASignIn() async throws {
        let (browser, _) = try Self.browser()
        let page = try await browser.get(Self.path, "id=ada")
        #expect(page.text.contains("This user cannot sign in:") && page.text.contains("The account is disabled."))
    }

    @Test func pageOfAnAccountSaysThatWrongCodesBlockASignIn() async throws {
        let (browser, _) = try Self.browser()
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.ExplainSignIn.self) { _ in .init(account: ConsoleBrowser.account, obstacles: []) }
        mesh.reply(to: MFATOTP.ReadBlocks.self) { request in
            #expect(request.accountID == AccountID("ada") && request.factorIDs == [FactorID("f1")])
            return .init(blocks: [.init(factorID: FactorID("f1"), until: Moment(milliseconds: 1_793_491_200_000))])
        }
        #expect(try await browser.get(Self.path, "id=ada").text.contains("refused until 2026-11-01 00:00"))
        mesh.reply(to: MFATOTP.ReadBlocks.self) { _ in
            .init(blocks: [.init(factorID: FactorID("f1"), until: nil)])
        }
        let forGood = try await browser.get(Self.path, "id=ada")
        #expect(
            forGood.text.contains("refused for good") && forGood.text.contains("remove-factor?id=ada&amp;object=f1"))
        mesh.reply(to: MFATOTP.ReadBlocks.self) { _ in throw ServiceError(.unavailable) }
        #expect(try await browser.get(Self.path, "id=ada").text.contains("a service is away"))
    }

    /// Support does nothing that needs the role of an administrator, and its pages do not offer it.
    @Test func supportIsNotOfferedTheDeletion() async throws {
        let (browser, _) = try Self.browser()
        #expect(try await !browser.get(Self.path, "id=ada").text.contains("user/delete"))
        #expect(try await browser.post("\(Self.path)/delete", ["id": "ada"]).status == 403)
    }
}
