import Contracts
import Foundation
import JSON
import Testing
import Vocabulary

@testable import IdentityService

/// The names of the claims in ID tokens, in the token itself and as custom claims.
@Suite struct IDTokenClaimsTests {
    private static let time = Timestamp(seconds: 1_700_000_000)

    /// A payload of an account that has everything, with custom claims.
    private static func payload(of signInProvider: String, customClaims: String? = nil) throws -> [String: JSONValue] {
        let account = Account(
            id: AccountID("ada"), realm: IdentityFixture.realm, email: EmailAddress("ada@example.com"),
            emailVerified: true, displayName: "Ada", photoURL: "https://example.com/a.png",
            phoneNumber: PhoneNumber("+12025550101"), validSince: time, createdAt: Moment(time),
            customClaims: customClaims)
        let data = try IDTokenClaims.payload(
            for: account, authentication: .init(authenticatedAt: time, signInProvider: signInProvider), issuedAt: time,
            nonce: "n")
        return try WireJSON.decode([String: JSONValue].self, from: data)
    }

    @Test func everyNamedClaimIsIssued() throws {
        let names = try ["password", "anonymous"].reduce(into: Set<String>()) { names, provider in
            names.formUnion(try Self.payload(of: provider).keys)
        }
        #expect(names == Set(IDTokenClaims.Name.allCases.map(\.rawValue)))
    }

    /// As client libraries and the documentation list them.
    @Test func reservedNamesAreThoseOfGoogle() {
        #expect(
            CustomClaims.reserved == [
                "acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "iat", "iss", "jti", "nbf",
                "nonce", "sub", "firebase",
            ])
    }

    /// An administrator cannot say something else than identity about a claim that it issues.
    @Test(arguments: IDTokenClaims.Name.allCases) func customClaimReplacesNoClaim(name: IDTokenClaims.Name) throws {
        let text = #"{"\#(name.rawValue)":"other"}"#
        guard !name.isReserved else {
            #expect(throws: ServiceError.reservedClaim(name.rawValue)) { try CustomClaims.parse(text) }
            return
        }
        #expect(try CustomClaims.parse(text) != nil)
        #expect(try Self.payload(of: "anonymous", customClaims: text)[name.rawValue] != .string("other"))
    }
}
