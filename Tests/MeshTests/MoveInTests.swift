import Crypto
import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing
import Vocabulary

/// A page of the documentation with its blocks of code.
private struct MoveInPage {
    let text: String
    /// Without the indentation of the list item that a block belongs to.
    let blocks: [String]

    init(_ name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/move-in/\(name).md")
        text = try String(contentsOf: root, encoding: .utf8)
        var blocks: [String] = []
        var lines: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.drop(while: { $0 == " " }).hasPrefix("```") {
                if let lines { blocks.append(lines.joined(separator: "\n") + "\n") }
                lines = lines == nil ? [] : nil
            } else {
                lines?.append(line.hasPrefix("   ") ? line.dropFirst(3) : line)
            }
        }
        self.blocks = blocks
    }

    /// The file that the page says to save, and its text: the next block.
    func program() throws -> (name: String, text: String) {
        let match = try #require(text.firstMatch(of: /Save this (?:program|query) as `([^`]+)`/))
        let end = match.range.upperBound
        let number = text[..<end].split(separator: "\n").count { $0.drop { $0 == " " }.hasPrefix("```") } / 2
        return (String(match.1), blocks[number])
    }

    /// The block with the import.
    func commands() throws -> String { try #require(blocks.first { $0.contains("latchkey users import") }) }
}

extension MeshTests {
    /// The pages about other systems: their programs and commands run as they are written, on small exports.
    @Suite struct MoveInTests {
        private static let password = "correct horse 1"
        /// bcrypt of the password.
        private static let bcrypt = "$2b$04$P6OA1D1T0G/C.69ZD8zvSuP2LYz2WTuGV3TNHnNX8BDvLZLMF/HRS"
        private static let secret = Array("12345678901234567890".utf8)

        /// Runs the commands of a page.
        /// - Returns: what they printed, and all users afterwards.
        private func moveIn(
            _ mesh: RunningMesh, _ name: String, _ files: [String: String], environment: [String: String] = [:]
        ) async throws -> (output: String, plan: String, users: String) {
            try await mesh.client.switchTOTPOn(5)
            let page = try MoveInPage(name)
            let program = try page.program()
            for (name, text) in files.merging([program.name: program.text], uniquingKeysWith: { $1 }) {
                try text.write(toFile: mesh.directory.appending(name), atomically: true, encoding: .utf8)
            }
            let place = "--project shop --data /var/lib/latchkey"
            let commands = try page.commands()
            #expect(commands.contains(place))
            let script = """
                set -eu
                PATH=\(RunningProgram.buildDirectory):$PATH
                \(commands.replacing(place, with: "--data \(mesh.dataDirectory) --dev"))
                latchkey users export out.jsonl --data \(mesh.dataDirectory) --dev
                """
            let run = try RunningProgram("/bin/bash", ["-c", script], environment: environment, in: mesh.directory)
            #expect(try await run.ending() == .code(0), "\(run.output)\(run.errors)")
            return (
                run.output + run.errors,
                try String(contentsOfFile: mesh.directory.appending("plan.json"), encoding: .utf8),
                try String(contentsOfFile: mesh.directory.appending("out.jsonl"), encoding: .utf8)
            )
        }

        private func signIn(_ mesh: RunningMesh, _ email: String) async throws -> HTTPClientResponse {
            try await mesh.client.signIn(TestUser(email: email, password: Self.password))
        }

        /// Signs in with the password and a code.
        private func signInWithCode(_ mesh: RunningMesh, _ email: String) async throws {
            let pending = try await signIn(mesh, email)
            guard case .array(let factors)? = try pending.json["mfaInfo"],
                case .string(let factor)? = factors.first?["mfaEnrollmentId"]
            else { throw RunningMesh.Failure(pending.summary) }
            let app = AuthenticatorApp(secret: Base32.encode(Self.secret), directory: mesh.directory)
            let finished = try await mesh.client.callV2(
                "mfaSignIn:finalize",
                [
                    "mfaPendingCredential": .string(try pending.text("mfaPendingCredential")),
                    "mfaEnrollmentId": .string(factor),
                    "totpVerificationInfo": .object(["verificationCode": .string(try await app.code(0))]),
                ])
            #expect(finished.status == 200, "\(finished.summary)")
        }

        private static func json(_ text: String) throws -> String {
            String(decoding: try WireJSON.encode(text), as: UTF8.self)
        }

        // MARK: Keycloak

        private static func credential(
            _ type: String, secret: String, details: String
        ) throws -> String {
            """
            {"type":"\(type)","userLabel":"Phone","createdDate":1577836800000,"secretData":\(try json(secret)),\
            "credentialData":\(try json(details))}
            """
        }

        private static func keycloak() throws -> String {
            let salt = Array("0123456789abcdef".utf8)
            func pbkdf2(_ function: HashFunction, _ name: String) throws -> String {
                let hash = try PBKDF2.derive(
                    function, password: Array(password.utf8), salt: salt, iterations: 1000, byteCount: 64)
                return try credential(
                    "password",
                    secret: """
                        {"value":"\(Base64Field.encode(hash))","salt":"\(Base64Field.encode(salt))",\
                        "additionalParameters":{}}
                        """, details: #"{"hashIterations":1000,"algorithm":"\#(name)","additionalParameters":{}}"#)
            }
            let argon2 = try Argon2.hash(
                password: Array(password.utf8), salt: salt,
                .init(memoryKiB: 64, iterations: 2, parallelism: 1, tagBytes: 32), variant: .id, version: .v13)
            let users = [
                """
                {"id":"ada","username":"ada","email":"ada@example.com","emailVerified":true,"firstName":"Ada",\
                "lastName":"Lovelace","enabled":true,"createdTimestamp":1577836800000,\
                "realmRoles":["default-roles-shop","editor"],\
                "federatedIdentities":[{"identityProvider":"google","userId":"g-1","userName":"ada"}],"credentials":[\
                \(try pbkdf2(.sha512, "pbkdf2-sha512")),\
                \(try credential("otp", secret: #"{"value":"12345678901234567890"}"#,
                    details: #"{"subType":"totp","digits":6,"counter":0,"period":30,"algorithm":"HmacSHA1"}"#))]}
                """,
                """
                {"id":"eve","email":"eve@example.com","emailVerified":true,"credentials":[\
                \(try pbkdf2(.sha256, "pbkdf2-sha256")),\
                \(try credential("otp", secret: #"{"value":"12345678901234567890"}"#,
                    details: #"{"subType":"totp","digits":8,"counter":0,"period":30,"algorithm":"HmacSHA256"}"#)),\
                {"type":"webauthn-passwordless","secretData":"{}","credentialData":"{}"}]}
                """,
                """
                {"id":"joe","email":"joe@example.com","enabled":false,"credentials":[\
                \(try credential("password",
                    secret: """
                        {"value":"\(Base64Field.encode(argon2))","salt":"\(Base64Field.encode(salt))",\
                        "additionalParameters":{}}
                        """,
                    details: """
                        {"hashIterations":2,"algorithm":"argon2","additionalParameters":{"hashLength":["32"],\
                        "memory":["64"],"type":["id"],"version":["1.3"],"parallelism":["1"]}}
                        """))]}
                """,
                #"{"id":"bot","serviceAccountClientId":"app"}"#,
            ]
            return #"{"realm":"shop","users":[\#(users.joined(separator: ",\n"))]}"#
        }

        @Test func usersOfKeycloakMoveIn() async throws {
            try await withMesh(["--only", "gateway,identity,mfa-totp"]) { mesh in
                let moved = try await moveIn(
                    mesh, "keycloak", ["shop-realm.json": try Self.keycloak()])
                #expect(moved.output.contains("would import 3 users") && moved.output.contains("imported 3 users"))
                #expect(
                    moved.output.contains(
                        "incomplete record 2 (eve): without TOTP factor, which is not of SHA-1, six digits and 30 s"))
                #expect(moved.plan.contains(#""incomplete":{"passkeys":1,"totpParameters":1}"#), "\(moved.plan)")
                for part in [
                    #""displayName":"Ada Lovelace""#, #"{\"roles\": [\"editor\"]}"#, #""providerId":"google.com""#,
                    #""createdAt":"1577836800000""#, #""displayName":"Phone""#, #""disabled":true"#,
                ] {
                    #expect(moved.users.contains(part), "\(part) in \(moved.users)")
                }
                try await signInWithCode(mesh, "ada@example.com")
                #expect(try await signIn(mesh, "eve@example.com").status == 200)
                // The password is right: the account is told to be disabled.
                #expect(try await signIn(mesh, "joe@example.com").refusal == "USER_DISABLED")
            }
        }

        // MARK: Auth0

        @Test func usersOfAuth0MoveIn() async throws {
            let users = """
                {"user_id":"auth0|1","email":"ada@example.com","email_verified":true,"name":"Ada","picture":"https://a.example/",\
                "created_at":"2020-01-01T00:00:00.000Z","last_login":"2021-01-01T00:00:00.000Z","app_metadata":{"plan":"pro"},\
                "identities":[{"provider":"auth0","user_id":"1","connection":"db","isSocial":false},\
                {"provider":"google-oauth2","user_id":"g-1","connection":"google-oauth2","isSocial":true}]}
                {"user_id":"sms|2","phone_number":"+12025550170","phone_verified":true,"identities":[]}

                """
            let files = [
                "auth0-users.json": users,
                "auth0-passwords.json":
                    #"{"_id":{"$oid":"1"},"email":"ada@example.com","passwordHash":"\#(Self.bcrypt)"}"#,
                "auth0-factors.json":
                    #"{"user_id":"auth0|1","mfa_factors":[{"totp":{"secret":"\#(Base32.encode(Self.secret))"}}]}"#,
            ]
            try await withMesh(["--only", "gateway,identity,mfa-totp"]) { mesh in
                let moved = try await moveIn(mesh, "auth0", files)
                #expect(moved.output.contains("imported 2 users") && !moved.output.contains("incomplete"))
                for part in [
                    #""localId":"auth0|1""#, #"{\"plan\": \"pro\"}"#, #""rawId":"g-1""#,
                    #""lastLoginAt":"1609459200000""#,
                    #""phoneNumber":"+12025550170""#,
                ] {
                    #expect(moved.users.contains(part), "\(part) in \(moved.users)")
                }
                try await signInWithCode(mesh, "ada@example.com")
            }
        }

        // MARK: Supabase

        /// The columns of GoTrue's tables that the query reads.
        private static let supabase = """
            CREATE SCHEMA auth;
            CREATE TABLE auth.users (id uuid, email text, email_confirmed_at timestamptz, encrypted_password text,
                phone text, phone_confirmed_at timestamptz, raw_user_meta_data jsonb, raw_app_meta_data jsonb,
                banned_until timestamptz, created_at timestamptz, last_sign_in_at timestamptz, deleted_at timestamptz,
                is_anonymous boolean NOT NULL DEFAULT false);
            CREATE TABLE auth.identities (user_id uuid, provider text, provider_id text, identity_data jsonb);
            CREATE TABLE auth.mfa_factors (id uuid, user_id uuid, friendly_name text, factor_type text, status text,
                secret text, phone text, created_at timestamptz);
            INSERT INTO auth.users (id, email, email_confirmed_at, encrypted_password, raw_user_meta_data,
                raw_app_meta_data, created_at) VALUES
                ('00000000-0000-0000-0000-00000000000a', 'ada@example.com', now(), '\(bcrypt)',
                 '{"full_name":"Ada \\"the\\" first"}', '{"provider":"email","providers":["email"],"plan":"pro"}',
                 '2020-01-01T00:00:00Z'),
                ('00000000-0000-0000-0000-00000000000b', '', NULL, '', '{}', '{"provider":"phone"}', now()),
                ('00000000-0000-0000-0000-00000000000c', 'gone@example.com', NULL, '', '{}', '{}', now()),
                ('00000000-0000-0000-0000-00000000000d', 'eve@example.com', now(), '', '{}', '{}', now());
            UPDATE auth.users SET phone = '12025550170', phone_confirmed_at = now() WHERE email = '';
            UPDATE auth.users SET deleted_at = now() WHERE email = 'gone@example.com';
            UPDATE auth.users SET banned_until = now() + interval '1 day' WHERE email = 'eve@example.com';
            INSERT INTO auth.identities VALUES
                ('00000000-0000-0000-0000-00000000000a', 'email', 'x', '{}'),
                ('00000000-0000-0000-0000-00000000000a', 'google', 'g-1', '{"email":"ada@gmail.com"}');
            INSERT INTO auth.mfa_factors VALUES
                ('00000000-0000-0000-0000-0000000000f1', '00000000-0000-0000-0000-00000000000a', '', 'totp',
                 'verified', '\(Base32.encode(secret))', NULL, '2020-01-01T00:00:00Z'),
                ('00000000-0000-0000-0000-0000000000f2', '00000000-0000-0000-0000-00000000000a', 'new', 'totp',
                 'unverified', 'AAAA', NULL, now()),
                ('00000000-0000-0000-0000-0000000000f3', '00000000-0000-0000-0000-00000000000d', 'app', 'totp',
                 'verified', '{"data":"sealed"}', NULL, now());
            """

        @Test func usersOfSupabaseMoveIn() async throws {
            let server = try await RunningPostgres.shared()
            let address = try await server.makeDatabase()
            let database = try #require(address.split(separator: "/").last.map(String.init))
            try await server.run(
                Self.supabase + "GRANT USAGE ON SCHEMA auth TO \(RunningPostgres.user);"
                    + "GRANT SELECT ON ALL TABLES IN SCHEMA auth TO \(RunningPostgres.user);", database: database)
            try await withMesh(["--only", "gateway,identity,mfa-totp"]) { mesh in
                let moved = try await moveIn(
                    mesh, "supabase", [:], environment: ["SUPABASE_URL": address])
                #expect(moved.output.contains("imported 3 users"))
                #expect(moved.output.contains("without TOTP factor, whose secret is malformed"))
                for part in [
                    #""displayName":"Ada \"the\" first""#, #"{\"plan\": \"pro\"}"#, #""rawId":"g-1""#,
                    #""phoneNumber":"+12025550170""#, #""createdAt":"1577836800000""#, #""disabled":true"#,
                    #""mfaEnrollmentId":"00000000-0000-0000-0000-0000000000f1""#,
                ] {
                    #expect(moved.users.contains(part), "\(part) in \(moved.users)")
                }
                #expect(!moved.users.contains("gone@example.com"))
                try await signInWithCode(mesh, "ada@example.com")
            }
        }

        // MARK: Cognito

        private static let cognito = """
            {"Users":[{"Username":"ada","UserCreateDate":"2020-01-01T00:00:00+00:00","Enabled":true,"UserStatus":"CONFIRMED",
            "UserMFASettingList":["SOFTWARE_TOKEN_MFA"],"Attributes":[{"Name":"sub","Value":"s-1"},
            {"Name":"email","Value":"ada@example.com"},{"Name":"email_verified","Value":"true"},
            {"Name":"given_name","Value":"Ada"},{"Name":"custom:plan","Value":"pro"},
            {"Name":"identities","Value":"[{\\"userId\\":\\"g-1\\",\\"providerName\\":\\"Google\\"}]"}]},
            {"Username":"eve","UserCreateDate":"2020-01-01T00:00:00.123000+01:00","Enabled":false,
            "Attributes":[{"Name":"sub","Value":"s-2"},{"Name":"phone_number","Value":"+12025550170"},
            {"Name":"phone_number_verified","Value":"true"}]}]}
            """

        @Test func usersOfCognitoMoveIn() async throws {
            try await withMesh(["--only", "gateway,identity,mfa-totp"]) { mesh in
                let moved = try await moveIn(mesh, "cognito", ["cognito-users.json": Self.cognito])
                #expect(moved.output.contains("imported 2 users"))
                #expect(moved.output.contains("incomplete record 1 (s-1): without TOTP factor"))
                for part in [
                    #""displayName":"Ada""#, #"{\"plan\": \"pro\"}"#, #""rawId":"g-1""#,
                    #""createdAt":"1577836800000""#,
                    #""phoneNumber":"+12025550170""#, #""disabled":true"#,
                ] {
                    #expect(moved.users.contains(part), "\(part) in \(moved.users)")
                }
            }
        }
    }
}
