import Contracts
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The pages of ceremonies: passkeys, codes by e-mail and text message, and the enrollment of second factors.
extension PageSnapshotTests {
    private typealias Pages = HostedSignInPages

    private static let number = "+12025550123"
    /// Of the challenge before a text message.
    private static let proof = ["challenge": "c", "answer": "a"]

    /// The tokens of a session that permits one thing.
    private static func tokens(_ claim: String) -> TokenSet {
        let claims = Base64URL.encode(Array(#"{"firebase":{"\#(claim)":true}}"#.utf8))
        return TokenSet(
            idToken: Secret("e30.\(claims).c2ln"), refreshToken: Secret(claim), expiresInSeconds: 900)
    }
    private static let enrollment = "second_factor_required"
    private static let restoration = "deletion_scheduled"

    /// A browser in which each code but 123456 is wrong.
    private static func ceremonyBrowser() throws -> HostedBrowser {
        let browser = try browser()
        let mesh = browser.harness.mesh
        mesh.reply(to: Identity.ResolveConfiguration.self) { _ in
            var configuration = ProjectConfiguration()
            configuration.authorizedDomains = ["auth.example.org", "app.example.org"]
            configuration.signIn = .init()
            configuration.signIn?.email = .init()
            configuration.signIn?.email?.enabled = true
            configuration.signIn?.emailCode = .init()
            configuration.signIn?.emailCode?.enabled = true
            configuration.signIn?.phoneNumber = .init()
            configuration.signIn?.phoneNumber?.enabled = true
            configuration.mfa = .init()
            configuration.mfa?.state = .mandatory
            return .init(configuration: configuration, projectNumber: "1", isDisabled: false)
        }
        mesh.reply(to: Identity.RefreshSession.self) { request in
            let name = request.refreshToken?.reveal() ?? ""
            let known = name == "refresh" ? HostedBrowser.tokens : tokens(name)
            return .init(accountID: HostedBrowser.account.id, projectNumber: "1", tokens: known)
        }
        let isRight: @Sendable (Secret<String>?) throws -> Void = { code in
            guard code == Secret("123456") else { throw ServiceError(.invalidCode) }
        }
        let isNumber: @Sendable (String?) throws -> MFASMS.SentCode = { text in
            guard text == number else { throw ServiceError(.invalidPhoneNumber) }
            return .init(sessionInfo: Secret("s"))
        }
        mesh.reply(to: Identity.SendEmailCode.self) { _ in .init(sessionInfo: Secret("s")) }
        mesh.reply(to: Identity.SignInWithEmailCode.self) { _ in throw ServiceError(.invalidCode) }
        mesh.reply(to: MFASMS.StartWebChallenge.self) { _ in .init(challenge: Secret("c"), difficultyBits: 1) }
        mesh.reply(to: MFASMS.FinishWebChallenge.self) { _ in .init(token: Secret("t")) }
        mesh.reply(to: MFASMS.StartPhoneSignIn.self) { try isNumber($0.phoneNumber) }
        mesh.reply(to: MFASMS.FinishPhoneSignIn.self) { _ in throw ServiceError(.invalidCode) }
        mesh.reply(to: MFASMS.StartSignIn.self) { _ in .init(sessionInfo: Secret("s")) }
        mesh.reply(to: MFASMS.StartEnrollment.self) { try isNumber($0.phoneNumber) }
        mesh.reply(to: MFASMS.FinishEnrollment.self) { request in
            try isRight(request.code)
            return .init(
                account: HostedBrowser.account, tokens: HostedBrowser.tokens,
                phoneNumber: try #require(PhoneNumber(number)))
        }
        mesh.reply(to: MFATOTP.StartEnrollment.self) { _ in
            .init(
                sharedSecretKey: Secret("ABCDEFGH"), digits: 6, hashingAlgorithm: "SHA1", periodSeconds: 30,
                sessionInfo: Secret("totp"), expiresAt: moment, keyURI: Secret("otpauth://totp/a"),
                qrCode: Secret("<svg></svg>"))
        }
        mesh.reply(to: MFATOTP.FinishEnrollment.self) { _ in throw ServiceError(.invalidCode) }
        mesh.reply(to: Identity.GenerateRecoveryCodes.self) { _ in .init(codes: [Secret("fanr-vqqw-ewhm")]) }
        mesh.reply(to: Passkey.FinishSignIn.self) { _ in throw ServiceError(.passkeyNotFound) }
        mesh.reply(to: Passkey.StartEnrollment.self) { _ in
            .init(
                relyingPartyID: "auth.example.org", relyingPartyName: "Shop", userHandle: OctetString([1]),
                userName: "ada", userDisplayName: "Ada", challenge: Secret(OctetString([2])), algorithms: [-7],
                timeoutMilliseconds: 1000, excludedCredentials: [], userVerification: .required, attestation: .none)
        }
        mesh.reply(to: Passkey.FinishEnrollment.self) { _ in throw ServiceError(.invalidAuthenticatorResponse) }
        return browser
    }

    /// The pages that a browser is shown, one after the other.
    private final class Walk {
        let browser: HostedBrowser
        let query: String
        var shown: [Shown] = []

        init(_ language: Language) throws {
            browser = try ceremonyBrowser()
            query = "apiKey=k&hl=\(language.rawValue)"
        }

        func get(_ name: String?, _ path: String = Pages.path, _ step: HostedStep? = nil) async throws {
            let response = try await browser.get(path, query + (step.map { "&step=\($0.rawValue)" } ?? ""))
            if let name { shown.append(Shown(name: name, response: response)) }
        }

        /// A page of the sign-in.
        func get(_ name: String, _ step: HostedStep) async throws { try await get(name, Pages.path, step) }

        func post(_ name: String?, _ path: String, _ fields: [String: String] = [:]) async throws {
            let response = try await browser.post(path, fields, query: query)
            if let name { shown.append(Shown(name: name, response: response)) }
        }
    }

    /// The first factors.
    static func firstFactorPages(_ language: Language) async throws -> [Shown] {
        let walk = try Walk(language)
        try await walk.get("sign-in with an address or a number")
        try await walk.post("check before a text message", Pages.phonePath, ["number": number])
        try await walk.get("number", .phone)
        try await walk.post("number refused", Pages.phonePath, proof.merging(["number": "555"]) { $1 })
        try await walk.post(nil, Pages.phonePath, proof.merging(["number": number]) { $1 })
        try await walk.get("code of a text message", .phoneCode)
        try await walk.post("code of a text message refused", Pages.phoneCodePath, ["code": "000000"])
        try await walk.post(nil, Pages.path, ["email": "ada@example.com"])
        try await walk.post(nil, Pages.emailPath, ["purpose": "code"])
        try await walk.get("code of an e-mail", .emailCode)
        try await walk.post("code of an e-mail refused", Pages.emailCodePath, ["code": "000000"])
        let response = #"{"clientDataJSON":"AQ","authenticatorData":"AQ","signature":"AQ"}"#
        try await walk.post(
            "passkey refused", Pages.passkeyPath,
            ["response": #"{"id":"AQ","type":"public-key","response":\#(response)}"#])
        reply(walk.browser.harness.mesh, HostedBrowser.account, HostedBrowser.tokens)
        try await walk.post(nil, Pages.path, ["email": "ada@example.com", "passkeys": "1"])
        try await walk.post(nil, Pages.passwordPath, ["password": "right"])
        try await walk.get("offer of a passkey", .addPasskey)
        let script = PasskeyView(language: language, apiKey: "k", tenantID: nil, hasPasswordForm: true)
        return walk.shown + [Shown(name: "page of passkeys", response: TestResponse(script.page.response))]
    }

    /// The second factors of a sign-in, and their enrollment.
    static func secondFactorPages(_ language: Language) async throws -> [Shown] {
        let walk = try Walk(language)
        let mesh = walk.browser.harness.mesh
        let sms = SecondFactor(
            id: FactorID("sms"), kind: .phone(try #require(PhoneNumber(number))), displayName: nil, enrolledAt: moment)
        mesh.reply(to: Identity.ResolvePendingSignIn.self) { _ in
            .init(
                accountID: HostedBrowser.account.id, realm: HostedBrowser.account.realm,
                factors: HostedBrowser.factors + [sms], startedAt: moment, verification: .totp(windowSteps: 1))
        }
        mesh.reply(to: MFASMS.FinishSignIn.self) { _ in throw ServiceError(.invalidCode) }
        try await walk.get(nil)
        try await walk.post(nil, Pages.path, ["email": "ada@example.com"])
        try await walk.post(nil, Pages.passwordPath, ["password": "second"])
        try await walk.get("choice of a second factor", .secondFactor)
        try await walk.post(nil, Pages.factorPath, proof.merging(["factor": "sms"]) { $1 })
        try await walk.get("second factor: text message", .code)
        try await walk.post("second factor: text message refused", Pages.codePath, ["code": "000000"])

        var account = HostedBrowser.account
        account.emailVerified = false
        reply(mesh, account, tokens(enrollment))
        try await walk.post(nil, Pages.path, ["email": "ada@example.com"])
        try await walk.post(nil, Pages.passwordPath, ["password": "right"])
        try await walk.get("enrollment: address", .enroll)
        try await walk.post(nil, Pages.enrollEmailPath)
        try await walk.get("enrollment: code of the address", .enroll)
        account.emailVerified = true
        reply(mesh, account, tokens(enrollment))
        try await walk.get("enrollment: authenticator app", .enroll)
        try await walk.post("enrollment: authenticator app refused", Pages.enrollPath, ["code": "000000"])
        try await walk.get("enrollment: number", .enrollPhone)
        try await walk.post(nil, Pages.enrollPhonePath, proof.merging(["number": number]) { $1 })
        try await walk.get("enrollment: text message", .enrollPhoneCode)
        try await walk.post("enrollment: recovery codes", Pages.enrollPhoneCodePath, ["code": "123456"])
        return walk.shown
    }

    /// A sign-in to an account that is to be deleted.
    static func restorationPages(_ language: Language) async throws -> [Shown] {
        let walk = try Walk(language)
        var account = HostedBrowser.account
        account.deletionDueAt = moment
        reply(walk.browser.harness.mesh, account, tokens(restoration))
        try await walk.get(nil)
        try await walk.post(nil, Pages.path, ["email": "ada@example.com"])
        try await walk.post(nil, Pages.passwordPath, ["password": "right"])
        try await walk.get("restoration", .restore)
        return walk.shown
    }

    /// The same ceremonies on the account page.
    static func accountCeremonyPages(_ language: Language) async throws -> [Shown] {
        let walk = try Walk(language)
        keepSession(in: walk.browser)
        try await walk.get("account: authenticator app", AccountPages.authenticatorPath)
        try await walk.post(
            "account: authenticator app refused", AccountPages.authenticatorPath,
            ["session": "totp", "code": "000000"])
        try await walk.post("account: new recovery codes", AccountPages.recoveryCodesPath)
        try await walk.get("account: new passkey", AccountPages.passkeyPath)
        for task in AccountPages.PhoneTask.allCases {
            try await walk.get("account: number, \(task)", task.path)
            try await walk.post(nil, task.path, proof.merging(["number": number]) { $1 })
            try await walk.get("account: code of the number, \(task)", task.codePath)
        }
        return walk.shown
    }

    private static func reply(_ mesh: ScriptedMesh, _ account: Account, _ tokens: TokenSet) {
        mesh.reply(to: Identity.LookUpOwnAccount.self) { _ in .init(account: account) }
        mesh.reply(to: Identity.SignInWithPassword.self) { _ in .init(account: account, tokens: tokens) }
    }
}
