import Contracts
import Foundation
import JSON
import Testing
import Vocabulary

@Suite struct EnvelopeTests {
    let trace = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")!  // Well-formed.
    static let id = "000102030405060708090a0b0c0d0e0f"

    @Test func requestMatchesGoldenJSON() throws {
        try expect(
            RequestEnvelope(
                id: Self.id, params: Identity.ResolveAPIKey(apiKey: "key"),
                deadline: Moment(milliseconds: 1_700_000_005_000), trace: trace),
            is: """
                {"deadline":1700000005000,"id":"\(Self.id)","operation":"resolveAPIKey","params":{"apiKey":"key"},\
                "trace":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
                """)
    }

    @Test func deduplicatedRequestNamesItsKey() throws {
        try expect(
            RequestEnvelope(
                id: Self.id, params: Identity.DeleteAccount(realm: Realm(project: ProjectID("p")), accountID: nil),
                deadline: Moment(milliseconds: 5), trace: trace, idempotencyKey: "k"),
            is: """
                {"deadline":5,"id":"\(Self.id)","idempotencyKey":"k","operation":"deleteAccount","params":{"client":{},\
                "realm":{"project":"p"}},"trace":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
                """)
    }

    @Test func requestHeaderIsReadAlone() throws {
        let envelope = RequestEnvelope(
            id: Self.id, params: Identity.ListSigningKeys(purpose: .idToken), deadline: Moment(milliseconds: 5),
            trace: trace, idempotencyKey: "k")
        let head = try WireJSON.decode(EnvelopeHeader.self, from: WireJSON.encode(envelope))
        #expect(head.id == Self.id && head.operation == "listSigningKeys" && head.idempotencyKey == "k")
        #expect(head.deadline == Moment(milliseconds: 5) && head.trace == trace)
    }

    @Test(arguments: ["id", "operation", "deadline", "trace"]) func everyHeaderMemberIsRequired(member: String) throws {
        let envelope = RequestEnvelope(
            id: Self.id, params: Identity.ListSigningKeys(purpose: .idToken), deadline: Moment(milliseconds: 5),
            trace: trace)
        guard case .object(var members) = try WireJSON.decode(JSONValue.self, from: WireJSON.encode(envelope)) else {
            Issue.record("an envelope is an object")
            return
        }
        members[member] = nil
        let bytes = try WireJSON.encode(JSONValue.object(members))
        #expect(throws: DecodingError.self) { try WireJSON.decode(EnvelopeHeader.self, from: bytes) }
    }

    @Test func resultMatchesGoldenJSON() throws {
        try expect(
            ReplyEnvelope.result(id: Self.id, Identity.ResolveAPIKey.Reply(project: ProjectID("p"))),
            is: #"{"id":"000102030405060708090a0b0c0d0e0f","result":{"project":"p"}}"#)
        try expect(
            ReplyEnvelope.result(id: Self.id, EmptyReply()),
            is: #"{"id":"000102030405060708090a0b0c0d0e0f","result":{}}"#)
    }

    @Test func errorMatchesGoldenJSON() throws {
        try expect(
            ReplyEnvelope<EmptyReply>.error(id: Self.id, WireError(.emailExists)),
            is: #"{"error":{"code":"emailExists"},"id":"000102030405060708090a0b0c0d0e0f"}"#)
        try expect(
            ReplyEnvelope<EmptyReply>.error(
                id: Self.id, WireError(.quotaExceeded, "later", retryAfterSeconds: 1, limit: .emailsPerProject)),
            is: """
                {"error":{"code":"quotaExceeded","limit":"emails-per-project","message":"later",\
                "retryAfterSeconds":1},\
                "id":"000102030405060708090a0b0c0d0e0f"}
                """)
        try expect(
            ReplyEnvelope<EmptyReply>.error(
                id: Self.id,
                WireError(.weakPassword, unmetPasswordRequirements: [.atLeast(characters: 15), .hardToGuess])),
            is: """
                {"error":{"code":"weakPassword","unmetPasswordRequirements":[{"atLeast":{"characters":15}},\
                {"hardToGuess":{}}]},"id":"000102030405060708090a0b0c0d0e0f"}
                """)
    }

    @Test(arguments: [
        #"{"id":"a"}"#, #"{"result":{}}"#, #"{"error":{"code":"internal"}}"#, #"{"id":"a","error":{}}"#,
        #"{"id":"a","error":{"code":"noSuchCode"}}"#, #"{"id":1,"result":{}}"#, "[]",
    ])
    func malformedReplyIsRefused(json: String) {
        #expect(throws: DecodingError.self) {
            try WireJSON.decode(ReplyEnvelope<EmptyReply>.self, from: Data(json.utf8))
        }
    }

    @Test func eventsMatchGoldenJSON() throws {
        let realm = Realm(project: ProjectID("p"), tenant: TenantID("t"))
        try expect(
            BusEvent.configurationChanged(realm), is: #"{"configurationChanged":{"_0":{"project":"p","tenant":"t"}}}"#)
        try expect(
            BusEvent.sessionsRevoked(Realm(project: ProjectID("p")), AccountID("a")),
            is: #"{"sessionsRevoked":{"_0":{"project":"p"},"_1":"a"}}"#)
        try expect(
            BusEvent.sessionsRevoked(Realm(project: ProjectID("p")), nil),
            is: #"{"sessionsRevoked":{"_0":{"project":"p"}}}"#)
        try expect(BusEvent.signingKeysChanged, is: #"{"signingKeysChanged":{}}"#)
    }

    @Test func reportMatchesGoldenJSON() throws {
        try expect(
            ProcessReport(
                service: .mfaSMS, instance: "mfa-sms.1",
                metrics: [.init(name: "up_seconds", kind: .gauge, labels: ["a": "b"], value: 1.5)]),
            is: """
                {"instance":"mfa-sms.1","metrics":[{"kind":"gauge","labels":{"a":"b"},"name":"up_seconds",\
                "value":1.5}],"service":"mfa-sms"}
                """)
    }

    @Test func errorCodesAreStable() {
        #expect(
            Set(WireError.Code.allCases.map(\.rawValue)).isSuperset(
                of: """
                    accountDisabled accountIDExists accountMismatch accountNotFound adminOnlyOperation \
                    configurationConflict customClaimsTooLarge deadlineExceeded emailExists emailNotFound \
                    idempotencyKeyReused internal invalidAccountID invalidAdjacentIntervalRange invalidBlockingFunction \
                    invalidConfiguration invalidCredentials invalidCustomClaims invalidEmail invalidIDToken \
                    invalidPhoneNumber invalidRefreshToken invalidRequest invalidTestPhoneNumber missingAccountID \
                    missingEmail missingIDToken missingPassword missingProviderAccountID missingProviderID \
                    missingRefreshToken notImplemented operationNotAllowed overloaded passwordPolicyViolated \
                    passwordSignInDisabled phoneNumberExists projectDisabled projectNotFound providerAccountExists \
                    reservedClaim sessionExpired recentSignInRequired tenantMismatch tenantNotFound tooManyAttempts \
                    unavailable unknownAPIKey unknownOperation unsupportedTenantOperation weakPassword invalidPassword
                    """.split(separator: " ").map(String.init)))
    }

    @Test func serviceNamesAreStable() {
        #expect(
            ServiceName.allCases.map(\.rawValue) == [
                "broker", "gateway", "identity", "mfa-sms", "mfa-totp", "passkey", "federation", "notifier",
            ])
    }
}
