import Contracts
import Testing
import Vocabulary

/// The JSON of identity's operations for action codes.
extension IdentityGoldenTests {
    static let actionCodes = [
        Request(
            Identity.SendActionCode(realm: realm, purpose: .passwordReset, email: "x@example.com"),
            """
            {"client":{},"email":"x@example.com","isByAdministrator":false,"purpose":"passwordReset",\
            "realm":{"project":"p"},"returnsLink":false,"settings":{"androidInstallsApp":false,"isHandledInApp":false}}
            """),
        Request(
            Identity.SendActionCode(
                realm: tenantRealm, purpose: .verifyAndChangeEmail, email: "x@example.com", newEmail: "y@example.com",
                idToken: Secret("i"),
                settings: .init(
                    continueURL: "https://a.example/", isHandledInApp: true, linkDomain: "l.example",
                    dynamicLinkDomain: "d.example", iOSBundleID: "b", iOSAppStoreID: "1", androidPackageName: "n",
                    androidMinimumVersion: "12", androidInstallsApp: true),
                locale: "de", isByAdministrator: true, returnsLink: true, client: client),
            """
            {"client":\(clientJSON),"email":"x@example.com","idToken":"i","isByAdministrator":true,"locale":"de",\
            "newEmail":"y@example.com","purpose":"verifyAndChangeEmail","realm":{"project":"p","tenant":"t"},\
            "returnsLink":true,"settings":{"androidInstallsApp":true,"androidMinimumVersion":"12",\
            "androidPackageName":"n","continueURL":"https://a.example/","dynamicLinkDomain":"d.example",\
            "iOSAppStoreID":"1","iOSBundleID":"b","isHandledInApp":true,"linkDomain":"l.example"}}
            """),
        Request(Identity.ListActionCodes(realm: realm), #"{"realm":{"project":"p"}}"#),
        Request(
            Identity.InspectActionCode(realm: realm, code: Secret("c"), continueURL: "https://a.example/"),
            #"{"code":"c","continueURL":"https://a.example/","realm":{"project":"p"}}"#),
        Request(
            Identity.ResetPassword(
                realm: realm, code: Secret("c"), newPassword: Secret("s"), locale: "de", client: client),
            #"{"client":\#(clientJSON),"code":"c","locale":"de","newPassword":"s","realm":{"project":"p"}}"#),
        Request(
            Identity.ApplyActionCode(realm: realm, code: Secret("c"), locale: "de", client: client),
            #"{"client":\#(clientJSON),"code":"c","locale":"de","realm":{"project":"p"}}"#),
        Request(
            Identity.ApplyActionCode(realm: realm, code: Secret("c"), removesPasskeys: true),
            #"{"client":{},"code":"c","realm":{"project":"p"},"removesPasskeys":true}"#),
        Request(
            Identity.RejectEmailVerification(realm: realm, code: Secret("c"), client: client),
            #"{"client":\#(clientJSON),"code":"c","realm":{"project":"p"}}"#),
        Request(
            Identity.SignInWithEmailLink(
                realm: realm, email: "x@example.com", code: Secret("c"), linkIDToken: Secret("i"), client: client),
            """
            {"client":\(clientJSON),"code":"c","email":"x@example.com","linkIDToken":"i","realm":{"project":"p"}}
            """),
        Request(
            Identity.FindSignInMethods(realm: realm, email: "x@example.com"),
            #"{"email":"x@example.com","realm":{"project":"p"}}"#),
    ]

    @Test(arguments: actionCodes.indices) func actionCodeRequestMatchesGoldenJSON(number: Int) throws {
        try Self.actionCodes[number].expectGolden()
    }

    @Test func actionCodeRepliesMatchGoldenJSON() throws {
        let email = try #require(EmailAddress("x@example.com"))
        try expect(
            Identity.SendActionCode.Reply(email: email, code: Secret("c"), link: Secret("l")),
            is: #"{"code":"c","email":"x@example.com","link":"l"}"#)
        try expect(
            Identity.ListActionCodes.Reply(codes: [
                .init(purpose: .recoverEmail, email: email, newEmail: email, code: Secret("c"), link: Secret("l"))
            ]),
            is: """
                {"codes":[{"code":"c","email":"x@example.com","link":"l","newEmail":"x@example.com",\
                "purpose":"recoverEmail"}]}
                """)
        try expect(
            Identity.InspectActionCode.Reply(
                purpose: .revertSecondFactorAddition, email: email,
                secondFactor: .init(
                    id: FactorID("f"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 6)),
                passwordRequirements: .init(minimumLength: 8, maximumLength: 64), continueURL: "https://a.example/"),
            is: """
                {"continueURL":"https://a.example/","email":"x@example.com","passwordRequirements":{"lowercase":false,\
                "maximumLength":64,"minimumLength":8,"nonAlphanumeric":false,"numeric":false,"uppercase":false},\
                "purpose":"revertSecondFactorAddition","secondFactor":{"enrolledAt":6,"id":"f","kind":{"totp":{}}}}
                """)
        try expect(
            Identity.InspectActionCode.Reply(
                purpose: .verifyEmail, email: email,
                signInMethods: .init(
                    hasPassword: true, hasEmailLink: false, phoneNumber: PhoneNumber("+12025550101"),
                    providers: ["google.com"],
                    passkeys: [.init(name: nil, createdAt: Moment(milliseconds: 6))])),
            is: """
                {"email":"x@example.com","purpose":"verifyEmail","signInMethods":{"hasEmailLink":false,\
                "hasPassword":true,"passkeys":[{"createdAt":6}],"phoneNumber":"+12025550101","providers":["google.com"]}}
                """)
        try expect(
            Identity.InspectActionCode.Reply(
                purpose: .revertPasskeyAddition, email: email,
                passkeys: [
                    .init(name: "n", createdAt: Moment(milliseconds: 6), lastUsedAt: Moment(milliseconds: 7))
                ]),
            is: """
                {"email":"x@example.com","passkeys":[{"createdAt":6,"lastUsedAt":7,"name":"n"}],\
                "purpose":"revertPasskeyAddition"}
                """)
        try expect(
            Identity.InspectActionCode.Reply(
                purpose: .passwordReset, email: email,
                recentProviders: [.init(id: "google.com", linkedAt: Moment(milliseconds: 6))]),
            is: """
                {"email":"x@example.com","purpose":"passwordReset","recentProviders":[{"id":"google.com","linkedAt":6}]}
                """)
        try expect(Identity.ResetPassword.Reply(email: email), is: #"{"email":"x@example.com"}"#)
        try expect(Identity.RejectEmailVerification.Reply(email: email), is: #"{"email":"x@example.com"}"#)
        try expect(
            Identity.ApplyActionCode.Reply(purpose: .verifyAndChangeEmail, account: Self.bareAccount, newEmail: email),
            is: """
                {"account":\(Self.bareAccountJSON),"newEmail":"x@example.com","purpose":"verifyAndChangeEmail"}
                """)
        try expect(
            Identity.SignInWithEmailLink.Reply(account: Self.bareAccount, isNewAccount: true, tokens: Self.tokens),
            is: #"{"account":\#(Self.bareAccountJSON),"isNewAccount":true,"tokens":\#(Self.tokensJSON)}"#)
        try expect(
            Identity.FindSignInMethods.Reply(
                sessionID: "s",
                methods: .init(isRegistered: true, hasPassword: true, hasEmailLink: false, providers: ["g"])),
            is: """
                {"methods":{"hasEmailLink":false,"hasPassword":true,"isRegistered":true,"providers":["g"]},\
                "sessionID":"s"}
                """)
    }
}
