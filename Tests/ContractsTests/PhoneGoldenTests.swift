import Contracts
import Testing
import Vocabulary

/// The JSON of the requests to identity and mfa-sms about phones, and of their replies.
@Suite struct PhoneGoldenTests {
    private static let project = ProjectID("p")
    private static let realm = IdentityGoldenTests.realm
    private static let client = IdentityGoldenTests.client
    private static let clientJSON = IdentityGoldenTests.clientJSON
    private static let number = PhoneNumber("+41790000000")!
    private static let credential = MFASMS.AppCredential(
        deviceReceipt: "r", deviceSecret: Secret("s"), recaptchaToken: Secret("t"), captchaResponse: Secret("c"),
        playIntegrityToken: Secret("p"), safetyNetToken: Secret("n"), clientType: .ios, bundleID: "b")
    private static let credentialJSON = """
        {"bundleID":"b","captchaResponse":"c","clientType":"CLIENT_TYPE_IOS","deviceReceipt":"r","deviceSecret":"s",\
        "playIntegrityToken":"p","recaptchaToken":"t","safetyNetToken":"n"}
        """

    // MARK: Identity

    static let identityRequests = [
        IdentityGoldenTests.Request(
            Identity.CheckPhoneSignIn(realm: realm, phoneNumber: number),
            #"{"phoneNumber":"+41790000000","realm":{"project":"p"}}"#),
        IdentityGoldenTests.Request(
            Identity.CheckPhoneSignIn(realm: realm, phoneNumber: number, concealsAccount: true),
            #"{"concealsAccount":true,"phoneNumber":"+41790000000","realm":{"project":"p"}}"#),
        IdentityGoldenTests.Request(
            Identity.CheckPhoneSignIn(realm: realm, phoneNumber: number, idToken: Secret("i")),
            #"{"idToken":"i","phoneNumber":"+41790000000","realm":{"project":"p"}}"#),
        IdentityGoldenTests.Request(
            Identity.SignInWithPhone(
                realm: realm, phoneNumber: number, intent: .link, idToken: Secret("i"), client: client),
            """
            {"client":\(clientJSON),"idToken":"i","intent":"link","phoneNumber":"+41790000000",\
            "realm":{"project":"p"}}
            """),
        IdentityGoldenTests.Request(
            Identity.SignInWithPhone(realm: realm, phoneNumber: number, intent: .signUpOrIn),
            #"{"client":{},"intent":"signUpOrIn","phoneNumber":"+41790000000","realm":{"project":"p"}}"#),
        IdentityGoldenTests.Request(
            Identity.SignInWithTemporaryProof(
                realm: realm, phoneNumber: "+41790000000", temporaryProof: Secret("t"), intent: .update,
                idToken: Secret("i"), client: client),
            """
            {"client":\(clientJSON),"idToken":"i","intent":"update","phoneNumber":"+41790000000",\
            "realm":{"project":"p"},"temporaryProof":"t"}
            """),
        IdentityGoldenTests.Request(
            Identity.SignInWithTemporaryProof(
                realm: realm, phoneNumber: nil, temporaryProof: nil, intent: .reauthenticate),
            #"{"client":{},"intent":"reauthenticate","realm":{"project":"p"}}"#),
    ]

    @Test(arguments: identityRequests.indices) func identityRequestMatchesGoldenJSON(number: Int) throws {
        try Self.identityRequests[number].expectGolden()
    }

    @Test func identityReplyMatchesGoldenJSON() throws {
        try expect(
            Identity.PhoneSignInReply(
                session: .init(
                    account: IdentityGoldenTests.bareAccount, tokens: IdentityGoldenTests.tokens, isNewAccount: true)),
            is: """
                {"session":{"account":\(IdentityGoldenTests.bareAccountJSON),"isNewAccount":true,\
                "tokens":\(IdentityGoldenTests.tokensJSON)}}
                """)
        try expect(
            Identity.PhoneSignInReply(
                pending: .init(
                    account: IdentityGoldenTests.bareAccount,
                    secondFactor: .init(pendingCredential: Secret("c"), factors: [], remainingRecoveryCodes: 3))),
            is: """
                {"pending":{"account":\(IdentityGoldenTests.bareAccountJSON),"secondFactor":{"factors":[],\
                "pendingCredential":"c","remainingRecoveryCodes":3}}}
                """)
        try expect(
            Identity.PhoneSignInReply(
                conflict: .init(phoneNumber: Self.number, temporaryProof: Secret("t"), expiresInSeconds: 3600)),
            is: #"{"conflict":{"expiresInSeconds":3600,"phoneNumber":"+41790000000","temporaryProof":"t"}}"#)
    }

    // MARK: mfa-sms

    struct Request: Sendable {
        let operation: MFASMS.Operation
        let retrySemantics: RetrySemantics
        let expectGolden: @Sendable () throws -> Void

        init<R: BusRequest>(
            _ request: R, _ json: String, sourceLocation: SourceLocation = #_sourceLocation
        ) where R.Operation == MFASMS.Operation {
            operation = R.operation
            retrySemantics = R.retrySemantics
            expectGolden = { try expect(request, is: json, sourceLocation: sourceLocation) }
        }
    }

    static let requests = [
        Request(
            MFASMS.StartPhoneSignIn(
                realm: realm, phoneNumber: "+41790000000", appCredential: credential, locale: "de", client: client),
            """
            {"appCredential":\(credentialJSON),"client":\(clientJSON),"locale":"de","phoneNumber":"+41790000000",\
            "realm":{"project":"p"}}
            """),
        Request(
            MFASMS.StartPhoneSignIn(
                realm: realm, phoneNumber: nil, idToken: Secret("i"), appCredential: .init()),
            #"{"appCredential":{},"client":{},"idToken":"i","realm":{"project":"p"}}"#),
        Request(
            MFASMS.StartPhoneSignIn(
                realm: realm, phoneNumber: nil, concealsAccount: true, appCredential: .init()),
            #"{"appCredential":{},"client":{},"concealsAccount":true,"realm":{"project":"p"}}"#),
        Request(
            MFASMS.StartPhoneSignIn(realm: realm, phoneNumber: nil, appCredential: .init()),
            #"{"appCredential":{},"client":{},"realm":{"project":"p"}}"#),
        Request(
            MFASMS.FinishPhoneSignIn(
                realm: realm, sessionInfo: Secret("s"), code: Secret("123456"), intent: .reauthenticate,
                idToken: Secret("i"), client: client),
            """
            {"client":\(clientJSON),"code":"123456","idToken":"i","intent":"reauthenticate",\
            "realm":{"project":"p"},"sessionInfo":"s"}
            """),
        Request(
            MFASMS.FinishPhoneSignIn(realm: realm, sessionInfo: nil, code: nil, intent: .signUpOrIn),
            #"{"client":{},"intent":"signUpOrIn","realm":{"project":"p"}}"#),
        Request(
            MFASMS.StartEnrollment(
                realm: realm, idToken: Secret("i"), phoneNumber: "+41790000000", appCredential: credential,
                locale: "de",
                client: client),
            """
            {"appCredential":\(credentialJSON),"client":\(clientJSON),"idToken":"i","locale":"de",\
            "phoneNumber":"+41790000000","realm":{"project":"p"}}
            """),
        Request(
            MFASMS.FinishEnrollment(
                realm: realm, idToken: Secret("i"), sessionInfo: Secret("s"), code: Secret("123456"),
                displayName: "mine", locale: "de", client: client),
            """
            {"client":\(clientJSON),"code":"123456","displayName":"mine","idToken":"i","locale":"de",\
            "realm":{"project":"p"},"sessionInfo":"s"}
            """),
        Request(
            MFASMS.StartSignIn(
                project: project, pendingCredential: Secret("c"), factorID: FactorID("f"), appCredential: credential,
                locale: "de", client: client),
            """
            {"appCredential":\(credentialJSON),"client":\(clientJSON),"factorID":"f","locale":"de",\
            "pendingCredential":"c","project":"p"}
            """),
        Request(
            MFASMS.FinishSignIn(
                project: project, pendingCredential: Secret("c"), sessionInfo: Secret("s"), code: Secret("123456"),
                client: client),
            """
            {"client":\(clientJSON),"code":"123456","pendingCredential":"c","project":"p","sessionInfo":"s"}
            """),
        Request(
            MFASMS.StartPushVerification(
                project: project, deviceToken: Secret("AB"), isSandbox: true, bundleID: "b", client: client),
            #"{"bundleID":"b","client":\#(clientJSON),"deviceToken":"AB","isSandbox":true,"project":"p"}"#),
        Request(
            MFASMS.StartWebChallenge(project: project, client: client),
            #"{"client":\#(clientJSON),"project":"p"}"#),
        Request(
            MFASMS.FinishWebChallenge(
                project: project, challenge: Secret("c"), answer: "7", recaptchaToken: Secret("t"), client: client),
            #"{"answer":"7","challenge":"c","client":\#(clientJSON),"project":"p","recaptchaToken":"t"}"#),
        Request(MFASMS.ListCodes(realm: realm), #"{"realm":{"project":"p"}}"#),
        Request(MFASMS.ReadSendingStatus(project: project), #"{"project":"p"}"#),
        Request(
            MFASMS.ReadBlocks(realm: realm, accountID: AccountID("a"), phoneNumber: nil, factors: []),
            #"{"accountID":"a","factors":[],"realm":{"project":"p"}}"#),
        Request(MFASMS.ForgetAccounts(realm: realm, accounts: []), #"{"accounts":[],"realm":{"project":"p"}}"#),
    ]

    @Test(arguments: requests.indices) func mfaSMSRequestMatchesGoldenJSON(number: Int) throws {
        try Self.requests[number].expectGolden()
    }

    @Test func everyOperationHasGoldenJSON() {
        #expect(Set(Self.requests.map(\.operation)) == Set(MFASMS.Operation.allCases))
    }

    @Test func mfaSMSReplyMatchesGoldenJSON() throws {
        let (account, accountJSON) = (IdentityGoldenTests.bareAccount, IdentityGoldenTests.bareAccountJSON)
        let (tokens, tokensJSON) = (IdentityGoldenTests.tokens, IdentityGoldenTests.tokensJSON)
        try expect(MFASMS.SentCode(sessionInfo: Secret("s")), is: #"{"sessionInfo":"s"}"#)
        try expect(
            MFASMS.FinishEnrollment.Reply(account: account, tokens: tokens, phoneNumber: Self.number),
            is: #"{"account":\#(accountJSON),"phoneNumber":"+41790000000","tokens":\#(tokensJSON)}"#)
        try expect(
            MFASMS.FinishSignIn.Reply(account: account, tokens: tokens, phoneNumber: Self.number),
            is: #"{"account":\#(accountJSON),"phoneNumber":"+41790000000","tokens":\#(tokensJSON)}"#)
        try expect(
            MFASMS.StartPushVerification.Reply(receipt: "r", timeoutSeconds: 5),
            is: #"{"receipt":"r","timeoutSeconds":5}"#)
        try expect(
            MFASMS.StartWebChallenge.Reply(challenge: Secret("c"), difficultyBits: 20),
            is: #"{"challenge":"c","difficultyBits":20}"#)
        try expect(MFASMS.FinishWebChallenge.Reply(token: Secret("t")), is: #"{"token":"t"}"#)
        try expect(
            MFASMS.ListCodes.Reply(codes: [
                .init(phoneNumber: Self.number, code: Secret("012345"), sessionInfo: Secret("s"))
            ]),
            is: #"{"codes":[{"code":"012345","phoneNumber":"+41790000000","sessionInfo":"s"}]}"#)
        try expect(
            MFASMS.ReadSendingStatus.Reply(
                spentThisHourMicros: 1, spentThisDayMicros: 2, budgetPerHourMicros: 3, budgetPerDayMicros: nil,
                sentThisDay: 4, verifiedThisDay: 5,
                blockedPrefixes: [.init(prefix: "+4179000", blockedUntil: Moment(milliseconds: 6))]),
            is: """
                {"blockedPrefixes":[{"blockedUntil":6,"prefix":"+4179000"}],"budgetPerHourMicros":3,"sentThisDay":4,\
                "spentThisDayMicros":2,"spentThisHourMicros":1,"verifiedThisDay":5}
                """)
    }

    // MARK: Names and retry semantics

    @Test func operationNamesAreStable() {
        #expect(
            MFASMS.Operation.allCases.map(\.rawValue) == [
                "startPhoneSignIn", "finishPhoneSignIn", "startEnrollment", "finishEnrollment", "startSignIn",
                "finishSignIn",
                "startPushVerification", "startWebChallenge", "finishWebChallenge", "listCodes", "readSendingStatus",
                "readBlocks", "forgetAccounts",
            ])
        #expect(MFASMS.Operation.service == .mfaSMS)
        #expect(
            Identity.PhoneIntent.allCases.map(\.rawValue) == ["signUpOrIn", "reauthenticate", "update", "link"])
        #expect(
            MFASMS.AppCredential.ClientType.allCases.map(\.rawValue) == [
                "CLIENT_TYPE_WEB", "CLIENT_TYPE_ANDROID", "CLIENT_TYPE_IOS",
            ])
    }

    /// What costs money, or is counted, is never sent again by the mesh.
    @Test(arguments: requests) func eachRequestHasItsRetrySemantics(request: Request) {
        let expected: RetrySemantics =
            switch request.operation {
            case .startWebChallenge, .listCodes, .readSendingStatus, .readBlocks, .forgetAccounts: .idempotent
            case .startPhoneSignIn, .finishPhoneSignIn, .startEnrollment, .finishEnrollment, .startSignIn,
                .finishSignIn,
                .startPushVerification, .finishWebChallenge:
                .atMostOnce
            }
        #expect(request.retrySemantics == expected)
    }
}
