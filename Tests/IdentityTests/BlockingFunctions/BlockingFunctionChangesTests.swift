import Contracts
import Foundation
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// What responses of blocking functions mean (REST 8).
struct BlockingFunctionChangesTests {
    private static func changes(
        _ record: String, to event: BlockingFunctionEvent = .beforeSignIn
    ) throws -> BlockingFunctionChanges {
        try BlockingFunctionChanges(responseBody: Data(#"{"userRecord":\#(record)}"#.utf8), to: event)
    }

    private static var account: StoredAccount {
        var stored = StoredAccount(
            id: AccountID("ada"), in: Realm(project: ProjectID("demo")), at: ManualClock().now)
        stored.account.email = EmailAddress("ada@example.com")
        stored.account.displayName = "Ada"
        return stored
    }

    private static func apply(_ record: String, _ claims: String? = nil) throws -> (Account, AuthenticationContext) {
        var stored = account
        var authentication = AuthenticationContext(
            authenticatedAt: ManualClock().now.timestamp, signInProvider: "custom", claims: claims)
        try changes(record).apply(to: &stored, &authentication)
        return (stored.account, authentication)
    }

    @Test(arguments: ["", "{}", #"{"userRecord":null}"#, #"{"other":1}"#])
    func responseWithoutRecordChangesNothing(body: String) throws {
        for event in BlockingFunctionEvent.allCases {
            #expect(try BlockingFunctionChanges(responseBody: Data(body.utf8), to: event) == .none)
        }
    }

    @Test(arguments: [
        "not json", "[]", "\"text\"", "null", "{", #"{"userRecord":[]}"#, #"{"userRecord":"x"}"#,
        #"{"userRecord":{}}"#, #"{"userRecord":{"displayName":"no mask"}}"#, #"{"userRecord":{"updateMask":1}}"#,
        #"{"userRecord":{"updateMask":""}}"#, #"{"userRecord":{"updateMask":"displayName,"},"displayName":"x"}"#,
        #"{"userRecord":{"updateMask":"phoneNumber","phoneNumber":"+12025550101"}}"#,
        #"{"userRecord":{"updateMask":"a","updateMask":"b"}}"#,
        #"{"userRecord":{"updateMask":"displayName","displayName":7}}"#,
        #"{"userRecord":{"updateMask":"photoUrl","photoUrl":false}}"#,
        #"{"userRecord":{"updateMask":"disabled","disabled":"true"}}"#,
        #"{"userRecord":{"updateMask":"disabled","disabled":1}}"#,
        #"{"userRecord":{"updateMask":"disabled"}}"#,
        #"{"userRecord":{"updateMask":"emailVerified","emailVerified":null}}"#,
        #"{"userRecord":{"updateMask":"customClaims","customClaims":"{}"}}"#,
        #"{"userRecord":{"updateMask":"customClaims","customClaims":[1]}}"#,
        #"{"userRecord":{"updateMask":"customClaims","customClaims":{"firebase":{}}}}"#,
        #"{"userRecord":{"updateMask":"sessionClaims","sessionClaims":{"sub":"x"}}}"#,
        #"{"userRecord":{"updateMask":"sessionClaims","sessionClaims":{"exp":0}}}"#,
    ])
    func responseThatIsNotUnderstoodIsRefused(body: String) {
        #expect(throws: BlockingFunctionChanges.InvalidResponseError.self) {
            try BlockingFunctionChanges(responseBody: Data(body.utf8), to: .beforeSignIn)
        }
    }

    /// In bytes: a character of two bytes counts twice.
    @Test(arguments: [("a", 992, true), ("a", 993, false), ("é", 496, true), ("é", 497, false)])
    func claimsOfOneKindAreBounded(character: String, count: Int, isAccepted: Bool) {
        let text = String(repeating: character, count: count)
        for name in ["customClaims", "sessionClaims"] {
            let record = #"{"updateMask":"\#(name)","\#(name)":{"c":"\#(text)"}}"#
            #expect(((try? Self.changes(record)) != nil) == isAccepted, "\(name) \(count)")
        }
    }

    @Test func longProfileIsRefused() {
        let name = String(repeating: "a", count: StoredAccount.maximumDisplayNameLength + 1)
        #expect(throws: BlockingFunctionChanges.InvalidResponseError.self) {
            try Self.changes(#"{"updateMask":"displayName","displayName":"\#(name)"}"#)
        }
    }

    @Test func onlyMaskedFieldsAreApplied() throws {
        let record = """
            {"updateMask":"photoUrl, emailVerified","displayName":"Eve","photoUrl":"https://a.example/p",
             "emailVerified":true,"disabled":true,"customClaims":{"admin":true}}
            """
        let (account, authentication) = try Self.apply(record)
        #expect(account.displayName == "Ada")
        #expect(account.photoURL == "https://a.example/p")
        #expect(account.emailVerified)
        #expect(!account.disabled && account.customClaims == nil && authentication.claims == nil)
    }

    /// For the application: the account has no address that this would verify.
    @Test func accountWithoutAddressIsVerifiedByFunction() throws {
        var stored = Self.account
        stored.account.email = nil
        stored.isEmailProven = false
        var authentication = AuthenticationContext(
            authenticatedAt: ManualClock().now.timestamp, signInProvider: "phone")
        try Self.changes(#"{"updateMask":"emailVerified","emailVerified":true}"#).apply(to: &stored, &authentication)
        #expect(stored.account.emailVerified && !stored.account.hasVerifiedEmail && !stored.hasProvenEmail)
        let claims = try WireJSON.decode(
            JSONValue.self,
            from: IDTokenClaims.payload(
                for: stored.account, authentication: authentication, issuedAt: ManualClock().now.timestamp))
        #expect(claims["email_verified"] == .bool(true) && claims["email"] == nil)
        // An address that it gets later is not verified.
        stored.changeEmail(to: try #require(EmailAddress("ada@example.com")), at: ManualClock().now)
        #expect(!stored.account.emailVerified && !stored.hasProvenEmail)
    }

    @Test(arguments: [
        #"{"updateMask":"displayName"}"#, #"{"updateMask":"displayName","displayName":null}"#,
        #"{"updateMask":"displayName","displayName":""}"#,
    ])
    func maskedFieldWithoutValueIsRemoved(record: String) throws {
        #expect(try Self.apply(record).0.displayName == nil)
    }

    /// The spelling of Google's library for Node.
    @Test func photoURLIsAccepted() throws {
        let record = #"{"updateMask":"photoURL","photoURL":"https://a.example/p"}"#
        #expect(try Self.apply(record).0.photoURL == "https://a.example/p")
    }

    @Test func sessionClaimsReplaceThoseOfTheCustomToken() throws {
        let record = #"{"updateMask":"sessionClaims","sessionClaims":{"risk":"low"}}"#
        let (_, authentication) = try Self.apply(record, #"{"risk":"high","team":"blue"}"#)
        #expect(authentication.claims == #"{"risk":"low","team":"blue"}"#)
    }

    @Test func sessionClaimsOfAnotherEventAreIgnored() throws {
        let record = #"{"updateMask":"sessionClaims","sessionClaims":{"risk":"low"}}"#
        #expect(try Self.changes(record, to: .beforeCreate) == .none)
    }

    /// A token contains the claims of both kinds.
    @Test func claimsOfBothKindsAreBoundedTogether() throws {
        let half = String(repeating: "a", count: 600)
        let record = """
            {"updateMask":"customClaims,sessionClaims","customClaims":{"a":"\(half)"},"sessionClaims":{"b":"\(half)"}}
            """
        let error = #expect(throws: ServiceError.self) { try Self.apply(record) }
        #expect(error?.code == .blockingFunctionError)
        // The same name counts once.
        let same = record.replacing(#"{"b":"#, with: #"{"a":"#)
        #expect(throws: Never.self) { try Self.apply(same) }
    }
}
