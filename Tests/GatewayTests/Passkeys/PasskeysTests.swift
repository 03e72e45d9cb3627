import Contracts
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// REST 3.6, the two calls that start a ceremony.
@Suite struct PasskeyStartTests {
    private static let creation = Passkey.StartEnrollment.Reply(
        relyingPartyID: "auth.example.com", relyingPartyName: "Example", userHandle: OctetString([0xfb, 0xff, 0xbf]),
        userName: "alice@example.com", userDisplayName: "Alice", challenge: Secret(OctetString([0xff])),
        algorithms: [-7, -8, -257], timeoutMilliseconds: 300_000,
        excludedCredentials: [.init(id: .example(0xfb), transports: ["internal"]), .init(id: .example(1))],
        userVerification: .required, attestation: .none)

    @Test func creationOptionsAreReturned() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Passkey.StartEnrollment.self) { _ in Self.creation }
        let response = try await harness.client(
            "v2/accounts/passkeyEnrollment:start", #"{"idToken":"i","tenantId":"t1"}"#)
        #expect(
            response.json
                == (try json(
                    #"""
                    {"credentialCreationOptions":{
                      "rp":{"id":"auth.example.com","name":"Example"},
                      "user":{"id":"+/+/","name":"alice@example.com","displayName":"Alice"},"challenge":"/w==",
                      "pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-8},
                        {"type":"public-key","alg":-257}],
                      "timeout":300000,"attestation":"none",
                      "excludeCredentials":[{"id":"+/v7+w==","type":"public-key","transports":["internal"]},
                        {"id":"AQEBAQ==","type":"public-key"}],
                      "authenticatorSelection":{"residentKey":"required","requireResidentKey":true,
                        "userVerification":"required"},
                      "extensions":{"credProps":true}}}
                    """#)))
        let sent = try #require(harness.mesh.sent(Passkey.StartEnrollment.self).first)
        #expect(sent.idToken == Secret("i") && sent.realm.tenant == TenantID("t1") && !sent.isConditional)
    }

    @Test func emptyListAndOtherPoliciesAreSpelledOut() async throws {
        let harness = try GatewayHarness()
        var creation = Self.creation
        (creation.excludedCredentials, creation.userVerification, creation.attestation) = ([], .preferred, .direct)
        harness.mesh.reply(to: Passkey.StartEnrollment.self) { [creation] _ in creation }
        let options = try await harness.client("v2/accounts/passkeyEnrollment:start").json["credentialCreationOptions"]
        #expect(options?["excludeCredentials"] == .array([]) && options?["attestation"] == .string("direct"))
        #expect(options?["authenticatorSelection"]?["userVerification"] == .string("preferred"))
    }

    @Test(arguments: [
        (#"{"conditional":true}"#, true), (#"{"conditional":false}"#, false), (#"{"conditional":null}"#, false),
    ])
    func conditionalIsForwarded(body: String, isConditional: Bool) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Passkey.StartEnrollment.self) { _ in Self.creation }
        _ = try await harness.client("v2/accounts/passkeyEnrollment:start", body)
        #expect(harness.mesh.sent(Passkey.StartEnrollment.self).map(\.isConditional) == [isConditional])
    }

    @Test func requestOptionsAreReturned() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Passkey.StartSignIn.self) { request in
            .init(
                relyingPartyID: "auth.example.com", challenge: Secret(OctetString([0xfb, 0xff])),
                timeoutMilliseconds: 300_000, userVerification: .preferred,
                allowedCredentials: request.identifier == nil ? [] : [.init(id: .example(1), transports: ["hybrid"])])
        }
        let anyone = try await harness.client("v2/accounts/passkeySignIn:start", #"{"sessionId":"s"}"#)
        #expect(
            anyone.json
                == (try json(
                    #"""
                    {"credentialRequestOptions":{"challenge":"+/8=","rpId":"auth.example.com","timeout":300000,
                      "userVerification":"preferred"}}
                    """#)))
        let named = try await harness.client(
            "v2/accounts/passkeySignIn:start", #"{"identifier":"alice@example.com","idToken":"i"}"#)
        #expect(
            named.json["credentialRequestOptions"]?["allowCredentials"]
                == (try json(#"[{"id":"AQEBAQ==","type":"public-key","transports":["hybrid"]}]"#)))
        let sent = harness.mesh.sent(Passkey.StartSignIn.self)
        #expect(sent.map(\.identifier) == [nil, "alice@example.com"] && sent.map(\.idToken) == [nil, Secret("i")])
    }

    @Test func emptyTextCountsAsAbsent() async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Passkey.StartSignIn.self) { _ in throw ServiceError(.passkeysNotEnabled) }
        let response = try await harness.client(
            "v2/accounts/passkeySignIn:start", #"{"identifier":"","idToken":null}"#)
        #expect((response.status, response.message) == (400, "PASSKEY_NOT_ENABLED"))
        #expect(response.error?["status"] == .string("INVALID_ARGUMENT"))
        #expect(
            harness.mesh.sent(Passkey.StartSignIn.self) == [.init(realm: Realm(project: ProjectID("demo-latchkey")))])
    }
}

/// REST 3.6, the end of a registration.
@Suite struct PasskeyEnrollmentTests {
    private static let account = Account.example { $0.passkeys = [.example(9), .example(1)] }

    private func finish(
        _ body: String, tokenError: WireError.Code? = nil
    ) async throws -> (Passkey.FinishEnrollment?, TestResponse) {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Passkey.FinishEnrollment.self) { _ in .init(account: Self.account, tokens: .example) }
        harness.mesh.reply(to: Identity.VerifyIDToken.self) { request in
            if let tokenError { throw ServiceError(tokenError) }
            let zero = Timestamp(seconds: 0)
            return .init(
                principal: Principal(
                    accountID: AccountID("alice"), realm: request.realm, issuedAt: zero, authenticatedAt: zero,
                    signInProvider: "password"))
        }
        let response = try await harness.client(
            "v2/accounts/passkeyEnrollment:finalize", body, headers: ["X-Firebase-Locale": "de", "User-Agent": "iOS"])
        return (harness.mesh.sent(Passkey.FinishEnrollment.self).first, response)
    }

    @Test(arguments: [
        // iOS, with and without the padding; JavaScript; the names of protocol buffers.
        #"{"id":"AQEBAQ==","response":{"clientDataJSON":"/w==","attestationObject":"+/8="}}"#,
        #"{"id":"AQEBAQ","rawId":null,"type":null,"response":{"clientDataJSON":"/w","attestationObject":"+/8"}}"#,
        #"{"id":"AQEBAQ","rawId":"","type":"","response":{"clientDataJSON":"_w","attestationObject":"-_8"}}"#,
        #"{"id":"AQEBAQ","response":{"client_data_json":"_w","attestation_object":"-_8","transports":null}}"#,
    ])
    func everyEncodingIsAccepted(response: String) async throws {
        let (sent, result) = try await finish(#"{"idToken":"i","authenticatorRegistrationResponse":\#(response)}"#)
        #expect(result.status == 200)
        #expect(
            sent?.response
                == .init(
                    id: .example(1), clientDataJSON: OctetString([0xff]), attestationObject: OctetString([0xfb, 0xff])))
        #expect(sent?.name == nil && sent?.idToken == Secret("i"))
    }

    @Test func everyFieldIsForwardedAndSessionReturned() async throws {
        let (sent, response) = try await finish(
            #"""
            {"idToken":"i","name":"My laptop","displayName":"ignored","tenantId":"t1",
             "authenticatorRegistrationResponse":{"id":"AQEBAQ","rawId":"AgICAg","type":"public-key",
               "authenticatorAttachment":"platform","clientExtensionResults":{"credProps":{"rk":true}},
               "response":{"clientDataJSON":"_w","attestationObject":"-_8","transports":["internal","hybrid"],
                 "publicKeyAlgorithm":-7,"publicKey":"AA","authenticatorData":"AA"}}}
            """#)
        #expect(
            sent?.response
                == .init(
                    id: .example(1), rawID: .example(2), type: "public-key", clientDataJSON: OctetString([0xff]),
                    attestationObject: OctetString([0xfb, 0xff]), transports: ["internal", "hybrid"]))
        #expect((sent?.name, sent?.locale, sent?.client.userAgent) == ("My laptop", "de", "iOS"))
        #expect(sent?.realm.tenant == TenantID("t1"))
        #expect(
            response.json
                == (try json(
                    #"""
                    {"localId":"alice","idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600",
                     "signals":{"rpId":"auth.example.com","userHandle":"-w","name":"alice@example.com",
                       "displayName":"Alice","allAcceptedCredentialIds":["CQkJCQ","AQEBAQ"]}}
                    """#)))
    }

    static let defects: [(response: String, code: String)] =
        ["null", "{}", #"{"id":"AQ"}"#, #"{"id":"x","response":null}"#, #"{"response":{}}"#].map {
            ($0, "MISSING_AUTHENTICATOR_RESPONSE")
        }
        + [
            "null", #""""#, #""A""#, #""AR""#, #""A A=""#, #""+_AA""#, #""AQ=""#,
            #""\#(String(repeating: "A", count: 1366))""#,
        ].map {
            (
                #"{"id":\#($0),"response":{"clientDataJSON":"_w","attestationObject":"-_8"}}"#,
                "INVALID_CREDENTIAL_ID"
            )
        }
        + [
            #""id":"AQ","response":{"clientDataJSON":"_w"}"#,
            #""id":"AQ","response":{"clientDataJSON":"","attestationObject":"-_8"}"#,
            #""id":"AQ","response":{"clientDataJSON":"_w","attestationObject":"?"}"#,
            #""id":"AQ","rawId":"A","response":{"clientDataJSON":"_w","attestationObject":"-_8"}"#,
        ].map { ("{\($0)}", "INVALID_AUTHENTICATOR_RESPONSE") }

    @Test(arguments: defects) func defectiveResponseIsRefused(response: String, code: String) async throws {
        let (sent, result) = try await finish(#"{"idToken":"i","authenticatorRegistrationResponse":\#(response)}"#)
        #expect((result.status, result.message) == (400, code))
        #expect(sent == nil)
    }

    @Test(arguments: [
        ("MISSING_ID_TOKEN", WireError.Code.missingIDToken), ("INVALID_ID_TOKEN", .invalidIDToken),
        ("TOKEN_EXPIRED", .sessionExpired),
    ])
    func errorOfIDTokenComesFirst(code: String, error: WireError.Code) async throws {
        for response in ["null", "{}", #"{"id":"x"}"#, #"{"id":"","response":{"clientDataJSON":"_w"}}"#] {
            let (sent, result) = try await finish(
                #"{"authenticatorRegistrationResponse":\#(response)}"#, tokenError: error)
            #expect((result.status, result.message) == (400, code))
            #expect(sent == nil)
        }
    }

    @Test func longestCredentialIDIsAccepted() async throws {
        let id = String(repeating: "A", count: 1364)  // 1023 bytes.
        let (sent, response) = try await finish(
            #"""
            {"idToken":"i","authenticatorRegistrationResponse":{"id":"\#(id)",
             "response":{"clientDataJSON":"_w","attestationObject":"-_8"}}}
            """#)
        #expect(response.status == 200 && sent?.response.id == CredentialID(Array(repeating: 0, count: 1023)))
    }

    @Test(arguments: [
        #""authenticatorRegistrationResponse":"x""#, #""authenticatorRegistrationResponse":[]"#, #""name":7"#,
        #""authenticatorRegistrationResponse":{"id":7}"#,
        #""authenticatorRegistrationResponse":{"response":{"transports":"internal"}}"#,
        #""authenticatorRegistrationResponse":{"response":{"attestationObject":{"a":1}}}"#,
        #""authenticatorRegistrationResponse":{"response":{"attestationObject":"\#(String(repeating: "A", count: 1 << 21))"}}"#,
    ])
    func valueOfAnotherTypeOrSizeIsRefused(field: String) async throws {
        let (sent, response) = try await finish(#"{"idToken":"i",\#(field)}"#)
        #expect(response.status == 400 && response.error?["status"] == .string("INVALID_ARGUMENT"))
        #expect(sent == nil)
    }

    @Test(arguments: [
        (WireError.Code.passkeyExists, "PASSKEY_EXISTS"), (.passkeyLimitExceeded, "PASSKEY_LIMIT_EXCEEDED"),
        (.passkeyChallengeTimedOut, "PASSKEY_CHALLENGE_TIMEOUT"),
        (.invalidAuthenticatorResponse, "INVALID_AUTHENTICATOR_RESPONSE"),
    ])
    func errorOfServiceIsReturned(error: WireError.Code, code: String) async throws {
        let harness = try GatewayHarness()
        harness.mesh.reply(to: Passkey.FinishEnrollment.self) { _ in throw ServiceError(error) }
        let response = try await harness.client(
            "v2/accounts/passkeyEnrollment:finalize",
            #"""
            {"idToken":"i","authenticatorRegistrationResponse":{"id":"AQ",
             "response":{"clientDataJSON":"_w","attestationObject":"-_8"}}}
            """#)
        #expect((response.status, response.message) == (400, code))
    }
}

/// REST 3.6, the end of a sign-in.
@Suite struct PasskeySignInTests {
    private func finish(
        _ response: String, reply: Identity.FirstFactorReply? = nil
    ) async throws -> (Passkey.FinishSignIn?, TestResponse) {
        let harness = try GatewayHarness()
        var tokens = TokenSet.example
        tokens.deviceToken = Secret(String(repeating: "d", count: 64))
        let reply = reply ?? .init(account: .example { $0.passkeys = [.example(1)] }, tokens: tokens)
        harness.mesh.reply(to: Passkey.FinishSignIn.self) { _ in reply }
        let result = try await harness.client(
            "v2/accounts/passkeySignIn:finalize",
            #"{"authenticatorAuthenticationResponse":\#(response),"name":"n","displayName":"d","tenantId":"t1"}"#)
        return (harness.mesh.sent(Passkey.FinishSignIn.self).first, result)
    }

    @Test(
        arguments: [
            (
                #"{"id":"AQEBAQ==","response":{"clientDataJSON":"/w==","authenticatorData":"+/8=","signature":"AA==","userHandle":"+w=="}}"#,
                nil, nil, [0xfb]
            ),
            (
                #"{"id":"AQEBAQ","rawId":"AQEBAQ","type":"public-key","response":{"clientDataJSON":"_w","authenticatorData":"-_8","signature":"AA"}}"#,
                .example(1), "public-key", nil
            ),
            (
                #"{"id":"AQEBAQ","response":{"clientDataJSON":"_w","authenticatorData":"-_8","signature":"AA","userHandle":null}}"#,
                nil, nil, nil
            ),
            (
                #"{"id":"AQEBAQ","response":{"client_data_json":"_w","authenticator_data":"-_8","signature":"AA","user_handle":""}}"#,
                nil, nil, nil
            ),
        ] as [(String, CredentialID?, String?, [UInt8]?)])
    func everyEncodingIsAccepted(body: String, rawID: CredentialID?, type: String?, handle: [UInt8]?) async throws {
        let (sent, response) = try await finish(body)
        #expect(
            sent?.response
                == .init(
                    id: .example(1), rawID: rawID, type: type, clientDataJSON: OctetString([0xff]),
                    authenticatorData: OctetString([0xfb, 0xff]), signature: OctetString([0]),
                    userHandle: handle.map(OctetString.init)))
        #expect(sent?.realm.tenant == TenantID("t1"))
        #expect(
            response.json
                == (try json(
                    #"""
                    {"localId":"alice","idToken":"header.payload.signature","refreshToken":"opaque","expiresIn":"3600",
                     "signals":{"rpId":"auth.example.com","userHandle":"-w","name":"alice@example.com",
                       "displayName":"Alice","allAcceptedCredentialIds":["AQEBAQ"]}}
                    """#)))
        #expect(response.header("X-Latchkey-Device") == String(repeating: "d", count: 64))
    }

    @Test func secondFactorReturnsPendingCredential() async throws {
        let factor = SecondFactor(
            id: FactorID("app"), kind: .totp, displayName: "my phone", enrolledAt: Moment(milliseconds: 0))
        let (_, response) = try await finish(
            #"{"id":"AQ","response":{"clientDataJSON":"_w","authenticatorData":"-_8","signature":"AA"}}"#,
            reply: .init(
                account: .example { $0.passkeys = [.example(1)] },
                secondFactor: .init(pendingCredential: Secret("PC"), factors: [factor], remainingRecoveryCodes: 9)))
        #expect(
            response.json
                == (try json(
                    """
                    {"localId":"alice","mfaPendingCredential":"PC","mfaInfo":[
                    {"mfaEnrollmentId":"app","displayName":"my phone","enrolledAt":"1970-01-01T00:00:00.000Z",
                    "totpInfo":{}}],"recoveryCodesInfo":{"left":9}}
                    """)))
    }

    @Test(arguments: [
        ("null", "MISSING_AUTHENTICATOR_RESPONSE"), ("{}", "MISSING_AUTHENTICATOR_RESPONSE"),
        (#"{"id":"AQ"}"#, "MISSING_AUTHENTICATOR_RESPONSE"),
        (#"{"id":"AQ","response":{}}"#, "MISSING_AUTHENTICATOR_RESPONSE"),
        (
            #"{"id":"","response":{"clientDataJSON":"_w","authenticatorData":"-_8","signature":"AA"}}"#,
            "INVALID_CREDENTIAL_ID"
        ),
        (
            #"{"response":{"clientDataJSON":"_w","authenticatorData":"-_8","signature":"AA"}}"#,
            "INVALID_CREDENTIAL_ID"
        ),
        (#"{"id":"AQ","response":{"clientDataJSON":"_w"}}"#, "INVALID_AUTHENTICATOR_RESPONSE"),
        (
            #"{"id":"AQ","response":{"clientDataJSON":"_w","authenticatorData":"-_8"}}"#,
            "INVALID_AUTHENTICATOR_RESPONSE"
        ),
        (
            #"{"id":"AQ","response":{"clientDataJSON":"_w","authenticatorData":"-_8","signature":"A"}}"#,
            "INVALID_AUTHENTICATOR_RESPONSE"
        ),
        (
            #"{"id":"AQ","response":{"clientDataJSON":"_w","authenticatorData":"-_8","signature":"AA","userHandle":"A"}}"#,
            "INVALID_AUTHENTICATOR_RESPONSE"
        ),
    ])
    func defectiveResponseIsRefused(response: String, code: String) async throws {
        let (sent, result) = try await finish(response)
        #expect((result.status, result.message) == (400, code))
        #expect(sent == nil)
    }
}
