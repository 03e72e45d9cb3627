import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The passkeys of an account on the pages of its action links.
extension ActionPageTests {
    static let passkeys: [Identity.InspectActionCode.ListedPasskey] = [
        .init(
            name: "Laptop <b>", createdAt: Moment(milliseconds: 1_700_000_000_123),
            lastUsedAt: Moment(milliseconds: 1_710_000_000_000)),
        .init(name: "Phone", createdAt: Moment(milliseconds: 1_720_000_000_000)),
    ]

    /// The user who changed the address may have added a passkey: the owner sees all, and can remove them.
    @Test(arguments: [false, true]) func emailRecoveryOffersRemovalOfPasskeys(removes: Bool) async throws {
        let harness = try harness(
            .init(
                purpose: .recoverEmail, email: Self.email, continueURL: "https://app.example.com/x?a=1",
                passkeys: Self.passkeys))
        let shown = try #require(ReadPage(try await get(harness, "mode=recoverEmail&\(Self.query)")))
        for text in [
            "Laptop <b>", "Added on 14 November 2023", "Last used on 9 March 2024", "Phone", "Added on 3 July 2024",
            "This was not me: also remove these passkeys",
        ] { #expect(shown.text.contains(text)) }
        #expect(shown.all("li").count == 2 && shown.all("form").count == 1)
        #expect(shown.all("button").map { $0["value"] } == [nil, "notMe"])
        let ids = Set(shown.elements.compactMap { $0.attributes["id"] })
        for element in shown.elements {
            for name in ["aria-labelledby", "aria-describedby"] {
                #expect(element.attributes[name].map { ids.contains($0) } != false)
            }
        }

        let answer = try await post(
            harness, "mode=recoverEmail&\(Self.query)" + (removes ? "&answer=notMe" : ""))
        let done = try #require(ReadPage(answer))
        #expect(answer.status == 200 && done.text.contains("the passkeys have been removed") == removes)
        #expect(done.fields["mode"] == "changePassword" && done.fields["email"] == "ada@example.com")
        #expect(done.all("a").map { $0["href"] } == ["https://app.example.com/x?a=1"])
        let sent = try #require(harness.mesh.sent(Identity.ApplyActionCode.self).first)
        #expect(sent.removesPasskeys == (removes ? true : nil) && sent.code == Secret("c") && sent.locale == "en")
        #expect(acted(harness) == 1 && harness.mesh.sent(Identity.RejectEmailVerification.self).isEmpty)
    }

    @Test(arguments: [nil, []] as [[Identity.InspectActionCode.ListedPasskey]?])
    func emailRecoveryWithoutPasskeysHasOneButton(
        passkeys: [Identity.InspectActionCode.ListedPasskey]?
    ) async throws {
        let harness = try harness(.init(purpose: .recoverEmail, email: Self.email, passkeys: passkeys))
        let shown = try #require(ReadPage(try await get(harness, "mode=recoverEmail&\(Self.query)")))
        #expect(shown.all("button").count == 1 && shown.all("ul").isEmpty)
    }

    @Test func passkeyReversalShowsNameAndDate() async throws {
        let harness = try harness(
            .init(purpose: .revertPasskeyAddition, email: Self.email, passkeys: [Self.passkeys[0]]))
        let shown = try #require(ReadPage(try await get(harness, "mode=revertPasskeyAddition&\(Self.query)")))
        #expect(shown.text.contains("Laptop <b>") && shown.text.contains("Added on 14 November 2023"))
        #expect(shown.all("button").count == 1)
        let done = try #require(ReadPage(try await post(harness, "mode=revertPasskeyAddition&\(Self.query)")))
        #expect(done.text.contains("The passkey has been removed") && done.fields["mode"] == "changePassword")
        #expect(harness.mesh.sent(Identity.ApplyActionCode.self).map(\.removesPasskeys) == [nil])
    }

    @Test func passwordResetListsPasskeysThatStay() async throws {
        let harness = try harness(
            .init(
                purpose: .passwordReset, email: Self.email, passwordRequirements: .init(minimumLength: 6),
                passkeys: Self.passkeys,
                recentProviders: [.init(id: "oidc.<i>", linkedAt: Moment(milliseconds: 1_700_000_000_123))]))
        for page in [
            try await get(harness, "mode=resetPassword&\(Self.query)"),
            try await post(harness, "mode=resetPassword&\(Self.query)&newPassword=weak"),
        ] {
            let shown = try #require(ReadPage(page))
            #expect(shown.text.contains("Laptop <b>") && shown.text.contains("A new password does not remove them."))
            #expect(shown.text.contains("oidc.<i>") && shown.text.contains("Linked on 14 November 2023"))
            #expect(shown.all("button").count == 1)
        }
    }
}
