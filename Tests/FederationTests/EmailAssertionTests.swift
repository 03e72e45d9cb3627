import Contracts
import JSON
import Testing
import Vocabulary

@testable import FederationService

/// Security rule FE12.
@Suite struct EmailAssertionTests {
    struct Case: Sendable {
        var provider: Federation.SupportedProvider
        var claims: [String: JSONValue]
        var isVerified: Bool
        var isAuthoritative: Bool

        init(
            _ provider: Federation.SupportedProvider, _ claims: [String: JSONValue], _ isVerified: Bool,
            _ isAuthoritative: Bool
        ) {
            (self.provider, self.claims) = (provider, claims)
            (self.isVerified, self.isAuthoritative) = (isVerified, isAuthoritative)
        }
    }

    @Test(arguments: [
        Case(.google, ["email": "a@gmail.com", "email_verified": true], true, true),
        Case(.google, ["email": "a@googlemail.com", "email_verified": true], true, true),
        Case(.google, ["email": "a@example.com", "email_verified": true, "hd": "example.com"], true, true),
        Case(.google, ["email": "a@example.com", "email_verified": true], true, false),
        Case(.google, ["email": "a@gmail.com.example.com", "email_verified": true], true, false),
        Case(.google, ["email": "a@gmail.com", "email_verified": false], false, false),
        Case(.google, ["email": "a@example.com", "hd": "example.com"], false, false),
        Case(.google, ["email_verified": true, "hd": "example.com"], false, false),
        Case(.apple, ["email": "a@example.com", "email_verified": true], true, true),
        Case(.apple, ["email": "a@example.com", "email_verified": "true"], true, true),
        Case(.apple, ["email": "a@example.com", "email_verified": "false"], false, false),
        Case(.apple, ["email": "a@example.com"], false, false),
        Case(.facebook, ["email": "a@facebook.com", "email_verified": true], false, false),
        Case(.linkedIn, ["email": "a@example.com", "email_verified": true], false, false),
        Case(.linkedIn, ["email": "a@linkedin.com", "email_verified": "true"], false, false),
        Case(.microsoft, ["email": "a@example.com", "email_verified": true, "tid": "1"], false, false),
        Case(.microsoft, ["email": "a@outlook.com", "tid": "1", "xms_edov": 1], true, false),
        Case(.microsoft, ["email": "a@example.com", "tid": "1", "xms_edov": true], true, false),
        Case(
            .microsoft, ["email": "a@outlook.com", "tid": .string(MicrosoftAdapter.personalTenant)], true, true),
        Case(
            .microsoft, ["email": "a@example.com", "tid": .string(MicrosoftAdapter.personalTenant)], true,
            false),
        Case(.gitHub, ["email": "a@example.com", "email_verified": true], true, false),
        Case(.gitHub, ["email": "1+a@users.noreply.github.com", "email_verified": true], true, true),
        Case(.gitHub, ["email": "a@users.noreply.github.com", "email_verified": false], false, false),
        Case(.gameCenter, ["email": "a@example.com", "email_verified": true], false, false),
    ])
    func assertionFollowsProvider(test: Case) {
        let assertion = test.provider.adapter.email(ProviderClaims(test.claims))
        #expect(assertion.isVerified == test.isVerified)
        #expect(assertion.isAuthoritative == test.isAuthoritative)
    }

    @Test(
        arguments: [
            (["email": "a@example.com", "email_verified": true], true),
            (["email": "a@sub.example.com", "email_verified": true], false),
            (["email": "a@example.com", "email_verified": false], false),
            (["email": "not an address", "email_verified": true], false),
        ] as [([String: JSONValue], Bool)])
    func openIDProviderIsAuthoritativeInItsDomains(claims: [String: JSONValue], isProven: Bool) {
        let assertion = EmailAssertion.openID(ProviderClaims(claims), authoritativeDomains: ["Example.com"])
        #expect(assertion.isVerified == isProven && assertion.isAuthoritative == isProven)
    }

    @Test func openIDProviderCanBeAuthoritativeForAllDomains() {
        let claims = ProviderClaims(["email": "a@example.com", "email_verified": true])
        #expect(EmailAssertion.openID(claims, authoritativeDomains: ["*"]).isAuthoritative)
        // Without domains its word counts for no address.
        #expect(EmailAssertion.openID(claims, authoritativeDomains: []) == EmailAssertion(address: claims.email))
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
}
