import Contracts
import Testing
import Vocabulary

/// The JSON of every request to mfa-totp and of every reply.
@Suite struct MFATOTPGoldenTests {
    private static let realm = Realm(project: ProjectID("p"), tenant: TenantID("t"))

    @Test func operationNamesAreStable() {
        #expect(
            MFATOTP.Operation.allCases.map(\.rawValue) == [
                "startEnrollment", "finishEnrollment", "finishSignIn", "importFactors", "forgetAccounts",
                "readBlocks",
            ])
        #expect(MFATOTP.Operation.service.rawValue == "mfa-totp")
        #expect(MFATOTP.StartEnrollment.QRCodeForm.allCases.map(\.rawValue) == ["svg", "text"])
        #expect(MFATOTP.StartEnrollment.retrySemantics == .idempotent)
        #expect(MFATOTP.FinishEnrollment.retrySemantics == .atMostOnce)
        #expect(MFATOTP.FinishSignIn.retrySemantics == .atMostOnce)
        #expect(MFATOTP.ForgetAccounts.retrySemantics == .idempotent)
        #expect(MFATOTP.ImportFactors.retrySemantics == .idempotent)
    }

    @Test func readBlocksMatchesGoldenJSON() throws {
        #expect(MFATOTP.ReadBlocks.retrySemantics == .idempotent)
        try expect(
            MFATOTP.ReadBlocks(realm: Self.realm, accountID: AccountID("a"), factorIDs: [FactorID("f")]),
            is: #"{"accountID":"a","factorIDs":["f"],"realm":{"project":"p","tenant":"t"}}"#)
        try expect(
            MFATOTP.ReadBlocks.Reply(blocks: [
                .init(factorID: FactorID("f"), until: Moment(milliseconds: 7)), .init(until: nil),
            ]), is: #"{"blocks":[{"factorID":"f","until":7},{}]}"#)
    }

    @Test func importFactorsMatchesGoldenJSON() throws {
        try expect(
            MFATOTP.ImportFactors(
                realm: Self.realm,
                factors: [
                    .init(accountID: AccountID("a"), factorID: FactorID("f"), secret: Secret(OctetString([1, 2])))
                ], replacesSecrets: true),
            is: """
                {"factors":[{"accountID":"a","factorID":"f","secret":"AQI"}],"realm":{"project":"p","tenant":"t"},\
                "replacesSecrets":true}
                """)
        try expect(MFATOTP.ImportFactors.Reply(keptIndices: [3]), is: #"{"keptIndices":[3]}"#)
    }

    /// The same for each service that stores something about accounts.
    @Test func forgetAccountsMatchesGoldenJSON() throws {
        let accounts = [DeletedAccount(id: AccountID("a"), deletedAt: Moment(milliseconds: 7))]
        let json = #"{"accounts":[{"deletedAt":7,"id":"a"}],"realm":{"project":"p","tenant":"t"}}"#
        try expect(MFATOTP.ForgetAccounts(realm: Self.realm, accounts: accounts), is: json)
        try expect(Passkey.ForgetAccounts(realm: Self.realm, accounts: accounts), is: json)
        try expect(MFASMS.ForgetAccounts(realm: Self.realm, accounts: accounts), is: json)
    }

    @Test func startEnrollmentMatchesGoldenJSON() throws {
        try expect(
            MFATOTP.StartEnrollment(realm: Realm(project: ProjectID("p")), idToken: nil),
            is: #"{"realm":{"project":"p"}}"#)
        try expect(
            MFATOTP.StartEnrollment(realm: Self.realm, idToken: Secret("i"), qrCode: .svg),
            is: #"{"idToken":"i","qrCode":"svg","realm":{"project":"p","tenant":"t"}}"#)
        try expect(
            MFATOTP.StartEnrollment.Reply(
                sharedSecretKey: Secret("MZXW6YTB"), digits: 6, hashingAlgorithm: "SHA1", periodSeconds: 30,
                sessionInfo: Secret("s"), expiresAt: Moment(milliseconds: 1), keyURI: Secret("otpauth://totp/a"),
                qrCode: Secret("<svg/>")),
            is: """
                {"digits":6,"expiresAt":1,"hashingAlgorithm":"SHA1","keyURI":"otpauth://totp/a","periodSeconds":30,\
                "qrCode":"<svg/>","sessionInfo":"s","sharedSecretKey":"MZXW6YTB"}
                """)
    }

    @Test func finishEnrollmentMatchesGoldenJSON() throws {
        try expect(
            MFATOTP.FinishEnrollment(
                realm: Realm(project: ProjectID("p")), idToken: nil, sessionInfo: nil, code: nil, displayName: nil),
            is: #"{"client":{},"realm":{"project":"p"}}"#)
        try expect(
            MFATOTP.FinishEnrollment(
                realm: Self.realm, idToken: Secret("i"), sessionInfo: Secret("s"), code: Secret("123456"),
                displayName: "app", locale: "de", client: IdentityGoldenTests.client),
            is: """
                {"client":\(IdentityGoldenTests.clientJSON),"code":"123456","displayName":"app","idToken":"i",\
                "locale":"de","realm":{"project":"p","tenant":"t"},"sessionInfo":"s"}
                """)
        try expect(
            MFATOTP.FinishEnrollment.Reply(
                account: IdentityGoldenTests.bareAccount, tokens: IdentityGoldenTests.tokens),
            is: #"{"account":\#(IdentityGoldenTests.bareAccountJSON),"tokens":\#(IdentityGoldenTests.tokensJSON)}"#)
    }

    @Test func finishSignInMatchesGoldenJSON() throws {
        try expect(
            MFATOTP.FinishSignIn(project: ProjectID("p"), pendingCredential: nil, factorID: nil, code: nil),
            is: #"{"client":{},"project":"p"}"#)
        try expect(
            MFATOTP.FinishSignIn(
                project: ProjectID("p"), pendingCredential: Secret("c"), factorID: FactorID("f"),
                code: Secret("123456"),
                client: IdentityGoldenTests.client),
            is: """
                {"client":\(IdentityGoldenTests.clientJSON),"code":"123456","factorID":"f","pendingCredential":"c",\
                "project":"p"}
                """)
        try expect(
            MFATOTP.FinishSignIn.Reply(
                account: IdentityGoldenTests.bareAccount, tokens: IdentityGoldenTests.tokens),
            is: #"{"account":\#(IdentityGoldenTests.bareAccountJSON),"tokens":\#(IdentityGoldenTests.tokensJSON)}"#)
    }
}
