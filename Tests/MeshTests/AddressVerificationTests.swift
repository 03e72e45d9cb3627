import Contracts
import HTTPClient
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// A user signs up with the address of another user, whose mailbox gets the verification e-mail.
    @Suite struct AddressVerificationTests {
        @Test(arguments: MeshEngine.allCases)
        func mailboxOwnerRejectsAccountOfAttacker(engine: MeshEngine) async throws {
            try await withMesh(["--only", "gateway,identity,notifier"], on: engine) { mesh in
                let attacker = TestUser()
                let tokens = try Tokens(await mesh.client.signUp(attacker))
                let sent = try await mesh.client.call(
                    "sendOobCode", ["requestType": .string("VERIFY_EMAIL"), "idToken": .string(tokens.idToken)])
                #expect(sent.status == 200)
                let listed = try await mesh.client.get("/emulator/v1/projects/demo-latchkey/oobCodes")
                guard case .array(let codes)? = try listed.json["oobCodes"],
                    case .string(let code)? = codes.first?["oobCode"]
                else { throw RunningMesh.Failure("no code") }

                // Opening the link, once or repeatedly, shows who can sign in and changes nothing.
                let form = "mode=verifyEmail&oobCode=\(code)&apiKey=any&lang=en"
                for _ in 0..<2 {
                    let page = try await mesh.client.get("/__/auth/action?" + form)
                    let text = String(decoding: page.body, as: UTF8.self)
                    #expect(page.status == 200)
                    #expect(text.contains("<li>Password</li>") && text.contains("This was not me"))
                }
                #expect(try await mesh.client.lookUp(tokens.idToken).status == 200)

                let done = try await mesh.client.send(form: form + "&answer=notMe", to: "/__/auth/action")
                #expect(done.status == 200)
                #expect(String(decoding: done.body, as: UTF8.self).contains("The ways to sign in have been removed"))
                #expect(try await mesh.client.signIn(attacker).refusal == "INVALID_LOGIN_CREDENTIALS")
                #expect(try await mesh.client.refresh(tokens.refreshToken).refusal == "TOKEN_EXPIRED")
                let again = try await mesh.client.send(form: form, to: "/__/auth/action")
                #expect(again.status == 400)
            }
        }
    }
}
