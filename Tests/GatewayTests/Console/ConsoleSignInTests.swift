import Contracts
import HTTPServer
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

/// The sign-in of operators.
@Suite struct ConsoleSignInTests {
    private final class Visitor {
        let browser: ConsoleBrowser
        var cookies: [String: String] = [:]

        init() throws {
            browser = try ConsoleBrowser([.init(role: .administrator)])
            let mesh = browser.harness.mesh
            let totp = SecondFactor(
                id: FactorID("f1"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 0))
            mesh.reply(to: Identity.SignInWithPassword.self) { request in
                #expect(request.realm == .operators)
                switch request.password?.reveal() {
                case "right":
                    return .init(
                        account: .example(),
                        secondFactor: .init(pendingCredential: Secret("pending"), factors: [totp]))
                case "passkey":
                    return .init(
                        account: .example(), secondFactor: .init(pendingCredential: Secret("pending"), factors: []))
                case "first": return .init(account: .example(), tokens: .example)
                default: throw ServiceError(.invalidPassword)
                }
            }
            mesh.reply(to: Passkey.StartSignIn.self) { _ in throw ServiceError(.passkeysNotEnabled) }
            mesh.reply(to: Passkey.StartEnrollment.self) { _ in throw ServiceError(.passkeysNotEnabled) }
            mesh.reply(to: Identity.ResolvePendingSignIn.self) { _ in
                .init(
                    accountID: AccountID("ola"), realm: .operators, factors: [totp],
                    startedAt: Moment(milliseconds: 0), verification: .totp(windowSteps: 1))
            }
            mesh.reply(to: MFATOTP.FinishSignIn.self) { request in
                guard request.code == Secret("123456"), request.pendingCredential == Secret("pending") else {
                    throw ServiceError(.invalidCode)
                }
                return .init(account: .example(), tokens: .example)
            }
            mesh.reply(to: Identity.OpenOperatorSession.self) { request in
                .init(token: Secret(request.formerToken == nil ? "new" : "next"))
            }
            mesh.reply(to: Identity.ResetPassword.self) { request in
                guard request.realm == .operators, request.code == Secret("code") else {
                    throw ServiceError(.invalidActionCode)
                }
                if request.newPassword == Secret("weak") { throw ServiceError(.weakPassword) }
                return .init(email: try #require(EmailAddress("ola@example.com")))
            }
        }

        private var cookie: String { cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }

        private func store(_ response: TestResponse) -> TestResponse {
            for field in response.http.headers where field.name == "Set-Cookie" {
                let (name, value) = field.value.halves(at: ";").before.halves(at: "=")
                cookies[String(name)] = value.nilIfEmpty.map(String.init)
                #expect(
                    field.value.contains("; HttpOnly") && field.value.contains("; Secure") && name.hasPrefix("__Host-"))
            }
            return response
        }

        func get(_ path: String, _ query: String? = nil) async throws -> TestResponse {
            store(
                try await browser.harness.send(
                    .get, path, query: query, headers: ["Host": ConsoleBrowser.host, "Cookie": cookie], on: .admin))
        }

        private var token: String {
            var fields = HTTPHeaders()
            fields.append("Cookie", cookie)
            return HostedFlow(in: fields, of: .operators, isSecure: true).token ?? ""
        }

        func post(
            _ path: String, _ fields: [String: String], query: String? = nil, token: String? = nil
        ) async throws -> TestResponse {
            let all = fields.merging([HostedFlow.tokenField: token ?? self.token]) { $1 }
            let body = all.map { "\($0.key)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
            return store(
                try await browser.harness.send(
                    .post, path, query: query,
                    headers: [
                        "Host": ConsoleBrowser.host, "Cookie": cookie, "Sec-Fetch-Site": "same-origin",
                        "Content-Type": "application/x-www-form-urlencoded",
                    ], body: body, on: .admin))
        }
    }

    @Test func passwordAndCodeOpenThePageThatWasWanted() async throws {
        let visitor = try Visitor()
        let query = "to=%2Fconsole%2Fprojects%2Fshop%2Fuser%3Fid%3Dada"
        _ = try await visitor.get("/console/sign-in", query)
        let first = try await visitor.post(
            "/console/sign-in", ["email": "ola@example.com", "password": "right"], query: query)
        #expect(first.status == 303 && first.header("Location")?.hasPrefix("/console/sign-in/code?to=") == true)
        #expect(try await visitor.get("/console/sign-in/code").status == 200)
        #expect(try await visitor.post("/console/sign-in/code", ["code": "000000"]).status == 400)
        let second = try await visitor.post("/console/sign-in/code", ["code": "123 456"], query: query)
        #expect(second.header("Location") == "/console/projects/shop/user?id=ada")
        #expect(visitor.cookies.values.contains("new"))
    }

    /// Before the first sign-in, nothing but a second factor can be added.
    @Test func passwordAloneLeadsToTheAuthenticatorApp() async throws {
        let visitor = try Visitor()
        _ = try await visitor.get("/console/sign-in")
        let first = try await visitor.post("/console/sign-in", ["email": "ola@example.com", "password": "first"])
        #expect(first.header("Location") == "/console/sign-in/factor")
        // Without passkeys there is nothing to choose.
        #expect(try await visitor.get("/console/sign-in/factor").header("Location") == "/console/sign-in/enroll")
        #expect(!visitor.cookies.keys.contains { $0.contains("-session-") })
    }

    // MARK: Passkeys

    private static let assertion = #"""
        {"id":"AQ","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AA","signature":"AA"}}
        """#
    private static let attestation = #"""
        {"id":"AQ","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"AA"}}
        """#

    private func offer(_ id: String, to visitor: Visitor) {
        visitor.browser.harness.mesh.reply(to: Passkey.StartSignIn.self) { request in
            #expect(request == Passkey.StartSignIn(realm: .operators))
            return .init(
                relyingPartyID: id, challenge: Secret(OctetString([1])), timeoutMilliseconds: 1,
                userVerification: .required, allowedCredentials: [])
        }
        visitor.browser.harness.mesh.reply(to: Passkey.StartEnrollment.self) { _ in
            .init(
                relyingPartyID: id, relyingPartyName: "Latchkey console", userHandle: OctetString([1]),
                userName: "ola@example.com", userDisplayName: "ola@example.com", challenge: Secret(OctetString([1])),
                algorithms: [-7], timeoutMilliseconds: 1, excludedCredentials: [], userVerification: .required,
                attestation: .none)
        }
    }

    @Test func passkeyOpensTheConsoleAlone() async throws {
        let visitor = try Visitor()
        offer("127.0.0.1", to: visitor)
        let page = try await visitor.get("/console/sign-in")
        #expect(page.text.contains("id=\"usePasskey\"") && page.text.contains("username webauthn"))
        #expect(page.header("Content-Security-Policy")?.contains("script-src 'self'") == true)
        visitor.browser.harness.mesh.reply(to: Passkey.FinishSignIn.self) { request in
            #expect(request.realm == .operators)
            return .init(account: .example(), tokens: .example)
        }
        let done = try await visitor.post("/console/sign-in/passkey", ["response": Self.assertion])
        #expect(done.header("Location") == "/console" && visitor.cookies.values.contains("new"))
    }

    @Test func refusedPasskeyIsASentenceOnThePage() async throws {
        let visitor = try Visitor()
        offer("127.0.0.1", to: visitor)
        _ = try await visitor.get("/console/sign-in")
        visitor.browser.harness.mesh.reply(to: Passkey.FinishSignIn.self) { _ in throw ServiceError(.passkeyNotFound) }
        #expect(try await visitor.post("/console/sign-in/passkey", ["response": Self.assertion]).status == 400)
        #expect(try await visitor.post("/console/sign-in/passkey", ["response": "{}"]).status == 400)
        #expect(try await visitor.post("/console/sign-in/passkey", [:], token: "other").status == 403)
        #expect(!visitor.cookies.keys.contains { $0.contains("-session-") })
    }

    /// Browsers use no passkey at an IP address.
    @Test func addressThatNeedsAnotherHostIsNamed() async throws {
        let visitor = try Visitor()
        offer("localhost", to: visitor)
        let page = try await visitor.get("/console/sign-in")
        #expect(page.text.contains("http://localhost:9098/console") && !page.text.contains("usePasskey"))
    }

    @Test func passwordOfAnOperatorWithAPasskeyAddsNothing() async throws {
        let visitor = try Visitor()
        _ = try await visitor.get("/console/sign-in")
        let refused = try await visitor.post("/console/sign-in", ["email": "ola@example.com", "password": "passkey"])
        #expect(refused.status == 400 && refused.text.contains("signs in with a passkey"))
        #expect(try await visitor.get("/console/sign-in/factor").header("Location") == "/console/sign-in")
        #expect(try await visitor.get("/console/sign-in/enroll").header("Location") == "/console/sign-in")
    }

    /// The first passkey is added with the password alone, so the sign-in with it follows.
    @Test func firstPasskeyLeadsToTheSignInWithIt() async throws {
        let visitor = try Visitor()
        offer("127.0.0.1", to: visitor)
        _ = try await visitor.get("/console/sign-in")
        _ = try await visitor.post("/console/sign-in", ["email": "ola@example.com", "password": "first"])
        #expect(try await visitor.get("/console/sign-in/factor").text.contains("addPasskey"))
        visitor.browser.harness.mesh.reply(to: Passkey.FinishEnrollment.self) { request in
            #expect(request.realm == .operators && request.name == "Phone")
            return .init(account: .example(), tokens: .example)
        }
        visitor.browser.harness.mesh.reply(to: Identity.OpenOperatorSession.self) { _ in
            throw ServiceError(.secondFactorRequired)
        }
        let added = try await visitor.post(
            "/console/sign-in/factor", ["response": Self.attestation, "name": "Phone"])
        #expect(added.header("Location") == "/console/sign-in?added=1")
        #expect(try await visitor.get("/console/sign-in", "added=1").text.contains("Sign in with it now"))
        #expect(try await visitor.get("/console/sign-in/factor").header("Location") == "/console/sign-in")
    }

    /// To add a factor, both are verified again.
    @Test func factorIsAddedAfterBothFactors() async throws {
        let visitor = try Visitor()
        let query = "to=%2Fconsole%2Fpasskeys%2Fadd"
        _ = try await visitor.get("/console/sign-in", query)
        _ = try await visitor.post("/console/sign-in", ["email": "o@example.com", "password": "right"], query: query)
        let response = try await visitor.post("/console/sign-in/code", ["code": "123456"], query: query)
        #expect(response.header("Location") == "/console/sign-in/factor?to=%2Fconsole%2Fpasskeys")
        #expect(!visitor.cookies.values.contains("new"))
    }

    @Test func wrongPasswordHasOneSentence() async throws {
        let visitor = try Visitor()
        _ = try await visitor.get("/console/sign-in")
        let response = try await visitor.post("/console/sign-in", ["email": "eve@example.com", "password": "wrong"])
        #expect(response.status == 400)
    }

    @Test(arguments: [
        "https://evil.example/console", "//evil.example/console", "/console/../x", "/consoles", "/console\\x", "",
    ]) func signInLeadsToPagesOfTheConsoleOnly(target: String) async throws {
        let visitor = try Visitor()
        let query = "to=\(PercentEncoding.encoded(target))"
        _ = try await visitor.get("/console/sign-in", query)
        _ = try await visitor.post("/console/sign-in", ["email": "o@example.com", "password": "right"], query: query)
        let response = try await visitor.post("/console/sign-in/code", ["code": "123456"], query: query)
        #expect(response.header("Location") == "/console")
    }

    /// Whoever prepares a browser with a cookie or a form gains nothing: each step has another token, and the session is new.
    @Test func formsOfAnotherVisitAreRefused() async throws {
        let visitor = try Visitor()
        _ = try await visitor.get("/console/sign-in")
        for path in ["/console/sign-in", "/console/sign-in/code", "/console/sign-in/enroll", "/console/welcome"] {
            #expect(try await visitor.post(path, [:], token: "other").status == 403)
        }
    }

    /// The link is only redeemed by the form: programs that follow links change nothing.
    @Test func linkOfANewOperatorSetsThePasswordOnce() async throws {
        let visitor = try Visitor()
        let page = try await visitor.get("/console/welcome", "code=code")
        #expect(page.status == 200 && page.text.contains(#"name="code" value="code""#))
        #expect(try await visitor.post("/console/welcome", ["code": "code", "password": "weak"]).status == 400)
        let done = try await visitor.post("/console/welcome", ["code": "code", "password": "long enough"])
        #expect(done.header("Location") == "/console/sign-in")
        #expect(try await visitor.post("/console/welcome", ["code": "used", "password": "long"]).status != 303)
    }
}
