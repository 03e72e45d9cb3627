import HTTPClient
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// An e-mail acknowledged with status 200 arrives once, whatever process fails in between.
    @Suite struct EmailDurabilityTests {
        private static let people = 6

        enum Disturbance: CaseIterable {
            /// The notifier is suspended, and continues later.
            case notifierFrozen
            /// The notifier is killed with its running work.
            case notifierKilled
            /// The notifier is suspended, and identity is killed while it waits for it.
            case identityKilled
        }

        @Test(arguments: MeshEngine.allCases, Disturbance.allCases)
        func everyEmailArrivesOnce(engine: MeshEngine, disturbance: Disturbance) async throws {
            try await withMesh(["--only", "gateway,identity,notifier"], on: engine) { mesh in
                let people = (0..<Self.people).map { _ in TestUser() }
                var tokens: [Tokens] = []
                for person in people { tokens.append(try Tokens(await mesh.client.signUp(person))) }
                try await mesh.suspend("notifier.1")

                // A password reset under e-mail privacy, a verification, and the notice of a changed password, for each
                // user.
                for (person, tokens) in zip(people, tokens) {
                    #expect(try await mesh.client.sendCode("PASSWORD_RESET", ["email": .string(person.email)]) == 200)
                    #expect(
                        try await mesh.client.sendCode("VERIFY_EMAIL", ["idToken": .string(tokens.idToken)]) == 200)
                    let change = try await mesh.client.call(
                        "update", ["idToken": .string(tokens.idToken), "password": .string("new \(person.password)")])
                    #expect(change.status == 200)
                }
                let unregistered = TestUser()
                #expect(try await mesh.client.sendCode("PASSWORD_RESET", ["email": .string(unregistered.email)]) == 200)

                switch disturbance {
                case .notifierFrozen: break
                case .notifierKilled: try await mesh.killAndReplace("notifier.1")
                case .identityKilled: try await mesh.killAndReplace("identity.1")
                }
                if disturbance != .notifierKilled { try mesh.resume("notifier.1") }
                try await mesh.untilReady()

                for person in people {
                    try await eventually("the mails to \(person.email) arrived") {
                        try await mesh.client.inbox(of: person).count >= 3
                    }
                }
                // One more e-mail to each user, after all others: duplicates have arrived by then.
                for person in people {
                    #expect(
                        try await mesh.client.sendCode("EMAIL_SIGNIN", ["email": .string(person.email)]) == 200)
                    try await eventually("the last mail to \(person.email) arrived") {
                        try await mesh.client.inbox(of: person).contains("emailSignIn")
                    }
                    #expect(
                        try await mesh.client.inbox(of: person).sorted() == [
                            "emailSignIn", "passwordChanged", "resetPassword", "verifyEmail",
                        ])
                }
                #expect(try await mesh.client.inbox(of: unregistered).isEmpty)
            }
        }
    }
}

extension MeshClient {
    /// - Returns: the status of the response.
    fileprivate func sendCode(_ type: String, _ fields: [String: JSONValue]) async throws -> Int {
        var fields = fields
        fields["requestType"] = .string(type)
        if type == "EMAIL_SIGNIN" { fields["continueUrl"] = .string("http://localhost/") }
        return try await call("sendOobCode", fields).status
    }

    /// The purposes of the e-mails to a user, as the inbox of dev mode shows them.
    fileprivate func inbox(of person: TestUser) async throws -> [String] {
        let response = try await get("/dev/inbox?to=\(person.email.replacing("@", with: "%40"))")
        guard response.status == 200 else { return [] }
        let page = String(decoding: response.body, as: UTF8.self)
        let purposes = ["emailSignIn", "passwordChanged", "resetPassword", "verifyEmail"]
        return purposes.flatMap { purpose in
            Array(repeating: purpose, count: page.split(separator: ">\(purpose)</span>").count - 1)
        }
    }
}
