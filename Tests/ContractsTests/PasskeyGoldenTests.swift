import Contracts
import Testing
import Vocabulary

/// The JSON of every request to the passkey service, of every request of that service to identity, and of the replies.
@Suite struct PasskeyGoldenTests {
    typealias Request = IdentityGoldenTests.Request

    private static let realm = Realm(project: ProjectID("p"))
    private static let tenantRealm = Realm(project: ProjectID("p"), tenant: TenantID("t"))
    private static let client = IdentityGoldenTests.client
    private static let clientJSON = IdentityGoldenTests.clientJSON
    private static let account = IdentityGoldenTests.bareAccount
    private static let accountJSON = IdentityGoldenTests.bareAccountJSON
    private static let tokens = IdentityGoldenTests.tokens
    private static let tokensJSON = IdentityGoldenTests.tokensJSON

    static let credentialID: CredentialID = {
        // One byte is a valid length.
        guard let id = CredentialID([0x63]) else { preconditionFailure("a credential ID has 1 to 1023 bytes") }
        return id
    }()

    static let passkey = AccountPasskey(
        credentialID: credentialID, name: "key", relyingPartyID: "example.com", userHandle: OctetString([1, 2, 0xff]),
        aaguid: "2fc0579f-8113-47ea-b116-bb5a8db9202a", isModelVerified: true, isBackedUp: true,
        createdAt: Moment(milliseconds: 3),
        lastUsedAt: Moment(milliseconds: 4))
    static let passkeyJSON = """
        {"aaguid":"2fc0579f-8113-47ea-b116-bb5a8db9202a","createdAt":3,"credentialID":"Yw","isBackedUp":true,\
        "isModelVerified":true,"lastUsedAt":4,"name":"key","relyingPartyID":"example.com","userHandle":"AQL_"}
        """

    // MARK: Configuration

    @Test func enumerationsHaveStableNames() {
        typealias Passkeys = ProjectConfiguration.Passkeys
        #expect(Passkeys.State.allCases.map(\.rawValue) == ["DISABLED", "ENABLED"])
        #expect(Passkeys.UserVerification.allCases.map(\.rawValue) == ["REQUIRED", "PREFERRED"])
        #expect(Passkeys.CounterRegression.allCases.map(\.rawValue) == ["REFUSE", "RECORD"])
        #expect(Passkeys.Conveyance.allCases.map(\.rawValue) == ["NONE", "DIRECT"])
    }

    @Test func configurationMatchesGoldenJSON() throws {
        var app = ProjectConfiguration.Passkeys.AndroidApp()
        app.packageName = "org.example.app"
        app.sha256CertFingerprints = ["14:6D"]
        var attestation = ProjectConfiguration.Passkeys.Attestation()
        attestation.conveyance = .direct
        attestation.requireTrusted = true
        attestation.allowedAaguids = ["a"]
        attestation.deniedAaguids = ["d"]
        var passkeys = ProjectConfiguration.Passkeys()
        try expect(passkeys, is: "{}")
        passkeys.state = .enabled
        passkeys.relyingPartyId = "example.com"
        passkeys.relyingPartyName = "Shop"
        passkeys.origins = ["https://example.com"]
        passkeys.userVerification = .preferred
        passkeys.counterRegression = .record
        passkeys.attestation = attestation
        passkeys.appleApps = ["ABCDE12345.org.example.app"]
        passkeys.androidApps = [app]
        passkeys.enrollUrl = "e"
        passkeys.manageUrl = "m"
        passkeys.offerIntervalDays = 7
        let json = """
            {"androidApps":[{"packageName":"org.example.app","sha256CertFingerprints":["14:6D"]}],\
            "appleApps":["ABCDE12345.org.example.app"],"attestation":{"allowedAaguids":["a"],"conveyance":"DIRECT",\
            "deniedAaguids":["d"],"requireTrusted":true},"counterRegression":"RECORD","enrollUrl":"e",\
            "manageUrl":"m","offerIntervalDays":7,"origins":["https://example.com"],"relyingPartyId":"example.com",\
            "relyingPartyName":"Shop","state":"ENABLED","userVerification":"PREFERRED"}
            """
        try expect(passkeys, is: json)
        var project = ProjectConfiguration()
        project.passkeyConfig = passkeys
        try expect(project, is: #"{"passkeyConfig":\#(json)}"#)
        var tenant = TenantConfiguration()
        tenant.passkeyConfig = passkeys
        try expect(tenant, is: #"{"passkeyConfig":\#(json)}"#)
    }

    // MARK: Passkey service

    @Test func operationsAndDeliveriesAreStable() {
        #expect(
            Passkey.Operation.allCases.map(\.rawValue) == [
                "startEnrollment", "finishEnrollment", "startSignIn", "finishSignIn", "describeRelyingParty",
                "importCredentials", "forgetAccounts",
            ])
        #expect(Passkey.ImportCredentials.retrySemantics == .idempotent)
        #expect(Passkey.Operation.service.rawValue == "passkey")
        #expect(Passkey.StartEnrollment.retrySemantics == .idempotent)
        #expect(Passkey.FinishEnrollment.retrySemantics == .atMostOnce)
        #expect(Passkey.StartSignIn.retrySemantics == .idempotent)
        #expect(Passkey.FinishSignIn.retrySemantics == .atMostOnce)
        #expect(Passkey.DescribeRelyingParty.retrySemantics == .idempotent)
        #expect(Passkey.ForgetAccounts.retrySemantics == .idempotent)
    }

    @Test func importCredentialsMatchesGoldenJSON() throws {
        try expect(
            Passkey.ImportCredentials(
                realm: Self.realm,
                credentials: [
                    .init(
                        accountID: AccountID("a"), passkey: Self.passkey,
                        publicKey: .init(
                            coseKey: OctetString([1]), signCount: 2, isBackupEligible: true, hasVerifiedUser: false,
                            attestationFormat: "none", attestationType: "self", transports: ["usb"]))
                ]),
            is: """
                {"credentials":[{"accountID":"a","passkey":\(Self.passkeyJSON),"publicKey":{"attestationFormat":"none",\
                "attestationType":"self","coseKey":"AQ","hasVerifiedUser":false,"isBackupEligible":true,"signCount":2,\
                "transports":["usb"]}}],"realm":{"project":"p"}}
                """)
        try expect(Passkey.ImportCredentials.Reply(refusedIndices: [3]), is: #"{"refusedIndices":[3]}"#)
    }

    @Test func startEnrollmentMatchesGoldenJSON() throws {
        try expect(
            Passkey.StartEnrollment(realm: Self.realm, idToken: nil),
            is: #"{"isConditional":false,"realm":{"project":"p"}}"#)
        try expect(
            Passkey.StartEnrollment(realm: Self.tenantRealm, idToken: Secret("i"), isConditional: true),
            is: #"{"idToken":"i","isConditional":true,"realm":{"project":"p","tenant":"t"}}"#)
        try expect(
            Passkey.StartEnrollment.Reply(
                relyingPartyID: "example.com", relyingPartyName: "Shop", userHandle: OctetString([1]),
                userName: "x@example.com", userDisplayName: "X", challenge: Secret(OctetString([2])),
                algorithms: [-7, -257], timeoutMilliseconds: 300_000,
                excludedCredentials: [.init(id: Self.credentialID, transports: ["internal"])],
                userVerification: .required, attestation: .none),
            is: """
                {"algorithms":[-7,-257],"attestation":"NONE","challenge":"Ag",\
                "excludedCredentials":[{"id":"Yw","transports":["internal"]}],"relyingPartyID":"example.com",\
                "relyingPartyName":"Shop","timeoutMilliseconds":300000,"userDisplayName":"X","userHandle":"AQ",\
                "userName":"x@example.com","userVerification":"REQUIRED"}
                """)
    }

    @Test func finishEnrollmentMatchesGoldenJSON() throws {
        let short = Passkey.RegistrationResponse(
            id: Self.credentialID, clientDataJSON: OctetString([1]), attestationObject: OctetString([2]))
        try expect(
            Passkey.FinishEnrollment(realm: Self.realm, idToken: nil, response: short),
            is: """
                {"client":{},"realm":{"project":"p"},"response":{"attestationObject":"Ag","clientDataJSON":"AQ",\
                "id":"Yw","transports":[]}}
                """)
        let complete = Passkey.RegistrationResponse(
            id: Self.credentialID, rawID: Self.credentialID, type: "public-key", clientDataJSON: OctetString([1]),
            attestationObject: OctetString([2]), transports: ["usb"])
        try expect(
            Passkey.FinishEnrollment(
                realm: Self.tenantRealm, idToken: Secret("i"), response: complete, name: "key", locale: "de",
                client: Self.client),
            is: """
                {"client":\(Self.clientJSON),"idToken":"i","locale":"de","name":"key",\
                "realm":{"project":"p","tenant":"t"},"response":{"attestationObject":"Ag","clientDataJSON":"AQ",\
                "id":"Yw","rawID":"Yw","transports":["usb"],"type":"public-key"}}
                """)
        try expect(
            Passkey.FinishEnrollment.Reply(account: Self.account, tokens: Self.tokens),
            is: #"{"account":\#(Self.accountJSON),"tokens":\#(Self.tokensJSON)}"#)
    }

    @Test func startSignInMatchesGoldenJSON() throws {
        try expect(Passkey.StartSignIn(realm: Self.realm), is: #"{"realm":{"project":"p"}}"#)
        try expect(
            Passkey.StartSignIn(realm: Self.tenantRealm, idToken: Secret("i"), identifier: "x@example.com"),
            is: #"{"idToken":"i","identifier":"x@example.com","realm":{"project":"p","tenant":"t"}}"#)
        try expect(
            Passkey.StartSignIn.Reply(
                relyingPartyID: "example.com", challenge: Secret(OctetString([2])), timeoutMilliseconds: 300_000,
                userVerification: .preferred, allowedCredentials: [.init(id: Self.credentialID)]),
            is: """
                {"allowedCredentials":[{"id":"Yw","transports":[]}],"challenge":"Ag","relyingPartyID":"example.com",\
                "timeoutMilliseconds":300000,"userVerification":"PREFERRED"}
                """)
    }

    @Test func finishSignInMatchesGoldenJSON() throws {
        let short = Passkey.AuthenticationResponse(
            id: Self.credentialID, clientDataJSON: OctetString([1]), authenticatorData: OctetString([2]),
            signature: OctetString([3]))
        try expect(
            Passkey.FinishSignIn(realm: Self.realm, response: short),
            is: """
                {"client":{},"realm":{"project":"p"},"response":{"authenticatorData":"Ag","clientDataJSON":"AQ",\
                "id":"Yw","signature":"Aw"}}
                """)
        let complete = Passkey.AuthenticationResponse(
            id: Self.credentialID, rawID: Self.credentialID, type: "public-key", clientDataJSON: OctetString([1]),
            authenticatorData: OctetString([2]), signature: OctetString([3]), userHandle: OctetString([4]))
        try expect(
            Passkey.FinishSignIn(realm: Self.tenantRealm, response: complete, client: Self.client),
            is: """
                {"client":\(Self.clientJSON),"realm":{"project":"p","tenant":"t"},"response":{"authenticatorData":"Ag",\
                "clientDataJSON":"AQ","id":"Yw","rawID":"Yw","signature":"Aw","type":"public-key","userHandle":"BA"}}
                """)
    }

    @Test func signInReplyMatchesGoldenJSON() throws {
        try expect(
            Passkey.FinishSignIn.Reply(account: Self.account, tokens: Self.tokens),
            is: #"{"account":\#(Self.accountJSON),"tokens":\#(Self.tokensJSON)}"#)
        let pending = PendingSecondFactor(pendingCredential: Secret("c"), factors: [])
        try expect(
            Passkey.FinishSignIn.Reply(account: Self.account, secondFactor: pending),
            is: #"{"account":\#(Self.accountJSON),"secondFactor":{"factors":[],"pendingCredential":"c"}}"#)
    }

    @Test func describeRelyingPartyMatchesGoldenJSON() throws {
        try expect(
            Passkey.DescribeRelyingParty(realm: Self.tenantRealm), is: #"{"realm":{"project":"p","tenant":"t"}}"#)
        var app = ProjectConfiguration.Passkeys.AndroidApp()
        app.packageName = "org.example.app"
        app.sha256CertFingerprints = ["14:6D"]
        try expect(
            Passkey.DescribeRelyingParty.Reply(
                relyingPartyID: "example.com", relatedOrigins: ["https://example.de"],
                appleApps: ["ABCDE12345.org.example.app"], androidApps: [app], enrollURL: "e", manageURL: "m"),
            is: """
                {"androidApps":[{"packageName":"org.example.app","sha256CertFingerprints":["14:6D"]}],\
                "appleApps":["ABCDE12345.org.example.app"],"enrollURL":"e","manageURL":"m",\
                "relatedOrigins":["https://example.de"],"relyingPartyID":"example.com"}
                """)
    }

    // MARK: Identity

    static let identityRequests = [
        Request(
            Identity.CheckPasskeyEnrollment(realm: tenantRealm, idToken: Secret("i"), stage: .start),
            #"{"idToken":"i","realm":{"project":"p","tenant":"t"},"stage":"start"}"#),
        Request(
            Identity.CheckPasskeyEnrollment(realm: realm, idToken: nil, stage: .finish),
            #"{"realm":{"project":"p"},"stage":"finish"}"#),
        Request(
            Identity.EnrollPasskey(
                realm: tenantRealm, idToken: Secret("i"), passkey: passkey, isUserVerified: true, locale: "de",
                client: client),
            """
            {"client":\(clientJSON),"idToken":"i","isUserVerified":true,"locale":"de","passkey":\(passkeyJSON),\
            "realm":{"project":"p","tenant":"t"}}
            """),
        Request(
            Identity.EnrollPasskey(realm: realm, idToken: nil, passkey: passkey, isUserVerified: false),
            #"{"client":{},"isUserVerified":false,"passkey":\#(passkeyJSON),"realm":{"project":"p"}}"#),
        Request(
            Identity.SignInWithPasskey(
                realm: tenantRealm, accountID: AccountID("a"), credentialID: credentialID, isUserVerified: true,
                isBackedUp: false, client: client),
            """
            {"accountID":"a","client":\(clientJSON),"credentialID":"Yw","isBackedUp":false,"isUserVerified":true,\
            "realm":{"project":"p","tenant":"t"}}
            """),
    ]

    @Test(arguments: identityRequests.indices) func requestToIdentityMatchesGoldenJSON(number: Int) throws {
        try Self.identityRequests[number].expectGolden()
    }

    @Test func repliesOfIdentityMatchGoldenJSON() throws {
        let principal = Principal(
            accountID: AccountID("a"), realm: Self.realm, issuedAt: Timestamp(seconds: 1),
            authenticatedAt: Timestamp(seconds: 2), signInProvider: "passkey", secondFactorID: nil)
        let principalJSON = """
            {"accountID":"a","authenticatedAt":2,"issuedAt":1,"realm":{"project":"p"},"signInProvider":"passkey"}
            """
        try expect(
            Identity.CheckPasskeyEnrollment.Reply(account: Self.account, principal: principal, configuration: nil),
            is: #"{"account":\#(Self.accountJSON),"principal":\#(principalJSON)}"#)
        try expect(
            Identity.CheckPasskeyEnrollment.Reply(account: Self.account, principal: principal, configuration: .init()),
            is: #"{"account":\#(Self.accountJSON),"configuration":{},"principal":\#(principalJSON)}"#)
        try expect(
            Identity.EnrollPasskey.Reply(account: Self.account, tokens: Self.tokens),
            is: #"{"account":\#(Self.accountJSON),"tokens":\#(Self.tokensJSON)}"#)
    }
}
