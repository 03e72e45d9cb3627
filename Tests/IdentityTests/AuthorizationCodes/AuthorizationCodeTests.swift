import Contracts
import Crypto
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// The rule about who may redeem a code, and when.
@Suite struct AuthorizationCodeTests {
    private static let now = Moment(milliseconds: 1_700_000_000_000)
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// RFC 7636 appendix B.
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let url = "https://app.example.com/"

    private static func code(_ state: AuthorizationCode.State = .issued) throws -> AuthorizationCode {
        AuthorizationCode(
            hash: [1], realm: IdentityFixture.realm, accountID: AccountID("ada"),
            signInID: SessionID(bytes: Array(repeating: 1, count: 16)), application: ApplicationID("c"),
            redirectURL: url, challenge: try #require(.init(challenge, method: "S256")), nonce: nil, createdAt: now,
            state: state)
    }

    private static func presentation(
        application: String = "c", url: String = url, verifier: String = verifier
    ) -> AuthorizationCode.Presentation {
        .init(application: ApplicationID(application), redirectURL: url, verifier: verifier)
    }

    /// "authorization_codes.created_at": a code that was issued while the clock was ahead is no longer valid when it is
    /// right again.
    @Test(arguments: [
        (presentation(), 0, AuthorizationCode.Judgment.accepted), (presentation(), 59, .accepted),
        // Too late, or before it was issued: by a clock that was ahead.
        (presentation(), 60, .refused), (presentation(), -3600, .refused),
        // Code injection and mix-up: the code of another application, address or browser.
        (presentation(application: "d"), 0, .refused), (presentation(application: "C"), 0, .refused),
        (presentation(url: "https://app.example.com/other"), 0, .refused),
        (presentation(url: "https://app.example.com"), 0, .refused), (presentation(url: ""), 0, .refused),
        (presentation(verifier: ""), 0, .refused), (presentation(verifier: challenge), 0, .refused),
        (presentation(verifier: String(verifier.dropLast())), 0, .refused),
        (presentation(verifier: verifier + "="), 0, .refused),
        (presentation(verifier: String(repeating: "a", count: 43)), 0, .refused),
    ])
    func onlyItsApplicationRedeemsACode(
        presentation: AuthorizationCode.Presentation, seconds: Int, judgment: AuthorizationCode.Judgment
    ) throws {
        #expect(try Self.code().judge(presentation, at: Self.now + .seconds(seconds)) == judgment)
    }

    @Test func endedCodeStaysEnded() throws {
        let session = SessionID(bytes: Array(repeating: 2, count: 16))
        for presentation in [Self.presentation(), Self.presentation(application: "d")] {
            #expect(try Self.code(.refused).judge(presentation, at: Self.now) == .ended)
            #expect(try Self.code(.redeemed(session)).judge(presentation, at: Self.now) == .replayed(session))
        }
    }

    /// A downgrade: no challenge, the method `plain`, or a challenge that is no digest.
    @Test(
        arguments: [
            (challenge, "S256", true), (challenge, "plain", false), (challenge, nil, false), (challenge, "s256", false),
            (nil, "S256", false), ("", "S256", false), (challenge + "=", "S256", false),
            (String(challenge.dropLast()), "S256", false), (String(repeating: "!", count: 43), "S256", false),
        ] as [(String?, String?, Bool)])
    func challengeIsADigest(text: String?, method: String?, isChallenge: Bool) {
        #expect((Identity.CodeChallenge(text, method: method) != nil) == isChallenge)
    }

    @Test(arguments: [(42, false), (43, true), (128, true), (129, false)])
    func verifierHasItsLength(count: Int, isAccepted: Bool) throws {
        let verifier = String(repeating: "~", count: count)
        let digest = Base64URL.encode(SHA2.sha256(Array(verifier.utf8)))
        let challenge = try #require(Identity.CodeChallenge(digest, method: "S256"))
        #expect(challenge.isAnswered(by: verifier) == isAccepted)
    }
}

@Suite struct ApplicationAddressTests {
    typealias Registration = Identity.ApplicationRegistration

    @Test(arguments: [
        (Registration.Kind.web, "https://a.example/x", "https://a.example/x", true),
        (.web, "https://a.example/x", "https://a.example/x/", false),
        (.web, "https://a.example/x", "https://a.example/x?a", false),
        (.web, "https://a.example/x", "https://a.example:443/x", false),
        (.web, "https://a.example/x", "HTTPS://a.example/x", false),
        (.web, "https://a.example/x", "https://a.example/x#a", false),
        (.ios, "com.example.a:/x", "com.example.a:/x", true), (.ios, "com.example.a:/x", "com.example.b:/x", false),
        (.tool, "http://127.0.0.1/x", "http://127.0.0.1:51004/x", true),
        (.tool, "http://127.0.0.1/x", "http://127.0.0.1/x", true),
        (.tool, "http://[::1]/x", "http://[::1]:51004/x", true),
        (.tool, "http://127.0.0.1/x", "http://127.0.0.1:51004/y", false),
        (.tool, "http://127.0.0.1/x", "https://127.0.0.1:51004/x", false),
        (.tool, "http://127.0.0.1/x", "http://localhost:51004/x", false),
        (.tool, "http://127.0.0.1/x", "http://127.0.0.1:51004@evil.example/x", false),
        (.tool, "http://127.0.0.1/x", "http://127.0.0.1.evil.example:1/x", false),
        (.tool, "http://127.0.0.1/x", "http://127.0.0.1:/x", false),
        (.tool, "http://127.0.0.1/x", "http://127.0.0.1:99999/x", false),
    ])
    func onlyRegisteredAddressIsAllowed(kind: Registration.Kind, registered: String, requested: String, isAllowed: Bool)
    {
        let registration = Registration(displayName: "a", kind: kind, redirectURLs: [registered])
        #expect(registration.allows(redirectURL: requested) == isAllowed)
    }

    @Test func originsAreThoseOfTheAddressesWithoutAList() {
        var registration = Registration(
            displayName: "a", kind: .web, redirectURLs: ["https://a.example:8443/x", "https://b.example/"])
        #expect(
            registration.allows(origin: "https://a.example:8443") && registration.allows(origin: "https://b.example"))
        #expect(!registration.allows(origin: "https://a.example") && !registration.allows(origin: "null"))
        registration.origins = ["https://c.example"]
        #expect(registration.allows(origin: "https://c.example") && !registration.allows(origin: "https://b.example"))
        registration.kind = .ios
        #expect(!registration.allows(origin: "https://c.example"))
    }
}
