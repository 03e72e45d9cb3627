import Contracts
import Foundation
import HTTPClient
import JSON
import LatchkeyAuth
import TestSupport
import Testing
import Vocabulary

extension MeshTests {
    /// What is left of an account that used everything, in the databases of all services.
    @Suite struct AccountDeletionTests {
        private static let owner = [(name: "Authorization", value: "Bearer owner")]
        private static let project = "/identitytoolkit.googleapis.com/v1/projects/demo-latchkey"
        /// With a domain of its own: masked recipients of the delivery history keep the domain.
        private static let email = "okapi.quagga@zoo-of-the-test.example"
        private static let number = "+15555550147"

        @Test func deletionLeavesNothingThatWasSaidAboutThePerson() async throws {
            try await withMesh(["--emulator-tokens"]) { mesh in
                try await configure(mesh)
                let person = try await enroll(mesh)
                // The search finds what is there: in these services, some of it is stored as it was said.
                let before = try await backup(mesh, named: "before")
                for text in person.said where text != person.credentialID {
                    #expect(occurrences(of: text, in: before) == ["identity.sqlite"], "\(text)")
                }
                #expect(
                    occurrences(of: person.credentialID, in: before) == ["identity.sqlite", "passkey.sqlite"])
                #expect(
                    occurrences(of: Array(person.accountID.utf8), in: before).isSuperset(
                        of: ["identity.sqlite", "mfa-sms.sqlite", "mfa-totp.sqlite", "passkey.sqlite"]))

                let deleted = try await mesh.client.send(
                    .post, Self.project + "/accounts:delete", .object(["localId": .string(person.accountID)]),
                    headers: Self.owner)
                #expect(deleted.status == 200, "\(deleted.summary)")
                try await eventually("every service knew of the deletion") {
                    let after = try await backup(mesh, named: "after")
                    return occurrences(of: Array(person.accountID.utf8), in: after) == ["identity.sqlite"]
                }
                let after = try await backup(mesh, named: "after")
                for text in person.said { #expect(occurrences(of: text, in: after) == []) }
            }
        }

        /// Its owner can download what the deletion would delete.
        @Test func downloadHasEverythingThatWasSaidAboutThePerson() async throws {
            try await withMesh(["--emulator-tokens"]) { mesh in
                try await configure(mesh)
                let person = try await enroll(mesh)
                let document = try await call(
                    mesh, "v1/accounts:download", ["idToken": .string(person.idToken)])
                let texts = Self.texts(in: try document.json)
                for said in person.said where said != person.credentialID {
                    let text = String(decoding: said, as: UTF8.self)
                    #expect(texts.contains { $0.contains(text) }, "\(text)")
                }
                #expect(texts.contains(Base64Field.encode(person.credentialID)))
                #expect(texts.contains(person.accountID))
            }
        }

        private static func texts(in value: JSONValue) -> [String] {
            switch value {
            case .string(let text): [text]
            case .array(let values): values.flatMap(texts)
            case .object(let members): members.values.flatMap(texts)
            default: []  // Numbers, truth values and null have no text.
            }
        }

        /// A service that does not run at the deletion learns of it later.
        @Test(arguments: ["passkey.1", "mfa-totp.1", "identity.1"])
        func killedServiceForgetsTheAccount(instance: String) async throws {
            try await withMesh(["--emulator-tokens"]) { mesh in
                try await configure(mesh)
                let person = try await enroll(mesh)
                let killing = Task { try await mesh.killAndReplace(instance) }
                try await eventually("the account was deleted") {
                    let deleted = try await mesh.client.send(
                        .post, Self.project + "/accounts:delete", .object(["localId": .string(person.accountID)]),
                        headers: Self.owner)
                    return deleted.status == 200 || deleted.refusal == "USER_NOT_FOUND"
                }
                try await killing.value
                try await eventually("every service knew of the deletion") {
                    let after = try await backup(mesh, named: "after")
                    return occurrences(of: Array(person.accountID.utf8), in: after) == ["identity.sqlite"]
                }
            }
        }

        // MARK: The account

        private struct Person {
            var accountID: String
            /// Of a session with a second factor.
            var idToken: String
            var credentialID: [UInt8]
            /// What the person, the application or a provider said.
            var said: [[UInt8]]
        }

        private func configure(_ mesh: RunningMesh) async throws {
            let changed = try await mesh.client.send(
                .patch, "/identitytoolkit.googleapis.com/v2/projects/demo-latchkey/config?updateMask=mfa",
                .object([
                    "mfa": .object([
                        "state": .string("ENABLED"), "enabledProviders": .array([.string("PHONE_SMS")]),
                        "providerConfigs": .array([
                            .object(["state": .string("ENABLED"), "totpProviderConfig": .object([:])])
                        ]),
                    ])
                ]), headers: Self.owner)
            guard changed.status == 200 else { throw RunningMesh.Failure(changed.summary) }
        }

        /// An account with every method, and with traces of each: open codes, links, sessions and challenges.
        private func enroll(_ mesh: RunningMesh) async throws -> Person {
            var texts = [
                Self.email, Self.number, "Okapi Quagga", "https://img.test.example/okapi.png", "okapi-subject-1",
                "okapi-group", "okapi-plan", "okapi-role", "Okapi app", "Okapi key",
            ]
            let password = JSONValue.string("a long secret of an okapi")
            let user = try await mesh.client.send(
                .post, Self.project + "/accounts",
                .object([
                    "email": .string(Self.email), "password": password, "emailVerified": .bool(true),
                    "displayName": .string("Okapi Quagga"),
                    "photoUrl": .string("https://img.test.example/okapi.png"),
                ]), headers: Self.owner)
            let id = try user.text("localId")
            try await administer(
                mesh, ["localId": .string(id), "customAttributes": .string(#"{"plan":"okapi-plan"}"#)])
            try await administer(
                mesh,
                [
                    "localId": .string(id),
                    "linkProviderUserInfo": .object([
                        "providerId": .string("oidc.zoo"), "rawId": .string("okapi-subject-1"),
                    ]),
                ])
            // Sessions with attributes of a provider and with claims of a custom token.
            let claims = #"{"sub":"okapi-subject-1","groups":["okapi-group"],"iss":"https://zoo.example"}"#
            let escaped = try #require(claims.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let provider = try await call(
                mesh, "v1/accounts:signInWithIdp",
                [
                    "postBody": .string("id_token=\(escaped)&providerId=oidc.zoo"),
                    "requestUri": .string("http://localhost"), "returnSecureToken": .bool(true),
                ])
            var idToken = try provider.text("idToken")
            let custom = try WireJSON.encode(
                JSONValue.object(["uid": .string(id), "claims": .object(["role": .string("okapi-role")])]))
            _ = try await call(
                mesh, "v1/accounts:signInWithCustomToken",
                ["token": .string(String(decoding: custom, as: UTF8.self)), "returnSecureToken": .bool(true)])
            // A passkey, and a challenge for another.
            var device = try SoftwareAuthenticator(origin: "https://localhost")
            let start = try await call(mesh, "v2/accounts/passkeyEnrollment:start", ["idToken": .string(idToken)])
            let response = try device.register(SoftwareAuthenticator.Options(creation: start))
            idToken = try await call(
                mesh, "v2/accounts/passkeyEnrollment:finalize",
                [
                    "idToken": .string(idToken), "name": .string("Okapi key"),
                    "authenticatorRegistrationResponse": response.json,
                ]
            ).text("idToken")
            _ = try await call(mesh, "v2/accounts/passkeyEnrollment:start", ["idToken": .string(idToken)])
            // An authenticator app.
            let totp = try await call(
                mesh, "v2/accounts/mfaEnrollment:start",
                ["idToken": .string(idToken), "totpEnrollmentInfo": .object([:])])
            guard case .string(let secret)? = try totp.json["totpSessionInfo"]?["sharedSecretKey"],
                let session = try totp.json["totpSessionInfo"]?["sessionInfo"]
            else { throw RunningMesh.Failure(totp.summary) }
            let app = AuthenticatorApp(secret: secret, directory: mesh.directory)
            idToken = try await call(
                mesh, "v2/accounts/mfaEnrollment:finalize",
                [
                    "idToken": .string(idToken), "displayName": .string("Okapi app"),
                    "totpVerificationInfo": .object([
                        "sessionInfo": session, "verificationCode": .string(try await app.code(-1)),
                    ]),
                ]
            ).text("idToken")
            _ = try await call(mesh, "v2/accounts/recoveryCodes:generate", ["idToken": .string(idToken)])
            // A number as second factor, whose code is open.
            _ = try await call(
                mesh, "v2/accounts/mfaEnrollment:start",
                [
                    "idToken": .string(idToken),
                    "phoneEnrollmentInfo": .object([
                        "phoneNumber": .string(Self.number), "recaptchaToken": .string("any"),
                    ]),
                ])
            try await administer(
                mesh,
                [
                    "localId": .string(id),
                    "mfa": .object([
                        "enrollments": .array([
                            .object(["phoneInfo": .string(Self.number), "displayName": .string("Okapi phone")]),
                            .object([
                                "totpInfo": .object([:]), "displayName": .string("Okapi app"),
                                "mfaEnrollmentId": .string(try await factor(mesh, id)),
                            ]),
                        ])
                    ]),
                ])
            texts.append("Okapi phone")
            // Links, and a sign-in that waits for a factor.
            for type in ["PASSWORD_RESET", "EMAIL_SIGNIN"] {
                _ = try await call(
                    mesh, "v1/accounts:sendOobCode",
                    [
                        "requestType": .string(type), "email": .string(Self.email),
                        "continueUrl": .string("http://localhost"), "canHandleCodeInApp": .bool(true),
                    ])
            }
            _ = try await call(
                mesh, "v1/accounts:signInWithPassword", ["email": .string(Self.email), "password": password])
            return Person(
                accountID: id, idToken: idToken, credentialID: device.credentialID.bytes,
                said: texts.map { Array($0.utf8) } + [device.credentialID.bytes])
        }

        /// The ID of the account's authenticator app.
        private func factor(_ mesh: RunningMesh, _ id: String) async throws -> String {
            let found = try await mesh.client.send(
                .post, Self.project + "/accounts:lookup", .object(["localId": .array([.string(id)])]),
                headers: Self.owner)
            guard case .array(let users)? = try found.json["users"],
                case .array(let factors)? = users.first?["mfaInfo"],
                case .string(let factor)? = factors.first?["mfaEnrollmentId"]
            else { throw RunningMesh.Failure(found.summary) }
            return factor
        }

        private func administer(_ mesh: RunningMesh, _ fields: [String: JSONValue]) async throws {
            let response = try await mesh.client.send(
                .post, Self.project + "/accounts:update", .object(fields), headers: Self.owner)
            guard response.status == 200 else { throw RunningMesh.Failure(response.summary) }
        }

        private func call(
            _ mesh: RunningMesh, _ operation: String, _ fields: [String: JSONValue]
        ) async throws -> HTTPClientResponse {
            let response = try await mesh.client.send(
                .post, "/identitytoolkit.googleapis.com/\(operation)?key=any", .object(fields))
            guard response.status == 200 else {
                throw RunningMesh.Failure("\(operation): \(response.summary)")
            }
            return response
        }

        // MARK: The search

        /// The bytes of every database: a copy without free pages, so nothing of a deleted row.
        private func backup(_ mesh: RunningMesh, named name: String) async throws -> [String: Data] {
            let folder = mesh.directory.appending("\(name)-\(UUID().uuidString)")
            let program = try RunningProgram(
                "latchkey", ["backup", folder, "--data", mesh.dataDirectory], in: mesh.directory)
            guard try await program.ending() == .code(0) else { throw RunningMesh.Failure(program.errors) }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sqlite") }
            return Dictionary(
                uniqueKeysWithValues: files.map {
                    ($0, FileManager.default.contents(atPath: "\(folder)/\($0)") ?? Data())
                })
        }

        private func occurrences(of text: [UInt8], in files: [String: Data]) -> Set<String> {
            Set(files.filter { $0.value.range(of: Data(text)) != nil }.keys)
        }
    }
}
