import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

extension MeshTests {
    /// The operator's first run in production, with the real executables.
    @Suite struct FirstRunTests {
        private struct Operator {
            let directory: TemporaryDirectory
            let environment: [String: String]

            /// Runs a command of `latchkey`; a shell gives it its standard input.
            func run(_ words: String, input: String = "") async throws -> (end: RunningProgram.End, output: String) {
                let script = "printf '%s\\n' '\(input)' | '\(RunningProgram.buildDirectory)/latchkey' \(words)"
                let command = try RunningProgram(
                    "/bin/sh", ["-c", script], environment: environment, in: directory)
                let end = try await command.ending()
                return (end, command.output + command.errors)
            }

            func document(_ words: String) async throws -> [String: Any] {
                let result = try await run(words)
                let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
                return try #require(object as? [String: Any], "\(result.output)")
            }
        }

        /// A port that was free a moment ago.
        private static func port() throws -> UInt16 { try LoopbackListener().port }

        @Test func productionProjectIsReadyAfterInit() async throws {
            let directory = try TemporaryDirectory()
            let (listen, admin) = try ("127.0.0.1:\(Self.port())", "127.0.0.1:\(Self.port())")
            let environment = [
                "LATCHKEY_DATA": RunningMesh.dataDirectory(in: directory), "LATCHKEY_PROJECT": "shop",
                "LATCHKEY_LISTEN": listen, "LATCHKEY_ADMIN_LISTEN": admin, "LATCHKEY_PUBLIC_URL": "http://\(listen)",
            ]
            let mesh = try RunningProgram(
                "latchkey", ["up", "--only", "gateway,identity"], environment: environment, in: directory)
            try await eventually("the mesh was ready") { mesh.output.contains("ready http://\(listen)\n") }
            let shell = Operator(directory: directory, environment: environment)
            try await journey(shell, publicOrigin: "http://\(listen)", adminOrigin: "http://\(admin)")
            mesh.send(SIGTERM)
            #expect(try await mesh.ending() == .code(0), "\(mesh.errors.suffix(4000))")
        }

        private func journey(_ shell: Operator, publicOrigin: String, adminOrigin: String) async throws {
            let made = try await shell.document("init -o key.json --json")
            let apiKey = try #require(made["apiKey"] as? String)
            #expect(made["project"] as? String == "shop" && made["adminURL"] as? String == adminOrigin)
            let again = try await shell.run("init -o other.json")
            #expect(again.end == .code(1) && again.output.contains("exists and has a service account"))

            let tenant = try await shell.run("tenants create acme-inc")
            #expect(tenant.end == .code(1) && tenant.output.contains("multiTenant.allowTenants"))

            let domains = try await shell.run("projects config get authorizedDomains").output
            #expect(domains.contains("\"localhost\""))

            let created = try await shell.run(
                "users create --email ada@example.com --password-stdin", input: "correct horse battery 9")
            #expect(created.end == .code(0) && created.output.hasPrefix("Created ada@example.com ("))
            #expect(try await shell.run("users list").output.contains("ada@example.com"))
            #expect(try await shell.document("users show ada@example.com --json")["disabled"] as? Bool == false)

            let client = HTTPClient()
            func signIn() async throws -> Int {
                try await client.send(
                    HTTPClientRequest(
                        .post, "\(publicOrigin)/v1/accounts:signInWithPassword?key=\(apiKey)",
                        headers: [("Content-Type", "application/json")],
                        body: Data(
                            #"{"email":"ada@example.com","password":"correct horse battery 9","returnSecureToken":true}"#
                                .utf8))
                ).status
            }
            #expect(try await signIn() == 200)
            let session = try await shell.document("sessions list ada@example.com --json")
            #expect(session["clientAddress"] as? String == "127.0.0.1")
            let id = try #require(session["id"] as? String)
            #expect(try await shell.run("sessions revoke ada@example.com -- '\(id)'").end == .code(0))
            let none = try await shell.run("sessions list ada@example.com")
            #expect(none.end == .code(0) && none.output.hasSuffix(" has no sessions.\n"))

            #expect(try await shell.run("users disable ada@example.com").end == .code(0))
            #expect(try await signIn() == 400)
            #expect(try await shell.run("users disable ada@example.com").output.contains("is disabled already"))
            #expect(try await shell.run("users delete ada@example.com").end == .code(64))
            #expect(try await shell.run("users delete ada@example.com --yes").end == .code(0))
            #expect(try await shell.run("users show ada@example.com").end == .code(1))

            let token = try await shell.run("token key.json")
            let bearer = token.output.trimmingCharacters(in: .newlines)
            #expect(token.end == .code(0) && bearer.hasPrefix("lkat_"))
            let configuration = try await client.send(
                HTTPClientRequest(
                    .get, "\(adminOrigin)/v2/projects/shop/config", headers: [("Authorization", "Bearer \(bearer)")]))
            #expect(configuration.status == 200)
            #expect(try await shell.run("projects config set signIn.phoneNumber.enabled true").end == .code(0))
            #expect(try await shell.run("projects config get signIn.phoneNumber.enabled").output == "true\n")

            let plist = try await shell.run("client-config ios org.example.app")
            let list = try PropertyListSerialization.propertyList(from: Data(plist.output.utf8), format: nil)
            #expect((list as? [String: Any])?["API_KEY"] as? String == apiKey)
            #expect(try await shell.document("client-config android org.example.app")["client"] != nil)
            #expect(try await shell.run("client-config web").output.contains(apiKey))
            #expect(try await shell.run("audit list").output.contains("actor=operator:"))
        }
    }
}
